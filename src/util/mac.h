// SPDX-License-Identifier: MIT
/*
 * A keyed hash (SipHash-2-4, in its 16-byte form): without the key nobody can compute the hash of
 * any bytes, nor derive the key from hashes.
 */
#ifndef MORI_UTIL_MAC_H
#define MORI_UTIL_MAC_H

#include <stddef.h>
#include <stdint.h>

#define MAC_BYTES 16

void mac_make(const unsigned char key[16], const void *data, size_t len, uint8_t out[MAC_BYTES]);
/* In constant time. */
int mac_same(const uint8_t a[MAC_BYTES], const uint8_t b[MAC_BYTES]);

/* Bytes of the kernel's random generator: 0 or -errno. */
int mac_random(void *buf, size_t len);

#endif
