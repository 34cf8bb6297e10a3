// SPDX-License-Identifier: MIT
/*
 * The signal follows the data of every lane, and releases it at system scope; the wait is the one that is spelled out.
 *
 * CODE sm: red\.release\.sys\.global\.add\.u64
 * CODE sm: st\.release\.sys\.global\.b64
 * CODE sm: bar\.sync
 * CODE sm-flight: 4
 * CODE sm-order: bar\.sync ;; (red|st)\.release\.sys\.
 * CODE gfx: buffer_wbl2 sc0 sc1
 * CODE gfx: global_atomic_add_x2 .*sc1
 * CODE gfx: global_store_dwordx2 .*sc0 sc1
 * CODE gfx-order: global_store_dwordx4 ;; s_barrier ;; buffer_wbl2 sc0 sc1 ;; s_waitcnt vmcnt\(0\) expcnt\(0\) lgkmcnt\(0\) ;; global_(atomic_add_x2|store_dwordx2) ;; s_barrier
 */
#include <mori/shmem_device.h>

MORI_KERNEL void put_signal(char *dest, const char *src, unsigned long n, uint64_t *sig, int op,
			    int pe)
{
	/* Never one word, which would be a relaxed store that looks like the signal's. */
	mori_shmem_putmem_nbi_signal_block(dest, src, n * 16, sig, 1, op, pe, 0);
}
