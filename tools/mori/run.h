// SPDX-License-Identifier: MIT
/*
 * A job of `mori run`: what was requested, its processes, and where their output
 * goes. One thread does everything; a process hosts one PE or, with --threads,
 * several with successive ranks.
 */
#ifndef MORI_TOOLS_RUN_H
#define MORI_TOOLS_RUN_H

#include <mori/shmem.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#define RUN_NOT_EXECUTABLE 126 /* exit codes as a shell gives them */
#define RUN_NOT_FOUND	   127
#define RUN_TIMED_OUT	   124
#define RUN_UNSEEN	   125 /* failures in kernels that nobody has checked */

struct run_opts {
	int np, threads;    /* PEs in all, PEs per process */
	int tag, timestamp; /* what precedes each line of output */
	int keep_going, verbose, bind_core;
	double timeout_s;	/* 0: none */
	double grace_s;		/* from a signal that is to end the job to SIGKILL */
	const char *output_dir; /* NULL: output goes where the launcher's goes */
	const char *wdir;	/* NULL: the launcher's */
	char **argv;		/* program and arguments */
};

/* One end of a PE's standard output or error, read here and passed on in whole lines. */
struct stream {
	int fd;	   /* read end; -1 once closed */
	int to;	   /* where its lines go */
	char *buf; /* the part of an incomplete line that was read */
	size_t len, cap;
	int64_t since; /* when the last of it came; by clock_now() */
};

struct proc {
	pid_t pid;	    /* 0: not started, or gone */
	int first, n;	    /* ranks of its PEs */
	struct stream s[2]; /* output and error, where they are captured */
	int file[2];	    /* of --output-dir; else -1 */
};

/* The terminal, passed on to process 0 through a pipe; see run_stdin.c. */
struct typed {
	int fd; /* write end; -1 where process 0 has the launcher's own input */
	char buf[4096];
	size_t len;
};

struct job {
	const struct run_opts *o;
	unsigned char uid[MORI_SHMEM_UNIQUE_ID_BYTES]; /* of the rendezvous */
	struct proc *procs;
	int n_procs, n_alive;
	int signal_fd;
	sigset_t old_mask;	 /* of the launcher, for the processes */
	struct rlimit old_files; /* likewise */
	int ignores_pipe;	 /* SIGPIPE was ignored when the launcher started */
	int keeper;		 /* pipe to the keeper */
	pid_t keeper_pid;
	pid_t *born_before; /* children the launcher had when it started, 0 at the end */
	struct typed typed;
	int code;	 /* exit code: of the first failure */
	int failed;	 /* there was one: later ones are its consequence */
	int interrupted; /* the signal that was passed on to end the job; 0: none */
	int notes;	 /* where PEs tell; run_notes.c */
	char notes_name[64];
	int64_t again_at; /* from then on @interrupted once more is a second signal */
	int abandoned;	  /* by a second signal: output no longer matters */
	int child_event;  /* a child may have ended */
	int64_t ends_at, term_at, kill_at; /* by clock_now(); 0: never */
};

/* "PE 3" or "PEs 4-7", and the same for a tag: "3", "4-7". */
const char *run_who(const struct proc *p, char *buf, size_t size);
const char *run_ranks(const struct proc *p, char *buf, size_t size);

/* run_job.c: the job from the first process to the last; the exit code. */
int run_job(struct job *j);
/*
 * Handle what signal_fd has and what is due. Called wherever the launcher waits, so it
 * sends signals and sets flags, and leaves processes and output alone.
 */
void run_serve(struct job *j);
/* Milliseconds until the next deadline, for poll(); -1 for none. */
int run_wait_ms(const struct job *j);
void run_signal_all(const struct job *j, int sig);

/* run_spawn.c: start all processes. An exit code; 0 if all run. */
int run_spawn(struct job *j, char **env, const char *uid);
/* Environment of the job with room for what differs by process; NULL: no memory. */
char **run_env_new(int np);
void run_env_free(char **env);

/* run_limits.c: can so many processes run here? An exit code, with a message. */
int run_check_limits(int n_procs);

/* run_output.c */
int run_output_open(struct job *j, struct proc *p, int fds[2]);
void run_output_close(struct proc *p);
/* Pass on what no line break has followed for a while; milliseconds until the next is due, or @ms. */
int run_output_pause(struct job *j, struct proc *p, int ms);
/* Read what is there and pass whole lines on; at the end of file the rest, and close. */
void run_output_read(struct job *j, struct proc *p, struct stream *s);
/* Until nothing is there any more; the write ends may still be open. */
void run_output_drain(struct job *j, struct proc *p);
/* All is over: what is left goes out, complete line or not. */
void run_output_finish(struct job *j, struct proc *p);

/* run_stdin.c: the fd for process 0 (-1: error). */
int run_stdin_open(struct job *j);
/* Fill in what to poll for; the fd stays -1 where there is nothing to do now. */
void run_stdin_wants(const struct job *j, struct pollfd *p);
/* How long to poll at most, given what was filled in and another limit (-1: none). */
int run_stdin_wait_ms(const struct job *j, const struct pollfd *p, int ms);
void run_stdin_move(struct job *j);
void run_stdin_close(struct job *j);

/* run_notes.c: the socket; the exit code of a job that would have @code. */
int run_notes_open(struct job *j);
int run_notes_end(struct job *j, int code);
void run_notes_close(struct job *j);

/* run_clean.c: nothing is left behind, even if the launcher is killed. */
int run_keeper_start(struct job *j);
void run_keeper_add(struct job *j, pid_t pid);
void run_keeper_drop(struct job *j, pid_t pid);
void run_keeper_stop(struct job *j);
int run_note_children(struct job *j);
void run_kill_leftovers(struct job *j);

#endif
