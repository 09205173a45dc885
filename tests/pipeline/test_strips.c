/* Chains of any filters by rows are the same bits for any number of strips: those of whole images.
 * Floats too, whose sums round here. */
#include "test.h"
#include "rows_images.h"

#include "chain/pass.h"
#include "filter_any.h"
#include "pipeline/flow.h"

enum { MOST_LINKS = 4, CHAINS = 600, MOST_THREADS = 7 };

/* What has been met: flows of more strips than segments, by these numbers of threads, and of these
 * those whose floats are summed in blocks. */
static int met[MOST_THREADS + 1], met_blocks;

static void fill(const satf_view *in)
{
    int64_t samples = in->width * in->height * in->channels;
    for (int64_t i = 0; i < samples && satf_type_is_float(in->type); i++) {
        double value = ldexp((double)any(NULL, -999, 999) / 7, (int)any(NULL, -12, 12));
        if (in->type == SATF_F32) {
            ((float *)in->data)[i] = (float)value;
        } else {
            ((double *)in->data)[i] = value;
        }
    }
}

/* Adds any filter with any values, unless it wants a file. */
static void add_filter(satf_context *ctx, satf_filter *chain)
{
    size_t count = 0;
    while (filter_info_at(count)) {
        count++;
    }
    const filter_info *info = filter_info_at((size_t)any(NULL, 0, (int64_t)count - 1));
    SCOPED_FILTER *filter;
    assert_int_equal(satf_filter_create(ctx, info->name, &filter), SATF_OK);
    for (const filter_param *p = info->params; p->name; p++) {
        char text[64];
        bool made = any_value(p, any, NULL, text, sizeof text);
        if (!made && info->needs_value && p == info->params) {
            return;
        }
        if (made) {
            if (p->kind == PARAM_PLACE) {
                any_place(filter, any, NULL, text, sizeof text);
            }
            assert_int_equal(satf_filter_set(ctx, filter, p->name, text), SATF_OK);
        }
    }
    satf_filter_append(ctx, chain, filter);
}

static satf_filter *any_chain(satf_context *ctx)
{
    satf_filter *chain = parse(ctx, any(NULL, 0, 1) ? "box=3" : "box=31x3");
    int64_t links = any(NULL, 1, MOST_LINKS);
    while (filter_count(chain) < (size_t)links) {
        add_filter(ctx, chain);
    }
    return chain;
}

static void note_strips(const satf_rows *rows, int threads)
{
    const flow *f = (const flow *)(const void *)rows;
    met[threads] += f->strips > f->segments;
    for (int i = 0; i < f->segments; i++) {
        met_blocks += f->rings[i].strips > 1 && f->rings[i].need.columns > 8;
    }
}

static void go_through(satf_context *ctx, satf_rows *rows, const satf_view *in, bool any_height,
                       const satf_view *out)
{
    int64_t pushed = 0, pulled = 0, n, height = 0;
    while (pushed < in->height) {
        MUST(ctx, satf_rows_push(rows, satf_row(in, pushed), in->stride, in->height - pushed, &n));
        pushed += n;
        MUST(ctx,
             satf_rows_pull(rows, satf_row(out, pulled), out->stride, out->height - pulled, &n));
        pulled += n;
    }
    if (any_height) {
        MUST(ctx, satf_rows_finish(rows, &height));
        assert_int_equal(height, out->height);
    }
    for (; pulled < out->height; pulled += n) {
        MUST(ctx,
             satf_rows_pull(rows, satf_row(out, pulled), out->stride, out->height - pulled, &n));
        assert_true(n > 0);
    }
}

/* By rows, as far as that is possible, on so many threads. */
static void compare(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                    const satf_view *whole, int threads, bool any_height)
{
    char spec[500];
    satf_view high = *in, high_out = *whole,
              out = image(whole->width, whole->height, whole->channels, (int)whole->type);
    size_t bytes = (size_t)(whole->stride * whole->height);
    satf_rows *rows = NULL;
    high.height += any_height ? 1000 : 0;
    satf_context_set_threads(ctx, threads);
    satf_status status = satf_filter_output(ctx, filter, &high, &high_out);
    bool alike = high_out.width == whole->width && high_out.type == whole->type;
    status = status || !alike ? SATF_UNSUPPORTED
             : any_height     ? satf_rows_open_any_height(ctx, filter, &high, &high_out, &rows)
                              : satf_rows_open(ctx, filter, in, &out, &rows);
    if (!status) {
        note_strips(rows, threads);
        memset(out.data, 0x5a, bytes);
        go_through(ctx, rows, in, any_height, &out);
        if (memcmp(out.data, whole->data, bytes) != 0) {
            satf_filter_print(filter, spec, sizeof spec);
            fail_msg("%s of %dx%d, %d channels of %s, %d threads: differs", spec, (int)in->width,
                     (int)in->height, (int)in->channels, satf_type_name(in->type), threads);
        }
    }
    satf_rows_close(rows);
    free(out.data);
}

TEST(any_chains)
{
    static const satf_type types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
    static const int threads[] = {1, 2, 3, MOST_THREADS};
    for (int round = 0; round < CHAINS; round++) {
        int channels = 1 + round / 4 % 4;
        SCOPED_FILTER *filter = any_chain(ctx);
        satf_view out, in = noise(any(NULL, 400, 9000) / channels, any(NULL, 1, 40), channels,
                                  types[round % 4]);
        in.flags = channels % 2 == 0 && round % 3 ? SATF_ALPHA : 0;
        fill(&in);
        satf_context_set_threads(ctx, 1);
        if (!satf_filter_output(ctx, filter, &in, &out)) {
            satf_view whole = room_for(ctx, filter, &in);
            if (!satf_filter_apply(ctx, filter, &in, &whole)) {
                for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
                    compare(ctx, filter, &in, &whole, threads[k], false);
                }
                compare(ctx, filter, &in, &whole, MOST_THREADS, true);
            }
            free(whole.data);
        }
        free(in.data);
    }
    assert_true(met[1] == 0 && met[2] > 50 && met[3] > 50 && met[MOST_THREADS] > 50);
    assert_true(met_blocks > 50);
}
