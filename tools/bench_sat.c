/* The table `sat`: every SAT algorithm, table 6.2 of the dissertation. */
#include "bench.h"

#include <math.h>
#include <string.h>

#include "../src/base/view.h"

static const bench_column columns[] = {
    {"table", NULL, BENCH_TEXT, 0},        {"name", "algorithm", BENCH_TEXT, 10},
    {"input", "input", BENCH_TEXT, 5},     {"sum", "sum", BENCH_TEXT, 4},
    {"width", "width", BENCH_INTEGER, 6},  {"height", "height", BENCH_INTEGER, 6},
    {"channels", "ch", BENCH_INTEGER, 2},  {NULL, "threads", BENCH_INTEGER, 7},
    {"ms", "ms", BENCH_REAL, 8},           {"ms_min", "min", BENCH_REAL, 8},
    {NULL, "Mpixel/s", BENCH_REAL, 8},     {NULL, "GB/s", BENCH_REAL, 6},
    {"copy_ms", "copy ms", BENCH_REAL, 8}, {"x_copy", "x copy", BENCH_REAL, 6},
    {NULL, "paper ms", BENCH_REAL, 8},     {NULL, NULL, BENCH_TEXT, 0},
};

typedef struct sat_call {
    bench *b;
    satf_view in, out;
} sat_call;

static satf_status run_sat(void *user)
{
    sat_call *call = user;
    return satf_sat(call->b->ctx, &call->in, &call->out, 0);
}

/* u8 in 32 bits, u16 in 64: modulo those, as every algorithm of the paper. */
static satf_type usual_sum(int input)
{
    return input == SATF_U8 ? SATF_U32 : input == SATF_U16 ? SATF_U64 : SATF_F64;
}

static bool report(bench *b, const char *name, const sat_call *call, const bench_timing *t)
{
    const satf_view *in = &call->in;
    double pixels = (double)in->width * (double)in->height;
    double bytes = (double)(in->stride * in->height + call->out.stride * call->out.height);
    bool as_in_paper = in->type == SATF_F64 && in->channels == 1;
    double paper_ms = as_in_paper
                          ? bench_paper_sat_ms(name, bench_device_kind(b), 0, in->width, in->height)
                          : NAN;
    const bench_value values[] = {
        {.text = "sat"},
        {.text = name},
        {.text = satf_type_name(in->type)},
        {.text = satf_type_name(call->out.type)},
        {.number = (double)in->width},
        {.number = (double)in->height},
        {.number = in->channels},
        {.number = t->threads},
        {.number = t->ms},
        {.number = t->ms_min},
        {.number = pixels / t->ms / 1e3},
        {.number = bytes / t->ms / 1e6},
        {.number = t->copy_ms},
        {.number = t->x_copy},
        {.number = paper_ms},
    };
    char line[64];
    snprintf(line, sizeof line, "%s %s:%s x%d", name, values[2].text, values[3].text, in->channels);
    return bench_report_add(b->report, values) &&
           bench_report_point(b->report, line, sqrt(pixels), t->ms, t->x_copy);
}

/* One algorithm on one image, already allocated. */
static int run_algorithm(bench *b, const char *name, sat_call *call)
{
    bench_timing timing;
    satf_status status = satf_context_set_algorithm(b->ctx, name);
    size_t scratch_bytes = 0;
    if (status == SATF_OK) {
        status = satf_sat_scratch(b->ctx, &call->in, &call->out, 0, &scratch_bytes);
    }
    if (status == SATF_UNSUPPORTED) { /* lists multiply out: not every product exists */
        bench_error(0, "%s: skipped, %s", name, satf_message(b->ctx));
        return 0;
    }
    double bytes =
        (double)(call->in.stride * call->in.height + call->out.stride * call->out.height);
    if (status == SATF_OK) {
        memset(call->out.data, 0xa5, (size_t)(call->out.stride * call->out.height));
        status = bench_hand_scratch(b, scratch_bytes);
    }
    if (status == SATF_OK) {
        status = bench_measure(b, bytes, run_sat, call, &timing);
    }
    if (status != SATF_OK) {
        return bench_call_error(b, status, name);
    }
    const char *problem = bench_check_sat(&call->in, &call->out);
    if (problem) {
        return bench_error(1, "%s: %s", name, problem);
    }
    return report(b, name, call, &timing) ? 0 : bench_error(1, "out of memory for the report");
}

/* The algorithms of this device that the option names; 0 or the exit status. */
static int choose_algorithms(const bench *b, const char *names[BENCH_MAX_ITEMS], int *count)
{
    const struct bench_values *wanted = &b->options.list[BENCH_ALGORITHMS];
    *count = 0;
    for (int i = 0; i < wanted->count; i++) {
        const char *text = wanted->item[i].text, *name, *kind;
        bool all = strcmp(text, "all") == 0, found = false;
        if (strcmp(text, "auto") == 0 && *count < BENCH_MAX_ITEMS) {
            names[(*count)++] = "auto";
            continue;
        }
        for (size_t row = 0; (name = satf_algorithm(row, &kind, NULL)) != NULL; row++) {
            bool here = strcmp(kind, bench_device_kind(b)) == 0;
            bool meant = all ? strcmp(name, "reference") != 0 : strcmp(name, text) == 0;
            if (here && meant && *count < BENCH_MAX_ITEMS) {
                names[(*count)++] = name;
                found = true;
            }
        }
        if (!found) {
            return bench_error(2, "there is no algorithm \"%s\" for %s; see satbench --list", text,
                               bench_device_kind(b));
        }
    }
    return 0;
}

/* All algorithms on one image. */
static int run_image(bench *b, const bench_item *size, const bench_item *types, int channels,
                     const char *const *names, int count)
{
    int output = types->output == SATF_TYPE_AUTO ? (int)usual_sum(types->input) : types->output;
    sat_call call = {
        .b = b,
        .in = satf_view_packed(NULL, size->width, size->height, channels, (satf_type)types->input),
        .out = satf_view_packed(NULL, size->width, size->height, channels, (satf_type)output),
    };
    double bytes =
        (double)(call.in.stride * call.in.height) + (double)(call.out.stride * call.out.height);
    if (!bench_fits(b, size->text, 2 * bytes)) {
        return 0;
    }
    satf_status status = bench_allocate(b, &call.in, &call.out);
    if (status != SATF_OK) {
        return bench_call_error(b, status, size->text);
    }
    int failed = 0;
    for (int i = 0; i < count && !failed; i++) {
        failed = run_algorithm(b, names[i], &call);
    }
    bench_release(&call.in, &call.out);
    return failed;
}

static int run(bench *b)
{
    const char *names[BENCH_MAX_ITEMS];
    int count;
    int failed = choose_algorithms(b, names, &count);
    const struct bench_values *sizes = &b->options.list[BENCH_SIZES];
    const struct bench_values *types = &b->options.list[BENCH_TYPES];
    const struct bench_values *channels = &b->options.list[BENCH_CHANNELS];
    for (int c = 0; c < channels->count && !failed; c++) {
        for (int t = 0; t < types->count && !failed; t++) {
            for (int s = 0; s < sizes->count && !failed; s++) {
                failed = run_image(b, &sizes->item[s], &types->item[t], channels->item[c].number,
                                   names, count);
            }
        }
    }
    return failed;
}

const bench_table bench_sat_table = {
    .name = "sat",
    .help = "summed area tables by every algorithm (dissertation, table 6.2)",
    .defaults = {[BENCH_SIZES] = "1K,2K,4K",
                 [BENCH_TYPES] = "f64",
                 [BENCH_ALGORITHMS] = "all",
                 [BENCH_CHANNELS] = "1"},
    .columns = columns,
    .x_title = "side of the image in pixels",
    .note = "paper ms: table 6.2 of A. Kasagi's dissertation (2015), on one thread of a Xeon X7460",
    .run = run,
};
