#!/bin/sh
# SPDX-License-Identifier: MIT
# The tests' own Python: .cache/venv with what they use, and .cache/triton-3.6 with an older
# Triton. Does nothing if everything is there. What cannot be installed is reported and
# remembered; tests that need it skip.
#
#	tools/venv.sh		make or complete it
#	tools/venv.sh --find	print a suitable Python: 3.11 or later, with venv and headers
set -u

cd "$(dirname "$0")/.." || exit 1
venv=.cache/venv
older=.cache/triton-3.6

# The CPU build of torch: the default one contains gigabytes for GPUs.
packages='pytest scikit-build-core numpy torch==2.13.0+cpu triton==3.9.0 jax mpi4py greenlet ray'
older_package='triton==3.6.0'

will_do='
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_path("include"), "Python.h")
sys.exit(sys.version_info < (3, 11) or not os.path.exists(header))'

find_python() {
	for name in python3 python3.11 python3.12 python3.13 python3.14 /usr/bin/python3; do
		path=$(command -v "$name" 2>/dev/null) || continue
		if "$path" -c "$will_do" 2>/dev/null; then
			"$path" -c 'import sys; print(sys.executable)'
			return
		fi
	done
	return 1
}

if [ "${1:-}" = --find ]; then
	find_python
	exit
fi

# What this version of the script made, with which Python.
stamp=$venv/made-by.$(cksum <tools/venv.sh | tr ' ' -)
if [ -f "$stamp" ] && "$venv/bin/python" -c '' 2>/dev/null; then
	grep -q . "$stamp" && echo "setup: Python tests go without:$(cat "$stamp") (remove $stamp to try again)"
	exit 0
fi

python=$(find_python) || {
	echo "setup: no Python 3.11 with venv and headers (packages python3-venv and python3-dev): no Python tests"
	exit 0
}
log=.cache/venv.log
mkdir -p .cache
echo "setup: making $venv with $packages; see $log"
again=
[ ! -e "$venv" ] || "$venv/bin/python" -c '' 2>/dev/null || again=--clear
# shellcheck disable=SC2086 # none or one
"$python" -m venv $again "$venv" >"$log" 2>&1 || {
	echo "setup: cannot make $venv; see $log"
	exit 0
}
rm -f "$venv"/made-by.*

pip() {
	"$venv/bin/python" -m pip --disable-pip-version-check install --quiet --retries 1 "$@" >>"$log" 2>&1 </dev/null
}

missing=
# shellcheck disable=SC2086 # a list of words
if ! pip $packages; then
	# One that cannot be had must not keep the others away.
	for package in $packages; do
		pip "$package" || missing="$missing $package"
	done
fi
rm -rf "$older"
pip --no-deps --target "$older" "$older_package" || missing="$missing $older_package"
echo "$missing" | sed '/^$/d' >"$stamp"
[ -z "$missing" ] || echo "setup: could not install$missing; see $log. Tests that need it skip"
exit 0
