// SPDX-License-Identifier: MIT
/*
 * Queue pairs lead to the PEs that load and store do not reach. Each PE offers the records of its
 * queue pairs as a region of the network, and reads from each peer those that lead here: what a PE
 * reads does not grow with the square of the job.
 */
#include "core/rdma.h"

#include "boot/boot.h"
#include "core/rdma_priv.h"
#include "core/remote.h"
#include "util/err.h"
#include "util/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_MOST  10u /* slots of a queue; fewer where there are many */
#define LOG_LEAST 6u
#define SLOTS	  ((uint64_t)1 << 16) /* of all queues of a PE, about */

uint32_t rdma_policy(const struct options *o)
{
	if (o->nic == OPTION_NIC_SOFT || o->nic_format != NIC_SOFT)
		return RDMA_NOT;
	/* Naming NICs requests them. */
	if (o->nic == OPTION_NIC_RDMA || (o->rdma_devices && *o->rdma_devices != '^'))
		return RDMA_MUST;
	return verbs_any() ? RDMA_MAY : RDMA_NOT;
}

struct verbs_config rdma_config(const struct options *o, const char *pci)
{
	return (struct verbs_config){
		.devices = o->rdma_devices,
		.affinity = pci,
		.in_turn = o->disable_topo,
		.gid_index = o->ib_gid_index,
		.sl = o->rdma_sl,
		.tc = o->rdma_tc,
	};
}

/* Whether one of the two does not reach the other by load and store. */
static bool rdma_apart(const struct pe *pe, int rank)
{
	return rank != pe->rank &&
	       (pe->state->slot[rank] < 0 || pe_blob_of(pe->boot, rank)->no_p2p);
}

int rdma_num_qp(const struct rdma *r)
{
	return r->num_qp;
}

/* The same on every PE: what all of them support. */
static void rdma_sizes(struct rdma *r)
{
	struct pe *pe = r->pe;
	uint64_t n = (uint64_t)pe->world->n_pes;

	r->num_qp = pe->state->num_qp;
	for (int i = 0; i < pe->world->n_pes; i++) {
		if ((int)pe_blob_of(pe->boot, i)->num_qp < r->num_qp)
			r->num_qp = (int)pe_blob_of(pe->boot, i)->num_qp;
	}
	while (r->num_qp > 1 && n * (uint64_t)r->num_qp << LOG_LEAST > SLOTS)
		r->num_qp /= 2;
	r->n = (uint32_t)n * (uint32_t)r->num_qp;
	r->config.log_slots = LOG_MOST;
	while (r->config.log_slots > LOG_LEAST && (uint64_t)r->n << r->config.log_slots > SLOTS)
		r->config.log_slots--;
}

/* The whole heap must exist: keys are exchanged once. In host memory it always does. */
static int rdma_open_memory(struct rdma *r)
{
	struct pe *pe = r->pe;
	int err;

	if (!verbs)
		return verbs_missing();
	if (pe_device_mem(pe) && (pe->heap.chunk || pe->heap.granules))
		return err_set(
			MORI_SHMEM_ENOTSUP,
			"a NIC needs the whole heap from the start (MORI_SHMEM_MODE=static)");
	err = verbs->heap(r->nic, pe->heap.base, pe->heap.max, pe_device_mem(pe));
	if (!err)
		err = verbs->region_add(r->nic, (void *)(uintptr_t)r->area, r->area_len,
					pe_device_mem(pe), &r->flags);
	return err;
}

static int rdma_open_queues(struct rdma *r)
{
	struct pe *pe = r->pe;
	struct nic_place flags = { .addr = r->area };
	uint32_t lkey;
	int err = 0;

	verbs->region_keys(r->flags, &lkey, &flags.key);
	r->qps = calloc(r->n, sizeof(*r->qps));
	r->offers = calloc(r->n, sizeof(*r->offers));
	r->queues = calloc(r->n, sizeof(*r->queues));
	if (!r->qps || !r->offers || !r->queues)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for %u queue pairs", r->n);
	for (uint32_t i = 0; i < r->n && !err; i++) {
		int to = (int)i / r->num_qp;

		if (!rdma_apart(pe, to))
			continue;
		err = verbs->qp_open(r->nic, to, (int)i % r->num_qp, &r->qps[i]);
		if (err)
			break;
		verbs->qp_record(r->qps[i], &r->offers[i].record);
		r->offers[i].flags = flags;
	}
	return err ? err :
		     net_region_add(pe->world->net, pe->rank, REGION_QPS, NET_HOST, r->offers,
				    r->n * sizeof(*r->offers));
}

/* Everything that needs no other PE. */
static int rdma_prepare(struct rdma *r)
{
	struct pe *pe = r->pe;
	int err;

	r->config = rdma_config(&pe->options, rdma_pci(pe, r->pci, sizeof(r->pci)));
	r->config.turn = pe->world->slot[pe->rank];
	r->config.memory = rdma_memory(r);
	r->config.device = pe_device_mem(pe);
	r->config.dev = pe->accel.dev;
	rdma_sizes(r);
	if (!verbs)
		return verbs_missing();
	err = verbs->open(&r->config, &r->nic);
	if (!err)
		err = rdma_open_memory(r);
	return err ? err : rdma_open_queues(r);
}

/* The queues to @to, and where its memory is. */
static int rdma_connect_to(struct rdma *r, int to, struct rdma_qp_offer *offers)
{
	struct pe *pe = r->pe;
	size_t each = (size_t)r->num_qp * sizeof(*offers);
	struct net_at at = { to, REGION_QPS, (uint64_t)pe->rank * each };
	int err = net_get(pe->world->net, &at, offers, each, 0);

	for (int k = 0; k < r->num_qp && !err; k++) {
		uint32_t i = (uint32_t)(to * r->num_qp + k);

		err = verbs->qp_connect(r->qps[i], &offers[k].record, &r->queues[i]);
	}
	if (!err) {
		r->heap_of[to].addr = offers[0].record.heap;
		r->heap_of[to].key = offers[0].record.rkey;
		r->flags_of[to] = offers[0].flags;
	}
	return err;
}

static int rdma_connect_all(struct rdma *r)
{
	struct pe *pe = r->pe;
	struct rdma_qp_offer *offers = calloc((size_t)r->num_qp, sizeof(*offers));
	int err = 0;

	r->heap_of = calloc((size_t)pe->world->n_pes, sizeof(*r->heap_of));
	r->flags_of = calloc((size_t)pe->world->n_pes, sizeof(*r->flags_of));
	if (!offers || !r->heap_of || !r->flags_of)
		err = err_set(MORI_SHMEM_ENOMEM, "out of memory for %u queue pairs", r->n);
	for (int i = 0; i < pe->world->n_pes && !err; i++)
		err = rdma_apart(pe, i) ? rdma_connect_to(r, i, offers) : 0;
	free(offers);
	if (!err)
		err = rdma_regions_open(r);
	for (uint32_t i = 0; i < r->n && !err; i++) {
		if (r->qps[i])
			r->queues[i].regions = rdma_regions_first(r);
	}
	return err;
}

/* Some PE has no NIC, which all PEs know: uses the soft NIC, or fails. */
static int rdma_do_without(struct pe *pe, int why)
{
	if (rdma_policy(&pe->options) == RDMA_MUST)
		return err_set(why,
			       "a NIC is requested (MORI_NIC, MORI_RDMA_DEVICES), but there is "
			       "none for kernels: %s",
			       err_text());
	if (pe->rank)
		return 0;
	if (why == MORI_SHMEM_ENOENT) /* nothing has failed */
		log_info("kernels use the soft NIC: %s", err_text());
	else
		log_warn("kernels use the soft NIC, which is slower: %s; MORI_NIC=soft chooses it "
			 "without this warning",
			 err_text());
	return 0;
}

/*
 * By the blobs of all PEs: *all if each may have a NIC. A status if this PE must have one and
 * another has none.
 */
static int rdma_all_have(struct pe *pe, bool *all)
{
	int without = -1, with = -1;

	for (int i = pe->world->n_pes - 1; i >= 0; i--) {
		if (pe_blob_of(pe->boot, i)->nic == RDMA_NOT)
			without = i;
		else
			with = i;
	}
	*all = without < 0;
	if (with < 0 || without < 0)
		return 0;
	err_set(MORI_SHMEM_ENOTSUP, "PE %d has a NIC and PE %d has none, or does not use it", with,
		without);
	return rdma_do_without(pe, MORI_SHMEM_ENOTSUP);
}

int rdma_open(struct pe *pe, int failed, struct rdma **out)
{
	struct rdma *r = NULL;
	bool all;
	int err = rdma_all_have(pe, &all);

	*out = NULL;
	if (err || !all)
		return failed ? failed : err;
	err = failed;
	if (!err)
		r = rdma_new(pe);
	if (!err)
		err = r ? rdma_prepare(r) : err_set(MORI_SHMEM_ENOMEM, "out of memory for a NIC");
	err = pe_agree(pe, err);
	if (!err && r)
		err = pe_agree(pe, rdma_connect_all(r));
	net_region_remove(pe->world->net, pe->rank, REGION_QPS);
	if (!err && r) {
		log_info("kernels of PE %d post to %s", pe->rank, verbs->why(r->nic));
		*out = r;
		return 0;
	}
	err = failed ? failed : rdma_do_without(pe, err);
	rdma_close(r);
	return err;
}

void rdma_close(struct rdma *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; r->qps && i < r->n; i++)
		verbs->qp_close(r->qps[i]);
	rdma_regions_close(r);
	if (r->nic) {
		verbs->region_remove(r->flags);
		verbs->close(r->nic);
	}
	pthread_mutex_destroy(&r->lock);
	free(r->qps);
	free(r->offers);
	free(r->queues);
	free(r->heap_of);
	free(r->flags_of);
	free(r);
}

const struct nic_queue *rdma_queue(const struct rdma *r, int to, int qp)
{
	uint32_t i = (uint32_t)(to * r->num_qp + qp);

	return r->qps[i] ? &r->queues[i] : NULL;
}
