// SPDX-License-Identifier: MIT
/*
 * The tour's output on the terminal: marks, colours and units. Colours appear only on a terminal
 * and never with NO_COLOR; UTF-8 only if the locale has it.
 */
#include <langinfo.h>
#include <libgen.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tour.h"

#define BOLD  "1"
#define DIM   "2"
#define GREEN "32"
#define RED   "31"

void style_find(struct style *s, int on)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	s->on = on;
	if (!on)
		return; /* setlocale() is safe in a process of one thread only */
	setlocale(LC_CTYPE, "");
	s->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	s->color = isatty(STDOUT_FILENO) && !(no_color && *no_color) &&
		   !(term && !strcmp(term, "dumb"));
}

const char *style_arrow(const struct style *s)
{
	return s->utf8 ? "\u2192" : "->";
}

/* Text in a colour, padded to @width columns: printf would count the escapes, too. */
static void paint(const struct style *s, const char *code, int width, const char *text)
{
	if (s->color)
		printf("\033[%sm%-*s\033[0m", code, width, text);
	else
		printf("%-*s", width, text);
}

static void mark(const struct style *s, int ok)
{
	const char *text = ok ? (s->utf8 ? "\u2713" : "ok") : (s->utf8 ? "\u2717" : "FAILED");

	paint(s, ok ? GREEN : RED, 0, text);
}

void format_ns(char *text, size_t len, double ns)
{
	if (ns < 1e3)
		snprintf(text, len, "%.0f ns", ns);
	else if (ns < 1e6)
		snprintf(text, len, "%.1f us", ns / 1e3);
	else
		snprintf(text, len, "%.1f ms", ns / 1e6);
}

void format_bytes(char *text, size_t len, double bytes)
{
	static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t i = 0;

	for (; bytes >= 1024 && i + 1 < sizeof(unit) / sizeof(*unit); i++)
		bytes /= 1024;
	snprintf(text, len, "%.4g %s", bytes, unit[i]);
}

void show_title(const struct tour *t)
{
	char text[64];

	if (!t->style.on)
		return;
	snprintf(text, sizeof(text), "MORI Shmem: a tour with %d PE%s", t->n, t->n > 1 ? "s" : "");
	printf("\n");
	paint(&t->style, BOLD, 0, text);
	printf("\ndevice: %s\n", t->device);
}

void show_heading(const struct tour *t, const char *text)
{
	if (!t->style.on)
		return;
	printf("\n");
	paint(&t->style, BOLD, 0, text);
	printf("\n");
}

void show_step(const struct tour *t, const struct result *r, int ok)
{
	char time[32], unit[64];

	if (!t->style.on)
		return;
	format_ns(time, sizeof(time), r->ns);
	snprintf(unit, sizeof(unit), "%s", r->unit);
	if (r->gb_s > 0)
		snprintf(unit, sizeof(unit), "%s, %.1f GB/s", r->unit, r->gb_s);
	printf("\n  %d. ", t->steps);
	paint(&t->style, BOLD, 18, r->title);
	printf(" %9s %-44s ", time, unit);
	mark(&t->style, ok);
	printf("\n     %s\n     ", r->what);
	paint(&t->style, DIM, 0, r->how);
	printf("\n");
	fflush(stdout);
}

void show_left_out(const struct tour *t, const char *why)
{
	if (!t->style.on)
		return;
	printf("\n  Left out: %s.\n", why);
	fflush(stdout);
}

void show_end(const struct tour *t)
{
	char text[96];

	if (!t->style.on)
		return;
	if (t->failed)
		snprintf(text, sizeof(text), "%llu checks failed.", (unsigned long long)t->failed);
	else
		snprintf(text, sizeof(text), "All %d steps checked on every PE%s.", t->steps,
			 t->kernels_left_out ? "; those with kernels were left out" : "");
	printf("\n");
	paint(&t->style, t->failed ? RED : GREEN, 0, text);
	printf("\n");
	fflush(stdout);
}

static void hint(const char *command, const char *meaning)
{
	printf("  %-57s %s\n", command, meaning);
}

void show_next(const struct tour *t, const char *argv0)
{
	char dir[PATH_MAX], mori[PATH_MAX + 8], line[2 * PATH_MAX + 64];

	if (!t->style.on)
		return;
	/* The command is next to this program in a build and in an installed tree. */
	snprintf(dir, sizeof(dir), "%s", argv0);
	snprintf(mori, sizeof(mori), "%s/mori", dirname(dir));
	if (access(mori, X_OK))
		strcpy(mori, "mori");
	show_heading(t, "What to try next");
	snprintf(line, sizeof(line), "%s run -n 8 %s", mori, argv0);
	hint(line, "more PEs, also more than cores");
	snprintf(line, sizeof(line), "%s run -n 4 --threads 4 %s", mori, argv0);
	hint(line, "the PEs as threads");
	snprintf(line, sizeof(line), "%s perf", mori);
	hint(line, "how fast, beside memcpy");
	snprintf(line, sizeof(line), "%s info --env", mori);
	hint(line, "every setting and its value");
	hint("examples/hello/hello.c", "your first program");
	hint("examples/tour/device/kernels.c", "the kernels of this tour");
	printf("\n");
}
