#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=120
# What README.md and the documentation say is so: the program in the README is
# examples/hello/hello.c and runs, links lead somewhere, and every call and
# variable that the pages name exists.
set -u
cd "$SRC" || exit 1

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0 looked=0

fail() {
	echo "$*"
	bad=$((bad + 1))
}

# The first C block of the README is the example, without its licence line.
awk '/^```c$/ { on = 1; next } /^```$/ && on { exit } on' README.md >"$tmp/readme.c"
tail -n +2 examples/hello/hello.c >"$tmp/hello.c"
[ -s "$tmp/readme.c" ] || fail "README.md has no C program"
diff "$tmp/readme.c" "$tmp/hello.c" || fail "README.md and examples/hello/hello.c differ"

head -n 12 README.md | grep -q 'make demo' || fail "README.md does not open with make demo"
head -n 12 README.md | grep -q 'make test' || fail "README.md does not open with make test"

# shellcheck disable=SC2086 # flags
if "${CC:-cc}" $CFLAGS -Wall -Wextra -Werror -Iinclude "$tmp/readme.c" -o "$tmp/hello" \
	-L"$BUILD/lib" -lmori_shmem -Wl,-rpath,"$BUILD/lib"; then
	"$MORI" run -n 4 "$tmp/hello" | sort >"$tmp/out"
	for pe in 0 1 2 3; do
		echo "PE $pe of 4: my neighbour gave me $((100 + (pe + 3) % 4))"
	done >"$tmp/want"
	diff "$tmp/out" "$tmp/want" || fail "the program of the README does not say what it should"
	"$tmp/hello" | grep -q '^PE 0 of 1: my neighbour gave me 100$' || fail "it does not run alone"
else
	fail "the program of the README does not compile"
fi

# Links of every page, to files and to headings.
anchors() {
	grep '^#' "$1" | sed 's/^#* *//' | tr 'A-Z' 'a-z' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}
for page in README.md docs/*.md examples/*/README.md; do
	for link in $(awk '/^ *```/ { code = !code } !code && !/^    /' "$page" | grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//'); do
		looked=$((looked + 1))
		case $link in http*) continue ;; esac
		file=${link%%#*}
		[ -n "$file" ] && file=$(dirname "$page")/$file || file=$page
		[ -e "$file" ] || fail "$page: $link is not there"
		case $link in *#*) anchors "$file" | grep -qx "${link#*#}" || fail "$page: no heading $link" ;; esac
	done
done
[ "$looked" -gt 20 ] || fail "only $looked links were looked at"

# Names: calls from the list, types and constants from the headers, variables from the table.
{
	"$BUILD/bin/mori-list" --names
	"$BUILD/bin/mori-list" --device-names
	grep -ohE 'mori_shmem_[a-z0-9_]+|MORI_SHMEM_[A-Z0-9_]+' include/mori/*.h
	grep -ohE 'MORI_[A-Z0-9_]+' src/core/options.def
	# build targets, files and page names
	printf '%s\n' mori_shmem mori_shmem_ctx_ mori_shmem_device_bc MORI_SHMEM_
	grep -oh '^page: .*' docs/man/families/*.txt | cut -d' ' -f2
} | sort -u >"$tmp/known"
for page in README.md docs/*.md examples/*/README.md; do
	for name in $(grep -ohE '\b(mori_shmem_[a-z0-9_]+|MORI_[A-Z0-9_]+)\b' "$page" | sort -u); do
		looked=$((looked + 1))
		case $name in *_) continue ;; esac # the start of several names
		grep -qxF "$name" "$tmp/known" && continue
		grep -rqwF "$name" src include cmake tools python Makefile tests/*.h && continue
		fail "$page: $name does not exist"
	done
done

echo "$looked links and names looked at, $bad wrong"
[ "$bad" = 0 ]
