/*
 * Large windows by matrix units: a warp's products are done here in the order of
 * cuda/products/large.cu, and must be the sums of the windows; means are rounded half up.
 */
#include "test.h"

#include "cuda/products/blocks.h"
#include "base/border.h"
#include "sums/march/pieces.h"
#include "products.h"

enum { OUTSIDE = 77 }; /* the constant */

static int sample_at(const byte_picture *p, int64_t x, int64_t y)
{
    int64_t c = p->channels, pixel = (x + 1000 * c) / c - 1000; /* rounds down */
    int64_t column = satf_border_index(p->border, pixel, p->width);
    int64_t row = satf_border_index(p->border, y, p->height);
    return row < 0 || column < 0 ? OUTSIDE
                                 : p->bytes[(row * p->width + column) * c + x - pixel * c];
}

typedef struct window {
    int width, height, left, above;
} window;

static int64_t sum_at(const byte_picture *p, const window *w, int64_t x, int64_t y)
{
    int64_t sum = 0;
    for (int64_t v = y - w->above; v < y - w->above + w->height; v++) {
        for (int64_t u = -w->left; u < w->width - w->left; u++) {
            sum += sample_at(p, x + u * p->channels, v);
        }
    }
    return sum;
}

static uint32_t bytes_at(const byte_picture *p, int64_t x, int64_t y)
{
    uint32_t word = 0;
    for (int e = 0; e < 4; e++) {
        word |= (uint32_t)sample_at(p, x + e, y) << (8 * e);
    }
    return word;
}

/* sums += the quad's weights times 32 bytes from x on of 8 rows from y on. */
static void add_product(const byte_picture *p, const uint32_t *words, int quad, int64_t x,
                        int64_t y, int (*sums)[4])
{
    uint32_t left[LANES][4], right[LANES][2];
    for (int lane = 0; lane < LANES; lane++) {
        int64_t from = x + 8 * (lane % 4), row = y + lane / 4;
        right[lane][0] = bytes_at(p, from, row);
        right[lane][1] = bytes_at(p, from + 4, row);
        for (int i = 0; i < 4; i++) {
            left[lane][i] = word_of(words, 4 * quad + i, lane);
        }
    }
    multiply(sums, left, right, 32, true);
}

static void add_along_rows(const byte_picture *p, const window_pieces *pieces,
                           const uint32_t *words, int64_t x, int64_t y, row_sums *to)
{
    static int sums[2][2][LANES][4];
    memset(sums, 0, sizeof sums);
    for (int b = 0; b < 2; b++) {
        for (int q = 0; q < 2; q++) {
            int half = pieces->channels == 3 ? q : 0; /* else both are alike */
            for (int k = 0; k < pieces->chunks; k++) {
                int64_t from = x - pieces->before + pieces->first + k * pieces->chunk;
                add_product(p, words, PIECES_WHOLE + half, from, y + 8 * b, sums[b][q]);
            }
            add_product(p, words, PIECES_LEFT + q, x - pieces->before, y + 8 * b, sums[b][q]);
            add_product(p, words, PIECES_RIGHT + q, x + pieces->end, y + 8 * b, sums[b][q]);
        }
    }
    pack_rows(sums, to);
}

/* sums += the quad's weights times two groups' bytes, or one's. */
static void add_groups(const uint32_t *words, int quad, const uint32_t *one, const uint32_t *two,
                       int (*sums)[4])
{
    uint32_t left[LANES][4], right[LANES][2] = {{0}};
    for (int lane = 0; lane < LANES; lane++) {
        right[lane][0] = one[lane];
        right[lane][1] = two ? two[lane] : 0;
        for (int i = 0; i < 4; i++) {
            left[lane][i] = word_of(words, 4 * quad + i, lane);
        }
    }
    multiply(sums, left, right, two ? 32 : 16, true);
}

static void add_all(const row_sums *group, int sign, int (*sums)[2][2][LANES][4])
{
    /* what one product of -1 and 1 does: a column's 16 rows are added to each of its results */
    for (int i = 0; i < 2 * 2 * 2; i++) {
        int high = i / 4, q = i / 2 % 2, h = i % 2, columns[8] = {0};
        for (int lane = 0; lane < LANES; lane++) {
            for (int e = 0; e < 4; e++) {
                columns[lane / 4] += byte_of(group->plane[high][q][h][lane], e, false);
            }
        }
        for (int lane = 0; lane < LANES; lane++) {
            for (int k = 0; k < 4; k++) {
                sums[high][q][h][lane][k] += sign * columns[2 * (lane % 4) + k % 2];
            }
        }
    }
}

static void check_step(const byte_picture *p, const window *w, const window_pieces *pieces,
                       const uint32_t *words, const row_sums *groups, int (*kept)[2][2][LANES][4],
                       int64_t x, int64_t y)
{
    const row_sums *newest = groups + pieces->kept, *before = newest - 1;
    for (int q = 0; q < 2; q++) {
        for (int h = 0; h < 2; h++) {
            static int sums[2][LANES][4];
            for (int high = 0; high < 2; high++) {
                memcpy(sums[high], kept[high][q][h], sizeof sums[high]);
                add_groups(words, PIECES_ENDS, groups->plane[high][q][h], newest->plane[high][q][h],
                           sums[high]);
                if (pieces_cut_two(pieces)) {
                    add_groups(words, PIECES_CUT, before->plane[high][q][h], NULL, sums[high]);
                }
            }
            for (int lane = 0; lane < LANES; lane++) {
                for (int i = 0; i < 4; i++) {
                    int64_t to_y = y + lane / 4 + 8 * (i / 2);
                    int64_t to_x = x + 8 * (lane % 4) + 4 * q + 2 * h + i % 2;
                    if ((lane * 4 + i) % 5 == 0) { /* which walks over all places */
                        assert_int_equal(sums[1][lane][i] * 256 + sums[0][lane][i],
                                         sum_at(p, w, to_x, to_y));
                    }
                }
            }
        }
    }
}

static void check(const byte_picture *p, window w)
{
    enum { STEPS = 2, MOST = 66 };
    static row_sums groups[MOST + STEPS];
    static int kept[2][2][2][LANES][4];
    static uint32_t words[PIECES_WORDS];
    window_pieces pieces = window_pieces_make(p->channels, w.left, w.above, w.width, w.height);
    assert_true(pieces.kept < MOST && pieces.over >= 0 && pieces.over < 32);
    /* what lanes load eight bytes at once of */
    assert_true(p->channels == 3 || (pieces.first - pieces.before) % 8 == 0);
    assert_true(!pieces_even(&pieces) || (pieces.before % 8 == 0 && pieces.end % 8 == 0));
    for (int i = 0; i < PIECES_WORDS; i++) {
        words[i] = pieces_word(&pieces, i);
    }
    int64_t x = 32 * (p->width * p->channels / 64), y = 16;
    memset(kept, 0, sizeof kept);
    for (int i = 0; i < pieces.kept + STEPS; i++) {
        int64_t row = y - pieces.above - pieces.skip + ROWS * i;
        add_along_rows(p, &pieces, words, x, row, &groups[i]);
        if (i >= pieces.kept) {
            check_step(p, &w, &pieces, words, groups + i - pieces.kept, kept, x,
                       y + ROWS * (i - pieces.kept));
            add_all(&groups[i - pieces.kept], -1, kept);
        }
        add_all(&groups[i], 1, kept);
    }
}

TEST(test_sums)
{
    static const int sides[][2] = {{127, 127}, {67, 69}, {1, 200}, {200, 1},  {128, 112}, {257, 80},
                                   {31, 66},   {3, 15},  {30, 16}, {101, 17}, {96, 95},   {2, 2}};
    static const int borders[] = {SATF_BORDER_CLAMP, SATF_BORDER_MIRROR, SATF_BORDER_REFLECT,
                                  SATF_BORDER_WRAP, SATF_BORDER_CONSTANT};
    for (int channels = 1; channels <= 4; channels++) {
        byte_picture p = make_bytes(100, 70, channels);
        for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
            int width = sides[k][0], height = sides[k][1];
            p.border = borders[(k + (size_t)channels) % 5];
            check(&p, (window){width, height, width / 2, height / 2});
            check(&p, (window){width, height, (int)k * width / 13, (width - 1) % height});
        }
        free(p.bytes);
    }
}

/* The largest sums there are, of the widest window. */
TEST(test_largest)
{
    byte_picture p = make_bytes(300, 40, 1);
    p.border = SATF_BORDER_CLAMP;
    memset(p.bytes, 255, (size_t)(p.width * p.height));
    check(&p, (window){PIECES_MOST_WIDTH, 1000, 100, 500});
    free(p.bytes);
}

TEST(test_means)
{
    for (uint64_t area = 2; area <= 1 << 20; area += area < 70000 ? 1 : 641) {
        pieces_divisor d = pieces_divide_by((uint32_t)area);
        for (uint64_t mean = 0; mean < 256; mean += area % 16 == 0 ? 1 : 5) {
            /* the last sum below a mean, and the first of it */
            uint64_t first = mean ? (2 * mean * area - area + 1) / 2 : 0;
            for (uint64_t sum = first ? first - 1 : 0; sum <= first && sum <= 255 * area; sum++) {
                uint64_t n = sum + area / 2, product = n * d.multiplier;
                uint64_t want = (2 * sum + area) / (2 * area);
                if (n > UINT32_MAX || (product >> (32 + 8 * d.byte) & 255) != want) {
                    fail_msg("%u of %u: not %u", (unsigned)sum, (unsigned)area, (unsigned)want);
                }
            }
        }
    }
}

/* Blocks that a multiprocessor has one after the other do not keep it busy together. */
TEST(test_blocks)
{
    window_blocks b = {.row_bytes = 16384,
                       .height = 16384,
                       .tiles = 1,
                       .ahead = 8,
                       .most_warps = 15,
                       .enough_warps = 15,
                       .shared_of_warp = 10240,
                       .shared_of_block = 9216,
                       .shared = 232448};
    assert_int_equal(window_blocks_resident(&b, 15), 1);
    assert_int_equal(window_blocks_resident(&b, 8), 1);
    assert_int_equal(window_blocks_resident(&b, 7), 2);
    window_blocks_choose(&b, 132);
    assert_true(b.warps == 7 || b.warps >= 12);
    for (b.row_bytes = 1; b.row_bytes < 100000; b.row_bytes = 3 * b.row_bytes + 1) {
        for (b.height = 1; b.height < 100000; b.height = 5 * b.height + 2) {
            b.warps = b.segment = 0;
            window_blocks_choose(&b, 132);
            assert_true(b.warps >= BLOCKS_LEAST_WARPS && b.warps <= 15);
            assert_true(b.segment > 0 && b.segment % 16 == 0);
        }
    }
}
