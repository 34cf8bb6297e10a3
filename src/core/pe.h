// SPDX-License-Identifier: MIT
/*
 * A PE, and the world it lives in. Everything a PE owns is reached from struct pe, and what the PEs
 * of one process share in one world from struct world.
 */
#ifndef MORI_CORE_PE_H
#define MORI_CORE_PE_H

#include "abi/state.h"
#include "accel/accel.h"
#include "boot/boot.h"
#include "core/alloc.h"
#include "core/coll.h"
#include "core/options.h"
#include "core/waits.h"
#include "core/windows.h"
#include "util/backoff.h"
#include "util/lock.h"

#include <mori/shmem.h>
#include <pthread.h>
#include <stdbool.h>

struct queues;
struct registry_call;
struct rdma;
struct softnic;
struct net;

enum world_stage { WORLD_NEW, WORLD_OPENING, WORLD_OPEN, WORLD_FAILED };

struct segment;

/* The mapping of a node's heaps; it may outlive its world while somebody holds a reference. */
struct world_map {
	const struct accel_mem *mem; /* NULL: it is host memory */
	void *base;
	uint64_t len;
	int refs;		  /* atomic */
	struct segment *segments; /* of heaps in device memory, all that is mapped; world->lock */
};

/* Heaps in device memory, as this process sees them; owned by segments.c. */
struct heap_segments {
	int leader;	   /* the lowest rank of this process, which imports what others send */
	int *devs, n_devs; /* the devices of this process's PEs */
	bool fabric;	   /* segments are shared by handles of the fabric, else by descriptors */
	uint64_t *bases;   /* [n_node] where heaps could not be mapped at a stride; else NULL */
};

struct world {
	struct world *next; /* the worlds of this process; world.c locks it */
	struct boot *boot;
	int refs;	      /* PEs of this process that are in it */
	pthread_mutex_t lock; /* of what follows, down to lost_text */
	pthread_cond_t moved; /* stage has changed */
	enum world_stage stage;
	int status; /* why it failed, and in words */
	char text[512];
	struct pe *members; /* by pe->sibling */
	uint32_t n_lost;
	char lost_text[512]; /* about all PEs that were lost, as far as it fits */
	int n_pes, n_node;   /* in the job; on this node */
	bool crowded;	     /* the node has more PEs than cores */
	int *node_ranks;     /* [n_node] */
	int n_nodes, my_node;
	int *leaders;		  /* [n_nodes] the first PE of each */
	struct waits waits;	  /* of the PEs of this process */
	uint32_t notices;	  /* words on their way to other nodes; coll_nodes.c */
	int32_t *slot;		  /* [n_pes] place in node_ranks, -1 on another node */
	uint32_t *gone;		  /* [n_pes] 1: lost; operations read it */
	struct coll_block *block; /* of the barriers of this node */
	size_t block_len;
	void *window;	       /* the heaps of this node, stride apart */
	struct world_map *map; /* of the window */
	uint64_t window_len, stride;
	uint64_t align;	   /* of the window and of the stride */
	uint64_t sync_off; /* in the block: flags of kernels' barriers, and teams; [n_node] */
	uint64_t sync_len; /* of each; with device memory they lie behind each heap */
	struct heap_segments segments;
	struct net *net;     /* to memory that load and store do not reach; NULL: none; remote.c */
	struct softnic *nic; /* behind the queues of kernels; NULL: none yet; queue.c */
	struct accel net_accel; /* for copies of that; not open: the CPU */
};

/* What every PE sends to the others when it joins; all but the last fields must be equal. */
struct pe_blob {
	uint32_t abi, mode;
	uint64_t heap_size, chunk_size;
	uint32_t share;
	char device[16];
	/* These may differ. */
	uint32_t copy;	 /* copy engines are requested */
	uint32_t no_p2p; /* this PE does without load and store */
	uint32_t nic;	 /* whether it has a real NIC; rdma.h */
	uint32_t num_qp; /* queues to each PE */
	int32_t device_number;
	unsigned char device_id[16];
	uint64_t device_free; /* bytes; 0: no limit that is known */
	uint64_t device_granule;
	uint32_t fabric;     /* its memory can be shared by handles of the fabric */
	uint32_t by_handles; /* static heaps are better shared by handles of whole allocations */
	uint32_t seen, amo;  /* devices that it sees; whether all of them are atomic with its own */
};

struct heap {
	struct lock lock; /* of the books, for threads that only read; changes need coll_lock too */
	struct alloc *books;
	uint64_t max;		      /* bytes there can be */
	uint64_t chunk;		      /* vmm: grows by this; else 0 */
	uint64_t align_max;	      /* what the address of the heap is a multiple of */
	char *base;		      /* this PE's share of the window */
	struct dev_granule *granules; /* isolation: see struct dev_state */
	uint32_t last_owner;
	unsigned granule; /* isolation: log2 of the least block */
	uint64_t served;  /* bytes that peers reach over the network */
};

struct reg_buffer {
	struct reg_buffer *next;
	uint64_t addr, len;
	bool pinned;	/* by us */
	uint32_t local; /* its region of the network; 0: none */
};

struct window;

struct reg {
	pthread_mutex_t lock;
	struct reg_buffer *buffers;
	struct window *windows;
	struct windows order; /* behind the index of the state */
	int last_fd;	      /* of the last that is a file */
	uint64_t next_window; /* the id of the next; the same on all PEs */
	uint32_t next_local;
	unsigned apart; /* windows that only a queue reaches on some PE; p2p_only.c locks it */
	int apart_pe;	/* that PE, of the last of these */
};

/* A launch that a fault ended, until mori_shmem_check(); owned by module.c. */
struct kernel_fault {
	int code; /* 0: none */
	char kernel[48];
	char text[512];
};

/* What has failed, as far as the host has gathered it; owned by faults.c. */
struct faults {
	pthread_mutex_t lock;
	struct dev_news *news;	 /* where kernels and the host report that there is something */
	uint32_t count;		 /* of pe->state->fault.count */
	uint32_t device_count;	 /* the same of the device's copy */
	uint32_t looked;	 /* of what is not gathered yet; atomic */
	uint32_t total;		 /* since the last mori_shmem_check() */
	struct dev_record first; /* of these; mark 0: none */
	char why[400];		 /* what is on the device could not be read; "": all was */
};

/* What kernels see of a PE with device memory; owned by mirror.c. */
struct mirror {
	void *block; /* the state and its tables; NULL: none */
	uint64_t len;
	uint64_t sync_slot, gone, records; /* where in it */
	void *granules;
	struct mirror_index *indexes; /* the first is the one in use */
	struct dev_news *news;	      /* a page of the host that kernels can store to */
	bool polled;		      /* they cannot: the host polls a word behind the records */
};

struct pe {
	struct pe *next;    /* the PEs of this process; registry.c locks it */
	struct pe *sibling; /* the members of its world */
	uint64_t id;	    /* never used again in this process */
	unsigned calls;	    /* counted ones under way; registry.c locks it */
	struct boot *boot;
	struct world *world;
	struct accel accel;
	struct options options;
	int rank;
	bool reserved;				       /* made by mori_shmem_init() */
	int reserved_rank;			       /* what registry_reserve() gave */
	unsigned char uid[MORI_SHMEM_UNIQUE_ID_BYTES]; /* it was made with */
	struct dev_state *state;		       /* as the host's operations use it */
	uint64_t ctx; /* its address for kernels: the same, or its copy on the device */
	struct mirror mirror;
	bool device_counted; /* counted by device_mem_count() */
	bool state_known;    /* kernels may have it: it outlives the PE */
	bool loss_awaited;   /* in vain: the network fails, and no PE is lost; atomic */
	int32_t *reach;	     /* [n_pes] without P2P: the slots it may use; else NULL */
	struct heap heap;
	struct reg reg;
	struct {
		uint32_t used; /* slots; under coll_lock */
	} teams;
	struct lock coll_lock; /* one collective at a time */
	bool finalized;	       /* under coll_lock: there is none any more */
	uint32_t coll_epoch;   /* barriers so far */
	unsigned n_threads;    /* that have acted for it, ever; atomic; registry.c */
	struct backoff_learned learned[BACKOFF_KINDS];
	struct kernel_fault kernel_fault;
	struct faults faults;
	struct queues *queues;	     /* queues.c; NULL: none */
	struct rdma *rdma;	     /* a real NIC behind them; NULL: none */
	struct coll_record *records; /* world of several nodes: what allgather gave */
};

/* pe.c */
/* Whether there are more PEs than cores. */
bool pe_crowded(int n_node);
/* Takes over what @options holds; @uid NULL: a job of one PE. Collective. */
int pe_open(struct options *options, const unsigned char *uid, int rank, int nranks,
	    struct pe **out);
/*
 * Collective; ends @call and frees the PE whatever it returns, unless another thread does: ESTATE.
 */
int pe_close(struct pe *pe, struct registry_call *call);

/* Takes coll_lock; ESTATE and a text if another thread has finalized the PE. */
int pe_coll_begin(struct pe *pe);
static inline void pe_coll_end(struct pe *pe)
{
	lock_give(&pe->coll_lock);
}

/* Every PE gets the same: 0, or what the first that failed reports. Collective, through boot. */
int pe_agree(struct pe *pe, int err);

static inline const struct pe_blob *pe_blob_of(const struct boot *boot, int rank)
{
	return boot_peer(boot, rank)->blob;
}

static inline bool pe_wants_cache(const struct pe *pe)
{
	return pe->options.heap_type == OPTION_HEAP_NORMAL;
}

static inline bool pe_other_process(const struct pe *pe, int rank)
{
	return boot_peer(pe->boot, rank)->proc != boot_my_proc(pe->boot);
}

/* From and to memory of the PE's device, and of the host. */
static inline int pe_copy(const struct pe *pe, void *dst, const void *src, uint64_t len)
{
	return pe->accel.mem->copy(pe->accel.dev, dst, src, len);
}

/* Whether @ptr is in memory of the PE's device. */
static inline bool pe_device_holds(const struct pe *pe, const void *ptr)
{
	return pe->accel.mem && pe->accel.mem->holds(pe->accel.dev, ptr);
}

/* Seconds a collective may take, for calls without a "no limit". */
static inline double pe_timeout_s(const struct pe *pe)
{
	return pe->options.timeout > 0 ? pe->options.timeout : 1e9;
}

/* world.c */
int world_enter(struct pe *pe, const struct pe_blob *blob);
/* Leaves boot too; also for a PE that never entered. */
void world_leave(struct pe *pe);
/* EPEER with the text about who was lost; 0 if nobody was. */
int world_lost(struct world *w);
/*
 * The network to another PE has failed: if that PE is gone, boot is about to say so. Waits for it,
 * once, so that the failure can be called by its name: EPEER with its text, or 0.
 */
int world_await_loss(struct pe *pe);
/* Where teams begin, behind the flags of kernels' barriers. */
uint64_t world_teams(const struct world *w);
/* A reference, and back; the last one unmaps. */
struct world_map *world_map_get(struct world *w);
void world_map_put(struct world_map *map);
/* Ends the job for all PEs: current and later waits fail and report that @pe did it and why. */
void world_abort(struct pe *pe, const char *why);

/* segments.c: heaps in device memory */
#define SEGMENTS_ALIGN ((uint64_t)2 << 20) /* of a heap that is one allocation */

static inline bool pe_device_mem(const struct pe *pe)
{
	return pe->accel.mem;
}

/* Opens this process's view of all heaps in device memory; one PE of it calls. */
int segments_enter(struct pe *pe, const struct pe_blob *blob);
void segments_leave(struct world_map *map);
/* Before anything is allocated: whether the devices have room for the heaps. */
int segments_room(const struct world *w, const struct pe_blob *blob);
/*
 * Collective: the flags and the first @len bytes of all heaps; @failed: the status so far, on this
 * PE.
 */
int segments_open(struct pe *pe, uint64_t len, int failed);
void segments_close(struct pe *pe);
/* Collective: [off, off + len) of all heaps, in segments of @each bytes; and the reverse. */
int segments_grow(struct pe *pe, uint64_t off, uint64_t len, uint64_t each);
void segments_shrink(struct pe *pe, uint64_t off, uint64_t len);

/* mirror.c */
int mirror_open(struct pe *pe);
void mirror_close(struct pe *pe); /* the block stays if kernels may know it */
/* Copies @field, a part of *pe->state, to the device. */
int mirror_field(struct pe *pe, const void *field, size_t len);
int mirror_granules(struct pe *pe, uint64_t from, uint64_t n);
void mirror_lost(struct pe *pe); /* under world->lock, from any thread */
/* What has failed in kernels, if there is a copy: the number so far, and the records. */
int mirror_records(struct pe *pe, uint32_t *count, struct dev_record *out);
void mirror_record_free(struct pe *pe, unsigned record);
/* Whether kernels that cannot store to the host have reported a failure. */
bool mirror_has_news(struct pe *pe);
/* The code of the first failure there; 0: none. */
int mirror_code(struct pe *pe, bool take);
void mirror_set_code(struct pe *pe);
/* A window on the device; if *@at is NULL it creates one, at the head of the list. */
int mirror_window(struct pe *pe, const struct dev_window *w, uint64_t len, void **at);
int mirror_index(struct pe *pe); /* the index of the windows, after that */

/* coll.c */
int coll_open(struct pe *pe);
void coll_close(struct pe *pe);

/* In the child of a fork: the parent's worlds are not the child's. */
void world_after_fork(void);

/* heap.c */
int heap_open(struct pe *pe, const struct pe_blob *blob);
void heap_close(struct pe *pe);
int heap_malloc(struct pe *pe, uint64_t size, uint64_t align, unsigned flags, void **out);
int heap_free(struct pe *pe, void *ptr);
void heap_info(struct pe *pe, mori_shmem_heap_info_t *out);

/* reg_buffer.c */
int reg_buffer_add(struct pe *pe, void *ptr, uint64_t size);
int reg_buffer_remove(struct pe *pe, void *ptr, uint64_t size);
void reg_buffers_close(struct pe *pe);

/* reg.c */
/* Whether these may be addresses of memory. */
static inline bool reg_range(const void *ptr, uint64_t size)
{
	uint64_t end;

	return ptr && size && !__builtin_add_overflow((uint64_t)(uintptr_t)ptr, size, &end);
}

int reg_window_add(struct pe *pe, void *ptr, uint64_t size);
int reg_window_remove(struct pe *pe, void *ptr, uint64_t size);
/* Whether load and store reach all windows on PE @rank. */
bool reg_all_mapped(struct pe *pe, int rank);
int reg_query(struct pe *pe, const void *ptr, mori_shmem_memobj_t *out);
void reg_close(struct pe *pe);

/* From now on a kernel may have the state; threads of several PEs may call this at once. */
static inline void pe_expose_state(struct pe *pe)
{
	__atomic_store_n(&pe->state_known, true, __ATOMIC_RELAXED);
}

#endif
