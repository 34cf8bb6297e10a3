// SPDX-License-Identifier: MIT
/*
 * How a process finds its job: what started it has left variables in the
 * environment. A launcher that says there are several processes is believed: if
 * no way to meet them works, that is an error, never several jobs of one.
 */
#include "boot/find.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/uid.h"
#include "util/err.h"

int find_int(const char *name, int lo, int hi, int *value)
{
	const char *text = getenv(name);
	char *end;
	long v;

	if (!text)
		return 0;
	errno = 0;
	v = strtol(text, &end, 10);
	if (end == text || *end || errno || v < lo || v > hi || text[0] == ' ')
		return err_set(MORI_SHMEM_EINVAL, "%s='%s' is not a number from %d to %d", name,
			       text, lo, hi);
	*value = (int)v;
	return 1;
}

/* As find_int(), for a variable that must be there when @with is. */
static int find_needed(const char *name, const char *with, int lo, int hi, int *value)
{
	int got = find_int(name, lo, hi, value);

	if (got == 0)
		return err_set(MORI_SHMEM_EINVAL, "%s is set, but %s is not", with, name);
	return got < 0 ? got : 0;
}

static int find_mori_run(struct boot_job *job)
{
	static const char id[] = "MORI_UNIQUE_ID";
	const char *hex = getenv(id);
	int err;

	if (uid_from_hex(hex, job->uid))
		return err_set(MORI_SHMEM_EINVAL, "%s is not %d hex digits, as `mori run` sets it",
			       id, 2 * BOOT_UID_BYTES);
	job->way = BOOT_MORI_RUN;
	err = find_needed("MORI_WORLD_SIZE", id, 1, INT_MAX, &job->nranks);
	if (!err)
		err = find_needed("MORI_RANK", id, 0, INT_MAX, &job->rank);
	if (!err && find_int("MORI_THREADS", 1, INT_MAX, &job->threads) < 0)
		err = MORI_SHMEM_EINVAL;
	if (!err && (job->rank >= job->nranks || job->threads > job->nranks - job->rank))
		err = err_set(MORI_SHMEM_EINVAL,
			      "MORI_RANK=%d and MORI_THREADS=%d do not fit into MORI_WORLD_SIZE=%d",
			      job->rank, job->threads, job->nranks);
	return err;
}

/* 1 if torchrun's four variables are there. */
static int find_torchrun(struct boot_job *job)
{
	int err;

	if (!getenv("RANK") || !getenv("WORLD_SIZE") || !getenv("MASTER_ADDR") ||
	    !getenv("MASTER_PORT"))
		return 0;
	job->way = BOOT_TORCHRUN;
	err = find_needed("WORLD_SIZE", "RANK", 1, INT_MAX, &job->nranks);
	if (!err)
		err = find_needed("RANK", "WORLD_SIZE", 0, job->nranks - 1, &job->rank);
	return err ? err : 1;
}

/* What a launcher says of the number of processes, and its variable; 1 where none speaks. */
static int find_claim(const char **variable)
{
	static const struct {
		const char *size, *only_with;
	} claims[] = {
		{ "OMPI_COMM_WORLD_SIZE", NULL },
		{ "PMI_SIZE", NULL },
		{ "SLURM_NTASKS", "SLURM_PROCID" }, /* in a batch script alone it means nothing */
		{ "WORLD_SIZE", "RANK" },
	};

	for (size_t i = 0; i < sizeof(claims) / sizeof(*claims); i++) {
		const char *text = getenv(claims[i].size);

		if (!text || (claims[i].only_with && !getenv(claims[i].only_with)))
			continue;
		*variable = claims[i].size;
		if (atoi(text) > 1)
			return atoi(text);
	}
	return 1;
}

/* No way worked: alone, if nobody says otherwise. */
static int find_alone(struct boot_job *job, const char *pmix_why)
{
	const char *variable = "";
	int claim = find_claim(&variable);

	*job = (struct boot_job){ .way = BOOT_ALONE, .nranks = 1, .threads = 1 };
	if (claim <= 1)
		return 0;
	return err_set(
		MORI_SHMEM_ENOTSUP,
		"%s=%d says that there are %d processes, but there is no way to meet them: "
		"not `mori run` (MORI_UNIQUE_ID), not PMIx (%s), not torchrun (MASTER_ADDR, "
		"MASTER_PORT). Use mori_shmem_init_mpi() of <mori/shmem_mpi.h>, or start with "
		"`mori run`",
		variable, claim, claim,
		pmix_why ? pmix_why : "PMIX_NAMESPACE and PMIX_RANK are not set");
}

static int find_by_torchrun(const struct boot_config *config, struct boot_job *job)
{
	if (job->nranks > 1)
		return torchrun_share(config, job);
	job->way = BOOT_ALONE;
	return 0;
}

int boot_find(const struct boot_config *config, struct boot_job *job)
{
	char why[256];
	int err;

	*job = (struct boot_job){ .way = BOOT_ALONE, .nranks = 1, .threads = 1 };
	if (getenv("MORI_UNIQUE_ID"))
		return find_mori_run(job);
	if (getenv("MORI_RANK") || getenv("MORI_WORLD_SIZE"))
		return err_set(MORI_SHMEM_EINVAL, "%s is set, but MORI_UNIQUE_ID is not",
			       getenv("MORI_RANK") ? "MORI_RANK" : "MORI_WORLD_SIZE");
	/* Its agents may run under PMIx, whose variables then speak of the agents. */
	if (getenv("TORCHELASTIC_RUN_ID")) {
		err = find_torchrun(job);
		if (err)
			return err > 0 ? find_by_torchrun(config, job) : err;
	}
	why[0] = '\0';
	if (getenv("PMIX_NAMESPACE") && getenv("PMIX_RANK")) {
		err = pmix_find(config, job);
		if (err != MORI_SHMEM_ENOTSUP)
			return err;
		snprintf(why, sizeof(why), "%s", err_text());
	}
	err = find_torchrun(job);
	if (err > 0)
		return find_by_torchrun(config, job);
	return err ? err : find_alone(job, why[0] ? why : NULL);
}
