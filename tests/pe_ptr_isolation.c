// SPDX-License-Identifier: MIT
/* pe_ptr.c in the mode isolation. */
/* TEST: env=MORI_SHMEM_HEAP_SIZE=64M env=MORI_SHMEM_MODE=isolation */
#define PE_PTR_MODE "isolation"
#include "pe_ptr.c"
