// SPDX-License-Identifier: MIT
/* The calls to /dev/kfd, a function each. */
#include "kfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What ROCr makes use of: memory without an address. */
#define KFD_MAJOR 1
#define KFD_MINOR 15
#define VRAM_SIZE (8ull << 30) /* as in topology.sh */

/* Newer than some kernels' headers. */
#define NR_EXPORT_DMABUF  0x24
#define NR_RUNTIME_ENABLE 0x25
struct ioctl_export_dmabuf {
	uint64_t handle;
	uint32_t flags, fd;
};
/* Of AMD's own driver, which kernels do not have: memory for whoever knows its name. */
#define NR_IPC_IMPORT 0x80
#define NR_IPC_EXPORT 0x81
struct ioctl_ipc_name {
	uint32_t pid, fd;
	uint64_t inode;
};
struct ioctl_ipc_export {
	uint64_t handle;
	struct ioctl_ipc_name name;
	uint32_t gpu_id, flags;
};
struct ioctl_ipc_import {
	uint64_t handle, va, mmap_offset;
	struct ioctl_ipc_name name;
	uint32_t gpu_id, flags;
};

static int ioctl_version(void *arg)
{
	struct kfd_ioctl_get_version_args *a = arg;

	a->major_version = KFD_MAJOR;
	a->minor_version = KFD_MINOR;
	return 0;
}

/* Where LDS and scratch are is what the interpreter takes for them. */
static int ioctl_apertures(void *arg)
{
	struct kfd_ioctl_get_process_apertures_new_args *a = arg;
	struct kfd_process_device_apertures *p =
		(void *)(uintptr_t)a->kfd_process_device_apertures_ptr;
	unsigned n = kfd_setup()->n_gpus;

	for (unsigned k = 0; k < n && k < a->num_of_nodes; k++)
		p[k] = (struct kfd_process_device_apertures){
			.gpu_id = kfd_gpu_id(k),
			.gpuvm_base = 1 << 14,
			.gpuvm_limit = (1ull << 47) - 1,
			.lds_base = 0x4000000000000000u,
			.lds_limit = 0x40000000ffffffffu,
			.scratch_base = 0x5000000000000000u,
			.scratch_limit = 0x50000000ffffffffu,
		};
	if (a->num_of_nodes > n)
		a->num_of_nodes = n;
	return 0;
}

static int ioctl_xnack(void *arg)
{
	struct kfd_ioctl_set_xnack_mode_args *a = arg;

	if (a->xnack_enabled > 0) {
		errno = EPERM;
		return -1;
	}
	a->xnack_enabled = 0;
	return 0;
}

static int ioctl_clocks(void *arg)
{
	struct kfd_ioctl_get_clock_counters_args *a = arg;
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	a->gpu_clock_counter = kfd_clock();
	a->cpu_clock_counter = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	a->system_clock_counter = a->cpu_clock_counter;
	a->system_clock_freq = 1000000000;
	return 0;
}

static int ioctl_nothing(void *arg)
{
	(void)arg;
	return 0;
}

/* Memory of the process that a GPU may use at the same address. */
static int ioctl_svm(void *arg)
{
	struct kfd_ioctl_svm_args *a = arg;
	uint32_t gpus = 0;

	if (a->op != KFD_IOCTL_SVM_OP_SET_ATTR) {
		errno = EINVAL;
		return -1;
	}
	for (uint32_t k = 0; k < a->nattr; k++) {
		uint32_t type = a->attrs[k].type;

		if (type == KFD_IOCTL_SVM_ATTR_ACCESS || type == KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE)
			gpus |= 1u << kfd_gpu_of(a->attrs[k].value);
	}
	if (gpus)
		kfd_space_add(a->start_addr, a->size, gpus, (void *)(uintptr_t)a->start_addr);
	return 0;
}

static int ioctl_available(void *arg)
{
	struct kfd_ioctl_get_available_memory_args *a = arg;
	uint64_t used = kfd_mem_used(a->gpu_id);

	a->available = used < VRAM_SIZE ? VRAM_SIZE - used : 0;
	return 0;
}

static int ioctl_tiles(void *arg)
{
	struct kfd_ioctl_get_tile_config_args *a = arg;

	a->gb_addr_config = 0x10000444;
	return 0;
}

static int ioctl_alloc(void *arg)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args *a = arg;
	bool user = a->flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR;
	struct kfd_mem *m;

	kfd_gpu_of(a->gpu_id);
	if (a->flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM &&
	    kfd_mem_used(a->gpu_id) + a->size > VRAM_SIZE) {
		errno = ENOMEM;
		return -1;
	}
	m = kfd_mem_new(a->gpu_id, a->va_addr, a->size, a->flags);
	if (!m)
		return -1;
	if (user)
		m->user = a->mmap_offset;
	else
		a->mmap_offset = m->id << KFD_OFFSET_SHIFT;
	a->handle = m->id;
	if (kfd_setup()->verbose)
		kfd_say("GPU id %u: memory %lu: %#llx bytes at %#llx%s, flags %#x", a->gpu_id,
			m->id, (unsigned long long)a->size, (unsigned long long)a->va_addr,
			user ? " of the user's" : "", a->flags);
	return 0;
}

static struct kfd_mem *ioctl_mem(uint64_t handle)
{
	struct kfd_mem *m = kfd_mem_of(handle);

	if (!m)
		errno = EINVAL;
	return m;
}

static int ioctl_free(void *arg)
{
	struct kfd_ioctl_free_memory_of_gpu_args *a = arg;
	struct kfd_mem *m = ioctl_mem(a->handle);

	if (!m)
		return -1;
	kfd_code_flush();
	kfd_mem_free(m);
	return 0;
}

static uint32_t ioctl_gpus(uint64_t ids, uint32_t n)
{
	const uint32_t *id = (const uint32_t *)(uintptr_t)ids;
	uint32_t gpus = 0;

	while (n--)
		gpus |= 1u << kfd_gpu_of(*id++);
	return gpus;
}

static int ioctl_map(void *arg)
{
	struct kfd_ioctl_map_memory_to_gpu_args *a = arg;
	struct kfd_mem *m = ioctl_mem(a->handle);

	if (!m || kfd_mem_map(m, ioctl_gpus(a->device_ids_array_ptr, a->n_devices)))
		return -1;
	a->n_success = a->n_devices;
	return 0;
}

static int ioctl_unmap(void *arg)
{
	struct kfd_ioctl_unmap_memory_from_gpu_args *a = arg;
	struct kfd_mem *m = ioctl_mem(a->handle);

	if (!m)
		return -1;
	kfd_mem_unmap(m, ioctl_gpus(a->device_ids_array_ptr, a->n_devices));
	a->n_success = a->n_devices;
	return 0;
}

static int ioctl_export(void *arg)
{
	struct ioctl_export_dmabuf *a = arg;
	struct kfd_mem *m = ioctl_mem(a->handle);
	int fd = m ? fcntl(m->fd, F_DUPFD_CLOEXEC, 3) : -1;

	a->fd = (uint32_t)fd;
	return fd < 0 ? -1 : 0;
}

static int ioctl_dmabuf_info(void *arg)
{
	struct kfd_ioctl_get_dmabuf_info_args *a = arg;
	struct kfd_tail tail;
	uint64_t size;

	if (!kfd_read_tail((int)a->dmabuf_fd, &size, &tail)) {
		errno = EINVAL;
		return -1;
	}
	a->size = size;
	a->metadata_size = 0;
	a->gpu_id = tail.gpu;
	a->flags = tail.flags;
	return 0;
}

static int ioctl_import(void *arg)
{
	struct kfd_ioctl_import_dmabuf_args *a = arg;
	struct kfd_mem *m = kfd_mem_import(a->gpu_id, a->va_addr, (int)a->dmabuf_fd);

	if (!m)
		return -1;
	a->handle = m->id;
	return 0;
}

static int ioctl_ipc_export(void *arg)
{
	struct ioctl_ipc_export *a = arg;
	struct kfd_mem *m = ioctl_mem(a->handle);
	struct stat s;

	if (!m || fstat(m->fd, &s))
		return -1;
	a->name = (struct ioctl_ipc_name){ (uint32_t)getpid(), (uint32_t)m->fd, s.st_ino };
	return 0;
}

/* The other process has it open for as long as the memory is there. */
static int ioctl_ipc_import(void *arg)
{
	struct ioctl_ipc_import *a = arg;
	struct kfd_mem *m = NULL;
	struct kfd_tail tail;
	char path[60];
	struct stat s;
	uint64_t size;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/fd/%u", a->name.pid, a->name.fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0 && !fstat(fd, &s) && s.st_ino == a->name.inode &&
	    kfd_read_tail(fd, &size, &tail))
		m = kfd_mem_import(a->gpu_id, a->va, fd);
	if (fd >= 0)
		close(fd);
	if (!m) {
		errno = EINVAL;
		return -1;
	}
	a->handle = m->id;
	a->mmap_offset = m->id << KFD_OFFSET_SHIFT;
	a->flags = tail.flags;
	return 0;
}

static int ioctl_create_event(void *arg)
{
	return kfd_event_create(arg);
}

static int ioctl_destroy_event(void *arg)
{
	return kfd_event_destroy(((struct kfd_ioctl_destroy_event_args *)arg)->event_id);
}

static int ioctl_set_event(void *arg)
{
	return kfd_event_set(((struct kfd_ioctl_set_event_args *)arg)->event_id, true);
}

static int ioctl_reset_event(void *arg)
{
	return kfd_event_set(((struct kfd_ioctl_reset_event_args *)arg)->event_id, false);
}

static int ioctl_wait_events(void *arg)
{
	return kfd_event_wait(arg);
}

static int ioctl_create_queue(void *arg)
{
	return kfd_queue_create(arg);
}

static int ioctl_destroy_queue(void *arg)
{
	return kfd_queue_destroy(((struct kfd_ioctl_destroy_queue_args *)arg)->queue_id);
}

int kfd_ioctl(unsigned long request, void *arg)
{
	static int (*const calls[])(void *) = {
		[_IOC_NR(AMDKFD_IOC_GET_VERSION)] = ioctl_version,
		[_IOC_NR(AMDKFD_IOC_CREATE_QUEUE)] = ioctl_create_queue,
		[_IOC_NR(AMDKFD_IOC_DESTROY_QUEUE)] = ioctl_destroy_queue,
		[_IOC_NR(AMDKFD_IOC_UPDATE_QUEUE)] = ioctl_nothing,
		[_IOC_NR(AMDKFD_IOC_SET_CU_MASK)] = ioctl_nothing,
		[_IOC_NR(AMDKFD_IOC_SET_MEMORY_POLICY)] = ioctl_nothing,
		[_IOC_NR(AMDKFD_IOC_SET_SCRATCH_BACKING_VA)] = ioctl_nothing,
		[_IOC_NR(AMDKFD_IOC_SET_TRAP_HANDLER)] = ioctl_nothing,
		[_IOC_NR(AMDKFD_IOC_ACQUIRE_VM)] = ioctl_nothing,
		[NR_RUNTIME_ENABLE] = ioctl_nothing,
		[_IOC_NR(AMDKFD_IOC_GET_CLOCK_COUNTERS)] = ioctl_clocks,
		[_IOC_NR(AMDKFD_IOC_CREATE_EVENT)] = ioctl_create_event,
		[_IOC_NR(AMDKFD_IOC_DESTROY_EVENT)] = ioctl_destroy_event,
		[_IOC_NR(AMDKFD_IOC_SET_EVENT)] = ioctl_set_event,
		[_IOC_NR(AMDKFD_IOC_RESET_EVENT)] = ioctl_reset_event,
		[_IOC_NR(AMDKFD_IOC_WAIT_EVENTS)] = ioctl_wait_events,
		[_IOC_NR(AMDKFD_IOC_GET_TILE_CONFIG)] = ioctl_tiles,
		[_IOC_NR(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW)] = ioctl_apertures,
		[_IOC_NR(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU)] = ioctl_alloc,
		[_IOC_NR(AMDKFD_IOC_FREE_MEMORY_OF_GPU)] = ioctl_free,
		[_IOC_NR(AMDKFD_IOC_MAP_MEMORY_TO_GPU)] = ioctl_map,
		[_IOC_NR(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU)] = ioctl_unmap,
		[_IOC_NR(AMDKFD_IOC_GET_DMABUF_INFO)] = ioctl_dmabuf_info,
		[_IOC_NR(AMDKFD_IOC_IMPORT_DMABUF)] = ioctl_import,
		[NR_EXPORT_DMABUF] = ioctl_export,
		[NR_IPC_IMPORT] = ioctl_ipc_import,
		[NR_IPC_EXPORT] = ioctl_ipc_export,
		[_IOC_NR(AMDKFD_IOC_SVM)] = ioctl_svm,
		[_IOC_NR(AMDKFD_IOC_SET_XNACK_MODE)] = ioctl_xnack,
		[_IOC_NR(AMDKFD_IOC_AVAILABLE_MEMORY)] = ioctl_available,
	};
	unsigned nr = _IOC_NR(request);

	if (_IOC_TYPE(request) == AMDKFD_IOCTL_BASE && nr < sizeof(calls) / sizeof(calls[0]) &&
	    calls[nr])
		return calls[nr](arg);
	kfd_say("there is no ioctl %#x", nr);
	errno = EINVAL;
	return -1;
}
