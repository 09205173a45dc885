/* The ring of strips between the thread that brings rows and those that deflate. */
#include "png_strips.h"

#include <pthread.h>

#include "../../base/parallel.h"
#include "../../base/share.h"

/*
 * Strips are numbered from the top; strip k lies in place k modulo `places`. Those below `dropped`
 * are in the file; then come some that are deflated or done, from `taken` on some that wait to be,
 * and last the one in the making, number `filled`. `lock` guards what threads read of it.
 */
struct io_png_strips {
    const satf_context *ctx; /* of the call, for its tokens: one for each strip from `taken` on */
    io_png_shape shape;
    io_png_coder coder;   /* the caller's */
    int64_t rows;         /* that are there */
    bool open;            /* strip `filled` has begun */
    io_png_strip *strips; /* places; the first `places` have memory or will be given it */
    int64_t places, dropped, taken, filled; /* guarded; only `taken` is changed by other threads */
    struct worker {
        io_png_strips *strips;
        io_png_coder coder;
        pthread_t thread;
    } * workers;
    int threads, running; /* at most, and how many there are; where 1 is allowed, none */
    bool quit;            /* guarded */
    pthread_mutex_t lock;
    pthread_cond_t work, done;
};

static io_png_strip *png_strips_strip_at(const io_png_strips *s, int64_t number)
{
    return &s->strips[number % s->places];
}

/* ------------------------------------------------------------------ threads */

static void *png_strips_work(void *argument)
{
    struct worker *w = argument;
    io_png_strips *s = w->strips;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (s->taken == s->filled && !s->quit) {
            pthread_cond_wait(&s->work, &s->lock);
        }
        if (s->quit) {
            break;
        }
        io_png_strip *strip = png_strips_strip_at(s, s->taken++);
        pthread_mutex_unlock(&s->lock);
        io_png_strip_deflate(&s->shape, &w->coder, strip);
        pthread_mutex_lock(&s->lock);
        satf_share_release(s->ctx, 1);
        strip->done = true;
        pthread_cond_signal(&s->done);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* One more thread, if there may be one and its memory can be had. */
static void start_thread(io_png_strips *s)
{
    if (s->running == s->threads) {
        return;
    }
    struct worker *w = &s->workers[s->running];
    w->strips = s;
    bool ready = w->coder.filtered || io_png_coder_open(&s->shape, &w->coder);
    if (ready && pthread_create(&w->thread, NULL, png_strips_work, w) == 0) {
        s->running++;
    }
}

/* Whether a thread may deflate one strip more. */
static bool png_strips_take_turn(io_png_strips *s, const io_png_strip *strip)
{
    if (s->threads == 1 || (strip->first && strip->last) || satf_share_acquire(s->ctx, 1) == 0) {
        return false;
    }
    start_thread(s);
    if (s->running == 0) {
        satf_share_release(s->ctx, 1);
    }
    return s->running > 0;
}

/* The strip in the making has its rows. Where no thread may, the caller deflates the next one. */
static void hand_over(io_png_strips *s)
{
    io_png_strip *strip = png_strips_strip_at(s, s->filled), *own = NULL;
    strip->last = s->rows == s->shape.height;
    s->open = false;
    bool turn = png_strips_take_turn(s, strip);
    pthread_mutex_lock(&s->lock);
    s->filled++;
    if (turn) {
        pthread_cond_signal(&s->work);
    } else {
        own = png_strips_strip_at(s, s->taken++);
    }
    pthread_mutex_unlock(&s->lock);
    if (own) {
        io_png_strip_deflate(&s->shape, &s->coder, own);
        pthread_mutex_lock(&s->lock);
        own->done = true;
        pthread_mutex_unlock(&s->lock);
    }
}

/* ------------------------------------------------------------------ rows */

uint8_t *io_png_strips_row(io_png_strips *s)
{
    io_png_strip *strip = png_strips_strip_at(s, s->filled);
    if (!s->open) {
        io_png_strip_begin(&s->shape, strip,
                           s->filled > 0 ? png_strips_strip_at(s, s->filled - 1) : NULL);
        s->open = true;
    }
    return io_png_strip_row(&s->shape, strip);
}

void io_png_strips_add(io_png_strips *s)
{
    s->rows++;
    bool ends = io_png_strip_add(&s->shape, png_strips_strip_at(s, s->filled));
    if (ends || s->rows == s->shape.height) {
        hand_over(s);
    }
}

/* Whether there is a place for rows, now. Where there is no memory for more places, those that have
 * it come round. With the lock held. */
static bool png_strips_has_room(io_png_strips *s)
{
    if (s->filled - s->dropped == s->places) {
        return false;
    }
    io_png_strip *strip = png_strips_strip_at(s, s->filled);
    if (!strip->in && !io_png_strip_alloc(&s->shape, strip)) {
        s->places = s->filled;
    }
    return s->filled - s->dropped < s->places;
}

const io_png_strip *io_png_strips_take(io_png_strips *s)
{
    pthread_mutex_lock(&s->lock);
    bool waits = s->rows == s->shape.height || (!s->open && !png_strips_has_room(s));
    io_png_strip *strip = s->dropped < s->filled ? png_strips_strip_at(s, s->dropped) : NULL;
    while (waits && strip && !strip->done) {
        pthread_cond_wait(&s->done, &s->lock);
    }
    strip = strip && strip->done ? strip : NULL;
    pthread_mutex_unlock(&s->lock);
    return strip;
}

void io_png_strips_drop(io_png_strips *s)
{
    pthread_mutex_lock(&s->lock);
    s->dropped++;
    pthread_mutex_unlock(&s->lock);
}

/* ------------------------------------------------------------------ the whole */

/* Takes as many threads as a quarter of the limit has memory for, and places: two for each, one
 * that is filled and one that is written. One place and the caller's coder in any case. */
static void share_memory(const satf_context *ctx, const io_png_shape *shape, int *threads,
                         int *places)
{
    uint64_t place = shape->in_bytes + shape->out_bytes, coder = io_png_coder_bytes(shape);
    uint64_t limit = (uint64_t)ctx->settings.max_bytes / 4, least = 2 * place + coder;
    uint64_t most = limit < least ? 0 : (limit - least) / (2 * place + coder);
    most = most < (uint64_t)shape->strips ? most : (uint64_t)shape->strips;
    int wanted = satf_thread_count(ctx);
    *threads = most < (uint64_t)wanted ? (int)most : wanted;
    *threads = *threads > 1 ? *threads : 1;
    *places = *threads > 1 ? 2 * *threads + 2 : 1;
}

uint64_t io_png_strips_bytes(const satf_context *ctx, io_png_shape shape)
{
    int threads, places;
    io_png_shape_set(&shape);
    share_memory(ctx, &shape, &threads, &places);
    uint64_t coders = threads > 1 ? (uint64_t)threads + 1 : 1;
    return (uint64_t)places * (shape.in_bytes + shape.out_bytes) +
           coders * io_png_coder_bytes(&shape);
}

satf_status io_png_strips_open(satf_context *ctx, const io_png_shape *shape, io_png_strips **out)
{
    io_png_strips *s = *out = satf_alloc_zeroed(sizeof *s);
    if (!s) {
        return satf_fail_memory(ctx, sizeof *s, "strips of a PNG");
    }
    s->shape = *shape;
    s->ctx = ctx;
    io_png_shape_set(&s->shape);
    int places;
    share_memory(ctx, &s->shape, &s->threads, &places);
    s->places = places;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->work, NULL);
    pthread_cond_init(&s->done, NULL);
    s->strips = satf_alloc_zeroed((size_t)s->places * sizeof *s->strips);
    s->workers = satf_alloc_zeroed((size_t)s->threads * sizeof *s->workers);
    if (!s->strips || !s->workers || !io_png_strip_alloc(&s->shape, s->strips) ||
        !io_png_coder_open(&s->shape, &s->coder)) {
        size_t bytes = s->shape.in_bytes + s->shape.out_bytes + io_png_coder_bytes(&s->shape);
        io_png_strips_close(s);
        *out = NULL;
        return satf_fail_memory(ctx, bytes, "a strip of a PNG");
    }
    return SATF_OK;
}

void io_png_strips_close(io_png_strips *s)
{
    if (!s) {
        return;
    }
    pthread_mutex_lock(&s->lock);
    s->quit = true;
    pthread_cond_broadcast(&s->work);
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < s->running; i++) {
        pthread_join(s->workers[i].thread, NULL);
    }
    satf_share_release(s->ctx, (int)(s->filled - s->taken)); /* strips that nobody wants */
    io_png_coder_close(&s->coder);
    for (int i = 0; s->workers && i < s->threads; i++) {
        io_png_coder_close(&s->workers[i].coder);
    }
    for (int64_t i = 0; s->strips && i < s->places; i++) {
        io_png_strip_free(&s->strips[i]);
    }
    pthread_cond_destroy(&s->done);
    pthread_cond_destroy(&s->work);
    pthread_mutex_destroy(&s->lock);
    satf_free(s->workers);
    satf_free(s->strips);
    satf_free(s);
}
