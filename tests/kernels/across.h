// SPDX-License-Identifier: MIT
/* What kernels/across.c does behind its puts, for it and for kern_across.c. */
#ifndef MORI_TESTS_KERNELS_ACROSS_H
#define MORI_TESTS_KERNELS_ACROSS_H

#define ACROSS_LANES 64

enum across_how {
	ACROSS_FENCE,	 /* a fence, then the flag by p */
	ACROSS_FENCE_PE, /* the same for one PE */
	ACROSS_SIGNAL,	 /* the flag by signal_op */
	ACROSS_SIGNAL_OBJ,
	ACROSS_SIGNAL_WARP,  /* by a warp, each lane with its part */
	ACROSS_SIGNAL_BLOCK, /* by a block of ACROSS_LANES */
	ACROSS_SIGNAL_OBJ_BLOCK,
	ACROSS_FENCE_BLOCK,
	ACROSS_HOWS
};

#endif
