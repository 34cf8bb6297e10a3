// SPDX-License-Identifier: MIT
/*
 * What a NIC does with entries of mlx5, bnxt and ionic, for tests: a program linked with formats.c
 * has a soft NIC that reads them too.
 */
#ifndef MORI_TESTS_FORMATS_H
#define MORI_TESTS_FORMATS_H

#include "nic/serve.h"

/* One atomic on memory of this process, at @at; returns the old value. */
uint64_t formats_atomic(const struct nic_op *op, void *at);

#endif
