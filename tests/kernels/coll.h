// SPDX-License-Identifier: MIT
/* What kern_coll.c asks its kernels for. */
#ifndef MORI_TESTS_KERNELS_COLL_H
#define MORI_TESTS_KERNELS_COLL_H

#include <stdint.h>

enum coll_kind {
	COLL_SYNC,
	COLL_BARRIER,
	COLL_BROADCAST,
	COLL_FCOLLECT,
	COLL_COLLECT,
	COLL_ALLTOALL,
	COLL_REDUCE,
	COLL_REDUCESCATTER,
	COLL_KINDS
};

struct coll_call {
	void *dest;
	const void *src;
	uint64_t count, ctx;
	int32_t team, kind, dtype, op, root;
};

#endif
