/* Metadata as tags of a TIFF that is written. */
#include <math.h>
#include <string.h>

#include "tiff_directory.h"

/* Pixels per inch; within a hundred-thousandth of a whole number they are meant to be one: other
 * formats count by the metre. */
static uint32_t rational(double value, uint32_t *below)
{
    double whole = round(value);
    bool is_whole = fabs(value - whole) <= 1e-5 * whole || value * 10000 > UINT32_MAX;
    *below = is_whole ? 1 : 10000;
    double above = round(value * *below);
    return above >= 1 && above <= UINT32_MAX ? (uint32_t)above : 0;
}

/* TIFF 6.0 requires it: 1 to 1, of no unit, where nothing is known. */
static satf_status add_resolution(satf_context *ctx, io_writer *writer)
{
    const satf_metadata *m = writer->metadata;
    bool metres = m && m->has_resolution && m->resolution_unit == 1;
    double scale = metres ? 0.0254 : 1;
    uint32_t x[2] = {0, 1}, y[2] = {0, 1};
    uint16_t unit = metres ? RESUNIT_INCH : RESUNIT_NONE;
    if (m && m->has_resolution) {
        x[0] = rational(m->resolution_x * scale, &x[1]);
        y[0] = rational(m->resolution_y * scale, &y[1]);
    }
    if (!x[0] || !y[0]) {
        x[0] = x[1] = y[0] = y[1] = 1;
        unit = RESUNIT_NONE;
    }
    satf_status status = io_tiff_add(ctx, writer, TIFFTAG_XRESOLUTION, TIFF_RATIONAL, 1, x);
    status = status ? status : io_tiff_add(ctx, writer, TIFFTAG_YRESOLUTION, TIFF_RATIONAL, 1, y);
    return status ? status : io_tiff_add(ctx, writer, TIFFTAG_RESOLUTIONUNIT, TIFF_SHORT, 1, &unit);
}

static satf_status add_tag(satf_context *ctx, io_writer *writer, const satf_tag *tag)
{
    return io_tiff_add_to(ctx, writer, tag->directory, tag->tag, tag->type,
                          tag->bytes / satf_tag_type_bytes(tag->type), tag->values);
}

/* A description that programs read tells of what is written. */
static satf_status add_description(satf_context *ctx, io_writer *writer, satf_tag *tag)
{
    unsigned char *made;
    satf_status status = io_description_make(ctx, tag, &writer->plan, &made, &tag->bytes);
    tag->values = made ? made : tag->values;
    status = status ? status : add_tag(ctx, writer, tag);
    satf_free(made);
    return status;
}

/* The pages of a file are counted anew; of a page alone nothing is said. */
static satf_status add_page_number(satf_context *ctx, io_writer *writer, int64_t pages)
{
    uint16_t numbers[2] = {(uint16_t)writer->page, (uint16_t)pages};
    return pages < 2 || pages > UINT16_MAX
               ? SATF_OK
               : io_tiff_add(ctx, writer, TIFFTAG_PAGENUMBER, TIFF_SHORT, 2, numbers);
}

/* Adds the tags that the page of a TIFF had. */
static satf_status add_tags(satf_context *ctx, io_writer *writer)
{
    const satf_metadata *m = writer->metadata;
    int64_t pages = writer->owns_pages ? 1 : writer->pages->wanted;
    bool fits = io_description_fits(m, &writer->plan, pages);
    satf_status status = SATF_OK;
    size_t at = 0;
    satf_tag tag;
    while (!status && satf_tags_next(m->tags, m->tags_bytes, &at, &tag)) {
        if (writer->options.strip && !(satf_tag_kind(tag.tag) & SATF_TAG_COLOUR)) {
            continue;
        }
        if (tag.tag == SATF_TAG_PAGE_NUMBER) {
            status = add_page_number(ctx, writer, pages);
        } else if (tag.tag == SATF_TAG_DESCRIPTION) {
            status = fits ? add_description(ctx, writer, &tag) : SATF_OK;
        } else if (fits || !(satf_tag_kind(tag.tag) & SATF_TAG_STACK)) {
            status = add_tag(ctx, writer, &tag);
        }
    }
    return status;
}

/* Leads to a directory, which the file's end places. */
static satf_status add_lead(satf_context *ctx, io_writer *writer, unsigned in, unsigned tag)
{
    static const uint64_t nowhere = 0;
    return io_tiff_add_to(ctx, writer, in, tag, TIFF_LONG8, 1, &nowhere);
}

/* EXIF lets a JPEG's sides be shorts, which libtiff warns of. */
static satf_status add_exif_tag(satf_context *ctx, io_writer *writer, satf_tag tag)
{
    enum { WIDTH = 40962, HEIGHT };
    uint16_t narrow;
    uint32_t side;
    if ((tag.tag == WIDTH || tag.tag == HEIGHT) && tag.type == TIFF_SHORT &&
        tag.bytes == sizeof narrow) {
        memcpy(&narrow, tag.values, sizeof narrow);
        side = narrow;
        tag.type = TIFF_LONG;
        tag.bytes = sizeof side;
        tag.values = (const unsigned char *)&side;
    }
    return add_tag(ctx, writer, &tag);
}

/* EXIF's tags, those of its first directory where the page's say nothing. */
static satf_status add_exif_tags(satf_context *ctx, io_writer *writer, const satf_tags *exif)
{
    const satf_metadata *m = writer->metadata;
    bool has[SATF_TAGS_DIRECTORIES] = {false};
    satf_status status = SATF_OK;
    size_t at = 0;
    satf_tag tag, own;
    while (!status && satf_tags_next(exif->block, exif->bytes, &at, &tag)) {
        bool page = tag.directory == SATF_TAGS_PAGE;
        if (!page || ((satf_tag_kind(tag.tag) & SATF_TAG_KEPT) &&
                      !satf_tags_find(m->tags, m->tags_bytes, SATF_TAGS_PAGE, tag.tag, &own))) {
            has[tag.directory] = true;
            status = add_exif_tag(ctx, writer, tag);
        }
    }
    if (!status && has[SATF_TAGS_INTEROP]) {
        has[SATF_TAGS_EXIF] = true;
        status = add_lead(ctx, writer, SATF_TAGS_EXIF, SATF_TAG_INTEROP_IFD);
    }
    if (!status && has[SATF_TAGS_EXIF]) {
        status = add_lead(ctx, writer, SATF_TAGS_PAGE, SATF_TAG_EXIF_IFD);
    }
    return status || !has[SATF_TAGS_GPS] ? status
                                         : add_lead(ctx, writer, SATF_TAGS_PAGE, SATF_TAG_GPS_IFD);
}

static satf_status add_exif(satf_context *ctx, io_writer *writer)
{
    const satf_metadata *m = writer->metadata;
    satf_tags exif = {NULL, 0, 0};
    bool damaged; /* which a note tells of */
    satf_status status = satf_exif_to_tags(ctx, m->exif, m->exif_bytes, &exif, &damaged);
    status = status ? status : add_exif_tags(ctx, writer, &exif);
    satf_free(exif.block);
    return status;
}

satf_status io_tiff_add_metadata(satf_context *ctx, io_writer *writer)
{
    const satf_metadata *m = writer->metadata;
    satf_status status = add_resolution(ctx, writer);
    if (!m || status) {
        return status;
    }
    uint16_t orientation = m->exif ? (uint16_t)satf_exif_orientation(m->exif, m->exif_bytes) : 1;
    unsigned char made[IO_ICC_BYTES]; /* of what a PNG says of its colours without one */
    int colours = writer->plan.out.channels < 3 ? 1 : 3;
    bool fits = io_icc_fits(m, colours);
    const struct {
        unsigned tag;
        TIFFDataType type;
        const unsigned char *at;
        size_t bytes;
    } blocks[] = {{TIFFTAG_ICCPROFILE, TIFF_UNDEFINED, fits ? m->icc : made,
                   fits ? m->icc_bytes : io_make_icc(m, colours, made)},
                  {TIFFTAG_XMLPACKET, TIFF_BYTE, m->xmp, m->xmp_bytes},
                  {TIFFTAG_PHOTOSHOP, TIFF_BYTE, m->iptc, m->iptc_bytes}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks && !status; i++) {
        status =
            io_tiff_add(ctx, writer, blocks[i].tag, blocks[i].type, blocks[i].bytes, blocks[i].at);
    }
    if (!status && orientation != 1) {
        status = io_tiff_add(ctx, writer, TIFFTAG_ORIENTATION, TIFF_SHORT, 1, &orientation);
    }
    status = status ? status : add_tags(ctx, writer);
    return status ? status : add_exif(ctx, writer);
}
