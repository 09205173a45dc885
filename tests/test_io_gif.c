/* GIF: the first picture on its screen, its codes, and what is refused. */
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

static void background(void **state)
{
    satf_context *ctx = *state;
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

static void place(void **state)
{
    satf_context *ctx = *state;
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
    satf_context_set_limits(ctx, 0, 1 << 20);
    for (unsigned beside = 1; beside <= 3; beside++) {
        maker m = make_screen(2, 1, true, 1);
        add_picture(&m, beside & 1 ? 60000 : 0, beside & 2 ? 60000 : 0, 1, 1, 0);
        CODES(&m, CLEAR, 2, END);
        EXPECT(ctx, "beside the screen", &m, 3, COLOUR_1 COLOUR_1);
    }
    for (unsigned height = 1; height <= 19; height++) {
        static const unsigned begin[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2};
        int codes[20] = {CLEAR};
        size_t n = 1;
        for (int pass = 0; pass < 4; pass++) {
            for (unsigned y = begin[pass]; y < height; y += step[pass]) {
                codes[n++] = (int)(y * y / 3 % 4);
            }
        }
        unsigned char want[3 * 19];
        for (unsigned y = 0; y < height; y++) {
            memcpy(want + 3 * y, &COLOURS[3 * (y * y / 3 % 4)], 3);
        }
        maker m = make_screen(1, height, true, 0);
        add_picture(&m, 0, 0, 1, height, INTERLACED);
        add_codes(&m, 2, codes, n, 3);
        expect_pixels(ctx, "interlaced", &m, 3, want, (size_t)3 * height);
    }
}

static void codes(void **state)
{
    satf_context *ctx = *state;
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
    m = make_screen(1, 1, true, 0);
    add_picture(&m, 0, 0, 1, 1, 0);
    add_codes(&m, 11, (const int[]){2048, 3, 2049}, 3, UINT8_MAX);
    EXPECT(ctx, "codes of 12 bits", &m, 3, COLOUR_3);
}

/* A table of codes that is full stays as it is. */
static void full_table(void **state)
{
    satf_context *ctx = *state;
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
    satf_image *image;
    assert_int_equal(decode_start(ctx, &m, m.n, &image), SATF_OK);
    check_pixels("a full table", image, 3, want, sizeof want);
    satf_image_destroy(image);
}

static void refusals(void **state)
{
    satf_context *ctx = *state;
    static const struct {
        const char *sentence;
        int codes[4];
        size_t n;
    } cases[] = {
        {"pixels are missing", {END}, 1},
        {"pixels are missing", {CLEAR, 1, END}, 3},
        {"pixels are missing", {CLEAR, 1}, 2},
        {"a code is not in its table", {CLEAR, FIRST}, 2},
        {"a code is not in its table", {CLEAR, 1, FIRST + 1}, 3},
        {"a code is not in its table", {1, 2, CLEAR, FIRST}, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        maker m = make_screen(3, 1, true, 0);
        add_picture(&m, 0, 0, 3, 1, 0);
        add_codes(&m, 2, cases[i].codes, cases[i].n, UINT8_MAX);
        ADD(&m, ";");
        expect_refusal(ctx, "codes", &m, SATF_DATA, cases[i].sentence);
    }
    for (unsigned root = 0; root <= 12; root += 12) {
        maker m = make_screen(1, 1, true, 0);
        add_picture(&m, 0, 0, 1, 1, 0);
        add_little(&m, root, 1);
        ADD(&m, "\1\1\0;");
        expect_refusal(ctx, "bits of codes", &m, SATF_DATA, "do not begin with 1 to 11 bits");
    }
    maker m = make_screen(1, 1, true, 0);
    add_picture(&m, 0, 0, 1, 1, 0);
    add_codes(&m, 9, (const int[]){256}, 1, UINT8_MAX);
    expect_refusal(ctx, "a number above 255", &m, SATF_DATA, "a code is not in its table");
    m = MIDDLE("", false, 0, 0);
    expect_refusal(ctx, "no colours", &m, SATF_UNSUPPORTED, "without a table of colours");
    m = MIDDLE(";", true, 0, 0);
    expect_refusal(ctx, "no picture", &m, SATF_DATA, "holds no picture");
    m = make_screen(1, 1, true, 0);
    add_picture(&m, 0, 0, 0, 1, 0);
    CODES(&m, CLEAR, END);
    expect_refusal(ctx, "an empty picture", &m, SATF_DATA, "its picture is empty");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(background), TEST(place), TEST(codes), TEST(full_table), TEST(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
