// SPDX-License-Identifier: MIT
/*
 * The thread of a process in a world: it sleeps until the rendezvous or a process of the node sends
 * something, and ends when the last PE has left. Only this thread reads the connection and serves
 * the unix socket.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "boot/boot_priv.h"

#include "util/clock.h"

#define LOOK_S 1.0 /* at the latest: nobody can wake the thread once the program closed its files */

enum { AT_LINK, AT_WAKE, AT_ACCEPTOR, N_POLLED };

/* With watch_lock held. */
static void reader_watch_call(struct boot *b, int proc, const char *text)
{
	for (int i = 0; i < b->n_watchers; i++)
		b->watchers[i].lost(b->watchers[i].arg, proc, text);
}

static void lost_text(const struct boot *b, int proc, char *buf, size_t size)
{
	static const char exited[] = ": it has exited without mori_shmem_finalize()";
	char who[256];

	if (proc >= 0) {
		const char *verb = table_who(b, proc, who, sizeof(who)) == 1 ? "was" : "were";

		snprintf(buf, size, "%s %s lost%s", who, verb,
			 b->lost[proc] == BOOT_PROC_EXITED ? exited : "");
	} else {
		snprintf(buf, size, "the rendezvous (process %d on host %s) was lost",
			 b->server.pid, b->server.host);
	}
}

/* A process is lost; -1: the rendezvous, which hosts no PE of this world. */
static void reader_lost(struct boot *b, int proc, enum boot_proc how)
{
	char text[WIRE_TEXT];

	if (proc >= b->info.n_procs)
		return;
	pthread_mutex_lock(&b->watch_lock);
	if (proc < 0)
		b->host_lost = 1;
	else
		/* Release: pairs with boot_lost(), which needs no lock. */
		__atomic_store_n(&b->lost[proc], (uint8_t)how, __ATOMIC_RELEASE);
	lost_text(b, proc, text, sizeof(text));
	pthread_mutex_lock(&b->lock);
	boot_break(b, MORI_SHMEM_EPEER, text);
	pthread_mutex_unlock(&b->lock);
	reader_watch_call(b, proc, text);
	pthread_mutex_unlock(&b->watch_lock);
}

void reader_aborted(struct boot *b, const char *text)
{
	pthread_mutex_lock(&b->watch_lock);
	if (!b->abort_text[0]) {
		wire_copy_text(b->abort_text, sizeof(b->abort_text), text);
		pthread_mutex_lock(&b->lock);
		boot_break(b, MORI_SHMEM_EPEER, text);
		pthread_mutex_unlock(&b->lock);
		reader_watch_call(b, -1, text);
	}
	pthread_mutex_unlock(&b->watch_lock);
}

void boot_watch(struct boot *b, boot_lost_fn lost, void *arg)
{
	struct boot_watcher *more;
	char text[WIRE_TEXT];

	pthread_mutex_lock(&b->watch_lock);
	for (int i = 0; i < b->n_watchers; i++) {
		if (b->watchers[i].arg == arg)
			b->watchers[i--] = b->watchers[--b->n_watchers];
	}
	more = lost ? realloc(b->watchers, ((size_t)b->n_watchers + 1) * sizeof(*more)) : NULL;
	if (more) {
		b->watchers = more;
		more[b->n_watchers++] = (struct boot_watcher){ lost, arg };
	}
	if (lost && b->abort_text[0])
		lost(arg, -1, b->abort_text);
	for (int i = -1; lost && i < b->info.n_procs; i++) {
		if (i < 0 ? !b->host_lost : !b->lost[i])
			continue;
		lost_text(b, i, text, sizeof(text));
		lost(arg, i, text);
	}
	pthread_mutex_unlock(&b->watch_lock);
}

void boot_listen(struct boot *b, boot_hear_fn hear, void *arg)
{
	pthread_mutex_lock(&b->watch_lock);
	b->hear = hear;
	b->hear_arg = arg;
	pthread_mutex_unlock(&b->watch_lock);
}

static void reader_told(struct boot *b, const uint8_t *body, size_t len)
{
	struct wire_tell tell;

	if (len < sizeof(tell))
		return;
	memcpy(&tell, body, sizeof(tell)); /* a text behind it ends in a zero byte */
	pthread_mutex_lock(&b->watch_lock);
	if (b->hear)
		b->hear(b->hear_arg, (enum boot_what)tell.what, tell.flags, tell.number,
			(const char *)body + sizeof(tell));
	pthread_mutex_unlock(&b->watch_lock);
}

static void reader_table(struct boot *b, uint8_t *body, size_t len)
{
	int err = MORI_SHMEM_EIO;

	pthread_mutex_lock(&b->lock);
	if (b->state == BOOT_CONNECTING || b->state == BOOT_FORMING)
		err = table_take(b, body, len);
	if (!err)
		b->state = BOOT_LIVE;
	else if (b->state != BOOT_FAILED)
		boot_break(b, err,
			   err == MORI_SHMEM_ENOMEM ? "out of memory for the table of PEs" :
						      "the rendezvous sent a malformed table");
	pthread_cond_broadcast(&b->cond);
	pthread_mutex_unlock(&b->lock);
	b->has_table = !err;
	if (!err && b->info.n_procs == 1)
		acceptor_close(&b->acceptor);
}

static void reader_refused(struct boot *b, const uint8_t *body, size_t len)
{
	struct wire_refused refused;

	if (len != sizeof(refused))
		return;
	memcpy(&refused, body, len);
	refused.text[WIRE_TEXT - 1] = '\0';
	pthread_mutex_lock(&b->lock);
	if (refused.rank < 0)
		boot_break(b, refused.status, refused.text);
	for (int i = 0; refused.rank >= 0 && i < b->n_members; i++) {
		struct boot_member *m = b->members[i];

		if (m->rank != refused.rank || m->state != MEMBER_JOINING)
			continue;
		m->status = refused.status;
		m->text = strdup(refused.text);
		m->state = MEMBER_REFUSED;
	}
	pthread_cond_broadcast(&b->cond);
	pthread_mutex_unlock(&b->lock);
}

static void reader_closed(struct boot *b)
{
	char text[WIRE_TEXT];

	snprintf(text, sizeof(text),
		 "the rendezvous has closed: process %d on host %s has finalized", b->server.pid,
		 b->server.host);
	b->closed = 1;
	pthread_mutex_lock(&b->lock);
	boot_break(b, MORI_SHMEM_EPEER, text);
	pthread_mutex_unlock(&b->lock);
}

static void reader_frame(struct boot *b, uint32_t type, uint8_t *body, size_t len)
{
	struct wire_lost lost;

	switch (type) {
	case WIRE_TABLE:
		reader_table(b, body, len);
		break;
	case WIRE_REFUSED:
		reader_refused(b, body, len);
		break;
	case WIRE_RESULT:
		gather_result(b, body, len);
		return;
	case WIRE_LOST:
		if (len == sizeof(lost)) {
			memcpy(&lost, body, len);
			reader_lost(b, lost.proc, lost.exited ? BOOT_PROC_EXITED : BOOT_PROC_LOST);
		}
		break;
	case WIRE_ABORT:
		if (len && len <= WIRE_TEXT && !body[len - 1])
			reader_aborted(b, (const char *)body);
		break;
	case WIRE_NO_FDS:
		fds_none(b, body, len);
		break;
	case WIRE_TELL:
		reader_told(b, body, len);
		break;
	case WIRE_CLOSED:
		reader_closed(b);
		break;
	default:
		break;
	}
	free(body);
}

/* The connection ended: in good order after a goodbye of either side, else it is a loss. */
static void reader_link_down(struct boot *b)
{
	int live, leaving;
	char text[WIRE_TEXT];

	b->link_down = 1;
	pthread_mutex_lock(&b->lock);
	live = b->state == BOOT_LIVE;
	leaving = b->leaving;
	if (!live && !leaving) {
		lost_text(b, -1, text, sizeof(text));
		boot_break(b, MORI_SHMEM_EPEER, text);
	}
	pthread_mutex_unlock(&b->lock);
	if (live && !leaving && !b->closed)
		reader_lost(b, b->info.host_proc, BOOT_PROC_LOST);
}

static void reader_read(struct boot *b)
{
	for (;;) {
		int got = wire_in_read(&b->in, b->fd);
		uint8_t *body = b->in.body;

		if (got < 0)
			reader_link_down(b);
		if (got <= 0)
			return;
		wire_in_next(&b->in);
		reader_frame(b, b->in.head.type, body, b->in.head.len);
	}
}

/* 1 when the thread may end; else how long it may sleep. */
static int reader_over(struct boot *b, int *wait_ms)
{
	int64_t due = b->has_table ? b->acceptor.due : INT64_MAX;
	int over;

	pthread_mutex_lock(&b->lock);
	over = b->leaving && (b->link_down || clock_left_ms(b->leave_by) == 0);
	if (b->leaving)
		due = b->leave_by;
	pthread_mutex_unlock(&b->lock);
	*wait_ms = clock_left_ms(clock_sooner(due, LOOK_S));
	return over;
}

/* The program has closed descriptors that are not its own, as by closefrom(3). */
static void reader_robbed(struct boot *b)
{
	int leaving;

	pthread_mutex_lock(&b->lock);
	leaving = b->leaving;
	pthread_mutex_unlock(&b->lock);
	b->link_down = 1;
	b->robbed = 1;
	if (!leaving)
		reader_aborted(b, "this program has closed descriptors that the library opened: "
				  "it must close its own only");
}

void *reader_main(void *arg)
{
	struct boot *b = arg;
	eventfd_t ignored;
	int wait_ms;

	while (!reader_over(b, &wait_ms)) {
		struct pollfd set[N_POLLED] = {
			[AT_LINK] = { b->link_down ? -1 : b->fd, POLLIN, 0 },
			[AT_WAKE] = { b->robbed ? -1 : b->wake_fd, POLLIN, 0 },
			[AT_ACCEPTOR] = { b->has_table && !b->robbed ? b->acceptor.epoll : -1,
					  POLLIN, 0 },
		};

		if (poll(set, N_POLLED, wait_ms) < 0)
			continue;
		if ((set[AT_LINK].revents | set[AT_WAKE].revents | set[AT_ACCEPTOR].revents) &
		    POLLNVAL) {
			reader_robbed(b);
			continue;
		}
		if (set[AT_WAKE].revents)
			(void)eventfd_read(b->wake_fd, &ignored);
		if (set[AT_ACCEPTOR].revents || clock_now() >= b->acceptor.due)
			fds_turn(b);
		if (set[AT_LINK].revents)
			reader_read(b);
	}
	return NULL;
}
