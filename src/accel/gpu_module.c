// SPDX-License-Identifier: MIT
/*
 * Modules of a GPU: PTX or a cubin, and launches. All kernels are loaded onto the device with the
 * module: loading at the first launch might wait for a kernel that waits for the new one.
 */
#include "abi/state.h"
#include "accel/gpu.h"
#include "util/backoff.h"
#include "util/clock.h"
#include "util/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GPU_NOT_READY	 600
#define GPU_MOST_THREADS 0 /* attributes of a function: threads per block, */
#define GPU_LOCAL_SIZE	 3 /* bytes per thread */
#define GPU_STACK	 0 /* a limit of the context: bytes per thread */

#define IDLE_NS 20000000 /* between two calls of a launch's idle() */

struct gpu_module {
	struct accel_dev *dev;
	gpu_module module;
	bool ours;
	gpu_ptr link; /* its struct dev_link; 0: not looked up yet */
};

static struct gpu_module *gpu_module_of(struct accel_module *handle)
{
	return (struct gpu_module *)handle;
}

void gpu_room(gpu_function f)
{
	size_t room = 0;
	int local = 0;

	if (!gpu.function_attribute(&local, GPU_LOCAL_SIZE, f) && local > 0 &&
	    !gpu.limit_get(&room, GPU_STACK) && room < (size_t)local)
		gpu.limit_set(GPU_STACK, (size_t)local);
}

/* With the context current: all kernels of a module; NULL where the driver does not list them. */
static gpu_function *gpu_module_list(const struct gpu_module *m, unsigned *n)
{
	gpu_function *list = NULL;

	*n = 0;
	if (gpu.module_count && gpu.module_functions && !gpu.module_count(n, m->module))
		list = calloc((size_t)*n + 1, sizeof(*list));
	if (list && *n && gpu.module_functions(list, *n, m->module)) {
		free(list);
		list = NULL;
	}
	if (!list)
		*n = 0;
	return list;
}

/* With the context current. */
static void gpu_module_preload(struct gpu_module *m)
{
	unsigned n;
	gpu_function *list = gpu_module_list(m, &n);

	for (unsigned i = 0; i < n && gpu.function_load; i++) {
		gpu.function_load(list[i]);
		gpu_room(list[i]);
	}
	free(list);
}

static int gpu_module_open(struct gpu_module *m, const void *image, size_t len)
{
	char said[512] = "";
	int code = gpu.module_load(&m->module, image, len, said, sizeof(said));
	const char *name = NULL;
	char target[32];

	if (!code) {
		gpu_module_preload(m);
		return 0;
	}
	gpu.error_name(code, &name);
	gpu_fail(code, "load");
	gpu_vendor()->target(-1, target, sizeof(target));
	return err_set(code == 2 ? MORI_SHMEM_ENOMEM : MORI_SHMEM_EINVAL,
		       "this is not a module for this GPU: %s%s%s; make one with mori cc --target "
		       "%s",
		       name ? name : "", *said ? ": " : "", said, target);
}

static int gpu_module_load(struct accel_dev *d, const void *image, size_t len,
			   struct accel_module **out)
{
	struct gpu_module *m = calloc(1, sizeof(*m));
	int err = m ? gpu_enter(d) : err_set(MORI_SHMEM_ENOMEM, "no memory for a module");

	if (!err) {
		m->dev = d;
		m->ours = true;
		err = gpu_module_open(m, image, len);
		gpu_leave();
	}
	if (err)
		free(m);
	else
		*out = (struct accel_module *)m;
	return err;
}

static int gpu_module_borrow(struct accel_dev *d, void *native, struct accel_module **out)
{
	struct gpu_module *m = calloc(1, sizeof(*m));
	int err = m ? gpu_enter(d) : err_set(MORI_SHMEM_ENOMEM, "no memory for a module");

	if (err) {
		free(m);
		return err;
	}
	m->dev = d;
	m->module = native;
	gpu_module_preload(m);
	gpu_leave();
	*out = (struct accel_module *)m;
	return 0;
}

static void gpu_module_unload(struct accel_module *handle)
{
	struct gpu_module *m = gpu_module_of(handle);
	if (m->ours && !gpu_enter(m->dev)) {
		gpu.module_unload(m->module);
		gpu_leave();
	}
	free(m);
}

static int gpu_module_kernel(struct accel_module *handle, size_t index, const char **name)
{
	struct gpu_module *m = gpu_module_of(handle);
	gpu_function *list;
	unsigned n = 0;
	int err = gpu_enter(m->dev);

	if (err)
		return err;
	list = gpu_module_list(m, &n);
	if (!list || !gpu.function_name)
		err = err_set(MORI_SHMEM_ENOTSUP, "this driver does not list a module's kernels");
	else if (index >= n)
		err = err_set(MORI_SHMEM_ENOENT, "the module has %u kernels", n);
	else if (gpu.function_name(name, list[index]))
		err = err_set(MORI_SHMEM_EIO, "the driver did not report the name of a kernel");
	free(list);
	gpu_leave();
	return err;
}

static int gpu_module_look(struct accel_module *handle, uint32_t *flags)
{
	struct gpu_module *m = gpu_module_of(handle);
	struct dev_link link = { 0 };
	const char *name = NULL;
	gpu_ptr at = 0;
	size_t len = 0;
	int code, err = gpu_enter(m->dev);

	if (err)
		return err;
	code = gpu.module_global(&at, &len, m->module, "globalGpuStates");
	gpu_leave();
	if (code && code != 500)
		return gpu_fail(code, "cannot inspect the module");
	if (code)
		return err_set(MORI_SHMEM_ENOENT,
			       "the module does not use the library: it has no globalGpuStates");
	if (len >= sizeof(link.size) + sizeof(link.abi))
		err = gpu_copy(m->dev, &link, (void *)(uintptr_t)at,
			       len < sizeof(link) ? len : sizeof(link));
	if (err)
		return err;
	if (len != sizeof(link) || link.abi != DEV_ABI || link.size != sizeof(struct dev_state))
		return err_set(MORI_SHMEM_EABI,
			       "the module with kernel %s was made for ABI %u (a state of %u "
			       "bytes), this library has ABI %u (%zu bytes): compile it again",
			       gpu_module_kernel(handle, 0, &name) ? "?" : name, link.abi,
			       link.size, DEV_ABI, sizeof(struct dev_state));
	m->link = at;
	*flags = link.flags;
	return 0;
}

static int gpu_module_link(struct accel_module *handle, struct dev_state *ctx)
{
	struct gpu_module *m = gpu_module_of(handle);
	char *at = (char *)(uintptr_t)m->link + offsetof(struct dev_link, state);
	int err = gpu_copy(m->dev, at, &ctx, sizeof(uint64_t));

	if (!err && !m->ours && !gpu_enter(m->dev)) {
		gpu_module_preload(m);
		gpu_leave();
	}
	return err;
}

static int gpu_launch_check(const struct accel_launch *l, gpu_function f)
{
	const unsigned *b = l->block;
	int most, err = accel_launch_check(l);
	size_t off, len;

	if (err)
		return err;
	if (!gpu.function_attribute(&most, GPU_MOST_THREADS, f) &&
	    b[0] * b[1] * b[2] > (unsigned)most)
		return err_set(MORI_SHMEM_EINVAL,
			       "kernel %s needs so many registers that a block has at most %d "
			       "threads, not %u * %u * %u",
			       l->kernel, most, b[0], b[1], b[2]);
	for (size_t i = 0; gpu.function_parameter && !gpu.function_parameter(f, i, &off, &len);
	     i++) {
		if (!l->args || !l->args[i])
			return err_set(MORI_SHMEM_EINVAL,
				       "kernel %s: args%s is NULL, but it has a parameter %zu",
				       l->kernel, l->args ? "[i] of one" : "", i);
	}
	return 0;
}

/* With the context current; NULL and a text if there is no kernel of that name. */
static gpu_function gpu_launch_find(const struct gpu_module *m, const char *name)
{
	gpu_function f = NULL, *list;
	char names[300] = "";
	size_t used = 0;
	unsigned n = 0;

	if (!gpu.module_function(&f, m->module, name))
		return f;
	list = gpu_module_list(m, &n);
	for (unsigned i = 0; i < n && gpu.function_name && used < sizeof(names); i++) {
		const char *one = "?";

		gpu.function_name(&one, list[i]);
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 used ? ", " : "", one);
	}
	free(list);
	err_set(MORI_SHMEM_ENOENT, "the module has no kernel %s%s%s", name, used ? "; it has " : "",
		names);
	return NULL;
}

/* Spins for a short kernel, and checks a long one periodically. */
static int gpu_launch_poll(const struct accel_launch *l, gpu_stream stream)
{
	struct backoff wait = backoff_start(BACKOFF_LAUNCH, NULL);
	int64_t idle_at = clock_now() + IDLE_NS, ns;
	int code;

	while ((code = gpu.stream_query(stream)) == GPU_NOT_READY) {
		wait.polls = 0; /* a query takes longer than the clock */
		ns = backoff_pause(&wait);
		if (!ns)
			continue;
		clock_sleep(ns);
		if (!l->idle || clock_now() < idle_at)
			continue;
		l->idle((struct dev_state *)l->state);
		idle_at = clock_now() + IDLE_NS;
	}
	return code;
}

static int gpu_launch_wait(const struct accel_launch *l, gpu_stream stream)
{
	const char *name = "?";
	int code = gpu_launch_poll(l, stream), err;

	if (!code)
		return 0;
	gpu.error_name(code, &name);
	err = gpu_fail(code, "wait");
	return err_set(err,
		       "kernel %s of PE %d: %s; the context of this process is lost: finalize and "
		       "end it",
		       l->kernel, l->state->my_pe, name);
}

/* With the context current: of the caller's PE, if that is on the module's device. */
static int gpu_launch_stream(const struct gpu_module *m, const struct accel_launch *l,
			     gpu_stream *out)
{
	struct accel_dev *dev = l->caller ? l->caller->dev : NULL;

	return gpu_lane(dev && dev->home == m->dev->home ? dev : m->dev, GPU_RUN, out);
}

static int gpu_launch(struct accel_module *handle, const struct accel_launch *l,
		      struct accel_fault *fault)
{
	struct gpu_module *m = gpu_module_of(handle);
	gpu_stream stream = l->stream;
	gpu_function f;
	int code, err = gpu_enter(m->dev);

	(void)fault; /* the driver does not report it */
	if (err)
		return err;
	f = gpu_launch_find(m, l->kernel);
	err = f ? gpu_launch_check(l, f) : MORI_SHMEM_ENOENT;
	if (!err && l->shared > UINT32_MAX)
		err = err_set(MORI_SHMEM_EINVAL, "kernel %s: %zu bytes of block memory", l->kernel,
			      l->shared);
	if (!err && !stream)
		err = gpu_launch_stream(m, l, &stream);
	if (!err && gpu_vendor()->launched)
		gpu_vendor()->launched(l->kernel, l->state->my_pe);
	if (!err) {
		code = gpu_submit(f, l->grid, l->block, (unsigned)l->shared, stream, l->args);
		if (code)
			err = gpu_fail(code, "cannot launch the kernel");
	}
	if (!err && !l->stream)
		err = gpu_launch_wait(l, stream);
	gpu_leave();
	return err;
}

static int gpu_kernel_params(struct accel_module *handle, const char *name,
			     mori_shmem_param_t *params, size_t room)
{
	struct gpu_module *m = gpu_module_of(handle);
	size_t off, len, n = 0;
	gpu_function f;
	int err = gpu_enter(m->dev);

	if (err)
		return err;
	f = gpu_launch_find(m, name);
	if (!f)
		err = MORI_SHMEM_ENOENT;
	else if (!gpu.function_parameter)
		err = err_set(MORI_SHMEM_ENOTSUP,
			      "this driver does not report the parameters of a kernel");
	while (!err && !gpu.function_parameter(f, n, &off, &len)) {
		if (n < room)
			params[n] = (mori_shmem_param_t){ .kind = MORI_SHMEM_PARAM_UNKNOWN,
							  .size = (uint32_t)len };
		n++;
	}
	gpu_leave();
	return err ? err : (int)n;
}

static bool gpu_in_kernel(void)
{
	return false;
}

const struct accel_module_ops gpu_module_ops = {
	.load = gpu_module_load,
	.borrow = gpu_module_borrow,
	.unload = gpu_module_unload,
	.look = gpu_module_look,
	.link = gpu_module_link,
	.kernel = gpu_module_kernel,
	.params = gpu_kernel_params,
	.launch = gpu_launch,
	.in_kernel = gpu_in_kernel,
};
