// SPDX-License-Identifier: MIT
/*
 * Kernels access the state by the offsets of its fields: a module that was compiled before the
 * state changed must be refused, by another DEV_ABI. A change of the state raises DEV_ABI, and
 * sets the numbers here to what this test prints.
 */
#include "test.h"

#include "abi/state.h"

#define ABI   9u
#define STATE 0x849d1826u

static uint32_t hash(uint32_t h, const void *data, size_t n)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 16777619u;
	return h;
}

#define AT(type, field) (uint32_t)offsetof(struct type, field)

int main(void)
{
	static const uint32_t places[] = {
		sizeof(struct dev_state),
		AT(dev_state, life),
		AT(dev_state, heap_base),
		AT(dev_state, slot),
		AT(dev_state, wait_ns),
		AT(dev_state, sync),
		AT(dev_state, num_qp),
		AT(dev_state, queues),
		AT(dev_state, fault),
		AT(dev_state, records),
		AT(dev_state, news),
		AT(dev_state, index),
		sizeof(struct dev_record),
		AT(dev_record, addr),
		AT(dev_record, block),
		AT(dev_record, thread),
		sizeof(struct dev_fault),
		AT(dev_fault, late),
		sizeof(struct dev_window),
		sizeof(struct dev_window_entry),
		DEV_RECORDS,
		AT(dev_state, area),
		AT(dev_state, team),
		sizeof(struct dev_team_layout),
		AT(dev_team, all_p2p),
		AT(dev_team, pe),
		DEV_TEAMS,
		DEV_TEAM_WORDS,
		DEV_TEAM_LOW,
	};
	uint32_t state = 2166136261u;

	state = hash(state, places, sizeof(places));
	CHECK_EQ("DEV_ABI", DEV_ABI, ABI);
	if (!CHECK_EQ("the state: raise DEV_ABI", state, STATE))
		fprintf(stderr, "#define STATE 0x%xu\n", state);
	return test_result();
}
