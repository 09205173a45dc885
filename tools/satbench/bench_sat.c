/* The table `sat`: every SAT algorithm, table 6.2 of the dissertation. */
#include "bench.h"

#include <math.h>
#include <string.h>

#include "../../src/study/gpu.h"
#include "../../src/base/device/gpu.h"
#include "../../src/base/view.h"
#include "../../src/sat/tuner.h"
#include "../../src/sat/stages.h"

/* One line of the table for each image. */
typedef struct sat_line {
    const char *algorithm, *label;
    bool on_host;  /* although a device is measured: a CPU program of the paper */
    bool searched; /* the fastest tuning is found first, as with --search */
    double r;      /* 0: not fixed */
} sat_line;

/* Table 6.2 from top to bottom, the CPU programs first since the others are
 * compared with them; then the algorithms that came after it. */
static const sat_line paper_lines[] = {
    {"2r2w", "2R2W(CPU)", true, false, 0},
    {"4r1w", "4R1W(CPU)", true, false, 0},
    {"2r2w", "2R2W", false, true, 0},
    {"4r4w", "4R4W", false, true, 0},
    {"4r1w", "4R1W", false, true, 0},
    {"2r1w", "2R1W", false, true, 0},
    {"1r1w", "1R1W", false, true, 0},
    {"1+r", "1.25R1W", false, true, 0.25},
    {"1+r", "fastest (1+r)R1W", false, true, 0},
    {"skss", "skss", false, true, 0},
    {"lookback", "lookback", false, true, 0},
};

enum { MAX_LINES = 2 * BENCH_MAX_ITEMS };

/* One image: on the host, on the device if there is one, and the line's job. */
typedef struct sat_call {
    bench *b;
    satf_view in, out; /* host; out.data NULL while only the device is measured */
    bench_device_image image;
    sat_job job;
    double cpu_ms; /* the better CPU program; infinite if none was measured */
} sat_call;

static satf_status run_sat(void *user)
{
    sat_call *call = user;
    satf_status status = sat_run(call->b->ctx, &call->job, call->b->scratch);
    call->job.scratch_runs += call->job.scratch_runs > 0;
    return status;
}

static satf_status sat_run_convert(void *user)
{
    sat_call *call = user;
    return machine_cuda()->convert(call->b->ctx, &call->image.in, &call->image.out);
}

/* u8 in 32 bits, u16 in 64: modulo those, as every algorithm of the paper. */
static satf_type usual_sum(int input)
{
    return input == SATF_U8 ? SATF_U32 : input == SATF_U16 ? SATF_U64 : SATF_F64;
}

static double image_bytes(const sat_call *call)
{
    return (double)(call->in.stride * call->in.height) +
           (double)(call->out.stride * call->out.height);
}

static void sat_report(const sat_call *call, const sat_line *line, const bench_timing *t)
{
    bench *b = call->b;
    const satf_view *in = &call->in;
    const sat_tuning *tuning = &call->job.tuning;
    const char *kind = line->on_host ? "cpu" : bench_device_kind(b);
    bool has_r = strcmp(line->algorithm, "1+r") == 0;
    double pixels = (double)in->width * (double)in->height;
    BENCH_REPORT(
        b, STRING(line->algorithm), STRING(line->label), STRING(kind),
        STRING(satf_type_name(in->type)), STRING(satf_type_name(call->out.type)), NUMBER(in->width),
        NUMBER(in->height), NUMBER(in->channels), NUMBER(bench_or_none(t->threads)),
        NUMBER(!has_r          ? (double)NAN
               : tuning->r > 0 ? tuning->r
                               : SAT_PAPER_R),
        NUMBER(bench_or_none(tuning->tile)), NUMBER(bench_or_none(tuning->threads)),
        STRING(tuning->sync ? sat_sync_name(tuning->sync) : NULL), NUMBER(t->ms), NUMBER(t->ms_min),
        NUMBER(pixels / t->ms / 1e3), NUMBER(image_bytes(call) / t->ms / 1e6), NUMBER(t->copy_ms),
        NUMBER(t->x_copy), NUMBER(t->ms / t->peer_ms),
        NUMBER(isfinite(call->cpu_ms) ? call->cpu_ms / t->ms : (double)NAN));
    char name[64];
    snprintf(name, sizeof name, "%s %s:%s x%d", line->label, satf_type_name(in->type),
             satf_type_name(call->out.type), in->channels);
    bench_report_point(b->report, name, sqrt(pixels), t->ms, t->x_copy);
}

/* ------------------------------------------------------------------ one line */

/* Adds those of the row's tunings to which r can be added: the line's, or a sweep. */
static int add_tunings(const sat_job *job, const sat_algorithm *row, const sat_tuning *variant,
                       sat_tuning *tunings, int count)
{
    sat_job tuned = *job;
    double r[SAT_SWEEP] = {job->tuning.r};
    int values = 1;
    tuned.tuning = *variant;
    if (row->has_r && job->tuning.r == 0) {
        int tile = sat_block_side(row, &tuned);
        values =
            tile ? sat_sweep_r((job->in.width - 1) / tile + 1, (job->in.height - 1) / tile + 1, r)
                 : 1;
    }
    for (int i = 0; i < values && count < SAT_MOST_TUNINGS; i++) {
        tunings[count] = *variant;
        tunings[count++].r = r[i];
    }
    return count;
}

/* Puts the row's fastest tuning into the job, of those that agree with what is fixed. */
static satf_status find_tuning(sat_call *call, const sat_algorithm *row)
{
    static sat_tuning tunings[SAT_MOST_TUNINGS];
    const sat_tuning *fixed = &call->job.tuning;
    sat_tuning variant;
    int count = 0, best = 0;
    for (size_t i = 0; row->variant && row->variant(&call->job, i, &variant); i++) {
        if ((!fixed->tile || fixed->tile == variant.tile) &&
            (!fixed->threads || fixed->threads == variant.threads) &&
            (!fixed->sync || fixed->sync == variant.sync)) {
            count = add_tunings(&call->job, row, &variant, tunings, count);
        }
    }
    if (!count) { /* the row has nothing to choose, or says why not */
        tunings[count++] = *fixed;
    }
    satf_status status = sat_fastest(call->b->ctx, &call->job, tunings, count, &best);
    call->job.tuning = status ? call->job.tuning : tunings[best];
    return status;
}

/* Chooses where the line is measured, the job and its scratch. SATF_UNSUPPORTED
 * if the row cannot do it. */
static satf_status sat_prepare(sat_call *call, const sat_line *line)
{
    bench *b = call->b;
    bool device = !line->on_host && b->options.device != SATF_HOST;
    sat_tuning tuning = line->on_host ? (sat_tuning){0} : b->options.tuning;
    if (strcmp(line->algorithm, "1+r") != 0) {
        tuning.r = 0;
    } else if (line->r > 0) {
        tuning.r = line->r;
    }
    call->job =
        sat_job_of(device ? &call->image.in : &call->in, device ? &call->image.out : &call->out);
    call->job.tuning = tuning;
    const sat_algorithm *row = device ? sat_algorithm_find(line->algorithm, "cuda") : NULL;
    if (row && !sat_algorithm_has_sync(row, &call->job, tuning.sync)) {
        call->job.tuning.sync = SAT_SYNC_AUTO; /* nothing in it waits for a stage */
    }
    if (b->place != call->job.in.device) {
        bench_set_place(b, call->job.in.device);
    }
    size_t scratch_bytes = 0;
    satf_status status = satf_context_set_threads(b->ctx, line->on_host ? 1 : b->options.threads);
    if (!status) {
        status = satf_context_set_algorithm(b->ctx, line->algorithm);
    }
    if (!status) { /* as every caller of the library is refused */
        status = satf_sat_scratch(b->ctx, &call->job.in, device ? &call->image.out : &call->out, 0,
                                  &scratch_bytes);
    }
    if (!status && row && (line->searched || b->options.search)) {
        status = find_tuning(call, row);
    } else if (!status) { /* an r that is remembered or reckoned is reported too */
        status = sat_choose(b->ctx, &call->job, &row, &call->job.tuning);
    }
    if (!status) {
        status = sat_scratch(b->ctx, &call->job, &scratch_bytes);
    }
    if (!status && device) {
        status = bench_device_poison(b, &call->image);
    } else if (!status) {
        memset(call->out.data, 0xa5, (size_t)(call->out.stride * call->out.height));
    }
    if (!status) {
        status = bench_hand_scratch(b, scratch_bytes);
    }
    if (!status && row && row->keeps) { /* as in every call of a context but the first */
        call->job.scratch_runs = 1;
        status = satf_cuda()->set_bytes(b->ctx, b->place, b->scratch, 0, scratch_bytes);
    }
    return status;
}

/* Runs the job once more, since the peer writes to the same output, and checks it. */
static satf_status sat_check(sat_call *call, const char **problem)
{
    bench *b = call->b;
    if (b->place == SATF_HOST) {
        *problem = bench_check_sat(&call->in, &call->out);
        return SATF_OK;
    }
    satf_status status = bench_device_poison(b, &call->image);
    if (!status) {
        status = run_sat(call);
    }
    return status ? status : bench_device_check(b, &call->image, problem);
}

static int sat_run_line(sat_call *call, const sat_line *line)
{
    bench *b = call->b;
    bench_timing timing;
    const char *problem = NULL;
    satf_status status = sat_prepare(call, line);
    if (status == SATF_UNSUPPORTED) { /* lists multiply out: not every product exists */
        bench_error(0, "%s: skipped, %s", line->label, satf_message(b->ctx));
        return 0;
    }
    if (status == SATF_OK) {
        bench_work *peer = b->place == SATF_HOST ? NULL : sat_run_convert;
        status = bench_measure(b, image_bytes(call), run_sat, peer, call, &timing);
    }
    if (status == SATF_OK) {
        status = sat_check(call, &problem);
    }
    if (status == SATF_NO_MEMORY && b->place != SATF_HOST) {
        bench_error(0, "%s: skipped, %s", line->label, satf_message(b->ctx));
        return 0;
    }
    if (status != SATF_OK) {
        return bench_call_error(b, status, line->label);
    }
    if (problem) {
        return bench_error(1, "%s: %s", line->label, problem);
    }
    if (line->on_host) {
        call->cpu_ms = fmin(call->cpu_ms, timing.ms);
    }
    sat_report(call, line, &timing);
    return 0;
}

/* ---------------------------------------------------------------- all of them */

static void add_paper_lines(const bench *b, sat_line *lines, int *count)
{
    bool cuda = b->options.device != SATF_HOST;
    for (size_t i = 0; i < sizeof paper_lines / sizeof *paper_lines; i++) {
        if ((cuda || paper_lines[i].on_host) && *count < MAX_LINES) {
            lines[*count] = paper_lines[i];
            lines[(*count)++].on_host = cuda && paper_lines[i].on_host;
        }
    }
}

/* (1+r)R1W with 32 values of r, in equal steps of the triangles' side to the largest. */
static void add_sweep(sat_line *lines, int *count)
{
    for (int k = 1; k <= SAT_SWEEP && *count < MAX_LINES; k++) {
        double share = (k - 1.0 / 64) / SAT_SWEEP; /* r is below 1 */
        lines[(*count)++] = (sat_line){.algorithm = "1+r", .label = "(1+r)R1W", .r = share * share};
    }
}

/* The algorithms of this device that the option names; 0 or the exit status. */
static int choose_lines(const bench *b, sat_line *lines, int *count)
{
    const struct bench_values *wanted = &b->options.list[BENCH_ALGORITHMS];
    *count = 0;
    for (int i = 0; i < wanted->count; i++) {
        const char *text = wanted->item[i].text, *name, *kind;
        bool all = strcmp(text, "all") == 0, found = false;
        if (strcmp(text, "paper") == 0) {
            add_paper_lines(b, lines, count);
            continue;
        }
        if (strcmp(text, "sweep") == 0) {
            add_sweep(lines, count);
            continue;
        }
        if (strcmp(text, "auto") == 0 && *count < MAX_LINES) {
            lines[(*count)++] = (sat_line){.algorithm = "auto", .label = "auto"};
            continue;
        }
        for (size_t row = 0; (name = satf_algorithm(row, &kind, NULL)) != NULL; row++) {
            bool here = strcmp(kind, bench_device_kind(b)) == 0;
            bool meant = all ? strcmp(name, "reference") != 0 : strcmp(name, text) == 0;
            if (here && meant && *count < MAX_LINES) {
                lines[(*count)++] = (sat_line){.algorithm = name, .label = name};
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

/* The host's output only where a line is measured on the host. */
static satf_status sat_allocate(sat_call *call, const sat_line *lines, int count)
{
    bench *b = call->b;
    bool device = b->options.device != SATF_HOST, host = !device;
    for (int i = 0; i < count; i++) {
        host = host || lines[i].on_host;
    }
    satf_view none = satf_view_packed(NULL, 1, 1, 1, SATF_U8);
    satf_status status = bench_allocate(b, &call->in, host ? &call->out : &none);
    if (!host) {
        satf_view nothing = {0};
        bench_release(&none, &nothing);
    }
    if (!status && device) {
        status = bench_device_allocate(b, &call->in, &call->out, &call->image);
        status = status ? status : bench_device_truth(b, &call->image);
    }
    return status;
}

/* All lines on one image. */
static int sat_run_image(bench *b, const bench_item *size, const bench_item *types, int channels,
                         const sat_line *lines, int count)
{
    int output = types->output == SATF_TYPE_AUTO ? (int)usual_sum(types->input) : types->output;
    sat_call call = {
        .b = b,
        .in = satf_view_packed(NULL, size->width, size->height, channels, (satf_type)types->input),
        .out = satf_view_packed(NULL, size->width, size->height, channels, (satf_type)output),
        .cpu_ms = INFINITY,
    };
    if (!bench_fits(b, size->text, 2 * image_bytes(&call))) {
        return 0;
    }
    satf_status status = sat_allocate(&call, lines, count);
    int failed = 0;
    if (status == SATF_NO_MEMORY && b->options.device != SATF_HOST) {
        bench_error(0, "%s: skipped, %s", size->text, satf_message(b->ctx));
    } else if (status != SATF_OK) {
        failed = bench_call_error(b, status, size->text);
    }
    for (int i = 0; i < count && !failed && !status; i++) {
        failed = sat_run_line(&call, &lines[i]);
    }
    bench_device_release(b, &call.image);
    bench_release(&call.in, &call.out);
    return failed;
}

static int sat_run_table(bench *b)
{
    static sat_line lines[MAX_LINES];
    int count;
    int failed = choose_lines(b, lines, &count);
    const struct bench_values *sizes = &b->options.list[BENCH_SIZES];
    const struct bench_values *types = &b->options.list[BENCH_TYPES];
    const struct bench_values *channels = &b->options.list[BENCH_CHANNELS];
    for (int c = 0; c < channels->count && !failed; c++) {
        for (int t = 0; t < types->count && !failed; t++) {
            for (int s = 0; s < sizes->count && !failed; s++) {
                failed = sat_run_image(b, &sizes->item[s], &types->item[t],
                                       channels->item[c].number, lines, count);
            }
        }
    }
    return failed;
}

const bench_table bench_sat_table = {
    .name = "sat",
    .help = "summed area tables by every algorithm (dissertation, table 6.2)",
    .defaults = {{BENCH_SIZES, "1K,2K,4K"},
                 {BENCH_TYPES, "f64"},
                 {BENCH_ALGORITHMS, "all"},
                 {BENCH_CHANNELS, "1"}},
    .takes = " tile block-threads sync r search plot ",
    .columns = {{"name", NULL, 't', 0},       {NULL, "algorithm", 't', 16},
                {"device", NULL, 't', 0},     {"input", "input", 't', 5},
                {"sum", "sum", 't', 4},       {"width", "width", 'i', 6},
                {"height", "height", 'i', 6}, {"channels", "ch", 'i', 2},
                {NULL, "threads", 'i', 7},    {"r", "r", 'r', 8},
                {"tile", "tile", 'I', 4},     {"threads", "thr", 'I', 4},
                {"sync", "sync", 'T', 6},     {"ms", "ms", 'r', 8},
                {"ms_min", "min", 'r', 8},    {NULL, "Mpixel/s", 'r', 8},
                {NULL, "GB/s", 'r', 6},       {"copy_ms", "copy ms", 'r', 8},
                {"x_copy", "x copy", 'r', 6}, {"x_convert", "x conv", 'R', 6},
                {"speedup", "x CPU", 'R', 6}},
    .x_title = "side of the image in pixels",
    .note =
        "x copy: to a copy of the same bytes; `satbench paper 6.2` has the dissertation's figures",
    .on_cuda = true,
    .run = sat_run_table,
};
