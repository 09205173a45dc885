/* Passes rows along by their weights, in pairs into a ring; then pairs down the columns. */
#include "taps.h"

#include <string.h>

#include "../../base/border.h"
#include "../../base/memory.h"
#include "../../base/view.h"
#include "line_samples.h"
#include "taps_kernels.h"

enum {
    TAPS_ROWS = 4,        /* of the result, made at a time: an even number */
    PART_BYTES = 1 << 10, /* of each row that they read: all stay in the first level of cache */
    CHUNK = 1 << 13       /* pixels between two questions whether to go on */
};

/* ------------------------------------------------------------------------- weights */

/* e^-x to the last bit or two, and 0 for x > 100, by IEEE's operations alone, since libraries
 * differ. */
static double exponential(double x)
{
    const double ln2 = 0x1.62e42fefa38p-1, ln2_rest = 0x1.ef35793c7673p-45; /* their sum: ln 2 */
    if (x > 100) {
        return 0;
    }
    int halvings = (int)(x / ln2 + 0.5);
    double r = halvings * ln2_rest - (x - halvings * ln2), sum = 1;
    for (int k = 17; k > 0; k--) {
        sum = 1 + sum * r / k;
    }
    return ldexp(sum, -halvings);
}

/* Makes weights whole numbers that add up to 2^bits: each is rounded down, pairs with the largest
 * remainders get 1 more, and the middle gets what is left. */
static void make_whole(line_taps *taps, int bits)
{
    double *w = taps->weights, remainders[LINE_MOST_RADIUS + 1];
    double left = ldexp(1, bits);
    for (int k = 0; k <= taps->radius; k++) {
        double exact = ldexp(w[k], bits);
        w[k] = floor(exact);
        remainders[k] = exact - w[k];
        left -= w[k] * (k ? 2 : 1);
    }
    for (; left >= 2 && taps->radius > 0; left -= 2) {
        int best = 1;
        for (int k = 2; k <= taps->radius; k++) {
            best = remainders[k] > remainders[best] ? k : best;
        }
        w[best]++;
        remainders[best] = -1;
    }
    w[0] += left;
}

/* Two weights, negated (2^15 fits 16 bits only so); behind the radius they are 0. */
static int32_t word_of(const line_taps *taps, int first, int second)
{
    int first_at = first < 0 ? -first : first, second_at = second < 0 ? -second : second;
    int16_t pair[2] = {
        first_at > taps->radius ? 0 : (int16_t)-taps->weights[first_at],
        second_at > taps->radius ? 0 : (int16_t)-taps->weights[second_at],
    };
    int32_t word;
    memcpy(&word, pair, sizeof word);
    return word;
}

void line_taps_find(double sigma, int bits, line_taps *taps)
{
    *taps = (line_taps){.radius = (int)ceil(4 * sigma)};
    int radius = taps->radius;
    double all = 0;
    for (int k = radius; k >= 0; k--) {
        taps->weights[k] = k ? exponential(k * k / (2 * sigma * sigma)) : 1;
        all += taps->weights[k] * (k ? 2 : 1);
    }
    for (int k = 0; k <= radius; k++) {
        taps->weights[k] /= all;
    }
    if (bits > 0) {
        make_whole(taps, bits);
    }
    for (int k = 0; k <= radius; k++) {
        taps->singles[k] = (float)taps->weights[k];
    }
    for (int k = 0; k <= radius && bits == LINE_WEIGHT_BITS; k++) {
        taps->across[k / 2] = word_of(taps, k - k % 2, k - k % 2 + 1);
        taps->down[0][k] = word_of(taps, 2 * k - radius, 2 * k + 1 - radius);
        taps->down[1][k] = word_of(taps, 2 * k - 1 - radius, 2 * k - radius);
    }
}

/* ---------------------------------------------------------------------- the memory */

/* Where everything lies in a walk's memory. */
typedef struct taps_layout {
    size_t ring, padded, results, ones, bytes;
    size_t number, result;           /* bytes of a number between the axes, and behind them */
    size_t row, padded_row, out_row; /* bytes of rows */
    size_t front;                    /* from a padded row's start to its first pixel */
} taps_layout;

struct taps_walk {
    line_spec spec;
    line_ends ends;
    line_samples samples;
    line_taps along, down;
    taps_layout at;
    const taps_kernels *kernels;
    char *memory;
    int64_t height;     /* as far as is known */
    int64_t first, end; /* the walk's rows */
    int64_t made;       /* the next of them */
    int64_t pairs;      /* pairs that have entered; the first one begins at row first - radius */
    int64_t from[2];    /* the picture's rows of the last pair; -1: outside */
};

static line_numbers taps_numbers(const line_spec *spec)
{
    return line_numbers_of(&spec->in, &spec->axes, spec->weighted,
                           spec->border == SATF_BORDER_SHRINK);
}

/* Bytes of a place of a padded row. */
static size_t place_bytes(const line_numbers *numbers)
{
    return numbers->narrow ? 1 : numbers->single ? sizeof(float) : sizeof(double);
}

static bool makes_bytes(const line_numbers *numbers, const line_spec *spec)
{
    return numbers->narrow && spec->out.type == SATF_U8;
}

static int64_t ring_pairs(const line_spec *spec)
{
    return spec->axes.down.radius + TAPS_ROWS / 2;
}

static bool taps_add(taps_layout *at, int64_t rows, size_t row, size_t *part)
{
    size_t bytes;
    *part = at->bytes;
    return satf_mul((size_t)rows, row, &bytes) && bytes < SIZE_MAX / 16 &&
           satf_add(at->bytes, satf_align64(bytes), &at->bytes);
}

static bool taps_lay_out(const line_spec *spec, taps_layout *at)
{
    line_numbers numbers = taps_numbers(spec);
    int64_t samples = satf_row_samples(&spec->in), channels = spec->in.channels;
    if (samples > INT64_MAX / 4096) {
        return false;
    }
    size_t n = (size_t)samples + TAPS_SPARE, of = place_bytes(&numbers);
    size_t beyond = (size_t)(spec->axes.along.radius + TAPS_BEYOND) * (size_t)channels * of;
    *at = (taps_layout){.bytes = satf_align64(sizeof(taps_walk)),
                        .number = numbers.narrow ? sizeof(int16_t) : of,
                        .result = makes_bytes(&numbers, spec) ? 1
                                  : numbers.single            ? sizeof(float)
                                                              : sizeof(double),
                        .front = satf_align64(beyond)};
    at->row = satf_align64(n * at->number) | 64;
    at->padded_row = at->front + satf_align64(n * of + beyond);
    at->out_row = satf_align64(n * at->result);
    return taps_add(at, 2 * ring_pairs(spec), at->row, &at->ring) &&
           taps_add(at, 2, at->padded_row, &at->padded) &&
           taps_add(at, TAPS_ROWS, at->out_row, &at->results) &&
           taps_add(at, numbers.shrinks ? spec->in.width : 0, sizeof(double), &at->ones);
}

size_t taps_walk_bytes(const line_spec *spec)
{
    taps_layout at;
    return taps_lay_out(spec, &at) ? at.bytes : 0;
}

int64_t taps_rows_kept(const line_spec *spec)
{
    int64_t rows = spec->axes.down.radius + 2 * TAPS_ROWS;
    return rows < spec->in.height ? rows : spec->in.height;
}

/* A pair: numbers of both rows side by side, or one row behind the other. */
static char *pair_at(const taps_walk *w, int64_t pair)
{
    size_t slot = (size_t)(pair % ring_pairs(&w->spec));
    return w->memory + w->at.ring + slot * 2 * w->at.row;
}

static double *taps_ones(const taps_walk *w)
{
    return (double *)(void *)(w->memory + w->at.ones);
}

/* --------------------------------------------------------------------- along the rows */

static char *padded_row(const taps_walk *w, int half)
{
    return w->memory + w->at.padded + (size_t)half * w->at.padded_row + w->at.front;
}

/* For floats: fills in pixels beyond the border on one side, or all of a row that lies outside. */
static void pad_singles(const taps_walk *w, float *row, int64_t first, int64_t end, bool outside)
{
    int channels = w->spec.in.channels;
    for (int64_t x = first; x < end; x++) {
        int64_t i = outside ? -1 : satf_border_index(w->spec.border, x, w->spec.in.width);
        for (int c = 0; c < channels; c++) {
            row[x * channels + c] = i < 0 ? (float)w->samples.outside[c] : row[i * channels + c];
        }
    }
}

/* The same for any numbers. */
static void pad(const taps_walk *w, char *row, int64_t first, int64_t end, bool outside)
{
    const line_numbers *numbers = &w->samples.numbers;
    size_t pixel = (size_t)numbers->channels * (numbers->narrow ? 1 : sizeof(double));
    if (numbers->single) {
        pad_singles(w, (float *)(void *)row, first, end, outside);
        return;
    }
    for (int64_t x = first; x < end; x++) {
        int64_t i = outside ? -1 : satf_border_index(w->spec.border, x, w->spec.in.width);
        char *to = row + x * (int64_t)pixel;
        if (i >= 0) {
            memcpy(to, row + (size_t)i * pixel, pixel);
        } else if (numbers->narrow) {
            memset(to, (int)w->samples.outside[0], pixel);
        } else {
            memcpy(to, w->samples.outside, pixel);
        }
    }
}

/* Loads row y, which may lie beyond the border, and its surroundings to a padded row. *from: the
 * picture's row. False if it does not come. */
static bool pad_row(taps_walk *w, int64_t y, int half, int64_t *from)
{
    char *row = padded_row(w, half);
    int64_t width = w->spec.in.width, radius = w->along.radius;
    const void *samples = NULL;
    for (int64_t height = -1; !samples && height != w->height;) {
        height = w->height;
        *from = satf_border_index(w->spec.border, y, height);
        if (*from < 0) {
            pad(w, row, -radius, width + radius, true);
            return true;
        }
        samples = w->ends.row(w->ends.user, *from);
        w->height = samples ? height : w->ends.height(w->ends.user);
    }
    if (!samples) {
        return false;
    }
    if (w->samples.numbers.narrow) {
        memcpy(row, samples, (size_t)satf_row_samples(&w->spec.in));
    } else if (w->samples.numbers.single) {
        w->kernels->load_singles(samples, satf_row_samples(&w->spec.in), (float *)(void *)row);
    } else {
        line_samples_load(&w->samples, samples, width, (double *)(void *)row);
    }
    pad(w, row, -radius, 0, false);
    pad(w, row, width, width + radius, false);
    return true;
}

/* Passes a padded row of doubles or floats along, from number `first` on. */
static void pass_along(const taps_walk *w, int half, int64_t first, int64_t n, void *made)
{
    const line_numbers *numbers = &w->samples.numbers;
    const double *row = (const double *)(void *)padded_row(w, half);
    double *to = made;
    if (numbers->single) {
        w->kernels->along_singles(&w->along, numbers->channels, (const float *)row + first, n,
                                  (float *)made + first);
        return;
    }
    double scale = ldexp(numbers->between, -numbers->weight_bits);
    double rounded = numbers->rounds && !numbers->shrinks ? scale : 0;
    w->kernels->along(&w->along, numbers->channels, row + first, n, rounded, to + first);
    if (numbers->shrinks) {
        w->samples.kernels->scale(to + first, numbers->rounds ? scale : 1, 1, to + first, n);
        w->samples.kernels->divide(to + first, taps_ones(w) + first / numbers->channels,
                                   n / numbers->channels, numbers->channels, numbers->rounds);
    }
}

/* How many numbers of a row are next, whole pixels, after asking whether to go on; 0: stop. */
static int64_t next_chunk(const taps_walk *w, int64_t x, int64_t rows)
{
    int64_t all = satf_row_samples(&w->spec.in), n = (int64_t)CHUNK * w->spec.in.channels;
    n = n < all - x ? n : all - x;
    bool goes_on =
        !w->ends.goes_on || w->ends.goes_on(w->ends.user, n * rows * (1 + w->down.radius / 4));
    return goes_on ? n : 0;
}

/* Makes the next pair; false if a row does not come, or the walk is to stop. */
static bool enter_pair(taps_walk *w)
{
    int64_t y = w->first - w->down.radius + 2 * w->pairs, all = satf_row_samples(&w->spec.in);
    char *to = pair_at(w, w->pairs);
    bool same = w->pairs > 0;
    for (int half = 0; half < 2; half++) {
        same = same && satf_border_index(w->spec.border, y + half, w->height) == w->from[half];
    }
    if (same) {
        memcpy(to, pair_at(w, w->pairs++ - 1), 2 * w->at.row);
        return true;
    }
    if (!pad_row(w, y, 0, &w->from[0]) || !pad_row(w, y + 1, 1, &w->from[1])) {
        return false;
    }
    const uint8_t *const rows[2] = {(uint8_t *)padded_row(w, 0), (uint8_t *)padded_row(w, 1)};
    for (int64_t x = 0, n; x < all; x += n) {
        n = next_chunk(w, x, 2);
        if (n == 0) {
            return false;
        }
        if (w->samples.numbers.narrow) {
            w->kernels->across(&w->along, w->spec.in.channels, rows, x, x + n,
                               (int16_t *)(void *)to);
        } else {
            pass_along(w, 0, x, n, to);
            pass_along(w, 1, x, n, to + w->at.row);
        }
    }
    w->pairs++;
    return true;
}

/* ------------------------------------------------------------------- down the columns */

static char *result_row(const taps_walk *w, int64_t row)
{
    return w->memory + w->at.results + (size_t)row * w->at.out_row;
}

/* The pairs, or rows, that the next rows of the result are made of, from the uppermost on. */
typedef struct taps_rows {
    int count; /* of the result */
    const int16_t *pairs[LINE_MOST_RADIUS + TAPS_ROWS / 2];
    const void *rows[2 * LINE_MOST_RADIUS + TAPS_ROWS]; /* of doubles or floats */
} taps_rows;

static void find_rows(const taps_walk *w, int count, taps_rows *of)
{
    int64_t first = (w->made - w->first) / 2;
    of->count = count;
    for (int k = 0; k < ring_pairs(&w->spec); k++) {
        const char *pair = pair_at(w, first + k);
        of->pairs[k] = (const int16_t *)(const void *)pair;
        of->rows[2 * k] = pair;
        of->rows[2 * k + 1] = pair + w->at.row;
    }
}

static void pass_down(const taps_walk *w, const taps_rows *of, int64_t first, int64_t end)
{
    bool narrow = w->samples.numbers.narrow;
    for (int row = 0; row < of->count; row += narrow ? 2 : 1) {
        void *const to[2] = {result_row(w, row), result_row(w, row + 1)};
        if (narrow) {
            w->kernels->down(&w->down, of->pairs + row / 2, first, end, to, w->at.result == 1);
        } else if (w->samples.numbers.single) {
            w->kernels->down_singles(&w->down, of->rows + row, first, end, to[0]);
        } else {
            w->kernels->columns(&w->down, of->rows + row, first, end, to[0]);
        }
    }
}

/* How many rows of the result are made at a time, from the next on. */
static int64_t rows_at_once(const taps_walk *w)
{
    int64_t end = w->end < w->height ? w->end : w->height;
    return end - w->made < TAPS_ROWS ? end - w->made : TAPS_ROWS;
}

static bool make_rows(taps_walk *w)
{
    int64_t top = w->made - w->first, all = satf_row_samples(&w->spec.in), end;
    int64_t part = PART_BYTES / (int64_t)w->at.number;
    while (2 * w->pairs < top + 2 * w->down.radius + rows_at_once(w)) {
        if (!enter_pair(w)) {
            return false;
        }
    }
    taps_rows rows;
    find_rows(w, (int)rows_at_once(w), &rows);
    for (int64_t x = 0; x < all && rows.count > 0; x = end) {
        end = x + next_chunk(w, x, rows.count);
        if (end == x) {
            return false;
        }
        for (; x < end; x += part) {
            pass_down(w, &rows, x, x + part < end ? x + part : end);
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------ walk */

taps_walk *taps_walk_begin(const line_spec *spec, const line_ends *ends, int64_t first, int64_t end,
                           void *memory)
{
    taps_walk *w = memory;
    *w = (taps_walk){.spec = *spec,
                     .ends = *ends,
                     .kernels = SATF_ISA_CHOOSE(&taps_kernels),
                     .memory = memory,
                     .height = ends->height(ends->user),
                     .first = first,
                     .end = end,
                     .made = first};
    taps_lay_out(spec, &w->at);
    line_samples_begin(&w->samples, spec);
    line_taps_find(spec->axes.along.sigma, w->samples.numbers.weight_bits, &w->along);
    line_taps_find(spec->axes.down.sigma, w->samples.numbers.weight_bits, &w->down);
    memset(w->memory + w->at.padded, 0, 2 * w->at.padded_row);
    for (int64_t x = 0; x < spec->in.width && w->samples.numbers.shrinks; x++) {
        taps_ones(w)[x] = line_taps_inside(&w->along, x, spec->in.width);
    }
    return w;
}

static void taps_store(const taps_walk *w, char *to)
{
    int64_t row = (w->made - w->first) % TAPS_ROWS;
    if (w->at.result == 1) {
        memcpy(to, result_row(w, row), (size_t)satf_row_samples(&w->spec.in));
        return;
    }
    if (w->samples.numbers.single && w->spec.out.type == SATF_F32) {
        w->kernels->store_singles((const float *)(void *)result_row(w, row),
                                  satf_row_samples(&w->spec.in), to);
        return;
    }
    bool shrinks = w->samples.numbers.shrinks;
    double one = shrinks ? line_taps_inside(&w->down, w->made, w->height) : 1;
    line_samples_store(&w->samples, result_row(w, row), w->spec.in.width, one,
                       (satf_type)w->spec.out.type, to);
}

bool taps_walk_next(taps_walk *w, bool *failed)
{
    bool has = w->made < w->height && w->made < w->end;
    bool made = has && ((w->made - w->first) % TAPS_ROWS > 0 || make_rows(w));
    has = w->made < w->height && w->made < w->end;
    void *to = has && made ? w->ends.out(w->ends.user, w->made) : NULL;
    *failed = has && !to;
    if (!to) {
        return false;
    }
    taps_store(w, to);
    w->made++;
    return true;
}
