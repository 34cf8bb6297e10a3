// SPDX-License-Identifier: MIT
/*
 * The targets of `mori cc`, and the last steps to each: LLVM IR with everything in
 * it becomes a shared object for the CPU, PTX or a cubin for NVIDIA, a code object for
 * AMD. Only the kernels and the symbols that the host looks up stay visible, so that a kernel
 * contains what it calls and no more.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mori/cc.h"
#include "mori/cmd.h"

/* A GPU. LLVM knows it from version @llvm on (0: 19), and clang 19 compiles C for @front. */
struct cc_gpu {
	const char *name;
	int llvm;
	const char *front; /* NULL: itself */
};

/* clang-format off */
static const struct cc_gpu gpus[] = {
	/* From sm_70 on they have the memory model that the library relies on. */
	{ "sm_70", 0, NULL }, { "sm_72", 0, NULL }, { "sm_75", 0, NULL }, { "sm_80", 0, NULL },
	{ "sm_86", 0, NULL }, { "sm_87", 0, NULL }, { "sm_88", 22, "sm_87" },
	{ "sm_89", 0, NULL }, { "sm_90", 0, NULL }, { "sm_90a", 0, NULL },
	{ "sm_100", 20, "sm_90" }, { "sm_100a", 20, "sm_90" }, { "sm_100f", 21, "sm_90" },
	{ "sm_101", 20, "sm_90" }, { "sm_101a", 20, "sm_90" }, { "sm_101f", 21, "sm_90" },
	{ "sm_103", 21, "sm_90" }, { "sm_103a", 21, "sm_90" }, { "sm_103f", 21, "sm_90" },
	{ "sm_110", 22, "sm_90" }, { "sm_110a", 22, "sm_90" }, { "sm_110f", 22, "sm_90" },
	{ "sm_120", 20, "sm_90" }, { "sm_120a", 20, "sm_90" }, { "sm_120f", 21, "sm_90" },
	{ "sm_121", 21, "sm_90" }, { "sm_121a", 21, "sm_90" }, { "sm_121f", 21, "sm_90" },
	{ "gfx900", 0, NULL }, { "gfx902", 0, NULL }, { "gfx904", 0, NULL },
	{ "gfx906", 0, NULL }, { "gfx908", 0, NULL }, { "gfx909", 0, NULL },
	{ "gfx90a", 0, NULL }, { "gfx90c", 0, NULL }, { "gfx942", 0, NULL },
	{ "gfx950", 20, "gfx942" }, { "gfx1010", 0, NULL }, { "gfx1011", 0, NULL },
	{ "gfx1012", 0, NULL }, { "gfx1013", 0, NULL }, { "gfx1030", 0, NULL },
	{ "gfx1031", 0, NULL }, { "gfx1032", 0, NULL }, { "gfx1033", 0, NULL },
	{ "gfx1034", 0, NULL }, { "gfx1035", 0, NULL }, { "gfx1036", 0, NULL },
	{ "gfx1100", 0, NULL }, { "gfx1101", 0, NULL }, { "gfx1102", 0, NULL },
	{ "gfx1103", 0, NULL }, { "gfx1150", 0, NULL }, { "gfx1151", 0, NULL },
	{ "gfx1152", 0, NULL }, { "gfx1153", 20, "gfx1152" }, { "gfx1200", 0, NULL },
	{ "gfx1201", 0, NULL }, { "gfx1250", 21, "gfx1201" }, { "gfx1251", 22, "gfx1201" },
};
/* clang-format on */

#define N_GPUS (sizeof(gpus) / sizeof(gpus[0]))

static const struct cc_gpu *gpu_find(const char *name)
{
	for (size_t i = 0; i < N_GPUS; i++) {
		if (!strcmp(gpus[i].name, name))
			return &gpus[i];
	}
	return NULL;
}

static int unknown_target(struct cc *c)
{
	const struct cc_gpu *best = NULL;
	const char *all = "cpu";
	int least = 0;

	for (size_t i = 0; i < N_GPUS; i++) {
		int d = cmd_distance(c->target, gpus[i].name);

		if (d >= 0 && (!best || d < least)) {
			best = &gpus[i];
			least = d;
		}
		all = cc_str(c, "%s %s", all, gpus[i].name);
	}
	cmd_error("cc", "unknown target %s%s%s%s There are %s", c->target,
		  best ? "; did you mean " : "", best ? best->name : "", best ? "?" : ".", all);
	return CMD_USAGE;
}

int cc_target_parse(struct cc *c)
{
	if (!strcmp(c->target, "cpu"))
		c->kind = CC_CPU;
	else if (gpu_find(c->target))
		c->kind = *c->target == 's' ? CC_NVPTX : CC_AMDGCN;
	else
		return unknown_target(c);
	return 0;
}

/* The closest processor that clang 19 knows; the final code is for the real one. */
const char *cc_front_cpu(struct cc *c)
{
	const struct cc_gpu *gpu = gpu_find(c->target);

	return gpu && gpu->front ? gpu->front : c->target;
}

/* The oldest LLVM that knows the target. */
static int llvm_needed(const struct cc *c)
{
	const struct cc_gpu *gpu = gpu_find(c->target);

	return gpu ? gpu->llvm : 0;
}

static void add_machine(struct cc *c, struct cc_words *cmd)
{
	if (c->kind != CC_CPU)
		cc_word(cmd, cc_str(c, "-mcpu=%s", c->target));
}

/* Only @exports stay visible; what is then unreachable is removed. */
static int optimise(struct cc *c, const char *ir, const char *exports, const char *out, bool text)
{
	const char *passes = c->kind == CC_CPU && c->emit != CC_EMIT_LL ?
				     "internalize,globaldce" :
				     cc_str(c, "internalize,globaldce,default<O%s>", c->level);
	const char *opt = cc_tool(c, CC_OPT);
	struct cc_words cmd = { 0 };
	int err;

	if (!opt)
		return 1;
	cc_word(&cmd, opt);
	cc_word(&cmd, cc_str(c, "-passes=%s", passes));
	cc_word(&cmd, cc_str(c, "-internalize-public-api-list=%s", exports));
	add_machine(c, &cmd);
	if (!c->debug)
		cc_word(&cmd, "-strip-debug");
	if (text)
		cc_word(&cmd, "-S");
	cc_word(&cmd, ir);
	cc_word(&cmd, "-o");
	cc_word(&cmd, out);
	err = cc_run(c, &cmd);
	free(cmd.v);
	return err;
}

static int generate(struct cc *c, const char *in, const char *type, const char *out)
{
	const char *llc = cc_tool(c, CC_LLC);
	struct cc_words cmd = { 0 };
	int err;

	if (!llc)
		return 1;
	cc_word(&cmd, llc);
	cc_word(&cmd, cc_str(c, "-O%s", c->level));
	add_machine(c, &cmd);
	if (c->kind == CC_AMDGCN) /* the oldest that has the arguments the library reads */
		cc_word(&cmd, "--amdhsa-code-object-version=5");
	cc_word(&cmd, cc_str(c, "-filetype=%s", type));
	cc_word(&cmd, in);
	cc_word(&cmd, "-o");
	cc_word(&cmd, out);
	err = cc_run(c, &cmd);
	free(cmd.v);
	return err;
}

static int assemble_cubin(struct cc *c, const char *ptx, const char *out)
{
	const char *ptxas = cc_tool(c, CC_PTXAS);
	struct cc_words cmd = { 0 };
	int err;

	if (!ptxas)
		return 1;
	cc_word(&cmd, ptxas);
	cc_word(&cmd, cc_str(c, "-arch=%s", c->target));
	cc_word(&cmd, cc_str(c, "-O%s", c->level));
	if (c->verbose)
		cc_word(&cmd, "-v");
	cc_word(&cmd, ptx);
	cc_word(&cmd, "-o");
	cc_word(&cmd, out);
	err = cc_run(c, &cmd);
	free(cmd.v);
	return err;
}

static int link_hsaco(struct cc *c, const char *object, const char *out)
{
	const char *lld = cc_tool(c, CC_LLD);
	struct cc_words cmd = { 0 };
	int err;

	if (!lld)
		return 1;
	cc_word(&cmd, lld);
	cc_words_of(c, &cmd, "-shared --no-undefined -o");
	cc_word(&cmd, out);
	cc_word(&cmd, object);
	err = cc_run(c, &cmd);
	free(cmd.v);
	return err;
}

/* clang optimises, generates and links in one step; it also knows the sanitizers. */
static int finish_cpu(struct cc *c, const char *in, const char *out)
{
	const char *clang = cc_tool(c, CC_CPU_CLANG);
	struct cc_words cmd = { 0 };
	int err;

	if (!clang)
		return 1;
	cc_word(&cmd, clang);
	cc_word(&cmd, cc_str(c, "-O%s", c->level));
	cc_words_of(c, &cmd, "-Wno-override-module -fPIC -x ir");
	cc_word(&cmd, in);
	cc_word(&cmd, "-o");
	cc_word(&cmd, out);
	if (c->emit == CC_EMIT_ASM)
		cc_word(&cmd, "-S");
	else
		cc_words_of(c, &cmd, "-shared -lm");
	if (c->debug)
		cc_word(&cmd, "-g");
	if (c->sanitize)
		cc_word(&cmd, cc_str(c, "-fsanitize=%s", c->sanitize));
	else if (c->emit != CC_EMIT_ASM)
		cc_word(&cmd, "-Wl,-z,defs");
	err = cc_run(c, &cmd);
	free(cmd.v);
	return err;
}

static int finish_nvptx(struct cc *c, const char *in, const char *out)
{
	const char *ptx = c->emit == CC_EMIT_CUBIN ? cc_temp(c, ".ptx") : out;
	const char *first = c->threads ? cc_temp(c, ".ptx") : ptx;
	int err = generate(c, in, "asm", first);

	if (!err && c->threads)
		err = cc_bound(first, ptx, c->threads);
	return err || c->emit != CC_EMIT_CUBIN ? err : assemble_cubin(c, ptx, out);
}

static int finish_amdgcn(struct cc *c, const char *in, const char *out)
{
	const char *object = cc_temp(c, ".o");
	int err;

	if (c->emit == CC_EMIT_ASM)
		return generate(c, in, "asm", out);
	err = generate(c, in, "obj", object);
	return err ? err : link_hsaco(c, object, out);
}

/* A regular file is replaced in one step, and only by a complete one. */
static const char *written_first(struct cc *c)
{
	struct stat st;

	if (!stat(c->out, &st) && !S_ISREG(st.st_mode))
		return c->out;
	return cc_str(c, "%s.tmp%d", c->out, (int)getpid());
}

static int put_in_place(struct cc *c, const char *file, int err)
{
	if (file == c->out)
		return err;
	if (!err && rename(file, c->out)) {
		cmd_error("cc", "cannot write %s: %s", c->out, strerror(errno));
		err = 1;
	}
	if (err)
		unlink(file);
	return err;
}

int cc_finish(struct cc *c, const char *ir, const char *exports)
{
	const char *out = written_first(c);
	const char *best = c->emit == CC_EMIT_LL ? out : cc_temp(c, ".bc");
	int err;

	if (cc_find(c, CC_LLC) && c->llvm < llvm_needed(c)) {
		cmd_error("cc", "LLVM %d does not know %s; install the packages llvm-22 and lld-22",
			  c->llvm, c->target);
		return 1;
	}
	err = optimise(c, ir, exports, best, c->emit == CC_EMIT_LL);
	if (!err && c->emit != CC_EMIT_LL)
		err = c->kind == CC_CPU	  ? finish_cpu(c, best, out) :
		      c->kind == CC_NVPTX ? finish_nvptx(c, best, out) :
					    finish_amdgcn(c, best, out);
	return put_in_place(c, out, err);
}
