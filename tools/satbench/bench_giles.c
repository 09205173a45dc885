/* The table `giles`: arrays of structs in shared memory, every number of fields, by
 * M. Giles' mapping and by plainer ones. */
#include "../../src/base/device/gpu.h"
#include "../../src/base/memory.h"
#include "../../src/study/gpu.h"
#include "../../src/study/machine.h"
#include "bench.h"

enum { BANKS = MACHINE_BANKS, MOST_FIELDS = MACHINE_MOST_FIELDS };

/* The place of field i of struct j, of structs of that many fields. */
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
static int64_t giles_congestion(mapping *address_of, uint32_t fields)
{
    int64_t most = 0, words[BANKS], structs[BANKS];
    for (uint32_t i = 0; i < fields; i++) {
        for (uint32_t t = 0; t < BANKS; t++) {
            uint32_t word = i * BANKS + t;
            words[t] = address_of(fields, word % fields, word / fields);
            structs[t] = address_of(fields, i, t);
        }
        int64_t one = machine_stages(BANKS, false, words, BANKS);
        int64_t other = machine_stages(BANKS, false, structs, BANKS);
        most = one > most ? one : most;
        most = other > most ? other : most;
    }
    return most;
}

static int giles_simulate(bench *b)
{
    for (uint32_t fields = 1; fields <= MOST_FIELDS; fields++) {
        double words = layout_giles_words(BANKS, fields);
        double giles = (double)giles_congestion(by_giles, fields);
        double plain = (double)giles_congestion(unpadded, fields);
        double padded = (double)giles_congestion(by_one, fields);
        BENCH_REPORT(b, NUMBER(fields), NUMBER(giles), NUMBER(words),
                     NUMBER(words / (fields * BANKS) - 1), NUMBER(plain), NUMBER(padded));
        bench_report_value(b->report, "Giles", fields, giles);
        bench_report_value(b->report, "unpadded", fields, plain);
        bench_report_value(b->report, "I + 1", fields, padded);
    }
    return 0;
}

/* ------------------------------------------------------------------ measured */

#define WORDS (INT64_C(1) << 25) /* of all structs together, about */

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
    uint32_t *host;
    bench_arrays arrays;
} giles_case;

static satf_status giles_run_way(const giles_case *c, machine_struct way)
{
    return machine_cuda()->structs(c->b->ctx, way, c->fields, c->arrays.in[0], c->arrays.out,
                                   c->structs);
}

static satf_status run_structs(void *user)
{
    const giles_case *c = user;
    return giles_run_way(c, c->way);
}

static satf_status giles_run_coalesced(void *user)
{
    return giles_run_way(user, MACHINE_STRUCT_COALESCED);
}

/* Each way beside the coalesced form. */
static int measure_ways(giles_case *c, bench_timing *t)
{
    double bytes = 4.0 * (double)c->structs * (c->fields + 1);
    char kind[40];
    snprintf(kind, sizeof kind, "structs of %u words", (unsigned)c->fields);
    c->arrays.bytes = (size_t)c->structs * sizeof *c->host;
    machine_host_structs(MACHINE_STRUCT_COALESCED, c->fields, c->host, c->arrays.right, c->structs);
    int failed = bench_check_work(c->b, &c->arrays, giles_run_coalesced, c,
                                  way_names[MACHINE_STRUCT_COALESCED], kind);
    /* of the others too */
    machine_host_structs(MACHINE_STRUCT_GILES, c->fields, c->host, c->arrays.right, c->structs);
    for (int way = 0; way < MACHINE_STRUCT_COALESCED && !failed; way++) {
        c->way = (machine_struct)way;
        failed = bench_measure_work(c->b, &c->arrays, bytes, run_structs, giles_run_coalesced, c,
                                    way_names[way], kind, &t[way]);
    }
    return failed;
}

static void giles_report(const giles_case *c, const bench_timing *t)
{
    const bench_timing *giles = &t[MACHINE_STRUCT_GILES], *plain = &t[MACHINE_STRUCT_UNPADDED],
                       *strided = &t[MACHINE_STRUCT_STRIDED];
    double gigabytes = 4e-9 * (double)c->structs * (c->fields + 1);
    BENCH_REPORT(c->b, NUMBER(c->fields), NUMBER(c->structs), NUMBER(giles->peer_ms * 1e3),
                 NUMBER(giles->ms * 1e3), NUMBER(gigabytes / (giles->ms * 1e-3)),
                 NUMBER(giles->ms / giles->peer_ms), NUMBER(plain->ms * 1e3),
                 NUMBER(plain->ms / plain->peer_ms), NUMBER(strided->ms * 1e3),
                 NUMBER(strided->ms / strided->peer_ms), NUMBER(giles->copy_ms * 1e3),
                 NUMBER(giles_congestion(by_giles, c->fields)),
                 NUMBER(giles_congestion(unpadded, c->fields)));
    for (int way = 0; way < MACHINE_STRUCT_COALESCED; way++) {
        bench_report_point(c->b->report, way_names[way], c->fields, t[way].ms,
                           t[way].ms / t[way].peer_ms);
    }
}

static int giles_run(bench *b)
{
    bench_timing t[MACHINE_STRUCT_COALESCED]; /* giles, unpadded, strided */
    giles_case c = {.b = b};
    int failed = bench_needs_device(b);
    if (failed) {
        return failed;
    }
    c.host = satf_alloc(WORDS * sizeof *c.host);
    satf_status status = c.host ? bench_arrays_open(b, &c.arrays, WORDS * sizeof *c.host)
                                : satf_fail_memory(b->ctx, WORDS * sizeof *c.host, "structs");
    for (int64_t i = 0; i < WORDS && !status; i++) {
        c.host[i] = (uint32_t)i * 2654435761u;
    }
    if (!status) {
        status = bench_device_upload(b, c.host, WORDS * sizeof *c.host, "structs", &c.arrays.in[0]);
    }
    failed = status ? bench_call_error(b, status, "giles") : 0;
    for (c.fields = 1; c.fields <= MOST_FIELDS && !failed; c.fields++) {
        c.structs = WORDS / c.fields / BANKS * BANKS;
        failed = measure_ways(&c, t);
        if (!failed) {
            giles_report(&c, t);
        }
    }
    bench_arrays_close(b, &c.arrays);
    satf_free(c.host);
    return failed;
}

const bench_table bench_giles_table = {
    .name = "giles",
    .help = "arrays of structs of I words in shared memory (Giles)",
    .takes = " simulate plot ",
    .columns = {{"I", "I", 'i', 4},
                {"congestion", "congestion", 'i', 10},
                {"words", "words", 'i', 6},
                {"extra", "extra", 'r', 8},
                {"congestion_unpadded", "unpadded", 'i', 8},
                {"congestion_by_one", "I + 1", 'i', 6}},
    .cuda_columns = {{"I", "I", 'i', 4},
                     {"structs", "structs", 'i', 8},
                     {"coalesced_us", "coalesced", 'r', 9},
                     {"giles_us", "giles us", 'r', 8},
                     {"giles_gbps", "GB/s", 'r', 6},
                     {"giles_x_coalesced", "x coal", 'r', 6},
                     {"unpadded_us", "unpadded", 'r', 8},
                     {"unpadded_x_coalesced", "x coal", 'r', 6},
                     {"strided_us", "strided", 'r', 8},
                     {"strided_x_coalesced", "x coal", 'r', 6},
                     {"copy_us", "copy us", 'r', 8},
                     {"congestion", "congestion", 'i', 10},
                     {"congestion_unpadded", "unpadded", 'i', 8}},
    .x_title = "fields I of a struct, 32 structs",
    .y_title = "worst congestion",
    .note =
        "extra: the padding's share; I + 1: a word more behind each struct; the mapping "
        "promises a congestion of 1 for every I. us: structs "
        "of I words from global memory, a thread for each: through shared memory by Giles' mapping "
        "or unpadded, or strided, each from global memory; coalesced: words as they come",
    .on_cuda = true,
    .run = giles_run,
    .simulate = giles_simulate,
};
