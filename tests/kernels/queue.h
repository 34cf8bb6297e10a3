// SPDX-License-Identifier: MIT
/* For kernels/queue.c and kern_queue*.c. */
#ifndef MORI_TESTS_KERNELS_QUEUE_H
#define MORI_TESTS_KERNELS_QUEUE_H

#define QUEUE_WORDS 6u /* more than an entry holds itself */

#endif
