// SPDX-License-Identifier: MIT
/*
 * The collectives of teams, for hosts and kernels. What is small goes with the words by which
 * members say that they have come, into the others' stage; what is large follows once all have
 * come, to where it belongs. Reductions combine the contributions in the order of the members,
 * whatever their way: each member a slice of the result, or, of what is small, all of it.
 */
#ifndef MORI_DEV_COLLECTIVE_H
#define MORI_DEV_COLLECTIVE_H

#include "dev/member.h"
#include "dev/order.h"
#include "dev/reduce.h"

enum dev_coll_kind {
	DEV_COLL_SYNC = 1,
	DEV_COLL_BARRIER,
	DEV_COLL_BROADCAST,
	DEV_COLL_FCOLLECT,
	DEV_COLL_COLLECT,
	DEV_COLL_ALLTOALL,
	DEV_COLL_REDUCE,
	DEV_COLL_REDUCESCATTER,
	DEV_COLL_SPLIT,
	DEV_COLL_DESTROY,
};

DEV_INLINE uint32_t dev_coll_hash(enum dev_coll_kind kind, int a, int b, uint64_t n)
{
	uint32_t h = dev_coll_mix((uint32_t)kind, (uint64_t)(uint32_t)a << 32 | (uint32_t)b);

	return dev_coll_mix(h, n);
}

/* The arguments of a collective that moves data. */
struct dev_coll_args {
	void *dest;
	const void *src;
	uint64_t n;		  /* elements of a contribution */
	uint64_t of_dest, of_src; /* contributions that dest and src hold; 0: not looked at */
	int dtype;
	uint64_t size, len; /* of an element, and of a contribution in bytes */
};

/* Whether @addr and @len bytes on are symmetric memory of this PE, made of elements. */
DEV_INLINE int dev_coll_check(struct dev_coll *c, const void *addr, uint64_t size, uint64_t n,
			      uint64_t of, uint64_t *bad)
{
	uint64_t len;

	*bad = (uint64_t)(uintptr_t)addr;
	if (__builtin_mul_overflow(n, size, &len) || __builtin_mul_overflow(len, of, &len))
		return MORI_SHMEM_EINVAL;
	if (!len)
		return 0;
	if (!tgt_aligned(addr, (uint32_t)size))
		return MORI_SHMEM_EINVAL;
	return dev_addr_resolve(c->st, addr, len, DEV_FIXED(c->st, my_pe)).err;
}

/*
 * This PE does not make the call, for a reason that all its lanes know. It still says that it has
 * come, with the hash of no call, so that the others need not wait for it, and waits for them: nobody
 * is more than one call ahead.
 */
DEV_INLINE int dev_coll_refuse(const struct dev_coll *c, int err, int about, uint64_t addr,
			       uint64_t len)
{
	(void)dev_coll_signal_all(c, DEV_TEAM_ENTER, dev_coll_value(c, 0));
	(void)dev_coll_wait_all(c, DEV_TEAM_ENTER, dev_coll_value(c, 0));
	return tgt_leads(c->scope) ? tgt_fail(c->st, err, about, addr, len) : err;
}

DEV_INLINE int dev_coll_args(struct dev_coll *c, struct dev_coll_args *a)
{
	uint64_t bad = (uint64_t)(uint32_t)a->dtype, len = 0;
	int pe = DEV_FAIL_TYPE, err = MORI_SHMEM_EINVAL;

	a->size = dev_elem_size(a->dtype);
	a->len = a->n * a->size;
	if (dev_likely(a->size != 0)) {
		pe = DEV_FIXED(c->st, my_pe);
		len = a->len;
		err = dev_coll_check(c, a->dest, a->size, a->n, a->of_dest, &bad);
		if (!err)
			err = dev_coll_check(c, a->src, a->size, a->n, a->of_src, &bad);
	}
	return dev_likely(!err) ? 0 : dev_coll_refuse(c, err, pe, bad, len);
}

/* sync, and barrier, which also completes what this PE issued */
DEV_DEFER int dev_team_sync(const struct dev_state *st, enum dev_scope scope,
			    mori_shmem_team_t team, int kind)
{
	struct dev_coll c;
	int quiet = 0, err;

	if (kind == DEV_COLL_BARRIER)
		quiet = dev_quiet(st, scope);
	err = dev_coll_begin(&c, st, scope, team, dev_coll_hash((enum dev_coll_kind)kind, 0, 0, 0));
	if (!err)
		err = dev_coll_enter(&c); /* whatever has failed: the others wait for this PE */
	return quiet ? quiet : err;
}

/* Sends a contribution of this PE to every other member's stage, and waits for theirs. */
DEV_INLINE int dev_coll_small(const struct dev_coll *c, const void *src, uint64_t each,
			      uint64_t len)
{
	int err = 0;

	for (int i = 0; i < c->n && !err; i++) {
		if (i != c->me)
			err = dev_coll_stage(c, i, (const char *)src + each * (uint64_t)i, len,
					     DEV_TEAM_ENTER, dev_coll_value(c, c->hash));
	}
	return err ? err : dev_coll_wait_enter(c);
}

DEV_INLINE bool dev_coll_is_small(const struct dev_coll *c, uint64_t len)
{
	return len <= DEV_FIXED(c->st, team.part);
}

DEV_DEFER int dev_broadcast(const struct dev_state *st, enum dev_scope scope,
			    mori_shmem_team_t team, void *dest, const void *src, size_t n,
			    int dtype, int root)
{
	struct dev_coll_args a = { dest, src, n, 1, 0, dtype, 0, 0 };
	uint64_t done;
	struct dev_coll c;
	int err = dev_coll_begin(&c, st, scope, team,
				 dev_coll_hash(DEV_COLL_BROADCAST, dtype, root, n));

	if (err)
		return err;
	a.of_src = c.me == root;
	if (root < 0 || root >= c.n)
		return dev_coll_refuse(&c, MORI_SHMEM_EINVAL, DEV_FAIL_ROOT,
				       (uint64_t)(uint32_t)root, (uint64_t)c.n);
	err = dev_coll_args(&c, &a);
	if (err)
		return err;
	done = dev_coll_value(&c, 1);
	if (dev_coll_is_small(&c, a.len) && c.me == root) {
		err = dev_coll_small(&c, src, 0, a.len);
	} else {
		err = dev_coll_enter(&c);
	}
	if (!err && dev_coll_is_small(&c, a.len) && c.me != root)
		dev_coll_copy(&c, dest, dev_team_here(&c, dev_team_stage(&c, root)), a.len);
	for (int i = 0; !err && !dev_coll_is_small(&c, a.len) && c.me == root && i < c.n; i++) {
		if (i != root)
			err = dev_coll_put(&c, i, dest, src, a.len, DEV_TEAM_DATA, done);
	}
	if (!err && c.me == root)
		dev_coll_copy(&c, dest, src, a.len);
	else if (!err && !dev_coll_is_small(&c, a.len) && tgt_leads(scope))
		err = dev_coll_wait(&c, DEV_TEAM_DATA, root, done, 0);
	return dev_coll_status(&c, err);
}

/* What each member gets of src lies @each bytes apart; 0: all get the same. */
DEV_INLINE int dev_coll_exchange(struct dev_coll *c, const struct dev_coll_args *a, uint64_t each)
{
	char *dest = a->dest;
	const char *src = a->src;
	uint64_t me = (uint64_t)c->me;
	int err;

	if (dev_coll_is_small(c, a->len)) {
		err = dev_coll_small(c, src, each, a->len);
		for (int i = 0; i < c->n && !err; i++) {
			if (i != c->me)
				dev_coll_copy(c, dest + (uint64_t)i * a->len,
					      dev_team_here(c, dev_team_stage(c, i)), a->len);
		}
	} else {
		err = dev_coll_enter(c);
		for (int i = 0; i < c->n && !err; i++) {
			if (i != c->me)
				err = dev_coll_put(c, i, dest + me * a->len,
						   src + (uint64_t)i * each, a->len, DEV_TEAM_DATA,
						   dev_coll_value(c, 1));
		}
	}
	if (!err)
		dev_coll_copy(c, dest + me * a->len, src + me * each, a->len);
	if (!err && !dev_coll_is_small(c, a->len))
		return dev_coll_wait_all(c, DEV_TEAM_DATA, dev_coll_value(c, 1));
	return dev_coll_status(c, err);
}

DEV_DEFER int dev_fcollect(const struct dev_state *st, enum dev_scope scope, mori_shmem_team_t team,
			   void *dest, const void *src, size_t n, int dtype)
{
	struct dev_coll_args a = { dest, src, n, 0, 1, dtype, 0, 0 };
	struct dev_coll c;
	int err =
		dev_coll_begin(&c, st, scope, team, dev_coll_hash(DEV_COLL_FCOLLECT, dtype, 0, n));

	if (err)
		return err;
	a.of_dest = (uint64_t)c.n;
	err = dev_coll_args(&c, &a);
	return err ? err : dev_coll_exchange(&c, &a, 0);
}

DEV_DEFER int dev_alltoall(const struct dev_state *st, enum dev_scope scope, mori_shmem_team_t team,
			   void *dest, const void *src, size_t n, int dtype)
{
	struct dev_coll_args a = { dest, src, n, 0, 0, dtype, 0, 0 };
	struct dev_coll c;
	int err =
		dev_coll_begin(&c, st, scope, team, dev_coll_hash(DEV_COLL_ALLTOALL, dtype, 0, n));

	if (err)
		return err;
	a.of_dest = a.of_src = (uint64_t)c.n;
	err = dev_coll_args(&c, &a);
	return err ? err : dev_coll_exchange(&c, &a, a.len);
}

/* The elements of the first @end members, from the counts that they have sent. */
DEV_INLINE uint64_t dev_coll_before(const struct dev_coll *c, int end, uint64_t mine)
{
	uint64_t sum = 0;

	for (int i = 0; i < end; i++)
		sum += i == c->me ? mine : dev_team_load_64(dev_team_here(c, dev_team_stage(c, i)));
	return sum;
}

/* Contributions of any number of elements, one after another. */
DEV_DEFER int dev_collect(const struct dev_state *st, enum dev_scope scope, mori_shmem_team_t team,
			  void *dest, const void *src, size_t n, int dtype)
{
	struct dev_coll_args a = { dest, src, n, 0, 1, dtype, 0, 0 };
	uint64_t count = n, at, all, done;
	struct dev_coll c;
	int err = dev_coll_begin(&c, st, scope, team, dev_coll_hash(DEV_COLL_COLLECT, dtype, 0, 0));

	if (!err)
		err = dev_coll_args(&c, &a);
	if (!err)
		err = dev_coll_small(&c, &count, 0, sizeof(count));
	if (err)
		return err;
	done = dev_coll_value(&c, 1);
	all = dev_coll_before(&c, c.n, n);
	at = dev_coll_before(&c, c.me, n) * a.size;
	if (all && dev_addr_resolve(st, dest, all * a.size, DEV_FIXED(st, my_pe)).err)
		return dev_fail_together(st, scope, MORI_SHMEM_EINVAL, DEV_FIXED(st, my_pe),
					 (uint64_t)(uintptr_t)dest, all * a.size);
	for (int i = 0; i < c.n && !err; i++) {
		if (i != c.me)
			err = dev_coll_put(&c, i, (char *)dest + at, src, a.len, DEV_TEAM_DATA,
					   done);
	}
	if (!err)
		dev_coll_copy(&c, (char *)dest + at, src, a.len);
	err = dev_coll_status(&c, err);
	return err ? err : dev_coll_wait_all(&c, DEV_TEAM_DATA, done);
}

/*
 * A reduction. Each member combines a slice of the result in one step or, by stages, in several:
 *
 *			small			load and store		stages
 *	contributions	go to all stages	are where they are	go to their slice's stage
 *	a slice has	everything		an equal share		what a stage holds, in each step
 *	results		are this PE's own	are stored to all	are put to all
 *
 * Of a reducescatter, every member's result is a slice of its own, of as many elements.
 */
struct dev_reduce_plan {
	const struct dev_coll_args *a;
	int op;
	bool scatter, small, p2p;
	uint64_t part, most; /* elements: of a slice in a step, and of all slices */
};

DEV_INLINE struct dev_reduce_plan
dev_reduce_plan(const struct dev_coll *c, const struct dev_coll_args *a, int op, bool scatter)
{
	uint64_t n = (uint64_t)c->n;
	struct dev_reduce_plan p = { .a = a, .op = op, .scatter = scatter };

	p.small = dev_coll_is_small(c, a->len);
	p.p2p = !p.small && dev_team_load_32(&c->team->all_p2p);
	p.part = p.most = a->n;
	if (p.p2p && !scatter) /* slices begin where accesses are aligned */
		p.part = ((a->n + n - 1) / n + 15) & ~(uint64_t)15;
	if (p.small || p.p2p)
		return p;
	p.part = DEV_FIXED(c->st, team.part) / a->size;
	p.most = scatter ? p.part : p.part * n;
	return p;
}

/* Where the slice of member @i begins in the step that begins at @base; *count: its elements. */
DEV_INLINE uint64_t dev_reduce_slice(const struct dev_reduce_plan *p, uint64_t base, int i,
				     uint64_t *count)
{
	uint64_t first = base + (p->small || p->scatter ? 0 : (uint64_t)i * p->part);
	uint64_t left = first < p->a->n ? p->a->n - first : 0;

	*count = left < p->part ? left : p->part;
	return first;
}

/* What member @i combines of this PE's contribution. */
DEV_INLINE const char *dev_reduce_src(const struct dev_reduce_plan *p, uint64_t first, int i)
{
	return (const char *)p->a->src +
	       ((p->scatter ? (uint64_t)i * p->a->n : 0) + first) * p->a->size;
}

/* Sends every member what it combines in this step, and waits for what this PE combines. */
DEV_INLINE int dev_reduce_gather(const struct dev_coll *c, const struct dev_reduce_plan *p,
				 uint64_t base, uint64_t step)
{
	enum dev_team_word word = p->small ? DEV_TEAM_ENTER : DEV_TEAM_DATA;
	uint64_t value = dev_coll_value(c, p->small ? c->hash : (uint32_t)step), mine;
	int err = 0;

	for (int i = 0; i < c->n && !err; i++) {
		uint64_t count, first = dev_reduce_slice(p, base, i, &count);

		if (i != c->me && (p->small || count))
			err = dev_coll_stage(c, i, dev_reduce_src(p, first, i), count * p->a->size,
					     word, value);
	}
	err = dev_coll_status(c, err);
	(void)dev_reduce_slice(p, base, c->me, &mine);
	if (err || !(p->small || mine))
		return err;
	return p->small ? dev_coll_wait_enter(c) : dev_coll_wait_all(c, word, value);
}

/* The tables of sources and results: in this PE's stage, or where load and store reach them. */
DEV_INLINE int dev_reduce_tables(const struct dev_coll *c, const struct dev_reduce_plan *p,
				 uint64_t first, uint64_t count)
{
	uint64_t *from = dev_team_table(c, 0), *to = dev_team_table(c, 1), len = count * p->a->size;
	const char *src = dev_reduce_src(p, first, c->me);
	char *dest = (char *)p->a->dest + first * p->a->size;
	int lanes = (int)tgt_lanes(c->scope), err = 0;

	for (int i = (int)tgt_lane(c->scope); i < c->n && len; i += lanes) {
		int pe = dev_team_pe(c->team, i);
		struct dev_addr s = { 0 }, d = { 0 };

		from[i] = i == c->me ? (uint64_t)(uintptr_t)src :
				       (uint64_t)(uintptr_t)dev_team_here(c, dev_team_stage(c, i));
		if (i == c->me || (p->p2p && !p->scatter))
			to[p->p2p && !p->scatter ? i : 0] = (uint64_t)(uintptr_t)dest;
		if (!p->p2p || i == c->me)
			continue;
		s = dev_addr_resolve(c->st, src, len, pe);
		from[i] = s.at;
		if (!p->scatter) {
			d = dev_addr_resolve(c->st, dest, len, pe);
			to[i] = d.at;
		}
		if (!dev_likely(!s.err & !d.err & (s.slot >= 0) & (d.slot >= 0)))
			err = tgt_fail(c->st, MORI_SHMEM_EREACH, pe, (uint64_t)(uintptr_t)src, len);
	}
	return dev_coll_status(c, err);
}

/* All members get this PE's result, or learn that it needs their contributions no longer. */
DEV_INLINE int dev_reduce_spread(const struct dev_coll *c, const struct dev_reduce_plan *p,
				 uint64_t base, uint64_t step)
{
	uint64_t value = dev_coll_value(c, (uint32_t)step), mine, count;
	char *dest = (char *)p->a->dest + dev_reduce_slice(p, base, c->me, &mine) * p->a->size;
	bool put = !p->p2p && !p->scatter;
	int owners = c->n, err = 0;

	tgt_enter(c->scope);
	if (!put)
		err = dev_coll_signal_each(c, DEV_TEAM_RESULT, value);
	for (int i = 0; i < c->n && !err && put && mine; i++) {
		if (i != c->me)
			err = dev_coll_put(c, i, dest, dest, mine * p->a->size, DEV_TEAM_RESULT,
					   value);
	}
	err = dev_coll_status(c, err);
	while (put && owners && (dev_reduce_slice(p, base, owners - 1, &count), !count))
		owners--;
	return err ? err : dev_coll_wait_first(c, DEV_TEAM_RESULT, owners, value, 0);
}

DEV_INLINE int dev_reduce_any(const struct dev_state *st, enum dev_scope scope,
			      mori_shmem_team_t team, struct dev_coll_args *a, int op, bool scatter)
{
	enum dev_coll_kind kind = scatter ? DEV_COLL_REDUCESCATTER : DEV_COLL_REDUCE;
	struct dev_reduce_plan p;
	struct dev_coll c;
	uint64_t base = 0;
	int err = dev_coll_begin(&c, st, scope, team, dev_coll_hash(kind, a->dtype, op, a->n));

	if (err)
		return err;
	if (!dev_elem_can(a->dtype, op))
		return dev_coll_refuse(&c, MORI_SHMEM_EINVAL, DEV_FAIL_TYPE,
				       (uint64_t)(uint32_t)a->dtype, (uint64_t)(uint32_t)op);
	a->of_dest = 1;
	a->of_src = scatter ? (uint64_t)c.n : 1;
	err = dev_coll_args(&c, a);
	if (err)
		return err;
	p = dev_reduce_plan(&c, a, op, scatter);
	if (!p.small)
		err = dev_coll_enter(&c);
	for (uint64_t step = 1; !err && (step == 1 || base < a->n); step++, base += p.most) {
		struct dev_reduction r = { dev_team_table(&c, 0),
					   dev_team_table(&c, 1),
					   c.n,
					   p.p2p && !scatter ? c.n : 1,
					   a->dtype,
					   op,
					   0 };
		uint64_t first = dev_reduce_slice(&p, base, c.me, &r.count);

		if (!p.p2p)
			err = dev_reduce_gather(&c, &p, base, step);
		if (!err)
			err = dev_reduce_tables(&c, &p, first, r.count);
		if (!err)
			dev_reduce_run(&r, tgt_lane(scope), tgt_lanes(scope));
		if (!err && !p.small)
			err = dev_reduce_spread(&c, &p, base, step);
	}
	return dev_coll_status(&c, err);
}

DEV_DEFER int dev_reduce(const struct dev_state *st, enum dev_scope scope, mori_shmem_team_t team,
			 void *dest, const void *src, size_t n, int dtype, int op)
{
	struct dev_coll_args a = { dest, src, n, 0, 0, dtype, 0, 0 };

	return dev_reduce_any(st, scope, team, &a, op, false);
}

DEV_DEFER int dev_reducescatter(const struct dev_state *st, enum dev_scope scope,
				mori_shmem_team_t team, void *dest, const void *src, size_t n,
				int dtype, int op)
{
	struct dev_coll_args a = { dest, src, n, 0, 0, dtype, 0, 0 };

	return dev_reduce_any(st, scope, team, &a, op, true);
}

#endif
