// SPDX-License-Identifier: MIT
/*
 * Fibers: several threads of control on one host thread, each with a stack of its
 * own. A switch keeps what a function call keeps, the floating-point modes too,
 * and is announced to ASan and TSan where the library is built with them.
 */
#ifndef MORI_ACCEL_FIBER_H
#define MORI_ACCEL_FIBER_H

#include "util/tsan.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define FIBER_TSAN 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define FIBER_ASAN 1
#endif
#ifdef __SANITIZE_THREAD__
#define FIBER_TSAN 1
#endif
#ifndef FIBER_ASAN
#define FIBER_ASAN 0
#endif
#ifndef FIBER_TSAN
#define FIBER_TSAN 0
#endif

/* Where a fiber that does not run continues. */
struct fiber {
	void *sp;
	void *tsan;	    /* TSan's idea of it */
	void *fake;	    /* ASan's second stack */
	const void *bottom; /* of its stack, and its length: ASan needs them */
	size_t size;
};

/* The running thread of control, about to switch for the first time. */
void fiber_here(struct fiber *f);
/* A new one that runs @main on [lo, hi) when it is switched to; @main must not return. */
void fiber_make(struct fiber *f, void *lo, void *hi, void (*main)(void));
/* The first call in @main: @from is the fiber that switched to it. */
void fiber_arrived(struct fiber *from);
void fiber_switch(struct fiber *from, struct fiber *to);
/* The same for one that never runs again. */
void fiber_leave(struct fiber *from, struct fiber *to) __attribute__((noreturn));
/* In a signal handler: when it returns, @to continues instead of what was interrupted. */
void fiber_land(void *ucontext, struct fiber *to);

/* What a handler can find out about the interrupted code; 0 on an unknown machine. */
uint64_t fiber_signal_sp(const void *ucontext);
/* All of its registers in one word: another word, other registers. */
uint64_t fiber_signal_state(const void *ucontext);
/* 1 if it was writing, 0 if reading, -1 if the machine does not report it. */
int fiber_signal_write(const void *ucontext);

/* What a sanitizer keeps with a stack: made before its first fiber, forgotten with it. */
void *fiber_tsan_open(void);
void fiber_tsan_close(void *tsan);
/* Whatever frames were left there, the memory is fresh. */
void fiber_stack_clean(void *lo, size_t size);

#endif
