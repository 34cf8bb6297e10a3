// SPDX-License-Identifier: MIT
/*
 * The table of a world: the process and the node of each PE. It comes once from the rendezvous, is
 * checked, and never changes afterwards.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/boot_priv.h"

/* Where the arrays of a table begin; 0 if the body has the length that its header implies. */
static int table_parts(const struct wire_table *t, const uint8_t *body, size_t len,
		       const uint8_t **ranks, const uint8_t **blobs)
{
	size_t entries, at;

	if (t->n_pes < 1 || t->n_procs < 1 || t->n_procs > t->n_pes || t->n_nodes < 1)
		return -1;
	entries = (size_t)t->n_procs * sizeof(struct wire_entry);
	at = sizeof(*t) + entries;
	*ranks = body + at;
	at += (size_t)t->n_pes * sizeof(int32_t);
	*blobs = body + at;
	at += (size_t)t->n_pes * t->blob_len;
	return at == len ? 0 : -1;
}

static int table_my_proc(const struct boot *b)
{
	for (int i = 0; i < b->info.n_procs; i++) {
		if (!memcmp(b->procs[i].proc.id, b->me.id, sizeof(b->me.id)))
			return i;
	}
	return -1;
}

/* PEs of this process without which the world has formed join again. */
static void table_members(struct boot *b)
{
	for (int i = 0; i < b->n_members; i++) {
		struct boot_member *m = b->members[i];

		if (m->state != MEMBER_JOINING)
			continue;
		if (m->rank < b->info.n_pes && b->peers[m->rank].proc == b->my_proc) {
			m->state = MEMBER_IN;
			b->n_in++;
			b->by_rank[m->rank] = m;
		} else {
			m->state = MEMBER_AGAIN;
		}
	}
}

int table_take(struct boot *b, const uint8_t *body, size_t len)
{
	const uint8_t *ranks, *blobs;
	size_t stride;
	int n;

	if (len < sizeof(b->info))
		return MORI_SHMEM_EIO;
	memcpy(&b->info, body, sizeof(b->info));
	if (table_parts(&b->info, body, len, &ranks, &blobs))
		return MORI_SHMEM_EIO;
	mac_make(b->key, b->info.nonce, sizeof(b->info.nonce), b->secret);
	n = b->info.n_pes;
	b->procs = calloc((size_t)b->info.n_procs, sizeof(*b->procs));
	b->lost = calloc((size_t)b->info.n_procs, 1);
	b->peers = calloc((size_t)n, sizeof(*b->peers));
	b->by_rank = calloc((size_t)n, sizeof(struct boot_member *));
	stride =
		((size_t)b->info.blob_len + 15) & ~(size_t)15; /* blobs are structs of the caller */
	b->blobs = calloc((size_t)n, stride + 1);
	if (!b->procs || !b->lost || !b->peers || !b->by_rank || !b->blobs)
		return MORI_SHMEM_ENOMEM;
	memcpy(b->procs, body + sizeof(b->info), (size_t)b->info.n_procs * sizeof(*b->procs));
	for (int i = 0; i < n; i++) {
		struct boot_peer *p = &b->peers[i];
		int32_t proc;

		memcpy(&proc, ranks + (size_t)i * sizeof(proc), sizeof(proc));
		if (proc < 0 || proc >= b->info.n_procs)
			return MORI_SHMEM_EIO;
		p->proc = proc;
		p->node = b->procs[proc].node;
		p->pid = b->procs[proc].proc.pid;
		wire_copy_text(p->host, sizeof(p->host), b->procs[proc].proc.host);
		p->blob = b->blobs + (size_t)i * stride;
		memcpy(b->blobs + (size_t)i * stride, blobs + (size_t)i * b->info.blob_len,
		       b->info.blob_len);
	}
	b->my_proc = table_my_proc(b);
	if (b->my_proc < 0)
		return MORI_SHMEM_EIO;
	table_members(b);
	return 0;
}

int table_alone(struct boot *b, const void *blob, size_t len)
{
	struct wire_table t = {
		.n_pes = 1, .n_procs = 1, .n_nodes = 1, .host_proc = -1, .blob_len = (uint32_t)len
	};
	struct wire_entry e = { .proc = b->me };
	int32_t proc = 0;
	size_t size = sizeof(t) + sizeof(e) + sizeof(proc) + len;
	uint8_t *body = malloc(size);
	int err = mac_random(t.nonce, sizeof(t.nonce)) ? MORI_SHMEM_EIO : 0;

	if (!body)
		return MORI_SHMEM_ENOMEM;
	memcpy(body, &t, sizeof(t));
	memcpy(body + sizeof(t), &e, sizeof(e));
	memcpy(body + sizeof(t) + sizeof(e), &proc, sizeof(proc));
	if (len)
		memcpy(body + sizeof(t) + sizeof(e) + sizeof(proc), blob, len);
	if (!err)
		err = table_take(b, body, size);
	free(body);
	return err;
}

void table_free(struct boot *b)
{
	free(b->procs);
	free(b->lost);
	free(b->peers);
	free(b->by_rank);
	free(b->blobs);
}

int table_who(const struct boot *b, int proc, char *buf, size_t size)
{
	uint8_t *set = calloc((size_t)b->info.n_pes, 1);
	int n = 1;

	for (int i = 0; set && i < b->info.n_pes; i++)
		set[i] = b->peers[i].proc == proc;
	if (set)
		n = text_who(buf, size, set, b->info.n_pes, &b->procs[proc].proc);
	else
		snprintf(buf, size, "process %d on host %s", b->procs[proc].proc.pid,
			 b->procs[proc].proc.host);
	free(set);
	return n;
}

int boot_n_pes(const struct boot *b)
{
	return b->info.n_pes;
}

int boot_n_procs(const struct boot *b)
{
	return b->info.n_procs;
}

int boot_n_nodes(const struct boot *b)
{
	return b->info.n_nodes;
}

int boot_my_proc(const struct boot *b)
{
	return b->my_proc;
}

const struct boot_peer *boot_peer(const struct boot *b, int rank)
{
	return rank >= 0 && rank < b->info.n_pes ? &b->peers[rank] : NULL;
}

const unsigned char *boot_secret(const struct boot *b)
{
	return b->secret;
}

int boot_lost(const struct boot *b, int rank)
{
	if (rank < 0 || rank >= b->info.n_pes)
		return 0;
	return __atomic_load_n(&b->lost[b->peers[rank].proc], __ATOMIC_ACQUIRE) != 0;
}
