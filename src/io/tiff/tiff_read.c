/* TIFF through libtiff: opening a file, and what its tags say of the pixels.
 * www.itu.int/itudoc/itu-t/com16/tiff-fx/docs/tiff6.pdf */
#include "tiff_common.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ----------------------------------------------------------- libtiff's calls */

/* A file is read once, its directory more often; tags, strips and tiles of a picture may share
 * bytes, but not so many that time and memory have no bound. */
static uint64_t most_taken(const io_tiff_state *t)
{
    return 4 * (uint64_t)t->source->bytes + (16 << 20) + io_tiff_picture_bytes(t);
}

static tmsize_t tiff_read_read_bytes(thandle_t handle, void *to, tmsize_t n)
{
    io_tiff_state *t = handle;
    t->status = t->status ? t->status : satf_tick(t->ctx);
    t->taken += n > 0 ? (uint64_t)n : 0;
    if (!t->status && t->taken > most_taken(t)) {
        t->status = satf_fail(t->ctx, SATF_DATA, "the TIFF is damaged: its parts overlap");
    }
    if (t->status || n <= 0) {
        return 0; /* libtiff takes a number below 0 for one of bytes that it has got */
    }
    size_t got = io_source_look(t->source, t->at, to, (size_t)n);
    t->at += (int64_t)got;
    return (tmsize_t)got;
}

static tmsize_t tiff_read_write_bytes(thandle_t handle, void *from, tmsize_t n)
{
    (void)handle, (void)from, (void)n;
    return -1;
}

static toff_t tiff_read_seek_to(thandle_t handle, toff_t offset, int whence)
{
    io_tiff_state *t = handle;
    int64_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? t->at : t->source->bytes;
    if (offset > INT64_MAX || __builtin_add_overflow(base, (int64_t)offset, &t->at) || t->at < 0) {
        t->at = INT64_MAX;
    }
    return (toff_t)t->at;
}

static int tiff_read_close_nothing(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t tiff_read_size_of(thandle_t handle)
{
    const io_tiff_state *t = handle;
    return (toff_t)t->source->bytes;
}

/* Whether libtiff says, by its format, that pixels are only unusual. It then reads on; of a strip
 * no more bytes than its rows can take. */
static bool is_unusual(const char *format)
{
    static const char *const unusual[] = {"Old-style LZW codes",
                                          "JPEG strip size exceeds",
                                          "Deprecated and troublesome old-style JPEG",
                                          "Subsampling tag not appropriate",
                                          "Too large strip byte count",
                                          "Too large tile byte count",
                                          "The JPEG strip/tile is encoded with progressive"};
    bool found = false;
    for (size_t i = 0; i < sizeof unusual / sizeof *unusual; i++) {
        found = found || strncmp(format, unusual[i], strlen(unusual[i])) == 0;
    }
    return found;
}

static int tiff_read_keep_error(TIFF *tif, void *user, const char *module, const char *format,
                                va_list args)
{
    io_tiff_state *t = user;
    (void)tif;
    if (t->escape && errno == ENOMEM && strcmp(module, "JPEGLib") == 0) {
        longjmp(*t->escape, 1); /* libtiff would go on with what libjpeg has not set up */
    }
    if (t->in_pixels && io_tiff_fax_goes_on(t, format, args)) {
        return 1;
    }
    if (!t->in_pixels || (!t->message[0] && !is_unusual(format))) {
        char line[512];
        vsnprintf(line, sizeof line, format, args);
        size_t n = strcspn(line, "\n");
        while (n > 0 && strchr(". ", line[n - 1])) {
            n--;
        }
        satf_text(t->message, sizeof t->message, "%.*s", (int)n, line);
    }
    return 1; /* nobody else is told */
}

/* Whether libtiff says, by its format, that it passes over bytes: a run that goes beyond the
 * pixels. */
static bool is_passed_over(const io_tiff_state *t, const char *format)
{
    return t->compression == COMPRESSION_PACKBITS && strncmp(format, "Discarding ", 11) == 0;
}

/* A tag that is not known, or odd, is no damage. */
static int keep_warning(TIFF *tif, void *user, const char *module, const char *format, va_list args)
{
    io_tiff_state *t = user;
    bool past = t->in_pixels && is_passed_over(t, format);
    bool of_line = t->in_pixels && io_tiff_fax_goes_on(t, format, args);
    bool damage = t->in_pixels && !past && !of_line && !is_unusual(format);
    t->passed_over |= past;
    t->warned |= damage;
    return damage ? tiff_read_keep_error(tif, user, module, format, args) : 1;
}

static satf_status open_tif(io_tiff_state *t)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options) {
        return satf_fail(t->ctx, SATF_NO_MEMORY, "libtiff is out of memory");
    }
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)t->ctx->settings.max_bytes);
    TIFFOpenOptionsSetErrorHandlerExtR(options, tiff_read_keep_error, t);
    TIFFOpenOptionsSetWarningHandlerExtR(options, keep_warning, t);
    t->tif = TIFFClientOpenExt("TIFF", "rmh", t, tiff_read_read_bytes, tiff_read_write_bytes,
                               tiff_read_seek_to, tiff_read_close_nothing, tiff_read_size_of, NULL,
                               NULL, options);
    TIFFOpenOptionsFree(options);
    return t->tif ? t->status : io_tiff_fail(t);
}

/* ---------------------------------------------------------------- the pixels */

static unsigned tag(const io_tiff_state *t, uint32_t which)
{
    uint16_t value = 0;
    return TIFFGetFieldDefaulted(t->tif, which, &value) ? value : 0;
}

static satf_status tiff_read_refuse(const io_tiff_state *t, const char *what)
{
    return satf_fail(t->ctx, SATF_UNSUPPORTED, "a TIFF of %s", what);
}

/* Integers and floats of the sizes that there are. */
static satf_status read_sample_format(io_tiff_state *t)
{
    unsigned format = tag(t, TIFFTAG_SAMPLEFORMAT), bits = t->bits = tag(t, TIFFTAG_BITSPERSAMPLE);
    t->has_sign = format == SAMPLEFORMAT_INT;
    t->floats = format == SAMPLEFORMAT_IEEEFP;
    if (format == SAMPLEFORMAT_COMPLEXINT || format == SAMPLEFORMAT_COMPLEXIEEEFP) {
        return tiff_read_refuse(t, "complex numbers");
    }
    bool known = t->has_sign ? bits == 8 || bits == 16 || bits == 32 || bits == 64
                 : t->floats ? bits == 16 || bits == 32 || bits == 64
                             : (bits >= 1 && bits <= 32) || bits == 64;
    return known ? SATF_OK
                 : satf_fail(t->ctx, SATF_UNSUPPORTED, "a TIFF of %s of %u bits",
                             t->has_sign ? "signed integers"
                             : t->floats ? "floats"
                                         : "integers",
                             bits);
}

/* A palette of 8 bits in 16, as old programs wrote it, has nothing above 255. */
static satf_status tiff_read_read_palette(io_tiff_state *t)
{
    uint16_t *map[3];
    if (t->bits > 8 || t->floats || t->has_sign || t->samples < 1 ||
        !TIFFGetField(t->tif, TIFFTAG_COLORMAP, &map[0], &map[1], &map[2])) {
        return satf_fail(t->ctx, t->bits > 8 ? SATF_UNSUPPORTED : SATF_DATA, "a TIFF with %s",
                         t->bits > 8 ? "a palette of more than 256 colours"
                                     : "numbers of colours and no palette");
    }
    size_t count = (size_t)1 << t->bits;
    int shift = 0;
    for (size_t i = 0; i < count; i++) {
        shift = map[0][i] > 255 || map[1][i] > 255 || map[2][i] > 255 ? 8 : shift;
    }
    for (size_t i = 0; i < count; i++) {
        for (int c = 0; c < 3; c++) {
            t->palette[i][c] = (unsigned char)(map[c][i] >> shift);
        }
    }
    return SATF_OK;
}

static satf_status read_ycbcr(io_tiff_state *t)
{
    if (t->compression != COMPRESSION_JPEG) {
        return io_tiff_ycbcr_start(t);
    }
    if (t->planes > 1) {
        return tiff_read_refuse(t, "YCbCr in planes of JPEG");
    }
    TIFFSetField(t->tif, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    return SATF_OK;
}

/* Reads what the colour samples are, and how many. */
static satf_status read_colour(io_tiff_state *t)
{
    uint16_t photometric = 0;
    if (!TIFFGetField(t->tif, TIFFTAG_PHOTOMETRIC, &photometric)) { /* white paper, if a fax */
        photometric = t->samples >= 3     ? PHOTOMETRIC_RGB
                      : io_tiff_is_fax(t) ? PHOTOMETRIC_MINISWHITE
                                          : PHOTOMETRIC_MINISBLACK;
    }
    t->colour = IO_TIFF_RGB;
    t->colours = 3;
    switch (photometric) {
    case PHOTOMETRIC_MINISWHITE:
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MASK:
        t->colour = photometric == PHOTOMETRIC_MINISWHITE ? IO_TIFF_WHITE_IS_ZERO : IO_TIFF_GREY;
        t->colours = 1;
        return (t->floats || t->has_sign) && t->colour == IO_TIFF_WHITE_IS_ZERO
                   ? tiff_read_refuse(t, t->has_sign ? "signed integers of which 0 is white"
                                                     : "floats of which 0 is white")
                   : SATF_OK;
    case PHOTOMETRIC_RGB:
        return SATF_OK;
    case PHOTOMETRIC_PALETTE:
        t->colour = IO_TIFF_PALETTE;
        t->colours = 1;
        return tiff_read_read_palette(t);
    case PHOTOMETRIC_SEPARATED:
        t->colour = IO_TIFF_CMYK;
        t->colours = 4;
        return t->floats || t->has_sign || t->bits > 16
                   ? tiff_read_refuse(t, "inks in floats, wide or signed integers")
               : tag(t, TIFFTAG_INKSET) != INKSET_CMYK ? tiff_read_refuse(t, "other inks than CMYK")
                                                       : SATF_OK;
    case PHOTOMETRIC_YCBCR:
        return read_ycbcr(t);
    case PHOTOMETRIC_CIELAB:
    case PHOTOMETRIC_ICCLAB:
        return io_tiff_lab_start(t, photometric == PHOTOMETRIC_ICCLAB);
    case PHOTOMETRIC_ITULAB:
        return tiff_read_refuse(t, "a fax's Lab colours (ITULAB); convert it to RGB");
    case PHOTOMETRIC_LOGL:
    case PHOTOMETRIC_LOGLUV:
        return tiff_read_refuse(t, "logarithmic samples (LogLuv); convert it to floats");
    case PHOTOMETRIC_CFA:
    case 34892: /* LinearRaw */
        return tiff_read_refuse(t, "a camera's raw samples; " IO_RAW_ADVICE);
    default:
        return satf_fail(t->ctx, SATF_UNSUPPORTED, "a TIFF of an unknown colour model (%u)",
                         photometric);
    }
}

/* The first extra sample may be alpha. The fourth and last one of RGB is, where the file has no tag
 * that names it: other readers take it so. Where the tag calls it unspecified it may be a selection
 * that somebody saved, or infrared. */
static satf_status read_extra(io_tiff_state *t, io_header *header)
{
    uint16_t count = 0, *types = NULL;
    bool named = TIFFGetField(t->tif, TIFFTAG_EXTRASAMPLES, &count, &types) == 1;
    if (t->samples < t->colours) {
        return satf_fail(t->ctx, SATF_DATA,
                         "the TIFF is damaged: %u samples a pixel, its colours take %u", t->samples,
                         t->colours);
    }
    unsigned extra = t->samples - t->colours;
    unsigned first = extra > 0 && count > 0 && types ? types[0] : EXTRASAMPLE_UNSPECIFIED;
    t->alpha = first == EXTRASAMPLE_ASSOCALPHA   ? IO_TIFF_PREMULTIPLIED
               : first == EXTRASAMPLE_UNASSALPHA ? IO_TIFF_STRAIGHT
                                                 : IO_TIFF_NO_ALPHA;
    header->alpha_unnamed = !named && extra == 1 && t->colour == IO_TIFF_RGB && !t->has_sign;
    t->alpha = header->alpha_unnamed ? IO_TIFF_STRAIGHT : t->alpha;
    if (t->has_sign && t->alpha == IO_TIFF_PREMULTIPLIED) {
        return tiff_read_refuse(t, "signed integers that are multiplied by alpha");
    }
    if (t->alpha == IO_TIFF_PREMULTIPLIED &&
        (t->colour == IO_TIFF_LAB || t->colour == IO_TIFF_ICC_LAB)) {
        return tiff_read_refuse(t, "Lab colours that are multiplied by alpha");
    }
    if (extra > (t->alpha != IO_TIFF_NO_ALPHA)) {
        io_list_name(header->others, sizeof header->others, "extra");
    }
    return SATF_OK;
}

/* Other decoders of libtiff do not stand up to files, or make other samples than the tags say:
 * JBIG's ends the process. */
static satf_status tiff_read_check_compression(const io_tiff_state *t)
{
    static const uint16_t known[] = {
        COMPRESSION_NONE,      COMPRESSION_CCITTRLE,      COMPRESSION_CCITTRLEW,
        COMPRESSION_CCITTFAX3, COMPRESSION_CCITTFAX4,     COMPRESSION_LZW,
        COMPRESSION_JPEG,      COMPRESSION_ADOBE_DEFLATE, COMPRESSION_DEFLATE,
        COMPRESSION_PACKBITS,  COMPRESSION_ZSTD,          COMPRESSION_LZMA,
        COMPRESSION_WEBP,      COMPRESSION_OJPEG};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i] == t->compression && TIFFIsCODECConfigured(known[i])) {
            return SATF_OK;
        }
    }
    return satf_fail(t->ctx, SATF_UNSUPPORTED,
                     "a TIFF of compression %u, which is not read; save it with another",
                     t->compression);
}

/* Checks that old-style JPEG is what programs wrote: grey, or YCbCr side by side. */
static satf_status check_ojpeg(const io_tiff_state *t)
{
    bool known = t->ycbcr.width > 0 || t->colour == IO_TIFF_YCBCR ||
                 (t->samples == 1 && t->bits == 8 && !t->floats && !t->has_sign &&
                  t->colour != IO_TIFF_PALETTE);
    return known || t->compression != COMPRESSION_OJPEG
               ? SATF_OK
               : tiff_read_refuse(t, "old-style JPEG of other than grey or YCbCr");
}

static satf_status read_tags(io_tiff_state *t, io_header *header)
{
    uint32_t width = 0, height = 0;
    TIFFGetField(t->tif, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(t->tif, TIFFTAG_IMAGELENGTH, &height);
    t->width = width;
    t->height = height;
    t->samples = tag(t, TIFFTAG_SAMPLESPERPIXEL);
    t->compression = tag(t, TIFFTAG_COMPRESSION);
    t->tiled = TIFFIsTiled(t->tif) != 0;
    t->planes = tag(t, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE ? t->samples : 1;
    satf_status status = tiff_read_check_compression(t);
    if (!status && t->compression == COMPRESSION_CCITTFAX3) {
        io_tiff_fax_start(t);
    }
    status = status ? status : read_sample_format(t);
    status = status ? status : read_colour(t);
    status = status ? status : check_ojpeg(t);
    return status ? status : read_extra(t, header);
}

static satf_type type_of(const io_tiff_state *t)
{
    static const satf_type types[3][4] = {{SATF_U8, SATF_U16, SATF_U32, SATF_U64},
                                          {SATF_I8, SATF_I16, SATF_I32, SATF_I64},
                                          {SATF_F16, SATF_F16, SATF_F32, SATF_F64}};
    int size = t->bits <= 8 ? 0 : t->bits <= 16 ? 1 : t->bits <= 32 ? 2 : 3;
    return types[t->floats ? 2 : t->has_sign ? 1 : 0][size];
}

/* Samples of at most 8 bits range over 0 ... 255 afterwards, of 9 to 31 over what they can be. */
static void tiff_read_describe(const io_tiff_state *t, io_header *header)
{
    satf_type type = type_of(t);
    bool partly = t->bits > 8 && t->bits < 32 && !t->floats && !t->has_sign;
    double max = partly ? (double)((1u << t->bits) - 1) : (double)satf_type_max((int)type);
    bool alpha = t->alpha != IO_TIFF_NO_ALPHA;
    int colours = t->colours == 1 && t->colour != IO_TIFF_PALETTE ? 1 : 3;
    io_header_set(header, t->width, t->height, colours + alpha, type, alpha, max);
    header->bilevel = t->bits == 1 && colours + alpha == 1;
    header->was_cmyk = t->colour == IO_TIFF_CMYK;
    header->metadata.tiff_compression = t->compression;
}

/* A fax's row takes a bit at least; all else that is compressed has a ratio, and so has what takes
 * memory for more than a row. */
static satf_status check_ratio(const io_tiff_state *t)
{
    uint64_t samples = (uint64_t)t->height;
    if (t->compression == COMPRESSION_NONE && !t->tiled && !t->ycbcr.width) {
        return SATF_OK;
    }
    samples *= io_tiff_is_fax(t) ? 1 : (uint64_t)t->width * t->samples;
    return io_check_ratio(t->ctx, t->source, samples, t->bits, "", 0);
}

/* Takes the source. A pipe is read to its end first, for libtiff jumps to and fro. */
static satf_status tiff_read_take_source(io_tiff_state *t, io_reader *reader)
{
    const unsigned char *data;
    size_t bytes;
    const io_tiff_state *other = reader->beside ? reader->beside->state : NULL;
    if (other) {
        t->whole = other->whole;
        t->source = other->source == &other->whole ? &t->whole : &reader->source;
        t->page_at = other->page_at;
        t->page_count = other->page_count;
        return SATF_OK;
    }
    t->owns_pages = true;
    if (reader->source.bytes >= 0) {
        t->source = &reader->source;
        return SATF_OK;
    }
    satf_status status = io_source_slurp(t->ctx, &reader->source, &data, &bytes, &t->owned);
    if (!status) {
        io_source_open_memory(data, bytes, &t->whole);
        t->source = &t->whole;
    }
    return status;
}

static satf_status open_tiff(satf_context *ctx, io_reader *reader)
{
    io_tiff_state *t = reader->state;
    t->ctx = ctx;
    satf_status status = tiff_read_take_source(t, reader);
    status = status ? status : open_tif(t);
    status = status || !t->owns_pages ? status : io_tiff_find_pages(t);
    reader->pages = t->page_count;
    reader->pages_apart = true;
    return status;
}

/* Nothing is left of the page before. */
static void leave_page(io_tiff_state *t)
{
    satf_free(t->chunk);
    satf_free(t->tile);
    satf_free(t->row);
    satf_charge_drop(&t->charge);
    memset((char *)t + offsetof(io_tiff_state, taken), 0,
           sizeof *t - offsetof(io_tiff_state, taken));
}

static satf_status tiff_read_go_to(satf_context *ctx, io_reader *reader, int64_t page)
{
    io_tiff_state *t = reader->state;
    unsigned lacks = io_tiff_lacks();
    t->ctx = ctx;
    leave_page(t);
    if (TIFFSetSubDirectory(t->tif, t->page_at[page]) != 1 || t->status) {
        return io_tiff_fail(t); /* of tags that it can do without it says nothing */
    }
    satf_status status = read_tags(t, &reader->header);
    int64_t pixel = (int64_t)t->samples * ((t->bits + 15) / 8);
    status = status ? status : io_check_size(ctx, t->width, t->height, pixel);
    status = status ? status : check_ratio(t);
    if (status) {
        return status;
    }
    tiff_read_describe(t, &reader->header);
    status = io_tiff_start(t, &reader->header);
    status = status ? status : io_tiff_metadata(t, &reader->header);
    return io_tiff_settle(ctx, lacks, status);
}

static satf_status tiff_read_read_rows(satf_context *ctx, io_reader *reader, void *dst,
                                       int64_t stride, int64_t n)
{
    io_tiff_state *t = reader->state;
    unsigned lacks = io_tiff_lacks();
    t->ctx = ctx;
    satf_status status = SATF_OK;
    for (int64_t i = 0; i < n && !status; i++) {
        int64_t y = reader->next_row + i;
        status = satf_tick(ctx);
        if (!status && y >= t->chunk_first + t->chunk_count) {
            t->in_pixels = true;
            status = io_tiff_decode(t, y);
            t->in_pixels = false;
            reader->header.lines_damaged = t->bad_lines > 0;
            reader->header.bytes_damaged = t->passed_over;
        }
        if (!status) {
            io_tiff_convert(t, &reader->header.view, y, (char *)dst + i * stride);
        }
    }
    return io_tiff_settle(ctx, lacks, status);
}

static void close_tiff(io_reader *reader)
{
    io_tiff_state *t = reader->state;
    if (t->tif) {
        TIFFClose(t->tif);
    }
    leave_page(t);
    satf_free(t->owns_pages ? t->page_at : NULL);
    satf_free(t->owned);
}

bool IO_MODULE_ENTRY(const io_services *services, io_format *format)
{
    if (!io_module_take(services)) {
        return false;
    }
    format->reader_bytes = sizeof(io_tiff_state);
    format->open = open_tiff;
    format->go_to = tiff_read_go_to;
    format->rows = tiff_read_read_rows;
    format->close = close_tiff;
    io_tiff_writing(format);
    return true;
}
