// SPDX-License-Identifier: MIT
/*
 * What `mori info` reports about kernels: where the device library is and for which targets, and
 * each tool that `mori cc` would run, found in the same way.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mori/cc.h"

#define SECTION "kernel"

static void say_tool(struct cc *c, enum cc_tool tool, mori_shmem_info_fn row, void *arg)
{
	const struct cc_tool_kind *kind = &cc_tools[tool];
	const char *file = cc_find(c, tool);
	const char *key = tool == CC_CPU_CLANG ? "clang for CPU" : kind->name;
	const char *version = file ? cc_version(c, file) : "";

	row(arg, SECTION, key, file ? file : "not found",
	    file ? cc_str(c, "%s; for %s", *version ? version : "unknown version", kind->use) :
		   cc_str(c, "%s needs it; %s", kind->use, cc_advice(c, tool)));
}

/* The targets with a library next to libmori_shmem.so (@have), or those without. */
static const char *targets(struct cc *c, bool have)
{
	const char *list = "";

	for (int kind = 0; kind < CC_KINDS; kind++) {
		c->kind = (enum cc_kind)kind;
		if (!!cc_bitcode_beside(c) == have)
			list = cc_str(c, "%s%s%s", list, *list ? ", " : "", cc_folder(c));
	}
	return list;
}

/* The folder of the libraries: any of their paths without its last two names. */
static const char *folder(struct cc *c)
{
	const char *file = NULL;
	char *path;

	for (int kind = 0; !file && kind < CC_KINDS; kind++) {
		c->kind = (enum cc_kind)kind;
		file = cc_bitcode_beside(c);
	}
	path = file ? realpath(file, NULL) : NULL;
	for (int i = 0; path && i < 2; i++)
		*strrchr(path, '/') = '\0';
	file = path ? cc_str(c, "%s", path) : "";
	free(path);
	return file;
}

static void say_library(struct cc *c, mori_shmem_info_fn row, void *arg)
{
	const char *named = getenv("MORI_SHMEM_BC");
	const char *have = targets(c, true), *missing = targets(c, false);
	const char *value = folder(c), *note = have;

	if (named && *named) {
		value = access(named, R_OK) ? "no" : named;
		note = value == named ?
			       "MORI_SHMEM_BC, for every target" :
			       cc_str(c, "MORI_SHMEM_BC names %s, which is not there", named);
	} else if (!*have) {
		value = "no";
		note = "none beside libmori_shmem.so; " CC_NO_BITCODE;
	} else if (*missing) {
		note = cc_str(c, "%s; none for %s: build again, or set MORI_SHMEM_BC", have,
			      missing);
	}
	row(arg, SECTION, "device library", value, note);
}

void cc_info(mori_shmem_info_fn row, void *arg)
{
	struct cc gpu = { .kind = CC_NVPTX }, cpu = { .kind = CC_CPU }, any = { .kind = CC_CPU };

	say_library(&any, row, arg);
	for (int tool = 0; tool < CC_TOOLS; tool++)
		say_tool(tool == CC_CPU_CLANG ? &cpu : &gpu, (enum cc_tool)tool, row, arg);
	cc_close(&any);
	cc_close(&cpu);
	cc_close(&gpu);
}
