// SPDX-License-Identifier: MIT
/*
 * How a process finds its job. Whatever started it has left variables in the environment. If a
 * launcher says that there are several processes, that is true: where no way to connect them
 * works, init fails, rather than starting several jobs of one process.
 */
#include "boot/find.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/uid.h"
#include "util/env.h"
#include "util/err.h"

int find_int(const char *name, int lo, int hi, int *value)
{
	int got = env_int(name, lo, hi, value);

	return got >= 0 ? got :
			  err_set(MORI_SHMEM_EINVAL, "%s='%s' is not a number from %d to %d", name,
				  getenv(name), lo, hi);
}

static int find_mori_run(const struct boot_config *config, struct boot_job *job)
{
	if (uid_from_hex(config->unique_id, job->uid))
		return err_set(MORI_SHMEM_EINVAL,
			       "MORI_UNIQUE_ID is not %d hex digits, as `mori run` sets it",
			       2 * BOOT_UID_BYTES);
	if (config->world_size < 0 || config->rank < 0)
		return err_set(MORI_SHMEM_EINVAL, "MORI_UNIQUE_ID is set, but %s is not",
			       config->rank < 0 ? "MORI_RANK" : "MORI_WORLD_SIZE");
	job->way = BOOT_MORI_RUN;
	job->nranks = config->world_size;
	job->rank = config->rank;
	job->threads = config->threads < 0 ? 1 : config->threads;
	if (job->rank >= job->nranks || job->threads > job->nranks - job->rank)
		return err_set(
			MORI_SHMEM_EINVAL,
			"MORI_RANK=%d and MORI_THREADS=%d do not fit into MORI_WORLD_SIZE=%d",
			job->rank, job->threads, job->nranks);
	return 0;
}

/* 0 if torchrun's four variables are not there, 1 if they are and give *job. */
static int find_torchrun(struct boot_job *job)
{
	int size, rank;

	if (!getenv("RANK") || !getenv("WORLD_SIZE") || !getenv("MASTER_ADDR") ||
	    !getenv("MASTER_PORT"))
		return 0;
	job->way = BOOT_TORCHRUN;
	size = find_int("WORLD_SIZE", 1, INT_MAX, &job->nranks);
	rank = size > 0 ? find_int("RANK", 0, job->nranks - 1, &job->rank) : size;
	if (!size || !rank)
		return err_set(MORI_SHMEM_EINVAL, "%s is empty", size ? "RANK" : "WORLD_SIZE");
	return rank;
}

/* The number of processes that a launcher claims, 1 if none does, and its variable. */
static int find_claim(const char **variable)
{
	static const struct {
		const char *size, *only_with;
	} claims[] = {
		{ "OMPI_COMM_WORLD_SIZE", NULL },
		{ "PMI_SIZE", NULL },
		{ "SLURM_STEP_NUM_TASKS", "SLURM_PROCID" }, /* batch scripts are in no step */
		{ "WORLD_SIZE", "RANK" },
	};

	for (size_t i = 0; i < sizeof(claims) / sizeof(*claims); i++) {
		int n;

		*variable = claims[i].size;
		if (claims[i].only_with && !getenv(claims[i].only_with))
			continue;
		if (env_int(claims[i].size, 2, INT_MAX, &n) > 0)
			return n;
	}
	return 1;
}

/* Why the ways that were tried did not work. */
struct find_tries {
	char pmix[256], pmi[256], slurm[256];
};

/* @err, or 0 for a way that does not work here, and the text why. */
static int find_try(int err, char why[256])
{
	if (err != MORI_SHMEM_ENOTSUP)
		return err ? err : 1;
	snprintf(why, 256, "%s", err_text());
	return 0;
}

/* No way worked: the process is alone, unless a launcher says otherwise. */
static int find_alone(struct boot_job *job, const struct find_tries *tries)
{
	const char *variable = "";
	int claim = find_claim(&variable);

	*job = (struct boot_job){ .way = BOOT_ALONE, .nranks = 1, .threads = 1 };
	if (claim <= 1)
		return 0;
	return err_set(
		MORI_SHMEM_ENOTSUP,
		"%s=%d says that there are %d processes, but there is no way to connect them: "
		"not `mori run` (MORI_UNIQUE_ID), not PMIx (%s), not PMI (%s), not torchrun "
		"(MASTER_ADDR, MASTER_PORT), not srun (%s). Start with `mori run`, "
		"`srun --mpi=pmix` or mpirun, or use mori_shmem_init_mpi() of <mori/shmem_mpi.h>",
		variable, claim, claim,
		tries->pmix[0] ? tries->pmix : "PMIX_NAMESPACE and PMIX_RANK are not set",
		tries->pmi[0] ? tries->pmi : "PMI_FD, PMI_RANK and PMI_SIZE are not set",
		tries->slurm[0] ? tries->slurm : "there is no step");
}

static int find_by_torchrun(const struct boot_config *config, struct boot_job *job)
{
	if (job->nranks > 1)
		return torchrun_share(config, job);
	job->way = BOOT_ALONE;
	return 0;
}

/* Of the launchers whose variables are there, the first one that works. */
static int find_launched(const struct boot_config *config, struct boot_job *job)
{
	struct find_tries tries = { 0 };
	int err = 0, n;

	/* Its agents may run under PMIx, whose variables then speak of the agents. */
	if (getenv("TORCHELASTIC_RUN_ID")) {
		err = find_torchrun(job);
		if (err)
			return err > 0 ? find_by_torchrun(config, job) : err;
	}
	if (getenv("PMIX_NAMESPACE") && getenv("PMIX_RANK"))
		err = find_try(pmix_find(config, job), tries.pmix);
	if (!err && getenv("PMI_FD") && getenv("PMI_RANK") &&
	    env_int("PMI_SIZE", 2, INT_MAX, &n) > 0)
		err = find_try(pmi_find(config, job), tries.pmi);
	if (!err) {
		err = find_torchrun(job);
		if (err > 0)
			return find_by_torchrun(config, job);
	}
	if (!err && getenv("SLURM_PROCID") && env_int("SLURM_STEP_NUM_TASKS", 2, INT_MAX, &n) > 0)
		err = find_try(slurm_find(config, job), tries.slurm);
	if (err)
		return err < 0 ? err : 0;
	return find_alone(job, &tries);
}

int boot_find(const struct boot_config *config, struct boot_job *job)
{
	*job = (struct boot_job){ .way = BOOT_ALONE, .nranks = 1, .threads = 1 };
	if (config->unique_id)
		return find_mori_run(config, job);
	if (config->rank >= 0 || config->world_size >= 0)
		return err_set(MORI_SHMEM_EINVAL, "%s is set, but MORI_UNIQUE_ID is not",
			       config->rank >= 0 ? "MORI_RANK" : "MORI_WORLD_SIZE");
	return find_launched(config, job);
}
