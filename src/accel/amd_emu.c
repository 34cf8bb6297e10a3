// SPDX-License-Identifier: MIT
/*
 * AMD GPUs without one: PEs of the CPU whose kernels are code objects, which src/emu interprets. A
 * heap is host memory, as on the CPU, and a launch runs in the thread that launches.
 */
#include "abi/state.h"
#include "accel/accel.h"
#include "emu/cache.h"
#include "emu/run.h"
#include "util/backoff.h"
#include "util/clock.h"
#include "util/err.h"

#include <stdlib.h>
#include <string.h>

/* What a PE holds: its GPU's cache, or nothing at all with plain memory. */
struct amd_emu_dev {
	struct emu_device *device;
};

struct amd_emu_module {
	struct emu_code *code;
	struct amd_emu_dev *dev; /* of the PE that has loaded it */
	struct dev_link *link;	 /* NULL: the code does not use the library */
};

static struct amd_emu_module *amd_emu_of(struct accel_module *handle)
{
	return (struct amd_emu_module *)handle;
}

static int amd_emu_describe(int number, char *text, size_t size)
{
	char why[200];
	struct emu_decoder *d;

	if (number > 0)
		return err_set(MORI_SHMEM_ENOENT, "there is one interpreter of AMD's code");
	d = emu_decoder_open("gfx942", why, sizeof(why));
	if (!d)
		return err_set(MORI_SHMEM_ENOTSUP, "%s", why);
	emu_decoder_close(d);
	snprintf(text, size, "an interpreter of gfx90a, gfx942 and gfx950");
	return 0;
}

static int amd_emu_open(const struct accel_config *config, struct accel_dev **out, int *number)
{
	char text[100];
	int err = amd_emu_describe(0, text, sizeof(text));
	struct amd_emu_dev *d;

	*number = 0;
	if (err || !config->adversarial)
		return err;
	d = calloc(1, sizeof(*d));
	if (d)
		d->device = emu_device_open(config->seed);
	if (!d || !d->device) {
		free(d);
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for an interpreter");
	}
	*out = (struct accel_dev *)d;
	return 0;
}

static void amd_emu_close(struct accel_dev *handle)
{
	struct amd_emu_dev *d = (struct amd_emu_dev *)handle;

	if (d)
		emu_device_close(d->device);
	free(d);
}

static int amd_emu_facts(struct accel_dev *d, struct accel_facts *out)
{
	(void)d;
	return accel_cpu.facts(NULL, out);
}

static int amd_emu_zero(struct accel_dev *d, void *at, uint64_t len)
{
	(void)d;
	return accel_cpu.mem_zero(NULL, at, len);
}

static int amd_emu_load(struct accel_dev *d, const void *image, size_t len,
			struct accel_module **out)
{
	struct amd_emu_module *m = calloc(1, sizeof(*m));
	char why[200];
	size_t size = 0;

	if (!m)
		return err_set(MORI_SHMEM_ENOMEM, "no memory for a module");
	m->code = emu_code_open(image, len, why, sizeof(why));
	if (!m->code) {
		free(m);
		return err_set(MORI_SHMEM_EINVAL, "%s; make a module with mori cc --target gfx942",
			       why);
	}
	m->dev = (struct amd_emu_dev *)d;
	m->link = emu_code_symbol(m->code, "globalGpuStates", &size);
	if (size < sizeof(*m->link))
		m->link = NULL;
	*out = (struct accel_module *)m;
	return 0;
}

static int amd_emu_borrow(struct accel_dev *d, void *native, struct accel_module **out)
{
	(void)d;
	(void)out;
	return err_set(MORI_SHMEM_EINVAL,
		       "%p is no module: amd-emu has only those it has loaded itself", native);
}

static void amd_emu_unload(struct accel_module *handle)
{
	struct amd_emu_module *m = amd_emu_of(handle);

	emu_code_close(m->code);
	free(m);
}

static int amd_emu_look(struct accel_module *handle, uint32_t *flags)
{
	const struct dev_link *link = amd_emu_of(handle)->link;

	if (!link)
		return err_set(MORI_SHMEM_ENOENT,
			       "the module does not use the library: it has no globalGpuStates");
	if (link->abi != DEV_ABI || link->size != sizeof(struct dev_state))
		return err_set(MORI_SHMEM_EABI,
			       "the module was made for ABI %u (a state of %u bytes), this library "
			       "has ABI %u (%zu bytes): compile it again",
			       link->abi, link->size, DEV_ABI, sizeof(struct dev_state));
	*flags = link->flags;
	return 0;
}

static int amd_emu_link(struct accel_module *handle, struct dev_state *ctx)
{
	amd_emu_of(handle)->link->state = ctx;
	return 0;
}

static int amd_emu_kernel(struct accel_module *handle, size_t index, const char **name)
{
	const struct emu_code *c = amd_emu_of(handle)->code;

	if (index >= c->n_kernels)
		return err_set(MORI_SHMEM_ENOENT, "the module has no more kernels");
	*name = c->kernels[index].name;
	return 0;
}

static const struct emu_kernel *amd_emu_find(const struct emu_code *c, const char *name)
{
	const struct emu_kernel *k = emu_code_kernel(c, name);

	if (!k)
		err_set(MORI_SHMEM_ENOENT, "the module has no kernel %s; it has %s%s", name,
			c->n_kernels ? c->kernels[0].name : "none", c->n_kernels > 1 ? " ..." : "");
	return k;
}

static int amd_emu_params(struct accel_module *handle, const char *name, mori_shmem_param_t *params,
			  size_t room)
{
	const struct emu_kernel *k = amd_emu_find(amd_emu_of(handle)->code, name);
	size_t n = 0;

	if (!k)
		return MORI_SHMEM_ENOENT;
	for (uint32_t a = 0; a < k->n_args; a++) {
		if (k->args[a].hidden != EMU_ARG_VALUE)
			continue;
		if (n < room) {
			params[n].kind = MORI_SHMEM_PARAM_UNKNOWN;
			params[n].size = k->args[a].size;
		}
		n++;
	}
	return (int)n;
}

/* While all waves only wait: the host makes progress for its PE, until the deadline. */
struct amd_emu_wait {
	const struct accel_launch *launch;
	struct backoff pause;
	int64_t since; /* 0: some wave has done something */
};

static bool amd_emu_idle(void *arg, bool waiting)
{
	struct amd_emu_wait *w = arg;
	const struct accel_launch *l = w->launch;

	if (!waiting) {
		w->since = 0;
		backoff_reset(&w->pause);
		return true;
	}
	if (!w->since)
		w->since = clock_now();
	if (l->idle)
		l->idle((struct dev_state *)l->state);
	backoff_wait(&w->pause);
	return !l->idle_ns || (uint64_t)(clock_now() - w->since) < l->idle_ns;
}

/* That of the PE which launches. */
static struct emu_device *amd_emu_device(const struct amd_emu_module *m,
					 const struct accel_launch *l)
{
	const struct amd_emu_dev *d = m->dev;

	if (l->caller && l->caller->ops == &accel_amd_emu)
		d = (const struct amd_emu_dev *)l->caller->dev;
	return d ? d->device : NULL;
}

static int amd_emu_launch(struct accel_module *handle, const struct accel_launch *l,
			  struct accel_fault *fault)
{
	struct amd_emu_module *m = amd_emu_of(handle);
	struct amd_emu_wait wait = { .launch = l,
				     .pause = backoff_start(BACKOFF_GRID, l->learned) };
	struct emu_launch launch = { .kernel = amd_emu_find(m->code, l->kernel),
				     .grid = { l->grid[0], l->grid[1], l->grid[2] },
				     .block = { l->block[0], l->block[1], l->block[2] },
				     .lds = (unsigned)l->shared,
				     .args = l->args,
				     .device = amd_emu_device(m, l),
				     .idle = amd_emu_idle,
				     .idle_arg = &wait };
	char why[300];
	int err = launch.kernel ? accel_launch_check(l) : MORI_SHMEM_ENOENT;

	(void)fault;
	if (err)
		return err;
	if (l->stream)
		return err_set(MORI_SHMEM_EINVAL, "kernel %s: amd-emu has no streams; pass NULL",
			       l->kernel);
	for (unsigned a = 0; a < emu_kernel_args(launch.kernel); a++) {
		if (!l->args || !l->args[a])
			return err_set(MORI_SHMEM_EINVAL,
				       "kernel %s has %u parameters, and args%s is NULL", l->kernel,
				       emu_kernel_args(launch.kernel), l->args ? "[i] of one" : "");
	}
	switch (emu_run(m->code, &launch, why, sizeof(why))) {
	case EMU_ENDED:
		return 0;
	case EMU_STUCK:
		return err_set(
			MORI_SHMEM_ETIMEDOUT,
			"kernel %s: all waves have only waited for %.3g s (MORI_SHMEM_TIMEOUT)",
			l->kernel, (double)l->idle_ns / 1e9);
	case EMU_FAULT:
		return err_set(MORI_SHMEM_EFAULT, "kernel %s on %s", l->kernel, why);
	default:
		return err_set(MORI_SHMEM_EINVAL, "kernel %s: %s", l->kernel, why);
	}
}

/* Kernels run in the launching thread, but call nothing of the host. */
static bool amd_emu_in_kernel(void)
{
	return false;
}

static const struct accel_module_ops amd_emu_module_ops = {
	.load = amd_emu_load,
	.borrow = amd_emu_borrow,
	.unload = amd_emu_unload,
	.look = amd_emu_look,
	.link = amd_emu_link,
	.kernel = amd_emu_kernel,
	.params = amd_emu_params,
	.launch = amd_emu_launch,
	.in_kernel = amd_emu_in_kernel,
};

const struct accel_ops accel_amd_emu = {
	.name = "amd-emu",
	.open = amd_emu_open,
	.close = amd_emu_close,
	.facts = amd_emu_facts,
	.describe = amd_emu_describe,
	.mem_zero = amd_emu_zero,
	.module = &amd_emu_module_ops,
	.silent = true,
};
