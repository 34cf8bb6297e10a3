#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs a file of Python tests with the tests' own Python over the package in the build folder.
#
#	BUILD=build SRC=. tests/python/run.sh tests/python/test_api.py [arguments of pytest]
set -u
: "${SRC:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${BUILD:=$SRC/build}"

skip() {
	echo "skipped: $*"
	exit 77
}

python=$SRC/.cache/venv/bin/python
"$python" -c 'import pytest' 2>/dev/null || skip "pytest is not installed (tools/venv.sh)"
cd "$(dirname "$1")" || exit 1
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
export PYTHONPATH=$BUILD/python PYTHONDONTWRITEBYTECODE=1
"$python" -m pytest -q -rs -p no:cacheprovider "$@" 2>&1 | tee "$out"
code=${PIPESTATUS[0]}
# A file in which every test skipped has tested nothing.
if [ "$code" = 0 ] && ! grep -q '[0-9] passed' "$out"; then
	skip "$(sed -n 's/^SKIPPED \[[0-9]*\] [^ ]*: //p' "$out" | head -n 1)"
fi
# 5: no test was collected, as for a module that skips as a whole
[ "$code" != 5 ] || skip "$(sed -n 's/^SKIPPED \[[0-9]*\] [^ ]*: //p' "$out" | head -n 1)"
exit "$code"
