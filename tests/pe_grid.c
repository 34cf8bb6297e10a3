// SPDX-License-Identifier: MIT
/* A host thread is a grid of one block of one thread; the clock advances. */
#include "ops/shmem_list.h"
#include "pes.h"

#define NAME(ret, name) #name,

static const char *const names[] = { MORI_GRID_OPS(NAME) };

static int test_pe(void)
{
	uint64_t before = mori_clock_ns(), after;
	const struct {
		const char *name;
		uint32_t got, want;
	} rows[] = {
		{ "mori_thread_id", mori_thread_id(), 0 },
		{ "mori_thread_id_y", mori_thread_id_y(), 0 },
		{ "mori_thread_id_z", mori_thread_id_z(), 0 },
		{ "mori_block_size", mori_block_size(), 1 },
		{ "mori_block_size_y", mori_block_size_y(), 1 },
		{ "mori_block_size_z", mori_block_size_z(), 1 },
		{ "mori_block_id", mori_block_id(), 0 },
		{ "mori_block_id_y", mori_block_id_y(), 0 },
		{ "mori_block_id_z", mori_block_id_z(), 0 },
		{ "mori_grid_size", mori_grid_size(), 1 },
		{ "mori_grid_size_y", mori_grid_size_y(), 1 },
		{ "mori_grid_size_z", mori_grid_size_z(), 1 },
		{ "mori_lane_id", mori_lane_id(), 0 },
		{ "mori_warp_size", mori_warp_size(), 1 },
	};

	for (size_t i = 0; i < TEST_LEN(rows); i++) {
		CHECK_EQ(rows[i].name, rows[i].got, rows[i].want);
		CHECK_EQ(rows[i].name, strcmp(rows[i].name, names[i]), 0);
	}
	CHECK_EQ("and block_sync, clock_ns, shared_memory", TEST_LEN(names), TEST_LEN(rows) + 3);
	CHECK(!mori_shared_memory());
	mori_block_sync();
	usleep(2000);
	after = mori_clock_ns();
	CHECK(after - before >= 2000000 && after - before < 100000000000u);
	return 0;
}
