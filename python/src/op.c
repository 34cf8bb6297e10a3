// SPDX-License-Identifier: MIT
/*
 * mori._shmem.ops: every operation of the list and every plain host call, by its name without
 * mori_shmem_. One Python type serves them all: an instance holds a row of the table
 * that mori-bind makes, turns Python's arguments into an array of values by it, and
 * calls the library with the GIL released.
 */
#include "ext.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGS_MAX 20 /* values; mori-bind refuses more parameters than fit */

union value {
	int64_t i;
	uint64_t u;
	double d;
	void *p;
	const void *s;
};

enum op_arg_kind { ARG_INT = 1, ARG_REAL, ARG_POINTER, ARG_CONST_POINTER, ARG_OBJECT };
enum op_ret_kind { RET_STATUS, RET_INT, RET_REAL, RET_POINTER, RET_TEXT };

struct op_arg {
	const char *name, *type;
	enum op_arg_kind kind;
	unsigned size; /* of an integer, or of what is pointed at; 0: not memory */
	int is_signed;
	char element; /* behind a pointer: i integer, f real, 0 of any type */
};

struct op {
	const char *name, *family, *returns;
	void (*run)(const union value *v, union value *r);
	const struct op_arg *args;
	int n;
	enum op_ret_kind ret;
	int ret_signed;
};

#define IS_SIGNED(type) ((type) - 1 < (type)1)

#include "ops.inc"

#define N_OPS (sizeof(ops) / sizeof(ops[0]))

struct op_object {
	PyObject_HEAD const struct op *op;
};

/* The arguments of one call on their way to the library. */
struct op_call {
	union value v[ARGS_MAX];
	int n;
	struct memory_arg memory[ARGS_MAX]; /* by argument; held until the call is over */
	uint64_t count;			    /* elements that the call moves or looks at */
};

static int take_int(const struct op *op, const struct op_arg *a, PyObject *obj, union value *out)
{
	PyObject *number = PyNumber_Index(obj);
	long long most = a->size < 8 ? (1LL << (8 * a->size - !!a->is_signed)) - 1 : INT64_MAX;
	long long least = a->is_signed ? -most - 1 : 0;
	int overflow = 0;

	if (!number) {
		PyErr_Clear();
		raise_argument(1, "%s: %s is not an integer (%s)", op->name, a->name, a->type);
		return -1;
	}
	out->i = PyLong_AsLongLongAndOverflow(number, &overflow);
	if (overflow > 0 && a->size == 8 && !a->is_signed) {
		out->u = PyLong_AsUnsignedLongLong(number);
		overflow = PyErr_Occurred() != NULL;
		PyErr_Clear();
	} else if (!overflow && (out->i > most || out->i < least)) {
		overflow = 1;
	}
	Py_DECREF(number);
	if (!overflow)
		return 0;
	raise_argument(0, "%s: %s does not fit its type, %s", op->name, a->name, a->type);
	return -1;
}

/* (address, size, kind), as shmem_query_memobj() gives it. */
static int take_object(const struct op *op, const struct op_arg *a, PyObject *obj, union value *out)
{
	PyObject *items = PySequence_Tuple(obj);

	if (items && PyTuple_Size(items) == 3) {
		for (int i = 0; i < 3; i++)
			out[i].u = PyLong_AsUnsignedLongLong(PyTuple_GetItem(items, i));
	}
	if (items && PyTuple_Size(items) == 3 && !PyErr_Occurred()) {
		Py_DECREF(items);
		return 0;
	}
	PyErr_Clear();
	Py_XDECREF(items);
	raise_argument(1, "%s: %s is not what shmem_query_memobj() gives: three integers", op->name,
		       a->name);
	return -1;
}

/* What the elements of a dtype are: as op_arg.element, x for other types; 0 if not known. */
static char element_of(const char *dtype, unsigned long *bits)
{
	static const struct {
		const char *name;
		char element;
	} kinds[] = { { "uint", 'i' },	 { "int", 'i' },     { "float", 'f' },
		      { "bfloat", 'x' }, { "complex", 'x' }, { "bool", 'i' } };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t len = strlen(kinds[i].name);
		char *end;

		if (strncmp(dtype, kinds[i].name, len))
			continue;
		*bits = strtoul(dtype + len, &end, 10);
		if (!strcmp(dtype, "bool"))
			*bits = 8;
		return kinds[i].element == 'f' && (*end || *bits < 32) ? 'x' : kinds[i].element;
	}
	return 0;
}

/* A tensor or an array must have elements as the call has them, or plain bytes. */
static int check_dtype(const struct op *op, const struct op_arg *a, PyObject *obj)
{
	PyObject *dtype, *text;
	const char *name = NULL, *dot;
	unsigned long bits = 0;
	char element;
	int bad = 0;

	if (!a->element || PyLong_Check(obj) || !PyObject_HasAttrString(obj, "dtype"))
		return 0;
	dtype = PyObject_GetAttrString(obj, "dtype");
	text = dtype ? PyObject_Str(dtype) : NULL;
	if (text)
		name = PyUnicode_AsUTF8AndSize(text, NULL);
	dot = name ? strrchr(name, '.') : NULL;
	if (dot) /* torch.int64 */
		name = dot + 1;
	element = name && strcmp(name, "uint8") ? element_of(name, &bits) : 0;
	if (element)
		bad = bits != 8UL * a->size ||
		      (element != a->element && (element != 'x' || a->element != 'i'));
	if (bad)
		raise_argument(1, "%s: %s has elements of %s, and the call takes %s", op->name,
			       a->name, name, a->type);
	Py_XDECREF(text);
	Py_XDECREF(dtype);
	return bad || !name ? -1 : 0;
}

static int take_arg(struct op_call *c, const struct op *op, const struct op_arg *a, PyObject *obj)
{
	struct memory_arg *memory = &c->memory[a - op->args];
	union value *out = &c->v[c->n];

	c->n += a->kind == ARG_OBJECT ? 3 : 1;
	switch (a->kind) {
	case ARG_INT:
		return take_int(op, a, obj, out);
	case ARG_REAL:
		out->d = PyFloat_AsDouble(obj);
		if (!PyErr_Occurred())
			return 0;
		PyErr_Clear();
		raise_argument(1, "%s: %s is not a number (%s)", op->name, a->name, a->type);
		return -1;
	case ARG_OBJECT:
		return take_object(op, a, obj, out);
	case ARG_POINTER:
	case ARG_CONST_POINTER:
		if (memory_of(obj, a->name, a->kind == ARG_POINTER, memory))
			return -1;
		out->p = memory->address;
		return check_dtype(op, a, obj);
	}
	return -1;
}

static int is_count(const struct op_arg *a)
{
	return !strcmp(a->name, "bytes") || !strcmp(a->name, "nelems") || !strcmp(a->name, "n");
}

static void raise_room(const struct op *op, const struct op_arg *a, Py_ssize_t has, uint64_t needs)
{
	char of[32] = "bytes";

	if (a->size > 1)
		snprintf(of, sizeof(of), "elements of %u bytes", a->size);
	raise_argument(0, "%s: %s has %zd bytes, and the call needs %llu %s", op->name, a->name,
		       has, (unsigned long long)needs, of);
}

/* Memory whose size is known must have room for what the call moves. */
static int check_room(const struct op_call *c, const struct op *op)
{
	for (int i = 0; i < op->n; i++) {
		const struct op_arg *a = &op->args[i];
		uint64_t elements = strcmp(a->name, "sig") ? c->count : 1;

		if ((a->kind != ARG_POINTER && a->kind != ARG_CONST_POINTER) || !a->size ||
		    c->memory[i].bytes < 0)
			continue;
		if (elements > INT64_MAX / a->size ||
		    elements * a->size > (uint64_t)c->memory[i].bytes) {
			raise_room(op, a, c->memory[i].bytes, elements);
			return -1;
		}
	}
	return 0;
}

static PyObject *arg_names(const struct op *op)
{
	PyObject *all = PyTuple_New(op->n);

	for (int i = 0; all && i < op->n; i++) {
		PyObject *one = PyUnicode_FromString(op->args[i].name);

		if (!one || PyTuple_SetItem(all, i, one)) {
			Py_DECREF(all);
			all = NULL;
		}
	}
	return all;
}

/* What is wrong with the arguments of a call, of which some are missing or unknown. */
static int raise_arguments(const struct op *op, Py_ssize_t n_pos, PyObject *kwargs)
{
	PyObject *module = PyImport_ImportModule("mori._errors");
	PyObject *names = module ? arg_names(op) : NULL;
	PyObject *error = NULL;

	if (names)
		error = PyObject_CallMethod(module, "wrong_arguments", "sOnO", op->name, names,
					    n_pos, kwargs ? kwargs : Py_None);
	if (error)
		PyErr_SetObject((PyObject *)Py_TYPE(error), error);
	Py_XDECREF(error);
	Py_XDECREF(names);
	Py_XDECREF(module);
	return -1;
}

/* By position, then by name; there are no defaults. */
static int take_args(struct op_call *c, const struct op *op, PyObject *args, PyObject *kwargs)
{
	Py_ssize_t n_pos = PyTuple_Size(args), n_names = kwargs ? PyDict_Size(kwargs) : 0;

	if (n_pos + n_names != op->n)
		return raise_arguments(op, n_pos, kwargs);
	for (int i = 0; i < op->n; i++) {
		const struct op_arg *a = &op->args[i];
		PyObject *obj = i < n_pos ? PyTuple_GetItem(args, i) :
					    PyDict_GetItemString(kwargs, a->name);

		if (!obj)
			return raise_arguments(op, n_pos, kwargs);
		if (take_arg(c, op, a, obj))
			return -1;
		if (is_count(a))
			c->count = c->v[c->n - 1].u;
	}
	return check_room(c, op);
}

/* The status with which the call has failed; 0 if it has not. */
static int failure(const struct op *op, union value r)
{
	if (op->ret == RET_STATUS)
		return r.i < 0 ? (int)r.i : 0;
	return op->ret != RET_TEXT || !r.s ? mori_shmem_take_error() : 0;
}

static PyObject *give_result(const struct op *op, union value r)
{
	switch (op->ret) {
	case RET_STATUS:
		return PyLong_FromLongLong(r.i);
	case RET_INT:
		return op->ret_signed ? PyLong_FromLongLong(r.i) : PyLong_FromUnsignedLongLong(r.u);
	case RET_REAL:
		return PyFloat_FromDouble(r.d);
	case RET_POINTER:
		return PyLong_FromUnsignedLongLong(r.u);
	case RET_TEXT:
		if (!r.s)
			Py_RETURN_NONE;
		return PyUnicode_DecodeUTF8(r.s, (Py_ssize_t)strlen(r.s), "replace");
	}
	return NULL;
}

/* @tell: a call that succeeds tells of failures in kernels before it. */
static PyObject *op_run(const struct op *op, PyObject *args, PyObject *kwargs, int tell)
{
	struct op_call call;
	struct released gil;
	union value result = { 0 };
	int bad, failed = 0;

	call.n = 0;
	call.count = 1;
	for (int i = 0; i < op->n; i++)
		call.memory[i].view.obj = NULL;
	bad = take_args(&call, op, args, kwargs);
	if (!bad) {
		gil_release(&gil);
		mori_shmem_take_error();
		op->run(call.v, &result);
		failed = failure(op, result);
		if (!failed && tell)
			failed = mori_shmem_tell();
		bad = gil_take(&gil);
	}
	for (int i = 0; i < op->n; i++) {
		if (call.memory[i].view.obj)
			PyBuffer_Release(&call.memory[i].view);
	}
	if (bad)
		return NULL;
	return failed ? raise_status(failed) : give_result(op, result);
}

static PyObject *op_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
	return op_run(((struct op_object *)self)->op, args, kwargs, 1);
}

/* For kernels that Triton interprets, which have nobody to tell. */
static PyObject *op_silent(PyObject *self, PyObject *args)
{
	return op_run(((struct op_object *)self)->op, args, NULL, 0);
}

static PyObject *op_get_doc(PyObject *self, void *unused)
{
	const struct op *op = ((struct op_object *)self)->op;
	PyObject *doc = PyUnicode_FromFormat("%s(", op->name);

	(void)unused;
	for (int i = 0; doc && i < op->n; i++) {
		const struct op_arg *a = &op->args[i];
		PyObject *more =
			PyUnicode_FromFormat("%U%s%s: %s", doc, i ? ", " : "", a->name, a->type);

		Py_DECREF(doc);
		doc = more;
	}
	if (doc) {
		PyObject *more = PyUnicode_FromFormat(
			"%U) -> %s\n\nmori_shmem_%s() of <mori/shmem.h>, family %s; "
			"a failure raises mori.ShmemError.",
			doc, op->returns, op->name, op->family);

		Py_DECREF(doc);
		doc = more;
	}
	return doc;
}

static PyObject *op_get_text(PyObject *self, void *which)
{
	const struct op *op = ((struct op_object *)self)->op;
	const char *const texts[] = { op->name, op->family, op->returns };

	return PyUnicode_FromString(texts[(size_t)which]);
}

static PyObject *op_get_args(PyObject *self, void *unused)
{
	const struct op *op = ((struct op_object *)self)->op;
	PyObject *all = PyTuple_New(op->n);

	(void)unused;
	for (int i = 0; all && i < op->n; i++) {
		PyObject *one = Py_BuildValue("(ss)", op->args[i].name, op->args[i].type);

		if (!one || PyTuple_SetItem(all, i, one)) {
			Py_DECREF(all);
			all = NULL;
		}
	}
	return all;
}

/* For inspect.signature(). */
static PyObject *op_get_signature(PyObject *self, void *unused)
{
	PyObject *module = PyImport_ImportModule("mori._ops");
	PyObject *signature = module ? PyObject_CallMethod(module, "signature", "O", self) : NULL;

	(void)unused;
	Py_XDECREF(module);
	return signature;
}

static PyObject *op_repr(PyObject *self)
{
	return PyUnicode_FromFormat("<mori operation %s>", ((struct op_object *)self)->op->name);
}

static void op_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

	release(self);
	Py_DECREF(type);
}

static PyGetSetDef op_getset[] = {
	{ "__doc__", op_get_doc, NULL, NULL, NULL },
	{ "__name__", op_get_text, NULL, "without mori_shmem_", (void *)0 },
	{ "family", op_get_text, NULL, "of operations, as in the manual", (void *)1 },
	{ "returns", op_get_text, NULL, "the type of the result in C", (void *)2 },
	{ "args", op_get_args, NULL, "(name, type in C) of each argument", NULL },
	{ "__signature__", op_get_signature, NULL, NULL, NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyMethodDef op_methods[] = {
	{ "silent", op_silent, METH_VARARGS,
	  SIGNATURE("silent", "$self, /, *args") "the call, which tells of no failures before it" },
	{ NULL, NULL, 0, NULL },
};

static PyType_Slot op_slots[] = {
	{ Py_tp_call, (void *)op_call },       { Py_tp_methods, op_methods },
	{ Py_tp_repr, (void *)op_repr },       { Py_tp_getset, op_getset },
	{ Py_tp_dealloc, (void *)op_dealloc }, { 0, NULL },
};

static PyType_Spec op_spec = {
	.name = "mori._shmem.Op",
	.basicsize = sizeof(struct op_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = op_slots,
};

static PyObject *op_new(PyObject *type, const struct op *op)
{
	allocfunc alloc = (allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc);
	PyObject *self = alloc((PyTypeObject *)type, 0);

	if (self)
		((struct op_object *)self)->op = op;
	return self;
}

int op_ready(PyObject *module)
{
	PyObject *type = PyType_FromSpec(&op_spec), *all = PyDict_New();
	int bad = !type || !all || PyModule_AddObjectRef(module, "Op", type);

	for (size_t i = 0; !bad && i < N_OPS; i++) {
		PyObject *one = op_new(type, &ops[i]);

		bad = !one || PyDict_SetItemString(all, ops[i].name, one);
		Py_XDECREF(one);
	}
	if (!bad)
		bad = PyModule_AddObjectRef(module, "ops", all);
	Py_XDECREF(type);
	Py_XDECREF(all);
	return bad ? -1 : 0;
}
