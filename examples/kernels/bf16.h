// SPDX-License-Identifier: MIT
/*
 * Numbers of 16 bits, eight at a time, and floats, four at a time, added up as floats. For
 * kernels and hosts.
 */
#ifndef MORI_EXAMPLES_BF16_H
#define MORI_EXAMPLES_BF16_H

#include <stdint.h>

typedef uint16_t bf16x8 __attribute__((vector_size(16)));

static inline float bf16_float(uint16_t bits)
{
	uint32_t wide = (uint32_t)bits << 16;
	float f;

	__builtin_memcpy(&f, &wide, sizeof(f));
	return f;
}

/* Rounds to nearest, ties to even. */
static inline uint16_t bf16_round(float f)
{
	uint32_t wide;

	__builtin_memcpy(&wide, &f, sizeof(f));
	return (uint16_t)((wide + 0x7fff + (wide >> 16 & 1)) >> 16);
}

static inline void bf16_add(float sum[8], bf16x8 v)
{
	for (int i = 0; i < 8; i++)
		sum[i] += bf16_float(v[i]);
}

static inline bf16x8 bf16_pack(const float sum[8])
{
	bf16x8 v;

	for (int i = 0; i < 8; i++)
		v[i] = bf16_round(sum[i]);
	return v;
}

typedef float floatx4 __attribute__((vector_size(16)));

static inline void float_add(float sum[4], floatx4 v)
{
	for (int i = 0; i < 4; i++)
		sum[i] += v[i];
}

static inline floatx4 float_pack(const float sum[4])
{
	return (floatx4){ sum[0], sum[1], sum[2], sum[3] };
}

#endif
