/*
 * satfilter.h - image filters on summed area tables (integral images).
 *
 * What a program includes; C99 and C++ clean. Filters are declared in satfilter-filters.h, images,
 * formats and files in satfilter-images.h, pictures that come row by row in satfilter-rows.h; this
 * header includes them. satfilter-expert.h has what few need: engines, algorithms, permutations.
 *
 * Conventions
 *   - Every call that can fail returns a satf_status; satf_message() then says
 *     in one sentence what went wrong. Outputs are untouched on failure, but
 *     for SATF_CANCELLED, for stacks, some of whose images may be done, and for a
 *     CUDA device that fails while its results arrive on the host: what they hold
 *     is undefined then.
 *   - A satf_view never owns memory. Strides are in bytes, sizes are 64-bit.
 *   - Contexts are independent of one another; one context serves one thread
 *     at a time. Filters, images, files of pages and permutations are not bound to
 *     the context that they were made with: any other may use them, and they may be
 *     destroyed after it. Plans and rows are bound to theirs, which has their
 *     messages; they go before it.
 *   - A filter, an image or a permutation that a call takes as const may be used by
 *     other threads meanwhile. Calls that take no object, such as satf_filter_find(),
 *     may be made by any thread at any time.
 *   - After fork() the child may use the library, contexts of the parent too,
 *     as long as the parent has opened no CUDA device.
 *   - Pixels of several channels are interleaved.
 *
 * Numbers
 *   - A summed area table (SAT) is inclusive: b[i][j] is the sum of a[i'][j']
 *     over i' <= i and j' <= j, of the same width, height and channels as a.
 *   - Integer samples are summed modulo 2^32 or 2^64, floats in double.
 *   - A window of w x h at (x, y) covers the columns x - w/2 ... x - w/2 + w - 1
 *     (integer division) and the rows likewise.
 *   - The mean of integers is rounded to nearest, halves up, also between the filters of a chain:
 *     each result has its filter's type. Images of f64 keep what is behind the point.
 *   - The variance is the population variance and never negative.
 *   - Sums of floats over a w x h window are off by at most (w + h) 2^-53 times
 *     the sum of the magnitudes in the window by the window engine. By the SAT
 *     engine they are off by at most 4 (W + H + 12) 2^-53 times the sum of the
 *     magnitudes in the whole image of W x H pixels where the window lies inside
 *     the image; elsewhere (2 w + 7) (2 h + 7) takes the place of 4, and with the
 *     algorithm 4r1w 4 W H that of W + H.
 *   - The variance V of floats is formed from S and S2, the sum of squares, of
 *     what samples are above a shift p. By the window engine p is a sample of
 *     the window; V is off by at most (3 h + 18 l + 40) 2^-53 R^2 on the CPU and
 *     (4 (w + h) + 13) 2^-53 R^2 on a device, R being the range of the window's
 *     samples and l the bits of w. So an offset that samples share costs nothing.
 *     The SAT engine has one p for a channel of the image.
 *     Samples must be below 2^511 / (w h) in magnitude; beyond that results may
 *     be infinite or NaN.
 *   - Otherwise a result is infinite or NaN only where the window holds such a
 *     sample, or where the sum of its magnitudes overflows.
 *     docs/numbers.md, "Floats", has all bounds.
 */
#ifndef SATFILTER_H
#define SATFILTER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef SATF_API
#define SATF_API
#endif

/* ------------------------------------------------------------------ status */

typedef enum satf_status {
    SATF_OK = 0,
    SATF_INVALID,       /* an argument is out of its documented range */
    SATF_NO_MEMORY,     /* host or device memory is exhausted */
    SATF_LIMIT,         /* a limit of the context (satf_limit, formats) refused it */
    SATF_UNSUPPORTED,   /* valid, but not available in this combination */
    SATF_DATA,          /* a file's content is damaged or contradictory */
    SATF_IO,            /* reading or writing failed */
    SATF_NO_DEVICE,     /* no usable CUDA device */
    SATF_DEVICE_FAILED, /* a CUDA call failed */
    SATF_CANCELLED      /* the progress callback asked to stop */
} satf_status;

/* The name of a status, "SATF_OK" and so on. Static storage. */
SATF_API const char *satf_status_name(satf_status status);

/* Of this header; satf_version() tells of the library that is running. */
#define SATF_VERSION_MAJOR 0
#define SATF_VERSION_MINOR 1
#define SATF_VERSION_PATCH 0
#define SATF_VERSION (SATF_VERSION_MAJOR * 10000 + SATF_VERSION_MINOR * 100 + SATF_VERSION_PATCH)

/* "major.minor.patch" of the library that is running. Static storage. */
SATF_API const char *satf_version(void);

/* The instruction sets of the CPU that can be used here, slowest first: index 0, 1, ... until NULL.
 * The last one is; SATFILTER_CPU=NAME in the environment of a process that loads the library keeps
 * it from those behind NAME. Integer results are the same bits by all of them. Static storage. */
SATF_API const char *satf_instructions(size_t index);

/* ------------------------------------------------------------ sample types */

/*
 * Filters take all of them. Integers with a sign are exact: those of 8 and 16 bits everywhere,
 * where results end at -M - 1 ... M, M being the full scale; sums of them have a sign, too.
 * Integers of 32 and 64 bits are computed as doubles; a filter whose sums may pass 2^53 refuses
 * them. Half floats, of IEEE and of "brain" kind, are computed as floats and rounded once, to even.
 */
typedef enum satf_type {
    SATF_U8,
    SATF_U16,
    SATF_U32,
    SATF_U64,
    SATF_F32,
    SATF_F64,
    SATF_I8,
    SATF_I16,
    SATF_I32,
    SATF_I64,
    SATF_F16,
    SATF_BF16
} satf_type;

#define SATF_TYPE_AUTO (-1) /* where a call may choose the type itself */
#define SATF_MAX_CHANNELS 4

/* Bytes of one sample; 0 if type is none of these. */
SATF_API size_t satf_type_bytes(int type);

/* "u8" ... "bf16"; NULL if type is none of these. Static storage. */
SATF_API const char *satf_type_name(int type);

/* The type of that name, or -1. */
SATF_API int satf_type_find(const char *name);

/* ------------------------------------------------------------------- views */

/* Devices, wherever a device has a number. A struct of zeros is on the host. */
#define SATF_HOST 0            /* host memory, and the CPU */
#define SATF_CUDA(n) ((n) + 1) /* CUDA device n, as CUDA counts: from 0 */

#define SATF_ALPHA 0x1u /* satf_view.flags: the last channel is straight alpha */

/*
 * A rectangle of pixels in memory that somebody else owns.
 * data points at the first sample of row 0. Row y starts at data + y * stride, its pixel x is
 * x * pixel_stride bytes further on; |stride| is at least the bytes from a row's first sample to
 * its last; a negative stride stores the picture bottom up. A pixel stride makes a view of some of
 * the channels of an image, such as green of RGB: filters take it, satf_sat() and satf_rect_sums()
 * want packed pixels. Neither data nor stride need any alignment; summed area tables on
 * CUDA devices are fastest where both are multiples of 16 bytes and the stride is positive.
 */
typedef struct satf_view {
    void *data;
    int64_t width, height; /* pixels, each >= 1 */
    int64_t stride;        /* bytes from a row to the next */
    int32_t channels;      /* 1 ... SATF_MAX_CHANNELS, interleaved */
    int32_t type;          /* satf_type */
    int32_t device;        /* SATF_HOST, or the SATF_CUDA(n) that owns data */
    uint32_t flags;        /* 0 or SATF_ALPHA */
    int64_t pixel_stride;  /* bytes from a pixel to the next, at least a pixel's; 0: packed */
    double full;           /* the full scale: the sample that is white. 0: the type's largest, 1 of
                            * floats. Of integers an integer; no sample is above it */
} satf_view;

/* A host view of densely packed rows. Only fills the struct; checks nothing. */
SATF_API satf_view satf_view_packed(void *data, int64_t width, int64_t height, int32_t channels,
                                    satf_type type);

/* Columns x ... x + w - 1 and rows y ... y + h - 1. */
typedef struct satf_rect {
    int64_t x, y, w, h;
} satf_rect;

/* That part of a view, in the same memory. A view of zeros, which every call refuses, where the
 * rectangle is empty or leaves the view. */
SATF_API satf_view satf_view_rect(const satf_view *view, satf_rect rect);

/* ---------------------------------------------------------------- contexts */

typedef struct satf_context satf_context;

/* Creates a context on the CPU and all its cores; touches no GPU.
 * *out is NULL on failure (SATF_NO_MEMORY). */
SATF_API satf_status satf_context_create(satf_context **out);

/*
 * Creates a context for another thread, with the settings of ctx. Calls of satf_filter_file() with
 * the two, and with others created beside either, share threads and memory: they work on as many
 * threads at a time as ctx has when the first is created, and hold as much memory as its limit is.
 * A file waits until what it needs fits beside the others, and one that needs more than the limit
 * leaves runs alone. Results are the same bits. With n threads, n contexts keep all of them busy;
 * n + 2 where files are computed on a CUDA device, on which two are worked on at a time.
 * After fork() the child may not use them. Other calls share nothing. *out is NULL on failure
 * (SATF_NO_MEMORY). Contexts may be destroyed in any order; each is the caller's.
 */
SATF_API satf_status satf_context_share(satf_context *ctx, satf_context **out);

/* Frees the context and what it holds; NULL is allowed. */
SATF_API void satf_context_destroy(satf_context *ctx);

/* The message of the latest call that failed; "" if none. Owned by ctx, valid
 * until its next call. NULL gives the message for a missing context. What it quotes from outside,
 * such as a spec or a file's name, is escaped as satf_text_escape() does; so are notes. */
SATF_API const char *satf_message(const satf_context *ctx);

/*
 * Text from outside, such as a file's name, as messages quote it: one line, UTF-8, nothing that a
 * terminal obeys. Line feed, carriage return and tab become \n, \r and \t; other control
 * characters below 0x80, and bytes that are no UTF-8, \x1b; controls from U+0080 on, what turns the
 * direction of writing (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), and U+2028 and
 * U+2029 \u202e. A backslash stays, so escaped text stays as it is. Writes at most bytes - 1 bytes,
 * whole characters and escapes, and a zero; bytes = 0: nothing. Returns the bytes of it all,
 * without the zero. NULL counts as "".
 */
SATF_API size_t satf_text_escape(const char *text, char *to, size_t bytes);

#define SATF_DEVICE_AUTO (-1)

/*
 * What computes images on the host: SATF_HOST, the CPU, which is the default; SATF_CUDA(n), where
 * calls copy them to and the result back, and return when it is there; or SATF_DEVICE_AUTO.
 * SATF_NO_DEVICE if that CUDA device cannot be used.
 * SATF_DEVICE_AUTO takes for each filter, chain or file the faster of the CPU and CUDA device 0, by
 * an estimate that counts the copies and, once, the start of CUDA; no driver is touched while that
 * says CPU. The estimate goes by constants: where the two are within five times of one another,
 * the slower one may be taken. Integers have the same bits on both, floats may differ, within
 * their error bounds.
 * Where the device cannot be used, fails or runs out of memory the CPU computes; a plan is the
 * CPU's from then on. One that has failed at work is not taken again until this is called.
 * satf_sat() always takes the CPU: the copies alone would cost more than the table.
 * Images on a CUDA device are computed there, whatever this says.
 */
SATF_API satf_status satf_context_set_device(satf_context *ctx, int device);

/* How many CUDA devices there are: SATF_CUDA(0) and the next. Some may be of no use:
 * satf_context_set_device() says which. */
SATF_API int satf_device_count(void);

typedef struct satf_device_info {
    char name[256];       /* as its maker writes it */
    int64_t memory_bytes; /* of the device, used or free */
    char note[256]; /* a sentence without a final stop on what its first use will take long for,
                     * or "" */
} satf_device_info;

/* What is known of SATF_CUDA(n) before it is used; bytes is sizeof *info. SATF_NO_DEVICE if it
 * cannot be used. */
SATF_API satf_status satf_device_describe(satf_context *ctx, int device, satf_device_info *info,
                                          size_t bytes);

/* Threads of the CPU to use: 1 ... 1024, or 0 for one per core that the process
 * may run on at the time of this call (default: when the context is created).
 * Scratch sizes depend on it. A context that goes through fork() starts threads
 * of its own in the child. */
SATF_API satf_status satf_context_set_threads(satf_context *ctx, int threads);

/* The CUDA stream (a cudaStream_t) to enqueue on; NULL is CUDA's default stream, as
 * everywhere in CUDA. Before the first such call a context enqueues on a stream of its
 * own, which waits for no other stream. The caller keeps owning it. A call with CUDA memory
 * returns when its work is enqueued; the thread's current CUDA context is what it was. The
 * stream may be captured into a graph.
 * What it enqueues waits for what is on the stream before; if that ends in kernels
 * which the caller launched as programmatic dependents, these have to wait as well. */
SATF_API satf_status satf_context_set_stream(satf_context *ctx, void *stream);

/* Back to the stream of its own. */
SATF_API satf_status satf_context_use_own_stream(satf_context *ctx);

/* *stream = the one that work on that device, a SATF_CUDA(n), is enqueued on, as a cudaStream_t.
 * One of the context's own is valid until the context is destroyed, used with another device or, if
 * there are contexts beside it, for a file. */
SATF_API satf_status satf_context_get_stream(satf_context *ctx, int device, void **stream);

/* Waits until all that the context has enqueued is done; errors of it turn up here. */
SATF_API satf_status satf_context_synchronize(satf_context *ctx);

/* What an image or a file may demand before it is refused with SATF_LIMIT, in a message
 * that names the limit. A file's demands are looked at before memory is taken for them. */
typedef enum satf_limit {
    SATF_LIMIT_PIXELS,   /* pixels of an image that is read from a file; default 2^31 */
    SATF_LIMIT_MEMORY,   /* bytes that a call takes at its peak: what satf_filter_file(), a call on
                          * images, satf_filter_apply() or _render() allocates and what the context
                          * has kept, with up to 4 MiB more for buffers. Images that are handed in,
                          * or have been handed out, do not count, nor do stacks of threads and
                          * memory of drivers. Plans and rows that a program makes are bounded one
                          * by one. Default: three quarters of the machine's memory */
    SATF_LIMIT_METADATA, /* bytes of a PNG, JPEG, TIFF or WebP that are no pixels, packed and
                          * unpacked; default 2^26 */
    SATF_LIMIT_SCANS,    /* scans of a progressive JPEG, each of which costs a pass; default 500 */
    SATF_LIMIT_RATIO, /* size of a compressed picture's samples over that of its file, where that is
                       * known beforehand; default 1100, which every real file keeps */
    SATF_LIMIT_DEVICE_MEMORY /* bytes of a CUDA device's memory that a filter or chain takes beside
                              * the caller's images there. Of images on the host a device then
                              * computes parts that fit, one after the other. Default: what the
                              * environment variable SATFILTER_MAX_DEVICE_MEMORY says, else all that
                              * is free */
} satf_limit;

/* Sets a limit; 0 means the default. Under a lower SATF_LIMIT_MEMORY what is kept goes. */
SATF_API satf_status satf_context_set_limit(satf_context *ctx, satf_limit limit, int64_t value);

/*
 * The formats that may be read, by the names of satf_format() between commas or blanks
 * ("png,jpeg"); "all" for all of them. NULL: the default, those whose decoders are fit
 * for files of strangers: satf_format_info.for_strangers says which. Files of other formats are
 * refused with SATF_LIMIT. What is written is not restricted.
 */
SATF_API satf_status satf_context_set_formats(satf_context *ctx, const char *names);

/* What the dimensions of a .npy array are, from the first on: "YX", "YXC", "ZYX", "TZYXC" ... The
 * last are rows, columns and, if that letter is there, channels; all letters in front number pages.
 * NULL, the default: an array of three dimensions is YXC, and one of more ends in YXC if its last
 * dimension is 1 to 4, else in YX. So are arrays that filters name (guided's guide, by's FILE) by
 * any setting. */
SATF_API satf_status satf_context_set_axes(satf_context *ctx, const char *axes);

/* Non-zero: pictures are turned as they are read, by the orientation that their EXIF or their TIFF
 * names, so that they lie as viewers show them. Widths, heights, regions and resolutions are those
 * of the upright picture, and what is kept of its metadata names orientation 1. It holds for all
 * that this context reads: images, files that are filtered, and those that filters name. Zero, the
 * default: pixels stay as they are stored, and the orientation with them. SATF_INVALID without a
 * context. */
SATF_API satf_status satf_context_set_auto_orient(satf_context *ctx, int on);

/* Zero: texts of filters may not name files ("template=FILE"), which are then refused with
 * SATF_LIMIT; for services that take filters from strangers. Non-zero, the default: they may. */
SATF_API satf_status satf_context_set_filter_files(satf_context *ctx, int allowed);

/* Memory that SAT and filter calls use instead of allocating their own; at
 * least what satf_sat_scratch() or satf_filter_scratch() reports. Stays the
 * caller's; NULL, 0 goes back to allocating. Memory of the device that the
 * calls' views are on; not used for host views that are computed on a CUDA device. Under
 * SATF_DEVICE_AUTO what is reported for host views is what the CPU wants. */
SATF_API satf_status satf_context_set_scratch(satf_context *ctx, void *memory, size_t bytes);

/* What the latest filter call used, or a step of a plan or of a file. Static storage. */
typedef struct satf_used {
    const char *engine;    /* "window", "pixel", "sat", "move", "permute"; NULL: no call yet */
    const char *algorithm; /* of the summed area table or the permutation, or NULL */
    const char *device;    /* "cpu", "cuda" */
    /* Of steps, 0 of calls: */
    const char *filter; /* its name */
    double ms;          /* that it took, 0 of a plan's; negative: not known, on a CUDA device */
    int64_t window_width, window_height; /* of it in pixels; 0: it has none */
} satf_used;

/* Fills *used (bytes: its size) as far as it reaches. */
SATF_API void satf_context_used(const satf_context *ctx, satf_used *used, size_t bytes);

/* Threads of the CPU that the context uses. */
SATF_API int satf_context_get_threads(const satf_context *ctx);

/*
 * An allocator of the program's for memory of CUDA devices, such as a framework's caching one.
 * alloc() returns `bytes` of memory, aligned to 256 bytes, of the device that is the thread's
 * current one, for work on `stream` (a cudaStream_t); NULL: it has no more. free() gets it back,
 * with the bytes that were asked for: what was enqueued on the stream before may still use it. Both
 * are called on the thread that uses the context, and must not use the context.
 */
typedef void *(*satf_alloc_memory)(void *user, size_t bytes, void *stream);
typedef void (*satf_free_memory)(void *user, void *memory, size_t bytes, void *stream);

/*
 * From now on what this context takes of a CUDA device for its calls and plans comes from alloc():
 * scratch, and images on their way. NULL, NULL: from a pool of its own again. What the context
 * keeps goes back at once, to what it was taken from, that of a plan when that is destroyed. Memory
 * of a graph that is captured is the graph's own, and a prepared permutation has the driver's.
 * SATF_LIMIT_DEVICE_MEMORY holds as ever. Contexts beside it have their own allocator, or none.
 */
SATF_API satf_status satf_context_set_allocator(satf_context *ctx, satf_alloc_memory alloc,
                                                satf_free_memory free, void *user);

/* Called now and then on the calling thread, also where nothing has advanced: then done rises by as
 * little as a double can. done rises from call to call, from 0 to the 1 that says that satf_sat(),
 * satf_filter_apply(), or a call on images or files is complete. A non-zero return cancels the work
 * (SATF_CANCELLED): there is no further call, and the contents of out are undefined then.
 * satf_plan_create() asks as well, and has no 1. How soon calls stop: see satfilter-images.h. */
typedef int (*satf_progress)(void *user, double done);
SATF_API satf_status satf_context_set_progress(satf_context *ctx, satf_progress call, void *user);

/* --------------------------------------------------------------------- SAT */

#define SATF_SQUARED 0x1u /* sum squares of the samples instead */

/*
 * out = the summed area table of in.
 *
 * in:  u8, u16, f32 or f64; out: the same width, height and channels, of type
 *      u32 or u64 for integers, f64 (or, for f32, f32 too) for floats.
 * Integer sums are taken modulo 2^32 or 2^64; satf_sat_type() gives the type
 * that never wraps. Alpha is a channel like the others.
 * f32 sums are f64 sums rounded once on output. On a CUDA device that holds for
 * algorithm 4r1w; 2r2w and 4r4w round after each of their passes, and the others
 * form sums within a block of at most 128 x 128 pixels in f32, those between blocks
 * in f64. All these are off by at most 2^-18 times the sum of the magnitudes. f64
 * sums are off by at most (W + H) 2^-53 times the sum of the magnitudes that they
 * are of (algorithm 4r1w: 4 W H 2^-53) or, on a CUDA device, (W + H) 2^-1074 where
 * that is more. What is infinite or NaN, or overflows f64 (where sums are formed in
 * f32, that), is followed by infinities or NaN to the right of it and below.
 */
SATF_API satf_status satf_sat(satf_context *ctx, const satf_view *in, const satf_view *out,
                              unsigned flags);

/* Bytes of scratch that satf_sat() wants for these views (their data may be NULL). */
SATF_API satf_status satf_sat_scratch(satf_context *ctx, const satf_view *in, const satf_view *out,
                                      unsigned flags, size_t *bytes);

/* The smallest of u32, u64 that holds the largest possible sum of the whole
 * image; f64 for floats. SATF_LIMIT if even u64 could wrap. */
SATF_API satf_status satf_sat_type(satf_context *ctx, const satf_view *in, unsigned flags,
                                   satf_type *type);

/*
 * Sums over rectangles of the image whose SAT is given (host memory), each moved by dx to the right
 * and dy down, for lists that are used at many places, such as a classifier's features:
 * sums[k * channels + c] = sum over rects[k] of channel c, in the SAT's type.
 * Each rectangle must have w, h >= 1 and, moved, lie inside the image. Integer sums
 * are exact while the rectangle's own sum fits the type, wrapped SAT or not;
 * those of floats are off by up to four times what the table's are.
 */
SATF_API satf_status satf_rect_sums(satf_context *ctx, const satf_view *sat, const satf_rect *rects,
                                    size_t count, int64_t dx, int64_t dy, void *sums);

/*
 * Mean and population variance over the same rectangles, moved likewise, from the table of an image
 * and that of its squares (SATF_SQUARED), which have one shape: u32 or u64 each, or f32 or f64
 * each. mean[k * channels + c] and variance[k * channels + c] are those of channel c over rects[k].
 * Of integers the sums are exact, while both fit their type, and the results rounded as those of
 * the filters; of floats the variance is of differences of sums, without a shift.
 */
SATF_API satf_status satf_rect_stats(satf_context *ctx, const satf_view *sat,
                                     const satf_view *squares, const satf_rect *rects, size_t count,
                                     int64_t dx, int64_t dy, double *mean, double *variance);

#ifdef __cplusplus
}
#endif

#include "satfilter-filters.h"
#include "satfilter-images.h"
#include "satfilter-rows.h"

#endif
