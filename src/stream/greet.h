// SPDX-License-Identifier: MIT
/*
 * The greeting that opens every connection of the bootstrap and of the network, and its answer.
 * Both are a struct greeting with a keyed hash of all that precedes it, so that each side proves
 * that it knows the key and the key itself never crosses a socket. The answer carries the nonce
 * of its greeting, so that an old answer is of no use; an old greeting is refused because whoever
 * is greeted accepts each nonce, or each peer, only once. What follows on the connection is
 * neither hashed nor encrypted.
 */
#ifndef MORI_STREAM_GREET_H
#define MORI_STREAM_GREET_H

#include "util/mac.h"

#include <stdbool.h>

#define GREET_MAGIC   UINT64_C(0x6d6f72692d6e6574) /* "mori-net"; also shows the byte order */
#define GREET_VERSION 4u
#define GREET_BYTES   48 /* verbs carries 56 */

enum greet_kind {
	GREET_NET = 1,	/* one process to another: serve my requests */
	GREET_JOIN,	/* a process to the rendezvous */
	GREET_FETCH_ID, /* to the rendezvous: send me the unique id */
	GREET_FDS,	/* to a process of the same node; descriptors come with it */
	GREET_ACCEPTED,
	GREET_USE_MINE, /* both processes have greeted each other: this greeting gives way */
	GREET_REFUSED,	/* its hash is zero */
};

/* Magic number and version keep their places in every version. */
struct greeting {
	uint64_t magic;
	uint32_t version;
	int32_t from, to; /* processes, as the two number each other */
	uint32_t kind;
	uint64_t nonce; /* random, of the one who greets; GREET_FDS: what the packet holds */
	uint8_t mac[MAC_BYTES];
};

/* @nonce 0 makes a new one. 0, or -EIO where the kernel gives no random bytes. */
int greet_make(struct greeting *g, const uint8_t key[MAC_BYTES], enum greet_kind kind, int from,
	       int to, uint64_t nonce);
struct greeting greet_refusal(void);
/* Whether these @len bytes begin with a greeting, of any version. */
bool greet_is_one(const struct greeting *g, size_t len);
/* Whether @g is of this version and of @kind and was made with @key. */
bool greet_check(const struct greeting *g, const uint8_t key[MAC_BYTES], enum greet_kind kind);

/*
 * Hides @data from those who do not know @key, and shows it again; @nonce of a greeting makes
 * each use different.
 */
void greet_mask(const uint8_t key[MAC_BYTES], uint64_t nonce, uint8_t *data, size_t len);

#endif
