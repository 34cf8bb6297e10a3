// SPDX-License-Identifier: MIT
/*
 * The environment: every kind of value at its edges, what is refused and with which text, unknown
 * names, levels of the log, and many threads at once.
 */
#include "core/options.h"
#include "test.h"
#include "util/err.h"
#include "util/log.h"

#include <fcntl.h>
#include <pthread.h>

#define THREADS 8

static void clear(void)
{
	for (char **e = environ; *e;) {
		char name[128];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(*e, "="), *e);
		if (strncmp(name, "MORI_", 5) || unsetenv(name))
			e++;
		else
			e = environ;
	}
}

/* Load with one variable set. */
static int load(const char *name, const char *value, struct options *o)
{
	int err;

	clear();
	setenv(name, value, 1);
	memset(o, 0, sizeof(*o));
	err = options_load(o);
	clear();
	return err;
}

static void refuse(const char *name, const char *value, const char *allowed)
{
	struct options o;
	char quoted[128];

	if (!CHECK_EQ(value, load(name, value, &o), MORI_SHMEM_EINVAL)) {
		fprintf(stderr, "%s=%s was taken\n", name, value);
		options_free(&o);
	}
	snprintf(quoted, sizeof(quoted), "%s=\"%s\"", name, value);
	CHECK_TEXT(err_text(), quoted);
	CHECK_TEXT(err_text(), allowed);
}

static void test_defaults(void)
{
	struct options o;

	clear();
	CHECK_EQ("load", options_load(&o), 0);
	CHECK_EQ("device", o.device, OPTION_DEVICE_AUTO);
	CHECK_EQ("heap_size", o.heap_size, 0);
	CHECK_EQ("mode", o.mode, OPTION_MODE_STATIC);
	CHECK_EQ("heap_type", o.heap_type, -1);
	CHECK_EQ("vmm_chunk_size", o.vmm_chunk_size, 64 << 20);
	CHECK(o.timeout == 300 && o.wait_timeout == 0 && o.bootstrap_timeout == 300);
	CHECK(!o.bc && !o.socket_ifname && !o.node_id && !o.rdma_devices && !o.unique_id);
	CHECK(!o.fabric_provider);
	CHECK_EQ("switches", o.disable_p2p | o.enable_sdma | o.disable_topo | o.ignore_cpu_affinity,
		 0);
	CHECK_EQ("num_qp_per_pe", o.num_qp_per_pe, 4);
	CHECK_EQ("unset numbers", o.rank & o.world_size & o.local_rank & o.threads, -1);
	CHECK_EQ("unset verbs", o.ib_gid_index & o.rdma_sl & o.rdma_tc & o.sdma_num_channels, -1);
	options_free(&o);
	options_free(&o);
}

static void test_size(void)
{
	static const struct {
		const char *text;
		uint64_t want;
	} good[] = {
		{ "1", 1 },
		{ "4096", 4096 },
		{ "4096B", 4096 },
		{ "7b", 7 },
		{ "1k", 1024 },
		{ "512M", 512ull << 20 },
		{ "512mb", 512ull << 20 },
		{ "1GiB", 1ull << 30 },
		{ "3gIb", 3ull << 30 },
		{ "2T", 2ull << 40 },
		{ "16777215T", 16777215ull << 40 },
		{ "18446744073709551615", UINT64_MAX },
		{ "007K", 7168 },
	};
	static const char *const bad[] = {
		"0",
		"-1",
		"+1",
		"1.5G",
		"G",
		" 1G",
		"1G ",
		"1 G",
		"1P",
		"1Gi",
		"1ib",
		"1kk",
		"0x100",
		"1GiBx",
		"1GBi",
		"12q",
		"16777216T",
		"16777217T",
		"18446744073709551617",
		"18446744073709551616",
		"99999999999999999999K",
	};
	struct options o;

	for (size_t i = 0; i < TEST_LEN(good); i++) {
		CHECK_EQ(good[i].text, load("MORI_SHMEM_HEAP_SIZE", good[i].text, &o), 0);
		CHECK_EQ(good[i].text, o.heap_size, good[i].want);
		options_free(&o);
	}
	for (size_t i = 0; i < TEST_LEN(bad); i++)
		refuse("MORI_SHMEM_HEAP_SIZE", bad[i], "1 or more, with suffix K, M, G or T");
	refuse("MORI_SHMEM_VMM_CHUNK_SIZE", "4095", "4K or more");
	CHECK_EQ("4K", load("MORI_SHMEM_VMM_CHUNK_SIZE", "4K", &o), 0);
	CHECK_EQ("4K", o.vmm_chunk_size, 4096);
	options_free(&o);
}

static void test_switch(void)
{
	static const char *const on[] = { "1", "on", "ON", "true", "True", "yes", "YeS" };
	static const char *const off[] = { "0", "off", "Off", "false", "FALSE", "no", "nO" };
	static const char *const bad[] = { "2", "onn", "tru", "y", "n", "-1", "enable", "01" };
	struct options o;

	for (size_t i = 0; i < TEST_LEN(on); i++) {
		CHECK_EQ(on[i], load("MORI_DISABLE_P2P", on[i], &o), 0);
		CHECK_EQ(on[i], o.disable_p2p, 1);
		options_free(&o);
		CHECK_EQ(off[i], load("MORI_ENABLE_SDMA", off[i], &o), 0);
		CHECK_EQ(off[i], o.enable_sdma, 0);
		options_free(&o);
	}
	for (size_t i = 0; i < TEST_LEN(bad); i++)
		refuse("MORI_DISABLE_TOPO", bad[i], "on or off");
}

static void test_enum(void)
{
	static const struct {
		const char *text;
		int want;
	} modes[] = {
		{ "static", OPTION_MODE_STATIC },
		{ "static_heap", OPTION_MODE_STATIC },
		{ "vmm", OPTION_MODE_VMM },
		{ "VMM_heap", OPTION_MODE_VMM },
		{ "isolation", OPTION_MODE_ISOLATION },
	};
	static const char *const bad[] = { "stat", "static_", "heap",	       "vmm vmm",
					   "|",	   " ",	      "isolation_heap" };
	struct options o;

	for (size_t i = 0; i < TEST_LEN(modes); i++) {
		CHECK_EQ(modes[i].text, load("MORI_SHMEM_MODE", modes[i].text, &o), 0);
		CHECK_EQ(modes[i].text, o.mode, modes[i].want);
		options_free(&o);
	}
	for (size_t i = 0; i < TEST_LEN(bad); i++)
		refuse("MORI_SHMEM_MODE", bad[i],
		       "static (or static_heap), vmm (or vmm_heap), isolation");
	CHECK_EQ("hip", load("MORI_SHMEM_DEVICE", "hip", &o), 0);
	CHECK_EQ("hip", o.device, OPTION_DEVICE_HIP);
	options_free(&o);
	CHECK_EQ("uncached", load("MORI_SHMEM_HEAP_TYPE", "uncached", &o), 0);
	CHECK_EQ("uncached", o.heap_type, OPTION_HEAP_UNCACHED);
	options_free(&o);
	refuse("MORI_SHMEM_DEVICE", "gpu", "auto, cpu, cuda, hip");
}

static void test_numbers(void)
{
	static const char *const bad_seconds[] = { "-1", "+1",	"nan", "inf",  "1e3",	     "1.",
						   ".",	 "1,5", "5s",  "1..2", "1000000001", " 1" };
	static const char *const bad_ints[] = {
		"256", "-1", "1.0", "0x1", "1k", "a", "2147483648"
	};
	struct options o;

	CHECK_EQ("seconds", load("MORI_SHMEM_TIMEOUT", "1.25", &o), 0);
	CHECK(o.timeout == 1.25);
	options_free(&o);
	CHECK_EQ("seconds", load("MORI_BOOTSTRAP_TIMEOUT", ".5", &o), 0);
	CHECK(o.bootstrap_timeout == 0.5);
	options_free(&o);
	CHECK_EQ("seconds", load("MORI_SHMEM_WAIT_TIMEOUT", "1000000000", &o), 0);
	CHECK(o.wait_timeout == 1e9);
	options_free(&o);
	for (size_t i = 0; i < TEST_LEN(bad_seconds); i++)
		refuse("MORI_SHMEM_WAIT_TIMEOUT", bad_seconds[i], "seconds, 0 to 1000000000");
	refuse("MORI_BOOTSTRAP_TIMEOUT", "0", "seconds, 0.001 to 1000000000");
	CHECK_EQ("int", load("MORI_IB_GID_INDEX", "255", &o), 0);
	CHECK_EQ("int", o.ib_gid_index, 255);
	options_free(&o);
	for (size_t i = 0; i < TEST_LEN(bad_ints); i++)
		refuse("MORI_RDMA_TC", bad_ints[i], "a whole number, 0 to 255");
	CHECK_EQ("int", load("MORI_RANK", "2147483647", &o), 0);
	CHECK_EQ("int", o.rank, 2147483647);
	options_free(&o);
	refuse("MORI_RANK", "2147483648", "a whole number, 0 or more");
	refuse("MORI_WORLD_SIZE", "0", "a whole number, 1 or more");
	refuse("MORI_NUM_QP_PER_PE", "0", "a whole number, 1 or more");
}

static void test_string_and_empty(void)
{
	struct options o;

	CHECK_EQ("string", load("MORI_RDMA_DEVICES", "^mlx5_2", &o), 0);
	CHECK(o.rdma_devices && !strcmp(o.rdma_devices, "^mlx5_2"));
	options_free(&o);
	CHECK(!o.rdma_devices);
	CHECK_EQ("empty is unset", load("MORI_RDMA_DEVICES", "", &o), 0);
	CHECK(!o.rdma_devices);
	options_free(&o);
	CHECK_EQ("empty is unset", load("MORI_SHMEM_HEAP_SIZE", "", &o), 0);
	CHECK_EQ("empty is unset", o.heap_size, 0);
	options_free(&o);
}

static void test_unknown(void)
{
	struct options o;

	memset(&o, 0x5a, sizeof(o));
	clear();
	setenv("MORI_SHMEM_HEAPSIZE", "1G", 1);
	CHECK_EQ("unknown", options_load(&o), MORI_SHMEM_EINVAL);
	CHECK_TEXT(err_text(), "MORI_SHMEM_HEAPSIZE");
	CHECK_TEXT(err_text(), "did you mean MORI_SHMEM_HEAP_SIZE?");
	CHECK_EQ("untouched on failure", o.num_qp_per_pe, 0x5a5a5a5a);
	CHECK_EQ("unknown", load("MORI_SHMEM_TIMEUOT", "3", &o), MORI_SHMEM_EINVAL);
	CHECK_TEXT(err_text(), "did you mean MORI_SHMEM_TIMEOUT?");
	CHECK_EQ("only the prefix", load("MORI_SHMEM_", "3", &o), MORI_SHMEM_EINVAL);
	CHECK_EQ("not ours", load("MORIBUND", "3", &o), 0);
	options_free(&o);
}

/* One line on standard error that holds both, however often the variable is read. */
static void test_warning(const char *name, const char *value, const char *part)
{
	int fds[2], saved = dup(2);
	struct options o;
	char got[4096];
	ssize_t n;

	if (!CHECK(!pipe2(fds, O_NONBLOCK | O_CLOEXEC) && saved >= 0))
		return;
	dup2(fds[1], 2);
	for (int i = 0; i < 3; i++) {
		int err = load(name, value, &o);

		options_free(&o);
		if (err)
			break;
	}
	dup2(saved, 2);
	n = read(fds[0], got, sizeof(got) - 1);
	got[n > 0 ? n : 0] = '\0';
	CHECK_TEXT(got, name);
	CHECK_TEXT(got, part);
	CHECK(strchr(got, '\n') && !strchr(got, '\n')[1]);
	close(fds[0]);
	close(fds[1]);
	close(saved);
}

static void test_level(void)
{
	struct options o;

	CHECK_EQ("load", load("MORI_GLOBAL_LOG_LEVEL", "error", &o), 0);
	CHECK(!log_on(LOG_WARN) && log_on(LOG_ERROR));
	options_free(&o);
	setenv("MORI_SHMEM_LOG_LEVEL", "warning", 1);
	setenv("MORI_GLOBAL_LOG_LEVEL", "trace", 1);
	CHECK_EQ("load", options_load(&o), 0);
	CHECK(log_on(LOG_WARN) && !log_on(LOG_INFO));
	options_free(&o);
	setenv("MORI_SHMEM_MODE", "nonsense", 1);
	setenv("MORI_SHMEM_LOG_LEVEL", "error", 1);
	CHECK_EQ("set although it fails", options_load(&o), MORI_SHMEM_EINVAL);
	CHECK(!log_on(LOG_WARN));
	clear();
	CHECK_EQ("load", options_load(&o), 0);
	CHECK(log_on(LOG_WARN) && !log_on(LOG_INFO));
	options_free(&o);
}

struct seen {
	int rows, unknown, errors, from_environment;
	char heap[512], mode[512], extra[512];
};

static void see(void *arg, const struct option_row *row)
{
	struct seen *s = arg;

	s->rows++;
	s->unknown += !row->help;
	s->errors += !!row->error;
	s->from_environment += !strcmp(row->source, "environment");
	CHECK(row->name && row->value && row->def && !row->help == !row->allowed);
	if (!strcmp(row->name, "MORI_SHMEM_HEAP_SIZE"))
		snprintf(s->heap, sizeof(s->heap), "%s %s", row->value, row->error);
	if (!strcmp(row->name, "MORI_SHMEM_MODE"))
		snprintf(s->mode, sizeof(s->mode), "%s %s", row->value, row->source);
	if (!row->help)
		snprintf(s->extra, sizeof(s->extra), "%s %s", row->name, row->error);
}

/* The lines of the table. */
enum {
	OPTIONS = 0
#define OPTION(field, name, kind, def, allowed, help) +1
#include "core/options.def"
#undef OPTION
};

static void test_each(void)
{
	struct seen s = { 0 };

	clear();
	options_each(see, &s);
	CHECK_EQ("rows", s.rows, OPTIONS);
	CHECK_EQ("unknown, errors, set", s.unknown + s.errors + s.from_environment, 0);
	memset(&s, 0, sizeof(s));
	setenv("MORI_SHMEM_HEAP_SIZE", "lots", 1);
	setenv("MORI_SHMEM_MODE", "vmm", 1);
	setenv("MORI_SHMEM_MODUS", "vmm", 1);
	options_each(see, &s);
	clear();
	CHECK_EQ("rows", s.rows, OPTIONS + 1);
	CHECK_EQ("unknown", s.unknown, 1);
	CHECK_EQ("errors", s.errors, 2);
	CHECK_EQ("set", s.from_environment, 3);
	CHECK_TEXT(s.heap, "lots not valid; allowed: bytes");
	CHECK(!strcmp(s.mode, "vmm environment"));
	CHECK_TEXT(s.extra,
		   "MORI_SHMEM_MODUS there is no such variable; did you mean MORI_SHMEM_MODE");
	setenv("MORI_HEAP_SIZE", "1M", 1); /* one letter nearer to MORI_WORLD_SIZE */
	options_each(see, &s);
	clear();
	CHECK_TEXT(s.extra, "ignored; the nearest is MORI_SHMEM_HEAP_SIZE");
}

static void *load_often(void *arg)
{
	struct options o;

	(void)arg;
	for (int i = 0; i < 200; i++) {
		if (!CHECK_EQ("load", options_load(&o), 0))
			return NULL;
		CHECK(o.node_id && !strcmp(o.node_id, "a node") && o.heap_size == 1 << 20);
		options_free(&o);
	}
	return NULL;
}

static void test_threads(void)
{
	pthread_t threads[THREADS];

	clear();
	setenv("MORI_NODE_ID", "a node", 1);
	setenv("MORI_SHMEM_HEAP_SIZE", "1M", 1);
	setenv("MORI_UNHEARD_OF", "1", 1);
	setenv("MORI_SHMEM_LOG_LEVEL", "error", 1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, load_often, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	clear();
}

int main(void)
{
	test_deadline(60);
	test_defaults();
	test_warning("MORI_DISABLE_P3P", "1", "MORI_DISABLE_P2P");
	test_warning("MORI_SDMA_NUM_CHANNELS", "2", "no effect yet");
	test_size();
	test_switch();
	test_enum();
	test_numbers();
	test_string_and_empty();
	test_unknown();
	test_level();
	test_each();
	test_threads();
	return test_result();
}
