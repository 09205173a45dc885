/* Several inputs into one output: the pages of all of them, in their order. */
#include "test.h"
#include "pipeline_jobs.h"

enum { INPUTS = 5 };

/* Pages that differ in size and type; those of input i are as many. */
static const struct {
    int pages;
    satf_type type;
    int channels;
} inputs[INPUTS] = {
    {1, SATF_U8, 1}, {3, SATF_U16, 3}, {1, SATF_U8, 3}, {2, SATF_U8, 1}, {1, SATF_U16, 3}};
static const char *const names[INPUTS] = {"0.pgm", "1.tif", "2.png", "3.tif", "4.ppm"};

static int of_input; /* whose pages make_page() makes */

static satf_image *make_page(int p)
{
    int i = of_input;
    return make_noise(20 + i, 11 + p, inputs[i].channels, inputs[i].type, 0,
                      (uint32_t)(10 * i + p));
}

static void write_inputs(void)
{
    MUST(ctx, satf_context_set_formats(ctx, "all"));
    for (of_input = 0; of_input < INPUTS; of_input++) {
        if (inputs[of_input].pages == 1) {
            write_image(make_page(0), names[of_input]);
        } else {
            write_pages(names[of_input], make_page, 0, inputs[of_input].pages, NULL);
        }
    }
}

/* All inputs, of which the first is given, and so many more. */
#define ALL(to, spec, from, count, ...)                                      \
    JOB((from)[0], to, spec, SATF_ROUTE_AUTO, .how.more_inputs = (from) + 1, \
        .how.more_count = (count)-1, __VA_ARGS__)

TEST_ALONE(all_pages)
{
    if (satf_format_missing("tiff")) {
        skip();
    }
    write_inputs();
    SCOPED_FILTER *box;
    MUST(ctx, satf_filter_parse(ctx, "box=3", &box));
    for (int threads = 1; threads <= 4; threads++) {
        const char *to = threads == 1 ? "first.tif" : "all.tif";
        must_run(ALL(to, "box=3", names, INPUTS, .threads = threads));
        assert_int_equal(report.pages, 8);
        assert_int_equal(report.pages_failed, 0);
        assert_string_equal(report.in_format, "pnm");
        assert_same_file("first.tif", to, "on more threads");
    }
    satf_image_file *file;
    MUST(ctx, satf_image_file_open(ctx, "all.tif", &file));
    assert_int_equal(satf_image_file_pages(file), 8);
    int64_t page = 1;
    for (of_input = 0; of_input < INPUTS; of_input++) {
        for (int p = 0; p < inputs[of_input].pages; p++) {
            SCOPED_IMAGE *in = make_page(p);
            check_page(file, page++, in, box);
        }
    }
    satf_image_file_close(file);
}

/* What pages should be told of, in their order. */
static const struct {
    const char *input;
    int64_t page;
    satf_status status;
    const char *why; /* part of it */
} told[] = {{"none.png", 0, SATF_IO, ""},
            {"1.tif", 2, SATF_OK, ""},
            {"1.tif", 3, SATF_OK, ""},
            {"0.pgm", 0, SATF_INVALID, "has no page 2; it holds 1"},
            {"3.tif", 0, SATF_OK, ""}};

static int take_page(void *user, int64_t page, satf_status status, const char *why,
                     const satf_file_report *of, size_t report_bytes)
{
    int *taken = user, i = (*taken)++;
    assert_int_equal(report_bytes, sizeof *of);
    assert_in_range(i, 0, COUNT(told) - 1);
    assert_int_equal(page, i + 1);
    assert_int_equal(status, told[i].status);
    assert_int_equal(of->input_page, told[i].page);
    assert_string_equal(of->input, told[i].input);
    assert_non_null(strstr(why, told[i].why));
    return 0;
}

/* Inputs that fail cost the others nothing, and pages are chosen of each. */
TEST_ALONE(failures)
{
    if (satf_format_missing("tiff")) {
        skip();
    }
    static const char *const from[] = {"none.png", "1.tif", "0.pgm", "3.tif"};
    int taken = 0;
    write_inputs();
    must_run(ALL("some.tif", "copy", from, 4, .how.page_done = take_page, .how.page_user = &taken,
                 .how.first_page = 2, .how.last_page = -1));
    assert_int_equal(report.pages, 3);
    assert_int_equal(report.pages_failed, 2);
    assert_int_equal(taken, 5);
    /* without anybody to tell, one that fails is the call's failure */
    must_fail(ALL("no.tif", "copy", from, 4, .how.first_page = 2, .how.last_page = -1), SATF_IO,
              "");
}

TEST_ALONE(refusals)
{
    static const struct {
        const char *from[2], *to;
        satf_status status;
        const char *words;
    } cases[] = {
        {{"0.pgm", "2.png"},
         "no.png",
         SATF_UNSUPPORTED,
         "png holds one picture; several inputs go into one .tif, or each into a file of "
         "its own"},
        {{"0.pgm", "-"}, "no.npy", SATF_INVALID, ""},
        {{"0.pgm", NULL}, "no.npy", SATF_INVALID, ""},
        {{"0.pgm", "2.png"}, "no.npy", SATF_UNSUPPORTED, "an array has pages of one shape"}};
    write_inputs();
    for (size_t i = 0; i < COUNT(cases); i++) {
        must_fail(ALL(cases[i].to, "box=3", cases[i].from, 2, .threads = 2), cases[i].status,
                  cases[i].words);
    }
    static const char *const same[] = {"0.pgm", "0.pgm"};
    must_run(ALL("yes.npy", "box=3", same, 2, .threads = 2));
    assert_int_equal(report.pages, 2);
}

TEST_FILE(.context = &ctx, .folder = true)
