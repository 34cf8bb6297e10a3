// SPDX-License-Identifier: MIT
/*
 * PMIx by dlopen: mpirun and srun start a server that passes small strings between the processes of
 * a job. The few declarations here are those of the PMIx standard's client interface, the same from
 * version 2 on; no header is needed to build. PMIx is opened once per process and closed when the
 * process ends: some versions cannot be opened twice, and a launcher treats a process that never
 * closed it as failed.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boot/find.h"
#include "boot/rdv.h"
#include "boot/uid.h"
#include "boot/wire.h"
#include "util/clock.h"
#include "util/err.h"

enum { PMIX_GLOBAL = 3, PMIX_STRING = 3, PMIX_INT = 6, PMIX_UINT32 = 14 };
#define PMIX_DONE_AT_ONCE (-157) /* PMIX_OPERATION_SUCCEEDED: the callback is not called */
#define PMIX_ANY_RANK	  (UINT32_MAX - 1)

struct pmix_proc {
	char nspace[256];
	uint32_t rank;
};

struct pmix_value {
	uint16_t type;
	union {
		char *string;
		int integer;
		uint32_t uint32;
		struct {
			char *a, *b;
			char c;
		} largest; /* the standard's union is as large as its pmix_envar_t */
	} data;
};

struct pmix_info {
	char key[512];
	uint32_t flags;
	struct pmix_value value;
};

/* Either all functions are there, or lib is NULL. */
struct pmix {
	void *lib;
	int (*init)(struct pmix_proc *me, struct pmix_info *info, size_t n);
	int (*finalize)(const struct pmix_info *info, size_t n);
	int (*put)(uint8_t scope, const char *key, struct pmix_value *value);
	int (*commit)(void);
	int (*fence_nb)(const struct pmix_proc *procs, size_t n, const struct pmix_info *info,
			size_t n_info, void (*done)(int status, void *arg), void *arg);
	int (*get)(const struct pmix_proc *proc, const char *key, const struct pmix_info *info,
		   size_t n, struct pmix_value **value);
	const char *(*text)(int status);
	struct pmix_proc me;
	pid_t pid;
	int turn; /* counts the exchanges of this process with the others */
};

/* There is one PMIx per process. */
static struct pmix pmix;
static pthread_mutex_t pmix_lock = PTHREAD_MUTEX_INITIALIZER;

static int pmix_load(struct pmix *p)
{
	const struct {
		void *to;
		const char *name;
	} calls[] = {
		{ &p->init, "PMIx_Init" },	   { &p->finalize, "PMIx_Finalize" },
		{ &p->put, "PMIx_Put" },	   { &p->commit, "PMIx_Commit" },
		{ &p->fence_nb, "PMIx_Fence_nb" }, { &p->get, "PMIx_Get" },
		{ &p->text, "PMIx_Error_string" },
	};

	p->lib = dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL);
	if (!p->lib)
		return err_set(MORI_SHMEM_ENOTSUP, "%s", dlerror());
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		void *sym = dlsym(p->lib, calls[i].name);

		if (!sym) {
			dlclose(p->lib);
			p->lib = NULL;
			return err_set(MORI_SHMEM_ENOTSUP, "libpmix.so.2 has no %s", calls[i].name);
		}
		memcpy(calls[i].to, &sym, sizeof(sym));
	}
	return 0;
}

static void pmix_at_exit(void)
{
	if (pmix.pid == getpid())
		pmix.finalize(NULL, 0);
}

/* With the lock held. */
static int pmix_open(struct pmix *p)
{
	int err;

	if (p->pid == getpid())
		return 0;
	if (p->pid)
		return err_set(MORI_SHMEM_ENOTSUP, "this process is a fork of one that uses PMIx");
	if (!p->lib) {
		err = pmix_load(p);
		if (err)
			return err;
	}
	err = p->init(&p->me, NULL, 0);
	/* Not unloaded after a failure: it may have left a thread. */
	if (err)
		return err_set(MORI_SHMEM_ENOTSUP, "PMIx_Init: %s", p->text(err));
	p->pid = getpid();
	atexit(pmix_at_exit);
	return 0;
}

/* Shared by the caller and the callback; the last to use it frees it. */
struct pmix_wait {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	int refs, done, status;
};

static void pmix_wait_put(struct pmix_wait *f)
{
	int last = --f->refs == 0;

	pthread_mutex_unlock(&f->lock);
	if (last)
		free(f);
}

static void pmix_wait_done(int status, void *arg)
{
	struct pmix_wait *f = arg;

	pthread_mutex_lock(&f->lock);
	f->done = 1;
	f->status = status;
	pthread_cond_broadcast(&f->cond);
	pmix_wait_put(f);
}

static struct pmix_wait *pmix_wait_new(void)
{
	struct pmix_wait *f = calloc(1, sizeof(*f));
	pthread_condattr_t attr;

	if (!f)
		return NULL;
	pthread_mutex_init(&f->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&f->cond, &attr);
	pthread_condattr_destroy(&attr);
	f->refs = 2;
	return f;
}

/* A barrier of all processes of the job with a deadline, which PMIx_Fence() lacks. */
static int pmix_fence(struct pmix *p, double timeout_s)
{
	struct timespec ts = clock_timespec(clock_deadline(timeout_s));
	struct pmix_wait *f = pmix_wait_new();
	int err, over = 0, status;

	if (!f)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a fence");
	err = p->fence_nb(NULL, 0, NULL, 0, pmix_wait_done, f);
	pthread_mutex_lock(&f->lock);
	if (err) {
		f->refs--; /* the callback is not called */
		f->done = 1;
		f->status = err == PMIX_DONE_AT_ONCE ? 0 : err;
	}
	while (!f->done && !over)
		over = pthread_cond_timedwait(&f->cond, &f->lock, &ts);
	status = f->status;
	err = f->done ? 0 : MORI_SHMEM_ETIMEDOUT;
	pmix_wait_put(f);
	if (err)
		return err_set(err, "PMIx: not every process of the job came within %g s",
			       timeout_s);
	return status ? err_set(MORI_SHMEM_EIO, "PMIx_Fence_nb: %s", p->text(status)) : 0;
}

/* *value, to be freed, is NULL on error. */
static int pmix_get(struct pmix *p, uint32_t rank, const char *key, uint16_t type, double timeout_s,
		    struct pmix_value **value)
{
	struct pmix_proc who = p->me;
	struct pmix_info limit = { .key = "pmix.timeout" };
	struct pmix_value *got = NULL;
	int err;

	*value = NULL;
	who.rank = rank;
	limit.value.type = PMIX_INT;
	limit.value.data.integer = timeout_s < 1 ? 1 : timeout_s < 1e6 ? (int)timeout_s : 1000000;
	err = p->get(&who, key, &limit, 1, &got);
	if (err)
		return err_set(MORI_SHMEM_EIO, "PMIx_Get of %s: %s", key, p->text(err));
	if (!got || got->type != type) {
		free(got);
		return err_set(MORI_SHMEM_EIO, "PMIx_Get of %s gave something else", key);
	}
	*value = got;
	return 0;
}

/* Rank 0 publishes the id under a key of this exchange; then comes a barrier. */
static int pmix_share(struct pmix *p, const struct boot_config *config, struct boot_job *job)
{
	char key[64], hex[2 * BOOT_UID_BYTES + 1];
	struct pmix_value mine = { .type = PMIX_STRING, .data.string = hex }, *got = NULL;
	int err = 0, fence_err;

	snprintf(key, sizeof(key), "mori.shmem.uid.%d", p->turn++);
	if (job->rank == 0) {
		err = rdv_open(config, 1, NULL, NULL, job->uid);
		if (err)
			strcpy(hex, "-"); /* the others must not wait for it */
		else
			uid_to_hex(job->uid, hex);
		if (p->put(PMIX_GLOBAL, key, &mine) || p->commit())
			err = err ? err : err_set(MORI_SHMEM_EIO, "PMIx_Put of %s failed", key);
	}
	fence_err = pmix_fence(p, config->timeout_s);
	if (job->rank == 0) {
		if (fence_err && !err)
			boot_close_rdv(job->uid);
		return err ? err : fence_err;
	}
	err = fence_err;
	if (!err)
		err = pmix_get(p, 0, key, PMIX_STRING, config->timeout_s, &got);
	if (err || !got)
		return err;
	if (uid_from_hex(got->data.string, job->uid))
		err = err_set(MORI_SHMEM_EREACH, "PMIx: rank 0 could not open a rendezvous");
	free(got->data.string);
	free(got);
	return err;
}

int pmix_find(const struct boot_config *config, struct boot_job *job)
{
	struct pmix *p = &pmix;
	struct pmix_value *size = NULL;
	int err;

	pthread_mutex_lock(&pmix_lock);
	err = pmix_open(p);
	if (!err)
		err = pmix_get(p, PMIX_ANY_RANK, "pmix.job.size", PMIX_UINT32, config->timeout_s,
			       &size);
	if (!err && size) {
		*job = (struct boot_job){ .way = BOOT_PMIX,
					  .rank = (int)p->me.rank,
					  .nranks = (int)size->data.uint32,
					  .threads = 1 };
		free(size);
		if (job->nranks > 1)
			err = pmix_share(p, config, job);
		else
			job->way = BOOT_ALONE;
	}
	pthread_mutex_unlock(&pmix_lock);
	return err;
}
