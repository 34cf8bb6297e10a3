// SPDX-License-Identifier: MIT
/*
 * Writes the maximum number of threads per block into a kernel's PTX: the final compiler then
 * limits the registers to what that many threads can have. LLVM has no option for this.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mori/cc.h"
#include "mori/cmd.h"

/* A kernel with a bound of its own, in LLVM IR or MLIR, keeps it. */
static int has_bound(const char *line)
{
	return !strncmp(line, ".maxntid", 8) || !strncmp(line, ".reqntid", 8);
}

/* The bound goes between the parameters of an entry and its body. */
static void copy_bound(FILE *in, FILE *out, unsigned threads)
{
	char *line = NULL;
	size_t room = 0;
	int entry = 0, ended = 0; /* within an entry's parameters; directly after them */

	while (getline(&line, &room, in) > 0) {
		if (ended && !has_bound(line))
			fprintf(out, ".maxntid %u, 1, 1\n", threads);
		ended = 0;
		entry |= strstr(line, ".entry ") != NULL;
		if (entry && strchr(line, ')')) {
			entry = 0;
			ended = 1;
		}
		fputs(line, out);
	}
	free(line);
}

int cc_bound(const char *ptx, const char *out, unsigned threads)
{
	FILE *in = fopen(ptx, "re"), *to = fopen(out, "we");
	int bad = !in || !to;

	if (!bad)
		copy_bound(in, to, threads);
	bad |= in && ferror(in);
	if (in)
		fclose(in);
	if (to)
		bad |= ferror(to) | fclose(to);
	if (bad)
		cmd_error("cc", "cannot write %s: %s", out, strerror(errno));
	return bad ? 1 : 0;
}
