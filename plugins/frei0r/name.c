/* The filter of a plugin, the only thing in which plugins differ: -DFREI0R_FILTER='"box"'. */
#include "name.h"

const char frei0r_filter[] = FREI0R_FILTER;
const char frei0r_name[] = "satfilter " FREI0R_FILTER;
