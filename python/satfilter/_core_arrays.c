/* Arrays of numpy as views, and the calls that take them. */
#include "_core.h"
#include <stdlib.h>
#include <string.h>

static atomic_ullong images; /* that were filtered, for tests */

/* ---------------------------------------------------------------------------- arrays */

/* The satf_type of samples in this machine's order of bytes, or -1. */
static int type_of(const Py_buffer *buffer)
{
    const char *format = buffer->format ? buffer->format : "B";
    format += *format == '@' || *format == '=' || *format == '<';
    if (!format[0] || format[1]) {
        return -1;
    }
    int wide = buffer->itemsize == 8; /* of long, which numpy names by its own letters */
    char letter = *format == 'L'   ? (wide ? 'Q' : 'I')
                  : *format == 'l' ? (wide ? 'q' : 'i')
                                   : *format;
    for (int type = SATF_U8; type <= SATF_BF16; type++) {
        if (*core_type_of(type).format == letter) {
            return type;
        }
    }
    return -1;
}

static int refuse(const char *why)
{
    PyErr_SetString(PyExc_BufferError, why);
    return -1;
}

/* Strides of axes of length 1 mean nothing in numpy. */
static int view_of(core_array *array, const core_layout *layout)
{
    const Py_buffer *b = &array->buffer;
    satf_view *v = &array->view;
    int x = b->ndim - 1 - layout->channels, y = x - 1;
    *v = (satf_view){.data = b->buf,
                     .flags = layout->flags,
                     .full = layout->full,
                     .device = array->device,
                     .channels = 1};
    v->type = type_of(b);
    if (v->type < 0) {
        return refuse("the samples are of a type that the library does not take");
    }
    if (layout->channels) {
        Py_ssize_t channels = b->shape[x + 1];
        if (channels > SATF_MAX_CHANNELS || (channels > 1 && b->strides[x + 1] != b->itemsize)) {
            return refuse("the channels do not lie side by side, or are too many");
        }
        v->channels = (int32_t)channels;
    }
    v->width = b->shape[x];
    v->height = b->shape[y];
    int64_t pixel = b->itemsize * v->channels, step = v->width == 1 ? pixel : b->strides[x];
    int64_t row = (v->width - 1) * step + pixel;
    v->stride = v->height == 1 ? row : b->strides[y];
    v->pixel_stride = step == pixel ? 0 : step;
    if (step < pixel || (v->stride < 0 ? -v->stride : v->stride) < row) {
        return refuse("columns are reversed or repeated, or rows lie closer than columns");
    }
    array->loops = y;
    return 0;
}

static int check_shape(const Py_buffer *b, const core_layout *layout)
{
    int axes = 2 + layout->channels, empty = 0;
    if (b->ndim < axes || b->ndim > CORE_AXES) {
        PyErr_Format(PyExc_ValueError, "an image has rows and columns%s: this array has %d %s",
                     layout->channels ? ", and channels here" : "", b->ndim,
                     b->ndim > CORE_AXES         ? "axes, too many"
                     : b->ndim == 1 && axes == 2 ? "axis; image[None] makes it a row"
                     : b->ndim == 1              ? "axis"
                                                 : "axes");
        return -1;
    }
    for (int i = b->ndim - axes; i < b->ndim; i++) {
        empty |= b->shape[i] == 0;
    }
    if (empty) {
        PyErr_SetString(PyExc_ValueError, "an image has at least one row and one column");
    }
    return empty ? -1 : 0;
}

int core_array_open(core_state *state, PyObject *object, const core_layout *layout, int writable,
                    core_array *array)
{
    array->device = SATF_HOST;
    if (PyTuple_Check(object)) {
        return core_device_open(object, array) || check_shape(&array->buffer, layout) ||
                       view_of(array, layout)
                   ? -1
                   : 0;
    }
    if ((PyObject *)Py_TYPE(object) != state->ndarray) {
        return refuse("the array is not a plain numpy.ndarray");
    }
    int flags = PyBUF_STRIDES | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object, &array->buffer, flags)) {
        PyErr_Clear(); /* such as of dates */
        return refuse(writable ? "out is read-only, or its samples have no buffer"
                               : "the samples have no buffer");
    }
    if (check_shape(&array->buffer, layout) || view_of(array, layout)) {
        core_array_close(array);
        return -1;
    }
    return 0;
}

void core_array_close(core_array *array)
{
    PyBuffer_Release(&array->buffer);
}

/* Where an array's samples begin and end. */
static void span(const Py_buffer *b, const char **begin, const char **end)
{
    *begin = *end = b->buf;
    *end += b->itemsize;
    for (int i = 0; i < b->ndim; i++) {
        Py_ssize_t far = (b->shape[i] - 1) * b->strides[i];
        *(far > 0 ? end : begin) += far;
    }
}

static int is_empty(const core_array *array)
{
    int empty = 0;
    for (int i = 0; i < array->loops; i++) {
        empty |= array->buffer.shape[i] == 0;
    }
    return empty;
}

static int overlap(const core_array *a, const core_array *b)
{
    const char *begin[2], *end[2];
    if (is_empty(a)) {
        return 0;
    }
    span(&a->buffer, begin, end);
    span(&b->buffer, begin + 1, end + 1);
    return begin[0] < end[1] && begin[1] < end[0];
}

/* --------------------------------------------------------------------------- results */

/* The arguments that say what to do with an image. */
typedef struct task {
    core_home *home;
    satf_filter *filter;
    core_layout layout;
    long type; /* of a new result; SATF_TYPE_AUTO: the filter's */
    core_array image;
    satf_view made; /* what the filter makes of the first image */
} task;

/* Black and white have no channels if the image had several. */
static int result_channels(const task *t)
{
    return t->layout.channels && (t->made.channels > 1 || t->image.view.channels == 1);
}

/* The result's axes into shape; their number. */
static int result_shape(const task *t, Py_ssize_t *shape)
{
    int n = t->image.loops;
    memcpy(shape, t->image.buffer.shape, (size_t)n * sizeof *shape);
    shape[n++] = (Py_ssize_t)t->made.height;
    shape[n++] = (Py_ssize_t)t->made.width;
    if (result_channels(t)) {
        shape[n++] = t->made.channels;
    }
    return n;
}

static PyObject *tuple_of(const Py_ssize_t *shape, int n)
{
    PyObject *tuple = PyTuple_New(n);
    for (int i = 0; tuple && i < n; i++) {
        PyTuple_SetItem(tuple, i, PyLong_FromSsize_t(shape[i]));
    }
    return tuple;
}

static PyObject *new_result(core_state *state, const task *t)
{
    Py_ssize_t shape[CORE_AXES + 1];
    int n = result_shape(t, shape);
    PyObject *tuple = tuple_of(shape, n), *made = NULL;
    if (tuple) {
        PyObject *type = state->types[t->type < 0 ? t->made.type : t->type];
        made = PyObject_CallFunctionObjArgs(state->empty, tuple, type, NULL);
        Py_DECREF(tuple);
    }
    return made;
}

/* Opens the image and asks the filter what it makes of it. */
static int open_task(core_state *state, PyObject *image, task *t)
{
    if (core_array_open(state, image, &t->layout, 0, &t->image)) {
        return -1;
    }
    satf_status status = satf_filter_output(t->home->ctx, t->filter, &t->image.view, &t->made);
    if (status) {
        core_fail(state, t->home, status, 1);
        core_array_close(&t->image);
        return -1;
    }
    return 0;
}

static void refuse_shape(const Py_buffer *out, const Py_ssize_t *shape, int n)
{
    PyObject *given = tuple_of(out->shape, out->ndim), *wanted = tuple_of(shape, n);
    if (given && wanted) {
        PyErr_Format(PyExc_ValueError, "out has shape %R, the result %R", given, wanted);
    }
    Py_XDECREF(given);
    Py_XDECREF(wanted);
}

/* Opens the array that takes the result, of the shape that it has to have. */
static int open_out(core_state *state, const task *t, PyObject *out, core_array *array)
{
    core_layout layout = {result_channels(t), t->made.flags, t->made.full};
    Py_ssize_t shape[CORE_AXES + 1];
    int n = result_shape(t, shape);
    if (core_array_open(state, out, &layout, 1, array)) {
        return -1;
    }
    if (array->view.type != t->made.type) {
        array->view.full = 0; /* another type has its own */
    }
    if (array->buffer.ndim != n || memcmp(array->buffer.shape, shape, (size_t)n * sizeof *shape)) {
        refuse_shape(&array->buffer, shape, n);
    } else if (!overlap(&t->image, array)) {
        return 0;
    } else {
        refuse("out and the image overlap");
    }
    core_array_close(array);
    return -1;
}

/* Images one after the other at equal distances. */
typedef struct stack {
    int axes; /* in front of those that count its images: they count stacks */
    int64_t count, in_step, out_step;
} stack;

static stack stack_of(const core_array *in, const core_array *out)
{
    const Py_buffer *a = &in->buffer, *b = &out->buffer;
    stack s = {in->loops, 1, 0, 0};
    if (s.axes > 0) {
        s.axes--;
        s = (stack){s.axes, a->shape[s.axes], a->strides[s.axes], b->strides[s.axes]};
    }
    while (s.axes > 0 && a->strides[s.axes - 1] == s.count * s.in_step &&
           b->strides[s.axes - 1] == s.count * s.out_step) {
        s.axes--;
        s.count *= a->shape[s.axes];
    }
    return s;
}

/* The next stack of both arrays, of which at[] is the number along each axis; 0 behind the last. */
static int next_stack(core_array *in, core_array *out, int axes, Py_ssize_t *at)
{
    for (int i = axes - 1; i >= 0; i--) {
        Py_ssize_t more = ++at[i] < in->buffer.shape[i] ? 1 : 1 - at[i];
        in->view.data = (char *)in->view.data + more * in->buffer.strides[i];
        out->view.data = (char *)out->view.data + more * out->buffer.strides[i];
        if (more == 1) {
            return 1;
        }
        at[i] = 0;
    }
    return 0;
}

/* Filters each image; by the plan, if there is one. */
static int apply_all(core_state *state, task *t, core_array *out, satf_plan *plan)
{
    Py_ssize_t at[CORE_AXES] = {0};
    satf_status status = SATF_OK;
    stack s = plan ? (stack){t->image.loops, 1, 0, 0} : stack_of(&t->image, out);
    satf_view *from = &t->image.view, *to = &out->view;
    int more = !is_empty(&t->image);
    if (core_enter(t->home)) {
        return -1;
    }
    if (t->image.device != SATF_HOST) {
        status = satf_context_set_stream(t->home->ctx, t->image.stream);
    }
    while (more && !status) {
        if (plan) {
            status = satf_plan_run(plan, from, 1, to, 1);
        } else if (s.count == 1) {
            status = satf_filter_apply(t->home->ctx, t->filter, from, to);
        } else {
            status = satf_filter_apply_stack(t->home->ctx, t->filter, from, s.in_step, to,
                                             s.out_step, s.count);
        }
        atomic_fetch_add_explicit(&images, (unsigned long long)s.count, memory_order_relaxed);
        more = next_stack(&t->image, out, s.axes, at);
    }
    core_leave(t->home);
    if (status || PyErr_Occurred()) {
        core_fail(state, t->home, status, 1);
        return -1;
    }
    return 0;
}

/* A new reference to out, or to a new array if it is None, which has the results. */
static PyObject *apply_into(core_state *state, task *t, PyObject *out, satf_plan *plan)
{
    core_array array;
    out = out == Py_None ? new_result(state, t) : Py_NewRef(out);
    int fail = !out || open_out(state, t, out, &array);
    if (!fail) {
        fail = apply_all(state, t, &array, plan);
        core_array_close(&array);
    }
    if (fail) {
        Py_CLEAR(out);
    }
    return out;
}

PyObject *core_run(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    core_state *state = PyModule_GetState(module);
    task t = {.home = core_here()};
    if (!t.home || count != 7 || !core_to_filter(args[0], &t.filter)) {
        return t.home && count != 7 ? PyErr_Format(PyExc_TypeError, "run() takes 7 arguments")
                                    : NULL;
    }
    t.type = PyLong_AsLong(args[3]);
    t.layout.channels = PyLong_AsLong(args[4]) != 0;
    t.layout.flags = (uint32_t)PyLong_AsLong(args[5]);
    t.layout.full = PyFloat_AsDouble(args[6]);
    if (PyErr_Occurred() || open_task(state, args[1], &t)) {
        return NULL;
    }
    PyObject *out = apply_into(state, &t, args[2], NULL);
    core_array_close(&t.image);
    return out;
}

PyObject *core_result(PyObject *module, PyObject *args)
{
    core_state *state = PyModule_GetState(module);
    task t = {.home = core_here()};
    PyObject *image;
    if (!t.home || !PyArg_ParseTuple(args, "O&OliId", core_to_filter, &t.filter, &image, &t.type,
                                     &t.layout.channels, &t.layout.flags, &t.layout.full)) {
        return NULL;
    }
    if (open_task(state, image, &t)) {
        return NULL;
    }
    PyObject *out = new_result(state, &t);
    core_array_close(&t.image);
    return out;
}

/* (filter, height, width, channels, type, flags, full): (height, width, channels, type) of what the
 * filter makes of such an image */
PyObject *core_made(PyObject *module, PyObject *args)
{
    core_home *home = core_here();
    satf_filter *filter;
    long long height, width;
    int channels, type;
    unsigned flags;
    double full;
    if (!home || !PyArg_ParseTuple(args, "O&LLiiId", core_to_filter, &filter, &height, &width,
                                   &channels, &type, &flags, &full)) {
        return NULL;
    }
    satf_view in = satf_view_packed(NULL, width, height, channels, (satf_type)type), out;
    in.flags = flags;
    in.full = full;
    satf_status status = satf_filter_output(home->ctx, filter, &in, &out);
    if (status) {
        return core_fail(PyModule_GetState(module), home, status, 1);
    }
    return Py_BuildValue("LLii", (long long)out.height, (long long)out.width, (int)out.channels,
                         (int)out.type);
}

PyObject *core_calls(PyObject *module, PyObject *none)
{
    (void)module;
    (void)none;
    return PyLong_FromUnsignedLongLong(atomic_load(&images));
}

/* ---------------------------------------------------------------------------- images */

/* Gives a filter a picture of its own. */
static PyObject *set_view(PyObject *module, PyObject *args,
                          satf_status (*set)(satf_context *, satf_filter *, const satf_view *))
{
    core_state *state = PyModule_GetState(module);
    core_home *home = core_here();
    satf_filter *filter;
    PyObject *object;
    core_layout layout = {0};
    core_array array;
    if (!home || !PyArg_ParseTuple(args, "O&OiId", core_to_filter, &filter, &object,
                                   &layout.channels, &layout.flags, &layout.full)) {
        return NULL;
    }
    if (core_array_open(state, object, &layout, 0, &array)) {
        return NULL;
    }
    satf_status status = set(home->ctx, filter, &array.view);
    core_array_close(&array);
    return status ? core_fail(state, home, status, 1) : Py_NewRef(Py_None);
}

PyObject *core_set_image(PyObject *module, PyObject *args)
{
    return set_view(module, args, satf_filter_set_image);
}

PyObject *core_set_weights(PyObject *module, PyObject *args)
{
    return set_view(module, args, satf_filter_set_weights);
}

/* ----------------------------------------------------------------------------- plans */

#define PLAN "satfilter.plan"

/* A plan has a context of its own: threads that made it may end before it goes. */
typedef struct core_planned {
    core_home home;
    satf_plan *plan;
    core_layout layout; /* of images */
    satf_view made;     /* what the filter makes of one */
} core_planned;

static void planned_free(core_planned *planned)
{
    satf_plan_destroy(planned->plan);
    core_home_close(&planned->home);
    free(planned);
}

static void plan_gone(PyObject *capsule)
{
    planned_free(PyCapsule_GetPointer(capsule, PLAN));
}

static core_planned *new_planned(void)
{
    core_home *here = core_here();
    core_planned *planned = here ? calloc(1, sizeof *planned) : NULL;
    if (!planned || core_home_open(&planned->home)) {
        free(planned);
        return here ? (core_planned *)PyErr_NoMemory() : NULL;
    }
    satf_context_set_threads(planned->home.ctx, here->threads);
    return planned;
}

/* Plans for images and results like these arrays. */
static int plan_arrays(core_state *state, task *t, PyObject *image, PyObject *out, satf_plan **plan)
{
    core_array array;
    if (open_task(state, image, t)) {
        return -1;
    }
    int fail = open_out(state, t, out, &array);
    if (!fail) {
        satf_status status =
            satf_plan_create(t->home->ctx, t->filter, &t->image.view, 1, &array.view, 1, plan);
        fail = status != SATF_OK;
        if (fail) {
            core_fail(state, t->home, status, 1);
        }
        core_array_close(&array);
    }
    core_array_close(&t->image);
    return fail;
}

PyObject *core_plan(PyObject *module, PyObject *args)
{
    task t = {0};
    PyObject *image, *out;
    if (!PyArg_ParseTuple(args, "O&OOiId", core_to_filter, &t.filter, &image, &out,
                          &t.layout.channels, &t.layout.flags, &t.layout.full)) {
        return NULL;
    }
    core_planned *planned = new_planned();
    if (!planned) {
        return NULL;
    }
    t.home = &planned->home;
    int fail = plan_arrays(PyModule_GetState(module), &t, image, out, &planned->plan);
    planned->layout = t.layout;
    planned->made = t.made;
    PyObject *capsule = fail ? NULL : PyCapsule_New(planned, PLAN, plan_gone);
    if (!capsule) {
        planned_free(planned);
    }
    return capsule;
}

/* (plan, image, out) */
PyObject *core_plan_run(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    core_state *state = PyModule_GetState(module);
    if (count != 3) {
        return PyErr_Format(PyExc_TypeError, "plan_run() takes 3 arguments");
    }
    core_planned *planned = PyCapsule_GetPointer(args[0], PLAN);
    if (!planned) {
        return NULL;
    }
    task t = {.home = &planned->home, .layout = planned->layout, .made = planned->made};
    if (core_array_open(state, args[1], &t.layout, 0, &t.image)) {
        return NULL;
    }
    PyObject *out = apply_into(state, &t, args[2], planned->plan);
    core_array_close(&t.image);
    return out;
}

/* (bytes, [(filter, engine, algorithm, device)]) */
PyObject *core_plan_info(PyObject *module, PyObject *capsule)
{
    (void)module;
    core_planned *planned = PyCapsule_GetPointer(capsule, PLAN);
    PyObject *steps = planned ? PyList_New(0) : NULL;
    satf_plan_info info;
    satf_used used;
    const char *name;
    for (size_t i = 0; steps && (name = satf_plan_step(planned->plan, i, &used, sizeof used));
         i++) {
        PyObject *step = Py_BuildValue("(szzz)", name, used.engine, used.algorithm, used.device);
        if (!step || PyList_Append(steps, step)) {
            Py_CLEAR(steps);
        }
        Py_XDECREF(step);
    }
    if (!steps) {
        return NULL;
    }
    satf_plan_describe(planned->plan, &info, sizeof info);
    return Py_BuildValue("(LN)", (long long)info.memory_bytes, steps);
}
