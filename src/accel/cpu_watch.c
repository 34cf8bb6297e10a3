// SPDX-License-Identifier: MIT
/*
 * A timer of the operating system signals the thread that runs the grid: no other thread is needed.
 */
#include "accel/cpu_watch.h"

#include "accel/fiber.h"
#include "util/clock.h"
#include "util/err.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define WATCH_TICK_NS 50000000u
#define WATCH_SAMPLES 40u	  /* before the thread counts as looping */
#define WATCH_LOST_NS 1000000000u /* when a PE is lost */

/*
 * SIGURG is ignored by default, and by debuggers. TSan delivers at once only signals that a
 * thread's own code can raise.
 */
int cpu_watch_signal(void)
{
	return FIBER_TSAN ? SIGILL : SIGURG;
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

/*
 * A signal that the timer has sent arrives before timer_delete() returns, because it is directed at
 * this thread.
 */
void cpu_watch_close(struct cpu_watch *w)
{
	timer_delete(w->timer);
	pthread_sigmask(SIG_SETMASK, &w->mask, NULL);
}

static TSAN_BARE void cpu_watch_restart(struct cpu_watch *w, uint64_t turn, uint64_t now)
{
	w->turn = turn;
	w->since = now;
	w->samples = w->n_states = 0;
}

/* Whether this state of the registers was seen before, or there is room to record it. */
static TSAN_BARE bool cpu_watch_seen(struct cpu_watch *w, uint64_t state)
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

TSAN_BARE bool cpu_watch_tick(struct cpu_watch *w, const void *ucontext)
{
	uint64_t now = (uint64_t)clock_now(), turn = *w->turns, limit = w->limit_ns;

	/* Relaxed: nothing but the word is read. */
	w->lost = __atomic_load_n(&w->state->lost, __ATOMIC_RELAXED) != 0;
	if (w->lost && (!limit || limit > WATCH_LOST_NS))
		limit = WATCH_LOST_NS;
	if (turn != w->turn || !cpu_watch_seen(w, fiber_signal_state(ucontext)))
		cpu_watch_restart(w, turn, now);
	if (++w->samples < WATCH_SAMPLES || !limit || now - w->since < limit)
		return false;
	w->spun_ns = now - w->since;
	return true;
}
