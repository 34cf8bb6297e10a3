// SPDX-License-Identifier: MIT
/* The calls of kernels/nbi.c, for it and for kern_nbi.c. */
#ifndef MORI_TESTS_KERNELS_NBI_H
#define MORI_TESTS_KERNELS_NBI_H

#define NBI_BYTES 4096 /* of each: more than an entry holds itself */

enum nbi_family { NBI_PUT, NBI_PUT_OBJ, NBI_PUT_SIGNAL, NBI_PUT_SIGNAL_OBJ, NBI_GET, NBI_GET_OBJ };

#define NBI_FAMILIES 6
#define NBI_SCOPES   3 /* thread, warp, block */
#define NBI_CALLS    (NBI_FAMILIES * NBI_SCOPES)

#endif
