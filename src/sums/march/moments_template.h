/* Moments of windows from moments of columns, along a row; strip_template.h includes this once. */

/* Unites the parts of 1, 2, 4, ... columns that make up the window, the narrowest first. */
static void unite_columns(const horizontal_row *shape, double weight, const strip_row *columns,
                          const strip_row *windows)
{
    int64_t channels = shape->channels, n = shape->pixels * channels;
    int64_t filled = n + (shape->window - 1) * channels, done = 0;
    for (int64_t width = 1; width <= shape->window; width *= 2) {
        strip_row next = further(columns, done * channels);
        if (shape->window & width && done == 0) {
            copy_row(n, columns, windows);
        } else if (shape->window & width) {
            unite(n, windows, &next, weight * (double)width, windows);
        }
        done += shape->window & width;
        if (2 * width <= shape->window) {
            next = further(columns, width * channels);
            filled -= width * channels;
            unite(filled, columns, &next, weight * (double)width, columns);
        }
    }
}

/* The same of one channel without weights, for windows of 4 to 31 columns: parts of 2, 4, 8 and 16
 * columns are made from right to left, in registers. */
enum { PARTS = 5 };

typedef struct moments {
    reals sum, square;
} moments;

static inline __attribute__((always_inline)) moments moments_at(const strip_row *row, int64_t i)
{
    return (moments){REALS_CONST(row->sum + i), REALS_CONST(row->square + i)};
}

static inline __attribute__((always_inline)) void put_moments(moments m, const strip_row *row,
                                                              int64_t i)
{
    REALS(row->sum + i) = m.sum;
    REALS(row->square + i) = m.square;
}

/* As unite_rows(), where b's shift is `rise` above a's. */
static inline __attribute__((always_inline)) moments both_moments(moments a, moments b, reals rise,
                                                                  double weight)
{
    reals moved = b.sum + weight * rise, square = b.square + rise * (b.sum + moved);
    return (moments){a.sum + moved, a.square + square};
}

#define LATER_MOMENTS(m, next, k) \
    ((moments){LATER((m).sum, (next).sum, k), LATER((m).square, (next).square, k)})

/* Parts of columns up to `end` - 1. Called with a constant for the widest, 4, 8 or 16. kept: the
 * widths that are stored, the widest among them, and 8 where there is 16. */
static inline __attribute__((always_inline)) void make_parts(const int widest, int64_t kept,
                                                             int64_t end, double weight,
                                                             const strip_row columns,
                                                             const strip_row *parts)
{
    const strip_row two = parts[1], four = parts[2], eight = parts[3], sixteen = parts[4];
    moments next_two = {{0}, {0}}, next_four = {{0}, {0}}, later_four = {{0}, {0}};
    for (int64_t i = (end - 1) / REALS_LANES * REALS_LANES; i >= 0; i -= REALS_LANES) {
        reals shift = REALS_CONST(columns.shift + i);
#define RISE(k) (REALS_CONST(columns.shift + i + (k)) - shift)
        moments m =
            both_moments(moments_at(&columns, i), moments_at(&columns, i + 1), RISE(1), weight);
        if (kept & 2) {
            put_moments(m, &two, i);
        }
        moments wider = both_moments(m, LATER_MOMENTS(m, next_two, 2), RISE(2), 2 * weight);
        next_two = m;
        m = wider;
        if (kept & 4) {
            put_moments(m, &four, i);
        }
        if (widest >= 8) {
            moments fifth = REALS_LANES == 8   ? LATER_MOMENTS(m, next_four, 4)
                            : REALS_LANES == 4 ? next_four
                                               : later_four;
            later_four = next_four;
            next_four = m;
            m = both_moments(m, fifth, RISE(4), 4 * weight);
            if (kept & 8) {
                put_moments(m, &eight, i);
            }
        }
        if (widest >= 16) {
            m = both_moments(m, moments_at(&eight, i + 8), RISE(8), 8 * weight);
            put_moments(m, &sixteen, i);
        }
#undef RISE
    }
}

/* windows = the parts united. Part k begins at[k] columns into the window; weight[k]: of each of
 * its sums. Called with a constant for `count`. */
static inline __attribute__((always_inline)) void
unite_parts(const int count, int64_t n, const strip_row *part, const int64_t *at,
            const double *weight, const double *shifts, const strip_row windows)
{
    for (int64_t i = 0; i < n; i += REALS_LANES) {
        moments m = moments_at(&part[0], i);
        reals shift = REALS_CONST(shifts + i);
        for (int k = 1; k < count; k++) {
            reals rise = REALS_CONST(shifts + i + at[k]) - shift;
            m = both_moments(m, moments_at(&part[k], i + at[k]), rise, weight[k]);
        }
        put_moments(m, &windows, i);
    }
}

static void unite_levels(const horizontal_row *shape, double weight, const strip_row *columns,
                         double *spare, const strip_row *windows)
{
    int64_t n = shape->pixels, window = shape->window, end = n + window - 1, done = 0;
    int64_t array = (n + window + STRIP_SLACK) / 8 * 8, at[PARTS];
    double weights[PARTS];
    strip_row all[PARTS] = {*columns}, part[PARTS];
    int count = 0;
    for (int k = 1; k < PARTS; k++) {
        all[k] = (strip_row){spare + (2 * k - 2) * array, spare + (2 * k - 1) * array, NULL, NULL};
    }
    if (window < 8) {
        make_parts(4, window, end, weight, *columns, all);
    } else if (window < 16) {
        make_parts(8, window, end, weight, *columns, all);
    } else {
        make_parts(16, window | 8, end, weight, *columns, all);
    }
    for (int k = 0; k < PARTS; k++) {
        if (window >> k & 1) {
            part[count] = all[k];
            at[count] = done;
            weights[count++] = weight * (double)(1 << k);
            done += 1 << k;
        }
    }
    switch (count) {
#define CASE(n_parts)                                                         \
    case n_parts:                                                             \
        unite_parts(n_parts, n, part, at, weights, columns->shift, *windows); \
        break;
        CASE(1)
        CASE(2)
        CASE(3)
        CASE(4)
        CASE(5)
#undef CASE
    }
}

static void row_moments(const horizontal_row *shape, double weight, const strip_row *columns,
                        double *spare, const strip_row *windows)
{
    if (shape->channels == 1 && !columns->weight && shape->window >= 4 &&
        shape->window < 1 << PARTS) {
        unite_levels(shape, weight, columns, spare, windows);
    } else {
        unite_columns(shape, weight, columns, windows);
    }
}
