/* The facts of passes that engines ask for: which sums, samples and images a pass reads. */
#ifndef SATF_CHAIN_PASS_H
#define SATF_CHAIN_PASS_H

#include "../move/move.h"
#include "filter.h"
#include "../formula/formulas.h"
#include "rects.h"
#include "shape.h"

/* The rule for the type of the result with these options. */
static inline filter_type_rule filter_type(const filter_pass *pass, const void *options)
{
    if (pass->type != TYPE_BILEVEL) {
        return pass->type;
    }
    filter_bilevel bilevel;
    memcpy(&bilevel, (const char *)options + pass->bilevel, sizeof bilevel);
    return bilevel.surface ? TYPE_REAL : TYPE_BILEVEL;
}

/* Whether the image becomes grey first. */
static inline bool filter_needs_grey(const filter_pass *pass, const satf_view *in)
{
    return pass->grey && in->channels >= 3;
}

/* Whether alpha weighs colour. */
static inline bool filter_weighs(const filter_pass *pass)
{
    return pass->averages_alpha || pass->keeps_alpha;
}

/* What a formula reads, by its number; nothing for FORMULA_NONE. (modules.c) */
unsigned formula_reads(int number);

/* Whether the pass's formulas read any of `what`, such as FORMULA_SQUARE. */
static inline bool filter_reads(const filter_pass *pass, unsigned what)
{
    return (formula_reads(pass->formula) | formula_reads(pass->reduction)) & what;
}

/* The first way of the filter that has passes. */
static inline const filter_passes *filter_any_way(const filter_info *info)
{
    return &info->ways[info->ways[0].count == 0];
}

/* The filter's passes with these options, for the image, with an auxiliary input or without. If a
 * module names a way that there is not, the first one. */
static inline const filter_passes *filter_way(const filter_info *info, const void *options,
                                              const satf_view *in, bool aux)
{
    int colours = in->channels - (in->flags & SATF_ALPHA ? 1 : 0);
    if (in->device != SATF_HOST && info->on_device.count > 0) {
        return &info->on_device;
    }
    int number = info->way ? info->way(options, colours, aux) : 0;
    const filter_passes *way =
        number >= 0 && number < FILTER_MAX_WAYS ? &info->ways[number] : filter_any_way(info);
    return way->count == 0 && aux ? filter_any_way(info) : way;
}

/* The filter's last pass, for the facts that all its ways share: the type and shape of the result,
 * the uses of alpha and of grey. */
static inline const filter_pass *filter_last(const filter_info *info)
{
    const filter_passes *way = filter_any_way(info);
    return &way->list[way->count - 1];
}

/* Whether the filter is one pass over its input alone. */
static inline bool filter_is_simple(const filter_info *info)
{
    return info->ways[0].count == 1;
}

/* How many images a mix reads, by its number. (modules.c) */
int mix_images(int number);

/* Whether the pass reads image aux[b]. */
static inline bool filter_reads_aux(const filter_pass *pass, int b)
{
    return pass->mix != MIX_NONE        ? b + 1 < mix_images(pass->mix)
           : pass_shape_of(pass)->picks ? b == 0
           : b < 2                      ? filter_reads(pass, b ? FORMULA_AUX_TOO : FORMULA_AUX)
                                        : false;
}

/* How far passes along lines reach to either side. */
static inline int64_t filter_lines_reach(const filter_lines *lines)
{
    return lines->times ? lines->times * (lines->radius + 1) : lines->radius;
}

/* Whether engines have to find the samples at the pixels. */
static inline bool filter_has_centre(const filter_pass *pass)
{
    return filter_reads(pass, FORMULA_CENTRE) || pass->keeps_alpha ||
           pass->reduction != FORMULA_NONE;
}

/* Whether the formulas read only samples at the pixel. */
static inline bool filter_reads_pixels_alone(const filter_pass *pass)
{
    return !filter_reads(pass, FORMULA_SUM | FORMULA_SQUARE | FORMULA_LUMA);
}

/* Whether the pass looks at the whole image before it begins. */
static inline bool filter_reduces(const filter_pass *pass)
{
    return pass->reduction != FORMULA_NONE || pass->histogram;
}

/* Whether a formula reads squares alone: squares of samples less a shift would tell it nothing. */
static inline bool formula_reads_squares_alone(int number)
{
    return (formula_reads(number) & (FORMULA_SUM | FORMULA_SQUARE)) == FORMULA_SQUARE;
}

/* Whether the moments of floats are taken of samples less a shift. */
static inline bool filter_has_shifts(const filter_pass *pass)
{
    return filter_reads(pass, FORMULA_SQUARE) && !formula_reads_squares_alone(pass->formula) &&
           !formula_reads_squares_alone(pass->reduction);
}

/* Whether the pass makes the picture smaller, so that its pixels lie further apart in the scene. */
static inline bool filter_scales(const filter_pass *pass)
{
    return pass->shape && !pass->corner;
}

/* The symmetry of a pass that moves pixels; 0 for an order, which keeps the shape. */
static inline unsigned filter_symmetry(const filter_pass *pass, const void *options)
{
    return pass->symmetry ? pass->symmetry(options) : 0;
}

#endif
