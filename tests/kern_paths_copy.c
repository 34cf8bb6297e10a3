// SPDX-License-Identifier: MIT
/* kern_paths.c with copy engines requested: load and store do their work. */
/* TEST: pes=2,4 modes=procs,threads env=MORI_ENABLE_SDMA=1 */
#include "kern_paths.c"
