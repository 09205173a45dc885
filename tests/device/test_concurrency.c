/* Contexts in many threads at once, one filter shared by all: the same bits as alone. Built
 * with -fsanitize=thread by .ci/run too. And the library in the child of a fork(). */
#include "test.h"
#include "base/parallel.h"
#include "test_io_files.h"

#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { THREADS = 6, ROUNDS = 4, WIDTH = 133, HEIGHT = 71 };

static const char *const specs[] = {"box=15x8", "variance=9,border=mirror", "box=3 stddev=5",
                                    "integral"};
enum { SPECS = sizeof specs / sizeof *specs };

typedef struct worker {
    pthread_t id;
    int index;
    satf_filter *const *filters; /* shared */
    const satf_image *in;        /* shared */
    const bytes *file;           /* shared: in as a PNG */
    unsigned char *const *want;
    bool right;
} worker;

static size_t image_bytes(const satf_image *image)
{
    const satf_view *v = satf_image_view(image);
    return (size_t)(v->stride * v->height);
}

/* One thread's work: its own context, with threads of its own. */
static bool work_once(const worker *w, satf_context *ctx, int spec)
{
    SCOPED_IMAGE *decoded = NULL, *out = NULL;
    satf_context_set_engine(ctx, w->index % 2 ? SATF_ENGINE_AUTO : SATF_ENGINE_SAT);
    bool right = satf_image_decode(ctx, w->file->data, w->file->n, &decoded) == SATF_OK &&
                 satf_filter_image(ctx, w->filters[spec], w->index % 3 ? decoded : w->in,
                                   SATF_TYPE_AUTO, &out) == SATF_OK &&
                 memcmp(satf_image_view(out)->data, w->want[spec], image_bytes(out)) == 0;
    return right;
}

static void *work(void *argument)
{
    worker *w = argument;
    satf_context *ctx;
    w->right = satf_context_create(&ctx) == SATF_OK &&
               satf_context_set_threads(ctx, 1 + w->index % 3) == SATF_OK;
    for (int i = 0; i < ROUNDS * SPECS && w->right; i++) {
        w->right = work_once(w, ctx, (i + w->index) % SPECS);
    }
    satf_context_destroy(ctx);
    return NULL;
}

typedef struct fixture {
    satf_context *ctx;
    satf_image *in;
    bytes file;
    satf_filter *filters[SPECS];
    unsigned char *want[SPECS];
} fixture;
static fixture *f;

static int set_up(void **state)
{
    (void)state;
    f = calloc(1, sizeof *f);
    if (satf_context_create(&f->ctx)) {
        return 1;
    }
    f->in = make_image(f->ctx, WIDTH, HEIGHT, 4, SATF_U8, SATF_ALPHA, 1);
    f->file = must_encode(f->ctx, f->in, "png");
    for (int i = 0; i < SPECS; i++) {
        SCOPED_IMAGE *out;
        if (satf_filter_parse(f->ctx, specs[i], &f->filters[i]) ||
            satf_filter_image(f->ctx, f->filters[i], f->in, SATF_TYPE_AUTO, &out)) {
            return 1;
        }
        f->want[i] = malloc(image_bytes(out));
        memcpy(f->want[i], satf_image_view(out)->data, image_bytes(out));
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < SPECS; i++) {
        satf_filter_destroy(f->filters[i]);
        free(f->want[i]);
    }
    free(f->file.data);
    satf_image_destroy(f->in);
    satf_context_destroy(f->ctx);
    free(f);
    return 0;
}

static void run_all(worker *workers)
{
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){
            .index = i, .filters = f->filters, .in = f->in, .file = &f->file, .want = f->want};
        assert_int_equal(pthread_create(&workers[i].id, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].id, NULL);
    }
}

TEST(test_contexts)
{
    worker workers[THREADS];
    run_all(workers);
    for (int i = 0; i < THREADS; i++) {
        assert_true(workers[i].right);
    }
}

/* Many outputs at once: each is whole, none meets another's temporary. */
typedef struct writer {
    pthread_t id;
    const satf_image *image;
    char path[96];
    bool right;
} writer;

static void *write_some(void *argument)
{
    writer *w = argument;
    satf_context *ctx;
    w->right = satf_context_create(&ctx) == SATF_OK;
    for (int i = 0; i < ROUNDS && w->right; i++) {
        io_output_sweep(w->path); /* of the others' folder too: theirs are locked */
        w->right = satf_image_write(ctx, w->image, w->path, NULL) == SATF_OK;
    }
    satf_context_destroy(ctx);
    return NULL;
}

TEST(test_outputs)
{
    writer writers[THREADS];
    char dir[] = "/tmp/test_concurrency.XXXXXX";
    assert_non_null(mkdtemp(dir));
    for (int i = 0; i < THREADS; i++) {
        writers[i] = (writer){.image = f->in};
        /* two threads for each file */
        snprintf(writers[i].path, sizeof writers[i].path, "%s/%d.png", dir, i / 2);
        assert_int_equal(pthread_create(&writers[i].id, NULL, write_some, &writers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(writers[i].id, NULL);
        assert_true(writers[i].right);
    }
    for (int i = 0; i < THREADS; i += 2) {
        SCOPED_IMAGE *back;
        assert_int_equal(satf_image_read(f->ctx, writers[i].path, &back), SATF_OK);
        assert_memory_equal(satf_image_view(back)->data, satf_image_view(f->in)->data,
                            image_bytes(f->in));
        unlink(writers[i].path);
    }
    assert_int_equal(rmdir(dir), 0); /* nothing else is in it */
}

/* Opens outputs without end, and ends them in every way. */
static void *open_outputs(void *path)
{
    satf_context *ctx;
    satf_context_create(&ctx);
    for (int i = 0;; i++) {
        io_output *out;
        if (io_output_open(ctx, path, NULL, false, NULL, &out) == SATF_OK) {
            i % 2 ? io_output_discard(out) : (void)io_output_end(ctx, out, SATF_OK);
        }
    }
    return NULL;
}

static void clean_and_end(int signal_number)
{
    (void)signal_number;
    io_output_cleanup();
    _exit(0);
}

/* The thread sanitizer holds back a signal that a thread meets in pause(). */
#if defined __has_feature
#if __has_feature(thread_sanitizer)
#define SIGNALS_WAIT 1
#endif
#endif
#ifdef __SANITIZE_THREAD__
#define SIGNALS_WAIT 1
#endif

#ifndef SIGNALS_WAIT
#define SIGNALS_WAIT 0
#endif

/* In a child: opens outputs in many threads until it is ended. */
_Noreturn static void open_until_ended(char paths[THREADS][96])
{
    pthread_t id;
    signal(SIGTERM, clean_and_end);
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&id, NULL, open_outputs, paths[i]);
    }
    for (;;) {
        pause();
    }
}

/* A signal while threads open outputs: no temporary is left, whichever takes the signal. */
TEST(test_cleanup)
{
    enum { KILLS = 60 };
    char dir[] = "/tmp/test_concurrency.XXXXXX", paths[THREADS][96];
    if (SIGNALS_WAIT) {
        skip();
    }
    assert_non_null(mkdtemp(dir));
    for (int i = 0; i < THREADS; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%d.pgm", dir, i);
    }
    for (unsigned i = 0; i < KILLS; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            open_until_ended(paths);
        }
        usleep(5000 + 331 * i);
        kill(child, SIGTERM);
        assert_int_equal(waitpid(child, NULL, 0), child);
        for (int k = 0; k < THREADS; k++) {
            unlink(paths[k]);
        }
        assert_int_equal(rmdir(dir), 0);
        assert_int_equal(mkdir(dir, 0777), 0);
    }
    assert_int_equal(rmdir(dir), 0);
}

/* The thread sanitizer would refuse threads behind a fork(). */
const char *__tsan_default_options(void);
__attribute__((visibility("default"))) const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}

TEST(test_fork)
{
    worker workers[THREADS];
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        run_all(workers);
        bool right = true;
        for (int i = 0; i < THREADS; i++) {
            right = right && workers[i].right;
        }
        _exit(right ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

TEST_FILE(.shared = true, .begin = set_up, .end = tear_down)
