// SPDX-License-Identifier: MIT
/*
 * Devices: the memory a PE's heap is made of, and the kernels that work on it. A
 * device is one const table of operations; only accel.c calls through it.
 *
 * Memory is near where a host thread can load and store it (the CPU): then it is made
 * once a node and mapped once a process. It is far on a GPU: then each PE makes its
 * own, in parts that are mapped into one range of addresses, and the host gets at it by
 * the calls below. Every call leaves the thread's current context as it found it.
 */
#ifndef MORI_ACCEL_ACCEL_H
#define MORI_ACCEL_ACCEL_H

#include "abi/task.h"

#include <mori/shmem.h>
#include <stdbool.h>

struct accel_ops; /* private to this folder */
struct accel_dev; /* what one PE holds of its device; NULL on the CPU */
struct accel_module;
struct dev_state;

struct accel {
	const struct accel_ops *ops; /* NULL: not open */
	struct accel_dev *dev;
};

enum accel_kind { ACCEL_AUTO, ACCEL_CPU, ACCEL_CUDA, ACCEL_HIP };

/*
 * MORI_SHMEM_ENOTSUP with the reason where the machine or this build has none. The
 * device is that of the thread's current context, else number @place modulo how many
 * there are.
 */
int accel_open(enum accel_kind kind, int place, struct accel *out);
void accel_close(struct accel *a);
const char *accel_name(const struct accel *a);
/* The number of the device a PE of this process sits on. */
int accel_device(const struct accel *a);
/* Whether it is the device of the calling thread's current context. */
bool accel_current(const struct accel *a);
bool accel_near(const struct accel *a);

struct accel_facts {
	unsigned char id[16];  /* of the device, the same in every process */
	uint64_t total, free;  /* bytes; 0: no limit that is known */
	uint64_t heap_default; /* bytes of heap where the user did not say */
	uint64_t heap_grows;   /* the same for one that grows */
	uint64_t granule;      /* parts of memory are multiples of it */
	bool fabric;	       /* parts can leave by ACCEL_FABRIC */
	uint32_t seen;	       /* devices that the process sees, and can ask about this one */
	bool amo; /* on memory of those that it reaches this one has atomics, and they on its own */
};

int accel_facts(const struct accel *a, struct accel_facts *out);
/*
 * One line about the devices of a kind for people, or about device @number of them if that is
 * not negative: 0, or why there is none by err_set().
 */
int accel_describe(enum accel_kind kind, int number, char *text, size_t size);
/* Whether this build has the backend for that kind of device. */
bool accel_built(enum accel_kind kind);

/* Near memory: an object of @len bytes, zero, taken as touched; a descriptor to pass on. */
int accel_mem_create(const struct accel *a, const char *name, uint64_t len, int *fd);
/* Map all of it at a multiple of @align (a power of two, at least a page). */
int accel_mem_map(const struct accel *a, int fd, uint64_t len, uint64_t align, void **out);
void accel_mem_unmap(const struct accel *a, void *base, uint64_t len);
/* Give the memory of whole pages back; they read as zero afterwards. */
int accel_mem_discard(const struct accel *a, void *at, uint64_t len);

/* Either memory. */
int accel_mem_zero(const struct accel *a, void *at, uint64_t len);

/* Far memory: a range of addresses at a multiple of @align, with nothing in it yet. */
int accel_reserve(const struct accel *a, uint64_t len, uint64_t align, void **out);
void accel_unreserve(const struct accel *a, void *base);
/* What another process takes a part by: a descriptor, or bytes that go anywhere. */
enum accel_way { ACCEL_FD, ACCEL_FABRIC };
struct accel_ticket {
	enum accel_way way;
	int fd;
	unsigned char bytes[64];
};

/*
 * A part of this PE's own, in a range, for the devices numbered @devs. *ticket says which way
 * and is filled in for other processes to take it by (NULL: none will); the part lives until
 * all have dropped it.
 */
int accel_part_make(const struct accel *a, void *at, uint64_t len, const int *devs, int n_devs,
		    struct accel_ticket *ticket);
int accel_part_take(const struct accel *a, const struct accel_ticket *ticket, void *at,
		    uint64_t len, const int *devs, int n_devs);
void accel_part_drop(const struct accel *a, void *at, uint64_t len);

/* Far memory of an ordinary kind, zero. */
int accel_alloc(const struct accel *a, uint64_t len, void **out);
void accel_free(const struct accel *a, void *ptr);

/* A handle by which another process gets at far memory, wherever it comes from. */
struct accel_handle {
	uint64_t word[8];
	uint64_t off; /* of the memory in what the handle is of */
};

int accel_handle_get(const struct accel *a, const void *ptr, uint64_t len,
		     struct accel_handle *out);
/* *base is for accel_handle_close(). */
int accel_handle_open(const struct accel *a, const struct accel_handle *h, void **out, void **base);
void accel_handle_close(const struct accel *a, void *base);

/* Whether an address is one of far memory. */
bool accel_holds(const struct accel *a, const void *ptr);
/* Let kernels get at host memory; and no more, where *ours says that they could not before. */
int accel_pin(const struct accel *a, void *ptr, uint64_t len, bool *ours);
void accel_unpin(const struct accel *a, void *ptr);

/*
 * For a NIC: a descriptor of far memory, which the caller closes, and where in it @at is;
 * whole pages of the host, or of its registers (@io), as kernels see them, until
 * accel_unpin(); and the address of the device on its bus.
 */
int accel_dmabuf(const struct accel *a, const void *at, uint64_t len, int *fd, uint64_t *off);
int accel_show(const struct accel *a, void *at, uint64_t len, bool io, void **out);
int accel_pci(const struct accel *a, char *text, size_t size);

/*
 * From and to host memory and far memory, in any combination; over when they return.
 * They wait for no kernel. urgent: not even for other calls of these.
 */
int accel_copy(const struct accel *a, void *dst, const void *src, uint64_t len);
int accel_copy_urgent(const struct accel *a, void *dst, const void *src, uint64_t len);
/* A read-modify-write of far memory; @op is of enum mori_shmem_amo. */
int accel_amo(const struct accel *a, void *ptr, bool wide, int op, uint64_t value, uint64_t compare,
	      uint64_t *old);

/* Both may be captured. @alone: no other PE of the process uses the device. */
int accel_stream_check(const struct accel *a, void *stream, bool alone);
int accel_stream_copy(const struct accel *a, void *dst, const void *src, uint64_t len,
		      void *stream);
/* One small kernel, of a block of at most @lanes threads. */
int accel_stream_task(const struct accel *a, enum dev_task_id id, const struct dev_task *task,
		      int lanes, void *stream);

/* A launch; whoever calls has checked nothing. */
struct accel_launch {
	const char *kernel;
	const unsigned *grid, *block; /* [3] each */
	size_t shared;		      /* bytes of a block, besides what the kernel has */
	void **args;		      /* args[i] points at the i-th argument */
	void *stream;		      /* NULL: return when the grid has ended */
	/* Whose own stream it then has. NULL, or of another device: the module's PE's. */
	const struct accel *caller;
	const struct dev_state *state;
	uint64_t idle_ns; /* how long all threads may only wait; 0: no limit */
	void (*idle)(
		struct dev_state *state); /* called while they only wait, where the host sees it */
	size_t stack;			  /* bytes a thread, where it is ours to say */
};

/* Where a launch ended that did not end well; -1 and 0 where it cannot be said. */
struct accel_fault {
	uint64_t addr;
	int block[3], thread[3];
};

/* A module of this PE's own; EINVAL: no image for this device. */
int accel_module_load(const struct accel *a, const void *image, size_t len,
		      struct accel_module **out);
/* One that the user has loaded by the device's own means, and unloads so. */
int accel_module_borrow(const struct accel *a, void *native, struct accel_module **out);
void accel_module_unload(const struct accel *a, struct accel_module *m);
/*
 * What the module says of itself, enum dev_link_flag. ENOENT: it does not use the library;
 * EABI: it was made for another version.
 */
int accel_module_look(const struct accel *a, struct accel_module *m, uint32_t *flags);
/* Its kernels act for the state at @ctx from now on; accel_module_look() has found it good. */
int accel_module_link(const struct accel *a, struct accel_module *m, struct dev_state *ctx);
/* What a module tells of its kernels; ENOTSUP where the device does not. See <mori/shmem.h>. */
int accel_module_kernel(const struct accel *a, struct accel_module *m, size_t index,
			const char **name);
int accel_kernel_params(const struct accel *a, struct accel_module *m, const char *name,
			mori_shmem_param_t *params, size_t room);
/* EFAULT and ETIMEDOUT are faults of the kernel, and *fault says where. One at a time a module. */
int accel_launch(const struct accel *a, struct accel_module *m, const struct accel_launch *launch,
		 struct accel_fault *fault);
/* Whether the calling thread is inside a kernel. */
int accel_in_kernel(const struct accel *a);

#endif
