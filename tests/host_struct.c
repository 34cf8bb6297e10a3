// SPDX-License-Identifier: MIT
/*
 * Structs that begin with struct_size: the library fills the fields that fit, sets those it does
 * not know to 0, and refuses sizes that no struct has without doing anything else.
 */
#include "fault.h"

#include <stddef.h>

const struct fault_role fault_roles[] = { { NULL, NULL } };

#define POISON 0xa5

static const size_t no_sizes[] = { 0, 1, 8, 17, 4104, (size_t)POISON << 56, SIZE_MAX };

static int is_poison(const void *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (((const unsigned char *)at)[i] != POISON)
			return 0;
	}
	return 1;
}

static void heap_sizes(void)
{
	const size_t less = offsetof(mori_shmem_heap_info_t, largest_free);
	union {
		mori_shmem_heap_info_t info;
		unsigned char bytes[sizeof(mori_shmem_heap_info_t) + 64];
	} u;

	memset(&u, POISON, sizeof(u));
	u.info.struct_size = less;
	CHECK_OK(mori_shmem_heap_info(&u.info));
	CHECK_EQ("kept", u.info.struct_size, less);
	CHECK_EQ("filled", u.info.free, u.info.size - u.info.used);
	CHECK(is_poison(u.bytes + less, sizeof(u) - less));

	memset(&u, POISON, sizeof(u));
	u.info.struct_size = sizeof(u.info) + 32;
	CHECK_OK(mori_shmem_heap_info(&u.info));
	CHECK(u.info.largest_free > 0 && u.info.largest_free <= u.info.size);
	for (size_t i = 0; i < 32; i++)
		CHECK_EQ("not known here", u.bytes[sizeof(u.info) + i], 0);
	CHECK(is_poison(u.bytes + sizeof(u.info) + 32, 32));

	for (size_t i = 0; i < TEST_LEN(no_sizes); i++) {
		memset(&u, POISON, sizeof(u));
		u.info.struct_size = no_sizes[i];
		CHECK_FAILS(mori_shmem_heap_info(&u.info), MORI_SHMEM_EINVAL,
			    "heap_info: info->struct_size is");
		CHECK(is_poison(u.bytes + sizeof(size_t), sizeof(u) - sizeof(size_t)));
	}
}

static void leave_one(void)
{
	mori_shmem_fault_t f = { .struct_size = sizeof(f), .code = MORI_SHMEM_EPEER, .pe = 3 };

	strcpy(f.op, "int_p");
	CHECK_OK(mori_shmem_leave_fault(&f));
}

static void fault_sizes(void)
{
	const size_t less = offsetof(mori_shmem_fault_t, op);
	union {
		mori_shmem_fault_t fault;
		unsigned char bytes[sizeof(mori_shmem_fault_t) + 8];
	} u;

	leave_one();
	for (size_t i = 0; i < TEST_LEN(no_sizes); i++) {
		memset(&u, POISON, sizeof(u));
		u.fault.struct_size = no_sizes[i];
		CHECK_FAILS(mori_shmem_check(&u.fault), MORI_SHMEM_EINVAL,
			    "check: fault->struct_size is");
		CHECK(is_poison(u.bytes + sizeof(size_t), sizeof(u) - sizeof(size_t)));
	}
	memset(&u, POISON, sizeof(u));
	u.fault.struct_size = less;
	CHECK_EQ("is still there", mori_shmem_check(&u.fault), MORI_SHMEM_EPEER);
	CHECK_EQ("code", u.fault.code, MORI_SHMEM_EPEER);
	CHECK_EQ("pe", u.fault.pe, 3);
	CHECK(is_poison(u.bytes + less, sizeof(u) - less));

	leave_one();
	u.fault.struct_size = sizeof(u);
	CHECK_EQ("from the future", mori_shmem_check(&u.fault), MORI_SHMEM_EPEER);
	CHECK_EQ("op", strcmp(u.fault.op, "int_p"), 0);
	for (size_t i = sizeof(u.fault); i < sizeof(u); i++)
		CHECK_EQ("not known here", u.bytes[i], 0);
	CHECK_OK(mori_shmem_check(NULL));
}

static void left_sizes(void)
{
	mori_shmem_fault_t f = { .code = MORI_SHMEM_EPEER, .pe = 3 };
	mori_shmem_fault_t got = { .struct_size = sizeof(got) };

	for (size_t i = 0; i < TEST_LEN(no_sizes); i++) {
		f.struct_size = no_sizes[i];
		CHECK_FAILS(mori_shmem_leave_fault(&f), MORI_SHMEM_EINVAL,
			    "leave_fault: fault->struct_size is");
	}
	CHECK_OK(mori_shmem_check(NULL));
	memset(&f.op, POISON, sizeof(f.op));
	f.struct_size = offsetof(mori_shmem_fault_t, op);
	CHECK_OK(mori_shmem_leave_fault(&f));
	CHECK_EQ("check", mori_shmem_check(&got), MORI_SHMEM_EPEER);
	CHECK_EQ("pe", got.pe, 3);
	CHECK_EQ("no operation", got.op[0], 0);
}

static void fault_test(void)
{
	test_at("struct");
	MUST(CHECK_OK(mori_shmem_init()));
	heap_sizes();
	fault_sizes();
	left_sizes();
	CHECK_OK(mori_shmem_finalize());
}
