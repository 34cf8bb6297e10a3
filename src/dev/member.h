// SPDX-License-Identifier: MIT
/*
 * What collectives of a team are made of: who is in it, the words by which its members know of each
 * other, and data that one member puts to another. src/abi/teams.h says what lies where.
 */
#ifndef MORI_DEV_MEMBER_H
#define MORI_DEV_MEMBER_H

#include "dev/area.h"
#include "dev/rma.h"
#include "dev/wait.h"

/* In place of a PE, in a failure that is about something else: what its address and length are. */
enum dev_fail_about {
	DEV_FAIL_TEAM = -2, /* a team that is none */
	DEV_FAIL_TYPE = -3, /* a type and an operation that do not go together, or are none */
	DEV_FAIL_ROOT = -4, /* a member that the team does not have, and how many it has */
};

/* A collective under way. */
struct dev_coll {
	const struct dev_state *st;
	enum dev_scope scope;
	struct dev_flags flags;
	struct dev_team *team; /* as this PE has it */
	uint64_t slot;	       /* where it lies from this PE's flags on */
	uint64_t call;	       /* its number, from 1 on */
	uint32_t hash;	       /* of its arguments */
	int n, me;
};

DEV_INLINE struct dev_team *dev_team_at(const struct dev_state *st, uint64_t slot)
{
	return tgt_pointer(DEV_FIXED(st, area) + slot);
}

/* Words of this PE's slot; a host's calls may find them in memory of a device. */
#ifdef TGT_HOST
#define dev_team_load_32(p)	tgt_load_acquire_32(p)
#define dev_team_load_64(p)	tgt_load_acquire_64(p)
#define dev_team_store_64(p, v) tgt_put_one(p, &(v), sizeof(uint64_t))
#else
#define dev_team_load_32(p)	tgt_load_relaxed_32((const uint32_t *)(p))
#define dev_team_load_64(p)	tgt_load_relaxed_64(p)
#define dev_team_store_64(p, v) tgt_store_relaxed_64(p, v)
#endif

/* The members of a team and which of them this PE is; 0: there is no such team. */
DEV_INLINE int dev_team_size(const struct dev_state *st, mori_shmem_team_t team, int *me)
{
	uint64_t slot = DEV_FIXED(st, teams) + (uint64_t)team * DEV_FIXED(st, team.slot);
	const struct dev_team *t = dev_team_at(st, slot);

	if (!dev_likely((unsigned)team < DEV_TEAMS))
		return 0;
	*me = (int)dev_team_load_32(&t->me);
	return (int)dev_team_load_32(&t->n);
}

DEV_INLINE int dev_team_my_pe(const struct dev_state *st, int *out, mori_shmem_team_t team)
{
	int me, n = dev_team_size(st, team, &me);

	*out = n ? me : -1;
	return 0;
}

DEV_INLINE int dev_team_n_pes(const struct dev_state *st, int *out, mori_shmem_team_t team)
{
	int me, n = dev_team_size(st, team, &me);

	*out = n ? n : -1;
	return 0;
}

/* Member @i of a team. */
DEV_INLINE int dev_team_pe(const struct dev_team *t, int i)
{
	return (int)dev_team_load_32(&t->pe[i]);
}

DEV_DEFER int dev_team_translate(const struct dev_state *st, int *out, mori_shmem_team_t src,
				 int pe, mori_shmem_team_t dest)
{
	uint64_t each = DEV_FIXED(st, team.slot), first = DEV_FIXED(st, teams);
	int me, n_src = dev_team_size(st, src, &me), n = dev_team_size(st, dest, &me);

	*out = -1;
	if (pe < 0 || pe >= n_src)
		return 0;
	pe = dev_team_pe(dev_team_at(st, first + (uint64_t)src * each), pe);
	for (int i = 0; i < n && *out < 0; i++) {
		if (dev_team_pe(dev_team_at(st, first + (uint64_t)dest * each), i) == pe)
			*out = i;
	}
	return 0;
}

/* Where a member's word lies, and its part of the stage, from the flags of a PE on. */
DEV_INLINE uint64_t dev_team_word(const struct dev_coll *c, enum dev_team_word word, int from)
{
	uint64_t set = (c->call & 1) * DEV_TEAM_WORDS + (uint64_t)word;

	return c->slot + DEV_FIXED(c->st, team.words) +
	       (set * (uint64_t)c->flags.n + (uint64_t)from) * 8;
}

DEV_INLINE uint64_t dev_team_stage(const struct dev_coll *c, int from)
{
	return c->slot + DEV_FIXED(c->st, team.stage) +
	       ((c->call & 1) * (uint64_t)c->flags.n + (uint64_t)from) *
		       DEV_FIXED(c->st, team.part);
}

/* A table of this PE's own, of an address for each member: 0 or 1. */
DEV_INLINE uint64_t *dev_team_table(const struct dev_coll *c, int which)
{
	return tgt_pointer(DEV_FIXED(c->st, area) + c->slot + DEV_FIXED(c->st, team.tables) +
			   (uint64_t)which * (uint64_t)c->flags.n * 8);
}

DEV_INLINE void *dev_team_here(const struct dev_coll *c, uint64_t off)
{
	return tgt_pointer(DEV_FIXED(c->st, area) + off);
}

/* Where what lies at @off from the flags on is at PE @pe; 0: load and store do not reach it. */
DEV_INLINE uint64_t dev_team_reach(const struct dev_coll *c, int pe, uint64_t off)
{
	uint64_t flags = dev_likely(c->flags.uniform) ?
				 c->flags.first + (uint64_t)pe * c->flags.stride :
				 dev_flags_rare(c->st, pe);

	return flags ? flags + off : 0;
}

/* The same as an offset from this PE's heap, by which queues know it. */
DEV_INLINE uint64_t dev_team_off(const struct dev_coll *c, uint64_t off)
{
	return DEV_FIXED(c->st, area) + off - DEV_FIXED(c->st, heap_base);
}

DEV_INLINE uint64_t dev_coll_value(const struct dev_coll *c, uint32_t low)
{
	return c->call << DEV_TEAM_LOW | low;
}

DEV_INLINE uint32_t dev_coll_mix(uint32_t h, uint64_t v)
{
	v = (h ^ v) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(v >> 32);
}

/* One status for all lanes, which synchronise. */
DEV_INLINE int dev_coll_status(const struct dev_coll *c, int err)
{
	if (dev_likely(!tgt_any(c->scope, err != 0)) || err)
		return err;
	err = (int)tgt_load_relaxed_32((const uint32_t *)&c->st->fault.code);
	return err ? err : MORI_SHMEM_EIO;
}

/*
 * This PE's next collective of a team. All lanes read what the leading one then changes; they
 * synchronise several times before the next.
 */
DEV_INLINE int dev_coll_begin(struct dev_coll *c, const struct dev_state *st, enum dev_scope scope,
			      mori_shmem_team_t team, uint32_t hash)
{
	*c = (struct dev_coll){
		.st = st,
		.scope = scope,
		.flags = dev_flags(st),
		.slot = DEV_FIXED(st, teams) + (uint64_t)team * DEV_FIXED(st, team.slot),
		.hash = (hash & ((1u << DEV_TEAM_LOW) - 1)) | 1, /* 0 is no call's */
	};
	c->team = dev_team_at(st, c->slot);
	c->n = dev_team_size(st, team, &c->me);
	if (!dev_likely(c->n > 0))
		return dev_fail_together(st, scope, MORI_SHMEM_EINVAL, DEV_FAIL_TEAM,
					 (uint64_t)(uint32_t)team, 0);
	c->call = dev_team_load_64(&c->team->calls) + 1;
	tgt_enter(scope);
	if (tgt_leads(scope))
		dev_team_store_64(&c->team->calls, c->call);
	return 0;
}

/* This lane sets its PE's word at member @to. */
DEV_INLINE int dev_coll_signal(const struct dev_coll *c, enum dev_team_word word, int to,
			       uint64_t value)
{
	uint64_t off = dev_team_word(c, word, c->me);
	struct dev_req r = { .pe = dev_team_pe(c->team, to),
			     .op = MORI_SHMEM_AMO_SET,
			     .value = value };

	r.at = dev_team_reach(c, r.pe, off);
	r.off = dev_team_off(c, off);
	r.slot = r.at ? 0 : DEV_SLOT_QUEUE;
	return dev_req_execute(c->st, DEV_thread, DEV_ACT_SIGNAL, &r, 0);
}

/* The lanes set this PE's word at every other member. */
DEV_INLINE int dev_coll_signal_each(const struct dev_coll *c, enum dev_team_word word,
				    uint64_t value)
{
	int lanes = (int)tgt_lanes(c->scope), err = 0;

	for (int i = (int)tgt_lane(c->scope); i < c->n && !err; i += lanes) {
		if (i != c->me)
			err = dev_coll_signal(c, word, i, value);
	}
	return err;
}

/* The same after what all lanes did before. */
DEV_INLINE int dev_coll_signal_all(const struct dev_coll *c, enum dev_team_word word,
				   uint64_t value)
{
	tgt_enter(c->scope);
	return dev_coll_signal_each(c, word, value);
}

/* This lane waits for the word of member @from. @hash: what it must say of the call; 0: anything. */
DEV_INLINE int dev_coll_wait(const struct dev_coll *c, enum dev_team_word word, int from,
			     uint64_t value, uint32_t hash)
{
	uint64_t *at = dev_team_here(c, dev_team_word(c, word, from)), seen = 0;
	int pe = dev_team_pe(c->team, from);
	int err = dev_wait_word(c->st, at, DEV_KIND_uint64, MORI_SHMEM_CMP_GE, value, c->flags.ns,
				pe, &seen);

	if (!err && hash && seen != dev_coll_value(c, hash))
		err = tgt_fail(c->st, MORI_SHMEM_EMISMATCH, pe, 0, 0);
	return err;
}

/*
 * The same of the first @n members but this PE; then all lanes may read the data. A member that
 * makes another call does not end it: all must have come before this PE makes the next.
 */
DEV_INLINE int dev_coll_wait_first(const struct dev_coll *c, enum dev_team_word word, int n,
				   uint64_t value, uint32_t hash)
{
	int lanes = (int)tgt_lanes(c->scope), err = 0;

	for (int i = (int)tgt_lane(c->scope); i < n && (!err || err == MORI_SHMEM_EMISMATCH);
	     i += lanes) {
		int got = i == c->me ? 0 : dev_coll_wait(c, word, i, value, err ? 0 : hash);

		err = err ? err : got;
	}
	return dev_coll_status(c, err);
}

DEV_INLINE int dev_coll_wait_all(const struct dev_coll *c, enum dev_team_word word, uint64_t value)
{
	return dev_coll_wait_first(c, word, c->n, value, 0);
}

/* Every member has come, to this call. */
DEV_INLINE int dev_coll_wait_enter(const struct dev_coll *c)
{
	return dev_coll_wait_first(c, DEV_TEAM_ENTER, c->n, dev_coll_value(c, 0), c->hash);
}

/* This PE has come, and then all members have, to this call. */
DEV_INLINE int dev_coll_enter(const struct dev_coll *c)
{
	int err = dev_coll_signal_all(c, DEV_TEAM_ENTER, dev_coll_value(c, c->hash));

	err = dev_coll_status(c, err);
	return err ? err : dev_coll_wait_enter(c);
}

/* All lanes put @len bytes into this PE's part of member @to's stage, then set its word there. */
DEV_INLINE int dev_coll_stage(const struct dev_coll *c, int to, const void *src, uint64_t len,
			      enum dev_team_word word, uint64_t value)
{
	uint64_t off = dev_team_stage(c, c->me), sig = dev_team_word(c, word, c->me);
	struct dev_req r = { .pe = dev_team_pe(c->team, to),
			     .local = (void *)src,
			     .len = len,
			     .op = MORI_SHMEM_AMO_SET,
			     .value = value };

	r.at = dev_team_reach(c, r.pe, off);
	r.sig_at = dev_team_reach(c, r.pe, sig);
	r.off = dev_team_off(c, off);
	r.sig = dev_team_off(c, sig);
	r.slot = r.at ? 0 : DEV_SLOT_QUEUE;
	return dev_req_execute(c->st, c->scope, DEV_ACT_PUT_SIGNAL, &r, 0);
}

/* The same to the symmetric address @dest. */
DEV_INLINE int dev_coll_put(const struct dev_coll *c, int to, void *dest, const void *src,
			    uint64_t len, enum dev_team_word word, uint64_t value)
{
	uint64_t sig = dev_team_word(c, word, c->me);
	struct dev_req r = { .pe = dev_team_pe(c->team, to),
			     .local = (void *)src,
			     .len = len,
			     .op = MORI_SHMEM_AMO_SET,
			     .value = value };
	int err = dev_req_resolve(c->st, &r, dest, len);

	r.sig_at = dev_team_reach(c, r.pe, sig);
	r.sig = dev_team_off(c, sig);
	if (!err && (r.slot < 0 || !r.sig_at)) {
		r.slot = DEV_SLOT_QUEUE;
		r.off = (uint64_t)(uintptr_t)dest - DEV_FIXED(c->st, heap_base);
	}
	return dev_req_execute(c->st, c->scope, DEV_ACT_PUT_SIGNAL, &r, err);
}

/* A copy within this PE, by all lanes; the same place is no copy. */
DEV_INLINE void dev_coll_copy(const struct dev_coll *c, void *dest, const void *src, uint64_t len)
{
	if (dest != src && len)
		tgt_put(c->scope, dest, src, len);
}

#endif
