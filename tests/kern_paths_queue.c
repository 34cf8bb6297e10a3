// SPDX-License-Identifier: MIT
/* kern_paths.c without load and store between PEs. */
/* TEST: pes=2,4 env=MORI_DISABLE_P2P=1 env=MORI_ENABLE_SDMA=1 */
#define KERN_PATHS_QUEUE 1
#include "kern_paths.c"
