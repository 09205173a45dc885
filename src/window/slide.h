/* One way down a picture: sliding. */
#ifndef SATF_WINDOW_SLIDE_H
#define SATF_WINDOW_SLIDE_H

#include "march.h"

/*
 * Rows first ... end - 1 by sliding, where plan->slides: column sums go down, row sums along, both
 * by adding what enters and subtracting what leaves. Integers; floats as long as that is exact.
 * Returns the row before which it stopped: end, a row whose window is not exact, or after a failure
 * any.
 */
int64_t window_slide(window_band *b, int64_t first, int64_t end);

/* The rows' fixed part for window_slide(); false after a failure. */
bool window_slide_prepare(window_state *s);

#endif
