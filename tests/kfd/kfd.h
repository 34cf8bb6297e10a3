// SPDX-License-Identifier: MIT
/*
 * The fake KFD: /dev/kfd and libdrm_amdgpu in user mode, under AMD's own ROCm. A library that is
 * loaded before all others takes the calls that ROCr makes to the kernel; GPUs are threads that
 * serve queues, and memory of the GPUs is memory of files without names.
 *
 * A GPU's address is one of the process, but where the GPU may go is another matter: kfd_find()
 * knows what each GPU has been given.
 */
#ifndef TESTS_KFD_H
#define TESTS_KFD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/kfd_ioctl.h>

#define KFD_GPUS 16
/* What an offset of mmap() names: the memory in the upper bits. */
#define KFD_OFFSET_SHIFT 36

/* Behind the data in each file: what another process must know of it. */
struct kfd_tail {
	uint64_t magic;
	uint32_t gpu, flags;
	uint8_t metadata[512]; /* as libdrm has it */
};
#define KFD_TAIL_SIZE 4096

struct kfd_mem {
	uint64_t id;
	uint64_t va, size;
	uint64_t user; /* memory of the process itself, or 0 */
	uint32_t gpu, flags;
	int fd;
	uint32_t mapped; /* a bit per GPU */
};

/* kfd.c: what this process has been given by its environment. */
struct kfd_setup {
	const char *topology; /* the folder that stands for the kernel's; NULL: no fake */
	char gfx[40];
	unsigned n_gpus;
	bool verbose;
};
const struct kfd_setup *kfd_setup(void);
void kfd_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A bug of the fake's, or something that it does not have: ends the process. */
_Noreturn void kfd_die(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The GPU of an id that the kernel gives, and back. */
unsigned kfd_gpu_of(uint32_t gpu_id);
uint32_t kfd_gpu_id(unsigned gpu);

/* preload.c: those of the C library. */
void *kfd_real_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset);
/* ioctl.c */
int kfd_ioctl(unsigned long request, void *arg);

/* memory.c; memory is named by its id. */
struct kfd_mem *kfd_mem_new(uint32_t gpu, uint64_t va, uint64_t size, uint32_t flags);
/* A file that another has exported; -1 and errno: it is none. */
struct kfd_mem *kfd_mem_import(uint32_t gpu, uint64_t va, int fd);
struct kfd_mem *kfd_mem_of(uint64_t id);
void kfd_mem_free(struct kfd_mem *m);
/* Bytes of a GPU's own memory that this process has. */
uint64_t kfd_mem_used(uint32_t gpu);
int kfd_mem_map(struct kfd_mem *m, uint32_t gpus); /* a bit per GPU */
void kfd_mem_unmap(struct kfd_mem *m, uint32_t gpus);
bool kfd_read_tail(int fd, uint64_t *size, struct kfd_tail *out);
bool kfd_write_tail(int fd, const struct kfd_tail *tail);

/* space.c: the address spaces of the GPUs; @to is where the memory is in this process. */
void kfd_space_add(uint64_t va, uint64_t size, uint32_t gpus, void *to);
void kfd_space_remove(uint64_t va, uint64_t size, uint32_t gpus);
/* The range that @addr is in, and what its addresses differ by from the processor's. */
bool kfd_find_range(unsigned gpu, uint64_t addr, uint64_t *base, uint64_t *size, uint64_t *delta);
/* A GPU's view of it, of one thread, with what it found last. */
#define KFD_SEEN 4
struct kfd_view {
	unsigned gpu, next;
	uint64_t age;
	uint64_t missed; /* the address that was not there */
	struct kfd_seen {
		uint64_t base, size, delta;
	} seen[KFD_SEEN];
};
/* Where @len bytes are in this process; NULL: the GPU does not have them all. */
void *kfd_find(struct kfd_view *v, uint64_t addr, size_t len);
/* The same for as many of them as are in one place. */
void *kfd_find_some(struct kfd_view *v, uint64_t addr, uint64_t *len);

/* event.c */
int kfd_event_create(struct kfd_ioctl_create_event_args *a);
int kfd_event_destroy(uint32_t id);
int kfd_event_set(uint32_t id, bool on);
int kfd_event_wait(struct kfd_ioctl_wait_events_args *a);
/* Whether all threads that ever waited wait now, and nothing that they wait for has come. */
bool kfd_event_settled(void);
/* A GPU has gone where it has no memory: ROCr's handler of such events says so and aborts. */
void kfd_event_fault(unsigned gpu, uint64_t addr);

/* queue.c: a thread per queue, and one that looks for what was written to any of them. */
struct kfd_queue {
	uint32_t id, type;
	unsigned gpu;
	uint8_t *ring;
	uint64_t size, *read_at, *write_at;
	bool stop, asleep, hung;
	pthread_t thread;
	pthread_cond_t wake;
	struct kfd_view view;
};
int kfd_queue_create(struct kfd_ioctl_create_queue_args *a);
int kfd_queue_destroy(uint32_t id);
/* The GPU has no memory at what its view has missed: the queue does nothing more. */
void kfd_queue_fault(struct kfd_queue *q);
uint64_t kfd_clock(void);
/* A pause in a loop that polls; @n counts them. */
void kfd_pause(unsigned *n);

/* aql.c and sdma.c: take packets up to @end; false: the next is not written yet. */
bool kfd_aql_serve(struct kfd_queue *q, uint64_t end);
bool kfd_sdma_serve(struct kfd_queue *q, uint64_t end);
/* code.c: runs a kernel by the interpreter, and forgets what it has decoded. */
struct emu_packet;
bool kfd_code_run(struct kfd_queue *q, const struct emu_packet *p);
void kfd_code_flush(void);

#endif
