/* The filters that move pixels, as a caller meets them: types, chains, orders, files, streams. */
#include "test.h"

#include "base/parallel.h"
#include "base/memory.h"
#include "filter_make.h"
#include "satfilter/formula.h"
#include "move_reference.h"
#include "pipeline/pipeline.h"

enum { GUARD = 0xa5 };

static void free_view(satf_view *view)
{
    free(view->data);
}
#define VIEW __attribute__((unused, cleanup(free_view))) satf_view

/* The packed result of a filter, in memory of its own. */
static satf_view apply(satf_context *ctx, const char *spec, const satf_view *in)
{
    satf_view out;
    SCOPED_FILTER *filter = parse_filter(ctx, spec);
    MUST(ctx, satf_filter_output(ctx, filter, in, &out));
    out.data = malloc((size_t)(out.stride * out.height));
    MUST(ctx, satf_filter_apply(ctx, filter, in, &out));
    return out;
}

/* Shape, flags and pixels of every symmetry, for samples of every type. */
TEST(test_turns)
{
    for (int type = SATF_U8; type <= SATF_F64; type++) {
        for (int channels = 1; channels <= SATF_MAX_CHANNELS; channels++) {
            for (int symmetry = 0; symmetry < REF_SYMMETRIES; symmetry++) {
                VIEW in = ref_noise_view(70, 33, channels, type, (uint64_t)symmetry);
                in.flags = channels % 2 ? 0 : SATF_ALPHA;
                VIEW out = apply(ctx, ref_symmetries[symmetry].spec, &in);
                assert_int_equal(out.type, type);
                assert_int_equal(out.flags, in.flags);
                assert_int_equal(out.width, ref_swaps(symmetry) ? 33 : 70);
                assert_int_equal(out.height, ref_swaps(symmetry) ? 70 : 33);
                assert_int_equal(ref_wrong_pixel(symmetry, &in, &out), -1);
            }
        }
    }
}

/* A sample as filters store their results: this is what a conversion must equal. */
static void stored(int from_type, const char *from, int to_type, char *to)
{
    uint64_t u64 = 0;
    double real = 0;
    float f32;
    switch (from_type) {
    case SATF_F32:
        memcpy(&f32, from, sizeof f32);
        real = (double)f32;
        break;
    case SATF_F64:
        memcpy(&real, from, sizeof real);
        break;
    default:
        for (size_t i = 0; i < satf_type_bytes(from_type); i++) {
            u64 |= (uint64_t)(unsigned char)from[i] << 8 * i;
        }
    }
    formula_store(to_type, satf_type_max(from_type) ? formula_integer(u64) : formula_real(real),
                  to);
}

/* Outputs of every other type, of any stride, by filters of every kind. */
TEST(test_conversions)
{
    enum { W = 37, H = 150 };
    static const int turns[] = {1, 3, 5};
    for (int from = SATF_U8; from <= SATF_F64; from++) {
        for (int to = SATF_U8; to <= SATF_F64; to++) {
            for (int k = 0; k < 3 && from != to; k++) {
                int symmetry = turns[k], swaps = ref_swaps(symmetry);
                VIEW in = ref_noise_view(W, H, 3, from, (uint64_t)(from * 8 + to));
                for (int64_t i = 0; i < (int64_t)W * H * 3; i++) { /* floats worth storing */
                    double value = (double)(i % 1000) * 77.5 - 300;
                    if (from == SATF_F32) {
                        ((float *)in.data)[i] = (float)value;
                    } else if (from == SATF_F64) {
                        ((double *)in.data)[i] = value;
                    }
                }
                SCOPED_FILTER *filter = parse_filter(ctx, ref_symmetries[symmetry].spec);
                ref_guarded out = ref_guarded_view(swaps ? H : W, swaps ? W : H, 3, (satf_type)to,
                                                   5, k == 1, 0, GUARD);
                MUST(ctx, satf_filter_apply(ctx, filter, &in, &out.view));
                size_t bytes = satf_type_bytes(from), to_bytes = satf_type_bytes(to);
                for (int64_t y = 0; y < out.view.height; y++) {
                    for (int64_t i = 0; i < satf_row_samples(&out.view); i++) {
                        int64_t u, v;
                        char want[8];
                        ref_source(symmetry, W, H, i / 3, y, &u, &v);
                        stored(from, (char *)satf_row(&in, v) + (size_t)(u * 3 + i % 3) * bytes, to,
                               want);
                        assert_memory_equal((char *)satf_row(&out.view, y) + (size_t)i * to_bytes,
                                            want, to_bytes);
                    }
                }
                ref_guarded_free(&out);
            }
        }
    }
}

static void assert_same(const satf_view *a, const satf_view *b)
{
    assert_true(a->width == b->width && a->height == b->height && a->type == b->type);
    assert_memory_equal(a->data, b->data, (size_t)(a->stride * a->height));
}

/* Chains that must agree; between filters of sums too. */
TEST(test_chains)
{
    static const char *const same[][2] = {
        {"rotate=90 rotate=90", "rotate=180"},
        {"rotate=90 rotate=270", "flip=v flip=v"},
        {"transpose transpose", "flip=h flip=h"},
        {"transpose flip=h", "rotate=90"},
        {"flip=h flip=v", "rotate=180"},
        {"transpose box=5x3,border=mirror", "box=3x5,border=mirror transpose"},
        {"rotate=180 variance=7", "variance=7 rotate=180"},
        {"integral transpose", "transpose integral"},
        {"transpose integral rotate=90 transpose", "transpose integral flip=v"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        VIEW in = ref_noise_view(91, 40, 3, SATF_U8, i);
        VIEW a = apply(ctx, same[i][0], &in);
        VIEW b = apply(ctx, same[i][1], &in);
        assert_same(&a, &b);
    }
    satf_view out;
    VIEW in = ref_noise_view(5, 4, 1, SATF_U8, 1);
    SCOPED_FILTER *filter = parse_filter(ctx, "transpose integral box=3");
    MUST(ctx, satf_filter_output(ctx, filter, &in, &out));
    assert_true(out.width == 4 && out.height == 5 && out.type == SATF_U32);
}

/* ------------------------------------------------------------------------ orders */

TEST(test_orders)
{
    static const int64_t sizes[][2] = {{1, 1}, {1, 50}, {50, 1}, {67, 43}};
    for (size_t s = 0; s < 4; s++) {
        int64_t w = sizes[s][0], h = sizes[s][1], n = w * h;
        SCOPED int64_t *order = malloc((size_t)n * sizeof *order);
        ref_shuffle(order, n, s + 1);
        for (int type = SATF_U8; type <= SATF_F64; type++) {
            satf_view out;
            VIEW in = ref_noise_view(w, h, 4, (satf_type)type, s);
            size_t pixel = 4 * satf_type_bytes(type);
            in.flags = SATF_ALPHA;
            satf_filter *filter, *chain = parse_filter(ctx, "flip=h");
            MUST(ctx, satf_filter_create(ctx, "permute", &filter));
            MUST(ctx, satf_filter_output(ctx, filter, &in, &out));
            out.data = malloc((size_t)(out.stride * h));
            assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_INVALID);
            assert_non_null(strstr(satf_message(ctx), "no order yet"));
            MUST(ctx, satf_filter_set_order(ctx, filter, order, (size_t)n));
            /* a chain's copy shares the order, and outlives the filter that it came from */
            MUST(ctx, satf_filter_append(ctx, chain, chain)); /* flips back */
            MUST(ctx, satf_filter_append(ctx, chain, filter));
            satf_filter_destroy(filter);
            MUST(ctx, satf_filter_apply(ctx, chain, &in, &out));
            assert_int_equal(out.flags, SATF_ALPHA);
            for (int64_t k = 0; k < n; k++) {
                assert_memory_equal((char *)out.data + (size_t)k * pixel,
                                    (char *)in.data + (size_t)order[k] * pixel, pixel);
            }
            satf_filter_destroy(chain);
            free(out.data);
        }
    }
}

TEST(test_bad_orders)
{
    static const struct {
        int64_t order[6];
        const char *message;
    } cases[] = {
        {{0, 1, 2, 3, 4, 4}, "entry 5 is 4, which is there before"},
        {{0, 0, 2, 3, 4, 5}, "entry 1 is 0, which is there before"},
        {{0, 1, 2, 3, 4, 6}, "entry 5 is 6; each of 0 to 5"},
        {{0, 1, -2, 3, 4, 5}, "entry 2 is -2; each of 0 to 5"},
        {{INT64_MIN, 1, 2, 3, 4, 5}, "entry 0 is -9223372036854775808"},
        {{4294967296, 1, 2, 3, 4, 5}, "entry 0 is 4294967296"},
    };
    satf_filter *filter;
    satf_view out;
    VIEW in = ref_noise_view(3, 2, 1, SATF_U8, 1);
    int64_t right[6] = {5, 4, 3, 2, 1, 0};
    MUST(ctx, satf_filter_create(ctx, "permute", &filter));
    MUST(ctx, satf_filter_set_order(ctx, filter, right, 6));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(satf_filter_set_order(ctx, filter, cases[i].order, 6), SATF_INVALID);
        if (!strstr(satf_message(ctx), cases[i].message)) {
            fail_msg("%s, not %s", satf_message(ctx), cases[i].message);
        }
    }
    assert_int_equal(satf_filter_set_order(ctx, filter, right, 0), SATF_INVALID);
    assert_int_equal(satf_filter_set_order(ctx, filter, NULL, 6), SATF_INVALID);
    /* after all these failures the first one stands */
    MUST(ctx, satf_filter_output(ctx, filter, &in, &out));
    in.width = 2;
    assert_int_equal(satf_filter_output(ctx, filter, &in, &out), SATF_INVALID);
    assert_non_null(strstr(satf_message(ctx), "6 entries; the image has 2 x 2 = 4 pixels"));
    satf_filter_destroy(filter);

    filter = parse_filter(ctx, "rotate=90");
    assert_int_equal(satf_filter_set_order(ctx, filter, right, 6), SATF_INVALID);
    assert_int_equal(satf_filter_set_int(ctx, filter, "angle", 45), SATF_INVALID);
    MUST(ctx, satf_filter_set_int(ctx, filter, "angle", 270));
    in.width = 3;
    out = satf_view_packed(malloc(6), 2, 3, 1, SATF_U8);
    MUST(ctx, satf_filter_apply(ctx, filter, &in, &out));
    assert_int_equal(ref_wrong_pixel(7, &in, &out), -1);
    satf_filter_destroy(filter);
    free(out.data);
}

/* ------------------------------------------------------------------------- files */

/* A .npy file with that dictionary and those bytes; the spec that reads it. */
static satf_status parse_file(satf_context *ctx, const char *dictionary, const void *bytes,
                              size_t n, satf_filter **filter)
{
    char path[] = "/tmp/satf_order_XXXXXX", spec[64];
    size_t length = strlen(dictionary);
    unsigned char lead[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)length, 0};
    int file = mkstemp(path);
    assert_true(file >= 0 && length < 256);
    assert_int_equal(write(file, lead, sizeof lead), sizeof lead);
    assert_int_equal(write(file, dictionary, length), (ssize_t)length);
    assert_int_equal(write(file, bytes, n), (ssize_t)n);
    close(file);
    snprintf(spec, sizeof spec, "permute=%s", path);
    satf_status status = satf_filter_parse(ctx, spec, filter);
    unlink(path);
    return status;
}

#define DICTIONARY(descr, fortran, shape) \
    "{'descr': '" descr "', 'fortran_order': " fortran ", 'shape': " shape ", }\n"

/* Integers of every size, sign and byte order; shapes of one dimension and two. */
TEST(test_files)
{
    static const struct {
        const char *dictionary, *bytes;
        size_t n;
    } cases[] = {
        {DICTIONARY("|u1", "False", "(6,)"), "\3\0\5\1\4\2", 6},
        {DICTIONARY("|i1", "False", "(2, 3)"), "\3\0\5\1\4\2", 6},
        {DICTIONARY("|u1", "True", "(2, 3)"), "\3\1\0\4\5\2", 6},
        {DICTIONARY("<i2", "False", "(6,)"), "\3\0\0\0\5\0\1\0\4\0\2\0", 12},
        {DICTIONARY(">u2", "False", "(2, 3)"), "\0\3\0\0\0\5\0\1\0\4\0\2", 12},
        {DICTIONARY(">i4", "True", "(2, 3)"), "\0\0\0\3\0\0\0\1\0\0\0\0\0\0\0\4\0\0\0\5\0\0\0\2",
         24},
        {DICTIONARY("<i8", "False", "(6,)"),
         "\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0\2\0\0\0"
         "\0"
         "\0\0\0",
         48},
    };
    static const unsigned char image[] = {10, 11, 12, 13, 14, 15},
                               want[] = {13, 10, 15, 11, 14, 12};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        satf_filter *filter;
        unsigned char got[6];
        satf_view in = satf_view_packed((void *)(uintptr_t)image, 3, 2, 1, SATF_U8);
        satf_view out = satf_view_packed(got, 3, 2, 1, SATF_U8);
        MUST(ctx, parse_file(ctx, cases[i].dictionary, cases[i].bytes, cases[i].n, &filter));
        MUST(ctx, satf_filter_apply(ctx, filter, &in, &out));
        assert_memory_equal(got, want, 6);
        satf_filter_destroy(filter);
    }
}

TEST(test_bad_files)
{
    static const struct {
        const char *dictionary, *bytes;
        size_t n;
        const char *message;
    } cases[] = {
        {DICTIONARY("|u1", "False", "(6,)"), "\3\0\5\1\4", 5, "ends too early"},
        {DICTIONARY("|u1", "False", "(6,)"), "\3\0\5\1\4\3", 6, "entry 5 is 3, which is there"},
        {DICTIONARY("|i1", "False", "(6,)"), "\3\0\5\1\4\377", 6, "entry 5 is -1; each of 0 to 5"},
        {DICTIONARY("|u1", "True", "(2, 3)"), "\3\1\11\4\5\2", 6, "entry 1 is 9"},
        {DICTIONARY("<f8", "False", "(1,)"), "\0\0\0\0\0\0\0\0", 8, "no integers"},
        {DICTIONARY("|b1", "False", "(1,)"), "\0", 1, "no integers"},
        {DICTIONARY("|u1", "False", "()"), "\0", 1, "0 dimensions"},
        {DICTIONARY("|u1", "False", "(1, 1, 1)"), "\0", 1, "3 dimensions"},
        {DICTIONARY("|u1", "False", "(0,)"), "", 0, "the array is empty"},
        {DICTIONARY("<u8", "False", "(9999999999, 9999999999)"), "", 0,
         "more than 4294967296 entries"},
        {"{'descr': }", "", 0, "damaged"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        satf_filter *filter;
        satf_status status =
            parse_file(ctx, cases[i].dictionary, cases[i].bytes, cases[i].n, &filter);
        if (status != SATF_DATA || filter || !strstr(satf_message(ctx), cases[i].message)) {
            fail_msg("%s: %s: '%s' without '%s'", cases[i].dictionary, satf_status_name(status),
                     satf_message(ctx), cases[i].message);
        }
    }
    SCOPED_FILTER *filter;
    assert_int_equal(satf_filter_parse(ctx, "permute=/nonexistent.npy", &filter), SATF_IO);
    assert_non_null(strstr(satf_message(ctx), "'/nonexistent.npy' cannot be opened"));
    /* (3, 2) is an order for images of 2 x 3, not for others of 6 pixels */
    satf_view in = satf_view_packed(NULL, 3, 2, 1, SATF_U8), out;
    MUST(ctx, parse_file(ctx, DICTIONARY("|u1", "False", "(3, 2)"), "\3\0\5\1\4\2", 6, &filter));
    assert_int_equal(satf_filter_output(ctx, filter, &in, &out), SATF_INVALID);
    assert_non_null(strstr(satf_message(ctx), "2 x 3 pixels, width by height; this one has 3 x 2"));
}

/* ------------------------------------------------------------------------ images */

static const char *const exif = "II*\0\10\0\0\0\1\0\22\1\3\0\1\0\0\0\6\0\0\0\0\0\0\0";
enum { EXIF_BYTES = 26, ORIENTATION_AT = 18 };

static void give_metadata(satf_image *image)
{
    image->metadata.has_resolution = true;
    image->metadata.resolution_x = 3000;
    image->metadata.resolution_y = 4000;
    image->metadata.resolution_unit = 1;
    image->metadata.exif = satf_alloc(EXIF_BYTES);
    image->metadata.exif_bytes = EXIF_BYTES;
    memcpy(image->metadata.exif, exif, EXIF_BYTES);
}

/* What speaks of places turns with the picture, and with the whole chain. */
TEST(test_metadata)
{
    static const struct {
        const char *spec;
        int swaps, orientation; /* of what was shown turned clockwise by 90 degrees */
    } cases[] = {{"box=3", 0, 6},
                 {"rotate=90", 1, 6},
                 {"rotate=180", 0, 6},
                 {"rotate=270", 1, 6},
                 {"transpose", 1, 8},
                 {"flip=h", 0, 8},
                 {"flip=v", 0, 8},
                 {"flip=v box=3 flip=v", 0, 6},
                 {"transpose flip=h", 1, 6},
                 {"flip=h variance=3", 0, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        satf_image *in, *out;
        SCOPED_FILTER *filter = parse_filter(ctx, cases[i].spec);
        MUST(ctx, satf_image_create(ctx, 8, 5, 4, SATF_U16, SATF_ALPHA, &in));
        give_metadata(in);
        in->has_range = true, in->hi = 4095, in->alpha_max = 4095;
        MUST(ctx, satf_filter_image(ctx, filter, in, SATF_TYPE_AUTO, &out));
        assert_true(out->metadata.resolution_x == (cases[i].swaps ? 4000 : 3000));
        assert_true(out->metadata.resolution_y == (cases[i].swaps ? 3000 : 4000));
        assert_int_equal(out->metadata.exif[ORIENTATION_AT], cases[i].orientation);
        assert_int_equal(in->metadata.exif[ORIENTATION_AT], 6);
        assert_int_equal(out->view.width, cases[i].swaps ? 5 : 8);
        if (!strstr(cases[i].spec, "variance")) {
            assert_true(out->has_range && out->hi == 4095 && out->alpha_max == 4095);
            assert_true(out->picture_type == SATF_U16 && (out->view.flags & SATF_ALPHA));
        }
        satf_image_destroy(in);
        satf_image_destroy(out);
    }
}

static unsigned char *slurp(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    unsigned char *data = malloc(1 << 22);
    *bytes = fread(data, 1, 1 << 22, file);
    fclose(file);
    return data;
}

/* Files: horizontal flips stream and give the same bytes, metadata among them; nothing else
 * that moves does. */
TEST(test_streaming)
{
    static const char *const specs[] = {"flip=h", "flip=v", "transpose", "rotate=180",
                                        "flip=h flip=h"};
    static const struct {
        int channels;
        satf_type type;
        int made;
        const char *in, *out;
    } files[] = {{3, SATF_U8, SATF_TYPE_AUTO, "in.png", "out.png"},
                 {4, SATF_U16, SATF_TYPE_AUTO, "in.png", "out.png"},
                 {3, SATF_U8, SATF_U16, "in.png", "out.png"},
                 {2, SATF_U32, SATF_TYPE_AUTO, "in.npy", "out.npy"},
                 {1, SATF_U64, SATF_F32, "in.npy", "out.npy"},
                 {1, SATF_F64, SATF_TYPE_AUTO, "in.npy", "out.npy"}};
    char directory[] = "/tmp/satfilter-move.XXXXXX", in[64], out[64];
    assert_non_null(mkdtemp(directory));
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        satf_image *image;
        snprintf(in, sizeof in, "%s/%s", directory, files[f].in);
        snprintf(out, sizeof out, "%s/%s", directory, files[f].out);
        unsigned flags = files[f].channels == 4 ? SATF_ALPHA : 0;
        MUST(ctx,
             satf_image_create(ctx, 301, 700, files[f].channels, files[f].type, flags, &image));
        ref_noise(&image->view, f);
        give_metadata(image);
        MUST(ctx, satf_image_write(ctx, image, in, NULL));
        for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
            SCOPED_FILTER *filter = parse_filter(ctx, specs[k]);
            unsigned char *bytes[2];
            size_t n[2];
            for (int whole = 0; whole < 2; whole++) {
                satf_file_report result;
                pipeline_job job = {.input = in,
                                    .output = out,
                                    .filter = filter,
                                    .write = satf_write_defaults(),
                                    .options.route = whole ? SATF_ROUTE_WHOLE : SATF_ROUTE_AUTO};
                job.write.type = files[f].made;
                MUST(ctx, pipeline_run(ctx, &job, &result));
                assert_int_equal(result.streamed, !whole && (k == 0 || k == 4));
                assert_string_equal(result.engine, "move");
                bytes[whole] = slurp(out, &n[whole]);
            }
            assert_int_equal(n[0], n[1]);
            assert_memory_equal(bytes[0], bytes[1], n[0]);
            if (files[f].made == SATF_TYPE_AUTO) {
                SCOPED_IMAGE *read;
                int symmetry = k == 0 ? 1 : k == 1 ? 3 : k == 2 ? 4 : k == 3 ? 2 : 0;
                MUST(ctx, satf_image_read(ctx, out, &read));
                assert_int_equal(ref_wrong_pixel(symmetry, &image->view, &read->view), -1);
                if (strstr(out, "png")) {
                    assert_int_equal(read->metadata.exif[ORIENTATION_AT], k < 3 ? 8 : 6);
                }
            }
            free(bytes[0]);
            free(bytes[1]);
        }
        satf_image_destroy(image);
        unlink(in);
        unlink(out);
    }
    rmdir(directory);
}

TEST_FILE(.shared = true)
