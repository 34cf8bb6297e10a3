# SPDX-License-Identifier: MIT
# For shell tests with a matrix of their own: which part of it to run. TEST_SEED chooses;
# with TEST_ALL=1, as `make test-all` has it, everything runs.

# The number of a text, below $2, as the seed has it.
draw() {
	local sum
	sum=$(printf '%s %s' "${TEST_SEED:-1}" "$1" | cksum)
	echo $((${sum%% *} % $2))
}

# one_of WHAT WORD...: one of the words, or all of them.
one_of() {
	local what=$1
	shift
	if [ -n "${TEST_ALL:-}" ]; then
		echo "$@"
	else
		shift "$(draw "$what" $#)"
		echo "$1"
	fi
}

# sampled WHAT N: whether it is in the sample, which holds one of N.
sampled() {
	[ -n "${TEST_ALL:-}" ] || [ "$(draw "$1" "$2")" = 0 ]
}
