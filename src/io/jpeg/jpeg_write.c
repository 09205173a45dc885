/* JPEG through libjpeg-turbo: writing, and the format's entry. */
#include "jpeg_common.h"

#include <math.h>
#include <string.h>

enum { OUTPUT_BYTES = 64 << 10, MARKER_BYTES = 65533 };

static void init_output(j_compress_ptr cinfo)
{
    io_jpeg_state *state = cinfo->client_data;
    cinfo->dest->next_output_byte = state->buffer;
    cinfo->dest->free_in_buffer = OUTPUT_BYTES;
}

static void write_out(j_compress_ptr cinfo, size_t n)
{
    io_jpeg_state *state = cinfo->client_data;
    state->status = io_write(state->ctx, state->writer, state->buffer, n);
    if (state->status) {
        io_jpeg_stop((j_common_ptr)cinfo);
    }
}

/* The buffer is full: all of it goes, whatever free_in_buffer says. */
static boolean empty_output(j_compress_ptr cinfo)
{
    write_out(cinfo, OUTPUT_BYTES);
    init_output(cinfo);
    return TRUE;
}

static void end_output(j_compress_ptr cinfo)
{
    write_out(cinfo, OUTPUT_BYTES - cinfo->dest->free_in_buffer);
}

/* Whole dots per inch or per centimetre, whichever is nearer to what was given; false where a
 * JPEG has none of these. */
static bool find_density(const satf_metadata *m, int *unit, double *x, double *y)
{
    double factor = 1;
    *unit = 0;
    if (m->resolution_unit) {
        double dpi = m->resolution_x * IO_METRES_PER_INCH, dpcm = m->resolution_x / 100;
        *unit = fabs(dpi - round(dpi)) / dpi <= fabs(dpcm - round(dpcm)) / dpcm + 1e-3 ? 1 : 2;
        factor = *unit == 1 ? IO_METRES_PER_INCH : 0.01;
    }
    *x = round(m->resolution_x * factor);
    *y = round(m->resolution_y * factor);
    return *x >= 1 && *x <= UINT16_MAX && *y >= 1 && *y <= UINT16_MAX;
}

static void set_density(struct jpeg_compress_struct *cinfo, const satf_metadata *m)
{
    double x, y;
    int unit;
    if (find_density(m, &unit, &x, &y)) {
        cinfo->density_unit = (UINT8)unit;
        cinfo->X_density = (UINT16)x;
        cinfo->Y_density = (UINT16)y;
    }
}

static bool jpeg_keeps_resolution(const satf_metadata *m)
{
    double x, y;
    int unit;
    return find_density(m, &unit, &x, &y);
}

static void write_marker(struct jpeg_compress_struct *cinfo, int marker, const char *lead,
                         size_t lead_bytes, const unsigned char *data, size_t n)
{
    jpeg_write_m_header(cinfo, marker, (unsigned)(lead_bytes + n));
    for (size_t i = 0; i < lead_bytes; i++) {
        jpeg_write_m_byte(cinfo, lead[i]);
    }
    for (size_t i = 0; i < n; i++) {
        jpeg_write_m_byte(cinfo, data[i]);
    }
}

/* Writes data into a marker of its own, which must hold all of it; nothing if there is none. */
static satf_status write_whole(satf_context *ctx, struct jpeg_compress_struct *cinfo,
                               const char *name, const char *lead, size_t lead_bytes,
                               const unsigned char *data, size_t n)
{
    if (data && n > MARKER_BYTES - lead_bytes) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "its %s of %zu bytes does not fit into a JPEG; write PNG, or leave it "
                         "out (option: strip)",
                         name, n);
    }
    if (data) {
        write_marker(cinfo, IO_JPEG_APP1, lead, lead_bytes, data, n);
    }
    return SATF_OK;
}

static void jpeg_write_iptc(struct jpeg_compress_struct *cinfo, const satf_metadata *m)
{
    const size_t most = MARKER_BYTES - sizeof IO_JPEG_IPTC_LEAD;
    for (size_t at = 0; m->iptc && at < m->iptc_bytes; at += most) {
        size_t n = m->iptc_bytes - at < most ? m->iptc_bytes - at : most;
        write_marker(cinfo, IO_JPEG_APP13, IO_JPEG_IPTC_LEAD, sizeof IO_JPEG_IPTC_LEAD,
                     m->iptc + at, n);
    }
}

static satf_status write_icc(satf_context *ctx, struct jpeg_compress_struct *cinfo,
                             const satf_metadata *m)
{
    if (!io_icc_fits(m, cinfo->input_components)) {
        unsigned char made[IO_ICC_BYTES]; /* of a PNG's gAMA and cHRM */
        size_t n = io_make_icc(m, cinfo->input_components, made);
        if (n > 0) {
            jpeg_write_icc_profile(cinfo, made, (unsigned)n);
        }
        return SATF_OK;
    }
    if (m->icc_bytes > (size_t)255 * 65519) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "its ICC profile of %zu bytes does not fit into a JPEG; write PNG",
                         m->icc_bytes);
    }
    jpeg_write_icc_profile(cinfo, m->icc, (unsigned)m->icc_bytes);
    return SATF_OK;
}

static satf_status write_metadata(satf_context *ctx, struct jpeg_compress_struct *cinfo,
                                  const satf_metadata *m)
{
    satf_status status = write_whole(ctx, cinfo, "EXIF", IO_JPEG_EXIF_LEAD,
                                     sizeof IO_JPEG_EXIF_LEAD, m->exif, m->exif_bytes);
    if (!status) {
        status = write_whole(ctx, cinfo, "XMP", IO_JPEG_XMP_LEAD, sizeof IO_JPEG_XMP_LEAD, m->xmp,
                             m->xmp_bytes);
    }
    if (status) {
        return status;
    }
    jpeg_write_iptc(cinfo, m);
    return write_icc(ctx, cinfo, m);
}

static satf_status jpeg_write_header(satf_context *ctx, io_writer *writer)
{
    io_jpeg_state *state = writer->state;
    struct jpeg_compress_struct *cinfo = &state->c.out;
    const satf_view *v = &writer->plan.out;
    if (setjmp(state->jump)) {
        return state->status;
    }
    jpeg_create_compress(cinfo);
    state->to = (struct jpeg_destination_mgr){.init_destination = init_output,
                                              .empty_output_buffer = empty_output,
                                              .term_destination = end_output};
    cinfo->dest = &state->to;
    state->progress.progress_monitor = io_jpeg_tick;
    cinfo->progress = &state->progress;
    cinfo->image_width = (JDIMENSION)v->width;
    cinfo->image_height = (JDIMENSION)v->height;
    cinfo->input_components = v->channels;
    cinfo->in_color_space = v->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(cinfo);
    satf_status status = io_jpeg_set_coding(ctx, cinfo, writer->options.quality,
                                            writer->metadata ? &writer->metadata->jpeg : NULL);
    uint64_t held = cinfo->optimize_coding
                        ? 2 * io_jpeg_coded_samples(cinfo->comp_info, cinfo->num_components,
                                                    cinfo->image_width, cinfo->image_height)
                        : 0;
    status = status ? status : io_jpeg_charge(state, held, cinfo->image_width, v->channels);
    if (status) {
        return status;
    }
    if (writer->metadata && writer->metadata->has_resolution) {
        set_density(cinfo, writer->metadata);
    }
    jpeg_start_compress(cinfo, TRUE);
    return writer->metadata ? write_metadata(ctx, cinfo, writer->metadata) : SATF_OK;
}

static satf_status jpeg_create(satf_context *ctx, io_writer *writer)
{
    const satf_view *v = &writer->plan.out;
    if (v->width > JPEG_MAX_DIMENSION || v->height > JPEG_MAX_DIMENSION) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "a JPEG has at most %ld pixels a side; write PNG",
                         JPEG_MAX_DIMENSION);
    }
    io_jpeg_state *state = writer->state;
    state->buffer = satf_alloc(OUTPUT_BYTES);
    if (!state->buffer) {
        return satf_fail_memory(ctx, OUTPUT_BYTES, "a JPEG's buffer");
    }
    state->ctx = ctx;
    state->writer = writer;
    io_jpeg_set_errors(state, &state->c.out.err);
    state->c.out.client_data = state;
    return jpeg_write_header(ctx, writer);
}

static satf_status jpeg_put(satf_context *ctx, io_writer *writer, const void *src, int64_t stride,
                            int64_t n)
{
    io_jpeg_state *state = writer->state;
    state->ctx = ctx;
    if (setjmp(state->jump)) {
        return state->status;
    }
    for (int64_t y = 0; y < n; y++) {
        JSAMPROW row = (JSAMPROW)src + y * stride; /* libjpeg does not write to it */
        jpeg_write_scanlines(&state->c.out, &row, 1);
    }
    return SATF_OK;
}

static satf_status jpeg_finish(satf_context *ctx, io_writer *writer)
{
    io_jpeg_state *state = writer->state;
    state->ctx = ctx;
    if (setjmp(state->jump)) {
        return state->status;
    }
    jpeg_finish_compress(&state->c.out);
    return SATF_OK;
}

static void jpeg_abandon(io_writer *writer)
{
    io_jpeg_destroy(writer->state);
}

const io_format io_jpeg = {
    .name = "jpeg",
    .suffixes = "jpg jpeg jpe jfif",
    .help = "JPEG: 8-bit grey and RGB, progressive; CMYK is read as RGB",
    .decode_ns = 1.3,
    .encode_ns = 1.2,
    .fit_for_strangers = true,
    .metadata = IO_METADATA_FIRST,
    .keeps = IO_KEEPS_ORIENTATION | IO_KEEPS_ICC | IO_KEEPS_GREY_ICC | IO_KEEPS_COLOURS |
             IO_KEEPS_RESOLUTION | IO_KEEPS_EXIF | IO_KEEPS_XMP | IO_KEEPS_IPTC,
    .keeps_resolution = jpeg_keeps_resolution,
    .held_bytes = io_jpeg_held_bytes,
    .probe = io_jpeg_probe,
    .reader_bytes = sizeof(io_jpeg_state),
    .open = io_jpeg_open,
    .rows = io_jpeg_rows,
    .close = io_jpeg_close,
    .value_types = IO_TYPE_BIT(SATF_U8),
    .picture_types = IO_TYPE_BIT(SATF_U8),
    .channel_mask = 1u << 1 | 1u << 3,
    .writer_bytes = sizeof(io_jpeg_state),
    .create = jpeg_create,
    .put = jpeg_put,
    .finish = jpeg_finish,
    .abandon = jpeg_abandon,
};
