/*
 * Makes the sample pictures: generate FOLDER writes scene.png (colour, fine
 * detail), page.png (text under uneven light) and depth.png (16-bit depths).
 * It uses only + - * / sqrt and floor, so every machine makes the same pixels.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <satfilter.h>

#include "font.h"

typedef struct colour {
    double r, g, b;
} colour;

static double clamp01(double v)
{
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

/* 0 below a, 1 above b, smooth between. */
static double ramp(double a, double b, double v)
{
    double t = clamp01((v - a) / (b - a));
    return t * t * (3 - 2 * t);
}

static colour mix(colour from, colour to, double t)
{
    t = clamp01(t);
    return (colour){from.r + (to.r - from.r) * t, from.g + (to.g - from.g) * t,
                    from.b + (to.b - from.b) * t};
}

static colour scale(colour c, double by)
{
    return (colour){c.r * by, c.g * by, c.b * by};
}

/* A random number in 0 ... 1 for each point of the integer lattice. */
static double lattice(int64_t x, int64_t y, uint32_t seed)
{
    uint32_t h = (uint32_t)x * 0x9e3779b1u ^ (uint32_t)y * 0x85ebca77u ^ seed * 0xc2b2ae3du;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return (double)(h ^ h >> 15) / 4294967295.0;
}

/* Smooth noise in 0 ... 1, with features of about one unit. */
static double noise(double x, double y, uint32_t seed)
{
    double fx = floor(x), fy = floor(y);
    int64_t ix = (int64_t)fx, iy = (int64_t)fy;
    double u = ramp(0, 1, x - fx), v = ramp(0, 1, y - fy);
    double top = lattice(ix, iy, seed) * (1 - u) + lattice(ix + 1, iy, seed) * u;
    double bottom = lattice(ix, iy + 1, seed) * (1 - u) + lattice(ix + 1, iy + 1, seed) * u;
    return top * (1 - v) + bottom * v;
}

/* Noise at several scales, 0 ... 1. */
static double fractal(double x, double y, int octaves, uint32_t seed)
{
    double sum = 0, weight = 1, all = 0;
    for (int i = 0; i < octaves; i++) {
        sum += weight * noise(x, y, seed + (uint32_t)i);
        all += weight;
        weight *= 0.5;
        x *= 2;
        y *= 2;
    }
    return sum / all;
}

/* -------------------------------------------------------------------- scene */

/* In units of the picture's height: x from 0 to 1.5, y from 0 (top) to 1. */
static const double shore = 0.66;

static colour sky(double x, double y)
{
    colour c = mix((colour){62, 112, 176}, (colour){249, 214, 176}, ramp(0, 0.55, y));
    double dx = x - 1.02, dy = y - 0.34;
    double d = sqrt(dx * dx + dy * dy);
    c = mix(c, (colour){255, 226, 170}, 0.05 / (0.05 + d));
    double cloud = fractal(x * 3 + 5, y * 14, 6, 11);
    c = mix(c, (colour){255, 238, 226}, 0.8 * ramp(0.5, 0.75, cloud) * ramp(0.5, 0.1, y));
    return mix((colour){255, 246, 214}, c, ramp(0.034, 0.037, d));
}

static const struct range {
    double base, height, frequency, haze;
    colour rock;
} ranges[] = {
    {0.58, 0.50, 2.1, 0.40, {118, 120, 138}},
    {0.61, 0.34, 3.1, 0.22, {92, 98, 112}},
    {0.645, 0.20, 4.3, 0.10, {58, 78, 66}},
};

/* Sky and mountains. */
static colour far_away(double x, double y)
{
    colour c = sky(x, y);
    for (uint32_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const struct range *range = &ranges[i];
        double ridge =
            range->base - range->height * (fractal(x * range->frequency + 3, i * 7, 8, 23) - 0.2);
        if (y < ridge) {
            continue;
        }
        /* light comes from the right: the slope of a rough surface along x */
        double slope =
            fractal(x * 26 - 0.35, y * 34, 6, 31 + i) - fractal(x * 26, y * 34, 6, 31 + i);
        colour rock = scale(range->rock, 1 + 2.6 * slope);
        if (i < 2) {
            double snow = ridge + 0.13 * fractal(x * 18, y * 9, 5, 43 + i) - (i ? 0.055 : 0.01);
            rock = mix(rock, scale((colour){240, 244, 250}, 0.9 + 1.2 * slope),
                       ramp(0.006, -0.006, y - snow));
        } else {
            rock = scale(rock, 0.65 + 0.7 * noise(x * 260, y * 170, 53)); /* forest */
        }
        c = mix(rock, (colour){206, 200, 198},
                range->haze + 0.5 * ramp(0.25, 0, shore - y) * range->haze);
    }
    return c;
}

/* Replaces *c where (x, y) is on the boat. */
static void boat(double x, double y, colour *c)
{
    double u = (x - 0.56) / 0.05, v = (y - 0.715) / 0.05;
    if (v > 0 && v < 0.35 && u > -1 + v && u < 1.1 - v) {
        *c = v < 0.1 ? (colour){236, 226, 208} : (colour){128, 44, 36};
    } else if (v < -0.05 && v > -2.2 && u > -0.02 && u < 0.95 * (v + 2.2) / 2.15) {
        *c = (colour){250, 247, 238};
    } else if (v < -0.05 && v > -1.9 && u < -0.06 && u > -0.6 * (v + 1.9) / 1.85) {
        *c = (colour){222, 84, 56};
    }
}

static void hut(double x, double y, colour *c)
{
    double u = (x - 1.13) / 0.09, v = (y - 0.80) / 0.09;
    double roof = -0.95 + 0.75 * (u < 0 ? -u : u);
    if (v > roof && v < roof + 0.22 && u > -1.2 && u < 1.2) {
        double row = floor(v * 14 - 10.5 * (u < 0 ? -u : u));
        *c = scale((colour){96, 82, 84},
                   0.8 + 0.4 * lattice((int64_t)floor(u * 9), (int64_t)row, 61));
    } else if (v > roof && v < 0.75 && u > -0.95 && u < 0.95) {
        double plank = floor(u * 11);
        *c = scale((colour){158, 58, 40}, (0.85 + 0.2 * lattice((int64_t)plank, 0, 67)) *
                                              (u * 11 - plank < 0.14 ? 0.7 : 1));
        double wu = (u < 0 ? -u : u) - 0.5, wv = v - 0.15;
        if (wu > -0.2 && wu < 0.2 && wv > -0.2 && wv < 0.2) {
            int frame = wu < -0.16 || wu > 0.16 || wv < -0.16 || wv > 0.16 ||
                        (wu > -0.02 && wu < 0.02) || (wv > -0.02 && wv < 0.02);
            *c = frame ? (colour){244, 240, 230} : (colour){50, 62, 84};
        }
    }
}

static void firs(double x, double y, colour *c)
{
    static const struct {
        double x, top, foot;
    } firs[] = {{0.06, 0.30, 0.93},  {0.17, 0.42, 0.92}, {0.265, 0.52, 0.90}, {1.30, 0.50, 0.90},
                {1.385, 0.36, 0.93}, {1.47, 0.27, 0.97}, {0.95, 0.66, 0.88}};
    for (uint32_t i = 0; i < sizeof firs / sizeof *firs; i++) {
        double down = (y - firs[i].top) / (firs[i].foot - firs[i].top);
        double aside = (x - firs[i].x) / (firs[i].foot - firs[i].top);
        double width = aside < 0 ? -aside : aside;
        if (down < 0 || down > 1) {
            continue;
        }
        double tier = down * 11 + 1.5 * width - floor(down * 11 + 1.5 * width);
        double reach =
            0.21 * down * (0.62 + 0.5 * tier) * (0.8 + 0.4 * noise(x * 150, y * 150, 71 + i));
        if (width < reach && down < 0.95) {
            double light = 0.45 + 0.5 * noise(x * 210, y * 210, 83) + 1.6 * aside + 0.25 * tier;
            *c = scale((colour){42, 74, 46}, light < 0.25 ? 0.25 : light);
        } else if (width < 0.018 && down > 0.9) {
            *c = (colour){58, 42, 32};
        }
    }
}

static colour scene_at(double x, double y)
{
    colour c;
    if (y < shore) {
        c = far_away(x, y);
    } else {
        /* the lake mirrors what is above it; waves grow towards the viewer */
        double near = (y - shore) / (1 - shore);
        double wave = noise(x * 16 / (0.2 + near), 14 / (0.06 + near), 97) - 0.5;
        double mirrored = 2 * shore - y + wave * 0.12 * near - 0.004;
        c = far_away(x + wave * 0.02, mirrored < shore - 0.001 ? mirrored : shore - 0.001);
        c = mix(c, (colour){34, 74, 98}, 0.3 + 0.3 * near);
        c = mix(c, (colour){252, 232, 200},
                2.2 * (wave - 0.27) * ramp(0.3, 0.02, x > 1.02 ? x - 1.02 : 1.02 - x));
    }
    boat(x, y, &c);
    double bank = 0.825 + 0.10 * fractal(x * 2.2, 3, 5, 101) - 0.28 * (x - 0.75) * (x - 0.75);
    if (y > bank) {
        double blade = noise(x * 190 + 2 * noise(x * 9, y * 30, 103), y * 22, 107);
        double patch = fractal(x * 6, y * 9, 4, 109);
        c = mix((colour){64, 88, 36}, (colour){172, 158, 74}, patch * 1.3 - 0.3);
        c = scale(c, 0.5 + 0.9 * blade * (0.6 + 0.4 * ramp(0, 0.05, y - bank)));
        double flower = lattice((int64_t)floor(x * 170), (int64_t)floor(y * 170), 113);
        if (flower > 0.988 && y > bank + 0.02) {
            c = flower > 0.994 ? (colour){240, 232, 120} : (colour){226, 110, 132};
        }
    }
    hut(x, y, &c);
    firs(x, y, &c);
    return c;
}

static unsigned char to_byte(double v)
{
    return (unsigned char)(255 * clamp01(v / 255) + 0.5);
}

static void draw_scene(const satf_view *view)
{
    double pixel = 1.0 / (double)view->height;
    for (int64_t y = 0; y < view->height; y++) {
        unsigned char *row = (unsigned char *)view->data + y * view->stride;
        for (int64_t x = 0; x < view->width; x++) {
            colour sum = {0, 0, 0};
            for (int k = 0; k < 9; k++) { /* 3 x 3 points a pixel, for smooth edges */
                double dx = (k % 3 + 0.5) / 3.0, dy = (k / 3 + 0.5) / 3.0;
                colour c = scene_at(((double)x + dx) * pixel, ((double)y + dy) * pixel);
                sum = (colour){sum.r + c.r, sum.g + c.g, sum.b + c.b};
            }
            row[3 * x] = to_byte(sum.r / 9);
            row[3 * x + 1] = to_byte(sum.g / 9);
            row[3 * x + 2] = to_byte(sum.b / 9);
        }
    }
}

/* --------------------------------------------------------------------- page */

static const char *const text[] = {
    "          Summed area tables",
    "",
    "The sum of the pixels in any rectangle of",
    "an image costs four reads, once a table of",
    "all the sums from its corner is there:",
    "",
    "     S = A + B - C - E",
    "",
    "However large the window is, the work for",
    "a pixel stays the same. A mean, a variance",
    "or a threshold that follows the light of a",
    "page needs no more than two such tables.",
    "",
    "This page lies half in the shadow. With one",
    "threshold for all of it, either the letters",
    "in the light fade, or the dark corner turns",
    "black. Compared with the mean around them,",
    "they are easy to read: here 1 - 2, and 3 - 4",
    "below, are as plain as the words above.",
    "",
    "Now blur it, or measure it, and look again.",
};

/* Ink at a place of the text, in dots of the typeface: 0 ... 1. */
static double dot(int64_t x, int64_t y)
{
    int64_t lines = sizeof text / sizeof *text;
    int64_t line = y / (FONT_HEIGHT + 3), column = x / (FONT_WIDTH + 1);
    int64_t gx = x % (FONT_WIDTH + 1), gy = y % (FONT_HEIGHT + 3);
    if (x < 0 || y < 0 || line >= lines || gx >= FONT_WIDTH || gy >= FONT_HEIGHT ||
        column >= (int64_t)strlen(text[line])) {
        return 0;
    }
    for (size_t i = 0; i < sizeof font / sizeof *font; i++) {
        if (font[i].character == text[line][column]) {
            return font[i].rows[gy] >> (FONT_WIDTH - 1 - gx) & 1;
        }
    }
    return 0;
}

/* Dots melt into strokes: interpolated, then cut in the middle. */
static double ink(double x, double y)
{
    double fx = floor(x), fy = floor(y);
    int64_t ix = (int64_t)fx, iy = (int64_t)fy;
    double u = x - fx, v = y - fy;
    double top = dot(ix, iy) * (1 - u) + dot(ix + 1, iy) * u;
    double bottom = dot(ix, iy + 1) * (1 - u) + dot(ix + 1, iy + 1) * u;
    return ramp(0.28, 0.62, top * (1 - v) + bottom * v);
}

static void draw_page(const satf_view *view)
{
    for (int64_t y = 0; y < view->height; y++) {
        unsigned char *row = (unsigned char *)view->data + y * view->stride;
        for (int64_t x = 0; x < view->width; x++) {
            double u = (double)x / (double)view->width, v = (double)y / (double)view->height;
            double dx = u - 0.22, dy = v - 0.2;
            double light = 0.24 + 0.76 / (1 + 2.1 * (dx * dx + dy * dy));
            light *= 1 - 0.55 * ramp(-0.1, 0.12, u + 0.45 * v - 0.98);
            double paper = 232 + 14 * (fractal(u * 30, v * 30, 3, 127) - 0.5);
            /* the sheet lies a little askew */
            double tx = ((double)x - 40 + 0.012 * (double)y) / 2.2;
            double ty = ((double)y - 34 - 0.016 * (double)x) / 1.92;
            double value = paper * (1 - 0.82 * ink(tx, ty)) * light;
            row[x] = to_byte(value + 3 * (lattice(x, y, 131) - 0.5));
        }
    }
}

/* -------------------------------------------------------------------- depth */

/* The distance along a ray from the eye at the origin through (u, v, 1), y down. */
static double depth_at(double u, double v)
{
    double nearest = 9 + 0.4 * u; /* a slanted wall */
    if (v > 0) {
        double ground = 1.2 / v;
        nearest = ground < nearest ? ground : nearest;
    }
    static const struct {
        double x, y, z, radius;
    } balls[] = {{-0.9, 0.5, 3.4, 0.7}, {0.35, 0.85, 2.7, 0.35}, {1.9, 0.1, 6.5, 1.1}};
    double length2 = u * u + v * v + 1;
    for (size_t i = 0; i < sizeof balls / sizeof *balls; i++) {
        double along = (u * balls[i].x + v * balls[i].y + balls[i].z) / length2;
        double centre2 =
            balls[i].x * balls[i].x + balls[i].y * balls[i].y + balls[i].z * balls[i].z;
        double inside = along * along - (centre2 - balls[i].radius * balls[i].radius) / length2;
        if (inside > 0 && along - sqrt(inside) < nearest) {
            nearest = along - sqrt(inside);
        }
    }
    /* a staircase of boxes that face the eye */
    for (int step = 0; step < 5; step++) {
        double z = 4.2 + 0.45 * step, height = 1.2 - 0.32 * (step + 1);
        double x = u * z, y = v * z;
        if (x > 0.55 && x < 1.75 && y > height && y < 1.2 && z < nearest) {
            nearest = z;
        }
    }
    return nearest;
}

static void draw_depth(const satf_view *view)
{
    for (int64_t y = 0; y < view->height; y++) {
        uint16_t *row = (uint16_t *)(void *)((char *)view->data + y * view->stride);
        for (int64_t x = 0; x < view->width; x++) {
            double u = ((double)x + 0.5 - (double)view->width / 2) / (double)view->width * 1.3;
            double v = ((double)y + 0.5 - (double)view->height / 2) / (double)view->width * 1.3;
            row[x] = (uint16_t)(65535 * clamp01(depth_at(u, v) / 10) + 0.5);
        }
    }
}

/* --------------------------------------------------------------------- main */

static const struct sample {
    const char *name;
    int64_t width, height;
    int32_t channels;
    satf_type type;
    void (*draw)(const satf_view *view);
} samples[] = {
    {"scene.png", 600, 400, 3, SATF_U8, draw_scene},
    {"page.png", 640, 560, 1, SATF_U8, draw_page},
    {"depth.png", 480, 360, 1, SATF_U16, draw_depth},
};

static satf_status make(satf_context *ctx, const struct sample *sample, const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, sample->name);
    satf_image *image = NULL;
    satf_status status = satf_image_create(ctx, sample->width, sample->height, sample->channels,
                                           sample->type, 0, &image);
    if (!status) {
        sample->draw(satf_image_view(image));
        satf_write_options options = satf_write_defaults();
        options.png_level = 9;
        status = satf_image_write(ctx, image, path, &options);
    }
    if (status) {
        fprintf(stderr, "%s: %s\n", path, satf_message(ctx));
    }
    satf_image_destroy(image);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: generate FOLDER\n");
        return 2;
    }
    satf_context *ctx = NULL;
    satf_status status = satf_context_create(&ctx);
    for (size_t i = 0; !status && i < sizeof samples / sizeof *samples; i++) {
        status = make(ctx, &samples[i], argv[1]);
    }
    satf_context_destroy(ctx);
    return status ? 1 : 0;
}
