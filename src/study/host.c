/* The results of the measured kernels, computed without the layouts, for comparison. */
#include "gpu.h"
#include "tile_places.h"

/* ------------------------------------------------------------------------- tiles */

static int64_t foo_words(int64_t tiles)
{
    return tiles * (TILE_FOO_ROWS * TILE_FOO_WIDTH);
}

static int64_t convolution_words(int64_t tiles, int64_t apron)
{
    tile_grid g = tile_grid_of(tiles);
    return (g.down * TILE_CONVOLUTION_HEIGHT + apron) * (g.across * TILE_CONVOLUTION_ROWS);
}

int64_t machine_tiles_in(size_t kernel, int64_t tiles)
{
    switch (kernel) {
    case TILE_TRANSPOSE:
        return tiles * (TILE_TRANSPOSE_SIDE * TILE_TRANSPOSE_SIDE);
    case TILE_CONVOLUTION:
        return convolution_words(tiles, TILE_CONVOLUTION_APRON);
    case TILE_LUD:
        return (2 * tiles + 1) * TILE_LUD_DIAGONAL;
    default:
        return kernel < TILE_KERNELS ? foo_words(tiles) : 0;
    }
}

int64_t machine_tiles_out(size_t kernel, int64_t tiles)
{
    switch (kernel) {
    case TILE_CONVOLUTION:
        return convolution_words(tiles, 0);
    case TILE_LUD:
        return 2 * tiles * TILE_LUD_DIAGONAL;
    default:
        return machine_tiles_in(kernel, tiles);
    }
}

static void host_transpose(int64_t tiles, const float *in, float *out)
{
    tile_grid g = tile_grid_of(tiles);
    int64_t rows = g.down * TILE_TRANSPOSE_SIDE, columns = g.across * TILE_TRANSPOSE_SIDE;
    for (int64_t y = 0; y < rows; y++) {
        for (int64_t x = 0; x < columns; x++) {
            out[x * rows + y] = in[y * columns + x];
        }
    }
}

static void host_convolution(int64_t tiles, const float *in, float *out)
{
    tile_grid g = tile_grid_of(tiles);
    int64_t columns = g.across * TILE_CONVOLUTION_ROWS;
    for (int64_t y = 0; y < g.down * TILE_CONVOLUTION_HEIGHT; y++) {
        for (int64_t x = 0; x < columns; x++) {
            float sum = 0;
            for (uint32_t tap = 0; tap < TILE_CONVOLUTION_TAPS; tap++) {
                sum += access_tap(tap) * in[(y + tap) * columns + x];
            }
            out[y * columns + x] = sum;
        }
    }
}

/* The block to the right becomes X with L X = block, L of ones on its diagonal; the one below
 * Y with Y U = block. The diagonal block holds both, as a decomposition in place leaves it. */
static void host_lud(int64_t tiles, const float *in, float *out)
{
    enum { S = TILE_LUD_SIDE };
    const float *d = in;
    for (int64_t tile = 0; tile < tiles; tile++) {
        for (uint32_t lane = 0; lane < S; lane++) {
            for (uint32_t i = 0; i < S; i++) {
                int64_t at = tile_lud_right(tiles, tile, i, lane);
                float sum = in[at];
                for (uint32_t j = 0; j < i; j++) {
                    sum -= d[i * S + j] *
                           out[tile_lud_right(tiles, tile, j, lane) - TILE_LUD_DIAGONAL];
                }
                out[at - TILE_LUD_DIAGONAL] = sum;
                at = tile_lud_below(tiles, tile, lane, i);
                sum = in[at];
                for (uint32_t j = 0; j < i; j++) {
                    sum -= out[tile_lud_below(tiles, tile, lane, j) - TILE_LUD_DIAGONAL] *
                           d[j * S + i];
                }
                out[at - TILE_LUD_DIAGONAL] = sum / d[i * S + i];
            }
        }
    }
}

static void host_foo(bool coalesced, bool arithmetic, int64_t tiles, const float *in, float *out)
{
    for (int64_t tile = 0; tile < tiles; tile++) {
        for (uint32_t t = 0; t < TILE_FOO_THREADS; t++) {
            float sum = 0;
            for (uint32_t k = 0; k < TILE_FOO_STEPS; k++) {
                int64_t at = tile_foo_place(coalesced, tile, t, k);
                sum += arithmetic ? access_foo2(in[at]) : in[at];
                out[at] = sum;
            }
        }
    }
}

void machine_host_tiles(size_t kernel, int64_t tiles, const float *in, float *out)
{
    switch (kernel) {
    case TILE_TRANSPOSE:
        host_transpose(tiles, in, out);
        break;
    case TILE_CONVOLUTION:
        host_convolution(tiles, in, out);
        break;
    case TILE_LUD:
        host_lud(tiles, in, out);
        break;
    default:
        host_foo(kernel != TILE_FOO1_STRIDED, kernel == TILE_FOO2, tiles, in, out);
        break;
    }
}

/* --------------------------------------------------------------- arrays of structs */

void machine_host_structs(machine_struct way, uint32_t fields, const uint32_t *in, uint32_t *out,
                          int64_t structs)
{
    for (int64_t s = 0; s < structs; s++) {
        bool own = way != MACHINE_STRUCT_COALESCED;
        int64_t lane = s % MACHINE_BANKS, step = own ? 1 : MACHINE_BANKS;
        const uint32_t *from = in + (own ? s * fields : (s - lane) * fields + lane);
        uint32_t folded = 0;
        for (uint32_t i = 0; i < fields; i++) {
            folded = access_fold(folded, from[i * step]);
        }
        out[s] = folded;
    }
}

/* ---------------------------------------------------------------------- coalescing */

void machine_host_powers(bool interleaved, const float *in, float *out, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        uint32_t t = (uint32_t)(i % MACHINE_BANKS);
        float *group = out + (i - t) * ACCESS_POWERS, power = in[i];
        for (uint32_t p = 0; p < ACCESS_POWERS; p++) {
            power *= in[i];
            group[access_power(interleaved, t, p)] = power;
        }
    }
}

void machine_host_product(access_product way, const float *a, const float *b, float *c,
                          int64_t side)
{
    for (int64_t row = 0; row < side; row++) {
        for (int64_t column = 0; column < side; column++) {
            c[row * side + column] = 0;
        }
        for (int64_t k = 0; k < side; k++) {
            float factor = a[access_product_word(way, side, row, k)];
            for (int64_t column = 0; column < side; column++) {
                c[row * side + column] += factor * b[access_product_word(way, side, k, column)];
            }
        }
    }
}
