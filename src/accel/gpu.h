// SPDX-License-Identifier: MIT
/*
 * A GPU by its driver, which is opened at run time: the calls (gpu_calls.def), the few types they
 * need, and what a PE holds of its device. Every call from outside runs between gpu_enter() and
 * gpu_leave(), which push and pop the PE's context.
 */
#ifndef MORI_ACCEL_GPU_H
#define MORI_ACCEL_GPU_H

#include "accel/accel.h"
#include "util/lock.h"

typedef struct gpu_ctx_of_driver *gpu_ctx;
typedef struct gpu_stream_of_driver *gpu_stream;
typedef struct gpu_module_of_driver *gpu_module;
typedef struct gpu_function_of_driver *gpu_function;
typedef uint64_t gpu_ptr;

struct gpu_location {
	int kind; /* 1: a device */
	int number;
};

/* What memory to make. */
struct gpu_mem_props {
	int kind; /* 1: pinned */
	int handles;
	struct gpu_location place;
	void *unused;
	struct {
		unsigned char compression, rdma;
		unsigned short usage;
		unsigned char reserved[4];
	} flags;
};

struct gpu_access {
	struct gpu_location place;
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

extern struct gpu_calls gpu; /* of the vendor whose GPUs this process uses */

/* What differs between the vendors beside their calls: a row of cuda.c and hip.c each. */
struct gpu_vendor {
	const char *maker;		   /* of the GPUs, in texts */
	const char *const *library;	   /* the first that is there; NULL ends the list */
	enum { GPU_CUDA, GPU_HIP } column; /* of gpu_calls.def */
	const char *processors;		   /* the word for them */
	/* Before the library's first call: what the table cannot have by name alone. Or NULL. */
	void (*adapt)(void *library, struct gpu_calls *calls);
	void (*version)(char *text, size_t size);
	/* What mori cc calls the device; -1: any. */
	void (*target)(int device, char *text, size_t size);
	/*
	 * A status and a text if so many PEs of this process cannot use one device: kernels that
	 * wait for each other would share a queue to it. Or NULL.
	 */
	int (*crowd)(int n);
	/* A device that a PE uses for the first time is current. Or NULL. */
	void (*ready)(int device);
	/* A kernel of the user is about to be launched. Or NULL. */
	void (*launched)(const char *kernel, int pe);
	/* Whether ipc_get() is the safer way to share static heaps. Or NULL: it is not. */
	bool (*by_handles)(void);
	/* Our own kernels for a device; NULL where they could not be made. */
	const void *(*kernels)(int device, size_t *len);
};

/* Values of the driver's, as CUDA has them; for HIP hip.c translates what differs. */
enum gpu_attribute { /* of a device */
		     GPU_PROCESSORS = 16,
		     GPU_MAJOR = 75,
		     GPU_MINOR = 76,
		     GPU_HAS_RANGES = 102,
		     GPU_HAS_FDS = 103,
		     GPU_HAS_RDMA = 110,
		     GPU_HAS_FABRIC = 128
};
enum gpu_p2p { GPU_P2P_ACCESS = 2, GPU_P2P_AMO = 3 };

enum {
	GPU_FD = 1,	   /* a segment is shared as a file descriptor, */
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
	int n_pes;			   /* of this process that use it */
	int priority;			   /* of streams: the greatest */
	bool fabric;			   /* memory can be shared by handles of the fabric */
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
	bool counted; /* in n_pes of its home */
	gpu_stream lane[GPU_LANES];
	uint64_t *result; /* host memory that kernels can write: the result of an atomic */
	struct lock lock; /* of result */
};

/* gpu_driver.c */
/* Opens the vendor's library, once per process; the process then uses no other vendor's. */
int gpu_load(const struct gpu_vendor *vendor);
/* After gpu_load(): */
const struct gpu_vendor *gpu_vendor(void);
int gpu_devices(void);
/* A text for a failed call, and our code for it. */
int gpu_fail(int code, const char *what);
int gpu_describe(const struct gpu_vendor *vendor, int number, char *text, size_t size);

/* gpu.c */
int gpu_open(const struct gpu_vendor *vendor, const struct accel_config *config,
	     struct accel_dev **out, int *number);
void gpu_close(struct accel_dev *d);
bool gpu_current(const struct accel_dev *d);
/*
 * Launches, with the context current. One launch at a time per process: the driver assigns a queue
 * to a stream at a launch, and two concurrent launches may get the same one; kernels that wait for
 * each other would then run one after the other. But a launch also blocks while its queue is full,
 * perhaps for another thread's kernel, so the wait for the lock is short.
 */
int gpu_submit(gpu_function f, const unsigned grid[3], const unsigned block[3], unsigned shared,
	       gpu_stream stream, void **args);
/* With the context current: a stream of the PE, made if need be. */
int gpu_lane(struct accel_dev *d, enum gpu_lane lane, gpu_stream *out);
int gpu_enter(const struct accel_dev *d);
void gpu_leave(void);
/* The same at the end of a call whose driver's code is @code: our status, with @what in the text. */
int gpu_leave_with(int code, const char *what);
int gpu_facts(struct accel_dev *d, struct accel_facts *out);

/* gpu_memory.c */
/* With the context current: whether the driver provides handles of the fabric, tried once. */
bool gpu_fabric(int device);
int gpu_copy(struct accel_dev *d, void *dst, const void *src, uint64_t len);
int gpu_zero(struct accel_dev *d, void *at, uint64_t len);
uint64_t gpu_granule(const struct accel_dev *d);
extern const struct accel_mem gpu_mem;

/* gpu_module.c */
/*
 * Local memory for the threads of a kernel that needs more than any before it. Taken at its
 * launch it would wait until the device is idle, and kernels that wait for that one with it.
 */
void gpu_room(gpu_function f);
extern const struct accel_module_ops gpu_module_ops;

/* gpu_stream.c */
/* Load our own kernels into a context that is current. */
void gpu_tasks_load(struct gpu_home *home);
int gpu_amo(struct accel_dev *d, void *ptr, bool wide, int op, uint64_t value, uint64_t compare,
	    uint64_t *old);
int gpu_stream_check(struct accel_dev *d, void *stream, bool alone);
int gpu_stream_copy(struct accel_dev *d, void *dst, const void *src, uint64_t len, void *stream);
int gpu_stream_task(struct accel_dev *d, enum dev_task_id id, const struct dev_task *task,
		    int lanes, void *stream);

#endif
