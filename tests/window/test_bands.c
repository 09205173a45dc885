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

static void add_along_rows(const byte_picture *p, const window_bands *b, const uint32_t *matrix,
                           int64_t x, int64_t y, row_sums *to)
{
    int pieces = b->halo / 8 + 2;
    static int sums[2][2][LANES][4];
    memset(sums, 0, sizeof sums);
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
                        left[lane][i] = word_of(matrix, 2 * (q * pieces + k) + i, lane);
                    }
                }
                multiply(sums[rows][q], left, right, deep, false);
            }
        }
    }
    pack_rows(sums, to);
}

static void add_down(const window_bands *b, const uint32_t *matrix, const row_sums *groups, int q,
                     int h, int high, int (*sums)[4])
{
    int count = b->halo / 8 + 1;
    for (int k = 0; k < count; k += 2) {
        uint32_t left[LANES][4] = {{0}}, right[LANES][2] = {{0}};
        int deep = k + 1 < count ? 32 : 16;
        for (int lane = 0; lane < LANES; lane++) {
            for (int i = 0; i < deep / 16; i++) {
                right[lane][i] = groups[k + i].plane[high][q][h][lane];
            }
            for (int i = 0; i < deep / 8; i++) {
                left[lane][i] = word_of(matrix, 4 * k + i, lane);
            }
        }
        multiply(sums, left, right, deep, false);
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
            int low[LANES][4] = {{0}}, high[LANES][4] = {{0}};
            add_down(down, v, groups, q, half, 0, low);
            add_down(down, v, groups, q, half, 1, high);
            for (int lane = 0; lane < LANES; lane++) {
                for (int i = 0; i < 4; i++) {
                    int64_t to_y = y + lane / 4 + 8 * (i / 2);
                    int own = 4 * q + 2 * half + i % 2, run = across->run;
                    int64_t to_x = x + own / run * 4 * run + lane % 4 * run + own % run;
                    if (to_y < p->height && to_x < p->width * p->channels) {
                        assert_int_equal(high[lane][i] * 256 + low[lane][i],
                                         sum_at(p, across, down, to_x, to_y));
                    }
                }
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
    size_t words = (size_t)(window_bands_words(&across) + window_bands_words(&down));
    SCOPED uint32_t *weights = malloc(words * sizeof *weights);
    assert_non_null(weights);
    for (int64_t i = 0; i < (int64_t)words; i++) {
        int64_t of_across = window_bands_words(&across);
        weights[i] = i < of_across ? bands_word(&across, i) : bands_word(&down, i - of_across);
    }
    for (int64_t row = 0; row < down.tiles; row++) {
        for (int64_t column = 0; column < across.tiles; column++) {
            bool edge = column < across.first || column >= across.last || row < down.first ||
                        row >= down.last;
            if (edge || (row == down.first && column == across.first)) {
                check_tile(p, &across, &down, weights, column, row);
            }
        }
    }
}

TEST(test_sums)
{
    static const int64_t sizes[][2] = {{1, 1}, {2, 40}, {50, 3}, {70, 37}};
    static const int borders[] = {SATF_CLAMP, SATF_MIRROR, SATF_REFLECT, SATF_CONSTANT};
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

TEST(test_refusals)
{
    window_bands b;
    assert_true(window_bands_make(&b, 100, 1, -8, 17, SATF_CLAMP, COLUMNS, 8));
    assert_false(window_bands_make(&b, 100, 1, -9, 18, SATF_CLAMP, COLUMNS, 8));
    assert_false(window_bands_make(&b, 100, 3, -3, 7, SATF_CLAMP, COLUMNS, 8));
    assert_false(window_bands_make(&b, 100, 1, -3, 7, SATF_WRAP, COLUMNS, 8));
    assert_false(window_bands_make(&b, 100, 1, -3, 7, SATF_SHRINK, COLUMNS, 8));
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
