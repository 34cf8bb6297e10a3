#!/bin/bash
# SPDX-License-Identifier: MIT
# What CONTRIBUTING.md and docs/design.md say about the tree holds: the files that the steps name
# exist, the list of process-wide state has exactly the writable variables of the library, and the
# walks name functions that there are.
. "$(dirname "$0")/common.inc"

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C

# `path` in CONTRIBUTING.md; foo stands for what is added, * for several files.
while IFS= read -r path; do
	looked=$((looked + 1))
	case $path in *foo*) continue ;; esac
	compgen -G "$path" >/dev/null || bad "CONTRIBUTING.md names $path, which does not exist"
done < <(grep -oE '`(src|include|tests|tools|cmake|docs|python)/[A-Za-z0-9_./*{},-]+`' CONTRIBUTING.md | tr -d '`' | sort -u)
[ "$looked" -gt 20 ] || bad "CONTRIBUTING.md names only $looked files"

# Functions in the tables of the walks; lib_x() is made of the body x of src/dev/bodies.def.
walks=$(sed -n '/^## Two walks/,/^## [^T]/p' docs/design.md)
while IFS= read -r name; do
	looked=$((looked + 1))
	grep -qrwE "$name|mori_shmem_$name" src include || grep -qw "${name#lib_}" src/dev/bodies.def ||
		bad "docs/design.md names $name(), which does not exist"
done < <(grep -oE '`[a-z0-9]+(_[a-z0-9]+)+(\(\))?`' <<<"$walks" | tr -d '`()' | sort -u)

# state OBJECT...: "file name" of each variable that is neither constant nor only relocated.
state() {
	local object file
	for object; do
		file=${object##*mori_shmem_objects.dir/}
		[ -f "${file%.o}" ] || continue # left by an earlier build
		objdump -t "$object" | awk -F'\t' -v file="${file%.o}" '
		NF == 2 && substr($1, 18, 7) !~ /[dfF]/ && $1 ~ / \.(bss|data|tbss|tdata)(\.[^ ]*)?$/ && $1 !~ /\.data\.rel\.ro/ {
			n = split($2, word, " "); name = word[n]; sub(/\.[0-9]+$/, "", name); print file, name
		}'
	done
}
objects=$(find "$BUILD" -path '*mori_shmem_objects.dir/*' -name '*.c.o')
[ -n "$objects" ] || { echo "the library was not built here: its state was not checked"; finish; }
# shellcheck disable=SC2086 # a list of names without blanks
state $objects | sed 's|^src/||' | sort -u >"$tmp/built"
awk -F'|' '/^## / { on = $0 == "## Process-wide state" } on && /^\| `/ {
	gsub(/[ `]/, "", $2); n = split($3, name, ","); for (i = 1; i <= n; i++) { gsub(/[ `]/, "", name[i]); print $2, name[i] } }' \
	docs/design.md | sort -u >"$tmp/listed"
looked=$((looked + $(wc -l <"$tmp/built")))
comm -23 "$tmp/built" "$tmp/listed" >"$tmp/new"
comm -13 "$tmp/built" "$tmp/listed" >"$tmp/gone"
while IFS= read -r line; do
	bad "process-wide state that docs/design.md does not list: $line"
done <"$tmp/new"
while IFS= read -r line; do
	bad "docs/design.md lists state that the library has not: $line"
done <"$tmp/gone"
finish
