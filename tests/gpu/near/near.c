// SPDX-License-Identifier: MIT
/*
 * Lets programs that touch the symmetric heap themselves, as tests of the CPU do, run on a
 * GPU: LD_PRELOAD=libnear.so. Where a thread touches memory of the GPU it gets a copy of the
 * piece around it, at the same address; each call of the library first writes back what
 * was changed in the copies, word by word, and drops them all when it returns. Host memory that
 * kernels are given (malloc(), stacks) is pinned.
 *
 * A test must not wait for a word of the heap without calling the library.
 */
#include "near.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIECE	((size_t)1 << 16)
#define NESTED	32
#define STACK	((size_t)4 << 20) /* of main() */
#define THREADS 256u
#define HIDDEN	__attribute__((visibility("hidden")))

extern const char *const near_names[]; /* of the library's functions; calls.sh */

struct piece {
	struct piece *next;
	char *at;
	char *twin; /* as it came */
	char *now;  /* as it is to go back */
};

static struct {
	pthread_mutex_t lock;
	struct piece *first;
	int pid; /* that opened it; a child of fork() opens its own */
	void *ctx, *stream, *merge;
} near = { .lock = PTHREAD_MUTEX_INITIALIZER };

static __thread void *back[NESTED];
static __thread int depth, doors[NESTED];
static __thread bool pinned, inside, main_thread;

typedef int (*call_fn)();

static call_fn driver(const char *name)
{
	static void *library;
	void *at;
	call_fn fn;

	if (!library)
		library = dlopen("libcuda.so.1", RTLD_NOW);
	at = library ? dlsym(library, name) : NULL;
	if (!at) {
		fprintf(stderr, "near: the driver has no %s\n", name);
		_exit(1);
	}
	memcpy(&fn, &at, sizeof(fn));
	return fn;
}

static void must(const char *name, int code)
{
	if (code) {
		fprintf(stderr, "near: %s: %d\n", name, code);
		_exit(1);
	}
}
#define CU(name, ...) must(#name, driver(#name)(__VA_ARGS__))

static char *image_of_merge(void)
{
	char path[4096];
	Dl_info info;
	char *text, *dir;
	long len;
	FILE *f;

	dladdr(&near, &info);
	snprintf(path, sizeof(path), "%s", info.dli_fname);
	dir = strrchr(path, '/');
	snprintf(dir, sizeof(path) - (size_t)(dir - path), "/kernels/merge.ptx");
	f = fopen(path, "r");
	if (!f || fseek(f, 0, SEEK_END) || (len = ftell(f)) < 0) {
		fprintf(stderr, "near: no %s\n", path);
		_exit(1);
	}
	rewind(f);
	text = calloc(1, (size_t)len + 1);
	if (fread(text, 1, (size_t)len, f) != (size_t)len)
		_exit(1);
	fclose(f);
	return text;
}

static void pin(const void *at, size_t len)
{
	uintptr_t from = (uintptr_t)at & ~(uintptr_t)4095;
	uintptr_t to = ((uintptr_t)at + len + 4095) & ~(uintptr_t)4095;
	int code = driver("cuMemHostRegister_v2")((void *)from, (size_t)(to - from), 3u);

	if (code && code != 712) /* 712: some of it was */
		fprintf(stderr, "near: cannot pin %zu bytes at %p: %d\n", len, at, code);
}

/* Of a thread that the program made; main() runs on one from malloc(). */
static void pin_stack(void)
{
	pthread_attr_t attr;
	void *base;
	size_t len;

	if (main_thread || pthread_getattr_np(pthread_self(), &attr))
		return;
	pthread_attr_getstack(&attr, &base, &len);
	pthread_attr_destroy(&attr);
	pin(base, len);
}

/* Under the lock. */
static void near_open(void)
{
	void *module, *arena;
	size_t len;

	if (near.pid == (int)getpid())
		return;
	near.pid = (int)getpid();
	near.first = NULL;
	CU(cuInit, 0u);
	CU(cuDevicePrimaryCtxRetain, &near.ctx, 0);
	CU(cuCtxPushCurrent_v2, near.ctx);
	CU(cuStreamCreateWithPriority, &near.stream, 1u, -5);
	CU(cuModuleLoadData, &module, image_of_merge());
	CU(cuModuleGetFunction, &near.merge, module, "merge");
	near_arena(&arena, &len);
	pin(arena, len);
	CU(cuCtxPopCurrent_v2, &module);
}

static void near_enter_context(void)
{
	near_open();
	CU(cuCtxPushCurrent_v2, near.ctx);
}

static void near_leave_context(void)
{
	void *was;

	CU(cuCtxPopCurrent_v2, &was);
}

/* Under the lock, in the context: what was changed goes back. */
static void piece_push(struct piece *p)
{
	uint64_t n = PIECE / 8, dest = (uint64_t)(uintptr_t)p->at;
	void *args[] = { &dest, &p->now, &p->twin, &n };

	memcpy(p->now, p->at, PIECE);
	if (!memcmp(p->now, p->twin, PIECE))
		return;
	CU(cuLaunchKernel, near.merge, 8, 1, 1, THREADS, 1, 1, 0, near.stream, args, NULL);
	CU(cuStreamSynchronize, near.stream);
	memcpy(p->twin, p->now, PIECE);
}

/* Others that write to it now wait in near_fault() until it has gone back. */
static void near_push(bool drop)
{
	struct piece *p;

	pthread_mutex_lock(&near.lock);
	if (near.first && near.pid == (int)getpid()) {
		near_enter_context();
		for (p = near.first; p; p = p->next) {
			mprotect(p->at, PIECE, PROT_READ);
			piece_push(p);
			mprotect(p->at, PIECE, drop ? PROT_NONE : PROT_READ | PROT_WRITE);
		}
		near_leave_context();
	}
	while (drop && (p = near.first)) {
		near.first = p->next;
		free(p->twin);
		free(p);
	}
	pthread_mutex_unlock(&near.lock);
}

/* Under the lock: a copy of the piece around an address of the GPU; false if it is none. */
static bool near_pull(char *at)
{
	struct piece *p;
	unsigned type = 0;
	bool good = true;

	at = (char *)((uintptr_t)at / PIECE * PIECE);
	for (p = near.first; p; p = p->next) {
		if (p->at == at)
			return true; /* somebody else has it, or had it read-only */
	}
	near_enter_context();
	if (driver("cuPointerGetAttribute")(&type, 2, (uint64_t)(uintptr_t)at) || type != 2)
		good = false;
	p = good ? malloc(sizeof(*p)) : NULL;
	if (p) {
		p->at = at;
		p->twin = malloc(2 * PIECE);
		p->now = p->twin + PIECE;
		CU(cuMemcpyAsync, (uint64_t)(uintptr_t)p->twin, (uint64_t)(uintptr_t)at, PIECE,
		   near.stream);
		CU(cuStreamSynchronize, near.stream);
		must("mprotect", mprotect(at, PIECE, PROT_READ | PROT_WRITE));
		memcpy(at, p->twin, PIECE);
		p->next = near.first;
		near.first = p;
	}
	near_leave_context();
	return p != NULL;
}

static void near_fault(int sig, siginfo_t *info, void *more)
{
	bool good;

	(void)more;
	if (inside) { /* one of our own: as without us */
		signal(sig, SIG_DFL);
		return;
	}
	inside = true;
	pthread_mutex_lock(&near.lock);
	good = near_pull(info->si_addr);
	pthread_mutex_unlock(&near.lock);
	inside = false;
	if (!good) {
		fprintf(stderr, "near: no memory at %p\n", info->si_addr);
		signal(sig, SIG_DFL);
	}
}

/* Whether the thread has a PE on a GPU: without one there is nothing to do. */
static bool mori_far(void)
{
	void *at = dlsym(RTLD_NEXT, "mori_shmem_device_name");
	const char *(*name)(void);

	memcpy(&name, &at, sizeof(name));
	return at && name() && !strcmp(name(), "cuda");
}

HIDDEN void *near_before(int door, void *ret)
{
	static void *real[4096];

	if (depth == NESTED) {
		fprintf(stderr, "near: calls are nested too deep\n");
		_exit(1);
	}
	back[depth] = ret;
	doors[depth++] = door;
	if (depth == 1)
		near_push(false);
	if (!real[door])
		real[door] = dlsym(RTLD_NEXT, near_names[door]);
	return real[door];
}

HIDDEN void *near_after(void)
{
	int door = doors[--depth];

	if (!depth)
		near_push(true);
	if (!pinned && !strncmp(near_names[door], "mori_shmem_init", 15) && mori_far()) {
		pinned = true;
		pthread_mutex_lock(&near.lock);
		near_enter_context();
		pin_stack();
		near_leave_context();
		pthread_mutex_unlock(&near.lock);
	}
	return back[depth];
}

struct program {
	int (*main)(int, char **, char **);
	int argc, code;
	char **argv, **env;
};

static struct program program;

static void *program_run(void *arg)
{
	(void)arg;
	main_thread = true;
	program.code = program.main(program.argc, program.argv, program.env);
	return NULL;
}

static int program_main(int argc, char **argv, char **env)
{
	pthread_attr_t attr;
	pthread_t thread;

	program.argc = argc;
	program.argv = argv;
	program.env = env;
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, aligned_alloc(4096, STACK), STACK);
	must("pthread_create", pthread_create(&thread, &attr, program_run, NULL));
	pthread_join(thread, NULL);
	return program.code;
}

/* In front of the C library's: main() gets a stack that kernels can reach. */
__attribute__((visibility("default"))) int
__libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
		  void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	void *at = dlsym(RTLD_NEXT, "__libc_start_main");
	int (*real)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
		    void (*)(void), void *);

	memcpy(&real, &at, sizeof(real));
	program.main = main;
	return real(program_main, argc, argv, init, fini, rtld_fini, stack_end);
}

__attribute__((constructor)) static void near_load(void)
{
	struct sigaction act = { .sa_sigaction = near_fault, .sa_flags = SA_SIGINFO | SA_NODEFER };

	sigaction(SIGSEGV, &act, NULL);
	sigaction(SIGBUS, &act, NULL);
}
