// SPDX-License-Identifier: MIT
/*
 * Who is in the job. A rendezvous (rdv) listens in one process; the PEs of every
 * process join it through one connection a process and are handed the table of
 * all PEs. The connection stays open while the job lives: it carries the
 * collectives below and tells every process when another is lost.
 *
 * Every call that can fail returns 0 or a MORI_SHMEM_E* and leaves its text by
 * err_set(). Nothing here waits longer than its time-out.
 */
#ifndef MORI_BOOT_BOOT_H
#define MORI_BOOT_BOOT_H

#include <mori/shmem_types.h>

#define BOOT_UID_BYTES 128

/* What boot needs to know of the options; strings may be NULL and are copied. */
struct boot_config {
	const char *ifname;  /* MORI_SOCKET_IFNAME: interface, or prefix, as in "eth0" */
	const char *node_id; /* MORI_NODE_ID: replaces what node_identity() finds */
	double timeout_s;    /* MORI_BOOTSTRAP_TIMEOUT */
};

/* How mori_shmem_init() finds its job. */
enum boot_way { BOOT_ALONE, BOOT_MORI_RUN, BOOT_PMIX, BOOT_TORCHRUN };

struct boot_job {
	enum boot_way way;
	int rank;    /* of the first PE of this process */
	int nranks;  /* in the job */
	int threads; /* PEs this process hosts: ranks rank .. rank + threads - 1 */
	unsigned char uid[BOOT_UID_BYTES]; /* all zero for BOOT_ALONE */
};

/*
 * Find the job by the environment, and meet far enough to share the 128 bytes:
 * `mori run` (MORI_UNIQUE_ID and friends), PMIx, torchrun, else alone. An error
 * where a launcher says there are several processes and none of these works.
 * For PMIx and torchrun rank 0 opens the rendezvous here; it closes when boot_join()
 * with its id fails, or at the boot_leave() that follows. Call it once an init.
 */
int boot_find(const struct boot_config *config, struct boot_job *job);

/* Open a rendezvous in this process; it listens when this returns. */
int boot_open_rdv(const struct boot_config *config, unsigned char uid[BOOT_UID_BYTES]);

/*
 * Close a rendezvous of this process and join its thread, once its connections
 * have said goodbye, or after some seconds. Nothing for an id of elsewhere. For
 * those who opened one and do not join it: the last boot_leave() of a world does it itself.
 */
void boot_close_rdv(const unsigned char uid[BOOT_UID_BYTES]);

struct boot; /* this process in one world; shared by its PEs */

/* What is known of each PE once all have joined. */
struct boot_peer {
	int node; /* 0 .. n_nodes - 1, in the order of their lowest rank */
	int proc; /* 0 .. n_procs - 1, in the order of their lowest rank */
	int pid;  /* as that process sees itself */
	char host[64];
	const void *blob; /* what it gave to boot_join(); aligned for any type */
};

/*
 * Join as PE @rank with @blob (the same @blob_len on every PE). Waits until all
 * @nranks have come. PEs of one process that join with one uid share *out; each
 * gets it with its own boot_leave() to make. Returns ETIMEDOUT naming the
 * missing ranks, EMISMATCH for a rank claimed twice or for different nranks
 * (saying who), EPEER if a process ended while the world formed, EREACH if nobody
 * with the right secret listens (stale or foreign id), EINVAL for a uid that is not
 * one, EABI for one of another version, ENOMEM, EIO.
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
/* A secret of the job that nobody outside knows; for names and handshakes. 16 bytes. */
const unsigned char *boot_secret(const struct boot *b);

/*
 * Collectives over all PEs of the world through the rendezvous; each PE calls
 * with its own @rank, in the same order everywhere. They end with EPEER when a
 * process is lost, ETIMEDOUT after @timeout_s naming the PEs that did not come.
 * allgather: @out gets nranks * len bytes, by rank.
 * agree: every PE gets the same: 0 if all gave 0, else the code and text
 * (err_set) of the lowest rank that failed, with its rank named; @text is this PE's.
 */
int boot_allgather(struct boot *b, int rank, const void *in, size_t len, void *out,
		   double timeout_s);
int boot_barrier(struct boot *b, int rank, double timeout_s);
int boot_agree(struct boot *b, int rank, int status, const char *text, double timeout_s);

/*
 * File descriptors between processes of one node, by process index. @tag tells
 * messages apart. send copies (the caller keeps its own); at most 250 a message.
 * recv waits for a message with that sender and tag, in any order of arrival,
 * and gives close-on-exec descriptors that the caller owns.
 */
int boot_send_fds(struct boot *b, int to_proc, uint32_t tag, const int *fds, int n);
int boot_recv_fds(struct boot *b, int from_proc, uint32_t tag, int *fds, int n, double timeout_s);

/*
 * Liveness: @lost is called once a lost process, from boot's own thread, with
 * the text that names its PEs ("PE 2 (process 4711 on host a) was lost"). Set it
 * before the first collective; it is called at once, by the caller's thread, for
 * what was lost before. boot_lost() is 1 for the PEs of that process from then on.
 * @proc is -1 where the rendezvous was lost and no PE with it (a launcher): nobody
 * would hear of further losses, so the world counts as broken.
 * Each PE of the process may set its own; NULL with the same @arg takes it back, and
 * when that returns no call is running. @lost may not call boot_watch() or boot_leave().
 */
typedef void (*boot_lost_fn)(void *arg, int proc, const char *text);
void boot_watch(struct boot *b, boot_lost_fn lost, void *arg);
int boot_lost(const struct boot *b, int rank);

/*
 * End the job: the watchers of every process, this one first, hear @text with -1 for the
 * process, and every collective of boot fails with it.
 */
void boot_abort(struct boot *b, const char *text);

/* This PE goes. The last of the process closes the connection and stops the thread. */
void boot_leave(struct boot *b, int rank);

/*
 * In the child of a fork: close what is open, stop nothing, free nothing. The
 * parent's peers must see the parent's death even while the child lives.
 */
void boot_after_fork(void);

#endif
