/* Makes steps: checks a pass of a filter on its image, and finds what its engine has to know. */
#include "../chain/check.h"
#include "../chain/region.h"
#include "ends.h"
#include "../sums/choice/varies.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/view.h"

/* Checks that the picture has the part of w x h pixels that the filter takes. */
static satf_status step_check_part(satf_context *ctx, const chain_link *link, const satf_view *in,
                                   int64_t w, int64_t h)
{
    filter_place at = filter_last(link->info)->corner(link->options, in->width, in->height);
    const char *name = link->info->name;
    if (w == 0) {
        return satf_fail(ctx, SATF_INVALID, "%s has no part yet", name);
    }
    if (w > in->width || h > in->height) {
        return satf_fail(ctx, SATF_INVALID,
                         "%s takes %" PRId64 " x %" PRId64 " pixels, and the picture has %" PRId64
                         " x %" PRId64,
                         name, w, h, in->width, in->height);
    }
    return satf_inside(at.x, w, in->width) && satf_inside(at.y, h, in->height)
               ? SATF_OK
               : satf_fail(ctx, SATF_INVALID,
                           "%s takes %" PRId64 " x %" PRId64 " pixels from column %" PRId64
                           " and row %" PRId64 " on, which leaves the picture of %" PRId64
                           " x %" PRId64,
                           name, w, h, at.x, at.y, in->width, in->height);
}

/* Makes the size of an input that of its result. */
static satf_status step_shrink(satf_context *ctx, const chain_link *link, satf_view *out)
{
    satf_rect part = filter_valid_part(link, out->width, out->height);
    if (part.w < 1 || part.h < 1) {
        return satf_fail(ctx, SATF_INVALID,
                         "%s with border valid needs an image of at least %" PRId64 " x %" PRId64
                         ", which holds a whole window; this one is %" PRId64 " x %" PRId64,
                         link->info->name, out->width - part.w + 1, out->height - part.h + 1,
                         out->width, out->height);
    }
    const filter_pass *last = filter_last(link->info);
    if (last->shape) {
        last->shape(link->options, &part.w, &part.h);
    }
    satf_status status = last->corner ? step_check_part(ctx, link, out, part.w, part.h) : SATF_OK;
    if (status) {
        return status;
    }
    if (last->shape && (part.w > out->width || part.h > out->height)) {
        return satf_fail(ctx, SATF_INVALID,
                         "%s makes no picture wider or higher: %" PRId64 " x %" PRId64
                         " pixels are asked for, of %" PRId64 " x %" PRId64,
                         link->info->name, part.w, part.h, out->width, out->height);
    }
    out->width = part.w;
    out->height = part.h;
    return SATF_OK;
}

/* The type of sums of so many samples: the smaller that holds them, with a sign if they may be
 * negative. Whether doubles hold the sums that engines form is checked in ends.c. */
static satf_type step_type_of_sum(const satf_view *in, uint64_t pixels, bool squared)
{
    bool has_sign = satf_type_is_signed(in->type);
    double most = (double)satf_type_max(in->type) + has_sign;
    double sum = (double)pixels * (squared ? most * most : most);
    if (satf_type_is_float(in->type)) {
        return SATF_F64;
    }
    if (satf_type_is_plain(in->type)) {
        satf_summand of = squared ? SATF_SUMMAND_SQUARE : SATF_SUMMAND_PLAIN;
        return satf_sum_type_for((satf_type)in->type, of, pixels, SATF_SUM_U32) == SATF_SUM_U32
                   ? SATF_U32
                   : SATF_U64;
    }
    return has_sign && !squared ? (sum <= 0x1p31 ? SATF_I32 : SATF_I64)
                                : (sum < 0x1p32 ? SATF_U32 : SATF_U64);
}

/* The value of an option that says a full scale; 0: it says none. */
static double named_scale(const chain_link *link, param_kind kind)
{
    const int64_t *named = chain_value(link, kind);
    return named ? (double)*named : 0;
}

/* Whether a full scale that an option says counts: of integers no more than the picture's. */
static bool scale_counts(const satf_view *view, double named)
{
    return named > 0 && (satf_type_is_float(view->type) || named <= satf_full_scale(view));
}

/* White in the result of a pass of TYPE_SCALED: from u8 to u16 257 times as much and back, so that
 * samples go there and back; of floats as much, if the type holds it and the full scale is said. */
static double scaled_white(int from, satf_type made, double full, bool says)
{
    double most = (double)satf_type_max((int)made);
    if (satf_type_is_float((int)made) || from == (int)made) {
        return full;
    }
    double white = !satf_type_is_float(from) ? (made == SATF_U16 ? full * 257 : full / 257)
                   : says && full <= most    ? full
                                             : most;
    return white < 1 ? 1 : floor(white + 0.5);
}

filter_scale filter_scale_of(const chain_link *link, const satf_view *input)
{
    bool of_floats = satf_type_is_float(input->type);
    double named = named_scale(link, PARAM_FULL), own = satf_full_scale(input);
    bool counts = scale_counts(input, named), says = counts || input->full > 0;
    double full = counts ? named : own;
    const filter_pass *last = filter_last(link->info);
    bool scaled = last->type == TYPE_SCALED;
    satf_type made = scaled ? last->made(link->options, (satf_type)input->type) : SATF_F64;
    double white = scaled ? scaled_white(input->type, made, full, says) : full;
    return (filter_scale){.of_floats = of_floats,
                          .full = full,
                          .level = of_floats && !says ? 1 : full / UINT8_MAX,
                          .aux_of_floats = of_floats,
                          .aux_full = full,
                          .top = own,
                          .aux_top = own,
                          .times = white / full,
                          .most = satf_type_is_float((int)made) ? INFINITY : white};
}

/* Sets the type and full scale of the result of a pass of TYPE_SCALED. */
static void scale_output(const chain_link *link, const satf_view *in, satf_view *out)
{
    satf_type made = filter_last(link->info)->made(link->options, (satf_type)in->type);
    filter_scale scale = filter_scale_of(link, in);
    bool reals = satf_type_is_float((int)made);
    bool says = !reals                         ? scale.most < (double)satf_type_max((int)made)
                : satf_type_is_float(in->type) ? in->full > 0
                                               : true;
    *out = satf_view_packed(NULL, out->width, out->height, out->channels, made);
    out->full = !says ? 0 : reals ? scale.full : scale.most;
}

satf_status filter_step_output(satf_context *ctx, const chain_link *link, const satf_view *in,
                               satf_view *out)
{
    const filter_passes *way = filter_way(link->info, link->options, in, true);
    const filter_pass *pass = &way->list[way->count - 1];
    filter_type_rule rule = filter_type(pass, link->options);
    bool moves = pass_shape_of(pass)->moves;
    int channels = !pass->grey ? in->channels : moves && in->flags & SATF_ALPHA ? 2 : 1;
    satf_type type = (satf_type)in->type;
    satf_view shape = *in;
    satf_status good = filter_check_pixels(ctx, link);
    good = good ? good : filter_check_levels(ctx, link, in->type);
    good = good ? good : step_shrink(ctx, link, &shape);
    if (good) {
        return good;
    }
    int colours = in->channels - (in->flags & SATF_ALPHA ? 1 : 0);
    if ((pass->grey || filter_reads(pass, FORMULA_LUMA)) && colours != 1 && colours != 3) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "%s wants grey or RGB, with or without alpha; these pixels have %d "
                         "channels besides alpha",
                         link->info->name, colours);
    }
    if (rule == TYPE_REAL || rule == TYPE_WIDENED) {
        type = SATF_F64;
    } else if (rule == TYPE_BILEVEL) {
        type = SATF_U8;
    } else if (rule == TYPE_OF_WINDOW_SUM) {
        const filter_size *size = chain_value(link, PARAM_SIZE);
        type = step_type_of_sum(in, (uint64_t)(size->width * size->height), false);
    } else if (rule == TYPE_OF_SUM) {
        bool squared = pass->sums_squares && pass->sums_squares(link->options);
        satf_status status = SATF_OK;
        if (satf_type_is_plain(in->type)) {
            status = satf_sat_type(ctx, in, squared ? SATF_SQUARED : 0, &type);
        } else {
            type = step_type_of_sum(in, (uint64_t)in->width * (uint64_t)in->height, squared);
        }
        if (status) {
            return status;
        }
    }
    filter_order *const *order = chain_value(link, PARAM_ORDER);
    if (order && *order) {
        satf_status status = filter_order_check(ctx, *order, in);
        if (status) {
            return status;
        }
    }
    bool turned = filter_symmetry(pass, link->options) & MOVE_TRANSPOSE;
    *out = satf_view_packed(NULL, turned ? shape.height : shape.width,
                            turned ? shape.width : shape.height, channels, type);
    if (rule == TYPE_SCALED) {
        scale_output(link, in, out);
    }
    out->device = in->device;
    if ((filter_weighs(pass) && !pass->grey) || moves || way->count > 1) {
        out->flags = in->flags;
    }
    if (rule == TYPE_OF_INPUT) {
        out->full = in->full;
    } else if (rule == TYPE_WIDENED) {
        out->full = satf_type_is_float(in->type) ? in->full : satf_full_scale(in);
    }
    return satf_check_view(ctx, out, "output", false);
}

satf_status filter_output_at(satf_context *ctx, const satf_filter *chain, size_t index,
                             const satf_view *in, satf_view *out)
{
    satf_status status = filter_check_ends(ctx, chain, &chain->links[index], in);
    return status ? status : filter_step_output(ctx, &chain->links[index], in, out);
}

/* Makes the border's constant one of the engines' type, where `zero` stands for 0; alpha's too. */
static satf_status fit_constant(satf_context *ctx, const filter_step_spec *spec,
                                filter_border *border)
{
    const satf_view *given = spec->given;
    bool below = satf_type_is_signed(given->type) && !(given->flags & SATF_ALPHA);
    double value = border->constant, most = satf_full_scale(given), least = below ? -most - 1 : 0;
    if (border->kind != SATF_BORDER_CONSTANT) {
        return SATF_OK;
    }
    if (satf_type_is_float(given->type)) {
        border->constant = given->type == SATF_F64 ? value : (double)(float)value;
        if (!isfinite(border->constant)) {
            return satf_fail(ctx, SATF_INVALID,
                             "border constant:%g does not fit %s samples; it must be finite", value,
                             satf_type_name(given->type));
        }
        return SATF_OK;
    }
    if (!(value >= least && value <= most) || value != floor(value)) {
        return satf_fail(ctx, SATF_INVALID,
                         "border constant:%g does not fit %s samples; it must be an integer of "
                         "%.0f to %.0f",
                         value, satf_type_name(given->type), least, most);
    }
    border->constant += spec->zero;
    return SATF_OK;
}

/* Whether full=M counts for the auxiliary input, too: both have the same samples, and neither
 * picture says its own full scale. */
static bool scale_is_shared(const filter_step_spec *spec)
{
    const satf_view *input = spec->input, *aux = spec->input_aux;
    bool floats = satf_type_is_float(input->type) && satf_type_is_float(aux->type);
    return (floats || input->type == aux->type) && spec->given->full == 0 && !spec->aux_says;
}

static void add_aux(const filter_step_spec *spec, filter_scale *scale)
{
    const satf_view *aux = spec->input_aux;
    double named = named_scale(spec->link, PARAM_AUX_FULL);
    scale->aux_said = scale_counts(aux, named);
    if (named == 0 && scale_is_shared(spec)) {
        named = named_scale(spec->link, PARAM_FULL);
    }
    scale->aux_of_floats = satf_type_is_float(aux->type);
    scale->aux_top = satf_full_scale(aux);
    scale->aux_full = scale_counts(aux, named) ? named : scale->aux_top;
    scale->aux_pixels = (double)aux->width * (double)aux->height;
}

/* Finds the step's scale. Results but means, which stay among their samples, end at full scale. */
static filter_scale find_scale(const filter_step_spec *spec, const filter_step *step)
{
    filter_scale scale = filter_scale_of(spec->link, spec->input);
    bool ends =
        step->pass->type == TYPE_OF_INPUT && step->pass->kernel != KERNEL_MEAN && !scale.of_floats;
    if (spec->input_aux) {
        add_aux(spec, &scale);
    }
    bool reals = satf_type_is_float(step->out.type);
    scale.zero = spec->zero;
    scale.has_sign = satf_type_is_signed(spec->given->type);
    scale.top += spec->zero;
    scale.aux_top += spec->zero;
    scale.most = reals ? INFINITY : ends ? scale.full + spec->zero : scale.most;
    return scale;
}

/* Refuses a full scale of an auxiliary input that is not given. */
static satf_status check_aux_scale(satf_context *ctx, const filter_step_spec *spec)
{
    const filter_param *said = filter_param_of_kind(spec->link->info, PARAM_AUX_FULL);
    return !spec->input_aux && named_scale(spec->link, PARAM_AUX_FULL) > 0
               ? satf_fail(ctx, SATF_INVALID,
                           "%s of %s is the full scale of its %s, which is not given", said->name,
                           spec->link->info->name,
                           filter_param_of_kind(spec->link->info, PARAM_IMAGE)->name)
               : SATF_OK;
}

/* Reads the values of the filter's options that engines look at. */
static void read_options(const chain_link *link, filter_step *step)
{
    const filter_size *size = chain_value(link, PARAM_SIZE);
    const filter_place *at = chain_value(link, PARAM_PLACE);
    const filter_border *border = chain_value(link, PARAM_BORDER);
    filter_rects *const *rects = chain_value(link, PARAM_TEMPLATE);
    filter_order *const *order = chain_value(link, PARAM_ORDER);
    const filter_pass *pass = step->pass;
    step->options = link->options;
    step->size = size ? *size : (filter_size){1, 1};
    step->at = at ? *at : (filter_place){0, 0};
    step->border = border && border->kind != SATF_BORDER_VALID
                       ? *border
                       : (filter_border){SATF_BORDER_CLAMP, 0};
    step->rects = rects ? *rects : NULL;
    step->order = order ? *order : NULL;
    if (pass->lines) {
        step->axes = pass->lines(link->options);
        step->size.width = 2 * filter_lines_reach(&step->axes.along) + 1;
        step->size.height = 2 * filter_lines_reach(&step->axes.down) + 1;
    }
    step->squared = pass->sums_squares && pass->sums_squares(link->options);
    step->reduced = filter_valid_part(link, step->in.width, step->in.height);
}

/* Makes the filter's window that of the pass. */
static void place_window(const filter_pass *pass, filter_step *step)
{
    if (pass->all) { /* the window ends at its pixel */
        step->at.x = step->size.width / 2 - step->size.width + 1;
        step->at.y = step->size.height / 2 - step->size.height + 1;
    } else if (step->shape->of_pixel) {
        step->size = (filter_size){1, 1};
        step->at = (filter_place){0, 0};
    } else if (step->shape->mirrored) {
        /* An even window has one pixel more in front of its centre than behind it. */
        step->at.x = (step->size.width % 2 == 0) - step->at.x;
        step->at.y = (step->size.height % 2 == 0) - step->at.y;
    }
}

/* The value of the pixels outside the image over which the pass sums. */
static double find_outside(const filter_pass *pass, const filter_step *step)
{
    formula_sums common = {0};
    filter_set_scale(&step->scale, &common);
    double constant = step->border.constant;
    return pass->outside && step->border.kind == SATF_BORDER_CONSTANT
               ? pass->outside(constant, &common)
               : constant;
}

varies_kind step_varies_kind(const chain_link *link, const satf_view *input)
{
    const filter_size *size = chain_value(link, PARAM_SIZE);
    const filter_border *border = chain_value(link, PARAM_BORDER);
    bool weighted = input->flags & SATF_ALPHA;
    uint64_t max = satf_type_max(input->type);
    satf_u128 largest = (satf_u128)(size->width * size->height) * max * (weighted ? max : 1);
    /* A sum is at most `largest`, whose square is to be below 2^53: then so are the spreads of four
     * channels, each of which is at most a quarter of it. */
    return satf_type_is_float(input->type)                  ? VARIES_REAL
           : largest >= 94906265                            ? VARIES_EXACT
           : weighted || border->kind == SATF_BORDER_SHRINK ? VARIES_FRACTION
                                                            : VARIES_OVER;
}

satf_status filter_step_make(satf_context *ctx, const filter_step_spec *spec, filter_step *step)
{
    const chain_link *link = spec->link;
    const satf_view *in = &spec->in;
    const filter_pass *pass = spec->pass;
    *step = (filter_step){.info = link->info,
                          .pass = pass,
                          .shape = pass_shape_of(pass),
                          .in = *in,
                          .out = spec->out,
                          .walked = spec->by_rows,
                          .by_rows = spec->by_rows,
                          .lasting = spec->lasting};
    step->in.data = step->out.data = NULL;
    memcpy(step->aux, spec->aux, sizeof step->aux);
    read_options(link, step);
    place_window(pass, step);
    if (pass->all || step->shape->picks) {
        step->varies = step_varies_kind(link, spec->input);
    }
    step->weighted = filter_weighs(pass) && (in->flags & SATF_ALPHA);
    step->masked = step->weighted && spec->masked && !filter_reads(pass, FORMULA_SQUARE);
    satf_status status = filter_check_link(ctx, link);
    status = status ? status : check_aux_scale(ctx, spec);
    status = status ? status : fit_constant(ctx, spec, &step->border);
    step->scale = find_scale(spec, step);
    step->inline_pass = spec->inline_pass;
    step->inline_in = spec->inline_in;
    if (spec->inline_pass) {
        step->inline_constant = find_outside(spec->inline_pass, step);
        memcpy(step->twin_aux, spec->twin_aux, sizeof step->twin_aux);
    }
    step->border.constant = find_outside(pass, step);
    step->weight_outside = step->weighted ? spec->whole : 0;
    status = status ? status : filter_choose_engine(ctx, step);
    if (status) {
        return status;
    }
    step->inline_pass = step->engine->has_inline ? step->inline_pass : NULL;
    if (spec->twin && step->engine->makes_twin) {
        step->twin = spec->twin;
        step->twin_out = spec->twin_out;
        memcpy(step->twin_aux, spec->twin_aux, sizeof step->twin_aux);
    }
    step->name = step->engine->name;
    step->ns = filter_step_ns(step);
    return SATF_OK;
}

void filter_step_adapt(const chain_link *link, const row_adapter *adapter, const satf_view *in,
                       const satf_view *beside, const satf_view *out, filter_step *step)
{
    static const filter_pass pass = {.over = OVER_ADAPT};
    const pass_shape *shape = pass_shape_of(&pass);
    *step = (filter_step){.info = link->info,
                          .pass = &pass,
                          .shape = shape,
                          .options = link->options,
                          .size = {1, 1},
                          .border = {SATF_BORDER_CLAMP, 0},
                          .in = *in,
                          .out = *out,
                          .adapter = *adapter,
                          .engine = shape->engines[0],
                          .name = shape->engines[0]->name};
    if (beside) {
        step->aux[0] = *beside;
        step->aux[0].data = NULL;
    }
    step->ns = filter_step_ns(step);
}

satf_status filter_step_plan(satf_context *ctx, filter_step *step)
{
    step->state = satf_alloc_zeroed(step->engine->state_bytes);
    if (!step->state) {
        return satf_fail_memory(ctx, step->engine->state_bytes, "the plan of a filter");
    }
    return step->engine->plan(ctx, step);
}

void filter_step_release(filter_step *step)
{
    if (step->state && step->engine->release) {
        step->engine->release(step->state);
    }
    satf_free(step->state);
    step->state = NULL;
}
