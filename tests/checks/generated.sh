#!/bin/bash
# SPDX-License-Identifier: MIT
# The files made from the list of operations (tools/generate.sh) are in the tree as they would be
# made now. Numbers of operations are unique and, once released, do not change: tests/abi/ops.numbers
# keeps them. Each operation's line in src/abi/opcodes.h names a function that src/dev defines.
. "$(dirname "$0")/common.inc"

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C

tools/generate.sh "$BUILD/bin/mori-list" "$tmp" || bad "tools/generate.sh failed"
while IFS= read -r file; do
	looked=$((looked + 1))
	diff -u "$file" "$tmp/$file" >"$tmp/diff" && continue
	bad "$file is not what the list says: run make generate"
	head -20 "$tmp/diff"
done < <(cd "$tmp" && find . -type f ! -name diff -printf '%P\n' | sort)
[ "$looked" -ge 5 ] || bad "tools/generate.sh made $looked files"

numbers() { sed -nE 's/^\tDEV_OP_([a-z_0-9]+) = ([0-9]+),.*/\2 \1/p' src/abi/opcodes.h; }
for field in 1 2; do
	twice=$(numbers | cut -d' ' -f$field | sort | uniq -d)
	[ -z "$twice" ] || bad "src/abi/opcodes.h: more than once: $twice"
done
diff <(numbers) tests/abi/ops.numbers >"$tmp/diff" ||
	bad "tests/abi/ops.numbers is not src/abi/opcodes.h: a new operation adds its line to the end, nothing else may change:
$(head -20 "$tmp/diff")"
# No released number was ever edited: lines are only added to the file.
if git log -1 --format=%h -- tests/abi/ops.numbers >"$tmp/log" 2>&1 && [ -s "$tmp/log" ]; then
	git log -p --format=%h -- tests/abi/ops.numbers | grep -E '^-[0-9]' >"$tmp/removed" &&
		bad "lines of tests/abi/ops.numbers were changed: $(head -3 "$tmp/removed")"
fi

for body in $(sed -nE 's|.*: (dev_[a-z_0-9]+)\(\) \*/$|\1|p' src/abi/opcodes.h | sort -u); do
	looked=$((looked + 1))
	grep -qE "\b$body\(" src/dev/*.h || bad "src/abi/opcodes.h names $body(), which is not in src/dev"
done
finish
