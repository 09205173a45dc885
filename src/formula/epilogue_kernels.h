/* Epilogues for rows, compiled once per instruction set; each computes one
 * formula of filters/ for one combination of types, bit for bit. */
#ifndef SATF_FORMULA_EPILOGUE_KERNELS_H
#define SATF_FORMULA_EPILOGUE_KERNELS_H

#include "../sat/sums.h"

/* Division of s + area / 2 by area as a multiplication:
 * ((s + bias) * multiplier >> word) >> shift, word being 16 or 32 bits. */
typedef struct epilogue_magic {
    uint32_t multiplier, bias;
    int shift;
} epilogue_magic;

/* The magic for sums 0 ... max * area of samples 0 ... max, which s + bias must
 * not take out of the word. False if there is none that is exact. */
bool epilogue_magic_find(int word, uint64_t max, uint64_t area, epilogue_magic *magic);

typedef struct epilogue_task {
    const void *sums, *squares;
    int64_t n;           /* samples */
    int channels;        /* weighted kernels: 2 ... 4, the last one alpha */
    uint64_t area;       /* at least 1 */
    const double *areas; /* areas_ kernels: one a sample instead */
    epilogue_magic magic;
    void *dst; /* no alignment */
} epilogue_task;

#define EPILOGUE_NARROW_AREA 16384

typedef void (*epilogue_kernel)(const epilogue_task *task);

/*
 * X(kernel): mean_SUM_OUT by magic; narrow_mean_SUM_OUT by float arithmetic, with
 * area at most EPILOGUE_NARROW_AREA; wide_mean_SUM_OUT by double arithmetic,
 * with sums below 2^50 and area below 2^33; areas_mean_SUM_OUT: the same, the area
 * varying from sample to sample; real_mean_SUM_OUT; weighted_SUM_OUT:
 * the mean weighted by alpha, with sums below 2^50 and sums of alpha below 2^33;
 * variance_SUM_SQUARE_OUT and stddev: area^2 * max^2 below 2^53 for exact_
 * (double arithmetic) and below 2^64 for the others; real_ of float samples.
 */
#define EPILOGUE_KERNELS(X)       \
    X(mean_u16_u8)                \
    X(mean_u32_u8)                \
    X(mean_u32_u16)               \
    X(narrow_mean_u32_u8)         \
    X(wide_mean_u16_u8)           \
    X(wide_mean_u32_u8)           \
    X(wide_mean_u32_u16)          \
    X(wide_mean_u64_u8)           \
    X(wide_mean_u64_u16)          \
    X(areas_mean_u16_u8)          \
    X(areas_mean_u32_u8)          \
    X(areas_mean_u32_u16)         \
    X(areas_mean_u64_u8)          \
    X(areas_mean_u64_u16)         \
    X(weighted_u32_u8)            \
    X(weighted_u64_u8)            \
    X(weighted_u64_u16)           \
    EPILOGUE_KERNELS_REAL(X, f32) \
    EPILOGUE_KERNELS_REAL(X, f64)

#define EPILOGUE_KERNELS_REAL(X, out) \
    X(real_mean_u16_##out)            \
    X(real_mean_u32_##out)            \
    X(real_mean_u64_##out)            \
    X(real_mean_f64_##out)            \
    X(areas_mean_f64_##out)           \
    X(exact_variance_u16_u32_##out)   \
    X(exact_variance_u32_u32_##out)   \
    X(exact_variance_u32_u64_##out)   \
    X(variance_u32_u64_##out)         \
    X(real_variance_##out)            \
    X(exact_stddev_u16_u32_##out)     \
    X(exact_stddev_u32_u32_##out)     \
    X(exact_stddev_u32_u64_##out)     \
    X(stddev_u32_u64_##out)           \
    X(real_stddev_##out)

typedef struct epilogue_kernels {
#define MEMBER(name) epilogue_kernel name;
    EPILOGUE_KERNELS(MEMBER)
#undef MEMBER
    /* memcpy() around the caches */
    void (*stream)(char *to, const char *from, size_t bytes);
} epilogue_kernels;

extern const epilogue_kernels epilogue_kernels_base;
#ifdef SATF_HAVE_X86_ISA
extern const epilogue_kernels epilogue_kernels_avx2, epilogue_kernels_avx512;
#endif

#endif
