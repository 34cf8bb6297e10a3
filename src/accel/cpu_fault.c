// SPDX-License-Identifier: MIT
/*
 * Handlers are installed while any thread runs a grid: the first thread installs them, the last one
 * restores the previous handlers. A thread-local variable tells the handler whether the fault
 * belongs to a grid.
 */
#include "accel/cpu_fault.h"

#include "util/err.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#define ALT_STACK 65536u /* plus what the machine needs to save its registers */

static const int fault_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL,
				     SIGURG }; /* and the watch's */
#define N_SIGNALS (sizeof(fault_signals) / sizeof(fault_signals[0]))

static struct {
	pthread_mutex_t lock;
	unsigned users;
	struct sigaction old[N_SIGNALS];
} fault_handlers = { .lock = PTHREAD_MUTEX_INITIALIZER };

static __thread struct cpu_fault *fault_watched; /* of the grid this thread runs */

/* The signal is not a kernel's: do what would have happened without the library. */
static TSAN_BARE void fault_pass_on(int sig, siginfo_t *info, void *ucontext)
{
	const struct sigaction *old = NULL;

	for (size_t i = 0; i < N_SIGNALS; i++) {
		if (fault_signals[i] == sig)
			old = &fault_handlers.old[i];
	}
	if (old->sa_flags & SA_SIGINFO) {
		old->sa_sigaction(sig, info, ucontext);
	} else if (sig == SIGURG && old->sa_handler == SIG_DFL) {
		return; /* nothing */
	} else if (old->sa_handler == SIG_DFL ||
		   (old->sa_handler == SIG_IGN && info->si_code > 0)) {
		/* Raised again as soon as this returns, and then it ends the process. */
		signal(sig, SIG_DFL);
		if (info->si_code <= 0)
			raise(sig);
	} else if (old->sa_handler != SIG_IGN) {
		old->sa_handler(sig);
	}
}

/* A tick of the watchdog's timer, which may end the grid's code too. */
static TSAN_BARE void fault_tick(struct cpu_fault *f, int sig, void *ucontext)
{
	int err = errno;

	if (f->armed && cpu_watch_tick(&f->watch, ucontext)) {
		f->armed = false;
		f->err = f->watch.lost ? MORI_SHMEM_EPEER : MORI_SHMEM_ETIMEDOUT;
		f->sig = sig;
		fiber_land(ucontext, f->host);
	}
	errno = err;
}

static TSAN_BARE void fault_handler(int sig, siginfo_t *info, void *ucontext)
{
	struct cpu_fault *f = fault_watched;
	int err = errno;

	if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &fault_handlers) {
		if (f) /* otherwise it was late */
			fault_tick(f, sig, ucontext);
		return;
	}
	/* si_code is positive for what the machine raised, not for kill(2). */
	if (!f || !f->armed || info->si_code <= 0) {
		fault_pass_on(sig, info, ucontext);
		errno = err;
		return;
	}
	f->armed = false;
	f->addr = (uint64_t)(uintptr_t)info->si_addr;
	f->sp = fiber_signal_sp(ucontext);
	f->write = sig == SIGSEGV ? fiber_signal_write(ucontext) : -1;
	f->no_addr = info->si_code == SI_KERNEL;
	f->err = MORI_SHMEM_EFAULT;
	f->sig = sig;
	fiber_land(ucontext, f->host);
}

/* Under the lock. */
static int fault_handlers_set(void)
{
	struct sigaction sa = { .sa_sigaction = fault_handler,
				.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART };

	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < N_SIGNALS; i++) {
		if (sigaction(fault_signals[i], &sa, &fault_handlers.old[i]))
			return err_set(MORI_SHMEM_EIO, "cannot watch for faults: sigaction: %s",
				       strerror(errno));
	}
	return 0;
}

/* Under the lock. A handler that somebody else has installed since stays. */
static void fault_handlers_reset(void)
{
	struct sigaction now;

	for (size_t i = 0; i < N_SIGNALS; i++) {
		if (!sigaction(fault_signals[i], NULL, &now) && (now.sa_flags & SA_SIGINFO) &&
		    now.sa_sigaction == fault_handler)
			sigaction(fault_signals[i], &fault_handlers.old[i], NULL);
	}
}

static int fault_alt_stack(struct cpu_fault *f)
{
	size_t size = ALT_STACK + getauxval(AT_MINSIGSTKSZ);
	stack_t ss = { .ss_size = size };

	f->alt = malloc(size);
	if (!f->alt)
		return err_set(MORI_SHMEM_ENOMEM, "no memory for a signal stack");
	ss.ss_sp = f->alt;
	if (!sigaltstack(&ss, &f->old_alt))
		return 0;
	free(f->alt);
	return err_set(MORI_SHMEM_EIO, "cannot set a signal stack: sigaltstack: %s",
		       strerror(errno));
}

static void fault_unset(struct cpu_fault *f)
{
	fault_watched = NULL;
	pthread_mutex_lock(&fault_handlers.lock);
	if (!--fault_handlers.users)
		fault_handlers_reset();
	pthread_mutex_unlock(&fault_handlers.lock);
	sigaltstack(&f->old_alt, NULL);
	free(f->alt);
}

int cpu_fault_watch(struct cpu_fault *f, struct fiber *host)
{
	int err;

	f->err = MORI_SHMEM_EFAULT;
	f->host = host;
	err = fault_alt_stack(f);
	if (err)
		return err;
	pthread_mutex_lock(&fault_handlers.lock);
	if (!fault_handlers.users++)
		err = fault_handlers_set();
	pthread_mutex_unlock(&fault_handlers.lock);
	fault_watched = f;
	if (!err)
		err = cpu_watch_open(&f->watch, &fault_handlers);
	if (err)
		fault_unset(f);
	return err;
}

void cpu_fault_unwatch(struct cpu_fault *f)
{
	cpu_watch_close(&f->watch);
	fault_unset(f);
}

void cpu_fault_text(const struct cpu_fault *f, bool no_state, char *text, size_t size)
{
	const char *access = f->write < 0 ? "use" : f->write ? "write" : "read";
	unsigned long long addr = f->addr;

	if (f->watch.spun_ns)
		snprintf(text, size,
			 "it has polled memory in a loop for %.1f s without a wait of the "
			 "library%s",
			 (double)f->watch.spun_ns / 1e9,
			 f->watch.lost ? "; a PE is lost" : " (MORI_SHMEM_TIMEOUT)");
	else if (f->sig == SIGFPE)
		snprintf(text, size, "division by zero, or one whose result does not fit (SIGFPE)");
	else if (f->sig == SIGILL && no_state)
		snprintf(text, size,
			 "a call of the library has no PE to act for: the context is 0, or the "
			 "module was never passed to mori_shmem_module_init()");
	else if (f->sig == SIGILL)
		snprintf(text, size,
			 "an illegal instruction (SIGILL), such as a trap the compiler set");
	else if (f->no_addr)
		snprintf(text, size, "use of a pointer that is not an address (SIGSEGV)");
	else
		snprintf(text, size, "%s of address 0x%llx (%s)", access, addr,
			 f->sig == SIGBUS ? "SIGBUS" : "SIGSEGV");
}
