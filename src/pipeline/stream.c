#include "stream.h"

#include <pthread.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"

/* Blocks in the output's queue: one being filled, one being encoded, and slack. */
enum { OUT_BLOCKS = 4 };
/* Blocks in the input's queue beyond the rows that the filter looks back on. */
enum { IN_BLOCKS = 3 };

enum { DECODE, COMPUTE, ENCODE, STAGES };

/* A ring of rows: row y lies at data + y % capacity * stride. capacity is a
 * multiple of block, so a block never wraps around. */
typedef struct ring {
    char *data; /* owned */
    int64_t stride, capacity, block;
} ring;

/*
 * Rows pass four counters, each advanced by one stage only and read by its
 * neighbour: decoded, released (rows below it are not looked at any more),
 * computed, encoded. They and `failed` are guarded by `lock`; `moved` says that
 * one has changed. A stage without a thread of its own is run by compute, on
 * the calling thread, when it would otherwise wait.
 */
typedef struct stream {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    int64_t decoded, released, computed, encoded;
    int failed; /* the stage that failed first, or -1 */
    bool own_thread[STAGES];

    int64_t height;
    ring in, out;
    io_reader *reader;
    io_writer *writer;
    satf_context *ctx[STAGES];
    satf_status status[STAGES];
    double busy_ms[STAGES];

    /* compute's own */
    int64_t kept, highest; /* rows the filter looks back on; the furthest row asked for */
    double waited_ms;
} stream;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void *ring_row(const ring *r, int64_t y)
{
    return r->data + y % r->capacity * r->stride;
}

/* Memory for a ring of at least `rows` rows and `blocks` blocks. */
static satf_status ring_make(satf_context *ctx, ring *r, const satf_view *view, int64_t rows,
                             int64_t blocks)
{
    r->stride = view->stride;
    r->block = pipeline_block_rows(view);
    rows += blocks * r->block;
    r->capacity = (rows + r->block - 1) / r->block * r->block;
    size_t bytes;
    if (!satf_mul((size_t)r->capacity, (size_t)r->stride, &bytes)) {
        return satf_fail(ctx, SATF_LIMIT, "the window is too high for so wide an image");
    }
    if (bytes > (uint64_t)ctx->max_bytes) {
        return satf_fail(ctx, SATF_LIMIT,
                         "%zu bytes for the rows of a window are above the limit of %lld bytes "
                         "(--max-memory)",
                         bytes, (long long)ctx->max_bytes);
    }
    r->data = satf_alloc(bytes);
    return r->data ? SATF_OK : satf_fail_memory(ctx, bytes, "rows on their way");
}

/* ---------------------------------------------------------------- the stages */

static void stop(stream *s, int stage, satf_status status)
{
    s->status[stage] = status;
    pthread_mutex_lock(&s->lock);
    if (s->failed < 0) {
        s->failed = stage;
    }
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
static bool await(stream *s, const int64_t *counter, int64_t wanted)
{
    pthread_mutex_lock(&s->lock);
    while (s->failed < 0 && *counter < wanted) {
        pthread_cond_wait(&s->moved, &s->lock);
    }
    bool good = s->failed < 0;
    pthread_mutex_unlock(&s->lock);
    return good;
}

/* Decodes the next block; its place in the ring is free. */
static bool decode_block(stream *s, int64_t y)
{
    double start_ms = pipeline_now_ms();
    int64_t n = least(s->in.block, s->height - y);
    satf_status status =
        io_read_rows(s->ctx[DECODE], s->reader, ring_row(&s->in, y), s->in.stride, n);
    s->busy_ms[DECODE] += pipeline_now_ms() - start_ms;
    if (status) {
        stop(s, DECODE, status);
        return false;
    }
    advance(s, &s->decoded, y + n);
    return true;
}

/* Encodes the next block, whose rows are computed. */
static bool encode_block(stream *s, int64_t y)
{
    double start_ms = pipeline_now_ms();
    int64_t n = least(s->out.block, s->height - y);
    satf_status status =
        io_put_rows(s->ctx[ENCODE], s->writer, ring_row(&s->out, y), s->out.stride, n);
    s->busy_ms[ENCODE] += pipeline_now_ms() - start_ms;
    if (status) {
        stop(s, ENCODE, status);
        return false;
    }
    advance(s, &s->encoded, y + n);
    return true;
}

static void *decode_thread(void *argument)
{
    stream *s = argument;
    for (int64_t y = 0; y < s->height; y += s->in.block) {
        int64_t end = least(y + s->in.block, s->height);
        if (!await(s, &s->released, end - s->in.capacity) || !decode_block(s, y)) {
            break;
        }
    }
    return NULL;
}

static void *encode_thread(void *argument)
{
    stream *s = argument;
    for (int64_t y = 0; y < s->height; y += s->out.block) {
        int64_t end = least(y + s->out.block, s->height);
        if (!await(s, &s->computed, end) || !encode_block(s, y)) {
            break;
        }
    }
    return NULL;
}

/* Rows below y go to the encoder; on return there is room for the block from y on. */
static bool flush(stream *s, int64_t y)
{
    double start_ms = pipeline_now_ms();
    bool good;
    advance(s, &s->computed, y);
    if (s->own_thread[ENCODE]) {
        int64_t end = y < s->height ? least(y + s->out.block, s->height) : y + s->out.capacity;
        good = await(s, &s->encoded, end - s->out.capacity);
    } else {
        good = y == 0 || encode_block(s, (y - 1) / s->out.block * s->out.block);
    }
    s->waited_ms += pipeline_now_ms() - start_ms;
    return good;
}

/* The filter asks for row y of the input. */
static const void *input_row(void *user, int64_t y)
{
    stream *s = user;
    if (y > s->highest) {
        s->highest = y;
        double start_ms = pipeline_now_ms();
        /* Tell the decoder once in a block what it may overwrite. */
        int64_t unneeded = y - s->kept + 1;
        if (unneeded >= s->released + s->in.block) {
            advance(s, &s->released, unneeded);
        }
        bool good = true;
        if (s->own_thread[DECODE]) {
            good = await(s, &s->decoded, y + 1);
        }
        while (!s->own_thread[DECODE] && good && y >= s->decoded) {
            good = decode_block(s, s->decoded);
        }
        s->waited_ms += pipeline_now_ms() - start_ms;
        if (!good) {
            return NULL;
        }
    }
    return ring_row(&s->in, y);
}

/* The filter is about to make row y of the output. */
static void *output_row(void *user, int64_t y)
{
    stream *s = user;
    if (y % s->out.block == 0 && !flush(s, y)) {
        return NULL;
    }
    return ring_row(&s->out, y);
}

/* ------------------------------------------------------------------ the whole */

/* Starts a stage on its own thread if it is to have one. */
static void start(stream *s, int stage, bool wanted, pthread_t *id, void *(*body)(void *))
{
    s->own_thread[stage] = wanted && pthread_create(id, NULL, body, s) == 0;
}

static satf_status march(stream *s, const pipeline_job *job, const satf_view *in,
                         const satf_view *out)
{
    int threads = satf_thread_count(s->ctx[COMPUTE]);
    pthread_t decoder, encoder;
    double start_ms = pipeline_now_ms();
    /* Codecs take nearly all of the time: the calling thread, which computes,
     * mostly waits for them and does not count. */
    start(s, ENCODE, threads >= 2, &encoder, encode_thread);
    start(s, DECODE, threads >= 2, &decoder, decode_thread);
    filter_rows rows = {input_row, output_row, s};
    satf_status status = filter_run_rows(s->ctx[COMPUTE], job->filter, in, out, &rows);
    if (!status && !flush(s, s->height)) {
        status = SATF_IO; /* of a stage that has said so itself */
    }
    s->busy_ms[COMPUTE] = pipeline_now_ms() - start_ms - s->waited_ms;
    if (status) {
        stop(s, COMPUTE, status);
    }
    if (s->own_thread[DECODE]) {
        pthread_join(decoder, NULL);
    }
    if (s->own_thread[ENCODE]) {
        pthread_join(encoder, NULL);
    }
    return s->failed < 0 ? SATF_OK : s->status[s->failed];
}

/* A context for a stage on another thread, with the limits of ctx. */
static satf_status derive(satf_context *ctx, satf_context **out)
{
    satf_status status = satf_context_create(out);
    if (status) {
        return satf_fail(ctx, status, "out of memory");
    }
    (*out)->max_pixels = ctx->max_pixels;
    (*out)->max_bytes = ctx->max_bytes;
    (*out)->threads = ctx->threads;
    return SATF_OK;
}

bool pipeline_can_stream(satf_context *ctx, const pipeline_job *job, const io_reader *reader)
{
    return reader->header.rows_in_order &&
           filter_rows_kept(ctx, job->filter, &reader->header.view) > 0;
}

/* Rings, contexts and the writer are there; s->kept too. */
static satf_status run(stream *s, const pipeline_job *job, const satf_image *in,
                       const satf_image *out, const io_plan *plan, FILE *file)
{
    satf_status status = io_writer_open(s->ctx[ENCODE], plan, file, &job->write,
                                        &s->reader->header.metadata, &s->writer);
    if (status) {
        s->failed = ENCODE;
        return status;
    }
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->moved, NULL);
    status = march(s, job, &in->view, &out->view);
    pthread_cond_destroy(&s->moved);
    pthread_mutex_destroy(&s->lock);
    if (!status) {
        double start_ms = pipeline_now_ms();
        status = io_writer_finish(s->ctx[ENCODE], s->writer);
        s->busy_ms[ENCODE] += pipeline_now_ms() - start_ms;
        s->failed = status ? ENCODE : -1;
    }
    if (status) {
        io_writer_abandon(s->writer);
    }
    return status;
}

satf_status pipeline_stream(satf_context *ctx, const pipeline_job *job, const pipeline_plan *plan,
                            io_reader *reader, pipeline_result *result)
{
    stream s = {
        .failed = -1, .highest = -1, .reader = reader, .height = reader->header.view.height};
    const satf_image *in = &plan->in, *out = &plan->out;
    io_output *file = NULL;

    s.ctx[COMPUTE] = ctx;
    s.kept = filter_rows_kept(ctx, job->filter, &in->view);
    satf_status status = ring_make(ctx, &s.in, &in->view, least(s.kept, s.height), IN_BLOCKS);
    if (!status) {
        status = ring_make(ctx, &s.out, &out->view, 0, OUT_BLOCKS);
    }
    if (!status) {
        status = derive(ctx, &s.ctx[DECODE]);
    }
    if (!status) {
        status = derive(ctx, &s.ctx[ENCODE]);
    }
    if (status) {
        goto done;
    }

    result->at = job->output;
    status = io_output_open(ctx, job->output, job->write.no_clobber != 0, &file);
    if (status) {
        goto done;
    }
    status = run(&s, job, in, out, &plan->io, io_output_file(file));
    if (status) {
        io_output_discard(file);
        result->at = s.failed == ENCODE ? job->output : job->input;
        if (s.failed != COMPUTE) {
            satf_fail(ctx, status, "%s", satf_message(s.ctx[s.failed]));
        }
        goto done;
    }
    double start_ms = pipeline_now_ms();
    status = io_output_commit(ctx, file);
    s.busy_ms[ENCODE] += pipeline_now_ms() - start_ms;
    filter_last_report(ctx, &result->report);
    result->streamed = true;
    result->times.decode_ms += s.busy_ms[DECODE];
    result->times.compute_ms = s.busy_ms[COMPUTE];
    result->times.encode_ms = s.busy_ms[ENCODE];
done:
    satf_context_destroy(s.ctx[DECODE]);
    satf_context_destroy(s.ctx[ENCODE]);
    satf_free(s.in.data);
    satf_free(s.out.data);
    return status;
}
