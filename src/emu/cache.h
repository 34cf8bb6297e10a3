// SPDX-License-Identifier: MIT
/*
 * Adversarial memory: caches that keep what they have until the code says otherwise, as LLVM's
 * memory model of gfx942 allows.
 *
 * A device has one write-back cache. Each of its compute units has two read caches, one for vector
 * and one for scalar loads. All are as large as it takes. What a cache holds is valid per byte:
 *
 *	scope of a load		reads
 *	wave (no bit, sc0)	the read cache, filled from the device's in lines of 64 bytes
 *	device (sc1)		the device's cache, filled from memory in lines
 *	system (sc0 sc1)	memory
 *
 *	scope of a store	writes
 *	up to the device	the device's cache; memory only with a write-back
 *	system (sc0 sc1)	memory
 *
 * An atomic up to the scope of the device is executed in its cache, one of the system (sc1) in
 * memory. buffer_inv sc1 empties the unit's vector cache, and with sc0 also drops from the device's
 * what it has not written itself; buffer_wbl2 sc0 sc1 writes back. The start of a kernel drops all
 * that is clean, its end writes back.
 *
 * Lines may also be dropped or written back at random.
 */
#ifndef MORI_EMU_CACHE_H
#define MORI_EMU_CACHE_H

#include "emu/memory.h"

enum emu_scope { EMU_SCOPE_WAVE, EMU_SCOPE_DEVICE, EMU_SCOPE_SYSTEM };

/* A GPU's cache, which the launches of several threads may share. @seed decides what is random. */
struct emu_device;
struct emu_device *emu_device_open(uint64_t seed);
void emu_device_close(struct emu_device *d);

/* The caches of one compute unit, of one launch. */
struct emu_unit;
struct emu_unit *emu_unit_open(struct emu_device *d);
void emu_unit_close(struct emu_unit *u);

void emu_cache_read(struct emu_unit *u, enum emu_scope scope, uint64_t addr, void *out, size_t len);
void emu_cache_write(struct emu_unit *u, enum emu_scope scope, uint64_t addr, const void *from,
		     size_t len);
uint64_t emu_cache_rmw(struct emu_unit *u, enum emu_scope scope, uint64_t addr, unsigned len,
		       enum emu_rmw op, uint64_t x, uint64_t compare);
void emu_cache_read_scalar(struct emu_unit *u, uint64_t addr, void *out, size_t len);

void emu_cache_invalidate(struct emu_unit *u, enum emu_scope scope);
void emu_cache_invalidate_scalar(struct emu_unit *u);
/* Everything that the device has not yet written to memory. */
void emu_cache_write_back(struct emu_unit *u);

/* What a launch draws by chance. */
struct emu_adversary {
	uint64_t random;
	unsigned perform; /* one instruction in so many performs a pending access */
	unsigned hold;	  /* one access in so many waits for long, if the code lets it; 0: none */
	unsigned turn;	  /* instructions at most */
	unsigned skip;	  /* one turn in so many is left out */
};
void emu_adversary_draw(struct emu_device *d, struct emu_adversary *out);

static inline uint64_t emu_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* True one time in @n; 0: never. */
static inline bool emu_chance(uint64_t *state, unsigned n)
{
	return n && emu_random(state) % n == 0;
}

#endif
