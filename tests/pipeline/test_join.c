/* Several inputs into one output: the pages of all of them, in their order. */
#include "test.h"
#include "pipeline_jobs.h"

enum { INPUTS = 5, MOST_PAGES = 3 };

/* Pages that differ in size and type; those of input i are as many. */
static const struct {
    const char *suffix;
    int pages;
    satf_type type;
    int channels;
} inputs[INPUTS] = {{"pgm", 1, SATF_U8, 1},
                    {"tif", MOST_PAGES, SATF_U16, 3},
                    {"png", 1, SATF_U8, 3},
                    {"tif", 2, SATF_U8, 1},
                    {"ppm", 1, SATF_U16, 3}};

static char names[INPUTS][256];

static void write_inputs(void)
{
    assert_int_equal(satf_context_set_formats(ctx, "all"), SATF_OK);
    for (int i = 0; i < INPUTS; i++) {
        satf_image_file *file;
        snprintf(names[i], sizeof names[i], "%s/%d.%s", directory, i, inputs[i].suffix);
        if (inputs[i].pages == 1) {
            write_noise(names[i], 20 + i, 9, inputs[i].channels, inputs[i].type, 0, (uint32_t)i);
            continue;
        }
        assert_int_equal(satf_image_file_create(ctx, names[i], inputs[i].pages, NULL, &file),
                         SATF_OK);
        for (int p = 0; p < inputs[i].pages; p++) {
            SCOPED_IMAGE *image = make_noise(20 + i, 11 + p, inputs[i].channels, inputs[i].type, 0,
                                             (uint32_t)(10 * i + p));
            assert_int_equal(satf_image_file_append(ctx, file, image), SATF_OK);
        }
        assert_int_equal(satf_image_file_finish(ctx, file), SATF_OK);
        satf_image_file_close(file);
    }
}

/* Filters all inputs, in the order of the names, into `to`. */
static satf_status join(const char *const *from, size_t count, const char *to, const char *spec,
                        satf_file_options *how, satf_file_report *report)
{
    SCOPED_FILTER *filter;
    assert_int_equal(satf_filter_parse(ctx, spec, &filter), SATF_OK);
    how->more_inputs = from + 1;
    how->more_count = count - 1;
    satf_status status = satf_filter_file(ctx, filter, from[0], to, how, report, sizeof *report);
    return status;
}

/* The page of an input, filtered by itself, is the same as that page of the output. */
static void check_page(satf_image_file *output, int64_t page, int input, int64_t input_page,
                       const satf_filter *filter)
{
    satf_image_file *file;
    satf_image *in, *want, *got;
    assert_int_equal(satf_image_file_open(ctx, names[input], &file), SATF_OK);
    assert_int_equal(satf_image_file_read(ctx, file, input_page, &in), SATF_OK);
    assert_int_equal(satf_image_filter(ctx, filter, in, SATF_TYPE_AUTO, &want), SATF_OK);
    assert_int_equal(satf_image_file_read(ctx, output, page, &got), SATF_OK);
    const satf_view *a = satf_image_view(want), *b = satf_image_view(got);
    if (a->width != b->width || a->height != b->height || a->type != b->type ||
        a->channels != b->channels) {
        fail_msg("page %d is not page %d of input %d", (int)page, (int)input_page, input);
    }
    for (int64_t y = 0; y < a->height; y++) {
        assert_memory_equal(satf_row(a, y), satf_row(b, y),
                            (size_t)(a->width * satf_pixel_bytes(a)));
    }
    satf_image_destroy(got);
    satf_image_destroy(want);
    satf_image_destroy(in);
    satf_image_file_close(file);
}

TEST_ALONE(all_pages)
{
    if (satf_format_missing("tiff")) {
        skip();
    }
    write_inputs();
    SCOPED_FILTER *box;
    assert_int_equal(satf_filter_parse(ctx, "box=3", &box), SATF_OK);
    const char *from[INPUTS];
    unsigned char *first = NULL;
    size_t first_bytes = 0, bytes;
    for (int i = 0; i < INPUTS; i++) {
        from[i] = names[i];
    }
    for (int threads = 1; threads <= 4; threads++) {
        satf_file_options how;
        satf_file_report report;
        satf_image_file *file;
        satf_file_options_init(&how, sizeof how);
        assert_int_equal(satf_context_set_threads(ctx, threads), SATF_OK);
        if (join(from, INPUTS, path("all.tif"), "box=3", &how, &report)) {
            fail_msg("%s: %s", report.at, satf_message(ctx));
        }
        assert_int_equal(report.pages, 8);
        assert_int_equal(report.pages_failed, 0);
        assert_string_equal(report.in_format, "pnm");
        unsigned char *data = slurp(path("all.tif"), &bytes);
        if (!first) {
            first = data;
            first_bytes = bytes;
            assert_int_equal(satf_image_file_open(ctx, path("all.tif"), &file), SATF_OK);
            assert_int_equal(satf_image_file_pages(file), 8);
            int64_t page = 1;
            for (int i = 0; i < INPUTS; i++) {
                for (int p = 1; p <= inputs[i].pages; p++, page++) {
                    check_page(file, page, i, p, box);
                }
            }
            satf_image_file_close(file);
            continue;
        }
        assert_int_equal(bytes, first_bytes);
        assert_memory_equal(data, first, bytes);
        free(data);
    }
    free(first);
}

/* What pages were told of. */
typedef struct told {
    int64_t number[16], input_page[16];
    char input[16][256], why[16][256];
    satf_status status[16];
    int count;
} told;

static int take_page(void *user, int64_t page, satf_status status, const char *why,
                     const satf_file_report *report, size_t report_bytes)
{
    told *t = user;
    assert_int_equal(report_bytes, sizeof *report);
    t->number[t->count] = page;
    t->status[t->count] = status;
    t->input_page[t->count] = report->input_page;
    snprintf(t->input[t->count], sizeof *t->input, "%s", report->input);
    snprintf(t->why[t->count++], sizeof *t->why, "%s", why);
    return 0;
}

/* Inputs that fail cost the others nothing, and pages are chosen of each. */
TEST_ALONE(failures)
{
    if (satf_format_missing("tiff")) {
        skip();
    }
    write_inputs();
    satf_file_options how;
    satf_file_report report;
    told t = {.count = 0};
    char missing[256];
    snprintf(missing, sizeof missing, "%s/none.png", directory);
    const char *from[] = {missing, names[1], names[0], names[3]};
    satf_file_options_init(&how, sizeof how);
    how.page_done = take_page;
    how.page_user = &t;
    how.first_page = 2;
    how.last_page = -1;
    if (join(from, 4, path("some.tif"), "copy", &how, &report)) {
        fail_msg("%s", satf_message(ctx));
    }
    assert_int_equal(report.pages, 3);
    assert_int_equal(report.pages_failed, 2);
    assert_int_equal(t.count, 5);
    static const int64_t pages[] = {0, 2, 3, 0, 0};
    const char *const of[] = {missing, names[1], names[1], names[0], names[3]};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(t.number[i], i + 1);
        assert_int_equal(t.input_page[i], pages[i]);
        assert_string_equal(t.input[i], of[i]);
    }
    assert_int_equal(t.status[0], SATF_IO);
    assert_int_equal(t.status[3], SATF_INVALID);
    assert_string_equal(t.why[3], "has no page 2; it holds 1");
    how.page_done = NULL; /* then one that fails is the call's failure */
    assert_int_equal(join(from, 4, path("no.tif"), "copy", &how, &report), SATF_IO);
    assert_int_equal(access(path("no.tif"), F_OK), -1);
}

TEST_ALONE(refusals)
{
    write_inputs();
    satf_file_options how;
    satf_file_report report;
    const char *const two[] = {names[0], names[2]}, *const piped[] = {names[0], "-"},
                      *const nothing[] = {names[0], NULL};
    satf_file_options_init(&how, sizeof how);
    assert_int_equal(join(two, 2, path("no.png"), "box=3", &how, &report), SATF_UNSUPPORTED);
    assert_string_equal(satf_message(ctx),
                        "png holds one picture; several inputs go into one .tif, "
                        "or each into a file of its own");
    assert_int_equal(join(piped, 2, path("no.npy"), "box=3", &how, &report), SATF_INVALID);
    assert_int_equal(join(nothing, 2, path("no.npy"), "box=3", &how, &report), SATF_INVALID);
    assert_int_equal(join(two, 2, path("no.npy"), "box=3", &how, &report), SATF_UNSUPPORTED);
    assert_non_null(strstr(satf_message(ctx), "an array has pages of one shape"));
    const char *const same[] = {names[0], names[0]};
    if (join(same, 2, path("yes.npy"), "box=3", &how, &report)) {
        fail_msg("%s", satf_message(ctx));
    }
    assert_int_equal(report.pages, 2);
}

TEST_FILE(.context = &ctx, .folder = true)
