// SPDX-License-Identifier: MIT
/*
 * usage: two KERNELS.hsaco
 * Two processes that share memory: a part of VMM by its descriptor, and memory by IPC handles. The
 * first has GPU 0, the second the last that there is.
 */
#include "hip.h"

#include <sys/socket.h>
#include <sys/wait.h>

#define PART  ((size_t)2 << 20)
#define WORDS 1000
/* Where things are in the part, in words. */
enum { DATA = 0, FLAG = 2048, ANSWER = 4096, END = 8192 };

static int channel, me;
static hip_module module;

static void send_bytes(const void *at, size_t n)
{
	CHECK_EQ("bytes sent", write(channel, at, n), n);
}

static void receive_bytes(void *at, size_t n)
{
	CHECK_EQ("bytes received", recv(channel, at, n, MSG_WAITALL), n);
}

/* Both have come here. */
static void meet(void)
{
	char c = 1;

	send_bytes(&c, 1);
	receive_bytes(&c, 1);
}

static void send_fd(int fd)
{
	char c = 0, room[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &c, 1 };
	struct msghdr m = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = room,
			    .msg_controllen = sizeof(room) };
	struct cmsghdr *h = CMSG_FIRSTHDR(&m);

	h->cmsg_level = SOL_SOCKET;
	h->cmsg_type = SCM_RIGHTS;
	h->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(h), &fd, sizeof(int));
	CHECK_EQ("a descriptor sent", sendmsg(channel, &m, 0), 1);
}

static int receive_fd(void)
{
	char c, room[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &c, 1 };
	struct msghdr m = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = room,
			    .msg_controllen = sizeof(room) };
	struct cmsghdr *h;
	int fd = -1;

	CHECK_EQ("a descriptor received", recvmsg(channel, &m, 0), 1);
	h = CMSG_FIRSTHDR(&m);
	if (h)
		memcpy(&fd, CMSG_DATA(h), sizeof(int));
	return fd;
}

static int my_gpu(void)
{
	return me ? hip_devices - 1 : 0;
}

static hip_part part_make(void)
{
	struct hip_part_how how = { .type = 1, .handle = 1, .place = { 1, my_gpu() } };
	hip_part part;
	int fd = -1;

	MUST(hipMemCreate(&part, PART, &how, 0));
	MUST(hipMemExportToShareableHandle(&fd, part, 1, 0));
	send_fd(fd);
	close(fd);
	return part;
}

static hip_part part_take(void)
{
	int fd = receive_fd();
	hip_part part;

	if (hip_version >= HIP_IMPORT_BY_VALUE)
		MUST(hipMemImportFromShareableHandle(&part, (void *)(uintptr_t)fd, 1));
	else
		MUST(hipMemImportFromShareableHandle(&part, &fd, 1));
	close(fd);
	return part;
}

static uint64_t *part_place(hip_part part)
{
	struct hip_access access = { { 1, my_gpu() }, 3 };
	void *at = NULL;

	MUST(hipMemAddressReserve(&at, PART, 0, NULL, 0));
	MUST(hipMemMap(at, PART, 0, part, 0));
	MUST(hipMemSetAccess(at, PART, &access, 1));
	return at;
}

/* What the kernels of the other process have written is here, and nothing else is. */
static void part_check(const uint64_t *at)
{
	uint64_t *host = malloc(END * 8);

	MUST(hipMemcpy(host, at, END * 8, D2H));
	hip_check_words("words of the first", host + DATA, WORDS, 100, 5);
	hip_check_words("words of the second", host + ANSWER, WORDS, 100, 5);
	CHECK_EQ("the flag", host[FLAG], 7);
	for (size_t k = 0; k < END; k++) {
		if (k % ANSWER < WORDS || k == FLAG)
			continue;
		if (!CHECK_EQ("between them", host[k], 0x2b2b2b2b2b2b2b2b))
			break;
	}
	free(host);
}

/*
 * A kernel of the second process waits in the memory of the first for what a kernel there gives,
 * and copies it to another place.
 */
static void test_part(void)
{
	hip_part part = me ? part_take() : part_make();
	uint64_t *at = part_place(part), *data = at + DATA, *flag = at + FLAG;
	uint64_t *answer = at + ANSWER, value = 7, n = WORDS, seed = 100;
	hip_stream s;

	MUST(hipStreamCreateWithFlags(&s, STREAM_NON_BLOCKING));
	if (!me) {
		MUST(hipMemset(at, 0x2b, END * 8));
		MUST(hipDeviceSynchronize());
	}
	meet();
	if (me) {
		LAUNCH(module, "take", 1, 256, s, &flag, &value, &data, &answer, &n);
		CHECK_EQ("a kernel that waits for the other's", hipStreamQuery(s), HIP_NOT_READY);
	}
	meet();
	if (!me)
		LAUNCH(module, "give", 1, 256, s, &flag, &value, &data, &n, &seed);
	MUST(hipStreamSynchronize(s));
	meet();
	part_check(at);
	meet();
	MUST(hipStreamDestroy(s));
	MUST(hipMemUnmap(at, PART));
	MUST(hipMemAddressFree(at, PART));
	MUST(hipMemRelease(part));
}

/* Each gives the other memory, which kernels and copies there then use. */
static void test_ipc(unsigned how)
{
	uint64_t *own, *other, n = WORDS, seed = 50 + (uint64_t)me, host[WORDS + 24];
	struct hip_ipc mine, theirs;

	MUST(hipExtMallocWithFlags((void **)&own, PART, how));
	MUST(hipMemset(own, 0x4d, PART));
	MUST(hipDeviceSynchronize());
	MUST(hipIpcGetMemHandle(&mine, own));
	send_bytes(&mine, sizeof(mine));
	receive_bytes(&theirs, sizeof(theirs));
	MUST(hipIpcOpenMemHandle((void **)&other, theirs, 1));
	MUST(hipMemcpy(host, other, sizeof(host), D2H));
	CHECK_EQ("the other's memory", host[3], 0x4d4d4d4d4d4d4d4d);
	meet();
	LAUNCH(module, "fill", 4, 256, NULL, &other, &n, &seed);
	MUST(hipDeviceSynchronize());
	meet();
	MUST(hipMemcpy(host, own, sizeof(host), D2H));
	hip_check_words("what the other's kernel has written", host, WORDS, 51 - (uint64_t)me, 3);
	CHECK_EQ("behind it", host[WORDS], 0x4d4d4d4d4d4d4d4d);
	meet();
	MUST(hipIpcCloseMemHandle(other));
	meet();
	MUST(hipFree(own));
}

int main(int argc, char **argv)
{
	int ends[2], status = 0;
	pid_t child;

	if (argc < 2)
		return 2;
	test_deadline(300);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 2;
	child = fork(); /* before HIP is there */
	me = child == 0;
	channel = ends[me];
	close(ends[!me]);
	test_deadline(300);
	hip_open();
	CHECK(hip_devices >= 1);
	MUST(hipSetDevice(my_gpu()));
	module = hip_load(argv[1]);
	/* In this order: HIP 6.4 now and then takes memory for VMM's that lies where VMM's has been. */
	test_ipc(0);
	test_ipc(MALLOC_UNCACHED);
	test_part();
	MUST(hipModuleUnload(module));
	if (!me)
		CHECK_EQ("the second process", waitpid(child, &status, 0) == child ? status : -1,
			 0);
	return test_result();
}
