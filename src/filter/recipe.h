/* What engines ask of a filter's recipe. */
#ifndef SATF_FILTER_RECIPE_H
#define SATF_FILTER_RECIPE_H

#include "../move/move.h"
#include "filter.h"
#include "formulas.h"
#include "rects.h"

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
    return (formula_reads(recipe->formula) | formula_reads(recipe->survey)) & what;
}

/* The symmetry of a filter of REGION_PIXEL; 0 for an order, which keeps the shape. */
static inline unsigned filter_turn(const filter_recipe *recipe, const void *options)
{
    return recipe->turn ? recipe->turn(options) : 0;
}

#endif
