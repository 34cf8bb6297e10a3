#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=120 quick=0
# The program and the kernels of docs/kernels.md are as they should be: taken out of
# the page, compiled and run; and the pieces of docs/device-api.md compile.
set -u
. "$SRC/tests/sh_lib.bash"
. "$SRC/tests/codegen/tools.inc"

need_bitcode
page=$SRC/docs/kernels.md

# block LANGUAGE N: the N-th block of that language.
block() {
	awk -v start="^\`\`\`$1\$" -v want="$2" '
	$0 ~ start	{ on = ++n == want; next }
	/^```$/	{ on = 0 }
	on' "$page"
}
block c 1 >"$tmp/host.c"
block c 2 >"$tmp/pass.c"
block llvm 1 >"$tmp/pass.ll"
block mlir 1 >"$tmp/pass.mlir"
# shellcheck disable=SC2086 # flags
"$CC" $CFLAGS -Wall -Wextra -Werror -I"$SRC/include" "$tmp/host.c" -o "$tmp/host" -L"$BUILD/lib" -lmori_shmem \
	-Wl,-rpath,"$BUILD/lib"
check "the host program compiles" [ $? = 0 ]
kinds="c ll mlir"
llvm_tool mlir-translate >/dev/null || kinds="c ll"
for kind in $kinds; do
	"$MORI" cc "$tmp/pass.$kind" -o "$tmp/pass.so" 2>"$tmp/err"
	check "pass.$kind compiles" [ $? = 0 ]
	for n in 1 4; do
		job_code "pass.$kind with $n PEs" 0 -n $n "$tmp/host" "$tmp/pass.so"
		check "pass.$kind with $n PEs: what it says" sorted_is "$(for ((pe = 0; pe < n; pe++)); do
			echo "PE $pe has $((100 + (pe + n - 1) % n))"
		done)"
	done
	for target in sm_90 gfx942; do
		"$MORI" cc "$tmp/pass.$kind" --target $target -o "$tmp/x" 2>"$tmp/err"
		check "pass.$kind for $target" [ $? = 0 ]
	done
done

# Pieces of the reference: each in a function that has what they speak of.
page=$SRC/docs/device-api.md
n=$(grep -c '^```c$' "$page")
check "the reference has pieces" [ "$n" -gt 8 ]
for ((i = 1; i <= n; i++)); do
	block c $i >"$tmp/piece"
	{
		echo '#include <mori/shmem_device.h>'
		if grep -q MORI_KERNEL "$tmp/piece"; then
			cat "$tmp/piece"
		else
			cat <<-'END'
			extern float *mine, *halo, *edge, sum;
			extern char *buf, *dest, *src;
			extern uint64_t *flag, *ready, round, *counter;
			extern int *table, right, to, pe;
			extern size_t n, bytes;
			extern double *norms;
			extern mori_shmem_memobj_t from;
			#define me 0
			END
			grep -q 'int me = ' "$tmp/piece" && echo '#undef me'
			grep -q '_obj_' "$tmp/piece" && echo '#define to from'
			grep -q 'int_p(' "$tmp/piece" && echo 'extern int number;' && sed -i 's/, mine,/, number,/' "$tmp/piece"
			echo 'MORI_KERNEL void piece(void) {'
			cat "$tmp/piece"
			echo '}'
		fi
	} >"$tmp/piece$i.c"
	clang=$(command -v clang-19 || llvm_tool clang)
	"$clang" -fsyntax-only -fno-builtin -std=gnu11 -I"$SRC/include" "$tmp/piece$i.c" 2>"$tmp/err"
	check "piece $i of the reference" [ $? = 0 ]
done
finish
