#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=400 quick=0
# `mori perf`: a quick run checks its data and writes CSV and JSON that can be
# read; wrong use is exit code 2; a bench whose data is wrong writes no row. No
# time that it measures is looked at.
set -u

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export XDG_CACHE_HOME=$tmp
failed=0
bench=$(dirname "$MORI")/mori-bench

fail()
{
	echo "FAIL: $*" >&2
	failed=1
}

# expect CODE command...: the command ends with that exit code.
expect()
{
	local want=$1 got

	shift
	"$@" >"$tmp/out" 2>"$tmp/err"
	got=$?
	if [ $got -ne "$want" ]; then
		fail "exit code $got, not $want: $*"
		tail -5 "$tmp/err" >&2
	fi
}

cases=$("$MORI" perf --list | awk '$1 != "growth" { print $1 }')
[ "$(echo "$cases" | wc -w)" -ge 14 ] || fail "--list names too few cases"

expect 2 "$MORI" perf --quikc
expect 2 "$MORI" perf --only put_lat,nothing
expect 2 "$MORI" perf --sizes 8,x
expect 2 "$MORI" perf --reps 0
expect 2 "$MORI" perf surplus
expect 0 "$MORI" perf --help

# A quick run: every case has a row of ours, all of them are whole.
expect 0 "$MORI" perf --quick --no-peer --csv "$tmp/perf.csv" --json "$tmp/perf.json"
head -1 "$tmp/perf.csv" | grep -q '^name,size,pes,who,path,p50,p99,unit,verify,' || fail "CSV head"
for name in $cases; do
	grep -q "^$name,[0-9]*,[0-9]*,mori," "$tmp/perf.csv" || fail "no row of $name"
done
awk -F, 'NR > 1 && (NF < 13 || $6 <= 0 || $7 <= 0 || $9 != "ok") { print; bad = 1 }
	END { exit bad || NR < 20 }' "$tmp/perf.csv" || fail "a row of the CSV is not whole"
grep -q '^barrier,0,4,mori,' "$tmp/perf.csv" || fail "no barrier of 4 PEs"
if command -v python3 >/dev/null; then
	python3 - "$tmp/perf.json" "$tmp/perf.csv" <<-'END' || fail "JSON and CSV differ"
	import csv, json, sys
	rows = json.load(open(sys.argv[1]))["rows"]
	lines = list(csv.DictReader(open(sys.argv[2])))
	same = [(r["name"], str(r["size"]), r["who"]) for r in rows] == \
		[(r["name"], r["size"], r["who"]) for r in lines]
	sys.exit(not (rows and same))
	END
fi

# PEs as threads, sizes of one's own, Markdown.
expect 0 "$MORI" perf --quick --no-peer --threads --only put_lat,barrier --sizes 24,3K --markdown
grep -q '^| 24 B | 2 |' "$tmp/out" || fail "no row of 24 bytes in the Markdown table"
grep -q '^| 3 KiB | 2 |' "$tmp/out" || fail "no row of 3 KiB in the Markdown table"

# One flipped byte: no row, and the job fails.
for name in $cases; do
	rm -f "$tmp/rows"
	"$MORI" run -n 2 "$bench" --case "$name" --sizes 64 --ms 1 --spoil --out "$tmp/rows" \
		>/dev/null 2>&1 && fail "$name passes with wrong data"
	[ -s "$tmp/rows" ] && fail "$name writes a row with wrong data"
done

if command -v oshrun >/dev/null && command -v oshcc >/dev/null; then
	expect 0 "$MORI" perf --quick --only put_lat,p --csv "$tmp/peer.csv"
	grep -q '^p,8,2,openmpi,' "$tmp/peer.csv" || echo "note: Open MPI gave no row here" >&2
fi
exit $failed
