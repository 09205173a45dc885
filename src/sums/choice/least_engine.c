/* The engine of OVER_LEAST: of several pixels of an image it takes the one whose number is least.
 * Rows of results and of their numbers come from the pass before; the pixels are the last ones of
 * windows that contain the result's pixel. */
#include <string.h>

#include "../../base/cpu.h"
#include "../../base/memory.h"
#include "../../base/view.h"
#include "../../plan/step.h"
#include "varies_kernels.h"

enum { PIECE_PIXELS = 512 }; /* chosen at once, in the first level of cache */

/* A walker. best: the least numbers so far of a piece's pixels. */
typedef struct least_walker {
    row_walker at;
    const varies_kernels *kernels;
    satf_rect windows[FILTER_MAX_WINDOWS];
    int count, lanes;
    double best[3][PIECE_PIXELS];
} least_walker;

static satf_status least_plan(satf_context *ctx, filter_step *step)
{
    (void)ctx;
    step->need.kept = 1;
    step->walker_bytes = satf_align64(sizeof(least_walker));
    return SATF_OK;
}

static satf_status least_begin(satf_context *ctx, const filter_step *step, const filter_rows *rows,
                               int64_t first, int64_t end, void *walker)
{
    least_walker *w = walker;
    (void)end;
    w->at = (row_walker){ctx, step, rows, first, 0};
    w->kernels = SATF_ISA_CHOOSE(&varies_kernels);
    w->count = step->pass->windows(step->options, w->windows);
    w->lanes = varies_lanes(step->varies);
    return SATF_OK;
}

/* The rows to choose from for a row of results: for each window its last pixel's row. */
typedef struct least_rows {
    const char *results[FILTER_MAX_WINDOWS];
    const double *numbers[FILTER_MAX_WINDOWS];
} least_rows;

/* False if a row does not come. */
static bool find_rows(const least_walker *w, int64_t y, least_rows *of)
{
    const filter_rows *rows = w->at.rows;
    bool all = true;
    for (int k = 0; k < w->count; k++) { /* the lowest rows last: rings let go of the highest */
        const satf_rect *window = &w->windows[k];
        int64_t row = y + window->y + window->h - 1, x = window->x + window->w - 1;
        const char *results = all ? rows->in(rows->user, row) : NULL;
        const double *numbers = results ? rows->aux(rows->user, 0, row) : NULL;
        all = numbers != NULL;
        of->results[k] = all ? results + x * satf_pixel_bytes(&w->at.step->in) : NULL;
        of->numbers[k] = all ? numbers + x : NULL;
    }
    return all;
}

/* Makes n results from x on. */
static void least_choose(least_walker *w, const least_rows *of, int64_t x, int64_t n, char *to)
{
    const filter_step *step = w->at.step;
    size_t bytes = satf_type_bytes(step->out.type);
    int64_t pixel = satf_pixel_bytes(&step->out);
    uint8_t less[PIECE_PIXELS];
    int64_t plane = step->aux[0].width;
    for (int k = 0; k < w->lanes; k++) {
        memcpy(w->best[k], of->numbers[0] + k * plane + x, (size_t)n * sizeof *w->best[k]);
    }
    memcpy(to, of->results[0] + x * pixel, (size_t)(n * pixel));
    for (int k = 1; k < w->count; k++) {
        w->kernels->lessen(step->varies, n, of->numbers[k] + x, plane, w->best[0], PIECE_PIXELS,
                           less);
        w->kernels->take(n, step->out.channels, bytes, less, of->results[k] + x * pixel, to);
    }
}

static int64_t least_next(void *walker, satf_status *status)
{
    least_walker *w = walker;
    const filter_step *step = w->at.step;
    const filter_rows *rows = w->at.rows;
    int64_t y = w->at.y, width = step->out.width;
    least_rows of;
    bool is_made = y < step->out.height && find_rows(w, y, &of);
    int64_t planned = step->in.height;
    if (y >= step->out.height - planned + filter_rows_height(rows, planned)) {
        return 0;
    }
    char *to = is_made ? rows->out(rows->user, y) : NULL;
    if (!to) {
        *status = satf_fail_row(w->at.ctx, y);
        return 0;
    }
    for (int64_t x = 0, n; x < width; x += n) {
        n = width - x < PIECE_PIXELS ? width - x : PIECE_PIXELS;
        least_choose(w, &of, x, n, to + x * satf_pixel_bytes(&step->out));
    }
    w->at.y++;
    return 1;
}

static const char *least_algorithm(const filter_step *step)
{
    const filter_step *maker = step->maker;
    return maker->engine->algorithm ? maker->engine->algorithm(maker) : NULL;
}

static const filter_engine least_engine = {
    .name = "least",
    .does = "chooses among pixels",
    .ns = 9,
    .plan = least_plan,
    .begin = least_begin,
    .next = least_next,
    .anywhere = true,
    .least_samples = 150000,
    .algorithm = least_algorithm,
};

/* The reach: the windows' last pixels. */
static filter_reach least_reach(const chain_link *link, const filter_pass *pass)
{
    satf_rect windows[FILTER_MAX_WINDOWS], all = {0, 0, 1, 1};
    int count = pass->windows(link->options, windows);
    for (int k = 0; k < count; k++) {
        const satf_rect *w = &windows[k];
        satf_rect last = {w->x + w->w - 1, w->y + w->h - 1, 1, 1};
        filter_rect_around(&all, &last);
    }
    return shape_rect_reach(&all);
}

static const filter_engine *const least_engines[] = {&least_engine, NULL};

const pass_shape shape_least = {.kind = SATF_FILTER_WINDOW,
                                .of_pixel = true,
                                .picks = true,
                                .reach = least_reach,
                                .engines = least_engines};
