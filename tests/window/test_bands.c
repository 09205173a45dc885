/*
 * Weights of windows for matrix units: a warp's products are done here as the PTX ISA lays their
 * operands out, in the order of cuda/products/box.cu, and must be the sums of the windows.
 */
#include "test.h"

#include "base/border.h"
#include "sums/march/bands_words.h"
#include "sums/march/gpu.h"
#include "pairs.h"
#include "products.h"

static uint32_t bytes_at(const byte_picture *p, int64_t x, int64_t y, int count)
{
    uint32_t word = 0;
    for (int e = 0; e < count; e++) {
        bool inside = y >= 0 && y < p->height && x + e >= 0 && x + e < p->width * p->channels;
        /* what lies outside is anything: its weight is 0 */
        word |= (uint32_t)(inside ? p->bytes[y * p->width * p->channels + x + e] : 0xA5) << (8 * e);
    }
    return word;
}

/* Of rows 0 to 7 and 8 to 15, of either half of a tile; byte: of weights. */
static void multiply_rows(const byte_picture *p, const window_bands *b, const uint32_t *matrix,
                          int byte, int64_t x, int64_t y, int (*sums)[2][LANES][4])
{
    int pieces = b->halo / 8 + 2, first = byte * bands_byte_words(b);
    for (int rows = 0; rows < 2; rows++) {
        for (int q = 0; q < 2; q++) {
            for (int k = 0; k < pieces; k += 2) {
                uint32_t left[LANES][4] = {{0}}, right[LANES][2] = {{0}};
                int deep = k + 1 < pieces ? 32 : 16;
                for (int lane = 0; lane < LANES; lane++) {
                    int64_t row = y + 8 * rows + lane / 4;
                    int64_t from = x - b->halo + 16 * k + (deep / 4) * (lane % 4);
                    right[lane][0] = bytes_at(p, from, row, 4);
                    right[lane][1] = deep == 32 ? bytes_at(p, from + 4, row, 4) : 0;
                    for (int i = 0; i < deep / 8; i++) {
                        left[lane][i] = word_of(matrix, first + 2 * (q * pieces + k) + i, lane);
                    }
                }
                multiply(sums[rows][q], left, right, deep, false);
            }
        }
    }
}

static void add_along_rows(const byte_picture *p, const window_bands *b, const uint32_t *matrix,
                           int64_t x, int64_t y, row_sums *to)
{
    static int sums[2][2][2][LANES][4]; /* first the bytes of weights */
    memset(sums, 0, sizeof sums);
    for (int byte = 0; byte < (b->weighs ? 2 : 1); byte++) {
        multiply_rows(p, b, matrix, byte, x, y, sums[byte]);
    }
    for (int i = 0; i < 2 * 2 * LANES * 4 && b->weighs; i++) {
        int rows = i / (2 * LANES * 4), q = i / (LANES * 4) % 2, lane = i / 4 % LANES, k = i % 4;
        uint32_t start = word_of(matrix, 2 * bands_byte_words(b) + 2 * q + k / 2, lane);
        int *low = &sums[0][rows][q][lane][k], high = sums[1][rows][q][lane][k];
        *low = (int)(((uint32_t)*low + 256 * (uint32_t)high + start) >> 8);
    }
    pack_rows(sums[0], to);
}

static void add_down(const window_bands *b, const uint32_t *matrix, const row_sums *groups, int q,
                     int h, int high, int byte, int (*sums)[4])
{
    int count = b->halo / 8 + 1, first = byte * bands_byte_words(b);
    for (int k = 0; k < count; k += 2) {
        uint32_t left[LANES][4] = {{0}}, right[LANES][2] = {{0}};
        int deep = k + 1 < count ? 32 : 16;
        for (int lane = 0; lane < LANES; lane++) {
            for (int i = 0; i < deep / 16; i++) {
                right[lane][i] = groups[k + i].plane[high][q][h][lane];
            }
            for (int i = 0; i < deep / 8; i++) {
                left[lane][i] = word_of(matrix, first + 4 * k + i, lane);
            }
        }
        multiply(sums, left, right, deep, false);
    }
}

/* The sums of a tile's columns, two of either half. */
static void find_results(const window_bands *b, const uint32_t *matrix, const row_sums *groups,
                         int q, int h, uint32_t (*results)[4])
{
    static int sums[2][2][LANES][4]; /* the bytes of weights, and those of sums along rows */
    memset(sums, 0, sizeof sums);
    for (int k = 0; k < (b->weighs ? 4 : 2); k++) {
        add_down(b, matrix, groups, q, h, k % 2, k / 2, sums[k / 2][k % 2]);
    }
    for (int lane = 0; lane < LANES; lane++) {
        for (int i = 0; i < 4; i++) {
            uint32_t all[2];
            for (int byte = 0; byte < 2; byte++) {
                all[byte] =
                    (uint32_t)sums[byte][0][lane][i] + 256 * (uint32_t)sums[byte][1][lane][i];
            }
            results[lane][i] = b->weighs ? word_of(matrix, 2 * bands_byte_words(b) + i / 2, lane) +
                                               all[0] + 256 * all[1]
                                         : all[0];
        }
    }
}

/* A line of weights around a sample of a row. */
static uint32_t number_at(const byte_picture *p, const window_bands *across, int64_t x, int64_t row)
{
    uint32_t sum = 64;
    for (int64_t k = -across->before; k <= across->after; k++) {
        int64_t at = satf_border_index(across->border, x / p->channels + k, p->width);
        int64_t sample = (row * p->width + at) * p->channels + x % p->channels;
        uint32_t weight = across->taps[k < 0 ? -k : k];
        sum += weight * (row < 0 || at < 0 ? across->constant : p->bytes[sample]);
    }
    return sum >> 7;
}

static uint32_t weighed_at(const byte_picture *p, const window_bands *across,
                           const window_bands *down, int64_t x, int64_t y)
{
    uint32_t sum = 0;
    for (int64_t k = -down->before; k <= down->after; k++) {
        int64_t row = satf_border_index(down->border, y + k, p->height);
        sum += down->taps[k < 0 ? -k : k] * number_at(p, across, x, row);
    }
    return sum;
}

/* A sum of lines of weights, twice and 2^23 more: all of it, but for one weight of 1 down, and
 * rounded to a byte. */
static void check_weighed(const window_bands *down, uint32_t sum, uint32_t twice)
{
    bool single = down->taps[0] == 1 << BANDS_TAP_BITS ||
                  (down->pixels == 1 && down->border != SATF_BORDER_CONSTANT);
    assert_int_equal(twice >> 24, (sum + (1 << 22)) >> 23);
    if (!single) {
        assert_int_equal(twice - (1 << 23), 2 * sum);
    }
}

static int64_t sum_at(const byte_picture *p, const window_bands *across, const window_bands *down,
                      int64_t x, int64_t y)
{
    int64_t sum = 0, column = x / p->channels;
    for (int64_t v = y - down->before; v <= y + down->after; v++) {
        int64_t row = satf_border_index(down->border, v, p->height);
        for (int64_t u = column - across->before; u <= column + across->after; u++) {
            int64_t at = satf_border_index(across->border, u, p->width);
            sum += row < 0 || at < 0
                       ? 0
                       : p->bytes[(row * p->width + at) * p->channels + x % p->channels];
        }
    }
    return sum;
}

static int64_t matrix_of(const window_bands *b, int64_t tile)
{
    return tile < b->first ? 1 + tile : tile >= b->last ? 1 + b->first + tile - b->last : 0;
}

static void check_tile(const byte_picture *p, const window_bands *across, const window_bands *down,
                       const uint32_t *weights, int64_t column, int64_t row)
{
    enum { MOST_GROUPS = 5 };
    static row_sums groups[MOST_GROUPS];
    int64_t x = column * COLUMNS, y = row * ROWS, words = window_bands_words(across);
    const uint32_t *h = weights + words / window_bands_count(across) * matrix_of(across, column);
    const uint32_t *v = weights + words +
                        window_bands_words(down) / window_bands_count(down) * matrix_of(down, row);
    for (int k = 0; k <= down->halo / 8; k++) {
        add_along_rows(p, across, h, x, y - down->halo + ROWS * k, &groups[k]);
    }
    for (int q = 0; q < 2; q++) {
        for (int half = 0; half < 2; half++) {
            uint32_t results[LANES][4];
            find_results(down, v, groups, q, half, results);
            for (int lane = 0; lane < LANES; lane++) {
                for (int i = 0; i < 4; i++) {
                    int64_t to_y = y + lane / 4 + 8 * (i / 2);
                    int own = 4 * q + 2 * half + i % 2, run = across->run;
                    int64_t to_x = x + own / run * 4 * run + lane % 4 * run + own % run;
                    if (to_y < p->height && to_x < p->width * p->channels) {
                        if (across->weighs) {
                            check_weighed(down, weighed_at(p, across, down, to_x, to_y),
                                          results[lane][i]);
                        } else {
                            assert_int_equal(results[lane][i], sum_at(p, across, down, to_x, to_y));
                        }
                    }
                }
            }
        }
    }
}

/* Tiles at the edges, and one inside. */
static void check_tiles(const byte_picture *p, const window_bands *across, const window_bands *down)
{
    int64_t of_across = window_bands_words(across);
    size_t words = (size_t)(of_across + window_bands_words(down));
    SCOPED uint32_t *weights = malloc(words * sizeof *weights);
    assert_non_null(weights);
    for (int64_t i = 0; i < (int64_t)words; i++) {
        weights[i] = i < of_across ? bands_word(across, i) : bands_word(down, i - of_across);
    }
    for (int64_t row = 0; row < down->tiles; row++) {
        for (int64_t column = 0; column < across->tiles; column++) {
            bool edge = column < across->first || column >= across->last || row < down->first ||
                        row >= down->last;
            if (edge || (row == down->first && column == across->first)) {
                check_tile(p, across, down, weights, column, row);
            }
        }
    }
}

static void check(const byte_picture *p, int64_t w, int64_t h, int64_t at, int border,
                  int halo_across, int halo_down)
{
    window_bands across, down;
    if (!window_bands_make(&across, p->width, p->channels, at - w / 2, w, border, COLUMNS,
                           halo_across) ||
        !window_bands_make(&down, p->height, 1, -(h / 2), h, border, ROWS, halo_down)) {
        fail_msg("%d x %d pixels of %d channels, window %d x %d", (int)p->width, (int)p->height,
                 p->channels, (int)w, (int)h);
    }
    static int turn;
    assert_int_equal(across.run, BANDS_OWN);
    across.run = BANDS_OWN >> turn++ % 3;
    check_tiles(p, &across, &down);
}

TEST(test_sums)
{
    static const int64_t sizes[][2] = {{1, 1}, {2, 40}, {50, 3}, {70, 37}};
    static const int borders[] = {SATF_BORDER_CLAMP, SATF_BORDER_MIRROR, SATF_BORDER_REFLECT,
                                  SATF_BORDER_CONSTANT};
    static pairs met;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (int channels = 1; channels <= 8; channels += channels < 4 ? 1 : 2) {
            byte_picture p = make_bytes(sizes[s][0], sizes[s][1], channels);
            for (size_t k = 0; k < sizeof borders / sizeof *borders; k++) {
                int border = borders[k];
                if (!PAIRS_ONLY(&met, (int)s, channels, (int)k)) {
                    continue;
                }
                check(&p, channels > 4 ? 3 : 5, 3, 0, border, 8, 8);
                check(&p, 8 / channels, 16, channels <= 4, border, 8, 8);
                check(&p, 2 * (16 / channels) + 1, 33, 0, border, 16, 16);
                check(&p, 2 * (64 / channels) + 1, 64, 0, border, 64, 32);
            }
            free(p.bytes);
        }
    }
}

/* Weights that fall off, and add up to 2^15; that of the middle is even. */
static window_taps make_taps(int radius, int middle)
{
    window_taps taps = {.radius = radius};
    int left = ((1 << BANDS_TAP_BITS) - middle) / 2;
    for (int k = 1; k <= radius; k++) {
        taps.weights[k] = (uint16_t)(k == radius ? left : left / 3);
        left -= taps.weights[k];
    }
    taps.weights[0] = (uint16_t)(middle + 2 * left);
    return taps;
}

static void check_weights(const byte_picture *p, const window_taps *along, const window_taps *down,
                          int border, int constant, int halo_across, int halo_down)
{
    window_bands a, d;
    assert_true(window_bands_weigh(&a, p->width, p->channels, along, border, constant, COLUMNS,
                                   halo_across));
    assert_true(window_bands_weigh(&d, p->height, 1, down, border, constant, ROWS, halo_down));
    static int turn;
    a.run = BANDS_OWN >> turn++ % 3;
    check_tiles(p, &a, &d);
}

/* Bytes anywhere, and the largest of them, whose sums are the largest; sides that lines reach
 * around more than once; and weights of 2^15. */
TEST(test_weights)
{
    static const int64_t sizes[][2] = {{1, 1}, {2, 40}, {50, 1}, {70, 37}};
    static const int borders[] = {SATF_BORDER_CLAMP, SATF_BORDER_MIRROR, SATF_BORDER_REFLECT,
                                  SATF_BORDER_CONSTANT};
    const window_taps narrow = make_taps(2, 20000), wide = make_taps(8, 5000),
                      widest = make_taps(BANDS_MOST_RADIUS, 2), none = make_taps(0, 1 << 15),
                      single = make_taps(1, 1 << 15);
    for (size_t k = 0; k < 4 * 4 * 3 * 2; k++) {
        const int64_t *size = sizes[k % 4];
        int border = borders[k / 4 % 4], channels = 1 + (int)(k / 16 % 3),
            constant = (int)k * 37 % 256;
        byte_picture p = make_bytes(size[0], size[1], channels);
        if (k >= 48) {
            memset(p.bytes, 255, (size_t)(size[0] * size[1] * channels));
            constant = 255;
        }
        check_weights(&p, &narrow, &wide, border, constant, 8, 8);
        check_weights(&p, &wide, &narrow, border, constant, 32, 8);
        check_weights(&p, &none, &widest, border, constant, 16, 24);
        check_weights(&p, &widest, &single, border, constant, 96, 16);
        check_weights(&p, &single, &none, border, constant, 16, 8);
        free(p.bytes);
    }
}

TEST(test_refusals)
{
    window_bands b;
    assert_true(window_bands_make(&b, 100, 1, -8, 17, SATF_BORDER_CLAMP, COLUMNS, 8));
    assert_false(window_bands_make(&b, 100, 1, -9, 18, SATF_BORDER_CLAMP, COLUMNS, 8));
    assert_false(window_bands_make(&b, 100, 3, -3, 7, SATF_BORDER_CLAMP, COLUMNS, 8));
    assert_false(window_bands_make(&b, 100, 1, -3, 7, SATF_BORDER_WRAP, COLUMNS, 8));
    assert_false(window_bands_make(&b, 100, 1, -3, 7, SATF_BORDER_SHRINK, COLUMNS, 8));
}

/* Means of 16 bits: the last sum below each, and the first of it. */
TEST(test_divisors)
{
    enum { MOST_AREA = (1 << 14) - 1 };
    for (uint64_t area = 1; area <= MOST_AREA; area++) {
        window_gpu_divisor by = window_gpu_divide_by((uint32_t)area);
        for (uint64_t mean = 1; mean <= UINT16_MAX; mean += area % 64 == 1 ? 1 : 61) {
            uint64_t first = (2 * mean * area - area + 1) / 2;
            for (uint64_t sum = first - 1; sum <= first; sum++) {
                uint64_t product = 4 * (sum + area / 2) * by.multiplier;
                uint64_t want = (2 * sum + area) / (2 * area);
                if (4 * (sum + area / 2) > UINT32_MAX || product >> 32 >> by.shift != want) {
                    fail_msg("%u of %u: not %u", (unsigned)sum, (unsigned)area, (unsigned)want);
                }
            }
        }
        uint64_t most = 4 * (UINT16_MAX * area + area / 2);
        assert_true(most <= UINT32_MAX);
        assert_int_equal(most * by.multiplier >> 32 >> by.shift, UINT16_MAX);
    }
}
