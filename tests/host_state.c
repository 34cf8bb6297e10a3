// SPDX-License-Identifier: MIT
/*
 * Before init and after finalize: every host call, and operations of every family
 * in both forms, give an error and a text, and touch nothing. Old contexts and
 * handles are known to be old.
 */
#include "fault.h"
#include "left.h"

static uint64_t words[8];
static int lanes[2];
static size_t places[2];
static mori_shmem_memobj_t object = { 0, 0, MORI_SHMEM_MEMOBJ_HEAP };

const struct fault_role fault_roles[] = { { NULL, NULL } };

#define ESTATE(call)  CHECK_FAILS(call, MORI_SHMEM_ESTATE, "mori_shmem_")
#define NOTHING(call) fault_fails(__FILE__, __LINE__, #call, (long long)(call), 0, "mori_shmem_")

static void host_calls(void)
{
	mori_shmem_heap_info_t info = { .struct_size = sizeof(info) };
	mori_shmem_fault_t fault = { .struct_size = sizeof(fault) };
	mori_shmem_hold_t *hold;
	uint64_t ctx = 5;

	CHECK_EQ("is_initialized", mori_shmem_is_initialized(), 0);
	ESTATE(mori_shmem_finalize());
	ESTATE(mori_shmem_num_qp_per_pe());
	NOTHING(mori_shmem_current());
	NOTHING(mori_shmem_find(0));
	ESTATE(mori_shmem_device_of(0));
	NOTHING(mori_shmem_device_name());
	ESTATE(mori_shmem_abort("x"));
	ESTATE(mori_shmem_heap_hold(words, sizeof(words), &hold));
	NOTHING(mori_shmem_malloc(64));
	NOTHING(mori_shmem_malloc(0));
	NOTHING(mori_shmem_malloc_align(64, 64));
	NOTHING(mori_shmem_calloc(8, 8));
	NOTHING(mori_shmem_ext_malloc_with_flags(64, 0));
	ESTATE(mori_shmem_free(words));
	ESTATE(mori_shmem_free(NULL));
	ESTATE(mori_shmem_heap_info(&info));
	ESTATE(mori_shmem_buffer_register(words, sizeof(words)));
	ESTATE(mori_shmem_buffer_deregister(words, sizeof(words)));
	ESTATE(mori_shmem_symmetric_register(words, sizeof(words)));
	ESTATE(mori_shmem_symmetric_deregister(words, sizeof(words)));
	ESTATE(mori_shmem_query_memobj(words, &object));
	ESTATE(mori_shmem_barrier_all());
	ESTATE(mori_shmem_sync_all());
	ESTATE(mori_shmem_check(&fault));
	ESTATE(mori_shmem_check(NULL));
	ESTATE(mori_shmem_leave_fault(&fault));
	ESTATE(mori_shmem_device_state(&ctx));
	CHECK_EQ("ctx is left alone", ctx, 5);
	CHECK_OK(mori_shmem_tell());
	CHECK_OK(mori_shmem_bind(NULL));
}

static void stream_calls(void)
{
	int32_t *word = (int32_t *)words;

	ESTATE(mori_shmem_barrier_on_stream(NULL));
	ESTATE(mori_shmem_putmem_on_stream(words, words + 4, 8, 0, 0, NULL));
	ESTATE(mori_shmem_getmem_on_stream(words, words + 4, 8, 0, 0, NULL));
	ESTATE(mori_shmem_putmem_signal_on_stream(words, words + 4, 8, words, 1, 9, 0, 0, NULL));
	ESTATE(mori_shmem_signal_op_on_stream(words, 1, 9, 0, 0, NULL));
	ESTATE(mori_shmem_quiet_on_stream(NULL));
	ESTATE(mori_shmem_int32_wait_until_on_stream(word, 0, 0, NULL));
	ESTATE(mori_shmem_uint64_wait_until_on_stream(words, 0, 0, NULL));
}

/* Both forms of a call; the one with a context gets an old one, or none. */
static uint64_t old_ctx;
#define BOTH(name, ...)                                                                            \
	do {                                                                                       \
		ESTATE(mori_shmem_##name(__VA_ARGS__));                                            \
		ESTATE(mori_shmem_ctx_##name(old_ctx, ##__VA_ARGS__));                             \
	} while (0)
#define BOTH_VALUE(bad, name, ...)                                                                 \
	do {                                                                                       \
		CHECK_FAILS((long long)mori_shmem_##name(__VA_ARGS__), bad, #name);                \
		CHECK_FAILS((long long)mori_shmem_ctx_##name(old_ctx, ##__VA_ARGS__), bad, #name); \
	} while (0)

static void copies(void)
{
	BOTH(putmem_thread, words, words + 4, 8, 0, 0);
	BOTH(putmem_nbi_thread, words, words + 4, 0, 0, 0);
	BOTH(put_uint64_thread, words, words + 4, 1, 0, 0);
	BOTH(put_float_nbi_thread, (float *)words, (float *)words + 4, 1, 0, 0);
	BOTH(getmem_thread, words, words + 4, 8, 0, 0);
	BOTH(get_int8_nbi_thread, (int8_t *)words, (int8_t *)words + 32, 1, 0, 0);
	BOTH(putmem_signal_thread, words, words + 4, 8, words + 1, 1, 9, 0, 0);
	BOTH(put_double_nbi_signal_thread, (double *)words, (double *)words + 4, 1, words + 1, 1, 9,
	     0, 0);
	BOTH(signal_op_thread, words, 1, 9, 0, 0);
	BOTH(uint64_p, words, 1, 0, 0);
	BOTH(char_p, (char *)words, 1, 0, 0);
	BOTH(put_size_imm_nbi_thread, words, words + 4, 8, 0, 0);
	BOTH(putmem_obj_thread, object, 0, object, 0, 8, 0, 0);
	BOTH(getmem_nbi_obj_thread, object, 0, object, 0, 8, 0, 0);
	BOTH(putmem_signal_obj_thread, object, 0, object, 0, 8, object, 0, 1, 9, 0, 0);
	BOTH(signal_op_obj_thread, object, 0, 1, 9, 0, 0);
}

static void others(void)
{
	BOTH_VALUE(MORI_SHMEM_ESTATE, my_pe);
	BOTH_VALUE(MORI_SHMEM_ESTATE, n_pes);
	BOTH_VALUE(MORI_SHMEM_ESTATE, status);
	BOTH_VALUE(0, ptr, (uint64_t)(uintptr_t)words, 0);
	BOTH_VALUE(0, ptr_p2p, (uint64_t)(uintptr_t)words, 0, 0);
	BOTH_VALUE(0, signal_fetch, words);
	BOTH_VALUE(0, uint64_g, words, 0, 0);
	BOTH(uint64_atomic_add_thread, words, 1, 0, 0);
	BOTH(atomic_uint64_nonfetch_thread, words, 1, 3, 0, 0);
	BOTH(atomic_size_nonfetch_thread, words, words + 4, 8, 3, 0, 0);
	BOTH(double_atomic_add_thread, (double *)words, 1, 0, 0);
	BOTH_VALUE(0, uint64_atomic_fetch_thread, words, 0, 0);
	BOTH_VALUE(0, uint64_atomic_compare_swap_thread, words, 1, 2, 0, 0);
	BOTH(uint64_wait_until, words, 0, 99);
	BOTH(uint64_wait_until_equals, words, 99);
	BOTH(uint64_wait_until_for, words, 0, 99, 1000);
	BOTH(uint64_wait_until_all, words, 2, NULL, 0, 99);
	BOTH_VALUE(0, uint64_wait_until_greater_than, words, 99);
	BOTH_VALUE(0, uint64_test, words, 0, 7);
	BOTH_VALUE(-1, uint64_wait_until_any, words, 2, lanes, 0, 99);
	BOTH_VALUE(0, uint64_wait_until_some, words, 2, places, lanes, 0, 99);
	BOTH(quiet_thread);
	BOTH(quiet_thread_pe, 0);
	BOTH(quiet_thread_pe_qp, 0, 0);
	BOTH(fence_thread);
	BOTH(fence_thread_pe, 0);
	BOTH(barrier_all_thread);
	BOTH(sync_all_thread);
}

static void everything(const char *where, uint64_t ctx)
{
	test_at(where);
	old_ctx = ctx;
	for (int i = 0; i < 8; i++)
		words[i] = 7;
	host_calls();
	stream_calls();
	copies();
	others();
	for (int i = 0; i < 8; i++)
		CHECK_EQ("untouched", words[i], 7);
}

static void *everything_in_thread(void *ctx)
{
	everything("another thread", *(uint64_t *)ctx);
	return NULL;
}

static void fault_test(void)
{
	uint64_t ctx = 0;
	mori_shmem_t *old;
	struct left before;
	pthread_t thread;

	left_start(&before);
	CHECK_EQ("last_error", mori_shmem_last_error()[0], '\0');
	everything("before init", 0);
	everything("before init, with a wild context", (uint64_t)(uintptr_t)words);
	for (int i = 0; i < 3; i++) {
		MUST(CHECK_OK(mori_shmem_init()));
		old = mori_shmem_current();
		CHECK(old != NULL);
		CHECK_OK(mori_shmem_device_state(&ctx));
		CHECK_EQ("n_pes", mori_shmem_ctx_n_pes(ctx), 1);
		ESTATE(mori_shmem_ctx_quiet_thread(ctx + 8));
		ESTATE(mori_shmem_ctx_quiet_thread(0));
		CHECK_OK(mori_shmem_bind(old));
		CHECK_FAILS(mori_shmem_bind((mori_shmem_t *)words), MORI_SHMEM_EINVAL, "not a PE");
		CHECK(mori_shmem_current() == old);
		CHECK_OK(mori_shmem_finalize());
		everything("after finalize", ctx);
		CHECK_FAILS(mori_shmem_bind(old), MORI_SHMEM_EINVAL, "any more");
		MUST(!pthread_create(&thread, NULL, everything_in_thread, &ctx));
		pthread_join(thread, NULL);
		CHECK_NOTHING_LEFT(&before);
	}
}
