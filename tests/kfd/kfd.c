// SPDX-License-Identifier: MIT
/* What the environment says: the folder of the topology, and from it the GPUs. */
#include "kfd.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static struct kfd_setup setup;
static pthread_once_t setup_once = PTHREAD_ONCE_INIT;

static void kfd_vsay(const char *format, va_list args)
{
	char text[1000];
	int n = snprintf(text, sizeof(text), "[fake kfd %d] ", (int)getpid());

	vsnprintf(text + n, sizeof(text) - (size_t)n, format, args);
	fprintf(stderr, "%s\n", text);
}

void kfd_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	kfd_vsay(format, args);
	va_end(args);
}

void kfd_die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	kfd_vsay(format, args);
	va_end(args);
	abort();
}

/* 90402 is gfx942, 90010 is gfx90a. */
static void kfd_read_gfx(FILE *f)
{
	char key[100];
	unsigned long long value;

	while (fscanf(f, "%99s %llu", key, &value) == 2)
		if (!strcmp(key, "gfx_target_version"))
			snprintf(setup.gfx, sizeof(setup.gfx), "gfx%llu%llu%llx", value / 10000,
				 value / 100 % 100, value % 100);
}

/* Each piece of memory has a descriptor here, of which the real KFD's process knows nothing. */
static void kfd_raise_limit(void)
{
	struct rlimit l;

	if (!getrlimit(RLIMIT_NOFILE, &l)) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

static void kfd_read_setup(void)
{
	char path[400];
	FILE *f;

	setup.verbose = getenv("FAKE_KFD_VERBOSE");
	setup.topology = getenv("FAKE_KFD");
	if (!setup.topology)
		return;
	kfd_raise_limit();
	for (unsigned n = 1; n <= KFD_GPUS; n++) {
		snprintf(path, sizeof(path), "%s/nodes/%u/properties", setup.topology, n);
		f = fopen(path, "r");
		if (!f)
			break;
		kfd_read_gfx(f);
		fclose(f);
		setup.n_gpus = n;
	}
	if (!setup.n_gpus)
		kfd_die("FAKE_KFD=%s is no topology with GPUs; tests/kfd/run makes one",
			setup.topology);
}

const struct kfd_setup *kfd_setup(void)
{
	pthread_once(&setup_once, kfd_read_setup);
	return &setup;
}

/* topology.sh writes the same: node 0 is the processor. */
uint32_t kfd_gpu_id(unsigned gpu)
{
	return gpu + 2;
}

unsigned kfd_gpu_of(uint32_t gpu_id)
{
	if (gpu_id < 2 || gpu_id - 2 >= kfd_setup()->n_gpus)
		kfd_die("there is no GPU %u", gpu_id);
	return gpu_id - 2;
}
