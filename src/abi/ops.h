// SPDX-License-Identifier: MIT
/* A number for every operation of the list, so that a kernel can name the one that failed. */
#ifndef MORI_ABI_OPS_H
#define MORI_ABI_OPS_H

#include <mori/shmem_list.h>

#define DEV_OP_STATUS(name, params, call)	   DEV_OP_##name,
#define DEV_OP_VALUE(ret, bad, name, params, call) DEV_OP_##name,
#define DEV_OP_STATUS0(name, call)		   DEV_OP_##name,
#define DEV_OP_VALUE0(ret, bad, name, call)	   DEV_OP_##name,

enum dev_op {
	DEV_OP_NONE,
	MORI_DEVICE_OPS(DEV_OP_STATUS, DEV_OP_VALUE, DEV_OP_STATUS0, DEV_OP_VALUE0) DEV_OP_COUNT
};

#endif
