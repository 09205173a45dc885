/* What engines ask of a filter's recipe. */
#ifndef SATF_FILTER_RECIPE_H
#define SATF_FILTER_RECIPE_H

#include "../move/move.h"
#include "filter.h"
#include "formulas.h"
#include "rects.h"

/* What type the result has with these options. */
static inline filter_type_rule filter_type(const filter_recipe *recipe, const void *options)
{
    if (recipe->type != TYPE_BILEVEL) {
        return recipe->type;
    }
    filter_bilevel bilevel;
    memcpy(&bilevel, (const char *)options + recipe->bilevel, sizeof bilevel);
    return bilevel.surface ? TYPE_REAL : TYPE_BILEVEL;
}

/* Whether alpha weighs colour. */
static inline bool filter_weighs(const filter_recipe *recipe)
{
    return recipe->averages_alpha || recipe->keeps_alpha;
}

/* What a formula reads, by its number; nothing for FORMULA_NONE. (modules.c) */
unsigned formula_reads(int number);

/* Whether the formulas read FORMULA_SQUARE, FORMULA_CENTRE. */
static inline bool filter_reads(const filter_recipe *recipe, unsigned what)
{
    return (formula_reads(recipe->formula) | formula_reads(recipe->reduction)) & what;
}

/* The recipe of a filter with these options, for such an image. */
static inline const filter_recipe *filter_recipe_for(const filter_recipe *recipe,
                                                     const void *options, const satf_view *in)
{
    int colours = in->channels - (in->flags & SATF_ALPHA ? 1 : 0);
    int variant = recipe->variant ? recipe->variant(options, colours) : 0;
    return variant > 0 ? &recipe->variants[variant - 1] : recipe;
}

/* Whether engines have to find the samples at the pixels. */
static inline bool filter_has_centre(const filter_recipe *recipe)
{
    return filter_reads(recipe, FORMULA_CENTRE) || recipe->keeps_alpha ||
           recipe->reduction != FORMULA_NONE;
}

/* Whether a formula reads squares alone: of what is above a shift these say nothing. */
static inline bool formula_reads_squares_alone(int number)
{
    return (formula_reads(number) & (FORMULA_SUM | FORMULA_SQUARE)) == FORMULA_SQUARE;
}

/* Whether the moments of floats are those of what samples are above a shift. */
static inline bool filter_has_shifts(const filter_recipe *recipe)
{
    return filter_reads(recipe, FORMULA_SQUARE) && !formula_reads_squares_alone(recipe->formula) &&
           !formula_reads_squares_alone(recipe->reduction);
}

/* The symmetry of a filter of REGION_PIXEL; 0 for an order, which keeps the shape. */
static inline unsigned filter_turn(const filter_recipe *recipe, const void *options)
{
    return recipe->turn ? recipe->turn(options) : 0;
}

#endif
