/* Files of which a region is filtered: inside it they are the whole picture's result, outside it
 * the input, by whole images and by rows, for every filter. */
#include "test.h"
#include "chain/pass.h"
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

/* The last ones are several blocks of rows high, of 256 KiB. */
static const picture pictures[] = {
    {"a.png", "o.png", 61, 47, 1, SATF_U8, 0, SATF_TYPE_AUTO},
    {"b.png", "o.npy", 37, 53, 4, SATF_U8, SATF_ALPHA, SATF_TYPE_AUTO},
    {"c.ppm", "o.png", 46, 29, 3, SATF_U16, 0, SATF_TYPE_AUTO},
    {"d.png", "o.png", 33, 41, 2, SATF_U16, SATF_ALPHA, SATF_U8},
    {"e.png", "o.npy", 51, 39, 1, SATF_U8, 0, SATF_F32},
    {"f.png", "o.png", 51, 39, 3, SATF_U8, 0, SATF_U16},
    {"g.npy", "o.npy", 31, 37, 1, SATF_F64, 0, SATF_TYPE_AUTO},
    {"h.png", "o.ppm", 1201, 307, 3, SATF_U8, 0, SATF_TYPE_AUTO},
    {"i.pgm", "o.npy", 1601, 277, 1, SATF_U16, 0, SATF_F64},
};

enum { PICTURES = COUNT(pictures), TALL = 7 }; /* from there on they are */

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

static int streamed, refused; /* jobs */

/* The chain over a region of the picture; NULL: over all of it. */
#define OVER(chain, p, r, ...)                                                              \
    JOB((p)->in, (p)->out, NULL, __VA_ARGS__, .filter = (chain), .write.type = (p)->wanted, \
        .how.region = (r))

/* Bits, but doubles that sums of doubles round to: those of a crop are their own. */
static bool alike(const satf_view *v, const char *a, const char *b, bool exact)
{
    double x, y;
    if (exact || v->type != SATF_F64 || v->channels != 1) {
        return memcmp(a, b, (size_t)satf_pixel_bytes(v)) == 0;
    }
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return fabs(x - y) <= 1e-9 * (1e5 + fabs(y));
}

/* The output is `made` inside the region, and `kept` outside. */
static void check(const char *name, const picture *p, const satf_rect *r, const satf_view *kept,
                  const satf_view *made, const job *j)
{
    SCOPED_IMAGE *got = read_image(p->out);
    const satf_view *v = satf_image_view(got);
    assert_true(v->width == p->width && v->height == p->height && v->type == kept->type);
    for (int64_t y = 0; y < v->height; y++) {
        for (int64_t x = 0; x < v->width; x++) {
            bool inside = x >= r->x && x < r->x + r->w && y >= r->y && y < r->y + r->h;
            int64_t at = x * satf_pixel_bytes(v);
            const char *want = (const char *)satf_row(inside ? made : kept, y) + at;
            if (!alike(v, (const char *)satf_row(v, y) + at, want,
                       !inside || p->type != SATF_F64)) {
                fail_msg("%s: %s, region %ld,%ld,%ldx%ld: pixel (%ld, %ld)", name, job_text(j),
                         (long)r->x, (long)r->y, (long)r->w, (long)r->h, (long)x, (long)y);
            }
        }
    }
}

/* Whether the filter's result is like its input. */
static bool is_alike(const satf_filter *chain, const picture *p)
{
    SCOPED_IMAGE *image = read_image(p->in);
    const satf_view *in = satf_image_view(image);
    satf_view out;
    return !satf_filter_output(ctx, chain, in, &out) && !filter_is_bilevel(chain) &&
           out.type == in->type && out.width == in->width && out.height == in->height &&
           out.channels == in->channels && out.flags == in->flags;
}

static void check_region(const char *name, const satf_filter *chain, const picture *p,
                         const satf_rect *r, const satf_image *kept, const satf_image *made)
{
    static const satf_route ways[] = {SATF_ROUTE_WHOLE, SATF_ROUTE_ROWS, SATF_ROUTE_AUTO};
    for (int k = 0; k < 3; k++) {
        const job *j = OVER(chain, p, r, ways[k], .threads = k + 1);
        satf_status status = run(j);
        if (status == SATF_UNSUPPORTED && ways[k] == SATF_ROUTE_ROWS) {
            assert_non_null(strstr(satf_message(ctx), "cannot be streamed: "));
            continue;
        }
        if (status) {
            fail_msg("%s: %s: %s", name, job_text(j), satf_message(ctx));
        }
        streamed += report.streamed;
        check(name, p, r, satf_image_view(kept), satf_image_view(made), j);
    }
}

static void check_filter(const char *name, const satf_filter *chain, const picture *p,
                         uint32_t *seed)
{
    if (!is_alike(chain, p)) {
        satf_rect r = pick_region(seed, p);
        must_fail(OVER(chain, p, &r, SATF_ROUTE_AUTO), SATF_UNSUPPORTED, "");
        refused++;
        return;
    }
    SCOPED_FILTER *same = parse_filter(ctx, "flip=h flip=h");
    must_run(OVER(same, p, NULL, SATF_ROUTE_WHOLE));
    SCOPED_IMAGE *kept = read_image(p->out);
    must_run(OVER(chain, p, NULL, SATF_ROUTE_WHOLE));
    SCOPED_IMAGE *made = read_image(p->out);
    for (int i = 0; i < (p->width > 500 || p->height > 500 ? 1 : REGIONS); i++) {
        satf_rect r = pick_region(seed, p);
        check_region(name, chain, p, &r, kept, made);
    }
}

static void write_picture(const picture *p)
{
    write_noise(p->in, p->width, p->height, p->channels, p->type, p->flags, (uint32_t)p->width);
}

static void write_pictures(void)
{
    for (int i = 0; i < PICTURES; i++) {
        write_picture(&pictures[i]);
    }
}

/* Of the large pictures each filter takes one. */
TEST_ALONE(every_filter)
{
    uint32_t seed = 3;
    const filter_info *info;
    write_pictures();
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        for (size_t k = 0; k < PICTURES; k++) {
            const picture *p = &pictures[k];
            static const int borders[] = {SATF_BORDER_CLAMP, SATF_BORDER_MIRROR, SATF_BORDER_WRAP,
                                          SATF_BORDER_SHRINK};
            if (k < TALL || (i + k) % 2) {
                SCOPED_FILTER *chain = make_filter_of(ctx, info, borders[(i + k) % 4], "7x4",
                                                      "2:-1", p->width, p->height);
                check_filter(info->name, chain, p, &seed);
            }
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
    write_pictures();
    streamed = 0;
    for (size_t i = 0; i < COUNT(specs); i++) {
        SCOPED_FILTER *chain = parse_filter(ctx, specs[i]);
        for (int k = 0; k < PICTURES; k++) {
            check_filter(specs[i], chain, &pictures[k], &seed);
        }
    }
    assert_true(streamed > 20);
}

/* The picture is streamed, with that chain. */
static void check_streamed(const picture *p, const char *spec, uint32_t seed)
{
    SCOPED_FILTER *chain = parse_filter(ctx, spec);
    streamed = refused = 0;
    check_filter(spec, chain, p, &seed);
    assert_true(streamed > 0 && !refused);
}

/* Far more rows are within the filters than come at once: the encoder must not wait for ever. */
TEST_ALONE(high_windows)
{
    const picture p = {"w.ppm", "o.ppm", 9001, 301, 3, SATF_U8, 0, SATF_TYPE_AUTO};
    write_picture(&p);
    check_streamed(&p, "box=3x101 box=5x81,at=0:40 unsharp=3x61", 8);
}

/* A PNM's maxval stays, and a filter that saturates there knows it. */
TEST_ALONE(maxval)
{
    const picture p = {"m.pgm", "o.pgm", 40, 30, 1, SATF_U16, 0, SATF_TYPE_AUTO};
    FILE *file = fopen(p.in, "wb");
    uint32_t seed = 9;
    fprintf(file, "P5 40 30 4095\n");
    for (int i = 0; i < 40 * 30; i++) {
        uint32_t value = noise(&seed) % 4096;
        putc((int)(value >> 8), file);
        putc((int)(value & 255), file);
    }
    fclose(file);
    check_streamed(&p, "unsharp=5,amount=3", seed);
    size_t bytes;
    SCOPED unsigned char *data = slurp(p.out, &bytes);
    assert_memory_equal(data, "P5\n40 30\n4095\n", 14);
}

/* EXIF's orientation stays, whatever the filter, and a note says what the region counts. */
TEST_ALONE(orientation)
{
    const satf_rect region = {2, 3, 20, 5};
    write_turned("t.png", 30, 20, 1, 6);
    for (satf_route way = SATF_ROUTE_AUTO; way <= SATF_ROUTE_WHOLE; way++) {
        satf_image_info info;
        must_run(JOB("t.png", "o.png", "rotate=180", way, .how.region = &region));
        assert_true(report.note_count == 1 && strstr(report.notes[0].text, "as they are stored"));
        MUST(ctx, satf_image_probe(ctx, "o.png", &info, sizeof info));
        assert_int_equal(info.orientation, 6);
    }
}

TEST_ALONE(refusals)
{
    static const satf_rect outside[] = {{-1, 0, 2, 2},        {0, -1, 2, 2},  {60, 0, 2, 1},
                                        {0, 46, 1, 2},        {0, 0, 0, 1},   {0, 0, 1, 0},
                                        {61, 0, 1, 1},        {3, 3, -1, 1},  {1, 1, INT64_MAX, 1},
                                        {INT64_MAX, 0, 1, 1}, {0, 0, 62, 47}, {0, 0, 0, 0}};
    static const struct {
        const char *in, *spec, *words;
    } unlike[] = {{"a.png", "sauvola=5", "cannot become black and white"},
                  {"a.png", "variance=5", "f64 with 1 channel, and the picture itself u8"},
                  {"c.ppm", "sauvola=5 box=3", "u8 with 1 channel, and the picture itself u16"},
                  {"a.png", "rotate=90", "make 47 x 61 pixels of 61 x 47"},
                  {"a.png", "box=5,border=valid", "make 57 x 43 pixels of 61 x 47"},
                  {"a.png", "integral", "u32 with 1 channel"},
                  {"m.pgm", "sauvola=5 box=3", "white is 255"}};
    const satf_rect good = {1, 1, 7, 8};
    char dark[12 + 81] = "P5 9 9 100\n";
    write_picture(&pictures[0]);
    write_picture(&pictures[2]);
    write_bytes("m.pgm", dark, 11 + 81);
    for (size_t i = 0; i < COUNT(outside); i++) {
        must_fail(JOB("a.png", "no.png", "box=3", .how.region = &outside[i]), SATF_INVALID,
                  "leaves the picture of 61 x 47");
    }
    for (size_t i = 0; i < COUNT(unlike); i++) {
        must_fail(JOB(unlike[i].in, "no.png", unlike[i].spec, .how.region = &good),
                  SATF_UNSUPPORTED, unlike[i].words);
    }
}

/* A picture that ends too early is no picture, wherever the region is. */
TEST_ALONE(cut)
{
    static const satf_rect regions[] = {{5, 3, 40, 20}, {5, 150, 600, 40}, {0, 287, 1201, 20}};
    const picture *p = &pictures[TALL];
    write_picture(p);
    halve(p->in);
    for (int i = 0; i < 3; i++) {
        for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
            for (int threads = 1; threads <= 3; threads++) {
                must_fail(JOB(p->in, "no.ppm", "box=9", way, .threads = threads,
                              .how.region = &regions[i]),
                          SATF_DATA, "");
                assert_string_equal(report.at, p->in);
            }
        }
    }
}

/* Rows on their way are all that is held of a large picture, and a limit says so. */
TEST_ALONE(memory)
{
    const satf_rect region = {1000, 2500, 700, 300};
    write_noise("l.pgm", 3000, 4000, 1, SATF_U8, 0, 1);
    MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 8 << 20));
    must_run(JOB("l.pgm", "o.pgm", "box=9 box=5", .how.region = &region));
    assert_true(report.streamed);
    must_fail(JOB("l.pgm", "o.pgm", "box=9 box=5", SATF_ROUTE_WHOLE, .how.region = &region),
              SATF_LIMIT, "");
}

static int asked, most_asked; /* then it cancels; 0: never */

static int watch(void *user, double done)
{
    double *last = user;
    assert_true(done > *last && done <= 1);
    *last = done;
    return most_asked && ++asked > most_asked;
}

/* Progress rises to 1 by rows, and a call that cancels leaves nothing. */
TEST_ALONE(progress)
{
    const satf_rect region = {100, 100, 400, 100};
    double last = -1;
    write_picture(&pictures[TALL]);
    const job *j = JOB("h.png", "o.ppm", "box=9", SATF_ROUTE_ROWS, .how.region = &region);
    satf_context_set_progress(ctx, watch, &last);
    must_run(j);
    assert_true(last == 1);
    last = -1;
    most_asked = 2;
    must_fail(j, SATF_CANCELLED, "");
}

TEST_FILE(.context = &ctx, .folder = true)
