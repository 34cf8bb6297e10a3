// SPDX-License-Identifier: MIT
/*
 * Modules and launches. Every handle is in one list until it is unloaded, so that one which
 * outlives its PE causes an error and not a crash. A module runs one launch at a time; other
 * callers wait.
 */
#include "core/module.h"

#include "core/fail.h"
#include "core/faults.h"
#include "core/p2p_only.h"
#include "core/registry.h"
#include "core/remote.h"
#include "core/sized.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/interrupt.h"
#include "util/log.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mori_shmem_module {
	struct mori_shmem_module *next;
	struct pe *pe; /* NULL: it has finalized */
	const struct accel_module_ops *ops;
	struct accel_module *module; /* NULL: unloaded */
	bool busy;		     /* a launch runs, or it is being unloaded */
	char kernel[48];	     /* that runs */
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t free; /* some module has become idle */
	struct mori_shmem_module *first;
} modules = { .lock = PTHREAD_MUTEX_INITIALIZER, .free = PTHREAD_COND_INITIALIZER };

static const char not_yours[] =
	"it is not a module of mori_shmem_module_load(), or it was unloaded";

void module_after_fork(void)
{
	pthread_mutex_init(&modules.lock, NULL);
	pthread_cond_init(&modules.free, NULL);
	p2p_only_after_fork();
	for (struct mori_shmem_module *m = modules.first; m; m = m->next) {
		m->pe = NULL;
		m->busy = false;
	}
}

/* Under the lock: the link to it in the list; NULL if there is none. */
static struct mori_shmem_module **module_place(const void *m)
{
	struct mori_shmem_module **p = &modules.first;

	while (*p && *p != m)
		p = &(*p)->next;
	return *p ? p : NULL;
}

/* Under the lock: marks it as ours. It may be gone when it becomes idle. */
static int module_take(struct mori_shmem_module *m, const char *call)
{
	struct timespec end = { 0 };

	for (;;) {
		double limit;
		int late = 0;

		if (!module_place(m))
			return err_set(MORI_SHMEM_EINVAL, "%s: %s", call, not_yours);
		if (!m->busy)
			break;
		if (m->ops->in_kernel())
			return err_set(MORI_SHMEM_ESTATE, "%s: not from inside a kernel", call);
		limit = m->pe ? m->pe->options.timeout : 0;
		if (!end.tv_sec)
			end = clock_timespec(clock_deadline(limit));
		if (limit > 0)
			late = pthread_cond_clockwait(&modules.free, &modules.lock, CLOCK_MONOTONIC,
						      &end);
		else
			pthread_cond_wait(&modules.free, &modules.lock);
		if (late && module_place(m) && m->busy)
			return err_set(MORI_SHMEM_ETIMEDOUT,
				       "%s: kernel %s of the same module still runs in another "
				       "thread after %g s (MORI_SHMEM_TIMEOUT)",
				       call, m->kernel, limit);
	}
	m->busy = true;
	return 0;
}

/* Under the lock. */
static void module_give(struct mori_shmem_module *m)
{
	m->busy = false;
	pthread_cond_broadcast(&modules.free);
}

static struct pe *module_pe(struct registry_call *held, const char *call)
{
	struct pe *pe = registry_enter_pe(held);

	if (!pe)
		fail_status(NULL, call, MORI_SHMEM_ESTATE);
	return pe;
}

/* @handle: what the caller knows the module by. */
static int module_bind(struct pe *pe, struct accel_module *m, const void *handle, const char *call)
{
	const struct accel_module_ops *ops = pe->accel.ops->module;
	uint32_t flags;
	int err = ops->look(m, &flags);

	if (!err)
		err = p2p_only_bind(pe, handle, flags & DEV_LINK_P2P_ONLY, call);
	if (!err)
		err = ops->link(m, (struct dev_state *)(uintptr_t)pe->ctx);
	return err;
}

int mori_shmem_module_load(const void *image, size_t size, mori_shmem_module_t **out)
{
	REGISTRY_CALL struct registry_call held;
	struct pe *pe = module_pe(&held, "module_load");
	struct mori_shmem_module *m;
	int err;

	if (!pe)
		return MORI_SHMEM_ESTATE;
	if (!image || !out)
		return err_set(MORI_SHMEM_EINVAL, "mori_shmem_module_load: %s is NULL",
			       image ? "module" : "image");
	m = calloc(1, sizeof(*m));
	if (!m)
		return err_set(MORI_SHMEM_ENOMEM, "mori_shmem_module_load: no memory");
	m->ops = pe->accel.ops->module;
	pe_expose_state(pe);
	err = m->ops->load(pe->accel.dev, image, size, &m->module);
	if (err)
		goto free_handle;
	err = module_bind(pe, m->module, m, "module_load");
	if (err)
		goto unload;
	m->pe = pe;
	pthread_mutex_lock(&modules.lock);
	m->next = modules.first;
	modules.first = m;
	pthread_mutex_unlock(&modules.lock);
	*out = m;
	return 0;
unload:
	p2p_only_unbind(m);
	m->ops->unload(m->module);
free_handle:
	free(m);
	return err;
}

/*
 * The caller's PE may be none, which is no error. A thread of another PE must not wait on the
 * stream of the module's PE, where a kernel may wait for it, nor collect that PE's failures, which
 * its own thread may be about to check.
 */
int mori_shmem_module_unload(mori_shmem_module_t *m)
{
	REGISTRY_CALL struct registry_call held;
	struct pe *caller = registry_enter_quiet(&held);
	int err, failed = 0;

	if (!m)
		return 0;
	pthread_mutex_lock(&modules.lock);
	err = module_take(m, "mori_shmem_module_unload");
	if (!err) {
		*module_place(m) = m->next;
		failed = m->pe && m->pe == caller ? faults_report_new(caller) : 0;
		pthread_cond_broadcast(&modules.free);
	}
	pthread_mutex_unlock(&modules.lock);
	if (err)
		return err;
	if (m->module)
		m->ops->unload(m->module);
	p2p_only_unbind(m);
	free(m);
	return failed;
}

void module_close_all(struct pe *pe)
{
	struct mori_shmem_module *m = NULL;

	pthread_mutex_lock(&modules.lock);
	do {
		struct accel_module *module = NULL;

		for (m = modules.first; m && m->pe != pe; m = m->next)
			;
		if (m && !module_take(m, "mori_shmem_finalize")) {
			module = m->module;
			m->module = NULL;
			module_give(m);
		} else if (m && module_place(m)) {
			log_warn("a module stays loaded: %s", err_text());
		}
		if (m && module_place(m))
			m->pe = NULL;
		pthread_mutex_unlock(&modules.lock);
		if (module)
			pe->accel.ops->module->unload(module);
		pthread_mutex_lock(&modules.lock);
	} while (m);
	pthread_mutex_unlock(&modules.lock);
	p2p_only_close(pe);
}

/* Under the lock: takes the module if its PE exists. */
static int module_use(struct mori_shmem_module *m, const char *call)
{
	int err = module_take(m, call);

	if (err || (m->pe && m->module))
		return err;
	module_give(m);
	return err_set(MORI_SHMEM_ESTATE,
		       "%s: the PE of this module has finalized, and the module "
		       "was unloaded with it",
		       call);
}

/* The same without the lock, and the reverse. */
static int module_begin(struct mori_shmem_module *m, const char *call)
{
	int err;

	pthread_mutex_lock(&modules.lock);
	err = module_use(m, call);
	pthread_mutex_unlock(&modules.lock);
	return err;
}

static void module_end(struct mori_shmem_module *m)
{
	pthread_mutex_lock(&modules.lock);
	module_give(m);
	pthread_mutex_unlock(&modules.lock);
}

/* @module: one of ours, or what dlopen() returned. */
int mori_shmem_module_init(void *module)
{
	REGISTRY_CALL struct registry_call held;
	struct pe *pe = module_pe(&held, "module_init");
	struct mori_shmem_module *m = module;
	struct accel_module *borrowed;
	bool ours;
	int err = 0;

	if (!pe)
		return MORI_SHMEM_ESTATE;
	if (!module)
		return err_set(MORI_SHMEM_EINVAL, "mori_shmem_module_init: module is NULL");
	pe_expose_state(pe);
	pthread_mutex_lock(&modules.lock);
	ours = module_place(m) != NULL;
	if (ours)
		err = module_use(m, "mori_shmem_module_init");
	if (ours && !err) {
		err = module_bind(pe, m->module, m, "module_init");
		if (!err)
			m->pe = pe;
		module_give(m);
	}
	pthread_mutex_unlock(&modules.lock);
	if (ours)
		return err;
	err = pe->accel.ops->module->borrow(pe->accel.dev, module, &borrowed);
	if (err)
		return err;
	err = module_bind(pe, borrowed, module, "module_init");
	pe->accel.ops->module->unload(borrowed);
	return err;
}

int mori_shmem_module_kernel(mori_shmem_module_t *m, size_t index, const char **name)
{
	int err;

	if (!m || !name)
		return err_set(MORI_SHMEM_EINVAL, "mori_shmem_module_kernel: %s is NULL",
			       m ? "name" : "module");
	err = module_begin(m, "mori_shmem_module_kernel");
	if (err)
		return err;
	err = m->ops->kernel(m->module, index, name);
	module_end(m);
	return err;
}

/* Elements of @params are as far apart as the first one's struct_size says. */
static int module_params(mori_shmem_module_t *m, const char *name, mori_shmem_param_t *params,
			 size_t room)
{
	int n = m->ops->params(m->module, name, NULL, 0);
	size_t stride = room ? params->struct_size : 0;
	size_t fill = n < 0 ? 0 : room < (size_t)n ? room : (size_t)n;
	mori_shmem_param_t *all;

	if (!fill)
		return n;
	all = calloc(fill, sizeof(*all));
	if (!all)
		return err_set(MORI_SHMEM_ENOMEM, "no memory for the parameters of %s", name);
	n = m->ops->params(m->module, name, all, fill);
	for (size_t i = 0; n >= 0 && i < fill; i++) {
		mori_shmem_param_t *to = (void *)((char *)params + i * stride);

		to->struct_size = stride;
		sized_copy(to, stride, &all[i], sizeof(all[i]));
	}
	free(all);
	return n;
}

int mori_shmem_kernel_params(mori_shmem_module_t *m, const char *name, mori_shmem_param_t *params,
			     size_t room)
{
	int n;

	if (!m || !name || (!params && room))
		return err_set(MORI_SHMEM_EINVAL, "mori_shmem_kernel_params: %s is NULL",
			       !m    ? "module" :
			       !name ? "name" :
				       "params");
	n = room ? sized_check("kernel_params", "params", params->struct_size, sizeof(*params)) : 0;
	if (n)
		return n;
	n = module_begin(m, "mori_shmem_kernel_params");
	if (n)
		return n;
	n = module_params(m, name, params, room);
	module_end(m);
	return n;
}

/* Under the lock. As on a GPU, after a fault nothing runs until the host has checked it. */
static int module_launch_sticky(struct pe *pe, const char *name)
{
	struct kernel_fault *f = &pe->kernel_fault;

	if (!f->code)
		return 0;
	/* Acquire: pairs with the exchange in faults_take(). */
	if (!__atomic_load_n(&pe->state->fault.code, __ATOMIC_ACQUIRE)) {
		f->code = 0;
		return 0;
	}
	return err_set(
		f->code,
		"kernel %s was not started: a fault of PE %d waits for mori_shmem_check(): %s",
		name, pe->rank, f->text);
}

/* Under the lock: what the launch left for mori_shmem_check(). */
static void module_launch_note(struct pe *pe, const char *name, int err,
			       const struct accel_fault *at)
{
	bool ended =
		err == MORI_SHMEM_EFAULT || err == MORI_SHMEM_ETIMEDOUT || err == MORI_SHMEM_EPEER;
	char text[sizeof(pe->kernel_fault.text)];

	if (err == MORI_SHMEM_EPEER) { /* with the PE that is lost, if one is */
		snprintf(text, sizeof(text), "%s", err_text());
		if (world_lost(pe->world))
			snprintf(text + strlen(text), sizeof(text) - strlen(text), ": %s",
				 err_text());
		err_set(err, "%s", text);
	}

	if (ended) {
		pe->kernel_fault.code = err;
		snprintf(pe->kernel_fault.kernel, sizeof(pe->kernel_fault.kernel), "%s", name);
		snprintf(pe->kernel_fault.text, sizeof(pe->kernel_fault.text), "%s", err_text());
		log_error("%s", pe->kernel_fault.text);
		faults_add(pe, DEV_OP_NONE, err,
			   &(struct fail_subject){ .pe = pe->rank, .addr = at->addr }, at, true);
	}
}

/* Makes progress on the network for the kernel's waits, and ends them when the job is aborted. */
static void module_launch_idle(struct dev_state *state)
{
	const struct pe *pe = state->host;
	struct net *net = remote_net(pe->world);

	if (net)
		net_progress(net);
	if (interrupt_asked() && !__atomic_load_n(&state->lost, __ATOMIC_ACQUIRE))
		world_abort(state->host, "interrupted in a kernel");
}

/* The grid has only waited for a while; NULL: not any more. */
static int module_launch_waits(void *arg, const char *text, uint64_t since, bool ends)
{
	struct waits_entry *e = arg;
	int64_t now = clock_now();

	if (!text) {
		waits_end(e);
		return 0;
	}
	if (!e->pe) {
		e->since = now - (int64_t)since;
		waits_begin(e, e->owner);
	}
	waits_set_text(e, text, ends);
	return waits_look(e, now);
}

int mori_shmem_kernel_launch(mori_shmem_module_t *m, const char *name, const unsigned grid[3],
			     const unsigned block[3], size_t shared, void **args, void *stream)
{
	struct accel_launch launch = {
		.kernel = name,
		.grid = grid,
		.block = block,
		.shared = shared,
		.args = args,
		.stream = stream,
		.idle = module_launch_idle,
		.waits = module_launch_waits,
	};
	struct accel_fault fault = { .block = { -1, -1, -1 }, .thread = { -1, -1, -1 } };
	REGISTRY_CALL struct registry_call held;
	struct pe *caller = registry_enter_quiet(&held);
	struct waits_entry waits = { .kind = WAITS_KERNEL };
	int err;

	if (!m || !name || !grid || !block)
		return err_set(MORI_SHMEM_EINVAL, "mori_shmem_kernel_launch: %s is NULL",
			       !m    ? "module" :
			       !name ? "name" :
			       !grid ? "grid" :
				       "block");
	pthread_mutex_lock(&modules.lock);
	err = module_use(m, "mori_shmem_kernel_launch");
	if (!err) {
		err = module_launch_sticky(m->pe, name);
		if (err)
			module_give(m);
	}
	if (!err) {
		if (!stream && m->pe == caller && !caller->options.strict)
			(void)faults_report_new(caller); /* of what has run before */
		launch.state = m->pe->state;
		launch.learned = &m->pe->learned[BACKOFF_GRID];
		launch.idle_ns = (uint64_t)(m->pe->options.timeout * 1e9);
		launch.stack = m->pe->options.kernel_stack;
		snprintf(m->kernel, sizeof(m->kernel), "%s", name);
		snprintf(waits.call, sizeof(waits.call), "kernel %s", name);
		waits.owner = m->pe;
		launch.waits_arg = &waits;
	}
	pthread_mutex_unlock(&modules.lock);
	if (err)
		return err;
	launch.caller = caller ? &caller->accel : NULL;
	err = m->ops->launch(m->module, &launch, &fault);
	pthread_mutex_lock(&modules.lock);
	if (m->pe && err)
		module_launch_note(m->pe, name, err, &fault);
	else if (m->pe && !stream && m->pe == caller && caller->options.strict)
		err = faults_report_new(caller); /* of this launch too */
	module_give(m);
	pthread_mutex_unlock(&modules.lock);
	return err;
}
