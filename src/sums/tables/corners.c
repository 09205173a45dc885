/* The corner kernels, compiled once per instruction set. */
#include "corners.h"

#include <string.h>

#include "../../base/cpu.h"

#define NAME(f) f##_u32
#define SUM uint32_t
#include "corners_template.h"

#define NAME(f) f##_u64
#define SUM uint64_t
#include "corners_template.h"

#define NAME(f) f##_u128
#define SUM satf_u128
#include "corners_template.h"

#define NAME(f) f##_f64
#define SUM double
#include "corners_template.h"

#define BY_TYPE(what, ...)        \
    switch (type) {               \
    case SATF_SUM_U32:            \
        what##_u32(__VA_ARGS__);  \
        break;                    \
    case SATF_SUM_U64:            \
        what##_u64(__VA_ARGS__);  \
        break;                    \
    case SATF_SUM_U128:           \
        what##_u128(__VA_ARGS__); \
        break;                    \
    case SATF_SUM_F64:            \
        what##_f64(__VA_ARGS__);  \
        break;                    \
    case SATF_SUM_U16:            \
        break;                    \
    }

static void corners_strip(satf_sum_type type, const void *sat, int64_t stride, int64_t width,
                          int channels, const axis_sum *rows, void *to)
{
    BY_TYPE(strip, sat, stride, width, channels, rows, to)
}

static void corners_sums(satf_sum_type type, const void *from, int channels,
                         const corner_columns *columns, void *to)
{
    BY_TYPE(sums, from, channels, columns, to)
}

static void corners_add(satf_sum_type type, const void *from, int64_t n, double factor,
                        double *total)
{
    BY_TYPE(add, from, n, factor, total)
}

const corner_kernels SATF_ISA_NAME(corner_kernels) = {corners_strip, corners_sums, corners_add};
