/*
 * A result depends on its window alone: whatever a sample beyond it becomes, no bit changes; and
 * where a sample in it changes, some results do. What a pixel's window is, borders included, is
 * reckoned here from what --help and docs/design.md say. Left out are results of the whole picture
 * by definition: wolf, integral, threshold=otsu and scale=auto; and floats by tables, which the
 * template reads and whoever names an engine or an algorithm: docs/design.md bounds their errors by
 * the whole picture.
 */
#include "test.h"

#include "base/border.h"
#include "base/view.h"
#include "filter_make.h"
#include "filter_reference.h"

enum { W = 61, H = 39, POKES = 7, SAMPLES = W * H * 4 };

/* How results depend on pixels. */
typedef enum shape {
    UNKNOWN,
    PIXEL,
    WINDOW,
    TWICE,   /* windows of the means of windows */
    CORNERS, /* windows that have the pixel in a corner */
    LINES,
    SHARES, /* cells of a coarser grid */
    CELLS,  /* of so many pixels */
    MAP,    /* windows whose radius the map has */
    RECTS,
    MOVED,
    CUT, /* a part of the picture */
    WHOLE
} shape;

typedef struct local_case {
    const filter_info *info;
    shape shape;
    int type, channels, border;
    bool alpha;
    int64_t w, h, x, y; /* window, and where it lies */
    uint64_t seed;
} local_case;

static shape shape_of(const filter_info *info)
{
    static const struct {
        const char *name;
        shape shape;
    } others[] = {
        {"guided", TWICE},    {"kuwahara", CORNERS}, {"gauss", LINES},    {"dog", LINES},
        {"resize", SHARES},   {"pixelate", CELLS},   {"varbox", MAP},     {"template", RECTS},
        {"transpose", MOVED}, {"rotate", MOVED},     {"flip", MOVED},     {"permute", MOVED},
        {"crop", CUT},        {"grey", PIXEL},       {"by", PIXEL},       {"real", PIXEL},
        {"threshold", PIXEL}, {"wolf", WHOLE},       {"integral", WHOLE},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (strcmp(others[i].name, info->name) == 0) {
            return others[i].shape;
        }
    }
    return filter_param_of_kind(info, PARAM_SIZE) ? WINDOW : UNKNOWN;
}

/* ---------------------------------------------------------------- what depends on what */

/* Whether positions first ... first + length - 1 of n pixels show pixel i. */
static bool shows(int border, int64_t n, int64_t first, int64_t length, int64_t i)
{
    for (int64_t k = 0; k < length; k++) {
        if (satf_border_index(border, first + k, n) == i) {
            return true;
        }
    }
    return false;
}

/* What K passes of extended boxes reach, whose radius is that of Gwosdek (2011). */
static int64_t gaussian_reach(double sigma, int passes)
{
    return passes * ((int64_t)floor(0.5 * sqrt(12 * sigma * sigma / passes + 1) - 0.5) + 1);
}

static int64_t lines_reach(const char *name)
{
    return strcmp(name, "dog") == 0 ? gaussian_reach(1.5 * 2, 4) : gaussian_reach(1.5, 4);
}

/* Whether pixel `out` of the result depends on pixel i of n along an axis: window pixels, `at`
 * pixels behind. */
static bool depends(const local_case *c, int64_t n, int64_t window, int64_t at, int64_t result_n,
                    int64_t out, int64_t i)
{
    int border = c->border == SATF_VALID ? SATF_CLAMP : c->border;
    bool valid = c->border == SATF_VALID;
    int64_t before = window / 2 - at, reach = lines_reach(c->info->name);
    switch (c->shape) {
    case WINDOW:
        return shows(border, n, valid ? out : out - before, window, i);
    case CORNERS:
        return shows(border, n, valid ? out : out - window + 1, 2 * window - 1, i);
    case LINES:
        return shows(border, n, valid ? out : out - reach, 2 * reach + 1, i);
    case RECTS:
        return shows(border, n, valid ? out : out - at, window, i);
    case SHARES:
        return i * result_n < (out + 1) * n && (i + 1) * result_n > out * n;
    case CUT: /* by make_filter_of() */
        return i == n / 6 + out;
    case CELLS:
        return i / window == out / window;
    case TWICE:
        for (int64_t k = 0; k < window; k++) { /* in the mirrored window */
            int64_t mean = out + (valid ? window - 1 : 0) - (window - 1 - before) + k;
            mean = satf_border_index(border, mean, n);
            if (mean >= 0 && shows(border, n, mean - before, window, i)) {
                return true;
            }
        }
        return false;
    default:
        return out == i;
    }
}

static double radius_at(int64_t x, int64_t y)
{
    return (double)((x * 7 + y * 3) % 12) / 2;
}

static bool reaches(const local_case *c, const satf_view *out, int64_t x, int64_t y, int64_t at_x,
                    int64_t at_y)
{
    if (c->shape == MAP) {
        int64_t r = (int64_t)ceil(radius_at(x, y));
        return shows(c->border, W, x - r, 2 * r + 1, at_x) &&
               shows(c->border, H, y - r, 2 * r + 1, at_y);
    }
    if (c->shape == RECTS) { /* of make_filter_of() */
        return depends(c, W, 5, 3, out->width, x, at_x) &&
               depends(c, H, 7, 2, out->height, y, at_y);
    }
    return depends(c, W, c->w, c->x, out->width, x, at_x) &&
           depends(c, H, c->h, c->y, out->height, y, at_y);
}

/* ------------------------------------------------------------------------- a case */

static void put(int type, double value, char *to)
{
    float narrow = (float)value;
    double most = (double)satf_type_max(type);
    double whole = most > 0 ? fmin(fmax(value, 0), most) : 0;
    uint8_t u8 = (uint8_t)fmin(whole, 255);
    uint16_t u16 = (uint16_t)whole;
    memcpy(to,
           type == SATF_U8    ? (void *)&u8
           : type == SATF_U16 ? (void *)&u16
           : type == SATF_F32 ? (void *)&narrow
                              : (void *)&value,
           satf_type_bytes(type));
}

/* Noise, half of it about 1000 or in steps of 1 / 255; a third of the alphas is 0. */
static double sample_of(const local_case *c, uint64_t *seed, bool alpha)
{
    double random = (double)(ref_random(seed) >> 11) * 0x1p-53;
    double most = (double)satf_type_max(c->type);
    most = most > 0 ? most : 1;
    if (alpha) {
        return random < 0.3 ? 0 : random * most;
    }
    return most > 1           ? floor(random * (most + 1))
           : c->seed % 3 == 0 ? random
           : c->seed % 3 == 1 ? floor(random * 256) / 255
                              : 1000 + random;
}

static void fill(const local_case *c, const satf_view *in)
{
    uint64_t seed = c->seed;
    for (int64_t i = 0; i < W * H * c->channels; i++) {
        bool alpha = c->alpha && i % c->channels == c->channels - 1;
        put(c->type, sample_of(c, &seed, alpha),
            (char *)in->data + (size_t)i * satf_type_bytes(c->type));
    }
}

/* One of the values at a channel of a pixel; alpha 0 where there is alpha. */
static void poke(const local_case *c, const satf_view *in, int64_t x, int64_t y, int which)
{
    static const double values[POKES] = {0, 1e9, -1e9, (double)NAN, 0, 6e4, 0.5};
    int channel = (int)((x + y + which) % c->channels);
    bool alpha = c->alpha && (which == 4 || channel == c->channels - 1);
    channel = alpha ? c->channels - 1 : channel;
    put(c->type, alpha ? 0 : values[which],
        (char *)satf_row(in, y) + (size_t)(x * c->channels + channel) * satf_type_bytes(c->type));
}

static satf_filter *make(satf_context *ctx, const local_case *c)
{
    char size[64], place[64];
    snprintf(size, sizeof size, "%ldx%ld", (long)c->w, (long)c->h);
    snprintf(place, sizeof place, "%ld:%ld", (long)c->x, (long)c->y);
    satf_filter *filter = make_filter_of(ctx, c->info, c->border, size, place, W, H);
    if (c->shape == LINES) {
        assert_int_equal(satf_filter_set(ctx, filter, "sigma", "1.5"), SATF_OK);
    }
    if (strcmp(c->info->name, "dog") == 0) {
        assert_int_equal(satf_filter_set(ctx, filter, "ratio", "2"), SATF_OK);
    }
    if (strcmp(c->info->name, "threshold") == 0) {
        assert_int_equal(satf_filter_set(ctx, filter, "level", "1"), SATF_OK);
    }
    if (c->shape == MAP) {
        static double map[W * H];
        satf_view view = satf_view_packed(map, W, H, 1, SATF_F64);
        for (int64_t i = 0; i < W * H; i++) {
            map[i] = radius_at(i % W, i / W);
        }
        assert_int_equal(satf_filter_set_image(ctx, filter, &view), SATF_OK);
    }
    return filter;
}

/* Whether the context's engine takes it, and then what it makes of the picture. */
static bool run(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                const satf_view *out)
{
    satf_status status = satf_filter_apply(ctx, filter, in, out);
    if (status && status != SATF_UNSUPPORTED) {
        fail_msg("%s", satf_message(ctx));
    }
    return !status;
}

static void fail_case(const local_case *c, const char *what, int64_t x, int64_t y, int which,
                      int64_t at_x, int64_t at_y)
{
    fail_msg("%s of %s, %d channels%s, window %ldx%ld at %ld:%ld, border %s, seed %lu, poke %d at "
             "(%ld, %ld): %s at (%ld, %ld)",
             c->info->name, satf_type_name(c->type), c->channels, c->alpha ? " with alpha" : "",
             (long)c->w, (long)c->h, (long)c->x, (long)c->y, satf_border_name(c->border),
             (unsigned long)c->seed, which, (long)x, (long)y, what, (long)at_x, (long)at_y);
}

/* Compares the results of a picture with one sample poked; the number of pixels that differ. */
static int compare(const local_case *c, const satf_view *out, const char *before, int64_t x,
                   int64_t y, int which)
{
    size_t pixel = (size_t)satf_pixel_bytes(out);
    int changed = 0;
    for (int64_t i = 0; i < out->width * out->height; i++) {
        size_t at = (size_t)i * pixel;
        bool same = memcmp((const char *)out->data + at, before + at, pixel) == 0;
        changed += !same;
        if (!same && c->shape != MOVED && !reaches(c, out, i % out->width, i / out->width, x, y)) {
            fail_case(c, "another result", x, y, which, i % out->width, i / out->width);
        }
    }
    if (c->shape == MOVED && changed > 1) {
        fail_case(c, "several results", x, y, which, changed, 0);
    }
    return changed;
}

/* Adds to *changed the pixels that do. False if the engine does not take the filter. */
static bool check_case(satf_context *ctx, const local_case *c, int *changed)
{
    bool runs = true;
    static _Alignas(64) double in_memory[SAMPLES], before[SAMPLES], after[SAMPLES];
    satf_view in = satf_view_packed(in_memory, W, H, c->channels, (satf_type)c->type), out;
    in.flags = c->alpha ? SATF_ALPHA : 0;
    SCOPED_FILTER *filter = make(ctx, c);
    uint64_t seed = c->seed;
    if (!satf_filter_output(ctx, filter, &in, &out)) { /* the picture holds a window */
        fill(c, &in);
        out.data = before;
        runs = run(ctx, filter, &in, &out);
        if (runs) {
            for (int which = 0; which < POKES; which++) {
                int64_t x = (int64_t)(ref_random(&seed) >> 33) % W;
                int64_t y = (int64_t)(ref_random(&seed) >> 33) % H;
                if (which % 2) { /* where a shift may be looked for: ends, and eighths between */
                    x = (W - 1) * (x % 9) / 8;
                    y = (H - 1) * (y % 9) / 8;
                }
                fill(c, &in);
                poke(c, &in, x, y, which);
                out.data = after;
                assert_true(run(ctx, filter, &in, &out));
                *changed += compare(c, &out, (const char *)before, x, y, which);
            }
        }
    }
    return runs;
}

/* -------------------------------------------------------------------------- the product */

/* Channels, and whether the last is alpha. */
static const struct {
    int channels;
    bool alpha;
} layouts[] = {{1, false}, {3, false}, {2, true}, {4, true}};

static bool check_filter(satf_context *ctx, local_case *c)
{
    static const int64_t windows[][2] = {{7, 4}, {1, 1}, {37, 5}, {2, 9}, {70, 3}, {3, 90}};
    int changed = 0;
    bool runs = false;
    for (c->seed = 0; c->seed < 24; c->seed++) {
        size_t k = c->seed % 6, layout = c->seed / 2 % 4;
        c->border = (int)(c->seed * 5 % 7);
        c->border = c->shape == MAP && c->border == SATF_VALID ? SATF_CLAMP : c->border;
        c->channels = layouts[layout].channels;
        c->alpha = layouts[layout].alpha;
        c->w = c->shape == CORNERS && k > 3 ? 5 : windows[k][0];
        c->h = windows[k][1];
        bool placed = c->seed % 4 == 3 && filter_param_of_kind(c->info, PARAM_PLACE);
        c->x = placed ? c->w / 2 : 0;
        c->y = placed ? c->h / 2 - c->h + 1 : 0;
        runs = check_case(ctx, c, &changed) || runs;
    }
    if (runs && changed == 0) {
        fail_msg("%s of %s: no sample changes a result", c->info->name, satf_type_name(c->type));
    }
    return runs;
}

TEST(test_every_filter)
{
    static const int types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
    local_case c = {0};
    int checked = 0;
    for (size_t i = 0; (c.info = filter_info_at(i)); i++) {
        c.shape = shape_of(c.info);
        if (c.shape == UNKNOWN) {
            fail_msg("%s: say here what its results depend on", c.info->name);
        }
        for (int t = 0; t < 4; t++) {
            bool real = t > 1;
            c.type = types[t];
            for (int engine = SATF_ENGINE_AUTO; engine <= SATF_ENGINE_WINDOW; engine++) {
                bool tables = engine == SATF_ENGINE_SAT || c.shape == RECTS;
                satf_context_set_engine(ctx, (satf_engine)engine);
                if (c.shape != WHOLE && !(real && tables)) {
                    checked += check_filter(ctx, &c);
                }
            }
        }
    }
    satf_context_set_engine(ctx, SATF_ENGINE_AUTO);
    assert_true(checked > 200);
}

/* ------------------------------------------------------------------------- large pictures */

enum { WIDE = 600, HIGH = 400, BLOCK = 8 };

static void fill_large(float *pixels, int64_t x, int64_t y)
{
    uint64_t seed = 3;
    for (int64_t i = 0; i < WIDE * HIGH * 3; i++) {
        int64_t column = i / 3 % WIDE - x, row = i / 3 / WIDE - y;
        bool poked = column >= 0 && column < BLOCK && row >= 0 && row < BLOCK;
        double random = (double)(ref_random(&seed) >> 11) * 0x1p-53;
        pixels[i] = poked ? 6e4F : (float)(random * random);
    }
}

/* A bright block, in several strips of columns and blocks of rows, on two threads: pixels that are
 * further from it than `reach` have the same bits. */
static void check_large(satf_context *ctx, const char *spec, int64_t reach)
{
    static float pixels[WIDE * HIGH * 3];
    static double before[WIDE * HIGH * 3], after[WIDE * HIGH * 3];
    static const int64_t places[][2] = {{300, 200}, {0, 0}, {510, 390}, {590, 17}};
    SCOPED_FILTER *filter = parse_filter(ctx, spec);
    satf_view in = satf_view_packed(pixels, WIDE, HIGH, 3, SATF_F32), out;
    assert_int_equal(satf_filter_output(ctx, filter, &in, &out), SATF_OK);
    size_t pixel = (size_t)satf_pixel_bytes(&out);
    fill_large(pixels, -BLOCK, -BLOCK);
    out.data = before;
    assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
    for (int k = 0; k < 4; k++) {
        int64_t left = places[k][0], top = places[k][1];
        int changed = 0;
        fill_large(pixels, left, top);
        out.data = after;
        assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
        for (int64_t i = 0; i < WIDE * HIGH; i++) {
            int64_t x = i % WIDE, y = i / WIDE;
            bool near = x >= left - reach && x < left + BLOCK + reach && y >= top - reach &&
                        y < top + BLOCK + reach;
            size_t at = (size_t)i * pixel;
            bool same = memcmp((char *)before + at, (char *)after + at, pixel) == 0;
            changed += !same;
            if (!same && !near) {
                fail_msg("%s: a block at (%ld, %ld) changes (%ld, %ld)", spec, (long)left,
                         (long)top, (long)x, (long)y);
            }
        }
        assert_true(changed > 0);
    }
}

TEST(test_large)
{
    satf_context_set_threads(ctx, 2);
    check_large(ctx, "kuwahara=5", 4);
    check_large(ctx, "kuwahara=35", 34);
    check_large(ctx, "variance=15", 7);
    check_large(ctx, "stddev=101", 50);
    check_large(ctx, "box=15", 7);
    check_large(ctx, "normalize=33", 16);
    check_large(ctx, "guided=9", 8);
    check_large(ctx, "guided=9,colour", 8);
    check_large(ctx, "gauss=4", 4 * (7 + 1));
    check_large(ctx, "unsharp=9", 4);
}

/* ------------------------------------------------------------------------- transparency */

/* Of windows that are wholly transparent, in a picture that is so in parts, with fractions of alpha
 * elsewhere: colours 0 and alpha 0, or the pixel itself. */
static void check_transparent(satf_context *ctx, const satf_filter *filter, const char *spec,
                              int64_t reach, bool pixel_stays)
{
    static double pixels[W * H * 4], results[W * H * 4];
    satf_view in = satf_view_packed(pixels, W, H, 4, SATF_F64), out;
    uint64_t seed = 1;
    int seen = 0;
    in.flags = SATF_ALPHA;
    for (int64_t i = 0; i < W * H * 4; i++) {
        int64_t x = i / 4 % W, y = i / 4 / W;
        bool clear = x >= 20 && y >= 8 && x < 55 && y < 35;
        double random = (double)(ref_random(&seed) >> 11) * 0x1p-53;
        pixels[i] = i % 4 == 3 && clear ? 0 : random;
    }
    assert_int_equal(satf_filter_output(ctx, filter, &in, &out), SATF_OK);
    out.data = results;
    assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
    for (int64_t y = 8 + reach; y < 35 - reach; y++) {
        for (int64_t x = 20 + reach; x < 55 - reach; x++) {
            for (int64_t c = 0; c < 4; c++, seen++) {
                int64_t i = (y * W + x) * 4 + c;
                if (results[i] != (pixel_stays && c < 3 ? pixels[i] : 0)) {
                    fail_msg("%s: %g in channel %d of (%ld, %ld), where all is transparent", spec,
                             results[i], (int)c, (long)x, (long)y);
                }
            }
        }
    }
    assert_true(seen > 50);
}

TEST(test_transparent)
{
    static const struct {
        const char *spec;
        int64_t reach;
        bool pixel_stays;
    } cases[] = {
        {"box=7", 3, false},
        {"gauss=1", 8, false},
        {"kuwahara=5", 4, false},
        {"variance=7", 3, false},
        {"stddev=7", 3, false},
        {"unsharp=7", 3, true},
        {"real box=3 kuwahara=5", 5, false},
        {"real box=3 variance=5", 3, false},
    };
    static double map[W * H];
    satf_filter *filter;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        filter = parse_filter(ctx, cases[i].spec);
        check_transparent(ctx, filter, cases[i].spec, cases[i].reach, cases[i].pixel_stays);
        satf_filter_destroy(filter);
    }
    for (int64_t i = 0; i < W * H; i++) {
        map[i] = radius_at(i % W, i / W);
    }
    satf_view view = satf_view_packed(map, W, H, 1, SATF_F64);
    assert_int_equal(satf_filter_create(ctx, "varbox", &filter), SATF_OK);
    assert_int_equal(satf_filter_set_image(ctx, filter, &view), SATF_OK);
    check_transparent(ctx, filter, "varbox", 6, false);
    satf_filter_destroy(filter);
}
