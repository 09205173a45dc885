/* The engine of adapters, the steps at both ends of a filter whose pixels engines do not take. */
#include "../base/cpu.h"
#include "../base/memory.h"
#include "../base/view.h"
#include "../plan/gpu.h"
#include "../plan/step.h"
#include "adapt_rows.h"
#include "epilogue_kernels.h"
#include "pixels.h"

typedef struct adapter_walker {
    row_walker at;
    void (*row)(const row_adapter *a, int64_t pixels, const void *from, const void *beside,
                int beside_type, void *to);
    char *finished; /* a row on its way around the caches; NULL: rows go where they belong */
} adapter_walker;

static size_t adapter_row_bytes(const filter_step *step)
{
    return (size_t)(satf_pixel_bytes(&step->out) * step->out.width);
}

/* Whether the result leaves the caches before anybody reads it. */
static bool goes_around(const filter_step *step)
{
    return !step->passes_on && !step->adapter.copies &&
           step->out.height >= SATF_STREAM_BYTES / (int64_t)adapter_row_bytes(step);
}

static satf_status adapter_run(satf_context *ctx, filter_step *step)
{
    return step->adapter.copies
               ? filter_copy_pixels(ctx, &step->in, &step->out)
               : satf_cuda()->adapt(ctx, &step->adapter, &step->in, &step->aux[0], &step->out);
}

static satf_status adapter_plan(satf_context *ctx, filter_step *step)
{
    (void)ctx;
    step->walker_bytes = satf_align64(sizeof(adapter_walker)) +
                         (goes_around(step) ? satf_align64(adapter_row_bytes(step)) : 0);
    step->need.kept = step->by_rows;
    return SATF_OK;
}

static int64_t adapter_next(void *walker, satf_status *status)
{
    adapter_walker *w = walker;
    const filter_rows *rows = w->at.rows;
    const filter_step *step = w->at.step;
    const void *from, *beside = NULL;
    int64_t y = w->at.y;
    void *to = filter_next_row(&w->at, &from, status);
    if (!to) {
        return 0;
    }
    if (step->aux[0].width > 0 && !(beside = rows->aux(rows->user, 0, y))) {
        *status = satf_fail_row(w->at.ctx, y);
        return 0;
    }
    if (step->adapter.copies) {
        satf_copy_row(to, satf_pixel_stride(&step->out), from, satf_pixel_stride(&step->in),
                      satf_pixel_bytes(&step->in), step->in.width);
    } else {
        w->row(&step->adapter, step->in.width, from, beside, step->aux[0].type,
               w->finished ? w->finished : to);
    }
    if (w->finished) {
        SATF_ISA_CHOOSE(&epilogue_kernels)->stream(to, w->finished, adapter_row_bytes(step));
    }
    return 1;
}

/* Where windows wrap around, the last rows are made before the first ones. */
static satf_status adapter_begin(satf_context *ctx, const filter_step *step,
                                 const filter_rows *rows, int64_t first, int64_t end, void *walker)
{
    adapter_walker *w = walker;
    int64_t height = step->out.height;
    satf_status status = SATF_OK;
    (void)end;
    *w = (adapter_walker){{ctx, step, rows, height - step->need.end, 0},
                          SATF_ISA_CHOOSE(&adapt_kernels)->row,
                          goes_around(step) ? (char *)walker + satf_align64(sizeof *w) : NULL};
    while (w->at.y < height && !status) {
        adapter_next(w, &status);
    }
    w->at.y = first;
    return status;
}

static const filter_engine adapter_engine = {
    .name = "adapter",
    .does = "looks at each pixel alone",
    .ns = 0.5,
    .device_ns = 0.003,
    .state_bytes = 1,
    .plan = adapter_plan,
    .run = adapter_run,
    .begin = adapter_begin,
    .next = adapter_next,
    .anywhere = true,
    .least_samples = 300000,
};

static const filter_engine *const adapter_engines[] = {&adapter_engine, NULL};

const pass_shape shape_adapt = {
    .kind = SATF_FILTER_WINDOW, .of_pixel = true, .adapts = true, .engines = adapter_engines};
