// SPDX-License-Identifier: MIT
// The same kernel in MLIR's LLVM dialect; it is passed through to the attribute.
module {
  llvm.func @mori_shmem_my_pe() -> i32
  llvm.func @plain(%out: !llvm.ptr, %a: i32, %b: i64, %c: f64, %d: f32) attributes {passthrough = ["mori_kernel"]} {
    %me = llvm.call @mori_shmem_my_pe() : () -> i32
    llvm.store %me, %out : i32, !llvm.ptr
    %p1 = llvm.getelementptr %out[1] : (!llvm.ptr) -> !llvm.ptr, i32
    llvm.store %a, %p1 : i32, !llvm.ptr
    %p2 = llvm.getelementptr %out[2] : (!llvm.ptr) -> !llvm.ptr, i32
    %b32 = llvm.trunc %b : i64 to i32
    llvm.store %b32, %p2 : i32, !llvm.ptr
    %p3 = llvm.getelementptr %out[3] : (!llvm.ptr) -> !llvm.ptr, i32
    %c32 = llvm.fptosi %c : f64 to i32
    llvm.store %c32, %p3 : i32, !llvm.ptr
    %p4 = llvm.getelementptr %out[4] : (!llvm.ptr) -> !llvm.ptr, i32
    %d32 = llvm.fptosi %d : f32 to i32
    llvm.store %d32, %p4 : i32, !llvm.ptr
    llvm.return
  }
}
