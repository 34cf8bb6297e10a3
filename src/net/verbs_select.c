// SPDX-License-Identifier: MIT
/*
 * Which port of which NIC a PE takes: the list of MORI_RDMA_DEVICES, and the order of
 * preference. Does not depend on libibverbs.
 */
#include "net/verbs.h"
#include "util/err.h"
#include "util/log.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char left_out[] = "MORI_RDMA_DEVICES leaves it out";

#ifndef MORI_HAVE_VERBS
const struct verbs_ops *const verbs;
#endif

int verbs_missing(void)
{
	return err_set(MORI_SHMEM_ENOTSUP,
		       "this build has no real NICs: it was made without the headers of "
		       "libibverbs (MORI_WITH_VERBS)");
}

const char *verbs_sysfs_path(void)
{
	const char *path = secure_getenv("SYSFS_PATH");

	return path && *path ? path : "/sys";
}

bool verbs_has_entry(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir)))
		found = entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return found;
}

bool verbs_any(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/class/infiniband", verbs_sysfs_path());
	return verbs && verbs_has_entry(path);
}

/* An entry of the list: a name or its prefix, and perhaps a port. */
struct verbs_entry {
	const char *name;
	size_t len;
	int port; /* 0: all */
};

static bool verbs_name_starts(const char *name, const struct verbs_entry *e)
{
	return !strncmp(name, e->name, e->len);
}

static bool verbs_name_same(const char *name, const struct verbs_entry *e)
{
	return verbs_name_starts(name, e) && !name[e->len];
}

/* A prefix matches, but not within a number: mlx5_1 is not mlx5_10. */
static bool verbs_name_matches(const char *name, const struct verbs_entry *e)
{
	return verbs_name_starts(name, e) && !(isdigit((unsigned char)e->name[e->len - 1]) &&
					       isdigit((unsigned char)name[e->len]));
}

/* The entry at *at, which moves on to the next one; false at the end. */
static bool verbs_entry_next(const char **at, struct verbs_entry *e, const char **mistake)
{
	const char *s, *end;
	size_t len, colon;
	char *rest = NULL;
	long port;

	if (!*at)
		return false;
	s = *at + strspn(*at, " \t");
	len = strcspn(s, ",");
	*at = s[len] ? s + len + 1 : NULL;
	while (len && isblank((unsigned char)s[len - 1]))
		len--;
	end = s + len;
	colon = strcspn(s, ":");
	*e = (struct verbs_entry){ s, colon < len ? colon : len, 0 };
	if (!len || !e->len)
		*mistake = "a name is missing";
	else if (memchr(s, '^', len))
		*mistake = "^ applies to the whole list and comes before it, once";
	else if (memchr(s, ' ', len) || memchr(s, '\t', len) || memchr(s, ';', len))
		*mistake = "names are separated by commas";
	if (*mistake || colon >= len)
		return true;
	port = isdigit((unsigned char)s[colon + 1]) ? strtol(s + colon + 1, &rest, 10) : 0;
	e->port = (int)port;
	if (port < 1 || port > 255 || rest != end)
		*mistake = "a port is a number from 1 to 255, as in mlx5_0:1";
	return true;
}

/* The names of all NICs, for an error. */
static const char *verbs_names_of(const struct verbs_port *ports, size_t n, char *text, size_t size)
{
	size_t used = 0;

	snprintf(text, size, "none");
	for (size_t i = 0; i < n && used < size; i++)
		if (!i || strcmp(ports[i].name, ports[i - 1].name) != 0)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
						 ports[i].name);
	return text;
}

/* Marks the ports that @e names; how many, and in *there whether there is such a NIC. */
static size_t verbs_mark(const struct verbs_entry *e, const struct verbs_port *ports, size_t n,
			 bool *named, bool *there)
{
	bool exact = false;
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		exact |= verbs_name_same(ports[i].name, e);
	for (size_t i = 0; i < n; i++) {
		if (exact ? !verbs_name_same(ports[i].name, e) :
			    !verbs_name_matches(ports[i].name, e))
			continue;
		*there = true;
		if (e->port && e->port != ports[i].port)
			continue;
		named[i] = true;
		found++;
	}
	return found;
}

/* An entry that names nothing: a mistake, unless the list excludes it. */
static int verbs_unknown(const char *list, const struct verbs_entry *e, bool exclude, bool there,
			 const struct verbs_port *ports, size_t n)
{
	char names[256], text[384];

	if (there)
		snprintf(text, sizeof(text), "%.*s has no port %d",
			 (int)(e->len < 64 ? e->len : 64), e->name, e->port);
	else
		snprintf(text, sizeof(text), "there is no %.*s here; NICs here: %s",
			 (int)(e->len < 64 ? e->len : 64), e->name,
			 verbs_names_of(ports, n, names, sizeof(names)));
	if (!exclude)
		return err_set(MORI_SHMEM_EINVAL, "MORI_RDMA_DEVICES=%s: %s", list, text);
	log_warn("MORI_RDMA_DEVICES=%s: %s", list, text);
	return 0;
}

int verbs_filter(const char *list, struct verbs_port *ports, size_t n)
{
	bool exclude = list && *list == '^', *named;
	const char *at = list ? list + exclude : NULL, *mistake = NULL;
	struct verbs_entry e;
	int err = 0;

	if (!list || !*list)
		return 0;
	named = calloc(n + 1, sizeof(*named));
	if (!named)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a list of NICs");
	while (!err && verbs_entry_next(&at, &e, &mistake)) {
		bool there = false;

		if (mistake)
			err = err_set(MORI_SHMEM_EINVAL,
				      "MORI_RDMA_DEVICES=%s: %s; write mlx5_0,mlx5_1:2 or ^mlx5_2",
				      list, mistake);
		else if (!verbs_mark(&e, ports, n, named, &there))
			err = verbs_unknown(list, &e, exclude, there, ports, n);
	}
	for (size_t i = 0; i < n && !err; i++)
		if (named[i] == exclude)
			snprintf(ports[i].why_not, sizeof(ports[i].why_not), "%s", left_out);
	free(named);
	return err;
}

/* < 0: @a suits better than @b; 0: equally well. */
static int verbs_compare(const struct verbs_config *c, const struct verbs_port *a,
			 const struct verbs_port *b)
{
	if (c->affinity && a->shared != b->shared)
		return b->shared - a->shared;
	if (c->affinity && a->same_numa != b->same_numa)
		return b->same_numa - a->same_numa;
	return a->mbps != b->mbps ? (a->mbps < b->mbps ? 1 : -1) : 0;
}

/* Why each port cannot be used; excluded ones are named only if there are no others. */
static int verbs_none(const struct verbs_port *ports, size_t n)
{
	char text[384] = "";
	size_t used = 0, wanted = 0;

	for (size_t i = 0; i < n; i++)
		wanted += strcmp(ports[i].why_not, left_out) != 0;
	for (size_t i = 0; i < n && used < sizeof(text); i++)
		if (!wanted || strcmp(ports[i].why_not, left_out) != 0)
			used += (size_t)snprintf(text + used, sizeof(text) - used,
						 "%s%s port %d: %s", used ? "; " : "",
						 ports[i].name, ports[i].port, ports[i].why_not);
	return err_set(MORI_SHMEM_ENOENT, "there is no NIC here that kernels can drive%s%s",
		       n ? ": " : "", text);
}

int verbs_choose(const struct verbs_config *c, const struct verbs_port *ports, size_t n, char *why,
		 size_t size)
{
	const struct verbs_port *best = NULL;
	size_t able = 0, ties = 0, i = 0, nth;

	for (size_t k = 0; k < n; k++) {
		if (*ports[k].why_not)
			continue;
		able++;
		if (!best || verbs_compare(c, &ports[k], best) < 0)
			best = &ports[k];
	}
	for (size_t k = 0; best && k < n; k++)
		ties += !*ports[k].why_not && (c->in_turn || !verbs_compare(c, &ports[k], best));
	if (!ties)
		return verbs_none(ports, n);
	nth = (size_t)(c->turn < 0 ? 0 : c->turn) % ties;
	for (;; i++) {
		if (*ports[i].why_not || !(c->in_turn || !verbs_compare(c, &ports[i], best)))
			continue;
		if (!nth--)
			break;
	}
	snprintf(why, size, "%s port %d, %s of %zu that can be used%s%s%s", ports[i].name,
		 ports[i].port,
		 c->in_turn  ? "taken in turn" :
		 c->affinity ? "the nearest" :
			       "the fastest",
		 able, c->affinity && !c->in_turn ? " to " : "",
		 c->affinity && !c->in_turn ? c->affinity : "",
		 ties > 1 && !c->in_turn ? ", in turn with those as good" : "");
	return (int)i;
}

enum verbs_gid verbs_gid_kind(const uint8_t gid[16], bool v2)
{
	static const uint8_t zero[16], mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (!memcmp(gid, zero, 16))
		return VERBS_NO_GID;
	if (!v2)
		return VERBS_ROCE1;
	if (!memcmp(gid, mapped, 12))
		return VERBS_IP4;
	return gid[0] == 0xfe && (gid[1] & 0xc0) == 0x80 ? VERBS_LINK_LOCAL : VERBS_IP6;
}
