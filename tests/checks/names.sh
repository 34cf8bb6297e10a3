#!/bin/bash
# SPDX-License-Identifier: MIT
# A name in src means one thing: no two files, structs, or static functions and variables of .c files
# have the same, so that a debugger, a profile and a search find the one that is meant. The headers
# of src/target are apart: one of several is compiled, and all define the same names.
. "$(dirname "$0")/common.inc"

# once KIND: reads "name file", and reports the names that several files have.
once() {
	local pairs name
	pairs=$(sort -u)
	[ -n "$pairs" ] || bad "no ${1}s were found"
	looked=$((looked + $(wc -l <<<"$pairs")))
	while IFS= read -r name; do
		bad "several files have a $1 named $name: $(awk -v name="$name" '$1 == name { printf " %s", $2 }' <<<"$pairs")"
	done < <(cut -d' ' -f1 <<<"$pairs" | uniq -d)
}

files=$(c_files | grep '^src/')
once file < <(sed 's|.*/|& |' <<<"$files" | awk '{ print $2, $1 $2 }')

# shellcheck disable=SC2086 # lists of names without blanks
once struct < <(awk 'match($0, /(struct|union|enum) [a-z0-9_]+ \{$/) && !/^[ \t*]/ {
	split(substr($0, RSTART), word, " "); print word[2], FILENAME }' $(grep -v '^src/target/' <<<"$files"))

# shellcheck disable=SC2086
once "static name" < <(awk '/^static [a-z]/ && !/^static inline/ {
	sub(/[ \t]*[[(=;].*/, ""); n = split($0, word, /[ \t*]+/)
	if (word[n] ~ /^[a-z]/ && word[n] !~ /^(struct|enum|union)$/) print word[n], FILENAME }' $(grep '\.c$' <<<"$files"))
finish
