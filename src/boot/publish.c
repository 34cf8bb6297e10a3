// SPDX-License-Identifier: MIT
/*
 * The port is the first free one of a list that all processes derive alike; those that fetch the
 * id try the ports of the list in turn. The key of the greeting is a digest of the job and of the
 * turn, so that any other service on those ports, even another job of ours, is skipped.
 */
#include "boot/publish.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "boot/boot_priv.h"
#include "boot/rdv.h"
#include "stream/listen.h"
#include "stream/socket.h"
#include "util/backoff.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"

#define CANDIDATES 32
#define PORT_LOW   20000 /* below the range that Linux gives to clients, 32768 and up */
#define PORT_COUNT 12000

/* The @i-th port of the list. */
static uint16_t publish_port(const struct publish *p, int i)
{
	uint64_t first = wire_hash(4, &p->number, sizeof(p->number));
	uint64_t step = 2 * (first >> 32 & 0xff) + 7; /* so that two jobs rarely share a list */
	uint16_t port = (uint16_t)(PORT_LOW + (first + (uint64_t)i * step) % PORT_COUNT);

	return port == p->not_port ? PORT_LOW + PORT_COUNT : port;
}

static void publish_key(const struct publish *p, uint8_t key[MAC_BYTES])
{
	static int turns; /* counts the inits of this process */
	char text[sizeof(p->job) + 16];

	snprintf(text, sizeof(text), "%s|%d", p->job,
		 __atomic_fetch_add(&turns, 1, __ATOMIC_RELAXED));
	wire_digest(text, key);
}

static int publish_serve(const struct publish *p, const uint8_t *key,
			 const struct boot_config *config, struct boot_job *job)
{
	struct listener_set l;

	for (int i = 0; i < CANDIDATES; i++) {
		uint16_t port = publish_port(p, i);

		if (listen_open(p->ifname, port, &l) == 0) {
			log_debug("%s: the unique id is on port %u", p->way, port);
			return rdv_open(config, 1, &l, key, job->uid);
		}
		log_debug("%s: port %u is taken", p->way, port);
	}
	return err_set(MORI_SHMEM_EIO, "%s: none of %d ports from %u on could be had", p->way,
		       CANDIDATES, publish_port(p, 0));
}

/* One port at one address: 0 and the id, or an error. */
static int publish_request(const uint8_t *key, const struct addrinfo *ai, uint16_t port,
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
	err = link_greet((struct sockaddr *)&sa, ai->ai_addrlen, key, GREET_FETCH_ID, deadline,
			 &answer, &fd);
	if (err)
		return err;
	err = socket_recv(fd, uid, BOOT_UID_BYTES, deadline);
	socket_close(fd);
	greet_mask(key, answer.nonce, uid, BOOT_UID_BYTES);
	return err ? err : uid_parse(uid, &parsed);
}

static int publish_resolve(const struct publish *p, struct addrinfo **out)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	int err = getaddrinfo(p->addr, NULL, &hints, out);

	if (err)
		return err_set(MORI_SHMEM_EREACH, "%s='%s': %s%s", p->named, p->addr,
			       gai_strerror(err), p->instead);
	return 0;
}

static int publish_fetch(const struct publish *p, const uint8_t *key,
			 const struct boot_config *config, struct boot_job *job)
{
	struct backoff pause = backoff_start(BACKOFF_CONNECT, NULL);
	struct clock_lasting lasting = clock_lasting(config->report_s);
	int64_t deadline = clock_deadline(config->timeout_s);
	struct addrinfo *all;
	int err = publish_resolve(p, &all);

	if (err)
		return err;
	do {
		for (int i = 0; i < CANDIDATES; i++) {
			for (struct addrinfo *ai = all; ai; ai = ai->ai_next) {
				if (publish_request(key, ai, publish_port(p, i), deadline,
						    job->uid))
					continue;
				freeaddrinfo(all);
				return 0;
			}
		}
		if (clock_lasts(&lasting, clock_now()))
			log_warn("mori_shmem_init has waited for %.3g s: nobody hands out the "
				 "unique id at %s (ports %u and on, derived from %s); has rank 0 "
				 "called it there?",
				 (double)(clock_now() - lasting.since) / 1e9, p->addr,
				 publish_port(p, 0), p->from);
		backoff_wait(&pause);
	} while (clock_left_ms(deadline) > 0);
	freeaddrinfo(all);
	return err_set(MORI_SHMEM_ETIMEDOUT,
		       "%s: nobody handed out the unique id at %s within %g s (ports %u and on, "
		       "derived from %s)",
		       p->way, p->addr, config->timeout_s, publish_port(p, 0), p->from);
}

int publish_share(const struct publish *p, const struct boot_config *config, struct boot_job *job)
{
	uint8_t key[MAC_BYTES];

	publish_key(p, key);
	return p->here ? publish_serve(p, key, config, job) : publish_fetch(p, key, config, job);
}
