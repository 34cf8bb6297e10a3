// SPDX-License-Identifier: MIT
/*
 * Finds the tools that `mori cc` runs. A tool is looked up in MORI_LLVM_BINDIR,
 * then in PATH by its name with a version, then by its plain name; a missing one is
 * named together with the package that has it.
 *
 * C is compiled by the oldest suitable clang, because every later LLVM reads what
 * it writes; the final code is made by the newest, which knows the newest processors.
 */
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mori/cc.h"
#include "mori/cmd.h"

#define OLDEST 19

static const int c_versions[] = { 19, 20, 21, 22, 23, 0 };
static const int final_versions[] = { 22, 23, 21, 20, 19, 0 };

const struct cc_tool_kind cc_tools[CC_TOOLS] = {
	[CC_CLANG] = { "clang", "C", "the package clang-19" },
	[CC_OPT] = { "opt", "every kernel", "the package llvm-22 (or llvm-19)" },
	[CC_LLC] = { "llc", "every GPU", "the package llvm-22 (or llvm-19)" },
	[CC_LINK] = { "llvm-link", "every kernel", "the package llvm-22 (or llvm-19)" },
	[CC_DIS] = { "llvm-dis", "LLVM bitcode", "the package llvm-22 (or llvm-19)" },
	[CC_CPU_CLANG] = { "clang", "the CPU",
			   "the packages clang-19 and llvm-19, which must be of one version" },
	[CC_LLD] = { "ld.lld", "AMD", "the package lld-22 (or lld-19)" },
	[CC_MLIR] = { "mlir-translate", "MLIR", "the package mlir-19-tools" },
	[CC_PTXAS] = { "ptxas", "a cubin",
		       "the package nvidia-cuda-toolkit (NVIDIA's own: cuda-nvcc)" },
};

bool cc_of_llvm(enum cc_tool tool)
{
	return tool >= CC_OPT && tool <= CC_CPU_CLANG;
}

static bool runs(const char *path)
{
	return access(path, X_OK) == 0;
}

static const char *in_path(struct cc *c, const char *name)
{
	const char *path = getenv("PATH");

	for (path = path ? path : ""; *path; path += strcspn(path, ":"), path += *path == ':') {
		int len = (int)strcspn(path, ":");
		const char *file = cc_str(c, "%.*s%s%s", len, path, len ? "/" : "./", name);

		if (runs(file))
			return file;
	}
	return NULL;
}

/* The number that `tool --version` prints after one of these words; "" if none. */
const char *cc_version(struct cc *c, const char *tool)
{
	static const char *const before[] = { "version ", "LLD ", "release " };
	FILE *f = popen(cc_str(c, "'%s' --version 2>/dev/null", tool), "r");
	const char *version = "";
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		for (size_t i = 0; !*version && i < sizeof(before) / sizeof(before[0]); i++) {
			const char *at = strstr(line, before[i]);

			if (at && (at += strlen(before[i])))
				version = cc_str(c, "%.*s", (int)strspn(at, "0123456789."), at);
		}
	}
	if (f)
		pclose(f);
	return version;
}

static const char *with_version(struct cc *c, const char *name, int version)
{
	return in_path(c, cc_str(c, "%s-%d", name, version));
}

/* The plain name: in the user's folder, or in PATH if it is new enough. */
static const char *plain(struct cc *c, const char *name, int *version)
{
	const char *dir = getenv("MORI_LLVM_BINDIR");
	const char *file = dir && *dir ? cc_str(c, "%s/%s", dir, name) : in_path(c, name);

	if (!file || !runs(file))
		return NULL;
	*version = atoi(cc_version(c, file));
	return *version >= OLDEST ? file : NULL;
}

static bool own_folder(void)
{
	const char *dir = getenv("MORI_LLVM_BINDIR");

	return dir && *dir;
}

static const char *versioned(struct cc *c, const char *name, const int *versions, int *version)
{
	const char *file = own_folder() ? plain(c, name, version) : NULL;

	for (; !file && *versions; versions++) {
		file = with_version(c, name, *versions);
		*version = *versions;
	}
	return file || own_folder() ? file : plain(c, name, version);
}

/*
 * The tools of one version, so that they read each other's files. On the CPU clang is
 * one of them; a sanitizer's runtime comes with the clang that the rest is built with.
 */
static int find_llvm(struct cc *c)
{
	static const char *const names[] = { "opt", "llc", "llvm-link", "llvm-dis", "clang" };
	size_t need = c->kind == CC_CPU ? 5 : 4;
	int version = 0;

	if (own_folder() && plain(c, names[0], &version))
		return version;
	for (const int *v = c->sanitize ? c_versions : final_versions; *v; v++) {
		size_t n = 0;

		while (n < need && with_version(c, names[n], *v))
			n++;
		if (n == need)
			return *v;
	}
	return plain(c, names[0], &version) ? version : 0;
}

/* A tool of the version that makes the final code. */
static const char *of_llvm(struct cc *c, const char *name)
{
	const char *file = NULL;
	int version;

	if (!c->llvm)
		c->llvm = find_llvm(c);
	if (c->llvm && !own_folder())
		file = with_version(c, name, c->llvm);
	return c->llvm && !file ? plain(c, name, &version) : file;
}

void cc_say_versions(struct cc *c)
{
	int version = 0;
	const char *clang = versioned(c, "clang", c_versions, &version);

	if (!c->llvm)
		c->llvm = find_llvm(c);
	fprintf(stderr, "mori cc: C by clang %d (%s), final code by LLVM %d\n", version,
		clang ? clang : "not found", c->llvm);
}

static const char *find_ptxas(struct cc *c)
{
	static const char *const homes[] = { "CUDA_HOME", "CUDA_PATH" };
	static const char usual[] = "/usr/local/cuda/bin/ptxas";
	const char *file = getenv("MORI_PTXAS");

	if (file && *file && runs(file))
		return file;
	for (size_t i = 0; i < 2; i++) {
		const char *home = getenv(homes[i]);

		file = home && *home ? cc_str(c, "%s/bin/ptxas", home) : NULL;
		if (file && runs(file))
			return file;
	}
	file = in_path(c, "ptxas");
	return file || !runs(usual) ? file : usual;
}

const char *cc_find(struct cc *c, enum cc_tool tool)
{
	const char *name = cc_tools[tool].name;
	int version;

	switch (tool) {
	case CC_CLANG:
		return versioned(c, name, c_versions, &version);
	case CC_LLD:
	case CC_MLIR:
		return versioned(c, name, final_versions, &version);
	case CC_PTXAS:
		return find_ptxas(c);
	default:
		return of_llvm(c, name);
	}
}

const char *cc_advice(struct cc *c, enum cc_tool tool)
{
	const char *variable = tool == CC_PTXAS ? "MORI_PTXAS" : "MORI_LLVM_BINDIR";
	const char *value = getenv(variable);

	return cc_str(c, "install %s, or set %s%s%s%s", cc_tools[tool].package, variable,
		      value && *value ? " (it is " : "", value && *value ? value : "",
		      value && *value ? ")" : "");
}

const char *cc_tool(struct cc *c, enum cc_tool tool)
{
	const struct cc_tool_kind *kind = &cc_tools[tool];
	const char *file = cc_find(c, tool);

	/* The CPU needs all of one version: naming both packages names one that has it. */
	if (!file && c->kind == CC_CPU && cc_of_llvm(tool))
		tool = CC_CPU_CLANG;
	if (!file)
		cmd_error("cc", "%s%s was not found, and %s needs it; %s%s", kind->name,
			  tool == CC_PTXAS ? "" : " 19 or later", cc_tools[tool].use,
			  cc_advice(c, tool),
			  tool == CC_PTXAS ? "; or ask for PTX, which the driver compiles" : "");
	return file;
}

/* Stores the path of the library that this command uses in *@path. */
static int note_library(struct dl_phdr_info *info, size_t size, void *path)
{
	const char *slash = strrchr(info->dlpi_name, '/');

	(void)size;
	if (!slash || strncmp(slash, "/libmori_shmem.so", 17))
		return 0;
	*(const char **)path = info->dlpi_name;
	return 1;
}

/*
 * mori/@rest in the folder of libmori_shmem.so, if it is there. The library and its bitcode
 * are installed together, whatever that folder is called and wherever it was moved to.
 */
static const char *beside_library(struct cc *c, const char *rest)
{
	const char *library = NULL, *file;

	if (!dl_iterate_phdr(note_library, &library))
		return NULL;
	file = cc_str(c, "%.*s/mori/%s", (int)(strrchr(library, '/') - library), library, rest);
	return access(file, R_OK) ? NULL : file;
}

/* @rest beside the folder of this command, if it is there. */
static const char *beside(struct cc *c, const char *rest)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;
	const char *file;

	if (n < 0)
		return NULL;
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	file = cc_str(c, "%.*s/../%s", (int)(slash - exe), exe, rest);
	return access(file, R_OK) ? NULL : file;
}

const char *cc_folder(const struct cc *c)
{
#ifdef __aarch64__
	const char *cpu = "aarch64";
#else
	const char *cpu = "x86_64";
#endif

	return c->kind == CC_NVPTX ? "nvptx64" : c->kind == CC_AMDGCN ? "amdgcn" : cpu;
}

const char *cc_bitcode_beside(struct cc *c)
{
	return beside_library(c, cc_str(c, "%s/libmori_shmem_%s.bc", cc_folder(c),
					c->p2p && c->kind != CC_CPU ? "p2p" : "device"));
}

const char *cc_bitcode(struct cc *c)
{
	const char *file = c->bitcode ? c->bitcode : getenv("MORI_SHMEM_BC");

	if (file && *file) {
		if (access(file, R_OK) == 0)
			return file;
		cmd_error("cc", "there is no device library %s", file);
		return NULL;
	}
	file = cc_bitcode_beside(c);
	if (!file)
		cmd_error("cc", "no device library for %s was found beside libmori_shmem.so; %s",
			  cc_folder(c), CC_NO_BITCODE);
	return file;
}

const char *cc_include(struct cc *c)
{
	return beside(c, "include");
}
