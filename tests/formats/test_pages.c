/* Files of several pages: filtered side by side they are what each page is by itself, in order. */
#include "test.h"
#include "pipeline_jobs.h"

enum { PAGES = 9, MOST_TOLD = 16 };

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

static void must(satf_status status)
{
    if (status) {
        fail_msg("%s", satf_message(ctx));
    }
}

static void write_pages(const char *to, int first, int last, const char *compression)
{
    satf_image_file *file;
    satf_write_options options = satf_write_defaults();
    options.compression = compression;
    must(satf_image_file_create(ctx, to, last - first + 1, &options, &file));
    for (int k = first; k <= last; k++) {
        SCOPED_IMAGE *image = make_page(k);
        must(satf_image_file_append(ctx, file, image));
    }
    assert_int_equal(satf_image_file_pages(file), last - first + 1);
    must(satf_image_file_finish(ctx, file));
    satf_image_file_close(file);
}

static void same_image(const satf_image *a, const satf_image *b, const char *what)
{
    const satf_view *v = satf_image_view(a), *w = satf_image_view(b);
    if (v->width != w->width || v->height != w->height || v->channels != w->channels ||
        v->type != w->type || v->flags != w->flags ||
        memcmp(v->data, w->data, (size_t)(v->stride * v->height)) != 0) {
        fail_msg("%s: another picture", what);
    }
}

/* What is appended is read again, in any order. */
TEST_ALONE(round_trip)
{
    static const char *const compressions[] = {NULL, "none", "lzw", "deflate", "zstd"};
    for (size_t c = 0; c < sizeof compressions / sizeof *compressions; c++) {
        satf_image_file *file;
        satf_image *read;
        write_pages("r.tif", 0, PAGES - 1, compressions[c]);
        must(satf_image_file_open(ctx, "r.tif", &file));
        assert_int_equal(satf_image_file_pages(file), PAGES);
        for (int i = 0; i < 2 * PAGES; i++) {
            int k = i * 5 % PAGES;
            SCOPED_IMAGE *want = make_page(k);
            must(satf_image_file_read(ctx, file, k + 1, &read));
            same_image(want, read, compressions[c] ? compressions[c] : "default");
            satf_image_destroy(read);
        }
        assert_int_equal(satf_image_file_read(ctx, file, 0, &read), SATF_INVALID);
        assert_int_equal(satf_image_file_read(ctx, file, PAGES + 1, &read), SATF_INVALID);
        assert_non_null(strstr(satf_message(ctx), "has no page 10; it holds 9"));
        satf_image_file_close(file);
    }
}

TEST_ALONE(no_trace)
{
    satf_image_file *file;
    SCOPED_IMAGE *image = make_page(0), *other = make_page(2);
    must(satf_image_file_create(ctx, "gone.tif", 0, NULL, &file));
    assert_int_equal(satf_image_file_finish(ctx, file), SATF_INVALID);
    must(satf_image_file_append(ctx, file, image));
    satf_image_file_close(file);
    assert_int_equal(access("gone.tif", F_OK), -1);

    assert_int_equal(satf_image_file_create(ctx, "x.png", 2, NULL, &file), SATF_UNSUPPORTED);
    assert_int_equal(satf_image_file_create(ctx, "x.tif", -1, NULL, &file), SATF_INVALID);
    must(satf_image_file_create(ctx, "x.npy", 0, NULL, &file));
    assert_int_equal(satf_image_file_append(ctx, file, image), SATF_INVALID);
    assert_int_equal(satf_image_file_append(ctx, file, image), SATF_INVALID); /* it has failed */
    satf_image_file_close(file);

    must(satf_image_file_create(ctx, "x.npy", 2, NULL, &file));
    must(satf_image_file_append(ctx, file, image));
    assert_int_equal(satf_image_file_finish(ctx, file), SATF_INVALID); /* one is missing */
    satf_image_file_close(file);
    must(satf_image_file_create(ctx, "x.npy", 2, NULL, &file));
    must(satf_image_file_append(ctx, file, image));
    must(satf_image_file_append(ctx, file, other));
    assert_int_equal(satf_image_file_finish(ctx, file), SATF_UNSUPPORTED); /* of two shapes */
    satf_image_file_close(file);
    assert_int_equal(access("x.npy", F_OK), -1);
}

/* --------------------------------------------------------------- file to file */

typedef struct told {
    int count, stop_at; /* stop_at: a page, or 0 */
    int64_t page[MOST_TOLD];
    satf_status status[MOST_TOLD];
    char why[MOST_TOLD][80];
} told;

static int take_page(void *user, int64_t page, satf_status status, const char *why,
                     const satf_file_report *report, size_t report_bytes)
{
    told *t = user;
    assert_int_equal(report_bytes, sizeof *report);
    assert_true(t->count < MOST_TOLD);
    assert_true(status || report->pages == 1);
    t->page[t->count] = page;
    t->status[t->count] = status;
    snprintf(t->why[t->count++], sizeof *t->why, "%s", why);
    return t->stop_at == page;
}

static satf_status filter_pages(const char *in, const char *out, const char *spec, int threads,
                                int64_t first, int64_t last, told *pages, satf_file_report *report)
{
    SCOPED_FILTER *filter;
    satf_file_options options;
    must(satf_filter_parse(ctx, spec, &filter));
    must(satf_context_set_threads(ctx, threads));
    satf_file_options_init(&options, sizeof options);
    options.first_page = first;
    options.last_page = last;
    options.page_done = pages ? take_page : NULL;
    options.page_user = pages;
    satf_status status = satf_filter_file(ctx, filter, in, out, &options, report, sizeof *report);
    return status;
}

/* Each page is what satf_image_filter() makes of it, whatever the number of threads. */
static void page_by_page(const char *out, const char *spec, int first, int count)
{
    satf_image_file *file;
    SCOPED_FILTER *filter;
    must(satf_filter_parse(ctx, spec, &filter));
    must(satf_image_file_open(ctx, out, &file));
    assert_int_equal(satf_image_file_pages(file), count);
    for (int i = 0; i < count; i++) {
        SCOPED_IMAGE *in = make_page(first + i), *want, *got;
        char what[64];
        snprintf(what, sizeof what, "%s of page %d", spec, first + i + 1);
        must(satf_image_filter(ctx, filter, in, SATF_TYPE_AUTO, &want));
        must(satf_image_file_read(ctx, file, i + 1, &got));
        same_image(want, got, what);
    }
    satf_image_file_close(file);
}

TEST_ALONE(side_by_side)
{
    static const char *const specs[] = {"box=5", "box=3,border=wrap", "rotate=90 box=3"};
    write_pages("in.tif", 0, PAGES - 1, "none");
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        unsigned char *first = NULL;
        size_t first_bytes = 0;
        for (int threads = 1; threads <= 6; threads++) {
            told pages = {.count = 0};
            satf_file_report report;
            size_t bytes;
            must(filter_pages("in.tif", "out.tif", specs[s], threads, 0, 0, &pages,
                              &report));
            assert_int_equal(report.pages, PAGES);
            assert_int_equal(report.pages_failed, 0);
            assert_int_equal(pages.count, PAGES);
            for (int i = 0; i < PAGES; i++) {
                assert_int_equal(pages.page[i], i + 1);
            }
            unsigned char *got = slurp("out.tif", &bytes);
            if (first && (bytes != first_bytes || memcmp(got, first, bytes) != 0)) {
                fail_msg("%s: %d threads write other bytes", specs[s], threads);
            }
            free(first);
            first = got;
            first_bytes = bytes;
        }
        free(first);
        page_by_page("out.tif", specs[s], 0, PAGES);
    }
}

TEST_ALONE(some_pages)
{
    satf_file_report report;
    write_pages("in.tif", 0, PAGES - 1, NULL);
    must(filter_pages("in.tif", "out.tif", "box=3", 3, 4, 7, NULL, &report));
    page_by_page("out.tif", "box=3", 3, 4);
    must(filter_pages("in.tif", "out.tif", "box=3", 3, 6, -1, NULL, &report));
    page_by_page("out.tif", "box=3", 5, 4);
    must(filter_pages("in.tif", "out.tif", "box=3", 3, 3, 0, NULL, &report));
    page_by_page("out.tif", "box=3", 2, 1);
    must(filter_pages("in.tif", "out.png", "box=3", 3, 0, 0, NULL, &report));
    assert_int_equal(report.note_count, 1);
    assert_non_null(strstr(report.notes[0].text, "holds 9 pages; only the first is read"));
    must(filter_pages("in.tif", "out.png", "box=3", 3, 2, 2, NULL, &report));
    assert_int_equal(report.note_count, 0);
    static const struct {
        const char *out, *words;
        int64_t first, last;
    } wrong[] = {{"out.png", "and png one", 1, 2},        {"no.tif", "has no page 10", 10, 0},
                 {"no.tif", "has no page 12", 3, 12},     {"no.tif", "numbered from 1 on", 3, 2},
                 {"no.tif", "numbered from 1 on", -1, 0}, {"no.tif", "numbered from 1 on", 0, 5}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(filter_pages("in.tif", path(wrong[i].out), "box=3", 2,
                                      wrong[i].first, wrong[i].last, NULL, &report),
                         SATF_INVALID);
        assert_non_null(strstr(satf_message(ctx), wrong[i].words));
    }
    assert_int_equal(access("no.tif", F_OK), -1);
    assert_int_equal(
        filter_pages("in.tif", "no/folder.tif", "box=3", 2, 0, 0, NULL, &report),
        SATF_IO);
}

/* The page's first strip lies behind the end of the file from now on: the k-th offset tag. */
static void damage_page(const char *name, int k)
{
    size_t bytes;
    SCOPED unsigned char *data = slurp(name, &bytes);
    static const unsigned char tag[] = {0x11, 1, 4, 0}; /* StripOffsets, LONG */
    unsigned char *at = data;
    for (int i = 0; i <= k; i++) {
        at = memmem(at + (i > 0), bytes - (size_t)(at + (i > 0) - data), tag, sizeof tag);
        assert_non_null(at);
    }
    assert_int_equal(at[4], 1); /* one strip */
    memset(at + 8, 0x7f, 4);
    FILE *file = fopen(name, "wb");
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

TEST_ALONE(a_damaged_page)
{
    static const int damaged[] = {0, 3, PAGES - 1};
    for (size_t d = 0; d < sizeof damaged / sizeof *damaged; d++) {
        unsigned char *first = NULL;
        size_t first_bytes = 0;
        write_pages("in.tif", 0, PAGES - 1, "none");
        damage_page("in.tif", damaged[d]);
        for (int threads = 1; threads <= 5; threads++) {
            told pages = {.count = 0};
            satf_file_report report;
            size_t bytes;
            unlink("out.tif");
            assert_int_equal(filter_pages("in.tif", "out.tif", "box=3", threads, 0, 0,
                                          NULL, &report),
                             SATF_DATA);
            char number[32];
            snprintf(number, sizeof number, "page %d: ", damaged[d] + 1);
            assert_non_null(strstr(satf_message(ctx), number));
            assert_int_equal(access("out.tif", F_OK), -1);

            must(filter_pages("in.tif", "out.tif", "box=3", threads, 0, 0, &pages,
                              &report));
            assert_int_equal(report.pages, PAGES - 1);
            assert_int_equal(report.pages_failed, 1);
            for (int i = 0; i < PAGES; i++) {
                assert_int_equal(pages.page[i], i + 1);
                assert_int_equal(pages.status[i], i == damaged[d] ? SATF_DATA : SATF_OK);
                assert_int_equal(pages.why[i][0] != 0, i == damaged[d]);
            }
            unsigned char *got = slurp("out.tif", &bytes);
            if (first && (bytes != first_bytes || memcmp(got, first, bytes) != 0)) {
                fail_msg("page %d damaged: %d threads write other bytes", damaged[d], threads);
            }
            free(first);
            first = got;
            first_bytes = bytes;
        }
        free(first);
        if (damaged[d] == 0) {
            page_by_page("out.tif", "box=3", 1, PAGES - 1);
        }
    }
    /* an array has all of them */
    told pages = {.count = 0};
    satf_file_report report;
    write_pages("in.tif", 0, 1, "none");
    damage_page("in.tif", 1);
    unlink("out.npy");
    assert_int_equal(
        filter_pages("in.tif", "out.npy", "box=3", 2, 0, 0, &pages, &report),
        SATF_INVALID);
    assert_int_equal(access("out.npy", F_OK), -1);
    damage_page("in.tif", 0);
    pages.count = 0;
    assert_int_equal(
        filter_pages("in.tif", "no.tif", "box=3", 2, 0, 0, &pages, &report), SATF_DATA);
    assert_non_null(strstr(satf_message(ctx), "no page can be filtered"));
    assert_int_equal(access("no.tif", F_OK), -1);
}

/* What has failed fails again, however often it is asked for, and costs the others nothing. */
TEST_ALONE(asked_again)
{
    satf_image_file *file;
    satf_image *image;
    write_pages("in.tif", 0, 3, "none");
    damage_page("in.tif", 1);
    must(satf_image_file_open(ctx, "in.tif", &file));
    for (int i = 0; i < 6; i++) {
        satf_status status = satf_image_file_read(ctx, file, 2 - i % 2, &image);
        assert_int_equal(status, i % 2 ? SATF_OK : SATF_DATA);
        satf_image_destroy(image);
        assert_int_equal(satf_image_file_read(ctx, file, 2, &image), SATF_DATA);
        assert_non_null(strstr(satf_message(ctx), "a strip is too short"));
    }
    satf_image_file_close(file);

    size_t bytes;
    write_noise("in.png", 60, 50, 3, SATF_U8, 0, 7);
    SCOPED unsigned char *data = slurp("in.png", &bytes);
    data[bytes / 2] ^= 0x55;
    FILE *to = fopen("in.png", "wb");
    assert_int_equal(fwrite(data, 1, bytes, to), bytes);
    assert_int_equal(fclose(to), 0);
    must(satf_image_file_open(ctx, "in.png", &file));
    char first[256];
    for (int i = 0; i < 4; i++) {
        assert_int_equal(satf_image_file_read(ctx, file, 1, &image), SATF_DATA);
        if (i == 0) {
            snprintf(first, sizeof first, "%s", satf_message(ctx));
        }
        assert_string_equal(satf_message(ctx), first);
    }
    satf_image_file_close(file);
}

TEST_ALONE(stopped)
{
    satf_file_report report;
    write_pages("in.tif", 0, PAGES - 1, NULL);
    for (int threads = 1; threads <= 4; threads++) {
        told pages = {.stop_at = 4};
        assert_int_equal(
            filter_pages("in.tif", "no.tif", "box=3", threads, 0, 0, &pages, &report),
            SATF_CANCELLED);
        assert_int_equal(pages.count, 4);
        assert_int_equal(access("no.tif", F_OK), -1);
    }
}

/* A limit that one page keeps, and several together do not: they take turns. */
TEST_ALONE(little_memory)
{
    satf_file_report report;
    size_t bytes, little_bytes;
    write_pages("in.tif", 0, PAGES - 1, NULL);
    must(filter_pages("in.tif", "a.tif", "box=9", 6, 0, 0, NULL, &report));
    must(satf_context_set_limit(ctx, SATF_MAX_MEMORY, 3 << 20));
    must(filter_pages("in.tif", "b.tif", "box=9", 6, 0, 0, NULL, &report));
    SCOPED unsigned char *a = slurp("a.tif", &bytes),
                         *b = slurp("b.tif", &little_bytes);
    assert_int_equal(bytes, little_bytes);
    assert_memory_equal(a, b, bytes);
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
    FILE *file = fopen(to, "wb");
    assert_int_equal(fwrite(header, 1, sizeof header, file), sizeof header);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
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
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        satf_file_report report;
        size_t each = (size_t)(cases[i].width * cases[i].height * cases[i].channels), bytes;
        size_t all = each * (size_t)cases[i].pages;
        must(satf_context_set_axes(ctx, cases[i].axes));
        write_array("in.npy", cases[i].shape, data, all);
        must(filter_pages("in.npy", "out.npy", "flip=h", 3, 0, 0, NULL, &report));
        SCOPED unsigned char *got = slurp("out.npy", &bytes);
        if (!memmem(got, bytes, cases[i].result, strlen(cases[i].result)) || bytes < all) {
            fail_msg("%s became %.120s", cases[i].shape, got + 10);
        }
        const unsigned char *samples = got + bytes - all;
        for (size_t k = 0; k < all; k++) {
            size_t c = k % (size_t)cases[i].channels, x = k / (size_t)cases[i].channels;
            size_t width = (size_t)cases[i].width, row = x / width;
            size_t from = (row * width + width - 1 - x % width) * (size_t)cases[i].channels + c;
            if (samples[k] != data[from]) {
                fail_msg("%s: sample %zu is %d, not %d", cases[i].shape, k, samples[k], data[from]);
            }
        }
    }
    static const char *const wrong[] = {"X",    "XY",    "YXZ",  "YYX", "zyx",
                                        "C YX", "ZYXCC", "YXCZ", "YX ", "ABDEFGHYX"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(satf_context_set_axes(ctx, wrong[i]), SATF_INVALID);
    }
    satf_file_report report;
    must(satf_context_set_axes(ctx, "TZYX"));
    write_array("in.npy", "(5, 6)", data, 30);
    assert_int_equal(filter_pages("in.npy", "no.npy", "box=3", 1, 0, 0, NULL, &report),
                     SATF_INVALID);
    write_array("in.npy", "(2, 3, 5, 6)", data, 179);
    assert_int_equal(filter_pages("in.npy", "no.npy", "box=3", 2, 0, 0, NULL, &report),
                     SATF_DATA);
    assert_int_equal(access("no.npy", F_OK), -1);
}

TEST_FILE(.formats = "all", .context = &ctx, .folder = true)
