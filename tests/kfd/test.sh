#!/bin/bash
# SPDX-License-Identifier: MIT
# AMD's own HIP, each version that tools/rocm.list has, over the fake KFD: the programs of
# tests/kfd/hip on one GPU and on two.
set -u
. "$SRC/tests/sh_lib.bash"

rocm=$SRC/tools/rocm.sh
programs=$BUILD/tests/kfd
ulimit -c 0

# What needs no ROCm.
"$rocm" --help >"$tmp/out" 2>"$tmp/err"
check "the help" grep -q 'tools/rocm.sh get' "$tmp/out"
"$rocm" get 1.2.3 >"$tmp/out" 2>"$tmp/err"
check "a version that there is not" [ $? = 1 ]
check "the error names those that there are" err_has 'no ROCm 1.2.3 .* it has .*7\.2\.4'
ROCM_CACHE=$tmp "$rocm" run 7.2.4 true >"$tmp/out" 2>"$tmp/err"
check "a program without ROCm" [ $? = 1 ]
check "the error names the command" err_has 'tools/rocm.sh get 7.2.4'

versions=$("$rocm" versions)
for version in $versions; do
	reason=$("$rocm" check "$version") && continue
	# Where it must be there: .ci/run fetches it.
	check "$reason" [ -z "${CI:-}" ]
	[ -n "${CI:-}" ] || { echo "skipped: $reason" && exit 77; }
	finish
done

# hip VERSION GPUS TARGET PROGRAM [ARG...]: the result is in code, $tmp/out and $tmp/err.
hip() {
	local version=$1 gpus=$2 target=$3 program=$4
	shift 4
	{ # the shell's own word on a program that was aborted goes nowhere
		HIP_LIBRARY=libamdhip64.so.${version%%.*} "$SRC/tests/kfd/run" -g "$gpus" -t "$target" "$version" \
			"$programs/$program" "$programs/kernels_$target.hsaco" "$@" >"$tmp/out" 2>"$tmp/err"
		code=$?
	} 2>/dev/null
}

for version in $versions; do
	for gpus in 1 2; do
		hip "$version" $gpus gfx942 one "$programs/others_gfx942.hsaco"
		check "HIP $version, $gpus GPUs, one process: exit code $code" [ $code = 0 ]
		check "with so many GPUs" grep -q ", $gpus GPUs" "$tmp/out"
		hip "$version" $gpus gfx942 two
		check "HIP $version, $gpus GPUs, two processes: exit code $code" [ $code = 0 ]
	done
	# By dma-bufs, as where the kernel has nothing else.
	HSA_ENABLE_IPC_MODE_LEGACY=0 hip "$version" 2 gfx942 two
	check "HIP $version, IPC by dma-bufs: exit code $code" [ $code = 0 ]
	for target in gfx90a gfx950; do
		# HIP 6.4 has never heard of gfx950, nor has clang 19.
		[ "$target-$version" = gfx950-6.4.3 ] && continue
		[ -f "$programs/kernels_$target.hsaco" ] || continue
		hip "$version" 2 $target one "$programs/others_$target.hsaco"
		check "HIP $version on $target: exit code $code" [ $code = 0 ]
	done
	# HIP 7 gives an error, of which 6 knows nothing.
	for where in host other; do
		hip "$version" 2 gfx942 fault "$where"
		check "$where memory: the fake says where" err_has 'bytes at 0x[0-9a-f]*, where this GPU has no memory'
		case $version in
		6.*) check "HIP $version, $where memory: ROCr says it and aborts" err_has 'Memory access fault by GPU' ;;
		*) check "HIP $version, $where memory: an error" grep -qx 'HIP says 700' "$tmp/out" ;;
		esac
		[ $where = host ] || check "only the other GPU may not" grep -qx 'GPU 0 has written' "$tmp/out"
	done
done
finish
