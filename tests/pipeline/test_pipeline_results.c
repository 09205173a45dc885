/* What becomes of results that are no pictures like their inputs, black and white and maps, and of
 * what is said in formats that are only read. */
#include "test.h"
#include "pipeline_jobs.h"

#include "io/codec.h"

/* Edges between black and white are no JPEG's. */
TEST_ALONE(black_and_white)
{
    static const struct {
        const char *spec;
        int type;
        bool has_range, refused;
    } cases[] = {{"sauvola=5", SATF_TYPE_AUTO, false, true},
                 {"box=3 wolf=5 transpose flip=h", SATF_TYPE_AUTO, false, true},
                 {"sauvola=5", SATF_U8, false, false},
                 {"sauvola=5", SATF_TYPE_AUTO, true, false},
                 {"sauvola=5 box=3", SATF_TYPE_AUTO, false, false},
                 {"flip=h", SATF_TYPE_AUTO, false, false}};
    write_noise("in.pgm", 20, 10, 1, SATF_U8, 0, 1);
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (int named = 0; named < 2; named++) {
            const char *out = named ? "bw" : "bw.jpg";
            const job *j = JOB("in.pgm", out, cases[i].spec, .write.format = named ? "jpeg" : NULL,
                               .write.type = cases[i].type, .write.has_range = cases[i].has_range,
                               .write.hi = 255);
            if (!cases[i].refused) {
                must_run(j);
                continue;
            }
            must_fail(j, SATF_UNSUPPORTED,
                      "a JPEG blurs black and white; write .png, or u8 for shades of grey (option: "
                      "type)");
            assert_string_equal(report.at, out);
        }
    }
}

/* A picture that says how its colours look, as much of it as the bits of `what` say. */
enum { PROFILE = 1, GAMMA = 2, SRGB = 4, CHROMATICITIES = 8, HDR = 16 };

static void write_coloured(const char *name, int what, satf_type type)
{
    satf_image *image = make_noise(20, 10, 3, type, 0, 3);
    satf_metadata *m = &image->metadata;
    if (what & PROFILE) { /* of gamma alone */
        unsigned char icc[1024];
        const satf_metadata says = {.has_gamma = true, .gamma = 1 / 1.8};
        size_t bytes = io_make_icc(&says, 3, icc);
        assert_true(bytes > 128);
        MUST(ctx, satf_copy_block(ctx, icc, bytes, &m->icc, &m->icc_bytes));
    }
    m->has_gamma = what & GAMMA;
    m->gamma = 1 / 2.2;
    m->has_srgb = what & SRGB;
    m->has_chromaticities = what & CHROMATICITIES;
    const double primaries[] = {0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06};
    memcpy(m->chromaticities, primaries, sizeof primaries);
    for (int i = 0; i < SATF_HDR_KINDS; i++) {
        m->has_hdr[i] = what & HDR;
        memset(m->hdr[i], 1, sizeof m->hdr[i]);
    }
    m->has_resolution = true;
    m->resolution_x = m->resolution_y = 100 / 0.0254;
    m->resolution_unit = 1;
    write_image(image, name);
}

static int colours_of(const char *name)
{
    SCOPED_IMAGE *image = read_image(name);
    const satf_metadata *m = &image->metadata;
    assert_true(m->has_resolution); /* which says nothing of colours */
    bool hdr = m->has_hdr[SATF_CICP] || m->has_hdr[SATF_MDCV] || m->has_hdr[SATF_CLLI];
    int found = (m->icc_bytes > 0 ? PROFILE : 0) | (m->has_gamma ? GAMMA : 0) |
                (m->has_srgb ? SRGB : 0) | (m->has_chromaticities ? CHROMATICITIES : 0) |
                (hdr ? HDR : 0);
    return found;
}

/* Templates: a blur, a sharper picture, the two of them slightly off, and an edge. */
static void write_templates(void)
{
    static const char *const all[][2] = {{"blur.txt", "-1 -1 3 3 1/9\n"},
                                         {"sharp.txt", "0 0 1 1 2\n-1 -1 3 3 -1/9\n"},
                                         {"bright.txt", "0 0 1 1 2\n-1 -1 3 3 -1/10\n"},
                                         {"edge.txt", "-1 0 1 1 -1\n1 0 1 1 1\n"}};
    for (size_t i = 0; i < COUNT(all); i++) {
        write_bytes(all[i][0], all[i][1], strlen(all[i][1]));
    }
}

/* The output of the last job has the colours of `what`, as far as its format can say them; of a map
 * it has none, and a note says so once. */
static void check_colours(const char *spec, const char *out, int what, bool colours)
{
    const char *note = what == PROFILE
                           ? "its input's colour profile is left out: the values are no colours"
                           : "its input's colour space is left out: the values are no colours";
    int found = colours_of(out), kept = what;
    bool told = false;
    if (strstr(out, ".jpg")) { /* as a JPEG says it */
        kept = what & (PROFILE | GAMMA) && !(what & SRGB) ? PROFILE : 0;
    }
    for (int n = 0; n < report.note_count; n++) {
        const satf_file_note *is = &report.notes[n];
        told |= strcmp(is->text, note) == 0 && strcmp(is->at, out) == 0;
        assert_true(colours || !strstr(is->text, "HDR")); /* told once */
    }
    if (found != (colours ? kept : 0) || told != (!colours && what != 0)) {
        fail_msg("%s to %s: colours %d of %d, %d notes, the first: %s", spec, out, found, what,
                 report.note_count, report.notes[0].text);
    }
}

/* Values that are no colours say nothing of colours; whole, by rows, from and to PNG and JPEG. */
TEST_ALONE(maps)
{
    static const struct {
        const char *spec;
        bool by_rows, colours;
    } cases[] = {{"variance=3", true, false},
                 {"stddev=3", true, false},
                 {"box=3 stddev=5 flip=h box=3", true, false},
                 {"sum=3", true, false},
                 {"integral", true, false},
                 {"template=edge.txt", false, false},
                 {"template=bright.txt", false, false},
                 {"template=blur.txt", false, true},
                 {"template=sharp.txt box=1", false, true},
                 {"box=3", true, true},
                 {"unsharp=3", true, true},
                 {"rotate=90", false, true},
                 {"stddev=3 sauvola=5", true, true}};
    enum { SRGB_AS_WRITTEN = SRGB | GAMMA | CHROMATICITIES };
    const int whats[] = {PROFILE, GAMMA | CHROMATICITIES, SRGB_AS_WRITTEN, HDR, 0};
    write_templates();
    for (size_t i = 0; i < 8 * COUNT(cases); i++) {
        const char *spec = cases[i / 8].spec, *out = i & 1 ? "map.jpg" : "map.png";
        satf_route route = i & 2 && cases[i / 8].by_rows ? SATF_ROUTE_ROWS : SATF_ROUTE_WHOLE;
        bool grey = strstr(spec, "sauvola") != NULL; /* no JPEG, and no profile of RGB */
        int type = spec[0] == 'u' && !(i & 1) ? SATF_U16 : SATF_TYPE_AUTO;
        for (size_t k = 0; k < COUNT(whats); k++) {
            if (!grey || (!(i & 1) && whats[k] != PROFILE)) {
                write_coloured("in.png", whats[k], i & 4 ? SATF_U16 : SATF_U8);
                must_run(JOB("in.png", out, spec, route, .write.type = type));
                check_colours(spec, out, whats[k], cases[i / 8].colours);
            }
        }
    }
    write_coloured("in.png", PROFILE, SATF_U8); /* a format that holds no colours in any case */
    must_note(JOB("in.png", "map.npy", "stddev=3"), "map.npy",
              "its input's resolution is left out, which npy cannot hold; PNG and JPEG can");
}

/* What is not read of such a format is told of. */
TEST_ALONE(only_read)
{
    static const char gif[] =
        "GIF89a\1\0\1\0\x80\0\0\1\2\3\4\5\6!\xfe\2hi\0!\xff\x0bXMP DataXMP\1x\0"
        ",\0\0\0\0\1\0\1\0\0\2\2\x44\1\0;";
    static const char psd[] = "8BPS\0\1\0\0\0\0\0\0\0\3\0\0\0\1\0\0\0\1\0\10\0\3\0\0\0\0"
                              "\0\0\0\x1c"
                              "8BIM\4\x0f\0\0\0\0\0\2ab"
                              "8BIM\4\x24\0\0\0\0\0\2ab"
                              "\0\0\0\0\0\0\1\2\3";
    static const struct {
        const io_format *format;
        const char *bytes;
        size_t n;
        int count;
        const char *note;
    } cases[] = {{&io_gif, gif, sizeof gif - 1, 2, "its XMP is not kept"},
                 {&io_psd, psd, sizeof psd - 1, 1, "its colour profile and XMP are not kept"}};
    MUST(ctx, satf_context_set_formats(ctx, "all"));
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (!io_format_missing(cases[i].format)) {
            write_bytes("only", cases[i].bytes, cases[i].n);
            must_run(JOB("only", "o.png", "box=1"));
            assert_int_equal(report.note_count, cases[i].count);
            assert_string_equal(report.notes[report.note_count - 1].text, cases[i].note);
        }
    }
}

/* Of 200 samples k are 1, the others 0: with fewer than ten of them the mean is below a twentieth
 * of white. */
TEST_ALONE(nearly_black)
{
    static const struct {
        int bright;
        double clip;
        bool found, noted;
    } cases[] = {{9, 0, true, true},    {1, 0, true, true},   {10, 0, true, false},
                 {100, 0, true, false}, {9, 0.4, true, true}, {9, 1, true, false},
                 {9, 0, false, false}};
    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        int bright = cases[i / 2].bright;
        bool alpha = i % 2, found = cases[i / 2].found;
        const char *in = alpha ? "dark.png" : "dark.npy";
        satf_image *image =
            make_noise(20, 10, 1 + alpha, alpha ? SATF_U16 : SATF_F64, alpha ? SATF_ALPHA : 0, 1);
        void *data = satf_image_view(image)->data;
        for (int k = 0; k < 200; k++) {
            if (alpha) {
                ((uint16_t *)data)[2 * k] = k < bright ? 1000 : 0;
                ((uint16_t *)data)[2 * k + 1] = UINT16_MAX;
            } else {
                ((double *)data)[k] = k < bright;
            }
        }
        write_image(image, in);
        must_run(JOB(in, "shown.png", "copy", .write.auto_range = found,
                     .write.clip_percent = cases[i / 2].clip, .write.has_range = !found,
                     .write.hi = 1));
        bool noted = report.note_count > 0 && strstr(report.notes[0].text, "its mean is ") &&
                     strstr(report.notes[0].text, "auto:1 shows more (option: range)");
        if (noted != cases[i / 2].noted) {
            fail_msg("%d bright, %s: %d notes, the first: %s", bright, in, report.note_count,
                     report.notes[0].text);
        }
    }
}

/* A resolution for files that name none; one that names it keeps it. */
TEST_ALONE(resolutions)
{
    static const struct {
        bool named;
        int unit;
        double x, y, dpi; /* named per inch, or as a ratio */
        double got_x, got_y;
        const char *note;
    } cases[] = {
        {false, 0, 0, 0, 300, 300, 300, NULL},
        {false, 0, 0, 0, 0, 0, 0, NULL},
        {true, 0, 1, 1, 240, 240, 240, NULL},
        {true, 0, 1, 2, 100, 100, 200, NULL},
        {true, 1, 300, 300, 300, 300, 300, NULL},
        {true, 1, 72, 72, 300, 72, 72, "keeps the 72 dpi that it names (option: dpi)"},
        {true, 1, 72, 144, 72, 72, 144, "keeps the 72 x 144 dpi that it names (option: dpi)"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        satf_image *image = make_noise(40, 30, 1, SATF_U8, 0, 1);
        satf_metadata *m = &image->metadata;
        m->has_resolution = cases[i].named;
        m->resolution_unit = cases[i].unit;
        m->resolution_x = cases[i].x / (cases[i].unit ? 0.0254 : 1);
        m->resolution_y = cases[i].y / (cases[i].unit ? 0.0254 : 1);
        write_image(image, "in.png");
        bool length = cases[i].got_x > 0;
        must_note(JOB("in.png", "out.png", length ? "box=0.1in" : "box=3", .how.dpi = cases[i].dpi),
                  "in.png", cases[i].note);
        SCOPED_IMAGE *got = read_image("out.png");
        m = &got->metadata;
        assert_int_equal(m->has_resolution && m->resolution_unit, length);
        if (length && (fabs(m->resolution_x * 0.0254 - cases[i].got_x) > 0.1 ||
                       fabs(m->resolution_y * 0.0254 - cases[i].got_y) > 0.1)) {
            fail_msg("case %zu: %g x %g dpi", i, m->resolution_x * 0.0254,
                     m->resolution_y * 0.0254);
        }
    }
    must_fail(JOB("in.png", "no.png", "box=3", .how.dpi = -1), SATF_INVALID, "");
}

TEST_ALONE(a_route_that_is_none)
{
    SCOPED_FILTER *box = NULL;
    MUST(ctx, satf_filter_parse(ctx, "box=3", &box));
    satf_file_options how;
    satf_file_options_init(&how, sizeof how);
    how.route = (satf_route)(SATF_ROUTE_ROWS + 1);
    assert_int_equal(satf_filter_file(ctx, box, "in.png", "no.png", &how, NULL, 0), SATF_INVALID);
    assert_non_null(strstr(satf_message(ctx), "no route"));
}

TEST_ALONE(several_pictures)
{
    static const char two[] = "P5 2 2 255\nabcdP5 2 2 255\nefgh";
    write_bytes("two.pgm", two, sizeof two - 1);
    for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
        must_note(JOB("two.pgm", "o.pgm", "box=1", way), "two.pgm",
                  "holds more than one picture; only the first is read");
    }
}

TEST_FILE(.context = &ctx, .folder = true)
