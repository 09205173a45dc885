/* Products of a warp of matrix units, done on the CPU: operands lie in lanes as the PTX ISA says.
 */
#ifndef TESTS_PRODUCTS_H
#define TESTS_PRODUCTS_H

#include "test.h"

#include "sums/march/bands.h"

enum { LANES = BANDS_LANES, ROWS = BANDS_DOWN_TILE, COLUMNS = BANDS_ACROSS_TILE };

/* A picture of bytes. */
typedef struct byte_picture {
    int64_t width, height;
    int channels, border;
    uint8_t *bytes;
} byte_picture;

static inline byte_picture make_bytes(int64_t width, int64_t height, int channels)
{
    size_t count = (size_t)(width * height * channels);
    byte_picture p = {width, height, channels, 0, malloc(count)};
    assert_non_null(p.bytes);
    for (size_t i = 0; i < count; i++) {
        p.bytes[i] = (uint8_t)((i + 3) * 2654435761u >> 23);
    }
    return p;
}

static inline int byte_of(uint32_t word, int e, bool with_sign)
{
    int byte = word >> (8 * e) & 255;
    return with_sign && byte > 127 ? byte - 256 : byte;
}

/* c += a * b of 16 x `deep` and deep x 8 bytes, deep being 32 or 16; those of a may have a sign. */
static inline void multiply(int (*c)[4], uint32_t (*a)[4], uint32_t (*b)[2], int deep,
                            bool with_sign)
{
    int left[16][32] = {{0}}, right[32][8] = {{0}};
    for (int lane = 0; lane < LANES; lane++) {
        int g = lane / 4, t = lane % 4;
        for (int e = 0; e < 4; e++) {
            for (int half = 0; half < deep / 16; half++) {
                int at = 16 * half + 4 * t + e;
                right[at][g] = byte_of(b[lane][half], e, false);
                left[g][at] = byte_of(a[lane][2 * half], e, with_sign);
                left[g + 8][at] = byte_of(a[lane][2 * half + 1], e, with_sign);
            }
        }
    }
    for (int lane = 0; lane < LANES; lane++) {
        for (int i = 0; i < 4; i++) {
            int row = lane / 4 + 8 * (i / 2), column = 2 * (lane % 4) + i % 2;
            for (int k = 0; k < deep; k++) {
                c[lane][i] += left[row][k] * right[k][column];
            }
        }
    }
}

/* A lane's word of a matrix, of which four of each lane are neighbours. */
static inline uint32_t word_of(const uint32_t *matrix, int word, int lane)
{
    return matrix[(word / 4 * LANES + lane) * 4 + word % 4];
}

/* Low and high bytes of the row sums of a tile's columns, of 16 rows. */
typedef struct row_sums {
    uint32_t plane[2][2][2][LANES]; /* high or low, half of the tile, h */
} row_sums;

/* sums: of rows 0 to 7 and 8 to 15, of either half. */
static inline void pack_rows(int (*sums)[2][LANES][4], row_sums *to)
{
    for (int q = 0; q < 2; q++) {
        for (int h = 0; h < 2; h++) {
            for (int lane = 0; lane < LANES; lane++) {
                for (int high = 0; high < 2; high++) {
                    uint32_t word = 0;
                    for (int e = 0; e < 4; e++) {
                        int sum = sums[e / 2][q][lane][2 * h + e % 2];
                        assert_true(sum >= 0 && sum < 65536);
                        word |= (uint32_t)(sum >> (8 * high) & 255) << (8 * e);
                    }
                    to->plane[high][q][h][lane] = word;
                }
            }
        }
    }
}

#endif
