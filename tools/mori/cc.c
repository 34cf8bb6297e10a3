// SPDX-License-Identifier: MIT
/*
 * `mori cc`: a kernel in C, LLVM IR or MLIR, linked with the device library, as
 * something that mori_shmem_module_load() takes. This file owns its options and the
 * order of the steps.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mori/cc.h"
#include "mori/cmd.h"

/* A sanitized build makes sanitized kernels: its device library is one. */
#ifndef MORI_CC_SANITIZE
#define MORI_CC_SANITIZE ""
#endif

enum { OPT_EMIT = 256, OPT_KEEP, OPT_BC, OPT_P2P, OPT_NEAR, OPT_THREADS };

/* Letters with what follows them, but for -O, -t, -o and -v, go to clang as they are. */
static const struct cmd_option options[] = {
	{ "target", 't', "T", CC_TARGETS, "cpu (default), sm_70 and later, gfx900 and later" },
	{ "output", 'o', "F", CMD_FILE,
	  "the file to write; its ending may choose between PTX and cubin;\n"
	  "default: the kernel's name here, with .so, .ptx, .hsaco and so on" },
	{ "emit", OPT_EMIT, "KIND", "so ptx cubin hsaco asm ll",
	  "so, ptx, cubin, hsaco, asm, or ll for the optimised IR" },
	{ NULL, 'O', "[LEVEL]", NULL, "0 to 3; default 3" },
	{ NULL, 'I', "DIR", CMD_DIR, "for clang, as are -D -U -f -m -W -std=" },
	{ NULL, 'D', "NAME", NULL, NULL },
	{ NULL, 'U', "NAME", NULL, NULL },
	{ NULL, 'f', "FLAG", NULL, "for clang; -fsanitize=X is for the CPU" },
	{ NULL, 'm', "FLAG", NULL, NULL },
	{ NULL, 'W', "FLAG", NULL, NULL },
	{ NULL, 's', "td=STANDARD", NULL, NULL },
	{ NULL, 'g', "[LEVEL]", NULL, "keep debug information" },
	{ "bc", OPT_BC, "FILE", CMD_FILE, "the device library to use (also MORI_SHMEM_BC)" },
	{ "p2p", OPT_P2P, NULL, NULL,
	  "for a GPU: all peers have load and store, leave queues out" },
	{ "near", OPT_NEAR, NULL, NULL, NULL }, /* its former name */
	{ "max-threads", OPT_THREADS, "N", NULL,
	  "for NVIDIA: blocks of at most N threads, which sets how many\n"
	  "registers a thread may have" },
	{ "keep-temps", OPT_KEEP, NULL, NULL, "leave the temporary files and say where they are" },
	{ "verbose", 'v', NULL, NULL, "print the commands, and which tools are used" },
	{ "help", 'h', NULL, NULL, "this text" },
	{ 0 },
};

static const struct {
	const char *name;
	enum cc_emit emit;
	unsigned kinds; /* a bit for each enum cc_kind that has it */
} emits[] = {
	{ "so", CC_EMIT_SO, 1 << CC_CPU },
	{ "ptx", CC_EMIT_PTX, 1 << CC_NVPTX },
	{ "cubin", CC_EMIT_CUBIN, 1 << CC_NVPTX },
	{ "hsaco", CC_EMIT_HSACO, 1 << CC_AMDGCN },
	{ "asm", CC_EMIT_ASM, ~0u },
	{ "ll", CC_EMIT_LL, ~0u },
};

#define N_EMITS (sizeof(emits) / sizeof(emits[0]))

static void use_sanitizer(struct cc *c, const char *which)
{
	c->sanitize = which;
	cc_word(&c->flags, cc_str(c, "-fsanitize=%s", which));
	/* The executor calls entries through pointers, and another compiler's runtime lacks it. */
	cc_word(&c->flags, "-fno-sanitize=function");
}

/* The words that go to clang with the option letter they came with. */
static int clang_flag(struct cc *c, int letter)
{
	if (letter == 'g')
		c->debug = true;
	if (letter == 'f' && !strncmp(optarg, "sanitize=", 9)) {
		use_sanitizer(c, optarg + 9);
		return 0;
	}
	cc_word(&c->flags, cc_str(c, "-%c%s", letter, optarg ? optarg : ""));
	return 0;
}

static int set_level(struct cc *c)
{
	const char *level = optarg ? optarg : "2";

	if (strlen(level) != 1 || !strchr("0123", *level)) {
		cmd_error("cc", "-O%s: there are -O0 to -O3", level);
		return CMD_USAGE;
	}
	c->level = level;
	return 0;
}

static int set_emit(struct cc *c)
{
	for (size_t i = 0; i < N_EMITS; i++) {
		if (!strcmp(optarg, emits[i].name)) {
			c->emit = emits[i].emit;
			return 0;
		}
	}
	cmd_error("cc", "--emit %s: there are so, ptx, cubin, hsaco, asm and ll", optarg);
	return CMD_USAGE;
}

static int set_threads(struct cc *c)
{
	char *end;
	unsigned long n = strtoul(optarg, &end, 10);

	if (*optarg < '0' || *optarg > '9' || *end || n < 1 || n > 1024) {
		cmd_error("cc", "--max-threads takes a number from 1 to 1024, not \"%s\"", optarg);
		return CMD_USAGE;
	}
	c->threads = (unsigned)n;
	return 0;
}

/* -1: go on; else the exit code. */
static int take_option(struct cc *c, int opt, char **argv, const struct option *longs)
{
	switch (opt) {
	case 't':
		c->target = optarg;
		return 0;
	case 'o':
		c->out = optarg;
		return 0;
	case 'O':
		return set_level(c);
	case OPT_EMIT:
		return set_emit(c);
	case OPT_BC:
		c->bitcode = optarg;
		return 0;
	case OPT_NEAR:
		cmd_error("cc", "--near is now --p2p");
		c->p2p = true;
		return 0;
	case OPT_P2P:
		c->p2p = true;
		return 0;
	case OPT_THREADS:
		return set_threads(c);
	case OPT_KEEP:
		c->keep = true;
		return 0;
	case 'v':
		c->verbose = true;
		return 0;
	case '?':
	case ':':
		return cmd_bad_option("cc", opt, argv, longs);
	default:
		return clang_flag(c, opt);
	}
}

static bool ends(const char *name, const char *with)
{
	size_t n = strlen(name), m = strlen(with);

	return n >= m && !strcmp(name + n - m, with);
}

/* What to make, where the user did not say; an error where the target has no such thing. */
static int choose_emit(struct cc *c)
{
	static const enum cc_emit normal[] = {
		[CC_CPU] = CC_EMIT_SO, [CC_NVPTX] = CC_EMIT_PTX, [CC_AMDGCN] = CC_EMIT_HSACO
	};

	if (c->emit == CC_EMIT_DEFAULT)
		c->emit = c->kind == CC_NVPTX && c->out && ends(c->out, ".cubin") ? CC_EMIT_CUBIN :
										    normal[c->kind];
	for (size_t i = 0; i < N_EMITS; i++) {
		if (emits[i].emit == c->emit && !(emits[i].kinds & 1u << c->kind)) {
			cmd_error("cc", "there is no %s for the target %s", emits[i].name,
				  c->target);
			return CMD_USAGE;
		}
	}
	return 0;
}

/* The file to write if the user named none: the kernel's name in this folder. */
static int choose_output(struct cc *c)
{
	const char *slash = strrchr(c->in, '/'), *name = slash ? slash + 1 : c->in;
	const char *suffix = c->emit == CC_EMIT_ASM ? "s" : NULL;

	if (c->out)
		return 0;
	for (size_t i = 0; i < N_EMITS && !suffix; i++) {
		if (emits[i].emit == c->emit)
			suffix = emits[i].name;
	}
	c->out = cc_str(c, "%.*s.%s", (int)(strrchr(name, '.') - name), name, suffix);
	if (strcmp(c->out, name))
		return 0;
	cmd_error("cc", "where to? -o FILE is missing, and %s is the kernel itself", name);
	return CMD_USAGE;
}

static int check_use(struct cc *c, int argc, char **argv)
{
	if (optind + 1 != argc) {
		cmd_error("cc", optind < argc ? "one kernel at a time, please" :
						"which kernel? (mori cc --help)");
		return CMD_USAGE;
	}
	c->in = argv[optind];
	if (!ends(c->in, ".c") && !ends(c->in, ".ll") && !ends(c->in, ".mlir") &&
	    !ends(c->in, ".bc")) {
		cmd_error("cc", "%s: a kernel is a file .c, .ll, .mlir or .bc", c->in);
		return CMD_USAGE;
	}
	if (cc_target_parse(c) || choose_emit(c) || choose_output(c))
		return CMD_USAGE;
	if (!c->sanitize && c->kind == CC_CPU && strlen(MORI_CC_SANITIZE) > 0)
		use_sanitizer(c, MORI_CC_SANITIZE);
	if (c->sanitize && c->kind != CC_CPU) {
		cmd_error("cc", "-fsanitize is for the CPU only");
		return CMD_USAGE;
	}
	if (access(c->in, R_OK) == 0)
		return 0;
	cmd_error("cc", "%s: %s", c->in, strerror(errno));
	return 1;
}

static int compile_c(struct cc *c, const char *out)
{
	const char *clang = cc_tool(c, CC_CLANG), *include = cc_include(c);
	struct cc_words cmd = { 0 };
	int err;

	if (!clang)
		return 1;
	cc_word(&cmd, clang);
	if (c->kind == CC_NVPTX)
		cc_words_of(c, &cmd,
			    cc_str(c,
				   "--target=nvptx64-nvidia-cuda -march=%s -nogpulib "
				   "-ffreestanding",
				   cc_front_cpu(c)));
	else if (c->kind == CC_AMDGCN)
		cc_words_of(c, &cmd,
			    cc_str(c,
				   "--target=amdgcn-amd-amdhsa -mcpu=%s -nogpulib "
				   "-ffreestanding -Xclang -mcode-object-version=none",
				   cc_front_cpu(c)));
	else /* debug information shows what the parameters of kernels are */
		cc_words_of(c, &cmd, "-fPIC -g");
	cc_words_of(c, &cmd, "-std=gnu11 -fconvergent-functions");
	cc_word(&cmd, cc_str(c, "-O%s", c->level));
	if (include)
		cc_word(&cmd, cc_str(c, "-I%s", include));
	for (size_t i = 0; i < c->flags.n; i++)
		cc_word(&cmd, c->flags.v[i]);
	cc_words_of(c, &cmd, "-Xclang -disable-llvm-passes -emit-llvm -c");
	cc_word(&cmd, c->in);
	cc_word(&cmd, "-o");
	cc_word(&cmd, out);
	err = cc_run(c, &cmd);
	free(cmd.v);
	return err;
}

/* A tool that reads @in and writes @out; @how stands between. */
static int convert(struct cc *c, const char *tool, const char *how, const char *in, const char *out)
{
	struct cc_words cmd = { 0 };
	int err;

	if (!tool)
		return 1;
	cc_word(&cmd, tool);
	cc_words_of(c, &cmd, how);
	cc_word(&cmd, in);
	cc_word(&cmd, "-o");
	cc_word(&cmd, out);
	err = cc_run(c, &cmd);
	free(cmd.v);
	return err;
}

/* LLVM IR of @a and what it needs of @b, as text. */
static int link_text(struct cc *c, const char *a, const char *b, const char *out)
{
	const char *tool = cc_tool(c, CC_LINK);
	struct cc_words cmd = { 0 };
	int err;

	if (!tool)
		return 1;
	cc_word(&cmd, tool);
	cc_words_of(c, &cmd, "--only-needed --suppress-warnings -S");
	cc_word(&cmd, a);
	cc_word(&cmd, b);
	cc_word(&cmd, "-o");
	cc_word(&cmd, out);
	err = cc_run(c, &cmd);
	free(cmd.v);
	return err;
}

/* IR that knows no target, or another one, gets the one of the device library. */
static int retarget(struct cc *c, const char *in, const char *lib, const char *out)
{
	const char *empty = cc_temp(c, ".empty.ll"), *head = cc_temp(c, ".head.ll");
	struct cc_ir ir = { 0 }, first = { 0 };
	FILE *f = fopen(empty, "w");
	int err = !f || fputs("; nothing\n", f) < 0;

	if (f && fclose(f))
		err = 1;
	err = err || link_text(c, empty, lib, head) || cc_ir_read(c, head, &first) ||
	      cc_ir_read(c, in, &ir);
	if (!err) {
		cc_ir_retarget(&ir, &first);
		err = cc_ir_write(&ir, out);
	}
	cc_ir_free(&ir);
	cc_ir_free(&first);
	return err;
}

/* The kernel as LLVM IR of the target, whatever it was written in. */
static int to_ir(struct cc *c, const char *lib, const char **out)
{
	const char *text = c->in;
	int err = 0;

	if (ends(c->in, ".c")) {
		*out = cc_temp(c, ".kernel.bc");
		return compile_c(c, *out);
	}
	if (ends(c->in, ".mlir")) {
		text = cc_temp(c, ".mlir.ll");
		err = convert(c, cc_tool(c, CC_MLIR), "--mlir-to-llvmir", c->in, text);
	} else if (ends(c->in, ".bc")) {
		text = cc_temp(c, ".dis.ll");
		err = convert(c, cc_tool(c, CC_DIS), "", c->in, text);
	}
	*out = cc_temp(c, ".kernel.ll");
	return err ? err : retarget(c, text, lib, *out);
}

static const char *exports(const struct cc_ir *ir)
{
	const char *list = "globalGpuStates";

	if (ir->cc->kind == CC_CPU)
		return "globalGpuStates,mori_cpu_grid,mori_kernels,mori_shared_range";
	for (size_t i = 0; i < ir->n_kernels; i++)
		list = cc_str(ir->cc, "%s,%s", list, ir->kernels[i].name);
	return list;
}

static int build(struct cc *c)
{
	const char *lib = cc_bitcode(c), *kernel, *linked, *fitted;
	struct cc_ir ir = { 0 };
	int err;

	if (c->verbose)
		cc_say_versions(c);
	if (!lib || to_ir(c, lib, &kernel))
		return 1;
	linked = cc_temp(c, ".linked.ll");
	fitted = cc_temp(c, ".fitted.ll");
	err = link_text(c, kernel, lib, linked) || cc_ir_read(c, linked, &ir) || cc_ir_check(&ir) ||
	      cc_ir_kernels(&ir);
	if (!err) {
		cc_ir_fit(&ir);
		err = cc_ir_write(&ir, fitted) || cc_finish(c, fitted, exports(&ir));
	}
	cc_ir_free(&ir);
	return err;
}

static int cmd_cc(int argc, char **argv)
{
	struct cc c = { .target = "cpu", .level = "3" };
	struct cmd_getopt g;
	int opt, err = 0;

	cmd_getopt(options, ":", &g);
	opterr = 0;
	while (!err && (opt = getopt_long(argc, argv, g.shorts, g.longs, NULL)) >= 0) {
		if (opt == 'h') {
			cc_close(&c);
			return cmd_help(&mori_cc);
		}
		err = take_option(&c, opt, argv, g.longs);
	}
	if (!err)
		err = check_use(&c, argc, argv);
	if (!err)
		err = cc_open(&c) || build(&c);
	cc_close(&c);
	return err;
}

const struct command mori_cc = {
	.name = "cc",
	.help = "compile a kernel and link it with the device library",
	.run = cmd_cc,
	.usage = "kernel.{c,ll,mlir,bc} [--target cpu|sm_XX|gfxXXX] [-o out] [options]\n"
		 "\n"
		 "Compiles a kernel and links it with the device library.\n",
	.options = options,
	.more = "Tools come from MORI_LLVM_BINDIR or PATH: clang 19 for C, LLVM 22 (else an\n"
		"older one, 19 at least) for the final code, ptxas for a cubin, lld for AMD.\n"
		"mori info lists those that are here.\n",
	.operand = CMD_KERNEL,
};
