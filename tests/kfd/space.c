// SPDX-License-Identifier: MIT
/*
 * The address spaces of the GPUs of this process, in one list of ranges: there are some hundred of
 * them, and what a GPU found last it remembers itself.
 */
#include "kfd.h"

#include <stdlib.h>

struct space_range {
	uint64_t va, size;
	uint32_t gpus;
	uint64_t delta; /* from the GPU's address to the processor's */
};

static struct space_range *ranges;
static size_t n_ranges, room;
static uint64_t age = 1; /* grows with each change */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void kfd_space_add(uint64_t va, uint64_t size, uint32_t gpus, void *to)
{
	struct space_range r = { va, size, gpus, (uint64_t)(uintptr_t)to - va };
	size_t k = 0;

	pthread_rwlock_wrlock(&lock);
	while (k < n_ranges &&
	       !(ranges[k].va == va && ranges[k].size == size && ranges[k].delta == r.delta))
		k++;
	if (k == room) {
		struct space_range *more;

		room = room ? 2 * room : 64;
		more = realloc(ranges, room * sizeof(*ranges));
		if (!more)
			kfd_die("out of memory");
		ranges = more;
	}
	if (k == n_ranges)
		ranges[n_ranges++] = r;
	else
		ranges[k].gpus |= gpus;
	__atomic_fetch_add(&age, 1, __ATOMIC_RELEASE);
	pthread_rwlock_unlock(&lock);
}

void kfd_space_remove(uint64_t va, uint64_t size, uint32_t gpus)
{
	pthread_rwlock_wrlock(&lock);
	for (size_t k = 0; k < n_ranges; k++) {
		if (ranges[k].va < va || ranges[k].va + ranges[k].size > va + size)
			continue;
		ranges[k].gpus &= ~gpus;
		if (!ranges[k].gpus)
			ranges[k--] = ranges[--n_ranges];
	}
	__atomic_fetch_add(&age, 1, __ATOMIC_RELEASE);
	pthread_rwlock_unlock(&lock);
}

bool kfd_find_range(unsigned gpu, uint64_t addr, uint64_t *base, uint64_t *size, uint64_t *delta)
{
	bool found = false;

	pthread_rwlock_rdlock(&lock);
	for (size_t k = 0; k < n_ranges && !found; k++) {
		const struct space_range *r = &ranges[k];

		if (addr < r->va || addr - r->va >= r->size || !(r->gpus >> gpu & 1))
			continue;
		*base = r->va;
		*size = r->size;
		*delta = r->delta;
		found = true;
	}
	pthread_rwlock_unlock(&lock);
	return found;
}

void *kfd_find(struct kfd_view *v, uint64_t addr, size_t len)
{
	uint64_t now = __atomic_load_n(&age, __ATOMIC_ACQUIRE), base, size, delta;
	struct kfd_seen *s;

	if (v->age != now) {
		for (unsigned k = 0; k < KFD_SEEN; k++)
			v->seen[k].size = 0;
		v->age = now;
	}
	for (unsigned k = 0; k < KFD_SEEN; k++) {
		s = &v->seen[k];
		if (addr - s->base < s->size && len <= s->size - (addr - s->base))
			return (void *)(uintptr_t)(addr + s->delta);
	}
	if (!kfd_find_range(v->gpu, addr, &base, &size, &delta)) {
		v->missed = addr;
		return NULL;
	}
	s = &v->seen[v->next++ % KFD_SEEN];
	*s = (struct kfd_seen){ base, size, delta };
	/* Over the end of a range only where its neighbour lies beside it in this process, too. */
	if (len > size - (addr - base)) {
		uint64_t rest = base + size, most = addr + len - rest;
		char *at = kfd_find(v, rest, most);

		if (at != (char *)(uintptr_t)(rest + delta)) {
			v->missed = rest;
			return NULL;
		}
	}
	return (void *)(uintptr_t)(addr + delta);
}

void *kfd_find_some(struct kfd_view *v, uint64_t addr, uint64_t *len)
{
	uint64_t base, size, delta;

	if (!kfd_find_range(v->gpu, addr, &base, &size, &delta)) {
		v->missed = addr;
		return NULL;
	}
	if (*len > base + size - addr)
		*len = base + size - addr;
	return (void *)(uintptr_t)(addr + delta);
}
