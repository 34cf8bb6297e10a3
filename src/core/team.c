// SPDX-License-Identifier: MIT
/*
 * How teams are made and end. Every PE has the same slots; one that is free on all PEs of the parent
 * holds the new team on its members. The PEs of the parent learn that, and what else they must agree
 * on, in one exchange over the parent.
 */
#include "core/team.h"

#include "core/device_mem.h"
#include "core/fail.h"
#include "core/pe.h"
#include "core/registry.h"
#include "dev/collective.h"
#include "util/err.h"

#include <stdlib.h>
#include <string.h>

#define TEAM_FIRST 3 /* slots before it are the teams that every job has */

/* What each PE of the parent sends. */
struct team_offer {
	uint64_t free;	/* slots, a bit each */
	uint64_t calls; /* the most collectives in any slot: none of its words is newer */
	uint64_t p2p;	/* whether it reaches all members of its new team by load and store */
};

/* The members of a new team, by their numbers in the job; none: this PE is not in it. */
struct team_plan {
	int32_t *pes;
	int n, me;
	bool all_p2p;
};

static uint64_t team_slot(const struct pe *pe, mori_shmem_team_t team)
{
	return pe->state->area + pe->state->teams + (uint64_t)team * pe->state->team.slot;
}

static int team_write(struct pe *pe, uint64_t at, const void *src, size_t len)
{
	if (pe_device_mem(pe))
		return pe_copy(pe, (void *)(uintptr_t)at, src, len);
	memcpy((void *)(uintptr_t)at, src, len);
	return 0;
}

/* Its size last: a team that is read without one does not exist. */
static int team_publish(struct pe *pe, mori_shmem_team_t team, const struct team_plan *plan,
			uint64_t calls)
{
	size_t len = sizeof(struct dev_team) + (size_t)plan->n * sizeof(int32_t);
	struct dev_team *t = calloc(1, len);
	uint64_t at = team_slot(pe, team);
	int err;

	if (!t)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a team of %d PEs", plan->n);
	t->calls = calls;
	t->me = plan->me;
	t->all_p2p = plan->all_p2p;
	if (plan->n)
		memcpy(t->pe, plan->pes, (size_t)plan->n * sizeof(int32_t));
	err = team_write(pe, at, t, len);
	if (!err)
		err = team_write(pe, at + offsetof(struct dev_team, n), &plan->n, sizeof(plan->n));
	free(t);
	return err;
}

static void team_add(struct team_plan *plan, const struct pe *pe, int rank)
{
	if (rank == pe->rank)
		plan->me = plan->n;
	plan->pes[plan->n++] = rank;
}

static bool team_p2p_pe(const struct pe *pe, int rank)
{
	return pe->state->slot[rank] >= 0 && !pe_blob_of(pe->boot, rank)->no_p2p;
}

/* Whether every pair of PEs reach each other: the same on all of them. */
static bool team_job_p2p(const struct pe *pe)
{
	int i = 0;

	while (i < pe->world->n_pes && team_p2p_pe(pe, i))
		i++;
	return i == pe->world->n_pes;
}

int team_open(struct pe *pe)
{
	struct world *w = pe->world;
	bool p2p = pe_blob_of(pe->boot, pe->rank)->no_p2p == 0;
	int32_t *pes = malloc((size_t)w->n_pes * sizeof(*pes));
	int err =
		pes ? 0 : err_set(MORI_SHMEM_ENOMEM, "out of memory for teams of %d PEs", w->n_pes);

	for (int team = MORI_SHMEM_TEAM_WORLD; !err && team < TEAM_FIRST; team++) {
		struct team_plan plan = { .pes = pes, .all_p2p = true };

		for (int i = 0; i < w->n_pes; i++) {
			bool reached = i == pe->rank || (p2p && team_p2p_pe(pe, i));

			if (team == MORI_SHMEM_TEAM_NODE ?
				    w->slot[i] < 0 :
				    team == MORI_SHMEM_TEAM_SHARED && !reached)
				continue;
			team_add(&plan, pe, i);
			plan.all_p2p = plan.all_p2p && (i == pe->rank || team_p2p_pe(pe, i));
		}
		if (team == MORI_SHMEM_TEAM_WORLD)
			plan.all_p2p = team_job_p2p(pe);
		err = team_publish(pe, team, &plan, 0);
	}
	free(pes);
	pe->teams.used = (1u << TEAM_FIRST) - 1;
	return err;
}

/* An offer of every PE of the parent, by its number there. @hash: of what all must want alike. */
static int team_exchange(struct pe *pe, mori_shmem_team_t parent, uint64_t hash,
			 const struct team_offer *mine, struct team_offer *all)
{
	struct dev_coll c;
	int err = dev_coll_begin(&c, pe->state, DEV_thread, parent,
				 dev_coll_hash(DEV_COLL_SPLIT, 0, 0, hash));

	if (!err)
		err = dev_coll_small(&c, mine, 0, sizeof(*mine));
	for (int i = 0; i < c.n && !err; i++) {
		if (i == c.me)
			all[i] = *mine;
		else
			tgt_get(DEV_thread, &all[i], dev_team_here(&c, dev_team_stage(&c, i)),
				sizeof(*all));
	}
	return err;
}

/* The number of collectives in a slot. */
static uint64_t team_calls(struct pe *pe, mori_shmem_team_t team)
{
	const struct dev_team *t = dev_team_at(pe->state, team_slot(pe, team) - pe->state->area);

	return dev_team_load_64(&t->calls);
}

static struct team_offer team_offer(struct pe *pe, const struct team_plan *plan)
{
	struct team_offer o = { .free = ~(uint64_t)pe->teams.used, .p2p = plan->all_p2p };

	for (int i = 0; i < (int)DEV_TEAMS; i++) {
		uint64_t calls = team_calls(pe, i);

		o.calls = calls > o.calls ? calls : o.calls;
	}
	return o;
}

/* With the lock of collectives: the slot of a new team, and the count that it begins with. */
static int team_agree(struct pe *pe, mori_shmem_team_t parent, uint64_t hash,
		      struct team_plan *plan, int *slot, uint64_t *calls)
{
	int me, n = dev_team_size(pe->state, parent, &me), err;
	struct team_offer mine = team_offer(pe, plan), *all = calloc((size_t)n + 1, sizeof(*all));
	uint64_t free_slots = mine.free;

	if (!all)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a team's %d PEs", n);
	err = team_exchange(pe, parent, hash, &mine, all);
	for (int i = 0; i < n && !err; i++) {
		int pe_of = dev_team_pe(
			dev_team_at(pe->state, team_slot(pe, parent) - pe->state->area), i);

		free_slots &= all[i].free;
		*calls = all[i].calls > *calls ? all[i].calls : *calls;
		for (int k = 0; k < plan->n; k++) {
			if (plan->pes[k] == pe_of)
				plan->all_p2p = plan->all_p2p && all[i].p2p;
		}
	}
	free(all);
	*calls += *calls & 1; /* the sets of words as a new slot has them */
	*slot = TEAM_FIRST;
	while (*slot < (int)DEV_TEAMS && !(free_slots >> *slot & 1))
		++*slot;
	if (!err && *slot == (int)DEV_TEAMS)
		err = fail_has_full_text(err_set(
			MORI_SHMEM_ENOMEM,
			"no slot is free on all PEs of the parent for another team: a PE can be in "
			"%d teams of its own; end some with mori_shmem_team_destroy()",
			(int)DEV_TEAMS - TEAM_FIRST));
	return err;
}

static int team_make(struct pe *pe, mori_shmem_team_t parent, uint64_t hash, struct team_plan *plan,
		     mori_shmem_team_t *out)
{
	uint64_t calls = 0;
	int slot, err;

	plan->all_p2p = true;
	for (int i = 0; i < plan->n; i++)
		plan->all_p2p = plan->all_p2p &&
				(plan->pes[i] == pe->rank || team_p2p_pe(pe, plan->pes[i]));
	err = team_agree(pe, parent, hash, plan, &slot, &calls);
	if (err || !plan->n)
		return err;
	err = team_publish(pe, slot, plan, calls);
	if (err)
		return fail_has_full_text(err);
	pe->teams.used |= 1u << slot;
	*out = slot;
	return 0;
}

/* What a call makes of the PEs of its parent: whether number @i there is in this PE's team. */
struct team_rule {
	int n;		/* members */
	const int *pes; /* [n] their numbers in the parent; NULL: start + k * stride */
	int start, stride;
};

static int team_at(const struct team_rule *r, int k)
{
	return r->pes ? r->pes[k] : r->start + k * r->stride;
}

static int team_wrong(const struct team_rule *r, int n)
{
	for (int k = 0; k < r->n; k++) {
		int64_t at = r->pes ? r->pes[k] : r->start + (int64_t)k * r->stride;

		if (at < 0 || at >= n)
			return fail_has_full_text(
				err_set(MORI_SHMEM_EINVAL,
					"member %d would be PE %lld of the parent team, which has "
					"PEs 0 to %d",
					k, (long long)at, n - 1));
		for (int i = 0; r->pes && i < k; i++) {
			if (r->pes[i] == at)
				return fail_has_full_text(
					err_set(MORI_SHMEM_EINVAL,
						"members %d and %d are both PE %lld of the parent",
						i, k, (long long)at));
		}
	}
	return 0;
}

static int team_split(struct pe *pe, mori_shmem_team_t parent, uint64_t hash,
		      const struct team_rule *rule, mori_shmem_team_t *out)
{
	int me, n = dev_team_size(pe->state, parent, &me), err;
	const struct dev_team *p = dev_team_at(pe->state, team_slot(pe, parent) - pe->state->area);
	struct team_plan plan = { 0 };
	bool in = false;

	if (n <= 0)
		return tgt_fail(pe->state, MORI_SHMEM_EINVAL, DEV_FAIL_TEAM,
				(uint64_t)(uint32_t)parent, 0);
	err = team_wrong(rule, n);
	if (err)
		return err;
	plan.pes = malloc((size_t)rule->n * sizeof(*plan.pes));
	if (!plan.pes)
		return fail_has_full_text(
			err_set(MORI_SHMEM_ENOMEM, "out of memory for a team of %d PEs", rule->n));
	for (int k = 0; k < rule->n; k++) {
		in = in || team_at(rule, k) == me;
		team_add(&plan, pe, dev_team_pe(p, team_at(rule, k)));
	}
	if (!in)
		plan.n = 0;
	err = team_make(pe, parent, hash, &plan, out);
	free(plan.pes);
	return err;
}

/* Around every call: its PE, one collective at a time, and the text of what has failed. */
static int team_call(const char *name,
		     int (*run)(struct pe *pe, mori_shmem_team_t parent, const void *args),
		     mori_shmem_team_t parent, const void *args)
{
	REGISTRY_CALL struct registry_call call;
	struct pe *pe = registry_enter_pe(&call);
	int err, failed;

	if (!pe)
		return fail_status(NULL, name, MORI_SHMEM_ESTATE);
	err = pe_coll_begin(pe);
	if (err)
		return err;
	device_mem_begin(pe->state);
	fail_resume_first(name);
	err = run(pe, parent, args);
	fail_resume(NULL);
	failed = device_mem_end();
	pe_coll_end(pe);
	err = err ? err : failed;
	return err ? fail_status(pe->state, name, err) : 0;
}

struct team_strided {
	int start, stride, size;
	mori_shmem_team_t *out;
};

static int team_run_strided(struct pe *pe, mori_shmem_team_t parent, const void *args)
{
	const struct team_strided *a = args;
	struct team_rule rule = { .n = a->size, .start = a->start, .stride = a->stride };
	uint64_t hash = dev_coll_mix((uint32_t)a->start, (uint64_t)(uint32_t)a->stride);

	if (a->size < 1 || (a->size > 1 && !a->stride))
		return fail_has_full_text(err_set(MORI_SHMEM_EINVAL,
						  "a team of %d PEs at a stride of %d", a->size,
						  a->stride));
	return team_split(pe, parent, dev_coll_mix((uint32_t)hash, (uint32_t)a->size), &rule,
			  a->out);
}

int mori_shmem_team_split_strided(mori_shmem_team_t parent, int start, int stride, int size,
				  const mori_shmem_team_config_t *config, long config_mask,
				  mori_shmem_team_t *new_team)
{
	struct team_strided args = { start, stride, size, new_team };

	(void)config, (void)config_mask;
	if (!new_team)
		return err_set(MORI_SHMEM_EINVAL,
			       "mori_shmem_team_split_strided: new_team is NULL");
	*new_team = MORI_SHMEM_TEAM_INVALID;
	return team_call("team_split_strided", team_run_strided, parent, &args);
}

struct team_grid {
	int xrange;
	mori_shmem_team_t *x, *y;
};

static int team_run_2d(struct pe *pe, mori_shmem_team_t parent, const void *args)
{
	const struct team_grid *a = args;
	int me, n = dev_team_size(pe->state, parent, &me), width = a->xrange, err;
	uint64_t hash = dev_coll_mix(2, (uint64_t)(uint32_t)width);
	struct team_rule row, column;

	if (width < 1)
		return fail_has_full_text(
			err_set(MORI_SHMEM_EINVAL, "xrange %d is less than 1", width));
	if (n <= 0) /* the call below says so */
		return team_split(pe, parent, hash, &(struct team_rule){ .n = 1 }, a->x);
	width = width < n ? width : n;
	row = (struct team_rule){ .start = me / width * width, .stride = 1, .n = width };
	if (row.start + row.n > n)
		row.n = n - row.start;
	column = (struct team_rule){ .start = me % width,
				     .stride = width,
				     .n = (n - me % width + width - 1) / width };
	err = team_split(pe, parent, hash, &row, a->x);
	return err ? err : team_split(pe, parent, hash, &column, a->y);
}

int mori_shmem_team_split_2d(mori_shmem_team_t parent, int xrange,
			     const mori_shmem_team_config_t *xaxis_config, long xaxis_mask,
			     mori_shmem_team_t *xaxis_team,
			     const mori_shmem_team_config_t *yaxis_config, long yaxis_mask,
			     mori_shmem_team_t *yaxis_team)
{
	struct team_grid args = { xrange, xaxis_team, yaxis_team };

	(void)xaxis_config, (void)xaxis_mask, (void)yaxis_config, (void)yaxis_mask;
	if (!xaxis_team || !yaxis_team)
		return err_set(MORI_SHMEM_EINVAL, "mori_shmem_team_split_2d: %s is NULL",
			       xaxis_team ? "yaxis_team" : "xaxis_team");
	*xaxis_team = *yaxis_team = MORI_SHMEM_TEAM_INVALID;
	return team_call("team_split_2d", team_run_2d, parent, &args);
}

struct team_listed {
	const int *pes;
	int n;
	mori_shmem_team_t *out;
};

static int team_run_list(struct pe *pe, mori_shmem_team_t parent, const void *args)
{
	const struct team_listed *a = args;
	struct team_rule rule = { .n = a->n, .pes = a->pes };
	uint32_t hash = dev_coll_mix(3, (uint64_t)(uint32_t)a->n);

	for (int i = 0; i < a->n; i++)
		hash = dev_coll_mix(hash, (uint64_t)(uint32_t)a->pes[i]);
	return team_split(pe, parent, hash, &rule, a->out);
}

int mori_shmem_team_split_list(mori_shmem_team_t parent, const int *pes, int n,
			       mori_shmem_team_t *new_team)
{
	struct team_listed args = { pes, n, new_team };

	if (!new_team || !pes || n < 1)
		return err_set(MORI_SHMEM_EINVAL, "mori_shmem_team_split_list: %s",
			       !new_team ? "new_team is NULL" :
			       !pes	 ? "pes is NULL" :
					   "a team has at least one PE");
	*new_team = MORI_SHMEM_TEAM_INVALID;
	return team_call("team_split_list", team_run_list, parent, &args);
}

static int team_run_destroy(struct pe *pe, mori_shmem_team_t team, const void *args)
{
	const struct team_plan none = { 0 };
	int err;

	(void)args;
	if (team < 0 || team >= (int)DEV_TEAMS)
		return tgt_fail(pe->state, MORI_SHMEM_EINVAL, DEV_FAIL_TEAM,
				(uint64_t)(uint32_t)team, 0);
	if (team < TEAM_FIRST)
		return fail_has_full_text(
			err_set(MORI_SHMEM_EINVAL, "team %d is one that every job has", team));
	err = dev_team_sync(pe->state, DEV_thread, team, DEV_COLL_DESTROY);
	if (err)
		return err;
	err = team_publish(pe, team, &none, team_calls(pe, team));
	pe->teams.used &= ~(1u << team);
	return err ? fail_has_full_text(err) : 0;
}

int mori_shmem_team_destroy(mori_shmem_team_t team)
{
	if (team == MORI_SHMEM_TEAM_INVALID)
		return 0;
	return team_call("team_destroy", team_run_destroy, team, NULL);
}
