/* Histograms by their definition, and Otsu's level of them by fractions of integers. */
#include "test.h"

#include "base/parallel.h"
#include "formula/histogram.h"
#include "formula/otsu.h"
#include "model.h"
#include "otsu_reference.h"

/* -------------------------------------------------------------------------- the level */

static int64_t whole_level(const uint64_t *counts, int64_t levels)
{
    otsu_level best = otsu_none();
    otsu_share all = otsu_sum(counts, 0, levels), none = {0, 0};
    otsu_look(&all, counts, 0, levels, none, &best);
    return best.level;
}

/* As devices look: parts by themselves, the best of which meet in any order. */
static int64_t parted_level(const uint64_t *counts, int64_t levels, int64_t part)
{
    otsu_level best = otsu_none();
    otsu_share all = otsu_sum(counts, 0, levels);
    for (int64_t first = (levels - 1) / part * part; first >= 0; first -= part) {
        int64_t end = first + part < levels ? first + part : levels;
        otsu_level here = otsu_none();
        otsu_look(&all, counts, first, end, otsu_sum(counts, 0, first), &here);
        best = otsu_is_better(&all, &here, &best) ? here : best;
    }
    return best.level;
}

static void check_level(uint64_t *counts, int64_t levels, const char *what)
{
    int64_t wanted = ref_otsu(counts, levels), whole = whole_level(counts, levels);
    int64_t parted = parted_level(counts, levels, levels / 7 + 1);
    if (whole != wanted || parted != wanted) {
        fail_msg("%s: %lld, in parts %lld, instead of %lld", what, (long long)whole,
                 (long long)parted, (long long)wanted);
    }
    for (int64_t i = 0; i < levels; i++) { /* of a picture 2^36 times as large */
        counts[i] <<= 36;
    }
    int64_t large = whole_level(counts, levels);
    if (large != wanted) {
        fail_msg("%s, a larger picture: %lld instead of %lld", what, (long long)large,
                 (long long)wanted);
    }
}

TEST(test_level_of_any)
{
    uint64_t seed = 1, counts[256];
    for (int k = 0; k < 2000; k++) {
        int64_t levels = 1 + (int64_t)(ref_random(&seed) % 256);
        uint64_t most = (uint64_t)1 << ref_random(&seed) % 12, every = 1 + ref_random(&seed) % 9;
        for (int64_t i = 0; i < levels; i++) {
            counts[i] = ref_random(&seed) % every ? 0 : ref_random(&seed) % (most + 1);
        }
        check_level(counts, levels, "a random histogram");
    }
}

/* As many on either side of the middle, or one more: doubles do not tell the two levels apart. */
TEST(test_level_of_twins)
{
    uint64_t seed = 2, counts[256];
    for (int k = 0; k < 2000; k++) {
        int64_t levels = 3 + (int64_t)(ref_random(&seed) % 254);
        for (int64_t i = 0; i < (levels + 1) / 2; i++) {
            counts[i] = counts[levels - 1 - i] = ref_random(&seed) % ((uint64_t)1 << 17);
        }
        counts[ref_random(&seed) % (uint64_t)levels] += ref_random(&seed) % 2;
        check_level(counts, levels, "twins");
    }
}

/* The level of three is the first of equals; of one there is none. */
TEST(test_level_of_few)
{
    uint64_t three[4] = {0, 5, 5, 5}, one[3] = {0, 9, 0}, none[2] = {0, 0}, two[4] = {0, 1, 0, 7};
    assert_int_equal(whole_level(three, 4), 1);
    assert_int_equal(whole_level(one, 3), -1);
    assert_int_equal(whole_level(none, 2), -1);
    assert_int_equal(whole_level(two, 4), 1);
}

/* All 65536 levels, where neighbours are nearly as good. */
TEST(test_level_of_words)
{
    static uint64_t counts[65536];
    for (int64_t i = 0; i < 65536; i++) {
        counts[i] = 1;
    }
    assert_int_equal(whole_level(counts, 65536), 32767);
    assert_int_equal(parted_level(counts, 65536, 64), 32767);
    counts[65535] = 2; /* (N + 1) / 2 is the level of a mean above the middle */
    counts[0] = 2;
    assert_int_equal(whole_level(counts, 65536), 32767);
    counts[0] = UINT64_MAX / 2; /* the most that there is */
    counts[65535] = UINT64_MAX / 4;
    assert_int_equal(whole_level(counts, 65536), 32767);
}

/* ----------------------------------------------------------------------- the histogram */

/* Of random samples, of which alpha weighs the last one. */
static void check_count(satf_context *ctx, int type, int channels, const int64_t *size,
                        uint64_t mask, uint64_t *seed)
{
    static uint64_t wanted[65536];
    ref_image image = {size[0], size[1], channels, type, channels == 2, NULL};
    ref_fill(&image, ++*seed);
    for (int64_t i = 0; i < ref_count(&image); i++) {
        image.samples[i] &= (int64_t)(mask * 0x101);
    }
    satf_view view = ref_view(&image, 1); /* samples of 16 bits are not aligned */
    size_t memory_bytes;
    assert_true(histogram_bytes(ctx, type, &memory_bytes));
    SCOPED char *memory = aligned_alloc(64, memory_bytes);
    memset(memory, 0xa5, memory_bytes);
    memset(wanted, 0, sizeof wanted);
    for (int64_t i = 0; i < ref_count(&image); i += channels) {
        wanted[image.samples[i]] += image.alpha ? (uint64_t)image.samples[i + 1] : 1;
    }
    const uint64_t *counts;
    histogram_task task = {.in = &view, .weighted = image.alpha};
    for (int run = 0; run < 2; run++) {
        MUST(ctx, histogram_count(ctx, &task, memory, &counts));
        for (int64_t i = 0; i < histogram_levels(type); i++) {
            if (counts[i] != wanted[i]) {
                fail_msg("%s, %d channels, %ld x %ld: level %ld %lu times instead of %lu",
                         satf_type_name(type), channels, (long)size[0], (long)size[1], (long)i,
                         (unsigned long)counts[i], (unsigned long)wanted[i]);
            }
        }
    }
    free(view.data);
    free(image.samples);
}

TEST(test_counts)
{
    static const int64_t sizes[][2] = {{1, 1}, {1, 70}, {3, 33}, {17, 64}, {255, 65}, {640, 200}};
    uint64_t seed = 3;
    satf_share_anything();
    assert_int_equal(satf_context_set_threads(ctx, 3), SATF_OK);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int k = 0; k < 12; k++) {
            static const uint64_t masks[] = {0xff, 0x11, 0};
            check_count(ctx, k % 2 ? SATF_U8 : SATF_U16, 1 + k / 2 % 2, sizes[i], masks[k / 4],
                        &seed);
        }
    }
    assert_int_equal(histogram_levels(SATF_F32), 256);
}
