/* Every kind of what a file says besides its pixels, from every format that holds it into every
 * format that is written: it is in the output, or one note names it. And what follows from it: one
 * resolution, whoever says it. */
#include "test.h"
#include "pipeline_jobs.h"

#include "base/exif.h"
#include "base/tags.h"
#include "io/codec.h"

/* ---------------------------------------------------------------------- kinds */

enum { SIDE = 16, INCH = 2 };

static void add_tag(satf_tags *tags, unsigned of, unsigned tag, unsigned type, const void *values,
                    size_t bytes)
{
    const satf_tag added = {(uint16_t)of, (uint16_t)tag, (uint16_t)type, bytes, values};
    assert_int_equal(satf_tags_add(ctx, tags, &added), SATF_OK);
}

static void make_exif(satf_metadata *m, const satf_tags *tags)
{
    assert_int_equal(satf_exif_of_tags(ctx, tags, &m->exif, &m->exif_bytes), SATF_OK);
    assert_non_null(m->exif);
    satf_free(tags->block);
}

static void give_block(const void *from, size_t n, unsigned char **to, size_t *bytes)
{
    assert_int_equal(satf_copy_block(ctx, from, n, to, bytes), SATF_OK);
}

/* One that libpng finds nothing wrong with. */
static void set_icc(satf_metadata *m, int channels)
{
    unsigned char icc[IO_ICC_BYTES];
    const satf_metadata says = {.has_gamma = true, .gamma = 0.8};
    give_block(icc, io_make_icc(&says, channels, icc), &m->icc, &m->icc_bytes);
}

static void set_rgb_icc(satf_metadata *m)
{
    set_icc(m, 3);
}

static void set_grey_icc(satf_metadata *m)
{
    set_icc(m, 1);
}

static void set_orientation(satf_metadata *m)
{
    unsigned char exif[SATF_EXIF_ORIENTATION_BYTES];
    satf_exif_make_orientation(6, exif);
    give_block(exif, sizeof exif, &m->exif, &m->exif_bytes);
}

static void set_gamma(satf_metadata *m)
{
    m->has_gamma = true;
    m->gamma = 0.7;
}

static void set_hdr(satf_metadata *m)
{
    static const unsigned char cicp[] = {9, 16, 0, 1};
    m->has_hdr[SATF_CICP] = true;
    memcpy(m->hdr[SATF_CICP], cicp, sizeof cicp);
}

static void set_resolution(satf_metadata *m)
{
    m->has_resolution = true;
    m->resolution_x = m->resolution_y = 72 / IO_METRES_PER_INCH;
    m->resolution_unit = 1;
}

static void set_proportions(satf_metadata *m)
{
    m->has_resolution = true;
    m->resolution_x = 2;
    m->resolution_y = 1;
}

static const char maker[] = "a camera's maker";

static void set_exif(satf_metadata *m)
{
    satf_tags tags = {NULL, 0, 0};
    add_tag(&tags, SATF_TAGS_PAGE, 271, SATF_TAG_ASCII, maker, sizeof maker);
    make_exif(m, &tags);
}

/* A resolution that EXIF alone has is lost as itself where there is no EXIF. */
static void set_exif_resolution(satf_metadata *m)
{
    static const uint32_t x[] = {300, 1};
    static const uint16_t unit = INCH;
    satf_tags tags = {NULL, 0, 0};
    add_tag(&tags, SATF_TAGS_PAGE, SATF_TAG_XRESOLUTION, 5, x, sizeof x);
    add_tag(&tags, SATF_TAGS_PAGE, SATF_TAG_YRESOLUTION, 5, x, sizeof x);
    add_tag(&tags, SATF_TAGS_PAGE, SATF_TAG_RESOLUTION_UNIT, 3, &unit, sizeof unit);
    add_tag(&tags, SATF_TAGS_PAGE, 305, SATF_TAG_ASCII, "x", 2); /* else there is no EXIF */
    make_exif(m, &tags);
}

static void set_xmp(satf_metadata *m)
{
    give_block("<x:xmpmeta/>", 12, &m->xmp, &m->xmp_bytes);
}

static void set_iptc(satf_metadata *m)
{
    give_block("8BIM\4\4\0\0\0\0\0\2ab", 14, &m->iptc, &m->iptc_bytes);
}

static void set_text(satf_metadata *m)
{
    give_block("\0\0\0\010tEXtAuthor\0x", 16, &m->text, &m->text_bytes);
    m->text_ahead = m->text_bytes;
}

static void set_tag(satf_metadata *m, unsigned tag, unsigned type, const void *values, size_t n)
{
    satf_tags tags = {NULL, 0, 0};
    add_tag(&tags, SATF_TAGS_PAGE, tag, type, values, n);
    m->tags = tags.block;
    m->tags_bytes = tags.bytes;
    m->tags_pages = 1;
    m->tags_samples = 3;
}

static void set_page_name(satf_metadata *m)
{
    set_tag(m, SATF_TAG_PAGE_NAME, SATF_TAG_ASCII, "vii", 4);
}

static void set_document_name(satf_metadata *m)
{
    set_tag(m, 269, SATF_TAG_ASCII, "vii", 4);
}

static void set_geo(satf_metadata *m)
{
    static const double scale[] = {1, 2, 0};
    set_tag(m, 33550, 12, scale, sizeof scale);
}

static void set_white_point(satf_metadata *m)
{
    static const uint32_t white[] = {3127, 10000, 3290, 10000};
    set_tag(m, SATF_TAG_WHITE_POINT, 5, white, sizeof white);
}

static void set_imagej(satf_metadata *m)
{
    static const uint32_t counts[] = {12, 2};
    set_tag(m, SATF_TAG_IMAGEJ_COUNTS, 4, counts, sizeof counts);
}

/* ---------------------------------------------------------- what a file has of them */

static bool has_icc(const satf_metadata *m)
{
    return m->icc_bytes > 0;
}

static bool is_turned(const satf_metadata *m)
{
    return satf_exif_orientation(m->exif, m->exif_bytes) == 6;
}

static bool has_gamma(const satf_metadata *m)
{
    return m->has_gamma || m->icc_bytes > 0;
}

static bool has_hdr(const satf_metadata *m)
{
    return m->has_hdr[SATF_CICP];
}

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-3 * b;
}

static bool has_resolution(const satf_metadata *m)
{
    return m->has_resolution && m->resolution_unit == 1 &&
           is_near(m->resolution_x, 72 / IO_METRES_PER_INCH);
}

static bool has_proportions(const satf_metadata *m)
{
    return m->has_resolution && m->resolution_unit == 0 && m->resolution_x == 2 &&
           m->resolution_y == 1;
}

static bool has_exif(const satf_metadata *m)
{
    return m->exif && memmem(m->exif, m->exif_bytes, maker, sizeof maker);
}

static bool has_exif_resolution(const satf_metadata *m)
{
    return m->has_resolution && m->resolution_unit == 1 &&
           is_near(m->resolution_x, 300 / IO_METRES_PER_INCH) &&
           is_near(m->resolution_y, 300 / IO_METRES_PER_INCH);
}

static bool has_xmp(const satf_metadata *m)
{
    return m->xmp_bytes == 12;
}

static bool has_iptc(const satf_metadata *m)
{
    return m->iptc_bytes == 14;
}

static bool has_text(const satf_metadata *m)
{
    return m->text_bytes == 16;
}

static bool has_tags(const satf_metadata *m)
{
    return m->tags_bytes > 0;
}

/* kind: formats that keep it are those to come from; at_input: the note is about the input. Gamma
 * is a PNG's, as HDR is. */
static const struct {
    void (*set)(satf_metadata *m);
    bool (*has)(const satf_metadata *m);
    unsigned kind;
    int channels;
    const char *words;
    bool at_input;
} kinds[] = {
    {set_orientation, is_turned, IO_KEEPS_ORIENTATION, 3, "orientation is", false},
    {set_rgb_icc, has_icc, IO_KEEPS_ICC, 3, "colour profile is", false},
    {set_grey_icc, has_icc, IO_KEEPS_GREY_ICC, 1, "colour profile is", false},
    {set_gamma, has_gamma, IO_KEEPS_HDR, 3, "colour space is", false},
    {set_hdr, has_hdr, IO_KEEPS_HDR, 3, "description as HDR is", false},
    {set_resolution, has_resolution, IO_KEEPS_RESOLUTION, 3, "resolution is", false},
    {set_proportions, has_proportions, IO_KEEPS_RESOLUTION, 3, "resolution is", false},
    {set_exif, has_exif, IO_KEEPS_EXIF, 3, "EXIF is", false},
    {set_exif_resolution, has_exif_resolution, IO_KEEPS_EXIF, 3, "resolution is", false},
    {set_xmp, has_xmp, IO_KEEPS_XMP, 3, "XMP is", false},
    {set_iptc, has_iptc, IO_KEEPS_IPTC, 3, "IPTC is", false},
    {set_text, has_text, IO_KEEPS_TEXT, 3, "text, such as a comment, is", true},
    {set_page_name, has_tags, IO_KEEPS_TAGS, 3, "page name is", true},
    {set_document_name, has_tags, IO_KEEPS_TAGS, 3, "text, such as a comment, is", true},
    {set_geo, has_tags, IO_KEEPS_TAGS, 3, "GeoTIFF data is", true},
    {set_white_point, has_tags, IO_KEEPS_TAGS, 3, "colour primaries are", true},
    {set_imagej, has_tags, IO_KEEPS_TAGS, 3, "ImageJ data is", true},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ------------------------------------------------------------------ from and into */

/* A format that is written here: the n-th; NULL behind the last. */
static const io_format *written(size_t n)
{
    const io_format *format;
    size_t i = 0;
    for (; (format = io_format_at(i)); i++) {
        if (io_can_write(format) && !io_format_missing(format) && n-- == 0) {
            return format;
        }
    }
    return NULL;
}

static const char *file_of(const char *name, const io_format *format)
{
    char file[64];
    snprintf(file, sizeof file, "%s.%.*s", name, (int)strcspn(format->suffixes, " "),
             format->suffixes);
    return path(file);
}

static void write_kind(size_t k, const char *name)
{
    SCOPED_IMAGE *image = make_noise(SIDE, SIDE, kinds[k].channels, SATF_U8, 0, 5);
    kinds[k].set(&image->metadata);
    if (satf_image_write(ctx, image, name, NULL)) {
        fail_msg("%s: %s", name, satf_message(ctx));
    }
}

static bool file_has(size_t k, const char *name)
{
    SCOPED_IMAGE *image;
    if (satf_image_read(ctx, name, &image)) {
        fail_msg("%s: %s", name, satf_message(ctx));
    }
    bool has = kinds[k].has(&image->metadata);
    return has;
}

static void check_notes(size_t k, const char *in, const char *out, const satf_file_report *result)
{
    const satf_file_note *note = result->notes;
    bool kept = file_has(k, out);
    if (result->note_count != (kept ? 0 : 1)) {
        fail_msg("%s to %s, %s%s kept, %d notes: %s", in, out, kinds[k].words, kept ? "" : " not",
                 result->note_count, result->note_count ? note->text : "");
    }
    if (!kept && (!strstr(note->text, kinds[k].words) ||
                  strcmp(note->at, kinds[k].at_input ? in : out) != 0)) {
        fail_msg("%s to %s: %s should be told of: %s", in, out, kinds[k].words, note->text);
    }
}

/* Kept or told of, once. */
TEST_ALONE(kept_or_told)
{
    const io_format *from, *to;
    int pairs[KINDS] = {0};
    assert_int_equal(satf_context_set_formats(ctx, "all"), SATF_OK);
    for (size_t n = 0; n < KINDS * 16; n++) {
        size_t k = n / 16;
        from = written(n % 16);
        bool own =
            from == &io_tiff && kinds[k].has == has_exif_resolution; /* its tags are EXIF's */
        if (!from || !(from->keeps & kinds[k].kind) || own) {
            continue;
        }
        char in[300], out[300];
        snprintf(in, sizeof in, "%s", file_of("in", from));
        write_kind(k, in);
        assert_true(file_has(k, in));
        for (size_t t = 0; (to = written(t)); t++) {
            for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
                satf_file_report result;
                snprintf(out, sizeof out, "%s", file_of("out", to));
                if (way == SATF_ROUTE_ROWS && strcmp(from->name, "webp") == 0) {
                    continue; /* has no rows */
                }
                if (run(in, out, "box=1", SATF_TYPE_AUTO, way, 1, &result)) {
                    fail_msg("%s to %s: %s", in, out, satf_message(ctx));
                }
                check_notes(k, in, out, &result);
                pairs[k]++;
            }
        }
    }
    for (size_t k = 0; k < KINDS; k++) {
        bool of_tiff = kinds[k].kind == IO_KEEPS_TAGS && io_format_missing(&io_tiff);
        assert_true(pairs[k] > 0 || of_tiff);
    }
}

/* Several kinds are one sentence; --strip wants to hear of pixels' alone. */
TEST_ALONE(one_sentence)
{
    SCOPED_IMAGE *image = make_noise(SIDE, SIDE, 3, SATF_U8, 0, 5);
    satf_file_report result;
    char in[300], out[300];
    snprintf(in, sizeof in, "%s", path("all.png"));
    snprintf(out, sizeof out, "%s", path("all.ppm"));
    set_rgb_icc(&image->metadata);
    set_resolution(&image->metadata);
    set_iptc(&image->metadata);
    set_hdr(&image->metadata);
    assert_int_equal(satf_image_write(ctx, image, in, NULL), SATF_OK);
    for (int strip = 0; strip < 2; strip++) {
        SCOPED_FILTER *filter;
        pipeline_job job = {.input = in, .output = out, .write = satf_write_defaults()};
        job.write.strip = strip;
        assert_int_equal(satf_filter_parse(ctx, "box=1", &filter), SATF_OK);
        job.filter = filter;
        assert_int_equal(pipeline_run(ctx, &job, &result), SATF_OK);
        assert_int_equal(result.note_count, 1);
        assert_string_equal(
            result.notes[0].text,
            strip ? "its input's colour profile and description as HDR are left out, which ppm "
                    "cannot hold; PNG can"
                  : "its input's colour profile, description as HDR, resolution and IPTC are left "
                    "out, which ppm cannot hold; PNG can");
    }
}

/* A resolution that no JPEG has room for. */
TEST_ALONE(too_fine)
{
    SCOPED_IMAGE *image = make_noise(SIDE, SIDE, 3, SATF_U8, 0, 5);
    satf_file_report result;
    image->metadata.has_resolution = true;
    image->metadata.resolution_x = image->metadata.resolution_y = 1e8;
    image->metadata.resolution_unit = 1;
    char in[300], out[300];
    snprintf(in, sizeof in, "%s", path("fine.png"));
    snprintf(out, sizeof out, "%s", path("fine.jpg"));
    assert_int_equal(satf_image_write(ctx, image, in, NULL), SATF_OK);
    assert_int_equal(run(in, out, "box=1", SATF_TYPE_AUTO, SATF_ROUTE_AUTO, 1, &result), SATF_OK);
    assert_int_equal(result.note_count, 1);
    assert_string_equal(result.notes[0].text,
                        "its input's resolution is left out, which jpeg cannot hold; PNG and TIFF "
                        "can");
}

/* ------------------------------------------------------- profiles of other pixels */

/* Of the input's pixels, which have become RGB; and of the result's, but black and white. */
TEST_ALONE(other_profiles)
{
    static const struct {
        const char *spec, *note;
    } cases[] = {
        {"box=1", NULL},
        {"sauvola=5", NULL},
        {"sauvola=5,surface", "its input's colour profile is left out: it is for RGB, and the "
                              "pixels are grey"},
    };
    char in[300], out[300];
    const io_format *to;
    snprintf(in, sizeof in, "%s", path("icc.png"));
    write_kind(1, in);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t t = 0; (to = written(t)); t++) {
            satf_file_report result;
            bool grey = (to->keeps & IO_KEEPS_GREY_ICC) != 0;
            bool blurs = strcmp(to->name, "jpeg") == 0 && i == 1;
            snprintf(out, sizeof out, "%s", file_of("out", to));
            if (!grey || blurs) { /* a WebP's pixels are RGB */
                continue;
            }
            assert_int_equal(
                run(in, out, cases[i].spec, SATF_TYPE_AUTO, SATF_ROUTE_AUTO, 1, &result), SATF_OK);
            assert_int_equal(result.note_count, cases[i].note ? 1 : 0);
            if (cases[i].note) {
                assert_string_equal(result.notes[0].text, cases[i].note);
            }
        }
    }
}

/* A profile that is put into a file of other pixels, behind our back. */
static void profile_in(const char *name, const char *was, const char *is)
{
    size_t bytes;
    SCOPED unsigned char *data = slurp(name, &bytes);
    unsigned char *at = memmem(data, bytes, was, 4);
    assert_non_null(at);
    memcpy(at, is, 4);
    FILE *file = fopen(name, "wb");
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    fclose(file);
}

TEST_ALONE(unfit_input)
{
    static const char *const suffixes[] = {"jpg", "tif", "webp"};
    static const io_format *const formats[] = {&io_jpeg, &io_tiff, &io_webp};
    char in[300], name[16];
    assert_int_equal(satf_context_set_formats(ctx, "all"), SATF_OK);
    for (size_t i = 0; i < 3; i++) {
        if (io_format_missing(formats[i])) {
            continue;
        }
        snprintf(name, sizeof name, "unfit.%s", suffixes[i]);
        snprintf(in, sizeof in, "%s", path(name));
        write_kind(1, in);
        profile_in(in, "RGB ", i == 2 ? "GRAY" : "CMYK");
        for (int o = 0; o < 3; o++) {
            static const char *const outs[] = {"o.png", "o.tif", "o.ppm"};
            satf_file_report result;
            if (o == 1 && io_format_missing(&io_tiff)) {
                continue;
            }
            assert_int_equal(
                run(in, path(outs[o]), "box=1", SATF_TYPE_AUTO, SATF_ROUTE_AUTO, 1, &result),
                SATF_OK);
            assert_int_equal(result.note_count, 1);
            assert_string_equal(result.notes[0].at, in);
            assert_string_equal(
                result.notes[0].text,
                i == 2 ? "its colour profile is for grey and not kept: the pixels are RGB"
                       : "its colour profile is for CMYK and not kept: the pixels are RGB");
            assert_false(o < 2 && file_has(1, path(outs[o])));
        }
    }
}

/* ----------------------------------------------------------------- one resolution */

/* What EXIF alone says is what lengths go by, and what every format of the result says. */
TEST_ALONE(exif_resolves)
{
    const io_format *from, *to;
    char in[300], out[300], pixels[300];
    assert_int_equal(satf_context_set_formats(ctx, "all"), SATF_OK);
    for (size_t n = 0; (from = written(n)); n++) {
        if (!(from->keeps & IO_KEEPS_EXIF) || from == &io_tiff) {
            continue;
        }
        snprintf(in, sizeof in, "%s", file_of("exif", from));
        write_kind(8, in); /* in a WebP, and in a PNG without pHYs, EXIF is all there is */
        for (size_t t = 0; (to = written(t)); t++) {
            satf_file_report result;
            if (!(to->keeps & IO_KEEPS_RESOLUTION) || to == &io_jpeg) {
                continue;
            }
            size_t bytes, want;
            snprintf(out, sizeof out, "%s", file_of("inches", to));
            snprintf(pixels, sizeof pixels, "%s", file_of("pixels", to));
            if (run(in, out, "sauvola=0.03in", SATF_TYPE_AUTO, SATF_ROUTE_AUTO, 1, &result)) {
                fail_msg("%s: %s", in, satf_message(ctx));
            }
            assert_int_equal(
                run(in, pixels, "sauvola=9", SATF_TYPE_AUTO, SATF_ROUTE_AUTO, 1, &result), SATF_OK);
            SCOPED unsigned char *a = slurp(out, &bytes), *b = slurp(pixels, &want);
            assert_int_equal(bytes, want);
            assert_memory_equal(a, b, bytes);
            assert_true(file_has(8, out));
        }
    }
}

/* --------------------------------------------------------------- maker's notes */

/* Bytes of a camera's maker stay; where EXIF is laid out anew their offsets may not hold. */
TEST_ALONE(makers_notes)
{
    static const char notes[][20] = {"\7\0\1\0\2\0 and so on", "Apple iOS\0\0\1MM",
                                     "Nikon\0\2\x10 and"};
    static const char said[] = "the camera maker's notes in its EXIF change their place, which "
                               "makes offsets in them wrong";
    char in[300], out[300];
    if (io_format_missing(&io_tiff)) {
        skip();
    }
    assert_int_equal(satf_context_set_formats(ctx, "all"), SATF_OK);
    for (int i = 0; i < 12; i++) {
        SCOPED_IMAGE *image = make_noise(SIDE, SIDE, 3, SATF_U8, 0, 5);
        satf_tags tags = {NULL, 0, 0};
        satf_file_report result;
        bool from_tiff = i & 1, to_tiff = i & 2, noted = i < 4 && (from_tiff || to_tiff);
        add_tag(&tags, SATF_TAGS_EXIF, 0x927c, 7, notes[i / 4], 14);
        make_exif(&image->metadata, &tags);
        snprintf(in, sizeof in, "%s", path(from_tiff ? "notes.tif" : "notes.png"));
        snprintf(out, sizeof out, "%s", path(to_tiff ? "on.tif" : "on.jpg"));
        assert_int_equal(satf_image_write(ctx, image, in, NULL), SATF_OK);
        assert_int_equal(run(in, out, "box=1", SATF_TYPE_AUTO, SATF_ROUTE_AUTO, 1, &result),
                         SATF_OK);
        assert_int_equal(result.note_count, noted);
        if (noted) {
            assert_string_equal(result.notes[0].text, said);
            assert_string_equal(result.notes[0].at, in);
        }
    }
}

TEST_FILE(.context = &ctx, .folder = true)
