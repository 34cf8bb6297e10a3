// SPDX-License-Identifier: MIT
/*
 * Text to roff for mori-man: the body of a page, prototypes, and the comments of
 * the public header.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "man.h"

#define WIDTH 76 /* of a folded prototype */

static char *skip_space(char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

void page_parse(struct page *p, char *text, const char *path)
{
	*p = (struct page){ .path = path };
	while (*text && *text != '\n') {
		char *end = strchr(text, '\n'), *colon;

		if (!end)
			die("%s: no body", path);
		*end = '\0';
		colon = strchr(text, ':');
		if (!colon)
			die("%s: not \"key: value\": %s", path, text);
		*colon = '\0';
		colon = skip_space(colon + 1);
		if (!strcmp(text, "page"))
			p->name = colon;
		else if (!strcmp(text, "brief"))
			p->brief = colon;
		else if (!strcmp(text, "family"))
			p->family = colon;
		else if (!strcmp(text, "calls"))
			p->calls = colon;
		else if (!strcmp(text, "alias"))
			p->alias = colon;
		else if (!strcmp(text, "see"))
			p->see = colon;
		else
			die("%s: unknown key %s", path, text);
		text = end + 1;
	}
	if (!p->name || !p->brief)
		die("%s: page and brief are needed", path);
	p->body = text;
}

static void put_char(FILE *f, char c, int code)
{
	switch (c) {
	case '\\':
		fputs("\\e", f);
		break;
	case '-':
		fputs(code ? "\\-" : "-", f);
		break;
	case '^':
		fputs("\\(ha", f);
		break;
	case '~':
		fputs("\\(ti", f);
		break;
	case '\'':
		fputs(code ? "\\(aq" : "'", f);
		break;
	default:
		fputc(c, f);
	}
}

/* Prints a line of prose: `code` in bold, @name (from comments) in italics. */
static void put_prose(FILE *f, const char *line, const char *end)
{
	int bold = 0;

	if (*line == '.' || *line == '\'')
		fputs("\\&", f);
	for (; line < end; line++) {
		if (*line == '`') {
			bold = !bold;
			fputs(bold ? "\\fB" : "\\fP", f);
		} else if (*line == '@' && isalpha((unsigned char)line[1])) {
			fputs("\\fI", f);
			while (line + 1 < end &&
			       (isalnum((unsigned char)line[1]) || line[1] == '_'))
				put_char(f, *++line, 1);
			fputs("\\fP", f);
		} else {
			put_char(f, *line, bold);
		}
	}
	fputc('\n', f);
}

static void put_code(FILE *f, const char *line, const char *end)
{
	fputs("\\&", f);
	for (int col = 0; line < end; line++) {
		if (*line != '\t') {
			put_char(f, *line, 1);
			col++;
			continue;
		}
		do
			fputc(' ', f);
		while (++col % 4);
	}
	fputc('\n', f);
}

/* The start of the declaration of mori_shmem_@name in the header; NULL if there is none. */
static const char *header_find(const char *header, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = header; (at = strstr(at, "mori_shmem_")); at++) {
		const char *start = at;

		if (strncmp(at + 11, name, len) || at[11 + len] != '(')
			continue;
		while (start > header && start[-1] != ';' && start[-1] != '/')
			start--;
		start = strstr(start, "MORI_SHMEM_EXPORT");
		if (start && start < at)
			return start;
	}
	return NULL;
}

void header_prototype(const char *header, const char *name, char *out, size_t len)
{
	const char *at = header_find(header, name);
	size_t n = 0;

	if (!at)
		die("mori_shmem_%s is not declared in the header", name);
	at += strlen("MORI_SHMEM_EXPORT");
	while (isspace((unsigned char)*at))
		at++;
	for (; n + 2 < len; at++) {
		int space = isspace((unsigned char)*at);

		if (!space || out[n - 1] != ' ')
			out[n++] = space ? ' ' : *at;
		if (*at == ';')
			break;
	}
	out[n] = '\0';
}

/* Folds lines after a comma; "type * dest" from the list becomes "type *dest". */
void roff_prototype(FILE *f, const char *proto)
{
	const char *open = strchr(proto, '('), *next;
	int col = 0, indent = 8;

	fputs("\\fB", f);
	for (const char *c = proto; *c; c++) {
		if (*c == ' ' && c > proto && c[-1] == '*')
			continue;
		put_char(f, *c, 1);
		col++;
		if (*c != ',' || c < open)
			continue;
		next = strchr(c + 1, ',');
		if (!next)
			next = c + strlen(c);
		if (col + (next - c) > WIDTH) {
			fprintf(f, "\n%*s", indent - 1, "");
			col = indent - 1;
		}
	}
	fputs("\\fP\n", f);
}

/* Prints the comment before the declaration of @name as prose, if there is one. */
static void put_comment(FILE *f, const char *header, const char *name)
{
	const char *at = header_find(header, name), *line, *end;
	int first = 1;

	for (end = at; end && end > header && isspace((unsigned char)end[-1]); end--)
		;
	if (!end || end - header < 2 || strncmp(end - 2, "*/", 2))
		return;
	end -= 2;
	for (line = end; line > header && strncmp(line, "/*", 2); line--)
		;
	if (strncmp(line, "/**", 3))
		return;
	fprintf(f, ".SS mori_shmem_%s\n", name);
	for (line += 3; line < end;) {
		const char *stop = memchr(line, '\n', end - line);
		const char *last = stop ? stop : end;

		while (line < last && (isspace((unsigned char)*line) || *line == '*'))
			line++;
		while (last > line && isspace((unsigned char)last[-1]))
			last--;
		if (first && line < last) { /* "mori_shmem_name - " repeats the heading */
			const char *dash = strstr(line, " - ");

			line = dash && dash < last ? dash + 3 : line;
			fputc(toupper((unsigned char)*line++), f);
			first = 0;
		}
		if (line == last) {
			fputs(".PP\n", f);
		} else if (*line == '@' && memchr(line, ':', last - line) && line[-1] == ' ') {
			const char *colon = memchr(line, ':', last - line);

			fprintf(f, ".TP\n.I %.*s\n", (int)(colon - line - 1), line + 1);
			put_prose(f, skip_space((char *)colon + 1), last);
		} else {
			if (!strncmp(line, "Return:", 7))
				fputs(".PP\n", f);
			put_prose(f, line, last);
		}
		if (!stop)
			break;
		line = stop + 1;
	}
}

static void put_calls(FILE *f, const struct page *p, const char *header)
{
	char *list = strdup(p->calls ? p->calls : ""), *save = NULL;

	if (!list)
		die("out of memory");
	for (char *w = strtok_r(list, " ", &save); w; w = strtok_r(NULL, " ", &save))
		put_comment(f, header, w);
	free(list);
}

void roff_body(FILE *f, const struct page *p, const char *header)
{
	const char *line = p->body, *end, *term;
	int in_code = 0, opened = 1;

	for (; *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		if (in_code && line == end && end[0] && end[1] == '\t') {
			fputc('\n', f); /* an empty line inside code */
			continue;
		}
		if (in_code && *line != '\t') {
			fputs(".fi\n.in\n", f);
			in_code = 0;
		} else if (!in_code && *line == '\t') {
			fputs(".PP\n.in +4n\n.nf\n", f);
			in_code = 1;
		}
		term = memmem(line, end - line, " :: ", 4);
		if (*line == '\t') {
			put_code(f, line + 1, end);
		} else if (line == end) {
			fputs(opened ? "" : ".PP\n", f); /* a section starts a paragraph already */
			continue;
		} else if (!strncmp(line, "# ", 2)) {
			fprintf(f, ".SH %.*s\n", (int)(end - line - 2), line + 2);
		} else if (!strncmp(line, "- ", 2)) {
			fputs(".IP \\(bu 2\n", f);
			put_prose(f, line + 2, end);
		} else if (!strncmp(line, "@calls", 6)) {
			put_calls(f, p, header);
		} else if (term) {
			fputs(".TP\n", f);
			put_prose(f, line, term);
			put_prose(f, term + 4, end);
		} else {
			put_prose(f, line, end);
		}
		opened = *line == '#';
	}
	if (in_code)
		fputs(".fi\n.in\n", f);
}

void roff_see(FILE *f, const char *see)
{
	char *list = strdup(see ? see : "mori_shmem"), *save = NULL;
	const char *sep = ".SH SEE ALSO\n";

	if (!list)
		die("out of memory");
	for (char *w = strtok_r(list, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		fprintf(f, "%s.BR %s (3)", sep, w);
		sep = ",\n";
	}
	fputc('\n', f);
	free(list);
}
