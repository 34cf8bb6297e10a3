// SPDX-License-Identifier: MIT
/* Teams: the ones that every job has, and those that its PEs make; see abi/teams.h. */
#ifndef MORI_CORE_TEAM_H
#define MORI_CORE_TEAM_H

struct pe;

/* Makes the teams that every job has. Its heap is open, and what kernels see of the PE. */
int team_open(struct pe *pe);

#endif
