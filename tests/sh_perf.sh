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

# Rows of two processes: the line of the limit is ours, the table has the peer's beside the peer.
awk 'BEGIN {
	print "name,size,pes,who,path,p50,p99,unit,verify,vs_limit,vs_peer,target,met,scope,grid,vs_plain"
	for (size = 8; size <= 67108864; size *= 2) {
		split("mori,p2p,1 openmpi,shm,9 limit,mori,0.5 limit,openmpi,7.77", row, " ")
		for (i = 1; i <= 4; i++) {
			split(row[i], c, ",")
			t = c[3] * (1 + size / 65536)
			printf "put_lat,%d,2,%s,%s,%g,%g,us,ok,,,\"\",,-,-,\n", size, c[1], c[2], t, t
		}
	}
}' >"$tmp/two.csv"
expect 0 "$MORI" perf --load "$tmp/two.csv" --plot "$tmp/two.svg"
grep -qE 'Open MPI +x peer +its limit' "$tmp/out" || fail "no column for the limit of the peer"
grep -qE '^ +8 B .* 7\.77( |$)' "$tmp/out" || fail "no limit of the peer"
if command -v python3 >/dev/null; then
	python3 - "$tmp/two.svg" <<-'END' || fail "the drawing"
	import sys, xml.etree.ElementTree as tree
	root = tree.parse(sys.argv[1]).getroot()
	tags = lambda name: [e for e in root.iter() if e.tag.endswith(name)]
	lines = [[tuple(map(float, p.split(","))) for p in e.get("points").split()] for e in tags("polyline")]
	assert len(lines) == 3, lines
	for line in lines:  # a value for each size, on a curve without a step
	    assert len(line) == 24 == len({x for x, _ in line}), line
	    assert all(a[1] + 0.05 >= b[1] for a, b in zip(line, line[1:])), line
	wide, boxes, texts = float(root.get("width")), [], []
	for e in tags("text"):
	    x, y, w = float(e.get("x")), float(e.get("y")), 6.0 * len(e.text)
	    texts.append(e.text)
	    if e.get("transform"):
	        continue
	    x -= {"middle": w / 2, "end": w}.get(e.get("text-anchor"), 0)
	    assert 0 <= x and x + w <= wide, (e.text, x, w, wide)
	    assert not any(abs(y - v) < 10 and x < u + n and u < x + w for u, v, n in boxes), e.text
	    boxes.append((x, y, w))
	for text in ("put_lat, 2 PEs", "put, then quiet", "us, lower is better", "size in bytes", "memcpy", "Open MPI", "8 B"):
	    assert text in texts, (text, texts)
	END
fi

if command -v oshrun >/dev/null && command -v oshcc >/dev/null; then
	expect 0 "$MORI" perf --quick --only put_lat,p --csv "$tmp/peer.csv"
	grep -q '^p,8,2,openmpi,' "$tmp/peer.csv" || echo "note: Open MPI gave no row here" >&2
fi
exit $failed
