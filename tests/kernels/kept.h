// SPDX-License-Identifier: MIT
/* What the kernel of kernels/kept.c writes for kern_kept.c. */
#ifndef MORI_TESTS_KERNELS_KEPT_H
#define MORI_TESTS_KERNELS_KEPT_H

/* Calls that give a status, those that give a number or -ESTATE, those that give a value or 0. */
#define KEPT_STATUSES 20
#define KEPT_NUMBERS  3
#define KEPT_VALUES   6
#define KEPT_RESULTS  (KEPT_STATUSES + KEPT_NUMBERS + KEPT_VALUES)

#define KEPT_WORDS 8 /* symmetric */

#endif
