// SPDX-License-Identifier: MIT
/*
 * The device library: every operation of the list, as a kernel calls it, on the
 * module's state or on the context it is given. The bodies are shared and stay
 * functions here; the final link of a kernel inlines what it uses.
 */
#define DEV_LIBRARY /* its functions are deferred: target/base.h */

#include "abi/opcodes.h"
#include "dev/atomic.h"
#include "dev/barrier.h"
#include "dev/collective.h"
#include "dev/order.h"
#include "dev/quick.h"
#include "dev/rma.h"
#include "dev/wait.h"
#include "ops/shmem_list.h"

#include <mori/shmem_device.h>

/* Protected: the host finds it in the kernel's image, and the kernel its own. */
__attribute__((visibility("protected"))) struct dev_link globalGpuStates = {
	sizeof(struct dev_state), DEV_ABI, TGT_UNSET, TGT_P2P_ONLY ? DEV_LINK_P2P_ONLY : 0, 0
};

/* The host fills it in after the module was loaded, before the launch. */
DEV_DEFER struct dev_state *lib_state(void)
{
	return tgt_state(globalGpuStates.state);
}

DEV_DEFER struct dev_state *lib_context(uint64_t ctx)
{
	return tgt_context(ctx);
}

/* Ready between module_init and finalize: the block outlives its PE. */
DEV_DEFER bool lib_ready(const struct dev_state *st)
{
	return st &&
	       (TGT_NO_LOST_CHECK ? DEV_FIXED(st, life) : tgt_peek_32(&st->life)) == DEV_LIFE_OPEN;
}

/*
 * The PE has finalized; its block counts the call. Without a block the failure cannot be recorded:
 * the module was never passed to mori_shmem_module_init(), or the context is 0, and the launch
 * ends.
 */
DEV_OUTLINE int lib_closed(struct dev_state *st)
{
	if (st && tgt_load_relaxed_32(&st->life) == DEV_LIFE_FINALIZED)
		return tgt_count_late(st);
#ifdef MORI_CPU_KERNEL
	if (mori_cpu_grid)
		mori_cpu_grid->no_state = 1;
#endif
	__builtin_trap();
}

DEV_DEFER int lib_name(struct dev_state *st, enum dev_op op, int err)
{
	return dev_likely(!err) ? 0 : tgt_sign(st, op, err);
}

#define LIB_OPEN(...) __VA_ARGS__

/*
 * A body in the form that its names call, so that each of the many names is just one call. @what:
 * the name that was called. @quick: whether the quick path has done the work.
 */
#define LIB_BODY(body, params, args, quick)                                                        \
	DEV_DEFER int lib_##body(struct dev_state *st, enum dev_op what, LIB_OPEN params)          \
	{                                                                                          \
		if (quick)                                                                         \
			return 0;                                                                  \
		if (!lib_ready(st))                                                                \
			return lib_closed(st);                                                     \
		return lib_name(st, what, dev_##body(st, LIB_OPEN args));                          \
	}
#define BODY(body, params, args) LIB_BODY(body, params, args, false)
#if TGT_QUICK
#define BODY_QUICK(body, params, args)                                                             \
	LIB_BODY(body, params, args, dev_quick_##body(st, LIB_OPEN args))
#else
#define BODY_QUICK BODY
#endif

#include "dev/bodies.def"

#define RUN(body, ...)	     lib_##body(st, what, ##__VA_ARGS__)
#define RUN_VALUE(body, ...) lib_##body(st, what, &result, ##__VA_ARGS__)
#define CTX		     lib_context(ctx)

#define STATUS_BODY(name, find, call)                                                              \
	enum dev_op what = DEV_OP_##name;                                                          \
	struct dev_state *st;                                                                      \
	st = find;                                                                                 \
	return RUN call;
#define VALUE_BODY(ret, bad, name, find, call)                                                     \
	enum dev_op what = DEV_OP_##name;                                                          \
	struct dev_state *st;                                                                      \
	st = find;                                                                                 \
	ret result = bad;                                                                          \
	(void)RUN_VALUE call;                                                                      \
	return result;

#define DEFINE_STATUS(name, params, call)                                                          \
	int mori_shmem_##name params                                                               \
	{                                                                                          \
		STATUS_BODY(name, lib_state(), call)                                               \
	}                                                                                          \
	int mori_shmem_ctx_##name MORI_CTX_PARAMS params                                           \
	{                                                                                          \
		STATUS_BODY(name, CTX, call)                                                       \
	}
#define DEFINE_VALUE(ret, bad, name, params, call)                                                 \
	ret mori_shmem_##name params{                                                              \
		VALUE_BODY(ret, bad, name, lib_state(), call)                                      \
	} ret mori_shmem_ctx_##name MORI_CTX_PARAMS params                                         \
	{                                                                                          \
		VALUE_BODY(ret, bad, name, CTX, call)                                              \
	}
#define DEFINE_STATUS0(name, call)                                                                 \
	int mori_shmem_##name(void)                                                                \
	{                                                                                          \
		STATUS_BODY(name, lib_state(), call)                                               \
	}                                                                                          \
	int mori_shmem_ctx_##name(uint64_t ctx)                                                    \
	{                                                                                          \
		STATUS_BODY(name, CTX, call)                                                       \
	}
#define DEFINE_VALUE0(ret, bad, name, call)                                                        \
	ret mori_shmem_##name(void){ VALUE_BODY(ret, bad, name, lib_state(),                       \
						call) } ret mori_shmem_ctx_##name(uint64_t ctx)    \
	{                                                                                          \
		VALUE_BODY(ret, bad, name, CTX, call)                                              \
	}

/* The final link of a kernel for a GPU inlines the names in any case, and does so first. */
#if TGT_GPU
#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)
#endif
MORI_DEVICE_OPS(DEFINE_STATUS, DEFINE_VALUE, DEFINE_STATUS0, DEFINE_VALUE0)
#if TGT_GPU
#pragma clang attribute pop
#endif

DEV_API uint64_t mori_clock_ns(void)
{
	return tgt_now_ns();
}

#ifndef MORI_CPU_KERNEL
/* As many bytes as the launch requested, after the variables of the kernel. */
extern __attribute__((address_space(3), aligned(16))) char mori_dynamic_shared[];

DEV_INLINE void *tgt_shared_memory(void)
{
	return (void *)mori_dynamic_shared;
}
#endif

DEV_API void *mori_shared_memory(void)
{
	return tgt_shared_memory();
}
