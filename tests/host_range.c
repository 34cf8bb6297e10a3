// SPDX-License-Identifier: MIT
/*
 * PEs that do not exist and addresses that belong to no PE, in every family: an error
 * that names the PE or the address, and nothing touched. The families that return a
 * value leave it for mori_shmem_check().
 */
#include "fault.h"

#include <limits.h>

const struct fault_role fault_roles[] = { { NULL, NULL } };

static uint64_t *sym, own[8];
static mori_shmem_memobj_t heap_object, own_object;

#define REFUSED(call, part) CHECK_FAILS(call, MORI_SHMEM_EINVAL, part)
#define NO_VALUE(call, part)                                                                       \
	do {                                                                                       \
		fault_fails(__FILE__, __LINE__, #call, (long long)(call), 0, part);                \
		CHECK_EQ(#call, mori_shmem_check(NULL), MORI_SHMEM_EINVAL);                        \
	} while (0)

static void no_such_pe(int pe)
{
	char part[32];

	snprintf(part, sizeof(part), "no PE %d", pe);
	REFUSED(mori_shmem_putmem_thread(sym, own, 8, pe, 0), part);
	REFUSED(mori_shmem_put_uint64_nbi_thread(sym, own, 1, pe, 0), part);
	REFUSED(mori_shmem_getmem_thread(own, sym, 8, pe, 0), part);
	REFUSED(mori_shmem_get_float_nbi_thread((float *)own, (float *)sym, 1, pe, 0), part);
	REFUSED(mori_shmem_putmem_nbi_signal_thread(sym, own, 8, sym + 1, 1, 9, pe, 0), part);
	REFUSED(mori_shmem_signal_op_thread(sym, 1, 9, pe, 0), part);
	REFUSED(mori_shmem_uint64_p(sym, 1, pe, 0), part);
	REFUSED(mori_shmem_put_size_imm_nbi_thread(sym, own, 8, pe, 0), part);
	REFUSED(mori_shmem_putmem_obj_thread(heap_object, 0, own_object, 0, 8, pe, 0), part);
	REFUSED(mori_shmem_getmem_nbi_obj_thread(own_object, 0, heap_object, 0, 8, pe, 0), part);
	REFUSED(mori_shmem_putmem_signal_obj_thread(heap_object, 0, own_object, 0, 8, heap_object,
						    8, 1, 9, pe, 0),
		part);
	REFUSED(mori_shmem_signal_op_obj_thread(heap_object, 0, 1, 9, pe, 0), part);
	REFUSED(mori_shmem_uint64_atomic_add_thread(sym, 1, pe, 0), part);
	REFUSED(mori_shmem_atomic_int32_nonfetch_thread((int32_t *)sym, 1, 4, pe, 0), part);
	REFUSED(mori_shmem_atomic_size_nonfetch_thread(sym, own, 8, 4, pe, 0), part);
	REFUSED(mori_shmem_float_atomic_add_thread((float *)sym, 1, pe, 0), part);
	REFUSED(mori_shmem_quiet_thread_pe(pe), part);
	REFUSED(mori_shmem_quiet_thread_pe_qp(pe, 0), part);
	REFUSED(mori_shmem_fence_thread_pe(pe), part);
	REFUSED(mori_shmem_fence_thread_pe_qp(pe, 0), part);
	REFUSED(mori_shmem_putmem_on_stream(sym, own, 8, pe, 0, NULL), part);
	REFUSED(mori_shmem_getmem_on_stream(own, sym, 8, pe, 0, NULL), part);
	REFUSED(mori_shmem_putmem_signal_on_stream(sym, own, 8, sym, 1, 9, pe, 0, NULL), part);
	REFUSED(mori_shmem_signal_op_on_stream(sym, 1, 9, pe, 0, NULL), part);
	REFUSED(mori_shmem_device_of(pe), part);
	NO_VALUE(mori_shmem_uint64_g(sym, pe, 0), part);
	NO_VALUE(mori_shmem_uint64_atomic_fetch_thread(sym, pe, 0), part);
	NO_VALUE(mori_shmem_uint64_atomic_swap_thread(sym, 1, pe, 0), part);
	NO_VALUE(mori_shmem_double_atomic_fetch_add_thread((double *)sym, 1, pe, 0), part);
	CHECK_EQ("ptr", mori_shmem_ptr((uint64_t)(uintptr_t)sym, pe), 0);
	CHECK_EQ("ptr_p2p", mori_shmem_ptr_p2p((uint64_t)(uintptr_t)sym, 0, pe), 0);
	CHECK_EQ("ptr_p2p", mori_shmem_ptr_p2p((uint64_t)(uintptr_t)sym, pe, 0), 0);
	CHECK(mori_shmem_find(pe) == NULL);
}

static void no_such_memory(void *addr, int qp)
{
	mori_shmem_memobj_t none = { (uint64_t)(uintptr_t)addr, 64, MORI_SHMEM_MEMOBJ_HEAP };
	uint64_t *p = addr;
	char part[32] = "NULL";

	if (addr)
		snprintf(part, sizeof(part), "0x%llx", (unsigned long long)(uintptr_t)addr);
	REFUSED(mori_shmem_putmem_thread(p, own, 8, 0, qp), part);
	REFUSED(mori_shmem_getmem_thread(own, p, 8, 0, qp), part);
	REFUSED(mori_shmem_put_uint64_signal_thread(p, own, 1, sym, 1, 9, 0, qp), part);
	REFUSED(mori_shmem_put_uint64_signal_thread(sym, own, 1, p, 1, 9, 0, qp), part);
	REFUSED(mori_shmem_signal_op_thread(p, 1, 9, 0, qp), part);
	REFUSED(mori_shmem_uint64_p(p, 1, 0, qp), part);
	REFUSED(mori_shmem_put_size_imm_nbi_thread(p, own, 8, 0, qp), part);
	REFUSED(mori_shmem_putmem_obj_thread(none, 0, own_object, 0, 8, 0, qp), "mori_shmem_");
	REFUSED(mori_shmem_signal_op_obj_thread(none, 0, 1, 9, 0, qp), "mori_shmem_");
	REFUSED(mori_shmem_uint64_atomic_add_thread(p, 1, 0, qp), part);
	REFUSED(mori_shmem_putmem_on_stream(p, own, 8, 0, qp, NULL), part);
	NO_VALUE(mori_shmem_uint64_g(p, 0, qp), part);
	NO_VALUE(mori_shmem_int32_atomic_fetch_add_thread((int32_t *)p, 1, 0, qp), part);
	CHECK_EQ("ptr", mori_shmem_ptr((uint64_t)(uintptr_t)p, 0), 0);
}

/* Codes and words that do not exist. */
static void no_such_code(void)
{
	size_t at[2];

	REFUSED(mori_shmem_signal_op_thread(sym, 1, 77, 0, 0), "signal_op_thread");
	REFUSED(mori_shmem_atomic_uint64_nonfetch_thread(sym, 1, 12, 0, 0), "nonfetch");
	REFUSED(mori_shmem_uint64_wait_until(sym, 6, 1), "uint64_wait_until");
	REFUSED(mori_shmem_uint64_wait_until(sym, -1, 1), "uint64_wait_until");
	REFUSED(mori_shmem_uint64_wait_until(NULL, 0, 1), "NULL");
	REFUSED(mori_shmem_uint64_wait_until((uint64_t *)((char *)sym + 4), 0, 1), "multiple of 8");
	REFUSED(mori_shmem_uint64_wait_until_all(NULL, 2, NULL, 0, 1), "wait_until_all");
	NO_VALUE(mori_shmem_uint64_test(sym, 6, 1), "uint64_test");
	NO_VALUE(mori_shmem_uint64_wait_until_some(sym, 2, NULL, NULL, 0, 1), "wait_until_some");
	NO_VALUE(mori_shmem_uint64_wait_until_some(NULL, 2, at, NULL, 0, 1), "wait_until_some");
	NO_VALUE(mori_shmem_atomic_uint64_fetch_thread(sym, 1, 1, 3, 0, 0), "uint64_fetch");
	REFUSED(mori_shmem_put_size_imm_nbi_thread(sym, own, 3, 0, 0), "imm");
	REFUSED(mori_shmem_atomic_size_nonfetch_thread(sym, own, 2, 4, 0, 0), "size_nonfetch");
	REFUSED(mori_shmem_heap_info(NULL), "NULL");
	REFUSED(mori_shmem_device_state(NULL), "NULL");
	REFUSED(mori_shmem_query_memobj(sym, NULL), "NULL");
	CHECK_FAILS(mori_shmem_query_memobj(&at, &own_object), MORI_SHMEM_ENOENT, "query_memobj");
	REFUSED(mori_shmem_buffer_register(NULL, 8), "buffer_register");
	REFUSED(mori_shmem_buffer_register(own, 0), "buffer_register");
	REFUSED(mori_shmem_buffer_register(own, SIZE_MAX), "buffer_register");
	REFUSED(mori_shmem_buffer_register(own + 1, 8), "overlaps");
	CHECK_FAILS(mori_shmem_buffer_deregister(own, 8), MORI_SHMEM_ENOENT, "deregister");
	CHECK(mori_shmem_barrier_on_stream(own) < 0); /* the CPU has no streams */
	CHECK_TEXT(mori_shmem_last_error(), "stream");
	REFUSED(mori_shmem_info(NULL, NULL), "NULL");
}

static void fault_test(void)
{
	static const int pes[] = { -1, 1, 2, 1000, INT_MAX, INT_MIN };
	mori_shmem_heap_info_t info = { .struct_size = sizeof(info) };
	char *base;

	test_at("range");
	MUST(CHECK_OK(mori_shmem_init()));
	sym = mori_shmem_malloc(64);
	MUST(sym && !mori_shmem_heap_info(&info));
	base = (char *)sym;
	memset(sym, 0x33, 64);
	memset(own, 0x44, sizeof(own));
	MUST(CHECK_OK(mori_shmem_buffer_register(own, sizeof(own))));
	MUST(CHECK_OK(mori_shmem_query_memobj(sym, &heap_object)));
	MUST(CHECK_OK(mori_shmem_query_memobj(own, &own_object)));
	for (size_t i = 0; i < TEST_LEN(pes); i++)
		no_such_pe(pes[i]);
	no_such_memory(NULL, 0);
	no_such_memory(own, 0);
	no_such_memory(base - 8, 0);
	no_such_memory(base + info.size, 3);
	no_such_memory((void *)(UINTPTR_MAX & ~(uintptr_t)7), 0);
	no_such_memory((void *)8, 0);
	no_such_code();
	for (int i = 0; i < 8; i++) {
		CHECK_EQ("heap", sym[i], 0x3333333333333333);
		CHECK_EQ("own", own[i], 0x4444444444444444);
	}
	CHECK_OK(mori_shmem_buffer_deregister(own, sizeof(own)));
	CHECK_OK(mori_shmem_finalize());
}
