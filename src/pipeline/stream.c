/* The stages of a picture that streams: decoder, strips and encoder. */
#include "stream.h"

#include <stdio.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "../plan/plan.h"
#include "bands.h"
#include "region.h"

/* What flows: decoder, strips, encoder. The last strip is on the calling thread, for progress is
 * reported there; around a region it is the encoder. */
typedef struct stream {
    flow flow;
    const pipeline_job *job;
    pipeline_plan *plan;
    satf_file_report *result;
    io_reader *reader;
    io_writer *writer; /* owned; NULL: it could not be opened */
    satf_metadata had; /* that it was opened with */
    char *pasted;      /* owned: rows around a region on their way to the encoder */
} stream;

/* Shares of the progress: while all stages run, and what is encoded then. */
static const double march_share = 0.9, end_share = 0.1;

/* ---------------------------------------------------------------- the stages */

static void *run_decoder(void *argument)
{
    flow_stage *t = argument;
    flow *f = t->flow;
    stream *s = f->user;
    flow_ring *to = &f->rings[0];
    satf_status status = SATF_OK;
    flow_begin(t);
    for (int64_t y = 0, end; y < to->rows && !status; y = end) {
        end = least(y + to->band_rows, to->rows);
        if (!flow_await_room(t, to, end)) {
            break;
        }
        status = io_read_rows(t->ctx, s->reader, flow_row(to, y), to->view.stride, end - y);
        if (!status) {
            flow_advance(f, &to->made, end);
        }
    }
    flow_end(t, status);
    return NULL;
}

static void *run_encoder(void *argument)
{
    flow_stage *t = argument;
    flow *f = t->flow;
    stream *s = f->user;
    flow_ring *from = &f->rings[f->segments];
    satf_status status = SATF_OK;
    flow_begin(t);
    for (int64_t y = 0, end; y < from->rows && !status; y = end) {
        end = least(y + from->band_rows, from->rows);
        if (!flow_await(t, &from->made, end)) {
            break;
        }
        status = io_put_rows(t->ctx, s->writer, flow_row(from, y), from->view.stride, end - y);
        if (!status) {
            flow_advance(f, &from->freed, end);
        }
    }
    flow_end(t, status);
    return NULL;
}

/* Rows y ... y + n - 1 of the picture: those that come, in which the region is the filters'. */
static void paste(const stream *s, int64_t y, int64_t n, char *rows)
{
    const flow *f = &s->flow;
    const flow_ring *raw = &f->rings[0], *made = &f->rings[f->segments];
    const satf_rect *of = s->job->options.region, *part = &s->plan->part;
    int64_t stride = s->plan->out.view.stride, pixel = satf_pixel_bytes(&made->view);
    for (int64_t end = y + n; y < end; y++, rows += stride) {
        const char *row = NULL;
        if (y >= of->y && y < of->y + of->h) {
            row = (char *)flow_row(made, y - of->y + part->y) + part->x * pixel;
        }
        pipeline_region_row(s->job, s->plan, y, flow_row(raw, y), row, rows);
    }
}

/* Rows of the filters' result that are in the first y rows of the picture; all, below the region,
 * so that filters end. */
static int64_t made_above(const stream *s, int64_t y)
{
    const satf_rect *of = s->job->options.region;
    return y <= of->y          ? s->plan->part.y
           : y < of->y + of->h ? y - of->y + s->plan->part.y
                               : s->flow.rings[s->flow.segments].rows;
}

/* The last stage around a region. Progress is reported here, for filters are done early. */
static void *run_paster(void *argument)
{
    flow_stage *t = argument;
    flow *f = t->flow;
    stream *s = f->user;
    flow_ring *raw = &f->rings[0], *from = &f->rings[f->segments];
    const satf_rect *of = s->job->options.region;
    int64_t stride = s->plan->out.view.stride;
    satf_status status = SATF_OK;
    flow_begin(t);
    satf_progress_begin(t->ctx);
    for (int64_t y = 0, end; y < raw->rows && !status; y = end) {
        end = least(y + least(raw->band_rows, from->band_rows), raw->rows);
        int64_t last = least(end, of->y + of->h) - of->y + s->plan->part.y;
        bool inside = end > of->y && y < of->y + of->h;
        if (!flow_await(t, &raw->made, end) || (inside && !flow_await(t, &from->made, last))) {
            break;
        }
        paste(s, y, end - y, s->pasted);
        flow_advance(f, &raw->passed, end);
        flow_advance(f, &from->freed, made_above(s, end));
        status = io_put_rows(t->ctx, s->writer, s->pasted, stride, end - y);
        status = status ? status : satf_report_progress(t->ctx, (double)end / (double)raw->rows);
    }
    flow_end(t, status);
    return NULL;
}

/* Runs all filters at once, in bands on a device. */
static void *stream_run_bands(void *argument)
{
    flow_stage *t = argument;
    flow *f = t->flow;
    stream *s = f->user;
    flow_ring *from = &f->rings[0], *to = &f->rings[1];
    satf_view in = from->view, out = to->view;
    satf_status status = SATF_OK;
    in.data = from->data;
    out.data = to->data;
    flow_begin(t);
    satf_progress_begin(t->ctx);
    for (int64_t y = 0, rows, needed; y < out.height && !status; y += rows) {
        rows = least(s->plan->band_rows, out.height - y);
        status = pipeline_band_needs(t->ctx, s->job, s->plan, y, rows, &needed);
        if (status || !flow_await(t, &from->made, needed)) {
            break;
        }
        double waited_ms = t->ctx->waited_ms;
        status = pipeline_band_make(t->ctx, s->job, s->plan, &in, &out, y, rows, s->result);
        t->waited_ms += t->ctx->waited_ms - waited_ms; /* for a lane of the device */
        if (!status) {
            flow_advance(f, &to->made, y + rows);
        }
    }
    flow_end(t, status ? status : satf_report_progress(t->ctx, 1));
    return NULL;
}

/* ------------------------------------------------------------------ the whole */

static void *(*body_of(const flow *f, int number))(void *)
{
    const stream *s = f->user;
    return number == 0          ? run_decoder
           : number > f->strips ? (s->job->options.region ? run_paster : run_encoder)
           : s->plan->band_rows ? stream_run_bands
                                : flow_run_strip;
}

/* Opens the writer and gives all stages but `own` a thread; false after a failure, which the flow
 * has. */
static bool stream_start(stream *s, const pipeline_output *file, int own)
{
    flow *f = &s->flow;
    satf_metadata *metadata = &s->reader->header.metadata;
    pipeline_change_metadata(s->job, &s->plan->in.view, metadata);
    s->had = *metadata;
    satf_status status =
        pipeline_writer_open(f->ctx, s->job, &s->plan->io, file, metadata, &s->writer);
    if (status) {
        flow_stop(&f->stages[f->strips + 1], status);
    }
    for (int i = 0; i < f->strips + 2 && !status; i++) {
        flow_stage *t = &f->stages[i];
        status = i == own ? SATF_OK : flow_start(t, body_of(f, i));
        if (status) {
            flow_stop(t,
                      satf_fail(f->ctx, status, "no thread could be started (option: no-stream)"));
        }
    }
    return !status;
}

/* What came behind the pixels of a PNG has not been through the filters. */
static void filter_late(const stream *s, satf_metadata *metadata)
{
    const satf_metadata *had = &s->had;
    satf_metadata late = *metadata;
    late.exif = had->exif ? NULL : late.exif;
    late.xmp = had->xmp ? NULL : late.xmp;
    late.iptc = had->iptc ? NULL : late.iptc;
    late.tags = NULL;
    late.tags_bytes = 0;
    pipeline_change_metadata(s->job, &s->plan->in.view, &late);
    if (!had->exif) {
        metadata->exif = late.exif;
        metadata->exif_bytes = late.exif_bytes;
    }
    if (!had->xmp) {
        metadata->xmp = late.xmp;
        metadata->xmp_bytes = late.xmp_bytes;
    }
    if (!had->iptc) {
        metadata->iptc = late.iptc;
        metadata->iptc_bytes = late.iptc_bytes;
    }
}

/* Why the picture's rows cannot flow, whatever filters them; false if they can. */
static bool find_refusal(const pipeline_plan *plan, const io_reader *reader, char *why, size_t room)
{
    if (plan->io.find_range) {
        snprintf(why, room,
                 "the range auto looks at all of the result before any of it is written");
        return true;
    }
    if (!reader->header.rows_in_order && reader->symmetry) {
        snprintf(why, room, "its pixels are turned by its orientation, for which all are held");
        return true;
    }
    if (!reader->header.rows_in_order) {
        snprintf(why, room,
                 "such a %s file is decoded as a whole (interlaced, in Fortran order, or from the "
                 "bottom up out of a pipe)",
                 reader->format->name);
        return true;
    }
    if (reader->header.metadata_may_follow && plan->io.format->metadata == IO_METADATA_FIRST) {
        snprintf(
            why, room,
            "EXIF, XMP or IPTC may follow the pixels in this %s file (out of a pipe), and leads in "
            "a %s file",
            reader->format->name, plan->io.format->name);
        return true;
    }
    return false;
}

/* Memory for the rows that the encoder takes at once. */
static size_t pasted_bytes(const flow *f, const pipeline_plan *plan)
{
    return (size_t)(least(f->rings[0].band_rows, f->rings[f->segments].band_rows) *
                    plan->out.view.stride);
}

bool pipeline_stream_bands(satf_context *ctx, const pipeline_job *job, pipeline_plan *plan,
                           const io_reader *reader)
{
    char why[sizeof((pipeline_look *)NULL)->refusal];
    bool asked = strcmp(ctx->settings.algorithm, "auto") != 0; /* for the whole picture's table */
    flow f;
    if (asked || job->options.region || find_refusal(plan, reader, why, sizeof why)) {
        return false;
    }
    plan->band_rows = pipeline_band_rows(ctx, job, plan);
    bool fits = plan->band_rows > 0;
    if (fits) {
        fits = !flow_plan_whole(ctx, &plan->in.view, &plan->out.view, &f, &plan->bytes) &&
               plan->bytes <= (uint64_t)ctx->settings.max_bytes;
        flow_free(&f);
    }
    plan->band_rows = fits ? plan->band_rows : 0;
    return fits;
}

/* Plans the flow of the job's filters, and of rows around a region. */
static satf_status plan_flow(satf_context *ctx, const pipeline_job *job, const pipeline_plan *plan,
                             flow *f, size_t *bytes)
{
    satf_view in, out;
    pipeline_region_views(ctx, job, plan, &in, &out);
    satf_status status = flow_plan(ctx, job->filter, &plan->in.view,
                                   job->options.region ? &plan->crop : NULL, &out, f, bytes);
    if (!status && job->options.region && !satf_add(*bytes, pasted_bytes(f, plan), bytes)) {
        *bytes = SIZE_MAX;
    }
    return status;
}

void pipeline_stream_look(satf_context *ctx, const pipeline_job *job, const pipeline_plan *plan,
                          const io_reader *reader, pipeline_look *look)
{
    *look = (pipeline_look){.bytes = SIZE_MAX};
    if (find_refusal(plan, reader, look->refusal, sizeof look->refusal)) {
        return;
    }
    bool again = job->file ? reader->pages_apart : reader->source.bytes >= 0;
    flow *f = look->flow = satf_alloc_zeroed(sizeof *f);
    if (!f || plan_flow(ctx, job, plan, f, &look->bytes)) {
        satf_text(look->refusal, sizeof look->refusal, "%s",
                  f ? satf_message(ctx) : "out of memory");
    }
    for (int i = 0; f && i < f->segments && !*look->refusal; i++) {
        const filter_rows_need *need = &f->rings[i].need;
        const char *why = need->refusal;
        bool wraps = need->end + need->start > 0;
        if (!why && wraps && (i > 0 || !again || job->options.region)) {
            why = job->options.mask     ? "needs the whole picture for border wrap under a mask"
                  : job->options.region ? "needs the whole picture for border wrap in a region"
                  : again ? "needs the whole picture for border wrap behind another filter"
                          : "needs the whole picture for border wrap out of a pipe";
        }
        if (why) {
            snprintf(look->refusal, sizeof look->refusal, "--%s %s",
                     filter_at(job->filter, f->rings[i].link + need->link)->name, why);
        }
        look->rather_whole |= wraps || (!f->rings[i].cuts && need->steps > 1);
    }
}

/* Decodes the input once to its end, for the last rows of it, which border wrap shows first. */
static satf_status stream_read_end(const stream *s, const flow_ring *r)
{
    satf_context *ctx = s->flow.ctx;
    io_reader *reader;
    satf_status status = io_open_beside(ctx, s->reader, &reader);
    if (status) {
        return status;
    }
    status = io_go_to(ctx, reader, s->reader->page);
    if (status) {
        io_close(reader);
        return status;
    }
    const satf_view *v = &reader->header.view;
    int64_t height = r->view.height, end = height - r->need.end;
    if (v->width != r->view.width || v->height != height || v->stride != r->view.stride ||
        v->type != r->view.type) {
        status = satf_fail(ctx, SATF_DATA, "the file has changed while it was read");
    }
    for (int64_t y = 0, n; y < height && !status; y += n) {
        n = least(r->band_rows, y < end ? end - y : height - y);
        void *to = y < end ? r->data : flow_end_row(r, y);
        status = io_read_rows(ctx, reader, to, r->view.stride, n);
        status = status ? status : satf_tick(ctx);
    }
    io_close(reader);
    return status;
}

/* What the filters of a segment have done: the first step of each, and its part of the time. */
static void report_segment(const satf_plan *plan, double ms, satf_used *to)
{
    double all = 0;
    for (size_t k = 0; k < plan->count; k++) {
        all += plan->steps[k].ms;
    }
    for (size_t k = 0; k < plan->count; k++) {
        satf_used *used = &to[plan->steps[k].link];
        double part = all > 0 ? plan->steps[k].ms / all : k == 0;
        double before = used->filter ? used->ms : 0;
        *used = used->filter ? *used : filter_plan_step(plan, k);
        used->ms = before + ms * part;
    }
}

/* Of the strips of a segment, the one that took longest. */
static double busy_ms(const flow *f, int segment)
{
    const flow_ring *r = &f->rings[segment];
    double ms = 0;
    for (int k = r->first; k < r->first + r->strips; k++) {
        ms = f->stages[k].busy_ms > ms ? f->stages[k].busy_ms : ms;
    }
    return ms;
}

/* Reports what each segment has done. */
static satf_status stream_report_steps(const stream *s, satf_file_report *result)
{
    const flow *f = &s->flow;
    satf_file_steps *steps;
    satf_status status = pipeline_make_steps(f->ctx, filter_count(s->job->filter), &steps);
    if (status) {
        return status;
    }
    for (int i = 0; i < f->segments; i++) {
        const flow_ring *r = &f->rings[i];
        report_segment(f->stages[r->first].plan, busy_ms(f, i), &steps->of[r->link]);
    }
    pipeline_report_steps(result, steps);
    return SATF_OK;
}

/* Finishes what is written, once all stages have ended, and reports what they have done. */
static satf_status stream_finish(stream *s)
{
    flow *f = &s->flow;
    flow_stage *encoder = &f->stages[f->strips + 1];
    satf_file_report *result = s->result;
    satf_status status = flow_failure(f);
    if (!status) {
        double start_ms = satf_now_ms();
        filter_late(s, &s->reader->header.metadata);
        pipeline_note_input(result, s->job, s->plan, s->reader);
        pipeline_judge(result, s->job, s->writer);
        status = io_writer_finish(f->ctx, s->writer);
        status = status ? status : satf_report_progress(f->ctx, 1);
        encoder->busy_ms += satf_now_ms() - start_ms;
        if (status) {
            flow_stop(encoder, status);
        }
    }
    if (s->writer) {
        result->out_bytes = s->writer->bytes;
        io_writer_close(s->writer);
    }
    result->times.decode_ms += f->stages[0].busy_ms;
    for (int i = 0; i < f->segments; i++) {
        result->times.compute_ms += busy_ms(f, i);
    }
    result->times.encode_ms = encoder->busy_ms;
    status = status || s->plan->band_rows > 0 ? status : stream_report_steps(s, result);
    if (status && f->failed <= f->strips) {
        result->at = s->job->input;
    }
    return status;
}

/* The flow, with its memory, and the rows of the end that come first. */
static satf_status stream_make(satf_context *ctx, stream *s)
{
    flow *f = &s->flow;
    pipeline_plan *plan = s->plan;
    satf_status status = SATF_OK;
    size_t bytes = plan->bytes;
    /* Two stages at least: codecs take nearly all of the time, and the last filter, on the
     * calling thread, mostly waits for them. */
    int threads = satf_thread_count(ctx), allowed = threads > 1 ? threads + 1 : 1;
    if (plan->band_rows > 0) {
        status = flow_plan_whole(ctx, &plan->in.view, &plan->out.view, f, &bytes);
    } else {
        *f = *plan->flow; /* which has not begun */
        *plan->flow = (flow){0};
    }
    f->user = s;
    status = status ? status : flow_make(f, bytes, allowed);
    if (!status && s->job->options.region) {
        f->rings[f->segments].freed = plan->part.y;
        s->pasted = satf_alloc(pasted_bytes(f, plan));
        status = s->pasted ? SATF_OK : satf_fail_memory(ctx, pasted_bytes(f, plan), "rows");
    }
    if (!status && f->rings[0].need.end > 0) {
        double start_ms = satf_now_ms();
        status = stream_read_end(s, &f->rings[0]);
        s->result->times.decode_ms += satf_now_ms() - start_ms;
    }
    return status;
}

satf_status pipeline_stream(satf_context *ctx, const pipeline_job *job, pipeline_plan *plan,
                            io_reader *reader, pipeline_phase *progress, satf_file_report *result)
{
    stream s = {.job = job, .plan = plan, .result = result, .reader = reader};
    flow *f = &s.flow;
    pipeline_output file;
    pipeline_phase_begin(ctx, progress, march_share);
    satf_status status = stream_make(ctx, &s);
    if (!status) {
        result->at = job->output;
        status = pipeline_output_open(ctx, job, &file, result);
    }
    if (!status) {
        int own = job->options.region ? f->strips + 1 : f->strips;
        if (stream_start(&s, &file, own)) {
            body_of(f, own)(&f->stages[own]);
            pipeline_phase_begin(ctx, progress, end_share);
        }
        flow_join(&f->stages[own]);
        status = stream_finish(&s);
        double start_ms = satf_now_ms();
        result->streamed = !status;
        status = pipeline_output_end(ctx, job, &file, status, result);
        result->times.encode_ms += satf_now_ms() - start_ms;
    }
    flow_free(f);
    satf_free(s.pasted);
    return status;
}
