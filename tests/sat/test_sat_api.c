/* The public SAT functions: types, scratch, refusals, rectangle sums, names. */
#include "test.h"

#include "base/parallel.h"
#include "base/device/gpu.h"
#include "sat/cache.h"
#include "sat/sat.h"

enum { W = 61, H = 23 };

static satf_context *ctx;
static uint8_t image[H][W * 4];
static uint32_t table[H][W * 4];

static void make_image(void)
{
    for (int y = 0; y < H; y++) {
        for (int i = 0; i < W * 4; i++) {
            image[y][i] = (uint8_t)((y * 131 + i * i * 29 + i / 3) % 256);
        }
    }
}

static satf_view in_view(int channels)
{
    satf_view view = satf_view_packed(image, W, H, channels, SATF_U8);
    view.stride = sizeof image[0];
    return view;
}

static satf_view out_view(int channels)
{
    satf_view view = satf_view_packed(table, W, H, channels, SATF_U32);
    view.stride = sizeof table[0];
    return view;
}

static uint32_t brute_sum(satf_rect r, int channels, int c, int squared)
{
    uint32_t sum = 0;
    for (int64_t y = r.y; y < r.y + r.h; y++) {
        for (int64_t x = r.x; x < r.x + r.w; x++) {
            uint32_t a = image[y][x * channels + c];
            sum += squared ? a * a : a;
        }
    }
    return sum;
}

static void expect(satf_status got, satf_status want, const char *words)
{
    if (got != want || !strstr(satf_message(ctx), words)) {
        fail_msg("%s instead of %s with '%s'; the message is '%s'", satf_status_name(got),
                 satf_status_name(want), words, satf_message(ctx));
    }
}

TEST_ALONE(test_rect_sums)
{
    for (int channels = 1; channels <= 4; channels++) {
        for (unsigned squared = 0; squared <= SATF_SQUARED; squared++) {
            satf_view in = in_view(channels), out = out_view(channels);
            MUST(ctx, satf_sat(ctx, &in, &out, squared));
            static satf_rect rects[W * 9];
            static uint32_t sums[W * 9][4];
            size_t count = 0;
            for (int64_t x = 0; x < W; x += 3) {
                for (int64_t y = 0; y < H; y += 5) {
                    rects[count++] = (satf_rect){x, y, W - x, 1 + (x + y) % (H - y)};
                    rects[count++] = (satf_rect){x, y, 1, H - y};
                }
            }
            uint32_t *packed = sums[0];
            MUST(ctx, satf_rect_sums(ctx, &out, rects, count, 0, 0, packed));
            for (size_t k = 0; k < count; k++) {
                for (int c = 0; c < channels; c++) {
                    uint32_t want = brute_sum(rects[k], channels, c, (int)squared);
                    if (packed[k * (size_t)channels + (size_t)c] != want) {
                        fail_msg("%d channels, squared %u, rectangle %zu: %u instead of %u",
                                 channels, squared, k, packed[k * (size_t)channels + (size_t)c],
                                 want);
                    }
                }
            }
        }
    }
}

/* A table that wrapped still gives the exact sum of a rectangle that fits. */
TEST_ALONE(test_rect_of_wrapped_table)
{
    enum { N = 300 };
    static uint16_t big[N * N];
    static uint32_t sums[N * N];
    memset(big, 0xFF, sizeof big);
    satf_view in = satf_view_packed(big, N, N, 1, SATF_U16);
    satf_view out = satf_view_packed(sums, N, N, 1, SATF_U32);
    MUST(ctx, satf_sat(ctx, &in, &out, 0));
    assert_int_equal(sums[N * N - 1], (uint32_t)(65535ull * N * N)); /* it has wrapped */
    uint32_t sum;
    MUST(ctx, satf_rect_sums(ctx, &out, &(satf_rect){40, 40, 256, 256}, 1, 0, 0, &sum));
    assert_int_equal(sum, 65535u * 65536u);
    satf_type type;
    MUST(ctx, satf_sat_type(ctx, &in, 0, &type));
    assert_int_equal(type, SATF_U64);
}

TEST_ALONE(test_float_rects)
{
    float pixels[4] = {0.5f, 1.25f, -3, 8}, sums32[4], sum32;
    double sums64[4], sum64;
    satf_view in = satf_view_packed(pixels, 2, 2, 1, SATF_F32);
    satf_view out32 = satf_view_packed(sums32, 2, 2, 1, SATF_F32);
    satf_view out64 = satf_view_packed(sums64, 2, 2, 1, SATF_F64);
    satf_rect rect = {1, 1, 1, 1};
    MUST(ctx, satf_sat(ctx, &in, &out32, 0));
    MUST(ctx, satf_sat(ctx, &in, &out64, SATF_SQUARED));
    MUST(ctx, satf_rect_sums(ctx, &out32, &rect, 1, 0, 0, &sum32));
    MUST(ctx, satf_rect_sums(ctx, &out64, &rect, 1, 0, 0, &sum64));
    assert_true(sums32[3] == 6.75f && sum32 == 8 && sums64[2] == 9.25 && sum64 == 64);
}

/* Moved rectangles have the sums of those that lie there; leaving the table is an error. */
TEST_ALONE(test_moved_rects)
{
    satf_view in = in_view(3), out = out_view(3);
    MUST(ctx, satf_sat(ctx, &in, &out, 0));
    satf_rect rects[] = {{0, 0, 2, 3}, {1, 2, 3, 1}, {2, 1, 1, 1}, {0, 0, 5, 5}};
    uint32_t sums[4][3], *packed = sums[0];
    for (int64_t dy = 0; dy <= H - 5; dy++) {
        for (int64_t dx = 0; dx <= W - 5; dx++) {
            MUST(ctx, satf_rect_sums(ctx, &out, rects, 4, dx, dy, packed));
            for (int k = 0; k < 4; k++) {
                satf_rect at = {rects[k].x + dx, rects[k].y + dy, rects[k].w, rects[k].h};
                for (int c = 0; c < 3; c++) {
                    assert_int_equal(sums[k][c], brute_sum(at, 3, c, 0));
                }
            }
        }
    }
    memset(sums, 7, sizeof sums);
    static const int64_t beyond[][2] = {{-1, 0},    {0, -1},        {W - 4, 0},
                                        {0, H - 4}, {INT64_MAX, 0}, {0, INT64_MIN}};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        expect(satf_rect_sums(ctx, &out, rects, 4, beyond[i][0], beyond[i][1], packed),
               SATF_INVALID, "moved by");
        assert_int_equal(sums[0][0], 0x07070707);
    }
    rects[0].x = -4; /* inside once it is moved */
    MUST(ctx, satf_rect_sums(ctx, &out, rects, 1, 4, 0, packed));
    assert_int_equal(sums[0][1], brute_sum((satf_rect){0, 0, 2, 3}, 3, 1, 0));
}

/* Mean and variance by definition, in the documented roundings. */
static void check_stats(int channels, satf_type sum, satf_type square, const satf_rect *rects,
                        size_t count)
{
    static uint64_t tables[2][W * H * 4];
    double mean[64 * 4], variance[64 * 4];
    satf_view in = in_view(channels);
    satf_view sat = satf_view_packed(tables[0], W, H, channels, sum);
    satf_view squares = satf_view_packed(tables[1], W, H, channels, square);
    MUST(ctx, satf_sat(ctx, &in, &sat, 0));
    MUST(ctx, satf_sat(ctx, &in, &squares, SATF_SQUARED));
    MUST(ctx, satf_rect_stats(ctx, &sat, &squares, rects, count, 1, -1, mean, variance));
    for (size_t k = 0; k < count; k++) {
        for (int c = 0; c < channels; c++) {
            satf_rect at = {rects[k].x + 1, rects[k].y - 1, rects[k].w, rects[k].h};
            uint64_t area = (uint64_t)(at.w * at.h), s = brute_sum(at, channels, c, 0);
            uint64_t spread = area * brute_sum(at, channels, c, 1) - s * s;
            size_t i = k * (size_t)channels + (size_t)c;
            assert_true(mean[i] == (double)s / (double)area);
            assert_true(variance[i] == (double)spread / (double)(area * area));
        }
    }
}

TEST_ALONE(test_stats)
{
    satf_rect rects[64];
    for (int64_t k = 0; k < 64; k++) {
        int64_t x = k % 8 * (W - 2) / 8, y = k / 8 * (H - 2) / 8;
        rects[k] = (satf_rect){x - 1, y + 1, 1 + k * 5 % (W - x), 1 + k * 3 % (H - y)};
    }
    for (int channels = 1; channels <= 4; channels++) {
        for (int wide = 0; wide < 4; wide++) {
            check_stats(channels, wide & 1 ? SATF_U64 : SATF_U32, wide & 2 ? SATF_U64 : SATF_U32,
                        rects, 64);
        }
    }
}

/* Makes tables of those types in static memory; the stats of a rectangle there, moved by `by`. */
static void check_rect(const satf_view *in, satf_type sum, satf_type square, satf_rect rect,
                       int64_t by, double want_mean, double want_variance)
{
    static uint64_t tables[2][600 * 600];
    double mean, variance;
    satf_view sat = satf_view_packed(tables[0], in->width, in->height, 1, sum);
    satf_view squares = satf_view_packed(tables[1], in->width, in->height, 1, square);
    MUST(ctx, satf_sat(ctx, in, &sat, 0));
    MUST(ctx, satf_sat(ctx, in, &squares, SATF_SQUARED));
    MUST(ctx, satf_rect_stats(ctx, &sat, &squares, &rect, 1, by, by, &mean, &variance));
    assert_true(mean == want_mean && variance == want_variance);
}

/* Products beyond 64 bits, in a table of sums that has wrapped; and floats. */
TEST_ALONE(test_large_stats)
{
    static uint16_t big[600 * 600];
    double pixels[4] = {0.5, 1.25, -3, 8};
    float narrow[4] = {0.5f, 1.25f, -3, 8};
    for (int i = 0; i < 300 * 300; i++) {
        big[i] = i % 2 ? 65535 : 65533;
    }
    satf_view in = satf_view_packed(big, 300, 300, 1, SATF_U16);
    check_rect(&in, SATF_U32, SATF_U64, (satf_rect){40, 40, 256, 256}, 0, 65534, 1);
    for (int i = 0; i < 600 * 600; i++) {
        big[i] = i % 2 ? 65535 : 1;
    }
    in = satf_view_packed(big, 600, 600, 1, SATF_U16);
    check_rect(&in, SATF_U64, SATF_U64, (satf_rect){3, 5, 512, 512}, 40, 32768, 32767.0 * 32767);
    in = satf_view_packed(pixels, 2, 2, 1, SATF_F64);
    check_rect(&in, SATF_F64, SATF_F64, (satf_rect){0, 0, 2, 2}, 0, 6.75 / 4,
               (4 * 74.8125 - 6.75 * 6.75) / 16);
    in = satf_view_packed(narrow, 2, 2, 1, SATF_F32);
    check_rect(&in, SATF_F32, SATF_F64, (satf_rect){1, 1, 1, 1}, 0, 8, 0);
}

TEST_ALONE(test_stats_refusals)
{
    static uint32_t sums[W * H * 4];
    double out[2] = {7, 7};
    satf_view sat = satf_view_packed(sums, W, H, 1, SATF_U32), other = sat;
    satf_rect rect = {0, 0, 1, 1}, wide = {0, 0, W + 1, 1};
    satf_view *squares = &other;
#define STATS(rects, count) satf_rect_stats(ctx, &sat, squares, rects, count, 0, 0, out, out + 1)
    other.width--;
    expect(STATS(&rect, 1), SATF_INVALID, "table of squares");
    other = sat;
    other.type = SATF_F64;
    other.stride *= 2;
    expect(STATS(&rect, 1), SATF_INVALID, "is not like that of sums");
    other.type = SATF_U16;
    expect(STATS(&rect, 1), SATF_UNSUPPORTED, "table of squares of u16");
    other = sat;
    other.data = NULL;
    expect(STATS(&rect, 1), SATF_INVALID, "no data");
    other = sat;
    expect(STATS(&wide, 1), SATF_INVALID, "rectangle 0");
    expect(STATS(NULL, 1), SATF_INVALID, "missing");
    expect(satf_rect_stats(ctx, &sat, &sat, &rect, 1, 0, 0, out, NULL), SATF_INVALID, "missing");
    assert_int_equal(satf_rect_stats(NULL, &sat, &sat, &rect, 1, 0, 0, out, out), SATF_INVALID);
    assert_int_equal(STATS(NULL, 0), SATF_OK);
    assert_true(out[0] == 7 && out[1] == 7);
#undef STATS
}

TEST_ALONE(test_types)
{
    static const struct {
        int64_t width, height;
        satf_type in;
        unsigned flags;
        satf_type out;
    } rows[] = {
        {4096, 4096, SATF_U8, 0, SATF_U32},          {1, 16843009, SATF_U8, 0, SATF_U32},
        {1, 16843010, SATF_U8, 0, SATF_U64},         {1, 66051, SATF_U8, SATF_SQUARED, SATF_U32},
        {1, 66052, SATF_U8, SATF_SQUARED, SATF_U64}, {65537, 1, SATF_U16, 0, SATF_U32},
        {65538, 1, SATF_U16, 0, SATF_U64},           {1, 1, SATF_F32, 0, SATF_F64},
        {9, 9, SATF_F64, SATF_SQUARED, SATF_F64},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        satf_view view = satf_view_packed(NULL, rows[i].width, rows[i].height, 1, rows[i].in);
        satf_type type;
        MUST(ctx, satf_sat_type(ctx, &view, rows[i].flags, &type));
        assert_int_equal(type, rows[i].out);
    }
    satf_type type;
    satf_view vast = satf_view_packed(NULL, (int64_t)1 << 31, (int64_t)1 << 28, 1, SATF_U16);
    expect(satf_sat_type(ctx, &vast, SATF_SQUARED, &type), SATF_LIMIT, "64 bits");
}

/* Every row works in exactly the scratch that is reported, at any address. */
TEST_ALONE(test_scratch)
{
    const char *kind, *name;
    for (size_t i = 0; (name = satf_algorithm(i, &kind, NULL)); i++) {
        if (strcmp(kind, "cpu") != 0) {
            continue;
        }
        satf_view in = in_view(3), out = out_view(3);
        size_t bytes;
        MUST(ctx, satf_context_set_algorithm(ctx, name));
        MUST(ctx, satf_sat_scratch(ctx, &in, &out, 0, &bytes));
        for (size_t offset = 0; offset < 65; offset += 13) {
            SCOPED unsigned char *memory = malloc(bytes + offset + 64);
            assert_non_null(memory);
            memset(memory, 0xA5, bytes + offset + 64);
            MUST(ctx, satf_context_set_scratch(ctx, memory + offset, bytes));
            memset(table, 0, sizeof table);
            MUST(ctx, satf_sat(ctx, &in, &out, 0));
            assert_int_equal(table[H - 1][(W - 1) * 3 + 2],
                             brute_sum((satf_rect){0, 0, W, H}, 3, 2, 0));
            for (size_t k = 0; k < 64; k++) {
                assert_int_equal(memory[bytes + offset + k], 0xA5);
                assert_true(k >= offset || memory[k] == 0xA5);
            }
            if (bytes > 1) {
                MUST(ctx, satf_context_set_scratch(ctx, memory, bytes - 1));
                expect(satf_sat(ctx, &in, &out, 0), SATF_INVALID, "scratch");
            }
        }
        MUST(ctx, satf_context_set_scratch(ctx, NULL, 0));
    }
}

TEST_ALONE(test_refusals)
{
    satf_view in = in_view(1), out = out_view(1), bad;
    size_t bytes;
    uint32_t sum;
    memset(table, 0x5A, sizeof table);
    assert_int_equal(satf_sat(NULL, &in, &out, 0), SATF_INVALID);
    expect(satf_sat(ctx, NULL, &out, 0), SATF_INVALID, "input view is missing");
    expect(satf_sat(ctx, &in, NULL, 0), SATF_INVALID, "output view is missing");
    expect(satf_sat(ctx, &in, &out, 2), SATF_INVALID, "flags");
    bad = out, bad.width--;
    expect(satf_sat(ctx, &in, &bad, 0), SATF_INVALID, "must be the same");
    bad = out, bad.type = SATF_F64, bad.stride = W * 8;
    expect(satf_sat(ctx, &in, &bad, 0), SATF_UNSUPPORTED, "u32 or u64");
    bad = in, bad.type = SATF_U32;
    expect(satf_sat(ctx, &bad, &out, 0), SATF_UNSUPPORTED, "cannot be summed");
    bad = in, bad.type = SATF_F32;
    expect(satf_sat(ctx, &bad, &out, 0), SATF_UNSUPPORTED, "f32 or f64");
    bad = out, bad.data = NULL;
    expect(satf_sat(ctx, &in, &bad, 0), SATF_INVALID, "no data");
    bad = out, bad.data = image, bad.stride = -bad.stride;
    expect(satf_sat(ctx, &in, &bad, 0), SATF_INVALID, "overlaps");
    bad = out, bad.device = SATF_CUDA(0);
    expect(satf_sat(ctx, &in, &bad, 0), SATF_INVALID, "one device");
    bad.device = -2;
    expect(satf_sat(ctx, &in, &bad, 0), SATF_INVALID, "device -2");
    if (satf_gpu_count(NULL) == 0) {
        satf_view there = in;
        there.device = bad.device = SATF_CUDA(0);
        expect(satf_sat(ctx, &there, &bad, 0), SATF_NO_DEVICE, "no CUDA device");
        expect(satf_sat_scratch(ctx, &there, &bad, 0, &bytes), SATF_NO_DEVICE, "no CUDA device");
    }
    expect(satf_sat_scratch(ctx, &in, &out, 0, NULL), SATF_INVALID, "number of bytes");
    expect(satf_sat_type(ctx, &in, 0, NULL), SATF_INVALID, "type");
    MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 64));
    expect(satf_sat(ctx, &in, &out, 0), SATF_LIMIT, "limit: max-memory");
    MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 0));
    for (int i = 0; i < W; i++) {
        assert_int_equal(table[0][i], 0x5A5A5A5A);
    }
    MUST(ctx, satf_sat(ctx, &in, &out, 0));

    static const satf_rect outside[] = {{-1, 0, 1, 1}, {0, -1, 1, 1},        {0, 0, 0, 1},
                                        {0, 0, 1, 0},  {W, 0, 1, 1},         {0, 0, W + 1, 1},
                                        {1, 0, W, 1},  {0, 1, 1, H},         {0, 0, 1, INT64_MAX},
                                        {0, H, 1, 1},  {1, 1, INT64_MAX, 1}, {0, 0, -1, 1}};
    for (size_t k = 0; k < sizeof outside / sizeof *outside; k++) {
        sum = 77;
        expect(satf_rect_sums(ctx, &out, &outside[k], 1, 0, 0, &sum), SATF_INVALID, "rectangle 0");
        assert_int_equal(sum, 77);
    }
    expect(satf_rect_sums(ctx, &out, NULL, 1, 0, 0, &sum), SATF_INVALID, "missing");
    expect(satf_rect_sums(ctx, &in, outside, 0, 0, 0, &sum), SATF_UNSUPPORTED, "table of u8");
    MUST(ctx, satf_rect_sums(ctx, &out, NULL, 0, 0, 0, NULL));
    MUST(ctx, satf_sat_scratch(ctx, &in, &out, 0, &bytes));
}

TEST_ALONE(test_algorithms)
{
    const char *name, *kind, *help;
    int found = 0;
    for (size_t i = 0; (name = satf_algorithm(i, &kind, &help)); i++) {
        assert_true(strcmp(kind, "cpu") == 0 || strcmp(kind, "cuda") == 0);
        assert_true(help && *help && !strchr(help, '\n'));
        MUST(ctx, satf_context_set_algorithm(ctx, name));
        found += strcmp(kind, "cpu") == 0;
    }
    assert_int_equal(found, 7);
    satf_view in = in_view(1), out = out_view(1);
    static const char *const cuda_only[] = {"4r4w", "skss", "lookback"};
    for (size_t i = 0; i < sizeof cuda_only / sizeof *cuda_only; i++) {
        MUST(ctx, satf_context_set_algorithm(ctx, cuda_only[i]));
        expect(satf_sat(ctx, &in, &out, 0), SATF_UNSUPPORTED, "needs a CUDA device");
        expect(satf_sat(ctx, &in, &out, 0), SATF_UNSUPPORTED, cuda_only[i]);
    }
    MUST(ctx, satf_context_set_algorithm(ctx, "auto"));
    expect(satf_context_set_algorithm(ctx, "3r3w"), SATF_INVALID, "'3r3w'");
    expect(satf_context_set_algorithm(ctx, "3r3w"), SATF_INVALID,
           "auto 2r2w 4r1w 2r1w 1r1w 1+r blocked");
    if (sat_algorithm_find("lookback", "cuda")) {
        expect(satf_context_set_algorithm(ctx, "3r3w"), SATF_INVALID, "skss lookback");
    }
    expect(satf_context_set_algorithm(ctx, ""), SATF_INVALID, "no algorithm");
    expect(satf_context_set_algorithm(ctx, NULL), SATF_INVALID, "missing");
    MUST(ctx, satf_sat(ctx, &in, &out, 0)); /* still "auto" */
    MUST(ctx, satf_context_set_r(ctx, 0.5));
    expect(satf_sat(ctx, &in, &out, 0), SATF_UNSUPPORTED, "r = 0.5");
    MUST(ctx, satf_context_set_algorithm(ctx, "1+r"));
    MUST(ctx, satf_sat(ctx, &in, &out, 0));
}

static int stop_later(void *user, double done)
{
    int *calls = user;
    return done < 0 || done > 1 || ++*calls > 1;
}

/* Cancelling ends the work on all threads, and the context goes on working. */
TEST_ALONE(test_cancel)
{
    enum { N = 2000 };
    static uint8_t tall[N * 8];
    static uint32_t sums[N * 8];
    satf_view in = satf_view_packed(tall, 8, N, 1, SATF_U8);
    satf_view out = satf_view_packed(sums, 8, N, 1, SATF_U32);
    memset(tall, 1, sizeof tall);
    static const char *const algorithms[] = {"auto", "2r1w", "1r1w", "1+r"};
    for (int i = 0; i < 5 * 4; i++) {
        int threads = 1 + i / 4, calls = 0;
        MUST(ctx, satf_context_set_algorithm(ctx, algorithms[i % 4]));
        MUST(ctx, satf_context_set_threads(ctx, threads));
        MUST(ctx, satf_context_set_progress(ctx, stop_later, &calls));
        satf_status status = satf_sat(ctx, &in, &out, 0);
        /* a slow caller may find a single band left for itself */
        assert_true(status == SATF_CANCELLED || (threads > 1 && calls < 2));
        MUST(ctx, satf_context_set_progress(ctx, NULL, NULL));
        MUST(ctx, satf_sat(ctx, &in, &out, 0));
        assert_int_equal(sums[N * 8 - 1], N * 8);
    }
}

static void check_variants(const sat_algorithm *algorithm, const sat_job *job)
{
    enum { MOST = 32 };
    sat_tuning variants[MOST];
    for (size_t n = 0; algorithm->variant(job, n, &variants[n]); n++) {
        sat_job asking = *job;
        asking.tuning = variants[n];
        assert_null(algorithm->refuses(&asking));
        for (size_t i = 0; i < n; i++) {
            assert_memory_not_equal(&variants[i], &variants[n], sizeof *variants);
        }
        assert_true(n + 1 < MOST);
    }
}

/* Of the variants of a device's algorithm, where this build has it, no two are alike and none is
 * refused. */
TEST_ALONE(test_variants)
{
    for (size_t a = 0; sat_algorithm_at(a); a++) {
        for (int i = 0; i < SAT_TUNED_PAIRS * 8 && sat_algorithm_at(a)->variant; i++) {
            sat_job job = sat_tuned_job(i / 8);
            job.in.device = SATF_CUDA(0);
            job.in.channels = 1 + i % 4;
            job.summand = i / 4 % 2 ? SATF_SUMMAND_SQUARE : SATF_SUMMAND_PLAIN;
            check_variants(sat_algorithm_at(a), &job);
        }
    }
}

static int begin(void **unused)
{
    (void)unused;
    make_image();
    return 0;
}

TEST_FILE(.shared = true, .begin = begin, .context = &ctx)
