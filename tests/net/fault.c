// SPDX-License-Identifier: MIT
/*
 * Two or more PEs that keep transferring while sh_net_faults.sh breaks something: PE 0
 * streams blocks to the last PE, each with a signal; that one checks every byte and
 * signals back. Ends with 0 when the time is over and all of it was right, with 3 after
 * an error whose text names a PE, with 1 otherwise.
 *
 *	fault SECONDS FILE	the PEs write their process ids into FILE.<rank>
 */
#define PES_NO_INIT
#include "pes.h"

#include <time.h>

#define BLOCK (1u << 20)
#define SLOTS 3
#define END   (UINT64_C(1) << 63) /* instead of a block's number: there are no more */

struct stream {
	unsigned char *slots; /* symmetric: SLOTS blocks */
	uint64_t *sent, *taken;
	int to;
};

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Whether it failed; then the text must name a PE, or the rendezvous. */
static int failed(int status, double since)
{
	const char *text = mori_shmem_last_error();

	if (!status)
		return 0;
	printf("PE %d: after %.1f s: %s: %s\n", me, seconds() - since, mori_shmem_strerror(status),
	       text);
	CHECK_TEXT(text, strstr(text, "the rendezvous (") ? "process " : "PE ");
	return 1;
}

/*
 * A word that no PE writes does not show which PE should have. So a PE that waits long fetches a
 * word from @pe: if that has stopped, or cannot be reached, the error names it.
 */
static int await(uint64_t *word, int cmp, uint64_t value, int pe)
{
	uint64_t answer;
	int err;

	do {
		err = mori_shmem_uint64_wait_until_for(word, cmp, value, 1000000000u);
		if (err != MORI_SHMEM_ETIMEDOUT)
			return err;
		err = mori_shmem_getmem_thread(&answer, word, sizeof(answer), pe, 0);
	} while (!err);
	return err;
}

static int send_all(struct stream *s, double until)
{
	unsigned char *src = s->slots + SLOTS * (size_t)BLOCK;
	double since = seconds();
	int err = 0;
	uint64_t n = 0;

	while (!err && seconds() < until) {
		since = seconds();
		fill(src, (int)++n, BLOCK);
		if (n > SLOTS)
			err = await(s->taken, MORI_SHMEM_CMP_GE, n - SLOTS, s->to);
		if (!err)
			err = mori_shmem_putmem_signal_thread(s->slots + n % SLOTS * (size_t)BLOCK,
							      src, BLOCK, s->sent, n,
							      MORI_SHMEM_SIGNAL_SET, s->to, 0);
	}
	if (!err)
		err = await(s->taken, MORI_SHMEM_CMP_EQ, n, s->to);
	if (!err)
		err = mori_shmem_signal_op_thread(s->sent, END, MORI_SHMEM_SIGNAL_SET, s->to, 0);
	if (!err)
		err = mori_shmem_quiet_thread();
	printf("PE 0: %llu blocks\n", (unsigned long long)n);
	return failed(err, since);
}

static int take_all(struct stream *s)
{
	double since = seconds();
	uint64_t n = 0;
	int err = 0;

	while (!err) {
		since = seconds();
		err = await(s->sent, MORI_SHMEM_CMP_GT, n, 0);
		if (err || __atomic_load_n(s->sent, __ATOMIC_ACQUIRE) == END)
			break;
		n++;
		CHECK_EQ("a block", differs(s->slots + n % SLOTS * (size_t)BLOCK, (int)n, BLOCK),
			 BLOCK);
		err = mori_shmem_uint64_p(s->taken, n, 0, 0);
		if (!err)
			err = mori_shmem_quiet_thread();
	}
	printf("PE %d: %llu blocks, %ld wrong\n", me, (unsigned long long)n, test_failures);
	return failed(err, since);
}

static void tell_pid(void)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s.%d", test_argv[2], me);
	f = fopen(path, "we");
	if (!f || fprintf(f, "%d\n", (int)getpid()) < 0 || fclose(f))
		exit(1);
}

static int test_pe(void)
{
	struct stream s;
	double since = seconds(), until;
	int bad;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (test_argc < 3)
		return 1;
	MUST(mori_shmem_init());
	pes_meet();
	s.to = n_pes - 1;
	s.slots = pes_malloc((SLOTS + 1) * (size_t)BLOCK);
	s.sent = mori_shmem_calloc(1, 8);
	s.taken = mori_shmem_calloc(1, 8);
	BARRIER();
	tell_pid();
	until = seconds() + atof(test_argv[1]);
	bad = me == 0 ? send_all(&s, until) : me == s.to ? take_all(&s) : 0;
	since = seconds();
	bad |= failed(mori_shmem_finalize(), since);
	if (bad && !test_failures) {
		fflush(stdout);
		_exit(3);
	}
	CHECK(!bad);
	return 0;
}
