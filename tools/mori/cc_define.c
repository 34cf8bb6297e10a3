// SPDX-License-Identifier: MIT
/*
 * One line of LLVM IR that defines a function, as llvm-dis writes it:
 *	define <words> <type> @name(<type> <attributes> %name, ...) <rest> {
 * Only what a caller of the function needs is extracted: the name, and the
 * type of each parameter with the attributes that decide how it is passed.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "mori/cc.h"
#include "mori/cmd.h"

/* Skips what starts here: a quoted string, or brackets with their contents. */
static const char *skip_group(const char *s)
{
	int depth = 0;

	for (; *s; s++) {
		if (*s == '"') {
			s = strchr(s + 1, '"');
			if (!s)
				return "";
		} else if (strchr("([{<", *s)) {
			depth++;
		} else if (strchr(")]}>", *s)) {
			depth--;
		}
		if (depth <= 0)
			return s + 1;
	}
	return s;
}

/* Skips the word that starts here, and brackets that follow it directly. */
static const char *skip_word(const char *s)
{
	while (*s && *s != ' ' && *s != ',' && *s != ')') {
		if (strchr("\"([{<", *s))
			s = skip_group(s);
		else
			s++;
	}
	return s;
}

static const char *skip_blanks(const char *s)
{
	while (*s == ' ')
		s++;
	return s;
}

bool cc_define_name(const char *line, const char **at, size_t *len)
{
	const char *s = line, *end;

	if (strncmp(line, "define ", 7))
		return false;
	while (*s && *s != '@')
		s = strchr("\"([{<", *s) ? skip_group(s) : s + 1;
	if (!*s++)
		return false;
	end = *s == '"' ? skip_group(s) : s + strcspn(s, "(");
	if (*end != '(')
		return false;
	*at = s;
	*len = (size_t)(end - s);
	return true;
}

static const char *type_end(const char *s)
{
	const char *end = skip_word(s);

	/* A pointer's address space is a word of its own. */
	if (end - s == 3 && !strncmp(s, "ptr", 3) && !strncmp(end, " addrspace(", 11))
		end = skip_word(end + 1);
	return end;
}

/* Parses one parameter; returns where its text ends. */
static const char *read_param(struct cc *c, const char *s, struct cc_param *out)
{
	const char *end = type_end(s);

	out->type = cc_str(c, "%.*s", (int)(end - s), s);
	out->attrs = "";
	out->byval = NULL;
	for (s = skip_blanks(end); *s && *s != ',' && *s != ')'; s = skip_blanks(end)) {
		end = skip_word(s);
		if (!strncmp(s, "byval(", 6)) {
			out->byval = cc_str(c, "%.*s", (int)(end - s - 7), s + 6);
			out->attrs = cc_str(c, "%s %.*s", out->attrs, (int)(end - s), s);
		} else if (!strncmp(s, "signext", 7) || !strncmp(s, "zeroext", 7) ||
			   !strncmp(s, "inreg", 5)) {
			out->attrs = cc_str(c, "%s %.*s", out->attrs, (int)(end - s), s);
		} else if (!strncmp(s, "align ", 6)) {
			end = skip_word(s + 6);
			if (out->byval)
				out->attrs = cc_str(c, "%s %.*s", out->attrs, (int)(end - s), s);
		}
	}
	return s;
}

static int grow(struct cc_kernel *k)
{
	struct cc_param *p = realloc(k->params, (k->n_params + 1) * sizeof(*p));

	if (!p) {
		cmd_error("cc", "out of memory");
		return 1;
	}
	k->params = p;
	return 0;
}

int cc_define_params(struct cc_ir *ir, struct cc_kernel *k)
{
	const char *line = ir->lines[k->line], *s;
	size_t len;

	if (!cc_define_name(line, &s, &len))
		return 1;
	/* The word before the name is the type it returns. */
	if (s - line < 7 || strncmp(s - 6, "void ", 5)) {
		cmd_error("cc", "the kernel %s must return void", k->name);
		return 1;
	}
	for (s = skip_blanks(s + len + 1); *s && *s != ')'; s = skip_blanks(s)) {
		if (!strncmp(s, "...", 3)) {
			cmd_error("cc",
				  "the kernel %s must not have a variable number of parameters",
				  k->name);
			return 1;
		}
		if (grow(k))
			return 1;
		s = read_param(ir->cc, s, &k->params[k->n_params++]);
		if (*s == ',')
			s++;
	}
	return 0;
}

const char *cc_define_probe(struct cc *c, const char *line)
{
	static const char *const before[] = { " unnamed_addr", " local_unnamed_addr",
					      " addrspace(0)" };
	const char *s;
	size_t len;

	if (!cc_define_name(line, &s, &len))
		return line;
	s = skip_group(s + len);
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		if (!strncmp(s, before[i], strlen(before[i])))
			s += strlen(before[i]);
	}
	return cc_str(c, "%.*s%s%s", (int)(s - line), line, CC_PROBE, s);
}
