// SPDX-License-Identifier: MIT
/*
 * A work queue to one peer, as the host sets it up and many threads of a device
 * post to it: rings in memory that the device and the NIC can reach, and the
 * counters of the posters. The NIC behind it is a field, so one device library
 * serves all.
 *
 * Counters count slots (or completions) from the start and never go back; where a
 * NIC has fewer bits, a leaf in src/nic cuts them. A slot is the smallest part of
 * the ring that an entry takes.
 */
#ifndef MORI_ABI_WORKQ_H
#define MORI_ABI_WORKQ_H

#include <stdint.h>

/* The format of the entries and completions. */
enum nic_format {
	NIC_SOFT, /* this library's own */
	NIC_MLX5,
	NIC_BNXT,
	NIC_IONIC,
	NIC_FORMATS
};

enum nic_flags {
	NIC_RESULT_BE_4 = 1, /* fetched words of 4 bytes come back with the high byte first */
	NIC_RESULT_BE_8 = 2, /* those of 8 bytes */
	NIC_BNXT_MSN = 4,    /* bnxt: the NIC retransmits by a table of messages, 8 bytes each */
	NIC_IONIC_V1 = 8,    /* ionic: the first version of the format, not the second */
	NIC_NO_MASKED = 16,  /* mlx5: without masked atomics; others never have them */
};

#define NIC_BOUNCE 256u

/* Groups of counters are on cache lines of their own. */
struct nic_queue {
	/* Set by the host before the first post. */
	uint32_t format;    /* enum nic_format */
	uint32_t flags;	    /* enum nic_flags */
	uint32_t log_slots; /* of the ring; 15 at most */
	uint32_t log_cq;    /* of the completion ring, at least log_slots */
	uint32_t capacity;  /* slots in use at once, at most */
	uint32_t qpn, cqn;
	int32_t pe, qp;	       /* whose queue it is: the peer, and which of its queues */
	uint32_t index_by;     /* bnxt: what an entry adds to an index, 1 or its 16-byte units */
	uint32_t mtu;	       /* bnxt: bytes per packet */
	uint32_t result_slots; /* words for fetched values; the first takes unwanted ones */
	uint32_t results_key;  /* the key under which the NIC writes them */
	uint32_t lkey;	       /* of this PE's heap */
	uint32_t rkey;	       /* of the peer's */
	uint32_t log_psn;     /* bnxt: entries of the table psn; 0 until it is started: log_slots */
	uint64_t heap;	      /* the start of the peer's heap, as entries address it */
	uint64_t max_len;     /* most bytes per entry */
	uint64_t ring;	      /* the entries */
	uint64_t cq;	      /* the completions */
	uint64_t psn;	      /* bnxt: per entry, what its retransmission needs */
	uint64_t record;      /* mlx5: doorbell record of the ring */
	uint64_t cq_record;   /* mlx5: of the completion ring */
	uint64_t doorbell;    /* the register, or the word of memory that the soft NIC polls */
	uint64_t cq_doorbell; /* bnxt, ionic */
	uint64_t marks;	      /* uint64_t per slot: whether its entry is written */
	uint64_t result_values; /* uint64_t per result slot */
	uint64_t
		slot_owner; /* uint64_t per result slot: 0: free, 1: taken, else twice the slots waited for */
	uint64_t notify;     /* CPU: a function of the host to call after ringing; 0: none */
	uint64_t notify_arg; /* its argument */
	uint64_t regions;    /* a real NIC: the first struct nic_region; 0: keys do not matter */
	uint64_t
		bounce; /* a real NIC: NIC_BOUNCE bytes per result slot, for memory it cannot store to; else 0 */

	/* Changed by posters. */
	uint64_t taken __attribute__((aligned(64))); /* slots handed out */
	uint64_t pad_1[7];

	/* Changed by the thread that rings: one at a time, on behalf of all. */
	uint64_t ready;	   /* slots shown to the NIC */
	uint64_t rings;	   /* doorbells rung so far */
	uint32_t ringers;  /* requests to ring since the last ring began */
	uint32_t next_psn; /* bnxt */
	uint64_t bell;	   /* ionic: all of a doorbell but the index; set by the host */
	uint64_t pad_2[4];

	/* Changed by the thread that polls: one at a time. */
	uint64_t done;	   /* slots the NIC has finished */
	uint64_t seen;	   /* completions taken */
	uint32_t poller;   /* 1 while a thread polls */
	uint32_t syndrome; /* the NIC's code of the first error */
	uint64_t bad;	   /* the slot it was in */
	int32_t status;	   /* 0, or why the queue has failed: MORI_SHMEM_E* */
	uint32_t reserved_1;
	uint64_t cq_bell; /* ionic: as bell */
	uint64_t pad_3[2];
};

_Static_assert(sizeof(struct nic_queue) == 6 * 64, "no padding but what is written down");

/* The address of memory at another PE, as entries name it. */
struct nic_place {
	uint64_t addr;
	uint32_t key;
	uint32_t reserved;
};

/*
 * Memory of a PE that its NIC may reach, in a list that only grows; the first is the heap.
 * A removed region has len 0 and may be reused: len is written last and read first.
 */
struct nic_region {
	uint64_t base, len;
	uint64_t next; /* 0: the last */
	uint32_t lkey;
	uint32_t shared;	 /* 1: every PE has its own copy of it */
	struct nic_place peer[]; /* [n_pes], if shared */
};

#endif
