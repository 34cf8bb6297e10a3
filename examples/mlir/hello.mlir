// SPDX-License-Identifier: MIT
// What build.py hello prints.
module {
  llvm.func @mori_shmem_n_pes() -> i32
  llvm.func @mori_shmem_my_pe() -> i32
  llvm.func @hello(%arg0: !llvm.ptr) attributes {passthrough = ["mori_kernel"]} {
    %0 = llvm.call @mori_shmem_my_pe() : () -> i32
    llvm.store %0, %arg0 : i32, !llvm.ptr
    %1 = llvm.getelementptr %arg0[1] : (!llvm.ptr) -> !llvm.ptr, i32
    %2 = llvm.call @mori_shmem_n_pes() : () -> i32
    llvm.store %2, %1 : i32, !llvm.ptr
    llvm.return
  }
}
