// SPDX-License-Identifier: MIT
/* The modules of this process; see module.c. */
#ifndef MORI_CORE_MODULE_H
#define MORI_CORE_MODULE_H

struct pe;

/* Unloads what a PE has left; its handles stay valid, but cannot be used. */
void module_close_all(struct pe *pe);
/* In the child of a fork: the parent's modules are not the child's. */
void module_after_fork(void);

#endif
