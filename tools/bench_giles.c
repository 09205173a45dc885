/* The table `giles`: arrays of structs in shared memory, every number of fields, by
 * M. Giles' mapping and by plainer ones. */
#include "../src/machine/machine.h"
#include "bench.h"

enum { BANKS = 32, MOST_FIELDS = 128 };

static const bench_column columns[] = {
    {"table", NULL, BENCH_TEXT, 0, false},
    {"I", "I", BENCH_INTEGER, 4, false},
    {"congestion", "congestion", BENCH_INTEGER, 10, false},
    {"words", "words", BENCH_INTEGER, 6, false},
    {"extra", "extra", BENCH_REAL, 8, false},
    {"congestion_unpadded", "unpadded", BENCH_INTEGER, 8, false},
    {"congestion_by_one", "I + 1", BENCH_INTEGER, 6, false},
    {NULL, "paper", BENCH_INTEGER, 5, false},
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
            {.number = 1},
        };
        done = bench_report_add(b->report, values) &&
               bench_report_value(b->report, "Giles", fields, giles) &&
               bench_report_value(b->report, "unpadded", fields, plain) &&
               bench_report_value(b->report, "I + 1", fields, padded);
    }
    satf_machine_destroy(machine);
    return done ? 0 : bench_error(1, "out of memory for the report");
}

const bench_table bench_giles_table = {
    .name = "giles",
    .help = "arrays of structs of I words in shared memory (Giles)",
    .columns = columns,
    .x_title = "fields I of a struct, 32 structs",
    .y_title = "worst congestion",
    .note = "extra: the padding's share; I + 1: a word more behind each struct; paper: M. Giles, "
            "Array transposition in CUDA shared memory, free of conflicts for every I",
    .simulate = simulate,
};
