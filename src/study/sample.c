/* Sampling the congestion of layouts. */
#include "sample.h"

#include <inttypes.h>

#include "../base/context.h"
#include "../base/memory.h"

enum { MAX_WIDTH_4D = 256, WARPS_PER_DRAW_4D = 256 };

typedef struct sampler {
    uint32_t w;
    machine_random random;
    uint32_t *r; /* the layout's random numbers */
    int64_t address[MACHINE_MAX_WIDTH];
} sampler;

const char *sample_access_2d_name(sample_access_2d access)
{
#define SAMPLE_NAME(NAME, name) name,
    static const char *const names[] = {SAMPLE_ACCESSES_2D(SAMPLE_NAME)};
    return names[access];
}

const char *sample_access_4d_name(sample_access_4d access)
{
    static const char *const names[] = {SAMPLE_ACCESSES_4D(SAMPLE_NAME)};
#undef SAMPLE_NAME
    return names[access];
}

static satf_status open_sampler(satf_context *ctx, sampler *s, int32_t w, int32_t most,
                                int64_t samples, uint64_t seed, uint32_t numbers)
{
    if (w < 1 || w > most) {
        return satf_fail(ctx, SATF_INVALID, "a warp must have 1 ... %d threads, not %" PRId32, most,
                         w);
    }
    if (samples < 1) {
        return satf_fail(ctx, SATF_INVALID, "a mean needs a sample, not %" PRId64, samples);
    }
    size_t bytes = layout_registers((uint32_t)w, numbers) * sizeof *s->r;
    s->w = (uint32_t)w;
    s->random.state = seed;
    s->r = satf_alloc(bytes);
    return s->r ? SATF_OK : satf_fail_memory(ctx, bytes, "the random numbers of a layout");
}

static int64_t sample_congestion(const sampler *s)
{
    return machine_stages((int32_t)s->w, false, s->address, s->w);
}

static uint32_t below(sampler *s)
{
    return machine_random_below(&s->random, s->w);
}

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

satf_status sample_congestion_2d(satf_context *ctx, layout_2d layout, sample_access_2d access,
                                 int32_t w, int64_t samples, uint64_t seed, double *mean)
{
    sampler s = {0};
    int64_t sum = 0;
    satf_status status = open_sampler(ctx, &s, w, MACHINE_MAX_WIDTH, samples, seed,
                                      layout_2d_numbers(layout, (uint32_t)w));
    for (int64_t sample = 0; sample < samples && !status; sample++) {
        layout_2d_draw(layout, s.w, &s.random, s.r);
        access_2d(&s, layout, access);
        sum += sample_congestion(&s);
    }
    if (!status) {
        *mean = (double)sum / (double)samples;
    }
    satf_free(s.r);
    return status;
}

/* The six orders of three numbers. */
static const unsigned char orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                           {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

/* One warp's addresses. */
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

satf_status sample_congestion_4d(satf_context *ctx, layout_4d layout, sample_access_4d access,
                                 int32_t w, int64_t samples, uint64_t seed, double *mean)
{
    sampler s = {0};
    int64_t sum = 0;
    satf_status status = open_sampler(ctx, &s, w, MAX_WIDTH_4D, samples, seed,
                                      layout_4d_numbers(layout, (uint32_t)w));
    for (int64_t sample = 0; sample < samples && !status; sample++) {
        if (sample % WARPS_PER_DRAW_4D == 0) {
            layout_4d_draw(layout, s.w, &s.random, s.r);
        }
        access_4d(&s, layout, access);
        sum += sample_congestion(&s);
    }
    if (!status) {
        *mean = (double)sum / (double)samples;
    }
    satf_free(s.r);
    return status;
}
