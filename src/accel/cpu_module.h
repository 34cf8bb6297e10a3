// SPDX-License-Identifier: MIT
/* Modules of the CPU; accel.h says what each call does. */
#ifndef MORI_ACCEL_CPU_MODULE_H
#define MORI_ACCEL_CPU_MODULE_H

#include "accel/accel.h"

int cpu_module_load(struct accel_dev *d, const void *image, size_t len, struct accel_module **out);
int cpu_module_borrow(struct accel_dev *d, void *native, struct accel_module **out);
void cpu_module_unload(struct accel_module *m);
int cpu_module_look(struct accel_module *m, uint32_t *flags);
int cpu_module_link(struct accel_module *m, struct dev_state *state);
int cpu_launch(struct accel_module *m, const struct accel_launch *launch,
	       struct accel_fault *fault);
int cpu_in_kernel(void);
int cpu_module_kernel(struct accel_module *m, size_t index, const char **name);
int cpu_kernel_params(struct accel_module *m, const char *name, mori_shmem_param_t *params,
		      size_t room);

#endif
