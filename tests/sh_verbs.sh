#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=900 quick=0
# Jobs whose kernels post to a NIC by themselves: PEs are threads, all of the network, and the
# NIC is a fake (fake/serve.c) behind libraries of the real names. Every kind of operation in
# the format of each maker; then everything that can fail on the way.
set -u
. "$SRC/tests/sh_lib.bash"
fake=$BUILD/tests/fake
[ -e "$fake/libibverbs.so.1" ] || { echo "no headers of libibverbs: there are no fake NICs"; exit 77; }
[ -z "${SANITIZE:-}" ] || { echo "a sanitizer must be the first library, not a fake NIC"; exit 77; }

# A machine with a NIC of each maker: nic NAME DRIVER PCI
sysfs=$tmp/sys
nic() {
	mkdir -p "$sysfs/devices/$3" "$sysfs/bus/pci/drivers/$2" "$sysfs/class/infiniband/$1"
	ln -s "$sysfs/bus/pci/drivers/$2" "$sysfs/devices/$3/driver"
	ln -s "$sysfs/devices/$3" "$sysfs/class/infiniband/$1/device"
}
nic mlx5_0 mlx5_core 0000:17:00.0
nic bnxt_re0 bnxt_en 0000:18:00.0
nic ionic_0 ionic 0000:19:00.0
export SYSFS_PATH=$sysfs MORI_DISABLE_P2P=1 MORI_SHMEM_HEAP_SIZE=64M MORI_SHMEM_TIMEOUT=60

# on NICS CODE PROGRAM [VARIABLE=VALUE...]: two PEs of a process.
on() {
	local nics=$1 want=$2 program=$BUILD/tests/$3
	shift 3
	rm -f "$tmp/count"
	env FAKE_NICS="$nics" FAKE_COUNT="$tmp/count" MORI_SHMEM_LOG_LEVEL=info "$@" \
		LD_PRELOAD="$fake/libibverbs.so.1 $fake/libmlx5.so.1 $fake/libbnxt_re.so $fake/libionic.so.1" \
		"$MORI" run -n 2 --threads 2 -- "$program" >"$tmp/out" 2>"$tmp/err"
	code=$?
	check "$program on $nics $*: exit code $code" [ "$code" = "$want" ]
}
posted() { err_has "kernels of PE 0 post to $1" && err_has "kernels of PE 1 post to $1"; }
counted() { grep -Eq "$1" "$tmp/count"; }
nothing_served() { [ ! -e "$tmp/count" ]; }
one_warning() { err_count 'kernels use the soft NIC, which is slower' 1 && err_has "$1"; }

more='put_signal value order'
for nic in mlx5_0 bnxt_re0 ionic_0; do
	for program in put get atomic queue signal barrier $more nic; do
		on $nic 0 kern_$program MORI_NIC=rdma
		check "$program on $nic" posted "$nic port 1"
		check "nothing is left of $program on $nic" counted 'live 0$'
	done
	# Data of the heap, of windows and of registered buffers goes by itself, values in entries.
	check "all kinds of entries on $nic" counted \
		'writes [1-9][0-9]* reads [1-9][0-9]* inline [1-9][0-9]* add [1-9][0-9]* '
	# Queues that overtake each other: what is behind puts on others must wait for them.
	on $nic 0 kern_across MORI_NIC=rdma FAKE_LATE=1 MORI_NUM_QP_PER_PE=4
	check "across queues of $nic" posted "$nic port 1"
	on $nic 0 kern_nic FAKE_BAD=500 # see there
	check "the NIC's reason" err_has 'the peer does not answer'
	more= # made of the same entries
done
for program in put atomic; do
	on ionic_0 0 kern_$program MORI_NIC=rdma FAKE_IONIC=1
	check "$program in the first version of the format" posted 'ionic_0 port 1'
done
for mode in vmm isolation; do
	on mlx5_0 0 kern_modes_$mode MORI_NIC=rdma MORI_SHMEM_MODE=$mode MORI_SHMEM_VMM_CHUNK_SIZE=1M
	check "a $mode heap" posted 'mlx5_0 port 1'
done

# Unasked, where there is one; the one that is not excluded; none, and that is no failure.
on mlx5_0,bnxt_re0 0 kern_signal
check "unasked" posted '[mb]'
on mlx5_0,bnxt_re0 0 kern_signal MORI_RDMA_DEVICES=^mlx5
check "excluded" posted 'bnxt_re0 port 1'
on mlx5_0,bnxt_re0 0 kern_signal MORI_RDMA_DEVICES=^mlx5,bnxt
check "all excluded" err_has 'kernels use the soft NIC: .*MORI_RDMA_DEVICES'
check "all excluded: not a warning" err_count warning 0
check "all excluded: not used" nothing_served
on mlx5_0 0 kern_signal MORI_NIC=soft
check "soft" nothing_served
on mlx5_0 0 kern_signal MORI_NIC_FORMAT=mlx5 LD_LIBRARY_PATH="$BUILD/tests/formats"
check "a format of the soft NIC" nothing_served

# Whatever fails: the soft NIC, and it is said once; an error where the NIC was asked for.
for call in ibv_alloc_pd ibv_reg_mr_iova ibv_reg_mr_iova:2 ibv_create_cq ibv_create_qp ibv_create_qp:5 \
	mlx5dv_init_obj:3 ibv_modify_qp ibv_modify_qp:20; do
	on mlx5_0 0 kern_signal FAKE_FAIL=$call
	check "$call" one_warning 'mlx5_0 port 1'
	check "$call: not used" nothing_served
done
on mlx5_0 1 kern_signal FAKE_FAIL=ibv_create_qp MORI_NIC=rdma
check "asked for" err_has 'a NIC is requested .*mlx5_0 port 1: ibv_create_qp'
on mlx5_0 1 kern_signal FAKE_FAIL=ibv_reg_mr_iova MORI_RDMA_DEVICES=mlx5_0
check "named" err_has 'a NIC is requested .*mlx5_0 port 1: memory cannot be registered'
on mlx5_0 1 kern_signal MORI_RDMA_DEVICES=mlx5_7
check "no such NIC" err_has 'there is no mlx5_7 here'
on mlx5_0 1 kern_signal MORI_NIC=rdma SYSFS_PATH=/nowhere
check "not here" err_has 'a NIC is requested'

# mori info reports the same.
info() {
	env FAKE_NICS=mlx5_0 LD_PRELOAD="$fake/libibverbs.so.1 $fake/libmlx5.so.1" "$@" \
		"$MORI" info >"$tmp/out" 2>"$tmp/err"
}
info MORI_NIC=auto
check "info" grep -q 'queue  *mlx5 .*mlx5_0 port 1' "$tmp/out"
info MORI_NIC=soft
check "info: soft" grep -q 'queue  *soft .*MORI_NIC=soft' "$tmp/out"
info MORI_RDMA_DEVICES=^mlx5
check "info: none" grep -q 'queue  *soft .*MORI_RDMA_DEVICES' "$tmp/out"
finish
