/* The report of an input that was worked on, for -v and --json. */
#ifndef SATFILTER_REPORT_H
#define SATFILTER_REPORT_H

#include <stdio.h>

#include "inputs.h"
#include "workers.h"

/* Lines on standard error: how it went. */
void report_verbose(const settings *s, const job *one, const outcome *out);

/* Lines on standard error: the result's numbers, as far as they were found. */
void report_stats(const job *one, const outcome *out);

/* One JSON object on a line: what was done, ... */
void report_json(FILE *to, const settings *s, const job *one, const outcome *out);

/* ... or why it was not, with the file that this is about, ... */
void report_json_failure(FILE *to, const settings *s, const job *one, const char *at,
                         satf_status status, const char *why);

/* ... or that the input is left alone: its output exists and is kept ("skipped"), or there is no
 * space for it ("not_tried"). */
void report_json_left(FILE *to, const settings *s, const job *one, const char *why);

/* Milliseconds that the stages of one file, or of all of a batch, took; waiting for threads and
 * memory that other files held. */
#define STAGE_LIST(STAGE)   \
    STAGE(DECODE, "decode") \
    STAGE(COMPUTE, "compute") STAGE(ENCODE, "encode") STAGE(WAITING, "waiting")
#define STAGE_ENUM(NAME, name) STAGE_##NAME,
enum { STAGE_LIST(STAGE_ENUM) STAGES };
#undef STAGE_ENUM
typedef struct stage_times {
    double ms[STAGES];
} stage_times;

stage_times report_times(const satf_file_report *result);

/* How a batch went. */
typedef struct report_summary {
    const input_list *inputs;
    int count; /* inputs that were found */
    int done;
    int incomplete; /* of these: a page of the input is missing, ... */
    int damaged;    /* ... or the input is damaged */
    int failed;
    int not_tried; /* an earlier output has found their disk full */
    int existing;  /* skipped: their output exists */
    int replaced;  /* of those done: the output existed, and ... */
    int unasked;   /* ... neither an answer nor --force allowed it */
    double ms;
    stage_times times; /* of those that are done */
} report_summary;

/* The last JSON object of a batch. */
void report_json_summary(FILE *to, const report_summary *sum);

/* The line that ends a batch of several inputs, one on its stages if it is to be verbose, and one
 * on what was passed over. If it is to be quiet, the first alone, where outputs were kept or inputs
 * not tried. */
void report_closing(const settings *s, const report_summary *sum);

/* "page 7: ", as the page's own file numbers it; "" where that has no other. Returns text. */
enum { PAGE_BYTES = 32 };
const char *report_page(const page_outcome *page, char text[PAGE_BYTES]);

#endif
