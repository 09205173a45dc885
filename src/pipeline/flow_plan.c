/* Planning a flow: the segments of a chain, their strips of columns, and the memory of all. */
#include "flow.h"

#include "../base/parallel.h"
#include "../base/share.h"
#include "../base/view.h"
#include "../chain/region.h"
#include "../plan/plan.h"

/* Bands in a ring beyond the rows that its reader looks back on: one being filled, one being read,
 * and slack. */
enum { BANDS = 3, LAST_BANDS = 4 };

/* The least estimate of a strip's row, for each step has its costs a row; and how many times wider
 * than the columns beside it, which are made twice, a strip is. A chain is cut into segments as for
 * so many strips, whatever the threads: what a ring takes of rows that are pushed does not depend
 * on these. */
enum { LEAST_NS = 8000, LEAST_MARGINS = 4, MANY_STRIPS = 16 };

/* Links of a segment: each step of a walk is some calls deeper than the one behind it. */
enum { MOST_LINKS = 8 };

/* ------------------------------------------------------------------------ cutting */

static satf_filter links_of(const satf_filter *chain, size_t first, size_t end)
{
    return (satf_filter){
        .links = &chain->links[first], .count = end - first, .counting = chain->counting};
}

/* The columns of in on which one in the midst of the result depends. */
static satf_status find_columns(satf_context *ctx, const satf_filter *links, const satf_view *in,
                                const satf_view *out, int64_t *before, int64_t *columns)
{
    satf_rect where = {out->width / 2, 0, 1, out->height}, crop, part;
    satf_status status = filter_find_region(ctx, links, in, &where, &crop, &part);
    *before = status ? 0 : where.x - crop.x;
    *columns = status ? 0 : crop.w;
    return status;
}

/* Whether columns of the filter's result are made of the same columns, or some around them, by rows
 * that come in order. */
static bool may_be_cut(const chain_link *link)
{
    const filter_border *border = chain_value(link, PARAM_BORDER);
    return !(border && border->kind == SATF_BORDER_WRAP) && !filter_has_zero_edge(link) &&
           !filter_symmetry(filter_last(link->info), link->options);
}

/* Strips that pay for those links; 0 if each depends on all columns. */
static satf_status count_strips(satf_context *ctx, const satf_filter *links, const satf_view *in,
                                const satf_view *out, int64_t *strips)
{
    int64_t before, columns;
    satf_status status = find_columns(ctx, links, in, out, &before, &columns);
    bool all = status || columns == in->width || !may_be_cut(&links->links[links->count - 1]);
    double ns = 0;
    for (size_t k = 0; k < links->count; k++) {
        ns += filter_ns(ctx, &links->links[k], false) * in->channels;
    }
    int64_t dear = ns > 0 ? (int64_t)(LEAST_NS / ns) + 1 : in->width;
    int64_t least_columns = most(dear, LEAST_MARGINS * (columns - 1));
    *strips = all ? 0 : most(out->width / least_columns, 1);
    return status;
}

/* Threads that nobody beside the call needs now. */
static int free_threads(const satf_context *ctx)
{
    int threads = satf_thread_count(ctx), more = satf_share_acquire(ctx, threads - 1);
    satf_share_release(ctx, more);
    return 1 + more;
}

/* Finds the links from r->link on that are one segment, and the view of what it makes: each is cut
 * into no fewer strips than those before it, or into many. */
static satf_status find_segment(satf_context *ctx, const satf_filter *chain, flow_ring *r,
                                size_t *end, satf_view *out)
{
    int64_t strips, more;
    satf_status status = filter_output_at(ctx, chain, r->link, &r->view, out);
    satf_filter links = links_of(chain, r->link, r->link + 1);
    status = status ? status : count_strips(ctx, &links, &r->view, out, &strips);
    size_t last = chain->count - r->link > MOST_LINKS ? r->link + MOST_LINKS : chain->count;
    for (*end = r->link + 1; !status && strips > 0 && *end < last; ++*end) {
        satf_view next;
        status = filter_output_at(ctx, chain, *end, out, &next);
        links = links_of(chain, r->link, *end + 1);
        status = status ? status : count_strips(ctx, &links, &r->view, &next, &more);
        if (status || more < least(strips, MANY_STRIPS)) {
            break;
        }
        *out = next;
        strips = more;
    }
    if (!status) {
        r->cuts = strips > 0;
        r->strips = (int)most(least(strips, free_threads(ctx)), 1);
    }
    return status;
}

/* ----------------------------------------------------------------------- planning */

static int64_t round_up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* The view with those columns alone, packed. */
static satf_view columns_of(const satf_view *view, int64_t width)
{
    satf_view of = *view;
    of.width = width;
    of.stride = width * satf_pixel_bytes(view);
    return of;
}

/* Plans the strip that makes columns x ... x + width - 1 of the segment's result. */
static satf_status plan_strip(satf_context *ctx, flow *f, int i, const satf_filter *links,
                              int64_t x, int64_t width, flow_stage *t)
{
    const flow_ring *r = &f->rings[i], *next = r + 1;
    satf_rect where = {x, 0, width, next->view.height}, crop, part;
    satf_status status = filter_find_region(ctx, links, &r->view, &where, &crop, &part);
    if (status) {
        return status;
    }
    satf_view in = columns_of(&r->view, crop.w), out = columns_of(&next->view, width);
    part.y = 0;
    t->from_byte = r->first_byte + crop.x * satf_pixel_bytes(&in);
    t->to_byte = x * satf_pixel_bytes(&out);
    return filter_plan_rows(ctx, links, 0, links->count, NULL, &in, &part, &out, &t->plan);
}

static void add_need(flow_ring *r, const filter_rows_need *need)
{
    r->need.kept = most(r->need.kept, need->kept);
    if (!satf_add(r->need.bytes, need->bytes, &r->need.bytes)) {
        r->need.bytes = SIZE_MAX;
    }
}

/*
 * Plans the strips of the segment in place of *whole, which is the plan of all columns: as many as
 * r->strips, or fewer. Where floats are summed in blocks of columns, all but the first begin at
 * such a block, with the columns beside it. So the bits are those of one strip.
 */
static satf_status plan_strips(satf_context *ctx, flow *f, int i, const satf_filter *links,
                               satf_plan **whole)
{
    flow_ring *r = &f->rings[i];
    flow_stage *stages = &f->stages[r->first];
    int64_t width = r[1].view.width, before, columns, at = 0, strips = 1;
    satf_status status = find_columns(ctx, links, &r->view, &r[1].view, &before, &columns);
    int64_t each = round_up((width + r->strips - 1) / r->strips, r->need.columns);
    while (strips < r->strips && strips * each + before + each / 2 < width) {
        strips++;
    }
    r->strips = (int)strips;
    if (strips == 1 || status) {
        stages[0].plan = *whole;
        stages[0].from_byte = r->first_byte;
        *whole = NULL;
        return status;
    }
    r->need.bytes = 0;
    for (int64_t k = 1; k <= strips && !status; k++) {
        int64_t end = k < strips ? k * each + before : width;
        flow_stage *t = &stages[k - 1];
        status = plan_strip(ctx, f, i, links, at, end - at, t);
        if (!status) {
            filter_rows_need need = filter_plan_need(t->plan);
            t->plan->timed = links->count > 1;
            add_need(r, &need);
        }
        at = end;
    }
    return status;
}

/* The plans of the segment that reads ring i, of links up to `end`; its weights go on from those of
 * the one before, which is one strip. */
static satf_status plan_segment(satf_context *ctx, const satf_filter *chain, flow *f, int i,
                                size_t end)
{
    flow_ring *r = &f->rings[i];
    satf_filter links = links_of(chain, r->link, end);
    const satf_plan *before = i > 0 ? f->stages[r->first - 1].plan : NULL;
    satf_view in = columns_of(&r->view, r->view.width);
    satf_plan *whole;
    satf_status status =
        filter_plan_rows(ctx, &links, 0, links.count, before, &in, NULL, &r[1].view, &whole);
    if (status) {
        return status;
    }
    whole->timed = links.count > 1;
    r->need = filter_plan_need(whole);
    r->strips = r->need.refusal ? 1 : r->strips;
    status = plan_strips(ctx, f, i, &links, &whole);
    satf_plan_destroy(whole);
    return status;
}

/* ------------------------------------------------------------------------- memory */

bool flow_ring_bytes(const flow_ring *r, size_t *bytes)
{
    return satf_mul((size_t)(r->capacity + r->need.start + r->need.end), (size_t)r->view.stride,
                    bytes);
}

/* Room for so many rows and what is needed besides. */
static void size_ring(flow_ring *r, int64_t rows, size_t *bytes)
{
    size_t more;
    r->capacity = round_up(rows, r->band_rows);
    if (!flow_ring_bytes(r, &more) || !satf_add(*bytes, more, bytes) ||
        !satf_add(*bytes, r->need.bytes, bytes)) {
        *bytes = SIZE_MAX; /* and no sum is less from here on */
    }
}

/*
 * Rows that are in the filters: the last stage, a band behind the last of them, has not passed
 * those yet when the first filter wants the next.
 */
static int64_t rows_within(const flow *f)
{
    int64_t rows = f->rings[f->segments].band_rows;
    for (int i = 0; i < f->segments; i++) {
        rows += least(f->rings[i].need.kept, f->rings[i].view.height);
    }
    return rows;
}

static satf_status begin_plan(satf_context *ctx, size_t segments, const satf_view *in, flow *f)
{
    size_t rings = (segments + 1) * sizeof *f->rings;
    *f = (flow){.ctx = ctx, .rings = satf_alloc_zeroed(rings), .failed = -1};
    if (!f->rings) {
        return satf_fail_memory(ctx, rings, "rows on their way");
    }
    f->rings[0].view = *in;
    return SATF_OK;
}

/* The stages of f->segments, as many as these may be. */
static satf_status make_stages(satf_context *ctx, flow *f)
{
    size_t count = 2;
    for (int i = 0; i < f->segments; i++) {
        count += (size_t)f->rings[i].strips;
    }
    f->stages = satf_alloc_zeroed(count * sizeof *f->stages);
    if (!f->stages) {
        return satf_fail_memory(ctx, count * sizeof *f->stages, "the stages");
    }
    for (size_t k = 0; k < count; k++) {
        f->stages[k].ctx = ctx;
    }
    return SATF_OK;
}

/* The stages of segment i get their numbers. */
static void number_stages(flow *f, int i)
{
    flow_ring *r = &f->rings[i];
    for (int k = 0; k < r->strips; k++) {
        f->stages[r->first + k].ring = i;
    }
    f->strips += r->strips;
}

/* The first filter sees that part of what comes. */
static void crop_first(flow_ring *r, const satf_rect *crop)
{
    r->first_row = r->freed = crop->y;
    r->first_byte = crop->x * satf_pixel_bytes(&r->view);
    r->view.width = crop->w;
    r->view.height = crop->h;
    r->passes = true;
}

/* The segments, with the views of all rings and how many strips may be. */
static satf_status find_segments(satf_context *ctx, const satf_filter *chain, const satf_rect *crop,
                                 const satf_view *out, flow *f)
{
    satf_status status = SATF_OK;
    for (size_t end = 0; end < chain->count && !status; f->segments++) {
        flow_ring *r = &f->rings[f->segments];
        r->link = end;
        r->band_rows = satf_block_rows(&r->view);
        r->rows = r->view.height;
        if (crop && f->segments == 0) {
            crop_first(r, crop);
        }
        status = find_segment(ctx, chain, r, &end, &r[1].view);
    }
    flow_ring *last = &f->rings[f->segments];
    last->view = *out;
    last->rows = out->height;
    last->band_rows = satf_block_rows(out);
    return status;
}

satf_status flow_plan(satf_context *ctx, const satf_filter *chain, const satf_view *in,
                      const satf_rect *crop, const satf_view *out, flow *f, size_t *bytes)
{
    *bytes = 0;
    satf_status status = begin_plan(ctx, chain->count, in, f);
    status = status ? status : find_segments(ctx, chain, crop, out, f);
    status = status ? status : make_stages(ctx, f);
    for (int i = 0; i < f->segments && !status; i++) {
        f->rings[i].first = f->strips + 1;
        status = plan_segment(ctx, chain, f, i,
                              i + 1 < f->segments ? f->rings[i + 1].link : chain->count);
        number_stages(f, i);
    }
    for (int i = 0; i <= f->segments && !status; i++) {
        flow_ring *r = &f->rings[i];
        int64_t bands = i == f->segments ? LAST_BANDS : BANDS;
        int64_t within = r->passes ? rows_within(f) : 0;
        size_ring(r, least(r->need.kept, r->rows) + within + bands * r->band_rows, bytes);
    }
    return status;
}

satf_status flow_plan_whole(satf_context *ctx, const satf_view *in, const satf_view *out, flow *f,
                            size_t *bytes)
{
    satf_status status = begin_plan(ctx, 1, in, f);
    *bytes = 0;
    if (status) {
        return status;
    }
    f->segments = f->rings[0].first = f->rings[0].strips = 1;
    for (int i = 0; i < 2; i++) {
        f->rings[i].view = i ? *out : *in;
        f->rings[i].rows = f->rings[i].view.height;
        f->rings[i].band_rows = satf_block_rows(&f->rings[i].view);
        size_ring(&f->rings[i], f->rings[i].rows, bytes);
    }
    status = make_stages(ctx, f);
    number_stages(f, 0);
    return status;
}
