// SPDX-License-Identifier: MIT
/* kern_modes.c in the mode vmm. */
/* TEST: pes=3 modes=procs,threads env=MORI_SHMEM_HEAP_SIZE=64M env=MORI_SHMEM_MODE=vmm env=MORI_SHMEM_VMM_CHUNK_SIZE=1M net=procs,threads */
#define KERN_MODE "vmm"
#include "kern_modes.c"
