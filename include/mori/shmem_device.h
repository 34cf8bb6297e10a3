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

#endif
