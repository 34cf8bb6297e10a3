// SPDX-License-Identifier: MIT
/*
 * The waits of this process that last, in a list of their world: a thread that waits for a word of
 * its own or for the network, a PE in a collective call, a kernel on the CPU whose threads all wait.
 * Each says from time to time on standard error what it waits for. Waits that end soon never come
 * here.
 */
#ifndef MORI_CORE_WAITS_H
#define MORI_CORE_WAITS_H

#include "accel/wait_text.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct pe;
struct world;

enum waits_kind { WAITS_WORD, WAITS_COLL, WAITS_KERNEL, WAITS_NET };

struct waits_entry {
	struct waits_entry *next;
	struct pe *pe; /* NULL: not in the list */
	enum waits_kind kind;
	int64_t since, report_at; /* by clock_now() */
	bool ends;		  /* it has a limit of its own */
	bool final;		  /* WAITS_COLL: of finalize */
	int status;		  /* atomic: it is to end with that; stuck.c */
	uint32_t looked;	  /* atomic: its thread has checked what it waits for; stuck.c */
	char call[160];		  /* that waits, with its name */
	struct wait_word word;	  /* WAITS_WORD */
	uint32_t epoch;		  /* WAITS_COLL */
	struct pe *owner;	  /* WAITS_KERNEL */
	char text[400];		  /* the same, and WAITS_NET: what for */
};

struct waits {
	pthread_mutex_t lock; /* of all here; nothing is called that waits */
	struct waits_entry *first;
	uint64_t moves; /* how often the list has changed */
	uint64_t told; /* the same when the rendezvous was told that all here wait; 0: it was not */
	int64_t check_at;  /* atomic: when to see whether they do */
	char verdict[512]; /* why waits end whose status is set */
};

/* A wait becomes visible when it has lasted for this long. */
#define WAITS_SOON_NS 10000000

/* The wait of @pe described by @e, which began at e->since, goes into the list. */
void waits_begin(struct waits_entry *e, struct pe *pe);
/*
 * Called before each sleep of a wait in the list, with what it waits for checked: reports it if that
 * is due. Not 0: nobody can end it, and it is to fail with that status; the text is set.
 */
int waits_look(struct waits_entry *e, int64_t now);
/* The wait is over; nothing if it is not in the list. */
void waits_end(struct waits_entry *e);
/* What @e, of a kernel or the network, waits for now. */
void waits_set_text(struct waits_entry *e, const char *text, bool ends);
/* With the lock held: who waits, how long, and for what. */
void waits_describe(const struct waits_entry *e, int64_t now, char *text, size_t size);

/* What the PEs of @w in this process wait for, a line each, to be freed; NULL: no memory. */
char *waits_answer(struct world *w);

/* stuck.c: from now on the waits of @w end when nobody can end them. */
void stuck_open(struct world *w);
/* Now and then, by a thread that waits in @w. */
void stuck_check(struct world *w, int64_t now);

#endif
