/* The table `rap`: congestion under the RAW, RAS and RAP layouts, tables II and IV of the
 * paper by K. Nakano, S. Matsumae and Y. Ito. */
#include <string.h>

#include "../src/machine/sample.h"
#include "bench.h"

enum { SAMPLES = 100000, MAX_WIDTH_4D = 32 };

static const bench_column columns[] = {
    {"table", NULL, BENCH_TEXT, 0, false},
    {"name", "layout", BENCH_TEXT, 6, false},
    {"dimensions", "dim", BENCH_INTEGER, 3, false},
    {"access", "access", BENCH_TEXT, 10, false},
    {"w", "w", BENCH_INTEGER, 4, false},
    {"congestion", "congestion", BENCH_REAL, 10, false},
    {NULL, "paper", BENCH_TEXT, 22, false},
    {NULL, NULL, BENCH_TEXT, 0, false},
};

/* Table II: w = 16, 32, 64, 128, 256. */
enum { PAPER_WIDTHS = 5 };
#define WIDTHS                         \
    {                                  \
        "16", "32", "64", "128", "256" \
    }
#define ONES                    \
    {                           \
        "1", "1", "1", "1", "1" \
    }
#define RAS                                    \
    {                                          \
        "3.08", "3.53", "3.96", "4.38", "4.77" \
    }
#define RANDOM                                 \
    {                                          \
        "2.92", "3.44", "3.90", "4.34", "4.75" \
    }
static const struct {
    layout_2d layout;
    const char *congestion[SAMPLE_2D_COUNT][PAPER_WIDTHS];
} lines_2d[] = {
    {LAYOUT_RAW, {ONES, WIDTHS, ONES, RANDOM}},
    {LAYOUT_RAS, {ONES, RAS, RAS, RANDOM}},
    {LAYOUT_RAP, {ONES, ONES, {"3.20", "3.61", "4.00", "4.41", "4.78"}, RANDOM}},
};

/* Table IV. Of the malicious accesses the one that the paper describes is counted, sixfold;
 * that of the others is one of the strides. */
#define LOG "O~(log w / log log w)"
static const struct {
    layout_4d layout;
    const char *congestion[SAMPLE_4D_COUNT];
} lines_4d[] = {
    {LAYOUT_RAW_4D, {"1", "w", "w", "w", LOG, "w"}},
    {LAYOUT_RAS_4D, {"1", LOG, LOG, LOG, LOG, LOG}},
    {LAYOUT_1P, {"1", "1", "w", "w", LOG, NULL}},
    {LAYOUT_R1P, {"1", "1", "1", "1", LOG, "6 times that of w/6"}},
    {LAYOUT_3P, {"1", "1", "1", "1", LOG, LOG}},
    {LAYOUT_W2P, {"1", "1", LOG, LOG, LOG, LOG}},
    {LAYOUT_1PW2R, {"1", "1", LOG, LOG, LOG, LOG}},
};

static const char *paper_2d(size_t line, int access, int w)
{
    for (int i = 0; i < PAPER_WIDTHS; i++) {
        if (w == 16 << i) {
            return lines_2d[line].congestion[access][i];
        }
    }
    return NULL;
}

static int report(bench *b, const char *name, int dimensions, const char *access, int w,
                  double congestion, const char *paper)
{
    bench_value values[] = {
        {.text = "rap"}, {.text = name},         {.number = dimensions}, {.text = access},
        {.number = w},   {.number = congestion}, {.text = paper},
    };
    char line[64];
    snprintf(line, sizeof line, "%s %s", name, access);
    bool done = bench_report_add(b->report, values) &&
                (dimensions != 2 || bench_report_value(b->report, line, w, congestion));
    return done ? 0 : bench_error(1, "out of memory for the report");
}

static int simulate(bench *b)
{
    const struct bench_values *widths = &b->options.list[BENCH_WIDTHS];
    int64_t samples = b->options.samples ? b->options.samples : SAMPLES;
    uint64_t seed = (uint64_t)b->options.seed;
    double mean;
    int failed = 0;
    for (size_t line = 0; line < sizeof lines_2d / sizeof *lines_2d; line++) {
        for (int access = 0; access < SAMPLE_2D_COUNT; access++) {
            for (int i = 0; i < widths->count && !failed; i++) {
                int w = widths->item[i].number;
                const char *name = layout_2d_name(lines_2d[line].layout);
                satf_status status =
                    sample_congestion_2d(b->ctx, lines_2d[line].layout, (sample_access_2d)access, w,
                                         samples, seed, &mean);
                failed = status
                             ? bench_call_error(b, status, name)
                             : report(b, name, 2, sample_access_2d_name((sample_access_2d)access),
                                      w, mean, paper_2d(line, access, w));
            }
        }
    }
    for (size_t line = 0; line < sizeof lines_4d / sizeof *lines_4d; line++) {
        for (int access = 0; access < SAMPLE_4D_COUNT; access++) {
            for (int i = 0; i < widths->count && !failed; i++) {
                int w = widths->item[i].number;
                const char *name = layout_4d_name(lines_4d[line].layout);
                if (w > MAX_WIDTH_4D) { /* w^3 random numbers are many, and the paper has no w */
                    continue;
                }
                satf_status status =
                    sample_congestion_4d(b->ctx, lines_4d[line].layout, (sample_access_4d)access, w,
                                         samples, seed, &mean);
                failed = status
                             ? bench_call_error(b, status, name)
                             : report(b, name, 4, sample_access_4d_name((sample_access_4d)access),
                                      w, mean, lines_4d[line].congestion[access]);
            }
        }
    }
    return failed;
}

const bench_table bench_rap_table = {
    .name = "rap",
    .help = "congestion of random address shifts and permute-shifts (RAP, tables II, IV)",
    .defaults = {[BENCH_WIDTHS] = "16,32,64,128,256"},
    .columns = columns,
    .x_title = "banks and threads of a warp",
    .y_title = "mean congestion (2 dimensions)",
    .note = "paper: tables II (2 dimensions) and IV (4, up to w = 32 here) of K. Nakano et al., "
            "Random Address Permute-Shift Technique; a congestion of 1 is free of conflicts",
    .simulate = simulate,
};
