// SPDX-License-Identifier: MIT
/*
 * The messages of PMI, versions 1 and 2, on the socket PMI_FD that a launcher leaves in each of its
 * processes: keys with text values that all processes of the job can read after a fence.
 *
 * Every call that can fail returns 0 or a MORI_SHMEM_E* and sets its text. After a failure the
 * stream of messages may be out of step: make no further call.
 */
#ifndef MORI_BOOT_PMI_WIRE_H
#define MORI_BOOT_PMI_WIRE_H

#include <stdint.h>

#define PMI_MESSAGE 2048

struct pmi_link {
	int fd;
	int version; /* 1: lines; 2: a length of six characters before each message */
	int64_t deadline;
	char space[256]; /* version 1: names the job's keys */
};

/* Agrees on a version: @first if the launcher speaks it, else the other one. */
int pmi_open(struct pmi_link *link, int first);
int pmi_put(struct pmi_link *link, const char *key, const char *value);
/* Waits for all processes of the job. */
int pmi_fence(struct pmi_link *link);
int pmi_get(struct pmi_link *link, const char *key, char *value, unsigned size);
int pmi_close(struct pmi_link *link);

#endif
