// SPDX-License-Identifier: MIT
/*
 * `mori perf --net`: the same jobs with their PEs on two nodes, which mori-nodes makes of
 * network namespaces. The command starts itself anew among them.
 */
#include "perf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int net_enter(const struct perf_tools *t, int argc, char **argv)
{
	char nodes[PATH_MAX], **args;
	int n = 0;

	if (getenv("NODES"))
		return 0;
	args = calloc((size_t)argc + 6, sizeof(*args));
	if (!args || !find_near(t->self, "mori-nodes", X_OK, nodes)) {
		fprintf(stderr, "mori perf: the program mori-nodes is not near %s\n", t->self);
		free(args);
		return -1;
	}
	args[n++] = nodes;
	args[n++] = (char *)"-n";
	args[n++] = (char *)"2";
	args[n++] = (char *)t->self;
	args[n++] = (char *)"perf";
	memcpy(args + n, argv + 1, (size_t)argc * sizeof(*args)); /* and the NULL */
	execv(nodes, args);
	fprintf(stderr, "mori perf: cannot start %s: %s\n", nodes, strerror(errno));
	free(args);
	return -1;
}

int net_launcher(const char *name, const char **words, int room)
{
	static char agent[PATH_MAX + 16];
	const char *nodes = net_wrapper(name);
	const char *const osh[] = { "--host", "node0,node1", "--mca",		"plm_rsh_agent",
				    agent,    "-x",	     "UCX_TLS=tcp,self" };
	int n = 0;

	if (!nodes)
		return 0;
	snprintf(agent, sizeof(agent), "%s --ssh", nodes);
	for (size_t i = 0; i < sizeof(osh) / sizeof(*osh) && n < room; i++)
		words[n++] = osh[i];
	return n;
}

const char *net_wrapper(const char *name)
{
	/* A target that computes needs another core for its progress. */
	if (name && strstr(name, "busy"))
		unsetenv("NODES_PIN");
	else
		setenv("NODES_PIN", "1", 1);
	return getenv("NODES_PROGRAM");
}
