/* Files of which a region is filtered: inside it they are the whole picture's result, outside it
 * the input, by whole images and by rows, for every filter. */
#include "test.h"
#include "filter/pass.h"
#include "filter_make.h"
#include "pipeline_jobs.h"

enum { REGIONS = 4 };

typedef struct picture {
    const char *in, *out;
    int64_t width, height;
    int channels;
    satf_type type;
    unsigned flags;
    int wanted; /* satf_type of the output, or SATF_TYPE_AUTO */
} picture;

/* The last ones are several portions of rows high. */
static const picture pictures[] = {
    {"a.png", "o.png", 61, 47, 1, SATF_U8, 0, SATF_TYPE_AUTO},
    {"b.png", "o.npy", 37, 53, 4, SATF_U8, SATF_ALPHA, SATF_TYPE_AUTO},
    {"c.ppm", "o.png", 46, 29, 3, SATF_U16, 0, SATF_TYPE_AUTO},
    {"d.png", "o.png", 33, 41, 2, SATF_U16, SATF_ALPHA, SATF_U8},
    {"e.png", "o.npy", 51, 39, 1, SATF_U8, 0, SATF_F32},
    {"f.png", "o.png", 51, 39, 3, SATF_U8, 0, SATF_U16},
    {"g.npy", "o.npy", 31, 37, 1, SATF_F64, 0, SATF_TYPE_AUTO},
    {"h.png", "o.ppm", 701, 903, 3, SATF_U8, 0, SATF_TYPE_AUTO},
    {"i.pgm", "o.npy", 901, 1201, 1, SATF_U16, 0, SATF_F64},
};

enum { PICTURES = sizeof pictures / sizeof *pictures };

static int64_t pick(uint32_t *seed, int64_t least, int64_t most)
{
    return least + (int64_t)noise(seed) % (most - least + 1);
}

static satf_rect pick_region(uint32_t *seed, const picture *p)
{
    satf_rect r;
    r.w = pick(seed, 1, p->width);
    r.h = pick(seed, 1, p->height);
    r.x = pick(seed, 0, p->width - r.w);
    r.y = pick(seed, 0, p->height - r.h);
    return r;
}

static satf_status filter(const satf_filter *chain, const picture *p, const char *out,
                          const satf_rect *region, satf_route way, satf_file_report *report)
{
    satf_write_options write = satf_write_defaults();
    satf_file_options how;
    satf_file_options_init(&how, sizeof how);
    write.type = p->wanted;
    how.write = &write;
    how.route = way;
    how.region = region;
    return satf_filter_file(ctx, chain, path(p->in), out, &how, report, sizeof *report);
}

static satf_image *read_image(const char *name)
{
    satf_image *image;
    if (satf_image_read(ctx, name, &image)) {
        fail_msg("%s: %s", name, satf_message(ctx));
    }
    return image;
}

static double sample(const satf_view *v, const char *at)
{
    float f32;
    double f64;
    memcpy(&f32, at, sizeof f32);
    memcpy(&f64, at, v->type == SATF_F64 ? sizeof f64 : 0);
    return v->type == SATF_F64 ? f64 : (double)f32;
}

/* Bits, but floats that sums of floats round to: those of a crop are their own. */
static bool alike(const satf_view *v, const char *a, const char *b, bool exact)
{
    size_t bytes = (size_t)satf_pixel_bytes(v), step = satf_type_bytes(v->type);
    bool same = memcmp(a, b, bytes) == 0;
    for (size_t i = 0; !same && !exact && i < bytes; i += step) {
        double x = sample(v, a + i), y = sample(v, b + i);
        if (fabs(x - y) > 1e-9 * (1e5 + fabs(y))) {
            return false;
        }
    }
    return same || !exact;
}

static void check(const char *name, const picture *p, const satf_rect *r, const char *way)
{
    SCOPED_IMAGE *got = read_image(path("r.npy")), *in = read_image(path("kept.npy")),
                 *all = read_image(path("whole.npy"));
    const satf_view *v = satf_image_view(got), *kept = satf_image_view(in),
                    *made = satf_image_view(all);
    assert_true(v->width == p->width && v->height == p->height && v->type == kept->type);
    for (int64_t y = 0; y < v->height; y++) {
        for (int64_t x = 0; x < v->width; x++) {
            bool inside = x >= r->x && x < r->x + r->w && y >= r->y && y < r->y + r->h;
            int64_t at = x * satf_pixel_bytes(v);
            const char *want = (const char *)satf_row(inside ? made : kept, y) + at;
            if (!alike(v, (const char *)satf_row(v, y) + at, want,
                       !inside || p->type != SATF_F64)) {
                fail_msg("%s of %s, region %ld,%ld,%ldx%ld, %s: pixel (%ld, %ld)", name, p->in,
                         (long)r->x, (long)r->y, (long)r->w, (long)r->h, way, (long)x, (long)y);
            }
        }
    }
}

/* An output as an array, which tells every sample. */
static void keep_as(const char *out, const char *name)
{
    SCOPED_IMAGE *image = read_image(out);
    satf_write_options plain = satf_write_defaults();
    assert_int_equal(satf_image_write(ctx, image, path(name), &plain), SATF_OK);
}

/* Whether the filter's result is like such an input. */
static bool is_alike(const satf_filter *chain, const picture *p, const satf_view *in)
{
    satf_view out;
    (void)p;
    return !satf_filter_output(ctx, chain, in, &out) && !filter_is_bilevel(chain) &&
           out.type == in->type && out.width == in->width && out.height == in->height &&
           out.channels == in->channels && out.flags == in->flags;
}

static void check_region(const char *name, const satf_filter *chain, const picture *p,
                         const satf_rect *r, int *streamed)
{
    static const satf_route ways[] = {SATF_ROUTE_WHOLE, SATF_ROUTE_ROWS, SATF_ROUTE_AUTO};
    static const char *const names[] = {"whole", "by rows", "as it comes"};
    satf_file_report report;
    for (int k = 0; k < 3; k++) {
        satf_context_set_threads(ctx, k + 1);
        satf_status status = filter(chain, p, path(p->out), r, ways[k], &report);
        if (status == SATF_UNSUPPORTED && ways[k] == SATF_ROUTE_ROWS) {
            assert_non_null(strstr(satf_message(ctx), "cannot be streamed: "));
            continue;
        }
        if (status) {
            fail_msg("%s of %s, %s: %s", name, p->in, names[k], satf_message(ctx));
        }
        *streamed += report.streamed;
        keep_as(path(p->out), "r.npy");
        check(name, p, r, names[k]);
    }
}

static void check_filter(const char *name, const satf_filter *chain, const picture *p,
                         uint32_t *seed, int *streamed, int *refused)
{
    satf_file_report report;
    SCOPED_IMAGE *image = read_image(path(p->in));
    bool good = is_alike(chain, p, satf_image_view(image));
    SCOPED_FILTER *same = parse_filter(ctx, "flip=h flip=h");
    unlink(path(p->out));
    if (!good) {
        satf_rect r = pick_region(seed, p);
        satf_status status = filter(chain, p, path(p->out), &r, SATF_ROUTE_AUTO, &report);
        assert_true(status == SATF_UNSUPPORTED);
        assert_int_equal(access(path(p->out), F_OK), -1);
        ++*refused;
    } else {
        assert_int_equal(filter(same, p, path(p->out), NULL, SATF_ROUTE_WHOLE, &report), SATF_OK);
        keep_as(path(p->out), "kept.npy");
        assert_int_equal(filter(chain, p, path(p->out), NULL, SATF_ROUTE_WHOLE, &report), SATF_OK);
        keep_as(path(p->out), "whole.npy");
        for (int i = 0; i < (p->height > 500 ? 1 : REGIONS); i++) {
            satf_rect r = pick_region(seed, p);
            check_region(name, chain, p, &r, streamed);
        }
    }
}

static void write_pictures(void)
{
    for (int i = 0; i < PICTURES; i++) {
        const picture *p = &pictures[i];
        write_noise(path(p->in), p->width, p->height, p->channels, p->type, p->flags,
                    (uint32_t)i + 7);
    }
}

TEST_ALONE(every_filter)
{
    uint32_t seed = 3;
    int streamed = 0, refused = 0;
    const filter_info *info;
    write_pictures();
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        for (int k = 0; k < PICTURES; k++) {
            const picture *p = &pictures[k];
            static const int borders[] = {SATF_CLAMP, SATF_MIRROR, SATF_WRAP, SATF_SHRINK};
            SCOPED_FILTER *chain = make_filter_of(ctx, info, borders[((int)i + k) % 4], "7x4",
                                                  "2:-1", p->width, p->height);
            check_filter(info->name, chain, p, &seed, &streamed, &refused);
        }
    }
    assert_true(streamed > 50 && refused > 20);
}

TEST_ALONE(chains)
{
    static const char *const specs[] = {
        "box=3x41 unsharp=5 box=9x2,at=-4:0", "flip=h box=5,border=reflect highpass=31 flip=h",
        "box=31,border=wrap box=1x31", "rotate=90 box=3 rotate=270", "sauvola=5 box=3"};
    uint32_t seed = 5;
    int streamed = 0, refused = 0;
    write_pictures();
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        for (int k = 0; k < PICTURES; k++) {
            SCOPED_FILTER *chain = parse_filter(ctx, specs[i]);
            check_filter(specs[i], chain, &pictures[k], &seed, &streamed, &refused);
        }
    }
    assert_true(streamed > 20);
}

/* Far more rows are within the filters than come at once: the encoder must not wait for ever. */
TEST_ALONE(high_windows)
{
    const picture p = {"w.ppm", "o.ppm", 9001, 301, 3, SATF_U8, 0, SATF_TYPE_AUTO};
    uint32_t seed = 8;
    int streamed = 0, refused = 0;
    write_noise(path(p.in), p.width, p.height, p.channels, p.type, 0, 2);
    SCOPED_FILTER *chain = parse_filter(ctx, "box=3x101 box=5x81,at=0:40 unsharp=3x61");
    check_filter("high windows", chain, &p, &seed, &streamed, &refused);
    assert_true(streamed > 0 && !refused);
}

/* A PNM's maxval stays, and a filter that saturates there knows it. */
TEST_ALONE(maxval)
{
    const picture p = {"m.pgm", "o.pgm", 40, 30, 1, SATF_U16, 0, SATF_TYPE_AUTO};
    FILE *file = fopen(path(p.in), "wb");
    uint32_t seed = 9;
    fprintf(file, "P5 40 30 4095\n");
    for (int i = 0; i < 40 * 30; i++) {
        uint32_t value = noise(&seed) % 4096;
        putc((int)(value >> 8), file);
        putc((int)(value & 255), file);
    }
    fclose(file);
    int streamed = 0, refused = 0;
    SCOPED_FILTER *chain = parse_filter(ctx, "unsharp=5,amount=3");
    check_filter("unsharp", chain, &p, &seed, &streamed, &refused);
    assert_true(streamed > 0 && !refused);
    size_t bytes;
    SCOPED unsigned char *data = slurp(path(p.out), &bytes);
    assert_memory_equal(data, "P5\n40 30\n4095\n", 14);
}

/* EXIF's orientation stays, whatever the filter, and a note says what the region counts. */
TEST_ALONE(orientation)
{
    static const unsigned char exif[] = {'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3,
                                         0,   1,   0,  0, 0, 6, 0, 0, 0, 0, 0,    0, 0};
    const picture p = {"t.png", "o.png", 30, 20, 1, SATF_U8, 0, SATF_TYPE_AUTO};
    const satf_rect region = {2, 3, 20, 5};
    SCOPED_IMAGE *image = make_noise(p.width, p.height, 1, SATF_U8, 0, 4);
    SCOPED_FILTER *chain = parse_filter(ctx, "rotate=180");
    assert_int_equal(
        satf_copy_block(ctx, exif, sizeof exif, &image->metadata.exif, &image->metadata.exif_bytes),
        SATF_OK);
    assert_int_equal(satf_image_write(ctx, image, path(p.in), NULL), SATF_OK);
    for (int way = SATF_ROUTE_AUTO; way <= SATF_ROUTE_WHOLE; way++) {
        satf_file_report report;
        satf_image_info info;
        assert_int_equal(filter(chain, &p, path(p.out), &region, (satf_route)way, &report),
                         SATF_OK);
        assert_true(report.note_count == 1 && strstr(report.notes[0].text, "as they are stored"));
        assert_int_equal(satf_image_probe(ctx, path(p.out), &info, sizeof info), SATF_OK);
        assert_int_equal(info.orientation, 6);
    }
}

static void expect(const picture *p, const char *spec, satf_rect r, satf_status wanted,
                   const char *says)
{
    satf_file_report report;
    SCOPED_FILTER *chain = parse_filter(ctx, spec);
    unlink(path(p->out));
    assert_int_equal(filter(chain, p, path(p->out), &r, SATF_ROUTE_AUTO, &report), wanted);
    if (!strstr(satf_message(ctx), says)) {
        fail_msg("'%s' lacks '%s'", satf_message(ctx), says);
    }
    assert_int_equal(access(path(p->out), F_OK), -1);
}

TEST_ALONE(refusals)
{
    const picture *grey = &pictures[0], *colour = &pictures[2];
    static const satf_rect outside[] = {{-1, 0, 2, 2},        {0, -1, 2, 2},  {60, 0, 2, 1},
                                        {0, 46, 1, 2},        {0, 0, 0, 1},   {0, 0, 1, 0},
                                        {61, 0, 1, 1},        {3, 3, -1, 1},  {1, 1, INT64_MAX, 1},
                                        {INT64_MAX, 0, 1, 1}, {0, 0, 62, 47}, {0, 0, 0, 0}};
    const satf_rect good = {3, 4, 20, 10};
    write_pictures();
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        expect(grey, "box=3", outside[i], SATF_INVALID, "leaves the picture of 61 x 47");
    }
    expect(grey, "sauvola=5", good, SATF_UNSUPPORTED, "cannot become black and white");
    expect(grey, "variance=5", good, SATF_UNSUPPORTED,
           "f64 with 1 channels, and the picture around the region u8");
    expect(colour, "sauvola=5 box=3", good, SATF_UNSUPPORTED,
           "u8 with 1 channels, and the picture around the region u16");
    expect(grey, "rotate=90", good, SATF_UNSUPPORTED, "make 47 x 61 pixels of 61 x 47");
    expect(grey, "box=5,border=valid", good, SATF_UNSUPPORTED, "make 57 x 43 pixels of 61 x 47");
    expect(grey, "integral", good, SATF_UNSUPPORTED, "u32 with 1 channels");
    FILE *file = fopen(path("m.pgm"), "wb");
    fprintf(file, "P5 9 9 100\n");
    for (int i = 0; i < 81; i++) {
        putc(i, file);
    }
    fclose(file);
    const picture dark = {"m.pgm", "o.pgm", 9, 9, 1, SATF_U8, 0, SATF_TYPE_AUTO};
    expect(&dark, "sauvola=5 box=3", (satf_rect){1, 1, 3, 3}, SATF_UNSUPPORTED, "white is 255");
}

/* A picture that ends too early is no picture, wherever the region is. */
TEST_ALONE(cut)
{
    const picture *p = &pictures[7];
    write_pictures();
    size_t bytes;
    SCOPED unsigned char *data = slurp(path(p->in), &bytes);
    FILE *file = fopen(path(p->in), "wb");
    fwrite(data, 1, bytes / 2, file);
    fclose(file);
    satf_file_report report;
    SCOPED_FILTER *chain = parse_filter(ctx, "box=9");
    static const satf_rect regions[] = {{5, 3, 40, 20}, {5, 440, 600, 40}, {0, 880, 701, 20}};
    for (int i = 0; i < 3; i++) {
        for (int way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
            for (int threads = 1; threads <= 3; threads++) {
                unlink(path(p->out));
                satf_context_set_threads(ctx, threads);
                satf_status status =
                    filter(chain, p, path(p->out), &regions[i], (satf_route)way, &report);
                assert_int_equal(status, SATF_DATA);
                assert_string_equal(report.at, path(p->in));
                assert_int_equal(access(path(p->out), F_OK), -1);
            }
        }
    }
}

/* Rows on their way are all that is held of a large picture, and a limit says so. */
TEST_ALONE(memory)
{
    const picture p = {"l.pgm", "o.pgm", 3000, 4000, 1, SATF_U8, 0, SATF_TYPE_AUTO};
    write_noise(path(p.in), p.width, p.height, 1, SATF_U8, 0, 1);
    satf_file_report report;
    SCOPED_FILTER *chain = parse_filter(ctx, "box=9 box=5");
    const satf_rect region = {1000, 2500, 700, 300};
    assert_int_equal(satf_context_set_limit(ctx, SATF_MAX_MEMORY, 8 << 20), SATF_OK);
    if (filter(chain, &p, path(p.out), &region, SATF_ROUTE_AUTO, &report)) {
        fail_msg("%s", satf_message(ctx));
    }
    assert_true(report.streamed);
    assert_int_equal(filter(chain, &p, path(p.out), &region, SATF_ROUTE_WHOLE, &report),
                     SATF_LIMIT);
}

static int asked;

static int stop_in_the_middle(void *user, double done)
{
    double *last = user;
    assert_true(done > *last && done <= 1);
    *last = done;
    return ++asked > 6;
}

static int watch(void *user, double done)
{
    double *last = user;
    assert_true(done > *last && done <= 1);
    *last = done;
    return 0;
}

/* Progress rises to 1 by rows, and a call that cancels leaves nothing. */
TEST_ALONE(progress)
{
    const picture *p = &pictures[7];
    satf_file_report report;
    SCOPED_FILTER *chain = parse_filter(ctx, "box=9");
    const satf_rect region = {100, 300, 400, 200};
    double last = -1;
    write_pictures();
    satf_context_set_progress(ctx, watch, &last);
    assert_int_equal(filter(chain, p, path(p->out), &region, SATF_ROUTE_ROWS, &report), SATF_OK);
    assert_true(last == 1);
    unlink(path(p->out));
    last = -1;
    satf_context_set_progress(ctx, stop_in_the_middle, &last);
    assert_int_equal(filter(chain, p, path(p->out), &region, SATF_ROUTE_ROWS, &report),
                     SATF_CANCELLED);
    assert_int_equal(access(path(p->out), F_OK), -1);
}

TEST_FILE(.context = &ctx, .folder = true)
