/* WebP through libwebp: writing. */
#include <errno.h>
#include <string.h>
#include <webp/decode.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include "webp_common.h"

enum { LOSSY_QUALITY = 90, LOSSLESS_LEVEL = 1 };

typedef struct webp_writer {
    satf_context *ctx; /* of the call in progress */
    WebPPicture picture;
    WebPMemoryWriter coded;
    WebPMux *mux;
    satf_status status;
    satf_charge charge;
} webp_writer;

/* What was lossy may be so again; black and white may not. */
static bool is_lossy(const io_writer *writer)
{
    const satf_metadata *m = writer->metadata;
    bool was = m && (m->webp_lossy || m->jpeg.components > 0);
    return writer->options.quality > 0 || (was && !writer->plan.bilevel);
}

/* libwebp's hook, which ends its work where it returns 0. */
static int webp_go_on(int percent, const WebPPicture *picture)
{
    webp_writer *w = picture->user_data;
    (void)percent;
    w->status = w->status ? w->status : satf_tick(w->ctx);
    return w->status == SATF_OK;
}

static satf_status webp_create(satf_context *ctx, io_writer *writer)
{
    const satf_view *v = &writer->plan.out;
    webp_writer *w = writer->state;
    uint64_t bytes = writer->format->held_bytes(ctx, &writer->plan, writer->metadata);
    satf_status status = io_check_bytes(ctx, bytes);
    if (status) {
        return status;
    }
    if (!WebPPictureInit(&w->picture)) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "libwebp is of another version than its headers");
    }
    w->picture.use_argb = 1;
    w->picture.width = (int)v->width;
    w->picture.height = (int)v->height;
    w->picture.progress_hook = webp_go_on;
    w->picture.user_data = w;
    w->picture.writer = WebPMemoryWrite;
    w->picture.custom_ptr = &w->coded;
    WebPMemoryWriterInit(&w->coded);
    return satf_charge_add(&w->charge, bytes) && WebPPictureAlloc(&w->picture)
               ? SATF_OK
               : satf_fail_memory(ctx, bytes, "a WebP that is written");
}

static satf_status webp_put(satf_context *ctx, io_writer *writer, const void *src, int64_t stride,
                            int64_t n)
{
    webp_writer *w = writer->state;
    const satf_view *v = &writer->plan.out;
    bool alpha = (v->channels & 1) == 0;
    int grey = v->channels < 3;
    (void)ctx;
    for (int64_t i = 0; i < n; i++) {
        const unsigned char *from = (const unsigned char *)src + i * stride;
        uint32_t *to = w->picture.argb + (writer->next_row + i) * w->picture.argb_stride;
        for (int64_t x = 0; x < v->width; x++, from += v->channels) {
            uint32_t a = alpha ? from[v->channels - 1] : UINT8_MAX;
            uint32_t green = from[grey ? 0 : 1], blue = from[grey ? 0 : 2];
            to[x] = a << 24 | (uint32_t)from[0] << 16 | green << 8 | blue;
        }
    }
    return SATF_OK;
}

/* Whether what was coded is the picture: of a lossy one, whether it can be decoded. */
static bool webp_is_right(const io_writer *writer, const webp_writer *w)
{
    const WebPPicture *p = &w->picture;
    size_t row_bytes = 4 * (size_t)p->width;
    int width = 0, height = 0;
    uint8_t *pixels = NULL;
    if (satf_has_memory(2 * row_bytes * (size_t)p->height + IO_WEBP_FEW_BYTES)) {
        pixels = IO_LITTLE_ENDIAN ? WebPDecodeBGRA(w->coded.mem, w->coded.size, &width, &height)
                                  : WebPDecodeARGB(w->coded.mem, w->coded.size, &width, &height);
    }
    bool right = pixels && width == p->width && height == p->height;
    for (int y = 0; right && y < height && !is_lossy(writer); y++) {
        right = memcmp(pixels + (size_t)y * row_bytes, p->argb + (size_t)y * (size_t)p->argb_stride,
                       row_bytes) == 0;
    }
    WebPFree(pixels);
    return right;
}

static satf_status webp_encode(satf_context *ctx, const io_writer *writer, webp_writer *w)
{
    WebPConfig config;
    int quality = writer->options.quality ? writer->options.quality : LOSSY_QUALITY;
    bool good = is_lossy(writer)
                    ? WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, (float)quality)
                    : WebPConfigInit(&config) && WebPConfigLosslessPreset(&config, LOSSLESS_LEVEL);
    config.exact = 1; /* what is transparent keeps its colours */
    errno = 0;
    if (good && WebPEncode(&config, &w->picture)) {
        /* Without memory libwebp may have cut the picture, and not say so. */
        return errno != ENOMEM || webp_is_right(writer, w)
                   ? SATF_OK
                   : satf_fail(ctx, SATF_NO_MEMORY, "libwebp is out of memory");
    }
    if (w->status) {
        return w->status;
    }
    WebPEncodingError error = w->picture.error_code;
    return error == VP8_ENC_ERROR_OUT_OF_MEMORY || error == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY
               ? satf_fail(ctx, SATF_NO_MEMORY, "libwebp is out of memory")
               : satf_fail(ctx, SATF_UNSUPPORTED, "libwebp cannot write it (its error %d)",
                           (int)error);
}

static bool add_chunk(WebPMux *mux, const char *name, const unsigned char *bytes, size_t n)
{
    const WebPData data = {bytes, n};
    return !bytes || WebPMuxSetChunk(mux, name, &data, 0) == WEBP_MUX_OK;
}

/* A profile of RGB, or one that is made of gamma and primaries. */
static bool add_profile(WebPMux *mux, const satf_metadata *m)
{
    if (io_icc_fits(m, 3)) {
        return add_chunk(mux, "ICCP", m->icc, m->icc_bytes);
    }
    unsigned char made[IO_ICC_BYTES];
    size_t n = io_make_icc(m, 3, made);
    const WebPData data = {made, n};
    return n == 0 || WebPMuxSetChunk(mux, "ICCP", &data, 1) == WEBP_MUX_OK;
}

/* The pixels' file with the metadata around them. */
static satf_status write_with(satf_context *ctx, io_writer *writer, webp_writer *w)
{
    const satf_metadata *m = writer->metadata;
    const WebPData coded = {w->coded.mem, w->coded.size};
    WebPData whole = {NULL, 0};
    w->mux = WebPMuxNew();
    bool good = w->mux && WebPMuxSetImage(w->mux, &coded, 0) == WEBP_MUX_OK &&
                add_profile(w->mux, m) && add_chunk(w->mux, "EXIF", m->exif, m->exif_bytes) &&
                add_chunk(w->mux, "XMP ", m->xmp, m->xmp_bytes) &&
                WebPMuxAssemble(w->mux, &whole) == WEBP_MUX_OK;
    satf_status status = good ? io_write(ctx, writer, whole.bytes, whole.size)
                              : satf_fail(ctx, SATF_NO_MEMORY, "libwebp is out of memory");
    WebPDataClear(&whole);
    return status;
}

static satf_status webp_finish(satf_context *ctx, io_writer *writer)
{
    webp_writer *w = writer->state;
    w->ctx = ctx;
    satf_status status = webp_encode(ctx, writer, w);
    if (status) {
        return status;
    }
    WebPPictureFree(&w->picture);
    return writer->metadata ? write_with(ctx, writer, w)
                            : io_write(ctx, writer, w->coded.mem, w->coded.size);
}

static void webp_abandon(io_writer *writer)
{
    webp_writer *w = writer->state;
    WebPPictureFree(&w->picture);
    WebPMemoryWriterClear(&w->coded);
    WebPMuxDelete(w->mux);
    satf_charge_drop(&w->charge);
}

void io_webp_writing(io_format *format)
{
    format->writer_bytes = sizeof(webp_writer);
    format->create = webp_create;
    format->put = webp_put;
    format->finish = webp_finish;
    format->abandon = webp_abandon;
}
