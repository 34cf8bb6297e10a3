// SPDX-License-Identifier: MIT
/* MORI_SHMEM_DUMP_SIGNAL: a signal on which a process says what its PEs wait for. */
#ifndef MORI_CORE_DUMP_H
#define MORI_CORE_DUMP_H

struct world;

/*
 * From now on the waits of @w are in what the signal prints, of enum option_dump; -1: none. Installs a handler only where
 * the signal's action is the default. The reverse takes it away with the last world.
 */
void dump_open(struct world *w, int which);
void dump_close(struct world *w);
/* In the child of a fork: it has neither worlds nor the thread. */
void dump_after_fork(void);

#endif
