// SPDX-License-Identifier: MIT
/*
 * X(body, params, args): the shared bodies behind the names of <mori/shmem_list.h>, each with
 * what its dev_<body>() takes behind the state. A value comes by its first parameter, @out.
 */
#ifndef MORI_DEV_BODIES_H
#define MORI_DEV_BODIES_H

#define DEV__COPY(X, body)                                                                         \
	X(body,                                                                                    \
	  (enum dev_scope scope, void *dest, const void *src, size_t n, size_t size, int pe,       \
	   int qp),                                                                                \
	  (scope, dest, src, n, size, pe, qp))
#define DEV__COPY_SIGNAL(X, body)                                                                  \
	X(body,                                                                                    \
	  (enum dev_scope scope, void *dest, const void *src, size_t n, size_t size, void *sig,    \
	   uint64_t value, int op, int pe, int qp),                                                \
	  (scope, dest, src, n, size, sig, value, op, pe, qp))
#define DEV__COPY_OBJ(X, body)                                                                     \
	X(body,                                                                                    \
	  (enum dev_scope scope, mori_shmem_memobj_t dest, size_t dest_off,                        \
	   mori_shmem_memobj_t src, size_t src_off, size_t bytes, int pe, int qp),                 \
	  (scope, dest, dest_off, src, src_off, bytes, pe, qp))
#define DEV__COPY_SIGNAL_OBJ(X, body)                                                              \
	X(body,                                                                                    \
	  (enum dev_scope scope, mori_shmem_memobj_t dest, size_t dest_off,                        \
	   mori_shmem_memobj_t src, size_t src_off, size_t bytes, mori_shmem_memobj_t sig,         \
	   size_t sig_off, uint64_t value, int op, int pe, int qp),                                \
	  (scope, dest, dest_off, src, src_off, bytes, sig, sig_off, value, op, pe, qp))
#define DEV__ORDER(X, body) X(body, (enum dev_scope scope, int pe, int qp), (scope, pe, qp))

#define DEV_BODIES(X)                                                                              \
	X(my_pe, (int *out), (out))                                                                \
	X(n_pes, (int *out), (out))                                                                \
	X(status, (int *out), (out))                                                               \
	X(ptr_p2p, (uint64_t *out, uint64_t addr, int my_pe, int dest_pe),                         \
	  (out, addr, my_pe, dest_pe))                                                             \
	X(ptr, (uint64_t *out, uint64_t addr, int pe), (out, addr, pe))                            \
	DEV__COPY(X, put)                                                                          \
	DEV__COPY(X, put_nbi)                                                                      \
	DEV__COPY(X, get)                                                                          \
	DEV__COPY(X, get_nbi)                                                                      \
	DEV__COPY_SIGNAL(X, put_signal)                                                            \
	DEV__COPY_SIGNAL(X, put_nbi_signal)                                                        \
	X(signal, (enum dev_scope scope, uint64_t *sig, uint64_t value, int op, int pe, int qp),   \
	  (scope, sig, value, op, pe, qp))                                                         \
	X(signal_fetch, (uint64_t *out, const uint64_t *sig), (out, sig))                          \
	X(p, (enum dev_scope scope, void *dest, const void *value, size_t size, int pe, int qp),   \
	  (scope, dest, value, size, pe, qp))                                                      \
	X(g, (void *out, enum dev_scope scope, const void *src, size_t size, int pe, int qp),      \
	  (out, scope, src, size, pe, qp))                                                         \
	X(put_imm, (void *dest, void *value, size_t bytes, int pe, int qp),                        \
	  (dest, value, bytes, pe, qp))                                                            \
	DEV__COPY_OBJ(X, put_obj)                                                                  \
	DEV__COPY_OBJ(X, put_nbi_obj)                                                              \
	DEV__COPY_OBJ(X, get_obj)                                                                  \
	DEV__COPY_OBJ(X, get_nbi_obj)                                                              \
	DEV__COPY_SIGNAL_OBJ(X, put_signal_obj)                                                    \
	DEV__COPY_SIGNAL_OBJ(X, put_nbi_signal_obj)                                                \
	X(signal_obj,                                                                              \
	  (enum dev_scope scope, mori_shmem_memobj_t sig, size_t sig_off, uint64_t value, int op,  \
	   int pe, int qp),                                                                        \
	  (scope, sig, sig_off, value, op, pe, qp))                                                \
	X(amo_post,                                                                                \
	  (enum dev_scope scope, void *dest, enum dev_kind kind, int op, uint64_t value, int pe,   \
	   int qp),                                                                                \
	  (scope, dest, kind, op, value, pe, qp))                                                  \
	X(amo_fetch,                                                                               \
	  (void *out, enum dev_scope scope, const void *dest, enum dev_kind kind, int op,          \
	   uint64_t value, uint64_t compare, int pe, int qp),                                      \
	  (out, scope, dest, kind, op, value, compare, pe, qp))                                    \
	X(amo_size, (void *dest, void *value, size_t bytes, int op, int pe, int qp),               \
	  (dest, value, bytes, op, pe, qp))                                                        \
	X(amo_add_real,                                                                            \
	  (enum dev_scope scope, void *dest, bool wide, double value, int pe, int qp),             \
	  (scope, dest, wide, value, pe, qp))                                                      \
	X(amo_fetch_add_real,                                                                      \
	  (void *out, enum dev_scope scope, void *dest, bool wide, double value, int pe, int qp),  \
	  (out, scope, dest, wide, value, pe, qp))                                                 \
	X(wait,                                                                                    \
	  (enum dev_scope scope, const void *addr, enum dev_kind kind, int cmp, uint64_t value,    \
	   uint64_t ns),                                                                           \
	  (scope, addr, kind, cmp, value, ns))                                                     \
	X(wait_value,                                                                              \
	  (void *out, enum dev_scope scope, const void *addr, enum dev_kind kind, int cmp,         \
	   uint64_t value, uint64_t ns),                                                           \
	  (out, scope, addr, kind, cmp, value, ns))                                                \
	X(test,                                                                                    \
	  (int *out, enum dev_scope scope, const void *addr, enum dev_kind kind, int cmp,          \
	   uint64_t value),                                                                        \
	  (out, scope, addr, kind, cmp, value))                                                    \
	X(wait_all,                                                                                \
	  (enum dev_scope scope, const void *addrs, size_t n, const int *skip, enum dev_kind kind, \
	   int cmp, uint64_t value, uint64_t ns),                                                  \
	  (scope, addrs, n, skip, kind, cmp, value, ns))                                           \
	X(wait_any,                                                                                \
	  (size_t *out, enum dev_scope scope, const void *addrs, size_t n, const int *skip,        \
	   enum dev_kind kind, int cmp, uint64_t value, uint64_t ns),                              \
	  (out, scope, addrs, n, skip, kind, cmp, value, ns))                                      \
	X(wait_some,                                                                               \
	  (size_t *out, enum dev_scope scope, const void *addrs, size_t n, size_t *indices,        \
	   const int *skip, enum dev_kind kind, int cmp, uint64_t value, uint64_t ns),             \
	  (out, scope, addrs, n, indices, skip, kind, cmp, value, ns))                             \
	DEV__ORDER(X, quiet)                                                                       \
	DEV__ORDER(X, fence)                                                                       \
	X(barrier, (enum dev_scope scope), (scope))                                                \
	X(sync, (enum dev_scope scope), (scope))

#endif
