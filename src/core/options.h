// SPDX-License-Identifier: MIT
/*
 * The environment of the library as one struct. options.def is the list; what a
 * field holds when its variable is unset is said there. Nothing is cached: each
 * options_load() reads the environment anew, and several threads may at once.
 */
#ifndef MORI_CORE_OPTIONS_H
#define MORI_CORE_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

/* Values of the ENUM fields: the place in the list of choices. */
enum option_device { OPTION_DEVICE_AUTO, OPTION_DEVICE_CPU, OPTION_DEVICE_CUDA, OPTION_DEVICE_HIP };
enum option_mode { OPTION_MODE_STATIC, OPTION_MODE_VMM, OPTION_MODE_ISOLATION };
enum option_deadlock { OPTION_DEADLOCK_REPORT, OPTION_DEADLOCK_ERROR };
enum option_dump { /* -1: none */
		   OPTION_DUMP_USR1,
		   OPTION_DUMP_USR2,
		   OPTION_DUMP_HUP,
		   OPTION_DUMP_QUIT,
		   OPTION_DUMP_ALRM
};
enum option_share { OPTION_SHARE_AUTO, OPTION_SHARE_FD, OPTION_SHARE_FABRIC, OPTION_SHARE_IPC };
enum option_nic { OPTION_NIC_AUTO, OPTION_NIC_SOFT, OPTION_NIC_RDMA };
enum option_heap_type { OPTION_HEAP_NORMAL, OPTION_HEAP_UNCACHED };

#define OPTION_TYPE_STRING  char * /* owned by the struct; NULL if unset */
#define OPTION_TYPE_ENUM    int
#define OPTION_TYPE_SIZE    uint64_t
#define OPTION_TYPE_SWITCH  int
#define OPTION_TYPE_SECONDS double
#define OPTION_TYPE_INT	    int

struct options {
#define OPTION(field, name, kind, def, allowed, help) OPTION_TYPE_##kind field;
#include "core/options.def"
#undef OPTION
};

/*
 * Read the environment. MORI_SHMEM_EINVAL for a malformed value or an unknown
 * MORI_SHMEM_* (the text names it and what is allowed), MORI_SHMEM_ENOMEM. An
 * unknown other MORI_* is a warning, once a process. An empty value counts as
 * unset. A variable that has no effect yet is a warning too. Sets what threads of the library
 * share: the level of the log, even on failure, and on which cores they may run.
 */
int options_load(struct options *out);
/* Free what options_load() filled in; a struct of zeros will do. */
void options_free(struct options *o);

/* The word for @value of the ENUM variable @name; "?": there is none. */
const char *options_choice(const char *name, int value, char *buf, size_t size);

/* One variable, for people. */
struct option_row {
	const char *name;
	const char *value;   /* in force: of the environment, else the default; "" for none */
	const char *source;  /* "environment" or "default" */
	const char *def;     /* "" for none: help says what happens */
	const char *allowed; /* in words; NULL for a variable that does not exist */
	const char *help;    /* NULL for a variable that does not exist */
	const char *error;   /* what is wrong with the value or name; NULL if nothing is */
};

typedef void (*option_row_fn)(void *arg, const struct option_row *row);

/* Every variable in the order of the table, then the unknown ones that are set. */
void options_each(option_row_fn fn, void *arg);

#endif
