/*
 * Decoders: any bytes give a picture or a sentence, and the same one whether the
 * rows come at once or one by one. FUZZ_FORMATS names the formats of this target;
 * inputs that begin like another are left to its own.
 */
#include "fuzz.h"

#include "io/io.h"
#include "move/move.h"

static bool meant(const uint8_t *data, size_t size)
{
    const io_format *format;
    for (size_t i = 0; (format = io_format_at(i)); i++) {
        if (format->probe(data, size < IO_PROBE_BYTES ? size : IO_PROBE_BYTES)) {
            return strstr(" " FUZZ_FORMATS " ", format->name) != NULL;
        }
    }
    return false;
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
    *pixels = satf_alloc_zeroed((size_t)(view->stride * view->height));
    FUZZ_REQUIRE(*pixels);
    for (int64_t y = 0; y < view->height && !status; y++) {
        status = io_read_rows(ctx, reader, *pixels + y * view->stride, view->stride, 1);
    }
    io_close(reader);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!meant(data, size)) {
        return 0;
    }
    satf_context *ctx = fuzz_context();
    satf_image *image;
    /* which the library would refuse to decode, unread, as it does all that stb_image reads */
    FUZZ_REQUIRE(satf_context_set_formats(ctx, FUZZ_FORMATS) == SATF_OK);
    satf_status status = satf_image_decode(ctx, data, size, &image);
    fuzz_check_status(ctx, status);
    FUZZ_REQUIRE(!strstr(satf_message(ctx), "satf_context_set_formats"));
    FUZZ_REQUIRE(status != SATF_IO && status != SATF_NO_MEMORY && status != SATF_INVALID);
    FUZZ_REQUIRE(!status == !!image);

    satf_view view;
    unsigned char *pixels = NULL;
    ctx->message[0] = '\0';
    satf_status by_rows = decode_rows(ctx, data, size, &view, &pixels);
    fuzz_check_status(ctx, by_rows);
    FUZZ_REQUIRE(by_rows == status || by_rows == SATF_LIMIT || status == SATF_LIMIT);
    if (!status && !by_rows) {
        const satf_view *whole = satf_image_view(image);
        FUZZ_REQUIRE(view.width == whole->width && view.height == whole->height &&
                     view.channels == whole->channels && view.type == whole->type);
        FUZZ_REQUIRE(memcmp(pixels, whole->data, (size_t)(view.stride * view.height)) == 0);
    }
    satf_free(pixels);
    if (image) { /* which takes what is written in the blocks for no more than it is */
        satf_metadata_drop_thumbnails(&image->metadata);
        move_metadata(MOVE_ROTATE_90, &image->metadata);
    }
    satf_image_destroy(image);
    return 0;
}
