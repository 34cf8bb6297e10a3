#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=240 quick=0
# The device library of every target: small, with the symbols of the list and no
# others, and with nothing in it that keeps a kernel from inlining what it calls or
# from dropping what it does not. Built twice it is the same.
set -u
. "$SRC/tests/sh_lib.bash"
. "$SRC/tests/codegen/tools.inc"

need_bitcode
nm=$(llvm_tool llvm-nm) dis=$(llvm_tool llvm-dis)
LC_ALL=C sort "$SRC/tests/abi/device.syms" >"$tmp/file"
"$BUILD/bin/mori-list" --device-names | LC_ALL=C sort >"$tmp/list"

same() { diff "$1" "$2" >"$tmp/out"; }
none() { ! grep -nE "$1" "$2" >"$tmp/out"; }
some() { grep -qE "$1" "$2"; }
# After the list has grown: make generate
check "tests/abi/device.syms is the list" same "$tmp/file" "$tmp/list"
check "the list has no name twice" [ -z "$(uniq -d "$tmp/list")" ]

# no_call_is ATTRIBUTE FILE: the attributes of calls are in groups, which stand at the end.
no_call_is() {
	awk -v what=" $1 " '
	/ call / && match($0, / #[0-9]+/)	{ call[substr($0, RSTART + 1, RLENGTH - 1)] = $0 }
	/^attributes #/ && index($0, what) && $2 in call	{ print call[$2]; found = 1 }
	END	{ exit found || !length(call) }' "$2" >"$tmp/out"
}

# Only memory functions of the C library, and only on the CPU.
undefined_ok() {
	# Memory of the launch: the code generator knows what it is, no linker is asked.
	case $1 in nvptx64 | amdgcn) [ "$2" = mori_dynamic_shared ] && return || return 1 ;; esac
	case $2 in memcpy | memmove | __asan_* | __ubsan_* | __tsan_* | asan.* | __sanitizer*) ;; *) return 1 ;; esac
}

for file in nvptx64/device nvptx64/p2p amdgcn/device amdgcn/p2p "$(uname -m)/device"; do
	target=${file%/*}
	bc=$BUILD/lib/mori/$target/libmori_shmem_${file#*/}.bc
	check "$target is there" [ -s "$bc" ]
	[ -n "$SANITIZE" ] || check "$target: less than 1 MB" [ "$(wc -c <"$bc")" -lt 1000000 ]
	"$nm" "$bc" >"$tmp/nm"
	awk '$2 == "T" { print $3 }' "$tmp/nm" | LC_ALL=C sort >"$tmp/syms"
	check "$target: functions are those of the list" same "$tmp/syms" "$tmp/list"
	while read -r name; do
		check "$target: undefined $name" undefined_ok "$target" "$name"
	done < <(awk '$1 == "U" { print $2 }' "$tmp/nm")
	check "$target: globalGpuStates" some ' [DB] globalGpuStates$' "$tmp/nm"

	"$dis" "$bc" -o "$tmp/ll"
	check "$target: attributes of a processor" none '"target-(cpu|features)"|"tune-cpu"|"no-builtins"' "$tmp/ll"
	check "$target: used functions" none '^@llvm\.(compiler\.)?used' "$tmp/ll"
	check "$target: code object version" none 'amdhsa_code_object_version' "$tmp/ll"
	check "$target: symbols that lld has not" none '@__(oclc|ockl|ocml|nv)_' "$tmp/ll"
	check "$target: relative names" none '^source_filename = "/' "$tmp/ll"
	check "$target: globalGpuStates can be found" none '^@globalGpuStates = .*(hidden|internal)' "$tmp/ll"
	check "$target: calls that are not inlined" no_call_is noinline "$tmp/ll"
	check "$target: calls that know no builtin" no_call_is nobuiltin "$tmp/ll"
	check "$target: functions in sections" none '^define .* section "' "$tmp/ll"
	case $file in */p2p) check "$file: queues" none '@nic_|@dev_queue' "$tmp/ll" ;; esac
done

# Ordered accesses on NVIDIA are inline PTX: the backend weakens atomics of LLVM IR.
"$dis" "$BUILD/lib/mori/nvptx64/libmori_shmem_device.bc" -o "$tmp/ll"
check "nvptx64: the state is read once" some '= load ptr, .*@globalGpuStates.*, !invariant.load .*, !dereferenceable .*, !align ' "$tmp/ll"
check "nvptx64: atomics of LLVM IR" none '= (atomicrmw|cmpxchg|load atomic)|^ +(store atomic|fence) ' "$tmp/ll"

# From two places, the same bytes.
script=$SRC/tools/build_shmem_bitcode.sh
"$script" "$tmp/one" nvptx64 >"$tmp/out" 2>"$tmp/err"
check "the script builds" [ $? = 0 ]
check "it says what it wrote" [ "$(echo $(cat "$tmp/out"))" = \
	"$tmp/one/nvptx64/libmori_shmem_device.bc $tmp/one/nvptx64/libmori_shmem_p2p.bc" ]
(cd "$tmp" && "$script" two nvptx64) >"$tmp/out" 2>"$tmp/err"
check "the same bytes" cmp "$tmp/one/nvptx64/libmori_shmem_device.bc" "$tmp/two/nvptx64/libmori_shmem_device.bc"
check "the same as the build's" cmp "$tmp/one/nvptx64/libmori_shmem_device.bc" "$BUILD/lib/mori/nvptx64/libmori_shmem_device.bc"

"$script" --help >"$tmp/out" 2>"$tmp/err"
check "--help" grep -q '^usage: ' "$tmp/out"
"$script" "$tmp/one" vax >"$tmp/out" 2>"$tmp/err"
check "unknown target: code" [ $? = 2 ]
check "unknown target: text" err_has 'unknown target vax'
MORI_BITCODE_CC=$tmp/none "$script" "$tmp/one" >"$tmp/out" 2>"$tmp/err"
check "no compiler: code" [ $? = 1 ]
check "no compiler: text" err_has 'there is no compiler'
mkdir "$tmp/bin" "$tmp/llvm"
for tool in clang-19 opt-19; do
	printf '#!/bin/sh\n[ "$1" = --version ] && echo "LLVM version 77.0" || exec %s "$@"\n' "$tool" >"$tmp/llvm/${tool%-19}"
done
chmod +x "$tmp/llvm"/*
MORI_LLVM_BINDIR=$tmp/llvm "$script" --check >"$tmp/out" 2>"$tmp/err"
check "no library of LLVM: code" [ $? = 1 ]
check "no library of LLVM: text" err_has 'install the packages libllvm77 and libc6-dev'
"$script" --check >"$tmp/out" 2>"$tmp/err"
check "nothing is missing" [ $? = 0 ]
for tool in sh env dirname uname cut sed mktemp rm cat; do ln -s "$(command -v $tool)" "$tmp/bin/$tool"; done
PATH=$tmp/bin "$script" "$tmp/one" >"$tmp/out" 2>"$tmp/err"
check "no clang: code" [ $? = 1 ]
check "no clang: the package" err_has 'no clang found; install the package clang-19'
finish
