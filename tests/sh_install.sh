#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=180
# A program outside the tree, built against the installed library with pkg-config
# and with CMake, in C and in C++, runs under the installed command. The program is
# the one of README.md, so that what a newcomer copies is what works.
set -eu

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
prefix=$tmp/usr
fail() {
	echo "$*"
	exit 1
}

# Installed under one prefix into a staging folder, then moved: nothing may depend on either.
DESTDIR=$tmp/stage cmake --install "$BUILD" --prefix /opt/first >"$tmp/log" 2>&1 ||
	{ cat "$tmp/log"; fail "install failed"; }
mv "$tmp/stage/opt/first" "$prefix"
[ -z "$(find "$tmp/stage" -type f)" ] || fail "files outside the prefix: $(find "$tmp/stage" -type f)"

for file in bin/mori include/mori/shmem.h include/mori/shmem_ops.h include/mori/shmem_device_ops.h include/mori/shmem_collectives.h include/mori/shmem_types.h \
	lib/libmori_shmem.so lib/libmori_shmem.so.0 lib/pkgconfig/mori_shmem.pc \
	lib/cmake/mori_shmem/mori_shmem-config.cmake; do
	[ -e "$prefix/$file" ] || fail "$file is not installed"
done
grep -rlF -e /opt/first -e "$tmp" -e "$SRC" "$prefix/lib/cmake" "$prefix/lib/pkgconfig" &&
	fail "these files name the folder of the build or of the first installation"
"$prefix/bin/mori" info >"$tmp/info" || fail "the installed mori info failed"
"$prefix/bin/mori" --version | grep -q "$(sed -n 's/^Version: //p' "$prefix/lib/pkgconfig/mori_shmem.pc")" ||
	fail "mori --version and mori_shmem.pc disagree"

mkdir "$tmp/out"
cd "$tmp/out"
awk '/^```c$/ { on = 1; next } /^```/ && on { exit } on' "$SRC/README.md" >prog.c
grep -q 'int main' prog.c || fail "README.md has no program"

# Run a program with 2 PEs: it ends well, and always says the same.
run() {
	timeout 60 "$prefix/bin/mori" run -n 2 "$@" >"$tmp/log" 2>&1 || { cat "$tmp/log"; fail "$* failed"; }
	[ -s "$tmp/log" ] || fail "$* printed nothing"
	if [ -f "$tmp/want" ]; then
		sort "$tmp/log" | cmp -s - "$tmp/want" || { cat "$tmp/log"; fail "$* printed something else"; }
	else
		sort "$tmp/log" >"$tmp/want"
	fi
}

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
if command -v pkg-config >/dev/null; then
	# shellcheck disable=SC2046,SC2086 # lists of words
	$CC -std=c11 -Wall -Wextra -Werror $CFLAGS prog.c -o by_pc $(pkg-config --cflags --libs mori_shmem) \
		-Wl,-rpath,"$prefix/lib"
	run ./by_pc
	grep -q 'PE 0 of 2' "$tmp/want" && grep -q 'PE 1 of 2' "$tmp/want" || { cat "$tmp/want"; fail "not 2 PEs"; }
	[ "$(pkg-config --variable=prefix mori_shmem | xargs realpath)" = "$(realpath "$prefix")" ] ||
		fail "pkg-config gives another prefix"
else
	echo "no pkg-config: its half was not tried"
fi

cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.22)
project(outside C)
find_package(mori_shmem 0.1 REQUIRED)
add_executable(by_cmake prog.c)
target_link_libraries(by_cmake PRIVATE mori::shmem)
END
{
	cmake -S . -B b -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" && cmake --build b
} >"$tmp/log" 2>&1 || { cat "$tmp/log"; fail "the CMake project does not build"; }
run b/by_cmake

# The headers serve C++ programs too.
case $CC in *clang*) CXX=${CC/clang/clang++} ;; *) CXX=c++ ;; esac
if command -v "$CXX" >/dev/null; then
	cat >prog.cc <<'END'
#include <mori/shmem.h>
#include <cstdio>

int main()
{
	if (mori_shmem_init())
		return 1;
	int pe = mori_shmem_my_pe(), n = mori_shmem_n_pes();
	long *word = static_cast<long *>(mori_shmem_calloc(1, sizeof(long)));
	if (!word || mori_shmem_long_p(word, pe + 40L, (pe + 1) % n, 0) || mori_shmem_barrier_all())
		return 1;
	long want = (pe + n - 1) % n + 40L, got = *word;
	if (mori_shmem_free(word) || mori_shmem_finalize())
		return 1;
	std::printf("C++ %s\n", got == want ? "right" : "wrong");
	return got != want;
}
END
	# shellcheck disable=SC2086 # lists of words
	$CXX -std=c++17 -pedantic -Wall -Wextra -Werror $CFLAGS -I"$prefix/include" prog.cc -o by_cxx \
		-L"$prefix/lib" -lmori_shmem -Wl,-rpath,"$prefix/lib"
	rm -f "$tmp/want"
	run ./by_cxx
	[ "$(sort "$tmp/log" | uniq -c | sed 's/^ *//')" = "2 C++ right" ] || { cat "$tmp/log"; fail "not 2 right lines"; }
else
	echo "no C++ compiler: its part was not tried"
fi
# The kernels of `mori perf --device` lie beside the command, if clang was there to make them.
if [ -d "$BUILD/bin/kernels/cpu" ]; then
	"$prefix/bin/mori" perf --device cpu --quick --ms 1 --only put,allreduce_read --grids 1x4 >"$tmp/log" 2>&1 ||
		{ cat "$tmp/log"; fail "the installed mori perf --device failed"; }
fi
echo "installed, moved, and used in every way"
