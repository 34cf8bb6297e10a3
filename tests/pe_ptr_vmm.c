// SPDX-License-Identifier: MIT
/* pe_ptr.c in the mode vmm. */
/* TEST: env=MORI_SHMEM_HEAP_SIZE=64M env=MORI_SHMEM_MODE=vmm env=MORI_SHMEM_VMM_CHUNK_SIZE=1M */
#define PE_PTR_MODE "vmm"
#include "pe_ptr.c"
