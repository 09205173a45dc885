/*
 * Applying a filter: the chain's images are planned, memory is found for what
 * lies between, then every filter runs on the engine that is chosen for it.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "../base/gpu.h"
#include "../base/memory.h"
#include "../base/view.h"
#include "run.h"

/* The view that a filter makes of in by default; data is NULL. */
static satf_status link_output(satf_context *ctx, const chain_link *link, const satf_view *in,
                               satf_view *out)
{
    const filter_recipe *recipe = link->info->recipe;
    bool moves = recipe->region == REGION_PIXEL;
    int channels = recipe->grey ? 1 : in->channels;
    satf_type type = (satf_type)in->type;
    if ((type == SATF_U32 || type == SATF_U64) && !moves) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "%s cannot filter %s samples: its input must be u8, u16, f32 or f64",
                         link->info->name, satf_type_name(in->type));
    }
    int colours = in->channels - (in->flags & SATF_ALPHA ? 1 : 0);
    if (recipe->grey && colours != 1 && colours != 3) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "%s wants grey or RGB, with or without alpha; these pixels have %d "
                         "channels besides alpha",
                         link->info->name, colours);
    }
    if (recipe->type == TYPE_REAL) {
        type = SATF_F64;
    } else if (recipe->type == TYPE_BILEVEL) {
        type = SATF_U8;
    } else if (recipe->type == TYPE_OF_WINDOW_SUM) {
        const filter_size *size = chain_value(link, PARAM_SIZE);
        satf_sum_type sum = satf_sum_type_for(type, SATF_SUMMAND_PLAIN,
                                              (uint64_t)(size->width * size->height), SATF_SUM_U32);
        type = sum == SATF_SUM_F64 ? SATF_F64 : sum == SATF_SUM_U32 ? SATF_U32 : SATF_U64;
    } else if (recipe->type == TYPE_OF_SUM) {
        bool squared = recipe->sums_squares && recipe->sums_squares(link->options);
        satf_status status = satf_sat_type(ctx, in, squared ? SATF_SQUARED : 0, &type);
        if (status) {
            return status;
        }
    }
    filter_order *const *order = chain_value(link, PARAM_ORDER);
    if (order && *order) {
        satf_status status = filter_order_check(ctx, *order, in);
        if (status) {
            return status;
        }
    }
    bool turned = filter_turn(recipe, link->options) & MOVE_TRANSPOSE;
    *out = satf_view_packed(NULL, turned ? in->height : in->width, turned ? in->width : in->height,
                            channels, type);
    out->device = in->device;
    if ((filter_weighs(recipe) && !recipe->grey) || moves) {
        out->flags = in->flags;
    }
    return satf_check_view(ctx, out, "output", false);
}

/* The border's constant in the input's type. */
static satf_status fit_constant(satf_context *ctx, int type, filter_border *border)
{
    double value = border->constant;
    if (border->kind != SATF_CONSTANT) {
        return SATF_OK;
    }
    if (satf_type_is_float(type)) {
        border->constant = type == SATF_F32 ? (double)(float)value : value;
        if (!isfinite(border->constant)) {
            return satf_fail(ctx, SATF_INVALID,
                             "border constant:%g does not fit %s samples; it must be finite", value,
                             satf_type_name(type));
        }
        return SATF_OK;
    }
    double max = (double)satf_type_max(type);
    if (!(value >= 0 && value <= max) || value != floor(value)) {
        return satf_fail(ctx, SATF_INVALID,
                         "border constant:%g does not fit %s samples; it must be an integer of 0 "
                         "to %.0f",
                         value, satf_type_name(type), max);
    }
    return SATF_OK;
}

/* The CUDA device that the filter runs on: that of the image, or the context's for
 * an image on the host. SATF_HOST: the CPU. */
static int device_of(const satf_context *ctx, const satf_view *in)
{
    return in->device != SATF_HOST ? in->device : ctx->device >= 0 ? ctx->device : SATF_HOST;
}

static satf_status choose_way(satf_context *ctx, const chain_link *link, const satf_view *in,
                              filter_way *way)
{
    filter_region region = link->info->recipe->region;
    *way = BY_SAT;
    if (region == REGION_PIXEL) {
        *way = BY_MOVING;
        return SATF_OK;
    }
    if (device_of(ctx, in) != SATF_HOST) {
        return ctx->engine != SATF_ENGINE_WINDOW
                   ? SATF_OK
                   : satf_fail(ctx, SATF_UNSUPPORTED,
                               "the window engine runs on the CPU only; use the engine sat or the "
                               "device cpu");
    }
    if (region == REGION_WINDOW && ctx->engine != SATF_ENGINE_SAT) {
        *way = BY_WINDOW;
    } else if (ctx->engine == SATF_ENGINE_WINDOW) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "%s needs the SAT engine; the window engine has no sums for it",
                         link->info->name);
    }
    return SATF_OK;
}

/* What engines look at of the filter's options. */
static void read_options(const chain_link *link, filter_stage *stage)
{
    const filter_size *size = chain_value(link, PARAM_SIZE);
    const filter_place *at = chain_value(link, PARAM_PLACE);
    const filter_border *border = chain_value(link, PARAM_BORDER);
    filter_rects *const *rects = chain_value(link, PARAM_TEMPLATE);
    filter_order *const *order = chain_value(link, PARAM_ORDER);
    const filter_recipe *recipe = link->info->recipe;
    stage->options = link->options;
    stage->size = size ? *size : (filter_size){1, 1};
    stage->at = at ? *at : (filter_place){0, 0};
    stage->border = border ? *border : (filter_border){SATF_CLAMP, 0};
    stage->rects = rects ? *rects : NULL;
    stage->order = order ? *order : NULL;
    stage->squared = recipe->sums_squares && recipe->sums_squares(link->options);
}

/* The window must contain the pixel. */
static satf_status check_place(satf_context *ctx, const filter_stage *stage)
{
    int64_t w = stage->size.width, h = stage->size.height, x = stage->at.x, y = stage->at.y;
    if (x > w / 2 || x <= w / 2 - w || y > h / 2 || y <= h / 2 - h) {
        return satf_fail(ctx, SATF_INVALID,
                         "at=%" PRId64 ":%" PRId64 " of %s: a window of %" PRId64 " x %" PRId64
                         " contains its own pixel for %" PRId64 " to %" PRId64 " and %" PRId64
                         " to %" PRId64,
                         x, y, stage->info->name, w, h, w / 2 - w + 1, w / 2, h / 2 - h + 1, h / 2);
    }
    return SATF_OK;
}

satf_status filter_plan_stage(satf_context *ctx, const chain_link *link, const satf_view *in,
                              const satf_view *out, filter_stage *stage)
{
    *stage = (filter_stage){.info = link->info, .in = *in, .out = *out};
    read_options(link, stage);
    stage->weighted = filter_weighs(link->info->recipe) && (in->flags & SATF_ALPHA);
    if (link->info->recipe->region == REGION_RECTS && !stage->rects) {
        return satf_fail(ctx, SATF_INVALID, "%s has no rectangles yet", link->info->name);
    }
    if (filter_param_of_kind(link->info, PARAM_ORDER) && !stage->order) {
        return satf_fail(ctx, SATF_INVALID, "%s has no order yet", link->info->name);
    }
    if (filter_needs_grey(link->info->recipe, in)) {
        stage->grey = true;
        stage->source = *in;
        stage->in = filter_grey_view(in, NULL);
    }
    satf_status status = fit_constant(ctx, in->type, &stage->border);
    status = status ? status : check_place(ctx, stage);
    return status ? status : choose_way(ctx, link, in, &stage->way);
}

/* Bytes of the grey image in front of the engine's scratch. */
static size_t grey_bytes(const filter_stage *stage)
{
    return stage->grey ? satf_align64((size_t)(stage->in.stride * stage->in.height)) : 0;
}

static satf_status stage_scratch(satf_context *ctx, const filter_stage *stage, size_t *bytes)
{
    satf_status status = stage->way == BY_WINDOW ? filter_window_scratch(ctx, stage, bytes)
                         : stage->way == BY_SAT  ? filter_sat_scratch(ctx, stage, bytes)
                                                 : filter_move_scratch(ctx, stage, bytes);
    if (!status && !satf_add(*bytes, grey_bytes(stage), bytes)) {
        return satf_fail(ctx, SATF_LIMIT, "the grey image is too large for any memory");
    }
    return status;
}

static satf_status run_stage(satf_context *ctx, const filter_stage *planned, void *scratch)
{
    filter_stage stage = *planned;
    if (stage.grey) {
        stage.in.data = scratch;
        satf_status status = filter_run_grey(ctx, &stage.source, &stage.in);
        if (status) {
            return status;
        }
        scratch = (char *)scratch + grey_bytes(&stage);
    }
    return stage.way == BY_WINDOW ? filter_run_window(ctx, &stage, scratch)
           : stage.way == BY_SAT  ? filter_run_sat(ctx, &stage, scratch)
                                  : filter_run_move(ctx, &stage, scratch);
}

/*
 * A chain's memory: two images that take turns, then what the engines want.
 * The images between two filters have their filter's exact type, so that
 * nothing is rounded on the way.
 */
typedef struct chain_plan {
    size_t image_bytes[2]; /* of the images behind even and odd filters */
    size_t engine_bytes;
    size_t scratch_bytes; /* all that, aligned; what the caller may hand in */
} chain_plan;

static satf_status fail_size(satf_context *ctx)
{
    return satf_fail(ctx, SATF_LIMIT, "the chain's images are too large for any memory");
}

/* Rows of the images between filters are packed. */
static satf_status view_bytes(satf_context *ctx, const satf_view *view, size_t *bytes)
{
    if (!satf_mul((size_t)view->stride, (size_t)view->height, bytes) || *bytes > SIZE_MAX / 8) {
        return fail_size(ctx);
    }
    *bytes = satf_align64(*bytes);
    return SATF_OK;
}

static satf_status plan_chain(satf_context *ctx, const satf_filter *chain, const satf_view *in,
                              const satf_view *out, chain_plan *plan)
{
    *plan = (chain_plan){0};
    satf_view from = *in, to;
    for (size_t i = 0; i < chain->count; i++) {
        const chain_link *link = &chain->links[i];
        bool last = i + 1 == chain->count;
        size_t bytes = 0;
        satf_status status = link_output(ctx, link, &from, &to);
        if (!status && !last) {
            status = view_bytes(ctx, &to, &bytes);
            plan->image_bytes[i % 2] =
                bytes > plan->image_bytes[i % 2] ? bytes : plan->image_bytes[i % 2];
        }
        filter_stage stage;
        if (!status) {
            status = filter_plan_stage(ctx, link, &from, last ? out : &to, &stage);
        }
        if (status) {
            return status;
        }
        status = stage_scratch(ctx, &stage, &bytes);
        if (status) {
            return status;
        }
        plan->engine_bytes = bytes > plan->engine_bytes ? bytes : plan->engine_bytes;
        from = to;
    }
    size_t bytes = plan->image_bytes[0] + plan->image_bytes[1];
    if (!satf_add(bytes, plan->engine_bytes, &bytes) || bytes > SIZE_MAX / 2) {
        return fail_size(ctx);
    }
    plan->scratch_bytes = bytes ? bytes + 63 : 0; /* the caller's may need aligning */
    if (in->device != SATF_HOST) {
        return SATF_OK; /* the limit is the host's; the device's memory has its own end */
    }
    if (bytes > (size_t)ctx->max_bytes) {
        return satf_fail(ctx, SATF_LIMIT,
                         "filtering needs %zu bytes of memory, above the limit of %" PRId64
                         " bytes (limit: max-memory)",
                         bytes, ctx->max_bytes);
    }
    return SATF_OK;
}

static satf_status check_in(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                            bool need_data)
{
    if (!filter) {
        return satf_fail(ctx, SATF_INVALID, "the filter is missing");
    }
    return satf_check_view(ctx, in, "input", need_data);
}

static satf_status check_out(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                             const satf_view *out, bool need_data)
{
    satf_view wanted;
    satf_status status = satf_filter_output(ctx, filter, in, &wanted);
    if (!status) {
        status = satf_check_view(ctx, out, "output", need_data);
    }
    if (status) {
        return status;
    }
    if (out->device != in->device) {
        return satf_fail(ctx, SATF_INVALID,
                         "the input and the output view must be on one device, or both on the "
                         "host");
    }
    if (out->width != wanted.width || out->height != wanted.height ||
        out->channels != wanted.channels) {
        return satf_fail(ctx, SATF_INVALID,
                         "the output view is %" PRId64 " x %" PRId64 " of %d channels; it must be "
                         "%" PRId64 " x %" PRId64 " of %d",
                         out->width, out->height, (int)out->channels, wanted.width, wanted.height,
                         (int)wanted.channels);
    }
    if (need_data && satf_views_overlap(in, out)) {
        return satf_fail(ctx, SATF_INVALID, "the output view overlaps the input view");
    }
    return SATF_OK;
}

satf_status satf_filter_output(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                               satf_view *out)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    satf_status status = check_in(ctx, filter, in, false);
    if (!status && !out) {
        status = satf_fail(ctx, SATF_INVALID, "the result is missing");
    }
    if (status) {
        return status;
    }
    satf_view view = *in, next;
    for (size_t i = 0; i < filter->count; i++, view = next) {
        status = link_output(ctx, &filter->links[i], &view, &next);
        if (status) {
            return status;
        }
    }
    *out = view;
    return SATF_OK;
}

/* What follows asks the algorithms of the image's device. */
static satf_status open_device(satf_context *ctx, const satf_view *in)
{
    return in->device == SATF_HOST ? SATF_OK : satf_gpu_open(ctx, in->device);
}

static satf_status filter_scratch(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                                  const satf_view *out, size_t *bytes)
{
    satf_status status = check_in(ctx, filter, in, false);
    if (!status) {
        status = check_out(ctx, filter, in, out, false);
    }
    if (!status && !bytes) {
        status = satf_fail(ctx, SATF_INVALID, "the result is missing");
    }
    if (!status && device_of(ctx, in) != in->device) {
        *bytes = 0; /* what it takes is the device's */
        return SATF_OK;
    }
    chain_plan plan = {0};
    if (!status) {
        status = open_device(ctx, in);
    }
    if (!status) {
        status = plan_chain(ctx, filter, in, out, &plan);
    }
    if (!status) {
        *bytes = plan.scratch_bytes;
    }
    return status;
}

satf_status satf_filter_scratch(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                                const satf_view *out, size_t *bytes)
{
    return ctx ? satf_gpu_leave(ctx, filter_scratch(ctx, filter, in, out, bytes)) : SATF_INVALID;
}

static satf_status run_chain(satf_context *ctx, const satf_filter *chain, const satf_view *in,
                             const satf_view *out, const chain_plan *plan, char *scratch)
{
    satf_view from = *in, to;
    char *images[2] = {scratch, scratch ? scratch + plan->image_bytes[0] : NULL};
    char *engine = scratch ? images[1] + plan->image_bytes[1] : NULL;
    for (size_t i = 0; i < chain->count; i++) {
        satf_progress_part whole =
            satf_progress_enter(ctx, (double)i / (double)chain->count, 1 / (double)chain->count);
        satf_status status = satf_report_progress(ctx, 0);
        if (!status) {
            status = link_output(ctx, &chain->links[i], &from, &to);
        }
        to.data = images[i % 2];
        if (i + 1 == chain->count) {
            to = *out;
        }
        filter_stage stage;
        if (!status) {
            status = filter_plan_stage(ctx, &chain->links[i], &from, &to, &stage);
        }
        if (!status) {
            status = run_stage(ctx, &stage, engine);
        }
        satf_progress_leave(ctx, whole);
        if (status) {
            return status;
        }
        from = to;
    }
    return satf_report_progress(ctx, 1);
}

/* Memory for the plan, of the image's device. *owned is what must be freed. */
static satf_status find_scratch(satf_context *ctx, const satf_view *in, size_t bytes,
                                char **scratch, void **owned)
{
    static const char what[] = "filtering";
    *owned = NULL;
    *scratch = ctx->scratch;
    if (*scratch && ctx->scratch_bytes < bytes) {
        return satf_fail(ctx, SATF_INVALID,
                         "the scratch memory handed in has %zu bytes; %zu are needed",
                         ctx->scratch_bytes, bytes);
    }
    if (!*scratch && bytes && in->device != SATF_HOST) {
        satf_status status = satf_gpu_alloc(ctx, in->device, bytes, what, owned);
        *scratch = *owned;
        return status;
    }
    if (!*scratch && bytes) {
        *scratch = *owned = satf_alloc(bytes);
        if (!*owned) {
            return satf_fail_memory(ctx, bytes, what);
        }
    }
    return SATF_OK;
}

/* Checked views of the memory that computes. */
static satf_status apply_there(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                               const satf_view *out)
{
    chain_plan plan;
    char *scratch;
    void *owned;
    satf_status status = open_device(ctx, in);
    if (!status) {
        status = plan_chain(ctx, filter, in, out, &plan);
    }
    if (!status) {
        status = find_scratch(ctx, in, plan.scratch_bytes, &scratch, &owned);
    }
    if (status) {
        return status;
    }
    if (scratch) {
        scratch += -(uintptr_t)scratch & 63;
    }
    ctx->report_device = in->device == SATF_HOST ? "cpu" : "cuda";
    status = run_chain(ctx, filter, in, out, &plan, scratch);
    if (in->device == SATF_HOST) {
        satf_free(owned);
    } else {
        satf_gpu_free(ctx, owned);
    }
    return status;
}

/* Views of the host on the context's device: up once, the whole chain, down once.
 * The scratch handed in is not the device's. */
static satf_status apply_across(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                                const satf_view *out)
{
    int device = ctx->device;
    void *scratch = ctx->scratch;
    satf_view there = {0}, result = {0};
    ctx->scratch = NULL;
    satf_status status = satf_report_progress(ctx, 0);
    if (!status) {
        status = satf_gpu_alloc_view(ctx, device, in, "the image", &there);
    }
    if (!status) {
        status = satf_gpu_alloc_view(ctx, device, out, "the result", &result);
    }
    if (!status) {
        status = satf_gpu_copy(ctx, in, &there);
    }
    if (!status) {
        satf_progress_part whole = satf_progress_enter(ctx, 1.0 / 3, 1.0 / 3);
        status = apply_there(ctx, filter, &there, &result);
        satf_progress_leave(ctx, whole);
    }
    if (!status) {
        status = satf_gpu_wait(ctx, device); /* the output is untouched on failure */
    }
    if (!status) {
        status = satf_gpu_copy(ctx, &result, out);
    }
    if (!status) {
        status = satf_gpu_wait(ctx, device);
    }
    if (status == SATF_CANCELLED && there.data) {
        satf_gpu_wait(ctx, device); /* the input is the caller's again */
    }
    satf_gpu_free(ctx, result.data);
    satf_gpu_free(ctx, there.data);
    ctx->scratch = scratch;
    return status ? status : satf_report_progress(ctx, 1);
}

static satf_status apply(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                         const satf_view *out)
{
    satf_status status = check_in(ctx, filter, in, true);
    if (!status) {
        status = check_out(ctx, filter, in, out, true);
    }
    if (status) {
        return status;
    }
    satf_progress_begin(ctx);
    return device_of(ctx, in) == in->device ? apply_there(ctx, filter, in, out)
                                            : apply_across(ctx, filter, in, out);
}

satf_status satf_filter_apply(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                              const satf_view *out)
{
    return ctx ? satf_gpu_leave(ctx, apply(ctx, filter, in, out)) : SATF_INVALID;
}

void satf_context_ran(const satf_context *ctx, satf_ran *ran, size_t bytes)
{
    satf_ran all = {0};
    if (ctx) {
        all = (satf_ran){ctx->report_engine, ctx->report_algorithm, ctx->report_device};
    }
    satf_give(ran, bytes, &all, sizeof all);
}
