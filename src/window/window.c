#include "window.h"

#include <string.h>

#include "../base/border.h"
#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "slide.h"
#include "strips.h"

/* Where floats cannot slide they go by strips for at least so many windows' heights and
 * rows, since to take up either way costs a height of rows. */
#define PATIENCE_HEIGHTS 16
#define PATIENCE_ROWS 64

static void run_band(void *user, int64_t task, int thread)
{
    window_state *s = user;
    const window_plan *plan = s->plan;
    char *memory = s->bands + (size_t)task * plan->band_bytes;
    window_band b = {.state = s, .memory = memory, .thread = thread};
    int64_t y = task * plan->band_rows, end = y + plan->band_rows;
    end = end < plan->down.n ? end : plan->down.n;
    int64_t patience = PATIENCE_HEIGHTS * (plan->down.lo + plan->down.hi + 1) + PATIENCE_ROWS;
    while (y < end) {
        int64_t slid = window_slide(&b, y, end);
        if (slid < end) {
            int64_t stop = end - slid > patience ? slid + patience : end;
            patience *= slid == y ? 8 : 1;
            window_strips(&b, slid, stop);
            slid = stop;
        }
        if (atomic_load_explicit(&s->stop, memory_order_relaxed)) {
            return;
        }
        y = slid;
    }
}

/* Fills a row of samples with the constant, or zeros where nothing counts. */
static void fill_outside(const window_state *s)
{
    char *row = s->shared + s->plan->outside;
    size_t bytes = satf_type_bytes(s->spec->in.type);
    double value = s->spec->border == SATF_CONSTANT ? s->spec->constant : 0;
    for (int64_t i = 0; i < s->plan->samples; i++) {
        char *sample = row + (size_t)i * bytes;
        switch (s->spec->in.type) {
        case SATF_U8:
            memcpy(sample, &(uint8_t){(uint8_t)value}, bytes);
            break;
        case SATF_U16:
            memcpy(sample, &(uint16_t){(uint16_t)value}, bytes);
            break;
        case SATF_F32:
            memcpy(sample, &(float){(float)value}, bytes);
            break;
        default:
            memcpy(sample, &value, bytes);
        }
    }
}

static satf_status check(satf_context *ctx, const window_spec *spec)
{
    satf_status status = satf_check_view(ctx, &spec->in, "the input", !spec->row);
    if (status) {
        return status;
    }
    if (spec->w < 1 || spec->w > 65535 || spec->h < 1 || spec->h > 65535) {
        return satf_fail(ctx, SATF_INVALID,
                         "a window of %lld x %lld pixels: its sides must be 1 ... 65535",
                         (long long)spec->w, (long long)spec->h);
    }
    if (spec->at_x > spec->w / 2 || spec->at_x <= spec->w / 2 - spec->w ||
        spec->at_y > spec->h / 2 || spec->at_y <= spec->h / 2 - spec->h) {
        return satf_fail(ctx, SATF_INVALID,
                         "a window of %lld x %lld pixels that lies at %lld:%lld does not contain "
                         "its own pixel",
                         (long long)spec->w, (long long)spec->h, (long long)spec->at_x,
                         (long long)spec->at_y);
    }
    if (spec->in.type == SATF_U32 || spec->in.type == SATF_U64) {
        return satf_fail(
            ctx, SATF_UNSUPPORTED,
            "samples of type %s cannot be filtered: convert them to u8, u16, f32 or f64",
            satf_type_name(spec->in.type));
    }
    if (spec->weighted && spec->in.channels < 2) {
        return satf_fail(ctx, SATF_INVALID, "weighting by alpha needs at least two channels");
    }
    return SATF_OK;
}

satf_status window_run(satf_context *ctx, const window_spec *spec, void *scratch, window_sink sink,
                       void *user)
{
    satf_status status = check(ctx, spec);
    if (status) {
        return status;
    }
    window_plan plan;
    if (!window_plan_make(ctx, spec, &plan) || plan.bytes > (uint64_t)ctx->max_bytes) {
        return satf_fail(ctx, SATF_LIMIT,
                         "a window of this size needs more memory than the limit of %lld bytes: "
                         "raise it (limit: max-memory)",
                         (long long)ctx->max_bytes);
    }
    char *memory = scratch ? scratch : satf_alloc(plan.bytes);
    if (!memory) {
        return satf_fail_memory(ctx, plan.bytes, "window sums");
    }
    char first = ctx->message[0]; /* set aside: success keeps the latest failure's message */
    ctx->message[0] = '\0';
    window_state s = {.ctx = ctx, .plan = &plan, .spec = spec, .sink = sink, .user = user};
    s.shared = memory;
    s.bands = memory + plan.shared_bytes;
    fill_outside(&s);
    int64_t *table = (int64_t *)(void *)(memory + plan.border_table);
    for (int64_t i = 0; i < plan.across.lo; i++) {
        table[i] = satf_border_index((int)spec->border, i - plan.across.lo, spec->in.width);
    }
    for (int64_t i = 0; i < plan.across.hi; i++) {
        table[plan.across.lo + i] =
            satf_border_index((int)spec->border, spec->in.width + i, spec->in.width);
    }
    double *columns = (double *)(void *)(memory + plan.areas);
    for (int64_t i = 0; spec->border == SATF_SHRINK && i < plan.samples; i++) {
        columns[i] = (double)axis_inside(&plan.across, i / spec->in.channels);
    }
    if (window_slide_prepare(&s)) {
        satf_parallel(ctx, plan.bands, run_band, &s);
    }
    if (!scratch) {
        satf_free(memory);
    }
    status = (satf_status)atomic_load(&s.stop);
    if (!status) {
        ctx->message[0] = first;
    }
    return status;
}
