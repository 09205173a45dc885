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

/* What is sampled. */
typedef struct sample_kind {
    bool in_4d; /* then a layout_4d and a sample_access_4d, else a layout_2d and a sample_access_2d
                 */
    int layout, access;
} sample_kind;

const char *sample_layout_name(const sample_kind *kind);
const char *sample_access_name(const sample_kind *kind);

/* How many random numbers the layout takes. */
uint32_t sample_numbers(const sample_kind *kind, uint32_t w);

/* The mean over `samples` >= 1 warps of 1 <= w <= MACHINE_MAX_WIDTH threads, each with random
 * numbers of its own. Of four dimensions w <= 256; the random numbers, up to w^3, are drawn anew
 * for every 256 warps only. */
satf_status sample_congestion(satf_context *ctx, const sample_kind *kind, int32_t w,
                              int64_t samples, uint64_t seed, double *mean);

#endif
