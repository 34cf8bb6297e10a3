// SPDX-License-Identifier: MIT
/*
 * Who the PEs are and how they reach each other. Each PE puts a card and a row of
 * the matrix into its own symmetric memory; PE 0 fetches and prints them.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tour.h"

struct card {
	int pid, tid;
	char host[64];
};

enum reach { REACH_NONE, REACH_SELF, REACH_LOAD_STORE };

#define MATRIX_MOST 16 /* PEs in a matrix that fits on a screen */
#define CARDS_MOST  32

/* As the library takes it: the variable, else its default. */
static const char *heap_mode(void)
{
	const char *text = getenv("MORI_SHMEM_MODE");

	return text && *text ? text : "static";
}

static void fill_card(const struct tour *t, struct card *card)
{
	struct card c = { .pid = getpid(), .tid = gettid() };

	gethostname(c.host, sizeof(c.host) - 1);
	to_heap(t, card, &c, sizeof(c));
}

static void fill_row(const struct tour *t, unsigned char *row)
{
	unsigned char *mine = must_have(calloc(t->n, 1), "calloc");

	for (int pe = 0; pe < t->n; pe++) {
		int near = mori_shmem_ptr_p2p((uintptr_t)row, t->me, pe) != 0;

		mine[pe] = pe == t->me ? REACH_SELF : near ? REACH_LOAD_STORE : REACH_NONE;
	}
	to_heap(t, row, mine, t->n);
	free(mine);
}

/* PEs that reach each other by load and store count as one node; it has its lowest PE's place. */
static int node_of(const struct tour *t, const unsigned char *matrix, int pe)
{
	int nodes = 0;

	for (int q = 0; q < pe; q++) {
		if (matrix[(size_t)pe * t->n + q] != REACH_NONE)
			return node_of(t, matrix, q);
	}
	for (int q = 0; q < pe; q++) {
		int first = 1;

		for (int r = 0; r < q; r++)
			first &= matrix[(size_t)q * t->n + r] == REACH_NONE;
		nodes += first;
	}
	return nodes;
}

static void print_cards(const struct tour *t, const struct card *cards, const unsigned char *matrix)
{
	int shown = t->n <= CARDS_MOST ? t->n : CARDS_MOST;

	show_heading(t, "Who is here");
	printf("\n  %4s  %8s  %8s  %4s  %s\n", "PE", "process", "thread", "node", "host");
	for (int pe = 0; pe < shown; pe++)
		printf("  %4d  %8d  %8d  %4d  %s\n", pe, cards[pe].pid, cards[pe].tid,
		       node_of(t, matrix, pe), cards[pe].host);
	if (shown < t->n)
		printf("  ... and %d more\n", t->n - shown);
}

static void print_matrix(const struct tour *t, const unsigned char *matrix)
{
	static const char *const utf8[] = { "\u00b7", "\u25cf", "\u2194" };
	static const char *const ascii[] = { ".", "o", "=" };
	const char *const *sign = t->style.utf8 ? utf8 : ascii;

	show_heading(t, "How they reach each other");
	printf("\n   to");
	for (int pe = 0; pe < t->n; pe++)
		printf(" %2d", pe);
	printf("\n");
	for (int from = 0; from < t->n; from++) {
		printf("  %3d", from);
		for (int to = 0; to < t->n; to++)
			printf("  %s", sign[matrix[(size_t)from * t->n + to]]);
		printf("\n");
	}
	printf("\n  %s self   %s load/store   %s not by load/store\n", sign[REACH_SELF],
	       sign[REACH_LOAD_STORE], sign[REACH_NONE]);
}

static void print_all(const struct tour *t, const struct card *cards, const unsigned char *matrix)
{
	mori_shmem_heap_info_t heap = { .struct_size = sizeof(heap) };
	char size[32];
	size_t near = 0;

	must(mori_shmem_heap_info(&heap), "heap_info");
	format_bytes(size, sizeof(size), (double)heap.size);
	show_title(t);
	printf("heap:   %s on each PE, mode %s\n", size, heap_mode());
	print_cards(t, cards, matrix);
	if (t->n <= MATRIX_MOST) {
		print_matrix(t, matrix);
		return;
	}
	for (size_t i = 0; i < (size_t)t->n * t->n; i++)
		near += matrix[i] == REACH_LOAD_STORE;
	printf("\n  %zu of %zu pairs reach each other by load/store.\n", near,
	       (size_t)t->n * (t->n - 1));
}

void who_is_here(struct tour *t)
{
	struct card *card = must_have(mori_shmem_malloc(sizeof(*card)), "malloc"), *cards;
	unsigned char *row = must_have(mori_shmem_malloc(t->n), "malloc"), *matrix;

	fill_card(t, card);
	fill_row(t, row);
	must(mori_shmem_barrier_all(), "barrier_all");
	if (!t->me) {
		cards = must_have(calloc(t->n, sizeof(*cards)), "calloc");
		matrix = must_have(calloc(t->n, t->n), "calloc");
		for (int pe = 0; pe < t->n; pe++) {
			must(mori_shmem_getmem_nbi_thread(&cards[pe], card, sizeof(*card), pe, 0),
			     "get");
			must(mori_shmem_getmem_nbi_thread(matrix + (size_t)pe * t->n, row, t->n, pe,
							  0),
			     "get");
		}
		must(mori_shmem_quiet_thread(), "quiet");
		print_all(t, cards, matrix);
		fflush(stdout);
		free(matrix);
		free(cards);
	}
	must(mori_shmem_free(row), "free");
	must(mori_shmem_free(card), "free");
}
