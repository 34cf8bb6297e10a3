// SPDX-License-Identifier: MIT
/*
 * mori-man: the manual's section 3. A page combines a text from docs/man/families with
 * prototypes: those of a family from the list of operations, those of host calls from the
 * public header, whose comments it prints too. Every exported name gets a page or
 * a link to one; a name that no text covers is an error, so none can be forgotten.
 *
 * usage: mori-man OUTDIR TEXTDIR SHMEM_H VERSION
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ops/shmem_list.h"

#include "man.h"

struct man_row {
	const char *family;
	const char *prefix, *name;
	const char *returns, *params; /* NULL: taken from the header */
	int ctx;		      /* there is a form with a context */
	int used;
};

#define OP(ret, name, params)  OP_(ret, name, params)
#define OP_(ret, name, params) { NULL, "mori_shmem_", #name, #ret, #params, 1, 0 },

#define FAMILY(id, list)		    { #id, NULL, NULL, NULL, NULL, 0, 0 }, list
#define STATUS(name, params, call)	    OP(int, name, params)
#define VALUE(ret, bad, name, params, call) OP(ret, name, params)
#define STATUS0(name, call)		    OP(int, name, (void))
#define VALUE0(ret, bad, name, call)	    OP(ret, name, (void))
#define GRID(ret, name)			    { NULL, "", #name, #ret, "(void)", 0, 0 },
#define HOST(name)			    { NULL, "mori_shmem_", #name, NULL, NULL, 0, 0 },

/* A row with a family id precedes the rows of its names. */
/* clang-format off */
static struct man_row rows[] = {
	{ "host", NULL, NULL, NULL, NULL, 0, 0 },
	MORI_HOST_CALLS(HOST)
	MORI_HOST_FAMILIES(FAMILY, STATUS, VALUE, STATUS0, VALUE0)
	{ "grid", NULL, NULL, NULL, NULL, 0, 0 },
	MORI_GRID_OPS(GRID)
};
/* clang-format on */

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

void die(const char *fmt, ...)
{
	va_list ap;

	fputs("mori-man: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static char *read_text(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t len = 0;

	if (!f || (getdelim(&text, &len, '\0', f) < 0 && ferror(f)))
		die("%s: %s", path, strerror(errno));
	fclose(f);
	return text;
}

static FILE *open_page(const struct man *m, const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/man3/%s.3", m->out, name);
	f = fopen(path, "w");
	if (!f)
		die("%s: %s", path, strerror(errno));
	return f;
}

static void close_page(FILE *f)
{
	if (fflush(f) || ferror(f) || fclose(f))
		die("a page could not be written: %s", strerror(errno));
}

static void link_page(const struct man *m, const char *name, const char *page)
{
	FILE *f;

	if (!strcmp(name, page))
		return;
	f = open_page(m, name);
	fprintf(f, ".so man3/%s.3\n", page);
	close_page(f);
}

static void link_row(const struct man *m, struct man_row *r, const char *page)
{
	char name[256];

	snprintf(name, sizeof(name), "%s%s", r->prefix, r->name);
	link_page(m, name, page);
	if (r->ctx) {
		snprintf(name, sizeof(name), "mori_shmem_ctx_%s", r->name);
		link_page(m, name, page);
	}
	if (r->used++)
		die("%s%s is on two pages", r->prefix, r->name);
}

static void print_row(const struct man *m, FILE *f, const struct man_row *r)
{
	char proto[1024];

	if (r->returns)
		snprintf(proto, sizeof(proto), "%s %s%s%s;", r->returns, r->prefix, r->name,
			 r->params);
	else
		header_prototype(m->header, r->name, proto, sizeof(proto));
	roff_prototype(f, proto);
}

/* Whether the host call @name is one of the words of @list. */
static int in_words(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = list; at && (at = strstr(at, name)); at += len) {
		if ((at == list || isspace((unsigned char)at[-1])) &&
		    (!at[len] || isspace((unsigned char)at[len])))
			return 1;
	}
	return 0;
}

/* Prints the prototypes of a page and makes a link for each of its names. */
static void print_synopsis(const struct man *m, FILE *f, const struct page *p)
{
	const char *family = "";
	int n = 0;

	fputs(".SH SYNOPSIS\n.nf\n.B #include <mori/shmem.h>\n.PP\n", f);
	for (size_t i = 0; i < N_ROWS; i++) {
		struct man_row *r = &rows[i];

		if (r->family) {
			family = r->family;
		} else if (p->calls ? !strcmp(family, "host") && in_words(p->calls, r->name) :
				      p->family && !strcmp(family, p->family)) {
			print_row(m, f, r);
			link_row(m, r, p->name);
			n++;
		}
	}
	fputs(".fi\n", f);
	if (!n && (p->calls || p->family))
		die("page %s has no names", p->name);
}

static void make_page(const struct man *m, char *text, const char *path)
{
	struct page p;
	FILE *f;

	page_parse(&p, text, path);
	f = open_page(m, p.name);
	fprintf(f, ".TH %s 3 \"\" \"MORI Shmem %s\" \"MORI Shmem\"\n", p.name, m->version);
	fputs(".nh\n.ad l\n", f); /* names are never hyphenated */
	fprintf(f, ".SH NAME\n%s \\- %s\n", p.name, p.brief);
	print_synopsis(m, f, &p);
	if (p.alias)
		link_page(m, p.alias, p.name);
	roff_body(f, &p, m->header);
	roff_see(f, p.see);
	close_page(f);
}

static int is_text(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return dot && !strcmp(dot, ".txt");
}

static void make_dir(const char *path)
{
	if (mkdir(path, 0777) && errno != EEXIST)
		die("%s: %s", path, strerror(errno));
}

int main(int argc, char **argv)
{
	struct man m;
	struct dirent **files;
	char path[4096];
	int n;

	if (argc != 5)
		die("usage: mori-man OUTDIR TEXTDIR SHMEM_H VERSION");
	m = (struct man){ .out = argv[1], .header = read_text(argv[3]), .version = argv[4] };
	make_dir(m.out);
	snprintf(path, sizeof(path), "%s/man3", m.out);
	make_dir(path);
	n = scandir(argv[2], &files, is_text, alphasort);
	if (n <= 0)
		die("no texts in %s", argv[2]);
	for (int i = 0; i < n; i++) {
		char *text;

		snprintf(path, sizeof(path), "%s/%s", argv[2], files[i]->d_name);
		text = read_text(path);
		make_page(&m, text, path);
		free(text);
		free(files[i]);
	}
	free(files);
	free(m.header);
	for (size_t i = 0; i < N_ROWS; i++) {
		if (!rows[i].family && !rows[i].used)
			die("no page claims %s%s", rows[i].prefix, rows[i].name);
	}
	return 0;
}
