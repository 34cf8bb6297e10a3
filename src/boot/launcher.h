// SPDX-License-Identifier: MIT
/*
 * What `mori run` asks of the rendezvous in its process beyond the public calls. The library exports
 * it under a version of its own, for the command of the same build: it is no interface.
 */
#ifndef MORI_BOOT_LAUNCHER_H
#define MORI_BOOT_LAUNCHER_H

#include <stddef.h>

struct boot_launcher {
	/*
	 * The process of PEs @first to @first + @n - 1 has ended; @how says so in words, as in
	 * "exited with code 0", and @good whether that is no failure. PEs that are in init, or come
	 * to it, and need one of these are told.
	 */
	void (*ended)(const unsigned char *uid, int first, int n, int pid, const char *how,
		      int good);
	/*
	 * Who is to blame if a PE fails from now on: the first process that has ended although PEs
	 * needed it. Its first rank, and @text says how it has ended; -1: none.
	 */
	int (*blamed)(const unsigned char *uid, char *text, size_t size);
	/*
	 * Who waits for what: a line for each wait of each PE, to be freed; NULL without memory.
	 * "": nobody has called mori_shmem_init(). Waits for answers for @timeout_s at most.
	 */
	char *(*ask)(const unsigned char *uid, double timeout_s);
};

__attribute__((visibility("default"))) const struct boot_launcher *mori_private_launcher(void);

#endif
