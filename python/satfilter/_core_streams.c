/* File objects of Python as the library's callbacks. */
#include "_core.h"
#include <string.h>

/* The end of a callback, which has taken the GIL: the exception of one that fails is kept. */
static int64_t leave(core_file *file, PyGILState_STATE gil, int64_t result)
{
    if (result < 0) {
        PyErr_Fetch(&file->error[0], &file->error[1], &file->error[2]);
    }
    PyGILState_Release(gil);
    return result;
}

/* The number that a method has returned, at least 0; -1 with an exception. */
static int64_t number_of(PyObject *made, const char *method)
{
    int64_t number = PyLong_AsLongLong(made);
    if (PyErr_Occurred()) {
        PyErr_Format(PyExc_TypeError, "%s returned %R, not a number", method, Py_TYPE(made));
    } else if (number < 0) {
        PyErr_Format(PyExc_ValueError, "%s returned %R", method, made);
    }
    return number < 0 ? -1 : number;
}

/* Copies the bytes that read(n) has returned, and returns how many; -1 with an exception. */
static int64_t copy_bytes(PyObject *made, void *data, size_t n)
{
    Py_buffer bytes;
    if (PyObject_GetBuffer(made, &bytes, PyBUF_SIMPLE)) {
        PyErr_Format(PyExc_TypeError, "read() returned %R, not bytes", Py_TYPE(made));
        return -1;
    }
    int64_t got = bytes.len;
    if ((size_t)got <= n) {
        memcpy(data, bytes.buf, (size_t)got);
    } else {
        PyErr_Format(PyExc_ValueError, "read(%zu) returned %zd bytes", n, bytes.len);
        got = -1;
    }
    PyBuffer_Release(&bytes);
    return got;
}

/* On the calling thread an exception of a signal handler may wait: it ends the call. */
static int64_t call_read(void *user, void *data, size_t n)
{
    core_file *file = user;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *made =
        PyErr_Occurred() ? NULL : PyObject_CallFunction(file->move, "n", (Py_ssize_t)n);
    int64_t got = made ? copy_bytes(made, data, n) : -1;
    Py_XDECREF(made);
    return leave(file, gil, got);
}

/* A write() that returns nothing has taken all. */
static int64_t call_write(void *user, const void *data, size_t n)
{
    core_file *file = user;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *made =
        PyErr_Occurred() ? NULL : PyObject_CallFunction(file->move, "y#", data, (Py_ssize_t)n);
    int64_t took = !made ? -1 : made == Py_None ? (int64_t)n : number_of(made, "write()");
    if (took == 0 || (took > 0 && (size_t)took > n)) {
        PyErr_Format(PyExc_ValueError, "write() of %zu bytes returned %R", n, made);
        took = -1;
    }
    Py_XDECREF(made);
    return leave(file, gil, took);
}

static int64_t call_seek(void *user, int64_t offset, int whence)
{
    core_file *file = user;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *made = PyErr_Occurred()
                         ? NULL
                         : PyObject_CallFunction(file->seek, "Li", (long long)offset, whence);
    int64_t at = made ? number_of(made, "seek()") : -1;
    Py_XDECREF(made);
    return leave(file, gil, at);
}

/* Without an object: one that was opened is closed, for another argument is wrong. */
static int to_file(PyObject *object, core_file *file)
{
    if (!object) {
        core_file_close(file);
        return 0;
    }
    PyObject *name = object, *seek = Py_None;
    *file = (core_file){0};
    if ((PyTuple_Check(object) && !PyArg_ParseTuple(object, "OOO", &name, &file->move, &seek)) ||
        !PyUnicode_FSConverter(name, &file->name)) {
        return 0;
    }
    satf_file_calls_init(&file->calls, sizeof file->calls);
    file->calls.user = file;
    if (seek != Py_None) {
        file->seek = seek;
        file->calls.seek = call_seek;
    }
    return Py_CLEANUP_SUPPORTED;
}

int core_to_input(PyObject *object, void *file)
{
    int done = to_file(object, file);
    ((core_file *)file)->calls.read = call_read;
    return done;
}

int core_to_output(PyObject *object, void *file)
{
    int done = to_file(object, file);
    ((core_file *)file)->calls.write = call_write;
    return done;
}

const satf_file_calls *core_file_calls(const core_file *file)
{
    return file->move ? &file->calls : NULL;
}

void core_file_close(core_file *file)
{
    Py_CLEAR(file->name);
    for (int i = 0; i < 3; i++) {
        Py_CLEAR(file->error[i]);
    }
}

void core_file_raise(core_file *file)
{
    if (file->error[0] && !PyErr_Occurred()) {
        PyErr_Restore(file->error[0], file->error[1], file->error[2]);
        memset(file->error, 0, sizeof file->error);
    }
}
