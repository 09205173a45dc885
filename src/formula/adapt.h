/*
 * Row adapters convert pixels at both ends of a filter: from the caller's types to those that
 * engines take, u8, u16, f32 and f64 with one weight, which is alpha, and back. This is the
 * definition, a pixel at a time; src/formula/adapt_rows.c has the same in loops. A leaf, valid in
 * C11 and in CUDA C++17.
 *
 * Loading: integers of 8 and 16 bits with a sign get an offset, `zero`, unless there is alpha.
 * Negative alpha becomes 0. A pixel with a sample that does not count weighs nothing, others weigh
 * what an image of weights says. The weight multiplies alpha, or is a lane of its own behind the
 * channels; filters that add up (`sums`) have the samples multiplied by it too. Colour may become
 * grey, of floats in doubles; alpha or the lane stays behind the grey.
 * Storing: where engines leave sums undivided, the weights' sum divides them. The offset and the
 * lane are taken away, results are rounded once, and where nothing counted they are `missing`.
 */
#ifndef SATF_FORMULA_ADAPT_H
#define SATF_FORMULA_ADAPT_H

#include "grey.h"
#include "half.h"

/* What decides whether a pixel of a result counts. */
typedef enum adapt_rule {
    ADAPT_ALL,      /* nothing: all do */
    ADAPT_OWN_LANE, /* its lane, which is that of its own pixel: not 0 */
    ADAPT_ANY_LANE, /* any of its lanes: the mean weight may be rounded to 0 */
    ADAPT_BESIDE    /* the last lane of the image that was loaded, beside it */
} adapt_rule;

typedef struct row_adapter row_adapter;
struct row_adapter {
    bool copies;  /* it only copies pixels, and the other fields do not matter */
    bool stores;  /* else it loads */
    bool aligned; /* on a device: all samples are, to their size */
    int from, to;
    int channels; /* of what people have */
    int lanes;    /* of engines: as many, or one more; before colour becomes grey */
    double zero;  /* the engines' sample that stands for 0 */
    /* Loading. */
    bool alpha;     /* the last channel is alpha */
    bool omits_nan; /* what is no number does not count, */
    double nodata;  /* and what is this; NAN: nothing is */
    bool weighs;    /* there is an image of weights, of the engines' type: 0 ... `whole` */
    double whole;   /* the weight, or alpha, of a pixel that counts wholly */
    bool sums;      /* the filter adds up */
    bool grey;      /* the first three channels, colour, become one; types: also u32 and u64 */
    /* Storing. */
    adapt_rule rule;
    bool divides; /* lanes are sums, which that of the weights divides */
    double missing;
    double least, most; /* of integers: where results end */
    int beside;         /* lanes of the image beside it */
};

/* Whether a sample is read and written at once: it is aligned to its size, as a device may say. */
#ifdef __CUDA_ARCH__
#define ADAPT_DIRECT aligned
#else
#define ADAPT_DIRECT (aligned && false)
#endif

#define ADAPT_LOAD(Type)                                \
    do {                                                \
        Type sample;                                    \
        if (ADAPT_DIRECT) {                             \
            sample = *(const Type *)(const void *)from; \
        } else {                                        \
            memcpy(&sample, from, sizeof sample);       \
        }                                               \
        return (double)sample;                          \
    } while (0)
#define ADAPT_PUT(Type, word)                   \
    do {                                        \
        Type sample = (Type)(word);             \
        if (ADAPT_DIRECT) {                     \
            *(Type *)(void *)to = sample;       \
        } else {                                \
            memcpy(to, &sample, sizeof sample); \
        }                                       \
    } while (0)

/* The sample as a double, which is exact below 2^53. */
SATF_FORMULA double adapt_load_at(int type, const char *from, bool aligned)
{
    switch (type) {
    case SATF_U8:
        ADAPT_LOAD(uint8_t);
    case SATF_U16:
        ADAPT_LOAD(uint16_t);
    case SATF_U32:
        ADAPT_LOAD(uint32_t);
    case SATF_U64:
        ADAPT_LOAD(uint64_t);
    case SATF_I8:
        ADAPT_LOAD(int8_t);
    case SATF_I16:
        ADAPT_LOAD(int16_t);
    case SATF_I32:
        ADAPT_LOAD(int32_t);
    case SATF_I64:
        ADAPT_LOAD(int64_t);
    case SATF_F32:
        ADAPT_LOAD(float);
    case SATF_F64:
        ADAPT_LOAD(double);
    default: {
        uint16_t half;
        memcpy(&half, from, sizeof half);
        return half_number(type == SATF_BF16, half);
    }
    }
}

SATF_FORMULA double adapt_load(int type, const char *from)
{
    return adapt_load_at(type, from, false);
}

/* To nearest, halves up, saturated; what is no number becomes 0. */
SATF_FORMULA double adapt_rounded(double value, double least, double most)
{
    value = value == value ? value : 0;
    double below = floor(value);
    double rounded = below + (value - below >= 0.5 ? 1.0 : 0.0);
    return rounded < least ? least : rounded > most ? most : rounded;
}

/* Stores a value that has been rounded as far as the type wants it; 64 bits are saturated here, for
 * doubles do not hold their ends. */
SATF_FORMULA void adapt_put_at(int type, double value, char *to, bool aligned)
{
    switch (type) {
    case SATF_U8:
        ADAPT_PUT(uint8_t, value);
        break;
    case SATF_U16:
        ADAPT_PUT(uint16_t, value);
        break;
    case SATF_U32:
        ADAPT_PUT(uint32_t, value);
        break;
    case SATF_U64:
        ADAPT_PUT(uint64_t, value >= 0x1p64 ? UINT64_MAX : (uint64_t)value);
        break;
    case SATF_I8:
        ADAPT_PUT(int8_t, value);
        break;
    case SATF_I16:
        ADAPT_PUT(int16_t, value);
        break;
    case SATF_I32:
        ADAPT_PUT(int32_t, value);
        break;
    case SATF_I64:
        ADAPT_PUT(int64_t, value >= 0x1p63 ? INT64_MAX : (int64_t)value);
        break;
    case SATF_F32:
        ADAPT_PUT(float, value);
        break;
    case SATF_F64:
        ADAPT_PUT(double, value);
        break;
    default:
        ADAPT_PUT(uint16_t, half_nearest(type == SATF_BF16, value));
    }
}
#undef ADAPT_LOAD
#undef ADAPT_DIRECT
#undef ADAPT_PUT

SATF_FORMULA void adapt_put(int type, double value, char *to)
{
    adapt_put_at(type, value, to, false);
}

SATF_FORMULA bool adapt_is_float(int type)
{
    return type == SATF_F32 || type == SATF_F64 || type == SATF_F16 || type == SATF_BF16;
}

SATF_FORMULA int adapt_bytes(int type)
{
    return type == SATF_U8 || type == SATF_I8                         ? 1
           : type == SATF_U32 || type == SATF_I32 || type == SATF_F32 ? 4
           : type == SATF_U64 || type == SATF_I64 || type == SATF_F64 ? 8
                                                                      : 2;
}

/* The ends of an integer type, as doubles. */
SATF_FORMULA double adapt_most(int type)
{
    int bits = 8 * adapt_bytes(type) - (type >= SATF_I8 && type <= SATF_I64);
    return bits == 64 ? 0x1p64 : bits == 63 ? 0x1p63 : (double)((1ull << bits) - 1);
}

SATF_FORMULA double adapt_least(int type)
{
    bool has_sign = type >= SATF_I8 && type <= SATF_I64;
    return has_sign ? -(double)(1ull << (8 * adapt_bytes(type) - 1)) : 0;
}

/* The value as a sample of the type; NAN if the type does not hold it: an integer type only what is
 * among its numbers, a float type anything that it does not turn into an infinity. */
SATF_FORMULA double adapt_sample_of(int type, double value)
{
    char sample[sizeof(double)];
    bool floats = adapt_is_float(type);
    adapt_put(type, floats ? value : adapt_rounded(value, adapt_least(type), adapt_most(type)),
              sample);
    double is = adapt_load(type, sample);
    bool holds = floats ? !isinf(is) || isinf(value) : is == value;
    return holds ? is : NAN;
}

/* A weight of 0 ... whole as a sample of the type: no weight above 0 becomes the integer 0. */
SATF_FORMULA double adapt_step(int type, double weight)
{
    double rounded = floor(weight + 0.5);
    return adapt_is_float(type) ? weight : rounded == 0 && weight > 0 ? 1 : rounded;
}

SATF_FORMULA double adapt_weight(const row_adapter *a, double weight, double alpha)
{
    return adapt_step(a->to, weight * alpha / a->whole);
}

/* The type of the samples that loading makes. */
SATF_FORMULA int adapt_made(const row_adapter *a)
{
    return a->grey && a->to == SATF_F32 ? SATF_F64 : a->to;
}

/* Stores a weight, rounded to the engines' type. */
SATF_FORMULA void adapt_put_weight(const row_adapter *a, double weight, char *to)
{
    adapt_put_at(adapt_made(a), a->to == SATF_F32 ? (double)(float)weight : weight, to, a->aligned);
}

SATF_FORMULA double adapt_sample(const row_adapter *a, const char *from)
{
    double sample = adapt_load_at(a->from, from, a->aligned);
    return a->zero != 0 ? sample + a->zero : sample;
}

SATF_FORMULA double adapt_grey(const row_adapter *a, const char *from)
{
    int bytes = adapt_bytes(a->from);
    double r = adapt_sample(a, from), g = adapt_sample(a, from + bytes);
    double b = adapt_sample(a, from + 2 * bytes);
    return adapt_is_float(a->to) ? grey_of_reals(r, g, b)
                                 : (double)grey_of_integers((uint32_t)r, (uint32_t)g, (uint32_t)b);
}

/* The grey of u32 and u64 by integers, for doubles need not hold it. All pixels count. */
SATF_FORMULA void adapt_load_words(const row_adapter *a, const char *from, char *to)
{
    uint64_t words[4] = {0, 0, 0, 0};
    int bytes = adapt_bytes(a->to);
    for (int c = 0; c < a->channels; c++) {
        memcpy(&words[c], from + c * bytes, (size_t)bytes);
    }
    words[0] = grey_of_wide(words[0], words[1], words[2]);
    memcpy(to, &words[0], (size_t)bytes);
    if (a->channels > 3) {
        memcpy(to + bytes, &words[3], (size_t)bytes);
    }
}

/* Makes a pixel for the engines. weight: its sample of the image of weights, or NULL. */
SATF_FORMULA void adapt_load_pixel(const row_adapter *a, const char *from, const char *weight,
                                   char *to)
{
    int bytes = adapt_bytes(a->from), to_bytes = adapt_bytes(adapt_made(a));
    int colours = a->channels - a->alpha;
    if (a->grey && (a->to == SATF_U32 || a->to == SATF_U64)) {
        adapt_load_words(a, from, to);
        return;
    }
    bool counts = !a->weighs || adapt_load_at(a->to, weight, a->aligned) != 0;
    for (int c = 0; c < colours; c++) {
        double sample = adapt_load_at(a->from, from + c * bytes, a->aligned);
        counts = counts && sample != a->nodata && !(a->omits_nan && sample != sample);
    }
    double weighs = counts ? (a->weighs ? adapt_load_at(a->to, weight, a->aligned) : a->whole) : 0;
    if (a->grey) {
        adapt_put_at(adapt_made(a), counts ? adapt_grey(a, from) : 0, to, a->aligned);
        to += to_bytes;
    }
    for (int c = a->grey ? 3 : 0; c < colours; c++, to += to_bytes) {
        double sample = adapt_sample(a, from + c * bytes);
        sample = a->sums && a->weighs ? sample * (weighs / a->whole) : sample;
        adapt_put_at(adapt_made(a), counts ? sample : 0, to, a->aligned);
    }
    if (a->alpha) {
        double alpha = adapt_load_at(a->from, from + colours * bytes, a->aligned);
        adapt_put_weight(a, adapt_weight(a, weighs, alpha > 0 ? alpha : 0), to);
        to += to_bytes;
    }
    if (a->lanes > a->channels) {
        adapt_put_weight(a, weighs, to);
    }
}

/* The mean, from the sum and the weights' sum: of integers rounded to nearest, halves up. */
SATF_FORMULA double adapt_divided(const row_adapter *a, double sum, double weights)
{
    uint64_t s = (uint64_t)sum, w = (uint64_t)weights;
    return adapt_is_float(a->from) ? sum * (1 / weights) : (double)((2 * s + w) / (2 * w));
}

/* Stores a result's sample of a pixel that counts. */
SATF_FORMULA void adapt_store_value(const row_adapter *a, double value, char *to)
{
    value -= a->zero;
    adapt_put_at(a->to, adapt_is_float(a->to) ? value : adapt_rounded(value, a->least, a->most), to,
                 a->aligned);
}

/* Stores a pixel of the result. beside: the loaded image's pixel, for ADAPT_BESIDE. */
SATF_FORMULA void adapt_store_pixel(const row_adapter *a, const char *from, const char *beside,
                                    int beside_type, char *to)
{
    int bytes = adapt_bytes(a->from), to_bytes = adapt_bytes(a->to);
    const char *lane = a->rule == ADAPT_BESIDE ? beside + (a->beside - 1) * adapt_bytes(beside_type)
                                               : from + (a->lanes - 1) * bytes;
    bool counts =
        a->rule == ADAPT_ALL ||
        adapt_load_at(a->rule == ADAPT_BESIDE ? beside_type : a->from, lane, a->aligned) != 0;
    for (int c = 0; a->rule == ADAPT_ANY_LANE && c < a->channels; c++) {
        counts = counts || adapt_load_at(a->from, from + c * bytes, a->aligned) != 0;
    }
    for (int c = 0; c < a->channels; c++) {
        double value = adapt_load_at(a->from, from + c * bytes, a->aligned);
        if (counts && a->divides) {
            value = adapt_divided(a, value, adapt_load_at(a->from, lane, a->aligned));
        }
        if (counts) {
            adapt_store_value(a, value, to + c * to_bytes);
        } else {
            adapt_put_at(a->to, a->missing, to + c * to_bytes, a->aligned);
        }
    }
}

#endif
