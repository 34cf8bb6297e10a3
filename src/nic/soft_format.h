// SPDX-License-Identifier: MIT
/* Numbers of the soft format, for both sides of a queue: see soft.h. */
#ifndef MORI_NIC_SOFT_FORMAT_H
#define MORI_NIC_SOFT_FORMAT_H

#include "nic/entry.h"

#define SOFT_SIGNAL 1u

#endif
