#include "window.h"

#include <string.h>

#include "../base/border.h"
#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "march.h"

/* Samples between two looks at the context's progress callback. */
#define REPORT_SAMPLES (1 << 18)

/* Where floats cannot slide they go by strips for at least so many windows' heights and
 * rows, since to take up either way costs a height of rows. */
#define PATIENCE_HEIGHTS 16
#define PATIENCE_ROWS 64

/* The samples of row y of the picture with its border; NULL after a failure. */
const void *window_fetch(window_state *s, int64_t y)
{
    const window_spec *spec = s->spec;
    int64_t i = satf_border_index((int)spec->border, y, spec->in.height);
    if (i < 0) {
        return s->shared + s->plan->outside;
    }
    if (!spec->row) {
        return satf_row(&spec->in, i);
    }
    const void *row = spec->row(spec->row_user, i);
    if (!row) {
        if (!s->ctx->message[0]) {
            satf_fail(s->ctx, SATF_IO, "row %lld of the picture could not be had; see its source",
                      (long long)i);
        }
        atomic_store(&s->stop, SATF_IO);
    }
    return row;
}

void window_prefetch(const window_state *s, int64_t y, int64_t x, int64_t end)
{
    const window_spec *spec = s->spec;
    int64_t i = satf_border_index((int)spec->border, y, spec->in.height);
    if (spec->row || i < 0) {
        return;
    }
    int64_t pixel = spec->in.channels * (int64_t)satf_type_bytes(spec->in.type);
    const char *row = satf_row(&spec->in, i);
    for (int64_t at = x * pixel; at < end * pixel; at += 64) {
        __builtin_prefetch(row + at, 0, 2);
    }
}

/* Pixels that a piece of a segment consists of, but for the last: keeps the sums aligned. */
#define PIECE_PIXELS 64

/* The columns of all windows at x ... x + n - 1 under SATF_SHRINK; 0 if they differ. Along a
 * row they rise, stay, and fall. */
static int64_t common_columns(const axis *across, int64_t x, int64_t n)
{
    int64_t columns = axis_inside(across, x);
    bool same = axis_inside(across, x + (n - 1) / 2) == columns &&
                axis_inside(across, x + n - 1) == columns;
    return same ? columns : 0;
}

static void set_areas(const window_band *b, window_segment *segment, int64_t rows)
{
    const window_state *s = b->state;
    const double *columns = (const double *)(const void *)(s->shared + s->plan->areas);
    double *areas = (double *)(void *)(b->memory + s->plan->segment_areas), most = 0;
    int channels = s->spec->in.channels;
    for (int64_t i = 0; i < segment->n * channels; i++) {
        areas[i] = columns[segment->x * channels + i] * (double)rows;
        most = areas[i] > most ? areas[i] : most;
    }
    segment->area = (uint64_t)most;
    segment->areas = areas;
}

/* Hands out the pieces of a segment that the border shrinks: of one area, or of many. */
static void deliver_pieces(const window_band *b, const window_segment *whole)
{
    const window_state *s = b->state;
    const axis *across = &s->plan->across;
    int64_t rows = axis_inside(&s->plan->down, whole->y), end = whole->x + whole->n;
    int64_t channels = s->spec->in.channels;
    for (int64_t x = whole->x, next; x < end; x = next) {
        int64_t columns = 0;
        for (next = x; next < end;) {
            int64_t n = end - next < PIECE_PIXELS ? end - next : PIECE_PIXELS;
            int64_t common = common_columns(across, next, n);
            if (next > x && common != columns) {
                break;
            }
            columns = common;
            next += n;
        }
        window_segment piece = *whole;
        size_t first = (size_t)((x - whole->x) * channels);
        piece.x = x;
        piece.n = next - x;
        piece.sums = (const char *)whole->sums + first * satf_sum_bytes(whole->sum_type);
        if (whole->squares) {
            piece.squares =
                (const char *)whole->squares + first * satf_sum_bytes(whole->square_type);
        }
        if (whole->centre) {
            piece.centre =
                (const char *)whole->centre + first * satf_type_bytes((int)s->spec->in.type);
        }
        piece.area = (uint64_t)(rows * columns);
        if (columns == 0) {
            set_areas(b, &piece, rows);
        }
        s->sink(s->user, b->thread, &piece);
    }
}

/* The samples at (x, y), whose row is fetched once; NULL after a failure. */
static const void *centre_samples(window_band *b, int64_t y, int64_t x)
{
    const satf_view *in = &b->state->spec->in;
    if (!b->centre || b->centre_row != y) {
        b->centre = window_fetch(b->state, y);
        b->centre_row = y;
    }
    return b->centre ? b->centre + x * in->channels * (int64_t)satf_type_bytes(in->type) : NULL;
}

void window_deliver(window_band *b, int64_t y, int64_t x, int64_t n, const void *const *sums)
{
    const window_state *s = b->state;
    const window_plan *plan = s->plan;
    window_segment segment = {.x = x, .y = y, .n = n};
    segment.area = (uint64_t)(s->spec->w * s->spec->h);
    segment.sum_type = plan->plane[0].sum_type;
    segment.square_type = plan->plane[plan->planes - 1].sum_type;
    segment.sums = sums[0];
    segment.squares = plan->planes > 1 ? sums[1] : NULL;
    if (s->spec->centre) {
        segment.centre = centre_samples(b, y, x);
        if (!segment.centre) {
            return;
        }
    }
    if (s->spec->border == SATF_SHRINK) {
        deliver_pieces(b, &segment);
    } else {
        s->sink(s->user, b->thread, &segment);
    }
}

bool window_go_on(window_band *b, int64_t pixels)
{
    window_state *s = b->state;
    const satf_view *in = &s->spec->in;
    if (atomic_load_explicit(&s->stop, memory_order_relaxed)) {
        return false;
    }
    b->unreported += pixels;
    if (b->unreported * in->channels >= REPORT_SAMPLES) {
        int64_t done = atomic_fetch_add(&s->pixels_done, b->unreported) + b->unreported;
        b->unreported = 0;
        if (b->thread == 0 && done < in->width * in->height) {
            satf_status status =
                satf_report_progress(s->ctx, (double)done / (double)(in->width * in->height));
            if (status) {
                atomic_store(&s->stop, (int)status);
                return false;
            }
        }
    }
    return true;
}

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
                         "raise it with --max-memory",
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
