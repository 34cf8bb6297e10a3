#!/bin/bash
# SPDX-License-Identifier: MIT
# clang-tidy, with the checks of .clang-tidy, finds nothing in the sources of the build.
# Two kinds of source are not analyzed: tests, whose deliberate misuse the analyzer
# reports as bugs, and src/core/host_ops.c, which contains every body hundreds of times.
# A test may include another test to run it with other settings.
. "$(dirname "$0")/common.inc"

command -v clang-tidy-19 >/dev/null || skip "clang-tidy-19 is not installed"
files=$(sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$BUILD/compile_commands.json" | grep '\.c$' | sort -u)
looked=$(wc -l <<<"$files")

tidy() {
	xargs -r -P "$(nproc)" -n 2 clang-tidy-19 -p "$BUILD" --quiet --warnings-as-errors='*' "$@" 2>&1 |
		grep -v 'Processing file\|warnings\{0,1\} generated\.$\|Suppressed .* warnings\|Use -header-filter'
	[ "${PIPESTATUS[0]}" = 0 ] || bad "clang-tidy has findings"
}

light="^$SRC/(tests/|src/core/host_ops\.c$)"
tidy < <(grep -vE "$light" <<<"$files")
tidy --checks='-clang-analyzer-*,-bugprone-suspicious-include' < <(grep -E "$light" <<<"$files")
finish
