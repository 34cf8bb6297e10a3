// SPDX-License-Identifier: MIT
/*
 * usage: one KERNELS.hsaco OTHER.hsaco
 * HIP in one process, on one GPU and between two: memory, copies, kernels, streams, events.
 */
#include "hip.h"

#include "abi/state.h"

#define GUARD 4096 /* bytes around what is copied */

static hip_module module;

/* @n bytes at an odd place in the middle of others, by each kind of copy, there and back. */
static void test_copy(size_t n, unsigned seed)
{
	size_t all = n + 2 * GUARD;
	unsigned char *from = malloc(all), *to = malloc(all), *want = malloc(all);
	char *a, *b;

	MUST(hipMalloc((void **)&a, all));
	MUST(hipMalloc((void **)&b, all));
	hip_pattern(from, all, seed);
	MUST(hipMemset(a, 0x5a, all));
	MUST(hipMemset(b, 0xa5, all));
	MUST(hipMemcpy(a + GUARD, from + 1, n, H2D));
	MUST(hipMemcpy(b + GUARD, a + GUARD, n, D2D));
	MUST(hipDeviceSynchronize());
	MUST(hipMemcpy(to, b, all, D2H));
	memset(want, 0xa5, all);
	memcpy(want + GUARD, from + 1, n);
	CHECK_MEM("host to device, device to device, and back", to, want, all);
	MUST(hipMemcpy(to, a, all, ANY_COPY));
	memset(want, 0x5a, GUARD);
	memset(want + GUARD + n, 0x5a, GUARD);
	CHECK_MEM("guards of the first", to, want, all);
	MUST(hipFree(a));
	MUST(hipFree(b));
	free(from);
	free(to);
	free(want);
}

static void test_host_memory(void)
{
	size_t n = 300000, bytes = n * 8;
	uint64_t *pinned, *own = aligned_alloc(4096, bytes + 4096), seed = 77, *at, words = n;
	uint64_t *device;

	memset(own, 0x11, bytes + 4096);
	MUST(hipHostMalloc((void **)&pinned, bytes, HOST_MAPPED));
	MUST(hipHostRegister(own, bytes, HOST_MAPPED));
	MUST(hipHostGetDevicePointer((void **)&at, own, 0));
	MUST(hipMalloc((void **)&device, bytes));
	LAUNCH(module, "fill", (unsigned)(n + 255) / 256, 256, NULL, &at, &words, &seed);
	MUST(hipDeviceSynchronize());
	hip_check_words("a kernel in registered memory", own, n, seed, 3);
	CHECK_EQ("behind it", own[n], 0x1111111111111111);
	MUST(hipMemcpy(device, own, bytes, H2D));
	MUST(hipMemcpy(pinned, device, bytes, D2H));
	hip_check_words("pinned memory", pinned, n, seed, 3);
	MUST(hipHostUnregister(own));
	MUST(hipHostFree(pinned));
	MUST(hipFree(device));
	free(own);
}

static void test_kernels(void)
{
	size_t n = 1000, bad = 0;
	uint64_t words = n, seed = 5, other = 9000, *a, *b, *c, *host = malloc(8192);

	MUST(hipMalloc((void **)&a, 8192));
	MUST(hipMalloc((void **)&b, 8192));
	MUST(hipMalloc((void **)&c, 8192));
	MUST(hipMemset(c, 0xee, 8192));
	LAUNCH(module, "fill", 4, 256, NULL, &a, &words, &seed);
	LAUNCH(module, "fill", 4, 256, NULL, &b, &words, &other);
	LAUNCH(module, "add", 4, 256, NULL, &a, &b, &c, &words);
	LAUNCH(module, "turn", 3, 256, NULL, &c);
	MUST(hipMemcpy(host, c, 8192, D2H));
	for (size_t k = 0; k < n; k++) {
		size_t at = k < 768 ? k / 256 * 256 + 255 - k % 256 : k;

		bad += host[k] != seed + other + at * (3 + 3);
	}
	CHECK_EQ("words of add and turn", bad, 0);
	for (size_t k = n; k < 1024; k++)
		bad += host[k] != 0xeeeeeeeeeeeeeeee;
	CHECK_EQ("words behind them", bad, 0);
	MUST(hipFree(a));
	MUST(hipFree(b));
	MUST(hipFree(c));
	free(host);
}

/* A grid whose last block is short: no thread of it is beyond the grid. */
static void test_short_block(void)
{
	uint64_t *out, host[512], n = 512, seed = 60;
	void *args[] = { &out, &n, &seed, NULL };
	hip_function f;

	MUST(hipMalloc((void **)&out, 4096));
	MUST(hipMemset(out, 0x21, 4096));
	MUST(hipModuleGetFunction(&f, module, "fill"));
	MUST(hipExtModuleLaunchKernel(f, 301, 1, 1, 256, 1, 1, 0, NULL, args, NULL, NULL, NULL, 0));
	MUST(hipMemcpy(host, out, 4096, D2H));
	hip_check_words("words of a short block", host, 301, seed, 3);
	for (size_t k = 301; k < 512; k++)
		if (!CHECK_EQ("behind it", host[k], 0x2121212121212121))
			break;
	MUST(hipFree(out));
}

/* A kernel of one stream waits for one of another, and a third stream for both by events. */
static void test_streams(void)
{
	hip_stream s[3];
	hip_event begin, end;
	uint64_t *flag, *in, *out, host[512], n = 500, want = 41, seed = 1234, *counter;
	float ms = -1;

	for (int k = 0; k < 3; k++)
		MUST(hipStreamCreateWithFlags(&s[k], STREAM_NON_BLOCKING));
	MUST(hipEventCreateWithFlags(&begin, 0));
	MUST(hipEventCreateWithFlags(&end, 0));
	MUST(hipMalloc((void **)&flag, 4096));
	MUST(hipMalloc((void **)&in, 4096));
	MUST(hipMalloc((void **)&out, 4096));
	MUST(hipMalloc((void **)&counter, 4096));
	MUST(hipMemset(flag, 0, 4096));
	MUST(hipMemset(out, 0x77, 4096));
	MUST(hipMemset(counter, 0, 4096));
	MUST(hipDeviceSynchronize());
	MUST(hipEventRecord(begin, s[0]));
	LAUNCH(module, "take", 1, 128, s[0], &flag, &want, &in, &out, &n);
	CHECK_EQ("a stream whose kernel waits", hipStreamQuery(s[0]), HIP_NOT_READY);
	MUST(hipEventRecord(end, s[0]));
	CHECK_EQ("an event behind it", hipEventQuery(end), HIP_NOT_READY);
	MUST(hipStreamWaitEvent(s[2], end, 0));
	LAUNCH(module, "count", 2, 64, s[2], &counter);
	LAUNCH(module, "give", 1, 192, s[1], &flag, &want, &in, &n, &seed);
	MUST(hipEventSynchronize(end));
	MUST(hipStreamSynchronize(s[2]));
	CHECK_EQ("the stream afterwards", hipStreamQuery(s[0]), 0);
	MUST(hipMemcpyAsync(host, out, 4096, D2H, s[1]));
	MUST(hipStreamSynchronize(s[1]));
	hip_check_words("what the kernel took", host, n, seed, 5);
	CHECK_EQ("behind it", host[n], 0x7777777777777777);
	MUST(hipMemcpy(host, counter, 16, D2H));
	CHECK_EQ("threads that counted", host[0], 128);
	MUST(hipEventElapsedTime(&ms, begin, end));
	CHECK(ms >= 0);
	for (int k = 0; k < 3; k++)
		MUST(hipStreamDestroy(s[k]));
	MUST(hipEventDestroy(begin));
	MUST(hipEventDestroy(end));
	MUST(hipFree(flag));
	MUST(hipFree(in));
	MUST(hipFree(out));
	MUST(hipFree(counter));
}

/* A stream waits for a word that another writes. */
static void test_stream_values(void)
{
	hip_stream a, b;
	uint64_t *word, *out, host[64], n = 60, seed = 31;

	MUST(hipStreamCreateWithFlags(&a, STREAM_NON_BLOCKING));
	MUST(hipStreamCreateWithFlags(&b, STREAM_NON_BLOCKING));
	MUST(hipExtMallocWithFlags((void **)&word, 8, MALLOC_SIGNAL));
	MUST(hipMalloc((void **)&out, 512));
	MUST(hipMemset(out, 0, 512));
	MUST(hipDeviceSynchronize());
	*word = 0;
	MUST(hipStreamWaitValue64(a, word, 17, WAIT_GTE, ~0ull));
	LAUNCH(module, "fill", 1, 64, a, &out, &n, &seed);
	CHECK_EQ("a stream that waits for a value", hipStreamQuery(a), HIP_NOT_READY);
	MUST(hipStreamWriteValue64(b, word, 18, 0));
	MUST(hipStreamSynchronize(a));
	MUST(hipStreamSynchronize(b));
	CHECK_EQ("the word", *word, 18);
	MUST(hipMemcpy(host, out, 512, D2H));
	hip_check_words("a kernel behind it", host, n, seed, 3);
	MUST(hipStreamDestroy(a));
	MUST(hipStreamDestroy(b));
	MUST(hipFree(word));
	MUST(hipFree(out));
}

/* A copy and a kernel of the second GPU in memory of the first. */
static void test_two_gpus(const char *image)
{
	uint64_t *here, *there, host[1024], n = 1000, seed = 400;
	hip_module other;

	MUST(hipMalloc((void **)&here, 8192));
	MUST(hipMemset(here, 0x33, 8192));
	MUST(hipDeviceSynchronize());
	MUST(hipSetDevice(1));
	other = hip_load(image);
	MUST(hipMalloc((void **)&there, 8192));
	LAUNCH(other, "fill", 4, 256, NULL, &there, &n, &seed);
	MUST(hipDeviceSynchronize());
	MUST(hipMemcpy(here, there, n * 8, D2D));
	MUST(hipMemcpy(host, here, 8192, D2H));
	hip_check_words("a copy between GPUs", host, n, seed, 3);
	CHECK_EQ("behind it", host[n], 0x3333333333333333);
	MUST(hipDeviceEnablePeerAccess(0, 0));
	seed = 900;
	LAUNCH(other, "fill", 4, 256, NULL, &here, &n, &seed);
	MUST(hipDeviceSynchronize());
	MUST(hipMemcpy(host, here, 8192, D2H));
	hip_check_words("a kernel in memory of the other GPU", host, n, seed, 3);
	MUST(hipModuleUnload(other));
	MUST(hipFree(there));
	MUST(hipSetDevice(0));
	MUST(hipFree(here));
}

/* The library's way to tell a module whose kernels it has. */
static void test_global(void)
{
	struct dev_state *state;
	struct dev_link *at, link;
	uint64_t *out, got = 0;
	size_t size = 0;

	MUST(hipHostMalloc((void **)&state, sizeof(*state), HOST_MAPPED));
	memset(state, 0, sizeof(*state));
	*state = (struct dev_state){ .life = DEV_LIFE_OPEN, .my_pe = 6, .n_pes = 9 };
	MUST(hipMalloc((void **)&out, 8));
	CHECK(hipModuleGetGlobal((void **)&at, &size, module, "there is none") != 0);
	MUST(hipModuleGetGlobal((void **)&at, &size, module, "globalGpuStates"));
	CHECK_EQ("size of a variable", size, sizeof(link));
	MUST(hipMemcpy(&link, at, sizeof(link), D2H));
	CHECK_EQ("what is in it", link.abi, DEV_ABI);
	link.state = state;
	MUST(hipMemcpy(at, &link, sizeof(link), H2D));
	LAUNCH(module, "who", 1, 64, NULL, &out);
	MUST(hipMemcpy(&got, out, 8, D2H));
	CHECK_EQ("what a kernel finds in it", got, 6009);
	MUST(hipFree(out));
	MUST(hipHostFree(state));
}

/* Modules that take each other's place in memory; @images differ in a factor, 3 and 7. */
static void test_modules(char **images)
{
	uint64_t *out, host[64], n = 64, seed = 8;

	MUST(hipMalloc((void **)&out, 512));
	for (unsigned k = 0; k < 16; k++) {
		hip_module m = hip_load(images[k % 2]);

		LAUNCH(m, "fill", 1, 64, NULL, &out, &n, &seed);
		MUST(hipMemcpy(host, out, 512, D2H));
		hip_check_words("a module after another", host, n, seed, k % 2 ? 7 : 3);
		MUST(hipModuleUnload(m));
	}
	MUST(hipFree(out));
}

int main(int argc, char **argv)
{
	static const size_t sizes[] = { 1, 7, 4096, 65537, 1 << 20, (5 << 20) + 3 };
	char name[100] = "";
	size_t avail = 0, total = 0;
	void *none = NULL;

	if (argc < 3)
		return 2;
	test_deadline(300);
	hip_open();
	CHECK(hip_devices >= 1);
	MUST(hipDeviceGetName(name, sizeof(name), 0));
	CHECK_EQ("name of the GPU", strcmp(name, "a GPU in software"), 0);
	MUST(hipMemGetInfo(&avail, &total));
	CHECK(total > 1 << 30 && avail <= total);
	CHECK(hipMalloc(&none, total + (1 << 20)) != 0);
	CHECK(hipModuleLoadData(&module, "no code object, but long enough to be read as one") != 0);
	module = hip_load(argv[1]);
	for (size_t k = 0; k < TEST_LEN(sizes); k++)
		test_copy(sizes[k], (unsigned)k);
	test_host_memory();
	test_kernels();
	test_short_block();
	test_streams();
	test_stream_values();
	test_global();
	test_modules(argv + 1);
	if (hip_devices > 1)
		test_two_gpus(argv[1]);
	MUST(hipModuleUnload(module));
	printf("HIP %d, %d GPUs\n", hip_version, hip_devices);
	return test_result();
}
