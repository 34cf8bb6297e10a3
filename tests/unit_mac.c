// SPDX-License-Identifier: MIT
/* The keyed hash matches its authors' vectors, for every length of a tail. */
#include "test.h"
#include "util/mac.h"

/* Key 00 01 .. 0f, message of n bytes 00 01 ..: SipHash-2-4 with 128 bits. */
static const struct {
	size_t n;
	uint8_t mac[MAC_BYTES];
} vectors[] = {
	{ 0,
	  { 0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6, 0x6d, 0xf6, 0x72, 0x14, 0xc7, 0x55,
	    0x02, 0x93 } },
	{ 1,
	  { 0xda, 0x87, 0xc1, 0xd8, 0x6b, 0x99, 0xaf, 0x44, 0x34, 0x76, 0x59, 0x11, 0x9b, 0x22,
	    0xfc, 0x45 } },
	{ 2,
	  { 0x81, 0x77, 0x22, 0x8d, 0xa4, 0xa4, 0x5d, 0xc7, 0xfc, 0xa3, 0x8b, 0xde, 0xf6, 0x0a,
	    0xff, 0xe4 } },
};

int main(void)
{
	unsigned char key[16], text[64];
	uint8_t mac[MAC_BYTES], other[MAC_BYTES];

	for (int i = 0; i < 64; i++) {
		text[i] = (unsigned char)i;
		key[i % 16] = (unsigned char)(i % 16);
	}
	for (size_t i = 0; i < TEST_LEN(vectors); i++) {
		mac_make(key, text, vectors[i].n, mac);
		CHECK_MEM("vector", mac, vectors[i].mac, MAC_BYTES);
		CHECK(mac_same(mac, vectors[i].mac));
	}
	for (size_t n = 0; n < 64; n++) { /* any bit changes it */
		mac_make(key, text, n + 1, mac);
		text[n] ^= 0x40;
		mac_make(key, text, n + 1, other);
		CHECK(!mac_same(mac, other));
		text[n] ^= 0x40;
		key[n % 16] ^= 1;
		mac_make(key, text, n + 1, other);
		CHECK(!mac_same(mac, other));
		key[n % 16] ^= 1;
	}
	return test_result();
}
