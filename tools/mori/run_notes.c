// SPDX-License-Identifier: MIT
/*
 * What PEs report besides their exit codes: that something has failed, usually in a
 * kernel, and nobody has checked.
 * They send a datagram to a socket whose name, in no file system, only the job knows; it goes
 * with the launcher, whatever ends it. PEs that cannot reach it report on standard error only.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "mori/cmd.h"
#include "mori/run.h"

int run_notes_open(struct job *j)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	uint64_t secret[2];
	size_t len;

	if (getrandom(secret, sizeof(secret), 0) != sizeof(secret))
		return -1;
	len = (size_t)snprintf(j->notes_name, sizeof(j->notes_name), "mori-run-%016llx%016llx",
			       (unsigned long long)secret[0], (unsigned long long)secret[1]);
	memcpy(at.sun_path + 1, j->notes_name, len);
	j->notes = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (j->notes < 0)
		return -1;
	return bind(j->notes, (struct sockaddr *)&at,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len));
}

int run_notes_end(struct job *j, int code)
{
	char byte;

	if (code || j->failed || recv(j->notes, &byte, sizeof(byte), MSG_DONTWAIT) < 0)
		return code;
	cmd_error(
		"run",
		"every process exited with code 0, but there were failures that nobody has looked "
		"at");
	return RUN_UNSEEN;
}

void run_notes_close(struct job *j)
{
	if (j->notes >= 0)
		close(j->notes);
}
