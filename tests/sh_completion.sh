#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=60
# `mori completion`: what bash offers is what the command has, checked against every --help and
# against what the command takes; the script for zsh is one that zsh reads, where it is installed.
set -u
. "$SRC/tests/sh_lib.bash"

"$MORI" completion bash >"$tmp/mori.bash" 2>"$tmp/err"
check "bash: exit code" [ $? = 0 ]
check "bash: a script" bash -n "$tmp/mori.bash"
. "$tmp/mori.bash"
check "it is the completion of mori" [ "$(complete -p mori)" = "complete -F _mori mori" ]

# offered WORD...: after `mori`, with the cursor at the end of the last.
offered() {
	COMP_WORDS=(mori "$@")
	COMP_CWORD=$#
	_mori
	printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort >"$tmp/out"
}
# offers WHAT WORD...: exactly these, in any order.
offers() {
	local want
	want=$(printf '%s\n' $1 | LC_ALL=C sort)
	shift
	offered "$@"
	check "mori $*" [ "$(cat "$tmp/out")" = "$want" ]
}
has() { grep -qxF -- "$1" "$tmp/out"; }

commands=$("$MORI" --help | sed -n '/--help/q; s/^  \([a-z][a-z]*\) .*/\1/p')
check "there are commands" [ "$(wc -w <<<"$commands")" -ge 5 ]
offers "$commands -h --help -V --version" ""
offers "run" r
offers "cc completion" c
offers "--version" --v
offers "" nonsense ""

# Every option of every help is offered, and no other; and the command knows each: it complains of
# the one behind it.
for c in $commands; do
	help=$("$MORI" "$c" --help | sed -n 's/^   *\(-.*\)/\1/p' | sed 's/  .*//' | grep -oE '(^| )--?[a-zA-Z][a-zA-Z0-9-]*' |
		sed -E 's/^ *//; s/^(-[a-zA-Z]).+/\1/')
	offers "$help" "$c" -
	for o in $(cat "$tmp/out"); do
		"$MORI" "$c" "$o" x --no-such-option >/dev/null 2>"$tmp/err" </dev/null
		check "mori $c knows $o" eval '! err_has "unknown option $o"'
	done
done
offers "--timeout --timestamp" run --time
offers "--keep-going" run -n 4 --tag-output --k

# Values: apart, behind = in three words, and in one.
offers "auto cpu cuda hip amd-emu" run --device ""
offers "cpu cuda" run --device c
offers "cpu cuda" run --device = c
offers "auto cpu cuda hip amd-emu" run --device =
offers "--device=cpu --device=cuda" run --device=c
offers "none core" run -n 2 --bind ""
offers "static" run --mode s
offers "so" cc x.c --emit s
offers "sm_90 sm_90a" cc --target sm_9
offers "sm_90 sm_90a" cc x.c -t sm_9
offers "gfx90a gfx942 gfx950" cc --target gfx9
offers "cpu" cc -t cp
offers "bash zsh" completion ""
offers "put_lat" perf --only put_l
offers "put_lat,get_lat put_lat,get_bw put_lat,get put_lat,get_busy" perf --only put_lat,ge
offers "growth" perf --only gr
offers "openmpi nvshmem none" perf --peer ""
offers "cpu cuda hip" perf --device ""
offers "--quick" perf --device --q
offers "" run -n ""
offers "" run -x ""

# The values are those that the command and the library take.
for pair in --mode:MORI_SHMEM_MODE --device:MORI_SHMEM_DEVICE --log-level:MORI_SHMEM_LOG_LEVEL; do
	allowed=$("$MORI" info --env | sed -n "/^${pair#*:} =/,/allowed/s/.*allowed: //p" | sed 's/ (or [^)]*)//g; s/,//g')
	check "${pair#*:} has values" [ -n "$allowed" ]
	offers "$allowed" run "${pair%%:*}" ""
done
offered cc --emit ""
for kind in $(cat "$tmp/out"); do
	"$MORI" cc "$tmp/nothing.c" --emit "$kind" -o "$tmp/x" 2>"$tmp/err"
	check "--emit $kind is one" eval '! err_has "there are"'
done
offered cc --target ""
for target in $(cat "$tmp/out"); do
	"$MORI" cc "$tmp/nothing.c" --target "$target" -o "$tmp/x" 2>"$tmp/err"
	check "--target $target is one" err_has 'No such file'
done
offered perf --only ""
for name in $("$MORI" perf --list; "$MORI" perf --device --list; "$MORI" perf --net --list); do
	case $name in put_lat | allreduce_read | put_busy | growth) check "perf --only $name" has "$name" ;; esac
done

# Files: programs and kernels, and what belongs to a program is left to it.
mkdir -p "$tmp/files/folder"
cd "$tmp/files" || exit 1
: >prog && chmod +x prog
: >kernel.c && : >kernel.ll && : >notes.txt && : >"two words.c"
offered run -n 2 ./p
check "a program" has ./prog
offered run -n 2 l
check "a program of PATH" has ls
offers "notes.txt" run -n 2 ./prog n
offers "" run -n 2 ./prog --ti
offered run -n 2 -- ./p
check "a program behind --" has ./prog
offers "kernel.c kernel.ll" cc k
offered cc ""
check "a folder beside kernels" has folder
check "a name with a blank" has "two words.c"
check "no other file" eval '! has notes.txt'
offers "folder" run --wdir f
offers "folder" run --output-dir = f
offers "notes.txt" perf --csv n
offers "--csv=notes.txt" perf --csv=n
cd - >/dev/null || exit 1

# For zsh, in which nothing is run here that may not be there.
"$MORI" completion zsh >"$tmp/_mori" 2>"$tmp/err"
check "zsh: exit code" [ $? = 0 ]
check "zsh: its first line" [ "$(head -n 1 "$tmp/_mori")" = "#compdef mori" ]
for c in $commands; do
	check "zsh: $c" grep -q "^		$c)$" "$tmp/_mori"
	offered "$c" -
	for o in $(cat "$tmp/out"); do
		check "zsh: $c $o" eval 'sed -n "/^		$c)\$/,/;;/p" "$tmp/_mori" | grep -qE "^			.\*$o[]=+[-]"'
	done
done
if command -v zsh >/dev/null; then
	check "zsh reads it" zsh -n "$tmp/_mori"
fi

for args in "" "fish" "bash zsh" "--bsh"; do
	# shellcheck disable=SC2086 # several words
	"$MORI" completion $args >"$tmp/out" 2>"$tmp/err"
	check "completion $args: exit code" [ $? = 2 ]
	check "completion $args: said why" [ -s "$tmp/err" ]
done

# What the build has written is what it says now, under the names that shells look for.
for pair in bash:mori zsh:_mori; do
	"$MORI" completion "${pair%:*}" >"$tmp/out"
	check "the build's completion for ${pair%:*}" cmp "$tmp/out" "$BUILD/completions/${pair#*:}"
done
DESTDIR=$tmp/stage cmake -DCMAKE_INSTALL_PREFIX=/opt -P "$BUILD/tools/cmake_install.cmake" >"$tmp/out" 2>"$tmp/err"
for file in bash-completion/completions/mori zsh/site-functions/_mori; do
	check "$file is installed" cmp "$BUILD/completions/${file##*/}" "$tmp/stage/opt/share/$file"
done
finish
