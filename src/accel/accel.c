// SPDX-License-Identifier: MIT
/* Which device there is. */
#include "accel/accel.h"

#include "util/err.h"

/* What both GPU vendors allow: a kernel that runs here can run there. */
#define BLOCK_THREADS_MAX 1024u
#define GRID_X_MAX	  2147483647u
#define GRID_YZ_MAX	  65535u

static const char *const kind_names[] = { "auto", "cpu", "cuda", "hip", "amd-emu" };
static const char *const backend_names[] = { "", "CPU", "CUDA", "HIP", "amd-emu" };

/* NULL: this build has no backend for that kind. */
static const struct accel_ops *accel_ops_of(enum accel_kind kind)
{
#ifdef MORI_HAVE_CUDA
	if (kind == ACCEL_CUDA)
		return &accel_cuda;
#endif
#ifdef MORI_HAVE_HIP
	if (kind == ACCEL_HIP)
		return &accel_hip;
#endif
	if (kind == ACCEL_AMD_EMU)
		return &accel_amd_emu;
	return kind == ACCEL_CPU ? &accel_cpu : NULL;
}

bool accel_built(enum accel_kind kind)
{
	return accel_ops_of(kind) != NULL;
}

static int accel_open_one(const struct accel_ops *ops, const struct accel_config *config,
			  struct accel *out)
{
	int err;

	out->dev = NULL;
	out->number = 0;
	err = ops->open(config, &out->dev, &out->number);
	if (!err) {
		out->ops = ops;
		out->mem = ops->mem;
	}
	return err;
}

/* A GPU where there is one, else the CPU. */
static int accel_open_any(const struct accel_config *config, struct accel *out)
{
	static const enum accel_kind kinds[] = { ACCEL_CUDA, ACCEL_HIP, ACCEL_CPU };
	int err = MORI_SHMEM_ENOTSUP;
	struct err_was was;

	err_save(&was);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && err == MORI_SHMEM_ENOTSUP; i++) {
		if (!accel_built(kinds[i]))
			continue;
		err_restore(&was);
		err = accel_open_one(accel_ops_of(kinds[i]), config, out);
	}
	return err;
}

int accel_open(enum accel_kind kind, const struct accel_config *config, struct accel *out)
{
	static const char *const others[] = { "cpu", "cpu or cuda", "cpu or hip" };
	const struct accel_ops *ops = accel_ops_of(kind);

	if (kind == ACCEL_AUTO)
		return accel_open_any(config, out);
	if (!ops)
		return err_set(MORI_SHMEM_ENOTSUP,
			       "MORI_SHMEM_DEVICE=%s: this build has no %s backend; use %s",
			       kind_names[kind], backend_names[kind],
			       others[accel_built(ACCEL_CUDA) ? 1 :
				      accel_built(ACCEL_HIP)  ? 2 :
								0]);
	return accel_open_one(ops, config, out);
}

void accel_close(struct accel *a)
{
	if (a->ops && a->ops->close)
		a->ops->close(a->dev);
	a->ops = NULL;
}

int accel_describe(enum accel_kind kind, int number, char *text, size_t size)
{
	const struct accel_ops *ops = accel_ops_of(kind);

	return ops ? ops->describe(number, text, size) :
		     err_set(MORI_SHMEM_ENOTSUP, "this build has no %s backend",
			     backend_names[kind]);
}

int accel_launch_check(const struct accel_launch *l)
{
	const unsigned *g = l->grid, *b = l->block;

	if (!g[0] || !g[1] || !g[2] || !b[0] || !b[1] || !b[2])
		return err_set(MORI_SHMEM_EINVAL,
			       "kernel %s: a size is 0: grid (%u, %u, %u), block (%u, %u, %u)",
			       l->kernel, g[0], g[1], g[2], b[0], b[1], b[2]);
	if (g[0] > GRID_X_MAX || g[1] > GRID_YZ_MAX || g[2] > GRID_YZ_MAX)
		return err_set(
			MORI_SHMEM_EINVAL,
			"kernel %s: a grid has at most (%u, %u, %u) blocks, not (%u, %u, %u)",
			l->kernel, GRID_X_MAX, GRID_YZ_MAX, GRID_YZ_MAX, g[0], g[1], g[2]);
	if (b[0] > BLOCK_THREADS_MAX || b[1] > BLOCK_THREADS_MAX || b[2] > BLOCK_THREADS_MAX ||
	    (uint64_t)b[0] * b[1] * b[2] > BLOCK_THREADS_MAX)
		return err_set(MORI_SHMEM_EINVAL,
			       "kernel %s: a block has at most %u threads, not %u * %u * %u",
			       l->kernel, BLOCK_THREADS_MAX, b[0], b[1], b[2]);
	return 0;
}
