// SPDX-License-Identifier: MIT
/*
 * Local memory that the heap did not give out. Load and store need nothing of a buffer, so it
 * is only noted.
 */
#include "core/pe.h"
#include "core/queue.h"
#include "core/route.h"
#include "util/err.h"

#include <stdlib.h>

/* Kernels on a device get at its own memory; at the host's only where it is pinned. */
static int buffer_pin(struct pe *pe, void *ptr, uint64_t size, bool *pinned)
{
	*pinned = false;
	if (!pe_far(pe) || accel_holds(&pe->accel, ptr))
		return 0;
	return accel_pin(&pe->accel, ptr, size, pinned);
}

int reg_buffer_add(struct pe *pe, void *ptr, uint64_t size)
{
	uint64_t addr = (uint64_t)(uintptr_t)ptr;
	struct buffer *b;
	bool pinned = false;
	uint32_t local = 0;
	int err = 0;

	if (!reg_range(ptr, size))
		return err_set(MORI_SHMEM_EINVAL, "buffer_register: %p + %llu bytes is no memory",
			       ptr, (unsigned long long)size);
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
		err = route_local(pe, ptr, size, &local);
	if (!err)
		err = queue_buffer(pe, ptr, size);
	b = err ? NULL : malloc(sizeof(*b));
	if (b) {
		*b = (struct buffer){ pe->reg.buffers, addr, size, pinned, local };
		pe->reg.buffers = b;
	} else {
		if (!err) {
			queue_buffer_gone(pe, ptr, size);
			err = err_set(MORI_SHMEM_ENOMEM, "buffer_register: out of memory");
		}
		route_local_gone(pe, local);
		if (pinned)
			accel_unpin(&pe->accel, ptr);
	}
	pthread_mutex_unlock(&pe->reg.lock);
	return err;
}

int reg_buffer_remove(struct pe *pe, void *ptr, uint64_t size)
{
	struct buffer *gone = NULL;

	pthread_mutex_lock(&pe->reg.lock);
	for (struct buffer **p = &pe->reg.buffers; *p; p = &(*p)->next) {
		if ((*p)->addr == (uint64_t)(uintptr_t)ptr && (*p)->len == size) {
			gone = *p;
			*p = gone->next;
			break;
		}
	}
	pthread_mutex_unlock(&pe->reg.lock);
	if (!gone)
		return err_set(MORI_SHMEM_ENOENT,
			       "buffer_deregister: %p + %llu bytes was not registered so", ptr,
			       (unsigned long long)size);
	queue_buffer_gone(pe, ptr, size);
	route_local_gone(pe, gone->local);
	if (gone->pinned)
		accel_unpin(&pe->accel, ptr);
	free(gone);
	return 0;
}

void reg_buffers_close(struct pe *pe)
{
	for (struct buffer *b; (b = pe->reg.buffers);) {
		pe->reg.buffers = b->next;
		route_local_gone(pe, b->local);
		if (b->pinned)
			accel_unpin(&pe->accel, (void *)(uintptr_t)b->addr);
		free(b);
	}
}
