#!/bin/bash
# SPDX-License-Identifier: MIT
# clang-tidy, with the checks of .clang-tidy, finds nothing in what the build
# compiles. Tests do without the analyzer, which takes their deliberate misuse for
# bugs and most of the time.
. "$(dirname "$0")/common.inc"

command -v clang-tidy-19 >/dev/null || skip "clang-tidy-19 is not installed"
files=$(sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$BUILD/compile_commands.json" | sort -u)
looked=$(wc -l <<<"$files")

tidy() {
	xargs -r -P "$(nproc)" -n 4 clang-tidy-19 -p "$BUILD" --quiet --warnings-as-errors='*' "$@" 2>&1 |
		grep -v 'Processing file\|warnings\{0,1\} generated\.$\|Suppressed .* warnings\|Use -header-filter'
	[ "${PIPESTATUS[0]}" = 0 ] || bad "clang-tidy has findings"
}

tidy < <(grep -v "^$SRC/tests/" <<<"$files")
tidy --checks='-clang-analyzer-*' < <(grep "^$SRC/tests/" <<<"$files")
finish
