/* What -v and --json say about an input that was worked on. */
#ifndef SATFILTER_REPORT_H
#define SATFILTER_REPORT_H

#include <stdio.h>

#include "../src/pipeline/pipeline.h"
#include "options.h"

/* Lines on standard error. */
void report_verbose(const settings *s, const pipeline_job *job, const pipeline_result *result);

/* One JSON object on a line; with "error" in place of results unless status is SATF_OK. */
void report_json(FILE *to, const settings *s, const pipeline_job *job,
                 const pipeline_result *result, satf_status status);

#endif
