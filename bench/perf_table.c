// SPDX-License-Identifier: MIT
/*
 * What `mori perf` prints and writes: tables, plain or Markdown, CSV and JSON. All
 * of it comes from the rows; a row that is not there failed its check.
 */
#include "perf.h"

#include <gnu/libc-version.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { COLUMNS = 14, CELL = 48 };

struct table {
	int markdown;
	int columns;
	int last; /* is text, and stands to the left */
	char cell[COLUMNS][CELL];
};

static void line(const struct table *t)
{
	for (int i = 0; i < t->columns; i++) {
		if (t->markdown)
			printf("| %s ", t->cell[i]);
		else
			printf("%*s%s", i == t->last ? 0 : 10, t->cell[i],
			       i == t->columns - 1 ? "" : "  ");
	}
	puts(t->markdown ? "|" : "");
}

static void rule(const struct table *t)
{
	for (int i = 0; i < t->columns && t->markdown; i++)
		printf("|%s", i == t->last ? "---" : "---:");
	if (t->markdown)
		puts("|");
}

static void set(struct table *t, int i, const char *text)
{
	snprintf(t->cell[i], CELL, "%s", text);
}

/* Three figures, without an exponent. */
static void set_number(struct table *t, int i, double x)
{
	int digits = x >= 100 ? 0 : x >= 10 ? 1 : x >= 1 ? 2 : x >= 0.1 ? 3 : 4;

	snprintf(t->cell[i], CELL, "%.*f", digits, x);
}

static void set_ratio(struct table *t, int i, int there, double x)
{
	if (there)
		snprintf(t->cell[i], CELL, "%.2f", x);
	else
		set(t, i, "-");
}

void size_text(char *out, size_t room, size_t size, const char *of)
{
	static const char *const prefix[] = { "", "Ki", "Mi", "Gi" };
	int p = 0;

	while (p < 3 && size >= 1024 && size % 1024 == 0) {
		size /= 1024;
		p++;
	}
	snprintf(out, room, "%zu %s%s", size, prefix[p], of);
}

/* Who else measured the case, as the head of a column; NULL for nobody. */
static const char *other_of(const struct rows *rows, const struct perf_case *c)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct row *r = &rows->row[i];
		const struct peer *peer = peer_by_who(r->who);

		if (!strcmp(r->name, c->id) && (peer || !strcmp(r->who, "host")))
			return peer ? peer->title : "host";
	}
	return c->scopes ? NULL : "peer";
}

/* Whether a peer has measured its own limit beside the case. */
static int peer_has_limit(const struct rows *rows, const struct perf_case *c)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct row *r = &rows->row[i];

		if (!strcmp(r->name, c->id) && !strcmp(r->who, "limit") && peer_by_who(r->path))
			return 1;
	}
	return 0;
}

static const char *verdict_word(int met)
{
	return met < 0 ? "" : met ? ": met" : ": NOT met";
}

/* A value to compare with and our ratio to it: two cells, "-" if there is none. */
static void add_beside(struct table *t, const struct row *row, double ratio)
{
	if (row)
		set_number(t, t->columns++, row->p50);
	else
		set(t, t->columns++, "-");
	set_ratio(t, t->columns++, !!row, ratio);
}

/* Most of what is wanted of kernels is wanted of a GPU. */
static int has_target(const struct perf_case *c)
{
	return c->target != TARGET_NONE &&
	       (!c->scopes || perf_on_gpu() || c->target == TARGET_COPY);
}

static void row_line(struct table *t, const struct perf_case *c, const struct rows *rows,
		     const struct row *row)
{
	struct verdict v = verdict_of(rows, row);

	t->columns = 0;
	if (row->size || c->sizes == SIZES_SIGNAL)
		size_text(t->cell[t->columns++], CELL, row->size,
			  c->sizes == SIZES_FLOATS ? "" : "B");
	else
		set(t, t->columns++, "-");
	if (c->scopes) {
		set(t, t->columns++, row->scope);
		set(t, t->columns++, row->grid);
	}
	snprintf(t->cell[t->columns++], CELL, "%d", row->pes);
	set_number(t, t->columns++, row->p50);
	set_number(t, t->columns++, row->p99);
	if (!c->scopes || *c->limit)
		add_beside(t, v.limit, v.vs_limit);
	if (*c->plain)
		add_beside(t, v.plain, v.vs_plain);
	if (other_of(rows, c))
		add_beside(t, v.peer, v.vs_peer);
	if (peer_has_limit(rows, c)) {
		if (v.peer_limit)
			set_number(t, t->columns++, v.peer_limit->p50);
		else
			set(t, t->columns++, "-");
	}
	if (has_target(c))
		snprintf(t->cell[t->columns++], CELL, "%s%s", v.target, verdict_word(v.met));
	line(t);
}

const char *unit_text(enum perf_unit unit)
{
	switch (unit) {
	case UNIT_GBS:
		return "GB/s, higher is better";
	case UNIT_MS:
		return "millions per second, higher is better";
	case UNIT_ms:
		return "ms, lower is better";
	case UNIT_US:
		break;
	}
	return "us, lower is better";
}

static void case_heads(struct table *t, const struct rows *rows, const struct perf_case *c)
{
	const char *other = other_of(rows, c);

	t->columns = 0;
	set(t, t->columns++, "size");
	if (c->scopes) {
		set(t, t->columns++, "scope");
		set(t, t->columns++, "grid");
	}
	set(t, t->columns++, "PEs");
	set(t, t->columns++, "MORI");
	set(t, t->columns++, "p99");
	if (!c->scopes || *c->limit) {
		set(t, t->columns++, *c->limit ? c->limit : "limit");
		set(t, t->columns++, "x limit");
	}
	if (*c->plain) {
		set(t, t->columns++, c->plain);
		set(t, t->columns++, "x plain");
	}
	if (other) {
		set(t, t->columns++, other);
		set(t, t->columns++, strcmp(other, "host") ? "x peer" : "x host");
	}
	if (peer_has_limit(rows, c))
		set(t, t->columns++, "its limit");
	t->last = -1;
	if (has_target(c)) {
		t->last = t->columns;
		set(t, t->columns++, "target");
	}
}

static void case_table(const struct rows *rows, const struct perf_case *c, int markdown)
{
	struct table t = { .markdown = markdown };
	int begun = 0;

	for (size_t i = 0; i < rows->n; i++) {
		const struct row *row = &rows->row[i];

		if (strcmp(row->name, c->id) || strcmp(row->who, "mori"))
			continue;
		if (!begun++) {
			printf(markdown ? "\n**%s**: %s (%s)\n\n" : "\n%s: %s (%s)\n", c->id,
			       c->title, unit_text(c->unit));
			case_heads(&t, rows, c);
			line(&t);
			rule(&t);
		}
		row_line(&t, c, rows, row);
	}
}

static void growth_line(struct table *t, const struct rows *rows, int pes, const char *path)
{
	static const char *const names[] = { "growth_init", "growth_barrier", "growth_finalize",
					     "growth_job", "growth_rss" };

	snprintf(t->cell[0], CELL, "%s", path);
	snprintf(t->cell[1], CELL, "%d", pes);
	for (int i = 0; i < 5; i++) {
		struct row like = { .pes = pes, .scope = "-", .grid = "-" };
		const struct row *row;

		snprintf(like.name, sizeof(like.name), "%s", names[i]);
		row = rows_find(rows, &like, "mori", path);

		if (row)
			set_number(t, i + 2, row->p50);
		else
			set(t, i + 2, "-");
	}
	line(t);
}

static void growth_table(const struct rows *rows, int markdown)
{
	static const char *const heads[] = { "PEs as",	  "PEs",    "init ms",	 "barrier us",
					     "final. ms", "job ms", "KiB per PE" };
	struct table t = { .markdown = markdown, .columns = 7, .last = -1 };
	int begun = 0;

	for (size_t i = 0; i < rows->n; i++) {
		const struct row *row = &rows->row[i];

		if (strcmp(row->name, "growth_init"))
			continue;
		if (!begun++) {
			printf(markdown ? "\n**growth**: the slowest PE, heap of 16 MiB\n\n" :
					  "\ngrowth: the slowest PE, heap of 16 MiB\n");
			for (int k = 0; k < t.columns; k++)
				set(&t, k, heads[k]);
			line(&t);
			rule(&t);
		}
		growth_line(&t, rows, row->pes, row->path);
	}
}

/* One fact a line about the machine; for tables that outlive the run. */
static void machine_text(char *cpu, size_t room)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char text[256], *at;

	snprintf(cpu, room, "unknown CPU");
	while (f && fgets(text, sizeof(text), f)) {
		at = strchr(text, ':');
		if (strncmp(text, "model name", 10) || !at)
			continue;
		text[strcspn(text, "\n")] = 0;
		snprintf(cpu, room, "%s", at + 2);
		break;
	}
	if (f)
		fclose(f);
}

static double load_average(void)
{
	FILE *f = fopen("/proc/loadavg", "re");
	double load = 0;

	if (f && fscanf(f, "%lf", &load) != 1)
		load = 0;
	if (f)
		fclose(f);
	return load;
}

static void print_machine(const struct perf_tools *t, const struct perf_options *o)
{
	const char *item = o->markdown ? "- " : "";
	struct utsname u;
	char cpu[192], day[32];
	time_t now = time(NULL);
	struct tm tm;

	machine_text(cpu, sizeof(cpu));
	strftime(day, sizeof(day), "%Y-%m-%d %H:%M", localtime_r(&now, &tm));
	uname(&u);
	printf("%smachine: %s, %ld cores, Linux %s, glibc %s\n", item, cpu,
	       sysconf(_SC_NPROCESSORS_ONLN), u.release, gnu_get_libc_version());
	printf("%scompiler: %s %s; %s; load %.2f at the end\n", item,
#ifdef __clang__
	       "clang",
#else
	       "gcc",
#endif
	       __VERSION__, day, load_average());
	if (o->device)
		printf("%skernels on %s; plain: without the library's calls, on the same grid%s\n",
		       item, t->device,
		       perf_on_gpu() ? "" : "; host: the same call by a host thread");
	if (o->net)
		printf("%stwo nodes: network namespaces joined by a bridge and veth\n", item);
	if (*t->peer)
		printf("%speer: %s%s\n", item, t->peer_version,
		       t->kind->device ?
			       ", PEs are processes under MPS with 1/PEs of the GPU each" :
			       ", its OpenSHMEM");
	else if (!o->device || perf_on_gpu())
		printf("%speer: none: %s\n", item, t->peer_why);
	printf("%sours: PEs are %s; %d repetitions of %g ms per row%s, the best median of them\n",
	       item, o->threads ? "threads" : "processes", o->reps, o->row_ms,
	       *t->peer ? " in turn with the peer's" : "");
	if (*t->peer)
		printf("%sits limit: the limit, measured in the peer's processes, on its memory; "
		       "where "
		       "it is far from ours,\n%sx peer compares the memory of the two, not the "
		       "libraries\n",
		       item, o->markdown ? "  " : "");
	printf("%sx limit, x %s: our speed over theirs, more is better; data checked in every "
	       "row\n",
	       item,
	       !o->device    ? "peer" :
	       perf_on_gpu() ? "plain, x peer" :
			       "plain, x host");
}

static void print_summary(const struct rows *rows)
{
	int met = 0, missed = 0;

	for (size_t i = 0; i < rows->n; i++) {
		int one = verdict_of(rows, &rows->row[i]).met;

		met += one == 1;
		missed += one == 0;
	}
	printf("\n%d targets met, %d not met\n", met, missed);
}

void print_tables(const struct rows *rows, const struct perf_tools *t, const struct perf_options *o)
{
	if (o->load)
		printf("%srows of %s\n", o->markdown ? "- " : "", o->load);
	else
		print_machine(t, o);
	for (size_t i = 0; i < n_perf_cases; i++)
		case_table(rows, &perf_cases[i], o->markdown);
	growth_table(rows, o->markdown);
	print_summary(rows);
}

static const char *met_text(int met)
{
	return met < 0 ? "" : met ? "yes" : "no";
}

static int close_written(FILE *f, const char *file)
{
	int err = ferror(f);

	if (fclose(f) || err) {
		fprintf(stderr, "mori perf: cannot write %s\n", file);
		return -1;
	}
	return 0;
}

static FILE *open_write(const char *file)
{
	FILE *f = fopen(file, "we");

	if (!f)
		fprintf(stderr, "mori perf: cannot open %s for writing\n", file);
	return f;
}

int write_csv(const struct rows *rows, const char *file)
{
	FILE *f = open_write(file);

	if (!f)
		return -1;
	fputs("name,size,pes,who,path,p50,p99,unit,verify,vs_limit,vs_peer,target,met,"
	      "scope,grid,vs_plain\n",
	      f);
	for (size_t i = 0; i < rows->n; i++) {
		const struct row *r = &rows->row[i];
		struct verdict v = verdict_of(rows, r);

		fprintf(f, "%s,%zu,%d,%s,%s,%.6g,%.6g,%s,ok,", r->name, r->size, r->pes, r->who,
			r->path, r->p50, r->p99, r->unit);
		fprintf(f, v.limit ? "%.4g," : ",", v.vs_limit);
		fprintf(f, v.peer ? "%.4g," : ",", v.vs_peer);
		fprintf(f, "\"%s\",%s,%s,%s,", v.target, met_text(v.met), r->scope, r->grid);
		fprintf(f, v.plain ? "%.4g\n" : "\n", v.vs_plain);
	}
	return close_written(f, file);
}

static void json_row(FILE *f, const struct rows *rows, const struct row *r)
{
	struct verdict v = verdict_of(rows, r);

	fprintf(f,
		"    {\"name\": \"%s\", \"size\": %zu, \"pes\": %d, \"who\": \"%s\", "
		"\"path\": \"%s\", \"p50\": %.6g, \"p99\": %.6g, \"unit\": \"%s\", "
		"\"verify\": \"ok\"",
		r->name, r->size, r->pes, r->who, r->path, r->p50, r->p99, r->unit);
	if (strcmp(r->scope, "-"))
		fprintf(f, ", \"scope\": \"%s\", \"grid\": \"%s\"", r->scope, r->grid);
	if (v.limit)
		fprintf(f, ", \"vs_limit\": %.4g", v.vs_limit);
	if (v.plain)
		fprintf(f, ", \"vs_plain\": %.4g", v.vs_plain);
	if (v.peer)
		fprintf(f, ", \"vs_peer\": %.4g", v.vs_peer);
	if (*v.target)
		fprintf(f, ", \"target\": \"%s\"", v.target);
	if (v.met >= 0)
		fprintf(f, ", \"met\": %s", v.met ? "true" : "false");
	fputs("}", f);
}

int write_json(const struct rows *rows, const struct perf_tools *t, const char *file)
{
	FILE *f = open_write(file);
	char cpu[192];

	if (!f)
		return -1;
	machine_text(cpu, sizeof(cpu));
	for (char *at = cpu; *at; at++) {
		if (*at == '"' || *at == '\\' || *at < ' ')
			*at = ' ';
	}
	fprintf(f, "{\n  \"cpu\": \"%s\",\n  \"cores\": %ld,\n  \"peer\": \"%s\",\n", cpu,
		sysconf(_SC_NPROCESSORS_ONLN), *t->peer ? t->peer_version : "");
	fprintf(f, "  \"device\": \"%s\",\n  \"rows\": [\n", t->device);
	for (size_t i = 0; i < rows->n; i++) {
		json_row(f, rows, &rows->row[i]);
		fputs(i + 1 < rows->n ? ",\n" : "\n", f);
	}
	fputs("  ]\n}\n", f);
	return close_written(f, file);
}
