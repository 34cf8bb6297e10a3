// SPDX-License-Identifier: MIT
/* Many PEs as threads of one process: 200, then 1000, each with its own data. */
#include "boot/helper.h"

static void *pe_main(void *arg)
{
	struct pe *p = arg;

	if (!CHECK(pe_join(p) == 0, "rank %d", p->rank))
		return NULL;
	if (p->rank % 50 == 0)
		check_table(p);
	CHECK(boot_n_procs(p->b) == 1);
	check_collectives(p, 7);
	boot_leave(p->b, p->rank);
	return NULL;
}

static void run(int n)
{
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES];
	struct pe *pes = calloc((size_t)n, sizeof(*pes));
	double start = seconds();

	CHECK(boot_open_rdv(&c, uid) == 0);
	pes_start(pes, n, 0, n, uid, pe_main);
	pes_join(pes, n);
	printf("%d threads: %.0f ms\n", n, 1e3 * (seconds() - start));
	free(pes);
}

int main(void)
{
	test_deadline(240);
	run(200);
	run(1000);
	return test_result();
}
