// SPDX-License-Identifier: MIT
/*
 * The list of operations, the only place that names them. Public headers, exports, the manual, the
 * Python package and the tests are made from it; `make generate` writes what is kept in the tree.
 *
 * An entry is one of
 *	S(name, params, call)		 returns a status
 *	V(ret, bad, name, params, call)	 returns a value; @bad on an error
 *	S0(name, call)			 like S, without parameters
 *	V0(ret, bad, name, call)	 like V, without parameters
 * @name lacks the prefix mori_shmem_; mori_shmem_ctx_<name> takes a context first.
 * @call is (body, arguments...): dev_<body>() of src/dev implements the operation. Only the
 * libraries use it; whatever declares, documents or tests the names drops it.
 * MORI_ACQUIRES(call) says whether the operation acquires.
 */
#ifndef MORI_OPS_LIST_H
#define MORI_OPS_LIST_H

/* The parameters of mori_shmem_ctx_<name>, from those of mori_shmem_<name>: MORI_CTX_PARAMS params */
#define MORI_CTX_PARAMS(...) (uint64_t ctx, __VA_ARGS__)

/*
 * 1: the operation acquires or completes. Loads after it may read what it has seen, fetched or
 * completed, so no compiler may move a later load before it. Compilers that move loads by their
 * own rules, such as Triton's, get wrappers made from this mark. Every body of the list has one.
 */
#define MORI_ACQUIRES(call)	  MORI__ACQUIRES call
#define MORI__ACQUIRES(body, ...) MORI__ACQUIRES_##body
#define MORI__ACQUIRES_my_pe 0
#define MORI__ACQUIRES_n_pes 0
#define MORI__ACQUIRES_status 0
#define MORI__ACQUIRES_ptr_p2p 0
#define MORI__ACQUIRES_ptr 0
#define MORI__ACQUIRES_put 0
#define MORI__ACQUIRES_put_nbi 0
#define MORI__ACQUIRES_get 1
#define MORI__ACQUIRES_get_nbi 0
#define MORI__ACQUIRES_put_signal 0
#define MORI__ACQUIRES_put_nbi_signal 0
#define MORI__ACQUIRES_signal 0
#define MORI__ACQUIRES_signal_fetch 1
#define MORI__ACQUIRES_p 0
#define MORI__ACQUIRES_g 1
#define MORI__ACQUIRES_put_imm 0
#define MORI__ACQUIRES_put_obj 0
#define MORI__ACQUIRES_put_nbi_obj 0
#define MORI__ACQUIRES_get_obj 1
#define MORI__ACQUIRES_get_nbi_obj 0
#define MORI__ACQUIRES_put_signal_obj 0
#define MORI__ACQUIRES_put_nbi_signal_obj 0
#define MORI__ACQUIRES_signal_obj 0
#define MORI__ACQUIRES_amo_post 0
#define MORI__ACQUIRES_amo_fetch 1
#define MORI__ACQUIRES_amo_size 0
#define MORI__ACQUIRES_amo_add_real 0
#define MORI__ACQUIRES_amo_fetch_add_real 1
#define MORI__ACQUIRES_wait 1
#define MORI__ACQUIRES_wait_value 1
#define MORI__ACQUIRES_test 1
#define MORI__ACQUIRES_wait_all 1
#define MORI__ACQUIRES_wait_any 1
#define MORI__ACQUIRES_wait_some 1
#define MORI__ACQUIRES_quiet 1
#define MORI__ACQUIRES_quiet_pe 1
#define MORI__ACQUIRES_fence 0
#define MORI__ACQUIRES_fence_pe 0
#define MORI__ACQUIRES_barrier 1
#define MORI__ACQUIRES_sync 1
#define MORI__ACQUIRES_team_my_pe 0
#define MORI__ACQUIRES_team_n_pes 0
#define MORI__ACQUIRES_team_translate 0
#define MORI__ACQUIRES_team_sync 1
#define MORI__ACQUIRES_broadcast 1
#define MORI__ACQUIRES_fcollect 1
#define MORI__ACQUIRES_collect 1
#define MORI__ACQUIRES_alltoall 1
#define MORI__ACQUIRES_reduce 1
#define MORI__ACQUIRES_reducescatter 1

/* X(name, type, ...): element types of put and get. */
#define MORI_EACH_TYPE(X, ...)                                                                     \
	X(uint8, uint8_t, __VA_ARGS__)                                                             \
	X(int8, int8_t, __VA_ARGS__)                                                               \
	X(schar, signed char, __VA_ARGS__)                                                         \
	X(uint16, uint16_t, __VA_ARGS__)                                                           \
	X(int16, int16_t, __VA_ARGS__)                                                             \
	X(uint32, uint32_t, __VA_ARGS__)                                                           \
	X(int32, int32_t, __VA_ARGS__)                                                             \
	X(uint64, uint64_t, __VA_ARGS__)                                                           \
	X(int64, int64_t, __VA_ARGS__)                                                             \
	X(float, float, __VA_ARGS__)                                                               \
	X(double, double, __VA_ARGS__)

/* X(name, type, ...): types of the calls that move one value. */
#define MORI_EACH_VALUE_TYPE(X, ...)                                                               \
	X(char, char, __VA_ARGS__)                                                                 \
	X(schar, signed char, __VA_ARGS__)                                                         \
	X(short, short, __VA_ARGS__)                                                               \
	X(int, int, __VA_ARGS__)                                                                   \
	X(long, long, __VA_ARGS__)                                                                 \
	X(longlong, long long, __VA_ARGS__)                                                        \
	X(uchar, unsigned char, __VA_ARGS__)                                                       \
	X(ushort, unsigned short, __VA_ARGS__)                                                     \
	X(uint, unsigned int, __VA_ARGS__)                                                         \
	X(ulong, unsigned long, __VA_ARGS__)                                                       \
	X(ulonglong, unsigned long long, __VA_ARGS__)                                              \
	X(int8, int8_t, __VA_ARGS__)                                                               \
	X(int16, int16_t, __VA_ARGS__)                                                             \
	X(int32, int32_t, __VA_ARGS__)                                                             \
	X(int64, int64_t, __VA_ARGS__)                                                             \
	X(uint8, uint8_t, __VA_ARGS__)                                                             \
	X(uint16, uint16_t, __VA_ARGS__)                                                           \
	X(uint32, uint32_t, __VA_ARGS__)                                                           \
	X(uint64, uint64_t, __VA_ARGS__)                                                           \
	X(float, float, __VA_ARGS__)                                                               \
	X(double, double, __VA_ARGS__)

/* X(name, type, ...): types of atomics and waits. */
#define MORI_EACH_AMO_TYPE(X, ...)                                                                 \
	X(int32, int32_t, __VA_ARGS__)                                                             \
	X(uint32, uint32_t, __VA_ARGS__)                                                           \
	X(int64, int64_t, __VA_ARGS__)                                                             \
	X(uint64, uint64_t, __VA_ARGS__)

#define MORI_EACH_REAL_TYPE(X, ...)                                                                \
	X(float, float, __VA_ARGS__)                                                               \
	X(double, double, __VA_ARGS__)

/*
 * X(name, type, DTYPE, real, ...): types of the collectives that name one; @real: a floating-point
 * type. Whether char has a sign depends on the compiler: -.
 */
#define MORI_EACH_COLL_TYPE(X, ...)                                                                \
	X(char, char, -, 0, __VA_ARGS__)                                                           \
	X(schar, signed char, INT8, 0, __VA_ARGS__)                                                \
	X(short, short, INT16, 0, __VA_ARGS__)                                                     \
	X(int, int, INT32, 0, __VA_ARGS__)                                                         \
	X(long, long, INT64, 0, __VA_ARGS__)                                                       \
	X(longlong, long long, INT64, 0, __VA_ARGS__)                                              \
	X(uchar, unsigned char, UINT8, 0, __VA_ARGS__)                                             \
	X(ushort, unsigned short, UINT16, 0, __VA_ARGS__)                                          \
	X(uint, unsigned int, UINT32, 0, __VA_ARGS__)                                              \
	X(ulong, unsigned long, UINT64, 0, __VA_ARGS__)                                            \
	X(ulonglong, unsigned long long, UINT64, 0, __VA_ARGS__)                                   \
	X(int8, int8_t, INT8, 0, __VA_ARGS__)                                                      \
	X(int16, int16_t, INT16, 0, __VA_ARGS__)                                                   \
	X(int32, int32_t, INT32, 0, __VA_ARGS__)                                                   \
	X(int64, int64_t, INT64, 0, __VA_ARGS__)                                                   \
	X(uint8, uint8_t, UINT8, 0, __VA_ARGS__)                                                   \
	X(uint16, uint16_t, UINT16, 0, __VA_ARGS__)                                                \
	X(uint32, uint32_t, UINT32, 0, __VA_ARGS__)                                                \
	X(uint64, uint64_t, UINT64, 0, __VA_ARGS__)                                                \
	X(float, float, FLOAT32, 1, __VA_ARGS__)                                                   \
	X(double, double, FLOAT64, 1, __VA_ARGS__)                                                 \
	X(float16, uint16_t, FLOAT16, 1, __VA_ARGS__)                                              \
	X(bfloat16, uint16_t, BFLOAT16, 1, __VA_ARGS__)                                            \
	X(float8_e4m3fn, uint8_t, FLOAT8_E4M3FN, 1, __VA_ARGS__)                                   \
	X(float8_e4m3fnuz, uint8_t, FLOAT8_E4M3FNUZ, 1, __VA_ARGS__)                               \
	X(float8_e5m2, uint8_t, FLOAT8_E5M2, 1, __VA_ARGS__)                                       \
	X(float8_e5m2fnuz, uint8_t, FLOAT8_E5M2FNUZ, 1, __VA_ARGS__)

/* X(name, CODE, bits, ...): operations of reductions; @bits: of integers alone. */
#define MORI_EACH_REDUCE_OP(X, ...)                                                                \
	X(sum, SUM, 0, __VA_ARGS__)                                                                \
	X(prod, PROD, 0, __VA_ARGS__)                                                              \
	X(min, MIN, 0, __VA_ARGS__)                                                                \
	X(max, MAX, 0, __VA_ARGS__)                                                                \
	X(avg, AVG, 0, __VA_ARGS__)                                                                \
	X(and, AND, 1, __VA_ARGS__)                                                                \
	X(or, OR, 1, __VA_ARGS__)                                                                  \
	X(xor, XOR, 1, __VA_ARGS__)

/* X(name, CODE, ...): atomics that take a value, without and with a result. */
#define MORI_EACH_AMO_POST(X, ...)                                                                 \
	X(set, SET, __VA_ARGS__)                                                                   \
	X(add, ADD, __VA_ARGS__)                                                                   \
	X(and, AND, __VA_ARGS__)                                                                   \
	X(or, OR, __VA_ARGS__)                                                                     \
	X(xor, XOR, __VA_ARGS__)
#define MORI_EACH_AMO_FETCH(X, ...)                                                                \
	X(fetch_add, FETCH_ADD, __VA_ARGS__)                                                       \
	X(fetch_and, FETCH_AND, __VA_ARGS__)                                                       \
	X(fetch_or, FETCH_OR, __VA_ARGS__)                                                         \
	X(fetch_xor, FETCH_XOR, __VA_ARGS__)                                                       \
	X(swap, SWAP, __VA_ARGS__)

/* query */
#define MORI_OPS_QUERY(S, V, S0, V0)                                                               \
	V0(int, MORI_SHMEM_ESTATE, my_pe, (my_pe))                                                 \
	V0(int, MORI_SHMEM_ESTATE, n_pes, (n_pes))                                                 \
	V0(int, MORI_SHMEM_ESTATE, status, (status))                                               \
	V(uint64_t, 0, ptr_p2p, (uint64_t addr, int my_pe, int dest_pe),                           \
	  (ptr_p2p, addr, my_pe, dest_pe))                                                         \
	V(uint64_t, 0, ptr, (uint64_t addr, int pe), (ptr, addr, pe))

/* put and get, bytes and typed */
#define MORI__COPY_MEM(S, scope, dir)                                                              \
	S(dir##mem_nbi_##scope, (void *dest, const void *src, size_t bytes, int pe, int qp),       \
	  (dir##_nbi, DEV_##scope, dest, src, bytes, 1, pe, qp))                                   \
	S(dir##mem_##scope, (void *dest, const void *src, size_t bytes, int pe, int qp),           \
	  (dir, DEV_##scope, dest, src, bytes, 1, pe, qp))
#define MORI__COPY_TYPE(name, type, S, scope, dir)                                                 \
	S(dir##_##name##_nbi_##scope,                                                              \
	  (type * dest, const type *src, size_t nelems, int pe, int qp),                           \
	  (dir##_nbi, DEV_##scope, dest, src, nelems, sizeof(type), pe, qp))                       \
	S(dir##_##name##_##scope, (type * dest, const type *src, size_t nelems, int pe, int qp),   \
	  (dir, DEV_##scope, dest, src, nelems, sizeof(type), pe, qp))
#define MORI_OPS_PUT(S, scope)                                                                     \
	MORI__COPY_MEM(S, scope, put) MORI_EACH_TYPE(MORI__COPY_TYPE, S, scope, put)
#define MORI_OPS_GET(S, scope)                                                                     \
	MORI__COPY_MEM(S, scope, get) MORI_EACH_TYPE(MORI__COPY_TYPE, S, scope, get)

/* put with signal, and the signal alone */
#define MORI__SIG_PARAMS(dst, sr, count)                                                           \
	(dst, sr, size_t count, void *sig, uint64_t value, int op, int pe, int qp)
#define MORI__SIG_MEM(S, scope, nbi)                                                               \
	S(putmem##nbi##_signal_##scope, MORI__SIG_PARAMS(void *dest, const void *src, bytes),      \
	  (put##nbi##_signal, DEV_##scope, dest, src, bytes, 1, sig, value, op, pe, qp))
#define MORI__SIG_TYPE(name, type, S, scope, nbi)                                                  \
	S(put_##name##nbi##_signal_##scope,                                                        \
	  MORI__SIG_PARAMS(type *dest, const type *src, nelems),                                   \
	  (put##nbi##_signal, DEV_##scope, dest, src, nelems, sizeof(type), sig, value, op, pe, qp))
#define MORI_OPS_PUT_SIGNAL(S, scope)                                                              \
	MORI__SIG_MEM(S, scope, _nbi)                                                              \
	MORI__SIG_MEM(S, scope, )                                                                  \
	MORI_EACH_TYPE(MORI__SIG_TYPE, S, scope, _nbi)                                             \
	MORI_EACH_TYPE(MORI__SIG_TYPE, S, scope, )
#define MORI_OPS_SIGNAL(S, scope)                                                                  \
	S(signal_op_##scope, (uint64_t * sig, uint64_t value, int op, int pe, int qp),             \
	  (signal, DEV_##scope, sig, value, op, pe, qp))
#define MORI_OPS_SIGNAL_FETCH(V)                                                                   \
	V(uint64_t, 0, signal_fetch, (const uint64_t *sig), (signal_fetch, sig))

/* one value; @sfx is empty or _block */
#define MORI__VALUE(name, type, S, V, sfx, scope)                                                  \
	S(name##_p##sfx, (type * dest, type value, int pe, int qp),                                \
	  (p, DEV_##scope, dest, &value, sizeof(type), pe, qp))                                    \
	V(type, 0, name##_g##sfx, (const type *src, int pe, int qp),                               \
	  (g, DEV_##scope, src, sizeof(type), pe, qp))
#define MORI_OPS_VALUE(S, V, sfx, scope) MORI_EACH_VALUE_TYPE(MORI__VALUE, S, V, sfx, scope)
#define MORI_OPS_IMM(S)                                                                            \
	S(put_size_imm_nbi_thread, (void *dest, void *value, size_t bytes, int pe, int qp),        \
	  (put_imm, dest, value, bytes, pe, qp))

/* memory objects: an object and an offset replace an address */
#define MORI__OBJ_PARAMS                                                                           \
	(mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off,       \
	 size_t bytes, int pe, int qp)
#define MORI__OBJ_SIG_PARAMS                                                                       \
	(mori_shmem_memobj_t dest, size_t dest_off, mori_shmem_memobj_t src, size_t src_off,       \
	 size_t bytes, mori_shmem_memobj_t sig, size_t sig_off, uint64_t value, int op, int pe,    \
	 int qp)
#define MORI__OBJ_COPY(S, scope, dir, nbi)                                                         \
	S(dir##mem##nbi##_obj_##scope, MORI__OBJ_PARAMS,                                           \
	  (dir##nbi##_obj, DEV_##scope, dest, dest_off, src, src_off, bytes, pe, qp))
#define MORI__OBJ_SIG(S, scope, nbi)                                                               \
	S(putmem##nbi##_signal_obj_##scope, MORI__OBJ_SIG_PARAMS,                                  \
	  (put##nbi##_signal_obj, DEV_##scope, dest, dest_off, src, src_off, bytes, sig, sig_off,  \
	   value, op, pe, qp))
#define MORI_OPS_OBJ(S, scope)                                                                     \
	MORI__OBJ_COPY(S, scope, put, _nbi)                                                        \
	MORI__OBJ_COPY(S, scope, put, )                                                            \
	MORI__OBJ_COPY(S, scope, get, _nbi)                                                        \
	MORI__OBJ_COPY(S, scope, get, )                                                            \
	MORI__OBJ_SIG(S, scope, _nbi)                                                              \
	MORI__OBJ_SIG(S, scope, )                                                                  \
	S(signal_op_obj_##scope,                                                                   \
	  (mori_shmem_memobj_t sig, size_t sig_off, uint64_t value, int op, int pe, int qp),       \
	  (signal_obj, DEV_##scope, sig, sig_off, value, op, pe, qp))

/* atomics */
#define MORI__AMO_BY_CODE(name, type, S, V, scope)                                                 \
	S(atomic_##name##_nonfetch_##scope, (type * dest, type value, int op, int pe, int qp),     \
	  (amo_post, DEV_##scope, dest, DEV_KIND_##name, op, (uint64_t)value, pe, qp))             \
	V(type, 0, atomic_##name##_fetch_##scope,                                                  \
	  (type * dest, type value, type compare, int op, int pe, int qp),                         \
	  (amo_fetch, DEV_##scope, dest, DEV_KIND_##name, op, (uint64_t)value, (uint64_t)compare,  \
	   pe, qp))
#define MORI__AMO_PLAIN(name, type, S, V, scope)                                                   \
	S(name##_atomic_inc_##scope, (type * dest, int pe, int qp),                                \
	  (amo_post, DEV_##scope, dest, DEV_KIND_##name, MORI_SHMEM_AMO_INC, 1, pe, qp))           \
	V(type, 0, name##_atomic_fetch_##scope, (const type *src, int pe, int qp),                 \
	  (amo_fetch, DEV_##scope, src, DEV_KIND_##name, MORI_SHMEM_AMO_FETCH, 0, 0, pe, qp))      \
	V(type, 0, name##_atomic_fetch_inc_##scope, (type * dest, int pe, int qp),                 \
	  (amo_fetch, DEV_##scope, dest, DEV_KIND_##name, MORI_SHMEM_AMO_FETCH_INC, 1, 0, pe, qp)) \
	V(type, 0, name##_atomic_compare_swap_##scope,                                             \
	  (type * dest, type compare, type value, int pe, int qp),                                 \
	  (amo_fetch, DEV_##scope, dest, DEV_KIND_##name, MORI_SHMEM_AMO_COMPARE_SWAP,             \
	   (uint64_t)value, (uint64_t)compare, pe, qp))
#define MORI__AMO_POST(op, CODE, name, type, S, scope)                                             \
	S(name##_atomic_##op##_##scope, (type * dest, type value, int pe, int qp),                 \
	  (amo_post, DEV_##scope, dest, DEV_KIND_##name, MORI_SHMEM_AMO_##CODE, (uint64_t)value,   \
	   pe, qp))
#define MORI__AMO_FETCH(op, CODE, name, type, V, scope)                                            \
	V(type, 0, name##_atomic_##op##_##scope, (type * dest, type value, int pe, int qp),        \
	  (amo_fetch, DEV_##scope, dest, DEV_KIND_##name, MORI_SHMEM_AMO_##CODE, (uint64_t)value,  \
	   0, pe, qp))
#define MORI__AMO_NAMED(name, type, S, V, scope)                                                   \
	MORI_EACH_AMO_POST(MORI__AMO_POST, name, type, S, scope)                                   \
	MORI_EACH_AMO_FETCH(MORI__AMO_FETCH, name, type, V, scope)
#define MORI__AMO_REAL(name, type, S, V, scope)                                                    \
	S(name##_atomic_add_##scope, (type * dest, type value, int pe, int qp),                    \
	  (amo_add_real, DEV_##scope, dest, sizeof(type) == 8, value, pe, qp))                      \
	V(type, 0, name##_atomic_fetch_add_##scope, (type * dest, type value, int pe, int qp),     \
	  (amo_fetch_add_real, DEV_##scope, dest, sizeof(type) == 8, value, pe, qp))
#define MORI_OPS_AMO(S, V, scope)                                                                  \
	MORI_EACH_AMO_TYPE(MORI__AMO_BY_CODE, S, V, scope)                                         \
	MORI_EACH_AMO_TYPE(MORI__AMO_PLAIN, S, V, scope)                                           \
	MORI_EACH_AMO_TYPE(MORI__AMO_NAMED, S, V, scope)                                           \
	MORI_EACH_REAL_TYPE(MORI__AMO_REAL, S, V, scope)
#define MORI_OPS_AMO_SIZE(S)                                                                       \
	S(atomic_size_nonfetch_thread,                                                             \
	  (void *dest, void *value, size_t bytes, int op, int pe, int qp),                         \
	  (amo_size, dest, value, bytes, op, pe, qp))

/*
 * wait and test; @sfx is empty or _block. The forms with _for take a limit in
 * nanoseconds as the last parameter; for the others MORI_SHMEM_WAIT_TIMEOUT is the limit.
 */
#define MORI__WAIT_ONE(name, type, S, V, sfx, scope)                                               \
	S(name##_wait_until##sfx, (type * addr, int cmp, type value),                              \
	  (wait, DEV_##scope, addr, DEV_KIND_##name, cmp, (uint64_t)value, DEV_NS_DEFAULT))        \
	S(name##_wait_until_for##sfx, (type * addr, int cmp, type value, uint64_t ns),             \
	  (wait, DEV_##scope, addr, DEV_KIND_##name, cmp, (uint64_t)value, ns))                    \
	V(int, 0, name##_test##sfx, (type * addr, int cmp, type value),                            \
	  (test, DEV_##scope, addr, DEV_KIND_##name, cmp, (uint64_t)value))
#define MORI__WAIT_NAMED(name, type, S, V, sfx, scope)                                             \
	S(name##_wait_until_equals##sfx, (type * addr, type value),                                \
	  (wait, DEV_##scope, addr, DEV_KIND_##name, MORI_SHMEM_CMP_EQ, (uint64_t)value,           \
	   DEV_NS_DEFAULT))                                                                        \
	S(name##_wait_until_equals_for##sfx, (type * addr, type value, uint64_t ns),               \
	  (wait, DEV_##scope, addr, DEV_KIND_##name, MORI_SHMEM_CMP_EQ, (uint64_t)value, ns))      \
	V(type, 0, name##_wait_until_greater_than##sfx, (type * addr, type value),                 \
	  (wait_value, DEV_##scope, addr, DEV_KIND_##name, MORI_SHMEM_CMP_GT, (uint64_t)value,     \
	   DEV_NS_DEFAULT))                                                                        \
	V(type, 0, name##_wait_until_greater_than_for##sfx,                                        \
	  (type * addr, type value, uint64_t ns),                                                  \
	  (wait_value, DEV_##scope, addr, DEV_KIND_##name, MORI_SHMEM_CMP_GT, (uint64_t)value,     \
	   ns))
#define MORI__WAIT_MANY(name, type, S, V, sfx, scope)                                              \
	S(name##_wait_until_all##sfx,                                                              \
	  (type * addrs, size_t n, const int *skip, int cmp, type value),                          \
	  (wait_all, DEV_##scope, addrs, n, skip, DEV_KIND_##name, cmp, (uint64_t)value,           \
	   DEV_NS_DEFAULT))                                                                        \
	S(name##_wait_until_all_for##sfx,                                                          \
	  (type * addrs, size_t n, const int *skip, int cmp, type value, uint64_t ns),             \
	  (wait_all, DEV_##scope, addrs, n, skip, DEV_KIND_##name, cmp, (uint64_t)value, ns))      \
	V(size_t, SIZE_MAX, name##_wait_until_any##sfx,                                            \
	  (type * addrs, size_t n, const int *skip, int cmp, type value),                          \
	  (wait_any, DEV_##scope, addrs, n, skip, DEV_KIND_##name, cmp, (uint64_t)value,           \
	   DEV_NS_DEFAULT))                                                                        \
	V(size_t, SIZE_MAX, name##_wait_until_any_for##sfx,                                        \
	  (type * addrs, size_t n, const int *skip, int cmp, type value, uint64_t ns),             \
	  (wait_any, DEV_##scope, addrs, n, skip, DEV_KIND_##name, cmp, (uint64_t)value, ns))
#define MORI__WAIT_SOME(name, type, S, V, sfx, scope)                                              \
	V(size_t, 0, name##_wait_until_some##sfx,                                                  \
	  (type * addrs, size_t n, size_t *indices, const int *skip, int cmp, type value),         \
	  (wait_some, DEV_##scope, addrs, n, indices, skip, DEV_KIND_##name, cmp, (uint64_t)value, \
	   DEV_NS_DEFAULT))                                                                        \
	V(size_t, 0, name##_wait_until_some_for##sfx,                                              \
	  (type * addrs, size_t n, size_t *indices, const int *skip, int cmp, type value,          \
	   uint64_t ns),                                                                           \
	  (wait_some, DEV_##scope, addrs, n, indices, skip, DEV_KIND_##name, cmp, (uint64_t)value, \
	   ns))
#define MORI_OPS_WAIT(S, V, sfx, scope)                                                            \
	MORI_EACH_AMO_TYPE(MORI__WAIT_ONE, S, V, sfx, scope)                                       \
	MORI_EACH_AMO_TYPE(MORI__WAIT_NAMED, S, V, sfx, scope)                                     \
	MORI_EACH_AMO_TYPE(MORI__WAIT_MANY, S, V, sfx, scope)                                      \
	MORI_EACH_AMO_TYPE(MORI__WAIT_SOME, S, V, sfx, scope)

/* order */
#define MORI__ORDER(S0, scope, op) S0(op##_##scope, (op, DEV_##scope))
#define MORI__ORDER_PE(S, scope, op)                                                               \
	S(op##_##scope##_pe, (int pe), (op##_pe, DEV_##scope, pe, DEV_ALL))                        \
	S(op##_##scope##_pe_qp, (int pe, int qp), (op##_pe, DEV_##scope, pe, qp))
#define MORI_OPS_ORDER(S0, scope) MORI__ORDER(S0, scope, quiet) MORI__ORDER(S0, scope, fence)
#define MORI_OPS_ORDER_PE(S)                                                                       \
	MORI__ORDER_PE(S, thread, quiet) MORI__ORDER_PE(S, thread, fence)

/* barrier */
#define MORI_OPS_BARRIER(S0, scope)                                                                \
	S0(barrier_all_##scope, (barrier, DEV_##scope))                                            \
	S0(sync_all_##scope, (sync, DEV_##scope))

/* teams: what a PE can ask, and the calls that all members make together */
#define MORI_OPS_TEAM(V)                                                                           \
	V(int, -1, team_my_pe, (mori_shmem_team_t team), (team_my_pe, team))                       \
	V(int, -1, team_n_pes, (mori_shmem_team_t team), (team_n_pes, team))                       \
	V(int, -1, team_translate_pe,                                                              \
	  (mori_shmem_team_t src_team, int src_pe, mori_shmem_team_t dest_team),                   \
	  (team_translate, src_team, src_pe, dest_team))
#define MORI__COLL(S, scope, name)                                                                 \
	S(name##_##scope,                                                                          \
	  (mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype),         \
	  (name, DEV_##scope, team, dest, src, nelems, dtype))
#define MORI__COLL_REDUCE(S, scope, name)                                                          \
	S(name##_##scope,                                                                          \
	  (mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype, int op), \
	  (name, DEV_##scope, team, dest, src, nelems, dtype, op))
#define MORI_OPS_COLL(S, scope)                                                                    \
	S(team_sync_##scope, (mori_shmem_team_t team),                                             \
	  (team_sync, DEV_##scope, team, DEV_COLL_SYNC))                                           \
	S(barrier_##scope, (mori_shmem_team_t team),                                               \
	  (team_sync, DEV_##scope, team, DEV_COLL_BARRIER))                                        \
	S(broadcast_##scope,                                                                       \
	  (mori_shmem_team_t team, void *dest, const void *src, size_t nelems, int dtype,          \
	   int root),                                                                              \
	  (broadcast, DEV_##scope, team, dest, src, nelems, dtype, root))                          \
	MORI__COLL(S, scope, fcollect)                                                             \
	MORI__COLL(S, scope, collect)                                                              \
	MORI__COLL(S, scope, alltoall)                                                             \
	MORI__COLL_REDUCE(S, scope, reduce)                                                        \
	MORI__COLL_REDUCE(S, scope, reducescatter)

/*
 * FAMILY(id, list): the families of a host thread (thread scope or none), each with
 * its list of entries.
 */
#define MORI_HOST_FAMILIES(FAMILY, S, V, S0, V0)                                                   \
	FAMILY(query, MORI_OPS_QUERY(S, V, S0, V0))                                                \
	FAMILY(put, MORI_OPS_PUT(S, thread))                                                       \
	FAMILY(get, MORI_OPS_GET(S, thread))                                                       \
	FAMILY(put_signal, MORI_OPS_PUT_SIGNAL(S, thread))                                         \
	FAMILY(signal, MORI_OPS_SIGNAL(S, thread) MORI_OPS_SIGNAL_FETCH(V))                        \
	FAMILY(value, MORI_OPS_VALUE(S, V, , thread) MORI_OPS_IMM(S))                              \
	FAMILY(object, MORI_OPS_OBJ(S, thread))                                                    \
	FAMILY(atomic, MORI_OPS_AMO(S, V, thread) MORI_OPS_AMO_SIZE(S))                            \
	FAMILY(wait, MORI_OPS_WAIT(S, V, , thread))                                                \
	FAMILY(order, MORI_OPS_ORDER(S0, thread) MORI_OPS_ORDER_PE(S))                             \
	FAMILY(barrier, MORI_OPS_BARRIER(S0, thread))                                              \
	FAMILY(team, MORI_OPS_TEAM(V))                                                             \
	FAMILY(collective, MORI_OPS_COLL(S, thread))

#define MORI__FAMILY_ONLY(id, list)  list
#define MORI_HOST_OPS(S, V, S0, V0) MORI_HOST_FAMILIES(MORI__FAMILY_ONLY, S, V, S0, V0)

/* The families of a kernel: all scopes. */
#define MORI_DEVICE_FAMILIES(FAMILY, S, V, S0, V0)                                                 \
	MORI_HOST_FAMILIES(FAMILY, S, V, S0, V0)                                                   \
	FAMILY(put, MORI_OPS_PUT(S, warp) MORI_OPS_PUT(S, block))                                  \
	FAMILY(get, MORI_OPS_GET(S, warp) MORI_OPS_GET(S, block))                                  \
	FAMILY(put_signal, MORI_OPS_PUT_SIGNAL(S, warp) MORI_OPS_PUT_SIGNAL(S, block))             \
	FAMILY(signal, MORI_OPS_SIGNAL(S, warp) MORI_OPS_SIGNAL(S, block))                         \
	FAMILY(value, MORI_OPS_VALUE(S, V, _block, block))                                         \
	FAMILY(object, MORI_OPS_OBJ(S, warp) MORI_OPS_OBJ(S, block))                               \
	FAMILY(atomic, MORI_OPS_AMO(S, V, warp) MORI_OPS_AMO(S, V, block))                         \
	FAMILY(wait, MORI_OPS_WAIT(S, V, _block, block))                                           \
	FAMILY(order, MORI_OPS_ORDER(S0, warp) MORI_OPS_ORDER(S0, block))                          \
	FAMILY(barrier, MORI_OPS_BARRIER(S0, block))                                               \
	FAMILY(collective, MORI_OPS_COLL(S, warp) MORI_OPS_COLL(S, block))
#define MORI_DEVICE_OPS(S, V, S0, V0) MORI_DEVICE_FAMILIES(MORI__FAMILY_ONLY, S, V, S0, V0)

/* X(ret, name): where a thread stands in its grid; no prefix, no context. */
#define MORI_GRID_OPS(X)                                                                           \
	X(uint32_t, mori_thread_id)                                                                \
	X(uint32_t, mori_thread_id_y)                                                              \
	X(uint32_t, mori_thread_id_z)                                                              \
	X(uint32_t, mori_block_size)                                                               \
	X(uint32_t, mori_block_size_y)                                                             \
	X(uint32_t, mori_block_size_z)                                                             \
	X(uint32_t, mori_block_id)                                                                 \
	X(uint32_t, mori_block_id_y)                                                               \
	X(uint32_t, mori_block_id_z)                                                               \
	X(uint32_t, mori_grid_size)                                                                \
	X(uint32_t, mori_grid_size_y)                                                              \
	X(uint32_t, mori_grid_size_z)                                                              \
	X(uint32_t, mori_lane_id)                                                                  \
	X(uint32_t, mori_warp_size)                                                                \
	X(void, mori_block_sync)                                                                   \
	X(uint64_t, mori_clock_ns)                                                                 \
	X(void *, mori_shared_memory)

/* X(name): calls for the host only, which <mori/shmem.h> declares one by one. */
#define MORI_HOST_CALLS(X)                                                                         \
	X(strerror)                                                                                \
	X(last_error)                                                                              \
	X(take_error)                                                                              \
	X(get_unique_id)                                                                           \
	X(set_attr_uniqueid_args)                                                                  \
	X(init_attr)                                                                               \
	X(init)                                                                                    \
	X(finalize)                                                                                \
	X(abort)                                                                                   \
	X(on_wait)                                                                                 \
	X(on_fault)                                                                                \
	X(is_initialized)                                                                          \
	X(num_qp_per_pe)                                                                           \
	X(current)                                                                                 \
	X(bind)                                                                                    \
	X(find)                                                                                    \
	X(device_of)                                                                               \
	X(device_name)                                                                             \
	X(malloc)                                                                                  \
	X(malloc_align)                                                                            \
	X(calloc)                                                                                  \
	X(ext_malloc_with_flags)                                                                   \
	X(free)                                                                                    \
	X(heap_info)                                                                               \
	X(heap_hold)                                                                               \
	X(heap_release)                                                                            \
	X(buffer_register)                                                                         \
	X(buffer_deregister)                                                                       \
	X(symmetric_register)                                                                      \
	X(symmetric_deregister)                                                                    \
	X(team_split_strided)                                                                      \
	X(team_split_2d)                                                                           \
	X(team_split_list)                                                                         \
	X(team_destroy)                                                                            \
	X(query_memobj)                                                                            \
	X(barrier_all)                                                                             \
	X(sync_all)                                                                                \
	X(barrier_on_stream)                                                                       \
	X(putmem_on_stream)                                                                        \
	X(getmem_on_stream)                                                                        \
	X(putmem_signal_on_stream)                                                                 \
	X(signal_op_on_stream)                                                                     \
	X(int32_wait_until_on_stream)                                                              \
	X(uint32_wait_until_on_stream)                                                             \
	X(int64_wait_until_on_stream)                                                              \
	X(uint64_wait_until_on_stream)                                                             \
	X(quiet_on_stream)                                                                         \
	X(module_load)                                                                             \
	X(module_unload)                                                                           \
	X(module_init)                                                                             \
	X(module_kernel)                                                                           \
	X(kernel_params)                                                                           \
	X(kernel_launch)                                                                           \
	X(check)                                                                                   \
	X(tell)                                                                                    \
	X(leave_fault)                                                                             \
	X(device_state)                                                                            \
	X(info)

#endif
