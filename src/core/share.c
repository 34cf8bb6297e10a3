// SPDX-License-Identifier: MIT
/*
 * Finds the file behind a piece of memory by /proc/self/maps, and a descriptor of
 * it among the open ones, for memfds have no path.
 */
#include "core/share.h"

#include "util/err.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define NEAR_FDS 4 /* looked at before all others */

/* A line of /proc/self/maps. */
struct share_mapping {
	uint64_t from, to, off, inode;
	unsigned int major, minor;
	char perms[5];
	int path_at; /* in the line */
};

static bool share_mapping_parse(const char *line, struct share_mapping *m)
{
	return sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n",
		      &m->from, &m->to, m->perms, &m->off, &m->major, &m->minor, &m->inode,
		      &m->path_at) == 7;
}

/* The kernel's PROCMAP_QUERY, from Linux 6.11 on: the headers may be older. */
struct share_query {
	uint64_t size, flags, addr;			  /* to the kernel */
	uint64_t from, to, access, page_size, off, inode; /* from it */
	uint32_t major, minor, path_size, build_id_size;  /* the sizes both ways */
	uint64_t path, build_id;			  /* where to put these */
};
#define SHARE_QUERY  _IOWR('f', 17, struct share_query)
#define SHARE_SHARED 8u /* of access */

/* Asks for one mapping, not for all: 1, 0 if there is none, or -1 where that cannot be asked. */
static int share_mapping_ask(int maps, uint64_t addr, struct share_mapping *m, char **path)
{
	char name[PATH_MAX] = "";
	struct share_query q = { .size = sizeof(q),
				 .addr = addr,
				 .path = (uint64_t)(uintptr_t)name,
				 .path_size = sizeof(name) };

	if (ioctl(maps, SHARE_QUERY, &q))
		return errno == ENOENT ? 0 : -1;
	*m = (struct share_mapping){ .from = q.from,
				     .to = q.to,
				     .off = q.off,
				     .inode = q.inode,
				     .major = q.major,
				     .minor = q.minor,
				     .perms = { [3] = q.access & SHARE_SHARED ? 's' : 'p' } };
	*path = strdup(name);
	return *path ? 1 : -1;
}

/* The same from the lines of the file. */
static int share_mapping_read(FILE *maps, uint64_t addr, struct share_mapping *m, char **path)
{
	bool found = false;
	char *line = NULL;
	size_t room = 0;

	while (!found && getline(&line, &room, maps) > 0)
		found = share_mapping_parse(line, m) && m->from <= addr && addr < m->to;
	if (!found) {
		free(line);
		return 0;
	}
	line[strcspn(line, "\n")] = '\0';
	memmove(line, line + m->path_at, strlen(line + m->path_at) + 1);
	*path = line;
	return 1;
}

/* The mapping that holds all of the range; *path is the caller's to free. */
static int share_mapping_find(const void *ptr, uint64_t len, struct share_mapping *m, char **path)
{
	uint64_t from = (uint64_t)(uintptr_t)ptr;
	FILE *maps = fopen("/proc/self/maps", "re");
	int found;

	if (!maps)
		return err_set(MORI_SHMEM_EIO, "cannot read /proc/self/maps: %s", strerror(errno));
	found = share_mapping_ask(fileno(maps), from, m, path);
	if (found < 0)
		found = share_mapping_read(maps, from, m, path);
	fclose(maps);
	if (found && len <= m->to - from)
		return 0;
	if (found)
		free(*path);
	*path = NULL;
	return err_set(MORI_SHMEM_ENOTSUP,
		       found ? "%p + %" PRIu64 " bytes is not one mapping" :
			       "%p + %" PRIu64 " bytes is not mapped",
		       ptr, len);
}

static bool share_same_file(const struct stat *st, const struct share_mapping *m)
{
	return st->st_ino == m->inode && major(st->st_dev) == m->major &&
	       minor(st->st_dev) == m->minor;
}

/* A new descriptor of the mapping's file by a path; -1 if that is another file by now. */
static int share_open_path(const struct share_mapping *m, const char *path)
{
	int fd = path[0] == '/' ? open(path, O_RDWR | O_CLOEXEC) : -1;
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || !share_same_file(&st, m))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* The same if the open descriptor @fd is of that file; another thread may close it at any time. */
static int share_try_fd(const struct share_mapping *m, int fd)
{
	char path[sizeof("/proc/self/fd/") + 12];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return !stat(path, &st) && share_same_file(&st, m) ? share_open_path(m, path) : -1;
}

/*
 * The same from among the open descriptors. Who registers many files opens them in a row: *last,
 * where the one before was found, is the place to look first.
 */
static int share_open_fd(const struct share_mapping *m, int *last)
{
	int found = -1, fd = *last;
	DIR *dir;

	for (; found < 0 && fd < *last + NEAR_FDS; fd++)
		found = share_try_fd(m, fd);
	if (found >= 0) {
		*last = fd - 1;
		return found;
	}
	dir = opendir("/proc/self/fd");
	for (struct dirent *e; dir && found < 0 && (e = readdir(dir));) {
		fd = atoi(e->d_name);
		found = share_try_fd(m, fd);
	}
	if (dir)
		closedir(dir);
	if (found >= 0)
		*last = fd;
	return found;
}

int share_find(const void *ptr, uint64_t len, int *last, struct share *out)
{
	struct share_mapping m;
	char *path = NULL;
	int err = share_mapping_find(ptr, len, &m, &path);

	if (err)
		return err;
	if (m.perms[3] != 's' || !m.inode) {
		free(path);
		return err_set(MORI_SHMEM_ENOTSUP,
			       "memory at %p is private to its process: only a shared mapping of a "
			       "file (memfd_create, shm_open) can be mapped by others",
			       ptr);
	}
	out->fd = share_open_fd(&m, last);
	if (out->fd < 0)
		out->fd = share_open_path(&m, path);
	out->off = m.off + ((uint64_t)(uintptr_t)ptr - m.from);
	if (out->fd < 0)
		err = err_set(MORI_SHMEM_ENOTSUP,
			      "memory at %p: the file behind it (%s) is not open for writing any "
			      "more in this process",
			      ptr, path);
	free(path);
	return err;
}

int share_map(int fd, uint64_t off, uint64_t len, struct share_map *out)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), skip = off % page;
	void *p =
		mmap(NULL, len + skip, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)(off - skip));

	if (p == MAP_FAILED)
		return err_set(MORI_SHMEM_EIO, "cannot map a peer's window: %s", strerror(errno));
	*out = (struct share_map){ .base = p, .len = len + skip, .at = (char *)p + skip };
	return 0;
}

void share_unmap(struct share_map *m)
{
	if (m->base)
		munmap(m->base, m->len);
	m->base = NULL;
}
