/*
 * satfilter-filters.h - filters, plans of them, and what there is of both.
 *
 * A part of satfilter.h, which includes it and has the conventions.
 */
/* In front of the guard: whichever header comes first, satfilter.h has them in its own order. */
#include "satfilter.h"

#ifndef SATFILTER_FILTERS_H
#define SATFILTER_FILTERS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------- filters */

typedef enum satf_border {
    SATF_BORDER_CLAMP,    /* the edge pixel goes on:     aaa|abcd|ddd */
    SATF_BORDER_MIRROR,   /* edge pixel not repeated:    dcb|abcd|cba */
    SATF_BORDER_REFLECT,  /* edge pixel repeated:        cba|abcd|dcb */
    SATF_BORDER_WRAP,     /* periodic:                   bcd|abcd|abc */
    SATF_BORDER_CONSTANT, /* a value:                    VVV|abcd|VVV */
    SATF_BORDER_SHRINK,   /* only the part inside counts              */
    SATF_BORDER_VALID     /* nothing: the result loses all pixels whose window is not inside */
} satf_border;

/* "clamp" ... "valid"; NULL if border is none of the seven. Static storage. */
SATF_API const char *satf_border_name(int border);

/* Reads "clamp", "constant:7" and so on; *constant becomes 0 for other borders. */
SATF_API satf_status satf_border_parse(satf_context *ctx, const char *text, satf_border *border,
                                       double *constant);

/* A term of a template: weight times the sum over the rectangle whose upper
 * left pixel lies (x, y) away from the pixel being computed. */
typedef struct satf_weighted_rect {
    satf_rect rect;
    double weight;
} satf_weighted_rect;

/* One filter or a chain of filters, with their parameters. Immutable while
 * applied, so several contexts may share it. */
typedef struct satf_filter satf_filter;

#define SATF_MAX_FILTERS 1000          /* of a chain */
#define SATF_MAX_FILTER_TEXT (1 << 20) /* bytes that satf_filter_parse() reads */

/*
 * Parses "NAME[=VALUE][,PARAM=VALUE]..." filters separated by blanks, the
 * grammar of the command line: "box=15", "box=15x9,border=mirror variance=7",
 * "integral,squared", "rotate=90 box=3". On failure *out is NULL and the message quotes the
 * offending word. A window may be a length, "box=2mm", "sauvola=0.33in", "box=0.1inx2mm" (in, mm or
 * cm behind each side): satf_filter_file() and satf_filter_image() make pixels of it by the
 * resolution that the file names, for each file anew, the nearest odd number, at least 3, across
 * and down. Without a resolution, and in all calls on views, it is SATF_INVALID. Takes time in
 * proportion to the text; SATF_LIMIT beyond SATF_MAX_FILTERS or SATF_MAX_FILTER_TEXT.
 */
SATF_API satf_status satf_filter_parse(satf_context *ctx, const char *spec, satf_filter **out);

/* A filter by name with every parameter at its default (a window of 3 x 3, an angle of 90). */
SATF_API satf_status satf_filter_create(satf_context *ctx, const char *name, satf_filter **out);

/*
 * Sets any parameter of the last filter of the chain from its text: "size" to "15x9", "border" to
 * "constant:7", "squared" to "on" (or NULL). Unlike in satf_filter_parse() the name of a file may
 * hold blanks and commas. Unknown names and values out of range are SATF_INVALID.
 */
SATF_API satf_status satf_filter_set(satf_context *ctx, satf_filter *filter, const char *param,
                                     const char *text);

/* The same by type. Integers: those, reals, flags (0 or 1), choices of numbers ("angle": 90, 180,
 * 270), "size" (both sides of the window), "width" and "height" (one each). Doubles: reals, and
 * "constant", which makes the border SATF_BORDER_CONSTANT of that value. */
SATF_API satf_status satf_filter_set_int(satf_context *ctx, satf_filter *filter, const char *param,
                                         int64_t value);
SATF_API satf_status satf_filter_set_double(satf_context *ctx, satf_filter *filter,
                                            const char *param, double value);
SATF_API satf_status satf_filter_set_border(satf_context *ctx, satf_filter *filter,
                                            satf_border border, double constant);
/* Copies the rectangles. Only for filters that take a template. */
SATF_API satf_status satf_filter_set_rects(satf_context *ctx, satf_filter *filter,
                                           const satf_weighted_rect *rects, size_t count);

/*
 * The order of a filter that has one ("permute"): pixel k of the result, counted
 * along the rows, is pixel order[k] of the image. Copied; each of 0 ... count - 1
 * must be there once, else SATF_INVALID names the entry. count is the images' width
 * times height, at most 2^32.
 */
SATF_API satf_status satf_filter_set_order(satf_context *ctx, satf_filter *filter,
                                           const int64_t *order, size_t count);

/* The auxiliary input of a filter that takes one (guided's guide, by's other picture), which
 * is copied: a view of the host, of the input's width, height and sample type, with its channels,
 * or with one that stands beside each of them. by takes any type beside any input, and
 * counts no alpha among the channels. Its full scale is what the view says, whatever the input's.
 */
SATF_API satf_status satf_filter_set_image(satf_context *ctx, satf_filter *filter,
                                           const satf_view *image);

/* Writes the filter as satf_filter_parse() reads it, as snprintf() does: at most `bytes` with the
 * zero at the end; returns the length of the whole. Parameters at their defaults are left out, of
 * what came from a file there is "FILE". */
SATF_API size_t satf_filter_print(const satf_filter *filter, char *text, size_t bytes);

/* Appends copies of tail's filters to chain; tail stays the caller's. Which pixels do not count,
 * and weights, are those of chain. SATF_INVALID: tail has others of its own; SATF_LIMIT beyond
 * SATF_MAX_FILTERS. */
SATF_API satf_status satf_filter_append(satf_context *ctx, satf_filter *chain,
                                        const satf_filter *tail);

/* NULL is allowed. At any time: what work that was enqueued, or a graph that was captured, copies
 * of it to a device is kept until that is done, or no such graph is left. */
SATF_API void satf_filter_destroy(satf_filter *filter);

/* The view that the filter makes of in by default: width, height, channels,
 * flags, packed stride and exact type; data is NULL. */
SATF_API satf_status satf_filter_output(satf_context *ctx, const satf_filter *filter,
                                        const satf_view *in, satf_view *out);

/*
 * Applies the filter. in: any sample type. out: width, height, channels as satf_filter_output()
 * says; any sample type: real values are rounded to nearest (halves up) and saturated for integer
 * types. out must not overlap in.
 * With SATF_ALPHA in in->flags colour is weighted by alpha where the filter
 * averages; out's alpha is the mean alpha, or the pixel's own (unsharp). Filters to black and
 * white (sauvola, wolf) take grey or RGB, and give one channel of 0 and 255.
 * The context keeps the plan for the next call of the same shape, with up to 64 MiB of memory and
 * a sixteenth of SATF_LIMIT_MEMORY (on a device 512 MiB); satf_plan_create() makes one that is the
 * caller's.
 */
SATF_API satf_status satf_filter_apply(satf_context *ctx, const satf_filter *filter,
                                       const satf_view *in, const satf_view *out);

/*
 * satf_filter_apply() for `count` images of one shape (0: none) in one call, with the bits of one
 * call each. in and out are the first ones; image k begins k * in_step and k * out_step bytes
 * behind them (any sign; in_step may be 0). No output may overlap an input or another output, and
 * stacks with different steps must not lie in one another.
 * Images of the host that the CPU computes are shared by the threads where they are small, and each
 * by all threads where they are large or the threads' plans together would be above
 * SATF_LIMIT_MEMORY; a context that was given scratch, or computes elsewhere, takes them one after
 * the other, and those of a CUDA device are enqueued so. Each thread then keeps a plan; all of them
 * together hold as much memory between calls as that of satf_filter_apply(). On failure some
 * outputs may be written. Progress is that of the whole stack; it is asked between small images.
 */
SATF_API satf_status satf_filter_apply_stack(satf_context *ctx, const satf_filter *filter,
                                             const satf_view *in, int64_t in_step,
                                             const satf_view *out, int64_t out_step, int64_t count);

/*
 * Non-zero if the filter takes the first three channels of a colour picture for red, green and
 * blue: those to black and white, which make grey of them, unsharp of luma, and guided of colour.
 * All others do with each channel what they do with any, so blue, green and red are as good.
 */
SATF_API int satf_filter_knows_colours(const satf_filter *filter);

/*
 * out = the result as a picture, the samples of the file that `satfilter --type` writes: the range
 * of the values that the filter can make of such an input is mapped to 0 ... out's full scale, 255
 * or 65535 unless it says another one, to nearest, halves up; alpha from 0 ... its maximum. A
 * result of out's type stays as it is, unless out says another full scale than the result has.
 * Results of floats have no such range, but for black and white: SATF_INVALID. out: u8 or u16, else
 * as for satf_filter_apply(); views of the host. Uses memory of its own, whatever scratch the
 * context was given, and keeps as much more of it.
 */
SATF_API satf_status satf_filter_render(satf_context *ctx, const satf_filter *filter,
                                        const satf_view *in, const satf_view *out);

/*
 * Pixels to the left of, above, to the right of and below a pixel of the input that the result for
 * it depends on, for the whole chain: INT64_MAX where that goes as far as the image does (border
 * wrap, integral, permute, wolf, resize, crop, pixelate, varbox, threshold=otsu, guided or by with
 * an image that they keep). Where the chain turns the image it is the pixel that comes to lie at
 * the result's place; under SATF_BORDER_VALID the one whose window is summed.
 */
SATF_API satf_status satf_filter_reach(satf_context *ctx, const satf_filter *filter, int64_t *left,
                                       int64_t *top, int64_t *right, int64_t *bottom);

/*
 * out = the part `where` of what satf_filter_apply() makes of in; where is in the coordinates of
 * that result, inside it, and of out's size. Only the pixels of in that it depends on are looked at
 * (satf_filter_reach()). Integers are the same bits; floats keep the bounds above. Calls for parts
 * of one shape, with all their surroundings inside the image, share a plan, as satf_filter_apply()
 * does. Uses memory of its own, whatever scratch the context was given.
 */
SATF_API satf_status satf_filter_apply_rect(satf_context *ctx, const satf_filter *filter,
                                            const satf_view *in, const satf_rect *where,
                                            const satf_view *out);

/* Bytes of scratch that satf_filter_apply() wants for these views: all memory
 * that it uses, but for the threads that a context starts once. */
SATF_API satf_status satf_filter_scratch(satf_context *ctx, const satf_filter *filter,
                                         const satf_view *in, const satf_view *out, size_t *bytes);

/*
 * A plan: everything that satf_filter_apply() decides, decided once for images of one shape, with
 * the memory that it takes. Runs allocate nothing (but the context's threads in the first, for sync
 * "graph", and for images of the host that a device computes part by part: see
 * SATF_LIMIT_DEVICE_MEMORY); on images of a CUDA device they only enqueue, on the context's stream.
 * The context's settings count as they are when the plan is made. A plan is used by one thread at a
 * time, and is destroyed before its context.
 */
typedef struct satf_plan satf_plan;

/*
 * Plans for images like these views: one output; the input and, for a filter that takes one
 * (guided; by, but for scale=auto), the auxiliary input, which must be like the input in channels
 * too, its pixels packed. Their data are not looked at. An input of the host is computed on the
 * context's device, as by satf_filter_apply(). The filter may be destroyed afterwards. For
 * `permute` of pixels of 4 or 8 bytes on a device the order is prepared as by
 * satf_permutation_create(), which takes seconds for some 2^24 pixels. "moments=SIZE", which must
 * be the last of its chain and takes no auxiliary input, has two outputs: the mean and the
 * standard deviation of each pixel's window, as satf_filter_output() says both f64, or of other
 * types as for satf_filter_apply(). Of integers each has the bits of box or stddev into such an
 * output, of floats the deviation has; the mean keeps the bounds of satfilter.h. On the CPU one
 * march over the rows makes both packed outputs, but under SATF_BORDER_VALID.
 */
SATF_API satf_status satf_plan_create(satf_context *ctx, const satf_filter *filter,
                                      const satf_view *inputs, size_t input_count,
                                      const satf_view *outputs, size_t output_count,
                                      satf_plan **plan);

/*
 * Runs it on these images, which are like the views that it was made for in number and in all but
 * their data, which do not overlap; else SATF_INVALID, and so if the context has more threads now
 * than it had.
 * Runs on a device follow one another, also on different streams. A stream may be captured into a
 * CUDA graph; then the plan must live as long as the graph, and launches of the graph and other
 * runs of the plan must not overlap.
 */
SATF_API satf_status satf_plan_run(satf_plan *plan, const satf_view *inputs, size_t input_count,
                                   const satf_view *outputs, size_t output_count);

/* What was decided. */
typedef struct satf_plan_info {
    size_t steps; /* one a filter of the chain, several for one of several (guided); those of each
                   * output one after the other where no march makes both */
    int64_t memory_bytes; /* of the device that computes */
    int device;           /* that computes: SATF_HOST or SATF_CUDA(n) */
    double ms;            /* a run takes: a rough estimate, of how plans compare */
} satf_plan_info;

/* Fills *info (bytes: its size) as far as it reaches. */
SATF_API void satf_plan_describe(const satf_plan *plan, satf_plan_info *info, size_t bytes);

/* The name of the filter of step `index`, NULL behind the last; *used (bytes: its size; may be
 * NULL): what it runs on. Static storage. */
SATF_API const char *satf_plan_step(const satf_plan *plan, size_t index, satf_used *used,
                                    size_t bytes);

SATF_API void satf_plan_destroy(satf_plan *plan); /* NULL is allowed */

/* What a filter's results are made of. */
typedef enum satf_filter_kind {
    SATF_FILTER_WINDOW, /* sums over a window around the pixel */
    SATF_FILTER_RECTS,  /* sums over rectangles: needs a summed area table */
    SATF_FILTER_PREFIX, /* the summed area table itself */
    SATF_FILTER_MOVE,   /* pixels from elsewhere: no sums */
    SATF_FILTER_CELLS,  /* sums over the cells of a coarser grid, which become pixels */
    SATF_FILTER_LINES   /* weighted sums along rows, then down columns; there is one engine */
} satf_filter_kind;

/* Static storage. */
typedef struct satf_filter_info {
    const char *name;   /* "box" */
    const char *help;   /* a line */
    const char *detail; /* a paragraph: what to take it for, and what not */
    satf_filter_kind kind;
    int from_module;     /* 1: satf_module_load() has added it */
    int outputs;         /* images that it makes: 1, or 2, for satf_plan_create() alone */
    const char *example; /* a command that applies it, "satfilter --box 15 in.jpg out.jpg"; NULL of
                          * a module's filter that has none */
} satf_filter_info;

/* The filters of one output: index 0, 1, ... until NULL; else the filter's name, and *info (may be
 * NULL; bytes: its size) is filled as far as it reaches. */
SATF_API const char *satf_filter_name(size_t index, satf_filter_info *info, size_t bytes);

/* The same by name, also of moments, which has two outputs, and of copy, which leaves all pixels as
 * they are: for files of another format, or several in one; NULL if there is no such filter. */
SATF_API const char *satf_filter_find(const char *name, satf_filter_info *info, size_t bytes);

/*
 * Adds the filter of a module (satfilter-module.h) to the table of this process, for good; NULL: of
 * all that the environment variable SATFILTER_MODULES names, with a colon between. A name without a
 * slash is a file of the current folder. Loading runs the module's code, so nothing is loaded
 * unless this is called. A module that is loaded already is SATF_OK. Modules compute on the CPU.
 * Errors: SATF_IO (it cannot be opened), SATF_UNSUPPORTED (compiled for another version),
 * SATF_INVALID (what is wrong with its filter), SATF_LIMIT (64 are loaded).
 */
SATF_API satf_status satf_module_load(satf_context *ctx, const char *path);

/*
 * Pixels that do not count, for every filter of the chain: windows leave them out, as they leave
 * out transparent pixels. A pixel counts only if all of its channels do. omit_nan: samples that are
 * no number do not count; else these spread to all windows that hold them. *nodata: samples of that
 * value do not count; NULL: there is none. Where nothing in a window counts, or in filters that
 * look at the pixel itself that one does not, the result is *nodata, if its type holds it; else NaN
 * of floats and 0 of integers; of pictures with alpha 0, and alpha 0. Sums leave these pixels out,
 * and are 0 where nothing counts. Filters that move pixels move them like others. Refused when they
 * are applied: guided, and four channels without alpha. What a constant border has outside counts.
 * SATF_INVALID: a NULL.
 */
SATF_API satf_status satf_filter_set_missing(satf_context *ctx, satf_filter *chain, int omit_nan,
                                             const double *nodata);

/*
 * Weights of pixels, for every filter of the chain: grey, of one channel, as large as the chain's
 * input. Filters that move pixels move these too, resize and pixelate make means of them, as of
 * alpha, and under border valid they are cut like the result. A sample of 0 does not count (above),
 * one of the full scale counts wholly, others between; what is no number is 0. They are rounded to
 * the samples' type, but none to 0, and weigh alpha where there is one. The view is on the host,
 * and is copied; NULL: no weights any more. SATF_INVALID: it has several channels. _read_weights()
 * takes those of a file.
 */
SATF_API satf_status satf_filter_set_weights(satf_context *ctx, satf_filter *chain,
                                             const satf_view *weights);
SATF_API satf_status satf_filter_read_weights(satf_context *ctx, satf_filter *chain,
                                              const char *path);

/* Gives the border to every filter of the chain that has one and was not given its own. */
SATF_API satf_status satf_filter_set_default_border(satf_context *ctx, satf_filter *chain,
                                                    satf_border border, double constant);

typedef enum satf_param_type {
    SATF_PARAM_INTEGER,
    SATF_PARAM_REAL,
    SATF_PARAM_SIZE,   /* a window: "15", "15x9", "0.33in" or "2mmx3mm" */
    SATF_PARAM_PLACE,  /* pixels to the right and down: "2:-1" */
    SATF_PARAM_FLAG,   /* "on" or "off" */
    SATF_PARAM_BORDER, /* "clamp", "mirror", "reflect", "wrap", "constant:V", "shrink" or
                        * "valid" */
    SATF_PARAM_CHOICE, /* one of the words that its syntax lists */
    SATF_PARAM_FILE,   /* the name of a file */
    SATF_PARAM_SHAPE,  /* the result's sides: a box that it fits into, "111x70", these very sides,
                        * "111x70!", one that the other follows, "1024x" or "x768", or their share
                        * of the input's, "33%" */
    SATF_PARAM_PART    /* a rectangle of the input: "640x480+10+20", or of its middle, "640x480" */
} satf_param_type;

/* A parameter of a filter. Static storage. */
typedef struct satf_param_info {
    const char *name;
    satf_param_type type;
    const char *syntax;       /* "N|WxH", "90|180|270", "V|otsu" (a number or that
                               * word); NULL for a flag */
    const char *unit;         /* of its numbers: "pixels"; "" if they have none */
    double min, max;          /* of each number in it; else 0. Levels, whose unit is "levels of
                               * 255", may be any number where samples are floats */
    const char *default_text; /* NULL: there is none, it must be given */
    const char *help;         /* a line */
    int is_value;             /* non-zero: the value that must follow the filter's name */
} satf_param_info;

/* The parameters of the filter of that name: index 0, 1, ... until NULL; else the parameter's
 * name, and *info (bytes: its size) is filled, as far as it reaches. */
SATF_API const char *satf_filter_param(const char *filter, size_t index, satf_param_info *info,
                                       size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
