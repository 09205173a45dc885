/* Sums over rectangles by summed area tables, and moments over windows. */
#include "_core.h"
#include <string.h>

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
            satf_status status = satf_rect_sums(home->ctx, v, r.rects, r.count, 0, 0, r.out[0].buf);
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

/* ---------------------------------------------------------------------------- moments */

/* The view of image k, counted along the axes in front. */
static satf_view view_at(const core_array *array, int64_t k)
{
    satf_view view = array->view;
    for (int i = array->loops - 1; i >= 0; i--) {
        view.data = (char *)view.data + k % array->buffer.shape[i] * array->buffer.strides[i];
        k /= array->buffer.shape[i];
    }
    return view;
}

/* Both outputs of each image, by one plan. */
static satf_status run_moments(core_home *home, const satf_filter *filter, const core_array *in,
                               const core_array out[2])
{
    satf_plan *plan = NULL;
    satf_view views[2] = {out[0].view, out[1].view};
    satf_status status = satf_plan_create(home->ctx, filter, &in->view, 1, views, 2, &plan);
    int64_t count = 1;
    for (int i = 0; i < in->loops; i++) {
        count *= in->buffer.shape[i];
    }
    for (int64_t k = 0; !status && k < count; k++) {
        satf_view image = view_at(in, k);
        views[0] = view_at(&out[0], k);
        views[1] = view_at(&out[1], k);
        status = satf_plan_run(plan, &image, 1, views, 2);
    }
    satf_plan_destroy(plan);
    return status;
}

/* (filter, image, mean, deviation, channels): the filter is moments, the three have one shape */
PyObject *core_moments(PyObject *module, PyObject *args)
{
    core_state *state = PyModule_GetState(module);
    core_home *home = core_here();
    satf_filter *filter;
    PyObject *objects[3], *result = NULL;
    core_layout layout = {0};
    core_array arrays[3];
    int opened = 0, same = 1;
    if (!home || !PyArg_ParseTuple(args, "O&OOOi", core_to_filter, &filter, &objects[0],
                                   &objects[1], &objects[2], &layout.channels)) {
        return NULL;
    }
    while (opened < 3 &&
           !core_array_open(state, objects[opened], &layout, opened > 0, &arrays[opened])) {
        const Py_buffer *a = &arrays[0].buffer, *b = &arrays[opened++].buffer;
        same = same && a->ndim == b->ndim &&
               memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) == 0;
    }
    if (opened == 3 && !same) {
        PyErr_SetString(PyExc_ValueError, "the image and the results have different shapes");
    } else if (opened == 3 && !core_enter(home)) {
        satf_status status = run_moments(home, filter, &arrays[0], &arrays[1]);
        core_leave(home);
        result = done(module, home, status);
    }
    while (opened > 0) {
        core_array_close(&arrays[--opened]);
    }
    return result;
}
