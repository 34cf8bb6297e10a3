// SPDX-License-Identifier: MIT
/* A shared object that has nothing to do with the library. */
__attribute__((visibility("default"))) int stranger(void);

int stranger(void)
{
	return 1;
}
