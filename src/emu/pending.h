// SPDX-License-Identifier: MIT
/*
 * Vector memory instructions of a wave that were issued but not yet performed. With plain memory
 * all are performed at once. With adversarial memory they wait, and are performed at random and in
 * any order, until s_waitcnt vmcnt asks for them; only those that concern the same bytes keep
 * their order, and a write-back follows what was issued before it.
 */
#ifndef MORI_EMU_PENDING_H
#define MORI_EMU_PENDING_H

#include "emu/wave.h"

struct emu_access {
	const struct emu_insn *i;
	void (*perform)(struct emu_wave *w, const struct emu_access *a);
	struct emu_access *next; /* issued after it */
	uint64_t number;	 /* in the order of issue */
	uint64_t until;		 /* the time before which chance does not perform it; 0: none */
	bool write_back;	 /* it concerns all that was issued before, and nothing after */
	uint64_t low, high;	 /* all its bytes are from low to below high */
	uint64_t lanes, in;	 /* lanes that take part, and whose address is in the buffer */
	uint64_t at[EMU_LANES];
	uint32_t data[4][EMU_LANES]; /* of stores and atomics */
};

/* Performs @a, or keeps a copy of it for later. */
void emu_issue(struct emu_wave *w, struct emu_access *a);
/* What buffer_wbl2 asks for: it is over only once it was waited for. */
void emu_issue_write_back(struct emu_wave *w, const struct emu_insn *i);
/* Performs what comes before @a, which is to be performed at once. */
void emu_perform_before(struct emu_wave *w, struct emu_access *a);
/* Performs all but those among the last @left that were issued, the oldest first. */
void emu_perform_until(struct emu_wave *w, unsigned left);
/* Performs one of these by chance. False: there was none. */
bool emu_perform_one(struct emu_wave *w, unsigned left);
/* Performs one of them if chance has it so. */
void emu_perform_some(struct emu_wave *w);
/* Frees what was not performed: the launch has failed. */
void emu_pending_drop(struct emu_wave *w);

#endif
