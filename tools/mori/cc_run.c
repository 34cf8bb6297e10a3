// SPDX-License-Identifier: MIT
/*
 * Strings that live as long as a run of `mori cc`, its folder of temporary files,
 * and the tools it runs. A signal that ends the run ends the tool too, and the
 * folder is removed in every case.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mori/cc.h"
#include "mori/cmd.h"

extern char **environ;

static volatile sig_atomic_t caught; /* the signal that was received */
static volatile sig_atomic_t child;  /* the tool that runs, or 0 */

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

static void on_signal(int sig)
{
	caught = sig;
	if (child > 0)
		kill((pid_t)child, sig);
}

bool cc_interrupted(void)
{
	return caught != 0;
}

static void out_of_memory(void)
{
	cmd_error("cc", "out of memory");
	_exit(1);
}

void cc_word(struct cc_words *w, const char *word)
{
	if (w->n + 2 > w->room) {
		size_t room = w->room ? 2 * w->room : 16;
		const char **v = realloc(w->v, room * sizeof(*v));

		if (!v)
			out_of_memory();
		w->v = v;
		w->room = room;
	}
	w->v[w->n++] = word;
	w->v[w->n] = NULL;
}

void cc_words_of(struct cc *c, struct cc_words *w, const char *list)
{
	char *copy = cc_str(c, "%s", list), *save = NULL;

	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		cc_word(w, word);
}

char *cc_str(struct cc *c, const char *fmt, ...)
{
	va_list args;
	char *s;
	int n;

	va_start(args, fmt);
	n = vasprintf(&s, fmt, args);
	va_end(args);
	if (n < 0)
		out_of_memory();
	cc_word(&c->owned, s);
	return s;
}

const char *cc_temp(struct cc *c, const char *suffix)
{
	return cc_str(c, "%s/%d%s", c->dir, c->n_temps++, suffix);
}

int cc_open(struct cc *c)
{
	const char *tmp = getenv("TMPDIR");
	struct sigaction act = { .sa_handler = on_signal };

	c->dir = cc_str(c, "%s/mori-cc.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &act, NULL);
	if (mkdtemp(c->dir))
		return 0;
	cmd_error("cc", "cannot make a folder %s: %s", c->dir, strerror(errno));
	c->dir = NULL;
	return 1;
}

static void remove_temps(struct cc *c)
{
	DIR *d = opendir(c->dir);
	int fd = d ? dirfd(d) : -1;
	struct dirent *e;

	while (fd >= 0 && (e = readdir(d)))
		unlinkat(fd, e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(c->dir);
}

void cc_close(struct cc *c)
{
	if (c->dir && c->keep)
		fprintf(stderr, "mori cc: the temporary files are in %s\n", c->dir);
	else if (c->dir)
		remove_temps(c);
	for (size_t i = 0; i < c->owned.n; i++)
		free((char *)c->owned.v[i]);
	free(c->owned.v);
	free(c->flags.v);
	if (caught) {
		signal(caught, SIG_DFL);
		raise(caught);
	}
}

/* Prints a word quoted for a shell. */
static void print_word(const char *word)
{
	if (*word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789_-+=/.,:@%^") == strlen(word)) {
		fprintf(stderr, " %s", word);
		return;
	}
	fputs(" '", stderr);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (char[]){ *word, '\0' }, stderr);
	fputc('\'', stderr);
}

static void print_command(const struct cc_words *cmd)
{
	fputc('+', stderr);
	for (size_t i = 0; i < cmd->n; i++)
		print_word(cmd->v[i]);
	fputc('\n', stderr);
}

static int wait_child(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -1;
	}
	return status;
}

int cc_run(struct cc *c, const struct cc_words *cmd)
{
	posix_spawnattr_t attr;
	sigset_t set, none;
	pid_t pid;
	int err, status;

	if (c->verbose)
		print_command(cmd);
	if (caught)
		return 1;
	/* The handled signals are blocked while the child starts, so that none is lost. */
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	sigemptyset(&none);
	posix_spawnattr_setsigmask(&attr, &none);
	err = posix_spawnp(&pid, cmd->v[0], NULL, &attr, (char **)cmd->v, environ);
	child = err ? 0 : pid;
	posix_spawnattr_destroy(&attr);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	if (err) {
		cmd_error("cc", "cannot run %s: %s", cmd->v[0], strerror(err));
		return 1;
	}
	status = wait_child(pid);
	child = 0;
	if (WIFSIGNALED(status) && !caught)
		cmd_error("cc", "%s was ended by signal %d (%s)", cmd->v[0], WTERMSIG(status),
			  strsignal(WTERMSIG(status)));
	return status != 0;
}
