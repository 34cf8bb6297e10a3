// SPDX-License-Identifier: MIT
/*
 * The caches of adversarial memory. One lock per device: its launches may run in several threads,
 * and only what they do to memory itself is atomic for others.
 */
#include "emu/cache.h"

#include <pthread.h>
#include <stdlib.h>

#define LINE	64u
#define BUCKETS 256u /* of an empty cache; a power of two */
#define EIGHT	8u

struct cache_line {
	struct cache_line *next;
	struct cache_line *written; /* the next of those that may be dirty */
	bool listed;		    /* among them */
	uint64_t addr;
	uint64_t epoch;
	uint64_t valid, dirty; /* a bit per byte; what is dirty is valid */
	uint8_t data[LINE];
};

struct cache {
	struct cache_line **buckets;
	size_t n_buckets, n_lines;
	uint64_t epoch; /* of lines of an earlier one only what is dirty is valid */
};

struct emu_device {
	pthread_mutex_t lock;
	struct cache cache;
	struct cache_line *written;
	uint64_t random;
	unsigned evict; /* one access in so many evicts a line; 0: none does */
};

struct emu_unit {
	struct emu_device *device;
	struct cache vector, scalar;
};

static struct cache_line **cache_bucket(struct cache *c, uint64_t addr)
{
	return &c->buckets[(addr / LINE * 0x9e3779b97f4a7c15u >> 32) & (c->n_buckets - 1)];
}

/* NULL: the cache does not have it. */
static struct cache_line *cache_find(struct cache *c, uint64_t addr)
{
	struct cache_line *l = c->n_buckets ? *cache_bucket(c, addr) : NULL;

	while (l && l->addr != addr - addr % LINE)
		l = l->next;
	if (l && l->epoch != c->epoch) {
		l->valid = l->dirty;
		l->epoch = c->epoch;
	}
	return l;
}

static void cache_add(struct cache *c, struct cache_line *l)
{
	struct cache_line **at = cache_bucket(c, l->addr);

	l->next = *at;
	*at = l;
}

static void cache_grow(struct cache *c)
{
	struct cache old = *c;
	size_t n = old.n_buckets ? 2 * old.n_buckets : BUCKETS;
	struct cache_line **buckets = calloc(n, sizeof(struct cache_line *)), *l;

	if (!buckets)
		return;
	c->buckets = buckets;
	c->n_buckets = n;
	for (size_t k = 0; k < old.n_buckets; k++) {
		while ((l = old.buckets[k])) {
			old.buckets[k] = l->next;
			cache_add(c, l);
		}
	}
	free(old.buckets);
}

/* NULL: there is no memory for it; callers then do without a cache. */
static struct cache_line *cache_make(struct cache *c, uint64_t addr)
{
	struct cache_line *l = cache_find(c, addr);

	if (l)
		return l;
	if (c->n_lines >= c->n_buckets)
		cache_grow(c);
	l = c->n_buckets ? calloc(1, sizeof(*l)) : NULL;
	if (!l)
		return NULL;
	l->addr = addr - addr % LINE;
	l->epoch = c->epoch;
	c->n_lines++;
	cache_add(c, l);
	return l;
}

static void cache_free(struct cache *c)
{
	for (size_t k = 0; k < c->n_buckets; k++) {
		while (c->buckets[k]) {
			struct cache_line *l = c->buckets[k];

			c->buckets[k] = l->next;
			free(l);
		}
	}
	free(c->buckets);
}

/* Bits of @len bytes at @addr in their line. */
static uint64_t cache_mask(uint64_t addr, size_t len)
{
	return (len == LINE ? ~0ull : (1ull << len) - 1) << addr % LINE;
}

/* A line is read whole: the bytes beside those asked for may be anybody's. */
__attribute__((no_sanitize("address", "thread"))) static uint64_t cache_word(uint64_t addr)
{
	return __atomic_load_n((const uint64_t *)(uintptr_t)addr, __ATOMIC_ACQUIRE);
}

/* From memory, what the line does not have. */
static void cache_fill(struct cache_line *l)
{
	for (unsigned at = 0; at < LINE; at += EIGHT) {
		uint64_t word;

		if ((l->valid >> at & 0xff) == 0xff)
			continue;
		word = cache_word(l->addr + at);
		for (unsigned k = 0; k < EIGHT; k++)
			if (!(l->valid >> (at + k) & 1))
				l->data[at + k] = (uint8_t)(word >> 8 * k);
	}
	l->valid = ~0ull;
}

/* To memory, the bytes of @mask that are dirty, in accesses as wide as they come. */
static void cache_flush(struct cache_line *l, uint64_t mask)
{
	uint64_t todo = l->dirty & mask;

	l->dirty &= ~mask;
	while (todo) {
		unsigned at = (unsigned)__builtin_ctzll(todo);
		uint64_t rest = ~(todo >> at);
		unsigned len = rest ? (unsigned)__builtin_ctzll(rest) : LINE;

		emu_write_bytes((void *)(uintptr_t)(l->addr + at), l->data + at, len);
		todo &= ~cache_mask(at, len);
	}
}

/* The copy in the device's cache goes: memory is written or read past it. */
static void cache_evict(struct emu_device *d, uint64_t addr, uint64_t mask, bool flush)
{
	struct cache_line *l = cache_find(&d->cache, addr);

	if (!l)
		return;
	if (flush)
		cache_flush(l, mask);
	l->dirty &= ~mask;
	l->valid &= ~mask;
}

/* A line by chance; NULL if chance finds none. */
static struct cache_line *cache_any(const struct cache *c, uint64_t *random)
{
	return c->n_buckets ? c->buckets[emu_random(random) % c->n_buckets] : NULL;
}

static void cache_evict_some(struct emu_unit *u)
{
	struct emu_device *d = u->device;
	struct cache_line *l;

	if (!emu_chance(&d->random, d->evict))
		return;
	l = cache_any(&d->cache, &d->random);
	if (l) {
		cache_flush(l, ~0ull);
		l->valid = 0;
	}
	l = cache_any(&u->vector, &d->random);
	if (l)
		l->valid = 0;
}

/* Bytes of one line, from the device's cache. */
static void cache_device_read(struct emu_device *d, uint64_t addr, void *out, size_t len)
{
	struct cache_line *l = cache_make(&d->cache, addr);

	if (!l) {
		emu_read_bytes((const void *)(uintptr_t)addr, out, len);
		return;
	}
	cache_fill(l);
	memcpy(out, l->data + addr % LINE, len);
}

static void cache_device_write(struct emu_device *d, uint64_t addr, const void *from, size_t len)
{
	struct cache_line *l = cache_make(&d->cache, addr);
	uint64_t mask = cache_mask(addr, len);

	if (!l) {
		emu_write_bytes((void *)(uintptr_t)addr, from, len);
		return;
	}
	memcpy(l->data + addr % LINE, from, len);
	l->valid |= mask;
	l->dirty |= mask;
	if (!l->listed) {
		l->listed = true;
		l->written = d->written;
		d->written = l;
	}
}

/* Bytes of one line, through a read cache. */
static void cache_unit_read(struct emu_unit *u, struct cache *c, uint64_t addr, void *out,
			    size_t len)
{
	struct cache_line *l = cache_make(c, addr);

	if (!l) {
		cache_device_read(u->device, addr, out, len);
		return;
	}
	if (~l->valid & cache_mask(addr, len)) {
		cache_device_read(u->device, l->addr, l->data, LINE);
		l->valid = ~0ull;
	}
	memcpy(out, l->data + addr % LINE, len);
}

static void cache_line_read(struct emu_unit *u, enum emu_scope scope, uint64_t addr, void *out,
			    size_t len)
{
	struct cache_line *l;

	if (scope == EMU_SCOPE_WAVE) {
		cache_unit_read(u, &u->vector, addr, out, len);
		return;
	}
	l = cache_find(&u->vector, addr);
	if (l)
		l->valid = 0; /* or a later load of this unit could see an older value */
	if (scope == EMU_SCOPE_DEVICE) {
		cache_device_read(u->device, addr, out, len);
		return;
	}
	cache_evict(u->device, addr, cache_mask(addr, len), true);
	emu_read_bytes((const void *)(uintptr_t)addr, out, len);
}

static void cache_line_write(struct emu_unit *u, enum emu_scope scope, uint64_t addr,
			     const void *from, size_t len)
{
	struct cache_line *l = cache_find(&u->vector, addr);
	uint64_t mask = cache_mask(addr, len);

	/* The unit sees its own stores; the bytes beside them may stay old. */
	if (l && (l->valid & mask) == mask)
		memcpy(l->data + addr % LINE, from, len);
	else if (l)
		l->valid = 0;
	if (scope != EMU_SCOPE_SYSTEM) {
		cache_device_write(u->device, addr, from, len);
		return;
	}
	cache_evict(u->device, addr, mask, false);
	emu_write_bytes((void *)(uintptr_t)addr, from, len);
}

/* How many of @len bytes at @addr are in the line of the first. */
static size_t cache_here(uint64_t addr, size_t len)
{
	size_t room = LINE - addr % LINE;

	return len < room ? len : room;
}

void emu_cache_read(struct emu_unit *u, enum emu_scope scope, uint64_t addr, void *out, size_t len)
{
	pthread_mutex_lock(&u->device->lock);
	for (size_t n, done = 0; done < len; done += n) {
		n = cache_here(addr + done, len - done);
		cache_line_read(u, scope, addr + done, (char *)out + done, n);
	}
	cache_evict_some(u);
	pthread_mutex_unlock(&u->device->lock);
}

void emu_cache_write(struct emu_unit *u, enum emu_scope scope, uint64_t addr, const void *from,
		     size_t len)
{
	pthread_mutex_lock(&u->device->lock);
	for (size_t n, done = 0; done < len; done += n) {
		n = cache_here(addr + done, len - done);
		cache_line_write(u, scope, addr + done, (const char *)from + done, n);
	}
	cache_evict_some(u);
	pthread_mutex_unlock(&u->device->lock);
}

uint64_t emu_cache_rmw(struct emu_unit *u, enum emu_scope scope, uint64_t addr, unsigned len,
		       enum emu_rmw op, uint64_t x, uint64_t compare)
{
	struct cache_line *l;
	uint64_t old = 0, new;

	pthread_mutex_lock(&u->device->lock);
	l = cache_find(&u->vector, addr);
	if (l)
		l->valid = 0;
	l = scope == EMU_SCOPE_SYSTEM ? NULL : cache_make(&u->device->cache, addr);
	if (l) {
		cache_fill(l);
		memcpy(&old, l->data + addr % LINE, len);
		new = emu_rmw_value(op, len, old, x);
		if (op != EMU_CAS || old == (len == 4 ? (uint32_t)compare : compare))
			cache_device_write(u->device, addr, &new, len);
	} else {
		cache_evict(u->device, addr, cache_mask(addr, len), true);
		old = emu_rmw((void *)(uintptr_t)addr, len, op, x, compare);
	}
	pthread_mutex_unlock(&u->device->lock);
	return old;
}

void emu_cache_read_scalar(struct emu_unit *u, uint64_t addr, void *out, size_t len)
{
	pthread_mutex_lock(&u->device->lock);
	for (size_t n, done = 0; done < len; done += n) {
		n = cache_here(addr + done, len - done);
		cache_unit_read(u, &u->scalar, addr + done, (char *)out + done, n);
	}
	pthread_mutex_unlock(&u->device->lock);
}

void emu_cache_invalidate(struct emu_unit *u, enum emu_scope scope)
{
	if (scope == EMU_SCOPE_WAVE)
		return;
	u->vector.epoch++;
	if (scope != EMU_SCOPE_SYSTEM)
		return;
	pthread_mutex_lock(&u->device->lock);
	u->device->cache.epoch++;
	pthread_mutex_unlock(&u->device->lock);
}

void emu_cache_invalidate_scalar(struct emu_unit *u)
{
	u->scalar.epoch++;
}

static void cache_write_back(struct emu_device *d)
{
	while (d->written) {
		struct cache_line *l = d->written;

		d->written = l->written;
		l->listed = false;
		cache_flush(l, ~0ull);
	}
}

void emu_cache_write_back(struct emu_unit *u)
{
	pthread_mutex_lock(&u->device->lock);
	cache_write_back(u->device);
	pthread_mutex_unlock(&u->device->lock);
}

void emu_adversary_draw(struct emu_device *d, struct emu_adversary *out)
{
	static const unsigned perform[] = { 1, 4, 32, 256 }, turn[] = { 3, 40, 400 };
	static const unsigned evict[] = { 0, 16, 256, 4096 }, skip[] = { 0, 2, 8 };
	static const unsigned hold[] = { 0, 16, 64, 256 };
	uint64_t x;

	pthread_mutex_lock(&d->lock);
	x = out->random = emu_random(&d->random);
	d->evict = evict[x >> 8 & 3];
	pthread_mutex_unlock(&d->lock);
	out->perform = perform[x >> 16 & 3];
	out->turn = turn[(x >> 24 & 255) % 3];
	out->hold = hold[x >> 40 & 3];
	out->skip = skip[(x >> 32 & 255) % 3];
}

struct emu_device *emu_device_open(uint64_t seed)
{
	struct emu_device *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	pthread_mutex_init(&d->lock, NULL);
	d->random = (seed + 1) * 0x9e3779b97f4a7c15u;
	d->random = d->random ? d->random : 1;
	return d;
}

void emu_device_close(struct emu_device *d)
{
	if (!d)
		return;
	cache_free(&d->cache);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

struct emu_unit *emu_unit_open(struct emu_device *d)
{
	struct emu_unit *u = calloc(1, sizeof(*u));

	if (u)
		u->device = d;
	return u;
}

void emu_unit_close(struct emu_unit *u)
{
	if (!u)
		return;
	cache_free(&u->vector);
	cache_free(&u->scalar);
	free(u);
}
