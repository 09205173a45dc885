/* The other way down a picture, for floats: strips of columns. */
#ifndef SATF_SUMS_MARCH_STRIPS_H
#define SATF_SUMS_MARCH_STRIPS_H

#include "march.h"

/* The band's row, in all strips at once, which a plan that streams holds; false at the picture's
 * end and after a failure. */
bool window_strips_row(window_band *b);

/* Rows b->since ... b->until - 1, strip after strip. */
void window_strips(window_band *b);

#endif
