/* Makes the steps of a plan: the passes of its filters, with the images between them. */
#include <string.h>

#include "../base/memory.h"
#include "../base/view.h"
#include "../chain/modules.h"
#include "plan_aux.h"
#include "plan_memory.h"
#include "../chain/region.h"
#include "../sums/choice/varies_kernels.h"
#include "ends.h"
#include "walk.h"
#include "weights.h"

static satf_status add_step(satf_context *ctx, satf_plan *plan, const filter_step_spec *spec,
                            plan_step **added)
{
    *added = &plan->steps[plan->count];
    (*added)->link = (size_t)(spec->link - plan->chain->links);
    walk_from_memory(*added);
    satf_status status = filter_step_make(ctx, spec, &(*added)->step);
    plan->count += !status;
    return status;
}

/* Puts the step's result behind a zero edge, in the link's result, which has room for it. */
static satf_status add_zero_edge(satf_context *ctx, satf_plan *plan, const plan_link *of,
                                 plan_step *step)
{
    satf_image *zeros;
    satf_view device_view;
    int64_t most = of->to.width > of->to.height ? of->to.width : of->to.height;
    step->edged = of->to;
    step->edged_at = of->out;
    step->out.at += (size_t)(of->to.stride + satf_pixel_bytes(&of->to));
    satf_status status =
        satf_image_create(ctx, most, 1, of->to.channels, (satf_type)of->to.type, 0, &zeros);
    if (!status) {
        status = plan_keep_picture(ctx, plan, &zeros->view, zeros, &step->zeros, &device_view);
        plan->pictures[step->zeros.at].zeros = true;
    }
    return status;
}

/* The images of a filter's passes, by the numbers of filter_pass. */
typedef struct pass_images {
    const plan_link *of;
    const filter_passes *way;
    plan_aux aux;
    size_t bytes;                 /* of the largest image between passes, */
    int slots[FILTER_MAX_PASSES]; /* and which of as many places each is in */
} pass_images;

/* Whether image 1 is an auxiliary input; else it is the input. */
static bool has_aux(const pass_images *images)
{
    return images->aux.place.kind != PLACE_NONE;
}

static int channels_of(const pass_images *images, int number)
{
    int input = images->of->from.channels;
    if (number < 2) {
        return number && has_aux(images) ? images->aux.view.channels : input;
    }
    const filter_pass *pass = &images->way->list[number - 2];
    return pass->kernel == KERNEL_VARIES
               ? varies_lanes(step_varies_kind(images->of->link, &images->of->from))
           : pass->mix == MIX_NONE ? channels_of(images, pass->of)
           : pass->lanes           ? pass->lanes
                                   : input;
}

/* The image that a pass makes which is not the last. */
static satf_view view_between(const pass_images *images, int number)
{
    const satf_view *from = &images->of->from;
    const filter_pass *pass = &images->way->list[number - 2];
    const filter_size *size = chain_value(images->of->link, PARAM_SIZE);
    bool whole = pass->type == TYPE_WHOLE && !satf_type_is_float(from->type);
    /* Images to choose among have the result's type, whatever type was asked for. */
    int type = pass->type == TYPE_OF_INPUT ? images->of->to.type : whole ? SATF_F32 : SATF_F64;
    satf_view view = satf_view_packed(NULL, from->width + (pass->all ? size->width - 1 : 0),
                                      from->height + (pass->all ? size->height - 1 : 0),
                                      channels_of(images, number), (satf_type)type);
    view.device = from->device;
    return view;
}

static plan_place pass_place(const pass_images *images, int number, satf_view *view)
{
    if (number == 0 || (number == 1 && !has_aux(images))) {
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
    *view = view_between(images, number);
    return (plan_place){PLACE_PASS, (size_t)images->slots[number - 2] * images->bytes};
}

static void aux_places(const pass_images *images, const filter_pass *pass, plan_place *places,
                       satf_view *views)
{
    for (int b = 0; b < FILTER_AUX; b++) {
        if (filter_reads_aux(pass, b)) {
            places[b] = pass_place(images, pass->aux[b], &views[b]);
        }
    }
}

/* The twin that one march may make beside pass `number`: the next pass, if it has the same sums and
 * is not the last; beside the last pass, the plan's second output. NULL: none. */
static const filter_pass *twin_of(const satf_plan *plan, const pass_images *images, int number,
                                  satf_view *view, plan_place *place)
{
    const filter_pass *pass = &images->way->list[number - 2], *next = pass + 1;
    int behind = images->way->count + 1 - number;
    if (behind > 1 && pass->mix == MIX_NONE && pass->of == next->of && pass->over == next->over &&
        pass->outside == next->outside) {
        *place = pass_place(images, number + 1, view);
        return next;
    }
    if (behind == 0 && plan->twin.width > 0 && images->of->out.kind == PLACE_OUTPUT &&
        !plan_crosses(plan) && satf_is_packed(&plan->twin)) {
        *view = plan->twin;
        return filter_last(filter_outputs(images->of->link->info)[1]);
    }
    return NULL;
}

static bool reads_image(const filter_pass *pass, int number)
{
    bool reads = pass->of == number;
    for (int b = 0; b < FILTER_AUX; b++) {
        reads = reads || (filter_reads_aux(pass, b) && pass->aux[b] == number);
    }
    return reads;
}

/* The last pass that reads image `number`. */
static int last_reader(const pass_images *images, int number)
{
    int last = 0;
    for (int k = 0; k < images->way->count; k++) {
        last = reads_image(&images->way->list[k], number) ? k : last;
    }
    return last;
}

/* Whether only the next pass reads the image of pass `number`, and sums over the same pixels. */
static bool inlines_into_next(const pass_images *images, int number)
{
    const filter_passes *way = images->way;
    const filter_pass *pass = &way->list[number - 2], *next = pass + 1;
    bool inlines = number <= way->count && next->over == pass->over && next->aux[0] == number &&
                   next->of != number && next->aux[1] != number &&
                   filter_reads(next, FORMULA_AUX) && pass_shape_of(pass)->windows;
    for (int k = number; k < way->count && inlines; k++) {
        inlines = &way->list[k] == next || !reads_image(&way->list[k], number);
    }
    return inlines;
}

/* A place for pass k's image, which no pass reads from k - 1 on: it may be made with k. */
static int free_slot(const pass_images *images, int k)
{
    bool taken[FILTER_MAX_PASSES] = {false};
    int slot = 0;
    for (int m = 0; m < k; m++) {
        taken[images->slots[m]] =
            taken[images->slots[m]] || m + 1 == k || last_reader(images, 2 + m) + 1 >= k;
    }
    while (taken[slot]) {
        slot++;
    }
    return slot;
}

static satf_status place_images(satf_context *ctx, pass_images *images)
{
    satf_status status = SATF_OK;
    size_t all;
    for (int k = 0; k + 1 < images->way->count && !status; k++) {
        satf_view view = view_between(images, 2 + k);
        size_t bytes;
        status = plan_image_bytes(ctx, &view, &bytes);
        images->bytes = bytes > images->bytes ? bytes : images->bytes;
        images->slots[k] = free_slot(images, k);
    }
    return status || satf_mul(images->bytes, FILTER_MAX_PASSES, &all) ? status
                                                                      : plan_fail_size(ctx);
}

/* Whether images read beside the sums of `in` have one channel, as many, or as many but alpha. */
static bool reads_fit(const filter_pass *pass, const satf_view *in, const satf_view aux[2])
{
    int alpha = in->flags & SATF_ALPHA ? 1 : 0;
    bool fit = true;
    for (int b = 0; b < 2; b++) {
        int channels = aux[b].channels;
        fit = fit && (!filter_reads_aux(pass, b) || channels == 1 || channels == in->channels ||
                      channels == in->channels - alpha);
    }
    return fit || pass->mix != MIX_NONE;
}

/* Checks images that a module's mixes have made, which may have any number of channels. */
static satf_status steps_check_channels(satf_context *ctx, const pass_images *images,
                                        const filter_step_spec *spec, bool last)
{
    bool good =
        !last || spec->pass->mix != MIX_NONE || spec->in.channels == images->of->from.channels;
    good = good && reads_fit(spec->pass, &spec->in, spec->aux) &&
           (!spec->twin || reads_fit(spec->twin, &spec->in, spec->twin_aux));
    return good || !pass_is_foreign(spec->pass)
               ? SATF_OK
               : satf_fail(ctx, SATF_UNSUPPORTED,
                           "the module's filter %s reads images of other channels than it sums "
                           "over, or makes",
                           images->of->link->info->name);
}

/* Makes the step of pass `number`, which is the number of its image too, with its twin. The pass
 * before becomes its inline pass, if it may and the engine can. */
static satf_status plan_pass(satf_context *ctx, satf_plan *plan, const pass_images *images,
                             int number, bool may_inline)
{
    const filter_pass *pass = &images->way->list[number - 2];
    const plan_link *of = images->of;
    bool last = number == images->way->count + 1;
    bool edged = last && !(of->ends && of->ends->stores) && filter_has_zero_edge(of->link);
    filter_step_spec spec = {.link = of->link,
                             .pass = pass,
                             .input = &of->from,
                             .given = &of->given,
                             .aux_says = images->aux.says,
                             .zero = of->ends ? of->ends->zero : 0,
                             .whole = of->ends && of->ends->lane ? of->ends->load.whole : 0,
                             .masked = of->ends && of->ends->masked && pass->of == 0,
                             .by_rows = plan->use == FILTER_BY_ROWS,
                             .lasting = plan->use == FILTER_LASTING,
                             .input_aux = has_aux(images) ? &images->aux.view : NULL};
    plan_place in = pass_place(images, pass->of, &spec.in), aux[FILTER_AUX + 2] = {{PLACE_NONE, 0}};
    plan_place out = of->out, beside = {PLACE_NONE, 0};
    spec.out = of->to;
    spec.out.width -= edged;
    spec.out.height -= edged;
    if (!last) {
        out = pass_place(images, number, &spec.out);
    }
    aux_places(images, pass, aux, spec.aux);
    plan_place inline_pass = {PLACE_NONE, 0};
    if (may_inline) {
        spec.inline_pass = pass - 1;
        aux[0].kind = PLACE_NONE;
        inline_pass = pass_place(images, spec.inline_pass->of, &spec.inline_in);
        aux_places(images, spec.inline_pass, &aux[FILTER_AUX], spec.twin_aux);
    } else {
        spec.twin = twin_of(plan, images, number, &spec.twin_out, &beside);
    }
    if (spec.twin) {
        aux_places(images, spec.twin, &aux[FILTER_AUX], spec.twin_aux);
    }
    plan_step *step;
    satf_status status = steps_check_channels(ctx, images, &spec, last);
    status = status ? status : add_step(ctx, plan, &spec, &step);
    if (!status && step->step.shape->picks) {
        step->step.maker = &plan->steps[plan->count - 2].step;
        step->step.name = step->step.maker->name;
    }
    if (!status) {
        step->in = in;
        step->out = out;
        memcpy(step->aux, aux, sizeof aux);
        step->twin = step->step.twin ? beside : step->twin;
        step->inline_pass = inline_pass;
    }
    return status || !edged || spec.by_rows ? status : add_zero_edge(ctx, plan, of, step);
}

static satf_status plan_passes(satf_context *ctx, satf_plan *plan, const plan_link *of)
{
    const satf_view *from = &of->from;
    pass_images images = {.of = of};
    satf_status status = plan_find_aux(ctx, plan, of, &images.aux);
    satf_view guide = {.channels = images.aux.rgb ? 3 : 1};
    images.way = of->ends && of->ends->way
                     ? of->ends->way
                     : filter_way(of->link->info, of->link->options,
                                  has_aux(&images) && plan_takes_rgb(of->link) ? &guide : from,
                                  has_aux(&images));
    int count = images.way->count;
    if (!status && count == 0) {
        status =
            satf_fail(ctx, SATF_INVALID, "%s has no auxiliary input yet", of->link->info->name);
    }
    status = status ? status : place_images(ctx, &images);
    for (int k = 0; k < count && !status; k++) {
        const plan_step *made = &plan->steps[plan->count];
        if (plan->device != SATF_HOST && inlines_into_next(&images, 2 + k)) {
            status = plan_pass(ctx, plan, &images, 2 + k + 1, true);
            if (status || made->step.inline_pass) {
                k++;
                continue;
            }
            plan->count--;
        }
        status = plan_pass(ctx, plan, &images, 2 + k, false);
        k += !status && made->twin.kind != PLACE_NONE;
    }
    return status;
}

/* The view as it lies in the plan's memory. */
static satf_view steps_lay_out(const satf_plan *plan, satf_view view)
{
    if (plan->device != SATF_HOST) { /* kernels are faster with aligned rows */
        view.stride = (int64_t)satf_align64((size_t)view.stride);
    }
    return view;
}

static plan_step *add_adapter(satf_plan *plan, const plan_link *of, const row_adapter *adapter,
                              const satf_view *in, const satf_view *beside, const satf_view *out)
{
    plan_step *step = &plan->steps[plan->count++];
    step->link = (size_t)(of->link - plan->chain->links);
    walk_from_memory(step);
    filter_step_adapt(of->link, adapter, in, beside, out, &step->step);
    step->step.walked = step->step.by_rows = plan->use == FILTER_BY_ROWS;
    step->in = of->in;
    step->out = of->out;
    return step;
}

/* Adds the step that makes the filter's input one that engines take. */
static satf_status add_load(satf_context *ctx, satf_plan *plan, plan_link *of, filter_ends *ends)
{
    plan_place beside = {PLACE_NONE, 0}, loaded = {PLACE_LOADED, 0};
    satf_view weights;
    satf_status status = SATF_OK;
    ends->in = steps_lay_out(plan, ends->in);
    if (ends->weights.data) {
        status = plan_keep_picture(ctx, plan, &ends->weights, ends->made, &beside, &weights);
        plan->pictures[beside.at].weights = plan->weights;
        filter_picture_share(plan->weights);
    }
    if (!status) {
        plan_step *step = add_adapter(plan, of, &ends->load, &of->from,
                                      ends->weights.data ? &weights : NULL, &ends->in);
        step->aux[0] = beside;
        step->out = of->in = loaded;
        of->from = ends->in;
    }
    return status;
}

/* Adds the step that makes the caller's result of the engines'. */
static satf_status add_store(satf_context *ctx, satf_plan *plan, const plan_link *of,
                             const filter_ends *ends)
{
    bool beside = ends->store.rule == ADAPT_BESIDE, edged = filter_has_zero_edge(of->link);
    satf_view to = of->to;
    to.width -= edged;
    to.height -= edged;
    plan_step *step =
        add_adapter(plan, of, &ends->store, &ends->out, beside ? &ends->in : NULL, &to);
    step->in = (plan_place){PLACE_MADE, 0};
    step->aux[0] = (plan_place){beside ? PLACE_LOADED : PLACE_NONE, 0};
    step->step.maker = &plan->steps[plan->count - 2].step;
    step->step.name = step->step.maker->name;
    return edged && plan->use != FILTER_BY_ROWS ? add_zero_edge(ctx, plan, of, step) : SATF_OK;
}

/* Makes the steps of a filter's passes, between the steps at its ends. */
static satf_status plan_between(satf_context *ctx, satf_plan *plan, const plan_link *of,
                                filter_ends *ends)
{
    plan_link inner = *of;
    satf_status status = SATF_OK;
    inner.given = of->from;
    inner.ends = ends->loads || ends->stores ? ends : NULL;
    if (ends->loads) {
        status = add_load(ctx, plan, &inner, ends);
    }
    if (ends->stores) {
        inner.to = ends->out = steps_lay_out(plan, ends->out);
        inner.out = (plan_place){PLACE_MADE, 0};
    }
    status = status ? status : plan_passes(ctx, plan, &inner);
    return status || !ends->stores ? status : add_store(ctx, plan, of, ends);
}

/* Makes the steps of a filter, and moves the weights on to the next filter's input. */
static satf_status plan_filter(satf_context *ctx, satf_plan *plan, const plan_link *of)
{
    filter_ends ends;
    bool edged = filter_has_zero_edge(of->link);
    bool last = of->out.kind == PLACE_OUTPUT && plan->use != FILTER_BY_ROWS;
    satf_view to = of->to;
    to.width -= edged;
    to.height -= edged;
    satf_status status =
        filter_find_ends(ctx, plan->chain, of->link, plan->weights, &of->from, &to, &ends);
    status = status ? status : plan_between(ctx, plan, of, &ends);
    return status || last || !plan->weights
               ? status
               : filter_weights_behind(ctx, of->link, &ends.weights, &plan->weights);
}

/* Finds the view of a result that another filter reads: an image of its own, of all pixels of the
 * input where that is larger. */
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
    of->to = steps_lay_out(plan, of->to);
    return plan_image_bytes(ctx, &of->to, &bytes);
}

/* Makes the filter's result the next one's input. */
static void steps_go_on(plan_link *of)
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

static plan_step *add_copy(satf_plan *plan, const plan_link *of, const satf_view *to)
{
    static const row_adapter copy = {.copies = true};
    return add_adapter(plan, of, &copy, &of->from, NULL, to);
}

/* Adds a step that packs the pixels of the first filter's input. */
static void add_packing(satf_plan *plan, plan_link *of)
{
    satf_view packed = steps_lay_out(plan, plan_packed(&of->from, NULL));
    of->out = (plan_place){PLACE_ODD, 0};
    add_copy(plan, of, &packed);
    of->from = packed;
    of->in = of->out;
}

/* Adds the step that copies the caller's part of the last filter's result. */
static void add_part(satf_plan *plan, plan_link *of)
{
    const filter_step *made = &plan->steps[plan->count - 1].step;
    of->in.at +=
        (size_t)(plan->part.y * of->from.stride + plan->part.x * satf_pixel_bytes(&of->from));
    of->from.width = plan->part.w;
    of->from.height = plan->part.h;
    of->out = (plan_place){PLACE_OUTPUT, 0};
    plan_step *step = add_copy(plan, of, &plan->out);
    step->step.maker = made->shape->adapts ? made->maker : made;
    step->step.name = made->name;
}

satf_status plan_make_steps(satf_context *ctx, satf_plan *plan)
{
    plan_link of = {.link = plan->chain->links, .from = plan->from, .in = {PLACE_INPUT, 0}};
    satf_status status = SATF_OK;
    if (!satf_is_packed(&of.from)) {
        add_packing(plan, &of);
    }
    for (size_t i = 0; i < plan->chain->count && !status; i++) {
        of.link = &plan->chain->links[i];
        bool last = i + 1 == plan->chain->count;
        of.to = plan->to;
        of.out = (plan_place){PLACE_OUTPUT, 0};
        if (!last || plan_copies_out(plan)) {
            of.to = steps_lay_out(plan, of.to);
            of.out.kind = i % 2 ? PLACE_ODD : PLACE_EVEN;
        }
        status = last ? SATF_OK : place_between(ctx, plan, &of);
        status = status ? status : plan_filter(ctx, plan, &of);
        steps_go_on(&of);
    }
    if (!status && plan_copies_out(plan)) {
        add_part(plan, &of);
    }
    return status;
}
