/* Every kind of what a file says besides its pixels, from every format that holds it into every
 * format that is written: it is in the output, or one note names it. And what follows from it: one
 * resolution, whoever says it. */
#include "test.h"
#include "pipeline_jobs.h"

#include "io/meta/exif.h"
#include "io/meta/tags.h"
#include "io/codec.h"

/* ---------------------------------------------------------------------- kinds */

enum { SIDE = 16, INCH = 2 };

typedef enum kind {
    ORIENTATION,
    ICC,
    GREY_ICC,
    GAMMA,
    HDR,
    RESOLUTION,
    PROPORTIONS,
    EXIF,
    EXIF_RESOLUTION, /* lost as a resolution where there is no EXIF */
    XMP,
    IPTC,
    TEXT,
    PAGE_NAME, /* from here on tags of TIFF */
    DOCUMENT_NAME,
    GEO,
    WHITE_POINT,
    IMAGEJ,
    KINDS
} kind;

static const char maker[] = "a camera's maker";
static const double scale[] = {1, 2, 0};
static const uint32_t white[] = {3127, 10000, 3290, 10000}, counts[] = {12, 2};

/* keeps: by formats that keep it; at_input: the note is about the input. Gamma is a PNG's, as HDR
 * is. */
static const struct {
    const char *words;
    unsigned keeps;
    bool at_input;
    unsigned tag, type; /* of TIFF */
    const void *values;
    size_t n;
} kinds[KINDS] = {
    [ORIENTATION] = {.words = "orientation is", .keeps = IO_KEEPS_ORIENTATION},
    [ICC] = {.words = "colour profile is", .keeps = IO_KEEPS_ICC},
    [GREY_ICC] = {.words = "colour profile is", .keeps = IO_KEEPS_GREY_ICC},
    [GAMMA] = {.words = "colour space is", .keeps = IO_KEEPS_HDR},
    [HDR] = {.words = "description as HDR is", .keeps = IO_KEEPS_HDR},
    [RESOLUTION] = {.words = "resolution is", .keeps = IO_KEEPS_RESOLUTION},
    [PROPORTIONS] = {.words = "resolution is", .keeps = IO_KEEPS_RESOLUTION},
    [EXIF] = {.words = "EXIF is", .keeps = IO_KEEPS_EXIF},
    [EXIF_RESOLUTION] = {.words = "resolution is", .keeps = IO_KEEPS_EXIF},
    [XMP] = {.words = "XMP is", .keeps = IO_KEEPS_XMP},
    [IPTC] = {.words = "IPTC is", .keeps = IO_KEEPS_IPTC},
    [TEXT] = {.words = "text (Author) is", .keeps = IO_KEEPS_TEXT, .at_input = true},
    [PAGE_NAME] = {"page name is", IO_KEEPS_TAGS, true, SATF_TAG_PAGE_NAME, SATF_TAG_ASCII, "vii",
                   4},
    [DOCUMENT_NAME] = {"text ('vii') is", IO_KEEPS_TAGS, true, 269, SATF_TAG_ASCII, "vii", 4},
    [GEO] = {"GeoTIFF data is", IO_KEEPS_TAGS, true, 33550, 12, scale, sizeof scale},
    [WHITE_POINT] = {"colour primaries are", IO_KEEPS_TAGS, true, SATF_TAG_WHITE_POINT, 5, white,
                     sizeof white},
    [IMAGEJ] = {"ImageJ data is", IO_KEEPS_TAGS, true, SATF_TAG_IMAGEJ_COUNTS, 4, counts,
                sizeof counts},
};

static void add_tag(satf_tags *tags, unsigned of, unsigned tag, unsigned type, const void *values,
                    size_t bytes)
{
    const satf_tag added = {(uint16_t)of, (uint16_t)tag, (uint16_t)type, bytes, values};
    MUST(ctx, satf_tags_add(ctx, tags, &added));
}

static void give_block(const void *from, size_t n, unsigned char **to, size_t *bytes)
{
    MUST(ctx, satf_copy_block(ctx, from, n, to, bytes));
}

static void set_exif(satf_metadata *m, satf_tags *tags)
{
    MUST(ctx, satf_exif_of_tags(ctx, tags, &m->exif, &m->exif_bytes));
    assert_non_null(m->exif);
    satf_free(tags->block);
}

static void set_resolution(satf_metadata *m, int unit, double x, double y)
{
    m->has_resolution = true;
    m->resolution_unit = unit;
    m->resolution_x = x;
    m->resolution_y = y;
}

static void set_exif_resolution(satf_metadata *m)
{
    static const uint32_t x[] = {300, 1};
    static const uint16_t unit = INCH;
    satf_tags tags = {NULL, 0, 0};
    add_tag(&tags, SATF_TAGS_PAGE, SATF_TAG_XRESOLUTION, 5, x, sizeof x);
    add_tag(&tags, SATF_TAGS_PAGE, SATF_TAG_YRESOLUTION, 5, x, sizeof x);
    add_tag(&tags, SATF_TAGS_PAGE, SATF_TAG_RESOLUTION_UNIT, 3, &unit, sizeof unit);
    add_tag(&tags, SATF_TAGS_PAGE, 305, SATF_TAG_ASCII, "x", 2); /* else there is no EXIF */
    set_exif(m, &tags);
}

/* One that libpng finds nothing wrong with. */
static void set_icc(satf_metadata *m, int channels)
{
    unsigned char icc[IO_ICC_BYTES];
    const satf_metadata says = {.has_gamma = true, .gamma = 0.8};
    give_block(icc, io_make_icc(&says, channels, icc), &m->icc, &m->icc_bytes);
}

static void set(satf_metadata *m, kind k)
{
    static const unsigned char cicp[] = {9, 16, 0, 1};
    unsigned char turned[SATF_EXIF_ORIENTATION_BYTES];
    satf_tags tags = {NULL, 0, 0};
    switch (k) {
    case ORIENTATION:
        satf_exif_make_orientation(6, turned);
        give_block(turned, sizeof turned, &m->exif, &m->exif_bytes);
        break;
    case ICC:
    case GREY_ICC:
        set_icc(m, k == ICC ? 3 : 1);
        break;
    case GAMMA:
        m->has_gamma = true;
        m->gamma = 0.7;
        break;
    case HDR:
        m->has_hdr[SATF_CICP] = true;
        memcpy(m->hdr[SATF_CICP], cicp, sizeof cicp);
        break;
    case RESOLUTION:
        set_resolution(m, 1, 72 / IO_METRES_PER_INCH, 72 / IO_METRES_PER_INCH);
        break;
    case PROPORTIONS:
        set_resolution(m, 0, 2, 1);
        break;
    case EXIF:
        add_tag(&tags, SATF_TAGS_PAGE, 271, SATF_TAG_ASCII, maker, sizeof maker);
        set_exif(m, &tags);
        break;
    case EXIF_RESOLUTION:
        set_exif_resolution(m);
        break;
    case XMP:
        give_block("<x:xmpmeta/>", 12, &m->xmp, &m->xmp_bytes);
        break;
    case IPTC:
        give_block("8BIM\4\4\0\0\0\0\0\2ab", 14, &m->iptc, &m->iptc_bytes);
        break;
    case TEXT:
        give_block("\0\0\0\010tEXtAuthor\0x", 16, &m->text, &m->text_bytes);
        m->text_ahead = m->text_bytes;
        break;
    default:
        add_tag(&tags, SATF_TAGS_PAGE, kinds[k].tag, kinds[k].type, kinds[k].values, kinds[k].n);
        m->tags = tags.block;
        m->tags_bytes = tags.bytes;
        m->tags_pages = 1;
        m->tags_samples = 3;
    }
}

static bool has_dpi(const satf_metadata *m, double dpi)
{
    double want = dpi / IO_METRES_PER_INCH, by = 1e-3 * want;
    return m->has_resolution && m->resolution_unit == 1 && fabs(m->resolution_x - want) < by &&
           fabs(m->resolution_y - want) < by;
}

static bool has(const satf_metadata *m, kind k)
{
    switch (k) {
    case ORIENTATION:
        return satf_exif_orientation(m->exif, m->exif_bytes) == 6;
    case ICC:
    case GREY_ICC:
        return m->icc_bytes > 0;
    case GAMMA:
        return m->has_gamma || m->icc_bytes > 0;
    case HDR:
        return m->has_hdr[SATF_CICP];
    case RESOLUTION:
        return has_dpi(m, 72);
    case PROPORTIONS:
        return m->has_resolution && m->resolution_unit == 0 && m->resolution_x == 2 &&
               m->resolution_y == 1;
    case EXIF:
        return m->exif && memmem(m->exif, m->exif_bytes, maker, sizeof maker);
    case EXIF_RESOLUTION:
        return has_dpi(m, 300);
    case XMP:
        return m->xmp_bytes == 12;
    case IPTC:
        return m->iptc_bytes == 14;
    case TEXT:
        return m->text_bytes == 16;
    default:
        return m->tags_bytes > 0;
    }
}

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

/* Until it is called again twice. */
static const char *file_of(const char *name, const io_format *format)
{
    static char files[2][64];
    static int turn;
    char *file = files[turn++ % 2];
    snprintf(file, sizeof files[0], "%s.%.*s", name, (int)strcspn(format->suffixes, " "),
             format->suffixes);
    return file;
}

static void write_kind(kind k, const char *name)
{
    satf_image *image = make_noise(SIDE, SIDE, k == GREY_ICC ? 1 : 3, SATF_U8, 0, 5);
    set(&image->metadata, k);
    write_image(image, name);
}

static bool file_has(kind k, const char *name)
{
    SCOPED_IMAGE *image = read_image(name);
    bool is_there = has(&image->metadata, k);
    return is_there;
}

/* The last job kept it, or told of it. */
static void check_notes(kind k, const char *in, const char *out)
{
    const satf_file_note *note = report.notes;
    bool kept = file_has(k, out);
    if (report.note_count != (kept ? 0 : 1)) {
        fail_msg("%s to %s, %s%s kept, %d notes: %s", in, out, kinds[k].words, kept ? "" : " not",
                 report.note_count, report.note_count ? note->text : "");
    }
    if (!kept && (!strstr(note->text, kinds[k].words) ||
                  strcmp(note->at, kinds[k].at_input ? in : out) != 0)) {
        fail_msg("%s to %s: %s should be told of: %s", in, out, kinds[k].words, note->text);
    }
}

/* From that format into every other. Returns into how many. */
static int keep_or_tell(kind k, const io_format *from)
{
    const io_format *to;
    size_t t = 0;
    write_kind(k, file_of("in", from));
    assert_true(file_has(k, file_of("in", from)));
    for (; (to = written(t)); t++) {
        const char *in = file_of("in", from), *out = file_of("out", to);
        bool rows = strcmp(from->name, "webp") != 0; /* it has none */
        for (satf_route way = SATF_ROUTE_WHOLE; way <= (rows ? SATF_ROUTE_ROWS : SATF_ROUTE_WHOLE);
             way++) {
            must_run(JOB(in, out, "box=1", way, .threads = 1));
            check_notes(k, in, out);
        }
    }
    return (int)t;
}

/* Kept or told of, once. */
TEST_ALONE(kept_or_told)
{
    MUST(ctx, satf_context_set_formats(ctx, "all"));
    for (kind k = ORIENTATION; k < KINDS; k++) {
        const io_format *from;
        int tried = 0;
        for (size_t n = 0; (from = written(n)); n++) {
            bool own = from == &io_tiff && k == EXIF_RESOLUTION; /* its tags are EXIF's */
            tried += from->keeps & kinds[k].keeps && !own ? keep_or_tell(k, from) : 0;
        }
        assert_true(tried > 0 || (k >= PAGE_NAME && io_format_missing(&io_tiff)));
    }
}

/* Several kinds are one sentence; --strip wants to hear of pixels' alone. */
TEST_ALONE(one_sentence)
{
    static const kind all[] = {ICC, RESOLUTION, IPTC, HDR};
    satf_image *image = make_noise(SIDE, SIDE, 3, SATF_U8, 0, 5);
    for (int i = 0; i < 4; i++) {
        set(&image->metadata, all[i]);
    }
    write_image(image, "all.png");
    must_note(JOB("all.png", "all.ppm", "box=1"), "all.ppm",
              "its input's colour profile, description as HDR, resolution and IPTC are left out, "
              "which ppm cannot hold; PNG can");
    must_note(JOB("all.png", "all.ppm", "box=1", .write.strip = 1), "all.ppm",
              "its input's colour profile and description as HDR are left out, which ppm cannot "
              "hold; PNG can");
}

/* A resolution that no JPEG has room for. */
TEST_ALONE(too_fine)
{
    satf_image *image = make_noise(SIDE, SIDE, 3, SATF_U8, 0, 5);
    set_resolution(&image->metadata, 1, 1e8, 1e8);
    write_image(image, "fine.png");
    must_note(JOB("fine.png", "fine.jpg", "box=1"), "fine.jpg",
              "its input's resolution is left out, which jpeg cannot hold; PNG and TIFF can");
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
    const io_format *to;
    write_kind(ICC, "icc.png");
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t t = 0; (to = written(t)); t++) {
            const char *out = file_of("out", to);
            bool blurs = strcmp(to->name, "jpeg") == 0 && i == 1;
            if (to->keeps & IO_KEEPS_GREY_ICC && !blurs) { /* a WebP's pixels are RGB */
                must_note(JOB("icc.png", out, cases[i].spec), out, cases[i].note);
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
    write_bytes(name, data, bytes);
}

TEST_ALONE(unfit_input)
{
    static const char *const outs[] = {"o.png", "o.ppm", "o.tif"};
    static const io_format *const formats[] = {&io_jpeg, &io_tiff, &io_webp};
    MUST(ctx, satf_context_set_formats(ctx, "all"));
    for (size_t i = 0; i < 3; i++) {
        const char *in = file_of("unfit", formats[i]);
        bool grey = formats[i] == &io_webp;
        if (io_format_missing(formats[i])) {
            continue;
        }
        write_kind(ICC, in);
        profile_in(in, "RGB ", grey ? "GRAY" : "CMYK");
        for (int o = 0; o < (io_format_missing(&io_tiff) ? 2 : 3); o++) {
            must_note(JOB(in, outs[o], "box=1"), in,
                      grey ? "its colour profile is for grey and not kept: the pixels are RGB"
                           : "its colour profile is for CMYK and not kept: the pixels are RGB");
            assert_false(file_has(ICC, outs[o]));
        }
    }
}

/* ----------------------------------------------------------------- one resolution */

/* What EXIF alone says is what lengths go by, and what every format of the result says. */
TEST_ALONE(exif_resolves)
{
    const io_format *from, *to;
    MUST(ctx, satf_context_set_formats(ctx, "all"));
    for (size_t n = 0; (from = written(n)); n++) {
        if (!(from->keeps & IO_KEEPS_EXIF) || from == &io_tiff) {
            continue;
        }
        /* in a WebP, and in a PNG without pHYs, EXIF is all there is */
        write_kind(EXIF_RESOLUTION, file_of("exif", from));
        for (size_t t = 0; (to = written(t)); t++) {
            if (to->keeps & IO_KEEPS_RESOLUTION && to != &io_jpeg) {
                must_run(JOB(file_of("exif", from), file_of("inches", to), "sauvola=0.03in"));
                must_run(JOB(file_of("exif", from), file_of("pixels", to), "sauvola=9"));
                assert_same_file(file_of("inches", to), file_of("pixels", to), from->name);
                assert_true(file_has(EXIF_RESOLUTION, file_of("inches", to)));
            }
        }
    }
}

/* --------------------------------------------------------------- maker's notes */

/* Bytes of a camera's maker stay; where EXIF is laid out anew their offsets may not hold. */
TEST_ALONE(makers_notes)
{
    static const char notes[][20] = {"\7\0\1\0\2\0 and so on", "Apple iOS\0\0\1MM",
                                     "Nikon\0\2\x10 and"};
    if (io_format_missing(&io_tiff)) {
        skip();
    }
    MUST(ctx, satf_context_set_formats(ctx, "all"));
    for (int i = 0; i < 12; i++) {
        satf_image *image = make_noise(SIDE, SIDE, 3, SATF_U8, 0, 5);
        satf_tags tags = {NULL, 0, 0};
        const char *in = i & 1 ? "notes.tif" : "notes.png", *out = i & 2 ? "on.tif" : "on.jpg";
        add_tag(&tags, SATF_TAGS_EXIF, 0x927c, 7, notes[i / 4], 14);
        set_exif(&image->metadata, &tags);
        write_image(image, in);
        must_note(JOB(in, out, "box=1"), in,
                  i == 0 || i > 3 ? NULL
                                  : "the camera maker's notes in its EXIF change their place, "
                                    "which makes offsets in them wrong");
    }
}

TEST_FILE(.context = &ctx, .folder = true)
