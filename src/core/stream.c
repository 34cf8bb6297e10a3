// SPDX-License-Identifier: MIT
/*
 * Operations in the order of a stream. The CPU has no streams: the only one is
 * NULL, and there everything has happened when the call returns.
 */
#include "util/err.h"

#include <mori/shmem.h>

static int stream_check(const char *name, const void *stream)
{
	if (!stream)
		return 0;
	return err_set(MORI_SHMEM_EINVAL,
		       "mori_shmem_%s_on_stream: the CPU has no streams; pass NULL", name);
}

int mori_shmem_barrier_on_stream(void *stream)
{
	int err = stream_check("barrier", stream);

	return err ? err : mori_shmem_barrier_all();
}

int mori_shmem_putmem_on_stream(void *dest, const void *src, size_t bytes, int pe, int qp,
				void *stream)
{
	int err = stream_check("putmem", stream);

	return err ? err : mori_shmem_putmem_thread(dest, src, bytes, pe, qp);
}

int mori_shmem_getmem_on_stream(void *dest, const void *src, size_t bytes, int pe, int qp,
				void *stream)
{
	int err = stream_check("getmem", stream);

	return err ? err : mori_shmem_getmem_thread(dest, src, bytes, pe, qp);
}

int mori_shmem_putmem_signal_on_stream(void *dest, const void *src, size_t bytes, void *sig,
				       uint64_t value, int op, int pe, int qp, void *stream)
{
	int err = stream_check("putmem_signal", stream);

	return err ? err :
		     mori_shmem_putmem_signal_thread(dest, src, bytes, sig, value, op, pe, qp);
}

int mori_shmem_signal_op_on_stream(uint64_t *sig, uint64_t value, int op, int pe, int qp,
				   void *stream)
{
	int err = stream_check("signal_op", stream);

	return err ? err : mori_shmem_signal_op_thread(sig, value, op, pe, qp);
}

int mori_shmem_quiet_on_stream(void *stream)
{
	int err = stream_check("quiet", stream);

	return err ? err : mori_shmem_quiet_thread();
}

#define WAIT_ON_STREAM(name, type, ...)                                                            \
	int mori_shmem_##name##_wait_until_on_stream(type *addr, int cmp, type value,              \
						     void *stream)                                 \
	{                                                                                          \
		int err = stream_check(#name "_wait_until", stream);                               \
                                                                                                   \
		return err ? err : mori_shmem_##name##_wait_until(addr, cmp, value);               \
	}
MORI_EACH_AMO_TYPE(WAIT_ON_STREAM, )
