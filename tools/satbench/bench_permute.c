/* The table `permute`: 1024 numbers from one array in shared memory to another
 * (dissertation, tables 4.2 to 4.4). */
#include "bench.h"

#include <math.h>
#include <string.h>

#include "../../src/base/device/gpu.h"
#include "../../src/base/view.h"
#include "../../src/study/gpu.h"
#include "../../src/study/machine.h"

enum { N = PATTERN_SMALL, BANKS = 32, TIMES = 50000 };

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
    bench_arrays arrays;  /* the numbers, and on the device the table */
    uint64_t host[N];
    permute_way way;
    bool in_place;
} small_case;

static void permute_fill_tables(small_case *c)
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

static int64_t permute_word_of(const small_banks *banks, uint32_t k)
{
    bool paired = banks->wide && banks->element_bytes == 4;
    return paired ? k / (2 * BANKS) * BANKS + k % BANKS : k;
}

/* The elements that thread i reads and writes, as in the kernels of cuda/study/small.cu. */
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

/* A warp's stages on average where all threads access an array at index[i], or at i. */
static double access_array(const small_banks *banks, const uint32_t *index)
{
    int64_t address[N], stages = 0;
    for (uint32_t i = 0; i < N; i++) {
        address[i] = permute_word_of(banks, index ? index[i] : i);
    }
    for (int32_t i = 0; i < (int32_t)N; i += banks->width) {
        stages += machine_stages(banks->width, false, address + i, (size_t)banks->width);
    }
    return (double)stages * banks->width / N;
}

static bool takes_array(const small_case *c, int algorithm, char array)
{
    return strchr(algorithms[algorithm].reads, array) && (array == 'a' || !c->in_place);
}

static small_counts permute_count(const small_case *c, int algorithm, bool wide)
{
    small_banks banks = choose_banks(c, wide);
    small_counts k = {.writes = 1};
    uint32_t source[N], place[N];
    find_elements(c, source, place);
    for (const char *array = algorithms[algorithm].reads; *array; array++) {
        if (takes_array(c, algorithm, *array)) {
            double mean = access_array(&banks, *array == 'a' ? source : NULL);
            k.reads++;
            k.stages += mean;
            k.read = *array == 'a' ? mean : k.read;
        }
    }
    k.write = access_array(&banks, place);
    k.stages += k.write;
    return k;
}

/* ----------------------------------------------------------------- measuring */

static satf_status permute_run_way(small_case *c, permute_way way)
{
    permute_call call = {.ctx = c->b->ctx, .element_bytes = c->element_bytes};
    return machine_cuda()->permute(&call, way, c->in_place, c->which, c->arrays.in[0],
                                   c->arrays.out, c->arrays.in[1], TIMES);
}

static satf_status run_small(void *user)
{
    small_case *c = user;
    return permute_run_way(c, c->way);
}

static satf_status permute_run_copy(void *user)
{
    return permute_run_way(user, PERMUTE_COPY);
}

/* Each number is another, of 4 bytes or 8. */
static satf_status open_case(small_case *c)
{
    bench *b = c->b;
    for (uint32_t i = 0; i < N; i++) {
        c->host[i] = (uint64_t)(2 * i + 1) << 32 | 2 * i;
    }
    satf_status status = bench_arrays_open(b, &c->arrays, N * (size_t)c->element_bytes);
    if (!status) {
        status = bench_device_upload(b, c->table, sizeof c->table, "tables", &c->arrays.in[1]);
    }
    return status ? status
                  : bench_device_upload(b, c->host, sizeof c->host, "numbers", &c->arrays.in[0]);
}

/* Fills in where the numbers are to go. */
static void fill_right(const small_case *c)
{
    size_t each = (size_t)c->element_bytes;
    for (uint32_t i = 0; i < N; i++) {
        uint32_t place = c->way == PERMUTE_COPY ? i : c->table[0][i];
        memcpy((char *)c->arrays.right + place * each, (const char *)c->host + i * each, each);
    }
}

static int permute_run_one(small_case *c, int algorithm)
{
    const char *name = algorithms[algorithm].name, *takes[] = {"a", "p", "q", "s", "d"};
    bench_timing t = {NAN, NAN, NAN, NAN, NAN, 0};
    int failed = 0;
    c->way = algorithms[algorithm].way;
    if (!c->b->options.simulate) {
        fill_right(c);
        failed = bench_measure_work(c->b, &c->arrays, sizeof c->host, run_small, permute_run_copy,
                                    c, name, pattern_name(c->which), &t);
    }
    if (failed) {
        return failed;
    }
    small_counts narrow = permute_count(c, algorithm, false),
                 wide = permute_count(c, algorithm, true);
    double ns = 1e6 / TIMES;
    for (size_t i = 0; i < sizeof takes / sizeof *takes; i++) {
        takes[i] = takes_array(c, algorithm, *takes[i]) ? "r" : NULL;
    }
    BENCH_REPORT(c->b, STRING(pattern_name(c->which)), STRING(name),
                 STRING(c->in_place ? "in-place" : "array"), STRING(satf_type_name(c->type)),
                 NUMBER(t.ms * ns), NUMBER(t.ms_min * ns), NUMBER(t.peer_ms * ns),
                 NUMBER(t.ms / t.peer_ms), STRING(takes[0]), STRING("w"), STRING(takes[1]),
                 STRING(takes[2]), STRING(takes[3]), STRING(takes[4]), NUMBER(narrow.reads),
                 NUMBER(narrow.writes), NUMBER(narrow.read), NUMBER(narrow.write),
                 NUMBER(narrow.stages), NUMBER(wide.read), NUMBER(wide.write), NUMBER(wide.stages));
    return 0;
}

/* The copy stands beside all others anyway: only its own name means it, and it has no indices that
 * could be computed in place. */
static bool permute_is_wanted(const small_case *c, int algorithm, const char *text)
{
    bool is_copy = algorithms[algorithm].way == PERMUTE_COPY;
    return strcmp(text, "all") == 0
               ? !is_copy
               : strcmp(text, algorithms[algorithm].name) == 0 && !(is_copy && c->in_place);
}

static int permute_check_names(const struct bench_values *wanted)
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
                failed = permute_is_wanted(c, a, wanted->item[w].text) ? permute_run_one(c, a) : 0;
            }
        }
    }
    return failed;
}

static int permute_run_table(bench *b)
{
    const struct bench_values *types = &b->options.list[BENCH_TYPES];
    const struct bench_values *patterns = &b->options.list[BENCH_PATTERNS];
    int failed = bench_needs_device(b);
    failed = failed ? failed : permute_check_names(&b->options.list[BENCH_ALGORITHMS]);
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
            permute_fill_tables(&c);
            satf_status status = b->options.simulate ? SATF_OK : open_case(&c);
            failed = status ? bench_call_error(b, status, pattern_name(c.which)) : run_case(&c);
            bench_arrays_close(b, &c.arrays);
        }
    }
    return failed;
}

const bench_table bench_permute_table = {
    .name = "permute",
    .help = "1024 numbers permuted in shared memory (dissertation, tables 4.2 to 4.4)",
    .defaults = {{BENCH_TYPES, "f64,f32"},
                 {BENCH_ALGORITHMS, "all"},
                 {BENCH_PATTERNS, "identical,random,transpose,shuffle,bit-reversal"}},
    .takes = " simulate ",
    .columns = {{"pattern", "permutation", 't', 12},
                {"name", "algorithm", 't', 13},
                {"form", "form", 't', 9},
                {"input", "type", 't', 4},
                {"ns", "ns", 'R', 8},
                {"ns_min", "min", 'R', 8},
                {"copy_ns", "copy ns", 'R', 8},
                {"x_copy", "x copy", 'R', 6},
                {"a", NULL, 't', 0},
                {"b", NULL, 't', 0},
                {"p", NULL, 't', 0},
                {"q", NULL, 't', 0},
                {"s", NULL, 't', 0},
                {"d", NULL, 't', 0},
                {"reads", "reads", 'i', 5},
                {"writes", "writes", 'i', 6},
                {"read", "read", 'r', 6},
                {"write", "write", 'r', 6},
                {"stages", "stages", 'r', 6},
                {"wide_read", "read 8", 'r', 6},
                {"wide_write", "write 8", 'r', 7},
                {"wide_stages", "stages 8", 'r', 8}},
    .note = "ns: of one permutation by a block of 1024 threads; copy: b[i] = a[i]. read, write: "
            "stages of a warp's access to a and b in 32 banks of 4 bytes, those of 8 bytes "
            "counted by half warps; stages: with the indices; read 8, write 8, stages 8: "
            "in banks of 8 bytes, as in a GeForce GTX 680",
    .on_cuda = true,
    .run = permute_run_table,
    .simulate = permute_run_table,
};
