/* What other folders ask of filters: the table, parameters, chains, and plans by rows. */
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

/* The two filters that make the outputs of a filter of two, with options laid out like its own.
 * Only plans of satf_plan_create() make both. NULL: the filter has one output. */
const filter_info *const *filter_outputs(const filter_info *info);

/* The filters of a chain, and their options. */
size_t filter_count(const satf_filter *filter);
const filter_info *filter_at(const satf_filter *filter, size_t index);
const void *filter_options(const satf_filter *filter, size_t index);

/* Whether the CPU can honour the context's settings: the algorithm, and no barriers of stages. */
bool filter_suits_cpu(const satf_context *ctx);

/* The job of which a chain is a part. All zeros: a call on images in memory. */
typedef struct filter_job {
    bool flows_on_host, flows_on_device; /* on the CPU, on a device: rows flow through decoder,
                                            chain and encoder at once */
    double decode_ns, encode_ns;         /* time of a sample, on one thread */
    bool encodes_on_all;                 /* the encoder uses all threads */
    int64_t files;                       /* like this one, and with it, that the process filters */
} filter_job;

/*
 * The device on which SATF_DEVICE_AUTO computes a chain on images of the host: SATF_CUDA(0) if it
 * can be used and is estimated to be done first, its start and the copies included, else SATF_HOST.
 * why: becomes the reason for SATF_HOST, or "". No driver is touched unless the work is worth a
 * device.
 */
enum { FILTER_WHY_BYTES = 256 };
int filter_choose_device(const satf_context *ctx, const satf_filter *chain, const satf_view *in,
                         const satf_view *out, const filter_job *job, char why[FILTER_WHY_BYTES]);

/* Whether the status is a device's failure, and the CPU can do the work instead. A device that has
 * failed at work, rather than lacked memory, is not taken again by filter_choose_device(). */
bool filter_leaves_device(satf_context *ctx, satf_status status);

/* satf_filter_apply_rect() for images of the host, computed on `device`, which need not be the
 * context's. It reports progress as a part of a call, and leaves a failing device to the caller. */
satf_status filter_apply_rect_on(satf_context *ctx, int device, const satf_filter *filter,
                                 const satf_view *in, const satf_rect *where, const satf_view *out);

/* The memory that satf_filter_apply() takes for images of the host on the CPU. The context keeps
 * the plan, which the call may need. The views' data are not looked at. */
satf_status filter_bytes_here(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                              const satf_view *out, size_t *bytes);

/* satf_filter_scratch(), as a part of a call. */
satf_status filter_bytes_lent(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                              const satf_view *out, size_t *bytes);

/* Whether the result is only black and white: 0 and 255 in u8. */
bool filter_is_bilevel(const satf_filter *filter);

/* Whether all samples of the result are samples of the input, or the grey of its pixels. */
bool filter_only_moves(const satf_filter *filter);

/*
 * Streaming: a chain's filters over pictures that are never held whole. in(user, y) gives row y of
 * the input, as window_spec.row does. out(user, y) says where row y of the output goes. It is
 * called from top to bottom, which also means that row y - 1 is complete. NULL from either stops
 * the run. *height, unless height is NULL, is the number of input rows as far as is known, at least
 * filter_rows_need.kept. It may fall, from the plan's height, while in() waits for a row that does
 * not come, and returns NULL.
 */
typedef struct filter_rows {
    const void *(*in)(void *user, int64_t y);
    void *(*out)(void *user, int64_t y);
    void *user;
    const int64_t *height;
    int64_t
        lost; /* rows of these that the step does not get, since steps in front have trimmed them */
    /* Row y of auxiliary input k, once in(user, y) has come: of the first output, from FILTER_AUX
     * on of its twin, whose rows go where twin() says. NULL: there is none. */
    const void *(*aux)(void *user, int k, int64_t y);
    void *(*twin)(void *user, int64_t y);
    /* Is told how many pixels of the result are made, by an engine that makes rows in segments;
     * false: it is to stop. NULL: by rows. */
    bool (*goes_on)(void *user, int64_t pixels);
} filter_rows;

/* The number of rows of the input, for which the plan expects `planned`. */
static inline int64_t filter_rows_height(const filter_rows *rows, int64_t planned)
{
    return rows->height ? __atomic_load_n(rows->height, __ATOMIC_ACQUIRE) - rows->lost : planned;
}

typedef struct filter_rows_need {
    /* NULL: the filter can work by rows on the input, on the CPU. Else the reason why it cannot, a
     * clause whose subject is the filter (static storage), and all else is 0. */
    const char *refusal;
    int64_t kept;       /* rows of the input that must be kept, as window_rows_kept() */
    int64_t end, start; /* and that must be kept for good, as window_rows_wrapped(): those at the
                           end are wanted first */
    size_t bytes;       /* memory of the plan */
    size_t steps;       /* of the plan */
    bool height;        /* the number of rows must be known: it sums a picture of its own as well */
    size_t link;        /* of the plan's chain: the filter that refuses */
    int64_t columns;    /* results from a part of the input have the same bits if it begins at a
                           multiple of so many columns: floats are summed in blocks */
} filter_rows_need;

/* The view of the result of filter `index` alone, as satf_filter_output() has it. */
satf_status filter_output_at(satf_context *ctx, const satf_filter *chain, size_t index,
                             const satf_view *in, satf_view *out);

/* A plan of filters index ... index + count - 1 alone that makes `out` of `in` by rows; before: the
 * plan of the filters in front of them, or NULL. out gets the part of their result, which has all
 * rows; NULL: all of it. The views' data are not looked at. */
satf_status filter_plan_rows(satf_context *ctx, const satf_filter *chain, size_t index,
                             size_t count, const satf_plan *before, const satf_view *in,
                             const satf_rect *part, const satf_view *out, satf_plan **plan);

/* A step of the plan, and the time that it took in the latest run of a call that is timed; behind
 * the last the filter is NULL. */
satf_used filter_plan_step(const satf_plan *plan, size_t index);

/* What the plan needs by rows, or why it cannot work so. */
filter_rows_need filter_plan_need(const satf_plan *plan);

/* Gives the plan its memory, unless it has some. */
satf_status filter_plan_ready(satf_context *ctx, satf_plan *plan);

/* Runs the plan by rows, if it can: with the bits of satf_filter_apply(). It is ready for another
 * picture then. */
satf_status filter_plan_run_rows(satf_context *ctx, satf_plan *plan, const filter_rows *rows);

/* Whether pixels change their places. */
bool filter_moves(const satf_filter *filter);

/* Whether a filter asks for a size, and its input is smaller already and keeps its own. */
bool filter_keeps_size(const satf_filter *filter, const satf_view *in);

/* Whether the filter's options count columns and rows of the input as it is stored, before it is
 * turned: of a part; of a result's sides, where these differ. */
bool filter_counts_part(const satf_filter *filter);
bool filter_counts_sides(const satf_filter *filter);

/* Changes the metadata of the filter's input to the result's. Data that show the picture as it was
 * are dropped; data of places turn along, or are dropped too; data of sizes scale along. */
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

/* What satf_filter_image() would make of `in`, without pixels and metadata: view (data NULL),
 * range, alpha_max and picture type. in's data are not looked at. */
satf_status filter_describe(satf_context *ctx, const satf_filter *filter, const satf_image *in,
                            int type, satf_image *out);

#endif
