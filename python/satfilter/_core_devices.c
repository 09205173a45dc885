/* Arrays in CUDA memory as views. */
#include "_core.h"

core_type core_type_of(int type)
{
#define TYPE(NAME, name, format) \
    case SATF_##NAME:            \
        return (core_type){name, format};
    switch ((satf_type)type) {
        TYPE(U8, "uint8", "B")
        TYPE(U16, "uint16", "H")
        TYPE(U32, "uint32", "I")
        TYPE(U64, "uint64", "Q")
        TYPE(F32, "float32", "f")
        TYPE(F64, "float64", "d")
        TYPE(I8, "int8", "b")
        TYPE(I16, "int16", "h")
        TYPE(I32, "int32", "i")
        TYPE(I64, "int64", "q")
        TYPE(F16, "float16", "e")
        TYPE(BF16, "bfloat16", "E")
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
