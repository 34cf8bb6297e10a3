// SPDX-License-Identifier: MIT
/*
 * Memory that another process can map: a shared mapping of a file whose
 * descriptor is open somewhere in this process, or whose path still leads to it.
 */
#ifndef MORI_CORE_SHARE_H
#define MORI_CORE_SHARE_H

#include <stdint.h>

struct share {
	int fd;	      /* the caller's to close */
	uint64_t off; /* of the memory in the file */
};

/*
 * MORI_SHMEM_ENOTSUP with the reason if [ptr, ptr + len) is no such memory. *last is where the file
 * before was found among the descriptors; 0 at first.
 */
int share_find(const void *ptr, uint64_t len, int *last, struct share *out);

struct share_map {
	void *base; /* of the mapping; NULL: none */
	uint64_t len;
	void *at; /* of the memory in it */
};

/* Map @len bytes at @off of what @fd is open on. */
int share_map(int fd, uint64_t off, uint64_t len, struct share_map *out);
void share_unmap(struct share_map *m);

#endif
