/* Plans: what is decided once for a chain and its images' shape. */
#include "plan.h"

#include <inttypes.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "region.h"
#include "walk.h"

static satf_status fail_size(satf_context *ctx)
{
    return satf_fail(ctx, SATF_LIMIT, "the chain's images are too large for any memory");
}

/* Puts a part of that many bytes behind the others. */
static satf_status reserve(satf_context *ctx, satf_plan *plan, size_t bytes, size_t *at)
{
    *at = plan->bytes;
    if (bytes > SIZE_MAX / 8 || !satf_add(plan->bytes, satf_align64(bytes), &plan->bytes) ||
        plan->bytes > SIZE_MAX / 2) {
        return fail_size(ctx);
    }
    return SATF_OK;
}

/* A view without data of images like that one in the plan's memory: rows are packed, but for
 * their alignment. */
static satf_status reserve_view(satf_context *ctx, satf_plan *plan, satf_view *view, size_t *at)
{
    size_t row = (size_t)satf_row_samples(view) * satf_type_bytes(view->type), bytes;
    view->stride = (int64_t)satf_align64(row);
    view->device = plan->device;
    view->pixel_stride = 0;
    if (!satf_mul((size_t)view->stride, (size_t)view->height, &bytes)) {
        return fail_size(ctx);
    }
    return reserve(ctx, plan, bytes, at);
}

static satf_status image_bytes(satf_context *ctx, const satf_view *view, size_t *bytes)
{
    if (!satf_mul((size_t)view->stride, (size_t)view->height, bytes) || *bytes > SIZE_MAX / 8) {
        return fail_size(ctx);
    }
    *bytes = satf_align64(*bytes);
    return SATF_OK;
}

static satf_status add_step(satf_context *ctx, satf_plan *plan, const filter_step_spec *spec,
                            plan_step **added)
{
    *added = &plan->steps[plan->count];
    (*added)->link = (size_t)(spec->link - plan->chain->links);
    satf_status status = filter_step_make(ctx, spec, &(*added)->step);
    plan->count += !status;
    return status;
}

/* A filter of one step, or of several, from `in` to `out`. */
typedef struct plan_link {
    const chain_link *link;
    satf_view from, to;
    plan_place in, out;
} plan_link;

/* The next of the plan's pictures: `picture`, which is the filter's, or one that the plan owns.
 * *view: where the work is done. */
static satf_status keep_picture(satf_context *ctx, satf_plan *plan, const satf_view *picture,
                                satf_image *made, plan_place *place, satf_view *view)
{
    *place = (plan_place){PLACE_PICTURE, plan->picture_count};
    plan_picture *kept = &plan->pictures[plan->picture_count++];
    *kept = (plan_picture){.made = made, .view = *picture, .there = *picture};
    kept->there.data = NULL;
    satf_status status =
        plan->device == SATF_HOST ? SATF_OK : reserve_view(ctx, plan, &kept->there, &kept->at);
    *view = kept->there;
    return status;
}

/* Behind a row and a column of zeros, which it makes room for in the link's result. */
static satf_status lead(satf_context *ctx, satf_plan *plan, const plan_link *of, plan_step *step)
{
    satf_image *zeros;
    satf_view there;
    int64_t most = of->to.width > of->to.height ? of->to.width : of->to.height;
    step->led = of->to;
    step->led_at = of->out;
    step->out.at += (size_t)(of->to.stride + satf_pixel_bytes(&of->to));
    satf_status status =
        satf_image_create(ctx, most, 1, of->to.channels, (satf_type)of->to.type, 0, &zeros);
    if (!status) {
        status = keep_picture(ctx, plan, &zeros->view, zeros, &step->zeros, &there);
        plan->pictures[step->zeros.at].zeros = true;
    }
    return status;
}

static satf_status plan_one(satf_context *ctx, satf_plan *plan, const plan_link *of)
{
    plan_step *step;
    bool led = filter_leads(of->link), by_rows = plan->use == FILTER_BY_ROWS;
    filter_step_spec spec = {.link = of->link,
                             .in = of->from,
                             .out = of->to,
                             .input = &of->from,
                             .by_rows = by_rows,
                             .lasting = plan->use == FILTER_LASTING};
    spec.out.width -= led;
    spec.out.height -= led;
    if (plan->second.width > 0 && of->out.kind == PLACE_OUTPUT && !plan_delivers(plan) &&
        satf_is_packed(&plan->second)) {
        spec.second = filter_outputs(of->link->info)[1]->recipe;
        spec.second_out = plan->second;
    }
    satf_status status = add_step(ctx, plan, &spec, &step);
    if (status) {
        return status;
    }
    step->in = of->in;
    step->out = of->out;
    return led && !by_rows ? lead(ctx, plan, of, step) : SATF_OK;
}

/* What steps read beside the input of a filter: an image, its own or the second input, and the sums
 * of that. */
typedef struct plan_aux {
    plan_place place, sums_place; /* PLACE_NONE: none */
    satf_view view, sums;
} plan_aux;

/* A row that is every row. */
static satf_status keep_sums(satf_context *ctx, satf_plan *plan, const satf_view *picture,
                             plan_aux *aux)
{
    satf_image *sums;
    satf_status status = filter_picture_sum(ctx, picture, &sums);
    if (!status) {
        status = keep_picture(ctx, plan, &sums->view, sums, &aux->sums_place, &aux->sums);
        aux->sums.stride = 0;
    }
    return status;
}

static satf_status keep_own(satf_context *ctx, satf_plan *plan, const plan_link *of,
                            const satf_view *picture, plan_aux *aux)
{
    const filter_recipe *recipe = of->link->info->recipe;
    const satf_view *in = &of->from;
    satf_image *spread = NULL;
    bool any = recipe->any_aux, same_alpha = !((picture->flags ^ in->flags) & SATF_ALPHA);
    satf_status status = filter_picture_check(ctx, picture, in, any ? LIKE_COLOURS : LIKE_OR_ONE);
    if (!status && (picture->channels != in->channels || (any && !same_alpha))) {
        status = filter_picture_spread(ctx, picture, in, &spread);
        picture = status ? picture : &spread->view;
    }
    if (!status) {
        status = keep_picture(ctx, plan, picture, spread, &aux->place, &aux->view);
    }
    bool sums = recipe->sums_aux && recipe->sums_aux(of->link->options);
    return status || !sums ? status : keep_sums(ctx, plan, picture, aux);
}

static satf_status find_aux(satf_context *ctx, satf_plan *plan, const plan_link *of, plan_aux *aux)
{
    const chain_link *link = of->link;
    const filter_recipe *recipe = link->info->recipe;
    filter_picture *const *picture = chain_value(link, PARAM_IMAGE);
    *aux = (plan_aux){.place = {PLACE_NONE, 0}, .sums_place = {PLACE_NONE, 0}};
    if (picture && *picture) {
        return keep_own(ctx, plan, of, &(*picture)->view, aux);
    }
    if (plan->aux.width == 0) {
        return recipe->part_counts[0] > 0
                   ? SATF_OK
                   : satf_fail(ctx, SATF_INVALID, "%s has no auxiliary input yet",
                               link->info->name);
    }
    if (recipe->sums_aux && recipe->sums_aux(link->options)) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "%s takes the mean of the auxiliary input, which the filter has to "
                         "keep for that; a plan's second input comes with every run",
                         link->info->name);
    }
    aux->place = (plan_place){PLACE_AUX, 0};
    aux->view = plan->from_aux;
    return filter_picture_check(ctx, &aux->view, &of->from,
                                recipe->any_aux ? LIKE_CHANNELS : LIKE_INPUT);
}

/* The images of a filter of several steps (filter_part). */
typedef struct part_images {
    const plan_link *of;
    const filter_part *parts;
    plan_aux aux;
    satf_view between; /* like a real result of a part that is not the last */
    size_t bytes;      /* of it */
} part_images;

static plan_place part_place(const part_images *images, int number, satf_view *view)
{
    if (number == 0) {
        *view = images->of->from;
        return images->of->in;
    }
    if (number == 1) {
        *view = images->aux.view;
        return images->aux.place;
    }
    if (number == FILTER_SUMS) {
        *view = images->aux.sums;
        return images->aux.sums_place;
    }
    *view = images->between;
    if (images->parts[number - 2].recipe->type == TYPE_WHOLE &&
        !satf_type_is_float((satf_type)images->of->from.type)) {
        view->type = SATF_F32;
        view->stride = satf_row_samples(view) * (int64_t)sizeof(float);
    }
    return (plan_place){PLACE_PART, (size_t)(number - 2) * images->bytes};
}

static satf_status plan_part(satf_context *ctx, satf_plan *plan, const part_images *images,
                             const filter_part *part, int number, bool last)
{
    static const unsigned reads[2] = {FORMULA_AUX, FORMULA_AUX_TOO};
    const plan_link *of = images->of;
    filter_step_spec spec = {.link = of->link,
                             .part = part,
                             .input = &of->from,
                             .by_rows = plan->use == FILTER_BY_ROWS,
                             .input_aux =
                                 images->aux.place.kind == PLACE_NONE ? NULL : &images->aux.view};
    plan_place in = part_place(images, part->of, &spec.in), aux[2] = {{PLACE_NONE, 0}};
    plan_place out = part_place(images, number, &spec.out);
    for (int b = 0; b < 2; b++) {
        if (filter_reads(part->recipe, reads[b])) {
            aux[b] = part_place(images, part->aux[b], &spec.aux[b]);
        }
    }
    if (last) {
        spec.out = of->to;
        out = of->out;
    }
    plan_step *step;
    satf_status status = add_step(ctx, plan, &spec, &step);
    if (!status) {
        step->in = in;
        step->out = out;
        memcpy(step->aux, aux, sizeof aux);
    }
    return status;
}

static satf_status plan_parts(satf_context *ctx, satf_plan *plan, const plan_link *of)
{
    const filter_recipe *recipe = of->link->info->recipe;
    const satf_view *from = &of->from;
    part_images images = {.of = of};
    satf_status status = find_aux(ctx, plan, of, &images.aux);
    bool aux = images.aux.place.kind != PLACE_NONE;
    size_t count = (size_t)recipe->part_counts[aux], all = 0;
    images.between = satf_view_packed(NULL, from->width, from->height, from->channels, SATF_F64);
    images.between.device = plan->device;
    images.parts = recipe->parts[aux];
    status = status ? status : image_bytes(ctx, &images.between, &images.bytes);
    if (!status && !satf_mul(images.bytes, count - 1, &all)) {
        status = fail_size(ctx);
    }
    for (size_t k = 0; k < count && !status; k++) {
        status = plan_part(ctx, plan, &images, &images.parts[k], 2 + (int)k, k + 1 == count);
    }
    return status;
}

/* Where the filter's result goes, behind which is another filter: an image of its own, of all
 * pixels of the input where that is larger. */
static satf_status place_between(satf_context *ctx, const satf_plan *plan, plan_link *of)
{
    size_t bytes;
    satf_status status = filter_step_output(ctx, of->link, &of->from, &of->to);
    if (status) {
        return status;
    }
    if (filter_trims(of->link)) {
        of->to.width = of->from.width;
        of->to.height = of->from.height;
        of->to.stride = of->to.width * satf_pixel_bytes(&of->to);
    }
    if (plan->device != SATF_HOST) { /* kernels are faster so */
        of->to.stride = (int64_t)satf_align64((size_t)of->to.stride);
    }
    return image_bytes(ctx, &of->to, &bytes);
}

/* The next filter's input. */
static void go_on(plan_link *of)
{
    of->from = of->to;
    of->in = of->out;
    if (filter_trims(of->link)) {
        satf_rect part = filter_valid_part(of->link, of->to.width, of->to.height);
        of->from.width = part.w;
        of->from.height = part.h;
        of->in.at = (size_t)(part.y * of->to.stride + part.x * satf_pixel_bytes(&of->to));
    }
}

static satf_status make_steps(satf_context *ctx, satf_plan *plan)
{
    plan_link of = {.from = plan->from, .in = {PLACE_INPUT, 0}};
    satf_status status = SATF_OK;
    for (size_t i = 0; i < plan->chain->count && !status; i++) {
        of.link = &plan->chain->links[i];
        of.to = plan->to;
        of.out = (plan_place){PLACE_OUTPUT, 0};
        if (i + 1 < plan->chain->count) {
            status = place_between(ctx, plan, &of);
            of.out.kind = i % 2 ? PLACE_ODD : PLACE_EVEN;
        }
        bool several = of.link->info->recipe->parts[0] != NULL;
        status = status ? status : several ? plan_parts(ctx, plan, &of) : plan_one(ctx, plan, &of);
        go_on(&of);
    }
    return status;
}

/* What planning adds up: the most that an image takes behind even and odd filters, between the
 * parts of one, and for steps to work in; all that steps keep. */
typedef struct plan_sizes {
    size_t image[2], parts, scratch, kept;
} plan_sizes;

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* The image that the step makes, if it lies in the plan's memory. */
static satf_status add_image(satf_context *ctx, const satf_plan *plan, size_t index,
                             plan_sizes *sizes)
{
    const plan_step *step = &plan->steps[index];
    size_t bytes = 0;
    satf_status status =
        walk_is_inside(plan, index) ? SATF_OK : image_bytes(ctx, &step->step.out, &bytes);
    if (!status && !satf_add(bytes, bytes ? step->out.at : 0, &bytes)) {
        status = fail_size(ctx);
    }
    size_t *most = step->out.kind == PLACE_EVEN   ? &sizes->image[0]
                   : step->out.kind == PLACE_ODD  ? &sizes->image[1]
                   : step->out.kind == PLACE_PART ? &sizes->parts
                                                  : NULL;
    if (most) {
        *most = larger(*most, bytes);
    }
    return status;
}

static satf_status plan_step_at(satf_context *ctx, satf_plan *plan, size_t index, plan_sizes *sizes)
{
    filter_step *step = &plan->steps[index].step;
    satf_status status = filter_step_plan(ctx, step);
    status = status ? status : add_image(ctx, plan, index, sizes);
    sizes->scratch = larger(sizes->scratch, step->scratch_bytes);
    if (!status && (step->kept_bytes > SIZE_MAX / 8 ||
                    !satf_add(sizes->kept, satf_align64(step->kept_bytes), &sizes->kept))) {
        status = fail_size(ctx);
    }
    return status;
}

static satf_status reserve_walks(satf_context *ctx, satf_plan *plan)
{
    satf_status status = walk_lay_out(plan) ? SATF_OK : fail_size(ctx);
    for (size_t w = 0; w < plan->walk_count && !status; w++) {
        plan_walk *walk = &plan->walks[w];
        size_t bytes;
        status = satf_mul(walk->bytes, (size_t)walk->walkers, &bytes)
                     ? reserve(ctx, plan, bytes, &walk->at)
                     : fail_size(ctx);
    }
    return status;
}

static satf_status plan_steps(satf_context *ctx, satf_plan *plan)
{
    plan_sizes sizes = {{0, 0}, 0, 0, 0};
    satf_status status = make_steps(ctx, plan);
    if (!status) {
        walk_find(ctx, plan);
    }
    for (size_t i = 0; i < plan->count && !status; i++) {
        status = plan_step_at(ctx, plan, i, &sizes);
    }
    status = status ? status : reserve(ctx, plan, sizes.image[0], &plan->images_at[0]);
    status = status ? status : reserve(ctx, plan, sizes.image[1], &plan->images_at[1]);
    status = status ? status : reserve(ctx, plan, sizes.parts, &plan->parts_at);
    status = status ? status : reserve(ctx, plan, sizes.scratch, &plan->scratch_at);
    status = status ? status : reserve_walks(ctx, plan);
    return status ? status : reserve(ctx, plan, sizes.kept, &plan->kept_at);
}

/* Steps of the chain, at most. */
static size_t most_steps(const satf_filter *chain)
{
    size_t steps = 0;
    for (size_t i = 0; i < chain->count; i++) {
        const filter_recipe *recipe = chain->links[i].info->recipe;
        int a = recipe->part_counts[0], b = recipe->part_counts[1];
        steps += (size_t)(a > b ? a : b > 0 ? b : 1);
    }
    return steps;
}

bool plan_fetches(const satf_plan *plan)
{
    return plan_crosses(plan) || !satf_is_packed(&plan->in);
}

bool plan_delivers(const satf_plan *plan)
{
    return plan_crosses(plan) || !plan->whole || plan_trims(plan) || !satf_is_packed(&plan->out);
}

satf_view plan_packed(const satf_view *view, void *data)
{
    satf_view copy =
        satf_view_packed(data, view->width, view->height, view->channels, (satf_type)view->type);
    copy.device = view->device;
    copy.flags = view->flags;
    copy.full = view->full;
    return copy;
}

/* Packed copies of what crosses. */
static satf_status reserve_near(satf_context *ctx, satf_plan *plan)
{
    const satf_view *ends[2] = {&plan->in, &plan->out};
    for (int i = 0; i < 2; i++) {
        satf_view copy = plan_packed(ends[i], NULL);
        size_t bytes;
        plan->near_out = plan->near_bytes;
        if (satf_is_packed(ends[i])) {
            continue;
        }
        if (!satf_mul((size_t)copy.stride, (size_t)copy.height, &bytes) || bytes > SIZE_MAX / 4) {
            return fail_size(ctx);
        }
        plan->near_bytes += satf_align64(bytes);
    }
    return SATF_OK;
}

/* What is delivered from: by rows, of which one is made at a time, that one. */
static satf_status reserve_result(satf_context *ctx, satf_plan *plan)
{
    int64_t height = plan->to.height;
    plan->to.height = plan->use == FILTER_BY_ROWS ? 1 : height;
    satf_status status = reserve_view(ctx, plan, &plan->to, &plan->to_at);
    plan->to.height = height;
    return status;
}

/* Where the first filter reads, and the last one writes. */
static satf_status place_ends(satf_context *ctx, satf_plan *plan)
{
    satf_view result;
    satf_status status = satf_filter_output(ctx, plan->chain, &plan->in, &result);
    if (status) {
        return status;
    }
    filter_reach lost = filter_margins(&plan->chain->links[plan->chain->count - 1]);
    if (lost.left < 0) { /* zeros that lead */
        lost = (filter_reach){0, 0, 0, 0};
    }
    plan->result = (satf_rect){lost.left, lost.top, result.width, result.height};
    plan->to.width = lost.left + result.width + lost.right;
    plan->to.height = lost.top + result.height + lost.bottom;
    if (plan->whole) {
        plan->part = (satf_rect){0, 0, result.width, result.height};
    }
    plan->from.pixel_stride = plan->to.pixel_stride = 0;
    if (plan_fetches(plan)) {
        status = reserve_view(ctx, plan, &plan->from, &plan->from_at);
    }
    if (!status && plan_crosses(plan)) {
        status = reserve_near(ctx, plan);
        if (!status && plan->aux.width > 0) {
            status = reserve_view(ctx, plan, &plan->from_aux, &plan->aux_at);
        }
    }
    if (!status && plan_delivers(plan)) {
        status = reserve_result(ctx, plan);
    }
    return status;
}

/* A filter of two outputs is the last, and somebody takes the second. */
static satf_status check_outputs(satf_context *ctx, const satf_plan *plan)
{
    for (size_t i = 0; i < plan->chain->count; i++) {
        bool last = i + 1 == plan->chain->count;
        const filter_info *info = plan->chain->links[i].info;
        if (filter_outputs(info) && (!last || plan->second.width == 0)) {
            return satf_fail(ctx, SATF_UNSUPPORTED,
                             "%s makes two images, which only satf_plan_create() takes, as two "
                             "outputs of the last filter of a chain",
                             info->name);
        }
    }
    return SATF_OK;
}

static satf_status decide(satf_context *ctx, satf_plan *plan)
{
    satf_status status = check_outputs(ctx, plan);
    if (!status && plan->device != SATF_HOST) { /* whose algorithms are asked */
        status = satf_gpu_open(ctx, plan->device);
    }
    status = status ? status : place_ends(ctx, plan);
    status = status ? status : plan_steps(ctx, plan);
    /* The limit is the host's; the device's memory has its own end. */
    size_t bytes = plan->device == SATF_HOST ? plan->bytes : plan->near_bytes;
    if (status || bytes <= (uint64_t)ctx->settings.max_bytes) {
        return status;
    }
    return satf_fail(ctx, SATF_LIMIT,
                     "filtering needs %zu bytes of memory, above the limit of %" PRId64
                     " bytes (limit: max-memory)",
                     bytes, ctx->settings.max_bytes);
}

void filter_plan_drop(satf_plan *plan)
{
    if (plan->order.done) {
        satf_cuda()->order_free(&plan->order);
    }
    for (size_t i = 0; plan->steps && i < plan->count; i++) {
        filter_step_release(&plan->steps[i].step);
    }
    for (size_t i = 0; i < plan->picture_count; i++) {
        satf_image_destroy(plan->pictures[i].made);
    }
    satf_free(plan->steps);
    satf_free(plan->pictures);
    satf_free(plan->walks);
    satf_filter_destroy(plan->chain);
    satf_free(plan);
}

satf_status filter_plan_make(satf_context *ctx, const filter_call *call, int device, filter_use use,
                             satf_plan **made)
{
    size_t steps = most_steps(call->filter) * sizeof(plan_step);
    size_t pictures = 2 * call->filter->count * sizeof(plan_picture);
    size_t walks = call->filter->count * sizeof(plan_walk);
    *made = NULL;
    satf_plan *plan = satf_alloc_zeroed(sizeof *plan);
    if (!plan) {
        return satf_fail_memory(ctx, sizeof *plan, "a plan");
    }
    plan->ctx = ctx;
    plan->in = plan->from = *call->in;
    plan->out = plan->to = *call->out;
    if (call->aux) {
        plan->aux = plan->from_aux = *call->aux;
    }
    if (call->second) {
        plan->second = *call->second;
        plan->second.data = NULL;
    }
    plan->part = call->part;
    plan->whole = call->whole;
    plan->in.data = plan->from.data = plan->out.data = plan->to.data = NULL;
    plan->aux.data = plan->from_aux.data = NULL;
    plan->device = device;
    plan->use = use;
    plan->asked_device = call->device;
    plan->settings = ctx->settings;
    plan->chain = chain_new(ctx);
    satf_status status =
        plan->chain ? satf_filter_append(ctx, plan->chain, call->filter) : SATF_NO_MEMORY;
    if (!status) {
        plan->steps = satf_alloc_zeroed(steps);
        plan->pictures = satf_alloc_zeroed(pictures);
        plan->walks = satf_alloc_zeroed(walks);
        status = plan->steps && plan->pictures && plan->walks
                     ? decide(ctx, plan)
                     : satf_fail_memory(ctx, steps + pictures + walks, "a plan");
    }
    if (status) {
        filter_plan_drop(plan);
        return status;
    }
    *made = plan;
    return SATF_OK;
}
