// SPDX-License-Identifier: MIT
/* pe_heap.c in the mode vmm. */
/* TEST: env=MORI_SHMEM_HEAP_SIZE=64M env=MORI_SHMEM_MODE=vmm_heap env=MORI_SHMEM_VMM_CHUNK_SIZE=1M */
#define PE_HEAP_MODE "vmm"
#include "pe_heap.c"
