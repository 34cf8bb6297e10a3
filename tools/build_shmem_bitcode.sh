#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the device library, libmori_shmem_device.bc, and nothing else: one bitcode
# file a target, with clang and the LLVM tools alone. For GPUs there is a second one,
# libmori_shmem_near.bc: the same functions without the queues of NICs.
#
# The bodies stay functions, each optimised by itself (for the CPU, lightly): the final
# link of a kernel inlines what the kernel calls and drops the rest. So that nothing
# keeps it from doing that, functions carry no processor, no features and no rule about
# library calls, and no function is marked as used.
set -u

usage() {
	cat <<'END'
usage: tools/build_shmem_bitcode.sh [output_dir] [target]

Writes output_dir/<target>/libmori_shmem_device.bc, and for a GPU libmori_shmem_near.bc
beside it, for kernels whose peers all have load and store. The default output_dir is
build/lib/mori; the targets are nvptx64, amdgcn and x86_64 (or aarch64), and without
one all three of this machine are built.

Environment:
  MORI_LLVM_BINDIR  where clang and the LLVM tools are, before PATH
  MORI_BITCODE_CC   the compiler; default clang-19, then a later clang
  MORI_BITCODE_FLAGS  more flags for it, such as -fsanitize=address
END
}

die() {
	echo "build_shmem_bitcode: $*" >&2
	exit 1
}

case ${1:-} in
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
	echo "build_shmem_bitcode: unknown target $2; there are nvptx64, amdgcn, x86_64 and aarch64" >&2
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
	die "no $1 found; install the package $2, or say where it is with MORI_LLVM_BINDIR"
}

cc=${MORI_BITCODE_CC:-$(find_tool clang clang-19)} || exit 1
command -v "$cc" >/dev/null 2>&1 || die "there is no compiler $cc (MORI_BITCODE_CC)"
version=$("$cc" -dumpversion 2>/dev/null | cut -d. -f1)
case $version in
'' | *[!0-9]*) die "$cc is not clang" ;;
esac
[ "$version" -ge 19 ] || die "$cc is clang $version; 19 or later is needed (package clang-19)"
# What the compiler wrote, tools of its own version can read.
versions="$version $versions"
opt=$(find_tool opt llvm-19) || exit 1
dis=$(find_tool llvm-dis llvm-19) || exit 1
as=$(find_tool llvm-as llvm-19) || exit 1

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

# The marks that kept the bodies apart go (they are at calls, not at functions), attributes
# in quotes, and the compiler's mark; those of a sanitizer have no quotes. A set of attributes
# must not become empty.
plain() {
	sed -e '/^attributes #/{
		/"no-trapping-math"/!s/ noinline / nounwind /
		s/ "[a-z][^"= ]*"="[^"]*"//g
		s/ "no-builtins"//g
		s/ nobuiltin / nounwind /g
	}' -e '/^!llvm\.ident = /d'
}

# On NVIDIA functions of minimal size (DEV_DONE) were optimised here and are not again: ptxas does
# what is left. And there the pointer to the state never changes while a kernel runs and always
# leads to one, of the size that stands beside it. C cannot say so; the compiler must know it to
# read the state once and not in every loop.
known() {
	[ "$1" = nvptx64 ] || { cat; return; }
	sed -e '/^attributes #/{
			/ minsize /s/ optsize / /
			s/ minsize / optnone /
		}' \
		-e 's/^\(.* = load ptr, ptr getelementptr inbounds (i8, ptr @globalGpuStates, i64 8), align 8\)$/\1, !invariant.load !90001, !dereferenceable !90002, !align !90003/' \
		-e '/^@globalGpuStates = /{
			p
			s/.*{ i32 \([0-9]*\), .*/!90001 = !{}\n!90002 = !{i64 \1}\n!90003 = !{i64 8}/
		}'
}

# Kernels for GPUs are compiled while somebody waits: what can be done here, is. Loops are
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
		-Xclang -disable-llvm-passes -emit-llvm -c src/dev/lib.c -o "$tmp/raw.bc" &&
		"$opt" $(passes_of "$1") "$tmp/raw.bc" -o "$tmp/light.bc" &&
		"$dis" "$tmp/light.bc" -o "$tmp/light.ll" &&
		plain <"$tmp/light.ll" | known "$1" >"$tmp/plain.ll" &&
		{ [ "$1" != nvptx64 ] || grep -q '!dereferenceable !90002' "$tmp/plain.ll"; } &&
		mkdir -p "$out/$1" &&
		"$as" "$tmp/plain.ll" -o "$out/$1/.$2.$$" &&
		mv "$out/$1/.$2.$$" "$out/$1/$2" &&
		echo "$out/$1/$2"
}

for target in $targets; do
	build "$target" libmori_shmem_device.bc || die "$target: failed"
	case $target in
	nvptx64 | amdgcn) build "$target" libmori_shmem_near.bc -DMORI_NEAR || die "$target: failed" ;;
	esac
done
