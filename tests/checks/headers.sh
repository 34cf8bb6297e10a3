#!/bin/bash
# SPDX-License-Identifier: MIT
# Each public header compiles alone, twice in a row, as C11 and as C++17, without
# a warning, with every compiler that is here.
. "$(dirname "$0")/common.inc"

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

strict="-pedantic -pedantic-errors -Wall -Wextra -Wundef -Werror -fsyntax-only"

# <mori/shmem_mpi.h> needs the user's mpi.h: each MPI that is installed has its turn.
mpi_flags() {
	local pc
	for pc in ompi-c ompi mpich; do
		pkg-config --exists "$pc" 2>/dev/null || continue
		pkg-config --cflags-only-I "$pc" | sed 's/-I */-isystem /g'
		return
	done
	[ ! -e /usr/include/mpi.h ] || echo " "
}

try() {
	local header=$1 compiler=$2 lang=$3 std=$4 flags=$5
	command -v "$compiler" >/dev/null || return 0
	printf '#include <%s>\n#include <%s>\nint main(void);\nint main(void) { return 0; }\n' \
		"$header" "$header" >"$tmp/alone.$lang"
	looked=$((looked + 1))
	# shellcheck disable=SC2086 # lists of words
	"$compiler" -std="$std" $strict $flags -Iinclude "$tmp/alone.$lang" 2>"$tmp/log" || {
		bad "<$header> is not clean as $std with $compiler:"
		head -20 "$tmp/log"
	}
}

for path in include/mori/*.h; do
	header=${path#include/}
	flags=
	if grep -q '#include <mpi.h>' "$path"; then
		flags="$(mpi_flags) -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX"
		[ -n "$(mpi_flags)" ] || { echo "<$header>: no mpi.h here, not looked at"; continue; }
	fi
	for compiler in gcc clang-19 "$CC"; do
		try "$header" "$compiler" c c11 "$flags"
	done
	for compiler in g++ clang++-19; do
		try "$header" "$compiler" cc c++17 "$flags"
	done
done
finish
