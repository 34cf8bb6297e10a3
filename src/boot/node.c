// SPDX-License-Identifier: MIT
/* Read from the kernel each time: a process may have changed its namespace. */
#include "boot/node.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void node_host(char host[WIRE_HOST])
{
	char name[256];

	if (gethostname(name, sizeof(name)) < 0 || !name[0])
		strcpy(name, "unknown");
	name[sizeof(name) - 1] = '\0';
	wire_copy_text(host, WIRE_HOST, name);
}

/* First line of the kernel's boot id; where /proc is closed, the host's name. */
static void node_boot_id(char *buf, size_t size)
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, buf, size - 1) : -1;

	if (fd >= 0)
		close(fd);
	if (n > 0) {
		buf[n] = '\0';
		buf[strcspn(buf, "\n")] = '\0';
	} else {
		char host[WIRE_HOST];

		node_host(host);
		snprintf(buf, size, "host:%s", host);
	}
}

static void node_text(char *buf, size_t size)
{
	static const char *const spaces[] = { "/proc/self/ns/net", "/proc/self/ns/user" };
	size_t at;

	node_boot_id(buf, size);
	for (int i = 0; i < 2; i++) {
		struct stat st = { 0 };

		at = strlen(buf);
		if (stat(spaces[i], &st) == 0)
			snprintf(buf + at, size - at, " %llx:%llx", (unsigned long long)st.st_dev,
				 (unsigned long long)st.st_ino);
	}
}

uint64_t node_real(void)
{
	char text[256];

	node_text(text, sizeof(text));
	return wire_hash(0, text, strlen(text));
}

void node_identity(const char *node_id, uint8_t out[16])
{
	char text[512];

	if (node_id && node_id[0])
		snprintf(text, sizeof(text), "id %s", node_id);
	else
		node_text(text, sizeof(text));
	wire_digest(text, out);
}
