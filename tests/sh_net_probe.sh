#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=60
# A machine with a NIC that nothing here can drive: the network goes by sockets, and what
# was tried before leaves no word in mori_shmem_last_error() (tests/pes.h looks).
set -u
. "$SRC/tests/sh_lib.bash"

unshare -m true 2>/dev/null || { echo "skipped: needs root, network namespaces and ip(8)"; exit 77; }
# with COMMAND...: where the system knows of a NIC.
with() {
	unshare -m bash -c 'mount -t tmpfs none /sys/class && mkdir -p /sys/class/infiniband/nic0 || exit 9; exec "$@"' \
		with "$@" >"$tmp/out" 2>"$tmp/err"
	code=$?
}

with "$MORI" run -n 2 -x MORI_DISABLE_P2P=1 "$BUILD/tests/pe_status"
check "no word of what was tried" [ "$code" = 0 ]
with "$MORI" run -n 2 -x MORI_DISABLE_P2P=1 -x MORI_FABRIC_PROVIDER=nonsense "$BUILD/tests/pe_status"
check "what was asked for and is not there is an error" [ "$code" != 0 ]
check "in words" err_has nonsense
finish
