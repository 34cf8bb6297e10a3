// SPDX-License-Identifier: MIT
/*
 * What the bench of kernels asks the driver of an NVIDIA GPU for itself, by dlopen: a
 * context before the library starts, streams, plain copies. Calls give 0 or not 0, and
 * say why on stderr.
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
