#!/bin/bash
# SPDX-License-Identifier: MIT
# usage: tests/python/triton_matrix.sh [VERSION...]
#
# The order of loads and calls, the calls that are refused, and the shared memory, in the code of
# every version of Triton that is supported (or those that are named): every kernel, target and
# number of stages of test_triton_order.py, and every block form with all its types; MORI_TEST_ALL=0
# takes those that `make test` takes. Installs each version into a folder of its own; takes some
# minutes for each. Prints the table of docs/triton.md, and ends with 1 if anything failed:
# .cache/triton-matrix.log has what.
set -u
cd "$(dirname "$0")/../.." || exit 1
tools/venv.sh
python=.cache/venv/bin/python
log=.cache/triton-matrix.log
: >"$log"
failed=0
export MORI_TEST_ALL=${MORI_TEST_ALL:-1}

# verdict COUNT: what so many failures are in the table.
verdict() {
	case $1 in
	0) echo right ;;
	no) echo "not checked" ;;
	*) echo "$1 checks failed" ;;
	esac
}

# row VERSION
row() {
	local folder=$PWD/.cache/triton-$1 out code bad forms kernels
	if [ ! -d "$folder/triton" ]; then
		"$python" -m pip --disable-pip-version-check install --quiet --no-deps --target "$folder" "triton==$1.*" \
			>>"$log" 2>&1 || { echo "| $1 | cannot be installed; see $log | |"; return 1; }
	fi
	out=$(MORI_TEST_TRITON=$folder bash tests/python/run.sh "$PWD/tests/python/test_triton_order.py" \
		"$PWD/tests/python/test_triton_aot.py" -rfE 2>&1)
	code=$?
	echo "$out" >>"$log"
	if [ $code = 0 ]; then
		echo "| $1 | right | right |"
		return 0
	fi
	bad=$(grep -E '^(FAILED|ERROR) ' <<<"$out")
	forms=$(grep -cE '::test_\w*(shared|waves|split)' <<<"$bad")
	kernels=$(($(grep -c . <<<"$bad") - forms))
	# A failure that pytest did not put down to a test, as when none ran.
	[ "$kernels$forms" != 00 ] || kernels=no forms=no
	echo "| $1 | $(verdict "$kernels") | $(verdict "$forms") |"
	return 1
}

echo "| Triton | loads behind calls | shared memory and barriers |"
echo "|---|---|---|"
for version in ${*:-3.4 3.5 3.6 3.7 3.8 3.9}; do
	row "$version" || failed=1
done
exit $failed
