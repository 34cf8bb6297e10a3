// SPDX-License-Identifier: MIT
/*
 * Which device there is, and the only calls through its table.
 */
#include "accel/accel.h"

#include "accel/ops.h"
#include "util/err.h"

static const char *const kind_names[] = { "auto", "cpu", "cuda", "hip" };
static const char *const backend_names[] = { "", "CPU", "CUDA", "HIP" };

/* NULL: this build has no backend for that kind. */
static const struct accel_ops *accel_ops_of(enum accel_kind kind)
{
#ifdef MORI_HAVE_CUDA
	if (kind == ACCEL_CUDA)
		return &accel_cuda;
#endif
	return kind == ACCEL_CPU ? &accel_cpu : NULL;
}

bool accel_built(enum accel_kind kind)
{
	return accel_ops_of(kind) != NULL;
}

int accel_open(enum accel_kind kind, int place, struct accel *out)
{
	const struct accel_ops *ops = accel_ops_of(kind == ACCEL_AUTO ? ACCEL_CUDA : kind);
	int err = MORI_SHMEM_ENOTSUP;
	struct err_was was;

	if (!ops && kind == ACCEL_AUTO)
		ops = &accel_cpu;
	if (!ops)
		return err_set(MORI_SHMEM_ENOTSUP,
			       "MORI_SHMEM_DEVICE=%s: this build has no %s backend; use %s",
			       kind_names[kind], backend_names[kind],
			       accel_built(ACCEL_CUDA) ? "cpu or cuda" : "cpu");
	out->dev = NULL;
	err_save(&was);
	err = ops->open(place, &out->dev);
	if (err == MORI_SHMEM_ENOTSUP && kind == ACCEL_AUTO) {
		err_restore(&was);
		ops = &accel_cpu;
		err = ops->open(place, &out->dev);
	}
	if (!err)
		out->ops = ops;
	return err;
}

void accel_close(struct accel *a)
{
	if (a->ops)
		a->ops->close(a->dev);
	a->ops = NULL;
}

const char *accel_name(const struct accel *a)
{
	return a->ops->name;
}

int accel_device(const struct accel *a)
{
	return a->ops->device(a->dev);
}

bool accel_current(const struct accel *a)
{
	return a->ops->current(a->dev);
}

bool accel_near(const struct accel *a)
{
	return a->ops->near != NULL;
}

int accel_facts(const struct accel *a, struct accel_facts *out)
{
	return a->ops->facts(a->dev, out);
}

int accel_describe(enum accel_kind kind, int number, char *text, size_t size)
{
	const struct accel_ops *ops = accel_ops_of(kind);

	return ops ? ops->describe(number, text, size) :
		     err_set(MORI_SHMEM_ENOTSUP, "this build has no %s backend",
			     backend_names[kind]);
}

int accel_mem_create(const struct accel *a, const char *name, uint64_t len, int *fd)
{
	return a->ops->near->mem_create(name, len, fd);
}

int accel_mem_map(const struct accel *a, int fd, uint64_t len, uint64_t align, void **out)
{
	return a->ops->near->mem_map(fd, len, align, out);
}

void accel_mem_unmap(const struct accel *a, void *base, uint64_t len)
{
	a->ops->near->mem_unmap(base, len);
}

int accel_mem_discard(const struct accel *a, void *at, uint64_t len)
{
	return a->ops->near->mem_discard(at, len);
}

int accel_mem_zero(const struct accel *a, void *at, uint64_t len)
{
	return a->ops->mem_zero(a->dev, at, len);
}

int accel_reserve(const struct accel *a, uint64_t len, uint64_t align, void **out)
{
	return a->ops->far->reserve(a->dev, len, align, out);
}

void accel_unreserve(const struct accel *a, void *base)
{
	a->ops->far->unreserve(base);
}

int accel_part_make(const struct accel *a, void *at, uint64_t len, const int *devs, int n_devs,
		    struct accel_ticket *ticket)
{
	return a->ops->far->part_make(a->dev, at, len, devs, n_devs, ticket);
}

int accel_part_take(const struct accel *a, const struct accel_ticket *ticket, void *at,
		    uint64_t len, const int *devs, int n_devs)
{
	return a->ops->far->part_take(a->dev, ticket, at, len, devs, n_devs);
}

void accel_part_drop(const struct accel *a, void *at, uint64_t len)
{
	a->ops->far->part_drop(at, len);
}

int accel_alloc(const struct accel *a, uint64_t len, void **out)
{
	return a->ops->far->alloc(a->dev, len, out);
}

void accel_free(const struct accel *a, void *ptr)
{
	a->ops->far->free(a->dev, ptr);
}

int accel_handle_get(const struct accel *a, const void *ptr, uint64_t len, struct accel_handle *out)
{
	return a->ops->far->handle_get(a->dev, ptr, len, out);
}

int accel_handle_open(const struct accel *a, const struct accel_handle *h, void **out, void **base)
{
	return a->ops->far->handle_open(a->dev, h, out, base);
}

void accel_handle_close(const struct accel *a, void *base)
{
	a->ops->far->handle_close(a->dev, base);
}

bool accel_holds(const struct accel *a, const void *ptr)
{
	return a->ops->far && a->ops->far->holds(a->dev, ptr);
}

int accel_pin(const struct accel *a, void *ptr, uint64_t len, bool *ours)
{
	return a->ops->far->pin(a->dev, ptr, len, ours);
}

void accel_unpin(const struct accel *a, void *ptr)
{
	a->ops->far->unpin(a->dev, ptr);
}

int accel_dmabuf(const struct accel *a, const void *at, uint64_t len, int *fd, uint64_t *off)
{
	return a->ops->far->dmabuf(a->dev, at, len, fd, off);
}

int accel_show(const struct accel *a, void *at, uint64_t len, bool io, void **out)
{
	return a->ops->far->show(a->dev, at, len, io, out);
}

int accel_pci(const struct accel *a, char *text, size_t size)
{
	return a->ops->far->pci(a->dev, text, size);
}

int accel_copy(const struct accel *a, void *dst, const void *src, uint64_t len)
{
	return a->ops->far->copy(a->dev, dst, src, len, false);
}

int accel_copy_urgent(const struct accel *a, void *dst, const void *src, uint64_t len)
{
	return a->ops->far->copy(a->dev, dst, src, len, true);
}

int accel_amo(const struct accel *a, void *ptr, bool wide, int op, uint64_t value, uint64_t compare,
	      uint64_t *old)
{
	return a->ops->far->amo(a->dev, ptr, wide, op, value, compare, old);
}

int accel_stream_check(const struct accel *a, void *stream, bool alone)
{
	return a->ops->far->stream_check(a->dev, stream, alone);
}

int accel_stream_copy(const struct accel *a, void *dst, const void *src, uint64_t len, void *stream)
{
	return a->ops->far->stream_copy(a->dev, dst, src, len, stream);
}

int accel_stream_task(const struct accel *a, enum dev_task_id id, const struct dev_task *task,
		      int lanes, void *stream)
{
	return a->ops->far->stream_task(a->dev, id, task, lanes, stream);
}

int accel_module_load(const struct accel *a, const void *image, size_t len,
		      struct accel_module **out)
{
	return a->ops->module_load(a->dev, image, len, out);
}

int accel_module_borrow(const struct accel *a, void *native, struct accel_module **out)
{
	return a->ops->module_borrow(a->dev, native, out);
}

void accel_module_unload(const struct accel *a, struct accel_module *m)
{
	a->ops->module_unload(m);
}

int accel_module_look(const struct accel *a, struct accel_module *m, uint32_t *flags)
{
	return a->ops->module_look(m, flags);
}

int accel_module_link(const struct accel *a, struct accel_module *m, struct dev_state *ctx)
{
	return a->ops->module_link(m, ctx);
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
