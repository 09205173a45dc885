/* A table of the papers as text, in Markdown and as JSON: for each row a line of the paper's
 * figures, of what was counted and measured here, and of what is recorded. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"
#include "../../columns.h"
#include "../../commit.h"

/* --------------------------------------------------------------------- text */

/* The widths of columns, which are two blanks apart; all 0 in Markdown. */
typedef struct widths {
    int label, line, column[PAPER_MOST_COLUMNS];
} widths;

static const char *cell_text(const paper_found *found, int row, int line, int column)
{
    const char *text = found->cells[row][line][column];
    return *text ? text : "-";
}

static int wider(int width, const char *text)
{
    int length = (int)strlen(text);
    return length > width ? length : width;
}

/* The columns from `first` on that have its group: where they end, and their width. */
static int group_end(const paper_table *table, const widths *w, int first, int *width)
{
    const paper_column *c = table->columns;
    int end = first;
    *width = -2;
    do {
        *width += w->column[end++] + 2;
    } while (end < table->column_count && c[first].group && c[end].group &&
             strcmp(c[end].group, c[first].group) == 0);
    return end;
}

static widths find_widths(const paper_found *found)
{
    const paper_table *table = found->table;
    widths w = {.label = wider(0, table->corner), .line = 7};
    for (int column = 0; column < table->column_count; column++) {
        w.column[column] = wider(0, table->columns[column].title);
    }
    for (int row = 0; row < table->row_count; row++) {
        w.label = wider(w.label, table->rows[row].label);
        for (int at = 0; at < PAPER_LINES * table->column_count; at++) {
            int line = at % PAPER_LINES, column = at / PAPER_LINES;
            const char *text = found->has[row][line] ? cell_text(found, row, line, column) : "";
            w.column[column] = wider(w.column[column], text);
        }
    }
    for (int first = 0, end, room; first < table->column_count; first = end) {
        const char *group = table->columns[first].group;
        end = group_end(table, &w, first, &room);
        w.column[first] += group ? wider(room, group) - room : 0;
    }
    return w;
}

static void paper_print_head(const paper_table *table, const widths *w)
{
    bool grouped = false;
    printf("%s  %s (%s)\n%s\n\n", table->name, table->title, table->unit, table->source->text);
    for (int column = 0; column < table->column_count; column++) {
        grouped = grouped || table->columns[column].group;
    }
    for (int first = 0, end, room; grouped && first < table->column_count; first = end) {
        const char *group = table->columns[first].group;
        end = group_end(table, w, first, &room);
        printf("%*s  %*s", first ? 0 : w->label + 2 + w->line, "", room, group ? group : "");
    }
    printf("%s%-*s  %-*s", grouped ? "\n" : "", w->label, table->corner, w->line, "");
    for (int column = 0; column < table->column_count; column++) {
        printf("  %*s", w->column[column], table->columns[column].title);
    }
    puts("");
}

static void print_markdown_head(const paper_table *table)
{
    printf("### %s: %s (%s)\n\n%s\n\n| %s | |", table->name, table->title, table->unit,
           table->source->text, table->corner);
    for (int column = 0; column < table->column_count; column++) {
        const paper_column *c = &table->columns[column];
        printf(" %s%s%s |", c->group ? c->group : "", c->group ? ": " : "", c->title);
    }
    fputs("\n|---|---|", stdout);
    for (int column = 0; column < table->column_count; column++) {
        fputs("--:|", stdout);
    }
    puts("");
}

static void print_rows(const paper_found *found, const widths *w, bool markdown)
{
    for (int row = 0; row < found->table->row_count; row++) {
        const char *label = found->table->rows[row].label;
        for (int line = 0; line < PAPER_LINES; line++) {
            if (!found->has[row][line]) {
                continue;
            }
            printf(markdown ? "| %-*s | %-*s |" : "%-*s  %-*s", w->label, label, w->line,
                   paper_line_names[line]);
            for (int column = 0; column < found->table->column_count; column++) {
                printf(markdown ? " %*s |" : "  %*s", w->column[column],
                       cell_text(found, row, line, column));
            }
            puts("");
            label = "";
        }
    }
    puts("");
}

/* ------------------------------------------------------------ whence it comes */

/* A line that says where the cells of a kind come from. */
static void print_origin(const char *name, const char *what, const char *more, bool markdown)
{
    printf(markdown ? "- %s: %s%s\n" : "%s: %s%s\n", name, what, more);
}

static void print_runs(const paper_found *found, bool markdown)
{
    char command[256], device[256], more[512];
    for (int i = 0; i < PAPER_RUNS; i++) {
        if (!found->here[i]) {
            continue;
        }
        bool counted = found->table->runs[i]->way == PAPER_COUNTED;
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
    bool shown = false;
    for (int row = 0; row < found->table->row_count; row++) {
        shown = shown || found->has[row][PAPER_RECORD];
    }
    for (int i = 0; i < PAPER_RUNS && shown; i++) {
        if (found->record[i]) {
            paper_header(found->record[i], "name", device, sizeof device);
            paper_header(found->record[i], "date", date, sizeof date);
            snprintf(more, sizeof more, ", measured %.10s, results/h200/%s.json", date,
                     found->table->runs[i]->record);
            print_origin(paper_line_names[PAPER_RECORD], device, more, markdown);
        }
    }
}

static void print_origins(const paper_found *found, const bench_options *options)
{
    const paper_table *table = found->table;
    bool markdown = options->markdown;
    bool wants_device = false, cut_short = false;
    char more[64];
    for (int i = 0; i < PAPER_RUNS && table->runs[i]; i++) {
        wants_device = wants_device || table->runs[i]->way == PAPER_ON_CUDA;
        cut_short = cut_short || (found->here[i] && *table->runs[i]->quick && !options->full);
    }
    if (table->machine) {
        print_origin(paper_line_names[PAPER_PRINTED], table->machine, "", markdown);
    }
    print_runs(found, markdown);
    print_records(found, markdown);
    if (options->against) {
        print_origin(paper_line_names[PAPER_THERE], options->against, "", markdown);
    }
    if (wants_device && (options->record_only || options->device == SATF_HOST)) {
        print_origin("not measured here",
                     options->record_only ? "all of it, as --record asks"
                                          : "what takes a CUDA device",
                     "", markdown);
    }
    if (cut_short) {
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

void paper_print(const paper_found *found, const bench_options *options)
{
    widths w = {0};
    if (options->markdown) {
        print_markdown_head(found->table);
    } else {
        w = find_widths(found);
        paper_print_head(found->table, &w);
    }
    print_rows(found, &w, options->markdown);
    print_origins(found, options);
}

/* --------------------------------------------------------------------- JSON */

static void paper_member(const char *key, const char *text, const char *end)
{
    bench_write_member(stdout, "", key, text, end);
}

/* A number if that is what the text is; null for none. */
static void value(const char *text)
{
    char *end;
    strtod(text, &end);
    if (isdigit((unsigned char)*text) && !*end) {
        fputs(text, stdout);
    } else {
        bench_write_string(stdout, *text ? text : NULL);
    }
}

static void write_rows(const paper_found *found)
{
    const paper_table *table = found->table;
    fputs("     \"rows\": [", stdout);
    for (int row = 0; row < table->row_count; row++) {
        fputs(row ? ",\n      {" : "\n      {", stdout);
        paper_member("label", table->rows[row].label, "");
        for (int line = 0; line < PAPER_LINES; line++) {
            if (!found->has[row][line]) {
                continue;
            }
            printf(",\n       \"%s\": [", paper_line_names[line]);
            for (int column = 0; column < table->column_count; column++) {
                fputs(column ? ", " : "", stdout);
                value(found->cells[row][line][column]);
            }
            putchar(']');
        }
        putchar('}');
    }
    puts("],");
}

/* Writes what the JSON of each run, or of each record, says of itself. */
static void write_origins(const paper_found *found, bool records)
{
    static const struct {
        const char *key, *as;
        bool number;
    } keys[] = {{"command", "command", false},
                {"date", "date", false},
                {"commit", "commit", false},
                {"driver", "driver", false},
                {"runtime", "runtime", false},
                {"clock_khz", "clock_khz", true},
                {"bytes_per_second", "bytes_per_second", true},
                {"name", "device", false}};
    enum { KEYS = sizeof keys / sizeof *keys };
    const char *separator = "";
    printf("     \"%s\": [", records ? "records" : "runs");
    for (int i = 0; i < PAPER_RUNS; i++) {
        const char *json = records ? found->record[i] : found->here[i];
        const paper_run *run = found->table->runs[i];
        if (!json) {
            continue;
        }
        printf("%s\n      {", separator);
        if (records) {
            printf("\"file\": \"results/h200/%s.json\"", run->record);
        } else {
            int line = run->way == PAPER_COUNTED ? PAPER_BY_COUNT : PAPER_HERE;
            paper_member("of", paper_line_names[line], "");
        }
        for (int k = 0; k < KEYS; k++) {
            char text[512];
            paper_header(json, keys[k].key, text, sizeof text);
            if (*text && keys[k].number) {
                printf(", \"%s\": %s", keys[k].as, text);
            } else if (*text) {
                fputs(", ", stdout);
                paper_member(keys[k].as, text, "");
            }
        }
        putchar('}');
        separator = ",";
    }
    puts("],");
}

void paper_json_begin(void)
{
    fputs("{\n  ", stdout);
    paper_member("program", "satbench paper", ",\n  ");
    paper_member("version", satf_version(), ",\n  ");
    paper_member("commit", tools_commit, ",\n  \"tables\": [");
}

void paper_json_table(const paper_found *found, int number)
{
    const paper_table *table = found->table;
    fputs(number ? ",\n    {" : "\n    {", stdout);
    paper_member("name", table->name, ",\n     ");
    paper_member("source", table->source->text, ",\n     ");
    paper_member("title", table->title, ",\n     ");
    paper_member("unit", table->unit, ",\n     ");
    paper_member("machine", table->machine, ",\n     \"columns\": [");
    for (int column = 0; column < table->column_count; column++) {
        fputs(column ? ", {" : "{", stdout);
        paper_member("group", table->columns[column].group, ", ");
        paper_member("title", table->columns[column].title, "}");
    }
    puts("],");
    write_rows(found);
    write_origins(found, false);
    write_origins(found, true);
    fputs("     ", stdout);
    paper_member("note", table->note, "}");
}

void paper_json_end(const bench_options *options)
{
    fputs("\n  ]", stdout);
    if (options->check) {
        paper_claims_json();
    }
    puts("\n}");
}
