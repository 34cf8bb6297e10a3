// SPDX-License-Identifier: MIT
/*
 * Types and constants shared by host and device: status codes, operation codes and
 * the small structs that both use. C11 and C++.
 */
#ifndef MORI_SHMEM_TYPES_H
#define MORI_SHMEM_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifndef MORI_SHMEM_EXPORT
#define MORI_SHMEM_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum mori_shmem_status - what a call returns: 0, or one of these negative codes.
 * mori_shmem_strerror() returns the name and a sentence, mori_shmem_last_error() the details.
 */
enum mori_shmem_status {
	MORI_SHMEM_SUCCESS = 0,
	MORI_SHMEM_EINVAL = -1,	   /**< a wrong argument: a PE, an address, a size, a code */
	MORI_SHMEM_ENOMEM = -2,	   /**< out of symmetric or ordinary memory */
	MORI_SHMEM_ENOENT = -3,	   /**< no such block, buffer, module or symbol */
	MORI_SHMEM_EPEER = -4,	   /**< a PE was lost; last_error names it */
	MORI_SHMEM_ETIMEDOUT = -5, /**< a deadline passed */
	MORI_SHMEM_EMISMATCH = -6, /**< the PEs of a collective call disagree */
	MORI_SHMEM_EFAULT = -7,	   /**< memory could not be read or written */
	MORI_SHMEM_ENOTSUP = -8,   /**< not possible on this device or path */
	MORI_SHMEM_EABI = -9,	   /**< made for another version of the library */
	MORI_SHMEM_ESTATE = -10,   /**< not allowed now: before init, after finalize, twice */
	MORI_SHMEM_EREACH = -11,   /**< no way to reach that PE or memory */
	MORI_SHMEM_EIO = -12,	   /**< the operating system, a socket or a driver failed */
};

/** Comparisons of the wait and test calls. */
enum mori_shmem_cmp {
	MORI_SHMEM_CMP_EQ = 0,
	MORI_SHMEM_CMP_NE = 1,
	MORI_SHMEM_CMP_GT = 2,
	MORI_SHMEM_CMP_GE = 3,
	MORI_SHMEM_CMP_LT = 4,
	MORI_SHMEM_CMP_LE = 5,
};

/** Signal operations; 3 and 4 are accepted for 9 and 10. */
enum mori_shmem_signal_op {
	MORI_SHMEM_SIGNAL_SET = 9,
	MORI_SHMEM_SIGNAL_ADD = 10,
};

/** Atomic operations. */
enum mori_shmem_amo {
	MORI_SHMEM_AMO_INC = 2,
	MORI_SHMEM_AMO_SET = 3,
	MORI_SHMEM_AMO_ADD = 4,
	MORI_SHMEM_AMO_AND = 5,
	MORI_SHMEM_AMO_OR = 6,
	MORI_SHMEM_AMO_XOR = 7,
	MORI_SHMEM_AMO_FETCH = 12,
	MORI_SHMEM_AMO_FETCH_INC = 13,
	MORI_SHMEM_AMO_FETCH_ADD = 14,
	MORI_SHMEM_AMO_FETCH_AND = 15,
	MORI_SHMEM_AMO_FETCH_OR = 16,
	MORI_SHMEM_AMO_FETCH_XOR = 17,
	MORI_SHMEM_AMO_SWAP = 18,
	MORI_SHMEM_AMO_COMPARE_SWAP = 19,
};

/**
 * struct mori_shmem_memobj - memory known to the library, passed by value.
 * mori_shmem_query_memobj() fills it in; the object forms take it with an offset.
 */
typedef struct mori_shmem_memobj {
	uint64_t addr; /**< first byte, as this PE sees it */
	uint64_t size; /**< bytes from there on */
	uint64_t kind; /**< enum mori_shmem_memobj_kind */
} mori_shmem_memobj_t;

enum mori_shmem_memobj_kind {
	MORI_SHMEM_MEMOBJ_HEAP = 1,   /**< a block of the symmetric heap */
	MORI_SHMEM_MEMOBJ_WINDOW = 2, /**< memory of mori_shmem_symmetric_register() */
	MORI_SHMEM_MEMOBJ_BUFFER = 3, /**< memory of mori_shmem_buffer_register(); local only */
};

/**
 * mori_shmem_team_t - a set of PEs that make collective calls together; a small number, the same on
 * every member. Its PEs are numbered from 0 on.
 */
typedef int32_t mori_shmem_team_t;

enum mori_shmem_teams {
	MORI_SHMEM_TEAM_INVALID = -1, /**< no team: what a PE gets of a team that it is not in */
	MORI_SHMEM_TEAM_WORLD = 0,    /**< all PEs of the job */
	MORI_SHMEM_TEAM_SHARED = 1,   /**< the PEs that load and store reach, this one included */
	MORI_SHMEM_TEAM_NODE = 2,     /**< the PEs of this PE's node */
};

/** Types of elements of the collective calls. */
enum mori_shmem_dtype {
	MORI_SHMEM_FLOAT32 = 0,
	MORI_SHMEM_FLOAT64 = 1,
	MORI_SHMEM_FLOAT16 = 2,
	MORI_SHMEM_BFLOAT16 = 3,
	MORI_SHMEM_INT8 = 4,
	MORI_SHMEM_UINT8 = 5,
	MORI_SHMEM_INT16 = 6,
	MORI_SHMEM_UINT16 = 7,
	MORI_SHMEM_INT32 = 8,
	MORI_SHMEM_UINT32 = 9,
	MORI_SHMEM_INT64 = 10,
	MORI_SHMEM_UINT64 = 11,
	MORI_SHMEM_FLOAT8_E4M3FN = 12,
	MORI_SHMEM_FLOAT8_E4M3FNUZ = 13,
	MORI_SHMEM_FLOAT8_E5M2 = 14,
	MORI_SHMEM_FLOAT8_E5M2FNUZ = 15,
};

/**
 * Operations of reductions. Floating-point sums, products and averages are computed in float
 * (double for FLOAT64) in the order of the members, ((x0 + x1) + x2) + ..., and rounded to the type
 * once; so every member gets the same bits, whatever the path. AND, OR and XOR are for integers.
 */
enum mori_shmem_reduce_op {
	MORI_SHMEM_SUM = 0,
	MORI_SHMEM_PROD = 1,
	MORI_SHMEM_MIN = 2, /**< of floating-point numbers: NaN if one of them is */
	MORI_SHMEM_MAX = 3,
	MORI_SHMEM_AVG = 4, /**< the sum divided by the number of members, of integers toward 0 */
	MORI_SHMEM_AND = 5,
	MORI_SHMEM_OR = 6,
	MORI_SHMEM_XOR = 7,
};

#ifdef __cplusplus
}
#endif
#endif
