/* The tag GDAL_NODATA of a TIFF. */
#include "nodata.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/number.h"
#include "../base/view.h"
#include "../chain/chain.h"
#include "../formula/adapt.h"
#include "../io/meta/tags.h"
#include "job.h"

/* What the tag says; false: there is none, or it is no text, which ends, or no number. */
static bool find_value(const satf_metadata *m, satf_tag *tag, double *value)
{
    if (!satf_tags_find(m->tags, m->tags_bytes, SATF_TAGS_PAGE, SATF_TAG_NODATA, tag) ||
        tag->type != SATF_TAG_ASCII || tag->bytes == 0) {
        return false;
    }
    const char *text = (const char *)tag->values;
    char *end;
    *value = satf_strtod(text, &end);
    return end != text && end[strspn(end, " ")] == '\0';
}

/* Whether samples of that type may have the value. */
static bool occurs(int type, double value)
{
    return isnan(value) ? satf_type_is_float(type) : !isnan(adapt_sample_of(type, value));
}

/* Whether colours have the value in some channel: 0 of most pictures of the earth. */
static bool is_of_colours(const satf_view *in)
{
    bool light = !satf_type_is_float(in->type) && !satf_type_is_signed(in->type);
    return light && in->channels >= 3;
}

satf_status pipeline_take_nodata(satf_context *ctx, pipeline_job *job, const io_header *header,
                                 satf_filter **own, satf_file_report *result)
{
    const chain_counting *says = &job->filter->counting;
    satf_tag tag;
    double value;
    if (job->options.ignore_nodata || says->says_nodata || filter_only_moves(job->filter) ||
        !find_value(&header->metadata, &tag, &value) || !occurs(header->view.type, value) ||
        (isnan(value) && says->omits_nan)) {
        return SATF_OK;
    }
    int length = satf_text_most((const char *)tag.values, 40);
    if (job->options.linear &&
        !satf_type_is_float(header->view.type)) { /* others become that value */
        pipeline_note_add(result, job->input,
                          "pixels of %.*s count, though its tag GDAL_NODATA names them, in linear "
                          "light",
                          length, tag.values);
        return SATF_OK;
    }
    if (is_of_colours(&header->view)) {
        pipeline_note_add(
            result, job->input,
            "pixels of %.*s count, though its tag GDAL_NODATA names them, for colours "
            "may have that value; naming it leaves them out (option: nodata)",
            length, tag.values);
        return SATF_OK;
    }
    satf_status status = SATF_OK;
    if (!*own) {
        *own = chain_new(ctx);
        status = *own ? satf_filter_append(ctx, *own, job->filter) : SATF_NO_MEMORY;
    }
    if (!status) {
        chain_counting *counting = &(*own)->counting;
        counting->omits_nan |= isnan(value);
        counting->says_nodata = !isnan(value);
        counting->nodata = value;
        job->filter = *own;
        pipeline_note_add(result, job->input,
                          "pixels of %.*s do not count, as its tag GDAL_NODATA says", length,
                          tag.values);
    }
    return status;
}

satf_status pipeline_explain_nodata(satf_context *ctx, bool taken, satf_status status)
{
    char why[SATF_MESSAGE_BYTES];
    snprintf(why, sizeof why, "%s", satf_message(ctx));
    char *of_option = strstr(why, " (option: nan)");
    if (!taken || status != SATF_UNSUPPORTED || !of_option) {
        return status;
    }
    *of_option = '\0';
    return satf_fail(ctx, status,
                     "%s; the file's tag GDAL_NODATA asks for it, which the value none overrules "
                     "(option: nodata)",
                     why);
}

/* The tags but for GDAL_NODATA, which becomes that text, or goes for NULL. */
static satf_status change_tag(satf_context *ctx, satf_metadata *m, const char *text)
{
    satf_tags tags = {NULL, 0, 0};
    satf_status status = SATF_OK;
    satf_tag tag;
    for (size_t at = 0; !status && satf_tags_next(m->tags, m->tags_bytes, &at, &tag);) {
        bool is_it = tag.directory == SATF_TAGS_PAGE && tag.tag == SATF_TAG_NODATA;
        if (is_it && text) {
            tag.values = (const unsigned char *)text;
            tag.bytes = strlen(text) + 1;
        }
        status = is_it && !text ? SATF_OK : satf_tags_add(ctx, &tags, &tag);
    }
    if (status) {
        satf_free(tags.block);
        return status;
    }
    satf_free(m->tags);
    m->tags = tags.block;
    m->tags_bytes = tags.bytes;
    return SATF_OK;
}

satf_status pipeline_name_nodata(satf_context *ctx, satf_file_report *result,
                                 const pipeline_job *job, const io_plan *plan, satf_metadata *m)
{
    const chain_counting *says = &job->filter->counting;
    char text[32];
    satf_tag tag;
    double value;
    bool has = (plan->format->keeps & IO_KEEPS_TAGS) && !job->write.strip &&
               satf_tags_find(m->tags, m->tags_bytes, SATF_TAGS_PAGE, SATF_TAG_NODATA, &tag);
    if (has && (plan->how == IO_IMAGE_FORM || filter_is_bilevel(job->filter))) {
        pipeline_note_add(
            result, job->input,
            "its tag GDAL_NODATA is not kept: the result, scaled to a picture, has no "
            "value for such pixels");
        return change_tag(ctx, m, NULL);
    }
    if (has && says->says_nodata && !(find_value(m, &tag, &value) && value == says->nodata)) {
        snprintf(text, sizeof text, "%.17g", says->nodata);
        return change_tag(ctx, m, text);
    }
    return SATF_OK;
}
