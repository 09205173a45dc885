/* WebP's entry in the table of formats. libsatfilter-webp reads and writes the format (webp_read.c,
 * webp_write.c). */
#include <string.h>

#include "../codec.h"

enum { MOST_SIDE = 16383, ENCODER_PIXEL_BYTES = 28 };

static bool webp_probe(const unsigned char *head, size_t n)
{
    return n >= 12 && memcmp(head, "RIFF", 4) == 0 && memcmp(head + 8, "WEBP", 4) == 0;
}

static satf_status check_side(satf_context *ctx, const char *word, io_plan *plan)
{
    (void)word;
    return plan->in.width <= MOST_SIDE && plan->in.height <= MOST_SIDE
               ? SATF_OK
               : satf_fail(ctx, SATF_UNSUPPORTED, "a WebP has at most %d pixels a side; write PNG",
                           MOST_SIDE);
}

/* The encoder wants the whole picture, of four bytes a pixel, and what it finds in it. */
static uint64_t webp_held_bytes(const satf_context *ctx, const io_plan *plan,
                                const satf_metadata *metadata)
{
    (void)ctx, (void)metadata;
    return (uint64_t)plan->out.width * (uint64_t)plan->out.height * ENCODER_PIXEL_BYTES;
}

const io_format io_webp = {
    .name = "webp",
    .suffixes = "webp",
    .help = "WebP: 8-bit RGB, lossless or lossy; frames are read as pages",
    .in_module = true,
    .packages = "libwebp7 libwebpdemux2 libwebpmux3",
    .decode_ns = 5,
    .encode_ns = 50,
    .probe = webp_probe,
    .value_types = IO_TYPE_BIT(SATF_U8),
    .picture_types = IO_TYPE_BIT(SATF_U8),
    .channel_mask = 1u << 1 | 1u << 3,
    .stores_alpha = true,
    .metadata = IO_METADATA_ANYWHERE,
    .keeps = IO_KEEPS_ORIENTATION | IO_KEEPS_ICC | IO_KEEPS_COLOURS | IO_KEEPS_EXIF | IO_KEEPS_XMP,
    .adapt = check_side,
    .held_bytes = webp_held_bytes,
};
