/*
 * Codecs: a table of file formats. Read this file first, then reader.c and writer.c, which call a
 * format's functions. Readers and writers work by rows, so that pictures of any height can be
 * streamed. io knows no filter.
 */
#ifndef SATF_IO_H
#define SATF_IO_H

#include <stdio.h>

#include "meta/exif.h"
#include "../base/image.h"
#include "meta/tags.h"
#include "stats.h"

typedef struct io_calls io_calls;

/*
 * The source of a file's bytes: a file descriptor, a caller's callbacks or memory. Codecs read
 * forward, so pipes serve as well as files. Memory, regular files and callbacks that seek can also
 * be read at any position. A read error sets `error`, or is the calls' failure, and looks like the
 * end, as does a callback that cancels.
 */
typedef struct io_source {
    satf_context *ctx;             /* of the call in progress, whose callback reads ask; or NULL */
    const unsigned char *at, *end; /* bytes at hand */
    int fd;                        /* -1: callbacks, or memory */
    io_calls *calls;               /* NULL: there are none */
    bool shares;                   /* it is another source's file, whose position it leaves alone */
    bool was_pipe;                 /* it is in memory, of which nobody knew the size */
    unsigned char *buffer;         /* owned; NULL for memory */
    const unsigned char *begin;    /* of memory, which comes to hand in pieces as a file does */
    int64_t position;              /* bytes that have been read, but of memory */
    int64_t start;                 /* a regular file's offset where reading began */
    int64_t bytes;                 /* from there to its end when it was opened; -1: a pipe */
    bool ended;
    bool cancelled;
    int error; /* errno, or 0 */
} io_source;

enum { IO_PICTURES_SEVERAL = -1 };

/* What a file holds, known after opening, before decoding. */
typedef struct io_header {
    satf_view view; /* data NULL, packed stride; flags SATF_ALPHA as the format says */
    bool has_range; /* integers: samples range over 0 ... maxval */
    double lo, hi, alpha_max;
    int picture_type; /* see satf_image */
    bool bilevel;     /* one bit a pixel in the file, of one channel */
    satf_metadata metadata;
    bool metadata_may_follow; /* EXIF, XMP or IPTC may come with the last row: a PNG's, until
                               * io_find_metadata() has looked there */
    int64_t pictures; /* that the file holds, of which the first is read; IO_PICTURES_SEVERAL: more
                       * than one. Certain after the last row only */
    bool was_cmyk;    /* the file's colours were ink */
    bool alpha_unnamed;   /* the file does not say that its fourth sample is alpha */
    char text[64];        /* keywords of text that is not kept, comments in quotes; "": there is
                             none; certain after the last row only, ... */
    char others[64];      /* ... as is this: names of other data that are not kept; "": none; ... */
    bool xmp_damaged;     /* ... as is this: it has XMP that cannot be read */
    bool colours_missing; /* ... and this: pixels name colours that their palette lacks, and are
                             black */
    bool trns_ignored; /* ... and this: it names transparent colours in a way that does not count */
    bool icc_damaged;  /* it has a colour profile that cannot be read */
    const char *icc_of; /* the colours of its profile, which are not the pixels' and is not kept; or
                           NULL */
    bool segments_damaged; /* a JPEG's segment that no pixel needs makes no sense */
    bool bytes_damaged;  /* bytes that make no sense are passed over, as all readers do; pixels may
                            be wrong; certain after the last row only, ... */
    bool lines_damaged;  /* ... as is this: so are some lines of a fax, not more than half */
    uint64_t held_bytes; /* that reading takes beside the picture's rows, where they are many */
    int64_t file_row_bytes; /* that a row takes in the file, at least; 0: it is compressed */
    /* Rows can be had piece by piece. False: the codec makes the whole picture
     * at once, and io_read_rows() holds it if fewer rows are asked for. */
    bool rows_in_order;
} io_header;

/* Was there damage that has been read past? */
static inline bool io_is_damaged(const io_header *header)
{
    return header->bytes_damaged || header->lines_damaged;
}

/* The dimensions of an array in front of its rows, of which the pages are numbered in C order;
 * count 0: the file has no more to say of its pages than how many there are. */
enum { IO_AXES = 6 };
typedef struct io_axes {
    int count;
    int64_t size[IO_AXES];
} io_axes;

/* Kinds of what a file says besides its pixels, and nouns for them. GREY_ICC: profiles of grey
 * pixels; COLOURS: gamma and primaries, as they are or as a profile; HDR, TEXT: as a PNG has them;
 * TAGS: a TIFF's. */
#define IO_KINDS(KIND)               \
    KIND(ORIENTATION, "orientation") \
    KIND(ICC, "colour profile")      \
    KIND(GREY_ICC, "colour profile") \
    KIND(COLOURS, "colour space")    \
    KIND(HDR, "description as HDR")  \
    KIND(RESOLUTION, "resolution")   \
    KIND(EXIF, "EXIF")               \
    KIND(XMP, "XMP")                 \
    KIND(IPTC, "IPTC")               \
    KIND(TEXT, "text")               \
    KIND(TAGS, "tags")
#define IO_KIND_NUMBER(NAME, noun) IO_NUMBER_##NAME,
enum { IO_KINDS(IO_KIND_NUMBER) IO_KIND_COUNT };
#undef IO_KIND_NUMBER
#define IO_KIND_MASK(NAME, noun) IO_KEEPS_##NAME = 1 << IO_NUMBER_##NAME,
enum { IO_KINDS(IO_KIND_MASK) };
#undef IO_KIND_MASK

typedef struct io_reader io_reader;
typedef struct io_writer io_writer;
typedef struct io_pages io_pages;
typedef struct io_plan io_plan;

typedef struct io_format {
    const char *name;       /* "png" */
    const char *suffixes;   /* "png apng", blank-separated, lower case */
    const char *help;       /* one line */
    bool fit_for_strangers; /* read by default: the decoder stands up to hostile files */
    bool in_module;         /* its functions are NULL until io_format_load() */
    const char *packages;   /* of the library that the module needs, as Debian names them */
    /* What a sample takes of one thread, by and large: where filters are computed depends on it. 0:
     * next to nothing. */
    double decode_ns, encode_ns;
    bool encodes_on_all; /* the encoder uses all threads */
    /* Does the file begin like this format? n <= IO_PROBE_BYTES. */
    bool (*probe)(const unsigned char *head, size_t n);

    /*
     * Reading. open fills reader->header; rows decodes the next n rows into dst, stride bytes apart
     * (any sign), samples in host byte order, and with the last row verifies that the file is
     * complete. Unless header.rows_in_order, rows is called once, for all rows. reader->state is
     * so many bytes, of zeros before open; close frees what it owns, after every open, failed ones
     * too. NULL: it owns nothing.
     */
    size_t reader_bytes;
    satf_status (*open)(satf_context *ctx, io_reader *reader);
    satf_status (*rows)(satf_context *ctx, io_reader *reader, void *dst, int64_t stride, int64_t n);
    satf_status (*find_metadata)(satf_context *ctx,
                                 io_reader *reader); /* NULL: never behind them */
    void (*close)(io_reader *reader);
    /* Pages: open only counts them, in reader->pages, and go_to fills the header, which is empty
     * then, for that page, from 0 on. A page that fails costs the others nothing. NULL: the file's
     * first picture is all that is read. */
    satf_status (*go_to)(satf_context *ctx, io_reader *reader, int64_t page);

    /*
     * What can be written: masks of (1 << satf_type). A format of plain values
     * (.npy, .pfm) has picture_types 0 and stores numbers as numbers; a picture
     * format has equal masks and stores 0 ... maxval as black ... white.
     */
    unsigned value_types;
    unsigned picture_types;
    unsigned channel_mask; /* bit c: c channels, alpha not counted */
    bool stores_alpha;
    bool stores_maxval; /* 0 ... maxval with any maxval; else maxval is the type's maximum */
    bool stores_bools;  /* u8 whose full scale is 1, which plan->out has then, as bools */
    /* Adapts the plan to what a suffix or name of the format means among its kinds, such as .pgm:
     * plan->kind, name, drop_alpha and spread, from plan->in. NULL: all mean the same. */
    satf_status (*adapt)(satf_context *ctx, const char *word, io_plan *plan);
    /* It is not stored; before the pixels alone; before them where it is known by then. */
    enum { IO_METADATA_NONE, IO_METADATA_FIRST, IO_METADATA_ANYWHERE } metadata;
    unsigned keeps;                                          /* masks of kinds: see IO_KINDS */
    bool (*keeps_resolution)(const satf_metadata *metadata); /* NULL: any, if it keeps one */
    /* Bytes that writing takes beside the rows; NULL: few. */
    uint64_t (*held_bytes)(const satf_context *ctx, const io_plan *plan,
                           const satf_metadata *metadata);

    /* Writing; create and put are NULL when the format is read only. put takes the next n rows of
     * writer->plan.out samples. finish may be NULL. writer->state is so many bytes, of zeros before
     * create, or, where they are 0, what create allocates (satf_alloc); abandon frees what it owns,
     * after every create, failed ones and finished ones too. NULL: it owns nothing. */
    size_t writer_bytes;
    satf_status (*create)(satf_context *ctx, io_writer *writer);
    satf_status (*put)(satf_context *ctx, io_writer *writer, const void *src, int64_t stride,
                       int64_t n);
    satf_status (*finish)(satf_context *ctx, io_writer *writer);
    void (*abandon)(io_writer *writer);

    /*
     * A file holds several pages. Then create, put and finish make one of them: bytes by
     * io_write(), counted from the page's first, and with finish, in writer->record, whatever the
     * end of the file has to know of it (satf_alloc; the pages' then). finish_pages ends the file.
     */
    bool holds_pages;
    bool pages_alike; /* they have one shape */
    satf_status (*finish_pages)(satf_context *ctx, io_pages *pages);
    size_t
        lead_bytes; /* in front of the pages, of zeros until finish_pages writes them; at most 64 */
    const char *compressions; /* "none lzw", blank-separated; NULL: there is no choice */
} io_format;

/* Known before its module is there. */
static inline bool io_can_write(const io_format *format)
{
    return format->value_types != 0;
}

#define IO_PROBE_BYTES 64

struct io_reader {
    const io_format *format;
    io_source source;
    const io_reader *beside; /* a reader of the same file, which outlives this one; NULL: it stands
                              * by itself */
    int64_t pages;           /* that one can go to; 1 unless the format has them */
    int64_t page;            /* that is read, from 0; below 0: none yet */
    bool open;               /* its decoder is; false: opening it once more has failed */
    bool ready;              /* rows can be read, for none has failed */
    bool fresh;              /* open has gone to the page already */
    bool pages_apart; /* several readers may be at several pages at once; else pages come one after
                       * the other */
    io_axes axes;
    bool pads_alpha; /* a page without alpha gets one that is opaque, so that pages are alike */
    io_header header;
    satf_view own; /* of what the codec reads, where pads_alpha; width 0: it is not padded */
    /* Pictures that are turned as they are read (src/move): the symmetry, 0: none, and the view of
     * what is stored, alpha that is added among it. */
    unsigned symmetry;
    satf_view stored;
    int64_t next_row;
    void *held;  /* the whole picture as it is stored, where it cannot be read by rows; or one row
                  * of it, which is turned */
    void *state; /* the codec's, owned */
};

const io_format *io_format_at(size_t index);       /* NULL behind the last */
const io_format *io_format_find(const char *name); /* or one of its suffixes */
const io_format *io_format_by_suffix(const char *path);

/* *format = the row with its functions, of the module that it is in, if it is in one;
 * NULL on failure. */
satf_status io_format_load(satf_context *ctx, const io_format *row, const io_format **format);

/* Why it cannot be loaded; NULL: it can. */
const char *io_format_missing(const io_format *row);

/* The format of a file that begins so; n <= IO_PROBE_BYTES. NULL: none. */
const io_format *io_format_probe(const unsigned char *head, size_t n);

/* May the context read files of that format? */
bool io_format_is_readable(const satf_context *ctx, const io_format *format);

/* SATF_UNSUPPORTED unless files of that format can hold samples of that type. */
satf_status io_check_type(satf_context *ctx, const io_format *format, satf_type type);

/* Opens the file at path, "-" for standard input, or that of the calls, unless these are NULL;
 * finds its format by content, checks its sizes against the context's limits. On success the caller
 * closes it. Messages do not name the file: whoever prints them does. */
satf_status io_open(satf_context *ctx, const char *path, const satf_file_calls *calls,
                    io_reader **reader);
satf_status io_open_memory(satf_context *ctx, const void *data, size_t bytes, io_reader **reader);

/*
 * The same, but not yet at a page, if the format has pages: the header is that of none. A reader
 * beside another has the same file and may go to other pages at the same time, in another thread,
 * where pages_apart.
 */
satf_status io_open_file(satf_context *ctx, const char *path, const satf_file_calls *calls,
                         io_reader **reader);
satf_status io_open_beside(satf_context *ctx, const io_reader *other, io_reader **reader);

/* reader->pads_alpha = some of these pages, from 0 on, have alpha, and some have none. A page that
 * fails is left to who reads it. No rows can be read until io_go_to(). */
satf_status io_find_alpha(satf_context *ctx, io_reader *reader, int64_t first, int64_t count);

/* Reads that page, from 0 on, from its first row. If the pages do not stand apart, and it lies
 * behind the one that was read, the file is read from its beginning, which a pipe does not allow.
 * After a failure other pages can be gone to. */
satf_status io_go_to(satf_context *ctx, io_reader *reader, int64_t page);
satf_status io_read_rows(satf_context *ctx, io_reader *reader, void *dst, int64_t stride,
                         int64_t n);

/* Reads all rows into the view, with progress from 0 to 1. */
satf_status io_read_image(satf_context *ctx, io_reader *reader, const satf_view *view);

/* The picture that the reader is at, as an image with what the file says of it. */
satf_status io_read_whole(satf_context *ctx, io_reader *reader, satf_image **out);
void io_close(io_reader *reader); /* NULL is allowed */

/* The image's range and picture type = the header's. */
void io_describe(const io_header *header, satf_image *image);

/* An image for what the header describes: samples unset, no metadata. */
satf_status io_make_image(satf_context *ctx, const io_header *header, satf_image **image);

/* How samples of so many channels show light, by what the file says: *curve is NAN for sRGB's
 * curve, which is that of files which say nothing, or the exponent of a power. SATF_UNSUPPORTED: it
 * is another curve. (src/io/meta/curve.c) */
satf_status io_find_curve(satf_context *ctx, const satf_metadata *metadata, int channels,
                          double *curve);

/*
 * Looks behind the pixels for EXIF, XMP and IPTC, where header.metadata_may_follow and the file can
 * be read at any position, so that who goes by rows knows them as early as who does not. Before the
 * first row. Damage there is left to the rows.
 */
satf_status io_find_metadata(satf_context *ctx, io_reader *reader);

/*
 * How samples of an image become samples of a file: found by io_make_plan(), used
 * row by row by io_convert().
 * - identity when the format stores the image's type as it is;
 * - plain: another type of plain values (.npy, .pfm): rounded to nearest, saturated;
 * - image form: lo ... hi, which options->auto_range lets io_find_range() find, mapped to 0 ... the
 * full scale of `out`, rounded to nearest (halves up), saturated; alpha maps 0 ... alpha_max
 * likewise.
 */
struct io_plan {
    const io_format *format;
    const char *name; /* of the format, or of its kind: "pgm" */
    int kind;         /* of the format's; 0: whichever fits */
    satf_view out;    /* view of the file's samples, data NULL */
    enum { IO_IDENTITY, IO_PLAIN, IO_IMAGE_FORM } how;
    satf_view in;             /* data NULL */
    double lo, hi, alpha_max; /* of the input samples */
    bool find_range;          /* lo and hi are still to be found: io_find_range() */
    bool judge_range; /* a note is due where hardly anything of lo ... hi occurs: the samples are
                       * not merely of another depth */
    bool judge_mean;  /* a note is due where the picture of a range that was found is nearly black,
                       * for a few samples are far above all others */
    double out_hi;    /* maxval of the output samples; 0 for plain values */
    bool bilevel;     /* 0 and 255 alone: one bit a pixel where the format has that */
    bool drop_alpha;  /* the format has no alpha; io_put_rows() refuses what is not opaque */
    bool spread;      /* grey becomes red, green and blue; of 8 or 16 bits */
};

/* Samples go into the file as they are. */
bool io_plan_copies(const io_plan *plan);

/* Copies a caller's struct, which begins with its size, over the defaults in *all, as far as both
 * reach: the program may have been compiled with another header. NULL leaves the defaults. name:
 * of the struct, "satf_write_options", which NAME_init() sets. */
satf_status io_take_struct(satf_context *ctx, const char *name, const void *given, void *all,
                           size_t bytes);

/* *all = the caller's options, or the defaults for NULL. */
satf_status io_take_options(satf_context *ctx, const satf_write_options *given,
                            satf_write_options *all);

/* image: view (data is not looked at), range, picture type. Fails with a message when the format
 * cannot hold the image, e.g. floats of unknown range in a PNG without --range. path is used for
 * its suffix, unless options name a format. */
satf_status io_make_plan(satf_context *ctx, const satf_image *image, const char *path,
                         const satf_write_options *options, io_plan *plan);

/*
 * What options->auto_range asks for: plan->lo and hi become those that occur among the finite
 * colour samples of the image, or, with clip_percent P, the P-th and (100 - P)-th percentile.
 * Does nothing unless plan->find_range. If they are equal the picture is black, but for what lies
 * above, which is white.
 */
satf_status io_find_range(satf_context *ctx, const satf_view *pixels, double clip_percent,
                          io_plan *plan);

/* The least and the greatest finite sample; least > most: there is none. */
typedef struct io_extremes {
    double least, most;
} io_extremes;

/* src: plan->in samples of so many pixels, dst: plan->out samples; any alignment. Where they become
 * an image form, *seen, unless NULL, is widened to their colour samples. */
void io_convert(const io_plan *plan, const void *src, void *dst, int64_t pixels, io_extremes *seen);

struct io_writer {
    const io_format *format;
    io_pages *pages;     /* that it is one of; NULL: the picture is the file */
    int64_t page;        /* its number */
    bool owns_pages;     /* it is the only one */
    bool ended;          /* it is complete */
    void *record;        /* see io_format; satf_alloc */
    unsigned char *held; /* a page's bytes until those in front of it have been written */
    size_t held_bytes, held_room;
    FILE *file;
    io_plan plan;
    satf_write_options options;
    const satf_metadata *metadata; /* what is to be written of given; may be NULL */
    const satf_metadata *given;
    satf_metadata stripped;                                 /* owns nothing */
    unsigned char orientation[SATF_EXIF_ORIENTATION_BYTES]; /* the EXIF that is left */
    int64_t next_row;
    int64_t bytes;    /* that have gone to the file */
    io_extremes seen; /* among the colour samples, where plan.judge_range */
    /* With plan.judge_range: the samples of colour, those of a tenth of full scale or more, and
     * those outside the tenth around its middle. */
    uint64_t samples, visible, lively, sum;
    bool black, white; /* have been among the samples, if these are u8 of one channel */
    bool counts;       /* the stats of plan.in's samples are asked for */
    io_stats stats;
    void *converted; /* rows on their way from plan.in to plan.out */
    void *state;     /* the codec's, owned */
};

/*
 * An output file that appears whole or not at all: a temporary file beside path, opened O_EXCL
 * under a random name, which io_output_end() renames or removes. "-" writes to stdout. The end
 * flushes and checks every error; with no_clobber it never replaces a file. Bytes for calls, unless
 * these are NULL, go there at once; path is not looked at then. The new file keeps what io_keep()
 * says of the file that it replaces, else it has the mode 0666 less umask. A path that is a symlink
 * replaces the link's target; devices and FIFOs (/dev/stdout, /dev/null) are written directly. The
 * report may be NULL, else it is filled by open and by what ends the output.
 */
typedef struct io_output io_output;
typedef struct io_output_report {
    bool full;            /* on failure: there is no room for it, on the disk or in a quota */
    bool access_lost;     /* of a file that was replaced: only its owner may read the new one */
    bool owner_lost;      /* that is not the old one's */
    bool attributes_lost; /* some, or all */
    int64_t other_names;  /* that the file had, and which keep what it held */
} io_output_report;
satf_status io_output_open(satf_context *ctx, const char *path, const satf_file_calls *calls,
                           bool no_clobber, io_output_report *report, io_output **out);
FILE *io_output_file(io_output *out);

/* Frees out, which may be NULL, with the file in place if the status, that of what came before, and
 * the one returned are SATF_OK. Discard is the end after a failure that is told already. */
satf_status io_output_end(satf_context *ctx, io_output *out, satf_status status);
void io_output_discard(io_output *out);

/* status, but where a callback of the output has failed: a failure that names it. */
satf_status io_output_blame(satf_context *ctx, const io_output *out, satf_status status);

/* Removes every temporary of this process and lets none be created after it. Async-signal-safe. */
void io_output_cleanup(void);

/* Removes what runs that were killed have left of their temporaries in the folder of
 * the output path: files of such a name that are ours and that no process holds. */
void io_output_sweep(const char *path);

/* True if path is this process's standard output: "-", or a name of the same
 * pipe, terminal or file, such as /dev/stdout. */
bool io_output_is_stdout(const char *path);

/*
 * Writing by rows: io_writer_open -> io_put_rows ... -> io_writer_finish, unless something
 * fails, and always io_writer_close. Rows are of plan->in's samples; conversion happens inside.
 * options may be NULL. file and metadata stay the caller's and must outlive the
 * writer; the file is flushed by io_output_end(), not here.
 */
satf_status io_writer_open(satf_context *ctx, const io_plan *plan, FILE *file,
                           const satf_write_options *options, const satf_metadata *metadata,
                           io_writer **writer);
satf_status io_put_rows(satf_context *ctx, io_writer *writer, const void *src, int64_t stride,
                        int64_t n);

/* After the last row: true if less than a hundredth of the range shown occurs, if nearly all of it
 * is nearly black, or of one of black and white alone, with a sentence that says so. */
bool io_writer_judge(const io_writer *writer, char *text, size_t bytes);
satf_status io_writer_finish(satf_context *ctx, io_writer *writer);

/* Writes all rows of the view and the end, with progress from 0 to 1. */
satf_status io_write_image(satf_context *ctx, io_writer *writer, const satf_view *view);
void io_writer_close(io_writer *writer); /* NULL is allowed */

/*
 * A file of several pages (pages.c). Writers of its pages may work side by side, each in a thread;
 * in the file the pages stand in the order of their numbers, from 0 on, and its bytes do not depend
 * on which is ready first. A page that is not written is passed over. The bytes of pages that are
 * ready too early are held.
 */
typedef struct io_page {
    int64_t start;  /* of its bytes in the file */
    void *record;   /* its format's, owned */
    satf_view view; /* of its samples */
} io_page;

struct io_pages {
    const io_format *format;
    FILE *file;
    FILE *behind;    /* where it goes to in the end; NULL: it is that itself */
    io_axes axes;    /* of the input that they come from */
    int64_t wanted;  /* pages, as far as that is known before; else 0 */
    int64_t bytes;   /* that have gone to the file */
    int64_t turn;    /* the page whose bytes may go there */
    bool taken_back; /* bytes of a page that failed were there */
    io_page *at;     /* those that are written, in their order; owned */
    int64_t count, room;
    struct io_pages_order *order;
};

satf_status io_pages_open(satf_context *ctx, const io_format *format, FILE *file,
                          const io_axes *axes, int64_t wanted, io_pages **pages);

/* As io_writer_open(), for the page of that number, which nobody else writes. */
satf_status io_page_open(satf_context *ctx, const io_plan *plan, io_pages *pages, int64_t page,
                         const satf_write_options *options, const satf_metadata *metadata,
                         io_writer **writer);

/* That page will not come. */
satf_status io_pages_pass(satf_context *ctx, io_pages *pages, int64_t page);

/* Waits until those in front of that page have been written or passed over. */
void io_pages_await(io_pages *pages, int64_t page);

/* All pages have been written or passed over. */
satf_status io_pages_finish(satf_context *ctx, io_pages *pages);
void io_pages_close(io_pages *pages); /* NULL is allowed */

/* Write a writer's bytes, or its end, to an output that holds several pages; writer.c calls
 * these. */
satf_status io_page_write(satf_context *ctx, io_writer *writer, const void *bytes, size_t n);
satf_status io_page_end(satf_context *ctx, io_writer *writer);
void io_page_abandon(io_writer *writer); /* after either */

#endif
