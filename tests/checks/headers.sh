#!/bin/bash
# SPDX-License-Identifier: MIT
# Each header compiles alone, twice in a row, without a warning: a public one as C11 and
# as C++17 with every installed compiler, a private one for every target it is meant for.
# Public headers define no macros but those that are documented.
. "$(dirname "$0")/common.inc"

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

strict="-pedantic -pedantic-errors -Wall -Wextra -Wundef -Werror -fsyntax-only"

# <mori/shmem_mpi.h> needs an mpi.h: that of the first installed MPI.
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

# The macros that users may see, besides include guards.
allowed='
MORI_KERNEL
MORI_SHARED
MORI_SHMEM_DEPRECATED
MORI_SHMEM_EXPORT
MORI_SHMEM_INIT_WITH_MPI_COMM
MORI_SHMEM_INIT_WITH_UNIQUEID
MORI_SHMEM_MALLOC_DEFAULT
MORI_SHMEM_MALLOC_UNCACHED
MORI_SHMEM_MALLOC_ZERO
MORI_SHMEM_UNIQUE_ID_BYTES
'

# What a header defines beyond the headers of the system that it includes.
macros() {
	local header=$1 flags=$2 compiler name
	for compiler in gcc clang-19; do
		command -v "$compiler" >/dev/null || continue
		looked=$((looked + 1))
		# shellcheck disable=SC2086 # a list of words
		printf '#include <%s>\n' "$header" | "$compiler" -E -dD $flags -Iinclude -x c - 2>"$tmp/log" |
			awk '/^# [0-9]+ "/ { ours = $3 ~ /^"include\/mori\// } ours && $1 == "#define" { sub(/\(.*/, "", $2); print $2 }' |
			sort -u >"$tmp/macros"
		[ -s "$tmp/macros" ] || bad "<$header> defines nothing with $compiler: $(head -3 "$tmp/log")"
		while IFS= read -r name; do
			grep -qx "$name" <<<"$allowed" && continue
			[[ $name =~ ^MORI_SHMEM_([A-Z]+_)*H$ ]] && continue
			bad "<$header> defines $name, which is not documented for users"
		done <"$tmp/macros"
	done
}

for path in include/mori/*.h; do
	header=${path#include/}
	flags=
	if grep -q '#include <mpi.h>' "$path"; then
		flags="$(mpi_flags) -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX"
		[ -n "$(mpi_flags)" ] || { echo "<$header>: no mpi.h is installed, not checked"; continue; }
	fi
	macros "$header" "$flags"
	for compiler in gcc clang-19 "$CC"; do
		try "$header" "$compiler" c c11 "$flags"
	done
	for compiler in g++ clang++-19; do
		try "$header" "$compiler" cc c++17 "$flags"
	done
done

# What a private header is compiled for: the host library, kernels on the CPU (kernel), GPUs.
targets_of() {
	case $1 in
	src/target/*_nvptx.h) echo nvptx64 ;;
	src/target/*_amdgcn.h) echo amdgcn ;;
	src/target/target_gpu.h | src/target/group.h) echo nvptx64 amdgcn ;;
	src/target/target_host.h) echo host ;;
	src/target/cpu_memory.h) echo host kernel ;;
	src/target/target_cpu.h) echo kernel ;;
	src/target/kernel.h | src/dev/barrier.h | src/dev/path_queue.h) echo kernel nvptx64 amdgcn ;;
	src/abi/* | src/nic/setup.h | src/nic/serve.h) echo host ;;
	src/target/* | src/nic/* | src/dev/*) echo host kernel nvptx64 amdgcn ;;
	*) echo host ;;
	esac
}

# The flags are those of tools/build_shmem_bitcode.sh.
try_private() {
	local header=$1 target=$2 compile=$CC
	case $target in
	kernel) compile="$CC -DMORI_CPU_KERNEL" ;;
	nvptx64) compile="clang-19 --target=nvptx64-nvidia-cuda -march=sm_70 -nogpulib -ffreestanding" ;;
	amdgcn) compile="clang-19 --target=amdgcn-amd-amdhsa -Xclang -mcode-object-version=none -nogpulib -ffreestanding" ;;
	esac
	case $compile in
	clang-19*) command -v clang-19 >/dev/null || { apart=1; return; } ;;
	esac
	printf '#include "%s"\n#include "%s"\n' "${header#src/}" "${header#src/}" >"$tmp/alone.c"
	looked=$((looked + 1))
	# shellcheck disable=SC2086 # a list of words
	$compile -D_GNU_SOURCE -std=gnu11 -Wall -Wextra -Werror -fsyntax-only -Iinclude -Isrc "$tmp/alone.c" 2>"$tmp/log" || {
		bad "$header does not compile alone ($target):"
		head -20 "$tmp/log"
	}
}

apart=
for path in src/*/*.h; do
	for target in $(targets_of "$path"); do
		try_private "$path" "$target"
	done
done
[ -z "$apart" ] || echo "clang-19 is not installed: headers were not compiled for GPUs"
finish
