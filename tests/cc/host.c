// SPDX-License-Identifier: MIT
/*
 * Loads an image that `mori cc` made for the CPU and checks what its kernel was
 * given: "args" has parameters of every kind in C, "plain" those of LLVM IR and MLIR.
 *
 *	host image args|plain
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mori/shmem.h>

struct pair {
	double a;
	int b;
	float c;
};
struct small {
	float x, y;
};
struct three {
	char c[3];
};
struct big {
	long x[5];
};

static const unsigned one[3] = { 1, 1, 1 };

static int fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, mori_shmem_last_error());
	return 1;
}

static void *slurp(const char *file, size_t *size)
{
	FILE *f = fopen(file, "r");
	char *image = f ? malloc(1 << 20) : NULL;

	*size = image ? fread(image, 1, 1 << 20, f) : 0;
	if (f)
		fclose(f);
	return image;
}

static int run_args(mori_shmem_module_t *m)
{
	static const double want[19] = { -2, 1,	  3, 4,	 5, 8, 9, 10, 11, 12,
					 13, -14, 1, 15, 0, 0, 0, 7,  6 };
	double out[19], *to = out, value = 15;
	const double *in = &value;
	short s = -2;
	_Bool b = 1;
	struct pair p = { 3, 4, 5 };
	mori_shmem_memobj_t o = { .addr = 6, .size = 7 };
	struct big g = { { 0, 0, 0, 0, 8 } };
	float f = 9;
	struct small q = { 10, 11 };
	struct three t = { { 0, 0, 12 } };
	uint64_t u = 13;
	signed char c = -14;
	int e = 1, bad = 0;
	void *args[] = { &to, &s, &b, &p, &o, &g, &f, &q, &t, &u, &c, &e, &in };

	memset(out, 0xff, sizeof(out));
	if (mori_shmem_kernel_launch(m, "args", one, one, 0, args, NULL))
		return fail("args");
	for (int i = 0; i < 19; i++) {
		if (out[i] != want[i]) {
			fprintf(stderr, "out[%d] is %g, not %g\n", i, out[i], want[i]);
			bad = 1;
		}
	}
	if (mori_shmem_kernel_launch(m, "none", one, one, 0, NULL, NULL))
		return fail("none");
	return bad;
}

/* plain(int32 *out, i32, i64, double, float): out gets the PE, then each as an integer. */
static int run_plain(mori_shmem_module_t *m)
{
	int32_t out[5] = { -1, -1, -1, -1, -1 }, *to = out, a = 21;
	int64_t b = 22;
	double c = 23;
	float d = 24;
	void *args[] = { &to, &a, &b, &c, &d };

	if (mori_shmem_kernel_launch(m, "plain", one, one, 0, args, NULL))
		return fail("plain");
	if (out[0] == 0 && out[1] == 21 && out[2] == 22 && out[3] == 23 && out[4] == 24)
		return 0;
	fprintf(stderr, "out is %d %d %d %d %d\n", out[0], out[1], out[2], out[3], out[4]);
	return 1;
}

int main(int argc, char **argv)
{
	mori_shmem_module_t *m;
	size_t size;
	void *image = argc == 3 ? slurp(argv[1], &size) : NULL;
	int bad;

	if (!image || mori_shmem_init() || mori_shmem_module_load(image, size, &m))
		return fail("load");
	free(image);
	bad = !strcmp(argv[2], "args") ? run_args(m) : run_plain(m);
	if (mori_shmem_module_unload(m) || mori_shmem_finalize())
		return fail("unload");
	return bad;
}
