// SPDX-License-Identifier: MIT
/*
 * What an entry requests, independent of a NIC's format, and what both sides of a queue need to
 * write and read words of a ring. Every target is little-endian.
 */
#ifndef MORI_NIC_ENTRY_H
#define MORI_NIC_ENTRY_H

#include "abi/workq.h"

#include <stdbool.h>
#include <stddef.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are written low byte first");

#define NIC_INLINE_MAX 32u /* bytes that an entry can hold itself, in every format */

enum nic_kind {
	NIC_WRITE = 1, /* local to remote */
	NIC_READ,      /* remote to local */
	NIC_INLINE,    /* data of the entry to remote */
	NIC_ADD,       /* 8 bytes; what was there goes to local */
	NIC_CAS,       /* 8 bytes */
	/*
	 * 4 or 8 bytes, mlx5 only. An add does not carry out of a bit that is set in
	 * value_mask. A compare-swap compares the bits of compare_mask and stores those of
	 * value_mask.
	 */
	NIC_MASKED_ADD,
	NIC_MASKED_CAS,
	NIC_RMW, /* soft only: 4 or 8 bytes, the read-modify-write rmw */
};

struct nic_op {
	uint32_t kind; /* enum nic_kind */
	bool signal;   /* a completion is wanted */
	uint32_t lkey, rkey;
	uint32_t rmw; /* of NIC_RMW; see amo_rmw() */
	uint64_t local, remote;
	uint64_t len; /* bytes; of an atomic its size */
	union {
		struct {
			uint64_t value, compare, value_mask, compare_mask;
		};
		uint64_t data[NIC_INLINE_MAX / 8]; /* bytes past len are 0 */
	};
};

static inline bool nic_is_atomic(uint32_t kind)
{
	return kind >= NIC_ADD;
}

static inline uint32_t nic_be_32(uint32_t v)
{
	return __builtin_bswap32(v);
}

static inline uint64_t nic_be_64(uint64_t v)
{
	return __builtin_bswap64(v);
}

/* Two words of 4 bytes in a row; @first is at the lower address. */
static inline uint64_t nic_pair(uint32_t first, uint32_t second)
{
	return (uint64_t)second << 32 | first;
}

static inline uint64_t nic_pair_be(uint32_t first, uint32_t second)
{
	return nic_pair(nic_be_32(first), nic_be_32(second));
}

/* The counter nearest above @base whose low @bits are @low. */
static inline uint64_t nic_unwrap(uint64_t base, uint64_t low, uint32_t bits)
{
	return base + ((low - base) & (((uint64_t)1 << bits) - 1));
}

/* Bytes of a slot and of a completion, as a power of 2. */
static inline uint32_t nic_log_slot(uint32_t format)
{
	return format == NIC_BNXT ? 7 : 6;
}

static inline uint32_t nic_log_cqe(uint32_t format)
{
	return format == NIC_MLX5 ? 6 : format == NIC_SOFT ? 4 : 5;
}

#endif
