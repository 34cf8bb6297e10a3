// SPDX-License-Identifier: MIT
/*
 * The host calls of <mori/shmem.h> that are not operations: errors, joining and
 * leaving, binding, memory. Each finds its PE and passes on.
 */
#include "boot/boot.h"
#include "core/fail.h"
#include "core/faults.h"
#include "core/registry.h"
#include "core/sized.h"
#include "util/err.h"
#include "util/interrupt.h"
#include "util/log.h"

#include <string.h>

const char *mori_shmem_strerror(int status)
{
	return err_name(status);
}

const char *mori_shmem_last_error(void)
{
	return err_text();
}

int mori_shmem_take_error(void)
{
	int err = err_take();

	if (err)
		faults_error_taken();
	return err;
}

/* The PE a call means, or NULL with a text that begins with the call's name. */
static struct pe *api_pe(struct registry_call *call, const char *name)
{
	struct pe *pe = registry_enter_pe(call);

	if (!pe)
		fail_status(NULL, name, MORI_SHMEM_ESTATE);
	return pe;
}

static int api_null(const char *name, const char *argument)
{
	return err_set(MORI_SHMEM_EINVAL, "mori_shmem_%s: %s is NULL", name, argument);
}

static struct boot_config api_boot_config(const struct options *o)
{
	return (struct boot_config){
		.ifname = o->socket_ifname,
		.node_id = o->node_id,
		.timeout_s = o->bootstrap_timeout,
		.report_s = o->wait_report,
		.unique_id = o->unique_id,
		.rank = o->rank,
		.world_size = o->world_size,
		.threads = o->threads,
	};
}

int mori_shmem_get_unique_id(mori_shmem_uniqueid_t *uid)
{
	struct options options;
	struct boot_config config;
	int err;

	if (!uid)
		return api_null("get_unique_id", "uid");
	err = options_load(&options);
	if (err)
		return err;
	config = api_boot_config(&options);
	err = boot_open_rdv(&config, uid->bytes);
	options_free(&options);
	return err;
}

static int api_check_rank(const char *name, int rank, int nranks)
{
	if (nranks >= 1 && rank >= 0 && rank < nranks)
		return 0;
	return err_set(MORI_SHMEM_EINVAL, "%s: rank %d of %d: ranks go from 0 to nranks - 1", name,
		       rank, nranks);
}

int mori_shmem_set_attr_uniqueid_args(int rank, int nranks, const mori_shmem_uniqueid_t *uid,
				      mori_shmem_init_attr_t *attr)
{
	int err;

	if (!uid || !attr)
		return api_null("set_attr_uniqueid_args", uid ? "attr" : "uid");
	err = api_check_rank("mori_shmem_set_attr_uniqueid_args", rank, nranks);
	if (err)
		return err;
	*attr = (mori_shmem_init_attr_t){
		.size = sizeof(*attr),
		.rank = rank,
		.nranks = nranks,
		.uid = *uid,
	};
	return 0;
}

/* Errors of this call's arguments, whatever the other PEs do. */
static int api_check_attr(unsigned flags, const mori_shmem_init_attr_t *attr)
{
	if (flags == MORI_SHMEM_INIT_WITH_MPI_COMM)
		return err_set(MORI_SHMEM_ENOTSUP,
			       "mori_shmem_init_attr: the library does not know MPI; include "
			       "<mori/shmem_mpi.h> and call mori_shmem_init_mpi(comm)");
	if (flags != MORI_SHMEM_INIT_WITH_UNIQUEID)
		return err_set(MORI_SHMEM_EINVAL, "mori_shmem_init_attr: unknown flags 0x%x",
			       flags);
	if (!attr)
		return api_null("init_attr", "attr");
	if (attr->size < offsetof(mori_shmem_init_attr_t, mpi_comm))
		return err_set(MORI_SHMEM_EINVAL,
			       "mori_shmem_init_attr: attr->size is %zu: fill attr with "
			       "mori_shmem_set_attr_uniqueid_args()",
			       attr->size);
	return api_check_rank("mori_shmem_init_attr", attr->rank, attr->nranks);
}

/* Joins, binds this thread, and names the PE in the log. */
static int api_open(struct options *options, const unsigned char *uid, int rank, int nranks,
		    struct pe **out)
{
	struct pe *pe;
	int err;

	log_set_rank(rank);
	err = pe_open(options, uid, rank, nranks, &pe);
	if (err) {
		log_set_rank(-1);
		return err;
	}
	*out = pe;
	return registry_bind(pe);
}

int mori_shmem_init_attr(unsigned flags, const mori_shmem_init_attr_t *attr)
{
	REGISTRY_CALL struct registry_call call;
	struct pe *pe = registry_enter_bound(&call);
	struct options options;
	int err = api_check_attr(flags, attr);

	if (err)
		return err;
	if (pe && !memcmp(pe->uid, attr->uid.bytes, sizeof(pe->uid)) && pe->rank == attr->rank &&
	    pe->world->n_pes == attr->nranks)
		return 0;
	if (pe)
		return err_set(MORI_SHMEM_ESTATE,
			       "mori_shmem_init_attr: this thread is PE %d of another job; "
			       "mori_shmem_bind(NULL) first to join a second one",
			       pe->rank);
	err = options_load(&options);
	if (err)
		return err;
	return api_open(&options, attr->uid.bytes, attr->rank, attr->nranks, &pe);
}

/* Reserves a rank of this process, before any other process is contacted. */
static int api_reserve(const struct options *options, int *rank)
{
	bool several = options->unique_id && options->threads > 1;
	int first = options->unique_id && options->rank >= 0 ? options->rank : 0;

	*rank = registry_reserve(first, several ? options->threads : 1);
	if (*rank >= 0)
		return 0;
	return err_set(MORI_SHMEM_ESTATE,
		       "mori_shmem_init: this process hosts %d PE(s), and all are initialised; "
		       "mori_shmem_bind(mori_shmem_find(rank)) lets this thread act for one",
		       several ? options->threads : 1);
}

int mori_shmem_init(void)
{
	REGISTRY_CALL struct registry_call call;
	struct pe *pe = registry_enter_bound(&call);
	struct options options;
	struct boot_config config;
	struct boot_job job;
	int reserved, rank, err;

	if (pe && pe->reserved)
		return 0;
	if (pe)
		return err_set(MORI_SHMEM_ESTATE,
			       "mori_shmem_init: this thread is PE %d of another job; "
			       "mori_shmem_bind(NULL) first",
			       pe->rank);
	err = options_load(&options);
	if (err)
		return err;
	err = api_reserve(&options, &reserved);
	if (err)
		goto free_options;
	config = api_boot_config(&options);
	err = boot_find(&config, &job);
	if (err)
		goto unreserve;
	/* Only mori run hosts several PEs per process; other launchers have named the one rank. */
	rank = job.way == BOOT_MORI_RUN ? reserved : job.rank;
	err = api_open(&options, job.way == BOOT_ALONE ? NULL : job.uid, rank, job.nranks, &pe);
	if (err)
		goto close_rdv;
	pe->reserved = true;
	pe->reserved_rank = reserved;
	return 0;
close_rdv:
	boot_close_rdv(job.uid); /* if boot_find() opened one here and nobody joined it */
unreserve:
	registry_unreserve(reserved);
free_options:
	options_free(&options);
	return err;
}

int mori_shmem_finalize(void)
{
	struct registry_call call;
	struct pe *pe = api_pe(&call, "finalize");

	if (!pe)
		return MORI_SHMEM_ESTATE;
	if (!registry_inside(pe, &call))
		return pe_close(pe, &call);
	registry_leave(&call);
	return err_set(MORI_SHMEM_ESTATE,
		       "mori_shmem_finalize: not from a callback, inside another call of PE %d",
		       pe->rank);
}

int mori_shmem_is_initialized(void)
{
	return registry_known();
}

int mori_shmem_num_qp_per_pe(void)
{
	REGISTRY_CALL struct registry_call call;
	struct pe *pe = api_pe(&call, "num_qp_per_pe");

	if (!pe)
		return MORI_SHMEM_ESTATE;
	return pe->queues ? pe->state->num_qp : 1; /* there may be fewer than requested */
}

int mori_shmem_abort(const char *why)
{
	REGISTRY_CALL struct registry_call call;
	struct pe *pe = api_pe(&call, "abort");

	if (!pe)
		return MORI_SHMEM_ESTATE;
	world_abort(pe, why && *why ? why : "mori_shmem_abort() was called");
	return 0;
}

void mori_shmem_on_wait(mori_shmem_wait_fn stop, void *arg)
{
	interrupt_set(stop, arg);
}

void mori_shmem_on_fault(mori_shmem_fault_fn hear, void *arg)
{
	faults_set_handler(hear, arg);
}

mori_shmem_t *mori_shmem_current(void)
{
	REGISTRY_CALL struct registry_call call;

	return (mori_shmem_t *)api_pe(&call, "current");
}

int mori_shmem_bind(mori_shmem_t *pe)
{
	return registry_bind((struct pe *)pe);
}

mori_shmem_t *mori_shmem_find(int rank)
{
	return (mori_shmem_t *)registry_find(rank);
}

int mori_shmem_device_of(int rank)
{
	REGISTRY_CALL struct registry_call call;
	struct pe *pe = api_pe(&call, "device_of");

	if (!pe)
		return MORI_SHMEM_ESTATE;
	if (rank < 0 || rank >= pe->world->n_pes)
		return err_set(MORI_SHMEM_EINVAL,
			       "mori_shmem_device_of: there is no PE %d, only 0 to %d", rank,
			       pe->world->n_pes - 1);
	return pe_blob_of(pe->boot, rank)->device_number;
}

const char *mori_shmem_device_name(void)
{
	REGISTRY_CALL struct registry_call call;
	struct pe *pe = api_pe(&call, "device_name");

	return pe ? pe->accel.ops->name : NULL;
}

static void *api_malloc(const char *name, uint64_t size, uint64_t align, unsigned flags)
{
	REGISTRY_CALL struct registry_call call;
	struct pe *pe = api_pe(&call, name);
	void *ptr = NULL;

	return pe && !heap_malloc(pe, size, align, flags, &ptr) ? ptr : NULL;
}

void *mori_shmem_malloc(size_t size)
{
	return api_malloc("malloc", size, 1, 0);
}

void *mori_shmem_malloc_align(size_t alignment, size_t size)
{
	return api_malloc("malloc_align", size, alignment, 0);
}

void *mori_shmem_calloc(size_t n, size_t size)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		bytes = UINT64_MAX; /* no heap has that: every PE gets ENOMEM, none waits */
	return api_malloc("calloc", bytes, 1, MORI_SHMEM_MALLOC_ZERO);
}

void *mori_shmem_ext_malloc_with_flags(size_t size, unsigned flags)
{
	return api_malloc("ext_malloc_with_flags", size, 1, flags);
}

int mori_shmem_free(void *ptr)
{
	REGISTRY_CALL struct registry_call call;
	struct pe *pe = api_pe(&call, "free");

	return pe ? heap_free(pe, ptr) : MORI_SHMEM_ESTATE;
}

int mori_shmem_heap_info(mori_shmem_heap_info_t *info)
{
	REGISTRY_CALL struct registry_call call;
	struct pe *pe = api_pe(&call, "heap_info");
	mori_shmem_heap_info_t all;
	int err;

	if (!pe)
		return MORI_SHMEM_ESTATE;
	if (!info)
		return api_null("heap_info", "info");
	err = sized_check("heap_info", "info", info->struct_size, sizeof(all));
	if (err)
		return err;
	heap_info(pe, &all);
	sized_copy(info, info->struct_size, &all, sizeof(all));
	return 0;
}

int mori_shmem_heap_hold(const void *ptr, size_t size, mori_shmem_hold_t **hold)
{
	REGISTRY_CALL struct registry_call call;
	struct pe *pe = api_pe(&call, "heap_hold");
	uint64_t off;

	if (!pe)
		return MORI_SHMEM_ESTATE;
	if (!hold)
		return api_null("heap_hold", "hold");
	off = (uint64_t)(uintptr_t)ptr - (uint64_t)(uintptr_t)pe->world->window;
	if (off > pe->world->window_len || size > pe->world->window_len - off)
		return err_set(MORI_SHMEM_EINVAL,
			       "mori_shmem_heap_hold: %p + %zu bytes is not in the symmetric heap "
			       "of a PE that load and store reach from here",
			       ptr, size);
	*hold = (mori_shmem_hold_t *)world_map_get(pe->world);
	return 0;
}

void mori_shmem_heap_release(mori_shmem_hold_t *hold)
{
	if (hold)
		world_map_put((struct world_map *)hold);
}

int mori_shmem_buffer_register(void *ptr, size_t size)
{
	REGISTRY_CALL struct registry_call call;
	struct pe *pe = api_pe(&call, "buffer_register");

	return pe ? reg_buffer_add(pe, ptr, size) : MORI_SHMEM_ESTATE;
}

int mori_shmem_buffer_deregister(void *ptr, size_t size)
{
	REGISTRY_CALL struct registry_call call;
	struct pe *pe = api_pe(&call, "buffer_deregister");

	return pe ? reg_buffer_remove(pe, ptr, size) : MORI_SHMEM_ESTATE;
}

int mori_shmem_symmetric_register(void *ptr, size_t size)
{
	REGISTRY_CALL struct registry_call call;
	struct pe *pe = api_pe(&call, "symmetric_register");

	return pe ? reg_window_add(pe, ptr, size) : MORI_SHMEM_ESTATE;
}

int mori_shmem_symmetric_deregister(void *ptr, size_t size)
{
	REGISTRY_CALL struct registry_call call;
	struct pe *pe = api_pe(&call, "symmetric_deregister");

	return pe ? reg_window_remove(pe, ptr, size) : MORI_SHMEM_ESTATE;
}

int mori_shmem_query_memobj(const void *ptr, mori_shmem_memobj_t *obj)
{
	REGISTRY_CALL struct registry_call call;
	struct pe *pe = api_pe(&call, "query_memobj");

	if (!pe)
		return MORI_SHMEM_ESTATE;
	if (!obj)
		return api_null("query_memobj", "obj");
	return reg_query(pe, ptr, obj);
}

int mori_shmem_barrier_all(void)
{
	return mori_shmem_barrier_all_thread();
}

int mori_shmem_sync_all(void)
{
	return mori_shmem_sync_all_thread();
}

int mori_shmem_check(mori_shmem_fault_t *fault)
{
	REGISTRY_CALL struct registry_call call;
	struct pe *pe = api_pe(&call, "check");
	mori_shmem_fault_t all;
	int err;

	if (!pe)
		return MORI_SHMEM_ESTATE;
	err = fault ? sized_check("check", "fault", fault->struct_size, sizeof(all)) : 0;
	if (err) /* the fault stays for a call that can have it */
		return err;
	err = faults_take(pe, &all);
	if (fault)
		sized_copy(fault, fault->struct_size, &all, sizeof(all));
	return err;
}

int mori_shmem_tell(void)
{
	REGISTRY_CALL struct registry_call call = { .slow = true };
	struct dev_state *st = NULL;

	if (registry_fresh(registry_thread.generation) || registry_known())
		st = registry_enter(&call);
	return st ? faults_report_new(st->host) : 0;
}

int mori_shmem_leave_fault(const mori_shmem_fault_t *fault)
{
	REGISTRY_CALL struct registry_call call;
	struct pe *pe = api_pe(&call, "leave_fault");
	mori_shmem_fault_t all = { 0 };
	int err;

	if (!pe)
		return MORI_SHMEM_ESTATE;
	if (!fault)
		return api_null("leave_fault", "fault");
	err = sized_check("leave_fault", "fault", fault->struct_size, sizeof(all));
	if (err)
		return err;
	sized_copy(&all, sizeof(all), fault, fault->struct_size);
	if (all.code >= 0)
		return err_set(MORI_SHMEM_EINVAL,
			       "mori_shmem_leave_fault: its code is not a failure");
	fail_record(pe, &all);
	return 0;
}

int mori_shmem_device_state(uint64_t *ctx)
{
	REGISTRY_CALL struct registry_call call;
	struct pe *pe = api_pe(&call, "device_state");

	if (!pe)
		return MORI_SHMEM_ESTATE;
	if (!ctx)
		return api_null("device_state", "ctx");
	pe_expose_state(pe);
	*ctx = pe->ctx;
	return 0;
}
