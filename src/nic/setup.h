// SPDX-License-Identifier: MIT
/* What the host does to a queue before and after its posters: memory, start, words for errors. */
#ifndef MORI_NIC_SETUP_H
#define MORI_NIC_SETUP_H

#include "nic/entry.h"

/* Bytes of each array of a queue; 0: the format has none. */
struct nic_sizes {
	size_t ring, cq, psn, marks, result_values, slot_owner;
};

/* "mlx5"; NULL: there is no such format. */
const char *nic_format_name(uint32_t format);

/*
 * Of a queue with format, flags, log_slots, log_cq and result_slots set. MORI_SHMEM_EINVAL if that
 * cannot be: a ring of more than 2^15 slots, or fewer completions than slots.
 */
int nic_queue_sizes(const struct nic_queue *q, struct nic_sizes *out);

/*
 * Sets the counters of @q to @start, 0 but in tests, and capacity, max_len, index_by
 * and log_psn where they are 0. MORI_SHMEM_EINVAL also if a bnxt queue has no mtu.
 */
int nic_queue_reset(struct nic_queue *q, uint64_t start);

/*
 * What the completion ring must hold before the first post, to @cq. The rest of the memory is 0,
 * but for the first word of slot_owner, which is 1.
 */
void nic_clear_cq(const struct nic_queue *q, void *cq, uint64_t start);
/* Whether that leaves zeros only, for @start 0. */
bool nic_cq_is_zero(uint32_t format);

/* What a syndrome of the format means; never NULL. */
const char *nic_syndrome_text(uint32_t format, uint32_t syndrome);

#endif
