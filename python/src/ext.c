// SPDX-License-Identifier: MIT
/*
 * The module mori._shmem itself, and what its calls share: exceptions, the GIL, and
 * how Python objects name memory.
 */
#include "ext.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* While a call waits: run Python's signal handlers, one of which may raise. */
static int ask_python(void *arg)
{
	struct released *r = arg;

	PyEval_RestoreThread(r->thread);
	r->interrupted = PyErr_CheckSignals() != 0;
	r->thread = PyEval_SaveThread();
	return r->interrupted;
}

/* Called instead of writing to standard error; without the GIL. */
static void hear(void *arg, const char *text)
{
	struct released *r = arg;
	char *all = NULL;

	if (asprintf(&all, "%s%s%s", r->unseen ? r->unseen : "", r->unseen ? "; " : "", text) < 0)
		return;
	free(r->unseen);
	r->unseen = all;
}

/* Raises the line as a warning: 0, or -1 if it is an exception. */
static int warn(struct released *r)
{
	PyObject *module = PyImport_ImportModule("mori._errors");
	PyObject *done = module ? PyObject_CallMethod(module, "warn_unseen", "s", r->unseen) : NULL;
	int bad = !done;

	Py_XDECREF(done);
	Py_XDECREF(module);
	free(r->unseen);
	r->unseen = NULL;
	return bad ? -1 : 0;
}

/* Whether this thread is the process's first; cached, because the query costs two system calls. */
static __thread enum { UNKNOWN, FIRST, OTHER } which_thread;

/* The thread that forks is the first one of the child. */
static void ask_again(void)
{
	which_thread = UNKNOWN;
}

void gil_release(struct released *r)
{
	r->interrupted = 0;
	r->unseen = NULL;
	if (which_thread == UNKNOWN)
		which_thread = gettid() == getpid() ? FIRST : OTHER;
	/* Python runs signal handlers only in the main thread. */
	r->asks = which_thread == FIRST;
	r->thread = PyEval_SaveThread();
	if (r->asks)
		mori_shmem_on_wait(ask_python, r);
	mori_shmem_on_fault(hear, r);
}

/* Add the state of the job to the exception, usually a KeyboardInterrupt. */
static void note_abort(void)
{
	PyObject *type, *value, *trace, *done = NULL;

	PyErr_Fetch(&type, &value, &trace);
	PyErr_NormalizeException(&type, &value, &trace);
	if (value)
		done = PyObject_CallMethod(
			value, "add_note", "s",
			"mori: a call that waited for other PEs was interrupted; the "
			"job is ended on all PEs, only shmem_finalize() is left");
	Py_XDECREF(done);
	PyErr_Clear();
	PyErr_Restore(type, value, trace);
}

int gil_take(struct released *r)
{
	if (r->asks)
		mori_shmem_on_wait(NULL, NULL);
	mori_shmem_on_fault(NULL, NULL);
	PyEval_RestoreThread(r->thread);
	if (r->interrupted)
		note_abort();
	if (!r->unseen || r->interrupted) {
		free(r->unseen);
		return r->interrupted ? -1 : 0;
	}
	return warn(r);
}

/* Set the exception of that name in mori._errors. */
static PyObject *raise_named(const char *name, int status, const char *text)
{
	PyObject *module = PyImport_ImportModule("mori._errors");
	PyObject *type = module ? PyObject_GetAttrString(module, name) : NULL;
	PyObject *words = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
	PyObject *args = type && words ? Py_BuildValue("(iO)", status, words) : NULL;

	if (args)
		PyErr_SetObject(type, args);
	Py_XDECREF(args);
	Py_XDECREF(words);
	Py_XDECREF(type);
	Py_XDECREF(module);
	return NULL;
}

/* The library's text with the names that its calls have in Python. */
PyObject *raise_status(int status)
{
	const char *text = mori_shmem_last_error();
	PyObject *module = PyImport_ImportModule("mori._errors");
	PyObject *error =
		module ? PyObject_CallMethod(module, "library_error", "iy", status, text) : NULL;

	if (error)
		PyErr_SetObject((PyObject *)Py_TYPE(error), error);
	Py_XDECREF(error);
	Py_XDECREF(module);
	return NULL;
}

PyObject *raise_argument(int is_type, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return raise_named(is_type ? "ShmemTypeError" : "ShmemValueError", MORI_SHMEM_EINVAL, text);
}

PyObject *none_or_raise(int status)
{
	if (status < 0)
		return raise_status(status);
	Py_RETURN_NONE;
}

/* An integer, as it is or as data_ptr() of a tensor. */
static int address_number(PyObject *obj, const char *name, void **out)
{
	PyObject *number = PyNumber_Index(obj);
	unsigned long long at = number ? PyLong_AsUnsignedLongLong(number) : 0;

	Py_XDECREF(number);
	if (PyErr_Occurred()) {
		PyErr_Clear();
		raise_argument(0, "%s is not an address: 0 to 2**64 - 1", name);
		return -1;
	}
	*out = (void *)(uintptr_t)at;
	return 0;
}

static int memory_of_buffer(PyObject *obj, const char *name, int writable, struct memory_arg *out)
{
	if (PyObject_GetBuffer(obj, &out->view, writable ? PyBUF_WRITABLE : PyBUF_SIMPLE)) {
		PyErr_Clear();
		out->view.obj = NULL;
		raise_argument(1,
			       "%s is not memory: pass an address, a tensor, or an object with "
			       "a%s contiguous buffer",
			       name, writable ? " writable," : "");
		return -1;
	}
	out->address = out->view.buf;
	out->bytes = out->view.len;
	return 0;
}

/* 1 or 0; -1 with an exception. An object without such a method is contiguous. */
static int is_contiguous(PyObject *obj)
{
	PyObject *answer;
	int yes;

	if (!PyObject_HasAttrString(obj, "is_contiguous"))
		return 1;
	answer = PyObject_CallMethod(obj, "is_contiguous", NULL);
	yes = answer ? PyObject_IsTrue(answer) : -1;
	Py_XDECREF(answer);
	return yes;
}

static int memory_of_tensor(PyObject *obj, const char *name, struct memory_arg *out)
{
	PyObject *number, *bytes;
	int bad, yes = is_contiguous(obj);

	if (yes <= 0) {
		if (!yes)
			raise_argument(
				0, "%s is a tensor that is not contiguous; pass a contiguous one",
				name);
		return -1;
	}
	number = PyObject_CallMethod(obj, "data_ptr", NULL);
	if (!number)
		return -1;
	bad = address_number(number, name, &out->address);
	Py_DECREF(number);
	bytes = bad ? NULL : PyObject_GetAttrString(obj, "nbytes");
	if (bytes)
		out->bytes = PyLong_AsSsize_t(bytes);
	Py_XDECREF(bytes);
	if (!bad)
		PyErr_Clear(); /* an unknown size is not checked */
	return bad;
}

int memory_of(PyObject *obj, const char *name, int writable, struct memory_arg *out)
{
	out->view.obj = NULL;
	out->address = NULL;
	out->bytes = -1;
	if (obj == Py_None)
		return 0;
	if (PyLong_Check(obj)) /* first: looking for a method takes longer than a call */
		return address_number(obj, name, &out->address);
	if (PyObject_HasAttrString(obj, "data_ptr"))
		return memory_of_tensor(obj, name, out);
	/* A number, but no array of numpy's, which is one, too, as far as types go. */
	if (PyIndex_Check(obj) && !PyObject_HasAttrString(obj, "__setitem__"))
		return address_number(obj, name, &out->address);
	return memory_of_buffer(obj, name, writable, out);
}

static int add_constants(PyObject *module)
{
	static const struct {
		const char *name;
		long value;
	} numbers[] = {
#define NUMBER(name) { #name, name }
		NUMBER(MORI_SHMEM_UNIQUE_ID_BYTES),
		NUMBER(MORI_SHMEM_INIT_WITH_MPI_COMM),
		NUMBER(MORI_SHMEM_INIT_WITH_UNIQUEID),
		NUMBER(MORI_SHMEM_MALLOC_DEFAULT),
		NUMBER(MORI_SHMEM_MALLOC_UNCACHED),
		NUMBER(MORI_SHMEM_MALLOC_ZERO),
		NUMBER(MORI_SHMEM_SIGNAL_SET),
		NUMBER(MORI_SHMEM_SIGNAL_ADD),
		NUMBER(MORI_SHMEM_CMP_EQ),
		NUMBER(MORI_SHMEM_CMP_NE),
		NUMBER(MORI_SHMEM_CMP_GT),
		NUMBER(MORI_SHMEM_CMP_GE),
		NUMBER(MORI_SHMEM_CMP_LT),
		NUMBER(MORI_SHMEM_CMP_LE),
		NUMBER(MORI_SHMEM_AMO_INC),
		NUMBER(MORI_SHMEM_AMO_SET),
		NUMBER(MORI_SHMEM_AMO_ADD),
		NUMBER(MORI_SHMEM_AMO_AND),
		NUMBER(MORI_SHMEM_AMO_OR),
		NUMBER(MORI_SHMEM_AMO_XOR),
		NUMBER(MORI_SHMEM_AMO_FETCH),
		NUMBER(MORI_SHMEM_AMO_FETCH_INC),
		NUMBER(MORI_SHMEM_AMO_FETCH_ADD),
		NUMBER(MORI_SHMEM_AMO_FETCH_AND),
		NUMBER(MORI_SHMEM_AMO_FETCH_OR),
		NUMBER(MORI_SHMEM_AMO_FETCH_XOR),
		NUMBER(MORI_SHMEM_AMO_SWAP),
		NUMBER(MORI_SHMEM_AMO_COMPARE_SWAP),
		NUMBER(MORI_SHMEM_EINVAL),
		NUMBER(MORI_SHMEM_ENOMEM),
		NUMBER(MORI_SHMEM_ENOENT),
		NUMBER(MORI_SHMEM_EPEER),
		NUMBER(MORI_SHMEM_ETIMEDOUT),
		NUMBER(MORI_SHMEM_EMISMATCH),
		NUMBER(MORI_SHMEM_EFAULT),
		NUMBER(MORI_SHMEM_ENOTSUP),
		NUMBER(MORI_SHMEM_EABI),
		NUMBER(MORI_SHMEM_ESTATE),
		NUMBER(MORI_SHMEM_EREACH),
		NUMBER(MORI_SHMEM_EIO),
#undef NUMBER
	};
	PyObject *all = PyDict_New();
	int bad = !all;

	for (size_t i = 0; !bad && i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		PyObject *value = PyLong_FromLong(numbers[i].value);

		bad = !value || PyDict_SetItemString(all, numbers[i].name, value);
		Py_XDECREF(value);
	}
	if (!bad)
		bad = PyModule_AddObjectRef(module, "constants", all);
	Py_XDECREF(all);
	return bad ? -1 : 0;
}

static int module_ready(PyObject *module)
{
	if (pthread_atfork(NULL, NULL, ask_again)) {
		PyErr_NoMemory();
		return -1;
	}
	if (op_ready(module) || add_constants(module) ||
	    PyModule_AddStringConstant(module, "__version__", MORI_VERSION) ||
	    memory_ready(module) || PyModule_AddFunctions(module, host_methods) ||
	    PyModule_AddFunctions(module, kernel_methods))
		return -1;
	return 0;
}

static PyModuleDef_Slot module_slots[] = {
	{ Py_mod_exec, (void *)module_ready },
	{ 0, NULL },
};

static struct PyModuleDef module_def = {
	.m_base = PyModuleDef_HEAD_INIT,
	.m_name = "mori._shmem",
	.m_doc = "The library, as it is; mori.shmem is what programs use.",
	.m_slots = module_slots,
};

PyMODINIT_FUNC PyInit__shmem(void);
PyMODINIT_FUNC PyInit__shmem(void)
{
	return PyModuleDef_Init(&module_def);
}
