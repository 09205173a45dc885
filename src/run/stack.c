/* Filters many images of one shape in one call: threads share the images, or each image. */
#include <inttypes.h>
#include <stdatomic.h>

#include "../base/device/gpu.h"
#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "../plan/plan.h"
#include "../plan/views.h"

/* Samples of an image for each further thread that it is worth. */
enum { LEAST_SAMPLES = 1 << 17 };

/* The most memory of the threads' plans between calls. */
enum { MOST_KEPT = 64 << 20 };

typedef struct stack {
    satf_context *ctx;
    const satf_filter *filter;
    satf_view in, out;
    int64_t in_step, out_step, count;
    _Atomic int64_t done;
    /* The first failure, and the context with its message. */
    _Atomic int status;
    satf_context *failed; /* NULL: none could be made */
} stack;

static satf_view image_at(const satf_view *view, int64_t step, int64_t index)
{
    satf_view image = *view;
    image.data = (char *)view->data + step * index;
    return image;
}

/* --------------------------------------------------------------------- checks */

/* The memory that all images from `view` on take, as a view of one row; false if none holds it. */
static bool stack_whole(const satf_view *view, int64_t step, int64_t count, satf_view *all)
{
    int64_t rows = (view->height - 1) * view->stride, images;
    int64_t first = rows < 0 ? rows : 0, last = rows > 0 ? rows : 0;
    if (__builtin_mul_overflow(step, count - 1, &images) || images < INT64_MIN / 4 ||
        images > INT64_MAX / 4) {
        return false;
    }
    first += images < 0 ? images : 0;
    last += images > 0 ? images : 0;
    int64_t row = (view->width - 1) * satf_pixel_stride(view) + satf_pixel_bytes(view);
    *all = satf_view_packed((char *)view->data + first, last - first + row, 1, 1, SATF_U8);
    return true;
}

/* Whether an image of `a` shares memory with one of `b`, which have one step; but for those of the
 * same number, which are checked elsewhere. */
static bool any_overlap(const satf_view *a, const satf_view *b, int64_t step, int64_t count)
{
    bool overlap = false;
    for (int64_t k = 1; k < count && !overlap; k++) {
        satf_view behind = image_at(b, step, k), before = image_at(b, -step, k);
        overlap = satf_views_overlap(a, &behind) || satf_views_overlap(a, &before);
    }
    return overlap;
}

static satf_status check_memory(const stack *s)
{
    satf_view in, out;
    if (!stack_whole(&s->in, s->in_step, s->count, &in) ||
        !stack_whole(&s->out, s->out_step, s->count, &out)) {
        return satf_fail(s->ctx, SATF_INVALID,
                         "%" PRId64 " images, %" PRId64 " and %" PRId64 " bytes apart, reach beyond"
                         " any memory",
                         s->count, s->in_step, s->out_step);
    }
    if (satf_views_overlap(&in, &out) &&
        (s->in_step != s->out_step || any_overlap(&s->in, &s->out, s->in_step, s->count))) {
        return satf_fail(s->ctx, SATF_INVALID, "the stack of outputs overlaps that of inputs");
    }
    return any_overlap(&s->out, &s->out, s->out_step, s->count)
               ? satf_fail(s->ctx, SATF_INVALID,
                           "outputs of the stack, %" PRId64 " bytes apart, overlap", s->out_step)
               : SATF_OK;
}

static satf_status stack_check(const stack *s)
{
    satf_status status = filter_check_views(s->ctx, s->filter, &s->in, &s->out, s->count > 0);
    if (!status && s->count < 0) {
        status = satf_fail(s->ctx, SATF_INVALID, "%" PRId64 " images; 0 and more are possible",
                           s->count);
    }
    return status || s->count == 0 ? status : check_memory(s);
}

/* --------------------------------------------------------------- one by one */

static satf_status run_in_turn(stack *s)
{
    satf_status status = SATF_OK;
    for (int64_t k = 0; k < s->count && !status; k++) {
        satf_view in = image_at(&s->in, s->in_step, k), out = image_at(&s->out, s->out_step, k);
        satf_progress_part part =
            satf_progress_enter(s->ctx, (double)k / (double)s->count, 1 / (double)s->count);
        filter_call call = filter_whole_call(s->ctx, s->filter, &in, &out);
        call.in_part = true;
        status = filter_apply(s->ctx, &call);
        satf_progress_leave(s->ctx, part);
    }
    return status;
}

/* -------------------------------------------------------------- side by side */

/* Makes room for a context for each thread, the caller's included, which the context keeps with
 * their plans. They are made when a thread first has an image. */
static satf_status stack_make_room(satf_context *ctx, int threads)
{
    if (ctx->helper_count >= threads) {
        return SATF_OK;
    }
    size_t bytes = (size_t)threads * sizeof *ctx->helpers;
    satf_context **helpers = satf_alloc_zeroed(bytes);
    if (!helpers) {
        return satf_fail_memory(ctx, bytes, "a stack's threads");
    }
    satf_context_drop_helpers(ctx);
    ctx->helpers = helpers;
    ctx->helper_count = threads;
    return SATF_OK;
}

/* The callback of helpers: an image's progress is not the stack's, but the stack's callback may be
 * due, or have cancelled. */
static int stack_pass_on(void *user, double done)
{
    (void)done;
    return satf_tick(user) != SATF_OK;
}

/* The thread's context, with the settings of the stack's call; NULL: no memory. */
static satf_context *find_helper(const stack *s, int thread)
{
    satf_context **helper = &s->ctx->helpers[thread];
    if (!*helper && satf_context_create_like(s->ctx, helper) == SATF_OK) {
        (*helper)->works_alone = true;
    }
    if (*helper) {
        (*helper)->settings = s->ctx->settings;
        (*helper)->settings.device = SATF_HOST;
        satf_context_set_progress(*helper, satf_can_stop(s->ctx) ? stack_pass_on : NULL, s->ctx);
    }
    return *helper;
}

/* Applies the filter by the call's budget, which counts memory that the helper keeps. */
static satf_status apply_by(satf_context *helper, stack *s, int64_t k)
{
    satf_view in = image_at(&s->in, s->in_step, k), out = image_at(&s->out, s->out_step, k);
    struct satf_budget *own = helper->budget;
    helper->budget = s->ctx->budget;
    satf_status status = satf_filter_apply(helper, s->filter, &in, &out);
    helper->budget = own;
    return status;
}

static void stack_run_image(void *user, int64_t k, int thread)
{
    stack *s = user;
    int none = SATF_OK;
    if (atomic_load(&s->status)) {
        return;
    }
    satf_budget *before = satf_budget_use(s->ctx->budget);
    satf_context *helper = find_helper(s, thread);
    satf_status status = helper ? apply_by(helper, s, k) : SATF_NO_MEMORY;
    satf_budget_use(before);
    if (status) {
        if (atomic_compare_exchange_strong(&s->status, &none, (int)status)) {
            s->failed = helper;
        }
        return;
    }
    double done = (double)(atomic_fetch_add(&s->done, 1) + 1);
    if (thread == 0 && satf_report_progress(s->ctx, done / (double)s->count)) {
        atomic_compare_exchange_strong(&s->status, &none, SATF_CANCELLED);
    }
}

/* Takes helpers' reports into the context; frees their plans if they keep too much. */
static void take_report(satf_context *ctx)
{
    size_t kept = 0;
    for (int i = 0; i < ctx->helper_count; i++) {
        satf_context *helper = ctx->helpers[i];
        if (helper && helper->report_engine) {
            ctx->report_engine = helper->report_engine;
            ctx->report_algorithm = helper->report_algorithm;
            ctx->report_device = helper->report_device;
            helper->report_engine = NULL; /* it may have no image of the next stack */
        }
        kept += helper && helper->plan ? helper->plan->bytes : 0;
    }
    for (int i = 0; i < ctx->helper_count && kept > satf_most_kept(ctx, MOST_KEPT); i++) {
        if (ctx->helpers[i]) {
            satf_context_forget(ctx->helpers[i]);
        }
    }
}

static satf_status run_side_by_side(stack *s)
{
    satf_context *ctx = s->ctx;
    satf_status status = stack_make_room(ctx, satf_thread_count(ctx));
    if (status) {
        return status;
    }
    satf_parallel(ctx, s->count, stack_run_image, s);
    take_report(ctx);
    status = (satf_status)atomic_load(&s->status);
    if (!status || status == SATF_CANCELLED) { /* the context has its message */
        return status;
    }
    return s->failed ? satf_fail(ctx, status, "%s", satf_message(s->failed))
                     : satf_fail_memory(ctx, sizeof *ctx, "a stack's threads");
}

/* Whether images are so small that more threads are busy with an image each than with one. */
static bool are_small(const stack *s)
{
    satf_context *ctx = s->ctx;
    filter_call call = filter_whole_call(ctx, s->filter, &s->in, &s->out);
    int64_t threads = satf_thread_count(ctx), samples = satf_row_samples(&s->in) * s->in.height;
    int64_t busy = s->count < threads ? s->count : threads;
    return busy > satf_threads_for(ctx, samples, LEAST_SAMPLES) && !ctx->scratch &&
           filter_plan_device(ctx, &call) == SATF_HOST;
}

/* Runs side by side, or in turn; in turn also if the plans of all threads take too much memory. */
static satf_status stack_run(stack *s)
{
    if (are_small(s)) {
        satf_status status = run_side_by_side(s);
        if (status != SATF_NO_MEMORY) {
            return status;
        }
        satf_context_drop_helpers(s->ctx);
    }
    return run_in_turn(s);
}

satf_status satf_filter_apply_stack(satf_context *ctx, const satf_filter *filter,
                                    const satf_view *in, int64_t in_step, const satf_view *out,
                                    int64_t out_step, int64_t count)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!in || !out) {
        return satf_fail(ctx, SATF_INVALID, "the %s view is missing", in ? "output" : "input");
    }
    stack s = {.ctx = ctx,
               .filter = filter,
               .in = *in,
               .out = *out,
               .in_step = in_step,
               .out_step = out_step,
               .count = count};
    satf_progress_begin(ctx);
    satf_status status = stack_check(&s);
    status = status ? status : satf_report_progress(ctx, 0);
    if (status || count == 0) {
        return status;
    }
    satf_budget *before = satf_memory_begin(ctx);
    status = satf_gpu_leave(ctx, satf_memory_end(ctx, before, stack_run(&s)));
    return status ? status : satf_report_progress(ctx, 1);
}
