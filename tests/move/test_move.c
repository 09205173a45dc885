/* Moved pixels against their definition: every symmetry and order, every kernel, any memory. */
#include "test.h"

#include "base/parallel.h"
#include "base/cpu.h"
#include "base/memory.h"
#include "move_reference.h"
#include "pairs.h"

/* Beside tiles and vectors; lines and columns of one pixel; longer than a chunk. */
static const int64_t sizes[][2] = {{1, 1},    {1, 97},   {97, 1},  {2, 3},    {17, 16},
                                   {33, 63},  {64, 64},  {65, 31}, {131, 67}, {128, 129},
                                   {4099, 2}, {3, 4099}, {8, 70},  {131, 8}};
enum { SIZES = sizeof sizes / sizeof *sizes, GUARD = 0xa5 };

typedef struct test_case {
    int64_t width, height;
    int channels;
    satf_type type;
    int symmetry; /* of ref_symmetries, or -1: an order */
    satf_isa isa;
    int threads;
    uint64_t seed; /* of the pixels, and how the memory lies */
} test_case;

static void fail_case(const test_case *t, const char *what, int64_t pixel)
{
    fail_msg("%s, %s: %ld x %ld, %d channels of %s, %s, %d threads, seed %lu: pixel %ld",
             t->symmetry < 0 ? "order" : ref_symmetries[t->symmetry].spec, what, (long)t->width,
             (long)t->height, t->channels, satf_type_name(t->type), satf_isa_name(t->isa),
             t->threads, (unsigned long)t->seed, (long)pixel);
}

/* Nothing but the rows has been written. */
static void check_guards(const test_case *t, const ref_guarded *g)
{
    int64_t used = satf_row_samples(&g->view) * (int64_t)satf_type_bytes(g->view.type);
    int64_t row = g->view.stride < 0 ? -g->view.stride : g->view.stride;
    for (int64_t first = 0; first < (int64_t)g->bytes; first += row) {
        for (int64_t i = first + used; i < first + row && i < (int64_t)g->bytes; i++) {
            if ((unsigned char)g->first[i] != GUARD) {
                fail_case(t, "written between rows", i / row);
            }
        }
    }
}

static int64_t wrong_order(const satf_view *in, const satf_view *out, const uint32_t *order)
{
    size_t bytes = (size_t)in->channels * satf_type_bytes(in->type);
    for (int64_t k = 0; k < in->width * in->height; k++) {
        const char *got = (char *)satf_row(out, k / out->width) + (size_t)(k % out->width) * bytes;
        const char *want =
            (char *)satf_row(in, order[k] / in->width) + (size_t)(order[k] % in->width) * bytes;
        if (memcmp(got, want, bytes) != 0) {
            return k;
        }
    }
    return -1;
}

static void check_result(const test_case *t, const char *what, const satf_view *in,
                         const ref_guarded *out, const uint32_t *numbers)
{
    int64_t wrong = t->symmetry < 0 ? wrong_order(in, &out->view, numbers)
                                    : ref_wrong_pixel(t->symmetry, in, &out->view);
    if (wrong >= 0) {
        fail_case(t, what, wrong);
    }
    check_guards(t, out);
}

static void run_case(const test_case *t)
{
    uint64_t s = t->seed;
    bool swaps = t->symmetry >= 0 && ref_swaps(t->symmetry);
    ref_guarded in = ref_guarded_view(t->width, t->height, t->channels, t->type, (int64_t)(s % 4),
                                      s & 4, s & 8, GUARD);
    ref_guarded out =
        ref_guarded_view(swaps ? t->height : t->width, swaps ? t->width : t->height, t->channels,
                         t->type, (int64_t)(s / 16 % 5) * 7, s & 32, s & 64, GUARD);
    int64_t pixels = t->width * t->height;
    SCOPED int64_t *order = malloc((size_t)pixels * sizeof *order);
    SCOPED uint32_t *numbers = malloc((size_t)pixels * sizeof *numbers);
    if (t->symmetry < 0) {
        ref_shuffle(order, pixels, s);
    }
    for (int64_t i = 0; i < pixels && t->symmetry < 0; i++) {
        numbers[i] = (uint32_t)order[i];
    }
    ref_noise(&in.view, s);
    move_job job = {in.view, out.view, t->symmetry < 0 ? 0 : ref_symmetries[t->symmetry].symmetry,
                    t->symmetry < 0 ? numbers : NULL};

    SCOPED_CONTEXT *ctx;
    assert_int_equal(satf_context_create(&ctx), SATF_OK);
    MUST(ctx, satf_context_set_threads(ctx, t->threads));
    satf_cpu_limit(t->isa);
    MUST(ctx, move_run(ctx, &job));
    check_result(t, "move_run", &in.view, &out, numbers);

    /* The same in bands of rows. */
    int64_t band = 1 + (int64_t)(s % 70);
    memset(out.first, GUARD, out.bytes);
    for (int64_t y = 0; y < out.view.height; y += band) {
        int64_t n = out.view.height - y < band ? out.view.height - y : band;
        move_rows(&job, y, n, satf_row(&out.view, y), out.view.stride);
    }
    check_result(t, "move_rows", &in.view, &out, numbers);
    satf_cpu_limit(SATF_ISA_COUNT);
    ref_guarded_free(&in);
    ref_guarded_free(&out);
}

TEST(test_everything)
{
    static pairs met;
    uint64_t seed = 1;
    for (satf_isa isa = SATF_ISA_BASE; isa <= satf_cpu_isa(); isa++) {
        for (int type = SATF_U8; type <= SATF_F64; type++) {
            for (int channels = 1; channels <= SATF_MAX_CHANNELS; channels++) {
                for (int symmetry = -1; symmetry < REF_SYMMETRIES; symmetry++) {
                    for (int k = (int)isa; k < SIZES; k += 1 + (isa < satf_cpu_isa()), seed += 7) {
                        test_case t = {sizes[k][0], sizes[k][1], channels, (satf_type)type,
                                       symmetry,    isa,         1,        seed};
                        if (PAIRS_ONLY(&met, (int)isa * (REF_SYMMETRIES + 1) + symmetry + 1,
                                       type * 4 + channels - 1, k)) {
                            run_case(&t);
                        }
                    }
                }
            }
        }
    }
}

/* Results that go around the caches, in several tasks, the first one in two rounds; aligned, as
 * tiles want it, and not. */
TEST(test_large)
{
    static const struct {
        int64_t width, height;
        int channels;
        satf_type type;
        int symmetry;
        uint64_t seed;
    } images[] = {
        {3072, 5504, 1, SATF_F32, 5, 8 + 64},  {3071, 3700, 3, SATF_U8, 7, 8 + 64},
        {2112, 4160, 1, SATF_F32, 7, 8 + 64},  {1411, 8192, 3, SATF_U8, 4, 8 + 64},
        {3000, 3800, 3, SATF_U8, 1, 3 + 16},   {2000, 3000, 3, SATF_U16, 2, 3 + 16},
        {2048, 2113, 1, SATF_F64, -1, 8 + 64},
    };
    for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
        test_case t = {images[i].width,    images[i].height, images[i].channels, images[i].type,
                       images[i].symmetry, satf_cpu_isa(),   1 + (int)i % 3,     images[i].seed};
        run_case(&t);
    }
}

/* One symmetry after the other is the composition. */
TEST(test_compose)
{
    enum { W = 3, H = 5 };
    for (int a = 0; a < REF_SYMMETRIES; a++) {
        for (int b = 0; b < REF_SYMMETRIES; b++) {
            unsigned both = move_compose(ref_symmetries[a].symmetry, ref_symmetries[b].symmetry);
            int c = 0;
            while (c < REF_SYMMETRIES && ref_symmetries[c].symmetry != both) {
                c++;
            }
            assert_true(c < REF_SYMMETRIES);
            int64_t w = ref_swaps(a) ? H : W, h = ref_swaps(a) ? W : H; /* between the two */
            assert_int_equal(ref_swaps(a) ^ ref_swaps(b), ref_swaps(c));
            for (int64_t y = 0; y < (ref_swaps(c) ? W : H); y++) {
                for (int64_t x = 0; x < (ref_swaps(c) ? H : W); x++) {
                    int64_t u, v, p, q, r, s;
                    ref_source(b, w, h, x, y, &u, &v);
                    ref_source(a, W, H, u, v, &p, &q);
                    ref_source(c, W, H, x, y, &r, &s);
                    assert_true(p == r && q == s);
                }
            }
        }
    }
}

static int stop_at_half(void *user, double done)
{
    *(double *)user = done;
    return done >= 0.5;
}

TEST(test_cancelled)
{
    enum { N = 10000 };
    /* others could do all the work while the calling thread, which alone reports, waits */
    MUST(ctx, satf_context_set_threads(ctx, 1));
    char *memory = satf_alloc(2 * (size_t)N * N);
    assert_non_null(memory);
    memset(memory, 1, (size_t)N * N);
    for (int symmetry = 0; symmetry < REF_SYMMETRIES; symmetry++) {
        double done = -1;
        move_job job = {satf_view_packed(memory, N, N, 1, SATF_U8),
                        satf_view_packed(memory + (size_t)N * N, N, N, 1, SATF_U8),
                        ref_symmetries[symmetry].symmetry, NULL};
        satf_context_set_progress(ctx, stop_at_half, &done);
        satf_progress_begin(ctx);
        assert_int_equal(move_run(ctx, &job), SATF_CANCELLED);
        assert_true(done >= 0.5 && done < 1);
    }
    satf_free(memory);
}

/* ------------------------------------------------------------------- metadata */

static void put(unsigned char *at, bool big, int n, uint32_t value)
{
    for (int i = 0; i < n; i++) {
        at[i] = (unsigned char)(value >> 8 * (big ? n - 1 - i : i));
    }
}

static uint32_t get(const unsigned char *at, bool big, int n)
{
    uint32_t value = 0;
    for (int i = 0; i < n; i++) {
        value |= (uint32_t)at[i] << 8 * (big ? n - 1 - i : i);
    }
    return value;
}

static void put_entry(unsigned char *at, bool big, uint32_t tag, uint32_t type, uint32_t value)
{
    put(at, big, 2, tag);
    put(at + 2, big, 2, type);
    put(at + 4, big, 4, 1);
    put(at + 8, big, type == 3 ? 2 : 4, value);
}

/* Where entries are: of the first directory, and of the other. */
#define ENTRY(k) (10 + 12 * (k))
#define MORE_AT (ENTRY(6) + 4)
#define MORE_ENTRY(k) (MORE_AT + 2 + 12 * (k))
enum { EXIF_BYTES = MORE_ENTRY(2) + 4, ORIENTATION = ENTRY(2) + 8 };

/* Width and height, orientation, two resolutions, and a directory of width and height. */
static void make_exif(unsigned char *to, bool big, uint32_t orientation)
{
    memset(to, 0, EXIF_BYTES);
    memcpy(to, big ? "MM\0*" : "II*\0", 4);
    put(to + 4, big, 4, 8);
    put(to + 8, big, 2, 6);
    put_entry(to + ENTRY(0), big, 0x100, 4, 90000);
    put_entry(to + ENTRY(1), big, 0x101, 4, 600);
    put_entry(to + ENTRY(2), big, 0x112, 3, orientation);
    put_entry(to + ENTRY(3), big, 0x11a, 5, 1000); /* where the rational would be */
    put_entry(to + ENTRY(4), big, 0x11b, 5, 2000);
    put_entry(to + ENTRY(5), big, 0x8769, 4, MORE_AT);
    put(to + MORE_AT, big, 2, 2);
    put_entry(to + MORE_ENTRY(0), big, 0xa002, 4, 70000); /* of another type than the height */
    put_entry(to + MORE_ENTRY(1), big, 0xa003, 3, 400);
}

/* The orientation's number is that of what viewers do, in this order. */
static const int shown_by[9] = {-1, 0, 1, 2, 3, 4, 5, 6, 7};

TEST(test_orientation)
{
    enum { W = 3, H = 5 };
    for (uint32_t orientation = 1; orientation <= 8; orientation++) {
        for (int symmetry = 0; symmetry < REF_SYMMETRIES; symmetry++) {
            unsigned char exif[EXIF_BYTES];
            bool big = symmetry % 2;
            make_exif(exif, big, orientation);
            satf_metadata m = {.exif = exif, .exif_bytes = EXIF_BYTES};
            move_metadata(ref_symmetries[symmetry].symmetry, &m);
            uint32_t found = get(exif + ORIENTATION, big, 2);
            assert_in_range(found, 1, 8);
            int before = shown_by[orientation], after = shown_by[found];
            /* the moved form of what was shown is what the moved picture is shown as */
            int64_t sw = ref_swaps(before) ? H : W, sh = ref_swaps(before) ? W : H;
            int64_t tw = ref_swaps(symmetry) ? H : W, th = ref_swaps(symmetry) ? W : H;
            assert_int_equal(ref_swaps(before), ref_swaps(after));
            for (int64_t y = 0; y < (ref_swaps(symmetry) ? sw : sh); y++) {
                for (int64_t x = 0; x < (ref_swaps(symmetry) ? sh : sw); x++) {
                    int64_t u, v, p, q, r, s;
                    ref_source(symmetry, sw, sh, x, y, &u, &v);
                    ref_source(before, W, H, u, v, &p, &q);
                    ref_source(after, tw, th, x, y, &u, &v);
                    ref_source(symmetry, W, H, u, v, &r, &s);
                    assert_true(p == r && q == s);
                }
            }
        }
    }
}

TEST(test_sides)
{
    for (int symmetry = 0; symmetry < REF_SYMMETRIES; symmetry++) {
        unsigned char exif[EXIF_BYTES];
        bool swaps = ref_swaps(symmetry), big = symmetry % 2;
        make_exif(exif, big, 1);
        satf_metadata m = {.exif = exif, .exif_bytes = EXIF_BYTES, .has_resolution = true};
        m.resolution_x = 3, m.resolution_y = 4;
        move_metadata(ref_symmetries[symmetry].symmetry, &m);
        assert_true(m.resolution_x == (swaps ? 4 : 3) && m.resolution_y == (swaps ? 3 : 4));
        assert_int_equal(get(exif + ENTRY(0) + 8, big, 4), swaps ? 600 : 90000);
        assert_int_equal(get(exif + ENTRY(1) + 8, big, 4), swaps ? 90000 : 600);
        assert_int_equal(get(exif + ENTRY(3) + 8, big, 4), swaps ? 2000 : 1000);
        assert_int_equal(get(exif + ENTRY(4) + 8, big, 4), swaps ? 1000 : 2000);
        assert_int_equal(get(exif + MORE_ENTRY(0) + 2, big, 2), swaps ? 3 : 4);
        assert_int_equal(get(exif + MORE_ENTRY(0) + 8, big, swaps ? 2 : 4), swaps ? 400 : 70000);
        assert_int_equal(get(exif + MORE_ENTRY(1) + 8, big, swaps ? 4 : 2), swaps ? 70000 : 400);
    }
}

/* What is cut, or damaged in a byte, is neither read nor written past its end. */
TEST(test_damaged_exif)
{
    unsigned char whole[EXIF_BYTES];
    for (int big = 0; big < 2; big++) {
        make_exif(whole, big, 6);
        for (int bytes = 0; bytes <= EXIF_BYTES; bytes++) {
            for (int at = -1; at < bytes; at++) {
                ref_guarded g = ref_guarded_view(bytes + !bytes, 1, 1, SATF_U8, 0, 0, 0, 0);
                memcpy(g.first, whole, (size_t)bytes);
                if (at >= 0) {
                    g.first[at] = (char)0xff;
                }
                satf_metadata m = {.exif = (unsigned char *)g.first, .exif_bytes = (size_t)bytes};
                move_metadata(MOVE_TRANSPOSE, &m);
                if (bytes < ENTRY(2) && at < 0) {
                    assert_memory_equal(g.first, whole, (size_t)bytes);
                }
                ref_guarded_free(&g);
            }
        }
    }
}

/* XMP's orientation, wherever it is one, is EXIF's. */
TEST(test_xmp)
{
    static const char *const cases[][2] = {
        {"<x tiff:Orientation=\"6\"/>", "<x tiff:Orientation=\"8\"/>"},
        {"<x tiff:Orientation = '1' />", "<x tiff:Orientation = '1' />"},
        {"<tiff:Orientation>8</tiff:Orientation>", "<tiff:Orientation>6</tiff:Orientation>"},
        {"<tiff:Orientation>\n5\n</tiff:Orientation>",
         "<tiff:Orientation>\n7\n</tiff:Orientation>"},
        {"tiff:Orientation=\"66\"", "tiff:Orientation=\"66\""},
        {"tiff:Orientation=\"0\"", "tiff:Orientation=\"0\""},
        {"tiff:Orientation6 ", "tiff:Orientation6 "},
        {"tiff:Orientation=\"6", "tiff:Orientation=\"6"},
        {"tiff:Orientation", "tiff:Orientation"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = strlen(cases[i][0]);
        SCOPED unsigned char *copy = malloc(n + 1);
        memcpy(copy, cases[i][0], n);
        satf_metadata m = {.xmp = copy, .xmp_bytes = n};
        move_metadata(MOVE_FLIP_H, &m);
        assert_memory_equal(copy, cases[i][1], n);
    }
}

TEST_FILE(.shared = true)
