// SPDX-License-Identifier: MIT
/*
 * The process-wide lists and their fork handlers. The handlers hold this lock and that of the
 * sockets over a fork, so that the child finds both lists whole.
 */
#include "boot/local.h"

#include <pthread.h>
#include <unistd.h>

#include "boot/boot.h"
#include "stream/socket.h"

static pthread_mutex_t local_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t local_once = PTHREAD_ONCE_INIT;
static struct boot_local local;

static void local_fork_prepare(void)
{
	pthread_mutex_lock(&local_lock);
	socket_fork_lock();
}

static void local_fork_parent(void)
{
	socket_fork_unlock();
	pthread_mutex_unlock(&local_lock);
}

static void local_fork_child(void)
{
	boot_after_fork();
	local_fork_parent();
}

void boot_after_fork(void)
{
	__atomic_store_n(&local.pid, getpid(), __ATOMIC_RELAXED);
	socket_close_all();
}

static void local_start(void)
{
	__atomic_store_n(&local.pid, getpid(), __ATOMIC_RELAXED);
	pthread_atfork(local_fork_prepare, local_fork_parent, local_fork_child);
}

struct boot_local *boot_local_lock(void)
{
	pthread_once(&local_once, local_start);
	pthread_mutex_lock(&local_lock);
	return &local;
}

struct boot_local *boot_local_try(void)
{
	return boot_local_pid() == getpid() && !pthread_mutex_trylock(&local_lock) ? &local : NULL;
}

void boot_local_unlock(void)
{
	pthread_mutex_unlock(&local_lock);
}

pid_t boot_local_pid(void)
{
	return __atomic_load_n(&local.pid, __ATOMIC_RELAXED);
}
