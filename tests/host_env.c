// SPDX-License-Identifier: MIT
/*
 * The environment at init: a variable that does not exist or cannot be read is an
 * error that names it and what is allowed, for every way to begin; once it is
 * right, init works in the same process.
 */
#include "fault.h"
#include "left.h"

const struct fault_role fault_roles[] = { { NULL, NULL } };

#define X64  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define LONG X64 X64 X64 X64 X64 X64 X64 X64 X64 X64 X64 X64 X64 X64 X64 X64 X64 X64 X64 X64

static const struct {
	const char *name, *value;
	const char *part; /* of what is allowed */
} bad[] = {
	{ "MORI_SHMEM_HEAPSIZE", "1M", "MORI_SHMEM_HEAP_SIZE" },
	{ "MORI_SHMEM_", "1", "no such variable" },
	{ "MORI_SHMEM_NONSENSE_OF_MY_OWN", "x", "no such variable" },
	{ "MORI_SHMEM_HEAP_SIZE", "12Q", "K, M, G or T" },
	{ "MORI_SHMEM_HEAP_SIZE", "0", "or more" },
	{ "MORI_SHMEM_HEAP_SIZE", "-1", "bytes" },
	{ "MORI_SHMEM_HEAP_SIZE", "1M2", "bytes" },
	{ "MORI_SHMEM_HEAP_SIZE", "99999999999999999999999", "bytes" },
	{ "MORI_SHMEM_HEAP_SIZE", "99999999T", "bytes" },
	{ "MORI_SHMEM_MODE", "dynamic", "static (or static_heap), vmm (or vmm_heap), isolation" },
	{ "MORI_SHMEM_DEVICE", "gpu", "auto, cpu, cuda, hip" },
	{ "MORI_SHMEM_DEVICE", LONG, "xxx...\" is not valid; allowed: auto, cpu, cuda, hip" },
	{ "MORI_SHMEM_HEAP_TYPE", "cached", "normal, uncached" },
	{ "MORI_SHMEM_VMM_CHUNK_SIZE", "many", "bytes" },
	{ "MORI_SHMEM_TIMEOUT", "soon", "seconds" },
	{ "MORI_SHMEM_TIMEOUT", "-5", "seconds" },
	{ "MORI_SHMEM_TIMEOUT", "nan", "seconds" },
	{ "MORI_SHMEM_WAIT_TIMEOUT", "1s", "seconds" },
	{ "MORI_SHMEM_LOG_LEVEL", "loud", "trace, debug, info, warn" },
	{ "MORI_GLOBAL_LOG_LEVEL", "quiet", "trace, debug, info, warn" },
	{ "MORI_BOOTSTRAP_TIMEOUT", "x", "seconds" },
	{ "MORI_DISABLE_P2P", "maybe", "1 or 0, on or off, true or false, yes or no" },
	{ "MORI_ENABLE_SDMA", "2", "1 or 0" },
	{ "MORI_NUM_QP_PER_PE", "0", "1 or more" },
	{ "MORI_NUM_QP_PER_PE", "4.5", "whole number" },
	{ "MORI_RDMA_SL", "16", "0 to 15" },
	{ "MORI_RDMA_TC", "99999999999", "0 to 255" },
	{ "MORI_RANK", "first", "whole number" },
	{ "MORI_WORLD_SIZE", "0", "1 or more" },
	{ "MORI_THREADS", "-2", "whole number" },
};

static const struct {
	const char *name, *value;
} good[] = {
	{ "MORI_SHMEM_HEAP_SIZE", "2m" },
	{ "MORI_SHMEM_HEAP_SIZE", "1GiB" },
	{ "MORI_SHMEM_HEAP_SIZE", "" }, /* as if unset */
	{ "MORI_SHMEM_MODE", "vmm_heap" },
	{ "MORI_SHMEM_MODE", "Static_Heap" },
	{ "MORI_SHMEM_DEVICE", "cpu" },
	{ "MORI_SHMEM_TIMEOUT", "0.5" },
	{ "MORI_SHMEM_LOG_LEVEL", "ERROR" },
	{ "MORI_DISABLE_P2P", "No" },
	{ "MORI_SHMEM_UNKNOWN_BUT_EMPTY", "" },
	{ "MORI_ENABLE_SDMA", "off" },
	{ "MORI_SOMETHING_OF_ANOTHER_PART", "x" }, /* at most a warning */
};

static void refused(size_t i, int err)
{
	CHECK_EQ(bad[i].name, err, MORI_SHMEM_EINVAL);
	CHECK_TEXT(mori_shmem_last_error(), bad[i].name);
	CHECK_TEXT(mori_shmem_last_error(), bad[i].part);
}

/* Every error is reported before anything is opened and any peer contacted. */
static void fault_test(void)
{
	mori_shmem_uniqueid_t uid = { { 0 } }, own;
	struct left before;

	MUST(CHECK_OK(mori_shmem_get_unique_id(&own)));
	left_start(&before);
	for (size_t i = 0; i < TEST_LEN(bad); i++) {
		test_at(bad[i].value);
		setenv(bad[i].name, bad[i].value, 1);
		refused(i, mori_shmem_init());
		refused(i, fault_init(0, 1, &own));
		refused(i, mori_shmem_get_unique_id(&uid));
		CHECK_EQ("uid is left alone", uid.bytes[0], 0);
		CHECK_EQ("is_initialized", mori_shmem_is_initialized(), 0);
		CHECK_NOTHING_LEFT(&before);
		unsetenv(bad[i].name);
	}
	test_at("good values");
	for (size_t i = 0; i < TEST_LEN(good); i++) {
		setenv(good[i].name, good[i].value, 1);
		if (CHECK_OK(mori_shmem_init())) {
			CHECK_OK(mori_shmem_barrier_all());
			CHECK_OK(mori_shmem_finalize());
		}
		CHECK_NOTHING_LEFT(&before);
		unsetenv(good[i].name);
	}
	fault_good_job(0, 1, &own);
}
