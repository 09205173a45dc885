/* The check of filters that have no reference here: another engine than the one that was measured
 * makes the same of the image. The tests compare both with the definition. */
#include <math.h>

#include "../src/base/memory.h"
#include "../src/base/view.h"
#include "bench.h"

static double sample_of(const satf_view *view, int64_t y, int64_t i)
{
    const void *row = satf_row(view, y);
    return view->type == SATF_U8    ? ((const uint8_t *)row)[i]
           : view->type == SATF_U16 ? ((const uint16_t *)row)[i]
           : view->type == SATF_U32 ? ((const uint32_t *)row)[i]
           : view->type == SATF_U64 ? (double)((const uint64_t *)row)[i]
           : view->type == SATF_F32 ? (double)((const float *)row)[i]
                                    : ((const double *)row)[i];
}

/* Integers must be the same; floats differ by what their sums round. */
static bool is_same(const satf_view *a, const satf_view *b, bool of_floats)
{
    double allowed = !of_floats ? 0 : a->type == SATF_F32 ? 1e-5 : 1e-8;
    for (int64_t y = 0; y < a->height; y++) {
        for (int64_t i = 0; i < satf_row_samples(a); i++) {
            double x = sample_of(a, y, i), z = sample_of(b, y, i);
            if (!(fabs(x - z) <= allowed * (1 + fabs(z)))) {
                return false;
            }
        }
    }
    return true;
}

const char *bench_check_by_tables(const satf_filter *filter, const satf_view *in,
                                  const satf_view *out)
{
    satf_context *ctx;
    satf_view other = *out;
    const char *problem = NULL;
    if (satf_context_create(&ctx)) {
        return "there is no memory for a context to compare with";
    }
    other.data = satf_alloc((size_t)(out->stride * out->height));
    if (!other.data || satf_context_set_engine(ctx, SATF_ENGINE_SAT) ||
        satf_filter_apply(ctx, filter, in, &other)) {
        problem = "the tables of the CPU cannot make a result to compare with";
    } else if (!is_same(out, &other, satf_type_is_float(in->type))) {
        problem = "the tables of the CPU give another result";
    }
    satf_free(other.data);
    satf_context_destroy(ctx);
    return problem;
}
