// SPDX-License-Identifier: MIT
/*
 * Small stacks in large number. They lie close together in slabs with a page that
 * nobody may touch below each; a pattern at the low end of every stack shows
 * whether its user went further than it reaches.
 */
#ifndef MORI_ACCEL_STACKS_H
#define MORI_ACCEL_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stack {
	char *lo, *hi;
	struct stack *next; /* free, the last used first */
	void *tsan;	    /* TSan's idea of the fiber on it; NULL: none yet */
};

struct stacks_slab;

struct stacks {
	size_t size;		   /* of one, a multiple of the page */
	struct stacks_slab *slabs; /* the newest first */
	size_t n_slabs;
	struct stack *free;
};

/* @size: as requested by the user; increased in builds with larger frames. */
void stacks_open(struct stacks *s, size_t size);
void stacks_close(struct stacks *s);
/* A stack with its pattern in place, or NULL and a text. */
struct stack *stacks_take(struct stacks *s);
void stacks_give(struct stacks *s, struct stack *stack);
/* Frees all stacks, even those not given back; keeps the memory of about @n. */
void stacks_reset(struct stacks *s, size_t n);

/* The fiber on it will never end: a sanitizer must forget it. */
void stack_forget(struct stack *stack);

bool stack_intact(const struct stack *stack);
/* How far down a kernel's frame may reach, with some room for what it calls. */
uint64_t stack_bound(const struct stack *stack);
/* Whether an address is in some stack, or in the gap below one. */
bool stacks_hold(const struct stacks *s, const void *addr);

#endif
