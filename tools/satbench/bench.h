/*
 * satbench's inside: a table of tables. A benchmark table is one file with one bench_table, and one
 * line in bench_tables.c; options, help, timing, checking, printing, JSON and plots are shared.
 */
#ifndef SATF_TOOLS_BENCH_H
#define SATF_TOOLS_BENCH_H

#include <math.h>
#include <stdio.h>

#include "../../src/base/context.h"
#include "../../src/sat/sat.h"
#include "../cli.h"

/* ----------------------------------------------------------------- options */

/* The options that hold lists; lists multiply out. */
typedef enum bench_list {
    BENCH_SIZES,
    BENCH_TYPES,
    BENCH_ALGORITHMS,
    BENCH_FILTERS,
    BENCH_WINDOWS,
    BENCH_CHANNELS,
    BENCH_WIDTHS,
    BENCH_PATTERNS,
    BENCH_LAYOUTS,
    BENCH_LISTS
} bench_list;

typedef struct bench_item {
    char text[40];         /* as written; what names consist of */
    int64_t width, height; /* BENCH_SIZES */
    int input, output;     /* BENCH_TYPES: satf_type; output SATF_TYPE_AUTO if not given */
    int number;            /* BENCH_WINDOWS and all lists behind it */
} bench_item;

#define BENCH_MAX_ITEMS 64

typedef struct bench_options {
    struct bench_values {
        bench_item item[BENCH_MAX_ITEMS];
        int count;
        bool given; /* not the table's default */
    } list[BENCH_LISTS];
    int device;        /* SATF_HOST or SATF_CUDA(n) */
    int threads;       /* 0: one per core */
    int repeat;        /* 0: as many as a few seconds allow */
    sat_tuning tuning; /* of a CUDA algorithm; 0 in a member: not given */
    bool markdown;
    bool search;             /* find each CUDA algorithm's fastest tuning first */
    bool simulate;           /* count on the memory machines of src/study, measure nothing */
    int samples;             /* a simulated mean's; 0: the table's default */
    int seed;                /* of its random numbers */
    int latency;             /* of the machines' global memory */
    const char *json, *plot; /* files, or NULL */
    bool record_only, quick, full, as_json, check; /* of satbench paper */
    const char *against;                           /* likewise, a file or NULL */
} bench_options;

/* ------------------------------------------------------------------ tables */

typedef struct settings bench; /* what the command line sets, and what runs */

/* A column of a table. Records hold one value a column, in the same order. */
typedef struct bench_column {
    const char *key;   /* in JSON; NULL: printed only */
    const char *title; /* printed; NULL: JSON only */
    char kind;         /* text, integer or real: 't', 'i', 'r'; as a capital printed only when a
                        * CUDA device is measured */
    int width;         /* characters of the printed column, at least the title's */
} bench_column;

enum { BENCH_COLUMNS = 24 };

typedef struct bench_value {
    const char *text; /* static, or of the options; NULL: not there (nor is a NaN number) */
    double number;
} bench_value;

#define STRING(x)   \
    {               \
        .text = (x) \
    }
#define NUMBER(x)             \
    {                         \
        .number = (double)(x) \
    }

/* A figure above 0, or none. */
static inline double bench_or_none(double number)
{
    return number > 0 ? number : (double)NAN;
}

typedef struct bench_table {
    const char *name;
    const char *help; /* one line */
    struct bench_default {
        bench_list list;
        const char *text;
    } defaults[BENCH_LISTS + 1]; /* of the lists that the table takes; the last has text NULL */
    bench_column columns[BENCH_COLUMNS];
    bench_column cuda_columns[BENCH_COLUMNS]; /* when a CUDA device is measured; none: the same */
    const char *x_title; /* of the plot; NULL: the table has none, nor --plot */
    const char *y_title; /* of a simulated plot */
    const char *note;    /* printed below the table, or NULL */
    const char *takes;   /* options that not all tables take, a blank around each */
    bool on_cuda;        /* measures CUDA devices too */
    /* Measures and reports everything the options ask for. Prints its own
     * message on failure; the exit status. NULL: the table is simulated only. */
    int (*run)(bench *b);
    int (*simulate)(bench *b); /* likewise for --simulate; NULL: the table is measured only */
} bench_table;

extern const bench_table bench_sat_table, bench_filter_table;
extern const bench_table bench_rap_table, bench_amm_table, bench_giles_table, bench_model_table;

extern const bench_table bench_permute_table, bench_permute_global_table, bench_coalesce_table;

const bench_table *bench_table_at(size_t index); /* NULL behind the last */

/* A list's default; NULL: the table does not take it. (bench_commons.c) */
const char *bench_default_of(const bench_table *table, bench_list list);

/* The option of a list. (bench_options.c) */
const option *bench_list_option(bench_list list);

/* The list of an option; BENCH_LISTS: it is of none. */
bench_list bench_list_of(const option *o);

/* satbench's command line: the lists, and what tables have in common. (bench_commons.c) */
extern const cli satbench_cli;

/* option.take of --device. */
int bench_take_device(settings *s, const option *o, const char *value);

/* Whether a table takes an option, of a list or in common. */
bool bench_takes(const bench_table *table, const option *o);

/* What satbench prints in place of a table; BENCH_RUN: nothing. */
typedef enum bench_text {
    BENCH_RUN,
    BENCH_HELP,
    BENCH_LIST,
    BENCH_VERSION,
    BENCH_MAN,
    BENCH_BASH,
    BENCH_ZSH,
    BENCH_FISH
} bench_text;

/* --help, --list, --version, and for the build the man page and completion for shells. */
void bench_print(bench_text text);

struct settings {
    satf_context *ctx;
    int text; /* bench_text */
    const bench_table *table;
    bench_options options;
    struct bench_report *report;
    int place;                 /* SATF_HOST or SATF_CUDA(n): where the measured calls work */
    satf_context *copy_ctx;    /* the host's copy has threads of its own */
    void *copy_from, *copy_to; /* of copy_bytes, there */
    size_t copy_bytes;
    void *scratch; /* of scratch_bytes, there; the context's while a call is measured */
    size_t scratch_bytes;
};

/* A bench before its command line; all else is 0. */
#define BENCH_DEFAULTS                                                                  \
    {                                                                                   \
        .options = {.device = SATF_HOST, .seed = 1, .latency = 100}, .place = SATF_HOST \
    }

/* "satbench: ..." on standard error; returns status, so that errors read
 * `return bench_error(1, ...)`. */
int bench_error(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The status of a call that failed with ctx's message: 1, or 2 for SATF_INVALID. */
int bench_call_error(bench *b, satf_status status, const char *what);

/* "cpu" or "cuda": the device of the options. */
const char *bench_device_kind(const bench *b);

/* ------------------------------------------------------- options' functions */

/* Parses a comma-separated list into values. false after a message. */
bool bench_parse_list(bench_list list, const char *text, struct bench_values *values);

/* Whether a list holds one of these words, of which the last is followed by NULL. */
bool bench_has_item(const struct bench_values *values, const char *const *words);

/* --------------------------------------------------------------- measuring */

typedef struct bench_timing {
    double ms, ms_min;      /* median and least of one call */
    double copy_ms, x_copy; /* median of the copy; ms / copy_ms */
    double peer_ms;         /* median of the peer; NaN if there is none */
    int threads;            /* of the CPU that the work really used; 0: a device did it */
} bench_timing;

typedef satf_status bench_work(void *user);

/*
 * Times work(user), interleaved with peer(user), which may be NULL, and with a
 * copy that moves the same `bytes`, read and written together: of bytes / 2,
 * within the device, or on the host by memcpy on as many threads as the work
 * really uses. Where those are several, it is timed on one thread too, and the
 * faster one counts: waking threads takes longer than copying a small image.
 * Warms all up first. Each sample holds enough calls to last 2 ms, on a device
 * by CUDA events. A failed call ends it with that status.
 */
satf_status bench_measure(bench *b, double bytes, bench_work *work, bench_work *peer, void *user,
                          bench_timing *timing);

/* From now on calls are measured there: SATF_HOST or SATF_CUDA(n). Gives back
 * copies and scratch. */
void bench_set_place(bench *b, int place);

/* The median of n values, which become sorted. */
double bench_median(double *values, int n);

/* Hands the context that much scratch, so that no timed call allocates. */
satf_status bench_hand_scratch(bench *b, size_t bytes);

/* True if input, output, copies and scratch fit the context's memory limit;
 * otherwise says on standard error what is skipped. */
bool bench_fits(bench *b, const char *what, double bytes);

/* Two host views of their own memory, the input filled by bench_fill(), the
 * output by a pattern no result consists of. bench_release() frees both. */
satf_status bench_allocate(bench *b, satf_view *in, satf_view *out);
void bench_release(satf_view *in, satf_view *out);

/* An image and a result on a device. */
typedef struct bench_device_image {
    satf_view in, out;
    void *truth; /* the right SAT; NULL: bench_device_truth() was not called */
} bench_device_image;

/* Like the host's, of which the input is a copy. Give back with bench_device_release(), after
 * failure too. */
satf_status bench_device_allocate(bench *b, const satf_view *in, const satf_view *out,
                                  bench_device_image *image);
satf_status bench_device_truth(bench *b, bench_device_image *image);
void bench_device_release(bench *b, bench_device_image *image);

/* Overwrites the output by a pattern no result consists of. */
satf_status bench_device_poison(bench *b, const bench_device_image *image);

/* *problem = NULL if image->out is the SAT of image->in, else what is wrong with the first wrong
 * sample. Integers and f64 exactly; f32 within what the order of summation explains. */
satf_status bench_device_check(bench *b, const bench_device_image *image, const char **problem);

/* A copy of the host's bytes in the options' device; host NULL: room only. *there is
 * the caller's to give back with free() of satf_cuda(); NULL after failure. */
satf_status bench_device_upload(bench *b, const void *host, size_t bytes, const char *what,
                                void **device_memory);

/* Arrays of work that is measured in the options' device, and its right result. */
typedef struct bench_arrays {
    void *in[2], *out; /* there */
    void *right;       /* here, of `bytes`: what out must be */
    size_t bytes;
} bench_arrays;

/* Room for a result there and for the right one here; the input is bench_device_upload()'s.
 * Give back with bench_arrays_close(), after failure too. */
satf_status bench_arrays_open(bench *b, bench_arrays *a, size_t bytes);
void bench_arrays_close(bench *b, bench_arrays *a);

/* Whether work(user) leaves the right result, where a pattern lay before: 0, or the exit status
 * after a message, which names the two. */
int bench_check_work(bench *b, const bench_arrays *a, bench_work *work, void *user,
                     const char *name, const char *kind);

/* bench_measure() and then that check. */
int bench_measure_work(bench *b, const bench_arrays *a, double bytes, bench_work *work,
                       bench_work *peer, void *user, const char *name, const char *kind,
                       bench_timing *timing);

/* For a table that is counted or measured on a device: 0, and its place is set, or the exit
 * status after a message. */
int bench_needs_device(bench *b);

/* ---------------------------------------------------------------- checking */

/*
 * The reference results, computed row by row in exact integer arithmetic. They rely on
 * bench_fill(): integers are uniform over their type, floats are multiples of 2^-12 in 0 ... 1 -
 * 2^-12, so that their sums are exact in double whatever the order, and any difference is an error.
 */
void bench_fill(const satf_view *in);

/* What floats are multiples of: 1 / that; 1 for integers. */
double bench_units(const satf_view *in);

/* NULL if out is the SAT of in; else what is wrong with the first wrong sample (static storage). */
const char *bench_check_sat(const satf_view *in, const satf_view *out);

/* The same for a filter that bench_can_check(), with a square window (or none) and the border
 * clamp. of_table: it read the corners of a summed area table, which is less exact for floats than
 * sums of the window alone. */
const char *bench_check_filter(const char *filter, int window, const satf_view *in,
                               const satf_view *out, bool of_table);

/* Whether there is a reference for that filter: by name, or "rotate=180", "flip=v". */
bool bench_can_check(const char *filter);

/* For the others: the same on the CPU, by tables where the filter has some, whatever engine `out`
 * was made by. */
const char *bench_check_by_tables(const satf_filter *filter, const satf_view *in,
                                  const satf_view *out);

/* The order of the filter permute: pixel k of the result is that pixel of the image. It jumps
 * about as a random one does. */
int64_t bench_order(int64_t k, int64_t pixels);

/* The template that stands for all: the left half of the window minus the right
 * half. Returns the number of rectangles, one or two. */
size_t bench_template(int window, satf_weighted_rect rects[2]);

/* ----------------------------------------------------------------- reports */

/* The table is printed to `to`, a record at a time; NULL: not at all. */
struct bench_report *bench_report_create(const bench_table *table, bool markdown, bool cuda,
                                         FILE *to);
void bench_report_destroy(struct bench_report *report);

/* Prints the record and keeps it; the values' order is the columns'. */
void bench_report_add(struct bench_report *report, const bench_value *values);

/* A record of these STRINGs and NUMBERs. */
#define BENCH_REPORT(b, ...) bench_report_add((b)->report, (const bench_value[]){__VA_ARGS__})

/* Adds a point to the plot: a line's name and where it goes on. */
void bench_report_point(struct bench_report *report, const char *line, double x, double ms,
                        double x_copy);
/* The same of a simulated plot. */
void bench_report_value(struct bench_report *report, const char *line, double x, double y);
void bench_report_axis(struct bench_report *report, const char *x_title);

/* 0, or the exit status after a message: nothing was added, or memory was short. */
int bench_report_end(const struct bench_report *report);

/* The records, in a list of JSON that is open. */
void bench_report_write(FILE *file, const struct bench_report *report);

/* A string of JSON, or null for NULL; and one behind its key. */
void bench_write_string(FILE *file, const char *text);
void bench_write_member(FILE *file, const char *indent, const char *key, const char *text,
                        const char *end);

/* ------------------------------------------------------------------- files */

/* A file to be written at the end, opened at the start: whoever cannot write learns it before the
 * measurements. (bench_output.c) */
typedef struct bench_output {
    const char *path;
    struct io_output *file; /* NULL: none was asked for, or it was committed */
} bench_output;

/* 0 or the exit status after a message; path may be NULL. b->ctx is the caller's. */
int bench_output_open(bench *b, bench_output *o, const char *path);
FILE *bench_output_file(const bench_output *o);
int bench_output_commit(bench *b, bench_output *o);
void bench_output_discard(bench_output *o);

/* Whether that is standard output, where tables go otherwise. */
bool bench_output_is_stdout(const char *path);

/* ------------------------------------------------------------------- plots */

enum { BENCH_PANELS = 2, BENCH_DASHES = 4 };

typedef struct bench_panel {
    const char *title; /* NULL: there is no such panel */
    double linear;     /* y is linear, from 0 on, if values differ by less than this factor */
} bench_panel;

/* What is written around the points: panels side by side over the same x, which is logarithmic. */
typedef struct bench_plot {
    const char *title, *x_title;
    bench_panel panel[BENCH_PANELS];
    const char *dash[BENCH_DASHES]; /* what lines of that dash are; NULL: nothing to say */
} bench_plot;

typedef struct bench_point {
    char line[64];             /* its line's name; lines of one name have one colour */
    int dash;                  /* its line's; 0: solid */
    int number;                /* bench_write_plot() sets it */
    double x, y[BENCH_PANELS]; /* NaN: not in that panel */
} bench_point;

void bench_write_plot(FILE *file, const bench_plot *plot, bench_point *points, size_t count);
void bench_report_plot(FILE *file, const struct bench_report *report, const char *title);

/* ------------------------------------------------------------------- runs */

/* 0 or the exit status after a message, all of them: */
int bench_parse(bench *b, char **words); /* the table first, then options */
int bench_check_options(const bench *b); /* whether they go together, and with the table */

/* Measures or counts what b's table and options say, into b->report, printed to `to` as well if
 * that is not NULL. b->ctx is the caller's. */
int bench_run_table(bench *b, FILE *to);

/* What BENCH_DEFAULTS, a context and runs left. */
void bench_close(bench *b);

/* The report's records, as JSON with what was run, when, and on what. */
void bench_write_records(FILE *file, const bench *b, const char *command);

/* What computes, and what drives it. */
typedef struct bench_device {
    char name[256], driver[256];
} bench_device;

void bench_name_device(int device, bench_device *d);

#define BENCH_PAPER_SIZES "1K,2K,3K,4K,5K,6K,7K,8K,10K,12K,14K,16K,18K"

#endif
