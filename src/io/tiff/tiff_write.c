/* A TIFF's page, written: rows become strips. libtiff codes them; what it takes for its file is
 * where a strip's bytes come out (tiff_directory.c makes the file). */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "tiff_common.h"
#include "tiff_directory.h"

enum { STRIP_BYTES = 256 << 10, FAX_BYTES = 64 << 10, ZSTD_LEVEL = 9, DEFLATE_LEVEL = 6 };

typedef struct tiff_writer {
    satf_context *ctx; /* of the call in progress */
    io_writer *writer;
    TIFF *tif;          /* NULL: strips are rows as they are */
    bool coding;        /* else what libtiff writes is no strip's */
    satf_status status; /* of a write that has failed */
    char message[160];  /* libtiff's first one */
    satf_charge charge; /* of what it allocates */
    uint64_t position;  /* that libtiff believes to be at */
    unsigned compression, predictor, bits;
    bool white_is_zero;
    size_t row_bytes;
    int64_t strip_rows, rows; /* rows: of the strip that is being filled */
    unsigned char *strip;     /* that, or of Group 4 a row */
    io_tiff_record *record;
    uint64_t made; /* strips */
} tiff_writer;

/* ---------------------------------------------------------------- libtiff's calls */

static tmsize_t read_nothing(thandle_t handle, void *to, tmsize_t n)
{
    (void)handle, (void)to, (void)n;
    return 0;
}

static tmsize_t tiff_write_write_bytes(thandle_t handle, void *from, tmsize_t n)
{
    tiff_writer *t = handle;
    if (t->coding && n > 0 && !t->status) {
        t->status = io_write(t->ctx, t->writer, from, (size_t)n);
        t->record->strip[t->record->strips + t->made] += (uint64_t)n;
    }
    t->position += n > 0 ? (uint64_t)n : 0;
    return t->status ? 0 : n;
}

static toff_t tiff_write_seek_to(thandle_t handle, toff_t offset, int whence)
{
    tiff_writer *t = handle;
    t->position = whence == SEEK_SET ? offset : t->position + (whence == SEEK_CUR ? offset : 0);
    return t->position;
}

static int tiff_write_close_nothing(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t tiff_write_size_of(thandle_t handle)
{
    const tiff_writer *t = handle;
    return t->position;
}

static int tiff_write_keep_error(TIFF *tif, void *user, const char *module, const char *format,
                                 va_list args)
{
    tiff_writer *t = user;
    (void)tif, (void)module;
    if (!t->message[0]) {
        satf_vtext(t->message, sizeof t->message, format, args);
    }
    return 1; /* nobody else is told */
}

static int drop_warning(TIFF *tif, void *user, const char *module, const char *format, va_list args)
{
    (void)tif, (void)user, (void)module, (void)format, (void)args;
    return 1;
}

static satf_status tiff_write_fail(const tiff_writer *t)
{
    return t->status         ? t->status
           : errno == ENOMEM ? satf_fail(t->ctx, SATF_NO_MEMORY, "libtiff is out of memory")
                             : satf_fail(t->ctx, SATF_IO, "libtiff cannot code a strip: %s",
                                         t->message[0] ? t->message : "it does not say why");
}

/* --------------------------------------------------------------------- the plan */

static const struct {
    const char *name;
    unsigned compression;
} names[] = {{"none", COMPRESSION_NONE},
             {"lzw", COMPRESSION_LZW},
             {"deflate", COMPRESSION_ADOBE_DEFLATE},
             {"zstd", COMPRESSION_ZSTD},
             {"g4", COMPRESSION_CCITTFAX4}};

/* The compression that was asked for, else that of the input if it can be written, else deflate;
 * black and white goes as a fax does. */
static unsigned choose_compression(const io_writer *writer)
{
    const char *asked = writer->options.compression;
    unsigned was = writer->metadata ? writer->metadata->tiff_compression : 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (asked ? strcasecmp(asked, names[i].name) == 0
                  : !writer->plan.bilevel && was == names[i].compression &&
                        was != COMPRESSION_CCITTFAX4) {
            return names[i].compression;
        }
    }
    return writer->plan.bilevel ? COMPRESSION_CCITTFAX4 : COMPRESSION_ADOBE_DEFLATE;
}

/* Bytes that a strip's samples take; Group 4's is the whole picture, which is what programs that
 * take it over as it is expect, and libtiff codes it row by row. */
static void choose_strips(tiff_writer *t)
{
    const satf_view *v = &t->writer->plan.out;
    t->bits = t->writer->plan.bilevel ? 1 : 8 * (unsigned)satf_type_bytes(v->type);
    t->row_bytes = ((size_t)satf_row_samples(v) * t->bits + 7) / 8;
    t->white_is_zero = t->compression == COMPRESSION_CCITTFAX4;
    size_t rows = t->row_bytes < STRIP_BYTES ? STRIP_BYTES / t->row_bytes : 1;
    t->strip_rows = (int64_t)rows < v->height ? (int64_t)rows : v->height;
    t->strip_rows = t->white_is_zero ? v->height : t->strip_rows;
    bool predicts =
        (t->compression == COMPRESSION_LZW || t->compression == COMPRESSION_ADOBE_DEFLATE ||
         t->compression == COMPRESSION_ZSTD) &&
        t->bits > 1;
    t->predictor = !predicts                     ? PREDICTOR_NONE
                   : satf_type_is_float(v->type) ? PREDICTOR_FLOATINGPOINT
                                                 : PREDICTOR_HORIZONTAL;
}

static unsigned sample_format(int type)
{
    return satf_type_is_float(type)    ? SAMPLEFORMAT_IEEEFP
           : satf_type_is_signed(type) ? SAMPLEFORMAT_INT
                                       : SAMPLEFORMAT_UINT;
}

/* Tags by which libtiff's encoders go. */
static satf_status open_encoder(tiff_writer *t)
{
    const satf_view *v = &t->writer->plan.out;
    if (t->compression == COMPRESSION_NONE) {
        return SATF_OK;
    }
    if (!TIFFIsCODECConfigured((uint16_t)t->compression)) {
        return satf_fail(t->ctx, SATF_UNSUPPORTED,
                         "the libtiff of this machine cannot write that compression");
    }
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options) {
        return satf_fail(t->ctx, SATF_NO_MEMORY, "libtiff is out of memory");
    }
    TIFFOpenOptionsSetErrorHandlerExtR(options, tiff_write_keep_error, t);
    TIFFOpenOptionsSetWarningHandlerExtR(options, drop_warning, t);
    t->tif = TIFFClientOpenExt("TIFF", "w8m", t, read_nothing, tiff_write_write_bytes,
                               tiff_write_seek_to, tiff_write_close_nothing, tiff_write_size_of,
                               NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    if (!t->tif) {
        return tiff_write_fail(t);
    }
    bool set = TIFFSetField(t->tif, TIFFTAG_IMAGEWIDTH, (uint32_t)v->width) &&
               TIFFSetField(t->tif, TIFFTAG_IMAGELENGTH, (uint32_t)v->height) &&
               TIFFSetField(t->tif, TIFFTAG_BITSPERSAMPLE, t->bits) &&
               TIFFSetField(t->tif, TIFFTAG_SAMPLESPERPIXEL, v->channels) &&
               TIFFSetField(t->tif, TIFFTAG_SAMPLEFORMAT, sample_format(v->type)) &&
               TIFFSetField(t->tif, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) &&
               TIFFSetField(t->tif, TIFFTAG_PHOTOMETRIC,
                            t->white_is_zero ? PHOTOMETRIC_MINISWHITE : PHOTOMETRIC_MINISBLACK) &&
               TIFFSetField(t->tif, TIFFTAG_ROWSPERSTRIP, (uint32_t)t->strip_rows) &&
               TIFFSetField(t->tif, TIFFTAG_COMPRESSION, t->compression);
    if (set && t->predictor != PREDICTOR_NONE) {
        set = TIFFSetField(t->tif, TIFFTAG_PREDICTOR, t->predictor);
    }
    if (set && t->compression == COMPRESSION_ZSTD) {
        set = TIFFSetField(t->tif, TIFFTAG_ZSTD_LEVEL, ZSTD_LEVEL);
    } else if (set && t->compression == COMPRESSION_ADOBE_DEFLATE) {
        set = TIFFSetField(t->tif, TIFFTAG_ZIPQUALITY, DEFLATE_LEVEL);
    }
    return set ? SATF_OK : tiff_write_fail(t);
}

/* Counts what the encoders take beside our strip: a buffer for its bytes, the predictor's copy. */
static satf_status take_memory(tiff_writer *t)
{
    const satf_view *v = &t->writer->plan.out;
    size_t strip = t->white_is_zero ? t->row_bytes : (size_t)t->strip_rows * t->row_bytes;
    uint64_t strips = (uint64_t)((v->height + t->strip_rows - 1) / t->strip_rows);
    size_t record_bytes = 2 * (size_t)strips * sizeof *t->record->strip;
    size_t coding = 3 * strip + 2 * (size_t)strips * sizeof(uint64_t) + (64 << 10);
    t->strip = satf_alloc_zeroed(strip);
    t->record = t->writer->record = io_tiff_make_record(IO_TIFF_ENTRIES, strips);
    if (!t->strip || !t->record || (t->tif && !satf_charge_add(&t->charge, coding))) {
        return satf_fail_memory(t->ctx, strip + record_bytes + coding, "a TIFF's strips");
    }
    return SATF_OK;
}

static satf_status tiff_write_create(satf_context *ctx, io_writer *writer)
{
    tiff_writer *t = writer->state;
    const satf_view *v = &writer->plan.out;
    t->ctx = ctx;
    t->writer = writer;
    if (v->width > UINT32_MAX || v->height > UINT32_MAX) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "a TIFF's sides have at most 4294967295 pixels");
    }
    t->compression = choose_compression(writer);
    choose_strips(t);
    satf_status status = open_encoder(t);
    return status ? status : take_memory(t);
}

/* ---------------------------------------------------------------------- the rows */

/* Samples of 0 or 255 become bits. */
static void tiff_write_pack_bits(const unsigned char *in, size_t n, bool white_is_zero,
                                 unsigned char *out)
{
    for (size_t i = 0; i < n; i += 8) {
        unsigned bits = 0;
        for (size_t k = i; k < i + 8; k++) {
            bits = bits << 1 | (k < n && (in[k] != 0) != white_is_zero);
        }
        *out++ = (unsigned char)bits;
    }
}

/* The strip that has been filled goes to the file. */
static satf_status end_strip(tiff_writer *t)
{
    tmsize_t bytes = (tmsize_t)((size_t)t->rows * t->row_bytes);
    t->record->strip[t->made] = (uint64_t)t->writer->bytes;
    if (!t->tif) {
        t->record->strip[t->record->strips + t->made] = (uint64_t)bytes;
        t->status = io_write(t->ctx, t->writer, t->strip, (size_t)bytes);
    } else {
        t->coding = true;
        if (TIFFWriteEncodedStrip(t->tif, (uint32_t)t->made, t->strip, bytes) < 0) {
            return tiff_write_fail(t);
        }
        t->coding = false;
    }
    t->made++;
    t->rows = 0;
    return t->status;
}

static satf_status put_fax_row(tiff_writer *t, const void *row, int64_t y)
{
    const satf_view *v = &t->writer->plan.out;
    if (y == 0 && !TIFFWriteBufferSetup(t->tif, NULL, FAX_BYTES)) { /* it would take a strip's */
        return tiff_write_fail(t);
    }
    tiff_write_pack_bits(row, (size_t)v->width, true, t->strip);
    t->coding = true;
    bool good = TIFFWriteScanline(t->tif, t->strip, (uint32_t)y, 0) == 1 &&
                (y < v->height - 1 || TIFFFlushData(t->tif) == 1);
    t->coding = false;
    return good && !t->status ? SATF_OK : tiff_write_fail(t);
}

static satf_status tiff_write_put(satf_context *ctx, io_writer *writer, const void *src,
                                  int64_t stride, int64_t n)
{
    tiff_writer *t = writer->state;
    satf_status status = SATF_OK;
    t->ctx = ctx;
    for (int64_t i = 0; i < n && !status; i++) {
        const unsigned char *row = (const unsigned char *)src + i * stride;
        status = satf_tick(ctx);
        if (status) {
            break;
        }
        if (t->white_is_zero) {
            status = put_fax_row(t, row, writer->next_row + i);
            continue;
        }
        unsigned char *to = t->strip + (size_t)t->rows * t->row_bytes;
        if (t->bits == 1) {
            tiff_write_pack_bits(row, (size_t)satf_row_samples(&writer->plan.out), false, to);
        } else {
            memcpy(to, row, t->row_bytes);
        }
        t->rows++;
        if (!status &&
            (t->rows == t->strip_rows || writer->next_row + i == writer->plan.out.height - 1)) {
            status = end_strip(t);
        }
    }
    return status;
}

/* ----------------------------------------------------------------------- the end */

static satf_status tiff_write_add_number(tiff_writer *t, unsigned tag, uint32_t value)
{
    uint16_t narrow = (uint16_t)value;
    bool is_long = value > UINT16_MAX;
    return io_tiff_add(t->ctx, t->writer, tag, is_long ? TIFF_LONG : TIFF_SHORT, 1,
                       is_long ? (const void *)&value : &narrow);
}

/* A short for each sample of a pixel. */
static satf_status add_samples(tiff_writer *t, unsigned tag, unsigned value)
{
    uint16_t all[SATF_MAX_CHANNELS];
    int channels = t->writer->plan.out.channels;
    for (int c = 0; c < channels; c++) {
        all[c] = (uint16_t)value;
    }
    return io_tiff_add(t->ctx, t->writer, tag, TIFF_SHORT, (uint64_t)channels, all);
}

static satf_status add_pixels(tiff_writer *t)
{
    const satf_view *v = &t->writer->plan.out;
    bool colour = v->channels >= 3, alpha = v->channels == 2 || v->channels == 4;
    unsigned photometric = colour             ? PHOTOMETRIC_RGB
                           : t->white_is_zero ? PHOTOMETRIC_MINISWHITE
                                              : PHOTOMETRIC_MINISBLACK;
    unsigned format = sample_format(v->type);
    const struct {
        unsigned tag;
        uint32_t value;
    } numbers[] = {{TIFFTAG_IMAGEWIDTH, (uint32_t)v->width},
                   {TIFFTAG_IMAGELENGTH, (uint32_t)v->height},
                   {TIFFTAG_COMPRESSION, t->compression},
                   {TIFFTAG_PHOTOMETRIC, photometric},
                   {TIFFTAG_SAMPLESPERPIXEL, (uint32_t)v->channels},
                   {TIFFTAG_ROWSPERSTRIP, (uint32_t)t->strip_rows},
                   {TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG}};
    satf_status status = SATF_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !status; i++) {
        status = tiff_write_add_number(t, numbers[i].tag, numbers[i].value);
    }
    status = status ? status : add_samples(t, TIFFTAG_BITSPERSAMPLE, t->bits);
    status = status ? status : add_samples(t, TIFFTAG_SAMPLEFORMAT, format);
    if (!status && alpha) {
        status = tiff_write_add_number(t, TIFFTAG_EXTRASAMPLES, EXTRASAMPLE_UNASSALPHA);
    }
    return status || t->predictor == PREDICTOR_NONE
               ? status
               : tiff_write_add_number(t, TIFFTAG_PREDICTOR, t->predictor);
}

/* The values are the record's strips. */
static void add_strips(io_tiff_record *r)
{
    static const unsigned tags[] = {TIFFTAG_STRIPOFFSETS, TIFFTAG_STRIPBYTECOUNTS};
    for (size_t i = 0; i < 2; i++) {
        r->entry[r->entries++] =
            (io_tiff_entry){.tag = (uint16_t)tags[i], .type = TIFF_LONG8, .count = r->strips};
    }
}

static satf_status tiff_write_finish(satf_context *ctx, io_writer *writer)
{
    tiff_writer *t = writer->state;
    t->ctx = ctx;
    add_strips(t->record);
    satf_status status = add_pixels(t);
    status = status ? status : io_tiff_add_metadata(ctx, writer);
    bool odd = writer->bytes & 1;
    io_tiff_end_record(&t->record);
    writer->record = t->record;
    return !status && odd ? io_write(ctx, writer, "", 1) : status;
}

static void tiff_write_abandon(io_writer *writer)
{
    tiff_writer *t = writer->state;
    t->coding = false;
    if (t->tif) {
        TIFFClose(t->tif);
    }
    satf_charge_drop(&t->charge);
    satf_free(t->strip);
}

void io_tiff_writing(io_format *format)
{
    format->writer_bytes = sizeof(tiff_writer);
    format->create = tiff_write_create;
    format->put = tiff_write_put;
    format->finish = tiff_write_finish;
    format->abandon = tiff_write_abandon;
    format->finish_pages = io_tiff_finish_pages;
}
