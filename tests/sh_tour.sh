#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=300
# The tour of `make demo`: right in processes, threads and mixed, with one PE and
# with more than cores; its marks follow the terminal; a wrong value is reported.
set -u

tour=$BUILD/bin/mori-tour
out=$(mktemp)
trap 'rm -f "$out"' EXIT
bad=0

fail() {
	echo "$*"
	sed 's/^/    | /' "$out"
	bad=$((bad + 1))
}

# The tour with these arguments of mori run ends with 0 and says so.
good() {
	if ! "$MORI" run "$@" -- "$tour" >"$out" 2>&1; then
		fail "mori run $*: not 0"
		return
	fi
	grep -q "^device: cpu" "$out" || fail "mori run $*: no device"
	grep -q "^All 7 steps checked on every PE" "$out" || fail "mori run $*: no verdict"
	for step in 'symmetric malloc' 'a ring of puts' 'gets' 'put with signal' 'atomics' 'barrier' \
		'all-reduce'; do
		grep -qE "^  [1-7]\. $step +[0-9.]+ [num]s .* (ok|✓)$" "$out" ||
			fail "mori run $*: $step is not right"
	done
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

# A library that goes wrong is found out: one call at a time is replaced.
cat >"$out.c" <<'END'
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
	if "$MORI" run -n 4 -x BREAK="$1" -x LD_PRELOAD="$out.so" -- "$tour" >"$out" 2>&1; then
		fail "BREAK=$1 was not noticed"
	fi
	grep -qE "^  [1-7]\. $2 .* FAILED$" "$out" || fail "BREAK=$1: $2 is not marked"
}
if [ -z "${SANITIZE:-}" ]; then
	trap 'rm -f "$out" "$out.c" "$out.so"' EXIT
	if "${CC:-cc}" -shared -fPIC -I"$SRC/include" "$out.c" -o "$out.so" -ldl; then
		broken ptr "symmetric malloc"
		broken put "a ring of puts"
		broken get "gets"
		broken signal "put with signal"
		broken atomic "atomics"
		broken reduce "all-reduce"
		LD_PRELOAD=$out.so good -n 4
	else
		fail "the replacements do not compile"
	fi
fi

[ "$bad" = 0 ] && echo "the tour is right"
[ "$bad" = 0 ]
