// SPDX-License-Identifier: MIT
/*
 * A kernel that was compiled without queues, and a peer that only a queue leads to: the
 * call fails, nothing is written, and the text says what to do. For sh_queueless.sh.
 */
#include "kern.h"

static int test_pe(void)
{
	unsigned char *box = mori_shmem_calloc(1, 64), *src = pes_malloc(64);
	int64_t *status = pes_malloc(sizeof(*status));
	uint64_t len = 64, scope = 2, to = (uint64_t)(me + 1) % (uint64_t)n_pes;
	mori_shmem_module_t *module = kern_load("soak");
	mori_shmem_fault_t fault;
	char pe[16];

	MUST(module && box ? 0 : MORI_SHMEM_ENOENT);
	fill(src, me, 64);
	BARRIER();
	MUST(RUN_KERNEL(module, "soak_put", 1, 8, &box, &src, &len, &scope, &to, &status));
	CHECK_EQ("in the kernel", *status, MORI_SHMEM_ENOTSUP);
	CHECK_EQ("check", mori_shmem_check(&fault), MORI_SHMEM_ENOTSUP);
	CHECK_EQ("to whom", fault.pe, (int)to);
	CHECK_TEXT(fault.op, "putmem_block");
	snprintf(pe, sizeof(pe), "PE %d ", (int)to);
	CHECK_TEXT(mori_shmem_last_error(), pe);
	CHECK_TEXT(mori_shmem_last_error(), "putmem_block in a kernel");
	CHECK_TEXT(mori_shmem_last_error(), "MORI_DISABLE_P2P is set");
	CHECK_TEXT(mori_shmem_last_error(), "without `mori cc --near`");
	CHECK_TEXT(mori_shmem_last_error(), "get_extern_libs(near=False)");
	BARRIER();
	CHECK_EQ("nothing came", box[0] | box[63], 0);
	MUST(mori_shmem_module_unload(module));
	return 0;
}
