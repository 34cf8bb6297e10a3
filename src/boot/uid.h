// SPDX-License-Identifier: MIT
/*
 * The 128 bytes that PEs share to meet: where a rendezvous listens, what a
 * client must prove to it, and what it must prove back. The layout is private
 * to uid.c; a check sum tells bytes that were never an id.
 */
#ifndef MORI_BOOT_UID_H
#define MORI_BOOT_UID_H

#include "boot/boot.h"
#include "boot/node.h"

#define UID_ADDRS_MAX 15 /* of the shortest kind, in the bytes there are */

struct uid {
	uint16_t port;
	int loopback;  /* it listens on the loopback addresses too */
	uint64_t node; /* node_real() of the listener */
	uint8_t client_secret[WIRE_SECRET];
	uint8_t server_secret[WIRE_SECRET];
	struct node_addr addrs[UID_ADDRS_MAX];
	int n_addrs;
};

/* Takes as many of @addrs as fit, in order. */
void uid_pack(const struct uid *u, const struct node_addr *addrs, int n,
	      unsigned char out[BOOT_UID_BYTES]);
/* EINVAL for what is no id, EABI for one of another version. */
int uid_parse(const unsigned char in[BOOT_UID_BYTES], struct uid *out);

void uid_to_hex(const unsigned char uid[BOOT_UID_BYTES], char hex[2 * BOOT_UID_BYTES + 1]);
/* 0, or -1 for anything but 256 hex digits. */
int uid_from_hex(const char *hex, unsigned char uid[BOOT_UID_BYTES]);

#endif
