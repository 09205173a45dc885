/* SATF_LIMIT_MEMORY bounds what a call takes at its peak, whatever it does. */
#include "test.h"
#include "every_fault.h"
#include "test_io_files.h"
#include "test_io_jpeg.h"

/* Beside the limit: buffers of files and of stdio, the state of codecs. */
enum { MIB = 1 << 20, LIMIT = 64 * MIB, BESIDE = 6 * MIB };

static long before_bytes;

static void begin(void)
{
    before_bytes = atomic_load(&allocations.bytes);
    atomic_store(&allocations.most, before_bytes);
}

/* Since begin(): the call was within the limit, or has been refused in its name. */
static bool check(satf_context *ctx, const char *what, satf_status status)
{
    long peak = atomic_load(&allocations.most) - before_bytes;
    bool named = strstr(satf_message(ctx), "limit: max-memory") != NULL;
    if ((status && (status != SATF_LIMIT || !named)) || peak > LIMIT + BESIDE) {
        fail_msg("%s: %s, %ld bytes at the peak, \"%s\"", what, satf_status_name(status), peak,
                 status ? satf_message(ctx) : "");
    }
    return status == SATF_OK;
}

#define WITHIN(ctx, what, call) (begin(), check(ctx, what, call))

/* Waves, so that files are small and yet no constant. */
static satf_image *make_picture(satf_context *ctx, int64_t width, int64_t height, int channels,
                                satf_type type)
{
    satf_image *image;
    satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 0);
    assert_int_equal(satf_image_create(ctx, width, height, channels, type, 0, &image), SATF_OK);
    unsigned char *at = image->view.data;
    for (int64_t i = 0; i < width * height * channels && type == SATF_U8; i++) {
        at[i] = (unsigned char)((i / channels * 7 + i / 999) % 200 + 3 * (i % channels));
    }
    return image;
}

/* Those of a type are neighbours. */
static const struct {
    const char *name, *format;
    satf_type type;
    bool progressive;
} files[] = {{"a.png", "png", SATF_U8, false},  {"a.jpg", "jpeg", SATF_U8, false},
             {"b.jpg", "jpeg", SATF_U8, true},  {"a.ppm", "ppm", SATF_U8, false},
             {"b.png", "png", SATF_U16, false}, {"a.pam", "pam", SATF_U16, false},
             {"a.pfm", "pfm", SATF_F32, false}, {"a.npy", "npy", SATF_F64, false}};
enum { FILES = sizeof files / sizeof *files };

static bool has_new_type(size_t i)
{
    return i == 0 || files[i].type != files[i - 1].type;
}

/* Makes the picture of files[i] of that of the file before, and writes it. */
static void write_picture(satf_context *ctx, size_t i, int64_t width, int64_t height,
                          satf_image **image)
{
    if (has_new_type(i)) {
        satf_image_destroy(*image);
        *image = make_picture(ctx, width, height, 3, files[i].type);
    }
    satf_jpeg_coding coding = {
        .components = 3, .progressive = true, .h = {1, 1, 1}, .v = {1, 1, 1}};
    (*image)->metadata.jpeg = files[i].progressive ? coding : (satf_jpeg_coding){.components = 0};
    satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 0);
    MUST(ctx, satf_image_write(ctx, *image, files[i].name, NULL));
    satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, LIMIT);
}

static const char *const chains[] = {"box=9",
                                     "box=65",
                                     "stddev=5 box=3",
                                     "unsharp=5 rotate=90",
                                     "integral",
                                     "box=5,border=wrap",
                                     "guided=7,eps=0.01",
                                     "guided=5,colour",
                                     "transpose box=3 flip=v variance=9"};
enum { CHAINS = sizeof chains / sizeof *chains };

/* The file through chain k, by the route that k says. Whether it went well. */
static bool filter_file(satf_context *ctx, size_t i, size_t k)
{
    static const char *const outs[] = {"out.png", "out.jpg", "out.npy"};
    SCOPED_FILTER *filter;
    satf_file_options options;
    satf_write_options write = satf_write_defaults();
    satf_file_options_init(&options, sizeof options);
    write.auto_range = 1;
    const char *out = outs[(i + k) % 3];
    options.write = k % 5 ? &write : NULL;
    options.route = k < CHAINS ? SATF_ROUTE_WHOLE : SATF_ROUTE_AUTO;
    MUST(ctx, satf_filter_parse(ctx, chains[k % CHAINS], &filter));
    char what[64];
    snprintf(what, sizeof what, "%s by %s to %s", files[i].name, chains[k % CHAINS], out);
    begin();
    satf_status status = satf_filter_file(ctx, filter, files[i].name, out, &options, NULL, 0);
    unlink(out);
    bool ranged = status != SATF_INVALID && status != SATF_UNSUPPORTED; /* or floats without */
    return ranged && check(ctx, what, status);
}

/* Floats meet all chains at all sizes; of integers each chain meets each size with some file. */
TEST(filters)
{
    static const int64_t sides[] = {800, 1700, 3500};
    int good[3] = {0};
    for (size_t size = 0; size < 3; size++) {
        SCOPED_IMAGE *image = NULL;
        satf_context_set_threads(ctx, 1 + (int)size);
        for (size_t i = 0; i < FILES; i++) {
            write_picture(ctx, i, sides[size], sides[size] - 100, &image);
            for (size_t k = 0; k < 2 * CHAINS; k++) {
                if (pairs_full() || satf_type_is_float(files[i].type) || (i + k + size) % 3 == 0) {
                    good[size] += filter_file(ctx, i, k);
                }
            }
            unlink(files[i].name);
        }
    }
    /* Small ones are not refused but for chains of doubles, and large ones go by rows. */
    assert_true(good[0] > FILES * CHAINS / 3 && good[0] > good[1] && good[1] > good[2] && good[2]);
}

/* Images that are handed in do not count, those that come out do. */
TEST(images)
{
    int refused = 0, good = 0;
    for (int64_t side = 1000; side <= 4600; side += 1200) {
        SCOPED_IMAGE *image = NULL;
        for (size_t i = 0; i < FILES; i++) {
            if (side * side * 3 * (int64_t)satf_type_bytes(files[i].type) > 6 * LIMIT) {
                continue; /* far above what is bounded */
            }
            SCOPED_IMAGE *back = NULL;
            write_picture(ctx, i, side, side, &image);
            bool ok = WITHIN(ctx, files[i].name, satf_image_read(ctx, files[i].name, &back));
            good += ok;
            refused += !ok;
            satf_write_options options = options_for(files[i].format);
            void *data;
            size_t n;
            WITHIN(ctx, files[i].format, satf_image_encode(ctx, image, &options, &data, &n));
            satf_buffer_free(data);
            WITHIN(ctx, files[i].format, satf_image_write(ctx, image, files[i].name, &options));
            unlink(files[i].name);
            for (size_t k = 0; k < CHAINS && has_new_type(i); k++) {
                SCOPED_FILTER *filter;
                SCOPED_IMAGE *out = NULL;
                MUST(ctx, satf_filter_parse(ctx, chains[k], &filter));
                WITHIN(ctx, chains[k], satf_filter_image(ctx, filter, image, SATF_TYPE_AUTO, &out));
            }
        }
    }
    assert_true(good > 10 && refused > 8);
}

/* What a caller holds, and has got from calls before, leaves the next ones their limit. */
TEST(handed_out)
{
    satf_image *image = make_picture(ctx, 4000, 4000, 3, SATF_U8), *outs[8];
    SCOPED_FILTER *filter;
    satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, LIMIT);
    assert_int_equal(satf_filter_parse(ctx, "box=3", &filter), SATF_OK);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(satf_filter_image(ctx, filter, image, SATF_TYPE_AUTO, &outs[i]), SATF_OK);
    }
    for (int i = 0; i < 8; i++) {
        satf_image_destroy(outs[i]);
    }
    satf_image_destroy(image);
}

TEST(handed_out_text)
{
    enum { TEXT = 10 * MIB };
    static const unsigned char head[] = {
        0, TEXT >> 16, TEXT >> 8 & 255, 0, 't', 'E', 'X', 't', 'A', 'u', 't', 'h', 'o', 'r'};
    satf_image *image = make_picture(ctx, 9, 9, 3, SATF_U8), *outs[8];
    satf_metadata *m = &image->metadata;
    m->text_bytes = m->text_ahead = 8 + TEXT;
    m->text = satf_alloc_zeroed(m->text_bytes);
    assert_non_null(m->text);
    memcpy(m->text, head, sizeof head);
    satf_write_options options = options_for("png");
    void *data;
    size_t n;
    assert_int_equal(satf_image_encode(ctx, image, &options, &data, &n), SATF_OK);
    satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, LIMIT);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(satf_image_decode(ctx, data, n, &outs[i]), SATF_OK);
        assert_int_equal(outs[i]->metadata.text_bytes, 8 + TEXT);
    }
    for (int i = 0; i < 8; i++) {
        satf_image_destroy(outs[i]);
    }
    satf_buffer_free(data);
    satf_image_destroy(image);
}

/* A JPEG's metadata stand in front of its pixels. What is between scans is not kept. */
TEST(between_scans)
{
    enum { SEGMENT = 60000, COUNT = 2000, MARKER = 2 };
    static const int markers[] = {0xe1, 0xe2, 0xed};
    bytes file = make_jpeg(16, 1, true, 0);
    size_t at = file.n - MARKER, all = (size_t)COUNT * (MARKER + SEGMENT);
    while (memcmp(file.data + at, "\xff\xda", MARKER) != 0) {
        at--;
    }
    SCOPED unsigned char *large = calloc(1, file.n + all);
    assert_non_null(large);
    memcpy(large, file.data, at);
    memcpy(large + at + all, file.data + at, file.n - at);
    satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, LIMIT);
    for (size_t i = 0; i < sizeof markers / sizeof *markers; i++) {
        for (int k = 0; k < COUNT; k++) {
            unsigned char *to = large + at + (size_t)k * (MARKER + SEGMENT);
            memcpy(to,
                   (unsigned char[]){0xff, (unsigned char)markers[i], SEGMENT >> 8, SEGMENT & 255},
                   4);
        }
        SCOPED_IMAGE *image = NULL;
        assert_true(WITHIN(ctx, "segments between scans",
                           satf_image_decode(ctx, large, file.n + all, &image)));
    }
    free(file.data);
}

#if defined REAL && !INTERPOSE_SANITIZED
TEST_FILE(.formats = "all", .folder = true)
#else
TEST_FILE(.skipped = "allocations cannot be counted here")
#endif