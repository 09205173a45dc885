/* JPEG through libjpeg-turbo: reading. Missing pixels are an error. */
#include "jpeg_common.h"
#include "../meta/xmp_links.h"

#include <inttypes.h>
#include <jerror.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------- errors, both ways */

static satf_status fail_precision(satf_context *ctx, int bits)
{
    return satf_fail(ctx, SATF_UNSUPPORTED, "a JPEG of %d bits a sample; 8 can be read", bits);
}

/* Fails if the error is no damage, but a kind of JPEG that libjpeg does not read; SATF_OK if it is
 * another error. */
static satf_status fail_unsupported(const io_jpeg_state *state, const struct jpeg_error_mgr *err)
{
    const struct jpeg_decompress_struct *cinfo = &state->c.in;
    int kind = err->msg_parm.i[0];
    switch (err->msg_code) {
    case JERR_SOF_UNSUPPORTED: /* the marker: 0xc3 lossless, 0xcb the same in arithmetic coding */
        return satf_fail(state->ctx, SATF_UNSUPPORTED, "a %s JPEG; save it as an ordinary one",
                         (kind & 7) == 3 ? "lossless" : "hierarchical");
#if JPEG_LIB_VERSION < 70 /* later interfaces read it */
    case JERR_ARITH_NOTIMPL:
        return satf_fail(state->ctx, SATF_UNSUPPORTED,
                         "a JPEG of arithmetic coding, which this build's libjpeg does not read");
#endif
    case JERR_BAD_PRECISION:
        return kind > 16 ? SATF_OK : fail_precision(state->ctx, kind);
    case JERR_EMPTY_IMAGE:
        return cinfo->image_height > 0 || cinfo->image_width == 0
                   ? SATF_OK
                   : satf_fail(
                         state->ctx, SATF_UNSUPPORTED,
                         "a JPEG that tells its height behind its pixels (DNL); save it anew");
    default:
        return SATF_OK;
    }
}

_Noreturn void io_jpeg_stop(j_common_ptr cinfo)
{
    io_jpeg_state *state = cinfo->client_data;
    if (!state->status && !state->writer) {
        state->status = fail_unsupported(state, cinfo->err);
    }
    if (!state->status) {
        char message[JMSG_LENGTH_MAX];
        cinfo->err->format_message(cinfo, message);
        state->status =
            cinfo->err->msg_code == JERR_OUT_OF_MEMORY
                ? satf_fail(state->ctx, SATF_NO_MEMORY, "libjpeg is out of memory")
                : satf_fail(state->ctx, SATF_DATA, "%s: %s",
                            state->writer ? "libjpeg cannot write it" : "the JPEG is damaged",
                            message);
    }
    longjmp(state->jump, 1);
}

/* What libjpeg has been given and has not left. A segment counts more than its bytes: libjpeg takes
 * some 100 bytes for each that it keeps, and goes through all of them to append the next. */
static void check_header_bytes(io_jpeg_state *state)
{
    enum { SEGMENT = 4096 };
    int64_t left = (int64_t)state->from.bytes_in_buffer;
    int64_t bytes = io_source_taken(state->source) - left + SEGMENT * state->segments;
    if (bytes > state->ctx->settings.max_metadata) {
        state->status = satf_fail(state->ctx, SATF_LIMIT,
                                  "a JPEG with more than %" PRId64
                                  " bytes before its pixels, each segment counted as %d more: "
                                  "above the limit (limit: max-metadata)",
                                  state->ctx->settings.max_metadata, SEGMENT);
        io_jpeg_stop((j_common_ptr)&state->c.in);
    }
}

/* Does libjpeg find its way behind what it warns of, as in other programs? Bytes that belong to
 * nothing, codes that make no sense, data that end in front of the next scan or interval. But data
 * that end with the picture are missing: it is truncated, though somebody may have closed it. */
static bool is_read_past(const struct jpeg_decompress_struct *cinfo, int code)
{
    switch (code) {
    case JWRN_HIT_MARKER:
        return cinfo->unread_marker != JPEG_EOI;
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_NOT_SEQUENTIAL:
    case JWRN_BOGUS_PROGRESSION:
    case JWRN_MUST_RESYNC:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
        return true;
    default:
        return false;
    }
}

/* A warning is an error, unless it is about what no pixel needs, or about what is read past. */
static void emit(j_common_ptr cinfo, int level)
{
    io_jpeg_state *state = cinfo->client_data;
    int code = cinfo->err->msg_code;
    if (level >= 0) {
        if (state->in_header && code == JTRC_MISC_MARKER) {
            state->segments++;
            check_header_bytes(state);
        }
        return;
    }
    if (code == JWRN_BOGUS_ICC) {
        state->icc_damaged = true;
    } else if (code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR) {
        state->segments_damaged = true;
    } else if (is_read_past(&state->c.in, code)) {
        state->bytes_damaged = true;
    } else {
        io_jpeg_stop(cinfo);
    }
}

void io_jpeg_set_errors(io_jpeg_state *state, struct jpeg_error_mgr **err)
{
    *err = jpeg_std_error(&state->errors);
    state->errors.error_exit = io_jpeg_stop;
    state->errors.emit_message = emit;
}

void io_jpeg_tick(j_common_ptr cinfo)
{
    io_jpeg_state *state = cinfo->client_data;
    state->status = satf_tick(state->ctx);
    if (state->status) {
        io_jpeg_stop(cinfo);
    }
}

void io_jpeg_destroy(io_jpeg_state *state)
{
    /* Right for what is zeroed, or half made when memory ran out. */
    if (state->writer) {
        jpeg_destroy_compress(&state->c.out);
    } else {
        jpeg_destroy_decompress(&state->c.in);
    }
    satf_charge_drop(&state->charge);
    satf_free(state->row);
    satf_free(state->buffer);
}

/* ----------------------------------------------------------------- opening */

bool io_jpeg_probe(const unsigned char *head, size_t n)
{
    return n >= 2 && head[0] == 0xff && head[1] == 0xd8; /* odd bytes may follow */
}

static void no_action(j_decompress_ptr cinfo)
{
    (void)cinfo;
}

static boolean jpeg_fill(j_decompress_ptr cinfo)
{
    io_jpeg_state *state = cinfo->client_data;
    io_source *source = state->source;
    if (!io_source_fill(source)) {
        state->status = io_fail_short(state->ctx, source);
        io_jpeg_stop((j_common_ptr)cinfo);
    }
    if (state->in_header) { /* libjpeg keeps markers */
        check_header_bytes(state);
        size_t n = (size_t)(source->end - source->at);
        if (!satf_charge_add(&state->charge, n)) {
            state->status = satf_fail_memory(state->ctx, n, "a JPEG's markers");
            io_jpeg_stop((j_common_ptr)cinfo);
        }
    }
    cinfo->src->next_input_byte = source->at;
    cinfo->src->bytes_in_buffer = (size_t)(source->end - source->at);
    source->at = source->end;
    return TRUE;
}

static void jpeg_skip(j_decompress_ptr cinfo, long n)
{
    while (n > (long)cinfo->src->bytes_in_buffer) {
        n -= (long)cinfo->src->bytes_in_buffer;
        jpeg_fill(cinfo);
    }
    if (n > 0) {
        cinfo->src->next_input_byte += n;
        cinfo->src->bytes_in_buffer -= (size_t)n;
    }
}

/* Called for the rows of blocks of each scan. */
static void watch_scans(j_common_ptr cinfo)
{
    io_jpeg_state *state = cinfo->client_data;
    if (state->c.in.input_scan_number > state->ctx->settings.max_scans) {
        state->status = satf_fail(state->ctx, SATF_LIMIT,
                                  "the JPEG has more than %" PRId64
                                  " scans: above the limit (limit: max-scans)",
                                  state->ctx->settings.max_scans);
        io_jpeg_stop(cinfo);
    }
    io_jpeg_tick(cinfo);
}

/* Segments that something is made of; all others have names. */
enum segment_kind { EXIF, XMP, MORE_XMP, ICC, IPTC, COMMENT, OTHER };
#define LEAD(text) text, sizeof text
static const struct {
    enum segment_kind kind;
    int marker;
    const char *lead;
    size_t bytes;
} segments[] = {{EXIF, IO_JPEG_APP1, LEAD(IO_JPEG_EXIF_LEAD)},
                {XMP, IO_JPEG_APP1, LEAD(IO_JPEG_XMP_LEAD)},
                {MORE_XMP, IO_JPEG_APP1, LEAD(IO_JPEG_MORE_XMP_LEAD)},
                {ICC, IO_JPEG_APP2, LEAD("ICC_PROFILE")},
                {IPTC, IO_JPEG_APP13, LEAD(IO_JPEG_IPTC_LEAD)},
                {COMMENT, JPEG_COM, "", 0}};

/* The kind of a segment, and the n bytes of its data behind the lead. */
static enum segment_kind segment_of(jpeg_saved_marker_ptr m, const unsigned char **data, size_t *n)
{
    for (size_t i = 0; i < sizeof segments / sizeof *segments; i++) {
        size_t lead = segments[i].bytes;
        if (m->marker == segments[i].marker && m->data_length >= lead &&
            memcmp(m->data, segments[i].lead, lead) == 0) {
            *data = m->data + lead;
            *n = m->data_length - lead;
            return segments[i].kind;
        }
    }
    *n = 0;
    return OTHER;
}

static void jpeg_note_other(io_header *header, const char *name)
{
    io_list_name(header->others, sizeof header->others, name);
}

/* Names for what begins so, as src/io/meta/others.c has them; else it is that of the marker. */
static const char *name_other(jpeg_saved_marker_ptr m, char name[8])
{
    enum { C2PA_AT = 24 }; /* in the description of the first box */
    static const struct {
        int marker;
        unsigned at;
        const char *lead, *name;
    } kinds[] = {{IO_JPEG_APP1, 0, "Exif", "EXIF"},
                 {IO_JPEG_APP1, 0, IO_JPEG_XMP_LEAD, "XMP"},
                 {IO_JPEG_APP2, 0, "MPF", "MPF"},
                 {IO_JPEG_APP2, 0, "FPXR", "FPXR"},
                 {IO_JPEG_APP11, C2PA_AT, "c2pa", "C2PA"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i].lead);
        if (m->marker == kinds[i].marker && m->data_length >= kinds[i].at + n &&
            memcmp(m->data + kinds[i].at, kinds[i].lead, n) == 0) {
            return kinds[i].name;
        }
    }
    snprintf(name, 8, "APP%d", (m->marker - JPEG_APP0) & 15);
    return name;
}

/* Takes a block that may be there once: of several the first counts, and others are noted. */
static satf_status copy_first(satf_context *ctx, const unsigned char *data, size_t n,
                              unsigned char **to, size_t *bytes, const char *name,
                              io_header *header)
{
    if (*to) {
        jpeg_note_other(header, name);
    }
    return *to || n == 0 ? SATF_OK : satf_copy_block(ctx, data, n, to, bytes);
}

/* Copies metadata from segments, and notes the names of those that nothing is made of. IPTC's are
 * one block in parts. */
static satf_status copy_segments(satf_context *ctx, const struct jpeg_decompress_struct *cinfo,
                                 io_header *header)
{
    satf_metadata *metadata = &header->metadata;
    size_t all = 0, n;
    const unsigned char *data;
    char name[8];
    satf_status status = SATF_OK;
    for (jpeg_saved_marker_ptr m = cinfo->marker_list; m && !status; m = m->next) {
        enum segment_kind kind = segment_of(m, &data, &n);
        if (kind == EXIF) {
            status =
                copy_first(ctx, data, n, &metadata->exif, &metadata->exif_bytes, "EXIF", header);
        } else if (kind == XMP) {
            status = copy_first(ctx, data, n, &metadata->xmp, &metadata->xmp_bytes, "XMP", header);
        } else if (kind == OTHER && m->original_length > 0) {
            jpeg_note_other(header, name_other(m, name));
        }
        metadata->xmp_extended |= kind == MORE_XMP && n > 0;
        if (kind == COMMENT) {
            io_list_text(header->text, sizeof header->text, "\"", data, n);
        }
        all += kind == IPTC ? n : 0; /* of what is in memory, so it does not overflow */
    }
    if (status || all == 0) {
        return status;
    }
    metadata->iptc = satf_alloc(all);
    if (!metadata->iptc) {
        return satf_fail_memory(ctx, all, "a JPEG's metadata");
    }
    for (jpeg_saved_marker_ptr m = cinfo->marker_list; m; m = m->next) {
        if (segment_of(m, &data, &n) == IPTC) {
            memcpy(metadata->iptc + metadata->iptc_bytes, data, n);
            metadata->iptc_bytes += n;
        }
    }
    return SATF_OK;
}

/* What XMP says of pictures and videos that are not kept goes with them. */
static void drop_links(io_header *header)
{
    satf_metadata *m = &header->metadata;
    unsigned found = 0;
    if (m->xmp) {
        m->xmp_bytes = io_xmp_drop_links((char *)m->xmp, m->xmp_bytes, &found);
    }
    if (found & IO_XMP_PICTURE) {
        jpeg_note_other(header, "MPF");
    }
    if (found & IO_XMP_VIDEO) {
        jpeg_note_other(header, "video");
    }
}

/* A phone's picture, behind whose end another follows, or a video. */
static void look_behind(const io_jpeg_state *state, io_header *header)
{
    enum { TAIL = 64 }; /* some have a head of their own in front of the video */
    unsigned char bytes[TAIL];
    size_t n = state->from.bytes_in_buffer < TAIL ? state->from.bytes_in_buffer : TAIL;
    memcpy(bytes, state->from.next_input_byte, n);
    if (n < TAIL) {
        size_t more = io_source_peek_ready(state->source, TAIL - n);
        more = more < TAIL - n ? more : TAIL - n;
        memcpy(bytes + n, state->source->at, more);
        n += more;
    }
    if (io_jpeg_probe(bytes, n) && n > 2 && bytes[2] == 0xff) {
        jpeg_note_other(header, "MPF");
    } else if (memmem(bytes, n, "ftyp", 4)) {
        jpeg_note_other(header, "video");
    }
}

/* libjpeg makes one piece of the profile's parts. */
static satf_status check_icc_room(satf_context *ctx, const struct jpeg_decompress_struct *cinfo)
{
    satf_charge charge = {0};
    size_t pieces = 0;
    for (jpeg_saved_marker_ptr m = cinfo->marker_list; m; m = m->next) {
        pieces += m->marker == IO_JPEG_APP2 ? m->data_length : 0;
    }
    if (!satf_charge_add(&charge, pieces)) {
        return satf_fail_memory(ctx, pieces, "a JPEG's ICC profile");
    }
    satf_charge_drop(&charge);
    return SATF_OK;
}

/* A profile says how long it is; what is behind that is none of it. Without length or signature
 * it is none. */
static satf_status copy_icc(satf_context *ctx, io_jpeg_state *state, satf_metadata *metadata)
{
    enum { HEADER = 128, SIGNATURE_AT = 36 };
    JOCTET *icc = NULL;
    unsigned bytes = 0;
    satf_status status = check_icc_room(ctx, &state->c.in);
    if (status || !jpeg_read_icc_profile(&state->c.in, &icc, &bytes)) {
        return status;
    }
    unsigned own = bytes > HEADER ? (unsigned)io_load_big(icc, 4) : 0;
    if (own <= HEADER || own > bytes || memcmp(icc + SIGNATURE_AT, "acsp", 4) != 0) {
        state->icc_damaged = true;
    } else {
        status = satf_copy_block(ctx, icc, own, &metadata->icc, &metadata->icc_bytes);
    }
    free(icc);
    return status;
}

static void copy_density(const struct jpeg_decompress_struct *cinfo, satf_metadata *m)
{
    io_per unit = cinfo->density_unit == 1   ? IO_PER_INCH
                  : cinfo->density_unit == 2 ? IO_PER_CENTIMETRE
                                             : IO_PER_UNKNOWN;
    if (cinfo->saw_JFIF_marker) {
        io_set_resolution(m, cinfo->X_density, cinfo->Y_density, unit);
    }
}

static uint64_t coded_samples(const struct jpeg_decompress_struct *cinfo)
{
    return io_jpeg_coded_samples(cinfo->comp_info, cinfo->num_components, cinfo->image_width,
                                 cinfo->image_height);
}

/* Metadata whole, of other segments how they begin, and none between scans. */
static void save_markers(struct jpeg_decompress_struct *cinfo, bool in_header)
{
    enum { BEGINNING = 48, ADOBE = JPEG_APP0 + 14 }; /* which libjpeg reads */
    for (int marker = IO_JPEG_APP1; marker <= JPEG_APP0 + 15; marker++) {
        bool whole = marker <= IO_JPEG_APP2 || marker == IO_JPEG_APP13;
        if (marker != ADOBE) {
            jpeg_save_markers(cinfo, marker, !in_header ? 0 : whole ? 0xffff : BEGINNING);
        }
    }
    jpeg_save_markers(cinfo, JPEG_COM, in_header ? BEGINNING : 0);
}

static satf_status jpeg_open_header(satf_context *ctx, io_reader *reader)
{
    io_jpeg_state *state = reader->state;
    struct jpeg_decompress_struct *cinfo = &state->c.in;
    if (setjmp(state->jump)) {
        return state->status;
    }
    jpeg_create_decompress(cinfo);
    state->from = (struct jpeg_source_mgr){.init_source = no_action,
                                           .fill_input_buffer = jpeg_fill,
                                           .skip_input_data = jpeg_skip,
                                           .resync_to_restart = jpeg_resync_to_restart,
                                           .term_source = no_action};
    cinfo->src = &state->from;
    state->progress.progress_monitor = watch_scans;
    cinfo->progress = &state->progress;
    save_markers(cinfo, true);
    state->in_header = true;
    jpeg_read_header(cinfo, TRUE);
    check_header_bytes(state);
    state->in_header = false;
    save_markers(cinfo, false);
    if (cinfo->data_precision != 8) { /* newer versions of libjpeg-turbo come this far */
        return fail_precision(ctx, cinfo->data_precision);
    }
    int n = cinfo->num_components;
    if ((n != 1 && n != 3 && n != 4) || cinfo->jpeg_color_space == JCS_UNKNOWN) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "a JPEG of %d components of unknown colours; grey, RGB and CMYK can be "
                         "read",
                         n);
    }
    cinfo->out_color_space = n == 1 ? JCS_GRAYSCALE : n == 3 ? JCS_RGB : JCS_CMYK;
    io_header_set(&reader->header, cinfo->image_width, cinfo->image_height, n == 1 ? 1 : 3, SATF_U8,
                  false, UINT8_MAX);
    satf_status status =
        io_check_ratio(ctx, &reader->source, coded_samples(cinfo), 8, "\xff\xd9", 2);
    if (status) {
        return status;
    }
    if (jpeg_has_multiple_scans(cinfo)) { /* all coefficients, 16 bits each */
        reader->header.held_bytes = 2 * coded_samples(cinfo);
    }
    reader->header.was_cmyk = n == 4;
    copy_density(cinfo, &reader->header.metadata);
    io_jpeg_note_coding(cinfo, &reader->header.metadata.jpeg);
    status = copy_segments(ctx, cinfo, &reader->header);
    drop_links(&reader->header);
    status = status ? status : copy_icc(ctx, state, &reader->header.metadata);
    reader->header.icc_damaged = state->icc_damaged;
    reader->header.segments_damaged = state->segments_damaged;
    reader->header.bytes_damaged = state->bytes_damaged;
    return status;
}

satf_status io_jpeg_open(satf_context *ctx, io_reader *reader)
{
    io_jpeg_state *state = reader->state;
    state->ctx = ctx;
    state->source = &reader->source;
    io_jpeg_set_errors(state, &state->c.in.err);
    state->c.in.client_data = state;
    return jpeg_open_header(ctx, reader);
}

/* Allocates, and reads the whole file if it is progressive. */
static satf_status jpeg_start_read(satf_context *ctx, io_jpeg_state *state, uint64_t held_bytes)
{
    struct jpeg_decompress_struct *cinfo = &state->c.in;
    satf_status status = io_check_bytes(ctx, held_bytes);
    status = status ? status
                    : io_jpeg_charge(state, held_bytes, cinfo->image_width, cinfo->num_components);
    if (status) {
        return status;
    }
    if (cinfo->out_color_space == JCS_CMYK) {
        size_t bytes = (size_t)cinfo->image_width * 4;
        state->row = satf_alloc(bytes);
        if (!state->row) {
            return satf_fail_memory(ctx, bytes, "a CMYK row");
        }
    }
    jpeg_start_decompress(cinfo);
    state->started = true;
    return SATF_OK;
}

/* CMYK of JPEGs is 255 less the ink: Adobe made it so, and readers take it so, with Adobe's
 * segment or without. */
static void cmyk_to_rgb(const unsigned char *cmyk, unsigned char *rgb, size_t width)
{
    for (size_t x = 0; x < width; x++) {
        for (size_t i = 0; i < 3; i++) {
            rgb[3 * x + i] = (unsigned char)io_ink_to_light(cmyk[4 * x + i], cmyk[4 * x + 3], 255);
        }
    }
}

satf_status io_jpeg_rows(satf_context *ctx, io_reader *reader, void *dst, int64_t stride, int64_t n)
{
    io_jpeg_state *state = reader->state;
    struct jpeg_decompress_struct *cinfo = &state->c.in;
    state->ctx = ctx;
    if (setjmp(state->jump)) {
        return state->status;
    }
    satf_status status =
        state->started ? SATF_OK : jpeg_start_read(ctx, state, reader->header.held_bytes);
    if (status) {
        return status;
    }
    for (int64_t y = 0; y < n; y++) {
        JSAMPROW row = (JSAMPROW)dst + y * stride;
        JSAMPROW target = state->row ? state->row : row;
        jpeg_read_scanlines(cinfo, &target, 1);
        if (state->row) {
            cmyk_to_rgb(state->row, row, cinfo->image_width);
        }
    }
    if (cinfo->output_scanline == cinfo->output_height) {
        jpeg_finish_decompress(cinfo); /* reads up to the end marker, or fails */
        look_behind(state, &reader->header);
    }
    reader->header.bytes_damaged = state->bytes_damaged;
    return SATF_OK;
}

void io_jpeg_close(io_reader *reader)
{
    io_jpeg_destroy(reader->state);
}
