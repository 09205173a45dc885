/* The header of a picture, which codecs give before its pixels come, and the image that it
 * makes. */
#include "../codec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void io_header_set(io_header *header, int64_t width, int64_t height, int channels, satf_type type,
                   bool alpha, double maxval)
{
    header->view = satf_view_packed(NULL, width, height, channels, type);
    header->view.flags = alpha ? SATF_ALPHA : 0;
    header->has_range = maxval > 0;
    header->hi = maxval;
    header->alpha_max = maxval > 0 ? maxval : 1;
    header->view.full = maxval < (double)satf_type_max((int)type) ? maxval : 0;
    header->lo = satf_least_sample(&header->view);
    header->picture_type = type == SATF_U8 ? SATF_U8 : SATF_U16;
    header->rows_in_order = true;
    header->pictures = 1;
}

void io_set_resolution(satf_metadata *m, double x, double y, io_per unit)
{
    static const double in_metre[] = {1, 1 / IO_METRES_PER_INCH, 100, 1};
    if (x > 0 && y > 0 && (unit != IO_PER_UNKNOWN || x != y)) {
        m->has_resolution = true;
        m->resolution_x = x * in_metre[unit];
        m->resolution_y = y * in_metre[unit];
        m->resolution_unit = unit != IO_PER_UNKNOWN;
    }
}

satf_status io_wrap_iptc(satf_context *ctx, const unsigned char *iptc, size_t bytes,
                         satf_metadata *m)
{
    static const unsigned char lead[] = "8BIM\4\4\0"; /* and its last zero: an empty name */
    enum { SIZE_BYTES = 4 };
    size_t all = sizeof lead + SIZE_BYTES + bytes + bytes % 2;
    m->iptc = satf_alloc_zeroed(all);
    if (!m->iptc) {
        return satf_fail_memory(ctx, all, "IPTC");
    }
    memcpy(m->iptc, lead, sizeof lead);
    io_store_big(m->iptc + sizeof lead, bytes, SIZE_BYTES);
    memcpy(m->iptc + sizeof lead + SIZE_BYTES, iptc, bytes);
    m->iptc_bytes = all;
    return SATF_OK;
}

/* The place where a profile says what its colours are; one that ends before says nothing. */
enum { ICC_SPACE_AT = 16, ICC_SPACE_BYTES = 4 };

bool io_icc_fits(const satf_metadata *m, int channels)
{
    return m->icc_bytes > ICC_SPACE_AT + ICC_SPACE_BYTES &&
           memcmp(m->icc + ICC_SPACE_AT, channels < 3 ? "GRAY" : "RGB ", ICC_SPACE_BYTES) == 0;
}

const char *io_icc_colours(const satf_metadata *m)
{
    static const char *const spaces[][2] = {
        {"GRAY", "grey"}, {"RGB ", "RGB"}, {"CMYK", "CMYK"}, {"Lab ", "Lab"}};
    if (m->icc_bytes <= ICC_SPACE_AT + ICC_SPACE_BYTES) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        if (memcmp(m->icc + ICC_SPACE_AT, spaces[i][0], ICC_SPACE_BYTES) == 0) {
            return spaces[i][1];
        }
    }
    return "other colours";
}

void io_header_settle(io_header *header)
{
    satf_metadata *m = &header->metadata;
    if (!m->has_resolution) {
        m->has_resolution = satf_exif_resolution(m->exif, m->exif_bytes, &m->resolution_x,
                                                 &m->resolution_y, &m->resolution_unit);
    }
    if (m->icc && !io_icc_fits(m, header->view.channels)) {
        header->icc_of = io_icc_colours(m);
        header->icc_damaged = header->icc_damaged || !header->icc_of;
        satf_free(m->icc);
        m->icc = NULL;
        m->icc_bytes = 0;
    }
}

void io_list_name(char *list, size_t bytes, const char *name)
{
    static const char more[] = ", ...";
    size_t used = strlen(list), n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += n) {
        if (at[n] == 0 || at[n] == ',') {
            return;
        }
    }
    if (used + n + 2 + sizeof more > bytes) {
        name = "...";
    }
    if (used < sizeof more || strcmp(list + used - 3, "...") != 0) {
        snprintf(list + used, bytes - used, "%s%s", used ? ", " : "", name);
    }
}

void io_list_text(char *list, size_t bytes, const char *quote, const void *text, size_t n)
{
    enum { MOST = 40 };
    char name[MOST + 8];
    size_t length = n ? strnlen(text, n > MOST ? MOST + 1 : n) : 0;
    bool cut = length > MOST;
    snprintf(name, sizeof name, "%s%.*s%s%s", quote, cut ? MOST : (int)length,
             length ? (const char *)text : "", cut ? "..." : "", quote);
    io_list_name(list, bytes, *name ? name : "...");
}

satf_status io_check_size(satf_context *ctx, int64_t width, int64_t height, int64_t pixel_bytes)
{
    if (width < 1 || height < 1) {
        return satf_fail(ctx, SATF_DATA,
                         "the file claims %" PRId64 " x %" PRId64
                         " pixels; an empty picture cannot be filtered",
                         width, height);
    }
    enum { MOST_BYTES = SATF_MAX_CHANNELS * sizeof(uint64_t) }; /* of a pixel */
    ptrdiff_t pixels, bytes; /* what addresses can hold, of 32 bits too */
    int64_t row_bytes;
    if (__builtin_mul_overflow(width, height, &pixels) || pixels > ctx->settings.max_pixels ||
        __builtin_mul_overflow(pixels, MOST_BYTES, &bytes)) {
        return satf_fail(ctx, SATF_LIMIT,
                         "the picture of %" PRId64 " x %" PRId64 " is above the limit of %" PRId64
                         " pixels (limit: max-pixels)",
                         width, height, ctx->settings.max_pixels);
    }
    if (__builtin_mul_overflow(width, pixel_bytes, &row_bytes)) {
        row_bytes = INT64_MAX;
    }
    return io_check_bytes(ctx, (uint64_t)row_bytes);
}

void io_describe(const io_header *header, satf_image *image)
{
    image->has_range = header->has_range;
    image->lo = header->lo;
    image->hi = header->hi;
    image->alpha_max = header->alpha_max;
    image->picture_type = header->picture_type;
    image->view.full = header->view.full;
}

satf_status io_make_image(satf_context *ctx, const io_header *header, satf_image **image)
{
    const satf_view *v = &header->view;
    satf_status status = satf_image_create_unset(ctx, v->width, v->height, v->channels,
                                                 (satf_type)v->type, v->flags, image);
    if (!status) {
        io_describe(header, *image);
    }
    return status;
}
