/* The inner loops of the window engine, made of the templates in this folder. The library has a
 * copy of this file for each instruction set. */
#include "kernels.h"

#include <math.h>
#include <string.h>

#include "../../base/stores.h"
#include "../../sat/shift.h"
#include "scan.h"

/* Windows of more columns are faster by a scan than by sums of neighbours. */
#if defined(__AVX512BW__)
#define SCAN_BEYOND 6
#elif defined(__AVX2__)
#define SCAN_BEYOND 10
#else
#define SCAN_BEYOND 16 /* there is no scan: by running sums */
#endif

/* A register of doubles, and samples widened to it: of a loop compilers make twice as many. */
typedef double reals __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias));
#define REALS_LANES (VECTOR_BYTES / 8)

INLINE reals reals_of_f64(const char *samples)
{
    reals loaded;
    memcpy(&loaded, samples, sizeof loaded);
    return loaded;
}

INLINE reals reals_of_f32(const char *samples)
{
#if defined __AVX512F__
    return _mm512_cvtps_pd(_mm256_loadu_ps((const float *)(const void *)samples));
#elif defined __AVX2__
    return _mm256_cvtps_pd(_mm_loadu_ps((const float *)(const void *)samples));
#elif defined __SSE2__
    return _mm_cvtps_pd(_mm_castpd_ps(_mm_load_sd((const double *)(const void *)samples)));
#else
    float loaded[REALS_LANES];
    reals wide;
    memcpy(loaded, samples, sizeof loaded);
    for (int i = 0; i < REALS_LANES; i++) {
        wide[i] = loaded[i];
    }
    return wide;
#endif
}

#define U8 uint8_t
#define U16 uint16_t
#define U32 uint32_t
#define U64 uint64_t
#define U128 satf_u128
#define F32 float
#define F64 double

#define NAME(f) f##_u8_u16
#define WEIGHTED
#define SRC U8
#define COL U16
#define WORK U32
#include "vertical_template.h"

#define NAME(f) f##_u8_u32
#define WEIGHTED
#define SRC U8
#define COL U32
#define WORK U32
#include "vertical_template.h"

#define NAME(f) f##_u8_u64
#define WEIGHTED
#define SRC U8
#define COL U64
#define WORK U64
#include "vertical_template.h"

#define NAME(f) f##_u16_u16
#define SRC U16
#define COL U16
#define WORK U32
#include "vertical_template.h"

#define NAME(f) f##_u16_u32
#define WEIGHTED
#define SRC U16
#define COL U32
#define WORK U32
#include "vertical_template.h"

#define NAME(f) f##_u16_u64
#define WEIGHTED
#define SRC U16
#define COL U64
#define WORK U64
#include "vertical_template.h"

#define NAME(f) f##_u32_u32
#define SRC U32
#define COL U32
#define WORK U32
#include "vertical_template.h"

#define NAME(f) f##_u64_u64
#define SRC U64
#define COL U64
#define WORK U64
#include "vertical_template.h"

#define NAME(f) f##_f32_f64
#define LOAD_DOUBLES reals_of_f32
#define SRC F32
#define COL F64
#define WORK F64
#include "vertical_template.h"

#define NAME(f) f##_f64_f64
#define LOAD_DOUBLES reals_of_f64
#define WEIGHTED
#define SRC F64
#define COL F64
#define WORK F64
#include "vertical_template.h"

#define NAME(f) f##_row_u16_u16
#define COL U16
#define SUM U16
#define LANES (VECTOR_BYTES / 2)
#define HORIZONTAL_DIRECT 16
#include "horizontal_template.h"

#define NAME(f) f##_row_u16_u32
#define COL U16
#define SUM U32
#define LANES (VECTOR_BYTES / 4)
#ifdef __AVX2__
#define SCAN
#endif
#define HORIZONTAL_DIRECT SCAN_BEYOND
#include "horizontal_template.h"

#define NAME(f) f##_row_u32_u32
#define COL U32
#define SUM U32
#define LANES (VECTOR_BYTES / 4)
#ifdef __AVX2__
#define SCAN
#endif
#define HORIZONTAL_DIRECT SCAN_BEYOND
#include "horizontal_template.h"

#define NAME(f) f##_row_u32_u64
#define COL U32
#define SUM U64
#define LANES (VECTOR_BYTES / 8)
#define HORIZONTAL_DIRECT 16
#include "horizontal_template.h"

#define NAME(f) f##_row_u64_u64
#define COL U64
#define SUM U64
#define LANES (VECTOR_BYTES / 8)
#define HORIZONTAL_DIRECT 16
#include "horizontal_template.h"

#define NAME(f) f##_row_u64_u128
#define COL U64
#define SUM U128
#define LANES 1
#define HORIZONTAL_DIRECT 16
#include "horizontal_template.h"

#define NAME(f) f##_row_f64_f64
#define COL F64
#define SUM F64
#define LANES (VECTOR_BYTES / 8)
#if defined(__AVX512BW__)
#define SCAN_REALS
#define HORIZONTAL_DIRECT 4
#elif defined(__AVX2__)
#define SCAN_REALS
#define HORIZONTAL_DIRECT 8
#else
#define HORIZONTAL_DIRECT 16
#endif
#include "horizontal_template.h"

#include "strip_template.h"

#define MARCH(pair, SAMPLE, SUMS) \
    .row = (SAMPLE), .sums = (SUMS), .add = add_##pair, .march = march_##pair
#define VERTICAL(pair, SAMPLE, SUMS)                           \
    {                                                          \
        .summands = summands_##pair, MARCH(pair, SAMPLE, SUMS) \
    }
#define HORIZONTAL(pair, COLUMNS, SUMS)                                                           \
    {                                                                                             \
        COLUMNS, SUMS, run_row_##pair, pad_row_##pair, add_pixel_row_##pair, add_fixed_row_##pair \
    }

static const vertical_kernels vertical[] = {
    VERTICAL(u8_u16, SATF_U8, SATF_SUM_U16),
    VERTICAL(u8_u32, SATF_U8, SATF_SUM_U32),
    VERTICAL(u8_u64, SATF_U8, SATF_SUM_U64),
    {MARCH(u16_u16, SATF_U16, SATF_SUM_U16)},
    VERTICAL(u16_u32, SATF_U16, SATF_SUM_U32),
    VERTICAL(u16_u64, SATF_U16, SATF_SUM_U64),
    {MARCH(u32_u32, SATF_U32, SATF_SUM_U32)},
    {MARCH(u64_u64, SATF_U64, SATF_SUM_U64)},
    {MARCH(f32_f64, SATF_F32, SATF_SUM_F64), .sum = sum_f32_f64},
    {.summands = summands_f64_f64, MARCH(f64_f64, SATF_F64, SATF_SUM_F64), .sum = sum_f64_f64},
    {.add = NULL},
};

static const horizontal_kernels horizontal[] = {
    HORIZONTAL(u16_u16, SATF_SUM_U16, SATF_SUM_U16),
    HORIZONTAL(u16_u32, SATF_SUM_U16, SATF_SUM_U32),
    HORIZONTAL(u32_u32, SATF_SUM_U32, SATF_SUM_U32),
    HORIZONTAL(u32_u64, SATF_SUM_U32, SATF_SUM_U64),
    HORIZONTAL(u64_u64, SATF_SUM_U64, SATF_SUM_U64),
    HORIZONTAL(u64_u128, SATF_SUM_U64, SATF_SUM_U128),
    HORIZONTAL(f64_f64, SATF_SUM_F64, SATF_SUM_F64),
    {.run = NULL},
};

const window_kernels SATF_ISA_NAME(window_kernels) = {
    .vertical = vertical,
    .horizontal = horizontal,
    .strip = {.shift_by = shift_by,
              .row_sums = row_sums,
              .add = add,
              .enter = enter,
              .enter_weighing = enter_weighing,
              .suffixes = suffixes,
              .unite = unite,
              .repeat = repeat,
              .move = move,
              .row_moments = row_moments,
              .peak = peak,
              .on_grid = on_grid},
};
