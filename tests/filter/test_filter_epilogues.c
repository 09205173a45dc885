/* The fast epilogues against the formula, and the stores. */
#include "test.h"

#include "base/cpu.h"
#include "base/view.h"
#include "chain/filter.h"
#include "formula/epilogue.h"
#include "formula/epilogue_kernels.h"
#include "ways.h"

enum { BATCH = 1000 };

typedef struct batch {
    epilogue finish;
    window_segment segment;
    int64_t filled;
    _Alignas(64) char sums[(BATCH + 8) * 8], squares[(BATCH + 8) * 8];
    _Alignas(64) unsigned char centres[BATCH * 4];
    double aux_samples[2][BATCH];
    _Alignas(64) char fast[BATCH * 8 + 64], plain[BATCH * 8 + 64];
} batch;

static _Alignas(64) batch samples;

typedef struct moments_case {
    satf_type in, out;
    int channels;
    bool weighted;
} moments_case;

/* By the formula alone; where areas change each pixel by itself. */
static void finish_plainly(batch *b)
{
    const window_segment *s = &b->segment;
    size_t sum = satf_sum_bytes(s->sum_type), square = satf_sum_bytes(s->square_type);
    size_t in = satf_type_bytes((int)b->finish.in_type),
           out = satf_type_bytes((int)b->finish.out_type);
    for (int64_t p = 0; p < s->n; p += s->areas ? 1 : s->n) {
        window_segment pixel = *s;
        size_t i = (size_t)(p * b->finish.channels);
        if (s->areas) {
            pixel.x = p;
            pixel.n = 1;
            pixel.area = (uint64_t)s->areas[i];
            pixel.areas = NULL;
        }
        pixel.sums = (const char *)s->sums + i * sum;
        pixel.squares = s->squares ? (const char *)s->squares + i * square : NULL;
        pixel.shifts = s->shifts ? s->shifts + i : NULL;
        pixel.centre = s->centre ? (const char *)s->centre + i * in : NULL;
        epilogue_by_formula(&b->finish, &pixel,
                            b->plain + (size_t)(p * b->finish.out_channels) * out);
    }
}

/* Finishes the segment both ways and compares so many bytes. */
static void compare(batch *b, size_t bytes, const char *what)
{
    memset(b->fast, 0x5a, sizeof b->fast);
    epilogue_segment(&b->finish, &b->segment, b->fast + 1); /* the output has no alignment */
    finish_plainly(b);
    if (memcmp(b->fast + 1, b->plain, bytes) != 0 || b->fast[bytes + 1] != 0x5a) {
        size_t at = 0;
        while (at < bytes && b->fast[at + 1] == b->plain[at]) {
            at++;
        }
        fail_msg("%s of %s to %s, %d channels, sums of %zu bytes, area %lu%s%s: first wrong sample "
                 "%zu of %zu",
                 what, satf_type_name((int)b->finish.in_type),
                 satf_type_name((int)b->finish.out_type), b->finish.channels,
                 satf_sum_bytes(b->segment.sum_type), (unsigned long)b->segment.area,
                 b->segment.areas ? ", growing" : "", b->finish.weighted ? ", weighted" : "",
                 at / satf_type_bytes((int)b->finish.out_type),
                 bytes / satf_type_bytes((int)b->finish.out_type));
    }
}

/* The segment reads what the filter does. */
static void use_sums(batch *b)
{
    epilogue_prepare(&b->finish, b->segment.sum_type, b->segment.square_type, b->segment.area,
                     b->segment.shifts != NULL);
    b->segment.sums = b->sums;
    b->segment.squares = filter_reads(b->finish.pass, FORMULA_SQUARE) ? b->squares : NULL;
    b->segment.centre = filter_reads(b->finish.pass, FORMULA_CENTRE) ? b->centres : NULL;
}

/* What is filled. */
static void flush(batch *b)
{
    b->segment.n = b->filled / b->finish.channels;
    use_sums(b);
    compare(b, (size_t)b->filled * satf_type_bytes((int)b->finish.out_type), "sums");
    b->filled = 0;
}

static void put(satf_sum_type type, void *sums, int64_t i, double real, uint64_t integer)
{
    uint16_t u16 = (uint16_t)integer;
    uint32_t u32 = (uint32_t)integer;
    size_t bytes = satf_sum_bytes(type);
    memcpy((char *)sums + (size_t)i * bytes,
           type == SATF_SUM_U16   ? (void *)&u16
           : type == SATF_SUM_U32 ? (void *)&u32
           : type == SATF_SUM_U64 ? (void *)&integer
                                  : (void *)&real,
           bytes);
}

static void add(batch *b, uint64_t sum, uint64_t square)
{
    put(b->segment.sum_type, b->sums, b->filled, 0, sum);
    put(b->segment.square_type, b->squares, b->filled, 0, square);
    if (++b->filled == BATCH) {
        flush(b);
    }
}

static void start(batch *b, const char *name, satf_type in, satf_type out, satf_sum_type sum,
                  satf_sum_type square, uint64_t area)
{
    satf_view from = satf_view_packed(NULL, 1, 1, 1, in), to = satf_view_packed(NULL, 1, 1, 1, out);
    static const unsigned char options[FILTER_OPTIONS_BYTES]; /* no formula here reads them */
    epilogue_init(&b->finish, filter_last(filter_info_find(name)), options, &from, &to, false);
    b->segment = (window_segment){.sum_type = sum, .square_type = square, .area = area};
    b->filled = 0;
}

static uint64_t random_below(uint64_t n)
{
    static uint64_t state = 1;
    return n ? ref_random(&state) % n : 0;
}

static satf_sum_type least_sum(satf_type in, satf_summand summand, uint64_t area,
                               satf_sum_type least)
{
    return satf_sum_type_for(in, summand, area, least);
}

/* Begins means by sums of that type; false: no sum of such windows has it. */
static bool start_mean(batch *b, satf_type type, int sum, uint64_t area)
{
    satf_sum_type made = least_sum(type, SATF_SUMMAND_PLAIN, area, (satf_sum_type)sum);
    if ((int)made == sum) {
        start(b, "box", type, type, made, made, area);
    }
    return (int)made == sum;
}

/* Every u8 sum of every window up to 16 x 16, and of some up to 40 x 40. */
TEST(test_mean_exhaustive)
{
    batch *b = &samples;
    char done[1601] = {0};
    for (uint64_t w = 1; w <= 40; w++) {
        for (uint64_t h = w; h <= 40; h += h < 16 ? 1 : 7) {
            uint64_t area = w * h;
            for (int sum = SATF_SUM_U16; sum <= SATF_SUM_U32 && !done[area]; sum++) {
                uint64_t sums = start_mean(b, SATF_U8, sum, area) ? 255 * area + 1 : 0;
                for (uint64_t n = 0; n < sums; n++) {
                    add(b, n, 0);
                }
                flush(b);
            }
            done[area] = 1;
        }
    }
}

/* Around each half of the quotient, where rounding turns, for large windows. */
TEST(test_mean_turns)
{
    static const uint64_t areas[] = {
        257,     289,     1601,    4093,     16129,    16383,    16384,     16385,   32749,
        65025,   65536,   65537,   65793,    66049,    99991,    1048573,   4194303, 4194304,
        4194305, 8388607, 8388609, 16777215, 16843009, 16843010, 4294836225};
    batch *b = &samples;
    static const satf_type types[] = {SATF_U8, SATF_U16};
    for (size_t t = 0; t < 2; t++) {
        uint64_t max = satf_type_max((int)types[t]);
        for (size_t k = 0; k < sizeof areas / sizeof *areas; k++) {
            for (int least = SATF_SUM_U32; least <= SATF_SUM_U64; least++) {
                if (!start_mean(b, types[t], least, areas[k])) {
                    continue;
                }
                for (uint64_t q = 0; q < 2 * max; q += t ? 29 : 1) {
                    uint64_t turn = (q * areas[k] + 1) / 2;
                    for (uint64_t d = 0; d < 5; d++) {
                        uint64_t sum = turn + d >= 2 ? turn + d - 2 : 0;
                        add(b, sum > max * areas[k] ? max * areas[k] : sum, 0);
                    }
                }
                add(b, max * areas[k], 0);
                flush(b);
            }
        }
    }
}

/* Small areas in 16 bits of sum for u16 have no kernel; every area's magic is
 * checked at the turns, and is found where the comment promises it. */
TEST(test_magic)
{
    for (uint64_t area = 3; area <= 256; area++) {
        epilogue_magic magic;
        assert_true(epilogue_magic_find(16, 255, area, &magic));
    }
    for (uint64_t area = 3; area < 1 << 22; area += 1 + area / 300) {
        epilogue_magic magic;
        assert_true(epilogue_magic_find(32, 255, area, &magic));
        for (uint64_t q = 1; q <= 255; q++) {
            uint64_t sum = q * area - area / 2; /* the first that rounds to q */
            for (uint64_t d = 0; d < 2; d++) {
                uint64_t high = (sum - d + magic.bias) * magic.multiplier >> 32 >> magic.shift;
                assert_int_equal(high, (2 * (sum - d) + area) / (2 * area));
            }
        }
    }
    epilogue_magic none;
    assert_false(epilogue_magic_find(16, 255, 257, &none));
    assert_false(epilogue_magic_find(32, 255, 0, &none));
    assert_false(epilogue_magic_find(32, 255, (uint64_t)1 << 40, &none));
}

/* Possible pairs of sum and sum of squares: S^2 / A <= S2 <= max * S. */
static void add_spreads(batch *b, uint64_t max, uint64_t area)
{
    add(b, 0, 0);
    add(b, max * area, max * max * area);
    for (int k = 0; k < 2000; k++) {
        uint64_t sum = random_below(max * area + 1);
        uint64_t mean = sum / area, rest = sum % area;
        /* the most even image with that sum, then anything up to the least even */
        uint64_t least = (area - rest) * mean * mean + rest * (mean + 1) * (mean + 1);
        uint64_t most = max * sum;
        uint64_t square = k % 3 == 0 ? least : least + random_below(most - least + 1);
        add(b, sum, square);
    }
    flush(b);
}

TEST(test_spread)
{
    static const uint64_t areas[] = {1,   2,   3,   4,    9,    49,    225,
                                     256, 257, 961, 1447, 1449, 16129, 65025};
    static const satf_type ins[] = {SATF_U8, SATF_U16}, outs[] = {SATF_F32, SATF_F64, SATF_U16};
    static const char *const names[] = {"variance", "stddev"};
    batch *b = &samples;
    for (size_t k = 0; k < sizeof areas / sizeof *areas; k++) {
        for (size_t i = 0; i < 12 * 2; i++) {
            satf_type in = ins[i % 2], out = outs[i / 2 % 3];
            satf_sum_type least = i / 12 ? SATF_SUM_U64 : SATF_SUM_U16;
            satf_sum_type sum = least_sum(in, SATF_SUMMAND_PLAIN, areas[k], least);
            satf_sum_type square = least_sum(in, SATF_SUMMAND_SQUARE, areas[k], least);
            start(b, names[i / 6 % 2], in, out, sum, square, areas[k]);
            add_spreads(b, satf_type_max((int)in), areas[k]);
        }
    }
}

/* Means as floats, and float sums with everything that is not finite. */
TEST(test_real_mean)
{
    static const double odd[] = {0, -0.0, 1e-310, INFINITY, -INFINITY, NAN, 1e308, -3.25};
    batch *b = &samples;
    for (uint64_t area = 1; area < 100000; area = area * 3 + 1) {
        for (int out = SATF_F32; out <= SATF_F64; out++) {
            for (int type = SATF_SUM_U16; type <= SATF_SUM_U64; type++) {
                start(b, "box", SATF_U8, (satf_type)out, (satf_sum_type)type, SATF_SUM_U64, area);
                uint64_t most = type == SATF_SUM_U16   ? 65535
                                : type == SATF_SUM_U32 ? UINT32_MAX
                                                       : (uint64_t)1 << 53;
                for (int k = 0; k < 1500; k++) {
                    add(b, k == 0 ? most : random_below(most), 0);
                }
                flush(b);
            }
            for (size_t f = 0; f < 3; f++) {
                const char *name = (const char *[]){"box", "variance", "stddev"}[f];
                start(b, name, SATF_F64, (satf_type)out, SATF_SUM_F64, SATF_SUM_F64, area);
                for (size_t k = 0; k < 64; k++) {
                    put(SATF_SUM_F64, b->sums, b->filled, odd[k % 8], 0);
                    put(SATF_SUM_F64, b->squares, b->filled++, odd[k / 8], 0);
                }
                flush(b);
            }
        }
    }
}

TEST(test_weighted)
{
    batch *b = &samples;
    static const satf_type types[] = {SATF_U8, SATF_U16};
    static const uint64_t areas[] = {1, 2, 9, 225, 961, 65025, 66000, 131071, 131073, 10000000};
    for (size_t i = 0; i < 2 * 3 * 10 * 2; i++) {
        satf_type type = types[i % 2];
        int channels = 2 + (int)(i / 2 % 3);
        uint64_t area = areas[i / 6 % 10], max = satf_type_max((int)type);
        satf_sum_type sum =
            least_sum(type, SATF_SUMMAND_WEIGHTED, area, i / 60 ? SATF_SUM_U64 : SATF_SUM_U32);
        start(b, "box", type, type, sum, sum, area);
        b->finish.channels = b->finish.out_channels = channels;
        b->finish.weighted = true;
        for (int64_t p = 0; p < BATCH / channels - 1; p++) {
            uint64_t alpha = p % 5 == 0   ? 0
                             : p % 5 == 1 ? max * area
                                          : random_below(max * area + 1);
            for (int c = 0; c < channels - 1; c++) {
                uint64_t value = random_below(2 * max + 1) * alpha;
                uint64_t colour = value / 2 + random_below(3);
                colour = colour > 0 ? colour - 1 : 0;
                add(b, colour > max * alpha ? max * alpha : colour, 0);
            }
            add(b, alpha, 0);
        }
        flush(b);
    }
}

static double stored(satf_type type, formula_value value)
{
    uint64_t raw = 0;
    formula_store((int)type, value, &raw);
    satf_view view = satf_view_packed(&raw, 1, 1, 1, type);
    return sample_at(&view, 0, 0);
}

/* 128 bits to double as the compiler does it here, ties among them. */
TEST(test_wide)
{
    for (int i = 0; i < 1000000; i++) {
        satf_u128 wide = (satf_u128)random_below(UINT64_MAX);
        wide = (wide << 53) + random_below(UINT64_MAX);
        wide = (wide << 53) + random_below(UINT64_MAX);
        int bits = 1 + i % 128, low = i / 128 % 128;
        wide >>= 128 - bits;
        if (low < bits) { /* ends in a half of the last place, more or less one */
            wide = (wide >> low << low) + (((satf_u128)1 << low) >> 1) + random_below(3) - 1;
        }
        assert_true(formula_double(wide) == (double)wide);
    }
}

TEST(test_store)
{
    static const struct {
        satf_type type;
        double from, to;
    } cases[] = {{SATF_U8, 0.5, 1},
                 {SATF_U8, 0.49999999999999994, 0},
                 {SATF_U8, 1.5, 2},
                 {SATF_U8, 2.5, 3},
                 {SATF_U8, -0.5, 0},
                 {SATF_U8, -3, 0},
                 {SATF_U8, 254.5, 255},
                 {SATF_U8, 255.49, 255},
                 {SATF_U8, 256, 255},
                 {SATF_U8, 1e300, 255},
                 {SATF_U8, NAN, 0},
                 {SATF_U8, INFINITY, 255},
                 {SATF_U8, -INFINITY, 0},
                 {SATF_U8, 7, 7},
                 {SATF_U16, 65535.5, 65535},
                 {SATF_U32, 4294967294.5, 4294967295.0},
                 {SATF_U32, 1e10, 4294967295.0},
                 {SATF_U64, 1e30, (double)UINT64_MAX},
                 {SATF_U64, 9007199254740993.0, 9007199254740993.0},
                 {SATF_F64, 0.1, 0.1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double got = stored(cases[k].type, formula_real(cases[k].from));
        if (got != cases[k].to) {
            fail_msg("%g became %g instead of %g", cases[k].from, got, cases[k].to);
        }
    }
    assert_true(stored(SATF_U8, formula_integer(300)) == 255);
    assert_true(stored(SATF_U16, formula_integer(70000)) == 65535);
    assert_true(stored(SATF_F32, formula_integer(16777217)) == 16777216);
    assert_true(isnan(stored(SATF_F32, formula_real(NAN))));
}

/* ------------------------------------------------------- every formula of windows */

/* Where a pixel's window holds `left` of a sample and alpha, and else another: its moments. */
static void put_moments(batch *b, int64_t pixel, const moments_case *t, uint64_t *seed)
{
    bool real = satf_type_is_float((int)t->in);
    uint64_t max = real ? 1000 : satf_type_max((int)t->in), area = b->segment.area;
    uint64_t left = ref_random(seed) % (area + 1), right = area - left;
    bool clear = ref_random(seed) % 8 == 0; /* fully transparent */
    uint64_t w = clear ? 0 : ref_random(seed) % (max + 1), v = clear ? 0 : max;
    double unit = real ? 1.0 / 1024 : 1;
    for (int c = 0; c < t->channels; c++) {
        int64_t i = pixel * t->channels + c;
        uint64_t a = ref_random(seed) % (max + 1), z = ref_random(seed) % 4 ? max - a : a;
        bool alpha = t->weighted && c == t->channels - 1;
        uint64_t aw = !t->weighted ? 1 : w, zw = !t->weighted ? 1 : v;
        uint64_t sum = alpha ? left * w + right * v : left * a * aw + right * z * zw;
        uint64_t square = alpha ? sum : left * a * a * aw + right * z * z * zw;
        put(b->segment.sum_type, b->sums, i, (double)sum * unit, sum);
        put(b->segment.square_type, b->squares, i, (double)square * unit * unit, square);
        satf_view centres = satf_view_packed(b->centres, BATCH / 4, 1, t->channels, t->in);
        put_at(&centres, 0, i, (double)a * unit);
    }
}

/* A run of one area, or of areas that change. */
static void compare_moments(batch *b, const char *name, const filter_pass *pass,
                            const void *options, const moments_case *t, uint64_t area, bool grows,
                            uint64_t seed)
{
    satf_view from = satf_view_packed(NULL, 1, 1, t->channels, t->in);
    satf_view to = satf_view_packed(NULL, 1, 1, t->channels - (pass->grey && t->weighted), t->out);
    double areas[BATCH], shifts[BATCH];
    epilogue_init(&b->finish, pass, options, &from, &to, t->weighted);
    for (int k = 0; k < 2; k++) {
        b->finish.aux[k] = satf_view_packed(b->aux_samples[k], BATCH / 4, 1, t->channels, SATF_F64);
        for (int64_t i = 0; i < BATCH / 4 * t->channels; i++) {
            b->aux_samples[k][i] = (double)((int64_t)(ref_random(&seed) >> 34) - (1 << 29));
        }
    }
    satf_summand plain = t->weighted ? SATF_SUMMAND_WEIGHTED : SATF_SUMMAND_PLAIN;
    satf_summand square = t->weighted ? SATF_SUMMAND_WEIGHTED_SQUARE : SATF_SUMMAND_SQUARE;
    b->segment = (window_segment){.n = BATCH / 4};
    satf_sum_type least = seed % 4 < 2 ? SATF_SUM_U16 : SATF_SUM_U64;
    b->segment.sum_type = least_sum(t->in, plain, area, least);
    b->segment.square_type = least_sum(t->in, square, area, least);
    for (int64_t p = 0; p < b->segment.n; p++) {
        int64_t up = p < 100 ? p : p < 150 ? 100 : BATCH / 4 - p; /* rises, stays, falls */
        b->segment.area = grows ? 1 + (area - 1) * (uint64_t)up / 100 : area;
        for (int c = 0; c < t->channels; c++) {
            areas[p * t->channels + c] = (double)b->segment.area;
        }
        put_moments(b, p, t, &seed);
    }
    b->segment.area = area;
    b->segment.areas = grows ? areas : NULL;
    static const double some[] = {0.1, -1e3, 3, 1e9};
    bool shifted = satf_type_is_float((int)t->in) && !filter_reads(pass, FORMULA_LUMA);
    for (int64_t i = 0; i < b->segment.n * t->channels; i++) {
        bool alpha = t->weighted && i % t->channels == t->channels - 1;
        shifts[i] = alpha ? 0 : some[(size_t)(i + i / 7) % 4];
    }
    b->segment.shifts = shifted && seed % 2 ? shifts : NULL;
    use_sums(b);
    compare(b, (size_t)(b->segment.n * to.channels) * satf_type_bytes((int)t->out), name);
}

/* Pass by pass, in all of the filter's ways; NULL behind the last. */
static const filter_pass *pass_at(const filter_info *info, int index)
{
    for (int w = 0; w < FILTER_MAX_WAYS; w++) {
        if (index < info->ways[w].count) {
            return &info->ways[w].list[index];
        }
        index -= info->ways[w].count;
    }
    return NULL;
}

/* Each two types with each area, weighted, and with areas that grow. */
TEST(test_formulas)
{
    static const satf_type ins[] = {SATF_U8, SATF_U16, SATF_F32};
    static const uint64_t areas[] = {1, 9, 225, 1448, 1449, 65537, 66049, 100003, 372181, 1000003};
    static pairs met;
    const filter_info *info;
    const filter_pass *pass;
    uint64_t seed = 1;
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        SCOPED_FILTER *filter;
        MUST(ctx, satf_filter_create(ctx, info->name, &filter));
        for (int r = 0; (pass = pass_at(info, r)); r++) {
            bool has_formula = pass_shape_of(pass)->windows && pass->kernel != KERNEL_VARIES;
            memset(&met, 0, sizeof met);
            for (int k = 0; has_formula && k < 3 * 6 * 2 * 10 * 2; k++, seed++) {
                int area = (k / 36 + k) % 10, grows = k / 360;
                bool weighted = k / 18 % 2 && filter_weighs(pass);
                int channels = pass->grey ? 1 + weighted : weighted ? 4 : 3;
                moments_case t = {ins[k % 3], (satf_type)(k / 3 % 6), channels, weighted};
                satf_summand square = weighted ? SATF_SUMMAND_WEIGHTED_SQUARE : SATF_SUMMAND_SQUARE;
                bool fits = least_sum(t.in, square, areas[area], SATF_SUM_U64) != SATF_SUM_U128;
                if (fits && PAIRS_ONLY(&met, k % 18, weighted, area, grows)) {
                    compare_moments(&samples, info->name, pass, filter_options(filter, 0), &t,
                                    areas[area], grows, seed);
                }
            }
        }
    }
}

TEST_FILE(.every_isa = true)
