/* One way down a picture: sliding. */
#ifndef SATF_WINDOW_SLIDE_H
#define SATF_WINDOW_SLIDE_H

#include "march.h"

/*
 * Sliding, where plan->slides: column sums go down, row sums along, both by adding what enters and
 * subtracting what leaves. Integers; floats as long as that is exact. Each is false where it is
 * not, and after a failure.
 */
bool window_slide_start(window_band *b); /* takes it up at the band's row */
bool window_slide_row(window_band *b);   /* delivers it */

/* The rows' fixed part for window_slide(); false after a failure. */
bool window_slide_prepare(window_state *s);

#endif
