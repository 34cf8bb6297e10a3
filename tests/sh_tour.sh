#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=300
# The tour of `make demo`: right in processes, threads and mixed, with one PE and
# with more than cores, kernels included; its marks follow the terminal; a wrong value of the
# host or of a kernel is reported; without kernels it goes on and says why.
set -u

tour=$BUILD/bin/mori-tour
tmp=$(mktemp -d)
out=$tmp/out
trap 'rm -rf "$tmp"' EXIT
bad=0
# What must be there: without clang there are no kernels.
host_steps=('symmetric malloc' 'a ring of puts' 'gets' 'put with signal' 'atomics' 'barrier' 'all-reduce')
kernel_steps=('kernel: ring' 'kernel: all-reduce')
clang=1
[ -s "$BUILD/lib/mori/$(uname -m)/libmori_shmem_device.bc" ] || clang=

fail() {
	echo "$*"
	sed 's/^/    | /' "$out"
	bad=$((bad + 1))
}

# has_steps WHAT STEP...: these and no others, all right.
has_steps() {
	local what=$1 step
	shift
	grep -q "^All $# steps checked on every PE" "$out" || fail "$what: no verdict of $# steps"
	for step; do
		grep -qE "^  [1-9]\. $step +[0-9.]+ [num]s .* (ok|✓)$" "$out" ||
			fail "$what: $step is not right"
	done
}

# The tour with these arguments of mori run ends with 0 and says so.
good() {
	if ! "$MORI" run "$@" -- "$tour" >"$out" 2>&1; then
		fail "mori run $*: not 0"
		return
	fi
	grep -q "^device: cpu$" "$out" || fail "mori run $*: no device"
	if [ -n "$clang" ]; then
		has_steps "mori run $*" "${host_steps[@]}" "${kernel_steps[@]}"
		grep -q 'Left out' "$out" && fail "mori run $*: kernels were left out"
	else
		has_steps "mori run $*" "${host_steps[@]}"
	fi
	grep -q "What to try next" "$out" || fail "mori run $*: no end"
}

export LC_ALL=C
good -n 1
good -n 2
good -n 4
good -n 4 --threads 4
# TSan cannot follow a token that goes through another process on its way.
[ "${SANITIZE:-}" = thread ] || good -n 8 --threads 4
good -n 3
good -n 8
good -n 17 --threads 17

# ASCII in the C locale, UTF-8 marks in another; colours not in a pipe.
LC_ALL=C good -n 2
grep -qP '[^\x00-\x7F]' "$out" && fail "the C locale got more than ASCII"
if locale -a 2>/dev/null | grep -qiE '^C\.utf-?8$'; then
	LC_ALL=C.UTF-8 good -n 2
	grep -q '✓' "$out" || fail "no check mark in UTF-8"
fi
grep -q $'\033' "$out" && fail "colours in a pipe"
if command -v script >/dev/null; then
	script -qec "'$MORI' run -n 2 '$tour'" /dev/null >"$out" 2>&1 </dev/null
	tty=$(grep -c $'\033' "$out")
	NO_COLOR=1 script -qec "'$MORI' run -n 2 '$tour'" /dev/null >"$out" 2>&1 </dev/null
	grep -q $'\033' "$out" && fail "colours with NO_COLOR"
	echo "coloured lines on a terminal: $tty"
fi

# Other heaps, and a heap that is too small for the last step.
for mode in vmm isolation; do
	MORI_SHMEM_MODE=$mode good -n 4
	grep -q "mode $mode" "$out" || fail "the mode is not shown"
done
if MORI_SHMEM_HEAP_SIZE=1M "$MORI" run -n 2 -- "$tour" >"$out" 2>&1; then
	fail "a heap of 1 MiB was enough"
fi
grep -q "mori-tour: malloc: " "$out" || fail "the reason is not said"

# Only the kernels, by themselves.
if [ -n "$clang" ]; then
	"$MORI" run -n 3 -- "$tour" kernels >"$out" 2>&1 || fail "kernels alone: not 0"
	has_steps "kernels alone" "${kernel_steps[@]}"
	MORI_DISABLE_P2P=1 "$MORI" run -n 2 -- "$tour" kernels >"$out" 2>&1 || fail "kernels over queues: not 0"
	has_steps "kernels over queues" "${kernel_steps[@]}"
fi
"$MORI" run -n 2 -- "$tour" kernel >"$out" 2>&1 && fail "a wrong argument was taken"

# left_out PROGRAM WHY...: the steps of the host, and a word about the rest.
left_out() {
	local program=$1
	shift
	"$MORI" run -n 2 "${device[@]}" -- "$program" >"$out" 2>&1 || fail "$program: not 0"
	has_steps "$program" "${host_steps[@]}"
	grep -q '^All 7 .*; those with kernels were left out\.$' "$out" || fail "$program: the end does not say it"
	for word; do
		grep -A1 "^  Left out: " "$out" | grep -q "$word" || fail "$program: no word of $word"
	done
}
device=()
mkdir "$tmp/bare"
ln -s "$BUILD/lib" "$tmp/lib"
cp "$tour" "$tmp/bare/mori-tour"
left_out "$tmp/bare/mori-tour" 'mori-tour.so is not there'
# On a GPU, here a mock of its driver, whose only kernels are the library's own.
if [ "${SANITIZE:-}" != thread ]; then
	device=(-x MORI_SHMEM_DEVICE=cuda -x LD_LIBRARY_PATH="$BUILD/tests/mock" -x MORI_SHMEM_HEAP_SIZE=64M)
	left_out "$tmp/bare/mori-tour" 'mori-tour.ptx is not there'
	grep -q '^device: cuda$' "$out" || fail "the device is not shown"
	device=()
fi
# Built without clang.
# shellcheck disable=SC2086 # a list of flags
"${CC:-cc}" $CFLAGS -D_GNU_SOURCE= -std=gnu11 -DTOUR_NO_KERNELS='"the build did not find clang (package clang-19)"' \
	-I"$SRC/include" "$SRC"/examples/tour/*.c -o "$tmp/bare/mori-tour" -L"$BUILD/lib" -lmori_shmem -lpthread \
	-Wl,-rpath,"$BUILD/lib" || fail "the tour without kernels does not compile"
left_out "$tmp/bare/mori-tour" 'package clang-19' 'build again'

# Kernels that go wrong are found out, each by its step.
broken_kernel() {
	sed "$2" "$SRC/examples/tour/device/kernels.c" >"$tmp/kernels.c"
	cmp -s "$tmp/kernels.c" "$SRC/examples/tour/device/kernels.c" && fail "$2 changes nothing"
	"$MORI" cc "$tmp/kernels.c" -o "$tmp/bare/mori-tour.so" || fail "$2 does not compile"
	if "$MORI" run -n 3 -- "$tmp/bare/mori-tour" kernels >"$out" 2>&1; then
		fail "kernels with $2: not noticed"
	fi
	grep -qE "^  [12]\. $1 .* FAILED$" "$out" || fail "kernels with $2: $1 is not marked"
}
if [ -n "$clang" ]; then
	broken_kernel 'kernel: ring' 's/piece, piece, len, bell/piece, piece, len - 1, bell/'
	broken_kernel 'kernel: ring' 's/(me - hop + n_pes) % n_pes/me/'
	broken_kernel 'kernel: all-reduce' 's/out + first, out + first, end - first, bell/out + first, in + first, end - first, bell/'
	broken_kernel 'kernel: all-reduce' 's/in + first, end - first, pe, 0/in + first, end - first, me, 0/'
fi

# A library that goes wrong is found out: one call at a time is replaced.
cat >"$tmp/lib.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mori/shmem.h>
#include <stdlib.h>
#include <string.h>

static int broken(const char *what)
{
	const char *b = getenv("BREAK");

	return b && !strcmp(b, what);
}
#define REAL(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

int mori_shmem_put_uint64_nbi_thread(uint64_t *d, const uint64_t *s, size_t n, int pe, int qp)
{
	return REAL(mori_shmem_put_uint64_nbi_thread)(d, s, n - broken("put"), pe, qp);
}
int mori_shmem_get_uint64_thread(uint64_t *d, const uint64_t *s, size_t n, int pe, int qp)
{
	return REAL(mori_shmem_get_uint64_thread)(d, s, n, broken("get") ? 0 : pe, qp);
}
int mori_shmem_putmem_nbi_signal_thread(void *d, const void *s, size_t n, void *sig, uint64_t v, int op,
					int pe, int qp)
{
	return REAL(mori_shmem_putmem_nbi_signal_thread)(d, s, broken("signal") ? n / 2 : n, sig, v, op,
							 pe, qp);
}
uint64_t mori_shmem_uint64_atomic_fetch_add_thread(uint64_t *d, uint64_t v, int pe, int qp)
{
	return REAL(mori_shmem_uint64_atomic_fetch_add_thread)(d, v, pe, qp) & ~(uint64_t)broken("atomic");
}
int mori_shmem_put_uint16_nbi_thread(uint16_t *d, const uint16_t *s, size_t n, int pe, int qp)
{
	return REAL(mori_shmem_put_uint16_nbi_thread)(d, s, n - broken("reduce"), pe, qp);
}
uint64_t mori_shmem_ptr_p2p(uint64_t addr, int from, int to)
{
	return REAL(mori_shmem_ptr_p2p)(addr, from, broken("ptr") ? 0 : to);
}
END
broken() {
	if "$MORI" run -n 4 -x BREAK="$1" -x LD_PRELOAD="$tmp/lib.so" -- "$tour" >"$out" 2>&1; then
		fail "BREAK=$1 was not noticed"
	fi
	grep -qE "^  [1-7]\. $2  .* FAILED$" "$out" || fail "BREAK=$1: $2 is not marked"
}
if [ -z "${SANITIZE:-}" ]; then
	if "${CC:-cc}" -shared -fPIC -I"$SRC/include" "$tmp/lib.c" -o "$tmp/lib.so" -ldl; then
		broken ptr "symmetric malloc"
		broken put "a ring of puts"
		broken get "gets"
		broken signal "put with signal"
		broken atomic "atomics"
		broken reduce "all-reduce"
		LD_PRELOAD=$tmp/lib.so good -n 4
	else
		fail "the replacements do not compile"
	fi
fi

[ "$bad" = 0 ] && echo "the tour is right"
[ "$bad" = 0 ]
