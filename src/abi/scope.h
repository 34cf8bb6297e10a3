// SPDX-License-Identifier: MIT
/* The lanes that act together, and the kinds of words: host and kernels name both by number. */
#ifndef MORI_ABI_SCOPE_H
#define MORI_ABI_SCOPE_H

enum dev_scope { DEV_thread, DEV_warp, DEV_block };
enum dev_kind { DEV_KIND_int32, DEV_KIND_uint32, DEV_KIND_int64, DEV_KIND_uint64 };

#endif
