// SPDX-License-Identifier: MIT
/*
 * Ordered accesses to what a queue shares with other threads and with the NIC, by
 * the functions of the target.
 */
#ifndef MORI_NIC_ACCESS_H
#define MORI_NIC_ACCESS_H

#include "abi/workq.h"
#include "target/target.h"

#include <stdbool.h>

#if defined(__NVPTX__) || defined(__AMDGCN__)

#ifdef __NVPTX__

/* Of system scope: a NIC is not part of the GPU. */
#define NIC_CAS(name, type, reg, how)                                                              \
	DEV_INLINE type name(void *p, type compare, type v)                                        \
	{                                                                                          \
		type old;                                                                          \
		__asm__ __volatile__("atom." how " %0, [%1], %2, %3;"                              \
				     : "=" reg(old)                                                \
				     : "l"(p), reg(compare), reg(v)                                \
				     : "memory");                                                  \
		return old;                                                                        \
	}
NIC_CAS(nic_cas_32, uint32_t, "r", "acq_rel.sys.cas.b32")
NIC_CAS(nic_cas_64, uint64_t, "l", "acq_rel.sys.cas.b64")
/* Without any order: what it counts is not yet written. */
NIC_CAS(nic_count_64, uint64_t, "l", "relaxed.sys.cas.b64")
#undef NIC_CAS

DEV_INLINE uint32_t nic_add_32(void *p, uint32_t v)
{
	uint32_t old;

	__asm__ __volatile__("atom.acq_rel.sys.add.u32 %0, [%1], %2;"
			     : "=r"(old)
			     : "l"(p), "r"(v)
			     : "memory");
	return old;
}

/* Earlier stores are seen before later ones. */
DEV_INLINE void nic_release(void)
{
	__asm__ __volatile__("fence.acq_rel.sys;" ::: "memory");
}

#else

DEV_INLINE uint32_t nic_add_32(void *p, uint32_t v)
{
	uint32_t old;

	tgt_release();
	old = tgt_add_32(p, v);
	tgt_acquire();
	return old;
}

DEV_INLINE uint32_t nic_cas_32(void *p, uint32_t compare, uint32_t v)
{
	tgt_release();
	compare = tgt_cas_32(p, compare, v);
	tgt_acquire();
	return compare;
}

DEV_INLINE uint64_t nic_cas_64(void *p, uint64_t compare, uint64_t v)
{
	tgt_release();
	compare = tgt_cas_64(p, compare, v);
	tgt_acquire();
	return compare;
}

DEV_INLINE uint64_t nic_count_64(void *p, uint64_t compare, uint64_t v)
{
	return tgt_cas_64(p, compare, v);
}

DEV_INLINE void nic_release(void)
{
	tgt_release();
}

#endif

DEV_INLINE void nic_store_64(void *p, uint64_t v)
{
	tgt_store_relaxed_64(p, v);
}

DEV_INLINE void nic_store_release_64(void *p, uint64_t v)
{
	tgt_store_release_64(p, v);
}

DEV_INLINE void nic_store_release_32(void *p, uint32_t v)
{
	nic_release();
	tgt_store_relaxed_32(p, v);
}

/* Nothing delays a store between a GPU and the register. */
DEV_INLINE void nic_doorbell_flush(void)
{
}

#else

DEV_INLINE uint32_t nic_add_32(void *p, uint32_t v)
{
	return __atomic_fetch_add((uint32_t *)p, v, __ATOMIC_ACQ_REL);
}

DEV_INLINE uint32_t nic_cas_32(void *p, uint32_t compare, uint32_t v)
{
	return (uint32_t)tgt_compare_swap(p, false, compare, v);
}

DEV_INLINE uint64_t nic_cas_64(void *p, uint64_t compare, uint64_t v)
{
	return tgt_compare_swap(p, true, compare, v);
}

DEV_INLINE uint64_t nic_count_64(void *p, uint64_t compare, uint64_t v)
{
	__atomic_compare_exchange_n((uint64_t *)p, &compare, v, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
	return compare;
}

DEV_INLINE void nic_store_64(void *p, uint64_t v)
{
	__atomic_store_n((uint64_t *)p, v, __ATOMIC_RELAXED);
}

DEV_INLINE void nic_store_release_64(void *p, uint64_t v)
{
	__atomic_store_n((uint64_t *)p, v, __ATOMIC_RELEASE);
}

DEV_INLINE void nic_store_release_32(void *p, uint32_t v)
{
	__atomic_store_n((uint32_t *)p, v, __ATOMIC_RELEASE);
}

/* A register may be mapped so that the CPU gathers stores to it: send them off. */
DEV_INLINE void nic_doorbell_flush(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#endif

/*
 * Keeps the preceding statements inside the loop body. If the compiler sank them below the loop
 * exit, lanes that run in lockstep would deadlock waiting for each other.
 */
DEV_INLINE void nic_in_step(void)
{
#ifdef __AMDGCN__
	__builtin_amdgcn_wave_barrier();
#endif
}

DEV_INLINE uint32_t nic_load_32(const void *p)
{
	return tgt_load_relaxed_32((const uint32_t *)p);
}

DEV_INLINE uint64_t nic_load_64(const void *p)
{
	return tgt_load_relaxed_64((const uint64_t *)p);
}

DEV_INLINE uint64_t nic_load_acquire_64(const void *p)
{
	return tgt_load_acquire_64(p);
}

/*
 * Rings a real register. Release: every entry and record written before it reaches memory before
 * the register does, as the NIC's manual requires; for a register that is write-combining on the
 * CPU this needs a fence.
 */
DEV_INLINE void nic_doorbell(uint64_t reg, uint64_t v)
{
	nic_doorbell_flush();
	nic_store_release_64(tgt_pointer(reg), v);
	nic_doorbell_flush();
}

#endif
