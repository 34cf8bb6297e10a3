#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=120
# The manual: every exported name has a page or a link to one, every link leads
# somewhere, and the pages are roff without warnings where groff is installed.
set -u

pages=$BUILD/man/man3
bad=0 names=0 links=0

fail() {
	echo "$*"
	bad=$((bad + 1))
}

for name in $("$BUILD/bin/mori-list" --names); do
	names=$((names + 1))
	[ -s "$pages/$name.3" ] || fail "$name has no page"
done
[ "$names" -gt 500 ] || fail "mori-list gave $names names"

for page in "$pages"/*.3; do
	read -r word target <"$page"
	if [ "$word" = .so ]; then
		links=$((links + 1))
		[ -f "$BUILD/man/$target" ] || fail "$page leads to $target, which is not there"
		# The page it leads to must speak of the name: at least its family's prototypes.
		name=$(basename "$page" .3)
		plain=${name/mori_shmem_ctx_/mori_shmem_}
		[ "$plain" != "$name" ] || grep -q "$name" "$BUILD/man/$target" ||
			fail "$target does not mention $name"
	fi
done
[ "$links" -gt 500 ] || fail "there are only $links links"

if groff -man -Tutf8 -z /dev/null 2>/dev/null; then
	for page in $(grep -L '^\.so' "$pages"/*.3) "$SRC"/docs/man/*.[1-8]; do
		[ -f "$page" ] || continue
		said=$(groff -ww -man -Tutf8 -z "$page" 2>&1)
		[ -z "$said" ] || fail "$page: $said"
	done
fi

# A name that no text claims must stop the build.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp "$SRC"/docs/man/families/*.txt "$tmp" && rm "$tmp/heap.txt"
if said=$("$BUILD/bin/mori-man" "$tmp/out" "$tmp" "$SRC/include/mori/shmem.h" 0 2>&1); then
	fail "mori-man did not miss heap.txt"
elif [[ $said != *"no page claims mori_shmem_"* ]]; then
	fail "mori-man said: $said"
fi

echo "$names names, $links links, $bad wrong"
[ "$bad" = 0 ]
