/* The table `filter`: filters over images in memory, by window. */
#include "bench.h"

#include <math.h>
#include <string.h>

#include "../src/base/parallel.h"
#include "../src/base/view.h"

static const bench_column columns[] = {
    {"table", NULL, BENCH_TEXT, 0, false},
    {"name", "filter", BENCH_TEXT, 9, false},
    {"input", "input", BENCH_TEXT, 5, false},
    {"output", "output", BENCH_TEXT, 6, false},
    {"width", "width", BENCH_INTEGER, 6, false},
    {"height", "height", BENCH_INTEGER, 6, false},
    {"channels", "ch", BENCH_INTEGER, 2, false},
    {"window", "window", BENCH_INTEGER, 6, false},
    {"threads", "threads", BENCH_INTEGER, 7, false},
    {"ms", "ms", BENCH_REAL, 8, false},
    {"ms_min", "min", BENCH_REAL, 8, false},
    {NULL, "Mpixel/s", BENCH_REAL, 8, false},
    {NULL, "GB/s", BENCH_REAL, 6, false},
    {"copy_ms", "copy ms", BENCH_REAL, 8, false},
    {"x_copy", "x copy", BENCH_REAL, 6, false},
    {NULL, NULL, BENCH_TEXT, 0, false},
};

typedef struct filter_call {
    bench *b;
    const char *name;
    int window; /* 0: the filter takes none */
    satf_filter *filter;
    satf_view in, out;
} filter_call;

static satf_status run_filter(void *user)
{
    filter_call *call = user;
    return satf_filter_apply(call->b->ctx, call->filter, &call->in, &call->out);
}

static bool takes_window(const char *name)
{
    return strcmp(name, "integral") != 0;
}

/* The filter with its window (a template: two rectangles that make it up). */
static satf_status make_filter(satf_context *ctx, const char *name, int window, satf_filter **out)
{
    satf_filter *filter = NULL;
    satf_status status = satf_filter_create(ctx, name, &filter);
    if (status == SATF_OK && strcmp(name, "template") == 0) {
        satf_weighted_rect rects[2];
        size_t count = bench_template(window, rects);
        status = satf_filter_set_rects(ctx, filter, rects, count);
    } else if (status == SATF_OK && takes_window(name)) {
        status = satf_filter_set_int(ctx, filter, "width", window);
        if (status == SATF_OK) {
            status = satf_filter_set_int(ctx, filter, "height", window);
        }
    }
    if (status != SATF_OK) {
        satf_filter_destroy(filter);
        return status;
    }
    *out = filter;
    return SATF_OK;
}

static bool report(bench *b, const filter_call *call, double bytes, const bench_timing *t)
{
    const satf_view *in = &call->in;
    double pixels = (double)in->width * (double)in->height;
    const bench_value values[] = {
        {.text = "filter"},
        {.text = call->name},
        {.text = satf_type_name(in->type)},
        {.text = satf_type_name(call->out.type)},
        {.number = (double)in->width},
        {.number = (double)in->height},
        {.number = in->channels},
        {.number = call->window},
        {.number = satf_thread_count(b->ctx)},
        {.number = t->ms},
        {.number = t->ms_min},
        {.number = pixels / t->ms / 1e3},
        {.number = bytes / t->ms / 1e6},
        {.number = t->copy_ms},
        {.number = t->x_copy},
    };
    if (!bench_report_add(b->report, values)) {
        return false;
    }
    /* The plot goes over the windows if there are several, else over the sizes. */
    char line[64];
    if (b->options.list[BENCH_WINDOWS].count == 1) {
        snprintf(line, sizeof line, "%s %s:%s x%d window %d", call->name, values[2].text,
                 values[3].text, in->channels, call->window);
        return bench_report_point(b->report, line, sqrt(pixels), t->ms, t->x_copy);
    }
    bench_report_axis(b->report, "side of the window in pixels");
    snprintf(line, sizeof line, "%s %s:%s x%d %dx%d", call->name, values[2].text, values[3].text,
             in->channels, (int)in->width, (int)in->height);
    return call->window == 0 || bench_report_point(b->report, line, call->window, t->ms, t->x_copy);
}

/* Memory, measurement, check and report of a call whose views are known. */
static int run_call(bench *b, filter_call *call)
{
    double bytes =
        (double)(call->in.stride * call->in.height) + (double)(call->out.stride * call->out.height);
    size_t scratch_bytes;
    bench_timing timing;
    satf_status status =
        satf_filter_scratch(b->ctx, call->filter, &call->in, &call->out, &scratch_bytes);
    if (status == SATF_OK) {
        if (!bench_fits(b, call->name, 2 * bytes + (double)scratch_bytes)) {
            return 0;
        }
        status = bench_hand_scratch(b, scratch_bytes);
    }
    if (status == SATF_OK) {
        status = bench_allocate(b, &call->in, &call->out);
    }
    if (status == SATF_OK) {
        status = bench_measure(b, bytes, run_filter, NULL, call, &timing);
    }
    if (status != SATF_OK) {
        return bench_call_error(b, status, call->name);
    }
    const char *problem = bench_check_filter(call->name, call->window, &call->in, &call->out);
    if (problem) {
        return bench_error(1, "%s %d: %s", call->name, call->window, problem);
    }
    return report(b, call, bytes, &timing) ? 0 : bench_error(1, "out of memory for the report");
}

static int run_one(bench *b, const char *name, const bench_item *size, const bench_item *types,
                   int channels, int window)
{
    filter_call call = {.b = b, .name = name, .window = window};
    call.in = satf_view_packed(NULL, size->width, size->height, channels, (satf_type)types->input);
    satf_status status = make_filter(b->ctx, name, window, &call.filter);
    if (status == SATF_OK) {
        status = satf_filter_output(b->ctx, call.filter, &call.in, &call.out);
    }
    int failed;
    if (status == SATF_OK) {
        if (types->output != SATF_TYPE_AUTO) {
            call.out = satf_view_packed(NULL, call.out.width, call.out.height, call.out.channels,
                                        (satf_type)types->output);
        }
        failed = run_call(b, &call);
    } else {
        failed = bench_call_error(b, status, name);
    }
    bench_release(&call.in, &call.out);
    satf_filter_destroy(call.filter);
    return failed;
}

static int check_names(const struct bench_values *filters)
{
    for (int i = 0; i < filters->count; i++) {
        const char *text = filters->item[i].text, *name;
        bool found = false;
        for (size_t row = 0; (name = satf_filter_name(row, NULL)) != NULL; row++) {
            found = found || strcmp(name, text) == 0;
        }
        if (!found || !bench_can_check(text)) {
            return bench_error(2, "there is no filter \"%s\"%s; see satbench --list", text,
                               found ? " with a reference result" : "");
        }
    }
    return 0;
}

static int run(bench *b)
{
    static const bench_item no_window = {.number = 0};
    const struct bench_values *list = b->options.list;
    int failed = check_names(&list[BENCH_FILTERS]);
    for (int f = 0; f < list[BENCH_FILTERS].count && !failed; f++) {
        const char *name = list[BENCH_FILTERS].item[f].text;
        bool windowed = takes_window(name);
        const bench_item *windows = windowed ? list[BENCH_WINDOWS].item : &no_window;
        int window_count = windowed ? list[BENCH_WINDOWS].count : 1;
        for (int c = 0; c < list[BENCH_CHANNELS].count && !failed; c++) {
            for (int t = 0; t < list[BENCH_TYPES].count && !failed; t++) {
                for (int s = 0; s < list[BENCH_SIZES].count && !failed; s++) {
                    for (int w = 0; w < window_count && !failed; w++) {
                        failed =
                            run_one(b, name, &list[BENCH_SIZES].item[s], &list[BENCH_TYPES].item[t],
                                    list[BENCH_CHANNELS].item[c].number, windows[w].number);
                    }
                }
            }
        }
    }
    return failed;
}

const bench_table bench_filter_table = {
    .name = "filter",
    .help = "filters on images in memory, over sizes and windows",
    .defaults = {[BENCH_SIZES] = "4K",
                 [BENCH_TYPES] = "u8",
                 [BENCH_FILTERS] = "box,variance",
                 [BENCH_WINDOWS] = "3,15,63,255",
                 [BENCH_CHANNELS] = "1"},
    .columns = columns,
    .x_title = "side of the image in pixels",
    .run = run,
};
