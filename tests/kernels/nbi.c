// SPDX-License-Identifier: MIT
/* Every copy that leaves its end to quiet, once a scope. */
#include "nbi.h"

#include <mori/shmem_device.h>

/* Call @n: where its data is, and its result. */
#define ONE(n, call)                                                                               \
	do {                                                                                       \
		i = (n);                                                                           \
		at = i * (uint64_t)NBI_BYTES;                                                      \
		err = call;                                                                        \
		status[i] = err;                                                                   \
	} while (0)
#define NBI(family, call)                                                                          \
	do {                                                                                       \
		if (!mori_thread_id())                                                             \
			ONE(family *NBI_SCOPES, call(thread));                                     \
		ONE(family *NBI_SCOPES + 1, call(warp));                                           \
		ONE(family *NBI_SCOPES + 2, call(block));                                          \
	} while (0)

#define PUT(scope)     mori_shmem_putmem_nbi_##scope(to + at, src + at, NBI_BYTES, pe, 0)
#define PUT_OBJ(scope) mori_shmem_putmem_nbi_obj_##scope(o[0], at, o[1], at, NBI_BYTES, pe, 0)
#define PUT_SIGNAL(scope)                                                                          \
	mori_shmem_putmem_nbi_signal_##scope(to + at, src + at, NBI_BYTES, sig + i, 1,             \
					     MORI_SHMEM_SIGNAL_ADD, pe, 0)
#define PUT_SIGNAL_OBJ(scope)                                                                      \
	mori_shmem_putmem_nbi_signal_obj_##scope(o[0], at, o[1], at, NBI_BYTES, o[2], i * 8, 1,    \
						 MORI_SHMEM_SIGNAL_ADD, pe, 0)
#define GET(scope)     mori_shmem_getmem_nbi_##scope(src + at, to + at, NBI_BYTES, pe, 0)
#define GET_OBJ(scope) mori_shmem_getmem_nbi_obj_##scope(o[1], at, o[0], at, NBI_BYTES, pe, 0)

/*
 * By one block, a warp: call i copies NBI_BYTES from @src to @to, or for gets from @to to @src,
 * at i * NBI_BYTES, and adds 1 to @sig[i]. @status has a place a call.
 */
MORI_KERNEL void nbi(int32_t *status, char *to, char *src, uint64_t *sig, void *objects, int32_t pe)
{
	mori_shmem_memobj_t *o = objects;
	uint64_t i, at;
	int32_t err;

	NBI(NBI_PUT, PUT);
	NBI(NBI_PUT_OBJ, PUT_OBJ);
	NBI(NBI_PUT_SIGNAL, PUT_SIGNAL);
	NBI(NBI_PUT_SIGNAL_OBJ, PUT_SIGNAL_OBJ);
	NBI(NBI_GET, GET);
	NBI(NBI_GET_OBJ, GET_OBJ);
}

MORI_KERNEL void nbi_end(int32_t *status)
{
	status[0] = mori_shmem_quiet_thread();
}
