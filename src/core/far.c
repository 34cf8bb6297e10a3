// SPDX-License-Identifier: MIT
/*
 * The thread's operation acts for one PE; its device makes the copies and atomics. The
 * first failure is kept for the end of the operation: the bodies do not know of any.
 */
#include "core/far.h"

#include "core/pe.h"
#include "dev/dev.h"
#include "util/err.h"

#include <stdlib.h>

#define FAR_ROOM ((uint64_t)1 << 20)

uint32_t tgt_far_pes;

static __thread struct {
	struct pe *pe; /* NULL: its memory is near */
	int err;
} far;

void far_add(int n)
{
	__atomic_fetch_add(&tgt_far_pes, (uint32_t)n, __ATOMIC_RELAXED);
}

void far_begin(const struct dev_state *st)
{
	struct pe *pe = st->host;

	far.pe = pe_far(pe) ? pe : NULL;
	far.err = 0;
}

int far_end(void)
{
	int err = far.err;

	far.err = 0;
	far.pe = NULL;
	return err;
}

static void far_note(int err)
{
	if (err && !far.err) /* EINVAL is about arguments, and would be put into other words */
		far.err = err == MORI_SHMEM_EINVAL ? MORI_SHMEM_EFAULT : err;
}

bool tgt_far_here(void)
{
	return far.pe != NULL;
}

bool tgt_far_word(const void *p)
{
	struct pe *pe = far.pe;

	return pe && ((uint64_t)(uintptr_t)p - pe->state->heap_base < pe->state->heap_len ||
		      accel_holds(&pe->accel, p));
}

/* The device's copies are no moves: by way of the host, from the end that is overwritten last. */
static int far_move(const struct accel *a, char *dst, const char *src, uint64_t len)
{
	uint64_t room = len < FAR_ROOM ? len : FAR_ROOM;
	char *by = malloc(room);
	int err = by ? 0 : err_set(MORI_SHMEM_ENOMEM, "out of memory for a copy that overlaps");

	for (uint64_t done = 0, n; !err && done < len; done += n) {
		uint64_t at = done;

		n = len - done < room ? len - done : room;
		if (dst > src)
			at = len - done - n;
		err = accel_copy(a, by, src + at, n);
		if (!err)
			err = accel_copy(a, dst + at, by, n);
	}
	free(by);
	return err;
}

void tgt_far_copy(void *dst, const void *src, uint64_t len)
{
	uint64_t to = (uint64_t)(uintptr_t)dst, from = (uint64_t)(uintptr_t)src;

	if (to != from && (to - from < len || from - to < len))
		far_note(far_move(&far.pe->accel, dst, src, len));
	else
		far_note(accel_copy(&far.pe->accel, dst, src, len));
}

uint64_t tgt_far_amo(void *p, bool wide, int op, uint64_t v, uint64_t compare)
{
	uint64_t old = 0;

	if (op == MORI_SHMEM_AMO_FETCH)
		tgt_far_copy(&old, p, wide ? 8 : 4);
	else
		far_note(accel_amo(&far.pe->accel, p, wide, op, v, compare, &old));
	return old;
}
