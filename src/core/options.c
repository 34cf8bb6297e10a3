// SPDX-License-Identifier: MIT
/*
 * The parser of the environment. Everything it knows of a variable is its line
 * in options.def. The only state is the list of names already warned
 * about, which grows under a lock and is never freed.
 */
#include "core/options.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "util/err.h"
#include "util/log.h"
#include "util/thread.h"

enum option_kind { KIND_STRING, KIND_ENUM, KIND_SIZE, KIND_SWITCH, KIND_SECONDS, KIND_INT };

struct option {
	const char *name;
	enum option_kind kind;
	const char *def, *allowed, *help;
	size_t off; /* of the field in struct options */
};

static const struct option option_table[] = {
#define OPTION(field, name, kind, def, allowed, help)                                              \
	{ name, KIND_##kind, def, allowed, help, offsetof(struct options, field) },
#include "core/options.def"
#undef OPTION
};

#define VALUE_SHOWN 80 /* characters of a wrong value: what is allowed must fit behind it */
#define N_OPTIONS   (sizeof(option_table) / sizeof(option_table[0]))

struct option_warned {
	struct option_warned *next;
	char name[];
};

static struct option_warned *warned_list;
static pthread_mutex_t warned_lock = PTHREAD_MUTEX_INITIALIZER;

/* Digits at *s, moved past; 0, or -1 for none or too many. */
static int option_take_digits(const char **s, uint64_t *out)
{
	uint64_t v = 0;

	if (**s < '0' || **s > '9')
		return -1;
	for (; **s >= '0' && **s <= '9'; (*s)++) {
		unsigned digit = (unsigned)(**s - '0');

		if (v > (UINT64_MAX - digit) / 10)
			return -1;
		v = v * 10 + digit;
	}
	*out = v;
	return 0;
}

/* "4096", "512M", "1GiB", "2kb": bytes, powers of 1024. */
static int option_parse_size(const char *s, uint64_t *out)
{
	static const char suffixes[] = "kmgt";
	unsigned shift = 0;
	uint64_t v;

	if (option_take_digits(&s, &v))
		return -1;
	for (unsigned i = 0; *s && suffixes[i]; i++) {
		if ((*s | 0x20) == suffixes[i])
			shift = 10 * (i + 1);
	}
	if (shift)
		s++;
	if (shift && !strcasecmp(s, "ib"))
		s += 2;
	else if (!strcasecmp(s, "b"))
		s++;
	if (*s || v > UINT64_MAX >> shift)
		return -1;
	*out = v << shift;
	return 0;
}

/* Digits with at most one point; not strtod(), which follows the locale and takes nan. */
static int option_parse_seconds(const char *s, double *out)
{
	uint64_t whole = 0;
	double v, unit = 0.1;

	if (*s != '.' && option_take_digits(&s, &whole))
		return -1;
	v = (double)whole;
	if (*s == '.') {
		s++;
		if (*s < '0' || *s > '9')
			return -1;
		for (; *s >= '0' && *s <= '9'; s++, unit /= 10)
			v += unit * (*s - '0');
	}
	*out = v;
	return *s ? -1 : 0;
}

static int option_parse_switch(const char *s, int *out)
{
	static const char *const on[] = { "1", "on", "true", "yes" };
	static const char *const off[] = { "0", "off", "false", "no" };

	for (unsigned i = 0; i < 4; i++) {
		if (strcasecmp(s, on[i]) && strcasecmp(s, off[i]))
			continue;
		*out = !strcasecmp(s, on[i]);
		return 0;
	}
	return -1;
}

/* Choices stand with blanks between, an alias after "|"; the place of a choice is its value. */
static int option_parse_enum(const char *choices, const char *s, int *out)
{
	size_t want = strlen(s);
	int place = 0;

	while (*choices) {
		size_t len = strcspn(choices, " |");

		if (len == want && !strncasecmp(choices, s, len)) {
			*out = place;
			return 0;
		}
		choices += len;
		if (*choices)
			place += *choices++ == ' ';
	}
	return -1;
}

/* The bounds of "4K..", "0..255"; no upper one means @most. */
static void option_range(const char *allowed, uint64_t *least, uint64_t *most)
{
	const char *dots = strstr(allowed, "..");
	char text[32];

	snprintf(text, sizeof(text), "%.*s", (int)(dots - allowed), allowed);
	option_parse_size(text, least);
	if (dots[2])
		option_parse_size(dots + 2, most);
}

static int option_parse_size_in(const struct option *o, const char *s, uint64_t *out)
{
	uint64_t least = 0, most = UINT64_MAX, v;

	option_range(o->allowed, &least, &most);
	if (option_parse_size(s, &v) || v < least || v > most)
		return -1;
	*out = v;
	return 0;
}

static int option_parse_seconds_in(const struct option *o, const char *s, double *out)
{
	const char *dots = strstr(o->allowed, "..");
	double least = 0, most = 0, v;
	char text[32];

	snprintf(text, sizeof(text), "%.*s", (int)(dots - o->allowed), o->allowed);
	option_parse_seconds(text, &least);
	option_parse_seconds(dots + 2, &most);
	if (option_parse_seconds(s, &v) || v < least || v > most)
		return -1;
	*out = v;
	return 0;
}

static int option_parse_int_in(const struct option *o, const char *s, int *out)
{
	uint64_t least = 0, most = INT_MAX, v;

	option_range(o->allowed, &least, &most);
	if (option_take_digits(&s, &v) || *s || v < least || v > most)
		return -1;
	*out = (int)v;
	return 0;
}

/* Fill the field; 0, MORI_SHMEM_EINVAL for a bad value, MORI_SHMEM_ENOMEM. */
static int option_parse(const struct option *o, const char *s, struct options *out)
{
	void *field = (char *)out + o->off;
	int bad = 0;

	switch (o->kind) {
	case KIND_STRING:
		*(char **)field = strdup(s);
		return *(char **)field ? 0 : MORI_SHMEM_ENOMEM;
	case KIND_ENUM:
		bad = option_parse_enum(o->allowed, s, field);
		break;
	case KIND_SIZE:
		bad = option_parse_size_in(o, s, field);
		break;
	case KIND_SWITCH:
		bad = option_parse_switch(s, field);
		break;
	case KIND_SECONDS:
		bad = option_parse_seconds_in(o, s, field);
		break;
	case KIND_INT:
		bad = option_parse_int_in(o, s, field);
		break;
	}
	return bad ? MORI_SHMEM_EINVAL : 0;
}

/* "static|static_heap vmm" as "static (or static_heap), vmm". */
static void option_print_choices(const char *choices, char *buf, size_t size)
{
	size_t n = 0;
	int alias = 0;

	while (n < size) {
		size_t len = strcspn(choices, " |");

		n += (size_t)snprintf(buf + n, size - n, "%.*s%s", (int)len, choices,
				      alias ? ")" : "");
		choices += len;
		if (!*choices || n >= size)
			return;
		alias = *choices++ == '|';
		n += (size_t)snprintf(buf + n, size - n, "%s", alias ? " (or " : ", ");
	}
}

/* What is allowed, in words. */
static void option_print_allowed(const struct option *o, char *buf, size_t size)
{
	const char *dots = strstr(o->allowed, "..");
	const char *most = dots ? dots + 2 : "";
	int low = dots ? (int)(dots - o->allowed) : 0;

	switch (o->kind) {
	case KIND_STRING:
		snprintf(buf, size, "%s", o->allowed);
		break;
	case KIND_ENUM:
		option_print_choices(o->allowed, buf, size);
		break;
	case KIND_SIZE:
		snprintf(buf, size,
			 "bytes, %.*s or more, with suffix K, M, G or T (also KB, KiB ...) for "
			 "powers of 1024",
			 low, o->allowed);
		break;
	case KIND_SWITCH:
		snprintf(buf, size, "1 or 0, on or off, true or false, yes or no");
		break;
	case KIND_SECONDS:
		snprintf(buf, size, "seconds, %.*s to %s, as in 30 or 0.5", low, o->allowed, most);
		break;
	case KIND_INT:
		if (*most)
			snprintf(buf, size, "a whole number, %.*s to %s", low, o->allowed, most);
		else
			snprintf(buf, size, "a whole number, %.*s or more", low, o->allowed);
		break;
	}
}

static const char *option_value(const struct option *o)
{
	const char *s = getenv(o->name);

	return s && *s ? s : NULL;
}

static void option_set_unset(const struct option *o, struct options *out)
{
	if (o->kind == KIND_INT || o->kind == KIND_ENUM)
		*(int *)((char *)out + o->off) = -1;
}

/* How many letters to change, add or drop to come from @a to @b, a name of the table. */
static unsigned option_distance(const char *a, const char *b)
{
	unsigned row[64];
	size_t len = strlen(b);

	if (len >= 64)
		return UINT_MAX;
	for (unsigned j = 0; j <= len; j++)
		row[j] = j;
	for (unsigned i = 1; *a; a++, i++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (unsigned j = 1; j <= len; j++) {
			unsigned best = diagonal + (*a != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[len];
}

static int option_is_ours(const char *name)
{
	return !strncmp(name, "MORI_SHMEM_", 11);
}

/* The prefix counts for less than the rest: MORI_HEAP_SIZE is MORI_SHMEM_HEAP_SIZE. */
static unsigned option_name_distance(const char *a, const char *b)
{
	unsigned rest =
		option_distance(a + (option_is_ours(a) ? 11 : 5), b + (option_is_ours(b) ? 11 : 5));

	return 2 * rest + (option_is_ours(a) != option_is_ours(b));
}

static const char *option_nearest(const char *name)
{
	const struct option *best = &option_table[0];

	for (size_t i = 1; i < N_OPTIONS; i++) {
		if (option_name_distance(name, option_table[i].name) <
		    option_name_distance(name, best->name))
			best = &option_table[i];
	}
	return best->name;
}

/* The name of an entry of environ in @buf if it is MORI_*, has a value and is not known. */
static int option_is_unknown(const char *entry, char *buf, size_t size)
{
	size_t len = strcspn(entry, "=");

	if (strncmp(entry, "MORI_", 5) || !entry[len] || !entry[len + 1])
		return 0;
	snprintf(buf, size, "%.*s", (int)len, entry);
	for (size_t i = 0; i < N_OPTIONS; i++) {
		if (!strcmp(buf, option_table[i].name))
			return 0;
	}
	return 1;
}

/* 1 the first time a name comes. */
static int option_warn_once(const char *name)
{
	struct option_warned *w;

	pthread_mutex_lock(&warned_lock);
	for (w = warned_list; w && strcmp(w->name, name); w = w->next)
		;
	if (w) {
		pthread_mutex_unlock(&warned_lock);
		return 0;
	}
	w = malloc(sizeof(*w) + strlen(name) + 1);
	if (w) {
		strcpy(w->name, name);
		w->next = warned_list;
		warned_list = w;
	}
	pthread_mutex_unlock(&warned_lock);
	return 1;
}

static int options_check_unknown(void)
{
	char name[256];

	for (char **e = environ; e && *e; e++) {
		if (!option_is_unknown(*e, name, sizeof(name)))
			continue;
		if (option_is_ours(name))
			return err_set(MORI_SHMEM_EINVAL,
				       "%s: there is no such variable; did you mean %s? "
				       "(mori info --env lists them all)",
				       name, option_nearest(name));
		if (option_warn_once(name))
			log_warn("%s: there is no such variable (the nearest is %s); ignored", name,
				 option_nearest(name));
	}
	return 0;
}

/* Variables of MORI that have no effect yet: setting one prints a warning. */
static void options_warn_idle(void)
{
	static const struct {
		const char *name, *why;
	} idle[] = {
		{ "MORI_SDMA_NUM_CHANNELS", "no path uses a copy engine" },
	};

	for (size_t i = 0; i < sizeof(idle) / sizeof(idle[0]); i++) {
		const char *value = getenv(idle[i].name);

		if (value && *value && option_warn_once(idle[i].name))
			log_warn("%s has no effect yet: %s", idle[i].name, idle[i].why);
	}
}

static void options_set_log_level(const struct options *o)
{
	int level = o->log_level >= 0 ? o->log_level : o->global_log_level;

	log_set_level(level >= 0 ? (enum log_level)level : LOG_WARN);
}

int options_load(struct options *out)
{
	const struct option *bad = NULL;
	struct options o = { 0 };
	char allowed[256];
	int err = 0;

	for (size_t i = 0; i < N_OPTIONS; i++) {
		const struct option *opt = &option_table[i];
		const char *s = option_value(opt);
		int e;

		option_set_unset(opt, &o);
		if (!s && !*opt->def)
			continue;
		e = option_parse(opt, s ? s : opt->def, &o);
		if (e && !err) {
			err = e;
			bad = opt;
		}
	}
	options_set_log_level(&o); /* before the error, which is logged */
	if (err == MORI_SHMEM_EINVAL) {
		option_print_allowed(bad, allowed, sizeof(allowed));
		const char *value = getenv(bad->name);
		bool cut = strlen(value) > VALUE_SHOWN;

		err_set(err, "%s=\"%.*s%s\" is not valid; allowed: %s", bad->name, VALUE_SHOWN,
			value, cut ? "..." : "", allowed);
	} else if (err) {
		err_set(err, "no memory for the value of %s", bad->name);
	} else {
		err = options_check_unknown();
	}
	if (err) {
		options_free(&o);
		return err;
	}
	options_warn_idle();
	thread_ignore_affinity(o.ignore_cpu_affinity);
	*out = o;
	return 0;
}

void options_free(struct options *o)
{
	for (size_t i = 0; i < N_OPTIONS; i++) {
		char **field = (char **)((char *)o + option_table[i].off);

		if (option_table[i].kind != KIND_STRING)
			continue;
		free(*field);
		*field = NULL;
	}
}

static void options_each_unknown(option_row_fn fn, void *arg)
{
	char name[256], error[512];

	for (char **e = environ; e && *e; e++) {
		struct option_row row = { .name = name, .source = "environment", .def = "" };

		if (!option_is_unknown(*e, name, sizeof(name)))
			continue;
		snprintf(error, sizeof(error), "there is no such variable; %s %s",
			 option_is_ours(name) ? "did you mean" : "ignored; the nearest is",
			 option_nearest(name));
		row.value = strchr(*e, '=') + 1;
		row.error = error;
		fn(arg, &row);
	}
}

void options_each(option_row_fn fn, void *arg)
{
	for (size_t i = 0; i < N_OPTIONS; i++) {
		const struct option *opt = &option_table[i];
		const char *s = option_value(opt);
		struct option_row row = { opt->name,
					  s ? s : opt->def,
					  s ? "environment" : "default",
					  opt->def,
					  NULL,
					  opt->help,
					  NULL };
		char allowed[256], error[512];
		struct options scratch = { 0 };

		option_print_allowed(opt, allowed, sizeof(allowed));
		row.allowed = allowed;
		if (s && option_parse(opt, s, &scratch) == MORI_SHMEM_EINVAL) {
			snprintf(error, sizeof(error), "not valid; allowed: %s", allowed);
			row.error = error;
		}
		options_free(&scratch);
		fn(arg, &row);
	}
	options_each_unknown(fn, arg);
}

const char *options_choice(const char *name, int value, char *buf, size_t size)
{
	const char *at = "";

	for (size_t i = 0; i < N_OPTIONS; i++) {
		if (!strcmp(option_table[i].name, name))
			at = option_table[i].allowed;
	}
	for (; value > 0 && *at; value--) {
		at += strcspn(at, " ");
		at += *at == ' ';
	}
	snprintf(buf, size, "%.*s", *at ? (int)strcspn(at, " |") : 1, *at ? at : "?");
	return buf;
}
