// SPDX-License-Identifier: MIT
/*
 * A message is a list of NAME=VALUE, the first of which is cmd. Version 1 puts blanks between them
 * and ends the line; version 2 puts a semicolon behind each. The two messages that agree on the
 * version are lines.
 */
#include "boot/pmi_wire.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "stream/socket.h"
#include "util/clock.h"
#include "util/err.h"

#define PMI_LENGTH 6 /* characters */

/* Appends to the @used bytes of a message; what is too long is noticed by pmi_send(). */
static size_t pmi_append(char *message, size_t used, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = used < PMI_MESSAGE ? vsnprintf(message + used, PMI_MESSAGE - used, fmt, ap) : 0;
	va_end(ap);
	return used + (n > 0 ? (size_t)n : 0);
}

/* @pairs: names and values, then NULL. */
static int pmi_send(struct pmi_link *link, const char *cmd, va_list pairs)
{
	const char *between = link->version == 1 ? " " : ";", *name;
	char message[PMI_MESSAGE], length[PMI_LENGTH + 1];
	size_t used = pmi_append(message, 0, "cmd=%s", cmd);
	struct iovec parts[2];

	while ((name = va_arg(pairs, const char *))) {
		const char *value = va_arg(pairs, const char *);

		used = pmi_append(message, used, "%s%s=%s", between, name, value);
	}
	used = pmi_append(message, used, "%s", link->version == 1 ? "\n" : ";");
	if (used >= PMI_MESSAGE)
		return -EMSGSIZE;
	snprintf(length, sizeof(length), "%*zu", PMI_LENGTH, used);
	parts[0] = (struct iovec){ length, link->version == 1 ? 0 : PMI_LENGTH };
	parts[1] = (struct iovec){ message, used };
	return socket_send(link->fd, parts, 2, link->deadline);
}

/* By the byte, so that nothing of a later message is taken. */
static int pmi_receive_line(struct pmi_link *link, char *message)
{
	for (size_t n = 0; n < PMI_MESSAGE - 1; n++) {
		int err = socket_recv(link->fd, message + n, 1, link->deadline);

		if (err)
			return err;
		if (message[n] == '\n') {
			message[n] = '\0';
			return 0;
		}
	}
	return -EMSGSIZE;
}

static int pmi_receive(struct pmi_link *link, char *message)
{
	char length[PMI_LENGTH + 1] = "", *end;
	long n;
	int err;

	if (link->version == 1)
		return pmi_receive_line(link, message);
	err = socket_recv(link->fd, length, PMI_LENGTH, link->deadline);
	if (err)
		return err;
	/* Some put blanks before the number, some behind. */
	n = strtol(length, &end, 10);
	if (end[strspn(end, " ")] || n < 1 || n >= PMI_MESSAGE)
		return -EBADMSG;
	message[n] = '\0';
	return socket_recv(link->fd, message, (size_t)n, link->deadline);
}

/* The value of a name in a message, "" if it is not there. */
static void pmi_field(const struct pmi_link *link, const char *message, const char *name,
		      char *value, size_t size)
{
	const char *between = link->version == 1 ? " " : ";";
	size_t len = strlen(name);

	value[0] = '\0';
	for (const char *at = message; *at; at += strspn(at, between)) {
		size_t n = strcspn(at, between);

		if (n > len && n - len <= size && at[len] == '=' && !strncmp(at, name, len)) {
			memcpy(value, at + len + 1, n - len - 1);
			value[n - len - 1] = '\0';
			return;
		}
		at += n;
	}
}

/* Sends @cmd with names and values, then NULL, and takes the answer, which must be @answer. */
static int pmi_call(struct pmi_link *link, char *message, const char *cmd, const char *answer, ...)
{
	char value[64];
	va_list pairs;
	int err;

	va_start(pairs, answer);
	err = pmi_send(link, cmd, pairs);
	va_end(pairs);
	if (!err)
		err = pmi_receive(link, message);
	if (err == -ETIMEDOUT)
		return err_set(MORI_SHMEM_ETIMEDOUT, "PMI: no answer to %s in time", cmd);
	if (err)
		return err_set(MORI_SHMEM_EIO, "PMI: %s: %s", cmd, strerror(-err));
	pmi_field(link, message, "cmd", value, sizeof(value));
	if (strcmp(value, answer) != 0)
		return err_set(MORI_SHMEM_EIO, "PMI: the answer to %s is '%.200s'", cmd, message);
	pmi_field(link, message, "rc", value, sizeof(value));
	if (value[0] && strcmp(value, "0") != 0)
		return err_set(MORI_SHMEM_EIO, "PMI: %s was refused: '%.200s'", cmd, message);
	return 0;
}

static int pmi_agree(struct pmi_link *link, char *message, int version)
{
	char value[16];
	int err;

	link->version = 1; /* of this message */
	err = pmi_call(link, message, "init", "response_to_init", "pmi_version",
		       version == 1 ? "1" : "2", "pmi_subversion", version == 1 ? "1" : "0", NULL);
	pmi_field(link, message, "pmi_version", value, sizeof(value));
	link->version = version;
	if (!err && atoi(value) != version)
		err = err_set(MORI_SHMEM_EIO, "PMI: the launcher does not speak version %d",
			      version);
	return err;
}

int pmi_open(struct pmi_link *link, int first)
{
	const char *id = getenv("PMI_JOBID"), *rank = getenv("PMI_RANK");
	char message[PMI_MESSAGE] = "";
	int err = pmi_agree(link, message, first);

	/* Refused, in good order: there is an answer. */
	if (err == MORI_SHMEM_EIO && message[0])
		err = pmi_agree(link, message, 3 - first);
	if (err)
		return err;
	if (link->version == 2)
		return pmi_call(link, message, "fullinit", "fullinit-response", "pmijobid",
				id ? id : "", "pmirank", rank ? rank : "0", "threaded", "FALSE",
				NULL);
	err = pmi_call(link, message, "get_my_kvsname", "my_kvsname", NULL);
	pmi_field(link, message, "kvsname", link->space, sizeof(link->space));
	return err;
}

int pmi_put(struct pmi_link *link, const char *key, const char *value)
{
	char message[PMI_MESSAGE];

	return link->version == 1 ? pmi_call(link, message, "put", "put_result", "kvsname",
					     link->space, "key", key, "value", value, NULL) :
				    pmi_call(link, message, "kvs-put", "kvs-put-response", "key",
					     key, "value", value, NULL);
}

int pmi_fence(struct pmi_link *link)
{
	char message[PMI_MESSAGE];

	return link->version == 1 ?
		       pmi_call(link, message, "barrier_in", "barrier_out", NULL) :
		       pmi_call(link, message, "kvs-fence", "kvs-fence-response", NULL);
}

int pmi_get(struct pmi_link *link, const char *key, char *value, unsigned size)
{
	char message[PMI_MESSAGE];
	int err = link->version == 1 ? pmi_call(link, message, "get", "get_result", "kvsname",
						link->space, "key", key, NULL) :
				       pmi_call(link, message, "kvs-get", "kvs-get-response",
						"jobid", "", "srcid", "-1", "key", key, NULL);

	if (err)
		return err;
	pmi_field(link, message, "value", value, size);
	return value[0] ? 0 : err_set(MORI_SHMEM_EIO, "PMI: %s is not there", key);
}

int pmi_close(struct pmi_link *link)
{
	char message[PMI_MESSAGE];

	return link->version == 1 ? pmi_call(link, message, "finalize", "finalize_ack", NULL) :
				    pmi_call(link, message, "finalize", "finalize-response", NULL);
}
