/* The corner kernels, compiled once per instruction set. */
#include "corners.h"

#include <string.h>

#include "../base/cpu.h"

/* Instantiated for every sum type; Coef makes a coefficient that type (integers
 * wrap, so that a negative one subtracts). */
#define CORNERS(name, Sum, Coef)                                                                   \
    static void strip_##name(const void *sat, int64_t stride, int64_t width, int channels,         \
                             const axis_sum *rows, void *strip)                                    \
    {                                                                                              \
        int64_t n = width * channels;                                                              \
        Sum *restrict to = (Sum *)strip + channels;                                                \
        memset(strip, 0, (size_t)channels * sizeof *to);                                           \
        if (rows->count == 2 && rows->term[0].coef == 1 && rows->term[1].coef == -1) {             \
            const Sum *restrict low =                                                              \
                (const Sum *)((const char *)sat + (rows->term[0].end - 1) * stride);               \
            const Sum *restrict high =                                                             \
                (const Sum *)((const char *)sat + (rows->term[1].end - 1) * stride);               \
            for (int64_t i = 0; i < n; i++) {                                                      \
                to[i] = low[i] - high[i];                                                          \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        memset(to, 0, (size_t)n * sizeof *to);                                                     \
        for (int32_t k = 0; k < rows->count; k++) {                                                \
            const Sum *restrict row =                                                              \
                (const Sum *)((const char *)sat + (rows->term[k].end - 1) * stride);               \
            Sum coef = (Coef)rows->term[k].coef;                                                   \
            for (int64_t i = 0; i < n; i++) {                                                      \
                to[i] += coef * row[i];                                                            \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void sums_##name(const void *strip, int channels, const corner_columns *columns,        \
                            void *sums)                                                            \
    {                                                                                              \
        const Sum *restrict from = strip;                                                          \
        Sum *restrict to = sums;                                                                   \
        int64_t inside = (columns->right - columns->left) * channels;                              \
        if (inside > 0) {                                                                          \
            const Sum *begin = from + (columns->left + columns->x) * channels;                     \
            const Sum *end = begin + columns->w * channels;                                        \
            Sum *restrict first = to + columns->left * channels;                                   \
            for (int64_t i = 0; i < inside; i++) {                                                 \
                first[i] = end[i] - begin[i];                                                      \
            }                                                                                      \
        }                                                                                          \
        for (int64_t x = 0; x < columns->width; x++) {                                             \
            if (x == columns->left && columns->right > x) {                                        \
                x = columns->right - 1;                                                            \
                continue;                                                                          \
            }                                                                                      \
            const axis_sum *edge = &columns->edge[x];                                              \
            for (int c = 0; c < channels; c++) {                                                   \
                Sum sum = 0;                                                                       \
                for (int32_t k = 0; k < edge->count; k++) {                                        \
                    sum += (Sum)(Coef)edge->term[k].coef * from[edge->term[k].end * channels + c]; \
                }                                                                                  \
                to[x * channels + c] = sum;                                                        \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void add_##name(const void *sums, int64_t n, double factor, double *restrict total)     \
    {                                                                                              \
        const Sum *restrict from = sums;                                                           \
        for (int64_t i = 0; i < n; i++) {                                                          \
            total[i] += factor * (double)from[i];                                                  \
        }                                                                                          \
    }

CORNERS(u32, uint32_t, uint32_t)
CORNERS(u64, uint64_t, uint64_t)
CORNERS(u128, satf_u128, satf_u128)
CORNERS(f64, double, double)

#define KERNELS(what)                                         \
    {                                                         \
        NULL, what##_u32, what##_u64, what##_u128, what##_f64 \
    }

const corner_kernels SATF_ISA_NAME(corner_kernels) = {
    .strip = KERNELS(strip), .sums = KERNELS(sums), .add = KERNELS(add)};
