// SPDX-License-Identifier: MIT
/*
 * Object forms: an object and an offset do what the address would; a range that leaves its object
 * is refused, and nothing is moved.
 */
#define COVER_LIST(S, V, S0, V0) MORI_OPS_OBJ(S, thread)
#include "cover.h"

#define LEN    1000
#define STRIDE (2 * GUARD + LEN)

struct shared {
	unsigned char *area; /* symmetric: STRIDE bytes per PE */
	unsigned char *buf;  /* the PE's own, registered: STRIDE bytes */
	uint64_t *sig;	     /* symmetric: one word per PE */
	mori_shmem_memobj_t area_obj, buf_obj, sig_obj;
};

static int put_form(int form, struct shared *s, size_t to, size_t from, size_t n, int pe)
{
	if (form)
		return CALL(putmem_nbi_obj_thread, s->area_obj, to, s->buf_obj, from, n, pe, 0);
	return CALL(putmem_obj_thread, s->area_obj, to, s->buf_obj, from, n, pe, 0);
}

static int get_form(int form, struct shared *s, size_t to, size_t from, size_t n, int pe)
{
	if (form)
		return CALL(getmem_nbi_obj_thread, s->buf_obj, to, s->area_obj, from, n, pe, 0);
	return CALL(getmem_obj_thread, s->buf_obj, to, s->area_obj, from, n, pe, 0);
}

static int put_signal_form(int form, struct shared *s, size_t to, size_t n, size_t sig_off, int pe)
{
	if (form)
		return CALL(putmem_nbi_signal_obj_thread, s->area_obj, to, s->buf_obj, 0, n,
			    s->sig_obj, sig_off, 5, MORI_SHMEM_SIGNAL_ADD, pe, 0);
	return CALL(putmem_signal_obj_thread, s->area_obj, to, s->buf_obj, 0, n, s->sig_obj,
		    sig_off, 5, MORI_SHMEM_SIGNAL_ADD, pe, 0);
}

static size_t place(int pe)
{
	return (size_t)pe * STRIDE + GUARD;
}

static void clear(struct shared *s)
{
	BARRIER();
	poison(s->area, (size_t)n_pes * STRIDE);
	for (int pe = 0; pe < n_pes; pe++)
		s->sig[pe] = 100;
	BARRIER();
}

static void put_then_get(struct shared *s, int form)
{
	clear(s);
	for (int pe = 0; pe < n_pes; pe++) {
		fill(s->buf + 8, me * 100 + pe, LEN);
		CHECK_OK(put_form(form, s, place(me), 8, LEN, pe));
		MUST(mori_shmem_quiet_thread());
	}
	BARRIER();
	for (int pe = 0; pe < n_pes; pe++)
		CHECK_AREA("put", s->area + place(pe) - GUARD, STRIDE, GUARD, pe * 100 + me, LEN);
	for (int pe = 0; pe < n_pes; pe++) {
		poison(s->buf, STRIDE);
		CHECK_OK(get_form(form, s, GUARD, place(me), LEN, pe));
		MUST(mori_shmem_quiet_thread());
		CHECK_AREA("get", s->buf, STRIDE, GUARD, me * 100 + pe, LEN);
	}
}

static void put_and_signal(struct shared *s, int form)
{
	clear(s);
	for (int pe = 0; pe < n_pes; pe++) {
		fill(s->buf, me * 100 + pe, LEN);
		CHECK_OK(put_signal_form(form, s, place(me), LEN, (size_t)me * 8, pe));
		MUST(mori_shmem_quiet_thread());
	}
	for (int pe = 0; pe < n_pes; pe++) {
		AWAIT(&s->sig[pe], 105);
		CHECK_AREA("put with signal", s->area + place(pe) - GUARD, STRIDE, GUARD,
			   pe * 100 + me, LEN);
	}
	BARRIER();
	for (int pe = 0; pe < n_pes; pe++)
		CHECK_OK(CALL(signal_op_obj_thread, s->sig_obj, (size_t)me * 8, 3,
			      MORI_SHMEM_SIGNAL_SET, pe, 0));
	for (int pe = 0; pe < n_pes; pe++)
		AWAIT(&s->sig[pe], 3);
}

/* Offsets and lengths that leave an object by one byte, or wrap. */
static void refused(struct shared *s, int form)
{
	const size_t end = s->area_obj.size, bend = s->buf_obj.size, send = s->sig_obj.size;
	const size_t far = SIZE_MAX - 3;
	mori_shmem_memobj_t none = { 0, 0, 0 };

	clear(s);
	fill(s->buf, 9, STRIDE);
#define REFUSED(call) CHECK_EQ(#call, call, MORI_SHMEM_EINVAL)
	REFUSED(put_form(form, s, end, 0, 1, me));
	REFUSED(put_form(form, s, end - LEN + 1, 0, LEN, me));
	REFUSED(put_form(form, s, far, 0, 8, me));
	REFUSED(put_form(form, s, 0, bend - 7, 8, me));
	REFUSED(put_form(form, s, 0, far, 8, me));
	REFUSED(put_form(form, s, 0, 0, 8, n_pes));
	REFUSED(put_form(form, s, 0, 0, 8, -1));
	REFUSED(get_form(form, s, bend - 7, 0, 8, me));
	REFUSED(get_form(form, s, 0, end - 7, 8, me));
	REFUSED(get_form(form, s, 0, 0, 8, n_pes));
	REFUSED(put_signal_form(form, s, end - 7, 8, 0, me));
	REFUSED(put_signal_form(form, s, 0, 8, send, me));
	REFUSED(put_signal_form(form, s, 0, 8, send - 7, me));
	REFUSED(put_signal_form(form, s, 0, 8, 4, me));
	REFUSED(put_signal_form(form, s, 0, 8, 0, n_pes));
	REFUSED(CALL(signal_op_obj_thread, s->sig_obj, send, 1, 9, me, 0));
	REFUSED(CALL(signal_op_obj_thread, s->sig_obj, 1, 1, 9, me, 0));
	REFUSED(CALL(signal_op_obj_thread, s->sig_obj, 0, 1, 1, me, 0));
	REFUSED(CALL(signal_op_obj_thread, none, 0, 1, 9, me, 0));
	REFUSED(CALL(putmem_obj_thread, none, 0, s->buf_obj, 0, 8, me, 0));
	REFUSED(CALL(putmem_obj_thread, s->buf_obj, 0, s->area_obj, 0, 8, me, 0));
#undef REFUSED
	CHECK_OK(put_form(form, s, end, bend, 0, me)); /* nothing, at the very end */
	BARRIER();
	CHECK_EQ("untouched", not_poison(s->area, (size_t)n_pes * STRIDE), (size_t)n_pes * STRIDE);
	CHECK_EQ("untouched", differs(s->buf, 9, STRIDE), STRIDE);
	for (int pe = 0; pe < n_pes; pe++)
		CHECK_EQ("no signal", s->sig[pe], 100);
}

static int test_pe(void)
{
	struct shared s = { .area = pes_malloc((size_t)n_pes * STRIDE),
			    .buf = pes_private(STRIDE),
			    .sig = pes_malloc((size_t)n_pes * 8) };

	MUST(mori_shmem_buffer_register(s.buf, STRIDE));
	CHECK_OK(mori_shmem_query_memobj(s.area + 5, &s.area_obj));
	CHECK_OK(mori_shmem_query_memobj(s.buf + STRIDE - 1, &s.buf_obj));
	CHECK_OK(mori_shmem_query_memobj(s.sig, &s.sig_obj));
	CHECK_EQ("starts at the block", s.area_obj.addr, (uintptr_t)s.area);
	CHECK_EQ("starts at the buffer", s.buf_obj.addr, (uintptr_t)s.buf);
	CHECK(s.area_obj.size >= (size_t)n_pes * STRIDE && s.sig_obj.size >= (size_t)n_pes * 8);
	CHECK_EQ("size of the buffer", s.buf_obj.size, STRIDE);
	for (use_ctx = 0; use_ctx < 2; use_ctx++) {
		for (int form = 0; form < 2; form++) {
			put_then_get(&s, form);
			put_and_signal(&s, form);
			refused(&s, form);
		}
	}
	cover_all();
	MUST(mori_shmem_buffer_deregister(s.buf, STRIDE));
	BARRIER();
	MUST(mori_shmem_free(s.sig));
	MUST(mori_shmem_free(s.area));
	free(s.buf);
	return 0;
}
