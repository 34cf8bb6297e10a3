// SPDX-License-Identifier: MIT
/*
 * Network namespaces joined by cables, as machines would be: a bridge in the caller's
 * own namespace, and one cable from it to each process of a job.
 */
#ifndef BENCH_NODES_CABLE_H
#define BENCH_NODES_CABLE_H

#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((format(printf, 1, 2), unused)) static int sh(const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	return system(line);
}

/* A namespace of this process's own with a bridge in it; whether that was possible. */
__attribute__((unused)) static int cable_hub(void)
{
	return !unshare(CLONE_NEWNET) && !sh("ip link add hub type bridge 2>/dev/null") &&
	       !sh("ip link set hub up && ip link set lo up");
}

/* The cable's end at the bridge, by the parent; the child's is cable_end(). */
__attribute__((unused)) static int cable_lay(pid_t child, int host)
{
	return sh("ip link add v%d type veth peer name eth0 netns %d", host, (int)child) ||
	       sh("ip link set v%d master hub && ip link set v%d up", host, host);
}

/* In the child, once the parent has laid the cable. */
__attribute__((unused)) static int cable_end(int host)
{
	for (int i = 0; i < 500 && sh("ip link show eth0 >/dev/null 2>&1") != 0; i++)
		usleep(20000);
	return sh("ip link set lo up && ip addr add 10.99.0.%d/24 dev eth0 && ip link set eth0 up",
		  host + 1);
}

#endif
