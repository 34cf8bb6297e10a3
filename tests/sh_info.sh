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
for section in library device heap transport dependency kernel env; do
	check "section $section" out_has "^$section$"
done
check "device" out_has '^  cpu  *used'
check "cuda has a state" out_has '^  cuda  *.*('
check "heap" out_has '^  size  *1G  (default on the CPU)'
check "transport" out_has '^  p2p  *yes'
for lib in libpmix.so.2 libfabric.so.1 libibverbs.so.1 libmlx5.so.1 libcuda.so.1 libamdhip64.so.7 libamdhip64.so.6; do
	check "$lib is found or is not" grep -qE "^  $lib  *(/|not found|not usable|found)" "$tmp/out"
done
check "NICs or the reason" grep -qE '^  NIC( [^ ]+:[0-9]+)?  *(yes|no|none)  \(' "$tmp/out"
for tool in clang opt llc llvm-link llvm-dis 'clang for CPU' ld.lld mlir-translate ptxas; do
	check "$tool with its version, or what to install" grep -qE \
		"^  $tool  *(/[^ ]*  \([0-9.]+; for |not found  \(.* needs it; install the package)" "$tmp/out"
done
check "the device library, or what to do" grep -qE '^  device library  *(/.*  \(.*x86_64|/.*aarch64|no  \()' "$tmp/out"
check "no variable is set" out_has 'no variable is set'

# Compilers: none, one in a folder of the user's, one that is too old.
PATH=$tmp/none info
check "no clang" out_has '^  clang  *not found  (C needs it; install the package clang-19, or set MORI_LLVM_BINDIR)$'
check "no LLVM" out_has '^  opt  *not found  (.*; install the package llvm-22 (or llvm-19), or set MORI_LLVM_BINDIR)$'
check "no clang for the CPU" out_has '^  clang for CPU  *not found  (.*packages clang-19 and llvm-19'
check "no lld" out_has '^  ld.lld  *not found  (AMD needs it; install the package lld-22 (or lld-19), '
check "no mlir-translate" out_has '^  mlir-translate  *not found  (MLIR needs it; install the package mlir-19-tools, '
[ -e /usr/local/cuda/bin/ptxas ] || CUDA_HOME='' CUDA_PATH='' PATH=$tmp/none info
[ -e /usr/local/cuda/bin/ptxas ] ||
	check "no ptxas" out_has '^  ptxas  *not found  (.*package nvidia-cuda-toolkit .*MORI_PTXAS)$'
mkdir "$tmp/llvm"
tool() {
	printf '#!/bin/sh\necho "%s"\n' "$2" >"$tmp/llvm/$1"
	chmod +x "$tmp/llvm/$1"
}
tool clang 'clang version 21.3.4 (of nobody)'
tool ld.lld 'LLD 20.1.0 (compatible with GNU linkers)'
tool ptxas 'Cuda compilation tools, release 12.7, V12.7.1'
PATH=$tmp/none MORI_LLVM_BINDIR=$tmp/llvm MORI_PTXAS=$tmp/llvm/ptxas info
check "clang of a folder" out_has "^  clang  *$tmp/llvm/clang  (21\.3\.4; for C)$"
check "lld of a folder" out_has "^  ld.lld  *$tmp/llvm/ld.lld  (20\.1\.0; for AMD)$"
check "ptxas by name" out_has "^  ptxas  *$tmp/llvm/ptxas  (12\.7; for a cubin)$"
check "what the folder lacks" out_has "^  opt  *not found  (.*MORI_LLVM_BINDIR (it is $tmp/llvm))$"
tool clang 'clang version 14.0.6'
PATH=$tmp/llvm info
check "an old clang is none" out_has '^  clang  *not found'

# The device library: none, one target, by name. The command finds it beside itself.
cpu=$(uname -m)
mkdir -p "$tmp/tree/bin" "$tmp/tree/lib"
cp "$MORI" "$tmp/tree/bin/mori"
for lib in "$BUILD"/lib/libmori_shmem.so*; do
	ln -s "$lib" "$tmp/tree/lib/"
done
there() { MORI=$tmp/tree/bin/mori info "$@"; }
there
check "no device library" out_has '^  device library  *no  (none beside libmori_shmem.so; .*packages clang-19 and llvm-19 .*MORI_SHMEM_BC)$'
echo 'MORI_KERNEL void k(void) {}' >"$tmp/k.c"
"$tmp/tree/bin/mori" cc "$tmp/k.c" -o "$tmp/k.so" >"$tmp/out" 2>"$tmp/err"
check "mori cc without one: exit code" [ $? = 1 ]
check "mori cc without one" err_has "no device library for $cpu .*packages clang-19 and llvm-19 .*MORI_SHMEM_BC"
mkdir -p "$tmp/tree/lib/mori/$cpu"
: >"$tmp/tree/lib/mori/$cpu/libmori_shmem_device.bc"
there
check "one target" out_has "^  device library  *$tmp/tree/lib/mori  ($cpu; none for nvptx64, amdgcn: "
MORI_SHMEM_BC=$tmp/k.c there
check "by name" out_has "^  device library  *$tmp/k.c  (MORI_SHMEM_BC"
MORI_SHMEM_BC=$tmp/none.bc there
check "by a wrong name" out_has "^  device library  *no  (MORI_SHMEM_BC names $tmp/none.bc, which is not there)$"
if command -v python3 >/dev/null; then
	there --json
	check "JSON: kernel" python3 -c 'import json, sys
rows = {r["key"]: r for r in json.load(open(sys.argv[1]))["kernel"]}
assert rows["device library"]["value"].endswith("/lib/mori"), rows
assert set(rows) == {"device library", "clang", "opt", "llc", "llvm-link", "llvm-dis", "clang for CPU",
                     "ld.lld", "mlir-translate", "ptxas"}, rows
assert all(r["value"] and r["note"] for r in rows.values()), rows' "$tmp/out"
fi
info --env
check "no compilers among the variables" eval '! out_has clang'

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
