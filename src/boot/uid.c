// SPDX-License-Identifier: MIT
/*
 * Packing of the unique id, as offset, field and length:
 *   0 magic 4 | 4 version 1 | 5 flags 1 | 6 port 2 | 8 node 8 | 16 secret 16 |
 *   32 addresses (family byte, 4 or 16 bytes; family 0 ends) | 124 checksum 4
 */
#include "boot/uid.h"

#include "boot/wire.h"

#include <stdio.h>
#include <string.h>

#include "util/err.h"

#define UID_MAGIC   UINT32_C(0x69726f6d) /* "mori" */
#define UID_VERSION 2
#define UID_ADDRS   32
#define UID_CHECK   124

static uint32_t uid_check(const unsigned char *in)
{
	return (uint32_t)wire_hash(3, in, UID_CHECK);
}

void uid_pack(const struct uid *u, const struct ip_addr *addrs, int n,
	      unsigned char out[BOOT_UID_BYTES])
{
	uint32_t magic = UID_MAGIC, check;
	size_t at = UID_ADDRS;

	memset(out, 0, BOOT_UID_BYTES);
	memcpy(out, &magic, 4);
	out[4] = UID_VERSION;
	out[5] = u->loopback != 0;
	memcpy(out + 6, &u->port, 2);
	memcpy(out + 8, &u->node, 8);
	memcpy(out + 16, u->secret, MAC_BYTES);
	for (int i = 0; i < n; i++) {
		size_t len = addrs[i].family == 4 ? 4 : 16;

		if (at + 1 + len > UID_CHECK)
			continue; /* a shorter one may still fit */
		out[at] = addrs[i].family;
		memcpy(out + at + 1, addrs[i].bytes, len);
		at += 1 + len;
	}
	check = uid_check(out);
	memcpy(out + UID_CHECK, &check, 4);
}

int uid_parse(const unsigned char in[BOOT_UID_BYTES], struct uid *out)
{
	static const unsigned char zero[BOOT_UID_BYTES];
	uint32_t magic, check;
	size_t at = UID_ADDRS;

	memset(out, 0, sizeof(*out));
	memcpy(&magic, in, 4);
	memcpy(&check, in + UID_CHECK, 4);
	if (!memcmp(in, zero, BOOT_UID_BYTES))
		return err_set(MORI_SHMEM_EINVAL, "the unique id is all zero: share the bytes of "
						  "mori_shmem_get_unique_id() of one PE with all");
	if (magic != UID_MAGIC || check != uid_check(in))
		return err_set(MORI_SHMEM_EINVAL, "these 128 bytes are not a unique id of "
						  "mori_shmem_get_unique_id()");
	if (in[4] != UID_VERSION)
		return err_set(MORI_SHMEM_EABI,
			       "the unique id is of version %d, this library speaks version %d",
			       in[4], UID_VERSION);
	out->loopback = in[5] & 1;
	memcpy(&out->port, in + 6, 2);
	memcpy(&out->node, in + 8, 8);
	memcpy(out->secret, in + 16, MAC_BYTES);
	while (at < UID_CHECK && (in[at] == 4 || in[at] == 6)) {
		struct ip_addr *a = &out->addrs[out->n_addrs];
		size_t len = in[at] == 4 ? 4 : 16;

		if (at + 1 + len > UID_CHECK || out->n_addrs == UID_ADDRS_MAX)
			break;
		a->family = in[at];
		memcpy(a->bytes, in + at + 1, len);
		at += 1 + len;
		out->n_addrs++;
	}
	return 0;
}

void uid_to_hex(const unsigned char uid[BOOT_UID_BYTES], char hex[2 * BOOT_UID_BYTES + 1])
{
	for (int i = 0; i < BOOT_UID_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", uid[i]);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int uid_from_hex(const char *hex, unsigned char uid[BOOT_UID_BYTES])
{
	if (strlen(hex) != 2 * BOOT_UID_BYTES)
		return -1;
	for (int i = 0; i < BOOT_UID_BYTES; i++) {
		int hi = hex_digit(hex[2 * i]), lo = hex_digit(hex[2 * i + 1]);

		if (hi < 0 || lo < 0)
			return -1;
		uid[i] = (unsigned char)(hi << 4 | lo);
	}
	return 0;
}
