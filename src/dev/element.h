// SPDX-License-Identifier: MIT
/*
 * Elements of reductions: what a type's bits mean, and what an operation makes of two of them.
 * Numbers are reduced in a wider type, which is the class of their type; it is rounded to the
 * element's type once, to nearest, ties to even.
 */
#ifndef MORI_DEV_ELEMENT_H
#define MORI_DEV_ELEMENT_H

#include "target/target.h"

enum dev_class { DEV_CLASS_FLOAT, DEV_CLASS_DOUBLE, DEV_CLASS_SIGNED, DEV_CLASS_UNSIGNED };

DEV_INLINE enum dev_class dev_class(int dtype)
{
	switch (dtype) {
	case MORI_SHMEM_FLOAT64:
		return DEV_CLASS_DOUBLE;
	case MORI_SHMEM_INT8:
	case MORI_SHMEM_INT16:
	case MORI_SHMEM_INT32:
	case MORI_SHMEM_INT64:
		return DEV_CLASS_SIGNED;
	case MORI_SHMEM_UINT8:
	case MORI_SHMEM_UINT16:
	case MORI_SHMEM_UINT32:
	case MORI_SHMEM_UINT64:
		return DEV_CLASS_UNSIGNED;
	default:
		return DEV_CLASS_FLOAT;
	}
}

/* The bytes of an element; 0: there is no such type. */
DEV_INLINE uint32_t dev_elem_size(int dtype)
{
	switch (dtype) {
	case MORI_SHMEM_FLOAT64:
	case MORI_SHMEM_INT64:
	case MORI_SHMEM_UINT64:
		return 8;
	case MORI_SHMEM_FLOAT32:
	case MORI_SHMEM_INT32:
	case MORI_SHMEM_UINT32:
		return 4;
	case MORI_SHMEM_FLOAT16:
	case MORI_SHMEM_BFLOAT16:
	case MORI_SHMEM_INT16:
	case MORI_SHMEM_UINT16:
		return 2;
	default:
		return dtype >= MORI_SHMEM_FLOAT32 && dtype <= MORI_SHMEM_FLOAT8_E5M2FNUZ ? 1 : 0;
	}
}

/* Whether the operation is one, and one for elements of that type. */
DEV_INLINE bool dev_elem_can(int dtype, int op)
{
	return op >= MORI_SHMEM_SUM && op <= MORI_SHMEM_XOR &&
	       (op < MORI_SHMEM_AND || dev_class(dtype) >= DEV_CLASS_SIGNED);
}

/* A floating-point format of less than 32 bits. */
struct dev_format {
	uint32_t exp, man; /* bits of exponent and mantissa */
	int32_t bias;
	bool inf; /* the largest exponent is infinity and NaN; else only all bits set is NaN */
	bool unsigned0; /* no negative zero: its bits are the NaN, and all others are numbers */
};

DEV_INLINE struct dev_format dev_format(int dtype)
{
	switch (dtype) {
	case MORI_SHMEM_FLOAT16:
		return (struct dev_format){ 5, 10, 15, true, false };
	case MORI_SHMEM_FLOAT8_E4M3FN:
		return (struct dev_format){ 4, 3, 7, false, false };
	case MORI_SHMEM_FLOAT8_E4M3FNUZ:
		return (struct dev_format){ 4, 3, 8, false, true };
	case MORI_SHMEM_FLOAT8_E5M2:
		return (struct dev_format){ 5, 2, 15, true, false };
	case MORI_SHMEM_FLOAT8_E5M2FNUZ:
		return (struct dev_format){ 5, 2, 16, false, true };
	default: /* bfloat16 is the upper half of a float */
		return (struct dev_format){ 8, 7, 127, true, false };
	}
}

DEV_INLINE float dev_float_of(uint32_t bits)
{
	float f;

	__builtin_memcpy(&f, &bits, sizeof(f));
	return f;
}

DEV_INLINE uint32_t dev_float_bits(float f)
{
	uint32_t bits;

	__builtin_memcpy(&bits, &f, sizeof(bits));
	return bits;
}

#define DEV_FLOAT_NAN 0x7fc00000u

DEV_INLINE float dev_format_decode(struct dev_format f, uint32_t v)
{
	uint32_t width = f.exp + f.man, sign = v >> width & 1, rest = v & ((1u << width) - 1);
	uint32_t exp = rest >> f.man, man = rest & ((1u << f.man) - 1), bits;

	if (f.exp == 8)
		return dev_float_of(v << 16);
	if (f.unsigned0 ? v == 1u << width :
	    f.inf	? exp == (1u << f.exp) - 1 && man :
			  rest == (1u << width) - 1)
		return dev_float_of(sign << 31 | DEV_FLOAT_NAN);
	if (f.inf && exp == (1u << f.exp) - 1)
		bits = 0x7f800000u;
	else if (exp)
		bits = (uint32_t)((int32_t)exp - f.bias + 127) << 23 | man << (23 - f.man);
	else /* a multiple of the least number: exact in a float */
		bits = dev_float_bits(
			(float)man * dev_float_of((uint32_t)(128 - f.bias - (int32_t)f.man) << 23));
	return dev_float_of(sign << 31 | bits);
}

/* The bits of a NaN, or of what is too large for the format. */
DEV_INLINE uint32_t dev_format_beyond(struct dev_format f, uint32_t sign, bool nan)
{
	uint32_t width = f.exp + f.man, all = (1u << width) - 1;

	if (f.unsigned0)
		return 1u << width;
	if (!f.inf)
		return sign << width | all;
	return sign << width | (all & ~((1u << f.man) - 1)) | (nan ? 1u << (f.man - 1) : 0);
}

DEV_INLINE uint32_t dev_format_encode(struct dev_format f, float x)
{
	uint32_t bits = dev_float_bits(x), sign = bits >> 31, rest = bits & 0x7fffffffu;
	uint32_t width = f.exp + f.man, drop = 23 - f.man, all = (1u << width) - 1, out, man;
	int32_t exp = (int32_t)(rest >> 23) - 127 + f.bias;

	if (rest > 0x7f800000u)
		return dev_format_beyond(f, sign, true);
	man = (rest & 0x7fffff) | (rest >> 23 ? 0x800000u : 0);
	if (f.exp == 8) /* the same exponents, with denormals: round the bits */
		return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
	if (exp < 1) { /* a multiple of the least number */
		drop += exp < -30 ? 31u : (uint32_t)(1 - exp);
		exp = 1;
	}
	if (drop > 25)
		out = 0;
	else
		out = (man >> drop) +
		      ((man >> (drop - 1) & 1) &
		       ((man & ((1u << (drop - 1)) - 1)) != 0 || (man >> drop & 1)));
	/* The leading one of a normal number adds one to the exponent, as a carry does. */
	out += (uint32_t)(exp - 1) << f.man;
	if (out > (f.inf ? (all & ~((1u << f.man) - 1)) - 1 : f.unsigned0 ? all : all - 1))
		return dev_format_beyond(f, sign, false);
	return f.unsigned0 && !out ? 0 : sign << width | out;
}

DEV_INLINE float dev_elem_float(int dtype, const void *p)
{
	if (dtype == MORI_SHMEM_FLOAT32)
		return *(const float *)p;
	return dev_format_decode(dev_format(dtype), dev_elem_size(dtype) == 1 ?
							    *(const uint8_t *)p :
							    *(const uint16_t *)p);
}

DEV_INLINE void dev_elem_set_float(int dtype, void *p, float v)
{
	if (dtype == MORI_SHMEM_FLOAT32)
		*(float *)p = v;
	else if (dev_elem_size(dtype) == 1)
		*(uint8_t *)p = (uint8_t)dev_format_encode(dev_format(dtype), v);
	else
		*(uint16_t *)p = (uint16_t)dev_format_encode(dev_format(dtype), v);
}

/* Integers, extended to 64 bits by their sign if they have one. */
DEV_INLINE uint64_t dev_elem_int(int dtype, const void *p)
{
	bool is_signed = dev_class(dtype) == DEV_CLASS_SIGNED;

	switch (dev_elem_size(dtype)) {
	case 1:
		return is_signed ? (uint64_t)(int64_t)*(const int8_t *)p : *(const uint8_t *)p;
	case 2:
		return is_signed ? (uint64_t)(int64_t)*(const int16_t *)p : *(const uint16_t *)p;
	case 4:
		return is_signed ? (uint64_t)(int64_t)*(const int32_t *)p : *(const uint32_t *)p;
	default:
		return *(const uint64_t *)p;
	}
}

DEV_INLINE void dev_elem_set_int(int dtype, void *p, uint64_t v)
{
	switch (dev_elem_size(dtype)) {
	case 1:
		*(uint8_t *)p = (uint8_t)v;
		break;
	case 2:
		*(uint16_t *)p = (uint16_t)v;
		break;
	case 4:
		*(uint32_t *)p = (uint32_t)v;
		break;
	default:
		*(uint64_t *)p = v;
	}
}

/* One step of a reduction, in each class. Of a minimum and a maximum, a NaN wins. */
#define DEV_REDUCE(name, type)                                                                     \
	DEV_INLINE type dev_reduce_##name(int op, type a, type b)                                  \
	{                                                                                          \
		return op == MORI_SHMEM_PROD ? a * b :                                             \
		       op == MORI_SHMEM_MIN  ? (b < a || b != b ? b : a) :                         \
		       op == MORI_SHMEM_MAX  ? (b > a || b != b ? b : a) :                         \
					       a + b;                                               \
	}
DEV_REDUCE(float, float)
DEV_REDUCE(double, double)

DEV_INLINE uint64_t dev_reduce_int(int op, bool is_signed, uint64_t a, uint64_t b)
{
	bool less = is_signed ? (int64_t)b < (int64_t)a : b < a;

	switch (op) {
	case MORI_SHMEM_PROD:
		return a * b;
	case MORI_SHMEM_MIN:
		return less ? b : a;
	case MORI_SHMEM_MAX:
		return less ? a : b;
	case MORI_SHMEM_AND:
		return a & b;
	case MORI_SHMEM_OR:
		return a | b;
	case MORI_SHMEM_XOR:
		return a ^ b;
	default:
		return a + b;
	}
}

DEV_INLINE uint64_t dev_reduce_int_avg(bool is_signed, uint64_t sum, uint32_t n)
{
	return is_signed ? (uint64_t)((int64_t)sum / (int64_t)n) : sum / n;
}
#undef DEV_REDUCE

#endif
