/* A table of the papers as text and in Markdown: for each row a line of the paper's figures, of
 * what was counted and measured here, and of what is recorded. */
#include <string.h>

#include "../src/satfilter.h"
#include "bench.h"
#include "bench_paper.h"
#include "columns.h"

static const char *cell_text(const paper_found *found, int row, int line, int column)
{
    const char *text = found->cells[row][line][column];
    return *text ? text : "-";
}

/* ------------------------------------------------------------------- widths */

typedef struct widths {
    int label, line, column[PAPER_MOST_COLUMNS];
} widths;

static int wider(int width, const char *text)
{
    int length = (int)strlen(text);
    return length > width ? length : width;
}

/* The columns from `first` on that have the group of that one. */
static int group_end(const paper_found *found, int first)
{
    const paper_column *columns = found->table->columns;
    int end = first + 1;
    while (columns[first].group && end < found->columns && columns[end].group &&
           strcmp(columns[end].group, columns[first].group) == 0) {
        end++;
    }
    return end;
}

/* Columns are two blanks apart. */
static int group_width(const widths *w, int first, int end)
{
    int width = 2 * (end - first - 1);
    for (int column = first; column < end; column++) {
        width += w->column[column];
    }
    return width;
}

static widths find_widths(const paper_found *found)
{
    widths w = {.label = wider(0, found->table->corner), .line = 7};
    for (int row = 0; row < found->rows; row++) {
        w.label = wider(w.label, found->table->rows[row].label);
    }
    for (int column = 0; column < found->columns; column++) {
        w.column[column] = wider(0, found->table->columns[column].title);
        for (int row = 0; row < found->rows; row++) {
            for (int line = 0; line < PAPER_LINES; line++) {
                const char *text = found->has[row][line] ? cell_text(found, row, line, column) : "";
                w.column[column] = wider(w.column[column], text);
            }
        }
    }
    for (int first = 0; first < found->columns; first = group_end(found, first)) {
        const char *group = found->table->columns[first].group;
        int room = group_width(&w, first, group_end(found, first));
        w.column[first] += group && (int)strlen(group) > room ? (int)strlen(group) - room : 0;
    }
    return w;
}

/* --------------------------------------------------------------------- text */

static void print_groups(const paper_found *found, const widths *w)
{
    bool any = false;
    for (int column = 0; column < found->columns; column++) {
        any = any || found->table->columns[column].group;
    }
    if (!any) {
        return;
    }
    printf("%*s", w->label + 2 + w->line, "");
    for (int first = 0; first < found->columns; first = group_end(found, first)) {
        const char *group = found->table->columns[first].group;
        int room = group_width(w, first, group_end(found, first));
        printf("  %*s", room, group ? group : "");
    }
    puts("");
}

static void print_rows(const paper_found *found, const widths *w)
{
    const paper_table *table = found->table;
    for (int row = 0; row < found->rows; row++) {
        const char *label = table->rows[row].label;
        for (int line = 0; line < PAPER_LINES; line++) {
            if (!found->has[row][line]) {
                continue;
            }
            printf("%-*s  %-*s", w->label, label, w->line, paper_line_names[line]);
            for (int column = 0; column < found->columns; column++) {
                printf("  %*s", w->column[column], cell_text(found, row, line, column));
            }
            puts("");
            label = "";
        }
    }
}

/* ------------------------------------------------------------ whence it comes */

static bool has_line(const paper_found *found, int line)
{
    for (int row = 0; row < found->rows; row++) {
        if (found->has[row][line]) {
            return true;
        }
    }
    return false;
}

/* A line that says where the cells of a kind come from. */
static void print_origin(const char *name, const char *what, const char *more, bool markdown)
{
    printf(markdown ? "- %s: %s%s\n" : "%s: %s%s\n", name, what, more);
}

static void print_runs(const paper_found *found, bool markdown)
{
    const paper_table *table = found->table;
    char command[256], device[256], more[512];
    for (int i = 0; i < PAPER_RUNS; i++) {
        if (!found->here[i]) {
            continue;
        }
        bool counted = table->runs[i]->way == PAPER_COUNTED;
        paper_header(found->here[i], "command", command, sizeof command);
        paper_header(found->here[i], "name", device, sizeof device);
        snprintf(more, sizeof more, "%s%s", counted ? "" : ", ", command);
        print_origin(paper_line_names[counted ? PAPER_BY_COUNT : PAPER_HERE], counted ? "" : device,
                     more, markdown);
    }
}

static void print_records(const paper_found *found, bool markdown)
{
    char device[256], date[64], more[512];
    for (int i = 0; i < PAPER_RUNS && has_line(found, PAPER_RECORD); i++) {
        if (!found->record[i]) {
            continue;
        }
        paper_header(found->record[i], "name", device, sizeof device);
        paper_header(found->record[i], "date", date, sizeof date);
        snprintf(more, sizeof more, ", measured %.10s, results/h200/%s.json", date,
                 found->table->runs[i]->record);
        print_origin(paper_line_names[PAPER_RECORD], device, more, markdown);
    }
}

static bool is_cut_short(const paper_found *found, const paper_options *options)
{
    bool cut = false;
    for (int i = 0; i < PAPER_RUNS; i++) {
        cut = cut || (found->here[i] && found->table->runs[i]->quick && !options->full);
    }
    return cut;
}

static bool wants_device(const paper_table *table)
{
    bool wants = false;
    for (int i = 0; i < PAPER_RUNS && table->runs[i]; i++) {
        wants = wants || table->runs[i]->way == PAPER_ON_CUDA;
    }
    return wants;
}

static void print_origins(const paper_found *found, const paper_options *options, bool markdown)
{
    const paper_table *table = found->table;
    if (table->machine) {
        print_origin(paper_line_names[PAPER_PRINTED], table->machine, "", markdown);
    }
    print_runs(found, markdown);
    print_records(found, markdown);
    if (wants_device(table) && (options->record_only || options->device == SATF_HOST)) {
        print_origin("not measured here",
                     options->record_only ? "all of it, as --record asks"
                                          : "what takes a CUDA device",
                     "", markdown);
    }
    if (is_cut_short(found, options)) {
        char more[64];
        snprintf(more, sizeof more, "satbench paper %s --full", table->name);
        print_origin("fewer sizes, samples or repeats than there are; all of them", more, "",
                     markdown);
    }
    if (table->note && markdown) {
        printf("\n%s\n", table->note);
    } else if (table->note) {
        print_wrapped(table->note, 0, 0);
    }
}

void paper_print_text(const paper_found *found, const paper_options *options)
{
    const paper_table *table = found->table;
    widths w = find_widths(found);
    printf("%s  %s (%s)\n%s\n\n", table->name, table->title, table->unit, table->source->text);
    print_groups(found, &w);
    printf("%-*s  %-*s", w.label, table->corner, w.line, "");
    for (int column = 0; column < found->columns; column++) {
        printf("  %*s", w.column[column], table->columns[column].title);
    }
    puts("");
    print_rows(found, &w);
    puts("");
    print_origins(found, options, false);
}

/* ----------------------------------------------------------------- Markdown */

void paper_print_markdown(const paper_found *found, const paper_options *options)
{
    const paper_table *table = found->table;
    printf("### %s: %s (%s)\n\n%s\n\n| %s | |", table->name, table->title, table->unit,
           table->source->text, table->corner);
    for (int column = 0; column < found->columns; column++) {
        const paper_column *c = &table->columns[column];
        printf(" %s%s%s |", c->group ? c->group : "", c->group ? ": " : "", c->title);
    }
    fputs("\n|---|---|", stdout);
    for (int column = 0; column < found->columns; column++) {
        fputs("--:|", stdout);
    }
    for (int row = 0; row < found->rows; row++) {
        const char *label = table->rows[row].label;
        for (int line = 0; line < PAPER_LINES; line++) {
            if (!found->has[row][line]) {
                continue;
            }
            printf("\n| %s | %s |", label, paper_line_names[line]);
            for (int column = 0; column < found->columns; column++) {
                printf(" %s |", cell_text(found, row, line, column));
            }
            label = "";
        }
    }
    puts("\n");
    print_origins(found, options, true);
}
