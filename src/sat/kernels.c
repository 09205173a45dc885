/*
 * Tiles of tables. Compiled once per instruction set.
 *
 * Each row of a tile takes two steps: `above` becomes this row of the table by
 * adding the row's prefix sums, and is stored. Both are in a first-level cache.
 */
#include "kernels.h"

#include <string.h>

#include "../base/cpu.h"
#include "lanes.h"

#define UNROLL _Pragma("GCC unroll 8")

/* ------------------------------------------------------------ storing a row */

/* Stores n sums as row y of the tile, from its sample number `first` on. */
static void store_sums(const sat_job *job, const sat_tile *tile, int y, int64_t first,
                       const void *sums, int64_t n)
{
    int64_t out_bytes =
        job->f32_out ? (int64_t)sizeof(float) : (int64_t)satf_sum_bytes(job->sum_type);
    char *out = tile->out + y * job->out_stride + first * out_bytes;
    if (job->f32_out) {
        const double *wide = sums;
        for (int64_t i = 0; i < n; i++) {
            float rounded = (float)wide[i];
            memcpy(out + i * (int64_t)sizeof rounded, &rounded, sizeof rounded);
        }
    } else if (tile->stream) {
        stream_bytes(out, sums, (size_t)(n * out_bytes));
    } else {
        memcpy(out, sums, (size_t)(n * out_bytes));
    }
}

static void store_row(const sat_job *job, const sat_tile *tile, int y)
{
    store_sums(job, tile, y, 0, tile->above, tile->pixels * job->in.channels);
}

/* -------------------------------------------------- any summand, any channels */

/* Sums of a row's summands up to each, from those left of the tile on. */
#define GENERIC_PREFIX(Sum)                                                                 \
    static void add_along_##Sum(const sat_job *job, const sat_tile *tile, int y, Sum *sums) \
    {                                                                                       \
        Sum *left = (Sum *)tile->left + y * job->in.channels;                               \
        int channels = job->in.channels;                                                    \
        satf_summands((satf_type)job->in.type, channels, job->summand,                      \
                      tile->src + y * job->in.stride, tile->pixels, job->sum_type, sums);   \
        for (int64_t p = 0; p < tile->pixels; p++) {                                        \
            for (int c = 0; c < channels; c++) {                                            \
                left[c] += sums[p * channels + c];                                          \
                sums[p * channels + c] = left[c];                                           \
            }                                                                               \
        }                                                                                   \
    }                                                                                       \
                                                                                            \
    static void prefix_##Sum(const sat_job *job, const sat_tile *tile)                      \
    {                                                                                       \
        int64_t n = tile->pixels * job->in.channels;                                        \
        for (int y = 0; y < tile->rows; y++) {                                              \
            add_along_##Sum(job, tile, y, (Sum *)tile->sums + y * n);                       \
        }                                                                                   \
    }

#define GENERIC_PASS(Sum)                                                               \
    static void add_row_##Sum(Sum *restrict above, const Sum *restrict sums, int64_t n) \
    {                                                                                   \
        for (int64_t i = 0; i < n; i++) {                                               \
            above[i] = sums[i] + above[i];                                              \
        }                                                                               \
    }                                                                                   \
                                                                                        \
    static void pass_##Sum(const sat_job *job, const sat_tile *tile)                    \
    {                                                                                   \
        int64_t n = tile->pixels * job->in.channels;                                    \
        for (int y = 0; y < tile->rows; y++) {                                          \
            add_row_##Sum(tile->above, (const Sum *)tile->sums + y * n, n);             \
        }                                                                               \
    }

#define GENERIC_TABLE(Sum)                                                  \
    static void finish_##Sum(const sat_job *job, const sat_tile *tile)      \
    {                                                                       \
        int64_t n = tile->pixels * job->in.channels;                        \
        for (int y = 0; y < tile->rows; y++) {                              \
            add_row_##Sum(tile->above, (const Sum *)tile->sums + y * n, n); \
            store_row(job, tile, y);                                        \
        }                                                                   \
    }                                                                       \
                                                                            \
    static void table_##Sum(const sat_job *job, const sat_tile *tile)       \
    {                                                                       \
        int64_t n = tile->pixels * job->in.channels;                        \
        for (int y = 0; y < tile->rows; y++) {                              \
            add_along_##Sum(job, tile, y, tile->work);                      \
            add_row_##Sum(tile->above, tile->work, n);                      \
            store_row(job, tile, y);                                        \
        }                                                                   \
    }

#define GENERIC(Sum)    \
    GENERIC_PREFIX(Sum) \
    GENERIC_PASS(Sum)   \
    GENERIC_TABLE(Sum)

GENERIC(uint32_t)
GENERIC(uint64_t)
GENERIC(satf_u128)
GENERIC(double)

/* ------------------------------------------------- u8 and u16, all channels */

/* A row of a tile: its samples, the sums of the row above, and where its own sums go. */
typedef struct tile_row {
    const char *src;
    const char *above; /* no alignment, nor of the others */
    char *kept;        /* in the caches; the next row's `above` */
    char *around;      /* if not NULL, also there, around the caches; aligned to a vector */
} tile_row;

/* Rows that are written around the caches are kept in tile->above. A table in the caches needs no
 * such memory: each row finds the one above in the table, but for a first row that is apart. */
static tile_row row_of(const sat_job *job, const sat_tile *tile, int y)
{
    char *out = tile->out + y * job->out_stride;
    tile_row row = {tile->src + y * job->in.stride, tile->above, out, NULL};
    if (tile->stream) {
        row.kept = tile->above;
        row.around = (uintptr_t)out % VECTOR_BYTES == 0 ? out : NULL;
    } else if (y > 0 || !tile->apart) {
        row.above = out - job->out_stride;
    }
    return row;
}

/* A call with the number of channels, which the compiler then knows. */
#define BY_CHANNELS(channels, call) \
    switch (channels) {             \
    case 1:                         \
        call(1);                    \
        break;                      \
    case 2:                         \
        call(2);                    \
        break;                      \
    case 3:                         \
        call(3);                    \
        break;                      \
    default:                        \
        call(4);                    \
    }

#define NAME(f) f##_u8_to_u32
#define SRC uint8_t
#define NARROW uint16_t
#define SUM uint32_t
#define SQUARE false
#include "prefix_template.h"

#define NAME(f) f##_u8_to_u64
#define SRC uint8_t
#define NARROW uint16_t
#define SUM uint64_t
#define SQUARE false
#include "prefix_template.h"

#define NAME(f) f##_u8_squares_to_u32
#define SRC uint8_t
#define NARROW uint32_t
#define SUM uint32_t
#define SQUARE true
#include "prefix_template.h"

#define NAME(f) f##_u8_squares_to_u64
#define SRC uint8_t
#define NARROW uint32_t
#define SUM uint64_t
#define SQUARE true
#include "prefix_template.h"

#define NAME(f) f##_u16_to_u32
#define SRC uint16_t
#define NARROW uint32_t
#define SUM uint32_t
#define SQUARE false
#include "prefix_template.h"

#define NAME(f) f##_u16_to_u64
#define SRC uint16_t
#define NARROW uint32_t
#define SUM uint64_t
#define SQUARE false
#include "prefix_template.h"

#define NAME(f) f##_u16_squares_to_u64
#define SRC uint16_t
#define NARROW uint64_t
#define SUM uint64_t
#define SQUARE true
#include "prefix_template.h"

/* ------------------------------------------------------------------- floats */

/* Rows at a time, and samples of them: a multiple of 2, 3 and 4. */
enum { FLOAT_ROWS = SAT_FLOAT_ROWS, FLOAT_SAMPLES = SAT_FLOAT_SAMPLES };

#define NAME(f) f##_f32_to_f64
#define SRC float
#define SQUARE false
#include "float_template.h"

#define NAME(f) f##_f32_squares_to_f64
#define SRC float
#define SQUARE true
#include "float_template.h"

#define NAME(f) f##_f64_to_f64
#define SRC double
#define SQUARE false
#include "float_template.h"

#define NAME(f) f##_f64_squares_to_f64
#define SRC double
#define SQUARE true
#include "float_template.h"

/* ---------------------------------------------------------------- the choice */

static sat_kernels generic_kernels(satf_sum_type type)
{
#define KERNELS(Sum)                                                                              \
    (sat_kernels)                                                                                 \
    {                                                                                             \
        .table = table_##Sum, .prefix = prefix_##Sum, .pass = pass_##Sum, .finish = finish_##Sum, \
    }
    switch (type) {
    case SATF_SUM_U32:
        return KERNELS(uint32_t);
    case SATF_SUM_U64:
        return KERNELS(uint64_t);
    case SATF_SUM_U128:
        return KERNELS(satf_u128);
    default:
        return KERNELS(double);
    }
#undef KERNELS
}

sat_kernels SATF_ISA_NAME(sat_find_kernels)(const sat_job *job)
{
    static const struct {
        int type;
        satf_summand summand;
        satf_sum_type sum_type;
        sat_tile_kernel table, prefix;
    } fast[] = {
#define FAST(TYPE, SUMMAND, SUM, kind) \
    {SATF_##TYPE, SATF_SUMMAND_##SUMMAND, SATF_SUM_##SUM, table_##kind, prefix_##kind}
        FAST(U8, PLAIN, U32, u8_to_u32),
        FAST(U8, PLAIN, U64, u8_to_u64),
        FAST(U8, SQUARE, U32, u8_squares_to_u32),
        FAST(U8, SQUARE, U64, u8_squares_to_u64),
        FAST(U16, PLAIN, U32, u16_to_u32),
        FAST(U16, PLAIN, U64, u16_to_u64),
        FAST(U16, SQUARE, U64, u16_squares_to_u64),
        FAST(F32, PLAIN, F64, f32_to_f64),
        FAST(F32, SQUARE, F64, f32_squares_to_f64),
        FAST(F64, PLAIN, F64, f64_to_f64),
        FAST(F64, SQUARE, F64, f64_squares_to_f64),
#undef FAST
    };
    sat_kernels kernels = generic_kernels(job->sum_type);
    for (size_t i = 0; i < sizeof fast / sizeof *fast; i++) {
        if (fast[i].type == job->in.type && fast[i].summand == job->summand &&
            fast[i].sum_type == job->sum_type) {
            kernels.table = fast[i].table;
            kernels.prefix = fast[i].prefix;
            if (job->sum_type != SATF_SUM_F64) {
                kernels.one_row = true;
                kernels.finish = fast[i].table;
            }
        }
    }
    return kernels;
}
