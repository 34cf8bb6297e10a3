// SPDX-License-Identifier: MIT
/*
 * Modules and launches. A module is the integer of its handle; mori.kernel wraps it and
 * turns arguments into bytes, by the parameters that the library reports.
 */
#include "ext.h"

#include <stdlib.h>

static PyObject *module_load(PyObject *self, PyObject *image)
{
	mori_shmem_module_t *module = NULL;
	struct released gil;
	Py_buffer view;
	int err, stop;

	(void)self;
	if (PyObject_GetBuffer(image, &view, PyBUF_SIMPLE))
		return NULL;
	gil_release(&gil);
	err = mori_shmem_module_load(view.buf, (size_t)view.len, &module);
	stop = gil_take(&gil);
	PyBuffer_Release(&view);
	if (stop)
		return NULL;
	return err ? raise_status(err) : PyLong_FromVoidPtr(module);
}

static PyObject *module_kernels(PyObject *self, PyObject *handle)
{
	mori_shmem_module_t *module = PyLong_AsVoidPtr(handle);
	PyObject *names = PyList_New(0);
	const char *name;
	int err = 0;

	(void)self;
	for (size_t i = 0; names && !PyErr_Occurred(); i++) {
		PyObject *one;

		err = mori_shmem_module_kernel(module, i, &name);
		if (err)
			break;
		one = PyUnicode_FromString(name);
		if (one)
			PyList_Append(names, one);
		Py_XDECREF(one);
	}
	if (err == MORI_SHMEM_ENOENT)
		return names;
	Py_XDECREF(names);
	return PyErr_Occurred() ? NULL : raise_status(err);
}

/* [(kind, bytes), ...] */
static PyObject *kernel_params(PyObject *self, PyObject *args)
{
	mori_shmem_param_t *params = NULL;
	mori_shmem_module_t *module;
	PyObject *handle, *list;
	const char *name;
	int n;

	(void)self;
	if (!PyArg_ParseTuple(args, "Os", &handle, &name))
		return NULL;
	module = PyLong_AsVoidPtr(handle);
	if (PyErr_Occurred())
		return NULL;
	n = mori_shmem_kernel_params(module, name, NULL, 0);
	if (n > 0) {
		params = calloc((size_t)n, sizeof(*params));
		if (!params)
			return PyErr_NoMemory();
		params->struct_size = sizeof(*params);
		n = mori_shmem_kernel_params(module, name, params, (size_t)n);
	}
	list = n < 0 ? raise_status(n) : PyList_New(n);
	for (int i = 0; list && i < n; i++) {
		PyObject *one = Py_BuildValue("(II)", params[i].kind, params[i].size);

		if (!one || PyList_SetItem(list, i, one)) {
			Py_DECREF(list);
			list = NULL;
		}
	}
	free(params);
	return list;
}

/* args[i] points to the bytes of the i-th argument; the tuple owns them. */
static void **arg_pointers(PyObject *tuple)
{
	Py_ssize_t n = PyTuple_Size(tuple);
	void **args = calloc((size_t)n + 1, sizeof(*args));

	if (!args) {
		PyErr_NoMemory();
		return NULL;
	}
	for (Py_ssize_t i = 0; i < n; i++) {
		args[i] = PyBytes_AsString(PyTuple_GetItem(tuple, i));
		if (!args[i]) {
			free(args);
			return NULL;
		}
	}
	return args;
}

/* kernel_launch(handle, name, grid, block, shared, args, stream) */
static PyObject *kernel_launch(PyObject *self, PyObject *all)
{
	unsigned grid[3], block[3];
	unsigned long long stream;
	PyObject *handle, *tuple;
	struct released gil;
	mori_shmem_module_t *module;
	Py_ssize_t shared;
	const char *name;
	void **args;
	int err, stop;

	(void)self;
	if (!PyArg_ParseTuple(all, "Os(III)(III)nO!K", &handle, &name, &grid[0], &grid[1], &grid[2],
			      &block[0], &block[1], &block[2], &shared, &PyTuple_Type, &tuple,
			      &stream))
		return NULL;
	module = PyLong_AsVoidPtr(handle);
	args = PyErr_Occurred() ? NULL : arg_pointers(tuple);
	if (!args)
		return NULL;
	gil_release(&gil);
	err = mori_shmem_kernel_launch(module, name, grid, block, (size_t)shared, args,
				       (void *)(uintptr_t)stream);
	stop = gil_take(&gil);
	free(args);
	return stop ? NULL : none_or_raise(err);
}

PyMethodDef kernel_methods[] = {
	{ "module_load", module_load, METH_O, SIGNATURE("module_load", "image, /") },
	{ "module_kernels", module_kernels, METH_O, SIGNATURE("module_kernels", "module, /") },
	{ "kernel_params", kernel_params, METH_VARARGS,
	  SIGNATURE("kernel_params", "module, name, /") },
	{ "kernel_launch", kernel_launch, METH_VARARGS,
	  SIGNATURE("kernel_launch", "module, name, grid, block, shared, args, stream, /") },
	{ NULL, NULL, 0, NULL },
};
