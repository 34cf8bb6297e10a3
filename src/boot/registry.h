// SPDX-License-Identifier: MIT
/*
 * What boot keeps for the whole process: the lists of worlds and rendezvous that
 * are open in it, behind one lock, and what a fork does to them. Entries carry
 * the pid that made them; in the child of a fork those of the parent are dead.
 */
#ifndef MORI_BOOT_REGISTRY_H
#define MORI_BOOT_REGISTRY_H

#include <sys/types.h>

struct boot;
struct rdv;

struct registry {
	struct boot *boots; /* linked by boot.c */
	struct rdv *rdvs;   /* linked by rdv.c */
	pid_t pid;	    /* this process */
};

/* Locks; also sees to it that a fork is noticed. */
struct registry *registry_lock(void);
void registry_unlock(void);
/* This process, without a lock: the pid of the one that owns live entries. */
pid_t registry_pid(void);

#endif
