// SPDX-License-Identifier: MIT
/*
 * For TSan: accesses made on behalf of another process. What orders them with the accesses of this
 * process's threads crosses a network, which TSan does not see; nor would it see the writes of a
 * NIC.
 */
#ifndef MORI_UTIL_TSAN_H
#define MORI_UTIL_TSAN_H

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TSAN_ON 1
#endif
#endif
#if defined(__SANITIZE_THREAD__) && !defined(TSAN_ON)
#define TSAN_ON 1
#endif

#ifdef TSAN_ON
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
#endif

/* For functions that no sanitizer may instrument. */
#if defined(__clang__)
#define TSAN_BARE __attribute__((disable_sanitizer_instrumentation))
#else
#define TSAN_BARE __attribute__((no_sanitize_address, no_sanitize_thread))
#endif

static inline void tsan_foreign_begin(void)
{
#ifdef TSAN_ON
	AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
	AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
#endif
}

static inline void tsan_foreign_end(void)
{
#ifdef TSAN_ON
	AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
	AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
#endif
}

#endif
