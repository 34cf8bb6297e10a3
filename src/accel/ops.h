// SPDX-License-Identifier: MIT
/* The table of a device; accel.h says what each entry does. Only those marked may be NULL. */
#ifndef MORI_ACCEL_OPS_H
#define MORI_ACCEL_OPS_H

#include "accel/accel.h"

struct accel_ops {
	const char *name;
	int (*probe)(void); /* MORI_SHMEM_ENOTSUP: not on this machine */
	int (*device)(void);
	uint64_t (*heap_default)(void);
	int (*mem_create)(const char *name, uint64_t len, int *fd);
	int (*mem_map)(int fd, uint64_t len, uint64_t align, void **out);
	void (*mem_unmap)(void *base, uint64_t len);
	int (*mem_discard)(void *at, uint64_t len);
	void (*mem_zero)(void *at, uint64_t len);
	int (*module_load)(const void *image, size_t len, struct accel_module **out);
	int (*module_borrow)(void *native, struct accel_module **out);
	void (*module_unload)(struct accel_module *m);
	int (*module_link)(struct accel_module *m, struct dev_state *state);
	int (*launch)(struct accel_module *m, const struct accel_launch *launch,
		      struct accel_fault *fault);
	int (*in_kernel)(void);
	/* NULL: the device does not tell. */
	int (*module_kernel)(struct accel_module *m, size_t index, const char **name);
	int (*kernel_params)(struct accel_module *m, const char *name, mori_shmem_param_t *params,
			     size_t room);
};

extern const struct accel_ops accel_cpu;

#endif
