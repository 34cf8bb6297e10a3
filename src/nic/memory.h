// SPDX-License-Identifier: MIT
/*
 * Ordered accesses to what a queue shares with other threads and with the NIC, by
 * the functions of the target. Who includes this has included the target before,
 * with dev/dev.h: the folder dev is above this one.
 */
#ifndef MORI_NIC_MEMORY_H
#define MORI_NIC_MEMORY_H

#include "abi/queue.h"

#include <stdbool.h>

#define NIC_LEAF static inline __attribute__((unused))
/* Too long, and too many registers, to be in every operation: one copy for all. */
#define NIC_CALL static __attribute__((noinline, unused))

#if defined(__NVPTX__) || defined(__AMDGCN__)

#ifdef __NVPTX__

/* Of the system's scope: a NIC is no part of the GPU. */
#define NIC_CAS(name, type, reg, how)                                                              \
	NIC_LEAF type name(void *p, type compare, type v)                                          \
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

NIC_LEAF uint32_t nic_add_32(void *p, uint32_t v)
{
	uint32_t old;

	__asm__ __volatile__("atom.acq_rel.sys.add.u32 %0, [%1], %2;"
			     : "=r"(old)
			     : "l"(p), "r"(v)
			     : "memory");
	return old;
}

/* Earlier stores are seen before later ones. */
NIC_LEAF void nic_release(void)
{
	__asm__ __volatile__("fence.acq_rel.sys;" ::: "memory");
}

#else

NIC_LEAF uint32_t nic_add_32(void *p, uint32_t v)
{
	return tgt_add_32(p, v);
}

NIC_LEAF uint32_t nic_cas_32(void *p, uint32_t compare, uint32_t v)
{
	return tgt_cas_32(p, compare, v);
}

NIC_LEAF uint64_t nic_cas_64(void *p, uint64_t compare, uint64_t v)
{
	return tgt_cas_64(p, compare, v);
}

NIC_LEAF uint64_t nic_count_64(void *p, uint64_t compare, uint64_t v)
{
	__scoped_atomic_compare_exchange_n((uint64_t *)p, &compare, v, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
	return compare;
}

NIC_LEAF void nic_release(void)
{
	tgt_release();
}

#endif

NIC_LEAF void nic_store_64(void *p, uint64_t v)
{
	tgt_store_relaxed_64(p, v);
}

NIC_LEAF void nic_store_release_64(void *p, uint64_t v)
{
	tgt_store_release_64(p, v);
}

NIC_LEAF void nic_store_release_32(void *p, uint32_t v)
{
	nic_release();
	tgt_store_relaxed_32(p, v);
}

/* Nothing between a GPU and the register holds a store back. */
NIC_LEAF void nic_doorbell_flush(void)
{
}

#else

NIC_LEAF uint32_t nic_add_32(void *p, uint32_t v)
{
	return __atomic_fetch_add((uint32_t *)p, v, __ATOMIC_ACQ_REL);
}

NIC_LEAF uint32_t nic_cas_32(void *p, uint32_t compare, uint32_t v)
{
	return (uint32_t)tgt_compare_swap(p, false, compare, v);
}

NIC_LEAF uint64_t nic_cas_64(void *p, uint64_t compare, uint64_t v)
{
	return tgt_compare_swap(p, true, compare, v);
}

NIC_LEAF uint64_t nic_count_64(void *p, uint64_t compare, uint64_t v)
{
	__atomic_compare_exchange_n((uint64_t *)p, &compare, v, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
	return compare;
}

NIC_LEAF void nic_store_64(void *p, uint64_t v)
{
	__atomic_store_n((uint64_t *)p, v, __ATOMIC_RELAXED);
}

NIC_LEAF void nic_store_release_64(void *p, uint64_t v)
{
	__atomic_store_n((uint64_t *)p, v, __ATOMIC_RELEASE);
}

NIC_LEAF void nic_store_release_32(void *p, uint32_t v)
{
	__atomic_store_n((uint32_t *)p, v, __ATOMIC_RELEASE);
}

/* A register may be mapped so that the CPU gathers stores to it: send them off. */
NIC_LEAF void nic_doorbell_flush(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#endif

/*
 * What comes before it in the body of a loop stays there: the compiler must not move
 * what a lane does before it leaves behind the loop, where it would wait for lanes
 * that wait for it. Only where the lanes of a warp run in step.
 */
NIC_LEAF void nic_in_step(void)
{
#ifdef __AMDGCN__
	__builtin_amdgcn_wave_barrier();
#endif
}

NIC_LEAF uint32_t nic_load_32(const void *p)
{
	return tgt_load_relaxed_32((const uint32_t *)p);
}

NIC_LEAF uint64_t nic_load_64(const void *p)
{
	return tgt_load_relaxed_64((const uint64_t *)p);
}

NIC_LEAF uint64_t nic_load_acquire_64(const void *p)
{
	return tgt_load_acquire_64(p);
}

/*
 * Rings a real register. Release: every entry and record before it reaches memory
 * before the register does, which is what the NIC's manual asks for; a register that is
 * write-combining on the CPU wants a fence for that.
 */
NIC_LEAF void nic_doorbell(uint64_t reg, uint64_t v)
{
	nic_doorbell_flush();
	nic_store_release_64(tgt_pointer(reg), v);
	nic_doorbell_flush();
}

#endif
