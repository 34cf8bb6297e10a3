// SPDX-License-Identifier: MIT
/*
 * What the parts of `mori cc` share. A run goes from a source to LLVM IR (clang or
 * mlir-translate), links it with the device library, looks over the linked text for
 * kernels and makes it fit the target, and gives it to LLVM. No LLVM library is
 * linked: everything is text and tools.
 */
#ifndef MORI_TOOLS_CC_H
#define MORI_TOOLS_CC_H

#include <mori/shmem.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum cc_kind { CC_CPU, CC_NVPTX, CC_AMDGCN, CC_KINDS };
enum cc_emit {
	CC_EMIT_DEFAULT,
	CC_EMIT_SO,
	CC_EMIT_PTX,
	CC_EMIT_CUBIN,
	CC_EMIT_HSACO,
	CC_EMIT_ASM,
	CC_EMIT_LL
};

/* A growing list of words; the last is followed by NULL. Words are borrowed. */
struct cc_words {
	const char **v;
	size_t n, room;
};

struct cc {
	const char *in, *out, *target; /* as the user gave them */
	const char *bitcode;	       /* of the device library */
	enum cc_kind kind;
	enum cc_emit emit;
	const char *level; /* 0 to 3, as -O has it */
	bool verbose, keep, debug;
	bool p2p;	       /* no peer that only a NIC reaches */
	unsigned threads;      /* most per block; 0: not given */
	const char *sanitize;  /* what -fsanitize= says, or NULL */
	struct cc_words flags; /* of the user, for clang */
	char *dir;	       /* of the temporary files */
	int n_temps;
	int llvm;	       /* the version that makes the final code, once it was looked up */
	struct cc_words owned; /* strings that live as long as the run */
};

/* cc_run.c: strings, temporary files, and tools that are run. */
char *cc_str(struct cc *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void cc_word(struct cc_words *w, const char *word);
void cc_words_of(struct cc *c, struct cc_words *w, const char *list); /* separated by blanks */
const char *cc_temp(struct cc *c, const char *suffix);
int cc_open(struct cc *c);
void cc_close(struct cc *c);
bool cc_interrupted(void);
/* 0 if the command exits with 0; else it has printed an error. */
int cc_run(struct cc *c, const struct cc_words *cmd);

/* cc_tools.c: finding tools, and what to print if one is missing. */
enum cc_tool {
	CC_CLANG, /* for C: 19, or a later one */
	CC_OPT,
	CC_LLC,
	CC_LINK,
	CC_DIS,
	CC_CPU_CLANG, /* the last step to the CPU; of the version of the LLVM tools */
	CC_LLD,
	CC_MLIR,
	CC_PTXAS,
	CC_TOOLS
};
struct cc_tool_kind {
	const char *name, *use, *package;
};
extern const struct cc_tool_kind cc_tools[CC_TOOLS];
bool cc_of_llvm(enum cc_tool tool);
const char *cc_find(struct cc *c, enum cc_tool tool);	/* NULL in silence */
const char *cc_tool(struct cc *c, enum cc_tool tool);	/* NULL after printing what to install */
const char *cc_advice(struct cc *c, enum cc_tool tool); /* what to do if it is missing */
const char *cc_version(struct cc *c, const char *tool);
void cc_say_versions(struct cc *c);
/* What to do without a device library. */
#define CC_NO_BITCODE                                                                              \
	"it is built where the packages clang-19 and llvm-19 are installed: install them and "     \
	"build again, or set MORI_SHMEM_BC"
const char *cc_bitcode(struct cc *c);	     /* where the device library of the target is */
const char *cc_bitcode_beside(struct cc *c); /* the one beside the library; NULL in silence */
const char *cc_include(struct cc *c);	     /* where <mori/...> is; NULL in silence */
const char *cc_folder(const struct cc *c);   /* the target's name among the bitcodes */

/* cc_target.c: from linked IR to the requested output. */
#define CC_TARGETS                                                                                 \
	"cpu sm_70 sm_75 sm_80 sm_86 sm_89 sm_90 sm_90a sm_100 sm_120 gfx90a gfx942 gfx950 "       \
	"gfx1100" /* for completion; there are more */
int cc_target_parse(struct cc *c);
const char *cc_front_cpu(struct cc *c); /* the CPU's name for the clang that compiles C */
/* Copies PTX and adds the block's maximum of threads to each kernel without one of its own. */
int cc_bound(const char *ptx, const char *out, unsigned threads);
int cc_finish(struct cc *c, const char *ir, const char *exports);

/* cc_ir.c: the text of the linked IR. */
struct cc_param {
	const char *type;  /* as in the IR */
	const char *attrs; /* what the call must repeat */
	const char *byval; /* type behind a pointer that is passed by value, or NULL */
};

/* What a parameter is in C, if debug information has it. */
struct cc_cparam {
	char kind; /* i, f, p, s: as enum mori_shmem_param_kind; 0: not known */
	unsigned long size;
};

struct cc_kernel {
	const char *name; /* as in the IR, without @ and quotes */
	size_t line;	  /* of its definition */
	struct cc_param *params;
	size_t n_params;
	struct cc_cparam *cparams; /* NULL: as the IR has them */
	size_t n_cparams;
};

struct cc_ir {
	struct cc *cc;
	char *text; /* the file, cut into lines */
	const char **lines;
	size_t n_lines;
	struct cc_kernel *kernels;
	size_t n_kernels;
};

int cc_ir_read(struct cc *c, const char *file, struct cc_ir *ir);
int cc_ir_kernels(struct cc_ir *ir);	 /* finds them; an error if there is none */
int cc_ir_check(const struct cc_ir *ir); /* an error for undefined functions */
void cc_ir_fit(struct cc_ir *ir);	 /* to the target */
/* Gives @ir the target of @head, the text of an empty module of the right target. */
void cc_ir_retarget(struct cc_ir *ir, const struct cc_ir *head);
int cc_ir_write(const struct cc_ir *ir, const char *file);
void cc_ir_free(struct cc_ir *ir);
/* The line that defines or describes @name, which has its mark (@, % or !); NULL if none. */
const char *cc_ir_find(const struct cc_ir *ir, const char *name);

/* cc_define.c: one line that defines a function. */
bool cc_define_name(const char *line, const char **at, size_t *len);
int cc_define_params(struct cc_ir *ir, struct cc_kernel *k);
/* Frames of more bytes than this are checked first; put_probe() in cc_cpu.c has the code. */
#if defined(__x86_64__)
#define CC_PROBE " \"probe-stack\"=\"mori_stack_probe\" \"stack-probe-size\"=\"32\""
#else
#define CC_PROBE ""
#endif
/* The line with the attributes that make the function check its stack before it uses more. */
const char *cc_define_probe(struct cc *c, const char *line);

/* cc_debug.c: C parameters from debug information. */
void cc_debug_params(struct cc_ir *ir, struct cc_kernel *k);
/* How many parameters of the IR, from number @at on, stand for C parameter @arg. */
size_t cc_debug_pieces(const struct cc_kernel *k, size_t arg, size_t at);

/* cc_info.c: a row for the device library and for each tool, in the section "kernel". */
void cc_info(mori_shmem_info_fn row, void *arg);

/* cc_cpu.c: the entries and the table of a CPU module, as text after the IR. */
int cc_cpu_tables(const struct cc_ir *ir, FILE *f);

#endif
