#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=300 quick=0
# `mori cc`: what goes in, what comes out, what it says when something is wrong, and
# that it leaves nothing behind.
set -u
. "$SRC/tests/sh_lib.bash"
. "$SRC/tests/codegen/tools.inc"

need_bitcode
in=$SRC/tests/cc
export TMPDIR=$tmp/temps
mkdir "$TMPDIR" "$tmp/bin"
none_left() { [ -z "$(ls -A "$TMPDIR")" ]; }

# cc CODE WHAT ARGUMENTS...
cc() {
	local want=$1 what=$2
	shift 2
	PATH=${tools:-$PATH} "$MORI" cc "$@" >"$tmp/out" 2>"$tmp/err"
	code=$?
	check "$what: exit code $code" [ "$code" = "$want" ]
	check "$what: temporary files" none_left
}

# says CODE TEXT ARGUMENTS...: it ends with that code and that text.
says() {
	local text=$2
	cc "$1" "$text" "${@:3}"
	check "says '$text'" err_has "$text"
}

# Parameters arrive on the CPU, whatever the kernel was written in.
# shellcheck disable=SC2086 # a list of flags
"$CC" $CFLAGS -D_GNU_SOURCE -std=gnu11 -Wall -Wextra -Werror -I"$SRC/include" "$in/host.c" -L"$BUILD/lib" \
	-Wl,-rpath,"$BUILD/lib" -lmori_shmem -o "$tmp/host" || exit 1
for level in 0 1 2 3; do
	cc 0 "C at -O$level" "$in/args.c" -O$level -o "$tmp/args.so"
	check "C at -O$level runs" "$tmp/host" "$tmp/args.so" args
done
"$(llvm_tool llvm-as)" "$in/plain.ll" -o "$tmp/plain.bc"
kinds="$in/plain.ll $in/nvptx.ll $tmp/plain.bc"
if llvm_tool mlir-translate >/dev/null; then
	kinds="$kinds $in/plain.mlir"
else
	echo "mlir-19-tools is not installed: .mlir was not tried"
	says 1 'mlir-translate 19 or later was not found, .*install the package mlir-19-tools' "$in/plain.mlir" -o "$tmp/x"
fi
for kernel in $kinds; do
	cc 0 "$kernel" "$kernel" -o "$tmp/plain.so"
	check "$kernel runs" "$tmp/host" "$tmp/plain.so" plain
	for target in sm_90 gfx942; do
		cc 0 "$kernel for $target" "$kernel" --target "$target" -o "$tmp/plain.$target"
	done
	check "$kernel has an entry" grep -q '\.visible \.entry plain(' "$tmp/plain.sm_90"
done

# What a module shows: what the executor looks for, and nothing of the library.
"$(llvm_tool llvm-nm)" -D --defined-only "$tmp/args.so" | awk '{ print $3 }' | grep -v asan |
	LC_ALL=C sort | tr '\n' ' ' >"$tmp/syms"
check "symbols: $(cat "$tmp/syms")" [ "$(cat "$tmp/syms")" = \
	"__start_mori_shared __stop_mori_shared globalGpuStates mori_cpu_grid mori_kernels mori_shared_range " ]

# Every kind of output; the name chooses, or --emit.
for target in sm_70 sm_75 sm_86 sm_89 sm_90a; do
	cc 0 "$target" "$in/args.c" --target "$target" -o "$tmp/x.ptx"
	check "$target in the PTX" grep -q "^\.target $target" "$tmp/x.ptx"
done
for target in gfx90a gfx942 gfx1100; do
	cc 0 "$target" "$in/args.c" --target "$target" -o "$tmp/x.hsaco"
	check "$target: ELF" [ "$(head -c 4 "$tmp/x.hsaco" | tail -c 3)" = ELF ]
done
cc 0 "--max-threads" "$in/args.c" --target sm_90 --max-threads 1024 -o "$tmp/x.ptx"
check "--max-threads in each kernel" [ "$(grep -c '^\.maxntid 1024' "$tmp/x.ptx")" = "$(grep -c '\.entry ' "$tmp/x.ptx")" ]
check "--max-threads before the body" eval '! grep -A1 "^\.maxntid" "$tmp/x.ptx" | grep -vqE "^(\.maxntid|\{|--)"'
cc 0 "--max-threads on the CPU" "$in/args.c" --max-threads 64 -o "$tmp/x.so"
cc 0 "ll" "$in/args.c" --target sm_90 --emit ll -o "$tmp/x.ll"
check "ll is IR" grep -q '^define .*ptx_kernel void @args' "$tmp/x.ll"
cc 0 "asm" "$in/args.c" --emit asm -o "$tmp/x.s"
check "asm is assembly" grep -q 'mori_kernels:' "$tmp/x.s"
if command -v ptxas >/dev/null; then
	cc 0 "cubin by name" "$in/args.c" --target sm_90 -o "$tmp/x.cubin"
	check "a cubin" [ "$(head -c 4 "$tmp/x.cubin" | tail -c 3)" = ELF ]
	cc 0 "cubin by --emit" "$in/args.c" --target sm_90 --emit cubin -o "$tmp/x"
	check "a cubin again" [ "$(head -c 4 "$tmp/x" | tail -c 3)" = ELF ]
fi
cc 0 "-D and -I" "$in/args.c" -DX=1 -UY -I"$tmp" -Wall -g -std=gnu11 -o "$tmp/x.so"
cc 0 "-v" "$in/args.c" -v -o "$tmp/x.so"
check "-v: versions" err_has 'C by clang [0-9]* (.*), final code by LLVM [0-9]'
check "-v: commands" err_has '^+ .*llvm-link.* --only-needed '
for kind in cpu:so sm_90:ptx gfx942:hsaco; do
	(cd "$tmp" && PATH=${tools:-$PATH} "$MORI" cc "$in/args.c" --target "${kind%:*}")
	check "${kind#*:} without -o" [ -s "$tmp/args.${kind#*:}" ]
done
(cd "$tmp" && PATH=${tools:-$PATH} "$MORI" cc "$in/args.c" --emit asm)
check "assembly without -o" grep -q 'mori_kernels:' "$tmp/args.s"
cc 0 "/dev/null" "$in/args.c" -o /dev/null
check "/dev/null is still one" [ -c /dev/null ]

# Wrong use is 2, all else 1.
rm -f "$tmp/x"
says 2 'unknown option --targte; did you mean --target' "$in/args.c" --targte cpu -o "$tmp/x"
says 2 'unknown target vax' "$in/args.c" --target vax -o "$tmp/x"
says 2 'unknown target sm_60' "$in/args.c" --target sm_60 -o "$tmp/x"
says 2 'there are so, ptx' "$in/args.c" --emit exe -o "$tmp/x"
says 2 'no hsaco for the target sm_90' "$in/args.c" --target sm_90 --emit hsaco -o "$tmp/x"
says 2 'which kernel' -o "$tmp/x"
says 2 'one kernel at a time' "$in/args.c" "$in/plain.ll" -o "$tmp/x"
says 2 '-o FILE is missing, and plain.ll is the kernel itself' "$in/plain.ll" --emit ll
says 2 'unknown target sm_999; did you mean sm_89? There are cpu sm_70 sm_72 ' "$in/args.c" --target sm_999
says 2 'unknown target gfx000; did you mean gfx900? There are cpu ' "$in/args.c" --target gfx000
says 2 'unknown target sm_70f; ' "$in/args.c" --target sm_70f
says 2 'a file .c, .ll, .mlir or .bc' "$in/args.cu" -o "$tmp/x"
says 2 '-O9: there are -O0 to -O3' "$in/args.c" -O9 -o "$tmp/x"
says 2 'a number from 1 to 1024, not "0"' "$in/args.c" --target sm_90 --max-threads 0 -o "$tmp/x"
says 2 'a number from 1 to 1024, not "12x"' "$in/args.c" --target sm_90 --max-threads 12x -o "$tmp/x"
says 2 'for the CPU only' "$in/args.c" --target sm_90 -fsanitize=address -o "$tmp/x"
says 1 'No such file' "$tmp/nothing.c" -o "$tmp/x"

put() { cat >"$tmp/bad$1"; }
put .c <<'END'
#include <mori/shmem_device.h>
MORI_KERNEL void k(int *out) { *out = missing_name; }
END
echo old >"$tmp/kept"
says 1 "use of undeclared identifier 'missing_name'" "$tmp/bad.c" -o "$tmp/kept"
check "the old file is left alone" [ "$(cat "$tmp/kept")" = old ]
check "nothing beside it" [ -z "$(ls "$tmp" | grep '^kept.tmp')" ]
put .c <<'END'
#include <mori/shmem_device.h>
void k(int *out) { *out = mori_shmem_my_pe(); }
END
says 1 'has no kernel: in C, put MORI_KERNEL' "$tmp/bad.c" -o "$tmp/x"
put .c <<'END'
#include <mori/shmem_device.h>
int mori_shmem_barrier_everywhere(void);
MORI_KERNEL void k(int *out) { *out = mori_shmem_barrier_everywhere(); }
END
for target in cpu sm_90 gfx942; do
	says 1 'undefined function mori_shmem_barrier_everywhere, which the device library does not have' \
		"$tmp/bad.c" --target $target -o "$tmp/x"
done
put .c <<'END'
#include <mori/shmem_device.h>
int other(void);
MORI_KERNEL void k(int *out) { *out = other(); }
END
says 1 'undefined function other' "$tmp/bad.c" --target gfx942 -o "$tmp/x"
[ -n "$SANITIZE" ] || says 1 'other' "$tmp/bad.c" -o "$tmp/x"
put .ll <<'END'
define i32 @k() "mori_kernel" {
  ret i32 0
}
END
says 1 'the kernel k must return void' "$tmp/bad.ll" -o "$tmp/x"
echo 'define void @k(' | put .ll
says 1 'error: ' "$tmp/bad.ll" -o "$tmp/x"
echo 'no bitcode' | put .bc
says 1 'error: ' "$tmp/bad.bc" -o "$tmp/x"
cc 1 "no such folder" "$in/args.c" -o "$tmp/no/such/x"
MORI_SHMEM_BC=$tmp/none.bc says 1 'there is no device library .*none.bc' "$in/args.c" -o "$tmp/x"
check "no output after an error" [ ! -e "$tmp/x" ]

# Tools: only those of LLVM 19, then fewer and fewer.
give() {
	local t
	rm -f "$tmp"/bin/*
	for t in "$@"; do
		! command -v "$t" >/dev/null || ln -s "$(command -v "$t")" "$tmp/bin/$t"
	done
}
# with_path COMMAND...: only the tools that were given; ld is for clang.
with_path() { tools=$tmp/bin "$@"; }
old="clang-19 opt-19 llc-19 llvm-link-19 llvm-dis-19 ld.lld-19 ld sh env"
if command -v opt-19 >/dev/null; then
	# shellcheck disable=SC2086 # a list of names
	give $old
	with_path cc 0 "LLVM 19" "$in/args.c" -v --target sm_90 -o "$tmp/x.ptx"
	check "LLVM 19 is named" err_has 'final code by LLVM 19'
	with_path cc 0 "LLVM 19 on the CPU" "$in/args.c" -o "$tmp/args.so"
	check "LLVM 19 on the CPU runs" "$tmp/host" "$tmp/args.so" args
	with_path cc 0 "LLVM 19, LLVM IR" "$in/nvptx.ll" --target sm_80 -o "$tmp/x.ptx"
	check "LLVM 19 has an entry" grep -q '\.visible \.entry plain(' "$tmp/x.ptx"
	command -v ld.lld-19 >/dev/null && with_path cc 0 "LLVM 19 for AMD" "$in/args.c" --target gfx942 -o "$tmp/x.hsaco"
	with_path says 1 'LLVM 19 does not know sm_100; install the packages llvm-22' "$in/args.c" --target sm_100 -o "$tmp/x"
	with_path says 1 'LLVM 19 does not know gfx950' "$in/args.c" --target gfx950 -o "$tmp/x"
	give clang-19 opt-19 llc-19 llvm-link-19 llvm-dis-19 sh
	with_path says 1 'ld.lld 19 or later was not found, and AMD needs it; install the package lld-22 (or lld-19), or set MORI_LLVM_BINDIR' "$in/args.c" --target gfx942 -o "$tmp/x"
	[ -e /usr/local/cuda/bin/ptxas ] ||
		CUDA_HOME='' CUDA_PATH='' MORI_PTXAS='' with_path says 1 'ptxas was not found, and a cubin needs it; install the package nvidia-cuda-toolkit.*MORI_PTXAS' "$in/args.c" --target sm_90 -o "$tmp/x.cubin"
	with_path says 1 'mlir-translate 19 or later was not found, .*install the package mlir-19-tools, or set MORI_LLVM_BINDIR' "$in/plain.mlir" -o "$tmp/x"
	give clang-19 sh
	with_path says 1 'llvm-link 19 or later was not found, .*install the package llvm-22 (or llvm-19), or set MORI_LLVM_BINDIR' "$in/args.c" --target sm_90 -o "$tmp/x"
	with_path says 1 'llvm-link 19 or later was not found, and the CPU needs it; install the packages clang-19 and llvm-19' "$in/args.c" -o "$tmp/x"
	give opt-19 llc-19 llvm-link-19 llvm-dis-19 sh
	with_path says 1 'clang 19 or later was not found.*install the package clang-19, or set MORI_LLVM_BINDIR' "$in/args.c" -o "$tmp/x"
	MORI_LLVM_BINDIR=$tmp with_path says 1 "or set MORI_LLVM_BINDIR (it is $tmp)" "$in/args.c" -o "$tmp/x"
	[ ! -x /usr/lib/llvm-19/bin/opt ] ||
		MORI_LLVM_BINDIR=/usr/lib/llvm-19/bin cc 0 "MORI_LLVM_BINDIR" "$in/args.c" -v --target sm_80 -o "$tmp/x.ptx"
	[ ! -x /usr/lib/llvm-19/bin/opt ] || check "the folder's tools" err_has '^+ /usr/lib/llvm-19/bin/opt '
fi

# A signal ends the tool as well, and the temporary files go.
cat >"$tmp/bin/clang" <<END
#!/bin/bash
case \$1 in --version) echo "clang version 19.0.0"; exit ;; esac
echo \$\$ >"$tmp/tool.pid"
exec sleep 100
END
chmod +x "$tmp/bin/clang"
for signal in INT TERM; do
	rm -f "$tmp/tool.pid"
	# In a job of its own, or the shell would have it ignore the interrupt.
	set -m
	MORI_LLVM_BINDIR=$tmp/bin "$MORI" cc "$in/args.c" -o "$tmp/x" >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	set +m
	wait_for [ -s "$tmp/tool.pid" ]
	kill -$signal $pid
	wait $pid 2>/dev/null
	code=$?
	check "SIG$signal: exit code $code" [ "$code" = $((128 + $(kill -l $signal))) ]
	check "SIG$signal: temporary files" none_left
	check "SIG$signal: the tool is gone" eval '! kill -0 "$(cat "$tmp/tool.pid")" 2>/dev/null'
done

"$MORI" cc "$in/args.c" --keep-temps -o "$tmp/x.so" 2>"$tmp/err"
check "--keep-temps says where" err_has 'the temporary files are in '
check "--keep-temps leaves them" eval '! none_left'
finish
