/* Comparing filters on both engines with what a test expects, over types, layouts and borders. */
#ifndef SATF_TESTS_FILTER_CHECK_H
#define SATF_TESTS_FILTER_CHECK_H

#include "test.h"

#include "filter_reference.h"
#include "pairs.h"

enum { ALL_BORDERS = SATF_SHRINK + 1 };

static const int sample_types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
static const struct {
    int channels, alpha;
} layouts[] = {{1, 0}, {2, 0}, {3, 0}, {4, 0}, {2, 1}, {3, 1}, {4, 1}};

typedef struct test_case {
    ref_image image;
    int border;
    int64_t constant;
    int64_t w, h, at_x, at_y;
    uint64_t seed;
    double slack; /* how far results, or their squares, may be from what is wanted */
    bool slack_of_squares;
} test_case;

static inline void describe(const test_case *t, const char *what, int engine, int threads)
{
    print_error("%s: %s %d channels%s, %ld x %ld, window %ld x %ld, border %s (constant %ld), "
                "engine %s, %d threads, seed %lu\n",
                what, satf_type_name(t->image.type), t->image.channels,
                t->image.alpha ? " with alpha" : "", (long)t->image.width, (long)t->image.height,
                (long)t->w, (long)t->h, satf_border_name(t->border), (long)t->constant,
                engine == SATF_ENGINE_SAT ? "sat" : "window", threads, (unsigned long)t->seed);
}

static inline int is_real(const test_case *t)
{
    return !satf_type_max(t->image.type);
}

/* The sample as a double, whatever its type. */
static inline double load(int type, const char *from)
{
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    float f32;
    double f64;
    switch (type) {
    case SATF_U8:
        memcpy(&u8, from, sizeof u8);
        return u8;
    case SATF_U16:
        memcpy(&u16, from, sizeof u16);
        return u16;
    case SATF_U32:
        memcpy(&u32, from, sizeof u32);
        return u32;
    case SATF_U64:
        memcpy(&u64, from, sizeof u64);
        return (double)u64;
    case SATF_F32:
        memcpy(&f32, from, sizeof f32);
        return (double)f32;
    default:
        memcpy(&f64, from, sizeof f64);
        return f64;
    }
}

static inline bool is_as_wanted(const test_case *t, double got, double wanted)
{
    double scale = t->slack_of_squares ? fabs(got) + fabs(wanted) : 1;
    return memcmp(&got, &wanted, sizeof got) == 0 || (got == 0 && wanted == 0) ||
           (t->slack > 0 && fabs(got - wanted) * scale <= t->slack);
}

/* Applies the filter on both engines and compares. want: the expected samples. */
static inline void check(satf_context *ctx, const test_case *t, satf_filter *filter,
                         const char *name, int engines, const double *want)
{
    static unsigned turn;
    satf_view in = ref_view(&t->image, turn % 3), out;
    for (int engine = SATF_ENGINE_SAT; engine < SATF_ENGINE_SAT + engines; engine++) {
        int threads = (const int[]){1, 2, 5}[turn++ % 3];
        satf_context_set_threads(ctx, threads);
        satf_context_set_engine(ctx, (satf_engine)engine);
        if (satf_filter_output(ctx, filter, &in, &out)) {
            describe(t, name, engine, threads);
            fail_msg("%s", satf_message(ctx));
        }
        size_t bytes = satf_type_bytes(out.type);
        out.stride += turn % 5;
        out.data = malloc((size_t)(out.stride * out.height));
        memset(out.data, 0xa5, (size_t)(out.stride * out.height));
        if (satf_filter_apply(ctx, filter, &in, &out)) {
            describe(t, name, engine, threads);
            fail_msg("%s", satf_message(ctx));
        }
        for (int64_t y = 0; y < out.height; y++) {
            const char *row = satf_row(&out, y);
            for (int64_t i = 0; i < satf_row_samples(&out); i++) {
                double got = load(out.type, row + (size_t)i * bytes);
                double expected = want[y * satf_row_samples(&out) + i];
                if (!is_as_wanted(t, got, expected)) {
                    describe(t, name, engine, threads);
                    fail_msg("first wrong pixel (%ld, %ld) channel %ld: %.17g instead of %.17g",
                             (long)(i / out.channels), (long)y, (long)(i % out.channels), got,
                             expected);
                }
            }
            for (int64_t i = satf_row_samples(&out) * (int64_t)bytes; i < out.stride; i++) {
                if ((unsigned char)row[i] != 0xa5) {
                    describe(t, name, engine, threads);
                    fail_msg("row %ld wrote behind its end", (long)y);
                }
            }
        }
        free(out.data);
    }
    free(in.data);
}

static inline double constant_of(const test_case *t)
{
    return is_real(t) ? (double)t->constant / REF_UNIT : (double)t->constant;
}

static inline void set_place(satf_context *ctx, const test_case *t, satf_filter *filter)
{
    char text[64];
    snprintf(text, sizeof text, "%ld:%ld", (long)t->at_x, (long)t->at_y);
    assert_int_equal(satf_filter_set(ctx, filter, "at", text), SATF_OK);
}

/* Layouts and constants for one geometry, every type and border; by pairs of these. */
static inline void check_geometry(satf_context *ctx, int64_t width, int64_t height, int64_t w,
                                  int64_t h, uint64_t seed,
                                  void (*with)(satf_context *, test_case *))
{
    static pairs met;
    memset(&met, 0, sizeof met);
    for (size_t type = 0; type < 4; type++) {
        for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++) {
            test_case t = {.w = w, .h = h, .seed = seed++};
            t.image = (ref_image){
                width, height, layouts[k].channels, sample_types[type], layouts[k].alpha, NULL};
            ref_fill(&t.image, t.seed);
            for (t.border = 0; t.border < ALL_BORDERS; t.border++) {
                t.constant = t.border == SATF_CONSTANT ? 7 + (int64_t)(seed & 127) : 0;
                if (PAIRS_RUN(&met, (int)type, (int)k, t.border)) {
                    with(ctx, &t);
                }
            }
            free(t.image.samples);
        }
    }
}

#endif
