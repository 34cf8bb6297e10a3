// SPDX-License-Identifier: MIT
/*
 * `mori emu`: runs a kernel of a code object for AMD GPUs on this machine's processor, one
 * instruction after another, with a trace and counts; or scans code objects for instructions that
 * the interpreter does not know.
 */
#include "emu/cache.h"
#include "emu/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mori/cmd.h"

enum { OPT_LDS = 256, OPT_TRACE, OPT_COUNTS, OPT_SCAN, OPT_ADVERSARIAL };

static const struct cmd_option options[] = {
	{ "grid", 'g', "X,...", NULL, "blocks in each of up to three dimensions (1)" },
	{ "block", 'b', "X,...", NULL, "threads in each dimension of a block (64)" },
	{ "lds", OPT_LDS, "BYTES", NULL, "dynamic LDS per block (0)" },
	{ "adversarial", OPT_ADVERSARIAL, "SEED", NULL,
	  "memory as weak as the model of gfx942 allows; the seed decides what is left to chance" },
	{ "trace", OPT_TRACE, NULL, NULL, "write every instruction to standard error" },
	{ "counts", OPT_COUNTS, NULL, NULL, "print how often each kind of instruction ran" },
	{ "scan", OPT_SCAN, NULL, NULL,
	  "run nothing: name the instructions of the files that are not known" },
	{ "help", 'h', NULL, NULL, "print this help" },
	{ 0 },
};

/* An argument of the kernel: a number, or the address of a buffer. */
struct emu_value {
	uint64_t word;
	uint8_t *buffer;
	size_t len;
	const char *out; /* the file that gets the buffer afterwards; NULL: none */
};

static uint8_t *emu_read_file(const char *name, size_t *len)
{
	FILE *f = fopen(name, "rb");
	struct stat st;
	uint8_t *data = NULL;

	if (f && !fstat(fileno(f), &st) && (data = malloc((size_t)st.st_size + 1))) {
		*len = fread(data, 1, (size_t)st.st_size, f);
		if (ferror(f)) {
			free(data);
			data = NULL;
		}
	}
	if (!data)
		cmd_error("emu", "cannot read %s: %s", name, strerror(errno));
	if (f)
		fclose(f);
	return data;
}

static bool emu_write_file(const struct emu_value *v)
{
	FILE *f = fopen(v->out, "wb");
	bool ok = f && v->buffer && fwrite(v->buffer, 1, v->len, f) == v->len;

	if (f && fclose(f))
		ok = false;
	if (!ok)
		cmd_error("emu", "cannot write %s: %s", v->out, strerror(errno));
	return ok;
}

/* @BYTES or @FILE, and perhaps >FILE. */
static bool emu_read_buffer(char *text, struct emu_value *v)
{
	char *out = strchr(text, '>'), *end;

	if (out) {
		*out = '\0';
		v->out = out + 1;
	}
	v->len = strtoull(text, &end, 0);
	if (end != text && !*end)
		v->buffer = calloc(1, v->len + 1);
	else
		v->buffer = emu_read_file(text, &v->len);
	v->word = (uint64_t)(uintptr_t)v->buffer;
	return v->buffer;
}

/* 7, -1, 0x10, 1.5: as wide as the parameter. */
static bool emu_read_value(char *text, uint32_t size, struct emu_value *v)
{
	char *end;

	if (*text == '@')
		return emu_read_buffer(text + 1, v);
	errno = 0;
	v->word = *text == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
	if (*end == '.' || *end == 'e') {
		double number = strtod(text, &end);
		float narrow = (float)number;

		v->word = 0;
		memcpy(&v->word, size == 4 ? (void *)&narrow : (void *)&number, size == 4 ? 4 : 8);
	}
	if (end == text || *end || errno) {
		cmd_error("emu", "%s: an argument is a number, @BYTES or @FILE", text);
		return false;
	}
	return true;
}

static bool emu_read_sizes(const char *name, const char *text, unsigned out[3])
{
	const char *at = text;
	char *end;

	for (int k = 0; k < 3; k++) {
		unsigned long x = strtoul(at, &end, 0);

		if (end == at || !x || x > UINT32_MAX || (*end && *end != ','))
			break;
		out[k] = (unsigned)x;
		if (!*end)
			return true;
		at = end + 1;
	}
	cmd_error("emu", "--%s %s: up to three positive numbers are expected, with commas", name,
		  text);
	return false;
}

static bool emu_read_seed(const char *text, struct emu_device **out)
{
	char *end;
	uint64_t seed = strtoull(text, &end, 0);

	if (!*text || *end || *text == '-') {
		cmd_error("emu", "--adversarial %s: a seed is a number from 0 on", text);
		return false;
	}
	emu_device_close(*out);
	*out = emu_device_open(seed);
	if (!*out)
		cmd_error("emu", "out of memory");
	return *out;
}

static void emu_missing(const struct emu_insn *i, void *arg)
{
	printf("%s: %s\n", (const char *)arg, i->text);
}

static void emu_missing_counted(const struct emu_insn *i, void *arg)
{
	(void)i;
	++*(unsigned *)arg;
}

static struct emu_code *emu_open_file(const char *name)
{
	char why[256];
	size_t len;
	uint8_t *elf = emu_read_file(name, &len);
	struct emu_code *c = elf ? emu_code_open(elf, len, why, sizeof(why)) : NULL;

	if (elf && !c)
		cmd_error("emu", "%s: %s", name, why);
	free(elf);
	return c;
}

/* 0: every instruction of every file is known. */
static int emu_scan_files(char **names)
{
	size_t looked = 0;
	unsigned missing = 0, files = 0;

	for (; *names; names++, files++) {
		struct emu_code *c = emu_open_file(*names);

		if (!c)
			return 1;
		looked += emu_code_scan(c, emu_missing, *names);
		emu_code_scan(c, emu_missing_counted, &missing);
		emu_code_close(c);
	}
	printf("%u files, %zu instructions, %u not known\n", files, looked, missing);
	return missing != 0;
}

struct emu_count {
	const char *name;
	uint64_t n;
};

static int emu_count_order(const void *a, const void *b)
{
	const struct emu_count *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n ? 1 : -1) : strcmp(x->name, y->name);
}

static void emu_print_counts(const struct emu_code *c)
{
	struct emu_count *counts = calloc(c->text_size / 4 + 1, sizeof(*counts));
	size_t n = 0;

	for (size_t k = 0; counts && k < c->text_size / 4; k++) {
		const struct emu_insn *i = c->cache[k];
		size_t at = 0;

		if (!i)
			continue;
		while (at < n && strcmp(counts[at].name, i->name))
			at++;
		counts[at].name = i->name;
		counts[at].n += i->count;
		n += at == n;
	}
	if (counts)
		qsort(counts, n, sizeof(*counts), emu_count_order);
	for (size_t k = 0; k < n; k++)
		printf("%12llu  %s\n", (unsigned long long)counts[k].n, counts[k].name);
	free(counts);
}

/* What a kernel has left in its buffers: the first words, and how many bytes are not zero. */
static void emu_print_buffer(unsigned number, const struct emu_value *v)
{
	size_t set = 0;

	for (size_t k = 0; k < v->len; k++)
		set += v->buffer[k] != 0;
	printf("argument %u: %zu bytes, %zu not zero:", number, v->len, set);
	for (size_t k = 0; k + 4 <= v->len && k < 32; k += 4) {
		uint32_t x;

		memcpy(&x, v->buffer + k, 4);
		printf(" %08x", x);
	}
	putchar('\n');
}

static bool emu_read_args(const struct emu_kernel *k, char **texts, int n, struct emu_value *values)
{
	unsigned own = 0, want = emu_kernel_args(k);

	if ((unsigned)n != want) {
		cmd_error("emu", "%s has %u parameters, and %d arguments are given", k->name, want,
			  n);
		return false;
	}
	for (unsigned a = 0; a < k->n_args; a++) {
		if (k->args[a].hidden != EMU_ARG_VALUE)
			continue;
		if (!emu_read_value(texts[own], k->args[a].size, &values[own]))
			return false;
		own++;
	}
	return true;
}

static int emu_run_kernel(struct emu_code *c, struct emu_launch *l, char **texts, int n)
{
	struct emu_value *values = calloc((size_t)n + 1, sizeof(*values));
	void **args = calloc((size_t)n + 1, sizeof(*args));
	char why[300];
	bool ok = values && args && emu_read_args(l->kernel, texts, n, values);

	for (int k = 0; ok && k < n; k++)
		args[k] = &values[k].word;
	l->args = args;
	if (ok && emu_run(c, l, why, sizeof(why)) != EMU_ENDED) {
		cmd_error("emu", "%s: %s", l->kernel->name, why);
		ok = false;
	}
	if (ok)
		printf("%s on %s: %llu instructions of waves\n", l->kernel->name, c->cpu,
		       (unsigned long long)l->count);
	if (ok && l->counts)
		emu_print_counts(c);
	for (int k = 0; values && k < n; k++) {
		if (ok && values[k].buffer)
			emu_print_buffer((unsigned)k, &values[k]);
		if (ok && values[k].out)
			ok = emu_write_file(&values[k]);
		free(values[k].buffer);
	}
	free(values);
	free(args);
	return !ok;
}

static int emu_run_file(struct emu_launch *l, char **operands, int n)
{
	struct emu_code *c = emu_open_file(operands[0]);
	int code = 1;

	if (!c)
		return 1;
	l->kernel = n > 1 ? emu_code_kernel(c, operands[1]) : NULL;
	if (l->kernel) {
		code = emu_run_kernel(c, l, operands + 2, n - 2);
	} else {
		if (n > 1)
			cmd_error("emu", "%s has no kernel %s", operands[0], operands[1]);
		for (unsigned k = 0; k < c->n_kernels; k++)
			printf("%s: %u parameters\n", c->kernels[k].name,
			       emu_kernel_args(&c->kernels[k]));
		code = n > 1;
	}
	emu_code_close(c);
	return code;
}

static int emu_main(int argc, char **argv)
{
	struct emu_launch l = { .grid = { 1, 1, 1 }, .block = { 64, 1, 1 } };
	bool scan = false;
	struct cmd_getopt g;
	int c;

	cmd_getopt(options, "+:", &g);
	opterr = 0;
	while ((c = getopt_long(argc, argv, g.shorts, g.longs, NULL)) != -1) {
		if (c == '?' || c == ':')
			return cmd_bad_option("emu", c, argv, g.longs);
		if (c == 'h')
			return cmd_help(&mori_emu);
		if ((c == 'g' && !emu_read_sizes("grid", optarg, l.grid)) ||
		    (c == 'b' && !emu_read_sizes("block", optarg, l.block)))
			return CMD_USAGE;
		if (c == OPT_LDS)
			l.lds = (unsigned)strtoul(optarg, NULL, 0);
		if (c == OPT_ADVERSARIAL && !emu_read_seed(optarg, &l.device))
			return CMD_USAGE;
		if (c == OPT_TRACE)
			l.trace = stderr;
		l.counts |= c == OPT_COUNTS;
		scan |= c == OPT_SCAN;
	}
	if (optind == argc) {
		cmd_error("emu",
			  "no code object is named; mori cc kernel.c --target gfx942 makes one");
		return CMD_USAGE;
	}
	c = scan ? emu_scan_files(argv + optind) : emu_run_file(&l, argv + optind, argc - optind);
	emu_device_close(l.device);
	return c;
}

const struct command mori_emu = {
	.name = "emu",
	.help = "runs a kernel for an AMD GPU on this machine's processor",
	.run = emu_main,
	.usage = "[options] kernel.hsaco [NAME [ARGUMENT...]]\n"
		 "       mori emu --scan kernel.hsaco...\n"
		 "\n"
		 "Interprets machine code of gfx90a, gfx942 and gfx950. Without NAME it lists the "
		 "kernels.\n"
		 "An ARGUMENT is a number, or a buffer: @BYTES of zeros, or @FILE with its "
		 "contents;\n"
		 "@BYTES>FILE writes the buffer to FILE afterwards.\n",
	.more = "\n"
		"Example:\n"
		"  mori cc scale.c --target gfx942 -o scale.hsaco\n"
		"  mori emu --grid 4 --block 256 --counts scale.hsaco scale @4096 2.5 1024\n",
	.options = options,
	.operand = CMD_FILE,
};
