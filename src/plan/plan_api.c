/* The public functions of plans. */
#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "tiles.h"
#include "views.h"

/* Checks that the second input is on the first one's device, and that some filter takes it. */
static satf_status check_aux(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                             const satf_view *aux)
{
    bool takes = false;
    for (size_t i = 0; i < filter->count; i++) {
        const chain_link *link = &filter->links[i];
        filter_picture *const *picture = chain_value(link, PARAM_IMAGE);
        takes = takes || (picture && !*picture);
    }
    if (!takes) {
        return satf_fail(ctx, SATF_INVALID, "2 inputs are given; the filter has one");
    }
    satf_status status = satf_check_view(ctx, aux, "second input", false);
    if (!status && aux->device != in->device) {
        status =
            satf_fail(ctx, SATF_INVALID, "both inputs must be on one device, or both on the host");
    }
    return !status && !satf_is_packed(aux)
               ? satf_fail(ctx, SATF_INVALID, "the second input's pixels must be packed")
               : status;
}

/* Makes a plan, with memory. */
static satf_status create_on(satf_context *ctx, const filter_call *call, int device,
                             satf_plan **plan)
{
    satf_status status = filter_tiles_make(ctx, call, device, FILTER_LASTING, plan);
    if (!status) {
        status = filter_tiles_attach(ctx, *plan);
        if (status) {
            filter_plan_free(ctx, *plan);
            *plan = NULL;
        }
    }
    return status;
}

static satf_status create_one(satf_context *ctx, const satf_filter *filter, const satf_view *inputs,
                              size_t input_count, const satf_view *out, satf_plan **plan)
{
    filter_call call = filter_whole_call(ctx, filter, inputs, out);
    call.aux = input_count > 1 ? &inputs[1] : NULL;
    satf_status status = filter_check_views(ctx, filter, inputs, out, false);
    if (!status && call.aux) {
        status = check_aux(ctx, filter, inputs, call.aux);
    }
    if (status) {
        return status;
    }
    int device = filter_plan_device(ctx, &call);
    if (device != SATF_HOST && satf_cuda()->captures(ctx, device)) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "a plan cannot be made while its stream is captured into a graph; its "
                         "runs can be captured");
    }
    status = create_on(ctx, &call, device, plan);
    if (filter_plan_leaves(ctx, &call, device, status)) {
        status = create_on(ctx, &call, SATF_HOST, plan);
    }
    return status;
}

/* The filters that make the outputs of the last one; NULL: it has one output. */
static const filter_info *const *last_outputs(const satf_filter *filter)
{
    return filter ? filter_outputs(filter->links[filter->count - 1].info) : NULL;
}

/* Makes the chain that makes one of the two outputs. */
static satf_status plan_make_chain(satf_context *ctx, const satf_filter *filter, int output,
                                   satf_filter **chain)
{
    *chain = chain_new(ctx);
    satf_status status = *chain ? satf_filter_append(ctx, *chain, filter) : SATF_NO_MEMORY;
    if (!status) {
        chain_last(*chain)->info = last_outputs(filter)[output];
    }
    return status;
}

/* Makes a plan whose last step makes both outputs, on the CPU; *plan is NULL, with SATF_OK, if no
 * step can. */
static satf_status create_both(satf_context *ctx, const satf_filter *filter,
                               const satf_view *inputs, const satf_view *outputs, satf_plan **plan)
{
    filter_call call = filter_whole_call(ctx, filter, inputs, outputs);
    call.twin = &outputs[1];
    satf_status status = create_on(ctx, &call, SATF_HOST, plan);
    if (!status && !plan_makes_both(*plan)) {
        filter_plan_free(ctx, *plan);
        *plan = NULL;
    }
    return status;
}

/* Makes two plans, one of which owns the other. */
static satf_status create_each(satf_context *ctx, satf_filter *const *chains,
                               const satf_view *inputs, const satf_view *outputs, satf_plan **plan)
{
    satf_status status = create_one(ctx, chains[0], inputs, 1, outputs, plan);
    status = status ? status : create_one(ctx, chains[1], inputs, 1, &outputs[1], &(*plan)->other);
    if (status && *plan) {
        filter_plan_free(ctx, *plan);
        *plan = NULL;
    }
    return status;
}

static satf_status create_pair(satf_context *ctx, const satf_filter *filter,
                               const satf_view *inputs, const satf_view *outputs, satf_plan **plan)
{
    satf_filter *chains[2] = {NULL, NULL};
    satf_view own;
    satf_status status = satf_filter_output(ctx, filter, inputs,
                                            &own); /* so that messages have the filter's own name */
    for (int k = 0; k < 2 && !status; k++) {
        status = plan_make_chain(ctx, filter, k, &chains[k]);
        status = status ? status : filter_check_views(ctx, chains[k], inputs, &outputs[k], false);
    }
    if (!status) {
        filter_call call = filter_whole_call(ctx, chains[1], inputs, &outputs[1]);
        bool here = filter_plan_device(ctx, &call) == SATF_HOST;
        status = here ? create_both(ctx, filter, inputs, outputs, plan) : SATF_OK;
    }
    if (!status && !*plan) {
        status = create_each(ctx, chains, inputs, outputs, plan);
    }
    if (!status) {
        (*plan)->twin = outputs[1];
        (*plan)->twin.data = NULL;
    }
    satf_filter_destroy(chains[0]);
    satf_filter_destroy(chains[1]);
    return status;
}

satf_status satf_plan_create(satf_context *ctx, const satf_filter *filter, const satf_view *inputs,
                             size_t input_count, const satf_view *outputs, size_t output_count,
                             satf_plan **plan)
{
    if (plan) {
        *plan = NULL;
    }
    satf_status missing = satf_check_given(ctx, plan, "result is", filter, "filter is");
    missing =
        missing ? missing : satf_check_given(ctx, inputs, "inputs are", outputs, "outputs are");
    if (missing) {
        return missing;
    }
    satf_progress_begin(ctx);
    bool pair = last_outputs(filter) != NULL;
    if (input_count < 1 || input_count > (pair ? 1 : 2) || output_count != (pair ? 2 : 1)) {
        return satf_fail(ctx, SATF_INVALID, "%zu inputs and %zu outputs are given; %s are possible",
                         input_count, output_count, pair ? "one and two" : "one or two and one");
    }
    satf_status status = pair ? create_pair(ctx, filter, inputs, outputs, plan)
                              : create_one(ctx, filter, inputs, input_count, outputs, plan);
    return satf_gpu_leave(ctx, status);
}

static void swap_plans(satf_plan *a, satf_plan *b)
{
    satf_plan kept = *a;
    *a = *b;
    *b = kept;
}

/* Makes the plan one of the CPU, by the settings that it was made with, if the device was chosen
 * here and has failed. */
static bool leave_device(satf_context *ctx, satf_plan *plan, satf_status status)
{
    filter_call call = filter_whole_call(ctx, plan->chain, &plan->in, &plan->out);
    call.aux = plan->aux.width > 0 ? &plan->aux : NULL;
    call.device = plan->asked_device;
    satf_settings now = satf_context_take_settings(ctx, &plan->settings);
    satf_plan *instead = NULL;
    if (filter_plan_leaves(ctx, &call, plan->device, status)) {
        status = create_on(ctx, &call, SATF_HOST, &instead);
    }
    satf_context_take_settings(ctx, &now);
    if (instead) {
        instead->twin = plan->twin;
        instead->other = plan->other;
        swap_plans(plan, instead);
        filter_plan_free(ctx, instead);
    }
    return instead != NULL;
}

/* Runs the plan; if a device that was chosen here fails, once more on the CPU. */
static satf_status run_or_leave(satf_context *ctx, satf_plan *plan, const plan_images *images)
{
    satf_status status = filter_tiles_run(ctx, plan, images);
    return status && leave_device(ctx, plan, status) ? filter_tiles_run(ctx, plan, images) : status;
}

/* Checks that an image has memory, and is like the one that was planned. */
static satf_status check_image(satf_context *ctx, const satf_view *view, const satf_view *planned,
                               const char *what)
{
    if (!view->data) {
        return satf_fail(ctx, SATF_INVALID, "the memory of the %s is missing", what);
    }
    if (!filter_same_shape(view, planned)) {
        return satf_fail(ctx, SATF_INVALID,
                         "the %s is not like the view that the plan was made for", what);
    }
    return SATF_OK;
}

static satf_status check_run(const satf_plan *plan, const satf_view *inputs, size_t input_count,
                             const satf_view *outputs, size_t output_count)
{
    satf_context *ctx = plan->ctx;
    const satf_view *planned[] = {&plan->in, &plan->aux}, *made[] = {&plan->out, &plan->twin};
    size_t count = plan->aux.width > 0 ? 2 : 1, out_count = plan->twin.width > 0 ? 2 : 1;
    if (!inputs || !outputs) {
        return satf_fail(ctx, SATF_INVALID, "the %s are missing", inputs ? "outputs" : "inputs");
    }
    if (input_count != count || output_count != out_count) {
        return satf_fail(ctx, SATF_INVALID,
                         "%zu inputs and %zu outputs are given; the plan was made for %zu and %zu",
                         input_count, output_count, count, out_count);
    }
    satf_status status = SATF_OK;
    for (size_t i = 0; i < out_count && !status; i++) {
        status = check_image(ctx, &outputs[i], made[i], i ? "second output" : "output");
    }
    for (size_t i = 0; i < count && !status; i++) {
        status = check_image(ctx, &inputs[i], planned[i], i ? "second input" : "input");
        if (!status && (satf_views_overlap(&inputs[i], outputs) ||
                        (out_count > 1 && satf_views_overlap(&inputs[i], &outputs[1])))) {
            status = satf_fail(ctx, SATF_INVALID, "an output overlaps an input");
        }
    }
    if (!status && out_count > 1 && satf_views_overlap(outputs, &outputs[1])) {
        status = satf_fail(ctx, SATF_INVALID, "the outputs overlap");
    }
    if (!status && satf_thread_count(ctx) > plan->settings.threads) {
        return satf_fail(ctx, SATF_INVALID,
                         "the plan was made for %d threads, and the context has %d now",
                         plan->settings.threads, satf_thread_count(ctx));
    }
    return status;
}

/* Runs the plan, and the one that it owns. */
static satf_status plan_run_all(satf_context *ctx, satf_plan *plan, const plan_images *images)
{
    if (!plan->other) {
        return run_or_leave(ctx, plan, images);
    }
    plan_images twin = {.in = images->in, .out = images->twin};
    satf_progress_part whole = satf_progress_enter(ctx, 0, 0.5);
    satf_status status = run_or_leave(ctx, plan, images);
    satf_progress_leave(ctx, whole);
    whole = satf_progress_enter(ctx, 0.5, 0.5);
    status = status ? status : run_or_leave(ctx, plan->other, &twin);
    satf_progress_leave(ctx, whole);
    return status;
}

satf_status satf_plan_run(satf_plan *plan, const satf_view *inputs, size_t input_count,
                          const satf_view *outputs, size_t output_count)
{
    satf_status status =
        plan ? check_run(plan, inputs, input_count, outputs, output_count) : SATF_INVALID;
    if (status) {
        return status;
    }
    satf_context *ctx = plan->ctx;
    plan_images images = {inputs->data, input_count > 1 ? inputs[1].data : NULL, outputs->data,
                          output_count > 1 ? outputs[1].data : NULL};
    satf_progress_begin(ctx);
    status = satf_gpu_leave(ctx, plan_run_all(ctx, plan, &images));
    return status ? status : satf_report_progress(ctx, 1);
}

void satf_plan_describe(const satf_plan *plan, satf_plan_info *info, size_t bytes)
{
    satf_plan_info all = {0};
    if (plan) {
        satf_plan_describe(plan->other, &all, sizeof all);
        double samples = (double)satf_row_samples(&plan->in) * (double)plan->in.height, ns = 0;
        for (size_t i = 0; i < plan->count; i++) {
            ns += plan->steps[i].step.ns;
        }
        all.steps += plan_reported(plan);
        all.memory_bytes += (int64_t)plan->bytes;
        all.device = plan->device;
        all.ms += samples * ns / 1e6 / (plan->device == SATF_HOST ? plan->settings.threads : 1);
    }
    satf_give(info, bytes, &all, sizeof all);
}

satf_used filter_plan_step(const satf_plan *plan, size_t index)
{
    size_t count = plan ? plan_reported(plan) : 0, at = 0;
    if (index >= count) {
        return plan && plan->other ? filter_plan_step(plan->other, index - count) : (satf_used){0};
    }
    for (size_t left = index + 1;; at++) {
        left -= !plan->steps[at].step.shape->adapts;
        if (left == 0) {
            break;
        }
    }
    const filter_step *step = &plan->steps[at].step;
    bool windowed = filter_param_of_kind(step->info, PARAM_SIZE) != NULL;
    return (satf_used){.engine = step->name,
                       .algorithm = step->engine->algorithm ? step->engine->algorithm(step) : NULL,
                       .device = plan->device == SATF_HOST ? "cpu" : "cuda",
                       .filter = step->info->name,
                       .ms = plan->steps[at].ms,
                       .window_width = windowed ? step->size.width : 0,
                       .window_height = windowed ? step->size.height : 0};
}

const char *satf_plan_step(const satf_plan *plan, size_t index, satf_used *used, size_t bytes)
{
    satf_used step = filter_plan_step(plan, index);
    satf_give(used, bytes, &step, sizeof step);
    return step.filter;
}

void satf_plan_destroy(satf_plan *plan)
{
    if (plan) {
        satf_context *ctx = plan->ctx;
        if (plan->other) {
            filter_plan_free(ctx, plan->other);
        }
        filter_plan_free(ctx, plan);
        satf_gpu_leave(ctx, SATF_OK);
    }
}
