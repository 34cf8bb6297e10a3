// SPDX-License-Identifier: MIT
/*
 * The target that this is compiled for: the lanes of a call, ordered loads and stores,
 * atomics, copies, waits and the record of a failure. Each has the same names, so that the
 * bodies of the operations are one text; target_host.h is the contract in its plainest form.
 */
#ifndef MORI_TARGET_TARGET_H
#define MORI_TARGET_TARGET_H

#include "target/base.h"

#if TGT_GPU
#include "target/group.h"
#include "target/kernel.h"
#elif defined(MORI_CPU_KERNEL)
#include "target/kernel.h"
#else
#include "target/target_host.h"
#endif

/*
 * tgt_share() gives the value of the lane that leads to all lanes. A call that shares starts with
 * tgt_share_mark(), which may take long. tgt_share_rare() is for what is rarely shared.
 */
#ifndef __NVPTX__
#define tgt_share_mark(scope)	  0
#define tgt_share(scope, mark, v) ((void)(mark), tgt_share_rare(scope, v))
#endif

/*
 * tgt_agree(): tgt_any() for errors in a request. TGT_VOTES: its result is the same for all lanes.
 */
#ifdef __AMDGCN__
#define TGT_VOTES 0
#else
#define TGT_VOTES 1
#define tgt_agree tgt_any
#endif

/* Gives the status of the lane that leads to all lanes; on a GPU success costs next to nothing. */
DEV_INLINE int dev_share_status(enum dev_scope scope, int err)
{
#if TGT_GPU
	return dev_likely(!tgt_any(scope, err != 0)) ? 0 :
						       (int)tgt_share_rare(scope, (uint64_t)err);
#else
	return (int)tgt_share_rare(scope, (uint64_t)err);
#endif
}

#endif
