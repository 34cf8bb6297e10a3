// SPDX-License-Identifier: MIT
/*
 * What boot_find() makes of the environment: `mori run` and what is malformed in
 * it, nothing at all, and launchers that speak of several processes.
 */
#include "boot/helper.h"

#include "core/options.h"

/* libpmix keeps a few bytes of its own forever, which is not our leak. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libpmix";
}

static const char *const variables[] = {
	"MORI_UNIQUE_ID",
	"MORI_RANK",
	"MORI_WORLD_SIZE",
	"MORI_THREADS",
	"PMIX_NAMESPACE",
	"PMIX_RANK",
	"RANK",
	"WORLD_SIZE",
	"MASTER_ADDR",
	"MASTER_PORT",
	"OMPI_COMM_WORLD_SIZE",
	"PMI_SIZE",
	"PMI_RANK",
	"PMI_FD",
	"SLURM_NTASKS",
	"SLURM_STEP_NUM_TASKS",
	"SLURM_PROCID",
	"TORCHELASTIC_RUN_ID",
};

static void clear_all(void)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		unsetenv(variables[i]);
}

/* NAME=value pairs, then NULL: the status. */
static int find_with(struct boot_job *job, const char *first, ...)
{
	struct options o;
	va_list ap;
	int err;

	clear_all();
	va_start(ap, first);
	for (const char *pair = first; pair; pair = va_arg(ap, const char *)) {
		char name[512];
		char *eq;

		snprintf(name, sizeof(name), "%s", pair);
		eq = strchr(name, '=');
		*eq = '\0';
		setenv(name, eq + 1, 1);
	}
	va_end(ap);
	err = options_load(&o);
	if (!err) {
		struct boot_config c = { .timeout_s = 2,
					 .unique_id = o.unique_id,
					 .rank = o.rank,
					 .world_size = o.world_size,
					 .threads = o.threads };

		err = boot_find(&c, job);
		options_free(&o);
	}
	return err;
}

static void run_mori_run(void)
{
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES];
	char hex[2 * BOOT_UID_BYTES + 1], id[sizeof(hex) + 32];
	struct boot_job job;

	CHECK(boot_open_rdv(&c, uid) == 0);
	uid_to_hex(uid, hex);
	snprintf(id, sizeof(id), "MORI_UNIQUE_ID=%s", hex);
	CHECK(find_with(&job, id, "MORI_RANK=2", "MORI_WORLD_SIZE=8", "MORI_THREADS=2", NULL) == 0);
	CHECK(job.way == BOOT_MORI_RUN && job.rank == 2 && job.nranks == 8 && job.threads == 2);
	CHECK(!memcmp(job.uid, uid, sizeof(uid)));
	CHECK(find_with(&job, id, "MORI_RANK=0", "MORI_WORLD_SIZE=1", NULL) == 0 &&
	      job.threads == 1);
	/* Other launchers around it do not matter. */
	CHECK(find_with(&job, id, "MORI_RANK=0", "MORI_WORLD_SIZE=2", "PMI_SIZE=5", "RANK=x",
			NULL) == 0);
	CHECK(find_with(&job, id, "MORI_WORLD_SIZE=2", NULL) == MORI_SHMEM_EINVAL &&
	      strstr(err_text(), "MORI_RANK"));
	CHECK(find_with(&job, id, "MORI_RANK=0", NULL) == MORI_SHMEM_EINVAL &&
	      strstr(err_text(), "MORI_WORLD_SIZE"));
	CHECK(find_with(&job, id, "MORI_RANK=1x", "MORI_WORLD_SIZE=2", NULL) == MORI_SHMEM_EINVAL &&
	      strstr(err_text(), "MORI_RANK=\"1x\""));
	CHECK(find_with(&job, id, "MORI_RANK=2", "MORI_WORLD_SIZE=2", NULL) == MORI_SHMEM_EINVAL);
	CHECK(find_with(&job, id, "MORI_RANK=1", "MORI_WORLD_SIZE=2", "MORI_THREADS=2", NULL) ==
	      MORI_SHMEM_EINVAL);
	CHECK(find_with(&job, id, "MORI_RANK=0", "MORI_WORLD_SIZE=2", "MORI_THREADS=0", NULL) ==
		      MORI_SHMEM_EINVAL &&
	      strstr(err_text(), "MORI_THREADS"));
	CHECK(find_with(&job, "MORI_UNIQUE_ID=abc", "MORI_RANK=0", "MORI_WORLD_SIZE=2", NULL) ==
		      MORI_SHMEM_EINVAL &&
	      strstr(err_text(), "MORI_UNIQUE_ID"));
	id[20] = 'z';
	CHECK(find_with(&job, id, "MORI_RANK=0", "MORI_WORLD_SIZE=2", NULL) == MORI_SHMEM_EINVAL);
	CHECK(find_with(&job, "MORI_RANK=0", NULL) == MORI_SHMEM_EINVAL &&
	      strstr(err_text(), "MORI_UNIQUE_ID"));
	boot_close_rdv(uid);
}

static void run_launchers(void)
{
	static const char *const several[] = { "OMPI_COMM_WORLD_SIZE=3", "PMI_SIZE=3" };
	struct boot_job job;
	int err;

	for (int i = 0; i < 2; i++) {
		err = find_with(&job, several[i], NULL);
		CHECK(err == MORI_SHMEM_ENOTSUP, "%d", err);
		CHECK(strstr(err_text(), several[i]) && strstr(err_text(), "shmem_mpi.h") &&
		      strstr(err_text(), "mori run"));
	}
	CHECK(find_with(&job, "SLURM_STEP_NUM_TASKS=4", "SLURM_PROCID=1", NULL) ==
		      MORI_SHMEM_ENOTSUP &&
	      strstr(err_text(), "srun --mpi=pmix"));
	/* A shell of salloc, and a batch script. */
	CHECK(find_with(&job, "SLURM_NTASKS=4", NULL) == 0 && job.way == BOOT_ALONE);
	CHECK(find_with(&job, "SLURM_NTASKS=4", "SLURM_PROCID=0", NULL) == 0 &&
	      job.way == BOOT_ALONE);
	CHECK(find_with(&job, "PMI_SIZE=1", "PMI_RANK=0", "PMI_FD=3", NULL) == 0 &&
	      job.way == BOOT_ALONE);
	CHECK(find_with(&job, "PMI_SIZE=1", "OMPI_COMM_WORLD_SIZE=1", NULL) == 0 &&
	      job.nranks == 1);
	CHECK(find_with(&job, "RANK=0", "WORLD_SIZE=2", NULL) == MORI_SHMEM_ENOTSUP);
	/* PMIx that does not answer: a job of one PE unless something else announces more. */
	err = find_with(&job, "PMIX_NAMESPACE=nobody", "PMIX_RANK=0", NULL);
	CHECK(err == 0 && job.way == BOOT_ALONE, "%d", err);
	err = find_with(&job, "PMIX_NAMESPACE=nobody", "PMIX_RANK=0", "OMPI_COMM_WORLD_SIZE=2",
			NULL);
	CHECK(err == MORI_SHMEM_ENOTSUP && strstr(err_text(), "PMIx"), "%d", err);
}

static void run_torchrun(void)
{
	struct boot_job job;

	CHECK(find_with(&job, "RANK=0", "WORLD_SIZE=1", "MASTER_ADDR=x", "MASTER_PORT=1", NULL) ==
	      0);
	CHECK(job.nranks == 1 && job.way == BOOT_ALONE);
	CHECK(find_with(&job, "RANK=2", "WORLD_SIZE=2", "MASTER_ADDR=x", "MASTER_PORT=1", NULL) ==
		      MORI_SHMEM_EINVAL &&
	      strstr(err_text(), "RANK"));
	CHECK(find_with(&job, "RANK=1", "WORLD_SIZE=2", "MASTER_ADDR=127.0.0.1", "MASTER_PORT=p",
			NULL) == MORI_SHMEM_EINVAL &&
	      strstr(err_text(), "MASTER_PORT"));
	CHECK(find_with(&job, "RANK=1", "WORLD_SIZE=2", "MASTER_ADDR=127.0.0.1",
			"MASTER_PORT=29999", NULL) == MORI_SHMEM_ETIMEDOUT);
}

int main(void)
{
	struct boot_job job;

	test_deadline(120);
	CHECK(find_with(&job, NULL) == 0);
	CHECK(job.way == BOOT_ALONE && job.rank == 0 && job.nranks == 1 && job.threads == 1);
	run_mori_run();
	run_launchers();
	run_torchrun();
	return test_result();
}
