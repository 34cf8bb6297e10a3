#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=600 quick=0
# How the sources are built: the options and the summary, the caller's flags, where the device
# library goes and who finds it there, and that two builds give the same bytes.
set -u
. "$SRC/tests/sh_lib.bash"
. "$SRC/tests/codegen/tools.inc"
. "$SRC/tests/build.inc"

has() { grep -qE -- "$1" "$tmp/out"; }
# configure ARGUMENTS...: the result is in code and $tmp/out.
configure() {
	cmake "${generator[@]}" -S "$tmp/one" -B "$tmp/options" -DBUILD_TESTING=OFF \
		-DCMAKE_C_COMPILER="$CC" "$@" >"$tmp/out" 2>&1
	code=$?
}
options="FABRIC VERBS CUDA HIP PYTHON BITCODE"
all() { printf -- "-DMORI_WITH_%s=$1 " $options; }
cpu=$(uname -m)

copy_sources "$tmp/one"

echo "options and summary"
configure
check "a plain configuration" [ "$code" = 0 ]
for component in "C compiler" clang "LLVM tools" "libfabric headers" "verbs headers" \
	"CUDA backend" "HIP backend" "device library nvptx64" "device library amdgcn" \
	"device library $cpu" "Python package" tests; do
	check "the summary has $component" [ "$(grep -cE "^  $component  " "$tmp/out")" = 1 ]
done
sed -n '/what this build has/,/^$/p' "$tmp/out" | sed 's/^-- //; /^$/d' >"$tmp/printed"
check "summary.txt is what was printed" cmp "$tmp/printed" "$tmp/options/summary.txt"
for name in $options; do
	# shellcheck disable=SC2046 # lists of words
	configure $(all AUTO) "-DMORI_WITH_$name=yes"
	check "$name=yes is refused" [ "$code" != 0 ]
	check "$name=yes: what is allowed" has "MORI_WITH_$name=yes is not valid: use AUTO, ON or OFF"
	check "$name has choices" grep -q "^MORI_WITH_$name-STRINGS:INTERNAL=AUTO;ON;OFF$" \
		"$tmp/options/CMakeCache.txt"
done
# shellcheck disable=SC2046 # lists of words
configure $(all OFF)
check "all off" [ "$code" = 0 ]
for component in "libfabric headers" "verbs headers" "CUDA backend" "HIP backend" \
	"device library nvptx64" "Python package" tests; do
	check "all off: $component" row "$tmp/out" "$component" off
done
rm -rf "$tmp/options"
configure "${hide[@]}"
check "little is there" [ "$code" = 0 ]
# component, package, what is lost
while IFS='|' read -r component state package lost; do
	check "$component is $state" row "$tmp/out" "$component" "$state" "install the package $package"
	check "$component: what is lost" row "$tmp/out" "$component" "$state" "without it: .*$lost"
done <<END
clang|missing|clang-19|device library
LLVM tools|missing|llvm-19|device library
libfabric headers|missing|libfabric-dev|TCP only
verbs headers|missing|libibverbs-dev|NICs
CUDA backend|partly|clang-19|streams
HIP backend|partly|clang-19|streams
device library nvptx64|missing|clang-19|kernels
device library $cpu|missing|clang-19|kernels
Python package|missing|python3-dev|Python
END
while read -r name package; do
	# shellcheck disable=SC2046 # lists of words
	configure "${hide[@]}" $(all AUTO) "-DMORI_WITH_$name=ON"
	check "$name=ON fails" [ "$code" != 0 ]
	check "$name=ON names $package" grep -qzE \
		"MORI_WITH_$name=ON cannot[^.]*package[[:space:]]+$package" "$tmp/out"
done <<'END'
FABRIC libfabric-dev
VERBS libibverbs-dev
CUDA clang-19
HIP clang-19
PYTHON python3-dev
BITCODE clang-19
END

echo "two builds"
# build SOURCES FOLDER STAGE: with flags of the caller's, installed into a staging folder.
libdir=lib/$cpu-linux-gnu
build() {
	{
		CFLAGS="-O0 -DCALLER=1" LDFLAGS="-Wl,-z,now" cmake "${generator[@]}" -S "$1" -B "$2" \
			-DBUILD_TESTING=OFF -DCMAKE_C_COMPILER="$CC" -DCMAKE_INSTALL_LIBDIR="$libdir" &&
			cmake --build "$2" -j 2 --target all mori_shmem_static &&
			DESTDIR=$3 cmake --install "$2" --prefix /opt/first
	} >"$tmp/out" 2>&1
	check "$2 is built" [ $? = 0 ]
}
copy_sources "$tmp/another/place/sources"
one=$tmp/one/build two=$tmp/another/b
build "$tmp/one" "$one" "$tmp/stage"
build "$tmp/another/place/sources" "$two" "$tmp/other"
: >"$tmp/out"
check "the installed trees are the same" diff -r "$tmp/stage" "$tmp/other"
check "there is something to compare" [ "$(find "$tmp/stage" -type f | wc -l)" -gt 100 ]
for file in lib/libmori_shmem_static.a python/mori/_shmem.abi3.so; do
	[ ! -e "$one/$file" ] || check "$file is the same" cmp "$one/$file" "$two/$file"
done
unnamed() { ! grep -rlF "$tmp" "$tmp/stage" "$one/lib"; }
check "no file names the folder it was built in" unnamed
check "no tests are built" [ ! -e "$one/tests" ]
check "no tests are configured" [ ! -e "$one/CTestTestfile.cmake" ]

echo "flags"
commands=$one/compile_commands.json
# Every command has the caller's flags, and no -O after them.
last_level() {
	! grep '"command": ' "$commands" | grep -v -- ' -O0 -DCALLER=1 ' &&
		! grep -E -- ' -O0 -DCALLER=1( .*)? -O[0-9gsf]' "$commands"
}
check "the caller's flags come last" last_level
for file in lib/libmori_shmem.so bin/mori bin/mori-bench python/mori/_shmem.abi3.so; do
	[ ! -e "$one/$file" ] || check "$file is linked with the caller's flags" \
		grep -q NOW < <(readelf -d "$one/$file")
done
cmake "$one" -DCMAKE_C_FLAGS_RELWITHDEBINFO="-Og -DNDEBUG" >"$tmp/out" 2>&1
check "flags of the build type" grep -qE -- '-O0 -DCALLER=1 -Og -DNDEBUG ' "$commands"
check "none of ours are left" [ "$(grep -cE -- '-O2|-Werror' "$commands")" = 0 ]
cmake "$one" -UCMAKE_C_FLAGS_RELWITHDEBINFO >"$tmp/out" 2>&1

echo "where it is installed"
python=$(sed -n 's/^MORI_PYTHON:[A-Z]*=//p' "$one/CMakeCache.txt")
# The package without the native parts that it has in a build folder and in a wheel.
cp -r "$tmp/one/python" "$tmp/package"
module=$one/python/mori/_shmem.abi3.so
[ ! -e "$module" ] || cp "$module" "$tmp/package/mori/"
mkdir "$tmp/outside"
cat >"$tmp/outside/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(outside C)
find_package(mori_shmem 0.1 REQUIRED)
message(STATUS "bitcode: ${mori_shmem_BITCODE_DIR}")
add_executable(hello hello.c)
target_link_libraries(hello PRIVATE mori::shmem)
END
cp "$SRC/examples/hello/hello.c" "$tmp/outside/"

ask='import mori; print(mori.ir.find_bitcode("cpu"))'
# found PREFIX LIBDIR: everything finds what is in the library folder.
found() {
	local prefix=$1 libdir=$2 what="under ${2#"$tmp/"}" bc=$2/mori/$cpu/libmori_shmem_device.bc
	check "$what: the library" [ -e "$libdir/libmori_shmem.so.0" ]
	check "$what: mori runs" "$prefix/bin/mori" --version
	check "$what: mori-bench has its library" [ "$(ldd "$prefix/libexec/mori/mori-bench" |
		sed -n 's/.*libmori_shmem.*=> \([^ ]*\).*/\1/p')" -ef "$libdir/libmori_shmem.so" ]
	{
		cmake -S "$tmp/outside" -B "$libdir/b" -DCMAKE_PREFIX_PATH="$prefix;$libdir/cmake" &&
			cmake --build "$libdir/b"
	} >"$tmp/out" 2>&1
	check "$what: a CMake project" [ $? = 0 ]
	"$prefix/bin/mori" run -n 2 "$libdir/b/hello" >"$tmp/err" 2>&1
	check "$what: it runs" [ $? = 0 ]
	check "$what: the bitcode by CMake" [ \
		"$(sed -n 's/^-- bitcode: //p' "$tmp/out")" -ef "$libdir/mori" ]
	export PKG_CONFIG_PATH=$libdir/pkgconfig
	if command -v pkg-config >/dev/null; then
		check "$what: the bitcode by pkg-config" [ \
			"$(pkg-config --variable=bitcodedir mori_shmem)" -ef "$libdir/mori" ]
		check "$what: the headers by pkg-config" [ \
			"$(pkg-config --variable=includedir mori_shmem)" -ef "$prefix/include" ]
	fi
	[ -e "$one/lib/mori" ] || return 0
	check "$what: the bitcode" [ -s "$bc" ]
	check "$what: mori cc" "$prefix/bin/mori" cc "$SRC/examples/kernels/get.c" -o "$tmp/get.so"
	[ -n "$python" ] || return 0
	check "$what: find_bitcode()" [ "$(PATH=$prefix/bin:$PATH LD_LIBRARY_PATH=$libdir \
		PYTHONPATH=$tmp/package "$python" -B -c "$ask")" -ef "$bc" ]
}
# As installed above, and moved.
mv "$tmp/stage/opt/first" "$tmp/moved"
found "$tmp/moved" "$tmp/moved/$libdir"
# install LIBDIR PREFIX
install_to() {
	{
		cmake "$one" -DCMAKE_INSTALL_LIBDIR="$1" -DCMAKE_INSTALL_PREFIX="$2" &&
			cmake --build "$one" -j 2 && cmake --install "$one"
	} >"$tmp/out" 2>&1
	check "installed to $2 with $1" [ $? = 0 ]
}
install_to lib64 "$tmp/second"
mv "$tmp/second" "$tmp/moved64"
found "$tmp/moved64" "$tmp/moved64/lib64"
# A folder of its own stays where it is, wherever the prefix is.
install_to "$tmp/absolute/lib" "$tmp/third"
found "$tmp/third" "$tmp/absolute/lib"
finish
