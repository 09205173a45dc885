/* Rows of a strip of floats: loads samples, and adds them up to columns and windows. */
#include "strip_rows.h"

#include <math.h>
#include <string.h>

#include "../../base/border.h"
#include "../../sat/shift.h"
#include "../../base/view.h"

strip strip_at(const window_march *m, int64_t index)
{
    const window_plan *plan = m->plan;
    size_t held = plan->strips_held > 1 ? (size_t)index : 0; /* all, or one */
    strip s = {.x = index * plan->strip_pixels};
    int64_t left = plan->width - s.x;
    s.n = left < plan->strip_pixels ? left : plan->strip_pixels;
    s.columns = (s.n + plan->across.lo + plan->across.hi) * plan->spec.in.channels;
    s.memory = (double *)(void *)(m->memory + plan->strip_memory + held * plan->strip_bytes);
    return s;
}

/* Behind the rows of both blocks lie the part that all windows share, and the shifts, which all
 * rows share unless alpha weighs them. */
static double *behind_blocks(const window_plan *plan, const strip *s)
{
    return s->memory + (window_plan_height(plan) + 1) * plan->strip_arrays * plan->strip_row;
}

static double *shifts_of(const window_plan *plan, const strip *s)
{
    return behind_blocks(plan, s) + 3 * plan->strip_row;
}

static strip_row row_at(const window_plan *plan, double *memory, double *shift)
{
    return (strip_row){.sum = memory,
                       .square = plan->planes > 1 ? memory + plan->strip_row : NULL,
                       .shift = plan->moments ? shift : NULL};
}

strip_row strip_suffix(const window_plan *plan, const strip *s, int64_t j)
{
    double *memory = s->memory + j * plan->strip_arrays * plan->strip_row;
    return row_at(plan, memory,
                  plan->spec.weighted ? memory + 2 * plan->strip_row : shifts_of(plan, s));
}

strip_row strip_prefix(const window_plan *plan, const strip *s)
{
    return strip_suffix(plan, s, window_plan_height(plan));
}

static strip_row fixed_row(const window_plan *plan, const strip *s)
{
    double *memory = behind_blocks(plan, s);
    return row_at(plan, memory, memory + 2 * plan->strip_row);
}

static double *scratch_at(const window_march *m, int array)
{
    const window_plan *plan = m->plan;
    return (double *)(void *)(m->memory + plan->strip_scratch) + array * plan->scratch_row;
}

/* Three arrays from that one on. */
static strip_row scratch_row(const window_march *m, int array)
{
    const window_plan *plan = m->plan;
    return (strip_row){.sum = scratch_at(m, array),
                       .square = plan->planes > 1 ? scratch_at(m, array + 1) : NULL,
                       .shift = plan->moments ? scratch_at(m, array + 2) : NULL};
}

strip_row strip_scratch(const window_march *m)
{
    return scratch_row(m, SCRATCH_WINDOWS);
}

/* ------------------------------------------------------------------- a row of samples */

static void strip_rows_load(const window_march *m, int64_t pixels, const void *row, double *to)
{
    static const double none[SATF_MAX_CHANNELS];
    vertical_row shape = {SATF_SUMMAND_PLAIN, m->plan->spec.in.channels, pixels};
    m->plan->strip->shift_by((satf_type)m->plan->spec.in.type, &shape, row, none, to);
}

static int64_t within(int64_t x, int64_t n)
{
    return x < 0 ? 0 : x < n ? x : n;
}

/* The pixels that the border puts at x ... end - 1, where they are no pixels of the strip. */
static void load_others(const window_march *m, const char *row, int64_t x, int64_t end, double *to)
{
    const satf_view *in = &m->plan->spec.in;
    size_t pixel = (size_t)satf_pixel_bytes(in);
    char *edge = (char *)scratch_at(m, SCRATCH_EDGE);
    for (int64_t k = 0; k < end - x; k++) {
        int64_t i = satf_border_index((int)m->plan->spec.border, x + k, in->width);
        memcpy(edge + (size_t)k * pixel,
               i < 0 ? m->shared + m->plan->outside : row + (size_t)i * pixel, pixel);
    }
    strip_rows_load(m, end - x, edge, to);
}

/* The pixels that the border puts at x ... end - 1; 0 where none counts. line: the strip's row, of
 * which pixels inner ... outer - 1 are there; it begins at pixel `first`. */
static void load_edge(const window_march *m, const char *row, int64_t x, int64_t end, int64_t first,
                      int64_t inner, int64_t outer, double *line)
{
    int64_t channels = m->plan->spec.in.channels, lo = m->plan->across.lo,
            width = m->plan->spec.in.width;
    const int64_t *table = (const int64_t *)(const void *)(m->shared + m->plan->border_table);
    if (m->plan->spec.border == SATF_BORDER_SHRINK) {
        memset(line + (x - first) * channels, 0, (size_t)((end - x) * channels) * sizeof *line);
        return;
    }
    for (; x < end; x++) {
        int64_t i = table[lo + (x < 0 ? x : x - width)];
        if (i < inner || i >= outer) {
            load_others(m, row, x, end, line + (x - first) * channels);
            return;
        }
        if (channels == 1) { /* compilers make a call of the loop */
            line[x - first] = line[i - first];
            continue;
        }
        for (int64_t c = 0; c < channels; c++) {
            line[(x - first) * channels + c] = line[(i - first) * channels + c];
        }
    }
}

/* What the strip's windows see of a row, as doubles; never -0. */
static void load_row(const window_march *m, const strip *s, const char *row, double *line)
{
    const satf_view *in = &m->plan->spec.in;
    const axis *across = &m->plan->across;
    int64_t x = s->x - across->lo, end = s->x + s->n + across->hi, channels = in->channels;
    int64_t inner = within(x, in->width), outer = within(end, in->width);
    int64_t behind = x > in->width ? x : in->width;
    if (inner < outer) {
        strip_rows_load(m, outer - inner, row + inner * satf_pixel_bytes(in),
                        line + (inner - x) * channels);
    }
    if (x < inner) {
        load_edge(m, row, x, inner, x, inner, outer, line);
    }
    if (behind < end) {
        load_edge(m, row, behind, end, x, inner, outer, line);
    }
}

/* ------------------------------------------------------------------- rows of columns */

static void strip_rows_add_rows(const window_plan *plan, int64_t n, const strip_row *a,
                                const strip_row *b, const strip_row *to)
{
    plan->strip->add(n, a->sum, b->sum, to->sum);
    if (to->square) {
        plan->strip->add(n, a->square, b->square, to->square);
    }
}

static void copy_array(int64_t n, const double *from, double *to)
{
    if (from != to) {
        memcpy(to, from, (size_t)n * sizeof *to);
    }
}

static void strip_rows_copy_row(int64_t n, const strip_row *from, const strip_row *to)
{
    copy_array(n, from->sum, to->sum);
    copy_array(n, from->square, to->square);
    copy_array(n, from->shift, to->shift);
    copy_array(n, from->weight, to->weight);
}

static void clear_row(int64_t n, const strip_row *row)
{
    memset(row->sum, 0, (size_t)n * sizeof *row->sum);
    if (row->square) {
        memset(row->square, 0, (size_t)n * sizeof *row->square);
    }
}

static void take_shifts(int64_t n, const double *samples, double *shifts)
{
    for (int64_t i = 0; i < n; i++) {
        shifts[i] = fabs(samples[i]) <= SATF_SHIFT_MOST ? samples[i] : 0;
    }
}

void strip_load(const window_march *m, const strip *s, const char *row, const strip_row *to)
{
    const window_plan *plan = m->plan;
    int channels = plan->spec.in.channels;
    double *line = scratch_at(m, SCRATCH_LINE);
    bool plain = plan->moments || plan->plane[0].summand == SATF_SUMMAND_PLAIN;
    load_row(m, s, row, plain ? to->sum : line);
    for (int k = plain; k < plan->planes && !plan->moments; k++) {
        vertical_row shape = {plan->plane[k].summand, channels, s->columns / channels};
        plan->shifted->summands(&shape, plain ? to->sum : line, k ? to->square : to->sum);
    }
}

static bool alpha_weighs(const window_plan *plan)
{
    return plan->moments && plan->spec.weighted;
}

/* row = row and a row of samples, or of summands where no moments are wanted; columns = row and
 * upper (NULL: nothing), but not where alpha weighs. */
static void strip_rows_enter(const window_plan *plan, const strip *s, const strip_row *samples,
                             const strip_row *row, const strip_row *upper, const strip_row *columns)
{
    const strip_kernels *kernels = plan->strip;
    int channels = plan->spec.in.channels;
    if (alpha_weighs(plan)) {
        vertical_row shape = {plan->plane[0].summand, channels, s->columns / channels};
        kernels->enter_weighing(&shape, samples->sum, row, row);
        return;
    }
    if (plan->moments) {
        kernels->enter(s->columns, samples->sum, row, upper, columns);
        return;
    }
    for (int k = 0; k < plan->planes; k++) {
        strip_row of = {k ? row->square : row->sum, NULL, NULL, NULL};
        strip_row to = {k ? columns->square : columns->sum, NULL, NULL, NULL};
        strip_row more = {NULL, NULL, NULL, NULL};
        if (upper) {
            more.sum = k ? upper->square : upper->sum;
        }
        kernels->enter(s->columns, k ? samples->square : samples->sum, &of, upper ? &more : NULL,
                       &to);
    }
}

void strip_begin(const window_march *m, const strip *s, const strip_row *first)
{
    const window_plan *plan = m->plan;
    strip_row prefix = strip_prefix(plan, s);
    clear_row(s->columns, &prefix);
    if (plan->moments && !plan->spec.weighted) {
        take_shifts(s->columns, first->sum, prefix.shift);
    }
}

void strip_enter(const window_march *m, const strip *s, int64_t j)
{
    const window_plan *plan = m->plan;
    strip_row samples = strip_suffix(plan, s, j), prefix = strip_prefix(plan, s);
    strip_rows_enter(plan, s, &samples, &prefix, NULL, &prefix);
}

/* Row j and the suffix sums of row j + 1, where alpha weighs. */
static void complete_weighing(const window_march *m, const strip *s, int64_t j, bool counts)
{
    const window_plan *plan = m->plan;
    int channels = plan->spec.in.channels;
    vertical_row shape = {plan->plane[0].summand, channels, s->columns / channels};
    strip_row row = strip_suffix(plan, s, j), below = scratch_row(m, SCRATCH_SUMS);
    if (j + 1 < window_plan_height(plan)) {
        below = strip_suffix(plan, s, j + 1);
    } else {
        clear_row(s->columns, &below);
        below.shift = row.shift;
    }
    if (counts) {
        plan->strip->enter_weighing(&shape, row.sum, &below, &row);
    } else {
        strip_rows_copy_row(s->columns, &below, &row);
    }
}

void strip_complete(const window_march *m, const strip *s, int64_t first, int64_t counts,
                    int64_t counts_end)
{
    const window_plan *plan = m->plan;
    int64_t height = window_plan_height(plan), stride = plan->strip_arrays * plan->strip_row;
    for (int64_t j = height - 1; j >= first && alpha_weighs(plan); j--) {
        complete_weighing(m, s, j, j >= counts && j < counts_end);
    }
    strip_block block = {strip_suffix(plan, s, 0), stride, height, first, counts, counts_end};
    if (plan->moments && !plan->spec.weighted) {
        plan->strip->suffixes(s->columns, &block);
        return;
    }
    for (int k = 0; k < plan->planes && !plan->moments; k++) {
        strip_block one = block;
        one.row.sum = k ? block.row.square : block.row.sum;
        one.row.square = NULL;
        plan->strip->suffixes(s->columns, &one);
    }
}

/* The row with the weights of its samples, in scratch, if alpha weighs them. */
static strip_row weighed(const window_march *m, int64_t n, const strip_row *row, int array)
{
    int channels = m->plan->spec.in.channels;
    strip_row with = *row;
    if (m->plan->spec.weighted) {
        with.weight = scratch_at(m, array);
        for (int64_t i = 0; i < n; i++) {
            with.weight[i] = row->sum[i - i % channels + channels - 1];
        }
    }
    return with;
}

/* to = both, which do not overlap. moments: second_weight is that of each sample of the second,
 * unless alpha weighs them. */
static void strip_rows_unite(const window_march *m, int64_t n, const strip_row *first,
                             const strip_row *second, double second_weight, const strip_row *to)
{
    const window_plan *plan = m->plan;
    if (!plan->moments) {
        strip_rows_add_rows(plan, n, first, second, to);
        return;
    }
    strip_row one = weighed(m, n, first, SCRATCH_WEIGHTS), both = *to;
    strip_row other = weighed(m, n, second, SCRATCH_WEIGHTS + 1);
    both.weight = one.weight;
    plan->strip->unite(n, &one, &other, second_weight, &both);
}

static void scale_row(int64_t n, double times, const strip_row *row)
{
    for (int64_t i = 0; i < n; i++) {
        row->sum[i] *= times;
        if (row->square) {
            row->square[i] *= times;
        }
    }
}

void strip_add_fixed(const window_march *m, const strip *s, const char *row, int64_t times,
                     bool first)
{
    const window_plan *plan = m->plan;
    strip_row all = fixed_row(plan, s);
    strip_row one = scratch_row(m, SCRATCH_SUMS), samples = strip_scratch(m);
    strip_load(m, s, row, &samples);
    clear_row(s->columns, &one);
    if (plan->moments) {
        take_shifts(s->columns, samples.sum, one.shift);
    }
    strip_rows_enter(plan, s, &samples, &one, NULL, &one);
    scale_row(s->columns, (double)times, &one);
    if (first) {
        strip_rows_copy_row(s->columns, &one, &all);
    } else {
        strip_rows_unite(m, s->columns, &all, &one, (double)times, &all);
    }
}

/* The columns of windows whose last row is row j of the block, in scratch, once it has entered, if
 * it counts. */
static strip_row find_columns(const window_march *m, const strip *s, int64_t j, bool counts)
{
    const window_plan *plan = m->plan;
    int64_t height = window_plan_height(plan), n = s->columns;
    bool one_block = j == height - 1; /* the window is the lower block */
    strip_row last = strip_suffix(plan, s, j), upper = strip_suffix(plan, s, j + 1),
              lower = strip_prefix(plan, s);
    strip_row all = scratch_row(m, SCRATCH_SUMS);
    bool own = plan->spec.weighted || plan->spec.border == SATF_BORDER_SHRINK;
    all.shift = own ? all.shift : lower.shift;
    if (counts) {
        strip_rows_enter(plan, s, &last, &lower, one_block ? NULL : &upper, &all);
    }
    if (alpha_weighs(plan) && !one_block) {
        strip_rows_unite(m, n, &lower, &upper, 0, &all);
    } else if (alpha_weighs(plan) || (!counts && one_block)) {
        strip_rows_copy_row(n, &lower, &all);
    } else if (!counts) { /* above the same shifts */
        strip_rows_add_rows(plan, n, &upper, &lower, &all);
    }
    if (!alpha_weighs(plan)) {
        copy_array(n, lower.shift, all.shift);
    }
    if (axis_has_fixed(&plan->down)) {
        strip_row fixed = fixed_row(plan, s);
        strip_rows_unite(m, n, &all, &fixed, (double)(plan->spec.h - height), &all);
    }
    return all;
}

/* -------------------------------------------------------------------- along the row */

/* Where column i lies in a strip that has all columns; column n is one of a constant border's. */
static int64_t column_at(const axis *across, int64_t i)
{
    return across->lo + (i < across->n ? i : across->before > 0 ? -1 : across->n);
}

static void part_of_row(const strip_row *row, int64_t at, int64_t n, const strip_row *to)
{
    strip_row part = {row->sum + at, row->square ? row->square + at : NULL,
                      row->shift ? row->shift + at : NULL, NULL};
    strip_rows_copy_row(n, &part, to);
}

/* What all windows have of the columns, in scratch, for n samples; *weight: of each, unless alpha
 * weighs them. */
static strip_row find_fixed(const window_march *m, int64_t n, const strip_row *columns,
                            double *weight)
{
    const window_plan *plan = m->plan;
    const axis *across = &plan->across;
    int64_t channels = plan->spec.in.channels;
    strip_row fixed = scratch_row(m, SCRATCH_FIXED), next = scratch_row(m, SCRATCH_NEXT);
    *weight = 0;
    for (int64_t i = 0; i <= across->n; i++) {
        double times = (double)axis_fixed(across, i);
        if (times == 0) {
            continue;
        }
        const strip_row *to = *weight == 0 ? &fixed : &next;
        part_of_row(columns, column_at(across, i) * channels, channels, to);
        scale_row(channels, times, to);
        if (to == &next) {
            strip_rows_unite(m, channels, &fixed, &next, times * (double)plan->spec.h, &fixed);
        }
        *weight += times * (double)plan->spec.h;
    }
    double *arrays[] = {fixed.sum, fixed.square, fixed.shift};
    for (int k = 0; k < 3; k++) {
        if (arrays[k]) {
            plan->strip->repeat((int)channels, n, arrays[k], arrays[k]);
        }
    }
    return fixed;
}

/* The weights of columns that lie in the picture where borders shrink windows of row y. */
static double *find_weights(const window_march *m, const strip *s, int64_t y)
{
    const axis *across = &m->plan->across;
    int64_t x = s->x - across->lo, channels = m->plan->spec.in.channels;
    double *weights = scratch_at(m, SCRATCH_WEIGHTS), rows = (double)axis_inside(&m->down, y);
    for (int64_t i = 0; i < s->columns; i++) {
        int64_t column = x + i / channels;
        weights[i] = column >= 0 && column < across->n ? rows : 0;
    }
    return weights;
}

/* The same of wide windows whose columns all weigh `weight`: groups of neighbours have one shift,
 * that of a column that is in all of them. */
static strip_row find_wide(const window_march *m, const strip *s, const strip_row *columns,
                           double weight)
{
    const window_plan *plan = m->plan;
    int64_t channels = plan->spec.in.channels, window = plan->across.lo + plan->across.hi + 1;
    strip_row windows = scratch_row(m, SCRATCH_WINDOWS), moved = scratch_row(m, SCRATCH_NEXT);
    double *spare = (double *)(void *)(m->memory + plan->strip_spare);
    horizontal_row along = {.channels = plan->spec.in.channels, .window = window};
    for (int64_t x = 0; x < s->n; x += along.pixels) {
        int64_t at = x * channels, common = at + (window - 1) * channels;
        along.pixels = s->n - x < window / 8 * 8 ? s->n - x : window / 8 * 8;
        int64_t n = (along.pixels + window - 1) * channels;
        strip_row group = {columns->sum + at, columns->square + at, columns->shift + at, NULL};
        plan->strip->repeat(along.channels, n, columns->shift + common, windows.shift + at);
        plan->strip->move(n, &group, weight, windows.shift + at, moved.sum, moved.square);
        plan->strip->row_sums(&along, moved.sum, spare, windows.sum + at);
        plan->strip->row_sums(&along, moved.square, spare, windows.square + at);
    }
    return windows;
}

enum { WIDE = 32 }; /* columns from which on groups are faster (notebook, "Moments of floats") */

static strip_row find_moments(const window_march *m, const strip *s, int64_t y, strip_row *columns)
{
    const window_plan *plan = m->plan;
    strip_row windows = scratch_row(m, SCRATCH_WINDOWS);
    horizontal_row along = {plan->spec.in.channels, 0, s->n, plan->across.lo + plan->across.hi + 1,
                            false};
    if (plan->spec.weighted) {
        *columns = weighed(m, s->columns, columns, SCRATCH_WEIGHTS);
    } else if (plan->spec.border == SATF_BORDER_SHRINK) {
        columns->weight = find_weights(m, s, y);
    }
    if (columns->weight) {
        windows.weight = scratch_at(m, SCRATCH_WINDOWS + 3);
    } else if (along.window >= WIDE && !axis_has_fixed(&plan->across)) {
        return find_wide(m, s, columns, (double)plan->spec.h);
    } else {
        windows.shift = columns->shift;
    }
    plan->strip->row_moments(&along, (double)plan->spec.h, columns,
                             (double *)(void *)(m->memory + plan->strip_spare), &windows);
    return windows;
}

static strip_row find_sums(const window_march *m, const strip *s, const strip_row *columns)
{
    const window_plan *plan = m->plan;
    strip_row windows = scratch_row(m, SCRATCH_WINDOWS);
    horizontal_row along = {plan->spec.in.channels, 0, s->n, plan->across.lo + plan->across.hi + 1,
                            false};
    double *spare = (double *)(void *)(m->memory + plan->strip_spare);
    plan->strip->row_sums(&along, columns->sum, spare, windows.sum);
    if (windows.square) {
        plan->strip->row_sums(&along, columns->square, spare, windows.square);
    }
    return windows;
}

strip_row strip_windows(const window_march *m, const strip *s, int64_t y, int64_t j, bool counts)
{
    const window_plan *plan = m->plan;
    strip_row columns = find_columns(m, s, j, counts), fixed = {NULL, NULL, NULL, NULL};
    int64_t n = s->n * plan->spec.in.channels;
    bool has_fixed = axis_has_fixed(&plan->across);
    double weight = 0;
    if (has_fixed) {
        fixed = find_fixed(m, n, &columns, &weight);
    }
    strip_row windows = plan->moments ? find_moments(m, s, y, &columns) : find_sums(m, s, &columns);
    if (has_fixed) {
        strip_rows_unite(m, n, &windows, &fixed, weight, &windows);
    }
    return windows;
}
