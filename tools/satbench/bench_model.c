/* The table `model`: tables 5.1 and 6.1 of the dissertation, the programs' accesses counted
 * on the memory machines beside the closed formulas. */
#include <math.h>
#include <string.h>

#include "../../src/base/memory.h"
#include "../../src/study/machine.h"
#include "bench.h"

enum { MOST_SIDE = 1 << 15 }; /* addresses of permutations are 32-bit */

/* Whether the program depends on the permutation; table 5.1's others do not. */
static bool takes_permutation(const machine_program *p)
{
    return p->run == machine_run_d_designated || p->run == machine_run_s_designated;
}

static double tally(const satf_machine_tally *t, double n)
{
    return (double)t->accesses / n;
}

static void model_report(bench *b, const machine_program *p, const machine_case *c,
                         const satf_machine_counts *k)
{
    const satf_machine_traffic *g = &k->global, *s = &k->shared;
    double n = (double)c->side * (double)c->side;
    machine_formula f = p->formula(c, 1, b->options.latency);
    double time = (double)(p->asynchronous ? g->time : k->time);
    double global = tally(&g->free_reads, n) + tally(&g->free_writes, n) +
                    tally(&g->casual_reads, n) + tally(&g->casual_writes, n);
    double shared_reads = tally(&s->free_reads, n) + tally(&s->casual_reads, n);
    double shared_writes = tally(&s->free_writes, n) + tally(&s->casual_writes, n);
    BENCH_REPORT(
        b, STRING(p->name), STRING(takes_permutation(p) ? pattern_name(c->permutation) : NULL),
        NUMBER(c->w), NUMBER(n), NUMBER(p->run == machine_run_1_r ? c->r : NAN),
        NUMBER(tally(&g->free_reads, n)), NUMBER(tally(&g->free_writes, n)),
        NUMBER(tally(&g->casual_reads, n)), NUMBER(tally(&g->casual_writes, n)),
        NUMBER(shared_reads), NUMBER(shared_writes), NUMBER(global + shared_reads + shared_writes),
        NUMBER(k->barriers), NUMBER(time), NUMBER(f.time), NUMBER(time / f.time), STRING(p->text));
    char line[64];
    snprintf(line, sizeof line, "%s%s%s", p->name, takes_permutation(p) ? ", " : "",
             takes_permutation(p) ? pattern_name(c->permutation) : "");
    bench_report_value(b->report, line, c->w, time);
}

static int run_program(bench *b, const machine_program *p, const machine_case *c)
{
    satf_machine_counts counts;
    satf_status status = machine_program_count(b->ctx, p, c, 1, b->options.latency, &counts);
    if (status) {
        return bench_call_error(b, status, p->name);
    }
    model_report(b, p, c, &counts);
    return 0;
}

/* The D- and S-designated algorithms, over all permutations that the side allows. */
static int run_permutations(bench *b, const machine_program *program, machine_case *c)
{
    uint32_t side = (uint32_t)c->side, n = side * side;
    int failed = 0;
    if (!bench_fits(b, program->name, 2.0 * n * sizeof *c->p)) {
        return 0;
    }
    uint32_t *p = satf_alloc(2 * (size_t)n * sizeof *p), *inverse = p + n;
    if (!p) {
        return bench_error(1, "out of memory for a permutation of %u words", (unsigned)n);
    }
    c->p = p;
    c->inverse = inverse;
    for (int which = 0; which < PATTERN_COUNT && !failed; which++) {
        c->permutation = (pattern)which;
        if (pattern_fill(c->permutation, side, side, (uint64_t)b->options.seed, p)) {
            for (uint32_t i = 0; i < n; i++) {
                inverse[p[i]] = i;
            }
            failed = run_program(b, program, c);
        }
    }
    satf_free(p);
    return failed;
}

static bool model_is_wanted(const bench *b, const char *name)
{
    const struct bench_values *wanted = &b->options.list[BENCH_ALGORITHMS];
    for (int i = 0; i < wanted->count; i++) {
        if (strcmp(wanted->item[i].text, "all") == 0 || strcmp(wanted->item[i].text, name) == 0) {
            return true;
        }
    }
    return false;
}

static int model_check_names(const struct bench_values *wanted)
{
    const machine_program *p;
    for (int i = 0; i < wanted->count; i++) {
        const char *text = wanted->item[i].text;
        bool found = strcmp(text, "all") == 0;
        for (size_t k = 0; (p = machine_program_at(k)) != NULL; k++) {
            found = found || strcmp(p->name, text) == 0;
        }
        if (!found) {
            return bench_error(2, "there is no program \"%s\"; see satbench --list", text);
        }
    }
    return 0;
}

static int model_simulate(bench *b)
{
    const struct bench_values *sizes = &b->options.list[BENCH_SIZES];
    const struct bench_values *widths = &b->options.list[BENCH_WIDTHS];
    const machine_program *p;
    int failed = model_check_names(&b->options.list[BENCH_ALGORITHMS]);
    for (int s = 0; s < sizes->count && !failed; s++) {
        const bench_item *size = &sizes->item[s];
        if (size->width != size->height || size->width > MOST_SIDE) {
            failed = bench_error(2, "%s: the table model takes squares of a side up to %d",
                                 size->text, MOST_SIDE);
        }
        for (int w = 0; w < widths->count && !failed; w++) {
            machine_case c = {.w = widths->item[w].number,
                              .side = size->width,
                              .r = b->options.tuning.r > 0 ? b->options.tuning.r : SAT_PAPER_R};
            for (size_t i = 0; (p = machine_program_at(i)) != NULL && !failed; i++) {
                if (model_is_wanted(b, p->name)) {
                    failed =
                        takes_permutation(p) ? run_permutations(b, p, &c) : run_program(b, p, &c);
                }
            }
        }
    }
    return failed;
}

const bench_table bench_model_table = {
    .name = "model",
    .help = "permutations and SAT algorithms on the memory machines (dissertation, 5.1, 6.1)",
    .defaults = {{BENCH_SIZES, "512"}, {BENCH_ALGORITHMS, "all"}, {BENCH_WIDTHS, "4,8,16,32"}},
    .takes = " r simulate seed latency plot ",
    .columns = {{"name", "program", 't', 12},
                {"permutation", "permutation", 't', 12},
                {"w", "w", 'i', 4},
                {"n", "n", 'i', 10},
                {"r", "r", 'r', 5},
                {"coalesced_reads", "coal r", 'r', 6},
                {"coalesced_writes", "coal w", 'r', 6},
                {"stride_reads", "strd r", 'r', 6},
                {"stride_writes", "strd w", 'r', 6},
                {"shared_reads", "shrd r", 'r', 6},
                {"shared_writes", "shrd w", 'r', 6},
                {"rounds", "rounds", 'r', 6},
                {"barriers", "barriers", 'i', 8},
                {"time_units", "time units", 'i', 10},
                {"formula", "formula", 'i', 10},
                {NULL, "x", 'r', 5},
                {NULL, "the formula", 't', 11}},
    .x_title = "width w of the machine",
    .y_title = "time units",
    .note =
        "r, w and rounds: accesses by all threads per word of the matrix; formula: the paper's, "
        "its misprints corrected (docs/machine.md); n words of a side x side matrix, d the "
        "depth of recursion, l the latency of the global memory",
    .simulate = model_simulate,
};
