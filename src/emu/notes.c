// SPDX-License-Identifier: MIT
/*
 * The metadata of a code object: a note in MessagePack with a map of each kernel. What is asked for
 * is read, all else passed over.
 */
#include "emu/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct notes_reader {
	const uint8_t *at, *end;
	bool bad;
};

struct notes_text {
	const char *at;
	size_t len;
};

static uint64_t notes_read_be(struct notes_reader *r, unsigned n)
{
	uint64_t x = 0;

	if ((size_t)(r->end - r->at) < n) {
		r->bad = true;
		r->at = r->end;
		return 0;
	}
	while (n--)
		x = x << 8 | *r->at++;
	return x;
}

static bool notes_text_is(struct notes_text t, const char *name)
{
	return t.at && t.len == strlen(name) && !memcmp(t.at, name, t.len);
}

static struct notes_text notes_read_bytes(struct notes_reader *r, size_t n)
{
	struct notes_text t = { (const char *)r->at, n };

	if ((size_t)(r->end - r->at) < n) {
		r->bad = true;
		return (struct notes_text){ 0 };
	}
	r->at += n;
	return t;
}

/* How many entries a map or an array has; its first byte must say that it is one. */
static uint32_t notes_read_count(struct notes_reader *r, uint8_t small, uint8_t wide)
{
	uint8_t tag = (uint8_t)notes_read_be(r, 1);

	if ((tag & 0xf0) == small)
		return tag & 15;
	if (tag == wide)
		return (uint32_t)notes_read_be(r, 2);
	if (tag == wide + 1)
		return (uint32_t)notes_read_be(r, 4);
	r->bad = true;
	return 0;
}

static uint32_t notes_read_map(struct notes_reader *r)
{
	return notes_read_count(r, 0x80, 0xde);
}

static uint32_t notes_read_array(struct notes_reader *r)
{
	return notes_read_count(r, 0x90, 0xdc);
}

static struct notes_text notes_read_text(struct notes_reader *r)
{
	uint8_t tag = (uint8_t)notes_read_be(r, 1);

	if ((tag & 0xe0) == 0xa0)
		return notes_read_bytes(r, tag & 31);
	if (tag >= 0xd9 && tag <= 0xdb)
		return notes_read_bytes(r, notes_read_be(r, 1u << (tag - 0xd9)));
	r->bad = true;
	return (struct notes_text){ 0 };
}

static uint64_t notes_read_number(struct notes_reader *r)
{
	uint8_t tag = (uint8_t)notes_read_be(r, 1);

	if (tag < 0x80)
		return tag;
	if (tag >= 0xcc && tag <= 0xd3)
		return notes_read_be(r, 1u << ((tag - 0xcc) & 3));
	r->bad = true;
	return 0;
}

static void notes_skip(struct notes_reader *r)
{
	uint8_t tag = r->at < r->end ? *r->at : 0xc1;
	uint32_t n;

	if ((tag & 0xf0) == 0x80 || tag == 0xde || tag == 0xdf) {
		for (n = 2 * notes_read_map(r); n && !r->bad; n--)
			notes_skip(r);
	} else if ((tag & 0xf0) == 0x90 || tag == 0xdc || tag == 0xdd) {
		for (n = notes_read_array(r); n && !r->bad; n--)
			notes_skip(r);
	} else if ((tag & 0xe0) == 0xa0 || (tag >= 0xd9 && tag <= 0xdb)) {
		notes_read_text(r);
	} else {
		notes_read_be(r, 1);
		if (tag >= 0xcc && tag <= 0xd3)
			notes_read_be(r, 1u << ((tag - 0xcc) & 3));
		else if (tag == 0xca || tag == 0xcb)
			notes_read_be(r, tag == 0xca ? 4 : 8);
		else if (tag >= 0xc4 && tag <= 0xc6)
			notes_read_bytes(r, notes_read_be(r, 1u << (tag - 0xc4)));
		else if (tag >= 0x80 && tag < 0xe0 && tag != 0xc0 && tag != 0xc2 && tag != 0xc3)
			r->bad = true;
	}
}

static enum emu_hidden notes_hidden_of(struct notes_text kind)
{
	static const struct {
		const char *name;
		enum emu_hidden hidden;
	} names[] = {
		{ "hidden_block_count_x", EMU_ARG_BLOCK_COUNT_X },
		{ "hidden_block_count_y", EMU_ARG_BLOCK_COUNT_Y },
		{ "hidden_block_count_z", EMU_ARG_BLOCK_COUNT_Z },
		{ "hidden_group_size_x", EMU_ARG_GROUP_SIZE_X },
		{ "hidden_group_size_y", EMU_ARG_GROUP_SIZE_Y },
		{ "hidden_group_size_z", EMU_ARG_GROUP_SIZE_Z },
		{ "hidden_remainder_x", EMU_ARG_REMAINDER },
		{ "hidden_remainder_y", EMU_ARG_REMAINDER },
		{ "hidden_remainder_z", EMU_ARG_REMAINDER },
		{ "hidden_grid_dims", EMU_ARG_GRID_DIMS },
		{ "hidden_private_base", EMU_ARG_PRIVATE_BASE },
		{ "hidden_shared_base", EMU_ARG_SHARED_BASE },
		{ "hidden_dynamic_lds_size", EMU_ARG_DYNAMIC_LDS },
	};

	if (kind.len < 7 || memcmp(kind.at, "hidden_", 7))
		return EMU_ARG_VALUE;
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		if (notes_text_is(kind, names[k].name))
			return names[k].hidden;
	return EMU_ARG_ZERO;
}

static void notes_read_arg(struct notes_reader *r, struct emu_arg *a)
{
	for (uint32_t n = notes_read_map(r); n && !r->bad; n--) {
		struct notes_text key = notes_read_text(r);

		if (notes_text_is(key, ".offset"))
			a->offset = (uint32_t)notes_read_number(r);
		else if (notes_text_is(key, ".size"))
			a->size = (uint32_t)notes_read_number(r);
		else if (notes_text_is(key, ".value_kind"))
			a->hidden = notes_hidden_of(notes_read_text(r));
		else
			notes_skip(r);
	}
}

static void notes_read_args(struct notes_reader *r, struct emu_kernel *k)
{
	uint32_t n = notes_read_array(r);

	if (r->bad || n > (size_t)(r->end - r->at)) {
		r->bad = true;
		return;
	}
	k->args = calloc(n ? n : 1, sizeof(*k->args));
	if (!k->args) {
		r->bad = true;
		return;
	}
	for (; k->n_args < n && !r->bad; k->n_args++)
		notes_read_arg(r, &k->args[k->n_args]);
}

static void notes_read_kernel(struct notes_reader *r, struct emu_kernel *k)
{
	for (uint32_t n = notes_read_map(r); n && !r->bad; n--) {
		struct notes_text key = notes_read_text(r), t;

		if (notes_text_is(key, ".name")) {
			t = notes_read_text(r);
			k->name = t.at ? strndup(t.at, t.len) : NULL;
		} else if (notes_text_is(key, ".symbol")) {
			t = notes_read_text(r);
			k->symbol = t.at ? strndup(t.at, t.len) : NULL;
		} else if (notes_text_is(key, ".kernarg_segment_size")) {
			k->kernarg_size = (uint32_t)notes_read_number(r);
		} else if (notes_text_is(key, ".args")) {
			notes_read_args(r, k);
		} else {
			notes_skip(r);
		}
	}
	r->bad |= !k->name || !k->symbol;
}

bool emu_notes_read(struct emu_code *c, const uint8_t *note, size_t len)
{
	struct notes_reader r = { note, note + len, false };

	for (uint32_t n = notes_read_map(&r); n && !r.bad; n--) {
		if (!notes_text_is(notes_read_text(&r), "amdhsa.kernels")) {
			notes_skip(&r);
			continue;
		}
		uint32_t count = notes_read_array(&r);

		if (r.bad || c->kernels || count > len)
			return false;
		c->kernels = calloc(count ? count : 1, sizeof(*c->kernels));
		if (!c->kernels)
			return false;
		for (; c->n_kernels < count && !r.bad; c->n_kernels++)
			notes_read_kernel(&r, &c->kernels[c->n_kernels]);
	}
	return !r.bad;
}
