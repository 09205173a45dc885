/* `satbench paper --plot`: curves of a table, the paper's and ours. */
#include <math.h>
#include <stdlib.h>

#include "paper.h"

enum { MOST_POINTS = PAPER_MOST_ROWS * PAPER_LINES * PAPER_MOST_COLUMNS };

typedef struct curves {
    bench_plot plot;
    bench_point points[MOST_POINTS];
    size_t count;
    char meaning[BENCH_DASHES][512]; /* of the plot's dashes */
} curves;

/* The dash of a line of cells; negative: it is not drawn. */
static int dash_of(int line, const bench_options *options)
{
    return line == PAPER_BY_COUNT || line == PAPER_HERE ? 0
           : line == PAPER_PRINTED                      ? 1
           : line == PAPER_RECORD                       ? (options->record_only ? 0 : 2)
           : line == PAPER_THERE                        ? 3
                                                        : -1;
}

/* Says whose the line of cells is, by the word that the table has for it. */
static void say_meaning(curves *c, const paper_found *found, int line, const bench_options *options)
{
    int dash = dash_of(line, options);
    char name[256] = "";
    for (int i = 0; i < PAPER_RUNS && !*name; i++) {
        const char *json = line == PAPER_RECORD ? found->record[i] : found->here[i];
        if (json) {
            paper_header(json, "name", name, sizeof name);
        }
    }
    const char *whose = line == PAPER_PRINTED ? found->table->machine
                        : line == PAPER_THERE ? options->against
                                              : name;
    snprintf(c->meaning[dash], sizeof c->meaning[dash], "%s: %s", paper_line_names[line], whose);
    c->plot.dash[dash] = c->meaning[dash];
}

static void add_line(curves *c, const paper_found *found, int row, int line, int panel,
                     const bench_options *options)
{
    const paper_table *table = found->table;
    int dash = dash_of(line, options);
    size_t before = c->count;
    for (int column = 0; column < table->column_count && dash >= 0; column++) {
        const char *text = found->cells[row][line][column];
        char *end;
        double y = strtod(text, &end);
        if (end > text && !*end && y > 0) {
            bench_point *p = &c->points[c->count++];
            *p = (bench_point){
                .dash = dash, .x = strtod(table->columns[column].value, NULL), .y = {NAN, NAN}};
            p->y[panel] = y;
            snprintf(p->line, sizeof p->line, "%s", table->rows[row].label);
        }
    }
    if (c->count > before) {
        say_meaning(c, found, line, options);
    }
}

void paper_plot(FILE *file, const paper_found *found, const bench_options *options)
{
    static curves c;
    const paper_table *table = found->table;
    char title[256];
    int rows[PAPER_MOST_ROWS];
    snprintf(title, sizeof title, "%s  %s", table->name, table->title);
    c = (curves){.plot = {.title = title, .x_title = table->plot}};
    for (int panel = 0; panel < BENCH_PANELS && table->curves[panel].title; panel++) {
        c.plot.panel[panel] = (bench_panel){table->curves[panel].title, 20};
        int count = paper_find(table, false, table->curves[panel].rows, rows);
        for (int i = 0; i < count; i++) {
            for (int line = 0; line < PAPER_LINES; line++) {
                if (found->has[rows[i]][line]) {
                    add_line(&c, found, rows[i], line, panel, options);
                }
            }
        }
    }
    bench_write_plot(file, &c.plot, c.points, c.count);
}
