// SPDX-License-Identifier: MIT
/*
 * MORI Shmem for host programs: the job, the symmetric heap, and every
 * operation a thread can make. C11 and C++.
 *
 * Every call acts for one PE: the one its thread is bound to, else the only PE
 * of the process. Status codes are in <mori/shmem_types.h>; after a failure
 * mori_shmem_last_error() says what happened, to whom, and what to do.
 */
#ifndef MORI_SHMEM_H
#define MORI_SHMEM_H

#include <mori/shmem_list.h>
#include <mori/shmem_types.h>

#ifndef MORI_SHMEM_EXPORT
#define MORI_SHMEM_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** mori_shmem_t - a PE of this process; opaque */
typedef struct mori_shmem mori_shmem_t;

/** mori_shmem_module_t - kernels that were loaded for a PE; opaque */
typedef struct mori_shmem_module mori_shmem_module_t;

#define MORI_SHMEM_UNIQUE_ID_BYTES 128

/** struct mori_shmem_uniqueid - where and with which secret the PEs of a job meet */
typedef struct mori_shmem_uniqueid {
	unsigned char bytes[MORI_SHMEM_UNIQUE_ID_BYTES];
} mori_shmem_uniqueid_t;

/** How mori_shmem_init_attr() finds the others. */
#define MORI_SHMEM_INIT_WITH_MPI_COMM 0u /**< through <mori/shmem_mpi.h>; see there */
#define MORI_SHMEM_INIT_WITH_UNIQUEID 1u

/** struct mori_shmem_init_attr - how to join a job; fill it with set_attr_uniqueid_args() */
typedef struct mori_shmem_init_attr {
	size_t size; /**< sizeof(mori_shmem_init_attr_t), so that fields can be added */
	int rank;    /**< this PE, 0 .. nranks - 1 */
	int nranks;  /**< PEs in the job */
	mori_shmem_uniqueid_t uid; /**< of mori_shmem_get_unique_id() on one of them */
	void *mpi_comm; /**< MPI_Comm * for code that fills it; <mori/shmem_mpi.h> reads it */
} mori_shmem_init_attr_t;

/** Flags of mori_shmem_ext_malloc_with_flags(). */
#define MORI_SHMEM_MALLOC_DEFAULT  0u
#define MORI_SHMEM_MALLOC_UNCACHED 1u /**< where the device knows the difference */
#define MORI_SHMEM_MALLOC_ZERO	   2u

/** struct mori_shmem_heap_info - the symmetric heap of this PE, in bytes */
typedef struct mori_shmem_heap_info {
	size_t size;	     /**< all there can be */
	size_t used;	     /**< in blocks, with what alignment costs */
	size_t free;	     /**< size - used */
	size_t largest_free; /**< the largest block malloc could give now */
	size_t peak;	     /**< the most that was ever used */
	size_t blocks;	     /**< blocks in use */
	size_t near;	     /**< PEs that need no queue: load and store do all, this one too */
} mori_shmem_heap_info_t;

/** struct mori_shmem_fault - the sticky status of mori_shmem_check() */
typedef struct mori_shmem_fault {
	int code;      /**< MORI_SHMEM_E*, 0 for none */
	int pe;	       /**< the PE it was about, -1 where none was */
	char op[48];   /**< the operation, without the prefix mori_shmem_ */
	uint64_t addr; /**< the address in question, 0 where none was */
	int block[3];  /**< block and thread of a kernel; -1 from the host */
	int thread[3];
} mori_shmem_fault_t;

/**
 * mori_shmem_strerror - the name of a status and a sentence about it
 * Return: a constant string, also for a code that does not exist. Any thread, any time.
 */
MORI_SHMEM_EXPORT const char *mori_shmem_strerror(int status);

/**
 * mori_shmem_last_error - what went wrong in this thread's last failed call
 * Return: text that is valid until the thread's next failure; "" if nothing failed yet.
 */
MORI_SHMEM_EXPORT const char *mori_shmem_last_error(void);

/**
 * mori_shmem_take_error - the status of this thread's last failure, once
 *
 * For calls that return no status: take it before such a call, and what it gives after it is
 * about that call.
 *
 * Return: MORI_SHMEM_E*; 0 if nothing has failed in this thread since the last time.
 */
MORI_SHMEM_EXPORT int mori_shmem_take_error(void);

/**
 * mori_shmem_get_unique_id - open a rendezvous in this process and describe it
 * @uid: filled with 128 bytes to hand to all PEs: addresses and a random secret
 *
 * The rendezvous listens when this returns. It serves until the job that used
 * it has finalized in this process, or the process ends.
 *
 * Return: 0; MORI_SHMEM_EINVAL for NULL or a malformed MORI_* variable;
 * MORI_SHMEM_EIO if no socket could be opened.
 */
MORI_SHMEM_EXPORT int mori_shmem_get_unique_id(mori_shmem_uniqueid_t *uid);

/**
 * mori_shmem_set_attr_uniqueid_args - fill @attr for mori_shmem_init_attr()
 * Return: 0; MORI_SHMEM_EINVAL for NULL, or a rank that is not in 0 .. nranks - 1.
 */
MORI_SHMEM_EXPORT int mori_shmem_set_attr_uniqueid_args(int rank, int nranks,
							const mori_shmem_uniqueid_t *uid,
							mori_shmem_init_attr_t *attr);

/**
 * mori_shmem_init_attr - join a job and bind this thread to the new PE
 * @flags: MORI_SHMEM_INIT_WITH_UNIQUEID
 * @attr:  rank, number of PEs and unique id
 *
 * Collective: returns when all PEs have come and can reach each other's heaps.
 * Several threads of a process may each be a PE. In a thread that is bound
 * already it is an error, unless @attr is what the thread's PE was made with.
 *
 * Return: 0; MORI_SHMEM_EINVAL for wrong arguments or environment; MORI_SHMEM_ESTATE if
 * the thread is bound; MORI_SHMEM_ETIMEDOUT if a PE did not come within
 * MORI_BOOTSTRAP_TIMEOUT (the text names them); MORI_SHMEM_EMISMATCH if the PEs
 * disagree on rank, number or heap; MORI_SHMEM_EREACH if nobody listens (a stale id);
 * MORI_SHMEM_ENOMEM; MORI_SHMEM_EIO.
 */
MORI_SHMEM_EXPORT int mori_shmem_init_attr(unsigned flags, const mori_shmem_init_attr_t *attr);

/**
 * mori_shmem_init - join the job this process was started in
 *
 * Looks, in this order, for `mori run`, PMIx (mpirun, srun), and torchrun's RANK,
 * WORLD_SIZE, MASTER_ADDR and MASTER_PORT; with none of them it is a job of one PE.
 *
 * Return: as mori_shmem_init_attr(); MORI_SHMEM_ENOTSUP if a launcher says there
 * are several processes but no way to meet them was found.
 */
MORI_SHMEM_EXPORT int mori_shmem_init(void);

/**
 * mori_shmem_finalize - leave the job; collective
 *
 * Completes what this PE issued, meets the others, and frees all the PE had:
 * its heap, registrations and sockets. The thread is unbound; init may follow.
 *
 * Return: 0; MORI_SHMEM_ESTATE if there is no PE; MORI_SHMEM_EPEER or
 * MORI_SHMEM_ETIMEDOUT if the others could not be met (all is freed even so).
 */
MORI_SHMEM_EXPORT int mori_shmem_finalize(void);

/**
 * mori_shmem_abort - end the job for all PEs
 * @why: for the text that everybody gets; may be NULL
 *
 * Not collective. Whoever waits for another PE, or will, gets MORI_SHMEM_EPEER and a text with
 * this PE and @why. What remains to do is finalize, which then waits for nobody.
 *
 * Return: 0; MORI_SHMEM_ESTATE if there is no PE.
 */
MORI_SHMEM_EXPORT int mori_shmem_abort(const char *why);

/** For mori_shmem_on_wait(): not 0 if the call that waits is to end. */
typedef int (*mori_shmem_wait_fn)(void *arg);
/**
 * mori_shmem_on_wait - a way to end the calls of this thread while they wait for other PEs
 * @stop: called with @arg now and then while a call of this thread waits, some 20 times a
 *        second; it may not call the library. NULL: none, as at first.
 *
 * If it returns something else than 0 the job is ended as by mori_shmem_abort(), and the call
 * returns MORI_SHMEM_EPEER. A program that handles SIGINT asks for it there.
 */
MORI_SHMEM_EXPORT void mori_shmem_on_wait(mori_shmem_wait_fn stop, void *arg);

/** For mori_shmem_on_fault(): what would go to standard error. */
typedef void (*mori_shmem_fault_fn)(void *arg, const char *text);
/**
 * mori_shmem_on_fault - hear of failures in kernels that nobody has looked at
 * @hear: called with @arg and a line of text in a call of this thread that would have written
 *        it to standard error; it may not call the library. NULL: none, as at first.
 */
MORI_SHMEM_EXPORT void mori_shmem_on_fault(mori_shmem_fault_fn hear, void *arg);

/** mori_shmem_is_initialized - Return: 1 if a call from this thread would find a PE, else 0. */
MORI_SHMEM_EXPORT int mori_shmem_is_initialized(void);

/**
 * mori_shmem_num_qp_per_pe - among how many ways to a PE the argument qp chooses
 *
 * The queues that this PE has to each, which may be fewer than MORI_NUM_QP_PER_PE asks for; 1
 * while it has none, because load and store reach all: so i % n is a qp everywhere.
 *
 * Return: 1 or more; MORI_SHMEM_ESTATE if there is no PE.
 */
MORI_SHMEM_EXPORT int mori_shmem_num_qp_per_pe(void);

/** mori_shmem_current - Return: the PE this thread acts for; NULL with last_error if there is none. */
MORI_SHMEM_EXPORT mori_shmem_t *mori_shmem_current(void);

/**
 * mori_shmem_bind - let this thread act for @pe; NULL unbinds
 * Return: 0; MORI_SHMEM_EINVAL if @pe is not a PE of this process (any more).
 */
MORI_SHMEM_EXPORT int mori_shmem_bind(mori_shmem_t *pe);

/**
 * mori_shmem_find - the PE of this process with that rank
 *
 * Looks in the world of the thread's PE; in a thread without one, in the only
 * world of the process.
 *
 * Return: the PE; NULL with last_error if it is in another process or there is none.
 */
MORI_SHMEM_EXPORT mori_shmem_t *mori_shmem_find(int rank);

/** mori_shmem_device_of - Return: the device number of PE @rank (0 on the CPU); MORI_SHMEM_E* */
MORI_SHMEM_EXPORT int mori_shmem_device_of(int rank);

/** mori_shmem_device_name - Return: "cpu", "cuda" or "hip", of this PE; NULL with last_error */
MORI_SHMEM_EXPORT const char *mori_shmem_device_name(void);

/**
 * mori_shmem_malloc - symmetric memory; collective
 * @size: bytes, the same on every PE; 0 gives NULL and is no error
 * Return: the address of the block in this PE's heap, aligned to 256 bytes; NULL with
 * last_error: heap exhausted, sizes that differ (every PE gets the same error), a lost PE.
 */
MORI_SHMEM_EXPORT void *mori_shmem_malloc(size_t size);
/** mori_shmem_malloc_align - as malloc, at a multiple of @alignment (a power of two). */
MORI_SHMEM_EXPORT void *mori_shmem_malloc_align(size_t alignment, size_t size);
/** mori_shmem_calloc - as malloc of @n * @size bytes, zero on every PE when it returns. */
MORI_SHMEM_EXPORT void *mori_shmem_calloc(size_t n, size_t size);
/** mori_shmem_ext_malloc_with_flags - as malloc; @flags of MORI_SHMEM_MALLOC_*. */
MORI_SHMEM_EXPORT void *mori_shmem_ext_malloc_with_flags(size_t size, unsigned flags);
/**
 * mori_shmem_free - give a block back; collective, waits until every PE has come
 * @ptr: what malloc gave; NULL does nothing (but is collective too)
 * Return: 0; MORI_SHMEM_EINVAL if @ptr is not the start of a block in use: freed already, from
 * elsewhere, or inside a block; MORI_SHMEM_EMISMATCH if the PEs name different blocks.
 * On an error nothing is freed.
 */
MORI_SHMEM_EXPORT int mori_shmem_free(void *ptr);
/** mori_shmem_heap_info - Return: 0; MORI_SHMEM_EINVAL for NULL; MORI_SHMEM_ESTATE. Local. */
MORI_SHMEM_EXPORT int mori_shmem_heap_info(mori_shmem_heap_info_t *info);

/** mori_shmem_hold_t - a hold on the memory of a job; opaque */
typedef struct mori_shmem_hold mori_shmem_hold_t;
/**
 * mori_shmem_heap_hold - keep memory of a heap readable past finalize
 * @ptr:  of this PE's heap or, as mori_shmem_ptr() gave it, of another's
 * @size: bytes from there
 * @hold: for mori_shmem_heap_release(), by any thread at any time
 *
 * For those who hand out views of symmetric memory that may live longer than the job. After
 * finalize the memory is only memory: nothing keeps other PEs from writing to it while they live.
 *
 * Return: 0; MORI_SHMEM_EINVAL if it is not in a heap that load and store reach from here, or
 * @hold is NULL; MORI_SHMEM_ESTATE if there is no PE.
 */
MORI_SHMEM_EXPORT int mori_shmem_heap_hold(const void *ptr, size_t size, mori_shmem_hold_t **hold);
/** mori_shmem_heap_release - end a hold; NULL does nothing. */
MORI_SHMEM_EXPORT void mori_shmem_heap_release(mori_shmem_hold_t *hold);

/**
 * mori_shmem_buffer_register - make existing memory a source or destination on every path; local
 * Return: 0; MORI_SHMEM_EINVAL for NULL, 0 bytes, a range that wraps or overlaps another buffer.
 */
MORI_SHMEM_EXPORT int mori_shmem_buffer_register(void *ptr, size_t size);
/** mori_shmem_buffer_deregister - Return: 0; MORI_SHMEM_ENOENT if it was not registered so. */
MORI_SHMEM_EXPORT int mori_shmem_buffer_deregister(void *ptr, size_t size);
/**
 * mori_shmem_symmetric_register - make existing memory a window that peers can address; collective
 * @ptr:  this PE's part; addresses may differ between PEs
 * @size: bytes, the same on every PE
 *
 * Peers of the node load and store it if it lies in a symmetric heap, if all PEs are in this
 * process, or if it is a shared mapping of a file whose descriptor is open or whose path
 * exists. Otherwise, and on other nodes, it is served over the network.
 *
 * Return: 0; MORI_SHMEM_EINVAL; MORI_SHMEM_EMISMATCH; MORI_SHMEM_ENOTSUP if only a queue will
 * reach it from a PE that holds kernels without queues (mori cc --near); what failed on a PE,
 * where one cannot map or serve it (every PE gets the same error, which names the PE).
 */
MORI_SHMEM_EXPORT int mori_shmem_symmetric_register(void *ptr, size_t size);
/**
 * mori_shmem_symmetric_deregister - collective
 * Return: 0; MORI_SHMEM_ENOENT; MORI_SHMEM_EMISMATCH; MORI_SHMEM_EIO if a device failed: then it
 * stays a window on every PE.
 */
MORI_SHMEM_EXPORT int mori_shmem_symmetric_deregister(void *ptr, size_t size);
/** mori_shmem_query_memobj - Return: 0; MORI_SHMEM_ENOENT if @ptr is in nothing the library knows. */
MORI_SHMEM_EXPORT int mori_shmem_query_memobj(const void *ptr, mori_shmem_memobj_t *obj);

/**
 * mori_shmem_barrier_all - complete what this PE's host issued, then meet all PEs
 * Return: 0; MORI_SHMEM_EPEER, MORI_SHMEM_ETIMEDOUT (the text names who is missing),
 * MORI_SHMEM_EMISMATCH if another PE is in a different collective call; MORI_SHMEM_ESTATE.
 */
MORI_SHMEM_EXPORT int mori_shmem_barrier_all(void);
/** mori_shmem_sync_all - meet all PEs; completes nothing. Return: as barrier_all. */
MORI_SHMEM_EXPORT int mori_shmem_sync_all(void);

/*
 * On a stream: the same operations in the order of a device's stream. The CPU
 * has none: @stream must be NULL there, and the call acts at once.
 */
MORI_SHMEM_EXPORT int mori_shmem_barrier_on_stream(void *stream);
MORI_SHMEM_EXPORT int mori_shmem_putmem_on_stream(void *dest, const void *src, size_t bytes, int pe,
						  int qp, void *stream);
MORI_SHMEM_EXPORT int mori_shmem_getmem_on_stream(void *dest, const void *src, size_t bytes, int pe,
						  int qp, void *stream);
MORI_SHMEM_EXPORT int mori_shmem_putmem_signal_on_stream(void *dest, const void *src, size_t bytes,
							 void *sig, uint64_t value, int op, int pe,
							 int qp, void *stream);
MORI_SHMEM_EXPORT int mori_shmem_signal_op_on_stream(uint64_t *sig, uint64_t value, int op, int pe,
						     int qp, void *stream);
MORI_SHMEM_EXPORT int mori_shmem_quiet_on_stream(void *stream);
#define MORI__DECLARE_WAIT_ON_STREAM(name, type, ...)                                              \
	MORI_SHMEM_EXPORT int mori_shmem_##name##_wait_until_on_stream(type *addr, int cmp,        \
								       type value, void *stream);
MORI_EACH_AMO_TYPE(MORI__DECLARE_WAIT_ON_STREAM, )

/**
 * mori_shmem_module_load - load kernels for this PE
 * @image: what `mori cc` wrote for the PE's device, in memory; not needed afterwards
 * @size:  its bytes
 *
 * Each load has variables of its own, also of the same image. A module that is left
 * when its PE finalizes is unloaded then; its handle stays valid for module_unload.
 *
 * Return: 0; MORI_SHMEM_EINVAL for NULL or an image that is none for this device;
 * MORI_SHMEM_ENOENT if it does not use the library; MORI_SHMEM_EABI if it was made for
 * another version (the text has both); MORI_SHMEM_ENOTSUP if it was compiled without queues
 * (mori cc --near) and only a queue reaches some memory of a peer; MORI_SHMEM_ENOMEM;
 * MORI_SHMEM_EIO; MORI_SHMEM_ESTATE.
 */
MORI_SHMEM_EXPORT int mori_shmem_module_load(const void *image, size_t size,
					     mori_shmem_module_t **module);
/**
 * mori_shmem_module_unload - free a module; NULL does nothing
 *
 * Waits for a launch of it in another thread.
 *
 * Return: 0; MORI_SHMEM_EINVAL if it is no module or was unloaded; MORI_SHMEM_ETIMEDOUT
 * if the launch does not end; MORI_SHMEM_ESTATE inside a kernel.
 */
MORI_SHMEM_EXPORT int mori_shmem_module_unload(mori_shmem_module_t *module);
/**
 * mori_shmem_module_init - let the kernels of a module act for this thread's PE
 * @module: a module that was loaded by the device's own means (CUmodule, hipModule_t; on the
 *          CPU what dlopen() gave), or one of mori_shmem_module_load()
 *
 * mori_shmem_module_load() does this by itself. Nobody tells the library that a module of the
 * device's own was unloaded: one without queues counts for mori_shmem_symmetric_register() until
 * its PE finalizes.
 *
 * Return: as mori_shmem_module_load().
 */
MORI_SHMEM_EXPORT int mori_shmem_module_init(void *module);
/** What a parameter of a kernel is. */
enum mori_shmem_param_kind {
	MORI_SHMEM_PARAM_INT = 0,
	MORI_SHMEM_PARAM_FLOAT = 1,
	MORI_SHMEM_PARAM_POINTER = 2,
	MORI_SHMEM_PARAM_STRUCT = 3,
	MORI_SHMEM_PARAM_UNKNOWN = 4, /**< the device tells its size alone */
};

/** struct mori_shmem_param - a parameter of a kernel */
typedef struct mori_shmem_param {
	uint32_t kind; /**< enum mori_shmem_param_kind */
	uint32_t size; /**< bytes behind args[i] */
} mori_shmem_param_t;

/**
 * mori_shmem_module_kernel - the name of a kernel of a module
 * @index: 0 and up, in no particular order
 * @name:  valid as long as the module is loaded
 *
 * Return: 0; MORI_SHMEM_ENOENT from the first @index on that there is no kernel for;
 * MORI_SHMEM_EINVAL; MORI_SHMEM_ENOTSUP if the device does not tell; MORI_SHMEM_ESTATE.
 */
MORI_SHMEM_EXPORT int mori_shmem_module_kernel(mori_shmem_module_t *module, size_t index,
					       const char **name);
/**
 * mori_shmem_kernel_params - the parameters of a kernel
 * @params: filled with the first @room of them; may be NULL if @room is 0
 *
 * Return: how many there are; MORI_SHMEM_ENOENT if there is no such kernel;
 * MORI_SHMEM_EINVAL; MORI_SHMEM_ENOTSUP if the device does not tell; MORI_SHMEM_ESTATE.
 */
MORI_SHMEM_EXPORT int mori_shmem_kernel_params(mori_shmem_module_t *module, const char *name,
					       mori_shmem_param_t *params, size_t room);
/**
 * mori_shmem_kernel_launch - run a kernel
 * @name:   of the function that is marked MORI_KERNEL
 * @grid:   blocks in x, y and z
 * @block:  threads of a block in x, y and z; at most 1024 in all
 * @shared: bytes of block memory for kernels that leave its size open; C kernels do not
 * @args:   args[i] points at the i-th argument; NULL for a kernel without any
 * @stream: of the device; NULL on the CPU
 *
 * It acts for the PE that loaded the module, whichever thread calls. On the CPU it
 * returns when the grid has ended. A thread that waits lets the others run, so blocks
 * may wait for each other and for other PEs. If all threads only wait for longer than
 * MORI_SHMEM_TIMEOUT, the launch ends and the log says who waits for what. Such an end, or
 * a fault of the kernel, is also left for mori_shmem_check(); until that is called, launches
 * of this PE give it again.
 *
 * Return: 0; MORI_SHMEM_ENOENT if there is no such kernel; MORI_SHMEM_EINVAL for sizes of 0 or
 * too large, arguments that are missing, a stream on the CPU; MORI_SHMEM_EFAULT for a bad address,
 * a stack overflow or a division by zero (the text has block and thread);
 * MORI_SHMEM_ETIMEDOUT; MORI_SHMEM_ENOMEM; MORI_SHMEM_ESTATE after finalize.
 */
MORI_SHMEM_EXPORT int mori_shmem_kernel_launch(mori_shmem_module_t *module, const char *name,
					       const unsigned grid[3], const unsigned block[3],
					       size_t shared, void **args, void *stream);

/**
 * mori_shmem_check - read and clear the sticky status of this PE
 * @fault: filled with the first fault since the last check; may be NULL
 *
 * Calls that return a value cannot return a status: they leave it here, and so does every call
 * of a kernel. mori_shmem_last_error() then has the first in words, and how many more there were.
 * What nobody has looked at, by this call or by mori_shmem_status(), goes to standard error with
 * the next mori_shmem_barrier_all(), mori_shmem_kernel_launch() that waits,
 * mori_shmem_module_unload() or mori_shmem_finalize().
 *
 * Return: 0 if there was none; its code; MORI_SHMEM_ESTATE if there is no PE.
 */
MORI_SHMEM_EXPORT int mori_shmem_check(mori_shmem_fault_t *fault);

/**
 * mori_shmem_tell - tell of what nobody has looked at, as the next mori_shmem_barrier_all() would
 *
 * For a program that makes no such call for long. Local; waits for no kernel, and where there is
 * nothing to tell, or no PE, it is a load or two.
 *
 * Return: 0; with MORI_SHMEM_STRICT=1 the status of the first failure that it has told of.
 */
MORI_SHMEM_EXPORT int mori_shmem_tell(void);

/**
 * mori_shmem_leave_fault - leave a fault for mori_shmem_check(), as a kernel does
 * @fault: what failed: its code, operation, PE, address, block and thread
 *
 * For what carries out kernels by calls of the host, such as an interpreter: the kernel got the
 * status, and the program may not hear of it otherwise. The first fault stays, as ever. Local.
 *
 * Return: 0; MORI_SHMEM_EINVAL for NULL or a code that is no failure; MORI_SHMEM_ESTATE.
 */
MORI_SHMEM_EXPORT int mori_shmem_leave_fault(const mori_shmem_fault_t *fault);

/** mori_shmem_device_state - address of the PE's state for the ctx forms. Return: 0; MORI_SHMEM_E* */
MORI_SHMEM_EXPORT int mori_shmem_device_state(uint64_t *ctx);

/** A fact for mori_shmem_info(): @note says why, where there is a reason to give. */
typedef void (*mori_shmem_info_fn)(void *arg, const char *section, const char *key,
				   const char *value, const char *note);
/**
 * mori_shmem_info - what this library is and found on this machine; needs no job
 * @row: called once a fact, in a fixed order; sections "library", "device", "heap",
 *       "transport", "dependency" and "env"
 * Return: 0; MORI_SHMEM_EINVAL for NULL. A malformed variable is a row, not an error.
 */
MORI_SHMEM_EXPORT int mori_shmem_info(mori_shmem_info_fn row, void *arg);

/*
 * The operations: put, get, signals, atomics, waits, order, barrier, with and
 * without a context. See <mori/shmem_list.h> for the list, docs/operations.md
 * for the meaning.
 */
#define MORI__CTX(...) (uint64_t ctx, __VA_ARGS__)
#define MORI__DECLARE_STATUS(name, params, call)                                                   \
	MORI_SHMEM_EXPORT int mori_shmem_##name params;                                            \
	MORI_SHMEM_EXPORT int mori_shmem_ctx_##name MORI__CTX params;
#define MORI__DECLARE_VALUE(ret, bad, name, params, call)                                          \
	MORI_SHMEM_EXPORT ret mori_shmem_##name params;                                            \
	MORI_SHMEM_EXPORT ret mori_shmem_ctx_##name MORI__CTX params;
#define MORI__DECLARE_VALUE0(ret, bad, name, call)                                                 \
	MORI_SHMEM_EXPORT ret mori_shmem_##name(void);                                             \
	MORI_SHMEM_EXPORT ret mori_shmem_ctx_##name(uint64_t ctx);
#define MORI__DECLARE_STATUS0(name, call) MORI__DECLARE_VALUE0(int, 0, name, call)
MORI_HOST_OPS(MORI__DECLARE_STATUS, MORI__DECLARE_VALUE, MORI__DECLARE_STATUS0,
	      MORI__DECLARE_VALUE0)

#define MORI__DECLARE_GRID(ret, name) MORI_SHMEM_EXPORT ret name(void);
MORI_GRID_OPS(MORI__DECLARE_GRID)

#ifdef __cplusplus
}
#endif
#endif
