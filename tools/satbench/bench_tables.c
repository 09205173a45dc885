/* The tables that satbench has. */
#include "bench.h"

static const bench_table *const tables[] = {
    &bench_sat_table,      &bench_filter_table, &bench_model_table,   &bench_rap_table,
    &bench_amm_table,      &bench_giles_table,  &bench_permute_table, &bench_permute_global_table,
    &bench_coalesce_table,
};

enum { TABLES = sizeof tables / sizeof *tables };

const bench_table *bench_table_at(size_t index)
{
    return index < TABLES ? tables[index] : NULL;
}
