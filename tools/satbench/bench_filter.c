/* The table `filter`: filters over images in memory, by window. */
#include "bench.h"

#include <math.h>
#include <string.h>

#include "../../src/base/clock.h"
#include "../../src/base/device/gpu.h"
#include "../../src/base/memory.h"
#include "../../src/base/parallel.h"
#include "../../src/base/view.h"
#include "../../src/chain/filter.h"

typedef struct filter_call {
    bench *b;
    const char *name;
    int window; /* 0: the filter takes none */
    satf_filter *filter;
    satf_plan *plan;
    double host_us;
    satf_view in, out;       /* on the host */
    bench_device_image work; /* what is measured: those, or their like on the device */
} filter_call;

static satf_status filter_run_once(void *user)
{
    filter_call *call = user;
    return satf_plan_run(call->plan, &call->work.in, 1, &call->work.out, 1);
}

/* What a run costs the host: the median of a few batches, each of fewer runs than queues hold. */
static satf_status time_host(filter_call *call)
{
    enum { BATCHES = 9, RUNS = 40 };
    double us[BATCHES];
    for (int i = 0; i < BATCHES; i++) {
        satf_status status = satf_cuda()->wait(call->b->ctx, call->b->place);
        double start_ms = satf_now_ms();
        for (int run = 0; run < RUNS && !status; run++) {
            status = filter_run_once(call);
        }
        us[i] = (satf_now_ms() - start_ms) * 1e3 / RUNS;
        if (status) {
            return status;
        }
    }
    call->host_us = bench_median(us, BATCHES);
    return satf_cuda()->wait(call->b->ctx, call->b->place);
}

/* The row of the table for "box" or "rotate=180"; NULL if there is none. */
static const filter_info *info_of(const char *name)
{
    char word[32];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(name, "="), name);
    return filter_info_find(word);
}

static bool has_param(const filter_info *info, param_kind kind)
{
    const filter_param *param = info->params;
    while (param->name && param->kind != kind) {
        param++;
    }
    return param->name != NULL;
}

/* "template=FILE" has the rectangles of that file. */
static bool takes_window(const char *name)
{
    const filter_info *info = info_of(name);
    return has_param(info, PARAM_SIZE) || (has_param(info, PARAM_TEMPLATE) && !strchr(name, '='));
}

static satf_status give_order(satf_context *ctx, satf_filter *filter, const satf_view *in)
{
    int64_t pixels = in->width * in->height;
    int64_t *order = satf_alloc((size_t)pixels * sizeof *order);
    if (!order) {
        return satf_fail_memory(ctx, (size_t)pixels * sizeof *order, "an order of pixels");
    }
    for (int64_t k = 0; k < pixels; k++) {
        order[k] = bench_order(k, pixels);
    }
    satf_status status = satf_filter_set_order(ctx, filter, order, (size_t)pixels);
    satf_free(order);
    return status;
}

/* Another picture: one channel of bytes, none of them 0. */
static satf_status give_image(satf_context *ctx, satf_filter *filter, const satf_view *in)
{
    size_t pixels = (size_t)(in->width * in->height);
    satf_view image = satf_view_packed(satf_alloc(pixels), in->width, in->height, 1, SATF_U8);
    if (!image.data) {
        return satf_fail_memory(ctx, pixels, "another picture");
    }
    for (size_t k = 0; k < pixels; k++) {
        ((uint8_t *)image.data)[k] = (uint8_t)(1 + k % UINT8_MAX);
    }
    satf_status status = satf_filter_set_image(ctx, filter, &image);
    satf_free(image.data);
    return status;
}

/* The filter with its window (a template without a file: two rectangles that make it up). */
static satf_status filter_make_filter(satf_context *ctx, const char *name, const satf_view *in,
                                      int window, satf_filter **out)
{
    satf_filter *filter = NULL;
    satf_status status = strchr(name, '=') ? satf_filter_parse(ctx, name, &filter)
                                           : satf_filter_create(ctx, name, &filter);
    if (status == SATF_OK && has_param(info_of(name), PARAM_ORDER)) {
        status = give_order(ctx, filter, in);
    } else if (status == SATF_OK && info_of(name)->params->kind == PARAM_IMAGE &&
               !strchr(name, '=')) {
        status = give_image(ctx, filter, in);
    } else if (status == SATF_OK && strcmp(name, "template") == 0) {
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

static void filter_report(bench *b, const filter_call *call, double bytes, const bench_timing *t)
{
    const satf_view *in = &call->in;
    double pixels = (double)in->width * (double)in->height;
    const char *type = satf_type_name(in->type), *out_type = satf_type_name(call->out.type);
    BENCH_REPORT(b, STRING(call->name), STRING(type), STRING(out_type), NUMBER(in->width),
                 NUMBER(in->height), NUMBER(in->channels), NUMBER(call->window),
                 NUMBER(t->threads > 0 ? satf_thread_count(b->ctx) : (double)NAN), NUMBER(t->ms),
                 NUMBER(t->ms_min), NUMBER(pixels / t->ms / 1e3), NUMBER(bytes / t->ms / 1e6),
                 NUMBER(t->copy_ms), NUMBER(t->x_copy), NUMBER(call->host_us));
    /* The plot goes over the windows if there are several, else over the sizes. */
    char line[64];
    if (b->options.list[BENCH_WINDOWS].count == 1) {
        snprintf(line, sizeof line, "%s %s:%s x%d window %d", call->name, type, out_type,
                 in->channels, call->window);
        bench_report_point(b->report, line, sqrt(pixels), t->ms, t->x_copy);
        return;
    }
    bench_report_axis(b->report, "side of the window in pixels");
    snprintf(line, sizeof line, "%s %s:%s x%d %dx%d", call->name, type, out_type, in->channels,
             (int)in->width, (int)in->height);
    if (call->window) {
        bench_report_point(b->report, line, call->window, t->ms, t->x_copy);
    }
}

static size_t filter_view_bytes(const satf_view *view)
{
    return (size_t)(view->stride * view->height);
}

/* The host's images and, if that is where the work is measured, the device's. */
static satf_status filter_allocate(filter_call *call)
{
    bench *b = call->b;
    satf_status status = bench_allocate(b, &call->in, &call->out);
    if (status || b->place != SATF_HOST) {
        return status ? status : bench_device_allocate(b, &call->in, &call->out, &call->work);
    }
    call->work.in.data = call->in.data;
    call->work.out.data = call->out.data;
    return SATF_OK;
}

static void filter_release(filter_call *call)
{
    if (call->work.in.device != SATF_HOST) {
        bench_device_release(call->b, &call->work);
    }
    bench_release(&call->in, &call->out);
}

/* One more run of a device, over a pattern no result consists of, to the host. */
static satf_status filter_fetch(filter_call *call)
{
    satf_context *ctx = call->b->ctx;
    int device = call->b->place;
    size_t bytes = filter_view_bytes(&call->out);
    satf_status status = bench_device_poison(call->b, &call->work);
    if (!status) {
        status = filter_run_once(call);
    }
    if (!status) {
        status = satf_cuda()->copy_bytes(ctx, device, call->out.data, call->work.out.data, bytes);
    }
    return status ? status : satf_cuda()->wait(ctx, device);
}

/* Memory, measurement, check and report of a call whose views are known. */
static int run_call(bench *b, filter_call *call)
{
    double bytes = (double)filter_view_bytes(&call->in) + (double)filter_view_bytes(&call->out);
    size_t scratch_bytes;
    bench_timing timing;
    call->work = (bench_device_image){.in = call->in, .out = call->out};
    call->work.in.device = call->work.out.device = b->place;
    satf_status status =
        satf_filter_scratch(b->ctx, call->filter, &call->work.in, &call->work.out, &scratch_bytes);
    if (status == SATF_OK) {
        if (!bench_fits(b, call->name, 2 * bytes + (double)scratch_bytes)) {
            return 0;
        }
        status = satf_plan_create(b->ctx, call->filter, &call->work.in, 1, &call->work.out, 1,
                                  &call->plan);
    }
    if (status == SATF_OK) {
        status = filter_allocate(call);
    }
    if (status == SATF_OK) {
        status = bench_measure(b, bytes, filter_run_once, NULL, call, &timing);
    }
    if (status == SATF_OK && b->place != SATF_HOST) {
        status = time_host(call);
        status = status ? status : filter_fetch(call);
    }
    if (status != SATF_OK) {
        return bench_call_error(b, status, call->name);
    }
    bool known = bench_can_check(call->name);
    const char *problem = known ? bench_check_filter(call->name, call->window, &call->in,
                                                     &call->out, b->place != SATF_HOST)
                                : bench_check_by_tables(call->filter, &call->in, &call->out);
    if (problem) {
        return bench_error(1, "%s %d: %s", call->name, call->window, problem);
    }
    filter_report(b, call, bytes, &timing);
    return 0;
}

static int filter_run_one(bench *b, const char *name, const bench_item *size,
                          const bench_item *types, int channels, int window)
{
    filter_call call = {.b = b, .name = name, .window = window, .host_us = NAN};
    call.in = satf_view_packed(NULL, size->width, size->height, channels, (satf_type)types->input);
    satf_status status = filter_make_filter(b->ctx, name, &call.in, window, &call.filter);
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
    filter_release(&call);
    satf_plan_destroy(call.plan);
    satf_filter_destroy(call.filter);
    return failed;
}

static int filter_check_names(const struct bench_values *filters)
{
    for (int i = 0; i < filters->count; i++) {
        const char *text = filters->item[i].text;
        if (!info_of(text)) {
            return bench_error(2, "there is no filter \"%s\"; see satbench --list", text);
        }
        if (strchr(text, '=') && takes_window(text)) {
            return bench_error(2, "\"%s\": windows are listed by --windows", text);
        }
    }
    return 0;
}

static int filter_run(bench *b)
{
    static const bench_item no_window = {.number = 0};
    const struct bench_values *list = b->options.list;
    int failed = filter_check_names(&list[BENCH_FILTERS]);
    if (b->options.device != SATF_HOST) {
        bench_set_place(b, b->options.device);
    }
    for (int f = 0; f < list[BENCH_FILTERS].count && !failed; f++) {
        const char *name = list[BENCH_FILTERS].item[f].text;
        bool windowed = takes_window(name);
        const bench_item *windows = windowed ? list[BENCH_WINDOWS].item : &no_window;
        int window_count = windowed ? list[BENCH_WINDOWS].count : 1;
        for (int c = 0; c < list[BENCH_CHANNELS].count && !failed; c++) {
            for (int t = 0; t < list[BENCH_TYPES].count && !failed; t++) {
                for (int s = 0; s < list[BENCH_SIZES].count && !failed; s++) {
                    for (int w = 0; w < window_count && !failed; w++) {
                        failed = filter_run_one(
                            b, name, &list[BENCH_SIZES].item[s], &list[BENCH_TYPES].item[t],
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
    .defaults = {{BENCH_SIZES, "4K"},
                 {BENCH_TYPES, "u8"},
                 {BENCH_FILTERS, "box,variance"},
                 {BENCH_WINDOWS, "3,15,63,255"},
                 {BENCH_CHANNELS, "1"}},
    .takes = " plot ",
    .columns = {{"name", "filter", 't', 10},
                {"input", "input", 't', 5},
                {"output", "output", 't', 6},
                {"width", "width", 'i', 6},
                {"height", "height", 'i', 6},
                {"channels", "ch", 'i', 2},
                {"window", "window", 'i', 6},
                {"threads", "threads", 'i', 7},
                {"ms", "ms", 'r', 8},
                {"ms_min", "min", 'r', 8},
                {NULL, "Mpixel/s", 'r', 8},
                {NULL, "GB/s", 'r', 6},
                {"copy_ms", "copy ms", 'r', 8},
                {"x_copy", "x copy", 'r', 6},
                {"host_us", "host us", 'r', 7}},
    .x_title = "side of the image in pixels",
    .on_cuda = true,
    .run = filter_run,
};
