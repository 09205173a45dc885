/* A file's filters are planned once, whatever way the picture goes. */
#include "test.h"

#include "plan/step.h"
#include "filter_make.h"

static int planned;

__typeof__(filter_step_plan) __real_filter_step_plan, __wrap_filter_step_plan;
satf_status __wrap_filter_step_plan(satf_context *ctx, filter_step *step)
{
    planned++;
    return __real_filter_step_plan(ctx, step);
}

static void write_picture(const char *path)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "P5 64 48 255\n");
    for (int i = 0; i < 64 * 48; i++) {
        putc(i * i % 251, file);
    }
    assert_int_equal(fclose(file), 0);
}

typedef struct plans_case {
    const char *filters;
    satf_route route;
    int steps;
    bool by_rows;
} plans_case;

TEST(steps_are_planned_once)
{
    static const plans_case cases[] = {
        {"box=15", SATF_ROUTE_AUTO, 1, true},
        {"box=15", SATF_ROUTE_WHOLE, 1, false},
        {"box=3 sauvola=15", SATF_ROUTE_AUTO, 2, true},
        {"box=3 unsharp=5 box=9", SATF_ROUTE_WHOLE, 3, false},
        {"wolf=15", SATF_ROUTE_AUTO, 1, false},
        {"guided=9", SATF_ROUTE_WHOLE, 3, false},
        {"guided=9", SATF_ROUTE_ROWS, 3, true},
    };
    char in[100], out[100];
    strcpy(in, "in.pgm");
    strcpy(out, "out.pgm");
    write_picture(in);
    for (int device = 0; device < 2; device++) {
        satf_context_set_device(ctx, device ? SATF_HOST : SATF_DEVICE_AUTO);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const plans_case *c = &cases[i];
            SCOPED_FILTER *filter = parse_filter(ctx, c->filters);
            satf_file_options options = {.bytes = sizeof options, .route = c->route};
            satf_file_report report;
            planned = 0;
            satf_context_forget(ctx);
            if (satf_filter_file(ctx, filter, in, out, &options, &report, sizeof report)) {
                fail_msg("%s: %s", c->filters, satf_message(ctx));
            }
            assert_int_equal(report.streamed, c->by_rows);
            if (planned != c->steps) {
                fail_msg("%s: %d steps are planned, %d run", c->filters, planned, c->steps);
            }
        }
    }
    unlink(in);
    unlink(out);
}

TEST_FILE(.folder = true)
