// SPDX-License-Identifier: MIT
/*
 * What the parts of the `mori` command share: its commands and how they speak of
 * wrong use.
 */
#ifndef MORI_TOOLS_CMD_H
#define MORI_TOOLS_CMD_H

#include <getopt.h>

#define CMD_USAGE 2 /* exit code for wrong use */

/* Each takes its own name as argv[0] and returns an exit code. */
int cmd_run(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_cc(int argc, char **argv);
int cmd_perf(int argc, char **argv); /* in bench/ */

/* "mori <argv[0]>: text" and a line break on standard error. */
void cmd_error(const char *cmd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Say why getopt_long() gave @c ('?' or ':') and what option may have been meant.
 * Returns CMD_USAGE.
 */
int cmd_bad_option(const char *cmd, int c, char **argv, const struct option *options);

/* Is @name near enough to @word to be offered for it? Smaller is nearer; -1 for no. */
int cmd_distance(const char *word, const char *name);

#endif
