// SPDX-License-Identifier: MIT
/*
 * Which PE a thread means: bound, the only one, or none that is clear; and threads
 * that begin and end at once.
 */
#include "fault.h"
#include "left.h"

#define MANY  8
#define TIMES (FAULT_TOOL ? 5 : 30)

const struct fault_role fault_roles[] = { { NULL, NULL } };

static mori_shmem_uniqueid_t uid;
static pthread_barrier_t gate;

static void *run(void *(*fn)(void *), void *arg)
{
	pthread_t thread;
	void *result;

	MUST(!pthread_create(&thread, NULL, fn, arg));
	pthread_join(thread, &result);
	return result;
}

static void at_once(void *(*fn)(void *))
{
	pthread_t threads[MANY];

	pthread_barrier_init(&gate, NULL, MANY);
	for (int i = 0; i < MANY; i++)
		MUST(!pthread_create(&threads[i], NULL, fn, (void *)(intptr_t)i));
	for (int i = 0; i < MANY; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&gate);
}

static void *unbound_with_one(void *arg)
{
	CHECK_EQ("is_initialized", mori_shmem_is_initialized(), 1);
	CHECK_EQ("my_pe", mori_shmem_my_pe(), 0);
	CHECK(mori_shmem_current() == arg);
	CHECK(mori_shmem_find(0) == arg);
	CHECK_NULL(mori_shmem_find(1), "PE 1");
	CHECK_NULL(mori_shmem_find(-1), "PE -1");
	CHECK_OK(mori_shmem_barrier_all());
	CHECK_FAILS(mori_shmem_init(), MORI_SHMEM_ESTATE, "bind");
	CHECK_OK(mori_shmem_bind(arg));
	CHECK_OK(mori_shmem_init()); /* bound now: it is this PE's own init again */
	CHECK_OK(mori_shmem_bind(NULL));
	return NULL;
}

static void one_pe(void)
{
	mori_shmem_t *pe;

	test_at("one PE");
	MUST(CHECK_OK(mori_shmem_init()));
	CHECK_OK(mori_shmem_init()); /* identical */
	pe = mori_shmem_current();
	CHECK(pe != NULL);
	run(unbound_with_one, pe);
	MUST(CHECK_OK(mori_shmem_get_unique_id(&uid)));
	CHECK_FAILS(fault_init(0, 1, &uid), MORI_SHMEM_ESTATE, "bind(NULL)");
	CHECK_OK(mori_shmem_finalize());
	fault_good_job(0, 1, &uid);
}

static void *unbound_with_two(void *arg)
{
	mori_shmem_t *pe;
	uint64_t ctx = 0;

	(void)arg;
	CHECK_EQ("is_initialized", mori_shmem_is_initialized(), 0);
	CHECK_FAILS(mori_shmem_my_pe(), MORI_SHMEM_ESTATE, "mori_shmem_bind(");
	CHECK_FAILS(mori_shmem_quiet_thread(), MORI_SHMEM_ESTATE, "mori_shmem_bind(");
	CHECK_FAILS(mori_shmem_finalize(), MORI_SHMEM_ESTATE, "mori_shmem_bind(");
	CHECK_NULL(mori_shmem_malloc(8), "mori_shmem_bind(");
	CHECK_NULL(mori_shmem_current(), "mori_shmem_bind(");
	for (int rank = 0; rank < 2; rank++) {
		pe = mori_shmem_find(rank);
		MUST(pe != NULL);
		CHECK_OK(mori_shmem_bind(pe));
		CHECK(mori_shmem_current() == pe);
		CHECK_EQ("my_pe", mori_shmem_my_pe(), rank);
		CHECK_OK(mori_shmem_device_state(&ctx));
		CHECK_EQ("my_pe", mori_shmem_ctx_my_pe(ctx), rank);
	}
	CHECK_NULL(mori_shmem_find(2), "PE 2");
	CHECK_OK(mori_shmem_bind(NULL));
	CHECK_EQ("is_initialized", mori_shmem_is_initialized(), 0);
	CHECK_EQ("my_pe", mori_shmem_ctx_my_pe(ctx), 1); /* a context needs no binding */
	return NULL;
}

/* It ends without finalize: the PE stays for the thread that binds to it. */
static void *init_and_go(void *arg)
{
	MUST(CHECK_OK(fault_init((int)(intptr_t)arg, 2, &uid)));
	return mori_shmem_current();
}

static void *finalize_for(void *arg)
{
	CHECK_OK(mori_shmem_bind(arg));
	CHECK_OK(mori_shmem_finalize());
	CHECK_FAILS(mori_shmem_bind(arg), MORI_SHMEM_EINVAL, "not a PE");
	return NULL;
}

static void two_pes(void)
{
	pthread_t thread;
	void *other;

	test_at("two PEs");
	MUST(CHECK_OK(mori_shmem_get_unique_id(&uid)));
	MUST(!pthread_create(&thread, NULL, init_and_go, (void *)(intptr_t)1));
	MUST(CHECK_OK(fault_init(0, 2, &uid)));
	pthread_join(thread, &other);
	CHECK(other != NULL && other == mori_shmem_find(1) && other != mori_shmem_current());
	CHECK_EQ("my_pe", mori_shmem_my_pe(), 0);
	CHECK_OK(fault_init(0, 2, &uid)); /* identical */
	CHECK_FAILS(fault_init(1, 2, &uid), MORI_SHMEM_ESTATE, "PE 0");
	CHECK_FAILS(fault_init(0, 3, &uid), MORI_SHMEM_ESTATE, "PE 0");
	run(unbound_with_two, NULL);
	MUST(!pthread_create(&thread, NULL, finalize_for, other));
	CHECK_OK(mori_shmem_finalize());
	pthread_join(thread, NULL);
}

/* The thread that was bound to a PE which another thread has ended. */
static void bound_to_the_past(void)
{
	test_at("bound to a PE that is gone");
	MUST(CHECK_OK(mori_shmem_init()));
	run(finalize_for, mori_shmem_current());
	CHECK_EQ("is_initialized", mori_shmem_is_initialized(), 0);
	CHECK_FAILS(mori_shmem_my_pe(), MORI_SHMEM_ESTATE, "finalized");
	CHECK_FAILS(mori_shmem_finalize(), MORI_SHMEM_ESTATE, "finalized");
	MUST(CHECK_OK(mori_shmem_init()));
	CHECK_EQ("my_pe", mori_shmem_my_pe(), 0);
	CHECK_OK(mori_shmem_finalize());
}

static void *find_in_several(void *arg)
{
	CHECK_NULL(mori_shmem_find(0), "several worlds");
	CHECK_OK(mori_shmem_bind(arg));
	CHECK(mori_shmem_find(0) == arg);
	return NULL;
}

static void several_worlds(void)
{
	mori_shmem_t *a, *b;

	test_at("several worlds");
	MUST(CHECK_OK(mori_shmem_init()));
	a = mori_shmem_current();
	CHECK_OK(mori_shmem_bind(NULL));
	MUST(CHECK_OK(mori_shmem_get_unique_id(&uid)));
	MUST(CHECK_OK(fault_init(0, 1, &uid)));
	b = mori_shmem_current();
	run(find_in_several, a);
	run(find_in_several, b);
	run(finalize_for, a);
	CHECK_OK(mori_shmem_finalize());
}

static void *same_world(void *arg)
{
	pthread_barrier_wait(&gate);
	fault_good_job((int)(intptr_t)arg, MANY, &uid);
	return NULL;
}

static void *own_world(void *arg)
{
	mori_shmem_uniqueid_t own;

	(void)arg;
	MUST(CHECK_OK(mori_shmem_get_unique_id(&own)));
	pthread_barrier_wait(&gate);
	fault_good_job(0, 1, &own);
	return NULL;
}

/* Alone there is one PE per process: any one thread gets it, and the others get an error. */
static int winners;

static void *all_alone(void *arg)
{
	int err;

	(void)arg;
	pthread_barrier_wait(&gate);
	err = mori_shmem_init();
	if (err)
		CHECK_FAILS(err, MORI_SHMEM_ESTATE, "bind");
	else
		__atomic_add_fetch(&winners, 1, __ATOMIC_RELAXED);
	pthread_barrier_wait(&gate);
	if (!err)
		CHECK_OK(mori_shmem_finalize());
	return NULL;
}

static void fault_test(void)
{
	struct left before;

	left_start(&before);
	one_pe();
	two_pes();
	bound_to_the_past();
	several_worlds();
	CHECK_NOTHING_LEFT(&before);
	test_at("many at once");
	for (int i = 0; i < TIMES; i++) {
		MUST(CHECK_OK(mori_shmem_get_unique_id(&uid)));
		at_once(same_world);
		at_once(own_world);
		winners = 0;
		at_once(all_alone);
		CHECK_EQ("winners", winners, 1);
	}
	CHECK_NOTHING_LEFT(&before);
}
