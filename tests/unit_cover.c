// SPDX-License-Identifier: MIT
/*
 * No operation without a test: the parts of the list that the programs pe_*.c
 * call in full (see cover.h) are together the whole list. Each part is looked for
 * in the source of its test, so that the two cannot drift apart.
 */
#include "test.h"

#include <mori/shmem.h>

#define PARTS(X)                                                                                   \
	X("pe_ptr.c", MORI_OPS_QUERY(S, V, S0, V0))                                                \
	X("pe_put.c", MORI_OPS_PUT(S, thread))                                                     \
	X("pe_get.c", MORI_OPS_GET(S, thread))                                                     \
	X("pe_put_signal.c", MORI_OPS_PUT_SIGNAL(S, thread))                                       \
	X("pe_signal.c", MORI_OPS_SIGNAL(S, thread) MORI_OPS_SIGNAL_FETCH(V))                      \
	X("pe_value.c", MORI_OPS_VALUE(S, V, , thread) MORI_OPS_IMM(S))                            \
	X("pe_object.c", MORI_OPS_OBJ(S, thread))                                                  \
	PARTS_2(X)
#define PARTS_2(X)                                                                                 \
	X("pe_atomic.c", MORI_OPS_AMO(S, V, thread) MORI_OPS_AMO_SIZE(S))                          \
	X("pe_wait.c", MORI_OPS_WAIT(S, V, , thread))                                              \
	X("pe_order.c", MORI_OPS_ORDER(S0, thread) MORI_OPS_ORDER_PE(S))                           \
	X("pe_barrier.c", MORI_OPS_BARRIER(S0, thread))

#define S(name, ...)		#name,
#define V(ret, bad, name, ...)	#name,
#define S0(name, ...)		#name,
#define V0(ret, bad, name, ...) #name,
#define NAMES(file, ...)	__VA_ARGS__
#define SOURCE(file, ...)	{ file, #__VA_ARGS__ },

static const char *const listed[] = { MORI_HOST_OPS(S, V, S0, V0) };
static const char *const tested[] = { PARTS(NAMES) };
static const struct {
	const char *file, *part;
} sources[] = { PARTS(SOURCE) };

static void check_source(const char *file, const char *part)
{
	int folder = (int)(strrchr(__FILE__, '/') - __FILE__);
	char path[4096], want[256], line[256];
	int found = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%.*s/%s", folder, __FILE__, file);
	snprintf(want, sizeof(want), "#define COVER_LIST(S, V, S0, V0) %s\n", part);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		found |= !strcmp(line, want);
	if (f)
		fclose(f);
	if (!CHECK(found))
		fprintf(stderr, "%s has no line: %s", path, want);
}

int main(void)
{
	size_t both = TEST_LEN(tested) < TEST_LEN(listed) ? TEST_LEN(tested) : TEST_LEN(listed);

	CHECK_EQ("operations with a test", TEST_LEN(tested), TEST_LEN(listed));
	for (size_t i = 0; i < both; i++)
		CHECK_EQ(listed[i], strcmp(listed[i], tested[i]), 0);
	for (size_t i = 0; i < TEST_LEN(sources); i++)
		check_source(sources[i].file, sources[i].part);
	printf("%zu operations\n", TEST_LEN(listed));
	return test_result();
}
