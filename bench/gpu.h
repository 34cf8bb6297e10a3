// SPDX-License-Identifier: MIT
/*
 * What the bench of kernels needs from the driver of an NVIDIA GPU, by dlopen: a context before the
 * library starts, streams, plain copies. Calls return 0, or non-zero after printing the reason to
 * stderr.
 */
#ifndef BENCH_GPU_H
#define BENCH_GPU_H

#include <stddef.h>

/* The context that the library will find in this thread; made once a process. */
int gpu_begin(void);
/* Multiprocessors that this process may use; 0 where that is not known. */
unsigned gpu_units(void);
/* A stream of its own for the calling thread's context; NULL if there is none. */
void *gpu_stream_open(void);
int gpu_stream_wait(void *stream);
int gpu_stream_close(void *stream);
/* The driver's own copy between memory of the GPU. */
int gpu_copy(void *to, const void *from, size_t len, void *stream);

#endif
