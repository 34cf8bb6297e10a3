// SPDX-License-Identifier: MIT
/*
 * The host calls that fill or take a struct. No other call needs code of its own: op.c.
 */
#include "ext.h"

#include <string.h>

static PyObject *get_unique_id(PyObject *self, PyObject *unused)
{
	mori_shmem_uniqueid_t uid;
	struct released gil;
	int err;

	(void)self;
	(void)unused;
	gil_release(&gil);
	err = mori_shmem_get_unique_id(&uid);
	if (gil_take(&gil))
		return NULL;
	if (err)
		return raise_status(err);
	return PyBytes_FromStringAndSize((const char *)uid.bytes, sizeof(uid.bytes));
}

static PyObject *init_attr(PyObject *self, PyObject *args)
{
	mori_shmem_uniqueid_t uid;
	mori_shmem_init_attr_t attr;
	struct released gil;
	unsigned flags;
	int rank, nranks, err;
	Py_buffer id;
	Py_ssize_t len;

	(void)self;
	if (!PyArg_ParseTuple(args, "Iiiy*", &flags, &rank, &nranks, &id))
		return NULL;
	len = id.len;
	if (len == (Py_ssize_t)sizeof(uid.bytes))
		memcpy(uid.bytes, id.buf, sizeof(uid.bytes));
	PyBuffer_Release(&id);
	if (len != (Py_ssize_t)sizeof(uid.bytes))
		return raise_argument(0,
				      "unique_id has %zd bytes; it must be the %zu bytes of "
				      "shmem_get_unique_id()",
				      len, sizeof(uid.bytes));
	gil_release(&gil);
	err = mori_shmem_set_attr_uniqueid_args(rank, nranks, &uid, &attr);
	if (!err)
		err = mori_shmem_init_attr(flags, &attr);
	return gil_take(&gil) ? NULL : none_or_raise(err);
}

static PyObject *heap_info(PyObject *self, PyObject *unused)
{
	mori_shmem_heap_info_t i = { .struct_size = sizeof(i) };
	struct released gil;
	int err;

	(void)self;
	(void)unused;
	gil_release(&gil);
	err = mori_shmem_heap_info(&i);
	if (gil_take(&gil))
		return NULL;
	if (err)
		return raise_status(err);
	return Py_BuildValue("{s:n,s:n,s:n,s:n,s:n,s:n,s:n}", "size", (Py_ssize_t)i.size, "used",
			     (Py_ssize_t)i.used, "free", (Py_ssize_t)i.free, "largest_free",
			     (Py_ssize_t)i.largest_free, "peak", (Py_ssize_t)i.peak, "blocks",
			     (Py_ssize_t)i.blocks, "p2p", (Py_ssize_t)i.p2p);
}

static PyObject *query_memobj(PyObject *self, PyObject *arg)
{
	mori_shmem_memobj_t obj;
	struct memory_arg at;
	int err;

	(void)self;
	if (memory_of(arg, "ptr", 0, &at))
		return NULL;
	err = mori_shmem_query_memobj(at.address, &obj);
	if (at.view.obj)
		PyBuffer_Release(&at.view);
	if (err)
		return raise_status(err);
	return Py_BuildValue("(KKK)", (unsigned long long)obj.addr, (unsigned long long)obj.size,
			     (unsigned long long)obj.kind);
}

static PyObject *check(PyObject *self, PyObject *unused)
{
	mori_shmem_fault_t f = { .struct_size = sizeof(f) };
	int err;

	(void)self;
	(void)unused;
	mori_shmem_take_error();
	err = mori_shmem_check(&f);
	if (err && mori_shmem_take_error() == MORI_SHMEM_ESTATE && !f.code)
		return raise_status(err);
	if (!err)
		Py_RETURN_NONE;
	return Py_BuildValue("{s:i,s:s,s:i,s:s,s:K,s:(iii),s:(iii)}", "code", f.code, "text",
			     mori_shmem_strerror(f.code), "pe", f.pe, "op", f.op, "addr",
			     (unsigned long long)f.addr, "block", f.block[0], f.block[1],
			     f.block[2], "thread", f.thread[0], f.thread[1], f.thread[2]);
}

/* (code, op, pe, addr, (x, y, z)): the program of a kernel that Triton interprets. */
static PyObject *leave_fault(PyObject *self, PyObject *args)
{
	mori_shmem_fault_t f = { .struct_size = sizeof(f) };
	unsigned long long addr;
	const char *op;

	(void)self;
	if (!PyArg_ParseTuple(args, "isiK(iii)", &f.code, &op, &f.pe, &addr, &f.block[0],
			      &f.block[1], &f.block[2]))
		return NULL;
	f.addr = addr;
	strncpy(f.op, op, sizeof(f.op) - 1);
	return none_or_raise(mori_shmem_leave_fault(&f));
}

static PyObject *device_state(PyObject *self, PyObject *unused)
{
	uint64_t ctx;
	int err = mori_shmem_device_state(&ctx);

	(void)self;
	(void)unused;
	return err ? raise_status(err) : PyLong_FromUnsignedLongLong(ctx);
}

/* A row of mori_shmem_info() for the list @arg; a failure leaves the exception set. */
static void info_row(void *arg, const char *section, const char *key, const char *value,
		     const char *note)
{
	PyObject *row;

	if (PyErr_Occurred())
		return;
	row = Py_BuildValue("(zzzz)", section, key, value, note);
	if (row)
		PyList_Append(arg, row);
	Py_XDECREF(row);
}

static PyObject *info(PyObject *self, PyObject *unused)
{
	PyObject *rows = PyList_New(0);
	int err = rows ? mori_shmem_info(info_row, rows) : 0;

	(void)self;
	(void)unused;
	if (!rows || (!err && !PyErr_Occurred()))
		return rows;
	Py_DECREF(rows);
	return PyErr_Occurred() ? NULL : raise_status(err);
}

static PyObject *abort_job(PyObject *self, PyObject *why)
{
	PyObject *text = PyUnicode_AsUTF8String(why);
	struct released gil;
	int err;

	(void)self;
	if (!text)
		return NULL;
	gil_release(&gil);
	err = mori_shmem_abort(PyBytes_AsString(text));
	err = gil_take(&gil) ? 1 : err;
	Py_DECREF(text);
	return err > 0 ? NULL : none_or_raise(err);
}

static PyObject *team_split_strided(PyObject *self, PyObject *args)
{
	mori_shmem_team_t parent, team = MORI_SHMEM_TEAM_INVALID;
	int start, stride, size, err;
	struct released gil;

	(void)self;
	if (!PyArg_ParseTuple(args, "iiii", &parent, &start, &stride, &size))
		return NULL;
	gil_release(&gil);
	err = mori_shmem_team_split_strided(parent, start, stride, size, NULL, 0, &team);
	if (gil_take(&gil))
		return NULL;
	return err ? raise_status(err) : PyLong_FromLong(team);
}

static PyObject *team_split_2d(PyObject *self, PyObject *args)
{
	mori_shmem_team_t parent, x = MORI_SHMEM_TEAM_INVALID, y = MORI_SHMEM_TEAM_INVALID;
	struct released gil;
	int xrange, err;

	(void)self;
	if (!PyArg_ParseTuple(args, "ii", &parent, &xrange))
		return NULL;
	gil_release(&gil);
	err = mori_shmem_team_split_2d(parent, xrange, NULL, 0, &x, NULL, 0, &y);
	if (gil_take(&gil))
		return NULL;
	return err ? raise_status(err) : Py_BuildValue("(ii)", x, y);
}

static PyObject *team_split_list(PyObject *self, PyObject *args)
{
	mori_shmem_team_t parent, team = MORI_SHMEM_TEAM_INVALID;
	PyObject *list, *items = NULL;
	struct released gil;
	int *pes = NULL, n = 0, err = 0;

	(void)self;
	if (PyArg_ParseTuple(args, "iO", &parent, &list))
		items = PySequence_Tuple(list);
	if (items)
		n = (int)PyTuple_Size(items);
	if (items)
		pes = PyMem_Malloc(((size_t)n + 1) * sizeof(*pes));
	if (items && !pes)
		PyErr_NoMemory();
	for (int i = 0; pes && i < n && !PyErr_Occurred(); i++)
		pes[i] = (int)PyLong_AsLong(PyTuple_GetItem(items, i));
	Py_XDECREF(items);
	if (PyErr_Occurred()) {
		PyMem_Free(pes);
		return NULL;
	}
	gil_release(&gil);
	err = mori_shmem_team_split_list(parent, pes, n, &team);
	if (gil_take(&gil))
		err = 1;
	PyMem_Free(pes);
	return err > 0 ? NULL : err ? raise_status(err) : PyLong_FromLong(team);
}

PyMethodDef host_methods[] = {
	{ "team_split_strided", team_split_strided, METH_VARARGS,
	  SIGNATURE("team_split_strided", "parent, start, stride, size, /") },
	{ "team_split_2d", team_split_2d, METH_VARARGS,
	  SIGNATURE("team_split_2d", "parent, xrange, /") },
	{ "team_split_list", team_split_list, METH_VARARGS,
	  SIGNATURE("team_split_list", "parent, pes, /") },
	{ "abort", abort_job, METH_O, SIGNATURE("abort", "why, /") },
	{ "get_unique_id", get_unique_id, METH_NOARGS, SIGNATURE("get_unique_id", "") },
	{ "init_attr", init_attr, METH_VARARGS,
	  SIGNATURE("init_attr", "flags, rank, nranks, unique_id, /") },
	{ "heap_info", heap_info, METH_NOARGS, SIGNATURE("heap_info", "") },
	{ "query_memobj", query_memobj, METH_O, SIGNATURE("query_memobj", "ptr, /") },
	{ "check", check, METH_NOARGS, SIGNATURE("check", "") },
	{ "leave_fault", leave_fault, METH_VARARGS,
	  SIGNATURE("leave_fault", "code, op, pe, addr, program, /") },
	{ "device_state", device_state, METH_NOARGS, SIGNATURE("device_state", "") },
	{ "info", info, METH_NOARGS, SIGNATURE("info", "") },
	{ NULL, NULL, 0, NULL },
};
