// SPDX-License-Identifier: MIT
/* Reading from and writing to the sockets of sock.c. */
#include "net/sock.h"
#include "util/tsan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define READS 32   /* of one socket per step, so that the others have their turn */
#define SMALL 4352 /* sent from one buffer: two cost the kernel more than the copy */

static void sock_heard(struct sock *s)
{
	s->c->news = true;
	if (s->back)
		s->back->news = true;
}

static bool sock_peer_gone(int err)
{
	return err == EPIPE || err == ECONNRESET;
}

static void sock_broken(struct net *e, struct sock *s, int err)
{
	if (err == 0 || sock_peer_gone(err))
		net_conn_end(e, s->c, MORI_SHMEM_EPEER, "it has closed the connection");
	else
		net_conn_end(e, s->c, MORI_SHMEM_EPEER, "%s", strerror(err));
}

/* Bytes behind the head. */
static size_t sock_msg_data(const struct net_msg *m)
{
	return m->type == MSG_PUT || m->type == MSG_RESPONSE ? m->len : 0;
}

static ssize_t sock_write(int fd, struct iovec iov[2])
{
	struct msghdr h = { .msg_iov = iov, .msg_iovlen = 2 };
	size_t len = iov[0].iov_len + iov[1].iov_len;
	uint8_t piece[SMALL];
	ssize_t sent;

	tsan_foreign_begin();
	if (len <= SMALL) {
		memcpy(piece, iov[0].iov_base, iov[0].iov_len);
		if (iov[1].iov_len)
			memcpy(piece + iov[0].iov_len, iov[1].iov_base, iov[1].iov_len);
	}
	do
		sent = len <= SMALL ? send(fd, piece, len, MSG_DONTWAIT | MSG_NOSIGNAL) :
				      sendmsg(fd, &h, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	tsan_foreign_end();
	return sent < 0 ? (errno == EAGAIN ? 0 : -errno) : sent;
}

static void sock_out_free(struct sock *s, struct sock_out *o, int status)
{
	s->n_out--;
	if (!o->batch && !o->stable)
		s->out_bytes -= o->len;
	if (o->batch) {
		o->batch->left--;
		if (status)
			o->batch->status = status;
	}
	free(o);
}

void sock_drop_out(struct sock *s, int status)
{
	while (s->out) {
		struct sock_out *o = s->out;

		s->out = o->next;
		sock_out_free(s, o, status);
	}
	s->out_end = &s->out;
}

/* The data of @o to send next. */
static int sock_out_data(struct net *e, struct sock_out *o, const uint8_t **data, size_t *len)
{
	static const uint8_t zeros[4096];
	size_t done = o->sent > sizeof(o->head) ? o->sent - sizeof(o->head) : 0;
	int err = 0;

	*data = o->data + done;
	*len = o->len - done;
	if (o->fault) {
		*data = zeros;
		*len = *len < sizeof(zeros) ? *len : sizeof(zeros);
		return 0;
	}
	if (!o->device || !*len)
		return 0;
	if (done >= o->stage_at + o->stage_len) {
		o->stage_at = done;
		o->stage_len = *len < SOCK_STAGE ? *len : SOCK_STAGE;
		err = net_mem_copy(e, true, o->own, o->data + done, o->stage_len);
	}
	*data = o->own + (done - o->stage_at);
	*len = o->stage_len - (done - o->stage_at);
	return err;
}

/* The socket takes nothing any more. What the peer sent before it ended is read first. */
static void sock_hear_out(struct net *e, struct sock *s, int err)
{
	while (sock_peer_gone(err) && s->fd >= 0 && sock_read(e, s))
		;
	if (s->fd >= 0)
		sock_broken(e, s, err);
}

int sock_flush(struct net *e, struct sock *s)
{
	int total = 0;

	while (s->out) {
		struct sock_out *o = s->out;
		size_t head = o->sent < sizeof(o->head) ? sizeof(o->head) - o->sent : 0, len;
		struct iovec iov[2];
		const uint8_t *data;
		ssize_t n;

		if (sock_out_data(e, o, &data, &len)) {
			net_conn_end(e, s->c, MORI_SHMEM_EFAULT,
				     "memory of a device could not be read");
			return total + 1;
		}
		iov[0] = (struct iovec){ (uint8_t *)&o->head + sizeof(o->head) - head, head };
		iov[1] = (struct iovec){ (uint8_t *)(uintptr_t)data, len };
		n = sock_write(s->fd, iov);
		if (n == -EFAULT && o->batch) { /* the caller's memory is at fault, not the peer */
			o->fault = true;
			continue;
		}
		if (n < 0) {
			sock_hear_out(e, s, (int)-n);
			return total + 1;
		}
		if (n == 0)
			break;
		total++;
		o->sent += (size_t)n;
		sock_heard(s);
		if (o->sent == sizeof(o->head) + o->len) {
			s->out = o->next;
			if (!s->out)
				s->out_end = &s->out;
			sock_out_free(s, o, o->fault ? MORI_SHMEM_EFAULT : 0);
		}
	}
	return total;
}

/* Queues what the socket did not take: @sent bytes of @m and @p are sent. */
static int sock_out_keep(struct net *e, struct sock *s, const struct net_msg *m,
			 const struct net_buf *p, size_t sent)
{
	bool refer = p->len && (p->batch || (p->stable && p->len > EAGER_BYTES));
	size_t own = refer ? (p->device ? SOCK_STAGE : 0) : p->len;
	struct sock_out *o = malloc(sizeof(*o) + own);

	if (!o)
		return -ENOMEM;
	memset(o, 0, sizeof(*o));
	o->head = *m;
	o->sent = sent;
	o->len = p->len;
	o->data = refer ? p->data : o->own;
	o->device = refer && p->device;
	o->stable = refer && p->stable;
	o->batch = refer ? p->batch : NULL;
	if (!refer && p->len && net_mem_copy(e, p->device, o->own, p->data, p->len)) {
		free(o);
		return -EFAULT;
	}
	if (o->batch)
		o->batch->left++;
	else if (!o->stable)
		s->out_bytes += o->len;
	s->n_out++;
	*s->out_end = o;
	s->out_end = &o->next;
	sock_plug(e, s); /* the thread may be asleep */
	return 0;
}

int sock_send(struct net *e, struct net_conn *c, const struct net_msg *m, const struct net_buf *p)
{
	struct sock *s = c->link;
	struct iovec iov[2] = { { (void *)(uintptr_t)m, sizeof(*m) },
				{ (void *)(uintptr_t)p->data, p->len } };
	ssize_t sent = 0;

	if (s->out && m->type != MSG_RESPONSE &&
	    (s->n_out >= SOCK_OUTS || s->out_bytes > SOCK_QUEUE))
		return -EAGAIN;
	if (!s->out && !(p->device && p->len))
		sent = sock_write(s->fd, iov);
	if (sent < 0 && sock_peer_gone((int)-sent))
		sent = 0; /* sock_flush() gets the same error, where it may read */
	if (sent < 0)
		return (int)sent;
	if ((size_t)sent == sizeof(*m) + p->len)
		return 0;
	return sock_out_keep(e, s, m, p, (size_t)sent);
}

/* Takes the message's data from the buffer; a word only once it is complete. */
static void sock_take_data(struct net *e, struct sock *s)
{
	size_t n = s->have - s->at < s->left ? s->have - s->at : s->left;

	if (s->head.len <= WORD_BYTES && n < s->left)
		return;
	if (s->sink && n) {
		int err = net_mem_copy(e, s->device, s->sink, s->buf + s->at, n);

		s->status = s->status ? s->status : err;
		s->sink += n;
	}
	s->at += n;
	s->left -= n;
}

/* The connection that @m belongs to; both directions may use one socket. NULL: none. */
static struct net_conn *sock_role(struct net *e, struct sock *s, const struct net_msg *m)
{
	bool serves = m->type != MSG_RESPONSE && m->type != MSG_DONE;

	if (s->c->serves == serves || s->back)
		return s->c->serves == serves ? s->c : s->back;
	if (!serves || e->from[s->c->proc])
		return NULL;
	s->back = net_conn_new(e, s->c->proc, true);
	if (s->back) {
		s->back->link = s;
		net_conn_up(e, s->back);
	}
	return s->back;
}

/* Handles the messages in the buffer; whether the connection is still open. */
static bool sock_take(struct net *e, struct sock *s)
{
	for (;;) {
		if (s->in_data) {
			sock_take_data(e, s);
			if (s->left)
				break;
			s->in_data = false;
			net_serve_msg(e, s->on, &s->head, s->status);
			if (s->fd < 0)
				return false;
		}
		if (s->have - s->at < sizeof(s->head))
			break;
		memcpy(&s->head, s->buf + s->at, sizeof(s->head));
		s->at += sizeof(s->head);
		s->on = sock_role(e, s, &s->head);
		if (!s->on) {
			net_conn_end(e, s->c, MORI_SHMEM_EPEER, "protocol error");
			return false;
		}
		s->in_data = true;
		s->left = sock_msg_data(&s->head);
		s->status = 0;
		s->sink =
			s->left ? net_serve_sink(e, s->on, &s->head, &s->device, &s->status) : NULL;
	}
	memmove(s->buf, s->buf + s->at, s->have - s->at);
	s->have -= s->at;
	s->at = 0;
	return true;
}

int sock_read(struct net *e, struct sock *s)
{
	int n = 0;

	while (n < READS) {
		bool direct = s->in_data && s->sink && !s->device && s->head.len > WORD_BYTES;
		struct iovec iov[2] = { { s->sink, direct ? s->left : 0 },
					{ s->buf + s->have, sizeof(s->buf) - s->have } };
		struct msghdr h = { .msg_iov = iov, .msg_iovlen = 2 };
		size_t room = iov[0].iov_len + iov[1].iov_len, into;
		ssize_t got;

		tsan_foreign_begin();
		got = direct ? recvmsg(s->fd, &h, MSG_DONTWAIT) :
			       recv(s->fd, iov[1].iov_base, room, MSG_DONTWAIT);
		tsan_foreign_end();
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (got < 0 && errno == EFAULT && direct) {
			s->sink = NULL; /* drop it: the connection is whole */
			s->status = MORI_SHMEM_EFAULT;
			continue;
		}
		if (got <= 0) {
			sock_broken(e, s, got ? errno : 0);
			return n + 1;
		}
		n++;
		sock_heard(s);
		into = (size_t)got < iov[0].iov_len ? (size_t)got : iov[0].iov_len;
		if (direct) {
			s->sink += into;
			s->left -= into;
		}
		s->have += (size_t)got - into;
		if (!sock_take(e, s))
			return n;
		if ((size_t)got < room)
			break;
	}
	if (n && s->c->serves)
		net_serve_idle(e, s->c);
	else if (n && s->back)
		net_serve_idle(e, s->back);
	return n;
}

/* A response that refers to memory about to be removed: copies its data. */
static struct sock_out *sock_out_detach(struct net *e, const struct sock_out *o)
{
	struct sock_out *copy = malloc(sizeof(*o) + o->len);

	if (!copy)
		return NULL;
	*copy = *o;
	copy->data = copy->own;
	copy->device = copy->stable = false;
	if (net_mem_copy(e, o->device, copy->own, o->data, o->len)) {
		free(copy);
		return NULL;
	}
	return copy;
}

void sock_region_gone(struct net *e, struct sock *s, const struct net_region *r)
{
	if (s->in_data && s->sink && s->head.type == MSG_PUT &&
	    (size_t)(s->sink - r->base) < r->len) {
		s->sink = NULL;
		s->status = MORI_SHMEM_EINVAL;
	}
	for (struct sock_out **at = &s->out; *at; at = &(*at)->next) {
		struct sock_out *o = *at, *copy;

		if (!o->stable || (size_t)(o->data - r->base) >= r->len)
			continue;
		copy = sock_out_detach(e, o);
		if (!copy) {
			net_conn_end(e, s->c, MORI_SHMEM_ENOMEM, "out of memory for an answer");
			return;
		}
		s->out_bytes += copy->len;
		*at = copy;
		if (s->out_end == &o->next)
			s->out_end = &copy->next;
		free(o);
	}
}
