#include "gegl_graph.h"

#include <string.h>

enum { TILE_WIDTH = 37, TILE_HEIGHT = 29 };

graph graph_new(GeglBuffer *buffer, const char *chain)
{
    GError *error = NULL;
    graph self = {.top = gegl_node_new()};
    GeglNode *source =
        gegl_node_new_child(self.top, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
    self.last = gegl_node_new_child(self.top, "operation", "gegl:nop", NULL);
    gegl_create_chain(chain, source, self.last, 0, 100, NULL, &error);
    need(!error, error ? error->message : "");
    return self;
}

void graph_free(graph *self)
{
    g_object_unref(self->top);
}

void *graph_pixels(const graph *self, const GeglRectangle *part, const char *format)
{
    const Babl *pixel = babl_format(format);
    void *pixels = g_malloc0_n((gsize)part->width * (gsize)part->height,
                               (gsize)babl_format_get_bytes_per_pixel(pixel));
    gegl_node_blit(self->last, 1, part, pixel, pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_CACHE);
    return pixels;
}

void *graph_tiles(const graph *self, const GeglRectangle *whole, const char *format)
{
    gsize bytes = (gsize)babl_format_get_bytes_per_pixel(babl_format(format));
    gsize stride = bytes * (gsize)whole->width;
    char *pixels = g_malloc(stride * (gsize)whole->height);
    for (int y = (whole->height - 1) / TILE_HEIGHT * TILE_HEIGHT; y >= 0; y -= TILE_HEIGHT) {
        for (int x = (whole->width - 1) / TILE_WIDTH * TILE_WIDTH; x >= 0; x -= TILE_WIDTH) {
            GeglRectangle tile = {whole->x + x, whole->y + y, MIN(TILE_WIDTH, whole->width - x),
                                  MIN(TILE_HEIGHT, whole->height - y)};
            char *part = graph_pixels(self, &tile, format);
            gsize row = bytes * (gsize)tile.width;
            for (int i = 0; i < tile.height; i++) {
                memcpy(pixels + (gsize)(y + i) * stride + (gsize)x * bytes, part + (gsize)i * row,
                       row);
            }
            g_free(part);
        }
    }
    return pixels;
}
