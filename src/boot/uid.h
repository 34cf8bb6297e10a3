// SPDX-License-Identifier: MIT
/*
 * The 128 bytes that the PEs of a job share: where its rendezvous listens, and the secret that
 * both sides prove to know. The layout is private to uid.c; a checksum detects bytes that were
 * never an id.
 */
#ifndef MORI_BOOT_UID_H
#define MORI_BOOT_UID_H

#include "boot/boot.h"
#include "stream/ip.h"
#include "util/mac.h"

#define UID_ADDRS_MAX 18 /* of the shortest kind */

struct uid {
	uint16_t port;
	int loopback;  /* it listens on the loopback addresses too */
	uint64_t node; /* node_real() of the listener */
	uint8_t secret[MAC_BYTES];
	struct ip_addr addrs[UID_ADDRS_MAX];
	int n_addrs;
};

/* Takes as many of @addrs as fit, in order. */
void uid_pack(const struct uid *u, const struct ip_addr *addrs, int n,
	      unsigned char out[BOOT_UID_BYTES]);
/* EINVAL for bytes that are not an id, EABI for an id of another version. */
int uid_parse(const unsigned char in[BOOT_UID_BYTES], struct uid *out);

void uid_to_hex(const unsigned char uid[BOOT_UID_BYTES], char hex[2 * BOOT_UID_BYTES + 1]);
/* 0, or -1 for anything but 256 hex digits. */
int uid_from_hex(const char *hex, unsigned char uid[BOOT_UID_BYTES]);

#endif
