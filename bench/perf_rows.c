// SPDX-License-Identifier: MIT
/*
 * The rows of `mori perf`, and what is expected of them. A row is known by name,
 * size, number of PEs, scope, grid, who and path; there is one of each.
 */
#include "perf.h"

#include <stdlib.h>
#include <string.h>

static const struct perf_case host_cases[] = {
#define CASE(id, unit, sizes, pes, limit, target, title)                                           \
	{ #id, UNIT_##unit, SIZES_##sizes, TARGET_##target, 1, pes, limit, title, NULL, "", "" },
#include "cases.def"
#undef CASE
};
static const struct perf_case net_cases[] = {
#define CASE(id, unit, sizes, pes, limit, target, title)                                           \
	{ #id, UNIT_##unit, SIZES_##sizes, TARGET_##target, 1, pes, limit, title, NULL, "", "" },
#include "net_cases.def"
#undef CASE
};
/* Groups of cases of kernels that are built over peers too. */
enum { PEER_copy = 1, PEER_word = 1, PEER_sync = 1, PEER_host = 1, PEER_reduce = 0 };
static const struct perf_case kernel_cases[] = {
#define KERNEL(id, group, unit, sizes, grids, scopes, host, limit, plain, target, title)           \
	{ #id,	  UNIT_##unit, SIZES_##sizes, TARGET_##target, PEER_##group, NULL, limit, title,   \
	  scopes, host,	       plain },
#include "kernel_cases.def"
#undef KERNEL
};
const struct perf_case *perf_cases = host_cases;
size_t n_perf_cases = sizeof(host_cases) / sizeof(*host_cases);
static int on_gpu;

void perf_use_kernels(void)
{
	perf_cases = kernel_cases;
	n_perf_cases = sizeof(kernel_cases) / sizeof(*kernel_cases);
}

void perf_use_net(void)
{
	perf_cases = net_cases;
	n_perf_cases = sizeof(net_cases) / sizeof(*net_cases);
}

void perf_use_gpu(void)
{
	on_gpu = 1;
}

int perf_on_gpu(void)
{
	return on_gpu;
}

/* A peer this close counts as equal: two runs of one program differ by as much. */
static const double not_behind = 0.95;
static const double of_memcpy = 0.95;

const struct perf_case *perf_case_find(const char *id, size_t len)
{
	for (size_t i = 0; i < n_perf_cases; i++) {
		if (strlen(perf_cases[i].id) == len && !strncmp(perf_cases[i].id, id, len))
			return &perf_cases[i];
	}
	return NULL;
}

static int is_rate(const struct row *row)
{
	return !strcmp(row->unit, "GB/s") || !strcmp(row->unit, "M/s");
}

/* How much faster @a is than @b. */
static double speed_ratio(const struct row *a, const struct row *b)
{
	double over = is_rate(a) ? b->p50 : a->p50, under = is_rate(a) ? a->p50 : b->p50;

	return over > 0 ? under / over : 0;
}

int row_is_limit(const struct row *row)
{
	return !strcmp(row->who, "limit") || !strcmp(row->who, "plain");
}

static int same_thing(const struct row *a, const struct row *b)
{
	return a->size == b->size && a->pes == b->pes && !strcmp(a->name, b->name) &&
	       !strcmp(a->scope, b->scope) && !strcmp(a->grid, b->grid);
}

const struct row *rows_find(const struct rows *rows, const struct row *like, const char *who,
			    const char *path)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct row *r = &rows->row[i];

		if (same_thing(r, like) && !strcmp(r->who, who) &&
		    (!path || !strcmp(r->path, path)))
			return r;
	}
	return NULL;
}

/* Another library's, on the same grid; or a host thread's, which has none. */
static const struct row *rows_peer(const struct rows *rows, const struct row *like)
{
	struct row host = *like;

	snprintf(host.scope, sizeof(host.scope), "-");
	snprintf(host.grid, sizeof(host.grid), "-");
	for (size_t i = 0; i < rows->n; i++) {
		const struct row *r = &rows->row[i];

		if (strcmp(r->who, "mori") && !row_is_limit(r) &&
		    (same_thing(r, like) || same_thing(r, &host)))
			return r;
	}
	return NULL;
}

static int rows_append(struct rows *rows, const struct row *row)
{
	if (!rows->row || rows->n == rows->room) {
		size_t room = rows->room ? 2 * rows->room : 64;
		struct row *more = realloc(rows->row, room * sizeof(*more));

		if (!more)
			return -1;
		rows->row = more;
		rows->room = room;
	}
	rows->row[rows->n++] = *row;
	return 0;
}

static struct row *rows_same(struct rows *rows, const struct row *row)
{
	const struct row *same = rows_find(rows, row, row->who, row->path);

	return same ? &rows->row[same - rows->row] : NULL;
}

int rows_add(struct rows *rows, const struct row *row, int keep_best)
{
	struct row *same = rows_same(rows, row);

	if (!same)
		return rows_append(rows, row);
	if ((speed_ratio(row, same) > 1) == !!keep_best)
		*same = *row;
	return 0;
}

/* Limits belong to the run that they were measured in, in turn with the operation. */
static int merge_limit(struct rows *rows, const struct rows *run, const struct row *of,
		       const char *who)
{
	const struct row *limit = rows_find(run, of, who, of->who);
	struct row *same = limit ? rows_same(rows, limit) : NULL;

	if (same)
		*same = *limit;
	return limit && !same ? rows_append(rows, limit) : 0;
}

int rows_merge(struct rows *rows, const struct rows *run)
{
	int err = 0;

	for (size_t i = 0; i < run->n && !err; i++) {
		const struct row *row = &run->row[i], *same;

		if (row_is_limit(row))
			continue;
		same = rows_same(rows, row);
		if (same && speed_ratio(row, same) <= 1)
			continue;
		err = rows_add(rows, row, 1);
		if (!err)
			err = merge_limit(rows, run, row, "limit");
		if (!err)
			err = merge_limit(rows, run, row, "plain");
	}
	return err;
}

void rows_free(struct rows *rows)
{
	free(rows->row);
	memset(rows, 0, sizeof(*rows));
}

int rows_read(struct rows *rows, const char *file)
{
	FILE *f = fopen(file, "re");
	char line[256];
	int err = f ? 0 : -1;

	while (!err && fgets(line, sizeof(line), f)) {
		struct row r = { .size = 0 };
		int n = sscanf(line,
			       "%23[^,],%zu,%d,%11[^,],%11[^,],%lf,%lf,%7[^,\n],%7[^,],%23[^,\n]",
			       r.name, &r.size, &r.pes, r.who, r.path, &r.p50, &r.p99, r.unit,
			       r.scope, r.grid);

		err = n == 10 ? rows_add(rows, &r, 0) : -1;
	}
	if (f)
		fclose(f);
	return err;
}

int rows_load(struct rows *rows, const char *file)
{
	FILE *f = fopen(file, "re");
	char line[512];
	int err = f && fgets(line, sizeof(line), f) && !strncmp(line, "name,size,", 10) ? 0 : -1;

	while (!err && fgets(line, sizeof(line), f)) {
		struct row r = { .size = 0 };
		char *tail = strstr(line, ",ok,"), *quote;

		if (tail)
			*tail = 0;
		err = tail && sscanf(line, "%23[^,],%zu,%d,%11[^,],%11[^,],%lf,%lf,%7[^,]", r.name,
				     &r.size, &r.pes, r.who, r.path, &r.p50, &r.p99, r.unit) == 8 ?
			      0 :
			      -1;
		/* vs_limit,vs_peer,"target",met,scope,grid,vs_plain */
		quote = err ? NULL : strrchr(tail + 1, '"');
		if (!quote || sscanf(quote, "\",%*[^,],%7[^,],%23[^,\n]", r.scope, r.grid) != 2)
			err = quote && sscanf(quote, "\",,%7[^,],%23[^,\n]", r.scope, r.grid) == 2 ?
				      0 :
				      -1;
		err = err ? err : rows_append(rows, &r);
	}
	if (f)
		fclose(f);
	return err || !rows->n ? -1 : 0;
}

static int ahead(const struct verdict *v, double least)
{
	return v->peer ? v->vs_peer >= least && v->vs_peer > (least < 1 ? 0 : 1) : -1;
}

/* A block of a CPU can do what memcpy can. */
static void judge_kernel(struct verdict *v, const struct row *row)
{
	if (strcmp(row->scope, "block") || row->size < 1 << 20 || (!v->limit && !v->plain))
		return;
	v->target = ">= 0.95 of memcpy or copy kernel";
	v->met = v->vs_limit >= of_memcpy || v->vs_plain >= of_memcpy;
}

static void judge_peer(struct verdict *v)
{
	v->target = v->peer ? "not behind" : "";
	v->met = ahead(v, not_behind);
}

/* At most @most, and not behind. */
static void judge_most(struct verdict *v, const struct row *row, double most, const char *text)
{
	v->target = text;
	v->met = row->p50 <= most && ahead(v, not_behind) != 0;
}

/* What the memory gives to blocks of a GPU: all of them, some of them, one. */
static void judge_gpu_copy(struct verdict *v, const struct row *row)
{
	if (strcmp(row->scope, "block") || row->size < 1 << 20) {
		judge_peer(v);
	} else if (!strncmp(row->grid, "1x", 2)) {
		v->target = ">= 48 GB/s, not behind";
		v->met = row->p50 >= 48 && ahead(v, not_behind) != 0;
	} else {
		v->target =
			v->limit ? ">= 0.95 of copy kernel and memcpy" : ">= 0.95 of copy kernel";
		v->met = v->vs_plain >= of_memcpy && (!v->limit || v->vs_limit >= of_memcpy) &&
			 ahead(v, not_behind) != 0;
	}
}

/* Figures of kernels that were written by hand for the same GPU, and of what users wait for. */
static void judge_gpu(struct verdict *v, const struct perf_case *c, const struct row *row)
{
	const size_t numbers = 64 * 7168 * 2, floats = 64 << 20;
	const double malloc_us = row->pes <= 2 ? 16 : row->pes <= 4 ? 22 : 30;

	if (c->target == TARGET_COPY)
		judge_gpu_copy(v, row);
	else if (c->target == TARGET_PEER)
		judge_peer(v);
	else if (c->target == TARGET_BARRIER && strcmp(row->scope, "block"))
		judge_peer(v);
	else if (c->target == TARGET_BARRIER)
		judge_most(v, row, 1.1, "<= 1.1 us, not behind");
	else if (c->target == TARGET_ONE_SHOT && row->size == numbers && row->pes == 2)
		judge_most(v, row, 6, "<= 6 us");
	else if (c->target == TARGET_TWO_SHOT && row->size == numbers && row->pes == 8)
		judge_most(v, row, 17.8, "<= 17.8 us");
	else if (c->target == TARGET_FLOAT && row->size == floats && row->pes == 8)
		judge_most(v, row, 290, "<= 290 us");
	else if (c->target == TARGET_MALLOC && row->pes <= 8)
		judge_most(v, row, malloc_us,
			   row->pes <= 2 ? "<= 16 us" :
			   row->pes <= 4 ? "<= 22 us" :
					   "<= 30 us");
}

static void judge_copy(struct verdict *v, const struct row *row)
{
	int memcpy_bound = row->size >= 64 << 10;

	if (row->size >= 1 << 20) {
		v->target = ">= 0.95 of memcpy, not behind";
		v->met = v->vs_limit >= of_memcpy && ahead(v, not_behind) != 0;
	} else {
		v->target = memcpy_bound ? "not behind" : "ahead";
		v->met = ahead(v, memcpy_bound ? not_behind : 1);
	}
}

/* Between nodes: beside a plain socket, and ahead of the peer. */
static void judge_net(struct verdict *v, const struct perf_case *c, const struct row *row)
{
	int wire = c->target == TARGET_LATENCY || row->size >= 1 << 20;

	if (c->target == TARGET_BUSY) {
		v->target = "< 500 us, ahead";
		v->met = row->p50 < 500 && ahead(v, 1) != 0;
	} else if (!wire) {
		v->target = "ahead";
		v->met = ahead(v, 1);
	} else {
		v->target = c->target == TARGET_LATENCY ? "<= 1.5 of socket, ahead" :
							  ">= 0.9 of socket, ahead";
		v->met = v->vs_limit >= (c->target == TARGET_LATENCY ? 1 / 1.5 : 0.9) &&
			 ahead(v, 1) != 0;
	}
}

struct verdict verdict_of(const struct rows *rows, const struct row *row)
{
	const struct perf_case *c = perf_case_find(row->name, strlen(row->name));
	struct verdict v = { .target = "", .met = -1 };

	if (!c || strcmp(row->who, "mori"))
		return v;
	v.limit = rows_find(rows, row, "limit", "mori");
	v.plain = rows_find(rows, row, "plain", "mori");
	v.peer = rows_peer(rows, row);
	v.peer_limit = v.peer ? rows_find(rows, row, "limit", v.peer->who) : NULL;
	v.vs_limit = v.limit ? speed_ratio(row, v.limit) : 0;
	v.vs_plain = v.plain ? speed_ratio(row, v.plain) : 0;
	v.vs_peer = v.peer ? speed_ratio(row, v.peer) : 0;
	if (on_gpu) {
		judge_gpu(&v, c, row);
		return v;
	}
	switch (c->target) {
	case TARGET_COPY:
		c->scopes ? judge_kernel(&v, row) : judge_copy(&v, row);
		break;
	case TARGET_AHEAD:
		v.target =
			row->size >= 64 << 10 && c->sizes == SIZES_SIGNAL ? "not behind" : "ahead";
		v.met = ahead(&v, *v.target == 'a' ? 1 : not_behind);
		break;
	case TARGET_RATE:
		v.target = ">= 100 M/s, ahead";
		v.met = row->p50 >= 100 && ahead(&v, 1) != 0;
		break;
	case TARGET_JOB:
		v.target = row->pes == 8 ? "< 100 ms, ahead" : "ahead";
		v.met = row->pes == 8 ? row->p50 < 100 && ahead(&v, 1) != 0 : ahead(&v, 1);
		break;
	case TARGET_LATENCY:
	case TARGET_STREAM:
	case TARGET_BUSY:
		judge_net(&v, c, row);
		break;
	default:
		break;
	}
	return v;
}
