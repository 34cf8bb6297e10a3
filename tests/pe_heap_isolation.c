// SPDX-License-Identifier: MIT
/* pe_heap.c in the mode isolation. */
/* TEST: env=MORI_SHMEM_HEAP_SIZE=64M env=MORI_SHMEM_MODE=isolation */
#define PE_HEAP_MODE "isolation"
#include "pe_heap.c"
