// SPDX-License-Identifier: MIT
/* In place of the rest of verbs*.c in a build without libibverbs. */
#include "net/verbs.h"
#include "util/err.h"

static int none(void)
{
	return err_set(MORI_SHMEM_ENOTSUP,
		       "this build has no real NICs: it was made without the headers of "
		       "libibverbs (MORI_WITH_VERBS)");
}

int verbs_scan(const struct verbs_config *c, struct verbs_port **out, size_t *n)
{
	(void)c, (void)out, (void)n;
	return none();
}

bool verbs_any(void)
{
	return false;
}

int verbs_open(const struct verbs_config *c, struct verbs **out)
{
	(void)c, (void)out;
	return none();
}

void verbs_close(struct verbs *v)
{
	(void)v;
}

const struct verbs_port *verbs_port(const struct verbs *v)
{
	(void)v;
	return NULL;
}

const char *verbs_why(const struct verbs *v)
{
	(void)v;
	return "";
}

int verbs_region_add(struct verbs *v, void *at, uint64_t len, bool device,
		     struct verbs_region **out)
{
	(void)v, (void)at, (void)len, (void)device, (void)out;
	return none();
}

void verbs_region_remove(struct verbs_region *r)
{
	(void)r;
}

void verbs_region_keys(const struct verbs_region *r, uint32_t *lkey, uint32_t *rkey)
{
	(void)r;
	*lkey = *rkey = 0;
}

int verbs_heap(struct verbs *v, void *at, uint64_t len, bool device)
{
	(void)v, (void)at, (void)len, (void)device;
	return none();
}

void verbs_heap_keys(const struct verbs *v, uint32_t *lkey, uint32_t *rkey)
{
	(void)v;
	*lkey = *rkey = 0;
}

int verbs_qp_open(struct verbs *v, int pe, int qp, struct verbs_qp **out)
{
	(void)v, (void)pe, (void)qp, (void)out;
	return none();
}

void verbs_qp_record(const struct verbs_qp *q, struct verbs_record *out)
{
	(void)q;
	*out = (struct verbs_record){ 0 };
}

int verbs_qp_connect(struct verbs_qp *q, const struct verbs_record *peer, struct nic_queue *out)
{
	(void)q, (void)peer, (void)out;
	return none();
}

void verbs_qp_close(struct verbs_qp *q)
{
	(void)q;
}
