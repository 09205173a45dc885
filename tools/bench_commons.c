/* The options that satbench's tables have in common. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../src/base/parallel.h"
#include "../src/sat/cache.h"
#include "bench.h"

static bool parse_int(const char *text, long min, long max, int *out)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end || errno || value < min || value > max) {
        return false;
    }
    *out = (int)value;
    return true;
}

static bool set_device(bench_options *o, const char *text)
{
    if (strcmp(text, "cpu") == 0) {
        o->device = SATF_HOST;
        return true;
    }
    if (strncmp(text, "cuda", 4) != 0 || (text[4] && text[4] != ':')) {
        return false;
    }
    int ordinal = 0;
    bool good = !text[4] || parse_int(text + 5, 0, 1023, &ordinal);
    o->device = SATF_CUDA(ordinal);
    return good;
}

static bool set_threads(bench_options *o, const char *text)
{
    return parse_int(text, 0, SATF_MAX_THREADS, &o->threads);
}

static bool set_repeat(bench_options *o, const char *text)
{
    return parse_int(text, 1, 1000, &o->repeat);
}

/* Of a CUDA row; one that it does not have is refused where it is measured. */
static bool set_tile(bench_options *o, const char *text)
{
    return parse_int(text, 1, 4096, &o->tuning.tile);
}

static bool set_block_threads(bench_options *o, const char *text)
{
    return parse_int(text, 1, 1024, &o->tuning.threads);
}

static bool set_search(bench_options *o, const char *text)
{
    (void)text;
    o->search = true;
    return true;
}

static bool set_sync(bench_options *o, const char *text)
{
    return sat_sync_parse(text, &o->tuning.sync);
}

static bool set_r(bench_options *o, const char *text)
{
    char *end;
    o->tuning.r = strtod(text, &end);
    return end != text && !*end && o->tuning.r > 0 && o->tuning.r < 1;
}

static bool set_json(bench_options *o, const char *text)
{
    o->json = text;
    return *text;
}

static bool set_plot(bench_options *o, const char *text)
{
    o->plot = text;
    return *text;
}

static bool set_markdown(bench_options *o, const char *text)
{
    (void)text;
    o->markdown = true;
    return true;
}

static bool set_simulate(bench_options *o, const char *text)
{
    (void)text;
    o->simulate = true;
    return true;
}

static bool set_samples(bench_options *o, const char *text)
{
    return parse_int(text, 1, 1000000000, &o->samples);
}

static bool set_seed(bench_options *o, const char *text)
{
    return parse_int(text, 0, INT_MAX, &o->seed);
}

static bool set_latency(bench_options *o, const char *text)
{
    return parse_int(text, 1, 1000000, &o->latency);
}

static bool is_sat(const bench_table *table)
{
    return table == &bench_sat_table;
}

static bool takes_tile(const bench_table *table)
{
    return is_sat(table) || table == &bench_permute_global_table;
}

static bool is_simulated(const bench_table *table)
{
    return table->simulate;
}

static bool takes_r(const bench_table *table)
{
    return is_sat(table) || table == &bench_model_table;
}

static bool is_sampled(const bench_table *table)
{
    return table == &bench_rap_table || table == &bench_permute_global_table;
}

static bool is_random(const bench_table *table)
{
    return is_sampled(table) || table == &bench_model_table;
}

static bool is_model(const bench_table *table)
{
    return table == &bench_model_table;
}

static bool has_plot(const bench_table *table)
{
    return table->x_title;
}

static const bench_option commons[] = {
    {"--device", "DEVICE", "cpu, or cuda[:N]; default cpu", set_device, NULL},
    {"-T", "N", "threads, 1 to 1024; default 0, one per core", set_threads, NULL},
    {"--threads", "N", NULL, set_threads, NULL},
    {"--repeat", "N", "samples a median is taken of, 1 to 1000; default up to 15", set_repeat,
     NULL},
    {"--tile", "N", "side of a CUDA row's blocks in samples, or fused's rows in elements", set_tile,
     takes_tile},
    {"--block-threads", "N", "threads of a CUDA row's blocks", set_block_threads, is_sat},
    {"--sync", "SYNC", "between a CUDA row's stages: auto launch graph coop", set_sync, is_sat},
    {"--r", "R", "of (1+r)R1W on CUDA or simulated, above 0 and below 1", set_r, takes_r},
    {"--search", NULL, "find each CUDA row's fastest tile, threads, barrier and r first",
     set_search, is_sat},
    {"--simulate", NULL, "count on a simulated memory machine; needs no device", set_simulate,
     is_simulated},
    {"--samples", "N", "simulated accesses, or random permutations, to take; default by table",
     set_samples, is_sampled},
    {"--seed", "N", "of random numbers; default 1", set_seed, is_random},
    {"--latency", "N", "time units of a simulated global memory; default 100", set_latency,
     is_model},
    {"--json", "FILE", "write the records as JSON; -: to standard output, the table to stderr",
     set_json, NULL},
    {"--plot", "FILE", "write a plot as SVG: time and ratio to the copy, or what is simulated",
     set_plot, has_plot},
    {"--markdown", NULL, "print the table in Markdown", set_markdown, NULL},
};

enum { COMMONS = sizeof commons / sizeof *commons };

const bench_option *bench_option_at(size_t index)
{
    return index < COMMONS ? &commons[index] : NULL;
}
