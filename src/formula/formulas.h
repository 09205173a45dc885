/*
 * The formulas of filters/, numbered in the order of filters/all.h. What is compiled for several
 * machines expands this list into loops, or into a switch, so that no other list names a formula.
 */
#ifndef SATF_FORMULA_FORMULAS_H
#define SATF_FORMULA_FORMULAS_H

#include "../satfilter/formula.h"

#include "../../filters/all.h"

/* FORMULA_ENTRY(name, reads): name_formula() reads name_options, and of formula_sums what `reads`
 * lists. */
typedef enum formula_number {
    FORMULA_NONE,
#define FORMULA_ENTRY(name, reads) FORMULA_##name,
#include "../../filters/all.h"
#undef FORMULA_ENTRY
    FORMULA_COUNT
} formula_number;

/* MIX_ENTRY(filter, name, images): filter_name_mix() reads filter_options, and of formula_pixels so
 * many images. */
typedef enum mix_number {
    MIX_NONE,
#define MIX_ENTRY(filter, name, images) MIX_##filter##_##name,
#include "../../filters/all.h"
#undef MIX_ENTRY
    MIX_COUNT
} mix_number;

#endif
