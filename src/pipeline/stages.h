/* What the whole-image path and the streaming path of a job share. */
#ifndef SATF_PIPELINE_STAGES_H
#define SATF_PIPELINE_STAGES_H

#include "pipeline.h"

/* Milliseconds of the monotonic clock. */
double pipeline_now_ms(void);

/* Rows of a block that is decoded or encoded at once: 256 KiB of samples, at
 * least one row, at most all. */
int64_t pipeline_block_rows(const satf_view *view);

/* What is known of a job before its first row is decoded. */
typedef struct pipeline_plan {
    satf_image in, out; /* without pixels and metadata */
    /* The type to filter to, so that the result is rounded only once on its way
     * into the file: plain values at once to the type wanted, means for a picture
     * of another depth to doubles. A satf_type or SATF_TYPE_AUTO. */
    int type;
    io_plan io;
} pipeline_plan;

#endif
