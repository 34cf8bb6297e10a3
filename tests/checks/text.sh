#!/bin/bash
# SPDX-License-Identifier: MIT
# The text of the sources: a licence line first, no notes to self, no stray blanks, no paths of
# the machine it was written on, and prose of at most 100 columns in Markdown.
. "$(dirname "$0")/common.inc"

note='\b(TO''DO|FIX''ME|XX''X|HA''CK)\b'

# Paths that exist only on this machine: the checkout, its parent, the home folder.
here=("$SRC/" "$HOME/")
parent=$(dirname "$SRC")
case $parent in / | /tmp | /usr | /usr/* | /build | /src) ;; *) here+=("$parent/") ;; esac

# The lines of a page that are too long, except code, tables and lines without a blank to break at.
long_prose() {
	awk '/^ *```/ { code = !code } { print code || /^(\||    |\t)/ || $0 !~ /[^ ] +[^ ]/ ? "" : $0 }' "$1" |
		LC_ALL=C.UTF-8 grep -nE '^.{101,}'
}

for file in $(all_files); do
	grep -Iq . "$file" || continue # empty or binary
	looked=$((looked + 1))
	case $file in
	*.c | *.h | *.def)
		[ "$(head -n 1 "$file")" = "// SPDX-License-Identifier: MIT" ] ||
			bad "$file: the first line is not the SPDX line"
		;;
	*.sh | *.cmake | Makefile | */CMakeLists.txt | CMakeLists.txt | .ci/run | tests/run)
		head -n 2 "$file" | grep -q "^# SPDX-License-Identifier: MIT" ||
			bad "$file: no SPDX line at the top"
		;;
	esac
	grep -HnE "$note" "$file" && bad "$file: notes to self"
	case $file in *.md) ;; *) grep -HnE '[[:blank:]]+$' "$file" && bad "$file: blanks at the end of a line" ;; esac
	grep -HnF "$(printf '\r')" "$file" && bad "$file: carriage returns"
	case $file in *.md) long_prose "$file" && bad "$file: prose of more than 100 columns" ;; esac
	for path in "${here[@]}"; do
		[ "$path" != / ] && grep -HnF "$path" "$file" && bad "$file: names $path"
	done
	[ -z "$(tail -c 1 "$file")" ] || bad "$file: the last line has no end"
done
finish
