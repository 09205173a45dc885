/*
 * Whole runs of the command that get no memory: the allocation of each number fails, once and from
 * then on, whoever asks for it. Over the seeds of all formats, the outputs, chains and threads. A
 * run ends with a status and, if that is no 0, one sentence; its output has the right pixels or is
 * not there, and nothing lies beside it. Each run is a process of its own, for a signal is one of
 * the things that must not happen.
 */
#include "test.h"

#include <dirent.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/memory.h"
#include "every_fault.h"
#include "run_line.h"

/* The library's own blocks: the linker calls these in place of its functions. What libraries of
 * others leak where they get no memory is theirs. */
__typeof__(satf_alloc) __real_satf_alloc, __wrap_satf_alloc;
__typeof__(satf_alloc_zeroed) __real_satf_alloc_zeroed, __wrap_satf_alloc_zeroed;
__typeof__(satf_free) __real_satf_free, __wrap_satf_free;

static atomic_long live;

void *__wrap_satf_alloc(size_t bytes)
{
    void *memory = __real_satf_alloc(bytes);
    atomic_fetch_add(&live, memory != NULL);
    return memory;
}

void *__wrap_satf_alloc_zeroed(size_t bytes)
{
    void *memory = __real_satf_alloc_zeroed(bytes);
    atomic_fetch_add(&live, memory != NULL);
    return memory;
}

void __wrap_satf_free(void *memory)
{
    atomic_fetch_sub(&live, memory != NULL);
    __real_satf_free(memory);
}

#ifdef REAL

/* Of the many seeds each 7th allocation, of the other commands each second one, beside the address
 * sanitizer few, and others for the next command; CHECK_FULL=1 in the environment: all. */
#ifdef INTERPOSE_ASAN
enum { STEP_OF_SEEDS = 41, STEP = 11 };
#else
enum { STEP_OF_SEEDS = 7, STEP = 2 };
#endif

static char dir[64], seeds[512];
static char want[1 << 20], got[1 << 20];
static long want_bytes;
static struct report {
    long count;  /* of allocations */
    long leaked; /* the library's blocks */
} * report;      /* of the process that has ended */

/* The status of the run in which allocation n fails, and all behind it; below 0: minus a signal. */
static int run_with_fault(const char *line, long n, bool all)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        long before = atomic_load(&live);
        fault f = {.n = n, .all = all};
        int status;
        WITH_FAULT(&f, status, run_line(line));
        report->count = f.count;
        report->leaked = atomic_load(&live) - before;
        _exit(status);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Bytes differ where a codec has done without something; pixels must not. */
static bool has_right_pixels(const char *output)
{
    char line[128];
    long bytes = load_file(output, got, sizeof got);
    if (bytes == want_bytes && memcmp(got, want, (size_t)bytes) == 0) {
        return true;
    }
    snprintf(line, sizeof line, "-f -q --box 1 %s got.npy", output);
    if (bytes < 0 || run_words(line) || load_file("got.npy", got, sizeof got) < 0) {
        return false;
    }
    static char pixels[1 << 20];
    snprintf(line, sizeof line, "right_%s", output);
    save_bytes(line, want, (size_t)want_bytes);
    snprintf(line, sizeof line, "-f -q --box 1 right_%s right.npy", output);
    long right = run_words(line) ? -1 : load_file("right.npy", pixels, sizeof pixels);
    return right > 0 && memcmp(got, pixels, (size_t)right) == 0;
}

/* One line, about memory or a thread. */
static bool is_sentence(const char *text)
{
    size_t n = strlen(text);
    return n > 1 && strchr(text, '\n') == text + n - 1 &&
           (strstr(text, "memory") || strstr(text, "thread"));
}

static void check(const char *line, const char *output, long n, bool all, int status)
{
    static char said[4096];
    const char *wrong = NULL;
    load_file("stderr", said, sizeof said);
    if (status < 0) {
        wrong = "a signal";
    } else if (status == 0 && !has_right_pixels(output)) {
        wrong = "other pixels";
    } else if (status != 0 && access(output, F_OK) == 0) {
        wrong = "an output after a failure";
    } else if (hidden_files()) {
        wrong = "a temporary file is left";
    } else if (status ? !is_sentence(said) : *said) {
        wrong = "not one sentence";
    } else if (report->leaked) {
        wrong = "a leak";
    }
    if (wrong) {
        fail_msg("'%s', allocation %ld fails%s: %s (status %d, %ld blocks leak): %s", line, n,
                 all ? ", and all behind it" : "", wrong, status, report->leaked, said);
    }
    unlink(output);
}

/* Walks the allocations of the command; the number of runs. */
static long walk(const char *line, const char *output, long step)
{
    static long turn;
    long runs = 0;
    unlink(output);
    if (run_with_fault(line, 0, false)) {
        fail_msg("'%s' fails without a fault", line);
    }
    want_bytes = load_file(output, want, sizeof want);
    assert_true(want_bytes > 0 && want_bytes < (long)sizeof want - 1);
    unlink(output);
    long count = report->count;
    step = pairs_full() ? 1 : step;
    for (int all = 0; all < 2; all++) {
        for (long n = 1 + turn++ % step; n <= count; n += step, runs++) {
            check(line, output, n, all, run_with_fault(line, n, all));
        }
    }
    return runs;
}

/* ------------------------------------------------------------------- inputs */

static int set_up(void **state)
{
    (void)state;
    const char *top = getenv("top_srcdir");
    char here[256];
    if (!getcwd(here, sizeof here)) {
        return 1;
    }
    snprintf(seeds, sizeof seeds, "%s/%s/tests/fuzz/corpus", top && *top == '/' ? "" : here,
             top ? top : ".");
    report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (report == MAP_FAILED || !enter_folder("test_codec_faults", dir)) {
        return 1;
    }
    save_noise("in.ppm", 21, 13);
    return run_words("-q --box 1 in.ppm in.png") || run_words("-q --box 1 in.ppm in.jpg") ||
           run_words("-q --box 1 --type f32 in.ppm in.npy");
}

static int tear_down(void **state)
{
    (void)state;
    return leave_folder(dir);
}

/* ------------------------------------------------------------------- the walks */

static bool has(const char *format)
{
    return !satf_format_missing(format);
}

/* Modules are opened in the runs. Afterwards they are there before. */
TEST(test_modules)
{
    static const char *const first[] = {"tiff/grey", "webp/lossy", "gif/one"};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        char line[1024];
        snprintf(line, sizeof line, "-q -T1 --box 1 %s/%s out.npy", seeds, first[i]);
        if (run_with_fault(line, 0, false) == 0) {
            assert_true(walk(line, "out.npy", 1) >= 60);
        }
    }
}

/* Those that can be filtered. */
TEST(test_seeds)
{
    static const char *const folders[] = {"png", "jpeg", "pnm",  "pfm", "npy",
                                          "stb", "tiff", "webp", "gif"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (!has(folders[i])) {
            continue;
        }
        char folder[600], line[1024];
        snprintf(folder, sizeof folder, "%s/%s", seeds, folders[i]);
        DIR *d = opendir(folder);
        assert_non_null(d);
        long runs = 0, walked = 0;
        for (struct dirent *e; (e = readdir(d));) {
            snprintf(line, sizeof line, "-q -T1 --box 1 %s/%s out.npy", folder, e->d_name);
            if (e->d_name[0] != '.' && run_line(line) == 0) {
                runs += walk(line, "out.npy", STEP_OF_SEEDS);
                walked++;
            }
        }
        closedir(d);
        print_message("%s: %ld seeds, %ld runs\n", folders[i], walked, runs);
        assert_true(walked >= 2);
    }
}

TEST(test_outputs)
{
    walk("-q -T1 --box 3 in.jpg out.png", "out.png", STEP);
    walk("-q -T1 --box 3 in.png out.jpg", "out.jpg", STEP);
    walk("-q -T1 --box 3 in.png out.npy", "out.npy", STEP);
    walk("-q -T1 --box 3 in.npy out.pfm", "out.pfm", STEP);
    walk("-q -T1 --wolf 5 in.png out.pgm", "out.pgm", STEP);
    if (has("tiff")) {
        walk("-q -T1 --box 3 --compression lzw in.png out.tif", "out.tif", STEP);
        walk("-q -T1 --box 3 --compression deflate in.jpg out.tif", "out.tif", STEP);
        walk("-q -T1 --box 3 --compression zstd in.png out.tif", "out.tif", STEP);
        walk("-q -T1 --sauvola 5 --compression g4 in.png out.tif", "out.tif", STEP);
    }
    if (has("webp")) {
        walk("-q -T1 --box 3 in.png out.webp", "out.webp", STEP);
        walk("-q -T1 --box 3 in.jpg out.webp", "out.webp", STEP);
    }
}

/* Beside the address sanitizer a thread that gets no memory when it starts ends the program. */
#ifdef INTERPOSE_ASAN
#define THREADS "-q -T1"
#else
#define THREADS "-q -T2"
#endif

TEST(test_chains)
{
    walk(THREADS " --gauss 2 --unsharp 3 --guided 3 in.png out.png", "out.png", STEP);
    walk(THREADS " --kuwahara 5 --by in.npy,op=mul,scale=auto --stddev 3 in.jpg out.npy", "out.npy",
         STEP);
    if (!has("tiff")) {
        return;
    }
    char line[1400];
    snprintf(line, sizeof line, THREADS " --sauvola 5 --transpose %s/tiff/pages out.tif", seeds);
    walk(line, "out.tif", STEP);
    snprintf(line, sizeof line, THREADS " --guided 3,guide=%s/tiff/jpeg %s/tiff/jpeg out.jpg",
             seeds, seeds);
    walk(line, "out.jpg", STEP);
}

TEST_FILE(.begin = set_up, .end = tear_down)

#endif
