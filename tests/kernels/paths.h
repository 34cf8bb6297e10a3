// SPDX-License-Identifier: MIT
/* The calls of kernels/paths.c, for it and for kern_paths.c. */
#ifndef MORI_TESTS_KERNELS_PATHS_H
#define MORI_TESTS_KERNELS_PATHS_H

#define PATHS_WORDS 8

enum paths_call {
	PATHS_PUT_BLOCK,
	PATHS_PUT_SIGNAL_BLOCK,
	PATHS_SIGNAL_BLOCK,
	PATHS_P_BLOCK,
	PATHS_AMO_BLOCK,
	PATHS_PUT,
	PATHS_P,
	PATHS_IMM,
	PATHS_NONE, /* zero bytes */
	PATHS_PUT_SIGNAL,
	PATHS_AMO,
	PATHS_QUIET,
	PATHS_FENCE,
	PATHS_GET_WARP,
	PATHS_GET,
	PATHS_STATUSES, /* the calls up to here are to one PE and return a status */
	PATHS_QUIET_ALL = PATHS_STATUSES,
	PATHS_PTR, /* 1: not 0 */
	PATHS_PTR_P2P,
	PATHS_CALLS
};

#endif
