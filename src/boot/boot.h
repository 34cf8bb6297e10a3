// SPDX-License-Identifier: MIT
/*
 * Which PEs are in the job. A rendezvous (rdv) listens in one process; the PEs of each process join
 * it through one connection per process and receive the table of all PEs. The connection stays open
 * while the job lives: it carries the collectives below and notifies every process when another is
 * lost.
 *
 * Every call that can fail returns 0 or a MORI_SHMEM_E* and sets its text by err_set(). Nothing
 * here waits longer than its time-out.
 */
#ifndef MORI_BOOT_BOOT_H
#define MORI_BOOT_BOOT_H

#include <mori/shmem_types.h>

#define BOOT_UID_BYTES 128

/* The options that boot needs; strings may be NULL and are copied. */
struct boot_config {
	const char *ifname;  /* MORI_SOCKET_IFNAME: interface, or prefix, as in "eth0" */
	const char *node_id; /* MORI_NODE_ID: replaces what node_identity() finds */
	double timeout_s;    /* MORI_BOOTSTRAP_TIMEOUT */
	double report_s;     /* MORI_SHMEM_WAIT_REPORT; 0: init says nothing while it lasts */
	/* Of `mori run`; NULL or -1 where the variable is unset. */
	const char *unique_id;
	int rank, world_size, threads;
};

/* How mori_shmem_init() finds its job. */
enum boot_way { BOOT_ALONE, BOOT_MORI_RUN, BOOT_PMIX, BOOT_PMI, BOOT_TORCHRUN, BOOT_SLURM };

struct boot_job {
	enum boot_way way;
	int rank;    /* of the first PE of this process */
	int nranks;  /* in the job */
	int threads; /* PEs that this process hosts: ranks rank .. rank + threads - 1 */
	unsigned char uid[BOOT_UID_BYTES]; /* all zero for BOOT_ALONE */
};

/*
 * Finds the job by the environment and obtains the 128 bytes: from `mori run` (MORI_UNIQUE_ID and
 * the variables beside it), PMIx, PMI, torchrun or srun; else the process is alone. It is an error
 * if a launcher claims several processes and none of these ways works. Except for `mori run` one of
 * the processes opens the rendezvous here; it closes when boot_join() with its id fails, or at the
 * boot_leave() that follows. Call it once per init.
 */
int boot_find(const struct boot_config *config, struct boot_job *job);

/* Opens a rendezvous in this process; it listens when this returns. */
int boot_open_rdv(const struct boot_config *config, unsigned char uid[BOOT_UID_BYTES]);

/*
 * Closes a rendezvous of this process and joins its thread, once its connections have said goodbye,
 * or after some seconds. Does nothing if the id belongs to another process. Only needed after
 * boot_open_rdv() without boot_join(): the last boot_leave() of a world does it itself.
 */
void boot_close_rdv(const unsigned char uid[BOOT_UID_BYTES]);

struct boot; /* this process in one world; shared by its PEs */

/* What is known of each PE once all have joined. */
struct boot_peer {
	int node; /* 0 .. n_nodes - 1, in the order of their lowest rank */
	int proc; /* 0 .. n_procs - 1, in the order of their lowest rank */
	int pid;  /* in that process's own PID namespace */
	char host[64];
	const void *blob; /* from its boot_join(); aligned for any type */
};

/*
 * Joins as PE @rank with @blob (the same @blob_len on every PE), and waits until all @nranks have
 * joined. PEs of one process that join with one uid share *out; each must call boot_leave() itself.
 * Returns ETIMEDOUT naming the missing ranks, EMISMATCH for a rank claimed twice or for different
 * nranks (naming the PEs), EPEER if a process ended while the world formed, EREACH if no listener
 * knows the secret (stale or foreign id), EINVAL for bytes that are not an id, EABI for another
 * version of the id or of the protocol, ENOMEM, EIO.
 */
int boot_join(const struct boot_config *config, const unsigned char uid[BOOT_UID_BYTES], int rank,
	      int nranks, const void *blob, size_t blob_len, struct boot **out);

/* A world of one PE: no rendezvous, no socket, no thread. */
int boot_alone(const void *blob, size_t blob_len, struct boot **out);

int boot_n_pes(const struct boot *b);
int boot_n_procs(const struct boot *b);
int boot_n_nodes(const struct boot *b);
int boot_my_proc(const struct boot *b);
const struct boot_peer *boot_peer(const struct boot *b, int rank);
/* A secret of the job, for names and greetings. 16 bytes. */
const unsigned char *boot_secret(const struct boot *b);

/*
 * Collectives over all PEs of the world through the rendezvous; each PE calls with its own @rank,
 * in the same order everywhere. They end with EPEER when a process is lost, and with ETIMEDOUT
 * after @timeout_s, naming the PEs that did not call.
 *
 * allgather: @out gets nranks * len bytes, by rank. agree: every PE returns the same status: 0 if
 * all passed 0, else the code and text (err_set) of the lowest rank that failed, with its rank
 * named; @text is this PE's.
 */
int boot_allgather(struct boot *b, int rank, const void *in, size_t len, void *out,
		   double timeout_s);
int boot_barrier(struct boot *b, int rank, double timeout_s);
int boot_agree(struct boot *b, int rank, int status, const char *text, double timeout_s);

/*
 * File descriptors between processes of one node, by process index. @tag distinguishes messages.
 * send duplicates the descriptors (the caller keeps its own); at most 250 per message. recv waits
 * for a message with that sender and tag, in any order of arrival, and returns close-on-exec
 * descriptors that the caller owns. A sender that has none to send says so through the rendezvous:
 * recv then returns @status with that process's err_text(). send does so by itself when it fails.
 */
int boot_send_fds(struct boot *b, int to_proc, uint32_t tag, const int *fds, int n);
void boot_send_no_fds(struct boot *b, int to_proc, uint32_t tag, int status);
int boot_recv_fds(struct boot *b, int from_proc, uint32_t tag, int *fds, int n, double timeout_s);

/*
 * Liveness: @lost is called once per lost process, from boot's own thread, with the text that names
 * its PEs ("PE 2 (process 4711 on host a) was lost"). Set it before the first collective; for
 * earlier losses the caller's thread calls it at once. boot_lost() is 1 for the PEs of that process
 * from then on. @proc is -1 if the rendezvous was lost and no PE with it (a launcher): further
 * losses could not be reported, so the world counts as broken. Each PE of the process may set its
 * own function; NULL with the same @arg removes it, and when that returns no call is running. @lost
 * must not call boot_watch() or boot_leave().
 */
typedef void (*boot_lost_fn)(void *arg, int proc, const char *text);
void boot_watch(struct boot *b, boot_lost_fn lost, void *arg);
int boot_lost(const struct boot *b, int rank);

/*
 * Waits that may never end. A process in which no PE can go on unless another does says so, and the
 * rendezvous finds out whether that holds for all. It asks every process twice, half a second
 * apart, whether nothing has changed: then no PE can ever go on.
 */
enum boot_what {
	/* To the rendezvous. */
	BOOT_STILL = 1, /* @text: the ranks in finalize, a line break, then a line for each wait */
	BOOT_CONFIRMED, /* to BOOT_CONFIRM, with its number; a flag says whether it is still so */
	BOOT_ANSWER,	/* to BOOT_ASK, with its number; @text: a line for each wait or PE */
	/* To the processes. */
	BOOT_CONFIRM, /* number, and a flag: the first or the second time */
	BOOT_STUCK,   /* it holds for all; @text: who is in finalize or has left */
	BOOT_ASK,     /* number: who waits for what? The launcher wants to know */
};
enum boot_flag {
	BOOT_WAITS = 1,	    /* some PE waits for another, outside of collective calls */
	BOOT_FINALIZES = 2, /* some PE is in finalize */
	BOOT_KERNELS = 4,   /* all PEs that wait so do it in kernels */
	BOOT_YES = 8,
	BOOT_AGAIN = 16,     /* of BOOT_CONFIRM: the second time */
	BOOT_SOME_GONE = 32, /* of BOOT_STUCK: other PEs have left or are in finalize */
};

/* @text may be NULL. */
int boot_say(struct boot *b, enum boot_what what, unsigned flags, uint64_t number,
	     const char *text);
/* @hear is called from boot's own thread; set once, before the first wait. NULL removes it. */
typedef void (*boot_hear_fn)(void *arg, enum boot_what what, unsigned flags, uint64_t number,
			     const char *text);
void boot_listen(struct boot *b, boot_hear_fn hear, void *arg);

/*
 * Ends the job: the watchers of every process, this one first, are called with @text and process
 * -1, and every collective of boot fails with @text.
 */
void boot_abort(struct boot *b, const char *text);

/* This PE leaves. The last PE of the process closes the connection and stops the thread. */
void boot_leave(struct boot *b, int rank);

/*
 * In the child of a fork: closes all sockets, stops and frees nothing. The parent's peers must see
 * the end of the parent even while the child lives.
 */
void boot_after_fork(void);

#endif
