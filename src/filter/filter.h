/* Filters: the table, parameters, chains, and the run of one filter by either engine. */
#ifndef SATF_FILTER_H
#define SATF_FILTER_H

#include "../base/image.h"
#include "../sat/sat.h"
#include "../window/window.h"

/* A parameter, once: parsing, printing, help and man page derive from it. */
typedef enum param_kind { PARAM_SIZE, PARAM_FLAG, PARAM_BORDER, PARAM_FILE } param_kind;

typedef struct filter_param {
    const char *name;    /* as in specs: "border", "squared"; the window is "size" ("N" or "WxH") */
    const char *metavar; /* "N|WxH" */
    const char *help;    /* one line with unit and range */
    const char *default_text;
    param_kind kind;
} filter_param;

/* A filter's parameters' values. */
typedef struct filter_values {
    int64_t width, height;
    satf_border border;
    bool border_given;
    double constant;
    bool squared;
    satf_weighted_rect *rects; /* owned */
    size_t rect_count;
} filter_values;

typedef struct filter_info {
    const char *name;
    const char *help;   /* one line */
    const char *detail; /* a paragraph for --help NAME and the man page: formula, range, types */
    const filter_param
        *params;      /* ends with name NULL; the first is the option's own value, if any */
    bool needs_value; /* --box N against --integral */
    /* ... what sums it needs, its output type, its possible range, its formula:
     * the filter layer's own business, see filters/ */
    const struct filter_engine *engine;
} filter_info;

const filter_info *filter_info_at(size_t index); /* NULL behind the last */
const filter_info *filter_info_find(const char *name);

/* The chain inside a satf_filter. */
size_t filter_count(const satf_filter *filter);
const filter_info *filter_at(const satf_filter *filter, size_t index, const filter_values **values);

/* Gives `border` to every filter of the chain that has the parameter and was
 * not given one of its own (the command line's --border). */
void filter_default_border(satf_filter *filter, satf_border border, double constant);

/* "clamp", "constant:7": the grammar of --border and of border=. */
satf_status filter_parse_border(satf_context *ctx, const char *text, satf_border *border,
                                double *constant);

/* Which engine and algorithm a run used, for -v and --json; static names. */
typedef struct filter_report {
    const char *engine;    /* "window", "sat" */
    const char *algorithm; /* SAT algorithm, or NULL */
    const char *device;    /* "cpu" */
} filter_report;
void filter_last_report(const satf_context *ctx, filter_report *report);

#endif
