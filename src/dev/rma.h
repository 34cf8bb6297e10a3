// SPDX-License-Identifier: MIT
/*
 * Copies: put, get, single values, signals, and their object forms. One body for
 * every name; the names only say sizes and scopes.
 */
#ifndef MORI_DEV_RMA_H
#define MORI_DEV_RMA_H

#include "dev/path.h"

/*
 * Whether a host thread passed NULL for its own memory; a bad pointer in a kernel ends the launch.
 */
DEV_INLINE bool dev_no_buffer(const void *local, uint64_t len)
{
#ifdef TGT_HOST
	return !dev_likely(local || !len);
#else
	return (void)local, (void)len, false;
#endif
}

/*
 * The bytes of @n elements of @size; EINVAL if that is more than memory has, or the own address is
 * NULL.
 */
DEV_INLINE int dev_copy_len(struct dev_req *r, size_t n, size_t size)
{
	if (dev_likely(!__builtin_mul_overflow(n, size, &r->len)))
		return dev_no_buffer(r->local, r->len) ?
			       dev_req_invalid(r, MORI_SHMEM_EINVAL, NULL, r->len) :
			       0;
	r->pe = -1; /* for whichever PE */
	return dev_req_invalid(r, MORI_SHMEM_EINVAL, NULL, UINT64_MAX);
}

/*
 * Resolves length and place on the PE. A copy of nothing may have any address, but the PE must
 * exist.
 */
DEV_INLINE int dev_copy_resolve(const struct dev_state *st, struct dev_req *r, const void *addr,
				size_t n, size_t size)
{
	int err = dev_copy_len(r, n, size);

	return err ? err : dev_req_resolve(st, r, addr, r->len);
}

DEV_DEFER int dev_put(const struct dev_state *st, enum dev_scope scope, void *dest, const void *src,
		      size_t n, size_t size, int pe, int qp)
{
	struct dev_req r = { .pe = pe, .qp = qp, .local = (void *)src };

	return dev_req_execute(st, scope, DEV_ACT_PUT, &r, dev_copy_resolve(st, &r, dest, n, size));
}

DEV_DEFER int dev_get(const struct dev_state *st, enum dev_scope scope, void *dest, const void *src,
		      size_t n, size_t size, int pe, int qp)
{
	struct dev_req r = { .pe = pe, .qp = qp, .local = dest };

	return dev_req_execute(st, scope, DEV_ACT_GET, &r, dev_copy_resolve(st, &r, src, n, size));
}

/* Load and store leave no work for later; quiet completes both forms. */
DEV_DEFER int dev_put_nbi(const struct dev_state *st, enum dev_scope scope, void *dest,
			  const void *src, size_t n, size_t size, int pe, int qp)
{
	struct dev_req r = { .pe = pe, .qp = qp, .local = (void *)src, .nbi = true };

	return dev_req_execute(st, scope, DEV_ACT_PUT, &r, dev_copy_resolve(st, &r, dest, n, size));
}

DEV_DEFER int dev_get_nbi(const struct dev_state *st, enum dev_scope scope, void *dest,
			  const void *src, size_t n, size_t size, int pe, int qp)
{
	struct dev_req r = { .pe = pe, .qp = qp, .local = dest, .nbi = true };

	return dev_req_execute(st, scope, DEV_ACT_GET, &r, dev_copy_resolve(st, &r, src, n, size));
}

/* One value, by one lane. */
DEV_DEFER int dev_p(const struct dev_state *st, enum dev_scope scope, void *dest, const void *value,
		    size_t size, int pe, int qp)
{
	struct dev_req r = { .pe = pe, .qp = qp, .local = (void *)value, .len = size };

	return dev_req_execute(st, scope, DEV_ACT_P, &r, dev_req_resolve(st, &r, dest, size));
}

/* A value has 8 bytes at most. */
DEV_INLINE int dev_g(const struct dev_state *st, void *out, enum dev_scope scope, const void *src,
		     size_t size, int pe, int qp)
{
	struct dev_req r = { .pe = pe, .qp = qp, .len = size, .gives = true };
	int err = dev_req_execute(st, scope, DEV_ACT_G, &r, dev_req_resolve(st, &r, src, size));

	if (dev_likely(!err))
		__builtin_memcpy(out, &r.result, size);
	return err;
}

DEV_DEFER int dev_put_imm(const struct dev_state *st, void *dest, void *value, size_t bytes, int pe,
			  int qp)
{
	if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8 && bytes != 16)
		return tgt_fail(st, MORI_SHMEM_EINVAL, pe, (uint64_t)(uintptr_t)dest, bytes);
	if (dev_no_buffer(value, bytes))
		return tgt_fail(st, MORI_SHMEM_EINVAL, pe, 0, bytes);
	return dev_p(st, DEV_thread, dest, value, bytes, pe, qp);
}

/* SIGNAL_SET and SIGNAL_ADD by either of their codes; 0 for anything else. */
DEV_INLINE int dev_signal_op(int op)
{
	if (op == MORI_SHMEM_SIGNAL_SET || op == MORI_SHMEM_AMO_SET)
		return MORI_SHMEM_AMO_SET;
	if (op == MORI_SHMEM_SIGNAL_ADD || op == MORI_SHMEM_AMO_ADD)
		return MORI_SHMEM_AMO_ADD;
	return 0;
}

/* Resolves the signal's place and operation; nothing is touched yet. */
DEV_INLINE int dev_signal_resolve(const struct dev_state *st, struct dev_req *r, void *sig, int op)
{
	r->op = dev_signal_op(op);
	if (!dev_likely(r->op && tgt_aligned(sig, 8)))
		return dev_req_invalid(r, MORI_SHMEM_EINVAL, sig, 8);
	return dev_req_resolve_word(st, r, sig, 8);
}

DEV_DEFER int dev_signal(const struct dev_state *st, enum dev_scope scope, uint64_t *sig,
			 uint64_t value, int op, int pe, int qp)
{
	struct dev_req r = { .pe = pe, .qp = qp, .value = value };

	return dev_req_execute(st, scope, DEV_ACT_SIGNAL, &r, dev_signal_resolve(st, &r, sig, op));
}

DEV_INLINE int dev_signal_fetch(const struct dev_state *st, uint64_t *out, const uint64_t *sig)
{
	if (!dev_likely(sig && tgt_aligned(sig, 8)))
		return tgt_fail(st, MORI_SHMEM_EINVAL, st->my_pe, (uint64_t)(uintptr_t)sig, 8);
	*out = tgt_load_acquire_64(sig);
	tgt_polled();
	return 0;
}

/* If only one of the two places needs a queue, the queue serves both. */
DEV_INLINE void dev_put_signal_queue(const struct dev_state *st, struct dev_req *r,
				     const void *dest, const void *sig)
{
	r->slot = DEV_SLOT_QUEUE;
	r->off = (uint64_t)(uintptr_t)dest - st->heap_base;
	r->sig = (uint64_t)(uintptr_t)sig - st->heap_base;
}

/* Resolves both places of a put with a signal, at any address; those of the request are guesses. */
DEV_INLINE int dev_put_signal_resolve(const struct dev_state *st, struct dev_req *r, void *dest,
				      size_t n, size_t size, void *sig)
{
	struct dev_addr at = { .err = MORI_SHMEM_EINVAL };
	int32_t slot;
	int err;

	if (dev_likely(r->op && tgt_aligned(sig, 8)))
		at = dev_addr_resolve_slow(st, (uint64_t)(uintptr_t)sig, 8, r->pe);
	if (!dev_likely(!at.err))
		return dev_req_invalid(r, at.err, sig, 8);
	r->sig = at.off;
	r->sig_at = at.at;
	slot = at.slot;
	err = dev_copy_len(r, n, size);
	if (err)
		return err;
	at = dev_addr_resolve_slow(st, (uint64_t)(uintptr_t)dest, r->len, r->pe);
	if (!dev_likely(!at.err))
		return dev_req_invalid(r, at.err, dest, r->len);
	r->off = at.off;
	r->at = at.at;
	r->slot = at.slot;
	if (!TGT_P2P_ONLY && !dev_likely(slot == r->slot))
		dev_put_signal_queue(st, r, dest, sig);
	return 0;
}

/* Like dev_addr_resolve() for both places at once: whether the guesses of the request are right. */
DEV_INLINE int dev_put_signal_uniform(const struct dev_state *st, struct dev_req *r, size_t n,
				      size_t size, const void *sig)
{
	int whole = !__builtin_mul_overflow(n, size, &r->len);

	return whole & (int)(r->op != 0) & (int)tgt_aligned(sig, 8) &
	       dev_is_uniform(st, DEV_UNIFORM_AMO, r->pe) & dev_is_committed(st, r->sig, 8) &
	       dev_is_committed(st, r->off, r->len);
}

DEV_INLINE int dev_put_then_signal(const struct dev_state *st, enum dev_scope scope,
				   struct dev_req *r, void *sig)
{
	struct dev_req s = { .pe = r->pe, .qp = r->qp, .op = r->op, .value = r->value };
	int err = dev_req_execute(st, scope, DEV_ACT_PUT, r, 0);

	return err ? err :
		     dev_req_execute(st, scope, DEV_ACT_SIGNAL, &s,
				     dev_req_resolve_word(st, &s, sig, 8));
}

/* The data, then exactly one signal; neither, if one of the two is impossible. */
DEV_INLINE int dev_put_signal_any(const struct dev_state *st, enum dev_scope scope, void *dest,
				  const void *src, size_t n, size_t size, void *sig, uint64_t value,
				  int op, int pe, int qp, bool nbi)
{
	struct dev_req r = { .pe = pe,
			     .qp = qp,
			     .slot = pe,
			     .off = (uint64_t)(uintptr_t)dest - DEV_FIXED(st, heap_base),
			     .sig = (uint64_t)(uintptr_t)sig - DEV_FIXED(st, heap_base),
			     .local = (void *)src,
			     .op = dev_signal_op(op),
			     .value = value,
			     .nbi = nbi };
	int err = 0;

	r.at = dev_heap_at(st, pe, r.off);
	r.sig_at = dev_heap_at(st, pe, r.sig);
	if (!dev_likely(TGT_GPU && dev_put_signal_uniform(st, &r, n, size, sig))) {
		err = dev_put_signal_resolve(st, &r, dest, n, size, sig);
		if (!err && dev_not_atomic(st, &r)) /* the data by load and store, the signal not */
			return dev_put_then_signal(st, scope, &r, sig);
	}
	return dev_req_execute(st, scope, DEV_ACT_PUT_SIGNAL, &r, err);
}

DEV_DEFER int dev_put_signal(const struct dev_state *st, enum dev_scope scope, void *dest,
			     const void *src, size_t n, size_t size, void *sig, uint64_t value,
			     int op, int pe, int qp)
{
	return dev_put_signal_any(st, scope, dest, src, n, size, sig, value, op, pe, qp, false);
}

DEV_DEFER int dev_put_nbi_signal(const struct dev_state *st, enum dev_scope scope, void *dest,
				 const void *src, size_t n, size_t size, void *sig, uint64_t value,
				 int op, int pe, int qp)
{
	return dev_put_signal_any(st, scope, dest, src, n, size, sig, value, op, pe, qp, true);
}

/* An object and an offset as an address; EINVAL where @len bytes do not lie in it. */
DEV_INLINE int dev_obj_at(const struct dev_state *st, enum dev_scope scope, mori_shmem_memobj_t obj,
			  uint64_t off, uint64_t len, int pe, void **out)
{
	*out = NULL;
	if (!dev_likely(obj.addr && off <= obj.size && len <= obj.size - off))
		return dev_fail_together(st, scope, MORI_SHMEM_EINVAL, pe, obj.addr + off, len);
	*out = (void *)(uintptr_t)(obj.addr + off);
	return 0;
}

DEV_INLINE int dev_objs(const struct dev_state *st, enum dev_scope scope, mori_shmem_memobj_t dest,
			size_t dest_off, mori_shmem_memobj_t src, size_t src_off, size_t bytes,
			int pe, void **to, void **from)
{
	int err = dev_obj_at(st, scope, dest, dest_off, bytes, pe, to);

	return err ? err : dev_obj_at(st, scope, src, src_off, bytes, pe, from);
}

#define DEV_OBJ_COPY(name)                                                                         \
	DEV_DEFER int dev_##name##_obj(const struct dev_state *st, enum dev_scope scope,           \
				       mori_shmem_memobj_t dest, size_t dest_off,                  \
				       mori_shmem_memobj_t src, size_t src_off, size_t bytes,      \
				       int pe, int qp)                                             \
	{                                                                                          \
		void *to, *of;                                                                     \
		int err = dev_objs(st, scope, dest, dest_off, src, src_off, bytes, pe, &to, &of);  \
                                                                                                   \
		return err ? err : dev_##name(st, scope, to, of, bytes, 1, pe, qp);                \
	}
DEV_OBJ_COPY(put)     /* dev_put_obj() */
DEV_OBJ_COPY(put_nbi) /* dev_put_nbi_obj() */
DEV_OBJ_COPY(get)     /* dev_get_obj() */
DEV_OBJ_COPY(get_nbi) /* dev_get_nbi_obj() */
#undef DEV_OBJ_COPY

DEV_INLINE int dev_put_signal_obj_any(const struct dev_state *st, enum dev_scope scope,
				      mori_shmem_memobj_t dest, size_t dest_off,
				      mori_shmem_memobj_t src, size_t src_off, size_t bytes,
				      mori_shmem_memobj_t sig, size_t sig_off, uint64_t value,
				      int op, int pe, int qp, bool nbi)
{
	void *to, *from, *sig_at;
	int err = dev_objs(st, scope, dest, dest_off, src, src_off, bytes, pe, &to, &from);

	if (!err)
		err = dev_obj_at(st, scope, sig, sig_off, 8, pe, &sig_at);
	if (!err && nbi)
		return dev_put_nbi_signal(st, scope, to, from, bytes, 1, sig_at, value, op, pe, qp);
	return err ? err : dev_put_signal(st, scope, to, from, bytes, 1, sig_at, value, op, pe, qp);
}

DEV_DEFER int dev_put_signal_obj(const struct dev_state *st, enum dev_scope scope,
				 mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src,
				 size_t src_off, size_t bytes, mori_shmem_memobj_t sig,
				 size_t sig_off, uint64_t value, int op, int pe, int qp)
{
	return dev_put_signal_obj_any(st, scope, dest, dest_off, src, src_off, bytes, sig, sig_off,
				      value, op, pe, qp, false);
}

DEV_DEFER int dev_put_nbi_signal_obj(const struct dev_state *st, enum dev_scope scope,
				     mori_shmem_memobj_t dest, size_t dest_off,
				     mori_shmem_memobj_t src, size_t src_off, size_t bytes,
				     mori_shmem_memobj_t sig, size_t sig_off, uint64_t value,
				     int op, int pe, int qp)
{
	return dev_put_signal_obj_any(st, scope, dest, dest_off, src, src_off, bytes, sig, sig_off,
				      value, op, pe, qp, true);
}

DEV_DEFER int dev_signal_obj(const struct dev_state *st, enum dev_scope scope,
			     mori_shmem_memobj_t sig, size_t sig_off, uint64_t value, int op,
			     int pe, int qp)
{
	void *at;
	int err = dev_obj_at(st, scope, sig, sig_off, 8, pe, &at);

	return err ? err : dev_signal(st, scope, at, value, op, pe, qp);
}

#endif
