/* Directories of a TIFF that is read, without libtiff, which would decode each. */
#include <string.h>

#include "tiff_common.h"

uint64_t io_tiff_number(const io_tiff_layout *l, const unsigned char *at, size_t bytes)
{
    return l->msb ? io_load_big(at, bytes) : io_load_little(at, bytes);
}

bool io_tiff_look(const io_tiff_state *t, uint64_t at, void *to, size_t bytes)
{
    return at <= INT64_MAX && io_source_look(t->source, (int64_t)at, to, bytes) == bytes;
}

uint64_t io_tiff_read_lead(const io_tiff_state *t, io_tiff_layout *l)
{
    unsigned char lead[16] = {0};
    *l = (io_tiff_layout){0};
    if (!io_tiff_look(t, 0, lead, 8)) {
        return 0;
    }
    l->msb = lead[0] == 'M';
    l->big = lead[2] == '+' || lead[3] == '+';
    return l->big ? io_tiff_look(t, 0, lead, 16) ? io_tiff_number(l, lead + 8, 8) : 0
                  : io_tiff_number(l, lead + 4, 4);
}

bool io_tiff_walk(const io_tiff_state *t, const io_tiff_layout *l, uint64_t at,
                  bool (*take)(void *user, const io_tiff_layout *l, const io_tiff_found *entry),
                  void *user, uint64_t *next)
{
    enum { CHUNK = 64, MOST_ENTRIES = 4096 };
    size_t n_bytes = l->big ? 8 : 2, entry = l->big ? 20 : 12, offset = l->big ? 8 : 4;
    unsigned char entries[CHUNK * 20];
    *next = 0;
    if (!io_tiff_look(t, at, entries, n_bytes)) {
        return false;
    }
    uint64_t count = io_tiff_number(l, entries, n_bytes);
    at += n_bytes;
    if (count > MOST_ENTRIES) { /* libtiff reads no more either */
        return false;
    }
    for (uint64_t i = 0; i < count; i += CHUNK) {
        size_t n = count - i < CHUNK ? (size_t)(count - i) : CHUNK;
        if (!io_tiff_look(t, at + i * entry, entries, n * entry)) {
            return false;
        }
        for (size_t k = 0; k < n; k++) {
            const unsigned char *e = entries + k * entry;
            io_tiff_found found = {.tag = (unsigned)io_tiff_number(l, e, 2),
                                   .type = (unsigned)io_tiff_number(l, e + 2, 2),
                                   .count = io_tiff_number(l, e + 4, offset),
                                   .first = e + 4 + offset,
                                   .at = at + (i + k) * entry + 4 + offset};
            if (!take(user, l, &found)) {
                return false;
            }
        }
    }
    if (io_tiff_look(t, at + count * entry, entries,
                     offset)) { /* else it is the last: some lack it */
        *next = io_tiff_number(l, entries, offset);
    }
    return true;
}
