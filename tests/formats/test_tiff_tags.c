/* What a TIFF says besides its pixels: kept, or rightly changed. */
#include "test.h"
#include "tiff_tags.h"

#include "io/codec.h"

static const char text[] = "a text", note[] = "ab";
static const uint16_t shorts[] = {1, 1, 0x0102, 3, 1024, 0, 1, 1};
static const uint32_t longs[] = {28, 14, 12, 16, 0x01020304};
static const double doubles[] = {1.5, -2.25, 0, 0, 0, 0, 100.125, 1e300, 0};
static const float floats[] = {1.5f, -3};
static const uint32_t ratios[] = {1, 250, 28, 10, 0x01020304, 1};
static const unsigned char bytes_of_it[] = {2, 3, 0, 0, 'A', 0, 'b', 0};

/* Of every type, with values in the entry and apart. */
static const item items[] = {
    {PAGE, 269, ASCII, sizeof text, text},
    {PAGE, 270, ASCII, sizeof text, text},
    {PAGE, 271, ASCII, sizeof note, note},
    {PAGE, 272, ASCII, sizeof text, text},
    {PAGE, 285, ASCII, sizeof note, note},
    {PAGE, 305, ASCII, sizeof text, text},
    {PAGE, 306, ASCII, sizeof text, text},
    {PAGE, 315, ASCII, sizeof text, text},
    {PAGE, 316, ASCII, sizeof text, text},
    {PAGE, 318, RATIONAL, 2, ratios},
    {PAGE, 319, RATIONAL, 3, ratios},
    {PAGE, 18246, SHORT, 1, shorts + 3},
    {PAGE, 33432, ASCII, sizeof text, text},
    {PAGE, 33550, DOUBLE, 3, doubles},
    {PAGE, 33922, DOUBLE, 6, doubles + 2},
    {PAGE, 34735, SHORT, 8, shorts},
    {PAGE, 34736, DOUBLE, 1, doubles + 1},
    {PAGE, 34737, ASCII, sizeof text, text},
    {PAGE, 40091, BYTE, 8, bytes_of_it},
    {PAGE, 42112, ASCII, sizeof text, text},
    {PAGE, 42113, ASCII, sizeof note, note},
    {PAGE, 51123, ASCII, sizeof text, text},
    {EXIF, 33434, RATIONAL, 1, ratios},
    {EXIF, 34855, SHORT, 1, shorts + 4},
    {EXIF, 36864, UNDEFINED, 4, bytes_of_it},
    {EXIF, 37380, SRATIONAL, 3, ratios},
    {EXIF, 37500, UNDEFINED, 8, bytes_of_it},
    {EXIF, 40962, LONG, 1, longs + 1},
    {EXIF, 42240, FLOAT, 2, floats},
    {EXIF, 42241, DOUBLE, 2, doubles},
    {GPS, 0, BYTE, 4, bytes_of_it},
    {GPS, 1, ASCII, 2, "N"},
    {GPS, 2, RATIONAL, 3, ratios},
    {INTEROP, 1, ASCII, 4, "R98"},
};
enum { ITEMS = sizeof items / sizeof *items };
static const char *const orders[] = {"II", "MM", "I8", "M8"};

static made file;

static bool in_exif(const item *t)
{
    return t->directory != PAGE || (t->tag >= 270 && t->tag <= 296 && t->tag != 285) ||
           (t->tag >= 305 && t->tag <= 316) || t->tag == 18246 || t->tag == 33432 ||
           t->tag == 40091;
}

/* The file of that order with these items, read. */
static satf_image *read_made(satf_context *ctx, const char *order, const item *all, size_t count)
{
    make_tiff(&file, order, all, count, 4, 3, 1);
    return must_decode(ctx, file.data, file.n);
}

static bytes written; /* the last file */

/* The image as a TIFF. */
static parts write_tiff(satf_context *ctx, const satf_image *image)
{
    free(written.data);
    written = must_encode(ctx, image, "tiff");
    return take_apart(written.data, written.n);
}

/* The file has those of the items that are kept, and not the others. */
static void expect_items(const char *what, const parts *p, const item *all, size_t count,
                         bool (*kept)(const item *))
{
    for (size_t i = 0; i < count; i++) {
        if (!kept || kept(&all[i])) {
            assert_item(what, p, &all[i]);
        } else if (has_tag(p, all[i].directory, all[i].tag)) {
            fail_msg("%s: has tag %u", what, all[i].tag);
        }
    }
}

/* Every tag, from TIFF to TIFF, whatever the file's order and width. */
TEST(round_trip)
{
    for (int o = 0; o < 4; o++) {
        SCOPED_IMAGE *image = read_made(ctx, orders[o], items, ITEMS);
        parts p = write_tiff(ctx, image);
        expect_items(orders[o], &p, items, ITEMS, NULL);
        SCOPED_IMAGE *again = must_decode(ctx, written.data, written.n);
        SCOPED_BYTES twice = must_encode(ctx, again, "tiff");
        assert_bytes(orders[o], written.data, written.n, twice.data, twice.n);
    }
}

/* A TIFF's EXIF, with what its page says, is a PNG's and a JPEG's, and a TIFF's again. */
TEST(exif)
{
    static const uint16_t six = 6, inch = 2;
    static const uint32_t x[] = {300, 1}, y[] = {200, 1};
    item all[ITEMS + 4] = {{PAGE, 274, SHORT, 1, &six},
                           {PAGE, 282, RATIONAL, 1, x},
                           {PAGE, 283, RATIONAL, 1, y},
                           {PAGE, 296, SHORT, 1, &inch}};
    memcpy(all + 4, items, sizeof items);
    for (int o = 0; o < 8; o++) {
        SCOPED_IMAGE *image = read_made(ctx, orders[o % 4], all, ITEMS + 4);
        SCOPED_BYTES out = must_encode(ctx, image, o < 4 ? "png" : "jpeg");
        SCOPED_IMAGE *other = must_decode(ctx, out.data, out.n);
        const satf_metadata *m = &other->metadata;
        assert_non_null(m->exif);
        assert_null(m->tags);
        parts p = take_apart(m->exif, m->exif_bytes);
        expect_items("EXIF", &p, all, ITEMS + 4, in_exif);
        p = write_tiff(ctx, other);
        expect_items("TIFF", &p, all, ITEMS + 4, in_exif);
    }
}

/* A TIFF that says no more than a resolution, or that it is upright or stands in no way that there
 * is, makes no EXIF. Another orientation does, of whatever type. */
TEST(orientation)
{
    static const uint32_t x[] = {300, 1};
    for (uint32_t value = 0; value < 10; value++) {
        for (int wide = 0; wide < 2; wide++) {
            const uint16_t narrow = (uint16_t)value;
            const item all[] = {{PAGE, 282, RATIONAL, 1, x},
                                {PAGE, 274, SHORT, 1, &narrow},
                                {PAGE, 274, LONG, 1, &value}};
            SCOPED_IMAGE *image =
                read_made(ctx, orders[value % 4], wide ? &all[2] : all, wide ? 1 : 2);
            const satf_metadata *m = &image->metadata;
            bool turned = value > 1 && value < 9;
            assert_int_equal(m->exif != NULL, turned);
            assert_null(m->tags);
            assert_int_equal(satf_exif_orientation(m->exif, m->exif_bytes), turned ? value : 1);
        }
    }
}

static bool of_colours(const item *t)
{
    return t->tag == 318 || t->tag == 319;
}

/* What says how colours look stays. */
TEST(strip)
{
    SCOPED_IMAGE *image = read_made(ctx, "II", items, ITEMS);
    satf_write_options options = options_for("tiff");
    options.strip = 1;
    SCOPED_BYTES out = must_encode_with(ctx, image, &options);
    parts p = take_apart(out.data, out.n);
    expect_items("stripped", &p, items, ITEMS, of_colours);
}

/* ---------------------------------------------------------------------- damage */

/* Where the made file's entry has its values, or the offset of them. */
static size_t value_place(const item *t)
{
    parts p = take_apart(file.data, file.n);
    size_t entry = find_entry(&p, find_directory(&p, t->directory), t->tag);
    return entry + (file.big ? 12 : 8);
}

static const item *damaged;

static bool is_whole(const item *t)
{
    return t != damaged;
}

/* A value that is not in the file costs its tag and a word, and nothing else. */
TEST(damage)
{
    for (int o = 0; o < 4; o++) {
        for (damaged = items; damaged < items + ITEMS; damaged++) {
            make_tiff(&file, orders[o], items, ITEMS, 4, 3, 1);
            size_t wide = file.big ? 8 : 4;
            bool here = damaged->count * width_of(damaged->type) <= wide; /* then its count */
            put_number(&file, value_place(damaged) - (here ? wide : 0),
                       here ? 0x7fffffff : file.n - 1, wide);
            SCOPED_READER *reader = open_bytes(ctx, &(bytes){file.data, file.n});
            assert_string_equal(reader->header.others, "damaged");
            SCOPED_IMAGE *image = must_decode(ctx, file.data, file.n);
            parts p = write_tiff(ctx, image);
            expect_items("of the rest", &p, items, ITEMS, is_whole);
        }
    }
}

/* Directories that lead to themselves, to one another and out of the file. */
TEST(circles)
{
    for (unsigned d = EXIF; d < DIRECTORIES; d++) {
        for (int way = 0; way < 4; way++) {
            make_tiff(&file, orders[way], items, ITEMS, 4, 3, 1);
            parts p = take_apart(file.data, file.n);
            const item lead = {d == INTEROP ? EXIF : PAGE, leads[d], LONG, 1, NULL};
            uint64_t to[] = {find_directory(&p, lead.directory), find_directory(&p, GPS),
                             file.n - 1, 0xffffffff};
            put_number(&file, value_place(&lead), to[way], 4);
            SCOPED_IMAGE *image = must_decode(ctx, file.data, file.n);
            p = write_tiff(ctx, image);
            assert_item("beside a circle", &p, &items[0]);
        }
    }
}

/* Whatever a byte of the directories becomes: nothing is read that is not there, and what is read
 * can be written. */
TEST(any_byte)
{
    static const unsigned char values[] = {0, 1, 13, 0x7f, 0xff};
    size_t tried = 0, good = 0;
    for (int o = 0; o < 4; o++) {
        make_tiff(&file, orders[o], items, ITEMS, 4, 3, 1);
        for (size_t at = 8; at < file.n; at++) {
            unsigned char kept = file.data[at];
            tried++;
            file.data[at] = values[(at + (size_t)o) % sizeof values];
            satf_image *image;
            if (!satf_image_decode(ctx, file.data, file.n, &image)) {
                good++;
                write_tiff(ctx, image);
                satf_image_destroy(image);
            }
            file.data[at] = kept;
        }
    }
    assert_true(good > tried / 2);
}

/* So it is with EXIF that comes from elsewhere. */
TEST(any_exif)
{
    SCOPED_IMAGE *image = read_made(ctx, "MM", items, ITEMS);
    satf_metadata *m = &image->metadata;
    unsigned char *whole = m->exif;
    assert_true(satf_exif_is_whole(whole, m->exif_bytes));
    size_t n = m->exif_bytes, broken = 0;
    satf_free(m->tags);
    m->tags = NULL;
    m->tags_bytes = 0;
    for (size_t at = 0; at < n; at++) { /* cut there, in memory that ends there, or another byte */
        for (int way = 0; way < 2; way++) {
            m->exif_bytes = way ? n : at;
            m->exif = malloc(m->exif_bytes + !m->exif_bytes);
            memcpy(m->exif, whole, m->exif_bytes);
            if (way) {
                m->exif[at] = 0xff;
            }
            broken += !satf_exif_is_whole(m->exif, m->exif_bytes);
            write_tiff(ctx, image);
            free(m->exif);
        }
    }
    assert_true(broken > n / 2);
    m->exif = whole;
    m->exif_bytes = n;
}

TEST(limit)
{
    make_tiff(&file, "II", items, ITEMS, 4, 3, 1);
    size_t all = 0;
    for (size_t i = 0; i < ITEMS; i++) {
        all += items[i].count * width_of(items[i].type);
    }
    for (int less = 0; less < 2; less++) {
        SCOPED_IMAGE *image;
        assert_int_equal(satf_context_set_limit(ctx, SATF_LIMIT_METADATA, (int64_t)all - less),
                         SATF_OK);
        assert_int_equal(satf_image_decode(ctx, file.data, file.n, &image),
                         less ? SATF_LIMIT : SATF_OK);
    }
    assert_non_null(strstr(satf_message(ctx), "max-metadata"));
}

/* --------------------------------------------------------------- rightly changed */

static bool is_no_place(const item *t)
{
    return t->directory != PAGE ||
           (t->tag != 33550 && t->tag != 33922 && (t->tag < 34735 || t->tag > 34737));
}

/* Pixels that change their places are elsewhere on earth. */
TEST(places)
{
    static const struct {
        const char *chain;
        bool moves;
    } chains[] = {{"box=3", false},         {"flip=h", true},
                  {"flip=v box=3", true},   {"rotate=90", true},
                  {"flip=h flip=h", false}, {"transpose", true},
                  {"rotate=180", true},     {"rotate=90 rotate=270", false}};
    SCOPED_IMAGE *image = read_made(ctx, "MM", items, ITEMS);
    for (size_t i = 0; i < COUNT(chains); i++) {
        SCOPED_IMAGE *result = filtered(ctx, image, chains[i].chain);
        parts p = write_tiff(ctx, result);
        for (size_t k = 0; k < ITEMS; k++) {
            assert_int_equal(has_tag(&p, items[k].directory, items[k].tag),
                             !chains[i].moves || is_no_place(&items[k]));
        }
    }
}

/* The description of a page of 8 bits, 4 x 3 pixels, of `pages`, after a chain, as samples of a
 * type; NULL: it is not kept. */
static const char *described(satf_context *ctx, const char *description, int pages,
                             const char *chain, satf_type type)
{
    const item t = {PAGE, 270, ASCII, (uint32_t)strlen(description) + 1, description};
    free(written.data);
    make_tiff(&file, "MM", &t, 1, 4, 3, pages);
    SCOPED_IMAGE *image = must_decode(ctx, file.data, file.n);
    SCOPED_IMAGE *result = filtered(ctx, image, chain);
    satf_write_options options = options_for("tiff");
    options.type = (int)type;
    written = must_encode_with(ctx, result, &options);
    parts p = take_apart(written.data, written.n);
    size_t entry = find_entry(&p, first_directory(&p), 270);
    return entry ? (const char *)written.data + get(&p, entry + 8, 4) : NULL;
}

#define HEAD "<?xml version=\"1.0\"?><!-- of Pixels --><OME><Image Type=\"x\">"
#define TAIL "<Channel ID=\"SizeX\" Type=\"y\"/></Pixels></Image></OME>"

/* OME-XML names the type of the samples, and sides that change places where those do. */
TEST(ome)
{
    static const struct {
        satf_type type;
        const char *word;
    } types[] = {{SATF_U8, "uint8"},
                 {SATF_U16, "uint16"},
                 {SATF_U32, "uint32"},
                 {SATF_F32, "float"},
                 {SATF_F64, "double"}};
    static const char sides[] = "SizeX=\"4\" SizeY='3' SizeC=\"1\" PhysicalSizeX=\"0.25\" "
                                "PhysicalSizeXUnit=\">SizeX\" PhysicalSizeY=\"0.5\"";
    static const char turned[] = "SizeY=\"4\" SizeX='3' SizeC=\"1\" PhysicalSizeY=\"0.25\" "
                                 "PhysicalSizeYUnit=\">SizeX\" PhysicalSizeX=\"0.5\"";
    char from[600], want[600];
    for (size_t i = 0; i < 5; i++) {
        const char *bits = i == 0 ? "SignificantBits=\"7\" " : "                    ";
        for (int turn = 0; turn < 2; turn++) {
            snprintf(from, sizeof from,
                     HEAD "<Pixels DimensionOrder=\"XYCZT\" SignificantBits=\"7\" Type=\"uint8\" "
                          "%s>" TAIL,
                     sides);
            snprintf(want, sizeof want,
                     HEAD "<Pixels DimensionOrder=\"XYCZT\" %sType=\"%s\" %s>" TAIL, bits,
                     types[i].word, turn ? turned : sides);
            const char *got = described(ctx, from, 1, turn ? "rotate=90" : "box=3", types[i].type);
            assert_non_null(got);
            assert_string_equal(got, want);
        }
    }
    snprintf(from, sizeof from, HEAD "<Pixels Type='uint8' %s>" TAIL, sides);
    assert_null(described(ctx, from, 1, "box=3", SATF_U64)); /* which OME has not */
    assert_null(described(ctx, from, 2, "box=3", SATF_U8));  /* of two pages one */
    static const char two[] = HEAD "<Pixels Type='uint8'/><Pixels Type='uint16'/>" TAIL;
    assert_string_equal(described(ctx, two, 1, "box=3", SATF_U8), two);
    assert_null(described(ctx, two, 1, "box=3", SATF_U16));
    static const char none[] = HEAD "<Pixels Typ='uint8'/>" TAIL;
    assert_null(described(ctx, none, 1, "box=3", SATF_U8));
}

/* What tifffile and ImageJ say of pages and sides; other texts say nothing of them. */
TEST(stacks)
{
    static const struct {
        const char *text;
        int pages;
        const char *chain;
        bool kept;
    } of[] = {
        {"{\"shape\": [3, 4]}", 1, "box=3", true},
        {"{\"shape\": [1, 1, 3, 4], \"axes\": \"ZCYX\"}", 1, "box=3", true},
        {"{\"shape\": [3, 4, 1]}", 1, "box=3", true},
        {"{\"shape\": [3, 4]}", 1, "rotate=90", false},
        {"{\"shape\": [2, 3, 4]}", 2, "box=3", false},
        {"{\"shape\": [2, 3, 4]}", 1, "box=3", false},
        {"{\"shape\": [4]}", 1, "box=3", false},
        {"{\"shape\": [9223372036854775807, 2, 3, 4]}", 1, "box=3", false},
        {"{\"shape\": [3, 4", 1, "box=3", false},
        {"{\"shape\": nothing at all", 1, "box=3", false},
        {"{\"shape\": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,3,4]}", 1, "box=3", false},
        {"ImageJ=1.53\nunit=um\n", 1, "rotate=90", true},
        {"ImageJ=1.53\nimages=1\n", 1, "box=3", true},
        {"ImageJ=1.53\nimages=2\n", 1, "box=3", false}, /* behind one another, of one page */
        {"ImageJ=1.53\nimages=2\n", 2, "box=3", false}, /* of which one is written */
        {"a lake", 2, "rotate=90", true},
        {"<xml>a lake</xml>", 2, "rotate=90", true},
    };
    for (size_t i = 0; i < COUNT(of); i++) {
        const char *got = described(ctx, of[i].text, of[i].pages, of[i].chain, SATF_U8);
        if (of[i].kept ? !got || strcmp(got, of[i].text) != 0 : got != NULL) {
            fail_msg("'%s', %s, became %s", of[i].text, of[i].chain, got ? got : "nothing");
        }
    }
}

/* ImageJ's own data: a table, then texts of 16 bits, numbers and bytes, in the file's order. */
TEST(imagej)
{
    static const char description[] = "ImageJ=1.53\n";
    for (int o = 0; o < 4; o++) {
        static const uint64_t values[] = {
            0x494a494a, 0x696e666f, 1,     0x6c61626c, 2,     0x72616e67,         1, 0x6c757473, 1,
            0x100,      0x101,      0x102, 0x103,      0x104, 0x0102030405060708, 1, 2};
        static const size_t sizes[] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 2, 2, 2, 2, 2, 8, 1, 1};
        made data = {.msb = orders[o][0] == 'M'}, own = {.msb = !IO_LITTLE_ENDIAN};
        for (size_t i = 0; i < COUNT(values); i++) {
            put_number(&data, data.n, values[i], sizes[i]);
            put_number(&own, own.n, values[i], sizes[i]);
        }
        const uint32_t counts[] = {36, 4, 2, 4, 8, 2};
        const item all[] = {{PAGE, 270, ASCII, sizeof description, description},
                            {PAGE, 50838, LONG, 6, counts},
                            {PAGE, 50839, BYTE, (uint32_t)data.n, data.data}};
        SCOPED_IMAGE *image = read_made(ctx, orders[o], all, 3);
        parts p = write_tiff(ctx, image);
        const item want = {PAGE, 50839, BYTE, (uint32_t)own.n, own.data};
        assert_item("counts", &p, &all[1]);
        assert_item(orders[o], &p, &want);
        make_tiff(&file, orders[o], all, 3, 4, 3, 2); /* without the description they are nothing */
        SCOPED_IMAGE *page = must_decode(ctx, file.data, file.n);
        p = write_tiff(ctx, page);
        assert_false(has_tag(&p, PAGE, 50838) || has_tag(&p, PAGE, 50839));
    }
}

/* A JPEG's EXIF may have its sides as shorts, which a TIFF's may not, and texts that do not end. */
TEST(types)
{
    static const uint16_t side = 4;
    static const uint32_t wide = 4;
    const item all[] = {{EXIF, 40962, SHORT, 1, &side}, {EXIF, 42036, ASCII, 6, "a lens"}};
    const item want[] = {{EXIF, 40962, LONG, 1, &wide}, {EXIF, 42036, ASCII, 7, "a lens"}};
    SCOPED_IMAGE *image = read_made(ctx, "MM", all, 2);
    parts p = write_tiff(ctx, image);
    expect_items("with types of its own", &p, want, 2, NULL);
}

TEST_FILE(.formats = "all")
