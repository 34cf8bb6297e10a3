// SPDX-License-Identifier: MIT
/*
 * No operation without a test: the parts of the list that the programs pe_*.c call in full (see
 * cover.h) are together the whole list of the host, and those of kern_*.c the whole list of
 * kernels. Each part is searched for in the source of its test, so that the two cannot drift apart.
 */
#include "test.h"

#include "ops/shmem_list.h"

#include <mori/shmem.h>
#include <mori/shmem_device.h>

#include <ctype.h>

#define HOST_PARTS(X)                                                                              \
	X("pe_ptr.c", MORI_OPS_QUERY(S, V, S0, V0))                                                \
	X("pe_put.c", MORI_OPS_PUT(S, thread))                                                     \
	X("pe_get.c", MORI_OPS_GET(S, thread))                                                     \
	X("pe_put_signal.c", MORI_OPS_PUT_SIGNAL(S, thread))                                       \
	X("pe_signal.c", MORI_OPS_SIGNAL(S, thread) MORI_OPS_SIGNAL_FETCH(V))                      \
	X("pe_value.c", MORI_OPS_VALUE(S, V, , thread) MORI_OPS_IMM(S))                            \
	X("pe_object.c", MORI_OPS_OBJ(S, thread))                                                  \
	HOST_PARTS_2(X)
#define HOST_PARTS_2(X)                                                                            \
	X("pe_atomic.c", MORI_OPS_AMO(S, V, thread) MORI_OPS_AMO_SIZE(S))                          \
	X("pe_wait.c", MORI_OPS_WAIT(S, V, , thread))                                              \
	X("pe_order.c", MORI_OPS_ORDER(S0, thread) MORI_OPS_ORDER_PE(S))                           \
	X("pe_barrier.c", MORI_OPS_BARRIER(S0, thread))                                            \
	X("pe_coll.c", MORI_OPS_TEAM(V) MORI_OPS_COLL(S, thread))

#define DEVICE_PARTS(X)                                                                            \
	X("kern_put.c", MORI_OPS_PUT(S, thread) MORI_OPS_PUT(S, warp) MORI_OPS_PUT(S, block))      \
	X("kern_get.c", MORI_OPS_GET(S, thread) MORI_OPS_GET(S, warp) MORI_OPS_GET(S, block))      \
	X("kern_put_signal.c", MORI_OPS_PUT_SIGNAL(S, thread) MORI_OPS_PUT_SIGNAL(S, warp)         \
				       MORI_OPS_PUT_SIGNAL(S, block))                              \
	X("kern_signal.c", MORI_OPS_SIGNAL(S, thread) MORI_OPS_SIGNAL_FETCH(V)                     \
				   MORI_OPS_SIGNAL(S, warp) MORI_OPS_SIGNAL(S, block))             \
	DEVICE_PARTS_2(X)
#define DEVICE_PARTS_2(X)                                                                          \
	X("kern_value.c",                                                                          \
	  MORI_OPS_VALUE(S, V, , thread) MORI_OPS_IMM(S) MORI_OPS_VALUE(S, V, _block, block))      \
	X("kern_object.c", MORI_OPS_OBJ(S, thread) MORI_OPS_OBJ(S, warp) MORI_OPS_OBJ(S, block))   \
	X("kern_atomic.c", MORI_OPS_AMO(S, V, thread) MORI_OPS_AMO_SIZE(S)                         \
				   MORI_OPS_AMO(S, V, warp) MORI_OPS_AMO(S, V, block))             \
	X("kern_wait.c", MORI_OPS_WAIT(S, V, , thread) MORI_OPS_WAIT(S, V, _block, block))         \
	DEVICE_PARTS_3(X)
#define DEVICE_PARTS_3(X)                                                                          \
	X("kern_order.c",                                                                          \
	  MORI_OPS_QUERY(S, V, S0, V0) MORI_OPS_ORDER(S0, thread) MORI_OPS_ORDER_PE(S)             \
		  MORI_OPS_ORDER(S0, warp) MORI_OPS_ORDER(S0, block))                              \
	X("kern_barrier.c", MORI_OPS_BARRIER(S0, thread) MORI_OPS_BARRIER(S0, block))              \
	X("kern_coll.c", MORI_OPS_TEAM(V) MORI_OPS_COLL(S, thread) MORI_OPS_COLL(S, warp)          \
				 MORI_OPS_COLL(S, block))

#define S(name, ...)		#name,
#define V(ret, bad, name, ...)	#name,
#define S0(name, ...)		#name,
#define V0(ret, bad, name, ...) #name,
#define NAMES(file, ...)	__VA_ARGS__
#define SOURCE(file, ...)	{ file, #__VA_ARGS__ },
#define GRID(ret, name)		#name "()",

static const char *const host_listed[] = { MORI_HOST_OPS(S, V, S0, V0) };
static const char *const host_tested[] = { HOST_PARTS(NAMES) };
static const char *const device_listed[] = { MORI_DEVICE_OPS(S, V, S0, V0) };
static const char *const device_tested[] = { DEVICE_PARTS(NAMES) };
static const char *const grid_listed[] = { MORI_GRID_OPS(GRID) };
static const struct {
	const char *file, *part;
} sources[] = { HOST_PARTS(SOURCE) DEVICE_PARTS(SOURCE) };

/* A file of this folder with one blank for each run of blanks and each line break. */
static char *read_source(const char *file)
{
	char path[4096], *text = calloc(1, 1 << 20);
	int c, last = 0;
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), TESTS_DIR "/%s", file);
	f = fopen(path, "r");
	while (f && text && (c = getc(f)) != EOF && n + 2 < 1 << 20) {
		if (c == '\\')
			c = ' ';
		if (!isspace(c) || !isspace(last))
			text[n++] = (char)(isspace(c) ? ' ' : c);
		last = c;
	}
	if (f)
		fclose(f);
	if (!CHECK(n > 0))
		fprintf(stderr, "%s could not be read\n", path);
	return text;
}

static void check_source(const char *file, const char *part)
{
	char want[512], *text = read_source(file);

	snprintf(want, sizeof(want), "#define COVER_LIST(S, V, S0, V0) %s #include ", part);
	if (!CHECK(text && strstr(text, want) && strstr(text, "cover_all();")))
		fprintf(stderr, "%s has no line: %s\n", file, want);
	free(text);
}

static size_t count_name(const char *const *names, size_t n, const char *name)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += !strcmp(names[i], name);
	return found;
}

/* Every name that is listed is tested, once. */
static void check_names(const char *what, const char *const *listed, size_t n,
			const char *const *tested, size_t m)
{
	CHECK_EQ(what, m, n);
	for (size_t i = 0; i < n; i++)
		CHECK_EQ(listed[i], count_name(tested, m, listed[i]), 1);
	printf("%zu operations of %s\n", n, what);
}

/* What a thread queries of its grid is called by a kernel of one of these. */
static void check_grid(void)
{
	static const char *const files[] = { "kernels/grid.c", "kernels/meet.c",
					     "kernels/shared.c" };
	unsigned char seen[TEST_LEN(grid_listed)] = { 0 };

	for (size_t k = 0; k < TEST_LEN(files); k++) {
		char *text = read_source(files[k]);

		for (size_t i = 0; text && i < TEST_LEN(grid_listed); i++)
			seen[i] |= strstr(text, grid_listed[i]) != NULL;
		free(text);
	}
	for (size_t i = 0; i < TEST_LEN(grid_listed); i++) {
		if (!CHECK(seen[i]))
			fprintf(stderr, "no kernel calls %s\n", grid_listed[i]);
	}
}

int main(void)
{
	check_names("the host", host_listed, TEST_LEN(host_listed), host_tested,
		    TEST_LEN(host_tested));
	check_names("kernels", device_listed, TEST_LEN(device_listed), device_tested,
		    TEST_LEN(device_tested));
	for (size_t i = 0; i < TEST_LEN(sources); i++)
		check_source(sources[i].file, sources[i].part);
	check_grid();
	return test_result();
}
