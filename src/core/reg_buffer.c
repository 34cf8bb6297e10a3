// SPDX-License-Identifier: MIT
/*
 * Local memory outside the heap. Load and store need nothing for a buffer, so it is only recorded.
 */
#include "core/pe.h"
#include "core/queues.h"
#include "core/rdma.h"
#include "core/remote.h"
#include "util/err.h"

#include <stdlib.h>

/* Kernels on a device reach its own memory; that of the host only if it is pinned. */
static int buffer_pin(struct pe *pe, void *ptr, uint64_t size, bool *pinned)
{
	*pinned = false;
	if (!pe_device_mem(pe) || pe_device_holds(pe, ptr))
		return 0;
	return pe->accel.mem->pin(pe->accel.dev, ptr, size, pinned);
}

int reg_buffer_add(struct pe *pe, void *ptr, uint64_t size)
{
	uint64_t addr = (uint64_t)(uintptr_t)ptr;
	struct reg_buffer *b;
	bool pinned = false;
	uint32_t local = 0;
	int err = 0;

	if (!reg_range(ptr, size))
		return err_set(MORI_SHMEM_EINVAL,
			       "buffer_register: %p + %llu bytes is not a range of memory", ptr,
			       (unsigned long long)size);
	pthread_mutex_lock(&pe->reg.lock);
	for (b = pe->reg.buffers; b; b = b->next) {
		if (addr < b->addr + b->len && b->addr < addr + size) {
			err = err_set(
				MORI_SHMEM_EINVAL,
				"buffer_register: %p + %llu bytes overlaps the buffer at 0x%llx "
				"of %llu bytes; deregister that first",
				ptr, (unsigned long long)size, (unsigned long long)b->addr,
				(unsigned long long)b->len);
			break;
		}
	}
	if (!err)
		err = buffer_pin(pe, ptr, size, &pinned);
	if (!err)
		err = remote_buffer_add(pe, ptr, size, &local);
	if (!err)
		err = rdma_buffer(pe->rdma, ptr, size);
	b = err ? NULL : malloc(sizeof(*b));
	if (b) {
		*b = (struct reg_buffer){ pe->reg.buffers, addr, size, pinned, local };
		pe->reg.buffers = b;
	} else {
		if (!err) {
			rdma_forget(pe->rdma, ptr, size, false);
			err = err_set(MORI_SHMEM_ENOMEM, "buffer_register: out of memory");
		}
		remote_buffer_remove(pe, local);
		if (pinned)
			pe->accel.mem->unpin(pe->accel.dev, ptr);
	}
	pthread_mutex_unlock(&pe->reg.lock);
	return err;
}

int reg_buffer_remove(struct pe *pe, void *ptr, uint64_t size)
{
	struct reg_buffer *gone = NULL;

	pthread_mutex_lock(&pe->reg.lock);
	for (struct reg_buffer **p = &pe->reg.buffers; *p; p = &(*p)->next) {
		if ((*p)->addr == (uint64_t)(uintptr_t)ptr && (*p)->len == size) {
			gone = *p;
			*p = gone->next;
			break;
		}
	}
	pthread_mutex_unlock(&pe->reg.lock);
	if (!gone)
		return err_set(
			MORI_SHMEM_ENOENT,
			"buffer_deregister: no buffer is registered with address %p and %llu bytes",
			ptr, (unsigned long long)size);
	rdma_forget(pe->rdma, ptr, size, false);
	remote_buffer_remove(pe, gone->local);
	if (gone->pinned)
		pe->accel.mem->unpin(pe->accel.dev, ptr);
	free(gone);
	return 0;
}

void reg_buffers_close(struct pe *pe)
{
	for (struct reg_buffer *b; (b = pe->reg.buffers);) {
		pe->reg.buffers = b->next;
		remote_buffer_remove(pe, b->local);
		if (b->pinned)
			pe->accel.mem->unpin(pe->accel.dev, (void *)(uintptr_t)b->addr);
		free(b);
	}
}
