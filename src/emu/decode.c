// SPDX-License-Identifier: MIT
/*
 * From bytes to instructions: libLLVM's disassembler, opened at run time, gives the text, and this
 * file reads the text. Owns the handle of the library and the rules of its notation.
 */
#include "emu/insn.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/wave.h"

struct emu_decoder {
	void *library, *context;
	void (*dispose)(void *);
	size_t (*disassemble)(void *, uint8_t *, uint64_t, uint64_t, char *, size_t);
};

/* The C API of LLVM's disassembler; the same in every version. */
typedef void *emu_create(const char *, const char *, void *, int, void *, void *);

static void *decode_library(char *why, size_t len)
{
	static const char *const names[] = { "libLLVM.so.22.1", "libLLVM-22.so.1",
					     "libLLVM.so.21.1", "libLLVM.so.20.1",
					     "libLLVM.so.19.1", "libLLVM-19.so.1" };
	void *library;

	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
		if (library)
			return library;
	}
	snprintf(why, len, "no libLLVM of version 19 to 22 was found (package libllvm19)");
	return NULL;
}

static bool decode_init(void *library)
{
	static const char *const names[] = { "LLVMInitializeAMDGPUTargetInfo",
					     "LLVMInitializeAMDGPUTarget",
					     "LLVMInitializeAMDGPUTargetMC",
					     "LLVMInitializeAMDGPUDisassembler" };

	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		void (*init)(void) = (void (*)(void))dlsym(library, names[k]);

		if (!init)
			return false;
		init();
	}
	return true;
}

struct emu_decoder *emu_decoder_open(const char *cpu, char *why, size_t len)
{
	struct emu_decoder *d = calloc(1, sizeof(*d));
	emu_create *create;

	if (!d) {
		snprintf(why, len, "out of memory");
		return NULL;
	}
	d->library = decode_library(why, len);
	if (!d->library) {
		free(d);
		return NULL;
	}
	create = (emu_create *)dlsym(d->library, "LLVMCreateDisasmCPU");
	*(void **)&d->disassemble = dlsym(d->library, "LLVMDisasmInstruction");
	*(void **)&d->dispose = dlsym(d->library, "LLVMDisasmDispose");
	if (!create || !d->disassemble || !d->dispose || !decode_init(d->library))
		snprintf(why, len, "this libLLVM has no AMDGPU disassembler");
	else if (!(d->context = create("amdgcn-amd-amdhsa", cpu, NULL, 0, NULL, NULL)))
		snprintf(why, len, "this libLLVM does not know %s", cpu);
	else
		return d;
	emu_decoder_close(d);
	return NULL;
}

void emu_decoder_close(struct emu_decoder *d)
{
	if (d->context)
		d->dispose(d->context);
	dlclose(d->library);
	free(d);
}

static bool decode_read_named(const char *t, struct emu_opnd *o)
{
	static const struct {
		const char *name;
		uint16_t reg, n;
	} names[] = {
		{ "vcc", EMU_VCC, 2 },
		{ "vcc_lo", EMU_VCC, 1 },
		{ "vcc_hi", EMU_VCC + 1, 1 },
		{ "exec", EMU_EXEC, 2 },
		{ "exec_lo", EMU_EXEC, 1 },
		{ "exec_hi", EMU_EXEC + 1, 1 },
		{ "m0", EMU_M0, 1 },
		{ "scc", EMU_SCC, 1 },
		{ "src_scc", EMU_SCC, 1 },
		{ "flat_scratch", EMU_FLAT_SCRATCH, 2 },
		{ "flat_scratch_lo", EMU_FLAT_SCRATCH, 1 },
		{ "flat_scratch_hi", EMU_FLAT_SCRATCH + 1, 1 },
		{ "xnack_mask", EMU_XNACK_MASK, 2 },
	};

	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		if (strcmp(t, names[k].name))
			continue;
		o->kind = EMU_SGPR;
		o->reg = names[k].reg;
		o->n = (uint8_t)names[k].n;
		return true;
	}
	return false;
}

/* v7, s[4:5], a[0:15], ttmp3. */
static bool decode_read_register(const char *t, struct emu_opnd *o)
{
	bool ttmp = !strncmp(t, "ttmp", 4);
	unsigned first, last;

	if (decode_read_named(t, o))
		return true;
	if (!ttmp && !strchr("vsa", *t))
		return false;
	o->kind = *t == 'v' ? EMU_VGPR : *t == 'a' ? EMU_ACC : EMU_SGPR;
	t += ttmp ? 4 : 1;
	if (sscanf(t, "[%u:%u]", &first, &last) != 2) {
		if (!isdigit((unsigned char)*t))
			return false;
		first = last = (unsigned)atoi(t);
	}
	o->reg = (uint16_t)(first + (ttmp ? EMU_TTMP : 0));
	o->n = (uint8_t)(last - first + 1);
	return true;
}

/* The bases of a lane's own memory and of its block's, as 64-bit constants; see memory.c. */
static bool decode_read_base(const char *t, struct emu_opnd *o)
{
	if (!strcmp(t, "src_shared_base"))
		o->imm = EMU_LDS_BASE;
	else if (!strcmp(t, "src_private_base"))
		o->imm = EMU_SCRATCH_BASE;
	else if (!strcmp(t, "src_shared_limit"))
		o->imm = EMU_LDS_BASE | 0xffffffff;
	else if (!strcmp(t, "src_private_limit"))
		o->imm = EMU_SCRATCH_BASE | 0xffffffff;
	else
		return false;
	o->kind = EMU_INT;
	return true;
}

/* hwreg(HW_REG_MODE, 4, 2): the name's hash is of no use, so MODE is 1 and all others 0. */
static bool decode_read_hwreg(const char *t, struct emu_opnd *o)
{
	unsigned at = 0, n = 32;
	const char *comma = strchr(t, ',');

	if (strncmp(t, "hwreg(", 6))
		return false;
	if (comma && sscanf(comma, ", %u, %u", &at, &n) != 2)
		return false;
	o->kind = EMU_HWREG;
	o->reg = !strncmp(t + 6, "HW_REG_MODE", 11);
	o->imm = at | (uint64_t)n << 8;
	return true;
}

static bool decode_read_number(const char *t, struct emu_opnd *o)
{
	char *end;

	if (!strncmp(t, "0x", 2)) {
		o->kind = EMU_LITERAL;
		o->imm = strtoull(t, &end, 16);
	} else if (strpbrk(t, ".e") && !strchr(t, 'x')) {
		o->kind = EMU_FLOAT;
		o->value = strtod(t, &end);
	} else {
		o->kind = EMU_INT;
		o->imm = (uint64_t)strtoll(t, &end, 0);
	}
	return end != t && !*end;
}

/* Takes @open and the last character away. */
static bool decode_strip(char **t, const char *open)
{
	size_t n = strlen(open), len = strlen(*t);

	if (strncmp(*t, open, n) || len <= n)
		return false;
	(*t)[len - 1] = '\0';
	*t += n;
	return true;
}

static bool decode_read_operand(char *t, struct emu_opnd *o)
{
	*o = (struct emu_opnd){ .n = 1 };
	if (*t == '-' && !isdigit((unsigned char)t[1])) {
		o->neg = true;
		t++;
	}
	o->neg |= decode_strip(&t, "neg(");
	o->abs = decode_strip(&t, "|") || decode_strip(&t, "abs(");
	o->sext = decode_strip(&t, "sext(");
	decode_strip(&t, "lit(");
	if (!strcmp(t, "off") || !strcmp(t, "null")) {
		o->kind = EMU_NONE;
		return true;
	}
	return decode_read_register(t, o) || decode_read_base(t, o) || decode_read_hwreg(t, o) ||
	       decode_read_number(t, o);
}

static uint8_t decode_read_sel(const char *t)
{
	if (!strncmp(t, "BYTE_", 5))
		return (uint8_t)(1 + t[5] - '0');
	return !strncmp(t, "WORD_", 5) ? (uint8_t)(5 + t[5] - '0') : 0;
}

/* [1,0,1] as bits, the first lowest. */
static uint8_t decode_read_bits(const char *t)
{
	uint8_t bits = 0;

	for (unsigned k = 0; k < 4 && (t[1 + 2 * k] == '0' || t[1 + 2 * k] == '1'); k++)
		bits |= (uint8_t)((t[1 + 2 * k] == '1') << k);
	return bits;
}

static uint8_t decode_read_quad(const char *t)
{
	unsigned a, b, c, d;

	return sscanf(t, "[%u,%u,%u,%u]", &a, &b, &c, &d) == 4 ?
		       (uint8_t)(a | b << 2 | c << 4 | d << 6) :
		       0;
}

static bool decode_read_dpp(struct emu_insn *i, const char *key, const char *value)
{
	static const struct {
		const char *name;
		uint8_t dpp;
	} names[] = {
		{ "quad_perm", EMU_DPP_QUAD },	      { "row_shl", EMU_DPP_SHL },
		{ "row_shr", EMU_DPP_SHR },	      { "row_ror", EMU_DPP_ROR },
		{ "wave_shl", EMU_DPP_WAVE_SHL },     { "wave_rol", EMU_DPP_WAVE_ROL },
		{ "wave_shr", EMU_DPP_WAVE_SHR },     { "wave_ror", EMU_DPP_WAVE_ROR },
		{ "row_mirror", EMU_DPP_MIRROR },     { "row_half_mirror", EMU_DPP_HALF_MIRROR },
		{ "row_newbcast", EMU_DPP_NEWBCAST },
	};

	if (!strcmp(key, "row_bcast")) {
		i->dpp = atoi(value) == 15 ? EMU_DPP_BCAST15 : EMU_DPP_BCAST31;
		return true;
	}
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		if (strcmp(key, names[k].name))
			continue;
		i->dpp = names[k].dpp;
		i->dpp_arg = *value == '[' ? decode_read_quad(value) : (uint8_t)atoi(value);
		return true;
	}
	return false;
}

/* Modifiers without a value. */
static bool decode_read_flag(struct emu_insn *i, const char *t)
{
	static const struct {
		const char *name;
		size_t at;
	} names[] = {
#define FLAG(x) { #x, offsetof(struct emu_insn, x) }
		FLAG(sc0),   FLAG(sc1),	  FLAG(nt),    FLAG(glc), FLAG(slc),
		FLAG(clamp), FLAG(offen), FLAG(idxen), FLAG(lds), FLAG(gds),
#undef FLAG
	};

	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		if (!strcmp(t, names[k].name)) {
			*(bool *)((char *)i + names[k].at) = true;
			return true;
		}
	}
	return decode_read_dpp(i, t, "");
}

static bool decode_read_sdwa(struct emu_insn *i, const char *key, const char *value)
{
	unsigned first = strstr(i->name, "_co_") ? 2 : 1;

	if (!strcmp(key, "dst_sel"))
		i->dst_sel = decode_read_sel(value);
	else if (!strcmp(key, "dst_unused"))
		i->dst_unused =
			!strcmp(value, "UNUSED_PRESERVE") ? 2 : !strcmp(value, "UNUSED_SEXT");
	else if (!strcmp(key, "src0_sel"))
		i->o[first].sel = decode_read_sel(value);
	else if (!strcmp(key, "src1_sel"))
		i->o[first + 1].sel = decode_read_sel(value);
	else
		return false;
	return true;
}

static bool decode_read_value(struct emu_insn *i, const char *key, const char *value)
{
	if (!strcmp(key, "offset"))
		i->offset = (int32_t)strtol(value, NULL, 0);
	else if (!strcmp(key, "offset0"))
		i->offset0 = (uint16_t)atoi(value);
	else if (!strcmp(key, "offset1"))
		i->offset1 = (uint16_t)atoi(value);
	else if (!strcmp(key, "op_sel"))
		i->op_sel = decode_read_bits(value);
	else if (!strcmp(key, "op_sel_hi"))
		i->op_sel_hi = decode_read_bits(value);
	else if (!strcmp(key, "neg_lo"))
		i->neg_lo = decode_read_bits(value);
	else if (!strcmp(key, "neg_hi"))
		i->neg_hi = decode_read_bits(value);
	else if (!strcmp(key, "row_mask"))
		i->row_mask = (uint8_t)strtol(value, NULL, 0);
	else if (!strcmp(key, "bank_mask"))
		i->bank_mask = (uint8_t)strtol(value, NULL, 0);
	else if (!strcmp(key, "bound_ctrl"))
		i->bound_ctrl = true;
	else if (!strcmp(key, "cbsz"))
		i->cbsz = (uint8_t)atoi(value);
	else if (!strcmp(key, "abid"))
		i->abid = (uint8_t)atoi(value);
	else if (!strcmp(key, "blgp"))
		i->blgp = (uint8_t)atoi(value);
	else if (!strcmp(key, "bitop3"))
		i->form = (int)strtol(value, NULL, 0);
	else if (!strcmp(key, "mul"))
		i->omod = atoi(value) == 2 ? 1 : 2;
	else if (!strcmp(key, "div"))
		i->omod = 3;
	else
		return decode_read_sdwa(i, key, value) || decode_read_dpp(i, key, value);
	return true;
}

static bool decode_read_modifiers(struct emu_insn *i, char *t)
{
	char *save = NULL;

	for (char *m = strtok_r(t, " ", &save); m; m = strtok_r(NULL, " ", &save)) {
		char *colon = strchr(m, ':');

		if (!colon) {
			if (!decode_read_flag(i, m))
				return false;
			continue;
		}
		*colon = '\0';
		if (!decode_read_value(i, m, colon + 1))
			return false;
	}
	return true;
}

/* The end of an operand: a comma or a blank that is in no bracket. */
static char *decode_operand_end(char *t)
{
	int depth = 0;

	for (; *t; t++) {
		depth += (*t == '[' || *t == '(') - (*t == ']' || *t == ')');
		if (!depth && (*t == ',' || *t == ' '))
			break;
	}
	return t;
}

static bool decode_read_rest(struct emu_insn *i, char *t)
{
	while (*t) {
		char *end = decode_operand_end(t), stop = *end;

		*end = '\0';
		if (i->n == EMU_OPNDS || !decode_read_operand(t, &i->o[i->n]))
			return false;
		i->n++;
		if (!stop)
			return true;
		t = end + 1 + (stop == ',' && end[1] == ' ');
		if (stop == ' ')
			return decode_read_modifiers(i, t);
	}
	return true;
}

/* Names of one operation in several encodings differ by a suffix. */
static void decode_drop_suffix(char *name)
{
	static const char *const suffixes[] = { "_e64_dpp", "_e32", "_e64", "_sdwa", "_dpp" };
	size_t len = strlen(name);

	for (size_t k = 0; k < sizeof(suffixes) / sizeof(suffixes[0]); k++) {
		size_t n = strlen(suffixes[k]);

		if (len > n && !strcmp(name + len - n, suffixes[k])) {
			name[len - n] = '\0';
			return;
		}
	}
}

static emu_op *decode_find_op(struct emu_insn *i)
{
	static emu_op *(*const find[])(struct emu_insn *) = {
		emu_find_scalar,  emu_find_flow,  emu_find_vector, emu_find_float, emu_find_packed,
		emu_find_convert, emu_find_cross, emu_find_memory, emu_find_lds,   emu_find_mfma,
	};
	emu_op *run = NULL;

	for (size_t k = 0; !run && k < sizeof(find) / sizeof(find[0]); k++)
		run = find[k](i);
	return run;
}

emu_op *emu_find(struct emu_insn *i, const struct emu_entry *table, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		if (strcmp(i->name, table[k].name))
			continue;
		if (table[k].form)
			i->form = table[k].form;
		i->width = table[k].width;
		return table[k].run;
	}
	return NULL;
}

bool emu_decode(struct emu_decoder *d, const void *code, size_t len, uint64_t pc,
		struct emu_insn *out)
{
	uint8_t bytes[20] = { 0 };
	char text[128], *t = text, *rest;
	size_t n = len < sizeof(bytes) ? len : sizeof(bytes);

	*out = (struct emu_insn){ .pc = pc, .op_sel_hi = 15, .row_mask = 15, .bank_mask = 15 };
	memcpy(bytes, code, n);
	n = d->disassemble(d->context, bytes, n, pc, text, sizeof(text));
	if (!n)
		return false;
	out->size = (uint8_t)n;
	t += strspn(t, " \t");
	snprintf(out->text, sizeof(out->text), "%s", t);
	rest = t + strcspn(t, " \t");
	if (*rest)
		*rest++ = '\0';
	rest += strspn(rest, " \t");
	rest[strcspn(rest, "\n")] = '\0';
	snprintf(out->name, sizeof(out->name), "%s", t);
	decode_drop_suffix(out->name);
	/* Caches have modifiers and no operands; what is waited for and sent is left in the text. */
	if (!strncmp(out->name, "buffer_inv", 10) || !strncmp(out->name, "buffer_wb", 9)) {
		if (!decode_read_modifiers(out, rest))
			return true;
	} else if (strcmp(out->name, "s_waitcnt") && strcmp(out->name, "s_sendmsg") &&
		   !decode_read_rest(out, rest)) {
		return true;
	}
	out->run = decode_find_op(out);
	return true;
}
