/* Making a case: its parameters and its images. */
#include "trial_case.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct shape {
    int64_t width, height;
    int channels;
    uint32_t flags;
    int w, h; /* the window */
} shape;

/* Rows of more than two vectors of any instruction set, and of less than one; windows that fold at
 * the border more than once. */
static const shape shapes[TRIAL_IMAGES] = {
    {131, 67, 1, 0, 64, 2},          {41, 35, 4, SATF_ALPHA, 2, 2}, {97, 19, 3, 0, 15, 9},
    {70, 33, 2, SATF_ALPHA, 5, 160}, {7, 5, 1, 0, 40, 33},
};

bool trial_is_float(int type)
{
    return type == SATF_F32 || type == SATF_F64;
}

bool trial_has_own(int type, satf_filter_kind kind)
{
    bool wide = satf_type_bytes(type) > 2 && !trial_is_float(type);
    bool halves = type == SATF_F16 || type == SATF_BF16;
    return kind == SATF_FILTER_MOVE ? type <= SATF_F64 : !wide && !halves;
}

bool trial_has_border(const char *filter)
{
    satf_param_info p;
    for (size_t i = 0; satf_filter_param(filter, i, &p, sizeof p); i++) {
        if (p.type == SATF_PARAM_BORDER) {
            return true;
        }
    }
    return false;
}

void trial_name(const trial_case *c, char *text, size_t bytes)
{
    bool border = trial_has_border(c->filter);
    snprintf(text, bytes, "%s %s%s%s", c->filter, satf_type_name(c->type), border ? " " : "",
             border ? satf_border_name(c->border) : "");
}

/* --------------------------------------------------------------------------- images */

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t trial_next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static void store_float(int type, double value, unsigned char *sample)
{
    float narrow = (float)value;
    memcpy(sample, type == SATF_F32 ? (void *)&narrow : (void *)&value, satf_type_bytes(type));
}

/* 4 of 16 samples are the least, 4 the greatest. */
static void store_integer(int type, uint64_t bits, unsigned char *sample)
{
    uint64_t value = bits % 16 < 4 ? 0 : bits % 16 < 8 ? UINT64_MAX : bits;
    size_t bytes = satf_type_bytes(type);
    bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    memcpy(sample, (char *)&value + (big ? 0 : sizeof value - bytes), bytes); /* its high bytes */
}

void trial_fill(const trial_case *c, void *memory, satf_view *view)
{
    const shape *s = &shapes[c->image];
    *view = satf_view_packed(memory, s->width, s->height, s->channels, (satf_type)c->type);
    bool has_sign = c->type == SATF_I8 || c->type == SATF_I16; /* with alpha they are doubles */
    view->flags = has_sign ? 0 : s->flags;
    uint64_t state = (uint64_t)c->image;
    int64_t count = s->width * s->height * s->channels;
    for (int64_t i = 0; i < count; i++) {
        unsigned char *sample = (unsigned char *)memory + (size_t)i * satf_type_bytes(c->type);
        uint64_t bits = trial_next_random(&state);
        bool alpha = s->flags & SATF_ALPHA && i % s->channels == s->channels - 1;
        if (!trial_is_float(c->type)) {
            store_integer(c->type, bits, sample);
        } else if (alpha) {
            uint64_t level = bits % 24; /* a third is transparent */
            store_float(c->type, level < 8 ? 0 : (double)(level - 7) / 16, sample);
        } else {
            store_float(c->type, ((double)(bits >> 52) - 2048) / 16, sample);
        }
    }
}

/* ----------------------------------------------------------------------- parameters */

/* The word that many bars behind the first. */
static void choose_word(const char *words, int number, char *text, size_t bytes)
{
    for (const char *bar; number > 0 && (bar = strchr(words, '|')); number--) {
        words = bar + 1;
    }
    snprintf(text, bytes, "%.*s", (int)strcspn(words, "|"), words);
}

/* The default first, then multiples of it, or of 1 where it is 0, within the range. But Gaussians
 * are both of weights and of boxes: up to a sigma of 6 gauss refuses other numbers of passes. */
static double choose_number(const satf_param_info *p, int number)
{
    static const double times[] = {1, 0.5, 2, 0, -1}, values[] = {0, 1, 0.5, 2, -1};
    static const double sigmas[] = {2, 8, 20, 5, 0.3}, passes[] = {4, 3, 5, 4, 4};
    double middle = p->default_text ? strtod(p->default_text, NULL) : 0;
    double value = strcmp(p->name, "sigma") == 0    ? sigmas[number]
                   : strcmp(p->name, "passes") == 0 ? passes[number]
                   : middle != 0                    ? middle * times[number]
                                                    : values[number];
    return value < p->min ? p->min : value > p->max ? p->max : value;
}

/* Chooses a part in the middle, or from somewhere on. */
static void choose_part(const shape *s, int number, char *text, size_t bytes)
{
    int width = (int)s->width / 2 + 1, height = (int)(s->height - s->height / 4);
    int x = (int)s->width - width, y = (int)s->height - height;
    snprintf(text, bytes, number % 2 ? "%dx%d+%d+%d" : "%dx%d", width, height, x, y / 2);
}

/* The text of the parameter's value for the case's image; "" for files. */
static void choose_value(const satf_param_info *p, const trial_case *c, char *text, size_t bytes)
{
    const shape *s = &shapes[c->image];
    const char *border = satf_border_name(c->border);
    *text = '\0';
    switch (p->type) {
    case SATF_PARAM_INTEGER:
        snprintf(text, bytes, "%.0f", rint(choose_number(p, c->image)));
        break;
    case SATF_PARAM_REAL:
        snprintf(text, bytes, "%.17g", choose_number(p, c->image));
        break;
    case SATF_PARAM_SIZE:
        snprintf(text, bytes, "%dx%d", s->w, s->h);
        break;
    case SATF_PARAM_PLACE: /* twice the middle, else corners of the window */
        snprintf(text, bytes, "%d:%d", c->image % 2 ? s->w / 2 : 0,
                 c->image % 2 ? s->h / 2 - s->h + 1 : 0);
        break;
    case SATF_PARAM_FLAG:
        snprintf(text, bytes, "%s", c->image % 2 ? "on" : "off");
        break;
    case SATF_PARAM_BORDER:
        snprintf(text, bytes, c->border == SATF_BORDER_CONSTANT ? "%s:3" : "%s", border);
        break;
    case SATF_PARAM_CHOICE:
        choose_word(p->syntax, c->image, text, bytes);
        break;
    case SATF_PARAM_SHAPE:
        snprintf(text, bytes, "%dx%d!", (int)s->width / 2 + 1, (int)(s->height - s->height / 4));
        break;
    case SATF_PARAM_PART:
        choose_part(s, c->image, text, bytes);
        break;
    case SATF_PARAM_FILE:
        break;
    }
}

/* 7919 is a prime, and divides no image's number of pixels: every pixel is there once. */
static satf_status set_order(satf_context *ctx, satf_filter *filter, const satf_view *in)
{
    static int64_t order[TRIAL_SAMPLES];
    int64_t pixels = in->width * in->height;
    for (int64_t i = 0; i < pixels; i++) {
        order[i] = (i * 7919 + 3) % pixels;
    }
    return satf_filter_set_order(ctx, filter, order, (size_t)pixels);
}

/* What a file would hold: of the kinds there are the one that the filter takes. An image is the
 * input upside down. */
static satf_status set_content(satf_context *ctx, satf_filter *filter, const satf_view *in)
{
    static const satf_weighted_rect rects[] = {{{-3, -2, 5, 7}, 1}, {{0, 0, 2, 2}, -0.5}};
    satf_status status = satf_filter_set_rects(ctx, filter, rects, 2);
    status = status ? set_order(ctx, filter, in) : status;
    satf_view turned = *in;
    turned.data = (char *)in->data + (in->height - 1) * in->stride;
    turned.stride = -in->stride;
    return status ? satf_filter_set_image(ctx, filter, &turned) : status;
}

satf_status trial_filter(satf_context *ctx, const trial_case *c, const satf_view *in,
                         satf_filter **filter)
{
    satf_param_info p;
    satf_status status = satf_filter_create(ctx, c->filter, filter);
    for (size_t i = 0; !status && satf_filter_param(c->filter, i, &p, sizeof p); i++) {
        char text[64];
        choose_value(&p, c, text, sizeof text);
        if (strcmp(p.name, "noise") == 0) {
            continue; /* another way to say eps, and refused beside it */
        }
        if (p.type != SATF_PARAM_FILE) {
            status = satf_filter_set(ctx, *filter, p.name, text);
        } else if (p.is_value || c->image % 2) {
            status = set_content(ctx, *filter, in);
        }
    }
    return status;
}

/* --------------------------------------------------------------------------- results */

bool trial_output(satf_context *ctx, const trial_case *c, const satf_filter *filter,
                  const satf_view *in, void *memory, satf_view *out)
{
    satf_status status = satf_filter_output(ctx, filter, in, out);
    int colours = in->channels - (in->flags & SATF_ALPHA ? 1 : 0);
    if (status || (trial_is_float(c->type) && out->channels < colours)) {
        return false;
    }
    /* Every other image in the input's type, to round and saturate. */
    int type = c->image % 2 ? c->type : out->type;
    uint32_t flags = out->flags;
    *out = satf_view_packed(memory, out->width, out->height, out->channels, (satf_type)type);
    out->flags = flags;
    return true;
}

double trial_bound(const trial_case *c, const satf_view *in)
{
    const shape *s = &shapes[c->image];
    double reads = (2.0 * s->w + 7) * (2.0 * s->h + 7);
    double magnitudes = (double)(in->width * in->height) * 128;
    return 4 * reads * (double)(in->width + in->height + 12) * 0x1p-53 * magnitudes;
}
