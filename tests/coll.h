// SPDX-License-Identifier: MIT
/*
 * What collectives must give, computed apart from the library: elements of every type from a seed,
 * and what an operation makes of those of several members, bit by bit. Small floating-point formats
 * are tables of numbers here, searched for the nearest.
 */
#ifndef MORI_TESTS_COLL_H
#define MORI_TESTS_COLL_H

#include "cover.h"

#include <math.h>

#define COLL_TYPES 16
#define COLL_OPS   8

static const char *const coll_types[COLL_TYPES] = {
	"float32", "float64", "float16", "bfloat16", "int8",   "uint8",	   "int16", "uint16",
	"int32",   "uint32",  "int64",	 "uint64",   "e4m3fn", "e4m3fnuz", "e5m2",  "e5m2fnuz",
};
static const char *const coll_ops[COLL_OPS] = { "sum", "prod", "min", "max",
						"avg", "and",  "or",  "xor" };
static const size_t coll_sizes[COLL_TYPES] = { 4, 8, 2, 2, 1, 1, 2, 2, 4, 4, 8, 8, 1, 1, 1, 1 };

static inline int coll_is_int(int dtype)
{
	return dtype >= MORI_SHMEM_INT8 && dtype <= MORI_SHMEM_UINT64;
}

static inline int coll_is_signed(int dtype)
{
	return coll_is_int(dtype) && dtype % 2 == 0;
}

static inline uint64_t coll_bits(uint64_t seed, uint64_t i)
{
	uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u + (seed + 1) * 0xbf58476d1ce4e5b9u;

	x = (x ^ (x >> 30)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* The number that the bits of a format of 16 bits or less are. */
static inline double coll_decode(int dtype, unsigned v)
{
	static const struct {
		int exp, man, bias, fn, nuz;
	} formats[COLL_TYPES] = {
		[MORI_SHMEM_FLOAT16] = { 5, 10, 15, 0, 0 },
		[MORI_SHMEM_BFLOAT16] = { 8, 7, 127, 0, 0 },
		[MORI_SHMEM_FLOAT8_E4M3FN] = { 4, 3, 7, 1, 0 },
		[MORI_SHMEM_FLOAT8_E4M3FNUZ] = { 4, 3, 8, 1, 1 },
		[MORI_SHMEM_FLOAT8_E5M2] = { 5, 2, 15, 0, 0 },
		[MORI_SHMEM_FLOAT8_E5M2FNUZ] = { 5, 2, 16, 1, 1 },
	};
	int e = formats[dtype].exp, m = formats[dtype].man;
	unsigned man = v & ((1u << m) - 1), exp = v >> m & ((1u << e) - 1), top = (1u << e) - 1;
	double sign = v >> (e + m) & 1 ? -1 : 1;

	if (formats[dtype].nuz && v == 1u << (e + m))
		return NAN;
	if (formats[dtype].fn && !formats[dtype].nuz && exp == top && man == (1u << m) - 1)
		return NAN;
	if (!formats[dtype].fn && exp == top)
		return man ? NAN : sign * INFINITY;
	if (!exp)
		return sign * ldexp(man, 1 - formats[dtype].bias - m);
	return sign * ldexp(man + (1u << m), (int)exp - formats[dtype].bias - m);
}

/* The nearest, of two the even one; from the largest number on by half of its last step: beyond. */
static inline unsigned coll_encode(int dtype, float x)
{
	unsigned half = coll_sizes[dtype] == 1 ? 0x80u : 0x8000u, best = 0;
	unsigned sign = signbit(x) ? half : 0, beyond = 0, max = 0;
	double least = INFINITY, a = fabs((double)x), step;

	if (dtype == MORI_SHMEM_FLOAT8_E4M3FNUZ || dtype == MORI_SHMEM_FLOAT8_E5M2FNUZ)
		beyond = 0x80;
	else if (dtype == MORI_SHMEM_FLOAT8_E4M3FN)
		beyond = 0x7f | sign;
	else
		beyond = sign | (dtype == MORI_SHMEM_FLOAT16  ? 0x7c00u :
				 dtype == MORI_SHMEM_BFLOAT16 ? 0x7f80u :
								0x7cu);
	for (unsigned v = 0; v < half; v++) {
		double d = coll_decode(dtype, v), off = fabs(d - a);

		if (!isfinite(d))
			continue;
		max = v;
		if (off < least || (off == least && !(v & 1))) {
			least = off;
			best = v;
		}
	}
	step = coll_decode(dtype, max) - coll_decode(dtype, max - 1);
	if (a >= coll_decode(dtype, max) + step / 2)
		return beyond;
	return beyond == 0x80 && !best ? 0 : sign | best;
}

/* Element @i of what member @pe brings. */
static inline void coll_make(void *to, int dtype, int pe, uint64_t seed, uint64_t i)
{
	uint64_t v = coll_bits(seed * 64 + (uint64_t)pe, i);
	double d = (double)(int64_t)v / 9.3e18 * 3;
	float f = (float)d;
	uint16_t small = (uint16_t)v;

	if (dtype == MORI_SHMEM_FLOAT64) {
		memcpy(to, &d, 8);
	} else if (dtype == MORI_SHMEM_FLOAT32) {
		memcpy(to, &f, 4);
	} else if (coll_is_int(dtype)) {
		memcpy(to, &v, coll_sizes[dtype]);
	} else { /* any bits that are a number of moderate size */
		while (!(fabs(coll_decode(dtype, coll_sizes[dtype] == 1 ? small & 0xff : small)) <
			 8))
			small = (uint16_t)(small * 5 + 1);
		memcpy(to, &small, coll_sizes[dtype]);
	}
}

static inline uint64_t coll_int(int dtype, const void *p)
{
	size_t bits = 8 * coll_sizes[dtype];
	uint64_t v = 0;

	memcpy(&v, p, bits / 8);
	if (coll_is_signed(dtype) && bits < 64 && v >> (bits - 1))
		v |= UINT64_MAX << bits;
	return v;
}

static inline uint64_t coll_step_int(int dtype, int op, uint64_t a, uint64_t b)
{
	int less = coll_is_signed(dtype) ? (int64_t)b < (int64_t)a : b < a;

	return op == MORI_SHMEM_PROD ? a * b :
	       op == MORI_SHMEM_MIN  ? (less ? b : a) :
	       op == MORI_SHMEM_MAX  ? (less ? a : b) :
	       op == MORI_SHMEM_AND  ? (a & b) :
	       op == MORI_SHMEM_OR   ? (a | b) :
	       op == MORI_SHMEM_XOR  ? (a ^ b) :
				       a + b;
}

/* Element @i combined from the members @pes, as the type's bits. */
static inline void coll_want(void *out, int dtype, int op, const int *pes, int n, uint64_t seed,
			     uint64_t i)
{
	unsigned char x[8] = { 0 };
	uint64_t all = 0;
	double d = 0;
	volatile float f = 0; /* each step rounds */

	for (int k = 0; k < n; k++) {
		uint16_t small = 0;
		double xd;
		float xf;

		coll_make(x, dtype, pes[k], seed, i);
		memcpy(&small, x, coll_sizes[dtype] == 1 ? 1 : 2);
		memcpy(&xd, x, 8);
		memcpy(&xf, x, 4);
		if (coll_is_int(dtype)) {
			all = k ? coll_step_int(dtype, op, all, coll_int(dtype, x)) :
				  coll_int(dtype, x);
			continue;
		}
		if (dtype != MORI_SHMEM_FLOAT32 && dtype != MORI_SHMEM_FLOAT64)
			xf = (float)coll_decode(dtype, small);
		if (!k) {
			d = xd;
			f = xf;
		} else if (op == MORI_SHMEM_MIN) {
			d = xd < d ? xd : d;
			f = xf < f ? xf : f;
		} else if (op == MORI_SHMEM_MAX) {
			d = xd > d ? xd : d;
			f = xf > f ? xf : f;
		} else {
			d = op == MORI_SHMEM_PROD ? d * xd : d + xd;
			f = op == MORI_SHMEM_PROD ? f * xf : f + xf;
		}
	}
	if (op == MORI_SHMEM_AVG) {
		all = coll_is_signed(dtype) ? (uint64_t)((int64_t)all / n) : all / (uint64_t)n;
		d /= n;
		f = f / (float)n;
	}
	if (coll_is_int(dtype)) {
		memcpy(out, &all, coll_sizes[dtype]);
	} else if (dtype == MORI_SHMEM_FLOAT64) {
		memcpy(out, &d, 8);
	} else if (dtype == MORI_SHMEM_FLOAT32) {
		float v = f;

		memcpy(out, &v, 4);
	} else {
		unsigned v = coll_encode(dtype, f);

		memcpy(out, &v, coll_sizes[dtype]);
	}
}

/* Members of a team by their numbers in the job; returns how many, 0 where this PE is not in it. */
static inline int coll_members(mori_shmem_team_t team, int *pes)
{
	int n = mori_shmem_team_n_pes(team);

	for (int i = 0; i < n; i++)
		pes[i] = mori_shmem_team_translate_pe(team, i, MORI_SHMEM_TEAM_WORLD);
	return n < 0 ? 0 : n;
}

#define MOST  70000 /* bytes of a contribution */
#define LARGE ((size_t)MOST * 8)

enum kind { SYNC, BROADCAST, FCOLLECT, COLLECT, ALLTOALL, REDUCE, REDUCESCATTER, KINDS };
static const char *const kinds[KINDS] = { "sync",     "broadcast", "fcollect",	   "collect",
					  "alltoall", "reduce",	   "reducescatter" };

struct one {
	mori_shmem_team_t team;
	int pes[64], n, at; /* members, and which this PE is */
	enum kind kind;
	int dtype, op, root;
	size_t count; /* elements of a contribution */
	uint64_t seed;
	unsigned char *dest, *src;
};

static size_t bytes(const struct one *o)
{
	return o->count * coll_sizes[o->dtype];
}

/* What member @from brings for @to begins at an element of its own. */
static void make_all(const struct one *o, unsigned char *to, int from, uint64_t first, size_t count)
{
	size_t size = coll_sizes[o->dtype];

	for (size_t i = 0; i < count; i++)
		coll_make(to + i * size, o->dtype, o->pes[from], o->seed, first + i);
}

/* Of a collect: another number on each member. */
static size_t count_of(const struct one *o, int member)
{
	return (o->count + 1) * (size_t)(member + 1) % (o->count + 7);
}

/* Makes the call; by the program that includes this. */
static int call(const struct one *o);

/* The bytes of the result, in @want. */
static size_t result(const struct one *o, unsigned char *want)
{
	size_t size = coll_sizes[o->dtype], len = bytes(o), at = 0;

	switch (o->kind) {
	case SYNC:
		return 0;
	case BROADCAST:
		make_all(o, want, o->root, 0, o->count);
		return len;
	case FCOLLECT:
		for (int i = 0; i < o->n; i++)
			make_all(o, want + (size_t)i * len, i, 0, o->count);
		return (size_t)o->n * len;
	case COLLECT:
		for (int i = 0; i < o->n; at += count_of(o, i++))
			make_all(o, want + at * size, i, 0, count_of(o, i));
		return at * size;
	case ALLTOALL:
		for (int i = 0; i < o->n; i++)
			make_all(o, want + (size_t)i * len, i, (uint64_t)o->at * o->count,
				 o->count);
		return (size_t)o->n * len;
	default:
		for (size_t i = 0; i < o->count; i++)
			coll_want(want + i * size, o->dtype, o->op, o->pes, o->n, o->seed,
				  i + (o->kind == REDUCESCATTER ? (uint64_t)o->at * o->count : 0));
		return len;
	}
}

static void check(const struct one *o, const unsigned char *want, size_t len, const char *how)
{
	char text[160];
	size_t i = 0;

	snprintf(text, sizeof(text), "%s %s %s, %zu elements, %d members%s", kinds[o->kind],
		 coll_types[o->dtype], coll_ops[o->op], o->count, o->n, how);
	test_at(text);
	while (i < len && o->dest[i] == want[i])
		i++;
	if (i < len)
		fprintf(stderr, "PE %d: %s: byte %zu is 0x%02x, not 0x%02x\n", me, text, i,
			o->dest[i], want[i]);
	CHECK_EQ("the result", i, len);
	CHECK_EQ("what is behind it", not_poison(o->dest + len, GUARD), GUARD);
}

static void run(struct one *o, unsigned char *want)
{
	size_t parts = o->kind == ALLTOALL || o->kind == REDUCESCATTER ? (size_t)o->n : 1;
	size_t brings = o->kind == COLLECT ? count_of(o, o->at) : parts * o->count, len;
	size_t size = coll_sizes[o->dtype];

	poison(o->dest, LARGE);
	make_all(o, o->src, o->at, 0, brings);
	poison(o->src + brings * size, GUARD);
	len = result(o, want);
	CHECK_OK(call(o));
	check(o, want, len, "");
	CHECK_EQ("the source", not_poison(o->src + brings * size, GUARD), GUARD);
	if (o->kind != REDUCE)
		return;
	memcpy(o->dest, o->src, brings * size);
	poison(o->dest + brings * size, GUARD);
	o->src = o->dest;
	CHECK_OK(call(o));
	check(o, want, len, ", in place");
}

/* Drawn alike on all members. */
static void draw(struct one *o, uint64_t seed, unsigned char *dest, unsigned char *src)
{
	static const size_t sizes[] = { 0, 1, 2, 3, 15, 16, 17, 64, 100, 1000, 4096, 4099 };
	uint64_t r = coll_bits(seed, 99);
	size_t most;

	o->seed = seed % 1000;
	o->kind = (enum kind)(r % KINDS);
	o->dtype = (int)(r / 8 % COLL_TYPES);
	o->op = (int)(r / 128 % (coll_is_int(o->dtype) ? COLL_OPS : MORI_SHMEM_AVG + 1));
	o->root = (int)(r / 1024 % (uint64_t)o->n);
	o->count = sizes[r / 65536 % (sizeof(sizes) / sizeof(sizes[0]))];
	most = (size_t)MOST / coll_sizes[o->dtype] / (o->kind == COLLECT ? 2 : 1);
	if (r / 4194304 % 8 == 0) /* more than a stage has */
		o->count = most - r / 67108864 % 100;
	if ((o->dtype == MORI_SHMEM_FLOAT16 || o->dtype == MORI_SHMEM_BFLOAT16) &&
	    o->kind >= REDUCE && o->count > 20)
		o->count = 20; /* the search takes its time */
	if (o->count > most)
		o->count = most;
	o->dest = dest;
	o->src = src;
}

static void cases(mori_shmem_team_t team, uint64_t seed, int n, unsigned char *dest,
		  unsigned char *src, unsigned char *want)
{
	struct one o = { .team = team };

	o.n = coll_members(team, o.pes);
	o.at = mori_shmem_team_my_pe(team);
	for (int i = 0; o.n && i < n; i++) {
		draw(&o, seed + (uint64_t)i, dest, src);
		use_ctx = i % 2;
		run(&o, want);
	}
	use_ctx = 0;
}

/* Each call in each form. */
static void each(mori_shmem_team_t team, unsigned char *dest, unsigned char *src,
		 unsigned char *want)
{
	struct one o = { .team = team };

	o.n = coll_members(team, o.pes);
	o.at = mori_shmem_team_my_pe(team);
	for (int i = 0; o.n && i < 4 * KINDS; i++) {
		draw(&o, 300 + (uint64_t)i, dest, src);
		o.kind = (enum kind)(i % KINDS);
		o.seed = (uint64_t)i / KINDS;
		o.count = 21;
		o.op = MORI_SHMEM_MAX;
		use_ctx = i / KINDS / 2;
		run(&o, want);
	}
	use_ctx = 0;
}

#endif
