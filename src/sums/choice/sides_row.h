/* Rows of results over windows whose sides an image gives. */
#ifndef SATF_SUMS_CHOICE_SIDES_ROW_H
#define SATF_SUMS_CHOICE_SIDES_ROW_H

#include "../../formula/epilogue.h"
#include "pyramid.h"
#include "../tables/sat_layer.h"

/* The place of the sums: those of integers are in a table, those of floats in blocks. The layer has
 * what lies outside for both. */
typedef struct sides_sums {
    const sat_layer *layer;
    pyramid blocks;
} sides_sums;

/* Row y of the step's result, into `to`; finish->aux: with data. Fails if the callback cancels. */
satf_status sides_row(satf_context *ctx, const epilogue *finish, const filter_step *step,
                      const sides_sums *sums, int64_t y, char *to);

#endif
