#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes kernels as LLVM IR, the way a compiler's back end would: text, and nothing
# else. A kernel is a function with the attribute "mori_kernel"; functions of the device
# library are declared and called like any other. No line names a target: the same text
# serves every GPU and the CPU.
#
#	generate.sh hello | put_ring | get
set -eu

# declare TYPE NAME PARAMETERS...
declare_function() {
	result=$1 name=$2
	shift 2
	echo "declare $result @$name($(join "$@"))"
}

# Words with commas between.
join() {
	list=
	for word in "$@"; do
		list="$list${list:+, }$word"
	done
	echo "$list"
}

# PE %to is the one @1 further round the ring.
ring_neighbour() {
	cat <<END
  %me = call i32 @mori_shmem_my_pe()
  %all = call i32 @mori_shmem_n_pes()
  %turn = add i32 %all, $1
  %sum = add i32 %me, %turn
  %to = srem i32 %sum, %all
END
}

hello() {
	declare_function i32 mori_shmem_my_pe
	declare_function i32 mori_shmem_n_pes
	cat <<END

define void @hello(ptr %out) "mori_kernel" {
  %me = call i32 @mori_shmem_my_pe()
  %all = call i32 @mori_shmem_n_pes()
  store i32 %me, ptr %out, align 4
  %second = getelementptr i32, ptr %out, i64 1
  store i32 %all, ptr %second, align 4
  ret void
}
END
}

put_ring() {
	declare_function i32 mori_shmem_my_pe
	declare_function i32 mori_shmem_n_pes
	declare_function i32 mori_shmem_put_int32_block ptr ptr i64 i32 i32
	declare_function i32 mori_shmem_barrier_all_block
	cat <<END

define void @put_ring(ptr %dest, ptr %src, i64 %n) "mori_kernel" {
$(ring_neighbour 1)
  %put = call i32 @mori_shmem_put_int32_block(ptr %dest, ptr %src, i64 %n, i32 %to, i32 0)
  %met = call i32 @mori_shmem_barrier_all_block()
  ret void
}
END
}

# Every block of the grid fetches a part of its own; the last may be short or empty.
get() {
	declare_function i32 mori_shmem_my_pe
	declare_function i32 mori_shmem_n_pes
	declare_function i32 mori_block_id
	declare_function i32 mori_grid_size
	declare_function i64 llvm.umin.i64 i64 i64
	declare_function i32 mori_shmem_get_int32_block ptr ptr i64 i32 i32
	cat <<END

define void @get(ptr %dest, ptr %src, i64 %n) "mori_kernel" {
$(ring_neighbour -1)
  %block = call i32 @mori_block_id()
  %blocks = call i32 @mori_grid_size()
  %b = zext i32 %block to i64
  %g = zext i32 %blocks to i64
  %less = sub i64 %g, 1
  %up = add i64 %n, %less
  %part = udiv i64 %up, %g
  %start = mul i64 %b, %part
  %end = add i64 %start, %part
  %from = call i64 @llvm.umin.i64(i64 %start, i64 %n)
  %until = call i64 @llvm.umin.i64(i64 %end, i64 %n)
  %len = sub i64 %until, %from
  %there = getelementptr i32, ptr %src, i64 %from
  %here = getelementptr i32, ptr %dest, i64 %from
  %got = call i32 @mori_shmem_get_int32_block(ptr %here, ptr %there, i64 %len, i32 %to, i32 0)
  ret void
}
END
}

case ${1:-} in
hello | put_ring | get)
	echo "; $1: made by generate.sh"
	"$1"
	;;
*)
	echo "usage: generate.sh hello | put_ring | get" >&2
	exit 2
	;;
esac
