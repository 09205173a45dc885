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
#define MOST_LINEAR 20 /* ratios further apart than this would lie on the axis, drawn linearly */

/* Eight colours that colour-blind readers can tell apart; then dashes. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000", "#999933"};
static const char *const dashes[] = {"", "7 3", "2 3", "9 3 2 3"};

enum { COLOURS = sizeof colours / sizeof *colours, DASHES = sizeof dashes / sizeof *dashes };

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

static double plot_value_of(const bench_point *p, bool ratio)
{
    return ratio ? p->x_copy : p->ms;
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
    fprintf(file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n",
            x1, y1, x2, y2);
}

/* The index of the point's line among the lines in order of appearance. */
static size_t plot_line_of(const bench_point *points, size_t point)
{
    size_t line = 0;
    for (size_t i = 0; i <= point; i++) {
        bool first = true;
        for (size_t j = 0; j < i && first; j++) {
            first = strcmp(points[j].line, points[i].line) != 0;
        }
        if (strcmp(points[i].line, points[point].line) == 0) {
            return line;
        }
        line += first;
    }
    return line;
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

static void write_lines(FILE *file, const scale *x, const scale *y, bool ratio,
                        const bench_point *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t line = plot_line_of(points, i);
        const char *colour = colours[line % COLOURS];
        double at_x = plot_place(x, points[i].x),
               at_y = plot_place(y, plot_value_of(&points[i], ratio));
        fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", at_x, at_y,
                colour);
        for (size_t j = i + 1; j < count; j++) {
            if (strcmp(points[i].line, points[j].line) == 0) {
                fprintf(file,
                        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
                        "stroke-width=\"1.8\" stroke-dasharray=\"%s\"/>\n",
                        at_x, at_y, plot_place(x, points[j].x),
                        plot_place(y, plot_value_of(&points[j], ratio)), colour,
                        dashes[line / COLOURS % DASHES]);
                break;
            }
        }
    }
}

static void write_panel(FILE *file, int panel, const char *x_title, const char *y_title,
                        const bench_point *points, size_t count)
{
    bool ratio = panel == 1;
    int width = y_title ? 2 * PANEL_WIDTH + PANEL_GAP : PANEL_WIDTH; /* alone: of both */
    double left = PANEL_LEFT + panel * (PANEL_WIDTH + PANEL_GAP);
    double bottom = PANEL_TOP + PANEL_HEIGHT;
    scale x = {true, INFINITY, 0, left, left + width};
    scale y = {true, INFINITY, 0, bottom, PANEL_TOP};
    for (size_t i = 0; i < count; i++) {
        double value = plot_value_of(&points[i], ratio);
        x.lo = fmin(x.lo, points[i].x);
        x.hi = fmax(x.hi, points[i].x);
        y.lo = fmin(y.lo, value);
        y.hi = fmax(y.hi, value);
    }
    x.lo /= 1.12;
    x.hi *= 1.12;
    if ((ratio || y_title) && y.hi < MOST_LINEAR * y.lo) {
        y.logarithmic = false;
        y.lo = 0;
        y.hi *= 1.08;
    } else {
        y.lo /= 1.5;
        y.hi *= 1.5;
    }
    plot_write_text(file, left, PANEL_TOP - 12, "font-weight=\"bold\"",
                    y_title ? y_title
                    : ratio ? "time / copy of the same bytes"
                            : "time in ms");
    write_x_axis(file, &x, PANEL_TOP, bottom, points, count);
    write_y_axis(file, &x, &y);
    fprintf(file,
            "<rect x=\"%.1f\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
            "stroke=\"#666666\"/>\n",
            left, PANEL_TOP, width, PANEL_HEIGHT);
    write_lines(file, &x, &y, ratio, points, count);
    plot_write_text(file, left + width / 2.0, bottom + 38, "text-anchor=\"middle\"", x_title);
}

static void write_legend(FILE *file, const bench_point *points, size_t count, double column_width)
{
    size_t shown = 0;
    for (size_t i = 0; i < count; i++) {
        size_t line = plot_line_of(points, i);
        if (line < shown) {
            continue;
        }
        shown++;
        double left = PANEL_LEFT + (double)(line % LEGEND_COLUMNS) * column_width;
        double y = LEGEND_TOP + (double)(line / LEGEND_COLUMNS) * LEGEND_STEP;
        fprintf(file,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
                "stroke-width=\"2.5\" stroke-dasharray=\"%s\"/>\n",
                left, y - 4, left + 24, y - 4, colours[line % COLOURS],
                dashes[line / COLOURS % DASHES]);
        plot_write_text(file, left + 31, y, "", points[i].line);
    }
}

void bench_write_plot(FILE *file, const char *title, const char *x_title, const char *y_title,
                      const bench_point *points, size_t count)
{
    size_t lines = 0;
    for (size_t i = 0; i < count; i++) {
        size_t line = plot_line_of(points, i);
        lines = line >= lines ? line + 1 : lines;
    }
    int width = PANEL_LEFT + 2 * PANEL_WIDTH + PANEL_GAP + 24;
    int height = LEGEND_TOP + (int)((lines + LEGEND_COLUMNS - 1) / LEGEND_COLUMNS) * LEGEND_STEP;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, height, width, height);
    plot_write_text(file, PANEL_LEFT, 24, "font-size=\"14\"", title);
    for (int panel = 0; panel < (y_title ? 1 : 2) && count > 0; panel++) {
        write_panel(file, panel, x_title, y_title, points, count);
    }
    write_legend(file, points, count, (width - PANEL_LEFT) / (double)LEGEND_COLUMNS);
    fputs("</svg>\n", file);
}
