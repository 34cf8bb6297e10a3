// SPDX-License-Identifier: MIT
/*
 * Memory of this process that peers access, or that a link may use without a copy.
 * Requests name it by PE and id; accesses outside are refused.
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

#define MEM_PAGE 4096u /* or larger ones */

/* Windows have their ids in a row. */
static struct net_region **net_mem_hashed(struct net *e, int pe, uint32_t id)
{
	return &e->hashed[(id + (uint32_t)pe * 17u) % REGION_HASHES];
}

struct net_region *net_mem_find(struct net *e, int pe, uint32_t id)
{
	struct net_region *r = *net_mem_hashed(e, pe, id);

	while (r && (r->pe != pe || r->id != id || r->grown || r->kind == NET_LOCAL))
		r = r->same;
	return r;
}

static void net_mem_unhash(struct net *e, const struct net_region *r)
{
	struct net_region **at = net_mem_hashed(e, r->pe, r->id);

	while (*at != r)
		at = &(*at)->same;
	*at = r->same;
}

static void net_mem_remove(struct net *e, int pe, uint32_t id)
{
	for (struct net_region **at = &e->regions; *at;) {
		struct net_region *r = *at;

		if (r->pe != pe || r->id != id) {
			at = &r->next;
			continue;
		}
		*at = r->next;
		net_mem_unhash(e, r);
		net_serve_region_gone(e, r);
		e->link->region_gone(e, r);
		free(r);
	}
}

int net_region_add(struct net *e, int pe, uint32_t id, enum net_memory kind, void *base,
		   uint64_t len)
{
	struct net_region *r, *before;

	if (pe < 0 || pe >= e->config.n_pes || e->proc_of[pe] != e->config.my_proc)
		return err_set(MORI_SHMEM_EINVAL, "PE %d does not belong to this process", pe);
	r = calloc(1, sizeof(*r));
	if (!r)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a region");
	*r = (struct net_region){ .pe = pe, .id = id, .kind = kind, .base = base, .len = len };
	engine_enter(e);
	before = net_mem_find(e, pe, id);
	if (before)
		before->grown = true;
	e->link->region_new(e, r);
	r->next = e->regions;
	e->regions = r;
	r->same = *net_mem_hashed(e, pe, id);
	*net_mem_hashed(e, pe, id) = r;
	engine_leave(e);
	return 0;
}

void net_region_remove(struct net *e, int pe, uint32_t id)
{
	engine_enter(e);
	net_mem_remove(e, pe, id);
	net_remote_forget(e, id); /* ids are the same everywhere */
	engine_leave(e);
}

void net_leave(struct net *e, int pe)
{
	engine_enter(e);
	e->left[pe] = true;
	engine_leave(e);
}

void net_mem_close(struct net *e)
{
	while (e->regions)
		net_mem_remove(e, e->regions->pe, e->regions->id);
}

/* Acquire: pairs with the release of the thread that writes the word at the owner. */
#define WORD_LOAD(type, src)                                                                       \
	({                                                                                         \
		type word_;                                                                        \
		if ((uintptr_t)(src) % sizeof(type))                                               \
			memcpy(&word_, src, sizeof(type));                                         \
		else                                                                               \
			word_ = __atomic_load_n((const type *)(src), __ATOMIC_ACQUIRE);            \
		word_;                                                                             \
	})
/* Release: pairs with the acquire of the thread that polls it. */
#define WORD_COPY(type, dst, src)                                                                  \
	({                                                                                         \
		type word = WORD_LOAD(type, src);                                                  \
		if ((uintptr_t)(dst) % sizeof(type))                                               \
			memcpy(dst, &word, sizeof(type));                                          \
		else                                                                               \
			__atomic_store_n((type *)(dst), word, __ATOMIC_RELEASE);                   \
	})

/* The kernel reads the set before it finds that the command is invalid. */
static bool net_mem_readable(const void *ptr)
{
	return !syscall(SYS_rt_sigprocmask, ~0, ptr, NULL, 8) || errno != EFAULT;
}

/*
 * An atomic OR with 0, which does no harm to a word that others change meanwhile; nobody
 * waits for the first word.
 */
static bool net_mem_writable(void *word)
{
	uint32_t none = 0;
	int op = FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 0);

	return syscall(SYS_futex, &none, FUTEX_WAKE_OP_PRIVATE, 0, 0, word, op) >= 0 ||
	       errno != EFAULT;
}

bool net_mem_usable(const void *ptr, size_t len, bool write)
{
	uintptr_t first = (uintptr_t)ptr, last = first + len - 8;

	if (!write)
		return net_mem_readable(ptr) && net_mem_readable((const void *)last);
	return net_mem_writable((void *)((first + 3) / 4 * 4)) &&
	       net_mem_writable((void *)(last / 4 * 4));
}

bool net_mem_mapped(const void *ptr, size_t len, bool write)
{
	uintptr_t at = (uintptr_t)ptr, end = at + len;
	bool can = true;

	for (; can && at < end; at = at / MEM_PAGE * MEM_PAGE + MEM_PAGE)
		can = write ? net_mem_writable((void *)(at / 4 * 4)) :
			      net_mem_readable((const void *)(at / 8 * 8));
	return can;
}

int net_mem_copy(struct net *e, bool device, void *dst, const void *src, size_t len)
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
		memcpy(dst, src, len); /* a single byte is always a word */
	tsan_foreign_end();
	return 0;
}
