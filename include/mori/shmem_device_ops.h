// SPDX-License-Identifier: MIT
/* generated from src/ops/shmem_list.h: run make generate */
/* clang-format off */
/*
 * The operations that kernels can call, in thread, warp and block scope. <mori/shmem_device.h> includes this file.
 * docs/operations.md says more about each family, docs/memory-model.md about order.
 */
#ifndef MORI_SHMEM_DEVICE_OPS_H
#define MORI_SHMEM_DEVICE_OPS_H

#include <mori/shmem_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Family: query */

/** The number of this PE. Return: 0 and up; MORI_SHMEM_ESTATE if the thread acts for no PE. */
int mori_shmem_my_pe(void);
/** mori_shmem_my_pe() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_my_pe(uint64_t ctx);
/** The number of PEs. Return: 1 and up; MORI_SHMEM_ESTATE if the thread acts for no PE. */
int mori_shmem_n_pes(void);
/** mori_shmem_n_pes() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_n_pes(uint64_t ctx);
/** Read the sticky status of this PE without clearing it. Return: 0 or MORI_SHMEM_E* of the first failure. */
int mori_shmem_status(void);
/** mori_shmem_status() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_status(uint64_t ctx);
/** Find where load and store reach, at PE @dest_pe, what @addr is in the heap of PE @my_pe. Return: the address; 0 if they do not reach it. */
uint64_t mori_shmem_ptr_p2p(uint64_t addr, int my_pe, int dest_pe);
/** mori_shmem_ptr_p2p() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_ptr_p2p(uint64_t ctx, uint64_t addr, int my_pe, int dest_pe);
/** Find where load and store reach, at PE @pe, what the symmetric address @addr is here. Return: the address; 0 if they do not reach it. */
uint64_t mori_shmem_ptr(uint64_t addr, int pe);
/** mori_shmem_ptr() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_ptr(uint64_t ctx, uint64_t addr, int pe);

/* Family: put */

/** Start copying @bytes bytes from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_nbi_thread(void *dest, const void *src, size_t bytes, int pe, int qp);
/** mori_shmem_putmem_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_nbi_thread(uint64_t ctx, void *dest, const void *src, size_t bytes, int pe, int qp);
/** Copy @bytes bytes from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_thread(void *dest, const void *src, size_t bytes, int pe, int qp);
/** mori_shmem_putmem_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_thread(uint64_t ctx, void *dest, const void *src, size_t bytes, int pe, int qp);
/** Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint8_nbi_thread(uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint8_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint8_nbi_thread(uint64_t ctx, uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint8_thread(uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint8_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint8_thread(uint64_t ctx, uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int8_nbi_thread(int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int8_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int8_nbi_thread(uint64_t ctx, int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int8_thread(int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int8_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int8_thread(uint64_t ctx, int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_schar_nbi_thread(signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_schar_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_schar_nbi_thread(uint64_t ctx, signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_schar_thread(signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_schar_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_schar_thread(uint64_t ctx, signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint16_nbi_thread(uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint16_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint16_nbi_thread(uint64_t ctx, uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint16_thread(uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint16_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint16_thread(uint64_t ctx, uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int16_nbi_thread(int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int16_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int16_nbi_thread(uint64_t ctx, int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int16_thread(int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int16_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int16_thread(uint64_t ctx, int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint32_nbi_thread(uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint32_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint32_nbi_thread(uint64_t ctx, uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint32_thread(uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint32_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint32_thread(uint64_t ctx, uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int32_nbi_thread(int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int32_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int32_nbi_thread(uint64_t ctx, int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int32_thread(int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int32_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int32_thread(uint64_t ctx, int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint64_nbi_thread(uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint64_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint64_nbi_thread(uint64_t ctx, uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint64_thread(uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint64_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint64_thread(uint64_t ctx, uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int64_nbi_thread(int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int64_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int64_nbi_thread(uint64_t ctx, int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int64_thread(int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int64_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int64_thread(uint64_t ctx, int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_float_nbi_thread(float *dest, const float *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_float_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_float_nbi_thread(uint64_t ctx, float *dest, const float *src, size_t nelems, int pe, int qp);
/** Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_float_thread(float *dest, const float *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_float_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_float_thread(uint64_t ctx, float *dest, const float *src, size_t nelems, int pe, int qp);
/** Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_double_nbi_thread(double *dest, const double *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_double_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_double_nbi_thread(uint64_t ctx, double *dest, const double *src, size_t nelems, int pe, int qp);
/** Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_double_thread(double *dest, const double *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_double_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_double_thread(uint64_t ctx, double *dest, const double *src, size_t nelems, int pe, int qp);

/* Family: get */

/** Start copying @bytes bytes from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_getmem_nbi_thread(void *dest, const void *src, size_t bytes, int pe, int qp);
/** mori_shmem_getmem_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_getmem_nbi_thread(uint64_t ctx, void *dest, const void *src, size_t bytes, int pe, int qp);
/** Copy @bytes bytes from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_getmem_thread(void *dest, const void *src, size_t bytes, int pe, int qp);
/** mori_shmem_getmem_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_getmem_thread(uint64_t ctx, void *dest, const void *src, size_t bytes, int pe, int qp);
/** Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint8_nbi_thread(uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint8_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint8_nbi_thread(uint64_t ctx, uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint8_thread(uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint8_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint8_thread(uint64_t ctx, uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int8_nbi_thread(int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int8_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int8_nbi_thread(uint64_t ctx, int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int8_thread(int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int8_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int8_thread(uint64_t ctx, int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_schar_nbi_thread(signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_schar_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_schar_nbi_thread(uint64_t ctx, signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_schar_thread(signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_schar_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_schar_thread(uint64_t ctx, signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint16_nbi_thread(uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint16_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint16_nbi_thread(uint64_t ctx, uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint16_thread(uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint16_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint16_thread(uint64_t ctx, uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int16_nbi_thread(int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int16_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int16_nbi_thread(uint64_t ctx, int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int16_thread(int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int16_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int16_thread(uint64_t ctx, int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint32_nbi_thread(uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint32_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint32_nbi_thread(uint64_t ctx, uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint32_thread(uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint32_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint32_thread(uint64_t ctx, uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int32_nbi_thread(int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int32_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int32_nbi_thread(uint64_t ctx, int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int32_thread(int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int32_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int32_thread(uint64_t ctx, int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint64_nbi_thread(uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint64_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint64_nbi_thread(uint64_t ctx, uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint64_thread(uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint64_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint64_thread(uint64_t ctx, uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int64_nbi_thread(int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int64_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int64_nbi_thread(uint64_t ctx, int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int64_thread(int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int64_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int64_thread(uint64_t ctx, int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_float_nbi_thread(float *dest, const float *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_float_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_float_nbi_thread(uint64_t ctx, float *dest, const float *src, size_t nelems, int pe, int qp);
/** Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_float_thread(float *dest, const float *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_float_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_float_thread(uint64_t ctx, float *dest, const float *src, size_t nelems, int pe, int qp);
/** Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_double_nbi_thread(double *dest, const double *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_double_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_double_nbi_thread(uint64_t ctx, double *dest, const double *src, size_t nelems, int pe, int qp);
/** Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_double_thread(double *dest, const double *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_double_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_double_thread(uint64_t ctx, double *dest, const double *src, size_t nelems, int pe, int qp);

/* Family: put_signal */

/** Start copying @bytes bytes from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_nbi_signal_thread(void *dest, const void *src, size_t bytes, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_putmem_nbi_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_nbi_signal_thread(uint64_t ctx, void *dest, const void *src, size_t bytes, void *sig, uint64_t value, int op, int pe, int qp);
/** Copy @bytes bytes from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_signal_thread(void *dest, const void *src, size_t bytes, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_putmem_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_signal_thread(uint64_t ctx, void *dest, const void *src, size_t bytes, void *sig, uint64_t value, int op, int pe, int qp);
/** Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint8_nbi_signal_thread(uint8_t *dest, const uint8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint8_nbi_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint8_nbi_signal_thread(uint64_t ctx, uint8_t *dest, const uint8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int8_nbi_signal_thread(int8_t *dest, const int8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int8_nbi_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int8_nbi_signal_thread(uint64_t ctx, int8_t *dest, const int8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_schar_nbi_signal_thread(signed char *dest, const signed char *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_schar_nbi_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_schar_nbi_signal_thread(uint64_t ctx, signed char *dest, const signed char *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint16_nbi_signal_thread(uint16_t *dest, const uint16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint16_nbi_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint16_nbi_signal_thread(uint64_t ctx, uint16_t *dest, const uint16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int16_nbi_signal_thread(int16_t *dest, const int16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int16_nbi_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int16_nbi_signal_thread(uint64_t ctx, int16_t *dest, const int16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint32_nbi_signal_thread(uint32_t *dest, const uint32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint32_nbi_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint32_nbi_signal_thread(uint64_t ctx, uint32_t *dest, const uint32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int32_nbi_signal_thread(int32_t *dest, const int32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int32_nbi_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int32_nbi_signal_thread(uint64_t ctx, int32_t *dest, const int32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint64_nbi_signal_thread(uint64_t *dest, const uint64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint64_nbi_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint64_nbi_signal_thread(uint64_t ctx, uint64_t *dest, const uint64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int64_nbi_signal_thread(int64_t *dest, const int64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int64_nbi_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int64_nbi_signal_thread(uint64_t ctx, int64_t *dest, const int64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_float_nbi_signal_thread(float *dest, const float *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_float_nbi_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_float_nbi_signal_thread(uint64_t ctx, float *dest, const float *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_double_nbi_signal_thread(double *dest, const double *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_double_nbi_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_double_nbi_signal_thread(uint64_t ctx, double *dest, const double *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint8_signal_thread(uint8_t *dest, const uint8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint8_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint8_signal_thread(uint64_t ctx, uint8_t *dest, const uint8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int8_signal_thread(int8_t *dest, const int8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int8_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int8_signal_thread(uint64_t ctx, int8_t *dest, const int8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_schar_signal_thread(signed char *dest, const signed char *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_schar_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_schar_signal_thread(uint64_t ctx, signed char *dest, const signed char *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint16_signal_thread(uint16_t *dest, const uint16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint16_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint16_signal_thread(uint64_t ctx, uint16_t *dest, const uint16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int16_signal_thread(int16_t *dest, const int16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int16_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int16_signal_thread(uint64_t ctx, int16_t *dest, const int16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint32_signal_thread(uint32_t *dest, const uint32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint32_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint32_signal_thread(uint64_t ctx, uint32_t *dest, const uint32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int32_signal_thread(int32_t *dest, const int32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int32_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int32_signal_thread(uint64_t ctx, int32_t *dest, const int32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint64_signal_thread(uint64_t *dest, const uint64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint64_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint64_signal_thread(uint64_t ctx, uint64_t *dest, const uint64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int64_signal_thread(int64_t *dest, const int64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int64_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int64_signal_thread(uint64_t ctx, int64_t *dest, const int64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_float_signal_thread(float *dest, const float *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_float_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_float_signal_thread(uint64_t ctx, float *dest, const float *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_double_signal_thread(double *dest, const double *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_double_signal_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_double_signal_thread(uint64_t ctx, double *dest, const double *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);

/* Family: signal */

/** Update the signal word @sig at PE @pe as @op says (MORI_SHMEM_SIGNAL_*), after this thread's earlier puts to @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_signal_op_thread(uint64_t *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_signal_op_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_signal_op_thread(uint64_t ctx, uint64_t *sig, uint64_t value, int op, int pe, int qp);
/** Read the local signal word @sig; data put before that signal may be read afterwards. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_signal_fetch(const uint64_t *sig);
/** mori_shmem_signal_fetch() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_signal_fetch(uint64_t ctx, const uint64_t *sig);

/* Family: value */

/** Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_char_p(char *dest, char value, int pe, int qp);
/** mori_shmem_char_p() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_char_p(uint64_t ctx, char *dest, char value, int pe, int qp);
/** Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
char mori_shmem_char_g(const char *src, int pe, int qp);
/** mori_shmem_char_g() for the PE whose state is @ctx: see mori_shmem_device_state(). */
char mori_shmem_ctx_char_g(uint64_t ctx, const char *src, int pe, int qp);
/** Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_schar_p(signed char *dest, signed char value, int pe, int qp);
/** mori_shmem_schar_p() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_schar_p(uint64_t ctx, signed char *dest, signed char value, int pe, int qp);
/** Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
signed char mori_shmem_schar_g(const signed char *src, int pe, int qp);
/** mori_shmem_schar_g() for the PE whose state is @ctx: see mori_shmem_device_state(). */
signed char mori_shmem_ctx_schar_g(uint64_t ctx, const signed char *src, int pe, int qp);
/** Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_short_p(short *dest, short value, int pe, int qp);
/** mori_shmem_short_p() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_short_p(uint64_t ctx, short *dest, short value, int pe, int qp);
/** Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
short mori_shmem_short_g(const short *src, int pe, int qp);
/** mori_shmem_short_g() for the PE whose state is @ctx: see mori_shmem_device_state(). */
short mori_shmem_ctx_short_g(uint64_t ctx, const short *src, int pe, int qp);
/** Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int_p(int *dest, int value, int pe, int qp);
/** mori_shmem_int_p() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int_p(uint64_t ctx, int *dest, int value, int pe, int qp);
/** Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
int mori_shmem_int_g(const int *src, int pe, int qp);
/** mori_shmem_int_g() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int_g(uint64_t ctx, const int *src, int pe, int qp);
/** Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_long_p(long *dest, long value, int pe, int qp);
/** mori_shmem_long_p() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_long_p(uint64_t ctx, long *dest, long value, int pe, int qp);
/** Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
long mori_shmem_long_g(const long *src, int pe, int qp);
/** mori_shmem_long_g() for the PE whose state is @ctx: see mori_shmem_device_state(). */
long mori_shmem_ctx_long_g(uint64_t ctx, const long *src, int pe, int qp);
/** Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_longlong_p(long long *dest, long long value, int pe, int qp);
/** mori_shmem_longlong_p() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_longlong_p(uint64_t ctx, long long *dest, long long value, int pe, int qp);
/** Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
long long mori_shmem_longlong_g(const long long *src, int pe, int qp);
/** mori_shmem_longlong_g() for the PE whose state is @ctx: see mori_shmem_device_state(). */
long long mori_shmem_ctx_longlong_g(uint64_t ctx, const long long *src, int pe, int qp);
/** Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uchar_p(unsigned char *dest, unsigned char value, int pe, int qp);
/** mori_shmem_uchar_p() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uchar_p(uint64_t ctx, unsigned char *dest, unsigned char value, int pe, int qp);
/** Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
unsigned char mori_shmem_uchar_g(const unsigned char *src, int pe, int qp);
/** mori_shmem_uchar_g() for the PE whose state is @ctx: see mori_shmem_device_state(). */
unsigned char mori_shmem_ctx_uchar_g(uint64_t ctx, const unsigned char *src, int pe, int qp);
/** Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_ushort_p(unsigned short *dest, unsigned short value, int pe, int qp);
/** mori_shmem_ushort_p() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_ushort_p(uint64_t ctx, unsigned short *dest, unsigned short value, int pe, int qp);
/** Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
unsigned short mori_shmem_ushort_g(const unsigned short *src, int pe, int qp);
/** mori_shmem_ushort_g() for the PE whose state is @ctx: see mori_shmem_device_state(). */
unsigned short mori_shmem_ctx_ushort_g(uint64_t ctx, const unsigned short *src, int pe, int qp);
/** Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint_p(unsigned int *dest, unsigned int value, int pe, int qp);
/** mori_shmem_uint_p() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint_p(uint64_t ctx, unsigned int *dest, unsigned int value, int pe, int qp);
/** Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
unsigned int mori_shmem_uint_g(const unsigned int *src, int pe, int qp);
/** mori_shmem_uint_g() for the PE whose state is @ctx: see mori_shmem_device_state(). */
unsigned int mori_shmem_ctx_uint_g(uint64_t ctx, const unsigned int *src, int pe, int qp);
/** Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_ulong_p(unsigned long *dest, unsigned long value, int pe, int qp);
/** mori_shmem_ulong_p() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_ulong_p(uint64_t ctx, unsigned long *dest, unsigned long value, int pe, int qp);
/** Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
unsigned long mori_shmem_ulong_g(const unsigned long *src, int pe, int qp);
/** mori_shmem_ulong_g() for the PE whose state is @ctx: see mori_shmem_device_state(). */
unsigned long mori_shmem_ctx_ulong_g(uint64_t ctx, const unsigned long *src, int pe, int qp);
/** Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_ulonglong_p(unsigned long long *dest, unsigned long long value, int pe, int qp);
/** mori_shmem_ulonglong_p() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_ulonglong_p(uint64_t ctx, unsigned long long *dest, unsigned long long value, int pe, int qp);
/** Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
unsigned long long mori_shmem_ulonglong_g(const unsigned long long *src, int pe, int qp);
/** mori_shmem_ulonglong_g() for the PE whose state is @ctx: see mori_shmem_device_state(). */
unsigned long long mori_shmem_ctx_ulonglong_g(uint64_t ctx, const unsigned long long *src, int pe, int qp);
/** Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int8_p(int8_t *dest, int8_t value, int pe, int qp);
/** mori_shmem_int8_p() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int8_p(uint64_t ctx, int8_t *dest, int8_t value, int pe, int qp);
/** Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
int8_t mori_shmem_int8_g(const int8_t *src, int pe, int qp);
/** mori_shmem_int8_g() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int8_t mori_shmem_ctx_int8_g(uint64_t ctx, const int8_t *src, int pe, int qp);
/** Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int16_p(int16_t *dest, int16_t value, int pe, int qp);
/** mori_shmem_int16_p() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int16_p(uint64_t ctx, int16_t *dest, int16_t value, int pe, int qp);
/** Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
int16_t mori_shmem_int16_g(const int16_t *src, int pe, int qp);
/** mori_shmem_int16_g() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int16_t mori_shmem_ctx_int16_g(uint64_t ctx, const int16_t *src, int pe, int qp);
/** Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_p(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_p() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_p(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_g(const int32_t *src, int pe, int qp);
/** mori_shmem_int32_g() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_g(uint64_t ctx, const int32_t *src, int pe, int qp);
/** Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_p(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_p() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_p(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_g(const int64_t *src, int pe, int qp);
/** mori_shmem_int64_g() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_g(uint64_t ctx, const int64_t *src, int pe, int qp);
/** Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint8_p(uint8_t *dest, uint8_t value, int pe, int qp);
/** mori_shmem_uint8_p() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint8_p(uint64_t ctx, uint8_t *dest, uint8_t value, int pe, int qp);
/** Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
uint8_t mori_shmem_uint8_g(const uint8_t *src, int pe, int qp);
/** mori_shmem_uint8_g() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint8_t mori_shmem_ctx_uint8_g(uint64_t ctx, const uint8_t *src, int pe, int qp);
/** Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint16_p(uint16_t *dest, uint16_t value, int pe, int qp);
/** mori_shmem_uint16_p() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint16_p(uint64_t ctx, uint16_t *dest, uint16_t value, int pe, int qp);
/** Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
uint16_t mori_shmem_uint16_g(const uint16_t *src, int pe, int qp);
/** mori_shmem_uint16_g() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint16_t mori_shmem_ctx_uint16_g(uint64_t ctx, const uint16_t *src, int pe, int qp);
/** Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_p(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_p() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_p(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_g(const uint32_t *src, int pe, int qp);
/** mori_shmem_uint32_g() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_g(uint64_t ctx, const uint32_t *src, int pe, int qp);
/** Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_p(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_p() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_p(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_g(const uint64_t *src, int pe, int qp);
/** mori_shmem_uint64_g() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_g(uint64_t ctx, const uint64_t *src, int pe, int qp);
/** Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_float_p(float *dest, float value, int pe, int qp);
/** mori_shmem_float_p() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_float_p(uint64_t ctx, float *dest, float value, int pe, int qp);
/** Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
float mori_shmem_float_g(const float *src, int pe, int qp);
/** mori_shmem_float_g() for the PE whose state is @ctx: see mori_shmem_device_state(). */
float mori_shmem_ctx_float_g(uint64_t ctx, const float *src, int pe, int qp);
/** Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_double_p(double *dest, double value, int pe, int qp);
/** mori_shmem_double_p() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_double_p(uint64_t ctx, double *dest, double value, int pe, int qp);
/** Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
double mori_shmem_double_g(const double *src, int pe, int qp);
/** mori_shmem_double_g() for the PE whose state is @ctx: see mori_shmem_device_state(). */
double mori_shmem_ctx_double_g(uint64_t ctx, const double *src, int pe, int qp);
/** Write the 1, 2, 4, 8 or 16 bytes at @value, read before the call returns, to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_size_imm_nbi_thread(void *dest, void *value, size_t bytes, int pe, int qp);
/** mori_shmem_put_size_imm_nbi_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_size_imm_nbi_thread(uint64_t ctx, void *dest, void *value, size_t bytes, int pe, int qp);

/* Family: object */

/** Start copying @bytes bytes at @src_off of @src to @dest_off of @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_nbi_obj_thread(mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** mori_shmem_putmem_nbi_obj_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_nbi_obj_thread(uint64_t ctx, mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** Copy @bytes bytes at @src_off of @src to @dest_off of @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_obj_thread(mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** mori_shmem_putmem_obj_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_obj_thread(uint64_t ctx, mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** Start copying @bytes bytes at @src_off of @src at PE @pe to @dest_off of @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_getmem_nbi_obj_thread(mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** mori_shmem_getmem_nbi_obj_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_getmem_nbi_obj_thread(uint64_t ctx, mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** Copy @bytes bytes at @src_off of @src at PE @pe to @dest_off of @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_getmem_obj_thread(mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** mori_shmem_getmem_obj_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_getmem_obj_thread(uint64_t ctx, mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** Start copying @bytes bytes at @src_off of @src to @dest_off of @dest at PE @pe, then update the signal word at @sig_off of @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_nbi_signal_obj_thread(mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, mori_shmem_memobj_t sig, size_t sig_off, uint64_t value, int op, int pe, int qp);
/** mori_shmem_putmem_nbi_signal_obj_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_nbi_signal_obj_thread(uint64_t ctx, mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, mori_shmem_memobj_t sig, size_t sig_off, uint64_t value, int op, int pe, int qp);
/** Copy @bytes bytes at @src_off of @src to @dest_off of @dest at PE @pe, then update the signal word at @sig_off of @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_signal_obj_thread(mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, mori_shmem_memobj_t sig, size_t sig_off, uint64_t value, int op, int pe, int qp);
/** mori_shmem_putmem_signal_obj_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_signal_obj_thread(uint64_t ctx, mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, mori_shmem_memobj_t sig, size_t sig_off, uint64_t value, int op, int pe, int qp);
/** Update the signal word at @sig_off of @sig at PE @pe as @op says (MORI_SHMEM_SIGNAL_*), after this thread's earlier puts to @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_signal_op_obj_thread(mori_shmem_memobj_t sig, size_t sig_off, uint64_t value, int op, int pe, int qp);
/** mori_shmem_signal_op_obj_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_signal_op_obj_thread(uint64_t ctx, mori_shmem_memobj_t sig, size_t sig_off, uint64_t value, int op, int pe, int qp);

/* Family: atomic */

/** Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_atomic_int32_nonfetch_thread(int32_t *dest, int32_t value, int op, int pe, int qp);
/** mori_shmem_atomic_int32_nonfetch_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_atomic_int32_nonfetch_thread(uint64_t ctx, int32_t *dest, int32_t value, int op, int pe, int qp);
/** Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_atomic_int32_fetch_thread(int32_t *dest, int32_t value, int32_t compare, int op, int pe, int qp);
/** mori_shmem_atomic_int32_fetch_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_atomic_int32_fetch_thread(uint64_t ctx, int32_t *dest, int32_t value, int32_t compare, int op, int pe, int qp);
/** Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_atomic_uint32_nonfetch_thread(uint32_t *dest, uint32_t value, int op, int pe, int qp);
/** mori_shmem_atomic_uint32_nonfetch_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_atomic_uint32_nonfetch_thread(uint64_t ctx, uint32_t *dest, uint32_t value, int op, int pe, int qp);
/** Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_atomic_uint32_fetch_thread(uint32_t *dest, uint32_t value, uint32_t compare, int op, int pe, int qp);
/** mori_shmem_atomic_uint32_fetch_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_atomic_uint32_fetch_thread(uint64_t ctx, uint32_t *dest, uint32_t value, uint32_t compare, int op, int pe, int qp);
/** Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_atomic_int64_nonfetch_thread(int64_t *dest, int64_t value, int op, int pe, int qp);
/** mori_shmem_atomic_int64_nonfetch_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_atomic_int64_nonfetch_thread(uint64_t ctx, int64_t *dest, int64_t value, int op, int pe, int qp);
/** Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_atomic_int64_fetch_thread(int64_t *dest, int64_t value, int64_t compare, int op, int pe, int qp);
/** mori_shmem_atomic_int64_fetch_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_atomic_int64_fetch_thread(uint64_t ctx, int64_t *dest, int64_t value, int64_t compare, int op, int pe, int qp);
/** Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_atomic_uint64_nonfetch_thread(uint64_t *dest, uint64_t value, int op, int pe, int qp);
/** mori_shmem_atomic_uint64_nonfetch_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_atomic_uint64_nonfetch_thread(uint64_t ctx, uint64_t *dest, uint64_t value, int op, int pe, int qp);
/** Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_atomic_uint64_fetch_thread(uint64_t *dest, uint64_t value, uint64_t compare, int op, int pe, int qp);
/** mori_shmem_atomic_uint64_fetch_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_atomic_uint64_fetch_thread(uint64_t ctx, uint64_t *dest, uint64_t value, uint64_t compare, int op, int pe, int qp);
/** Atomically increment the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_atomic_inc_thread(int32_t *dest, int pe, int qp);
/** mori_shmem_int32_atomic_inc_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_atomic_inc_thread(uint64_t ctx, int32_t *dest, int pe, int qp);
/** Atomically read the word @src at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_fetch_thread(const int32_t *src, int pe, int qp);
/** mori_shmem_int32_atomic_fetch_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_fetch_thread(uint64_t ctx, const int32_t *src, int pe, int qp);
/** Atomically increment the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_fetch_inc_thread(int32_t *dest, int pe, int qp);
/** mori_shmem_int32_atomic_fetch_inc_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_fetch_inc_thread(uint64_t ctx, int32_t *dest, int pe, int qp);
/** Atomically store @value, if the word equals @compare, to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_compare_swap_thread(int32_t *dest, int32_t compare, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_compare_swap_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_compare_swap_thread(uint64_t ctx, int32_t *dest, int32_t compare, int32_t value, int pe, int qp);
/** Atomically increment the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_atomic_inc_thread(uint32_t *dest, int pe, int qp);
/** mori_shmem_uint32_atomic_inc_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_atomic_inc_thread(uint64_t ctx, uint32_t *dest, int pe, int qp);
/** Atomically read the word @src at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_fetch_thread(const uint32_t *src, int pe, int qp);
/** mori_shmem_uint32_atomic_fetch_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_fetch_thread(uint64_t ctx, const uint32_t *src, int pe, int qp);
/** Atomically increment the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_fetch_inc_thread(uint32_t *dest, int pe, int qp);
/** mori_shmem_uint32_atomic_fetch_inc_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_fetch_inc_thread(uint64_t ctx, uint32_t *dest, int pe, int qp);
/** Atomically store @value, if the word equals @compare, to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_compare_swap_thread(uint32_t *dest, uint32_t compare, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_compare_swap_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_compare_swap_thread(uint64_t ctx, uint32_t *dest, uint32_t compare, uint32_t value, int pe, int qp);
/** Atomically increment the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_atomic_inc_thread(int64_t *dest, int pe, int qp);
/** mori_shmem_int64_atomic_inc_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_atomic_inc_thread(uint64_t ctx, int64_t *dest, int pe, int qp);
/** Atomically read the word @src at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_fetch_thread(const int64_t *src, int pe, int qp);
/** mori_shmem_int64_atomic_fetch_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_fetch_thread(uint64_t ctx, const int64_t *src, int pe, int qp);
/** Atomically increment the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_fetch_inc_thread(int64_t *dest, int pe, int qp);
/** mori_shmem_int64_atomic_fetch_inc_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_fetch_inc_thread(uint64_t ctx, int64_t *dest, int pe, int qp);
/** Atomically store @value, if the word equals @compare, to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_compare_swap_thread(int64_t *dest, int64_t compare, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_compare_swap_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_compare_swap_thread(uint64_t ctx, int64_t *dest, int64_t compare, int64_t value, int pe, int qp);
/** Atomically increment the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_atomic_inc_thread(uint64_t *dest, int pe, int qp);
/** mori_shmem_uint64_atomic_inc_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_atomic_inc_thread(uint64_t ctx, uint64_t *dest, int pe, int qp);
/** Atomically read the word @src at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_fetch_thread(const uint64_t *src, int pe, int qp);
/** mori_shmem_uint64_atomic_fetch_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_fetch_thread(uint64_t ctx, const uint64_t *src, int pe, int qp);
/** Atomically increment the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_fetch_inc_thread(uint64_t *dest, int pe, int qp);
/** mori_shmem_uint64_atomic_fetch_inc_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_fetch_inc_thread(uint64_t ctx, uint64_t *dest, int pe, int qp);
/** Atomically store @value, if the word equals @compare, to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_compare_swap_thread(uint64_t *dest, uint64_t compare, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_compare_swap_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_compare_swap_thread(uint64_t ctx, uint64_t *dest, uint64_t compare, uint64_t value, int pe, int qp);
/** Atomically store @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_atomic_set_thread(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_set_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_atomic_set_thread(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** Atomically add @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_atomic_add_thread(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_add_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_atomic_add_thread(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** Atomically apply bitwise AND with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_atomic_and_thread(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_and_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_atomic_and_thread(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** Atomically apply bitwise OR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_atomic_or_thread(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_or_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_atomic_or_thread(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** Atomically apply bitwise XOR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_atomic_xor_thread(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_xor_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_atomic_xor_thread(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** Atomically add @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_fetch_add_thread(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_fetch_add_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_fetch_add_thread(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** Atomically apply bitwise AND with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_fetch_and_thread(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_fetch_and_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_fetch_and_thread(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** Atomically apply bitwise OR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_fetch_or_thread(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_fetch_or_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_fetch_or_thread(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** Atomically apply bitwise XOR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_fetch_xor_thread(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_fetch_xor_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_fetch_xor_thread(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** Atomically store @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_swap_thread(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_swap_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_swap_thread(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** Atomically store @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_atomic_set_thread(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_set_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_atomic_set_thread(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** Atomically add @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_atomic_add_thread(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_add_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_atomic_add_thread(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** Atomically apply bitwise AND with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_atomic_and_thread(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_and_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_atomic_and_thread(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** Atomically apply bitwise OR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_atomic_or_thread(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_or_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_atomic_or_thread(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** Atomically apply bitwise XOR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_atomic_xor_thread(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_xor_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_atomic_xor_thread(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** Atomically add @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_fetch_add_thread(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_fetch_add_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_fetch_add_thread(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** Atomically apply bitwise AND with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_fetch_and_thread(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_fetch_and_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_fetch_and_thread(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** Atomically apply bitwise OR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_fetch_or_thread(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_fetch_or_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_fetch_or_thread(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** Atomically apply bitwise XOR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_fetch_xor_thread(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_fetch_xor_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_fetch_xor_thread(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** Atomically store @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_swap_thread(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_swap_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_swap_thread(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** Atomically store @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_atomic_set_thread(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_set_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_atomic_set_thread(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** Atomically add @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_atomic_add_thread(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_add_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_atomic_add_thread(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** Atomically apply bitwise AND with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_atomic_and_thread(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_and_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_atomic_and_thread(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** Atomically apply bitwise OR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_atomic_or_thread(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_or_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_atomic_or_thread(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** Atomically apply bitwise XOR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_atomic_xor_thread(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_xor_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_atomic_xor_thread(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** Atomically add @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_fetch_add_thread(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_fetch_add_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_fetch_add_thread(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** Atomically apply bitwise AND with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_fetch_and_thread(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_fetch_and_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_fetch_and_thread(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** Atomically apply bitwise OR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_fetch_or_thread(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_fetch_or_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_fetch_or_thread(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** Atomically apply bitwise XOR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_fetch_xor_thread(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_fetch_xor_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_fetch_xor_thread(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** Atomically store @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_swap_thread(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_swap_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_swap_thread(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** Atomically store @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_atomic_set_thread(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_set_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_atomic_set_thread(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** Atomically add @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_atomic_add_thread(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_add_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_atomic_add_thread(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** Atomically apply bitwise AND with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_atomic_and_thread(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_and_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_atomic_and_thread(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** Atomically apply bitwise OR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_atomic_or_thread(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_or_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_atomic_or_thread(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** Atomically apply bitwise XOR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_atomic_xor_thread(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_xor_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_atomic_xor_thread(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** Atomically add @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_fetch_add_thread(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_fetch_add_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_fetch_add_thread(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** Atomically apply bitwise AND with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_fetch_and_thread(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_fetch_and_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_fetch_and_thread(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** Atomically apply bitwise OR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_fetch_or_thread(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_fetch_or_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_fetch_or_thread(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** Atomically apply bitwise XOR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_fetch_xor_thread(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_fetch_xor_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_fetch_xor_thread(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** Atomically store @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_swap_thread(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_swap_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_swap_thread(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** Atomically add @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_float_atomic_add_thread(float *dest, float value, int pe, int qp);
/** mori_shmem_float_atomic_add_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_float_atomic_add_thread(uint64_t ctx, float *dest, float value, int pe, int qp);
/** Atomically add @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
float mori_shmem_float_atomic_fetch_add_thread(float *dest, float value, int pe, int qp);
/** mori_shmem_float_atomic_fetch_add_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
float mori_shmem_ctx_float_atomic_fetch_add_thread(uint64_t ctx, float *dest, float value, int pe, int qp);
/** Atomically add @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_double_atomic_add_thread(double *dest, double value, int pe, int qp);
/** mori_shmem_double_atomic_add_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_double_atomic_add_thread(uint64_t ctx, double *dest, double value, int pe, int qp);
/** Atomically add @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
double mori_shmem_double_atomic_fetch_add_thread(double *dest, double value, int pe, int qp);
/** mori_shmem_double_atomic_fetch_add_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
double mori_shmem_ctx_double_atomic_fetch_add_thread(uint64_t ctx, double *dest, double value, int pe, int qp);
/** Atomically apply @op (MORI_SHMEM_AMO_*) with the value at @value to the word @dest of @bytes (4 or 8) bytes at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_atomic_size_nonfetch_thread(void *dest, void *value, size_t bytes, int op, int pe, int qp);
/** mori_shmem_atomic_size_nonfetch_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_atomic_size_nonfetch_thread(uint64_t ctx, void *dest, void *value, size_t bytes, int op, int pe, int qp);

/* Family: wait */

/** Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_wait_until(int32_t *addr, int cmp, int32_t value);
/** mori_shmem_int32_wait_until() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_wait_until(uint64_t ctx, int32_t *addr, int cmp, int32_t value);
/** Wait at most @ns nanoseconds until the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_wait_until_for(int32_t *addr, int cmp, int32_t value, uint64_t ns);
/** mori_shmem_int32_wait_until_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_wait_until_for(uint64_t ctx, int32_t *addr, int cmp, int32_t value, uint64_t ns);
/** Check once whether the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 1 or 0; 0 on an error, with a fault for mori_shmem_check(). */
int mori_shmem_int32_test(int32_t *addr, int cmp, int32_t value);
/** mori_shmem_int32_test() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_test(uint64_t ctx, int32_t *addr, int cmp, int32_t value);
/** Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_wait_until(uint32_t *addr, int cmp, uint32_t value);
/** mori_shmem_uint32_wait_until() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_wait_until(uint64_t ctx, uint32_t *addr, int cmp, uint32_t value);
/** Wait at most @ns nanoseconds until the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_wait_until_for(uint32_t *addr, int cmp, uint32_t value, uint64_t ns);
/** mori_shmem_uint32_wait_until_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_wait_until_for(uint64_t ctx, uint32_t *addr, int cmp, uint32_t value, uint64_t ns);
/** Check once whether the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 1 or 0; 0 on an error, with a fault for mori_shmem_check(). */
int mori_shmem_uint32_test(uint32_t *addr, int cmp, uint32_t value);
/** mori_shmem_uint32_test() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_test(uint64_t ctx, uint32_t *addr, int cmp, uint32_t value);
/** Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_wait_until(int64_t *addr, int cmp, int64_t value);
/** mori_shmem_int64_wait_until() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_wait_until(uint64_t ctx, int64_t *addr, int cmp, int64_t value);
/** Wait at most @ns nanoseconds until the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_wait_until_for(int64_t *addr, int cmp, int64_t value, uint64_t ns);
/** mori_shmem_int64_wait_until_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_wait_until_for(uint64_t ctx, int64_t *addr, int cmp, int64_t value, uint64_t ns);
/** Check once whether the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 1 or 0; 0 on an error, with a fault for mori_shmem_check(). */
int mori_shmem_int64_test(int64_t *addr, int cmp, int64_t value);
/** mori_shmem_int64_test() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_test(uint64_t ctx, int64_t *addr, int cmp, int64_t value);
/** Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_wait_until(uint64_t *addr, int cmp, uint64_t value);
/** mori_shmem_uint64_wait_until() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_wait_until(uint64_t ctx, uint64_t *addr, int cmp, uint64_t value);
/** Wait at most @ns nanoseconds until the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_wait_until_for(uint64_t *addr, int cmp, uint64_t value, uint64_t ns);
/** mori_shmem_uint64_wait_until_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_wait_until_for(uint64_t ctx, uint64_t *addr, int cmp, uint64_t value, uint64_t ns);
/** Check once whether the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 1 or 0; 0 on an error, with a fault for mori_shmem_check(). */
int mori_shmem_uint64_test(uint64_t *addr, int cmp, uint64_t value);
/** mori_shmem_uint64_test() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_test(uint64_t ctx, uint64_t *addr, int cmp, uint64_t value);
/** Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr equals @value. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_wait_until_equals(int32_t *addr, int32_t value);
/** mori_shmem_int32_wait_until_equals() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_wait_until_equals(uint64_t ctx, int32_t *addr, int32_t value);
/** Wait at most @ns nanoseconds until the local word @addr equals @value. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_wait_until_equals_for(int32_t *addr, int32_t value, uint64_t ns);
/** mori_shmem_int32_wait_until_equals_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_wait_until_equals_for(uint64_t ctx, int32_t *addr, int32_t value, uint64_t ns);
/** Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr is greater than @value. Return: the value seen; on an error the last one, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_wait_until_greater_than(int32_t *addr, int32_t value);
/** mori_shmem_int32_wait_until_greater_than() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_wait_until_greater_than(uint64_t ctx, int32_t *addr, int32_t value);
/** Wait at most @ns nanoseconds until the local word @addr is greater than @value. Return: the value seen; on an error the last one, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_wait_until_greater_than_for(int32_t *addr, int32_t value, uint64_t ns);
/** mori_shmem_int32_wait_until_greater_than_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_wait_until_greater_than_for(uint64_t ctx, int32_t *addr, int32_t value, uint64_t ns);
/** Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr equals @value. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_wait_until_equals(uint32_t *addr, uint32_t value);
/** mori_shmem_uint32_wait_until_equals() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_wait_until_equals(uint64_t ctx, uint32_t *addr, uint32_t value);
/** Wait at most @ns nanoseconds until the local word @addr equals @value. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_wait_until_equals_for(uint32_t *addr, uint32_t value, uint64_t ns);
/** mori_shmem_uint32_wait_until_equals_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_wait_until_equals_for(uint64_t ctx, uint32_t *addr, uint32_t value, uint64_t ns);
/** Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr is greater than @value. Return: the value seen; on an error the last one, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_wait_until_greater_than(uint32_t *addr, uint32_t value);
/** mori_shmem_uint32_wait_until_greater_than() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_wait_until_greater_than(uint64_t ctx, uint32_t *addr, uint32_t value);
/** Wait at most @ns nanoseconds until the local word @addr is greater than @value. Return: the value seen; on an error the last one, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_wait_until_greater_than_for(uint32_t *addr, uint32_t value, uint64_t ns);
/** mori_shmem_uint32_wait_until_greater_than_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_wait_until_greater_than_for(uint64_t ctx, uint32_t *addr, uint32_t value, uint64_t ns);
/** Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr equals @value. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_wait_until_equals(int64_t *addr, int64_t value);
/** mori_shmem_int64_wait_until_equals() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_wait_until_equals(uint64_t ctx, int64_t *addr, int64_t value);
/** Wait at most @ns nanoseconds until the local word @addr equals @value. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_wait_until_equals_for(int64_t *addr, int64_t value, uint64_t ns);
/** mori_shmem_int64_wait_until_equals_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_wait_until_equals_for(uint64_t ctx, int64_t *addr, int64_t value, uint64_t ns);
/** Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr is greater than @value. Return: the value seen; on an error the last one, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_wait_until_greater_than(int64_t *addr, int64_t value);
/** mori_shmem_int64_wait_until_greater_than() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_wait_until_greater_than(uint64_t ctx, int64_t *addr, int64_t value);
/** Wait at most @ns nanoseconds until the local word @addr is greater than @value. Return: the value seen; on an error the last one, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_wait_until_greater_than_for(int64_t *addr, int64_t value, uint64_t ns);
/** mori_shmem_int64_wait_until_greater_than_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_wait_until_greater_than_for(uint64_t ctx, int64_t *addr, int64_t value, uint64_t ns);
/** Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr equals @value. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_wait_until_equals(uint64_t *addr, uint64_t value);
/** mori_shmem_uint64_wait_until_equals() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_wait_until_equals(uint64_t ctx, uint64_t *addr, uint64_t value);
/** Wait at most @ns nanoseconds until the local word @addr equals @value. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_wait_until_equals_for(uint64_t *addr, uint64_t value, uint64_t ns);
/** mori_shmem_uint64_wait_until_equals_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_wait_until_equals_for(uint64_t ctx, uint64_t *addr, uint64_t value, uint64_t ns);
/** Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr is greater than @value. Return: the value seen; on an error the last one, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_wait_until_greater_than(uint64_t *addr, uint64_t value);
/** mori_shmem_uint64_wait_until_greater_than() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_wait_until_greater_than(uint64_t ctx, uint64_t *addr, uint64_t value);
/** Wait at most @ns nanoseconds until the local word @addr is greater than @value. Return: the value seen; on an error the last one, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_wait_until_greater_than_for(uint64_t *addr, uint64_t value, uint64_t ns);
/** mori_shmem_uint64_wait_until_greater_than_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_wait_until_greater_than_for(uint64_t ctx, uint64_t *addr, uint64_t value, uint64_t ns);
/** Wait at most @ns nanoseconds until each of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_wait_until_all(int32_t *addrs, size_t n, const int *skip, int cmp, int32_t value);
/** mori_shmem_int32_wait_until_all() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_wait_until_all(uint64_t ctx, int32_t *addrs, size_t n, const int *skip, int cmp, int32_t value);
/** Wait at most @ns nanoseconds until each of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_wait_until_all_for(int32_t *addrs, size_t n, const int *skip, int cmp, int32_t value, uint64_t ns);
/** mori_shmem_int32_wait_until_all_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_wait_until_all_for(uint64_t ctx, int32_t *addrs, size_t n, const int *skip, int cmp, int32_t value, uint64_t ns);
/** Wait at most @ns nanoseconds until one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: its index; SIZE_MAX if all are left out or, with a fault for mori_shmem_check(), on an error. */
size_t mori_shmem_int32_wait_until_any(int32_t *addrs, size_t n, const int *skip, int cmp, int32_t value);
/** mori_shmem_int32_wait_until_any() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_int32_wait_until_any(uint64_t ctx, int32_t *addrs, size_t n, const int *skip, int cmp, int32_t value);
/** Wait at most @ns nanoseconds until one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: its index; SIZE_MAX if all are left out or, with a fault for mori_shmem_check(), on an error. */
size_t mori_shmem_int32_wait_until_any_for(int32_t *addrs, size_t n, const int *skip, int cmp, int32_t value, uint64_t ns);
/** mori_shmem_int32_wait_until_any_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_int32_wait_until_any_for(uint64_t ctx, int32_t *addrs, size_t n, const int *skip, int cmp, int32_t value, uint64_t ns);
/** Wait at most @ns nanoseconds until each of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_wait_until_all(uint32_t *addrs, size_t n, const int *skip, int cmp, uint32_t value);
/** mori_shmem_uint32_wait_until_all() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_wait_until_all(uint64_t ctx, uint32_t *addrs, size_t n, const int *skip, int cmp, uint32_t value);
/** Wait at most @ns nanoseconds until each of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_wait_until_all_for(uint32_t *addrs, size_t n, const int *skip, int cmp, uint32_t value, uint64_t ns);
/** mori_shmem_uint32_wait_until_all_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_wait_until_all_for(uint64_t ctx, uint32_t *addrs, size_t n, const int *skip, int cmp, uint32_t value, uint64_t ns);
/** Wait at most @ns nanoseconds until one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: its index; SIZE_MAX if all are left out or, with a fault for mori_shmem_check(), on an error. */
size_t mori_shmem_uint32_wait_until_any(uint32_t *addrs, size_t n, const int *skip, int cmp, uint32_t value);
/** mori_shmem_uint32_wait_until_any() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_uint32_wait_until_any(uint64_t ctx, uint32_t *addrs, size_t n, const int *skip, int cmp, uint32_t value);
/** Wait at most @ns nanoseconds until one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: its index; SIZE_MAX if all are left out or, with a fault for mori_shmem_check(), on an error. */
size_t mori_shmem_uint32_wait_until_any_for(uint32_t *addrs, size_t n, const int *skip, int cmp, uint32_t value, uint64_t ns);
/** mori_shmem_uint32_wait_until_any_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_uint32_wait_until_any_for(uint64_t ctx, uint32_t *addrs, size_t n, const int *skip, int cmp, uint32_t value, uint64_t ns);
/** Wait at most @ns nanoseconds until each of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_wait_until_all(int64_t *addrs, size_t n, const int *skip, int cmp, int64_t value);
/** mori_shmem_int64_wait_until_all() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_wait_until_all(uint64_t ctx, int64_t *addrs, size_t n, const int *skip, int cmp, int64_t value);
/** Wait at most @ns nanoseconds until each of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_wait_until_all_for(int64_t *addrs, size_t n, const int *skip, int cmp, int64_t value, uint64_t ns);
/** mori_shmem_int64_wait_until_all_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_wait_until_all_for(uint64_t ctx, int64_t *addrs, size_t n, const int *skip, int cmp, int64_t value, uint64_t ns);
/** Wait at most @ns nanoseconds until one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: its index; SIZE_MAX if all are left out or, with a fault for mori_shmem_check(), on an error. */
size_t mori_shmem_int64_wait_until_any(int64_t *addrs, size_t n, const int *skip, int cmp, int64_t value);
/** mori_shmem_int64_wait_until_any() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_int64_wait_until_any(uint64_t ctx, int64_t *addrs, size_t n, const int *skip, int cmp, int64_t value);
/** Wait at most @ns nanoseconds until one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: its index; SIZE_MAX if all are left out or, with a fault for mori_shmem_check(), on an error. */
size_t mori_shmem_int64_wait_until_any_for(int64_t *addrs, size_t n, const int *skip, int cmp, int64_t value, uint64_t ns);
/** mori_shmem_int64_wait_until_any_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_int64_wait_until_any_for(uint64_t ctx, int64_t *addrs, size_t n, const int *skip, int cmp, int64_t value, uint64_t ns);
/** Wait at most @ns nanoseconds until each of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_wait_until_all(uint64_t *addrs, size_t n, const int *skip, int cmp, uint64_t value);
/** mori_shmem_uint64_wait_until_all() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_wait_until_all(uint64_t ctx, uint64_t *addrs, size_t n, const int *skip, int cmp, uint64_t value);
/** Wait at most @ns nanoseconds until each of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_wait_until_all_for(uint64_t *addrs, size_t n, const int *skip, int cmp, uint64_t value, uint64_t ns);
/** mori_shmem_uint64_wait_until_all_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_wait_until_all_for(uint64_t ctx, uint64_t *addrs, size_t n, const int *skip, int cmp, uint64_t value, uint64_t ns);
/** Wait at most @ns nanoseconds until one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: its index; SIZE_MAX if all are left out or, with a fault for mori_shmem_check(), on an error. */
size_t mori_shmem_uint64_wait_until_any(uint64_t *addrs, size_t n, const int *skip, int cmp, uint64_t value);
/** mori_shmem_uint64_wait_until_any() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_uint64_wait_until_any(uint64_t ctx, uint64_t *addrs, size_t n, const int *skip, int cmp, uint64_t value);
/** Wait at most @ns nanoseconds until one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: its index; SIZE_MAX if all are left out or, with a fault for mori_shmem_check(), on an error. */
size_t mori_shmem_uint64_wait_until_any_for(uint64_t *addrs, size_t n, const int *skip, int cmp, uint64_t value, uint64_t ns);
/** mori_shmem_uint64_wait_until_any_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_uint64_wait_until_any_for(uint64_t ctx, uint64_t *addrs, size_t n, const int *skip, int cmp, uint64_t value, uint64_t ns);
/** Wait at most @ns nanoseconds until at least one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*), and list those that do in @indices. Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: how many; 0 on an error, with a fault for mori_shmem_check(). */
size_t mori_shmem_int32_wait_until_some(int32_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, int32_t value);
/** mori_shmem_int32_wait_until_some() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_int32_wait_until_some(uint64_t ctx, int32_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, int32_t value);
/** Wait at most @ns nanoseconds until at least one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*), and list those that do in @indices. Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: how many; 0 on an error, with a fault for mori_shmem_check(). */
size_t mori_shmem_int32_wait_until_some_for(int32_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, int32_t value, uint64_t ns);
/** mori_shmem_int32_wait_until_some_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_int32_wait_until_some_for(uint64_t ctx, int32_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, int32_t value, uint64_t ns);
/** Wait at most @ns nanoseconds until at least one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*), and list those that do in @indices. Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: how many; 0 on an error, with a fault for mori_shmem_check(). */
size_t mori_shmem_uint32_wait_until_some(uint32_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, uint32_t value);
/** mori_shmem_uint32_wait_until_some() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_uint32_wait_until_some(uint64_t ctx, uint32_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, uint32_t value);
/** Wait at most @ns nanoseconds until at least one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*), and list those that do in @indices. Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: how many; 0 on an error, with a fault for mori_shmem_check(). */
size_t mori_shmem_uint32_wait_until_some_for(uint32_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, uint32_t value, uint64_t ns);
/** mori_shmem_uint32_wait_until_some_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_uint32_wait_until_some_for(uint64_t ctx, uint32_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, uint32_t value, uint64_t ns);
/** Wait at most @ns nanoseconds until at least one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*), and list those that do in @indices. Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: how many; 0 on an error, with a fault for mori_shmem_check(). */
size_t mori_shmem_int64_wait_until_some(int64_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, int64_t value);
/** mori_shmem_int64_wait_until_some() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_int64_wait_until_some(uint64_t ctx, int64_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, int64_t value);
/** Wait at most @ns nanoseconds until at least one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*), and list those that do in @indices. Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: how many; 0 on an error, with a fault for mori_shmem_check(). */
size_t mori_shmem_int64_wait_until_some_for(int64_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, int64_t value, uint64_t ns);
/** mori_shmem_int64_wait_until_some_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_int64_wait_until_some_for(uint64_t ctx, int64_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, int64_t value, uint64_t ns);
/** Wait at most @ns nanoseconds until at least one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*), and list those that do in @indices. Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: how many; 0 on an error, with a fault for mori_shmem_check(). */
size_t mori_shmem_uint64_wait_until_some(uint64_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, uint64_t value);
/** mori_shmem_uint64_wait_until_some() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_uint64_wait_until_some(uint64_t ctx, uint64_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, uint64_t value);
/** Wait at most @ns nanoseconds until at least one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*), and list those that do in @indices. Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: how many; 0 on an error, with a fault for mori_shmem_check(). */
size_t mori_shmem_uint64_wait_until_some_for(uint64_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, uint64_t value, uint64_t ns);
/** mori_shmem_uint64_wait_until_some_for() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_uint64_wait_until_some_for(uint64_t ctx, uint64_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, uint64_t value, uint64_t ns);

/* Family: order */

/** Complete what the caller issued: gets have their data, sources may be reused, puts, signals and atomics are visible at their targets. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_quiet_thread(void);
/** mori_shmem_quiet_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_quiet_thread(uint64_t ctx);
/** Order what the caller issued: puts, signals and atomics before it are seen there before those after it. Waits for nothing. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_fence_thread(void);
/** mori_shmem_fence_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_fence_thread(uint64_t ctx);
/** Complete what the caller issued to PE @pe: gets have their data, sources may be reused, puts, signals and atomics are visible at their targets. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_quiet_thread_pe(int pe);
/** mori_shmem_quiet_thread_pe() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_quiet_thread_pe(uint64_t ctx, int pe);
/** Complete what the caller issued to PE @pe by queue @qp: gets have their data, sources may be reused, puts, signals and atomics are visible at their targets. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_quiet_thread_pe_qp(int pe, int qp);
/** mori_shmem_quiet_thread_pe_qp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_quiet_thread_pe_qp(uint64_t ctx, int pe, int qp);
/** Order what the caller issued to PE @pe: puts, signals and atomics before it are seen there before those after it. Waits for nothing. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_fence_thread_pe(int pe);
/** mori_shmem_fence_thread_pe() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_fence_thread_pe(uint64_t ctx, int pe);
/** Order what the caller issued to PE @pe by queue @qp: puts, signals and atomics before it are seen there before those after it. Waits for nothing. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_fence_thread_pe_qp(int pe, int qp);
/** mori_shmem_fence_thread_pe_qp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_fence_thread_pe_qp(uint64_t ctx, int pe, int qp);

/* Family: barrier */

/** Complete what the caller issued, then wait until every PE has called it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_barrier_all_thread(void);
/** mori_shmem_barrier_all_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_barrier_all_thread(uint64_t ctx);
/** Wait until every PE has called it; completes nothing. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_sync_all_thread(void);
/** mori_shmem_sync_all_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_sync_all_thread(uint64_t ctx);

/* Family: team */

/** The number of this PE in @team. Return: 0 and up; -1 if it is in no such team. */
int mori_shmem_team_my_pe(mori_shmem_team_t team);
/** mori_shmem_team_my_pe() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_team_my_pe(uint64_t ctx, mori_shmem_team_t team);
/** The number of PEs of @team. Return: 1 and up; -1 if this PE is in no such team. */
int mori_shmem_team_n_pes(mori_shmem_team_t team);
/** mori_shmem_team_n_pes() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_team_n_pes(uint64_t ctx, mori_shmem_team_t team);
/** The number in @dest_team of PE @src_pe of @src_team. Return: 0 and up; -1 if it is not in that team. */
int mori_shmem_team_translate_pe(mori_shmem_team_t src_team, int src_pe, mori_shmem_team_t dest_team);
/** mori_shmem_team_translate_pe() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_team_translate_pe(uint64_t ctx, mori_shmem_team_t src_team, int src_pe, mori_shmem_team_t dest_team);

/* Family: collective */

/** Wait until every PE of @team has called it; completes nothing. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_team_sync_thread(mori_shmem_team_t team);
/** mori_shmem_team_sync_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_team_sync_thread(uint64_t ctx, mori_shmem_team_t team);
/** Complete what the caller issued, then wait until every PE of @team has called it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_barrier_thread(mori_shmem_team_t team);
/** mori_shmem_barrier_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_barrier_thread(uint64_t ctx, mori_shmem_team_t team);
/** Copy @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on) from @src at PE @root of @team to @dest at all of them. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_broadcast_thread(mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype, int root);
/** mori_shmem_broadcast_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_broadcast_thread(uint64_t ctx, mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype, int root);
/** Gather @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on) from @src of each PE of @team, in their order, in @dest of all of them. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_fcollect_thread(mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype);
/** mori_shmem_fcollect_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_fcollect_thread(uint64_t ctx, mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype);
/** Gather @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on), another number on each PE, from @src of each PE of @team, in their order, in @dest of all of them. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_collect_thread(mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype);
/** mori_shmem_collect_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_collect_thread(uint64_t ctx, mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype);
/** Copy the i-th @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on) in @src of the j-th PE of @team to @dest of the i-th, as the j-th there. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_alltoall_thread(mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype);
/** mori_shmem_alltoall_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_alltoall_thread(uint64_t ctx, mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype);
/** Combine, as @op says (MORI_SHMEM_SUM and so on), the @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on) in @src of all PEs of @team one by one, in @dest of all of them; @dest may be @src. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_reduce_thread(mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype, int op);
/** mori_shmem_reduce_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_reduce_thread(uint64_t ctx, mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype, int op);
/** Combine, as @op says (MORI_SHMEM_SUM and so on), the i-th @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on) in @src of all PEs of @team one by one, in @dest of the i-th. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_reducescatter_thread(mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype, int op);
/** mori_shmem_reducescatter_thread() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_reducescatter_thread(uint64_t ctx, mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype, int op);

/* Family: put */

/** All threads of the warp together: Start copying @bytes bytes from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_nbi_warp(void *dest, const void *src, size_t bytes, int pe, int qp);
/** mori_shmem_putmem_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_nbi_warp(uint64_t ctx, void *dest, const void *src, size_t bytes, int pe, int qp);
/** All threads of the warp together: Copy @bytes bytes from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_warp(void *dest, const void *src, size_t bytes, int pe, int qp);
/** mori_shmem_putmem_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_warp(uint64_t ctx, void *dest, const void *src, size_t bytes, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint8_nbi_warp(uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint8_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint8_nbi_warp(uint64_t ctx, uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint8_warp(uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint8_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint8_warp(uint64_t ctx, uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int8_nbi_warp(int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int8_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int8_nbi_warp(uint64_t ctx, int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int8_warp(int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int8_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int8_warp(uint64_t ctx, int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_schar_nbi_warp(signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_schar_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_schar_nbi_warp(uint64_t ctx, signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_schar_warp(signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_schar_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_schar_warp(uint64_t ctx, signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint16_nbi_warp(uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint16_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint16_nbi_warp(uint64_t ctx, uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint16_warp(uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint16_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint16_warp(uint64_t ctx, uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int16_nbi_warp(int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int16_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int16_nbi_warp(uint64_t ctx, int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int16_warp(int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int16_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int16_warp(uint64_t ctx, int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint32_nbi_warp(uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint32_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint32_nbi_warp(uint64_t ctx, uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint32_warp(uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint32_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint32_warp(uint64_t ctx, uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int32_nbi_warp(int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int32_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int32_nbi_warp(uint64_t ctx, int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int32_warp(int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int32_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int32_warp(uint64_t ctx, int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint64_nbi_warp(uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint64_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint64_nbi_warp(uint64_t ctx, uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint64_warp(uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint64_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint64_warp(uint64_t ctx, uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int64_nbi_warp(int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int64_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int64_nbi_warp(uint64_t ctx, int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int64_warp(int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int64_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int64_warp(uint64_t ctx, int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_float_nbi_warp(float *dest, const float *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_float_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_float_nbi_warp(uint64_t ctx, float *dest, const float *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_float_warp(float *dest, const float *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_float_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_float_warp(uint64_t ctx, float *dest, const float *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_double_nbi_warp(double *dest, const double *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_double_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_double_nbi_warp(uint64_t ctx, double *dest, const double *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_double_warp(double *dest, const double *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_double_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_double_warp(uint64_t ctx, double *dest, const double *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Start copying @bytes bytes from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_nbi_block(void *dest, const void *src, size_t bytes, int pe, int qp);
/** mori_shmem_putmem_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_nbi_block(uint64_t ctx, void *dest, const void *src, size_t bytes, int pe, int qp);
/** All threads of the block together: Copy @bytes bytes from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_block(void *dest, const void *src, size_t bytes, int pe, int qp);
/** mori_shmem_putmem_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_block(uint64_t ctx, void *dest, const void *src, size_t bytes, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint8_nbi_block(uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint8_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint8_nbi_block(uint64_t ctx, uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint8_block(uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint8_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint8_block(uint64_t ctx, uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int8_nbi_block(int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int8_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int8_nbi_block(uint64_t ctx, int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int8_block(int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int8_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int8_block(uint64_t ctx, int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_schar_nbi_block(signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_schar_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_schar_nbi_block(uint64_t ctx, signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_schar_block(signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_schar_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_schar_block(uint64_t ctx, signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint16_nbi_block(uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint16_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint16_nbi_block(uint64_t ctx, uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint16_block(uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint16_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint16_block(uint64_t ctx, uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int16_nbi_block(int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int16_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int16_nbi_block(uint64_t ctx, int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int16_block(int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int16_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int16_block(uint64_t ctx, int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint32_nbi_block(uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint32_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint32_nbi_block(uint64_t ctx, uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint32_block(uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint32_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint32_block(uint64_t ctx, uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int32_nbi_block(int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int32_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int32_nbi_block(uint64_t ctx, int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int32_block(int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int32_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int32_block(uint64_t ctx, int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint64_nbi_block(uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint64_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint64_nbi_block(uint64_t ctx, uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint64_block(uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_uint64_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint64_block(uint64_t ctx, uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int64_nbi_block(int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int64_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int64_nbi_block(uint64_t ctx, int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int64_block(int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_int64_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int64_block(uint64_t ctx, int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_float_nbi_block(float *dest, const float *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_float_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_float_nbi_block(uint64_t ctx, float *dest, const float *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_float_block(float *dest, const float *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_float_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_float_block(uint64_t ctx, float *dest, const float *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src to @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_double_nbi_block(double *dest, const double *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_double_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_double_nbi_block(uint64_t ctx, double *dest, const double *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src to @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_double_block(double *dest, const double *src, size_t nelems, int pe, int qp);
/** mori_shmem_put_double_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_double_block(uint64_t ctx, double *dest, const double *src, size_t nelems, int pe, int qp);

/* Family: get */

/** All threads of the warp together: Start copying @bytes bytes from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_getmem_nbi_warp(void *dest, const void *src, size_t bytes, int pe, int qp);
/** mori_shmem_getmem_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_getmem_nbi_warp(uint64_t ctx, void *dest, const void *src, size_t bytes, int pe, int qp);
/** All threads of the warp together: Copy @bytes bytes from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_getmem_warp(void *dest, const void *src, size_t bytes, int pe, int qp);
/** mori_shmem_getmem_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_getmem_warp(uint64_t ctx, void *dest, const void *src, size_t bytes, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint8_nbi_warp(uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint8_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint8_nbi_warp(uint64_t ctx, uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint8_warp(uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint8_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint8_warp(uint64_t ctx, uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int8_nbi_warp(int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int8_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int8_nbi_warp(uint64_t ctx, int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int8_warp(int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int8_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int8_warp(uint64_t ctx, int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_schar_nbi_warp(signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_schar_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_schar_nbi_warp(uint64_t ctx, signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_schar_warp(signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_schar_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_schar_warp(uint64_t ctx, signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint16_nbi_warp(uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint16_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint16_nbi_warp(uint64_t ctx, uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint16_warp(uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint16_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint16_warp(uint64_t ctx, uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int16_nbi_warp(int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int16_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int16_nbi_warp(uint64_t ctx, int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int16_warp(int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int16_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int16_warp(uint64_t ctx, int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint32_nbi_warp(uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint32_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint32_nbi_warp(uint64_t ctx, uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint32_warp(uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint32_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint32_warp(uint64_t ctx, uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int32_nbi_warp(int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int32_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int32_nbi_warp(uint64_t ctx, int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int32_warp(int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int32_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int32_warp(uint64_t ctx, int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint64_nbi_warp(uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint64_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint64_nbi_warp(uint64_t ctx, uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint64_warp(uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint64_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint64_warp(uint64_t ctx, uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int64_nbi_warp(int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int64_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int64_nbi_warp(uint64_t ctx, int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int64_warp(int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int64_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int64_warp(uint64_t ctx, int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_float_nbi_warp(float *dest, const float *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_float_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_float_nbi_warp(uint64_t ctx, float *dest, const float *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_float_warp(float *dest, const float *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_float_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_float_warp(uint64_t ctx, float *dest, const float *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_double_nbi_warp(double *dest, const double *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_double_nbi_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_double_nbi_warp(uint64_t ctx, double *dest, const double *src, size_t nelems, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_double_warp(double *dest, const double *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_double_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_double_warp(uint64_t ctx, double *dest, const double *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Start copying @bytes bytes from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_getmem_nbi_block(void *dest, const void *src, size_t bytes, int pe, int qp);
/** mori_shmem_getmem_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_getmem_nbi_block(uint64_t ctx, void *dest, const void *src, size_t bytes, int pe, int qp);
/** All threads of the block together: Copy @bytes bytes from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_getmem_block(void *dest, const void *src, size_t bytes, int pe, int qp);
/** mori_shmem_getmem_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_getmem_block(uint64_t ctx, void *dest, const void *src, size_t bytes, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint8_nbi_block(uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint8_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint8_nbi_block(uint64_t ctx, uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint8_block(uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint8_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint8_block(uint64_t ctx, uint8_t *dest, const uint8_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int8_nbi_block(int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int8_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int8_nbi_block(uint64_t ctx, int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int8_block(int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int8_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int8_block(uint64_t ctx, int8_t *dest, const int8_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_schar_nbi_block(signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_schar_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_schar_nbi_block(uint64_t ctx, signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_schar_block(signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_schar_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_schar_block(uint64_t ctx, signed char *dest, const signed char *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint16_nbi_block(uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint16_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint16_nbi_block(uint64_t ctx, uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint16_block(uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint16_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint16_block(uint64_t ctx, uint16_t *dest, const uint16_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int16_nbi_block(int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int16_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int16_nbi_block(uint64_t ctx, int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int16_block(int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int16_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int16_block(uint64_t ctx, int16_t *dest, const int16_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint32_nbi_block(uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint32_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint32_nbi_block(uint64_t ctx, uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint32_block(uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint32_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint32_block(uint64_t ctx, uint32_t *dest, const uint32_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int32_nbi_block(int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int32_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int32_nbi_block(uint64_t ctx, int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int32_block(int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int32_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int32_block(uint64_t ctx, int32_t *dest, const int32_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint64_nbi_block(uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint64_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint64_nbi_block(uint64_t ctx, uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_uint64_block(uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_uint64_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_uint64_block(uint64_t ctx, uint64_t *dest, const uint64_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int64_nbi_block(int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int64_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int64_nbi_block(uint64_t ctx, int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_int64_block(int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_int64_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_int64_block(uint64_t ctx, int64_t *dest, const int64_t *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_float_nbi_block(float *dest, const float *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_float_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_float_nbi_block(uint64_t ctx, float *dest, const float *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_float_block(float *dest, const float *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_float_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_float_block(uint64_t ctx, float *dest, const float *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src at PE @pe to @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_double_nbi_block(double *dest, const double *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_double_nbi_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_double_nbi_block(uint64_t ctx, double *dest, const double *src, size_t nelems, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src at PE @pe to @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_get_double_block(double *dest, const double *src, size_t nelems, int pe, int qp);
/** mori_shmem_get_double_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_get_double_block(uint64_t ctx, double *dest, const double *src, size_t nelems, int pe, int qp);

/* Family: put_signal */

/** All threads of the warp together: Start copying @bytes bytes from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_nbi_signal_warp(void *dest, const void *src, size_t bytes, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_putmem_nbi_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_nbi_signal_warp(uint64_t ctx, void *dest, const void *src, size_t bytes, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Copy @bytes bytes from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_signal_warp(void *dest, const void *src, size_t bytes, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_putmem_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_signal_warp(uint64_t ctx, void *dest, const void *src, size_t bytes, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint8_nbi_signal_warp(uint8_t *dest, const uint8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint8_nbi_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint8_nbi_signal_warp(uint64_t ctx, uint8_t *dest, const uint8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int8_nbi_signal_warp(int8_t *dest, const int8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int8_nbi_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int8_nbi_signal_warp(uint64_t ctx, int8_t *dest, const int8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_schar_nbi_signal_warp(signed char *dest, const signed char *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_schar_nbi_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_schar_nbi_signal_warp(uint64_t ctx, signed char *dest, const signed char *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint16_nbi_signal_warp(uint16_t *dest, const uint16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint16_nbi_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint16_nbi_signal_warp(uint64_t ctx, uint16_t *dest, const uint16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int16_nbi_signal_warp(int16_t *dest, const int16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int16_nbi_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int16_nbi_signal_warp(uint64_t ctx, int16_t *dest, const int16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint32_nbi_signal_warp(uint32_t *dest, const uint32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint32_nbi_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint32_nbi_signal_warp(uint64_t ctx, uint32_t *dest, const uint32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int32_nbi_signal_warp(int32_t *dest, const int32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int32_nbi_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int32_nbi_signal_warp(uint64_t ctx, int32_t *dest, const int32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint64_nbi_signal_warp(uint64_t *dest, const uint64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint64_nbi_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint64_nbi_signal_warp(uint64_t ctx, uint64_t *dest, const uint64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int64_nbi_signal_warp(int64_t *dest, const int64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int64_nbi_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int64_nbi_signal_warp(uint64_t ctx, int64_t *dest, const int64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_float_nbi_signal_warp(float *dest, const float *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_float_nbi_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_float_nbi_signal_warp(uint64_t ctx, float *dest, const float *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_double_nbi_signal_warp(double *dest, const double *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_double_nbi_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_double_nbi_signal_warp(uint64_t ctx, double *dest, const double *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint8_signal_warp(uint8_t *dest, const uint8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint8_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint8_signal_warp(uint64_t ctx, uint8_t *dest, const uint8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int8_signal_warp(int8_t *dest, const int8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int8_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int8_signal_warp(uint64_t ctx, int8_t *dest, const int8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_schar_signal_warp(signed char *dest, const signed char *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_schar_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_schar_signal_warp(uint64_t ctx, signed char *dest, const signed char *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint16_signal_warp(uint16_t *dest, const uint16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint16_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint16_signal_warp(uint64_t ctx, uint16_t *dest, const uint16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int16_signal_warp(int16_t *dest, const int16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int16_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int16_signal_warp(uint64_t ctx, int16_t *dest, const int16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint32_signal_warp(uint32_t *dest, const uint32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint32_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint32_signal_warp(uint64_t ctx, uint32_t *dest, const uint32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int32_signal_warp(int32_t *dest, const int32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int32_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int32_signal_warp(uint64_t ctx, int32_t *dest, const int32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint64_signal_warp(uint64_t *dest, const uint64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint64_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint64_signal_warp(uint64_t ctx, uint64_t *dest, const uint64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int64_signal_warp(int64_t *dest, const int64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int64_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int64_signal_warp(uint64_t ctx, int64_t *dest, const int64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_float_signal_warp(float *dest, const float *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_float_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_float_signal_warp(uint64_t ctx, float *dest, const float *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_double_signal_warp(double *dest, const double *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_double_signal_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_double_signal_warp(uint64_t ctx, double *dest, const double *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Start copying @bytes bytes from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_nbi_signal_block(void *dest, const void *src, size_t bytes, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_putmem_nbi_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_nbi_signal_block(uint64_t ctx, void *dest, const void *src, size_t bytes, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Copy @bytes bytes from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_signal_block(void *dest, const void *src, size_t bytes, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_putmem_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_signal_block(uint64_t ctx, void *dest, const void *src, size_t bytes, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint8_nbi_signal_block(uint8_t *dest, const uint8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint8_nbi_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint8_nbi_signal_block(uint64_t ctx, uint8_t *dest, const uint8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int8_nbi_signal_block(int8_t *dest, const int8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int8_nbi_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int8_nbi_signal_block(uint64_t ctx, int8_t *dest, const int8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_schar_nbi_signal_block(signed char *dest, const signed char *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_schar_nbi_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_schar_nbi_signal_block(uint64_t ctx, signed char *dest, const signed char *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint16_nbi_signal_block(uint16_t *dest, const uint16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint16_nbi_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint16_nbi_signal_block(uint64_t ctx, uint16_t *dest, const uint16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int16_nbi_signal_block(int16_t *dest, const int16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int16_nbi_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int16_nbi_signal_block(uint64_t ctx, int16_t *dest, const int16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint32_nbi_signal_block(uint32_t *dest, const uint32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint32_nbi_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint32_nbi_signal_block(uint64_t ctx, uint32_t *dest, const uint32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int32_nbi_signal_block(int32_t *dest, const int32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int32_nbi_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int32_nbi_signal_block(uint64_t ctx, int32_t *dest, const int32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint64_nbi_signal_block(uint64_t *dest, const uint64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint64_nbi_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint64_nbi_signal_block(uint64_t ctx, uint64_t *dest, const uint64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int64_nbi_signal_block(int64_t *dest, const int64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int64_nbi_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int64_nbi_signal_block(uint64_t ctx, int64_t *dest, const int64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_float_nbi_signal_block(float *dest, const float *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_float_nbi_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_float_nbi_signal_block(uint64_t ctx, float *dest, const float *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Start copying @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_double_nbi_signal_block(double *dest, const double *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_double_nbi_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_double_nbi_signal_block(uint64_t ctx, double *dest, const double *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint8_signal_block(uint8_t *dest, const uint8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint8_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint8_signal_block(uint64_t ctx, uint8_t *dest, const uint8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int8_signal_block(int8_t *dest, const int8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int8_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int8_signal_block(uint64_t ctx, int8_t *dest, const int8_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_schar_signal_block(signed char *dest, const signed char *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_schar_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_schar_signal_block(uint64_t ctx, signed char *dest, const signed char *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint16_signal_block(uint16_t *dest, const uint16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint16_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint16_signal_block(uint64_t ctx, uint16_t *dest, const uint16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int16_signal_block(int16_t *dest, const int16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int16_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int16_signal_block(uint64_t ctx, int16_t *dest, const int16_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint32_signal_block(uint32_t *dest, const uint32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint32_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint32_signal_block(uint64_t ctx, uint32_t *dest, const uint32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int32_signal_block(int32_t *dest, const int32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int32_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int32_signal_block(uint64_t ctx, int32_t *dest, const int32_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_uint64_signal_block(uint64_t *dest, const uint64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_uint64_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_uint64_signal_block(uint64_t ctx, uint64_t *dest, const uint64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_int64_signal_block(int64_t *dest, const int64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_int64_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_int64_signal_block(uint64_t ctx, int64_t *dest, const int64_t *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_float_signal_block(float *dest, const float *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_float_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_float_signal_block(uint64_t ctx, float *dest, const float *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Copy @nelems elements from @src to @dest at PE @pe, then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_put_double_signal_block(double *dest, const double *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_put_double_signal_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_put_double_signal_block(uint64_t ctx, double *dest, const double *src, size_t nelems, void *sig, uint64_t value, int op, int pe, int qp);

/* Family: signal */

/** All threads of the warp together: Update the signal word @sig at PE @pe as @op says (MORI_SHMEM_SIGNAL_*), after this thread's earlier puts to @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_signal_op_warp(uint64_t *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_signal_op_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_signal_op_warp(uint64_t ctx, uint64_t *sig, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Update the signal word @sig at PE @pe as @op says (MORI_SHMEM_SIGNAL_*), after this thread's earlier puts to @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_signal_op_block(uint64_t *sig, uint64_t value, int op, int pe, int qp);
/** mori_shmem_signal_op_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_signal_op_block(uint64_t ctx, uint64_t *sig, uint64_t value, int op, int pe, int qp);

/* Family: value */

/** All threads of the block together: Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_char_p_block(char *dest, char value, int pe, int qp);
/** mori_shmem_char_p_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_char_p_block(uint64_t ctx, char *dest, char value, int pe, int qp);
/** All threads of the block together: Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
char mori_shmem_char_g_block(const char *src, int pe, int qp);
/** mori_shmem_char_g_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
char mori_shmem_ctx_char_g_block(uint64_t ctx, const char *src, int pe, int qp);
/** All threads of the block together: Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_schar_p_block(signed char *dest, signed char value, int pe, int qp);
/** mori_shmem_schar_p_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_schar_p_block(uint64_t ctx, signed char *dest, signed char value, int pe, int qp);
/** All threads of the block together: Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
signed char mori_shmem_schar_g_block(const signed char *src, int pe, int qp);
/** mori_shmem_schar_g_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
signed char mori_shmem_ctx_schar_g_block(uint64_t ctx, const signed char *src, int pe, int qp);
/** All threads of the block together: Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_short_p_block(short *dest, short value, int pe, int qp);
/** mori_shmem_short_p_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_short_p_block(uint64_t ctx, short *dest, short value, int pe, int qp);
/** All threads of the block together: Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
short mori_shmem_short_g_block(const short *src, int pe, int qp);
/** mori_shmem_short_g_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
short mori_shmem_ctx_short_g_block(uint64_t ctx, const short *src, int pe, int qp);
/** All threads of the block together: Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int_p_block(int *dest, int value, int pe, int qp);
/** mori_shmem_int_p_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int_p_block(uint64_t ctx, int *dest, int value, int pe, int qp);
/** All threads of the block together: Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
int mori_shmem_int_g_block(const int *src, int pe, int qp);
/** mori_shmem_int_g_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int_g_block(uint64_t ctx, const int *src, int pe, int qp);
/** All threads of the block together: Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_long_p_block(long *dest, long value, int pe, int qp);
/** mori_shmem_long_p_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_long_p_block(uint64_t ctx, long *dest, long value, int pe, int qp);
/** All threads of the block together: Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
long mori_shmem_long_g_block(const long *src, int pe, int qp);
/** mori_shmem_long_g_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
long mori_shmem_ctx_long_g_block(uint64_t ctx, const long *src, int pe, int qp);
/** All threads of the block together: Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_longlong_p_block(long long *dest, long long value, int pe, int qp);
/** mori_shmem_longlong_p_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_longlong_p_block(uint64_t ctx, long long *dest, long long value, int pe, int qp);
/** All threads of the block together: Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
long long mori_shmem_longlong_g_block(const long long *src, int pe, int qp);
/** mori_shmem_longlong_g_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
long long mori_shmem_ctx_longlong_g_block(uint64_t ctx, const long long *src, int pe, int qp);
/** All threads of the block together: Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uchar_p_block(unsigned char *dest, unsigned char value, int pe, int qp);
/** mori_shmem_uchar_p_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uchar_p_block(uint64_t ctx, unsigned char *dest, unsigned char value, int pe, int qp);
/** All threads of the block together: Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
unsigned char mori_shmem_uchar_g_block(const unsigned char *src, int pe, int qp);
/** mori_shmem_uchar_g_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
unsigned char mori_shmem_ctx_uchar_g_block(uint64_t ctx, const unsigned char *src, int pe, int qp);
/** All threads of the block together: Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_ushort_p_block(unsigned short *dest, unsigned short value, int pe, int qp);
/** mori_shmem_ushort_p_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_ushort_p_block(uint64_t ctx, unsigned short *dest, unsigned short value, int pe, int qp);
/** All threads of the block together: Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
unsigned short mori_shmem_ushort_g_block(const unsigned short *src, int pe, int qp);
/** mori_shmem_ushort_g_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
unsigned short mori_shmem_ctx_ushort_g_block(uint64_t ctx, const unsigned short *src, int pe, int qp);
/** All threads of the block together: Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint_p_block(unsigned int *dest, unsigned int value, int pe, int qp);
/** mori_shmem_uint_p_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint_p_block(uint64_t ctx, unsigned int *dest, unsigned int value, int pe, int qp);
/** All threads of the block together: Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
unsigned int mori_shmem_uint_g_block(const unsigned int *src, int pe, int qp);
/** mori_shmem_uint_g_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
unsigned int mori_shmem_ctx_uint_g_block(uint64_t ctx, const unsigned int *src, int pe, int qp);
/** All threads of the block together: Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_ulong_p_block(unsigned long *dest, unsigned long value, int pe, int qp);
/** mori_shmem_ulong_p_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_ulong_p_block(uint64_t ctx, unsigned long *dest, unsigned long value, int pe, int qp);
/** All threads of the block together: Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
unsigned long mori_shmem_ulong_g_block(const unsigned long *src, int pe, int qp);
/** mori_shmem_ulong_g_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
unsigned long mori_shmem_ctx_ulong_g_block(uint64_t ctx, const unsigned long *src, int pe, int qp);
/** All threads of the block together: Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_ulonglong_p_block(unsigned long long *dest, unsigned long long value, int pe, int qp);
/** mori_shmem_ulonglong_p_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_ulonglong_p_block(uint64_t ctx, unsigned long long *dest, unsigned long long value, int pe, int qp);
/** All threads of the block together: Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
unsigned long long mori_shmem_ulonglong_g_block(const unsigned long long *src, int pe, int qp);
/** mori_shmem_ulonglong_g_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
unsigned long long mori_shmem_ctx_ulonglong_g_block(uint64_t ctx, const unsigned long long *src, int pe, int qp);
/** All threads of the block together: Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int8_p_block(int8_t *dest, int8_t value, int pe, int qp);
/** mori_shmem_int8_p_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int8_p_block(uint64_t ctx, int8_t *dest, int8_t value, int pe, int qp);
/** All threads of the block together: Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
int8_t mori_shmem_int8_g_block(const int8_t *src, int pe, int qp);
/** mori_shmem_int8_g_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int8_t mori_shmem_ctx_int8_g_block(uint64_t ctx, const int8_t *src, int pe, int qp);
/** All threads of the block together: Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int16_p_block(int16_t *dest, int16_t value, int pe, int qp);
/** mori_shmem_int16_p_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int16_p_block(uint64_t ctx, int16_t *dest, int16_t value, int pe, int qp);
/** All threads of the block together: Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
int16_t mori_shmem_int16_g_block(const int16_t *src, int pe, int qp);
/** mori_shmem_int16_g_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int16_t mori_shmem_ctx_int16_g_block(uint64_t ctx, const int16_t *src, int pe, int qp);
/** All threads of the block together: Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_p_block(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_p_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_p_block(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** All threads of the block together: Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_g_block(const int32_t *src, int pe, int qp);
/** mori_shmem_int32_g_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_g_block(uint64_t ctx, const int32_t *src, int pe, int qp);
/** All threads of the block together: Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_p_block(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_p_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_p_block(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** All threads of the block together: Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_g_block(const int64_t *src, int pe, int qp);
/** mori_shmem_int64_g_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_g_block(uint64_t ctx, const int64_t *src, int pe, int qp);
/** All threads of the block together: Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint8_p_block(uint8_t *dest, uint8_t value, int pe, int qp);
/** mori_shmem_uint8_p_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint8_p_block(uint64_t ctx, uint8_t *dest, uint8_t value, int pe, int qp);
/** All threads of the block together: Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
uint8_t mori_shmem_uint8_g_block(const uint8_t *src, int pe, int qp);
/** mori_shmem_uint8_g_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint8_t mori_shmem_ctx_uint8_g_block(uint64_t ctx, const uint8_t *src, int pe, int qp);
/** All threads of the block together: Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint16_p_block(uint16_t *dest, uint16_t value, int pe, int qp);
/** mori_shmem_uint16_p_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint16_p_block(uint64_t ctx, uint16_t *dest, uint16_t value, int pe, int qp);
/** All threads of the block together: Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
uint16_t mori_shmem_uint16_g_block(const uint16_t *src, int pe, int qp);
/** mori_shmem_uint16_g_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint16_t mori_shmem_ctx_uint16_g_block(uint64_t ctx, const uint16_t *src, int pe, int qp);
/** All threads of the block together: Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_p_block(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_p_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_p_block(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** All threads of the block together: Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_g_block(const uint32_t *src, int pe, int qp);
/** mori_shmem_uint32_g_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_g_block(uint64_t ctx, const uint32_t *src, int pe, int qp);
/** All threads of the block together: Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_p_block(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_p_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_p_block(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** All threads of the block together: Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_g_block(const uint64_t *src, int pe, int qp);
/** mori_shmem_uint64_g_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_g_block(uint64_t ctx, const uint64_t *src, int pe, int qp);
/** All threads of the block together: Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_float_p_block(float *dest, float value, int pe, int qp);
/** mori_shmem_float_p_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_float_p_block(uint64_t ctx, float *dest, float value, int pe, int qp);
/** All threads of the block together: Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
float mori_shmem_float_g_block(const float *src, int pe, int qp);
/** mori_shmem_float_g_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
float mori_shmem_ctx_float_g_block(uint64_t ctx, const float *src, int pe, int qp);
/** All threads of the block together: Write one value to @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_double_p_block(double *dest, double value, int pe, int qp);
/** mori_shmem_double_p_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_double_p_block(uint64_t ctx, double *dest, double value, int pe, int qp);
/** All threads of the block together: Read one value from @src at PE @pe. Return: the value; 0 on an error, with a fault for mori_shmem_check(). */
double mori_shmem_double_g_block(const double *src, int pe, int qp);
/** mori_shmem_double_g_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
double mori_shmem_ctx_double_g_block(uint64_t ctx, const double *src, int pe, int qp);

/* Family: object */

/** All threads of the warp together: Start copying @bytes bytes at @src_off of @src to @dest_off of @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_nbi_obj_warp(mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** mori_shmem_putmem_nbi_obj_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_nbi_obj_warp(uint64_t ctx, mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** All threads of the warp together: Copy @bytes bytes at @src_off of @src to @dest_off of @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_obj_warp(mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** mori_shmem_putmem_obj_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_obj_warp(uint64_t ctx, mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** All threads of the warp together: Start copying @bytes bytes at @src_off of @src at PE @pe to @dest_off of @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_getmem_nbi_obj_warp(mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** mori_shmem_getmem_nbi_obj_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_getmem_nbi_obj_warp(uint64_t ctx, mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** All threads of the warp together: Copy @bytes bytes at @src_off of @src at PE @pe to @dest_off of @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_getmem_obj_warp(mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** mori_shmem_getmem_obj_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_getmem_obj_warp(uint64_t ctx, mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** All threads of the warp together: Start copying @bytes bytes at @src_off of @src to @dest_off of @dest at PE @pe, then update the signal word at @sig_off of @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_nbi_signal_obj_warp(mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, mori_shmem_memobj_t sig, size_t sig_off, uint64_t value, int op, int pe, int qp);
/** mori_shmem_putmem_nbi_signal_obj_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_nbi_signal_obj_warp(uint64_t ctx, mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, mori_shmem_memobj_t sig, size_t sig_off, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Copy @bytes bytes at @src_off of @src to @dest_off of @dest at PE @pe, then update the signal word at @sig_off of @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_signal_obj_warp(mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, mori_shmem_memobj_t sig, size_t sig_off, uint64_t value, int op, int pe, int qp);
/** mori_shmem_putmem_signal_obj_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_signal_obj_warp(uint64_t ctx, mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, mori_shmem_memobj_t sig, size_t sig_off, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Update the signal word at @sig_off of @sig at PE @pe as @op says (MORI_SHMEM_SIGNAL_*), after this thread's earlier puts to @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_signal_op_obj_warp(mori_shmem_memobj_t sig, size_t sig_off, uint64_t value, int op, int pe, int qp);
/** mori_shmem_signal_op_obj_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_signal_op_obj_warp(uint64_t ctx, mori_shmem_memobj_t sig, size_t sig_off, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Start copying @bytes bytes at @src_off of @src to @dest_off of @dest at PE @pe. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_nbi_obj_block(mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** mori_shmem_putmem_nbi_obj_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_nbi_obj_block(uint64_t ctx, mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** All threads of the block together: Copy @bytes bytes at @src_off of @src to @dest_off of @dest at PE @pe. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_obj_block(mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** mori_shmem_putmem_obj_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_obj_block(uint64_t ctx, mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** All threads of the block together: Start copying @bytes bytes at @src_off of @src at PE @pe to @dest_off of @dest; quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_getmem_nbi_obj_block(mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** mori_shmem_getmem_nbi_obj_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_getmem_nbi_obj_block(uint64_t ctx, mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** All threads of the block together: Copy @bytes bytes at @src_off of @src at PE @pe to @dest_off of @dest; complete on return. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_getmem_obj_block(mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** mori_shmem_getmem_obj_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_getmem_obj_block(uint64_t ctx, mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp);
/** All threads of the block together: Start copying @bytes bytes at @src_off of @src to @dest_off of @dest at PE @pe, then update the signal word at @sig_off of @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src must not change until quiet or a barrier completes it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_nbi_signal_obj_block(mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, mori_shmem_memobj_t sig, size_t sig_off, uint64_t value, int op, int pe, int qp);
/** mori_shmem_putmem_nbi_signal_obj_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_nbi_signal_obj_block(uint64_t ctx, mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, mori_shmem_memobj_t sig, size_t sig_off, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Copy @bytes bytes at @src_off of @src to @dest_off of @dest at PE @pe, then update the signal word at @sig_off of @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. @src may be reused on return; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_putmem_signal_obj_block(mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, mori_shmem_memobj_t sig, size_t sig_off, uint64_t value, int op, int pe, int qp);
/** mori_shmem_putmem_signal_obj_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_putmem_signal_obj_block(uint64_t ctx, mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes, mori_shmem_memobj_t sig, size_t sig_off, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Update the signal word at @sig_off of @sig at PE @pe as @op says (MORI_SHMEM_SIGNAL_*), after this thread's earlier puts to @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_signal_op_obj_block(mori_shmem_memobj_t sig, size_t sig_off, uint64_t value, int op, int pe, int qp);
/** mori_shmem_signal_op_obj_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_signal_op_obj_block(uint64_t ctx, mori_shmem_memobj_t sig, size_t sig_off, uint64_t value, int op, int pe, int qp);

/* Family: atomic */

/** All threads of the warp together: Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_atomic_int32_nonfetch_warp(int32_t *dest, int32_t value, int op, int pe, int qp);
/** mori_shmem_atomic_int32_nonfetch_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_atomic_int32_nonfetch_warp(uint64_t ctx, int32_t *dest, int32_t value, int op, int pe, int qp);
/** All threads of the warp together: Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_atomic_int32_fetch_warp(int32_t *dest, int32_t value, int32_t compare, int op, int pe, int qp);
/** mori_shmem_atomic_int32_fetch_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_atomic_int32_fetch_warp(uint64_t ctx, int32_t *dest, int32_t value, int32_t compare, int op, int pe, int qp);
/** All threads of the warp together: Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_atomic_uint32_nonfetch_warp(uint32_t *dest, uint32_t value, int op, int pe, int qp);
/** mori_shmem_atomic_uint32_nonfetch_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_atomic_uint32_nonfetch_warp(uint64_t ctx, uint32_t *dest, uint32_t value, int op, int pe, int qp);
/** All threads of the warp together: Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_atomic_uint32_fetch_warp(uint32_t *dest, uint32_t value, uint32_t compare, int op, int pe, int qp);
/** mori_shmem_atomic_uint32_fetch_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_atomic_uint32_fetch_warp(uint64_t ctx, uint32_t *dest, uint32_t value, uint32_t compare, int op, int pe, int qp);
/** All threads of the warp together: Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_atomic_int64_nonfetch_warp(int64_t *dest, int64_t value, int op, int pe, int qp);
/** mori_shmem_atomic_int64_nonfetch_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_atomic_int64_nonfetch_warp(uint64_t ctx, int64_t *dest, int64_t value, int op, int pe, int qp);
/** All threads of the warp together: Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_atomic_int64_fetch_warp(int64_t *dest, int64_t value, int64_t compare, int op, int pe, int qp);
/** mori_shmem_atomic_int64_fetch_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_atomic_int64_fetch_warp(uint64_t ctx, int64_t *dest, int64_t value, int64_t compare, int op, int pe, int qp);
/** All threads of the warp together: Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_atomic_uint64_nonfetch_warp(uint64_t *dest, uint64_t value, int op, int pe, int qp);
/** mori_shmem_atomic_uint64_nonfetch_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_atomic_uint64_nonfetch_warp(uint64_t ctx, uint64_t *dest, uint64_t value, int op, int pe, int qp);
/** All threads of the warp together: Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_atomic_uint64_fetch_warp(uint64_t *dest, uint64_t value, uint64_t compare, int op, int pe, int qp);
/** mori_shmem_atomic_uint64_fetch_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_atomic_uint64_fetch_warp(uint64_t ctx, uint64_t *dest, uint64_t value, uint64_t compare, int op, int pe, int qp);
/** All threads of the warp together: Atomically increment the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_atomic_inc_warp(int32_t *dest, int pe, int qp);
/** mori_shmem_int32_atomic_inc_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_atomic_inc_warp(uint64_t ctx, int32_t *dest, int pe, int qp);
/** All threads of the warp together: Atomically read the word @src at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_fetch_warp(const int32_t *src, int pe, int qp);
/** mori_shmem_int32_atomic_fetch_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_fetch_warp(uint64_t ctx, const int32_t *src, int pe, int qp);
/** All threads of the warp together: Atomically increment the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_fetch_inc_warp(int32_t *dest, int pe, int qp);
/** mori_shmem_int32_atomic_fetch_inc_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_fetch_inc_warp(uint64_t ctx, int32_t *dest, int pe, int qp);
/** All threads of the warp together: Atomically store @value, if the word equals @compare, to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_compare_swap_warp(int32_t *dest, int32_t compare, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_compare_swap_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_compare_swap_warp(uint64_t ctx, int32_t *dest, int32_t compare, int32_t value, int pe, int qp);
/** All threads of the warp together: Atomically increment the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_atomic_inc_warp(uint32_t *dest, int pe, int qp);
/** mori_shmem_uint32_atomic_inc_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_atomic_inc_warp(uint64_t ctx, uint32_t *dest, int pe, int qp);
/** All threads of the warp together: Atomically read the word @src at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_fetch_warp(const uint32_t *src, int pe, int qp);
/** mori_shmem_uint32_atomic_fetch_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_fetch_warp(uint64_t ctx, const uint32_t *src, int pe, int qp);
/** All threads of the warp together: Atomically increment the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_fetch_inc_warp(uint32_t *dest, int pe, int qp);
/** mori_shmem_uint32_atomic_fetch_inc_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_fetch_inc_warp(uint64_t ctx, uint32_t *dest, int pe, int qp);
/** All threads of the warp together: Atomically store @value, if the word equals @compare, to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_compare_swap_warp(uint32_t *dest, uint32_t compare, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_compare_swap_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_compare_swap_warp(uint64_t ctx, uint32_t *dest, uint32_t compare, uint32_t value, int pe, int qp);
/** All threads of the warp together: Atomically increment the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_atomic_inc_warp(int64_t *dest, int pe, int qp);
/** mori_shmem_int64_atomic_inc_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_atomic_inc_warp(uint64_t ctx, int64_t *dest, int pe, int qp);
/** All threads of the warp together: Atomically read the word @src at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_fetch_warp(const int64_t *src, int pe, int qp);
/** mori_shmem_int64_atomic_fetch_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_fetch_warp(uint64_t ctx, const int64_t *src, int pe, int qp);
/** All threads of the warp together: Atomically increment the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_fetch_inc_warp(int64_t *dest, int pe, int qp);
/** mori_shmem_int64_atomic_fetch_inc_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_fetch_inc_warp(uint64_t ctx, int64_t *dest, int pe, int qp);
/** All threads of the warp together: Atomically store @value, if the word equals @compare, to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_compare_swap_warp(int64_t *dest, int64_t compare, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_compare_swap_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_compare_swap_warp(uint64_t ctx, int64_t *dest, int64_t compare, int64_t value, int pe, int qp);
/** All threads of the warp together: Atomically increment the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_atomic_inc_warp(uint64_t *dest, int pe, int qp);
/** mori_shmem_uint64_atomic_inc_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_atomic_inc_warp(uint64_t ctx, uint64_t *dest, int pe, int qp);
/** All threads of the warp together: Atomically read the word @src at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_fetch_warp(const uint64_t *src, int pe, int qp);
/** mori_shmem_uint64_atomic_fetch_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_fetch_warp(uint64_t ctx, const uint64_t *src, int pe, int qp);
/** All threads of the warp together: Atomically increment the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_fetch_inc_warp(uint64_t *dest, int pe, int qp);
/** mori_shmem_uint64_atomic_fetch_inc_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_fetch_inc_warp(uint64_t ctx, uint64_t *dest, int pe, int qp);
/** All threads of the warp together: Atomically store @value, if the word equals @compare, to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_compare_swap_warp(uint64_t *dest, uint64_t compare, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_compare_swap_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_compare_swap_warp(uint64_t ctx, uint64_t *dest, uint64_t compare, uint64_t value, int pe, int qp);
/** All threads of the warp together: Atomically store @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_atomic_set_warp(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_set_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_atomic_set_warp(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** All threads of the warp together: Atomically add @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_atomic_add_warp(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_add_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_atomic_add_warp(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise AND with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_atomic_and_warp(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_and_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_atomic_and_warp(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise OR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_atomic_or_warp(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_or_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_atomic_or_warp(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise XOR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_atomic_xor_warp(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_xor_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_atomic_xor_warp(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** All threads of the warp together: Atomically add @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_fetch_add_warp(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_fetch_add_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_fetch_add_warp(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise AND with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_fetch_and_warp(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_fetch_and_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_fetch_and_warp(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise OR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_fetch_or_warp(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_fetch_or_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_fetch_or_warp(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise XOR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_fetch_xor_warp(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_fetch_xor_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_fetch_xor_warp(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** All threads of the warp together: Atomically store @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_swap_warp(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_swap_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_swap_warp(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** All threads of the warp together: Atomically store @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_atomic_set_warp(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_set_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_atomic_set_warp(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** All threads of the warp together: Atomically add @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_atomic_add_warp(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_add_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_atomic_add_warp(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise AND with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_atomic_and_warp(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_and_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_atomic_and_warp(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise OR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_atomic_or_warp(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_or_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_atomic_or_warp(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise XOR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_atomic_xor_warp(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_xor_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_atomic_xor_warp(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** All threads of the warp together: Atomically add @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_fetch_add_warp(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_fetch_add_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_fetch_add_warp(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise AND with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_fetch_and_warp(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_fetch_and_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_fetch_and_warp(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise OR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_fetch_or_warp(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_fetch_or_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_fetch_or_warp(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise XOR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_fetch_xor_warp(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_fetch_xor_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_fetch_xor_warp(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** All threads of the warp together: Atomically store @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_swap_warp(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_swap_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_swap_warp(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** All threads of the warp together: Atomically store @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_atomic_set_warp(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_set_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_atomic_set_warp(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** All threads of the warp together: Atomically add @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_atomic_add_warp(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_add_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_atomic_add_warp(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise AND with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_atomic_and_warp(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_and_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_atomic_and_warp(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise OR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_atomic_or_warp(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_or_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_atomic_or_warp(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise XOR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_atomic_xor_warp(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_xor_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_atomic_xor_warp(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** All threads of the warp together: Atomically add @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_fetch_add_warp(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_fetch_add_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_fetch_add_warp(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise AND with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_fetch_and_warp(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_fetch_and_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_fetch_and_warp(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise OR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_fetch_or_warp(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_fetch_or_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_fetch_or_warp(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise XOR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_fetch_xor_warp(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_fetch_xor_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_fetch_xor_warp(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** All threads of the warp together: Atomically store @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_swap_warp(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_swap_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_swap_warp(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** All threads of the warp together: Atomically store @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_atomic_set_warp(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_set_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_atomic_set_warp(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** All threads of the warp together: Atomically add @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_atomic_add_warp(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_add_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_atomic_add_warp(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise AND with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_atomic_and_warp(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_and_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_atomic_and_warp(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise OR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_atomic_or_warp(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_or_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_atomic_or_warp(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise XOR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_atomic_xor_warp(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_xor_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_atomic_xor_warp(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** All threads of the warp together: Atomically add @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_fetch_add_warp(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_fetch_add_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_fetch_add_warp(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise AND with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_fetch_and_warp(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_fetch_and_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_fetch_and_warp(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise OR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_fetch_or_warp(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_fetch_or_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_fetch_or_warp(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** All threads of the warp together: Atomically apply bitwise XOR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_fetch_xor_warp(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_fetch_xor_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_fetch_xor_warp(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** All threads of the warp together: Atomically store @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_swap_warp(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_swap_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_swap_warp(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** All threads of the warp together: Atomically add @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_float_atomic_add_warp(float *dest, float value, int pe, int qp);
/** mori_shmem_float_atomic_add_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_float_atomic_add_warp(uint64_t ctx, float *dest, float value, int pe, int qp);
/** All threads of the warp together: Atomically add @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
float mori_shmem_float_atomic_fetch_add_warp(float *dest, float value, int pe, int qp);
/** mori_shmem_float_atomic_fetch_add_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
float mori_shmem_ctx_float_atomic_fetch_add_warp(uint64_t ctx, float *dest, float value, int pe, int qp);
/** All threads of the warp together: Atomically add @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_double_atomic_add_warp(double *dest, double value, int pe, int qp);
/** mori_shmem_double_atomic_add_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_double_atomic_add_warp(uint64_t ctx, double *dest, double value, int pe, int qp);
/** All threads of the warp together: Atomically add @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
double mori_shmem_double_atomic_fetch_add_warp(double *dest, double value, int pe, int qp);
/** mori_shmem_double_atomic_fetch_add_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
double mori_shmem_ctx_double_atomic_fetch_add_warp(uint64_t ctx, double *dest, double value, int pe, int qp);
/** All threads of the block together: Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_atomic_int32_nonfetch_block(int32_t *dest, int32_t value, int op, int pe, int qp);
/** mori_shmem_atomic_int32_nonfetch_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_atomic_int32_nonfetch_block(uint64_t ctx, int32_t *dest, int32_t value, int op, int pe, int qp);
/** All threads of the block together: Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_atomic_int32_fetch_block(int32_t *dest, int32_t value, int32_t compare, int op, int pe, int qp);
/** mori_shmem_atomic_int32_fetch_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_atomic_int32_fetch_block(uint64_t ctx, int32_t *dest, int32_t value, int32_t compare, int op, int pe, int qp);
/** All threads of the block together: Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_atomic_uint32_nonfetch_block(uint32_t *dest, uint32_t value, int op, int pe, int qp);
/** mori_shmem_atomic_uint32_nonfetch_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_atomic_uint32_nonfetch_block(uint64_t ctx, uint32_t *dest, uint32_t value, int op, int pe, int qp);
/** All threads of the block together: Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_atomic_uint32_fetch_block(uint32_t *dest, uint32_t value, uint32_t compare, int op, int pe, int qp);
/** mori_shmem_atomic_uint32_fetch_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_atomic_uint32_fetch_block(uint64_t ctx, uint32_t *dest, uint32_t value, uint32_t compare, int op, int pe, int qp);
/** All threads of the block together: Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_atomic_int64_nonfetch_block(int64_t *dest, int64_t value, int op, int pe, int qp);
/** mori_shmem_atomic_int64_nonfetch_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_atomic_int64_nonfetch_block(uint64_t ctx, int64_t *dest, int64_t value, int op, int pe, int qp);
/** All threads of the block together: Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_atomic_int64_fetch_block(int64_t *dest, int64_t value, int64_t compare, int op, int pe, int qp);
/** mori_shmem_atomic_int64_fetch_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_atomic_int64_fetch_block(uint64_t ctx, int64_t *dest, int64_t value, int64_t compare, int op, int pe, int qp);
/** All threads of the block together: Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_atomic_uint64_nonfetch_block(uint64_t *dest, uint64_t value, int op, int pe, int qp);
/** mori_shmem_atomic_uint64_nonfetch_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_atomic_uint64_nonfetch_block(uint64_t ctx, uint64_t *dest, uint64_t value, int op, int pe, int qp);
/** All threads of the block together: Atomically apply @op (MORI_SHMEM_AMO_*) to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_atomic_uint64_fetch_block(uint64_t *dest, uint64_t value, uint64_t compare, int op, int pe, int qp);
/** mori_shmem_atomic_uint64_fetch_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_atomic_uint64_fetch_block(uint64_t ctx, uint64_t *dest, uint64_t value, uint64_t compare, int op, int pe, int qp);
/** All threads of the block together: Atomically increment the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_atomic_inc_block(int32_t *dest, int pe, int qp);
/** mori_shmem_int32_atomic_inc_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_atomic_inc_block(uint64_t ctx, int32_t *dest, int pe, int qp);
/** All threads of the block together: Atomically read the word @src at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_fetch_block(const int32_t *src, int pe, int qp);
/** mori_shmem_int32_atomic_fetch_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_fetch_block(uint64_t ctx, const int32_t *src, int pe, int qp);
/** All threads of the block together: Atomically increment the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_fetch_inc_block(int32_t *dest, int pe, int qp);
/** mori_shmem_int32_atomic_fetch_inc_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_fetch_inc_block(uint64_t ctx, int32_t *dest, int pe, int qp);
/** All threads of the block together: Atomically store @value, if the word equals @compare, to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_compare_swap_block(int32_t *dest, int32_t compare, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_compare_swap_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_compare_swap_block(uint64_t ctx, int32_t *dest, int32_t compare, int32_t value, int pe, int qp);
/** All threads of the block together: Atomically increment the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_atomic_inc_block(uint32_t *dest, int pe, int qp);
/** mori_shmem_uint32_atomic_inc_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_atomic_inc_block(uint64_t ctx, uint32_t *dest, int pe, int qp);
/** All threads of the block together: Atomically read the word @src at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_fetch_block(const uint32_t *src, int pe, int qp);
/** mori_shmem_uint32_atomic_fetch_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_fetch_block(uint64_t ctx, const uint32_t *src, int pe, int qp);
/** All threads of the block together: Atomically increment the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_fetch_inc_block(uint32_t *dest, int pe, int qp);
/** mori_shmem_uint32_atomic_fetch_inc_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_fetch_inc_block(uint64_t ctx, uint32_t *dest, int pe, int qp);
/** All threads of the block together: Atomically store @value, if the word equals @compare, to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_compare_swap_block(uint32_t *dest, uint32_t compare, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_compare_swap_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_compare_swap_block(uint64_t ctx, uint32_t *dest, uint32_t compare, uint32_t value, int pe, int qp);
/** All threads of the block together: Atomically increment the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_atomic_inc_block(int64_t *dest, int pe, int qp);
/** mori_shmem_int64_atomic_inc_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_atomic_inc_block(uint64_t ctx, int64_t *dest, int pe, int qp);
/** All threads of the block together: Atomically read the word @src at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_fetch_block(const int64_t *src, int pe, int qp);
/** mori_shmem_int64_atomic_fetch_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_fetch_block(uint64_t ctx, const int64_t *src, int pe, int qp);
/** All threads of the block together: Atomically increment the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_fetch_inc_block(int64_t *dest, int pe, int qp);
/** mori_shmem_int64_atomic_fetch_inc_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_fetch_inc_block(uint64_t ctx, int64_t *dest, int pe, int qp);
/** All threads of the block together: Atomically store @value, if the word equals @compare, to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_compare_swap_block(int64_t *dest, int64_t compare, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_compare_swap_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_compare_swap_block(uint64_t ctx, int64_t *dest, int64_t compare, int64_t value, int pe, int qp);
/** All threads of the block together: Atomically increment the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_atomic_inc_block(uint64_t *dest, int pe, int qp);
/** mori_shmem_uint64_atomic_inc_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_atomic_inc_block(uint64_t ctx, uint64_t *dest, int pe, int qp);
/** All threads of the block together: Atomically read the word @src at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_fetch_block(const uint64_t *src, int pe, int qp);
/** mori_shmem_uint64_atomic_fetch_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_fetch_block(uint64_t ctx, const uint64_t *src, int pe, int qp);
/** All threads of the block together: Atomically increment the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_fetch_inc_block(uint64_t *dest, int pe, int qp);
/** mori_shmem_uint64_atomic_fetch_inc_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_fetch_inc_block(uint64_t ctx, uint64_t *dest, int pe, int qp);
/** All threads of the block together: Atomically store @value, if the word equals @compare, to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_compare_swap_block(uint64_t *dest, uint64_t compare, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_compare_swap_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_compare_swap_block(uint64_t ctx, uint64_t *dest, uint64_t compare, uint64_t value, int pe, int qp);
/** All threads of the block together: Atomically store @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_atomic_set_block(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_set_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_atomic_set_block(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** All threads of the block together: Atomically add @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_atomic_add_block(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_add_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_atomic_add_block(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise AND with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_atomic_and_block(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_and_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_atomic_and_block(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise OR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_atomic_or_block(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_or_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_atomic_or_block(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise XOR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_atomic_xor_block(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_xor_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_atomic_xor_block(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** All threads of the block together: Atomically add @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_fetch_add_block(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_fetch_add_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_fetch_add_block(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise AND with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_fetch_and_block(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_fetch_and_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_fetch_and_block(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise OR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_fetch_or_block(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_fetch_or_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_fetch_or_block(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise XOR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_fetch_xor_block(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_fetch_xor_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_fetch_xor_block(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** All threads of the block together: Atomically store @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_atomic_swap_block(int32_t *dest, int32_t value, int pe, int qp);
/** mori_shmem_int32_atomic_swap_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_atomic_swap_block(uint64_t ctx, int32_t *dest, int32_t value, int pe, int qp);
/** All threads of the block together: Atomically store @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_atomic_set_block(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_set_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_atomic_set_block(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** All threads of the block together: Atomically add @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_atomic_add_block(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_add_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_atomic_add_block(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise AND with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_atomic_and_block(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_and_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_atomic_and_block(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise OR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_atomic_or_block(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_or_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_atomic_or_block(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise XOR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_atomic_xor_block(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_xor_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_atomic_xor_block(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** All threads of the block together: Atomically add @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_fetch_add_block(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_fetch_add_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_fetch_add_block(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise AND with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_fetch_and_block(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_fetch_and_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_fetch_and_block(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise OR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_fetch_or_block(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_fetch_or_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_fetch_or_block(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise XOR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_fetch_xor_block(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_fetch_xor_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_fetch_xor_block(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** All threads of the block together: Atomically store @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_atomic_swap_block(uint32_t *dest, uint32_t value, int pe, int qp);
/** mori_shmem_uint32_atomic_swap_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_atomic_swap_block(uint64_t ctx, uint32_t *dest, uint32_t value, int pe, int qp);
/** All threads of the block together: Atomically store @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_atomic_set_block(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_set_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_atomic_set_block(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** All threads of the block together: Atomically add @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_atomic_add_block(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_add_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_atomic_add_block(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise AND with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_atomic_and_block(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_and_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_atomic_and_block(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise OR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_atomic_or_block(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_or_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_atomic_or_block(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise XOR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_atomic_xor_block(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_xor_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_atomic_xor_block(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** All threads of the block together: Atomically add @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_fetch_add_block(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_fetch_add_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_fetch_add_block(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise AND with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_fetch_and_block(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_fetch_and_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_fetch_and_block(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise OR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_fetch_or_block(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_fetch_or_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_fetch_or_block(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise XOR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_fetch_xor_block(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_fetch_xor_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_fetch_xor_block(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** All threads of the block together: Atomically store @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_atomic_swap_block(int64_t *dest, int64_t value, int pe, int qp);
/** mori_shmem_int64_atomic_swap_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_atomic_swap_block(uint64_t ctx, int64_t *dest, int64_t value, int pe, int qp);
/** All threads of the block together: Atomically store @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_atomic_set_block(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_set_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_atomic_set_block(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** All threads of the block together: Atomically add @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_atomic_add_block(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_add_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_atomic_add_block(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise AND with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_atomic_and_block(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_and_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_atomic_and_block(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise OR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_atomic_or_block(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_or_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_atomic_or_block(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise XOR with @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_atomic_xor_block(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_xor_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_atomic_xor_block(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** All threads of the block together: Atomically add @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_fetch_add_block(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_fetch_add_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_fetch_add_block(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise AND with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_fetch_and_block(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_fetch_and_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_fetch_and_block(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise OR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_fetch_or_block(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_fetch_or_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_fetch_or_block(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** All threads of the block together: Atomically apply bitwise XOR with @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_fetch_xor_block(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_fetch_xor_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_fetch_xor_block(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** All threads of the block together: Atomically store @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_atomic_swap_block(uint64_t *dest, uint64_t value, int pe, int qp);
/** mori_shmem_uint64_atomic_swap_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_atomic_swap_block(uint64_t ctx, uint64_t *dest, uint64_t value, int pe, int qp);
/** All threads of the block together: Atomically add @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_float_atomic_add_block(float *dest, float value, int pe, int qp);
/** mori_shmem_float_atomic_add_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_float_atomic_add_block(uint64_t ctx, float *dest, float value, int pe, int qp);
/** All threads of the block together: Atomically add @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
float mori_shmem_float_atomic_fetch_add_block(float *dest, float value, int pe, int qp);
/** mori_shmem_float_atomic_fetch_add_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
float mori_shmem_ctx_float_atomic_fetch_add_block(uint64_t ctx, float *dest, float value, int pe, int qp);
/** All threads of the block together: Atomically add @value to the word @dest at PE @pe; quiet or a barrier completes it at @pe. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_double_atomic_add_block(double *dest, double value, int pe, int qp);
/** mori_shmem_double_atomic_add_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_double_atomic_add_block(uint64_t ctx, double *dest, double value, int pe, int qp);
/** All threads of the block together: Atomically add @value to the word @dest at PE @pe. Return: its previous value; 0 on an error, with a fault for mori_shmem_check(). */
double mori_shmem_double_atomic_fetch_add_block(double *dest, double value, int pe, int qp);
/** mori_shmem_double_atomic_fetch_add_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
double mori_shmem_ctx_double_atomic_fetch_add_block(uint64_t ctx, double *dest, double value, int pe, int qp);

/* Family: wait */

/** All threads of the block together: Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_wait_until_block(int32_t *addr, int cmp, int32_t value);
/** mori_shmem_int32_wait_until_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_wait_until_block(uint64_t ctx, int32_t *addr, int cmp, int32_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_wait_until_for_block(int32_t *addr, int cmp, int32_t value, uint64_t ns);
/** mori_shmem_int32_wait_until_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_wait_until_for_block(uint64_t ctx, int32_t *addr, int cmp, int32_t value, uint64_t ns);
/** All threads of the block together: Check once whether the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 1 or 0; 0 on an error, with a fault for mori_shmem_check(). */
int mori_shmem_int32_test_block(int32_t *addr, int cmp, int32_t value);
/** mori_shmem_int32_test_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_test_block(uint64_t ctx, int32_t *addr, int cmp, int32_t value);
/** All threads of the block together: Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_wait_until_block(uint32_t *addr, int cmp, uint32_t value);
/** mori_shmem_uint32_wait_until_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_wait_until_block(uint64_t ctx, uint32_t *addr, int cmp, uint32_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_wait_until_for_block(uint32_t *addr, int cmp, uint32_t value, uint64_t ns);
/** mori_shmem_uint32_wait_until_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_wait_until_for_block(uint64_t ctx, uint32_t *addr, int cmp, uint32_t value, uint64_t ns);
/** All threads of the block together: Check once whether the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 1 or 0; 0 on an error, with a fault for mori_shmem_check(). */
int mori_shmem_uint32_test_block(uint32_t *addr, int cmp, uint32_t value);
/** mori_shmem_uint32_test_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_test_block(uint64_t ctx, uint32_t *addr, int cmp, uint32_t value);
/** All threads of the block together: Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_wait_until_block(int64_t *addr, int cmp, int64_t value);
/** mori_shmem_int64_wait_until_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_wait_until_block(uint64_t ctx, int64_t *addr, int cmp, int64_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_wait_until_for_block(int64_t *addr, int cmp, int64_t value, uint64_t ns);
/** mori_shmem_int64_wait_until_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_wait_until_for_block(uint64_t ctx, int64_t *addr, int cmp, int64_t value, uint64_t ns);
/** All threads of the block together: Check once whether the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 1 or 0; 0 on an error, with a fault for mori_shmem_check(). */
int mori_shmem_int64_test_block(int64_t *addr, int cmp, int64_t value);
/** mori_shmem_int64_test_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_test_block(uint64_t ctx, int64_t *addr, int cmp, int64_t value);
/** All threads of the block together: Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_wait_until_block(uint64_t *addr, int cmp, uint64_t value);
/** mori_shmem_uint64_wait_until_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_wait_until_block(uint64_t ctx, uint64_t *addr, int cmp, uint64_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_wait_until_for_block(uint64_t *addr, int cmp, uint64_t value, uint64_t ns);
/** mori_shmem_uint64_wait_until_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_wait_until_for_block(uint64_t ctx, uint64_t *addr, int cmp, uint64_t value, uint64_t ns);
/** All threads of the block together: Check once whether the local word @addr compares with @value as @cmp says (MORI_SHMEM_CMP_*). Return: 1 or 0; 0 on an error, with a fault for mori_shmem_check(). */
int mori_shmem_uint64_test_block(uint64_t *addr, int cmp, uint64_t value);
/** mori_shmem_uint64_test_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_test_block(uint64_t ctx, uint64_t *addr, int cmp, uint64_t value);
/** All threads of the block together: Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr equals @value. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_wait_until_equals_block(int32_t *addr, int32_t value);
/** mori_shmem_int32_wait_until_equals_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_wait_until_equals_block(uint64_t ctx, int32_t *addr, int32_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until the local word @addr equals @value. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_wait_until_equals_for_block(int32_t *addr, int32_t value, uint64_t ns);
/** mori_shmem_int32_wait_until_equals_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_wait_until_equals_for_block(uint64_t ctx, int32_t *addr, int32_t value, uint64_t ns);
/** All threads of the block together: Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr is greater than @value. Return: the value seen; on an error the last one, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_wait_until_greater_than_block(int32_t *addr, int32_t value);
/** mori_shmem_int32_wait_until_greater_than_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_wait_until_greater_than_block(uint64_t ctx, int32_t *addr, int32_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until the local word @addr is greater than @value. Return: the value seen; on an error the last one, with a fault for mori_shmem_check(). */
int32_t mori_shmem_int32_wait_until_greater_than_for_block(int32_t *addr, int32_t value, uint64_t ns);
/** mori_shmem_int32_wait_until_greater_than_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int32_t mori_shmem_ctx_int32_wait_until_greater_than_for_block(uint64_t ctx, int32_t *addr, int32_t value, uint64_t ns);
/** All threads of the block together: Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr equals @value. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_wait_until_equals_block(uint32_t *addr, uint32_t value);
/** mori_shmem_uint32_wait_until_equals_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_wait_until_equals_block(uint64_t ctx, uint32_t *addr, uint32_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until the local word @addr equals @value. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_wait_until_equals_for_block(uint32_t *addr, uint32_t value, uint64_t ns);
/** mori_shmem_uint32_wait_until_equals_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_wait_until_equals_for_block(uint64_t ctx, uint32_t *addr, uint32_t value, uint64_t ns);
/** All threads of the block together: Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr is greater than @value. Return: the value seen; on an error the last one, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_wait_until_greater_than_block(uint32_t *addr, uint32_t value);
/** mori_shmem_uint32_wait_until_greater_than_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_wait_until_greater_than_block(uint64_t ctx, uint32_t *addr, uint32_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until the local word @addr is greater than @value. Return: the value seen; on an error the last one, with a fault for mori_shmem_check(). */
uint32_t mori_shmem_uint32_wait_until_greater_than_for_block(uint32_t *addr, uint32_t value, uint64_t ns);
/** mori_shmem_uint32_wait_until_greater_than_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint32_t mori_shmem_ctx_uint32_wait_until_greater_than_for_block(uint64_t ctx, uint32_t *addr, uint32_t value, uint64_t ns);
/** All threads of the block together: Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr equals @value. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_wait_until_equals_block(int64_t *addr, int64_t value);
/** mori_shmem_int64_wait_until_equals_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_wait_until_equals_block(uint64_t ctx, int64_t *addr, int64_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until the local word @addr equals @value. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_wait_until_equals_for_block(int64_t *addr, int64_t value, uint64_t ns);
/** mori_shmem_int64_wait_until_equals_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_wait_until_equals_for_block(uint64_t ctx, int64_t *addr, int64_t value, uint64_t ns);
/** All threads of the block together: Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr is greater than @value. Return: the value seen; on an error the last one, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_wait_until_greater_than_block(int64_t *addr, int64_t value);
/** mori_shmem_int64_wait_until_greater_than_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_wait_until_greater_than_block(uint64_t ctx, int64_t *addr, int64_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until the local word @addr is greater than @value. Return: the value seen; on an error the last one, with a fault for mori_shmem_check(). */
int64_t mori_shmem_int64_wait_until_greater_than_for_block(int64_t *addr, int64_t value, uint64_t ns);
/** mori_shmem_int64_wait_until_greater_than_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int64_t mori_shmem_ctx_int64_wait_until_greater_than_for_block(uint64_t ctx, int64_t *addr, int64_t value, uint64_t ns);
/** All threads of the block together: Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr equals @value. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_wait_until_equals_block(uint64_t *addr, uint64_t value);
/** mori_shmem_uint64_wait_until_equals_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_wait_until_equals_block(uint64_t ctx, uint64_t *addr, uint64_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until the local word @addr equals @value. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_wait_until_equals_for_block(uint64_t *addr, uint64_t value, uint64_t ns);
/** mori_shmem_uint64_wait_until_equals_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_wait_until_equals_for_block(uint64_t ctx, uint64_t *addr, uint64_t value, uint64_t ns);
/** All threads of the block together: Wait (limit: MORI_SHMEM_WAIT_TIMEOUT) until the local word @addr is greater than @value. Return: the value seen; on an error the last one, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_wait_until_greater_than_block(uint64_t *addr, uint64_t value);
/** mori_shmem_uint64_wait_until_greater_than_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_wait_until_greater_than_block(uint64_t ctx, uint64_t *addr, uint64_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until the local word @addr is greater than @value. Return: the value seen; on an error the last one, with a fault for mori_shmem_check(). */
uint64_t mori_shmem_uint64_wait_until_greater_than_for_block(uint64_t *addr, uint64_t value, uint64_t ns);
/** mori_shmem_uint64_wait_until_greater_than_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
uint64_t mori_shmem_ctx_uint64_wait_until_greater_than_for_block(uint64_t ctx, uint64_t *addr, uint64_t value, uint64_t ns);
/** All threads of the block together: Wait at most @ns nanoseconds until each of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_wait_until_all_block(int32_t *addrs, size_t n, const int *skip, int cmp, int32_t value);
/** mori_shmem_int32_wait_until_all_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_wait_until_all_block(uint64_t ctx, int32_t *addrs, size_t n, const int *skip, int cmp, int32_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until each of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int32_wait_until_all_for_block(int32_t *addrs, size_t n, const int *skip, int cmp, int32_t value, uint64_t ns);
/** mori_shmem_int32_wait_until_all_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int32_wait_until_all_for_block(uint64_t ctx, int32_t *addrs, size_t n, const int *skip, int cmp, int32_t value, uint64_t ns);
/** All threads of the block together: Wait at most @ns nanoseconds until one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: its index; SIZE_MAX if all are left out or, with a fault for mori_shmem_check(), on an error. */
size_t mori_shmem_int32_wait_until_any_block(int32_t *addrs, size_t n, const int *skip, int cmp, int32_t value);
/** mori_shmem_int32_wait_until_any_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_int32_wait_until_any_block(uint64_t ctx, int32_t *addrs, size_t n, const int *skip, int cmp, int32_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: its index; SIZE_MAX if all are left out or, with a fault for mori_shmem_check(), on an error. */
size_t mori_shmem_int32_wait_until_any_for_block(int32_t *addrs, size_t n, const int *skip, int cmp, int32_t value, uint64_t ns);
/** mori_shmem_int32_wait_until_any_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_int32_wait_until_any_for_block(uint64_t ctx, int32_t *addrs, size_t n, const int *skip, int cmp, int32_t value, uint64_t ns);
/** All threads of the block together: Wait at most @ns nanoseconds until each of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_wait_until_all_block(uint32_t *addrs, size_t n, const int *skip, int cmp, uint32_t value);
/** mori_shmem_uint32_wait_until_all_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_wait_until_all_block(uint64_t ctx, uint32_t *addrs, size_t n, const int *skip, int cmp, uint32_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until each of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint32_wait_until_all_for_block(uint32_t *addrs, size_t n, const int *skip, int cmp, uint32_t value, uint64_t ns);
/** mori_shmem_uint32_wait_until_all_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint32_wait_until_all_for_block(uint64_t ctx, uint32_t *addrs, size_t n, const int *skip, int cmp, uint32_t value, uint64_t ns);
/** All threads of the block together: Wait at most @ns nanoseconds until one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: its index; SIZE_MAX if all are left out or, with a fault for mori_shmem_check(), on an error. */
size_t mori_shmem_uint32_wait_until_any_block(uint32_t *addrs, size_t n, const int *skip, int cmp, uint32_t value);
/** mori_shmem_uint32_wait_until_any_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_uint32_wait_until_any_block(uint64_t ctx, uint32_t *addrs, size_t n, const int *skip, int cmp, uint32_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: its index; SIZE_MAX if all are left out or, with a fault for mori_shmem_check(), on an error. */
size_t mori_shmem_uint32_wait_until_any_for_block(uint32_t *addrs, size_t n, const int *skip, int cmp, uint32_t value, uint64_t ns);
/** mori_shmem_uint32_wait_until_any_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_uint32_wait_until_any_for_block(uint64_t ctx, uint32_t *addrs, size_t n, const int *skip, int cmp, uint32_t value, uint64_t ns);
/** All threads of the block together: Wait at most @ns nanoseconds until each of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_wait_until_all_block(int64_t *addrs, size_t n, const int *skip, int cmp, int64_t value);
/** mori_shmem_int64_wait_until_all_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_wait_until_all_block(uint64_t ctx, int64_t *addrs, size_t n, const int *skip, int cmp, int64_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until each of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_int64_wait_until_all_for_block(int64_t *addrs, size_t n, const int *skip, int cmp, int64_t value, uint64_t ns);
/** mori_shmem_int64_wait_until_all_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_int64_wait_until_all_for_block(uint64_t ctx, int64_t *addrs, size_t n, const int *skip, int cmp, int64_t value, uint64_t ns);
/** All threads of the block together: Wait at most @ns nanoseconds until one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: its index; SIZE_MAX if all are left out or, with a fault for mori_shmem_check(), on an error. */
size_t mori_shmem_int64_wait_until_any_block(int64_t *addrs, size_t n, const int *skip, int cmp, int64_t value);
/** mori_shmem_int64_wait_until_any_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_int64_wait_until_any_block(uint64_t ctx, int64_t *addrs, size_t n, const int *skip, int cmp, int64_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: its index; SIZE_MAX if all are left out or, with a fault for mori_shmem_check(), on an error. */
size_t mori_shmem_int64_wait_until_any_for_block(int64_t *addrs, size_t n, const int *skip, int cmp, int64_t value, uint64_t ns);
/** mori_shmem_int64_wait_until_any_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_int64_wait_until_any_for_block(uint64_t ctx, int64_t *addrs, size_t n, const int *skip, int cmp, int64_t value, uint64_t ns);
/** All threads of the block together: Wait at most @ns nanoseconds until each of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_wait_until_all_block(uint64_t *addrs, size_t n, const int *skip, int cmp, uint64_t value);
/** mori_shmem_uint64_wait_until_all_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_wait_until_all_block(uint64_t ctx, uint64_t *addrs, size_t n, const int *skip, int cmp, uint64_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until each of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_uint64_wait_until_all_for_block(uint64_t *addrs, size_t n, const int *skip, int cmp, uint64_t value, uint64_t ns);
/** mori_shmem_uint64_wait_until_all_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_uint64_wait_until_all_for_block(uint64_t ctx, uint64_t *addrs, size_t n, const int *skip, int cmp, uint64_t value, uint64_t ns);
/** All threads of the block together: Wait at most @ns nanoseconds until one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: its index; SIZE_MAX if all are left out or, with a fault for mori_shmem_check(), on an error. */
size_t mori_shmem_uint64_wait_until_any_block(uint64_t *addrs, size_t n, const int *skip, int cmp, uint64_t value);
/** mori_shmem_uint64_wait_until_any_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_uint64_wait_until_any_block(uint64_t ctx, uint64_t *addrs, size_t n, const int *skip, int cmp, uint64_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*). Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: its index; SIZE_MAX if all are left out or, with a fault for mori_shmem_check(), on an error. */
size_t mori_shmem_uint64_wait_until_any_for_block(uint64_t *addrs, size_t n, const int *skip, int cmp, uint64_t value, uint64_t ns);
/** mori_shmem_uint64_wait_until_any_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_uint64_wait_until_any_for_block(uint64_t ctx, uint64_t *addrs, size_t n, const int *skip, int cmp, uint64_t value, uint64_t ns);
/** All threads of the block together: Wait at most @ns nanoseconds until at least one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*), and list those that do in @indices. Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: how many; 0 on an error, with a fault for mori_shmem_check(). */
size_t mori_shmem_int32_wait_until_some_block(int32_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, int32_t value);
/** mori_shmem_int32_wait_until_some_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_int32_wait_until_some_block(uint64_t ctx, int32_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, int32_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until at least one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*), and list those that do in @indices. Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: how many; 0 on an error, with a fault for mori_shmem_check(). */
size_t mori_shmem_int32_wait_until_some_for_block(int32_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, int32_t value, uint64_t ns);
/** mori_shmem_int32_wait_until_some_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_int32_wait_until_some_for_block(uint64_t ctx, int32_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, int32_t value, uint64_t ns);
/** All threads of the block together: Wait at most @ns nanoseconds until at least one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*), and list those that do in @indices. Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: how many; 0 on an error, with a fault for mori_shmem_check(). */
size_t mori_shmem_uint32_wait_until_some_block(uint32_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, uint32_t value);
/** mori_shmem_uint32_wait_until_some_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_uint32_wait_until_some_block(uint64_t ctx, uint32_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, uint32_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until at least one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*), and list those that do in @indices. Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: how many; 0 on an error, with a fault for mori_shmem_check(). */
size_t mori_shmem_uint32_wait_until_some_for_block(uint32_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, uint32_t value, uint64_t ns);
/** mori_shmem_uint32_wait_until_some_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_uint32_wait_until_some_for_block(uint64_t ctx, uint32_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, uint32_t value, uint64_t ns);
/** All threads of the block together: Wait at most @ns nanoseconds until at least one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*), and list those that do in @indices. Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: how many; 0 on an error, with a fault for mori_shmem_check(). */
size_t mori_shmem_int64_wait_until_some_block(int64_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, int64_t value);
/** mori_shmem_int64_wait_until_some_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_int64_wait_until_some_block(uint64_t ctx, int64_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, int64_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until at least one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*), and list those that do in @indices. Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: how many; 0 on an error, with a fault for mori_shmem_check(). */
size_t mori_shmem_int64_wait_until_some_for_block(int64_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, int64_t value, uint64_t ns);
/** mori_shmem_int64_wait_until_some_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_int64_wait_until_some_for_block(uint64_t ctx, int64_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, int64_t value, uint64_t ns);
/** All threads of the block together: Wait at most @ns nanoseconds until at least one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*), and list those that do in @indices. Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: how many; 0 on an error, with a fault for mori_shmem_check(). */
size_t mori_shmem_uint64_wait_until_some_block(uint64_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, uint64_t value);
/** mori_shmem_uint64_wait_until_some_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_uint64_wait_until_some_block(uint64_t ctx, uint64_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, uint64_t value);
/** All threads of the block together: Wait at most @ns nanoseconds until at least one of the @n words from @addrs on compares with @value as @cmp says (MORI_SHMEM_CMP_*), and list those that do in @indices. Words with a non-zero @skip[i] are left out; @skip may be NULL. Return: how many; 0 on an error, with a fault for mori_shmem_check(). */
size_t mori_shmem_uint64_wait_until_some_for_block(uint64_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, uint64_t value, uint64_t ns);
/** mori_shmem_uint64_wait_until_some_for_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
size_t mori_shmem_ctx_uint64_wait_until_some_for_block(uint64_t ctx, uint64_t *addrs, size_t n, size_t *indices, const int *skip, int cmp, uint64_t value, uint64_t ns);

/* Family: order */

/** All threads of the warp together: Complete what the caller issued: gets have their data, sources may be reused, puts, signals and atomics are visible at their targets. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_quiet_warp(void);
/** mori_shmem_quiet_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_quiet_warp(uint64_t ctx);
/** All threads of the warp together: Order what the caller issued: puts, signals and atomics before it are seen there before those after it. Waits for nothing. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_fence_warp(void);
/** mori_shmem_fence_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_fence_warp(uint64_t ctx);
/** All threads of the block together: Complete what the caller issued: gets have their data, sources may be reused, puts, signals and atomics are visible at their targets. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_quiet_block(void);
/** mori_shmem_quiet_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_quiet_block(uint64_t ctx);
/** All threads of the block together: Order what the caller issued: puts, signals and atomics before it are seen there before those after it. Waits for nothing. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_fence_block(void);
/** mori_shmem_fence_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_fence_block(uint64_t ctx);

/* Family: barrier */

/** All threads of the block together: Complete what the caller issued, then wait until every PE has called it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_barrier_all_block(void);
/** mori_shmem_barrier_all_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_barrier_all_block(uint64_t ctx);
/** All threads of the block together: Wait until every PE has called it; completes nothing. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_sync_all_block(void);
/** mori_shmem_sync_all_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_sync_all_block(uint64_t ctx);

/* Family: collective */

/** All threads of the warp together: Wait until every PE of @team has called it; completes nothing. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_team_sync_warp(mori_shmem_team_t team);
/** mori_shmem_team_sync_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_team_sync_warp(uint64_t ctx, mori_shmem_team_t team);
/** All threads of the warp together: Complete what the caller issued, then wait until every PE of @team has called it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_barrier_warp(mori_shmem_team_t team);
/** mori_shmem_barrier_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_barrier_warp(uint64_t ctx, mori_shmem_team_t team);
/** All threads of the warp together: Copy @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on) from @src at PE @root of @team to @dest at all of them. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_broadcast_warp(mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype, int root);
/** mori_shmem_broadcast_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_broadcast_warp(uint64_t ctx, mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype, int root);
/** All threads of the warp together: Gather @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on) from @src of each PE of @team, in their order, in @dest of all of them. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_fcollect_warp(mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype);
/** mori_shmem_fcollect_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_fcollect_warp(uint64_t ctx, mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype);
/** All threads of the warp together: Gather @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on), another number on each PE, from @src of each PE of @team, in their order, in @dest of all of them. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_collect_warp(mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype);
/** mori_shmem_collect_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_collect_warp(uint64_t ctx, mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype);
/** All threads of the warp together: Copy the i-th @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on) in @src of the j-th PE of @team to @dest of the i-th, as the j-th there. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_alltoall_warp(mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype);
/** mori_shmem_alltoall_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_alltoall_warp(uint64_t ctx, mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype);
/** All threads of the warp together: Combine, as @op says (MORI_SHMEM_SUM and so on), the @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on) in @src of all PEs of @team one by one, in @dest of all of them; @dest may be @src. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_reduce_warp(mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype, int op);
/** mori_shmem_reduce_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_reduce_warp(uint64_t ctx, mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype, int op);
/** All threads of the warp together: Combine, as @op says (MORI_SHMEM_SUM and so on), the i-th @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on) in @src of all PEs of @team one by one, in @dest of the i-th. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_reducescatter_warp(mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype, int op);
/** mori_shmem_reducescatter_warp() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_reducescatter_warp(uint64_t ctx, mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype, int op);
/** All threads of the block together: Wait until every PE of @team has called it; completes nothing. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_team_sync_block(mori_shmem_team_t team);
/** mori_shmem_team_sync_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_team_sync_block(uint64_t ctx, mori_shmem_team_t team);
/** All threads of the block together: Complete what the caller issued, then wait until every PE of @team has called it. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_barrier_block(mori_shmem_team_t team);
/** mori_shmem_barrier_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_barrier_block(uint64_t ctx, mori_shmem_team_t team);
/** All threads of the block together: Copy @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on) from @src at PE @root of @team to @dest at all of them. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_broadcast_block(mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype, int root);
/** mori_shmem_broadcast_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_broadcast_block(uint64_t ctx, mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype, int root);
/** All threads of the block together: Gather @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on) from @src of each PE of @team, in their order, in @dest of all of them. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_fcollect_block(mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype);
/** mori_shmem_fcollect_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_fcollect_block(uint64_t ctx, mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype);
/** All threads of the block together: Gather @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on), another number on each PE, from @src of each PE of @team, in their order, in @dest of all of them. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_collect_block(mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype);
/** mori_shmem_collect_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_collect_block(uint64_t ctx, mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype);
/** All threads of the block together: Copy the i-th @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on) in @src of the j-th PE of @team to @dest of the i-th, as the j-th there. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_alltoall_block(mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype);
/** mori_shmem_alltoall_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_alltoall_block(uint64_t ctx, mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype);
/** All threads of the block together: Combine, as @op says (MORI_SHMEM_SUM and so on), the @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on) in @src of all PEs of @team one by one, in @dest of all of them; @dest may be @src. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_reduce_block(mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype, int op);
/** mori_shmem_reduce_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_reduce_block(uint64_t ctx, mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype, int op);
/** All threads of the block together: Combine, as @op says (MORI_SHMEM_SUM and so on), the i-th @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on) in @src of all PEs of @team one by one, in @dest of the i-th. Return: 0 or MORI_SHMEM_E*. */
int mori_shmem_reducescatter_block(mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype, int op);
/** mori_shmem_reducescatter_block() for the PE whose state is @ctx: see mori_shmem_device_state(). */
int mori_shmem_ctx_reducescatter_block(uint64_t ctx, mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype, int op);

/* Family: grid */

/** The index of the thread in its block. Return: 0 and up; on a host thread 0. */
uint32_t mori_thread_id(void);
/** The index of the thread in its block. Return: 0 and up; on a host thread 0. */
uint32_t mori_thread_id_y(void);
/** The index of the thread in its block. Return: 0 and up; on a host thread 0. */
uint32_t mori_thread_id_z(void);
/** The number of threads of a block. Return: 1 and up; on a host thread 1. */
uint32_t mori_block_size(void);
/** The number of threads of a block. Return: 1 and up; on a host thread 1. */
uint32_t mori_block_size_y(void);
/** The number of threads of a block. Return: 1 and up; on a host thread 1. */
uint32_t mori_block_size_z(void);
/** The index of the block in the grid. Return: 0 and up; on a host thread 0. */
uint32_t mori_block_id(void);
/** The index of the block in the grid. Return: 0 and up; on a host thread 0. */
uint32_t mori_block_id_y(void);
/** The index of the block in the grid. Return: 0 and up; on a host thread 0. */
uint32_t mori_block_id_z(void);
/** The number of blocks of the grid. Return: 1 and up; on a host thread 1. */
uint32_t mori_grid_size(void);
/** The number of blocks of the grid. Return: 1 and up; on a host thread 1. */
uint32_t mori_grid_size_y(void);
/** The number of blocks of the grid. Return: 1 and up; on a host thread 1. */
uint32_t mori_grid_size_z(void);
/** The index of the thread in its warp. Return: 0 and up; on a host thread 0. */
uint32_t mori_lane_id(void);
/** The number of lanes of a warp. Return: 1 and up; on a host thread 1. */
uint32_t mori_warp_size(void);
/** Wait for all threads of the block; returns at once on a host thread. */
void mori_block_sync(void);
/** A monotonic clock for measuring time. Return: nanoseconds. */
uint64_t mori_clock_ns(void);
/** The block memory whose size the launch set. Return: its address, a multiple of 16; NULL on a host thread. */
void *mori_shared_memory(void);

#ifdef __cplusplus
}
#endif
#endif
