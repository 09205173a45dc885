/* Sums and statistics over rectangles, by the corners of summed area tables on the host. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../base/view.h"
#include "../satfilter/formula.h"
#include "sat.h"

/* A checked table, in the form that loops take. */
typedef struct table {
    const char *data;
    int64_t stride, pixel; /* bytes */
    int channels;
} table;

static table table_of(const satf_view *sat)
{
    return (table){sat->data, sat->stride, satf_pixel_bytes(sat), sat->channels};
}

/* b[d][r] - b[u][r] - b[d][l] + b[u][l] of a channel, where d and r are the rectangle's last row
 * and column, u and l those in front of its first; what lies outside the image is 0. Formed in
 * Wide. */
#define RECT_SUM(Sum, Wide)                                                               \
    static inline __attribute__((always_inline))                                          \
    Wide sum_##Sum(const table *t, const satf_rect *rect, int c)                          \
    {                                                                                     \
        Sum corner[4] = {0};                                                              \
        const char *last = t->data + (rect->y + rect->h - 1) * t->stride +                \
                           (rect->x + rect->w - 1) * t->pixel + c * (int64_t)sizeof(Sum); \
        int64_t up = -rect->h * t->stride, left = -rect->w * t->pixel;                    \
        memcpy(&corner[0], last, sizeof(Sum));                                            \
        if (rect->y) {                                                                    \
            memcpy(&corner[1], last + up, sizeof(Sum));                                   \
        }                                                                                 \
        if (rect->x) {                                                                    \
            memcpy(&corner[2], last + left, sizeof(Sum));                                 \
        }                                                                                 \
        if (rect->x && rect->y) {                                                         \
            memcpy(&corner[3], last + up + left, sizeof(Sum));                            \
        }                                                                                 \
        return (Wide)corner[0] - corner[1] - corner[2] + corner[3];                       \
    }

RECT_SUM(uint32_t, uint32_t)
RECT_SUM(uint64_t, uint64_t)
RECT_SUM(float, double)
RECT_SUM(double, double)

/* The rectangles of a call, which are inside the table. */
typedef struct rect_list {
    const satf_rect *rects;
    size_t count;
    int64_t dx, dy;
} rect_list;

static inline satf_rect moved(const rect_list *list, size_t k)
{
    const satf_rect *rect = &list->rects[k];
    return (satf_rect){rect->x + list->dx, rect->y + list->dy, rect->w, rect->h};
}

/* sums_Sum(): each rounded once. One channel is a loop of its own. */
#define RECT_SUMS(Sum)                                                        \
    static inline __attribute__((always_inline)) void make_##Sum(             \
        const table *t, const rect_list *list, int channels, char *sums)      \
    {                                                                         \
        for (size_t k = 0; k < list->count; k++) {                            \
            satf_rect rect = moved(list, k);                                  \
            for (int c = 0; c < channels; c++, sums += sizeof(Sum)) {         \
                Sum sum = (Sum)sum_##Sum(t, &rect, c);                        \
                memcpy(sums, &sum, sizeof sum);                               \
            }                                                                 \
        }                                                                     \
    }                                                                         \
    static void sums_##Sum(const table *t, const rect_list *list, char *sums) \
    {                                                                         \
        if (t->channels == 1) {                                               \
            make_##Sum(t, list, 1, sums);                                     \
        } else {                                                              \
            make_##Sum(t, list, t->channels, sums);                           \
        }                                                                     \
    }

RECT_SUMS(uint32_t)
RECT_SUMS(uint64_t)
RECT_SUMS(float)
RECT_SUMS(double)

/* Mean and variance by the formulas of windows, from the moments of each channel. */
#define RECT_STATS(Sum, Square)                                                               \
    static void stats_##Sum##_##Square(const table *t, const table *squares,                  \
                                       const rect_list *list, double *mean, double *variance) \
    {                                                                                         \
        for (size_t k = 0; k < list->count; k++) {                                            \
            satf_rect rect = moved(list, k);                                                  \
            formula_sums in = {0};                                                            \
            formula_set_weight(&in, (uint64_t)rect.w *(uint64_t)rect.h);                      \
            for (int c = 0; c < t->channels; c++) {                                           \
                set_moments(sum_##Sum(t, &rect, c), sum_##Square(squares, &rect, c), &in);    \
                *mean++ = formula_number_of(formula_mean(&in));                               \
                *variance++ = formula_variance(&in);                                          \
            }                                                                                 \
        }                                                                                     \
    }

/* Sets integer moments. S^2 is at most A S2, so if A S2 fits 64 bits all products do. */
static inline void set_integers(uint64_t sum, uint64_t square, formula_sums *in)
{
    uint64_t product;
    in->words = __builtin_mul_overflow(in->weight, square, &product) ? FORMULA_WIDE : FORMULA_WORD;
    in->sum = sum;
    in->square = square;
}

static inline void set_reals(double sum, double square, formula_sums *in)
{
    in->real = true;
    in->real_sum = sum;
    in->real_square = square;
}

#define set_moments set_integers
RECT_STATS(uint32_t, uint32_t)
RECT_STATS(uint32_t, uint64_t)
RECT_STATS(uint64_t, uint32_t)
RECT_STATS(uint64_t, uint64_t)
#undef set_moments
#define set_moments set_reals
RECT_STATS(float, float)
RECT_STATS(float, double)
RECT_STATS(double, float)
RECT_STATS(double, double)
#undef set_moments

/* --------------------------------------------------------------------- checks */

/* The number of the type among those that tables have; -1: it is none of them. */
static int sum_number(int type)
{
    return type == SATF_U32   ? 0
           : type == SATF_U64 ? 1
           : type == SATF_F32 ? 2
           : type == SATF_F64 ? 3
                              : -1;
}

static satf_status check_table(satf_context *ctx, const satf_view *sat, const char *what)
{
    satf_status status = satf_check_view(ctx, sat, what, true);
    status = status ? status : satf_check_packed(ctx, sat, what);
    if (status) {
        return status;
    }
    if (sum_number(sat->type) < 0) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "a %s of %s is not a summed area table", what,
                         satf_type_name(sat->type));
    }
    return sat->device == SATF_HOST ? SATF_OK
                                    : satf_fail(ctx, SATF_UNSUPPORTED,
                                                "rectangle sums need the %s in host memory", what);
}

static satf_status fail_rect(satf_context *ctx, const satf_view *sat, const rect_list *list,
                             size_t k)
{
    const satf_rect *rect = &list->rects[k];
    char by[64] = "";
    if (list->dx || list->dy) {
        snprintf(by, sizeof by, ", moved by %" PRId64 ", %" PRId64 ",", list->dx, list->dy);
    }
    return satf_fail(ctx, SATF_INVALID,
                     "rectangle %zu (%" PRId64 " x %" PRId64 " at %" PRId64 ", %" PRId64
                     ")%s is empty or leaves the table of %" PRId64 " x %" PRId64,
                     k, rect->w, rect->h, rect->x, rect->y, by, sat->width, sat->height);
}

static satf_status check_rects(satf_context *ctx, const satf_view *sat, const rect_list *list)
{
    for (size_t k = 0; k < list->count; k++) {
        const satf_rect *rect = &list->rects[k];
        int64_t x, y;
        if (__builtin_add_overflow(rect->x, list->dx, &x) ||
            __builtin_add_overflow(rect->y, list->dy, &y) || !satf_inside(x, rect->w, sat->width) ||
            !satf_inside(y, rect->h, sat->height)) {
            return fail_rect(ctx, sat, list, k);
        }
    }
    return SATF_OK;
}

/* ------------------------------------------------------------------ for others */

satf_status satf_rect_sums(satf_context *ctx, const satf_view *sat, const satf_rect *rects,
                           size_t count, int64_t dx, int64_t dy, void *sums)
{
    static void (*const loops[])(const table *, const rect_list *,
                                 char *) = {sums_uint32_t, sums_uint64_t, sums_float, sums_double};
    if (!ctx) {
        return SATF_INVALID;
    }
    rect_list list = {rects, count, dx, dy};
    satf_status status = check_table(ctx, sat, "table");
    if (!status && count && (!rects || !sums)) {
        status =
            satf_fail(ctx, SATF_INVALID, "the rectangles or the place for their sums is missing");
    }
    status = status ? status : check_rects(ctx, sat, &list);
    if (!status) {
        table t = table_of(sat);
        loops[sum_number(sat->type)](&t, &list, sums);
    }
    return status;
}

static satf_status check_both(satf_context *ctx, const satf_view *sat, const satf_view *squares)
{
    satf_status status = check_table(ctx, sat, "table");
    status = status ? status : check_table(ctx, squares, "table of squares");
    if (!status && (sat->width != squares->width || sat->height != squares->height ||
                    sat->channels != squares->channels ||
                    satf_type_is_float(sat->type) != satf_type_is_float(squares->type))) {
        status = satf_fail(ctx, SATF_INVALID,
                           "the table of squares, %" PRId64 " x %" PRId64
                           " of %d channels of %s, is not like that of sums, %" PRId64 " x %" PRId64
                           " of %d of %s",
                           squares->width, squares->height, (int)squares->channels,
                           satf_type_name(squares->type), sat->width, sat->height,
                           (int)sat->channels, satf_type_name(sat->type));
    }
    return status;
}

satf_status satf_rect_stats(satf_context *ctx, const satf_view *sat, const satf_view *squares,
                            const satf_rect *rects, size_t count, int64_t dx, int64_t dy,
                            double *mean, double *variance)
{
    static void (*const loops[4][4])(const table *, const table *, const rect_list *, double *,
                                     double *) = {
        {stats_uint32_t_uint32_t, stats_uint32_t_uint64_t, NULL, NULL},
        {stats_uint64_t_uint32_t, stats_uint64_t_uint64_t, NULL, NULL},
        {NULL, NULL, stats_float_float, stats_float_double},
        {NULL, NULL, stats_double_float, stats_double_double}};
    if (!ctx) {
        return SATF_INVALID;
    }
    rect_list list = {rects, count, dx, dy};
    satf_status status = check_both(ctx, sat, squares);
    if (!status && count && (!rects || !mean || !variance)) {
        status = satf_fail(ctx, SATF_INVALID,
                           "the rectangles or the place for their statistics is missing");
    }
    status = status ? status : check_rects(ctx, sat, &list);
    if (!status) {
        table t = table_of(sat), t2 = table_of(squares);
        loops[sum_number(sat->type)][sum_number(squares->type)](&t, &t2, &list, mean, variance);
    }
    return status;
}
