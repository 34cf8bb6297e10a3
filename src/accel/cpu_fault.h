// SPDX-License-Identifier: MIT
/*
 * Faults of kernels on the CPU. While a thread runs a grid, a signal that the
 * grid's own code raises ends that code and lets the host's fiber go on; every
 * other signal goes to whoever had it before.
 */
#ifndef MORI_ACCEL_CPU_FAULT_H
#define MORI_ACCEL_CPU_FAULT_H

#include "accel/cpu_watch.h"
#include "accel/fiber.h"

#include <stdbool.h>

/* What a thread that runs a grid lets the handler know, and what it learns. */
struct cpu_fault {
	struct fiber *host;    /* goes on after a fault */
	volatile bool armed;   /* the grid's code runs, not the host's */
	volatile int sig;      /* 0: none */
	volatile int err;      /* the status it is */
	volatile int write;    /* as fiber_signal_write() */
	volatile bool no_addr; /* the machine did not say which address */
	volatile uint64_t addr, sp;
	struct cpu_watch watch; /* its first fields are the caller's to fill in */
	void *alt;		/* stack of the handler */
	stack_t old_alt;
};

/* For the calling thread; @host is where a fault goes. Give 0 or a status with a text. */
int cpu_fault_watch(struct cpu_fault *f, struct fiber *host);
void cpu_fault_unwatch(struct cpu_fault *f);
/*
 * What happened, in words, as in "read of address 0x10". @no_state: the library set the trap,
 * because it had no PE to act for.
 */
void cpu_fault_text(const struct cpu_fault *f, bool no_state, char *text, size_t size);

#endif
