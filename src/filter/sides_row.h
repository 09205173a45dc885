/* Rows of results over windows whose sides an image gives, from tables. */
#ifndef SATF_FILTER_SIDES_ROW_H
#define SATF_FILTER_SIDES_ROW_H

#include "epilogue.h"
#include "tables.h"

/* Row y of the step's result, into `to`, by what the tables hold; finish->aux: with data. False if
 * a table's sums came out infinite or NaN, which only overflow makes of sums without masks. */
bool sides_row(const epilogue *finish, const filter_step *step, const filter_tables *tables,
               int64_t y, char *to);

#endif
