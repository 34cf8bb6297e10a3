#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tools/embed_kernels.sh clang output.c [flag...]
# The kernels that the host library launches itself (src/dev/tasks.c), as PTX in a C file.
# PTX works on every GPU from its own version up; the driver compiles it when it is loaded.
# Without clang the text is empty.
set -eu
[ $# -ge 2 ] || { echo "usage: tools/embed_kernels.sh clang output.c [flag...]" >&2; exit 2; }
cc=$1
out=$2
shift 2
src=$(cd "$(dirname "$0")/.." && pwd)
tmp=$out.tmp.$$
trap 'rm -f "$tmp.ptx" "$tmp.c"' EXIT
: >"$tmp.ptx"
if [ -n "$cc" ]; then
	"$cc" --target=nvptx64-nvidia-cuda -march=sm_70 -nogpulib -ffreestanding -std=gnu11 -O3 \
		-fconvergent-functions -fno-strict-aliasing -Wall -Wextra "$@" \
		-I"$src/include" -I"$src/src" -S "$src/src/dev/tasks.c" -o "$tmp.ptx"
fi
{
	echo '// Made by tools/embed_kernels.sh from src/dev/tasks.c.'
	echo 'extern const char cuda_kernels[];'
	echo 'const char cuda_kernels[] ='
	# Comments and blank lines go; the rest becomes strings.
	sed -e 's,[[:blank:]]*//.*,,' -e '/^[[:blank:]]*$/d' -e 's/[\\"]/\\&/g' -e 's/	/\\t/g' \
		-e 's/^/"/' -e 's/$/\\n"/' "$tmp.ptx"
	echo '"";'
} >"$tmp.c"
mv "$tmp.c" "$out"
