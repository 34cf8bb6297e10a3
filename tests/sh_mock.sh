#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=600
# PEs on a GPU that is a mock of the driver: memory, sharing between processes, host
# operations, streams, modes and errors; of kernels only the library's own. Programs that touch the heap themselves
# run too, because the mock's memory is the host's.
set -u
. "$SRC/tests/sh_lib.bash"
. "$SRC/tests/codegen/tools.inc"

[ "$SANITIZE" != thread ] || skip "the mock driver knows no TSan"
"$MORI" info | grep -q 'this build has no CUDA backend' && skip "this build has no CUDA backend"
mock=$BUILD/tests/mock
export MOCK_CUDA_LEAKS=1
on_mock() { job -x MORI_SHMEM_DEVICE=cuda -x LD_LIBRARY_PATH="$mock" -x MORI_SHMEM_HEAP_SIZE=64M "$@"; }

# fine WHAT ARGUMENTS...
fine() {
	local what=$1
	shift
	on_mock "$@"
	check "$what" [ "$code" = 0 ]
	check "$what: nothing is left" none_left
}
none_left() { ! grep -q 'left over' "$tmp/err"; }

for t in put get atomic signal put_signal value wait order object reinit worlds status; do
	for threads in $(one_of "$t" 1 2); do
		fine "$t, $threads PEs a process" -n 4 --threads "$threads" "$BUILD/tests/pe_$t"
	done
done
for t in pe_put pe_atomic; do
	fine "$t with handles" -x MORI_SHMEM_SHARE=ipc -n 4 --threads 2 "$BUILD/tests/$t"
	fine "$t, vmm" --mode vmm -n 4 --threads 2 "$BUILD/tests/$t"
	fine "$t, isolation" --mode isolation -n 4 --threads 2 "$BUILD/tests/$t"
done
for t in put get atomic put_signal contend; do
	for path in $(one_of "$t" MORI_DISABLE_P2P=1 PES_NODE=2); do
		fine "$t over the network, $path" -x "$path" -n 4 --threads 2 "$BUILD/tests/pe_$t"
	done
done
# Streams by load and store, by queues, and both.
for how in MORI_DISABLE_P2P=0 MORI_DISABLE_P2P=1 PES_NODE=2; do
	for threads in $(one_of "$how" 1 2); do
		fine "streams, $how, $threads PEs a process" -x $how -n 4 --threads "$threads" "$BUILD/tests/gpu_queue"
	done
done
fine "failures are told" -n 2 "$BUILD/tests/gpu_told"
fine "failures are told, threads" -n 2 --threads 2 "$BUILD/tests/gpu_told"
fine "failures are told, memory that cannot be pinned" -x MOCK_CUDA_NO_PIN=1 -n 2 "$BUILD/tests/gpu_told"
fine "a kernel fills the GPU" -n 2 "$BUILD/tests/mock_full"
fine "failures that cannot be read" -n 2 "$BUILD/tests/mock_unread"
check "kernels that do not hear of finalize" err_count 'warn.*: the device was not told that PE 1 ends: a kernel that outlives it .*CUDA_ERROR_OF_MOCK' 1
check "the others do" err_count 'was not told' 1
for share in auto fabric; do
	for mode in static vmm isolation; do
		fine "handles of the fabric alone, $share, $mode" -x MOCK_CUDA_FABRIC=only \
			-x MORI_SHMEM_SHARE=$share --mode $mode -n 4 --threads 2 "$BUILD/tests/pe_put"
	done
done
fine "a fabric that refuses" -x MOCK_CUDA_FABRIC=no -n 4 "$BUILD/tests/pe_put"
check "a fabric that refuses: no word of it" [ ! -s "$tmp/err" ]
on_mock -x MOCK_CUDA_FABRIC=no -x MORI_SHMEM_SHARE=fabric -n 4 "$BUILD/tests/pe_put"
check "a fabric that refuses, asked for" err_has 'MORI_SHMEM_SHARE=fabric: the driver of PE 0 gives no handles'
on_mock -x MOCK_CUDA_FABRIC=only -x MORI_SHMEM_SHARE=fd -n 4 "$BUILD/tests/pe_put"
check "fd is fd" [ "$code" != 0 ]
fine "PEs by their device" -x MOCK_CUDA_DEVICES=2 -n 2 --threads 2 "$BUILD/tests/gpu_find"
# GPUs that are not atomic on each other's memory, and such as do not see each other.
for t in pe_atomic pe_signal pe_put_signal pe_order; do
	fine "$t without atomics" -x MOCK_CUDA_ATOMICS=no -x MOCK_CUDA_DEVICES=4 -n 4 "$BUILD/tests/$t"
done
for share in ipc fd; do
	fine "streams without atomics, $share" -x MORI_SHMEM_SHARE=$share -x MOCK_CUDA_ATOMICS=no \
		-x MOCK_CUDA_DEVICES=4 -n 4 "$BUILD/tests/gpu_queue"
done
on_mock -x MOCK_CUDA_ATOMICS=no -x MOCK_CUDA_DEVICES=2 -n 2 --threads 2 "$BUILD/tests/pe_atomic"
check "without atomics in one process" err_has "are not atomic on each other's memory: run the PEs of each as"
fine "one GPU is atomic" -x MOCK_CUDA_ATOMICS=no -n 2 --threads 2 "$BUILD/tests/pe_atomic"
fine "four GPUs" -x MOCK_CUDA_DEVICES=4 -n 4 "$BUILD/tests/gpu_host"
fine "host operations" -n 4 "$BUILD/tests/gpu_host"
fine "host operations, threads" -n 4 --threads 4 "$BUILD/tests/gpu_host"

# A device that fails, and modules that say what they are.
for ipc in "" "-x MOCK_CUDA_IPC=no"; do
	for how in "" "--threads 2"; do
		for mode in static vmm isolation; do
			# shellcheck disable=SC2086 # lists of words
			fine "a failing device, $mode $how $ipc" $ipc -x MORI_SHMEM_VMM_CHUNK_SIZE=4M --mode $mode -n 4 $how "$BUILD/tests/mock_mirror"
		done
	done
done
if [ -f "$BUILD/lib/mori/nvptx64/libmori_shmem_p2p.bc" ]; then
	"$MORI" cc "$SRC/tests/kernels/soak.c" --target sm_90 --emit ptx -o "$tmp/whole" &&
		"$MORI" cc "$SRC/tests/kernels/soak.c" --p2p --target sm_90 --emit ptx -o "$tmp/p2p_only"
	check "modules for a GPU" [ $? = 0 ]
	for how in "-n 2" "-n 4 --threads 2" "-n 2 -x MORI_DISABLE_P2P=1" "-n 4 -x PES_NODE=2" \
		"-n 4 --threads 2 -x MOCK_CUDA_IPC=no" "-n 2 -x MOCK_CUDA_IPC=no"; do
		# shellcheck disable=SC2086 # lists of words
		fine "modules with queues and without, $how" -x MOCK_P2P_ONLY="$tmp/p2p_only" -x MOCK_WHOLE="$tmp/whole" $how \
			"$BUILD/tests/mock_p2p_only"
	done
fi

on_mock -x MOCK_CUDA_MEMORY=200000000 -n 4 "$BUILD/tests/pe_put"
check "no room" [ "$code" != 0 ]
check "no room, in words" err_has 'no room for the heaps: .* lower MORI_SHMEM_HEAP_SIZE'
on_mock -x MORI_SHMEM_SHARE=ipc --mode vmm -n 2 "$BUILD/tests/pe_put"
check "handles are for static heaps" err_has 'MORI_SHMEM_SHARE=ipc is for static heaps'
MORI_SHMEM_DEVICE=cuda LD_LIBRARY_PATH=$mock "$MORI" info >"$tmp/out"
check "info" grep -q '^  cuda  *used  *(1 GPU(s)' "$tmp/out"
check "info of a GPU" grep -q '^  cuda\.0  *mock GPU 0, sm_90, .*8\.0 GiB' "$tmp/out"
MORI_SHMEM_DEVICE=auto LD_LIBRARY_PATH=$mock "$MORI" run -n 2 "$BUILD/tests/gpu_host"
check "auto takes the GPU" [ $? = 0 ]
finish
