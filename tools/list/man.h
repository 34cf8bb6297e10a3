// SPDX-License-Identifier: MIT
/* Shared by the two files of mori-man. */
#ifndef LIST_MAN_H
#define LIST_MAN_H

#include <stdio.h>

struct man {
	const char *out, *version;
	char *header; /* text of <mori/shmem.h> */
};

/*
 * A text has lines "key: value" (page, brief, family or calls, alias, see), an empty
 * line, and the body. An alias is a name that is not exported but leads to the page. In the body
 *	# HEADING	a section
 *	- text		an item
 *	term :: text	an item with a name
 *	<tab>code	printed verbatim; an empty line between two of these belongs to the code
 *	@calls		the header's comments on the calls of the page
 * and `word` is bold. The pointers refer to the text, which page_parse() modifies.
 */
struct page {
	const char *path;
	const char *name, *brief;
	const char *family, *calls; /* one of them, or neither */
	const char *alias, *see;
	char *body;
};

void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
void page_parse(struct page *p, char *text, const char *path);
/* The declaration of mori_shmem_@name, on one line. */
void header_prototype(const char *header, const char *name, char *out, size_t len);
void roff_prototype(FILE *f, const char *proto);
void roff_body(FILE *f, const struct page *p, const char *header);
void roff_see(FILE *f, const char *see);

#endif
