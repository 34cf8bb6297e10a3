// SPDX-License-Identifier: MIT
#include "boot/wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

uint32_t wire_ms(double timeout_s)
{
	double ms = timeout_s * 1e3;

	if (!(ms < (double)UINT32_MAX))
		return UINT32_MAX;
	return ms > 0 ? (uint32_t)ms : 0;
}

/* The head is complete: allocates the body. */
static int wire_in_body(struct wire_in *in)
{
	if (in->head.len > WIRE_BODY_MAX)
		return -EMSGSIZE;
	/* One more byte, a zero, so that a text at the end of a body is a string. */
	in->body = calloc(1, (size_t)in->head.len + 1);
	return in->body ? 0 : -ENOMEM;
}

int wire_in_read(struct wire_in *in, int fd)
{
	for (;;) {
		size_t head = sizeof(in->head);
		size_t want = head + (in->body ? in->head.len : 0);
		uint8_t *to = (uint8_t *)&in->head + in->have;
		ssize_t got;

		if (in->body && in->have == want)
			return 1;
		if (in->have >= head)
			to = in->body + (in->have - head);
		got = recv(fd, to, want - in->have, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
		if (got == 0)
			return -ECONNRESET;
		in->have += (size_t)got;
		if (in->have == head && !in->body) {
			int err = wire_in_body(in);

			if (err)
				return err;
		}
	}
}

void wire_in_next(struct wire_in *in)
{
	in->body = NULL;
	in->have = 0;
}

void wire_in_free(struct wire_in *in)
{
	free(in->body);
	wire_in_next(in);
}

/* FNV-1a with a final mix, so that short inputs differ in every bit. */
uint64_t wire_hash(uint64_t seed, const void *data, size_t len)
{
	const uint8_t *p = data;
	uint64_t h = UINT64_C(0xcbf29ce484222325) ^ seed;

	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	h = (h ^ (h >> 32)) * UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ (h >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
	return h ^ (h >> 32);
}

void wire_digest(const char *text, uint8_t out[16])
{
	uint64_t half[2] = { wire_hash(1, text, strlen(text)), wire_hash(2, text, strlen(text)) };

	memcpy(out, half, 16);
}

void wire_copy_text(char *dst, size_t size, const char *src)
{
	size_t n = strnlen(src, size - 1);

	memcpy(dst, src, n);
	dst[n] = '\0';
}

int text_ranks(char *buf, size_t size, const uint8_t *set, int n)
{
	size_t at = 0;
	int count = 0, cut = 0;

	buf[0] = '\0';
	for (int i = 0; i < n; i++) {
		char part[32];
		int first = i;

		if (!set[i])
			continue;
		while (i + 1 < n && set[i + 1])
			i++;
		count += i - first + 1;
		if (cut)
			continue;
		snprintf(part, sizeof(part),
			 i == first	? "%s%d" :
			 i == first + 1 ? "%s%d, %d" :
					  "%s%d-%d",
			 at ? ", " : "", first, i);
		cut = at + strlen(part) + sizeof(", ...") > size;
		at += (size_t)snprintf(buf + at, size - at, "%s", cut ? ", ..." : part);
	}
	return count;
}

int text_who(char *buf, size_t size, const uint8_t *set, int n, const struct wire_proc *proc)
{
	char ranks[128];
	int count = text_ranks(ranks, sizeof(ranks), set, n);

	snprintf(buf, size, "PE%s %s (process %d on host %s)", count == 1 ? "" : "s", ranks,
		 proc->pid, proc->host);
	return count;
}
