// SPDX-License-Identifier: MIT
/*
 * The collectives by type and operation, as OpenSHMEM and NVSHMEM name them: a header of inline
 * functions over those of the list, which take both as arguments.
 */
#include "ops/shmem_list.h"

#include "list.h"

#define TYPED_TYPE(name, type, dtype, real, ...) { #name, #type, #dtype, real },
static const struct typed_type {
	const char *name, *type, *dtype;
	int real; /* a floating-point type: no bitwise operations */
} typed_types[] = { MORI_EACH_COLL_TYPE(TYPED_TYPE, ) };

#define TYPED_OP(name, CODE, bits, ...) { #name, #CODE, bits },
static const struct typed_op {
	const char *name, *code;
	int bits;
} typed_ops[] = { MORI_EACH_REDUCE_OP(TYPED_OP, ) };

#define TYPED_LEN(array) (sizeof(array) / sizeof((array)[0]))

/* MORI_SHMEM_UINT8 and so on; of char it depends on the compiler. */
static void typed_dtype(const struct typed_type *t)
{
	if (t->dtype[0] == '-')
		fputs("(char)-1 < 0 ? MORI_SHMEM_INT8 : MORI_SHMEM_UINT8", stdout);
	else
		printf("MORI_SHMEM_%s", t->dtype);
}

/* One function; @name: behind the type, @sfx: its scope, @extra and @arg: a last parameter. */
static void typed_move(const struct typed_type *t, const char *name, const char *scope,
		       const char *sfx, const char *extra, const char *arg)
{
	printf("static inline int mori_shmem_%s_%s%s(mori_shmem_team_t team, %s *dest, const %s "
	       "*src, size_t nelems%s) { return mori_shmem_%s_%s(team, dest, src, nelems, ",
	       t->name, name, sfx, t->type, t->type, extra, name, scope);
	typed_dtype(t);
	printf("%s); }\n", arg);
}

static void typed_reduce(const struct typed_type *t, const struct typed_op *op, const char *name,
			 const char *scope, const char *sfx)
{
	printf("static inline int mori_shmem_%s_%s_%s%s(mori_shmem_team_t team, %s *dest, const %s "
	       "*src, size_t nreduce) { return mori_shmem_%s_%s(team, dest, src, nreduce, ",
	       t->name, op->name, name, sfx, t->type, t->type, name, scope);
	typed_dtype(t);
	printf(", MORI_SHMEM_%s); }\n", op->code);
}

static void typed_mem(const char *name, const char *scope, const char *sfx, const char *extra,
		      const char *arg)
{
	printf("static inline int mori_shmem_%smem%s(mori_shmem_team_t team, void *dest, const "
	       "void *src, size_t bytes%s) { return mori_shmem_%s_%s(team, dest, src, bytes, "
	       "MORI_SHMEM_UINT8%s); }\n",
	       name, sfx, extra, name, scope, arg);
}

static void typed_scope(const char *scope, const char *sfx)
{
	static const char *const moves[] = { "fcollect", "collect", "alltoall" };

	printf("\n/* Bytes: broadcast, and as the i-th of all, together or one by one%s%s. */\n",
	       *sfx ? ", by all threads of the " : "", *sfx ? scope : "");
	typed_mem("broadcast", scope, sfx, ", int root", ", root");
	for (size_t i = 0; i < TYPED_LEN(moves); i++)
		typed_mem(moves[i], scope, sfx, "", "");
	for (size_t k = 0; k < TYPED_LEN(typed_types); k++) {
		const struct typed_type *t = &typed_types[k];

		printf("\n/* Elements of %s: moved, and combined in the order of the members. */\n",
		       t->name);
		typed_move(t, "broadcast", scope, sfx, ", int root", ", root");
		for (size_t i = 0; i < TYPED_LEN(moves); i++)
			typed_move(t, moves[i], scope, sfx, "", "");
		for (size_t i = 0; i < TYPED_LEN(typed_ops); i++) {
			if (t->real && typed_ops[i].bits)
				continue;
			typed_reduce(t, &typed_ops[i], "reduce", scope, sfx);
			typed_reduce(t, &typed_ops[i], "reducescatter", scope, sfx);
		}
	}
}

void typed_print(void)
{
	puts("// SPDX-License-Identifier: MIT\n"
	     "/* generated from src/ops/shmem_list.h: run make generate */\n"
	     "/* clang-format off */\n"
	     "/*\n"
	     " * Collectives by type and operation: mori_shmem_float_sum_reduce(team, dest, src, "
	     "n). "
	     "A host\n"
	     " * calls the names without a scope; kernels also those that end in _warp and _block. "
	     "float16,\n"
	     " * bfloat16 and the types of 8 bits are passed as unsigned integers of their size. "
	     "What each does\n"
	     " * and returns: docs/collectives.md.\n"
	     " */\n"
	     "#ifndef MORI_SHMEM_COLLECTIVES_H\n#define MORI_SHMEM_COLLECTIVES_H\n\n"
	     "#include <mori/shmem_device.h>");
	typed_scope("thread", "");
	typed_scope("warp", "_warp");
	typed_scope("block", "_block");
	puts("\n#endif");
}
