// SPDX-License-Identifier: MIT
/*
 * NVIDIA's MPS for the jobs of `mori perf`: without it the processes of one GPU take turns,
 * and PEs that wait for each other wait for whole turns. A daemon that runs already is used;
 * else one is started in a folder of its own, with a shell that ends it when this process
 * has ended, however that was.
 */
#include "perf.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char own[] = "/tmp/mori-mps-XXXXXX";
static int guard = -1; /* what the shell waits for the end of */
static pid_t guard_pid;

static void guard_exec(int from)
{
	static char script[] =
		"cat >/dev/null; echo quit | nvidia-cuda-mps-control >/dev/null 2>&1; "
		"sleep 0.2; rm -rf \"$0\"";

	setsid(); /* what ends this process's group must not end the guard */
	dup2(from, STDIN_FILENO);
	execlp("sh", "sh", "-c", script, own, (char *)NULL);
	_exit(127);
}

static void guard_end(void)
{
	int status;

	if (guard < 0)
		return;
	close(guard);
	guard = -1;
	waitpid(guard_pid, &status, 0);
}

static int guard_start(void)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	guard_pid = fork();
	if (!guard_pid)
		guard_exec(ends[0]);
	close(ends[0]);
	guard = ends[1];
	atexit(guard_end);
	return guard_pid < 0 ? -1 : 0;
}

void mps_start(void)
{
	static char daemon[] = "nvidia-cuda-mps-control", flag[] = "-d";
	char *const argv[] = { daemon, flag, NULL };

	if (getenv("CUDA_MPS_PIPE_DIRECTORY") || !access("/tmp/nvidia-mps/control", F_OK))
		return;
	if (!in_path(daemon)) {
		fprintf(stderr,
			"mori perf: %s is not there: processes on one GPU take turns, and "
			"all that waits for another PE is slow; try --threads\n",
			daemon);
		return;
	}
	if (!mkdtemp(own))
		return;
	setenv("CUDA_MPS_PIPE_DIRECTORY", own, 1);
	setenv("CUDA_MPS_LOG_DIRECTORY", own, 1);
	if (guard_start() || command_run(argv, 20, NULL))
		fprintf(stderr,
			"mori perf: %s could not be started: processes on one GPU take turns\n",
			daemon);
}

void mps_share(int pes)
{
	char text[32];

	if (!pes) {
		unsetenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
		return;
	}
	snprintf(text, sizeof(text), "%g", 100.0 / pes);
	setenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", text, 1);
}
