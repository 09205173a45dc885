/* Pictures and their files. */
#include "_core.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define IMAGE "satfilter.image"

/* What an image's capsule holds. */
typedef struct picture {
    satf_image *image;
    PyObject *array;       /* whose memory the image is around, or NULL */
    pthread_rwlock_t lock; /* to read in calls that go without the GIL, to write for metadata */
} picture;

static void image_gone(PyObject *capsule)
{
    picture *p = PyCapsule_GetPointer(capsule, IMAGE);
    satf_image_destroy(p->image);
    Py_XDECREF(p->array);
    pthread_rwlock_destroy(&p->lock);
    free(p);
}

static int to_image(PyObject *capsule, void *p)
{
    *(picture **)p = PyCapsule_GetPointer(capsule, IMAGE);
    return *(picture **)p != NULL;
}

static int to_image_or_none(PyObject *capsule, void *p)
{
    *(picture **)p = NULL;
    return capsule == Py_None || to_image(capsule, p);
}

/* Around calls of the library with the image, as core_enter() and core_leave(). NULL: there is
 * none. */
static int enter_with(core_home *home, picture *p)
{
    return core_enter(home) ? -1 : p ? pthread_rwlock_rdlock(&p->lock) : 0;
}

static void leave_with(core_home *home, picture *p)
{
    if (p) {
        pthread_rwlock_unlock(&p->lock);
    }
    core_leave(home);
}

/* As core_fail(), of a file, whose name begins the sentence. file may be NULL. */
static PyObject *fail_at(PyObject *module, core_home *home, satf_status status,
                         const core_file *file)
{
    if (!file || PyErr_Occurred()) {
        return core_fail(PyModule_GetState(module), home, status, 0);
    }
    const char *path = PyBytes_AsString(file->name);
    int missing =
        status == SATF_IO && !core_file_calls(file) && access(path, F_OK) && errno == ENOENT;
    PyObject *type, *value, *trace;
    core_fail(PyModule_GetState(module), home, status, 0);
    PyErr_Fetch(&type, &value, &trace);
    PyObject *name = PyUnicode_DecodeFSDefault(path);
    if (name) {
        PyErr_Format(missing ? PyExc_FileNotFoundError : type, "%U: %S", name, value);
    }
    Py_XDECREF(name);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return NULL;
}

/* Takes the image over. array: whose memory it is around; it and file may be NULL. */
static PyObject *image_capsule(PyObject *module, core_home *home, satf_status status,
                               const core_file *file, satf_image *image, PyObject *array)
{
    picture *p = status || PyErr_Occurred() ? NULL : malloc(sizeof *p);
    if (!p) {
        satf_image_destroy(image);
        return status || PyErr_Occurred() ? fail_at(module, home, status, file) : PyErr_NoMemory();
    }
    *p = (picture){image, Py_XNewRef(array), PTHREAD_RWLOCK_INITIALIZER};
    return PyCapsule_New(p, IMAGE, image_gone);
}

/* Formats of strangers are refused unless the caller names them; NULL: the default. */
static satf_status allow(core_home *home, const char *formats)
{
    return satf_context_set_formats(home->ctx, formats);
}

/* --------------------------------------------------------------------------- reading */

/* (file, formats or None) */
PyObject *core_image_read(PyObject *module, PyObject *args)
{
    core_home *home = core_here();
    core_file file;
    const char *formats;
    satf_image *image = NULL;
    if (!home || !PyArg_ParseTuple(args, "O&z", core_to_input, &file, &formats)) {
        return NULL;
    }
    satf_status status = allow(home, formats);
    const satf_file_calls *calls = core_file_calls(&file);
    if (!status && !core_enter(home)) {
        status = calls ? satf_image_read_from(home->ctx, calls, &image)
                       : satf_image_read(home->ctx, PyBytes_AsString(file.name), &image);
        core_leave(home);
    }
    core_file_raise(&file);
    PyObject *capsule = image_capsule(module, home, status, &file, image, NULL);
    core_file_close(&file);
    return capsule;
}

/* (bytes, formats or None) */
PyObject *core_image_decode(PyObject *module, PyObject *args)
{
    core_home *home = core_here();
    Py_buffer data;
    const char *formats;
    satf_image *image = NULL;
    if (!home || !PyArg_ParseTuple(args, "y*z", &data, &formats)) {
        return NULL;
    }
    satf_status status = allow(home, formats);
    if (!status && !core_enter(home)) {
        status = satf_image_decode(home->ctx, data.buf, (size_t)data.len, &image);
        core_leave(home);
    }
    PyBuffer_Release(&data);
    return image_capsule(module, home, status, NULL, image, NULL);
}

/* (file, formats or None): what the file says before its pixels are decoded */
PyObject *core_probe(PyObject *module, PyObject *args)
{
    core_home *home = core_here();
    core_file file;
    const char *formats;
    satf_image_info info;
    if (!home || !PyArg_ParseTuple(args, "O&z", core_to_input, &file, &formats)) {
        return NULL;
    }
    satf_status status = allow(home, formats);
    const satf_file_calls *calls = core_file_calls(&file);
    if (!status && !core_enter(home)) {
        status = calls
                     ? satf_image_probe_from(home->ctx, calls, &info, sizeof info)
                     : satf_image_probe(home->ctx, PyBytes_AsString(file.name), &info, sizeof info);
        core_leave(home);
    }
    core_file_raise(&file);
    if (status || PyErr_Occurred()) {
        fail_at(module, home, status, &file);
    }
    core_file_close(&file);
    if (PyErr_Occurred()) {
        return NULL;
    }
    const satf_view *v = &info.view;
    return Py_BuildValue(
        "{s:L,s:L,s:i,s:i,s:O,s:d,s:z,s:L,s:L,s:i,s:i,s:d,s:d}", "height", (long long)v->height,
        "width", (long long)v->width, "channels", (int)v->channels, "type", (int)v->type, "alpha",
        v->flags & SATF_ALPHA ? Py_True : Py_False, "full", v->full, "format", info.format,
        "pictures", (long long)info.pictures, "pages", (long long)info.pages, "orientation",
        info.orientation, "has_range", info.has_range, "lo", info.lo, "hi", info.hi);
}

/* ---------------------------------------------------------------------------- images */

/* (array, channels, flags): an image around the array's memory */
PyObject *core_image_wrap(PyObject *module, PyObject *args)
{
    core_home *home = core_here();
    PyObject *object;
    core_layout layout = {0};
    core_array array;
    satf_image *image = NULL;
    if (!home || !PyArg_ParseTuple(args, "OiI", &object, &layout.channels, &layout.flags) ||
        core_array_open(PyModule_GetState(module), object, &layout, 0, &array)) {
        return NULL;
    }
    satf_status status = satf_image_wrap(home->ctx, &array.view, &image);
    core_array_close(&array);
    return image_capsule(module, home, status, NULL, image, object);
}

/* (address, stride, height, width, channels, type, flags, full) */
PyObject *core_image_view(PyObject *module, PyObject *capsule)
{
    picture *p;
    (void)module;
    if (!to_image(capsule, &p)) {
        return NULL;
    }
    const satf_view *v = satf_image_view(p->image);
    return Py_BuildValue("KLLLiiId", (unsigned long long)(uintptr_t)v->data, (long long)v->stride,
                         (long long)v->height, (long long)v->width, (int)v->channels, (int)v->type,
                         (unsigned)v->flags, v->full);
}

/* (lo, hi), or None */
PyObject *core_image_range(PyObject *module, PyObject *capsule)
{
    picture *p;
    satf_image_info info;
    (void)module;
    if (!to_image(capsule, &p)) {
        return NULL;
    }
    satf_image_describe(p->image, &info, sizeof info);
    return info.has_range ? Py_BuildValue("dd", info.lo, info.hi) : Py_NewRef(Py_None);
}

/* (image, kind): bytes, or None */
PyObject *core_image_metadata(PyObject *module, PyObject *args)
{
    picture *p;
    int kind;
    size_t bytes;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&i", to_image, &p, &kind)) {
        return NULL;
    }
    pthread_rwlock_rdlock(&p->lock);
    const void *data = satf_image_metadata(p->image, (satf_metadata_kind)kind, &bytes);
    PyObject *block = Py_BuildValue("y#", data, (Py_ssize_t)bytes);
    pthread_rwlock_unlock(&p->lock);
    return block;
}

/* (image, kind, bytes or None) */
PyObject *core_image_set_metadata(PyObject *module, PyObject *args)
{
    core_home *home = core_here();
    picture *p;
    int kind;
    Py_buffer data;
    if (!home || !PyArg_ParseTuple(args, "O&iz*", to_image, &p, &kind, &data)) {
        return NULL;
    }
    satf_status status = SATF_OK;
    if (pthread_rwlock_trywrlock(&p->lock)) {
        PyErr_SetString(PyExc_RuntimeError, "the image is at work: set its metadata later");
    } else {
        status = satf_image_set_metadata(home->ctx, p->image, (satf_metadata_kind)kind, data.buf,
                                         (size_t)data.len);
        pthread_rwlock_unlock(&p->lock);
    }
    PyBuffer_Release(&data);
    return status || PyErr_Occurred() ? core_fail(PyModule_GetState(module), home, status, 0)
                                      : Py_NewRef(Py_None);
}

/* (filter, image, type): another image, with the metadata of the first */
PyObject *core_image_filter(PyObject *module, PyObject *args)
{
    core_home *home = core_here();
    satf_filter *filter;
    picture *in;
    satf_image *image = NULL;
    int type;
    if (!home || !PyArg_ParseTuple(args, "O&O&i", core_to_filter, &filter, to_image, &in, &type) ||
        enter_with(home, in)) {
        return NULL;
    }
    satf_status status = satf_filter_image(home->ctx, filter, in->image, type, &image);
    leave_with(home, in);
    return image_capsule(module, home, status, NULL, image, NULL);
}

/* --------------------------------------------------------------------------- writing */

/* "O&" converters have no arguments of their own: (quality, png_level, format, range) of a writer;
 * range: None, "auto" or two numbers. */
static int to_write(PyObject *tuple, void *out)
{
    satf_write_options *options = out;
    PyObject *range;
    *options = satf_write_defaults();
    if (!PyArg_ParseTuple(tuple, "iizO", &options->quality, &options->png_level, &options->format,
                          &range)) {
        return 0;
    }
    if (PyUnicode_Check(range)) {
        options->auto_range = 1;
    } else if (range != Py_None) {
        options->has_range = 1;
        return PyArg_ParseTuple(range, "dd", &options->lo, &options->hi);
    }
    return 1;
}

/* (image, file, writer) */
PyObject *core_image_write(PyObject *module, PyObject *args)
{
    core_home *home = core_here();
    picture *p;
    satf_write_options options;
    core_file file;
    if (!home || !PyArg_ParseTuple(args, "O&O&O&", to_image, &p, core_to_output, &file, to_write,
                                   &options)) {
        return NULL;
    }
    satf_status status = SATF_OK;
    const satf_file_calls *calls = core_file_calls(&file);
    if (!enter_with(home, p)) {
        status = calls
                     ? satf_image_write_to(home->ctx, p->image, calls, &options)
                     : satf_image_write(home->ctx, p->image, PyBytes_AsString(file.name), &options);
        leave_with(home, p);
    }
    core_file_raise(&file);
    PyObject *result =
        status || PyErr_Occurred() ? fail_at(module, home, status, &file) : Py_NewRef(Py_None);
    core_file_close(&file);
    return result;
}

/* (image, writer): bytes */
PyObject *core_image_encode(PyObject *module, PyObject *args)
{
    core_home *home = core_here();
    picture *p;
    satf_write_options options;
    void *data = NULL;
    size_t bytes = 0;
    if (!home || !PyArg_ParseTuple(args, "O&O&", to_image, &p, to_write, &options) ||
        enter_with(home, p)) {
        return NULL;
    }
    satf_status status = satf_image_encode(home->ctx, p->image, &options, &data, &bytes);
    leave_with(home, p);
    PyObject *result = status || PyErr_Occurred()
                           ? core_fail(PyModule_GetState(module), home, status, 0)
                           : PyBytes_FromStringAndSize(data, (Py_ssize_t)bytes);
    satf_buffer_free(data);
    return result;
}

/* What a user should know of a call that went well, as strings. */
static PyObject *notes_of(const satf_file_report *report)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < report->note_count && i < SATF_FILE_NOTES; i++) {
        PyObject *note = PyUnicode_FromFormat("%s: %s", report->notes[i].at, report->notes[i].text);
        if (!note || PyList_Append(list, note)) {
            Py_CLEAR(list);
        }
        Py_XDECREF(note);
    }
    return list;
}

/* (filter, source, target, writer, formats or None, mask or None, linear): notes */
PyObject *core_filter_file(PyObject *module, PyObject *args)
{
    core_home *home = core_here();
    satf_filter *filter;
    core_file source, target;
    satf_write_options write;
    satf_file_options options;
    satf_file_report report = {0};
    const char *formats;
    picture *mask;
    int linear;
    if (!home || !PyArg_ParseTuple(args, "O&O&O&O&zO&p", core_to_filter, &filter, core_to_input,
                                   &source, core_to_output, &target, to_write, &write, &formats,
                                   to_image_or_none, &mask, &linear)) {
        return NULL;
    }
    satf_file_options_init(&options, sizeof options);
    options.linear = linear;
    options.write = &write;
    options.input_calls = core_file_calls(&source);
    options.output_calls = core_file_calls(&target);
    options.mask = satf_image_view(mask ? mask->image : NULL);
    const char *from = PyBytes_AsString(source.name), *to = PyBytes_AsString(target.name);
    satf_status status = allow(home, formats);
    PyObject *notes = NULL;
    if (!status && !enter_with(home, mask)) {
        status = satf_filter_file(home->ctx, filter, from, to, &options, &report, sizeof report);
        leave_with(home, mask);
    }
    core_file_raise(&source);
    core_file_raise(&target);
    if (status || PyErr_Occurred()) {
        const core_file *at = report.at == to ? &target : &source;
        fail_at(module, home, status, report.at ? at : NULL);
    } else {
        notes = notes_of(&report); /* which name the paths */
    }
    core_file_close(&source);
    core_file_close(&target);
    return notes;
}
