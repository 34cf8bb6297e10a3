// SPDX-License-Identifier: MIT
/*
 * Which device there is, and the only calls through its table.
 */
#include "accel/accel.h"

#include "accel/ops.h"
#include "util/err.h"

static const char *const kind_names[] = { "auto", "cpu", "cuda", "hip" };

int accel_open(enum accel_kind kind, struct accel *out)
{
	int err;

	if (kind != ACCEL_AUTO && kind != ACCEL_CPU)
		return err_set(MORI_SHMEM_ENOTSUP,
			       "MORI_SHMEM_DEVICE=%s: this build has no such device; use cpu",
			       kind_names[kind]);
	err = accel_cpu.probe();
	if (!err)
		out->ops = &accel_cpu;
	return err;
}

const char *accel_name(const struct accel *a)
{
	return a->ops->name;
}

int accel_device(const struct accel *a)
{
	return a->ops->device();
}

uint64_t accel_heap_default(const struct accel *a)
{
	return a->ops->heap_default();
}

int accel_mem_create(const struct accel *a, const char *name, uint64_t len, int *fd)
{
	return a->ops->mem_create(name, len, fd);
}

int accel_mem_map(const struct accel *a, int fd, uint64_t len, uint64_t align, void **out)
{
	return a->ops->mem_map(fd, len, align, out);
}

void accel_mem_unmap(const struct accel *a, void *base, uint64_t len)
{
	a->ops->mem_unmap(base, len);
}

int accel_mem_discard(const struct accel *a, void *at, uint64_t len)
{
	return a->ops->mem_discard(at, len);
}

void accel_mem_zero(const struct accel *a, void *at, uint64_t len)
{
	a->ops->mem_zero(at, len);
}

int accel_module_load(const struct accel *a, const void *image, size_t len,
		      struct accel_module **out)
{
	return a->ops->module_load(image, len, out);
}

int accel_module_borrow(const struct accel *a, void *native, struct accel_module **out)
{
	return a->ops->module_borrow(native, out);
}

void accel_module_unload(const struct accel *a, struct accel_module *m)
{
	a->ops->module_unload(m);
}

int accel_module_link(const struct accel *a, struct accel_module *m, struct dev_state *state)
{
	return a->ops->module_link(m, state);
}

int accel_launch(const struct accel *a, struct accel_module *m, const struct accel_launch *launch,
		 struct accel_fault *fault)
{
	return a->ops->launch(m, launch, fault);
}

int accel_module_kernel(const struct accel *a, struct accel_module *m, size_t index,
			const char **name)
{
	if (a->ops->module_kernel)
		return a->ops->module_kernel(m, index, name);
	return err_set(MORI_SHMEM_ENOTSUP, "device %s does not tell the kernels of a module",
		       a->ops->name);
}

int accel_kernel_params(const struct accel *a, struct accel_module *m, const char *name,
			mori_shmem_param_t *params, size_t room)
{
	if (a->ops->kernel_params)
		return a->ops->kernel_params(m, name, params, room);
	return err_set(MORI_SHMEM_ENOTSUP, "device %s does not tell the parameters of a kernel",
		       a->ops->name);
}

int accel_in_kernel(const struct accel *a)
{
	return a->ops->in_kernel();
}
