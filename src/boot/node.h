// SPDX-License-Identifier: MIT
/*
 * On which node this process is.
 *
 * The processes of a node share a running kernel and reach each other's abstract unix sockets:
 * they have the same boot id, network namespace (abstract names live in it, and so does loopback)
 * and user namespace (the owner of a peer's socket is known only inside one). Memory travels as
 * descriptors through those sockets, so the IPC, PID and mount namespaces do not matter. Host
 * names are only for people: two machines may have the same.
 */
#ifndef MORI_BOOT_NODE_H
#define MORI_BOOT_NODE_H

#include <stdint.h>

#include "boot/wire.h"

/* The identity that loopback depends on, whatever MORI_NODE_ID says. */
uint64_t node_real(void);
/* What the PEs of a node have in common; @node_id may be NULL. */
void node_identity(const char *node_id, uint8_t out[16]);
void node_host(char host[WIRE_HOST]);

#endif
