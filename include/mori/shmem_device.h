// SPDX-License-Identifier: MIT
/*
 * MORI Shmem for kernels: every operation in thread, warp and block scope, and
 * the position of a thread in its grid. C11, for the targets nvptx64, amdgcn and, with
 * kernels on the CPU, x86_64; also beside <mori/shmem.h> in a host program, where
 * only the thread-scope names can be linked.
 *
 * Warp and block forms are collective: every lane calls them with the same
 * arguments and gets the same result.
 */
#ifndef MORI_SHMEM_DEVICE_H
#define MORI_SHMEM_DEVICE_H

#include <mori/shmem_device_ops.h>
#include <mori/shmem_types.h>

/* MORI_KERNEL marks a function that is launched, MORI_SHARED a variable of a block. */
#if defined(__NVPTX__)
#define MORI_KERNEL __attribute__((nvptx_kernel))
#define MORI_SHARED static __attribute__((address_space(3), loader_uninitialized))
#elif defined(__AMDGCN__)
#define MORI_KERNEL __attribute__((amdgpu_kernel, visibility("protected")))
#define MORI_SHARED static __attribute__((address_space(3), loader_uninitialized))
#elif defined(__clang__)
#define MORI_KERNEL __attribute__((annotate("mori_kernel"), visibility("default")))
#define MORI_SHARED static __attribute__((section("mori_shared")))
#endif

/*
 * clang 19 for AMD takes the third object of a call for one in the lane's own memory, wherever it
 * is: so it becomes a copy there.
 */
#if defined(__AMDGCN__) && !defined(DEV_LIBRARY)
#define MORI__OWN(object)                                                                          \
	__extension__({                                                                            \
		mori_shmem_memobj_t mori__own = (object);                                          \
		mori__own;                                                                         \
	})
#define MORI__OWN_SIG(name, to, to_off, from, from_off, bytes, sig, ...)                           \
	(name)(to, to_off, from, from_off, bytes, MORI__OWN(sig), __VA_ARGS__)
#define MORI__OWN_SIG_CTX(name, ctx, to, to_off, from, from_off, bytes, sig, ...)                  \
	(name)(ctx, to, to_off, from, from_off, bytes, MORI__OWN(sig), __VA_ARGS__)
#define mori_shmem_putmem_signal_obj_thread(...)                                                   \
	MORI__OWN_SIG(mori_shmem_putmem_signal_obj_thread, __VA_ARGS__)
#define mori_shmem_ctx_putmem_signal_obj_thread(...)                                               \
	MORI__OWN_SIG_CTX(mori_shmem_ctx_putmem_signal_obj_thread, __VA_ARGS__)
#define mori_shmem_putmem_signal_obj_warp(...)                                                     \
	MORI__OWN_SIG(mori_shmem_putmem_signal_obj_warp, __VA_ARGS__)
#define mori_shmem_ctx_putmem_signal_obj_warp(...)                                                 \
	MORI__OWN_SIG_CTX(mori_shmem_ctx_putmem_signal_obj_warp, __VA_ARGS__)
#define mori_shmem_putmem_signal_obj_block(...)                                                    \
	MORI__OWN_SIG(mori_shmem_putmem_signal_obj_block, __VA_ARGS__)
#define mori_shmem_ctx_putmem_signal_obj_block(...)                                                \
	MORI__OWN_SIG_CTX(mori_shmem_ctx_putmem_signal_obj_block, __VA_ARGS__)
#define mori_shmem_putmem_nbi_signal_obj_thread(...)                                               \
	MORI__OWN_SIG(mori_shmem_putmem_nbi_signal_obj_thread, __VA_ARGS__)
#define mori_shmem_ctx_putmem_nbi_signal_obj_thread(...)                                           \
	MORI__OWN_SIG_CTX(mori_shmem_ctx_putmem_nbi_signal_obj_thread, __VA_ARGS__)
#define mori_shmem_putmem_nbi_signal_obj_warp(...)                                                 \
	MORI__OWN_SIG(mori_shmem_putmem_nbi_signal_obj_warp, __VA_ARGS__)
#define mori_shmem_ctx_putmem_nbi_signal_obj_warp(...)                                             \
	MORI__OWN_SIG_CTX(mori_shmem_ctx_putmem_nbi_signal_obj_warp, __VA_ARGS__)
#define mori_shmem_putmem_nbi_signal_obj_block(...)                                                \
	MORI__OWN_SIG(mori_shmem_putmem_nbi_signal_obj_block, __VA_ARGS__)
#define mori_shmem_ctx_putmem_nbi_signal_obj_block(...)                                            \
	MORI__OWN_SIG_CTX(mori_shmem_ctx_putmem_nbi_signal_obj_block, __VA_ARGS__)
#endif

#endif
