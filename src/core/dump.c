// SPDX-License-Identifier: MIT
/*
 * The handler only wakes a thread, which takes the locks and prints. Thread and handler exist while
 * a world of the process wants them.
 */
#include "core/dump.h"

#include "core/pe.h"
#include "util/log.h"
#include "util/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static struct {
	pthread_mutex_t turn; /* around opening and closing */
	pthread_mutex_t lock; /* of the list, and of the end */
	struct dump_world {
		struct dump_world *next;
		struct world *world;
	} *first;
	int signal; /* handled; 0: none */
	int fd;	    /* an eventfd; atomic, read by the handler */
	pthread_t thread;
	bool ends; /* the thread is to end */
} dump = { .turn = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

/* By enum option_dump. */
static const int dump_signals[] = { SIGUSR1, SIGUSR2, SIGHUP, SIGQUIT, SIGALRM };

static void dump_handler(int signal)
{
	int saved = errno;

	(void)signal;
	(void)eventfd_write(__atomic_load_n(&dump.fd, __ATOMIC_RELAXED), 1);
	errno = saved;
}

static void dump_print(struct world *w)
{
	char *text = waits_answer(w), *rest = text;
	const char *line;

	while (text && (line = strsep(&rest, "\n")) && *line)
		log_line(LOG_WARN, "%s", line);
	free(text);
}

static void *dump_main(void *arg)
{
	eventfd_t ignored;
	bool ends = false;

	(void)arg;
	while (!ends && (!eventfd_read(dump.fd, &ignored) || errno == EINTR)) {
		pthread_mutex_lock(&dump.lock);
		ends = dump.ends;
		for (struct dump_world *d = dump.first; d && !ends; d = d->next)
			dump_print(d->world);
		pthread_mutex_unlock(&dump.lock);
	}
	return NULL;
}

/* It is opened or closed by one thread at a time. */
static void dump_start(int signal)
{
	struct sigaction action = { .sa_handler = dump_handler, .sa_flags = SA_RESTART }, was;
	int err;

	if (sigaction(signal, NULL, &was) || was.sa_handler != SIG_DFL) {
		log_warn(
			"MORI_SHMEM_DUMP_SIGNAL: the program handles or ignores signal %d (%s): it "
			"is left alone",
			signal, strsignal(signal));
		return;
	}
	dump.ends = false;
	dump.fd = eventfd(0, EFD_CLOEXEC);
	err = dump.fd < 0 ? errno :
			    thread_create(&dump.thread, THREAD_STACK_SMALL, dump_main, NULL);
	if (err) {
		log_warn("MORI_SHMEM_DUMP_SIGNAL has no effect: %s", strerror(err));
		if (dump.fd >= 0)
			close(dump.fd);
		dump.fd = -1;
		return;
	}
	dump.signal = signal;
	sigaction(signal, &action, NULL);
}

/* Without the lock of the list, which the thread takes. */
static void dump_stop(void)
{
	int signal = dump.signal, fd = dump.fd;
	struct sigaction now;

	dump.signal = 0;
	if (!sigaction(signal, NULL, &now) && now.sa_handler == dump_handler) {
		now.sa_handler = SIG_DFL;
		sigaction(signal, &now, NULL);
	}
	(void)eventfd_write(fd, 1);
	pthread_join(dump.thread, NULL);
	__atomic_store_n(&dump.fd, -1, __ATOMIC_RELAXED);
	close(fd);
}

void dump_open(struct world *w, int which)
{
	struct dump_world *d = which >= 0 ? malloc(sizeof(*d)) : NULL;

	if (!d)
		return;
	d->world = w;
	pthread_mutex_lock(&dump.turn);
	pthread_mutex_lock(&dump.lock);
	d->next = dump.first;
	dump.first = d;
	pthread_mutex_unlock(&dump.lock);
	if (!dump.signal)
		dump_start(dump_signals[which]);
	pthread_mutex_unlock(&dump.turn);
}

void dump_close(struct world *w)
{
	pthread_mutex_lock(&dump.turn);
	pthread_mutex_lock(&dump.lock);
	for (struct dump_world **p = &dump.first, *d; (d = *p);) {
		if (d->world != w) {
			p = &d->next;
			continue;
		}
		*p = d->next;
		free(d);
	}
	dump.ends = !dump.first;
	pthread_mutex_unlock(&dump.lock);
	if (!dump.first && dump.signal)
		dump_stop();
	pthread_mutex_unlock(&dump.turn);
}

void dump_after_fork(void)
{
	pthread_mutex_init(&dump.turn, NULL);
	pthread_mutex_init(&dump.lock, NULL);
	if (dump.signal)
		signal(dump.signal, SIG_DFL);
	if (dump.fd >= 0)
		close(dump.fd);
	dump.fd = -1;
	dump.first = NULL;
	dump.signal = 0;
}
