#include "plan.h"

#include <string.h>

#include "../base/border.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "slide.h"
#include "strips.h"

/* Where floats cannot slide they go by strips for at least so many windows' heights and
 * rows, since to take up either way costs a height of rows. */
#define PATIENCE_HEIGHTS 16
#define PATIENCE_ROWS 64

enum { NOT_THE_CALLER = 1 }; /* a thread that reports no progress */

static bool stops(const window_band *b)
{
    return b->y >= b->end || b->y >= b->state->down.n ||
           atomic_load_explicit(&b->state->stop, memory_order_relaxed);
}

/* From the band's row on by strips: to the end, or until sliding is worth another try. */
static void take_strips(window_band *b)
{
    bool again = b->state->plan->slides && b->end - b->y > b->patience;
    int64_t until = again ? b->y + b->patience : b->end;
    b->patience *= b->y == b->since ? 8 : 1;
    b->way = WAY_STRIPS;
    b->since = b->y;
    b->until = until;
}

/* Delivers the band's row, if it goes by sliding. */
static bool slide(window_band *b)
{
    if (b->way == WAY_OPEN) {
        b->since = b->y;
        b->until = b->end;
        b->way = WAY_SLIDES;
        if (!b->state->plan->slides || !window_slide_start(b)) {
            return false;
        }
    }
    return b->way == WAY_SLIDES && window_slide_row(b);
}

bool window_next(window_band *b)
{
    const window_plan *plan = b->state->plan;
    bool delivered = false;
    if (stops(b)) {
        return false;
    }
    b->way = b->y == b->until ? WAY_OPEN : b->way;
    if (b->way != WAY_STRIPS) {
        delivered = slide(b);
        if (delivered) {
            window_go_on(b, plan->across.n);
        } else if (!stops(b)) {
            take_strips(b);
        }
    }
    if (b->way == WAY_STRIPS && plan->strips_held < plan->strips) {
        window_strips(b);
        b->y = b->until;
        return true;
    }
    if (b->way == WAY_STRIPS) {
        delivered = window_strips_row(b);
    }
    b->y += delivered;
    return delivered;
}

void window_begin(window_state *s, char *memory, int thread, int64_t first, int64_t end,
                  window_band *b)
{
    const axis *down = &s->plan->down;
    *b = (window_band){.state = s,
                       .memory = memory,
                       .thread = thread,
                       .y = first,
                       .end = end,
                       .until = first,
                       .patience = PATIENCE_HEIGHTS * (down->lo + down->hi + 1) + PATIENCE_ROWS};
}

satf_status window_march_begin(satf_context *ctx, const window_plan *plan, void *source,
                               char *shared, char *own, int64_t first, window_sink sink, void *user,
                               window_march *m)
{
    m->spec = plan->spec;
    m->spec.row_user = source;
    m->state = (window_state){.ctx = ctx,
                              .plan = plan,
                              .spec = &m->spec,
                              .sink = sink,
                              .user = user,
                              .down = plan->down,
                              .shared = shared,
                              .bands = own};
    window_begin(&m->state, own, NOT_THE_CALLER, first, plan->down.n, &m->band);
    return window_slide_prepare(&m->state) ? SATF_OK : (satf_status)atomic_load(&m->state.stop);
}

bool window_march_next(window_march *m, satf_status *status)
{
    bool delivered = window_next(&m->band);
    *status = (satf_status)atomic_load_explicit(&m->state.stop, memory_order_relaxed);
    return delivered && !*status;
}

static void run_band(void *user, int64_t task, int thread)
{
    window_state *s = user;
    const window_plan *plan = s->plan;
    int64_t first = task * plan->band_rows, end = first + plan->band_rows;
    window_band b;
    window_begin(s, s->bands + (size_t)task * plan->band_bytes, thread, first,
                 end < plan->down.n ? end : plan->down.n, &b);
    while (window_next(&b)) {
    }
}

/* Fills a row of samples with the constant, or zeros where nothing counts. */
static void fill_outside(const window_plan *plan, char *row)
{
    const window_spec *spec = &plan->spec;
    size_t bytes = satf_type_bytes(spec->in.type);
    double value = spec->border == SATF_CONSTANT ? spec->constant : 0;
    for (int64_t i = 0; i < plan->samples; i++) {
        char *sample = row + (size_t)i * bytes;
        switch (spec->in.type) {
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

void window_prepare(const window_plan *plan, void *memory)
{
    const window_spec *spec = &plan->spec;
    char *shared = memory;
    fill_outside(plan, shared + plan->outside);
    int64_t *table = (int64_t *)(void *)(shared + plan->border_table);
    for (int64_t i = 0; i < plan->across.lo; i++) {
        table[i] = satf_border_index((int)spec->border, i - plan->across.lo, spec->in.width);
    }
    for (int64_t i = 0; i < plan->across.hi; i++) {
        table[plan->across.lo + i] =
            satf_border_index((int)spec->border, spec->in.width + i, spec->in.width);
    }
    for (int i = 0; i < plan->planes; i++) {
        memset(shared + plan->plane[i].fixed_rows, 0, plan->plane[i].row_bytes);
    }
    double *columns = (double *)(void *)(shared + plan->areas);
    for (int64_t i = 0; spec->border == SATF_SHRINK && i < plan->samples; i++) {
        columns[i] = (double)axis_inside(&plan->across, i / spec->in.channels);
    }
}

satf_status window_run(satf_context *ctx, const window_plan *plan, void *data, void *memory,
                       window_sink sink, void *user)
{
    window_spec spec = plan->spec;
    if (spec.row) {
        spec.row_user = data;
    } else {
        spec.in.data = data;
    }
    char first = ctx->message[0]; /* set aside: success keeps the latest failure's message */
    ctx->message[0] = '\0';
    window_state s = {
        .ctx = ctx, .plan = plan, .spec = &spec, .sink = sink, .user = user, .down = plan->down};
    s.shared = memory;
    s.bands = s.shared + plan->shared_bytes;
    if (window_slide_prepare(&s)) {
        satf_parallel(ctx, plan->bands, run_band, &s);
    }
    satf_status status = (satf_status)atomic_load(&s.stop);
    if (!status) {
        ctx->message[0] = first;
    }
    return status;
}
