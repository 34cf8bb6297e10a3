// SPDX-License-Identifier: MIT
/*
 * The waits of this process that last, in a list of their world: a thread that waits for a word of
 * its own, a PE in a collective call, a kernel on the CPU whose threads all wait. Each says from
 * time to time on standard error what it waits for. Waits that end soon never come here.
 */
#ifndef MORI_CORE_WAITS_H
#define MORI_CORE_WAITS_H

#include "accel/wait_text.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct pe;
struct world;

enum waits_kind { WAITS_WORD, WAITS_COLL, WAITS_KERNEL };

struct waits_entry {
	struct waits_entry *next;
	struct pe *pe; /* NULL: not in the list */
	enum waits_kind kind;
	int64_t since, report_at; /* by clock_now() */
	bool ends;		  /* it has a limit of its own */
	char call[160];		  /* that waits, with its name */
	struct wait_word word;	  /* WAITS_WORD */
	uint32_t epoch;		  /* WAITS_COLL */
	struct pe *owner;	  /* WAITS_KERNEL */
	char text[400];		  /* the same: what for */
};

struct waits {
	pthread_mutex_t lock; /* of the list and its entries; nothing is called that waits */
	struct waits_entry *first;
};

/* A wait becomes visible when it has lasted for this long. */
#define WAITS_SOON_NS 10000000

/* The wait of @pe described by @e, which began at e->since, goes into the list. */
void waits_begin(struct waits_entry *e, struct pe *pe);
/* Called before each sleep of a wait in the list: reports it if that is due. */
void waits_look(struct waits_entry *e, int64_t now);
/* The wait is over; nothing if it is not in the list. */
void waits_end(struct waits_entry *e);
/* What the kernel of @e waits for now. */
void waits_kernel_text(struct waits_entry *e, const char *text, bool ends);

#endif
