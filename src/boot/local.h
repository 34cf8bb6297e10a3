// SPDX-License-Identifier: MIT
/*
 * What boot keeps for the whole process: the lists of worlds and rendezvous that are open in it,
 * behind one lock. Entries carry the pid that made them; in the child of a fork the entries of
 * the parent are dead.
 */
#ifndef MORI_BOOT_LOCAL_H
#define MORI_BOOT_LOCAL_H

#include <sys/types.h>

struct boot;
struct rdv;

struct boot_local {
	struct boot *boots; /* linked by boot.c */
	struct rdv *rdvs;   /* linked by rdv_open.c */
	pid_t pid;	    /* this process */
};

/* Takes the lock; the first call installs the fork handlers. */
struct boot_local *boot_local_lock(void);
void boot_local_unlock(void);
/* For the end of the process: NULL if another thread has the lock or nothing was ever opened. */
struct boot_local *boot_local_try(void);
/* The pid of live entries: this process. Needs no lock. */
pid_t boot_local_pid(void);

#endif
