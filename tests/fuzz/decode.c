/*
 * Decoders: any bytes give a picture or a sentence, and the same one whatever the memory
 * held before, and whether the rows come at once or one by one. fuzz_formats names the formats of
 * this target, FUZZ_FORMATS those of a fuzzer; inputs that begin like another are left to its own.
 */
#include "fuzz.h"

#include "io/io.h"
#include "move/move.h"

#ifndef FUZZ_FORMATS
#define FUZZ_FORMATS ""
#endif
const char *fuzz_formats = FUZZ_FORMATS;

static bool meant(const uint8_t *data, size_t size)
{
    const io_format *format;
    char formats[64];
    snprintf(formats, sizeof formats, " %s ", fuzz_formats);
    for (size_t i = 0; (format = io_format_at(i)); i++) {
        if (format->probe(data, size < IO_PROBE_BYTES ? size : IO_PROBE_BYTES)) {
            return strstr(formats, format->name) != NULL;
        }
    }
    return false;
}

/* The other pages, one after the other, and the first once more: whatever fails, the next is gone
 * to. */
static void visit_pages(satf_context *ctx, io_reader *reader)
{
    enum { MOST_PAGES = 12 };
    int64_t pages = reader->pages < MOST_PAGES ? reader->pages : MOST_PAGES;
    for (int64_t k = 1; k <= pages && pages > 1; k++) {
        ctx->message[0] = '\0';
        satf_status status = io_go_to(ctx, reader, k % pages);
        const satf_view *v = &reader->header.view;
        unsigned char *rows = status ? NULL : satf_alloc((size_t)(v->stride * v->height));
        FUZZ_REQUIRE(status || rows);
        status = status ? status : io_read_rows(ctx, reader, rows, v->stride, v->height);
        fuzz_check_status(ctx, status);
        satf_free(rows);
    }
}

/* The picture row by row, in *pixels, which the caller frees. */
static satf_status decode_rows(satf_context *ctx, const uint8_t *data, size_t size, satf_view *view,
                               unsigned char **pixels)
{
    io_reader *reader;
    satf_status status = io_open_memory(ctx, data, size, &reader);
    if (status) {
        return status;
    }
    *view = reader->header.view;
    status = io_find_metadata(ctx, reader);
    *pixels = satf_alloc((size_t)(view->stride * view->height));
    FUZZ_REQUIRE(*pixels);
    for (int64_t y = 0; y < view->height && !status; y++) {
        status = io_read_rows(ctx, reader, *pixels + y * view->stride, view->stride, 1);
    }
    char message[SATF_MESSAGE_BYTES];
    memcpy(message, ctx->message, sizeof message);
    visit_pages(ctx, reader);
    memcpy(ctx->message, message, sizeof message);
    io_close(reader);
    return status;
}

static bool same_block(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
    return a_bytes == b_bytes && (a_bytes == 0 || memcmp(a, b, a_bytes) == 0);
}

static bool same_metadata(const satf_metadata *a, const satf_metadata *b)
{
    return same_block(a->icc, a->icc_bytes, b->icc, b->icc_bytes) &&
           same_block(a->exif, a->exif_bytes, b->exif, b->exif_bytes) &&
           same_block(a->xmp, a->xmp_bytes, b->xmp, b->xmp_bytes) &&
           same_block(a->iptc, a->iptc_bytes, b->iptc, b->iptc_bytes) &&
           same_block(a->tags, a->tags_bytes, b->tags, b->tags_bytes) &&
           a->has_gamma == b->has_gamma && a->has_srgb == b->has_srgb &&
           a->has_chromaticities == b->has_chromaticities &&
           a->has_resolution == b->has_resolution &&
           memcmp(&a->gamma, &b->gamma, sizeof a->gamma) == 0 && a->srgb_intent == b->srgb_intent &&
           memcmp(a->chromaticities, b->chromaticities, sizeof a->chromaticities) == 0 &&
           memcmp(&a->resolution_x, &b->resolution_x, sizeof a->resolution_x) == 0 &&
           memcmp(&a->resolution_y, &b->resolution_y, sizeof a->resolution_y) == 0 &&
           a->resolution_unit == b->resolution_unit;
}

static bool same_pixels(const satf_view *a, const satf_view *b)
{
    return a->width == b->width && a->height == b->height && a->channels == b->channels &&
           a->type == b->type && a->flags == b->flags && a->stride == b->stride &&
           memcmp(a->data, b->data, (size_t)(a->stride * a->height)) == 0;
}

/* The picture at once, NULL unless it can be decoded, twice: in memory of either content. */
static satf_status decode(satf_context *ctx, const uint8_t *data, size_t size, satf_image **image)
{
    satf_image *other;
    char message[SATF_MESSAGE_BYTES];
    satf_fill_allocations(FUZZ_OTHER_FILL);
    satf_status status = satf_image_decode(ctx, data, size, &other);
    memcpy(message, ctx->message, sizeof message);
    ctx->message[0] = '\0';
    satf_fill_allocations(FUZZ_FILL);
    FUZZ_REQUIRE(satf_image_decode(ctx, data, size, image) == status);
    FUZZ_REQUIRE(strcmp(satf_message(ctx), message) == 0);
    FUZZ_REQUIRE(!status == !!*image && !status == !!other);
    if (!status) {
        FUZZ_REQUIRE(same_pixels(&(*image)->view, &other->view));
        FUZZ_REQUIRE(same_metadata(&(*image)->metadata, &other->metadata));
    }
    satf_image_destroy(other);
    return status;
}

/* Whatever EXIF says, a TIFF can hold what is whole of it; and what a TIFF has said can be written.
 */
static void write_tags(satf_context *ctx, const satf_image *image)
{
    const satf_metadata *m = &image->metadata;
    satf_tags tags = {NULL, 0, 0};
    bool damaged;
    FUZZ_REQUIRE(!satf_exif_to_tags(ctx, m->exif, m->exif_bytes, &tags, &damaged));
    FUZZ_REQUIRE(damaged == !satf_exif_is_whole(m->exif, m->exif_bytes));
    satf_free(tags.block);
    if (strcmp(fuzz_formats, "tiff") == 0) {
        satf_write_options options = satf_write_defaults();
        void *data = NULL;
        size_t bytes;
        options.format = "tiff";
        options.compression = "none";
        FUZZ_REQUIRE(!satf_image_encode(ctx, image, &options, &data, &bytes));
        satf_buffer_free(data);
    }
}

FUZZ_TARGET(decode)
{
    if (!meant(data, size)) {
        return 0;
    }
    satf_context *ctx = fuzz_context();
    satf_image *image;
    /* which the library would refuse to decode, unread, as it does all that stb_image reads */
    FUZZ_REQUIRE(satf_context_set_formats(ctx, fuzz_formats) == SATF_OK);
    satf_status status = decode(ctx, data, size, &image);
    fuzz_check_status(ctx, status);
    FUZZ_REQUIRE(!strstr(satf_message(ctx), "satf_context_set_formats"));
    FUZZ_REQUIRE(status != SATF_IO && status != SATF_NO_MEMORY && status != SATF_INVALID);

    satf_view view = {0};
    unsigned char *pixels = NULL;
    ctx->message[0] = '\0';
    satf_status by_rows = decode_rows(ctx, data, size, &view, &pixels);
    fuzz_check_status(ctx, by_rows);
    FUZZ_REQUIRE(by_rows == status || by_rows == SATF_LIMIT || status == SATF_LIMIT);
    if (!status && !by_rows) {
        view.data = pixels;
        FUZZ_REQUIRE(same_pixels(&view, &image->view));
    }
    satf_free(pixels);
    if (image) { /* which takes what is written in the blocks for no more than it is */
        satf_metadata_drop_thumbnails(&image->metadata);
        move_metadata(MOVE_ROTATE_90, &image->metadata);
        write_tags(ctx, image);
    }
    satf_image_destroy(image);
    return 0;
}
