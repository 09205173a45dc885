/* The pixels that a TIFF says count nothing. */
#ifndef SATF_PIPELINE_NODATA_H
#define SATF_PIPELINE_NODATA_H

#include "pipeline.h"

/* Unless the chain names a value itself, or the job ignores the tag, the value of GDAL_NODATA
 * becomes that of job->filter, with a note: *own, a copy of the chain, which is made unless it is
 * there. A tag of NaN omits what is no number. */
satf_status pipeline_take_nodata(satf_context *ctx, pipeline_job *job, const io_header *header,
                                 satf_filter **own, satf_file_report *result);

/* The status of a chain that may have taken it: one that cannot leave out pixels says whence they
 * are. */
satf_status pipeline_explain_nodata(satf_context *ctx, bool taken, satf_status status);

/* The result's tag: of the value that the chain names; none where the samples are others, those of
 * a picture or black and white. */
satf_status pipeline_name_nodata(satf_context *ctx, satf_file_report *result,
                                 const pipeline_job *job, const io_plan *plan, satf_metadata *m);

#endif
