// SPDX-License-Identifier: MIT
/*
 * Plain srun, without PMIx and PMI: the processes know the hosts of their step, and the numbers of
 * job and step. The first process on the first host opens the rendezvous; that need not be rank 0,
 * since ranks may be distributed in any way.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/find.h"
#include "boot/publish.h"
#include "boot/wire.h"
#include "util/err.h"

/* As find_int(), and a variable that is missing is ENOTSUP. */
static int slurm_int(const char *name, int lo, int hi, int *value)
{
	int got = find_int(name, lo, hi, value);

	return got ? (got > 0 ? 0 : got) : err_set(MORI_SHMEM_ENOTSUP, "srun has not set %s", name);
}

int slurm_first_host(const char *list, char *host, size_t size)
{
	size_t n = 0;

	for (; *list && *list != ','; list++) {
		if (*list == '[') { /* the first number of a list of ranges */
			size_t digits = strspn(++list, "0123456789"), end = strcspn(list, "]");

			if (!digits || !list[end] || n + digits >= size)
				return -1;
			memcpy(host + n, list, digits);
			n += digits;
			list += end;
		} else {
			if (n + 1 >= size)
				return -1;
			host[n++] = *list;
		}
	}
	host[n] = '\0';
	return n ? 0 : -1;
}

static const char *slurm_text(const char *name)
{
	const char *text = getenv(name);

	return text ? text : "";
}

int slurm_find(const struct boot_config *config, struct boot_job *job)
{
	struct publish p = { .way = "srun",
			     .named = "the first host of SLURM_STEP_NODELIST",
			     .instead = "; `srun --mpi=pmix` needs no names of hosts" };
	const char *hosts = slurm_text("SLURM_STEP_NODELIST"), *step = slurm_text("SLURM_STEP_ID");
	int node, local, n_nodes;
	int err = slurm_int("SLURM_STEP_NUM_TASKS", 1, INT_MAX, &job->nranks);

	job->way = BOOT_SLURM;
	if (!err)
		err = slurm_int("SLURM_PROCID", 0, job->nranks - 1, &job->rank);
	if (!err)
		err = slurm_int("SLURM_NODEID", 0, INT_MAX, &node);
	if (!err)
		err = slurm_int("SLURM_LOCALID", 0, INT_MAX, &local);
	if (!err)
		err = slurm_int("SLURM_STEP_NUM_NODES", 1, INT_MAX, &n_nodes);
	if (err)
		return err;
	if (slurm_first_host(hosts, p.addr, sizeof(p.addr)))
		return err_set(MORI_SHMEM_ENOTSUP, "SLURM_STEP_NODELIST='%s' names no host", hosts);
	p.here = node == 0 && local == 0;
	p.ifname = config->ifname;
	if (n_nodes == 1) { /* the host's name need not be known then, nor the others hear of it */
		strcpy(p.addr, "127.0.0.1");
		p.ifname = "lo";
	}
	snprintf(p.from, sizeof(p.from), "job %.20s, step %.20s", slurm_text("SLURM_JOB_ID"), step);
	snprintf(p.job, sizeof(p.job), "srun|%s|%s|%s|%s|%d", slurm_text("SLURM_CLUSTER_NAME"),
		 slurm_text("SLURM_JOB_ID"), slurm_text("SLURM_RESTART_COUNT"), step, job->nranks);
	p.number = wire_hash(5, p.job, strlen(p.job));
	return publish_share(&p, config, job);
}
