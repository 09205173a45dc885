/* Blocks of EXIF, made directory by directory. */
#ifndef TESTS_EXIF_BLOCKS_H
#define TESTS_EXIF_BLOCKS_H

#include "test.h"

#include "io/meta/exif.h"

typedef struct block {
    satf_tiff t; /* room, and what is used of it */
    unsigned char room[2048];
} block;

static inline bool room_holds(const block *b, const void *part, size_t n)
{
    return memmem(b->room, sizeof b->room, part, n) != NULL;
}

static inline size_t put(block *b, const void *data, size_t n)
{
    size_t at = b->t.bytes;
    assert_true(at + n <= sizeof b->room);
    memcpy(b->room + at, data, n);
    b->t.bytes += n;
    return at;
}

static inline void put_number(block *b, size_t at, int n, uint32_t value)
{
    satf_tiff_store(&b->t, b->room + at, n, value);
}

/* A directory of these entries (tag, type, count, value) and a link, at the end. */
static inline size_t put_directory(block *b, const uint32_t entries[][4], int count, uint32_t next)
{
    size_t at = b->t.bytes;
    b->t.bytes += 2 + 12 * (size_t)count + 4;
    assert_true(b->t.bytes <= sizeof b->room);
    put_number(b, at, 2, (uint32_t)count);
    for (int i = 0; i < count; i++) {
        size_t entry = at + 2 + 12 * (size_t)i;
        int width = entries[i][1] == SATF_TIFF_SHORT && entries[i][2] == 1 ? 2 : 4;
        put_number(b, entry, 2, entries[i][0]);
        put_number(b, entry + 2, 2, entries[i][1]);
        put_number(b, entry + 4, 4, entries[i][2]);
        put_number(b, entry + 8, width, entries[i][3]);
    }
    put_number(b, b->t.bytes - 4, 4, next);
    return at;
}

static inline void begin_block(block *b, bool big)
{
    memset(b, 0, sizeof *b);
    b->t = (satf_tiff){b->room, 0, big};
    put(b, big ? "MM\0*\0\0\0\x08" : "II*\0\x08\0\0\0", 8);
}

#endif
