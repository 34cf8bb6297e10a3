// SPDX-License-Identifier: MIT
/*
 * Under mpirun: this program starts itself there, four times, and every process
 * finds the job by PMIx and joins the others three times.
 */
#include "boot/helper.h"

/* libpmix keeps a few bytes of its own forever, which is not our leak. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libpmix";
}

static int exists(const char *path)
{
	return access(path, X_OK) == 0;
}

int main(int argc, char **argv)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	pid_t pid;
	int rc;

	test_deadline(120);
	if (argc > 1 && !strcmp(argv[1], "pe"))
		return pe_turns(BOOT_PMIX, 4, 3);
	if (!exists("/usr/bin/mpirun.openmpi")) {
		printf("skipped: there is no mpirun.openmpi to start PMIx processes with\n");
		return 77;
	}
	self[n > 0 ? n : 0] = '\0';
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
	pid = fork();
	if (pid == 0) {
		execl("/usr/bin/mpirun.openmpi", "mpirun", "--oversubscribe", "-np", "4", self,
		      "pe", (char *)NULL);
		_exit(127);
	}
	rc = reap(pid);
	CHECK(rc == 0, "mpirun ended with %d", rc);
	return test_result();
}
