#!/bin/bash
# SPDX-License-Identifier: MIT
# usage: generate.sh MORI_LIST [FOLDER]
# Writes the files of the tree that are made from the list of operations (src/ops/shmem_list.h):
# into the tree, or below FOLDER for those who compare. `make generate` runs it.
set -eu
list=$(realpath "$1")
cd "$(dirname "$0")/.."
out=${2:-.}

# make_file PATH OPTION...: only a complete file replaces the old one.
make_file() {
	local file=$out/$1
	shift
	mkdir -p "$(dirname "$file")"
	"$list" "$@" >"$file.new"
	mv "$file.new" "$file"
}

make_file include/mori/shmem_ops.h --host-header
make_file include/mori/shmem_device_ops.h --device-header
make_file include/mori/shmem_collectives.h --typed-header
make_file src/abi/opcodes.h --numbers src/abi/opcodes.h
make_file python/mori/ir/_table.py --python
make_file tests/abi/device.syms --device-names
LC_ALL=C sort -o "$out/tests/abi/device.syms" "$out/tests/abi/device.syms"
