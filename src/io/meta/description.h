/* A TIFF's description where it is a text that programs read: OME-XML, ImageJ's, tifffile's. */
#ifndef SATF_IO_META_DESCRIPTION_H
#define SATF_IO_META_DESCRIPTION_H

#include "../io.h"

/* Can the description be right for a file of so many pages, this one among them? Others than such
 * texts are. */
bool io_description_fits(const satf_metadata *metadata, const io_plan *plan, int64_t pages);

/* *text = the description that fits, changed to the samples that are written; NULL: it is right as
 * it is. */
satf_status io_description_make(satf_context *ctx, const satf_tag *tag, const io_plan *plan,
                                unsigned char **text, size_t *bytes);

#endif
