#!/bin/bash
# SPDX-License-Identifier: MIT
# Sizes that keep code readable: a file has at most 900 lines (above 600 it is
# mentioned), a function 60, a macro 10. The list of operations is one long macro
# by nature and is left out.
. "$(dirname "$0")/common.inc"

for file in $(c_files) $(all_files | grep -E '\.(sh|cmake|def|py)$'); do
	looked=$((looked + 1))
	lines=$(wc -l <"$file")
	if [ "$lines" -gt 900 ]; then
		bad "$file: $lines lines, 900 is the most"
	elif [ "$lines" -gt 600 ]; then
		echo "note: $file has $lines lines; 600 are enough for one object"
	fi
done

# A function's braces stand in the first column, as clang-format puts them.
while IFS= read -r finding; do
	bad "$finding"
done < <(c_files | grep -v '^include/mori/shmem_list\.h$' | xargs awk '
	FNR == 1	{ open = 0; macro = 0 }
	/^{/		{ open = FNR; head = before }
	/^}/ && open {
		if (FNR - open - 1 > 60)
			printf "%s:%d: %d lines in a function, 60 is the most: %s\n", FILENAME, open, FNR - open - 1, head
		open = 0
	}
	/^[ \t]*#[ \t]*define/	{ macro = FNR }
	macro && !/\\$/ {
		if (FNR - macro > 10)
			printf "%s:%d: %d lines in a macro, 10 is the most\n", FILENAME, macro, FNR - macro
		macro = 0
	}
	{ before = $0 }')
finish
