// SPDX-License-Identifier: MIT
/* Structs of the caller whose size this library need not know: see sized.h. */
#include "core/sized.h"

#include <mori/shmem_types.h>

#include <string.h>

#include "util/err.h"

#define SIZED_LEAST (2 * sizeof(size_t)) /* struct_size and something to fill */
#define SIZED_MOST  4096		 /* more is a variable that nobody has set */

int sized_check(const char *call, const char *what, size_t size, size_t full)
{
	if (size >= SIZED_LEAST && size <= SIZED_MOST && !(size % sizeof(size_t)))
		return 0;
	return err_set(MORI_SHMEM_EINVAL,
		       "mori_shmem_%s: %s->struct_size is %zu; set it to the sizeof of the struct, "
		       "%zu in this version, before the call",
		       call, what, size, full);
}

void sized_copy(void *to, size_t size, const void *from, size_t full)
{
	const size_t first = sizeof(size_t); /* struct_size itself */

	if (size > full)
		memset((char *)to + full, 0, size - full);
	memcpy((char *)to + first, (const char *)from + first, (size < full ? size : full) - first);
}
