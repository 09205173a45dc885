/* Properties of an element from a filter's parameters, and the filter's text from their values. */
#ifndef SATF_PLUGINS_GSTREAMER_PROPERTIES_H
#define SATF_PLUGINS_GSTREAMER_PROPERTIES_H

#include <gst/gst.h>

/* Installs them, numbered from 1, and returns them in this order: one for each parameter that is no
 * file, three for a window: size, width, height. filter NULL: the property "filter", a chain. */
GPtrArray *properties_install(GObjectClass *object_class, const char *filter);

/* An array of their defaults, that of property N at N - 1; for properties_free(). */
GValue *properties_new(const GPtrArray *properties);

void properties_free(const GPtrArray *properties, GValue *values);

/* "box=15x15,at=0:0,border=mirror". Free with g_free(). */
char *properties_text(const char *filter, const GValue *values);

#endif
