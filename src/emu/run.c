// SPDX-License-Identifier: MIT
/*
 * A launch: arguments, blocks, waves and the turns they take. A wave runs until its turn is over, it
 * sleeps, or comes to a barrier; so kernels whose blocks wait for each other go on.
 */
#include "emu/run.h"
#include "emu/cache.h"
#include "emu/pending.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#define RESIDENT 1024 /* blocks at a time: more wait until one has ended */
#define TURN	 400  /* instructions */
#define UNITS	 4    /* compute units at most, with adversarial memory */
/* What gfx950 has; gfx90a and gfx942 have 64 KiB, which their compilers know. */
#define EMU_LDS_MOST (160u << 10)

/* What the compiler says of a kernel, in front of its code. */
struct emu_descriptor {
	uint32_t lds, scratch, kernarg, reserved;
	int64_t entry;
	uint8_t reserved2[20];
	uint32_t rsrc3, rsrc1, rsrc2;
	uint16_t properties, preload;
};

struct emu_dispatch {
	struct emu_code *code;
	struct emu_launch *launch;
	const struct emu_descriptor *kd;
	const char *name; /* of the kernel, for errors */
	struct emu_packet packet;
	uint64_t packet_at;  /* its address for the kernel */
	uint64_t grid[3];    /* in blocks */
	uint64_t threads[3]; /* of the grid */
	uint32_t lds, scratch;
	uint64_t next, total;
	struct emu_group *first, **last;
	jmp_buf stop; /* where emu_stop() goes, with its text */
	char text[300];
	unsigned resident;
	struct emu_unit *units[UNITS];
	unsigned n_units; /* 0: plain memory */
	struct emu_adversary adversary;
};

void emu_stop(const struct emu_wave *w, const struct emu_insn *i, const char *why, ...)
{
	struct emu_dispatch *d = w->group->dispatch;
	size_t n;
	va_list args;

	n = (size_t)snprintf(d->text, sizeof(d->text), "%s at %#llx, \"%s\": ", d->code->cpu,
			     (unsigned long long)(w->pc - (uint64_t)(uintptr_t)d->code->image),
			     i ? i->text : "no code");
	n = n < sizeof(d->text) ? n : sizeof(d->text) - 1;
	va_start(args, why);
	vsnprintf(d->text + n, sizeof(d->text) - n, why, args);
	va_end(args);
	longjmp(d->stop, 1);
}

enum emu_fp8 emu_fp8_of(const struct emu_wave *w, int bf)
{
	if (strcmp(w->group->dispatch->code->cpu, "gfx950"))
		return bf ? EMU_E5M2FNUZ : EMU_E4M3FNUZ;
	return bf ? EMU_E5M2 : EMU_E4M3FN;
}

unsigned emu_kernel_args(const struct emu_kernel *k)
{
	unsigned n = 0;

	for (unsigned a = 0; a < k->n_args; a++)
		n += k->args[a].hidden == EMU_ARG_VALUE;
	return n;
}

static uint64_t emu_hidden_value(const struct emu_launch *l, enum emu_hidden hidden)
{
	switch (hidden) {
	case EMU_ARG_BLOCK_COUNT_X:
	case EMU_ARG_BLOCK_COUNT_Y:
	case EMU_ARG_BLOCK_COUNT_Z:
		return l->grid[hidden - EMU_ARG_BLOCK_COUNT_X];
	case EMU_ARG_GROUP_SIZE_X:
	case EMU_ARG_GROUP_SIZE_Y:
	case EMU_ARG_GROUP_SIZE_Z:
		return l->block[hidden - EMU_ARG_GROUP_SIZE_X];
	case EMU_ARG_GRID_DIMS:
		return l->grid[2] * l->block[2] > 1 ? 3 : l->grid[1] * l->block[1] > 1 ? 2 : 1;
	case EMU_ARG_PRIVATE_BASE:
		return EMU_SCRATCH_BASE >> 32;
	case EMU_ARG_SHARED_BASE:
		return EMU_LDS_BASE >> 32;
	case EMU_ARG_DYNAMIC_LDS:
		return l->lds;
	default:
		return 0;
	}
}

static bool emu_fill_args(const struct emu_launch *l, uint8_t *kernarg)
{
	const struct emu_kernel *k = l->kernel;
	unsigned own = 0;

	for (unsigned a = 0; a < k->n_args; a++) {
		const struct emu_arg *arg = &k->args[a];
		uint64_t x = emu_hidden_value(l, arg->hidden);

		if (arg->offset > k->kernarg_size || arg->size > k->kernarg_size - arg->offset)
			return false;
		if (arg->hidden == EMU_ARG_VALUE)
			memcpy(kernarg + arg->offset, l->args[own++], arg->size);
		else
			memcpy(kernarg + arg->offset, &x, arg->size < 8 ? arg->size : 8);
	}
	return true;
}

/* Registers that the hardware sets: the user's, then the system's. */
static void emu_set_scalars(struct emu_dispatch *d, struct emu_wave *w, const unsigned id[3])
{
	const struct emu_descriptor *kd = d->kd;
	const uint8_t *kernarg = (const uint8_t *)(uintptr_t)d->packet.kernarg;
	unsigned s = 0;

	if (kd->properties & 1) { /* the buffer of scratch */
		emu_s64_set(w, s, EMU_SCRATCH_BUFFER);
		w->s[s + 2] = UINT32_MAX;
		s += 4;
	}
	for (unsigned bit = 1; bit < 6; bit++) {
		uint64_t x = bit == 1 ? d->packet_at : bit == 3 ? d->packet.kernarg : 0;

		if (kd->properties >> bit & 1) {
			emu_s64_set(w, s, x);
			s += 2;
		}
	}
	if (kd->properties >> 6 & 1)
		w->s[s++] = w->group->scratch_size;
	for (unsigned k = 0; k < (kd->preload & 0x7fu); k++)
		memcpy(&w->s[s++], kernarg + 4 * (size_t)((kd->preload >> 7) + k), 4);
	s = kd->rsrc2 >> 1 & 31;
	for (unsigned a = 0; a < 3; a++)
		if (kd->rsrc2 >> (7 + a) & 1)
			w->s[s++] = id[a];
}

static bool emu_wave_open(struct emu_dispatch *d, struct emu_group *g, unsigned n,
			  const unsigned id[3], const uint32_t b[3])
{
	uint32_t threads = b[0] * b[1] * b[2], left = threads - n * EMU_LANES;
	struct emu_wave *w = &g->waves[n];

	w->group = g;
	w->n_v = ((d->kd->rsrc1 & 63) + 1) * 8;
	w->acc = ((d->kd->rsrc3 & 63) + 1) * 4;
	w->mode = d->kd->rsrc1 >> 12 & 0xff;
	/* Accumulators that the code does not have may still be named as zero rows. */
	w->v = calloc(w->n_v + 32, sizeof(*w->v));
	w->scratch = g->scratch_size ? calloc(EMU_LANES, g->scratch_size) : NULL;
	if (!w->v || (g->scratch_size && !w->scratch))
		return false;
	w->pc = (uint64_t)(uintptr_t)d->kd + (uint64_t)d->kd->entry;
	emu_s64_set(w, EMU_EXEC, left >= EMU_LANES ? ~0ull : (1ull << left) - 1);
	emu_set_scalars(d, w, id);
	EMU_EACH(l)
	{
		uint32_t t = n * EMU_LANES + l;

		w->v[0][l] = t % b[0] | t / b[0] % b[1] << 10 | t / b[0] / b[1] << 20;
	}
	return true;
}

static void emu_group_close(struct emu_group *g)
{
	for (unsigned k = 0; k < g->n_waves; k++) {
		emu_pending_drop(&g->waves[k]);
		free(g->waves[k].v);
		free(g->waves[k].scratch);
	}
	free(g->waves);
	free(g->lds);
	free(g);
}

static struct emu_group *emu_group_open(struct emu_dispatch *d, uint64_t at)
{
	unsigned id[3] = { (unsigned)(at % d->grid[0]), (unsigned)(at / d->grid[0] % d->grid[1]),
			   (unsigned)(at / d->grid[0] / d->grid[1]) };
	struct emu_group *g = calloc(1, sizeof(*g));
	uint32_t block[3];

	if (!g)
		return NULL;
	for (unsigned a = 0; a < 3; a++) {
		uint64_t left = d->threads[a] - (uint64_t)id[a] * d->packet.block[a];

		block[a] = left < d->packet.block[a] ? (uint32_t)left : d->packet.block[a];
	}
	g->dispatch = d;
	g->launch = d->launch;
	if (d->n_units) {
		g->unit = d->units[emu_random(&d->adversary.random) % d->n_units];
		g->adversary = &d->adversary;
	}
	g->lds_size = d->lds;
	g->scratch_size = (d->scratch + 15) & ~15u;
	g->lds = calloc(1, g->lds_size + 16);
	g->n_waves = (block[0] * block[1] * block[2] + EMU_LANES - 1) / EMU_LANES;
	g->waves = calloc(g->n_waves, sizeof(*g->waves));
	if (!g->lds || !g->waves) {
		g->n_waves = 0;
		emu_group_close(g);
		return NULL;
	}
	for (unsigned n = 0; n < g->n_waves; n++) {
		if (!emu_wave_open(d, g, n, id, block)) {
			emu_group_close(g);
			return NULL;
		}
	}
	return g;
}

static void emu_wave_step(struct emu_dispatch *d, struct emu_wave *w)
{
	struct emu_insn *i = emu_code_insn(d->code, w->pc);

	if (!i || !i->run)
		emu_stop(w, i, i ? "this instruction is not known" : "no instruction there");
	if (d->launch->trace)
		fprintf(d->launch->trace, "%8llx  %s\n",
			(unsigned long long)(w->pc - (uint64_t)(uintptr_t)d->code->image), i->text);
	w->next = w->pc + i->size;
	w->lanes = emu_exec(w);
	i->run(w, i);
	w->pc = w->next;
	if (d->launch->counts)
		__atomic_fetch_add(&i->count, 1, __ATOMIC_RELAXED);
	w->count++;
}

static void emu_wave_turn(struct emu_dispatch *d, struct emu_wave *w)
{
	struct emu_adversary *v = w->group->adversary;
	unsigned turn = v ? (unsigned)(emu_random(&v->random) % v->turn) + 1 : TURN;

	w->yields = v && emu_chance(&v->random, v->skip);
	for (unsigned n = 0; n < turn && !w->done && !w->at_barrier && !w->yields; n++) {
		emu_wave_step(d, w);
		if (w->pending)
			emu_perform_some(w);
	}
}

/* One turn for each wave; true when the block has ended. */
static bool emu_group_turn(struct emu_dispatch *d, struct emu_group *g, bool *busy)
{
	unsigned done = 0, waiting = 0;

	for (unsigned k = 0; k < g->n_waves; k++) {
		struct emu_wave *w = &g->waves[k];

		if (!w->done && !w->at_barrier) {
			emu_wave_turn(d, w);
			*busy |= !w->yields;
		} else {
			emu_perform_some(w);
		}
		done += w->done;
		waiting += w->at_barrier;
	}
	/* Waves that have ended are not waited for. */
	if (waiting && done + waiting == g->n_waves) {
		for (unsigned k = 0; k < g->n_waves; k++)
			g->waves[k].at_barrier = false;
		*busy = true;
	}
	return done == g->n_waves;
}

static enum emu_end emu_dispatch_turn(struct emu_dispatch *d)
{
	struct emu_group **at = &d->first, *g;
	bool busy = false;

	while (d->resident < RESIDENT && d->next < d->total) {
		g = emu_group_open(d, d->next);
		if (!g)
			return EMU_REFUSED;
		d->next++;
		d->resident++;
		*d->last = g;
		d->last = &g->next;
	}
	while ((g = *at)) {
		if (!emu_group_turn(d, g, &busy)) {
			at = &g->next;
			continue;
		}
		for (unsigned k = 0; k < g->n_waves; k++) {
			emu_perform_until(&g->waves[k], 0);
			d->launch->count += g->waves[k].count;
		}
		*at = g->next;
		if (d->last == &g->next)
			d->last = at;
		emu_group_close(g);
		d->resident--;
	}
	/* All wait for somebody else. */
	if (!busy && !d->launch->idle)
		sched_yield();
	if (d->launch->idle && !d->launch->idle(d->launch->idle_arg, !busy))
		return EMU_STUCK;
	return EMU_ENDED;
}

static enum emu_end emu_dispatch_run(struct emu_dispatch *d, char *why, size_t len)
{
	volatile enum emu_end end = EMU_ENDED;

	if (setjmp(d->stop)) {
		end = EMU_FAULT;
		snprintf(why, len, "%s", d->text);
	}
	while (end == EMU_ENDED && (d->first || d->next < d->total))
		end = emu_dispatch_turn(d);
	if (end == EMU_REFUSED)
		snprintf(why, len, "out of memory for the waves of %s", d->name);
	while (d->first) {
		struct emu_group *g = d->first;

		d->first = g->next;
		emu_group_close(g);
	}
	return end;
}

/* A kernel starts with nothing in its caches that others have written since. */
static bool emu_units_open(struct emu_dispatch *d)
{
	unsigned want;

	if (!d->launch->device)
		return true;
	emu_adversary_draw(d->launch->device, &d->adversary);
	want = (unsigned)(emu_random(&d->adversary.random) >> 20) % UNITS + 1;
	while (d->n_units < want) {
		d->units[d->n_units] = emu_unit_open(d->launch->device);
		if (!d->units[d->n_units])
			return false;
		emu_cache_invalidate(d->units[d->n_units++], EMU_SCOPE_SYSTEM);
	}
	return true;
}

static void emu_units_close(struct emu_dispatch *d)
{
	if (d->n_units)
		emu_cache_write_back(d->units[0]);
	while (d->n_units)
		emu_unit_close(d->units[--d->n_units]);
}

/* The rest of a launch whose packet is there. */
static enum emu_end emu_launch_run(struct emu_dispatch *d, char *why, size_t len)
{
	const struct emu_packet *p = &d->packet;
	uint64_t threads = (uint64_t)p->block[0] * p->block[1] * p->block[2];
	enum emu_end end = EMU_REFUSED;

	d->last = &d->first;
	d->total = d->grid[0] * d->grid[1] * d->grid[2];
	if (!threads || threads > 1024 || !d->total)
		snprintf(why, len, "a block has 1 to 1024 threads, and a grid at least one block");
	else if (d->launch->device && !strcmp(d->code->cpu, "gfx90a"))
		snprintf(why, len,
			 "adversarial memory is that of gfx942 and gfx950, not of gfx90a");
	else if (d->lds > EMU_LDS_MOST)
		snprintf(why, len, "%u bytes of LDS per block; there are %u", d->lds, EMU_LDS_MOST);
	else if (!emu_units_open(d))
		snprintf(why, len, "out of memory");
	else
		end = emu_dispatch_run(d, why, len);
	emu_units_close(d);
	return end;
}

enum emu_end emu_run(struct emu_code *c, struct emu_launch *l, char *why, size_t len)
{
	struct emu_dispatch d = { .code = c, .launch = l, .name = l->kernel->name };
	uint8_t *kernarg = calloc(1, l->kernel->kernarg_size + 16);
	enum emu_end end = EMU_REFUSED;

	d.kd = (const struct emu_descriptor *)(uintptr_t)l->kernel->descriptor;
	/* More than all there is, where 32 bits do not count it. */
	d.lds = l->lds > EMU_LDS_MOST ? l->lds : d.kd->lds + l->lds;
	d.scratch = d.kd->scratch;
	for (unsigned a = 0; a < 3; a++) {
		d.packet.block[a] = l->block[a] > 1024 ? UINT16_MAX : (uint16_t)l->block[a];
		d.grid[a] = l->grid[a];
		d.threads[a] = (uint64_t)l->grid[a] * l->block[a];
		d.packet.grid[a] = (uint32_t)d.threads[a];
	}
	d.packet.kernarg = (uint64_t)(uintptr_t)kernarg;
	d.packet_at = (uint64_t)(uintptr_t)&d.packet;
	if (!kernarg)
		snprintf(why, len, "out of memory");
	else if (!emu_fill_args(l, kernarg))
		snprintf(why, len, "the metadata of its arguments is damaged");
	else
		end = emu_launch_run(&d, why, len);
	free(kernarg);
	return end;
}

enum emu_end emu_run_packet(struct emu_code *c, const struct emu_packet *p, struct emu_launch *l,
			    char *why, size_t len)
{
	struct emu_dispatch d = { .code = c, .launch = l, .name = "a packet", .packet = *p };

	d.packet_at = (uint64_t)(uintptr_t)p;
	d.kd = (const struct emu_descriptor *)(uintptr_t)p->object;
	d.lds = p->group_size > d.kd->lds ? p->group_size : d.kd->lds;
	d.scratch = p->private_size > d.kd->scratch ? p->private_size : d.kd->scratch;
	for (unsigned a = 0; a < 3; a++) {
		d.threads[a] = p->grid[a];
		d.grid[a] = p->block[a] ? (d.threads[a] + p->block[a] - 1) / p->block[a] : 0;
	}
	return emu_launch_run(&d, why, len);
}
