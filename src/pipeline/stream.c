#include "stream.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"

/* Blocks in a ring beyond the rows that its reader looks back on: one being filled, one being
 * read, and slack. */
enum { BLOCKS = 3, LAST_BLOCKS = 4 };

/*
 * Rows on their way from one stage to the next: row y lies at data + y % capacity * stride.
 * capacity is a multiple of block, so a block never wraps around.
 */
typedef struct ring {
    char *data; /* owned */
    satf_view view;
    int64_t capacity, block;
    int64_t kept;        /* rows that the reader looks back on */
    int64_t start, end;  /* rows at the picture's two ends that it wants at any time: border wrap */
    const char *refusal; /* why it takes no rows one by one, or NULL */
    char *ends;          /* those rows, of the start and then of the end */
    int64_t made;        /* rows above it are complete; advanced by the writer only */
    int64_t freed;       /* rows above it are not looked at any more; by the reader only */
} ring;

struct stream;

/* A stage reads the ring of its own number less one, and writes that of its number: the decoder
 * has none to read, the encoder none to write. */
typedef struct stage {
    struct stream *stream;
    int number;
    satf_context *ctx;
    satf_status status;
    pthread_t thread;
    double busy_ms, waited_ms;
    int64_t highest; /* the furthest row that a filter has asked for */
} stage;

/*
 * Every stage is a thread; the last filter is on the calling one, for progress is reported
 * there. If there are more stages than threads are allowed they take turns: only `allowed` work
 * at a time, the others wait. `lock` guards made and freed of the rings, `working` and
 * `failed`; `moved` says that one has changed.
 */
typedef struct stream {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    int working, allowed;
    int failed; /* the stage that failed first, or -1 */

    const pipeline_job *job;
    int64_t height;
    int filters;
    ring *rings;   /* filters + 1 */
    stage *stages; /* filters + 2: decoder, filters, encoder */
    io_reader *reader;
    io_writer *writer;
} stream;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void *ring_row(const ring *r, int64_t y)
{
    return r->data + y % r->capacity * r->view.stride;
}

/* ---------------------------------------------------------------- the stages */

/* With the lock held: waits for a turn to work. */
static void take_turn(stream *s)
{
    while (s->working >= s->allowed) {
        pthread_cond_wait(&s->moved, &s->lock);
    }
    s->working++;
}

static void stage_begin(stage *t)
{
    stream *s = t->stream;
    pthread_mutex_lock(&s->lock);
    take_turn(s);
    pthread_mutex_unlock(&s->lock);
    t->busy_ms = -satf_now_ms();
}

static void stage_end(stage *t, satf_status status)
{
    stream *s = t->stream;
    t->busy_ms += satf_now_ms() - t->waited_ms;
    t->status = status;
    pthread_mutex_lock(&s->lock);
    if (status && s->failed < 0) {
        s->failed = t->number;
    }
    s->working--;
    pthread_cond_broadcast(&s->moved);
    pthread_mutex_unlock(&s->lock);
}

static void advance(stream *s, int64_t *counter, int64_t to)
{
    pthread_mutex_lock(&s->lock);
    *counter = to;
    pthread_cond_broadcast(&s->moved);
    pthread_mutex_unlock(&s->lock);
}

/* Waits until *counter is at least `wanted`; false if a stage has failed. */
static bool await(stage *t, const int64_t *counter, int64_t wanted)
{
    stream *s = t->stream;
    pthread_mutex_lock(&s->lock);
    if (s->failed < 0 && *counter < wanted) {
        double start_ms = satf_now_ms();
        s->working--;
        pthread_cond_broadcast(&s->moved);
        while (s->failed < 0 && *counter < wanted) {
            pthread_cond_wait(&s->moved, &s->lock);
        }
        take_turn(s);
        t->waited_ms += satf_now_ms() - start_ms;
    }
    bool good = s->failed < 0;
    pthread_mutex_unlock(&s->lock);
    return good;
}

/* Waits for room for the rows y ... end - 1 of the ring. */
static bool await_room(stage *t, const ring *r, int64_t end)
{
    return await(t, &r->freed, end - r->capacity);
}

static void *run_decoder(void *argument)
{
    stage *t = argument;
    stream *s = t->stream;
    ring *to = &s->rings[0];
    satf_status status = SATF_OK;
    stage_begin(t);
    for (int64_t y = 0, end; y < s->height && !status; y = end) {
        end = least(y + to->block, s->height);
        if (!await_room(t, to, end)) {
            break;
        }
        status = io_read_rows(t->ctx, s->reader, ring_row(to, y), to->view.stride, end - y);
        if (!status) {
            advance(s, &to->made, end);
        }
    }
    stage_end(t, status);
    return NULL;
}

static void *run_encoder(void *argument)
{
    stage *t = argument;
    stream *s = t->stream;
    ring *from = &s->rings[t->number - 1];
    satf_status status = SATF_OK;
    stage_begin(t);
    for (int64_t y = 0, end; y < s->height && !status; y = end) {
        end = least(y + from->block, s->height);
        if (!await(t, &from->made, end)) {
            break;
        }
        status = io_put_rows(t->ctx, s->writer, ring_row(from, y), from->view.stride, end - y);
        if (!status) {
            advance(s, &from->freed, end);
        }
    }
    stage_end(t, status);
    return NULL;
}

/* A row of either end, NULL if y is in neither. */
static char *end_row(const ring *r, int64_t y, int64_t height)
{
    int64_t i = y < r->start ? y : y >= height - r->end ? y - (height - r->end) + r->start : -1;
    return i < 0 ? NULL : r->ends + i * r->view.stride;
}

/* The filter asks for row y of its input. Rows of the end are there already; those of the start
 * are kept as they come by. */
static const void *input_row(void *user, int64_t y)
{
    stage *t = user;
    ring *from = &t->stream->rings[t->number - 1];
    const char *kept = end_row(from, y, t->stream->height);
    if (kept && y >= from->start) {
        return kept;
    }
    if (y > t->highest) {
        int64_t next = t->highest + 1;
        t->highest = y;
        /* Told once in a block. */
        int64_t unneeded = y - from->kept + 1;
        if (unneeded >= from->freed + from->block) {
            advance(t->stream, &from->freed, unneeded);
        }
        if (!await(t, &from->made, y + 1)) {
            return NULL;
        }
        for (; next <= y && next < from->start; next++) {
            memcpy(end_row(from, next, t->stream->height), ring_row(from, next),
                   (size_t)from->view.stride);
        }
    }
    return kept ? kept : ring_row(from, y);
}

/* The filter is about to make row y of its output: those above are complete. */
static void *output_row(void *user, int64_t y)
{
    stage *t = user;
    ring *to = &t->stream->rings[t->number];
    if (y % to->block == 0) {
        advance(t->stream, &to->made, y);
        if (!await_room(t, to, least(y + to->block, t->stream->height))) {
            return NULL;
        }
    }
    return ring_row(to, y);
}

static void *run_filter(void *argument)
{
    stage *t = argument;
    stream *s = t->stream;
    ring *from = &s->rings[t->number - 1], *to = &s->rings[t->number];
    filter_rows rows = {input_row, output_row, t};
    stage_begin(t);
    satf_plan *plan;
    satf_status status = filter_plan_rows(t->ctx, s->job->filter, (size_t)t->number - 1,
                                          &from->view, &to->view, &plan);
    if (!status) {
        status = filter_plan_run_rows(t->ctx, plan, &rows);
        satf_plan_destroy(plan);
    }
    if (!status) {
        advance(s, &to->made, s->height);
        advance(s, &from->freed, s->height);
    }
    stage_end(t, status);
    return NULL;
}

/* ------------------------------------------------------------------ the whole */

static void *(*body_of(const stream *s, int number))(void *)
{
    return number == 0 ? run_decoder : number > s->filters ? run_encoder : run_filter;
}

/* Runs all stages to their end. */
static satf_status march(stream *s)
{
    int stages = s->filters + 2, started = 0;
    for (; started < stages; started++) {
        stage *t = &s->stages[started];
        if (started != s->filters &&
            pthread_create(&t->thread, NULL, body_of(s, started), t) != 0) {
            stage_begin(t);
            stage_end(t, satf_fail(t->ctx, SATF_NO_MEMORY,
                                   "no thread could be started (option: no-stream)"));
            break;
        }
    }
    if (started == stages) {
        run_filter(&s->stages[s->filters]);
    }
    for (int i = 0; i < started; i++) {
        if (i != s->filters) {
            pthread_join(s->stages[i].thread, NULL);
        }
    }
    return s->failed < 0 ? SATF_OK : s->stages[s->failed].status;
}

/* What came behind the pixels of a PNG has not been through the filters. */
static void filter_late(const stream *s, satf_metadata *metadata, bool had_exif, bool had_xmp)
{
    satf_metadata late = {0};
    if (!had_exif) {
        late.exif = metadata->exif;
        late.exif_bytes = metadata->exif_bytes;
    }
    if (!had_xmp) {
        late.xmp = metadata->xmp;
        late.xmp_bytes = metadata->xmp_bytes;
    }
    filter_change_metadata(s->job->filter, &late);
    if (!had_exif) {
        metadata->exif = late.exif;
        metadata->exif_bytes = late.exif_bytes;
    }
    if (!had_xmp) {
        metadata->xmp = late.xmp;
        metadata->xmp_bytes = late.xmp_bytes;
    }
}

/* Rings and contexts are there. */
static satf_status run(stream *s, const io_plan *plan, FILE *file, satf_file_report *result)
{
    stage *encoder = &s->stages[s->filters + 1];
    satf_metadata *metadata = &s->reader->header.metadata;
    bool had_exif = metadata->exif != NULL, had_xmp = metadata->xmp != NULL;
    filter_change_metadata(s->job->filter, metadata);
    satf_status status =
        io_writer_open(encoder->ctx, plan, file, &s->job->write, metadata, &s->writer);
    if (status) {
        s->failed = encoder->number;
        return status;
    }
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->moved, NULL);
    status = march(s);
    pthread_cond_destroy(&s->moved);
    pthread_mutex_destroy(&s->lock);
    if (!status) {
        double start_ms = satf_now_ms();
        filter_late(s, metadata, had_exif, had_xmp);
        pipeline_note_input(result, s->job, plan, &s->reader->header);
        pipeline_judge(result, s->job, s->writer);
        status = io_writer_finish(encoder->ctx, s->writer);
        encoder->busy_ms += satf_now_ms() - start_ms;
        s->failed = status ? encoder->number : -1;
    }
    result->times.out_bytes = s->writer->bytes;
    io_writer_close(s->writer);
    return status;
}

/* Views and sizes of the rings; *all: the bytes that the stream will take, SIZE_MAX if no memory
 * has as many. */
static satf_status plan_rings(satf_context *ctx, stream *s, const pipeline_plan *plan, size_t *all)
{
    *all = 0;
    s->rings[0].view = plan->in.view;
    for (int i = 0; i <= s->filters; i++) {
        ring *r = &s->rings[i];
        bool last = i == s->filters;
        filter_rows_need need = {0};
        satf_status status = SATF_OK;
        if (!last) {
            ring *next = &s->rings[i + 1];
            next->view = plan->out.view;
            if (i + 1 < s->filters) {
                status = filter_output_at(ctx, s->job->filter, (size_t)i, &r->view, &next->view);
            }
            satf_plan *filter;
            if (!status) {
                status = filter_plan_rows(ctx, s->job->filter, (size_t)i, &r->view, &next->view,
                                          &filter);
            }
            if (!status) {
                need = filter_plan_need(filter);
                satf_plan_destroy(filter);
            }
        }
        if (status) {
            return status;
        }
        r->refusal = need.refusal;
        r->kept = need.kept;
        r->start = need.start;
        r->end = need.end;
        r->block = pipeline_block_rows(&r->view);
        int64_t rows = least(r->kept, s->height) + (last ? LAST_BLOCKS : BLOCKS) * r->block;
        r->capacity = (rows + r->block - 1) / r->block * r->block;
        size_t bytes;
        if (!satf_mul((size_t)(r->capacity + r->start + r->end), (size_t)r->view.stride, &bytes) ||
            !satf_add(*all, bytes, all) || !satf_add(*all, need.bytes, all)) {
            *all = SIZE_MAX; /* and no sum is less from here on */
        }
    }
    return SATF_OK;
}

static stream new_stream(const pipeline_job *job, const pipeline_plan *plan)
{
    stream s = {.failed = -1,
                .job = job,
                .height = plan->in.view.height,
                .filters = (int)filter_count(job->filter)};
    s.rings = satf_alloc_zeroed(((size_t)s.filters + 1) * sizeof *s.rings);
    return s;
}

void pipeline_stream_look(satf_context *ctx, const pipeline_job *job, const pipeline_plan *plan,
                          const io_reader *reader, pipeline_look *look)
{
    *look = (pipeline_look){.bytes = SIZE_MAX};
    if (plan->io.find_range) {
        snprintf(look->refusal, sizeof look->refusal,
                 "the range auto looks at all of the result before any of it is written");
        return;
    }
    if (!reader->header.rows_in_order) {
        snprintf(look->refusal, sizeof look->refusal,
                 "such a %s file is decoded as a whole (interlaced, in Fortran order, or from the "
                 "bottom up out of a pipe)",
                 reader->format->name);
        return;
    }
    if (reader->header.metadata_may_follow && plan->io.format->metadata == IO_METADATA_FIRST) {
        snprintf(look->refusal, sizeof look->refusal,
                 "EXIF or XMP may follow the pixels in this %s file (out of a pipe), and leads in "
                 "a %s file",
                 reader->format->name, plan->io.format->name);
        return;
    }
    bool again = reader->source.bytes >= 0 && strcmp(job->input, "-") != 0;
    stream s = new_stream(job, plan);
    if (!s.rings || plan_rings(ctx, &s, plan, &look->bytes)) {
        snprintf(look->refusal, sizeof look->refusal, "%s",
                 s.rings ? satf_message(ctx) : "out of memory");
    }
    for (int i = 0; i < s.filters && !*look->refusal; i++) {
        const ring *r = &s.rings[i];
        const char *why = r->refusal;
        bool wraps = r->end + r->start > 0;
        if (!why && wraps && (i > 0 || !again)) {
            why = again ? "needs the whole picture for border wrap behind another filter"
                        : "needs the whole picture for border wrap out of a pipe";
        }
        if (why) {
            snprintf(look->refusal, sizeof look->refusal, "--%s %s",
                     filter_at(job->filter, (size_t)i)->name, why);
        }
        look->twice |= wraps;
    }
    satf_free(s.rings);
}

/* Decodes the input once to its end, for the last rows of it, which border wrap shows first. */
static satf_status read_end(satf_context *ctx, const stream *s, const ring *r)
{
    io_reader *reader;
    satf_status status = io_open(ctx, s->job->input, &reader);
    if (status) {
        return status;
    }
    const satf_view *v = &reader->header.view;
    if (v->width != r->view.width || v->height != s->height || v->stride != r->view.stride ||
        v->type != r->view.type) {
        status = satf_fail(ctx, SATF_DATA, "the file has changed while it was read");
    }
    int64_t end = s->height - r->end;
    for (int64_t y = 0, n; y < s->height && !status; y += n) {
        n = least(r->block, y < end ? end - y : s->height - y);
        void *to = y < end ? (void *)r->data : end_row(r, y, s->height);
        status = io_read_rows(ctx, reader, to, r->view.stride, n);
    }
    io_close(reader);
    return status;
}

/* A context for a stage on another thread, with the settings of ctx. */
static satf_status derive(satf_context *ctx, satf_context **out)
{
    satf_status status = satf_context_create_like(ctx, out);
    return status ? satf_fail(ctx, status, "out of memory") : SATF_OK;
}

static satf_status make_stages(satf_context *ctx, stream *s, const pipeline_plan *plan)
{
    size_t all;
    satf_status status = plan_rings(ctx, s, plan, &all);
    if (!status && all > (uint64_t)ctx->max_bytes) {
        status = satf_fail(ctx, SATF_LIMIT,
                           "streaming it needs %zu bytes for rows of the windows' heights, above "
                           "the limit of %lld bytes (limit: max-memory)",
                           all, (long long)ctx->max_bytes);
    }
    for (int i = 0; i <= s->filters && !status; i++) {
        ring *r = &s->rings[i];
        /* fits: plan_rings() */
        size_t bytes = (size_t)(r->capacity + r->start + r->end) * (size_t)r->view.stride;
        r->data = satf_alloc(bytes);
        r->ends = r->data ? r->data + r->capacity * r->view.stride : NULL;
        if (!r->data) {
            status = satf_fail_memory(ctx, bytes, "rows on their way");
        }
    }
    for (int i = 0; i < s->filters + 2 && !status; i++) {
        s->stages[i] = (stage){.stream = s, .number = i, .highest = -1};
        s->stages[i].ctx = ctx;
        if (i != s->filters) {
            s->stages[i].ctx = NULL;
            status = derive(ctx, &s->stages[i].ctx);
        }
    }
    return status;
}

static void free_stages(stream *s)
{
    for (int i = 0; s->stages && i < s->filters + 2; i++) {
        if (i != s->filters) {
            satf_context_destroy(s->stages[i].ctx);
        }
    }
    for (int i = 0; s->rings && i <= s->filters; i++) {
        satf_free(s->rings[i].data);
    }
    satf_free(s->stages);
    satf_free(s->rings);
}

static void take_times(const stream *s, satf_file_times *times)
{
    times->decode_ms += s->stages[0].busy_ms;
    times->compute_ms = 0;
    for (int i = 1; i <= s->filters; i++) {
        times->compute_ms += s->stages[i].busy_ms;
    }
    times->encode_ms = s->stages[s->filters + 1].busy_ms;
}

satf_status pipeline_stream(satf_context *ctx, const pipeline_job *job, const pipeline_plan *plan,
                            io_reader *reader, satf_file_report *result)
{
    stream s = new_stream(job, plan);
    io_output *file = NULL;
    s.reader = reader;
    /* Two stages at least: codecs take nearly all of the time, and the last filter, on the
     * calling thread, mostly waits for them. */
    s.allowed = satf_thread_count(ctx) > 1 ? satf_thread_count(ctx) + 1 : 1;
    s.stages = satf_alloc_zeroed(((size_t)s.filters + 2) * sizeof *s.stages);
    satf_status status = s.rings && s.stages ? make_stages(ctx, &s, plan)
                                             : satf_fail_memory(ctx, sizeof s, "the stages");
    if (status) {
        goto done;
    }
    if (s.rings[0].end > 0) {
        double start_ms = satf_now_ms();
        status = read_end(ctx, &s, &s.rings[0]);
        result->times.decode_ms += satf_now_ms() - start_ms;
        if (status) {
            goto done;
        }
    }
    result->at = job->output;
    status = io_output_open(ctx, job->output, job->write.no_clobber != 0, &file);
    if (status) {
        goto done;
    }
    status = run(&s, &plan->io, io_output_file(file), result);
    if (status) {
        io_output_discard(file);
        result->at = s.failed > s.filters ? job->output : job->input;
        if (s.failed != s.filters) {
            satf_fail(ctx, status, "%s", satf_message(s.stages[s.failed].ctx));
        }
        goto done;
    }
    take_times(&s, &result->times);
    double start_ms = satf_now_ms();
    status = io_output_commit(ctx, file);
    result->times.encode_ms += satf_now_ms() - start_ms;
    satf_context_ran(ctx, &result->ran, sizeof result->ran);
    result->streamed = true;
done:
    free_stages(&s);
    return status;
}
