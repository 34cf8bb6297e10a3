// SPDX-License-Identifier: MIT
/* For tests of failures in kernels of a device: hear() collects what is reported to a PE. */
#ifndef MORI_TESTS_HEARD_H
#define MORI_TESTS_HEARD_H

#include "gpu.h"

static _Thread_local struct {
	int times;
	char text[2048];
} heard;

static __attribute__((constructor)) void prepare(void)
{
	unsetenv("MORI_NOTES"); /* what fails here is meant to */
	setenv("MORI_SHMEM_WAIT_TIMEOUT", "0.001", 1);
}

static void hear(void *arg, const char *text)
{
	(void)arg;
	heard.times++;
	snprintf(heard.text, sizeof(heard.text), "%s", text);
}

#endif
