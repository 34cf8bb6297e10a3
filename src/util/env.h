// SPDX-License-Identifier: MIT
/* Numbers in variables of launchers; core/options.c parses the library's own variables. */
#ifndef MORI_UTIL_ENV_H
#define MORI_UTIL_ENV_H

/* 1 and *value; 0 if @name is unset or empty; -1 unless it is a whole number from @lo to @hi. */
int env_int(const char *name, int lo, int hi, int *value);

#endif
