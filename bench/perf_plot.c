// SPDX-License-Identifier: MIT
/*
 * `mori perf --plot`: bandwidth by size and latency by size, as SVG. A panel for each case
 * that has several sizes, scope and number of PEs, on the grid with most threads that has most
 * sizes; a line for each that measured it. Both axes are logarithmic.
 */
#include "perf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 450, HIGH = 330, LEFT = 72, RIGHT = 32, TOP = 52, BOTTOM = 78, ACROSS = 3 };
enum { LABEL_WIDE = 50, LABEL_HIGH = 14, TITLE_LETTERS = 64 };

/* One drawing: rows like @like, grid and all, by whom it is. */
struct panel {
	const struct perf_case *c;
	struct row like;
	double x0, x1, y0, y1; /* logarithms of the ends of the axes */
	double left, top;
};

struct line {
	const char *who;
	const char *color;
	const char *dash;
};
static const struct line lines[] = {
	{ "mori", "#c0392b", "none" },	  { "nvshmem", "#2471a3", "none" },
	{ "openmpi", "#2471a3", "none" }, { "host", "#7d6608", "none" },
	{ "plain", "#1e8449", "6 3" },	  { "limit", "#566573", "2 3" },
};
enum { N_LINES = sizeof(lines) / sizeof(*lines) };

static int in_panel(const struct panel *p, const struct row *r, const char *who)
{
	/* The peer's process measures its limit, too: its memory is laid out in another way. */
	if (row_is_limit(r) && strcmp(r->path, "mori"))
		return 0;
	return !strcmp(r->name, p->like.name) && r->pes == p->like.pes && r->size && r->p50 > 0 &&
	       !strcmp(r->who, who) &&
	       ((!strcmp(r->scope, p->like.scope) && !strcmp(r->grid, p->like.grid)) ||
		(!strcmp(who, "host") && !strcmp(r->scope, "-")));
}

static size_t points_of(const struct rows *rows, const struct panel *p, const char *who)
{
	size_t n = 0;

	for (size_t i = 0; i < rows->n; i++)
		n += (size_t)in_panel(p, &rows->row[i], who);
	return n;
}

static unsigned threads_of(const char *grid)
{
	unsigned blocks = 0, threads = 0;

	return sscanf(grid, "%ux%u", &blocks, &threads) == 2 ? blocks * threads : 1;
}

/* The one to draw of a case, scope and number of PEs: most sizes, then most threads. */
static int better(const struct rows *rows, const struct panel *a, const struct panel *b)
{
	size_t n = points_of(rows, a, "mori"), m = points_of(rows, b, "mori");

	return n != m ? n > m : threads_of(a->like.grid) > threads_of(b->like.grid);
}

static void panel_axes(const struct rows *rows, struct panel *p)
{
	p->x0 = p->y0 = 1e9;
	p->x1 = p->y1 = -1e9;
	for (size_t i = 0; i < rows->n; i++) {
		for (size_t k = 0; k < N_LINES; k++) {
			const struct row *r = &rows->row[i];

			if (!in_panel(p, r, lines[k].who))
				continue;
			p->x0 = fmin(p->x0, log2((double)r->size));
			p->x1 = fmax(p->x1, log2((double)r->size));
			p->y0 = fmin(p->y0, log10(r->p50));
			p->y1 = fmax(p->y1, log10(r->p50));
		}
	}
	p->y0 = floor(p->y0 * 3 - 0.01) / 3;
	p->y1 = ceil(p->y1 * 3 + 0.01) / 3;
}

static double px(const struct panel *p, double x)
{
	return p->left + LEFT + (x - p->x0) / (p->x1 - p->x0) * (WIDE - LEFT - RIGHT);
}

static double py(const struct panel *p, double y)
{
	return p->top + HIGH - BOTTOM - (y - p->y0) / (p->y1 - p->y0) * (HIGH - TOP - BOTTOM);
}

/* @how: further attributes. */
static void draw_text(FILE *f, double x, double y, const char *how, const char *text)
{
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, how);
	for (; *text; text++) {
		if (*text == '&' || *text == '<' || *text == '>')
			fprintf(f, "&#%d;", *text);
		else
			fputc(*text, f);
	}
	fputs("</text>\n", f);
}

static void draw_rule(FILE *f, double x1, double y1, double x2, double y2)
{
	fprintf(f, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", x1,
		y1, x2, y2);
}

/* Rules at 1, 2, 5, 10 and so on, as many as have room for their labels. */
static void draw_values(FILE *f, const struct panel *p)
{
	static const int steps[] = { 1, 2, 5 };
	double last = 1e9;
	char text[64];

	for (int e = -4; e <= 6; e++) {
		for (int k = 0; k < 3; k++) {
			double v = steps[k] * pow(10, e), y = log10(v);

			if (y < p->y0 || y > p->y1 || last - py(p, y) < LABEL_HIGH)
				continue;
			last = py(p, y);
			draw_rule(f, px(p, p->x0), last, px(p, p->x1), last);
			snprintf(text, sizeof(text), "%g", v);
			draw_text(f, px(p, p->x0) - 6, last + 4, "text-anchor=\"end\"", text);
		}
	}
}

static const char *size_unit(const struct panel *p)
{
	return p->c->sizes == SIZES_FLOATS ? "" : "B";
}

static void draw_sizes(FILE *f, const struct panel *p)
{
	double last = -1e9;
	char text[64];

	for (int x = (int)ceil(p->x0); x <= p->x1; x++) {
		if (px(p, x) - last < LABEL_WIDE)
			continue;
		last = px(p, x);
		draw_rule(f, last, py(p, p->y0), last, py(p, p->y1));
		size_text(text, sizeof(text), (size_t)1 << x, size_unit(p));
		draw_text(f, last, py(p, p->y0) + 15, "text-anchor=\"middle\"", text);
	}
}

static void draw_titles(FILE *f, const struct panel *p)
{
	double middle = p->top + (TOP + HIGH - BOTTOM) / 2.0;
	const char *title = p->c->title;
	char text[128];
	int n;

	n = snprintf(text, sizeof(text), "%s, %d PEs", p->c->id, p->like.pes);
	if (strcmp(p->like.scope, "-"))
		n += snprintf(text + n, sizeof(text) - (size_t)n, ", %s", p->like.scope);
	if (strcmp(p->like.grid, "-"))
		snprintf(text + n, sizeof(text) - (size_t)n, ", grid of %s", p->like.grid);
	draw_text(f, p->left + LEFT, p->top + 20, "font-weight=\"bold\"", text);
	snprintf(text, sizeof(text), "%.*s%s", TITLE_LETTERS, title,
		 strlen(title) > TITLE_LETTERS ? "..." : "");
	draw_text(f, p->left + LEFT, p->top + 36, "", text);
	draw_text(f, p->left + (LEFT + WIDE - RIGHT) / 2.0, p->top + HIGH - BOTTOM + 33,
		  "text-anchor=\"middle\"", *size_unit(p) ? "size in bytes" : "size in floats");
	snprintf(text, sizeof(text), "text-anchor=\"middle\" transform=\"rotate(-90 %.1f %.1f)\"",
		 p->left + 18, middle);
	draw_text(f, p->left + 18, middle, text, unit_text(p->c->unit));
}

static void draw_axes(FILE *f, const struct panel *p)
{
	draw_values(f, p);
	draw_sizes(f, p);
	draw_titles(f, p);
}

static const char *line_title(const struct panel *p, const char *who)
{
	const struct peer *peer = peer_by_who(who);

	return !strcmp(who, "mori")  ? "MORI" :
	       !strcmp(who, "limit") ? p->c->limit :
	       !strcmp(who, "plain") ? p->c->plain :
	       peer		     ? peer->title :
				       who;
}

static int by_size(const void *a, const void *b)
{
	size_t x = (*(const struct row *const *)a)->size, y = (*(const struct row *const *)b)->size;

	return (x > y) - (x < y);
}

static void draw_line(FILE *f, const struct rows *rows, const struct panel *p, const struct line *l,
		      double *legend)
{
	const struct row **r = calloc(rows->n, sizeof(*r));
	size_t n = 0;
	double y = p->top + HIGH - 20;

	for (size_t i = 0; r && i < rows->n; i++) {
		if (in_panel(p, &rows->row[i], l->who))
			r[n++] = &rows->row[i];
	}
	if (!r || !n) {
		free(r);
		return;
	}
	qsort(r, n, sizeof(*r), by_size);
	fprintf(f,
		"<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" "
		"points=\"",
		l->color, l->dash);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%.1f,%.1f ", px(p, log2((double)r[i]->size)), py(p, log10(r[i]->p50)));
	fputs("\"/>\n", f);
	fprintf(f,
		"<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
		"stroke-width=\"2\" stroke-dasharray=\"%s\"/>\n",
		*legend, y, *legend + 22, y, l->color, l->dash);
	draw_text(f, *legend + 26, y + 4, "", line_title(p, l->who));
	*legend += 38 + 6.6 * (double)strlen(line_title(p, l->who));
	free(r);
}

static void draw_panel(FILE *f, const struct rows *rows, const struct panel *p)
{
	double legend = p->left + LEFT;

	fputs("<g>\n", f);
	draw_axes(f, p);
	for (size_t i = 0; i < N_LINES; i++)
		draw_line(f, rows, p, &lines[i], &legend);
	fputs("</g>\n", f);
}

/* Panels in the order of the rows; gives how many, with room for one a row. */
static size_t find_panels(const struct rows *rows, struct panel *panels)
{
	size_t n = 0;

	for (size_t i = 0; i < rows->n; i++) {
		struct panel p = { .like = rows->row[i] };
		size_t at = 0;

		p.c = perf_case_find(p.like.name, strlen(p.like.name));
		if (!p.c || strcmp(p.like.who, "mori") || points_of(rows, &p, "mori") < 2)
			continue;
		while (at < n && (panels[at].c != p.c || panels[at].like.pes != p.like.pes ||
				  strcmp(panels[at].like.scope, p.like.scope)))
			at++;
		if (at == n || better(rows, &p, &panels[at]))
			panels[at] = p;
		n += at == n;
	}
	return n;
}

int write_plot(const struct rows *rows, const char *file)
{
	struct panel *panels = calloc(rows->n + 1, sizeof(*panels));
	size_t n = panels ? find_panels(rows, panels) : 0;
	size_t across = n < ACROSS ? n : ACROSS, down = (n + ACROSS - 1) / ACROSS;
	FILE *f = n ? fopen(file, "we") : NULL;
	int err;

	if (!f) {
		fprintf(stderr,
			n ? "mori perf: cannot open %s for writing\n" :
			    "mori perf: nothing to draw in %s: no case has two sizes\n",
			file);
		free(panels);
		return -1;
	}
	fprintf(f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" "
		"font-family=\"sans-serif\" font-size=\"11\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
		across * WIDE, down * HIGH);
	for (size_t i = 0; i < n; i++) {
		size_t row = i / ACROSS;

		panels[i].left = (double)(i % ACROSS * WIDE);
		panels[i].top = (double)(row * HIGH);
		panel_axes(rows, &panels[i]);
		draw_panel(f, rows, &panels[i]);
	}
	fputs("</svg>\n", f);
	err = ferror(f);
	if (fclose(f) || err)
		fprintf(stderr, "mori perf: cannot write %s\n", file);
	free(panels);
	return err ? -1 : 0;
}
