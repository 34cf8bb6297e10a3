#!/bin/bash
# SPDX-License-Identifier: MIT
# usage: tools/embed_code_objects.sh clang llc lld output.c [flag...]
# The kernels that the host library launches itself (src/dev/tasks.c) as code objects for AMD GPUs,
# one for each processor, in a C file. A processor that this LLVM does not know is left out; without
# the three tools all are.
set -eu
[ $# -ge 4 ] || { echo "usage: tools/embed_code_objects.sh clang llc lld output.c [flag...]" >&2; exit 2; }
cc=$1 llc=$2 lld=$3 out=$4
shift 4
src=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d "$out.tmp.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
rows=

# code_object TARGET FRONT: in $tmp/TARGET; clang compiles for FRONT, of the same family.
code_object() {
	"$cc" --target=amdgcn-amd-amdhsa -mcpu="$2" -nogpulib -ffreestanding -std=gnu11 -O3 \
		-fconvergent-functions -fno-strict-aliasing -Wall -Wextra "${flags[@]}" -fno-ident \
		-mcode-object-version=5 -I"$src/include" -I"$src/src" -S -emit-llvm "$src/src/dev/tasks.c" -o "$tmp/ll"
	sed -i -e 's/"target-cpu"="[^"]*"//' -e 's/"target-features"="[^"]*"//' "$tmp/ll"
	"$llc" -O3 -mcpu="$1" --amdhsa-code-object-version=5 -filetype=obj "$tmp/ll" -o "$tmp/o"
	"$lld" -shared --no-undefined -o "$tmp/$1" "$tmp/o"
}

flags=("$@")
{
	echo '// Made by tools/embed_code_objects.sh from src/dev/tasks.c.'
	echo '#include "accel/hip_parts.h"'
	for target in gfx90a gfx942 gfx950; do
		[ -n "$cc" ] && [ -n "$llc" ] && [ -n "$lld" ] || continue
		# Kept apart: the list is long, and a pipe to grep -q might break.
		"$llc" -mtriple=amdgcn-amd-amdhsa -mcpu=help 2>"$tmp/known" >/dev/null </dev/null || continue
		grep -q "^ *$target " "$tmp/known" || continue
		front=$target
		[ $target != gfx950 ] || front=gfx942
		code_object $target $front >&2
		echo "static const unsigned char kernels_$target[] __attribute__((aligned(4096))) = {"
		od -An -v -tu1 "$tmp/$target" | sed -e 's/  */,/g' -e 's/^,//' -e 's/$/,/'
		echo '};'
		rows+="	{ \"$target\", kernels_$target, sizeof(kernels_$target) },"$'\n'
	done
	echo 'const struct hip_kernels hip_kernels[] = {'
	printf '%s' "$rows"
	echo '	{ 0 },'
	echo '};'
} >"$tmp/c"
mv "$tmp/c" "$out"
