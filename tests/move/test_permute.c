/*
 * Offline permutations: schedules are free of conflicts, and every algorithm does on the host
 * what the definition says, by the plan that a device would be given.
 */
#include "test.h"

#include "base/memory.h"
#include "base/context.h"
#include "study/pattern.h"
#include "permute/schedule.h"
#include "permute/permute.h"
#include "permute_reference.h"

enum { LANES = 32, MAX_N = 1 << 18 };

static satf_context *ctx;
static uint32_t p[MAX_N];

/* ------------------------------------------------------------------ schedules */

/* Each `width` threads find their words in as many different banks. */
static void check_groups(const uint16_t *index, uint32_t n, uint32_t width, const char *what)
{
    for (uint32_t k = 0; k < n; k += width) {
        uint32_t address[SCHEDULE_MAX_THREADS];
        for (uint32_t i = 0; i < width; i++) {
            address[i] = index[k + i];
        }
        if (schedule_congestion(address, width, width) != 1) {
            fail_msg("%s of %u elements in %u banks: a conflict at %u", what, n, width, k);
        }
    }
}

/* Half a warp's too, which serve words of twice the width. */
static void check_free(const uint16_t *index, uint32_t n, uint32_t w, const char *what)
{
    check_groups(index, n, w, what);
    if (w % 2 == 0) {
        check_groups(index, n, w / 2, what);
    }
}

static void check_schedule(uint32_t n, uint32_t w)
{
    static colour_edge edges[SCHEDULE_EDGES(SCHEDULE_MAX)];
    static uint32_t words[SCHEDULE_WORDS(SCHEDULE_MAX, SCHEDULE_MAX_THREADS)];
    static uint16_t q[SCHEDULE_MAX], s[SCHEDULE_MAX], d[SCHEDULE_MAX];
    for (uint32_t i = 0; i < n; i++) {
        q[i] = (uint16_t)p[i];
    }
    schedule_build(q, n, w, s, d, edges, words);
    SCOPED uint8_t *done = calloc(n, 1);
    assert_non_null(done);
    for (uint32_t k = 0; k < n; k++) {
        assert_true(s[k] < n && !done[s[k]]);
        done[s[k]] = 1;
        assert_int_equal(d[k], p[s[k]]);
    }
    check_free(s, n, w, "s");
    check_free(d, n, w, "d");
}

TEST_ALONE(test_random_schedules)
{
    for (uint64_t seed = 0; seed < 2000; seed++) {
        assert_true(pattern_fill(PATTERN_RANDOM, 32, 32, seed, p));
        check_schedule(1024, LANES);
    }
}

TEST_ALONE(test_named_schedules)
{
    static const uint32_t shapes[][3] = {/* rows, columns, banks */
                                         {32, 32, 32},   {1, 32, 32},  {3, 32, 32},  {7, 96, 32},
                                         {256, 256, 32}, {6, 5, 5},    {9, 64, 16},  {11, 2, 2},
                                         {13, 1, 1},     {15, 64, 64}, {33, 32, 32}, {5, 6, 6}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (int which = 0; which < PATTERN_COUNT; which++) {
            if (pattern_fill((pattern)which, shapes[i][0], shapes[i][1], 1, p)) {
                check_schedule(shapes[i][0] * shapes[i][1], shapes[i][2]);
            }
        }
    }
}

/* A worst case: all elements of a bank go to one bank. */
TEST_ALONE(test_full_conflict)
{
    enum { N = 4096 };
    for (uint32_t i = 0; i < N; i++) {
        p[i] = (i % 32 * 7 + 3) % 32 + (i / 32 * 5 + 1) % (N / 32) * 32;
    }
    check_schedule(N, LANES);
}

TEST_ALONE(test_congestion)
{
    uint32_t address[LANES];
    for (uint32_t stride = 0; stride <= 32; stride++) {
        for (uint32_t i = 0; i < LANES; i++) {
            address[i] = i * stride;
        }
        uint32_t shared = stride & (~stride + 1); /* the greatest power of two in it */
        assert_int_equal(schedule_congestion(address, LANES, 32), stride == 0 ? 1 : shared);
    }
}

/* The places of a batch are a permutation of it, lanes side by side. */
TEST_ALONE(test_places)
{
    for (uint32_t k = 0; k < 3 * SCHEDULE_BATCH; k++) {
        uint32_t place = schedule_place(k);
        assert_int_equal(place / SCHEDULE_BATCH, k / SCHEDULE_BATCH);
        assert_int_equal(place % SCHEDULE_BATCH / SCHEDULE_DEEP, k % SCHEDULE_LANES);
        assert_int_equal(place % SCHEDULE_DEEP, k / SCHEDULE_LANES % SCHEDULE_DEEP);
    }
    assert_int_equal(schedule_pitch(32), SCHEDULE_BATCH);
    assert_int_equal(schedule_pitch(SCHEDULE_BATCH), SCHEDULE_BATCH);
    assert_int_equal(schedule_pitch(SCHEDULE_BATCH + 1), 2 * SCHEDULE_BATCH);
}

/* ------------------------------------------------------------------- patterns */

TEST_ALONE(test_patterns)
{
    static const uint32_t small[PATTERN_COUNT][16] = {
        [PATTERN_IDENTICAL] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
        [PATTERN_SHUFFLE] = {0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15},
        [PATTERN_BIT_REVERSAL] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15},
        [PATTERN_TRANSPOSE] = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15},
    };
    for (int which = 0; which < PATTERN_COUNT; which++) {
        assert_true(pattern_fill((pattern)which, 4, 4, 3, p));
        if (which != PATTERN_RANDOM) { /* the figures 4.6 to 4.10 of the dissertation */
            assert_memory_equal(p, small[which], sizeof small[which]);
        }
    }
    assert_false(pattern_fill(PATTERN_SHUFFLE, 3, 32, 0, p));
    assert_false(pattern_fill(PATTERN_BIT_REVERSAL, 3, 32, 0, p));
    assert_true(pattern_fill(PATTERN_BIT_REVERSAL, 1, 1, 0, p));
    assert_true(pattern_fill(PATTERN_SHUFFLE, 1, 1, 0, p));
    uint32_t sums[2] = {0};
    for (uint64_t seed = 0; seed < 2; seed++) { /* seeds differ, and each repeats */
        assert_true(pattern_fill(PATTERN_RANDOM, 32, 32, seed, p));
        for (uint32_t i = 0; i < 1024; i++) {
            sums[seed] = sums[seed] * 31 + p[i];
        }
        uint32_t again = 0;
        assert_true(pattern_fill(PATTERN_RANDOM, 32, 32, seed, p));
        for (uint32_t i = 0; i < 1024; i++) {
            again = again * 31 + p[i];
        }
        assert_int_equal(again, sums[seed]);
    }
    assert_int_not_equal(sums[0], sums[1]);
}

/* Computed indices are those of the tables, and the computed schedules have no conflicts. */
TEST_ALONE(test_in_place)
{
    static const struct {
        pattern which;
        uint32_t (*place)(uint32_t i), (*source)(uint32_t i);
    } forms[] = {
        {PATTERN_TRANSPOSE, pattern_small_transpose, pattern_small_transpose},
        {PATTERN_SHUFFLE, pattern_small_shuffle, pattern_small_unshuffle},
        {PATTERN_BIT_REVERSAL, pattern_small_bit_reversal, pattern_small_bit_reversal},
    };
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        uint16_t s[PATTERN_SMALL], d[PATTERN_SMALL];
        assert_true(pattern_in_place(forms[f].which));
        assert_true(pattern_fill(forms[f].which, 32, 32, 0, p));
        for (uint32_t i = 0; i < PATTERN_SMALL; i++) {
            assert_int_equal(forms[f].place(i), p[i]);
            assert_int_equal(forms[f].source(p[i]), i);
            s[i] = (uint16_t)pattern_small_source(i);
            d[i] = (uint16_t)forms[f].place(s[i]);
        }
        check_free(s, PATTERN_SMALL, LANES, "s in place");
        check_free(d, PATTERN_SMALL, LANES, "d in place");
    }
}

/* ----------------------------------------------------------------- algorithms */

static satf_permutation *create(const char *algorithm, int64_t n, int bytes, uint32_t length,
                                satf_status *status)
{
    satf_permutation *plan = NULL;
    permute_request request = {p, n, bytes, length};
    MUST(ctx, satf_context_set_threads(ctx, 3));
    *status = length ? permute_create(ctx, &request, SATF_HOST, algorithm, &plan)
                     : satf_permutation_create(ctx, p, n, bytes, SATF_HOST, algorithm, &plan);
    return plan;
}

static void check_apply(const satf_permutation *plan, int64_t n, int bytes, const char *what)
{
    size_t size = (size_t)(n * bytes), scratch_bytes = 1;
    SCOPED unsigned char *in = malloc(size), *out = malloc(size);
    assert_true(in && out);
    for (size_t i = 0; i < size; i++) {
        in[i] = (unsigned char)(i * 2654435761u >> 11);
    }
    MUST(ctx, satf_permutation_scratch(ctx, plan, &scratch_bytes));
    for (int own = 0; own < 2; own++) { /* the call's memory, and the caller's, not aligned */
        SCOPED char *scratch = malloc(scratch_bytes + 1);
        assert_non_null(scratch);
        memset(out, 0xa5, size);
        if (own && scratch_bytes) {
            MUST(ctx, satf_context_set_scratch(ctx, scratch + 1, scratch_bytes));
        }
        MUST(ctx, satf_permutation_apply(ctx, plan, in, out));
        MUST(ctx, satf_context_set_scratch(ctx, NULL, 0));
        for (int64_t i = 0; i < n; i++) {
            if (memcmp(out + (int64_t)p[i] * bytes, in + i * bytes, (size_t)bytes) != 0) {
                fail_msg("%s: element %lld of %lld is not at place %u", what, (long long)i,
                         (long long)n, p[i]);
            }
        }
    }
}

/* What warps access in shared memory, by the tables of the plan. */
static void check_conflicts(const satf_permutation *plan, const char *what)
{
    bool fused = strcmp(plan->algorithm->name, "fused") == 0;
    for (int i = 0; i < PERMUTE_MAX_TABLES && plan->table[1] && plan->table[i]; i++) {
        bool middle =
            fused ? i == 1 : strcmp(plan->algorithm->name, "scheduled") == 0 && i / 2 == 1;
        bool columns = strcmp(plan->algorithm->name, "column-wise") == 0;
        uint32_t length = middle    ? (fused ? plan->shape.middle_length : plan->shape.rows)
                          : columns ? plan->shape.rows
                                    : plan->shape.length;
        if (fused && middle && plan->shape.piece % LANES) {
            continue;
        }
        SCOPED uint16_t *row = malloc(length * sizeof *row);
        const uint16_t *table = plan->table[i];
        assert_non_null(row);
        for (uint32_t r = 0; r < plan->n / length; r++, table += schedule_pitch(length)) {
            for (uint32_t k = 0; k < length; k++) {
                row[k] = table[schedule_place(k)];
            }
            check_free(row, length, LANES, what);
        }
    }
}

static int try(const char *algorithm, int64_t n, uint32_t length, const char *what)
{
    int applicable = 0;
    for (int bytes = 4; bytes <= 8; bytes += 4) {
        satf_status status;
        satf_permutation *plan = create(algorithm, n, bytes, length, &status);
        if (status == SATF_UNSUPPORTED) {
            assert_null(plan);
            assert_true(strlen(satf_message(ctx)) > 20);
            continue;
        }
        if (status) {
            fail_msg("%s, %s: %s", algorithm, what, satf_message(ctx));
        }
        check_apply(plan, n, bytes, algorithm);
        check_conflicts(plan, algorithm);
        satf_permutation_destroy(plan);
        applicable++;
    }
    return applicable;
}

static int try_all(const uint32_t *of, int64_t n, const char *what)
{
    assert_ptr_equal(of, p);
    int applicable = try("auto", n, 0, what);
    const char *name;
    for (size_t i = 0; (name = satf_permutation_algorithm(i, NULL)) != NULL; i++) {
        applicable += try(name, n, 0, what);
    }
    return applicable;
}

TEST_ALONE(test_algorithms)
{
    static const uint32_t shapes[][2] = {{32, 32},  {64, 64},   {96, 160},    {32, 2016},
                                         {224, 96}, {256, 512}, {33, 65},     {1, 1},
                                         {1, 7},    {480, 352}, {37 * 32, 32}};
    ref_try_patterns(shapes, sizeof shapes / sizeof *shapes, p, try_all);
}

/* Rows that stay rows, and columns that stay columns. */
TEST_ALONE(test_row_and_column_wise)
{
    static const uint32_t shapes[][2] = {{64, 96}, {32, 1024}, {160, 32}, {96, 2048}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        uint32_t rows = shapes[i][0], columns = shapes[i][1];
        ref_fill_rows(p, rows, columns);
        assert_int_equal(try("row-wise", (int64_t)rows * columns, 0, "rows"), 2);
        ref_fill_columns(p, rows, columns);
        assert_int_equal(try("column-wise", (int64_t)rows * columns, 0, "columns"), 2);
    }
}

/* Pieces of 1 element and of many, of fewer than a warp and of an odd number. */
TEST_ALONE(test_pieces)
{
    static const struct {
        uint32_t n, length, piece;
    } cases[] = {{1 << 16, 256, 1},     {1 << 16, 1024, 16}, {1 << 16, 2048, 64},
                 {1 << 16, 8192, 1024}, {3 << 14, 768, 12},  {9 << 12, 576, 9},
                 {15 << 10, 480, 15},   {5 << 15, 1280, 10}, {1 << 18, 512, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t n = cases[i].n;
        for (uint64_t seed = 0; seed < 3; seed++) {
            satf_status status;
            assert_true(pattern_fill(PATTERN_RANDOM, 1, n, seed, p));
            satf_permutation *plan = create("fused", n, 4, cases[i].length, &status);
            if (status) {
                fail_msg("%u in rows of %u: %s", n, cases[i].length, satf_message(ctx));
            }
            assert_int_equal(plan->shape.length, cases[i].length);
            assert_int_equal(plan->shape.piece, cases[i].piece);
            check_apply(plan, n, 4, "fused");
            check_conflicts(plan, "fused");
            satf_permutation_destroy(plan);
        }
    }
}

/* --------------------------------------------------------------------- auto */

/* The choice alone: a limit of memory keeps long schedules from being made. */
static const char *chosen(const uint32_t *places, int64_t n, int bytes, bool on_device)
{
    satf_permutation *plan = satf_alloc_zeroed(sizeof *plan);
    permute_request request = {places, n, bytes, 0};
    assert_non_null(plan);
    plan->n = n;
    plan->element_bytes = bytes;
    plan->device = SATF_HOST;
    MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 8 * n));
    satf_status status = permute_choose(ctx, &request, on_device, plan);
    const char *name = plan->algorithm->name;
    assert_int_equal(status, strcmp(name, "fused") == 0 ? SATF_LIMIT : SATF_OK);
    MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 0));
    satf_permutation_destroy(plan);
    return name;
}

/* Runs of memory that fused writes: 64 bytes while rows can be long enough. */
TEST_ALONE(test_short_runs)
{
    static const struct {
        int log_n, bytes;
        bool is_short;
    } cases[] = {{24, 4, false}, {26, 4, false}, {28, 4, true},
                 {24, 8, false}, {26, 8, false}, {28, 8, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        permute_request request = {NULL, (int64_t)1 << cases[i].log_n, cases[i].bytes, 0};
        assert_int_equal(permute_writes_short(ctx, &request), cases[i].is_short);
    }
    permute_request odd = {NULL, 32 * 32 + 1, 4, 0};
    assert_false(permute_writes_short(ctx, &odd)); /* no shape at all */
    permute_request alone = {NULL, 512 * 525 * 525, 4, 0};
    assert_false(permute_writes_short(ctx, &alone)); /* only fused has one */
}

/* A device reads casually what caches or short distances serve. */
TEST_ALONE(test_auto)
{
    enum { ROWS = 2048, COLUMNS = 4096, LARGE = ROWS * COLUMNS };
    static const char *const large[PATTERN_COUNT] = {[PATTERN_IDENTICAL] = "s-designated",
                                                     [PATTERN_SHUFFLE] = "s-designated",
                                                     [PATTERN_RANDOM] = "fused",
                                                     [PATTERN_BIT_REVERSAL] = "fused",
                                                     [PATTERN_TRANSPOSE] = "transpose"};
    SCOPED uint32_t *places = malloc(LARGE * sizeof *places);
    assert_non_null(places);
    for (int which = 0; which < PATTERN_COUNT; which++) {
        assert_true(pattern_fill((pattern)which, ROWS, COLUMNS, 7, places));
        assert_string_equal(chosen(places, LARGE, 8, true), large[which]);
        assert_string_equal(chosen(places, LARGE, 4, true), "s-designated");
        assert_string_equal(chosen(places, LARGE, 8, false),
                            which == PATTERN_TRANSPOSE ? "transpose" : "s-designated");
    }
    assert_true(pattern_fill(PATTERN_RANDOM, 1, LARGE - 1, 7, places));
    assert_string_equal(chosen(places, LARGE - 1, 8, true), "s-designated"); /* no rows of 32 */
}

/* ---------------------------------------------------------------------- errors */

static void expect(satf_status want, satf_status got, const char *word)
{
    assert_int_equal(got, want);
    if (!strstr(satf_message(ctx), word)) {
        fail_msg("\"%s\" does not say \"%s\"", satf_message(ctx), word);
    }
}

/* What no plan is made of, and what the message says. */
static void refuse(const uint32_t *places, int64_t n, int bytes, int device, const char *algorithm,
                   satf_status want, const char *word)
{
    satf_permutation *plan = (satf_permutation *)&plan;
    expect(want, satf_permutation_create(ctx, places, n, bytes, device, algorithm, &plan), word);
    assert_null(plan);
}

TEST_ALONE(test_errors)
{
    satf_permutation *plan;
    uint32_t wrong[64], buffer[128];
    size_t bytes;
    for (uint32_t i = 0; i < 64; i++) {
        wrong[i] = p[i] = i;
    }
    MUST(ctx, satf_context_set_threads(ctx, 3));
    assert_int_equal(satf_permutation_create(NULL, p, 64, 4, SATF_HOST, "auto", &plan),
                     SATF_INVALID);
    expect(SATF_INVALID, satf_permutation_create(ctx, p, 64, 4, SATF_HOST, "auto", NULL), "place");
    refuse(NULL, 64, 4, SATF_HOST, "auto", SATF_INVALID, "missing");
    refuse(p, 0, 4, SATF_HOST, "auto", SATF_INVALID, "0");
    refuse(p, -1, 4, SATF_HOST, "auto", SATF_INVALID, "-1");
    refuse(p, INT64_C(1) << 31, 4, SATF_HOST, "auto", SATF_INVALID, "1073741824");
    refuse(p, 64, 2, SATF_HOST, "auto", SATF_INVALID, "bytes");
    refuse(p, 64, 4, -2, "auto", SATF_INVALID, "device");
    refuse(p, 64, 4, SATF_HOST, "quick", SATF_INVALID, "quick");
    refuse(p, 64, 4, SATF_HOST, NULL, SATF_INVALID, "algorithm");
    wrong[5] = 64;
    refuse(wrong, 64, 4, SATF_HOST, "auto", SATF_INVALID, "element 5 goes to place 64");
    wrong[5] = 4;
    refuse(wrong, 64, 4, SATF_HOST, "auto", SATF_INVALID, "another");
    refuse(p, 64, 4, SATF_HOST, "scheduled", SATF_UNSUPPORTED, "64 elements");
    assert_true(pattern_fill(PATTERN_RANDOM, 1, MAX_N, 1, p));
    refuse(p, MAX_N, 4, SATF_HOST, "transpose", SATF_UNSUPPORTED, "transpose");
    refuse(p, MAX_N, 4, SATF_HOST, "row-wise", SATF_UNSUPPORTED, "rows");
    refuse(p, MAX_N, 4, SATF_HOST, "column-wise", SATF_UNSUPPORTED, "columns");
    /* the first of several, whatever thread meets which */
    p[200000] = p[100001] = p[100000] = p[7];
    p[100002] = MAX_N;
    refuse(p, MAX_N, 4, SATF_HOST, "auto", SATF_INVALID, "element 100000 goes");
    p[100000] = UINT32_MAX;
    refuse(p, MAX_N, 4, SATF_HOST, "auto", SATF_INVALID,
           "element 100000 goes to place 4294967295, but");
    assert_true(pattern_fill(PATTERN_RANDOM, 32, 32, 1, p));
    MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 1000));
    static const char *const limited[] = {"d-designated", "s-designated", "scheduled", "fused"};
    for (size_t i = 0; i < sizeof limited / sizeof *limited; i++) {
        refuse(p, 1024, 4, SATF_HOST, limited[i], SATF_LIMIT, "1000");
    }
    MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 0));
    MUST(ctx, satf_permutation_create(ctx, p, 1024, 4, SATF_HOST, "fused", &plan));
    SCOPED uint32_t *arrays = malloc(2 * 1024 * sizeof *arrays);
    assert_non_null(arrays);
    MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 1000));
    expect(SATF_LIMIT, satf_permutation_apply(ctx, plan, arrays, arrays + 1024), "scratch");
    MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 0));
    satf_permutation_destroy(plan);

    for (uint32_t i = 0; i < 64; i++) {
        p[i] = i ^ 1;
    }
    MUST(ctx, satf_permutation_create(ctx, p, 64, 4, SATF_HOST, "auto", &plan));
    assert_string_equal(satf_permutation_choice(plan), "s-designated");
    assert_null(satf_permutation_choice(NULL));
    expect(SATF_INVALID, satf_permutation_apply(ctx, NULL, buffer, buffer + 64), "permutation");
    expect(SATF_INVALID, satf_permutation_apply(ctx, plan, NULL, buffer), "input");
    expect(SATF_INVALID, satf_permutation_apply(ctx, plan, buffer, NULL), "output");
    expect(SATF_INVALID, satf_permutation_apply(ctx, plan, buffer, buffer + 63), "overlaps");
    expect(SATF_INVALID, satf_permutation_apply(ctx, plan, buffer, (char *)(buffer + 64) + 1),
           "aligned");
    expect(SATF_INVALID, satf_permutation_scratch(ctx, NULL, &bytes), "permutation");
    expect(SATF_INVALID, satf_permutation_scratch(ctx, plan, NULL), "bytes");
    MUST(ctx, satf_permutation_apply(ctx, plan, buffer, buffer + 64));
    satf_permutation_destroy(plan);
    satf_permutation_destroy(NULL);

    assert_true(pattern_fill(PATTERN_RANDOM, 32, 32, 1, p));
    MUST(ctx, satf_permutation_create(ctx, p, 1024, 4, SATF_HOST, "fused", &plan));
    static uint32_t in[1024], out[1024];
    MUST(ctx, satf_context_set_scratch(ctx, buffer, sizeof buffer));
    expect(SATF_INVALID, satf_permutation_apply(ctx, plan, in, out), "scratch");
    MUST(ctx, satf_context_set_scratch(ctx, NULL, 0));
    satf_permutation_destroy(plan);
}

TEST_FILE(.context = &ctx)
