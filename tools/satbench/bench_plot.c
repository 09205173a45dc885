/* Drawing plots as SVG. */
#include "bench.h"

#include <math.h>
#include <string.h>

#define PANEL_WIDTH 360
#define PANEL_HEIGHT 300
#define PANEL_TOP 56
#define PANEL_LEFT 64
#define PANEL_GAP 76
#define LEGEND_TOP (PANEL_TOP + PANEL_HEIGHT + 62)
#define LEGEND_STEP 20
#define LEGEND_COLUMNS 3

/* Seen on white and on black; colour-blind readers can tell the first eight apart. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73",      "#cc79a7", "#e69f00",
                                      "#56b4e9", "#999933", "currentColor", "#aa3377", "#997755"};
static const char *const dashes[BENCH_DASHES] = {"", "7 3", "2 3", "9 3 2 3"};

enum { COLOURS = sizeof colours / sizeof *colours };

typedef struct scale {
    bool logarithmic;
    double lo, hi;   /* values at the ends */
    double from, to; /* their places in the picture */
} scale;

static double plot_place(const scale *s, double value)
{
    double lo = s->logarithmic ? log(s->lo) : s->lo;
    double hi = s->logarithmic ? log(s->hi) : s->hi;
    double v = s->logarithmic ? log(value) : value;
    return s->from + (v - lo) / (hi - lo) * (s->to - s->from);
}

static void write_escaped(FILE *file, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '&':
            fputs("&amp;", file);
            break;
        default:
            putc(*text, file);
        }
    }
}

static void plot_write_text(FILE *file, double x, double y, const char *attributes,
                            const char *text)
{
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    write_escaped(file, text);
    fputs("</text>\n", file);
}

static void write_grid_line(FILE *file, double x1, double y1, double x2, double y2)
{
    fprintf(file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"grid\"/>\n", x1,
            y1, x2, y2);
}

/* Numbers the lines, by their names, in order of appearance; returns how many there are. */
static int number_lines(bench_point *points, size_t count)
{
    int lines = 0;
    for (size_t i = 0; i < count; i++) {
        size_t first = 0;
        while (strcmp(points[first].line, points[i].line) != 0) {
            first++;
        }
        points[i].number = first < i ? points[first].number : lines++;
    }
    return lines;
}

static const char *colour_of(const bench_point *p)
{
    return colours[p->number % COLOURS];
}

static const char *dash_of(const bench_point *p)
{
    return dashes[(p->number / COLOURS + p->dash) % BENCH_DASHES];
}

/* Ticks at the x that were measured, unless they come too close. */
static void write_x_axis(FILE *file, const scale *x, double top, double bottom,
                         const bench_point *points, size_t count)
{
    double last = -1e9;
    double tick = 0;
    for (;;) {
        double next = INFINITY;
        for (size_t i = 0; i < count; i++) {
            if (points[i].x > tick && points[i].x < next) {
                next = points[i].x;
            }
        }
        if (isinf(next)) {
            return;
        }
        tick = next;
        double at = plot_place(x, tick);
        if (at - last < 26) {
            continue;
        }
        last = at;
        char text[32];
        bool kilo = tick >= 1024 && fmod(tick, 1024) == 0;
        snprintf(text, sizeof text, kilo ? "%.0fK" : "%.0f", kilo ? tick / 1024 : tick);
        write_grid_line(file, at, top, at, bottom);
        plot_write_text(file, at, bottom + 18, "text-anchor=\"middle\"", text);
    }
}

static void write_y_tick(FILE *file, const scale *x, const scale *y, double value)
{
    char text[32];
    double at = plot_place(y, value);
    snprintf(text, sizeof text, "%g", value);
    write_grid_line(file, x->from, at, x->to, at);
    plot_write_text(file, x->from - 7, at + 4, "text-anchor=\"end\"", text);
}

/* A round step that divides 0 ... hi into four to eight parts. */
static double round_step(double hi)
{
    double power = pow(10, floor(log10(hi)));
    double parts = hi / power;
    return power * (parts < 1.6 ? 0.2 : parts < 4 ? 0.5 : 1);
}

static void write_y_axis(FILE *file, const scale *x, const scale *y)
{
    if (!y->logarithmic) {
        double step = round_step(y->hi);
        for (int i = 0; i * step <= y->hi * 1.0001; i++) {
            write_y_tick(file, x, y, i * step);
        }
        return;
    }
    bool dense = y->hi / y->lo < 100; /* 1 2 5 10 ... or only powers of ten */
    for (double decade = pow(10, floor(log10(y->lo))); decade <= y->hi; decade *= 10) {
        static const double steps[] = {1, 2, 5};
        for (int i = 0; i < (dense ? 3 : 1); i++) {
            double value = decade * steps[i];
            if (value >= y->lo * 0.999 && value <= y->hi * 1.001) {
                write_y_tick(file, x, y, value);
            }
        }
    }
}

/* The next point of the same line in that panel; count if it is the last. */
static size_t next_of_line(const bench_point *points, size_t count, size_t i, int panel)
{
    size_t j = i + 1;
    while (j < count && (points[j].number != points[i].number || points[j].dash != points[i].dash ||
                         isnan(points[j].y[panel]))) {
        j++;
    }
    return j;
}

static void write_lines(FILE *file, const scale *x, const scale *y, int panel,
                        const bench_point *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const bench_point *p = &points[i];
        if (isnan(p->y[panel])) {
            continue;
        }
        double at_x = plot_place(x, p->x), at_y = plot_place(y, p->y[panel]);
        fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" fill=\"%s\"/>\n", at_x, at_y,
                p->dash ? "2" : "3", colour_of(p));
        size_t next = next_of_line(points, count, i, panel);
        if (next < count) {
            fprintf(file,
                    "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
                    "stroke-width=\"1.8\" stroke-dasharray=\"%s\"/>\n",
                    at_x, at_y, plot_place(x, points[next].x), plot_place(y, points[next].y[panel]),
                    colour_of(p), dash_of(p));
        }
    }
}

/* What the panel's axes have to reach, with some room. */
static void find_scales(const bench_panel *panel, int index, const bench_point *points,
                        size_t count, scale *x, scale *y)
{
    for (size_t i = 0; i < count; i++) {
        double value = points[i].y[index];
        x->lo = fmin(x->lo, points[i].x);
        x->hi = fmax(x->hi, points[i].x);
        y->lo = isnan(value) ? y->lo : fmin(y->lo, value);
        y->hi = isnan(value) ? y->hi : fmax(y->hi, value);
    }
    x->lo /= 1.12;
    x->hi *= 1.12;
    y->logarithmic = y->hi >= panel->linear * y->lo;
    y->lo = y->logarithmic ? y->lo / 1.5 : 0;
    y->hi *= y->logarithmic ? 1.5 : 1.08;
}

static void write_panel(FILE *file, const bench_plot *plot, int index, const bench_point *points,
                        size_t count)
{
    bool alone = !plot->panel[1].title; /* as wide as two */
    int width = alone ? 2 * PANEL_WIDTH + PANEL_GAP : PANEL_WIDTH;
    double left = PANEL_LEFT + index * (PANEL_WIDTH + PANEL_GAP);
    double bottom = PANEL_TOP + PANEL_HEIGHT;
    scale x = {true, INFINITY, 0, left, left + width};
    scale y = {true, INFINITY, 0, bottom, PANEL_TOP};
    find_scales(&plot->panel[index], index, points, count, &x, &y);
    plot_write_text(file, left, PANEL_TOP - 12, "font-weight=\"bold\"", plot->panel[index].title);
    write_x_axis(file, &x, PANEL_TOP, bottom, points, count);
    write_y_axis(file, &x, &y);
    fprintf(
        file,
        "<rect x=\"%.1f\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" class=\"frame\"/>\n",
        left, PANEL_TOP, width, PANEL_HEIGHT);
    write_lines(file, &x, &y, index, points, count);
    plot_write_text(file, left + width / 2.0, bottom + 38, "text-anchor=\"middle\"", plot->x_title);
}

static void write_key(FILE *file, double left, double y, const char *colour, const char *dash,
                      const char *text)
{
    fprintf(file,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
            "stroke-width=\"2.5\" stroke-dasharray=\"%s\"/>\n",
            left, y - 4, left + 24, y - 4, colour, dash);
    plot_write_text(file, left + 31, y, "", text);
}

/* The lines' names, then what the dashes mean. */
static void write_legend(FILE *file, const bench_plot *plot, const bench_point *points,
                         size_t count, double column_width)
{
    int shown = 0, rows;
    for (size_t i = 0; i < count; i++) {
        int line = points[i].number;
        if (line == shown) {
            bench_point solid = points[i];
            solid.dash = 0;
            write_key(file, PANEL_LEFT + line % LEGEND_COLUMNS * column_width,
                      LEGEND_TOP + (double)(line / LEGEND_COLUMNS) * LEGEND_STEP, colour_of(&solid),
                      dash_of(&solid), solid.line);
            shown++;
        }
    }
    rows = (shown + LEGEND_COLUMNS - 1) / LEGEND_COLUMNS;
    for (int i = 0; i < BENCH_DASHES; i++) {
        if (plot->dash[i]) {
            write_key(file, PANEL_LEFT, LEGEND_TOP + (double)rows++ * LEGEND_STEP, "currentColor",
                      dashes[i], plot->dash[i]);
        }
    }
}

void bench_write_plot(FILE *file, const bench_plot *plot, bench_point *points, size_t count)
{
    int rows = (number_lines(points, count) + LEGEND_COLUMNS - 1) / LEGEND_COLUMNS;
    for (int i = 0; i < BENCH_DASHES; i++) {
        rows += plot->dash[i] != NULL;
    }
    int width = PANEL_LEFT + 2 * PANEL_WIDTH + PANEL_GAP + 24;
    int height = LEGEND_TOP + rows * LEGEND_STEP;
    fprintf(
        file,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
        "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\" fill=\"currentColor\">\n"
        "<style>svg{color:#222}.back{fill:#fff}.grid{stroke:#ddd}.frame{stroke:#666}\n"
        "@media (prefers-color-scheme:dark){svg{color:#ddd}.back{fill:#181818}"
        ".grid{stroke:#3a3a3a}.frame{stroke:#999}}</style>\n"
        "<rect width=\"100%%\" height=\"100%%\" class=\"back\"/>\n",
        width, height, width, height);
    plot_write_text(file, PANEL_LEFT, 24, "font-size=\"14\"", plot->title);
    for (int panel = 0; panel < BENCH_PANELS && plot->panel[panel].title && count > 0; panel++) {
        write_panel(file, plot, panel, points, count);
    }
    write_legend(file, plot, points, count, (width - PANEL_LEFT) / (double)LEGEND_COLUMNS);
    fputs("</svg>\n", file);
}
