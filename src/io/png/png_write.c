/* PNG through libpng: writing, and the format's entry. */
#include <math.h>
#include <string.h>

#include "png_common.h"

static void png_write_bytes(png_structp png, png_bytep bytes, size_t n)
{
    io_png_state *state = png_get_io_ptr(png);
    state->status = io_write(state->ctx, state->writer, bytes, n);
    if (state->status) {
        png_error(png, "write");
    }
}

static void flush_bytes(png_structp png)
{
    (void)png; /* io_output_end() flushes */
}

/* libpng refuses values outside 31 bits; rounded to the nearest it can hold. */
static png_uint_32 chunk_integer(double value)
{
    double whole = floor(value + 0.5);
    return whole >= 1 && whole <= PNG_UINT_31_MAX ? (png_uint_32)whole : 0;
}

static void write_exif(io_png_state *state, const satf_metadata *m)
{
    if (m->exif && m->exif_bytes <= PNG_UINT_31_MAX) {
        png_write_chunk(state->png, (png_const_bytep) "eXIf", m->exif, m->exif_bytes);
        state->exif_pending = false;
    }
}

/* Uncompressed, as XMP's specification wants it. */
static void write_xmp(io_png_state *state, const satf_metadata *m)
{
    static const unsigned char lead[] = IO_PNG_XMP_KEYWORD "\0\0\0\0"; /* and the literal's 0 */
    if (m->xmp && m->xmp_bytes <= PNG_UINT_31_MAX - sizeof lead) {
        png_write_chunk_start(state->png, (png_const_bytep) "iTXt",
                              (png_uint_32)(sizeof lead + m->xmp_bytes));
        png_write_chunk_data(state->png, lead, sizeof lead);
        png_write_chunk_data(state->png, m->xmp, m->xmp_bytes);
        png_write_chunk_end(state->png);
        state->xmp_pending = false;
    }
}

/* Photoshop's resources as ImageMagick writes them, in hexadecimal digits. */
static void png_write_iptc(io_png_state *state, const satf_metadata *m)
{
    enum { LINE = 36 }; /* bytes */
    char lead[64];
    size_t lead_bytes = sizeof IO_PNG_IPTC_KEYWORD, lines = (m->iptc_bytes + LINE - 1) / LINE;
    if (!m->iptc || m->iptc_bytes > PNG_UINT_31_MAX / 3) {
        return;
    }
    memcpy(lead, IO_PNG_IPTC_KEYWORD, lead_bytes);
    lead_bytes += (size_t)snprintf(lead + lead_bytes, sizeof lead - lead_bytes, "\niptc\n%8zu\n",
                                   m->iptc_bytes);
    png_write_chunk_start(state->png, (png_const_bytep) "tEXt",
                          (png_uint_32)(lead_bytes + 2 * m->iptc_bytes + lines));
    png_write_chunk_data(state->png, (png_const_bytep)lead, lead_bytes);
    for (size_t at = 0; at < m->iptc_bytes;) {
        png_byte line[2 * LINE + 1];
        size_t n = 0;
        for (int i = 0; i < LINE && at < m->iptc_bytes; i++, at++) {
            line[n++] = (png_byte) "0123456789abcdef"[m->iptc[at] >> 4];
            line[n++] = (png_byte) "0123456789abcdef"[m->iptc[at] & 15];
        }
        line[n++] = '\n';
        png_write_chunk_data(state->png, line, n);
    }
    png_write_chunk_end(state->png);
    state->iptc_pending = false;
}

static void write_hdr(io_png_state *state, const satf_metadata *m)
{
    for (int i = 0; i < SATF_HDR_KINDS; i++) {
        if (m->has_hdr[i]) {
            png_write_chunk(state->png, (png_const_bytep)io_png_hdrs[i].name, m->hdr[i],
                            io_png_hdrs[i].bytes);
        }
    }
}

/* The chunks of text that end before so many bytes of them. */
static void png_put_text(io_png_state *state, const satf_metadata *m, size_t to)
{
    while (state->text_at < to) {
        png_const_bytep at = m->text + state->text_at;
        png_uint_32 bytes = png_get_uint_32(at);
        png_write_chunk(state->png, at + 4, at + IO_PNG_HEAD_BYTES, bytes);
        state->text_at += IO_PNG_HEAD_BYTES + bytes;
    }
}

/* Writes what is there already of the metadata that may stand in front of the pixels and behind
 * them. */
static void write_late(io_png_state *state)
{
    const satf_metadata *m = state->writer->metadata;
    if (m && state->exif_pending) {
        write_exif(state, m);
    }
    if (m && state->xmp_pending) {
        write_xmp(state, m);
    }
    if (m && state->iptc_pending) {
        png_write_iptc(state, m);
    }
}

static void set_metadata(io_png_state *state, const satf_metadata *m, int channels)
{
    png_structp png = state->png;
    png_infop info = state->info;
    if (io_icc_fits(m, channels)) {
        png_set_iCCP(png, info, "ICC profile", PNG_COMPRESSION_TYPE_BASE, m->icc,
                     (png_uint_32)m->icc_bytes);
    }
    if (m->has_srgb) {
        png_set_sRGB(png, info, m->srgb_intent);
    }
    if (m->has_gamma) {
        png_set_gAMA(png, info, m->gamma);
    }
    const double *c = m->chromaticities;
    if (m->has_chromaticities) {
        png_set_cHRM(png, info, c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]);
    }
    if (m->has_resolution) {
        png_uint_32 x = chunk_integer(m->resolution_x), y = chunk_integer(m->resolution_y);
        if (x && y) {
            png_set_pHYs(png, info, x, y,
                         m->resolution_unit ? PNG_RESOLUTION_METER : PNG_RESOLUTION_UNKNOWN);
        }
    }
}

/* Whole pixels a metre, at least one. */
static bool png_keeps_resolution(const satf_metadata *m)
{
    return chunk_integer(m->resolution_x) && chunk_integer(m->resolution_y);
}

static satf_status png_write_header(io_writer *writer)
{
    io_png_state *state = writer->state;
    if (setjmp(png_jmpbuf(state->png))) {
        return state->status;
    }
    png_structp png = state->png;
    const satf_view *v = &writer->plan.out;
    static const int colour_types[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                       PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
    png_set_write_fn(png, state, png_write_bytes, flush_bytes);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_benign_errors(png, 1); /* metadata that libpng finds inconsistent is left out */
    png_set_IHDR(png, state->info, (png_uint_32)v->width, (png_uint_32)v->height,
                 writer->plan.bilevel  ? 1
                 : v->type == SATF_U16 ? 16
                                       : 8,
                 colour_types[v->channels], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (writer->metadata) {
        set_metadata(state, writer->metadata, v->channels);
    }
    png_write_info(png, state->info);
    state->exif_pending = state->xmp_pending = state->iptc_pending = true;
    if (writer->metadata) {
        write_hdr(state, writer->metadata);
    }
    write_late(state);
    if (writer->metadata) {
        png_put_text(state, writer->metadata, writer->metadata->text_ahead);
    }
    return SATF_OK;
}

static io_png_shape png_shape_of(const io_plan *plan, int level)
{
    const satf_view *v = &plan->out;
    io_png_shape shape = {.row_bytes = (size_t)v->stride,
                          .pixel_bytes = (size_t)v->channels * satf_type_bytes(v->type),
                          .height = v->height,
                          .level = level};
    if (plan->bilevel) {
        shape.row_bytes = ((size_t)v->width + 7) / 8;
        shape.plain = true;
        /* Bits repeat from row to row more than they match further back: only a long search
         * finds as much as runs do (docs/formats.md). */
        shape.level = level > 1 && level < 6 ? 1 : level;
    }
    return shape;
}

static uint64_t png_held_bytes(const satf_context *ctx, const io_plan *plan,
                               const satf_metadata *metadata)
{
    (void)metadata;
    return io_png_strips_bytes(ctx, png_shape_of(plan, 9)); /* no level takes more */
}

static satf_status png_create(satf_context *ctx, io_writer *writer)
{
    const satf_view *v = &writer->plan.out;
    if (v->width > PNG_UINT_31_MAX || v->height > PNG_UINT_31_MAX) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "a PNG has at most 2^31 - 1 pixels a side; write .npy");
    }
    io_png_state *state = writer->state;
    state->ctx = ctx;
    state->writer = writer;
    state->png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, state, io_png_error,
                                           io_png_warning, state, io_png_malloc, io_png_free);
    state->info = state->png ? png_create_info_struct(state->png) : NULL;
    if (!state->info) {
        return satf_fail(ctx, SATF_NO_MEMORY, "libpng is out of memory");
    }
    satf_status status = png_write_header(writer);
    io_png_shape shape = png_shape_of(&writer->plan, writer->options.png_level);
    return status ? status : io_png_strips_open(ctx, &shape, &state->strips);
}

/* ------------------------------------------------------------------ pixels */

/* The caller may have written to an image that a filter has made black and white. */
static bool is_bilevel(const io_writer *writer, const void *src, int64_t stride, int64_t n)
{
    bool good = true;
    for (int64_t y = 0; y < n; y++) {
        const unsigned char *row = (const unsigned char *)src + y * stride;
        for (int64_t x = 0; x < writer->plan.out.width; x++) {
            good &= row[x] == 0 || row[x] == UINT8_MAX;
        }
    }
    return good;
}

/* A row of the plan's samples as the file has them. */
static void pack_row(const io_plan *plan, const void *src, uint8_t *to)
{
    const uint8_t *from = src;
    if (plan->bilevel) {
        memset(to, 0, ((size_t)plan->out.width + 7) / 8);
        for (int64_t x = 0; x < plan->out.width; x++) {
            to[x / 8] |= (uint8_t)((from[x] >> 7) << (7 - x % 8));
        }
        return;
    }
    memcpy(to, from, (size_t)plan->out.stride);
    if (plan->out.type == SATF_U16 && IO_LITTLE_ENDIAN) {
        io_swap_bytes(to, (size_t)satf_row_samples(&plan->out), 2);
    }
}

/* A chunk of the strip's piece, or several where one cannot hold it. */
static void write_strip(io_png_state *state, const io_png_strip *strip)
{
    enum { CHUNK = 1 << 30, SUM_BYTES = 4 };
    state->adler = strip->first
                       ? strip->adler
                       : adler32_combine(state->adler, strip->adler, (z_off_t)strip->bytes);
    for (size_t at = 0, n; at < strip->out_bytes; at += n) {
        n = strip->out_bytes - at < CHUNK ? strip->out_bytes - at : CHUNK;
        bool ends = strip->last && at + n == strip->out_bytes;
        png_write_chunk_start(state->png, (png_const_bytep) "IDAT",
                              (png_uint_32)(n + (ends ? SUM_BYTES : 0)));
        png_write_chunk_data(state->png, strip->out + at, n);
        if (ends) {
            png_byte sum[SUM_BYTES];
            png_save_uint_32(sum, (png_uint_32)state->adler);
            png_write_chunk_data(state->png, sum, sizeof sum);
        }
        png_write_chunk_end(state->png);
    }
}

/* Writes all strips that are done. */
static satf_status write_strips(io_png_state *state)
{
    const io_png_strip *strip;
    while ((strip = io_png_strips_take(state->strips))) {
        if (strip->failed) {
            return satf_fail(state->ctx, SATF_NO_MEMORY, "zlib could not deflate it");
        }
        write_strip(state, strip);
        io_png_strips_drop(state->strips);
        satf_status status = satf_tick(state->ctx);
        if (status) {
            return status;
        }
    }
    return SATF_OK;
}

static satf_status png_put(satf_context *ctx, io_writer *writer, const void *src, int64_t stride,
                           int64_t n)
{
    io_png_state *state = writer->state;
    state->ctx = ctx;
    if (setjmp(png_jmpbuf(state->png))) {
        return state->status;
    }
    if (writer->plan.bilevel && !is_bilevel(writer, src, stride, n)) {
        return satf_fail(ctx, SATF_INVALID,
                         "the pixels have been changed to others than black and white; write them "
                         "as u8 (option: type)");
    }
    satf_status status = SATF_OK;
    for (int64_t y = 0; y < n && !status; y++) {
        pack_row(&writer->plan, (const char *)src + y * stride, io_png_strips_row(state->strips));
        io_png_strips_add(state->strips);
        status = write_strips(state);
    }
    return status;
}

static satf_status png_finish(satf_context *ctx, io_writer *writer)
{
    io_png_state *state = writer->state;
    state->ctx = ctx;
    if (setjmp(png_jmpbuf(state->png))) {
        return state->status;
    }
    write_late(state);
    if (writer->metadata) {
        png_put_text(state, writer->metadata, writer->metadata->text_bytes);
    }
    /* png_write_end() would miss pixels: it counts those alone that libpng has deflated. */
    png_write_chunk(state->png, (png_const_bytep) "IEND", NULL, 0);
    return SATF_OK;
}

static void png_abandon(io_writer *writer)
{
    io_png_state *state = writer->state;
    io_png_strips_close(state->strips);
    png_destroy_write_struct(&state->png, &state->info);
}

const io_format io_png = {
    .name = "png",
    .suffixes = "png apng",
    .help = "PNG: 1 to 16 bits, palettes, alpha, interlaced",
    .decode_ns = 4,
    .encode_ns = 15,
    .encodes_on_all = true,
    .fit_for_strangers = true,
    .probe = io_png_probe,
    .reader_bytes = sizeof(io_png_state),
    .open = io_png_open,
    .rows = io_png_rows,
    .find_metadata = io_png_find_metadata,
    .close = io_png_close,
    .value_types = IO_TYPE_BIT(SATF_U8) | IO_TYPE_BIT(SATF_U16),
    .picture_types = IO_TYPE_BIT(SATF_U8) | IO_TYPE_BIT(SATF_U16),
    .channel_mask = 1u << 1 | 1u << 3,
    .stores_alpha = true,
    .metadata = IO_METADATA_ANYWHERE,
    .keeps = IO_KEEPS_ORIENTATION | IO_KEEPS_ICC | IO_KEEPS_GREY_ICC | IO_KEEPS_COLOURS |
             IO_KEEPS_HDR | IO_KEEPS_RESOLUTION | IO_KEEPS_EXIF | IO_KEEPS_XMP | IO_KEEPS_IPTC |
             IO_KEEPS_TEXT,
    .keeps_resolution = png_keeps_resolution,
    .held_bytes = png_held_bytes,
    .writer_bytes = sizeof(io_png_state),
    .create = png_create,
    .put = png_put,
    .finish = png_finish,
    .abandon = png_abandon,
};
