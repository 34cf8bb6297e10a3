// SPDX-License-Identifier: MIT
/*
 * mori-list: the list of operations as text for other tools. It makes the version script of the
 * library and the files of the tree that `make generate` writes; tests compare the built library
 * and the headers with it. Every name comes from the list; none is written here.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ops/shmem_list.h"

#include "list.h"

/* Two steps each, so that macros inside the parameters are expanded before they become text. */
#define OP(ret, name, params, call, status) OP_(ret, name, params, call, status)
#define OP_(ret, name, params, call, status)                                                       \
	{ LIST_OP, MORI_ACQUIRES(call), #name, #ret, #params, #call, status },

#define FAMILY(id, list)		    { LIST_FAMILY, 0, #id, NULL, NULL, NULL, 0 }, list
#define STATUS(name, params, call)	    OP(int, name, params, call, 1)
#define VALUE(ret, bad, name, params, call) OP(ret, name, params, call, 0)
#define STATUS0(name, call)		    OP(int, name, (), call, 1)
#define VALUE0(ret, bad, name, call)	    OP(ret, name, (), call, 0)
#define GRID(ret, name)			    { LIST_GRID, 0, #name, #ret, "()", NULL, 0 },
#define HOST(name)			    { LIST_HOST, 0, #name, NULL, NULL, NULL, 0 },

/* Laid out by hand: the lists bring their own commas. */
/* clang-format off */
const struct list_row list_host[] = {
	{ LIST_FAMILY, 0, "host", NULL, NULL, NULL, 0 },
	MORI_HOST_CALLS(HOST)
	MORI_HOST_FAMILIES(FAMILY, STATUS, VALUE, STATUS0, VALUE0)
	{ LIST_FAMILY, 0, "grid", NULL, NULL, NULL, 0 },
	MORI_GRID_OPS(GRID)
};
const struct list_row list_device[] = {
	MORI_DEVICE_FAMILIES(FAMILY, STATUS, VALUE, STATUS0, VALUE0)
	{ LIST_FAMILY, 0, "grid", NULL, NULL, NULL, 0 },
	MORI_GRID_OPS(GRID)
};
/* clang-format on */

const size_t list_n_host = sizeof(list_host) / sizeof(list_host[0]);
const size_t list_n_device = sizeof(list_device) / sizeof(list_device[0]);

void die(const char *fmt, ...)
{
	va_list ap;

	fputs("mori-list: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

const char *list_prefix(const struct list_row *r)
{
	return r->kind == LIST_GRID ? "" : "mori_shmem_";
}

/* One line per symbol: the name with @before and @after around it. */
static void print_symbols(const struct list_row *r, size_t n, const char *before, const char *after)
{
	for (const struct list_row *end = r + n; r < end; r++) {
		if (r->kind == LIST_FAMILY)
			continue;
		printf("%s%s%s%s\n", before, list_prefix(r), r->name, after);
		if (r->kind == LIST_OP)
			printf("%smori_shmem_ctx_%s%s\n", before, r->name, after);
	}
}

static void print_map(void)
{
	puts("MORI_SHMEM_0 {\nglobal:");
	print_symbols(list_host, list_n_host, "\t", ";");
	puts("local:\n\t*;\n};");
	/* For `mori run`: src/boot/launcher.h. */
	puts("MORI_PRIVATE {\nglobal:\n\tmori_private_launcher;\n};");
}

static size_t count_symbols(void)
{
	size_t n = 0;

	for (size_t i = 0; i < list_n_host; i++)
		n += list_host[i].kind == LIST_FAMILY ? 0 : list_host[i].kind == LIST_OP ? 2 : 1;
	return n;
}

/* The families of one value and of waits act for a thread although their names do not say so. */
const char *list_scope(const struct list_row *r, const char *family)
{
	if (r->kind != LIST_OP)
		return r->kind == LIST_GRID ? "grid" : "host";
	if (strstr(r->name, "_block"))
		return "block";
	if (strstr(r->name, "_warp"))
		return "warp";
	if (strstr(r->name, "_thread") || !strcmp(family, "value") || !strcmp(family, "wait"))
		return "thread";
	return "none";
}

void list_print_text(const char *text)
{
	for (const char *c = text; *c; c++)
		if (c == text || *c != ' ' || c[-1] != '*')
			putchar(*c);
}

void list_call_arg(const struct list_row *r, int i, char *out, size_t size)
{
	int depth = 0;
	size_t n = 0;

	for (const char *c = r->call; c && *c && i >= 0; c++) {
		depth += (*c == '(') - (*c == ')');
		if (depth == 1 && *c == ',')
			i--;
		else if (!i && depth && *c != ' ' && !(depth == 1 && *c == '(') && n + 1 < size)
			out[n++] = *c;
	}
	out[n] = '\0';
}

static void print_json_field(const char *key, const char *value)
{
	printf(", \"%s\": ", key);
	if (!value) {
		fputs("null", stdout);
		return;
	}
	putchar('"');
	list_print_text(value);
	putchar('"');
}

static void print_json(void)
{
	const char *family = "", *sep = "[\n";

	for (size_t i = 0; i < list_n_host; i++) {
		const struct list_row *r = &list_host[i];

		if (r->kind == LIST_FAMILY) {
			family = r->name;
			continue;
		}
		printf("%s  {\"name\": \"%s%s\"", sep, list_prefix(r), r->name);
		print_json_field("family", family);
		print_json_field("returns", r->returns);
		print_json_field("params", r->params);
		print_json_field("scope", list_scope(r, family));
		printf(", \"acquires\": %s", r->acquires ? "true" : "false");
		printf(", \"ctx\": %s}", r->kind == LIST_OP ? "true" : "false");
		sep = ",\n";
	}
	puts("\n]");
}

/* What kernels can call, for python/mori/ir: one line per function, without the ctx forms. */
static void print_python(void)
{
	const char *family = "";

	puts("# SPDX-License-Identifier: MIT\n"
	     "# generated by mori-list --python from src/ops/shmem_list.h: run make generate\n"
	     "\"\"\"The device library as text: family, scope, whether it acquires, and prototype "
	     "of each "
	     "function,\nwithout the prefix mori_shmem_ and without the forms that take a "
	     "context.\"\"\"\n\n"
	     "PROTOTYPES = \"\"\"\\");
	for (size_t i = 0; i < list_n_device; i++) {
		const struct list_row *r = &list_device[i];

		if (r->kind == LIST_FAMILY) {
			family = r->name;
			continue;
		}
		printf("%s %s %s %s %s", family, list_scope(r, family),
		       r->acquires ? "acquires" : "-", r->returns, r->name);
		list_print_text(r->params);
		putchar('\n');
	}
	puts("\"\"\"");
}

static void usage(void)
{
	fputs("usage: mori-list --map | --names | --device-names | --json | --python | --count |\n"
	      "                 --host-header | --device-header | --typed-header | --numbers FILE\n"
	      "Prints the symbols of libmori_shmem, or of the device library, and files made from\n"
	      "the list of operations. Operations that FILE has numbered keep their numbers.\n",
	      stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 || argc == 3 ? argv[1] : "";

	if ((argc == 3) != !strcmp(what, "--numbers"))
		usage();
	else if (!strcmp(what, "--map"))
		print_map();
	else if (!strcmp(what, "--names"))
		print_symbols(list_host, list_n_host, "", "");
	else if (!strcmp(what, "--device-names"))
		print_symbols(list_device, list_n_device, "", "");
	else if (!strcmp(what, "--json"))
		print_json();
	else if (!strcmp(what, "--python"))
		print_python();
	else if (!strcmp(what, "--count"))
		printf("%zu\n", count_symbols());
	else if (!strcmp(what, "--host-header"))
		header_print(list_host, list_n_host, 0);
	else if (!strcmp(what, "--device-header"))
		header_print(list_device, list_n_device, 1);
	else if (!strcmp(what, "--typed-header"))
		typed_print();
	else if (!strcmp(what, "--numbers"))
		header_print_numbers(argv[2]);
	else
		usage();
	if (fflush(stdout) || ferror(stdout)) {
		perror("mori-list");
		return 1;
	}
	return 0;
}
