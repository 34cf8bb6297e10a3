// SPDX-License-Identifier: MIT
/*
 * Modules of a GPU: PTX or a cubin, and launches. All kernels are brought onto the device
 * when the module is loaded: one that came at its first launch might wait for a kernel that
 * waits for it.
 */
#include "abi/state.h"
#include "accel/gpu.h"
#include "util/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GPU_JIT_ERRORS	    5 /* options of a load: a buffer for the compiler's errors */
#define GPU_JIT_ERRORS_SIZE 6
#define GPU_NOT_READY	    600
#define GPU_MOST_THREADS    0 /* attributes of a function: threads of a block, */
#define GPU_LOCAL_SIZE	    3 /* bytes of a thread */
#define GPU_STACK	    0 /* a limit of the context: bytes of a thread */
#define BLOCK_THREADS_MAX   1024u
#define GRID_X_MAX	    2147483647u
#define GRID_YZ_MAX	    65535u

#define WAIT_POLLS 1000u /* of a launch, before the host's thread sleeps */
#define WAIT_NAPS  250u

struct accel_module {
	struct accel_dev *dev;
	gpu_module module;
	bool ours;
	gpu_ptr link; /* its struct dev_link; 0: nobody has looked */
};

void gpu_room(gpu_function f)
{
	size_t room = 0;
	int local = 0;

	if (!gpu.function_attribute(&local, GPU_LOCAL_SIZE, f) && local > 0 &&
	    !gpu.limit_get(&room, GPU_STACK) && room < (size_t)local)
		gpu.limit_set(GPU_STACK, (size_t)local);
}

/* With the context current. */
static void module_bring(struct accel_module *m)
{
	unsigned n = 0;
	gpu_function *list;

	if (!gpu.module_count || !gpu.module_functions || !gpu.function_load ||
	    gpu.module_count(&n, m->module) || !n)
		return;
	list = calloc(n, sizeof(*list));
	if (list && !gpu.module_functions(list, n, m->module)) {
		for (unsigned i = 0; i < n; i++) {
			gpu.function_load(list[i]);
			gpu_room(list[i]);
		}
	}
	free(list);
}

static int module_open(struct accel_module *m, const char *image)
{
	char said[512] = "";
	int options[] = { GPU_JIT_ERRORS, GPU_JIT_ERRORS_SIZE };
	void *values[] = { said, (void *)(uintptr_t)(sizeof(said) - 1) };
	int code = gpu.module_load(&m->module, image, 2, options, values);
	const char *name = NULL;

	if (!code) {
		module_bring(m);
		return 0;
	}
	gpu.error_name(code, &name);
	gpu_fail(code, "load");
	return err_set(code == 2 ? MORI_SHMEM_ENOMEM : MORI_SHMEM_EINVAL,
		       "this is no module for this GPU: %s%s%s; make one with mori cc --target "
		       "sm_<capability>",
		       name ? name : "", *said ? ": " : "", said);
}

int gpu_module_load(struct accel_dev *d, const void *image, size_t len, struct accel_module **out)
{
	struct accel_module *m = calloc(1, sizeof(*m));
	char *text = malloc(len + 1); /* PTX is a string */
	int err = m && text ? gpu_enter(d) : err_set(MORI_SHMEM_ENOMEM, "no memory for a module");

	if (!err) {
		memcpy(text, image, len);
		text[len] = '\0';
		m->dev = d;
		m->ours = true;
		err = module_open(m, text);
		gpu_leave();
	}
	free(text);
	if (err)
		free(m);
	else
		*out = m;
	return err;
}

int gpu_module_borrow(struct accel_dev *d, void *native, struct accel_module **out)
{
	struct accel_module *m = calloc(1, sizeof(*m));
	int err = m ? gpu_enter(d) : err_set(MORI_SHMEM_ENOMEM, "no memory for a module");

	if (err) {
		free(m);
		return err;
	}
	m->dev = d;
	m->module = native;
	module_bring(m);
	gpu_leave();
	*out = m;
	return 0;
}

void gpu_module_unload(struct accel_module *m)
{
	if (m->ours && !gpu_enter(m->dev)) {
		gpu.module_unload(m->module);
		gpu_leave();
	}
	free(m);
}

int gpu_module_look(struct accel_module *m, uint32_t *flags)
{
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
		return gpu_fail(code, "cannot look into the module");
	if (code)
		return err_set(MORI_SHMEM_ENOENT,
			       "the module does not use the library: it has no globalGpuStates");
	if (len >= sizeof(link.size) + sizeof(link.abi))
		err = gpu_copy(m->dev, &link, (void *)(uintptr_t)at,
			       len < sizeof(link) ? len : sizeof(link), false);
	if (err)
		return err;
	if (len != sizeof(link) || link.abi != DEV_ABI || link.size != sizeof(struct dev_state))
		return err_set(MORI_SHMEM_EABI,
			       "the module with kernel %s was made for ABI %u (a state of %u "
			       "bytes), this library has ABI %u (%zu bytes): compile it again",
			       gpu_module_kernel(m, 0, &name) ? "?" : name, link.abi, link.size,
			       DEV_ABI, sizeof(struct dev_state));
	m->link = at;
	*flags = link.flags;
	return 0;
}

int gpu_module_link(struct accel_module *m, struct dev_state *ctx)
{
	char *at = (char *)(uintptr_t)m->link + offsetof(struct dev_link, state);
	int err = gpu_copy(m->dev, at, &ctx, sizeof(uint64_t), false);

	if (!err && !m->ours && !gpu_enter(m->dev)) {
		module_bring(m);
		gpu_leave();
	}
	return err;
}

static int launch_check(const struct accel_launch *l, gpu_function f)
{
	const unsigned *g = l->grid, *b = l->block;
	int most = (int)BLOCK_THREADS_MAX;
	size_t off, len;

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

/* With the context current; NULL and a text if there is none of that name. */
static gpu_function launch_find(const struct accel_module *m, const char *name)
{
	gpu_function f = NULL, *list;
	char names[300] = "";
	size_t used = 0;
	unsigned n = 0;

	if (!gpu.module_function(&f, m->module, name))
		return f;
	if (gpu.module_count && gpu.module_functions && gpu.function_name)
		gpu.module_count(&n, m->module);
	list = calloc(n + 1, sizeof(*list));
	if (!list || (n && gpu.module_functions(list, n, m->module)))
		n = 0;
	for (unsigned i = 0; i < n && used < sizeof(names); i++) {
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

/* A short kernel is polled for, a long one looked after now and then. */
static int launch_poll(const struct accel_launch *l, gpu_stream stream)
{
	uint64_t polls = 0, naps = 0;
	int code;

	while ((code = gpu.stream_query(stream)) == GPU_NOT_READY) {
		if (++polls < WAIT_POLLS)
			continue;
		nanosleep(&(struct timespec){ .tv_nsec = naps < WAIT_NAPS ? 20000 : 200000 }, NULL);
		if (++naps % WAIT_NAPS == 0 && l->idle)
			l->idle((struct dev_state *)l->state);
	}
	return code;
}

static int launch_wait(const struct accel_launch *l, gpu_stream stream)
{
	const char *name = "?";
	int code = launch_poll(l, stream), err;

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
static int launch_lane(const struct accel_module *m, const struct accel_launch *l, gpu_stream *out)
{
	struct accel_dev *dev = l->caller ? l->caller->dev : NULL;

	return gpu_lane(dev && dev->home == m->dev->home ? dev : m->dev, GPU_RUN, out);
}

int gpu_launch(struct accel_module *m, const struct accel_launch *l, struct accel_fault *fault)
{
	gpu_stream stream = l->stream;
	gpu_function f;
	int code, err = gpu_enter(m->dev);

	for (int i = 0; i < 3; i++)
		fault->block[i] = fault->thread[i] = -1;
	if (err)
		return err;
	f = launch_find(m, l->kernel);
	err = f ? launch_check(l, f) : MORI_SHMEM_ENOENT;
	if (!err && l->shared > UINT32_MAX)
		err = err_set(MORI_SHMEM_EINVAL, "kernel %s: %zu bytes of block memory", l->kernel,
			      l->shared);
	if (!err && !stream)
		err = launch_lane(m, l, &stream);
	if (!err) {
		code = gpu_submit(f, l->grid, l->block, (unsigned)l->shared, stream, l->args);
		if (code)
			err = gpu_fail(code, "cannot launch the kernel");
	}
	if (!err && !l->stream)
		err = launch_wait(l, stream);
	gpu_leave();
	return err;
}

int gpu_module_kernel(struct accel_module *m, size_t index, const char **name)
{
	gpu_function *list;
	unsigned n = 0;
	int err = gpu_enter(m->dev);

	if (err)
		return err;
	if (!gpu.module_count || !gpu.module_functions || !gpu.function_name)
		err = err_set(MORI_SHMEM_ENOTSUP,
			      "this driver does not tell the kernels of a module");
	else if (gpu.module_count(&n, m->module) || index >= n)
		err = err_set(MORI_SHMEM_ENOENT, "the module has %u kernels", n);
	list = err ? NULL : calloc(n, sizeof(*list));
	if (!err && (!list || gpu.module_functions(list, n, m->module) ||
		     gpu.function_name(name, list[index])))
		err = err_set(MORI_SHMEM_EIO, "the driver did not tell the name of a kernel");
	free(list);
	gpu_leave();
	return err;
}

int gpu_kernel_params(struct accel_module *m, const char *name, mori_shmem_param_t *params,
		      size_t room)
{
	size_t off, len, n = 0;
	gpu_function f;
	int err = gpu_enter(m->dev);

	if (err)
		return err;
	f = launch_find(m, name);
	if (!f)
		err = MORI_SHMEM_ENOENT;
	else if (!gpu.function_parameter)
		err = err_set(MORI_SHMEM_ENOTSUP,
			      "this driver does not tell the parameters of a kernel");
	while (!err && !gpu.function_parameter(f, n, &off, &len)) {
		if (n < room)
			params[n] = (mori_shmem_param_t){ MORI_SHMEM_PARAM_UNKNOWN, (uint32_t)len };
		n++;
	}
	gpu_leave();
	return err ? err : (int)n;
}

int gpu_in_kernel(void)
{
	return 0;
}
