/*
 * Codecs: a table of file formats. Readers and writers work by rows, so that
 * pictures of any height can be streamed. io knows no filter.
 */
#ifndef SATF_IO_H
#define SATF_IO_H

#include <stdio.h>

#include "../base/image.h"

/* What a file holds, known after opening, before decoding. */
typedef struct io_header {
    satf_view view; /* data NULL, packed stride; flags SATF_ALPHA as the format says */
    bool has_range; /* integers: samples range over 0 ... maxval */
    double lo, hi, alpha_max;
    int picture_type; /* see satf_image */
    satf_metadata metadata;
    bool rows_in_order; /* read_rows() decodes as it goes; false: the decoder holds the image */
} io_header;

typedef struct io_reader io_reader;
typedef struct io_writer io_writer;

typedef struct io_format {
    const char *name;     /* "png" */
    const char *suffixes; /* "png apng", blank-separated, lower case */
    const char *help;     /* one line */
    bool trusted;         /* among the library's default formats (hardened decoder) */
    /* Does the file begin like this format? n <= IO_PROBE_BYTES. */
    bool (*probe)(const unsigned char *head, size_t n);

    /* Reading. open fills reader->header (or fails with a message, having freed
     * its own state). rows decodes the next n rows into dst, stride bytes apart,
     * samples in host byte order. close frees state (also after an error). */
    satf_status (*open)(satf_context *ctx, io_reader *reader);
    satf_status (*rows)(satf_context *ctx, io_reader *reader, void *dst, int64_t stride, int64_t n);
    void (*close)(io_reader *reader);

    /* Writing; all NULL when the format is read only. fits says whether samples
     * of that view can be stored as they are, maxval being the image's hi (0:
     * unknown); picture_types is a mask (1 << satf_type) of the integer types
     * that image form may use, 0 for formats of plain values (.npy, .pfm).
     * alpha: can store an alpha channel. */
    unsigned value_types; /* mask of satf_type that can be stored as plain values */
    unsigned picture_types;
    bool stores_alpha;
    unsigned channel_mask; /* bit c: c channels can be stored */
    satf_status (*create)(satf_context *ctx, io_writer *writer);
    satf_status (*put)(satf_context *ctx, io_writer *writer, const void *src, int64_t stride,
                       int64_t n);
    satf_status (*finish)(satf_context *ctx, io_writer *writer);
    void (*abandon)(io_writer *writer); /* frees state, after finish or instead of it */
} io_format;

#define IO_PROBE_BYTES 64

struct io_reader {
    const io_format *format;
    FILE *file;
    const char *name; /* for messages */
    io_header header;
    int64_t next_row;
    void *state; /* the codec's */
};

struct io_writer {
    const io_format *format;
    FILE *file;
    const char *name;
    satf_view view;       /* what will be put: type, sizes, flags */
    double hi, alpha_max; /* samples' maximum (PNM's maxval); type's maximum mostly */
    satf_write_options options;
    const satf_metadata *metadata; /* may be NULL */
    int64_t next_row;
    void *state;
};

const io_format *io_format_at(size_t index); /* NULL behind the last */
const io_format *io_format_find(const char *name);
const io_format *io_format_by_suffix(const char *path);

/* Opens a file, "-" for standard input, finds its format by content, checks
 * its sizes against the context's limits. On success the caller closes it.
 * Messages do not name the file: whoever prints them does. */
satf_status io_open(satf_context *ctx, const char *path, io_reader **reader);
satf_status io_open_memory(satf_context *ctx, const void *data, size_t bytes, io_reader **reader);
satf_status io_read_rows(satf_context *ctx, io_reader *reader, void *dst, int64_t stride,
                         int64_t n);
void io_close(io_reader *reader);

/*
 * How samples of an image become samples of a file: found by io_plan(), used
 * row by row with io_convert().
 * - identity when the format stores the image's type as it is;
 * - plain: another type of plain values (.npy, .pfm): rounded to nearest, saturated;
 * - image form: lo ... hi mapped to 0 ... the picture type's maximum, rounded to
 *   nearest (halves up), saturated; alpha maps 0 ... alpha_max likewise.
 */
typedef struct io_plan {
    const io_format *format;
    satf_view out; /* view of the file's samples, data NULL */
    enum { IO_IDENTITY, IO_PLAIN, IO_IMAGE_FORM } how;
    satf_view in;
    double lo, hi, alpha_max; /* of the input samples, for IMAGE_FORM */
    double out_hi;            /* maxval of the output samples */
    bool drop_alpha;          /* the format has no alpha, and the image is opaque everywhere */
} io_plan;

/* image: view, range, picture type (data not needed unless alpha must be
 * dropped). Fails with a message when the format cannot hold the image, e.g.
 * floats of unknown range in a PNG without --range, or alpha in a JPEG. */
satf_status io_make_plan(satf_context *ctx, const satf_image *image, const char *path,
                         const satf_write_options *options, io_plan *plan);
void io_convert(const io_plan *plan, const void *src, void *dst, int64_t pixels);

/*
 * An output file that appears whole or not at all: a temporary file beside
 * path, opened O_EXCL under an unpredictable name, renamed by commit, removed
 * by discard (also by io_output_cleanup(), which is async-signal-safe and
 * removes every open temporary of this process). "-" writes to stdout.
 * commit flushes and checks every error; no_clobber uses link/renameat2 so that
 * an existing file is never replaced. The new file has the mode of the file it replaces, else
 * 0666 less umask. A path that is a symlink replaces the link's target;
 * devices and FIFOs (/dev/stdout, /dev/null) are written directly.
 */
typedef struct io_output io_output;
satf_status io_output_open(satf_context *ctx, const char *path, bool no_clobber, io_output **out);
FILE *io_output_file(io_output *out);
satf_status io_output_commit(satf_context *ctx, io_output *out); /* frees out, either way */
void io_output_discard(io_output *out);                          /* frees out; NULL is allowed */
void io_output_cleanup(void);

/* Writing by rows. io_writer_open -> io_put_rows ... -> io_writer_finish,
 * or io_writer_abandon. rows are of plan->in's samples; conversion happens inside. */
satf_status io_writer_open(satf_context *ctx, const io_plan *plan, FILE *file, const char *name,
                           const satf_write_options *options, const satf_metadata *metadata,
                           io_writer **writer);
satf_status io_put_rows(satf_context *ctx, io_writer *writer, const void *src, int64_t stride,
                        int64_t n);
satf_status io_writer_finish(satf_context *ctx, io_writer *writer); /* frees on success only */
void io_writer_abandon(io_writer *writer);

#endif
