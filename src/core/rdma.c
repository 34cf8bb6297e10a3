// SPDX-License-Identifier: MIT
/*
 * Queue pairs lead to the PEs that load and store leave apart. Each PE offers the records of
 * its queue pairs as a region of the network, and takes from each peer those that lead here:
 * what a PE reads does not grow with the square of the job.
 */
#include "core/rdma.h"

#include "boot/boot.h"
#include "core/rdma_priv.h"
#include "core/route.h"
#include "util/err.h"
#include "util/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_MOST  10u /* slots of a queue; fewer where there are many */
#define LOG_LEAST 6u
#define SLOTS	  ((uint64_t)1 << 16) /* of all queues of a PE, about */

uint32_t rdma_wish(const struct options *o)
{
	if (o->nic == OPTION_NIC_SOFT || o->nic_format != NIC_SOFT)
		return RDMA_NOT;
	/* NICs that were named are asked for. */
	if (o->nic == OPTION_NIC_RDMA || (o->rdma_devices && *o->rdma_devices != '^'))
		return RDMA_MUST;
	return verbs_any() ? RDMA_MAY : RDMA_NOT;
}

struct verbs_config rdma_config(const struct options *o, const char *near)
{
	return (struct verbs_config){
		.devices = o->rdma_devices,
		.near = near,
		.in_turn = o->disable_topo,
		.gid_index = o->ib_gid_index,
		.sl = o->rdma_sl,
		.tc = o->rdma_tc,
	};
}

static const struct pe_blob *blob_of(const struct pe *pe, int rank)
{
	return boot_peer(pe->boot, rank)->blob;
}

/* Whether one of the two does not reach the other by load and store. */
static bool apart(const struct pe *pe, int rank)
{
	return rank != pe->rank && (pe->state->slot[rank] < 0 || blob_of(pe, rank)->no_p2p);
}

int rdma_num_qp(const struct rdma *r)
{
	return r->num_qp;
}

/* The same on every PE: what all can have. */
static void sizes(struct rdma *r)
{
	struct pe *pe = r->pe;
	uint64_t n = (uint64_t)pe->world->n_pes;

	r->num_qp = pe->state->num_qp;
	for (int i = 0; i < pe->world->n_pes; i++) {
		if ((int)blob_of(pe, i)->num_qp < r->num_qp)
			r->num_qp = (int)blob_of(pe, i)->num_qp;
	}
	while (r->num_qp > 1 && n * (uint64_t)r->num_qp << LOG_LEAST > SLOTS)
		r->num_qp /= 2;
	r->n = (uint32_t)n * (uint32_t)r->num_qp;
	r->config.log_slots = LOG_MOST;
	while (r->config.log_slots > LOG_LEAST && (uint64_t)r->n << r->config.log_slots > SLOTS)
		r->config.log_slots--;
}

/* The heap must be all there: keys are exchanged once. Near memory always is. */
static int open_memory(struct rdma *r)
{
	struct pe *pe = r->pe;
	int err;

	if (pe_far(pe) && (pe->heap.chunk || pe->heap.owner))
		return err_set(MORI_SHMEM_ENOTSUP,
			       "a NIC needs a heap that is all there (MORI_SHMEM_MODE=static)");
	err = verbs_heap(r->nic, pe->heap.base, pe->heap.max, pe_far(pe));
	if (!err)
		err = verbs_region_add(r->nic, (void *)(uintptr_t)r->flags_at, r->flags_len,
				       pe_far(pe), &r->flags);
	return err;
}

static int open_queues(struct rdma *r)
{
	struct pe *pe = r->pe;
	struct nic_place flags = { .addr = r->flags_at };
	uint32_t lkey;
	int err = 0;

	verbs_region_keys(r->flags, &lkey, &flags.key);
	r->qps = calloc(r->n, sizeof(*r->qps));
	r->words = calloc(r->n, sizeof(*r->words));
	r->queues = calloc(r->n, sizeof(*r->queues));
	if (!r->qps || !r->words || !r->queues)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for %u queue pairs", r->n);
	for (uint32_t i = 0; i < r->n && !err; i++) {
		int to = (int)i / r->num_qp;

		if (!apart(pe, to))
			continue;
		err = verbs_qp_open(r->nic, to, (int)i % r->num_qp, &r->qps[i]);
		if (err)
			break;
		verbs_qp_record(r->qps[i], &r->words[i].record);
		r->words[i].flags = flags;
	}
	return err ? err :
		     net_region_add(pe->world->net, pe->rank, ROUTE_QPS, NET_HOST, r->words,
				    r->n * sizeof(*r->words));
}

/* All that needs no other PE. */
static int prepare(struct rdma *r)
{
	struct pe *pe = r->pe;
	int err;

	r->config = rdma_config(&pe->options, rdma_near(pe, r->near, sizeof(r->near)));
	r->config.turn = pe->world->slot[pe->rank];
	r->config.memory = rdma_memory(pe);
	r->config.device = pe_far(pe);
	r->config.arg = r;
	sizes(r);
	err = verbs_open(&r->config, &r->nic);
	if (!err)
		err = open_memory(r);
	return err ? err : open_queues(r);
}

/* The queues to @to, and where its memory is. */
static int connect_to(struct rdma *r, int to, struct rdma_word *words)
{
	struct pe *pe = r->pe;
	size_t each = (size_t)r->num_qp * sizeof(*words);
	struct net_at at = { to, ROUTE_QPS, (uint64_t)pe->rank * each };
	int err = net_get(pe->world->net, &at, words, each, 0);

	for (int k = 0; k < r->num_qp && !err; k++) {
		uint32_t i = (uint32_t)(to * r->num_qp + k);

		err = verbs_qp_connect(r->qps[i], &words[k].record, &r->queues[i]);
	}
	if (!err) {
		r->heap_of[to].addr = words[0].record.heap;
		r->heap_of[to].key = words[0].record.rkey;
		r->flags_of[to] = words[0].flags;
	}
	return err;
}

static int connect_all(struct rdma *r)
{
	struct pe *pe = r->pe;
	struct rdma_word *words = calloc((size_t)r->num_qp, sizeof(*words));
	int err = 0;

	r->heap_of = calloc((size_t)pe->world->n_pes, sizeof(*r->heap_of));
	r->flags_of = calloc((size_t)pe->world->n_pes, sizeof(*r->flags_of));
	if (!words || !r->heap_of || !r->flags_of)
		err = err_set(MORI_SHMEM_ENOMEM, "out of memory for %u queue pairs", r->n);
	for (int i = 0; i < pe->world->n_pes && !err; i++)
		err = apart(pe, i) ? connect_to(r, i, words) : 0;
	free(words);
	if (!err)
		err = rdma_areas_open(r);
	for (uint32_t i = 0; i < r->n && !err; i++) {
		if (r->qps[i])
			r->queues[i].regions = rdma_areas_first(r);
	}
	return err;
}

static int agree(struct pe *pe, int err)
{
	return boot_agree(pe->boot, pe->rank, err, err ? err_text() : "",
			  pe->options.bootstrap_timeout);
}

/* All PEs know that some PE has no NIC, and why. */
static int do_without(struct pe *pe, int why)
{
	char text[512];

	snprintf(text, sizeof(text), "%s", err_text());
	if (rdma_wish(&pe->options) == RDMA_MUST)
		return err_set(why,
			       "a NIC is asked for (MORI_NIC, MORI_RDMA_DEVICES), but there is "
			       "none for kernels: %s",
			       text);
	if (pe->rank)
		return 0;
	if (why == MORI_SHMEM_ENOENT) /* nothing has failed */
		log_info("kernels have the soft NIC: %s", text);
	else
		log_warn("kernels have the soft NIC, which is slower: %s; MORI_NIC=soft takes it "
			 "without asking",
			 text);
	return 0;
}

/* Who wants no NIC has said so before: 0, or a status if one of the others has none. */
static int asked(struct pe *pe, bool *all)
{
	int without = -1, with = -1;

	for (int i = pe->world->n_pes - 1; i >= 0; i--) {
		if (blob_of(pe, i)->nic == RDMA_NOT)
			without = i;
		else
			with = i;
	}
	*all = without < 0;
	if (with < 0 || without < 0)
		return 0;
	err_set(MORI_SHMEM_ENOTSUP, "PE %d has a NIC and PE %d has none, or does not want it", with,
		without);
	return do_without(pe, MORI_SHMEM_ENOTSUP);
}

int rdma_open(struct pe *pe, int failed, struct rdma **out)
{
	struct rdma *r = NULL;
	bool all;
	int err = asked(pe, &all);

	*out = NULL;
	if (err || !all)
		return failed ? failed : err;
	err = failed;
	if (!err)
		r = rdma_new(pe);
	if (!err)
		err = r ? prepare(r) : err_set(MORI_SHMEM_ENOMEM, "out of memory for a NIC");
	err = agree(pe, err);
	if (!err && r)
		err = agree(pe, connect_all(r));
	net_region_remove(pe->world->net, pe->rank, ROUTE_QPS);
	if (!err && r) {
		log_info("kernels of PE %d post to %s", pe->rank, verbs_why(r->nic));
		*out = r;
		return 0;
	}
	err = failed ? failed : do_without(pe, err);
	rdma_close(r);
	return err;
}

void rdma_close(struct rdma *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; r->qps && i < r->n; i++)
		verbs_qp_close(r->qps[i]);
	rdma_areas_close(r);
	verbs_region_remove(r->flags);
	verbs_close(r->nic);
	pthread_mutex_destroy(&r->lock);
	free(r->qps);
	free(r->words);
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
