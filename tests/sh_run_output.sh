# SPDX-License-Identifier: MIT
# /* TEST: timeout=180 */
# `mori run`: output of many PEs. Lines never mix, whatever their length and
# however they end.
. "$SRC/tests/sh_lib.bash"

# Each PE writes 40 lines of up to 90 000 times its own letter, in small pieces,
# and a last line without an end.
cat >"$tmp/talk" <<'END'
letter=$(printf "\\$(printf %o $((97 + MORI_RANK)))")
for i in 1 10 100 1000 9000 90000 5 50; do
	for again in 1 2 3 4 5; do
		head -c $i /dev/zero | tr '\0' "$letter" | dd bs=777 status=none
		echo
	done
done
printf "end$letter"
END
job_code "tagged" 0 -n 6 --tag-output bash "$tmp/talk"
check "each line is one PE's" [ "$(grep -cvE \
	'^\[0\] (a+|enda)$|^\[1\] (b+|endb)$|^\[2\] (c+|endc)$|^\[3\] (d+|endd)$|^\[4\] (e+|ende)$|^\[5\] (f+|endf)$' \
	"$tmp/out")" = 0 ]
check "all lines came" [ "$(wc -l <"$tmp/out")" = $((6 * 41)) ]
check "no byte is lost" [ "$(wc -c <"$tmp/out")" = \
	$((6 * (5 * (1 + 10 + 100 + 1000 + 9000 + 90000 + 5 + 50 + 8) + 41 * 4 + 5))) ]

# The same without tags: no line holds letters of two PEs, and nothing is added. The last lines of
# PEs, which have no end, come right before another's line.
job_code "untagged" 0 -n 6 bash "$tmp/talk" </dev/null
check "each untagged line is one PE's" \
	[ "$(grep -cvE '^(end[a-f])*(a*|b*|c*|d*|e*|f*)$' "$tmp/out")" = 0 ]
check "no byte is lost or added" [ "$(wc -c <"$tmp/out")" = \
	$((6 * (5 * (1 + 10 + 100 + 1000 + 9000 + 90000 + 5 + 50 + 8) + 4))) ]
job_code "errors in pieces" 0 -n 4 bash -c 'for i in {1..50}; do
	printf "PE $MORI_RANK " >&2; printf "is $MORI_RANK" >&2; echo " of PE $MORI_RANK" >&2; done'
check "each error is one PE's" [ "$(grep -cE '^PE ([0-3]) is \1 of PE \1$' "$tmp/err")" = 200 ]
head -c 300000 /dev/urandom >"$tmp/binary"
job_code "binary" 0 -n 2 sh -c '[ $MORI_RANK = 1 ] || cat "$0"' "$tmp/binary"
check "binary output is untouched" cmp "$tmp/out" "$tmp/binary"
"$MORI" run -n 2 sh -c 'printf "name? "; [ $MORI_RANK = 1 ] || { read -r name; echo "$name"; }' \
	< <(for ((i = 0; i < 100; i++)); do
		if grep -q 'name? name? ' "$tmp/out"; then break; fi
		sleep 0.1
	done; echo "after $i") >"$tmp/out"
check "a prompt comes without its line's end: $(cat "$tmp/out")" grep -qE 'name\? after [0-9]{1,2}$' "$tmp/out"
"$MORI" run -n 2 sh -c 'for i in 1 2 3; do echo "$MORI_RANK out $i"; echo "$MORI_RANK err $i" >&2; done' >"$tmp/out" 2>&1
check "output and error of a PE keep their order" [ "$(grep '^0' "$tmp/out" | tr '\n' ' ')" = \
	"0 out 1 0 err 1 0 out 2 0 err 2 0 out 3 0 err 3 " ]

job_code "streams" 0 -n 2 --tag-output sh -c 'echo out; echo err >&2'
check "output" sorted_is "[0] out
[1] out"
check "error" [ "$(sort "$tmp/err")" = "[0] err
[1] err" ]
job_code "ranges" 0 -n 5 --threads 2 --tag-output sh -c 'echo x'
check "ranges as tags" sorted_is "[0-1] x
[2-3] x
[4] x"
job_code "time" 0 -n 1 --timestamp sh -c 'echo x; echo; echo y'
check "time" [ "$(grep -cE '^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}\.[0-9]{6} [xy]?$' "$tmp/out")" = 3 ]
job_code "both" 0 -n 1 --timestamp --tag-output sh -c 'echo x'
check "both" grep -qE '^\[0\] [0-9]{4}-.* x$' "$tmp/out"

job_code "what a PE says last comes before what is said of it" 3 -n 1 --tag-output \
	sh -c 'printf "last words" >&2; exit 3'
check "order" [ "$(sed 's/process [0-9]*/process/' "$tmp/err")" = \
	"[0] last words
mori run: PE 0 (process) exited with code 3" ]

job_code "files" 0 -n 3 --threads 2 --output-dir "$tmp/a/b" sh -c 'echo out $MORI_RANK; echo err >&2'
check "nothing on the terminal" out_is ""
check "file names" [ "$(cd "$tmp/a/b" && echo *)" = "pe-0-1.err pe-0-1.out pe-2.err pe-2.out" ]
check "file of output" [ "$(cat "$tmp/a/b/pe-0-1.out")" = "out 0" ]
check "file of output" [ "$(cat "$tmp/a/b/pe-2.out")" = "out 2" ]
check "file of error" [ "$(cat "$tmp/a/b/pe-2.err")" = "err" ]
job_code "tagged files" 0 -n 2 --tag-output --output-dir "$tmp/a/b" echo hi
check "tagged files" [ "$(cat "$tmp/a/b/pe-1.out")" = "[1] hi" ]
touch "$tmp/file"
job_code "no folder" 1 -n 2 --output-dir "$tmp/file/x" echo hi
check "no folder" err_has "cannot make $tmp/file/x"

# The reader goes away: the PEs get a closed pipe, as without the launcher.
timeout 60 bash -c '"$0" run -n 2 --tag-output yes 2>/dev/null | head -n 3 >"$1"' "$MORI" "$tmp/out"
check "a reader that leaves ends the job" [ $? = 0 ]
check "what it read" [ "$(wc -l <"$tmp/out")" = 3 ]
timeout 60 bash -c '"$0" run -n 2 yes 2>/dev/null | head -n 3 >"$1"' "$MORI" "$tmp/out"
check "the same without tags" [ $? = 0 ]

job_code "many processes" 0 -n 100 sh -c 'echo $MORI_RANK'
check "each rank once" [ "$(sort -n "$tmp/out" | tr '\n' ' ')" = "$(seq 0 99 | tr '\n' ' ')" ]
ulimit -Sn 64
job_code "many processes, few descriptors" 0 -n 60 --tag-output sh -c 'ulimit -n'
check "the PEs keep the limit" [ "$(sed 's/.* //' "$tmp/out" | sort | uniq -c | tr -s ' ')" = " 60 64" ]
finish
