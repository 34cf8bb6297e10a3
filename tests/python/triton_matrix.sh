#!/bin/bash
# SPDX-License-Identifier: MIT
# usage: tests/python/triton_matrix.sh [VERSION...]
#
# The order of loads and calls, and the shared memory, in the code of every version of Triton that is
# supported (or those that are named): every kernel, target and number of stages of test_triton_order.py, and every
# block form with all its types. Installs each version into a folder of its own; takes some minutes for each. Prints the
# table of docs/triton.md.
set -u
cd "$(dirname "$0")/../.." || exit 1
tools/venv.sh
python=.cache/venv/bin/python
log=.cache/triton-matrix.log
: >"$log"
failed=0

# row VERSION
row() {
	local folder=$PWD/.cache/triton-$1 out kernels forms
	if [ ! -d "$folder/triton" ]; then
		"$python" -m pip --disable-pip-version-check install --quiet --no-deps --target "$folder" "triton==$1.*" \
			>>"$log" 2>&1 || { echo "| $1 | cannot be installed; see $log | |"; return 1; }
	fi
	out=$(MORI_TEST_ALL=1 MORI_TEST_TRITON=$folder bash tests/python/run.sh "$PWD/tests/python/test_triton_order.py" 2>&1)
	echo "$out" >>"$log"
	kernels=$(grep -cE '^(FAILED|ERROR).*(load|merged|between|proxy|there)' <<<"$out")
	forms=$(grep -cE '^(FAILED|ERROR).*(shared|waves)' <<<"$out")
	grep -q ' passed' <<<"$out" || kernels=all forms=all
	echo "| $1 | $([ "$kernels" = 0 ] && echo right || echo "$kernels checks failed") |" \
		"$([ "$forms" = 0 ] && echo right || echo "$forms checks failed") |"
	[ "$kernels$forms" = 00 ]
}

echo "| Triton | loads behind calls | shared memory and barriers |"
echo "|---|---|---|"
for version in ${*:-3.4 3.5 3.6 3.7 3.8 3.9}; do
	row "$version" || failed=1
done
exit $failed
