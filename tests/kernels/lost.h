// SPDX-License-Identifier: MIT
/* What the kernels of kernels/lost.c are in when a PE is lost. */
#ifndef MORI_TESTS_KERNELS_LOST_H
#define MORI_TESTS_KERNELS_LOST_H

#define LOST_VICTIM 2
#define LOST_WORDS  4

enum lost_how {
	LOST_WAIT,
	LOST_WAIT_FOR,
	LOST_WAIT_ALL,
	LOST_WAIT_ANY,
	LOST_WAIT_BLOCK,
	LOST_WAIT_VALUE,
	LOST_BARRIER_BLOCK,
	LOST_BARRIER_THREAD,
	LOST_HANDSHAKE,
	LOST_QUIET,
	LOST_ENDED, /* up to here the kernel gets a status; the rest is ended from outside */
	LOST_LOOK = LOST_ENDED,
	LOST_TEST,
	LOST_PLAIN,
	LOST_HOWS
};

#endif
