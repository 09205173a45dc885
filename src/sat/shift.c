/* Finding a shift of each channel from a few samples. */
#include "shift.h"

#include <math.h>
#include <string.h>

/* The samples of a channel, in ascending order. */
typedef struct samples {
    int count;
    double values[SATF_SHIFT_PLACES * SATF_SHIFT_PLACES];
} samples;

static double shift_load(const satf_view *in, const void *row, int64_t sample)
{
    float narrow;
    double wide;
    const char *at = (const char *)row + sample * (int64_t)satf_type_bytes(in->type);
    if (in->type == SATF_F32) {
        memcpy(&narrow, at, sizeof narrow);
        return (double)narrow;
    }
    memcpy(&wide, at, sizeof wide);
    return wide;
}

/* Inserts a sample in its place. */
static void shift_insert(samples *s, double value)
{
    int i = s->count++;
    for (; i > 0 && s->values[i - 1] > value; i--) {
        s->values[i] = s->values[i - 1];
    }
    s->values[i] = value;
}

static void shift_add_row(const satf_view *in, bool weighted, const void *row, int64_t x, int64_t n,
                          int channel, samples *s)
{
    int last = in->channels - 1;
    for (int k = 0; k < SATF_SHIFT_PLACES && !(weighted && channel == last); k++) {
        int64_t pixel = (x + satf_shift_place(k, n)) * in->channels;
        double value = shift_load(in, row, pixel + channel);
        if (fabs(value) <= SATF_SHIFT_MOST &&
            (!weighted || shift_load(in, row, pixel + last) > 0)) {
            shift_insert(s, value);
        }
    }
}

static double shift_choose(const samples *s)
{
    if (s->count == 0) {
        return 0;
    }
    int quarter = s->count / 4;
    return satf_shift_choose(s->values[quarter], s->values[(s->count - 1) / 2],
                             s->values[s->count - 1 - quarter]);
}

void satf_shifts(const satf_view *in, bool weighted, const void *const *rows, int count, int64_t x,
                 int64_t n, double *shifts)
{
    for (int c = 0; c < in->channels; c++) {
        samples s;
        s.count = 0;
        for (int k = 0; k < count; k++) {
            shift_add_row(in, weighted, rows[k], x, n, c, &s);
        }
        shifts[c] = shift_choose(&s);
    }
}

void satf_image_shifts(const satf_view *in, bool weighted, double *shifts)
{
    const void *rows[SATF_SHIFT_PLACES];
    for (int k = 0; k < SATF_SHIFT_PLACES; k++) {
        rows[k] = satf_row(in, satf_shift_place(k, in->height));
    }
    satf_shifts(in, weighted, rows, SATF_SHIFT_PLACES, 0, in->width, shifts);
}
