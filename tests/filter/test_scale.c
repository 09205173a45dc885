/* The full scale travels with a picture: into formulas, saturation, guides, and through chains. */
#include "test.h"

#include "base/cpu.h"
#include "filter/params.h"
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

static void apply_made(satf_context *ctx, satf_filter *filter, const satf_view *in, void *out)
{
    satf_view to;
    assert_int_equal(satf_filter_output(ctx, filter, in, &to), SATF_OK);
    to.data = out;
    if (satf_filter_apply(ctx, filter, in, &to)) {
        fail_msg("%s", satf_message(ctx));
    }
    satf_filter_destroy(filter);
}

static void apply(satf_context *ctx, const char *spec, const satf_view *in, void *out)
{
    apply_made(ctx, parse_filter(ctx, spec), in, out);
}

/* With windows of 5 x 5 and that full scale. */
static void apply_full(satf_context *ctx, const filter_info *info, int64_t full,
                       const satf_view *in, void *out)
{
    satf_filter *filter = make_filter_of(ctx, info, SATF_CLAMP, "5", "0:0", SCALE_W, SCALE_H);
    assert_int_equal(satf_filter_set_int(ctx, filter, "full", full), SATF_OK);
    apply_made(ctx, filter, in, out);
}

/* full=M says what the picture does not, for each filter that asks for it; and no more than the
 * picture's counts. */
TEST(test_parameter)
{
    static scale_picture p;
    static uint16_t said[SCALE_SAMPLES], told[SCALE_SAMPLES], plain[SCALE_SAMPLES];
    const filter_info *info;
    int found = 0;
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        if (!filter_param_of_kind(info, PARAM_FULL)) {
            continue;
        }
        scale_draw(&p, 0, 4095, 1, 5);
        memset(said, 0, sizeof said); /* results of some types are smaller */
        memset(told, 0, sizeof told);
        memset(plain, 0, sizeof plain);
        apply_full(ctx, info, 0, &p.view, said);
        apply_full(ctx, info, 5000, &p.view, plain);
        assert_memory_equal(said, plain, sizeof said);
        p.view.full = 0;
        apply_full(ctx, info, 4095, &p.view, told);
        assert_memory_equal(said, told, sizeof said);
        apply_full(ctx, info, 0, &p.view, plain);
        assert_memory_not_equal(said, plain, sizeof said);
        found++;
    }
    assert_true(found >= 3);
}

/* What saturates does so at the full scale between filters, too, which moved pixels keep. */
TEST(test_chain)
{
    static scale_picture p;
    static uint8_t got[SCALE_SAMPLES];
    scale_draw(&p, 2, 15, 1, 9);
    apply(ctx, "rotate=90 unsharp=5,amount=100 transpose unsharp=3,amount=20", &p.view, got);
    int most = 0;
    for (int i = 0; i < SCALE_W * SCALE_H * 3; i++) {
        most = got[i] > most ? got[i] : most;
    }
    assert_int_equal(most, 15);
    satf_filter *filter = parse_filter(ctx, "unsharp=5 box=3");
    satf_view out;
    assert_int_equal(satf_filter_output(ctx, filter, &p.view, &out), SATF_OK);
    assert_true(out.full == 15);
    satf_filter_destroy(filter);
    filter = parse_filter(ctx, "unsharp=5 variance=3");
    assert_int_equal(satf_filter_output(ctx, filter, &p.view, &out), SATF_OK);
    assert_true(out.full == 0);
    satf_filter_destroy(filter);
}

/* A constant beyond the border that is above full=M has a sample in the guide, too: so bytes give
 * what the same samples of 16 bits do. */
TEST(test_constant_above)
{
    static const char spec[] = "guided=3x2,full=4,border=constant:91";
    uint8_t in[6] = {4, 2, 90, 0, 3, 4}, aux[6] = {9, 80, 100, 0, 1, 50}, got[6];
    uint16_t wide_in[6], wide_aux[6], wide_got[6];
    for (int i = 0; i < 6; i++) {
        wide_in[i] = in[i];
        wide_aux[i] = aux[i];
    }
    for (int wide = 0; wide <= 1; wide++) {
        satf_type type = wide ? SATF_U16 : SATF_U8;
        satf_view view = satf_view_packed(wide ? (void *)wide_in : in, 3, 2, 1, type);
        satf_view guide = satf_view_packed(wide ? (void *)wide_aux : aux, 3, 2, 1, type);
        satf_view out = satf_view_packed(wide ? (void *)wide_got : got, 3, 2, 1, type);
        guide.full = 100;
        SCOPED_FILTER *filter = parse_filter(ctx, spec);
        assert_int_equal(satf_filter_set_image(ctx, filter, &guide), SATF_OK);
        assert_int_equal(satf_filter_apply(ctx, filter, &view, &out), SATF_OK);
    }
    for (int i = 0; i < 6; i++) {
        assert_int_equal(got[i], wide_got[i]);
    }
}

/* Floats that say nothing have 1, and levels of their own; what they say counts. */
TEST(test_floats)
{
    static double in[SCALE_W * SCALE_H];
    static double unit[SCALE_W * SCALE_H], large[SCALE_W * SCALE_H];
    static uint8_t white[2][SCALE_W * SCALE_H];
    uint64_t seed = 3;
    satf_view view = satf_view_packed(in, SCALE_W, SCALE_H, 1, SATF_F64);
    for (int i = 0; i < SCALE_W * SCALE_H; i++) {
        in[i] = (double)(ref_random(&seed) % 1000) / 1000;
    }
    apply(ctx, "guided=5", &view, unit);
    view.full = 1;
    apply(ctx, "sauvola=5", &view, white[0]);
    for (int i = 0; i < SCALE_W * SCALE_H; i++) {
        in[i] *= 4096;
    }
    view.full = 4096;
    apply(ctx, "guided=5", &view, large);
    apply(ctx, "sauvola=5", &view, white[1]);
    assert_memory_equal(white[0], white[1], sizeof white[0]);
    for (int i = 0; i < SCALE_W * SCALE_H; i++) {
        assert_true(fabs(unit[i] * 4096 - large[i]) < 1e-8);
    }
}

/* What the filter makes of floats, with that level. */
static void apply_level(satf_context *ctx, const filter_info *info, const filter_param *param,
                        double level, const satf_view *view, double *out)
{
    satf_filter *filter = make_filter_of(ctx, info, SATF_CLAMP, "5", "0:0", SCALE_W, SCALE_H);
    assert_int_equal(satf_filter_set_double(ctx, filter, param->name, level), SATF_OK);
    apply_made(ctx, filter, view, out);
}

/* Levels of floats are any numbers, in their unit: samples and levels that are 2^20 times as large
 * or as small have the same result, or one that is as much larger. */
static void check_level(satf_context *ctx, const filter_info *info, const filter_param *param)
{
    static double in[SCALE_W * SCALE_H], moved[SCALE_W * SCALE_H];
    static double plain[SCALE_W * SCALE_H], got[SCALE_W * SCALE_H];
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
    apply_level(ctx, info, param, level, &view, plain);
    for (int t = 0; t < (param->kind == PARAM_LEVEL ? 3 : 2); t++) {
        for (int i = 0; i < SCALE_W * SCALE_H; i++) {
            moved[i] = in[i] * times[t];
        }
        apply_level(ctx, info, param, level * times[t], &other, got);
        double growth = got[0] == plain[0] ? 1 : times[t]; /* of the first sample: of all */
        for (int i = 0; i < SCALE_W * SCALE_H && !bilevel; i++) {
            assert_true(got[i] == plain[i] * growth);
        }
        for (int i = 0; i < SCALE_W * SCALE_H && bilevel && times[t] > 0; i++) {
            assert_true(((uint8_t *)got)[i] == ((uint8_t *)plain)[i]);
        }
    }
}

/* Those of integers have bounds, whatever sets them. */
static void check_bounds(satf_context *ctx, const filter_info *info, const filter_param *param)
{
    uint8_t pixel = 1, result[8];
    satf_view view = satf_view_packed(&pixel, 1, 1, 1, SATF_U8), to;
    SCOPED_FILTER *filter = make_filter_of(ctx, info, SATF_CLAMP, "1", "0:0", 1, 1);
    assert_int_equal(satf_filter_set_double(ctx, filter, param->name, param->max), SATF_OK);
    assert_int_equal(satf_filter_output(ctx, filter, &view, &to), SATF_OK);
    to.data = result;
    assert_int_equal(satf_filter_set_double(ctx, filter, param->name, 2 * param->max), SATF_OK);
    assert_int_equal(satf_filter_apply(ctx, filter, &view, &to), SATF_INVALID);
    assert_non_null(strstr(satf_message(ctx), "are possible for u8 samples"));
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
    assert_int_equal(satf_filter_create(ctx, "by", &filter), SATF_OK);
    assert_int_equal(satf_filter_set_image(ctx, filter, q), SATF_OK);
    for (const char *at = spec; *at; at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' ')) {
        char name[20], value[20];
        assert_int_equal(sscanf(at, "%19[^=]=%19s", name, value), 2);
        assert_int_equal(satf_filter_set(ctx, filter, name, value), SATF_OK);
    }
    assert_int_equal(satf_filter_apply(ctx, filter, p, &out), SATF_OK);
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
        assert_int_equal(satf_filter_output(ctx, filter, &view, &out), SATF_INVALID);
        assert_non_null(strstr(satf_message(ctx), "full scale"));
    }
    /* a constant border is a sample like others */
    view = satf_view_packed(pixel, 2, 2, 1, SATF_U8);
    out = satf_view_packed(to, 2, 2, 1, SATF_U8);
    assert_int_equal(satf_filter_apply(ctx, filter, &view, &out), SATF_OK);
    view.full = 15;
    assert_int_equal(satf_filter_apply(ctx, filter, &view, &out), SATF_INVALID);
    assert_non_null(strstr(satf_message(ctx), "0 to 15"));
    SCOPED_FILTER *moved = parse_filter(ctx, "transpose");
    assert_int_equal(satf_filter_output(ctx, moved, &view, &out), SATF_OK);
    assert_true(out.full == 15);
}

/* A file of the picture, of three channels and 8 bits, and what it becomes. */
static void check_file(satf_context *ctx, const filter_info *info, int maxval, const char *folder)
{
    static scale_picture p;
    char in[80], out[80], head[40];
    snprintf(in, sizeof in, "%s/in.ppm", folder);
    snprintf(out, sizeof out, "%s/out.pam", folder);
    scale_draw(&p, 2, maxval, 1, 11);
    FILE *file = fopen(in, "wb");
    snprintf(head, sizeof head, "P6 %d %d %d\n", SCALE_W, SCALE_H, maxval);
    assert_true(file && fputs(head, file) >= 0);
    assert_int_equal(fwrite(p.memory, SCALE_W * SCALE_H, 3, file), 3);
    assert_int_equal(fclose(file), 0);
    SCOPED_FILTER *filter = make_filter_of(ctx, info, SATF_MIRROR, "5", "1:0", SCALE_W, SCALE_H);
    SCOPED_IMAGE *image = NULL;
    satf_image_info found;
    if (satf_filter_file(ctx, filter, in, out, NULL, NULL, 0) ||
        satf_image_read(ctx, out, &image) || satf_image_probe(ctx, out, &found, sizeof found)) {
        fail_msg("%s, maxval %d: %s", info->name, maxval, satf_message(ctx));
    }
    if (filter_last(info)->type == TYPE_OF_INPUT) {
        static uint8_t want[SCALE_SAMPLES];
        satf_view to;
        assert_int_equal(satf_filter_output(ctx, filter, &p.view, &to), SATF_OK);
        to.data = want;
        assert_int_equal(satf_filter_apply(ctx, filter, &p.view, &to), SATF_OK);
        assert_true(found.hi == maxval && satf_image_view(image)->full == maxval);
        assert_memory_equal(satf_image_view(image)->data, want, (size_t)(to.stride * to.height));
    }
    assert_true(unlink(in) == 0 && unlink(out) == 0);
}

/* Whatever is written can be read again, with the same full scale. */
TEST(test_files)
{
    char folder[] = "/tmp/satfilter-scale-XXXXXX";
    const filter_info *info;
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        check_file(ctx, info, 1, folder);
        check_file(ctx, info, 15, folder);
        check_file(ctx, info, 200, folder);
    }
    assert_int_equal(rmdir(folder), 0);
}

/* An array of bools is one of 0 and 1. */
TEST(test_bools)
{
    static const char head[] = "\x93NUMPY\x01\x00\x76\x00"
                               "{'descr': '|b1', 'fortran_order': False, 'shape': (1, 3)}";
    char file[128 + 3];
    memset(file, ' ', sizeof file);
    memcpy(file, head, sizeof head - 1);
    file[127] = '\n';
    memcpy(file + sizeof file - 3, "\0\1\1", 3);
    satf_image *image, *sharp;
    if (satf_image_decode(ctx, file, sizeof file, &image)) {
        fail_msg("%s", satf_message(ctx));
    }
    assert_true(satf_image_view(image)->full == 1);
    SCOPED_FILTER *filter = parse_filter(ctx, "unsharp=3x1,amount=5");
    assert_int_equal(satf_image_filter(ctx, filter, image, SATF_TYPE_AUTO, &sharp), SATF_OK);
    assert_memory_equal(satf_image_view(sharp)->data, "\0\1\1", 3);
    satf_image_destroy(image);
    satf_image_destroy(sharp);
}

/* An array of bools in a file, whose header takes 128 bytes. */
static void write_bools(const char *path)
{
    char file[128 + SCALE_W * SCALE_H];
    uint64_t seed = 6;
    memset(file, ' ', 128);
    int n = snprintf(file, sizeof file,
                     "\x93NUMPY\x01%c\x76%c{'descr': '|b1', 'fortran_order': False, "
                     "'shape': (%d, %d)}",
                     0, 0, SCALE_H, SCALE_W);
    file[n] = ' ';
    file[127] = '\n';
    for (int i = 0; i < SCALE_W * SCALE_H; i++) {
        file[128 + i] = (char)(ref_random(&seed) % 2);
    }
    FILE *to = fopen(path, "wb");
    assert_true(to && fwrite(file, sizeof file, 1, to) == 1 && fclose(to) == 0);
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
    if (satf_filter_file(ctx, filter, from, to, &options, NULL, 0)) {
        fail_msg("%s", satf_message(ctx));
    }
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

/* White stays 1 through files in between: these give what the chain does in one call. */
TEST(test_bool_files)
{
    char folder[] = "/tmp/satfilter-bools-XXXXXX", in[60], mid[60], out[60], once[60], descr[4];
    const filter_info *info;
    int found = 0;
    assert_non_null(mkdtemp(folder));
    snprintf(in, sizeof in, "%s/in.npy", folder);
    snprintf(mid, sizeof mid, "%s/mid.npy", folder);
    snprintf(out, sizeof out, "%s/out.npy", folder);
    snprintf(once, sizeof once, "%s/once.npy", folder);
    write_bools(in);
    SCOPED_FILTER *next = parse_filter(ctx, "unsharp=5,amount=7");
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        if (filter_last(info)->type != TYPE_OF_INPUT) {
            continue;
        }
        SCOPED_FILTER *first = make_filter_of(ctx, info, SATF_CLAMP, "5", "0:0", SCALE_W, SCALE_H);
        filter_file(ctx, first, in, mid, SATF_TYPE_AUTO);
        filter_file(ctx, next, mid, out, SATF_TYPE_AUTO);
        filter_file(ctx, first, in, once, SATF_U8); /* which is asked for */
        assert_false(is_like(once, mid, descr));
        assert_string_equal(descr, "|u1");
        assert_int_equal(satf_filter_append(ctx, first, next), SATF_OK);
        filter_file(ctx, first, in, once, SATF_TYPE_AUTO);
        if (!is_like(out, once, descr) || strcmp(descr, "|b1") != 0) {
            fail_msg("%s of bools, in files: %s", info->name, descr);
        }
        found++;
    }
    assert_true(found >= 10);
    assert_true(!unlink(in) && !unlink(mid) && !unlink(out) && !unlink(once) && !rmdir(folder));
}

/* What is no bool, against what its view says, is not written as one. */
TEST(test_no_bools)
{
    uint8_t samples[3] = {0, 1, 2};
    char path[] = "/tmp/satfilter-bools-XXXXXX.npy";
    satf_view view = satf_view_packed(samples, 3, 1, 1, SATF_U8);
    satf_image *image;
    view.full = 1;
    int fd = mkstemps(path, 4);
    assert_true(fd >= 0 && close(fd) == 0);
    assert_int_equal(satf_image_wrap(ctx, &view, &image), SATF_OK);
    assert_int_equal(satf_image_write(ctx, image, path, NULL), SATF_INVALID);
    assert_non_null(strstr(satf_message(ctx), "a sample is 2, and the full scale says"));
    satf_image_destroy(image);
    assert_int_equal(unlink(path), 0);
}
