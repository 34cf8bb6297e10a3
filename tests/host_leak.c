// SPDX-License-Identifier: MIT
/*
 * Init and finalize, a hundred times over, in the ways there are: alone, by unique
 * id, with other sizes and modes, as threads, several worlds at once. Descriptors,
 * threads and mappings are the same after each. Jobs that fail leave little.
 */
#include "fault.h"
#include "left.h"

#define TIMES	 (FAULT_TOOL ? 20 : 100)
#define THREADS	 4
#define FAILURES 16

const struct fault_role fault_roles[] = { { NULL, NULL } };

static mori_shmem_uniqueid_t uid;

static void alone(void)
{
	void *p, *window;

	MUST(CHECK_OK(mori_shmem_init()));
	p = mori_shmem_malloc(5000);
	window = mori_shmem_malloc(4096);
	MUST(p && window);
	CHECK_OK(mori_shmem_buffer_register(&p, sizeof(p)));
	CHECK_OK(mori_shmem_symmetric_register(window, 4096));
	/* What was not given back goes with the PE. */
	CHECK_OK(mori_shmem_finalize());
}

static void *threads_pe(void *arg)
{
	fault_good_job((int)(intptr_t)arg, THREADS, &uid);
	return NULL;
}

static void threads(void)
{
	pthread_t t[THREADS];

	MUST(CHECK_OK(mori_shmem_get_unique_id(&uid)));
	for (int i = 0; i < THREADS; i++)
		MUST(!pthread_create(&t[i], NULL, threads_pe, (void *)(intptr_t)i));
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
}

/* Two worlds in one thread, one after the other bound, left in either order. */
static void two_worlds(int turn)
{
	mori_shmem_uniqueid_t other;
	mori_shmem_t *a, *b;
	int64_t *in_a, *in_b;

	MUST(CHECK_OK(mori_shmem_get_unique_id(&uid)));
	MUST(CHECK_OK(mori_shmem_get_unique_id(&other)));
	CHECK(memcmp(&uid, &other, sizeof(uid)) != 0);
	MUST(CHECK_OK(fault_init(0, 1, &uid)));
	a = mori_shmem_current();
	in_a = mori_shmem_malloc(8);
	CHECK_FAILS(fault_init(0, 1, &other), MORI_SHMEM_ESTATE, "bind(NULL)");
	CHECK_OK(mori_shmem_bind(NULL));
	MUST(CHECK_OK(fault_init(0, 1, &other)));
	b = mori_shmem_current();
	in_b = mori_shmem_malloc(8);
	CHECK(a && b && a != b && in_a && in_b && in_a != in_b);
	CHECK_OK(mori_shmem_int64_p(in_b, 22, 0, 0));
	CHECK_FAILS(mori_shmem_int64_p(in_a, 33, 0, 0), MORI_SHMEM_EINVAL, "symmetric");
	CHECK_OK(mori_shmem_bind(a));
	CHECK_OK(mori_shmem_int64_p(in_a, 11, 0, 0));
	CHECK_EQ("a", *in_a, 11);
	CHECK_EQ("b", *in_b, 22);
	CHECK_OK(mori_shmem_bind(turn ? a : b));
	CHECK_OK(mori_shmem_finalize());
	CHECK_FAILS(mori_shmem_bind(turn ? a : b), MORI_SHMEM_EINVAL, "not a PE");
	CHECK_OK(mori_shmem_bind(turn ? b : a));
	CHECK_OK(mori_shmem_barrier_all());
	CHECK_OK(mori_shmem_finalize());
}

static void *fails(void *arg)
{
	CHECK_EQ("two PEs with rank 0", fault_init(0, 2, arg), MORI_SHMEM_EMISMATCH);
	return NULL;
}

/* Jobs that never form. The rendezvous of the last one or two may be here still. */
static void failed_jobs(void)
{
	int before = left_entries("/proc/self/fd", NULL, 0), after;
	pthread_t t[2];

	for (int i = 0; i < FAILURES; i++) {
		MUST(CHECK_OK(mori_shmem_get_unique_id(&uid)));
		for (int k = 0; k < 2; k++)
			MUST(!pthread_create(&t[k], NULL, fails, &uid));
		for (int k = 0; k < 2; k++)
			pthread_join(t[k], NULL);
	}
	after = left_entries("/proc/self/fd", NULL, 0);
	printf("%d descriptors, %d after %d jobs that failed\n", before, after, FAILURES);
	CHECK(after - before < FAILURES);
}

static void fault_test(void)
{
	static const char *const modes[] = { "static", "vmm", "isolation" };
	struct left before;

	left_start(&before);
	for (int i = 0; i < TIMES; i++) {
		char size[16];

		snprintf(size, sizeof(size), "%dK", 1024 + 64 * i);
		setenv("MORI_SHMEM_HEAP_SIZE", size, 1);
		setenv("MORI_SHMEM_MODE", modes[i % 3], 1);
		test_at("alone");
		alone();
		CHECK_NOTHING_LEFT(&before);
		test_at("by unique id");
		MUST(CHECK_OK(mori_shmem_get_unique_id(&uid)));
		fault_good_job(0, 1, &uid);
		CHECK_NOTHING_LEFT(&before);
		test_at("threads");
		threads();
		CHECK_NOTHING_LEFT(&before);
		test_at("two worlds");
		two_worlds(i % 2);
		CHECK_NOTHING_LEFT(&before);
	}
	test_at("jobs that fail");
	failed_jobs();
}
