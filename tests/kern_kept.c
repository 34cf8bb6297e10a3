// SPDX-License-Identifier: MIT
/*
 * What a program keeps of a PE that has finalized is of no use and does no harm: kernels
 * of a shared object it has opened itself, a context, the handle of a module. Each call
 * gives MORI_SHMEM_ESTATE and touches nothing; the memory of the old heap is not even
 * mapped. The next init says how many calls there were. It may have another number of PEs, and
 * works once the object is given the new state; the old context stays dead.
 */
/* TEST: wrapper=none timeout=120 */
#define PES_NO_INIT
#include "kern.h"

#include "kernels/kept.h"

#include <dlfcn.h>
#include <sys/wait.h>

#define PES 3

/* The start of struct cpu_kernel of src/abi/cpu.h: what a module has for each kernel. */
struct kernel {
	const char *name;
	void (*entry)(void **args);
};

/* All that is kept. */
struct kept {
	const struct kernel *borrowed; /* of what dlopen() gave */
	mori_shmem_module_t *own;
	uint64_t ctx;
	uint64_t *words; /* symmetric once */
};

enum way { BORROWED, BORROWED_CTX, LAUNCHED, LAUNCHED_CTX, WAYS };
static const char *const ways[] = { "borrowed", "borrowed, by context", "launched",
				    "launched, by context" };

static void *open_object(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 32);
	void *handle;

	path[n > 0 ? n : 0] = '\0';
	snprintf(strrchr(path, '/'), 32, "/kernels/kept.so");
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		exit(1);
	return handle;
}

/* One run of the kernel; a block of one thread, because that is what a plain call is. */
static int run(const struct kept *k, enum way way, uint64_t *words, uint64_t *own, int64_t *out)
{
	int32_t pe = n_pes > 0 ? (me + 1) % n_pes : 0, by_ctx = way % 2;
	uint64_t context = k->ctx;
	void *args[] = { &words, &own, &pe, &by_ctx, &context, &out };
	const unsigned one[3] = { 1, 1, 1 };

	for (int i = 0; i < KEPT_WORDS; i++)
		own[i] = (uint64_t)(me + 1) << 32 | (uint64_t)way << 16 | (uint64_t)(i + 1);
	memset(out, POISON, KEPT_RESULTS * sizeof(*out));
	if (way == LAUNCHED || way == LAUNCHED_CTX)
		return mori_shmem_kernel_launch(k->own, "kept", one, one, 0, args, NULL);
	k->borrowed->entry(args);
	return 0;
}

/* Every call reports that there is no PE, and nothing is written. */
static void dead(const struct kept *k, enum way way, uint64_t *words)
{
	uint64_t own[KEPT_WORDS];
	int64_t out[KEPT_RESULTS];

	test_at(ways[way]);
	CHECK_OK(run(k, way, words, own, out));
	for (int i = 0; i < KEPT_STATUSES + KEPT_NUMBERS; i++) {
		if (!CHECK_EQ(ways[way], out[i], MORI_SHMEM_ESTATE))
			fprintf(stderr, "call %d\n", i);
	}
	for (int i = KEPT_STATUSES + KEPT_NUMBERS; i < KEPT_RESULTS; i++) {
		if (!CHECK_EQ(ways[way], out[i], 0))
			fprintf(stderr, "call %d\n", i);
	}
	CHECK_EQ("own memory", own[6] & 0xffff, 7);
}

/* Every call works, and what the PE before has written is here. */
static void alive(const struct kept *k, enum way way)
{
	uint64_t own[KEPT_WORDS], from = ((uint64_t)me + (uint64_t)n_pes - 1) % (uint64_t)n_pes + 1;
	int64_t out[KEPT_RESULTS];

	test_at(ways[way]);
	memset(k->words, 0, KEPT_WORDS * 8);
	BARRIER();
	CHECK_OK(run(k, way, k->words, own, out));
	BARRIER();
	for (int i = 0; i < KEPT_STATUSES; i++) {
		if (!CHECK_EQ(ways[way], out[i], 0))
			fprintf(stderr, "call %d\n", i);
	}
	CHECK_EQ("my_pe", out[KEPT_STATUSES], me);
	CHECK_EQ("n_pes", out[KEPT_STATUSES + 1], n_pes);
	CHECK_EQ("status", out[KEPT_STATUSES + 2], 0);
	for (int i = 0; i < 6; i++)
		CHECK_EQ(ways[way], k->words[i],
			 from << 32 | (uint64_t)way << 16 | (uint64_t)(i + 1));
	CHECK_EQ(ways[way], k->words[6] | k->words[7], 0);
	CHECK_EQ("got", own[6], 0);
	CHECK_EQ("no fault", mori_shmem_check(NULL), 0);
	BARRIER();
}

static struct {
	int times;
	char text[512];
} heard;

static void hear(void *arg, const char *text)
{
	(void)arg;
	heard.times++;
	snprintf(heard.text, sizeof(heard.text), "%s", text);
}

static void join(const mori_shmem_uniqueid_t *uid, int rank, int n)
{
	mori_shmem_init_attr_t attr;

	MUST(mori_shmem_set_attr_uniqueid_args(rank, n, uid, &attr));
	MUST(mori_shmem_init_attr(MORI_SHMEM_INIT_WITH_UNIQUEID, &attr));
	pes_meet();
}

/* What holds in a job of @n PEs, once the module has been initialised for it. */
static void open_kept(struct kept *k, void *handle)
{
	k->borrowed = dlsym(handle, "mori_kernels");
	k->ctx = ctx;
	k->own = kern_load("kept");
	MUST(mori_shmem_module_init(handle));
	k->words = pes_malloc(KEPT_WORDS * 8);
	BARRIER();
	for (int way = 0; way < WAYS; way++)
		alive(k, (enum way)way);
}

/* After finalize, and again in the next job before the module has been initialised for it. */
static void all_dead(const struct kept *k)
{
	uint64_t seen[KEPT_WORDS] = { 0 }, own[KEPT_WORDS];
	int64_t out[KEPT_RESULTS];

	dead(k, BORROWED, k->words);
	dead(k, BORROWED_CTX, k->words);
	dead(k, BORROWED_CTX, seen); /* nor memory that is there */
	for (int i = 0; i < KEPT_WORDS; i++)
		CHECK_EQ("memory of this PE", seen[i], 0);
	CHECK_EQ("launch", run(k, LAUNCHED, seen, own, out), MORI_SHMEM_ESTATE);
	CHECK_TEXT(mori_shmem_last_error(), "has finalized");
}

/* The first two continue together, the last one alone. */
static void child(struct kern_way *way, int rank)
{
	int alone = rank == PES - 1, next = alone ? 0 : rank;
	void *handle = open_object();
	struct kept old, now;

	char late[64];

	test_deadline(TEST_TSAN || TEST_ASAN ? 100 : 40);
	mori_shmem_on_fault(hear, NULL);
	join(kern_way(&way[0], rank), rank, PES);
	open_kept(&old, handle);
	MUST(mori_shmem_finalize());
	all_dead(&old);
	CHECK_EQ("not yet", heard.times, 0);
	join(kern_way(&way[1 + alone], next), next, alone ? 1 : PES - 1);
	CHECK_EQ("told by init", heard.times, 1);
	snprintf(late, sizeof(late), "PE %d have made %d call(s)", rank, 3 * KEPT_RESULTS);
	CHECK_TEXT(heard.text, late);
	CHECK(old.ctx != ctx);
	all_dead(&old);
	open_kept(&now, handle);
	now.ctx = old.ctx; /* in a kernel of the new job */
	dead(&now, LAUNCHED_CTX, now.words);
	CHECK_EQ("no fault", mori_shmem_check(NULL), 0);
	CHECK_OK(mori_shmem_module_unload(old.own));
	MUST(mori_shmem_finalize());
	dead(&old, BORROWED_CTX, now.words);
	dead(&now, BORROWED, now.words);
	_exit(test_result());
}

static int test_pe(void)
{
	struct kern_way *way = kern_ways(3);
	size_t size;
	void *image = kern_image("kept", &size);
	pid_t pid[PES];

	if (!image)
		SKIP(KERN_NONE);
	free(image);
	for (int i = 0; i < PES; i++) {
		pid[i] = fork();
		if (!pid[i])
			child(way, i);
	}
	for (int i = 0; i < PES; i++) {
		int status = 0;

		waitpid(pid[i], &status, 0);
		CHECK_EQ("child", WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
	}
	munmap(way, 3 * sizeof(*way));
	return 0;
}
