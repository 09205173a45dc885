/*
 * Choices among windows of integers, of one size, on the CPU by marching: the sums of each window
 * once, wherever it lies, so of a picture that is extended by its border. Rows of results, and of
 * how much their windows vary, wait in a ring until the last pixel has seen them.
 */
#include <string.h>

#include "../base/border.h"
#include "../base/memory.h"
#include "../base/view.h"
#include "../window/march.h"
#include "choice.h"
#include "step.h"

enum {
    CHOICE_PIXELS = 512 /* between which is chosen at once, in the first level of cache */
};

/* What a plan keeps of a step. */
typedef struct choice_step {
    window_plan plan; /* of the extended picture, whose windows begin at their pixel */
    epilogue finish;
    choice choice;
    int count;
    satf_rect windows[FILTER_MAX_WINDOWS], hull; /* hull: where windows of a pixel may begin */
    int64_t ring, kept;                          /* rows of windows, and of the extended picture */
    int64_t in_pixel, out_pixel;                 /* bytes */
    /* Offsets into a walker's memory, behind which is its march's. */
    size_t rows, held, results, varies, best, march;
} choice_step;

/* A walker: behind it are its rows. */
typedef struct choice_walker {
    satf_context *ctx;
    const filter_step *step;
    const filter_rows *rows;
    int64_t y, made; /* the row that comes next; the rows of windows that are made end here */
    window_march windows;
} choice_walker;

static char *memory_of(choice_walker *w, size_t at)
{
    return (char *)w + at;
}

/* ------------------------------------------------------------- the extended picture */

/* Fills it with what a border shows where there is no pixel: the constant, or what counts nothing.
 */
static void fill_outside(const filter_step *step, int64_t pixels, char *to)
{
    size_t bytes = satf_type_bytes(step->in.type);
    double value = step->border.kind == SATF_CONSTANT ? step->border.constant : 0;
    for (int64_t i = 0; i < pixels * step->in.channels; i++, to += bytes) {
        formula_store(step->in.type, formula_real(value), to);
    }
}

/* Pixels first ... end - 1 of an extended row, of which none lies inside the picture. */
static void extend(const filter_step *step, const char *row, int64_t first, int64_t end, char *to)
{
    const choice_step *state = step->state;
    for (int64_t x = first; x < end; x++) {
        int64_t i = satf_border_index(step->border.kind, x + state->hull.x, step->in.width);
        char *pixel = to + x * state->in_pixel;
        if (i < 0) {
            fill_outside(step, 1, pixel);
        } else {
            memcpy(pixel, row + i * state->in_pixel, (size_t)state->in_pixel);
        }
    }
}

/* The picture's row for row j of the extended one; NULL: none, and then *inside says whether one
 * could not be had. */
static const void *fetch(const choice_walker *w, int64_t j, bool *inside)
{
    const filter_step *step = w->step;
    const choice_step *state = step->state;
    const void *row = NULL;
    *inside = true;
    for (int64_t n = -1, now = 0; !row && *inside && n != now;) {
        n = filter_rows_height(w->rows, step->in.height);
        int64_t i = satf_border_index(step->border.kind, j + state->hull.y, n);
        *inside = i >= 0;
        row = *inside ? w->rows->in(w->rows->user, i) : NULL;
        now = filter_rows_height(w->rows, step->in.height);
    }
    return row;
}

static const void *extended_row(void *user, int64_t j)
{
    choice_walker *w = user;
    const filter_step *step = w->step;
    const choice_step *state = step->state;
    const satf_view *wide = &state->plan.spec.in;
    int64_t slot = j % state->kept, *held = (int64_t *)(void *)memory_of(w, state->held) + slot;
    char *to = memory_of(w, state->rows) + slot * wide->stride;
    bool inside;
    if (*held == j) {
        return to;
    }
    const char *row = fetch(w, j, &inside);
    if (inside && !row) {
        return NULL;
    }
    if (inside) {
        int64_t before = -state->hull.x;
        extend(step, row, 0, before, to);
        memcpy(to + before * state->in_pixel, row, (size_t)(step->in.width * state->in_pixel));
        extend(step, row, before + step->in.width, wide->width, to);
    } else {
        fill_outside(step, wide->width, to);
    }
    *held = j;
    return to;
}

/* ---------------------------------------------------------------------- windows */

static int64_t clipped(int64_t first, int64_t length, int64_t n)
{
    int64_t end = first + length < n ? first + length : n;
    return end - (first > 0 ? first : 0);
}

/* The pixels of the picture in each window of a segment, one a sample; they are there. */
static void set_areas(const choice_walker *w, double *areas, window_segment *segment)
{
    const filter_step *step = w->step;
    const choice_step *state = step->state;
    const satf_rect *window = &state->windows[0];
    int64_t height = filter_rows_height(w->rows, step->in.height), channels = step->in.channels;
    int64_t rows = clipped(segment->y + state->hull.y, window->h, height);
    double most = 0;
    for (int64_t p = 0; p < segment->n; p++) {
        int64_t x = segment->x + p + state->hull.x;
        int64_t columns = clipped(x, window->w, step->in.width);
        /* Nobody asks for windows that lie outside. */
        double area = columns > 0 && rows > 0 ? (double)(columns * rows) : 1;
        most = area > most ? area : most;
        for (int64_t c = 0; c < channels; c++) {
            areas[p * channels + c] = area;
        }
    }
    segment->area = (uint64_t)most;
    segment->areas = areas;
}

/* How much the windows of a row of the ring vary. */
static choice_row ring_row(choice_walker *w, size_t slot)
{
    const choice_step *state = w->step->state;
    size_t wide = (size_t)state->plan.spec.in.width;
    size_t at = state->varies + slot * choice_row_bytes(&state->choice, wide);
    return choice_row_at(&state->choice, memory_of(w, at), wide);
}

static void take_segment(void *user, const window_segment *given)
{
    choice_walker *w = user;
    const filter_step *step = w->step;
    const choice_step *state = step->state;
    size_t wide = (size_t)state->plan.spec.in.width, slot = (size_t)(given->y % state->ring);
    double areas[HORIZONTAL_SEGMENT];
    window_segment segment = *given;
    if (step->border.kind == SATF_SHRINK) {
        set_areas(w, areas, &segment);
    }
    choice_row row = ring_row(w, slot);
    char *results = memory_of(w, state->results) + slot * wide * (size_t)state->out_pixel;
    epilogue_segment(&state->finish, &segment, results + segment.x * state->out_pixel);
    choice_vary(&state->choice, &segment, &row);
}

/* n results from x on, from the windows' rows that are in the ring. */
static void choose_pixels(choice_walker *w, int64_t x, int64_t n, char *to)
{
    const choice_step *state = w->step->state;
    size_t wide = (size_t)state->plan.spec.in.width;
    choice_row best = choice_row_at(&state->choice, memory_of(w, state->best), CHOICE_PIXELS);
    for (int k = 0; k < state->count; k++) {
        const satf_rect *window = &state->windows[k];
        size_t slot = (size_t)((w->y + window->y - state->hull.y) % state->ring);
        int64_t at = x + window->x - state->hull.x;
        choice_row row = ring_row(w, slot);
        const char *results =
            memory_of(w, state->results) + (slot * wide + (size_t)at) * (size_t)state->out_pixel;
        if (k == 0) {
            choice_copy(&state->choice, n, &row, at, &best);
            memcpy(to, results, (size_t)(n * state->out_pixel));
        } else {
            choice_take(&state->choice, n, &row, at, &best, 0, results, to);
        }
    }
}

/* ------------------------------------------------------------------------ walkers */

static bool suits(const satf_context *ctx, const filter_step *step)
{
    satf_rect windows[FILTER_MAX_WINDOWS];
    int count = filter_windows(step, windows);
    bool alike = true;
    for (int k = 1; k < count; k++) {
        alike = alike && windows[k].w == windows[0].w && windows[k].h == windows[0].h;
    }
    (void)ctx;
    /* Floats have the shift of what lies around them, which a border would be part of. */
    return alike && !satf_type_is_float(step->in.type);
}

static const char *refuses_rows(const filter_step *step)
{
    /* Rows are kept for good at the picture's end or at its start, not both. */
    satf_rect all = filter_windows_hull(step);
    return step->border.kind == SATF_WRAP && all.h > 1 && all.h >= step->in.height
               ? "needs the whole picture for so high a window with border wrap"
               : NULL;
}

static void place_windows(const filter_step *step, choice_step *state)
{
    state->count = filter_windows(step, state->windows);
    state->hull = filter_windows_hull(step);
    state->hull.w -= state->windows[0].w - 1;
    state->hull.h -= state->windows[0].h - 1;
}

static satf_status plan_march(satf_context *ctx, const filter_step *step, choice_step *state)
{
    const satf_view *in = &step->in;
    const satf_rect *window = &state->windows[0], *hull = &state->hull;
    window_spec spec = {.w = window->w,
                        .h = window->h,
                        .at_x = window->w / 2,
                        .at_y = window->h / 2,
                        .border = SATF_CLAMP,
                        .weighted = step->weighted,
                        .squares = true,
                        .row = extended_row};
    spec.in =
        satf_view_packed(NULL, in->width + hull->w + window->w - 2,
                         in->height + hull->h + window->h - 2, in->channels, (satf_type)in->type);
    spec.in.flags = in->flags;
    state->kept = window_rows_kept(&spec);
    return window_plan_make(ctx, &spec, &state->plan);
}

/* a b bytes of a walker at *at; false if they overflow. */
static bool reserve(size_t a, size_t b, size_t *bytes, size_t *at)
{
    size_t more;
    *at = *bytes;
    return satf_mul(a, b, &more) && more < SIZE_MAX / 2 &&
           satf_add(*bytes, satf_align64(more), bytes);
}

static bool lay_out(choice_step *state, size_t *bytes)
{
    const satf_view *wide = &state->plan.spec.in;
    size_t pixels = (size_t)wide->width, ring = (size_t)state->ring, row;
    *bytes = satf_align64(sizeof(choice_walker));
    if (!satf_mul(pixels, sizeof(varied), &row)) { /* that choice_row_bytes() is at most */
        return false;
    }
    row = choice_row_bytes(&state->choice, pixels);
    return reserve((size_t)state->kept, (size_t)wide->stride, bytes, &state->rows) &&
           reserve((size_t)state->kept, sizeof(int64_t), bytes, &state->held) &&
           reserve(ring * (size_t)state->out_pixel, pixels, bytes, &state->results) &&
           reserve(ring, row, bytes, &state->varies) &&
           reserve(1, choice_row_bytes(&state->choice, CHOICE_PIXELS), bytes, &state->best) &&
           reserve(1, state->plan.band_bytes, bytes, &state->march);
}

static satf_status plan(satf_context *ctx, filter_step *step)
{
    choice_step *state = step->state;
    place_windows(step, state);
    const satf_rect *window = &state->windows[0];
    state->ring = state->hull.h;
    state->in_pixel = satf_pixel_bytes(&step->in);
    state->out_pixel = satf_pixel_bytes(&step->out);
    epilogue_init(&state->finish, step->pass, step->options, &step->in, &step->out, step->weighted);
    filter_set_scale(&step->scale, &state->finish.constants);
    state->finish.around_caches = false;
    state->choice = choice_of(&state->finish, (uint64_t)(window->w * window->h),
                              step->border.kind == SATF_SHRINK);
    satf_status status = plan_march(ctx, step, state);
    if (!status && !lay_out(state, &step->walker_bytes)) {
        status = satf_fail(ctx, SATF_LIMIT, "the rows of windows are too large for any memory");
    }
    if (!status && step->by_rows) {
        int64_t beyond = window->h - 1, height = step->in.height;
        beyond = beyond < height ? beyond : height;
        step->need.kept = state->kept < height ? state->kept : height;
        step->need.end = step->need.start = step->border.kind == SATF_WRAP ? beyond : 0;
    }
    step->kept_bytes = state->plan.shared_bytes;
    return status;
}

static satf_status prepare(satf_context *ctx, filter_step *step)
{
    (void)ctx;
    const choice_step *state = step->state;
    window_prepare(&state->plan, step->kept);
    return SATF_OK;
}

static satf_status begin(satf_context *ctx, const filter_step *step, const filter_rows *rows,
                         int64_t first, int64_t end, void *walker)
{
    const choice_step *state = step->state;
    choice_walker *w = walker;
    (void)end;
    *w = (choice_walker){.ctx = ctx, .step = step, .rows = rows, .y = first, .made = first};
    int64_t *held = (int64_t *)(void *)memory_of(w, state->held);
    for (int64_t i = 0; i < state->kept; i++) {
        held[i] = -1;
    }
    window_source from = {w, first, state->plan.down.n};
    return window_march_begin(ctx, &state->plan, &from, step->kept, memory_of(w, state->march),
                              take_segment, w, &w->windows);
}

static int64_t next(void *walker, satf_status *status)
{
    choice_walker *w = walker;
    const choice_step *state = w->step->state;
    int64_t height = w->step->in.height;
    while (w->made < w->y + state->ring && w->y < filter_rows_height(w->rows, height)) {
        bool made = window_next(&w->windows.band);
        *status = w->windows.state.stop;
        if (!made || *status) {
            return 0;
        }
        w->made++;
    }
    if (w->y >= filter_rows_height(w->rows, height)) {
        return 0;
    }
    char *to = w->rows->out(w->rows->user, w->y);
    if (!to) {
        *status = satf_fail(w->ctx, SATF_IO, "a row could not be stored");
        return 0;
    }
    int64_t width = w->step->out.width;
    for (int64_t x = 0, n; x < width; x += n) {
        n = width - x < CHOICE_PIXELS ? width - x : CHOICE_PIXELS;
        choose_pixels(w, x, n, to + x * state->out_pixel);
    }
    w->y++;
    return 1;
}

const filter_engine filter_choice_engine = {
    .name = "window",
    .kind = SATF_ENGINE_WINDOW,
    .overs = 1U << OVER_CHOICE,
    .ns = 1,
    .state_bytes = sizeof(choice_step),
    .suits = suits,
    .plan = plan,
    .prepare = prepare,
    .refuses_rows = refuses_rows,
    .begin = begin,
    .next = next,
    .anywhere = true,
    .least_samples = 90000,
};
