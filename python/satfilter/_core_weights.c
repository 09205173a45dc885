/* Weighted sums of the samples around each one along an axis, for kernels that are no boxes. */
#include "_core.h"
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512 }; /* samples at a time: constant, so that compilers make vectors of the loops */

/* An array of rows, and how its samples are weighted. */
typedef struct weighing {
    Py_buffer image, places, weights, out;
    Py_ssize_t rows, columns; /* of the image */
    int type, out_type;       /* satf_type */
    Py_ssize_t step;          /* along rows: the distance of neighbours; 0: down columns */
    double outside;           /* the sample of a place of -1 */
    Py_ssize_t radius, count; /* of the results along the axis */
} weighing;

/* n samples as doubles. */
static void load(const void *from, int type, Py_ssize_t first, Py_ssize_t n, double *restrict to)
{
#define LOAD(of)                                 \
    {                                            \
        const of *s = (const of *)from + first;  \
        if (n == BLOCK) {                        \
            for (int i = 0; i < BLOCK; i++) {    \
                to[i] = s[i];                    \
            }                                    \
        } else {                                 \
            for (Py_ssize_t i = 0; i < n; i++) { \
                to[i] = s[i];                    \
            }                                    \
        }                                        \
    }
    switch (type) {
    case SATF_U8:
        LOAD(uint8_t) break;
    case SATF_U16:
        LOAD(uint16_t) break;
    case SATF_F32:
        LOAD(float) break;
    default:
        LOAD(double) break;
    }
#undef LOAD
}

/* A sum as an integer: halves up, saturated; 0 of what is no number. */
static int rounded(double sum, int most)
{
    if (!(sum > 0)) {
        return 0;
    }
    if (sum >= most) {
        return most;
    }
    int whole = (int)sum;
    return whole + (sum - whole >= 0.5);
}

static void store(const double *sums, Py_ssize_t n, const weighing *w, Py_ssize_t first)
{
    if (w->out_type == SATF_U8) {
        uint8_t *to = (uint8_t *)w->out.buf + first;
        for (Py_ssize_t i = 0; i < n; i++) {
            to[i] = (uint8_t)rounded(sums[i], UINT8_MAX);
        }
    } else if (w->out_type == SATF_U16) {
        uint16_t *to = (uint16_t *)w->out.buf + first;
        for (Py_ssize_t i = 0; i < n; i++) {
            to[i] = (uint16_t)rounded(sums[i], UINT16_MAX);
        }
    } else {
        memcpy((double *)w->out.buf + first, sums, (size_t)n * sizeof *sums);
    }
}

static void begin(const double *restrict middle, double weight, double *restrict sums)
{
    for (int i = 0; i < BLOCK; i++) {
        sums[i] = middle[i] * weight;
    }
}

static void add(const double *restrict a, const double *restrict b, double weight,
                double *restrict sums)
{
    for (int i = 0; i < BLOCK; i++) {
        sums[i] += (a[i] + b[i]) * weight;
    }
}

/* A row, and what lies outside it at both ends. */
static void lay_out(const weighing *w, Py_ssize_t y, double *line)
{
    const int64_t *places = w->places.buf;
    double *row = line + w->radius * w->step;
    for (Py_ssize_t x = 0; x < w->columns; x += BLOCK) {
        Py_ssize_t n = w->columns - x < BLOCK ? w->columns - x : BLOCK;
        load(w->image.buf, w->type, y * w->columns + x, n, row + x);
    }
    for (Py_ssize_t i = 0; i < w->radius; i++) {
        Py_ssize_t k = w->radius + w->count + i;
        for (Py_ssize_t s = 0; s < w->step; s++) {
            line[i * w->step + s] = places[i] < 0 ? w->outside : row[places[i] * w->step + s];
            line[k * w->step + s] = places[k] < 0 ? w->outside : row[places[k] * w->step + s];
        }
    }
}

/* Each row by itself. line has room for a row with what lies outside it, and a block more. */
static void along_rows(const weighing *w, double *line)
{
    const double *weights = w->weights.buf;
    double sums[BLOCK];
    for (Py_ssize_t y = 0; y < w->rows; y++) {
        lay_out(w, y, line);
        for (Py_ssize_t x = 0; x < w->columns; x += BLOCK) {
            const double *middle = line + x + w->radius * w->step;
            begin(middle, weights[0], sums);
            for (Py_ssize_t far = w->radius; far > 0; far--) {
                add(middle - far * w->step, middle + far * w->step, weights[far], sums);
            }
            Py_ssize_t n = w->columns - x < BLOCK ? w->columns - x : BLOCK;
            store(sums, n, w, y * w->columns + x);
        }
    }
}

/* n samples of the row at a place. */
static void load_at(const weighing *w, int64_t place, Py_ssize_t x, Py_ssize_t n, double *to)
{
    if (place >= 0) {
        load(w->image.buf, w->type, place * w->columns + x, n, to);
        return;
    }
    for (int i = 0; i < BLOCK; i++) {
        to[i] = w->outside;
    }
}

/* Each column by itself, a block of columns at a time. */
static void down_columns(const weighing *w)
{
    const double *weights = w->weights.buf;
    double a[BLOCK] = {0}, b[BLOCK] = {0}, sums[BLOCK];
    for (Py_ssize_t y = 0; y < w->count; y++) {
        const int64_t *middle = (const int64_t *)w->places.buf + y + w->radius;
        for (Py_ssize_t x = 0; x < w->columns; x += BLOCK) {
            Py_ssize_t n = w->columns - x < BLOCK ? w->columns - x : BLOCK;
            load_at(w, *middle, x, n, a);
            begin(a, weights[0], sums);
            for (Py_ssize_t far = w->radius; far > 0; far--) {
                load_at(w, middle[-far], x, n, a);
                load_at(w, middle[far], x, n, b);
                add(a, b, weights[far], sums);
            }
            store(sums, n, w, y * w->columns + x);
        }
    }
}

/* Whether there are so many samples. */
static int holds(const Py_buffer *memory, int type, Py_ssize_t rows, Py_ssize_t columns)
{
    Py_ssize_t bytes = (Py_ssize_t)satf_type_bytes(type);
    return memory->len % bytes == 0 && memory->len / bytes / rows == columns &&
           memory->len / bytes % rows == 0;
}

/* Whether the memory is as large as the arguments say, and all places are in the image. */
static int fits(weighing *w)
{
    Py_ssize_t places = w->places.len / (Py_ssize_t)sizeof(int64_t);
    int taken =
        w->type == SATF_U8 || w->type == SATF_U16 || w->type == SATF_F32 || w->type == SATF_F64;
    int made = w->out_type == SATF_U8 || w->out_type == SATF_U16 || w->out_type == SATF_F64;
    w->radius = w->weights.len / (Py_ssize_t)sizeof(double) - 1;
    w->count = places - 2 * w->radius;
    if (!taken || !made || w->radius < 0 || w->count < 1 || w->rows < 1 || w->columns < 1 ||
        w->step < 0 || !holds(&w->image, w->type, w->rows, w->columns) ||
        (w->step && (w->columns % w->step || w->columns / w->step != w->count)) ||
        !holds(&w->out, w->out_type, w->step ? w->rows : w->count, w->columns)) {
        return 0;
    }
    for (Py_ssize_t i = 0; i < places; i++) {
        int64_t place = ((const int64_t *)w->places.buf)[i];
        if (place < -1 || place >= (w->step ? w->count : w->rows)) {
            return 0;
        }
    }
    return 1;
}

static PyObject *weigh(weighing *w)
{
    double *line = NULL;
    if (!fits(w)) {
        return PyErr_Format(PyExc_ValueError, "the arrays do not fit each other");
    }
    if (w->step) {
        line = calloc((size_t)((w->count + 2 * w->radius) * w->step) + BLOCK, sizeof *line);
        if (!line) {
            return PyErr_NoMemory();
        }
    }
    Py_BEGIN_ALLOW_THREADS;
    if (line) {
        along_rows(w, line);
    } else {
        down_columns(w);
    }
    Py_END_ALLOW_THREADS;
    free(line);
    return Py_NewRef(Py_None);
}

PyObject *core_weigh(PyObject *module, PyObject *args)
{
    weighing w = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "y*innny*y*dw*i", &w.image, &w.type, &w.rows, &w.columns, &w.step,
                          &w.places, &w.weights, &w.outside, &w.out, &w.out_type)) {
        return NULL;
    }
    PyObject *none = weigh(&w);
    PyBuffer_Release(&w.image);
    PyBuffer_Release(&w.places);
    PyBuffer_Release(&w.weights);
    PyBuffer_Release(&w.out);
    return none;
}
