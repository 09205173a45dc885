/* Graphs for tests of GEGL's operations. */
#ifndef SATF_TESTS_PLUGINS_GEGL_GRAPH_H
#define SATF_TESTS_PLUGINS_GEGL_GRAPH_H

#include <gegl.h>

#include "need.h"

typedef struct graph {
    GeglNode *top, *last;
} graph;

/* The buffer through "satfilter:box size=9 satfilter:flip axis=v", as the program gegl reads it. */
graph graph_new(GeglBuffer *buffer, const char *chain);

void graph_free(graph *self);

/* Samples of that part of the result; the caller's, for g_free(). */
void *graph_pixels(const graph *self, const GeglRectangle *part, const char *format);

/* The same of the whole, put together from tiles, the last first. */
void *graph_tiles(const graph *self, const GeglRectangle *whole, const char *format);

#endif
