// SPDX-License-Identifier: MIT
/*
 * deny CALL PROGRAM ARGUMENTS...: run a program as on a kernel without that system call, or where it
 * is forbidden: it fails for the program and its children.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436 /* on every architecture */
#endif

static const struct {
	const char *name;
	unsigned int number, error;
} calls[] = { { "close_range", SYS_close_range, ENOSYS }, { "connect", SYS_connect, EACCES } };

static int deny(unsigned int number, unsigned int error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 2 && i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (strcmp(argv[1], calls[i].name) != 0)
			continue;
		if (deny(calls[i].number, calls[i].error))
			break;
		execvp(argv[2], argv + 2);
	}
	perror("deny");
	return 1;
}
