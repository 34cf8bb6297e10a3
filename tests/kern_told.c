// SPDX-License-Identifier: MIT
/*
 * A failure in a kernel that nobody checks is reported once: by the next barrier, launch, unload or
 * finalize, in the words of a host's call, with their number. A failure that somebody checks is not
 * reported. Up to 64 failures are kept, each with the name of its own call.
 */
/* TEST: pes=2,3 modes=procs,threads */
#define PES_NO_INIT
#include "kern.h"

#include <fcntl.h>

#define KEPT 64

/* Failures on purpose are not reported to the launcher; the log has a line for each kept one. */
static __attribute__((constructor)) void prepare(void)
{
	unsetenv("MORI_NOTES");
	setenv("MORI_SHMEM_LOG_LEVEL", "info", 1);
}

static _Thread_local struct {
	int times;
	char text[2048];
} heard;

static void hear(void *arg, const char *text)
{
	(void)arg;
	heard.times++;
	snprintf(heard.text, sizeof(heard.text), "%s", text);
}

/* The number of reports since the last call. */
static int told(void)
{
	int n = heard.times;

	heard.times = 0;
	return n;
}

static const char *const calls[] = { "int64_p", "int64_g", "int64_atomic_fetch_add_thread",
				     "putmem_thread" };

/* The 64 lines of the log: distinct threads, and of each the call it has made. */
static void check_lines(const char *text)
{
	unsigned char seen[16][128] = { { 0 } };
	int lines = 0;

	for (const char *at = strstr(text, "info: failure "); at;
	     at = strstr(at + 1, "info: failure ")) {
		const char *name = strstr(at, "mori_shmem_"), *where = strstr(at, "(block (");
		int block[3] = { 0 }, thread[3] = { 0 };
		char want[64];

		if (!CHECK(name && where &&
			   sscanf(where, "(block (%d, %d, %d), thread (%d, %d, %d))", &block[0],
				  &block[1], &block[2], &thread[0], &thread[1], &thread[2]) == 6))
			continue;
		snprintf(want, sizeof(want), "mori_shmem_%s in a kernel: there is no PE 99",
			 calls[thread[0] % 4]);
		CHECK(!strncmp(name, want, strlen(want)));
		CHECK(block[0] >= 0 && block[0] < 16 && thread[0] >= 0 && thread[0] < 128 &&
		      !seen[block[0]][thread[0]]++);
		lines++;
	}
	CHECK_EQ("lines", lines, KEPT);
}

/* What @look writes to the log, where that is of this PE alone. */
static void check_log(int (*look)(void), int status)
{
	static char text[1 << 16];
	int saved = -1, file = -1;

	if (pes_here() == 1) {
		file = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
		saved = dup(2);
		dup2(file, 2);
	}
	CHECK_EQ("looks", look(), status);
	if (saved >= 0) {
		ssize_t n = pread(file, text, sizeof(text) - 1, 0);

		dup2(saved, 2);
		close(saved);
		close(file);
		text[n > 0 ? n : 0] = '\0';
		check_lines(text);
	}
}

static int check(void)
{
	return mori_shmem_check(NULL);
}

/* Many threads: the number is exact, and the first 64 have their names for every check. */
static void count(mori_shmem_module_t *m, int64_t *x)
{
	int32_t pe = 99;
	char more[64];
	int blocks = 7, threads = KERN_SMALL ? 40 : 100;

	CHECK_OK(RUN_KERNEL(m, "each", blocks, threads, &x, &pe));
	check_log(mori_shmem_status, MORI_SHMEM_EINVAL);
	CHECK_EQ("check", check(), MORI_SHMEM_EINVAL);
	CHECK_OK(RUN_KERNEL(m, "each", blocks, threads, &x, &pe));
	check_log(check, MORI_SHMEM_EINVAL);
	CHECK_OK(RUN_KERNEL(m, "each", blocks, threads, &x, &pe));
	snprintf(more, sizeof(more), "; %d more", blocks * threads - 1);
	check_log(mori_shmem_barrier_all, 0);
	CHECK_EQ("told", told(), 1);
	CHECK_TEXT(heard.text, "nobody has looked at a failure on PE ");
	CHECK_TEXT(heard.text, " in a kernel: there is no PE 99, only 0 to ");
	CHECK_TEXT(heard.text, more);
	CHECK_EQ("check", check(), MORI_SHMEM_EINVAL);
	CHECK_TEXT(mori_shmem_last_error(), " in a kernel: there is no PE 99, only 0 to ");
	CHECK_TEXT(mori_shmem_last_error(), more);
	CHECK_EQ("cleared", check(), 0);
}

/* A call of a warp or a block is one failure, of whichever kind. */
static void groups(mori_shmem_module_t *m, int64_t *x)
{
	mori_shmem_fault_t f = { .struct_size = sizeof(f) };
	int32_t pe = 99;

	CHECK_OK(RUN_KERNEL(m, "warps", 2, 64, &x, &pe));
	CHECK_EQ("warps", mori_shmem_check(&f), MORI_SHMEM_EINVAL);
	/* 4 warps of 32 lanes, or 2 of 64; 2 calls each */
	CHECK_TEXT(mori_shmem_last_error(), kern_warp() == 64 ? "; 3 more" : "; 7 more");
	CHECK(!strcmp(f.op, "putmem_warp"));
	CHECK_OK(RUN_KERNEL(m, "blocks", 3, 40, &x, &pe));
	CHECK_EQ("blocks", mori_shmem_check(&f), MORI_SHMEM_EINVAL);
	CHECK_TEXT(mori_shmem_last_error(), "; 17 more"); /* 3 blocks, 6 calls */
	CHECK(!strcmp(f.op, "putmem_block"));
	CHECK_OK(RUN_KERNEL(m, "each", 1, 1, &x, &pe));
	CHECK_EQ("one", mori_shmem_check(NULL), MORI_SHMEM_EINVAL);
	CHECK(!strstr(mori_shmem_last_error(), " more"));
	BARRIER();
	CHECK_EQ("looked at", told(), 0);
}

/* The first check ends the reports. */
static void looks(mori_shmem_module_t *m, int64_t *x)
{
	int32_t pe = 99;

	CHECK_OK(RUN_KERNEL(m, "once", 1, 1, &x, &pe));
	CHECK_EQ("status", mori_shmem_status(), MORI_SHMEM_EINVAL);
	BARRIER();
	CHECK_EQ("looked at by status", told(), 0);
	CHECK_EQ("still there", mori_shmem_check(NULL), MORI_SHMEM_EINVAL);
	CHECK_OK(RUN_KERNEL(m, "once", 1, 1, &x, &pe));
	CHECK_EQ("not by its own launch", told(), 0);
	CHECK_OK(RUN_KERNEL(m, "once", 1, 1, &x, &pe));
	CHECK_EQ("by the next launch", told(), 1);
	CHECK(!strstr(heard.text, " more"));
	MUST(mori_shmem_sync_all());
	CHECK_EQ("by sync_all", told(), 1);
	CHECK_OK(RUN_KERNEL(m, "once", 1, 1, &x, &pe));
	CHECK_OK(mori_shmem_tell());
	CHECK_EQ("by tell", told(), 1);
	CHECK_OK(mori_shmem_tell());
	BARRIER();
	CHECK_EQ("once", told(), 0);
	CHECK_EQ("all", mori_shmem_check(NULL), MORI_SHMEM_EINVAL);
	CHECK_TEXT(mori_shmem_last_error(), "; 2 more");
	/* Calls of the host that give a value: take_error() is a look. */
	CHECK_EQ("value", mori_shmem_int64_g(x, 99, 0), 0);
	BARRIER();
	CHECK_EQ("by barrier", told(), 1);
	CHECK_TEXT(heard.text, ": mori_shmem_int64_g: there is no PE 99");
	CHECK_EQ("sticky", mori_shmem_check(NULL), MORI_SHMEM_EINVAL);
	mori_shmem_take_error();
	for (int i = 0; i < KEPT + 5; i++) {
		CHECK_EQ("value", mori_shmem_int64_g(x, 99, 0), 0);
		CHECK_EQ("taken", mori_shmem_take_error(), MORI_SHMEM_EINVAL);
	}
	BARRIER();
	CHECK_EQ("nothing is left", told(), 0);
	CHECK_EQ("sticky", mori_shmem_check(NULL), MORI_SHMEM_EINVAL);
}

/* A context of 0: no PE can record the failure, and the launch ends. */
static void nobody(mori_shmem_module_t *m)
{
	const char *device = getenv("MORI_SHMEM_DEVICE");
	uint64_t none = 0;
	int32_t got = 1, *out = &got;

	/* That would be the end of the context, and is a trap. */
	if (device && (!strcmp(device, "cuda") || !strcmp(device, "amd-emu")))
		return;
	CHECK_EQ("no state", RUN_KERNEL(m, "by_context", 1, 1, &none, &out), MORI_SHMEM_EFAULT);
	CHECK_TEXT(mori_shmem_last_error(), "never passed to mori_shmem_module_init()");
	CHECK_EQ("nothing came of it", got, 1);
	BARRIER();
	CHECK_EQ("its launch has said so", told(), 0);
	CHECK_EQ("sticky", mori_shmem_check(NULL), MORI_SHMEM_EFAULT);
	CHECK_OK(RUN_KERNEL(m, "by_context", 1, 1, &ctx, &out));
	CHECK_EQ("with one", got, me);
}

/* The calls that would report return the status instead, when they have done their work. */
static void strict(void)
{
	mori_shmem_module_t *m;
	int32_t pe = 99;
	int64_t *x;

	MUST(mori_shmem_init());
	pes_meet();
	m = kern_load("told");
	x = heap_malloc(64);
	CHECK_EQ("launch", RUN_KERNEL(m, "once", 1, 1, &x, &pe), MORI_SHMEM_EINVAL);
	CHECK_TEXT(mori_shmem_last_error(), "mori_shmem_int64_p in a kernel: there is no PE 99");
	CHECK_OK(mori_shmem_barrier_all());
	pe = me;
	CHECK_OK(RUN_KERNEL(m, "once", 1, 1, &x, &pe));
	CHECK_EQ("value", mori_shmem_int64_g(x, 99, 0), 0);
	CHECK_EQ("barrier", mori_shmem_barrier_all(), MORI_SHMEM_EINVAL);
	CHECK_TEXT(mori_shmem_last_error(), "mori_shmem_int64_g: there is no PE 99");
	CHECK_OK(mori_shmem_sync_all());
	CHECK_EQ("value", mori_shmem_int64_g(x, 99, 0), 0);
	CHECK_EQ("tell", mori_shmem_tell(), MORI_SHMEM_EINVAL);
	CHECK_OK(mori_shmem_tell());
	CHECK_EQ("value", mori_shmem_int64_g(x, 99, 0), 0);
	CHECK_EQ("unload", mori_shmem_module_unload(m), MORI_SHMEM_EINVAL);
	CHECK_EQ("unloaded", mori_shmem_module_unload(m), MORI_SHMEM_EINVAL);
	CHECK_TEXT(mori_shmem_last_error(), "was unloaded");
	CHECK_EQ("value", mori_shmem_int64_g(x, 99, 0), 0);
	CHECK_EQ("finalize", mori_shmem_finalize(), MORI_SHMEM_EINVAL);
	if (pes_here() == 1)
		CHECK_EQ("finalized", mori_shmem_is_initialized(), 0);
	CHECK_EQ("nothing is told", told(), 0);
}

/* A call that fails for another reason returns that: the earlier failure is reported after all. */
static void strict_ended(void)
{
	int64_t *x;

	MUST(mori_shmem_init());
	pes_meet();
	x = heap_malloc(64);
	CHECK_EQ("value", mori_shmem_int64_g(x, 99, 0), 0);
	CHECK_OK(mori_shmem_int64_p(&x[me], 1, 0, 0));
	for (int pe = 0; !me && pe < n_pes; pe++) /* all have left malloc */
		CHECK_OK(mori_shmem_int64_wait_until_equals(&x[pe], 1));
	if (!me)
		CHECK_OK(mori_shmem_abort("the test wants it"));
	CHECK_EQ("barrier", mori_shmem_barrier_all(), MORI_SHMEM_EPEER);
	CHECK_TEXT(mori_shmem_last_error(), "the test wants it");
	CHECK_EQ("told", told(), 1);
	CHECK_TEXT(heard.text, "mori_shmem_int64_g: there is no PE 99");
	CHECK_EQ("value", mori_shmem_int64_g(x, 99, 0), 0);
	CHECK_EQ("finalize", mori_shmem_finalize(), MORI_SHMEM_EPEER);
	CHECK_EQ("told", told(), 1);
}

static pthread_barrier_t all;

static void together(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static int made;

	pthread_mutex_lock(&lock);
	if (!made++)
		pthread_barrier_init(&all, NULL, (unsigned)pes_here());
	pthread_mutex_unlock(&lock);
	pthread_barrier_wait(&all);
}

static int test_pe(void)
{
	mori_shmem_module_t *m;
	int32_t pe = 99;
	int64_t *x;

	mori_shmem_on_fault(hear, NULL);
	MUST(mori_shmem_init());
	pes_meet();
	m = kern_load("told");
	if (!m) {
		MUST(mori_shmem_finalize());
		SKIP(KERN_NONE);
	}
	x = heap_malloc(64);
	count(m, x);
	groups(m, x);
	looks(m, x);
	nobody(m);
	CHECK_OK(RUN_KERNEL(m, "once", 1, 1, &x, &pe));
	MUST(mori_shmem_module_unload(m));
	CHECK_EQ("by unload", told(), 1);
	m = kern_load("told");
	CHECK_OK(RUN_KERNEL(m, "once", 1, 1, &x, &pe));
	MUST(mori_shmem_finalize());
	CHECK_EQ("by finalize", told(), 1);
	CHECK_TEXT(heard.text, "there is no PE 99");
	together(); /* the environment is one for all threads */
	setenv("MORI_SHMEM_STRICT", "1", 1);
	together();
	strict();
	together();
	strict_ended();
	return 0;
}
