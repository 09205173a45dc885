/*
 * Algorithm, r, sync and engine are honoured or refused, never ignored: every filter by every
 * algorithm, of integers with the bits of auto, and every call that takes a filter. Which filter
 * does what is read from the table of docs/filters.md.
 */
#include "test.h"

#include "base/view.h"
#include "sat/sat.h"
#include "ways.h"

/* Larger than a block of the staged algorithms, which is 256 x 256 on the CPU. */
enum { W = 277, H = 261, LEAST_FILTERS = 28, LEAST_ALGORITHMS = 6 };

/* What the documentation says of a filter. */
typedef enum promise { HONOURED, ONLY_TABLES, REFUSED, IDLE, UNKNOWN } promise;

#define OTHERS "all others"

static char page[1 << 17];

/* The row that names the filter, or that of all others, and what its other columns begin with. */
static promise promise_of(const char *filter)
{
    char name[64];
    char *row = strstr(page, "## What settings ask for");
    assert_non_null(row);
    for (; (row = strchr(row, '\n')) && strncmp(row, "\n# ", 3) != 0; row++) {
        size_t length = strcspn(row + 1, "\n");
        const char *end = memchr(row + 1, '|', length) ? strchr(row + 2, '|') : NULL;
        snprintf(name, sizeof name, " %s", filter);
        for (const char *at = row;
             end && row[1] == '|' && (at = strstr(at + 1, name)) && at < end;) {
            const char behind = at[strlen(name)];
            if (behind == ',' || behind == ' ') {
                const char *second = strchr(end + 1, '|');
                return strncmp(end, "| refused: they sum ", 20) == 0 ? REFUSED
                       : strncmp(end, "| not minded", 12) == 0       ? IDLE
                       : strncmp(end, "| honoured |", 12) != 0       ? UNKNOWN
                       : strncmp(second, "| honoured", 10) == 0      ? HONOURED
                                                                     : ONLY_TABLES;
            }
        }
    }
    return strcmp(filter, OTHERS) == 0 ? UNKNOWN : promise_of(OTHERS);
}

static int read_page(void **state)
{
    char path[4096];
    const char *source = getenv("top_srcdir");
    (void)state;
    snprintf(path, sizeof path, "%s/docs/filters.md", source ? source : ".");
    FILE *file = fopen(path, "r");
    size_t bytes = file ? fread(page, 1, sizeof page - 1, file) : 0;
    return !file || fclose(file) || bytes == 0 || bytes == sizeof page - 1;
}

/* ----------------------------------------------------------------------- comparisons */

static void expect_refusal(satf_context *ctx, satf_status status, const char *filter,
                           const char *setting, const char *option)
{
    char end[64];
    const char *message = satf_message(ctx), *close = strrchr(message, '(');
    snprintf(end, sizeof end, "(option: %s)", option);
    if (status != SATF_UNSUPPORTED || strncmp(message, filter, strlen(filter)) != 0 ||
        !strstr(message, setting) || !close || strcmp(close, end) != 0) {
        fail_msg("%s by %s: %s, '%s'", filter, setting, satf_status_name(status), message);
    }
}

/* All sums of the plan's steps are made as the settings say, and some step has sums. */
static void check_steps(const satf_plan *plan, const char *filter, const char *engine,
                        const char *algorithm)
{
    satf_used used;
    int sums = 0;
    for (size_t i = 0; satf_plan_step(plan, i, &used, sizeof used); i++) {
        bool none = strcmp(used.engine, "pixel") == 0 || strcmp(used.engine, "mix") == 0 ||
                    strcmp(used.engine, "move") == 0;
        if (!none && (strcmp(used.engine, engine) != 0 ||
                      (algorithm && (!used.algorithm || strcmp(used.algorithm, algorithm) != 0)))) {
            fail_msg("%s by %s %s: step %zu by %s %s", filter, engine, algorithm ? algorithm : "",
                     i, used.engine, used.algorithm ? used.algorithm : "");
        }
        sums += !none;
    }
    if (sums == 0) {
        fail_msg("%s by %s: no step sums anything", filter, engine);
    }
}

/* By what the context is set to, which it can: the bits of integers, and what the report says. */
static void check_honoured(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                           const satf_view *want, const char *name, const char *engine,
                           const char *algorithm)
{
    SCOPED_PLAN *plan;
    SCOPED_VIEW out = view_like(want, 0);
    if (satf_plan_create(ctx, filter, in, 1, &out, 1, &plan) ||
        satf_plan_run(plan, in, 1, &out, 1)) {
        fail_msg("%s by %s %s, which docs/filters.md, \"What settings ask for\", does not say: %s",
                 name, engine, algorithm ? algorithm : "", satf_message(ctx));
    }
    check_steps(plan, name, engine, algorithm);
    if (!satf_type_is_float(in->type) && want->type != SATF_F32) { /* whose sums are an engine's */
        require_same(name, algorithm ? algorithm : engine, &out, want);
    }
}

/* Of floats no tables may be read where the samples say which window counts. */
static bool may_refuse(const char *name, const satf_view *in)
{
    filter_over over = filter_last(filter_info_find(name))->over;
    return satf_type_is_float(in->type) && (over == OVER_LEAST || over == OVER_SIDES);
}

static void check_setting(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                          const satf_view *want, const char *name, const char *engine,
                          const char *algorithm)
{
    char setting[64];
    const char *option = algorithm ? "algorithm" : "engine";
    promise promised = promise_of(name);
    SCOPED_VIEW out = view_like(want, 0);
    snprintf(setting, sizeof setting, "%s %s", option, algorithm ? algorithm : engine);
    satf_status status = satf_filter_apply(ctx, filter, in, &out);
    bool refuses = promised == REFUSED || promised == IDLE ||
                   (promised == ONLY_TABLES && strcmp(engine, "window") == 0);
    if (refuses || (status && may_refuse(name, in))) {
        expect_refusal(ctx, status, name, setting, option);
    } else {
        assert_int_equal(promised == UNKNOWN, false);
        check_honoured(ctx, filter, in, want, name, engine, algorithm);
    }
}

/* Beside a mean, what sums nothing does not mind, and what sums something else refuses. */
static void check_beside(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                         const char *name, const char *algorithm)
{
    SCOPED_FILTER *chain = parse_filter(ctx, "flip=h"), *box = parse_filter(ctx, "box=5x4");
    promise promised = promise_of(name);
    MUST(ctx, satf_filter_append(ctx, chain, filter));
    MUST(ctx, satf_filter_append(ctx, chain, box));
    if (promised == IDLE || promised == REFUSED) {
        MUST(ctx, satf_context_set_algorithm(ctx, "auto"));
        SCOPED_VIEW want = result_of(ctx, chain, in), got = view_like(&want, 0);
        MUST(ctx, satf_context_set_algorithm(ctx, algorithm));
        if (promised == IDLE) {
            check_honoured(ctx, chain, in, &want, name, "sat", algorithm);
        } else {
            expect_refusal(ctx, satf_filter_apply(ctx, chain, in, &got), name, algorithm,
                           "algorithm");
        }
    }
}

/* ------------------------------------------------------------------------- the product */

static int check_algorithms(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                            const satf_view *want, const char *name)
{
    const char *algorithm, *device;
    int count = 0;
    for (size_t i = 0; (algorithm = satf_algorithm(i, &device, NULL)); i++) {
        MUST(ctx, satf_context_set_algorithm(ctx, algorithm));
        if (strcmp(device, "cpu") == 0) {
            check_setting(ctx, filter, in, want, name, "sat", algorithm);
            check_beside(ctx, filter, in, name, algorithm);
            count++;
        } else if (!sat_algorithm_find(algorithm, "cpu")) {
            SCOPED_VIEW out = view_like(want, 0);
            expect(ctx, satf_filter_apply(ctx, filter, in, &out), SATF_UNSUPPORTED, algorithm);
        }
    }
    MUST(ctx, satf_context_set_algorithm(ctx, "auto"));
    return count;
}

static void check_filter(satf_context *ctx, const filter_info *info, int type, int channels,
                         int border)
{
    SCOPED_VIEW in = draw_image(W, H, channels, type, channels == 4, 3, (uint64_t)type);
    SCOPED_FILTER *filter = make_filter_of(ctx, info, border, "9x6", "1:-2", W, H);
    SCOPED_VIEW want = result_of(ctx, filter, &in);
    assert_true(check_algorithms(ctx, filter, &in, &want, info->name) >= LEAST_ALGORITHMS);
    for (int engine = SATF_ENGINE_SAT; engine <= SATF_ENGINE_WINDOW; engine++) {
        bool tables = engine == SATF_ENGINE_SAT;
        bool floats = satf_type_is_float(type) && filter_last(info)->over == OVER_CHOICE;
        MUST(ctx, satf_context_set_engine(ctx, (satf_engine)engine));
        if (tables || !floats) { /* of which there may be marching sums */
            check_setting(ctx, filter, &in, &want, info->name, tables ? "sat" : "window", NULL);
        }
    }
    MUST(ctx, satf_context_set_engine(ctx, SATF_ENGINE_AUTO));
}

TEST(test_every_filter)
{
    static const int types[] = {SATF_U8, SATF_U16, SATF_F32}, channels[] = {1, 3, 4};
    const filter_info *info;
    int filters = 0;
    satf_context_set_threads(ctx, 2);
    for (size_t i = 0; (info = filter_info_at(i)); i++, filters++) {
        for (int t = 0; t < 3; t++) {
            check_filter(ctx, info, types[t], channels[((size_t)t + i) % 3],
                         (int)(i + 2 * (size_t)t) % (SATF_BORDER_SHRINK + 1));
        }
    }
    assert_true(filters >= LEAST_FILTERS);
}

/* ---------------------------------------------------------------------------- r and sync */

TEST(test_parameters)
{
    SCOPED_VIEW in = draw_bytes(W, H, 1, SATF_U8, 0, 1), want = made_by(ctx, "box=9", &in);
    SCOPED_VIEW out = view_like(&want, 0);
    SCOPED_FILTER *box = parse_filter(ctx, "box=9"), *gauss = parse_filter(ctx, "gauss=2");
    SCOPED_FILTER *turn = parse_filter(ctx, "flip=v");
    MUST(ctx, satf_context_set_r(ctx, 0.5));
    expect(ctx, satf_filter_apply(ctx, box, &in, &out), SATF_UNSUPPORTED,
           "r = 0.5 cannot be honoured");
    expect(ctx, satf_filter_apply(ctx, gauss, &in, &out), SATF_UNSUPPORTED, "(option: r)");
    expect(ctx, satf_filter_apply(ctx, turn, &in, &out), SATF_UNSUPPORTED, "(option: r)");
    MUST(ctx, satf_context_set_algorithm(ctx, "2r1w"));
    expect(ctx, satf_filter_apply(ctx, box, &in, &out), SATF_UNSUPPORTED,
           "algorithm 2r1w has none");
    MUST(ctx, satf_context_set_algorithm(ctx, "1+r"));
    check_honoured(ctx, box, &in, &want, "box", "sat", "1+r");
    MUST(ctx, satf_context_set_r(ctx, 0));
    MUST(ctx, satf_context_set_algorithm(ctx, "auto"));
    MUST(ctx, satf_context_set_sync(ctx, "coop"));
    expect(ctx, satf_filter_apply(ctx, box, &in, &out), SATF_UNSUPPORTED,
           "sync coop cannot be honoured");
    expect(ctx, satf_filter_apply(ctx, gauss, &in, &out), SATF_UNSUPPORTED, "(option: sync)");
    MUST(ctx, satf_context_set_sync(ctx, "auto"));
    MUST(ctx, satf_context_set_engine(ctx, SATF_ENGINE_WINDOW));
    MUST(ctx, satf_context_set_algorithm(ctx, "blocked"));
    expect(ctx, satf_filter_apply(ctx, box, &in, &out), SATF_UNSUPPORTED,
           "the window engine builds no table");
}

/* -------------------------------------------------------------------------- every call */

enum { SIDE = 24 };
static const char pgm_head[] = "P5\n24 24\n255\n";
static uint8_t file[sizeof pgm_head - 1 + SIDE * SIDE], results[SIDE * SIDE];

static int64_t read_file(void *user, void *data, size_t n)
{
    size_t *at = user, left = sizeof file - *at;
    n = n < left ? n : left;
    memcpy(data, file + *at, n);
    *at += n;
    return (int64_t)n;
}

static int64_t write_nowhere(void *user, const void *data, size_t n)
{
    (void)user, (void)data;
    return (int64_t)n;
}

static satf_status filter_file(satf_context *ctx, const satf_filter *filter, satf_route route)
{
    size_t at = 0;
    satf_file_calls in, out;
    satf_file_options options;
    satf_file_options_init(&options, sizeof options);
    satf_file_calls_init(&in, sizeof in);
    satf_file_calls_init(&out, sizeof out);
    in.user = &at;
    in.read = read_file;
    out.write = write_nowhere;
    options.input_calls = &in;
    options.output_calls = &out;
    options.route = route;
    return satf_filter_file(ctx, filter, "in.pgm", "out.pgm", &options, NULL, 0);
}

static satf_status call(satf_context *ctx, const satf_filter *filter, int number)
{
    satf_view in = satf_view_packed(file + sizeof pgm_head - 1, SIDE, SIDE, 1, SATF_U8);
    satf_view out = satf_view_packed(results, SIDE, SIDE, 1, SATF_U8), part = out;
    satf_rect where = {3, 2, 7, 9};
    size_t bytes;
    SCOPED_PLAN *plan = NULL;
    SCOPED_IMAGE *image = NULL, *made = NULL;
    part.width = where.w;
    part.height = where.h;
    switch (number) {
    case 0:
        return satf_filter_apply(ctx, filter, &in, &out);
    case 1:
        return satf_filter_apply_rect(ctx, filter, &in, &where, &part);
    case 2:
        return satf_filter_scratch(ctx, filter, &in, &out, &bytes);
    case 3:
        return satf_filter_apply_stack(ctx, filter, &in, 0, &out, 0, 1);
    case 4:
        return satf_plan_create(ctx, filter, &in, 1, &out, 1, &plan);
    case 5:
        MUST(ctx, satf_image_wrap(ctx, &in, &image));
        return satf_filter_image(ctx, filter, image, SATF_TYPE_AUTO, &made);
    case 6:
        return filter_file(ctx, filter, SATF_ROUTE_AUTO);
    case 7:
        return filter_file(ctx, filter, SATF_ROUTE_WHOLE);
    default:
        return satf_filter_check_engine(ctx, filter);
    }
}

/* What is refused is refused by every call, also after one that was not; so is it by rows. */
TEST(test_calls)
{
    static const char *const chains[] = {"flip=h gauss=2", "flip=v", "flip=h box=5 rotate=180"};
    satf_rows *rows;
    satf_view view = satf_view_packed(NULL, SIDE, SIDE, 1, SATF_U8);
    memcpy(file, pgm_head, sizeof pgm_head - 1);
    for (int number = 0; number <= 8; number++) {
        for (int k = 0; k < 3; k++) {
            SCOPED_FILTER *filter = parse_filter(ctx, chains[k]);
            MUST(ctx, satf_context_set_algorithm(ctx, "auto"));
            MUST(ctx, call(ctx, filter, number));
            MUST(ctx, satf_context_set_algorithm(ctx, "1+r"));
            satf_status status = call(ctx, filter, number);
            if (k < 2) {
                expect_refusal(ctx, status, k ? "flip" : "gauss", "algorithm 1+r", "algorithm");
                status = satf_rows_open(ctx, filter, &view, &view, &rows);
                expect_refusal(ctx, status, k ? "flip" : "gauss", "algorithm 1+r", "algorithm");
            } else {
                MUST(ctx, status);
            }
        }
    }
    SCOPED_FILTER *box = parse_filter(ctx, "box=3");
    expect(ctx, satf_rows_open(ctx, box, &view, &view, &rows), SATF_UNSUPPORTED,
           "needs the whole picture");
}

/* By rows an integral is made in the reference's order, and in no other. */
TEST(test_integral_by_rows)
{
    SCOPED_FILTER *integral = parse_filter(ctx, "integral");
    satf_view in = satf_view_packed(NULL, SIDE, SIDE, 1, SATF_U8), out = in;
    satf_rows *rows;
    satf_used used;
    out = satf_view_packed(NULL, SIDE, SIDE, 1, SATF_U32);
    for (int k = 0; k < 2; k++) {
        MUST(ctx, satf_context_set_algorithm(ctx, k ? "reference" : "auto"));
        MUST(ctx, satf_rows_open(ctx, integral, &in, &out, &rows));
        satf_context_used(ctx, &used, sizeof used);
        assert_string_equal(used.algorithm, "reference");
        satf_rows_close(rows);
        MUST(ctx, satf_context_set_r(ctx, 0.5));
        assert_int_equal(satf_rows_open(ctx, integral, &in, &out, &rows), SATF_UNSUPPORTED);
        MUST(ctx, satf_context_set_r(ctx, 0));
    }
    MUST(ctx, satf_context_set_algorithm(ctx, "2r1w"));
    expect(ctx, satf_rows_open(ctx, integral, &in, &out, &rows), SATF_UNSUPPORTED,
           "needs the whole picture");
}

TEST_FILE(.begin = read_page)
