// SPDX-License-Identifier: MIT
/*
 * The parameters of a C kernel as its source has them. On the CPU a small struct
 * is passed in registers, and the IR then has one or two numbers in its place; the
 * debug information still has the struct. If anything is not understood, the kernel keeps
 * the parameters of the IR.
 */
#include <stdlib.h>
#include <string.h>

#include "mori/cc.h"

#define DEPTH 32 /* of typedefs and qualifiers; longer chains are not followed */

/* The line of the node whose name ("!12") starts at @s. */
static const char *node(const struct cc_ir *ir, const char *s)
{
	size_t len = s && *s == '!' ? 1 + strspn(s + 1, "0123456789") : 0;

	return len > 1 ? cc_ir_find(ir, cc_str(ir->cc, "%.*s", (int)len, s)) : NULL;
}

/* What follows "key: " in a node; NULL if it has no such key. */
static const char *field(const char *line, const char *key)
{
	size_t len = strlen(key);

	for (const char *s = line; s && (s = strstr(s, key)); s++) {
		if ((s[-1] == '(' || s[-1] == ' ') && s[len] == ':' && s[len + 1] == ' ')
			return s + len + 2;
	}
	return NULL;
}

static bool tag_is(const char *line, const char *tag)
{
	const char *s = field(line, "tag");

	return s && !strncmp(s, tag, strlen(tag));
}

static struct cc_cparam describe(const struct cc_ir *ir, const char *line)
{
	struct cc_cparam p = { 0 };
	const char *size;

	for (int i = 0; line && i < DEPTH; i++) {
		size = field(line, "size");
		p.size = size ? strtoul(size, NULL, 10) / 8 : 0;
		if (strstr(line, "!DIBasicType(")) {
			const char *how = field(line, "encoding");

			p.kind = how && !strncmp(how, "DW_ATE_float", 12) ? 'f' : 'i';
			return p;
		}
		if (tag_is(line, "DW_TAG_pointer_type")) {
			p.kind = 'p';
			return p;
		}
		if (strstr(line, "!DICompositeType(")) {
			p.kind = tag_is(line, "DW_TAG_enumeration_type") ? 'i' : 's';
			return p;
		}
		line = node(ir, field(line, "baseType"));
	}
	return p;
}

/* The list of types of the definition: the return type, then the parameters. */
static const char *type_list(const struct cc_ir *ir, const struct cc_kernel *k)
{
	const char *dbg = strstr(ir->lines[k->line], " !dbg !");
	const char *program = dbg ? node(ir, dbg + 6) : NULL;
	const char *type = program ? node(ir, field(program, "type")) : NULL;
	const char *list = type ? node(ir, field(type, "types")) : NULL;

	list = list ? strstr(list, "= !{") : NULL;
	return list ? list + 4 : NULL;
}

size_t cc_debug_pieces(const struct cc_kernel *k, size_t arg, size_t at)
{
	const struct cc_cparam *p = &k->cparams[arg];

	if (p->kind != 's' || (at < k->n_params && k->params[at].byval))
		return 1;
	return (p->size + 7) / 8;
}

static bool adds_up(const struct cc_kernel *k)
{
	size_t at = 0;

	for (size_t arg = 0; arg < k->n_cparams; arg++) {
		if (!k->cparams[arg].kind)
			return false;
		at += cc_debug_pieces(k, arg, at);
	}
	return at == k->n_params;
}

void cc_debug_params(struct cc_ir *ir, struct cc_kernel *k)
{
	const char *s = type_list(ir, k);

	for (s = s ? strchr(s, ',') : NULL; s; s = strchr(s + 1, ',')) {
		struct cc_cparam *more = realloc(k->cparams, (k->n_cparams + 1) * sizeof(*more));

		if (!more)
			return;
		k->cparams = more;
		k->cparams[k->n_cparams++] = describe(ir, node(ir, s + 2));
	}
	if (adds_up(k))
		return;
	free(k->cparams);
	k->cparams = NULL;
	k->n_cparams = 0;
}
