// SPDX-License-Identifier: MIT
#include "nic/setup.h"

#include <mori/shmem_types.h>

#include <string.h>

#define LOG_SLOTS_MOST                                                                             \
	15u /* mlx5 counts slots in 16 bits, and half of them must tell old from new */

static const char *const names[NIC_FORMATS] = {
	[NIC_SOFT] = "soft",
	[NIC_MLX5] = "mlx5",
	[NIC_BNXT] = "bnxt",
	[NIC_IONIC] = "ionic",
};

const char *nic_format_name(uint32_t format)
{
	return format < NIC_FORMATS ? names[format] : NULL;
}

int nic_format_of(const char *name)
{
	for (int i = 0; i < NIC_FORMATS; i++)
		if (!strcmp(name, names[i]))
			return i;
	return -1;
}

int nic_queue_sizes(const struct nic_queue *q, struct nic_sizes *out)
{
	size_t slots = (size_t)1 << q->log_slots, cqes = (size_t)1 << q->log_cq;

	if (q->format >= NIC_FORMATS || q->log_slots > LOG_SLOTS_MOST || q->log_slots < 2 ||
	    q->log_cq < q->log_slots || q->log_cq > LOG_SLOTS_MOST + 1 || q->cells < 2)
		return MORI_SHMEM_EINVAL;
	out->ring = slots << nic_log_slot(q->format);
	out->cq = cqes << nic_log_cqe(q->format);
	out->psn = q->format != NIC_BNXT ? 0 :
					   (q->log_psn ? (size_t)1 << q->log_psn : slots) *
						   (q->flags & NIC_BNXT_MSN ? 8 : 16);
	out->marks = slots * 8;
	out->cell_values = q->cells * (size_t)8;
	out->cell_users = q->cells * (size_t)8;
	return 0;
}

static void *at(uint64_t addr)
{
	return (void *)(uintptr_t)addr;
}

/* Every completion looks like one of the round before the one in which it is used next. */
void nic_clear_cq(const struct nic_queue *q, void *cq, uint64_t start)
{
	uint32_t log = nic_log_cqe(q->format);

	memset(cq, 0, (size_t)1 << (q->log_cq + log));
	for (uint64_t i = 0; i < (uint64_t)1 << q->log_cq; i++) {
		uint32_t expected = ~(uint32_t)(nic_unwrap(start, i, q->log_cq) >> q->log_cq) & 1;
		uint8_t *cqe = (uint8_t *)cq + (i << log);

		if (q->format == NIC_MLX5)
			cqe[63] = 0xf0; /* no opcode */
		else if (q->format == NIC_BNXT)
			cqe[24] = !expected;
		else if (q->format == NIC_IONIC)
			cqe[31] = !expected;
		else
			cqe[12] = !expected;
	}
}

int nic_queue_reset(struct nic_queue *q, uint64_t start)
{
	struct nic_sizes sizes;

	if (nic_queue_sizes(q, &sizes) || (q->format == NIC_BNXT && !q->mtu))
		return MORI_SHMEM_EINVAL;
	if (!q->capacity) /* bnxt and ionic cannot tell a full ring from an empty one */
		q->capacity = (1u << q->log_slots) -
			      (q->format == NIC_BNXT || q->format == NIC_IONIC ? 1 : 0);
	if (!q->max_len)
		q->max_len = (uint64_t)1 << 30;
	if (!q->index_by)
		q->index_by = 1;
	if (!q->log_psn)
		q->log_psn = q->log_slots;
	q->taken = q->ready = q->done = q->seen = start;
	q->rings = q->bad = 0;
	q->ringers = q->poller = q->syndrome = 0;
	q->status = 0;
	return 0;
}

int nic_queue_start(struct nic_queue *q, uint64_t start)
{
	struct nic_sizes sizes;
	int err = nic_queue_reset(q, start);

	if (err)
		return err;
	(void)nic_queue_sizes(q, &sizes);
	memset(at(q->ring), 0, sizes.ring);
	if (sizes.psn)
		memset(at(q->psn), 0, sizes.psn);
	memset(at(q->marks), 0, sizes.marks);
	memset(at(q->cell_values), 0, sizes.cell_values);
	memset(at(q->cell_users), 0, sizes.cell_users);
	*(uint64_t *)at(q->cell_users) = 1;
	nic_clear_cq(q, at(q->cq), start);
	return 0;
}

struct word {
	uint32_t syndrome;
	const char *text;
};

static const struct word mlx5_words[] = {
	{ 0x01, "local length error" },
	{ 0x02, "the entry is not one for this queue" },
	{ 0x04, "local memory is not registered for this" },
	{ 0x05, "given up after an earlier error" },
	{ 0x06, "memory window error" },
	{ 0x10, "bad response" },
	{ 0x11, "local memory cannot be reached" },
	{ 0x12, "the peer calls the request invalid" },
	{ 0x13, "the peer's memory is not registered for this" },
	{ 0x14, "the peer could not do it" },
	{ 0x15, "the peer does not answer" },
	{ 0x16, "the peer is not ready" },
	{ 0x22, "the peer has aborted" },
};

static const struct word bnxt_words[] = {
	{ 0x01, "bad response" },
	{ 0x02, "local length error" },
	{ 0x03, "the entry is not one for this queue" },
	{ 0x04, "local memory is not registered for this" },
	{ 0x05, "memory window error" },
	{ 0x06, "the peer calls the request invalid" },
	{ 0x07, "the peer's memory is not registered for this" },
	{ 0x08, "the peer could not do it" },
	{ 0x09, "the peer is not ready" },
	{ 0x0a, "the peer does not answer" },
	{ 0x0b, "given up after an earlier error" },
	{ 0x100, "the NIC has ended the queue" },
};

static const struct word ionic_words[] = {
	{ 1, "local length error" },
	{ 2, "the entry is not one for this queue" },
	{ 3, "local memory is not registered for this" },
	{ 4, "given up after an earlier error" },
	{ 5, "memory window error" },
	{ 6, "bad response" },
	{ 7, "local memory cannot be reached" },
	{ 8, "the peer calls the request invalid" },
	{ 9, "the peer's memory is not registered for this" },
	{ 10, "the peer could not do it" },
	{ 11, "the peer does not answer" },
	{ 12, "the peer is not ready" },
};

static const struct word soft_words[] = {
	{ -MORI_SHMEM_EINVAL, "the entry is not one for this queue" },
	{ -MORI_SHMEM_EPEER, "the peer does not answer" },
	{ -MORI_SHMEM_ETIMEDOUT, "the peer does not answer in time" },
	{ -MORI_SHMEM_EFAULT, "memory is not registered for this" },
	{ -MORI_SHMEM_EREACH, "the peer cannot be reached" },
	{ -MORI_SHMEM_EIO, "the network failed" },
};

static const struct {
	const struct word *words;
	size_t n;
} dictionary[NIC_FORMATS] = {
	[NIC_SOFT] = { soft_words, sizeof(soft_words) / sizeof(soft_words[0]) },
	[NIC_MLX5] = { mlx5_words, sizeof(mlx5_words) / sizeof(mlx5_words[0]) },
	[NIC_BNXT] = { bnxt_words, sizeof(bnxt_words) / sizeof(bnxt_words[0]) },
	[NIC_IONIC] = { ionic_words, sizeof(ionic_words) / sizeof(ionic_words[0]) },
};

const char *nic_syndrome_text(uint32_t format, uint32_t syndrome)
{
	if (format >= NIC_FORMATS)
		return "an error of an unknown NIC";
	if (syndrome == UINT32_MAX)
		return "a completion of what was never posted";
	for (size_t i = 0; i < dictionary[format].n; i++)
		if (dictionary[format].words[i].syndrome == syndrome)
			return dictionary[format].words[i].text;
	return "an error without a name";
}
