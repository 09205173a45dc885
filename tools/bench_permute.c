/* The table `permute`: 1024 numbers from one array in shared memory to another
 * (dissertation, tables 4.2 to 4.4). */
#include "bench.h"

#include <math.h>
#include <string.h>

#include "../src/base/gpu.h"
#include "../src/base/view.h"
#include "../src/study/gpu.h"
#include "../src/study/machine.h"

enum { N = PATTERN_SMALL, BANKS = 32, TIMES = 50000 };

static const bench_column columns[] = {
    {"table", NULL, BENCH_TEXT, 0, false},
    {"pattern", "permutation", BENCH_TEXT, 12, false},
    {"name", "algorithm", BENCH_TEXT, 13, false},
    {"form", "form", BENCH_TEXT, 9, false},
    {"input", "type", BENCH_TEXT, 4, false},
    {"ns", "ns", BENCH_REAL, 8, true},
    {"ns_min", "min", BENCH_REAL, 8, true},
    {"copy_ns", "copy ns", BENCH_REAL, 8, true},
    {"x_copy", "x copy", BENCH_REAL, 6, true},
    {"a", NULL, BENCH_TEXT, 0, false},
    {"b", NULL, BENCH_TEXT, 0, false},
    {"p", NULL, BENCH_TEXT, 0, false},
    {"q", NULL, BENCH_TEXT, 0, false},
    {"s", NULL, BENCH_TEXT, 0, false},
    {"d", NULL, BENCH_TEXT, 0, false},
    {"reads", "reads", BENCH_INTEGER, 5, false},
    {"writes", "writes", BENCH_INTEGER, 6, false},
    {"read", "read", BENCH_REAL, 6, false},
    {"write", "write", BENCH_REAL, 6, false},
    {"stages", "stages", BENCH_REAL, 6, false},
    {"wide_read", "read 8", BENCH_REAL, 6, false},
    {"wide_write", "write 8", BENCH_REAL, 7, false},
    {"wide_stages", "stages 8", BENCH_REAL, 8, false},
    {NULL, NULL, BENCH_TEXT, 0, false},
};

/* reads: the arrays that a thread reads, in this order; then it writes to b. In place it takes
 * no array of indices. */
static const struct {
    const char *name;
    permute_way way;
    const char *reads;
} algorithms[] = {
    {"d-designated", PERMUTE_TO, "pa"},
    {"s-designated", PERMUTE_FROM, "qa"},
    {"conflict-free", PERMUTE_CONFLICT_FREE, "sda"},
    {"copy", PERMUTE_COPY, "a"},
};

enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

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

/* Accesses of a thread; stages of a warp's access to a and to b on average, and of all. */
typedef struct small_counts {
    double reads, writes, read, write, stages;
} small_counts;

/*
 * The machine that counts: how many banks, and which word element k is. Banks of 4 bytes serve
 * words of 8 bytes to half a warp at a time, from pairs of banks; its access is counted as one of
 * a narrower machine. Banks of 8 bytes (the dissertation's GeForce GTX 680) serve a whole warp;
 * of 4-byte words k and k + 32 lie side by side in one of their words.
 */
typedef struct small_banks {
    bool wide;
    int32_t width;
    int element_bytes;
} small_banks;

static small_banks choose_banks(const small_case *c, bool wide)
{
    int32_t width = wide || c->element_bytes == 4 ? BANKS : BANKS / 2;
    return (small_banks){wide, width, c->element_bytes};
}

static int64_t word_of(const small_banks *banks, uint32_t k)
{
    bool paired = banks->wide && banks->element_bytes == 4;
    return paired ? k / (2 * BANKS) * BANKS + k % BANKS : k;
}

/* Where thread i reads and writes: what the kernels of cuda/permute/small.cu do. */
static void find_elements(const small_case *c, uint32_t *source, uint32_t *place)
{
    for (uint32_t i = 0; i < N; i++) {
        source[i] = c->way == PERMUTE_FROM            ? c->table[1][i]
                    : c->way != PERMUTE_CONFLICT_FREE ? i
                    : c->in_place                     ? pattern_small_source(i)
                                                      : c->table[2][i];
        place[i] = c->way == PERMUTE_FROM || c->way == PERMUTE_COPY ? i : c->table[0][source[i]];
    }
}

/* A round: all threads access an array at index[i], or at i. *mean: a warp's stages. */
static satf_status access_array(const small_case *c, satf_machine *machine,
                                const small_banks *banks, bool write, const uint32_t *index,
                                double *mean)
{
    int64_t address[N], stages;
    for (uint32_t i = 0; i < N; i++) {
        address[i] = word_of(banks, index ? index[i] : i);
    }
    satf_status status = satf_machine_access(c->b->ctx, machine, 0, write, address, N, &stages);
    *mean = (double)stages * banks->width / N;
    return status ? status : satf_machine_end_round(c->b->ctx, machine);
}

static bool takes_array(const small_case *c, int algorithm, char array)
{
    return strchr(algorithms[algorithm].reads, array) && (array == 'a' || !c->in_place);
}

static satf_status count_rounds(const small_case *c, int algorithm, satf_machine *machine,
                                const small_banks *banks, small_counts *k)
{
    uint32_t source[N], place[N];
    double mean;
    satf_status status = SATF_OK;
    find_elements(c, source, place);
    for (const char *array = algorithms[algorithm].reads; *array && !status; array++) {
        if (takes_array(c, algorithm, *array)) {
            bool is_a = *array == 'a';
            status = access_array(c, machine, banks, false, is_a ? source : NULL, &mean);
            k->stages += mean;
            k->read = is_a ? mean : k->read;
        }
    }
    if (!status) {
        status = access_array(c, machine, banks, true, place, &k->write);
        k->stages += k->write;
    }
    return status;
}

static satf_status count(const small_case *c, int algorithm, bool wide, small_counts *k)
{
    small_banks banks = choose_banks(c, wide);
    satf_machine_params params = {banks.width, 1, 1, 1, 0};
    satf_machine_counts all;
    satf_machine *machine;
    *k = (small_counts){0};
    satf_status status = satf_machine_create(c->b->ctx, &params, &machine);
    if (!status) {
        status = count_rounds(c, algorithm, machine, &banks, k);
    }
    if (!status) {
        status = satf_machine_count(c->b->ctx, machine, &all);
    }
    if (!status) {
        const satf_machine_traffic *s = &all.shared;
        k->reads = (double)(s->free_reads.accesses + s->casual_reads.accesses) / N;
        k->writes = (double)(s->free_writes.accesses + s->casual_writes.accesses) / N;
    }
    satf_machine_destroy(machine);
    return status;
}

/* ----------------------------------------------------------------- measuring */

static satf_status run_way(small_case *c, permute_way way)
{
    permute_call call = {.ctx = c->b->ctx, .element_bytes = c->element_bytes};
    return machine_cuda()->permute(&call, way, c->in_place, c->which, c->in, c->out, c->there,
                                   TIMES);
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
    satf_cuda()->free(c->b->ctx, c->there);
    satf_cuda()->free(c->b->ctx, c->in);
    satf_cuda()->free(c->b->ctx, c->out);
}

/* ------------------------------------------------------------------- reports */

/* t: NULL where nothing was measured. */
static int report(const small_case *c, int algorithm, const bench_timing *t)
{
    small_counts narrow, wide;
    double ns = 1e6 / TIMES;
    satf_status status = count(c, algorithm, false, &narrow);
    if (!status) {
        status = count(c, algorithm, true, &wide);
    }
    if (status) {
        return bench_call_error(c->b, status, algorithms[algorithm].name);
    }
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
        {.text = takes_array(c, algorithm, 'a') ? "r" : NULL},
        {.text = "w"},
        {.text = takes_array(c, algorithm, 'p') ? "r" : NULL},
        {.text = takes_array(c, algorithm, 'q') ? "r" : NULL},
        {.text = takes_array(c, algorithm, 's') ? "r" : NULL},
        {.text = takes_array(c, algorithm, 'd') ? "r" : NULL},
        {.number = narrow.reads},
        {.number = narrow.writes},
        {.number = narrow.read},
        {.number = narrow.write},
        {.number = narrow.stages},
        {.number = wide.read},
        {.number = wide.write},
        {.number = wide.stages},
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
        status = bench_device_leaves(c->b, run_small, c, c->out,
                                     c->way == PERMUTE_COPY ? c->host : c->right,
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

/* The copy stands beside all others anyway: only its own name means it, and it has no indices that
 * could be computed in place. */
static bool is_wanted(const small_case *c, int algorithm, const char *text)
{
    bool is_copy = algorithms[algorithm].way == PERMUTE_COPY;
    return strcmp(text, "all") == 0
               ? !is_copy
               : strcmp(text, algorithms[algorithm].name) == 0 && !(is_copy && c->in_place);
}

static int check_names(const struct bench_values *wanted)
{
    for (int w = 0; w < wanted->count; w++) {
        const char *text = wanted->item[w].text;
        bool found = strcmp(text, "all") == 0;
        for (int a = 0; a < ALGORITHMS; a++) {
            found = found || strcmp(text, algorithms[a].name) == 0;
        }
        if (!found) {
            return bench_error(2,
                               "there is no algorithm \"%s\"; there are d-designated, "
                               "s-designated, conflict-free and copy",
                               text);
        }
    }
    return 0;
}

/* All algorithms that the option names, in both forms. */
static int run_case(small_case *c)
{
    const struct bench_values *wanted = &c->b->options.list[BENCH_ALGORITHMS];
    int failed = 0;
    for (int form = 0; form <= pattern_in_place(c->which) && !failed; form++) {
        c->in_place = form;
        for (int w = 0; w < wanted->count && !failed; w++) {
            for (int a = 0; a < ALGORITHMS && !failed; a++) {
                failed = is_wanted(c, a, wanted->item[w].text) ? run_one(c, a) : 0;
            }
        }
    }
    return failed;
}

static int run_all(bench *b)
{
    const struct bench_values *types = &b->options.list[BENCH_TYPES];
    const struct bench_values *patterns = &b->options.list[BENCH_PATTERNS];
    int failed = check_names(&b->options.list[BENCH_ALGORITHMS]);
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
            "counted by half warps; stages: with the indices; read 8, write 8, stages 8: "
            "in banks of 8 bytes, as in a GeForce GTX 680",
    .on_cuda = true,
    .run = run,
    .simulate = run_all,
};
