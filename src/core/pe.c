// SPDX-License-Identifier: MIT
/*
 * The life of a PE: join, open what it needs, agree with all others on success, and the reverse. A
 * PE that has failed still takes part in the agreement, or the others would wait for it.
 */
#include "core/pe.h"

#include "boot/boot.h"
#include "core/device_mem.h"
#include "core/faults.h"
#include "core/module.h"
#include "core/queues.h"
#include "core/rdma.h"
#include "core/registry.h"
#include "core/remote.h"
#include "core/team.h"
#include "dev/dev.h"
#include "util/env.h"
#include "util/err.h"
#include "util/log.h"

#include <sched.h>
#include <stdio.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool pe_crowded(int n_node)
{
	cpu_set_t mine;
	long cores = sched_getaffinity(0, sizeof(mine), &mine) ? sysconf(_SC_NPROCESSORS_ONLN) :
								 CPU_COUNT(&mine);

	return n_node > cores;
}

static bool pe_wants_copy(const struct pe *pe)
{
	return pe->options.enable_sdma && !pe->options.disable_p2p;
}

/* What this PE sends to the others: all must send the same. */
static int pe_blob_fill(const struct pe *pe, struct pe_blob *blob)
{
	struct accel_facts facts;
	int err = pe->accel.ops->facts(pe->accel.dev, &facts);

	if (err)
		return err;
	memset(blob, 0, sizeof(*blob));
	blob->abi = DEV_ABI;
	blob->mode = (uint32_t)pe->options.mode;
	blob->heap_size = blob->mode == OPTION_MODE_VMM ? facts.heap_grows : facts.heap_default;
	if (pe->options.heap_size)
		blob->heap_size = pe->options.heap_size;
	blob->chunk_size = pe->options.vmm_chunk_size;
	blob->share = (uint32_t)pe->options.share;
	snprintf(blob->device, sizeof(blob->device), "%s", pe->accel.ops->name);
	blob->copy = pe_wants_copy(pe);
	blob->no_p2p = (uint32_t)pe->options.disable_p2p;
	blob->nic = rdma_policy(&pe->options);
	blob->num_qp = (uint32_t)pe->options.num_qp_per_pe;
	blob->device_number = pe->accel.number;
	memcpy(blob->device_id, facts.id, sizeof(facts.id));
	blob->device_free = facts.free;
	blob->device_granule = facts.granule;
	blob->fabric = facts.fabric;
	blob->by_handles = facts.by_handles;
	blob->seen = facts.seen;
	blob->amo = facts.amo;
	return 0;
}

/* MORI_DISABLE_P2P: load and store reach this PE's own heap and no other. */
static int pe_reach_self(struct pe *pe)
{
	int n = pe->world->n_pes;

	pe->reach = malloc((size_t)n * sizeof(*pe->reach));
	if (!pe->reach)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for %d PEs", n);
	for (int i = 0; i < n; i++)
		pe->reach[i] = i == pe->rank ? pe->world->slot[i] : DEV_SLOT_QUEUE;
	return 0;
}

/* Whether this is the first PE of the job that requests copy engines: it warns for all. */
static bool pe_first_copy(const struct pe *pe)
{
	for (int i = 0; i < pe->rank; i++) {
		if (pe_blob_of(pe->boot, i)->copy)
			return false;
	}
	return true;
}

static bool pe_slots_same(const int32_t *slot, int n)
{
	int i = 0;

	while (i < n && slot[i] == i)
		i++;
	return i == n;
}

static bool pe_one_device(const struct pe *pe)
{
	const struct pe_blob *mine = pe_blob_of(pe->boot, pe->rank);
	int i = 0;

	while (i < pe->world->n_pes && !memcmp(pe_blob_of(pe->boot, i)->device_id, mine->device_id,
					       sizeof(mine->device_id)))
		i++;
	return pe_device_mem(pe) && i == pe->world->n_pes;
}

/* The path from this PE to each other one: see dev_path(). */
static int pe_path_open(struct pe *pe)
{
	struct dev_state *st = pe->state;

	if (pe->options.disable_p2p && pe_reach_self(pe))
		return MORI_SHMEM_ENOMEM;
	st->slot = pe->reach ? pe->reach : pe->world->slot;
	st->slot_same = pe_slots_same(st->slot, pe->world->n_pes);
	st->sync_slot = st->slot;
	st->sync_slot_same = st->slot_same;
	st->copy = pe_wants_copy(pe);
	if (st->copy && pe_first_copy(pe))
		log_warn("MORI_ENABLE_SDMA: this build drives no copy engines; load and store do "
			 "their work");
	return 0;
}

/* The state of a PE that has a world; heap_open() fills in the heap. */
static int pe_state_open(struct pe *pe)
{
	struct dev_state *st = pe->state;
	struct world *w = pe->world;

	st->size = sizeof(*st);
	st->abi = DEV_ABI;
	st->life = DEV_LIFE_OPEN;
	st->my_pe = pe->rank;
	st->n_pes = w->n_pes;
	st->window = (uint64_t)(uintptr_t)w->window;
	st->stride = w->stride;
	st->gone = w->gone;
	for (int i = 0; i < BACKOFF_KINDS; i++)
		pe->learned[i].crowded = w->crowded;
	st->wait_ns = (uint64_t)(pe->options.wait_timeout * 1e9);
	st->sync = (uint64_t)(uintptr_t)w->block + w->sync_off;
	st->sync_stride = w->sync_len;
	st->area_len = w->sync_len;
	st->teams = world_teams(w);
	st->team = dev_team_layout((uint64_t)w->n_pes);
	st->sync_ns = (uint64_t)(pe->options.timeout * 1e9);
	st->num_qp = pe->options.num_qp_per_pe;
	st->host = pe;
	st->one_device = pe_one_device(pe);
	st->amo_queue = remote_amo_by_queue(pe->boot, w->my_node);
	if (st->amo_queue && w->segments.n_devs > 1)
		return err_set(
			MORI_SHMEM_ENOTSUP,
			"the GPUs of this process are not atomic on each other's memory: run "
			"the PEs of each as a process of its own");
	return pe_path_open(pe);
}

/* A block that kernels know outlives its PE. */
static void pe_state_close(struct pe *pe)
{
	bool known = pe->state_known && pe->ctx == (uint64_t)(uintptr_t)pe->state;

	if (pe->device_counted)
		device_mem_count(-1);
	mirror_close(pe);
	if (known)
		faults_keep(pe->rank, pe->state, pe->state->news);
	else
		free(pe->state);
}

/* Shows kernels and waits that the PE has ended, waits for all calls, and unloads its modules. */
static void pe_stop(struct pe *pe)
{
	struct err_was was;
	int err;

	err_save(&was);
	/*
	 * Release: a kernel that sees it reads nothing else. A GPU's fast path checks "plain"
	 * alone.
	 */
	pe->state->uniform = 0;
	err = mirror_field(pe, &pe->state->uniform, sizeof(pe->state->uniform));
	__atomic_store_n(&pe->state->life, DEV_LIFE_FINALIZED, __ATOMIC_RELEASE);
	if (!err)
		err = mirror_field(pe, &pe->state->life, sizeof(pe->state->life));
	if (err)
		log_warn("the device was not told that PE %d ends: a kernel that outlives it may "
			 "touch memory that is gone: %s",
			 pe->rank, err_text());
	err_restore(&was);
	registry_drain(pe);
	module_close_all(pe);
}

static void pe_free(struct pe *pe)
{
	remote_leave(pe);
	reg_close(pe);
	heap_close(pe);
	coll_close(pe);
	world_leave(pe); /* no notification of losses any more */
	pe_state_close(pe);
	accel_close(&pe->accel);
	free(pe->reach);
	options_free(&pe->options);
	free(pe);
}

/* Takes over what @options holds, even on failure. */
static struct pe *pe_new(struct options *options, int rank)
{
	size_t records = (sizeof(struct dev_state) + 63) & ~(size_t)63;
	size_t news = records + DEV_RECORDS * sizeof(struct dev_record);
	size_t size = (news + sizeof(struct dev_news) + 63) & ~(size_t)63;
	struct pe *pe = calloc(1, sizeof(*pe));

	if (!pe) {
		options_free(options);
		goto no_memory;
	}
	pe->options = *options;
	memset(options, 0, sizeof(*options));
	pe->rank = rank;
	pthread_mutex_init(&pe->reg.lock, NULL);
	pe->state = aligned_alloc(64, size);
	if (!pe->state)
		goto free_pe;
	memset(pe->state, 0, size);
	pe->state->records = (struct dev_record *)((char *)pe->state + records);
	pe->state->news = (struct dev_news *)((char *)pe->state + news);
	faults_open(pe);
	pe->ctx = (uint64_t)(uintptr_t)pe->state;
	return pe;
free_pe:
	pe_free(pe);
no_memory:
	err_set(MORI_SHMEM_ENOMEM, "out of memory for a PE");
	return NULL;
}

static int pe_join(struct pe *pe, const unsigned char *uid, int nranks, const struct pe_blob *blob)
{
	struct boot_config config = {
		.ifname = pe->options.socket_ifname,
		.node_id = pe->options.node_id,
		.timeout_s = pe->options.bootstrap_timeout,
		.report_s = pe->options.wait_report,
		.unique_id = pe->options.unique_id,
		.threads = pe->options.threads,
	};

	if (!uid)
		return boot_alone(blob, sizeof(*blob), &pe->boot);
	return boot_join(&config, uid, pe->rank, nranks, blob, sizeof(*blob), &pe->boot);
}

/* Hint for the device if the thread has none current: the rank on the node. */
static int pe_device_hint(const struct pe *pe)
{
	static const char *const names[] = { "LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK",
					     "SLURM_LOCALID", "MPI_LOCALRANKID" };

	if (pe->options.local_rank >= 0)
		return pe->options.local_rank + pe->rank - pe->options.rank;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int rank;

		if (env_int(names[i], 0, INT_MAX, &rank) > 0)
			return rank;
	}
	return pe->rank;
}

static int pe_open_mirror(struct pe *pe)
{
	pe->device_counted = true;
	device_mem_count(1);
	return mirror_open(pe);
}

int pe_agree(struct pe *pe, int err)
{
	return boot_agree(pe->boot, pe->rank, err, err ? err_text() : "",
			  pe->options.bootstrap_timeout);
}

/* Enters the world and opens everything else; all PEs agree on the result. */
static int pe_open_world(struct pe *pe, const struct pe_blob *blob)
{
	bool apart = remote_needed(pe->boot);
	int err = world_enter(pe, blob);

	if (!err)
		err = pe_state_open(pe);
	if (!err)
		err = coll_open(pe);
	if (!err && apart)
		err = remote_open(pe);
	if (pe_device_mem(pe) ||
	    apart) { /* what follows needs all PEs: either all get here or none */
		err = pe_agree(pe, err);
		if (!err && apart)
			err = remote_join(pe, pe->options.bootstrap_timeout);
		if (err)
			return err;
	}
	if (!err)
		err = heap_open(pe, blob);
	if (!err && pe_device_mem(pe))
		err = pe_open_mirror(pe);
	if (!err)
		err = team_open(pe);
	if (!err)
		err = remote_serve(pe);
	if (apart) /* collective in part, whatever has failed */
		err = queue_open(pe, true, err);
	return pe_agree(pe, err);
}

static int pe_open_device(struct pe *pe)
{
	struct accel_config config = {
		.hint = pe_device_hint(pe),
		.cached = pe_wants_cache(pe),
		.adversarial = pe->options.emu_memory == 1,
		.seed = (uint64_t)pe->options.emu_seed + ((uint64_t)pe->rank << 32),
	};

	return accel_open((enum accel_kind)pe->options.device, &config, &pe->accel);
}

int pe_open(struct options *options, const unsigned char *uid, int rank, int nranks,
	    struct pe **out)
{
	struct pe *pe = pe_new(options, rank);
	struct pe_blob blob;
	int err;

	if (!pe)
		return MORI_SHMEM_ENOMEM;
	faults_report_late();
	err = pe_open_device(pe);
	if (!err)
		err = pe_blob_fill(pe, &blob);
	if (!err)
		err = pe_join(pe, uid, nranks, &blob);
	if (!err)
		err = pe_open_world(pe, &blob);
	if (err)
		goto free_pe;
	if (uid)
		memcpy(pe->uid, uid, sizeof(pe->uid));
	registry_add(pe);
	*out = pe;
	return 0;
free_pe:
	pe_stop(pe);
	pe_free(pe);
	return err;
}

/* Reports failures of kernels at the end of a call that returns @err if that is not 0. */
static int pe_report_faults(struct pe *pe, int err)
{
	if (!err)
		return faults_report_new(pe);
	faults_print(pe);
	return err;
}

int pe_coll_begin(struct pe *pe)
{
	lock_take(&pe->coll_lock);
	if (!pe->finalized)
		return 0;
	lock_give(&pe->coll_lock);
	return err_set(MORI_SHMEM_ESTATE, "another thread has finalized PE %d", pe->rank);
}

/*
 * Once all PEs have come: no peer waits for a response of this process any more. Another failure,
 * @err, comes first.
 */
static int pe_leave_network(struct pe *pe, int err)
{
	struct err_was was;
	int left;

	err_save(&was);
	left = boot_barrier(pe->boot, pe->rank, pe_timeout_s(pe));
	if (!err)
		return left;
	err_restore(&was);
	return err;
}

/* ESTATE would mean that there was no PE. */
static int pe_close_status(int err)
{
	return err == MORI_SHMEM_ESTATE ? MORI_SHMEM_ETIMEDOUT : err;
}

/*
 * Calls of other threads go on until all PEs have come, and those that have begun by then can still
 * reach every other PE: nobody closes its network before the second barrier.
 */
int pe_close(struct pe *pe, struct registry_call *call)
{
	bool apart;
	int err;

	tgt_fence_full(pe->state);
	err = pe_coll_begin(pe);
	if (err) {
		registry_leave(call);
		return err;
	}
	err = coll_barrier(pe, &(struct coll_call){ .op = COLL_FINALIZE }, NULL);
	apart = !err && remote_net(pe->world);
	if (err == MORI_SHMEM_EMISMATCH)
		coll_leave(pe);
	pe->finalized = true;
	pe_coll_end(pe);
	err = pe_report_faults(pe, pe_close_status(err));
	registry_remove(pe);
	registry_leave(call);
	if (pe->reserved)
		registry_unreserve(pe->reserved_rank);
	pe_stop(pe);
	if (apart)
		err = pe_close_status(pe_leave_network(pe, err));
	err = pe_report_faults(pe, err); /* also of a launch that was still running */
	pe_free(pe);
	return err;
}
