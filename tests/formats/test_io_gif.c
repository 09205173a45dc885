/* GIF: frames on their screen, and what is refused. */
#include "test.h"
#include "frames.h"
#include "test_io_foreign.h"

/* Four colours, red, green and blue of each. */
#define COLOURS "\x0a\x0b\x0c\x14\x15\x16\x1e\x1f\x20\x28\x29\x2a"
#define OTHERS "\x6e\x6f\x70\x78\x79\x7a\x82\x83\x84\x8c\x8d\x8e"
#define COLOUR_0 "\x0a\x0b\x0c"
#define COLOUR_1 "\x14\x15\x16"
#define COLOUR_2 "\x1e\x1f\x20"
#define COLOUR_3 "\x28\x29\x2a"
#define TRANSPARENT(number) "!\xf9\4\1\0\0" number "\0"
#define OPAQUE "!\xf9\4\0\0\0\1\0" /* the number does not count then */

enum { CLEAR = 4, END, FIRST, INTERLACED = 0x40, HAS_TABLE = 0x81 }; /* of two bits */

static void add_place(maker *m, unsigned x, unsigned y, unsigned width, unsigned height)
{
    const unsigned numbers[] = {x, y, width, height};
    for (int i = 0; i < 4; i++) {
        add_little(m, numbers[i], 2);
    }
}

/* A screen, with the four colours or without. */
static maker make_screen(unsigned width, unsigned height, bool table, unsigned background)
{
    maker m = {.n = 0};
    ADD(&m, "GIF89a");
    add_little(&m, width, 2);
    add_little(&m, height, 2);
    add_little(&m, table ? HAS_TABLE : 0, 1);
    add_little(&m, background, 2); /* and the pixels' shape */
    if (table) {
        ADD(&m, COLOURS);
    }
    return m;
}

/* Codes in blocks of at most `most` bytes, each of as many bits as a reader expects. */
static void add_codes(maker *m, unsigned root, const int *codes, size_t n, size_t most)
{
    const int clear = 1 << root;
    int known = clear + 1; /* a reader's, of which the first code adds none */
    unsigned bits = 0, n_bits = 0, width = root + 1;
    add_little(m, root, 1);
    size_t block = m->n++;
    for (size_t i = 0; i <= n; i++) {
        bits |= (i < n ? (unsigned)codes[i] : 0) << n_bits;
        n_bits += i < n ? width : (8 - n_bits % 8) % 8;
        for (; n_bits >= 8; n_bits -= 8, bits >>= 8) {
            if (m->n - block - 1 == most) {
                m->data[block] = (unsigned char)most;
                block = m->n++;
            }
            add_little(m, bits & 0xff, 1);
        }
        bool restart = i < n && codes[i] == clear;
        known = restart ? clear + 1 : known + (known < 4096);
        width = restart ? root + 1 : width + (known == 1 << width && width < 12);
    }
    m->data[block] = (unsigned char)(m->n - block - 1);
    ADD(m, "\0");
}

#define CODES(m, ...)                                                                             \
    add_codes(m, 2, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int), \
              UINT8_MAX)

static void add_picture(maker *m, unsigned x, unsigned y, unsigned width, unsigned height,
                        unsigned flags)
{
    ADD(m, ",");
    add_place(m, x, y, width, height);
    add_little(m, flags, 1);
    if (flags & 0x80) {
        ADD(m, OTHERS);
    }
}

/* A pixel of colour 3 in the middle of three. */
static maker make_middle(const char *control, size_t control_bytes, bool table, unsigned background,
                         unsigned flags)
{
    maker m = make_screen(3, 1, table, background);
    add(&m, control, control_bytes);
    add_picture(&m, 1, 0, 1, 1, flags);
    CODES(&m, CLEAR, 3, END);
    ADD(&m, ";");
    return m;
}

#define MIDDLE(control, table, background, flags) \
    make_middle(control, sizeof control - 1, table, background, flags)

TEST(background)
{
    maker m = MIDDLE("", true, 0, 0);
    EXPECT(ctx, "background 0", &m, 3, COLOUR_0 COLOUR_3 COLOUR_0);
    m = MIDDLE(OPAQUE, true, 2, 0);
    EXPECT(ctx, "background 2", &m, 3, COLOUR_2 COLOUR_3 COLOUR_2);
    m = MIDDLE("", true, 9, 0);
    EXPECT(ctx, "a background without colour", &m, 3, "\0\0\0" COLOUR_3 "\0\0\0");
    m = MIDDLE("", true, 1, HAS_TABLE);
    EXPECT(ctx, "colours of its own", &m, 3, COLOUR_1 "\x8c\x8d\x8e" COLOUR_1);
    m = MIDDLE(TRANSPARENT("\2"), true, 2, 0);
    EXPECT(ctx, "a transparent colour", &m, 4, "\0\0\0\0" COLOUR_3 "\xff\0\0\0\0");
    m = MIDDLE("", false, 1, HAS_TABLE);
    EXPECT(ctx, "no colours of the screen", &m, 4, "\0\0\0\0\x8c\x8d\x8e\xff\0\0\0\0");
    m = MIDDLE(TRANSPARENT("\3") OPAQUE, true, 1, 0);
    EXPECT(ctx, "the last control counts", &m, 3, COLOUR_1 COLOUR_3 COLOUR_1);
    m = MIDDLE("!\xf9\2\1\0\0", true, 1, 0);
    EXPECT(ctx, "a short control", &m, 3, COLOUR_1 COLOUR_3 COLOUR_1);
}

TEST(place)
{
    for (int wide = 0; wide < 2; wide++) { /* 2 x 2 of which one is seen, on a screen of 2 x 2 */
        maker m = make_screen(2, 2, true, 1);
        add_picture(&m, 1, 1, 2 + (unsigned)wide, 2, 0);
        if (wide) {
            CODES(&m, CLEAR, 2, 3, 3, 3, 3, 3, END);
        } else {
            CODES(&m, CLEAR, 2, 3, 3, 3, END);
        }
        EXPECT(ctx, "over the edge", &m, 3, COLOUR_1 COLOUR_1 COLOUR_1 COLOUR_2);
    }
    satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 1 << 20);
    for (unsigned aux = 1; aux <= 3; aux++) {
        maker m = make_screen(2, 1, true, 1);
        add_picture(&m, aux & 1 ? 60000 : 0, aux & 2 ? 60000 : 0, 1, 1, 0);
        CODES(&m, CLEAR, 2, END);
        EXPECT(ctx, "beside the screen", &m, 3, COLOUR_1 COLOUR_1);
    }
}

TEST(codes)
{
    maker m = make_screen(8, 1, true, 0);
    add_picture(&m, 0, 0, 8, 1, 0);
    CODES(&m, 1, FIRST, FIRST, 2, FIRST + 2, END); /* no clear code; the first adds itself */
    EXPECT(ctx, "strings", &m, 3,
           COLOUR_1 COLOUR_1 COLOUR_1 COLOUR_1 COLOUR_1 COLOUR_2 COLOUR_1 COLOUR_1);
    m = make_screen(3, 1, true, 0);
    add_picture(&m, 0, 0, 3, 1, 0);
    CODES(&m, CLEAR, CLEAR, 1, 2, CLEAR, 3, 1, 2, FIRST); /* no end code, and too many */
    EXPECT(ctx, "clear again", &m, 3, COLOUR_1 COLOUR_2 COLOUR_3);
    m = make_screen(2, 1, true, 0);
    add_picture(&m, 0, 0, 2, 1, 0);
    add_codes(&m, 8, (const int[]){256, 200, 3, 257}, 4, UINT8_MAX);
    EXPECT(ctx, "a number without colour", &m, 3, "\0\0\0" COLOUR_3);
}

/* A table of codes that is full stays as it is. */
TEST(full_table)
{
    enum { SIDE = 100, ALL = SIDE * SIDE };
    static int numbers[ALL + 1];
    static unsigned char want[3 * ALL];
    numbers[0] = CLEAR;
    for (int i = 0; i < ALL; i++) {
        numbers[i + 1] = i * i / 7 % 4;
        memcpy(want + 3 * i, &COLOURS[3 * numbers[i + 1]], 3);
    }
    maker m = make_screen(SIDE, SIDE, true, 0);
    add_picture(&m, 0, 0, SIDE, SIDE, 0);
    add_codes(&m, 2, numbers, ALL + 1, UINT8_MAX);
    SCOPED_IMAGE *image;
    assert_int_equal(decode_start(ctx, &m, m.n, &image), SATF_OK);
    check_pixels("a full table", image, 3, want, sizeof want);
}

TEST(refusals)
{
    static const struct {
        int codes[4];
        size_t n;
    } cases[] = {{{END}, 1}, {{CLEAR, 1, END}, 3}, {{CLEAR, 1}, 2}, {{CLEAR, FIRST, END}, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        maker m = make_screen(3, 1, true, 0);
        add_picture(&m, 0, 0, 3, 1, 0);
        add_codes(&m, 2, cases[i].codes, cases[i].n, UINT8_MAX);
        ADD(&m, ";");
        expect_refusal(ctx, "codes", &m, SATF_DATA, "pixels are missing");
    }
    for (unsigned root = 9; root <= 12; root += 3) {
        maker m = make_screen(1, 1, true, 0);
        add_picture(&m, 0, 0, 1, 1, 0);
        add_little(&m, root, 1);
        ADD(&m, "\1\1\0;");
        expect_refusal(ctx, "bits of codes", &m, SATF_DATA, "do not begin with at most 8 bits");
    }
    maker m = MIDDLE("", false, 0, 0);
    expect_refusal(ctx, "no colours", &m, SATF_UNSUPPORTED, "without a table of colours");
    m = MIDDLE(";", true, 0, 0);
    expect_refusal(ctx, "no picture", &m, SATF_DATA, "holds no picture");
    m = make_screen(1, 1, true, 0);
    add_picture(&m, 0, 0, 0, 1, 0);
    CODES(&m, CLEAR, END);
    expect_refusal(ctx, "an empty picture", &m, SATF_DATA, "its picture is empty");
    m = make_screen(UINT16_MAX, UINT16_MAX, true, 0);
    add_picture(&m, 0, 0, 1, 1, 0);
    CODES(&m, CLEAR, 1, END);
    expect_refusal(ctx, "a huge screen", &m, SATF_LIMIT, "limit: max-pixels");
}

/* A screen of any size takes no data, but memory. */
TEST(claims)
{
    maker m = make_screen(0x1a47, 0xff47, true, 0);
    m.data[10] = 0x80; /* two colours */
    m.n -= 6;
    add_picture(&m, 0, 0, 2, 1, 0);
    ADD(&m, "\2\2\x44\x0a\0");
    satf_context_set_limit(ctx, SATF_LIMIT_MEMORY,
                           (int64_t)1 << 40); /* no memory would be too much */
    expect_refusal(ctx, "a cut GIF", &m, SATF_DATA, "truncated");
    ADD(&m, ";");
    expect_refusal(ctx, "a huge GIF", &m, SATF_LIMIT, "limit: max-ratio");
    assert_int_equal(m.n, 35);
    /* pixels of a bit each: 8 * 1100 * (35 bytes + 1) of them, and no row more */
    for (unsigned height = 316; height <= 317; height++) {
        satf_image *image;
        m.data[6] = 0xe8, m.data[7] = 3; /* 1000 wide */
        m.data[8] = (unsigned char)height;
        m.data[9] = (unsigned char)(height >> 8);
        satf_status status = satf_image_decode(ctx, m.data, m.n, &image);
        assert_int_equal(status, height == 316 ? SATF_OK : SATF_LIMIT);
        satf_image_destroy(image);
    }
}

/* Pixels of colours that the table lacks, of which it has two. */
TEST(missing_colours)
{
    static const struct {
        const char *control, *codes;
        bool missing;
    } cases[] = {{"", "\x44\x52", false},
                 {"", "\x44\x54", true},
                 {"!\xf9\4\1\0\0\2", "\x44\x54", false}}; /* which is transparent */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        maker m = make_screen(3, 1, true, 0);
        m.data[10] = 0x80;
        m.n -= 6;
        add(&m, cases[i].control, i == 2 ? 7 : 0);
        add(&m, "\0", i == 2);
        add_picture(&m, 0, 0, 3, 1, 0);
        ADD(&m, "\2\2");
        add(&m, cases[i].codes, 2);
        ADD(&m, "\0;");
        SCOPED_READER *reader = open_bytes(ctx, &(bytes){m.data, m.n});
        assert_int_equal(reader->header.colours_missing, cases[i].missing);
    }
}

/* ---------------------------------------------------------------------- frames */

enum { WIDE = 6, HIGH = 19, MOST_FRAMES = 12 };

/* What a screen shows, by another way than the reader's: every frame is kept as it came. */
typedef struct shown_frame {
    int x, y, width, height, disposal, transparent, numbers[WIDE * HIGH];
} shown_frame;

/* A pixel's number in frame k after frame `last`; -1: nothing, -2: the background. A frame counts
 * unless it is taken back, and a pixel that was cleared stays so until it is drawn. */
static int number_at(const shown_frame *frames, int last, int x, int y, int around)
{
    for (int k = last; k >= 0; k--) {
        const shown_frame *f = &frames[k];
        bool inside = x >= f->x && x < f->x + f->width && y >= f->y && y < f->y + f->height;
        if (!inside || (k < last && f->disposal >= 3)) {
            continue;
        }
        if (k < last && f->disposal == 2) {
            return f->transparent >= 0 ? -1 : around;
        }
        int number = f->numbers[(y - f->y) * f->width + x - f->x];
        if (number != f->transparent) {
            return number;
        }
    }
    return around;
}

static shown_frame make_frame(uint64_t *seed)
{
    shown_frame f = {.x = below(seed, WIDE),
                     .y = below(seed, HIGH),
                     .width = 1 + below(seed, WIDE),
                     .height = 1 + below(seed, HIGH),
                     .disposal = below(seed, 5),
                     .transparent = below(seed, 6)};
    f.transparent = f.transparent < 4 ? f.transparent : -1;
    for (int i = 0; i < f.width * f.height; i++) {
        f.numbers[i] = below(seed, 4);
    }
    return f;
}

/* Each code is behind a clear one, so that all have three bits. */
static void add_frame(maker *m, const shown_frame *f, bool interlaced)
{
    int codes[2 * WIDE * HIGH + 1], n = 0;
    static const int begin[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2};
    const unsigned char control[] = {(unsigned char)(f->disposal << 2 | (f->transparent >= 0)), 0,
                                     0, (unsigned char)f->transparent, 0};
    ADD(m, "!\xf9\4");
    add(m, control, sizeof control);
    add_picture(m, (unsigned)f->x, (unsigned)f->y, (unsigned)f->width, (unsigned)f->height,
                interlaced ? INTERLACED : 0);
    for (int pass = 0; pass < (interlaced ? 4 : 1); pass++) {
        int from = interlaced ? begin[pass] : 0, by = interlaced ? step[pass] : 1;
        for (int y = from; y < f->height; y += by) {
            for (int x = 0; x < f->width; x++) {
                codes[n++] = CLEAR;
                codes[n++] = f->numbers[y * f->width + x];
            }
        }
    }
    codes[n++] = END;
    add_codes(m, 2, codes, (size_t)n, 50);
}

typedef unsigned char canvas[4 * WIDE * HIGH];

/* A GIF of so many frames, which are interlaced here and there, without its end; what each shows;
 * and where its bytes end. The background is colour 1. */
static maker make_frames(uint64_t seed, int count, canvas *shown, size_t *ends)
{
    shown_frame all[MOST_FRAMES];
    maker m = make_screen(WIDE, HIGH, true, 1);
    for (int k = 0; k < count; k++) {
        all[k] = make_frame(&seed);
        add_frame(&m, &all[k], below(&seed, 2));
        ends[k] = m.n;
        ADD(&m, "!\xfe\3,,,\2;;\0");
        for (int i = 0; i < WIDE * HIGH; i++) {
            int number = number_at(all, k, i % WIDE, i / WIDE, all[0].transparent >= 0 ? -1 : 1);
            memset(&shown[k][4 * i], 0, 4);
            if (number >= 0) {
                memcpy(&shown[k][4 * i], &COLOURS[3 * number], 3);
                shown[k][4 * i + 3] = UINT8_MAX;
            }
        }
    }
    return m;
}

static canvas shown[MOST_FRAMES];
static size_t ends[MOST_FRAMES];

/* Any frames. */
TEST(frames)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        int count = 1 + (int)(seed % MOST_FRAMES);
        maker m = make_frames(seed, count, shown, ends);
        ADD(&m, ";");
        check_pages(ctx, m.data, m.n, shown[0], WIDE, HIGH, count);
    }
}

/* Three frames and comments, of which the file ends too early: those that are there are right. */
TEST(cut)
{
    maker m = make_frames(5, 3, shown, ends);
    ADD(&m, ";");
    for (size_t n = ends[0]; n <= m.n; n++) {
        int whole = n >= ends[2] ? 3 : n >= ends[1] ? 2 : 1;
        assert_true(check_cut(ctx, m.data, n, shown[0], WIDE, HIGH, whole) > 0);
    }
}

/* Of pages a frame that cannot be read is the last, and all of a large screen are too much. */
TEST(broken_frames)
{
    maker m = make_screen(1000, 400, true, 0);
    for (int k = 0; k < 50; k++) {
        add_picture(&m, 0, 0, 1, 1, 0);
        if (k == 1) {
            CODES(&m, END);
        } else {
            CODES(&m, CLEAR, 1, END);
        }
    }
    ADD(&m, ";");
    SCOPED_READER *reader = open_bytes(ctx, &(bytes){m.data, m.n});
    assert_int_equal(reader->pages, 50);
    REFUSED(io_go_to(ctx, reader, 49), SATF_LIMIT, "limit: max-ratio");
    assert_int_equal(satf_context_set_limit(ctx, SATF_LIMIT_RATIO, 1 << 20), SATF_OK);
    REFUSED(io_go_to(ctx, reader, 1), SATF_DATA, "pixels are missing");
    REFUSED(io_go_to(ctx, reader, 2), SATF_DATA, "a frame before this one");
    assert_int_equal(io_go_to(ctx, reader, 0), SATF_OK);
}

TEST_FILE(.formats = "all")
