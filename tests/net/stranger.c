// SPDX-License-Identifier: MIT
/*
 * A process without the secret that connects to a port of a job: sends nothing, noise, a greeting
 * made up, and what it overhears on the way to that port, once more. Or it listens to all
 * of the network from before the job starts, and repeats every greeting it receives.
 * No process may answer with more than a refusal; 1 if one did, or if none was received.
 *
 *	stranger ADDRESS PORT
 *	stranger overhear SECONDS
 */
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#define CROWD 40	 /* that say nothing */
#define HELLO 48	 /* bytes of a greeting, */
#define MAGIC "ten-irom" /* as it begins */
#define HEARD 16

static struct sockaddr_in there;

static int knock(void)
{
	struct timeval limit = { .tv_sec = 25 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&there, sizeof(there))) {
		close(fd);
		return -1;
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return fd;
}

/* How many bytes come back before the other side hangs up. */
static long say(const void *text, size_t len)
{
	int fd = knock();
	char back[4096];
	long got = 0;
	ssize_t n = 0;

	if (fd < 0)
		return 0; /* turned away at once */
	if (len && send(fd, text, len, MSG_NOSIGNAL) < 0)
		n = -1;
	while (n >= 0 && (n = recv(fd, back, sizeof(back), 0)) > 0)
		got += n;
	CHECK(n <= 0 && !(n < 0 && errno == EAGAIN)); /* it must hang up */
	close(fd);
	return got;
}

/* Data of a TCP packet, and where it goes; NULL for others. */
static const unsigned char *payload(const unsigned char *p, ssize_t n, size_t *len,
				    struct sockaddr_in *to)
{
	size_t ip, tcp, all;

	if (n < 54 || p[12] != 8 || p[13] != 0 || p[23] != IPPROTO_TCP)
		return NULL;
	ip = (p[14] & 15u) * 4;
	all = (size_t)p[16] << 8 | p[17];
	to->sin_family = AF_INET;
	memcpy(&to->sin_addr, p + 30, 4);
	memcpy(&to->sin_port, p + 14 + ip + 2, 2);
	tcp = (size_t)(p[14 + ip + 12] >> 4) * 4;
	if (all <= ip + tcp || 14 + all > (size_t)n)
		return NULL;
	*len = all - ip - tcp;
	return p + 14 + ip + tcp;
}

/* What others send to that port, repeated. */
static void repeat(void)
{
	int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)), said = 0;
	struct timeval limit = { .tv_usec = 300000 };
	static unsigned char packet[70000];

	if (fd < 0)
		return;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	for (int i = 0; i < 2000 && said < 3; i++) {
		ssize_t n = recv(fd, packet, sizeof(packet), 0);
		const unsigned char *data;
		struct sockaddr_in to;
		size_t len;

		if (n < 0)
			break;
		data = payload(packet, n, &len, &to);
		if (!data || len > 1400 || to.sin_port != there.sin_port ||
		    to.sin_addr.s_addr != there.sin_addr.s_addr)
			continue;
		CHECK_EQ("an answer to what was overheard", say(data, len), 0);
		said++;
	}
	close(fd);
	printf("%d packets said again\n", said);
}

/* Every greeting of the next @seconds, once more, while its sender is connected. */
static void overhear(int seconds)
{
	int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)), n_heard = 0;
	struct timeval limit = { .tv_usec = 100000 };
	static unsigned char packet[70000], heard[HEARD][HELLO];
	struct sockaddr_in to[HEARD];
	time_t end = time(NULL) + seconds;

	if (!CHECK(fd >= 0))
		return;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	while (time(NULL) < end && n_heard < HEARD) {
		ssize_t n = recv(fd, packet, sizeof(packet), 0);
		size_t len = 0;
		const unsigned char *data = n < 0 ? NULL : payload(packet, n, &len, &to[n_heard]);

		/* A packet is seen at both ends of a bridge. */
		if (!data || len != HELLO || memcmp(data, MAGIC, sizeof(MAGIC) - 1) ||
		    (n_heard && !memcmp(heard[n_heard - 1], data, HELLO)))
			continue;
		if (data[20] <= 2) /* GREET_NET or GREET_JOIN, not an answer */
			memcpy(heard[n_heard++], data, HELLO);
	}
	close(fd);
	CHECK(n_heard > 0);
	for (int i = 0; i < n_heard; i++) {
		there = to[i];
		/* A refusal may mean that they are connected the other way round. */
		CHECK(say(heard[i], HELLO) <= HELLO);
	}
	printf("%d greetings said again\n", n_heard);
}

int main(int argc, char **argv)
{
	static unsigned char noise[100000];
	int crowd[CROWD];

	test_deadline(60);
	if (argc == 3 && !strcmp(argv[1], "overhear")) {
		overhear(atoi(argv[2]));
		return test_result();
	}
	if (argc != 3 || inet_pton(AF_INET, argv[1], &there.sin_addr) != 1)
		return 2;
	there.sin_family = AF_INET;
	there.sin_port = htons((uint16_t)atoi(argv[2]));
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (unsigned char)(i * 2654435761u >> 11);
	for (int i = 0; i < CROWD; i++)
		crowd[i] = knock();
	CHECK_EQ("an answer to noise", say(noise, 3), 0);
	CHECK_EQ("an answer to noise", say(noise, 48), 0);
	CHECK_EQ("an answer to noise", say(noise, sizeof(noise)), 0);
	memcpy(noise, MAGIC, sizeof(MAGIC) - 1);
	CHECK_EQ("an answer to a greeting made up", say(noise, HELLO), 0);
	repeat();
	for (int i = 0; i < CROWD; i++)
		close(crowd[i]);
	return test_result();
}
