/* The table `permute-global`: arrays in global memory (dissertation, tables 5.2 and 5.3). */
#include "bench.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "../../src/base/clock.h"
#include "../../src/base/memory.h"
#include "../../src/base/parallel.h"
#include "../../src/base/view.h"
#include "../../src/study/machine.h"
#include "../../src/study/pattern.h"
#include "../../src/permute/permute.h"

enum { WARP = 32 };

/* One permutation of one array, and the plan being measured. */
typedef struct global_case {
    bench *b;
    const bench_item *size;
    pattern which;
    int type, element_bytes;
    layout_2d layout; /* of the transpose's tiles */
    int64_t n;
    uint32_t *p;
    bench_arrays arrays; /* none for simulations */
    double distribution; /* D_w(P) / n */
    satf_permutation *plan;
} global_case;

/* What is known of an algorithm after one permutation. */
typedef struct figures {
    double plan_ms, ms, ms_min, copy_ms, x_copy, distribution, conflicts;
} figures;

enum { FIGURES = sizeof(figures) / sizeof(double) };

/* What is done for all elements, a stretch at a time on all threads. */
enum { STRETCH = 1 << 16 };

typedef struct stretches {
    const global_case *c;
    atomic_llong groups; /* that warps meet */
} stretches;

static void for_stretches(const global_case *c, void (*body)(void *user, int64_t task, int thread),
                          stretches *s)
{
    s->c = c;
    atomic_init(&s->groups, 0);
    satf_parallel(c->b->ctx, (c->n - 1) / STRETCH + 1, body, s);
}

static int64_t stretch_end(const global_case *c, int64_t stretch)
{
    return (stretch + 1) * STRETCH < c->n ? (stretch + 1) * STRETCH : c->n;
}

static void count_groups(void *user, int64_t stretch, int thread)
{
    (void)thread;
    stretches *s = user;
    const uint32_t *p = s->c->p;
    int64_t groups = 0, n = stretch_end(s->c, stretch);
    for (int64_t i = stretch * STRETCH; i < n; i += WARP) {
        int64_t address[WARP], threads = n - i < WARP ? n - i : WARP;
        for (int64_t t = 0; t < threads; t++) {
            address[t] = p[i + t];
        }
        groups += machine_stages(WARP, true, address, (size_t)threads);
    }
    atomic_fetch_add(&s->groups, groups);
}

/* The address groups that each warp's writes to out meet (section 5.2), all together. */
static double permute_global_distribution(const global_case *c)
{
    stretches s;
    for_stretches(c, count_groups, &s);
    return (double)atomic_load(&s.groups) / (double)c->n;
}

/* ------------------------------------------------------------------ counting */

/* Global memory that is moved for each element: the array in and out in every kernel, and tables;
 * the casual side of the designated ones by what it uses, not by what memory moves for it. */
static double bytes_each(const global_case *c)
{
    const char *name = c->plan->algorithm->name;
    double kernels = strcmp(name, "scheduled") == 0     ? 5
                     : strcmp(name, "fused") == 0       ? 3
                     : strcmp(name, "column-wise") == 0 ? 3
                                                        : 1;
    double tables = 0;
    for (int i = 0; i < PERMUTE_MAX_TABLES; i++) {
        tables += (double)c->plan->table_bytes[i];
    }
    return kernels * 2 * c->element_bytes + tables / (double)c->n;
}

/* The conflicts of an access to the transpose's tile of chunks, 8 of which are served at a time, on
 * average over both ways. */
static double tile_conflicts(const permute_tile *tile)
{
    enum { SIDE = PERMUTE_TILE_SIDE, AT_ONCE = 8 };
    uint32_t along[AT_ONCE], down[AT_ONCE], sum = 0;
    for (uint32_t k = 0; k < SIDE * SIDE; k += AT_ONCE) {
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            uint32_t high = (k + i) / SIDE, low = (k + i) % SIDE;
            along[i] = layout_2d_address(tile->layout, SIDE, tile->numbers, high, low);
            down[i] = layout_2d_address(tile->layout, SIDE, tile->numbers, low, high);
        }
        sum += schedule_congestion(along, AT_ONCE, AT_ONCE);
        sum += schedule_congestion(down, AT_ONCE, AT_ONCE);
    }
    return (double)sum / (2 * SIDE * SIDE / AT_ONCE);
}

/* Stages of a warp's casual access to shared memory, on average over the plan's tables (host
 * memory); NaN if it has none of 16 bits. */
static double conflicts(const global_case *c)
{
    if (strcmp(c->plan->algorithm->name, "transpose") == 0) {
        return tile_conflicts(&c->plan->tile);
    }
    const satf_permutation *plan = c->plan;
    uint32_t at_once = c->element_bytes == 4 ? WARP : WARP / 2;
    double sum = 0, accesses = 0;
    for (int i = 0; i < PERMUTE_MAX_TABLES && plan->table[1] && plan->table[i]; i++) {
        const uint16_t *entries = plan->table[i];
        const permute_shape *s = &plan->shape;
        bool middle = strcmp(plan->algorithm->name, "fused") == 0 ? i == 1 : i / 2 == 1;
        bool columns_only = strcmp(plan->algorithm->name, "column-wise") == 0;
        uint32_t length = columns_only            ? s->rows
                          : !middle               ? s->length
                          : s->middle_length == 0 ? s->rows
                                                  : s->middle_length;
        for (uint32_t row = 0; row < c->n / length; row++, entries += schedule_pitch(length)) {
            for (uint32_t k = 0; k < length; k += at_once) {
                uint32_t address[WARP];
                for (uint32_t lane = 0; lane < at_once; lane++) {
                    address[lane] = entries[schedule_place(k + lane)];
                }
                sum += schedule_congestion(address, at_once, at_once);
                accesses++;
            }
        }
    }
    return accesses > 0 ? sum / accesses : (double)NAN;
}

/* ----------------------------------------------------------------- measuring */

static satf_status permute_global_apply(void *user)
{
    global_case *c = user;
    return satf_permutation_apply(c->b->ctx, c->plan, c->arrays.in[0], c->arrays.out);
}

static size_t array_bytes(const global_case *c)
{
    return (size_t)c->n * (size_t)c->element_bytes;
}

/* Each element is another. */
static void permute_global_put(const global_case *c, int64_t place, int64_t i)
{
    if (c->element_bytes == 4) {
        ((uint32_t *)c->arrays.right)[place] = (uint32_t)i * 2654435761u;
    } else {
        ((uint64_t *)c->arrays.right)[place] = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
    }
}

static void put_stretch(void *user, int64_t stretch, int thread)
{
    (void)thread;
    const global_case *c = ((const stretches *)user)->c;
    for (int64_t i = stretch * STRETCH; i < stretch_end(c, stretch); i++) {
        permute_global_put(c, c->p[i], i);
    }
}

static int permute_global_measure(global_case *c, const char *name, figures *f)
{
    stretches s;
    bench_timing t;
    size_t scratch_bytes;
    satf_status status = satf_permutation_scratch(c->b->ctx, c->plan, &scratch_bytes);
    if (!status) {
        status = bench_hand_scratch(c->b, scratch_bytes);
    }
    if (status) {
        return bench_call_error(c->b, status, name);
    }
    for_stretches(c, put_stretch, &s);
    int failed =
        bench_measure_work(c->b, &c->arrays, 2 * (double)array_bytes(c), permute_global_apply, NULL,
                           c, name, pattern_name(c->which), &t);
    if (!failed) {
        f->ms = t.ms;
        f->ms_min = t.ms_min;
        f->copy_ms = t.copy_ms;
        f->x_copy = t.x_copy;
    }
    return failed;
}

static void permute_global_report(const global_case *c, const figures *f, const char *of)
{
    const char *name = c->plan->algorithm->name;
    const permute_shape *s = &c->plan->shape;
    BENCH_REPORT(c->b, STRING(pattern_name(c->which)), STRING(of), STRING(name),
                 STRING(strcmp(name, "transpose") == 0 ? layout_2d_name(c->layout) : NULL),
                 STRING(satf_type_name(c->type)), NUMBER(c->size->width), NUMBER(c->size->height),
                 NUMBER(bench_or_none(s->length)), NUMBER(bench_or_none(s->piece)),
                 NUMBER(bytes_each(c)), NUMBER(f->plan_ms), NUMBER(f->ms), NUMBER(f->ms_min),
                 NUMBER(f->copy_ms), NUMBER(f->x_copy), NUMBER(f->distribution),
                 NUMBER(f->conflicts));
}

/* ---------------------------------------------------------------------- runs */

/* Plans and measures, or counts; *skip: not for this permutation. 0 or the exit status. */
static int permute_global_run_plan(global_case *c, const char *name, figures *f, bool *skip)
{
    bench *b = c->b;
    int device = b->options.simulate ? SATF_HOST : b->options.device;
    permute_request request = {c->p, c->n, c->element_bytes, (uint32_t)b->options.tuning.tile};
    *f = (figures){.distribution = c->distribution, .conflicts = NAN};
    f->ms = f->ms_min = f->copy_ms = f->x_copy = NAN;
    double start = satf_now_ms();
    satf_status status = permute_create(b->ctx, &request, device, name, &c->plan);
    f->plan_ms = satf_now_ms() - start;
    *skip = status == SATF_UNSUPPORTED;
    if (*skip) {
        return 0;
    }
    if (status) {
        return bench_call_error(b, status, name);
    }
    machine_random random = {(uint64_t)b->options.seed};
    c->plan->tile.layout = c->layout;
    layout_2d_draw(c->layout, PERMUTE_TILE_SIDE, &random, c->plan->tile.numbers);
    if (b->options.simulate) {
        f->conflicts = conflicts(c);
        return 0;
    }
    return permute_global_measure(c, name, f);
}

static int permute_global_fill(global_case *c, uint64_t seed)
{
    if (!pattern_fill(c->which, (uint32_t)c->size->height, (uint32_t)c->size->width, seed, c->p)) {
        bench_error(0, "%s: skipped, %s elements are no power of two", pattern_name(c->which),
                    c->size->text);
        return -1;
    }
    c->distribution = permute_global_distribution(c);
    return 0;
}

/* Least, mean and most of the figures of several random permutations: table 5.3. *skip: not for
 * arrays of this size. */
static int run_samples(global_case *c, const char *name, bool *skip)
{
    static const char *const of[] = {"least", "mean", "most"};
    figures all[3], one;
    int samples = c->b->options.samples, failed = 0;
    *skip = false;
    for (int i = 0; i < samples && !failed && !*skip; i++) {
        satf_permutation_destroy(c->plan);
        c->plan = NULL;
        permute_global_fill(c, (uint64_t)c->b->options.seed + (uint64_t)i);
        failed = permute_global_run_plan(c, name, &one, skip);
        const double *from = (const double *)&one;
        for (int k = 0; k < FIGURES && !failed && !*skip; k++) {
            double *least = (double *)&all[0] + k, *mean = (double *)&all[1] + k;
            double *most = (double *)&all[2] + k;
            *least = i ? fmin(*least, from[k]) : from[k];
            *mean = (i ? *mean : 0) + from[k] / samples;
            *most = i ? fmax(*most, from[k]) : from[k];
        }
    }
    for (int i = 0; i < 3 && !failed && !*skip; i++) {
        permute_global_report(c, &all[i], of[i]);
    }
    return failed;
}

/* An algorithm on the permutation at hand; a name that was asked for says why it cannot. */
static int run_layout(global_case *c, const char *name, bool asked)
{
    figures f;
    bool skip = false;
    bool sampled = c->which == PATTERN_RANDOM && c->b->options.samples > 1;
    int failed =
        sampled ? run_samples(c, name, &skip) : permute_global_run_plan(c, name, &f, &skip);
    if (skip && asked) {
        bench_error(0, "%s, %s: skipped, %s", name, pattern_name(c->which),
                    satf_message(c->b->ctx));
    }
    if (!sampled && !failed && !skip) {
        permute_global_report(c, &f, NULL);
    }
    satf_permutation_destroy(c->plan);
    c->plan = NULL;
    return failed;
}

/* The transpose in every layout; the others have no tiles. */
static int permute_global_run_one(global_case *c, const char *name, bool asked)
{
    const struct bench_values *layouts = &c->b->options.list[BENCH_LAYOUTS];
    int failed = 0;
    c->layout = LAYOUT_DIAGONAL;
    if (strcmp(name, "transpose") != 0) {
        return run_layout(c, name, asked);
    }
    for (int i = 0; i < layouts->count && !failed; i++) {
        c->layout = (layout_2d)layouts->item[i].number;
        failed = run_layout(c, name, asked);
    }
    return failed;
}

static int run_algorithms(global_case *c)
{
    const struct bench_values *wanted = &c->b->options.list[BENCH_ALGORITHMS];
    int failed = 0;
    for (int w = 0; w < wanted->count && !failed; w++) {
        const char *text = wanted->item[w].text, *name;
        bool every = strcmp(text, "all") == 0, found = strcmp(text, "auto") == 0;
        failed = found ? permute_global_run_one(c, text, true) : 0;
        for (size_t i = 0; (name = satf_permutation_algorithm(i, NULL)) != NULL && !failed; i++) {
            if (every || strcmp(text, name) == 0) {
                failed = permute_global_run_one(c, name, !every);
                found = true;
            }
        }
        if (!found && !failed) {
            return bench_error(2, "there is no permutation \"%s\"; see satbench --list", text);
        }
    }
    return failed;
}

static satf_status open_arrays(global_case *c)
{
    satf_status status = bench_arrays_open(c->b, &c->arrays, array_bytes(c));
    for (int64_t i = 0; i < c->n && !status; i++) {
        permute_global_put(c, i, i);
    }
    return status ? status
                  : bench_device_upload(c->b, c->arrays.right, c->arrays.bytes, "the input",
                                        &c->arrays.in[0]);
}

/* All patterns and algorithms on arrays of one size and type. */
static int run_size(bench *b, const bench_item *size, int type)
{
    const struct bench_values *patterns = &b->options.list[BENCH_PATTERNS];
    global_case c = {.b = b,
                     .size = size,
                     .type = type,
                     .element_bytes = (int)satf_type_bytes(type),
                     .n = size->width * size->height};
    if (c.n > SATF_MAX_PERMUTATION) {
        return bench_error(2, "%s are more than 2^30 elements", size->text);
    }
    if (!bench_fits(b, size->text, (double)c.n * (2 * c.element_bytes + 4 + 26 + 12))) {
        return 0;
    }
    c.p = satf_alloc((size_t)c.n * sizeof *c.p);
    satf_status status = c.p ? SATF_OK : satf_fail_memory(b->ctx, (size_t)c.n * 4, "the places");
    if (!status && !b->options.simulate) {
        status = open_arrays(&c);
    }
    int failed = status ? bench_call_error(b, status, size->text) : 0;
    for (int i = 0; i < patterns->count && !failed; i++) {
        c.which = (pattern)patterns->item[i].number;
        failed = permute_global_fill(&c, (uint64_t)b->options.seed) ? 0 : run_algorithms(&c);
    }
    bench_arrays_close(b, &c.arrays);
    satf_free(c.p);
    return failed;
}

/* Options of what the lists leave out; 0 or the exit status. */
static int permute_global_check_options(const bench *b)
{
    static const char *const transpose[] = {"transpose", "all", NULL}, *const random[] = {"random",
                                                                                          NULL};
    static const char *const fused[] = {"fused", "auto", "all", NULL};
    const struct bench_values *list = b->options.list;
    if (list[BENCH_LAYOUTS].given && !bench_has_item(&list[BENCH_ALGORITHMS], transpose)) {
        return bench_error(2, "--layouts are of transpose, which --algorithms leaves out");
    }
    if (b->options.tuning.tile && !bench_has_item(&list[BENCH_ALGORITHMS], fused)) {
        return bench_error(2, "--tile is of fused, which --algorithms leaves out");
    }
    if (b->options.samples && !bench_has_item(&list[BENCH_PATTERNS], random)) {
        return bench_error(2, "--samples are of random, which --patterns leaves out");
    }
    return 0;
}

static int permute_global_run(bench *b)
{
    const struct bench_values *types = &b->options.list[BENCH_TYPES];
    const struct bench_values *sizes = &b->options.list[BENCH_SIZES];
    int failed = bench_needs_device(b);
    failed = failed ? failed : permute_global_check_options(b);
    for (int t = 0; t < types->count && !failed; t++) {
        int type = types->item[t].input;
        if (!satf_type_is_float(type) || types->item[t].output != SATF_TYPE_AUTO) {
            return bench_error(2, "the table permute-global has the types f32 and f64, not %s",
                               types->item[t].text);
        }
        for (int s = 0; s < sizes->count && !failed; s++) {
            failed = run_size(b, &sizes->item[s], type);
        }
    }
    return failed;
}

const bench_table bench_permute_global_table = {
    .name = "permute-global",
    .help = "arrays permuted in global memory (dissertation, tables 5.2 and 5.3)",
    .defaults = {{BENCH_SIZES, "256,512,1K,2K,4K"},
                 {BENCH_TYPES, "f32,f64"},
                 {BENCH_ALGORITHMS, "d-designated,s-designated,scheduled,fused"},
                 {BENCH_PATTERNS, "identical,shuffle,random,bit-reversal,transpose"},
                 {BENCH_LAYOUTS, "diagonal"}},
    .takes = " tile simulate samples seed ",
    .columns = {{"pattern", "permutation", 't', 12},
                {"of", "of", 't', 5},
                {"name", "algorithm", 't', 12},
                {"layout", "layout", 't', 8},
                {"input", "type", 't', 4},
                {"width", "width", 'i', 6},
                {"height", "height", 'i', 6},
                {"length", "row", 'i', 6},
                {"piece", "piece", 'i', 5},
                {"bytes", "bytes", 'r', 6},
                {"schedule_ms", "plan ms", 'r', 8},
                {"ms", "ms", 'R', 8},
                {"ms_min", "min", 'R', 8},
                {"copy_ms", "copy ms", 'R', 8},
                {"x_copy", "x copy", 'R', 6},
                {"distribution", "D_w(P)/n", 'r', 8},
                {"conflicts", "stages", 'r', 6}},
    .note = "bytes: moved for each element, tables included, a casual access counted as what it "
            "uses. stages: of an access to shared memory, by those threads that are served at once",
    .on_cuda = true,
    .run = permute_global_run,
    .simulate = permute_global_run,
};
