// SPDX-License-Identifier: MIT
/*
 * MORI Shmem for host programs: the job, the symmetric heap, and every
 * operation a host thread can issue. C11 and C++.
 *
 * Every call acts for one PE: the one its thread is bound to, else the only PE
 * of the process. Status codes are in <mori/shmem_types.h>; after a failure
 * mori_shmem_last_error() describes what happened, to which PE, and what to do.
 */
#ifndef MORI_SHMEM_H
#define MORI_SHMEM_H

#include <mori/shmem_ops.h>
#include <mori/shmem_types.h>

#ifndef MORI_SHMEM_DEPRECATED
#define MORI_SHMEM_DEPRECATED(text) __attribute__((deprecated(text)))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** mori_shmem_t - a PE of this process; opaque */
typedef struct mori_shmem mori_shmem_t;

/** mori_shmem_module_t - kernels loaded for a PE; opaque */
typedef struct mori_shmem_module mori_shmem_module_t;

#define MORI_SHMEM_UNIQUE_ID_BYTES 128

/** struct mori_shmem_uniqueid - the address and the secret of a job's rendezvous */
typedef struct mori_shmem_uniqueid {
	unsigned char bytes[MORI_SHMEM_UNIQUE_ID_BYTES];
} mori_shmem_uniqueid_t;

/** How mori_shmem_init_attr() finds the other PEs. */
#define MORI_SHMEM_INIT_WITH_MPI_COMM 0u /**< through <mori/shmem_mpi.h>; see there */
#define MORI_SHMEM_INIT_WITH_UNIQUEID 1u

/** struct mori_shmem_init_attr - how to join a job; fill it with set_attr_uniqueid_args() */
typedef struct mori_shmem_init_attr {
	size_t size; /**< sizeof(mori_shmem_init_attr_t), so that fields can be added */
	int rank;    /**< this PE, 0 .. nranks - 1 */
	int nranks;  /**< PEs in the job */
	mori_shmem_uniqueid_t uid; /**< from mori_shmem_get_unique_id() on one of them */
	void *mpi_comm; /**< MPI_Comm *, for code that fills it; <mori/shmem_mpi.h> reads it */
} mori_shmem_init_attr_t;

/** Flags of mori_shmem_ext_malloc_with_flags(). */
#define MORI_SHMEM_MALLOC_DEFAULT  0u
#define MORI_SHMEM_MALLOC_UNCACHED 1u /**< where the device makes a difference */
#define MORI_SHMEM_MALLOC_ZERO	   2u

/*
 * Structs that begin with struct_size: set it to the size of the struct before the call, as in
 *	mori_shmem_heap_info_t info = { .struct_size = sizeof(info) };
 * Later versions append fields. The library fills the fields that fit and sets those that it does
 * not know to 0.
 */

/** struct mori_shmem_heap_info - the symmetric heap of this PE, in bytes */
typedef struct mori_shmem_heap_info {
	size_t struct_size;  /**< sizeof(mori_shmem_heap_info_t), set by the caller */
	size_t size;	     /**< the most it can hold */
	size_t used;	     /**< in blocks, alignment included */
	size_t free;	     /**< size - used */
	size_t largest_free; /**< the largest block that malloc could return now */
	size_t peak;	     /**< the largest value of used so far */
	size_t blocks;	     /**< blocks in use */
	union {
		size_t p2p; /**< PEs reached by load and store alone, this one included */
		MORI_SHMEM_DEPRECATED("near is now p2p") size_t near; /**< its former name */
	};
} mori_shmem_heap_info_t;

/** struct mori_shmem_fault - the sticky status of mori_shmem_check() */
typedef struct mori_shmem_fault {
	size_t struct_size; /**< sizeof(mori_shmem_fault_t), set by the caller */
	int code;	    /**< MORI_SHMEM_E*, 0 for none */
	int pe;		    /**< the PE concerned, -1 if none */
	char op[48];	    /**< the operation, without the prefix mori_shmem_ */
	uint64_t addr;	    /**< the address concerned, 0 if none */
	int block[3];	    /**< block and thread of a kernel; -1 from the host */
	int thread[3];
} mori_shmem_fault_t;

/**
 * mori_shmem_strerror - the name of a status and a sentence about it
 * Return: a constant string, even for an unknown code. Callable from any thread at any time.
 */
MORI_SHMEM_EXPORT const char *mori_shmem_strerror(int status);

/**
 * mori_shmem_last_error - what went wrong in this thread's last failed call
 * Return: text that is valid until the thread's next failure; "" if nothing has failed yet.
 */
MORI_SHMEM_EXPORT const char *mori_shmem_last_error(void);

/**
 * mori_shmem_take_error - the status of this thread's last failure, once
 *
 * For calls that do not return a status: clear it before the call; a non-zero value afterwards
 * belongs to that call.
 *
 * Return: MORI_SHMEM_E*; 0 if nothing has failed in this thread since it was last taken.
 */
MORI_SHMEM_EXPORT int mori_shmem_take_error(void);

/**
 * mori_shmem_get_unique_id - open a rendezvous in this process and describe it
 * @uid: filled with 128 bytes to pass to all PEs: addresses and a random secret
 *
 * The rendezvous accepts connections when this returns. It serves until the job
 * that used it has been finalized in this process, or the process ends.
 *
 * Return: 0; MORI_SHMEM_EINVAL for NULL or a malformed MORI_* variable;
 * MORI_SHMEM_EIO if no socket could be opened.
 */
MORI_SHMEM_EXPORT int mori_shmem_get_unique_id(mori_shmem_uniqueid_t *uid);

/**
 * mori_shmem_set_attr_uniqueid_args - fill @attr for mori_shmem_init_attr()
 * Return: 0; MORI_SHMEM_EINVAL for NULL, or a rank outside 0 .. nranks - 1.
 */
MORI_SHMEM_EXPORT int mori_shmem_set_attr_uniqueid_args(int rank, int nranks,
							const mori_shmem_uniqueid_t *uid,
							mori_shmem_init_attr_t *attr);

/**
 * mori_shmem_init_attr - join a job and bind this thread to the new PE
 * @flags: MORI_SHMEM_INIT_WITH_UNIQUEID
 * @attr:  rank, number of PEs and unique id
 *
 * Collective: returns when all PEs have joined and can reach each other's heaps.
 * Several threads of a process may each be a PE. It is an error in a thread that
 * is already bound, unless @attr is the one that the thread's PE was made with.
 *
 * Return: 0; MORI_SHMEM_EINVAL for wrong arguments or environment; MORI_SHMEM_ESTATE if
 * the thread is bound; MORI_SHMEM_ETIMEDOUT if PEs did not join within
 * MORI_BOOTSTRAP_TIMEOUT (the text names them); MORI_SHMEM_EMISMATCH if the PEs
 * disagree on rank, number or heap; MORI_SHMEM_EREACH if no rendezvous listens (a stale id);
 * MORI_SHMEM_ENOMEM; MORI_SHMEM_EIO.
 */
MORI_SHMEM_EXPORT int mori_shmem_init_attr(unsigned flags, const mori_shmem_init_attr_t *attr);

/**
 * mori_shmem_init - join the job this process was started in
 *
 * Looks, in this order, for `mori run`, PMIx (mpirun, srun), and torchrun's RANK,
 * WORLD_SIZE, MASTER_ADDR and MASTER_PORT; without any of them the job has one PE.
 *
 * Return: as mori_shmem_init_attr(); MORI_SHMEM_ENOTSUP if a launcher started
 * several processes but left no way to find them.
 */
MORI_SHMEM_EXPORT int mori_shmem_init(void);

/**
 * mori_shmem_finalize - leave the job; collective
 *
 * Completes what this PE issued, waits for the other PEs, and frees everything the
 * PE owns: heap, registrations and sockets. The thread is unbound; it may call init again.
 * Calls of other threads that have begun complete first, waits among them with
 * MORI_SHMEM_ESTATE; later ones are refused.
 *
 * Return: 0; MORI_SHMEM_ESTATE if there is no PE, another thread has finalized it, or a callback
 * inside a call asks for it; MORI_SHMEM_EPEER or MORI_SHMEM_ETIMEDOUT if not all PEs came
 * (everything is freed nevertheless).
 */
MORI_SHMEM_EXPORT int mori_shmem_finalize(void);

/**
 * mori_shmem_abort - end the job for all PEs
 * @why: part of the text that every PE gets; may be NULL
 *
 * Not collective. Every PE that waits for another one, now or later, gets MORI_SHMEM_EPEER and a
 * text with this PE and @why. All that remains to do is finalize, which then waits for no PE.
 *
 * Return: 0; MORI_SHMEM_ESTATE if there is no PE.
 */
MORI_SHMEM_EXPORT int mori_shmem_abort(const char *why);

/** For mori_shmem_on_wait(): returns non-zero to end the waiting call. */
typedef int (*mori_shmem_wait_fn)(void *arg);
/**
 * mori_shmem_on_wait - let this thread's calls be ended while they wait for other PEs
 * @stop: called with @arg about 20 times per second while a call of this thread waits; it must
 *        not call the library. NULL, the default, for none.
 *
 * If it returns non-zero, the job ends as by mori_shmem_abort(), and the call returns
 * MORI_SHMEM_EPEER. A program that handles SIGINT checks for the signal there.
 */
MORI_SHMEM_EXPORT void mori_shmem_on_wait(mori_shmem_wait_fn stop, void *arg);

/** For mori_shmem_on_fault(): receives what would go to standard error. */
typedef void (*mori_shmem_fault_fn)(void *arg, const char *text);
/**
 * mori_shmem_on_fault - receive reports of failures in kernels that nobody has checked
 * @hear: called with @arg and a line of text in a call of this thread that would otherwise write
 *        the line to standard error; it must not call the library. NULL, the default, for none.
 */
MORI_SHMEM_EXPORT void mori_shmem_on_fault(mori_shmem_fault_fn hear, void *arg);

/** mori_shmem_is_initialized - Return: 1 if a call from this thread would find a PE, else 0. */
MORI_SHMEM_EXPORT int mori_shmem_is_initialized(void);

/**
 * mori_shmem_num_qp_per_pe - the number of queues per peer among which the argument qp chooses
 *
 * It may be smaller than MORI_NUM_QP_PER_PE, and is 1 for a PE without queues, which reaches all
 * others by load and store: i % n is always a valid qp.
 *
 * Return: 1 or more; MORI_SHMEM_ESTATE if there is no PE.
 */
MORI_SHMEM_EXPORT int mori_shmem_num_qp_per_pe(void);

/** mori_shmem_current - Return: the PE that this thread acts for; NULL with last_error if none. */
MORI_SHMEM_EXPORT mori_shmem_t *mori_shmem_current(void);

/**
 * mori_shmem_bind - let this thread act for @pe; NULL unbinds
 * Return: 0; MORI_SHMEM_EINVAL if @pe is not, or no longer, a PE of this process.
 */
MORI_SHMEM_EXPORT int mori_shmem_bind(mori_shmem_t *pe);

/**
 * mori_shmem_find - the PE of this process with a given rank
 *
 * Searches the job of the thread's PE; in a thread without a PE, the only job of
 * the process.
 *
 * Return: the PE; NULL with last_error if it is in another process or does not exist.
 */
MORI_SHMEM_EXPORT mori_shmem_t *mori_shmem_find(int rank);

/** mori_shmem_device_of - Return: the device number of PE @rank (0 on the CPU); MORI_SHMEM_E* */
MORI_SHMEM_EXPORT int mori_shmem_device_of(int rank);

/** mori_shmem_device_name - Return: "cpu", "cuda" or "hip" for this PE; NULL with last_error */
MORI_SHMEM_EXPORT const char *mori_shmem_device_name(void);

/**
 * mori_shmem_malloc - symmetric memory; collective
 * @size: bytes, the same on every PE; 0 returns NULL and is not an error
 * Return: the address of the block in this PE's heap, aligned to 256 bytes; NULL with
 * last_error if the heap is exhausted, the sizes differ (every PE gets the same error), or a PE
 * was lost.
 */
MORI_SHMEM_EXPORT void *mori_shmem_malloc(size_t size);
/** mori_shmem_malloc_align - like malloc, at a multiple of @alignment (a power of two). */
MORI_SHMEM_EXPORT void *mori_shmem_malloc_align(size_t alignment, size_t size);
/** mori_shmem_calloc - like malloc of @n * @size bytes, zero on every PE when it returns. */
MORI_SHMEM_EXPORT void *mori_shmem_calloc(size_t n, size_t size);
/** mori_shmem_ext_malloc_with_flags - like malloc; @flags: MORI_SHMEM_MALLOC_*. */
MORI_SHMEM_EXPORT void *mori_shmem_ext_malloc_with_flags(size_t size, unsigned flags);
/**
 * mori_shmem_free - release a block; collective, waits until every PE has called it
 * @ptr: what malloc returned; NULL does nothing, but is collective too
 * Return: 0; MORI_SHMEM_EINVAL if @ptr is not the start of a block in use: already freed, from
 * elsewhere, or inside a block; MORI_SHMEM_EMISMATCH if the PEs name different blocks.
 * Nothing is freed on an error.
 */
MORI_SHMEM_EXPORT int mori_shmem_free(void *ptr);
/**
 * mori_shmem_heap_info - how much of the heap is used; local
 * @info: filled; its struct_size is set by the caller
 * Return: 0; MORI_SHMEM_EINVAL for NULL or an unset struct_size; MORI_SHMEM_ESTATE.
 */
MORI_SHMEM_EXPORT int mori_shmem_heap_info(mori_shmem_heap_info_t *info);

/** mori_shmem_hold_t - a hold on the memory of a job; opaque */
typedef struct mori_shmem_hold mori_shmem_hold_t;
/**
 * mori_shmem_heap_hold - keep memory of a heap readable past finalize
 * @ptr:  in this PE's heap or, as returned by mori_shmem_ptr(), in another PE's
 * @size: bytes from there on
 * @hold: to be passed to mori_shmem_heap_release(), by any thread at any time
 *
 * For code that hands out views of symmetric memory that may outlive the job. After finalize it is
 * ordinary memory, but nothing prevents other PEs from writing to it as long as they exist.
 *
 * Return: 0; MORI_SHMEM_EINVAL if the range is not in a heap that load and store reach from here,
 * or @hold is NULL; MORI_SHMEM_ESTATE if there is no PE.
 */
MORI_SHMEM_EXPORT int mori_shmem_heap_hold(const void *ptr, size_t size, mori_shmem_hold_t **hold);
/** mori_shmem_heap_release - end a hold; NULL does nothing. */
MORI_SHMEM_EXPORT void mori_shmem_heap_release(mori_shmem_hold_t *hold);

/** struct mori_shmem_team_config - reserved: there is nothing to configure yet */
typedef struct mori_shmem_team_config {
	size_t struct_size; /**< sizeof(mori_shmem_team_config_t), set by the caller */
} mori_shmem_team_config_t;

/**
 * mori_shmem_team_split_strided - make a team of every @stride-th PE; all PEs of @parent call it
 * @start:    the first, by its number in @parent
 * @size:     how many
 * @config, @config_mask: NULL and 0
 * @new_team: the team; MORI_SHMEM_TEAM_INVALID on PEs that are not in it
 *
 * Like mori_shmem_malloc(), the calls that make and end teams are made by one thread of a PE at a
 * time, and in the same order on all PEs. A PE can be in 13 teams beside those of every job.
 *
 * Return: 0; MORI_SHMEM_EINVAL for a team that is none and for members that @parent does not have;
 * MORI_SHMEM_EMISMATCH if the PEs call with different arguments; MORI_SHMEM_ENOMEM if one of them
 * is in too many teams; MORI_SHMEM_EPEER, MORI_SHMEM_ETIMEDOUT.
 */
MORI_SHMEM_EXPORT int mori_shmem_team_split_strided(mori_shmem_team_t parent, int start, int stride,
						    int size,
						    const mori_shmem_team_config_t *config,
						    long config_mask, mori_shmem_team_t *new_team);
/**
 * mori_shmem_team_split_2d - make the teams of rows and columns; all PEs of @parent call it
 * @xrange:     PEs of a row; the last one may be shorter
 * @xaxis_team: the PEs in this PE's row
 * @yaxis_team: the PEs in its column
 * Return: as mori_shmem_team_split_strided().
 */
MORI_SHMEM_EXPORT int mori_shmem_team_split_2d(mori_shmem_team_t parent, int xrange,
					       const mori_shmem_team_config_t *xaxis_config,
					       long xaxis_mask, mori_shmem_team_t *xaxis_team,
					       const mori_shmem_team_config_t *yaxis_config,
					       long yaxis_mask, mori_shmem_team_t *yaxis_team);
/**
 * mori_shmem_team_split_list - make a team of the PEs in a list; all PEs of @parent call it
 * @pes: their numbers in @parent, in the order that the team has; @n of them, each once
 * Return: as mori_shmem_team_split_strided().
 */
MORI_SHMEM_EXPORT int mori_shmem_team_split_list(mori_shmem_team_t parent, const int *pes, int n,
						 mori_shmem_team_t *new_team);
/**
 * mori_shmem_team_destroy - end a team; all its PEs call it
 * @team: one that a split made; MORI_SHMEM_TEAM_INVALID does nothing
 * Return: 0; MORI_SHMEM_EINVAL for a team of every job, or none; MORI_SHMEM_EPEER and others.
 */
MORI_SHMEM_EXPORT int mori_shmem_team_destroy(mori_shmem_team_t team);

/**
 * mori_shmem_buffer_register - make memory usable as source or destination on every path; local
 * Return: 0; MORI_SHMEM_EINVAL for NULL, 0 bytes, a range that wraps or overlaps another buffer.
 */
MORI_SHMEM_EXPORT int mori_shmem_buffer_register(void *ptr, size_t size);
/**
 * mori_shmem_buffer_deregister - end a registration; local
 * Return: 0; MORI_SHMEM_ENOENT if no buffer with this address and size is registered.
 */
MORI_SHMEM_EXPORT int mori_shmem_buffer_deregister(void *ptr, size_t size);
/**
 * mori_shmem_symmetric_register - make existing memory a window that peers can address; collective
 * @ptr:  this PE's memory; addresses may differ between PEs
 * @size: bytes, the same on every PE
 *
 * Peers on the same node load and store it if it lies in a symmetric heap, if all PEs are in this
 * process, or if it is a shared mapping of a file whose descriptor is open or whose path
 * exists. Otherwise, and on other nodes, it is served over the network.
 *
 * Return: 0; MORI_SHMEM_EINVAL; MORI_SHMEM_EMISMATCH; MORI_SHMEM_ENOTSUP if only a queue would
 * reach it from a PE that has loaded kernels without queues (mori cc --p2p); the error of a PE
 * that cannot map or serve it (every PE gets the same error, which names that PE).
 */
MORI_SHMEM_EXPORT int mori_shmem_symmetric_register(void *ptr, size_t size);
/**
 * mori_shmem_symmetric_deregister - collective
 * Return: 0; MORI_SHMEM_ENOENT; MORI_SHMEM_EMISMATCH; MORI_SHMEM_EIO if a device failed: the
 * memory then remains a window on every PE.
 */
MORI_SHMEM_EXPORT int mori_shmem_symmetric_deregister(void *ptr, size_t size);
/**
 * mori_shmem_query_memobj - describe the memory that holds @ptr, for the object forms
 * Return: 0; MORI_SHMEM_ENOENT if the library knows no such memory.
 */
MORI_SHMEM_EXPORT int mori_shmem_query_memobj(const void *ptr, mori_shmem_memobj_t *obj);

/**
 * mori_shmem_barrier_all - complete what this PE's host threads issued, then wait for all PEs
 * Return: 0; MORI_SHMEM_EPEER, MORI_SHMEM_ETIMEDOUT (the text names who is missing),
 * MORI_SHMEM_EMISMATCH if another PE is in a different collective call; MORI_SHMEM_ESTATE.
 */
MORI_SHMEM_EXPORT int mori_shmem_barrier_all(void);
/** mori_shmem_sync_all - wait for all PEs; completes nothing. Return: as barrier_all. */
MORI_SHMEM_EXPORT int mori_shmem_sync_all(void);

/*
 * The same operations in the order of a device's stream. The CPU has no streams:
 * @stream must be NULL there, and the call takes effect immediately.
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
MORI_SHMEM_EXPORT int mori_shmem_int32_wait_until_on_stream(int32_t *addr, int cmp, int32_t value,
							    void *stream);
MORI_SHMEM_EXPORT int mori_shmem_uint32_wait_until_on_stream(uint32_t *addr, int cmp,
							     uint32_t value, void *stream);
MORI_SHMEM_EXPORT int mori_shmem_int64_wait_until_on_stream(int64_t *addr, int cmp, int64_t value,
							    void *stream);
MORI_SHMEM_EXPORT int mori_shmem_uint64_wait_until_on_stream(uint64_t *addr, int cmp,
							     uint64_t value, void *stream);

/**
 * mori_shmem_module_load - load kernels for this PE
 * @image: what `mori cc` wrote for the PE's device, in memory; not needed afterwards
 * @size:  its bytes
 *
 * Each load has its own variables, even of the same image. Modules still loaded when
 * the PE finalizes are unloaded then; their handles stay valid for module_unload.
 *
 * Return: 0; MORI_SHMEM_EINVAL for NULL or an image that is not for this device;
 * MORI_SHMEM_ENOENT if it does not use the library; MORI_SHMEM_EABI if it was made for
 * another version (the text names both); MORI_SHMEM_ENOTSUP if it was compiled without queues
 * (mori cc --p2p) and some memory of a peer can be reached only by a queue; MORI_SHMEM_ENOMEM;
 * MORI_SHMEM_EIO; MORI_SHMEM_ESTATE.
 */
MORI_SHMEM_EXPORT int mori_shmem_module_load(const void *image, size_t size,
					     mori_shmem_module_t **module);
/**
 * mori_shmem_module_unload - free a module; NULL does nothing
 *
 * Waits for launches of it in other threads.
 *
 * Return: 0; MORI_SHMEM_EINVAL if it is not a module or was unloaded; MORI_SHMEM_ETIMEDOUT
 * if a launch does not end; MORI_SHMEM_ESTATE inside a kernel.
 */
MORI_SHMEM_EXPORT int mori_shmem_module_unload(mori_shmem_module_t *module);
/**
 * mori_shmem_module_init - let the kernels of a module act for this thread's PE
 * @module: a module that was loaded through the device's own API (CUmodule, hipModule_t; on the
 *          CPU a handle from dlopen()), or by mori_shmem_module_load()
 *
 * mori_shmem_module_load() does this itself. The library is not notified when a module loaded
 * through the device's own API is unloaded: one without queues counts for
 * mori_shmem_symmetric_register() until its PE finalizes.
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
	MORI_SHMEM_PARAM_UNKNOWN = 4, /**< the device reports only its size */
};

/** struct mori_shmem_param - a parameter of a kernel */
typedef struct mori_shmem_param {
	size_t struct_size; /**< sizeof(mori_shmem_param_t), set by the caller in params[0] */
	uint32_t kind;	    /**< enum mori_shmem_param_kind */
	uint32_t size;	    /**< bytes at args[i] */
} mori_shmem_param_t;

/**
 * mori_shmem_module_kernel - the name of a kernel of a module
 * @index: 0 and up, in no particular order
 * @name:  valid as long as the module is loaded
 *
 * Return: 0; MORI_SHMEM_ENOENT if @index is not less than the number of kernels;
 * MORI_SHMEM_EINVAL; MORI_SHMEM_ENOTSUP if the device does not report them; MORI_SHMEM_ESTATE.
 */
MORI_SHMEM_EXPORT int mori_shmem_module_kernel(mori_shmem_module_t *module, size_t index,
					       const char **name);
/**
 * mori_shmem_kernel_params - the parameters of a kernel
 * @params: filled with the first @room of them; may be NULL if @room is 0. The caller sets the
 *          struct_size of params[0], which is the distance from each element to the next
 *
 * Return: the number of parameters; MORI_SHMEM_ENOENT if there is no such kernel;
 * MORI_SHMEM_EINVAL, also for an unset struct_size; MORI_SHMEM_ENOMEM;
 * MORI_SHMEM_ENOTSUP if the device does not report them; MORI_SHMEM_ESTATE.
 */
MORI_SHMEM_EXPORT int mori_shmem_kernel_params(mori_shmem_module_t *module, const char *name,
					       mori_shmem_param_t *params, size_t room);
/**
 * mori_shmem_kernel_launch - run a kernel
 * @name:   of the function marked MORI_KERNEL
 * @grid:   blocks in x, y and z
 * @block:  threads per block in x, y and z; at most 1024 in all
 * @shared: bytes of block memory for kernels that leave its size open; C kernels do not
 * @args:   args[i] points to the i-th argument; NULL for a kernel without arguments
 * @stream: of the device; NULL on the CPU
 *
 * It acts for the PE that loaded the module, whichever thread calls. On the CPU it
 * returns when the grid has ended. A waiting thread lets the others run, so blocks
 * may wait for each other and for other PEs. If all threads do nothing but wait for longer than
 * MORI_SHMEM_TIMEOUT, the launch ends and the log reports which thread waits for what. Such an
 * end, or a fault of the kernel, also sets the sticky status; until mori_shmem_check() clears it,
 * launches of this PE return it again.
 *
 * Return: 0; MORI_SHMEM_ENOENT if there is no such kernel; MORI_SHMEM_EINVAL for sizes that are 0
 * or too large, missing arguments, or a stream on the CPU; MORI_SHMEM_EFAULT for a bad address,
 * a stack overflow or a division by zero (the text names block and thread);
 * MORI_SHMEM_ETIMEDOUT; MORI_SHMEM_ENOMEM; MORI_SHMEM_ESTATE after finalize.
 */
MORI_SHMEM_EXPORT int mori_shmem_kernel_launch(mori_shmem_module_t *module, const char *name,
					       const unsigned grid[3], const unsigned block[3],
					       size_t shared, void **args, void *stream);

/**
 * mori_shmem_check - read and clear the sticky status of this PE
 * @fault: filled with the first fault since the last check; may be NULL. The caller sets its
 *         struct_size
 *
 * Calls that return a value cannot return a status: they record it here, and so does every call
 * in a kernel. mori_shmem_last_error() then describes the first and counts the others. A failure
 * that nobody has checked, by this call or by mori_shmem_status(), is written to standard error by
 * the next mori_shmem_barrier_all(), mori_shmem_kernel_launch() that waits,
 * mori_shmem_module_unload() or mori_shmem_finalize().
 *
 * Return: 0 if there was no fault; its code; MORI_SHMEM_ESTATE if there is no PE; MORI_SHMEM_EINVAL
 * for an unset struct_size, which leaves the status unchanged.
 */
MORI_SHMEM_EXPORT int mori_shmem_check(mori_shmem_fault_t *fault);

/**
 * mori_shmem_tell - report unchecked failures now, as the next mori_shmem_barrier_all() would
 *
 * For a program that makes no such call for a long time. Local; it waits for no kernel, and costs
 * a load or two if there is nothing to report or no PE.
 *
 * Return: 0; with MORI_SHMEM_STRICT=1 the status of the first failure that it has reported.
 */
MORI_SHMEM_EXPORT int mori_shmem_tell(void);

/**
 * mori_shmem_leave_fault - record a fault for mori_shmem_check(), as a kernel does
 * @fault: what failed: its code, operation, PE, address, block and thread; with struct_size
 *
 * For code that runs kernels by host calls, such as an interpreter: the kernel got the status, and
 * the program may not learn of it otherwise. An earlier fault stays the first. Local.
 *
 * Return: 0; MORI_SHMEM_EINVAL for NULL, an unset struct_size or a code that is not a failure;
 * MORI_SHMEM_ESTATE.
 */
MORI_SHMEM_EXPORT int mori_shmem_leave_fault(const mori_shmem_fault_t *fault);

/**
 * mori_shmem_device_state - the address of the PE's state, for the ctx forms
 * Return: 0; MORI_SHMEM_E*
 */
MORI_SHMEM_EXPORT int mori_shmem_device_state(uint64_t *ctx);

/** A fact from mori_shmem_info(): @note gives the reason, if there is one. */
typedef void (*mori_shmem_info_fn)(void *arg, const char *section, const char *key,
				   const char *value, const char *note);
/**
 * mori_shmem_info - facts about this library and what it found on this machine; needs no job
 * @row: called once per fact, in a fixed order; sections "library", "device", "heap",
 *       "transport", "dependency" and "env"
 * Return: 0; MORI_SHMEM_EINVAL for NULL. A malformed variable is a row, not an error.
 */
MORI_SHMEM_EXPORT int mori_shmem_info(mori_shmem_info_fn row, void *arg);

#ifdef __cplusplus
}
#endif
#endif
