/*
 * What the measured kernels share with the host: index functions reach every element once,
 * places in global memory stay within their arrays, and the results they are compared with
 * are right.
 */
#include "test.h"

#include "study/gpu.h"
#include "study/tile_places.h"

enum { W = MACHINE_BANKS, N = MACHINE_MATRIX };

/* Marks a place that must be within the array and not be marked yet. */
static void mark(unsigned char *seen, int64_t count, int64_t at)
{
    assert_true(at >= 0 && at < count);
    assert_int_equal(seen[at]++, 0);
}

TEST(test_transposes)
{
    for (int way = 0; way < ACCESS_TRANSPOSE_COUNT; way++) {
        unsigned char read[N] = {0}, written[N] = {0};
        for (uint32_t t = 0; t < N; t++) {
            access_element from = access_read((access_transpose)way, W, t);
            access_element to = access_write((access_transpose)way, W, t);
            bool copies = way == ACCESS_COPY;
            mark(read, N, from.i * W + from.j);
            mark(written, N, to.i * W + to.j);
            assert_int_equal(to.i, copies ? from.i : from.j);
            assert_int_equal(to.j, copies ? from.j : from.i);
        }
    }
}

TEST(test_powers_and_products)
{
    for (uint32_t interleaved = 0; interleaved < 2; interleaved++) {
        unsigned char seen[W * ACCESS_POWERS] = {0};
        for (uint32_t t = 0; t < W; t++) {
            for (uint32_t p = 0; p < ACCESS_POWERS; p++) {
                mark(seen, W * ACCESS_POWERS, access_power(interleaved, t, p));
            }
        }
    }
    for (int way = 0; way < ACCESS_PRODUCT_COUNT; way++) {
        unsigned char fetched[N] = {0}, placed[N] = {0}, words[N] = {0};
        for (uint32_t t = 0; t < N; t++) {
            access_element e = access_product_element((access_product)way, t % W, t / W);
            mark(fetched, N, e.i * W + e.j);
            mark(placed, N, access_product_place((access_product)way, e.i, e.j));
            mark(words, N, access_product_word((access_product)way, W, e.i, e.j));
        }
    }
}

/* Every word of the transposed matrix, of the convolution's results, of LUD's two strips and
 * of Foo's tiles is some thread's, and one's only. */
TEST(test_places)
{
    static const int64_t counts[] = {1, 5, 128, 256};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        int64_t tiles = counts[i];
        tile_grid g = tile_grid_of(tiles);
        assert_int_equal(g.across * g.down, tiles);
        for (size_t kernel = 0; kernel < TILE_KERNELS; kernel++) {
            int64_t in = machine_tiles_in(kernel, tiles), out = machine_tiles_out(kernel, tiles);
            SCOPED unsigned char *seen = calloc((size_t)out, 1);
            assert_non_null(seen);
            for (int64_t tile = 0; tile < tiles; tile++) {
                uint32_t rows = kernel == TILE_TRANSPOSE     ? TILE_TRANSPOSE_SIDE
                                : kernel == TILE_CONVOLUTION ? TILE_CONVOLUTION_ROWS
                                : kernel == TILE_LUD         ? 2 * TILE_LUD_SIDE
                                                             : TILE_FOO_ROWS;
                uint32_t columns = kernel == TILE_CONVOLUTION ? TILE_CONVOLUTION_HEIGHT
                                   : kernel == TILE_LUD       ? TILE_LUD_SIDE
                                                              : TILE_FOO_WIDTH;
                for (uint32_t e = 0; e < rows * columns; e++) {
                    uint32_t y = e / columns, x = e % columns;
                    bool below = y >= TILE_LUD_SIDE;
                    int64_t lud = below ? tile_lud_below(tiles, tile, y - TILE_LUD_SIDE, x)
                                        : tile_lud_right(tiles, tile, y, x);
                    mark(seen, out,
                         kernel == TILE_TRANSPOSE     ? tile_transpose_to(&g, tile, y, x)
                         : kernel == TILE_CONVOLUTION ? tile_convolution_place(&g, tile, y, x)
                         : kernel == TILE_LUD
                             ? lud - TILE_LUD_DIAGONAL
                             : tile_foo_place(kernel != TILE_FOO1_STRIDED, tile, y, x));
                    assert_true(tile_transpose_from(&g, tile, y % 32, x % 32) <
                                machine_tiles_in(TILE_TRANSPOSE, tiles));
                }
            }
            for (int64_t k = 0; k < out; k++) {
                assert_int_equal(seen[k], 1);
            }
            if (kernel == TILE_CONVOLUTION) { /* the last sample of the last tile */
                assert_int_equal(tile_convolution_place(&g, tiles - 1, TILE_CONVOLUTION_ROWS - 1,
                                                        TILE_CONVOLUTION_WIDTH - 1),
                                 in - 1);
            }
        }
    }
    assert_int_equal(machine_tiles_in(TILE_KERNELS, 1), 0);
}

/* L X = the block to the right, Y U = the block below. */
TEST(test_lud)
{
    enum { S = TILE_LUD_SIDE, TILES = 3, WORDS = (2 * TILES + 1) * TILE_LUD_DIAGONAL };
    static float in[WORDS], out[WORDS];
    for (uint32_t i = 0; i < WORDS; i++) {
        bool shift = i < TILE_LUD_DIAGONAL && i % (S + 1) == 0;
        in[i] = shift ? 2.0f : (float)(i * 2654435761u >> 24) / 1024;
    }
    machine_host_tiles(TILE_LUD, TILES, in, out);
    for (int64_t tile = 0; tile < TILES; tile++) {
        for (uint32_t y = 0; y < S; y++) {
            for (uint32_t x = 0; x < S; x++) {
                int64_t right = tile_lud_right(TILES, tile, y, x);
                int64_t below = tile_lud_below(TILES, tile, y, x);
                double first = (double)out[right - TILE_LUD_DIAGONAL], second = 0;
                for (uint32_t k = 0; k < y; k++) {
                    first += (double)in[y * S + k] *
                             (double)out[tile_lud_right(TILES, tile, k, x) - TILE_LUD_DIAGONAL];
                }
                for (uint32_t k = 0; k <= x; k++) {
                    second += (double)out[tile_lud_below(TILES, tile, y, k) - TILE_LUD_DIAGONAL] *
                              (double)in[k * S + x];
                }
                assert_true(fabs(first - (double)in[right]) < 1e-5);
                assert_true(fabs(second - (double)in[below]) < 1e-5);
            }
        }
    }
}

/* An impulse comes out of the convolution as its taps, upside down. */
TEST(test_convolution)
{
    enum { ROW = 40, COLUMN = 3 };
    int64_t words = machine_tiles_in(TILE_CONVOLUTION, 1);
    SCOPED float *in = calloc((size_t)words, sizeof *in),
                 *out = malloc((size_t)words * sizeof *out);
    assert_true(in && out);
    in[ROW * TILE_CONVOLUTION_ROWS + COLUMN] = 1;
    machine_host_tiles(TILE_CONVOLUTION, 1, in, out);
    for (int64_t i = 0; i < machine_tiles_out(TILE_CONVOLUTION, 1); i++) {
        int64_t tap = ROW - i / TILE_CONVOLUTION_ROWS;
        bool reached =
            i % TILE_CONVOLUTION_ROWS == COLUMN && tap >= 0 && tap < TILE_CONVOLUTION_TAPS;
        assert_true(out[i] == (reached ? access_tap((uint32_t)tap) : 0.0f));
    }
}

TEST(test_structs)
{
    enum { FIELDS = 3, STRUCTS = 64 };
    uint32_t in[FIELDS * STRUCTS], out[STRUCTS];
    for (uint32_t i = 0; i < FIELDS * STRUCTS; i++) {
        in[i] = i * i + 7;
    }
    for (int way = 0; way < MACHINE_STRUCT_COUNT; way++) {
        machine_host_structs((machine_struct)way, FIELDS, in, out, STRUCTS);
        for (uint32_t s = 0; s < STRUCTS; s++) {
            bool own = way != MACHINE_STRUCT_COALESCED;
            uint32_t first = own ? s * FIELDS : s / W * W * FIELDS + s % W, step = own ? 1 : W;
            assert_int_equal(out[s],
                             (in[first] * 31 + in[first + step]) * 31 + in[first + 2 * step]);
        }
    }
}
