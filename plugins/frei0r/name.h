#ifndef SATF_PLUGINS_FREI0R_NAME_H
#define SATF_PLUGINS_FREI0R_NAME_H

extern const char frei0r_filter[]; /* in the library's table */
extern const char frei0r_name[];   /* as hosts show it */

#endif
