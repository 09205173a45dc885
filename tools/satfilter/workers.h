/* Threads that work on the files of a batch side by side. Whoever starts them hears of the files in
 * the order of the batch, whatever ends first. */
#ifndef SATFILTER_WORKERS_H
#define SATFILTER_WORKERS_H

#include <stdio.h>

#include "outputs.h"

/* A page that failed, or a note on one. */
typedef struct page_outcome {
    struct page_outcome *next;
    int64_t number;     /* among all that were asked for */
    int64_t input_page; /* in its own file; 0: that has no other */
    satf_status status;
    const char *at; /* the input or the output, the job's; of several inputs the page's own */
    char text[512]; /* an error or a note; "": none */
    bool damaged;   /* it is written all the same */
    satf_channel_stats stats[SATF_MAX_CHANNELS];
    int stats_channels; /* 0: they were not asked for */
} page_outcome;

/* What became of a job. */
typedef struct outcome {
    satf_status status;
    const char *why; /* of a failure, a sentence */
    char *text;      /* that, owned; NULL without memory */
    const char *at;  /* the file that it is about; NULL: the input */
    int device;      /* of its context: SATF_HOST, SATF_CUDA(n) or SATF_DEVICE_AUTO */
    satf_file_report report;
    satf_used *steps; /* those of report, and one without a filter; owned; NULL: none */
    page_outcome *pages, **pages_end; /* in their order; owned */
    bool not_tried;                   /* an earlier output has found its disk full */
    bool joined;                      /* its pages are of several inputs */
    bool to_stderr; /* where the JSON object goes, because its picture goes to stdout */
} outcome;

typedef struct workers workers;

/* Begins with the jobs that are not skipped, as many at a time as keep all threads busy. NULL after
 * a message. The context and the jobs but for their inputs' and outputs' names are the workers'
 * until workers_end(). */
workers *workers_start(const settings *s, job *jobs, int count);

/* Waits for that job, which is none of those skipped, and shows the progress meanwhile. Valid until
 * outcome_free(). */
outcome *workers_await(workers *all, int index);
void outcome_free(outcome *one);

/* All jobs have been waited for. */
void workers_end(workers *all);

#endif
