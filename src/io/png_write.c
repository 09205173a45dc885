/* PNG through libpng: writing, and the format's row. */
#include <math.h>
#include <string.h>
#include <zlib.h>

#include "png_common.h"

static void write_bytes(png_structp png, png_bytep bytes, size_t n)
{
    io_png_state *state = png_get_io_ptr(png);
    state->status = io_write(state->ctx, state->writer, bytes, n);
    if (state->status) {
        png_error(png, "write");
    }
}

static void flush_bytes(png_structp png)
{
    (void)png; /* io_output_commit() flushes */
}

/* libpng refuses values outside 31 bits; rounded to the nearest it can hold. */
static png_uint_32 chunk_integer(double value)
{
    double whole = floor(value + 0.5);
    return whole >= 1 && whole <= PNG_UINT_31_MAX ? (png_uint_32)whole : 0;
}

/* A profile describes grey or RGB at its byte 16; one that does not match the
 * pixels (a CMYK JPEG became RGB) would only mislead. */
static bool profile_fits(const satf_metadata *m, int channels)
{
    return m->icc && m->icc_bytes > 20 &&
           memcmp(m->icc + 16, channels < 3 ? "GRAY" : "RGB ", 4) == 0;
}

static void set_exif(io_png_state *state, const satf_metadata *m)
{
#ifdef PNG_eXIf_SUPPORTED
    if (m->exif && m->exif_bytes <= PNG_UINT_31_MAX) {
        png_set_eXIf_1(state->png, state->info, (png_uint_32)m->exif_bytes, m->exif);
        state->exif_pending = false;
    }
#endif
    (void)state, (void)m;
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

static void set_metadata(io_png_state *state, const satf_metadata *m, int channels)
{
    png_structp png = state->png;
    png_infop info = state->info;
    if (profile_fits(m, channels)) {
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
    state->exif_pending = state->xmp_pending = true;
    set_exif(state, m);
}

/*
 * Level 1 is the fast one: one filter, and runs instead of a search for matches,
 * half the time of libpng's choice at about its size (docs/formats.md). From 2 on
 * libpng tries every filter and zlib searches.
 */
static void set_effort(png_structp png, int level)
{
    png_set_compression_level(png, level);
    if (level == 0) {
        png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    } else if (level == 1) {
        png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
        png_set_compression_strategy(png, Z_RLE);
    }
}

static satf_status write_header(io_writer *writer)
{
    io_png_state *state = writer->state;
    if (setjmp(png_jmpbuf(state->png))) {
        return state->status;
    }
    png_structp png = state->png;
    const satf_view *v = &writer->plan.out;
    static const int colour_types[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                       PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
    png_set_write_fn(png, state, write_bytes, flush_bytes);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_benign_errors(png, 1); /* metadata that libpng finds inconsistent is left out */
    png_set_IHDR(png, state->info, (png_uint_32)v->width, (png_uint_32)v->height,
                 writer->plan.bilevel  ? 1
                 : v->type == SATF_U16 ? 16
                                       : 8,
                 colour_types[v->channels], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    set_effort(png, writer->options.png_level);
    png_set_compression_buffer_size(png, 64 << 10);
    if (writer->metadata) {
        set_metadata(state, writer->metadata, v->channels);
    }
    png_write_info(png, state->info);
    if (writer->metadata) {
        write_xmp(state, writer->metadata);
    }
    if (v->type == SATF_U16 && IO_LITTLE_ENDIAN) {
        png_set_swap(png);
    }
    if (writer->plan.bilevel) {
        png_set_packing(png); /* any sample but 0 becomes white; put() sees that it is */
    }
    return SATF_OK;
}

static satf_status create(satf_context *ctx, io_writer *writer)
{
    const satf_view *v = &writer->plan.out;
    if (v->width > PNG_UINT_31_MAX || v->height > PNG_UINT_31_MAX) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "a PNG has at most 2^31 - 1 pixels a side; write .npy");
    }
    io_png_state *state = writer->state = satf_alloc_zeroed(sizeof *state);
    if (!state) {
        return satf_fail_memory(ctx, sizeof *state, "a PNG writer");
    }
    state->ctx = ctx;
    state->writer = writer;
    state->png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, state, io_png_error,
                                           io_png_warning, state, io_png_malloc, io_png_free);
    state->info = state->png ? png_create_info_struct(state->png) : NULL;
    if (!state->info) {
        return satf_fail(ctx, SATF_NO_MEMORY, "libpng could not be started");
    }
    return write_header(writer);
}

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

static satf_status put(satf_context *ctx, io_writer *writer, const void *src, int64_t stride,
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
    for (int64_t y = 0; y < n; y++) {
        png_write_row(state->png, (png_const_bytep)src + y * stride);
    }
    return SATF_OK;
}

static satf_status finish(satf_context *ctx, io_writer *writer)
{
    io_png_state *state = writer->state;
    state->ctx = ctx;
    if (setjmp(png_jmpbuf(state->png))) {
        return state->status;
    }
    bool late_exif = state->exif_pending && writer->metadata && writer->metadata->exif;
    if (late_exif) {
        set_exif(state, writer->metadata);
    }
    if (state->xmp_pending) {
        write_xmp(state, writer->metadata);
    }
    /* Given info, libpng 1.6.39 would write an EXIF that is there already once more. */
    png_write_end(state->png, late_exif ? state->info : NULL);
    return SATF_OK;
}

static void abandon(io_writer *writer)
{
    io_png_state *state = writer->state;
    if (state && state->png) {
        png_destroy_write_struct(&state->png, &state->info);
    }
    satf_free(state);
}

const io_format io_png = {
    .name = "png",
    .suffixes = "png apng",
    .help = "PNG: 1 to 16 bits, palettes, alpha, interlaced",
    .fit_for_strangers = true,
    .probe = io_png_probe,
    .open = io_png_open,
    .rows = io_png_rows,
    .find_metadata = io_png_find_metadata,
    .close = io_png_close,
    .value_types = IO_TYPE_BIT(SATF_U8) | IO_TYPE_BIT(SATF_U16),
    .picture_types = IO_TYPE_BIT(SATF_U8) | IO_TYPE_BIT(SATF_U16),
    .channel_mask = 1u << 1 | 1u << 3,
    .stores_alpha = true,
    .metadata = IO_METADATA_ANYWHERE,
    .create = create,
    .put = put,
    .finish = finish,
    .abandon = abandon,
};
