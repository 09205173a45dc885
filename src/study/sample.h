/* The mean congestion of a layout under a kind of access, by sampling: tables II and IV of
 * the RAP paper. */
#ifndef SATF_STUDY_SAMPLE_H
#define SATF_STUDY_SAMPLE_H

#include "machine.h"

/* X(NAME, "name"): how a warp accesses a w x w matrix (RAP, sections III and V): a row, a
 * column, a diagonal, or any words. */
#define SAMPLE_ACCESSES_2D(X)   \
    X(CONTIGUOUS, "contiguous") \
    X(STRIDE, "stride")         \
    X(DIAGONAL, "diagonal")     \
    X(RANDOM, "random")

/* The same of w^4 words (section VII): along the last index, the third, the second, the
 * first, or any words. SIXFOLD: groups of six, (i, j, k) being the orders of three
 * numbers and l the same for all, which meet in one bank under R1P (the malicious access). */
#define SAMPLE_ACCESSES_4D(X)      \
    X(CONTIGUOUS_4D, "contiguous") \
    X(STRIDE1, "stride1")          \
    X(STRIDE2, "stride2")          \
    X(STRIDE3, "stride3")          \
    X(RANDOM_4D, "random")         \
    X(SIXFOLD, "sixfold")

#define SAMPLE_ENUM(NAME, name) SAMPLE_##NAME,
typedef enum sample_access_2d { SAMPLE_ACCESSES_2D(SAMPLE_ENUM) SAMPLE_2D_COUNT } sample_access_2d;
typedef enum sample_access_4d { SAMPLE_ACCESSES_4D(SAMPLE_ENUM) SAMPLE_4D_COUNT } sample_access_4d;
#undef SAMPLE_ENUM

const char *sample_access_2d_name(sample_access_2d access);
const char *sample_access_4d_name(sample_access_4d access);

/* The mean over `samples` >= 1 warps, each with random numbers of its own. w <=
 * MACHINE_MAX_WIDTH. */
satf_status sample_congestion_2d(satf_context *ctx, layout_2d layout, sample_access_2d access,
                                 int32_t w, int64_t samples, uint64_t seed, double *mean);

/* The same of four dimensions, w <= 256; the random numbers, up to w^3, are drawn anew for
 * every 256 warps only. */
satf_status sample_congestion_4d(satf_context *ctx, layout_4d layout, sample_access_4d access,
                                 int32_t w, int64_t samples, uint64_t seed, double *mean);

#endif
