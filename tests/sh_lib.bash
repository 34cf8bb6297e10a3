# SPDX-License-Identifier: MIT
# What the shell tests share: checks that count and go on, a folder of their own,
# and how to see what a job has left behind. The test ends with `finish`.

. "$SRC/tests/sample.bash"

checks=0 failures=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# check WHAT CONDITION...: the condition is a command.
check() {
	local what=$1
	shift
	checks=$((checks + 1))
	if ! "$@"; then
		failures=$((failures + 1))
		echo "FAILED: $what: $*"
		[ ! -s "$tmp/out" ] || sed 's/^/  out: /' "$tmp/out" | cut -c1-200 | head -20
		[ ! -s "$tmp/err" ] || sed 's/^/  err: /' "$tmp/err" | cut -c1-200 | head -20
	fi
}

# job ARGUMENTS...: run it; the result is in code, $tmp/out and $tmp/err.
job() {
	"$MORI" run "$@" >"$tmp/out" 2>"$tmp/err"
	code=$?
}

# job_code WHAT CODE ARGUMENTS...
job_code() {
	local what=$1 want=$2
	shift 2
	job "$@"
	check "$what: exit code $code" [ "$code" = "$want" ]
}

out_is() { [ "$(cat "$tmp/out")" = "$1" ]; }
sorted_is() { [ "$(sort "$tmp/out")" = "$1" ]; }
err_has() { grep -q -- "$1" "$tmp/err"; }
err_is_empty() { [ ! -s "$tmp/err" ]; }
# The number of lines of standard error that hold the pattern.
err_count() { [ "$(grep -c -- "$1" "$tmp/err")" = "$2" ]; }

# Every process started with -x MARK=$mark carries it, and so do its children.
mark=mark-$$-$RANDOM
marked() {
	grep -lzsx -- "MARK=$mark" /proc/[0-9]*/environ | sed 's|/proc/||; s|/environ||'
}

# Wait until a command holds, for 20 s at most.
wait_for() {
	local i
	for ((i = 0; i < 400; i++)); do
		"$@" && return 0
		sleep 0.05
	done
	return 1
}
none_marked() { [ -z "$(marked)" ]; }
has_lines() { [ -f "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]; }

finish() {
	[ "$checks" -gt 0 ] || echo "no check was made"
	echo "$checks checks, $failures failed"
	[ "$failures" = 0 ] && [ "$checks" -gt 0 ]
	exit
}
