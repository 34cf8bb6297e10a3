// SPDX-License-Identifier: MIT
/* For kernels/queue.c and kern_queue*.c. */
#ifndef MORI_TESTS_KERNELS_QUEUE_H
#define MORI_TESTS_KERNELS_QUEUE_H

#define QUEUE_WORDS 6u /* more than an entry holds itself */
#define QUEUE_ATOMS 6u /* 8 bytes, 4 in the first and in the second half; whole and real */

#endif
