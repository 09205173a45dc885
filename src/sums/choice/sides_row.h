/* Rows of results over windows whose sides an image gives. */
#ifndef SATF_SUMS_CHOICE_SIDES_ROW_H
#define SATF_SUMS_CHOICE_SIDES_ROW_H

#include "../../formula/epilogue.h"
#include "pyramid.h"
#include "../tables/sat_layer.h"

/* Where the sums are: of integers in a table, of floats in blocks. For both the layer has the
 * samples outside. */
typedef struct sides_sums {
    const sat_layer *layer;
    pyramid blocks;
} sides_sums;

/* Row y of the step's result, into `to`; finish->aux: with data. Fails if the callback cancels. */
satf_status sides_row(satf_context *ctx, const epilogue *finish, const filter_step *step,
                      const sides_sums *sums, int64_t y, char *to);

#endif
