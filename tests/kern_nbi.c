// SPDX-License-Identifier: MIT
/*
 * A copy that leaves its end to quiet does not wait for the other PE, which is stopped while a
 * kernel calls every one of them. Then it continues, and quiet finds everything done.
 */
/* TEST: pes=2 modes=procs net=procs timeout=120 */
#include "kern.h"

#include "kernels/nbi.h"

#define ROOM (NBI_CALLS * (size_t)NBI_BYTES)

/* A PE that waits for the stopped PE gets an error after that time. */
__attribute__((constructor)) static void soon(void)
{
	setenv("MORI_SHMEM_TIMEOUT", "12", 0);
}

static char state_of(pid_t pid)
{
	char path[64], text[256], *end;
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (f) {
		n = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
	}
	text[n] = '\0';
	end = strrchr(text, ')');
	return end ? end[2] : '?';
}

static void stop(pid_t pid)
{
	MUST(kill(pid, SIGSTOP));
	while (state_of(pid) != 'T')
		sched_yield();
}

static unsigned char byte_of(int from, size_t i)
{
	return (unsigned char)(1 + (i / NBI_BYTES * 7 + i + (size_t)from * 101) % 250);
}

static size_t wrong(const unsigned char *at, int from, size_t call)
{
	size_t n = 0;

	for (size_t i = call * NBI_BYTES; i < (call + 1) * NBI_BYTES; i++)
		n += at[i] != byte_of(from, i);
	return n;
}

/* Puts come here from PE 0, gets go to it. */
static void check(const unsigned char *to, const unsigned char *src, const uint64_t *sig)
{
	for (size_t i = 0; i < NBI_CALLS; i++) {
		size_t family = i / NBI_SCOPES;
		int signals = family == NBI_PUT_SIGNAL || family == NBI_PUT_SIGNAL_OBJ;
		char name[32];

		snprintf(name, sizeof(name), "call %zu", i);
		if (me == 0 && family >= NBI_GET)
			CHECK_EQ(name, wrong(src, 1, i), 0);
		if (me == 1 && family < NBI_GET)
			CHECK_EQ(name, wrong(to, 0, i), 0);
		if (me == 1)
			CHECK_EQ(name, sig[i], signals);
	}
}

static void issue(mori_shmem_module_t *m, unsigned char *to, unsigned char *src, uint64_t *sig,
		  pid_t other)
{
	mori_shmem_memobj_t *objects = pes_private(3 * sizeof(*objects));
	int32_t *status = pes_private(NBI_CALLS * sizeof(*status)), pe = 1;

	MUST(mori_shmem_query_memobj(to, &objects[0]));
	MUST(mori_shmem_query_memobj(src, &objects[1]));
	MUST(mori_shmem_query_memobj(sig, &objects[2]));
	stop(other);
	CHECK_OK(RUN_KERNEL(m, "nbi", 1, 32, &status, &to, &src, &sig, &objects, &pe));
	MUST(kill(other, SIGCONT));
	for (int i = 0; i < NBI_CALLS; i++)
		CHECK_EQ("status", status[i], 0);
	CHECK_OK(RUN_KERNEL(m, "nbi_end", 1, 1, &status));
	CHECK_EQ("quiet", status[0], 0);
	free(objects);
	free(status);
}

static int test_pe(void)
{
	mori_shmem_module_t *m = kern_load("nbi");
	unsigned char *to, *src;
	int64_t *pids;
	uint64_t *sig;

	if (!m)
		SKIP(KERN_NONE);
	to = pes_malloc(ROOM);
	src = pes_malloc(ROOM);
	sig = pes_malloc(NBI_CALLS * sizeof(*sig));
	pids = pes_malloc(sizeof(*pids));
	memset(sig, 0, NBI_CALLS * sizeof(*sig));
	for (size_t i = 0; i < ROOM; i++)
		(me ? to : src)[i] =
			me || i / NBI_BYTES / NBI_SCOPES < NBI_GET ? byte_of(me, i) : 0;
	for (size_t i = 0; me && i < NBI_GET * NBI_SCOPES * (size_t)NBI_BYTES; i++)
		to[i] = POISON;
	*pids = getpid();
	BARRIER();
	if (!me)
		issue(m, to, src, sig, (pid_t)mori_shmem_int64_g(pids, 1, 0));
	BARRIER();
	check(to, src, sig);
	CHECK_EQ("no fault", mori_shmem_check(NULL), 0);
	BARRIER();
	MUST(mori_shmem_free(pids));
	MUST(mori_shmem_free(sig));
	MUST(mori_shmem_free(src));
	MUST(mori_shmem_free(to));
	MUST(mori_shmem_module_unload(m));
	return 0;
}
