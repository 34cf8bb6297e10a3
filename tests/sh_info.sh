# SPDX-License-Identifier: MIT
# `mori info`: facts with reasons, every variable with its value in force, JSON,
# and docs/environment.md as it would be written now.
. "$SRC/tests/sh_lib.bash"

info() {
	"$MORI" info "$@" >"$tmp/out" 2>"$tmp/err"
	check "info $*: exit code" [ $? = 0 ]
}
out_has() { grep -q -- "$1" "$tmp/out"; }

for name in $(env | sed -n 's/^\(MORI_[A-Z_]*\)=.*/\1/p'); do
	unset "$name"
done

info
for section in library device heap transport dependency env; do
	check "section $section" out_has "^$section$"
done
check "device" out_has '^  cpu  *used'
check "cuda has a state" out_has '^  cuda  *.*('
check "heap" out_has '^  size  *1G  (default on the CPU)'
check "transport" out_has '^  p2p  *yes'
for lib in libpmix.so.2 libfabric.so.1 libibverbs.so.1 libmlx5.so.1 libcuda.so.1 libamdhip64.so; do
	check "$lib is found or is not" grep -qE "^  $lib  *(/|not found|not usable|found)" "$tmp/out"
done
check "NICs or the reason" grep -qE '^  NIC( [^ ]+:[0-9]+)?  *(yes|no|none)  \(' "$tmp/out"
check "no variable is set" out_has 'no variable is set'

MORI_SHMEM_HEAP_SIZE=3x MORI_SHMEM_MODE=VMM MORI_SHMEM_HAEP_SIZE=1 MORI_OTHER=1 info
check "a bad value is a row" out_has '^  MORI_SHMEM_HEAP_SIZE=3x  ERROR: not valid; allowed: bytes'
check "a bad value in its place" out_has '^  size  *3x  (not valid'
check "a good value" out_has '^  mode  *VMM  (environment)'
check "an unknown name" out_has 'MORI_SHMEM_HAEP_SIZE=1  ERROR: .*did you mean MORI_SHMEM_HEAP_SIZE'
check "an unknown other name" out_has 'MORI_OTHER=1  WARNING: '

MORI_RDMA_DEVICES=mlx5_0,, info
check "a bad list of NICs" grep -qE '^  NIC  *none  \(.*(a name is missing|ibv)' "$tmp/out"

MORI_NUM_QP_PER_PE=9 info --env
check "value in force" out_has '^MORI_NUM_QP_PER_PE = 9  (environment)$'
check "default" out_has '^MORI_SHMEM_TIMEOUT = 300  (default)$'
check "unset" out_has '^MORI_NODE_ID = unset  (default)$'
check "every line of the table" [ "$(grep -c '^MORI_' "$tmp/out")" = \
	"$(grep -c '^OPTION(' "$SRC/src/core/options.def")" ]

for args in "--json" "--env --json"; do
	# shellcheck disable=SC2086 # two words
	MORI_NODE_ID='a"b\c	d' info $args
	check "JSON: quotes" out_has '"value": "a\\"b\\\\c\\u0009d"'
	if command -v python3 >/dev/null; then
		check "JSON: read by another" python3 -c 'import json, sys
env = {v["name"]: v for v in json.load(open(sys.argv[1]))["env"]}
assert env["MORI_NODE_ID"]["value"] == "a\"b\\c\td", env
assert env["MORI_NODE_ID"]["source"] == "environment"
assert env["MORI_SHMEM_MODE"]["default"] == "static"
assert env["MORI_SHMEM_MODE"]["error"] is None' "$tmp/out"
	fi
done

MORI_SHMEM_MODE=vmm MORI_SHMEM_NONSENSE=1 info --env --markdown
check 'docs/environment.md is as mori info --env --markdown writes it' \
	diff "$SRC/docs/environment.md" "$tmp/out"

for args in "--jsn" "--json --markdown --env" "--markdown" "extra"; do
	# shellcheck disable=SC2086 # several words
	"$MORI" info $args >"$tmp/out" 2>"$tmp/err"
	check "info $args: exit code" [ $? = 2 ]
	check "info $args: said why" [ -s "$tmp/err" ]
done
"$MORI" info --jsn >"$tmp/out" 2>"$tmp/err"
check "typo" err_has 'did you mean --json?'
info --help
check "help" out_has markdown
finish
