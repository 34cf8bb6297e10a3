// SPDX-License-Identifier: MIT
/*
 * Proof that a test called every function of its part of the list. Define
 * COVER_LIST(S, V, S0, V0) as that part, include this after pes.h, make every
 * call through CALL(), with use_ctx 0 and 1, and end with cover_all().
 */
#ifndef MORI_TESTS_COVER_H
#define MORI_TESTS_COVER_H

#include "ops/shmem_list.h"
#include "pes.h"

#define COVER__STATUS(name, ...)	  #name,
#define COVER__VALUE(ret, bad, name, ...) #name,

static const char *const cover_names[] = { COVER_LIST(COVER__STATUS, COVER__VALUE, COVER__STATUS,
						      COVER__VALUE) };
static unsigned char cover_seen[2][TEST_LEN(cover_names)];

static _Thread_local int use_ctx; /* which of the two forms CALL() calls */

static inline void cover(const char *name)
{
	for (size_t i = 0; i < TEST_LEN(cover_names); i++) {
		if (!strcmp(cover_names[i], name)) {
			__atomic_store_n(&cover_seen[use_ctx][i], 1, __ATOMIC_RELAXED);
			return;
		}
	}
	fprintf(stderr, "%s is not in the list of this test\n", name);
	exit(1);
}

#define CALL(name, ...)                                                                            \
	(cover(#name),                                                                             \
	 use_ctx ? mori_shmem_ctx_##name(ctx, ##__VA_ARGS__) : mori_shmem_##name(__VA_ARGS__))

static inline void cover_all(void)
{
	use_ctx = 0;
	for (size_t i = 0; i < TEST_LEN(cover_names); i++) {
		for (int c = 0; c < 2; c++) {
			if (!__atomic_load_n(&cover_seen[c][i], __ATOMIC_RELAXED))
				fprintf(stderr, "not called: mori_shmem_%s%s\n", c ? "ctx_" : "",
					cover_names[i]);
			CHECK(__atomic_load_n(&cover_seen[c][i], __ATOMIC_RELAXED));
		}
	}
}

#endif
