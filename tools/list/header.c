// SPDX-License-Identifier: MIT
/*
 * The files of the tree that are made from the list, in a form that people, editors and grep can
 * read: the prototypes for the public headers, and the number of each operation.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"

static const char header_notice[] = "// SPDX-License-Identifier: MIT\n"
				    "/* generated from src/ops/shmem_list.h: run make generate */\n"
				    "/* clang-format off */\n";

static void header_op(const struct list_row *r, const char *export)
{
	const char *params = strcmp(r->params, "()") ? r->params : "(void)";
	const char *gap = r->returns[strlen(r->returns) - 1] == '*' ? "" : " ";

	fputs("/** ", stdout);
	text_print(r);
	printf(" */\n%s", export);
	list_print_text(r->returns);
	printf("%s%s%s", gap, list_prefix(r), r->name);
	list_print_text(params);
	puts(";");
	if (r->kind != LIST_OP)
		return;
	printf("/** mori_shmem_%s() for the PE whose state is @ctx: see mori_shmem_device_state(). "
	       "*/\n"
	       "%s%s%smori_shmem_ctx_%s(uint64_t ctx",
	       r->name, export, r->returns, gap, r->name);
	if (!strcmp(r->params, "()")) {
		puts(");");
		return;
	}
	fputs(", ", stdout);
	list_print_text(params + 1);
	puts(";");
}

void header_print(const struct list_row *rows, size_t n, int device)
{
	const char *guard = device ? "MORI_SHMEM_DEVICE_OPS_H" : "MORI_SHMEM_OPS_H";

	fputs(header_notice, stdout);
	printf("/*\n"
	       " * The operations %s. <mori/%s> includes this file.\n"
	       " * docs/operations.md says more about each family, docs/memory-model.md about "
	       "order.\n"
	       " */\n"
	       "#ifndef %s\n#define %s\n\n#include <mori/shmem_types.h>\n\n"
	       "#ifdef __cplusplus\nextern \"C\" {\n#endif\n",
	       device ? "that kernels can call, in thread, warp and block scope" :
			"that a host thread can call",
	       device ? "shmem_device.h" : "shmem.h", guard, guard);
	for (size_t i = 0; i < n; i++) { /* calls of the host alone are declared by hand */
		const struct list_row *r = &rows[i];

		if (r->kind == LIST_FAMILY && r[1].kind != LIST_HOST)
			printf("\n/* Family: %s */\n\n", r->name);
		else if (r->kind == LIST_OP || r->kind == LIST_GRID)
			header_op(r, device ? "" : "MORI_SHMEM_EXPORT ");
	}
	puts("\n#ifdef __cplusplus\n}\n#endif\n#endif");
}

/* Operations of earlier versions, by number. */
#define NUMBERS_MAX 65536
static char *header_numbered[NUMBERS_MAX];
static unsigned header_largest;

static void header_read_numbers(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[512], name[128];
	unsigned number;

	if (!f)
		die("%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, " DEV_OP_%127[a-z_0-9] = %u,", name, &number) != 2)
			continue;
		if (number >= NUMBERS_MAX || header_numbered[number])
			die("%s: the number %u of %s is too large or taken", path, number, name);
		header_numbered[number] = strdup(name);
		if (number > header_largest)
			header_largest = number;
	}
	fclose(f);
}

static const struct list_row *header_find(const char *name)
{
	for (size_t i = 0; i < list_n_device; i++) {
		if (list_device[i].kind == LIST_OP && !strcmp(list_device[i].name, name))
			return &list_device[i];
	}
	return NULL;
}

/* The list's operations that have no number yet get the next ones, in the list's order. */
static void header_add_numbers(void)
{
	for (size_t i = 0; i < list_n_device; i++) {
		unsigned number = 1;

		if (list_device[i].kind != LIST_OP)
			continue;
		while (number <= header_largest &&
		       (!header_numbered[number] ||
			strcmp(header_numbered[number], list_device[i].name) != 0))
			number++;
		if (number <= header_largest)
			continue;
		header_numbered[++header_largest] = strdup(list_device[i].name);
		if (header_largest + 1 >= NUMBERS_MAX)
			die("too many operations");
	}
}

void header_print_numbers(const char *path)
{
	char body[64];

	header_read_numbers(path);
	header_add_numbers();
	fputs(header_notice, stdout);
	puts("/*\n"
	     " * The number of every operation, by which kernels name the one that failed, and "
	     "the\n"
	     " * function of src/dev that implements it. Numbers are part of the ABI: an operation "
	     "keeps\n"
	     " * its own for ever, and a new one gets the next.\n"
	     " */\n"
	     "#ifndef MORI_ABI_OPCODES_H\n#define MORI_ABI_OPCODES_H\n\nenum dev_op "
	     "{\n\tDEV_OP_NONE = 0,");
	for (unsigned i = 1; i <= header_largest; i++) {
		const struct list_row *r;

		if (!header_numbered[i])
			continue;
		r = header_find(header_numbered[i]);
		printf("\tDEV_OP_%s = %u, /* ", header_numbered[i], i);
		if (r) {
			list_call_arg(r, 0, body, sizeof(body));
			printf("%s%s(): dev_%s()", list_prefix(r), r->name, body);
		} else {
			fputs("no longer an operation", stdout);
		}
		puts(" */");
	}
	printf("\tDEV_OP_COUNT = %u,\n};\n\n#endif\n", header_largest + 1);
}
