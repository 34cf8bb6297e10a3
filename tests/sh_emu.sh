#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=400 quick=0
# AMD's machine code on this machine's processor: `mori emu`, and jobs whose kernels are code objects.
set -u
. "$SRC/tests/sh_lib.bash"
. "$SRC/tests/codegen/tools.inc"

need_bitcode
if ! MORI_SHMEM_DEVICE=amd-emu "$MORI" run -n 1 true 2>"$tmp/err" || grep -q 'no libLLVM' "$tmp/err"; then
	echo "skipped: $(cat "$tmp/err")"
	exit 77
fi

# emu CODE WHAT ARGUMENTS...
emu() {
	local want=$1 what=$2
	shift 2
	"$MORI" emu "$@" >"$tmp/out" 2>"$tmp/err"
	code=$?
	check "$what: exit code $code" [ "$code" = "$want" ]
}
out_has() { grep -qE -- "$1" "$tmp/out"; }

# A kernel that needs nothing of the library: integers, floats, LDS, a barrier, calls of another lane.
cat >"$tmp/sums.c" <<'END'
#include <mori/shmem_device.h>
MORI_SHARED uint32_t box[256];
MORI_KERNEL void sums(uint32_t *out, float *real, uint32_t n, float scale)
{
	uint32_t t = mori_thread_id(), at = mori_block_id() * mori_block_size() + t, sum = 0;

	box[t] = at * at + 1;
	mori_block_sync();
	for (uint32_t k = 0; k <= t; k++)
		sum += box[k];
	if (at < n) {
		out[at] = sum / (t + 1);
		real[at] = (float)at * scale - 1.5f;
	}
}
END
python3 - >"$tmp/want" <<'END'
import struct, sys
out, real = [], []
for at in range(320):
    t, first = at % 128, at - at % 128
    out.append(sum(k * k + 1 for k in range(first, at + 1)) % 2**32 // (t + 1))
    real.append(at * 0.25 - 1.5)
sys.stdout.buffer.write(struct.pack("320I", *out) + bytes(64) + struct.pack("320f", *real) + bytes(64))
END
for target in gfx90a gfx942 gfx950; do
	"$MORI" cc "$tmp/sums.c" --target $target -o "$tmp/sums.$target" || exit 1
	emu 0 "sums on $target" --grid 3 --block 128 --counts "$tmp/sums.$target" sums \
		"@1344>$tmp/ints" "@1344>$tmp/floats" 320 0.25
	check "what the kernel on $target has written" cmp -s <(cat "$tmp/ints" "$tmp/floats") "$tmp/want"
	check "instructions are counted" out_has '^ +[1-9][0-9]*  s_barrier$'
done
emu 0 "kernels are listed" "$tmp/sums.gfx942"
check "with their parameters" out_is "sums: 4 parameters"
emu 0 "a trace" --trace "$tmp/sums.gfx942" sums @64 @64 8 1.0
check "has every instruction" [ "$(wc -l <"$tmp/err")" -gt 100 ]

# Division takes steps that scale what is too large or too small.
cat >"$tmp/divide.c" <<'END'
#include <mori/shmem_device.h>
MORI_KERNEL void divide(const double *x, const double *y, double *out, float *single)
{
	uint32_t t = mori_thread_id();

	out[t] = x[t] / y[t];
	single[t] = (float)(t % 8 * 5 + 1) / (0x1p120f * (float)(1u << t / 8));
}
END
python3 - "$tmp/x" "$tmp/y" "$tmp/want" "$tmp/narrow" <<'END'
import struct, sys
some = [1.0, -3.0, 7.5e300, 5e-324, 3e-310, -2.3e-308, 1.7e308, 0.1]
x, y = [a for a in some for b in some], [b for a in some for b in some]
out = []
for a, b in zip(x, y):
    try:
        out.append(a / b)
    except OverflowError:
        out.append(float("inf") if (a < 0) == (b < 0) else float("-inf"))
for name, row in zip(sys.argv[1:], (x, y, out)):
    open(name, "wb").write(struct.pack("64d", *row))
row = [(t % 8 * 5 + 1) / 2.0 ** (120 + t // 8) for t in range(64)]
open(sys.argv[4], "wb").write(struct.pack("64f", *row))
END
"$MORI" cc "$tmp/divide.c" --target gfx942 -o "$tmp/divide" || exit 1
emu 0 "division" "$tmp/divide" divide "@$tmp/x" "@$tmp/y" "@512>$tmp/got" "@256>$tmp/floats"
check "quotients are rounded as they must be" cmp "$tmp/got" "$tmp/want"
check "of floats, too" cmp "$tmp/floats" "$tmp/narrow"

# What is wrong is said.
emu 1 "a kernel that is not there" "$tmp/sums.gfx942" summs
check "by its name" err_has 'has no kernel summs'
emu 1 "an argument too few" "$tmp/sums.gfx942" sums @64 @64 8
check "with how many there are" err_has 'sums has 4 parameters, and 3 arguments are given'
emu 1 "no number" "$tmp/sums.gfx942" sums @64 @64 eight 1.0
emu 1 "a file that is no code object" "$tmp/sums.c" sums
check "is named" err_has 'not a code object for AMD GPUs'
emu 1 "a file that is not there" "$tmp/nothing"
emu 1 "too many threads" --block 2048 "$tmp/sums.gfx942" sums @64 @64 8 1.0
check "with the limit" err_has '1 to 1024 threads'
emu 2 "no size" --grid 0 "$tmp/sums.gfx942" sums @64 @64 8 1.0
emu 2 "an option that is not there" --gird 1 "$tmp/sums.gfx942"
check "with the right one" err_has '\-\-grid'
head -c 3000 "$tmp/sums.gfx942" >"$tmp/cut"
emu 1 "a code object that is cut off" "$tmp/cut" sums @64 @64 8 1.0
# A trap stands for what the interpreter stops at: the instruction, where, and why.
cat >"$tmp/trap.c" <<'END'
#include <mori/shmem_device.h>
MORI_KERNEL void trap(uint32_t *p)
{
	if (*p == 0)
		__builtin_trap();
	*p = 1;
}
END
"$MORI" cc "$tmp/trap.c" --target gfx942 -o "$tmp/trap.hsaco" || exit 1
emu 1 "a trap" "$tmp/trap.hsaco" trap @4
check "is named with its place" err_has 'trap: gfx942 at 0x[0-9a-f]*, "s_trap 2": trap'

# Message passing between two blocks, without what orders it: memory that is adversarial shows it.
cat >"$tmp/pass.c" <<'END'
#include <mori/shmem_device.h>
#define COMPILER __asm__ volatile("" ::: "memory")
#define SYSTEM	 __MEMORY_SCOPE_SYSTEM
static uint64_t get(uint64_t *p)
{
	return __scoped_atomic_load_n(p, __ATOMIC_RELAXED, SYSTEM);
}
static void set(uint64_t *p, uint64_t x)
{
	__scoped_atomic_store_n(p, x, __ATOMIC_RELAXED, SYSTEM);
}
/* how: 1: the writer releases, 2: the reader acquires, 4: in the scope of the device only. */
MORI_KERNEL void pass(uint64_t *word, uint64_t *wrong, uint64_t rounds, uint32_t how)
{
	uint64_t *data = word, *flag = word + 1024, *answer = word + 2048;

	if (mori_thread_id())
		return;
	for (uint64_t r = 1; r <= rounds; r++) {
		if (mori_block_id() == 0) {
			*data = r;
			COMPILER;
			if ((how & 5) == 1)
				__builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
			else if (how & 1)
				__builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
			set(flag, r);
			while (get(answer) != r)
				;
		} else {
			while (get(flag) != r)
				;
			if ((how & 6) == 2)
				__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");
			else if (how & 2)
				__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
			COMPILER;
			*wrong += *data != r;
			COMPILER;
			set(answer, r);
		}
	}
}
END
# passes HOW: how many of ten seeds show a wrong word.
passes() {
	local seed
	for seed in 1 2 3 4 5 6 7 8 9 10; do
		"$MORI" emu --grid 2 ${2:---adversarial $seed} "$tmp/pass.hsaco" pass @32768 @8 40 "$1" || return
	done 2>&1 | grep -cE '^argument 1: 8 bytes, [1-9]'
}
"$MORI" cc "$tmp/pass.c" --target gfx942 -o "$tmp/pass.hsaco" || exit 1
check "with all that orders it, no word is wrong" [ "$(passes 3)" = 0 ]
check "nor in the scope of the device" [ "$(passes 7)" = 0 ]
check "without the release a word is wrong" [ "$(passes 2)" != 0 ]
check "without the acquire, too" [ "$(passes 1)" != 0 ]
check "plain memory shows none of it" [ "$(passes 0 --block=64)" = 0 ]
emu 2 "no seed" --adversarial none "$tmp/pass.hsaco"
check "is told" err_has 'a seed is a number'
emu 1 "adversarial memory of gfx90a" --adversarial 1 "$tmp/sums.gfx90a" sums @64 @64 8 1.0
check "is refused" err_has 'not of gfx90a'

# Example kernels, with every peer within reach; amd/run has all of them.
examples() {
	local target=$1 k n
	shift
	for k; do
		"$MORI" cc "$SRC/examples/kernels/$k.c" --target "$target" -o "$tmp/$k.$target" || exit 1
		for n in 2 4; do
			job -n $n -x MORI_SHMEM_DEVICE=amd-emu "$BUILD/bin/mori-kernels" "$k" "$tmp/$k.$target"
			check "$k on $target with $n PEs: exit code $code" [ "$code" = 0 ]
			check "$k on $target with $n PEs: every PE has looked" \
				[ "$(grep -cE '^PE [0-9]+' "$tmp/out")" = $n ]
			check "$k on $target with $n PEs: nothing wrong" [ -z "$(grep -E ' [1-9][0-9]* wrong' "$tmp/out")" ]
		done
	done
	emu 0 "every instruction on $target is known" --scan "$tmp"/*."$target"
}
examples gfx942 put_signal put_ring get atomics value allreduce_read
# The same where memory is adversarial: of several seeds none may show anything wrong.
for seed in 1 2 3; do
	for k in put_signal put_ring get atomics value allreduce_read; do
		job -n 2 -x MORI_SHMEM_DEVICE=amd-emu -x MORI_EMU_MEMORY=adversarial -x MORI_EMU_SEED=$seed \
			"$BUILD/bin/mori-kernels" "$k" "$tmp/$k.gfx942"
		check "$k with adversarial memory, seed $seed: exit code $code" [ "$code" = 0 ]
	done
done
job -n 2 --threads 2 -x MORI_SHMEM_DEVICE=amd-emu "$BUILD/bin/mori-threads" 2
# An image for another device is refused by name.
job -n 1 -x MORI_SHMEM_DEVICE=amd-emu "$BUILD/bin/mori-kernels" hello "$BUILD/tests/kernels/copy.so"
check "a module of the CPU: exit code $code" [ "$code" = 1 ]
check "a module of the CPU is refused" err_has 'not a code object for AMD GPUs; make a module with mori cc --target gfx942'
finish
