/* Epilogues (epilogue.h): the choice of the kernel that turns sums into results. */
#include "epilogue.h"

#include "../base/cpu.h"
#include "../base/view.h"
#include "../chain/modules.h"
#include "../sums/choice/varies.h"

/* Sets the formula that segments go through: the pass's own, or that of its reduction. */
static void set_formula(epilogue *f, int number)
{
    bool is = number != FORMULA_NONE;
    f->reads = formula_reads(number);
    f->call = is ? formula_function_of(number) : NULL;
    f->loop = is && f->mode != LOOP_MODES ? formula_loop(f->loops, number, f->mode) : NULL;
}

void epilogue_init(epilogue *f, const filter_pass *pass, const void *options, const satf_view *in,
                   const satf_view *out, bool weighted)
{
    *f = (epilogue){.pass = pass,
                    .options = options,
                    .in_type = (satf_type)in->type,
                    .out_type = (satf_type)out->type,
                    .channels = in->channels,
                    .out_channels = out->channels,
                    .weighted = weighted,
                    .plane = out->width,
                    .around_caches = satf_row_samples(out) * out->height >=
                                     SATF_STREAM_BYTES / (int64_t)satf_type_bytes(out->type)};
    f->constants.real = satf_type_is_float(in->type);
    f->constants.rounded = !satf_type_is_float(out->type);
    f->bilevel = out->type == SATF_U8 && filter_type(pass, options) == TYPE_BILEVEL;
    f->in_bytes = satf_type_bytes(in->type);
    f->out_bytes = satf_type_bytes(out->type);
    f->kernels = SATF_ISA_CHOOSE(&epilogue_kernels);
    f->loops = SATF_ISA_CHOOSE(&loop_kernels);
    f->constants.times = 1;
    f->constants.most = INFINITY;
    f->mode = LOOP_MODES;
    set_formula(f, pass->formula);
}

void epilogue_begin_reduction(epilogue *f, epilogue_reduction *reduction, const satf_rect *reduced)
{
    for (int k = 0; k < REDUCTION_KEYS; k++) {
        atomic_store(&reduction->keys[k], 0);
    }
    atomic_store(&reduction->spread, 0);
    f->constants.greatest = f->constants.least = 0; /* what the run before has found */
    f->reduction = reduction;
    f->reduced = *reduced;
    set_formula(f, f->pass->reduction);
}

void epilogue_end_reduction(epilogue *f)
{
    uint64_t keys[REDUCTION_KEYS];
    for (int k = 0; k < REDUCTION_KEYS; k++) {
        keys[k] = atomic_load(&f->reduction->keys[k]);
    }
    reduction_tell(keys, &f->constants);
    epilogue_terms_again(f);
    set_formula(f, f->pass->formula);
    f->reduction = NULL;
}

/* The result of one sample's value. */
static uint8_t epilogue_step_at(const epilogue *f, int64_t sample)
{
    uint8_t u8 = (uint8_t)sample, result;
    uint16_t u16 = (uint16_t)sample;
    window_segment segment = {.n = 1, .area = 1};
    epilogue one = *f;
    segment.centre = f->in_type == SATF_U8 ? (const void *)&u8 : &u16;
    one.channels = one.out_channels = 1;
    epilogue_by_formula(&one, &segment, &result);
    return result;
}

static void run_step(const epilogue *f, const window_segment *segment, void *dst)
{
    f->loops->step(f->in_type, segment->n * f->channels, segment->centre, f->cut, f->below,
                   f->above, dst);
}

void epilogue_find_step(epilogue *f)
{
    int64_t most = (int64_t)satf_type_max((int)f->in_type); /* 0 of floats */
    f->is_step = f->pass->kernel == KERNEL_STEP && f->bilevel && !f->weighted && most > 0;
    if (!f->is_step) {
        return;
    }
    f->run = run_step;
    f->below = epilogue_step_at(f, 0);
    f->above = epilogue_step_at(f, most);
    f->cut = f->above == f->below ? most : 0;
    for (int64_t above = most;
         above - f->cut > 1;) { /* its result is f->above, that of f->cut not */
        int64_t between = f->cut + (above - f->cut) / 2;
        bool is_above = epilogue_step_at(f, between) == f->above;
        f->cut = is_above ? f->cut : between;
        above = is_above ? between : above;
    }
}

void epilogue_reals(satf_type type, const double *values, int64_t n, void *dst)
{
    SATF_ISA_CHOOSE(&loop_kernels)->store(type, n, values, dst);
}

/* ------------------------------------------------------------------------- the choice */

/* The narrowest arithmetic that is exact for sums over such an area; LOOP_MODES if there is none.
 */
static loop_mode choose_mode(const epilogue *f, satf_sum_type sum, satf_sum_type square)
{
    uint64_t max = satf_type_max((int)f->in_type);
    satf_u128 largest = (satf_u128)f->area * max * (f->weighted ? max : 1);
    bool squares = f->pass->kernel != KERNEL_MEAN && filter_reads(f->pass, FORMULA_SQUARE);
    if (sum == SATF_SUM_F64) {
        return LOOP_REAL;
    }
    if (sum == SATF_SUM_U128 || (squares && square == SATF_SUM_U128) || largest >> 53) {
        return LOOP_MODES;
    }
    /* Both products are at most the square of the largest sum. */
    return !squares || largest < 94906265 ? LOOP_EXACT : largest >> 32 ? LOOP_MODES : LOOP_WORD;
}

/* The kernel that is the filter's formula, for any areas; NULL if there is none. */
static epilogue_kernel choose_at_once(const epilogue *f, satf_sum_type sum, satf_sum_type square,
                                      bool shifts)
{
    int kernel = (int)f->pass->kernel, mode = (int)f->mode, type = (int)f->out_type;
    const epilogue_at_once *k = f->kernels->at_once;
    bool means = kernel == KERNEL_MEAN, to_reals = satf_type_is_float(type);
    /* Means know of no shifts; the others need not. */
    if ((means && shifts) || (!to_reals && f->out_type != f->in_type)) {
        return NULL;
    }
    if (f->masked && means) {
        return f->out_type == SATF_F32   ? f->kernels->masked_f32
               : f->out_type == SATF_F64 ? f->kernels->masked_f64
                                         : NULL;
    }
    if (f->weighted) {
        return !means || mode != LOOP_EXACT || to_reals ? NULL
               : f->out_type == SATF_U8                 ? f->kernels->weighted_u8
                                                        : f->kernels->weighted_u16;
    }
    while (k->run && (k->kernel != kernel || k->mode != mode || k->type != type ||
                      k->sum_type != (int)sum || (!means && k->square_type != (int)square))) {
        k++;
    }
    return k->run;
}

/* The faster kernel for means of integers over one area, else `at_once`; finds its magic too. */
static epilogue_kernel choose_division(epilogue *f, satf_sum_type sum)
{
    const epilogue_kernels *k = f->kernels;
    uint64_t max = satf_type_max((int)f->in_type);
    bool u8 = f->out_type == SATF_U8;
    if (!f->at_once || f->pass->kernel != KERNEL_MEAN || f->weighted ||
        satf_type_is_float((int)f->out_type)) {
        return f->at_once;
    }
    if (u8 && sum == SATF_SUM_U32 && f->area <= EPILOGUE_NARROW_AREA) {
        return k->narrow_mean_u32_u8;
    }
    int word = sum == SATF_SUM_U16 ? 16 : 32;
    if (sum == SATF_SUM_U64 || !epilogue_magic_find(word, max, f->area, &f->magic)) {
        return f->at_once;
    }
    return word == 16 ? k->mean_u16_u8 : u8 ? k->mean_u32_u8 : k->mean_u32_u16;
}

/* ------------------------------------------------------------------------ segments */

static void run_kernel(const epilogue *f, const window_segment *segment, void *dst)
{
    epilogue_task task = {
        .sums = segment->sums,
        .squares = segment->squares ? segment->squares : segment->sums,
        .n = segment->n * f->channels,
        .area = segment->area,
        .magic = f->magic,
        .weights = segment->areas,
        .channels = f->channels,
        .dst = dst,
    };
    bool divides = !segment->areas && (segment->area == f->area || f->any_area);
    (divides ? f->divides : f->at_once)(&task);
}

/* Means of integers that alpha weighs, in blocks. */
static void run_weighted(const epilogue *f, const window_segment *segment, void *dst)
{
    double sums[LOOP_SAMPLES], weights[LOOP_SAMPLES], inverses[LOOP_SAMPLES];
    int64_t n = segment->n * f->channels, most = LOOP_SAMPLES / f->channels * f->channels;
    epilogue_task task = {.sums = sums, .weights = weights, .inverses = inverses, .dst = dst};
    const char *from = segment->sums;
    for (int64_t i = 0; i < n; i += most) {
        task.n = n - i < most ? n - i : most;
        f->loops->load_sums(segment->sum_type, task.n, from, sums);
        f->loops->weigh(f->channels, task.n, (double)segment->area,
                        segment->areas ? segment->areas + i : NULL, sums, weights, inverses);
        f->at_once(&task);
        from += (size_t)most * satf_sum_bytes(segment->sum_type);
        task.dst = (char *)task.dst + (size_t)most * f->out_bytes;
    }
}

static void run_varies(const epilogue *f, const window_segment *segment, void *dst)
{
    double *row = (double *)dst - segment->x * f->out_channels;
    varies_segment(f, segment, row + segment->x, f->plane);
}

void epilogue_prepare(epilogue *f, satf_sum_type sum, satf_sum_type square, uint64_t area,
                      bool shifts)
{
    f->area = area;
    f->mode = choose_mode(f, sum, square);
    set_formula(f, f->pass->formula);
    bool reduces = f->pass->reduction != FORMULA_NONE; /* its look goes by blocks */
    f->at_once = reduces ? NULL : choose_at_once(f, sum, square, shifts);
    f->divides = choose_division(f, sum);
    f->any_area = f->divides == f->kernels->narrow_mean_u32_u8;
    epilogue_find_terms(f, sum, square);
    f->run = f->pass->kernel == KERNEL_VARIES ? run_varies
             : f->at_once  ? (f->weighted && !f->masked ? run_weighted : run_kernel)
             : f->by_terms ? epilogue_by_terms
                           : epilogue_by_blocks;
    f->around_caches = f->around_caches && f->run != run_varies;
}

/* Samples that pass through the first-level cache on their way around the others. */
enum { STREAM_SAMPLES = 512 };

void epilogue_segment(const epilogue *f, const window_segment *segment, void *dst)
{
    size_t bytes = (size_t)(segment->n * f->out_channels) * f->out_bytes;
    _Alignas(64) char finished[STREAM_SAMPLES * sizeof(double)];
    if (f->around_caches && !f->reduction && bytes <= sizeof finished) {
        f->run(f, segment, finished);
        f->kernels->stream(dst, finished, bytes);
    } else if (!f->reduction ||
               (segment->y >= f->reduced.y && segment->y < f->reduced.y + f->reduced.h)) {
        f->run(f, segment, dst);
    }
}
