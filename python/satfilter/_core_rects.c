/* Sums over rectangles by summed area tables. */
#include "_core.h"

/* Where a call's results go, and how many bytes there are. */
typedef struct room {
    const satf_rect *rects;
    size_t count;
    Py_buffer memory, out[2];
} room;

static void release(room *r)
{
    PyBuffer_Release(&r->memory);
    PyBuffer_Release(&r->out[0]);
    PyBuffer_Release(&r->out[1]);
}

/* Whether each result has so many bytes a rectangle and channel. */
static int fits(const room *r, const satf_view *table, size_t bytes, int results)
{
    size_t wanted = r->count * bytes * (size_t)table->channels;
    for (int i = 0; i < results; i++) {
        if ((size_t)r->out[i].len < wanted) {
            PyErr_SetString(PyExc_ValueError, "there is no room for the results");
            return 0;
        }
    }
    return 1;
}

static void measure(room *r)
{
    r->rects = r->memory.buf;
    r->count = (size_t)r->memory.len / sizeof(satf_rect);
}

/* None, or the exception of what failed. */
static PyObject *done(PyObject *module, core_home *home, satf_status status)
{
    return status || PyErr_Occurred() ? core_fail(PyModule_GetState(module), home, status, 1)
                                      : Py_NewRef(Py_None);
}

/* (table, memory of satf_rects, memory for the sums, channels) */
PyObject *core_rect_sums(PyObject *module, PyObject *args)
{
    core_home *home = core_here();
    PyObject *table, *result = NULL;
    room r = {0};
    core_layout layout = {0};
    core_array array;
    if (!home ||
        !PyArg_ParseTuple(args, "Oy*w*i", &table, &r.memory, &r.out[0], &layout.channels)) {
        return NULL;
    }
    measure(&r);
    if (!core_array_open(PyModule_GetState(module), table, &layout, 0, &array)) {
        const satf_view *v = &array.view;
        if (fits(&r, v, satf_type_bytes(v->type), 1) && !core_enter(home)) {
            satf_status status = satf_rect_sums(home->ctx, v, r.rects, r.count, r.out[0].buf);
            core_leave(home);
            result = done(module, home, status);
        }
        core_array_close(&array);
    }
    release(&r);
    return result;
}

/* (table, table of squares, memory of satf_rects, of float64 for means, for variances, channels) */
PyObject *core_rect_stats(PyObject *module, PyObject *args)
{
    core_state *state = PyModule_GetState(module);
    core_home *home = core_here();
    PyObject *table, *squares, *result = NULL;
    room r = {0};
    core_layout layout = {0};
    core_array array, squared;
    if (!home || !PyArg_ParseTuple(args, "OOy*w*w*i", &table, &squares, &r.memory, &r.out[0],
                                   &r.out[1], &layout.channels)) {
        return NULL;
    }
    measure(&r);
    if (!core_array_open(state, table, &layout, 0, &array)) {
        if (!core_array_open(state, squares, &layout, 0, &squared)) {
            if (fits(&r, &array.view, sizeof(double), 2) && !core_enter(home)) {
                satf_status status = satf_rect_stats(home->ctx, &array.view, &squared.view, r.rects,
                                                     r.count, 0, 0, r.out[0].buf, r.out[1].buf);
                core_leave(home);
                result = done(module, home, status);
            }
            core_array_close(&squared);
        }
        core_array_close(&array);
    }
    release(&r);
    return result;
}
