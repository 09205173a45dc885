/*
 * Tiles of the blocked row. Compiled once per instruction set.
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

#define GENERIC_TILE(Sum)                                                                      \
    static void generic_##Sum(const sat_job *job, const sat_tile *tile)                        \
    {                                                                                          \
        Sum *above = tile->above, *terms = tile->work, *left = tile->left;                     \
        int channels = job->in.channels;                                                       \
        for (int y = 0; y < tile->rows; y++, left += channels) {                               \
            satf_summands((satf_type)job->in.type, channels, job->summand,                     \
                          tile->src + y * job->in.stride, tile->pixels, job->sum_type, terms); \
            for (int64_t p = 0; p < tile->pixels; p++) {                                       \
                for (int c = 0; c < channels; c++) {                                           \
                    left[c] += terms[p * channels + c];                                        \
                    above[p * channels + c] += left[c];                                        \
                }                                                                              \
            }                                                                                  \
            store_row(job, tile, y);                                                           \
        }                                                                                      \
    }

GENERIC_TILE(uint32_t)
GENERIC_TILE(uint64_t)
GENERIC_TILE(satf_u128)
GENERIC_TILE(double)

/* ------------------------------------------------- u8 and u16, all channels */

/*
 * Prefix sums without a serial chain. With D pixels' samples in a vector of sums,
 *     t_1[i] = a[i],  t_2k[i] = t_k[i] + t_k[i - k * channels]
 * gives in log2 D rounds the sums t_D over the last D pixels, in narrow lanes (a
 * window of D is small); then
 *     prefix[i] = prefix[i - D * channels] + t_D[i]
 * is one addition of whole vectors. What lies left of the tile is zero for t and
 * enters by the carried sums: prefix[i] for i < 0 are those.
 *
 * Src: u8 or u16. Narrow: holds D summands. Sum: u32 or u64.
 */
#define PREFIX_KERNEL(name, Src, Narrow, Sum, square)                                            \
    typedef Sum name##_sums __attribute__((vector_size(VECTOR_BYTES)));                          \
    typedef Narrow name##_terms __attribute__((vector_size(VECTOR_BYTES)));                      \
                                                                                                 \
    INLINE name##_terms name##_load(const char *src)                                             \
    {                                                                                            \
        name##_terms terms = widen_##Src##_##Narrow(src);                                        \
        return square ? terms * terms : terms;                                                   \
    }                                                                                            \
                                                                                                 \
    /* The last vectors of t_k, for the sums over more pixels. */                                \
    typedef struct name##_history {                                                              \
        name##_terms before, earlier;                                                            \
    } name##_history;                                                                            \
                                                                                                 \
    /* t_2k from t_k; shift: the bytes of k pixels, at most two vectors. */                      \
    INLINE name##_terms name##_double(name##_terms t, name##_history *h, int shift)              \
    {                                                                                            \
        raw_vector back =                                                                        \
            shift <= VECTOR_BYTES                                                                \
                ? shift_in((raw_vector)h->before, (raw_vector)t, shift)                          \
                : shift_in((raw_vector)h->earlier, (raw_vector)h->before, shift - VECTOR_BYTES); \
        h->earlier = h->before;                                                                  \
        h->before = t;                                                                           \
        return t + (name##_terms)back;                                                           \
    }                                                                                            \
                                                                                                 \
    /* Advances prefix by a vector of t_D and adds it to above; to, if not NULL, gets the sums   \
     * around the caches. */                                                                     \
    INLINE name##_sums name##_add(name##_sums prefix, name##_sums t, Sum *above, char *to)       \
    {                                                                                            \
        name##_sums sums;                                                                        \
        memcpy(&sums, above, sizeof sums);                                                       \
        prefix += t;                                                                             \
        sums += prefix;                                                                          \
        memcpy(above, &sums, sizeof sums);                                                       \
        if (to) {                                                                                \
            stream_vector(to, (raw_vector)sums);                                                 \
        }                                                                                        \
        return prefix;                                                                           \
    }                                                                                            \
                                                                                                 \
    INLINE void name##_row(const char *src, int64_t n, int channels, Sum *above, Sum *left,      \
                           char *out)                                                            \
    {                                                                                            \
        enum { L = VECTOR_BYTES / sizeof(Sum), WIDE = VECTOR_BYTES / sizeof(Narrow) };           \
        const int depth = channels == 3 ? L : channels < L ? L / channels : 1;                   \
        const int step = depth * channels, vectors = step / L;                                   \
        const int narrow_bytes = channels * (int)sizeof(Narrow);                                 \
        const int block = vectors * WIDE;                                                        \
        Sum lane[3 * L];                                                                         \
        for (int k = 0; k < 3 * L; k++) {                                                        \
            lane[k] = left[k % channels];                                                        \
        }                                                                                        \
        name##_sums prefix[3];                                                                   \
        memcpy(prefix, lane, sizeof prefix);                                                     \
        name##_history h2 = {0}, h4 = {0}, h8 = {0};                                             \
        char head[2 * VECTOR_BYTES] = {0}; /* a pixel of zeros, then the first samples */        \
        const int pixel_bytes = channels * (int)sizeof(Src);                                     \
        const int64_t row_bytes = n * (int64_t)sizeof(Src);                                      \
        memcpy(head + pixel_bytes, src,                                                          \
               (size_t)(row_bytes < VECTOR_BYTES ? row_bytes : VECTOR_BYTES));                   \
        int64_t i = 0;                                                                           \
        for (; i + block <= n; i += block) {                                                     \
            UNROLL for (int j = 0; j < block; j += WIDE)                                         \
            {                                                                                    \
                int64_t at = (i + j) * (int64_t)sizeof(Src);                                     \
                name##_terms t = name##_load(src + at);                                          \
                if (depth > 1) {                                                                 \
                    t += name##_load(at < pixel_bytes ? head + at : src + (at - pixel_bytes));   \
                }                                                                                \
                if (depth > 2) {                                                                 \
                    t = name##_double(t, &h2, 2 * narrow_bytes);                                 \
                }                                                                                \
                if (depth > 4) {                                                                 \
                    t = name##_double(t, &h4, 4 * narrow_bytes);                                 \
                }                                                                                \
                if (depth > 8) {                                                                 \
                    t = name##_double(t, &h8, 8 * narrow_bytes);                                 \
                }                                                                                \
                Narrow part[WIDE];                                                               \
                memcpy(part, &t, sizeof part);                                                   \
                UNROLL for (int k = 0; k < WIDE; k += L)                                         \
                {                                                                                \
                    name##_sums *p = &prefix[(j + k) / L % vectors];                             \
                    *p = name##_add(*p, widen_##Narrow##_##Sum(part + k), above + i + j + k,     \
                                    out ? out + (i + j + k) * (int64_t)sizeof(Sum) : NULL);      \
                }                                                                                \
            }                                                                                    \
        }                                                                                        \
        if (i > 0) {                                                                             \
            memcpy(lane, prefix, sizeof prefix);                                                 \
            for (int c = 0; c < channels; c++) {                                                 \
                left[c] = lane[step - channels + c];                                             \
            }                                                                                    \
        }                                                                                        \
        for (; i < n; i++) {                                                                     \
            Src sample;                                                                          \
            memcpy(&sample, src + i * (int64_t)sizeof sample, sizeof sample);                    \
            Sum *sum = &left[i % channels];                                                      \
            *sum += square ? (Sum)sample * (Sum)sample : (Sum)sample;                            \
            above[i] += *sum;                                                                    \
            if (out) {                                                                           \
                memcpy(out + i * (int64_t)sizeof(Sum), above + i, sizeof(Sum));                  \
            }                                                                                    \
        }                                                                                        \
    }                                                                                            \
                                                                                                 \
    INLINE void name##_any(const char *src, int64_t n, int channels, Sum *above, Sum *left,      \
                           char *out)                                                            \
    {                                                                                            \
        switch (channels) {                                                                      \
        case 1:                                                                                  \
            name##_row(src, n, 1, above, left, out);                                             \
            break;                                                                               \
        case 2:                                                                                  \
            name##_row(src, n, 2, above, left, out);                                             \
            break;                                                                               \
        case 3:                                                                                  \
            name##_row(src, n, 3, above, left, out);                                             \
            break;                                                                               \
        default:                                                                                 \
            name##_row(src, n, 4, above, left, out);                                             \
        }                                                                                        \
    }                                                                                            \
                                                                                                 \
    static void name(const sat_job *job, const sat_tile *tile)                                   \
    {                                                                                            \
        Sum *above = tile->above, *left = tile->left;                                            \
        int channels = job->in.channels;                                                         \
        int64_t n = tile->pixels * channels;                                                     \
        for (int y = 0; y < tile->rows; y++, left += channels) {                                 \
            const char *src = tile->src + y * job->in.stride;                                    \
            char *out = tile->out + y * job->out_stride;                                         \
            if (tile->stream && (uintptr_t)out % VECTOR_BYTES == 0) {                            \
                name##_any(src, n, channels, above, left, out);                                  \
            } else {                                                                             \
                name##_any(src, n, channels, above, left, NULL);                                 \
                store_row(job, tile, y);                                                         \
            }                                                                                    \
        }                                                                                        \
    }

PREFIX_KERNEL(u8_to_u32, uint8_t, uint16_t, uint32_t, false)
PREFIX_KERNEL(u8_to_u64, uint8_t, uint16_t, uint64_t, false)
PREFIX_KERNEL(u8_squares_to_u32, uint8_t, uint32_t, uint32_t, true)
PREFIX_KERNEL(u8_squares_to_u64, uint8_t, uint32_t, uint64_t, true)
PREFIX_KERNEL(u16_to_u32, uint16_t, uint32_t, uint32_t, false)
PREFIX_KERNEL(u16_to_u64, uint16_t, uint32_t, uint64_t, false)
PREFIX_KERNEL(u16_squares_to_u64, uint16_t, uint64_t, uint64_t, true)

/* ------------------------------------------------------------------- floats */

/* Rows at a time: each is a chain of additions, in the reference's order, which
 * only other rows can fill the waiting time of. */
enum { FLOAT_ROWS = 4, FLOAT_SAMPLES = 504 }; /* a multiple of 2, 3 and 4 */

#define FLOAT_KERNEL(name, Src, square)                                                          \
    INLINE void name##_segment(const sat_job *job, const char *src, int64_t n, int channels,     \
                               int rows, double *left, double *above,                            \
                               double(*sums)[FLOAT_SAMPLES])                                     \
    {                                                                                            \
        double chain[FLOAT_ROWS][SATF_MAX_CHANNELS];                                             \
        for (int r = 0; r < rows; r++) {                                                         \
            for (int c = 0; c < channels; c++) {                                                 \
                chain[r][c] = left[r * channels + c];                                            \
            }                                                                                    \
        }                                                                                        \
        for (int64_t i = 0; i < n; i += channels) {                                              \
            UNROLL for (int c = 0; c < channels; c++)                                            \
            {                                                                                    \
                double sum = above[i + c];                                                       \
                UNROLL for (int r = 0; r < rows; r++)                                            \
                {                                                                                \
                    Src sample;                                                                  \
                    memcpy(&sample, src + r * job->in.stride + (i + c) * (int64_t)sizeof sample, \
                           sizeof sample);                                                       \
                    chain[r][c] += square ? (double)sample * (double)sample : (double)sample;    \
                    sum = chain[r][c] + sum;                                                     \
                    sums[r][i + c] = sum;                                                        \
                }                                                                                \
                above[i + c] = sum;                                                              \
            }                                                                                    \
        }                                                                                        \
        for (int r = 0; r < rows; r++) {                                                         \
            for (int c = 0; c < channels; c++) {                                                 \
                left[r * channels + c] = chain[r][c];                                            \
            }                                                                                    \
        }                                                                                        \
    }                                                                                            \
                                                                                                 \
    INLINE void name##_rows(const sat_job *job, const sat_tile *tile, int y, int rows,           \
                            int channels)                                                        \
    {                                                                                            \
        double(*sums)[FLOAT_SAMPLES] = tile->work;                                               \
        double *left = (double *)tile->left + y * channels, *above = tile->above;                \
        const char *src = tile->src + y * job->in.stride;                                        \
        int64_t samples = tile->pixels * channels;                                               \
        int64_t segment = FLOAT_SAMPLES / channels * channels;                                   \
        for (int64_t i = 0; i < samples; i += segment) {                                         \
            int64_t n = samples - i < segment ? samples - i : segment;                           \
            name##_segment(job, src + i * (int64_t)sizeof(Src), n, channels, rows, left,         \
                           above + i, sums);                                                     \
            for (int r = 0; r < rows; r++) {                                                     \
                store_sums(job, tile, y + r, i, sums[r], n);                                     \
            }                                                                                    \
        }                                                                                        \
    }                                                                                            \
                                                                                                 \
    INLINE void name##_tile(const sat_job *job, const sat_tile *tile, int channels)              \
    {                                                                                            \
        int y = 0;                                                                               \
        for (; y + FLOAT_ROWS <= tile->rows; y += FLOAT_ROWS) {                                  \
            name##_rows(job, tile, y, FLOAT_ROWS, channels);                                     \
        }                                                                                        \
        for (; y < tile->rows; y++) {                                                            \
            name##_rows(job, tile, y, 1, channels);                                              \
        }                                                                                        \
    }                                                                                            \
                                                                                                 \
    static void name(const sat_job *job, const sat_tile *tile)                                   \
    {                                                                                            \
        switch (job->in.channels) {                                                              \
        case 1:                                                                                  \
            name##_tile(job, tile, 1);                                                           \
            break;                                                                               \
        case 2:                                                                                  \
            name##_tile(job, tile, 2);                                                           \
            break;                                                                               \
        case 3:                                                                                  \
            name##_tile(job, tile, 3);                                                           \
            break;                                                                               \
        default:                                                                                 \
            name##_tile(job, tile, 4);                                                           \
        }                                                                                        \
    }

FLOAT_KERNEL(f32_to_f64, float, false)
FLOAT_KERNEL(f32_squares_to_f64, float, true)
FLOAT_KERNEL(f64_to_f64, double, false)
FLOAT_KERNEL(f64_squares_to_f64, double, true)

/* ---------------------------------------------------------------- the choice */

sat_tile_kernel SATF_ISA_NAME(sat_find_kernel)(const sat_job *job)
{
    static const struct {
        int type;
        satf_summand summand;
        satf_sum_type sum_type;
        sat_tile_kernel kernel;
    } fast[] = {
        {SATF_U8, SATF_SUMMAND_PLAIN, SATF_SUM_U32, u8_to_u32},
        {SATF_U8, SATF_SUMMAND_PLAIN, SATF_SUM_U64, u8_to_u64},
        {SATF_U8, SATF_SUMMAND_SQUARE, SATF_SUM_U32, u8_squares_to_u32},
        {SATF_U8, SATF_SUMMAND_SQUARE, SATF_SUM_U64, u8_squares_to_u64},
        {SATF_U16, SATF_SUMMAND_PLAIN, SATF_SUM_U32, u16_to_u32},
        {SATF_U16, SATF_SUMMAND_PLAIN, SATF_SUM_U64, u16_to_u64},
        {SATF_U16, SATF_SUMMAND_SQUARE, SATF_SUM_U64, u16_squares_to_u64},
        {SATF_F32, SATF_SUMMAND_PLAIN, SATF_SUM_F64, f32_to_f64},
        {SATF_F32, SATF_SUMMAND_SQUARE, SATF_SUM_F64, f32_squares_to_f64},
        {SATF_F64, SATF_SUMMAND_PLAIN, SATF_SUM_F64, f64_to_f64},
        {SATF_F64, SATF_SUMMAND_SQUARE, SATF_SUM_F64, f64_squares_to_f64},
    };
    for (size_t i = 0; i < sizeof fast / sizeof *fast; i++) {
        if (fast[i].type == job->in.type && fast[i].summand == job->summand &&
            fast[i].sum_type == job->sum_type) {
            return fast[i].kernel;
        }
    }
    switch (job->sum_type) {
    case SATF_SUM_U32:
        return generic_uint32_t;
    case SATF_SUM_U64:
        return generic_uint64_t;
    case SATF_SUM_U128:
        return generic_satf_u128;
    default:
        return generic_double;
    }
}
