// SPDX-License-Identifier: MIT
#include "nic/setup.h"

#include <mori/shmem_types.h>

#include <string.h>

#define NIC_LOG_SLOTS_MOST                                                                         \
	15u /* mlx5 counts slots in 16 bits, and half of them must tell old from new */

#define NIC_COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* What a syndrome means. */
struct nic_syndrome {
	uint32_t code;
	const char *text;
};

static const struct nic_syndrome mlx5_syndromes[] = {
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

static const struct nic_syndrome bnxt_syndromes[] = {
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

static const struct nic_syndrome ionic_syndromes[] = {
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

static const struct nic_syndrome soft_syndromes[] = {
	{ -MORI_SHMEM_EINVAL, "the entry is not one for this queue" },
	{ -MORI_SHMEM_EPEER, "the peer does not answer" },
	{ -MORI_SHMEM_ETIMEDOUT, "the peer does not answer in time" },
	{ -MORI_SHMEM_EFAULT, "memory is not registered for this" },
	{ -MORI_SHMEM_EREACH, "the peer cannot be reached" },
	{ -MORI_SHMEM_EIO, "the network failed" },
};

/* What differs between the formats before the first post and after an error. */
static const struct nic_row {
	const char *name;
	uint32_t spare; /* slots: 1 where the NIC cannot tell a full ring from an empty one */
	uint32_t phase; /* byte of a completion that says in which round it is written */
	const struct nic_syndrome *syndromes;
	size_t n;
} nic_rows[NIC_FORMATS] = {
	[NIC_SOFT] = { "soft", 0, 12, soft_syndromes, NIC_COUNT(soft_syndromes) },
	[NIC_MLX5] = { "mlx5", 0, 63, mlx5_syndromes, NIC_COUNT(mlx5_syndromes) },
	[NIC_BNXT] = { "bnxt", 1, 24, bnxt_syndromes, NIC_COUNT(bnxt_syndromes) },
	[NIC_IONIC] = { "ionic", 1, 31, ionic_syndromes, NIC_COUNT(ionic_syndromes) },
};

const char *nic_format_name(uint32_t format)
{
	return format < NIC_FORMATS ? nic_rows[format].name : NULL;
}

int nic_queue_sizes(const struct nic_queue *q, struct nic_sizes *out)
{
	size_t slots = (size_t)1 << q->log_slots, cqes = (size_t)1 << q->log_cq;

	if (q->format >= NIC_FORMATS || q->log_slots > NIC_LOG_SLOTS_MOST || q->log_slots < 2 ||
	    q->log_cq < q->log_slots || q->log_cq > NIC_LOG_SLOTS_MOST + 1 || q->result_slots < 2)
		return MORI_SHMEM_EINVAL;
	out->ring = slots << nic_log_slot(q->format);
	out->cq = cqes << nic_log_cqe(q->format);
	out->psn = q->format != NIC_BNXT ? 0 :
					   (q->log_psn ? (size_t)1 << q->log_psn : slots) *
						   (q->flags & NIC_BNXT_MSN ? 8 : 16);
	out->marks = slots * 8;
	out->result_values = q->result_slots * (size_t)8;
	out->slot_owner = q->result_slots * (size_t)8;
	return 0;
}

/* Every completion looks like one of the round before the one in which it is used next. */
void nic_clear_cq(const struct nic_queue *q, void *cq, uint64_t start)
{
	uint32_t log = nic_log_cqe(q->format);

	memset(cq, 0, (size_t)1 << (q->log_cq + log));
	for (uint64_t i = 0; i < (uint64_t)1 << q->log_cq; i++) {
		uint32_t expected = ~(uint32_t)(nic_unwrap(start, i, q->log_cq) >> q->log_cq) & 1;
		uint8_t *cqe = (uint8_t *)cq + (i << log);

		cqe[nic_rows[q->format].phase] =
			nic_cq_is_zero(q->format) ? !expected : 0xf0 /* no opcode */;
	}
}

bool nic_cq_is_zero(uint32_t format)
{
	return format != NIC_MLX5;
}

int nic_queue_reset(struct nic_queue *q, uint64_t start)
{
	struct nic_sizes sizes;

	if (nic_queue_sizes(q, &sizes) || (q->format == NIC_BNXT && !q->mtu))
		return MORI_SHMEM_EINVAL;
	if (!q->capacity)
		q->capacity = (1u << q->log_slots) - nic_rows[q->format].spare;
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

const char *nic_syndrome_text(uint32_t format, uint32_t syndrome)
{
	if (format >= NIC_FORMATS)
		return "an error of an unknown NIC";
	if (syndrome == UINT32_MAX)
		return "a completion for something that was never posted";
	for (size_t i = 0; i < nic_rows[format].n; i++)
		if (nic_rows[format].syndromes[i].code == syndrome)
			return nic_rows[format].syndromes[i].text;
	return "an error without a name";
}
