// SPDX-License-Identifier: MIT
/*
 * A keyed hash (SipHash-2-4, its form with 16 bytes): whoever does not know the key
 * cannot tell the hash of any bytes, nor learn the key from hashes.
 */
#ifndef MORI_UTIL_MAC_H
#define MORI_UTIL_MAC_H

#include <stddef.h>
#include <stdint.h>

#define MAC_BYTES 16

void mac_make(const unsigned char key[16], const void *data, size_t len, uint8_t out[MAC_BYTES]);
/* In constant time. */
int mac_same(const uint8_t a[MAC_BYTES], const uint8_t b[MAC_BYTES]);

#endif
