#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=300 quick=0
# `make`, `make install` and `make uninstall` by a user who is not root, in the sources of a
# tarball, without git, clang, Python and the headers of libfabric and libibverbs. No package
# manager is called, the summary says what is missing, and what was built works.
set -u
. "$SRC/tests/sh_lib.bash"
. "$SRC/tests/codegen/tools.inc"
. "$SRC/tests/build.inc"

as_user=()
if [ "$(id -u)" = 0 ]; then
	command -v setpriv >/dev/null || skip "setpriv, which makes another user of root, is not installed"
	as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
chmod 755 "$tmp"
home=$tmp/home
copy_sources "$home/mori"
# Package managers and git come first in PATH, and leave a mark; so does the set-up, which calls
# them only where something that it knows is missing.
mkdir "$home/bin"
for file in "$home/bin"/{apt-get,apt,dpkg,sudo,pip,pip3,dnf,yum,git} \
	"$home/mori/tools"/{setup,venv}.sh; do
	printf '#!/bin/sh\necho "%s $*" >>%s/called\nexit 1\n' "${file##*/}" "$home" >"$file"
	chmod +x "$file"
done
[ "${#as_user[@]}" = 0 ] || chown -R 65534:65534 "$home"

# user COMMAND...: in the sources; the result is in code, $tmp/out and $tmp/err.
user() {
	(cd "$home/mori" && "${as_user[@]}" env -i HOME="$home" PATH="$home/bin:$PATH" "$@") \
		>"$tmp/out" 2>"$tmp/err"
	code=$?
}
# The last lines of what was printed are the summary.
summary=$home/mori/build/summary.txt
ends_with_summary() { tail -n "$(wc -l <"$summary")" "$tmp/out" | cmp - "$summary"; }
not_called() { [ ! -e "$home/called" ] || { cat "$home/called"; return 1; }; }

user make JOBS=2 CFLAGS=-O0 CMAKE_ARGS="${hide[*]} -DBUILD_TESTING=OFF"
check "make" [ "$code" = 0 ]
check "make ends with the summary" ends_with_summary
while read -r package component; do
	check "the summary: $component" row "$tmp/out" "$component" '(missing|partly)' \
		"install the package $package"
done <<END
clang-19 clang
llvm-19 LLVM tools
libfabric-dev libfabric headers
libibverbs-dev verbs headers
clang-19 CUDA backend
clang-19 device library nvptx64
python3-dev Python package
END
user build/bin/mori run -n 2 build/bin/mori-hello
check "it runs" [ "$(grep -c 'my neighbour gave me' "$tmp/out")" = 2 ]
user build/bin/mori info
check "it has no NICs" grep -q 'made without the headers of libibverbs' "$tmp/out"
user env MORI_DISABLE_P2P=1 build/bin/mori run -n 2 build/bin/mori-hello
check "it has a network" [ "$code" = 0 ]
user env MORI_DISABLE_P2P=1 MORI_FABRIC_PROVIDER=tcp build/bin/mori run -n 2 build/bin/mori-hello
check "it has no libfabric" err_has 'MORI_WITH_FABRIC=ON'
user build/bin/mori cc examples/kernels/get.c -o get.so
check "it has no device library" err_has 'no device library'

# Folders and files that are not ours stay.
user mkdir -p ../prefix/lib/pkgconfig ../prefix/share/mori
user touch ../prefix/share/mori/mine
(cd "$home/prefix" && find . | sort) >"$tmp/before"
for destdir in "" "$home/stage"; do
	at=$destdir$home/prefix
	user make install PREFIX="$home/prefix" DESTDIR="$destdir"
	check "make install, DESTDIR=$destdir" [ "$code" = 0 ]
	check "make install ends with the summary" ends_with_summary
	check "it is there" [ -x "$at/bin/mori" ]
	user "$at/bin/mori" --version
	check "it runs there" [ "$code" = 0 ]
done
user make uninstall PREFIX="$home/prefix" DESTDIR="$home/stage"
check "make uninstall with DESTDIR" [ "$code" = 0 ]
check "no file is left" [ ! -e "$home/stage" ]
check "the other one is still there" [ -x "$home/prefix/bin/mori" ]
user make uninstall PREFIX="$home/prefix"
check "make uninstall" [ "$code" = 0 ]
check "what was there before is left" diff "$tmp/before" <(cd "$home/prefix" && find . | sort)
user make uninstall PREFIX="$home/prefix"
check "make uninstall without an installation" [ "$code" != 0 ]
check "it says that there is no manifest" err_has 'no manifest'

# OFF leaves out what is there.
user make JOBS=2 CMAKE_ARGS="-DMORI_WITH_CUDA=OFF -DMORI_WITH_HIP=OFF"
check "make without GPUs" [ "$code" = 0 ]
check "the summary without CUDA" row "$tmp/out" "CUDA backend" off MORI_WITH_CUDA=OFF
user env MORI_SHMEM_DEVICE=cuda build/bin/mori run -n 2 build/bin/mori-hello
check "a job without CUDA" [ "$code" != 0 ]
check "a job without CUDA says so" err_has 'MORI_SHMEM_DEVICE=cuda: this build has no CUDA backend'
user env MORI_SHMEM_DEVICE=auto build/bin/mori run -n 2 build/bin/mori-hello
check "auto is the CPU" [ "$code" = 0 ]
no_gpu() { ! nm "$home/mori/build/lib/libmori_shmem.so" | grep ' gpu_'; }
check "the library has nothing of it" no_gpu
check "nothing called a package manager or git" not_called
finish
