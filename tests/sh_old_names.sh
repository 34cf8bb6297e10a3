#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=120
# Names that changed: the former ones still work, and say what to write instead. Those of Python
# are in python/test_old_names.py.
set -u
. "$SRC/tests/sh_lib.bash"

# The field of heap_info: one word under two names, and the compiler says which is the former.
cat >"$tmp/field.c" <<'END'
#include <mori/shmem.h>
#include <stdio.h>

int main(void)
{
	mori_shmem_heap_info_t info = { 0 };

	info.p2p = 7;
	printf("%zu\n", info.near);
	return 0;
}
END
# compile STANDARD FLAG...
compile() {
	# shellcheck disable=SC2086 # a list of flags
	"$CC" $CFLAGS "$@" -Wall -Wextra -pedantic -I"$SRC/include" "$tmp/field.c" -o "$tmp/field" 2>"$tmp/err"
}
compile -std=c11
check "heap_info.near compiles" [ $? = 0 ]
check "heap_info.near is named" err_has 'near is now p2p'
"$tmp/field" >"$tmp/out"
check "heap_info.near is p2p" out_is 7
sed -i 's/info\.near/info.p2p/' "$tmp/field.c"
compile -std=c11 -Werror
check "heap_info.p2p compiles without a word" [ $? = 0 ]

# The flag of `mori cc`; on the CPU it changes nothing, so that only the file matters for GPUs.
"$MORI" cc --help >"$tmp/out"
check "--p2p is in the help" grep -q -- '--p2p' "$tmp/out"
check "--near is not" [ "$(grep -c -- '--near' "$tmp/out")" = 0 ]
if [ -e "$BUILD/lib/mori/nvptx64/libmori_shmem_p2p.bc" ]; then
	for flag in --p2p --near; do
		"$MORI" cc "$SRC/tests/cc/args.c" --target sm_90 --emit ptx $flag -o "$tmp/args$flag" 2>"$tmp/err"
		check "mori cc $flag" [ $? = 0 ]
		case $flag in
		--near) check "one line" [ "$(cat "$tmp/err")" = "mori cc: --near is now --p2p" ] ;;
		*) check "no line" err_is_empty ;;
		esac
	done
	check "the same code" cmp "$tmp/args--p2p" "$tmp/args--near"
	for target in nvptx64 amdgcn; do
		dir=$BUILD/lib/mori/$target
		check "$target: the former file" [ "$dir/libmori_shmem_near.bc" -ef "$dir/libmori_shmem_p2p.bc" ]
	done
	MORI_SHMEM_BC=$BUILD/lib/mori/nvptx64/libmori_shmem_near.bc \
		"$MORI" cc "$SRC/tests/cc/args.c" --target sm_90 --emit ptx -o "$tmp/named" 2>"$tmp/err"
	check "the former file by MORI_SHMEM_BC" [ $? = 0 ]
	check "the same code from it" cmp "$tmp/args--p2p" "$tmp/named"
else
	echo "this build has no device library: mori cc was not tried"
fi
finish
