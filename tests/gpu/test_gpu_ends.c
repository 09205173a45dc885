/* Sample types that become others at the ends of filters, and pixels that do not count, on a
 * device: the CPU's bits, where these are of integers. */
#include "chain/filter.h"
#include "filter_make.h"
#include "filter_reference.h"
#include "formula/adapt.h"
#include "program.h"

enum { W = 203, H = 131 };

static bool is_exact(int type)
{
    return type == SATF_I8 || type == SATF_I16 || type == SATF_U8 || type == SATF_U16;
}

/* Whole numbers, of which few sums round, all that the type has if it is exact. */
static satf_view draw(int type, int channels, uint64_t seed)
{
    satf_view like = satf_view_packed(NULL, W, H, channels, (satf_type)type);
    satf_view view = gpu_host_view(&like);
    int64_t least = satf_type_is_signed(type) ? -128 : 0;
    for (int64_t i = 0; i < W * H * channels; i++) {
        uint64_t random = ref_random(&seed);
        char *at = (char *)view.data + (size_t)i * satf_type_bytes(type);
        if (is_exact(type)) {
            memcpy(at, &random, satf_type_bytes(type));
        } else {
            adapt_put(type, (double)(least + (int64_t)(random >> 57)), at);
        }
    }
    return view;
}

static void compare(const char *what, const satf_filter *filter, const satf_view *in)
{
    satf_view like;
    if (satf_filter_output(cpu, filter, in, &like)) {
        return; /* test_ends says which are refused */
    }
    ON_HOST satf_view want = gpu_host_view(&like), got = gpu_host_view(&like);
    satf_status here = gpu_apply_here(filter, in, &want);
    satf_status there = satf_filter_apply(gpu, filter, in, &got);
    if (here == SATF_UNSUPPORTED || there == SATF_UNSUPPORTED) { /* no tables of floats */
        gpu_refused++;
        return;
    }
    gpu_must_do(cpu, here, what);
    gpu_must_do(gpu, there, what);
    int64_t n = satf_row_samples(&want) * want.height;
    bool exact = is_exact(in->type) && !satf_type_is_float(want.type);
    for (int64_t i = 0; i < n; i++) {
        size_t at = (size_t)i * satf_type_bytes(want.type);
        double a = read_sample(want.type, (char *)want.data + at);
        double b = read_sample(got.type, (char *)got.data + at);
        double off = exact ? 0 : satf_type_is_float(want.type) ? 1e-3 + 1e-3 * fabs(a) : 1;
        if (fabs(a - b) > off || isnan(a) != isnan(b)) {
            fail_msg("%s: sample %ld of %d channels is %.9g, and not %.9g", what, (long)i,
                     want.channels, b, a);
        }
    }
    gpu_runs++;
}

TEST_ALONE(test_types)
{
    static const int types[] = {SATF_I8,  SATF_I16, SATF_I32, SATF_I64,
                                SATF_U32, SATF_U64, SATF_F16, SATF_BF16};
    const filter_info *info;
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        for (int k = 0; k < 16; k++) {
            char what[96];
            int type = types[k % 8], border = (int)((i + (size_t)k) % 7);
            ON_HOST satf_view in = draw(type, 1 + k / 8 * 2, i * 31 + (size_t)k);
            in.full = satf_type_bytes(type) == 8 ? 1000 : 0;
            SCOPED_FILTER *filter = make_filter_of(cpu, info, border, "9x6", "1:-1", W, H);
            snprintf(what, sizeof what, "%s of %s, border %d", info->name, satf_type_name(type),
                     border);
            compare(what, filter, &in);
        }
    }
}

TEST_ALONE(test_weights)
{
    static const int types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64, SATF_I16, SATF_F16};
    const filter_info *info;
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        for (int k = 0; k < 18; k++) {
            char what[96];
            const double nodata = 77;
            int type = types[k % 6], border = (int)((i + (size_t)k) % 7);
            ON_HOST satf_view in = draw(type, 1 + k / 6 % 2 * 2, i * 57 + (size_t)k);
            ON_HOST satf_view weights = draw(SATF_U8, 1, i + (size_t)k);
            for (int64_t x = 0; x < W * H; x++) {
                uint8_t *w = (uint8_t *)weights.data + x;
                *w = *w & 1 || (x % W < 60 && x / W < 50) ? 0 : *w;
            }
            SCOPED_FILTER *filter = make_filter_of(cpu, info, border, "9x6", "1:-1", W, H);
            if (k % 3) {
                MUST(cpu, satf_filter_set_weights(cpu, filter, &weights));
            }
            MUST(cpu, satf_filter_set_missing(cpu, filter, 1, k % 2 ? &nodata : NULL));
            snprintf(what, sizeof what, "%s of %s, border %d, counting", info->name,
                     satf_type_name(type), border);
            compare(what, filter, &in);
        }
    }
}

/* Weights that go with their pixels. */
TEST_ALONE(test_moved_weights)
{
    static const char *const chains[] = {"rotate=90 box=9x6", "crop=150x101+9+8 resize=50% box=5",
                                         "pixelate=3 transpose unsharp=7"};
    static const int types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_I16};
    for (size_t k = 0; k < 12; k++) {
        char what[96];
        ON_HOST satf_view in = draw(types[k % 4], 1 + (int)(k / 4) % 2 * 2, k * 57);
        ON_HOST satf_view weights = draw(SATF_U8, 1, k);
        for (int64_t x = 0; x < W * H; x++) {
            uint8_t *w = (uint8_t *)weights.data + x;
            *w = *w & 1 || (x % W < 60 && x / W < 50) ? 0 : *w;
        }
        SCOPED_FILTER *filter = parse_filter(cpu, chains[k / 4]);
        MUST(cpu, satf_filter_set_weights(cpu, filter, &weights));
        snprintf(what, sizeof what, "%s of %s, weights", chains[k / 4],
                 satf_type_name(types[k % 4]));
        compare(what, filter, &in);
    }
}

GPU_TEST_FILE;
