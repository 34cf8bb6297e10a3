// SPDX-License-Identifier: MIT
/* Makes getopt_long()'s tables and the help from the one table of a command's options. */
#include <stdio.h>
#include <string.h>

#include "mori/cmd.h"

static int argument_kind(const struct cmd_option *o)
{
	return !o->arg ? no_argument : *o->arg == '[' ? optional_argument : required_argument;
}

void cmd_getopt(const struct cmd_option *options, const char *first, struct cmd_getopt *out)
{
	static const char *const colons[] = { "", ":", "::" };
	size_t n = 0, at;

	memset(out, 0, sizeof(*out));
	at = (size_t)snprintf(out->shorts, sizeof(out->shorts), "%s", first);
	for (const struct cmd_option *o = options; o->code; o++) {
		int kind = argument_kind(o);

		if (o->name && n + 1 < sizeof(out->longs) / sizeof(out->longs[0]))
			out->longs[n++] = (struct option){ o->name, kind, NULL, o->code };
		if (cmd_has_letter(o))
			at += (size_t)snprintf(out->shorts + at, sizeof(out->shorts) - at, "%c%s",
					       o->code, colons[kind]);
	}
}

/* Prints "  -n, --np N" and returns its width. */
static int left_side(const struct cmd_option *o, char *text, size_t room)
{
	char letter[8] = "";

	if (cmd_has_letter(o))
		snprintf(letter, sizeof(letter), "-%c%s", o->code, o->name ? ", " : "");
	return snprintf(text, room, "  %s%s%s%s%s", *letter ? letter : "    ", o->name ? "--" : "",
			o->name ? o->name : "", o->arg && o->name ? " " : "", o->arg ? o->arg : "");
}

static void print_option(const struct cmd_option *o, int width)
{
	const char *line = o->help;
	char left[80];

	left_side(o, left, sizeof(left));
	for (; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		printf("%-*s  %.*s\n", width, left, (int)strcspn(line, "\n"), line);
		*left = '\0';
	}
}

int cmd_help(const struct command *c)
{
	char left[80];
	int width = 0;

	for (const struct cmd_option *o = c->options; o->code; o++) {
		int n = left_side(o, left, sizeof(left));

		width = n > width ? n : width;
	}
	printf("usage: mori %s %s\n", c->name, c->usage);
	for (const struct cmd_option *o = c->options; o->code; o++)
		print_option(o, width);
	if (c->more)
		printf("\n%s", c->more);
	return fflush(stdout) ? 1 : 0;
}
