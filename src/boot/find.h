// SPDX-License-Identifier: MIT
/* The ways to find a job that take more than reading the environment. */
#ifndef MORI_BOOT_FIND_H
#define MORI_BOOT_FIND_H

#include "boot/boot.h"

/* As env_int(), with MORI_SHMEM_EINVAL and its text for a value that is not such a number. */
int find_int(const char *name, int lo, int hi, int *value);

/*
 * PMIx: fill *job, or MORI_SHMEM_ENOTSUP with a text if there is no libpmix or it
 * does not answer. Call it only in a process that PMIx started.
 */
int pmix_find(const struct boot_config *config, struct boot_job *job);

/*
 * PMI, versions 1 and 2: the same, in a process that PMI_FD, PMI_RANK and PMI_SIZE tell of several.
 */
int pmi_find(const struct boot_config *config, struct boot_job *job);

/* srun: the same, in a process of a step, by what is in the environment of each. */
int slurm_find(const struct boot_config *config, struct boot_job *job);
/* The first host of Slurm's notation: "n1" of "n[1-2,7],x3". 0, or -1 if there is none. */
int slurm_first_host(const char *list, char *host, size_t size);

/* torchrun: *job has rank and size already; share the id. */
int torchrun_share(const struct boot_config *config, struct boot_job *job);

#endif
