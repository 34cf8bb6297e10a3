// SPDX-License-Identifier: MIT
/*
 * Strangers at the rendezvous: they find its port, connect, and say nothing, half
 * of something, garbage, a web request or a wrong secret, before the job forms,
 * while it forms, and while it runs. The job does not notice.
 */
/* TEST: net=procs */
#include "fault.h"
#include "left.h"
#include "ports.h"

#define PES   3
#define CROWD 400 /* more than a rendezvous keeps waiting */

/* The first bytes of a PE, with a secret that is not the job's. */
static const struct {
	uint64_t magic;
	uint32_t version, what;
	uint8_t secret[16], zero[32];
} wrong_secret = { UINT64_C(0x6d6f72692d726476), 1, 1, { 1, 2, 3 }, { 0 } };

static int strangers[2 * CROWD], n_strangers;

static void actor(void)
{
	mori_shmem_uniqueid_t uid;
	struct left before;
	int64_t *word;

	test_rank = fault_rank;
	left_start(&before);
	fault_meet(&uid);
	fault_hear();
	fault_say("coming");
	MUST(CHECK_OK(fault_init(fault_rank, fault_n, &uid)));
	word = mori_shmem_calloc(1, sizeof(*word));
	MUST(word != NULL);
	fault_say("in");
	fault_hear();
	for (int i = 0; i < 100; i++) {
		CHECK_OK(
			mori_shmem_int64_atomic_add_thread(word, 1, (fault_rank + 1) % fault_n, 0));
		CHECK_OK(mori_shmem_barrier_all());
		CHECK_EQ("word", *word, i + 1);
		CHECK_OK(mori_shmem_barrier_all());
	}
	CHECK_OK(mori_shmem_free(word));
	CHECK_OK(mori_shmem_finalize());
	CHECK_NOTHING_LEFT(&before);
}

const struct fault_role fault_roles[] = { { "actor", actor }, { NULL, NULL } };

/* The i-th way to be a nuisance. */
static void bother(const struct ports *p, int door, int way)
{
	static const char web[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
	static char garbage[1 << 16];
	int fd = ports_connect(p, door);
	struct linger reset = { .l_onoff = 1 };

	if (fd < 0)
		return; /* turned away: as good */
	for (size_t i = 0; i < sizeof(garbage); i++)
		garbage[i] = (char)(i * 7 + 1);
	switch (way) {
	case 0: /* nothing */
		break;
	case 1:
		send(fd, garbage, sizeof(garbage), MSG_NOSIGNAL | MSG_DONTWAIT);
		break;
	case 2:
		send(fd, web, sizeof(web) - 1, MSG_NOSIGNAL);
		break;
	case 3:
		send(fd, &wrong_secret, sizeof(wrong_secret), MSG_NOSIGNAL);
		break;
	case 4:
		send(fd, &wrong_secret, 20, MSG_NOSIGNAL);
		break;
	case 5:
		send(fd, &wrong_secret, sizeof(wrong_secret), MSG_NOSIGNAL);
		send(fd, garbage, 1000, MSG_NOSIGNAL | MSG_DONTWAIT);
		break;
	case 6: /* a reset instead of an end */
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
		close(fd);
		return;
	default:
		close(fd);
		return;
	}
	if (n_strangers < (int)TEST_LEN(strangers))
		strangers[n_strangers++] = fd;
	else
		close(fd);
}

/* Gives how many doors there were. */
static int bother_all(int pid, int rounds)
{
	struct ports p;

	ports_of(pid, &p);
	for (int i = 0; i < rounds; i++) {
		for (int door = 0; door < p.n; door++)
			bother(&p, door, i % 8);
	}
	return p.n;
}

static void crowd(int pid)
{
	struct ports p;

	ports_of(pid, &p);
	for (int i = 0; i < CROWD; i++)
		bother(&p, i % p.n, 0);
}

static void strangers_leave(void)
{
	while (n_strangers > 0)
		close(strangers[--n_strangers]);
}

/* @many: a crowd that never speaks fills the place, and stays until the job is in. */
static void job(int many)
{
	struct fault_pe pes[PES], *all[PES];
	double since = fault_now();

	for (int i = 0; i < PES; i++) {
		all[i] = &pes[i];
		fault_start(&pes[i], "actor", i, PES, NULL);
	}
	fault_share(all, PES, &pes[0]);
	CHECK(bother_all(pes[0].pid, 16) > 0);
	for (int i = 0; i < PES; i++) {
		fault_tell(&pes[i], "come");
		fault_want(&pes[i], FAULT_LATE, "coming");
		if (many && i == 1)
			crowd(pes[0].pid);
		if (i < PES - 1) {
			fault_sleep(0.05);
			CHECK(bother_all(pes[0].pid, 16) > 0);
		}
	}
	for (int i = 0; i < PES; i++)
		fault_want(&pes[i], FAULT_LATE, "in");
	printf("in after %.3f s\n", fault_now() - since);
	for (int i = 0; i < PES; i++) /* all have a door of their own by now */
		CHECK(bother_all(pes[i].pid, i ? 8 : 24) > (i ? 0 : 1));
	for (int i = 0; i < PES; i++)
		fault_tell(&pes[i], "go on");
	bother_all(pes[0].pid, 8);
	for (int i = 0; i < PES; i++)
		fault_end(&pes[i]);
	strangers_leave();
}

static void fault_test(void)
{
	test_at("strangers");
	job(0);
	test_at("a crowd of strangers");
	job(1);
}
