#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what is missing of the packages that building, testing or checking
# needs, on Debian and Ubuntu. It asks no questions, and does nothing if nothing is missing.
#
#	tools/setup.sh build		compiler and build tools
#	tools/setup.sh demo		also what kernels are compiled with
#	tools/setup.sh test		also what the tests use
#	tools/setup.sh ci		also what the checks use, services that a test starts by itself, and
#					AMD's ROCm in a folder of the cache
#
# A missing package of the group "build" is an error. Any other is reported and
# remembered, so that the next run does not try again; features that need it are left out, with a message.
set -u

cd "$(dirname "$0")/.." || exit 1
group=${1:-build}

# package, and the file or command that shows it is there
build_packages='
gcc		cc
libc6-dev	/usr/include/stdio.h
cmake		cmake
ninja-build	ninja
pkg-config	pkg-config
libfabric-dev	/usr/include/rdma/fi_rma.h
libibverbs-dev	/usr/include/infiniband/mlx5dv.h
'
demo_packages='
clang-19	clang-19
llvm-19		opt-19
'
test_packages='
g++		c++
openmpi-bin	mpirun.openmpi
libopenmpi-dev	mpicc.openmpi
mpich		mpirun.mpich
libmpich-dev	mpicc.mpich
libpmix-dev	pmix.h
lld-19		ld.lld-19
llvm-22		opt-22
clang-22	clang-22
lld-22		ld.lld-22
mlir-19-tools	mlir-translate-19
libclang-rt-19-dev	clang-19-rt
iproute2	ip
procps		pgrep
python3		python3
python3-venv	python3-usable
python3-dev	python3-usable
'
ci_packages='
clang-format-19	clang-format-19
clang-tidy-19	clang-tidy-19
slurm-wlm	/usr/sbin/slurmctld
'

case $group in
build) packages=$build_packages ;;
demo) packages=$build_packages$demo_packages ;;
test) packages=$build_packages$demo_packages$test_packages ;;
ci) packages=$build_packages$demo_packages$test_packages$ci_packages ;;
*)
	echo "usage: tools/setup.sh build | demo | test | ci" >&2
	exit 2
	;;
esac

# The Python tests use a separate Python, and others a ROCm, which do not need root.
finish() {
	case $group in build | demo) ;; *) tools/venv.sh ;; esac
	case $group in ci) tools/rocm.sh get ;; esac
	exit 0
}

# Is there a file that matches? The caller leaves the pattern unquoted.
any() {
	[ -e "$1" ]
}

there() {
	case $1 in
	/*) [ -e "$1" ] ;;
	pmix.h) any /usr/include/pmix.h || any /usr/lib/*/pmix2/include/pmix.h ;;
	clang-19-rt) any /usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.tsan*.a ||
		any /usr/lib/llvm-19/lib/clang/19/lib/*/libclang_rt.tsan*.a ;;
	python3-usable) [ -x .cache/venv/bin/python ] || tools/venv.sh --find >/dev/null ;;
	*) command -v "$1" >/dev/null 2>&1 ;;
	esac
}

missing() {
	echo "$1" | while read -r package probe; do
		[ -z "$package" ] || there "$probe" || printf ' %s' "$package"
	done
}

need=$(missing "$packages")
[ -n "$need" ] || finish

# The second safeguard against trying without effect on every run: what was missing after the last
# run of this version of the script.
stamp=.cache/setup-$group.$(cksum <"tools/setup.sh" | tr ' ' -)
essential=$(missing "$build_packages")
if [ -z "$essential" ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$need" ]; then
	echo "setup: going on without$need (tried before; remove $stamp to try again)"
	finish
fi

if [ "$(id -u)" = 0 ]; then
	root=
elif command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
	root=sudo
else
	root=none
fi

install() {
	$root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 \
		-o Dpkg::Use-Pty=0 install --no-install-recommends "$@" </dev/null
}

apt_all() {
	echo "setup: installing$need"
	mkdir -p .cache
	log=.cache/setup.log
	$root apt-get -qq update </dev/null >"$log" 2>&1 || echo "setup: apt-get update failed; see $log"
	known=
	for package in $need; do
		if apt-cache show "$package" >/dev/null 2>&1; then
			known="$known $package"
		else
			echo "setup: this system has no package $package"
		fi
	done
	# shellcheck disable=SC2086 # a list of words
	[ -z "$known" ] || install $known >>"$log" 2>&1 && return
	# One that cannot be had must not keep the others away.
	for package in $known; do
		install "$package" >>"$log" 2>&1 || echo "setup: could not install $package; see $log"
	done
}

if ! command -v apt-get >/dev/null 2>&1; then
	echo "setup: no apt-get was found. Please install the contents of these Debian packages:$need"
elif [ "$root" = none ]; then
	echo "setup: neither root nor sudo. Please have these packages installed:$need"
else
	apt_all
fi

need=$(missing "$packages")
[ -n "$need" ] || finish
mkdir -p .cache
printf '%s' "$need" >"$stamp"

# A compiler, CMake and one of ninja and make suffice for the build.
if there cc && there cmake && { there ninja || there make; }; then
	echo "setup: going on without$need"
	finish
fi
echo "setup: cannot build without$(missing "$build_packages")" >&2
exit 1
