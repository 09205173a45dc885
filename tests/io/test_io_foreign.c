/* Files of formats that are read only: their pixels, or why not. BMP is in test_io_bmp.c. */
#include "test.h"
#include "test_io_foreign.h"

/* --------------------------------------------------------------------- PSD */

typedef struct psd_parts {
    const char *resources;
    size_t resources_bytes;
    const char *layers;
    size_t layers_bytes;
} psd_parts;

typedef struct psd_kind {
    unsigned version, depth, mode; /* version 2 is a PSB */
    const unsigned char *palette;
    size_t palette_bytes;
} psd_kind;

/* A PSD of a row, up to its pixels. */
static maker make_psd_kind(const psd_kind *k, unsigned width, unsigned planes, unsigned compression,
                           const psd_parts *parts)
{
    maker m = {.n = 0};
    ADD(&m, "8BPS");
    add_big(&m, k->version, 2);
    ADD(&m, "\0\0\0\0\0\0");
    add_big(&m, planes, 2);
    ADD(&m, "\0\0\0\1");
    add_big(&m, width, 4);
    add_big(&m, k->depth, 2);
    add_big(&m, k->mode, 2);
    add_big(&m, (uint32_t)k->palette_bytes, 4);
    add(&m, k->palette, k->palette_bytes);
    add_big(&m, (uint32_t)parts->resources_bytes, 4);
    add(&m, parts->resources, parts->resources_bytes);
    if (k->version == 2) {
        add_big(&m, 0, 4);
    }
    add_big(&m, (uint32_t)parts->layers_bytes, 4);
    add(&m, parts->layers, parts->layers_bytes);
    add_big(&m, compression, 2);
    return m;
}

/* RGB of 8 bits. */
static maker make_psd(unsigned width, unsigned planes, unsigned compression, const psd_parts *parts)
{
    return make_psd_kind(&(psd_kind){1, 8, 3, NULL, 0}, width, planes, compression, parts);
}

#define NAMES(text) "8BIM\3\xee\0\0\0\0\0" text
#define SELECTION_NAME NAMES("\4\3Red")
#define TRANSPARENCY_NAME NAMES("\x0d\x0cTransparency\0")
#define TRANSPARENCY_AND_MORE NAMES("\x11\x0cTransparency\3Red\0")
#define IDENTIFIERS(last) "8BIM\4\x1d\0\0\0\0\0\4\0\0\0" last
/* a name of its own, of odd and even length, and data of odd length */
#define OTHER                  \
    "8BIM\4\1\3abc\0\0\0\1x\0" \
    "8BIM\4\1\4abcd\0\0\0\0\3xyz\0"
#define LAYERS(count) "\0\0\0\4" count "xx\0\0\0\0"
#define BLOCK_LAYERS(key, count) \
    "\0\0\0\0\0\0\0\0"           \
    "8BIMabcd\0\0\0\1x\0\0\0"    \
    "8BIM" key "\0\0\0\4" count "xx"

/* Whether the fourth plane is transparency or a selection that somebody saved. */
TEST(psd_alpha)
{
#define PART(text) text, sizeof text - 1
    static const struct {
        const char *what;
        psd_parts parts;
        bool alpha;
    } cases[] = {
        {"a file that says nothing", {PART(""), PART("")}, true},
        {"other resources", {PART(OTHER), PART("")}, true},
        {"a name", {PART(OTHER SELECTION_NAME), PART("")}, false},
        {"a name, other resources", {PART(SELECTION_NAME OTHER), PART("")}, false},
        {"the name Transparency", {PART(TRANSPARENCY_NAME OTHER), PART("")}, true},
        {"that and another name", {PART(TRANSPARENCY_AND_MORE), PART("")}, true},
        {"an identifier", {PART(IDENTIFIERS("\4")), PART("")}, false},
        {"identifier 0", {PART(IDENTIFIERS("\0")), PART("")}, true},
        {"identifier 0, a name", {PART(IDENTIFIERS("\0") SELECTION_NAME), PART("")}, true},
        {"an identifier, the name", {PART(TRANSPARENCY_NAME IDENTIFIERS("\4")), PART("")}, false},
        {"layers", {PART(""), PART(LAYERS("\0\1"))}, false},
        {"layers and transparency", {PART(""), PART(LAYERS("\xff\xff"))}, true},
        {"that and a name", {PART(SELECTION_NAME), PART(LAYERS("\xff\xfe"))}, true},
        {"layers, identifier 0", {PART(IDENTIFIERS("\0")), PART(LAYERS("\0\2"))}, false},
        {"no layers, a name", {PART(SELECTION_NAME), PART(LAYERS("\0\0"))}, false},
        {"layers in a block", {PART(""), PART(BLOCK_LAYERS("Lr16", "\0\1"))}, false},
        {"the same with transparency",
         {PART(SELECTION_NAME), PART(BLOCK_LAYERS("Lr16", "\xff\xff"))},
         true},
        {"layers of 8 bits in a block", {PART(""), PART(BLOCK_LAYERS("Layr", "\0\1"))}, false},
        {"saved transparency", {PART(SELECTION_NAME), PART(BLOCK_LAYERS("Mtrn", "\0\0"))}, true},
        {"the same of 16 bits", {PART(SELECTION_NAME), PART(BLOCK_LAYERS("Mt16", "\0\1"))}, true},
        {"a section of nonsense", {PART("8BIM\3\xee\xff"), PART("\xff\xff\xff\xff\1")}, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        maker m = make_psd(2, 4, 0, &cases[i].parts);
        ADD(&m, "\12\24\36\50\62\74\377\0");
        if (cases[i].alpha) {
            EXPECT(ctx, cases[i].what, &m, 4, "\12\36\62\377\24\50\74\0");
        } else {
            EXPECT(ctx, cases[i].what, &m, 3, "\12\36\62\24\50\74");
        }
    }
}

/* Grey of either depth, and what is behind it. */
TEST(psd_grey)
{
    const psd_parts none = {PART(""), PART("")}, selection = {PART(SELECTION_NAME), PART("")};
    const psd_kind grey = {1, 8, 1, NULL, 0}, deep = {1, 16, 1, NULL, 0};
    maker m = make_psd_kind(&grey, 3, 1, 0, &none);
    ADD(&m, "\1\2\376");
    EXPECT(ctx, "grey", &m, 1, "\1\2\376");
    m = make_psd_kind(&grey, 3, 1, 1, &none);
    ADD(&m, "\0\2\xfe\7");
    EXPECT(ctx, "packed grey", &m, 1, "\7\7\7");
    m = make_psd_kind(&grey, 2, 2, 0, &none);
    ADD(&m, "\12\24\377\0");
    EXPECT(ctx, "grey and alpha", &m, 2, "\12\377\24\0");
    m = make_psd_kind(&grey, 2, 2, 0, &none);
    ADD(&m, "\310\310\200\377"); /* half of white is in the first: 255 - 55 * 255 / 128 */
    EXPECT(ctx, "grey blended with white", &m, 2, "\x91\200\310\377");
    m = make_psd_kind(&grey, 2, 2, 1, &selection);
    ADD(&m, "\0\2\0\2\xff\5\xff\6");
    EXPECT(ctx, "grey and a saved selection", &m, 1, "\5\5");
    m = make_psd_kind(&deep, 2, 1, 0, &none);
    const uint16_t want[] = {0x0102, 0xfffe};
    ADD(&m, "\1\2\377\376");
    expect_pixels(ctx, "grey of 16 bits", &m, 1, want, sizeof want);
    m = make_psd_kind(&grey, 2, 0, 0, &none);
    expect_refusal(ctx, "no channel", &m, SATF_DATA, "greyscale in 0 channels");
}

/* Numbers of colours: reds, greens and blues lie apart. */
TEST(psd_indexed)
{
    unsigned char palette[769];
    for (unsigned i = 0; i < sizeof palette; i++) {
        palette[i] = (unsigned char)(i + i / 256); /* colour i is (i, i + 1, i + 2) */
    }
    psd_kind indexed = {1, 8, 2, palette, 768};
    const psd_parts none = {PART(""), PART("")};
#define TRANSPARENT(index) OTHER "8BIM\4\x17\0\0\0\0\0\2" index
    maker m = make_psd_kind(&indexed, 3, 1, 0, &none);
    ADD(&m, "\0\7\xc8");
    EXPECT(ctx, "indexed colours", &m, 3, "\0\1\2\7\x08\x09\xc8\xc9\xca");
    m = make_psd_kind(&indexed, 3, 2, 1, &none); /* a selection can be behind them, not alpha */
    ADD(&m, "\0\2\0\2\xfe\7\xfe\1");
    EXPECT(ctx, "packed numbers, another plane", &m, 3, "\7\x08\x09\7\x08\x09\7\x08\x09");
    m = make_psd_kind(&indexed, 2, 1, 0, &(psd_parts){PART(TRANSPARENT("\0\7")), PART("")});
    ADD(&m, "\7\6");
    EXPECT(ctx, "a transparent colour", &m, 4, "\7\x08\x09\0\6\7\x08\377");
    m = make_psd_kind(&indexed, 1, 1, 0, &(psd_parts){PART(TRANSPARENT("\377\377")), PART("")});
    ADD(&m, "\7");
    EXPECT(ctx, "no transparent colour", &m, 3, "\7\x08\x09");
    indexed.palette_bytes = 769;
    m = make_psd_kind(&indexed, 1, 1, 0, &none);
    ADD(&m, "\1");
    EXPECT(ctx, "more behind the palette", &m, 3, "\1\2\3");
    indexed.palette_bytes = 767;
    m = make_psd_kind(&indexed, 1, 1, 0, &none);
    ADD(&m, "\1");
    expect_refusal(ctx, "less than a palette", &m, SATF_DATA, "no palette");
}

/* What is not read has a name. */
TEST(psd_refusals)
{
    static const struct {
        psd_kind kind;
        const char *sentence;
    } cases[] = {
        {{1, 1, 0, NULL, 0}, "a PSD of black and white (mode 0) and 1 bits"},
        {{1, 8, 4, NULL, 0}, "a PSD of CMYK"},
        {{1, 8, 7, NULL, 0}, "a PSD of several inks"},
        {{1, 8, 8, NULL, 0}, "a PSD of duotone"},
        {{1, 8, 9, NULL, 0}, "a PSD of Lab"},
        {{1, 8, 5, NULL, 0}, "a PSD of an unknown kind (mode 5)"},
        {{1, 8, 999, NULL, 0}, "a PSD of an unknown kind (mode 999)"},
        {{1, 16, 2, NULL, 0}, "a PSD of indexed colours (mode 2) and 16 bits"},
        {{1, 32, 3, NULL, 0}, "a PSD of RGB (mode 3) and 32 bits"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        maker m = make_psd_kind(&cases[i].kind, 1, 4, 0, &(psd_parts){PART(""), PART("")});
        expect_refusal(ctx, cases[i].sentence, &m, SATF_UNSUPPORTED, cases[i].sentence);
    }
}

/* A PSB: longer lengths of the section of layers, of some of its blocks and of packed rows. */
TEST(psb)
{
    const psd_kind rgb = {2, 8, 3, NULL, 0}, grey = {2, 8, 1, NULL, 0};
    const psd_parts none = {PART(""), PART("")};
#define LONG(n) "\0\0\0\0\0\0\0" n
    static const struct {
        const char *what;
        psd_parts parts;
        bool alpha;
    } cases[] = {
        {"a PSB that says nothing", {PART(""), PART("")}, true},
        {"a name", {PART(OTHER SELECTION_NAME), PART("")}, false},
        {"layers", {PART(""), PART(LONG("\4") "\0\1xx\0\0\0\0")}, false},
        {"layers and transparency",
         {PART(SELECTION_NAME), PART(LONG("\4") "\xff\xffxx\0\0\0\0")},
         true},
        {"blocks of either length",
         {PART(""), PART(LONG("\0") "\0\0\0\0"
                                    "8BIMabcd\0\0\0\1x\0\0\0"
                                    "8B64LMsk" LONG("\1") "x\0\0\0"
                                                          "8BIMLayr" LONG("\4") "\0\1xx")},
         false},
        {"a length of nonsense",
         {PART(""), PART(LONG("\0") "\0\0\0\0"
                                    "8BIMLayr\377\377\377\377\377\377\377\377\0\1xx")},
         true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        maker m = make_psd_kind(&rgb, 2, 4, 0, &cases[i].parts);
        ADD(&m, "\12\24\36\50\62\74\377\0");
        if (cases[i].alpha) {
            EXPECT(ctx, cases[i].what, &m, 4, "\12\36\62\377\24\50\74\0");
        } else {
            EXPECT(ctx, cases[i].what, &m, 3, "\12\36\62\24\50\74");
        }
    }
    maker m = make_psd_kind(&grey, 3, 2, 1, &(psd_parts){PART(SELECTION_NAME), PART("")});
    ADD(&m, "\0\0\0\2\0\0\0\2\xfe\1\xfe\2");
    EXPECT(ctx, "packed rows", &m, 1, "\1\1\1");
    m = make_psd_kind(&grey, 3, 1, 1, &none);
    ADD(&m, "\377\377\377\377\xfe\1");
    expect_refusal(ctx, "a row of 4 GiB", &m, SATF_DATA, "truncated");
    m = make_psd_kind(&grey, 1, 1, 1, &none);
    add_big(&m, 1000, 4);
    ADD(&m, "\0\5");
    while (m.n < 48 + 1000) {
        ADD(&m, "\x80");
    }
    EXPECT(ctx, "much behind a row", &m, 1, "\5");
}

/* In 65536ths of pixels per inch, whatever unit dialogs show them in. */
TEST(psd_resolution)
{
#define RESOLUTION(across, down) OTHER "8BIM\3\xed\0\0\0\0\0\20" across "\0\2\0\2" down "\0\2\0\2"
    static const struct {
        psd_parts parts;
        double x, y; /* per inch */
    } cases[] = {
        {{PART(OTHER), PART("")}, 0, 0},
        {{PART(RESOLUTION("\1\x2c\0\0", "\0\x96\x80\0")), PART("")}, 300, 150.5},
        {{PART(RESOLUTION("\0\0\0\0", "\1\x2c\0\0")), PART("")}, 0, 0},
        {{PART("8BIM\3\xed\0\0\0\0\0\4\1\x2c\0\0"), PART("")}, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        maker m = make_psd(1, 3, 0, &cases[i].parts);
        ADD(&m, "\1\2\3");
        EXPECT(ctx, "a resolution", &m, 3, "\1\2\3");
        expect_resolution(ctx, "a resolution", &m, cases[i].x / 0.0254, cases[i].y / 0.0254);
    }
}

/* Layers alone: what stands for the picture is blank. */
TEST(psd_unmerged)
{
    for (int merged = 0; merged < 2; merged++) {
        static char version[] = OTHER "8BIM\4\x21\0\0\0\0\0\6\0\0\0\1?\0";
        version[sizeof version - 3] = (char)merged;
        maker m = make_psd(1, 3, 0, &(psd_parts){PART(version), PART("")});
        ADD(&m, "\1\2\3");
        if (merged) {
            EXPECT(ctx, "a merged picture", &m, 3, "\1\2\3");
        } else {
            expect_refusal(ctx, "layers alone", &m, SATF_UNSUPPORTED, "a PSD of layers without");
        }
    }
}

/* Every packed row is by itself: what goes beyond it is not the next one's. */
TEST(psd_packed_rows)
{
    const psd_parts none = {"", 0, "", 0};
    maker m = make_psd(3, 3, 1, &none);
    ADD(&m, "\0\2\0\6\0\7\xc1\1"
            "\4\2\3\4\5\6"
            "\x80\0\7\xf0\x08\x80\x80");
    EXPECT(ctx, "runs and literals too long", &m, 3, "\1\2\7\1\3\x08\1\4\x08");
    m = make_psd(3, 4, 1, &(psd_parts){PART(SELECTION_NAME), PART("")});
    ADD(&m, "\0\2\0\2\0\2\0\2\xfe\1\xfe\2\xfe\3\xfe\4");
    EXPECT(ctx, "a plane that is not read", &m, 3, "\1\2\3\1\2\3\1\2\3");
    m = make_psd(3, 3, 1, &none);
    ADD(&m, "\0\2\0\2\0\2\xff\1\xfe\2\xfe\3");
    expect_refusal(ctx, "a run too short", &m, SATF_DATA, "a packed row is too short");
    m = make_psd(3, 3, 1, &none);
    ADD(&m, "\0\2\0\2\0\2\1\1\xfe\2\xfe\3");
    expect_refusal(ctx, "half a literal", &m, SATF_DATA, "a packed row is too short");
    m = make_psd(3, 3, 1, &none);
    ADD(&m, "\0\2\0\2\0\2\xfe\1\xfe\2\xfe");
    expect_refusal(ctx, "a cut file", &m, SATF_DATA, "truncated");
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
}

TEST(tga_kinds)
{
    static const tga_kind kinds[] = {
        {2, 15, 0, 0, 0},   {2, 16, 0, 0, 0},   {2, 24, 0, 0, 0},   {2, 32, 0, 0, 0},
        {3, 8, 0, 0, 0},    {3, 16, 0, 0, 0},   {1, 8, 15, 0, 6},   {1, 8, 16, 0, 6},
        {1, 8, 24, 0, 6},   {1, 8, 32, 0, 6},   {1, 16, 24, 0, 6},  {1, 8, 24, 39, 72},
        {1, 8, 16, 200, 6}, {1, 8, 32, 250, 6}, {1, 16, 24, 9, 6},  {1, 16, 15, 300, 6},
        {2, 24, 24, 0, 9},  {2, 32, 16, 3, 1},  {2, 24, 0, 0, 256}, {3, 8, 0, 7, 0},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
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

/* Forms of Radiance's that are not read, by name. */
TEST(hdr_refusals)
{
    static const struct {
        const char *header, *sentence;
        satf_status status;
    } cases[] = {
        {"FORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n\x80\x40\x20\x81\x10\x20\x40\x80", "", SATF_OK},
        {"FORMAT=32-bit_rle_xyze\n\n-Y 1 +X 2\n\x80\x40\x20\x81\x10\x20\x40\x80", "XYZ colours",
         SATF_UNSUPPORTED},
        {"FORMAT=32-bit_rle_rgbe\n\n+Y 1 +X 2\n\x80\x40\x20\x81\x10\x20\x40\x80", "turned",
         SATF_UNSUPPORTED},
        {"FORMAT=32-bit_rle_rgbe\n\n-Y 1 -X 2\n\x80\x40\x20\x81\x10\x20\x40\x80", "mirrored",
         SATF_UNSUPPORTED},
        {"FORMAT=32-bit_rle_rgbe\n\n+X 1 -Y 2\n\x80\x40\x20\x81\x10\x20\x40\x80", "turned",
         SATF_UNSUPPORTED},
        {"FORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 8\n\x80\x40\x20\x81\1\1\1\7", "old kind of run lengths",
         SATF_UNSUPPORTED},
        {"FORMAT=32-bit_rle_rgbe\n\nnonsense\n\x80\x40\x20\x81", "damaged", SATF_DATA},
        {"FORMAT=32-bit_rle_rgbe\n\n\n", "damaged", SATF_DATA},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        maker m = {.n = 0};
        ADD(&m, "#?RADIANCE\n");
        add(&m, cases[i].header, strlen(cases[i].header));
        if (!cases[i].status) {
            satf_image_destroy(must_decode(ctx, m.data, m.n));
        } else {
            expect_refusal(ctx, cases[i].header, &m, cases[i].status, cases[i].sentence);
        }
    }
}

/* -------------------------------------------------------- what is not read at all */

#define RAW "dcraw -T or darktable-cli makes a picture of it"
#define HEIF "heif-convert makes a picture of it"

TEST(named_formats)
{
    static const struct {
        const char *head;
        size_t n;
        const char *name;
        const char *advice; /* NULL: to convert it */
    } cases[] = {
        {PART("II*\0\x10\0\0\0CR\2\0"), "camera's raw", RAW},
        {PART("FOVb\2\0\3\0"), "camera's raw", RAW},
        {PART("II\x1a\0\0\0HEAPCCDR"), "camera's raw", RAW},
        {PART("\0\0\0\x18"
              "ftypheic\0\0\0\0mif1heic"),
         "HEIC", HEIF},
        {PART("\0\0\0\x18"
              "ftypmif1\0\0\0\0mif1heic"),
         "HEIC", HEIF},
        {PART("\0\0\0\x1c"
              "ftypmif1\0\0\0\0mif1avifmiaf"),
         "AVIF", HEIF},
        {PART("\0\0\0\x1c"
              "ftypavif\0\0\0\0mif1miaf"),
         "AVIF", HEIF},
        {PART("\0\0\0\x18"
              "ftypcrx \0\0\0\1crx isom"),
         "camera's raw", RAW},
        {PART("\0\0\0\x18"
              "ftypmp42\0\0\0\0mp42isom"),
         "video", "ffmpeg makes pictures of its frames"},
        {PART("\0\0\0\x14"
              "ftypqt  \0\0\0\0qt  "),
         "video", "ffmpeg makes pictures of its frames"},
        {PART("\0\0\0\x0cjP  \x0d\x0a\x87\x0a\0\0\0\x14"
              "ftypjp2 "),
         "JPEG 2000", "opj_decompress makes a picture of it"},
        {PART("\xff\x4f\xff\x51\0\x29"), "JPEG 2000", "opj_decompress makes a picture of it"},
        {PART("\0\0\0\x0cJXL \x0d\x0a\x87\x0a\0\0\0\x14"
              "ftypjxl "),
         "JPEG XL", "djxl makes a picture of it"},
        {PART("\xff\x0a\xfa\x1f"), "JPEG XL", "djxl makes a picture of it"},
        {PART("\x76\x2f\x31\1\2\0\0\0"), "OpenEXR", NULL},
        {PART("%PDF-1.7\n"), "PDF", "pdftoppm -tiff -r 300 makes pictures of its pages"},
        {PART("<!DOCTYPE html><html>"), "HTML", NULL},
        {PART("\x1f\x8b\x08\0"), "gzip", "gunzip unpacks it"},
        {PART("\0\0\1\0\2\0\x20\x20\0\0\1\0\x18\0\xa8\x0c\0\0\x26\0"), "Windows icon", NULL},
        {PART("PK\3\4\x14\0"), "ZIP (of which .npz is a kind)", "unzip unpacks it"},
        {PART("II*"), NULL, NULL},
        {PART("RIFF"), NULL, NULL},
        {PART("WEBPRIFF"), NULL, NULL},
        {PART("hello"), NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
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
