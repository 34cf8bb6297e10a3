#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=300 quick=0
# The oldest CMake that CMakeLists.txt allows configures everything, tests too, without a warning;
# it builds the library and the command, and they work.
set -u
. "$SRC/tests/sh_lib.bash"
. "$SRC/tests/codegen/tools.inc"
. "$SRC/tests/build.inc"

cmake=$("$SRC/tools/oldest_cmake.sh") || skip "CMake 3.22 could not be had from PyPI"
build=$tmp/build
"$cmake" "${generator[@]}" -S "$SRC" -B "$build" -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS=-O0 \
	>"$tmp/out" 2>"$tmp/err"
check "it configures" [ $? = 0 ]
check "without a warning" err_is_empty
check "it ends with the summary" row "$tmp/out" tests built
tests=$("${cmake%/*}/ctest" --test-dir "$build" -N | sed -n 's/^Total Tests: //p')
check "it has tests" [ "$tests" -gt 100 ]
"$cmake" --build "$build" -j 2 --target mori mori-hello >"$tmp/out" 2>&1
check "it builds" [ $? = 0 ]
"$build/bin/mori" run -n 2 "$build/bin/mori-hello" >"$tmp/out" 2>"$tmp/err"
check "it works" [ "$(grep -c 'my neighbour gave me' "$tmp/out")" = 2 ]
finish
