// SPDX-License-Identifier: MIT
/* The table of a device; accel.h says what each entry does. Only those marked may be NULL. */
#ifndef MORI_ACCEL_OPS_H
#define MORI_ACCEL_OPS_H

#include "accel/accel.h"

struct accel_near {
	int (*mem_create)(const char *name, uint64_t len, int *fd);
	int (*mem_map)(int fd, uint64_t len, uint64_t align, void **out);
	void (*mem_unmap)(void *base, uint64_t len);
	int (*mem_discard)(void *at, uint64_t len);
};

struct accel_far {
	int (*reserve)(struct accel_dev *d, uint64_t len, uint64_t align, void **out);
	void (*unreserve)(void *base);
	int (*part_make)(struct accel_dev *d, void *at, uint64_t len, const int *devs, int n_devs,
			 struct accel_ticket *ticket);
	int (*part_take)(struct accel_dev *d, const struct accel_ticket *ticket, void *at,
			 uint64_t len, const int *devs, int n_devs);
	void (*part_drop)(void *at, uint64_t len);
	int (*alloc)(struct accel_dev *d, uint64_t len, void **out);
	void (*free)(struct accel_dev *d, void *ptr);
	int (*handle_get)(struct accel_dev *d, const void *ptr, uint64_t len,
			  struct accel_handle *out);
	int (*handle_open)(struct accel_dev *d, const struct accel_handle *h, void **out,
			   void **base);
	void (*handle_close)(struct accel_dev *d, void *base);
	bool (*holds)(struct accel_dev *d, const void *ptr);
	int (*pin)(struct accel_dev *d, void *ptr, uint64_t len, bool *ours);
	void (*unpin)(struct accel_dev *d, void *ptr);
	int (*dmabuf)(struct accel_dev *d, const void *at, uint64_t len, int *fd, uint64_t *off);
	int (*show)(struct accel_dev *d, void *at, uint64_t len, bool io, void **out);
	int (*pci)(struct accel_dev *d, char *text, size_t size);
	int (*copy)(struct accel_dev *d, void *dst, const void *src, uint64_t len, bool urgent);
	int (*amo)(struct accel_dev *d, void *ptr, bool wide, int op, uint64_t value,
		   uint64_t compare, uint64_t *old);
	int (*stream_check)(struct accel_dev *d, void *stream, bool alone);
	int (*stream_copy)(struct accel_dev *d, void *dst, const void *src, uint64_t len,
			   void *stream);
	int (*stream_task)(struct accel_dev *d, enum dev_task_id id, const struct dev_task *task,
			   int lanes, void *stream);
};

struct accel_ops {
	const char *name;
	int (*open)(int place, struct accel_dev **out); /* MORI_SHMEM_ENOTSUP: not here */
	void (*close)(struct accel_dev *d);
	int (*device)(const struct accel_dev *d);
	bool (*current)(const struct accel_dev *d);
	int (*facts)(struct accel_dev *d, struct accel_facts *out);
	int (*describe)(int number, char *text, size_t size);
	int (*mem_zero)(struct accel_dev *d, void *at, uint64_t len);
	int (*module_load)(struct accel_dev *d, const void *image, size_t len,
			   struct accel_module **out);
	int (*module_borrow)(struct accel_dev *d, void *native, struct accel_module **out);
	void (*module_unload)(struct accel_module *m);
	int (*module_look)(struct accel_module *m, uint32_t *flags);
	int (*module_link)(struct accel_module *m, struct dev_state *ctx);
	int (*launch)(struct accel_module *m, const struct accel_launch *launch,
		      struct accel_fault *fault);
	int (*in_kernel)(void);
	/* NULL: the device does not tell. */
	int (*module_kernel)(struct accel_module *m, size_t index, const char **name);
	int (*kernel_params)(struct accel_module *m, const char *name, mori_shmem_param_t *params,
			     size_t room);
	const struct accel_near *near; /* one of the two, the other is NULL */
	const struct accel_far *far;
};

extern const struct accel_ops accel_cpu, accel_cuda;

#endif
