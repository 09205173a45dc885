/* Epilogues: a segment of window sums becomes a segment of the output's row. */
#ifndef SATF_FORMULA_EPILOGUE_H
#define SATF_FORMULA_EPILOGUE_H

#include <stdatomic.h>

#include "../chain/pass.h"
#include "epilogue_kernels.h"
#include "epilogue_loops.h"
#include "reduction.h"
#include "../sums/choice/varies_kernels.h"

struct epilogue;

/* The weights of blocks whose pixels all weigh the same: the first n hold. */
typedef struct epilogue_weights {
    int64_t n;
    uint64_t area;
    double weights[LOOP_SAMPLES], inverses[LOOP_SAMPLES]; /* the latter 1 / the former, or 0 */
} epilogue_weights;

/* Makes the results of a segment. */
typedef void (*epilogue_run)(const struct epilogue *f, const window_segment *segment, void *dst);

/* Constant for a run. Filled by epilogue_init(), and what is chosen by epilogue_prepare(). */
typedef struct epilogue {
    const filter_pass *pass;
    const void *options; /* the filter's own */
    const epilogue_kernels *kernels;
    const loop_kernels *loops;
    epilogue_run run;
    /* The arithmetic of blocks. LOOP_MODES: by definition, for sums are too large, or are those of
     * the image. */
    loop_mode mode;
    uint64_t area;
    epilogue_kernel divides, at_once; /* of windows of `area` pixels, or of any; and of others */
    bool any_area;
    epilogue_magic magic;
    satf_type in_type, out_type;
    int channels;           /* lanes of the sums */
    int out_channels;       /* as many, or all but alpha */
    bool weighted;          /* the sums are weighted, their last lane holds the sums of alpha */
    bool masked;            /* alpha is 0 or 1, and the last lane of results stays its sum */
    bool around_caches;     /* the output is so large that it is written around the caches */
    formula_sums constants; /* what all samples have in common */
    satf_view aux[2];       /* of a part of a filter; of a run: with data */
    bool bilevel;           /* results are 0 or 255, in bytes */
    varies_kind varies;     /* KERNEL_VARIES, */
    int64_t plane;          /* whose rows are planes of so many numbers */
    unsigned reads;         /* what the formula does: */
    formula_function call;
    loop_kernel loop;           /* of f->mode, or NULL */
    epilogue_weights *weights;  /* kept from one segment to the next, by one thread; or NULL */
    size_t in_bytes, out_bytes; /* of a sample */
    const void *table;          /* of lookup.c */
    terms_kernel by_terms;      /* of windows of `area` pixels, or NULL */
    terms_numbers terms;
    bool is_step; /* integers up to `cut` become `below`, others `above` */
    uint8_t below, above;
    int64_t cut;
    struct epilogue_reduction *reduction; /* not NULL: results are not stored, but reduced here */
    satf_rect reduced;                    /* the pixels that the reduction looks at */
} epilogue;

/* The keys of reduction.h, which all threads raise. */
typedef struct epilogue_reduction {
    _Atomic uint64_t keys[REDUCTION_KEYS];
    _Atomic uint64_t spread; /* the key of the greatest, where the formula grows with it */
} epilogue_reduction;

/* Begins a reduction, for filters that want one: with the keys at 0, segments are reduced as far as
 * they lie in `reduced`. After epilogue_end_reduction() segments are finished, and formulas know
 * what was found. */
void epilogue_begin_reduction(epilogue *f, epilogue_reduction *reduction, const satf_rect *reduced);
void epilogue_end_reduction(epilogue *f);

/* Large outputs bypass the caches; who makes rows for a next filter clears `around_caches`. */
void epilogue_init(epilogue *f, const filter_pass *pass, const void *options, const satf_view *in,
                   const satf_view *out, bool weighted);

/* Decides everything for segments with sums of such types, over at most such an area, that have
 * shifts or not. Squares that the filter does not read are of any type. */
void epilogue_prepare(epilogue *f, satf_sum_type sum, satf_sum_type square, uint64_t area,
                      bool shifts);

/* Finds the step of a pass of KERNEL_STEP, if it has one, by its formula: what all samples have in
 * common is set. */
void epilogue_find_step(epilogue *f);

/* dst: the segment's first pixel in the output (no alignment). Passes over windows and cells. */
void epilogue_segment(const epilogue *f, const window_segment *segment, void *dst);

/* The same by the formula alone, in 128 bits: what epilogue_segment() must equal bit for bit; and
 * by the formula in blocks, with the arithmetic of f->mode. */
void epilogue_by_formula(const epilogue *f, const window_segment *segment, void *dst);
void epilogue_by_blocks(const epilogue *f, const window_segment *segment, void *dst);

/* The same by the pass's terms (terms.c); finds whether these serve, with sums of such types and
 * all that epilogue_prepare() knows (f->by_terms); and finds them again, after what all samples
 * have in common has changed. */
void epilogue_by_terms(const epilogue *f, const window_segment *segment, void *dst);
void epilogue_find_terms(epilogue *f, satf_sum_type sum, satf_sum_type square);
void epilogue_terms_again(epilogue *f);

/* The numbers by which devices decide, for windows of so many pixels; if no terms serve, all
 * results are left open. */
terms_numbers epilogue_terms_of_device(epilogue *f, uint64_t area);

/* A formula of nothing but an integer sample (KERNEL_SAMPLE) becomes a table of all its results.
 * lookup_bytes(): the table's size, after epilogue_prepare(), for an image of so many samples; 0:
 * it would not pay. lookup_prepare() fills it, aligned to 64, by the formula: epilogues look
 * results up from then on. (lookup.c) */
size_t lookup_bytes(const epilogue *f, int64_t samples);
satf_status lookup_prepare(satf_context *ctx, epilogue *f, void *table);

/* Stores n reals as samples, see formula_store(). */
void epilogue_reals(satf_type type, const double *values, int64_t n, void *dst);

/* Sum i of an array of sums: in *integer, or in *real if the type is SATF_SUM_F64. */
void epilogue_load_sum(satf_sum_type type, const void *sums, int64_t i, satf_u128 *integer,
                       double *real);

#endif
