/* Filling images with samples, and checking tables and filters against definitions. */
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "../../src/base/memory.h"
#include "../../src/base/view.h"
#include "../../src/formula/adapt.h"
#include "../../src/sat/sums.h"

/* Floats are whole multiples of 1 / FLOAT_UNITS: a sum of 2^29 of their squares
 * still is exact in double. The reference counts in these units. */
#define FLOAT_UNITS 4096

static char message[256];

double bench_units(const satf_view *in)
{
    return satf_type_is_float(in->type) ? FLOAT_UNITS : 1;
}

static uint64_t check_next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

void bench_fill(const satf_view *in)
{
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    for (int64_t y = 0; y < in->height; y++) {
        char *row = satf_row(in, y);
        for (int64_t i = 0; i < satf_row_samples(in); i++) {
            uint64_t random = check_next_random(&state) >> 48;
            double sample = in->type == SATF_U8    ? (double)(random >> 8)
                            : in->type == SATF_U16 ? (double)random
                                                   : (double)(random % FLOAT_UNITS) / FLOAT_UNITS;
            adapt_put(in->type, sample, row + i * adapt_bytes(in->type));
        }
    }
}

/* Sample i of row y. */
static double check_load(const satf_view *view, int64_t y, int64_t i)
{
    return adapt_load(view->type, (const char *)satf_row(view, y) + i * adapt_bytes(view->type));
}

/* Row y of the input in units. */
static void load_units(const satf_view *in, int64_t y, uint64_t *units)
{
    double of_one = bench_units(in);
    for (int64_t i = 0; i < satf_row_samples(in); i++) {
        units[i] = (uint64_t)(check_load(in, y, i) * of_one);
    }
}

static const char *wrong(const satf_view *out, int64_t y, int64_t i, double got, double want)
{
    snprintf(message, sizeof message,
             "wrong result at column %" PRId64 ", row %" PRId64
             ", channel %d: %.17g instead of %.17g",
             i / out->channels, y, (int)(i % out->channels), got, want);
    return message;
}

static const char *no_memory(void)
{
    return "no memory for the reference result";
}

/* ------------------------------------------------------------------- SATs */

static const char *compare_sat_row(const satf_view *out, int64_t y, const uint64_t *want,
                                   double units)
{
    const uint64_t *row = out->type == SATF_U64 ? satf_row(out, y) : NULL;
    for (int64_t i = 0; i < satf_row_samples(out); i++) {
        double real = (double)want[i] / units, got = check_load(out, y, i);
        double expected = out->type == SATF_U32   ? (double)(uint32_t)want[i]
                          : out->type == SATF_F32 ? (double)(float)real
                                                  : real;
        if (row ? row[i] != want[i] : got != expected) {
            return wrong(out, y, i, got, expected);
        }
    }
    return NULL;
}

const char *bench_check_sat(const satf_view *in, const satf_view *out)
{
    size_t samples = (size_t)satf_row_samples(in);
    uint64_t *sat = satf_alloc_zeroed(samples * sizeof *sat); /* the row above, then this row */
    uint64_t *units = satf_alloc(samples * sizeof *units);
    const char *problem = sat && units ? NULL : no_memory();
    for (int64_t y = 0; y < in->height && !problem; y++) {
        uint64_t sum[SATF_MAX_CHANNELS] = {0};
        load_units(in, y, units);
        for (size_t i = 0; i < samples; i++) {
            sum[i % (size_t)in->channels] += units[i];
            sat[i] += sum[i % (size_t)in->channels];
        }
        problem = compare_sat_row(out, y, sat, bench_units(in));
    }
    satf_free(sat);
    satf_free(units);
    return problem;
}

/* ---------------------------------------------------------------- windows */

/* The sums over one rectangle relative to each pixel of a row, from the sums of
 * its columns, which slide down. Border: clamp. */
typedef struct march {
    const satf_view *in;
    satf_rect rect;
    bool squares;
    uint64_t *columns, *units;
} march;

static int64_t clamp(int64_t i, int64_t n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static void check_add_row(march *m, int64_t y, bool subtract)
{
    load_units(m->in, clamp(y, m->in->height), m->units);
    for (int64_t i = 0; i < satf_row_samples(m->in); i++) {
        uint64_t value = m->squares ? m->units[i] * m->units[i] : m->units[i];
        m->columns[i] += subtract ? 0 - value : value;
    }
}

static void march_close(march *m)
{
    satf_free(m->columns);
    satf_free(m->units);
}

/* Stands above row 0: march_row() moves down first. */
static bool march_open(march *m, const satf_view *in, satf_rect rect, bool squares)
{
    size_t bytes = (size_t)satf_row_samples(in) * sizeof *m->columns;
    *m = (march){in, rect, squares, satf_alloc_zeroed(bytes), satf_alloc(bytes)};
    if (!m->columns || !m->units) {
        march_close(m);
        return false;
    }
    for (int64_t y = -1; y < rect.h - 1; y++) {
        check_add_row(m, y + rect.y, false);
    }
    return true;
}

/* sums = those of row y; called for y = 0, 1, ... */
static void march_row(march *m, int64_t y, uint64_t *sums)
{
    int64_t width = m->in->width, channels = m->in->channels;
    check_add_row(m, y + m->rect.y - 1, true);
    check_add_row(m, y + m->rect.y + m->rect.h - 1, false);
    for (int64_t c = 0; c < channels; c++) {
        uint64_t sum = 0;
        for (int64_t x = m->rect.x; x < m->rect.x + m->rect.w; x++) {
            sum += m->columns[clamp(x, width) * channels + c];
        }
        for (int64_t x = 0; x < width; x++) {
            sums[x * channels + c] = sum;
            int64_t left = x + m->rect.x;
            sum += m->columns[clamp(left + m->rect.w, width) * channels + c];
            sum -= m->columns[clamp(left, width) * channels + c];
        }
    }
}

static satf_rect window_rect(int window)
{
    return (satf_rect){-(window / 2), -(window / 2), window, window};
}

size_t bench_template(int window, satf_weighted_rect rects[2])
{
    satf_rect whole = window_rect(window), left = whole, right = whole;
    left.w = window - window / 2;
    right.x += left.w;
    right.w = window / 2;
    rects[0] = (satf_weighted_rect){left, 1};
    rects[1] = (satf_weighted_rect){right, -1};
    return right.w > 0 ? 2 : 1;
}

/* ---------------------------------------------------------------- filters */

/* From the sums a and b at one pixel to the filter's value; u: units of 1. */
typedef struct formula {
    const char *filter;
    bool squares; /* b: the squares' sum over the same window */
    double (*value)(uint64_t a, uint64_t b, uint64_t area, double u);
} formula;

static double mean(uint64_t a, uint64_t b, uint64_t area, double u)
{
    (void)b;
    return (double)a / u / (double)area;
}

static double variance(uint64_t a, uint64_t b, uint64_t area, double u)
{
    satf_u128 numerator = (satf_u128)area * b - (satf_u128)a * a;
    return (double)numerator / ((double)area * (double)area) / (u * u);
}

static double deviation(uint64_t a, uint64_t b, uint64_t area, double u)
{
    return sqrt(variance(a, b, area, u));
}

static double check_difference(uint64_t a, uint64_t b, uint64_t area, double u)
{
    (void)area;
    return ((double)a - (double)b) / u;
}

static const formula formulas[] = {
    {"box", false, mean},
    {"variance", true, variance},
    {"stddev", true, deviation},
    {"template", false, check_difference},
};

/* The output sample that stands for a real value. */
static double check_stored(double value, int type)
{
    if (type == SATF_F32) {
        return (float)value;
    }
    if (type == SATF_F64) {
        return value;
    }
    double max = (double)satf_type_max(type);
    return value <= 0 ? 0 : value >= max ? max : floor(value + 0.5);
}

/* What sums of floats below 1 may be off by, a pixel of the window. From a table, where a border
 * repeats up to half a window of rows and of columns, the rounding of its largest sum counts as
 * often as there are pixels in that quarter. */
static double noise(const satf_view *in, int window, bool of_table)
{
    double repeated = (window / 2 + 1) / (double)window;
    double largest = (double)in->width * (double)in->height;
    double table = 0x1p-53 * largest * repeated * repeated;
    return !satf_type_is_float(in->type) ? 0 : of_table ? fmax(1e-12, table) : 1e-12;
}

/* Integer images meet the reference exactly. Real values of floats, and means,
 * which may be S / A or S * (1 / A), come within rounding errors of it. The error of a root is that
 * of its square over twice the root. */
static double tolerance(const satf_view *out, double error, double want, bool is_root)
{
    if (!satf_type_is_float(out->type)) {
        return 0;
    }
    double step = out->type == SATF_F32 ? 0x1p-22 : 0x1p-50;
    return (is_root && want > 0 ? fmax(error, error / (2 * want)) : error) + step * fabs(want);
}

static const char *compare_filter_row(const formula *f, const satf_view *in, const satf_view *out,
                                      int64_t y, const uint64_t *a, const uint64_t *b,
                                      uint64_t area, double error)
{
    bool exact_mean =
        f->value == mean && !satf_type_is_float(in->type) && !satf_type_is_float(out->type);
    for (int64_t i = 0; i < satf_row_samples(out); i++) {
        double want = exact_mean
                          ? (double)((2 * a[i] + area) / (2 * area))
                          : check_stored(f->value(a[i], b[i], area, bench_units(in)), out->type);
        double got = check_load(out, y, i);
        if (!(fabs(got - want) <= tolerance(out, error, want, f->value == deviation))) {
            return wrong(out, y, i, got, want);
        }
    }
    return NULL;
}

static const char *check_formula(const formula *f, int window, const satf_view *in,
                                 const satf_view *out, bool of_table)
{
    satf_weighted_rect halves[2];
    satf_rect first = window_rect(window), second = first;
    if (f->value == check_difference) {
        second.w = bench_template(window, halves) == 2 ? halves[1].rect.w : 0;
        first = halves[0].rect;
        second.x = halves[1].rect.x;
    }
    size_t samples = (size_t)satf_row_samples(in);
    uint64_t *a = satf_alloc(samples * sizeof *a);
    uint64_t *b = satf_alloc_zeroed(samples * sizeof *b);
    march first_march, second_march;
    const char *problem = no_memory();
    bool first_open = a && b && march_open(&first_march, in, first, false);
    bool second_open = first_open && march_open(&second_march, in, second, f->squares);
    if (second_open) {
        uint64_t area = (uint64_t)window * (uint64_t)window;
        double error = noise(in, window, of_table);
        problem = NULL;
        for (int64_t y = 0; y < in->height && !problem; y++) {
            march_row(&first_march, y, a);
            if (f->value != mean) {
                march_row(&second_march, y, b);
            }
            problem = compare_filter_row(f, in, out, y, a, b, area, error);
        }
        march_close(&second_march);
    }
    if (first_open) {
        march_close(&first_march);
    }
    satf_free(a);
    satf_free(b);
    return problem;
}

/* ------------------------------------------------------------ moved pixels */

int64_t bench_order(int64_t k, int64_t pixels)
{
    /* a prime above 2^31: no divisor of smaller images, and products fit 64 bits */
    return (int64_t)((uint64_t)k * UINT64_C(2654435761) % (uint64_t)pixels);
}

/* The place in the image of the pixel that comes to (x, y). */
static const struct move {
    const char *filter;
    bool swap, mirror_x, mirror_y; /* x and y change places; then each is counted from its end */
    bool ordered;
} moves[] = {
    {"transpose", true, false, false, false}, {"rotate", true, false, true, false},
    {"rotate=90", true, false, true, false},  {"rotate=180", false, true, true, false},
    {"rotate=270", true, true, false, false}, {"flip", false, true, false, false},
    {"flip=h", false, true, false, false},    {"flip=v", false, false, true, false},
    {"permute", false, false, false, true},
};

static const struct move *find_move(const char *filter)
{
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        if (strcmp(filter, moves[i].filter) == 0) {
            return &moves[i];
        }
    }
    return NULL;
}

static const char *check_move(const struct move *move, const satf_view *in, const satf_view *out)
{
    for (int64_t k = 0; k < out->width * out->height; k++) {
        int64_t x = k % out->width, y = k / out->width;
        int64_t from = bench_order(k, in->width * in->height);
        int64_t u = move->ordered ? from % in->width : move->swap ? y : x;
        int64_t v = move->ordered ? from / in->width : move->swap ? x : y;
        u = move->mirror_x ? in->width - 1 - u : u;
        v = move->mirror_y ? in->height - 1 - v : v;
        for (int64_t c = 0; c < out->channels; c++) {
            double want = check_stored(check_load(in, v, u * in->channels + c), out->type);
            double got = check_load(out, y, x * out->channels + c);
            if (got != want) {
                return wrong(out, y, x * out->channels + c, got, want);
            }
        }
    }
    return NULL;
}

/* ------------------------------------------------------------ another engine */

/* Integers must be the same; floats differ by what their sums round. */
static bool check_is_same(const satf_view *a, const satf_view *b, bool of_floats)
{
    double allowed = !of_floats ? 0 : a->type == SATF_F32 ? 1e-5 : 1e-8;
    for (int64_t y = 0; y < a->height; y++) {
        for (int64_t i = 0; i < satf_row_samples(a); i++) {
            double x = check_load(a, y, i), z = check_load(b, y, i);
            if (!(fabs(x - z) <= allowed * (1 + fabs(z)))) {
                return false;
            }
        }
    }
    return true;
}

/* The tests compare both engines with the definition. */
const char *bench_check_by_tables(const satf_filter *filter, const satf_view *in,
                                  const satf_view *out)
{
    satf_context *ctx;
    satf_view other = *out;
    const char *problem = NULL;
    if (satf_context_create(&ctx)) {
        return "there is no memory for a context to compare with";
    }
    satf_context_set_engine(ctx, SATF_ENGINE_SAT);
    if (satf_filter_check_engine(ctx, filter)) { /* it has no tables */
        satf_context_set_engine(ctx, SATF_ENGINE_AUTO);
    }
    other.data = satf_alloc((size_t)(out->stride * out->height));
    if (!other.data || satf_filter_apply(ctx, filter, in, &other)) {
        problem = "the CPU cannot make a result to compare with";
    } else if (!check_is_same(out, &other, satf_type_is_float(in->type))) {
        problem = "the CPU gives another result";
    }
    satf_free(other.data);
    satf_context_destroy(ctx);
    return problem;
}

/* ----------------------------------------------------------------- by name */

static const formula *find_formula(const char *filter)
{
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        if (strcmp(filter, formulas[i].filter) == 0) {
            return &formulas[i];
        }
    }
    return NULL;
}

bool bench_can_check(const char *filter)
{
    return strcmp(filter, "integral") == 0 || find_move(filter) || find_formula(filter);
}

const char *bench_check_filter(const char *filter, int window, const satf_view *in,
                               const satf_view *out, bool of_table)
{
    const formula *f = find_formula(filter);
    return strcmp(filter, "integral") == 0 ? bench_check_sat(in, out)
           : f                             ? check_formula(f, window, in, out, of_table)
                                           : check_move(find_move(filter), in, out);
}
