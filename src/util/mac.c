// SPDX-License-Identifier: MIT
#include "util/mac.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

static uint64_t mac_rotate(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

static void mac_rounds(uint64_t v[4], int n)
{
	while (n--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = mac_rotate(v[1], 13) ^ v[0];
		v[3] = mac_rotate(v[3], 16) ^ v[2];
		v[0] = mac_rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = mac_rotate(v[1], 17) ^ v[2];
		v[3] = mac_rotate(v[3], 21) ^ v[0];
		v[2] = mac_rotate(v[2], 32);
	}
}

static void mac_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	mac_rounds(v, 2);
	v[0] ^= word;
}

void mac_make(const unsigned char key[16], const void *data, size_t len, uint8_t out[MAC_BYTES])
{
	const uint8_t *p = data;
	uint64_t k[2], v[4], word, half[2];
	size_t left = len;

	memcpy(k, key, sizeof(k));
	v[0] = k[0] ^ UINT64_C(0x736f6d6570736575);
	v[1] = k[1] ^ UINT64_C(0x646f72616e646f6d) ^ 0xee;
	v[2] = k[0] ^ UINT64_C(0x6c7967656e657261);
	v[3] = k[1] ^ UINT64_C(0x7465646279746573);
	for (; left >= 8; left -= 8, p += 8) {
		memcpy(&word, p, 8);
		mac_word(v, word);
	}
	word = 0;
	memcpy(&word, p, left);
	mac_word(v, word | (uint64_t)len << 56);
	v[2] ^= 0xee;
	mac_rounds(v, 4);
	half[0] = v[0] ^ v[1] ^ v[2] ^ v[3];
	v[1] ^= 0xdd;
	mac_rounds(v, 4);
	half[1] = v[0] ^ v[1] ^ v[2] ^ v[3];
	memcpy(out, half, MAC_BYTES);
}

int mac_same(const uint8_t a[MAC_BYTES], const uint8_t b[MAC_BYTES])
{
	uint8_t differ = 0;

	for (int i = 0; i < MAC_BYTES; i++)
		differ |= a[i] ^ b[i];
	return !differ;
}

int mac_random(void *buf, size_t len)
{
	size_t have = 0;

	while (have < len) {
		ssize_t got = getrandom((char *)buf + have, len - have, 0);

		if (got < 0 && errno != EINTR)
			return -errno;
		have += got > 0 ? (size_t)got : 0;
	}
	return 0;
}
