/* The plan of a file that is written: its format, and the conversion of the image's samples. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "codec.h"

/* The format, and the word that names it. */
static satf_status choose_format(satf_context *ctx, const char *path,
                                 const satf_write_options *options, const io_format **out,
                                 const char **word)
{
    const io_format *format;
    if (options->format) {
        *word = options->format;
        format = io_format_find(options->format);
        if (!format) {
            return satf_fail(ctx, SATF_INVALID,
                             "there is no format \"%s\"; png, jpeg, tiff, webp, pnm, "
                             "pfm and npy can be written",
                             options->format);
        }
    } else if (strcmp(path, "-") == 0) {
        return satf_fail(
            ctx, SATF_INVALID,
            "standard output has no suffix to go by; name a format, such as png (option: format)");
    } else {
        format = io_format_by_suffix(path);
        if (!format) {
            return satf_fail(ctx, SATF_INVALID,
                             "the suffix names no known format; use .png .jpg .tif .webp "
                             ".pgm .ppm .pam .pfm .npy, or name a format (option: format)");
        }
        *word = strrchr(path, '.') + 1;
    }
    if (!io_can_write(format)) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "%s can be read, but not written; write PNG",
                         format->name);
    }
    return io_format_load(ctx, format, out);
}

static satf_status io_plan_check_channels(satf_context *ctx, const satf_view *view, io_plan *plan)
{
    bool alpha = (view->flags & SATF_ALPHA) != 0;
    unsigned mask = plan->format->channel_mask;
    /* Two or four plain channels, of an array or of a filter that takes alpha
     * for a channel like the others: the last takes alpha's place. */
    bool in_alphas_place = !alpha && plan->format->stores_alpha && view->channels % 2 == 0 &&
                           !(mask >> view->channels & 1);
    int colour = view->channels - (alpha || in_alphas_place ? 1 : 0);
    plan->drop_alpha = alpha && !plan->format->stores_alpha;
    if (!(mask >> colour & 1)) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "%s cannot hold %d channels%s; write .npy",
                         plan->format->name, colour, alpha ? " and alpha" : " without alpha");
    }
    return SATF_OK;
}

/* The picture type: the asked one, else the image's, lowered to what the format has. */
static satf_status choose_picture_type(satf_context *ctx, const io_format *format, int wanted,
                                       int preferred, int *out)
{
    if (wanted != SATF_TYPE_AUTO) {
        *out = wanted;
        return io_check_type(ctx, format, (satf_type)wanted);
    }
    int type = preferred == SATF_U8 ? SATF_U8 : SATF_U16;
    *out = format->picture_types & IO_TYPE_BIT(type) ? type : SATF_U8;
    return SATF_OK;
}

/* A filter's possible range may be one value (all weights of a template 0), or
 * more than doubles hold (a long chain of variances). */
static satf_status check_range(satf_context *ctx, const io_plan *plan, bool given)
{
    bool finite = isfinite((plan->hi - plan->lo) * UINT16_MAX); /* as the image form computes */
    if (finite && plan->lo < plan->hi) {
        return SATF_OK;
    }
    if (given) {
        return satf_fail(ctx, SATF_INVALID, "the range %g:%g is %s", plan->lo, plan->hi,
                         finite ? "empty; LO must be below HI" : "too wide to be mapped");
    }
    if (finite) {
        return satf_fail(ctx, SATF_INVALID,
                         "every possible value is %g, so there is no range to show; write .npy, "
                         "or name LO:HI (option: range)",
                         plan->lo);
    }
    return satf_fail(ctx, SATF_INVALID,
                     "the possible values are too large for a range; write .npy, or name LO:HI "
                     "(option: range)");
}

static satf_status plan_picture(satf_context *ctx, const satf_image *image,
                                const satf_write_options *options, io_plan *plan)
{
    const io_format *format = plan->format;
    const satf_view *in = &plan->in;
    satf_status status;
    bool given = options->has_range || options->auto_range;
    if (!image->has_range && !given) {
        return satf_fail(ctx, SATF_INVALID,
                         "%s samples of unknown range do not make a %s picture by themselves; "
                         "write .npy, or name LO:HI or auto (option: range)",
                         satf_type_name(in->type), format->name);
    }
    plan->lo = options->has_range ? options->lo : image->lo;
    plan->hi = options->has_range ? options->hi : image->hi;
    plan->find_range = options->auto_range != 0;
    status = plan->find_range ? SATF_OK : check_range(ctx, plan, options->has_range);
    if (status) {
        return status;
    }
    /* As they are: an integer type of the format, and black and white at the same values. */
    double hi = image->hi;
    bool full = hi == (double)satf_type_max(in->type);
    if (format->stores_maxval && hi == floor(hi)) {
        full =
            full || (in->type == SATF_U8 ? hi >= 1 : hi > UINT8_MAX); /* maxval tells the width */
    }
    bool alpha_fits = !(in->flags & SATF_ALPHA) || plan->drop_alpha || image->alpha_max == hi;
    if (!given && (format->picture_types & IO_TYPE_BIT(in->type)) &&
        (options->type == SATF_TYPE_AUTO || options->type == in->type) && image->lo == 0 && full &&
        alpha_fits) {
        plan->how = IO_IDENTITY;
        plan->bilevel = image->bilevel && options->type == SATF_TYPE_AUTO;
        plan->out.type = in->type;
        plan->out_hi = hi;
        return SATF_OK;
    }
    int type = SATF_U8;
    status = choose_picture_type(ctx, format, options->type, image->picture_type, &type);
    plan->how = IO_IMAGE_FORM;
    plan->judge_range =
        !plan->find_range && (options->has_range || (in->type != SATF_U8 && in->type != SATF_U16));
    plan->judge_mean = plan->find_range && options->clip_percent < 1;
    plan->out.type = type;
    plan->out_hi = (double)satf_type_max(type);
    return status;
}

static satf_status plan_values(satf_context *ctx, const satf_write_options *options, io_plan *plan)
{
    int type = plan->in.type;
    if (options->type != SATF_TYPE_AUTO) {
        type = options->type;
        satf_status status = io_check_type(ctx, plan->format, (satf_type)type);
        if (status) {
            return status;
        }
    } else if (!(plan->format->value_types & IO_TYPE_BIT(type))) {
        type = SATF_F32; /* what every format of plain values has */
    }
    plan->out.type = type;
    plan->how = type == plan->in.type ? IO_IDENTITY : IO_PLAIN;
    return SATF_OK;
}

/* Does the image become plain values rather than a picture, in a format that has both? Integers
 * that no picture has do, and real numbers of which nobody knows what is black and what is white,
 * unless a range says so; else a type that only values have asks for it. */
static bool becomes_values(const satf_image *image, const satf_write_options *options,
                           const io_format *format)
{
    int type = options->type == SATF_TYPE_AUTO ? image->view.type : options->type;
    bool shown = options->has_range || options->auto_range;
    if (!format->picture_types || !(format->value_types & IO_TYPE_BIT(type))) {
        return !format->picture_types;
    }
    return options->type != SATF_TYPE_AUTO
               ? !(format->picture_types & IO_TYPE_BIT(type))
               : !shown && (!image->has_range || (!satf_type_is_float(type) &&
                                                  !(format->picture_types & IO_TYPE_BIT(type))));
}

/* What a filter makes of an array of bools is one: so white stays white in files. Another type may
 * be asked for, u8 too. */
static bool becomes_bools(const io_plan *plan, const satf_write_options *options)
{
    return plan->format->stores_bools && plan->how == IO_IDENTITY &&
           options->type == SATF_TYPE_AUTO && plan->in.type == SATF_U8 && plan->in.full == 1;
}

static satf_status io_plan_check_compression(satf_context *ctx, const satf_write_options *options,
                                             const io_plan *plan)
{
    const char *asked = options->compression, *known = plan->format->compressions;
    if (!asked) {
        return SATF_OK;
    }
    if (!known) {
        return satf_fail(ctx, SATF_INVALID,
                         "%s has no choice of compressions (option: compression)", plan->name);
    }
    if (!io_list_has(known, asked, strlen(asked))) {
        return satf_fail(ctx, SATF_INVALID, "'%s' is none of %s (option: compression)", asked,
                         known);
    }
    return strcasecmp(asked, "g4") == 0 && !plan->bilevel
               ? satf_fail(ctx, SATF_UNSUPPORTED,
                           "g4 is for black and white; this is grey or colour (option: "
                           "compression)")
               : SATF_OK;
}

static satf_status io_plan_check_options(satf_context *ctx, const satf_write_options *options)
{
    if (options->type != SATF_TYPE_AUTO && !satf_type_name(options->type)) {
        return satf_fail(ctx, SATF_INVALID, "unknown sample type (%d)", options->type);
    }
    if (options->quality < 0 || options->quality > 100) {
        return satf_fail(ctx, SATF_INVALID,
                         "quality %d: 1 to 100 are possible, and 0 for the input's",
                         options->quality);
    }
    if (options->png_level < 0 || options->png_level > 9) {
        return satf_fail(ctx, SATF_INVALID, "PNG level %d: 0 to 9 are possible",
                         options->png_level);
    }
    if (options->has_range && options->auto_range) {
        return satf_fail(ctx, SATF_INVALID, "a range is either given or found, not both");
    }
    if (!(options->clip_percent >= 0 && options->clip_percent < 50)) {
        return satf_fail(ctx, SATF_INVALID, "%g percent at each end: 0 to below 50 are possible",
                         options->clip_percent);
    }
    return SATF_OK;
}

satf_status io_make_plan(satf_context *ctx, const satf_image *image, const char *path,
                         const satf_write_options *options, io_plan *plan)
{
    satf_write_options defaults = satf_write_defaults();
    options = options ? options : &defaults;
    satf_status status = io_plan_check_options(ctx, options);
    if (status) {
        return status;
    }
    io_plan made = {.in = image->view, .alpha_max = image->alpha_max};
    made.in.data = NULL; /* its rows come packed */
    made.in.stride = satf_row_samples(&made.in) * (int64_t)satf_type_bytes(made.in.type);
    made.in.pixel_stride = 0;
    const char *word = NULL;
    status = choose_format(ctx, path, options, &made.format, &word);
    if (!status) {
        made.name = made.format->name;
        status = io_plan_check_channels(ctx, &image->view, &made);
    }
    if (!status && made.format->adapt) {
        status = made.format->adapt(ctx, word, &made);
    }
    if (!status) {
        status = becomes_values(image, options, made.format)
                     ? plan_values(ctx, options, &made)
                     : plan_picture(ctx, image, options, &made);
    }
    status = status ? status : io_plan_check_compression(ctx, options, &made);
    if (status) {
        return status;
    }
    int channels = made.spread ? 3 : made.in.channels - (made.drop_alpha ? 1 : 0);
    unsigned flags = made.drop_alpha ? 0 : made.in.flags;
    made.out =
        satf_view_packed(NULL, made.in.width, made.in.height, channels, (satf_type)made.out.type);
    made.out.flags = flags;
    made.out.full = becomes_bools(&made, options) ? 1 : 0;
    *plan = made;
    return SATF_OK;
}
