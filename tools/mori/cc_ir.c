// SPDX-License-Identifier: MIT
/*
 * LLVM IR as lines of text: which functions in it are kernels, what it lacks,
 * and the few words that must change for the target.
 *
 * A kernel is a function with the mark of MORI_KERNEL (an annotation), the calling
 * convention of a GPU's kernels, the annotation of NVVM, or the attribute
 * "mori_kernel". All of these count on every target.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mori/cc.h"
#include "mori/cmd.h"

static const char *const conventions[] = { "ptx_kernel", "amdgpu_kernel", "spir_kernel" };
#define N_CONVENTIONS (sizeof(conventions) / sizeof(conventions[0]))

static char *read_file(const char *file)
{
	FILE *f = fopen(file, "r");
	char *text = NULL;
	size_t room = 0;

	if (!f || getdelim(&text, &room, '\0', f) < 0) {
		cmd_error("cc", "cannot read %s: %s", file,
			  f && feof(f) ? "empty" : strerror(errno));
		free(text);
		text = NULL;
	}
	if (f)
		fclose(f);
	return text;
}

int cc_ir_read(struct cc *c, const char *file, struct cc_ir *ir)
{
	size_t n = 1;

	*ir = (struct cc_ir){ .cc = c, .text = read_file(file) };
	if (!ir->text)
		return 1;
	for (const char *s = ir->text; (s = strchr(s, '\n')); s++)
		n++;
	ir->lines = calloc(n, sizeof(*ir->lines));
	if (!ir->lines) {
		cmd_error("cc", "out of memory");
		return 1;
	}
	for (char *s = ir->text, *end; s; s = end) {
		end = strchr(s, '\n');
		if (end)
			*end++ = '\0';
		ir->lines[ir->n_lines++] = s;
	}
	return 0;
}

void cc_ir_free(struct cc_ir *ir)
{
	for (size_t i = 0; i < ir->n_kernels; i++) {
		free(ir->kernels[i].params);
		free(ir->kernels[i].cparams);
	}
	free(ir->kernels);
	free(ir->lines);
	free(ir->text);
}

int cc_ir_write(const struct cc_ir *ir, const char *file)
{
	FILE *f = fopen(file, "w");
	int err = !f;

	for (size_t i = 0; f && i < ir->n_lines; i++)
		fprintf(f, "%s\n", ir->lines[i]);
	if (f && ir->cc->kind == CC_CPU && ir->n_kernels)
		err = cc_cpu_tables(ir, f);
	if (f && (ferror(f) | fclose(f)))
		err = 1;
	if (err)
		cmd_error("cc", "cannot write %s: %s", file, strerror(errno));
	return err;
}

static bool starts(const char *line, const char *with)
{
	return !strncmp(line, with, strlen(with));
}

const char *cc_ir_find(const struct cc_ir *ir, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < ir->n_lines; i++) {
		if (!strncmp(ir->lines[i], name, len) && !strncmp(ir->lines[i] + len, " = ", 3))
			return ir->lines[i];
	}
	return NULL;
}

/* The length of the name behind an @, with its quotes if it has any. */
static size_t name_len(const char *s)
{
	const char *end = *s == '"' ? strchr(s + 1, '"') : NULL;

	return end ? (size_t)(end + 1 - s) :
		     strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "0123456789_$.-");
}

/* Does the line have the word as a word? */
static bool has_word(const char *line, const char *word, const char *end)
{
	size_t len = strlen(word);

	for (const char *s = line; (s = strstr(s, word)) && s < end; s++) {
		if (s > line && s[-1] == ' ' && s[len] == ' ')
			return true;
	}
	return false;
}

static bool by_convention(const char *line, const char *name)
{
	for (size_t i = 0; i < N_CONVENTIONS; i++) {
		if (has_word(line, conventions[i], name))
			return true;
	}
	return false;
}

/* The attribute, in the line itself or in a group that the line names. */
static bool by_attribute(const struct cc_ir *ir, const char *name)
{
	const char *s = name;

	if (strstr(s, "\"mori_kernel\""))
		return true;
	while ((s = strstr(s, " #"))) {
		const char *group = cc_ir_find(ir, cc_str(ir->cc, "attributes #%.*s",
							  (int)strspn(s + 2, "0123456789"), s + 2));

		if (group && strstr(group, "\"mori_kernel\""))
			return true;
		s += 2;
	}
	return false;
}

/* Does a node of !nvvm.annotations call the function of that name a kernel? */
static bool by_nvvm(const struct cc_ir *ir, const char *name, size_t len)
{
	const char *text = cc_str(ir->cc, "!{ptr @%.*s, ", (int)len, name);

	for (size_t i = 0; i < ir->n_lines; i++) {
		const char *s = *ir->lines[i] == '!' ? strstr(ir->lines[i], text) : NULL;

		if (s && strstr(s, "!\"kernel\", i32 1"))
			return true;
	}
	return false;
}

/* MORI_KERNEL: an entry of llvm.global.annotations, { ptr @name, ptr @text, ... }. */
static bool by_mark(const struct cc_ir *ir, const char *name, size_t len)
{
	const char *list = cc_ir_find(ir, "@llvm.global.annotations");
	const char *entry = cc_str(ir->cc, "{ ptr @%.*s, ptr @", (int)len, name);

	for (const char *s = list; s && (s = strstr(s, entry));) {
		const char *text;

		s += strlen(entry);
		text = cc_ir_find(ir, cc_str(ir->cc, "@%.*s", (int)name_len(s), s));
		if (text && strstr(text, "c\"mori_kernel\\00\""))
			return true;
	}
	return false;
}

static int add_kernel(struct cc_ir *ir, const char *name, size_t len, size_t line)
{
	struct cc_kernel *k = realloc(ir->kernels, (ir->n_kernels + 1) * sizeof(*k));

	if (!k) {
		cmd_error("cc", "out of memory");
		return 1;
	}
	ir->kernels = k;
	k += ir->n_kernels++;
	*k = (struct cc_kernel){ .name = cc_str(ir->cc, "%.*s", (int)len, name), .line = line };
	if (cc_define_params(ir, k))
		return 1;
	if (ir->cc->kind == CC_CPU)
		cc_debug_params(ir, k);
	return 0;
}

int cc_ir_kernels(struct cc_ir *ir)
{
	const char *name;
	size_t len;

	for (size_t i = 0; i < ir->n_lines; i++) {
		const char *line = ir->lines[i];

		if (!cc_define_name(line, &name, &len))
			continue;
		if ((by_convention(line, name) || by_attribute(ir, name) ||
		     by_mark(ir, name, len) || by_nvvm(ir, name, len)) &&
		    add_kernel(ir, name, len, i))
			return 1;
	}
	if (ir->n_kernels)
		return 0;
	cmd_error("cc",
		  "%s has no kernel: in C, put MORI_KERNEL before a function; in LLVM IR or "
		  "MLIR, give it the attribute \"mori_kernel\"",
		  ir->cc->in);
	return 1;
}

/* Is the function called or its address taken anywhere? A declaration does not count. */
static bool is_used(const struct cc_ir *ir, const char *name, size_t len)
{
	const char *at = cc_str(ir->cc, "@%.*s", (int)len, name);

	for (size_t i = 0; i < ir->n_lines; i++) {
		if (starts(ir->lines[i], "declare "))
			continue;
		for (const char *s = ir->lines[i]; (s = strstr(s, at)); s += len) {
			if (!name_len(s + len + 1) && s[len + 1] != '"')
				return true;
		}
	}
	return false;
}

/* Functions that the GPU's driver provides to every kernel. */
static bool in_driver(enum cc_kind kind, const char *name)
{
	static const char *const names[] = { "vprintf", "malloc", "free", "__assertfail" };

	for (size_t i = 0; kind == CC_NVPTX && i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return false;
}

int cc_ir_check(const struct cc_ir *ir)
{
	int missing = 0;

	for (size_t i = 0; i < ir->n_lines; i++) {
		const char *at =
			starts(ir->lines[i], "declare ") ? strchr(ir->lines[i], '@') : NULL;
		size_t len = at ? name_len(at + 1) : 0;
		const char *name = at ? cc_str(ir->cc, "%.*s", (int)len, at + 1) : NULL;
		bool ours = at && starts(name, "mori_");

		if (!at || starts(name, "llvm.") || (ir->cc->kind == CC_CPU && !ours) ||
		    in_driver(ir->cc->kind, name) || !is_used(ir, name, len))
			continue;
		cmd_error("cc", "%s: undefined function %s%s", ir->cc->in, name,
			  ours ? ", which the device library does not have" : "");
		missing++;
	}
	return missing ? 1 : 0;
}

/* The definition of a kernel with the words that the target requires before its name. */
static const char *kernel_line(struct cc_ir *ir, const struct cc_kernel *k)
{
	static const char *const words[] = {
		[CC_CPU] = "", [CC_NVPTX] = "ptx_kernel ", [CC_AMDGCN] = "protected amdgpu_kernel "
	};
	const char *rest = strstr(ir->lines[k->line], "void @");

	return cc_str(ir->cc, "define %s%s", words[ir->cc->kind], rest);
}

/* Without " "key"="value"" for each of the keys. */
static const char *drop_attributes(struct cc *c, const char *line)
{
	static const char *const keys[] = { "target-cpu", "target-features", "tune-cpu" };
	char *copy = cc_str(c, "%s", line);

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		char *s = strstr(copy, cc_str(c, " \"%s\"=\"", keys[i]));
		char *end = s ? strchr(s + strlen(keys[i]) + 5, '"') : NULL;

		if (end)
			memmove(s, end + 1, strlen(end + 1) + 1);
	}
	return copy;
}

/* Block memory is in a section of its own. */
static const char *shared_line(struct cc *c, const char *line)
{
	const char *align = strstr(line, ", align ");
	int len = align ? (int)(align - line) : (int)strlen(line);

	if (!strstr(line, " addrspace(3) global ") || strstr(line, ", section "))
		return line;
	return cc_str(c, "%.*s, section \"mori_shared\"%s", len, line, align ? align : "");
}

void cc_ir_fit(struct cc_ir *ir)
{
	struct cc *c = ir->cc;

	for (size_t i = 0; i < ir->n_lines; i++) {
		const char *line = ir->lines[i];

		if (starts(line, "@llvm.global.annotations = "))
			ir->lines[i] = "";
		else if (c->kind == CC_CPU && *line == '@')
			ir->lines[i] = shared_line(c, line);
		else if (c->kind == CC_CPU && starts(line, "define "))
			ir->lines[i] = cc_define_probe(c, line);
		else if (c->kind != CC_CPU && starts(line, "attributes #"))
			ir->lines[i] = drop_attributes(c, line);
	}
	for (size_t i = 0; i < ir->n_kernels; i++)
		ir->lines[ir->kernels[i].line] = kernel_line(ir, &ir->kernels[i]);
}

void cc_ir_retarget(struct cc_ir *ir, const struct cc_ir *head)
{
	static const char *const keys[] = { "target datalayout = ", "target triple = " };
	struct cc *c = ir->cc;
	const char *first = "";

	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; i < head->n_lines; i++) {
			if (starts(head->lines[i], keys[k]))
				first = cc_str(c, "%s%s\n", first, head->lines[i]);
		}
		for (size_t i = 0; i < ir->n_lines; i++) {
			if (starts(ir->lines[i], keys[k]))
				ir->lines[i] = "";
		}
	}
	if (ir->n_lines)
		ir->lines[0] = cc_str(c, "%s%s", first, ir->lines[0]);
}
