/* The decisions about a job before its first row is decoded. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/share.h"
#include "../base/view.h"
#include "nodata.h"
#include "region.h"
#include "stream.h"

/* ------------------------------------------------------------------ the result */

/* plan->type of an image whose filters exactly make `exact`. */
static int result_type(const pipeline_job *job, const satf_view *exact)
{
    int wanted = job->write.type;
    const io_format *format = pipeline_output_format(job);
    if (wanted == SATF_TYPE_AUTO || (format && !(format->picture_types & 1u << wanted))) {
        return wanted;
    }
    bool rounded_twice = exact->type != wanted && satf_type_bytes(exact->type) <= 2 &&
                         !satf_type_is_float(exact->type) && !filter_is_bilevel(job->filter);
    return rounded_twice ? SATF_F64 : SATF_TYPE_AUTO;
}

bool pipeline_is_black_and_white(const pipeline_job *job)
{
    const satf_write_options *write = &job->write;
    return filter_is_bilevel(job->filter) && write->type == SATF_TYPE_AUTO && !write->has_range &&
           !write->auto_range;
}

static bool job_is_jpeg(const char *format)
{
    return strcmp(format, "jpeg") == 0;
}

/*
 * Are values that the filters exactly make colours? Those of pictures of 8 or 16 bits, 0 black and
 * the maximum white, and real ones where even colour stays as it is. Then the possible range has
 * the middle of the input's, as that of a template has if its weights add up to 1.
 */
static bool are_colours(const satf_image *in, const satf_image *exact)
{
    int type = exact->view.type;
    if (type == SATF_U8 || type == SATF_U16 || !in->has_range || !exact->has_range) {
        return true;
    }
    double was = in->lo + in->hi, is = exact->lo + exact->hi;
    return fabs(is - was) <= 1e-6 * fabs(was);
}

/* Finds what cannot work before anything is decoded. */
static satf_status job_describe(satf_context *ctx, const pipeline_job *job, const io_reader *reader,
                                pipeline_plan *plan, satf_file_report *result)
{
    const io_header *header = &reader->header;
    *plan = (pipeline_plan){.in = {.view = header->view}};
    io_describe(header, &plan->in);
    plan->in.bilevel = header->bilevel;
    satf_view exact;
    satf_status status = satf_filter_check_engine(ctx, job->filter);
    if (status) {
        return status;
    }
    status = satf_filter_output(ctx, job->filter, &header->view, &exact);
    if (status) {
        return status;
    }
    status = job->options.region ? pipeline_region_plan(ctx, job, &exact, plan) : SATF_OK;
    if (status) {
        return status;
    }
    plan->type = result_type(job, &exact);
    status = filter_describe(ctx, job->filter, &plan->in, SATF_TYPE_AUTO, &plan->out);
    plan->colours = !status && are_colours(&plan->in, &plan->out);
    if (!status) {
        status = filter_describe(ctx, job->filter, &plan->in, plan->type, &plan->out);
    }
    if (status) {
        return status;
    }
    if (job->options.region) {
        pipeline_region_widen(plan);
    }
    result->at = job->output;
    status = io_make_plan(ctx, &plan->out, job->output, &job->write, &plan->io);
    if (!status && pipeline_is_black_and_white(job) && job_is_jpeg(plan->io.format->name)) {
        status = satf_fail(ctx, SATF_UNSUPPORTED,
                           "a JPEG blurs black and white; write .png, or u8 for shades of grey "
                           "(option: type)");
    }
    /* doubles for a mean of another depth: the picture is no less full for that */
    plan->io.judge_range &= plan->type == SATF_TYPE_AUTO || job->write.has_range;
    if (!status) {
        result->at = job->input;
        result->out = plan->io.out;
        result->out_format = plan->io.format->name;
    }
    return status;
}

/* -------------------------------------------------------------------- the route */

/* What whole images take, and the most of it at a time: while the input is decoded, filtered, or
 * the result encoded; 0 if the filters themselves will say why not. A PNG's encoder makes do with
 * what it gets. settled: they are what will be, on plan->device. */
static size_t whole_bytes(satf_context *ctx, const pipeline_job *job, const pipeline_plan *plan,
                          const io_header *header, bool settled, size_t *most)
{
    const satf_view *in = &plan->in.view, *out = &plan->out.view;
    const io_format *format = plan->io.format;
    size_t bytes = 0, in_bytes, out_bytes, decoding, encoding = 0;
    bool here = ctx->settings.device <= SATF_HOST; /* else the work's memory is the device's */
    satf_view from, to;
    pipeline_region_views(ctx, job, plan, &from, &to);
    *most = 0;
    /* The context keeps one plan, which may be that of a device for the next file. */
    satf_status (*ask)(satf_context *, const satf_filter *, const satf_view *, const satf_view *,
                       size_t *) =
        settled && plan->device <= SATF_HOST ? filter_bytes_here : filter_bytes_lent;
    if (here && ask(ctx, job->filter, &from, &to, &bytes)) {
        return SIZE_MAX;
    }
    *most = SIZE_MAX;
    size_t apart =
        here && job->options.region ? (size_t)(to.stride * to.height) : 0; /* what filters make */
    if (!satf_add(bytes, apart, &bytes)) {
        return SIZE_MAX;
    }
    if (format->held_bytes && !format->encodes_on_all) {
        encoding = format->held_bytes(ctx, &plan->io, &header->metadata);
    }
    if (!satf_mul((size_t)in->stride, (size_t)in->height, &in_bytes) ||
        !satf_mul((size_t)out->stride, (size_t)out->height, &out_bytes) ||
        !satf_add(bytes, in_bytes, &bytes) || !satf_add(bytes, out_bytes, &bytes) ||
        !satf_add(in_bytes, header->held_bytes, &decoding) ||
        !satf_add(out_bytes, encoding, &encoding)) {
        return SIZE_MAX;
    }
    encoding = encoding > decoding ? encoding : decoding;
    *most = bytes > encoding ? bytes : encoding;
    return bytes;
}

/* The least that whole images take; SIZE_MAX if no memory has as much. */
static uint64_t images_bytes(const pipeline_plan *plan)
{
    const satf_view *in = &plan->in.view, *out = &plan->out.view;
    size_t bytes, more;
    return satf_mul((size_t)in->stride, (size_t)in->height, &bytes) &&
                   satf_mul((size_t)out->stride, (size_t)out->height, &more) &&
                   satf_add(bytes, more, &bytes)
               ? bytes
               : SIZE_MAX;
}

_Static_assert(sizeof((satf_file_report *)0)->why_cpu == FILTER_WHY_BYTES, "a reason fits");

/* plan->device: the context's or, where that leaves it open (SATF_DEVICE_AUTO), the one that
 * filter_choose_device() takes; result->why_cpu says why it is the CPU. banded: a device would take
 * it in bands; from: the input's format. */
static void job_choose_device(satf_context *ctx, const pipeline_job *job, const io_format *from,
                              pipeline_plan *plan, bool banded, satf_file_report *result)
{
    plan->device = ctx->settings.device;
    plan->automatic = plan->device == SATF_DEVICE_AUTO;
    if (plan->automatic) {
        const io_format *to = plan->io.format;
        filter_job of = {.flows_on_host = plan->streams,
                         .flows_on_device = banded,
                         .decode_ns = from->decode_ns,
                         .encode_ns = to->encode_ns,
                         .encodes_on_all = to->encodes_on_all,
                         .files = job->options.files};
        satf_view in, out;
        pipeline_region_views(ctx, job, plan, &in, &out);
        plan->device = filter_choose_device(ctx, job->filter, &in, &out, &of, result->why_cpu);
    }
}

/*
 * Streams if every filter can and no device has been chosen. Exceptions:
 * - with the route set to whole images it never does;
 * - a picture that must be decoded twice, or whose rows one thread takes through several steps, is
 *   streamed if it is large or the route says so;
 * - if whole images fit the memory limit and rows do not, it takes whole images.
 * A streamed picture that is large, or that the route wants by rows, is not moved to a CUDA device.
 * One on a device flows in bands, with whole images in the host's memory, where that pays.
 * Large is a picture that takes, with its result, more than a third of the limit: by default that
 * is a quarter of the machine's memory.
 */
static satf_status choose_path(satf_context *ctx, const pipeline_job *job, io_reader *reader,
                               pipeline_plan *plan, satf_file_report *result, pipeline_look *look)
{
    if (job->options.route != SATF_ROUTE_WHOLE && plan->io.format->metadata != IO_METADATA_NONE) {
        satf_status status = io_find_metadata(ctx, reader);
        if (status) {
            return status;
        }
    }
    uint64_t most = (uint64_t)ctx->settings.max_bytes;
    bool asked = job->options.route == SATF_ROUTE_ROWS, large = images_bytes(plan) > most / 3;
    if (job->options.route == SATF_ROUTE_WHOLE) {
        *look = (pipeline_look){.refusal = "whole images are asked for", .bytes = SIZE_MAX};
    } else {
        pipeline_stream_look(ctx, job, plan, reader, look);
    }
    bool possible = !*look->refusal && ctx->settings.device <= SATF_HOST;
    if (asked && !possible) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "cannot be streamed: %s (option: stream)",
                         *look->refusal ? look->refusal : "a CUDA device takes whole pictures");
    }
    size_t peak = 0; /* of whole images, where it matters */
    plan->streams = possible && (asked || large || !look->rather_whole);
    plan->bytes = look->bytes;
    if (plan->streams && !asked && look->bytes > most) {
        whole_bytes(ctx, job, plan, &reader->header, false, &peak);
        plan->streams = peak == 0 || peak > most;
    }
    if (plan->streams && ctx->settings.device == SATF_DEVICE_AUTO && (asked || large)) {
        snprintf(result->why_cpu, sizeof result->why_cpu, "streamed: computed on the CPU");
        return SATF_OK;
    }
    bool banded = ctx->settings.device != SATF_HOST && job->options.route != SATF_ROUTE_WHOLE &&
                  pipeline_stream_bands(ctx, job, plan, reader);
    job_choose_device(ctx, job, reader->format, plan, banded, result);
    bool on_device = plan->device > SATF_HOST;
    plan->streams = on_device ? banded : plan->streams;
    if (!on_device) {
        plan->band_rows = 0;
        plan->bytes = look->bytes;
    }
    if (!plan->streams) {
        plan->bytes = whole_bytes(ctx, job, plan, &reader->header, true, &peak);
    }
    return plan->streams || on_device || peak <= most
               ? SATF_OK
               : satf_fail(ctx, SATF_LIMIT,
                           "whole images of it and what works on them take %zu bytes, above the "
                           "limit of %lld bytes (limit: max-memory)",
                           peak, (long long)ctx->settings.max_bytes);
}

/* What a page's bytes take while those in front of it are not written, unless its turn has come. A
 * large one waits for that first, without its token to work. */
static uint64_t page_bytes(satf_context *ctx, const pipeline_job *job, const pipeline_plan *plan)
{
    if (!job->pages) {
        return 0;
    }
    const satf_view *out = &plan->io.out;
    uint64_t bytes = (uint64_t)out->stride * (uint64_t)out->height / (plan->io.bilevel ? 8 : 1);
    /* what waits is not counted any more once its call has ended, and may be two for a thread */
    if (bytes <= (uint64_t)ctx->settings.max_bytes / (8 * (uint64_t)ctx->settings.threads)) {
        return bytes;
    }
    pipeline_await_turn(ctx, job);
    return 0;
}

/* Waits for the memory that the job takes, so many bytes and what its codecs hold. */
static satf_status job_reserve(satf_context *ctx, const pipeline_job *job,
                               const pipeline_plan *plan, const io_header *header)
{
    const io_format *format = plan->io.format;
    size_t bytes = plan->bytes;
    uint64_t held = header->held_bytes + page_bytes(ctx, job, plan);
    held += format->held_bytes ? format->held_bytes(ctx, &plan->io, &header->metadata) : 0;
    return satf_share_reserve(ctx, satf_add(bytes, held, &bytes) ? bytes : SIZE_MAX);
}

satf_status pipeline_plan_make(satf_context *ctx, const pipeline_job *job, io_reader *reader,
                               pipeline_plan *plan, satf_file_report *result)
{
    pipeline_look look = {.flow = NULL};
    satf_metadata *metadata = &reader->header.metadata;
    satf_status status = job_describe(ctx, job, reader, plan, result);
    status = status ? status : choose_path(ctx, job, reader, plan, result, &look);
    status = status ? status : job_reserve(ctx, job, plan, &reader->header);
    plan->flow = look.flow;
    if (!plan->streams) {
        pipeline_plan_free(plan); /* what whole images have no use for */
    }
    if (!status && !plan->colours) {
        pipeline_drop_colours(result, job, &plan->io, metadata);
    }
    if (!status) {
        pipeline_note_metadata(result, job, plan, metadata);
    }
    return status ? status : pipeline_name_nodata(ctx, result, job, &plan->io, metadata);
}

void pipeline_plan_free(pipeline_plan *plan)
{
    if (plan->flow) {
        flow_free(plan->flow);
        satf_free(plan->flow);
        plan->flow = NULL;
    }
}
