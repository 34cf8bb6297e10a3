// SPDX-License-Identifier: MIT
/*
 * What the files of the extension module mori._shmem share. It keeps to the limited API of
 * CPython 3.11, so that one build serves that version and all later ones.
 */
#ifndef MORI_PYTHON_EXT_H
#define MORI_PYTHON_EXT_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <mori/shmem.h>

/* Surround a call of the library that may block: the GIL is released in between. */
struct released {
	PyThreadState *thread;
	int asks;	 /* signals are checked while the call waits */
	int interrupted; /* a signal handler has raised: the exception is set */
	char *unseen;	 /* failures in kernels that nobody has checked; NULL: none */
};

void gil_release(struct released *r);
/* 0; -1 if the call was interrupted, or a warning is an error: then return NULL. */
int gil_take(struct released *r);

/* Set mori.ShmemError(@status, the library's text); returns NULL. */
PyObject *raise_status(int status);
/* Set mori.ShmemValueError or, with @is_type, mori.ShmemTypeError: an argument is wrong. */
PyObject *raise_argument(int is_type, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* None for 0; NULL with an exception for another status. */
PyObject *none_or_raise(int status);

/* The memory that an argument names. */
struct memory_arg {
	void *address;
	Py_ssize_t bytes; /* from there on; -1: unknown */
	Py_buffer view;	  /* to be released if view.obj is set */
};

/*
 * An int, None for NULL, anything contiguous with data_ptr(), or an object that has the buffer
 * protocol. 0, or -1 with an exception that begins with @name.
 */
int memory_of(PyObject *obj, const char *name, int writable, struct memory_arg *out);

/* op.c */
int op_ready(PyObject *module);

/* memory.c */
int memory_ready(PyObject *module);

/* The doc of a method of the module, from which inspect.signature() has its parameters. */
#define SIGNATURE(name, params) name "(" params ")\n--\n\n"
/* host.c, kernel.c: methods of the module, up to one without a name */
extern PyMethodDef host_methods[], kernel_methods[];

#endif
