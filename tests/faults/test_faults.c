/*
 * Whole runs of the command, inside this program, in which the system fails: at every
 * allocation, at reads, at every part of the output. Each run must end with a status, leave
 * the output whole and right or absent, leave nothing beside it, and leak nothing.
 */
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "filter_make.h"
#include "interpose.h"

#include "base/parallel.h"
#include "filter/pass.h"
#include "filter_any.h"
#include "io/io.h"
#include "pairs.h"
#include "run_line.h"

#ifdef REAL

enum { MOST_ALLOCATIONS = 2000 };

/* The address sanitizer ends the program when a thread starts and it gets no memory. */
#ifdef INTERPOSE_ASAN
#define SOME_THREADS "-T1"
enum { THREADS = 1 };
#else
#define SOME_THREADS "-T3"
enum { THREADS = 3 };
#endif

static char dir[64]; /* where the tests work: the current folder */
static int quiet;    /* /dev/null */

/* run_words() with messages thrown away. */
static int run_quietly(const char *line)
{
    int kept = dup(STDERR_FILENO);
    fflush(stderr);
    dup2(quiet, STDERR_FILENO);
    int status = run_words(line);
    dup2(kept, STDERR_FILENO);
    close(kept);
    return status;
}

/* -1: there is no such file; else its size, and the bytes if they fit. */
static long load(const char *path, unsigned char *to, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    long n = syscall(SYS_read, fd, to, room);
    close(fd);
    return n;
}

/* Files of the current folder whose names begin with a dot. */
static int hidden_files(void)
{
    int fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), n = 0;
    DIR *d = fdopendir(fd);
    for (struct dirent *e; (e = readdir(d));) {
        n += e->d_name[0] == '.' && strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    }
    closedir(d);
    return n;
}

static unsigned char want[1 << 20], got[1 << 20];
static long want_bytes;

/* The reference: the same run without faults; leaves no output. */
static void expect(const char *line, const char *output)
{
    unlink(output);
    if (run_words(line)) {
        fail_msg("'%s' fails without a fault", line);
    }
    want_bytes = load(output, want, sizeof want);
    assert_true(want_bytes > 0 && want_bytes < (long)sizeof want);
    unlink(output);
}

/* The output is right if the run succeeded, else absent. */
static void check_output(const char *line, const char *output, int status, const char *fault,
                         long number)
{
    long bytes = load(output, got, sizeof got);
    if (status ? bytes >= 0 : bytes != want_bytes || memcmp(got, want, (size_t)bytes) != 0) {
        fail_msg("'%s', %s %ld: status %d, output of %ld bytes", line, fault, number, status,
                 bytes);
    }
    if (hidden_files()) {
        fail_msg("'%s', %s %ld: a temporary file is left", line, fault, number);
    }
    unlink(output);
}

/* Fails every allocation of the run, one run each (or all from it on). The number of runs. */
static long fail_allocations(const char *line, const char *output, bool all)
{
    expect(line, output);
    long failures = 0;
    for (long n = 1; n < MOST_ALLOCATIONS; n++) {
        long live = atomic_load(&allocations.live);
        atomic_store(&allocations.count, 0);
        atomic_store(&allocations.fail_from, n);
        atomic_store(&allocations.fail_all, all);
        atomic_store(&allocations.armed, true);
        int status = run_quietly(line);
        atomic_store(&allocations.armed, false);
        long leaked = atomic_load(&allocations.live) - live;
        if (leaked) {
            fail_msg("'%s', allocation %ld fails: %ld blocks leak", line, n, leaked);
        }
        check_output(line, output, status, "allocation", n);
        failures += status != 0;
        if (n > atomic_load(&allocations.count)) {
            /* All of them went through: the last run had no fault. */
            assert_int_equal(status, 0);
            assert_true(failures > 0);
            return n;
        }
    }
    fail_msg("'%s': no end of allocations", line);
    return 0;
}

/* ------------------------------------------------------------------- inputs */

static void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    fclose(file);
}

/* A PPM of noise. */
static void write_noise(const char *path, int width, int height)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "P6\n%d %d\n255\n", width, height);
    uint32_t state = 1;
    for (int i = 0; i < 3 * width * height; i++) {
        state = state * 69069 + 12345;
        putc((int)(state >> 24), file);
    }
    fclose(file);
}

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
    strcpy(dir, "/tmp/test_faults.XXXXXX");
    quiet = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (quiet < 0 || !mkdtemp(dir) || chdir(dir)) {
        return 1;
    }
    write_noise("in.ppm", 21, 13);
    write_noise("large.ppm", 311, 251);
    write_order("order.npy", 21 * 13);
    static const char rects[] = "0 0 3 3 1\n-4 -2 5 1 -2.5\n";
    write_file("rects.txt", rects, sizeof rects - 1);
    static const char bmp[] =
        "BM\0\0\0\0\0\0\0\0\x3e\0\0\0\x28\0\0\0\3\0\0\0\1\0\0\0\1\0\10\0\0\0\0"
        "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\2\3\0\4\5\6\0\0\1\1\0";
    write_file("in.bmp", bmp, sizeof bmp - 1);
    static const char psd[] = "8BPS\0\1\0\0\0\0\0\0\0\3\0\0\0\1\0\0\0\2\0\10\0\3\0\0\0\0\0\0\0\0"
                              "\0\0\0\0\0\0\1\2\3\4\5\6";
    write_file("in.psd", psd, sizeof psd - 1);
    static const char tga[] = "\0\0\x0b\0\0\0\0\0\0\0\0\0\x04\0\x01\0\x08\x20\x82\x07\0\x09";
    write_file("in.tga", tga, sizeof tga - 1);
    static const char hdr[] = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n"
                              "\x80\x40\x20\x81\x10\x20\x40\x80";
    write_file("in.hdr", hdr, sizeof hdr - 1);
    static const char nan_pfm[] = "Pf\n3 1\n-1\n\0\0\x80\x3f\0\0\xc0\x7f\0\0\x80\xff";
    write_file("nan.pfm", nan_pfm, sizeof nan_pfm - 1);
    /* Written by the command itself. */
    return run_words("--box 1 in.ppm in.png") || run_words("--box 1 in.ppm in.jpg") ||
           run_words("--box 1 --type f32 in.ppm in.pfm") ||
           run_words("--box 1 --type f64 in.ppm in.npy") ||
           run_words("--sauvola 3 in.ppm grey.npy");
}

static int tear_down(void **state)
{
    (void)state;
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", dir);
    close(quiet);
    return chdir("/") || system(command);
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
static bool has_tables(const char *name)
{
    satf_context *ctx;
    satf_filter *filter;
    assert_int_equal(satf_context_create(&ctx), SATF_OK);
    assert_int_equal(satf_context_set_engine(ctx, SATF_ENGINE_SAT), SATF_OK);
    assert_int_equal(satf_filter_create(ctx, name, &filter), SATF_OK);
    bool has = satf_filter_check_engine(ctx, filter) == SATF_OK;
    satf_filter_destroy(filter);
    satf_context_destroy(ctx);
    return has;
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
            for (int way = 0; way < (has_tables(info->name) ? 3 : 2); way++) {
                const char *engine = way == 2 ? "sat" : "auto";
                snprintf(line, sizeof line, "-T1 --engine %s %s%s in.ppm %s", engine, words, type,
                         outputs[k]);
                if (PAIRS_RUN(&met, (int)i, (int)k, way)) {
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
    /* one channel beside three, and its mean */
    fail_allocations("-T1 --by grey.npy,op=div,scale=auto --box 3 in.ppm out.npy", "out.npy",
                     false);
}

/* Allocations of a batch: what is there is right, whatever failed. */
static void fail_in_batch(const char *line)
{
    static const char *const made[] = {"made/in.ppm", "made/in.png", "made/in.jpg"};
    static unsigned char right[3][4096];
    long right_bytes[3], runs = 0;
    assert_int_equal(run_words(line), 0);
    for (size_t k = 0; k < 3; k++) {
        right_bytes[k] = load(made[k], right[k], sizeof *right);
        assert_true(right_bytes[k] > 0 && right_bytes[k] < (long)sizeof *right);
    }
    for (long n = 1;; n++) {
        for (size_t k = 0; k < 3; k++) {
            unlink(made[k]);
        }
        long live = atomic_load(&allocations.live);
        atomic_store(&allocations.count, 0);
        atomic_store(&allocations.fail_from, n);
        atomic_store(&allocations.fail_all, false);
        atomic_store(&allocations.armed, true);
        int status = run_quietly(line);
        atomic_store(&allocations.armed, false);
        assert_int_equal(atomic_load(&allocations.live), live);
        int there = 0;
        for (size_t k = 0; k < 3; k++) {
            long bytes = load(made[k], got, sizeof got);
            there += bytes >= 0;
            if (bytes >= 0 &&
                (bytes != right_bytes[k] || memcmp(got, right[k], (size_t)bytes) != 0)) {
                fail_msg("allocation %ld fails: %s is wrong", n, made[k]);
            }
        }
        if ((status == 0) != (there == 3) || (status == EXIT_SOME && there == 0)) {
            fail_msg("allocation %ld fails: status %d with %d outputs", n, status, there);
        }
        runs++;
        if (n > atomic_load(&allocations.count)) {
            break;
        }
    }
    print_message("%ld runs\n", runs);
}

TEST(test_batch)
{
    static const char list[] = "in.png\nin.jpg\n";
    write_file("names.txt", list, sizeof list - 1);
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
    long runs = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        pixels[i] = (unsigned char)(i * 7 + i / 11);
    }
    satf_view in = satf_view_packed(pixels, W, H, C, SATF_U8);
    satf_view to = satf_view_packed(out, W, H, C, SATF_U32);
    for (size_t i = 0; (algorithm = satf_algorithm(i, &device, NULL)); i++) {
        for (size_t k = 0; k < 3 && strcmp(device, "cpu") == 0; k++) {
            assert_int_equal(call(algorithm, filters[k], &in, &to), SATF_OK);
            memcpy(right, out, sizeof right);
            for (long n = 1, tried = n; n <= tried + 1; n++) {
                memset(out, 0xa5, sizeof out);
                long live = atomic_load(&allocations.live);
                atomic_store(&allocations.count, 0);
                atomic_store(&allocations.fail_from, n);
                atomic_store(&allocations.fail_all, n % 2 == 0);
                atomic_store(&allocations.armed, true);
                satf_status status = call(algorithm, filters[k], &in, &to);
                atomic_store(&allocations.armed, false);
                /* One more than there are: the last run has no fault. */
                tried = atomic_load(&allocations.count);
                assert_true(n <= tried || status == SATF_OK);
                assert_int_equal(atomic_load(&allocations.live), live);
                assert_true(status == SATF_OK || status == SATF_NO_MEMORY);
                for (size_t s = 0; s < SAMPLES; s++) {
                    if (out[s] != (status ? 0xa5a5a5a5 : right[s])) {
                        fail_msg("%s, %s, allocation %ld: %s, but sample %zu is %u", algorithm,
                                 filters[k] ? filters[k] : "the table", n, satf_status_name(status),
                                 s, out[s]);
                    }
                }
                runs++;
            }
        }
    }
    print_message("%ld runs\n", runs);
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
            int status = run_quietly(line);
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
            long step = large ? want_bytes / 16 : 1;
            for (long n = 0; n < want_bytes; n += step) {
                limit = (struct rlimit){(rlim_t)n, before.rlim_max};
                setrlimit(RLIMIT_FSIZE, &limit);
                long live = atomic_load(&allocations.live);
                int status = run_quietly(line);
                setrlimit(RLIMIT_FSIZE, &before);
                assert_int_equal(atomic_load(&allocations.live), live);
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
            _exit(run_quietly(line));
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
