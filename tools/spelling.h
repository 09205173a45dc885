/* The distance of one word from another. */
#ifndef SATFILTER_SPELLING_H
#define SATFILTER_SPELLING_H

#include <stddef.h>

enum { SPELLING_MAX = 32 };

/* Insertions, deletions, replacements and swaps of neighbours that make b of a
 * (optimal string alignment distance); both at most SPELLING_MAX long. */
int spelling_distance(const char *a, size_t a_length, const char *b, size_t b_length);

#endif
