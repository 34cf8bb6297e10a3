// SPDX-License-Identifier: MIT
#include "util/env.h"

#include <errno.h>
#include <stdlib.h>

int env_int(const char *name, int lo, int hi, int *value)
{
	const char *text = getenv(name);
	char *end;
	long v;

	if (!text || !*text)
		return 0;
	errno = 0;
	v = strtol(text, &end, 10);
	if (*end || errno || v < lo || v > hi || *text < '0' || *text > '9')
		return -1;
	*value = (int)v;
	return 1;
}
