#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=600 quick=0
# `mori perf --device`: every case runs as kernels with small sizes, PEs as processes
# and as threads, and checks its data; wrong use is exit code 2 with a sentence; a bench
# whose data is wrong writes no row. No time that it measures is looked at.
set -u

. "$SRC/tests/sh_lib.bash"
bin=$(dirname "$MORI")

if [ ! -f "$bin/kernels/cpu/data.image" ]; then
	echo "this build has no device library"
	exit 77
fi

# perf ARGUMENTS...: the result is in code, $tmp/out and $tmp/err.
perf() {
	"$MORI" perf "$@" >"$tmp/out" 2>"$tmp/err"
	code=$?
}
# wrong WHAT PATTERN ARGUMENTS...: exit code 2, and the sentence has the pattern.
wrong() {
	local what=$1 pattern=$2
	shift 2
	perf "$@"
	check "$what: exit code $code" [ "$code" = 2 ]
	check "$what" err_has "$pattern"
}

perf --device --list
cases=$(awk '{ print $1 }' "$tmp/out")
check "--list" [ "$(wc -w <<<"$cases")" = 19 ]
check "--list has scopes" grep -q 'put_bw .*scopes: thread,warp,block$' "$tmp/out"

wrong "a typo in a case" 'no case "put_bww"' --device --only put_bww
wrong "a case of the host" 'no case "malloc"' --device cpu --only malloc
wrong "a grid" '"8y128"' --device --grids 8y128
wrong "a grid of too many threads" 1024 --device --grids 1x2048
wrong "a grid of nothing" '"0x1"' --device --grids 0x1
wrong "one PE" "whole numbers from 2" --device --pes 1
wrong "a list of PEs" '"2,x"' --device --pes 2,x
wrong "a grid of a share without threads" '"Sx"' --device --grids Sx
wrong "a typo in the peer" 'no peer "nvshmen": openmpi, nvshmem' --device cpu --peer nvshmen
wrong "a peer of GPUs on the CPU" "nvshmem goes with --device cuda" --device cpu --peer nvshmem
wrong "a peer of hosts for kernels" "openmpi goes without --device" --device cpu --peer openmpi
wrong "a peer of GPUs for hosts" "nvshmem goes with --device cuda" --peer nvshmem
wrong "grids without kernels" "needs --device" --grids 1x1
wrong "growth of kernels" "cannot be combined with --device" --device --growth
wrong "a surplus word" surplus --device cpu surplus
wrong "a typo in the device" 'no device "cpuu": cpu, cuda, hip' --device cpuu

# No GPU, no rows: said, not measured.
if ! "$MORI" info | grep -q '^  cuda  *used'; then
	perf --device cuda
	check "no GPU: exit code $code" [ "$code" = 1 ]
	check "no GPU" err_has "no kernels can run on cuda here: there is no NVIDIA GPU"
fi
perf --device cpu --load "$tmp/none"
check "no rows to load: exit code $code" [ "$code" = 1 ]
check "no rows to load" err_has "none has no rows that --csv wrote"

# Every case, processes; the rows are whole, every scope is there.
perf --device cpu --quick --ms 1 --sizes 40,4000 --grids 1x8,3x40 --csv "$tmp/csv" --json "$tmp/json"
check "a quick run: exit code $code" [ "$code" = 0 ]
for name in $cases; do
	check "a row of $name" grep -q "^$name,[0-9]*,2,mori,p2p," "$tmp/csv"
done
for scope in thread warp block; do
	for name in put_bw get_bw put put_quiet get pingpong signal fetch_add; do
		check "$name in $scope scope" grep -q "^$name,.*,mori,.*,$scope,[1-3]x[0-9]*," "$tmp/csv"
	done
done
check "a barrier on a stream beside an empty launch" grep -q '^barrier_on_stream,0,2,plain,mori,.*,host,-,' "$tmp/csv"
check "init" grep -q '^init,0,2,mori,p2p,.*,ms,ok,.*,host,-,' "$tmp/csv"
check "a plain kernel beside" grep -q '^put_bw,4000,2,plain,mori,.*,block,3x40,' "$tmp/csv"
check "memcpy beside" grep -q '^get_bw,4000,2,limit,mori,.*,warp,3x40,' "$tmp/csv"
check "a host's call beside" grep -q '^put_quiet,40,2,host,p2p,.*,-,-,' "$tmp/csv"
check "kernel B has a block for every chunk" grep -q '^allreduce_put,4000,2,mori,.*,2x40,' "$tmp/csv"
awk -F, 'NR > 1 && (NF < 16 || $6 <= 0 || $7 <= 0 || $9 != "ok") { print; bad = 1 }
	END { exit bad || NR < 60 }' "$tmp/csv"
check "whole rows" [ $? = 0 ]
if command -v python3 >/dev/null; then
	python3 - "$tmp/json" "$tmp/csv" <<-'END'
	import csv, json, sys
	j = json.load(open(sys.argv[1]))
	key = lambda r: (r["name"], str(r["size"]), r["who"], r.get("scope", "-"), r.get("grid", "-"))
	same = [key(r) for r in j["rows"]] == [key(r) for r in csv.DictReader(open(sys.argv[2]))]
	sys.exit(not (j["rows"] and same and j["device"] == "cpu"))
	END
	check "JSON as CSV" [ $? = 0 ]
fi

# The same rows from the file give the same tables; drawn, every panel has all its lines.
perf --device cpu --load "$tmp/csv" --csv "$tmp/again" --plot "$tmp/svg"
check "rows from a file: exit code $code" [ "$code" = 0 ]
check "the same rows" cmp -s "$tmp/csv" "$tmp/again"
check "a table of rows from a file" grep -q '^put_bw: bandwidth' "$tmp/out"
check "a drawing" grep -q '^</svg>$' "$tmp/svg"
for panel in "put_bw, 2 PEs, block, grid of 3x40" "get_bw, 2 PEs, warp, grid of 3x40" "put, 2 PEs, block, grid of 1x40" \
	"pingpong, 2 PEs, thread, grid of 1x1" "GB/s, higher is better" "us, lower is better" "size in bytes"; do
	check "a panel: $panel" grep -q ">$panel<" "$tmp/svg"
done
if command -v python3 >/dev/null; then
	python3 - "$tmp/svg" "$tmp/csv" <<-'END'
	import csv, sys, xml.etree.ElementTree as tree
	ns = "{http://www.w3.org/2000/svg}"
	rows = list(csv.DictReader(open(sys.argv[2])))
	bad = 0
	for g in tree.parse(sys.argv[1]).getroot().iter(ns + "g"):
	    name, _, scope, grid = [t.text for t in g.iter(ns + "text") if " PEs, " in t.text][0].split(", ")
	    grid = grid.removeprefix("grid of ")
	    mine = [r for r in rows if r["name"] == name and int(r["size"]) > 0 and
	            ((r["scope"], r["grid"]) == (scope, grid) or (r["who"] == "host" and r["scope"] == "-"))]
	    lines = [line.get("points").split() for line in g.iter(ns + "polyline")]
	    if len(lines) != len({r["who"] for r in mine}) or sum(map(len, lines)) != len(mine):
	        print(name, scope, grid, [len(line) for line in lines], len(mine))
	        bad = 1
	sys.exit(bad)
	END
	check "well formed, with all lines and points" [ $? = 0 ]
fi
perf --device cpu --load "$tmp/csv" --plot "$tmp/no/where"
check "a drawing nowhere: exit code $code" [ "$code" = 1 ]

# Threads, more PEs, Markdown; the device the library uses by itself.
perf --device --threads --pes 4 --quick --ms 1 --only pingpong,barrier,allreduce_put,allreduce_two_shot \
	--sizes 1000 --grids 8x4 --markdown
check "4 PEs as threads: exit code $code" [ "$code" = 0 ]
check "a barrier of 4 PEs" grep -q '^| - | block | 1x4 | 4 |' "$tmp/out"
check "an all-reduce of 4 PEs" grep -q '^| 1008 B | block | 8x4 | 4 |' "$tmp/out"

# One flipped bit: no row, and the job fails.
for name in $cases; do
	rm -f "$tmp/rows"
	job -n 2 "$bin/mori-bench-kernels" --case "$name" --sizes 64 --ms 1 --spoil --out "$tmp/rows" \
		--kernels "$bin/kernels/cpu" --device cpu --grids 1x4
	check "$name fails with wrong data" [ "$code" = 1 ]
	check "$name says so" err_has "$name, size .* wrong data on PE"
	check "$name writes no row with wrong data" [ ! -s "$tmp/rows" ]
done

# The command elsewhere, without the kernels.
mkdir -p "$tmp/bin"
cp "$MORI" "$bin/mori-bench" "$bin/mori-bench-kernels" "$tmp/bin/"
LD_LIBRARY_PATH=$BUILD/lib "$tmp/bin/mori" perf --device >"$tmp/out" 2>"$tmp/err"
code=$?
check "no kernels: exit code $code" [ "$code" = 1 ]
check "no kernels" err_has "package clang-19"
finish
