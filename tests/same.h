// SPDX-License-Identifier: MIT
/*
 * A job in which all PEs must get the same errors: as processes, as threads, and
 * mixed. Each PE sends the text of an error with same_text(); the director sees
 * that the k-th text of every PE is the same.
 */
#ifndef MORI_TESTS_SAME_H
#define MORI_TESTS_SAME_H

#include "fault.h"
#include "left.h"

#define SAME_PES 4

static _Thread_local int me;
static const int n_pes = SAME_PES;
static mori_shmem_uniqueid_t same_uid;

/* What every PE does; it finalizes itself. */
static void same_pe(void);

static inline void same_text(void)
{
	fault_say("%d %s", me, mori_shmem_last_error());
}

static inline void *same_main(void *arg)
{
	me = test_rank = fault_rank + (int)(intptr_t)arg;
	MUST(CHECK_OK(fault_init(me, n_pes, &same_uid)));
	same_pe();
	return NULL;
}

/* The PEs of one process: fault_n of them. */
static inline void same_actor(void)
{
	pthread_t threads[SAME_PES];
	struct left before;

	left_start(&before);
	fault_meet(&same_uid);
	for (int i = 0; i < fault_n; i++)
		MUST(!pthread_create(&threads[i], NULL, same_main, (void *)(intptr_t)i));
	for (int i = 0; i < fault_n; i++)
		pthread_join(threads[i], NULL);
	CHECK_NOTHING_LEFT(&before);
	fault_say("over");
	fault_meet(&same_uid);
	fault_good_job(fault_rank / fault_n, n_pes / fault_n, &same_uid);
	CHECK_NOTHING_LEFT(&before);
}

const struct fault_role fault_roles[] = { { "actor", same_actor }, { NULL, NULL } };

struct same_texts {
	char **text; /* the first of each */
	int n, seen[SAME_PES];
};

static inline void same_add(struct same_texts *t, const char *line)
{
	int rank = atoi(line), k;
	const char *text = strchr(line, ' ');

	MUST(rank >= 0 && rank < SAME_PES && text != NULL);
	k = t->seen[rank]++;
	if (k == t->n) {
		char **more = realloc(t->text, (size_t)(k + 1) * sizeof(*more));

		MUST(more != NULL);
		t->text = more;
		t->text[t->n++] = strdup(text);
	}
	CHECK_TEXT(text, t->text[k]);
	CHECK_EQ("length of the text", strlen(text), strlen(t->text[k]));
}

/* One job of @procs processes; at the end the same processes are another. */
static inline void same_job(int procs)
{
	struct fault_pe pes[SAME_PES], *all[SAME_PES];
	struct same_texts t = { 0 };

	for (int i = 0; i < procs; i++) {
		all[i] = &pes[i];
		fault_start(&pes[i], "actor", i * SAME_PES / procs, SAME_PES / procs, NULL);
	}
	fault_share(all, procs, &pes[procs - 1]);
	for (int i = 0; i < procs; i++) {
		while (fault_want(&pes[i], FAULT_LATE, "") && strcmp(pes[i].line, "over") != 0)
			same_add(&t, pes[i].line);
	}
	for (int i = 0; i < SAME_PES; i++)
		CHECK_EQ("texts of a PE", t.seen[i], t.n);
	for (int i = 0; i < t.n; i++) {
		if (procs == 1)
			printf("%s\n", t.text[i]);
		free(t.text[i]);
	}
	free(t.text);
	fault_share(all, procs, &pes[0]);
	for (int i = 0; i < procs; i++)
		fault_end(&pes[i]);
}

#endif
