// SPDX-License-Identifier: MIT
/*
 * Random operations between all PEs, every byte of them verified. A PE writes only into
 * its own area on each peer and keeps a model of it; words that all share are only added
 * to. After each round the owner compares what lies in its memory, by loads, with the
 * digests of the writers' models, and each writer reads its areas back and compares.
 *
 *	soak [--seconds S] [--seed N] [--kernels]
 */
#include "kern.h"

#define AREA   (3u << 19) /* of one writer, on each PE */
#define MOST   (1u << 20) /* bytes of one operation */
#define WORDS  64u	  /* at the start of an area: atomics only */
#define OPS    150	  /* a round */
#define SHARED 4	  /* words that all add to */

struct soak {
	uint64_t random, seed;
	uint64_t end_ns, ops, bytes, rounds, kernels;
	unsigned char *area;  /* symmetric: n_pes areas */
	unsigned char *model; /* of mine on each PE */
	unsigned char *buf;   /* symmetric: sources and destinations */
	uint64_t *digest;     /* symmetric: [n_pes] of each writer's model of its area here */
	uint64_t *shared;     /* symmetric */
	uint64_t *total;      /* symmetric: [n_pes][SHARED] what each has added here so far */
	uint64_t *added;      /* [n_pes][SHARED] what I added there */
	uint64_t *stop;	      /* symmetric */
	int64_t *status;
	mori_shmem_module_t *module;
	size_t used; /* of buf, by operations that are under way */
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t draw(struct soak *s)
{
	uint64_t x = s->random += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static uint64_t digest_of(const unsigned char *p, size_t len)
{
	uint64_t h = 0x1234567, word;

	for (size_t i = 0; i < len; i += 8) {
		memcpy(&word, p + i, 8);
		h = (h ^ word) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
	}
	return h;
}

/* Small ones mostly, and every alignment. */
static size_t draw_len(struct soak *s)
{
	uint64_t x = draw(s);

	switch (x % 8) {
	case 0:
		return (x >> 8) % (MOST + 1);
	case 1:
		return (x >> 8) % 65536;
	case 2:
		return (x >> 8) % 9000;
	default:
		return (x >> 8) % 200;
	}
}

static unsigned char *mine_at(struct soak *s, size_t off)
{
	return s->area + (size_t)me * AREA + off;
}

static unsigned char *model_at(struct soak *s, int pe, size_t off)
{
	return s->model + (size_t)pe * AREA + off;
}

static void finish(struct soak *s)
{
	MUST(mori_shmem_quiet_thread());
	s->used = 0;
}

/* Room in the buffer that nothing under way uses. */
static unsigned char *room(struct soak *s, size_t len)
{
	size_t at;

	if (s->used + len + 64 > 2 * (size_t)MOST)
		finish(s);
	at = s->used + draw(s) % 17;
	s->used = at + len + 8;
	return s->buf + at;
}

static void draw_bytes(struct soak *s, unsigned char *to, size_t len)
{
	for (size_t i = 0; i < len; i += 8) {
		uint64_t x = draw(s);

		memcpy(to + i, &x, len - i < 8 ? len - i : 8);
	}
}

/* Where in an area, behind its words. */
static size_t draw_place(struct soak *s, size_t len)
{
	return WORDS * 8 + draw(s) % (AREA - WORDS * 8 - len + 1);
}

static void do_put(struct soak *s, int pe, uint64_t how)
{
	size_t len = draw_len(s), at = draw_place(s, len);
	unsigned char *src = room(s, len), *to = mine_at(s, at);
	uint64_t *sig = &s->shared[how % SHARED];
	int qp = (int)(how >> 8) % 4, nbi = how >> 16 & 1;

	draw_bytes(s, src, len);
	memcpy(model_at(s, pe, at), src, len);
	if (how >> 17 & 1) {
		s->added[pe * SHARED + how % SHARED] += how >> 40;
		if (nbi)
			MUST(mori_shmem_putmem_nbi_signal_thread(to, src, len, sig, how >> 40,
								 MORI_SHMEM_SIGNAL_ADD, pe, qp));
		else
			MUST(mori_shmem_putmem_signal_thread(to, src, len, sig, how >> 40,
							     MORI_SHMEM_SIGNAL_ADD, pe, qp));
	} else if (nbi) {
		MUST(mori_shmem_putmem_nbi_thread(to, src, len, pe, qp));
	} else {
		MUST(mori_shmem_putmem_thread(to, src, len, pe, qp));
	}
	if (!nbi)
		memset(src, 0xee, len); /* it is ours again */
	s->bytes += len;
	/* Two puts to one place have no order without it. */
	MUST(mori_shmem_fence_thread());
}

static void do_get(struct soak *s, int pe, uint64_t how)
{
	size_t len = draw_len(s), at = draw_place(s, len);
	unsigned char *dst;

	finish(s);
	dst = room(s, len);
	memset(dst, 0xdd, len + 8);
	if (how >> 16 & 1) {
		MUST(mori_shmem_getmem_nbi_thread(dst, mine_at(s, at), len, pe, 0));
		finish(s);
	} else {
		MUST(mori_shmem_getmem_thread(dst, mine_at(s, at), len, pe, 1));
	}
	CHECK_MEM("a get", dst, model_at(s, pe, at), len);
	CHECK_EQ("behind a get", dst[len], 0xdd);
	s->bytes += len;
}

static void do_word(struct soak *s, int pe, uint64_t how)
{
	size_t at = WORDS * 8 + draw(s) % (AREA / 8 - WORDS - 1) * 8;
	uint64_t value = draw(s);

	if (how >> 16 & 1) {
		MUST(mori_shmem_uint64_p((uint64_t *)mine_at(s, at), value, pe, 0));
		memcpy(model_at(s, pe, at), &value, 8);
	} else {
		finish(s);
		value = mori_shmem_uint64_g((uint64_t *)mine_at(s, at), pe, 0);
		CHECK_MEM("g", &value, model_at(s, pe, at), 8);
	}
	MUST(mori_shmem_fence_thread());
	s->bytes += 8;
}

/* A word of my own on the peer: the old value is known. */
static void do_atomic8(struct soak *s, int pe, uint64_t how)
{
	size_t at = draw(s) % (WORDS / 2) * 8;
	uint64_t *to = (uint64_t *)mine_at(s, at), *model = (uint64_t *)model_at(s, pe, at);
	uint64_t v = draw(s), old = *model;

	switch (how >> 16 & 7) {
	case 0:
		CHECK_EQ("fetch_add", mori_shmem_uint64_atomic_fetch_add_thread(to, v, pe, 0), old);
		*model += v;
		break;
	case 1:
		CHECK_EQ("swap", mori_shmem_uint64_atomic_swap_thread(to, v, pe, 1), old);
		*model = v;
		break;
	case 2:
		CHECK_EQ("compare_swap",
			 mori_shmem_uint64_atomic_compare_swap_thread(to, v & 1 ? old : v, v + 1,
								      pe, 0),
			 old);
		*model = (v & 1) || v == old ? v + 1 : old;
		break;
	case 3:
		MUST(mori_shmem_uint64_atomic_and_thread(to, v, pe, 0));
		*model &= v;
		break;
	case 4:
		MUST(mori_shmem_uint64_atomic_or_thread(to, v, pe, 2));
		*model |= v;
		break;
	case 5:
		CHECK_EQ("fetch_xor", mori_shmem_uint64_atomic_fetch_xor_thread(to, v, pe, 0), old);
		*model ^= v;
		break;
	case 6:
		MUST(mori_shmem_uint64_atomic_set_thread(to, v, pe, 0));
		*model = v;
		break;
	default:
		CHECK_EQ("fetch", mori_shmem_uint64_atomic_fetch_thread(to, pe, 0), old);
	}
}

static void do_atomic4(struct soak *s, int pe, uint64_t how)
{
	size_t at = WORDS * 4 + draw(s) % WORDS * 4;
	uint32_t *to = (uint32_t *)mine_at(s, at), *model = (uint32_t *)model_at(s, pe, at);
	uint32_t v = (uint32_t)draw(s), old = *model;

	switch (how >> 16 & 3) {
	case 0:
		CHECK_EQ("fetch_add 4", mori_shmem_uint32_atomic_fetch_add_thread(to, v, pe, 0),
			 old);
		*model += v;
		break;
	case 1:
		MUST(mori_shmem_uint32_atomic_inc_thread(to, pe, 0));
		++*model;
		break;
	case 2:
		CHECK_EQ("compare_swap 4",
			 mori_shmem_uint32_atomic_compare_swap_thread(to, old, v, pe, 0), old);
		*model = v;
		break;
	default:
		MUST(mori_shmem_uint32_atomic_xor_thread(to, v, pe, 3));
		*model ^= v;
	}
}

static void do_shared(struct soak *s, int pe, uint64_t how)
{
	uint64_t *word = &s->shared[how % SHARED], v = how >> 44;

	s->added[pe * SHARED + how % SHARED] += v;
	if (how >> 16 & 1)
		MUST(mori_shmem_uint64_atomic_add_thread(word, v, pe, 0));
	else
		MUST(mori_shmem_signal_op_thread(word, v, MORI_SHMEM_SIGNAL_ADD, pe, 0));
}

/* A grid of one block: a copy in some scope, or an add by every thread. */
static void do_kernel(struct soak *s, int pe, uint64_t how)
{
	size_t len = draw_len(s), at = draw_place(s, len);
	uint64_t len64 = len, scope = (how >> 20) % 3, where = (uint64_t)pe;
	unsigned char *local, *there = mine_at(s, at);
	uint64_t *word = &s->shared[how % SHARED];
	unsigned threads = 1u << (how >> 24) % 8;

	finish(s);
	local = room(s, len);
	*s->status = 0;
	s->kernels++;
	if (how % 3 == 0) {
		MUST(RUN_KERNEL(s->module, "soak_add", 1, threads, &word, &where));
		s->added[pe * SHARED + how % SHARED] += (uint64_t)threads * (threads + 1) / 2;
	} else if (how % 3 == 1) {
		draw_bytes(s, local, len);
		memcpy(model_at(s, pe, at), local, len);
		MUST(RUN_KERNEL(s->module, "soak_put", 1, threads, &there, &local, &len64, &scope,
				&where, &s->status));
	} else {
		memset(local, 0xdd, len + 8);
		MUST(RUN_KERNEL(s->module, "soak_get", 1, threads, &local, &there, &len64, &scope,
				&where, &s->status));
		CHECK_MEM("a get by a kernel", local, model_at(s, pe, at), len);
		CHECK_EQ("behind a get by a kernel", local[len], 0xdd);
	}
	CHECK_EQ("a kernel", *s->status, 0);
	s->bytes += how % 3 ? len : 8;
}

static void one(struct soak *s)
{
	int pe = (int)(draw(s) % (uint64_t)n_pes);
	uint64_t how = draw(s);

	s->ops++;
	switch (draw(s) % 16) {
	case 0 ... 4:
		do_put(s, pe, how);
		break;
	case 5 ... 6:
		do_get(s, pe, how);
		break;
	case 7 ... 8:
		do_word(s, pe, how);
		break;
	case 9 ... 10:
		do_atomic8(s, pe, how);
		break;
	case 11:
		do_atomic4(s, pe, how);
		break;
	case 12 ... 13:
		do_shared(s, pe, how);
		break;
	case 14:
		if (s->module)
			do_kernel(s, pe, how);
		break;
	default:
		how & 1 ? finish(s) : MUST(mori_shmem_fence_thread());
	}
}

/* Sends every owner what it must have; checks what is here; reads back what is there. */
static void verify(struct soak *s)
{
	uint64_t sum[SHARED] = { 0 };

	finish(s);
	for (int pe = 0; pe < n_pes; pe++) {
		uint64_t d = digest_of(model_at(s, pe, 0), AREA);

		MUST(mori_shmem_uint64_p(&s->digest[me], d, pe, 0));
		MUST(mori_shmem_putmem_thread(&s->total[me * SHARED], &s->added[pe * SHARED],
					      sizeof(sum), pe, 0));
	}
	BARRIER();
	for (int pe = 0; pe < n_pes; pe++) {
		CHECK_EQ("an area", digest_of(s->area + (size_t)pe * AREA, AREA), s->digest[pe]);
		for (int i = 0; i < SHARED; i++)
			sum[i] += s->total[pe * SHARED + i];
	}
	CHECK_MEM("words that all add to", s->shared, sum, sizeof(sum));
	for (size_t at = 0; at < AREA; at += AREA / 2) {
		int pe = (me + (int)s->rounds) % n_pes;

		MUST(mori_shmem_getmem_thread(s->buf, mine_at(s, at), AREA / 2, pe, 0));
		CHECK_MEM("read back", s->buf, model_at(s, pe, at), AREA / 2);
	}
	BARRIER();
}

static void run(struct soak *s)
{
	uint64_t told = now_ns();

	do {
		for (int i = 0; i < OPS; i++)
			one(s);
		verify(s);
		s->rounds++;
		if (me == 0 && now_ns() - told > 10000000000u) {
			told = now_ns();
			printf("%llu rounds, %llu operations of PE 0\n",
			       (unsigned long long)s->rounds, (unsigned long long)s->ops);
			fflush(stdout);
		}
		for (int pe = 0; me == 0 && now_ns() > s->end_ns && pe < n_pes; pe++)
			MUST(mori_shmem_uint64_p(s->stop, 1, pe, 0));
		BARRIER();
	} while (!*s->stop && !test_failures);
}

static void open_soak(struct soak *s, double seconds, int kernels)
{
	size_t n = (size_t)n_pes;

	s->random = s->seed * 1000003 + (uint64_t)me;
	s->end_ns = now_ns() + (uint64_t)(seconds * 1e9);
	s->area = mori_shmem_calloc(n, AREA);
	s->buf = mori_shmem_calloc(1, 2 * MOST + 4096);
	s->digest = mori_shmem_calloc(n, 8);
	s->shared = mori_shmem_calloc(SHARED, 8);
	s->total = mori_shmem_calloc(n * SHARED, 8);
	s->stop = mori_shmem_calloc(1, 8);
	s->status = mori_shmem_calloc(1, 8);
	s->model = calloc(n, AREA);
	s->added = calloc(n * SHARED, 8);
	MUST(s->area && s->buf && s->digest && s->shared && s->total && s->stop && s->status &&
			     s->model && s->added ?
		     0 :
		     MORI_SHMEM_ENOMEM);
	s->module = kernels ? kern_load("soak") : NULL;
	BARRIER();
}

static int test_pe(void)
{
	struct soak s = { .seed = (uint64_t)time(NULL) };
	double seconds = 10;
	int kernels = 0;

	for (int i = 1; i < test_argc; i++) {
		kernels |= !strcmp(test_argv[i], "--kernels");
		if (!strcmp(test_argv[i], "--seconds") && i + 1 < test_argc)
			seconds = atof(test_argv[++i]);
		else if (!strcmp(test_argv[i], "--seed") && i + 1 < test_argc)
			s.seed = strtoull(test_argv[++i], NULL, 0);
	}
	test_deadline((unsigned)seconds + 120);
	open_soak(&s, seconds, kernels);
	if (me == 0)
		printf("seed %llu, %d PEs, %g s, kernels %s\n", (unsigned long long)s.seed, n_pes,
		       seconds, s.module ? "too" : "not");
	run(&s);
	printf("PE %d: %llu operations, %llu by kernels, %.1f MB, %llu rounds, %s\n", me,
	       (unsigned long long)s.ops, (unsigned long long)s.kernels, (double)s.bytes / 1e6,
	       (unsigned long long)s.rounds, test_failures ? "WRONG" : "every byte right");
	if (s.module)
		MUST(mori_shmem_module_unload(s.module));
	free(s.model);
	free(s.added);
	return 0;
}
