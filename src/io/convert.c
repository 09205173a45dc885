/* From an image's samples to a file's samples. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "codec.h"

/* ---------------------------------------------------------------- the plan */

/* The formats that can be written and store alpha, for messages. */
static const char alpha_formats[] = "write PNG, PAM (.pam) or .npy";

static satf_status choose_format(satf_context *ctx, const char *path,
                                 const satf_write_options *options, const io_format **out)
{
    const io_format *format;
    if (options->format) {
        format = io_format_find(options->format);
        if (!format) {
            return satf_fail(ctx, SATF_INVALID,
                             "there is no format \"%s\"; png, jpeg, pnm, pfm "
                             "and npy can be written",
                             options->format);
        }
    } else if (strcmp(path, "-") == 0) {
        return satf_fail(ctx, SATF_INVALID,
                         "standard output has no suffix to go by; name the format (--format png)");
    } else {
        format = io_format_by_suffix(path);
        if (!format) {
            return satf_fail(ctx, SATF_INVALID,
                             "the suffix names no known format; use .png .jpg "
                             ".pgm .ppm .pam .pfm .npy, or --format");
        }
    }
    if (!format->create) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "%s can be read, but not written; write PNG",
                         format->name);
    }
    *out = format;
    return SATF_OK;
}

static satf_status check_channels(satf_context *ctx, const satf_view *view, io_plan *plan)
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

satf_status io_check_type(satf_context *ctx, const io_format *format, satf_type type)
{
    if (format->value_types & IO_TYPE_BIT(type)) {
        return SATF_OK;
    }
    char names[64] = "";
    const io_format *other;
    for (size_t i = 0; (other = io_format_at(i)); i++) {
        if (other->create && (other->value_types & IO_TYPE_BIT(type))) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", other->name);
        }
    }
    return satf_fail(ctx, SATF_UNSUPPORTED, "%s cannot hold %s samples; possible in: %s",
                     format->name, satf_type_name((int)type), names);
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
                         "every possible value is %g, so there is no range to show; name one with "
                         "--range LO:HI, or write .npy",
                         plan->lo);
    }
    return satf_fail(ctx, SATF_INVALID,
                     "the possible values are too large for a range; name one with --range LO:HI, "
                     "or write .npy");
}

static satf_status plan_picture(satf_context *ctx, const satf_image *image,
                                const satf_write_options *options, io_plan *plan)
{
    const io_format *format = plan->format;
    const satf_view *in = &plan->in;
    satf_status status;
    bool has_range = image->has_range || options->has_range;
    if (!has_range) {
        return satf_fail(ctx, SATF_INVALID,
                         "%s samples of unknown range need --range LO:HI to "
                         "become a %s picture (or write .npy)",
                         satf_type_name(in->type), format->name);
    }
    plan->lo = options->has_range ? options->lo : image->lo;
    plan->hi = options->has_range ? options->hi : image->hi;
    status = check_range(ctx, plan, options->has_range);
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
    if (!options->has_range && (format->picture_types & IO_TYPE_BIT(in->type)) &&
        (options->type == SATF_TYPE_AUTO || options->type == in->type) && image->lo == 0 && full &&
        alpha_fits) {
        plan->how = IO_IDENTITY;
        plan->out.type = in->type;
        plan->out_hi = hi;
        return SATF_OK;
    }
    int type = SATF_U8;
    status = choose_picture_type(ctx, format, options->type, image->picture_type, &type);
    plan->how = IO_IMAGE_FORM;
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

satf_status io_make_plan(satf_context *ctx, const satf_image *image, const char *path,
                         const satf_write_options *options, io_plan *plan)
{
    satf_write_options defaults = satf_write_defaults();
    options = options ? options : &defaults;
    if (options->type != SATF_TYPE_AUTO && !satf_type_name(options->type)) {
        return satf_fail(ctx, SATF_INVALID, "unknown sample type (%d)", options->type);
    }
    if (options->quality < 1 || options->quality > 100) {
        return satf_fail(ctx, SATF_INVALID, "quality %d: 1 to 100 are possible", options->quality);
    }
    if (options->png_level < 0 || options->png_level > 9) {
        return satf_fail(ctx, SATF_INVALID, "PNG level %d: 0 to 9 are possible",
                         options->png_level);
    }
    io_plan made = {.in = image->view, .out = image->view, .alpha_max = image->alpha_max};
    made.in.data = made.out.data = NULL;
    satf_status status = choose_format(ctx, path, options, &made.format);
    if (!status) {
        status = check_channels(ctx, &image->view, &made);
    }
    if (!status) {
        status = made.format->picture_types ? plan_picture(ctx, image, options, &made)
                                            : plan_values(ctx, options, &made);
    }
    if (status) {
        return status;
    }
    int channels = made.in.channels - (made.drop_alpha ? 1 : 0);
    unsigned flags = made.drop_alpha ? 0 : made.in.flags;
    made.out =
        satf_view_packed(NULL, made.in.width, made.in.height, channels, (satf_type)made.out.type);
    made.out.flags = flags;
    *plan = made;
    return SATF_OK;
}

/* ---------------------------------------------------------- the conversion */

/* Samples go through blocks of the widest type of their kind. */
enum { BLOCK = 480 }; /* samples; whole pixels for 1 to 4 channels */

typedef union block {
    uint64_t u[BLOCK];
    double f[BLOCK];
} block;

#define LOAD(type, wide)                                                     \
    for (int p = 0; p < pixels; p++) {                                       \
        for (int c = 0; c < kept; c++) {                                     \
            type v;                                                          \
            memcpy(&v, s + (size_t)(p * channels + c) * sizeof v, sizeof v); \
            to->wide[p * kept + c] = v;                                      \
        }                                                                    \
    }

/* The first `kept` of every pixel's channels. */
static void load(int type, const char *s, int channels, int kept, int pixels, block *to)
{
    switch (type) {
    case SATF_U8:
        LOAD(uint8_t, u)
        break;
    case SATF_U16:
        LOAD(uint16_t, u)
        break;
    case SATF_U32:
        LOAD(uint32_t, u)
        break;
    case SATF_U64:
        LOAD(uint64_t, u)
        break;
    case SATF_F32:
        LOAD(float, f)
        break;
    default:
        LOAD(double, f)
        break;
    }
}

#define STORE(type, wide)                               \
    for (int i = 0; i < n; i++) {                       \
        type v = (type)from->wide[i];                   \
        memcpy(d + (size_t)i * sizeof v, &v, sizeof v); \
    }

static void store_integers(int type, const block *from, int n, char *d)
{
    switch (type) {
    case SATF_U8:
        STORE(uint8_t, u)
        break;
    case SATF_U16:
        STORE(uint16_t, u)
        break;
    case SATF_U32:
        STORE(uint32_t, u)
        break;
    default:
        STORE(uint64_t, u)
        break;
    }
}

static void store_floats(int type, const block *from, bool from_floats, int n, char *d)
{
    if (type == SATF_F32) {
        if (from_floats) {
            STORE(float, f)
        } else {
            STORE(float, u)
        }
    } else {
        if (from_floats) {
            STORE(double, f)
        } else {
            STORE(double, u)
        }
    }
}

/* x rounded to nearest, halves up, saturated to 0 ... max; NaN gives 0. */
static uint64_t round_saturated(double x, uint64_t max)
{
    if (!(x > 0)) {
        return 0;
    }
    double whole = floor(x); /* floor(x + 0.5) would round the double below 0.5 up */
    whole += x - whole >= 0.5;
    return whole >= (double)max ? max : (uint64_t)whole;
}

/* v of 0 ... hi to 0 ... max, exactly; v <= hi. */
static uint64_t scale_integer(uint64_t v, uint64_t hi, uint64_t max)
{
    if (max % hi == 0) {
        return v * (max / hi);
    }
    if (hi <= UINT32_MAX) { /* 2 * v * max + hi < 2^50, for max is of 16 bits */
        return (2 * v * max + hi) / (2 * hi);
    }
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((2 * (wide)v * max + hi) / (2 * (wide)hi));
}

/* Image form of channels first ... of every step-th sample, of range lo ... hi. */
static void map_channel(block *b, bool floats, int n, int first, int last, int channels, double lo,
                        double hi, uint64_t max)
{
    /* Integers of a range 0 ... hi stay in integers, so that ties are exact. */
    bool exact = !floats && lo == 0 && hi >= 1 && hi < 0x1p64 && hi == floor(hi);
    uint64_t ihi = exact ? (uint64_t)hi : !floats && lo == 0 && hi == 0x1p64 ? UINT64_MAX : 0;
    for (int p = 0; p < n; p += channels) {
        for (int i = p + first; i < p + last; i++) {
            if (ihi) {
                b->u[i] = b->u[i] >= ihi ? max : scale_integer(b->u[i], ihi, max);
            } else {
                double x = floats ? b->f[i] : (double)b->u[i];
                b->u[i] = round_saturated((x - lo) * (double)max / (hi - lo), max);
            }
        }
    }
}

static void convert_block(const io_plan *plan, const char *src, char *dst, int pixels)
{
    block b;
    int kept = plan->out.channels, n = pixels * kept, out = plan->out.type;
    bool floats = satf_type_is_float(plan->in.type);
    load(plan->in.type, src, plan->in.channels, kept, pixels, &b);
    if (plan->how == IO_IMAGE_FORM) {
        int colour = kept - ((plan->out.flags & SATF_ALPHA) ? 1 : 0);
        uint64_t max = satf_type_max(out);
        map_channel(&b, floats, n, 0, colour, kept, plan->lo, plan->hi, max);
        map_channel(&b, floats, n, colour, kept, kept, 0, plan->alpha_max, max);
        store_integers(out, &b, n, dst);
    } else if (satf_type_is_float(out)) {
        store_floats(out, &b, floats, n, dst);
    } else {
        uint64_t max = satf_type_max(out);
        for (int i = 0; i < n; i++) {
            b.u[i] = floats ? round_saturated(b.f[i], max) : b.u[i] < max ? b.u[i] : max;
        }
        store_integers(out, &b, n, dst);
    }
}

void io_convert(const io_plan *plan, const void *src, void *dst, int64_t pixels)
{
    size_t in_bytes = (size_t)plan->in.channels * satf_type_bytes(plan->in.type);
    size_t out_bytes = (size_t)plan->out.channels * satf_type_bytes(plan->out.type);
    if (plan->how == IO_IDENTITY && !plan->drop_alpha) {
        memcpy(dst, src, (size_t)pixels * in_bytes);
        return;
    }
    const int64_t step = BLOCK / SATF_MAX_CHANNELS;
    for (int64_t x = 0; x < pixels; x += step) {
        int64_t some = pixels - x < step ? pixels - x : step;
        convert_block(plan, (const char *)src + (size_t)x * in_bytes,
                      (char *)dst + (size_t)x * out_bytes, (int)some);
    }
}

/* ------------------------------------------------------------- the writing */

satf_status io_writer_open(satf_context *ctx, const io_plan *plan, FILE *file,
                           const satf_write_options *options, const satf_metadata *metadata,
                           io_writer **out)
{
    *out = NULL;
    io_writer *writer = satf_alloc_zeroed(sizeof *writer);
    if (!writer) {
        return satf_fail_memory(ctx, sizeof *writer, "a writer");
    }
    writer->format = plan->format;
    writer->file = file;
    writer->plan = *plan;
    writer->options = options ? *options : satf_write_defaults();
    writer->metadata = metadata;
    satf_status status = SATF_OK;
    if (plan->how != IO_IDENTITY || plan->drop_alpha) {
        writer->converted = satf_alloc((size_t)plan->out.stride);
        if (!writer->converted) {
            status = satf_fail_memory(ctx, (size_t)plan->out.stride, "a row to write");
        }
    }
    if (!status) {
        status = plan->format->create(ctx, writer);
    }
    if (status) {
        io_writer_abandon(writer);
        return status;
    }
    *out = writer;
    return SATF_OK;
}

static bool opaque_row(const io_plan *plan, const char *row)
{
    int channels = plan->in.channels;
    size_t pixel = (size_t)channels * satf_type_bytes(plan->in.type);
    size_t last = pixel - satf_type_bytes(plan->in.type);
    uint64_t opaque = round_saturated(plan->alpha_max, UINT64_MAX);
    bool floats = satf_type_is_float(plan->in.type);
    for (int64_t x = 0; x < plan->in.width; x++) {
        block b;
        load(plan->in.type, row + (size_t)x * pixel + last, 1, 1, 1, &b);
        if (floats ? !(b.f[0] >= plan->alpha_max) : b.u[0] < opaque) {
            return false;
        }
    }
    return true;
}

satf_status io_put_rows(satf_context *ctx, io_writer *writer, const void *src, int64_t stride,
                        int64_t n)
{
    const io_plan *plan = &writer->plan;
    if (n < 0 || n > plan->in.height - writer->next_row) {
        return satf_fail(ctx, SATF_INVALID, "%" PRId64 " rows to write, %" PRId64 " are left", n,
                         plan->in.height - writer->next_row);
    }
    satf_status status = SATF_OK;
    if (!writer->converted) {
        status = n > 0 ? writer->format->put(ctx, writer, src, stride, n) : SATF_OK;
        writer->next_row += status ? 0 : n;
        return status;
    }
    for (int64_t y = 0; y < n && !status; y++) {
        const char *row = (const char *)src + y * stride;
        if (plan->drop_alpha && !opaque_row(plan, row)) {
            return satf_fail(ctx, SATF_UNSUPPORTED,
                             "the picture is transparent in places, which %s cannot hold; %s",
                             plan->format->name, alpha_formats);
        }
        io_convert(plan, row, writer->converted, plan->in.width);
        status = writer->format->put(ctx, writer, writer->converted, plan->out.stride, 1);
        writer->next_row += status ? 0 : 1;
    }
    return status;
}

satf_status io_writer_finish(satf_context *ctx, io_writer *writer)
{
    if (writer->next_row != writer->plan.in.height) {
        return satf_fail(ctx, SATF_INVALID, "only %" PRId64 " of %" PRId64 " rows were written",
                         writer->next_row, writer->plan.in.height);
    }
    satf_status status = writer->format->finish(ctx, writer);
    if (!status) {
        io_writer_abandon(writer);
    }
    return status;
}

void io_writer_abandon(io_writer *writer)
{
    if (writer) {
        writer->format->abandon(writer);
        satf_free(writer->converted);
        satf_free(writer);
    }
}
