/* The choice of the fast epilogue. */
#include "epilogue.h"

#include "../base/cpu.h"
#include "../base/view.h"
#include "epilogue_kernels.h"
#include "epilogue_loops.h"
#include "../sums/choice/varies.h"

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
    f->formula = pass->formula;
    f->kernels = SATF_ISA_CHOOSE(&epilogue_kernels);
    f->loops = SATF_ISA_CHOOSE(&loop_kernels);
    f->constants.most = INFINITY;
}

void epilogue_begin_reduction(epilogue *f, epilogue_reduction *reduction, const satf_rect *reduced)
{
    for (int k = 0; k < REDUCTION_KEYS; k++) {
        atomic_store(&reduction->keys[k], 0);
    }
    f->constants.greatest = f->constants.least = 0; /* what the run before has found */
    f->reduction = reduction;
    f->reduced = *reduced;
    f->formula = f->pass->reduction;
}

void epilogue_end_reduction(epilogue *f)
{
    uint64_t keys[REDUCTION_KEYS];
    for (int k = 0; k < REDUCTION_KEYS; k++) {
        keys[k] = atomic_load(&f->reduction->keys[k]);
    }
    reduction_tell(keys, &f->constants);
    f->formula = f->pass->formula;
    f->reduction = NULL;
}

/* The result of that sample. */
static uint8_t step_at(const epilogue *f, int64_t sample)
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

void epilogue_find_step(epilogue *f)
{
    int64_t most = (int64_t)satf_type_max((int)f->in_type); /* 0 of floats */
    f->is_step = f->pass->kernel == KERNEL_STEP && f->bilevel && !f->weighted && most > 0;
    if (!f->is_step) {
        return;
    }
    f->below = step_at(f, 0);
    f->above = step_at(f, most);
    f->cut = f->above == f->below ? most : 0;
    for (int64_t above = most;
         above - f->cut > 1;) { /* its result is f->above, that of f->cut not */
        int64_t between = f->cut + (above - f->cut) / 2;
        bool is_above = step_at(f, between) == f->above;
        f->cut = is_above ? f->cut : between;
        above = is_above ? between : above;
    }
}

void epilogue_reals(satf_type type, const double *values, int64_t n, void *dst)
{
    SATF_ISA_CHOOSE(&loop_kernels)->store(type, n, values, dst);
}

/* The kernel for mean of integers, or NULL; also finds its magic. */
static epilogue_kernel choose_integer_mean(const epilogue *f, satf_sum_type sum, uint64_t area,
                                           epilogue_magic *magic)
{
    const epilogue_kernels *k = f->kernels;
    uint64_t max = satf_type_max((int)f->in_type);
    bool u8 = f->out_type == SATF_U8;
    if (f->out_type != f->in_type || area >> 33) {
        return NULL;
    }
    if (f->weighted) {
        /* colour times alpha, and alpha; both are least in u8 */
        if (area * max >> 33 || area * max * max >> 50) {
            return NULL;
        }
        return sum == SATF_SUM_U32 && u8 ? k->weighted_u32_u8
               : sum != SATF_SUM_U64     ? NULL
               : u8                      ? k->weighted_u64_u8
                                         : k->weighted_u64_u16;
    }
    if (sum == SATF_SUM_U16) {
        return !u8                                         ? NULL
               : epilogue_magic_find(16, max, area, magic) ? k->mean_u16_u8
                                                           : k->wide_mean_u16_u8;
    }
    if (sum == SATF_SUM_U32) {
        if (u8 && area <= EPILOGUE_NARROW_AREA) {
            return k->narrow_mean_u32_u8;
        }
        if (epilogue_magic_find(32, max, area, magic)) {
            return u8 ? k->mean_u32_u8 : k->mean_u32_u16;
        }
        return u8 ? k->wide_mean_u32_u8 : k->wide_mean_u32_u16;
    }
    return u8 ? k->wide_mean_u64_u8 : k->wide_mean_u64_u16;
}

static epilogue_kernel choose_real_mean(const epilogue *f, satf_sum_type sum)
{
    const epilogue_kernels *k = f->kernels;
    bool f32 = f->out_type == SATF_F32;
    switch (sum) {
    case SATF_SUM_U16:
        return f32 ? k->real_mean_u16_f32 : k->real_mean_u16_f64;
    case SATF_SUM_U32:
        return f32 ? k->real_mean_u32_f32 : k->real_mean_u32_f64;
    case SATF_SUM_U64:
        return f32 ? k->real_mean_u64_f32 : k->real_mean_u64_f64;
    case SATF_SUM_F64:
        return f32 ? k->real_mean_f64_f32 : k->real_mean_f64_f64;
    default:
        return NULL;
    }
}

/* Variance and standard deviation, to float types. */
static epilogue_kernel choose_spread(const epilogue *f, const window_segment *segment)
{
    const epilogue_kernels *k = f->kernels;
    bool f32 = f->out_type == SATF_F32, root = f->pass->kernel == KERNEL_STDDEV;
    satf_sum_type sum = segment->sum_type, square = segment->square_type;
    uint64_t largest = segment->area * satf_type_max((int)f->in_type);
    bool exact = largest < 94906265; /* its square is below 2^53 */
#define PICK(prefix, suffix)                                                          \
    (root ? (f32 ? k->prefix##stddev##suffix##_f32 : k->prefix##stddev##suffix##_f64) \
          : (f32 ? k->prefix##variance##suffix##_f32 : k->prefix##variance##suffix##_f64))
    if (sum == SATF_SUM_F64) {
        return PICK(real_, );
    }
    if (square == SATF_SUM_U32 && exact) {
        return sum == SATF_SUM_U16   ? PICK(exact_, _u16_u32)
               : sum == SATF_SUM_U32 ? PICK(exact_, _u32_u32)
                                     : NULL;
    }
    if (square != SATF_SUM_U64 || largest >> 32) {
        return NULL;
    }
    return sum != SATF_SUM_U32 ? NULL : exact ? PICK(exact_, _u32_u64) : PICK(, _u32_u64);
#undef PICK
}

/* The kernel that computes the filter's formula for such a segment; NULL if
 * there is none. */
static epilogue_kernel choose_kernel(const epilogue *f, const window_segment *segment,
                                     epilogue_magic *magic)
{
    bool real_in = segment->sum_type == SATF_SUM_F64;
    bool real_out = satf_type_is_float((int)f->out_type);
    switch (f->pass->kernel) {
    case KERNEL_MEAN:
        if (real_out) {
            return f->weighted ? NULL : choose_real_mean(f, segment->sum_type);
        }
        return real_in ? NULL : choose_integer_mean(f, segment->sum_type, segment->area, magic);
    case KERNEL_VARIANCE:
    case KERNEL_STDDEV:
        return real_out && !f->weighted ? choose_spread(f, segment) : NULL;
    default:
        return NULL;
    }
}

/* The kernel for means of areas that vary; NULL if there is none. */
static epilogue_kernel choose_areas_kernel(const epilogue *f, const window_segment *segment)
{
    const epilogue_kernels *k = f->kernels;
    if (f->pass->kernel != KERNEL_MEAN || f->weighted || f->out_type != f->in_type) {
        return NULL;
    }
    switch (f->out_type) {
    case SATF_U8:
        return segment->sum_type == SATF_SUM_U16   ? k->areas_mean_u16_u8
               : segment->sum_type == SATF_SUM_U32 ? k->areas_mean_u32_u8
                                                   : k->areas_mean_u64_u8;
    case SATF_U16:
        return segment->sum_type == SATF_SUM_U32   ? k->areas_mean_u32_u16
               : segment->sum_type == SATF_SUM_U64 ? k->areas_mean_u64_u16
                                                   : NULL;
    case SATF_F32:
        return k->areas_mean_f64_f32;
    case SATF_F64:
        return k->areas_mean_f64_f64;
    default:
        return NULL;
    }
}

/* Samples that pass through the first-level cache on their way around the others. */
enum { STREAM_SAMPLES = 512 };

void epilogue_segment(const epilogue *f, const window_segment *segment, void *dst)
{
    const satf_rect *of = &f->reduced;
    if (f->pass->kernel == KERNEL_VARIES) {
        double *row = (double *)dst - segment->x * f->out_channels;
        varies_segment(f, segment, row + segment->x, f->plane);
        return;
    }
    if (f->reduction && (segment->y < of->y || segment->y >= of->y + of->h)) {
        return;
    }
    size_t bytes = (size_t)(segment->n * f->out_channels) * satf_type_bytes((int)f->out_type);
    _Alignas(64) char finished[STREAM_SAMPLES * sizeof(double)];
    bool streams = f->around_caches && !f->reduction && bytes <= sizeof finished;
    epilogue_task task = {
        .sums = segment->sums,
        .squares = segment->squares,
        .n = segment->n * f->channels,
        .channels = f->channels,
        .area = segment->area,
        .areas = segment->areas,
        .dst = streams ? finished : dst,
    };
    /* Kernels of means know of no shifts; the others need not. */
    bool by_formula =
        f->reduction || f->is_step || (segment->shifts && f->pass->kernel == KERNEL_MEAN);
    epilogue_kernel kernel = by_formula       ? NULL
                             : segment->areas ? choose_areas_kernel(f, segment)
                                              : choose_kernel(f, segment, &task.magic);
    if (f->is_step) {
        f->loops->step(f->in_type, task.n, segment->centre, f->cut, f->below, f->above, task.dst);
    } else if (kernel) {
        kernel(&task);
    } else if (!epilogue_by_loops(f, segment, task.dst)) {
        epilogue_by_definition(f, segment, task.dst);
    }
    if (streams) {
        f->kernels->stream(dst, finished, bytes);
    }
}
