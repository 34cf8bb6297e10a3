// SPDX-License-Identifier: MIT
/* How the kernels of kernels/poll.c poll a word. */
#ifndef MORI_TESTS_KERNELS_POLL_H
#define MORI_TESTS_KERNELS_POLL_H

#include <stdbool.h>

enum poll_how {
	POLL_G,
	POLL_FETCH,
	POLL_SWAP,
	POLL_SIGNAL,
	POLL_GET,
	POLL_TEST,
	POLL_CLOCK,
	POLL_PTR,
	POLL_HOWS
};

#endif
