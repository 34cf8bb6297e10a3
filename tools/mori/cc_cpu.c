// SPDX-License-Identifier: MIT
/*
 * What a CPU module contains besides its kernels (src/abi/cpu.h says what for): one
 * entry per kernel that takes `void **args`, the table of kernels with their
 * parameters, and the symbols that the executor looks for.
 */
#include <stdlib.h>
#include <string.h>

#include "mori/cc.h"
#include "mori/cmd.h"

static int kind_number(char kind)
{
	return kind == 'i' ? MORI_SHMEM_PARAM_INT :
	       kind == 'f' ? MORI_SHMEM_PARAM_FLOAT :
	       kind == 'p' ? MORI_SHMEM_PARAM_POINTER :
			     MORI_SHMEM_PARAM_STRUCT;
}

static char kind_of(const struct cc_param *p)
{
	static const char *const reals[] = { "half",   "bfloat", "float",
					     "double", "fp128",	 "x86_fp80" };

	if (p->byval)
		return 's';
	if (p->type[0] == 'i')
		return 'i';
	if (!strncmp(p->type, "ptr", 3))
		return 'p';
	for (size_t i = 0; i < sizeof(reals) / sizeof(reals[0]); i++) {
		if (!strcmp(p->type, reals[i]))
			return 'f';
	}
	return 's';
}

/* LLVM computes the size of a type by itself. */
static const char *size_of(const struct cc_ir *ir, const char *type)
{
	return cc_str(ir->cc, "ptrtoint (ptr getelementptr (%s, ptr null, i32 1) to i32)", type);
}

static bool is_bit(const struct cc_param *p)
{
	return !strcmp(p->type, "i1");
}

/* Loads the bytes at @offset of argument @arg into register %v<n>. */
static void put_load(FILE *f, const struct cc_param *p, size_t n, size_t arg, size_t offset)
{
	fprintf(f, "  %%s%zu = getelementptr ptr, ptr %%args, i64 %zu\n", n, arg);
	fprintf(f, "  %%p%zu = load ptr, ptr %%s%zu, align 8\n", n, n);
	if (p->byval) {
		fprintf(f, "  %%v%zu = getelementptr i8, ptr %%p%zu, i64 0\n", n, n);
		return;
	}
	fprintf(f, "  %%q%zu = getelementptr i8, ptr %%p%zu, i64 %zu\n", n, n, offset);
	if (is_bit(p)) {
		fprintf(f, "  %%b%zu = load i8, ptr %%q%zu, align 1\n", n, n);
		fprintf(f, "  %%v%zu = trunc i8 %%b%zu to i1\n", n, n);
	} else {
		fprintf(f, "  %%v%zu = load %s, ptr %%q%zu, align 1\n", n, p->type, n);
	}
}

static void put_call(FILE *f, const struct cc_kernel *k)
{
	fprintf(f, "  call void @%s(", k->name);
	for (size_t i = 0; i < k->n_params; i++)
		fprintf(f, "%s%s%s %%v%zu", i ? ", " : "", k->params[i].type, k->params[i].attrs,
			i);
	fputs(")\n  ret void\n}\n", f);
}

static size_t n_args(const struct cc_kernel *k)
{
	return k->cparams ? k->n_cparams : k->n_params;
}

static void put_entry(FILE *f, const struct cc_kernel *k, size_t number)
{
	size_t at = 0;

	fprintf(f, "\ndefine internal void @mori_entry.%zu(ptr %%args) nounwind%s {\n", number,
		CC_PROBE);
	for (size_t arg = 0; arg < n_args(k); arg++) {
		size_t n = k->cparams ? cc_debug_pieces(k, arg, at) : 1;

		for (size_t i = 0; i < n; i++, at++)
			put_load(f, &k->params[at], at, arg, 8 * i);
	}
	put_call(f, k);
}

static void put_params(const struct cc_ir *ir, FILE *f, const struct cc_kernel *k, size_t number)
{
	fprintf(f, "@mori_params.%zu = private constant [%zu x { i32, i32 }] [", number, n_args(k));
	for (size_t i = 0; i < n_args(k); i++) {
		const struct cc_param *p = k->cparams ? NULL : &k->params[i];
		char kind = p ? kind_of(p) : k->cparams[i].kind;
		const char *size = p && is_bit(p) ? "1" :
				   p		  ? size_of(ir, p->byval ? p->byval : p->type) :
						    cc_str(ir->cc, "%lu", k->cparams[i].size);

		fprintf(f, "%s{ i32, i32 } { i32 %d, i32 %s }", i ? ", " : "", kind_number(kind),
			size);
	}
	fputs("]\n", f);
}

/* The name of a kernel as the host knows it: without quotes; \xx in them is one character. */
static void put_name(FILE *f, const struct cc_kernel *k, size_t number)
{
	const char *name = k->name;
	size_t len = strlen(name), chars;

	if (*name == '"') {
		name++;
		len -= 2;
	}
	chars = len;
	for (size_t i = 0; i < len; i++)
		chars -= name[i] == '\\' ? 2 : 0;
	fprintf(f, "@mori_name.%zu = private constant [%zu x i8] c\"%.*s\\00\"\n", number,
		chars + 1, (int)len, name);
}

static void put_table(const struct cc_ir *ir, FILE *f)
{
	fprintf(f, "@mori_kernels = constant [%zu x { ptr, ptr, i32, ptr }] [", ir->n_kernels + 1);
	for (size_t i = 0; i < ir->n_kernels; i++)
		fprintf(f,
			"{ ptr, ptr, i32, ptr } { ptr @mori_name.%zu, ptr @mori_entry.%zu, "
			"i32 %zu, ptr @mori_params.%zu }, ",
			i, i, n_args(&ir->kernels[i]), i);
	fputs("{ ptr, ptr, i32, ptr } zeroinitializer]\n", f);
}

/*
 * The linker defines the bounds of the section of shared memory when something uses
 * them; the section exists even if a module has nothing in it.
 */
static void put_symbols(const struct cc_ir *ir, FILE *f)
{
	if (!cc_ir_find(ir, "@mori_cpu_grid"))
		fputs("@mori_cpu_grid = global ptr null, align 8\n", f);
	fputs("@mori_shared_none = internal global [0 x i8] zeroinitializer, section "
	      "\"mori_shared\", align 64\n"
	      "@__start_mori_shared = external global i8\n"
	      "@__stop_mori_shared = external global i8\n"
	      "@mori_shared_range = constant [3 x ptr] [ptr @__start_mori_shared, "
	      "ptr @__stop_mori_shared, ptr @mori_shared_none]\n",
	      f);
}

/*
 * Called first by a function with more than a few locals, with their size in rax and all
 * other registers to be kept: stacks are small and have no guard page, and a large frame
 * would reach past the end without touching it. The bound is struct cpu_grid's; if it
 * is exceeded, the signal handler finds a stack pointer outside every stack.
 */
static void put_probe(FILE *f)
{
	static const char *const lines[] = {
		".text",
		".p2align 4",
		".type mori_stack_probe,@function",
		"mori_stack_probe:",
		"pushq %r11",
		"movq mori_cpu_grid@GOTPCREL(%rip), %r11",
		"movq (%r11), %r11",
		"testq %r11, %r11",
		"je 1f",
		"movq 24(%r11), %r11",
		"addq %rax, %r11",
		"jc 2f",
		"cmpq %r11, %rsp",
		"jb 2f",
		"1: popq %r11",
		"ret",
		"2: xorl %esp, %esp",
		"ud2",
		".size mori_stack_probe, .-mori_stack_probe",
	};

	for (size_t i = 0; *CC_PROBE && i < sizeof(lines) / sizeof(lines[0]); i++)
		fprintf(f, "module asm \"%s\"\n", lines[i]);
}

int cc_cpu_tables(const struct cc_ir *ir, FILE *f)
{
	fputc('\n', f);
	put_symbols(ir, f);
	put_probe(f);
	for (size_t i = 0; i < ir->n_kernels; i++) {
		put_name(f, &ir->kernels[i], i);
		put_params(ir, f, &ir->kernels[i], i);
	}
	put_table(ir, f);
	for (size_t i = 0; i < ir->n_kernels; i++)
		put_entry(f, &ir->kernels[i], i);
	return ferror(f) ? 1 : 0;
}
