// SPDX-License-Identifier: MIT
/*
 * The `mori` command: picks the command by its name. Exit code 2 is wrong use,
 * everywhere; all else belongs to the command.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mori/cmd.h"

#ifndef MORI_VERSION
#define MORI_VERSION "unknown" /* set by the build */
#endif

const struct command *const commands[] = {
	&mori_run, &mori_info, &mori_cc, &mori_emu, &mori_perf, &mori_completion, NULL,
};

void cmd_error(const char *cmd, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	/* One write, so that it stays whole between lines of PEs. */
	fprintf(stderr, "mori%s%s: %s\n", cmd ? " " : "", cmd ? cmd : "", text);
}

int cmd_distance(const char *word, const char *name)
{
	size_t len = strlen(name);
	int row[64];

	if (len >= 64)
		return -1;
	for (size_t j = 0; j <= len; j++)
		row[j] = (int)j;
	for (int i = 0; word[i]; i++) {
		int diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 1; j <= len; j++) {
			int best = diagonal + (word[i] != name[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[len] <= 1 + (int)len / 3 ? row[len] : -1;
}

/* The long option most similar to @word ("--name" or "--name=value"), or NULL. */
static const char *nearest_option(const char *word, const struct option *options)
{
	const char *best = NULL;
	char name[64];
	int least = 0;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	for (; options->name; options++) {
		int d = cmd_distance(name, options->name);

		if (d >= 0 && (!best || d < least)) {
			best = options->name;
			least = d;
		}
	}
	return best;
}

int cmd_bad_option(const char *cmd, int c, char **argv, const struct option *options)
{
	const char *word = argv[optind - 1];
	const char *near = !strncmp(word, "--", 2) ? nearest_option(word, options) : NULL;

	if (c == ':')
		cmd_error(cmd, "%s needs a value (mori %s --help)", word, cmd);
	else if (near && !strncmp(word + 2, near, strlen(near)) && word[2 + strlen(near)] == '=')
		cmd_error(cmd, "--%s takes no value", near);
	else if (near)
		cmd_error(cmd, "unknown option %s; did you mean --%s?", word, near);
	else if (!strncmp(word, "--", 2))
		cmd_error(cmd, "unknown option %s (mori %s --help)", word, cmd);
	else
		cmd_error(cmd, "unknown option -%c (mori %s --help)", optopt, cmd);
	return CMD_USAGE;
}

static void print_help(void)
{
	printf("usage: mori <command> [options]\n\n");
	for (size_t i = 0; commands[i]; i++)
		printf("  %-12s%s\n", commands[i]->name, commands[i]->help);
	printf("\n  --help      this text; mori <command> --help for a command\n"
	       "  --version   the version of the command and its library\n"
	       "\nFirst steps:\n"
	       "  mori info                what is here\n"
	       "  mori run -n 4 ./program  a job of four PEs\n");
}

static int unknown_command(const char *word)
{
	const struct command *best = NULL;
	int least = 0;

	for (size_t i = 0; commands[i]; i++) {
		int d = cmd_distance(word, commands[i]->name);

		if (d >= 0 && (!best || d < least)) {
			best = commands[i];
			least = d;
		}
	}
	if (best)
		cmd_error(NULL, "unknown command '%s'; did you mean '%s'?", word, best->name);
	else
		cmd_error(NULL, "unknown command '%s' (mori --help lists them)", word);
	return CMD_USAGE;
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;

	if (!word) {
		print_help();
		return CMD_USAGE;
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help")) {
		print_help();
		return 0;
	}
	if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		printf("mori %s\n", MORI_VERSION);
		return 0;
	}
	for (size_t i = 0; commands[i]; i++) {
		if (!strcmp(word, commands[i]->name))
			return commands[i]->run(argc - 1, argv + 1);
	}
	if (word[0] == '-') {
		cmd_error(NULL, "unknown option %s (mori --help)", word);
		return CMD_USAGE;
	}
	return unknown_command(word);
}
