// SPDX-License-Identifier: MIT
/* What the files of the mock driver share. */
#ifndef MORI_TESTS_MOCK_H
#define MORI_TESTS_MOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT	__attribute__((visibility("default")))
#define GRANULE ((size_t)2 << 20)
#define DEVICES 8 /* at most */

enum {
	OK,
	INVALID,
	NO_MEMORY,
	BAD_CONTEXT = 201,
	NO_IMAGE = 200,
	NOT_FOUND = 500,
	IS_PINNED = 712,
	NOT_PINNED = 713,
	NOT_PERMITTED = 800,
	NO_SUPPORT = 801
};

struct piece {
	struct piece *next;
	char *at;
	size_t len;
	int fd;
	bool range;   /* of addresses only */
	bool foreign; /* from another process */
};

/* What is in use. */
struct mock {
	pthread_mutex_t lock;
	struct piece *pieces;
	size_t used;
	long parts, streams, modules;
};

extern struct mock mock;

/* Memory of a device. */
size_t mock_memory(void);
/* Whether the thread has no context. */
bool no_context(void);
/* Whether GPUs are atomic on each other's memory; and whether an address is of another's. */
bool mock_atomics(void);
bool mock_foreign(uint64_t addr);
/*
 * Have the @n-th call of this thread from now that copies, clears or takes memory fail; 0:
 * none. Returns what was left of the number before: 0 if it has failed.
 */
int mockFail(int n);
/* Whether this thread's launches are refused, as a GPU that is full lets them wait. */
int mockFull(int full);
/* Counts one of these; whether it is the one. */
bool mock_fails(void);
/* What MOCK_CUDA_FABRIC says: "yes"; "only", without descriptors; "no": it refuses; NULL: none. */
const char *mock_fabric(void);

#endif
