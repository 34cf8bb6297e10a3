// SPDX-License-Identifier: MIT
/*
 * mori._shmem.Memory: a range of symmetric memory that stays readable as long as anything refers to
 * it, even past finalize, and its export by DLPack. It never frees a block of the heap: that is a
 * collective call, which only the user can make.
 */
#include "ext.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Shared by a Memory and its exports; any thread may free an export, without the GIL. */
struct hold {
	atomic_int refs;
	mori_shmem_hold_t *heap;
};

struct memory {
	PyObject_HEAD struct hold *hold;
	void *address;
	Py_ssize_t bytes;
};

/* The structs of DLPack, whose layout is its contract: version 0 and version 1. */
struct dl_tensor {
	void *data;
	int32_t device_type, device_id;
	int32_t ndim;
	uint8_t code, bits;
	uint16_t lanes;
	int64_t *shape, *strides;
	uint64_t byte_offset;
};

struct dl_old {
	struct dl_tensor tensor;
	void *context;
	void (*deleter)(struct dl_old *self);
};

struct dl_new {
	uint32_t major, minor;
	void *context;
	void (*deleter)(struct dl_new *self);
	uint64_t flags;
	struct dl_tensor tensor;
};

/* One allocation: the exported struct, of either version, comes first. */
struct export
{
	union {
		struct dl_old old;
		struct dl_new new;
	};
	struct hold *hold;
	int64_t numbers[]; /* shape, strides */
};

static struct hold *hold_get(struct hold *h)
{
	atomic_fetch_add(&h->refs, 1);
	return h;
}

static void hold_put(struct hold *h)
{
	if (atomic_fetch_sub(&h->refs, 1) > 1)
		return;
	mori_shmem_heap_release(h->heap);
	free(h);
}

static struct hold *hold_new(const void *ptr, Py_ssize_t size)
{
	struct hold *h = malloc(sizeof(*h));
	int err;

	if (!h) {
		PyErr_NoMemory();
		return NULL;
	}
	err = mori_shmem_heap_hold(ptr, (size_t)size, &h->heap);
	if (err) {
		free(h);
		raise_status(err);
		return NULL;
	}
	atomic_init(&h->refs, 1);
	return h;
}

static PyObject *memory_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	struct memory *self;
	unsigned long long at;
	Py_ssize_t bytes;

	(void)kwargs;
	if (!PyArg_ParseTuple(args, "Kn", &at, &bytes))
		return NULL;
	self = (struct memory *)alloc(type, 0);
	if (!self)
		return NULL;
	self->address = (void *)(uintptr_t)at;
	self->hold = hold_new(self->address, bytes);
	if (!self->hold) {
		Py_DECREF(self);
		return NULL;
	}
	self->bytes = bytes;
	return (PyObject *)self;
}

static void memory_dealloc(PyObject *obj)
{
	struct memory *self = (struct memory *)obj;
	PyTypeObject *type = Py_TYPE(obj);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

	if (self->hold)
		hold_put(self->hold);
	release(obj);
	Py_DECREF(type);
}

static void export_free(struct export *e)
{
	hold_put(e->hold);
	free(e);
}

static void old_delete(struct dl_old *self)
{
	export_free((struct export *)self);
}

static void new_delete(struct dl_new *self)
{
	export_free((struct export *)self);
}

/* A consumer renames the capsule and deletes the tensor itself; else the capsule deletes it. */
static void capsule_drop(PyObject *capsule)
{
	if (PyCapsule_IsValid(capsule, "dltensor"))
		export_free(PyCapsule_GetPointer(capsule, "dltensor"));
	else if (PyCapsule_IsValid(capsule, "dltensor_versioned"))
		export_free(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
}

/* The shape as C integers, followed by row-major strides. */
static int fill_shape(struct export *e, PyObject *shape, Py_ssize_t ndim)
{
	int64_t stride = 1;

	for (Py_ssize_t i = 0; i < ndim; i++) {
		e->numbers[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
		if (PyErr_Occurred())
			return -1;
	}
	for (Py_ssize_t i = ndim - 1; i >= 0; i--) {
		e->numbers[ndim + i] = stride;
		stride *= e->numbers[i];
	}
	return 0;
}

/* dlpack(shape, code, bits, device_type, device_id, versioned) -> capsule */
static PyObject *memory_dlpack(PyObject *obj, PyObject *args)
{
	struct memory *self = (struct memory *)obj;
	PyObject *shape, *capsule;
	int code, bits, device, id, versioned;
	struct dl_tensor *t;
	Py_ssize_t ndim;
	struct export *e;

	if (!PyArg_ParseTuple(args, "O!iiiip", &PyTuple_Type, &shape, &code, &bits, &device, &id,
			      &versioned))
		return NULL;
	ndim = PyTuple_Size(shape);
	e = calloc(1, sizeof(*e) + 2 * (size_t)ndim * sizeof(int64_t));
	if (!e)
		return PyErr_NoMemory();
	e->hold = hold_get(self->hold);
	if (fill_shape(e, shape, ndim)) {
		export_free(e);
		return NULL;
	}
	if (versioned) {
		e->new.major = 1;
		e->new.deleter = new_delete;
	} else {
		e->old.deleter = old_delete;
	}
	t = versioned ? &e->new.tensor : &e->old.tensor;
	*t = (struct dl_tensor){ .data = self->address,
				 .device_type = device,
				 .device_id = id,
				 .ndim = (int32_t)ndim,
				 .code = (uint8_t)code,
				 .bits = (uint8_t)bits,
				 .lanes = 1,
				 .shape = e->numbers,
				 .strides = e->numbers + ndim };
	capsule = PyCapsule_New(e, versioned ? "dltensor_versioned" : "dltensor", capsule_drop);
	if (!capsule)
		export_free(e);
	return capsule;
}

static PyObject *memory_ptr(PyObject *obj, void *unused)
{
	(void)unused;
	return PyLong_FromVoidPtr(((struct memory *)obj)->address);
}

static PyObject *memory_nbytes(PyObject *obj, void *unused)
{
	(void)unused;
	return PyLong_FromSsize_t(((struct memory *)obj)->bytes);
}

static PyMethodDef memory_methods[] = {
	{ "_dlpack", memory_dlpack, METH_VARARGS,
	  SIGNATURE("_dlpack", "$self, shape, code, bits, device_type, device_id, versioned, /") },
	{ NULL, NULL, 0, NULL },
};

static PyGetSetDef memory_getset[] = {
	{ "ptr", memory_ptr, NULL, "the address", NULL },
	{ "nbytes", memory_nbytes, NULL, "its size", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot memory_slots[] = {
	{ Py_tp_new, (void *)memory_new },
	{ Py_tp_dealloc, (void *)memory_dealloc },
	{ Py_tp_methods, memory_methods },
	{ Py_tp_getset, memory_getset },
	{ Py_tp_doc,
	  (void *)SIGNATURE(
		  "Memory",
		  "address, nbytes, /") "Symmetric memory at an address, kept readable." },
	{ 0, NULL },
};

static PyType_Spec memory_spec = {
	.name = "mori._shmem.Memory",
	.basicsize = sizeof(struct memory),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.slots = memory_slots,
};

int memory_ready(PyObject *module)
{
	PyObject *type = PyType_FromSpec(&memory_spec);
	int bad = !type || PyModule_AddObjectRef(module, "Memory", type);

	Py_XDECREF(type);
	return bad ? -1 : 0;
}
