/* Sampling the congestion of layouts. */
#include "sample.h"

#include "../base/context.h"
#include "../base/memory.h"

enum { MAX_WIDTH_4D = 256, WARPS_PER_DRAW_4D = 256 };

typedef struct sampler {
    uint32_t w;
    machine_random random;
    uint32_t *r; /* the layout's random numbers */
    int64_t address[MACHINE_MAX_WIDTH];
} sampler;

const char *sample_access_name(const sample_kind *kind)
{
#define SAMPLE_NAME(NAME, name) name,
    static const char *const names[] = {SAMPLE_ACCESSES_2D(SAMPLE_NAME)};
    static const char *const names_4d[] = {SAMPLE_ACCESSES_4D(SAMPLE_NAME)};
#undef SAMPLE_NAME
    return kind->in_4d ? names_4d[kind->access] : names[kind->access];
}

const char *sample_layout_name(const sample_kind *kind)
{
    return kind->in_4d ? layout_4d_name((layout_4d)kind->layout)
                       : layout_2d_name((layout_2d)kind->layout);
}

uint32_t sample_numbers(const sample_kind *kind, uint32_t w)
{
    return kind->in_4d ? layout_4d_numbers((layout_4d)kind->layout, w)
                       : layout_2d_numbers((layout_2d)kind->layout, w);
}

static uint32_t below(sampler *s)
{
    return machine_random_below(&s->random, s->w);
}

/* One warp's addresses. */
static void access_2d(sampler *s, layout_2d layout, sample_access_2d access)
{
    uint32_t at = below(s);
    for (uint32_t t = 0; t < s->w; t++) {
        uint32_t i = access == SAMPLE_CONTIGUOUS ? at : access == SAMPLE_RANDOM ? below(s) : t;
        uint32_t j = access == SAMPLE_CONTIGUOUS ? t
                     : access == SAMPLE_STRIDE   ? at
                     : access == SAMPLE_DIAGONAL ? (at + t) % s->w
                                                 : below(s);
        s->address[t] = layout_2d_address(layout, s->w, s->r, i, j);
    }
}

/* The six orders of three numbers. */
static const unsigned char orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                           {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

/* The same of four dimensions. */
static void access_4d(sampler *s, layout_4d layout, sample_access_4d access)
{
    uint32_t at[4], group[3] = {0}, perm[MAX_WIDTH_4D];
    for (int d = 0; d < 4; d++) {
        at[d] = below(s);
    }
    machine_random_permutation(&s->random, perm, s->w);
    for (uint32_t t = 0; t < s->w; t++) {
        uint32_t index[4] = {at[0], at[1], at[2], at[3]};
        if (access == SAMPLE_RANDOM_4D) {
            for (int d = 0; d < 4; d++) {
                index[d] = below(s);
            }
        } else if (access == SAMPLE_SIXFOLD) {
            for (uint32_t d = 0; d < 3; d++) { /* groups of distinct triples while there are any */
                group[d] = perm[(t / 6 * 3 + d) % s->w];
            }
            for (int d = 0; d < 3; d++) {
                index[d] = group[orders[t % 6][d]];
            }
        } else { /* contiguous is along the last index, stride 1 along the one before */
            index[3 - (int)access] = t;
        }
        s->address[t] =
            layout_4d_address(layout, s->w, s->r, index[0], index[1], index[2], index[3]);
    }
}

static void sample_draw(sampler *s, const sample_kind *kind)
{
    if (kind->in_4d) {
        layout_4d_draw((layout_4d)kind->layout, s->w, &s->random, s->r);
    } else {
        layout_2d_draw((layout_2d)kind->layout, s->w, &s->random, s->r);
    }
}

satf_status sample_congestion(satf_context *ctx, const sample_kind *kind, int32_t w,
                              int64_t samples, uint64_t seed, double *mean)
{
    sampler s = {.w = (uint32_t)w, .random = {seed}};
    size_t bytes = layout_registers(s.w, sample_numbers(kind, s.w)) * sizeof *s.r;
    int64_t sum = 0;
    s.r = satf_alloc(bytes);
    if (!s.r) {
        return satf_fail_memory(ctx, bytes, "the random numbers of a layout");
    }
    for (int64_t sample = 0; sample < samples; sample++) {
        if (!kind->in_4d || sample % WARPS_PER_DRAW_4D == 0) {
            sample_draw(&s, kind);
        }
        if (kind->in_4d) {
            access_4d(&s, (layout_4d)kind->layout, (sample_access_4d)kind->access);
        } else {
            access_2d(&s, (layout_2d)kind->layout, (sample_access_2d)kind->access);
        }
        sum += machine_stages(w, false, s.address, s.w);
    }
    *mean = (double)sum / (double)samples;
    satf_free(s.r);
    return SATF_OK;
}
