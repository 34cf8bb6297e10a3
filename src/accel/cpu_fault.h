// SPDX-License-Identifier: MIT
/*
 * Faults of kernels on the CPU. While a thread runs a grid, a signal that the grid's own code
 * raises ends that code and resumes the host's fiber; every other signal goes to the previous
 * handler.
 */
#ifndef MORI_ACCEL_CPU_FAULT_H
#define MORI_ACCEL_CPU_FAULT_H

#include "accel/cpu_watch.h"
#include "accel/fiber.h"

#include <stdbool.h>

/* What a thread that runs a grid shares with the handler. */
struct cpu_fault {
	struct fiber *host;    /* continues after a fault */
	volatile bool armed;   /* the grid's code runs, not the host's */
	volatile int sig;      /* 0: none */
	volatile int err;      /* the status it is */
	volatile int write;    /* as fiber_signal_write() */
	volatile bool no_addr; /* the machine reported no address */
	volatile uint64_t addr, sp;
	struct cpu_watch watch; /* its first fields are the caller's to fill in */
	void *alt;		/* stack of the handler */
	stack_t old_alt;
};

/* For the calling thread; a fault resumes @host. Returns 0 or a status with a text. */
int cpu_fault_watch(struct cpu_fault *f, struct fiber *host);
void cpu_fault_unwatch(struct cpu_fault *f);
/*
 * Describes the fault, as in "read of address 0x10". @no_state: the library trapped because it had
 * no PE to act for.
 */
void cpu_fault_text(const struct cpu_fault *f, bool no_state, char *text, size_t size);

#endif
