#!/bin/bash
# SPDX-License-Identifier: MIT
# The list of operations, the public headers and the built library name exactly the
# same functions, and the library calls nothing that ends the process.
. "$(dirname "$0")/common.inc"

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C
lib=$BUILD/lib/libmori_shmem.so

same() {
	comm -23 "$1" "$2" | sed "s/^/only in $3: /"
	comm -13 "$1" "$2" | sed "s/^/only in $4: /"
	cmp -s "$1" "$2" || bad "$3 and $4 differ"
}

"$BUILD/bin/mori-list" --names | sort >"$tmp/list" || bad "mori-list failed"
looked=$(wc -l <"$tmp/list")
uniq -d "$tmp/list" | grep . && bad "names occur twice in the list"
[ "$("$BUILD/bin/mori-list" --count)" = "$looked" ] || bad "mori-list --count is not the number of names"

nm -D --defined-only "$lib" | sed -n 's/^[0-9a-f]* [TtBDRVWi] \(.*\)@@MORI_SHMEM_0$/\1/p' | sort >"$tmp/lib"
same "$tmp/list" "$tmp/lib" "the list" "the library"
# Symbols exported under another version or none, except the versions' own symbols and what is for `mori run`.
nm -D --defined-only "$lib" | grep -v '@@MORI_SHMEM_0$' | grep -v ' A MORI_SHMEM_0' |
	grep -v ' A MORI_PRIVATE' | grep -v ' mori_private_launcher@@MORI_PRIVATE$' | grep . &&
	bad "symbols are exported without the version MORI_SHMEM_0"

# The exported declarations of the header; each ends in `name(parameters);`.
printf '#include <mori/shmem.h>\n' |
	"$CC" -E -P -Iinclude -DMORI_SHMEM_EXPORT='mori_exported' -x c - | tr '\n' ' ' | tr ';' '\n' |
	sed -n 's/.*mori_exported[^(]*[ *]\(mori_[a-z0-9_]*\)(.*/\1/p; s/.*mori_exported[^(]*[ *]\(mori_[a-z0-9_]*\) (.*/\1/p' |
	sort >"$tmp/header"
same "$tmp/list" "$tmp/header" "the list" "the header"

nm -D --undefined-only "$lib" | sed 's/.* U //; s/@.*//' |
	grep -xE 'exit|_exit|_Exit|quick_exit|abort|__assert_fail|__assert' &&
	bad "the library can end the process"
finish
