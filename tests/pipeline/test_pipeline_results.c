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
    char in[300];
    snprintf(in, sizeof in, "%s", path("in.pgm"));
    write_noise(in, 20, 10, 1, SATF_U8, 0, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int named = 0; named < 2; named++) {
            char out[300];
            satf_filter *filter;
            satf_file_report result;
            satf_write_options write = satf_write_defaults();
            snprintf(out, sizeof out, "%s", path(named ? "bw" : "bw.jpg"));
            write.format = named ? "jpeg" : NULL;
            write.type = cases[i].type;
            write.has_range = cases[i].has_range;
            write.hi = 255;
            satf_file_options options;
            satf_file_options_init(&options, sizeof options);
            options.write = &write;
            assert_int_equal(satf_filter_parse(ctx, cases[i].spec, &filter), SATF_OK);
            satf_status status =
                satf_filter_file(ctx, filter, in, out, &options, &result, sizeof result);
            satf_filter_destroy(filter);
            if (!cases[i].refused) {
                assert_int_equal(status, SATF_OK);
                assert_int_equal(unlink(out), 0);
                continue;
            }
            assert_int_equal(status, SATF_UNSUPPORTED);
            assert_string_equal(satf_message(ctx),
                                "a JPEG blurs black and white; write .png, or u8 for shades of "
                                "grey (option: type)");
            assert_string_equal(result.at, out);
            assert_int_equal(access(out, F_OK), -1);
        }
    }
}

/* A picture that says how its colours look, as much of it as the bits of `what` say. */
enum { PROFILE = 1, GAMMA = 2, SRGB = 4, CHROMATICITIES = 8, HDR = 16 };

static void write_coloured(const char *name, int what, satf_type type)
{
    SCOPED_IMAGE *image;
    assert_int_equal(satf_image_create(ctx, 20, 10, 3, type, 0, &image), SATF_OK);
    satf_metadata *m = &image->metadata;
    if (what & PROFILE) { /* of gamma alone */
        unsigned char icc[1024];
        const satf_metadata says = {.has_gamma = true, .gamma = 1 / 1.8};
        size_t bytes = io_make_icc(&says, 3, icc);
        assert_true(bytes > 128);
        assert_int_equal(satf_copy_block(ctx, icc, bytes, &m->icc, &m->icc_bytes), SATF_OK);
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
    uint32_t seed = 3;
    const satf_view *v = satf_image_view(image);
    for (int64_t i = 0; i < v->height * v->stride; i++) {
        ((uint8_t *)v->data)[i] = (uint8_t)noise(&seed);
    }
    if (satf_image_write(ctx, image, name, NULL)) {
        fail_msg("%s: %s", name, satf_message(ctx));
    }
}

static int colours_of(const char *name)
{
    SCOPED_IMAGE *image;
    assert_int_equal(satf_image_read(ctx, name, &image), SATF_OK);
    const satf_metadata *m = &image->metadata;
    assert_true(m->has_resolution); /* which says nothing of colours */
    bool hdr = m->has_hdr[SATF_CICP] || m->has_hdr[SATF_MDCV] || m->has_hdr[SATF_CLLI];
    int found = (m->icc_bytes > 0 ? PROFILE : 0) | (m->has_gamma ? GAMMA : 0) |
                (m->has_srgb ? SRGB : 0) | (m->has_chromaticities ? CHROMATICITIES : 0) |
                (hdr ? HDR : 0);
    return found;
}

static satf_file_report filter_to(const char *in, const char *out, const char *spec, int type,
                                  satf_route route)
{
    satf_file_report result;
    if (run(in, out, spec, type, route, 2, &result)) {
        fail_msg("%s of %s to %s: %s", spec, in, out, satf_message(ctx));
    }
    return result;
}

/* Templates: a blur, a sharper picture, the two of them slightly off, and an edge. */
static void write_templates(void)
{
    static const struct {
        const char *name, *text;
    } all[] = {{"blur.txt", "-1 -1 3 3 1/9\n"},
               {"sharp.txt", "0 0 1 1 2\n-1 -1 3 3 -1/9\n"},
               {"bright.txt", "0 0 1 1 2\n-1 -1 3 3 -1/10\n"},
               {"edge.txt", "-1 0 1 1 -1\n1 0 1 1 1\n"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        FILE *file = fopen(path(all[i].name), "w");
        assert_non_null(file);
        fputs(all[i].text, file);
        fclose(file);
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
    char here[300];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(directory), 0);
    write_templates();
    for (size_t i = 0; i < 8 * sizeof cases / sizeof *cases; i++) {
        const char *spec = cases[i / 8].spec, *out = i & 1 ? "map.jpg" : "map.png";
        satf_route route = i & 2 && cases[i / 8].by_rows ? SATF_ROUTE_ROWS : SATF_ROUTE_WHOLE;
        bool colours = cases[i / 8].colours;
        for (size_t k = 0; k < sizeof whats / sizeof *whats; k++) {
            bool grey = strstr(spec, "sauvola") != NULL; /* no JPEG, and no profile of RGB */
            if (grey && (i & 1 || whats[k] == PROFILE)) {
                continue;
            }
            write_coloured("in.png", whats[k], i & 4 ? SATF_U16 : SATF_U8);
            int type = spec[0] == 'u' && !(i & 1) ? SATF_U16 : SATF_TYPE_AUTO;
            satf_file_report result = filter_to("in.png", out, spec, type, route);
            int found = colours_of(out), kept = whats[k];
            if (i & 1) { /* as a JPEG says it */
                kept = whats[k] & (PROFILE | GAMMA) && !(whats[k] & SRGB) ? PROFILE : 0;
            }
            if (found != (colours ? kept : 0)) {
                fail_msg("%s to %s: %d of %d", spec, out, found, whats[k]);
            }
            bool told = false;
            const char *note = whats[k] == PROFILE
                                   ? "its input's colour profile is left out: the values are no "
                                     "colours"
                                   : "its input's colour space is left out: the values are no "
                                     "colours";
            for (int n = 0; n < result.note_count; n++) {
                told |=
                    strcmp(result.notes[n].text, note) == 0 && strcmp(result.notes[n].at, out) == 0;
                assert_true(colours || !strstr(result.notes[n].text, "HDR")); /* told once */
            }
            if (told != (!colours && whats[k] != 0)) {
                fail_msg("%s of %d to %s: %d notes, the first: %s", spec, whats[k], out,
                         result.note_count, result.notes[0].text);
            }
        }
    }
    write_coloured("in.png", PROFILE, SATF_U8); /* a format that holds no colours in any case */
    satf_file_report result =
        filter_to("in.png", "map.npy", "stddev=3", SATF_TYPE_AUTO, SATF_ROUTE_AUTO);
    assert_int_equal(result.note_count, 1);
    assert_string_equal(result.notes[0].text, "its input's resolution is left out, which npy "
                                              "cannot hold; PNG and JPEG can");
    assert_int_equal(chdir(here), 0);
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
    assert_int_equal(satf_context_set_formats(ctx, "all"), SATF_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        satf_file_report result;
        if (io_format_missing(cases[i].format)) {
            continue;
        }
        FILE *file = fopen(path("only"), "wb");
        assert_int_equal(fwrite(cases[i].bytes, 1, cases[i].n, file), cases[i].n);
        fclose(file);
        if (run(path("only"), path("o.png"), "box=1", SATF_TYPE_AUTO, SATF_ROUTE_AUTO, 1,
                &result)) {
            fail_msg("%s: %s", cases[i].format->name, satf_message(ctx));
        }
        assert_int_equal(result.note_count, cases[i].count);
        assert_string_equal(result.notes[result.note_count - 1].text, cases[i].note);
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
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
        int bright = cases[i / 2].bright;
        bool alpha = i % 2;
        const char *in = path(alpha ? "dark.png" : "dark.npy");
        satf_image *image;
        satf_file_report result;
        satf_filter *box;
        assert_int_equal(satf_image_create(ctx, 20, 10, 1 + alpha, alpha ? SATF_U16 : SATF_F64,
                                           alpha ? SATF_ALPHA : 0, &image),
                         SATF_OK);
        for (int k = 0; k < 200; k++) {
            void *data = satf_image_view(image)->data;
            if (alpha) {
                ((uint16_t *)data)[2 * k] = k < bright ? 1000 : 0;
                ((uint16_t *)data)[2 * k + 1] = UINT16_MAX;
            } else {
                ((double *)data)[k] = k < bright;
            }
        }
        assert_int_equal(satf_image_write(ctx, image, in, NULL), SATF_OK);
        satf_image_destroy(image);
        assert_int_equal(satf_filter_parse(ctx, "copy", &box), SATF_OK);
        pipeline_job job = {.input = in,
                            .output = path("shown.png"),
                            .filter = box,
                            .write = satf_write_defaults()};
        job.write.auto_range = cases[i / 2].found;
        job.write.clip_percent = cases[i / 2].clip;
        job.write.has_range = !cases[i / 2].found;
        job.write.hi = 1;
        if (pipeline_run(ctx, &job, &result)) {
            fail_msg("%s", satf_message(ctx));
        }
        bool noted = result.note_count > 0 && strstr(result.notes[0].text, "its mean is ") &&
                     strstr(result.notes[0].text, "auto:1 shows more (option: range)");
        if (noted != cases[i / 2].noted) {
            fail_msg("%d bright, %s: %d notes, the first: %s", bright, in, result.note_count,
                     result.notes[0].text);
        }
        satf_filter_destroy(box);
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
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        satf_image *image = make_noise(40, 30, 1, SATF_U8, 0, 1), *got;
        satf_metadata *m = &image->metadata;
        m->has_resolution = cases[i].named;
        m->resolution_unit = cases[i].unit;
        m->resolution_x = cases[i].x / (cases[i].unit ? 0.0254 : 1);
        m->resolution_y = cases[i].y / (cases[i].unit ? 0.0254 : 1);
        assert_int_equal(satf_image_write(ctx, image, path("in.png"), NULL), SATF_OK);
        satf_image_destroy(image);
        satf_filter *box;
        satf_file_options how;
        satf_file_report result;
        bool length = cases[i].got_x > 0;
        assert_int_equal(satf_filter_parse(ctx, length ? "box=0.1in" : "box=3", &box), SATF_OK);
        satf_file_options_init(&how, sizeof how);
        how.dpi = cases[i].dpi;
        if (satf_filter_file(ctx, box, path("in.png"), path("out.png"), &how, &result,
                             sizeof result)) {
            fail_msg("case %zu: %s", i, satf_message(ctx));
        }
        assert_int_equal(satf_image_read(ctx, path("out.png"), &got), SATF_OK);
        m = &got->metadata;
        assert_int_equal(m->has_resolution && m->resolution_unit, length);
        if (length && (fabs(m->resolution_x * 0.0254 - cases[i].got_x) > 0.1 ||
                       fabs(m->resolution_y * 0.0254 - cases[i].got_y) > 0.1)) {
            fail_msg("case %zu: %g x %g dpi", i, m->resolution_x * 0.0254,
                     m->resolution_y * 0.0254);
        }
        assert_int_equal(result.note_count, cases[i].note != NULL);
        if (cases[i].note) {
            assert_string_equal(result.notes[0].text, cases[i].note);
        }
        how.dpi = -1;
        assert_int_equal(satf_filter_file(ctx, box, path("in.png"), path("out.png"), &how, NULL, 0),
                         SATF_INVALID);
        satf_image_destroy(got);
        satf_filter_destroy(box);
    }
}

TEST_ALONE(several_pictures)
{
    FILE *file = fopen(path("two.pgm"), "wb");
    assert_non_null(file);
    fputs("P5 2 2 255\nabcdP5 2 2 255\nefgh", file);
    fclose(file);
    for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
        satf_file_report result =
            filter_to(path("two.pgm"), path("o.pgm"), "box=1", SATF_TYPE_AUTO, way);
        assert_int_equal(result.note_count, 1);
        assert_string_equal(result.notes[0].text,
                            "holds more than one picture; only the first is read");
    }
}

TEST_FILE(.context = &ctx, .folder = true)
