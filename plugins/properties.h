/* GObject's properties from a filter's parameters, and the filter's text from their values. */
#ifndef SATF_PLUGINS_PROPERTIES_H
#define SATF_PLUGINS_PROPERTIES_H

#include <glib-object.h>

/* One for each parameter of the filter that is no file, three for a window: size, width, height,
 * two for a number or a word: level, otsu-level (a flag). Numbers and flags have the flags
 * `number`, texts those of `text`. Floating references, for properties_install(). */
GPtrArray *properties_make(const char *filter, GParamFlags number, GParamFlags text);

/* Installs them, numbered from 1; the class owns them then. */
void properties_install(GObjectClass *object_class, const GPtrArray *properties);

/* An array of their defaults, that of property N at N - 1; for properties_free(). */
GValue *properties_new(const GPtrArray *properties);

void properties_free(const GPtrArray *properties, GValue *values);

/* "box=15x15,at=0:0,border=mirror". Free with g_free(). */
char *properties_text(const char *filter, const GValue *values);

#endif
