/* WebP through libwebp: the picture, or what shows of an animation after each frame.
 * developers.google.com/speed/webp/docs/riff_container */
#include <string.h>
#include <webp/decode.h>
#include <webp/demux.h>

#include "../../base/share.h"
#include "webp_common.h"

/* A frame's place, and what becomes of it. */
typedef struct place {
    int64_t x, y, width, height;
    bool cleared; /* before the next one */
    bool key;     /* nothing shows through it of what was there before */
} place;

typedef struct webp {
    satf_context *ctx; /* of the call in progress */
    io_source source;  /* the file, in memory */
    WebPData data;
    void *owned;
    WebPDemuxer *demux;
    WebPDemuxState state;
    int64_t width, height;
    int frames;
    bool animated;
    bool broken;           /* a frame has failed: none can follow */
    WebPIterator frame;    /* the last that was gone to */
    place last;            /* that was composed */
    int64_t composed;      /* frames */
    unsigned char *canvas; /* RGBA; of animations */
    satf_charge charge;    /* of what libwebp allocates for a frame */
} webp;

static satf_status webp_fail_damaged(const webp *w, const char *what)
{
    return satf_fail(w->ctx, SATF_DATA, "the WebP is damaged: %s", what);
}

/* ----------------------------------------------------------------- decoding */

static satf_status fail_decoding(const webp *w, VP8StatusCode code)
{
    return code == VP8_STATUS_OUT_OF_MEMORY
               ? satf_fail(w->ctx, SATF_NO_MEMORY, "libwebp is out of memory")
           : code == VP8_STATUS_SUSPENDED || code == VP8_STATUS_NOT_ENOUGH_DATA
               ? webp_fail_damaged(w, "pixels are missing")
               : webp_fail_damaged(w, "its pixels cannot be decoded");
}

/* libwebp gets the bytes in pieces, so that a callback can cancel in between. */
static satf_status webp_feed(const webp *w, WebPIDecoder *decoder, const WebPData *bytes)
{
    enum { PIECES = 64, LEAST = 4096 };
    size_t piece = bytes->size / PIECES + LEAST, n = 0;
    VP8StatusCode code = VP8_STATUS_SUSPENDED;
    satf_status status = SATF_OK;
    while (code == VP8_STATUS_SUSPENDED && n < bytes->size && !status) {
        n = bytes->size - n > piece ? n + piece : bytes->size;
        code = WebPIUpdate(decoder, bytes->bytes, n);
        status = satf_tick(w->ctx);
    }
    return status || code == VP8_STATUS_OK ? status : fail_decoding(w, code);
}

/* The bytes that libwebp takes: for all lossless pixels, four bytes each; for all alpha; else for
 * some rows. */
static size_t decoder_bytes(const WebPIterator *f, const WebPBitstreamFeatures *is)
{
    size_t pixels = (size_t)f->width * (size_t)f->height;
    return IO_WEBP_FEW_BYTES + 64 * (size_t)f->width +
           (is->format == 2 ? 4 * pixels
            : is->has_alpha ? 2 * pixels
                            : 0);
}

/* The frame's pixels, RGB or RGBA, into rows that are so many bytes apart. */
static satf_status webp_decode(webp *w, unsigned char *to, int64_t stride, bool alpha)
{
    const WebPIterator *f = &w->frame;
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config) ||
        WebPGetFeatures(f->fragment.bytes, f->fragment.size, &config.input) != VP8_STATUS_OK) {
        return webp_fail_damaged(w, "its pixels cannot be decoded");
    }
    if (config.input.width != f->width || config.input.height != f->height) {
        return webp_fail_damaged(w, "a frame has another size than it should");
    }
    size_t bytes = decoder_bytes(f, &config.input);
    satf_status status = io_check_bytes(w->ctx, bytes);
    bool room = satf_has_memory(bytes); /* some of its decoders do worse than fail without */
    if (status || !room || !satf_charge_add(&w->charge, bytes)) {
        return status ? status : satf_fail_memory(w->ctx, bytes, "a WebP's pixels");
    }
    int64_t row_bytes = (alpha ? 4 : 3) * (int64_t)f->width;
    config.output.colorspace = alpha ? MODE_RGBA : MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA =
        (WebPRGBABuffer){to, (int)stride, (size_t)(stride * (f->height - 1) + row_bytes)};
    WebPIDecoder *decoder = WebPIDecode(NULL, 0, &config);
    status = decoder ? webp_feed(w, decoder, &f->fragment)
                     : satf_fail(w->ctx, SATF_NO_MEMORY, "libwebp is out of memory");
    WebPIDelete(decoder);
    WebPFreeDecBuffer(&config.output);
    satf_charge_drop(&w->charge);
    w->charge = (satf_charge){.bytes = 0};
    return status;
}

/* ----------------------------------------------------------------- animations */

static unsigned char *webp_pixel_at(const webp *w, int64_t x, int64_t y)
{
    return w->canvas + 4 * (y * w->width + x);
}

static void clear(const webp *w, const place *p)
{
    for (int64_t y = p->y; y < p->y + p->height; y++) {
        memset(webp_pixel_at(w, p->x, y), 0, (size_t)(4 * p->width));
    }
}

static bool is_inside(const place *p, int64_t x, int64_t y)
{
    return x >= p->x && x < p->x + p->width && y >= p->y && y < p->y + p->height;
}

static bool fills(const webp *w, const place *p)
{
    return p->width == w->width && p->height == w->height;
}

/* A pixel onto another, with the bits that libwebp's own animations have. */
static void blend(unsigned char *on, const unsigned char *from)
{
    unsigned a = from[3], left = on[3] * (256 - a) >> 8, all = a + left;
    if (a == 0) {
        return;
    }
    if (a == UINT8_MAX) {
        memcpy(on, from, 4);
        return;
    }
    for (int c = 0; c < 3; c++) {
        uint64_t sum = from[c] * a + on[c] * left;
        on[c] = (unsigned char)(sum * ((1u << 24) / all) >> 24);
    }
    on[3] = (unsigned char)all;
}

/* The frame, which lets show through what is there. What has just been cleared takes it as it is.
 */
static satf_status blend_frame(webp *w, const place *p)
{
    size_t bytes = (size_t)(4 * p->width * p->height);
    unsigned char *patch = satf_alloc(bytes);
    if (!patch) {
        return satf_fail_memory(w->ctx, bytes, "a WebP's frame");
    }
    satf_status status = webp_decode(w, patch, 4 * p->width, true);
    const unsigned char *from = patch;
    for (int64_t y = p->y; y < p->y + p->height && !status; y++) {
        unsigned char *on = webp_pixel_at(w, p->x, y);
        for (int64_t x = p->x; x < p->x + p->width; x++, on += 4, from += 4) {
            if (w->last.cleared && is_inside(&w->last, x, y)) {
                memcpy(on, from, 4);
            } else {
                blend(on, from);
            }
        }
    }
    satf_free(patch);
    return status;
}

/* The next frame, onto the canvas. */
static satf_status webp_compose(webp *w)
{
    const WebPIterator *f = &w->frame;
    place p = {.x = f->x_offset,
               .y = f->y_offset,
               .width = f->width,
               .height = f->height,
               .cleared = f->dispose_method == WEBP_MUX_DISPOSE_BACKGROUND};
    if (p.width < 1 || p.height < 1 || p.x + p.width > w->width || p.y + p.height > w->height) {
        return webp_fail_damaged(w, "a frame is not on its canvas");
    }
    bool over = f->has_alpha && f->blend_method == WEBP_MUX_BLEND;
    p.key = w->composed == 0 || (!over && fills(w, &p)) ||
            (w->last.cleared && (fills(w, &w->last) || w->last.key));
    const place all = {.width = w->width, .height = w->height};
    if (p.key || w->last.cleared) {
        clear(w, p.key ? &all : &w->last);
    }
    satf_status status = p.key || f->blend_method != WEBP_MUX_BLEND
                             ? webp_decode(w, webp_pixel_at(w, p.x, p.y), 4 * w->width, true)
                             : blend_frame(w, &p);
    w->last = p;
    w->composed++;
    return status;
}

static bool webp_shows_through(const webp *w)
{
    for (size_t i = 3; i < (size_t)(4 * w->width * w->height); i += 4) {
        if (w->canvas[i] != UINT8_MAX) {
            return true;
        }
    }
    return false;
}

/* ----------------------------------------------------------------- metadata */

/* The first chunk of that name; behind the lead, if it begins so. */
static satf_status copy_chunk(const webp *w, const char *name, const char *lead, size_t lead_bytes,
                              unsigned char **to, size_t *bytes)
{
    WebPChunkIterator chunk;
    if (!WebPDemuxGetChunk(w->demux, name, 1, &chunk)) {
        return SATF_OK;
    }
    const unsigned char *from = chunk.chunk.bytes;
    size_t n = chunk.chunk.size;
    if (n > lead_bytes && memcmp(from, lead, lead_bytes) == 0) {
        from += lead_bytes;
        n -= lead_bytes;
    }
    satf_status status = SATF_OK;
    if (n > (uint64_t)w->ctx->settings.max_metadata) {
        status = satf_fail(w->ctx, SATF_LIMIT,
                           "the WebP's %.4s has more than the limit of %lld bytes (limit: "
                           "max-metadata)",
                           name, (long long)w->ctx->settings.max_metadata);
    } else if (n > 0) {
        status = satf_copy_block(w->ctx, from, n, to, bytes);
    }
    WebPDemuxReleaseChunkIterator(&chunk);
    return status;
}

static satf_status webp_read_metadata(const webp *w, satf_metadata *m)
{
    satf_status status = copy_chunk(w, "ICCP", "", 0, &m->icc, &m->icc_bytes);
    status = status ? status
                    : copy_chunk(w, "EXIF", IO_WEBP_EXIF_LEAD, sizeof IO_WEBP_EXIF_LEAD, &m->exif,
                                 &m->exif_bytes);
    return status ? status : copy_chunk(w, "XMP ", "", 0, &m->xmp, &m->xmp_bytes);
}

/* ----------------------------------------------------------------- the file */

static satf_status open_webp(satf_context *ctx, io_reader *reader)
{
    webp *w = reader->state;
    w->ctx = ctx;
    satf_status status =
        io_source_slurp(ctx, &reader->source, &w->data.bytes, &w->data.size, &w->owned);
    if (status) {
        return status;
    }
    io_source_open_memory(w->data.bytes, w->data.size, &w->source);
    w->demux = WebPDemuxPartial(&w->data, &w->state);
    if (!w->demux) {
        return w->state == WEBP_DEMUX_PARSING_HEADER
                   ? io_fail_short(w->ctx, NULL)
                   : webp_fail_damaged(w, "its chunks make no sense");
    }
    w->width = WebPDemuxGetI(w->demux, WEBP_FF_CANVAS_WIDTH);
    w->height = WebPDemuxGetI(w->demux, WEBP_FF_CANVAS_HEIGHT);
    w->frames = (int)WebPDemuxGetI(w->demux, WEBP_FF_FRAME_COUNT);
    w->animated = (WebPDemuxGetI(w->demux, WEBP_FF_FORMAT_FLAGS) & ANIMATION_FLAG) != 0;
    if (w->frames == 0 || w->width > INT32_MAX) { /* which says that it is not known yet */
        return w->state == WEBP_DEMUX_DONE ? webp_fail_damaged(w, "it holds no picture")
                                           : io_fail_short(w->ctx, NULL);
    }
    reader->pages = w->animated ? w->frames : 1;
    bool more = WebPDemuxGetFrame(w->demux, w->frames, &w->frame) && w->frame.complete;
    reader->pages += w->animated && w->state != WEBP_DEMUX_DONE && more; /* which is cut */
    return SATF_OK;
}

/* The frame of that number, from 1 on, all of which is there. */
static satf_status webp_find_frame(webp *w, int64_t number)
{
    WebPDemuxReleaseIterator(&w->frame);
    if (number > w->frames || !WebPDemuxGetFrame(w->demux, (int)number, &w->frame) ||
        !w->frame.complete || (!w->animated && w->state != WEBP_DEMUX_DONE)) {
        return w->state == WEBP_DEMUX_DONE ? webp_fail_damaged(w, "a frame is missing")
                                           : io_fail_short(w->ctx, NULL);
    }
    return SATF_OK;
}

/* Many frames of a few bytes, each of a large canvas, are many times as large as their file. */
static satf_status webp_check_size(const webp *w, int64_t frames)
{
    satf_status status = io_check_size(w->ctx, w->width, w->height, 4);
    uint64_t pixels = (uint64_t)(w->width * w->height) * (uint64_t)frames;
    return status || frames == 1 || pixels < IO_FEW_PIXELS
               ? status
               : io_check_ratio(w->ctx, &w->source, pixels, 8, "", 0);
}

static satf_status make_canvas(webp *w)
{
    size_t bytes = (size_t)(4 * w->width * w->height);
    satf_status status = satf_share_reserve(w->ctx, 2 * (uint64_t)bytes + w->data.size);
    w->canvas = status ? NULL : satf_alloc(bytes);
    return status || w->canvas ? status : satf_fail_memory(w->ctx, bytes, "a WebP's canvas");
}

static satf_status go_to_frame(webp *w, int64_t page)
{
    satf_status status = w->canvas ? SATF_OK : make_canvas(w);
    if (!status && w->broken) {
        status = webp_fail_damaged(w, "a frame before this one cannot be read");
    }
    while (!status && w->composed <= page) {
        status = webp_find_frame(w, w->composed + 1);
        status = status ? status : webp_compose(w);
        w->broken = status != SATF_OK;
    }
    return status;
}

static satf_status webp_go_to(satf_context *ctx, io_reader *reader, int64_t page)
{
    webp *w = reader->state;
    io_header *header = &reader->header;
    w->ctx = ctx;
    satf_status status = webp_check_size(w, page + 1);
    if (!status) {
        status = w->animated ? go_to_frame(w, page) : webp_find_frame(w, 1);
    }
    if (status) {
        return status;
    }
    WebPBitstreamFeatures is = {0};
    if (WebPGetFeatures(w->frame.fragment.bytes, w->frame.fragment.size, &is) != VP8_STATUS_OK) {
        return webp_fail_damaged(w, "its pixels cannot be decoded");
    }
    bool alpha = w->animated ? webp_shows_through(w) : w->frame.has_alpha;
    io_header_set(header, w->width, w->height, 3 + alpha, SATF_U8, alpha, UINT8_MAX);
    header->rows_in_order = w->animated;
    header->held_bytes = w->data.size + (w->animated ? (uint64_t)(8 * w->width * w->height) : 0) +
                         decoder_bytes(&w->frame, &is);
    header->metadata.webp_lossy = is.format == 1;
    return webp_read_metadata(w, &header->metadata);
}

static satf_status webp_read_rows(satf_context *ctx, io_reader *reader, void *dst, int64_t stride,
                                  int64_t n)
{
    webp *w = reader->state;
    w->ctx = ctx;
    size_t step = (size_t)reader->header.view.channels;
    if (!w->animated && stride > 0 && stride <= INT32_MAX) {
        return webp_decode(w, dst, stride, step == 4);
    }
    satf_status status = SATF_OK;
    if (!w->animated) { /* rows upside down, or very far apart */
        status = make_canvas(w);
        status = status ? status : webp_decode(w, w->canvas, 4 * w->width, true);
    }
    for (int64_t i = 0; i < n && !status; i++) {
        unsigned char *row = (unsigned char *)dst + i * stride;
        const unsigned char *from = webp_pixel_at(w, 0, reader->next_row + i);
        for (int64_t x = 0; x < w->width; x++, row += step, from += 4) {
            memcpy(row, from, step);
        }
    }
    return status;
}

static void close_webp(io_reader *reader)
{
    webp *w = reader->state;
    WebPDemuxReleaseIterator(&w->frame);
    WebPDemuxDelete(w->demux);
    satf_charge_drop(&w->charge);
    satf_free(w->canvas);
    satf_free(w->owned);
}

bool IO_MODULE_ENTRY(const io_services *services, io_format *format)
{
    if (!io_module_take(services)) {
        return false;
    }
    format->reader_bytes = sizeof(webp);
    format->open = open_webp;
    format->go_to = webp_go_to;
    format->rows = webp_read_rows;
    format->close = close_webp;
    io_webp_writing(format);
    return true;
}
