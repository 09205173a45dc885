/* Finishing: from a segment of window sums to a piece of the output row. */
#ifndef SATF_FILTER_FINISH_H
#define SATF_FILTER_FINISH_H

#include <stdatomic.h>

#include "recipe.h"
#include "survey.h"

struct finish_kernels;
struct loop_kernels;

/* Constant for a run. Filled by finisher_init(). */
typedef struct finisher {
    const filter_recipe *recipe;
    const void *options; /* the filter's own */
    const struct finish_kernels *kernels;
    const struct loop_kernels *loops;
    satf_type in_type, out_type;
    int channels;           /* lanes of the sums */
    int out_channels;       /* as many, or all but alpha */
    bool weighted;          /* the sums are weighted, their last lane holds the sums of alpha */
    bool around_caches;     /* the output is so large that it is written around the caches */
    formula_sums constants; /* what all samples have in common */
    satf_view beside[2];    /* of a part of a filter; of a run: with data */
    bool bilevel;           /* results are 0 or 255, in bytes */
    int formula;            /* its number */
    struct finish_survey *survey; /* not NULL: nothing is stored, but this found out */
    satf_rect surveyed;           /* of these pixels */
} finisher;

/* The keys of survey.h, which all threads raise. */
typedef struct finish_survey {
    _Atomic uint64_t keys[SURVEY_KEYS];
} finish_survey;

/* From here on segments are surveyed, for filters that want that, with the keys at 0, as far as
 * they lie in `surveyed`; then they are finished, and formulas know what was found. */
void finisher_begin_survey(finisher *f, finish_survey *survey, const satf_rect *surveyed);
void finisher_end_survey(finisher *f);

/* Large outputs are written around the caches, which is not for rows on their way to a next filter:
 * who makes such clears `around_caches`. */
void finisher_init(finisher *f, const filter_recipe *recipe, const void *options,
                   const satf_view *in, const satf_view *out, bool weighted);

/* dst: the segment's first pixel in the output (no alignment). Filters of
 * REGION_WINDOW and REGION_PREFIX. */
void finish_segment(const finisher *f, const window_segment *segment, void *dst);

/* The same by the filter's formula alone, sample by sample: what
 * finish_segment() must equal bit for bit. */
void finish_by_formula(const finisher *f, const window_segment *segment, void *dst);

/* finish_by_formula(), or a survey. */
void finish_by_definition(const finisher *f, const window_segment *segment, void *dst);

/* The same in blocks, for filters of windows; false, and nothing done, where sums are too large. */
bool finish_by_loops(const finisher *f, const window_segment *segment, void *dst);

/* Stores n reals as samples, see formula_store(). */
void finish_reals(satf_type type, const double *values, int64_t n, void *dst);

/* Sum i of an array of sums: *integer, or *real if the type is SATF_SUM_F64. */
void finish_load_sum(satf_sum_type type, const void *sums, int64_t i, satf_u128 *integer,
                     double *real);

#endif
