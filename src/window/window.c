#include "window.h"

#include <stdatomic.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "plan.h"

/* Samples between two looks at the context's progress callback. */
#define REPORT_SAMPLES (1 << 20)

typedef struct run {
    satf_context *ctx;
    const window_plan *plan;
    const window_spec *spec;
    window_sink sink;
    void *user;
    char *shared, *bands; /* memory */
    atomic_int stop;      /* a satf_status: some band has failed, all finish early */
    _Atomic int64_t rows_done;
} run;

typedef struct band {
    run *run;
    char *memory;
    int thread;
} band;

/* The samples of row y of the picture with its border; NULL after a failure. */
static const void *fetch(run *r, int64_t y)
{
    const window_spec *spec = r->spec;
    int64_t i = satf_border_index((int)spec->border, y, spec->in.height);
    if (i < 0) {
        return r->shared + r->plan->outside;
    }
    if (!spec->row) {
        return satf_row(&spec->in, i);
    }
    const void *row = spec->row(spec->row_user, i);
    if (!row) {
        if (!r->ctx->message[0]) {
            satf_fail(r->ctx, SATF_IO, "row %lld of the picture could not be had; see its source",
                      (long long)i);
        }
        atomic_store(&r->stop, SATF_IO);
    }
    return row;
}

static vertical_row vertical_shape(const run *r, const window_plane *plane, int64_t pixels)
{
    return (vertical_row){plane->summand, r->spec->in.channels, pixels};
}

/* The padded row of column sums of a band: where column 0 lies. */
static char *column_sums(const band *b, const window_plane *plane)
{
    const run *r = b->run;
    size_t pixel = satf_sum_bytes(plane->col_type) * (size_t)r->spec->in.channels;
    return b->memory + plane->columns + (size_t)r->plan->across.lo * pixel;
}

/* Fills the part of the padded row that is outside the picture. */
static void pad(const band *b, const window_plane *plane)
{
    const axis *across = &b->run->plan->across;
    int channels = b->run->spec->in.channels;
    if (across->border == SATF_CONSTANT || across->border == SATF_SHRINK) {
        return;
    }
    const int64_t *from =
        (const int64_t *)(const void *)(b->run->shared + b->run->plan->border_table);
    char *row = column_sums(b, plane);
    plane->horizontal->pad(channels, row, from, across->lo, -across->lo);
    plane->horizontal->pad(channels, row, from + across->lo, across->hi, across->n);
}

/*
 * Asks for the part of the next row to enter that lies where the segment does:
 * hardware prefetching stops at every row's end, and for rows of a page never starts.
 */
static void prefetch(const run *r, int64_t y, const horizontal_row *segment)
{
    const window_spec *spec = r->spec;
    int64_t i = satf_border_index((int)spec->border, y, spec->in.height);
    if (spec->row || i < 0) {
        return;
    }
    int64_t pixel = spec->in.channels * (int64_t)satf_type_bytes(spec->in.type);
    const char *row = satf_row(&spec->in, i);
    for (int64_t at = segment->x * pixel; at < (segment->x + segment->pixels) * pixel; at += 64) {
        __builtin_prefetch(row + at, 0, 2);
    }
}

/* Hands out pixels x ... x + n - 1 of row y, whose sums are at hand, by areas. */
static void deliver(const band *b, int64_t y, int64_t x, int64_t n)
{
    const run *r = b->run;
    const window_plan *plan = r->plan;
    const window_plane *plane = plan->plane;
    window_segment segment = {.x = x, .y = y, .n = n};
    segment.area = (uint64_t)(r->spec->w * r->spec->h);
    segment.sum_type = plane[0].sum_type;
    segment.square_type = plane[plan->planes - 1].sum_type;
    segment.sums = b->memory + plane[0].sums;
    segment.squares = plan->planes > 1 ? b->memory + plane[1].sums : NULL;
    if (r->spec->border != SATF_SHRINK) {
        r->sink(r->user, b->thread, &segment);
        return;
    }
    int64_t rows = axis_inside(&plan->down, y), end = x + n, first = x;
    for (; segment.x < end; segment.x += segment.n) {
        int64_t columns = axis_inside(&plan->across, segment.x);
        segment.n = 1;
        while (segment.x + segment.n < end &&
               axis_inside(&plan->across, segment.x + segment.n) == columns) {
            segment.n++;
        }
        segment.area = (uint64_t)(rows * columns);
        for (int i = 0; i < plan->planes; i++) {
            size_t pixel = satf_sum_bytes(plane[i].sum_type) * (size_t)r->spec->in.channels;
            const char *sums = b->memory + plane[i].sums + (size_t)(segment.x - first) * pixel;
            if ((uintptr_t)sums % 64) {
                sums = memcpy(b->memory + plane[i].edge, sums, (size_t)segment.n * pixel);
            }
            *(i ? &segment.squares : &segment.sums) = sums;
        }
        r->sink(r->user, b->thread, &segment);
    }
}

/* The part of a row's sums that is the same for all its pixels; false if there is none. */
static bool fixed_of_row(const band *b, const window_plane *plane, void *fixed)
{
    const run *r = b->run;
    const axis *across = &r->plan->across;
    int channels = r->spec->in.channels;
    size_t pixel = satf_sum_bytes(plane->col_type) * (size_t)channels;
    const char *row = column_sums(b, plane);
    if (axis_has_fixed(across)) {
        for (int64_t x = 0; x < across->n; x++) {
            int64_t times = axis_fixed(across, x);
            if (times) {
                plane->horizontal->add_pixel(channels, fixed, row + (size_t)x * pixel, times);
            }
        }
        return true;
    }
    if (across->border == SATF_CONSTANT && across->before + across->after > 0) {
        /* Folding leaves at least one pixel of the constant on either side. */
        plane->horizontal->add_pixel(channels, fixed, row - pixel, across->before + across->after);
        return true;
    }
    return false;
}

/* From the column sums of row y to its window sums. */
static void finish_row(const band *b, int64_t y)
{
    const run *r = b->run;
    const window_plan *plan = r->plan;
    const axis *across = &plan->across;
    satf_u128 fixed[2][SATF_MAX_CHANNELS] = {{0}, {0}};
    bool has_fixed = false;
    for (int i = 0; i < plan->planes; i++) {
        pad(b, &plan->plane[i]);
        has_fixed = fixed_of_row(b, &plan->plane[i], fixed[i]);
    }
    horizontal_row shape = {.channels = r->spec->in.channels,
                            .row_pixels = across->n,
                            .window = across->lo + across->hi + 1};
    for (; shape.x < across->n; shape.x += shape.pixels) {
        shape.pixels = across->n - shape.x < plan->segment ? across->n - shape.x : plan->segment;
        prefetch(r, y + 1 + plan->down.hi, &shape);
        for (int i = 0; i < plan->planes; i++) {
            const window_plane *plane = &plan->plane[i];
            size_t pixel = satf_sum_bytes(plane->col_type) * (size_t)shape.channels;
            void *sums = b->memory + plane->sums;
            plane->horizontal->run(&shape, b->memory + plane->columns + (size_t)shape.x * pixel,
                                   b->memory + plane->spare, sums);
            if (has_fixed) {
                plane->horizontal->add_fixed(&shape, sums, fixed[i]);
            }
        }
        deliver(b, y, shape.x, shape.pixels);
    }
}

/* True if the band should go on after row y. */
static bool go_on(const band *b, int64_t y)
{
    run *r = b->run;
    if (atomic_load_explicit(&r->stop, memory_order_relaxed)) {
        return false;
    }
    int64_t interval = REPORT_SAMPLES / r->plan->samples + 1;
    if ((y + 1) % interval == 0) {
        int64_t rows = atomic_fetch_add(&r->rows_done, interval) + interval;
        if (b->thread == 0 && rows < r->spec->in.height) {
            satf_status status =
                satf_report_progress(r->ctx, (double)rows / (double)r->spec->in.height);
            if (status) {
                atomic_store(&r->stop, (int)status);
                return false;
            }
        }
    }
    return true;
}

static void march_integers(const band *b, int64_t first, int64_t end)
{
    run *r = b->run;
    const window_plan *plan = r->plan;
    const axis *down = &plan->down;
    for (int i = 0; i < plan->planes; i++) {
        const window_plane *plane = &plan->plane[i];
        memcpy(column_sums(b, plane), r->shared + plane->fixed_rows, plane->row_bytes);
    }
    for (int64_t y = first - down->lo; y <= first + down->hi; y++) {
        const void *row = fetch(r, y);
        if (!row) {
            return;
        }
        for (int i = 0; i < plan->planes; i++) {
            const window_plane *plane = &plan->plane[i];
            vertical_row shape = vertical_shape(r, plane, down->n ? plan->across.n : 0);
            char *sums = column_sums(b, plane);
            plane->vertical->add(&shape, sums, sums, row, 1);
        }
    }
    for (int64_t y = first; y < end; y++) {
        finish_row(b, y);
        if (!go_on(b, y) || y + 1 == end) {
            return;
        }
        const void *leave = fetch(r, y - down->lo);
        const void *enter = leave ? fetch(r, y + 1 + down->hi) : NULL;
        if (!enter) {
            return;
        }
        for (int i = 0; i < plan->planes; i++) {
            const window_plane *plane = &plan->plane[i];
            vertical_row shape = vertical_shape(r, plane, plan->across.n);
            plane->vertical->march(&shape, column_sums(b, plane), enter, leave);
        }
    }
}

/*
 * Floats: the rows, counted from the first one above the picture that any window
 * touches, are cut into blocks of the window's height. A window is the end of one
 * block and the start of the next (van Herk; Gil and Werman): a suffix sum, kept
 * for the whole block, plus a running prefix sum. Nothing is ever subtracted.
 */
static void march_floats(const band *b, int64_t first, int64_t end)
{
    run *r = b->run;
    const window_plan *plan = r->plan;
    const axis *down = &plan->down;
    int64_t height = down->lo + down->hi + 1;
    for (int64_t y = first; y < end; y++) {
        int64_t within = y % height;
        if (within == 0 || y == first) {
            for (int64_t j = height - 1; j >= within; j--) {
                const void *row = fetch(r, y - within + j - down->lo);
                if (!row) {
                    return;
                }
                for (int i = 0; i < plan->planes; i++) {
                    const window_plane *plane = &plan->plane[i];
                    vertical_row shape = vertical_shape(r, plane, plan->across.n);
                    char *sums = b->memory + plane->suffixes + (size_t)j * plane->row_bytes;
                    const char *base =
                        j == height - 1 ? r->shared + plane->fixed_rows : sums + plane->row_bytes;
                    plane->vertical->add(&shape, sums, base, row, 1);
                }
            }
        }
        for (int64_t j = y == first ? 1 : within; j <= within; j++) {
            const void *row = j ? fetch(r, y - within + height - 1 + j - down->lo) : r;
            if (!row) {
                return;
            }
            for (int i = 0; i < plan->planes; i++) {
                const window_plane *plane = &plan->plane[i];
                vertical_row shape = vertical_shape(r, plane, plan->across.n);
                char *suffixes = b->memory + plane->suffixes;
                char *prefix = suffixes + (size_t)height * plane->row_bytes;
                const char *suffix = suffixes + (size_t)j * plane->row_bytes;
                if (j == 1) {
                    memset(prefix, 0, plane->row_bytes);
                }
                if (j > 0) {
                    plane->vertical->add_both(&shape, column_sums(b, plane), prefix, suffix, row);
                }
            }
        }
        for (int i = 0; within == 0 && i < plan->planes; i++) {
            const window_plane *plane = &plan->plane[i];
            memcpy(column_sums(b, plane), b->memory + plane->suffixes, plane->row_bytes);
        }
        finish_row(b, y);
        if (!go_on(b, y)) {
            return;
        }
    }
}

static void run_band(void *user, int64_t task, int thread)
{
    run *r = user;
    const window_plan *plan = r->plan;
    band b = {r, r->bands + (size_t)task * plan->band_bytes, thread};
    int channels = r->spec->in.channels;
    for (int i = 0; i < plan->planes; i++) {
        const window_plane *plane = &plan->plane[i];
        size_t pixel = satf_sum_bytes(plane->col_type) * (size_t)channels;
        /* Constant and shrinking borders are padded once and for all. */
        int64_t times = r->spec->h;
        char *row = column_sums(&b, plane);
        vertical_row shape = vertical_shape(r, plane, 1);
        const char *zero = memset(b.memory + plane->spare, 0, pixel);
        for (int64_t x = -plan->across.lo; x < plan->across.n + plan->across.hi; x++) {
            if (x < 0 || x >= plan->across.n) {
                plane->vertical->add(&shape, row + x * (int64_t)pixel, zero,
                                     r->shared + plan->outside, times);
            }
        }
    }
    int64_t first = task * plan->band_rows, end = first + plan->band_rows;
    end = end < plan->down.n ? end : plan->down.n;
    if (plan->is_float) {
        march_floats(&b, first, end);
    } else {
        march_integers(&b, first, end);
    }
}

/* Fills a row of samples with the constant, or zeros where nothing counts. */
static void fill_outside(const run *r)
{
    char *row = r->shared + r->plan->outside;
    size_t bytes = satf_type_bytes(r->spec->in.type);
    double value = r->spec->border == SATF_CONSTANT ? r->spec->constant : 0;
    for (int64_t i = 0; i < r->plan->samples; i++) {
        char *sample = row + (size_t)i * bytes;
        switch (r->spec->in.type) {
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

/* The rows' fixed part: the same for every row of the output. */
static bool add_fixed_rows(run *r)
{
    const window_plan *plan = r->plan;
    const axis *down = &plan->down;
    bool constant = down->border == SATF_CONSTANT && down->before + down->after > 0;
    for (int i = 0; i < plan->planes; i++) {
        memset(r->shared + plan->plane[i].fixed_rows, 0, plan->plane[i].row_bytes);
    }
    for (int64_t y = axis_has_fixed(down) ? 0 : down->n; y < down->n + constant; y++) {
        int64_t times = y < down->n ? axis_fixed(down, y) : down->before + down->after;
        const void *row = times == 0    ? r->shared
                          : y < down->n ? fetch(r, y)
                                        : r->shared + plan->outside;
        if (!row) {
            return false;
        }
        for (int i = 0; times && i < plan->planes; i++) {
            const window_plane *plane = &plan->plane[i];
            vertical_row shape = vertical_shape(r, plane, plan->across.n);
            char *sums = r->shared + plane->fixed_rows;
            plane->vertical->add(&shape, sums, sums, row, times);
        }
    }
    return true;
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
    if (spec->in.type == SATF_U32 || spec->in.type == SATF_U64) {
        return satf_fail(
            ctx, SATF_UNSUPPORTED,
            "samples of type %s cannot be filtered: convert them to u8, u16, f32 or f64",
            satf_type_name(spec->in.type));
    }
    if (spec->weighted && spec->in.channels < 2) {
        return satf_fail(ctx, SATF_INVALID, "weighting by alpha needs at least two channels");
    }
    if (spec->row && spec->border == SATF_WRAP) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "border wrap needs the whole picture at once: it cannot be streamed");
    }
    return SATF_OK;
}

satf_status window_run(satf_context *ctx, const window_spec *spec, window_sink sink, void *user)
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
    char *memory = satf_alloc(plan.bytes);
    if (!memory) {
        return satf_fail_memory(ctx, plan.bytes, "window sums");
    }
    ctx->message[0] = '\0';
    run r = {.ctx = ctx, .plan = &plan, .spec = spec, .sink = sink, .user = user};
    r.shared = memory;
    r.bands = memory + plan.shared_bytes;
    fill_outside(&r);
    int64_t *table = (int64_t *)(void *)(memory + plan.border_table);
    for (int64_t i = 0; i < plan.across.lo; i++) {
        table[i] = satf_border_index((int)spec->border, i - plan.across.lo, spec->in.width);
    }
    for (int64_t i = 0; i < plan.across.hi; i++) {
        table[plan.across.lo + i] =
            satf_border_index((int)spec->border, spec->in.width + i, spec->in.width);
    }
    if (add_fixed_rows(&r)) {
        satf_parallel(ctx, plan.bands, run_band, &r);
    }
    satf_free(memory);
    return (satf_status)atomic_load(&r.stop);
}
