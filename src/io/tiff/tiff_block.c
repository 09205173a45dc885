/* The tags of a TIFF that describe its picture: read from its directories, for libtiff knows not
 * all of them, nor all types. */
#include <string.h>

#include "tiff_common.h"

enum { TEXT_BYTES = 16 };

typedef struct block_reader {
    io_tiff_state *t;
    io_header *header;
    satf_tags tags;
    unsigned directory; /* SATF_TAGS_... that is read */
    uint64_t lead[SATF_TAGS_DIRECTORIES];
    size_t entries; /* of EXIF's directories */
    uint64_t bytes;
    bool damaged;
    satf_status status;
} block_reader;

static void name_lost(block_reader *r, const char *name)
{
    io_list_name(r->header->others, sizeof r->header->others, name);
}

static satf_status refuse_bytes(const block_reader *r)
{
    return satf_fail(r->t->ctx, SATF_LIMIT,
                     "the TIFF's tags have more than the limit of %lld bytes (limit: max-metadata)",
                     (long long)r->t->ctx->settings.max_metadata);
}

/* The entry's values become a tag; what is not in the file is damage. */
static void take_values(block_reader *r, const io_tiff_layout *l, const io_tiff_found *e)
{
    const io_tiff_state *t = r->t;
    size_t width = satf_tag_type_bytes(e->type), offset = l->big ? 8 : 4;
    bool text = r->directory == SATF_TAGS_PAGE && (satf_tag_kind(e->tag) & SATF_TAG_TEXT);
    satf_tag tag = {(uint16_t)r->directory, (uint16_t)e->tag, (uint16_t)e->type, 0, NULL}, found;
    if (e->count == 0 ||
        satf_tags_find(r->tags.block, r->tags.bytes, tag.directory, tag.tag, &found)) {
        return;
    }
    if (width == 0 || (text && e->type != TIFF_ASCII) ||
        e->count > (uint64_t)t->source->bytes / width) {
        r->damaged = true;
        return;
    }
    tag.bytes = (size_t)e->count * width;
    r->bytes += tag.bytes;
    if (r->bytes > (uint64_t)t->ctx->settings.max_metadata) {
        r->status = refuse_bytes(r);
        return;
    }
    unsigned char *values = satf_alloc(tag.bytes);
    uint64_t at = tag.bytes <= offset ? e->at : io_tiff_number(l, e->first, offset);
    if (!values) {
        r->status = satf_fail_memory(t->ctx, tag.bytes, "a TIFF's tag");
    } else if (!io_tiff_look(t, at, values, tag.bytes)) {
        r->damaged = true;
    } else {
        satf_tag_order_values(l->msb, e->type, values, tag.bytes);
        tag.values = values;
        r->status = satf_tags_add(t->ctx, &r->tags, &tag);
    }
    satf_free(values);
}

/* Takes the place of a directory from the entry, if it is one that leads to a directory. */
static bool take_lead(block_reader *r, const io_tiff_layout *l, const io_tiff_found *e)
{
    enum { IFD = 13, LONG8 = 16, IFD8 = 18 };
    unsigned to = r->directory == SATF_TAGS_PAGE && e->tag == SATF_TAG_EXIF_IFD  ? SATF_TAGS_EXIF
                  : r->directory == SATF_TAGS_PAGE && e->tag == SATF_TAG_GPS_IFD ? SATF_TAGS_GPS
                  : r->directory == SATF_TAGS_EXIF && e->tag == SATF_TAG_INTEROP_IFD
                      ? SATF_TAGS_INTEROP
                      : 0;
    bool wide = l->big && (e->type == LONG8 || e->type == IFD8);
    if (to && e->count == 1 && (wide || e->type == TIFF_LONG || e->type == IFD)) {
        r->lead[to] = io_tiff_number(l, e->first, wide ? 8 : 4);
    }
    return to > 0;
}

/* Tags that are not kept: those that speak of pixels alone, and of what else is read, say nothing;
 * others are told of by names that src/io/meta/others.c has words for, or by their numbers. */
static void take_lost(block_reader *r, unsigned tag)
{
    static const struct {
        uint16_t tag;
        const char *name;
    } named[] = {{TIFFTAG_XPOSITION, "oFFs"},
                 {TIFFTAG_YPOSITION, "oFFs"},
                 {TIFFTAG_GRAYRESPONSECURVE, "transfer"},
                 {TIFFTAG_TRANSFERFUNCTION, "transfer"},
                 {SATF_TAG_WHITE_POINT, "cHRM"}, /* of Lab, which has become RGB */
                 {SATF_TAG_PRIMARIES, "cHRM"},
                 {TIFFTAG_HALFTONEHINTS, "print"},
                 {TIFFTAG_SUBIFD, "sizes"},
                 {TIFFTAG_TARGETPRINTER, "print"},
                 {TIFFTAG_CLIPPATH, "clip"}};
    static const uint16_t silent[] = {32932 /* Wang's */,
                                      TIFFTAG_MATTEING,
                                      TIFFTAG_DATATYPE,
                                      TIFFTAG_IMAGEDEPTH,
                                      TIFFTAG_TILEDEPTH,
                                      33421 /* CFA */,
                                      33422,
                                      TIFFTAG_RICHTIFFIPTC,
                                      TIFFTAG_PHOTOSHOP,
                                      34675 /* ICC */,
                                      SATF_TAG_EXIF_IFD,
                                      SATF_TAG_GPS_IFD,
                                      50341 /* PrintIM */,
                                      59932 /* room */};
    enum { FIRST_PRIVATE = 0x8000 };
    char number[TEXT_BYTES];
    bool known = tag < FIRST_PRIVATE;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (named[i].tag == tag) {
            name_lost(r, named[i].name);
        }
    }
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
        known = known || silent[i] == tag;
    }
    if (!known) {
        snprintf(number, sizeof number, "tag %u", tag);
        name_lost(r, number);
    }
}

static bool tiff_block_take_entry(void *user, const io_tiff_layout *l, const io_tiff_found *e)
{
    block_reader *r = user;
    bool page = r->directory == SATF_TAGS_PAGE;
    if (take_lead(r, l, e)) {
        return true;
    }
    if (!page && ++r->entries > SATF_TAGS_MOST) {
        return false;
    }
    unsigned kind = satf_tag_kind(e->tag);
    bool is_rgb = r->t->colour == IO_TIFF_RGB || r->t->colour == IO_TIFF_YCBCR ||
                  r->t->colour == IO_TIFF_PALETTE || r->t->colours == 1;
    bool wanted =
        page ? kind != 0 && e->tag != TIFFTAG_ORIENTATION && (is_rgb || !(kind & SATF_TAG_COLOUR))
             : satf_tag_is_of(r->directory, e->tag);
    if (wanted) {
        take_values(r, l, e);
    } else if (page) {
        take_lost(r, e->tag);
    }
    return r->status == SATF_OK;
}

/* The orientation as libtiff reads it, of whatever type; nothing if the picture is upright. */
static satf_status add_orientation(block_reader *r)
{
    uint16_t orientation = 1;
    const satf_tag tag = {SATF_TAGS_PAGE, TIFFTAG_ORIENTATION, TIFF_SHORT, sizeof orientation,
                          (const unsigned char *)&orientation};
    TIFFGetFieldDefaulted(r->t->tif, TIFFTAG_ORIENTATION, &orientation);
    return orientation > 1 && orientation <= 8 ? satf_tags_add(r->t->ctx, &r->tags, &tag) : SATF_OK;
}

/* ImageJ's data are a table of kinds and counts, then texts and numbers, of the file's order. */
static void swap_imagej(const satf_tags *tags)
{
    enum { MAGIC = 4, COUNT = 8 };
    satf_tag counts, data;
    size_t lead_bytes = 0, at, piece = 1;
    if (!satf_tags_find(tags->block, tags->bytes, SATF_TAGS_PAGE, SATF_TAG_IMAGEJ_COUNTS,
                        &counts) ||
        !satf_tags_find(tags->block, tags->bytes, SATF_TAGS_PAGE, SATF_TAG_IMAGEJ, &data)) {
        return;
    }
    unsigned char *d = tags->block + (data.values - tags->block);
    const size_t pieces = counts.type == TIFF_LONG ? counts.bytes / sizeof(uint32_t) : 0;
    uint32_t n;
    if (pieces > 0) {
        memcpy(&n, counts.values, sizeof n);
        lead_bytes = n;
    }
    if (lead_bytes < MAGIC || lead_bytes % 4 || lead_bytes > data.bytes) {
        return;
    }
    io_swap_bytes(d, lead_bytes / 4, 4);
    at = lead_bytes;
    for (size_t k = MAGIC; k + COUNT <= lead_bytes; k += COUNT) {
        uint32_t times, kind;
        memcpy(&kind, d + k, sizeof kind);
        memcpy(&times, d + k + 4, sizeof times);
        size_t unit = kind == 0x696e666f || kind == 0x6c61626c || kind == 0x70726f70 ? 2 /* texts */
                      : kind == 0x72616e67 ? 8 /* ranges */
                                           : 1;
        for (; times > 0 && piece < pieces; times--, piece++) {
            memcpy(&n, counts.values + piece * sizeof n, sizeof n);
            if (n > data.bytes - at) {
                return;
            }
            if (unit > 1) {
                io_swap_bytes(d + at, n / unit, unit);
            }
            at += n;
        }
    }
}

satf_status io_tiff_read_block(io_tiff_state *t, io_header *header)
{
    block_reader r = {.t = t, .header = header};
    satf_metadata *m = &header->metadata;
    io_tiff_layout l;
    uint64_t next;
    io_tiff_read_lead(t, &l);
    r.lead[SATF_TAGS_PAGE] = TIFFCurrentDirOffset(t->tif);
    for (; r.directory < SATF_TAGS_DIRECTORIES && !r.status; r.directory++) {
        if (r.lead[r.directory]) {
            bool whole = io_tiff_walk(t, &l, r.lead[r.directory], tiff_block_take_entry, &r, &next);
            r.damaged = r.damaged || !whole;
        }
    }
    if (!r.status && r.damaged) {
        name_lost(&r, "damaged");
    }
    r.status = r.status ? r.status : add_orientation(&r);
    if (!r.status) {
        r.status = satf_exif_of_tags(t->ctx, &r.tags, &m->exif, &m->exif_bytes);
    }
    if (r.status) {
        satf_free(r.tags.block);
        return r.status;
    }
    r.tags.bytes = satf_tags_keep(r.tags.block, r.tags.bytes);
    if (l.msb == IO_LITTLE_ENDIAN) {
        swap_imagej(&r.tags);
    }
    if (r.tags.bytes == 0) {
        satf_free(r.tags.block);
        r.tags.block = NULL;
    }
    m->tags = r.tags.block;
    m->tags_bytes = r.tags.bytes;
    m->tags_pages = t->page_count;
    m->tags_samples = t->samples;
    return SATF_OK;
}
