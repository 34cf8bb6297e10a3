// SPDX-License-Identifier: MIT
/*
 * The log: lines on standard error, one write(2) each, so that lines of several
 * PEs never mix. Format: "mori[pid:rank] level: text". The level is process-wide;
 * options.c sets it from MORI_SHMEM_LOG_LEVEL or MORI_GLOBAL_LOG_LEVEL.
 */
#ifndef MORI_UTIL_LOG_H
#define MORI_UTIL_LOG_H

enum log_level { LOG_TRACE, LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

void log_set_level(enum log_level level);
int log_on(enum log_level level);
/* The PE of the calling thread; -1 for none. */
void log_set_rank(int rank);
void log_line(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define log_trace(...) (log_on(LOG_TRACE) ? log_line(LOG_TRACE, __VA_ARGS__) : (void)0)
#define log_debug(...) (log_on(LOG_DEBUG) ? log_line(LOG_DEBUG, __VA_ARGS__) : (void)0)
#define log_info(...)  (log_on(LOG_INFO) ? log_line(LOG_INFO, __VA_ARGS__) : (void)0)
#define log_warn(...)  (log_on(LOG_WARN) ? log_line(LOG_WARN, __VA_ARGS__) : (void)0)
#define log_error(...) (log_on(LOG_ERROR) ? log_line(LOG_ERROR, __VA_ARGS__) : (void)0)

#endif
