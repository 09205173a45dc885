/* Looking names up, and guessing which one was meant. */
#ifndef SATFILTER_NEAREST_H
#define SATFILTER_NEAREST_H

#include "options.h"

/* The index of the flag of that name among the filter's parameters, or -1. */
int filter_flag_index(const char *filter, const char *name);

/* The value that must follow the filter's name, "N|WxH"; NULL if it takes none. */
const char *filter_value_syntax(const char *filter);

/* The option, filter or filter's flag that is spelled most like the first
 * `length` bytes of word; NULL if none is near. */
const char *nearest_option(const char *word, size_t length);

#endif
