#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=120
# Failures in kernels that nobody has checked: what `mori run` ends with, what is on standard
# error, and what is there when a process ends without a word.
set -u
. "$SRC/tests/sh_lib.bash"
. "$SRC/tests/codegen/tools.inc"

need_bitcode
cat >"$tmp/bad.c" <<'K'
#include <mori/shmem_device.h>
MORI_KERNEL void bad(int64_t *x, int pe)
{
	mori_shmem_int64_p(x + mori_thread_id(), 7, pe, 0);
}
MORI_KERNEL void late(uint64_t ctx, int *out)
{
	*out = mori_shmem_ctx_my_pe(ctx);
}
K
cat >"$tmp/host.c" <<'H'
#include <dlfcn.h>
#include <mori/shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define HAS(word) (strstr(how, word) != NULL)
struct kernel { const char *name; void (*entry)(void **args); unsigned n; const void *params; }; /* src/abi/cpu.h */
int main(int argc, char **argv)
{
	static char image[1 << 20];
	const unsigned grid[3] = { 2, 1, 1 }, block[3] = { 5, 1, 1 };
	const char *how = argv[2];
	int pe = HAS("good") ? 0 : 99, got = 0, err, *out = &got;
	FILE *f = fopen(argv[1], "r");
	size_t n = f ? fread(image, 1, sizeof(image), f) : 0;
	mori_shmem_module_t *m;
	uint64_t ctx;
	int64_t *x;

	if (argc < 3 || mori_shmem_init() || mori_shmem_module_load(image, n, &m))
		return 1;
	x = mori_shmem_calloc(64, 8);
	if (HAS("one") && mori_shmem_my_pe())
		pe = 0;
	err = mori_shmem_kernel_launch(m, "bad", grid, block, 0, (void *[]){ &x, &pe }, NULL);
	if (HAS("looks"))
		mori_shmem_check(NULL);
	if (err && !HAS("strict"))
		return 1;
	if (HAS("value")) {
		if (mori_shmem_barrier_all()) /* the other PE's kernel still needs this one */
			return 1;
		mori_shmem_int64_g(x, 99, 0);
	}
	if (HAS("exits"))
		exit(0);
	if (HAS("fails"))
		return 3;
	if (HAS("forks") && !fork())
		exit(0);
	if (HAS("late")) { /* a kernel that outlives its PE, as a plain function */
		void *so = dlopen(argv[1], RTLD_NOW);
		const struct kernel *k = dlsym(so, "mori_kernels");
		mori_shmem_check(NULL);
		mori_shmem_module_init(so);
		mori_shmem_device_state(&ctx);
		while (strcmp(k->name, "late"))
			k++;
		mori_shmem_finalize();
		for (int i = 0; i < 3; i++)
			k->entry((void *[]){ &ctx, &out });
		if (got != MORI_SHMEM_ESTATE)
			return 1;
		return HAS("again") ? mori_shmem_init() || mori_shmem_finalize() : 0;
	}
	if (HAS("unset")) {
		void *so = dlopen(argv[1], RTLD_NOW);
		const struct kernel *k = dlsym(so, "mori_kernels");
		k->entry((void *[]){ &x, &pe });
	}
	mori_shmem_finalize();
	return HAS("strict") ? err != MORI_SHMEM_EINVAL : 0;
}
H
"$MORI" cc "$tmp/bad.c" --target cpu -o "$tmp/bad.so" && $CC $CFLAGS -I"$SRC/include" "$tmp/host.c" -o "$tmp/host" \
	-L"$BUILD/lib" -lmori_shmem -Wl,-rpath,"$BUILD/lib" -ldl
check "the program" [ $? = 0 ]
program() { job_code "$1: $2" "$3" "${@:4}" "$tmp/host" "$tmp/bad.so" "$2"; }
told='nobody has looked at a failure on PE'
where='mori_shmem_int64_p in a kernel: there is no PE 99, only 0 to [0-9]* (block ([01], 0, 0), thread ([0-4], 0, 0)); 9 more'

program "nothing fails" good 0 -n 2
check "nothing is said" err_is_empty
program "looked at" looks 0 -n 2
check "nothing is said" err_is_empty
for how in nobody exits; do
	program "processes" $how 125 -n 2
	check "both say so" err_count "error: $told" 2
	check "in words" err_count "$where" 2
	check "so does the launcher" err_count 'mori run: every process exited with code 0, but there were failures' 1
done
program "threads" one 125 -n 2 --threads 1
check "one of them says so" err_count "error: $told 0: $where" 1
program "another failure comes first" fails 3 -n 2
check "it is said all the same" err_has "$told"
program "with --keep-going" fails 3 -n 2 --keep-going
program "a child of fork tells nothing twice" forks 125 -n 1
check "once" err_count "$told" 1
program "at level error" nobody 125 -n 1 --log-level error
check "it is one" err_count "$told" 1
program "at level info" nobody 125 -n 1 --log-level info
check "every one" err_count 'info: failure [0-9]* on PE 0: mori_shmem_int64_p in a kernel' 10
program "looked at, at level info" looks 0 -n 1 --log-level info
check "every one all the same" err_count 'info: failure [0-9]* on PE 0: mori_shmem_int64_p in a kernel' 10
program "strict: the program has it" strict 0 -n 1 -x MORI_SHMEM_STRICT=1
check "and standard error" err_count "error: $told" 1
program "strict: nobody is left to have it" good-value-exits 125 -n 2 -x MORI_SHMEM_STRICT=1
check "both say so" err_count "error: $told [01]: mori_shmem_int64_g: there is no PE 99" 2
program "after finalize" late 125 -n 1
check "how many" err_has 'kernels of PE 0 have made 3 call(s) of the library since it has finalized'
program "after finalize, and init" late-again 125 -n 1
check "once" err_count 'have made 3 call(s)' 1
# A kernel as a plain function has no grid: a sanitizer ends it before it asks for its PE.
[ -n "$SANITIZE" ] || program "a module that was never given to module_init" unset-looks $((128 + 4)) -n 1
(unset MORI_NOTES; "$tmp/host" "$tmp/bad.so" nobody) 2>"$tmp/err"
check "without a launcher the text alone" [ $? = 0 ]
check "it is there" err_count "$told" 1
finish
