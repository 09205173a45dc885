/* What the files of the extension satfilter._core share. */
#ifndef SATFILTER_PYTHON_CORE_H
#define SATFILTER_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <satfilter.h>
#include <stdatomic.h>
#include <stdint.h>

enum { CORE_AXES = 64 }; /* numpy's limit */

/* A sample type, as numpy and as buffers name it, but that neither knows bfloat16; NULL: there is
 * no such type. */
typedef struct core_type {
    const char *name, *format;
} core_type;
core_type core_type_of(int type);

enum { CORE_TYPES = SATF_BF16 }; /* numpy has those in front of it */

/* What a module object keeps. */
typedef struct core_state {
    PyObject *error;             /* satfilter.Error */
    PyObject *ndarray;           /* numpy.ndarray */
    PyObject *empty;             /* numpy.empty */
    PyObject *say;               /* satfilter._words.say */
    PyObject *types[CORE_TYPES]; /* numpy's dtype of each satf_type */
} core_state;

/* A context, and what its calls need of Python. */
typedef struct core_home {
    satf_context *ctx;
    int threads;          /* that the context was told of */
    atomic_int busy;      /* a call is at work */
    PyThreadState *saved; /* of the call, which has released the GIL */
    int64_t looked_ms;    /* when it last looked for signals */
} core_home;

/* Gives the home a context. -1 with an exception. */
int core_home_open(core_home *home);
void core_home_close(core_home *home);

/* This thread's home, which is made at the first call and goes with the thread. NULL with an
 * exception: there is no memory, or a signal handler calls while the thread's home is at work. */
core_home *core_here(void);

/* Around each call of the library that takes time: the GIL is released, signals are looked for. -1
 * with an exception: the home is at work already. */
int core_enter(core_home *home);
void core_leave(core_home *home);

/* Sets the exception that says what failed, in Python's words, unless a signal handler has raised
 * one. NULL. samples: SATF_UNSUPPORTED is about an array's samples, a TypeError. */
PyObject *core_fail(core_state *state, core_home *home, satf_status status, int samples);

/* For "O&" of PyArg_ParseTuple(): stores the satf_filter * of a capsule. */
int core_to_filter(PyObject *capsule, void *filter);

/* How an array is to be seen as images. */
typedef struct core_layout {
    int channels;   /* 1: the last axis counts them; 0: there is one */
    uint32_t flags; /* of satf_view */
    double full;    /* likewise */
} core_layout;

/* An array as images: its last axes are rows, columns and perhaps channels; those before count
 * images. */
typedef struct core_array {
    Py_buffer buffer;
    satf_view view; /* of the first image */
    int loops;      /* axes that count images */
    int device;     /* SATF_HOST, or the SATF_CUDA(n) of the samples, and the stream to work on: */
    void *stream;
    Py_ssize_t sizes[2][CORE_AXES]; /* of an array of a device: its shape and strides */
} core_array;

/*
 * Opens an array of numpy, or a tuple that stands for an array of a device, without a copy;
 * core_array_close() releases it. -1 with an exception: BufferError where another array of the same
 * values would do: another class, sample type, byte order or order of axes.
 */
int core_array_open(core_state *state, PyObject *object, const core_layout *layout, int writable,
                    core_array *array);
void core_array_close(core_array *array);

/* Of the above, what a tuple (address, device, stream, satf_type, shape, strides in bytes) says. */
int core_device_open(PyObject *tuple, core_array *array);

/* A file: a path, or an object of Python's whose methods serve as callbacks. */
typedef struct core_file {
    PyObject *name;        /* bytes: the path, or the object's name in messages */
    PyObject *move, *seek; /* the object's read() or write(), NULL: a path; and its seek(), or NULL.
                            * They are the arguments' */
    satf_file_calls calls;
    PyObject *error[3]; /* that a method has raised, or NULL */
} core_file;

/* For "O&" of PyArg_ParseTuple(): a path, or a tuple (name, read or write, seek or None). The file
 * is to be closed with core_file_close(). */
int core_to_input(PyObject *object, void *file);
int core_to_output(PyObject *object, void *file);
void core_file_close(core_file *file);

/* The callbacks; NULL of a path. */
const satf_file_calls *core_file_calls(const core_file *file);

/* After a call of the library: raises what a method has raised, unless there is an exception. */
void core_file_raise(core_file *file);

/* Methods, each described in _core.pyi. */
PyObject *core_result(PyObject *module, PyObject *args);
PyObject *core_made(PyObject *module, PyObject *args);
PyObject *core_run(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_calls(PyObject *module, PyObject *none);
PyObject *core_set_image(PyObject *module, PyObject *args);
PyObject *core_set_weights(PyObject *module, PyObject *args);
PyObject *core_rect_sums(PyObject *module, PyObject *args);
PyObject *core_rect_stats(PyObject *module, PyObject *args);
PyObject *core_moments(PyObject *module, PyObject *args);
PyObject *core_weigh(PyObject *module, PyObject *args);
PyObject *core_plan(PyObject *module, PyObject *args);
PyObject *core_plan_run(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_plan_info(PyObject *module, PyObject *plan);
PyObject *core_image_read(PyObject *module, PyObject *args);
PyObject *core_image_decode(PyObject *module, PyObject *args);
PyObject *core_image_wrap(PyObject *module, PyObject *args);
PyObject *core_image_view(PyObject *module, PyObject *image);
PyObject *core_image_range(PyObject *module, PyObject *image);
PyObject *core_image_metadata(PyObject *module, PyObject *args);
PyObject *core_image_set_metadata(PyObject *module, PyObject *args);
PyObject *core_image_filter(PyObject *module, PyObject *args);
PyObject *core_image_write(PyObject *module, PyObject *args);
PyObject *core_image_encode(PyObject *module, PyObject *args);
PyObject *core_probe(PyObject *module, PyObject *args);
PyObject *core_filter_file(PyObject *module, PyObject *args);

#endif
