// SPDX-License-Identifier: MIT
/*
 * What a process has: descriptors, threads, and mappings of our memory. Look
 * before and after; nothing may have been added.
 */
#ifndef MORI_TESTS_LEFT_H
#define MORI_TESTS_LEFT_H

#include "test.h"

#include <dirent.h>
#include <poll.h>
#include <pthread.h>

struct left {
	int fds, threads, maps;
	char names[4096]; /* of the descriptors */
};

static inline int left_entries(const char *path, char *names, size_t size)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	int n = 0;

	while (dir && (e = readdir(dir))) {
		char link[512], target[256] = "";
		ssize_t len;

		if (e->d_name[0] == '.' || (names && atoi(e->d_name) == dirfd(dir)))
			continue;
		n++;
		if (!names)
			continue;
		snprintf(link, sizeof(link), "%s/%s", path, e->d_name);
		len = readlink(link, target, sizeof(target) - 1);
		target[len > 0 ? len : 0] = '\0';
		snprintf(names + strlen(names), size - strlen(names), " %s=%s", e->d_name, target);
	}
	if (dir)
		closedir(dir);
	return n;
}

static inline int left_maps(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[1024];
	int n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += strstr(line, "memfd:mori") != NULL;
	if (f)
		fclose(f);
	return n;
}

static inline void *left_nothing(void *arg)
{
	return arg;
}

static inline void left_look(struct left *l)
{
	memset(l, 0, sizeof(*l));
	l->maps = left_maps();
	l->threads = left_entries("/proc/self/task", NULL, 0);
	l->fds = left_entries("/proc/self/fd", l->names, sizeof(l->names));
}

/* The first look. A tool that watches the program starts a thread of its own with the first one. */
static inline void left_start(struct left *l)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, left_nothing, NULL))
		pthread_join(thread, NULL);
	poll(NULL, 0, 5);
	left_look(l);
}

/* As it was. A thread that was joined may stay in the list for a moment. */
static inline void left_check(const char *file, int line, const struct left *before)
{
	struct left now;

	left_look(&now);
	for (int i = 0; i < 2000 && now.threads > before->threads; i++) {
		poll(NULL, 0, 2);
		left_look(&now);
	}
	test_check(file, line, "no mapping is left", now.maps <= before->maps);
	test_check(file, line, "no thread is left", now.threads <= before->threads);
	if (!test_check(file, line, "no descriptor is left", now.fds <= before->fds))
		fprintf(stderr, "before:%s\nafter:%s\n", before->names, now.names);
}
#define CHECK_NOTHING_LEFT(before) left_check(__FILE__, __LINE__, before)

#endif
