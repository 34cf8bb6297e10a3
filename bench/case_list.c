// SPDX-License-Identifier: MIT
/* The cases of a host thread's calls: the list, and `growth`, which has only a barrier. */
#include "bench.h"

int bench_begin(const struct bench_options *opt)
{
	(void)opt;
	return 0;
}

static int growth_barrier(struct bench *b, size_t n)
{
	int err = 0;

	(void)b;
	for (size_t i = 0; i < n && !err; i++)
		err = api_barrier();
	return err;
}

int case_growth(struct bench *b)
{
	return bench_together(b, growth_barrier, &b->op);
}

const struct bench_case bench_cases[] = {
#define CASE(id, ...) { #id, case_##id },
#include "cases.def"
#undef CASE
	{ "put_busy", case_put_busy },
	{ "get_busy", case_get_busy },
	{ "fetch_add_busy", case_fetch_add_busy },
	{ "growth", case_growth },
	{ NULL, NULL },
};
