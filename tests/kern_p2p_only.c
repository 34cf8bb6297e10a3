// SPDX-License-Identifier: MIT
/*
 * Kernels that were compiled without queues: a PE with a peer that only a queue reaches
 * refuses them, and memory that only a queue reaches is refused while some are loaded. One
 * that hides what it is fails in its calls.
 */
/* TEST: pes=2,4 net=procs,threads,nodes */
#include "kern.h"

#include <dlfcn.h>

#define LEN	       64
#define DEV_LINK_BYTES 24 /* of globalGpuStates */
#define DEV_LINK_FLAGS 16 /* where in it */

static _Thread_local void *image;
static _Thread_local size_t image_size;

static int all_p2p(void)
{
	int p2p = 0;

	for (int pe = 0; pe < n_pes; pe++)
		p2p += pes_p2p(pe);
	return p2p == n_pes;
}

static size_t n_p2p(void)
{
	mori_shmem_heap_info_t info = { .struct_size = sizeof(info) };

	MUST(mori_shmem_heap_info(&info));
	return info.p2p;
}

static void *borrow(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 32);

	path[n > 0 ? n : 0] = '\0';
	snprintf(strrchr(path, '/'), 32, "/kernels/soak_p2p_only.so");
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static int try_load(mori_shmem_module_t **out)
{
	*out = NULL;
	return mori_shmem_module_load(image, image_size, out);
}

/* A put to the next PE, which the kernel says went wrong or well. */
static int64_t put_next(mori_shmem_module_t *module, void *box, int value)
{
	unsigned char *src = pes_malloc(LEN);
	int64_t *status = pes_malloc(sizeof(*status)), got;
	uint64_t len = LEN, scope = 2, to = (uint64_t)(me + 1) % (uint64_t)n_pes;

	fill(src, value, LEN);
	BARRIER();
	CHECK_OK(RUN_KERNEL(module, "soak_put", 1, 8, &box, &src, &len, &scope, &to, &status));
	got = *status;
	CHECK_EQ("the PE knows", mori_shmem_status(), got); /* which is a look */
	BARRIER();
	MUST(mori_shmem_free(src));
	MUST(mori_shmem_free(status));
	return got;
}

static void check_refused(int status, const char *call, const char *why)
{
	CHECK_EQ(call, status, MORI_SHMEM_ENOTSUP);
	CHECK_TEXT(mori_shmem_last_error(), call);
	CHECK_TEXT(mori_shmem_last_error(), "compiled without queues");
	CHECK_TEXT(mori_shmem_last_error(), why);
	CHECK_TEXT(mori_shmem_last_error(), "without `mori cc --p2p`");
	CHECK_TEXT(mori_shmem_last_error(), "get_extern_libs(p2p=False)");
}

/* Neither a load nor a module of the user's own; and none of the two is written to. */
static void refused(const char *why)
{
	void *handle = borrow(), **link = handle ? dlsym(handle, "globalGpuStates") : NULL;
	mori_shmem_module_t *module;

	MUST(link ? 0 : MORI_SHMEM_ENOENT);
	check_refused(try_load(&module), "mori_shmem_module_load", why);
	CHECK(!module);
	check_refused(mori_shmem_module_init(handle), "mori_shmem_module_init", why);
	CHECK(!link[1]);
	dlclose(handle);
}

/* Its mark is gone: the kernel itself cannot reach the next PE if load and store do not. */
static void hidden(void)
{
	unsigned char *box = mori_shmem_calloc(1, LEN), *copy = malloc(image_size), *at;
	int to = (me + 1) % n_pes, p2p = pes_p2p(to);
	void *handle = borrow();
	mori_shmem_module_t *module;
	mori_shmem_fault_t fault = { .struct_size = sizeof(fault) };
	char pe[16];

	memcpy(copy, image, image_size);
	at = memmem(copy, image_size, dlsym(handle, "globalGpuStates"), DEV_LINK_BYTES);
	dlclose(handle);
	MUST(box && at && at[DEV_LINK_FLAGS] == 1 ? 0 : MORI_SHMEM_ENOENT);
	at[DEV_LINK_FLAGS] = 0;
	MUST(mori_shmem_module_load(copy, image_size, &module));
	CHECK_EQ("in the kernel", put_next(module, box, me), p2p ? 0 : MORI_SHMEM_ENOTSUP);
	if (!pes_p2p((me + n_pes - 1) % n_pes))
		CHECK_EQ("nothing came", box[0] | box[LEN - 1], 0);
	CHECK_EQ("check", mori_shmem_check(&fault), p2p ? 0 : MORI_SHMEM_ENOTSUP);
	if (!p2p) {
		CHECK_EQ("to whom", fault.pe, to);
		CHECK_TEXT(fault.op, "putmem_block");
		snprintf(pe, sizeof(pe), "PE %d ", to);
		CHECK_TEXT(mori_shmem_last_error(), pe);
		CHECK_TEXT(mori_shmem_last_error(), "putmem_block in a kernel");
		CHECK_TEXT(mori_shmem_last_error(), "without `mori cc --p2p`");
		CHECK_TEXT(mori_shmem_last_error(), "get_extern_libs(p2p=False)");
	}
	MUST(mori_shmem_module_unload(module));
	MUST(mori_shmem_free(box));
	free(copy);
}

/* All PEs get the error, and the memory is not registered on any. */
static void register_refused(unsigned char *window, int who)
{
	mori_shmem_memobj_t obj;
	char pe[32];

	snprintf(pe, sizeof(pe), "PE %d holds kernels", who);
	check_refused(mori_shmem_symmetric_register(window, LEN), "symmetric_register", pe);
	CHECK_EQ("registered", mori_shmem_query_memobj(window, &obj), MORI_SHMEM_ENOENT);
	CHECK_EQ("p2p", n_p2p(), n_pes);
}

/* Memory of each process alone, in a window: with queues, and without. */
static void window(mori_shmem_module_t *module)
{
	unsigned char *w = pes_private(LEN);
	mori_shmem_module_t *other, *whole = kern_load("soak");

	if (pes_here() == n_pes) { /* one process has it all */
		CHECK_OK(mori_shmem_symmetric_register(w, LEN));
		CHECK_EQ("p2p", n_p2p(), n_pes);
		CHECK_EQ("put", put_next(module, w, me), 0);
		CHECK_EQ("came", differs(w, (me + n_pes - 1) % n_pes, LEN), LEN);
		CHECK_OK(mori_shmem_symmetric_deregister(w, LEN));
		MUST(mori_shmem_module_unload(module));
	} else {
		CHECK_OK(mori_shmem_module_init(module)); /* once more is once */
		BARRIER();
		register_refused(w, 0);
		if (me != n_pes - 1)
			MUST(mori_shmem_module_unload(module));
		BARRIER();
		register_refused(w, n_pes - 1);
		if (me == n_pes - 1)
			MUST(mori_shmem_module_unload(module));
		BARRIER();
		CHECK_OK(mori_shmem_symmetric_register(w, LEN));
		CHECK_EQ("p2p", n_p2p(), pes_here());
		CHECK_EQ("put", put_next(whole, w, me), 0);
		CHECK_EQ("came", differs(w, (me + n_pes - 1) % n_pes, LEN), LEN);
		refused("cannot be mapped");
		CHECK_OK(mori_shmem_symmetric_deregister(w, LEN));
	}
	CHECK_EQ("p2p", n_p2p(), n_pes);
	CHECK_OK(try_load(&other));
	MUST(mori_shmem_module_unload(other));
	MUST(mori_shmem_module_unload(whole));
	BARRIER();
	free(w);
}

/* Nothing reports that a user's own module was unloaded, so it still counts. */
static void borrowed(void)
{
	unsigned char *w = pes_private(LEN);
	void *handle = me || pes_here() == n_pes ? NULL : borrow();

	if (handle) {
		CHECK_OK(mori_shmem_module_init(handle));
		CHECK_OK(mori_shmem_module_init(handle));
	}
	BARRIER();
	if (pes_here() != n_pes)
		register_refused(w, 0);
	if (handle)
		dlclose(handle);
	if (pes_here() != n_pes)
		register_refused(w, 0);
	free(w);
}

static int test_pe(void)
{
	unsigned char *box = mori_shmem_calloc(1, LEN);
	mori_shmem_module_t *module;

	MUST(box ? 0 : MORI_SHMEM_ENOMEM);
	image = kern_image("soak_p2p_only", &image_size);
	if (!image)
		SKIP(KERN_NONE);
	if (all_p2p()) {
		CHECK_EQ("p2p", n_p2p(), n_pes);
		MUST(try_load(&module));
		CHECK_EQ("put", put_next(module, box, me), 0);
		CHECK_EQ("came", differs(box, (me + n_pes - 1) % n_pes, LEN), LEN);
		window(module);
		borrowed();
	} else {
		refused(getenv("PES_NODE") ? "it is on another node" : "MORI_DISABLE_P2P is set");
		hidden();
	}
	MUST(mori_shmem_free(box));
	free(image);
	return 0;
}
