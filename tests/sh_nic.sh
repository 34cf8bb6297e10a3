#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=240 quick=0
# The queues of src/nic compiled for GPUs as the device library is, bitcode by clang 19
# and final code by the newest LLVM: every function compiles, nothing of a C library is
# called, and each ordered access is one in the final code.
set -u
. "$SRC/tests/sh_lib.bash"
. "$SRC/tests/codegen/tools.inc"

[ -z "$SANITIZE" ] || skip "code for GPUs is the same under a sanitizer"
need_bitcode
need_llvm 20

# A function for each leaf and each call, so that its code can be looked at alone.
cat >"$tmp/leaves.c" <<'END'
#include "fake/rig.h"

#define SHOW(type, name, params, call) \
	type name params; \
	__attribute__((noinline)) type name params { return call; }

typedef struct nic_queue *Q;
SHOW(void, see_ring_soft, (Q q, uint64_t end), soft_ring(q, 0, 0, end))
SHOW(void, see_ring_mlx5, (Q q, uint64_t last, uint64_t end), mlx5_ring(q, 0, last, end))
SHOW(void, see_ring_bnxt, (Q q, uint64_t from, uint64_t end), bnxt_ring(q, from, from, end))
SHOW(void, see_ring_ionic, (Q q, uint64_t end), ionic_ring(q, 0, 0, end))
SHOW(bool, see_poll_soft, (Q q, uint64_t at, struct nic_completion *c), soft_poll(q, at, c))
SHOW(bool, see_poll_mlx5, (Q q, uint64_t at, struct nic_completion *c), mlx5_poll(q, at, c))
SHOW(bool, see_poll_bnxt, (Q q, uint64_t at, struct nic_completion *c), bnxt_poll(q, at, c))
SHOW(bool, see_poll_ionic, (Q q, uint64_t at, struct nic_completion *c), ionic_poll(q, at, c))
SHOW(void, see_seen_mlx5, (Q q, uint64_t seen), mlx5_seen(q, seen))
SHOW(void, see_seen_bnxt, (Q q, uint64_t seen), bnxt_seen(q, seen))
SHOW(void, see_seen_ionic, (Q q, uint64_t seen), ionic_seen(q, seen))
SHOW(void, see_publish, (Q q, uint64_t slot, uint32_t n), nic_publish(q, slot, n))
SHOW(bool, see_take, (Q q, uint32_t n, uint64_t *slot), nic_take(q, n, slot))
SHOW(bool, see_marked, (Q q, uint64_t slot), nic_marked(q, slot) != 0)
SHOW(bool, see_ring, (Q q), nic_ring(q))
SHOW(void, see_poll, (Q q), nic_poll(q))
SHOW(int, see_wait, (Q q, struct nic_deadline p, uint64_t end), nic_wait(q, p, end))
SHOW(int, see_put, (Q q, struct nic_deadline p, struct nic_local l, struct nic_remote r, uint64_t n),
     nic_put(q, p, NIC_DONE, l, r, n))
SHOW(int, see_get, (Q q, struct nic_deadline p, struct nic_local l, struct nic_remote r, uint64_t n),
     rig_get(q, p, NIC_DONE, l, r, n))
SHOW(int, see_inline, (Q q, struct nic_deadline p, const void *src, struct nic_remote r, uint64_t n),
     rig_put_inline(q, p, 0, src, r, n))
SHOW(int, see_put_signal, (Q q, struct nic_deadline p, struct nic_local l, struct nic_remote r,
     uint64_t n, struct nic_remote s), rig_put_signal(q, p, l, r, n, s, MORI_SHMEM_AMO_ADD, 1))
SHOW(struct nic_fetched, see_amo, (Q q, struct nic_deadline p, int rmw, uint32_t size,
     struct nic_remote r, uint64_t v, uint64_t c), nic_amo(q, p, rmw, size, r, v, c, true))
END

# final TARGET: $tmp/code is its assembly.
final() {
	local triple flags llc
	case $1 in
	sm_*) triple=nvptx64-nvidia-cuda flags=-march=sm_70 ;;
	gfx*) triple=amdgcn-amd-amdhsa flags="-Xclang -mcode-object-version=none" ;;
	esac
	llc=$(llvm_tool llc)
	# shellcheck disable=SC2086 # a list of flags
	clang-19 --target=$triple $flags -nogpulib -ffreestanding -std=gnu11 -fconvergent-functions \
		-fno-strict-aliasing -Wall -Wextra -Werror -I"$SRC/include" -I"$SRC/src" -I"$SRC/tests" -O2 \
		-Xclang -disable-llvm-passes -emit-llvm -c "$tmp/leaves.c" -o "$tmp/raw.bc" 2>"$tmp/err" &&
		sed -E '/^attributes #/s/ "[a-z][^"= ]*"="[^"]*"//g' \
			<("$(llvm_tool llvm-dis)" "$tmp/raw.bc" -o -) >"$tmp/raw.ll" 2>"$tmp/err" &&
		"$(llvm_tool opt)" -mtriple=$triple -mcpu="$1" -O3 -S "$tmp/raw.ll" -o "$tmp/opt.ll" 2>"$tmp/err" &&
		"$llc" -mtriple=$triple -mcpu="$1" -O3 "$tmp/opt.ll" -o "$tmp/code" 2>"$tmp/err"
}

# body FUNCTION: what the code has between its start and its end.
body() {
	awk -v name="$1" '
	$0 ~ "^(\\.visible )?\\.func (.* )?" name "\\(" || $0 ~ "^" name ":"	{ inside = 1 }
	inside	{ print }
	inside && (/^}/ || /^\.Lfunc_end/)	{ exit }' "$tmp/code" >"$tmp/body"
}

# in_order FUNCTION A ;; B ;; C: a line of A, later one of B, later one of C.
in_order() {
	body "$1"
	awk -v all="$2" '
	BEGIN	{ n = split(all, want, / *;; */); at = 1 }
	at <= n && $0 ~ want[at]	{ at++ }
	END	{ exit at <= n }' "$tmp/body"
}
lacks() {
	body "$1"
	[ -s "$tmp/body" ] && ! grep -nE -- "$2" "$tmp/body" >"$tmp/out"
}
no_calls_out() { ! grep -nE '(call|extern|s_swappc|\.globl).*\b(mem(cpy|set|move|cmp)|__[a-z]+atomic)' "$tmp/code" >"$tmp/out"; }

# Kernels on the CPU: the same text over the target of fibers.
check "kernels on the CPU" clang-19 -DMORI_CPU_KERNEL -std=gnu11 -fPIC -fno-strict-aliasing -Wall -Wextra \
	-Werror -I"$SRC/include" -I"$SRC/src" -I"$SRC/tests" -O2 -c "$tmp/leaves.c" -o "$tmp/cpu.o"

ptxas=${MORI_PTXAS:-$(command -v ptxas)}
for target in sm_80 sm_90 sm_100; do
	check "$target compiles" final "$target"
	check "$target calls nothing" no_calls_out
	# The record is in memory before the register is rung, the entries before both.
	check "$target" in_order see_ring_mlx5 'fence.acq_rel.sys ;; st.relaxed.sys.b32 ;; st.release.sys.b64'
	for f in see_ring_soft see_ring_bnxt see_ring_ionic see_seen_bnxt see_seen_ionic see_publish; do
		check "$target" in_order $f 'st.release.sys.b64'
	done
	check "$target" in_order see_seen_mlx5 'fence.acq_rel.sys ;; st.relaxed.sys.b32'
	for f in soft mlx5 bnxt ionic; do
		check "$target" in_order see_poll_$f 'ld.acquire.sys.b64'
	done
	check "$target" in_order see_marked 'ld.acquire.sys.b64'
	check "$target" in_order see_take 'ld.acquire.sys.b64 ;; atom.relaxed.sys.cas.b64'
	check "$target" in_order nic_ring 'atom.acq_rel.sys.add.u32 ;; atom.acq_rel.sys.cas.b32'
	check "$target" in_order nic_poll 'atom.acq_rel.sys.cas.b32 ;; st.release.sys.b64 ;; fence.acq_rel.sys'
	check "$target" in_order nic_wait 'ld.acquire.sys.b64 ;; nic_poll'
	for f in nic_issue nic_wait nic_ring nic_poll; do
		check "$target" lacks $f 'local_depot|atom\.(global|gpu)'
	done
	[ -n "$ptxas" ] || continue
	"$ptxas" -arch="$target" -c "$tmp/code" -o "$tmp/cubin" >"$tmp/out" 2>&1
	check "$target: ptxas" [ $? = 0 ]
done
for target in gfx942 gfx950; do
	release='buffer_wbl2 sc0 sc1' wait='s_waitcnt vmcnt\(0\)' word='(global|flat)_store_dwordx2'
	check "$target compiles" final "$target"
	check "$target calls nothing" no_calls_out
	# A release waits until what was stored is written back.
	check "$target" in_order see_ring_mlx5 \
		"$release ;; $wait ;; (global|flat)_store_dword .*sc0 sc1 ;; $release ;; $wait ;; $word .*sc0 sc1"
	check "$target" in_order nic_issue "$word [^s]*\$ ;; $release ;; $wait ;; $word .*sc0 sc1"
	for f in see_ring_soft see_ring_bnxt see_ring_ionic see_seen_bnxt see_seen_ionic see_publish; do
		check "$target" in_order $f "$release ;; $wait ;; $word .*sc0 sc1"
	done
	for f in see_poll_soft see_poll_mlx5 see_poll_bnxt see_poll_ionic see_marked; do
		check "$target" in_order $f '(global|flat)_load_dwordx2 .*sc0 sc1 ;; buffer_inv sc0 sc1'
	done
	check "$target" in_order see_take '(global|flat)_load_dwordx2 .*sc0 sc1 ;; buffer_inv sc0 sc1 ;; (global|flat)_atomic_cmpswap_x2 .*sc1'
	check "$target" in_order nic_ring "$release ;; (global|flat)_atomic_add .*sc1 ;; buffer_inv sc0 sc1"
	# Lanes in step: what posts is in the loop, before the lanes come together.
	check "$target" in_order nic_issue '(global|flat)_atomic_cmpswap_x2 ;; wave barrier'
done
[ -n "$ptxas" ] || echo "ptxas is not installed: its opinion was not asked"
finish
