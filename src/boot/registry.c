// SPDX-License-Identifier: MIT
/*
 * The process-wide lists and their fork handlers. The handlers hold both locks of
 * boot over a fork, so that the child finds the lists and the socket table whole.
 */
#include "boot/registry.h"

#include <pthread.h>
#include <unistd.h>

#include "boot/boot.h"
#include "boot/wire.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct registry registry;

static void fork_prepare(void)
{
	pthread_mutex_lock(&lock);
	sock_fork_lock();
}

static void fork_parent(void)
{
	sock_fork_unlock();
	pthread_mutex_unlock(&lock);
}

static void fork_child(void)
{
	boot_after_fork();
	fork_parent();
}

void boot_after_fork(void)
{
	__atomic_store_n(&registry.pid, getpid(), __ATOMIC_RELAXED);
	sock_close_all();
}

static void registry_start(void)
{
	__atomic_store_n(&registry.pid, getpid(), __ATOMIC_RELAXED);
	pthread_atfork(fork_prepare, fork_parent, fork_child);
}

struct registry *registry_lock(void)
{
	pthread_once(&once, registry_start);
	pthread_mutex_lock(&lock);
	return &registry;
}

void registry_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

pid_t registry_pid(void)
{
	return __atomic_load_n(&registry.pid, __ATOMIC_RELAXED);
}
