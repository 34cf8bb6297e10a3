// SPDX-License-Identifier: MIT
#include "accel/wait_text.h"

#include <stdbool.h>
#include <stdio.h>

static void wait_text_value(int kind, uint64_t value, char *text, size_t size)
{
	bool negative = (kind == DEV_KIND_int32 || kind == DEV_KIND_int64) && (int64_t)value < 0;

	if (negative)
		snprintf(text, size, "%lld", (long long)value);
	else if (value < 10)
		snprintf(text, size, "%llu", (unsigned long long)value);
	else
		snprintf(text, size, "%llu (0x%llx)", (unsigned long long)value,
			 (unsigned long long)value);
}

uint64_t wait_text_seen(const struct wait_word *w)
{
	/* Relaxed: only the value is read. */
	if (w->kind == DEV_KIND_int64 || w->kind == DEV_KIND_uint64)
		return __atomic_load_n((const uint64_t *)w->addr, __ATOMIC_RELAXED);
	if (w->kind == DEV_KIND_int32)
		return (uint64_t)__atomic_load_n((const int32_t *)w->addr, __ATOMIC_RELAXED);
	return __atomic_load_n((const uint32_t *)w->addr, __ATOMIC_RELAXED);
}

void wait_text(const struct dev_state *st, const struct wait_word *w, const uint64_t *seen,
	       char *text, size_t size)
{
	static const char *const cmps[] = { "==", "!=", ">", ">=", "<", "<=" };
	uint64_t off = (uint64_t)(uintptr_t)w->addr - st->heap_base;
	char where[48] = "", value[48], is[64] = "";

	if (off < st->heap_len)
		snprintf(where, sizeof(where), " (heap + 0x%llx)", (unsigned long long)off);
	wait_text_value(w->kind, w->value, value, sizeof(value));
	if (seen) {
		snprintf(is, sizeof(is), ", which is ");
		wait_text_value(w->kind, *seen, is + 11, sizeof(is) - 11);
	}
	snprintf(text, size, "%p%s %s %s%s", w->addr, where,
		 w->cmp >= 0 && w->cmp < 6 ? cmps[w->cmp] : "?", value, is);
}
