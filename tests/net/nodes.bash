# SPDX-License-Identifier: MIT
# For tests that make nodes (bench/nodes): on N COMMAND... runs a command beside N of them,
# with MORI as a `mori` that puts PEs onto the nodes. Ends the test with 77 where there can
# be none. MORI, BUILD and SRC are set.

. "$SRC/tests/sample.bash"
nodes=$BUILD/bin/mori-nodes
bad=0
if [ -z "${NODES:-}" ]; then
	export NODES_MORI=$MORI BUILD SRC
	unset MORI_SOCKET_IFNAME
	"$nodes" -n 2 true || { [ $? = 77 ] && exit 77; }
fi

# on [options of mori-nodes] -- COMMAND...
on() {
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	MORI=$SRC/tests/net/mori "$nodes" "${options[@]}" -- "$@" </dev/null || bad=$((bad + 1))
}

# As the last command of a test.
verdict() { [ "$bad" = 0 ]; }
