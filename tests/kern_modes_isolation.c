// SPDX-License-Identifier: MIT
/* kern_modes.c in the mode isolation. */
/* TEST: pes=3 modes=procs,threads env=MORI_SHMEM_HEAP_SIZE=64M env=MORI_SHMEM_MODE=isolation net=procs,threads */
#define KERN_MODE "isolation"
#include "kern_modes.c"
