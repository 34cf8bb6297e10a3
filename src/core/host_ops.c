// SPDX-License-Identifier: MIT
/*
 * Every operation of the list as a host thread calls it: find the PE, run the shared body, set the
 * text of a failure. Nothing here knows what they do.
 */
#include "core/fail.h"
#include "core/device_mem.h"
#include "core/faults.h"
#include "core/registry.h"
#include "dev/atomic.h"
#include "dev/collective.h"
#include "dev/order.h"
#include "dev/rma.h"
#include "dev/wait.h"
#include "ops/shmem_list.h"
#include "util/err.h"

static int host_ops_barrier(const struct dev_state *st, enum coll_op op)
{
	struct pe *pe = st->host;
	int failed = faults_report_new(pe), err;
	struct err_was was;

	if (!dev_likely(!failed))
		err_save(&was);
	err = pe_coll_begin(pe);
	if (!err) {
		err = coll_barrier(pe, &(struct coll_call){ .op = op }, NULL);
		pe_coll_end(pe);
	}
	if (err && failed)
		faults_dropped(was.text);
	if (err)
		return tgt_fail(st, err, -1, 0, 0); /* about no word: the text stays */
	if (dev_likely(!failed))
		return 0;
	err_restore(&was); /* after the barrier, so as not to keep the others waiting */
	return fail_has_full_text(failed);
}

static int dev_barrier(const struct dev_state *st, enum dev_scope scope)
{
	(void)scope;
	return host_ops_barrier(st, COLL_BARRIER); /* a barrier orders everything before it */
}

static int dev_sync(const struct dev_state *st, enum dev_scope scope)
{
	(void)scope;
	return host_ops_barrier(st, COLL_SYNC);
}

/* In place of the shared body: kernels of a PE with device memory leave their status there. */
static int host_ops_status(const struct dev_state *st, int *out)
{
	*out = faults_status(st->host);
	return 0;
}
#define dev_status host_ops_status

/* Around every body: does nothing unless some PE here has device memory. */
static inline bool host_ops_begin(const struct dev_state *st)
{
	if (st && !dev_likely(!tgt_device_pes))
		device_mem_begin(st);
	return st != NULL;
}

static inline int host_ops_end(int err)
{
	int failed = dev_likely(!tgt_device_pes) ? 0 : device_mem_end();

	return err ? err : failed;
}

/*
 * A wait that lasts needs its name, which a store before every wait would cost: instead it returns
 * once, when it has lasted for a while, and begins again with the name and its former clock.
 */
#define HOST_WAIT(body, ...)                                                                       \
	({                                                                                         \
		int wait_err = dev_##body(__VA_ARGS__);                                            \
		while (!dev_likely(wait_err != FAIL_AGAIN)) {                                      \
			fail_resume(call_name);                                                    \
			wait_err = dev_##body(__VA_ARGS__);                                        \
			fail_resume(NULL);                                                         \
		}                                                                                  \
		wait_err;                                                                          \
	})
#define dev_wait(...)	    HOST_WAIT(wait, __VA_ARGS__)
#define dev_wait_value(...) HOST_WAIT(wait_value, __VA_ARGS__)
#define dev_wait_all(...)   HOST_WAIT(wait_all, __VA_ARGS__)
#define dev_wait_any(...)   HOST_WAIT(wait_any, __VA_ARGS__)
#define dev_wait_some(...)  HOST_WAIT(wait_some, __VA_ARGS__)

/* A collective waits in many places, so it has its name from the start. */
#define HOST_COLL(body, ...)                                                                       \
	({                                                                                         \
		int coll_err;                                                                      \
		fail_resume_first(call_name);                                                      \
		coll_err = dev_##body(__VA_ARGS__);                                                \
		fail_resume(NULL);                                                                 \
		coll_err;                                                                          \
	})
#define dev_team_sync(...)     HOST_COLL(team_sync, __VA_ARGS__)
#define dev_broadcast(...)     HOST_COLL(broadcast, __VA_ARGS__)
#define dev_fcollect(...)      HOST_COLL(fcollect, __VA_ARGS__)
#define dev_collect(...)       HOST_COLL(collect, __VA_ARGS__)
#define dev_alltoall(...)      HOST_COLL(alltoall, __VA_ARGS__)
#define dev_reduce(...)	       HOST_REDUCE(reduce, __VA_ARGS__)
#define dev_reducescatter(...) HOST_REDUCE(reducescatter, __VA_ARGS__)

/* The host combines what the processor can load; all PEs of a job have the same kind of heap. */
static int host_ops_reduces(const struct dev_state *st)
{
	if (!pe_device_mem(st->host))
		return 0;
	return fail_has_full_text(
		err_set(MORI_SHMEM_ENOTSUP, "heaps in device memory: a kernel reduces them"));
}
#define HOST_REDUCE(body, st, ...)                                                                 \
	({                                                                                         \
		int can_err = host_ops_reduces(st);                                                \
		can_err ? can_err : HOST_COLL(body, st, __VA_ARGS__);                              \
	})

/* The body behind a name, with the state first; a value's place comes next. */
#define RUN(body, ...)	     dev_##body(st, ##__VA_ARGS__)
#define RUN_VALUE(body, ...) dev_##body(st, &result, ##__VA_ARGS__)

#define STATUS_BODY(name, find, call)                                                              \
	const char *const call_name __attribute__((unused)) = #name;                               \
	struct registry_call held;                                                                 \
	struct dev_state *st = find;                                                               \
	int err = dev_likely(host_ops_begin(st)) ? host_ops_end(RUN call) : MORI_SHMEM_ESTATE;     \
	if (!dev_likely(!err))                                                                     \
		err = fail_status(st, #name, err);                                                 \
	registry_leave(&held);                                                                     \
	return err;
#define VALUE_BODY(ret, bad, name, op, find, call)                                                 \
	const char *const call_name __attribute__((unused)) = #name;                               \
	struct registry_call held;                                                                 \
	ret result = bad;                                                                          \
	struct dev_state *st = find;                                                               \
	int err =                                                                                  \
		dev_likely(host_ops_begin(st)) ? host_ops_end(RUN_VALUE call) : MORI_SHMEM_ESTATE; \
	if (!dev_likely(!err))                                                                     \
		fail_value(st, #name, op, err);                                                    \
	registry_leave(&held);                                                                     \
	return result;

#define DEFINE_STATUS(name, params, call)                                                          \
	int mori_shmem_##name params                                                               \
	{                                                                                          \
		STATUS_BODY(name, registry_enter(&held), call)                                     \
	}                                                                                          \
	int mori_shmem_ctx_##name MORI_CTX_PARAMS params                                           \
	{                                                                                          \
		STATUS_BODY(ctx_##name, registry_enter_ctx(&held, ctx), call)                      \
	}
#define DEFINE_VALUE(ret, bad, name, params, call)                                                 \
	ret mori_shmem_##name params{                                                              \
		VALUE_BODY(ret, bad, name, DEV_OP_##name, registry_enter(&held), call)             \
	} ret mori_shmem_ctx_##name MORI_CTX_PARAMS params                                         \
	{                                                                                          \
		VALUE_BODY(ret, bad, ctx_##name, DEV_OP_##name, registry_enter_ctx(&held, ctx),    \
			   call)                                                                   \
	}
#define DEFINE_STATUS0(name, call)                                                                 \
	int mori_shmem_##name(void)                                                                \
	{                                                                                          \
		STATUS_BODY(name, registry_enter(&held), call)                                     \
	}                                                                                          \
	int mori_shmem_ctx_##name(uint64_t ctx)                                                    \
	{                                                                                          \
		STATUS_BODY(ctx_##name, registry_enter_ctx(&held, ctx), call)                      \
	}
#define DEFINE_VALUE0(ret, bad, name, call)                                                        \
	ret mori_shmem_##name(void){                                                               \
		VALUE_BODY(ret, bad, name, DEV_OP_##name, registry_enter(&held), call)             \
	} ret mori_shmem_ctx_##name(uint64_t ctx)                                                  \
	{                                                                                          \
		VALUE_BODY(ret, bad, ctx_##name, DEV_OP_##name, registry_enter_ctx(&held, ctx),    \
			   call)                                                                   \
	}

MORI_HOST_OPS(DEFINE_STATUS, DEFINE_VALUE, DEFINE_STATUS0, DEFINE_VALUE0)

/* A host thread is a grid of one. */
#define GRID_ID(axis)                                                                              \
	uint32_t mori_thread_id##axis(void)                                                        \
	{                                                                                          \
		return 0;                                                                          \
	}                                                                                          \
	uint32_t mori_block_id##axis(void)                                                         \
	{                                                                                          \
		return 0;                                                                          \
	}
#define GRID_SIZE(axis)                                                                            \
	uint32_t mori_block_size##axis(void)                                                       \
	{                                                                                          \
		return 1;                                                                          \
	}                                                                                          \
	uint32_t mori_grid_size##axis(void)                                                        \
	{                                                                                          \
		return 1;                                                                          \
	}
GRID_ID()
GRID_ID(_y)
GRID_ID(_z)
GRID_SIZE()
GRID_SIZE(_y)
GRID_SIZE(_z)

uint32_t mori_lane_id(void)
{
	return 0;
}

uint32_t mori_warp_size(void)
{
	return 1;
}

void mori_block_sync(void)
{
}

uint64_t mori_clock_ns(void)
{
	return tgt_now_ns();
}

void *mori_shared_memory(void)
{
	return NULL;
}
