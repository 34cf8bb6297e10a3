#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the device library and nothing else: one libmori_shmem_device.bc per target, and
# for GPUs libmori_shmem_p2p.bc, the same functions without the queues of NICs. It needs
# clang, opt, and what both depend on: LLVM's shared library and the headers of libc.
#
# The bodies stay functions, each optimised by itself (for the CPU, lightly): the final
# link of a kernel inlines what the kernel calls and drops the rest. tools/bitcode_attrs.c
# removes whatever would prevent that.
set -u

usage() {
	cat <<'END'
usage: tools/build_shmem_bitcode.sh [output_dir] [target]
       tools/build_shmem_bitcode.sh --check

Writes output_dir/<target>/libmori_shmem_device.bc, and for a GPU libmori_shmem_p2p.bc
beside it, for kernels that reach all their peers by load and store. The default
output_dir is build/lib/mori. The targets are nvptx64, amdgcn and x86_64 (or aarch64);
without one, all three of this machine are built. --check only reports what is missing.

Environment:
  MORI_LLVM_BINDIR  the folder of clang and opt, searched before PATH
  MORI_BITCODE_CC   the compiler; default clang-19, then a later clang
  MORI_BITCODE_FLAGS  more flags for it, such as -fsanitize=address
END
}

die() {
	echo "build_shmem_bitcode: $*" >&2
	exit 1
}

check=
case ${1:-} in
--check)
	check=1
	shift
	;;
-h | --help)
	usage
	exit 0
	;;
-*)
	usage >&2
	exit 2
	;;
esac
[ $# -le 2 ] || { usage >&2; exit 2; }

cpu=$(uname -m)
case ${2:-} in
'') targets="nvptx64 amdgcn $cpu" ;;
nvptx64 | amdgcn | x86_64 | aarch64) targets=$2 ;;
*)
	echo "build_shmem_bitcode: unknown target $2; use nvptx64, amdgcn, x86_64 or aarch64" >&2
	exit 2
	;;
esac

# The older the compiler, the more LLVMs can read what it writes.
versions='19 20 21 22 23'

# find_tool NAME PACKAGE: with a version, and in the end without one.
find_tool() {
	# shellcheck disable=SC2046,SC2086,SC2059 # lists of words
	for name in ${MORI_LLVM_BINDIR:+"$MORI_LLVM_BINDIR/$1"} $(printf "$1-%s " $versions) "$1"; do
		if command -v "$name" >/dev/null 2>&1; then
			echo "$name"
			return
		fi
	done
	die "no $1 found; install the package $2, or set MORI_LLVM_BINDIR to its folder"
}

cc=${MORI_BITCODE_CC:-$(find_tool clang clang-19)} || exit 1
command -v "$cc" >/dev/null 2>&1 || die "there is no compiler $cc (MORI_BITCODE_CC)"
version=$("$cc" -dumpversion 2>/dev/null | cut -d. -f1)
case $version in
'' | *[!0-9]*) die "$cc is not clang" ;;
esac
[ "$version" -ge 19 ] || die "$cc is clang $version; 19 or later is needed (package clang-19)"
# Tools of the compiler's own version can read its output.
versions="$version $versions"
opt=$(find_tool opt llvm-19) || exit 1

out=${1:-}
case $out in
'' | /*) ;;
*) out=$(pwd)/$out ;;
esac
# Relative names of the sources, so that the result does not depend on where they are.
cd "$(dirname "$0")/.." || exit 1
[ -n "$out" ] || out=$(pwd)/build/lib/mori

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# opt's own release of LLVM's library; the linker knows the folder if it is not beside opt.
release=$("$opt" --version | sed -n 's/.*LLVM version \([0-9]*\).*/\1/p')
beside=$(dirname "$(dirname "$(readlink -f "$(command -v "$opt")")")")
"$cc" -std=gnu11 -Wall -Wextra -O1 tools/bitcode_attrs.c -o "$tmp/attrs" -L"$beside/lib" -L"$beside/lib64" \
	-Wl,-rpath,"$beside/lib:$beside/lib64" -l"LLVM-$release" ||
	die "$cc cannot build tools/bitcode_attrs.c; install the packages libllvm$release and libc6-dev"
[ -z "$check" ] || exit 0

# Where variables end is of no use to a library that is read each time a kernel is compiled.
gpu='-nogpulib -ffreestanding -Xclang -disable-lifetime-markers'

flags_of() {
	case $1 in
	nvptx64) echo "--target=nvptx64-nvidia-cuda -march=sm_70 $gpu" ;;
	# Without the flag for the version of the code object, so that it links with any.
	amdgcn) echo "--target=amdgcn-amd-amdhsa -Xclang -mcode-object-version=none $gpu" ;;
	*) echo "--target=$1-linux-gnu -DMORI_CPU_KERNEL -fPIC" ;;
	esac
}

# Users wait for the compilation of GPU kernels, so as much as possible is done here. Loops are
# unrolled only where the source says so.
passes_of() {
	case $1 in
	nvptx64 | amdgcn)
		echo "-passes=default<O2>,mergefunc -disable-loop-unrolling -vectorize-loops=false -vectorize-slp=false -discard-value-names"
		;;
	*) echo "-passes=function(sroa,early-cse,simplifycfg,instcombine),globaldce" ;;
	esac
}

# build TARGET NAME [FLAG]
build() {
	# shellcheck disable=SC2046,SC2086 # lists of flags
	"$cc" $(flags_of "$1") -std=gnu11 -fconvergent-functions -fno-strict-aliasing \
		-fomit-frame-pointer -Wall -Wextra -Iinclude -Isrc -O2 ${MORI_BITCODE_FLAGS:-} ${3:-} \
		-Xclang -disable-llvm-passes -fno-ident -emit-llvm -c src/dev/lib.c -o "$tmp/raw.bc" &&
		"$opt" $(passes_of "$1") "$tmp/raw.bc" -o "$tmp/light.bc" &&
		mkdir -p "$out/$1" &&
		"$tmp/attrs" "$tmp/light.bc" "$out/$1/.$2.$$" &&
		mv "$out/$1/.$2.$$" "$out/$1/$2" &&
		echo "$out/$1/$2"
}

for target in $targets; do
	build "$target" libmori_shmem_device.bc || die "$target: failed"
	case $target in
	nvptx64 | amdgcn) build "$target" libmori_shmem_p2p.bc -DMORI_P2P_ONLY || die "$target: failed" ;;
	esac
done
