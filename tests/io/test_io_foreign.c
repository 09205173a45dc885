/* Files of formats that are read only: their pixels, or why not. BMP is in test_io_bmp.c. */
#include "test.h"
#include "test_io_foreign.h"

/* --------------------------------------------------------------------- PSD */

/* A PSD of a row: what it becomes, or why not. */
typedef struct psd {
    const char *what;
    uint32_t version, depth, mode; /* version 2 is a PSB */
    uint32_t palette;              /* bytes of it */
    uint32_t width, planes, compression;
    const char *resources;
    size_t resources_bytes;
    const char *layers;
    size_t layers_bytes;
    const char *pixels;
    size_t pixels_bytes;
    int channels; /* 0: it is refused, with this status and `want` as the sentence */
    const char *want;
    size_t want_bytes;
    satf_status status;
} psd;

static maker make_psd(const psd *k)
{
    maker m = {.n = 0};
    ADD(&m, "8BPS");
    add_big(&m, k->version, 2);
    ADD(&m, "\0\0\0\0\0\0");
    add_big(&m, k->planes, 2);
    ADD(&m, "\0\0\0\1");
    add_big(&m, k->width, 4);
    add_big(&m, k->depth, 2);
    add_big(&m, k->mode, 2);
    add_big(&m, k->palette, 4);
    for (uint32_t i = 0; i < k->palette; i++) { /* colour i is (i, i + 1, i + 2) */
        add_big(&m, (i + i / 256) & 255, 1);
    }
    add_big(&m, (uint32_t)k->resources_bytes, 4);
    add(&m, k->resources, k->resources_bytes);
    if (k->version == 2) {
        add_big(&m, 0, 4);
    }
    add_big(&m, (uint32_t)k->layers_bytes, 4);
    add(&m, k->layers, k->layers_bytes);
    add_big(&m, k->compression, 2);
    add(&m, k->pixels, k->pixels_bytes);
    return m;
}

static void check_psds(satf_context *ctx, const psd *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        maker m = make_psd(&cases[i]);
        if (cases[i].channels) {
            expect_pixels(ctx, cases[i].what, &m, cases[i].channels, cases[i].want,
                          cases[i].want_bytes);
            expect_damage(ctx, cases[i].what, &m, 1);
        } else {
            expect_refusal(ctx, cases[i].what, &m, cases[i].status, cases[i].want);
        }
    }
}

#define NAMES(text) "8BIM\3\xee\0\0\0\0\0" text
#define SELECTION NAMES("\4\3Red")
#define TRANSPARENCY NAMES("\x0d\x0cTransparency\0")
#define TRANSPARENCY_AND_MORE NAMES("\x11\x0cTransparency\3Red\0")
#define IDENTIFIERS(last) "8BIM\4\x1d\0\0\0\0\0\4\0\0\0" last
/* a name of its own, of odd and even length, and data of odd length */
#define OTHER                  \
    "8BIM\4\1\3abc\0\0\0\1x\0" \
    "8BIM\4\1\4abcd\0\0\0\0\3xyz\0"
#define LAYERS(count) "\0\0\0\4" count "xx\0\0\0\0"
#define IN_BLOCK(key, count)  \
    "\0\0\0\0\0\0\0\0"        \
    "8BIMabcd\0\0\0\1x\0\0\0" \
    "8BIM" key "\0\0\0\4" count "xx"
#define LONG(n) "\0\0\0\0\0\0\0" n
#define IN_LONG_BLOCK(length) "8BIMLayr" length "\0\1xx"
#define NO_PARTS DATA(""), DATA("")

/* Whether the fourth plane is transparency or a selection that somebody saved. A PSB has longer
 * lengths of the section of layers and of some of its blocks. */
TEST(psd_alpha)
{
#define FOUR(version) version, 8, 3, 0, 2, 4, 0
#define ALPHA DATA("\12\24\36\50\62\74\377\0"), 4, DATA("\12\36\62\377\24\50\74\0"), SATF_OK
#define NONE DATA("\12\24\36\50\62\74\377\0"), 3, DATA("\12\36\62\24\50\74"), SATF_OK
    static const psd cases[] = {
        {"nothing said", FOUR(1), NO_PARTS, ALPHA},
        {"other resources", FOUR(1), DATA(OTHER), DATA(""), ALPHA},
        {"a name", FOUR(1), DATA(OTHER SELECTION), DATA(""), NONE},
        {"a name, other resources", FOUR(1), DATA(SELECTION OTHER), DATA(""), NONE},
        {"the name Transparency", FOUR(1), DATA(TRANSPARENCY OTHER), DATA(""), ALPHA},
        {"that and another name", FOUR(1), DATA(TRANSPARENCY_AND_MORE), DATA(""), ALPHA},
        {"an identifier", FOUR(1), DATA(IDENTIFIERS("\4")), DATA(""), NONE},
        {"identifier 0", FOUR(1), DATA(IDENTIFIERS("\0")), DATA(""), ALPHA},
        {"identifier 0, a name", FOUR(1), DATA(IDENTIFIERS("\0") SELECTION), DATA(""), ALPHA},
        {"an identifier, the name", FOUR(1), DATA(TRANSPARENCY IDENTIFIERS("\4")), DATA(""), NONE},
        {"layers", FOUR(1), DATA(""), DATA(LAYERS("\0\1")), NONE},
        {"layers and transparency", FOUR(1), DATA(""), DATA(LAYERS("\xff\xff")), ALPHA},
        {"that and a name", FOUR(1), DATA(SELECTION), DATA(LAYERS("\xff\xfe")), ALPHA},
        {"layers, identifier 0", FOUR(1), DATA(IDENTIFIERS("\0")), DATA(LAYERS("\0\2")), NONE},
        {"no layers, a name", FOUR(1), DATA(SELECTION), DATA(LAYERS("\0\0")), NONE},
        {"layers in a block", FOUR(1), DATA(""), DATA(IN_BLOCK("Lr16", "\0\1")), NONE},
        {"with transparency", FOUR(1), DATA(SELECTION), DATA(IN_BLOCK("Lr16", "\xff\xff")), ALPHA},
        {"layers of 8 bits in a block", FOUR(1), DATA(""), DATA(IN_BLOCK("Layr", "\0\1")), NONE},
        {"saved transparency", FOUR(1), DATA(SELECTION), DATA(IN_BLOCK("Mtrn", "\0\0")), ALPHA},
        {"the same of 16 bits", FOUR(1), DATA(SELECTION), DATA(IN_BLOCK("Mt16", "\0\1")), ALPHA},
        {"nonsense", FOUR(1), DATA("8BIM\3\xee\xff"), DATA("\xff\xff\xff\xff\1"), ALPHA},
        {"a PSB that says nothing", FOUR(2), NO_PARTS, ALPHA},
        {"a PSB's name", FOUR(2), DATA(OTHER SELECTION), DATA(""), NONE},
        {"a PSB's layers", FOUR(2), DATA(""), DATA(LONG("\4") "\0\1xx\0\0\0\0"), NONE},
        {"and transparency", FOUR(2), DATA(SELECTION), DATA(LONG("\4") "\xff\xffxx\0\0\0\0"),
         ALPHA},
        {"blocks of either length", FOUR(2), DATA(""),
         DATA(LONG("\0") "\0\0\0\0"
                         "8BIMabcd\0\0\0\1x\0\0\0"
                         "8B64LMsk" LONG("\1") "x\0\0\0" IN_LONG_BLOCK(LONG("\4"))),
         NONE},
        {"a length of nonsense", FOUR(2), DATA(""),
         DATA(LONG("\0") "\0\0\0\0" IN_LONG_BLOCK("\377\377\377\377\377\377\377\377")), ALPHA},
    };
    check_psds(ctx, cases, ROWS_OF(cases));
}

/* Grey, RGB and colours by number, of either depth, packed or not, and what is not read. Every
 * packed row is by itself: what goes beyond it is not the next one's. */
TEST(psd_kinds)
{
#define RGB 1, 8, 3, 0
#define GREY 1, 8, 1, 0
#define INDEXED(palette) 1, 8, 2, palette
#define TRANSPARENT(index) DATA(OTHER "8BIM\4\x17\0\0\0\0\0\2" index), DATA("")
#define IS(channels, want) channels, DATA(want), SATF_OK
#define DAMAGED(sentence) 0, DATA(sentence), SATF_DATA
#define UNREAD(sentence) 1, 4, 0, NO_PARTS, DATA(""), 0, DATA(sentence), SATF_UNSUPPORTED
#define VERSION(merged) DATA(OTHER "8BIM\4\x21\0\0\0\0\0\6\0\0\0\1" merged "\0"), DATA("")
    static const psd cases[] = {
        {"grey", GREY, 3, 1, 0, NO_PARTS, DATA("\1\2\376"), IS(1, "\1\2\376")},
        {"packed grey", GREY, 3, 1, 1, NO_PARTS, DATA("\0\2\xfe\7"), IS(1, "\7\7\7")},
        {"grey and alpha", GREY, 2, 2, 0, NO_PARTS, DATA("\12\24\377\0"), IS(2, "\12\377\24\0")},
        /* half of white is in the first: 255 - 55 * 255 / 128 */
        {"with white", GREY, 2, 2, 0, NO_PARTS, DATA("\310\310\200\377"),
         IS(2, "\x91\200\310\377")},
        {"grey and a saved selection", GREY, 2, 2, 1, DATA(SELECTION), DATA(""),
         DATA("\0\2\0\2\xff\5\xff\6"), IS(1, "\5\5")},
        {"grey of 16 bits", 1, 16, 1, 0, 2, 1, 0, NO_PARTS, DATA("\1\2\377\376"),
         IS(1, "\2\1\376\377")},
        {"no channel", GREY, 2, 0, 0, NO_PARTS, DATA(""), DAMAGED("greyscale in 0 channels")},
        {"RGB", RGB, 2, 3, 0, NO_PARTS, DATA("\1\2\3\4\5\6"), IS(3, "\1\3\5\2\4\6")},
        /* one of them darker than that could be */
        {"RGB with white", RGB, 2, 4, 0, NO_PARTS, DATA("\310\12\0\0\200\200\200\0"),
         IS(4, "\x91\0\2\200\12\0\200\0")},
        /* runs, literals, one that ends inside a sample */
        {"packed RGB of 16 bits", 1, 16, 3, 0, 2, 3, 1, NO_PARTS,
         DATA("\0\2\0\5\0\4\xfd\x12\3\1\2\3\4\xfe\5\0\7"),
         IS(3, "\x12\x12\2\1\5\5\x12\x12\4\3\7\5")},
        {"runs and literals too long", RGB, 3, 3, 1, NO_PARTS,
         DATA("\0\2\0\6\0\7\xc1\1\4\2\3\4\5\6\x80\0\7\xf0\x08\x80\x80"),
         IS(3, "\1\2\7\1\3\x08\1\4\x08")},
        {"a plane that is not read", RGB, 3, 4, 1, DATA(SELECTION), DATA(""),
         DATA("\0\2\0\2\0\2\0\2\xfe\1\xfe\2\xfe\3\xfe\4"), IS(3, "\1\2\3\1\2\3\1\2\3")},
        {"a run too short", RGB, 3, 3, 1, NO_PARTS, DATA("\0\2\0\2\0\2\xff\1\xfe\2\xfe\3"),
         DAMAGED("a packed row is too short")},
        {"half a literal", RGB, 3, 3, 1, NO_PARTS, DATA("\0\2\0\2\0\2\1\1\xfe\2\xfe\3"),
         DAMAGED("a packed row is too short")},
        {"a cut file", RGB, 3, 3, 1, NO_PARTS, DATA("\0\2\0\2\0\2\xfe\1\xfe\2\xfe"),
         DAMAGED("truncated")},
        {"a merged picture", RGB, 1, 3, 0, VERSION("\1"), DATA("\1\2\3"), IS(3, "\1\2\3")},
        {"layers alone", RGB, 1, 3, 0, VERSION("\0"), DATA("\1\2\3"), 0,
         DATA("a PSD of layers without"), SATF_UNSUPPORTED},
        {"indexed colours", INDEXED(768), 3, 1, 0, NO_PARTS, DATA("\0\7\xc8"),
         IS(3, "\0\1\2\7\x08\x09\xc8\xc9\xca")},
        /* a selection can be behind them, not alpha */
        {"packed numbers, another plane", INDEXED(768), 3, 2, 1, NO_PARTS,
         DATA("\0\2\0\2\xfe\7\xfe\1"), IS(3, "\7\x08\x09\7\x08\x09\7\x08\x09")},
        {"a transparent colour", INDEXED(768), 2, 1, 0, TRANSPARENT("\0\7"), DATA("\7\6"),
         IS(4, "\7\x08\x09\0\6\7\x08\377")},
        {"no transparent colour", INDEXED(768), 1, 1, 0, TRANSPARENT("\377\377"), DATA("\7"),
         IS(3, "\7\x08\x09")},
        {"more behind the palette", INDEXED(769), 1, 1, 0, NO_PARTS, DATA("\1"), IS(3, "\1\2\3")},
        {"less than a palette", INDEXED(767), 1, 1, 0, NO_PARTS, DATA("\1"), DAMAGED("no palette")},
        {"a PSB's packed rows", 2, 8, 1, 0, 3, 2, 1, DATA(SELECTION), DATA(""),
         DATA("\0\0\0\2\0\0\0\2\xfe\1\xfe\2"), IS(1, "\1\1\1")},
        {"a row of 4 GiB", 2, 8, 1, 0, 3, 1, 1, NO_PARTS, DATA("\377\377\377\377\xfe\1"),
         DAMAGED("truncated")},
        {"bits", 1, 1, 0, 0, UNREAD("a PSD of black and white (mode 0) and 1 bits")},
        {"CMYK", 1, 8, 4, 0, UNREAD("a PSD of CMYK")},
        {"mode 7", 1, 8, 7, 0, UNREAD("a PSD of several inks")},
        {"mode 8", 1, 8, 8, 0, UNREAD("a PSD of duotone")},
        {"mode 9", 1, 8, 9, 0, UNREAD("a PSD of Lab")},
        {"mode 5", 1, 8, 5, 0, UNREAD("a PSD of an unknown kind (mode 5)")},
        {"mode 999", 1, 8, 999, 0, UNREAD("a PSD of an unknown kind (mode 999)")},
        {"deep numbers", 1, 16, 2, 0, UNREAD("a PSD of indexed colours (mode 2) and 16 bits")},
        {"reals", 1, 32, 3, 0, UNREAD("a PSD of RGB (mode 3) and 32 bits")},
    };
    check_psds(ctx, cases, ROWS_OF(cases));
    static char much[1004] = "\0\0\3\xe8\0\5";
    memset(much + 6, 0x80, sizeof much - 6);
    maker m = make_psd(&(psd){"", 2, 8, 1, 0, 1, 1, 1, NO_PARTS, much, sizeof much, IS(1, "\5")});
    EXPECT(ctx, "much behind a row", &m, 1, "\5");
}

/* In 65536ths of pixels per inch, whatever unit dialogs show them in. */
TEST(psd_resolution)
{
#define RESOLUTION(across, down) OTHER "8BIM\3\xed\0\0\0\0\0\20" across "\0\2\0\2" down "\0\2\0\2"
#define ONE(resources)                                                                           \
    {                                                                                            \
        "a resolution", RGB, 1, 3, 0, DATA(resources), DATA(""), DATA("\1\2\3"), IS(3, "\1\2\3") \
    }
    static const psd cases[] = {
        ONE(OTHER),
        ONE(RESOLUTION("\1\x2c\0\0", "\0\x96\x80\0")),
        ONE(RESOLUTION("\0\0\0\0", "\1\x2c\0\0")),
        ONE("8BIM\3\xed\0\0\0\0\0\4\1\x2c\0\0"),
    };
    check_psds(ctx, cases, ROWS_OF(cases));
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        maker m = make_psd(&cases[i]);
        double x = i == 1 ? 300 / 0.0254 : 0, y = i == 1 ? 150.5 / 0.0254 : 0;
        expect_resolution(ctx, "a resolution", &m, x, y);
    }
}

/* --------------------------------------------------------------------- TGA */

/* The same as pixels. Returns the number of channels. */
static int wanted_colour(uint32_t i, int depth, unsigned char *to)
{
    uint32_t v = stored_colour(i, depth);
    for (int c = 0; c < 4; c++) {
        uint32_t five = c < 3 ? v >> (10 - 5 * c) & 31 : 31;
        to[c] = depth == 8   ? (unsigned char)v
                : depth < 24 ? (unsigned char)(five * 255 / 31)
                             : (unsigned char)(v >> (c < 3 ? 16 - 8 * c : 24));
    }
    return depth == 8 ? 1 : depth == 32 ? 4 : 3;
}

typedef struct tga_kind {
    int type, depth, entry; /* of a map; 0: none */
    uint32_t first, count;  /* of the map */
} tga_kind;

/* The pixels, as the descriptor says where the first one is; types from 8 on: two packets, the
 * second of them across rows. */
static maker make_tga(const tga_kind *k, unsigned descriptor, const char *id)
{
    maker m = {.n = 0};
    add_little(&m, (uint32_t)strlen(id), 1);
    add_little(&m, k->entry != 0, 1);
    add_little(&m, (uint32_t)k->type, 1);
    add_little(&m, k->first, 2);
    add_little(&m, k->count, 2);
    add_little(&m, (uint32_t)k->entry, 1);
    ADD(&m, "\1\0\2\0"); /* where on a screen, which is nothing to us */
    add_little(&m, WIDTH, 2);
    add_little(&m, HEIGHT, 2);
    add_little(&m, (uint32_t)k->depth, 1);
    add_little(&m, descriptor, 1);
    add(&m, id, strlen(id));
    for (uint32_t i = 0; i < k->count && k->entry; i++) {
        add_little(&m, stored_colour(i, k->entry), (k->entry + 7) / 8);
    }
    for (uint32_t i = 0; i < PIXELS; i++) {
        uint32_t y = descriptor & 0x20 ? i / WIDTH : HEIGHT - 1 - i / WIDTH;
        uint32_t x = descriptor & 0x10 ? WIDTH - 1 - i % WIDTH : i % WIDTH, at = y * WIDTH + x;
        uint32_t grey_alpha = 40 * at + 5;
        bool mapped = (k->type & 7) == 1, grey = (k->type & 7) == 3;
        if (k->type > 8 && i < 2) {
            add_little(&m, i == 0 ? 0x80 : PIXELS - 2, 1);
        }
        uint32_t v = mapped                   ? k->first + at
                     : grey && k->depth == 16 ? grey_alpha << 8 | stored_colour(at, 8)
                                              : stored_colour(at, k->depth);
        add_little(&m, v, (k->depth + 7) / 8);
    }
    return m;
}

static void check_tga(satf_context *ctx, const tga_kind *k, unsigned descriptor, const char *id)
{
    unsigned char want[4 * PIXELS + 4];
    size_t n = 0;
    int channels = 0;
    bool grey_alpha = (k->type & 7) == 3 && k->depth == 16;
    for (uint32_t i = 0; i < PIXELS; i++, n += (size_t)channels) {
        int depth = (k->type & 7) == 1 ? k->entry : grey_alpha ? 8 : k->depth;
        channels = wanted_colour(i, depth, want + n);
        if (grey_alpha) {
            want[n + 1] = (unsigned char)(40 * i + 5);
            channels = 2;
        }
    }
    char what[100];
    snprintf(what, sizeof what, "TGA of type %d, %d bits, map of %d bits from %d, descriptor %02x",
             k->type, k->depth, k->entry, (int)k->first, descriptor);
    maker m = make_tga(k, descriptor, id);
    expect_pixels(ctx, what, &m, channels, want, n);
    expect_damage(ctx, what, &m, *id ? 7 : 29);
}

TEST(tga_kinds)
{
    static const tga_kind kinds[] = {
        {2, 15, 0, 0, 0},      {2, 16, 0, 0, 0},   {2, 24, 0, 0, 0},  {2, 32, 0, 0, 0},
        {3, 8, 0, 0, 0},       {3, 16, 0, 0, 0},   {1, 8, 15, 0, 6},  {1, 8, 16, 0, 6},
        {1, 8, 24, 0, 6},      {1, 8, 32, 0, 6},   {1, 16, 24, 0, 6}, {1, 8, 24, 39, 72},
        {1, 8, 16, 200, 6},    {1, 8, 32, 250, 6}, {1, 16, 24, 9, 6}, {1, 16, 15, 300, 6},
        {1, 16, 24, 65529, 6}, {2, 24, 24, 0, 9},  {2, 32, 16, 3, 1}, {2, 24, 0, 0, 256},
        {3, 8, 0, 7, 0},
    };
    for (size_t i = 0; i < ROWS_OF(kinds); i++) {
        for (unsigned way = 0; way < 16; way++) {
            tga_kind k = kinds[i];
            k.type += way & 4 ? 8 : 0;
            check_tga(ctx, &k, (way & 3) << 4 | (k.depth == 32 ? 8 : 0), way & 8 ? "an id" : "");
        }
    }
    /* a size of entries, but no map */
    maker m = make_tga(&(tga_kind){2, 24, 0, 0, 0}, 0x20, "");
    m.data[7] = 24;
    EXPECT(ctx, "TGA with a map's size alone", &m, 3,
           "\3\2\1\15\14\13\27\26\25\41\40\37\53\52\51\65\64\63");
    m.data[7] = 25;
    expect_refusal(ctx, "no TGA", &m, SATF_DATA, "not known");
}

/* What no map has is black. */
TEST(tga_map_ends)
{
    maker m = make_tga(&(tga_kind){1, 8, 24, 1, 6}, 0x20, "");
    memcpy(m.data + m.n - PIXELS, "\0\1\2\6\7\377", PIXELS);
    EXPECT(ctx, "TGA with a short map", &m, 3, "\0\0\0\3\2\1\15\14\13\65\64\63\0\0\0\0\0\0");
    m = make_tga(&(tga_kind){1, 16, 24, 65530, 6}, 0x20, "");
    expect_refusal(ctx, "TGA with a map too long", &m, SATF_UNSUPPORTED, "beyond number 65534");
    m.n = 18 + 17;
    m.data[3] = m.data[4] = 0;
    expect_refusal(ctx, "TGA without all of its map", &m, SATF_DATA, "truncated");
}

/* A byte behind the colours is alpha if the descriptor says so, or if it differs from pixel to
 * pixel. */
TEST(tga_alpha)
{
    static const int alphas[] = {0, 255, 7}; /* of the last pixel: that, of all others the first */
    for (int grey = 0; grey < 2; grey++) {
        for (size_t i = 0; i < 9; i++) {
            for (unsigned bits = 0; bits <= 8; bits += 8) {
                size_t step = grey ? 2 : 4;
                maker m =
                    make_tga(&(tga_kind){grey ? 3 : 2, grey ? 16 : 32, 0, 0, 0}, 0x20 | bits, "");
                unsigned char want[4 * PIXELS];
                bool kept = bits || i % 4 || alphas[i / 3] == 7;
                size_t n = 0, colours = step - 1;
                for (size_t p = 0; p < PIXELS; p++) {
                    unsigned char *at = m.data + m.n - step * (PIXELS - p);
                    at[colours] = (unsigned char)alphas[p == PIXELS - 1 ? i % 3 : i / 3];
                    for (size_t c = 0; c < colours; c++) {
                        want[n++] = at[colours - 1 - c];
                    }
                    want[n] = at[colours];
                    n += kept;
                }
                expect_pixels(ctx, "TGA with a fourth byte", &m, (int)(colours + kept), want, n);
            }
        }
    }
}

/* --------------------------------------------------------------------- HDR */

/* Pixels as they are or packed; forms that are not read, by name. */
TEST(hdr_kinds)
{
#define PAIR "\x80\x40\x20\x81\x10\x20\x40\x80"
#define RED 1.0f, 0.5f, 0.25f
    static const float two[] = {RED, 0.0625f, 0.125f, 0.25f};
    static const float eight[] = {RED, RED, RED, RED, RED, RED, RED, RED};
    static const struct {
        const char *colours, *pixels, *sentence;
        satf_status status;
        const float *want;
        size_t want_bytes;
    } cases[] = {
        {"rgbe", "-Y 1 +X 2\n" PAIR, "", SATF_OK, two, sizeof two},
        {"rgbe", "-Y 1 +X 8\n\2\2", "", SATF_OK, eight, sizeof eight},
        {"xyze", "-Y 1 +X 2\n" PAIR, "XYZ colours", SATF_UNSUPPORTED, NULL, 0},
        {"rgbe", "+Y 1 +X 2\n" PAIR, "turned", SATF_UNSUPPORTED, NULL, 0},
        {"rgbe", "-Y 1 -X 2\n" PAIR, "mirrored", SATF_UNSUPPORTED, NULL, 0},
        {"rgbe", "+X 1 -Y 2\n" PAIR, "turned", SATF_UNSUPPORTED, NULL, 0},
        {"rgbe", "-Y 1 +X 8\n\x80\x40\x20\x81\1\1\1\7", "old kind of run lengths", SATF_UNSUPPORTED,
         NULL, 0},
        {"rgbe", "nonsense\n\x80\x40\x20\x81", "damaged", SATF_DATA, NULL, 0},
        {"rgbe", "\n", "damaged", SATF_DATA, NULL, 0},
    };
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        maker m = {.n = 0};
        ADD(&m, "#?RADIANCE\nFORMAT=32-bit_rle_");
        add(&m, cases[i].colours, 4);
        ADD(&m, "\n\n");
        add(&m, cases[i].pixels, strlen(cases[i].pixels));
        if (cases[i].want == eight) {
            ADD(&m, "\0\10\x88\x80\x88\x40\x88\x20\x88\x81");
        }
        if (cases[i].want) {
            expect_pixels(ctx, cases[i].pixels, &m, 3, cases[i].want, cases[i].want_bytes);
            expect_damage(ctx, cases[i].pixels, &m, 1);
        } else {
            expect_refusal(ctx, cases[i].pixels, &m, cases[i].status, cases[i].sentence);
        }
    }
}

/* -------------------------------------------------------- what is not read at all */

#define RAW "dcraw -T or darktable-cli makes a picture of it"
#define VIDEO "ffmpeg makes pictures of its frames"
#define JP2 "opj_decompress makes a picture of it"
#define JXL "djxl makes a picture of it"
#define BOX(bytes, text) "\0\0\0" bytes "ftyp" text
#define HEIF "heif-convert makes a picture of it"

TEST(named_formats)
{
    static const struct {
        const char *head;
        size_t n;
        const char *name;
        const char *advice; /* NULL: to convert it */
    } cases[] = {
        {DATA("II*\0\x10\0\0\0CR\2\0"), "camera's raw", RAW},
        {DATA("FOVb\2\0\3\0"), "camera's raw", RAW},
        {DATA("II\x1a\0\0\0HEAPCCDR"), "camera's raw", RAW},
        {DATA(BOX("\x18", "heic\0\0\0\0mif1heic")), "HEIC", HEIF},
        {DATA(BOX("\x18", "mif1\0\0\0\0mif1heic")), "HEIC", HEIF},
        {DATA(BOX("\x1c", "mif1\0\0\0\0mif1avifmiaf")), "AVIF", HEIF},
        {DATA(BOX("\x1c", "avif\0\0\0\0mif1miaf")), "AVIF", HEIF},
        {DATA(BOX("\x18", "crx \0\0\0\1crx isom")), "camera's raw", RAW},
        {DATA(BOX("\x18", "mp42\0\0\0\0mp42isom")), "video", VIDEO},
        {DATA(BOX("\x14", "qt  \0\0\0\0qt  ")), "video", VIDEO},
        {DATA("\0\0\0\x0cjP  \x0d\x0a\x87\x0a" BOX("\x14", "jp2 ")), "JPEG 2000", JP2},
        {DATA("\xff\x4f\xff\x51\0\x29"), "JPEG 2000", JP2},
        {DATA("\0\0\0\x0cJXL \x0d\x0a\x87\x0a" BOX("\x14", "jxl ")), "JPEG XL", JXL},
        {DATA("\xff\x0a\xfa\x1f"), "JPEG XL", JXL},
        {DATA("\x76\x2f\x31\1\2\0\0\0"), "OpenEXR", NULL},
        {DATA("%PDF-1.7\n"), "PDF", "pdftoppm -tiff -r 300 makes pictures of its pages"},
        {DATA("<!DOCTYPE html><html>"), "HTML", NULL},
        {DATA("\x1f\x8b\x08\0"), "gzip", "gunzip unpacks it"},
        {DATA("\0\0\1\0\2\0\x20\x20\0\0\1\0\x18\0\xa8\x0c\0\0\x26\0"), "Windows icon", NULL},
        {DATA("PK\3\4\x14\0"), "ZIP (of which .npz is a kind)", "unzip unpacks it"},
        {DATA("II*"), NULL, NULL},
        {DATA("RIFF"), NULL, NULL},
        {DATA("WEBPRIFF"), NULL, NULL},
        {DATA("hello"), NULL, NULL},
    };
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        unsigned char file[80] = {0};
        char wanted[192] = "the format is not known; convert the picture to PNG, for example";
        satf_image *image;
        memcpy(file, cases[i].head, cases[i].n);
        if (cases[i].name) {
            snprintf(wanted, sizeof wanted, "is a %s file, which cannot be read; %s", cases[i].name,
                     cases[i].advice ? cases[i].advice : "convert the picture to PNG, for example");
        }
        for (int longer = 0; longer < (cases[i].name ? 2 : 1); longer++) {
            satf_status status =
                satf_image_decode(ctx, file, longer ? sizeof file : cases[i].n, &image);
            if (status != (cases[i].name ? SATF_UNSUPPORTED : SATF_DATA) ||
                strcmp(satf_message(ctx), wanted) != 0) {
                fail_msg("case %zu: %s; %s was expected", i, satf_message(ctx), wanted);
            }
        }
    }
}

TEST_FILE(.formats = "all")
