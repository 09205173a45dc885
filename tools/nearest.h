/* Looking names up, and guessing which one was meant. */
#ifndef SATFILTER_NEAREST_H
#define SATFILTER_NEAREST_H

#include "options.h"

/* The index of the filter's PARAM_FLAG of that name, or -1. */
int filter_flag_index(const filter_info *info, const char *name);

/* The option, filter or filter's flag that is spelled most like the first
 * `length` bytes of word; NULL if none is near. */
const char *nearest_option(const char *word, size_t length);

/* The filter that is spelled most like word; NULL if none is near. */
const char *nearest_filter(const char *word);

#endif
