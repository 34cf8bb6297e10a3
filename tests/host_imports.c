// SPDX-License-Identifier: MIT
/*
 * The library never ends its process: it does not even import a function that
 * could. Reads the undefined symbols of the shared library as it was loaded.
 */
#include "test.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <mori/shmem.h>

static const char *const forbidden[] = {
	"exit",	 "_exit",    "_Exit",	      "quick_exit",
	"abort", "__assert", "__assert_fail", "__assert_perror_fail",
	"err",	 "errx",     "verr",	      "verrx",
	"error"
};

static const Elf64_Shdr *section(const char *image, unsigned type)
{
	const Elf64_Ehdr *head = (const void *)image;
	const Elf64_Shdr *s = (const void *)(image + head->e_shoff);

	for (int i = 0; i < head->e_shnum; i++) {
		if (s[i].sh_type == type)
			return &s[i];
	}
	return NULL;
}

/* How many symbols the library takes from elsewhere. */
static int look(const char *image)
{
	const Elf64_Ehdr *head = (const void *)image;
	const Elf64_Shdr *all = (const void *)(image + head->e_shoff);
	const Elf64_Shdr *table = section(image, SHT_DYNSYM);
	const Elf64_Sym *sym;
	const char *names;
	int n = 0;

	if (!CHECK(table != NULL))
		return 0;
	sym = (const void *)(image + table->sh_offset);
	names = image + all[table->sh_link].sh_offset;
	for (size_t i = 0; i < table->sh_size / sizeof(*sym); i++) {
		const char *name = names + sym[i].st_name;

		if (sym[i].st_shndx != SHN_UNDEF || !*name)
			continue;
		n++;
		for (size_t f = 0; f < TEST_LEN(forbidden); f++) {
			if (!strcmp(name, forbidden[f]))
				fprintf(stderr, "the library calls %s()\n", name);
			CHECK(strcmp(name, forbidden[f]) != 0);
		}
	}
	return n;
}

int main(void)
{
	struct stat st;
	Dl_info info;
	char *image;
	int fd, n;

	test_deadline(60);
	if (!CHECK(dladdr((void *)(uintptr_t)mori_shmem_init, &info) != 0))
		return 1;
	CHECK_TEXT(info.dli_fname, "libmori_shmem");
	fd = open(info.dli_fname, O_RDONLY | O_CLOEXEC);
	if (!CHECK(fd >= 0 && !fstat(fd, &st)))
		return 1;
	image = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (!CHECK(image != MAP_FAILED && !memcmp(image, ELFMAG, SELFMAG)))
		return 1;
	n = look(image);
	printf("%s: %d imports\n", info.dli_fname, n);
	CHECK(n > 20); /* it does use the C library: the table was read */
	munmap(image, (size_t)st.st_size);
	return test_result();
}
