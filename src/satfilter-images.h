/*
 * satfilter-images.h - images, file formats, and filtering from file to file.
 *
 * A part of satfilter.h, which includes it and has the conventions.
 */
/* In front of the guard: whichever header comes first, satfilter.h has them in its own order. */
#include "satfilter.h"

#ifndef SATFILTER_IMAGES_H
#define SATFILTER_IMAGES_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Progress: the calls that read, decode, write, encode or filter images and files ask the callback
 * every few milliseconds. No thread works for more than 20 ms between two calls, nor after one that
 * cancels: filters ask within a row or some rows, or a part of the picture that takes as long,
 * decoders and encoders between rows, between the rows of blocks of each scan of a JPEG, between
 * the strips of a PNG, and at each read of the file. It takes longer
 * - where the system is waited for: a read of a pipe, a write, a CUDA device, a thread or memory
 *   that contexts beside this one hold (satf_context_share());
 * - in a row, or a PNG's strip at a high level, that takes longer by itself;
 * - in BMP, TGA and HDR, once stb_image has read all of the file: while it converts samples;
 * - in one profile or text of a PNG, which is unpacked at once, and in copies of metadata;
 * - where the system takes back hundreds of megabytes behind a call that was cancelled.
 */

/* ------------------------------------------------------- files by callbacks */

/*
 * A file of the caller's, such as a request in memory or a socket, that calls read or write by
 * callbacks. It begins where it is when the call begins. Calls copy the struct; what `user` points
 * to is the caller's, who keeps it until the call returns or, of a satf_image_file, until that is
 * closed.
 *
 * Callbacks are called on the calling thread and on threads of the library; those of a struct one
 * at a time, but those of an input and of an output side by side. They must not use the context. A
 * call of which a callback fails returns SATF_IO, with a sentence that names the callback, and
 * calls none of that file again. What has been written by then is not whole: it is the caller's to
 * throw away.
 */
typedef struct satf_file_calls {
    size_t bytes; /* of this struct, by satf_file_calls_init() */
    void *user;   /* the first argument of each */
    /* Of an input: stores up to n bytes (1 ... 2^20) at data and returns how many, which may be
     * fewer whenever no more are there yet. 0: the file ends. Below 0, or above n: it has failed.
     * Bytes behind the picture may be asked for, too. */
    int64_t (*read)(void *user, void *data, size_t n);
    /* Of an output: takes up to n bytes (1 ... 2^20) and returns how many. 0, below 0, or above n:
     * it has failed. */
    int64_t (*write)(void *user, const void *data, size_t n);
    /* Goes to so many bytes behind the file's start, the place where it is, or its end (SEEK_SET,
     * SEEK_CUR, SEEK_END of stdio.h), and returns how many are in front of it then; below 0: it has
     * failed. An output may be gone behind its end. NULL: the file is a pipe, of which some formats
     * are read or written whole. */
    int64_t (*seek)(void *user, int64_t offset, int whence);
} satf_file_calls;

/* Sets all members, of a struct of so many bytes, to NULL. Structs that were not set by it are
 * SATF_INVALID. */
SATF_API void satf_file_calls_init(satf_file_calls *calls, size_t bytes);

/* ------------------------------------------------------------------ images */

/* Pixels in host memory, with what their file said about them: alpha, possible
 * range, colour profile, gamma, HDR, resolution, EXIF, XMP, IPTC, a PNG's Author
 * and Copyright, and how a JPEG was coded. Owns its memory, but for pixels that it wraps. */
typedef struct satf_image satf_image;

/* A zeroed image. flags as in satf_view. */
SATF_API satf_status satf_image_create(satf_context *ctx, int64_t width, int64_t height,
                                       int32_t channels, satf_type type, uint32_t flags,
                                       satf_image **out);

/*
 * An image of the caller's pixels, which are not copied: they stay the caller's, who keeps them
 * until the image is destroyed, and are never written to. pixels: any view on the host, with data;
 * satf_image_view() is that view. Its possible range is 0 to its full scale, that of floats
 * unknown. It has no metadata at first. SATF_INVALID for what is no such view; *out is NULL on
 * failure.
 */
SATF_API satf_status satf_image_wrap(satf_context *ctx, const satf_view *pixels, satf_image **out);

/* Reads a picture, the first of those in the file; the format is found by content. "-" is
 * standard input. */
SATF_API satf_status satf_image_read(satf_context *ctx, const char *path, satf_image **out);

/* The same of a file by callbacks. */
SATF_API satf_status satf_image_read_from(satf_context *ctx, const satf_file_calls *from,
                                          satf_image **out);

/* The same from memory, which stays the caller's. */
SATF_API satf_status satf_image_decode(satf_context *ctx, const void *data, size_t bytes,
                                       satf_image **out);

/* The image's pixels; valid while the image lives. NULL for NULL. */
SATF_API const satf_view *satf_image_view(const satf_image *image);

/* NULL is allowed. */
SATF_API void satf_image_destroy(satf_image *image);

/* Metadata that are blocks of bytes. */
typedef enum satf_metadata_kind {
    SATF_METADATA_ICC,  /* a colour profile */
    SATF_METADATA_EXIF, /* as a TIFF file: it begins with "II" or "MM" */
    SATF_METADATA_XMP   /* its packet, XML */
} satf_metadata_kind;

/* The image's block of that kind, *bytes long; NULL, and *bytes = 0, if it has none. It is the
 * image's, and valid until it is set or the image is destroyed. bytes must not be NULL. */
SATF_API const void *satf_image_metadata(const satf_image *image, satf_metadata_kind which,
                                         size_t *bytes);

/*
 * The block of that kind becomes a copy of these bytes, 0: none, for files that are written. EXIF
 * may begin with "Exif" and two zeros, which are left out. SATF_DATA if they do not begin as such a
 * block does, SATF_LIMIT above SATF_LIMIT_METADATA or 2^31 - 1; the image is as it was after a
 * failure.
 */
SATF_API satf_status satf_image_set_metadata(satf_context *ctx, satf_image *image,
                                             satf_metadata_kind which, const void *data,
                                             size_t bytes);

/* *out = the filter applied to in, carrying in's metadata on. type: a
 * satf_type or SATF_TYPE_AUTO for the filter's exact type. Thumbnails in the
 * metadata show what in was and go. */
SATF_API satf_status satf_filter_image(satf_context *ctx, const satf_filter *filter,
                                       const satf_image *in, int type, satf_image **out);

typedef struct satf_write_options {
    size_t bytes;       /* of this struct, by satf_write_options_init() */
    const char *format; /* "png", or a suffix such as "pgm"; NULL: by the path's suffix */
    int type;           /* satf_type of the samples, or SATF_TYPE_AUTO */
    int quality;        /* JPEG, 1 ... 100; 0: that of the JPEG which the image was read from, else
                         * 90. Its chroma sampling and progressive scans stay in either case. WebP:
                         * the same, lossy; 0: lossless, but 90 for what was a JPEG or a lossy WebP,
                         * unless it is black and white now */
    int png_level;      /* zlib level, 0 ... 9 */
    int no_clobber;     /* non-zero: an existing file is an error */
    int has_range;      /* non-zero: map lo ... hi to the samples' full range */
    double lo, hi;
    int auto_range;      /* non-zero, in place of has_range: lo and hi are what occurs among the
                          * finite colour samples; not looked at by formats of plain values */
    double clip_percent; /* P of auto_range, 0 ... below 50: of n sorted samples the k-th from
                          * either end, from 0 on, k = P (n - 1) / 100 rounded down */
    int strip;           /* non-zero: no metadata but what pixels need to look right: ICC profile,
                          * gamma, sRGB, chromaticities, HDR, EXIF's orientation */
    const char *compression; /* TIFF: "none", "lzw", "deflate", "zstd" or "g4" (black and white
                              * alone); NULL: that of the TIFF which the image was read from, if
                              * it is one of these, else deflate; g4 for black and white */
} satf_write_options;

/* Sets all members, of a struct of so many bytes, to the defaults: by suffix, automatic type and
 * quality, png_level 1. Options that were not set by it are SATF_INVALID. */
SATF_API void satf_write_options_init(satf_write_options *options, size_t bytes);

static inline satf_write_options satf_write_defaults(void)
{
    satf_write_options options;
    satf_write_options_init(&options, sizeof options);
    return options;
}

/*
 * Writes the image whole or not at all: a temporary file beside path, then a
 * rename. A file that it replaces leaves it its permissions with their ACL, its `user.` attributes,
 * and its owner and group as far as the caller may give them. Without these permissions or that
 * group only the owner may read the new file. "-" is standard output (format must be given).
 * options may be NULL. Samples that the format cannot hold as they are become a picture: see "image
 * form" in docs/formats.md.
 */
SATF_API satf_status satf_image_write(satf_context *ctx, const satf_image *image, const char *path,
                                      const satf_write_options *options);

/* The same by callbacks, in order of the file's bytes unless `seek` is there; options name the
 * format. */
SATF_API satf_status satf_image_write_to(satf_context *ctx, const satf_image *image,
                                         const satf_file_calls *to,
                                         const satf_write_options *options);

/* The same into memory: *data becomes the file's bytes, *bytes their number. options name the
 * format. *data is the caller's, to be freed with satf_buffer_free(); NULL on failure. */
SATF_API satf_status satf_image_encode(satf_context *ctx, const satf_image *image,
                                       const satf_write_options *options, void **data,
                                       size_t *bytes);

/* NULL is allowed. */
SATF_API void satf_buffer_free(void *data);

/*
 * A file of several pages. Of one that is read, pages may be read in any order; of a GIF or a
 * WebP it is quickest from the first to the last. One that is written appears as
 * satf_image_write() has it, whole, with satf_image_file_finish().
 */
typedef struct satf_image_file satf_image_file;

/* Opens a file to read pages; "-" is standard input. */
SATF_API satf_status satf_image_file_open(satf_context *ctx, const char *path,
                                          satf_image_file **out);

SATF_API satf_status satf_image_file_open_from(satf_context *ctx, const satf_file_calls *from,
                                               satf_image_file **out);

/* How many pages a file that is read holds, or have been appended to one that is written. */
SATF_API int64_t satf_image_file_pages(const satf_image_file *file);

/* Reads that page, from 1 on. A page that fails costs the others nothing. */
SATF_API satf_status satf_image_file_read(satf_context *ctx, satf_image_file *file, int64_t page,
                                          satf_image **out);

/* Begins a file of so many pages, 0: that is not known, which .npy must. options may be NULL; a
 * range that is found (auto_range) is found for each page. */
SATF_API satf_status satf_image_file_create(satf_context *ctx, const char *path, int64_t pages,
                                            const satf_write_options *options,
                                            satf_image_file **out);

/* The same by callbacks; options name the format. */
SATF_API satf_status satf_image_file_create_to(satf_context *ctx, const satf_file_calls *to,
                                               int64_t pages, const satf_write_options *options,
                                               satf_image_file **out);

/* Another page. After a failure the file can only be closed. */
SATF_API satf_status satf_image_file_append(satf_context *ctx, satf_image_file *file,
                                            const satf_image *image);

/* The file is complete: it takes the place that its path names. */
SATF_API satf_status satf_image_file_finish(satf_context *ctx, satf_image_file *file);

/* Frees it; one that has not been finished leaves no trace. NULL is allowed. */
SATF_API void satf_image_file_close(satf_image_file *file);

/* What a file says about itself before its pixels are decoded, or an image. */
typedef struct satf_image_info {
    satf_view view;     /* of the image that reading it makes; data NULL */
    const char *format; /* its name; static storage */
    int64_t pictures;   /* that it holds, as far as its beginning tells; -1: more than one */
    int64_t pages;      /* of these, that can be read one by one; 1 where the first alone can */
    int has_range;      /* lo and hi are black and white; 0 for floats */
    double lo, hi;
    int orientation;  /* of EXIF, 1 ... 8; 1: as stored, or it says nothing */
    size_t icc_bytes; /* of these, 0: there is none */
    size_t exif_bytes;
    size_t xmp_bytes;
    int damaged; /* non-zero: its file had damage that could be read past, so it may look wrong; of
                  * a file, as far as its beginning tells */
} satf_image_info;

/* Looks at a file; "-" is standard input, of which the beginning is gone then. Fills *info (bytes:
 * its size) as far as it reaches; zeros on failure. */
SATF_API satf_status satf_image_probe(satf_context *ctx, const char *path, satf_image_info *info,
                                      size_t bytes);

SATF_API satf_status satf_image_probe_from(satf_context *ctx, const satf_file_calls *from,
                                           satf_image_info *info, size_t bytes);

/* The same of an image in memory: its view with data, its range, its orientation and the sizes of
 * its metadata; format is NULL, pictures and pages are 1. Zeros for NULL. */
SATF_API void satf_image_describe(const satf_image *image, satf_image_info *info, size_t bytes);

/* A file format. Static storage. */
typedef struct satf_format_info {
    const char *name;     /* "png" */
    const char *suffixes; /* "jpg jpeg jpe", blank-separated, lower case, the usual one first */
    const char *help;     /* a line */
    int can_read, can_write;
    int holds_pages;          /* a file that is written may have several */
    int holds_pictures;       /* 0: plain values alone can be written */
    const char *compressions; /* that can be chosen, blank-separated; NULL: there is no choice */
    int for_strangers; /* its decoder has withstood long fuzzing: read unless a context says else */
} satf_format_info;

/* The formats: index 0, 1, ... until NULL; else the format's name, and *info (may be NULL; bytes:
 * its size) is filled as far as it reaches. */
SATF_API const char *satf_format(size_t index, satf_format_info *info, size_t bytes);

/* The same of the format that has this name or this suffix ("png", "jpg"), or NULL. */
SATF_API const char *satf_format_find(const char *word, satf_format_info *info, size_t bytes);

/* The same of the format that the path's suffix names, or NULL. */
SATF_API const char *satf_format_of_path(const char *path, satf_format_info *info, size_t bytes);

/* The same of the format that a file has which begins with these bytes, or NULL; 64 of them are
 * enough, or as many as there are. Nothing is checked behind the format's mark. TGA has no mark:
 * what may be TGA, and no other format, is taken for it. */
SATF_API const char *satf_format_of_bytes(const void *data, size_t data_bytes,
                                          satf_format_info *info, size_t bytes);

/* Why files of that format (a word as above) cannot be read or written here, such as a library that
 * is not installed; NULL: they can, or there is no such format. Looks once in a process. Static
 * storage. */
SATF_API const char *satf_format_missing(const char *word);

/* SATF_OK if files of the format (a word as above) can hold samples of that type; else
 * SATF_UNSUPPORTED, and the message names formats that can. */
SATF_API satf_status satf_format_check_type(satf_context *ctx, const char *format, int type);

/* --------------------------------------------------------- files to files */

/* How a picture goes through. */
typedef enum satf_route {
    SATF_ROUTE_AUTO,
    SATF_ROUTE_WHOLE, /* as whole images, even where rows would do */
    SATF_ROUTE_ROWS   /* by rows, or it is an error that says why not */
} satf_route;

/*
 * A page of several has been filtered, or has failed: status, with the sentence why, else "". Pages
 * are told of in their order, from the calling thread; those of several inputs by their numbers
 * among all that were asked for, from 1 on. Non-zero stops the call; else it goes on,
 * and the output lacks a page that has failed. A call of which all pages fail fails. report_bytes:
 * of the report that are there, by the library's header.
 */
struct satf_file_report;
typedef int (*satf_page_done)(void *user, int64_t page, satf_status status, const char *why,
                              const struct satf_file_report *report, size_t report_bytes);

typedef struct satf_file_options {
    size_t bytes;                    /* of this struct, by satf_file_options_init() */
    const satf_write_options *write; /* NULL: the defaults */
    satf_route route;
    int input_format; /* non-zero: without a format in write, "-" gets the input's, if that can be
                       * written */
    int64_t files;    /* about how many like this one, itself included, this process filters:
                       * SATF_DEVICE_AUTO shares the start of a device out among them; 0: one */
    /* Pages, from 1 on: of first_page 0 all where the output's format holds pages, else the first.
     * last_page below 0 is the input's last; 0 is first_page. */
    int64_t first_page, last_page;
    satf_page_done page_done; /* NULL: a page that fails fails the call */
    void *page_user;
    int stats; /* non-zero: find the report's stats; of several pages, those of each in its own */
    /*
     * This part of the picture alone is filtered, of each page; NULL: all of it. Inside it the
     * result is that of the whole picture, to the bit for integers, for which the pixels around it
     * are seen (satf_filter_apply_rect()); outside it the samples are the input's. In pixels as
     * they are stored, whatever EXIF's orientation says. SATF_INVALID if it is empty or leaves the
     * picture, or if the filter's result has another size, type, full scale or number of channels
     * than its input, or is black and white.
     */
    const satf_rect *region;
    /* Unless NULL, the input is read (the output written) by these. Its path is a name for reports,
     * and has a suffix to go by. Both may be streamed as files are; border wrap needs `seek`. What
     * comes out of order, such as the directory of a TIFF, waits in a temporary file. */
    const satf_file_calls *input_calls, *output_calls;
    /* Above 0: the resolution in pixels per inch of an input that names none, for windows that are
     * lengths and for the output. One that names a resolution keeps it, with a note where they
     * differ. Where only the ratio of the sides is known it stays, and this one is x's. */
    double dpi;
    /* Further inputs, so many paths: their pages follow those of the first one in the output, whose
     * format holds pages. Each gives all of its pages, or first_page to last_page of its own. None
     * is standard input, and there are no input_calls. An input that cannot be read is a page that
     * fails. The report's in_bytes are those of all. */
    const char *const *more_inputs;
    size_t more_count;
    /*
     * The result is blended with the input: it stays where a sample of the mask is 0, becomes the
     * filters' where it is the mask's full scale, and what lies between is between
     * (docs/formats.md, "A mask"). NULL: there is no mask. A view on the host with the sides of
     * each page, of u8, u16, f32 or f64; RGB counts as grey, alpha does not count. With a region it
     * blends the inside alone. What holds for a region's filters and its orientation holds here
     * too.
     */
    const satf_view *mask;
    /* Non-zero: the chain works in linear light, for filters that mix the light of pixels:
     * linearize stands in front of it, and delinearize behind, with the curve that the input's
     * colour profile, sRGB or gAMA chunk says; sRGB's where it says nothing. The result has the
     * input's type. SATF_UNSUPPORTED: it says another curve than sRGB's or a power, or a filter's
     * result is no picture of colours (variance, threshold), or it takes another picture. */
    int linear;
    /* Pixels of the value that a TIFF's tag GDAL_NODATA names do not count, as if
     * satf_filter_set_missing() had named it, unless that has named another, or pixels are colours
     * of unsigned integers; a note says so. A tag of "nan" omits what is no number. Non-zero: the
     * tag is kept, but they count. */
    int ignore_nodata;
} satf_file_options;

SATF_API void satf_file_options_init(satf_file_options *options, size_t bytes);

/* Milliseconds that each stage was busy, that the call waited for threads and memory which other
 * contexts held, and of the whole by the clock, waiting included. */
typedef struct satf_file_times {
    double decode_ms, compute_ms, encode_ms, waited_ms, total_ms;
} satf_file_times;

#define SATF_FILE_NOTES 8

/* What a user should know of a call that went well, such as pictures that were left out. */
typedef struct satf_file_note {
    const char *at; /* the input or the output, as given */
    char text[256]; /* as a message: a sentence without a final stop */
} satf_file_note;

/* The filters of the chain, or the steps of one that has several (guided), in their order. */
typedef struct satf_file_steps satf_file_steps;

/* The name of the filter of step `index`, NULL behind the last; *used (bytes: its size; may be
 * NULL): what it ran on. steps may be NULL: there are none. Static storage. */
SATF_API const char *satf_file_step(const satf_file_steps *steps, size_t index, satf_used *used,
                                    size_t bytes);

/* The finite samples of a channel, as they are before they become those of a picture: a deviation's
 * are doubles, whatever the file has. Of u8 and u16 they come from exact sums; of other types from
 * sums with twice a double's digits, of what a sample is above the first one, as a double.
 * Transparent pixels count like others. */
typedef struct satf_channel_stats {
    int64_t samples; /* finite ones; 0: what follows is 0 */
    double least, greatest, mean, deviation;
} satf_channel_stats;

typedef struct satf_file_report {
    satf_file_times times;
    int64_t in_bytes;                        /* the input's size, 0 of pipes */
    int64_t out_bytes;                       /* that were written */
    satf_view in, out;                       /* of the files' samples, data NULL */
    const char *engine, *algorithm, *device; /* of the last step, as in satf_used */
    const char *in_format, *out_format;      /* names; static storage */
    char why_cpu[256]; /* why the automatic choice is not a CUDA device; "" if it is. One
                        * that has failed is told of in a note instead */
    int streamed;      /* the stages ran side by side */
    satf_file_note notes[SATF_FILE_NOTES];
    int note_count;
    int range_found; /* by auto_range: what became black and white */
    double range_lo, range_hi;
    const char *at; /* on failure: the input or the output, whichever the message is about */
    /* NULL on failure, and of a page that is told of. They are the context's, until it filters
     * another file or is destroyed. */
    const satf_file_steps *steps;
    int64_t pages; /* that the output holds; in, out, steps and engine are those of the first. 0:
                    * on failure */
    int64_t pages_failed;                        /* that it lacks */
    satf_channel_stats stats[SATF_MAX_CHANNELS]; /* of the result, if they were asked for */
    int stats_channels;                          /* that it has; 0: none were */
    int no_space; /* on failure: the output did not fit on its disk or into the user's quota */
    int damaged; /* non-zero: the input, or one of its pages, has damage that could be read past, as
                  * a note says; the result is written and may look wrong */
    /* Of a page that is told of: its file, and its number there, from 1 on; 0: the file has no
     * other. */
    const char *input;
    int64_t input_page;
} satf_file_report;

/*
 * Filters a file into a file; "-" is standard input or output. The output appears whole or not at
 * all, and may be the input. Pages of one file are filtered side by side on the context's threads,
 * and stand in the output in their order. Chains of filters that work by rows are streamed where
 * the input comes by rows: decoding, filters and encoding run side by side, in memory for a few
 * rows of each window; everything else holds whole images. Both give the same bytes. What the
 * input's header shows to be impossible fails before anything is decoded, and so does black and
 * white into a JPEG, which blurs it, unless a type or a range asks for grey. Results whose values
 * are no colours, such as variances, carry no colour profile, which satf_filter_image() leaves to
 * its caller.
 *
 * options may be NULL. *report (may be NULL; report_bytes: its size) is filled as far as it
 * reaches, on failure too. A type in the write options is the one that the file's samples have:
 * the result is rounded once, to it.
 */
SATF_API satf_status satf_filter_file(satf_context *ctx, const satf_filter *filter,
                                      const char *input, const char *output,
                                      const satf_file_options *options, satf_file_report *report,
                                      size_t report_bytes);

/* Removes the temporary files of all calls of this process, and lets no call create another; for
 * handlers of signals that end it (async-signal-safe). */
SATF_API void satf_files_cleanup(void);

/* Removes what processes that were killed have left of their temporary files in the folder of that
 * output: files of such a name that are this user's (root: anybody's) and that no process holds. */
SATF_API void satf_files_sweep(const char *output);

/* Non-zero if the path is this process's standard output: "-", or another name of the same pipe,
 * terminal or file. */
SATF_API int satf_is_stdout(const char *path);

#ifdef __cplusplus
}
#endif
#endif
