/* Collecting the values of a table, and printing them in columns. */
#include "bench.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/base/memory.h"

struct bench_report {
    const bench_table *table;
    const bench_column *columns; /* the table's */
    bool markdown, cuda, no_memory;
    FILE *to;
    const char *x_title;
    const char *y_title; /* NULL: time and ratio to the copy */
    bench_value *values; /* records * columns */
    size_t records, record_room, column_count;
    bench_point *points;
    size_t point_count, point_room;
};

struct bench_report *bench_report_create(const bench_table *table, bool markdown, bool cuda,
                                         FILE *to)
{
    struct bench_report *report = satf_alloc_zeroed(sizeof *report);
    if (report) {
        report->table = table;
        report->markdown = markdown;
        report->cuda = cuda;
        report->to = to;
        report->x_title = table->x_title;
        report->columns = cuda && table->cuda_columns[0].key ? table->cuda_columns : table->columns;
        while (report->column_count < BENCH_COLUMNS && report->columns[report->column_count].kind) {
            report->column_count++;
        }
    }
    return report;
}

void bench_report_destroy(struct bench_report *report)
{
    if (report) {
        free(report->values);
        free(report->points);
        satf_free(report);
    }
}

/* The array with room for one element more; NULL without memory, and the array stays. */
static void *report_grow(struct bench_report *report, void *array, size_t count, size_t *room,
                         size_t element_bytes)
{
    if (count < *room) {
        return array;
    }
    size_t bytes, more = *room ? 2 * *room : 16;
    void *bigger = satf_mul(more, element_bytes, &bytes) ? realloc(array, bytes) : NULL;
    *room = bigger ? more : *room;
    report->no_memory = report->no_memory || !bigger;
    return bigger;
}

static char report_kind_of(const bench_column *column)
{
    return (char)tolower((unsigned char)column->kind);
}

/* Decimals that show three digits or four where eight characters allow it. */
static void format_real(char *text, size_t bytes, double number)
{
    int decimals = number == 0     ? 0
                   : number < 0.1  ? 6
                   : number < 10   ? 3
                   : number < 100  ? 2
                   : number < 1000 ? 1
                                   : 0;
    snprintf(text, bytes, "%.*f", decimals, number);
}

static void print_cell(const struct bench_report *report, size_t index, const char *text)
{
    const bench_column *column = &report->columns[index];
    int width = column->width;
    int sign = report_kind_of(column) == 't' ? -1 : 1;
    fprintf(report->to, report->markdown ? "| %*s " : "%*s  ", sign * width, text);
}

static bool is_printed(const struct bench_report *report, size_t index)
{
    const bench_column *column = &report->columns[index];
    return column->title && (report->cuda || column->kind == report_kind_of(column));
}

static void end_line(const struct bench_report *report)
{
    fputs(report->markdown ? "|\n" : "\n", report->to);
}

static void print_header(const struct bench_report *report)
{
    const bench_column *columns = report->columns;
    for (size_t i = 0; i < report->column_count; i++) {
        if (is_printed(report, i)) {
            print_cell(report, i, columns[i].title);
        }
    }
    end_line(report);
    for (size_t i = 0; i < report->column_count && report->markdown; i++) {
        if (is_printed(report, i)) {
            fputs(report_kind_of(&columns[i]) == 't' ? "|---" : "|--:", report->to);
        }
    }
    if (report->markdown) {
        end_line(report);
    }
}

static void print_record(const struct bench_report *report, const bench_value *values)
{
    for (size_t i = 0; i < report->column_count; i++) {
        const bench_column *column = &report->columns[i];
        char text[128] = "-";
        if (!is_printed(report, i)) {
            continue;
        }
        if (report_kind_of(column) == 't') {
            snprintf(text, sizeof text, "%s", values[i].text ? values[i].text : "-");
        } else if (isnan(values[i].number)) {
            /* not there */
        } else if (report_kind_of(column) == 'i') {
            snprintf(text, sizeof text, "%.0f", values[i].number);
        } else {
            format_real(text, sizeof text, values[i].number);
        }
        print_cell(report, i, text);
    }
    end_line(report);
    fflush(report->to);
}

void bench_report_add(struct bench_report *report, const bench_value *values)
{
    size_t record_bytes = report->column_count * sizeof *values;
    void *array =
        report_grow(report, report->values, report->records, &report->record_room, record_bytes);
    if (!array) {
        return;
    }
    report->values = array;
    memcpy(report->values + report->records++ * report->column_count, values, record_bytes);
    if (report->to && report->records == 1) {
        print_header(report);
    }
    if (report->to) {
        print_record(report, values);
    }
}

void bench_report_point(struct bench_report *report, const char *line, double x, double ms,
                        double x_copy)
{
    void *array = report_grow(report, report->points, report->point_count, &report->point_room,
                              sizeof *report->points);
    if (array) {
        report->points = array;
        bench_point *point = &report->points[report->point_count++];
        *point = (bench_point){.x = x, .y = {ms, x_copy}};
        snprintf(point->line, sizeof point->line, "%s", line);
    }
}

void bench_report_value(struct bench_report *report, const char *line, double x, double y)
{
    report->y_title = report->table->y_title;
    bench_report_point(report, line, x, y, NAN);
}

void bench_report_axis(struct bench_report *report, const char *x_title)
{
    report->x_title = x_title;
}

int bench_report_end(const struct bench_report *report)
{
    return report->no_memory ? bench_error(1, "out of memory for the report")
           : report->records ? 0
                             : bench_error(1, "nothing could be measured");
}

void bench_report_plot(FILE *file, const struct bench_report *report, const char *title)
{
    const double ratios = 20; /* further apart they would lie on the axis, drawn linearly */
    bench_plot plot = {.title = title,
                       .x_title = report->x_title,
                       .panel = {{"time in ms", 0}, {"time / copy of the same bytes", ratios}}};
    if (report->y_title) {
        plot.panel[0] = (bench_panel){report->y_title, ratios};
        plot.panel[1].title = NULL;
    }
    bench_write_plot(file, &plot, report->points, report->point_count);
}

/* ------------------------------------------------------------------- JSON */

void bench_write_string(FILE *file, const char *text)
{
    if (!text) {
        fputs("null", file);
        return;
    }
    putc('"', file);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fprintf(file, "\\%c", c);
        } else if (c < 0x20) {
            fprintf(file, "\\u%04x", c);
        } else {
            putc(c, file);
        }
    }
    putc('"', file);
}

void bench_write_member(FILE *file, const char *indent, const char *key, const char *text,
                        const char *end)
{
    fprintf(file, "%s\"%s\": ", indent, key);
    bench_write_string(file, text);
    fputs(end, file);
}

static void write_record(FILE *file, const struct bench_report *report, size_t record)
{
    const bench_value *values = report->values + record * report->column_count;
    fputs("    {", file);
    bench_write_member(file, "", "table", report->table->name, "");
    for (size_t i = 0; i < report->column_count; i++) {
        const bench_column *column = &report->columns[i];
        bool text = report_kind_of(column) == 't';
        if (!column->key || (text ? !values[i].text : isnan(values[i].number))) {
            continue;
        }
        fprintf(file, ", \"%s\": ", column->key);
        if (text) {
            bench_write_string(file, values[i].text);
        } else {
            fprintf(file, report_kind_of(column) == 'i' ? "%.0f" : "%.6g", values[i].number);
        }
    }
    putc('}', file);
}

void bench_report_write(FILE *file, const struct bench_report *report)
{
    for (size_t i = 0; i < report->records; i++) {
        fputs(i ? ",\n" : "\n", file);
        write_record(file, report, i);
    }
    fputs(report->records ? "\n  ]" : "]", file);
}
