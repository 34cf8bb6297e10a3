// SPDX-License-Identifier: MIT
/*
 * `mori info`: prints what mori_shmem_info() reports, and the tools `mori cc` would use, as
 * text, JSON, or the Markdown of docs/environment.md. Rows of section env named NAME.part are parts
 * of the variable NAME.
 */
#include <mori/shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mori/cc.h"
#include "mori/cmd.h"

struct row {
	char *section, *key, *value, *note; /* note may be NULL */
};

struct rows {
	struct row *row;
	size_t n, cap;
	int no_memory;
};

/* A variable of section env, put together from its rows. */
struct variable {
	const char *name, *value, *error;
	const char *source, *def, *allowed, *help; /* the last three NULL if it does not exist */
};

static void add_row(void *arg, const char *section, const char *key, const char *value,
		    const char *note)
{
	struct rows *rows = arg;
	struct row *r;

	if (rows->n == rows->cap) {
		size_t cap = 2 * rows->cap + 64;
		struct row *more = realloc(rows->row, cap * sizeof(*more));

		if (!more) {
			rows->no_memory = 1;
			return;
		}
		rows->row = more;
		rows->cap = cap;
	}
	r = &rows->row[rows->n];
	*r = (struct row){ strdup(section), strdup(key), strdup(value),
			   note ? strdup(note) : NULL };
	rows->n++;
	if (!r->section || !r->key || !r->value || (note && !r->note))
		rows->no_memory = 1;
}

static void free_rows(struct rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		free(rows->row[i].section);
		free(rows->row[i].key);
		free(rows->row[i].value);
		free(rows->row[i].note);
	}
	free(rows->row);
}

static int is_env(const struct row *r)
{
	return !strcmp(r->section, "env");
}

/* Take the variable that starts at row @i; the row after it. */
static size_t take_variable(const struct rows *rows, size_t i, struct variable *v)
{
	size_t len = strlen(rows->row[i].key);

	*v = (struct variable){ .name = rows->row[i].key,
				.value = rows->row[i].value,
				.error = rows->row[i].note };
	for (i++; i < rows->n; i++) {
		const struct row *r = &rows->row[i];
		const char *part = r->key + len + 1;

		if (strncmp(r->key, v->name, len) || r->key[len] != '.')
			break;
		if (!strcmp(part, "source"))
			v->source = r->value;
		else if (!strcmp(part, "default"))
			v->def = r->value;
		else if (!strcmp(part, "allowed"))
			v->allowed = r->value;
		else if (!strcmp(part, "help"))
			v->help = r->value;
	}
	return i;
}

static int is_set(const struct variable *v)
{
	return v->source && !strcmp(v->source, "environment");
}

/* A variable that does not exist stops init only if it is named like ours. */
static const char *trouble(const struct variable *v)
{
	if (!v->error)
		return "";
	return v->help || !strncmp(v->name, "MORI_SHMEM_", 11) ? "ERROR: " : "WARNING: ";
}

static void print_facts(const struct rows *rows)
{
	const char *section = "";

	for (size_t i = 0; i < rows->n; i++) {
		const struct row *r = &rows->row[i];

		if (is_env(r))
			continue;
		if (strcmp(section, r->section))
			printf("%s%s\n", *section ? "\n" : "", r->section);
		section = r->section;
		printf("  %-16s %s%s%s%s\n", r->key, r->value, r->note ? "  (" : "",
		       r->note ? r->note : "", r->note ? ")" : "");
	}
}

/* The variables that are set, after the facts; the rest is for --env. */
static void print_set(const struct rows *rows)
{
	struct variable v;
	int any = 0;

	printf("\nenv\n");
	for (size_t i = 0; i < rows->n;) {
		if (!is_env(&rows->row[i])) {
			i++;
			continue;
		}
		i = take_variable(rows, i, &v);
		if (!is_set(&v))
			continue;
		any = 1;
		printf("  %s=%s%s%s%s\n", v.name, v.value, v.error ? "  " : "", trouble(&v),
		       v.error ? v.error : "");
	}
	if (!any)
		printf("  no variable is set  (mori info --env lists them all)\n");
}

static void print_env(const struct rows *rows)
{
	struct variable v;

	for (size_t i = 0; i < rows->n;) {
		if (!is_env(&rows->row[i])) {
			i++;
			continue;
		}
		i = take_variable(rows, i, &v);
		printf("%s = %s  (%s)\n", v.name, *v.value ? v.value : "unset", v.source);
		if (v.error)
			printf("    %s%s\n", trouble(&v), v.error);
		if (v.help)
			printf("    %s\n    allowed: %s\n", v.help, v.allowed);
	}
}

/* Text of a table cell: "|" would end it. */
static void print_cell(const char *s)
{
	for (; *s; s++)
		printf(*s == '|' ? "\\|" : "%c", *s);
}

static void print_markdown(const struct rows *rows)
{
	struct variable v;

	printf("# Environment variables\n\n"
	       "Written by `mori info --env --markdown` from `src/core/options.def`; do not "
	       "edit.\n\n"
	       "A malformed value of any of these, or an unknown `MORI_SHMEM_*`, is an error at "
	       "init\n"
	       "that names it and what is allowed. An unknown other `MORI_*` is a warning. An "
	       "empty\n"
	       "value counts as unset. Words may be in any case. `mori info --env` shows the "
	       "values\n"
	       "in force.\n\n"
	       "| variable | default | allowed | meaning |\n|---|---|---|---|\n");
	for (size_t i = 0; i < rows->n;) {
		if (!is_env(&rows->row[i])) {
			i++;
			continue;
		}
		i = take_variable(rows, i, &v);
		if (!v.help || !v.def || !v.allowed) /* a variable that does not exist */
			continue;
		printf("| `%s` | ", v.name);
		print_cell(*v.def ? v.def : "unset");
		printf(" | ");
		print_cell(v.allowed);
		printf(" | ");
		print_cell(v.help);
		printf(" |\n");
	}
}

static void json_string(const char *s)
{
	if (!s) {
		printf("null");
		return;
	}
	putchar('"');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

static void json_field(const char *key, const char *value, const char *end)
{
	printf("\"%s\": ", key);
	json_string(value);
	printf("%s", end);
}

static void json_facts(const struct rows *rows)
{
	const char *section = "";

	for (size_t i = 0; i < rows->n; i++) {
		const struct row *r = &rows->row[i];

		if (is_env(r))
			continue;
		if (strcmp(section, r->section))
			printf("%s  \"%s\": [\n", *section ? "\n  ],\n" : "", r->section);
		else
			printf(",\n");
		section = r->section;
		printf("    {");
		json_field("key", r->key, ", ");
		json_field("value", r->value, ", ");
		json_field("note", r->note, "}");
	}
	printf("%s", *section ? "\n  ],\n" : "");
}

static void json_env(const struct rows *rows)
{
	const char *comma = "";
	struct variable v;

	printf("  \"env\": [");
	for (size_t i = 0; i < rows->n;) {
		if (!is_env(&rows->row[i])) {
			i++;
			continue;
		}
		i = take_variable(rows, i, &v);
		printf("%s\n    {", comma);
		comma = ",";
		json_field("name", v.name, ", ");
		json_field("value", v.value, ", ");
		json_field("source", v.source, ", ");
		json_field("default", v.def, ", ");
		json_field("allowed", v.allowed, ", ");
		json_field("help", v.help, ", ");
		json_field("error", v.error, "}");
	}
	printf("\n  ]\n");
}

static void print_rows(const struct rows *rows, int env, int json, int markdown)
{
	if (markdown) {
		print_markdown(rows);
	} else if (json) {
		printf("{\n");
		if (!env)
			json_facts(rows);
		json_env(rows);
		printf("}\n");
	} else if (env) {
		print_env(rows);
	} else {
		print_facts(rows);
		print_set(rows);
	}
}

enum { OPT_ENV = 256, OPT_JSON, OPT_MARKDOWN };

static const struct cmd_option options[] = {
	{ "env", OPT_ENV, NULL, NULL,
	  "every environment variable: value in force, meaning, what is allowed" },
	{ "json", OPT_JSON, NULL, NULL, "as JSON" },
	{ "markdown", OPT_MARKDOWN, NULL, NULL, "the table of variables as Markdown (with --env)" },
	{ "help", 'h', NULL, NULL, "this text" },
	{ 0 },
};

static int cmd_info(int argc, char **argv)
{
	int c, env = 0, json = 0, markdown = 0, err;
	struct rows rows = { 0 };
	struct cmd_getopt g;

	cmd_getopt(options, ":", &g);
	opterr = 0;
	while ((c = getopt_long(argc, argv, g.shorts, g.longs, NULL)) != -1) {
		if (c == '?' || c == ':')
			return cmd_bad_option("info", c, argv, g.longs);
		if (c == 'h')
			return cmd_help(&mori_info);
		env |= c == OPT_ENV;
		json |= c == OPT_JSON;
		markdown |= c == OPT_MARKDOWN;
	}
	if (optind < argc || (json && markdown) || (markdown && !env)) {
		if (optind < argc)
			cmd_error("info", "%s: no argument is expected", argv[optind]);
		else if (json)
			cmd_error("info", "--json and --markdown exclude each other");
		else
			cmd_error("info", "--markdown goes with --env");
		return CMD_USAGE;
	}
	err = mori_shmem_info(add_row, &rows);
	if (!err && !env)
		cc_info(add_row, &rows);
	if (err || rows.no_memory) {
		cmd_error("info", "%s", rows.no_memory ? "no memory" : mori_shmem_last_error());
		free_rows(&rows);
		return 1;
	}
	print_rows(&rows, env, json, markdown);
	free_rows(&rows);
	return fflush(stdout) ? 1 : 0;
}

const struct command mori_info = {
	.name = "info",
	.help = "what the library found here, and its environment variables",
	.run = cmd_info,
	.usage = "[--env] [--json | --markdown]\n"
		 "\n"
		 "What the library is and found on this machine, and why it uses no more.\n",
	.options = options,
	.operand = "",
};
