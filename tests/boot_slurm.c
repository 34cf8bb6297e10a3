// SPDX-License-Identifier: MIT
/*
 * Plain srun, by its variables alone: where the rendezvous is does not depend on how ranks are
 * distributed, and a job that cannot be found is an error that says why.
 */
#include "boot/helper.h"

#include "boot/find.h"

#define PROCS 4

static void set_int(const char *name, int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", value);
	setenv(name, text, 1);
}

/* A step of PROCS processes on @nodes hosts, whose rank 0 is the last process on the last. */
static void run_step(const char *list, int nodes, int step)
{
	static const unsigned char none[BOOT_UID_BYTES];
	pid_t pids[PROCS];

	setenv("SLURM_STEP_NODELIST", list, 1);
	set_int("SLURM_STEP_NUM_NODES", nodes);
	set_int("SLURM_STEP_ID", step);
	for (int i = 0; i < PROCS; i++) {
		set_int("SLURM_PROCID", PROCS - 1 - i);
		set_int("SLURM_NODEID", i * nodes / PROCS);
		set_int("SLURM_LOCALID", i % (PROCS / nodes));
		pids[i] = spawn("pe", none, 0);
	}
	for (int i = 0; i < PROCS; i++)
		CHECK(reap(pids[i]) == 0, "%d nodes, process %d", nodes, i);
}

static void run_hosts(void)
{
	static const struct {
		const char *list, *host;
	} hosts[] = {
		{ "n1", "n1" },
		{ "a,b", "a" },
		{ "n[1-2]", "n1" },
		{ "n[007,9-12],x1", "n007" },
		{ "rack[3-4]n[01-16]", "rack3n01" },
		{ "gpu-[10-11]-ib.example,b", "gpu-10-ib.example" },
		{ "", NULL },
		{ ",a", NULL },
		{ "n[", NULL },
		{ "n[]", NULL },
		{ "n[x-y]", NULL },
		{ "n[1", NULL },
		{ "a-name-that-is-longer-than-there-is-room-for", NULL },
		{ "n[11111111111111111111111111111111111111]", NULL },
	};
	char host[32];

	for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++) {
		int err = slurm_first_host(hosts[i].list, host, sizeof(host));

		CHECK(hosts[i].host ? !err && !strcmp(host, hosts[i].host) : err, "%s: %s",
		      hosts[i].list, err ? "none" : host);
	}
}

static void run_errors(void)
{
	struct boot_config c = test_config(2);
	struct boot_job job;

	setenv("SLURM_PROCID", "1", 1);
	setenv("SLURM_NODEID", "1", 1);
	setenv("SLURM_LOCALID", "0", 1);
	setenv("SLURM_STEP_NUM_NODES", "2", 1);
	/* A name that no server need be asked for. */
	setenv("SLURM_STEP_NODELIST", "n..1", 1);
	CHECK(boot_find(&c, &job) == MORI_SHMEM_EREACH);
	CHECK(strstr(err_text(), "'n..1'") && strstr(err_text(), "srun --mpi=pmix"));
	/* Nobody is there. */
	setenv("SLURM_STEP_NODELIST", "127.0.0.1", 1);
	CHECK(boot_find(&c, &job) == MORI_SHMEM_ETIMEDOUT);
	CHECK(strstr(err_text(), "srun: ") && strstr(err_text(), "job 17, step "));
	setenv("SLURM_STEP_NODELIST", "n[", 1);
	CHECK(boot_find(&c, &job) == MORI_SHMEM_ENOTSUP && strstr(err_text(), "'n['"));
	unsetenv("SLURM_NODEID");
	CHECK(boot_find(&c, &job) == MORI_SHMEM_ENOTSUP && strstr(err_text(), "SLURM_NODEID"));
	setenv("SLURM_PROCID", "4", 1);
	CHECK(boot_find(&c, &job) == MORI_SHMEM_EINVAL && strstr(err_text(), "SLURM_PROCID"));
}

int main(int argc, char **argv)
{
	(void)argv;
	test_deadline(150);
	if (argc > 1)
		return pe_turns(BOOT_SLURM, PROCS, 2);
	set_int("SLURM_STEP_NUM_TASKS", PROCS);
	set_int("SLURM_JOB_ID", 17);
	run_hosts();
	run_step("any..name", 1, 0);
	run_step("127.0.0.[1,3]", 2, 1);
	run_errors();
	return test_result();
}
