// SPDX-License-Identifier: MIT
/*
 * For processes that know where one of them is, and a number that all of them derive alike: that
 * one opens the rendezvous and hands out its id on a port.
 */
#ifndef MORI_BOOT_PUBLISH_H
#define MORI_BOOT_PUBLISH_H

#include "boot/boot.h"

struct publish {
	const char *way;     /* for texts: who started the processes */
	int here;	     /* the rendezvous is to be in this process */
	char addr[256];	     /* name or address of the host that it is on */
	const char *named;   /* what gave @addr, for texts */
	const char *instead; /* what to do if @addr is not known */
	const char *ifname;  /* where to listen; NULL: everywhere */
	uint64_t number;     /* the ports are derived from it, */
	char from[64];	     /* and this says what it is */
	uint16_t not_port;   /* one that is somebody else's, or 0 */
	char job[1024];	     /* all that distinguishes the job from others */
};

/* Fills job->uid. Called in the same order in all processes. */
int publish_share(const struct publish *p, const struct boot_config *config, struct boot_job *job);

#endif
