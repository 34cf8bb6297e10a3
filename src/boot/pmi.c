// SPDX-License-Identifier: MIT
/*
 * PMI: MPICH's mpirun and `srun --mpi=pmi2` leave a socket in each process and its number in
 * PMI_FD. It is used once per process and given back when the process ends: a launcher takes it
 * for a failure if a process that has begun to use it never says that it is done. It serves one
 * user in a process: where an MPI library is loaded, the socket is that library's.
 */
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boot/find.h"
#include "boot/pmi_wire.h"
#include "boot/rdv.h"
#include "boot/uid.h"
#include "stream/socket.h"
#include "util/clock.h"
#include "util/err.h"

#define PMI_CLOSE_S 5.0
#define PMI_PIECE   128 /* of the id in hex: every launcher takes values of that length */
#define PMI_PIECES  (2 * BOOT_UID_BYTES / PMI_PIECE)

/* There is one PMI per process. */
static struct pmi {
	pthread_mutex_t lock;
	struct pmi_link link;
	pid_t pid;  /* that has opened it, or 0 */
	int broken; /* a call has failed */
	int turn;   /* counts the exchanges of this process with the others */
} pmi = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* 1 for an MPI library; its name goes to the array at @name. */
static int pmi_is_mpi(struct dl_phdr_info *info, size_t size, void *name)
{
	static const char *const begins[] = { "libmpi.", "libmpi_", "libmpich." };
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *base = slash ? slash + 1 : info->dlpi_name;

	(void)size;
	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++) {
		if (strncmp(base, begins[i], strlen(begins[i])) != 0)
			continue;
		snprintf(name, 64, "%s", base);
		return 1;
	}
	return 0;
}

/* When the process ends. Who holds the lock is still using it. */
static void pmi_at_exit(void)
{
	struct err_was was;

	if (pmi.pid != getpid() || pthread_mutex_trylock(&pmi.lock))
		return;
	err_save(&was);
	pmi.link.deadline = clock_deadline(PMI_CLOSE_S);
	if (!pmi.broken)
		pmi_close(&pmi.link);
	pmi.broken = 1;
	err_restore(&was);
	pthread_mutex_unlock(&pmi.lock);
}

/*
 * Whether @fd came from the launcher: variables get further than descriptors, and a process that
 * did not inherit it may have opened another one under its number.
 */
static int pmi_is_inherited(int fd)
{
	int flags = fcntl(fd, F_GETFD), type;
	socklen_t size = sizeof(type);

	return flags >= 0 && !(flags & FD_CLOEXEC) &&
	       getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

/* With the lock held. Failures are ENOTSUP: another way may do. */
static int pmi_start(struct pmi *p)
{
	char mpi[64], why[256];
	int fd;

	if (p->broken)
		return err_set(MORI_SHMEM_ENOTSUP, "an earlier init over PMI has failed");
	if (p->pid == getpid())
		return 0;
	if (p->pid)
		return err_set(MORI_SHMEM_ENOTSUP, "this process is a fork of one that uses PMI");
	if (dl_iterate_phdr(pmi_is_mpi, mpi))
		return err_set(MORI_SHMEM_ENOTSUP, "PMI_FD belongs to this process's %s", mpi);
	if (find_int("PMI_FD", 0, 1 << 20, &fd) <= 0)
		return err_set(MORI_SHMEM_ENOTSUP, "PMI_FD is not a number");
	if (!pmi_is_inherited(fd))
		return err_set(MORI_SHMEM_ENOTSUP,
			       "PMI_FD=%d is not the launcher's socket in this process", fd);
	/* A copy: whatever the program does with the number, this is the launcher's socket. */
	p->link.fd = socket_adopt(fcntl(fd, F_DUPFD_CLOEXEC, 3));
	if (p->link.fd < 0)
		return err_set(MORI_SHMEM_ENOTSUP, "PMI_FD=%d cannot be copied", fd);
	/* Only version 2 has a use for the job's name. */
	if (pmi_open(&p->link, getenv("PMI_JOBID") ? 2 : 1)) {
		snprintf(why, sizeof(why), "%s", err_text());
		p->broken = 1;
		socket_close(p->link.fd);
		return err_set(MORI_SHMEM_ENOTSUP, "%s", why);
	}
	p->pid = getpid();
	atexit(pmi_at_exit);
	return 0;
}

/* Rank 0's half: the rendezvous, and its id in pieces, or a word that there is none. */
static int pmi_publish(struct pmi *p, const struct boot_config *config, struct boot_job *job)
{
	char hex[2 * BOOT_UID_BYTES + 1], key[64], piece[PMI_PIECE + 1];
	int err = rdv_open(config, 1, NULL, NULL, job->uid), put_err = 0;

	if (!err)
		uid_to_hex(job->uid, hex);
	for (int i = 0; i < PMI_PIECES && !put_err; i++) {
		snprintf(key, sizeof(key), "mori-uid-%d-%d", p->turn, i);
		snprintf(piece, sizeof(piece), "%.*s", PMI_PIECE, err ? "-" : hex + i * PMI_PIECE);
		put_err = pmi_put(&p->link, key, piece);
	}
	p->broken = put_err != 0;
	if (put_err && !err) {
		boot_close_rdv(job->uid);
		err = put_err;
	}
	return err;
}

static int pmi_fetch(struct pmi *p, struct boot_job *job)
{
	char hex[2 * BOOT_UID_BYTES + 1] = "", key[64], piece[PMI_PIECE + 1];
	size_t used = 0;

	for (int i = 0; i < PMI_PIECES; i++) {
		int err;

		snprintf(key, sizeof(key), "mori-uid-%d-%d", p->turn, i);
		err = pmi_get(&p->link, key, piece, sizeof(piece));
		if (err) {
			p->broken = 1;
			return err;
		}
		used += (size_t)snprintf(hex + used, sizeof(hex) - used, "%s", piece);
	}
	if (uid_from_hex(hex, job->uid))
		return err_set(MORI_SHMEM_EREACH, "PMI: rank 0 could not open a rendezvous");
	return 0;
}

static int pmi_share(struct pmi *p, const struct boot_config *config, struct boot_job *job)
{
	int err = job->rank == 0 ? pmi_publish(p, config, job) : 0, fence_err = 0;

	if (!p->broken)
		fence_err = pmi_fence(&p->link);
	if (fence_err) {
		p->broken = 1;
		if (job->rank == 0 && !err)
			boot_close_rdv(job->uid);
		err = fence_err != MORI_SHMEM_ETIMEDOUT ?
			      fence_err :
			      err_set(fence_err,
				      "PMI: not every process of the job came within %g s",
				      config->timeout_s);
	}
	if (!err && job->rank != 0)
		err = pmi_fetch(p, job);
	p->turn++;
	return err;
}

int pmi_find(const struct boot_config *config, struct boot_job *job)
{
	struct pmi *p = &pmi;
	int size = find_int("PMI_SIZE", 1, INT32_MAX, &job->nranks);
	int rank = size > 0 ? find_int("PMI_RANK", 0, job->nranks - 1, &job->rank) : size;
	int err;

	if (size <= 0 || rank <= 0)
		return size < 0 || rank < 0 ? MORI_SHMEM_EINVAL :
					      err_set(MORI_SHMEM_EINVAL, "%s is empty",
						      size ? "PMI_RANK" : "PMI_SIZE");
	job->way = BOOT_PMI;
	pthread_mutex_lock(&p->lock);
	p->link.deadline = clock_deadline(config->timeout_s);
	err = pmi_start(p);
	if (!err)
		err = pmi_share(p, config, job);
	pthread_mutex_unlock(&p->lock);
	return err;
}
