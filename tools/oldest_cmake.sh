#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the path of a CMake of the oldest version that CMakeLists.txt allows. It comes from PyPI
# into .cache, once; if it is not available the exit code is 1, and standard error says why.
set -u

cd "$(dirname "$0")/.." || exit 1
version=$(sed -n 's/^cmake_minimum_required(VERSION \([0-9.]*\))$/\1/p' CMakeLists.txt)
folder=$(pwd)/.cache/cmake-$version
cmake=$folder/cmake/data/bin/cmake

if ! "$cmake" --version >/dev/null 2>&1; then
	python=.cache/venv/bin/python
	[ -x "$python" ] || python=python3
	mkdir -p .cache
	new=$(mktemp -d "$folder.XXXXXX") || exit 1
	trap 'rm -rf "$new"' EXIT
	"$python" -m pip --disable-pip-version-check install --quiet --retries 1 --no-deps --target "$new" \
		"cmake==$version.*" </dev/null >&2 || exit 1
	rm -rf "$folder"
	mv "$new" "$folder"
fi
"$cmake" --version | grep -q "^cmake version $version\." || exit 1
echo "$cmake"
