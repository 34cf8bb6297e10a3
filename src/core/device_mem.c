// SPDX-License-Identifier: MIT
/*
 * The bodies of operations load and store; on device memory their target calls the functions below
 * instead. The bodies pass no PE and know no failures of a device, so both are kept per thread, in
 * device_op, from the start to the end of an operation.
 */
#include "core/device_mem.h"

#include "core/pe.h"
#include "dev/dev.h"
#include "util/err.h"

#include <stdlib.h>

#define DEVICE_MEM_BOUNCE ((uint64_t)1 << 20)

uint32_t tgt_device_pes;

static __thread struct {
	struct pe *pe; /* NULL: its heap is host memory */
	int err;
} device_op;

void device_mem_count(int n)
{
	__atomic_fetch_add(&tgt_device_pes, (uint32_t)n, __ATOMIC_RELAXED);
}

void device_mem_begin(const struct dev_state *st)
{
	struct pe *pe = st->host;

	device_op.pe = pe_device_mem(pe) ? pe : NULL;
	device_op.err = 0;
}

int device_mem_end(void)
{
	int err = device_op.err;

	device_op.err = 0;
	device_op.pe = NULL;
	return err;
}

static void device_mem_note(int err)
{
	if (err && !device_op.err) /* EINVAL is about arguments, and would get another text */
		device_op.err = err == MORI_SHMEM_EINVAL ? MORI_SHMEM_EFAULT : err;
}

bool tgt_device_here(void)
{
	return device_op.pe != NULL;
}

bool tgt_device_word(const void *p)
{
	struct pe *pe = device_op.pe;

	return pe && ((uint64_t)(uintptr_t)p - pe->state->heap_base < pe->state->heap_len ||
		      pe_device_holds(pe, p));
}

/*
 * The device's copies may not overlap: copies through the host, from the end that is overwritten
 * last.
 */
static int device_mem_move(const struct accel *a, char *dst, const char *src, uint64_t len)
{
	uint64_t room = len < DEVICE_MEM_BOUNCE ? len : DEVICE_MEM_BOUNCE;
	char *by = malloc(room);
	int err = by ? 0 : err_set(MORI_SHMEM_ENOMEM, "out of memory for a copy that overlaps");

	for (uint64_t done = 0, n; !err && done < len; done += n) {
		uint64_t at = done;

		n = len - done < room ? len - done : room;
		if (dst > src)
			at = len - done - n;
		err = a->mem->copy(a->dev, by, src + at, n);
		if (!err)
			err = a->mem->copy(a->dev, dst + at, by, n);
	}
	free(by);
	return err;
}

void tgt_device_copy(void *dst, const void *src, uint64_t len)
{
	uint64_t to = (uint64_t)(uintptr_t)dst, from = (uint64_t)(uintptr_t)src;

	if (to != from && (to - from < len || from - to < len))
		device_mem_note(device_mem_move(&device_op.pe->accel, dst, src, len));
	else
		device_mem_note(
			device_op.pe->accel.mem->copy(device_op.pe->accel.dev, dst, src, len));
}

uint64_t tgt_device_amo(void *p, bool wide, int op, uint64_t v, uint64_t compare)
{
	uint64_t old = 0;

	if (op == MORI_SHMEM_AMO_FETCH)
		tgt_device_copy(&old, p, wide ? 8 : 4);
	else
		device_mem_note(device_op.pe->accel.mem->amo(device_op.pe->accel.dev, p, wide, op,
							     v, compare, &old));
	return old;
}
