// SPDX-License-Identifier: MIT
/*
 * A GPU by its driver, which is opened at run time: the calls (gpu_calls.def), the few
 * types they need, and what a PE holds of its device. Every entry from outside is
 * between gpu_enter() and gpu_leave(), which bring the PE's context and take it away.
 */
#ifndef MORI_ACCEL_GPU_H
#define MORI_ACCEL_GPU_H

#include "accel/ops.h"
#include "util/lock.h"

typedef struct gpu_ctx_of_driver *gpu_ctx;
typedef struct gpu_stream_of_driver *gpu_stream;
typedef struct gpu_module_of_driver *gpu_module;
typedef struct gpu_function_of_driver *gpu_function;
typedef uint64_t gpu_ptr;

struct gpu_place {
	int kind; /* 1: a device */
	int number;
};

/* What memory to make. */
struct gpu_part {
	int kind; /* 1: pinned */
	int handles;
	struct gpu_place place;
	void *unused;
	struct {
		unsigned char compression, rdma;
		unsigned short usage;
		unsigned char reserved[4];
	} flags;
};

struct gpu_access {
	struct gpu_place place;
	int flags;
};

struct gpu_ipc {
	char bytes[64];
};

struct gpu_calls {
#define GPU_CALL(name, cuda, hip, params)     int(*name) params;
#define GPU_CALL_MAY(name, cuda, hip, params) int(*name) params;
#include "accel/gpu_calls.def"
#undef GPU_CALL
#undef GPU_CALL_MAY
};

extern struct gpu_calls gpu;

enum {
	GPU_FD = 1,	   /* a part leaves as a file descriptor, */
	GPU_FABRIC = 8,	   /* or as a handle of the fabric */
	GPU_PINNED = 1,	   /* kinds of memory */
	GPU_DEVICE = 1,	   /* kinds of places */
	GPU_READ_WRITE = 3 /* access */
};

/* A context of this process; it stays once it was used, with what is loaded into it. */
struct gpu_home {
	struct gpu_home *next;
	gpu_ctx ctx;
	int device;
	int priority;			   /* of streams: the greatest */
	bool fabric;			   /* memory can leave by handles of the fabric */
	gpu_stream news;		   /* for what must not wait for other calls */
	gpu_module tasks;		   /* our own kernels, */
	gpu_function task[DEV_TASK_COUNT]; /* each; NULL: could not be loaded */
	char no_task[256];		   /* why */
};

/*
 * Streams of a PE: for launches that are waited for, made at the first, and for the host's
 * operations. Few, because a process has few queues to the device (32 at most), and kernels
 * that wait for each other must not share one.
 */
enum gpu_lane { GPU_RUN, GPU_HOST, GPU_LANES };

struct accel_dev {
	struct gpu_home *home;
	gpu_stream lane[GPU_LANES];
	uint64_t *result; /* host memory that kernels can write: what an atomic gave */
	struct lock lock; /* of result */
};

/* gpu.c */
/*
 * A launch, with the context current. One at a time in a process: the driver finds a queue
 * for a stream when something is launched on it, and if two threads do that at once it may give
 * both the same one. Kernels that wait for each other then stand one behind the other. But a
 * launch also waits where its queue is full, perhaps for another thread's: nobody waits for long.
 */
int gpu_submit(gpu_function f, const unsigned grid[3], const unsigned block[3], unsigned shared,
	       gpu_stream stream, void **args);
/* With the context current: a stream of the PE, made if need be. */
int gpu_lane(struct accel_dev *d, enum gpu_lane lane, gpu_stream *out);
/* The driver, once a process; ENOTSUP with the reason. */
int gpu_load(void);
/* A text for a failed call, and our code for it. */
int gpu_fail(int code, const char *what);
int gpu_enter(const struct accel_dev *d);
void gpu_leave(void);
int gpu_open(int place, struct accel_dev **out);
void gpu_close(struct accel_dev *d);
int gpu_device(const struct accel_dev *d);
bool gpu_current(const struct accel_dev *d);
int gpu_facts(struct accel_dev *d, struct accel_facts *out);
int gpu_describe(int number, char *text, size_t size);

/* gpu_memory.c */
int gpu_reserve(struct accel_dev *d, uint64_t len, uint64_t align, void **out);
void gpu_unreserve(void *base);
int gpu_part_make(struct accel_dev *d, void *at, uint64_t len, const int *devs, int n_devs,
		  struct accel_ticket *ticket);
int gpu_part_take(struct accel_dev *d, const struct accel_ticket *ticket, void *at, uint64_t len,
		  const int *devs, int n_devs);
/* With the context current: whether the driver gives handles of the fabric, tried once. */
bool gpu_fabric(int device);
void gpu_part_drop(void *at, uint64_t len);
int gpu_alloc(struct accel_dev *d, uint64_t len, void **out);
void gpu_free(struct accel_dev *d, void *ptr);
int gpu_handle_get(struct accel_dev *d, const void *ptr, uint64_t len, struct accel_handle *out);
int gpu_handle_open(struct accel_dev *d, const struct accel_handle *h, void **out, void **base);
void gpu_handle_close(struct accel_dev *d, void *base);
bool gpu_holds(struct accel_dev *d, const void *ptr);
int gpu_pin(struct accel_dev *d, void *ptr, uint64_t len, bool *ours);
void gpu_unpin(struct accel_dev *d, void *ptr);
int gpu_copy(struct accel_dev *d, void *dst, const void *src, uint64_t len, bool urgent);
int gpu_zero(struct accel_dev *d, void *at, uint64_t len);
uint64_t gpu_granule(const struct accel_dev *d);

/* gpu_nic.c */
int gpu_dmabuf(struct accel_dev *d, const void *at, uint64_t len, int *fd, uint64_t *off);
int gpu_show(struct accel_dev *d, void *at, uint64_t len, bool io, void **out);
int gpu_pci(struct accel_dev *d, char *text, size_t size);

/* gpu_module.c */
/*
 * Local memory for the threads of a kernel that needs more than any before it. Taken at its
 * launch it would wait until the device is idle, and kernels that wait for that one with it.
 */
void gpu_room(gpu_function f);
int gpu_module_load(struct accel_dev *d, const void *image, size_t len, struct accel_module **out);
int gpu_module_borrow(struct accel_dev *d, void *native, struct accel_module **out);
void gpu_module_unload(struct accel_module *m);
int gpu_module_look(struct accel_module *m, uint32_t *flags);
int gpu_module_link(struct accel_module *m, struct dev_state *ctx);
int gpu_launch(struct accel_module *m, const struct accel_launch *launch,
	       struct accel_fault *fault);
int gpu_in_kernel(void);
int gpu_module_kernel(struct accel_module *m, size_t index, const char **name);
int gpu_kernel_params(struct accel_module *m, const char *name, mori_shmem_param_t *params,
		      size_t room);

/* gpu_stream.c */
/* Load our own kernels into a context that is current. */
void gpu_tasks_load(struct gpu_home *home);
int gpu_amo(struct accel_dev *d, void *ptr, bool wide, int op, uint64_t value, uint64_t compare,
	    uint64_t *old);
int gpu_stream_check(struct accel_dev *d, void *stream, bool alone);
int gpu_stream_copy(struct accel_dev *d, void *dst, const void *src, uint64_t len, void *stream);
int gpu_stream_task(struct accel_dev *d, enum dev_task_id id, const struct dev_task *task,
		    int lanes, void *stream);

/* Our own kernels as PTX; "" where they could not be made. The build makes it. */
extern const char cuda_kernels[];

#endif
