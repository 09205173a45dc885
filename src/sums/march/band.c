/* The rows of a march with the border, and segments of sums, for both ways down a picture. */
#include "march.h"

#include "../../base/border.h"
#include "../../base/view.h"

bool window_goes_on(window_march *m, int64_t samples)
{
    m->stop = m->stop ? m->stop : satf_work(m->ctx, samples);
    return !m->stop;
}

/* Row i of a picture in memory. */
static const char *memory_row(const window_march *m, int64_t i)
{
    return (const char *)m->source + i * m->plan->spec.in.stride;
}

/* Row i of the picture; NULL after a failure, or where it has ended in front of it: m->down.n says
 * so. */
static const void *own_row(window_march *m, int64_t i)
{
    const window_spec *spec = &m->plan->spec;
    if (!spec->row) { /* else the source counts */
        return window_goes_on(m, m->looked_at) ? memory_row(m, i) : NULL;
    }
    const void *row = spec->row(m->source, i);
    int64_t height = spec->height ? spec->height(m->source) : m->down.n;
    if (!row && height <= i) {
        m->down.n = height;
    } else if (!row) {
        m->stop = satf_fail_row(m->ctx, i);
    }
    return row;
}

const void *window_fetch(window_march *m, int64_t y)
{
    const void *row = NULL;
    if (!m->plan->spec.row && y >= 0 && y < m->down.n) { /* what most calls ask for */
        return window_goes_on(m, m->looked_at) ? memory_row(m, y) : NULL;
    }
    for (int64_t i = 0, n = 0; !row && n != m->down.n;) {
        n = m->down.n;
        i = satf_border_index((int)m->plan->spec.border, y, n);
        row = i < 0 ? m->shared + m->plan->outside : own_row(m, i);
    }
    return row;
}

void window_prefetch(const window_march *m, int64_t y, int64_t x, int64_t end)
{
    const window_spec *spec = &m->plan->spec;
    int64_t i = m->plan->prefetches ? satf_border_index((int)spec->border, y, spec->in.height) : -1;
    if (i < 0) {
        return;
    }
    int64_t pixel = spec->in.channels * (int64_t)satf_type_bytes(spec->in.type);
    const char *row = memory_row(m, i);
    for (int64_t at = x * pixel; at < end * pixel; at += 64) {
        __builtin_prefetch(row + at, 0, 2);
    }
}

/* Pieces of a segment, but the last, have a multiple of so many pixels: sums stay aligned. */
#define PIECE_PIXELS 64

/* The columns of all windows at x ... x + n - 1 under SATF_BORDER_SHRINK; 0 if windows differ.
 * Along a row the number rises, stays, and falls, so three places tell. */
static int64_t common_columns(const axis *across, int64_t x, int64_t n)
{
    int64_t columns = axis_inside(across, x);
    bool same = axis_inside(across, x + (n - 1) / 2) == columns &&
                axis_inside(across, x + n - 1) == columns;
    return same ? columns : 0;
}

static void set_areas(const window_march *m, window_segment *segment, int64_t rows)
{
    const double *columns = (const double *)(const void *)(m->shared + m->plan->areas);
    double *areas = (double *)(void *)(m->memory + m->plan->segment_areas), most = 0;
    int channels = m->plan->spec.in.channels;
    for (int64_t i = 0; i < segment->n * channels; i++) {
        areas[i] = columns[segment->x * channels + i] * (double)rows;
        most = areas[i] > most ? areas[i] : most;
    }
    segment->area = (uint64_t)most;
    segment->areas = areas;
}

/* Hands out the pieces of a segment that the border shrinks: of one area, or of many. */
static void deliver_pieces(const window_march *m, const window_segment *whole)
{
    const axis *across = &m->plan->across;
    int64_t rows = axis_inside(&m->down, whole->y), end = whole->x + whole->n;
    int64_t channels = m->plan->spec.in.channels;
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
        piece.shifts = whole->shifts ? whole->shifts + first : NULL;
        if (whole->centre) {
            piece.centre =
                (const char *)whole->centre + first * satf_type_bytes((int)m->plan->spec.in.type);
        }
        piece.area = (uint64_t)(rows * columns);
        if (columns == 0) {
            set_areas(m, &piece, rows);
        }
        m->sink(m->user, &piece);
    }
}

/* The samples at (x, y), whose row is fetched once; NULL after a failure. */
static const void *centre_samples(window_march *m, int64_t y, int64_t x)
{
    const satf_view *in = &m->plan->spec.in;
    if (!m->centre || m->centre_row != y) {
        m->centre = window_fetch(m, y);
        m->centre_row = y;
    }
    return m->centre ? m->centre + x * in->channels * (int64_t)satf_type_bytes(in->type) : NULL;
}

void window_deliver(window_march *m, int64_t y, int64_t rows, int64_t x, int64_t n,
                    void *const *sums, const double *shifts)
{
    const window_spec *spec = &m->plan->spec;
    window_segment *segment = &m->segment;
    int64_t pitch = m->plan->columns * spec->in.channels;
    const char *squares = m->plan->planes > 1 ? sums[1] : NULL;
    segment->x = x;
    segment->n = n;
    segment->shifts = shifts;
    for (int64_t row = 0; row < rows; row++) {
        size_t at = (size_t)(row * pitch);
        segment->y = y + row;
        segment->sums = (const char *)sums[0] + at * satf_sum_bytes(segment->sum_type);
        segment->squares = squares ? squares + at * satf_sum_bytes(segment->square_type) : NULL;
        segment->centre = spec->centre ? centre_samples(m, y + row, x) : NULL;
        if (spec->centre && !segment->centre) {
            return;
        }
        if (spec->border == SATF_BORDER_SHRINK) {
            deliver_pieces(m, segment);
        } else {
            m->sink(m->user, segment);
        }
    }
}
