#!/bin/bash
# SPDX-License-Identifier: MIT
# clang-format has nothing to change. The list of operations is laid out by hand; generated files
# turn clang-format off themselves.
. "$(dirname "$0")/common.inc"

command -v clang-format-19 >/dev/null || skip "clang-format-19 is not installed"
files=$(c_files | grep -v '^src/ops/shmem_list\.h$')
looked=$(wc -l <<<"$files")
# shellcheck disable=SC2086 # a list of names without blanks
clang-format-19 --dry-run -Werror $files || bad "run clang-format-19 -i on these"
finish
