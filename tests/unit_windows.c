// SPDX-License-Identifier: MIT
/*
 * The order of windows: searches find what the list holds, at and around every edge, while windows
 * come and go; overlapping ones are left to the list; a search beside changes is right or knows
 * that it is not.
 */
#include "test.h"

#include "core/windows.h"
#include "dev/dev.h"

#include <pthread.h>

#define MANY 300
#define LEN  64u
#define STEP 96u /* a gap behind each */

static struct dev_window *all[MANY], *first;
static struct windows order;
static struct dev_window_index ordered;

static uint64_t base_of(int i)
{
	return 0x10000u + (uint64_t)((i * 7) % MANY) * STEP; /* not in order */
}

static void set(int i, uint64_t len)
{
	__atomic_store_n(&all[i]->len, len, __ATOMIC_RELEASE);
	windows_changed(&order, &ordered, first);
}

static const struct dev_window *find(uint64_t addr, uint64_t len)
{
	uint64_t w = dev_window_find(&ordered, addr, len);

	CHECK(w != DEV_WINDOW_UNKNOWN);
	return (const struct dev_window *)(uintptr_t)w;
}

static void look_around(int i, bool there)
{
	const struct dev_window *w = there ? all[i] : NULL;
	uint64_t base = base_of(i);

	CHECK(find(base, LEN) == w);
	CHECK(find(base, 0) == w);
	CHECK(find(base + LEN - 1, 1) == w);
	CHECK(!find(base + LEN - 1, 2));
	CHECK(!find(base + LEN, 1));
	CHECK(!find(base - 1, 1));
	CHECK(!find(base + 1, UINT64_MAX));
}

static void *search(void *stop)
{
	long known = 0;

	while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED)) {
		uint64_t w = dev_window_find(&ordered, base_of(1) + 5, 8);

		if (w == DEV_WINDOW_UNKNOWN)
			continue;
		known++;
		CHECK(w == (uintptr_t)all[1]);
	}
	CHECK(known >= 0);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int stop = 0;

	CHECK(dev_window_find(&ordered, 1, 1) == DEV_WINDOW_UNKNOWN);
	for (int i = 0; i < MANY; i++) {
		all[i] = calloc(1, sizeof(*all[i]));
		all[i]->base = base_of(i);
		all[i]->next = first;
		first = all[i];
		set(i, LEN);
	}
	for (int i = 0; i < MANY; i++)
		look_around(i, true);
	pthread_create(&thread, NULL, search, &stop);
	for (int i = 2; i < MANY; i += 3)
		set(i, 0);
	for (int i = 0; i < MANY; i++)
		look_around(i, i % 3 != 2);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	all[2]->base = base_of(0) + 1;
	set(2, LEN);
	CHECK(dev_window_find(&ordered, base_of(0), 1) == DEV_WINDOW_UNKNOWN);
	set(2, 0);
	look_around(0, true);
	windows_free(&order);
	for (int i = 0; i < MANY; i++)
		free(all[i]);
	return test_result();
}
