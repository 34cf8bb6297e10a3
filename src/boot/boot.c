// SPDX-License-Identifier: MIT
/*
 * Joining and leaving. The PEs of a process that join with one id find each other in the list of
 * local.c while the world forms, and share one struct boot: the first connects, each sends its own
 * join, and each holds a reference until it leaves. If the rank is already in, or the world has
 * formed, the PE belongs to another round.
 */
#include "boot/boot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "boot/boot_priv.h"
#include "boot/node.h"
#include "boot/rdv.h"
#include "stream/socket.h"
#include "boot/local.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/interrupt.h"
#include "util/log.h"
#include "util/thread.h"

#define LEAVE_S 2.0
#define LATE_S	3.0 /* when a process that hosts several PEs says that some have not come */

void boot_break(struct boot *b, int status, const char *text)
{
	if (b->state == BOOT_CONNECTING || b->state == BOOT_FORMING)
		b->state = BOOT_FAILED;
	if (!b->status) {
		b->status = status;
		wire_copy_text(b->text, sizeof(b->text), text);
	}
	gather_end_all(b);
	pthread_cond_broadcast(&b->cond);
}

int boot_cond_wait(struct boot *b, int64_t deadline)
{
	int64_t until = interrupt_wanted() ? clock_sooner(deadline, 0.1) : deadline;
	struct timespec ts = clock_timespec(until);
	int over = pthread_cond_timedwait(&b->cond, &b->lock, &ts) == ETIMEDOUT;

	if (interrupt_asked())
		boot_break(b, MORI_SHMEM_EPEER, "interrupted while it waited for other PEs");
	return over && until == deadline;
}

int boot_send(struct boot *b, enum wire_type type, const struct iovec *parts, int n,
	      int64_t deadline)
{
	struct wire_head head = { .type = type };
	struct iovec iov[4] = { { &head, sizeof(head) } };
	size_t len = 0;
	char text[128];
	int err;

	for (int i = 0; i < n; i++) {
		iov[i + 1] = parts[i];
		len += parts[i].iov_len;
	}
	if (len > WIRE_BODY_MAX)
		return err_set(MORI_SHMEM_EINVAL, "%zu bytes are too many for one message", len);
	head.len = (uint32_t)len;
	pthread_mutex_lock(&b->send_lock);
	err = socket_send(b->fd, iov, n + 1, deadline);
	pthread_mutex_unlock(&b->send_lock);
	/* If the connection has ended the reader reports why: it knows which PE was lost. */
	if (!err || err == -EPIPE || err == -ECONNRESET)
		return 0;
	snprintf(text, sizeof(text), "cannot send to the rendezvous: %s", strerror(-err));
	pthread_mutex_lock(&b->lock);
	boot_break(b, MORI_SHMEM_EIO, text);
	pthread_mutex_unlock(&b->lock);
	return err_set(MORI_SHMEM_EIO, "%s", text);
}

static struct boot *boot_new(const unsigned char *uid, const uint8_t *key, pid_t pid)
{
	struct boot *b = calloc(1, sizeof(*b));
	pthread_condattr_t attr;

	if (!b)
		return NULL;
	if (uid) {
		memcpy(b->uid, uid, BOOT_UID_BYTES);
		memcpy(b->key, key, MAC_BYTES);
	}
	b->pid = pid;
	b->fd = b->wake_fd = -1;
	b->acceptor = ACCEPTOR_CLOSED;
	pthread_mutex_init(&b->lock, NULL);
	pthread_mutex_init(&b->send_lock, NULL);
	pthread_mutex_init(&b->watch_lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&b->cond, &attr);
	pthread_condattr_destroy(&attr);
	return b;
}

void boot_free(struct boot *b)
{
	socket_close(b->fd);
	socket_close(b->wake_fd);
	wire_in_free(&b->in);
	gather_free_all(b);
	fds_free(b);
	table_free(b);
	for (int i = 0; i < b->n_members; i++) {
		free(b->members[i]->text);
		free(b->members[i]);
	}
	free(b->members);
	free(b->watchers);
	pthread_mutex_destroy(&b->lock);
	pthread_mutex_destroy(&b->send_lock);
	pthread_mutex_destroy(&b->watch_lock);
	pthread_cond_destroy(&b->cond);
	free(b);
}

static struct boot_member *member_add(struct boot *b, int rank)
{
	struct boot_member **more = realloc(b->members, ((size_t)b->n_members + 1) * sizeof(*more));
	struct boot_member *m = more ? calloc(1, sizeof(*m)) : NULL;

	if (more)
		b->members = more;
	if (!m)
		return NULL;
	m->rank = rank;
	b->members[b->n_members++] = m;
	return m;
}

/* With both locks held: whether PE @rank may join with the others. */
static int boot_has_room(const struct boot *b, int rank)
{
	if (b->state != BOOT_CONNECTING && b->state != BOOT_FORMING)
		return 0;
	for (int i = 0; i < b->n_members; i++) {
		if (b->members[i]->rank == rank && b->members[i]->state == MEMBER_JOINING)
			return 0;
	}
	return 1;
}

/* A reference to the forming world of @uid in this process, and a member of it. */
static struct boot *boot_enter(const unsigned char *uid, const uint8_t *key, int rank,
			       struct boot_member **m, int *is_new)
{
	struct boot_local *reg = boot_local_lock();
	struct boot *b;

	*m = NULL;
	*is_new = 0;
	for (b = reg->boots; b && !*m; b = *m ? b : b->next) {
		if (b->pid != reg->pid || memcmp(b->uid, uid, BOOT_UID_BYTES) != 0)
			continue;
		pthread_mutex_lock(&b->lock);
		if (boot_has_room(b, rank))
			*m = member_add(b, rank);
		pthread_mutex_unlock(&b->lock);
	}
	if (!b) {
		b = boot_new(uid, key, reg->pid);
		*m = b ? member_add(b, rank) : NULL;
		if (b && !*m) {
			boot_free(b);
			b = NULL;
		}
		if (b) {
			*is_new = 1;
			b->next = reg->boots;
			reg->boots = b;
		}
	}
	if (b)
		b->refs++;
	boot_local_unlock();
	return b;
}

/* Says goodbye and waits until the rendezvous has received it: a reset would look like a loss. */
static void boot_close(struct boot *b)
{
	if (b->has_reader) {
		pthread_mutex_lock(&b->lock);
		b->leaving = 1;
		b->leave_by = clock_deadline(LEAVE_S);
		pthread_mutex_unlock(&b->lock);
		boot_send(b, WIRE_BYE, NULL, 0, b->leave_by);
		shutdown(b->fd, SHUT_WR);
		(void)eventfd_write(b->wake_fd, 1);
		pthread_join(b->reader, NULL);
	}
	boot_free(b);
}

static void boot_put(struct boot *b)
{
	struct boot_local *reg = boot_local_lock();
	unsigned char uid[BOOT_UID_BYTES];
	int last = --b->refs == 0, others = 0, live = 0, one_shot;

	if (last) {
		pthread_mutex_lock(&b->lock);
		live = b->state == BOOT_LIVE;
		pthread_mutex_unlock(&b->lock);
		for (struct boot **p = &reg->boots; *p; p = &(*p)->next) {
			if (*p == b) {
				*p = b->next;
				break;
			}
		}
		for (struct boot *o = reg->boots; o; o = o->next)
			others |= o->pid == reg->pid && !memcmp(o->uid, b->uid, BOOT_UID_BYTES);
	}
	boot_local_unlock();
	if (!last)
		return;
	memcpy(uid, b->uid, BOOT_UID_BYTES);
	boot_close(b);
	if (!others && rdv_is_here(uid, &one_shot) && (live || one_shot))
		boot_close_rdv(uid);
}

/* Called by the first PE of the process: opens the connection, the unix socket and the thread. */
static int boot_connect(struct boot *b, const struct boot_config *config, const struct uid *uid,
			int nranks, int64_t deadline)
{
	struct iovec me = { &b->me, sizeof(b->me) };
	int one_shot, err;

	if (mac_random(b->me.id, sizeof(b->me.id)))
		return err_set(MORI_SHMEM_EIO, "no random bytes: %s", strerror(errno));
	node_identity(config->node_id, b->me.node);
	node_host(b->me.host);
	b->me.pid = b->pid;
	b->me.hosts = rdv_is_here(b->uid, &one_shot);
	err = link_connect(uid, config->report_s, deadline, &b->fd, &b->server);
	if (!err && nranks > 1)
		err = fds_listen(b);
	if (err)
		return err;
	b->wake_fd = socket_adopt(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	if (b->wake_fd < 0)
		return err_set(MORI_SHMEM_EIO, "cannot open an eventfd: %s", strerror(errno));
	err = thread_create(&b->reader, THREAD_STACK_SMALL, reader_main, b);
	if (err)
		return err_set(MORI_SHMEM_EIO, "cannot start a thread: %s", strerror(err));
	b->has_reader = 1;
	return boot_send(b, WIRE_PROC, &me, 1, deadline);
}

static void boot_open_link(struct boot *b, const struct boot_config *config, const struct uid *uid,
			   int nranks, int64_t deadline)
{
	int err = boot_connect(b, config, uid, nranks, deadline);

	pthread_mutex_lock(&b->lock);
	if (err)
		boot_break(b, err, err_text());
	if (b->state == BOOT_CONNECTING)
		b->state = BOOT_FORMING;
	pthread_cond_broadcast(&b->cond);
	pthread_mutex_unlock(&b->lock);
}

/* With the lock held, after the wait: the status of @m. 1: join again. */
static int join_outcome(struct boot *b, struct boot_member *m, double timeout_s)
{
	if (m->state == MEMBER_IN)
		return 0;
	if (m->state == MEMBER_AGAIN)
		return 1;
	if (m->state == MEMBER_REFUSED)
		return err_set(m->status, "%s", m->text ? m->text : "out of memory");
	m->state = MEMBER_REFUSED; /* no other PE counts on it any more */
	if (b->state == BOOT_FAILED)
		return err_set(b->status, "%s", b->text);
	if (b->state == BOOT_CONNECTING)
		return err_set(MORI_SHMEM_EREACH, "no answer from the rendezvous within %g s",
			       timeout_s);
	return err_set(MORI_SHMEM_ETIMEDOUT,
		       "the rendezvous (process %d on host %s) does not answer after %g s",
		       b->server.pid, b->server.host, timeout_s);
}

/*
 * How many PEs `mori run` wants of this process, if this is its job; else 0. A program that was not
 * written for --threads makes one, and the others would wait for the rest without a word.
 */
static int join_expects(const struct boot_config *config, const struct boot *b)
{
	char hex[2 * BOOT_UID_BYTES + 1];

	if (!config->unique_id || config->threads < 2)
		return 0;
	uid_to_hex(b->uid, hex);
	return strcasecmp(hex, config->unique_id) ? 0 : config->threads;
}

/* With the lock held, by the PE that opened the connection. */
static void join_warn(const struct boot *b, int want)
{
	if (b->n_members < want)
		log_warn("%d of the %d PEs of this process %s called mori_shmem_init() so far: "
			 "under "
			 "`mori run --threads` a program starts a thread for each PE, as many as "
			 "MORI_THREADS says, which calls mori_shmem_init() (docs/job.md, Threads); "
			 "without --threads each PE is a process",
			 b->n_members, want, b->n_members == 1 ? "has" : "have");
}

/* With the lock held: until the rendezvous answers; it enforces the deadline. */
static void join_wait_answer(struct boot *b, const struct boot_member *m, int want,
			     int64_t deadline)
{
	int64_t late = want ? clock_sooner(deadline, LATE_S) : deadline;
	int over = 0;

	while (b->state == BOOT_FORMING && m->state == MEMBER_JOINING && !over) {
		over = boot_cond_wait(b, late);
		if (!over || late == deadline)
			continue;
		join_warn(b, want);
		late = deadline;
		over = 0;
	}
}

static int join_wait(struct boot *b, struct boot_member *m, const struct wire_join *join,
		     const void *blob, const struct boot_config *config, int64_t deadline)
{
	struct iovec parts[2] = { { (void *)join, sizeof(*join) },
				  { (void *)blob, join->blob_len } };
	int want, err, over = 0;

	pthread_mutex_lock(&b->lock);
	want = b->members[0] == m ? join_expects(config, b) : 0;
	while (b->state == BOOT_CONNECTING && !over)
		over = boot_cond_wait(b, deadline);
	if (b->state == BOOT_FORMING) {
		pthread_mutex_unlock(&b->lock);
		/*
		 * Even if the round has just failed: the rendezvous counts which ranks were
		 * notified.
		 */
		boot_send(b, WIRE_JOIN, parts, 2, deadline);
		pthread_mutex_lock(&b->lock);
	}
	/*
	 * The rendezvous enforces the deadline and names the missing PEs; this one applies if it
	 * cannot.
	 */
	if (!over)
		join_wait_answer(b, m, want, deadline + (int64_t)(LINK_GRACE_S * 1e9));
	err = join_outcome(b, m, config->timeout_s);
	pthread_mutex_unlock(&b->lock);
	return err;
}

int boot_join(const struct boot_config *config, const unsigned char uid_bytes[BOOT_UID_BYTES],
	      int rank, int nranks, const void *blob, size_t blob_len, struct boot **out)
{
	int64_t deadline = clock_deadline(config->timeout_s);
	struct wire_join join = { .rank = rank,
				  .nranks = nranks,
				  .timeout_ms = wire_ms(config->timeout_s),
				  .blob_len = (uint32_t)blob_len,
				  .report_ms = wire_ms(config->report_s) };
	struct uid uid;
	int err = uid_parse(uid_bytes, &uid);

	if (err)
		return err;
	if (nranks < 1 || rank < 0 || rank >= nranks)
		return err_set(MORI_SHMEM_EINVAL, "there is no rank %d among %d PEs", rank, nranks);
	if (blob_len > WIRE_BODY_MAX / 2)
		return err_set(MORI_SHMEM_EINVAL, "%zu bytes are too many to join with", blob_len);
	do {
		struct boot_member *m;
		int is_new;
		struct boot *b = boot_enter(uid_bytes, uid.secret, rank, &m, &is_new);

		if (!b)
			return err_set(MORI_SHMEM_ENOMEM, "out of memory for a world");
		if (is_new)
			boot_open_link(b, config, &uid, nranks, deadline);
		join.left_ms = wire_ms((double)(deadline - clock_now()) / 1e9);
		err = join_wait(b, m, &join, blob, config, deadline);
		if (err)
			boot_put(b);
		else
			*out = b;
	} while (err > 0);
	return err;
}

int boot_alone(const void *blob, size_t blob_len, struct boot **out)
{
	struct boot_local *reg = boot_local_lock();
	struct boot *b = boot_new(NULL, NULL, reg->pid);
	int err = MORI_SHMEM_ENOMEM;

	boot_local_unlock();
	if (b && blob_len <= WIRE_BODY_MAX && member_add(b, 0)) {
		b->alone = 1;
		b->refs = 1;
		b->state = BOOT_LIVE;
		b->me.pid = b->pid;
		node_host(b->me.host);
		err = table_alone(b, blob, blob_len);
	}
	if (err) {
		if (b)
			boot_free(b);
		return err_set(err, "cannot make a world of one PE");
	}
	*out = b;
	return 0;
}

int boot_say(struct boot *b, enum boot_what what, unsigned flags, uint64_t number, const char *text)
{
	struct wire_tell tell = { .what = what, .flags = flags, .number = number };
	struct iovec parts[2] = { { &tell, sizeof(tell) }, { (void *)text, 0 } };

	if (b->alone || b->pid != boot_local_pid())
		return 0;
	if (text)
		parts[1].iov_len = strlen(text) + 1;
	return boot_send(b, WIRE_SAY, parts, text ? 2 : 1, clock_deadline(LINK_GRACE_S));
}

void boot_abort(struct boot *b, const char *text)
{
	char cut[WIRE_TEXT];
	struct iovec part = { cut, 0 };

	wire_copy_text(cut, sizeof(cut), text);
	part.iov_len = strlen(cut) + 1;
	if (!b->alone && b->pid == boot_local_pid())
		boot_send(b, WIRE_ABORT, &part, 1, clock_deadline(LEAVE_S));
	reader_aborted(b, cut);
}

/*
 * The process exits, and has worlds that its PEs have not left: the others learn that it was no
 * crash. Waits for nothing, because other threads may hold any lock.
 */
static __attribute__((destructor)) void boot_exit(void)
{
	struct boot_local *reg = boot_local_try();
	struct wire_head head = { .type = WIRE_EXIT };
	struct iovec iov = { &head, sizeof(head) };

	for (struct boot *b = reg ? reg->boots : NULL; b; b = b->next) {
		if (b->pid != reg->pid || b->fd < 0 || pthread_mutex_trylock(&b->send_lock))
			continue;
		(void)socket_send(b->fd, &iov, 1, 0);
		pthread_mutex_unlock(&b->send_lock);
	}
	if (reg)
		boot_local_unlock();
}

void boot_leave(struct boot *b, int rank)
{
	(void)rank;
	if (b->pid != boot_local_pid())
		return; /* a child of a fork: the sockets are closed, and it does not have the threads */
	if (b->alone)
		boot_free(b);
	else
		boot_put(b);
}
