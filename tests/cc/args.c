// SPDX-License-Identifier: MIT
/* Parameters of every kind, structs in registers and in memory among them. */
#include <mori/shmem_device.h>

struct pair {
	double a;
	int b;
	float c;
};
struct small {
	float x, y;
};
struct three {
	char c[3];
};
struct big {
	long x[5];
};
enum choice { FIRST, SECOND };

MORI_KERNEL void args(double *out, short s, _Bool b, struct pair p, mori_shmem_memobj_t o,
		      struct big g, float f, struct small q, struct three t, uint64_t u,
		      signed char c, enum choice e, const double *in)
{
	double all[] = { s,
			 b,
			 p.a,
			 p.b,
			 p.c,
			 (double)g.x[4],
			 f,
			 q.x,
			 q.y,
			 t.c[2],
			 (double)u,
			 c,
			 e,
			 *in,
			 0,
			 0,
			 0,
			 (double)o.size,
			 (double)o.addr };

	for (int i = 0; i < (int)(sizeof(all) / sizeof(all[0])); i++)
		out[i] = all[i];
}

MORI_KERNEL void none(void)
{
	(void)mori_shmem_n_pes();
}
