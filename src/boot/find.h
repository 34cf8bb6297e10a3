// SPDX-License-Identifier: MIT
/* The ways to find a job that need more than a look at the environment. */
#ifndef MORI_BOOT_FIND_H
#define MORI_BOOT_FIND_H

#include "boot/boot.h"

/* 1 and *value; 0 if @name is not set; MORI_SHMEM_EINVAL for what is no number in lo .. hi. */
int find_int(const char *name, int lo, int hi, int *value);

/*
 * PMIx: fill *job, or MORI_SHMEM_ENOTSUP with a text if there is no libpmix or it
 * does not answer. Call it only in a process that PMIx started.
 */
int pmix_find(const struct boot_config *config, struct boot_job *job);

/* torchrun: *job has rank and size already; share the id. */
int torchrun_share(const struct boot_config *config, struct boot_job *job);

#endif
