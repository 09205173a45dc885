/* The other way down a picture, for floats: strips of columns. */
#ifndef SATF_WINDOW_STRIPS_H
#define SATF_WINDOW_STRIPS_H

#include "march.h"

/* Rows first ... end - 1 of floats, without subtracting; see strips.c. */
void window_strips(window_band *b, int64_t first, int64_t end);

#endif
