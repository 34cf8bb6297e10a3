// SPDX-License-Identifier: MIT
/*
 * Devices: the memory of a PE's heap, and the kernels that work on it. A device is a set of tables
 * of operations, which its callers use directly.
 *
 * Heaps of the CPU are host memory, which is created once per node and mapped once per process. On
 * a GPU, each PE creates its own device memory, in segments that are mapped into one range of
 * addresses; the host accesses it only by the operations of struct accel_mem. Every call preserves
 * the thread's current context.
 */
#ifndef MORI_ACCEL_ACCEL_H
#define MORI_ACCEL_ACCEL_H

#include "abi/task.h"

#include <mori/shmem.h>
#include <stdbool.h>

struct accel_ops;
struct accel_mem;
struct accel_dev; /* what one PE holds of its device; NULL on the CPU */
struct accel_module;
struct dev_state;

struct accel {
	const struct accel_ops *ops; /* NULL: not open */
	const struct accel_mem *mem; /* device memory; NULL: the heap is host memory */
	struct accel_dev *dev;	     /* the first argument of operations */
	int number;		     /* of the device, among those of its kind */
};

enum accel_kind { ACCEL_AUTO, ACCEL_CPU, ACCEL_CUDA, ACCEL_HIP, ACCEL_AMD_EMU };

struct accel_config {
	int hint; /* the device: that of the thread's current context, else this number modulo all */
	bool helper;	  /* copies for PEs, but is none: it launches nothing */
	bool cached;	  /* hip: memory with caches, though others poll it */
	bool adversarial; /* amd-emu: memory with caches, and turns left to chance */
	uint64_t seed;	  /* of that chance */
};

/* MORI_SHMEM_ENOTSUP with the reason where the machine or this build has none. */
int accel_open(enum accel_kind kind, const struct accel_config *config, struct accel *out);
void accel_close(struct accel *a);
struct accel_facts {
	unsigned char id[16];  /* of the device, the same in every process */
	uint64_t total, free;  /* bytes; 0: no limit that is known */
	uint64_t heap_default; /* bytes of heap if the user set none */
	uint64_t heap_grows;   /* the same for one that grows */
	uint64_t granule;      /* segments are multiples of it */
	bool fabric;	       /* segments can be shared by ACCEL_FABRIC */
	bool by_handles;       /* static heaps are better shared by handle_get() */
	uint32_t seen; /* devices visible to the process, which can query them about this one */
	bool amo; /* it has atomics on the memory of every device it reaches, and they on its own */
};

/*
 * Describes the devices of a kind in one line for people, or device @number of them if that is not
 * negative. Returns 0, or a status with the reason why there is none.
 */
int accel_describe(enum accel_kind kind, int number, char *text, size_t size);
/* Whether this build has the backend for that kind of device. */
bool accel_built(enum accel_kind kind);

/* Host memory to share: an object of @len bytes, zero, taken as touched; a descriptor to pass on. */
int host_mem_create(const char *name, uint64_t len, int *fd);
/* Map all of it at a multiple of @align (a power of two, at least a page). */
int host_mem_map(int fd, uint64_t len, uint64_t align, void **out);
void host_mem_unmap(void *base, uint64_t len);
/* Give the memory of whole pages back; they read as zero afterwards. */
int host_mem_discard(void *at, uint64_t len);

/*
 * What another process imports a segment by: a descriptor, or bytes that can be sent by any means.
 */
enum accel_share_kind { ACCEL_FD, ACCEL_FABRIC };
struct accel_shareable {
	enum accel_share_kind way;
	int fd;
	unsigned char bytes[64];
};

/* Identifies device memory of any origin for another process. */
struct accel_handle {
	uint64_t word[8];
	uint64_t off; /* of the memory in what the handle is of */
};

struct accel_mem {
	/* A range of addresses at a multiple of @align, with nothing in it yet. */
	int (*reserve)(struct accel_dev *d, uint64_t len, uint64_t align, void **out);
	void (*unreserve)(void *base);
	/*
	 * Creates a segment of this PE in a range, for the devices numbered @devs. *shareable selects
	 * the kind of handle, and is filled in for other processes to import the segment by (NULL:
	 * none will). The segment exists until all have dropped it.
	 */
	int (*segment_make)(struct accel_dev *d, void *at, uint64_t len, const int *devs,
			    int n_devs, struct accel_shareable *shareable);
	int (*segment_take)(struct accel_dev *d, const struct accel_shareable *shareable, void *at,
			    uint64_t len, const int *devs, int n_devs);
	void (*segment_drop)(void *at, uint64_t len);
	/* Memory of an ordinary kind, zero. */
	int (*alloc)(struct accel_dev *d, uint64_t len, void **out);
	void (*free)(struct accel_dev *d, void *ptr);
	int (*handle_get)(struct accel_dev *d, const void *ptr, uint64_t len,
			  struct accel_handle *out);
	/* *base is for handle_close(). */
	int (*handle_open)(struct accel_dev *d, const struct accel_handle *h, void **out,
			   void **base);
	void (*handle_close)(struct accel_dev *d, void *base);
	/* Whether an address is one of device memory. */
	bool (*holds)(struct accel_dev *d, const void *ptr);
	/* Host memory that kernels access, too, at the same address; zero. */
	int (*host_alloc)(struct accel_dev *d, uint64_t len, void **out);
	void (*host_free)(struct accel_dev *d, void *ptr);
	/*
	 * Lets kernels access host memory, on some devices at another address. *ours: they could
	 * not before, and unpin() is due.
	 */
	int (*pin)(struct accel_dev *d, void *ptr, uint64_t len, bool *ours);
	void (*unpin)(struct accel_dev *d, void *ptr);
	/*
	 * For a NIC: a descriptor of device memory, which the caller closes, and where in it @at
	 * is; whole pages of the host, or of its registers (@io), as kernels see them, until
	 * unpin(); and the address of the device on its bus.
	 */
	int (*dmabuf)(struct accel_dev *d, const void *at, uint64_t len, int *fd, uint64_t *off);
	int (*show)(struct accel_dev *d, void *at, uint64_t len, bool io, void **out);
	int (*pci)(struct accel_dev *d, char *text, size_t size);
	/*
	 * From and to host and device memory, in any combination; over when they return. They
	 * wait for no kernel. urgent: not even for other calls of these.
	 */
	int (*copy)(struct accel_dev *d, void *dst, const void *src, uint64_t len);
	int (*copy_urgent)(struct accel_dev *d, void *dst, const void *src, uint64_t len);
	/* A read-modify-write of device memory; @op is of enum mori_shmem_amo. */
	int (*amo)(struct accel_dev *d, void *ptr, bool wide, int op, uint64_t value,
		   uint64_t compare, uint64_t *old);
	/* In the order of a stream; may be captured. @alone: no other PE of the process uses it. */
	int (*stream_check)(struct accel_dev *d, void *stream, bool alone);
	int (*stream_copy)(struct accel_dev *d, void *dst, const void *src, uint64_t len,
			   void *stream);
	/* One small kernel, of a block of at most @lanes threads. */
	int (*stream_task)(struct accel_dev *d, enum dev_task_id id, const struct dev_task *task,
			   int lanes, void *stream);
};

/* A launch, with nothing checked yet. */
struct accel_launch {
	const char *kernel;
	const unsigned *grid, *block; /* [3] each */
	size_t shared;		      /* bytes per block, in addition to the kernel's own */
	void **args;		      /* args[i] points at the i-th argument */
	void *stream;		      /* NULL: return when the grid has ended */
	/* Whose own stream it then has. NULL, or of another device: the module's PE's. */
	const struct accel *caller;
	const struct dev_state *state;
	uint64_t idle_ns; /* how long all threads may only wait; 0: no limit */
	void (*idle)(struct dev_state
			     *state); /* called while they only wait, where the host can see that */
	/*
	 * Called from time to time while they have only waited for @since, ns, where the host can
	 * see that; @text says for what. If @text is NULL, they go on. Not 0: the launch ends with
	 * that status and its text. @ends: some of the waits end by themselves.
	 */
	int (*waits)(void *arg, const char *text, uint64_t since, bool ends);
	void *waits_arg;
	struct backoff_learned *learned; /* how launches of @state's PE wait */
	size_t stack;			 /* bytes per thread, where the library chooses */
};

/* Where a launch failed. The caller sets -1 and 0, which remain if that is not known. */
struct accel_fault {
	uint64_t addr;
	int block[3], thread[3];
};

/* For devices: checks that a grid's sizes are ones that every device allows. */
int accel_launch_check(const struct accel_launch *launch);

struct accel_module_ops {
	/* A module of this PE's own; EINVAL: no image for this device. */
	int (*load)(struct accel_dev *d, const void *image, size_t len, struct accel_module **out);
	/* One that the user has loaded by the device's own means, and unloads so. */
	int (*borrow)(struct accel_dev *d, void *native, struct accel_module **out);
	void (*unload)(struct accel_module *m);
	/*
	 * The module's flags, of enum dev_link_flag. ENOENT: it does not use the library; EABI: it
	 * was built for another version.
	 */
	int (*look)(struct accel_module *m, uint32_t *flags);
	/* From now on its kernels act for the state at @ctx. look() has succeeded before. */
	int (*link)(struct accel_module *m, struct dev_state *ctx);
	/* The kernels of a module; see <mori/shmem.h>. */
	int (*kernel)(struct accel_module *m, size_t index, const char **name);
	int (*params)(struct accel_module *m, const char *name, mori_shmem_param_t *params,
		      size_t room);
	/*
	 * EFAULT and ETIMEDOUT are faults of the kernel, located by *fault. One launch at a time per
	 * module.
	 */
	int (*launch)(struct accel_module *m, const struct accel_launch *launch,
		      struct accel_fault *fault);
	/* Whether the calling thread is inside a kernel. */
	bool (*in_kernel)(void);
};

struct accel_ops {
	const char *name;
	/* MORI_SHMEM_ENOTSUP: the machine has no such device. */
	int (*open)(const struct accel_config *config, struct accel_dev **out, int *number);
	void (*close)(struct accel_dev *d); /* NULL: there is nothing to close */
	/*
	 * Whether it is the device of the calling thread's current context. NULL: threads have
	 * none.
	 */
	bool (*current)(const struct accel_dev *d);
	int (*facts)(struct accel_dev *d, struct accel_facts *out);
	int (*describe)(int number, char *text, size_t size);
	int (*mem_zero)(struct accel_dev *d, void *at, uint64_t len); /* of either memory */
	const struct accel_module_ops *module;
	const struct accel_mem *mem; /* NULL: the heap is host memory */
	bool silent; /* its kernels cannot call the host: somebody polls what they write for it */
};

extern const struct accel_ops accel_cpu, accel_cuda, accel_hip, accel_amd_emu;
extern const struct accel_module_ops cpu_module_ops;

#endif
