// SPDX-License-Identifier: MIT
/*
 * Memory of this process that peers reach, or that a link may use as it is.
 * Requests find it by PE and id; what lies outside is refused.
 */
#include "net/engine.h"
#include "util/err.h"
#include "util/tsan.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct region *mem_find(struct engine *e, int pe, uint32_t id)
{
	struct region *r = e->regions;

	while (r && (r->pe != pe || r->id != id || r->grown || r->kind == NET_LOCAL))
		r = r->next;
	return r;
}

static void mem_remove(struct engine *e, int pe, uint32_t id)
{
	for (struct region **at = &e->regions; *at;) {
		struct region *r = *at;

		if (r->pe != pe || r->id != id) {
			at = &r->next;
			continue;
		}
		*at = r->next;
		serve_region_gone(e, r);
		e->link->region_gone(e, r);
		free(r);
	}
}

int mem_region_add(struct net *n, int pe, uint32_t id, enum net_memory kind, void *base,
		   uint64_t len)
{
	struct engine *e = engine_of(n);
	struct region *r, *before;

	if (pe < 0 || pe >= e->config.n_pes || e->proc_of[pe] != e->config.my_proc)
		return err_set(MORI_SHMEM_EINVAL, "PE %d is not of this process", pe);
	r = calloc(1, sizeof(*r));
	if (!r)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a region");
	*r = (struct region){ .pe = pe, .id = id, .kind = kind, .base = base, .len = len };
	engine_enter(e);
	before = mem_find(e, pe, id);
	if (before)
		before->grown = true;
	e->link->region_new(e, r);
	r->next = e->regions;
	e->regions = r;
	engine_leave(e);
	return 0;
}

void mem_region_remove(struct net *n, int pe, uint32_t id)
{
	struct engine *e = engine_of(n);

	engine_enter(e);
	mem_remove(e, pe, id);
	far_forget(e, id); /* ids are the same everywhere */
	engine_leave(e);
}

void mem_close(struct engine *e)
{
	while (e->regions)
		mem_remove(e, e->regions->pe, e->regions->id);
}

/* Acquire: pairs with the release of whoever writes the word at the owner. */
#define WORD_LOAD(type, src)                                                                       \
	({                                                                                         \
		type word_;                                                                        \
		if ((uintptr_t)(src) % sizeof(type))                                               \
			memcpy(&word_, src, sizeof(type));                                         \
		else                                                                               \
			word_ = __atomic_load_n((const type *)(src), __ATOMIC_ACQUIRE);            \
		word_;                                                                             \
	})
/* Release: pairs with the acquire of whoever polls it. */
#define WORD_COPY(type, dst, src)                                                                  \
	({                                                                                         \
		type word = WORD_LOAD(type, src);                                                  \
		if ((uintptr_t)(dst) % sizeof(type))                                               \
			memcpy(dst, &word, sizeof(type));                                          \
		else                                                                               \
			__atomic_store_n((type *)(dst), word, __ATOMIC_RELEASE);                   \
	})

/* The kernel reads the set before it finds that it was not told what to do with it. */
static bool mem_readable(const void *ptr)
{
	return !syscall(SYS_rt_sigprocmask, ~0, ptr, NULL, 8) || errno != EFAULT;
}

/* An atomic OR of nothing, which others may change meanwhile; nobody waits for the first word. */
static bool mem_writable(void *word)
{
	uint32_t none = 0;
	int op = FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 0);

	return syscall(SYS_futex, &none, FUTEX_WAKE_OP_PRIVATE, 0, 0, word, op) >= 0 ||
	       errno != EFAULT;
}

bool mem_usable(const void *ptr, size_t len, bool write)
{
	uintptr_t first = (uintptr_t)ptr, last = first + len - 8;

	if (!write)
		return mem_readable(ptr) && mem_readable((const void *)last);
	return mem_writable((void *)((first + 3) / 4 * 4)) && mem_writable((void *)(last / 4 * 4));
}

int mem_copy(struct engine *e, bool device, void *dst, const void *src, size_t len)
{
	if (device)
		return e->config.copy ? e->config.copy(e->config.copy_arg, dst, src, len) :
					MORI_SHMEM_EFAULT;
	tsan_foreign_begin();
	if (len == 8)
		WORD_COPY(uint64_t, dst, src);
	else if (len == 4)
		WORD_COPY(uint32_t, dst, src);
	else if (len == 2)
		WORD_COPY(uint16_t, dst, src);
	else
		memcpy(dst, src, len); /* a byte is a word anyway */
	tsan_foreign_end();
	return 0;
}
