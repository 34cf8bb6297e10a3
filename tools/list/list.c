// SPDX-License-Identifier: MIT
/*
 * mori-list: what <mori/shmem_list.h> lists, as text for other tools. The
 * library's version script is made by it, and tests compare the built library
 * and the headers with it. Every name comes from the list; none is written here.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <mori/shmem_list.h>

enum kind { KIND_FAMILY, KIND_HOST, KIND_OP, KIND_GRID };

/* A family row carries its id in @name and stands before the rows of its operations. */
struct row {
	enum kind kind;
	int acquires;	     /* MORI_ACQUIRES() */
	const char *name;    /* operations and host calls lack the prefix mori_shmem_ */
	const char *returns; /* NULL for host calls: the header declares them one by one */
	const char *params;  /* in parentheses; "()" for none; NULL for host calls */
};

/* Two steps each, so that macros inside the parameters are expanded before they become text. */
#define OP(ret, name, params, call)  OP_(ret, name, params, call)
#define OP_(ret, name, params, call) { KIND_OP, MORI_ACQUIRES(call), #name, #ret, #params },

#define FAMILY(id, list)		    { KIND_FAMILY, 0, #id, NULL, NULL }, list
#define STATUS(name, params, call)	    OP(int, name, params, call)
#define VALUE(ret, bad, name, params, call) OP(ret, name, params, call)
#define STATUS0(name, call)		    OP(int, name, (), call)
#define VALUE0(ret, bad, name, call)	    OP(ret, name, (), call)
#define GRID(ret, name)			    { KIND_GRID, 0, #name, #ret, "()" },
#define HOST(name)			    { KIND_HOST, 0, #name, NULL, NULL },

/* Laid out by hand: the lists bring their own commas. */
/* clang-format off */
static const struct row rows[] = {
	{ KIND_FAMILY, 0, "host", NULL, NULL },
	MORI_HOST_CALLS(HOST)
	MORI_HOST_FAMILIES(FAMILY, STATUS, VALUE, STATUS0, VALUE0)
	{ KIND_FAMILY, 0, "grid", NULL, NULL },
	MORI_GRID_OPS(GRID)
};
static const struct row device_rows[] = {
	MORI_DEVICE_FAMILIES(FAMILY, STATUS, VALUE, STATUS0, VALUE0)
	{ KIND_FAMILY, 0, "grid", NULL, NULL },
	MORI_GRID_OPS(GRID)
};
/* clang-format on */

#define N_ROWS	      (sizeof(rows) / sizeof(rows[0]))
#define N_DEVICE_ROWS (sizeof(device_rows) / sizeof(device_rows[0]))

static const char *prefix(const struct row *r)
{
	return r->kind == KIND_GRID ? "" : "mori_shmem_";
}

/* One line a symbol: the name with @before and @after around it. */
static void print_symbols(const struct row *r, size_t n, const char *before, const char *after)
{
	for (const struct row *end = r + n; r < end; r++) {
		if (r->kind == KIND_FAMILY)
			continue;
		printf("%s%s%s%s\n", before, prefix(r), r->name, after);
		if (r->kind == KIND_OP)
			printf("%smori_shmem_ctx_%s%s\n", before, r->name, after);
	}
}

static void print_map(void)
{
	puts("MORI_SHMEM_0 {\nglobal:");
	print_symbols(rows, N_ROWS, "\t", ";");
	puts("local:\n\t*;\n};");
}

static size_t count_symbols(void)
{
	size_t n = 0;

	for (size_t i = 0; i < N_ROWS; i++)
		n += rows[i].kind == KIND_FAMILY ? 0 : rows[i].kind == KIND_OP ? 2 : 1;
	return n;
}

/* The families of one value and of waits act for a thread although their names do not say so. */
static const char *scope(const struct row *r, const char *family)
{
	if (r->kind != KIND_OP)
		return r->kind == KIND_GRID ? "grid" : "host";
	if (strstr(r->name, "_block"))
		return "block";
	if (strstr(r->name, "_warp"))
		return "warp";
	if (strstr(r->name, "_thread") || !strcmp(family, "value") || !strcmp(family, "wait"))
		return "thread";
	return "none";
}

/*
 * The list writes "type * dest" where the type is a macro's parameter; readers
 * get "type *dest". It holds neither quotes nor backslashes: nothing to escape.
 */
static void print_text(const char *text)
{
	for (const char *c = text; *c; c++)
		if (c == text || *c != ' ' || c[-1] != '*')
			putchar(*c);
}

static void print_json_field(const char *key, const char *value)
{
	printf(", \"%s\": ", key);
	if (!value) {
		fputs("null", stdout);
		return;
	}
	putchar('"');
	print_text(value);
	putchar('"');
}

static void print_json(void)
{
	const char *family = "", *sep = "[\n";

	for (size_t i = 0; i < N_ROWS; i++) {
		const struct row *r = &rows[i];

		if (r->kind == KIND_FAMILY) {
			family = r->name;
			continue;
		}
		printf("%s  {\"name\": \"%s%s\"", sep, prefix(r), r->name);
		print_json_field("family", family);
		print_json_field("returns", r->returns);
		print_json_field("params", r->params);
		print_json_field("scope", scope(r, family));
		printf(", \"acquires\": %s", r->acquires ? "true" : "false");
		printf(", \"ctx\": %s}", r->kind == KIND_OP ? "true" : "false");
		sep = ",\n";
	}
	puts("\n]");
}

/* What kernels can call, for python/mori/ir: one line a function, without the ctx forms. */
static void print_python(void)
{
	const char *family = "";

	puts("# SPDX-License-Identifier: MIT\n"
	     "# Made by mori-list --python from include/mori/shmem_list.h; a test compares them.\n"
	     "\"\"\"The device library as text: family, scope, whether it acquires, and prototype "
	     "of each "
	     "function,\nwithout the prefix mori_shmem_ and without the forms that take a "
	     "context.\"\"\"\n\n"
	     "PROTOTYPES = \"\"\"\\");
	for (size_t i = 0; i < N_DEVICE_ROWS; i++) {
		const struct row *r = &device_rows[i];

		if (r->kind == KIND_FAMILY) {
			family = r->name;
			continue;
		}
		printf("%s %s %s %s %s", family, scope(r, family), r->acquires ? "acquires" : "-",
		       r->returns, r->name);
		print_text(r->params);
		putchar('\n');
	}
	puts("\"\"\"");
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";

	if (!strcmp(what, "--map")) {
		print_map();
	} else if (!strcmp(what, "--names")) {
		print_symbols(rows, N_ROWS, "", "");
	} else if (!strcmp(what, "--device-names")) {
		print_symbols(device_rows, N_DEVICE_ROWS, "", "");
	} else if (!strcmp(what, "--json")) {
		print_json();
	} else if (!strcmp(what, "--python")) {
		print_python();
	} else if (!strcmp(what, "--count")) {
		printf("%zu\n", count_symbols());
	} else {
		fputs("usage: mori-list --map | --names | --device-names | --json | --python | "
		      "--count\n"
		      "Prints the symbols of libmori_shmem, or of the device library, from the "
		      "one\n"
		      "list of operations.\n",
		      stderr);
		return 2;
	}
	if (fflush(stdout) || ferror(stdout)) {
		perror("mori-list");
		return 1;
	}
	return 0;
}
