#!/bin/bash
# SPDX-License-Identifier: MIT
# Sizes that keep code readable: at most 900 lines per file (more than 600 print a
# note), 60 per function and 10 per macro. The macros of the list of operations may be longer, and
# generated files have no limit.
. "$(dirname "$0")/common.inc"

for file in $(c_files) $(all_files | grep -E '\.(sh|cmake|def|py)$'); do
	looked=$((looked + 1))
	is_generated "$file" && continue
	lines=$(wc -l <"$file")
	if [ "$lines" -gt 900 ]; then
		bad "$file: $lines lines, the limit is 900"
	elif [ "$lines" -gt 600 ]; then
		echo "note: $file has $lines lines; 600 should be enough for one object"
	fi
done

# The braces of a function are in the first column, where clang-format puts them.
while IFS= read -r finding; do
	bad "$finding"
done < <(c_files | grep -v '^src/ops/shmem_list\.h$' | xargs awk '
	FNR == 1	{ open = 0; macro = 0 }
	/^{/		{ open = FNR; head = before }
	/^}/ && open {
		if (FNR - open - 1 > 60)
			printf "%s:%d: %d lines in a function, the limit is 60: %s\n", FILENAME, open, FNR - open - 1, head
		open = 0
	}
	/^[ \t]*#[ \t]*define/	{ macro = FNR }
	macro && !/\\$/ {
		if (FNR - macro > 10)
			printf "%s:%d: %d lines in a macro, the limit is 10\n", FILENAME, macro, FNR - macro
		macro = 0
	}
	{ before = $0 }')
finish
