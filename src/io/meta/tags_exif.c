/* EXIF as tags, and tags as EXIF. */
#include <stdlib.h>
#include <string.h>

#include "exif.h"
#include "../../base/memory.h"
#include "../numbers.h"
#include "tags.h"

/* ---------------------------------------------------------------- tags of EXIF */

/* Adds the entry's tag, unless it is there. False: its values are not in the block. */
static bool tags_add_entry(satf_context *ctx, const satf_tiff *t, const unsigned char *entry,
                           unsigned directory, satf_tags *tags, satf_status *status)
{
    unsigned type = satf_tiff_load(t, entry + 2, 2);
    uint64_t bytes = (uint64_t)satf_tag_type_bytes(type) * satf_tiff_load(t, entry + 4, 4);
    size_t at = satf_tiff_load(t, entry + 8, 4);
    const unsigned char *values = bytes <= 4 ? entry + 8 : t->data + at;
    satf_tag tag = {(uint16_t)directory, (uint16_t)satf_tiff_load(t, entry, 2), (uint16_t)type,
                    (size_t)bytes, values},
             found;
    if (bytes == 0 || (bytes > 4 && (at > t->bytes || bytes > t->bytes - at))) {
        return bytes == 0 && satf_tag_type_bytes(type) > 0;
    }
    if (tags && !satf_tags_find(tags->block, tags->bytes, directory, tag.tag, &found)) {
        *status = satf_tags_add(ctx, tags, &tag);
        if (!*status) {
            satf_tag_order_values(t->big, type, tags->block + tags->bytes - tag.bytes, tag.bytes);
        }
    }
    return true;
}

/* A directory's entries. Returns false if some are not whole. */
static bool add_directory(satf_context *ctx, const satf_tiff *t, unsigned directory,
                          unsigned char *entries, size_t count, satf_tags *tags,
                          satf_status *status)
{
    bool whole = entries && count == satf_tiff_load(t, entries - 2, 2) && count <= SATF_TAGS_MOST;
    count = count < SATF_TAGS_MOST ? count : SATF_TAGS_MOST;
    for (size_t i = 0; i < count && !*status; i++) {
        const unsigned char *entry = entries + i * SATF_TIFF_ENTRY_BYTES;
        if (satf_tag_is_of(directory, satf_tiff_load(t, entry, 2))) {
            whole = tags_add_entry(ctx, t, entry, directory, tags, status) && whole;
        }
    }
    return whole;
}

satf_status satf_exif_to_tags(satf_context *ctx, const unsigned char *exif, size_t bytes,
                              satf_tags *tags, bool *damaged)
{
    satf_tiff t;
    unsigned char *entries[SATF_TAGS_DIRECTORIES] = {NULL};
    size_t count[SATF_TAGS_DIRECTORIES] = {0};
    satf_status status = SATF_OK;
    *damaged = false;
    if (!satf_tiff_open((unsigned char *)exif, bytes, &t)) { /* nothing is written */
        *damaged = bytes > 0;
        return SATF_OK;
    }
    entries[SATF_TAGS_PAGE] = satf_tiff_first(&t, &count[SATF_TAGS_PAGE]);
    for (unsigned d = SATF_TAGS_PAGE; d < SATF_TAGS_DIRECTORIES && !status; d++) {
        const unsigned in = satf_tags_leads[d].in;
        const unsigned char *lead =
            d > 0 && entries[in]
                ? satf_tiff_find(&t, entries[in], count[in], satf_tags_leads[d].tag)
                : NULL;
        if (lead) {
            entries[d] = satf_tiff_directory(&t, satf_tiff_load(&t, lead + 8, 4), &count[d]);
        }
        if (lead || d == SATF_TAGS_PAGE) {
            bool whole = add_directory(ctx, &t, d, entries[d], count[d], tags, &status);
            *damaged = *damaged || !whole;
        }
    }
    return status;
}

bool satf_exif_is_whole(const unsigned char *exif, size_t bytes)
{
    bool damaged;
    satf_exif_to_tags(NULL, exif, bytes, NULL, &damaged);
    return !damaged;
}

/* ---------------------------------------------------------------- EXIF of tags */

enum { LEAD_BYTES = 8, AROUND_ENTRIES = 2 + 4, INLINE_BYTES = 4, TYPE_LONG = 4 };

typedef struct maker {
    satf_tag *tag; /* by directory, then number */
    size_t count;
    size_t bytes[SATF_TAGS_DIRECTORIES], n[SATF_TAGS_DIRECTORIES]; /* of directories, with values */
    uint32_t at[SATF_TAGS_DIRECTORIES];
} maker;

static int tags_compare(const void *a, const void *b)
{
    const satf_tag *x = (const satf_tag *)a, *y = (const satf_tag *)b;
    return x->directory != y->directory
               ? (x->directory > y->directory) - (x->directory < y->directory)
               : (x->tag > y->tag) - (x->tag < y->tag);
}

static void tags_take(maker *m, const satf_tag *tag)
{
    m->tag[m->count++] = *tag;
    m->n[tag->directory]++;
    m->bytes[tag->directory] +=
        SATF_TIFF_ENTRY_BYTES + (tag->bytes > INLINE_BYTES ? tag->bytes + (tag->bytes & 1) : 0);
}

/* The tags that EXIF has, and those that lead to its directories. False: there is nothing that
 * other blocks of metadata do not say. */
static bool tags_choose(const satf_tags *tags, maker *m)
{
    bool says = false;
    size_t at = 0;
    satf_tag tag;
    while (satf_tags_next(tags->block, tags->bytes, &at, &tag)) {
        bool resolution = tag.tag == SATF_TAG_XRESOLUTION || tag.tag == SATF_TAG_YRESOLUTION ||
                          tag.tag == SATF_TAG_RESOLUTION_UNIT;
        if (tag.directory != SATF_TAGS_PAGE || satf_tag_in_exif(&tag)) {
            tags_take(m, &tag);
            says |= tag.directory != SATF_TAGS_PAGE || !resolution;
        }
    }
    for (unsigned d = SATF_TAGS_DIRECTORIES - 1; d > 0; d--) {
        if (m->n[d] > 0) {
            satf_tag lead = {satf_tags_leads[d].in, satf_tags_leads[d].tag, TYPE_LONG,
                             sizeof *m->at, (const unsigned char *)&m->at[d]};
            tags_take(m, &lead);
        }
    }
    return says;
}

/* Directory by directory: entries, then values. */
static void write_all(const maker *m, unsigned char *exif)
{
    const uint32_t first = LEAD_BYTES;
    memcpy(exif, IO_LITTLE_ENDIAN ? "II*\0" : "MM\0*", 4);
    memcpy(exif + 4, &first, 4);
    const satf_tag *tag = m->tag;
    for (unsigned d = 0; d < SATF_TAGS_DIRECTORIES; d++) {
        if (m->n[d] == 0 && d > 0) {
            continue;
        }
        uint16_t n = (uint16_t)m->n[d];
        unsigned char *entry = exif + m->at[d] + 2;
        uint32_t values = (uint32_t)(m->at[d] + AROUND_ENTRIES + m->n[d] * SATF_TIFF_ENTRY_BYTES);
        memcpy(exif + m->at[d], &n, 2);
        for (size_t i = 0; i < m->n[d]; i++, tag++, entry += SATF_TIFF_ENTRY_BYTES) {
            uint32_t count = (uint32_t)(tag->bytes / satf_tag_type_bytes(tag->type));
            memcpy(entry, &tag->tag, 2);
            memcpy(entry + 2, &tag->type, 2);
            memcpy(entry + 4, &count, 4);
            if (tag->bytes <= INLINE_BYTES) {
                memcpy(entry + 8, tag->values, tag->bytes);
            } else {
                memcpy(entry + 8, &values, 4);
                memcpy(exif + values, tag->values, tag->bytes);
                values += (uint32_t)(tag->bytes + (tag->bytes & 1));
            }
        }
    }
}

satf_status satf_exif_of_tags(satf_context *ctx, const satf_tags *tags, unsigned char **exif,
                              size_t *bytes)
{
    maker m = {NULL, SATF_TAGS_DIRECTORIES, {0}, {0}, {0}};
    size_t at = 0, all = LEAD_BYTES;
    satf_tag tag;
    satf_status status = SATF_OK;
    *exif = NULL;
    *bytes = 0;
    while (satf_tags_next(tags->block, tags->bytes, &at, &tag)) {
        m.count++;
    }
    m.tag = (satf_tag *)satf_alloc(m.count * sizeof tag);
    if (!m.tag) {
        return satf_fail_memory(ctx, m.count * sizeof tag, "EXIF");
    }
    m.count = 0;
    bool says = tags_choose(tags, &m);
    qsort(m.tag, m.count, sizeof tag, tags_compare);
    for (unsigned d = 0; d < SATF_TAGS_DIRECTORIES; d++) {
        m.at[d] = (uint32_t)all;
        all += m.n[d] || d == 0 ? AROUND_ENTRIES + m.bytes[d] : 0;
    }
    if (says && all <= UINT32_MAX) {
        *exif = (unsigned char *)satf_alloc_zeroed(all);
        status = *exif ? SATF_OK : satf_fail_memory(ctx, all, "EXIF");
    }
    if (*exif) {
        write_all(&m, *exif);
        *bytes = all;
    }
    satf_free(m.tag);
    return status;
}
