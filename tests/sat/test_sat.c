/*
 * Every SAT row against the reference, and the reference against plain sums:
 * types x summands x channels x sizes x strides x threads x instruction sets.
 */
#include "test.h"

#include <inttypes.h>

#include "base/parallel.h"
#include "base/cpu.h"
#include "pairs.h"
#include "sat_case.h"

static const int thread_counts[] = {1, 2, 3, 4, 5, 6, 7, 8};
enum { CONTEXTS = sizeof thread_counts / sizeof *thread_counts };
static satf_context *contexts[CONTEXTS];

static void describe(const sat_case *t, const char *row, const char *isa, int threads)
{
    print_error("row %s, isa %s, %d threads: ", row, isa, threads);
    describe_case(t);
}

static buffer input_of(const sat_case *t, unsigned layout)
{
    buffer in = make_buffer(t->height, case_samples(t), satf_type_bytes(t->type),
                            &sat_layouts[layout % LAYOUTS], GUARD_BYTES);
    fill(t, &in);
    return in;
}

static buffer output_of(const sat_case *t, unsigned layout)
{
    return make_buffer(t->height, case_samples(t), out_bytes(t), &sat_layouts[layout % LAYOUTS],
                       GUARD_BYTES);
}

/* Runs the row with exactly the scratch it reports, between guards. */
static void run(satf_context *ctx, const char *row, const sat_case *t, const sat_job *job,
                const char *isa)
{
    MUST(ctx, satf_context_set_algorithm(ctx, row));
    size_t bytes;
    satf_status status = sat_scratch(ctx, job, &bytes);
    if (status) {
        describe(t, row, isa, ctx->settings.threads);
        fail_msg("%s", satf_message(ctx));
    }
    buffer scratch = make_buffer(1, (int64_t)bytes, 1, &sat_layouts[0], GUARD_BYTES);
    status = sat_run(ctx, job, scratch.row0);
    if (status || !guards_stand(&scratch)) {
        describe(t, row, isa, ctx->settings.threads);
        fail_msg("%s", status ? satf_message(ctx) : "wrote outside its scratch memory");
    }
    satf_free(scratch.memory);
}

/* ---------------------------------------------------------------- comparison */

static double largest_summand(const sat_case *t)
{
    double largest = t->pattern == RANDOM ? 16777216 / 4099.0 : 65535; /* of fill() */
    return t->summand == SATF_SUMMAND_PLAIN             ? largest
           : t->summand == SATF_SUMMAND_WEIGHTED_SQUARE ? largest * largest * largest
                                                        : largest * largest;
}

/*
 * How far apart two float tables may be at (x, y), n = (x + 1)(y + 1), M the
 * largest |summand|, u = 2^-53. A chain of at most x + y + 1 additions of parts
 * of at most nM is off by (x + y + 1) u nM; both sides may be. In 4R1W the error
 * of an entry spreads as a summand of its own would, so it is the sum of n
 * errors of three operations each on values of at most 2nM. Rounding to f32
 * adds 2^-24 nM on either side.
 */
static double tolerance(const sat_case *t, bool four_reads, int64_t x, int64_t y)
{
    double n = (double)(x + 1) * (double)(y + 1), total = n * largest_summand(t);
    double u = ldexp(1, -53);
    double chain = (double)(x + y + 2) * u * total;
    return 2 * chain + (four_reads ? 6 * n * u * total : 0) +
           (t->f32_out ? 2 * ldexp(1, -24) * total : 0);
}

/* Fails at the first entry that differs: bits, or for floats in another order
 * of summation (exact false) beyond the tolerance. */
static void compare(const sat_case *t, const char *row, const char *isa, int threads,
                    const buffer *want, const buffer *got, bool exact)
{
    size_t bytes = out_bytes(t);
    bool floats = t->sum_type == SATF_SUM_F64;
    for (int64_t y = 0; y < t->height; y++) {
        const char *a = buffer_row(want, y), *b = buffer_row(got, y);
        if (memcmp(a, b, want->row_bytes) == 0) {
            continue;
        }
        for (int64_t i = 0; i < case_samples(t); i++, a += bytes, b += bytes) {
            bool same = memcmp(a, b, bytes) == 0;
            if (!same && floats && !exact) {
                double apart = fabs(read_float(t, a) - read_float(t, b));
                same = apart <= tolerance(t, strcmp(row, "4r1w") == 0, i / t->channels, y);
            }
            if (!same) {
                describe(t, row, isa, threads);
                fail_sum(t, i, y, a, b, false);
            }
        }
    }
    if (!guards_stand(got)) {
        describe(t, row, isa, threads);
        fail_msg("bytes outside the rows were written");
    }
}

/* Runs the row on every instruction set and some numbers of threads, others in the next turn; all
 * give the same bits. exact: those of `want`. */
static void check_parallel(const sat_case *t, const char *row, const buffer *in, const buffer *want,
                           bool exact, unsigned turn)
{
    buffer first = {0};
    for (int isa = 0; isa < SATF_ISA_COUNT; isa++) {
        satf_cpu_limit((satf_isa)isa);
        for (int k = 0; k < 2 && satf_cpu_isa() == (satf_isa)isa; k++, turn++) {
            int i = (int)((turn + 3u * (unsigned)k) % CONTEXTS);
            buffer out = output_of(t, turn);
            sat_job job = make_job(t, in, &out);
            job.tuning.r = strcmp(row, "1+r") == 0 ? t->r : 0;
            run(contexts[i], row, t, &job, satf_isa_name((satf_isa)isa));
            compare(t, row, satf_isa_name((satf_isa)isa), thread_counts[i], want, &out, exact);
            if (first.memory) {
                compare(t, row, satf_isa_name((satf_isa)isa), thread_counts[i], &first, &out, true);
                satf_free(out.memory);
            } else {
                first = out;
            }
        }
    }
    satf_free(first.memory);
    satf_cpu_limit(SATF_ISA_COUNT);
}

static void check_case(const sat_case *t)
{
    static unsigned turn;
    turn++;
    buffer in = input_of(t, turn / 2), want = output_of(t, turn / 3);
    sat_job job = make_job(t, &in, &want);
    run(contexts[0], "reference", t, &job, "any");
    assert_true(guards_stand(&want));
    static const char *const sequential[] = {"2r2w", "4r1w"};
    for (size_t i = 0; i < 2; i++) {
        buffer out = output_of(t, turn + (unsigned)i);
        job = make_job(t, &in, &out);
        run(contexts[0], sequential[i], t, &job, "any");
        compare(t, sequential[i], "any", 1, &want, &out, false);
        satf_free(out.memory);
    }
    static const struct {
        const char *row;
        bool exact; /* floats are added up in the reference's order */
    } parallel[] = {{"blocked", true}, {"1r1w", true}, {"2r1w", false}, {"1+r", false}};
    for (size_t i = 0; i < sizeof parallel / sizeof *parallel; i++) {
        check_parallel(t, parallel[i].row, &in, &want, parallel[i].exact, turn);
    }
    assert_true(guards_stand(&in));
    satf_free(in.memory);
    satf_free(want.memory);
}

/* ------------------------------------------------------------ the table walk */

/* thinned: by pairs. */
static void walk(const int64_t (*sizes)[2], size_t count, void (*check)(const sat_case *),
                 bool thinned)
{
    static pairs met;
    memset(&met, 0, sizeof met);
    unsigned seed = 1;
    for (size_t k = 0; k < KINDS; k++) {
        for (int summand = 0; summand <= SATF_SUMMAND_WEIGHTED_SQUARE; summand++) {
            int least = summand >= SATF_SUMMAND_WEIGHTED ? 2 : 1;
            for (int channels = least; channels <= SATF_MAX_CHANNELS; channels++) {
                for (size_t s = 0; s < count; s++, seed++) {
                    sat_pattern p = seed % 4 ? RANDOM : (sat_pattern)(seed / 4 % PATTERNS);
                    bool first = PAIRS_ONLY(&met, (int)k, summand, channels, (int)s, (int)p);
                    if (first || (!thinned && !PAIRS_SANITIZED)) {
                        check(&(sat_case){sat_kinds[k].type, (satf_summand)summand,
                                          sat_kinds[k].sum_type, sat_kinds[k].f32_out, channels,
                                          sizes[s][0], sizes[s][1], p, seed, 0});
                    }
                }
            }
        }
    }
}

/* The types of a kind of sums, for PAIRS_RUN(). */
#define TYPES(k) sat_kinds[k].type, (int)sat_kinds[k].sum_type + 8 * sat_kinds[k].f32_out

#define WALK(sizes, check, thinned) walk(sizes, sizeof(sizes) / sizeof *(sizes), check, thinned)

TEST(test_small)
{
    static const int64_t sizes[][2] = {{1, 1},  {1, 2},   {2, 1},   {2, 3},   {1, 17},  {19, 1},
                                       {7, 5},  {13, 31}, {63, 3},  {64, 2},  {65, 17}, {127, 16},
                                       {5, 63}, {3, 65},  {128, 4}, {129, 33}};
    WALK(sizes, check_case, false);
}

TEST(test_wide_and_tall)
{
    static const int64_t sizes[][2] = {{4097, 5},  {5, 4097},  {1031, 37},
                                       {2049, 18}, {4097, 33}, {33, 4097}};
    WALK(sizes, check_case, true);
}

/* Blocks of 2r1w, 1r1w and 1+r are 256 pixels a side: full ones, cut ones, and triangles of all
 * sizes that the image has room for. */
TEST(test_blocks)
{
    static const int64_t sizes[][2] = {{256, 512}, {257, 255}, {650, 830}, {1283, 300},
                                       {1, 1025},  {1031, 1},  {521, 523}, {255, 1281}};
    static const double rs[] = {0, 0.001, 0.25, 0.6, 0.999};
    static pairs met;
    unsigned turn = 0;
    for (size_t k = 0; k < KINDS; k++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++, turn++) {
            satf_summand summand = (satf_summand)(turn % 3 ? 0 : turn / 3 % 4);
            int least = summand >= SATF_SUMMAND_WEIGHTED ? 2 : 1;
            int channels = turn % 2 ? least : least + (int)(turn / 2 % (5 - (unsigned)least));
            if (sizes[s][0] * sizes[s][1] > 400000) {
                channels = least;
            }
            size_t r = turn % (sizeof rs / sizeof *rs);
            if (PAIRS_ONLY(&met, TYPES(k), (int)summand, (int)s, (int)r)) {
                check_case(&(sat_case){sat_kinds[k].type, summand, sat_kinds[k].sum_type,
                                       sat_kinds[k].f32_out, channels, sizes[s][0], sizes[s][1],
                                       turn % 4 ? RANDOM : MAXIMA, turn + 1, rs[r]});
            }
        }
    }
}

/* -------------------------------------------- the reference against the truth */

/* What sample c of a pixel adds, as the case's summands are defined. */
static long double summand_of(const sat_case *t, const char *pixel, int c)
{
    size_t bytes = satf_type_bytes(t->type);
    long double sample = (long double)read_sample(t->type, pixel + (size_t)c * bytes);
    bool weighted = t->summand >= SATF_SUMMAND_WEIGHTED;
    bool square = t->summand == SATF_SUMMAND_SQUARE || t->summand == SATF_SUMMAND_WEIGHTED_SQUARE;
    if (weighted && c == t->channels - 1) { /* alpha itself */
        return sample;
    }
    sample *= square ? sample : 1;
    return weighted ? sample * (long double)read_sample(t->type,
                                                        pixel + (size_t)(t->channels - 1) * bytes)
                    : sample;
}

/* The sum of all that lies above and to the left. */
static bool is_sum(const sat_case *t, const buffer *in, int64_t x, int64_t y, int c,
                   const char *got)
{
    satf_u128 sum = 0;
    long double real = 0;
    int64_t pixel_bytes = t->channels * (int64_t)satf_type_bytes(t->type);
    for (int64_t v = 0; v <= y; v++) {
        for (int64_t u = 0; u <= x; u++) {
            long double summand = summand_of(t, buffer_row(in, v) + u * pixel_bytes, c);
            sum += t->sum_type == SATF_SUM_F64 ? 0 : (satf_u128)summand;
            real += summand;
        }
    }
    return t->sum_type == SATF_SUM_F64
               /* two more roundings: the summand's products */
               ? fabs((double)(real - (long double)read_float(t, got))) <=
                     2 * tolerance(t, false, x, y)
               : memcmp(&sum, got, out_bytes(t)) == 0; /* little endian */
}

static void check_reference(const sat_case *t)
{
    buffer in = input_of(t, t->seed), out = output_of(t, t->seed / 2);
    sat_job job = make_job(t, &in, &out);
    run(contexts[0], "reference", t, &job, "any");
    for (int64_t i = 0; i < t->height * case_samples(t); i++) {
        int64_t y = i / case_samples(t), k = i % case_samples(t), x = k / t->channels;
        int c = (int)(k % t->channels);
        if (!is_sum(t, &in, x, y, c, buffer_row(&out, y) + k * (int64_t)out_bytes(t))) {
            describe(t, "reference", "any", 1);
            fail_msg("pixel (%" PRId64 ", %" PRId64 ") channel %d is wrong", x, y, c);
        }
    }
    satf_free(in.memory);
    satf_free(out.memory);
}

TEST(test_reference)
{
    static const int64_t sizes[][2] = {{1, 1}, {2, 3}, {5, 4}, {7, 7}};
    WALK(sizes, check_reference, false);
}

/* ---------------------------------------------------------------- properties */

/* An impulse appears in the quadrant right of and below it, nowhere else. An
 * infinity stays one there and a NaN stays NaN, except that 4r1w subtracts. */
TEST(test_quadrant)
{
    static const double values[] = {1, INFINITY, -INFINITY, NAN};
    sat_case t = {SATF_F32, SATF_SUMMAND_PLAIN, SATF_SUM_F64, false, 3, 297, 281, ZEROS, 1, 0};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        buffer in = input_of(&t, 0);
        float impulse = (float)values[k];
        int64_t at_x = 130, at_y = 118;
        memcpy(in.row0 + at_y * in.stride + (at_x * 3 + 1) * 4, &impulse, 4);
        for (size_t r = 0; sat_row_at("cpu", r); r++) {
            const char *name = sat_row_at("cpu", r)->name;
            buffer out = output_of(&t, 0);
            sat_job job = make_job(&t, &in, &out);
            run(contexts[1], name, &t, &job, "best");
            for (int64_t y = 0; y < t.height; y++) {
                for (int64_t i = 0; i < case_samples(&t); i++) {
                    double sum = read_float(&t, buffer_row(&out, y) + i * 8);
                    bool hit = i % 3 == 1 && i / 3 >= at_x && y >= at_y;
                    bool good = !hit                                            ? sum == 0
                                : isnan(values[k])                              ? isnan(sum)
                                : strcmp(name, "4r1w") == 0 && isinf(values[k]) ? !isfinite(sum)
                                                                                : sum == values[k];
                    if (!good) {
                        fail_msg("row %s: %g at (%" PRId64 ", %" PRId64 ") gives %g at (%" PRId64
                                 ", %" PRId64 ")",
                                 name, values[k], at_x, at_y, sum, i / 3, y);
                    }
                }
            }
            satf_free(out.memory);
        }
        satf_free(in.memory);
    }
}

/* Large enough that the output is written around the caches. */
TEST(test_large)
{
    enum { N = 4096 };
    sat_case t = {SATF_U8, SATF_SUMMAND_PLAIN, SATF_SUM_U32, false, 1, N, N, RANDOM, 5, 0};
    static const char *const rows[] = {"blocked", "2r1w", "1+r"};
    buffer in = input_of(&t, 0), want = output_of(&t, 0);
    sat_job job = make_job(&t, &in, &want);
    run(contexts[0], "reference", &t, &job, "any");
    for (int i = 0; i < 6; i++) {
        buffer out = output_of(&t, (unsigned)i % 2);
        job = make_job(&t, &in, &out);
        run(contexts[i], rows[i / 2], &t, &job, "best");
        compare(&t, rows[i / 2], "best", thread_counts[i], &want, &out, true);
        satf_free(out.memory);
    }
    satf_free(in.memory);
    satf_free(want.memory);
}

static int set_up(void **unused)
{
    int failed = 0;
    (void)unused;
    for (int i = 0; i < CONTEXTS; i++) {
        failed |= satf_context_create(&contexts[i]) ||
                  satf_context_set_threads(contexts[i], thread_counts[i]);
    }
    return failed;
}

static int tear_down(void **unused)
{
    (void)unused;
    for (int i = 0; i < CONTEXTS; i++) {
        satf_context_destroy(contexts[i]);
    }
    return 0;
}

TEST_FILE(.shared = true, .begin = set_up, .end = tear_down)
