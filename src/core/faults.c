// SPDX-License-Identifier: MIT
/*
 * Records are gathered from where kernels left them: from the PE's own state and, with device
 * memory, also from its copy on the device. A gathered record is free for the next failure, so that
 * each launch has room for its first ones; the first of all is kept for mori_shmem_check().
 */
#include "core/faults.h"

#include "core/registry.h"
#include "util/err.h"
#include "util/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* What was gathered at once. */
struct faults_batch {
	unsigned n;
	uint32_t fresh; /* failures that were not reported yet */
	bool unread;	/* there are more on the device: faults.why */
	struct dev_record r[2 * DEV_RECORDS];
};

static __thread struct {
	uint64_t pe; /* whose failure was this thread's last; 0: none, or it was taken */
	uint32_t number;
} last_own;

static __thread struct {
	void (*hear)(void *arg, const char *text);
	void *arg;
} handler;

/* Blocks whose PE is gone, in which kernels that still have one can see that. */
static struct {
	pthread_mutex_t lock;
	struct faults_kept {
		struct faults_kept *next;
		const struct dev_state *state; /* NULL: on a device */
		const struct dev_news *news;
		uint64_t reported;
		int rank;
	} *first;
	char notes[108]; /* the launcher's address; "": there is none */
} faults_kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int faults_code(const struct dev_record *r)
{
	return (int32_t)(uint32_t)r->mark;
}

static uint32_t faults_op(const struct dev_record *r)
{
	return (uint32_t)(r->mark >> 32);
}

void faults_open(struct pe *pe)
{
	const char *notes = pe->options.notes ? pe->options.notes : "";

	pthread_mutex_init(&pe->faults.lock, NULL);
	pe->faults.news = pe->state->news;
	pthread_mutex_lock(&faults_kept.lock);
	snprintf(faults_kept.notes, sizeof(faults_kept.notes), "%s", notes);
	pthread_mutex_unlock(&faults_kept.lock);
}

void faults_add(struct pe *pe, enum dev_op op, int err, const struct fail_subject *about,
		const struct accel_fault *at, bool seen)
{
	struct dev_state *st = pe->state;
	uint32_t n = __atomic_fetch_add(&st->fault.count, 1, __ATOMIC_ACQ_REL);
	struct dev_record *r = &st->records[n % DEV_RECORDS];
	uint64_t mark = 0, taken = (uint64_t)DEV_RECORD_TAKEN << 32;
	int32_t none = 0;

	__atomic_compare_exchange_n(&st->fault.code, &none, err, false, __ATOMIC_ACQ_REL,
				    __ATOMIC_ACQUIRE);
	if (__atomic_compare_exchange_n(&r->mark, &mark, taken, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE)) {
		r->pe = about->pe;
		r->addr = about->addr;
		r->len = about->len;
		r->number = n;
		r->seen = seen;
		for (int i = 0; i < 3; i++) {
			r->block[i] = at ? at->block[i] : -1;
			r->thread[i] = at ? at->thread[i] : -1;
		}
		/* Release: pairs with the acquire in faults_gather_host(). */
		__atomic_store_n(&r->mark, (uint64_t)op << 32 | (uint32_t)err, __ATOMIC_RELEASE);
	}
	last_own.pe = seen || at ? 0 : pe->id; /* of a kernel: this thread's call has not failed */
	last_own.number = n;
	if (seen)
		__atomic_fetch_add(&pe->faults.looked, 1, __ATOMIC_ACQ_REL);
	__atomic_store_n(&pe->faults.news->failed, 1, __ATOMIC_RELEASE);
	mirror_set_code(pe);
}

void faults_error_taken(void)
{
	struct registry_call call;
	struct dev_record *r;
	struct pe *pe;

	if (!last_own.pe)
		return;
	pe = registry_enter_quiet(&call);
	if (pe && pe->id == last_own.pe) {
		r = &pe->state->records[last_own.number % DEV_RECORDS];
		pthread_mutex_lock(&pe->faults.lock);
		if ((int32_t)(last_own.number - pe->faults.count) >= 0) { /* not gathered yet */
			__atomic_fetch_add(&pe->faults.looked, 1, __ATOMIC_ACQ_REL);
			if (r->number == last_own.number)
				r->seen = 1;
		}
		pthread_mutex_unlock(&pe->faults.lock);
	}
	registry_leave(&call);
	last_own.pe = 0;
}

/* One more, in the order in which they happened. */
static void faults_insert(struct faults_batch *g, unsigned from, const struct dev_record *r)
{
	unsigned at = g->n++;

	for (; at > from && (int32_t)(g->r[at - 1].number - r->number) > 0; at--)
		g->r[at] = g->r[at - 1];
	g->r[at] = *r;
}

/* Whether it is whole: its code and its name are there. */
static bool faults_complete(uint64_t mark)
{
	return mark && (uint32_t)(mark >> 32) < DEV_RECORD_NAMELESS;
}

/* Kernels of the CPU may be running: what they have not finished stays. */
static void faults_gather_host(struct pe *pe, struct faults_batch *g)
{
	for (unsigned i = 0; i < DEV_RECORDS; i++) {
		struct dev_record *at = &pe->state->records[i], r;

		/* Acquire: pairs with the release of its writer. */
		r.mark = __atomic_load_n(&at->mark, __ATOMIC_ACQUIRE);
		if (!faults_complete(r.mark))
			continue;
		memcpy((char *)&r + sizeof(r.mark), (char *)at + sizeof(r.mark),
		       sizeof(r) - sizeof(r.mark));
		at->seen = 0;
		__atomic_store_n(&at->mark, 0, __ATOMIC_RELEASE);
		faults_insert(g, 0, &r);
	}
}

/* The device's records cannot be read, for example after a fault that destroyed the context. */
static void faults_gather_failed(struct pe *pe, struct faults_batch *g)
{
	int32_t none = 0;

	g->unread = true;
	snprintf(pe->faults.why, sizeof(pe->faults.why), "%s", err_text());
	__atomic_compare_exchange_n(&pe->state->fault.code, &none, MORI_SHMEM_EFAULT, false,
				    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* @news: kernels have reported a failure, or cannot do so. */
static void faults_gather_device(struct pe *pe, struct faults_batch *g, bool news)
{
	struct dev_record records[DEV_RECORDS];
	uint32_t count = pe->faults.device_count;
	unsigned from = g->n;
	struct err_was was;
	int err;

	if (!pe->mirror.block)
		return;
	err_save(&was);
	err = mirror_records(pe, &count, records);
	if (err && news)
		faults_gather_failed(pe, g);
	err_restore(&was);
	if (err)
		return;
	g->fresh += count - pe->faults.device_count;
	pe->faults.device_count = count;
	for (unsigned i = 0; i < DEV_RECORDS; i++) {
		if (!faults_complete(records[i].mark))
			continue;
		mirror_record_free(pe, i);
		faults_insert(g, from, &records[i]);
	}
}

/* Under the lock: gathers all records, also for mori_shmem_check(). */
static void faults_gather(struct pe *pe, struct faults_batch *g)
{
	struct faults *f = &pe->faults;
	uint32_t count, looked, unseen = 0;
	bool news;

	g->n = 0;
	g->unread = false;
	/* Acquire: pairs with the release of the reporter; later failures are for the next call. */
	news = __atomic_exchange_n(&f->news->failed, 0, __ATOMIC_ACQ_REL) || pe->mirror.polled;
	count = __atomic_load_n(&pe->state->fault.count, __ATOMIC_ACQUIRE);
	looked = __atomic_exchange_n(&f->looked, 0, __ATOMIC_ACQ_REL);
	g->fresh = count - f->count;
	f->count = count;
	faults_gather_host(pe, g);
	faults_gather_device(pe, g, news);
	if (g->n && !f->first.mark)
		f->first = g->r[0];
	f->total += g->fresh;
	g->fresh = g->fresh > looked ? g->fresh - looked : 0;
	for (unsigned i = 0; i < g->n; i++)
		unseen += !g->r[i].seen;
	if (g->fresh < unseen) /* some were counted before they were complete */
		g->fresh = unseen;
}

/* "mori_shmem_x in a kernel: why (block (0, 0, 0), thread (5, 0, 0))" */
static void faults_record_text(const struct pe *pe, const struct dev_record *r, char *text,
			       size_t size)
{
	const char *name = fail_op(faults_op(r));
	const int32_t *b = r->block, *t = r->thread;
	char words[768], where[120] = "";

	if (faults_op(r) == DEV_OP_NONE) { /* no call of the library, but the kernel itself */
		snprintf(text, size, "%s", pe->kernel_fault.text);
		return;
	}
	fail_text(pe->state, name, faults_code(r), &(struct fail_subject){ r->pe, r->addr, r->len },
		  words, sizeof(words));
	if (b[0] >= 0)
		snprintf(where, sizeof(where), " (block (%d, %d, %d), thread (%d, %d, %d))", b[0],
			 b[1], b[2], t[0], t[1], t[2]);
	snprintf(text, size, "mori_shmem_%s%s: %s%s", name, b[0] >= 0 ? " in a kernel" : "", words,
		 where);
}

/* At level info each record that was kept gets a line. What a call returned has one already. */
static void faults_log(const struct pe *pe, const struct faults_batch *g)
{
	char text[ERR_TEXT_BYTES];

	for (unsigned i = 0; i < g->n && log_on(LOG_INFO); i++) {
		if (g->r[i].seen)
			continue;
		faults_record_text(pe, &g->r[i], text, sizeof(text));
		log_info("failure %u on PE %d: %s", g->r[i].number + 1, pe->rank, text);
	}
}

static const char unread[] = "what has failed in its kernels could not be read";

int faults_take(struct pe *pe, mori_shmem_fault_t *out)
{
	struct faults *f = &pe->faults;
	struct faults_batch g;
	struct dev_record r;
	uint32_t more;
	char text[ERR_TEXT_BYTES], rest[48] = "", why[sizeof(f->why)];
	int code, of_kernels;

	pthread_mutex_lock(&f->lock);
	faults_gather(pe, &g);
	r = f->first;
	more = f->total ? f->total - 1 : 0;
	f->first.mark = 0;
	f->total = 0;
	memcpy(why, f->why, sizeof(why));
	f->why[0] = '\0';
	/* Acquire, release: pairs with module_launch_sticky(). What kernels keep is taken too. */
	code = __atomic_exchange_n(&pe->state->fault.code, 0, __ATOMIC_ACQ_REL);
	of_kernels = mirror_code(pe, true);
	pthread_mutex_unlock(&f->lock);
	faults_log(pe, &g);
	code = r.mark ? faults_code(&r) : code ? code : of_kernels;
	if (r.mark) {
		faults_record_text(pe, &r, text, sizeof(text));
		if (more)
			snprintf(rest, sizeof(rest), "; %u more", more);
		err_set(code, "%s%s", text, rest);
	} else if (why[0]) {
		err_set(code, "PE %d: %s: %s", pe->rank, unread, why);
	}
	*out = (mori_shmem_fault_t){ .code = code, .pe = r.mark ? r.pe : -1 };
	out->addr = r.mark ? r.addr : 0;
	snprintf(out->op, sizeof(out->op), "%s", r.mark ? fail_op(faults_op(&r)) : "");
	if (r.mark && faults_op(&r) == DEV_OP_NONE)
		snprintf(out->op, sizeof(out->op), "%s", pe->kernel_fault.kernel);
	for (int i = 0; i < 3; i++) {
		out->block[i] = r.mark ? r.block[i] : -1;
		out->thread[i] = r.mark ? r.thread[i] : -1;
	}
	return code;
}

int faults_status(struct pe *pe)
{
	int code = __atomic_load_n(&pe->state->fault.code, __ATOMIC_ACQUIRE);
	struct faults_batch g;

	if (!code)
		code = mirror_code(pe, false);
	if (!code && !faults_pending(pe))
		return 0;
	pthread_mutex_lock(&pe->faults.lock); /* the caller knows of them from now on */
	faults_gather(pe, &g);
	pthread_mutex_unlock(&pe->faults.lock);
	faults_log(pe, &g);
	return code ? code : __atomic_load_n(&pe->state->fault.code, __ATOMIC_ACQUIRE);
}

/* One datagram. Only its existence counts, so a full socket will do. */
static void faults_notify_launcher(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t len;
	int fd;

	pthread_mutex_lock(&faults_kept.lock);
	len = strlen(faults_kept.notes);
	memcpy(to.sun_path + 1, faults_kept.notes, len < sizeof(to.sun_path) ? len : 0);
	pthread_mutex_unlock(&faults_kept.lock);
	fd = len ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
	if (fd < 0)
		return;
	sendto(fd, "failed", 6, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&to,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len));
	close(fd);
}

/* To the handler of this thread, else to standard error. */
static void faults_to_handler(const char *text)
{
	if (handler.hear)
		handler.hear(handler.arg, text);
	else
		log_error("%s", text);
}

/* @all: those that were not kept included; @why: some could not be read. */
static void faults_line(const struct pe *pe, const struct dev_record *r, uint32_t all,
			const char *why, char *line, size_t size)
{
	char text[ERR_TEXT_BYTES], more[80] = "";

	if (all > 1)
		snprintf(more, sizeof(more), "; %u more%s", all - 1,
			 log_on(LOG_INFO) ? "" : " (MORI_SHMEM_LOG_LEVEL=info shows the first 64)");
	if (r)
		faults_record_text(pe, r, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "%s",
			 why ? unread : "what it was about could not be kept or read");
	snprintf(line, size, "nobody has looked at a failure on PE %d: %s%s%s%s%s%s", pe->rank,
		 text, more, why && r ? "; " : "", why && r ? unread : "", why ? ": " : "",
		 why ? why : "");
}

int faults_report(struct pe *pe)
{
	const struct dev_record *first = NULL;
	char line[2 * ERR_TEXT_BYTES], why[sizeof(pe->faults.why)];
	struct faults_batch g;
	int code = 0;

	if (!__atomic_load_n(&pe->faults.news->failed, __ATOMIC_RELAXED) && !mirror_has_news(pe))
		return 0;
	pthread_mutex_lock(&pe->faults.lock);
	faults_gather(pe, &g);
	memcpy(why, pe->faults.why, sizeof(why));
	pthread_mutex_unlock(&pe->faults.lock);
	if (!g.fresh && !g.unread)
		return 0;
	faults_log(pe, &g);
	for (unsigned i = 0; i < g.n && !first; i++)
		first = g.r[i].seen ? NULL : &g.r[i];
	faults_line(pe, first, g.fresh, g.unread ? why : NULL, line, sizeof(line));
	if (pe->options.strict) { /* the caller is notified and decides how the job ends */
		code = first ? faults_code(first) : MORI_SHMEM_EFAULT;
		if (!handler.hear)
			log_error("%s", line);
		return err_set(code, "%s", line);
	}
	faults_to_handler(line);
	faults_notify_launcher();
	return 0;
}

/* Standard error has it already, a handler has not. */
void faults_dropped(const char *text)
{
	if (handler.hear)
		handler.hear(handler.arg, text);
	faults_notify_launcher();
}

void faults_print(struct pe *pe)
{
	struct err_was was;

	err_save(&was);
	if (faults_report_new(pe))
		faults_dropped(err_text());
	err_restore(&was);
}

void faults_set_handler(void (*hear)(void *arg, const char *text), void *arg)
{
	handler.hear = hear;
	handler.arg = arg;
}

void faults_keep(int rank, const struct dev_state *state, const struct dev_news *news)
{
	struct faults_kept *k = malloc(sizeof(*k));

	if (!k) /* without memory for the list, a block that is known is leaked */
		return;
	pthread_mutex_lock(&faults_kept.lock);
	*k = (struct faults_kept){
		.next = faults_kept.first, .state = state, .news = news, .rank = rank
	};
	faults_kept.first = k;
	pthread_mutex_unlock(&faults_kept.lock);
}

void faults_forget(const struct dev_news *news)
{
	struct faults_kept **k = &faults_kept.first, *found;

	pthread_mutex_lock(&faults_kept.lock);
	while (*k && (*k)->news != news)
		k = &(*k)->next;
	found = *k;
	if (found)
		*k = found->next;
	pthread_mutex_unlock(&faults_kept.lock);
	free(found);
}

/* Reports everything so far. A block on the device reports by its news. */
void faults_report_late(void)
{
	char line[200];
	int rank;

	do {
		uint64_t n = 0;

		rank = -1;
		pthread_mutex_lock(&faults_kept.lock);
		for (struct faults_kept *k = faults_kept.first; k && rank < 0; k = k->next) {
			uint64_t now = k->state ? __atomic_load_n(&k->state->fault.late,
								  __ATOMIC_RELAXED) :
						  __atomic_load_n(&k->news->late, __ATOMIC_RELAXED);

			if (now == k->reported)
				continue;
			n = now - k->reported;
			k->reported = now;
			rank = k->rank;
		}
		pthread_mutex_unlock(&faults_kept.lock);
		if (rank < 0)
			break;
		snprintf(line, sizeof(line),
			 "kernels of PE %d have made %llu call(s) of the library since it has "
			 "finalized; each gave MORI_SHMEM_ESTATE",
			 rank, (unsigned long long)n);
		faults_to_handler(line);
		faults_notify_launcher();
	} while (rank >= 0);
}

void faults_after_fork(void)
{
	pthread_mutex_init(&faults_kept.lock, NULL);
	faults_kept.first = NULL; /* the memory stays, as the blocks do */
}

/*
 * A PE that has not finalized. A device's records cannot be read now, but their existence is known.
 */
static void faults_report_at_exit(struct pe *pe)
{
	char line[2 * ERR_TEXT_BYTES];

	if (!faults_pending(pe))
		return;
	if (!pe_device_mem(pe)) {
		faults_print(pe);
		return;
	}
	faults_line(pe, NULL, 1, NULL, line, sizeof(line));
	faults_to_handler(line);
	faults_notify_launcher();
}

/* The process ends or unloads the library: the last chance to report. */
static __attribute__((destructor)) void faults_exit(void)
{
	handler.hear = NULL;
	faults_report_late();
	registry_each(faults_report_at_exit);
}
