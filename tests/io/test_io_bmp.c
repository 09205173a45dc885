/* BMP files of all kinds: their pixels, or why not. */
#include "test.h"
#include "test_io_foreign.h"

/* Masks that are written, within the header or behind it. */
enum { NO_MASKS, M565, M4444, M888, RGBA, FEW, WIDE, HOLE, APART, TWICE };
static const struct {
    int count;
    uint32_t of[4];
} masks[] = {
    [M565] = {3, {0xf800, 0x7e0, 0x1f, 0}},
    [M4444] = {4, {0xf00, 0xf0, 0xf, 0xf000}},
    [M888] = {3, {0xff0000, 0xff00, 0xff, 0}},
    [RGBA] = {4, {0xff, 0xff00, 0xff0000, 0xff000000}},
    [FEW] = {4, {0x30000000, 0x00070000, 0x1, 0x7f00}},
    [WIDE] = {4, {0x3ff00000, 0xffc00, 0x3ff, 0}},
    [HOLE] = {4, {0xff00, 0, 0xff, 0}},
    [APART] = {4, {0xa000, 0x3f, 0xff0000, 0}},
    [TWICE] = {3, {0xff, 0xff00, 0xff0000, 0}},
};

typedef struct bmp_kind {
    uint32_t header, depth, compression;
    int masks;
    uint32_t colours, room; /* of the palette: as announced, and as there */
    int gap;                /* bytes in front of the pixels */
} bmp_kind;

static uint32_t bmp_pixel(const bmp_kind *k, uint32_t i)
{
    uint32_t v = 0;
    if (k->depth <= 8) {
        return i % (1u << k->depth);
    }
    if (!k->masks) {
        return stored_colour(i, (int)k->depth);
    }
    for (int c = 0; c < 4; c++) {
        v |= masks[k->masks].of[c] & (0x9d3b57a1u * (i + 1)); /* any bits */
    }
    return v;
}

/* A value's bits, repeated to eight of them. */
static unsigned char widen(uint32_t v, uint32_t mask)
{
    int bits = __builtin_popcount(mask), out = 0;
    v = (v & mask) >> __builtin_ctz(mask);
    for (int at = 8 - bits; at > -bits; at -= bits) {
        out |= at >= 0 ? (int)v << at : (int)v >> -at;
    }
    return (unsigned char)out;
}

enum { ACROSS = 11811, DOWN = 5906 }; /* pixels per metre */

static maker make_bmp(const bmp_kind *k, bool top_down)
{
    maker m = {.n = 0};
    bool core = k->header == 12;
    uint32_t behind = k->header < 52 ? 4 * (uint32_t)masks[k->masks].count : 0;
    uint32_t palette = k->room * (core ? 3 : 4);
    ADD(&m, "BM\0\0\0\0\0\0\0\0");
    add_little(&m, 14 + k->header + behind + palette + (uint32_t)k->gap, 4);
    add_little(&m, k->header, 4);
    add_little(&m, WIDTH, core ? 2 : 4);
    add_little(&m, top_down ? (uint32_t)-HEIGHT : HEIGHT, core ? 2 : 4);
    add_little(&m, 1, 2);
    add_little(&m, k->depth, 2);
    if (k->header >= 40) {
        add_little(&m, k->compression, 4);
        ADD(&m, "\0\0\0\0");
        add_little(&m, ACROSS, 4);
        add_little(&m, DOWN, 4);
        add_little(&m, k->colours, 4);
        ADD(&m, "\0\0\0\0");
    }
    for (int i = 0; i < masks[k->masks].count; i++) {
        add_little(&m, masks[k->masks].of[i], 4);
    }
    while (m.n < 14 + k->header) {
        ADD(&m, "\0");
    }
    uint32_t entries = k->room || k->depth > 8 ? k->room : k->colours;
    for (uint32_t i = 0; i < entries; i++) {
        add_little(&m, stored_colour(i, 24), core ? 3 : 4);
    }
    for (int i = 0; i < k->gap; i++) {
        ADD(&m, "\377");
    }
    for (uint32_t row = 0; row < HEIGHT; row++) {
        uint32_t y = top_down ? row : HEIGHT - 1 - row, bits = 0;
        size_t start = m.n;
        for (uint32_t x = 0; x < WIDTH; x++) {
            uint32_t v = bmp_pixel(k, y * WIDTH + x);
            if (k->depth < 8) {
                bits |= v << (8 * (4 - (x + 1) * k->depth / 8) - (x + 1) * k->depth % 8);
            } else {
                add_little(&m, v, (int)k->depth / 8);
            }
        }
        if (k->depth < 8) {
            add_big(&m, bits, 4);
        }
        while ((m.n - start) % 4) {
            ADD(&m, "\0");
        }
    }
    return m;
}

static void check_bmp(satf_context *ctx, const bmp_kind *k, bool top_down)
{
    static const uint32_t fives[] = {31u << 10, 31u << 5, 31u, 0};
    static const uint32_t eights[] = {255u << 16, 255u << 8, 255u, 255u << 24};
    const uint32_t *of = k->masks ? masks[k->masks].of : k->depth == 16 ? fives : eights;
    unsigned char want[4 * PIXELS];
    bool alpha = k->masks && of[3]; /* a fourth byte that no mask names is none */
    size_t n = 0;
    uint32_t there = k->room ? k->room : k->colours;
    for (uint32_t i = 0; i < PIXELS; i++) {
        uint32_t v = bmp_pixel(k, i);
        bool palette = k->depth <= 8;
        v = palette ? (v < there ? stored_colour(v, 24) : 0) : v;
        for (int c = 0; c < 3 + alpha; c++) {
            want[n++] = widen(v, palette ? eights[c] : of[c]);
        }
    }
    char what[100];
    snprintf(what, sizeof what, "BMP of %u bits, header of %u, compression %u, masks %d, %s",
             k->depth, k->header, k->compression, k->masks, top_down ? "top down" : "bottom up");
    maker m = make_bmp(k, top_down);
    expect_pixels(ctx, what, &m, 3 + alpha, want, n);
    expect_damage(ctx, what, &m, k->room > 20 ? 29 : 1);
    bool says = k->header >= 40;
    expect_resolution(ctx, what, &m, says ? ACROSS : 0, says ? DOWN : 0);
}

/* Every depth behind every header that has it, either way up; then a palette that no pixel uses,
 * and other bytes in front of pixels; a palette for which the header leaves no room; masks behind a
 * header, in it, and with alpha. */
TEST(bmp_kinds)
{
    static const bmp_kind kinds[] = {
        {40, 1, 0, NO_MASKS, 0, 2, 0},      {40, 4, 0, NO_MASKS, 0, 16, 0},
        {40, 8, 0, NO_MASKS, 0, 256, 0},    {40, 8, 0, NO_MASKS, 6, 6, 0},
        {40, 8, 0, NO_MASKS, 4, 4, 0},      {40, 4, 0, NO_MASKS, 0, 3, 0},
        {40, 16, 0, NO_MASKS, 0, 0, 0},     {40, 24, 0, NO_MASKS, 0, 0, 0},
        {40, 32, 0, NO_MASKS, 0, 0, 0},     {16, 8, 0, NO_MASKS, 0, 256, 0},
        {16, 24, 0, NO_MASKS, 0, 0, 0},     {52, 8, 0, NO_MASKS, 0, 8, 3},
        {64, 4, 0, NO_MASKS, 0, 16, 0},     {108, 24, 0, NO_MASKS, 0, 0, 0},
        {124, 32, 0, NO_MASKS, 0, 0, 100},  {124, 1, 0, NO_MASKS, 0, 2, 0},
        {40, 24, 0, NO_MASKS, 256, 256, 0}, {40, 32, 0, NO_MASKS, 0, 0, 7},
        {56, 16, 0, NO_MASKS, 0, 0, 1},     {40, 8, 0, NO_MASKS, 252, 0, 0},
        {40, 4, 0, NO_MASKS, 5, 0, 0},      {108, 1, 0, NO_MASKS, 2, 0, 0},
        {40, 16, 3, M565, 0, 0, 0},         {40, 16, 6, M4444, 0, 0, 0},
        {40, 32, 3, M888, 0, 0, 0},         {52, 16, 3, M565, 0, 0, 0},
        {56, 16, 3, M4444, 0, 0, 0},        {56, 32, 3, RGBA, 0, 0, 0},
        {108, 32, 3, RGBA, 0, 0, 9},        {124, 32, 3, FEW, 0, 0, 0},
        {124, 16, 3, M565, 0, 0, 68}};
    for (size_t i = 0; i < 2 * ROWS_OF(kinds); i++) {
        check_bmp(ctx, &kinds[i / 2], i % 2);
    }
    for (uint32_t depth = 1; depth <= 24; depth *= depth == 8 ? 3 : depth == 1 ? 4 : 2) {
        check_bmp(ctx, &(bmp_kind){12, depth, 0, NO_MASKS, 0, depth > 8 ? 0 : 2, 0}, false);
    }
}

static const bmp_kind plain = {40, 24, 0, NO_MASKS, 0, 0, 0};

/* One side alone, and numbers below 0, say nothing. */
TEST(bmp_resolutions)
{
    static const uint32_t cases[][2] = {{0, 0}, {ACROSS, 0}, {0, DOWN}, {(uint32_t)-ACROSS, DOWN}};
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        maker m = make_bmp(&plain, false);
        store_little(m.data + 38, cases[i][0], 4);
        store_little(m.data + 42, cases[i][1], 4);
        expect_resolution(ctx, "a BMP without a resolution", &m, 0, 0);
    }
}

/* What is not read: by name. */
TEST(bmp_refusals)
{
    static const struct {
        bmp_kind kind;
        satf_status status;
        const char *sentence;
    } cases[] = {
        {{40, 4, 1, NO_MASKS, 0, 2, 0}, SATF_DATA, "contradicts itself"},
        {{40, 8, 2, NO_MASKS, 0, 2, 0}, SATF_DATA, "contradicts itself"},
        {{64, 8, 4, NO_MASKS, 0, 2, 0}, SATF_DATA, "contradicts itself"},
        {{64, 1, 3, NO_MASKS, 0, 2, 0}, SATF_UNSUPPORTED, "a BMP of compression 3"},
        {{40, 24, 4, NO_MASKS, 0, 0, 0}, SATF_UNSUPPORTED, "a BMP that holds a JPEG"},
        {{124, 24, 5, NO_MASKS, 0, 0, 0}, SATF_UNSUPPORTED, "a BMP that holds a PNG"},
        {{40, 24, 11, NO_MASKS, 0, 0, 0}, SATF_UNSUPPORTED, "a BMP of compression 11"},
        {{48, 24, 0, NO_MASKS, 0, 0, 0}, SATF_UNSUPPORTED, "a BMP with a header of 48 bytes"},
        {{40, 2, 0, NO_MASKS, 0, 4, 0}, SATF_UNSUPPORTED, "a BMP of 2 bits a pixel"},
        {{56, 32, 3, WIDE, 0, 0, 0}, SATF_UNSUPPORTED, "more than 8 bits of a colour"},
        {{56, 32, 3, HOLE, 0, 0, 0}, SATF_DATA, "contradicts itself"},
        {{56, 32, 3, APART, 0, 0, 0}, SATF_DATA, "contradicts itself"},
        {{40, 24, 3, TWICE, 0, 0, 0}, SATF_DATA, "contradicts itself"},
        /* found by fuzzing: compression -148, and pixels inside the header */
        {{40, 8, (uint32_t)-148, NO_MASKS, 2, 2, 0}, SATF_UNSUPPORTED, "compression 4294967148"},
        {{40, 8, 0, NO_MASKS, 2, 2, -14}, SATF_DATA, "contradicts itself"},
    };
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        maker m = make_bmp(&cases[i].kind, false);
        expect_refusal(ctx, cases[i].sentence, &m, cases[i].status, cases[i].sentence);
    }
    /* sizes that lie, before any memory is taken for them */
    static const struct {
        uint32_t width, height;
        satf_status status;
        const char *sentence;
    } sizes[] = {
        {3, 0, SATF_DATA, "3 x 0 pixels"},     {UINT32_MAX, 2, SATF_DATA, "-1 x 2 pixels"},
        {1, 1u << 31, SATF_DATA, "truncated"}, {2, 1u << 31, SATF_LIMIT, "limit: max-pixels"},
        {3, 3, SATF_DATA, "truncated"},
    };
    for (size_t i = 0; i < ROWS_OF(sizes); i++) {
        maker m = make_bmp(&plain, false);
        store_little(m.data + 18, sizes[i].width, 4);
        store_little(m.data + 22, sizes[i].height, 4);
        expect_refusal(ctx, sizes[i].sentence, &m, sizes[i].status, sizes[i].sentence);
    }
}

/* A BMP of run lengths, with a palette of `room` colours where it has one. */
static maker make_runs(uint32_t width, uint32_t height, uint32_t depth, uint32_t room,
                       const char *codes, size_t n)
{
    maker m = {.n = 0};
    uint32_t header = depth == 24 ? 64 : 40; /* the deep ones are OS/2's */
    ADD(&m, "BM\0\0\0\0\0\0\0\0");
    add_little(&m, 14 + header + 4 * room, 4);
    add_little(&m, header, 4);
    add_little(&m, width, 4);
    add_little(&m, height, 4);
    add_little(&m, 1, 2);
    add_little(&m, depth, 2);
    add_little(&m, depth == 8 ? 1 : depth == 4 ? 2 : 4, 4);
    while (m.n < 14 + header) {
        ADD(&m, "\0");
    }
    for (uint32_t i = 0; i < room; i++) {
        add_little(&m, stored_colour(i, 24), 4);
    }
    add(&m, codes, n);
    return m;
}

/* The numbers of colours that codes stand for, from the top row on; those that they leave out are
 * 0. Rows come from below unless the height is below 0. */
TEST(bmp_runs)
{
    static const struct {
        const char *what;
        uint32_t width, height, depth;
        const char *codes;
        size_t n;
        const char *numbers;
    } cases[] = {
        {"runs", 4, 2, 8, DATA("\4\3\0\0\1\2\3\1\0\1"), "\2\1\1\1\3\3\3\3"},
        {"no end of a row, nor of the picture", 2, 2, 8, DATA("\2\1\0\0\2\2"), "\2\2\1\1"},
        {"an end of each row alone", 2, 2, 8, DATA("\2\1\0\0\2\2\0\0"), "\2\2\1\1"},
        {"from above", 2, (uint32_t)-2, 8, DATA("\2\1\0\0\2\2\0\1"), "\1\1\2\2"},
        {"pixels as they are, even", 4, 1, 8, DATA("\0\4\1\2\3\4\0\1"), "\1\2\3\4"},
        {"pixels as they are, odd", 4, 1, 8, DATA("\0\3\1\2\3\6\1\5\0\1"), "\1\2\3\5"},
        {"the same at the end, without padding", 3, 1, 8, DATA("\0\3\1\2\3"), "\1\2\3"},
        {"rows that end early", 3, 3, 8, DATA("\1\1\0\0\0\0\2\2\0\1"), "\2\2\0\0\0\0\1\0\0"},
        {"a picture that ends early", 2, 2, 8, DATA("\1\1\0\1\1\1"), "\0\0\1\0"},
        {"a jump to the right", 4, 1, 8, DATA("\1\1\0\2\2\0\1\2\0\1"), "\1\0\0\2"},
        {"a jump to the right and up", 3, 3, 8, DATA("\1\1\0\2\1\2\1\2\0\1"), "\0\0\2\0\0\0\1\0\0"},
        {"a jump behind the last row", 1, 2, 8, DATA("\1\1\0\2\0\2"), "\0\1"},
        {"runs of 4 bits", 5, 2, 4, DATA("\5\x12\0\0\2\x34\3\x56\0\1"), "\3\4\5\6\5\1\2\1\2\1"},
        {"the same as they are, odd", 6, 1, 4, DATA("\0\5\x12\x34\x5f\0\1\xf0\0\1"),
         "\1\2\3\4\5\xf"},
        {"the same, even", 4, 1, 4, DATA("\0\4\x12\x34\0\1"), "\1\2\3\4"},
        {"the same, of two bytes and padded", 6, 1, 4, DATA("\0\6\x12\x34\x56\0\0\1"),
         "\1\2\3\4\5\6"},
    };
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        const uint32_t rows = cases[i].height;
        const size_t pixels = cases[i].width * (rows > 9 ? -rows : rows);
        maker m = make_runs(cases[i].width, rows, cases[i].depth, 16, cases[i].codes, cases[i].n);
        unsigned char want[3 * 16];
        for (size_t k = 0; k < pixels; k++) {
            uint32_t colour = stored_colour((unsigned char)cases[i].numbers[k], 24);
            for (int c = 0; c < 3; c++) {
                want[3 * k + (size_t)c] = (unsigned char)(colour >> (16 - 8 * c));
            }
        }
        expect_pixels(ctx, cases[i].what, &m, 3, want, 3 * pixels);
    }
    /* blue, green and red; a pixel that is left out is black */
    maker m = make_runs(3, 2, 24, 0, DATA("\3\1\2\3\0\0\1\4\5\6\0\1"));
    EXPECT(ctx, "runs of 24 bits", &m, 3, "\6\5\4\0\0\0\0\0\0\3\2\1\3\2\1\3\2\1");
    m = make_runs(3, 1, 24, 0, DATA("\0\3\1\2\3\4\5\6\7\x08\x09\0\0\1"));
    EXPECT(ctx, "24 bits as they are", &m, 3, "\3\2\1\6\5\4\x09\x08\7");
    /* a colour that is not there, where only what codes name counts */
    m = make_runs(2, 1, 8, 2, DATA("\1\1\1\2\0\1"));
    EXPECT(ctx, "a palette of two", &m, 3, "\x0d\x0c\x0b\0\0\0");
}

/* What leaves the picture, and what few bytes claim to be. */
TEST(bmp_bad_runs)
{
    static const struct {
        const char *codes;
        size_t n;
        const char *sentence;
    } cases[] = {
        {DATA("\4\1\0\1"), "a run leaves its row"},
        {DATA("\3\1\1\1\0\1"), "a run leaves its row"},
        {DATA("\0\4\1\2\3\4\0\1"), "a run leaves its row"},
        {DATA("\0\2\4\0\0\1"), "a jump leaves the picture"},
        {DATA("\2\1\0\2\2\0\0\1"), "a jump leaves the picture"},
        {DATA("\0\2\0\3\0\1"), "a jump leaves the picture"},
        {DATA("\0\2\1"), "truncated"},
        {DATA("\0\3\1\2"), "truncated"},
        {DATA("\3\1\0\0\2\1"), "truncated"},
        {DATA(""), "truncated"},
    };
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        maker m = make_runs(3, 2, 8, 2, cases[i].codes, cases[i].n);
        expect_refusal(ctx, cases[i].sentence, &m, SATF_DATA, cases[i].sentence);
    }
    maker m = make_runs(20000, 20000, 8, 2, DATA("\0\1"));
    expect_refusal(ctx, "a blank picture", &m, SATF_LIMIT, "limit: max-ratio");
    m = make_runs(1u << 30, 1u << 30, 4, 2, DATA("\0\1"));
    expect_refusal(ctx, "a large blank picture", &m, SATF_LIMIT, "limit: max-pixels");
    m = make_runs(1, 1, 8, 2, DATA("\1\1\0\1"));
    m.data[10] = 255;
    expect_refusal(ctx, "pixels behind the end", &m, SATF_DATA, "truncated");
}

TEST_FILE(.formats = "all")
