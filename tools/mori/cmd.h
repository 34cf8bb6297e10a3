// SPDX-License-Identifier: MIT
/*
 * What the parts of the `mori` command share: its commands, their options, and how they
 * report wrong use. An option is in one table only, from which getopt's tables, the
 * help and the completions of shells are made.
 */
#ifndef MORI_TOOLS_CMD_H
#define MORI_TOOLS_CMD_H

#include <getopt.h>
#include <stddef.h>

#define CMD_USAGE 2 /* exit code for wrong use */

/* The values an argument may have: words, separated by blanks, or one of these. NULL: any. */
#define CMD_FILE    "@file"
#define CMD_DIR	    "@dir"
#define CMD_PROGRAM "@program" /* and then its own arguments */
#define CMD_KERNEL  "@kernel"  /* a source for mori cc */

struct cmd_option {
	const char *name;   /* without the dashes; NULL: it has a letter only */
	int code;	    /* what getopt_long() gives; a letter is its short form */
	const char *arg;    /* NULL: none; "[X]": one may follow; "X,...": several, with commas */
	const char *values; /* of the argument */
	const char *help;   /* lines */
};

static inline int cmd_has_letter(const struct cmd_option *o)
{
	return o->code < 256;
}

struct command {
	const char *name, *help;	   /* help: a line */
	int (*run)(int argc, char **argv); /* its own name is argv[0]; gives an exit code */
	const char *usage, *more;	   /* of its --help: lines before and after the options */
	const struct cmd_option *options;  /* ends with one without name and code */
	const char *operand;		   /* the arguments without a dash: see above; "": none */
};

extern const struct command mori_run, mori_info, mori_cc, mori_emu, mori_completion;
extern const struct command mori_perf;	       /* in bench/ */
extern const struct command *const commands[]; /* ends with NULL */

/* What getopt_long() wants. */
struct cmd_getopt {
	struct option longs[48];
	char shorts[128];
};

/* @first: what the short options start with, such as ":" or "+:". */
void cmd_getopt(const struct cmd_option *options, const char *first, struct cmd_getopt *out);
/* The help of a command. Gives an exit code. */
int cmd_help(const struct command *c);

/* "mori <cmd>: text" and a line break on standard error. */
void cmd_error(const char *cmd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Report why getopt_long() returned @c ('?' or ':') and which option may have been meant.
 * Returns CMD_USAGE.
 */
int cmd_bad_option(const char *cmd, int c, char **argv, const struct option *options);

/* Is @name similar enough to @word to be suggested? Smaller is more similar; -1 for no. */
int cmd_distance(const char *word, const char *name);

#endif
