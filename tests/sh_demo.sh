#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=120
# What `make demo` does around the tour: it installs what kernels are compiled with, goes on
# without it and names the packages, and runs on the CPU and then on a GPU, if there is one.
set -u
. "$SRC/tests/sh_lib.bash"

# A tree of its own, in which the set-up sees the tools of $tmp/bin only.
mkdir -p "$tmp/tree/tools" "$tmp/bin"
cp "$SRC/tools/setup.sh" "$tmp/tree/tools/"
for t in sh env dirname cat cksum tr mkdir rm head; do
	ln -s "$(command -v $t)" "$tmp/bin/$t"
done
pretend() {
	printf '#!/bin/sh\n%s\n' "$2" >"$tmp/bin/$1"
	chmod +x "$tmp/bin/$1"
}
for t in cc cmake ninja pkg-config clang-19 opt-19; do
	pretend $t :
done
pretend id 'echo 0'
setup() {
	PATH=$tmp/bin "$tmp/tree/tools/setup.sh" demo >"$tmp/out" 2>"$tmp/err"
	code=$?
	check "setup: exit code $code" [ $code = 0 ]
}
# Packages of headers that the build can do without may be named too.
says() { grep -q -- "$1" "$tmp/out"; }

setup
check "all is there: nothing to say of kernels" eval '! says "clang\|llvm"'
rm "$tmp/bin/clang-19" "$tmp/bin/opt-19"
setup
check "no apt-get: the packages are named" says 'Please install the contents of these Debian packages:.* clang-19 llvm-19'
check "no apt-get: it goes on" says 'going on without.* clang-19 llvm-19'
setup
check "no second try" says 'tried before'
rm -rf "$tmp/tree/.cache"
pretend apt-cache :
pretend apt-get 'echo "$*" >>"$APT_LOG"; case "$*" in *" install "*) for t in clang-19 opt-19; do echo "#!/bin/sh" >"$APT_BIN/$t"; chmod +x "$APT_BIN/$t"; done ;; esac'
ln -s "$(command -v chmod)" "$tmp/bin/chmod"
export APT_LOG=$tmp/apt.log APT_BIN=$tmp/bin
setup
check "apt-get installs them" grep -q ' install .* clang-19 llvm-19$' "$tmp/apt.log"
check "and no more than kernels need" eval '! grep -q "lld\|llvm-22\|python" "$tmp/apt.log"'

# A build without them is configured, and the tour knows the packages.
# configured WHAT ARGUMENTS...
configured() {
	local what=$1
	shift
	cmake -S "$SRC" -B "$tmp/build" -DCMAKE_C_COMPILER="$CC" "$@" >"$tmp/out" 2>"$tmp/err"
	check "$what: configured" [ $? = 0 ]
	grep -rh 'TOUR_NO_KERNELS' "$tmp/build" --include=*.make --include=build.ninja >"$tmp/flags"
	rm -rf "$tmp/build"
}
configured "no clang" -DMORI_CLANG=
check "no clang: its package" grep -q 'the build did not find clang 19 (package clang-19)' "$tmp/flags"
check "no clang: not the other" eval '! grep -q llvm-19 "$tmp/flags"'
configured "neither" -DMORI_CLANG= -DMORI_OPT=
check "neither: both packages" grep -q 'package clang-19) and .*(package llvm-19)' "$tmp/flags"

# On which devices it runs.
mkdir -p "$tmp/fake/bin"
cat >"$tmp/fake/bin/mori" <<'END'
#!/bin/sh
[ "$1" = info ] || { shift; echo "$*"; exit "${CODE:-0}"; }
echo "  cuda             $CUDA  (text)"
END
chmod +x "$tmp/fake/bin/mori"
demo() {
	"$SRC/examples/tour/demo.sh" "$tmp/fake" 3 >"$tmp/out" 2>"$tmp/err"
}
tour=$tmp/fake/bin/mori-tour
unset MORI_SHMEM_DEVICE
CUDA='not used' demo
check "no GPU" out_is "-n 3 --device cpu $tour"
CUDA=used demo
check "a GPU" out_is "-n 3 --device cpu $tour
-n 3 --device cuda --heap-size 64M $tour kernels"
MORI_SHMEM_DEVICE=cpu CUDA=used demo
check "the device that was asked for" out_is "-n 3 $tour"
CODE=1 CUDA=used demo
check "a failure is one" [ $? = 1 ]
finish
