/* Words of other programs: what they lead to is there, and what is there needs no such word. */
#include "test.h"

#include "tools/satfilter/options/options.h"
#include "tools/satfilter/options/synonyms.h"

static bool is_offered(const char *name)
{
    const option *o = option_find(&satfilter_cli, name, strlen(name));
    if (satf_filter_find(name, NULL, 0) || (o && o->group)) {
        return true;
    }
    const char *filter;
    for (size_t i = 0; (filter = satf_filter_name(i, NULL, 0)); i++) {
        if (filter_flag_index(filter, name) >= 0) {
            return true;
        }
    }
    return false;
}

/* Every "--name" of an answer is offered. */
static void check_names(const synonym *s)
{
    for (const char *at = s->answer; (at = strstr(at, "--"));) {
        char name[32];
        at += 2;
        size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz-");
        assert_in_range(n, 1, sizeof name - 1);
        memcpy(name, at, n);
        name[n] = '\0';
        if (!is_offered(name)) {
            fail_msg("the answer to --%s names --%s, which is not there", s->words, name);
        }
    }
}

/* What people type who come from ImageMagick, GIMP, unpaper or OpenCV. */
TEST(test_expected)
{
    static const char *const words[] = {
        "gamma",   "median",    "deskew",    "despeckle", "erode",        "dilate",
        "overlay", "orient",    "rotate",    "sharpen",   "blur",         "grayscale",
        "crop",    "grey",      "levels",    "density",   "composite",    "append",
        "denoise", "trim",      "quality",   "resize",    "auto-orient",  "dpi",
        "negate",  "threshold", "normalize", "enlarge",   "white-balance"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!is_offered(words[i]) && !synonym_find(words[i], strlen(words[i]))) {
            fail_msg("--%s has no answer", words[i]);
        }
    }
    const synonym *median = synonym_find("median", 6);
    assert_non_null(strstr(median->answer, "--guided"));
    assert_non_null(strstr(median->answer, "--kuwahara"));
}

static void check_words(const synonym *s)
{
    char word[32];
    for (const char *at = s->words; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");
        assert_in_range(n, 1, sizeof word - 1);
        memcpy(word, at, n);
        word[n] = '\0';
        if (is_offered(word)) {
            fail_msg("--%s is there now: the word in tools/satfilter/options/synonyms.c must go",
                     word);
        }
        assert_ptr_equal(synonym_find(at, n), s);
        at += n;
    }
}

TEST(test_words)
{
    const synonym *s;
    size_t count = 0;
    for (; (s = synonym_at(count)); count++) {
        if (s->option && !is_offered(s->option)) {
            fail_msg("--%s leads to --%s, which is not there", s->words, s->option);
        }
        if (s->option && !strstr(s->answer, s->option)) {
            fail_msg("the answer to --%s does not name --%s", s->words, s->option);
        }
        check_words(s);
        check_names(s);
    }
    assert_true(count > 10);
    assert_null(synonym_find("blu", 3));
    assert_null(synonym_find("min max", 7));
}
