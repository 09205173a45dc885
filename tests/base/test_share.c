/* Contexts beside one another: together they work on as many threads as the first has, and hold as
 * much memory as its limit is. */
#include "test.h"
#include "base/share.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "test_io_files.h"

enum { CONTEXTS = 4 };
static const double patience_ms = 20000;

/* Contexts beside ctx, of so many threads and so much memory in all. */
static void make_beside(satf_context *ctx, int threads, int64_t limit, satf_context **others,
                        int count)
{
    assert_int_equal(satf_context_set_threads(ctx, threads), SATF_OK);
    assert_int_equal(satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, limit), SATF_OK);
    for (int i = 0; i < count; i++) {
        assert_int_equal(satf_context_share(i ? others[i - 1] : ctx, &others[i]), SATF_OK);
    }
}

static void destroy(satf_context **others, int count)
{
    for (int i = 0; i < count; i++) {
        satf_context_destroy(others[i]);
    }
}

/* A call in another thread, that asks for memory. */
typedef struct call {
    pthread_t id;
    satf_context *ctx;
    size_t bytes;
    _Atomic int reached; /* 1: it has its turn, 2: its memory */
    _Atomic bool leave;  /* it may end */
    _Atomic int *order;  /* counts who has got memory */
    int place;
} call;

static void *run_call(void *argument)
{
    call *c = argument;
    satf_share_begin(c->ctx);
    c->reached = 1;
    satf_status status = satf_share_reserve(c->ctx, c->bytes);
    c->place = (*c->order)++;
    c->reached = status ? -1 : 2;
    while (!c->leave) {
        usleep(100);
    }
    satf_share_end(c->ctx);
    return NULL;
}

static void start(call *c, satf_context *ctx, size_t needed, _Atomic int *order)
{
    *c = (call){.ctx = ctx, .bytes = needed, .order = order};
    assert_int_equal(pthread_create(&c->id, NULL, run_call, c), 0);
}

static bool reaches(const call *c, int wanted)
{
    for (double end = satf_now_ms() + patience_ms; satf_now_ms() < end && c->reached < wanted;) {
        usleep(100);
    }
    return c->reached == wanted;
}

/* Time enough to go on for who is not held. */
static bool stays(const call *c, int there)
{
    usleep(30000);
    return c->reached == there;
}

/* It has its turn, and not its memory. */
static bool waits(const call *c)
{
    return reaches(c, 1) && stays(c, 1);
}

static void end(call *c)
{
    c->leave = true;
    pthread_join(c->id, NULL);
}

TEST(test_create)
{
    satf_context *other, *third;
    assert_int_equal(satf_context_share(NULL, &other), SATF_INVALID);
    assert_null(other);
    assert_int_equal(satf_context_share(ctx, NULL), SATF_INVALID);
    assert_int_equal(satf_context_share(NULL, NULL), SATF_INVALID);
    assert_int_equal(satf_context_set_threads(ctx, 3), SATF_OK);
    assert_int_equal(satf_context_set_engine(ctx, SATF_ENGINE_SAT), SATF_OK);
    assert_int_equal(satf_context_share(ctx, &other), SATF_OK);
    assert_true(satf_settings_equal(&ctx->settings, &other->settings));
    assert_int_equal(satf_context_share(other, &third), SATF_OK);
    assert_ptr_equal(third->share, ctx->share);
    satf_context_destroy(other);
    satf_context_destroy(third); /* and ctx last */
    satf_share_begin(ctx);
    assert_int_equal(satf_share_acquire(ctx, 9), 2);
    satf_share_release(ctx, 2);
    satf_share_end(ctx);
}

TEST(test_turns)
{
    satf_context *others[CONTEXTS];
    call calls[CONTEXTS];
    _Atomic int order = 0;
    make_beside(ctx, 3, 100, others, CONTEXTS);
    start(&calls[0], others[0], 1, &order);
    assert_true(reaches(&calls[0], 2));
    assert_int_equal(satf_share_acquire(others[3], 9), 2); /* a stage's, for instance */
    start(&calls[1], others[1], 1, &order);
    assert_true(stays(&calls[1], 0));
    assert_int_equal(satf_share_acquire(others[3], 9), 0);
    satf_share_release(others[3], 1);
    assert_true(reaches(&calls[1], 2));
    satf_share_release(others[3], 1);
    start(&calls[2], others[2], 1, &order);
    assert_true(reaches(&calls[2], 2));
    start(&calls[3], others[3], 1, &order);
    assert_true(stays(&calls[3], 0));
    assert_int_equal(satf_share_acquire(others[0], 1), 0);
    end(&calls[0]);
    assert_true(reaches(&calls[3], 2));
    for (int i = 1; i < CONTEXTS; i++) {
        end(&calls[i]);
    }
    assert_int_equal(satf_share_acquire(others[0], 9), 3);
    satf_share_release(others[0], 3);
    destroy(others, CONTEXTS);
}

TEST(test_memory)
{
    satf_context *others[CONTEXTS];
    call calls[CONTEXTS];
    _Atomic int order = 0;
    make_beside(ctx, CONTEXTS, 100, others, CONTEXTS);
    start(&calls[0], others[0], 60, &order);
    assert_true(reaches(&calls[0], 2));
    start(&calls[1], others[1], 1000, &order); /* above the limit: alone */
    assert_true(waits(&calls[1]));
    start(&calls[2], others[2], 10, &order); /* it would fit, but is not served before */
    assert_true(waits(&calls[2]));
    start(&calls[3], others[3], 20, &order);
    assert_true(waits(&calls[3]));
    /* Who waits for memory works on nothing, so others have the turns. */
    assert_int_equal(satf_share_acquire(ctx, 9), 3);
    satf_share_release(ctx, 3);
    end(&calls[0]);
    assert_true(reaches(&calls[1], 2) && stays(&calls[2], 1) && stays(&calls[3], 1));
    end(&calls[1]);
    assert_true(reaches(&calls[2], 2) && reaches(&calls[3], 2)); /* these two together */
    assert_int_equal(calls[1].place, 1);
    /* One who holds memory gets more only if nobody need wait for it. */
    assert_int_equal(satf_share_reserve(others[2], 80), SATF_OK);
    assert_int_equal(satf_share_reserve(others[3], 20), SATF_OK);
    assert_int_equal(satf_share_reserve(others[3], 21), SATF_NO_MEMORY);
    end(&calls[2]);
    assert_int_equal(satf_share_reserve(others[3], 21), SATF_OK);
    start(&calls[0], others[0], 79, &order);
    assert_true(reaches(&calls[0], 2));
    start(&calls[1], others[1], 1, &order);
    assert_true(waits(&calls[1]));
    end(&calls[0]);
    assert_true(reaches(&calls[1], 2));
    end(&calls[1]);
    satf_share_alone(others[3]);
    start(&calls[0], others[0], 1, &order);
    assert_true(waits(&calls[0]));
    end(&calls[3]);
    assert_true(reaches(&calls[0], 2));
    end(&calls[0]);
    destroy(others, CONTEXTS);
}

/* ------------------------------------------------------------------ loops */

typedef struct loop {
    _Atomic int inside, most;
    int wanted;
    double wait_ms;
} loop;

/* Waits for others to be inside as well, a while. */
static void enter_loop(void *user, int64_t task, int thread)
{
    (void)task;
    (void)thread;
    loop *l = user;
    int inside = ++l->inside, most = l->most;
    while (inside > most && !atomic_compare_exchange_weak(&l->most, &most, inside)) {
    }
    for (double until = satf_now_ms() + l->wait_ms; satf_now_ms() < until && l->most < l->wanted;) {
        usleep(100);
    }
    l->inside--;
}

TEST(test_loops)
{
    satf_context *others[2];
    _Atomic int order = 0;
    make_beside(ctx, 4, 100, others, 2);
    call other;
    satf_share_begin(others[0]);
    loop all = {.wanted = 4, .wait_ms = patience_ms};
    satf_parallel(others[0], 4, enter_loop, &all);
    assert_int_equal(all.most, 4);
    start(&other, others[1], 1, &order);
    assert_true(reaches(&other, 2));
    loop three = {.wanted = 4, .wait_ms = 30};
    satf_parallel(others[0], 40, enter_loop, &three);
    assert_int_equal(three.most, 3);
    end(&other);
    loop again = {.wanted = 4, .wait_ms = patience_ms};
    satf_parallel(others[0], 4, enter_loop, &again);
    assert_int_equal(again.most, 4);
    satf_share_end(others[0]);
    destroy(others, 2);
}

/* ------------------------------------------------------------------ files */

/* A file's call on a thread of its own. Its callback counts those that have begun. */
typedef struct file_call {
    pthread_t id;
    satf_context *ctx;
    const satf_filter *filter;
    const char *suffix;
    int number;
    loop *all;
    bool began;
    satf_status status;
} file_call;

static int count_in(void *user, double done)
{
    file_call *f = user;
    if (!f->began && done > 0) { /* its memory is there */
        f->began = true;
        enter_loop(f->all, 0, 0);
    }
    return 0;
}

static void *run_file(void *argument)
{
    file_call *f = argument;
    char in[20], out[20];
    snprintf(in, sizeof in, "in.%s", f->suffix);
    snprintf(out, sizeof out, "out%d.npy", f->number);
    satf_file_options how;
    satf_file_options_init(&how, sizeof how);
    how.route = SATF_ROUTE_WHOLE;
    satf_context_set_progress(f->ctx, count_in, f);
    f->status = satf_filter_file(f->ctx, f->filter, in, out, &how, NULL, 0);
    return NULL;
}

enum { SIDE = 256, BMP_HEADER = 54 };

/* The same picture as PGM and as BMP, whose decoder takes it as a whole when it is opened. */
static void write_pictures(void)
{
    FILE *pgm = fopen("in.pgm", "wb"), *bmp = fopen("in.bmp", "wb");
    unsigned char header[BMP_HEADER] = {
        [0] = 'B',        'M',      [10] = BMP_HEADER, [14] = 40, [19] = SIDE >> 8,
        [23] = SIDE >> 8, [26] = 1, [28] = 24};
    assert_true(pgm && bmp);
    fprintf(pgm, "P5\n%d %d\n255\n", SIDE, SIDE);
    fwrite(header, 1, sizeof header, bmp);
    for (int i = 0; i < SIDE * SIDE; i++) {
        putc(i % 251, pgm);
        for (int c = 0; c < 3; c++) {
            putc((SIDE - 1 - i / SIDE) * SIDE % 251 + i % SIDE, bmp);
        }
    }
    fclose(pgm);
    fclose(bmp);
}

/* The most calls that were at work at once, all of which must succeed. */
static int most_at_once(satf_context *ctx, const char *suffix, int64_t limit, int wanted,
                        double wait_ms)
{
    satf_context *others[CONTEXTS];
    file_call calls[CONTEXTS];
    SCOPED_FILTER *filter;
    loop all = {.wanted = wanted, .wait_ms = wait_ms};
    write_pictures();
    make_beside(ctx, CONTEXTS, limit, others, CONTEXTS);
    assert_int_equal(satf_filter_parse(ctx, "box=5", &filter), SATF_OK);
    assert_int_equal(satf_context_set_formats(ctx, "all"), SATF_OK);
    for (int i = 0; i < CONTEXTS; i++) {
        assert_int_equal(satf_context_set_formats(others[i], "all"), SATF_OK);
        calls[i] = (file_call){
            .ctx = others[i], .filter = filter, .suffix = suffix, .number = i, .all = &all};
        assert_int_equal(pthread_create(&calls[i].id, NULL, run_file, &calls[i]), 0);
    }
    for (int i = 0; i < CONTEXTS; i++) {
        pthread_join(calls[i].id, NULL);
        if (calls[i].status) {
            fail_msg("%s", satf_message(others[i]));
        }
    }
    destroy(others, CONTEXTS);
    return all.most;
}

TEST(test_files)
{
    int64_t plenty = (int64_t)1 << 30;
    assert_int_equal(most_at_once(ctx, "pgm", plenty, CONTEXTS, patience_ms), CONTEXTS);
}

/* The limit lets the input, the output and the scratch of one call through. */
TEST(test_files_alone)
{
    assert_int_equal(most_at_once(ctx, "pgm", SIDE * SIDE * 3, 2, 50), 1);
}

/* A BMP is decoded when it is opened, which may take 12 bytes a pixel. */
TEST(test_decoders)
{
    int64_t plenty = (int64_t)1 << 30;
    assert_int_equal(most_at_once(ctx, "bmp", plenty, CONTEXTS, patience_ms), CONTEXTS);
}

TEST(test_decoders_alone)
{
    assert_int_equal(most_at_once(ctx, "bmp", SIDE * SIDE * 12, 2, 50), 1);
}

/* ----------------------------------------------------------------- stages */

enum { LONG_WIDTH = 1024, LONG_HEIGHT = 2048, FED = LONG_WIDTH * LONG_HEIGHT * 3 / 4 };

typedef struct stream_call {
    pthread_t id;
    satf_context *ctx;
    satf_status status;
} stream_call;

static void *run_stream(void *argument)
{
    stream_call *c = argument;
    SCOPED_FILTER *filter;
    satf_write_options write = satf_write_defaults();
    satf_file_options how;
    satf_file_options_init(&how, sizeof how);
    write.format = "pgm";
    how.write = &write;
    how.route = SATF_ROUTE_ROWS;
    c->status = satf_filter_parse(c->ctx, "box=3", &filter);
    if (!c->status) {
        c->status = satf_filter_file(c->ctx, filter, "in", "out", &how, NULL, 0);
    }
    return NULL;
}

static void feed(FILE *to, int count)
{
    for (int i = 0; i < count; i++) {
        putc(i % 251, to);
    }
    fflush(to);
}

/* Stages of a picture work side by side in turns that nobody else needs: rows come out while the
 * decoder waits for a pipe. */
TEST(test_stages)
{
    SCOPED_CONTEXT *other;
    static char rows[FED / 4];
    stream_call c = {.ctx = ctx};
    assert_int_equal(mkfifo("in", 0600) || mkfifo("out", 0600), 0);
    make_beside(ctx, 3, 1 << 30, &other, 1);
    assert_int_equal(pthread_create(&c.id, NULL, run_stream, &c), 0);
    FILE *to = fopen("in", "wb");
    assert_non_null(to);
    fprintf(to, "P5\n%d %d\n255\n", LONG_WIDTH, LONG_HEIGHT);
    feed(to, LONG_WIDTH); /* with the header behind it the output is opened */
    FILE *from = fopen("out", "rb");
    assert_non_null(from);
    feed(to, FED - LONG_WIDTH);
    assert_int_equal(fread(rows, 1, sizeof rows, from), sizeof rows);
    feed(to, LONG_WIDTH * LONG_HEIGHT - FED);
    fclose(to);
    while (fread(rows, 1, sizeof rows, from) > 0) {
    }
    fclose(from);
    pthread_join(c.id, NULL);
    assert_int_equal(c.status, SATF_OK);
}

/* Who waits for ever fails. */
static int begin(void **state)
{
    (void)state;
    return (int)alarm(120);
}

TEST_FILE(.begin = begin, .folder = true)
