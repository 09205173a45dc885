/* Files whose result a mask blends with the input, by whole images and by rows: all is compared
 * with a loop over the samples of both. */
#include "test.h"
#include "pipeline_jobs.h"

typedef struct picture {
    const char *in, *out, *spec;
    int channels;
    satf_type type;
    unsigned flags;
    int wanted; /* satf_type of the output, or SATF_TYPE_AUTO */
} picture;

enum { WIDTH = 61, HEIGHT = 47 };

static const picture pictures[] = {
    {"a.png", "o.png", "box=5", 1, SATF_U8, 0, SATF_TYPE_AUTO},
    {"b.png", "o.png", "unsharp=5 box=3x9", 4, SATF_U8, SATF_ALPHA, SATF_TYPE_AUTO},
    {"c.png", "o.npy", "gauss=2", 3, SATF_U16, 0, SATF_TYPE_AUTO},
    {"d.npy", "o.npy", "flip=h", 1, SATF_U32, 0, SATF_TYPE_AUTO},
    {"e.npy", "o.npy", "flip=h", 3, SATF_U64, 0, SATF_TYPE_AUTO},
    {"f.npy", "o.npy", "box=5", 1, SATF_F32, 0, SATF_TYPE_AUTO},
    {"g.npy", "o.npy", "box=5,border=wrap", 3, SATF_F64, 0, SATF_TYPE_AUTO},
    {"h.png", "o.png", "box=5", 3, SATF_U8, 0, SATF_U16},
    {"i.png", "o.npy", "box=5", 1, SATF_U16, 0, SATF_F32},
};

typedef struct mask {
    const char *name;
    int channels;
    satf_type type;
    unsigned flags;
    double full; /* 0: the type's */
} mask;

static const mask masks[] = {
    {"u8", 1, SATF_U8, 0, 0},
    {"u16 of 12 bits", 1, SATF_U16, 0, 4095},
    {"bools", 1, SATF_U8, 0, 1},
    {"u16 RGB and alpha", 4, SATF_U16, SATF_ALPHA, 0},
    {"f32", 1, SATF_F32, 0, 0},
    {"grey and alpha", 2, SATF_U8, SATF_ALPHA, 0},
    {"f64 RGB", 3, SATF_F64, 0, 0},
    {"u8 RGB", 3, SATF_U8, 0, 0},
    {"f32 to 255", 1, SATF_F32, 0, 255},
    {"u8 to 100", 1, SATF_U8, 0, 100},
};

/* A fifth of the pixels are 0, and a fifth full; some are beyond both, or no number. */
static double pick_level(uint32_t *seed, bool real, double full)
{
    double share = noise(seed) % 1001 / 1000.0;
    switch (noise(seed) % 10) {
    case 0:
        return real ? -0.5 * full : 0;
    case 1:
        return real ? NAN : 0;
    case 2:
        return full;
    case 3:
        return real ? 2 * full : full;
    default:
        return real ? share * full : floor(share * full);
    }
}

/* The mask's channels are alike half of the time, so that its grey has both ends. */
static satf_image *make_mask(const mask *m, satf_view *view)
{
    satf_image *image;
    uint32_t seed = (uint32_t)m->type + 7;
    MUST(ctx, satf_image_create(ctx, WIDTH, HEIGHT, m->channels, m->type, m->flags, &image));
    *view = *satf_image_view(image);
    view->full = m->full;
    bool real = m->type == SATF_F32 || m->type == SATF_F64;
    double full = satf_full_scale(view), level = 0;
    for (int64_t i = 0; i < (int64_t)WIDTH * HEIGHT * m->channels; i++) {
        bool same = i % m->channels && noise(&seed) % 2;
        level = same ? level : pick_level(&seed, real, full);
        switch (m->type) {
        case SATF_U8:
            ((uint8_t *)view->data)[i] = (uint8_t)level;
            break;
        case SATF_U16:
            ((uint16_t *)view->data)[i] = (uint16_t)level;
            break;
        case SATF_F32:
            ((float *)view->data)[i] = (float)level;
            break;
        default:
            ((double *)view->data)[i] = level;
        }
    }
    return image;
}

static double real_of(const satf_view *v, int64_t x, int64_t y, int c)
{
    return sample_at(v, y, x * v->channels + c);
}

static uint64_t word_of(const satf_view *v, int64_t x, int64_t y, int c)
{
    return v->type == SATF_U64 ? ((const uint64_t *)satf_row(v, y))[x * v->channels + c]
                               : (uint64_t)real_of(v, x, y, c);
}

/* The grey of the mask there, 0 to its full scale. */
static double level_of(const satf_view *m, int64_t x, int64_t y)
{
    double full = satf_full_scale(m), level = real_of(m, x, y, 0);
    if (m->channels >= 3) {
        double g = real_of(m, x, y, 1), b = real_of(m, x, y, 2);
        level = m->type == SATF_F64 ? 0.299 * level + 0.587 * g + 0.114 * b
                                    : floor((299 * level + 587 * g + 114 * b + 500) / 1000);
    }
    return isnan(level) || level < 0 ? 0 : level > full ? full : level;
}

static int ends, betweens; /* samples where the mask is at an end, and where it is not */

/* The sample is what the mask makes of `kept` and `made`. */
static bool is_blended(const satf_view *got, const satf_view *kept, const satf_view *made,
                       const satf_view *m, int64_t x, int64_t y, int c, bool exact)
{
    double level = level_of(m, x, y), full = satf_full_scale(m);
    size_t bytes = satf_type_bytes(got->type), at = (size_t)(x * got->channels + c) * bytes;
    const char *to = (const char *)satf_row(got, y) + at;
    if (level == 0 || level == full) {
        ends++;
        return !memcmp(to, (const char *)satf_row(level == 0 ? kept : made, y) + at, bytes);
    }
    betweens++;
    if (got->type == SATF_F32 || got->type == SATF_F64) {
        double p = real_of(kept, x, y, c), r = real_of(made, x, y, c), is = real_of(got, x, y, c);
        double want = p + (r - p) * (level / full), slack = exact ? 0 : 1e-4 * (1 + fabs(want));
        want = got->type == SATF_F32 ? (double)(float)want : want;
        return isnan(want) ? isnan(is) : fabs(is - want) <= slack;
    }
    if (m->type == SATF_F32 || m->type == SATF_F64) {
        level = floor(level / full * 65535 + 0.5);
        full = 65535;
    }
    unsigned __int128 r = word_of(made, x, y, c), p = word_of(kept, x, y, c);
    unsigned __int128 share = (uint64_t)level, all = (uint64_t)full;
    uint64_t want = (uint64_t)((2 * (r * share + p * (all - share)) + all) / (2 * all));
    uint64_t is = word_of(got, x, y, c), apart = is > want ? is - want : want - is;
    return apart <= (exact ? 0 : 1);
}

static void check(const picture *p, const char *mask_name, const satf_view *m, const satf_rect *r,
                  const satf_view *kept, const satf_view *made, const job *j)
{
    SCOPED_IMAGE *image = read_image(p->out);
    const satf_view *got = satf_image_view(image);
    const satf_view none = {.type = SATF_U8, .channels = 1, .data = (char[WIDTH]){0}};
    assert_true(got->type == kept->type && got->width == WIDTH && got->height == HEIGHT);
    for (int64_t y = 0; y < HEIGHT; y++) {
        for (int64_t x = 0; x < WIDTH; x++) {
            bool inside = !r || (x >= r->x && x < r->x + r->w && y >= r->y && y < r->y + r->h);
            for (int c = 0; c < got->channels; c++) {
                if (!is_blended(got, kept, made, inside ? m : &none, x, y, c,
                                p->wanted == SATF_TYPE_AUTO)) {
                    fail_msg("%s, mask %s%s: channel %d of pixel (%d, %d)", job_text(j), mask_name,
                             r ? " in a region" : "", c, (int)x, (int)y);
                }
            }
        }
    }
}

/* Noise; of floats some samples are no numbers, and others -0. */
static void write_picture(const picture *p)
{
    satf_image *image;
    uint32_t seed = 3;
    if (p->type != SATF_U32 && p->type != SATF_U64) {
        image = make_noise(WIDTH, HEIGHT, p->channels, p->type, p->flags, seed);
    } else {
        MUST(ctx, satf_image_create(ctx, WIDTH, HEIGHT, p->channels, p->type, p->flags, &image));
        char *bytes = satf_image_view(image)->data;
        for (int64_t i = 0; i < satf_image_view(image)->stride * HEIGHT; i++) {
            bytes[i] = (char)noise(&seed);
        }
    }
    if (p->type == SATF_F32) {
        float *samples = satf_image_view(image)->data;
        const uint32_t bits = 0x7fa01234, zero = 0x80000000;
        memcpy(samples + 5, &bits, sizeof bits);
        for (int i = 400; i < 600; i++) {
            memcpy(samples + i, &zero, sizeof zero);
        }
    }
    write_image(image, p->in);
}

static int streamed;

static void check_mask(const picture *p, const char *name, const satf_view *m, const satf_rect *r,
                       const satf_view *kept, const satf_view *made)
{
    static const satf_route ways[] = {SATF_ROUTE_WHOLE, SATF_ROUTE_ROWS, SATF_ROUTE_AUTO};
    for (int k = 0; k < 3; k++) {
        const job *j = JOB(p->in, p->out, p->spec, ways[k], .threads = k + 1, .how.mask = m,
                           .how.region = r, .write.type = p->wanted);
        satf_status status = run(j);
        if (status == SATF_UNSUPPORTED && ways[k] == SATF_ROUTE_ROWS) {
            assert_non_null(strstr(satf_message(ctx), "border wrap under a mask"));
            continue;
        }
        if (status) {
            fail_msg("%s: %s", job_text(j), satf_message(ctx));
        }
        streamed += report.streamed;
        check(p, name, m, r, kept, made, j);
    }
}

TEST_ALONE(every_type)
{
    static const satf_rect part = {7, 5, 40, 31};
    for (size_t i = 0; i < COUNT(pictures); i++) {
        const picture *p = &pictures[i];
        write_picture(p);
        must_run(JOB(p->in, p->out, "flip=h flip=h", .write.type = p->wanted));
        SCOPED_IMAGE *kept = read_image(p->out);
        must_run(JOB(p->in, p->out, p->spec, SATF_ROUTE_WHOLE, .write.type = p->wanted));
        SCOPED_IMAGE *made = read_image(p->out);
        for (size_t k = 0; k < COUNT(masks); k++) {
            satf_view view;
            SCOPED_IMAGE *image = make_mask(&masks[k], &view);
            check_mask(p, masks[k].name, &view, k % 3 ? NULL : &part, satf_image_view(kept),
                       satf_image_view(made));
        }
    }
    assert_true(streamed > 50 && ends > 10000 && betweens > 10000);
}

/* Between a value and nothing there is none: from half on the filters' pixel, else the input's. */
TEST_ALONE(missing)
{
    static const int16_t row[4] = {10, -9, 30, 50},
                         want[2][4] = {{10, -9, 33, 40}, {10, 20, 33, 40}};
    const double hole = -9;
    for (int i = 0; i < 2; i++) {
        unsigned char levels[4] = {77, (unsigned char)(127 + i), 77, 255};
        satf_view view = {.data = levels, .width = 4, .height = 1, .stride = 4, .channels = 1};
        satf_filter *chain;
        satf_image *in;
        MUST(ctx, satf_image_create(ctx, 4, 1, 1, SATF_I16, 0, &in));
        memcpy(satf_row(satf_image_view(in), 0), row, sizeof row);
        write_image(in, "hole.npy");
        MUST(ctx, satf_filter_parse(ctx, "box=3,border=shrink", &chain));
        MUST(ctx, satf_filter_set_missing(ctx, chain, 0, &hole));
        must_run(JOB("hole.npy", "o.npy", NULL, .filter = chain, .how.mask = &view));
        satf_filter_destroy(chain);
        SCOPED_IMAGE *out = read_image("o.npy");
        assert_memory_equal(satf_row(satf_image_view(out), 0), want[i], sizeof row);
    }
}

/* A mask whose rows and pixels lie apart, at odd addresses, is the same one. */
TEST_ALONE(strides)
{
    enum { PIXEL = 7, STRIDE = WIDTH * PIXEL + 4 };
    satf_view view;
    SCOPED_IMAGE *image = make_mask(&masks[1], &view);
    SCOPED char *apart = calloc(1, STRIDE * HEIGHT + 1);
    for (int64_t y = 0; y < HEIGHT; y++) {
        for (int64_t x = 0; x < WIDTH; x++) {
            memcpy(apart + 1 + y * STRIDE + x * PIXEL, (char *)satf_row(&view, y) + 2 * x, 2);
        }
    }
    satf_view other = view;
    other.data = apart + 1;
    other.stride = STRIDE;
    other.pixel_stride = PIXEL;
    write_picture(&pictures[0]);
    must_run(JOB("a.png", "one.png", "box=5", .how.mask = &view));
    must_run(JOB("a.png", "other.png", "box=5", .how.mask = &other));
    assert_same_file("one.png", "other.png", "a mask with strides");
}

/* EXIF's orientation stays, and a note says what the mask counts. */
TEST_ALONE(orientation)
{
    satf_image_info info;
    satf_view view;
    SCOPED_IMAGE *image = make_mask(&masks[0], &view);
    write_turned("t.png", WIDTH, HEIGHT, 1, 6);
    must_run(JOB("t.png", "o.png", "rotate=180", .how.mask = &view));
    assert_true(report.note_count == 1 && strstr(report.notes[0].text, "its mask is in pixels"));
    MUST(ctx, satf_image_probe(ctx, "o.png", &info, sizeof info));
    assert_int_equal(info.orientation, 6);
}

TEST_ALONE(refusals)
{
    static const struct {
        const char *spec, *words;
    } unlike[] = {{"sauvola=5", "cannot become black and white"},
                  {"variance=5", "f64 with 1 channel, and the picture itself u8"},
                  {"rotate=90", "make 47 x 61 pixels of 61 x 47, and a mask keeps"}};
    satf_view good, view;
    SCOPED_IMAGE *image = make_mask(&masks[0], &good);
    write_picture(&pictures[0]);
    for (size_t i = 0; i < COUNT(unlike); i++) {
        must_fail(JOB("a.png", "no.png", unlike[i].spec, .how.mask = &good), SATF_UNSUPPORTED,
                  unlike[i].words);
        assert_non_null(strstr(satf_message(ctx), "(option: mask)"));
    }
    view = good;
    view.height--;
    must_fail(JOB("a.png", "no.png", "box=3", .how.mask = &view), SATF_INVALID,
              "the mask has 61 x 46 pixels, and the picture 61 x 47 (option: mask)");
    view = good;
    view.type = SATF_U32;
    view.width /= 4;
    must_fail(JOB("a.png", "no.png", "box=3", .how.mask = &view), SATF_UNSUPPORTED,
              "1 channels of u32; it must be grey or RGB");
    view.type = SATF_F16;
    must_fail(JOB("a.png", "no.png", "box=3", .how.mask = &view), SATF_UNSUPPORTED,
              "1 channels of f16; it must be grey or RGB");
    view = good;
    view.channels = 2;
    view.width /= 2;
    must_fail(JOB("a.png", "no.png", "box=3", .how.mask = &view), SATF_UNSUPPORTED,
              "2 channels of u8; it must be grey or RGB");
    view = good;
    view.data = NULL;
    must_fail(JOB("a.png", "no.png", "box=3", .how.mask = &view), SATF_INVALID, "mask");
}

TEST_FILE(.context = &ctx, .folder = true)
