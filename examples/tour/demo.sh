#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: examples/tour/demo.sh BUILD PES
# What `make demo` runs: the tour with PEs on the CPU, and its kernels once more on the GPU where
# there is one. With MORI_SHMEM_DEVICE set, the tour on that device.
set -u
[ $# = 2 ] || { sed -n 's/^# usage/usage/p' "$0" >&2; exit 2; }
mori=$1/bin/mori
tour=$1/bin/mori-tour

[ -z "${MORI_SHMEM_DEVICE:-}" ] || exec "$mori" run -n "$2" "$tour"
"$mori" run -n "$2" --device cpu "$tour" || exit
if "$mori" info | grep -q '^  cuda  *used'; then
	exec "$mori" run -n "$2" --device cuda --heap-size 64M "$tour" kernels
fi
