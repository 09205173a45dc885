/*
 * satfilter-expert.h - what few need: engines and algorithms by name, their tuning, permutations.
 *
 * Without it the library chooses what is fastest. A program includes it beside satfilter.h, or in
 * its place; satfilter.h has the conventions.
 */
#include "satfilter.h"

#ifndef SATFILTER_EXPERT_H
#define SATFILTER_EXPERT_H

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------- engines and algorithms */

/* How filters sum over windows, over a template's rectangles, and over all above and left of a
 * pixel. */
typedef enum satf_engine {
    SATF_ENGINE_AUTO,
    SATF_ENGINE_SAT,   /* a summed area table, then corner reads */
    SATF_ENGINE_WINDOW /* marching column and row sums */
} satf_engine;

SATF_API satf_status satf_context_set_engine(satf_context *ctx, satf_engine engine);

/*
 * What a setting of this section asks for is done, or refused in a sentence: SATF_UNSUPPORTED. An
 * algorithm, an r and a sync ask for tables as SATF_ENGINE_SAT does. Of a chain
 * - filters that sum windows do what is asked for, or the chain is refused;
 * - filters that sum something else (lines: gauss, dog; cells: resize, pixelate) refuse it;
 * - filters that look at each pixel alone or move pixels do not mind, unless there are no others.
 * Tells whether calls refuse the filter on the context's device, as far as this does not depend on
 * images.
 */
SATF_API satf_status satf_filter_check_engine(satf_context *ctx, const satf_filter *filter);

/* Names of the SAT algorithms: index 0, 1, ... until NULL. *device_kind (may be
 * NULL) becomes "cpu" or "cuda", *help a line of text. Static storage. */
SATF_API const char *satf_algorithm(size_t index, const char **device_kind, const char **help);

/* The SAT algorithm by name, "auto" by default; see satf_algorithm(). Tables are built by it alone,
 * and read wherever a filter sums windows, whatever would be faster. */
SATF_API satf_status satf_context_set_algorithm(satf_context *ctx, const char *name);

/* r of (1+r)R1W (dissertation, section 6.5), 0 < r < 1; 0: what satf_context_tune() has found, else
 * what a CUDA device is reckoned to take least time for, on the CPU the paper's 1/4. Other
 * algorithms refuse any but 0. */
SATF_API satf_status satf_context_set_r(satf_context *ctx, double r);

/* How the stages of a CUDA algorithm wait for one another: "launch" (a kernel
 * each), "graph" (those, captured and replayed), "coop" (one kernel, whose blocks wait
 * for the stages before), or "auto", the default. Algorithms without such stages refuse others. */
SATF_API satf_status satf_context_set_sync(satf_context *ctx, const char *name);

/*
 * Measures which r of (1+r)R1W takes least time where the context computes (SATF_DEVICE_AUTO: CUDA
 * device 0, or the CPU where there is none), and of a CUDA device how long its start takes, which
 * SATF_DEVICE_AUTO reckons with. Remembers them, r for each type and size and of the CPU for the
 * context's threads, in this process and in a file under $XDG_CACHE_HOME or ~/.cache that later
 * ones read: SATF_IO where it cannot be written. A minute or two; reports progress.
 */
SATF_API satf_status satf_context_tune(satf_context *ctx);

/* ------------------------------------------------------------ permutations */

/* A permutation that is known beforehand, made ready to be applied often
 * (dissertation, chapters 4 and 5). Immutable, so several contexts may share it. */
typedef struct satf_permutation satf_permutation;

#define SATF_MAX_PERMUTATION (1 << 30) /* elements */

/*
 * Prepares out[places[i]] = in[i] for arrays of n elements, 1 ... SATF_MAX_PERMUTATION, of
 * element_bytes 4 or 8 each, whatever they mean.
 *
 * places:    host memory, a permutation of 0 ... n - 1; not needed afterwards.
 * device:    SATF_HOST, or the SATF_CUDA(n) that in and out will be on; what is
 *            prepared is copied there, and waited for.
 * algorithm: a name of satf_permutation_algorithm(), or "auto". SATF_UNSUPPORTED if that
 *            one cannot do this permutation, and the reason: "scheduled" and "fused"
 *            want n to be a product of two multiples of 32, each of at most 131072 bytes
 *            of elements. "auto" then takes another.
 *
 * Not a permutation: SATF_INVALID. Memory in the making, on the host: 26 n bytes
 * for "scheduled" and "fused", and what stays: 12 n and 6 n bytes (4 n for the
 * designated ones). *out is NULL on failure.
 */
SATF_API satf_status satf_permutation_create(satf_context *ctx, const uint32_t *places, int64_t n,
                                             int element_bytes, int device, const char *algorithm,
                                             satf_permutation **out);

/* NULL is allowed. Work with it that was enqueued must be done. */
SATF_API void satf_permutation_destroy(satf_permutation *permutation);

/* in and out: n elements each on the permutation's device, aligned to their size; they must not
 * overlap. With CUDA memory the call enqueues on the context's stream and returns. */
SATF_API satf_status satf_permutation_apply(satf_context *ctx, const satf_permutation *permutation,
                                            const void *in, void *out);

/* Bytes of scratch that satf_permutation_apply() wants. */
SATF_API satf_status satf_permutation_scratch(satf_context *ctx,
                                              const satf_permutation *permutation, size_t *bytes);

/* Names of the algorithms: index 0, 1, ... until NULL; *help (may be NULL) becomes a line. Static
 * storage. */
SATF_API const char *satf_permutation_algorithm(size_t index, const char **help);

/* The one that the permutation was prepared for; NULL for NULL. Static storage. */
SATF_API const char *satf_permutation_choice(const satf_permutation *permutation);

#ifdef __cplusplus
}
#endif
#endif
