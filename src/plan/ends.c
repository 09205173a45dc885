/* Finds the adapters that a filter needs at its ends (ends.h). */
#include "ends.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "../base/cpu.h"
#include "../base/memory.h"
#include "../base/view.h"
#include "../formula/adapt_rows.h"

/* How a filter treats pixels that do not count. */
typedef enum ends_way {
    ENDS_MOVE,  /* they are moved like others */
    ENDS_WEIGH, /* a lane of weights goes along, and tells where nothing counted */
    ENDS_LOOK,  /* likewise; no result where the pixel itself does not count */
    ENDS_GREY,  /* likewise, but the result has no lane */
    ENDS_SUM,   /* they add nothing to sums */
    ENDS_NONE   /* the filter cannot leave them out */
} ends_way;

static ends_way way_of(const chain_link *link, const satf_view *in)
{
    const filter_passes *way = filter_way(link->info, link->options, in, true);
    const filter_pass *last = &way->list[way->count - 1];
    if (pass_shape_of(last)->moves) {
        return last->grey ? ENDS_LOOK : ENDS_MOVE;
    }
    if (!filter_weighs(last)) {
        return way->count == 1 ? ENDS_SUM : ENDS_NONE;
    }
    return last->grey ? ENDS_GREY : last->keeps_alpha ? ENDS_LOOK : ENDS_WEIGH;
}

static bool has_alpha(const satf_view *view)
{
    return view->flags & SATF_ALPHA;
}

/* -------------------------------------------------------------------- what the engines take */

/* Whether the integers are of 8 and 16 bits with a sign, and get an offset, which the filter knows
 * of. With alpha they get none, since alpha weighs. */
static bool is_offset(const chain_link *link, const satf_view *in)
{
    bool narrow = in->type == SATF_I8 || in->type == SATF_I16;
    return narrow && !has_alpha(in) && link->info->sign != SIGN_REAL;
}

static int engines_type(const chain_link *link, const satf_view *in)
{
    int type = in->type;
    return satf_type_is_plain(type)                 ? type
           : type == SATF_F16 || type == SATF_BF16  ? SATF_F32
           : is_offset(link, in) && type == SATF_I8 ? SATF_U8
           : is_offset(link, in)                    ? SATF_U16
                                                    : SATF_F64;
}

/* Whether engines make results of that type. */
static bool is_made(int type)
{
    return satf_type_is_plain(type) || type == SATF_U32 || type == SATF_U64;
}

/* The most pixels that a sum of the filter has; 0: no number is known. */
static double pixels_of_sum(const chain_link *link, const satf_view *in)
{
    const filter_size *size = chain_value(link, PARAM_SIZE);
    const filter_pass *last = filter_last(link->info);
    return size                        ? (double)size->width * (double)size->height
           : last->type == TYPE_OF_SUM ? (double)in->width * (double)in->height
                                       : 0;
}

/* Integers of 32 and 64 bits are computed as doubles, which hold sums below 2^53. */
static satf_status check_sums(satf_context *ctx, const chain_link *link, const satf_view *in)
{
    const filter_pass *last = filter_last(link->info);
    bool squared = last->sums_squares && last->sums_squares(link->options);
    const int64_t *named = chain_value(link, PARAM_FULL);
    double full = satf_full_scale(in);
    full = named && *named > 0 && (double)*named < full ? (double)*named : full;
    double most = full + (satf_type_is_signed(in->type) ? 1 : 0);
    double pixels = pixels_of_sum(link, in);
    if (satf_type_is_float(in->type) || is_offset(link, in) ||
        pixels * (squared ? most * most : most) <= 0x1p53) {
        return SATF_OK;
    }
    return satf_fail(
        ctx, SATF_UNSUPPORTED,
        "%s of %s samples: sums of %.0f of them, of up to %.0f, pass 2^53, above which "
        "doubles are not exact; put the filter real in front, which rounds them",
        link->info->name, satf_type_name(in->type), pixels, most);
}

static satf_status check_sign(satf_context *ctx, const chain_link *link, const satf_view *in)
{
    return !satf_type_is_signed(in->type) || link->info->sign != SIGN_REFUSED
               ? SATF_OK
               : satf_fail(ctx, SATF_UNSUPPORTED,
                           "%s is for samples of 0 and more, and %s samples may be less: add an "
                           "offset and make them u16, or put the filter real in front to take "
                           "them as they are",
                           link->info->name, satf_type_name(in->type));
}

/* ------------------------------------------------------------------- what does not count */

/* The weight in a picture's sample, for engines; 0 if it is infinite or no number. */
static double weight_at(const row_adapter *load, double white, int type, const char *at)
{
    double weight = adapt_load(type, at) / white * load->whole;
    double most = load->to == SATF_F32 ? FLT_MAX : load->to == SATF_F64 ? DBL_MAX : load->whole;
    weight = weight > 0 && weight <= DBL_MAX ? weight : 0;
    return adapt_step(load->to, weight < most ? weight : most);
}

/* Makes the image of weights for engines, 0 ... whole. */
static satf_status make_weights(satf_context *ctx, const satf_view *from, const row_adapter *load,
                                satf_image **made)
{
    satf_status status =
        satf_image_create_unset(ctx, from->width, from->height, 1, (satf_type)load->to, 0, made);
    int bytes = adapt_bytes(from->type), to_bytes = adapt_bytes(load->to);
    for (int64_t y = 0; y < from->height && !status; y++) {
        const char *row = satf_row(from, y);
        char *to = satf_row(&(*made)->view, y);
        for (int64_t x = 0; x < from->width; x++) {
            adapt_put(load->to, weight_at(load, satf_full_scale(from), from->type, row + x * bytes),
                      to + x * to_bytes);
        }
        status = satf_work(ctx, from->width);
    }
    if (status && *made) {
        satf_image_destroy(*made);
        *made = NULL;
    }
    return status;
}

/* Finds the weights for engines: the picture's own, if these are integers that need no change. */
static satf_status find_weights(satf_context *ctx, const satf_view *from, filter_ends *ends)
{
    bool alike = from->type == ends->load.to && !satf_type_is_float(from->type);
    satf_status status = SATF_OK;
    ends->weights = *from;
    if (!alike || satf_full_scale(from) != ends->load.whole) {
        status = make_weights(ctx, from, &ends->load, &ends->made);
        ends->weights = status ? ends->weights : ends->made->view;
    }
    return status;
}

/* Refuses filters that cannot leave out pixels, or not these. */
static satf_status check_counting(satf_context *ctx, const satf_filter *chain,
                                  const chain_link *link, const satf_view *in, ends_way way)
{
    bool lane = !has_alpha(in) && way != ENDS_SUM;
    if (way == ENDS_NONE) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "%s cannot leave out pixels: weights, NaN and nodata are not for it "
                         "(option: nan)",
                         link->info->name);
    }
    if (lane && in->channels == SATF_MAX_CHANNELS) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "%s leaves out pixels of up to %d channels, and these have %d; filter "
                         "some of them at a time (option: nan)",
                         link->info->name, SATF_MAX_CHANNELS - 1, (int)in->channels);
    }
    if (chain->counting.weights && way == ENDS_SUM && !satf_type_is_float(in->type)) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "%s of integers cannot be weighted, for its result is of integers, too; "
                         "put the filter real in front (option: weights)",
                         link->info->name);
    }
    return SATF_OK;
}

/* The sample that says that a pixel does not count; NAN: none of that type does. */
static double nodata_of(const chain_counting *counting, int type)
{
    return counting->says_nodata ? adapt_sample_of(type, counting->nodata) : NAN;
}

static bool is_counting(const chain_counting *counting, int type)
{
    bool omits = counting->omits_nan && satf_type_is_float(type);
    return omits || counting->weights || !isnan(nodata_of(counting, type));
}

/* The result where nothing counts. */
static double missing_of(const chain_counting *counting, int type)
{
    double nodata = nodata_of(counting, type);
    return !isnan(nodata) ? nodata : satf_type_is_float(type) ? NAN : 0;
}

/* -------------------------------------------------------------------------- the ends */

static void find_load(const satf_filter *chain, const chain_link *link, const satf_view *from,
                      int type, bool counting, bool lane, bool sums, filter_ends *ends)
{
    const chain_counting *says = &chain->counting;
    bool grey = filter_needs_grey(filter_last(link->info), from);
    double full = satf_type_is_float(from->type) ? from->full : satf_full_scale(from);
    ends->zero = is_offset(link, from) ? adapt_most(type) / 2 + 0.5 : 0;
    ends->load =
        (row_adapter){.from = from->type,
                      .to = type,
                      .channels = from->channels,
                      .lanes = from->channels + lane,
                      .zero = ends->zero,
                      .alpha = has_alpha(from) && (counting || satf_type_is_signed(from->type)),
                      .omits_nan = counting && says->omits_nan && satf_type_is_float(from->type),
                      .nodata = counting ? nodata_of(says, from->type) : NAN,
                      .weighs = counting && says->weights,
                      .whole = satf_type_is_float(type) ? 1 : (double)satf_type_max(type),
                      .sums = sums,
                      .grey = grey};
    ends->in = satf_view_packed(NULL, from->width, from->height, ends->load.lanes - (grey ? 2 : 0),
                                (satf_type)adapt_made(&ends->load));
    ends->in.flags = lane ? SATF_ALPHA : from->flags;
    ends->in.full = satf_type_is_plain(from->type) ? from->full : full;
    ends->in.device = from->device;
    ends->lane = lane;
    ends->masked = lane && !says->weights && satf_type_is_float(type);
    ends->loads = counting || grey || type != from->type;
}

/* The type of which engines make the result. They may round only into the result's own type. Lanes
 * of weights are of types that engines take. */
static int type_of_result(const filter_ends *ends, const satf_view *from, const satf_view *to,
                          filter_type_rule rule)
{
    bool same = to->type == from->type && rule == TYPE_OF_INPUT;
    bool makes = satf_type_is_plain(to->type) || (is_made(to->type) && !ends->lane);
    return same && ends->load.to != SATF_F32                    ? ends->load.to
           : makes && (ends->zero == 0 || rule == TYPE_BILEVEL) ? to->type
                                                                : SATF_F64;
}

static void find_store(const satf_filter *chain, const chain_link *link, const satf_view *from,
                       const satf_view *to, ends_way way, bool lane, filter_ends *ends)
{
    const filter_pass *last = filter_last(link->info);
    filter_type_rule rule = filter_type(last, link->options);
    int type = type_of_result(ends, from, to, rule);
    bool whole = lane && way != ENDS_GREY, moves = link->info->sign == SIGN_MOVES;
    bool same = rule == TYPE_OF_INPUT && to->type == from->type;
    double full = satf_type_is_float(to->type) ? 0 : satf_full_scale(same ? from : to);
    bool has_sign = satf_type_is_signed(to->type), sums = rule == TYPE_OF_SUM;
    sums = sums || rule == TYPE_OF_WINDOW_SUM;
    ends->store = (row_adapter){.stores = true,
                                .from = type,
                                .to = to->type,
                                .channels = to->channels,
                                .lanes = to->channels + whole,
                                .zero = moves && rule != TYPE_BILEVEL ? ends->zero : 0,
                                .nodata = NAN,
                                .rule = !lane              ? ADAPT_ALL
                                        : way == ENDS_GREY ? ADAPT_BESIDE
                                        : way == ENDS_LOOK ? ADAPT_OWN_LANE
                                                           : ADAPT_ANY_LANE,
                                .missing = missing_of(&chain->counting, to->type),
                                .least = !has_sign ? 0
                                         : sums    ? adapt_least(to->type)
                                                   : -full - 1,
                                .most = sums ? adapt_most(to->type) : full,
                                .beside = ends->in.channels};
    ends->out = satf_view_packed(NULL, to->width, to->height, ends->store.lanes, (satf_type)type);
    ends->out.flags = whole ? SATF_ALPHA : to->flags;
    ends->out.full = satf_type_is_plain(to->type) ? to->full : full;
    ends->out.device = to->device;
    ends->stores = lane || type != to->type || ends->store.zero != 0;
}

/* On a device plain sums have faster engines than sums that alpha weighs. So a mean over windows
 * whose pixels count or not is a sum of samples, divided by a sum of weights. */
static void find_quotient(const chain_link *link, const satf_view *to, filter_ends *ends)
{
    static const filter_pass sums[] = {
        {.over = OVER_WINDOW, .type = TYPE_REAL, .formula = FORMULA_sum}};
    static const filter_passes way = FILTER_PASSES(sums);
    const filter_pass *last = filter_last(link->info);
    const pass_shape *shape = pass_shape_of(last);
    const filter_border *border = chain_value(link, PARAM_BORDER);
    const filter_size *size = chain_value(link, PARAM_SIZE);
    bool reals = satf_type_is_float(ends->in.type);
    bool simple = filter_is_simple(link->info) && last->kernel == KERNEL_MEAN && shape->windows &&
                  !shape->of_pixel && !shape->varies && size && border;
    double most =
        simple ? (double)size->width * (double)size->height * (double)satf_type_max(ends->in.type)
               : 0;
    if (!ends->lane || ends->load.weighs || ends->in.device == SATF_HOST || !simple ||
        border->kind == SATF_BORDER_CONSTANT ||
        (!reals && (most >= 0x1p32 || ends->load.from != to->type))) {
        return;
    }
    ends->way = &way;
    ends->load.whole = 1;
    ends->in.flags = 0;
    ends->store.divides = true;
    ends->store.rule = ADAPT_OWN_LANE;
    ends->store.from = reals ? SATF_F64 : SATF_U32;
    ends->out = satf_view_packed(NULL, to->width, to->height, ends->store.lanes,
                                 (satf_type)ends->store.from);
    ends->out.device = to->device;
}

satf_status filter_check_ends(satf_context *ctx, const satf_filter *chain, const chain_link *link,
                              const satf_view *in)
{
    ends_way way = way_of(link, in);
    bool counting = way != ENDS_MOVE && is_counting(&chain->counting, in->type);
    satf_status status = check_sign(ctx, link, in);
    status = status || satf_type_is_plain(in->type) || way == ENDS_MOVE ? status
                                                                        : check_sums(ctx, link, in);
    return status || !counting ? status : check_counting(ctx, chain, link, in, way);
}

satf_status filter_find_ends(satf_context *ctx, const satf_filter *chain, const chain_link *link,
                             const filter_picture *weights, const satf_view *from,
                             const satf_view *to, filter_ends *ends)
{
    ends_way way = way_of(link, from);
    bool counting = way != ENDS_MOVE && is_counting(&chain->counting, from->type);
    bool lane = counting && !has_alpha(from) && way != ENDS_SUM;
    bool grey = filter_needs_grey(filter_last(link->info), from);
    bool greys = way == ENDS_LOOK &&
                 filter_last(link->info)->grey; /* a filter to grey, which moves nothing */
    bool words = greys && !counting && (from->type == SATF_U32 || from->type == SATF_U64);
    bool plain = !counting && satf_type_is_plain(from->type) && is_made(to->type);
    *ends = (filter_ends){.in = *from, .out = *to};
    if (way == ENDS_MOVE || (!grey && (words || plain))) {
        return SATF_OK;
    }
    find_load(chain, link, from, words ? from->type : engines_type(link, from), counting, lane,
              way == ENDS_SUM, ends);
    if (words) { /* whose results are made from the samples as they are */
        return SATF_OK;
    }
    find_store(chain, link, from, to, way, lane, ends);
    find_quotient(link, to, ends);
    return ends->load.weighs ? find_weights(ctx, &weights->view, ends) : SATF_OK;
}

satf_status filter_plain_picture(satf_context *ctx, const filter_ends *ends, bool like,
                                 const satf_view *picture, satf_image **made)
{
    row_adapter load = {.from = picture->type,
                        .to = like ? ends->load.to : SATF_F64,
                        .channels = picture->channels,
                        .lanes = picture->channels,
                        .zero = like ? ends->zero : 0,
                        .nodata = NAN};
    *made = NULL;
    if (satf_type_is_plain(picture->type)) {
        return SATF_OK;
    }
    satf_status status =
        satf_image_create_unset(ctx, picture->width, picture->height, picture->channels,
                                (satf_type)load.to, picture->flags, made);
    for (int64_t y = 0; y < picture->height && !status; y++) {
        SATF_ISA_CHOOSE(&adapt_kernels)
            ->row(&load, picture->width, satf_row(picture, y), NULL, 0,
                  satf_row(&(*made)->view, y));
        status = satf_work(ctx, satf_row_samples(picture));
    }
    if (status && *made) {
        satf_image_destroy(*made);
        *made = NULL;
    } else if (!status) {
        (*made)->view.full =
            satf_type_is_float(picture->type) ? picture->full : satf_full_scale(picture);
    }
    return status;
}
