// SPDX-License-Identifier: MIT
#include "stream/greet.h"

#include <errno.h>
#include <string.h>

int greet_make(struct greeting *g, const uint8_t key[MAC_BYTES], enum greet_kind kind, int from,
	       int to, uint64_t nonce)
{
	_Static_assert(sizeof(*g) == GREET_BYTES, "what is sent");
	if (!nonce && mac_random(&nonce, sizeof(nonce)))
		return -EIO;
	*g = greet_refusal();
	g->from = from;
	g->to = to;
	g->kind = kind;
	g->nonce = nonce;
	mac_make(key, g, offsetof(struct greeting, mac), g->mac);
	return 0;
}

struct greeting greet_refusal(void)
{
	return (struct greeting){ .magic = GREET_MAGIC,
				  .version = GREET_VERSION,
				  .kind = GREET_REFUSED };
}

bool greet_is_one(const struct greeting *g, size_t len)
{
	return len >= sizeof(*g) && g->magic == GREET_MAGIC;
}

bool greet_check(const struct greeting *g, const uint8_t key[MAC_BYTES], enum greet_kind kind)
{
	uint8_t mac[MAC_BYTES];

	if (!greet_is_one(g, sizeof(*g)) || g->version != GREET_VERSION || g->kind != kind)
		return false;
	mac_make(key, g, offsetof(struct greeting, mac), mac);
	return mac_same(mac, g->mac);
}

void greet_mask(const uint8_t key[MAC_BYTES], uint64_t nonce, uint8_t *data, size_t len)
{
	struct {
		uint64_t nonce, block;
		char what[8];
	} text = { nonce, 0, "mask" };
	uint8_t mask[MAC_BYTES];

	for (size_t i = 0; i < len; i++) {
		if (i % MAC_BYTES == 0) {
			mac_make(key, &text, sizeof(text), mask);
			text.block++;
		}
		data[i] ^= mask[i % MAC_BYTES];
	}
}
