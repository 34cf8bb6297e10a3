// SPDX-License-Identifier: MIT
/*
 * The arithmetic of reductions: elements of several sources, in their order, to one or several
 * places. The lanes of a scope share the elements. With a type and an operation that are constant,
 * one loop remains.
 */
#ifndef MORI_DEV_REDUCE_H
#define MORI_DEV_REDUCE_H

#include "dev/element.h"

/* Elements that a lane reduces at a time: as many as one access has, on a GPU. */
#if TGT_GPU
#define DEV_REDUCE_MOST	      16
#define dev_reduce_step(size) (16 / (size))
#else
#define DEV_REDUCE_MOST	      128
#define dev_reduce_step(size) ((void)(size), DEV_REDUCE_MOST)
#endif

struct dev_reduction {
	const uint64_t *from; /* [n] addresses of the sources, in their order */
	const uint64_t *to;   /* [n_to] */
	int n, n_to;
	int dtype, op;
	uint64_t count; /* elements */
};

/* Whether @step elements at offset @at of all sources and results are accesses that are aligned. */
DEV_INLINE bool dev_reduce_aligned(const struct dev_reduction *r)
{
	uint64_t bits = 0;

	for (int i = 0; i < r->n; i++)
		bits |= r->from[i];
	for (int i = 0; i < r->n_to; i++)
		bits |= r->to[i];
	return !(bits & 15);
}

/* The @m elements at @at; @whole: they are one access that is aligned. */
DEV_INLINE const unsigned char *dev_reduce_load(uint64_t at, bool whole, unsigned char *raw)
{
	const unsigned char *p = tgt_pointer(at);

#if TGT_GPU
	if (whole) {
		__builtin_memcpy(raw, __builtin_assume_aligned(p, 16), 16);
		return raw;
	}
#else
	(void)whole, (void)raw;
#endif
	return p;
}

DEV_INLINE void dev_reduce_store(const struct dev_reduction *r, uint64_t at, bool whole,
				 const unsigned char *raw, uint32_t len)
{
	for (int i = 0; i < r->n_to; i++) {
		unsigned char *p = tgt_pointer(r->to[i] + at);

#if TGT_GPU
		if (whole)
			__builtin_memcpy(__builtin_assume_aligned(p, 16), raw, 16);
		else
			for (uint32_t k = 0; k < len; k++)
				p[k] = raw[k];
#else
		(void)whole;
		__builtin_memcpy(p, raw, len);
#endif
	}
}

/* The loops over elements, once for each class. */
#define CLASS	    dev_reduce_all_float
#define CLASS_AT    dev_reduce_at_float
#define TYPE	    float
#define LOAD(p)	    dev_elem_float(dtype, p)
#define STEP(a, b)  dev_reduce_float(op, a, b)
#define MEAN(v, n)  ((v) / (float)(n))
#define STORE(p, v) dev_elem_set_float(dtype, p, v)
#include "dev/reduce.def"

#define CLASS	    dev_reduce_all_double
#define CLASS_AT    dev_reduce_at_double
#define TYPE	    double
#define LOAD(p)	    ((void)dtype, *(const double *)(p))
#define STEP(a, b)  dev_reduce_double(op, a, b)
#define MEAN(v, n)  ((v) / (double)(n))
#define STORE(p, v) (*(double *)(p) = (v))
#include "dev/reduce.def"

#define CLASS	    dev_reduce_all_int
#define CLASS_AT    dev_reduce_at_int
#define TYPE	    uint64_t
#define LOAD(p)	    dev_elem_int(dtype, p)
#define STEP(a, b)  dev_reduce_int(op, dev_class(dtype) == DEV_CLASS_SIGNED, a, b)
#define MEAN(v, n)  dev_reduce_int_avg(dev_class(dtype) == DEV_CLASS_SIGNED, v, (uint32_t)(n))
#define STORE(p, v) dev_elem_set_int(dtype, p, v)
#include "dev/reduce.def"

DEV_INLINE void dev_reduce_run(const struct dev_reduction *r, uint32_t lane, uint32_t lanes)
{
	switch (dev_class(r->dtype)) {
	case DEV_CLASS_FLOAT:
		dev_reduce_all_float(r, lane, lanes);
		break;
	case DEV_CLASS_DOUBLE:
		dev_reduce_all_double(r, lane, lanes);
		break;
	default:
		dev_reduce_all_int(r, lane, lanes);
	}
}

#endif
