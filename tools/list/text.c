// SPDX-License-Identifier: MIT
/*
 * One line about each operation for the generated headers: what it does, what completes it, what
 * it returns. A text belongs to a body and may contain
 *	$n	"@bytes bytes" or "@nelems elements"
 *	$amo	what the atomic does to the word
 *	$word	the parameter that is its address
 *	$cmp	what a wait compares with
 *	$for	how long it waits
 *	$sync	what a team's sync or barrier does
 *	$to	which PE and queue a quiet or fence is limited to
 */
#include <string.h>

#include "list.h"

#define STATUS	 " Return: 0 or MORI_SHMEM_E*."
#define OR_FAULT "; 0 on an error, with a fault for mori_shmem_check()."
#define REMOTE	 "quiet or a barrier completes it at @pe." STATUS
#define REUSE	 "@src may be reused on return; " REMOTE
#define KEEP	 "@src must not change until quiet or a barrier completes it." STATUS
#define SIGNALS                                                                                    \
	"then update the signal word @sig there as @op says (MORI_SHMEM_SIGNAL_*). Whoever sees "  \
	"the signal sees the data. "
#define OBJECTS "@bytes bytes at @src_off of @src"
#define OBJ_SIG                                                                                    \
	"then update the signal word at @sig_off of @sig there as @op says "                       \
	"(MORI_SHMEM_SIGNAL_*). Whoever sees the signal sees the data. "
#define LEFT_OUT "Words with a non-zero @skip[i] are left out; @skip may be NULL."

/* Laid out by hand: one line per body. */
/* clang-format off */
static const struct text_row {
	const char *name, *text;
} text_bodies[] = {
	{ "my_pe", "The number of this PE. Return: 0 and up; MORI_SHMEM_ESTATE if the thread acts for no PE." },
	{ "n_pes", "The number of PEs. Return: 1 and up; MORI_SHMEM_ESTATE if the thread acts for no PE." },
	{ "status", "Read the sticky status of this PE without clearing it. Return: 0 or MORI_SHMEM_E* of the first failure." },
	{ "ptr_p2p", "Find where load and store reach, at PE @dest_pe, what @addr is in the heap of PE @my_pe. Return: the address; 0 if they do not reach it." },
	{ "ptr", "Find where load and store reach, at PE @pe, what the symmetric address @addr is here. Return: the address; 0 if they do not reach it." },
	{ "put", "Copy $n from @src to @dest at PE @pe. " REUSE },
	{ "put_nbi", "Start copying $n from @src to @dest at PE @pe. " KEEP },
	{ "get", "Copy $n from @src at PE @pe to @dest; complete on return." STATUS },
	{ "get_nbi", "Start copying $n from @src at PE @pe to @dest; quiet or a barrier completes it." STATUS },
	{ "put_signal", "Copy $n from @src to @dest at PE @pe, " SIGNALS REUSE },
	{ "put_nbi_signal", "Start copying $n from @src to @dest at PE @pe, " SIGNALS KEEP },
	{ "signal", "Update the signal word @sig at PE @pe as @op says (MORI_SHMEM_SIGNAL_*), after this thread's earlier puts to @pe; " REMOTE },
	{ "signal_fetch", "Read the local signal word @sig; data put before that signal may be read afterwards. Return: the value" OR_FAULT },
	{ "p", "Write one value to @dest at PE @pe; " REMOTE },
	{ "g", "Read one value from @src at PE @pe. Return: the value" OR_FAULT },
	{ "put_imm", "Write the 1, 2, 4, 8 or 16 bytes at @value, read before the call returns, to @dest at PE @pe; " REMOTE },
	{ "put_obj", "Copy " OBJECTS " to @dest_off of @dest at PE @pe. " REUSE },
	{ "put_nbi_obj", "Start copying " OBJECTS " to @dest_off of @dest at PE @pe. " KEEP },
	{ "get_obj", "Copy " OBJECTS " at PE @pe to @dest_off of @dest; complete on return." STATUS },
	{ "get_nbi_obj", "Start copying " OBJECTS " at PE @pe to @dest_off of @dest; quiet or a barrier completes it." STATUS },
	{ "put_signal_obj", "Copy " OBJECTS " to @dest_off of @dest at PE @pe, " OBJ_SIG REUSE },
	{ "put_nbi_signal_obj", "Start copying " OBJECTS " to @dest_off of @dest at PE @pe, " OBJ_SIG KEEP },
	{ "signal_obj", "Update the signal word at @sig_off of @sig at PE @pe as @op says (MORI_SHMEM_SIGNAL_*), after this thread's earlier puts to @pe; " REMOTE },
	{ "amo_post", "Atomically $amo the word @dest at PE @pe; " REMOTE },
	{ "amo_fetch", "Atomically $amo the word $word at PE @pe. Return: its previous value" OR_FAULT },
	{ "amo_size", "Atomically apply @op (MORI_SHMEM_AMO_*) with the value at @value to the word @dest of @bytes (4 or 8) bytes at PE @pe; " REMOTE },
	{ "amo_add_real", "Atomically add @value to the word @dest at PE @pe; " REMOTE },
	{ "amo_fetch_add_real", "Atomically add @value to the word @dest at PE @pe. Return: its previous value" OR_FAULT },
	{ "wait", "Wait $for until the local word @addr $cmp." STATUS },
	{ "wait_value", "Wait $for until the local word @addr $cmp. Return: the value seen; on an error the last one, with a fault for mori_shmem_check()." },
	{ "test", "Check once whether the local word @addr $cmp. Return: 1 or 0; 0 on an error, with a fault for mori_shmem_check()." },
	{ "wait_all", "Wait $for until each of the @n words from @addrs on $cmp. " LEFT_OUT STATUS },
	{ "wait_any", "Wait $for until one of the @n words from @addrs on $cmp. " LEFT_OUT " Return: its index; SIZE_MAX if all are left out or, with a fault for mori_shmem_check(), on an error." },
	{ "wait_some", "Wait $for until at least one of the @n words from @addrs on $cmp, and list those that do in @indices. " LEFT_OUT " Return: how many" OR_FAULT },
	{ "quiet", "Complete what the caller issued: gets have their data, sources may be reused, puts, signals and atomics are visible at their targets." STATUS },
	{ "quiet_pe", "Complete what the caller issued$to: gets have their data, sources may be reused, puts, signals and atomics are visible at their targets." STATUS },
	{ "fence", "Order what the caller issued: puts, signals and atomics before it are seen there before those after it. Waits for nothing." STATUS },
	{ "fence_pe", "Order what the caller issued$to: puts, signals and atomics before it are seen there before those after it. Waits for nothing." STATUS },
	{ "barrier", "Complete what the caller issued, then wait until every PE has called it." STATUS },
	{ "sync", "Wait until every PE has called it; completes nothing." STATUS },
	{ "team_my_pe", "The number of this PE in @team. Return: 0 and up; -1 if it is in no such team." },
	{ "team_n_pes", "The number of PEs of @team. Return: 1 and up; -1 if this PE is in no such team." },
	{ "team_translate", "The number in @dest_team of PE @src_pe of @src_team. Return: 0 and up; -1 if it is not in that team." },
	{ "team_sync", "$sync" STATUS },
	{ "broadcast", "Copy @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on) from @src at PE @root of @team to @dest at all of them." STATUS },
	{ "fcollect", "Gather @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on) from @src of each PE of @team, in their order, in @dest of all of them." STATUS },
	{ "collect", "Gather @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on), another number on each PE, from @src of each PE of @team, in their order, in @dest of all of them." STATUS },
	{ "alltoall", "Copy the i-th @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on) in @src of the j-th PE of @team to @dest of the i-th, as the j-th there." STATUS },
	{ "reduce", "Combine, as @op says (MORI_SHMEM_SUM and so on), the @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on) in @src of all PEs of @team one by one, in @dest of all of them; @dest may be @src." STATUS },
	{ "reducescatter", "Combine, as @op says (MORI_SHMEM_SUM and so on), the i-th @nelems elements of type @dtype (MORI_SHMEM_FLOAT32 and so on) in @src of all PEs of @team one by one, in @dest of the i-th." STATUS },
}, text_grid[] = {
	{ "mori_thread_id", "The index of the thread in its block. Return: 0 and up; on a host thread 0." },
	{ "mori_block_size", "The number of threads of a block. Return: 1 and up; on a host thread 1." },
	{ "mori_block_id", "The index of the block in the grid. Return: 0 and up; on a host thread 0." },
	{ "mori_grid_size", "The number of blocks of the grid. Return: 1 and up; on a host thread 1." },
	{ "mori_lane_id", "The index of the thread in its warp. Return: 0 and up; on a host thread 0." },
	{ "mori_warp_size", "The number of lanes of a warp. Return: 1 and up; on a host thread 1." },
	{ "mori_block_sync", "Wait for all threads of the block; returns at once on a host thread." },
	{ "mori_clock_ns", "A monotonic clock for measuring time. Return: nanoseconds." },
	{ "mori_shared_memory", "The block memory whose size the launch set. Return: its address, a multiple of 16; NULL on a host thread." },
}, text_amo[] = {
	{ "op", "apply @op (MORI_SHMEM_AMO_*) to" },
	{ "MORI_SHMEM_AMO_INC", "increment" },
	{ "MORI_SHMEM_AMO_SET", "store @value to" },
	{ "MORI_SHMEM_AMO_ADD", "add @value to" },
	{ "MORI_SHMEM_AMO_AND", "apply bitwise AND with @value to" },
	{ "MORI_SHMEM_AMO_OR", "apply bitwise OR with @value to" },
	{ "MORI_SHMEM_AMO_XOR", "apply bitwise XOR with @value to" },
	{ "MORI_SHMEM_AMO_FETCH", "read" },
	{ "MORI_SHMEM_AMO_FETCH_INC", "increment" },
	{ "MORI_SHMEM_AMO_FETCH_ADD", "add @value to" },
	{ "MORI_SHMEM_AMO_FETCH_AND", "apply bitwise AND with @value to" },
	{ "MORI_SHMEM_AMO_FETCH_OR", "apply bitwise OR with @value to" },
	{ "MORI_SHMEM_AMO_FETCH_XOR", "apply bitwise XOR with @value to" },
	{ "MORI_SHMEM_AMO_SWAP", "store @value to" },
	{ "MORI_SHMEM_AMO_COMPARE_SWAP", "store @value, if the word equals @compare, to" },
}, text_sync[] = {
	{ "DEV_COLL_SYNC", "Wait until every PE of @team has called it; completes nothing." },
	{ "DEV_COLL_BARRIER", "Complete what the caller issued, then wait until every PE of @team has called it." },
}, text_cmp[] = {
	{ "cmp", "compares with @value as @cmp says (MORI_SHMEM_CMP_*)" },
	{ "MORI_SHMEM_CMP_EQ", "equals @value" },
	{ "MORI_SHMEM_CMP_GT", "is greater than @value" },
};
/* clang-format on */

#define TEXT_ROWS(table) (table), sizeof(table) / sizeof((table)[0])

/* The text of @name, or with @prefix of the longest name that @name begins with. */
static const char *text_find(const struct text_row *rows, size_t n, const char *name, int prefix)
{
	const char *best = NULL;
	size_t length = 0;

	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(rows[i].name);

		if (len > length && !strncmp(rows[i].name, name, len) && (prefix || !name[len])) {
			best = rows[i].text;
			length = len;
		}
	}
	return best;
}

/* The text of the first element of the call that @rows know. */
static const char *text_arg(const struct list_row *r, const struct text_row *rows, size_t n)
{
	const char *text = NULL;
	char arg[64] = "x";

	for (int i = 1; arg[0] && !text; i++) {
		list_call_arg(r, i, arg, sizeof(arg));
		text = text_find(rows, n, arg, 0);
	}
	if (!text)
		die("no text for the arguments of %s: see tools/list/text.c", r->name);
	return text;
}

static const char *text_word(const struct list_row *r, const char *word)
{
	if (!strncmp(word, "n", 1))
		return strstr(r->params, "size_t bytes") ? "@bytes bytes" : "@nelems elements";
	if (!strncmp(word, "amo", 3))
		return text_arg(r, TEXT_ROWS(text_amo));
	if (!strncmp(word, "word", 4))
		return strstr(r->params, "*src") ? "@src" : "@dest";
	if (!strncmp(word, "sync", 4))
		return text_arg(r, TEXT_ROWS(text_sync));
	if (!strncmp(word, "cmp", 3))
		return text_arg(r, TEXT_ROWS(text_cmp));
	if (!strncmp(word, "for", 3))
		return strstr(r->params, "ns") ? "at most @ns nanoseconds" :
						 "(limit: MORI_SHMEM_WAIT_TIMEOUT)";
	if (strncmp(word, "to", 2) != 0)
		die("unknown word $%s in a text", word);
	return strstr(r->params, "int qp") ? " to PE @pe by queue @qp" : " to PE @pe";
}

void text_print(const struct list_row *r)
{
	const char *text, *scope = list_scope(r, "");
	char body[64];

	list_call_arg(r, 0, body, sizeof(body));
	text = r->kind == LIST_GRID ? text_find(TEXT_ROWS(text_grid), r->name, 1) :
				      text_find(TEXT_ROWS(text_bodies), body, 0);
	if (!text)
		die("no text for %s: see tools/list/text.c", r->name);
	if (!strcmp(scope, "warp") || !strcmp(scope, "block"))
		printf("All threads of the %s together: ", scope);
	for (; *text; text++) {
		if (*text != '$') {
			putchar(*text);
			continue;
		}
		fputs(text_word(r, text + 1), stdout);
		while (text[1] >= 'a' && text[1] <= 'z')
			text++;
	}
}
