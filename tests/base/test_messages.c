/*
 * Texts that leave the library quote what comes from outside in one line of UTF-8 that no terminal
 * obeys. An independent reader of UTF-8 says what that is.
 */
#include "test.h"

#include "io/io.h"
#include "pipeline/job.h"

/* The character at *text, which moves on; -1: no UTF-8. */
static long next_character(const char **text)
{
    static const struct {
        unsigned char mask, lead;
        int more;
        long least;
    } kinds[] = {
        {0x80, 0, 0, 0}, {0xe0, 0xc0, 1, 0x80}, {0xf0, 0xe0, 2, 0x800}, {0xf8, 0xf0, 3, 0x10000}};
    const unsigned char *at = (const unsigned char *)*text;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if ((at[0] & kinds[k].mask) == kinds[k].lead) {
            long c = at[0] & ~kinds[k].mask;
            for (int i = 1; i <= kinds[k].more; i++) {
                if ((at[i] & 0xc0) != 0x80) {
                    return -1;
                }
                c = c << 6 | (at[i] & 0x3f);
            }
            *text += 1 + kinds[k].more;
            return c < kinds[k].least || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) ? -1 : c;
        }
    }
    return -1;
}

static bool may_be_shown(long c)
{
    static const long not [] = {0x61c,  0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b,
                                0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069};
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++) {
        if (c == not [i]) {
            return false;
        }
    }
    return c >= 0x20 && (c < 0x7f || c > 0x9f);
}

static void assert_clean(const char *text, const char *of)
{
    for (const char *at = text; *at;) {
        if (!may_be_shown(next_character(&at))) {
            fail_msg("%s: \"%s\" has what is not to be shown, at byte %ld", of, text,
                     (long)(at - text));
        }
    }
}

static const struct {
    const char *text, *escaped;
} cases[] = {
    {"", ""},
    {"box=3", "box=3"},
    {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
    {"\n \r\t", "\\n \\r\\t"},
    {"\x01\x1b[31m\x7f", "\\x01\\x1b[31m\\x7f"},
    {"a\\b\\n", "a\\b\\n"},
    {"\xc2\x80\xc2\x85\xc2\x9f\xc2\xa0", "\\u0080\\u0085\\u009f\xc2\xa0"},
    {"\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f", "\\u061c\\u200e\\u200f"},
    {"\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa\xe2\x80\xae\xe2\x80\xaf",
     "\xe2\x80\xa7\\u2028\\u2029\\u202a\\u202e\xe2\x80\xaf"},
    {"\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa", "\xe2\x81\xa5\\u2066\\u2069\xe2\x81\xaa"},
    {"\xff\x80\xc0\xaf", "\\xff\\x80\\xc0\\xaf"}, /* overlong */
    {"\xed\xa0\x80\xf4\x90\x80\x80", "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80"},
    {"\xe2\x82", "\\xe2\\x82"}, /* cut */
    {"\xe2\x82(", "\\xe2\\x82("}};

TEST(test_escape)
{
    char to[128], again[128];
    assert_int_equal(satf_text_escape(NULL, to, sizeof to), 0);
    assert_string_equal(to, "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = strlen(cases[i].escaped);
        assert_int_equal(satf_text_escape(cases[i].text, to, sizeof to), n);
        assert_string_equal(to, cases[i].escaped);
        assert_clean(to, cases[i].text);
        satf_text_escape(to, again, sizeof again);
        assert_string_equal(again, to);
        assert_int_equal(satf_text_escape(cases[i].text, NULL, 0), n);
    }
}

/* The ends of whole characters and escapes of it, which is escaped. */
static bool ends_well(const char *escaped, size_t n)
{
    size_t at = 0;
    while (at < n) {
        const char *next = escaped + at;
        at = escaped[at] == '\\' && strchr("nrt", escaped[at + 1]) ? at + 2
             : escaped[at] == '\\' && escaped[at + 1] == 'x'       ? at + 4
             : escaped[at] == '\\'                                 ? at + 6
                                   : (next_character(&next), (size_t)(next - escaped));
    }
    return at == n;
}

/* What does not fit is cut behind a character or an escape, and no earlier than need be. */
TEST(test_cuts)
{
    static const char text[] = "a\xe2\x82\xac\n\xe2\x80\xae\xf0\x9f\x98\x80\x1b\xff\xc3\xa9z";
    char all[64], to[64];
    size_t n = satf_text_escape(text, all, sizeof all);
    for (size_t room = 1; room <= n + 1; room++) {
        memset(to, '#', sizeof to);
        assert_int_equal(satf_text_escape(text, to, room), n);
        size_t got = strlen(to);
        assert_true(got < room && to[room] == '#');
        assert_memory_equal(to, all, got);
        assert_true(ends_well(all, got));
        for (size_t more = got + 1; more < room; more++) {
            assert_false(ends_well(all, more));
        }
    }
}

/* ------------------------------------------------------------------- what is quoted */

static const char *const nasty[] = {"\n ",
                                    "a\nb",
                                    "\x1b[2J",
                                    "\xe2\x80\xae"
                                    "gnp.exe",
                                    "\xe2\x81\xa6x",
                                    "\xe2\x80\xa8",
                                    "\xc2\x9b"
                                    "1m",
                                    "no \xff utf-8 \xe2\x82",
                                    "\x7f"};

/* The latest call has failed and quotes what it was given: escaped. */
static void assert_told(satf_context *ctx, satf_status status, const char *of)
{
    if (status == SATF_OK || !*satf_message(ctx)) {
        fail_msg("%s: status %d, message \"%s\"", of, (int)status, satf_message(ctx));
    }
    assert_clean(satf_message(ctx), of);
}

static long refused;

static void parse(satf_context *ctx, const char *format, const char *a, const char *b,
                  const char *text)
{
    char spec[512];
    SCOPED_FILTER *filter = NULL;
    snprintf(spec, sizeof spec, format, a, b, text);
    satf_status status = satf_filter_parse(ctx, spec, &filter);
    if (status) {
        assert_told(ctx, status, spec);
        refused++;
    }
}

/* Specs, in each place of each filter. */
TEST(test_specs)
{
    satf_filter *filter;
    satf_filter_info info;
    satf_param_info p;
    for (size_t k = 0; k < sizeof nasty / sizeof *nasty; k++) {
        assert_told(ctx, satf_filter_parse(ctx, nasty[k], &filter), nasty[k]);
        for (size_t i = 0; satf_filter_name(i, &info, sizeof info); i++) {
            parse(ctx, "%s=%s%s", info.name, "", nasty[k]);
            parse(ctx, "%s=3,%s%s", info.name, "", nasty[k]);
            for (size_t j = 0; satf_filter_param(info.name, j, &p, sizeof p); j++) {
                parse(ctx, "%s=3,%s=%s", info.name, p.name, nasty[k]);
            }
        }
    }
    assert_true(refused > 1000);
}

TEST(test_names)
{
    SCOPED_IMAGE *image;
    satf_write_options options = satf_write_defaults();
    assert_int_equal(satf_image_create(ctx, 1, 1, 1, SATF_U8, 0, &image), SATF_OK);
    for (size_t k = 0; k < sizeof nasty / sizeof *nasty; k++) {
        char path[256];
        satf_image *read;
        const char *text = nasty[k];
        snprintf(path, sizeof path, "/nowhere/%s/x.png", text);
        assert_told(ctx, satf_image_write(ctx, image, path, NULL), path);
        assert_told(ctx, satf_image_read(ctx, path, &read), path);
        assert_told(ctx, satf_module_load(ctx, text), text);
        assert_told(ctx, satf_context_set_algorithm(ctx, text), text);
        assert_told(ctx, satf_context_set_sync(ctx, text), text);
        assert_told(ctx, satf_context_set_formats(ctx, text), text);
        options.format = text;
        assert_told(ctx, satf_image_write(ctx, image, "x", &options), text);
        options.format = "tiff";
        options.compression = text;
        assert_told(ctx, satf_image_write(ctx, image, "x", &options), text);
        options.format = options.compression = NULL;
    }
}

/* Names whose ends are cut: wherever that is, no character is cut in two. */
TEST(test_long_names)
{
    static char text[3000];
    satf_filter *filter;
    for (size_t k = 0; k < 16; k++) {
        for (size_t wide = 0; wide < 2; wide++) {
            size_t n = k;
            memset(text, 'a', n);
            for (; n + 4 < sizeof text; n += wide ? 3 : 2) {
                memcpy(text + n, wide ? "\xe2\x82\xac" : "\xc3\xa9", wide ? 3 : 2);
            }
            text[n] = '\0';
            assert_told(ctx, satf_filter_parse(ctx, text, &filter), "a long name");
            assert_told(ctx, satf_module_load(ctx, text), "a long name");
            assert_null(strstr(satf_message(ctx), "\\x"));
            text[2000] = '\0';
            char spec[3100];
            snprintf(spec, sizeof spec, "template=%s", text);
            assert_told(ctx, satf_filter_parse(ctx, spec, &filter), "a long name");
            assert_null(strstr(satf_message(ctx), "\\x"));
        }
    }
}

TEST(test_notes)
{
    satf_file_report report = {0};
    for (size_t k = 0; k < sizeof nasty / sizeof *nasty && k < SATF_FILE_NOTES; k++) {
        pipeline_note_add(&report, "x", "page %d: %s", (int)k, nasty[k]);
        assert_clean(report.notes[k].text, "a note");
        assert_non_null(strchr(report.notes[k].text, '\\'));
    }
}

/* What is no message, and has a path in it that the environment names: of a file that is no part of
 * satfilter. */
TEST(test_missing)
{
    char folder[] = "/tmp/no\n\x1b\xff.XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/libsatfilter-webp.so.0", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("text", file);
    fclose(file);
    setenv("SATFILTER_FORMATS", folder, 1);
    const char *missing = satf_format_missing("webp");
    remove(path);
    remove(folder);
    assert_non_null(missing);
    assert_clean(missing, "a format that is missing");
    assert_non_null(strstr(missing, "no\\n\\x1b\\xff"));
}
