// SPDX-License-Identifier: MIT
/* Loads a code object: its segments, its relocations, its kernels; and keeps what is decoded. */
#include "emu/code.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef EM_AMDGPU
#define EM_AMDGPU 224
#endif
#define NOTE_METADATA 32
enum { REL_ABS64 = 3, REL_REL64 = 5, REL_RELATIVE64 = 13 };

static const struct {
	uint32_t mach;
	const char *cpu;
} machines[] = { { 0x03f, "gfx90a" }, { 0x04c, "gfx942" }, { 0x04f, "gfx950" } };

static bool code_complain(char *why, size_t len, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, len, format, args);
	va_end(args);
	return false;
}

static bool code_check_elf(const Elf64_Ehdr *e, size_t len, char *why, size_t n)
{
	if (len < sizeof(*e) || memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_machine != EM_AMDGPU)
		return code_complain(why, n, "it is not a code object for AMD GPUs");
	if (e->e_type != ET_DYN)
		return code_complain(why, n, "the code object is not linked");
	if (e->e_phoff > len || len - e->e_phoff < (size_t)e->e_phnum * sizeof(Elf64_Phdr) ||
	    e->e_shoff > len || len - e->e_shoff < (size_t)e->e_shnum * sizeof(Elf64_Shdr))
		return code_complain(why, n, "the code object is cut off");
	return true;
}

static bool code_read_header(struct emu_code *c, const Elf64_Ehdr *e, size_t len, char *why,
			     size_t n)
{
	if (!code_check_elf(e, len, why, n))
		return false;
	for (size_t k = 0; k < sizeof(machines) / sizeof(machines[0]); k++)
		if ((e->e_flags & 0xff) == machines[k].mach)
			snprintf(c->cpu, sizeof(c->cpu), "%s", machines[k].cpu);
	if (!c->cpu[0])
		return code_complain(
			why, n,
			"the code object is for another processor (%#x): gfx90a, gfx942 "
			"and gfx950 are known",
			e->e_flags & 0xff);
	return true;
}

static bool code_load_segments(struct emu_code *c, const uint8_t *elf, size_t len, char *why,
			       size_t n)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)elf;
	const Elf64_Phdr *ph = (const Elf64_Phdr *)(elf + e->e_phoff);

	for (unsigned k = 0; k < e->e_phnum; k++) {
		if (ph[k].p_type == PT_LOAD && ph[k].p_vaddr + ph[k].p_memsz > c->size)
			c->size = ph[k].p_vaddr + ph[k].p_memsz;
	}
	c->image = mmap(NULL, c->size ? c->size : 1, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (c->image == MAP_FAILED) {
		c->image = NULL;
		return code_complain(why, n, "no memory for a code object of %zu bytes", c->size);
	}
	for (unsigned k = 0; k < e->e_phnum; k++) {
		if (ph[k].p_type != PT_LOAD)
			continue;
		if (ph[k].p_offset > len || ph[k].p_filesz > len - ph[k].p_offset ||
		    ph[k].p_filesz > ph[k].p_memsz)
			return code_complain(why, n, "the code object is cut off");
		memcpy(c->image + ph[k].p_vaddr, elf + ph[k].p_offset, ph[k].p_filesz);
		if (ph[k].p_flags & PF_X) {
			c->text = ph[k].p_vaddr;
			c->text_size = ph[k].p_memsz;
		}
	}
	return true;
}

static bool code_load_notes(struct emu_code *c, const uint8_t *elf, size_t len,
			    const Elf64_Phdr *ph)
{
	const uint8_t *at = elf + ph->p_offset;
	size_t left = ph->p_filesz;

	if (ph->p_offset > len || ph->p_filesz > len - ph->p_offset)
		return false;
	while (left >= sizeof(Elf64_Nhdr)) {
		const Elf64_Nhdr *h = (const Elf64_Nhdr *)at;
		size_t name = (h->n_namesz + 3u) & ~3u, desc = (h->n_descsz + 3u) & ~3u;

		if (left < sizeof(*h) + name || left - sizeof(*h) - name < h->n_descsz)
			return false;
		if (h->n_type == NOTE_METADATA &&
		    !emu_notes_read(c, at + sizeof(*h) + name, h->n_descsz))
			return false;
		if (left < sizeof(*h) + name + desc)
			break;
		at += sizeof(*h) + name + desc;
		left -= sizeof(*h) + name + desc;
	}
	return true;
}

static bool code_relocate(struct emu_code *c, const Elf64_Rela *r)
{
	const Elf64_Sym *sym = (const Elf64_Sym *)c->dynsym + ELF64_R_SYM(r->r_info);
	uint64_t base = (uint64_t)(uintptr_t)c->image, x;

	if (r->r_offset > c->size || c->size - r->r_offset < 8)
		return false;
	switch (ELF64_R_TYPE(r->r_info)) {
	case REL_RELATIVE64:
		x = base + (uint64_t)r->r_addend;
		break;
	case REL_ABS64:
		x = base + sym->st_value + (uint64_t)r->r_addend;
		break;
	case REL_REL64:
		x = sym->st_value + (uint64_t)r->r_addend - r->r_offset;
		break;
	default:
		return false;
	}
	memcpy(c->image + r->r_offset, &x, sizeof(x));
	return true;
}

/* The tables that PT_DYNAMIC names are part of the image. */
static bool code_load_dynamic(struct emu_code *c, const Elf64_Phdr *ph)
{
	const Elf64_Dyn *d;
	size_t n = ph->p_memsz / sizeof(*d), rela = 0, rela_size = 0;
	const uint32_t *hash = NULL;

	if (!c->image || ph->p_vaddr > c->size || ph->p_memsz > c->size - ph->p_vaddr)
		return false;
	d = (const Elf64_Dyn *)(c->image + ph->p_vaddr);
	for (size_t k = 0; k < n && d[k].d_tag != DT_NULL; k++) {
		if (d[k].d_tag != DT_RELASZ && d[k].d_un.d_ptr >= c->size)
			continue;
		switch (d[k].d_tag) {
		case DT_SYMTAB:
			c->dynsym = c->image + d[k].d_un.d_ptr;
			break;
		case DT_STRTAB:
			c->dynstr = (const char *)c->image + d[k].d_un.d_ptr;
			break;
		case DT_HASH:
			hash = (const uint32_t *)(c->image + d[k].d_un.d_ptr);
			break;
		case DT_RELA:
			rela = d[k].d_un.d_ptr;
			break;
		case DT_RELASZ:
			rela_size = d[k].d_un.d_val;
			break;
		default:
			break;
		}
	}
	if (!c->dynsym || !c->dynstr || !hash || rela_size > c->size)
		return false;
	c->n_dynsym = hash[1];
	for (size_t k = 0; k < rela_size / sizeof(Elf64_Rela); k++)
		if (!code_relocate(c, (const Elf64_Rela *)(c->image + rela) + k))
			return false;
	return true;
}

void *emu_code_symbol(const struct emu_code *c, const char *name, size_t *size)
{
	const Elf64_Sym *sym = c->dynsym;

	for (size_t k = 1; k < c->n_dynsym; k++) {
		if (sym[k].st_shndx == SHN_UNDEF || strcmp(c->dynstr + sym[k].st_name, name))
			continue;
		if (size)
			*size = sym[k].st_size;
		return c->image + sym[k].st_value;
	}
	return NULL;
}

static bool code_load_tables(struct emu_code *c, const uint8_t *elf, size_t len, char *why,
			     size_t n)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)elf;
	const Elf64_Phdr *ph = (const Elf64_Phdr *)(elf + e->e_phoff);

	for (unsigned k = 0; k < e->e_phnum; k++) {
		if (ph[k].p_type == PT_NOTE && !code_load_notes(c, elf, len, &ph[k]))
			return code_complain(why, n, "the metadata of the code object is damaged");
		if (ph[k].p_type == PT_DYNAMIC && !code_load_dynamic(c, &ph[k]))
			return code_complain(
				why, n,
				"the tables of the code object are damaged, or of a kind "
				"not known");
	}
	for (unsigned k = 0; k < c->n_kernels; k++) {
		void *at = c->dynsym ? emu_code_symbol(c, c->kernels[k].symbol, NULL) : NULL;

		if (!at)
			return code_complain(why, n, "the code object has no %s",
					     c->kernels[k].symbol);
		c->kernels[k].descriptor = (uint64_t)(uintptr_t)at;
	}
	return true;
}

static struct emu_code *code_new(char *why, size_t why_len)
{
	struct emu_code *c = calloc(1, sizeof(*c));

	if (c)
		pthread_mutex_init(&c->lock, NULL);
	else
		code_complain(why, why_len, "out of memory");
	return c;
}

static bool code_open_decoder(struct emu_code *c, char *why, size_t why_len)
{
	c->cache = calloc(c->text_size / 4 + 1, sizeof(struct emu_insn *));
	if (!c->cache)
		return code_complain(why, why_len, "out of memory");
	c->decoder = emu_decoder_open(c->cpu, why, why_len);
	return c->decoder;
}

struct emu_code *emu_code_open(const void *elf, size_t len, char *why, size_t why_len)
{
	struct emu_code *c = code_new(why, why_len);

	if (!c)
		return NULL;
	if (code_read_header(c, elf, len, why, why_len) &&
	    code_load_segments(c, elf, len, why, why_len) &&
	    code_load_tables(c, elf, len, why, why_len) && code_open_decoder(c, why, why_len))
		return c;
	emu_code_close(c);
	return NULL;
}

struct emu_code *emu_code_at(void *at, size_t size, const char *cpu, char *why, size_t why_len)
{
	struct emu_code *c = code_new(why, why_len);

	if (!c)
		return NULL;
	c->borrowed = true;
	c->image = at;
	c->size = c->text_size = size;
	snprintf(c->cpu, sizeof(c->cpu), "%s", cpu);
	if (code_open_decoder(c, why, why_len))
		return c;
	emu_code_close(c);
	return NULL;
}

struct emu_code *emu_code_read(const void *elf, size_t len, char *why, size_t why_len)
{
	const Elf64_Ehdr *e = elf;
	const Elf64_Phdr *ph;
	struct emu_code *c;
	bool good = true;

	if (!code_check_elf(e, len, why, why_len))
		return NULL;
	c = code_new(why, why_len);
	if (!c)
		return NULL;
	ph = (const Elf64_Phdr *)((const uint8_t *)elf + e->e_phoff);
	for (unsigned k = 0; good && k < e->e_phnum; k++)
		good = ph[k].p_type != PT_NOTE || code_load_notes(c, elf, len, &ph[k]);
	if (good)
		return c;
	code_complain(why, why_len, "the metadata of the code object is damaged");
	emu_code_close(c);
	return NULL;
}

void emu_code_close(struct emu_code *c)
{
	for (size_t k = 0; c->cache && k < c->text_size / 4; k++)
		free(c->cache[k]);
	free(c->cache);
	for (unsigned k = 0; k < c->n_kernels; k++) {
		free(c->kernels[k].name);
		free(c->kernels[k].symbol);
		free(c->kernels[k].args);
	}
	free(c->kernels);
	if (c->decoder)
		emu_decoder_close(c->decoder);
	if (c->image && !c->borrowed)
		munmap(c->image, c->size ? c->size : 1);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

const struct emu_kernel *emu_code_kernel(const struct emu_code *c, const char *name)
{
	for (unsigned k = 0; k < c->n_kernels; k++)
		if (!strcmp(c->kernels[k].name, name))
			return &c->kernels[k];
	return NULL;
}

static struct emu_insn *code_decode_at(struct emu_code *c, size_t at, uint64_t pc)
{
	struct emu_insn *i = malloc(sizeof(*i));

	if (i && !emu_decode(c->decoder, c->image + at, c->text + c->text_size - at, pc, i)) {
		free(i);
		return NULL;
	}
	return i;
}

struct emu_insn *emu_code_insn(struct emu_code *c, uint64_t pc)
{
	size_t at = pc - (uint64_t)(uintptr_t)c->image, word = (at - c->text) / 4;
	struct emu_insn *i;

	if (at < c->text || at - c->text >= c->text_size)
		return NULL;
	i = __atomic_load_n(&c->cache[word], __ATOMIC_ACQUIRE);
	if (i)
		return i;
	pthread_mutex_lock(&c->lock);
	i = c->cache[word];
	if (!i) {
		i = code_decode_at(c, at, pc);
		__atomic_store_n(&c->cache[word], i, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&c->lock);
	return i;
}

/* Between functions there is padding, which decodes to nothing of use: s_code_end, zeros. */
size_t emu_code_scan(struct emu_code *c, void (*missing)(const struct emu_insn *i, void *arg),
		     void *arg)
{
	size_t at = 0, n = 0;
	struct emu_insn i;

	while (at + 4 <= c->text_size) {
		const uint8_t *code = c->image + c->text + at;

		if (!emu_decode(c->decoder, code, c->text_size - at, (uint64_t)(uintptr_t)code,
				&i)) {
			at += 4;
			continue;
		}
		at += i.size;
		n++;
		if (!i.run && strcmp(i.name, "s_code_end"))
			missing(&i, arg);
	}
	return n;
}
