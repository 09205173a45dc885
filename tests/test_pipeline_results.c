/* What becomes of results that are no pictures like their inputs: black and white, and maps. */
#include "pipeline_jobs.h"

/* Edges between black and white are no JPEG's. */
static void black_and_white(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        int type;
        bool has_range, refused;
    } cases[] = {{"sauvola=5", SATF_TYPE_AUTO, false, true},
                 {"box=3 wolf=5 transpose flip=h", SATF_TYPE_AUTO, false, true},
                 {"sauvola=5", SATF_U8, false, false},
                 {"sauvola=5", SATF_TYPE_AUTO, true, false},
                 {"sauvola=5 box=3", SATF_TYPE_AUTO, false, false},
                 {"flip=h", SATF_TYPE_AUTO, false, false}};
    char in[300];
    snprintf(in, sizeof in, "%s", path("in.pgm"));
    write_noise(in, 20, 10, 1, SATF_U8, 0, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int named = 0; named < 2; named++) {
            char out[300];
            satf_filter *filter;
            satf_file_report result;
            satf_write_options write = satf_write_defaults();
            snprintf(out, sizeof out, "%s", path(named ? "bw" : "bw.jpg"));
            write.format = named ? "jpeg" : NULL;
            write.type = cases[i].type;
            write.has_range = cases[i].has_range;
            write.hi = 255;
            satf_file_options options;
            satf_file_options_init(&options, sizeof options);
            options.write = &write;
            assert_int_equal(satf_filter_parse(ctx, cases[i].spec, &filter), SATF_OK);
            satf_status status =
                satf_filter_file(ctx, filter, in, out, &options, &result, sizeof result);
            satf_filter_destroy(filter);
            if (!cases[i].refused) {
                assert_int_equal(status, SATF_OK);
                assert_int_equal(unlink(out), 0);
                continue;
            }
            assert_int_equal(status, SATF_UNSUPPORTED);
            assert_string_equal(satf_message(ctx),
                                "a JPEG blurs black and white; write .png, or u8 for shades of "
                                "grey (option: type)");
            assert_string_equal(result.at, out);
            assert_int_equal(access(out, F_OK), -1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(black_and_white),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
