/* A case of --self-test: a filter, made from its entry in the table alone, and small images. */
#ifndef SATFILTER_TRIAL_CASE_H
#define SATFILTER_TRIAL_CASE_H

#include <satfilter-expert.h>
#include <stdbool.h>

enum { TRIAL_IMAGES = 5, TRIAL_SAMPLES = 131 * 67 };

/* Images differ in their size and channels, and in the parameters that the filter has then. */
typedef struct trial_case {
    const char *filter;
    int type, border;
    int image; /* 0 ... TRIAL_IMAGES - 1 */
} trial_case;

bool trial_is_float(int type);

/* Whether such filters compute with samples of that type themselves: others become those. */
bool trial_has_own(int type, satf_filter_kind kind);

bool trial_has_border(const char *filter);

/* "box u8 clamp", "flip u8" */
void trial_name(const trial_case *c, char *text, size_t bytes);

/* Makes the image in memory for TRIAL_SAMPLES of 8 bytes each. Integers are noise with many of
 * the least and the greatest sample. Floats are multiples of 1/16 below 128, so that all sums of
 * them, of their squares, weighted by alpha too, are exact, whatever the order of the additions. */
void trial_fill(const trial_case *c, void *memory, satf_view *view);

/* *filter: to be destroyed, NULL on failure. */
satf_status trial_filter(satf_context *ctx, const trial_case *c, const satf_view *in,
                         satf_filter **filter);

/* The view of the result in such memory. False: the filter does not take this image, or makes grey
 * of coloured floats, which rounds before anything is summed. */
bool trial_output(satf_context *ctx, const trial_case *c, const satf_filter *filter,
                  const satf_view *in, void *memory, satf_view *out);

/* How far apart two engines' results of a filter of several steps on floats may be, before they
 * are rounded to the output's type; see docs/numbers.md, Floats. */
double trial_bound(const trial_case *c, const satf_view *in);

#endif
