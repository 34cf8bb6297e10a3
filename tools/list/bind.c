// SPDX-License-Identifier: MIT
/*
 * mori-bind: the calls of the Python extension, as C that python/src/op.c includes. For every
 * operation of the list and every plain host call of the public header it writes a
 * function that takes its arguments from an array, and a row that describes them.
 * The compiler checks each against the real prototype. Calls with arguments that are
 * not plain values (a struct to fill, an array, a function) get no row: the
 * extension implements those by hand.
 *
 * usage: mori-bind SHMEM_H
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/shmem_list.h"

#include "man.h"

struct bind_row {
	const char *family; /* of the rows that follow; the rest is NULL then */
	const char *name;
	const char *returns, *params; /* NULL: taken from the header */
	int status;		      /* it returns a status, not a value */
};

#define OP(ret, name, params, status)  OP_(ret, name, params, status)
#define OP_(ret, name, params, status) { NULL, #name, #ret, #params, status },

#define FAMILY(id, list)		    { #id, NULL, NULL, NULL, 0 }, list
#define STATUS(name, params, call)	    OP(int, name, params, 1)
#define VALUE(ret, bad, name, params, call) OP(ret, name, params, 0)
#define STATUS0(name, call)		    OP(int, name, (void), 1)
#define VALUE0(ret, bad, name, call)	    OP(ret, name, (void), 0)
#define HOST(name)			    { NULL, #name, NULL, NULL, 0 },

/* clang-format off */
static const struct bind_row rows[] = {
	{ "host", NULL, NULL, NULL, 0 },
	MORI_HOST_CALLS(HOST)
	MORI_HOST_FAMILIES(FAMILY, STATUS, VALUE, STATUS0, VALUE0)
};
/* clang-format on */

#define N_ROWS	  (sizeof(rows) / sizeof(rows[0]))
#define ARGS_MAX  16
#define TEXT_SIZE 1024

struct arg {
	char type[64], name[64];
};

/* A call, split into its parts. */
struct call {
	const char *family;
	char name[128]; /* without mori_shmem_ */
	char returns[64];
	int status;
	int n;
	struct arg args[ARGS_MAX];
};

void die(const char *fmt, ...)
{
	va_list ap;

	fputs("mori-bind: ", stderr);
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

/* Copies @from up to @end without surrounding blanks. */
static void copy_trimmed(char *out, size_t size, const char *from, const char *end)
{
	while (from < end && isspace((unsigned char)*from))
		from++;
	while (end > from && isspace((unsigned char)end[-1]))
		end--;
	if ((size_t)(end - from) >= size)
		die("too long: %.*s", (int)(end - from), from);
	memcpy(out, from, (size_t)(end - from));
	out[end - from] = '\0';
}

/* "const void *src": the name is the last word. */
static void cut_arg(struct arg *a, const char *from, const char *end)
{
	const char *name = end;

	while (isspace((unsigned char)end[-1]))
		end--;
	for (name = end; name > from && (isalnum((unsigned char)name[-1]) || name[-1] == '_');)
		name--;
	copy_trimmed(a->name, sizeof(a->name), name, end);
	copy_trimmed(a->type, sizeof(a->type), from, name);
}

/* "(int pe, int qp)". */
static void cut_params(struct call *c, const char *params)
{
	const char *at = params + 1, *end = strrchr(params, ')');

	if (!strcmp(params, "(void)"))
		return;
	while (at < end) {
		const char *comma = strchr(at, ',');

		if (c->n == ARGS_MAX)
			die("%s has more than %d parameters", c->name, ARGS_MAX);
		if (!comma || comma > end)
			comma = end;
		cut_arg(&c->args[c->n++], at, comma);
		at = comma + 1;
	}
}

/* Whether all arguments fit a word: no function, array, or pointer to a pointer or a struct. */
static int is_plain(const struct call *c)
{
	if (!strcmp(c->name, "take_error")) /* the extension calls it after every call */
		return 0;
	for (int i = 0; i < c->n; i++) {
		const struct arg *a = &c->args[i];
		int is_struct = strstr(a->type, "mori_shmem_") != NULL;

		if (!a->name[0] || !a->type[0] || strstr(a->type, "**") ||
		    strpbrk(a->type, "()[]") || strstr(a->type, "_fn"))
			return 0;
		if (is_struct && strcmp(a->type, "mori_shmem_memobj_t") != 0 &&
		    strcmp(a->type, "mori_shmem_team_t") != 0 &&
		    strcmp(a->type, "mori_shmem_t *") != 0 &&
		    strcmp(a->type, "mori_shmem_module_t *") != 0)
			return 0;
		if (!strcmp(c->family, "host") && !strcmp(a->type, "uint64_t *") &&
		    !strcmp(a->name, "ctx"))
			return 0;
	}
	return 1;
}

static const char *kind_of(const char *type)
{
	if (!strcmp(type, "mori_shmem_memobj_t"))
		return "ARG_OBJECT";
	if (strchr(type, '*'))
		return strncmp(type, "const ", 6) ? "ARG_POINTER" : "ARG_CONST_POINTER";
	return strcmp(type, "float") && strcmp(type, "double") ? "ARG_INT" : "ARG_REAL";
}

/* The size of one element at a pointer, as C; "0" if it is not memory of the user. */
static const char *size_behind(const struct arg *a)
{
	static char text[96];

	if (!strchr(a->type, '*') || strstr(a->type, "mori_shmem_") || !strcmp(a->name, "stream") ||
	    !strcmp(a->name, "ptr") || !strcmp(a->name, "module"))
		return "0";
	if (!strcmp(a->name, "sig"))
		return "8";
	if (strstr(a->type, "void"))
		return "1";
	snprintf(text, sizeof(text), "sizeof(*(%s)0)", a->type);
	return text;
}

/* What is behind a pointer, as op_arg.element has it. */
static char element_behind(const struct arg *a)
{
	if (!strcmp(size_behind(a), "0"))
		return 0;
	if (!strcmp(a->name, "sig"))
		return 'i';
	if (strstr(a->type, "void"))
		return 0;
	return strstr(a->type, "float") || strstr(a->type, "double") ? 'f' : 'i';
}

/* Where in the array of values the @i-th argument starts: an object takes three. */
static void print_value(const struct arg *a, int at)
{
	if (!strcmp(a->type, "mori_shmem_memobj_t"))
		printf("{ v[%d].u, v[%d].u, v[%d].u }", at, at + 1, at + 2);
	else if (strchr(a->type, '*'))
		printf("v[%d].p", at);
	else
		printf("(%s)v[%d].%s", a->type, at,
		       !strcmp(kind_of(a->type), "ARG_REAL") ? "d" : "i");
}

static void print_thunk(const struct call *c)
{
	int at = 0;
	int real = !strcmp(c->returns, "float") || !strcmp(c->returns, "double");

	printf("static void run_%s(const union value *v, union value *r)\n{\n", c->name);
	for (int i = 0; i < c->n; i++) {
		printf("\t%s a%d = ", c->args[i].type, i);
		print_value(&c->args[i], at);
		puts(";");
		at += strcmp(c->args[i].type, "mori_shmem_memobj_t") ? 1 : 3;
	}
	if (!at)
		puts("\t(void)v;");
	printf("\tr->%s = mori_shmem_%s(",
	       real		       ? "d" :
	       strchr(c->returns, '*') ? "s" :
					 "i",
	       c->name);
	for (int i = 0; i < c->n; i++)
		printf("%sa%d", i ? ", " : "", i);
	puts(");\n}");
	printf("static const struct op_arg args_%s[] = {\n", c->name);
	for (int i = 0; i < c->n; i++) {
		const struct arg *a = &c->args[i];
		const char *kind = kind_of(a->type);

		printf("\t{ \"%s\", \"%s\", %s, ", a->name, a->type, kind);
		if (!strcmp(kind, "ARG_INT"))
			printf("sizeof(%s), IS_SIGNED(%s), 0 },\n", a->type, a->type);
		else
			printf("%s, 0, %d },\n", size_behind(a), element_behind(a));
	}
	puts("\t{ 0 }\n};");
}

static void print_row(const struct call *c)
{
	const char *kind = "RET_INT";

	if (c->status)
		kind = "RET_STATUS";
	else if (!strcmp(c->returns, "const char *"))
		kind = "RET_TEXT";
	else if (strchr(c->returns, '*'))
		kind = "RET_POINTER";
	else if (!strcmp(c->returns, "float") || !strcmp(c->returns, "double"))
		kind = "RET_REAL";
	printf("\t{ \"%s\", \"%s\", \"%s\", run_%s, args_%s, %d, %s, ", c->name, c->family,
	       c->returns, c->name, c->name, c->n, kind);
	printf(strcmp(kind, "RET_INT") ? "0 },\n" : "IS_SIGNED(%s) },\n", c->returns);
}

/* 0 if the extension cannot have it this way. */
static int cut_row(struct call *c, const struct bind_row *r, const char *family, const char *header)
{
	char proto[TEXT_SIZE];
	const char *open, *name;

	memset(c, 0, sizeof(*c));
	c->family = family;
	snprintf(c->name, sizeof(c->name), "%s", r->name);
	if (r->returns) {
		snprintf(c->returns, sizeof(c->returns), "%s", r->returns);
		c->status = r->status;
		cut_params(c, r->params);
		return is_plain(c);
	}
	header_prototype(header, r->name, proto, sizeof(proto));
	open = strchr(proto, '(');
	name = open ? strstr(proto, "mori_shmem_") : NULL;
	if (name && name < open && !strncmp(name, "mori_shmem_t ", 13)) /* what it returns */
		name = strstr(name + 1, "mori_shmem_");
	if (!name)
		die("cannot read the declaration of mori_shmem_%s", r->name);
	copy_trimmed(c->returns, sizeof(c->returns), proto, name);
	c->status = !strcmp(c->returns, "int");
	proto[strlen(proto) - 1] = '\0'; /* the semicolon */
	cut_params(c, open);
	return is_plain(c);
}

static void with_context(struct call *c)
{
	char name[sizeof(c->name)];

	if (c->n == ARGS_MAX)
		die("%s has more than %d parameters", c->name, ARGS_MAX);
	memmove(c->args + 1, c->args, (size_t)c->n * sizeof(c->args[0]));
	snprintf(c->args[0].type, sizeof(c->args[0].type), "uint64_t");
	snprintf(c->args[0].name, sizeof(c->args[0].name), "ctx");
	c->n++;
	memcpy(name, c->name, sizeof(name));
	if (snprintf(c->name, sizeof(c->name), "ctx_%s", name) >= (int)sizeof(c->name))
		die("%s is too long", name);
}

static void print_all(const char *header, void (*print)(const struct call *))
{
	const char *family = "";
	struct call c;

	for (size_t i = 0; i < N_ROWS; i++) {
		if (rows[i].family) {
			family = rows[i].family;
			continue;
		}
		if (!cut_row(&c, &rows[i], family, header))
			continue;
		print(&c);
		if (rows[i].returns) {
			with_context(&c);
			print(&c);
		}
	}
}

int main(int argc, char **argv)
{
	char *header;

	if (argc != 2)
		die("usage: mori-bind SHMEM_H");
	header = read_text(argv[1]);
	puts("/* Made by mori-bind from the list of operations and the public header. */");
	print_all(header, print_thunk);
	puts("static const struct op ops[] = {");
	print_all(header, print_row);
	puts("};");
	free(header);
	if (fflush(stdout) || ferror(stdout))
		die("%s", strerror(errno));
	return 0;
}
