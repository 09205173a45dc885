/* The full scale travels with a picture: into formulas, saturation, guides, and through chains. */
#include "test.h"

#include "base/cpu.h"
#include "chain/params.h"
#include "filter_scale.h"

TEST(test_law)
{
    static const char *const names[] = {"any engine", "tables", "marching sums"};
    for (int isa = 0; isa < SATF_ISA_COUNT; isa++) {
        satf_cpu_limit((satf_isa)isa);
        for (int engine = SATF_ENGINE_AUTO; engine <= SATF_ENGINE_WINDOW; engine++) {
            satf_context_set_engine(ctx, (satf_engine)engine);
            assert_true(scale_check_all(ctx, names[engine], engine == SATF_ENGINE_AUTO) > 0);
        }
    }
    satf_cpu_limit(SATF_ISA_COUNT);
}

/* With windows of 5 x 5, and that value of a parameter. */
static satf_view apply_with(satf_context *ctx, const filter_info *info, const char *name,
                            double value, const satf_view *in)
{
    char text[40];
    SCOPED_FILTER *filter =
        make_filter_of(ctx, info, SATF_BORDER_CLAMP, "5", "0:0", SCALE_W, SCALE_H);
    snprintf(text, sizeof text, "%.17g", value);
    MUST(ctx, satf_filter_set(ctx, filter, name, text));
    return result_of(ctx, filter, in);
}

static bool are_same(const satf_view *a, const satf_view *b)
{
    return memcmp(a->data, b->data, (size_t)(a->stride * a->height)) == 0;
}

/* full=M says what the picture does not, for each filter that asks for it; and no more than the
 * picture's counts. */
TEST(test_parameter)
{
    static scale_picture p;
    const filter_info *info;
    int found = 0;
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        if (filter_param_of_kind(info, PARAM_FULL)) {
            scale_draw(&p, 0, 4095, 1, 5);
            SCOPED_VIEW said = apply_with(ctx, info, "full", 0, &p.view);
            SCOPED_VIEW more = apply_with(ctx, info, "full", 5000, &p.view);
            p.view.full = 0;
            SCOPED_VIEW told = apply_with(ctx, info, "full", 4095, &p.view);
            SCOPED_VIEW plain = apply_with(ctx, info, "full", 0, &p.view);
            require_same(info->name, "full=5000", &more, &said);
            require_same(info->name, "full=4095", &told, &said);
            assert_false(are_same(&plain, &said));
            found++;
        }
    }
    assert_true(found >= 3);
}

/* What saturates does so at the full scale between filters, too, which moved pixels keep. */
TEST(test_chain)
{
    static scale_picture p;
    scale_draw(&p, 2, 15, 1, 9);
    SCOPED_VIEW got =
        made_by(ctx, "rotate=90 unsharp=5,amount=100 transpose unsharp=3,amount=20", &p.view);
    SCOPED_VIEW mean = made_by(ctx, "unsharp=5 box=3", &p.view);
    SCOPED_VIEW variance = made_by(ctx, "unsharp=5 variance=3", &p.view);
    double most = 0;
    for (int i = 0; i < SCALE_W * SCALE_H * 3; i++) {
        most = fmax(most, sample_at(&got, 0, i));
    }
    assert_true(most == 15 && mean.full == 15 && variance.full == 0);
}

/* A constant beyond the border that is above full=M has a sample in the guide, too: so bytes give
 * what the same samples of 16 bits do. */
TEST(test_constant_above)
{
    static const double in[6] = {4, 2, 90, 0, 3, 4}, aux[6] = {9, 80, 100, 0, 1, 50};
    double got[2][6];
    for (int wide = 0; wide <= 1; wide++) {
        satf_view like = satf_view_packed(NULL, 3, 2, 1, wide ? SATF_U16 : SATF_U8);
        SCOPED_VIEW view = view_like(&like, 0), guide = view_like(&like, 0);
        for (int i = 0; i < 6; i++) {
            put_at(&view, 0, i, in[i]);
            put_at(&guide, 0, i, aux[i]);
        }
        guide.full = 100;
        SCOPED_FILTER *filter = parse_filter(ctx, "guided=3x2,full=4,border=constant:91");
        MUST(ctx, satf_filter_set_image(ctx, filter, &guide));
        SCOPED_VIEW out = result_of(ctx, filter, &view);
        for (int i = 0; i < 6; i++) {
            got[wide][i] = sample_at(&out, 0, i);
        }
    }
    assert_memory_equal(got[0], got[1], sizeof got[0]);
}

/* Floats that say nothing have 1, and levels of their own; what they say counts. */
TEST(test_floats)
{
    static double in[SCALE_W * SCALE_H];
    uint64_t seed = 3;
    satf_view view = satf_view_packed(in, SCALE_W, SCALE_H, 1, SATF_F64);
    for (int i = 0; i < SCALE_W * SCALE_H; i++) {
        in[i] = (double)(ref_random(&seed) % 1000) / 1000;
    }
    SCOPED_VIEW unit = made_by(ctx, "guided=5", &view);
    view.full = 1;
    SCOPED_VIEW white = made_by(ctx, "sauvola=5", &view);
    for (int i = 0; i < SCALE_W * SCALE_H; i++) {
        in[i] *= 4096;
    }
    view.full = 4096;
    SCOPED_VIEW large = made_by(ctx, "guided=5", &view), more = made_by(ctx, "sauvola=5", &view);
    require_same("sauvola=5", "of 4096", &more, &white);
    for (int i = 0; i < SCALE_W * SCALE_H; i++) {
        assert_true(fabs(sample_at(&unit, 0, i) * 4096 - sample_at(&large, 0, i)) < 1e-8);
    }
}

/* Levels of floats are any numbers, in their unit: samples and levels that are 2^20 times as large
 * or as small have the same result, or one that is as much larger. */
static void check_level(satf_context *ctx, const filter_info *info, const filter_param *param)
{
    static double in[SCALE_W * SCALE_H], moved[SCALE_W * SCALE_H];
    static const double times[] = {0x1p20, 0x1p-40, -1};
    uint64_t seed = 4;
    bool bilevel = filter_last(info)->type == TYPE_BILEVEL;
    satf_view view = satf_view_packed(in, SCALE_W, SCALE_H, 1, SATF_F64), other = view;
    other.data = moved;
    for (int i = 0; i < SCALE_W * SCALE_H; i++) {
        in[i] = (double)(ref_random(&seed) % 300);
    }
    double level = strtod(param->default_text, NULL);
    level = level != 0 ? level : 2;
    SCOPED_VIEW plain = apply_with(ctx, info, param->name, level, &view);
    for (int t = 0; t < (param->kind == PARAM_LEVEL ? 3 : 2); t++) {
        for (int i = 0; i < SCALE_W * SCALE_H; i++) {
            moved[i] = in[i] * times[t];
        }
        SCOPED_VIEW got = apply_with(ctx, info, param->name, level * times[t], &other);
        bool grows = sample_at(&got, 0, 0) != sample_at(&plain, 0, 0); /* if one does, all do */
        for (int i = 0; i < SCALE_W * SCALE_H && !(bilevel && times[t] < 0); i++) {
            double growth = grows && !bilevel ? times[t] : 1;
            assert_true(sample_at(&got, 0, i) == sample_at(&plain, 0, i) * growth);
        }
    }
}

/* Those of integers have bounds, whatever sets them. */
static void check_bounds(satf_context *ctx, const filter_info *info, const filter_param *param)
{
    uint8_t pixel = 1;
    satf_view view = satf_view_packed(&pixel, 1, 1, 1, SATF_U8);
    SCOPED_FILTER *filter = make_filter_of(ctx, info, SATF_BORDER_CLAMP, "1", "0:0", 1, 1);
    MUST(ctx, satf_filter_set_double(ctx, filter, param->name, param->max));
    SCOPED_VIEW to = output_of(ctx, filter, &view);
    MUST(ctx, satf_filter_set_double(ctx, filter, param->name, 2 * param->max));
    expect(ctx, satf_filter_apply(ctx, filter, &view, &to), SATF_INVALID,
           "are possible for u8 samples");
    assert_int_equal(satf_filter_set_double(ctx, filter, param->name, INFINITY), SATF_INVALID);
}

TEST(test_levels)
{
    const filter_info *info;
    int found = 0;
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        for (const filter_param *p = info->params; p->name; p++) {
            bool is_level = strcmp(p->unit, "levels of 255") == 0;
            assert_int_equal(is_level, param_is_level(p));
            if (is_level) {
                check_level(ctx, info, p);
                check_bounds(ctx, info, p);
                found++;
            }
        }
    }
    assert_true(found >= 6);
}

/* One pixel of a picture p of a full scale, and q of another: what by makes of them. */
static double by_one(satf_context *ctx, const satf_view *p, const satf_view *q, const char *spec)
{
    double got = -1;
    satf_view out = satf_view_packed(&got, 1, 1, 1, SATF_F64);
    SCOPED_FILTER *filter;
    MUST(ctx, satf_filter_create(ctx, "by", &filter));
    MUST(ctx, satf_filter_set_image(ctx, filter, q));
    for (const char *at = spec; *at; at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' ')) {
        char name[20], value[20];
        assert_int_equal(sscanf(at, "%19[^=]=%19s", name, value), 2);
        MUST(ctx, satf_filter_set(ctx, filter, name, value));
    }
    MUST(ctx, satf_filter_apply(ctx, filter, p, &out));
    return got;
}

/* White is white: the full scale of a picture is its own, whatever the other's is. */
TEST(test_others)
{
    uint8_t p8 = 10, q8 = 51;
    uint16_t p16 = 1000, q16 = 100;
    float real = 0.5F;
    satf_view p = satf_view_packed(&p8, 1, 1, 1, SATF_U8), q = p;
    satf_view wide = satf_view_packed(&p16, 1, 1, 1, SATF_U16), raw = wide;
    satf_view floats = satf_view_packed(&real, 1, 1, 1, SATF_F32);
    p.full = 100;
    q.data = &q8;
    raw.data = &q16;
    assert_true(by_one(ctx, &p, &q, "") == 30);
    q.full = 255;
    assert_true(by_one(ctx, &p, &q, "") == 30);
    q.full = 254;
    assert_true(by_one(ctx, &p, &q, "") == 10 + 51 * (100. / 254));
    q.full = 0;
    assert_true(by_one(ctx, &p, &q, "other_full=51") == 110);
    assert_true(by_one(ctx, &p, &q, "other_full=300") == 30); /* the picture says less */
    /* 12 bits in 16: both, or one of them */
    assert_true(by_one(ctx, &wide, &raw, "op=sub full=4095") == 900);
    assert_true(by_one(ctx, &wide, &raw, "op=sub full=4095 other_full=2048") ==
                1000 - 100 * (4095. / 2048));
    wide.full = 4095;
    assert_true(by_one(ctx, &wide, &raw, "op=sub other_full=4095") == 900);
    assert_true(by_one(ctx, &wide, &raw, "op=sub") == 1000 - 100 * (4095. / 65535));
    assert_true(by_one(ctx, &wide, &raw, "op=sub full=4095") == 1000 - 100 * (4095. / 65535));
    /* floats count as they are, unless it is said what is white */
    assert_true(by_one(ctx, &wide, &floats, "") == 1000.5);
    assert_true(by_one(ctx, &wide, &floats, "other_full=1") == 1000 + 4095 * 0.5);
    assert_true(by_one(ctx, &floats, &raw, "other_full=4095") == 0.5 + 100 / 4095.);
}

TEST(test_refused)
{
    static const struct {
        satf_type type;
        double full;
    } wrong[] = {{SATF_U8, 256}, {SATF_U8, -1},   {SATF_U16, 4095.5},   {SATF_U16, 65536},
                 {SATF_F32, -1}, {SATF_F64, NAN}, {SATF_F64, INFINITY}, {SATF_U8, NAN}};
    SCOPED_FILTER *filter = parse_filter(ctx, "box=3,border=constant:16");
    satf_view view, out;
    uint8_t pixel[4] = {1, 2, 3, 4}, to[4];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        view = satf_view_packed(NULL, 2, 2, 1, wrong[i].type);
        view.full = wrong[i].full;
        expect(ctx, satf_filter_output(ctx, filter, &view, &out), SATF_INVALID, "full scale");
    }
    /* a constant border is a sample like others */
    view = satf_view_packed(pixel, 2, 2, 1, SATF_U8);
    out = satf_view_packed(to, 2, 2, 1, SATF_U8);
    MUST(ctx, satf_filter_apply(ctx, filter, &view, &out));
    view.full = 15;
    expect(ctx, satf_filter_apply(ctx, filter, &view, &out), SATF_INVALID, "0 to 15");
    SCOPED_FILTER *moved = parse_filter(ctx, "transpose");
    MUST(ctx, satf_filter_output(ctx, moved, &view, &out));
    assert_true(out.full == 15);
}

static void write_file(const char *path, const char *head, size_t head_bytes, const void *bytes,
                       size_t n)
{
    FILE *file = fopen(path, "wb");
    assert_true(file && fwrite(head, head_bytes, 1, file) == 1 && fwrite(bytes, n, 1, file) == 1);
    assert_int_equal(fclose(file), 0);
}

/* A file of the picture, of three channels and 8 bits, and what it becomes. */
static void check_file(satf_context *ctx, const filter_info *info, int maxval)
{
    static scale_picture p;
    char head[40];
    scale_draw(&p, 2, maxval, 1, 11);
    snprintf(head, sizeof head, "P6 %d %d %d\n", SCALE_W, SCALE_H, maxval);
    write_file("in.ppm", head, strlen(head), p.memory, SCALE_W * SCALE_H * 3);
    SCOPED_FILTER *filter =
        make_filter_of(ctx, info, SATF_BORDER_MIRROR, "5", "1:0", SCALE_W, SCALE_H);
    SCOPED_IMAGE *image = NULL;
    satf_image_info found;
    if (satf_filter_file(ctx, filter, "in.ppm", "out.pam", NULL, NULL, 0) ||
        satf_image_read(ctx, "out.pam", &image) ||
        satf_image_probe(ctx, "out.pam", &found, sizeof found)) {
        fail_msg("%s, maxval %d: %s", info->name, maxval, satf_message(ctx));
    }
    if (filter_last(info)->type == TYPE_OF_INPUT) {
        SCOPED_VIEW want = result_of(ctx, filter, &p.view);
        assert_true(found.hi == maxval && satf_image_view(image)->full == maxval);
        require_same(info->name, "in a file", satf_image_view(image), &want);
    }
}

/* Whatever is written can be read again, with the same full scale. */
TEST(test_files)
{
    const filter_info *info;
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        check_file(ctx, info, 1);
        check_file(ctx, info, 15);
        check_file(ctx, info, 200);
    }
}

/* type: of the samples that are written, or SATF_TYPE_AUTO. */
static void filter_file(satf_context *ctx, const satf_filter *filter, const char *from,
                        const char *to, int type)
{
    satf_write_options write = satf_write_defaults();
    satf_file_options options;
    satf_file_options_init(&options, sizeof options);
    write.type = type;
    options.write = &write;
    MUST(ctx, satf_filter_file(ctx, filter, from, to, &options, NULL, 0));
}

/* Of a file with 8-bit samples: "|b1" or "|u1"; false if the other file has other bytes. */
static bool is_like(const char *path, const char *other, char descr[4])
{
    char bytes[2][1 << 12];
    size_t n[2];
    for (int k = 0; k < 2; k++) {
        FILE *file = fopen(k ? other : path, "rb");
        assert_non_null(file);
        n[k] = fread(bytes[k], 1, sizeof bytes[k], file);
        fclose(file);
    }
    memcpy(descr, strchr(bytes[0] + 10, ':') + 3, 3);
    descr[3] = 0;
    return n[0] == n[1] && memcmp(bytes[0], bytes[1], n[0]) == 0;
}

/* An array of bools is one of 0 and 1, and white stays 1 through files in between: these give what
 * the chain does in one call. */
TEST(test_bool_files)
{
    const filter_info *info;
    char bools[SCALE_W * SCALE_H], descr[4], head[129], shape[100];
    int found = 0;
    uint64_t seed = 6;
    for (int i = 0; i < SCALE_W * SCALE_H; i++) {
        bools[i] = (char)(ref_random(&seed) % 2);
    }
    snprintf(shape, sizeof shape, "{'descr': '|b1', 'fortran_order': False, 'shape': (%d, %d)}",
             SCALE_H, SCALE_W);
    snprintf(head, sizeof head, "\x93NUMPY\x01_v_%-117s\n", shape);
    head[7] = head[9] = 0; /* version 1.0, and 118 bytes */
    write_file("in.npy", head, 128, bools, sizeof bools);
    SCOPED_IMAGE *image;
    MUST(ctx, satf_image_read(ctx, "in.npy", &image));
    assert_true(satf_image_view(image)->full == 1);
    SCOPED_FILTER *next = parse_filter(ctx, "unsharp=5,amount=7");
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        if (filter_last(info)->type != TYPE_OF_INPUT) {
            continue;
        }
        SCOPED_FILTER *first =
            make_filter_of(ctx, info, SATF_BORDER_CLAMP, "5", "0:0", SCALE_W, SCALE_H);
        filter_file(ctx, first, "in.npy", "mid.npy", SATF_TYPE_AUTO);
        filter_file(ctx, next, "mid.npy", "out.npy", SATF_TYPE_AUTO);
        filter_file(ctx, first, "in.npy", "once.npy", SATF_U8); /* which is asked for */
        assert_false(is_like("once.npy", "mid.npy", descr));
        assert_string_equal(descr, "|u1");
        MUST(ctx, satf_filter_append(ctx, first, next));
        filter_file(ctx, first, "in.npy", "once.npy", SATF_TYPE_AUTO);
        if (!is_like("out.npy", "once.npy", descr) || strcmp(descr, "|b1") != 0) {
            fail_msg("%s of bools, in files: %s", info->name, descr);
        }
        found++;
    }
    assert_true(found >= 10);
}

/* What is no bool, against what its view says, is not written as one. */
TEST(test_no_bools)
{
    uint8_t samples[3] = {0, 1, 2};
    satf_view view = satf_view_packed(samples, 3, 1, 1, SATF_U8);
    SCOPED_IMAGE *image;
    view.full = 1;
    MUST(ctx, satf_image_wrap(ctx, &view, &image));
    expect(ctx, satf_image_write(ctx, image, "no.npy", NULL), SATF_INVALID,
           "a sample is 2, and the full scale says");
}

TEST_FILE(.folder = true)
