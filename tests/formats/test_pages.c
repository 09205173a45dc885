/* Files of several pages: filtered side by side they are what each page is by itself, in order. */
#include "test.h"
#include "pipeline_jobs.h"

enum { PAGES = 9 };

/* Pages of other sizes, channels and types, some of one kind. */
static const struct {
    int64_t width, height;
    int channels;
    satf_type type;
    unsigned flags;
} kinds[PAGES] = {
    {40, 30, 1, SATF_U8, 0},    {40, 30, 1, SATF_U8, 0},          {7, 90, 3, SATF_U8, 0},
    {300, 200, 1, SATF_U16, 0}, {31, 33, 4, SATF_U8, SATF_ALPHA}, {1, 1, 1, SATF_F32, 0},
    {20, 10, 3, SATF_U16, 0},   {64, 64, 1, SATF_F64, 0},         {50, 9, 2, SATF_U16, SATF_ALPHA},
};

static satf_image *make_page(int k)
{
    return make_noise(kinds[k].width, kinds[k].height, kinds[k].channels, kinds[k].type,
                      kinds[k].flags, (uint32_t)k * 977 + 5);
}

/* in.tif: the first pages. */
static void write_first(int count)
{
    write_pages("in.tif", make_page, 0, count, "none");
}

/* What is appended is read again, in any order. */
TEST_ALONE(round_trip)
{
    static const char *const compressions[] = {NULL, "none", "lzw", "deflate", "zstd"};
    for (size_t c = 0; c < COUNT(compressions); c++) {
        satf_image_file *file;
        satf_image *none;
        write_pages("r.tif", make_page, 0, PAGES, compressions[c]);
        MUST(ctx, satf_image_file_open(ctx, "r.tif", &file));
        assert_int_equal(satf_image_file_pages(file), PAGES);
        for (int i = 0; i < 2 * PAGES; i++) {
            int k = i * 5 % PAGES;
            SCOPED_IMAGE *want = make_page(k), *read = NULL;
            MUST(ctx, satf_image_file_read(ctx, file, k + 1, &read));
            assert_same_image(want, read, compressions[c] ? compressions[c] : "default");
        }
        assert_int_equal(satf_image_file_read(ctx, file, 0, &none), SATF_INVALID);
        assert_int_equal(satf_image_file_read(ctx, file, PAGES + 1, &none), SATF_INVALID);
        assert_non_null(strstr(satf_message(ctx), "has no page 10; it holds 9"));
        satf_image_file_close(file);
    }
}

/* A file of so many pages, to which those are appended, comes to nothing: at which call? */
TEST_ALONE(no_trace)
{
    enum { CREATE = -1, NEVER = 9 };
    static const struct {
        const char *name;
        int promised, pages[2], count; /* pages that are appended */
        int fails_at;                  /* CREATE, that page, or after the last one finish() */
        satf_status status;
    } cases[] = {{"x.png", 2, {0}, 0, CREATE, SATF_UNSUPPORTED},
                 {"x.tif", -1, {0}, 0, CREATE, SATF_INVALID},
                 {"x.tif", 0, {0}, 0, 0, SATF_INVALID},
                 {"x.tif", 0, {0}, 1, NEVER, SATF_OK},          /* closed before its end */
                 {"x.npy", 0, {0}, 1, 0, SATF_INVALID},         /* of no number of pages */
                 {"x.npy", 2, {0}, 1, 1, SATF_INVALID},         /* one is missing */
                 {"x.npy", 2, {0, 2}, 2, 2, SATF_UNSUPPORTED}}; /* of two shapes */
    for (size_t i = 0; i < COUNT(cases); i++) {
        satf_image_file *file = NULL;
        int at = cases[i].fails_at;
        satf_status status =
            satf_image_file_create(ctx, cases[i].name, cases[i].promised, NULL, &file);
        assert_int_equal(status, at == CREATE ? cases[i].status : SATF_OK);
        if (at == NEVER) { /* an end of no pages is none, and costs nothing */
            assert_int_equal(satf_image_file_finish(ctx, file), SATF_INVALID);
        }
        for (int k = 0; k < cases[i].count; k++) {
            SCOPED_IMAGE *image = make_page(cases[i].pages[k]);
            for (int again = 0; again < (k == at ? 2 : 1); again++) { /* it has failed */
                assert_int_equal(satf_image_file_append(ctx, file, image),
                                 k == at ? cases[i].status : SATF_OK);
            }
        }
        if (at == cases[i].count) {
            assert_int_equal(satf_image_file_finish(ctx, file), cases[i].status);
        }
        satf_image_file_close(file);
        assert_int_equal(access(cases[i].name, F_OK), -1);
    }
}

/* --------------------------------------------------------------- file to file */

/* How many pages were told of, in order; of which those fail. */
typedef struct told {
    int64_t count, stop_at, failing; /* pages, or 0 */
} told;

static int take_page(void *user, int64_t page, satf_status status, const char *why,
                     const satf_file_report *of, size_t report_bytes)
{
    told *t = user;
    bool fails = t->failing == page || t->failing < 0;
    assert_int_equal(report_bytes, sizeof *of);
    assert_int_equal(page, ++t->count);
    assert_int_equal(status, fails ? SATF_DATA : SATF_OK);
    assert_int_equal(why[0] != 0, fails);
    assert_true(fails || of->pages == 1);
    return t->stop_at == page;
}

/* From in.tif, and telling of pages. */
#define TELLING(out, spec, number, t) \
    JOB("in.tif", out, spec, .threads = number, .how.page_done = take_page, .how.page_user = (t))

/* Each page is what satf_filter_image() makes of it, whatever the number of threads. */
static void page_by_page(const char *out, const char *spec, int first, int count)
{
    satf_image_file *file;
    SCOPED_FILTER *filter;
    MUST(ctx, satf_filter_parse(ctx, spec, &filter));
    MUST(ctx, satf_image_file_open(ctx, out, &file));
    assert_int_equal(satf_image_file_pages(file), count);
    for (int i = 0; i < count; i++) {
        SCOPED_IMAGE *in = make_page(first + i);
        check_page(file, i + 1, in, filter);
    }
    satf_image_file_close(file);
}

/* in.tif on any number of threads, with that page damaged (0: none), is the same, and told of. */
static void on_threads(const char *spec, int damaged)
{
    for (int threads = 1; threads <= 6; threads++) {
        const char *out = threads == 1 ? "first.tif" : "out.tif";
        told t = {.failing = damaged};
        must_run(TELLING(out, spec, threads, &t));
        assert_int_equal(report.pages, PAGES - (damaged > 0));
        assert_int_equal(report.pages_failed, damaged > 0);
        assert_int_equal(t.count, PAGES);
        assert_same_file("first.tif", out, spec);
    }
}

TEST_ALONE(side_by_side)
{
    static const char *const specs[] = {"box=5", "box=3,border=wrap", "rotate=90 box=3"};
    write_first(PAGES);
    for (size_t s = 0; s < COUNT(specs); s++) {
        on_threads(specs[s], 0);
        page_by_page("out.tif", specs[s], 0, PAGES);
    }
}

TEST_ALONE(some_pages)
{
    static const struct {
        int64_t first, last;
        int from, count;
    } some[] = {{4, 7, 3, 4}, {6, -1, 5, 4}, {3, 0, 2, 1}};
    static const struct {
        const char *out, *words;
        int64_t first, last;
    } wrong[] = {{"no.png", "and png one", 1, 2},         {"no.tif", "has no page 10", 10, 0},
                 {"no.tif", "has no page 12", 3, 12},     {"no.tif", "numbered from 1 on", 3, 2},
                 {"no.tif", "numbered from 1 on", -1, 0}, {"no.tif", "numbered from 1 on", 0, 5}};
    write_first(PAGES);
    for (size_t i = 0; i < COUNT(some); i++) {
        must_run(JOB("in.tif", "out.tif", "box=3", .threads = 3, .how.first_page = some[i].first,
                     .how.last_page = some[i].last));
        page_by_page("out.tif", "box=3", some[i].from, some[i].count);
    }
    must_note(JOB("in.tif", "out.png", "box=3"), "in.tif",
              "holds 9 pages; only the first is read, unless others are named (option: page)");
    must_note(JOB("in.tif", "out.png", "box=3", .how.first_page = 2, .how.last_page = 2), NULL,
              NULL);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        must_fail(JOB("in.tif", wrong[i].out, "box=3", .how.first_page = wrong[i].first,
                      .how.last_page = wrong[i].last),
                  SATF_INVALID, wrong[i].words);
    }
    must_fail(JOB("in.tif", "no/folder.tif", "box=3"), SATF_IO, "");
}

/* The page's first strip lies behind the end of in.tif from now on: the k-th offset tag. */
static void damage_page(int k)
{
    size_t bytes;
    SCOPED unsigned char *data = slurp("in.tif", &bytes);
    static const unsigned char tag[] = {0x11, 1, 4, 0}; /* StripOffsets, LONG */
    unsigned char *at = data;
    for (int i = 0; i <= k; i++) {
        at = memmem(at + (i > 0), bytes - (size_t)(at + (i > 0) - data), tag, sizeof tag);
        assert_non_null(at);
    }
    assert_int_equal(at[4], 1); /* one strip */
    memset(at + 8, 0x7f, 4);
    write_bytes("in.tif", data, bytes);
}

TEST_ALONE(a_damaged_page)
{
    static const int damaged[] = {0, 3, PAGES - 1};
    for (size_t d = 0; d < COUNT(damaged); d++) {
        char number[32];
        snprintf(number, sizeof number, "page %d: ", damaged[d] + 1);
        write_first(PAGES);
        damage_page(damaged[d]);
        for (int threads = 1; threads <= 5; threads++) {
            must_fail(JOB("in.tif", "no.tif", "box=3", .threads = threads), SATF_DATA, number);
        }
        on_threads("box=3", damaged[d] + 1);
        if (damaged[d] == 0) {
            page_by_page("out.tif", "box=3", 1, PAGES - 1);
        }
    }
    /* an array has all of them */
    told t = {.failing = 2};
    write_first(2);
    damage_page(1);
    must_fail(TELLING("no.npy", "box=3", 2, &t), SATF_INVALID, "");
    damage_page(0);
    t = (told){.failing = -1};
    must_fail(TELLING("no.tif", "box=3", 2, &t), SATF_DATA, "no page can be filtered");
}

/* What has failed fails again, however often it is asked for, and costs the others nothing. */
TEST_ALONE(asked_again)
{
    static const struct {
        const char *name;
        int damaged, good; /* pages; 0: none is */
        const char *words;
    } files[] = {{"in.tif", 2, 1, "a strip is too short"}, {"in.png", 1, 0, ""}};
    size_t bytes;
    write_first(4);
    damage_page(1);
    write_noise("in.png", 60, 50, 3, SATF_U8, 0, 7);
    SCOPED unsigned char *data = slurp("in.png", &bytes);
    data[bytes / 2] ^= 0x55;
    write_bytes("in.png", data, bytes);
    for (int f = 0; f < 2; f++) {
        satf_image_file *file;
        char first[256] = "";
        MUST(ctx, satf_image_file_open(ctx, files[f].name, &file));
        for (int i = 0; i < 6; i++) {
            SCOPED_IMAGE *image = NULL, *good = NULL;
            assert_int_equal(satf_image_file_read(ctx, file, files[f].damaged, &image), SATF_DATA);
            assert_non_null(strstr(satf_message(ctx), files[f].words));
            if (i == 0) {
                snprintf(first, sizeof first, "%s", satf_message(ctx));
            }
            assert_string_equal(satf_message(ctx), first);
            if (files[f].good && i % 2) {
                MUST(ctx, satf_image_file_read(ctx, file, files[f].good, &good));
            }
        }
        satf_image_file_close(file);
    }
}

TEST_ALONE(stopped)
{
    write_first(PAGES);
    for (int threads = 1; threads <= 4; threads++) {
        told t = {.stop_at = 4};
        must_fail(TELLING("no.tif", "box=3", threads, &t), SATF_CANCELLED, "");
        assert_int_equal(t.count, 4);
    }
}

/* A limit that one page keeps, and several together do not: they take turns. */
TEST_ALONE(little_memory)
{
    write_first(PAGES);
    must_run(JOB("in.tif", "a.tif", "box=9", .threads = 6));
    MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 3 << 20));
    must_run(JOB("in.tif", "b.tif", "box=9", .threads = 6));
    assert_same_file("a.tif", "b.tif", "with little memory");
}

/* -------------------------------------------------------------------- arrays */

static void write_array(const char *to, const char *shape, const void *data, size_t bytes)
{
    char header[128];
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    int n = snprintf(header + 10, sizeof header - 10,
                     "{'descr': '|u1', 'fortran_order': False, 'shape': %s, }", shape);
    header[10 + n] = ' ';
    header[sizeof header - 1] = '\n';
    write_bytes(to, header, sizeof header);
    insert(to, sizeof header, data, bytes);
}

TEST_ALONE(arrays)
{
    static const struct {
        const char *shape, *axes, *result; /* axes NULL: the default */
        int pages, width, height, channels;
    } cases[] = {
        {"(4, 5, 6)", "ZYX", "(4, 5, 6)", 4, 6, 5, 1},
        {"(1, 5, 6)", "ZYX", "(1, 5, 6)", 1, 6, 5, 1},
        {"(2, 3, 5, 6)", NULL, "(2, 3, 5, 6)", 6, 6, 5, 1},
        {"(2, 5, 6, 3)", NULL, "(2, 5, 6, 3)", 2, 6, 5, 3},
        {"(2, 5, 6, 3)", "TZYX", "(2, 5, 6, 3)", 10, 3, 6, 1},
        {"(3, 5, 6)", "CYX", "(3, 5, 6)", 3, 6, 5, 1},
        {"(5, 6, 3)", "YXC", "(5, 6, 3)", 1, 6, 5, 3},
        {"(2, 1, 2, 5, 6, 1)", "ABZYXC", "(2, 1, 2, 5, 6)", 4, 6, 5, 1},
    };
    unsigned char data[400];
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (unsigned char)(i * 73 % 251);
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t width = (size_t)cases[i].width, channels = (size_t)cases[i].channels, bytes;
        size_t all = width * channels * (size_t)(cases[i].height * cases[i].pages);
        MUST(ctx, satf_context_set_axes(ctx, cases[i].axes));
        write_array("in.npy", cases[i].shape, data, all);
        must_run(JOB("in.npy", "out.npy", "flip=h", .threads = 3));
        SCOPED unsigned char *got = slurp("out.npy", &bytes);
        if (!memmem(got, bytes, cases[i].result, strlen(cases[i].result)) || bytes < all) {
            fail_msg("%s became %.120s", cases[i].shape, got + 10);
        }
        const unsigned char *samples = got + bytes - all;
        for (size_t k = 0; k < all; k++) {
            size_t c = k % channels, x = k / channels;
            size_t from = (x / width * width + width - 1 - x % width) * channels + c;
            if (samples[k] != data[from]) {
                fail_msg("%s: sample %zu is %d, not %d", cases[i].shape, k, samples[k], data[from]);
            }
        }
    }
    static const char *const wrong[] = {"X",    "XY",    "YXZ",  "YYX", "zyx",
                                        "C YX", "ZYXCC", "YXCZ", "YX ", "ABDEFGHYX"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(satf_context_set_axes(ctx, wrong[i]), SATF_INVALID);
    }
    MUST(ctx, satf_context_set_axes(ctx, "TZYX"));
    write_array("in.npy", "(5, 6)", data, 30);
    must_fail(JOB("in.npy", "no.npy", "box=3", .threads = 1), SATF_INVALID, "");
    write_array("in.npy", "(2, 3, 5, 6)", data, 179);
    must_fail(JOB("in.npy", "no.npy", "box=3"), SATF_DATA, "");
}

TEST_FILE(.formats = "all", .context = &ctx, .folder = true)
