#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=180
# Copy engines that are asked for and not there: one line says so for the whole job,
# and what the tests of every family check is still right.
set -u
. "$SRC/tests/sh_lib.bash"

with=(-x MORI_ENABLE_SDMA=1)

for how in "-n 2" "-n 4" "-n 4 --threads 4" "-n 4 --threads 2"; do
	# shellcheck disable=SC2086 # several words
	job_code "copy engines, $how" 0 $how "${with[@]}" "$BUILD/tests/kern_paths_copy"
	check "copy engines, $how: one warning" err_count MORI_ENABLE_SDMA 1
	# shellcheck disable=SC2086
	job_code "no P2P, $how" 0 $how "${with[@]}" -x MORI_DISABLE_P2P=1 "$BUILD/tests/kern_paths"
	check "no P2P, $how: no warning" err_is_empty
done

for test in pe_put pe_get pe_put_signal pe_atomic pe_value pe_object kern_grid; do
	job_code "$test with copy engines" 0 -n 4 "${with[@]}" "$BUILD/tests/$test"
	check "$test: one warning" err_count MORI_ENABLE_SDMA 1
done
finish
