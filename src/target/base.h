// SPDX-License-Identifier: MIT
/* What every target builds on: how functions are inlined, and what a target must provide. */
#ifndef MORI_TARGET_BASE_H
#define MORI_TARGET_BASE_H

#include "abi/scope.h"
#include "abi/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEV_NS_DEFAULT UINT64_MAX /* waits: as long as MORI_SHMEM_WAIT_TIMEOUT says */

#if defined(__NVPTX__) || defined(__AMDGCN__)
#define TGT_GPU 1
#else
#define TGT_GPU 0
#endif

/*
 * How functions are inlined. A GPU's kernel is compiled while somebody waits, so that each of them
 * has one of three ways to get into it:
 *
 *              in the device library of a GPU           of a CPU           in the host library
 * DEV_INLINE   is in its callers                        as for a GPU       as for a GPU
 * DEV_DEFER    a function, optimised there once;        left to that link  a function
 *              the final link of a kernel inlines it
 * DEV_OUTLINE  a function, and a call in the kernel     as for a GPU       as for a GPU
 *
 * DEV_INLINE is for the parts of a body: what is constant in the call is constant in it. It costs a
 * copy per caller.
 * DEV_DEFER is for the bodies behind the names of the list: 1308 names hold one call each. Inlined
 * at once, they made the library for NVIDIA 3.3 MB instead of 0.36 MB, and linking and optimising a
 * put with a signal and a wait took 0.27 s instead of 0.10 s.
 * DEV_OUTLINE is for what is rare, waits anyway or posts to NICs. It costs a call there. Inlined, it
 * gave kernels with queues 255 registers instead of 112 and three times the code, and compiling one
 * took 6.8 s instead of 1.2 s. On the way to a P2P peer such a function calls no other, so that
 * kernels without queues need no stack.
 */
#define DEV_INLINE  static inline __attribute__((always_inline, unused))
#define DEV_OUTLINE static __attribute__((noinline, cold, unused))
#if TGT_GPU && defined(DEV_LIBRARY)
/* tools/bitcode_attrs.c recognises the section and replaces noinline by its opposite. */
#define DEV_DEFER static __attribute__((noinline, unused, section("mori.defer")))
#elif TGT_GPU
#define DEV_DEFER DEV_INLINE
#elif defined(MORI_CPU_KERNEL)
#define DEV_DEFER static inline __attribute__((unused))
#else
#define DEV_DEFER static __attribute__((noinline, unused))
#endif

/* A function that the device library exports. */
#define DEV_API

/* 1: the library without queues, for kernels whose peers all have load and store. */
#ifdef MORI_P2P_ONLY
#define TGT_P2P_ONLY 1
#else
#define TGT_P2P_ONLY 0
#endif

DEV_INLINE bool dev_likely(bool x)
{
	return __builtin_expect(x, 1);
}

/* Whether a wait of @ns is over at @now. *end is 0 at first, and then the time at which it ends. */
DEV_INLINE bool tgt_wait_over(uint64_t now, uint64_t ns, uint64_t *end)
{
	if (!*end && __builtin_add_overflow(now, ns, end))
		*end = UINT64_MAX;
	return now >= *end;
}

/*
 * On GPUs, where a load takes as long as an operation, operations do not check for lost PEs, whose
 * memory stays mapped. Waits, barriers and quiet do.
 */
#define TGT_NO_LOST_CHECK TGT_GPU

/*
 * DEV_FIXED reads a word of the state that never changes, DEV_FIXED_AT such a word elsewhere.
 * TGT_UNSET is a module's state before mori_shmem_module_init(); tgt_state() reads a module's
 * state, tgt_context() one that the caller names. TGT_QUICK: neither returns NULL; see quick.h.
 * TGT_HIDE hides what the compiler knows of @x: it would, for example, keep every multiple of a
 * stride in a register, and a block of many threads does not have that many.
 */
#ifndef __NVPTX__
#define DEV_FIXED(st, field) ((st)->field)
#define DEV_FIXED_AT(p)	     (*(p))
#define TGT_UNSET	     NULL
#define TGT_QUICK	     0
#define tgt_state(p)	     ((struct dev_state *)tgt_pointer((uint64_t)(uintptr_t)(p)))
#define tgt_context(ctx)     ((struct dev_state *)tgt_pointer(ctx))
#define TGT_HIDE(x)	     ((void)(x))
#endif

#endif
