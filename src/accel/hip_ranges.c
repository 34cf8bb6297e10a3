// SPDX-License-Identifier: MIT
/*
 * Ranges of addresses on HIP 7.0 to 7.2, whose hipMemSetAccess() compares the sizes of all segments
 * of a reservation with those of the first ones, and fails if they differ. So here a range is
 * reserved by the operating system, and within it each segment has a reservation of HIP's own.
 */
#include "accel/hip_parts.h"

#include <stdint.h>
#include <sys/mman.h>

#define HIP_OUT_OF_MEMORY 2
#define HIP_GRANULE	  ((uintptr_t)2 << 20)

static struct {
	int (*reserve)(gpu_ptr *out, size_t len, size_t align, gpu_ptr at, uint64_t flags);
	int (*free)(gpu_ptr base, size_t len);
	int (*map)(gpu_ptr at, size_t len, size_t off, uint64_t part, uint64_t flags);
	int (*unmap)(gpu_ptr at, size_t len);
} hip_ranges;

static void *hip_range_hold(void *at, size_t len)
{
	int fixed = at ? MAP_FIXED_NOREPLACE : 0;

	return mmap(at, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
}

static void *hip_range_at(gpu_ptr at)
{
	return (void *)(uintptr_t)at;
}

/* At a multiple of the granule. */
static int hip_range_reserve(gpu_ptr *out, size_t len, size_t align, gpu_ptr at, uint64_t flags)
{
	char *whole = hip_range_hold(NULL, len + HIP_GRANULE);
	size_t before;

	(void)align;
	(void)at;
	(void)flags;
	if (whole == MAP_FAILED)
		return HIP_OUT_OF_MEMORY;
	before = -(uintptr_t)whole & (HIP_GRANULE - 1);
	if (before)
		munmap(whole, before);
	munmap(whole + before + len, HIP_GRANULE - before);
	*out = (uintptr_t)(whole + before);
	return 0;
}

static int hip_range_free(gpu_ptr base, size_t len)
{
	return munmap(hip_range_at(base), len) ? HIP_OUT_OF_MEMORY : 0;
}

/* In place of what was held there; if another thread takes the addresses meanwhile, this fails. */
static int hip_mem_map(gpu_ptr at, size_t len, size_t off, uint64_t part, uint64_t flags)
{
	gpu_ptr got = 0;
	int code;

	munmap(hip_range_at(at), len);
	code = hip_ranges.reserve(&got, len, 0, at, 0);
	if (!code && got == at) {
		code = hip_ranges.map(at, len, off, part, flags);
		if (!code)
			return 0;
	} else if (!code) {
		code = HIP_OUT_OF_MEMORY;
	}
	if (got)
		hip_ranges.free(got, len);
	hip_range_hold(hip_range_at(at), len);
	return code;
}

static int hip_mem_unmap(gpu_ptr at, size_t len)
{
	int code = hip_ranges.unmap(at, len);

	if (!code)
		code = hip_ranges.free(at, len);
	if (!code)
		hip_range_hold(hip_range_at(at), len);
	return code;
}

void hip_adapt_ranges(struct gpu_calls *calls)
{
	hip_ranges.reserve = calls->range_reserve;
	hip_ranges.free = calls->range_free;
	hip_ranges.map = calls->mem_map;
	hip_ranges.unmap = calls->mem_unmap;
	if (!calls->range_reserve || !calls->range_free || !calls->mem_map || !calls->mem_unmap)
		return; /* the caller says which is missing */
	calls->range_reserve = hip_range_reserve;
	calls->range_free = hip_range_free;
	calls->mem_map = hip_mem_map;
	calls->mem_unmap = hip_mem_unmap;
}
