/* The table `permute`: 1024 numbers from one array in shared memory to another
 * (dissertation, tables 4.2 to 4.4). */
#include "bench.h"

#include <math.h>
#include <string.h>

#include "../src/base/gpu.h"
#include "../src/base/view.h"
#include "../src/study/gpu.h"

enum { N = PATTERN_SMALL, BANKS = 32, TIMES = 50000 };

static const bench_column columns[] = {
    {"table", NULL, BENCH_TEXT, 0, false},        {"pattern", "permutation", BENCH_TEXT, 12, false},
    {"name", "algorithm", BENCH_TEXT, 13, false}, {"form", "form", BENCH_TEXT, 9, false},
    {"input", "type", BENCH_TEXT, 4, false},      {"ns", "ns", BENCH_REAL, 8, true},
    {"ns_min", "min", BENCH_REAL, 8, true},       {"copy_ns", "copy ns", BENCH_REAL, 8, true},
    {"x_copy", "x copy", BENCH_REAL, 6, true},    {NULL, "paper ns", BENCH_REAL, 8, true},
    {NULL, "paper x", BENCH_REAL, 7, true},       {"read", "read", BENCH_REAL, 6, false},
    {"write", "write", BENCH_REAL, 6, false},     {"stages", "stages", BENCH_REAL, 6, false},
    {NULL, "paper", BENCH_REAL, 6, false},        {NULL, NULL, BENCH_TEXT, 0, false},
};

static const struct {
    const char *name;
    permute_way way;
} algorithms[] = {
    {"d-designated", PERMUTE_TO},
    {"s-designated", PERMUTE_FROM},
    {"conflict-free", PERMUTE_CONFLICT_FREE},
};

enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

/* By type, pattern, form and algorithm: ns of tables 4.2 and 4.4, costs of table 4.3. 0: none. */
typedef struct paper_row {
    double copy_ns;
    double ns[PATTERN_COUNT][2][ALGORITHMS];
    double cost[PATTERN_COUNT][2][ALGORITHMS];
} paper_row;

static const paper_row paper[2] = {
    /* f32 */
    {102.8,
     {[PATTERN_IDENTICAL] = {{135.5, 123.6, 164.9}},
      [PATTERN_RANDOM] = {{245.9, 265.8, 164.9}},
      [PATTERN_TRANSPOSE] = {{876.3, 891.0, 164.7}, {839.3, 847.5, 105.5}},
      [PATTERN_SHUFFLE] = {{135.3, 183.2, 164.9}, {104.0, 161.3, 105.0}},
      [PATTERN_BIT_REVERSAL] = {{876.3, 891.2, 164.8}, {862.0, 870.5, 108.9}}},
     {[PATTERN_IDENTICAL] = {{3, 3, 4}},
      [PATTERN_RANDOM] = {{5.37, 5.37, 4}},
      [PATTERN_TRANSPOSE] = {{18, 18, 4}, {17, 17, 2}},
      [PATTERN_SHUFFLE] = {{3, 4, 4}, {2, 3, 2}},
      [PATTERN_BIT_REVERSAL] = {{18, 18, 4}, {17, 17, 2}}}},
    /* f64 */
    {102.8,
     {[PATTERN_IDENTICAL] = {{135.4, 124.4, 167.1}},
      [PATTERN_RANDOM] = {{247.8, 275.5, 166.7}},
      [PATTERN_TRANSPOSE] = {{1684, 1696, 167.1}, {1626, 1633, 105.4}},
      [PATTERN_SHUFFLE] = {{178.4, 183.4, 166.9}, {160.0, 161.3, 105.4}},
      [PATTERN_BIT_REVERSAL] = {{1684, 1697, 166.9}, {1668, 1677, 109.0}}},
     {[PATTERN_IDENTICAL] = {{3, 3, 4}},
      [PATTERN_RANDOM] = {{5.46, 5.46, 4}},
      [PATTERN_TRANSPOSE] = {{34, 34, 4}, {33, 33, 2}},
      [PATTERN_SHUFFLE] = {{4, 4, 4}, {3, 3, 2}},
      [PATTERN_BIT_REVERSAL] = {{34, 34, 4}, {33, 33, 2}}}},
};

/* One permutation, and what its algorithms read and write. */
typedef struct small_case {
    bench *b;
    pattern which;
    int type, element_bytes;
    uint32_t table[4][N]; /* p, q, s, d */
    void *there;          /* the same on the device */
    void *in, *out;       /* arrays there */
    uint64_t host[N], right[N];
    permute_way way;
    bool in_place;
} small_case;

static void fill_tables(small_case *c)
{
    static colour_edge edges[SCHEDULE_EDGES(N)];
    static uint32_t words[SCHEDULE_WORDS(N, BANKS)];
    uint16_t p[N], s[N], d[N];
    pattern_fill(c->which, BANKS, N / BANKS, (uint64_t)c->b->options.seed, c->table[0]);
    for (uint32_t i = 0; i < N; i++) {
        c->table[1][c->table[0][i]] = i;
        p[i] = (uint16_t)c->table[0][i];
    }
    schedule_build(p, N, BANKS, s, d, edges, words);
    for (uint32_t i = 0; i < N; i++) {
        c->table[2][i] = s[i];
        c->table[3][i] = d[i];
    }
}

/* ------------------------------------------------------------------ counting */

/* Stages of one access by all warps, a warp, on average: banks of 4 bytes. Words of 8 bytes are
 * served to half a warp at a time, which is counted as half a stage. */
static double stages(const uint32_t *index, int element_bytes)
{
    uint32_t at_once = element_bytes == 4 ? BANKS : BANKS / 2, sum = 0;
    for (uint32_t i = 0; i < N; i += at_once) {
        sum += schedule_congestion(index + i, at_once, at_once);
    }
    return (double)sum / (N / at_once);
}

/* Where thread i reads and writes: what the kernels of cuda/permute/small.cu do. */
static void count(const small_case *c, double *read, double *write)
{
    uint32_t source[N], place[N];
    for (uint32_t i = 0; i < N; i++) {
        source[i] = c->way == PERMUTE_TO     ? i
                    : c->way == PERMUTE_FROM ? c->table[1][i]
                    : c->in_place            ? pattern_small_source(i)
                                             : c->table[2][i];
        place[i] = c->way == PERMUTE_FROM ? i : c->table[0][source[i]];
    }
    *read = stages(source, c->element_bytes);
    *write = stages(place, c->element_bytes);
}

/* ----------------------------------------------------------------- measuring */

static satf_status run_way(small_case *c, permute_way way)
{
    permute_call call = {.ctx = c->b->ctx, .element_bytes = c->element_bytes};
    return machine_cuda_permute(&call, way, c->in_place, c->which, c->in, c->out, c->there, TIMES);
}

static satf_status run_small(void *user)
{
    small_case *c = user;
    return run_way(c, c->way);
}

static satf_status run_copy(void *user)
{
    return run_way(user, PERMUTE_COPY);
}

/* Each number is another, of 4 bytes or 8; where they are to go. */
static void fill_numbers(small_case *c)
{
    size_t each = (size_t)c->element_bytes;
    for (uint32_t i = 0; i < N; i++) {
        c->host[i] = (uint64_t)(2 * i + 1) << 32 | 2 * i;
    }
    for (uint32_t i = 0; i < N; i++) {
        memcpy((char *)c->right + c->table[0][i] * each, (const char *)c->host + i * each, each);
    }
}

static satf_status open_case(small_case *c)
{
    bench *b = c->b;
    satf_status status = bench_device_upload(b, c->table, sizeof c->table, "tables", &c->there);
    if (!status) {
        status = bench_device_upload(b, c->host, sizeof c->host, "the numbers", &c->in);
    }
    return status ? status : bench_device_upload(b, NULL, sizeof c->host, "the result", &c->out);
}

static void close_case(small_case *c)
{
    satf_gpu_free(c->b->ctx, c->there);
    satf_gpu_free(c->b->ctx, c->in);
    satf_gpu_free(c->b->ctx, c->out);
}

/* ------------------------------------------------------------------- reports */

/* t: NULL where nothing was measured. */
static int report(const small_case *c, int algorithm, const bench_timing *t)
{
    const paper_row *printed = &paper[c->type == SATF_F64];
    double paper_ns = bench_or_none(printed->ns[c->which][c->in_place][algorithm]);
    double read, write, ns = 1e6 / TIMES;
    count(c, &read, &write);
    /* the indices come from shared memory too */
    double indices = c->in_place ? 0 : c->way == PERMUTE_CONFLICT_FREE ? 2 : 1;
    const bench_value values[] = {
        {.text = "permute"},
        {.text = pattern_name(c->which)},
        {.text = algorithms[algorithm].name},
        {.text = c->in_place ? "in-place" : "array"},
        {.text = satf_type_name(c->type)},
        {.number = t ? t->ms * ns : (double)NAN},
        {.number = t ? t->ms_min * ns : (double)NAN},
        {.number = t ? t->peer_ms * ns : (double)NAN},
        {.number = t ? t->ms / t->peer_ms : (double)NAN},
        {.number = paper_ns},
        {.number = paper_ns / printed->copy_ns},
        {.number = read},
        {.number = write},
        {.number = read + write + indices},
        {.number = bench_or_none(printed->cost[c->which][c->in_place][algorithm])},
    };
    return bench_report_add(c->b->report, values) ? 0
                                                  : bench_error(1, "out of memory for the report");
}

static int run_one(small_case *c, int algorithm)
{
    bench_timing timing;
    bool right;
    c->way = algorithms[algorithm].way;
    if (c->b->options.simulate) {
        return report(c, algorithm, NULL);
    }
    satf_status status = bench_measure(c->b, sizeof c->host, run_small, run_copy, c, &timing);
    if (!status) {
        status = bench_device_leaves(c->b, run_small, c, c->out, c->right,
                                     N * (size_t)c->element_bytes, &right);
    }
    if (status) {
        return bench_call_error(c->b, status, algorithms[algorithm].name);
    }
    if (!right) {
        return bench_error(1, "%s, %s: the result is wrong", algorithms[algorithm].name,
                           pattern_name(c->which));
    }
    return report(c, algorithm, &timing);
}

/* All algorithms that the option names, in both forms. */
static int run_case(small_case *c)
{
    const struct bench_values *wanted = &c->b->options.list[BENCH_ALGORITHMS];
    int failed = 0;
    for (int form = 0; form <= pattern_in_place(c->which) && !failed; form++) {
        c->in_place = form;
        for (int w = 0; w < wanted->count && !failed; w++) {
            bool all = strcmp(wanted->item[w].text, "all") == 0, found = false;
            for (int a = 0; a < ALGORITHMS && !failed; a++) {
                if (all || strcmp(wanted->item[w].text, algorithms[a].name) == 0) {
                    failed = run_one(c, a);
                    found = true;
                }
            }
            if (!found) {
                return bench_error(2,
                                   "there is no algorithm \"%s\"; there are d-designated, "
                                   "s-designated and conflict-free",
                                   wanted->item[w].text);
            }
        }
    }
    return failed;
}

static int run_all(bench *b)
{
    const struct bench_values *types = &b->options.list[BENCH_TYPES];
    const struct bench_values *patterns = &b->options.list[BENCH_PATTERNS];
    int failed = 0;
    for (int t = 0; t < types->count && !failed; t++) {
        int type = types->item[t].input;
        if (!satf_type_is_float(type) || types->item[t].output != SATF_TYPE_AUTO) {
            return bench_error(2, "the table permute has the types f32 and f64, not %s",
                               types->item[t].text);
        }
        for (int p = 0; p < patterns->count && !failed; p++) {
            static small_case c;
            c = (small_case){.b = b,
                             .which = (pattern)patterns->item[p].number,
                             .type = type,
                             .element_bytes = (int)satf_type_bytes(type)};
            fill_tables(&c);
            fill_numbers(&c);
            satf_status status = b->options.simulate ? SATF_OK : open_case(&c);
            failed = status ? bench_call_error(b, status, pattern_name(c.which)) : run_case(&c);
            close_case(&c);
        }
    }
    return failed;
}

static int run(bench *b)
{
    int failed = bench_needs_device(b);
    return failed ? failed : run_all(b);
}

const bench_table bench_permute_table = {
    .name = "permute",
    .help = "1024 numbers permuted in shared memory (dissertation, tables 4.2 to 4.4)",
    .defaults = {[BENCH_TYPES] = "f64,f32",
                 [BENCH_ALGORITHMS] = "all",
                 [BENCH_PATTERNS] = "identical,random,transpose,shuffle,bit-reversal"},
    .columns = columns,
    .note = "ns: of one permutation by a block of 1024 threads; copy: b[i] = a[i]. read, write: "
            "stages of a warp's access to a and b in 32 banks of 4 bytes, those of 8 bytes "
            "counted by half warps; stages: with the indices. paper: A. Kasagi's dissertation "
            "(2015), a GeForce GTX 680, whose banks are of 8 bytes",
    .on_cuda = true,
    .run = run,
    .simulate = run_all,
};
