/*
 * Whole runs of the command, inside this program, in which the system fails: at every
 * allocation, at reads, at every part of the output. Each run must end with a status, leave
 * the output whole and right or absent, leave nothing beside it, and leak nothing.
 */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "filter_make.h"
#include "every_fault.h"

#include "base/parallel.h"
#include "chain/pass.h"
#include "filter_any.h"
#include "io/io.h"
#include "pairs.h"
#include "run_line.h"

#ifdef REAL

/* The address sanitizer ends the program when a thread starts and it gets no memory. */
#ifdef INTERPOSE_ASAN
#define SOME_THREADS "-T1"
enum { THREADS = 1 };
#else
#define SOME_THREADS "-T3"
enum { THREADS = 3 };
#endif

static char dir[64]; /* where the tests work: the current folder */
static char want[1 << 20], got[1 << 20];
static long want_bytes;

/* The reference: the same run without faults; leaves no output. */
static void expect(const char *line, const char *output)
{
    unlink(output);
    if (run_words(line)) {
        fail_msg("'%s' fails without a fault", line);
    }
    want_bytes = load_file(output, want, sizeof want);
    assert_true(want_bytes > 0 && want_bytes < (long)sizeof want);
    unlink(output);
}

/* The output is right if the run succeeded, else absent. */
static void check_output(const char *line, const char *output, int status, const char *what,
                         long number)
{
    long bytes = load_file(output, got, sizeof got);
    if (status ? bytes >= 0 : bytes != want_bytes || memcmp(got, want, (size_t)bytes) != 0) {
        fail_msg("'%s', %s %ld: status %d, output of %ld bytes", line, what, number, status, bytes);
    }
    if (hidden_files()) {
        fail_msg("'%s', %s %ld: a temporary file is left", line, what, number);
    }
    unlink(output);
}

/* Fails every allocation of the run, one run each (or all from it on). The number of runs. */
static long fail_allocations(const char *line, const char *output, bool all)
{
    long failures = 0, runs = 0;
    int status = 0;
    expect(line, output);
    EVERY_FAULT(f)
    {
        f.all = all;
        WITH_FAULT(&f, status, run_line(line));
        if (f.live) {
            fail_msg("'%s', allocation %ld fails: %ld blocks leak", line, f.n, f.live);
        }
        check_output(line, output, status, "allocation", f.n);
        failures += status != 0;
        runs++;
    }
    assert_int_equal(status, 0); /* the last run had no fault */
    assert_true(failures > 0);
    return runs;
}

/* ------------------------------------------------------------------- inputs */

/* The order of n < 65536 pixels backwards. */
static void write_order(const char *path, unsigned n)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    char header[119];
    snprintf(header, sizeof header, "{'descr': '<u2', 'fortran_order': False, 'shape': (%u,), }",
             n);
    fprintf(file, "\x93NUMPY\x01%cv%c%-117s\n", 0, 0, header);
    while (n-- > 0) {
        putc((int)(n & 255), file);
        putc((int)(n >> 8), file);
    }
    fclose(file);
}

static void *meet(void *barrier)
{
    pthread_barrier_wait(barrier);
    return NULL;
}

/* The C library keeps the stacks of threads that have ended, and a block with each, up to a number:
 * so many from the start, or another run with more threads at once would seem to leak. Beside the
 * address sanitizer these blocks go later, and no run has threads. */
static void keep_stacks(void)
{
    enum { STACKS = 8 };
    pthread_t threads[STACKS];
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, STACKS);
    for (int i = 0; i < STACKS; i++) {
        pthread_create(&threads[i], NULL, meet, &barrier);
    }
    for (int i = 0; i < STACKS; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_barrier_destroy(&barrier);
}

static int set_up(void **state)
{
    (void)state;
    if (THREADS > 1) {
        keep_stacks();
    }
    if (!enter_folder("test_faults", dir)) {
        return 1;
    }
    save_noise("in.ppm", 21, 13);
    save_noise("large.ppm", 311, 251);
    write_order("order.npy", 21 * 13);
    save_file("rects.txt", "0 0 3 3 1\n-4 -2 5 1 -2.5\n");
    static const char bmp[] =
        "BM\0\0\0\0\0\0\0\0\x3e\0\0\0\x28\0\0\0\3\0\0\0\1\0\0\0\1\0\10\0\0\0\0"
        "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\2\3\0\4\5\6\0\0\1\1\0";
    save_bytes("in.bmp", bmp, sizeof bmp - 1);
    static const char psd[] = "8BPS\0\1\0\0\0\0\0\0\0\3\0\0\0\1\0\0\0\2\0\10\0\3\0\0\0\0\0\0\0\0"
                              "\0\0\0\0\0\0\1\2\3\4\5\6";
    save_bytes("in.psd", psd, sizeof psd - 1);
    static const char tga[] = "\0\0\x0b\0\0\0\0\0\0\0\0\0\x04\0\x01\0\x08\x20\x82\x07\0\x09";
    save_bytes("in.tga", tga, sizeof tga - 1);
    static const char hdr[] = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n"
                              "\x80\x40\x20\x81\x10\x20\x40\x80";
    save_bytes("in.hdr", hdr, sizeof hdr - 1);
    static const char nan_pfm[] = "Pf\n3 1\n-1\n\0\0\x80\x3f\0\0\xc0\x7f\0\0\x80\xff";
    save_bytes("nan.pfm", nan_pfm, sizeof nan_pfm - 1);
    /* Written by the command itself. */
    return run_words("--box 1 in.ppm in.png") || run_words("--box 1 in.ppm in.jpg") ||
           run_words("--box 1 --type f32 in.ppm in.pfm") ||
           run_words("--box 1 --type f64 in.ppm in.npy") ||
           run_words("--sauvola 3 in.ppm grey.npy");
}

static int tear_down(void **state)
{
    (void)state;
    return leave_folder(dir);
}

/* Words that ask for filter `info`, with a value for each parameter that has no default of use. */
static void filter_words(const filter_info *info, char *words, size_t room)
{
    char text[64] = "";
    if (info->needs_value && !any_value(info->params, any_small, NULL, text, sizeof text)) {
        snprintf(text, sizeof text, "%s",
                 info->params->kind == PARAM_TEMPLATE ? "rects.txt"
                 : info->params->kind == PARAM_IMAGE  ? "in.ppm"
                                                      : "order.npy");
    }
    snprintf(words, room, "--%s %s", info->name, text);
}

/* -------------------------------------------------------------------- tests */

static const char *const outputs[] = {"out.png", "out.jpg", "out.ppm", "out.pfm", "out.npy"};
enum { OUTPUTS = sizeof outputs / sizeof *outputs };

/* Whether the command may be asked for tables. */
static bool has_tables(satf_context *ctx, const char *name)
{
    SCOPED_FILTER *filter;
    MUST(ctx, satf_context_set_engine(ctx, SATF_ENGINE_SAT));
    MUST(ctx, satf_filter_create(ctx, name, &filter));
    return satf_filter_check_engine(ctx, filter) == SATF_OK;
}

/* Every filter, by the fastest engine and by tables, into every format. */
TEST(test_filters)
{
    const filter_info *info;
    static pairs met;
    long runs = 0;
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        char words[96], line[256];
        filter_words(info, words, sizeof words);
        for (size_t k = 0; k < OUTPUTS; k++) {
            bool grey = filter_last(info)->type == TYPE_BILEVEL && strstr(outputs[k], ".jpg");
            const char *type = grey ? " --type u8" : ""; /* or it would be refused */
            for (int way = 0; way < (has_tables(ctx, info->name) ? 3 : 2); way++) {
                const char *engine = way == 2 ? "sat" : "auto";
                snprintf(line, sizeof line, "-T1 --engine %s %s%s in.ppm %s", engine, words, type,
                         outputs[k]);
                if (PAIRS_ONLY(&met, (int)i, (int)k, way)) {
                    runs += fail_allocations(line, outputs[k], way == 1);
                }
            }
        }
    }
    print_message("%ld runs\n", runs);
}

/* Every format that the library itself can read. */
TEST(test_decoders)
{
    static const char *const inputs[] = {"in.png", "in.jpg", "in.ppm", "in.pfm", "in.npy",
                                         "in.bmp", "in.psd", "in.tga", "in.hdr"};
    const io_format *format;
    size_t formats = 0;
    for (size_t i = 0; (format = io_format_at(i)); i++) {
        formats += !format->in_module;
    }
    assert_int_equal(sizeof inputs / sizeof *inputs, formats);
    for (size_t i = 0; i < formats; i++) {
        char line[256];
        snprintf(line, sizeof line, "-T1 --box 3 %s out.npy", inputs[i]);
        fail_allocations(line, "out.npy", false);
        fail_allocations(line, "out.npy", true);
        snprintf(line, sizeof line, "-T1 --engine sat --stddev 3 %s out.npy", inputs[i]);
        fail_allocations(line, "out.npy", false);
    }
}

/* Threads that cannot be had are done without. */
TEST(test_threads_and_chains)
{
    fail_allocations(SOME_THREADS " --box 3 in.ppm out.png", "out.png", false);
    fail_allocations(SOME_THREADS " --box 3 in.ppm out.png", "out.png", true);
    fail_allocations(SOME_THREADS " --box 3 large.ppm out.png", "out.png", false); /* strips */
    fail_allocations(SOME_THREADS " --box 3 --variance 5 --integral in.ppm out.npy", "out.npy",
                     false);
    fail_allocations(SOME_THREADS " --engine sat --box 3 --stddev 5,border=wrap in.png out.png",
                     "out.png", true);
    fail_allocations("-T1 --engine sat --box 3 nan.pfm out.npy", "out.npy", false);
    fail_allocations(SOME_THREADS " --box 200x1 large.ppm out.npy", "out.npy", false);
    /* weights that are moved, cut and averaged, as a whole and by rows */
    fail_allocations("-T1 --rotate 90 --box 3 --weights grey.npy in.ppm out.npy", "out.npy", false);
    fail_allocations("-T1 --box 2,border=valid --flip h --resize 50% --box 3 --weights grey.npy "
                     "in.ppm out.npy",
                     "out.npy", true);
    /* one channel beside three, and its mean */
    fail_allocations("-T1 --by grey.npy,op=div,scale=auto --box 3 in.ppm out.npy", "out.npy",
                     false);
}

/* Allocations of a batch: what is there is right, whatever failed. */
static void fail_in_batch(const char *line)
{
    static const char *const made[] = {"made/in.ppm", "made/in.png", "made/in.jpg"};
    static char right[3][4096];
    long right_bytes[3];
    assert_int_equal(run_words(line), 0);
    for (size_t k = 0; k < 3; k++) {
        right_bytes[k] = load_file(made[k], right[k], sizeof *right);
        assert_true(right_bytes[k] > 0 && right_bytes[k] < (long)sizeof *right);
    }
    EVERY_FAULT(f)
    {
        int status;
        for (size_t k = 0; k < 3; k++) {
            unlink(made[k]);
        }
        WITH_FAULT(&f, status, run_line(line));
        assert_int_equal(f.live, 0);
        int there = 0;
        for (size_t k = 0; k < 3; k++) {
            long bytes = load_file(made[k], got, sizeof got);
            there += bytes >= 0;
            if (bytes >= 0 &&
                (bytes != right_bytes[k] || memcmp(got, right[k], (size_t)bytes) != 0)) {
                fail_msg("allocation %ld fails: %s is wrong", f.n, made[k]);
            }
        }
        if ((status == 0) != (there == 3) || (status == EXIT_SOME && there == 0)) {
            fail_msg("allocation %ld fails: status %d with %d outputs", f.n, status, there);
        }
    }
}

TEST(test_batch)
{
    save_file("names.txt", "in.png\nin.jpg\n");
    fail_in_batch("-T1 --box 3 in.ppm --filelist names.txt -o made");
    fail_in_batch(SOME_THREADS " --box 3 in.ppm --filelist names.txt -o made");
    fail_in_batch(SOME_THREADS " --engine sat --box 3 in.ppm --filelist names.txt -o made");
}

/* A call of the library, from the creation of its context on; NULL filter: the table itself. */
static satf_status call(const char *algorithm, const char *filter_name, const satf_view *in,
                        const satf_view *out)
{
    satf_context *ctx;
    satf_filter *filter = NULL;
    satf_status status = satf_context_create(&ctx);
    if (status) {
        return status;
    }
    satf_context_set_threads(ctx, THREADS);
    status = satf_context_set_algorithm(ctx, algorithm);
    if (!status && !filter_name) {
        status = satf_sat(ctx, in, out, 0);
    } else if (!status) {
        satf_context_set_engine(ctx, SATF_ENGINE_SAT);
        status = satf_filter_parse(ctx, filter_name, &filter);
        status = status ? status : satf_filter_apply(ctx, filter, in, out);
    }
    satf_filter_destroy(filter);
    satf_context_destroy(ctx);
    return status;
}

/* Outputs in memory are untouched on failure. */
TEST(test_library)
{
    enum { W = 131, H = 97, C = 3, SAMPLES = W * H * C };
    static unsigned char pixels[SAMPLES];
    static uint32_t right[SAMPLES], out[SAMPLES];
    static const char *const filters[] = {NULL, "integral", "box=5 integral"};
    const char *algorithm, *device;
    for (size_t i = 0; i < SAMPLES; i++) {
        pixels[i] = (unsigned char)(i * 7 + i / 11);
    }
    satf_view in = satf_view_packed(pixels, W, H, C, SATF_U8);
    satf_view to = satf_view_packed(out, W, H, C, SATF_U32);
    for (size_t i = 0; (algorithm = satf_algorithm(i, &device, NULL)); i++) {
        for (size_t k = 0; k < 3 && strcmp(device, "cpu") == 0; k++) {
            assert_int_equal(call(algorithm, filters[k], &in, &to), SATF_OK);
            memcpy(right, out, sizeof right);
            EVERY_FAULT(f)
            {
                satf_status status;
                memset(out, 0xa5, sizeof out);
                f.all = f.n % 2 == 0;
                WITH_FAULT(&f, status, call(algorithm, filters[k], &in, &to));
                assert_true(f.n <= f.count || status == SATF_OK);
                assert_int_equal(f.live, 0);
                assert_true(status == SATF_OK || status == SATF_NO_MEMORY);
                for (size_t s = 0; s < SAMPLES; s++) {
                    if (out[s] != (status ? 0xa5a5a5a5 : right[s])) {
                        fail_msg("%s, %s, allocation %ld: %s, but sample %zu is %u", algorithm,
                                 filters[k] ? filters[k] : "the table", f.n,
                                 satf_status_name(status), s, out[s]);
                    }
                }
            }
        }
    }
}

/* A picture in memory is whole, or not there. */
TEST(test_encoded)
{
    static const char *const formats[] = {"png", "jpg", "ppm", "npy"};
    SCOPED_IMAGE *image;
    MUST(ctx, satf_image_create(ctx, 97, 61, 3, SATF_U8, 0, &image));
    memset(image->view.data, 77, (size_t)(image->view.stride * image->view.height));
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        satf_write_options options = satf_write_defaults();
        options.format = formats[i];
        void *right, *data;
        size_t bytes, n;
        MUST(ctx, satf_image_encode(ctx, image, &options, &right, &bytes));
        EVERY_FAULT(f)
        {
            satf_status status;
            WITH_FAULT(&f, status, satf_image_encode(ctx, image, &options, &data, &n));
            bool whole = !status && n == bytes && memcmp(data, right, n) == 0;
            if (!whole && (status != SATF_NO_MEMORY || data)) {
                fail_msg("%s, allocation %ld fails: status %d", formats[i], f.n, status);
            }
            satf_buffer_free(data);
        }
        satf_buffer_free(right);
    }
}

TEST(test_reads)
{
    static const char *const inputs[] = {"in.png", "in.jpg", "in.ppm",
                                         "in.pfm", "in.npy", "in.hdr"};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        char line[128];
        snprintf(line, sizeof line, "-T1 --box 3 %s out.npy", inputs[i]);
        expect(line, "out.npy");
        for (size_t most = 1; most < 40; most = most * 2 + 1) { /* short ones */
            reads.most = most;
            reads.interrupted = most % 3 == 0;
            int status = run_words(line);
            reads.interrupted = false;
            assert_int_equal(status, 0);
            check_output(line, "out.npy", status, "reads of", (long)most);
        }
        reads.most = 64;
        reads.count = 0;
        assert_int_equal(run_words(line), 0);
        long all = reads.count;
        unlink("out.npy");
        for (long n = 1; n <= all; n++) {
            reads.count = 0;
            reads.fail_from = n;
            int status = run_line(line);
            check_output(line, "out.npy", status, "read", n);
            /* A codec need not ask for what lies behind its last byte. */
            assert_true(status == 1 || n == all);
        }
        reads.most = 0;
        reads.fail_from = 0;
    }
}

/* A file that may not grow beyond a size: short writes, then EFBIG. */
TEST(test_writes)
{
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    for (size_t k = 0; k < OUTPUTS; k++) {
        for (int large = 0; large < 2; large++) {
            char line[128];
            snprintf(line, sizeof line, "-T1 --box 3 %s %s", large ? "large.ppm" : "in.ppm",
                     outputs[k]);
            expect(line, outputs[k]);
            /* each byte of a small file's ends, and some between; some of a large one */
            for (long n = 0; n < want_bytes; n += large                           ? want_bytes / 16
                                                  : n < 64 || n > want_bytes - 64 ? 1
                                                                                  : 7) {
                fault none = {.n = 0};
                int status;
                limit = (struct rlimit){(rlim_t)n, before.rlim_max};
                setrlimit(RLIMIT_FSIZE, &limit);
                WITH_FAULT(&none, status, run_line(line));
                setrlimit(RLIMIT_FSIZE, &before);
                assert_int_equal(none.live, 0);
                assert_int_equal(status, 1);
                check_output(line, outputs[k], status, "size limit", n);
            }
        }
    }
    signal(SIGXFSZ, SIG_DFL);
}

/* Standard output is a terminal that hangs up: EIO. */
TEST(test_output_error)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0 || grantpt(master) || unlockpt(master)) {
        skip();
    }
    int slave = open(ptsname(master), O_WRONLY | O_NOCTTY | O_CLOEXEC);
    assert_true(slave >= 0);
    for (size_t k = 0; k < OUTPUTS; k++) {
        fflush(stdout);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            char line[128];
            snprintf(line, sizeof line, "-f -T1 --box 3 --format %s large.ppm -", outputs[k] + 4);
            dup2(slave, STDOUT_FILENO);
            close(slave);
            close(master);
            _exit(run_line(line));
        }
        if (k == 0) {
            close(master);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 1);
    }
    close(slave);
}

TEST_FILE(.shared = true, .begin = set_up, .end = tear_down)

#endif
