// SPDX-License-Identifier: MIT
/* Loads libibverbs and the vendors' libraries, each once per process, at its first use. */
#include "net/verbs_lib.h"
#include "util/err.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct verbs_calls verbs_calls;

enum {
	library_of_ibv = VERBS_IBV,
	library_of_mlx5 = VERBS_MLX5,
	library_of_bnxt = VERBS_BNXT,
	library_of_ionic = VERBS_IONIC,
};

static const struct {
	const char *names[2];
	const char *install;
} libraries[VERBS_LIBRARIES] = {
	[VERBS_IBV] = { { "libibverbs.so.1" }, "install libibverbs1 (rdma-core 34 or later)" },
	[VERBS_MLX5] = { { "libmlx5.so.1" }, "install ibverbs-providers (rdma-core 34 or later)" },
	[VERBS_BNXT] = { { "libbnxt_re.so", "libbnxt_re-rdmav34.so" },
			 "install Broadcom's own libbnxt_re: rdma-core's has no such calls" },
	[VERBS_IONIC] = { { "libionic.so.1", "libionic.so" }, "install AMD's libionic" },
};

static struct {
	pthread_mutex_t lock;
	struct {
		bool tried;
		int status;
		char why[256];
	} of[VERBS_LIBRARIES];
} loaded = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Sets *to from the library; false if it has no such symbol. */
static bool verbs_symbol(void *library, const char *name, void *to)
{
	void *at = dlsym(library, name);

	memcpy(to, &at, sizeof(at));
	return at != NULL;
}

static const char *verbs_load_calls(enum verbs_library which, void *library)
{
	const char *missing = NULL;

#define VERBS_CALL(table, name, sym, type, params)                                                 \
	if (which == (enum verbs_library)library_of_##table &&                                     \
	    !verbs_symbol(library, sym, &verbs_calls.table##_##name))                              \
		missing = sym;
#define VERBS_CALL_MAY(table, name, sym, type, params)                                             \
	if (which == (enum verbs_library)library_of_##table)                                       \
		(void)verbs_symbol(library, sym, &verbs_calls.table##_##name);
#include "net/verbs_calls.def"
#undef VERBS_CALL
#undef VERBS_CALL_MAY
	return missing;
}

static int verbs_load_library(enum verbs_library which)
{
	const char *name = libraries[which].names[0], *missing;
	/* Drivers keep resources open: never unload them. */
	int flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
	void *library = dlopen(name, flags);

	if (!library && libraries[which].names[1]) {
		name = libraries[which].names[1];
		library = dlopen(name, flags);
	}
	if (!library)
		return err_set(MORI_SHMEM_ENOTSUP, "%s was not found: %s",
			       libraries[which].names[0], libraries[which].install);
	missing = verbs_load_calls(which, library);
	if (missing)
		return err_set(MORI_SHMEM_ENOTSUP, "%s has no %s: %s", name, missing,
			       libraries[which].install);
	return 0;
}

int verbs_load(enum verbs_library which)
{
	int err;

	pthread_mutex_lock(&loaded.lock);
	if (!loaded.of[which].tried) {
		loaded.of[which].status = verbs_load_library(which);
		loaded.of[which].tried = true;
		if (loaded.of[which].status)
			snprintf(loaded.of[which].why, sizeof(loaded.of[which].why), "%s",
				 err_text());
	}
	err = loaded.of[which].status;
	pthread_mutex_unlock(&loaded.lock);
	return err ? err_set(err, "%s", loaded.of[which].why) : 0;
}

const struct verbs_vendor *verbs_vendor_of(uint32_t format)
{
	static const struct verbs_vendor *const vendors[] = { &verbs_mlx5, &verbs_bnxt,
							      &verbs_ionic };

	for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
		if (vendors[i]->format == format)
			return vendors[i];
	return NULL;
}
