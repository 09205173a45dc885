/* Second inputs: those that filters keep, of files or of memory, and those of plans. What guided,
 * by and varbox make of them is said in their own files. */
#include "test.h"

#include "filter_make.h"
#include "model.h"

enum { W = 20, H = 12, PIXELS = W * H };

static uint8_t pictures[3][PIXELS]; /* an input, and two that files have */

static void write_files(void)
{
    for (int i = 0; i < PIXELS; i++) {
        pictures[0][i] = (uint8_t)(i * 37);
        pictures[1][i] = (uint8_t)(i % W < 10 ? 2 : 200);
        pictures[2][i] = (uint8_t)(100 + i % W * 5);
    }
    for (int k = 1; k < 3; k++) {
        FILE *file = fopen(k == 1 ? "a.pgm" : "b.pgm", "wb");
        fprintf(file, "P5\n%d %d\n255\n", W, H);
        assert_int_equal(fwrite(pictures[k], 1, PIXELS, file), PIXELS);
        fclose(file);
    }
}

static satf_view picture(const uint8_t *pixels)
{
    return satf_view_packed((void *)(uintptr_t)pixels, W, H, 1, SATF_U8);
}

static void apply(satf_context *ctx, const satf_filter *filter, const uint8_t *in, uint8_t *out)
{
    satf_view from = picture(in), to = picture(out);
    MUST(ctx, satf_filter_apply(ctx, filter, &from, &to));
}

/* A filter without its image yet. setting: "key=value", or NULL. */
static satf_filter *make(satf_context *ctx, const char *name, const char *setting)
{
    satf_filter *filter;
    char key[20];
    MUST(ctx, satf_filter_create(ctx, name, &filter));
    if (setting) {
        snprintf(key, sizeof key, "%.*s", (int)strcspn(setting, "="), setting);
        MUST(ctx, satf_filter_set(ctx, filter, key, strchr(setting, '=') + 1));
    }
    return filter;
}

/* A file's image and the same from memory, which is copied, are alike. */
TEST(test_files)
{
    static const struct {
        const char *name, *setting, *spec;
    } filters[] = {{"guided", "size=5", "guided=5,guide=a.pgm"},
                   {"by", "op=sub", "by=a.pgm,op=sub"},
                   {"varbox", NULL, "varbox=a.pgm"}};
    for (int k = 0; k < 3; k++) {
        uint8_t copy[PIXELS], got[2][PIXELS];
        write_files();
        SCOPED_FILTER *file = parse_filter(ctx, filters[k].spec), *none;
        SCOPED_FILTER *memory = make(ctx, filters[k].name, filters[k].setting);
        satf_view other = picture(memcpy(copy, pictures[1], PIXELS));
        MUST(ctx, satf_filter_set_image(ctx, memory, &other));
        memset(copy, 9, PIXELS);
        apply(ctx, file, pictures[0], got[0]);
        apply(ctx, memory, pictures[0], got[1]);
        assert_memory_equal(got[0], got[1], PIXELS);

        satf_view small = picture(pictures[0]), out = picture(got[0]);
        small.width = out.width = W - 1;
        expect(ctx, satf_filter_apply(ctx, file, &small, &small), SATF_INVALID, "overlap");
        expect(ctx, satf_filter_apply(ctx, file, &small, &out), SATF_INVALID,
               "a.pgm is 20 x 12 of 1 u8; it must be 19 x 12 of 1 ");
        expect(ctx, satf_filter_apply(ctx, memory, &small, &out), SATF_INVALID,
               "the auxiliary input is 20 x 12 of 1 u8; it must be 19 x 12 of 1 ");
        satf_context_set_filter_files(ctx, 0);
        expect(ctx, satf_filter_parse(ctx, filters[k].spec, &none), SATF_LIMIT,
               "may not be read here");
        satf_context_set_filter_files(ctx, 1);
        unlink("a.pgm");
        expect(ctx, satf_filter_parse(ctx, filters[k].spec, &none), SATF_IO, "a.pgm");
    }
}

/* Each filter of a chain has its own image, or none: as one after the other, as a text and joined.
 */
TEST(test_chains)
{
    static const struct {
        const char *spec, *printed;
    } steps[] = {{"guided=5", "guided=5"},
                 {"guided=5,guide=a.pgm", "guided=5,guide=FILE"},
                 {"guided=5,guide=b.pgm", "guided=5,guide=FILE"},
                 {"by=a.pgm,op=sub", "by=FILE,op=sub"},
                 {"by=b.pgm,op=div,scale=auto", "by=FILE,op=div,scale=auto"}};
    write_files();
    for (int k = 0; k < 5 * 5; k++) {
        int first = k % 5, second = k / 5;
        char spec[100], printed[100], want_printed[100];
        uint8_t between[2][PIXELS], want[PIXELS], got[PIXELS];
        snprintf(spec, sizeof spec, "%s %s box=3", steps[first].spec, steps[second].spec);
        SCOPED_FILTER *text = parse_filter(ctx, spec), *box = parse_filter(ctx, "box=3");
        SCOPED_FILTER *one = parse_filter(ctx, steps[first].spec);
        SCOPED_FILTER *two = parse_filter(ctx, steps[second].spec);
        apply(ctx, one, pictures[0], between[0]);
        apply(ctx, two, between[0], between[1]);
        apply(ctx, box, between[1], want);
        apply(ctx, text, pictures[0], got);
        assert_memory_equal(got, want, PIXELS);
        MUST(ctx, satf_filter_append(ctx, one, two));
        MUST(ctx, satf_filter_append(ctx, one, box));
        apply(ctx, one, pictures[0], got);
        assert_memory_equal(got, want, PIXELS);
        satf_filter_print(one, printed, sizeof printed);
        snprintf(want_printed, sizeof want_printed, "%s %s box=3", steps[first].printed,
                 steps[second].printed);
        assert_string_equal(printed, want_printed);
    }
}

/* ------------------------------------------------------------------------------- refusals */

/* Such as "8x6x4 u16 alpha": width, height, channels; "device": memory of one. */
static satf_view view_of(const char *text, void *data)
{
    int width = 0, height = 0, channels = 0, type = 0;
    char name[8];
    assert_int_equal(sscanf(text, "%dx%dx%d %7s", &width, &height, &channels, name), 4);
    while (strcmp(satf_type_name((satf_type)type), name)) {
        type++;
    }
    satf_view view = satf_view_packed(data, width, height, channels, (satf_type)type);
    view.flags = strstr(text, "alpha") ? SATF_ALPHA : 0;
    view.device = strstr(text, "device") ? SATF_CUDA(0) : SATF_HOST;
    return view;
}

/* What is said of an input and a second one, or of none. */
typedef struct refusal {
    const char *name, *setting, *in, *other, *part;
} refusal;

static const refusal kept[] = {
    {"box", NULL, "8x6x1 u8", "8x6x1 u8", "box takes no auxiliary input"},
    {"by", NULL, "8x6x1 u8", NULL, "by has no auxiliary input yet"},
    {"by", NULL, "8x6x1 u8", "8x5x1 u8",
     "the auxiliary input is 8 x 5 of 1 u8; it must be 8 x 6 of 1 channel, as the input, alpha not "
     "counted"},
    {"by", NULL, "8x6x1 u8", "7x6x1 u8", "is 7 x 6 of 1 u8"},
    {"by", NULL, "8x6x3 u8", "8x6x2 u16",
     "is 8 x 6 of 2 u16; it must be 8 x 6 of 3 channels, as the input, or of 1, alpha"},
    {"by", NULL, "8x6x4 u8 alpha", "8x6x2 u16", "must be 8 x 6 of 3 channels"},
    {"by", NULL, "8x6x1 u8", "8x6x4 u16 alpha",
     "is 8 x 6 of 3 u16 and alpha; it must be 8 x 6 of 1 channel,"},
    {"varbox", NULL, "4x3x1 u8", NULL, "auxiliary input"},
    {"varbox", NULL, "4x3x1 u8", "3x3x1 u8", "is 3 x 3"},
    {"varbox", "border=valid", "4x3x1 u8", "4x3x1 u8", "windows of many sizes"},
    {"guided", NULL, "20x12x1 u8", "20x12x3 u8",
     "is 20 x 12 of 3 u8; it must be 20 x 12 of 1 u8, as the input, or RGB of any depth with "
     "colour"},
    {"guided", NULL, "8x8x3 u8", "8x8x2 u8",
     "of 2 u8; it must be 8 x 8 of 3 u8, as the input, or of 1 channel"},
    {"guided", "colour=on", "8x8x1 u8", "8x7x3 u8",
     "is 8 x 7 of 3 u8; of colour it must be 8 x 8, as the input"},
    {"guided", "guide_full=100", "8x8x1 u8", NULL,
     "guide_full of guided is the full scale of its guide, which is not given"},
};

static const refusal planned[] = {
    {"box", NULL, "8x8x1 u8", "8x8x1 u8", "the filter has one"},
    {"guided", NULL, "8x8x1 u8", "8x8x1 u8 device", "both inputs must be on one device"},
    {"guided", NULL, "8x8x1 u8", "8x7x1 u8", "must be 8 x 8"},
    {"guided", NULL, "8x8x3 u8", "8x8x1 u8", "of 1 u8; it must be 8 x 8 of 3 u8, as the input"},
    {"guided", NULL, "8x8x1 u8", "8x8x3 u8", "of 3 u8; it must be 8 x 8 of 1 u8"},
    {"by", NULL, "8x6x1 u8", "8x6x1 u64", "second input is of u8, u16, f32 or f64"},
    {"by", NULL, "8x6x2 u8", "8x6x2 u8 alpha", "of 1 u8 and alpha; it must be 8 x 6 of 2 channels"},
    {"by", "scale=auto", "8x6x1 u8", "8x6x1 u8",
     "by takes the mean of the auxiliary input, which the filter has to keep"},
};

TEST(test_refusals)
{
    static double zeros[PIXELS * 3], out[PIXELS * 3];
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) {
        const refusal *r = &kept[k];
        SCOPED_FILTER *filter = make(ctx, r->name, r->setting);
        satf_view in = view_of(r->in, zeros), other, to = in;
        to.data = memset(out, 7, sizeof out);
        satf_status status = SATF_OK;
        if (r->other) {
            other = view_of(r->other, zeros);
            status = satf_filter_set_image(ctx, filter, &other);
        }
        status = status ? status : satf_filter_apply(ctx, filter, &in, &to);
        expect(ctx, status, SATF_INVALID, r->part);
        assert_int_equal(*(uint8_t *)out, 7);
    }
    for (size_t k = 0; k < sizeof planned / sizeof *planned; k++) {
        const refusal *r = &planned[k];
        SCOPED_FILTER *filter = make(ctx, r->name, r->setting);
        satf_view inputs[2] = {view_of(r->in, zeros), view_of(r->other, zeros)}, to = inputs[0];
        satf_plan *plan;
        to.data = out;
        bool cannot = r->setting || strstr(r->other, "u64");
        expect(ctx, satf_plan_create(ctx, filter, inputs, 2, &to, 1, &plan),
               cannot ? SATF_UNSUPPORTED : SATF_INVALID, r->part);
    }
}

/* One that the filter keeps may have any type. */
TEST(test_types)
{
    static double zeros[48], out[48];
    satf_view in = view_of("8x6x1 u8", zeros), other = view_of("8x6x1 u64", zeros), to = in;
    SCOPED_FILTER *by = make(ctx, "by", NULL), *varbox = make(ctx, "varbox", NULL);
    to.data = out;
    MUST(ctx, satf_filter_set_image(ctx, by, &other));
    MUST(ctx, satf_filter_apply(ctx, by, &in, &to));
    MUST(ctx, satf_filter_set_image(ctx, varbox, &other));
    MUST(ctx, satf_filter_apply(ctx, varbox, &in, &to));
}

/* What a plan of two says of others than it was made for. */
TEST(test_plan)
{
    uint8_t in[64], out[64];
    SCOPED_FILTER *guided = parse_filter(ctx, "guided=3");
    SCOPED_PLAN *plan;
    satf_view view = satf_view_packed(in, 8, 8, 1, SATF_U8), inputs[2] = {view, view};
    satf_view result = view;
    MUST(ctx, satf_plan_create(ctx, guided, inputs, 2, &result, 1, &plan));
    result.data = out;
    expect(ctx, satf_plan_run(plan, inputs, 1, &result, 1), SATF_INVALID, "made for 2 and 1");
    inputs[1].data = NULL;
    expect(ctx, satf_plan_run(plan, inputs, 2, &result, 1), SATF_INVALID,
           "second input is missing");
    inputs[1].data = out;
    expect(ctx, satf_plan_run(plan, inputs, 2, &result, 1), SATF_INVALID, "overlaps");
    inputs[1].channels = 2;
    expect(ctx, satf_plan_run(plan, inputs, 2, &result, 1), SATF_INVALID,
           "second input is not like the view");
    satf_plan_info info;
    satf_plan_describe(plan, &info, sizeof info);
    assert_int_equal(info.steps, 6); /* slopes and offsets are made by one */
}

/* A MAP that comes beside the input may have any radius; by looks at one pixel. */
TEST(test_reach)
{
    for (int k = 0; k < 2; k++) {
        SCOPED_FILTER *filter = make(ctx, k ? "by" : "varbox", NULL);
        int64_t reach[4], want = k ? 0 : INT64_MAX;
        MUST(ctx, satf_filter_reach(ctx, filter, &reach[0], &reach[1], &reach[2], &reach[3]));
        for (int i = 0; i < 4; i++) {
            assert_int_equal(reach[i], want);
        }
    }
}

TEST_FILE(.shared = true, .folder = true)
