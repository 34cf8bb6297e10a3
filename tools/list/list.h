// SPDX-License-Identifier: MIT
/* What the files of mori-list share. */
#ifndef LIST_LIST_H
#define LIST_LIST_H

#include <stddef.h>
#include <stdio.h>

enum list_kind { LIST_FAMILY, LIST_HOST, LIST_OP, LIST_GRID };

/* A family row carries its id in @name and precedes the rows of its operations. */
struct list_row {
	enum list_kind kind;
	int acquires;	     /* MORI_ACQUIRES() */
	const char *name;    /* operations and host calls lack the prefix mori_shmem_ */
	const char *returns; /* NULL for host calls: the header declares them one by one */
	const char *params;  /* in parentheses; "()" for none; NULL for host calls */
	const char *call;    /* "(body, arguments...)" of an operation, else NULL */
	int status;	     /* it returns a status, not a value */
};

extern const struct list_row list_host[], list_device[];
extern const size_t list_n_host, list_n_device;

const char *list_prefix(const struct list_row *r);
/* "grid", "host", "block", "warp", "thread" or "none". */
const char *list_scope(const struct list_row *r, const char *family);
/*
 * The list writes "type * dest" where the type is a macro's parameter; readers get "type *dest".
 * The text contains neither quotes nor backslashes, so nothing needs escaping.
 */
void list_print_text(const char *text);
/* The @i-th element of r->call, 0: the body; "" if there are fewer. */
void list_call_arg(const struct list_row *r, int i, char *out, size_t size);

/* text.c: one line about an operation: what it does, what completes it, what it returns. */
void text_print(const struct list_row *r);

/* header.c: files that are kept in the tree. */
void header_print(const struct list_row *rows, size_t n, int device);
/* The enum of operations; those that the file @path has numbered keep their numbers. */
void header_print_numbers(const char *path);

/* typed.c: the header of collectives by type and operation. */
void typed_print(void);

void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
