// SPDX-License-Identifier: MIT
/*
 * The copies that lanes of a GPU share (src/target/group.h), run here lane by lane: every
 * alignment of both sides, every length up to some hundred bytes, several numbers of
 * lanes; guards around the destination, and each byte written by exactly one lane.
 */
#include <stdlib.h>
#include <string.h>

#include "target/base.h"
#include "test.h"

/* The leaves of a target, for a lane at a time. */
static uint64_t test_lane, test_lanes;

static uint64_t tgt_lane(enum dev_scope scope)
{
	return scope == DEV_thread ? 0 : test_lane;
}

static uint64_t tgt_lanes(enum dev_scope scope)
{
	return scope == DEV_thread ? 1 : test_lanes;
}

static bool tgt_leads(enum dev_scope scope)
{
	return tgt_lane(scope) == 0;
}

static uint32_t tgt_join(uint32_t low, uint32_t high, uint32_t shift)
{
	return (uint32_t)(((uint64_t)high << 32 | low) >> shift);
}

/* How often a word of each size was loaded and stored in one access. */
static int loaded[9], stored[9];

#define LEAVES(bits)                                                                               \
	static uint##bits##_t tgt_load_acquire_##bits(const void *p)                               \
	{                                                                                          \
		loaded[(bits) / 8]++;                                                              \
		return *(const uint##bits##_t *)p;                                                 \
	}                                                                                          \
	static void tgt_store_relaxed_##bits(void *p, uint##bits##_t v)                            \
	{                                                                                          \
		stored[(bits) / 8]++;                                                              \
		*(uint##bits##_t *)p = v;                                                          \
	}
LEAVES(8)
LEAVES(16)
LEAVES(32)
LEAVES(64)

#define RMW(bits)                                                                                  \
	static uint##bits##_t tgt_rmw_##bits(void *p, uint##bits##_t v)                            \
	{                                                                                          \
		return *(uint##bits##_t *)p += v;                                                  \
	}                                                                                          \
	static uint##bits##_t tgt_cas_##bits(void *p, uint##bits##_t compare, uint##bits##_t v)    \
	{                                                                                          \
		return *(uint##bits##_t *)p == compare ? tgt_rmw_##bits(p, v) : 0;                 \
	}
RMW(32)
RMW(64)
#define tgt_add_32  tgt_rmw_32
#define tgt_add_64  tgt_rmw_64
#define tgt_and_32  tgt_rmw_32
#define tgt_and_64  tgt_rmw_64
#define tgt_or_32   tgt_rmw_32
#define tgt_or_64   tgt_rmw_64
#define tgt_xor_32  tgt_rmw_32
#define tgt_xor_64  tgt_rmw_64
#define tgt_swap_32 tgt_rmw_32
#define tgt_swap_64 tgt_rmw_64
#define TGT_HIDE(x) ((void)(x))

/* Hints to clang, which is the compiler of kernels. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "target/group.h"
#pragma GCC diagnostic pop

#define GUARD  64
#define MOST   300
#define POISON 0xa5

/* With room around: the copies may load the rest of a word. */
static _Alignas(64) uint8_t src[GUARD + MOST + GUARD], dst[GUARD + MOST + GUARD];
static uint8_t times[GUARD + MOST + GUARD];

typedef void copy_fn(enum dev_scope scope, void *to, const void *from, uint64_t len);

/* A lane writes what differs from the poison; src has no byte equal to it. */
static void run_lanes(copy_fn *copy, enum dev_scope scope, uint64_t lanes, size_t to, size_t from,
		      size_t len)
{
	memset(times, 0, sizeof(times));
	for (test_lanes = lanes, test_lane = 0; test_lane < lanes; test_lane++) {
		memset(dst, POISON, sizeof(dst));
		copy(scope, dst + GUARD + to, src + GUARD + from, len);
		for (size_t i = 0; i < sizeof(dst); i++) {
			if (dst[i] == POISON)
				continue;
			times[i]++;
			if (i < GUARD + to || i >= GUARD + to + len || dst[i] != src[i - to + from])
				times[i] = 100;
		}
	}
}

static int wrong(size_t to, size_t len)
{
	int n = 0;

	for (size_t i = 0; i < sizeof(times); i++)
		n += times[i] != (i >= GUARD + to && i < GUARD + to + len);
	return n;
}

static void try_one(copy_fn *copy, enum dev_scope scope, uint64_t lanes, size_t to, size_t from,
		    size_t len)
{
	char what[96];

	run_lanes(copy, scope, lanes, to, from, len);
	snprintf(what, sizeof(what), "wrong with %llu lanes, to +%zu, from +%zu, %zu bytes",
		 (unsigned long long)lanes, to, from, len);
	CHECK_EQ(what, wrong(to, len), 0);
}

static void try_lengths(copy_fn *copy, size_t to, size_t from)
{
	static const uint64_t groups[] = { 1, 7, 32, 100 };

	for (size_t len = 0; len + 16 < MOST; len += len < 70 ? 1 : 37) {
		for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
			try_one(copy, DEV_block, groups[i], to, from, len);
		try_one(copy, DEV_thread, 1, to, from, len);
	}
}

static int rounds;

/* As dev_p2p() does after the lanes have synchronised: a single pass, or else the rest. */
static bool round_done(enum dev_scope scope, void *to, const void *from, uint64_t len)
{
	if (!tgt_is_single_pass(scope, (uintptr_t)to, (uintptr_t)from, len))
		return false;
	CHECK(len && len <= (scope == DEV_thread ? 64 : 16 * test_lanes));
	tgt_copy_single_pass(scope, to, from, len);
	rounds++;
	return true;
}

static void put(enum dev_scope scope, void *to, const void *from, uint64_t len)
{
	if (!round_done(scope, to, from, len))
		tgt_put(scope, to, from, len);
}

static void get(enum dev_scope scope, void *to, const void *from, uint64_t len)
{
	if (!round_done(scope, to, from, len))
		tgt_get(scope, to, from, len);
}

static void put_value(enum dev_scope scope, void *to, const void *from, uint64_t len)
{
	if (tgt_leads(scope))
		tgt_put_one(to, from, len);
}

static void get_value(enum dev_scope scope, void *to, const void *from, uint64_t len)
{
	if (tgt_leads(scope))
		tgt_get_one(to, from, len);
}

/* An aligned word is one access of the other PE's memory, wherever the own lies. */
static void try_words(size_t far, size_t own)
{
	for (size_t len = 1; len <= 8; len *= 2) {
		if (far % len)
			continue;
		stored[len] = loaded[len] = 0;
		run_lanes(put, DEV_block, 3, far, own, len);
		CHECK_EQ("stores of a put", stored[len], 1);
		stored[len] = loaded[len] = 0;
		run_lanes(get, DEV_block, 3, own, far, len);
		CHECK_EQ("loads of a get", loaded[len], 1);
	}
}

int main(void)
{
	for (size_t i = 0; i < sizeof(src); i++)
		src[i] = (uint8_t)(i % 163); /* never the poison */
	for (size_t to = 0; to < 16; to++) {
		for (size_t from = 0; from < 16; from += TEST_TSAN ? 5 : 1) {
			try_lengths(tgt_put, to, from);
			try_lengths(tgt_get, to, from);
			try_lengths(put, to, from);
			try_lengths(get, to, from);
			try_words(to, from);
			for (size_t len = 1; len <= 16; len *= 2)
				try_one(put_value, DEV_block, 3, to, from, len);
			for (size_t len = 1; len <= 8; len *= 2)
				try_one(get_value, DEV_block, 3, to, from, len);
		}
	}
	CHECK(rounds > 0);
	return test_result();
}
