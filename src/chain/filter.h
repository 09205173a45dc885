/* Filters: the table, parameters, chains, and plans by rows. */
#ifndef SATF_CHAIN_FILTER_H
#define SATF_CHAIN_FILTER_H

#include "../base/image.h"
#include "../sat/sat.h"
#include "../sums/march/window.h"
#include "../satfilter/filter.h"

static inline int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The parameter of that name, or the first of that kind; NULL if there is none. */
const filter_param *filter_param_find(const filter_info *info, const char *name);
const filter_param *filter_param_of_kind(const filter_info *info, param_kind kind);

const filter_info *filter_info_at(size_t index); /* NULL behind the last */
const filter_info *filter_info_find(const char *name);

/* The two filters that make the outputs of a filter of two, with options laid out like its own. The
 * plan of satf_plan_create() alone makes both. NULL: the filter has one output. */
const filter_info *const *filter_outputs(const filter_info *info);

/* The chain inside a satf_filter. */
size_t filter_count(const satf_filter *filter);
const filter_info *filter_at(const satf_filter *filter, size_t index);
const void *filter_options(const satf_filter *filter, size_t index);

/* Whether the CPU has what the context's settings name: the algorithm, and no barriers of a
 * device's stages. */
bool filter_suits_cpu(const satf_context *ctx);

/* The job that a chain is a part of. All zeros: a call on images in memory. */
typedef struct filter_job {
    bool flows_on_host, flows_on_device; /* on the CPU, on a device, it goes beside its codecs */
    double decode_ns, encode_ns;         /* that these take of one thread, a sample */
    bool encodes_on_all;                 /* the encoder uses all threads */
    int64_t files; /* like this one, itself included, that the process filters */
} filter_job;

/*
 * The device on which SATF_DEVICE_AUTO computes a chain on images of the host: SATF_CUDA(0) if it
 * can be used and would be done first by estimate, its start and the copies included, else
 * SATF_HOST. why: becomes why it is not the device, or "". No driver is touched unless the work is
 * worth a device.
 */
enum { FILTER_WHY_BYTES = 256 };
int filter_choose_device(const satf_context *ctx, const satf_filter *chain, const satf_view *in,
                         const satf_view *out, const filter_job *job, char why[FILTER_WHY_BYTES]);

/* Whether that is a failure of a device where the CPU can do what is asked for. One that has failed
 * at work, rather than lacked memory, is not taken again by filter_choose_device(). */
bool filter_leaves_device(satf_context *ctx, satf_status status);

/* satf_filter_apply_rect() of images of the host, computed on that device, which need not be the
 * context's. It reports its progress as that of a part, and leaves a failing device to the caller.
 */
satf_status filter_apply_rect_on(satf_context *ctx, int device, const satf_filter *filter,
                                 const satf_view *in, const satf_rect *where, const satf_view *out);

/* The memory that satf_filter_apply() of images of the host takes on the CPU. The context keeps the
 * plan, for it may come to that. The views' data are not looked at. */
satf_status filter_bytes_here(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                              const satf_view *out, size_t *bytes);

/* satf_filter_scratch(), as a part of a call. */
satf_status filter_bytes_lent(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                              const satf_view *out, size_t *bytes);

/* Whether the result is black and white alone: 0 and 255 in u8. */
bool filter_is_bilevel(const satf_filter *filter);

/* Whether all samples of the result are samples of the input, or the grey of its pixels. */
bool filter_only_moves(const satf_filter *filter);

/*
 * Streaming: a filter of a chain over pictures that are never held whole.
 * in(user, y) gives row y of the input, as window_spec.row does; out(user, y)
 * says where row y of the output goes, asked for top to bottom, which also means
 * that row y - 1 is complete. NULL from either stops the run. *height, unless height is NULL, is
 * how many rows the input has as far as is known, at least filter_rows_need.kept; it may fall, from
 * that of the plan, while in() waits for a row that does not come, and returns NULL.
 */
typedef struct filter_rows {
    const void *(*in)(void *user, int64_t y);
    void *(*out)(void *user, int64_t y);
    void *user;
    const int64_t *height;
    int64_t lost; /* of these, rows that the step does not get: those in front have trimmed them */
    /* Row y of auxiliary input k, once in(user, y) has come: those of the first output, from
     * FILTER_AUX on those of its twin, whose rows go where twin() says. NULL: there is none. */
    const void *(*aux)(void *user, int k, int64_t y);
    void *(*twin)(void *user, int64_t y);
    /* Hears of pixels of the result that are made, from an engine that makes rows in segments;
     * false: it should stop. NULL: by rows. */
    bool (*goes_on)(void *user, int64_t pixels);
} filter_rows;

/* Rows of an input for which the plan expects so many. */
static inline int64_t filter_rows_height(const filter_rows *rows, int64_t planned)
{
    return rows->height ? __atomic_load_n(rows->height, __ATOMIC_ACQUIRE) - rows->lost : planned;
}

typedef struct filter_rows_need {
    /* NULL: the filter can work by rows on such an input, on the CPU. Else why it cannot, a clause
     * of which the filter is the subject (static storage), and all else is 0. */
    const char *refusal;
    int64_t kept; /* rows of the input that must be kept, as window_rows_kept() */
    int64_t end,
        start;       /* and for good, as window_rows_wrapped(): those of the end are wanted first */
    size_t bytes;    /* memory of the plan */
    size_t steps;    /* that it has */
    bool height;     /* it has to know how many rows come: it sums a picture of its own as well */
    size_t link;     /* of the plan's chain, which refuses */
    int64_t columns; /* made of a part of its input, which begins at a multiple of so many columns,
                      * results are the same bits: floats are summed in blocks */
} filter_rows_need;

/* The view that filter `index` of the chain makes of in, as satf_filter_output() for it alone. */
satf_status filter_output_at(satf_context *ctx, const satf_filter *chain, size_t index,
                             const satf_view *in, satf_view *out);

/* A plan of filters index ... index + count - 1 alone that makes out of in by rows; before: that of
 * the filters in front of them, or NULL. out gets that part of their result, in which all rows are;
 * NULL: all of it. The views' data are not looked at. */
satf_status filter_plan_rows(satf_context *ctx, const satf_filter *chain, size_t index,
                             size_t count, const satf_plan *before, const satf_view *in,
                             const satf_rect *part, const satf_view *out, satf_plan **plan);

/* A step of it, and how long that took in the latest run of a call that is timed; behind the last
 * the filter is NULL. */
satf_used filter_plan_step(const satf_plan *plan, size_t index);

/* What it takes, or why it cannot. */
filter_rows_need filter_plan_need(const satf_plan *plan);

/* Takes its memory, unless it has. */
satf_status filter_plan_ready(satf_context *ctx, satf_plan *plan);

/* Runs it, where it can: the same bits as satf_filter_apply(). It is ready for another picture. */
satf_status filter_plan_run_rows(satf_context *ctx, satf_plan *plan, const filter_rows *rows);

/* Do pixels change their places? */
bool filter_moves(const satf_filter *filter);

/* Whether a filter asks for a size that its input is smaller than already, and keeps. */
bool filter_keeps_size(const satf_filter *filter, const satf_view *in);

/* Whether its options count columns and rows of the input as that is stored, before it is turned:
 * of a part; of a result's sides, where they are two of their own. */
bool filter_counts_part(const satf_filter *filter);
bool filter_counts_sides(const satf_filter *filter);

/* What the filter makes of the metadata of its input: what shows the picture as it was goes, what
 * speaks of places turns along, or goes where it cannot, and what speaks of sizes scales along. */
void filter_change_metadata(const satf_filter *filter, const satf_view *in,
                            satf_metadata *metadata);

/*
 * *out = a copy of the chain whose windows that are lengths (size.h) have become pixels, by the
 * resolution of its input; NULL if none is a length. Fails if that names no resolution of a unit,
 * or if a window is too large. Turns in front of a window, and other sizes, change the sides'
 * resolutions. in's data are not looked at.
 */
satf_status filter_resolve(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                           const satf_metadata *from, satf_filter **out);

/* What satf_filter_image() would make of in, without pixels and metadata: view
 * (data NULL), range, alpha_max and picture type. in's data are not looked at. */
satf_status filter_describe(satf_context *ctx, const satf_filter *filter, const satf_image *in,
                            int type, satf_image *out);

#endif
