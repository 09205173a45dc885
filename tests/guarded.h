/* Images between pages that must not be touched, flush with one of them. */
#ifndef SATF_TESTS_GUARDED_H
#define SATF_TESTS_GUARDED_H

#include "test.h"
#include <sys/mman.h>

#include "base/view.h"

/* Memory for a view between two pages that nobody may touch. */
typedef struct ref_guarded {
    satf_view view;
    char *map, *first; /* first: the bytes of the rows, padding included */
    size_t map_bytes, bytes;
} ref_guarded;

/* Rows `pad` bytes longer, bottom up if `flip`; they touch the page behind, or (`front`) the one
 * before. Every byte is `fill`. */
static inline ref_guarded ref_guarded_view(int64_t width, int64_t height, int channels,
                                           satf_type type, int64_t pad, int flip, int front,
                                           int fill)
{
    ref_guarded g;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    g.view = satf_view_packed(NULL, width, height, channels, type);
    int64_t row = g.view.stride + pad;
    /* what pads the last row is nobody's */
    g.bytes = (size_t)(row * (height - 1) + g.view.stride);
    size_t whole = (g.bytes + page - 1) / page * page;
    g.map_bytes = whole + 2 * page;
    g.map = mmap(NULL, g.map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g.map == MAP_FAILED || mprotect(g.map, page, PROT_NONE) ||
        mprotect(g.map + page + whole, page, PROT_NONE)) {
        abort();
    }
    g.first = g.map + page + (front ? 0 : whole - g.bytes);
    memset(g.map + page, fill, whole);
    g.view.stride = flip ? -row : row;
    g.view.data = g.first + (flip ? row * (height - 1) : 0);
    return g;
}

static inline void ref_guarded_free(ref_guarded *g)
{
    munmap(g->map, g->map_bytes);
}

#endif
