// SPDX-License-Identifier: MIT
/*
 * torchrun's processes know an address and a port, which belong to its own store. Rank 0 opens the
 * rendezvous and hands out its id on a second port, the first free one of a list that all ranks
 * derive alike; the others try the ports of the list in turn. The key of the greeting is a digest
 * of the job and of the turn, so that any other service on those ports, even another job of ours,
 * is skipped.
 */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/boot_priv.h"
#include "boot/find.h"
#include "stream/listen.h"
#include "boot/rdv.h"
#include "stream/socket.h"
#include "util/backoff.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"

#define CANDIDATES 32
#define PORT_LOW   20000 /* below the range that Linux gives to clients, 32768 and up */
#define PORT_COUNT 12000

struct torchrun {
	char addr[256];
	int master_port;
	uint8_t key[MAC_BYTES];
};

static const char *env_or(const char *name, const char *other)
{
	const char *text = getenv(name);

	return text ? text : other;
}

/* The @i-th port of the job of this master port. */
static uint16_t torchrun_port(const struct torchrun *t, int i)
{
	uint64_t first = wire_hash(4, &t->master_port, sizeof(t->master_port));
	uint64_t step = 2 * (first >> 32 & 0xff) + 7; /* so that two jobs rarely share a list */
	uint16_t port = (uint16_t)(PORT_LOW + (first + (uint64_t)i * step) % PORT_COUNT);

	return port == t->master_port ? PORT_LOW + PORT_COUNT : port;
}

static int torchrun_read(struct torchrun *t, const struct boot_job *job)
{
	static int turns; /* counts the inits of this process */
	char text[1024];
	int err = find_int("MASTER_PORT", 1, 65535, &t->master_port);

	if (err < 0)
		return err;
	snprintf(t->addr, sizeof(t->addr), "%s", env_or("MASTER_ADDR", ""));
	snprintf(text, sizeof(text), "torchrun|%s|%s|%s|%d|%d|%d",
		 env_or("TORCHELASTIC_RUN_ID", ""), env_or("TORCHELASTIC_RESTART_COUNT", ""),
		 t->addr, t->master_port, job->nranks,
		 __atomic_fetch_add(&turns, 1, __ATOMIC_RELAXED));
	wire_digest(text, t->key);
	return 0;
}

static int torchrun_serve(const struct torchrun *t, const struct boot_config *config,
			  struct boot_job *job)
{
	struct listener_set l;

	for (int i = 0; i < CANDIDATES; i++) {
		uint16_t port = torchrun_port(t, i);

		if (listen_open(config->ifname, port, &l) == 0) {
			log_debug("torchrun: the unique id is on port %u", port);
			return rdv_open(config, 1, &l, t->key, job->uid);
		}
		log_debug("torchrun: port %u is taken", port);
	}
	return err_set(MORI_SHMEM_EIO, "torchrun: none of %d ports from %u on could be had",
		       CANDIDATES, torchrun_port(t, 0));
}

/* One port at one address: 0 and the id, or an error. */
static int torchrun_request(const struct torchrun *t, const struct addrinfo *ai, uint16_t port,
			    int64_t deadline, unsigned char *uid)
{
	struct sockaddr_storage sa = { 0 };
	struct greeting answer;
	struct uid parsed;
	int fd, err;

	memcpy(&sa, ai->ai_addr, ai->ai_addrlen);
	/* The port is in the same place for both families. */
	((struct sockaddr_in *)&sa)->sin_port = htons(port);
	/* Another service there may be silent: a second is enough to know. */
	deadline = clock_sooner(deadline, 1.0);
	err = link_greet((struct sockaddr *)&sa, ai->ai_addrlen, t->key, GREET_FETCH_ID, deadline,
			 &answer, &fd);
	if (err)
		return err;
	err = socket_recv(fd, uid, BOOT_UID_BYTES, deadline);
	socket_close(fd);
	greet_mask(t->key, answer.nonce, uid, BOOT_UID_BYTES);
	return err ? err : uid_parse(uid, &parsed);
}

static int torchrun_resolve(const struct torchrun *t, struct addrinfo **out)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	int err = getaddrinfo(t->addr, NULL, &hints, out);

	if (err)
		return err_set(MORI_SHMEM_EREACH, "MASTER_ADDR='%s': %s", t->addr,
			       gai_strerror(err));
	return 0;
}

static int torchrun_fetch(const struct torchrun *t, const struct boot_config *config,
			  struct boot_job *job)
{
	struct backoff pause = backoff_start(BACKOFF_CONNECT, NULL);
	int64_t deadline = clock_deadline(config->timeout_s);
	struct addrinfo *all;
	int err = torchrun_resolve(t, &all);

	if (err)
		return err;
	do {
		for (int i = 0; i < CANDIDATES; i++) {
			for (struct addrinfo *ai = all; ai; ai = ai->ai_next) {
				if (torchrun_request(t, ai, torchrun_port(t, i), deadline,
						     job->uid))
					continue;
				freeaddrinfo(all);
				return 0;
			}
		}
		backoff_wait(&pause);
	} while (clock_left_ms(deadline) > 0);
	freeaddrinfo(all);
	return err_set(
		MORI_SHMEM_ETIMEDOUT,
		"torchrun: rank 0 did not hand out the unique id at %s within %g s (ports %u "
		"and on, derived from MASTER_PORT=%d)",
		t->addr, config->timeout_s, torchrun_port(t, 0), t->master_port);
}

int torchrun_share(const struct boot_config *config, struct boot_job *job)
{
	struct torchrun t;
	int err = torchrun_read(&t, job);

	if (err)
		return err;
	return job->rank == 0 ? torchrun_serve(&t, config, job) : torchrun_fetch(&t, config, job);
}
