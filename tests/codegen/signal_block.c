// SPDX-License-Identifier: MIT
/*
 * A signal of a block follows what all its lanes have stored: they synchronise before one
 * of them releases, and on AMD each wave has waited for its own stores by then.
 *
 * CODE sm-order: st\.global ;; bar\.red ;; (red|st)\.release\.sys\.
 * CODE gfx-order: global_store_dword ;; s_waitcnt vmcnt\(0\) expcnt\(0\) lgkmcnt\(0\) ;; s_barrier ;; buffer_wbl2 sc0 sc1 ;; global_(atomic_add_x2|store_dwordx2)
 */
#include <mori/shmem_device.h>

MORI_KERNEL void signal_block(int *mine, uint64_t *sig, int op, int pe)
{
	mine[mori_thread_id()] = pe;
	mori_shmem_signal_op_block(sig, 1, op, pe, 0);
}
