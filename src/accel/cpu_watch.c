// SPDX-License-Identifier: MIT
/* The timer is the kernel's and signals the thread that runs the grid: no other thread is needed. */
#include "accel/cpu_watch.h"

#include "accel/fiber.h"
#include "util/err.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define WATCH_TICK_NS 50000000u
#define WATCH_SAMPLES 40u	  /* before it can be called a loop */
#define WATCH_LOST_NS 1000000000u /* when a PE is lost */

/*
 * SIGURG is ignored by default, and by debuggers. TSan hands on at once only what a
 * thread's own code can raise.
 */
int cpu_watch_signal(void)
{
	return FIBER_TSAN ? SIGILL : SIGURG;
}

static FIBER_BARE uint64_t watch_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int cpu_watch_open(struct cpu_watch *w, void *id)
{
	struct sigevent ev = { .sigev_notify = SIGEV_THREAD_ID,
			       .sigev_signo = cpu_watch_signal(),
			       .sigev_value.sival_ptr = id };
	const struct timespec tick = { .tv_nsec = WATCH_TICK_NS };
	sigset_t mine;

	ev.sigev_notify_thread_id = (int)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &ev, &w->timer))
		return err_set(MORI_SHMEM_EIO, "cannot watch a kernel: timer_create: %s",
			       strerror(errno));
	sigemptyset(&mine);
	sigaddset(&mine, cpu_watch_signal());
	pthread_sigmask(SIG_UNBLOCK, &mine, &w->mask);
	timer_settime(w->timer, 0, &(struct itimerspec){ tick, tick }, NULL);
	return 0;
}

/* What the timer has sent arrives before timer_delete() returns: it is for this thread. */
void cpu_watch_close(struct cpu_watch *w)
{
	timer_delete(w->timer);
	pthread_sigmask(SIG_SETMASK, &w->mask, NULL);
}

static FIBER_BARE void watch_restart(struct cpu_watch *w, uint64_t turn, uint64_t now)
{
	w->turn = turn;
	w->since = now;
	w->samples = w->n_states = 0;
}

/* Whether the registers have been so before, or there is room to note them. */
static FIBER_BARE bool watch_seen(struct cpu_watch *w, uint64_t state)
{
	uint32_t i = 0;

	while (i < w->n_states && w->states[i] != state)
		i++;
	if (i == WATCH_STATES)
		return false;
	if (i == w->n_states)
		w->states[w->n_states++] = state;
	return true;
}

FIBER_BARE bool cpu_watch_tick(struct cpu_watch *w, const void *ucontext)
{
	uint64_t now = watch_now(), turn = *w->turns, limit = w->limit_ns;

	/* Relaxed: the word is all that counts here. */
	w->lost = __atomic_load_n(&w->state->lost, __ATOMIC_RELAXED) != 0;
	if (w->lost && (!limit || limit > WATCH_LOST_NS))
		limit = WATCH_LOST_NS;
	if (turn != w->turn || !watch_seen(w, fiber_signal_state(ucontext)))
		watch_restart(w, turn, now);
	if (++w->samples < WATCH_SAMPLES || !limit || now - w->since < limit)
		return false;
	w->spun_ns = now - w->since;
	return true;
}
