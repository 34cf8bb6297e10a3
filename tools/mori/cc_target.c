// SPDX-License-Identifier: MIT
/*
 * The targets of `mori cc`, and the last steps to each: LLVM IR with everything in
 * it becomes a shared object for the CPU, PTX or a cubin for NVIDIA, a code object for
 * AMD. Only the kernels and what the host looks for stay visible, so that a kernel
 * holds what it calls and no more.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mori/cc.h"
#include "mori/cmd.h"

#define SM_FIRST  70 /* the oldest with the memory model that the library relies on */
#define SM_LLVM19 90 /* the newest that LLVM 19 knows */

/* The number behind "sm_" or 0; a letter may follow it. */
static int sm_number(const char *target)
{
	char *end;
	long n = strncmp(target, "sm_", 3) ? 0 : strtol(target + 3, &end, 10);

	if (n <= 0 || n > 999 || (*end && (strchr("af", *end) == NULL || end[1])))
		return 0;
	return (int)n;
}

int cc_target_parse(struct cc *c)
{
	const char *t = c->target;
	size_t len = strlen(t);

	if (!strcmp(t, "cpu")) {
		c->kind = CC_CPU;
	} else if (sm_number(t) >= SM_FIRST) {
		c->kind = CC_NVPTX;
	} else if (!strncmp(t, "gfx", 3) && len >= 6 && len <= 8 &&
		   strspn(t + 3, "0123456789abcdef") == len - 3) {
		c->kind = CC_AMDGCN;
	} else {
		cmd_error("cc", "unknown target %s; use cpu, sm_70 or later, or a gfx number", t);
		return CMD_USAGE;
	}
	return 0;
}

/* The nearest processor that clang 19 has heard of; the final code is for the real one. */
const char *cc_front_cpu(struct cc *c)
{
	if (c->kind == CC_NVPTX)
		return sm_number(c->target) > SM_LLVM19 ? "sm_90" : c->target;
	return !strcmp(c->target, "gfx950") ? "gfx942" : c->target;
}

static bool newer_than_19(const struct cc *c)
{
	return (c->kind == CC_NVPTX && sm_number(c->target) > SM_LLVM19) ||
	       (c->kind == CC_AMDGCN && !strcmp(c->target, "gfx950"));
}

static void add_machine(struct cc *c, struct cc_words *cmd)
{
	if (c->kind != CC_CPU)
		cc_word(cmd, cc_str(c, "-mcpu=%s", c->target));
}

/* Only @exports stay visible; what nothing reaches then goes. */
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

/* clang optimises, generates and links in one go; it also knows the sanitizers. */
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

/* A plain file is replaced in one step, and only by something whole. */
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

	if (newer_than_19(c) && cc_find(c, CC_LLC) && c->llvm < 20) {
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
