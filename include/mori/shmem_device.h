// SPDX-License-Identifier: MIT
/*
 * MORI Shmem for kernels: every operation in thread, warp and block scope, and
 * where a thread stands in its grid. C11, for the targets nvptx64, amdgcn and, with
 * kernels on the CPU, x86_64; also beside <mori/shmem.h> in a host program, where
 * a host thread is a thread and only the thread-scope names can be linked.
 *
 * Warp and block forms are collective: every lane calls them with the same
 * arguments and gets the same result.
 */
#ifndef MORI_SHMEM_DEVICE_H
#define MORI_SHMEM_DEVICE_H

#include <mori/shmem_list.h>
#include <mori/shmem_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* MORI_KERNEL on a function that is launched, MORI_SHARED on memory of a block. */
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

#define MORI__CTX_PARAMS(...) (uint64_t ctx, __VA_ARGS__)
#define MORI__DEVICE_STATUS(name, params, call)                                                    \
	int mori_shmem_##name params;                                                              \
	int mori_shmem_ctx_##name MORI__CTX_PARAMS params;
#define MORI__DEVICE_VALUE(ret, bad, name, params, call)                                           \
	ret mori_shmem_##name params;                                                              \
	ret mori_shmem_ctx_##name MORI__CTX_PARAMS params;
#define MORI__DEVICE_VALUE0(ret, bad, name, call)                                                  \
	ret mori_shmem_##name(void);                                                               \
	ret mori_shmem_ctx_##name(uint64_t ctx);
#define MORI__DEVICE_STATUS0(name, call) MORI__DEVICE_VALUE0(int, 0, name, call)
MORI_DEVICE_OPS(MORI__DEVICE_STATUS, MORI__DEVICE_VALUE, MORI__DEVICE_STATUS0, MORI__DEVICE_VALUE0)

#define MORI__DEVICE_GRID(ret, name) ret name(void);
MORI_GRID_OPS(MORI__DEVICE_GRID)

#ifdef __cplusplus
}
#endif
#endif
