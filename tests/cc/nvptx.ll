; SPDX-License-Identifier: MIT
; A kernel in LLVM IR that was written for NVIDIA: its convention makes it one.

target triple = "nvptx64-nvidia-cuda"

declare i32 @mori_shmem_my_pe()

define ptx_kernel void @plain(ptr %out, i32 %a, i64 %b, double %c, float %d) {
  %me = call i32 @mori_shmem_my_pe()
  store i32 %me, ptr %out
  %p1 = getelementptr i32, ptr %out, i64 1
  store i32 %a, ptr %p1
  %p2 = getelementptr i32, ptr %out, i64 2
  %b32 = trunc i64 %b to i32
  store i32 %b32, ptr %p2
  %p3 = getelementptr i32, ptr %out, i64 3
  %c32 = fptosi double %c to i32
  store i32 %c32, ptr %p3
  %p4 = getelementptr i32, ptr %out, i64 4
  %d32 = fptosi float %d to i32
  store i32 %d32, ptr %p4
  ret void
}
