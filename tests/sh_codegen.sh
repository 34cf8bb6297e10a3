#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=600 quick=0
# The final code of a kernel of each family, for each GPU. What must be in it stands in
# the kernels, tests/codegen/*.c, in lines "CODE <gpus>: <pattern>", where <gpus> is sm
# or gfx, and
#	sm:		the code has a line with the pattern
#	sm-not:		it has none
#	sm-order:	A ;; B ;; C: a line of A, later one of B, later one of C
#	sm-before: A ;; B: there is a line of B, and one of A since the B before it, for each B
#	sm-flight: N	somewhere N loads of 16 bytes follow each other with no store between
#	sm-lines: N	it has N lines at most
# Nothing spills, AMD's code links with no symbol left over, and the library has no shared memory
# (LDS) of its own: that is the kernel's. On AMD every wave waits for its stores before a barrier. This is
# the code with the library for P2P peers; with the queues a kernel compiles and links as well.
#
#	sh_codegen.sh [family [sm|gfx]]: only one family, only NVIDIA or AMD
set -u
. "$SRC/tests/sh_lib.bash"
. "$SRC/tests/codegen/tools.inc"

[ -z "$SANITIZE" ] || skip "code for GPUs is the same under a sanitizer"
need_bitcode
need_llvm 20

has() { grep -qE -- "$1" "$code"; }
lacks() { ! grep -nE -- "$1" "$code" >"$tmp/out"; }
short() { [ "$(wc -l <"$code")" -le "$1" ]; }

in_order() {
	awk -v all="$1" '
	BEGIN	{ n = split(all, want, / *;; */); at = 1 }
	at <= n && $0 ~ want[at]	{ at++ }
	END	{ exit at <= n }' "$code"
}

before() {
	awk -v both="$1" '
	BEGIN	{ split(both, want, / *;; */) }
	$0 ~ want[1]	{ first = 1 }
	$0 ~ want[2]	{ n++; if (!first) { bad = 1; print "line " NR ": " $0 }; first = 0 }
	END	{ exit bad || !n }' "$code" >"$tmp/out"
}

# Whether the kernel asks for shared memory itself.
shares() { grep -qE "mori_shared_memory|MORI_SHARED" "$1"; }

waves_wait() {
	awk '
	/^[[:blank:]]*(;|$)/	{ next }
	/s_barrier/	{ if (before !~ /s_waitcnt vmcnt\(0\)/) { bad = 1; print "line " NR ": after " before } }
	{ before = $0 }
	END	{ exit bad }' "$1" >"$tmp/out"
}

in_flight() {
	awk -v need="$1" '
	/ld(\.global)?\.v(4\.[bfu]32|2\.[bfu]64)|(global|flat)_load_dwordx4/	{ if (++run > most) most = run }
	/[^a-z]st\.|(global|flat)_store/	{ run = 0 }
	END	{ if (most < need) print "at most " most + 0 " loads in flight"; exit most < need }' "$code"
}

# directives FILE GPUS TARGET
directives() {
	local key text n=0
	while IFS=$'\t' read -r key text; do
		n=$((n + 1))
		case $key in
		"$2") check "$3 has" has "$text" ;;
		"$2-not") check "$3 lacks" lacks "$text" ;;
		"$2-order") check "$3 has in order" in_order "$text" ;;
		"$2-before") check "$3 has before" before "$text" ;;
		"$2-flight") check "$3 in flight" in_flight "$text" ;;
		"$2-lines") check "$3 is short" short "$text" ;;
		sm | sm-* | gfx | gfx-*) ;;
		*) check "$1: unknown directive $key" false ;;
		esac
	done < <(sed -nE 's/^[[:blank:]]*\*[[:blank:]]*CODE ([a-z-]+): (.*)$/\1\t\2/p' "$1")
	check "$1 asks for something" [ "$n" -gt 0 ]
}

compile() {
	"$MORI" cc "$1" --target "$2" "${@:3}" >"$tmp/out" 2>"$tmp/err"
}

# whole FILE TARGET: with the queues, down to what a device loads if there is the tool for it.
whole() {
	case $2 in
	sm_*) compile "$1" "$2" -o "$tmp/whole.ptx" &&
		{ [ -z "$ptxas" ] || "$ptxas" -arch="$2" "$tmp/whole.ptx" -o "$tmp/cubin" >"$tmp/err" 2>&1; } ;;
	*) compile "$1" "$2" --emit asm -o "$tmp/whole.s" && waves_wait "$tmp/whole.s" &&
		compile "$1" "$2" -o "$tmp/hsaco" &&
		[ "$("$readelf" --dyn-syms "$tmp/hsaco" | grep -c ' UND ')" = 1 ] ;;
	esac
}

no_spill() {
	grep -q 'spill stores' "$1" && ! grep 'spill stores' "$1" | grep -v ' 0 bytes spill stores, 0 bytes spill loads'
}

# A multiprocessor has 65536 registers: this many per thread let a block of 512 run.
fits_512() {
	awk '/Used [0-9]+ registers/ { sub(/.*Used /, ""); n++; bad += $1 > 128 } END { exit !n || bad }' "$1"
}

ptxas=${MORI_PTXAS:-$(command -v ptxas)}
readelf=$(llvm_tool llvm-readelf)

sm="sm_80 sm_90 sm_100" gfx="gfx942 gfx950"
case ${2:-} in
sm) gfx= ;;
gfx) sm= ;;
esac

for file in "$SRC"/tests/codegen/${1:-*}.c; do
	name=$(basename "$file" .c)
	for target in $sm; do
		code=$tmp/$name.$target.ptx
		compile "$file" "$target" --p2p -Wall -Wextra -Werror -o "$code"
		check "$name for $target compiles" [ $? = 0 ]
		check "$name for $target has its target" has "^\.target $target"
		directives "$file" sm "$name for $target"
		shares "$file" || check "$name for $target: no shared memory" lacks '\.shared'
		[ -n "$ptxas" ] || continue
		"$ptxas" -arch="$target" -v "$code" -o "$tmp/cubin" >"$tmp/err" 2>&1
		check "$name for $target: ptxas" [ $? = 0 ]
		check "$name for $target: no spill" no_spill "$tmp/err"
	done
	for target in $gfx; do
		code=$tmp/$name.$target.s
		compile "$file" "$target" --p2p --emit asm -o "$code"
		check "$name for $target compiles" [ $? = 0 ]
		directives "$file" gfx "$name for $target"
		shares "$file" || check "$name for $target: no LDS" lacks 'group_segment_fixed_size:? +[1-9]'
		check "$name for $target: waves wait" waves_wait "$code"
		check "$name for $target: no spill" lacks 'ScratchSize: [1-9]|_spill_count: +[1-9]'
		compile "$file" "$target" --p2p -o "$tmp/hsaco"
		check "$name for $target links" [ $? = 0 ]
		"$readelf" --dyn-syms "$tmp/hsaco" >"$tmp/syms"
		check "$name for $target: undefined" [ "$(grep -c ' UND ' "$tmp/syms")" = 1 ]
		check "$name for $target: its kernel is there" grep -qw "$name\.kd\|${name}_[a-z]*\.kd" "$tmp/syms"
	done
	[ -z "$sm" ] || check "$name for sm_90 with queues" whole "$file" sm_90
	[ -z "$gfx" ] || check "$name for gfx942 with queues" whole "$file" gfx942
done
if [ -n "$ptxas" ] && [ -n "$sm" ] && [ $# = 0 ]; then
	for file in "$SRC"/examples/kernels/*.c; do
		name=$(basename "$file" .c)
		compile "$file" sm_90 --p2p -o "$tmp/p2p.ptx"
		check "example $name compiles" [ $? = 0 ]
		"$ptxas" -arch=sm_90 -v "$tmp/p2p.ptx" -o "$tmp/cubin" >"$tmp/err" 2>&1
		check "example $name: blocks of 512 threads" fits_512 "$tmp/err"
	done
fi
[ -n "$ptxas" ] || echo "ptxas is not installed: spills and registers were not looked at"
finish
