/*
 * satfilter._core: libsatfilter for Python, in the limited API of 3.11: functions and capsules, no
 * types of its own. It has no policy: what is converted, and how, stands in _arrays.py.
 */
#include "_core.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FILTER "satfilter.filter"
enum { LOOK_MS = 50 }; /* between two looks for signals, each of which takes the GIL */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;      /* of each thread's home */
static atomic_int all_threads; /* that contexts use; 0: all cores */

/* -------------------------------------------------------------------------- contexts */

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The library's progress callback: Ctrl-C cancels the work. Calls that read a filter's files keep
 * Python's lock, and are not busy. */
static int look_for_signals(void *user, double done)
{
    core_home *home = user;
    int64_t now = now_ms();
    (void)done;
    if (!atomic_load(&home->busy) || now - home->looked_ms < LOOK_MS) {
        return 0;
    }
    home->looked_ms = now;
    PyEval_RestoreThread(home->saved);
    int stop = PyErr_CheckSignals();
    home->saved = PyEval_SaveThread();
    return stop;
}

int core_home_open(core_home *home)
{
    memset(home, 0, sizeof *home);
    if (satf_context_create(&home->ctx) ||
        satf_context_set_progress(home->ctx, look_for_signals, home)) {
        core_home_close(home);
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

void core_home_close(core_home *home)
{
    satf_context_destroy(home->ctx);
    home->ctx = NULL;
}

static void home_gone(void *memory)
{
    core_home_close(memory);
    free(memory);
}

static void make_key(void)
{
    pthread_key_create(&key, home_gone);
}

static void *say_busy(void)
{
    PyErr_SetString(PyExc_RuntimeError, "satfilter is at work here: a signal handler or a file's "
                                        "method may not call it meanwhile, nor may two threads "
                                        "run one plan");
    return NULL;
}

core_home *core_here(void)
{
    core_home *home = pthread_getspecific(key);
    if (!home) {
        home = malloc(sizeof *home);
        if (!home || core_home_open(home)) {
            free(home);
            return (core_home *)PyErr_NoMemory();
        }
        pthread_setspecific(key, home);
    }
    if (atomic_load(&home->busy)) {
        return say_busy();
    }
    int threads = atomic_load_explicit(&all_threads, memory_order_relaxed);
    if (home->threads != threads) {
        satf_context_set_threads(home->ctx, threads);
        home->threads = threads;
    }
    return home;
}

int core_enter(core_home *home)
{
    if (atomic_exchange(&home->busy, 1)) {
        say_busy();
        return -1;
    }
    home->looked_ms = now_ms();
    home->saved = PyEval_SaveThread();
    return 0;
}

void core_leave(core_home *home)
{
    PyEval_RestoreThread(home->saved);
    atomic_store(&home->busy, 0);
}

PyObject *core_fail(core_state *state, core_home *home, satf_status status, int samples)
{
    PyObject *type = state->error;
    switch (status) {
    case SATF_INVALID:
    case SATF_DATA:
        type = PyExc_ValueError;
        break;
    case SATF_NO_MEMORY:
        type = PyExc_MemoryError;
        break;
    case SATF_UNSUPPORTED:
        type = samples ? PyExc_TypeError : state->error;
        break;
    case SATF_IO:
        type = PyExc_OSError;
        break;
    default:
        break;
    }
    if (!PyErr_Occurred()) {
        PyObject *words = PyObject_CallFunction(
            state->say, "N", PyUnicode_FromFormat("%s", satf_message(home->ctx)));
        if (words) {
            PyErr_SetObject(type, words);
            Py_DECREF(words);
        }
    }
    return NULL;
}

/* --------------------------------------------------------------------------- filters */

static void filter_gone(PyObject *capsule)
{
    satf_filter_destroy(PyCapsule_GetPointer(capsule, FILTER));
}

int core_to_filter(PyObject *capsule, void *filter)
{
    *(satf_filter **)filter = PyCapsule_GetPointer(capsule, FILTER);
    return *(satf_filter **)filter != NULL;
}

static PyObject *make_filter(PyObject *module, PyObject *text,
                             satf_status (*make)(satf_context *, const char *, satf_filter **))
{
    core_home *home = core_here();
    const char *words = home ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    satf_filter *filter;
    if (!words) {
        return NULL;
    }
    satf_status status = make(home->ctx, words, &filter);
    if (status) {
        return core_fail(PyModule_GetState(module), home, status, 0);
    }
    return PyCapsule_New(filter, FILTER, filter_gone);
}

static PyObject *parse(PyObject *module, PyObject *text)
{
    return make_filter(module, text, satf_filter_parse);
}

static PyObject *create(PyObject *module, PyObject *name)
{
    return make_filter(module, name, satf_filter_create);
}

/* None, or the exception of a status. */
static PyObject *done(PyObject *module, core_home *home, satf_status status)
{
    return status ? core_fail(PyModule_GetState(module), home, status, 0) : Py_NewRef(Py_None);
}

static PyObject *set(PyObject *module, PyObject *args)
{
    core_home *home = core_here();
    satf_filter *filter;
    const char *param, *words;
    if (!home || !PyArg_ParseTuple(args, "O&ss", core_to_filter, &filter, &param, &words)) {
        return NULL;
    }
    return done(module, home, satf_filter_set(home->ctx, filter, param, words));
}

/* (filter, memory of satf_weighted_rects) */
static PyObject *set_rects(PyObject *module, PyObject *args)
{
    core_home *home = core_here();
    satf_filter *filter;
    Py_buffer rects;
    if (!home || !PyArg_ParseTuple(args, "O&y*", core_to_filter, &filter, &rects)) {
        return NULL;
    }
    size_t count = (size_t)rects.len / sizeof(satf_weighted_rect);
    satf_status status = satf_filter_set_rects(home->ctx, filter, rects.buf, count);
    PyBuffer_Release(&rects);
    return done(module, home, status);
}

/* (filter, memory of int64) */
static PyObject *set_order(PyObject *module, PyObject *args)
{
    core_home *home = core_here();
    satf_filter *filter;
    Py_buffer order;
    if (!home || !PyArg_ParseTuple(args, "O&y*", core_to_filter, &filter, &order)) {
        return NULL;
    }
    size_t count = (size_t)order.len / sizeof(int64_t);
    satf_status status = satf_filter_set_order(home->ctx, filter, order.buf, count);
    PyBuffer_Release(&order);
    return done(module, home, status);
}

/* (filter, whether NaN are left out, nodata or None) */
static PyObject *set_missing(PyObject *module, PyObject *args)
{
    core_home *home = core_here();
    satf_filter *filter;
    int omit;
    PyObject *number;
    if (!home || !PyArg_ParseTuple(args, "O&pO", core_to_filter, &filter, &omit, &number)) {
        return NULL;
    }
    double nodata = number == Py_None ? 0 : PyFloat_AsDouble(number);
    if (PyErr_Occurred()) {
        return NULL;
    }
    return done(
        module, home,
        satf_filter_set_missing(home->ctx, filter, omit, number == Py_None ? NULL : &nodata));
}

static PyObject *read_weights(PyObject *module, PyObject *args)
{
    core_home *home = core_here();
    satf_filter *filter;
    PyObject *path;
    if (!home ||
        !PyArg_ParseTuple(args, "O&O&", core_to_filter, &filter, PyUnicode_FSConverter, &path)) {
        return NULL;
    }
    satf_status status = satf_filter_read_weights(home->ctx, filter, PyBytes_AsString(path));
    Py_DECREF(path);
    return done(module, home, status);
}

static PyObject *text(PyObject *module, PyObject *capsule)
{
    satf_filter *filter;
    (void)module;
    if (!core_to_filter(capsule, &filter)) {
        return NULL;
    }
    size_t bytes = satf_filter_print(filter, NULL, 0) + 1;
    char *words = malloc(bytes);
    if (!words) {
        return PyErr_NoMemory();
    }
    satf_filter_print(filter, words, bytes);
    PyObject *string = PyUnicode_FromString(words);
    free(words);
    return string;
}

static PyObject *reach(PyObject *module, PyObject *capsule)
{
    core_home *home = core_here();
    satf_filter *filter;
    int64_t far[4];
    if (!home || !core_to_filter(capsule, &filter)) {
        return NULL;
    }
    satf_status status = satf_filter_reach(home->ctx, filter, far, far + 1, far + 2, far + 3);
    if (status) {
        return core_fail(PyModule_GetState(module), home, status, 0);
    }
    return Py_BuildValue("LLLL", (long long)far[0], (long long)far[1], (long long)far[2],
                         (long long)far[3]);
}

static PyObject *knows_colours(PyObject *module, PyObject *capsule)
{
    satf_filter *filter;
    (void)module;
    return core_to_filter(capsule, &filter) ? PyBool_FromLong(satf_filter_knows_colours(filter))
                                            : NULL;
}

/* ------------------------------------------------------------------------- the table */

static PyObject *params_of(const char *filter)
{
    PyObject *list = PyList_New(0);
    satf_param_info info;
    for (size_t i = 0; list && satf_filter_param(filter, i, &info, sizeof info); i++) {
        PyObject *param =
            Py_BuildValue("(sizsddzsi)", info.name, (int)info.type, info.syntax, info.unit,
                          info.min, info.max, info.default_text, info.help, info.is_value);
        if (!param || PyList_Append(list, param)) {
            Py_CLEAR(list);
        }
        Py_XDECREF(param);
    }
    return list;
}

static PyObject *table(PyObject *module, PyObject *none)
{
    PyObject *list = PyList_New(0);
    satf_filter_info info;
    (void)module;
    (void)none;
    for (size_t i = 0; list && satf_filter_name(i, &info, sizeof info); i++) {
        PyObject *params = params_of(info.name);
        PyObject *filter = params ? Py_BuildValue("(sssiN)", info.name, info.help, info.detail,
                                                  (int)info.kind, params)
                                  : NULL;
        if (!filter || PyList_Append(list, filter)) {
            Py_CLEAR(list);
        }
        Py_XDECREF(filter);
    }
    return list;
}

/* -------------------------------------------------------------------------- settings */

static PyObject *set_threads(PyObject *module, PyObject *count)
{
    int overflow;
    long threads = PyLong_AsLongAndOverflow(count, &overflow);
    (void)module;
    if (threads == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        return PyErr_Format(PyExc_TypeError, "threads: 1 to 1024, or 0 for all cores, not %R",
                            count);
    }
    if (overflow || threads < 0 || threads > 1024) {
        PyErr_SetString(PyExc_ValueError, "threads: 1 to 1024, or 0 for all cores");
        return NULL;
    }
    return PyLong_FromLong(atomic_exchange(&all_threads, (int)threads));
}

static PyObject *type_bytes(PyObject *module, PyObject *type)
{
    (void)module;
    return PyLong_FromSize_t(satf_type_bytes((int)PyLong_AsLong(type)));
}

static PyObject *version(PyObject *module, PyObject *none)
{
    (void)module;
    (void)none;
    return PyUnicode_FromString(satf_version());
}

/* ------------------------------------------------------------------------ the module */

#define FAST(function) (PyCFunction)(void (*)(void)) function
static PyMethodDef methods[] = {
    {"parse", parse, METH_O, NULL},
    {"create", create, METH_O, NULL},
    {"set", set, METH_VARARGS, NULL},
    {"set_rects", set_rects, METH_VARARGS, NULL},
    {"set_order", set_order, METH_VARARGS, NULL},
    {"set_missing", set_missing, METH_VARARGS, NULL},
    {"set_image", core_set_image, METH_VARARGS, NULL},
    {"set_weights", core_set_weights, METH_VARARGS, NULL},
    {"read_weights", read_weights, METH_VARARGS, NULL},
    {"text", text, METH_O, NULL},
    {"reach", reach, METH_O, NULL},
    {"knows_colours", knows_colours, METH_O, NULL},
    {"result", core_result, METH_VARARGS, NULL},
    {"made", core_made, METH_VARARGS, NULL},
    {"run", FAST(core_run), METH_FASTCALL, NULL},
    {"calls", core_calls, METH_NOARGS, NULL},
    {"rect_sums", core_rect_sums, METH_VARARGS, NULL},
    {"rect_stats", core_rect_stats, METH_VARARGS, NULL},
    {"moments", core_moments, METH_VARARGS, NULL},
    {"weigh", core_weigh, METH_VARARGS, NULL},
    {"plan", core_plan, METH_VARARGS, NULL},
    {"plan_run", FAST(core_plan_run), METH_FASTCALL, NULL},
    {"plan_info", core_plan_info, METH_O, NULL},
    {"image_read", core_image_read, METH_VARARGS, NULL},
    {"image_decode", core_image_decode, METH_VARARGS, NULL},
    {"image_wrap", core_image_wrap, METH_VARARGS, NULL},
    {"image_view", core_image_view, METH_O, NULL},
    {"image_range", core_image_range, METH_O, NULL},
    {"image_metadata", core_image_metadata, METH_VARARGS, NULL},
    {"image_set_metadata", core_image_set_metadata, METH_VARARGS, NULL},
    {"image_filter", core_image_filter, METH_VARARGS, NULL},
    {"image_write", core_image_write, METH_VARARGS, NULL},
    {"image_encode", core_image_encode, METH_VARARGS, NULL},
    {"probe", core_probe, METH_VARARGS, NULL},
    {"filter_file", core_filter_file, METH_VARARGS, NULL},
    {"table", table, METH_NOARGS, NULL},
    {"set_threads", set_threads, METH_O, NULL},
    {"type_bytes", type_bytes, METH_O, NULL},
    {"version", version, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static int start(PyObject *module)
{
    core_state *state = PyModule_GetState(module);
    PyObject *numpy = PyImport_ImportModule("numpy");
    PyObject *words = numpy ? PyImport_ImportModule("satfilter._words") : NULL;
    if (!words || pthread_once(&once, make_key)) {
        Py_XDECREF(numpy);
        return -1;
    }
    state->ndarray = PyObject_GetAttrString(numpy, "ndarray");
    state->empty = PyObject_GetAttrString(numpy, "empty");
    state->error = PyErr_NewExceptionWithDoc(
        "satfilter.Error", "The library refused, or could not do, what was asked.", NULL, NULL);
    state->say = PyObject_GetAttrString(words, "say");
    int missing = !state->ndarray || !state->empty || !state->error || !state->say;
    for (int i = 0; !missing && i < CORE_TYPES; i++) {
        state->types[i] = PyObject_CallMethod(numpy, "dtype", "s", core_type_of(i).name);
        missing = !state->types[i];
    }
    Py_DECREF(numpy);
    Py_DECREF(words);
    return missing ? -1 : PyModule_AddObjectRef(module, "Error", state->error);
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
    core_state *state = PyModule_GetState(module);
    Py_VISIT(state->error);
    Py_VISIT(state->ndarray);
    Py_VISIT(state->empty);
    Py_VISIT(state->say);
    for (int i = 0; i < CORE_TYPES; i++) {
        Py_VISIT(state->types[i]);
    }
    return 0;
}

static int clear(PyObject *module)
{
    core_state *state = PyModule_GetState(module);
    Py_CLEAR(state->error);
    Py_CLEAR(state->ndarray);
    Py_CLEAR(state->empty);
    Py_CLEAR(state->say);
    for (int i = 0; i < CORE_TYPES; i++) {
        Py_CLEAR(state->types[i]);
    }
    return 0;
}

static void module_gone(void *module)
{
    clear(module);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)start},
#ifdef Py_MOD_GIL_NOT_USED /* 3.15 has Py_mod_gil for every limited API */
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "satfilter._core",
    NULL,
    sizeof(core_state),
    methods,
    slots,
    traverse,
    clear,
    module_gone,
};

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&definition);
}
