/* Arrays in CUDA memory as views. */
#include "_core.h"

core_type core_type_of(int type)
{
    switch ((satf_type)type) {
    case SATF_U8:
        return (core_type){"uint8", "B"};
    case SATF_U16:
        return (core_type){"uint16", "H"};
    case SATF_U32:
        return (core_type){"uint32", "I"};
    case SATF_U64:
        return (core_type){"uint64", "Q"};
    case SATF_F32:
        return (core_type){"float32", "f"};
    case SATF_F64:
        return (core_type){"float64", "d"};
    case SATF_I8:
        return (core_type){"int8", "b"};
    case SATF_I16:
        return (core_type){"int16", "h"};
    case SATF_I32:
        return (core_type){"int32", "i"};
    case SATF_I64:
        return (core_type){"int64", "q"};
    case SATF_F16:
        return (core_type){"float16", "e"};
    case SATF_BF16:
        return (core_type){"bfloat16", "E"};
    }
    return (core_type){NULL, NULL};
}

static int sizes_of(PyObject *tuple, Py_ssize_t *sizes)
{
    for (Py_ssize_t i = 0, n = PyTuple_Size(tuple); i < n; i++) {
        sizes[i] = PyLong_AsSsize_t(PyTuple_GetItem(tuple, i));
    }
    return PyErr_Occurred() ? -1 : 0;
}

int core_device_open(PyObject *tuple, core_array *array)
{
    PyObject *shape, *strides;
    unsigned long long data, stream;
    int device, type;
    if (!PyArg_ParseTuple(tuple, "KiKiO!O!", &data, &device, &stream, &type, &PyTuple_Type, &shape,
                          &PyTuple_Type, &strides)) {
        return -1;
    }
    Py_ssize_t axes = PyTuple_Size(shape);
    if (!core_type_of(type).format || device < 0 || axes > CORE_AXES ||
        PyTuple_Size(strides) != axes) {
        PyErr_SetString(PyExc_ValueError, "no array of a device is like this");
        return -1;
    }
    array->buffer = (Py_buffer){.buf = (void *)(uintptr_t)data,
                                .ndim = (int)axes,
                                .format = (char *)(uintptr_t)core_type_of(type).format,
                                .itemsize = (Py_ssize_t)satf_type_bytes(type),
                                .shape = array->sizes[0],
                                .strides = array->sizes[1]};
    array->device = SATF_CUDA(device);
    array->stream = (void *)(uintptr_t)stream;
    return sizes_of(shape, array->sizes[0]) || sizes_of(strides, array->sizes[1]) ? -1 : 0;
}
