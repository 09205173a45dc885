/* The table `giles`: arrays of structs in shared memory, every number of fields, by
 * M. Giles' mapping and by plainer ones. */
#include "../src/base/gpu.h"
#include "../src/base/memory.h"
#include "../src/study/gpu.h"
#include "../src/study/machine.h"
#include "bench.h"

enum { BANKS = MACHINE_BANKS, MOST_FIELDS = MACHINE_MOST_FIELDS };

static const bench_column columns[] = {
    {"table", NULL, BENCH_TEXT, 0, false},
    {"I", "I", BENCH_INTEGER, 4, false},
    {"congestion", "congestion", BENCH_INTEGER, 10, false},
    {"words", "words", BENCH_INTEGER, 6, false},
    {"extra", "extra", BENCH_REAL, 8, false},
    {"congestion_unpadded", "unpadded", BENCH_INTEGER, 8, false},
    {"congestion_by_one", "I + 1", BENCH_INTEGER, 6, false},
    {NULL, NULL, BENCH_TEXT, 0, false},
};

/* Where field i of struct j lies, of structs of that many fields. */
typedef uint32_t mapping(uint32_t fields, uint32_t i, uint32_t j);

static uint32_t by_giles(uint32_t fields, uint32_t i, uint32_t j)
{
    return layout_giles(BANKS, fields, i, j);
}

static uint32_t unpadded(uint32_t fields, uint32_t i, uint32_t j)
{
    return layout_raw(fields, NULL, j, i);
}

static uint32_t by_one(uint32_t fields, uint32_t i, uint32_t j)
{
    return layout_padded(fields, NULL, j, i);
}

/* The worst of a warp's accesses, in both orders: word by word, and field by field. */
static int64_t congestion(satf_machine *machine, mapping *address_of, uint32_t fields)
{
    int64_t most = 0, words[BANKS], structs[BANKS];
    for (uint32_t i = 0; i < fields; i++) {
        for (uint32_t t = 0; t < BANKS; t++) {
            uint32_t word = i * BANKS + t;
            words[t] = address_of(fields, word % fields, word / fields);
            structs[t] = address_of(fields, i, t);
        }
        int64_t one = machine_warp_stages(machine, false, words, BANKS);
        int64_t other = machine_warp_stages(machine, false, structs, BANKS);
        most = one > most ? one : most;
        most = other > most ? other : most;
    }
    return most;
}

static int simulate(bench *b)
{
    satf_machine_params params = {BANKS, 1, 1, 1, 0};
    satf_machine *machine;
    satf_status status = satf_machine_create(b->ctx, &params, &machine);
    bool done = true;
    if (status) {
        return bench_call_error(b, status, "giles");
    }
    for (uint32_t fields = 1; fields <= MOST_FIELDS && done; fields++) {
        double words = layout_giles_words(BANKS, fields);
        double giles = (double)congestion(machine, by_giles, fields);
        double plain = (double)congestion(machine, unpadded, fields);
        double padded = (double)congestion(machine, by_one, fields);
        bench_value values[] = {
            {.text = "giles"},
            {.number = fields},
            {.number = giles},
            {.number = words},
            {.number = words / (fields * BANKS) - 1},
            {.number = plain},
            {.number = padded},
        };
        done = bench_report_add(b->report, values) &&
               bench_report_value(b->report, "Giles", fields, giles) &&
               bench_report_value(b->report, "unpadded", fields, plain) &&
               bench_report_value(b->report, "I + 1", fields, padded);
    }
    satf_machine_destroy(machine);
    return done ? 0 : bench_error(1, "out of memory for the report");
}

/* ------------------------------------------------------------------ measured */

#define WORDS (INT64_C(1) << 25) /* of all structs together, about */

static const bench_column cuda_columns[] = {
    {"table", NULL, BENCH_TEXT, 0, false},
    {"I", "I", BENCH_INTEGER, 4, false},
    {"structs", "structs", BENCH_INTEGER, 8, false},
    {"coalesced_us", "coalesced", BENCH_REAL, 9, false},
    {"giles_us", "giles us", BENCH_REAL, 8, false},
    {"giles_gbps", "GB/s", BENCH_REAL, 6, false},
    {"giles_x_coalesced", "x coal", BENCH_REAL, 6, false},
    {"unpadded_us", "unpadded", BENCH_REAL, 8, false},
    {"unpadded_x_coalesced", "x coal", BENCH_REAL, 6, false},
    {"strided_us", "strided", BENCH_REAL, 8, false},
    {"strided_x_coalesced", "x coal", BENCH_REAL, 6, false},
    {"copy_us", "copy us", BENCH_REAL, 8, false},
    {"congestion", "congestion", BENCH_INTEGER, 10, false},
    {"congestion_unpadded", "unpadded", BENCH_INTEGER, 8, false},
    {NULL, NULL, BENCH_TEXT, 0, false},
};

static const char *const way_names[MACHINE_STRUCT_COUNT] = {
#define WAY_NAME(NAME, name) name,
    MACHINE_STRUCTS(WAY_NAME)
#undef WAY_NAME
};

/* Structs of that many fields, on the device; the right result. */
typedef struct giles_case {
    bench *b;
    machine_struct way;
    uint32_t fields;
    int64_t structs;
    const uint32_t *host;
    uint32_t *right;
    void *in, *out;
} giles_case;

static satf_status run_way(const giles_case *c, machine_struct way)
{
    return machine_cuda()->structs(c->b->ctx, way, c->fields, c->in, c->out, c->structs);
}

static satf_status run_structs(void *user)
{
    const giles_case *c = user;
    return run_way(c, c->way);
}

static satf_status run_coalesced(void *user)
{
    return run_way(user, MACHINE_STRUCT_COALESCED);
}

static int check(giles_case *c, machine_struct way)
{
    size_t count = (size_t)c->structs * sizeof *c->right;
    bool right;
    c->way = way;
    satf_status status = bench_device_leaves(c->b, run_structs, c, c->out, c->right, count, &right);
    if (status) {
        return bench_call_error(c->b, status, way_names[way]);
    }
    return right ? 0
                 : bench_error(1, "%s, structs of %u words: the result is wrong", way_names[way],
                               (unsigned)c->fields);
}

/* Beside the coalesced form. */
static int measure_way(giles_case *c, machine_struct way, bench_timing *t)
{
    double bytes = 4.0 * (double)c->structs * (c->fields + 1);
    c->way = way;
    satf_status status = bench_measure(c->b, bytes, run_structs, run_coalesced, c, t);
    return status ? bench_call_error(c->b, status, way_names[way]) : check(c, way);
}

static int measure_fields(giles_case *c, satf_machine *machine)
{
    bench_timing t[MACHINE_STRUCT_COALESCED]; /* giles, unpadded, strided */
    machine_host_structs(MACHINE_STRUCT_COALESCED, c->fields, c->host, c->right, c->structs);
    int failed = check(c, MACHINE_STRUCT_COALESCED);
    /* of the others too */
    machine_host_structs(MACHINE_STRUCT_GILES, c->fields, c->host, c->right, c->structs);
    for (int way = 0; way < MACHINE_STRUCT_COALESCED && !failed; way++) {
        failed = measure_way(c, (machine_struct)way, &t[way]);
    }
    if (failed) {
        return failed;
    }
    const bench_timing *giles = &t[MACHINE_STRUCT_GILES], *plain = &t[MACHINE_STRUCT_UNPADDED],
                       *strided = &t[MACHINE_STRUCT_STRIDED];
    double gigabytes = 4e-9 * (double)c->structs * (c->fields + 1);
    bench_value values[] = {
        {.text = "giles"},
        {.number = c->fields},
        {.number = (double)c->structs},
        {.number = giles->peer_ms * 1e3},
        {.number = giles->ms * 1e3},
        {.number = gigabytes / (giles->ms * 1e-3)},
        {.number = giles->ms / giles->peer_ms},
        {.number = plain->ms * 1e3},
        {.number = plain->ms / plain->peer_ms},
        {.number = strided->ms * 1e3},
        {.number = strided->ms / strided->peer_ms},
        {.number = giles->copy_ms * 1e3},
        {.number = (double)congestion(machine, by_giles, c->fields)},
        {.number = (double)congestion(machine, unpadded, c->fields)},
    };
    bool done = bench_report_add(c->b->report, values);
    for (int way = 0; way < MACHINE_STRUCT_COALESCED && done; way++) {
        done = bench_report_point(c->b->report, way_names[way], c->fields, t[way].ms,
                                  t[way].ms / t[way].peer_ms);
    }
    return done ? 0 : bench_error(1, "out of memory for the report");
}

static int run_all(bench *b, satf_machine *machine, uint32_t *host, uint32_t *right)
{
    giles_case c = {.b = b, .host = host, .right = right};
    int failed = 0;
    for (int64_t i = 0; i < WORDS; i++) {
        host[i] = (uint32_t)i * 2654435761u;
    }
    satf_status status = bench_device_upload(b, host, WORDS * sizeof *host, "structs", &c.in);
    if (!status) {
        status = bench_device_upload(b, NULL, WORDS * sizeof *right, "results", &c.out);
    }
    if (status) {
        failed = bench_call_error(b, status, "giles");
    }
    for (uint32_t fields = 1; fields <= MOST_FIELDS && !failed; fields++) {
        c.fields = fields;
        c.structs = WORDS / fields / BANKS * BANKS;
        failed = measure_fields(&c, machine);
    }
    satf_cuda()->free(b->ctx, c.in);
    satf_cuda()->free(b->ctx, c.out);
    return failed;
}

static int run(bench *b)
{
    satf_machine_params params = {BANKS, 1, 1, 1, 0};
    satf_machine *machine;
    int failed = bench_needs_device(b);
    if (failed) {
        return failed;
    }
    satf_status status = satf_machine_create(b->ctx, &params, &machine);
    if (status) {
        return bench_call_error(b, status, "giles");
    }
    uint32_t *host = satf_alloc(WORDS * sizeof *host), *right = satf_alloc(WORDS * sizeof *right);
    failed = host && right ? run_all(b, machine, host, right)
                           : bench_error(1, "out of memory for the structs");
    satf_free(host);
    satf_free(right);
    satf_machine_destroy(machine);
    return failed;
}

const bench_table bench_giles_table = {
    .name = "giles",
    .help = "arrays of structs of I words in shared memory (Giles)",
    .columns = columns,
    .cuda_columns = cuda_columns,
    .x_title = "fields I of a struct, 32 structs",
    .y_title = "worst congestion",
    .note =
        "extra: the padding's share; I + 1: a word more behind each struct; the mapping "
        "promises a congestion of 1 for every I. us: structs "
        "of I words from global memory, a thread for each: through shared memory by Giles' mapping "
        "or unpadded, or strided, each from global memory; coalesced: words as they come",
    .on_cuda = true,
    .run = run,
    .simulate = simulate,
};
