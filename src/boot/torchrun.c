// SPDX-License-Identifier: MIT
/*
 * torchrun's processes know an address and a port, which belong to its own store: the id comes on
 * another port of that host, where rank 0 is.
 */
#include <stdio.h>
#include <stdlib.h>

#include "boot/find.h"
#include "boot/publish.h"

static const char *env_or(const char *name, const char *other)
{
	const char *text = getenv(name);

	return text ? text : other;
}

int torchrun_share(const struct boot_config *config, struct boot_job *job)
{
	struct publish p = { .way = "torchrun",
			     .here = job->rank == 0,
			     .named = "MASTER_ADDR",
			     .instead = "",
			     .ifname = config->ifname };
	int port, err = find_int("MASTER_PORT", 1, 65535, &port);

	if (err < 0)
		return err;
	p.number = (uint64_t)port;
	p.not_port = (uint16_t)port;
	snprintf(p.from, sizeof(p.from), "MASTER_PORT=%d", port);
	snprintf(p.addr, sizeof(p.addr), "%s", env_or("MASTER_ADDR", ""));
	snprintf(p.job, sizeof(p.job), "torchrun|%s|%s|%s|%d|%d", env_or("TORCHELASTIC_RUN_ID", ""),
		 env_or("TORCHELASTIC_RESTART_COUNT", ""), p.addr, port, job->nranks);
	return publish_share(&p, config, job);
}
