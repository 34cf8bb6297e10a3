// SPDX-License-Identifier: MIT
/*
 * Kernels name the operation that failed by its place in the list, and know the state by the
 * places of its fields: a module that was compiled before the list or the state has changed must
 * be refused, by a DEV_ABI that is another. Whoever changes either raises DEV_ABI, and sets the
 * numbers here to what this test prints.
 */
#include "test.h"

#include "abi/ops.h"
#include "abi/state.h"

#define ABI   6u
#define OPS   0x8a4e408bu
#define STATE 0x27646ad5u

#define NAME(name, params, call)		 #name ",",
#define NAME_VALUE(ret, bad, name, params, call) #name ",",
#define NAME0(name, call)			 #name ",",
#define NAME_VALUE0(ret, bad, name, call)	 #name ",",
static const char *const names[] = { MORI_DEVICE_OPS(NAME, NAME_VALUE, NAME0, NAME_VALUE0) };

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
		sizeof(struct dev_record),
		AT(dev_record, addr),
		AT(dev_record, block),
		AT(dev_record, thread),
		sizeof(struct dev_fault),
		AT(dev_fault, late),
		sizeof(struct dev_window),
		DEV_RECORDS,
	};
	uint32_t ops = 2166136261u, state = 2166136261u;
	int same;

	for (size_t i = 0; i < TEST_LEN(names); i++)
		ops = hash(ops, names[i], strlen(names[i]));
	state = hash(state, places, sizeof(places));
	CHECK_EQ("DEV_ABI", DEV_ABI, ABI);
	CHECK_EQ("operations", DEV_OP_COUNT, TEST_LEN(names) + 1);
	same = CHECK_EQ("the list: raise DEV_ABI", ops, OPS);
	same &= CHECK_EQ("the state: raise DEV_ABI", state, STATE);
	if (!same)
		fprintf(stderr, "#define OPS 0x%xu\n#define STATE 0x%xu\n", ops, state);
	return test_result();
}
