// SPDX-License-Identifier: MIT
/*
 * A decoded instruction. libLLVM's disassembler turns bytes into text, which is parsed once per
 * address: there are no tables of encodings here that could be wrong.
 */
#ifndef MORI_EMU_INSN_H
#define MORI_EMU_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct emu_wave;
struct emu_insn;

enum emu_kind {
	EMU_NONE, /* "off", "null" */
	EMU_VGPR,
	EMU_ACC,
	EMU_SGPR,
	EMU_INT,     /* an inline constant; sign-extended */
	EMU_LITERAL, /* 32 bits of the code */
	EMU_FLOAT,   /* an inline constant: as wide as the operand */
	EMU_HWREG,
};

struct emu_opnd {
	uint8_t kind, n; /* of registers */
	bool neg, abs, sext;
	uint8_t sel; /* SDWA: 0, 1 to 4: a byte, 5 and 6: a half */
	uint16_t reg;
	uint64_t imm;
	double value;
};

enum emu_dpp {
	EMU_DPP_NONE,
	EMU_DPP_QUAD,
	EMU_DPP_SHL,
	EMU_DPP_SHR,
	EMU_DPP_ROR,
	EMU_DPP_WAVE_SHL,
	EMU_DPP_WAVE_ROL,
	EMU_DPP_WAVE_SHR,
	EMU_DPP_WAVE_ROR,
	EMU_DPP_MIRROR,
	EMU_DPP_HALF_MIRROR,
	EMU_DPP_BCAST15,
	EMU_DPP_BCAST31,
	EMU_DPP_NEWBCAST,
};

#define EMU_OPNDS 7
typedef void emu_op(struct emu_wave *w, const struct emu_insn *i);

struct emu_insn {
	emu_op *run;
	uint64_t pc;
	uint8_t size, n;
	struct emu_opnd o[EMU_OPNDS];
	/* Modifiers, by their names. */
	int32_t offset;
	uint16_t offset0, offset1;
	bool sc0, sc1, nt, glc, slc, clamp, offen, idxen, lds, gds;
	uint8_t omod;				   /* 0, 1: times 2, 2: times 4, 3: half */
	uint8_t op_sel, op_sel_hi, neg_lo, neg_hi; /* a bit per operand */
	uint8_t dst_sel, dst_unused;
	uint8_t dpp, dpp_arg, row_mask, bank_mask;
	bool bound_ctrl;
	uint8_t cbsz, abid, blgp;
	/* What a family of instructions has in its name, for the one function that runs them. */
	int form, width;
	uint64_t count; /* how often it was run */
	char name[40], text[128];
};

struct emu_decoder;

/* NULL and a text if there is no libLLVM, or it does not know @cpu. */
struct emu_decoder *emu_decoder_open(const char *cpu, char *why, size_t len);
void emu_decoder_close(struct emu_decoder *d);
/* The instruction at @code, which runs at @pc; run is NULL if it is not known. False: not decodable. */
bool emu_decode(struct emu_decoder *d, const void *code, size_t len, uint64_t pc,
		struct emu_insn *out);

/* The function for a name without its suffix; sets form and width. NULL: there is none. */
emu_op *emu_find_scalar(struct emu_insn *i);
emu_op *emu_find_flow(struct emu_insn *i);
emu_op *emu_find_vector(struct emu_insn *i);
emu_op *emu_find_float(struct emu_insn *i);
emu_op *emu_find_packed(struct emu_insn *i);
emu_op *emu_find_convert(struct emu_insn *i);
emu_op *emu_find_cross(struct emu_insn *i);
emu_op *emu_find_memory(struct emu_insn *i);
emu_op *emu_find_lds(struct emu_insn *i);
emu_op *emu_find_mfma(struct emu_insn *i);

/* A row of a table of instructions. */
struct emu_entry {
	const char *name;
	emu_op *run;
	int form, width;
};
emu_op *emu_find(struct emu_insn *i, const struct emu_entry *table, size_t n);
#define EMU_FIND(i, table) emu_find(i, table, sizeof(table) / sizeof((table)[0]))

#endif
