/* Files of formats that are read only, made here byte by byte: their pixels, or why not. */
#include "test_io_files.h"

/* A file that grows. */
typedef struct maker {
    unsigned char data[4096];
    size_t n;
} maker;

static void add(maker *m, const void *from, size_t n)
{
    assert_true(m->n + n <= sizeof m->data);
    memcpy(m->data + m->n, from, n);
    m->n += n;
}

#define ADD(m, text) add(m, text, sizeof text - 1)

static void add_big(maker *m, uint32_t value, int n)
{
    for (int i = n - 1; i >= 0; i--) {
        unsigned char byte = (unsigned char)(value >> (8 * i));
        add(m, &byte, 1);
    }
}

static void expect_pixels(satf_context *ctx, const char *what, const maker *m, int channels,
                          const void *want, size_t n)
{
    satf_image *image;
    ctx->message[0] = 0;
    if (satf_image_decode(ctx, m->data, m->n, &image)) {
        fail_msg("%s: %s", what, satf_message(ctx));
    }
    const satf_view *v = &image->view;
    size_t all = (size_t)(v->stride * v->height);
    if (v->channels != channels || all != n || (v->flags == SATF_ALPHA) != (channels % 2 == 0)) {
        fail_msg("%s: %d x %d x %d", what, (int)v->width, (int)v->height, v->channels);
    }
    for (size_t i = 0; i < n; i++) {
        int is = ((const unsigned char *)v->data)[i], should = ((const unsigned char *)want)[i];
        if (is != should) {
            fail_msg("%s: byte %zu is %d, not %d", what, i, is, should);
        }
    }
    satf_image_destroy(image);
}

#define EXPECT(ctx, what, m, channels, text) \
    expect_pixels(ctx, what, m, channels, text, sizeof text - 1)

static void expect_refusal(satf_context *ctx, const char *what, const maker *m, satf_status status,
                           const char *sentence)
{
    satf_image *image;
    satf_status got = satf_image_decode(ctx, m->data, m->n, &image);
    if (got != status || !strstr(satf_message(ctx), sentence)) {
        fail_msg("%s: %s \"%s\"", what, satf_status_name(got), satf_message(ctx));
    }
}

/* --------------------------------------------------------------------- PSD */

typedef struct psd_parts {
    const char *resources;
    size_t resources_bytes;
    const char *layers;
    size_t layers_bytes;
} psd_parts;

/* A PSD of 8 bits up to its pixels. */
static maker make_psd(unsigned width, unsigned planes, unsigned compression, const psd_parts *parts)
{
    maker m = {.n = 0};
    ADD(&m, "8BPS\0\1\0\0\0\0\0\0");
    add_big(&m, planes, 2);
    ADD(&m, "\0\0\0\1"); /* a row */
    add_big(&m, width, 4);
    ADD(&m, "\0\x08\0\3\0\0\0\0");
    add_big(&m, (uint32_t)parts->resources_bytes, 4);
    add(&m, parts->resources, parts->resources_bytes);
    add_big(&m, (uint32_t)parts->layers_bytes, 4);
    add(&m, parts->layers, parts->layers_bytes);
    add_big(&m, compression, 2);
    return m;
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
static void psd_alpha(void **state)
{
#define PART(text) text, sizeof text - 1
    satf_context *ctx = *state;
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

/* Layers alone: what stands for the picture is blank. */
static void psd_unmerged(void **state)
{
    satf_context *ctx = *state;
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
static void psd_packed_rows(void **state)
{
    satf_context *ctx = *state;
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_context, free_context)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(psd_alpha), TEST(psd_unmerged), TEST(psd_packed_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
