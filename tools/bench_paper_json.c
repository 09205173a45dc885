/* Tables of the papers as JSON. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_paper.h"

static void member(const char *key, const char *text, const char *end)
{
    printf("\"%s\": ", key);
    if (text) {
        bench_write_string(stdout, text);
    } else {
        fputs("null", stdout);
    }
    fputs(end, stdout);
}

/* A number if that is what the text is; null for none. */
static void value(const char *text)
{
    char *end;
    strtod(text, &end);
    if (!*text || strcmp(text, "-") == 0) {
        fputs("null", stdout);
    } else if (isdigit((unsigned char)*text) && end > text && !*end) {
        fputs(text, stdout);
    } else {
        bench_write_string(stdout, text);
    }
}

static void write_columns(const paper_found *found)
{
    fputs("     \"columns\": [", stdout);
    for (int column = 0; column < found->columns; column++) {
        fputs(column ? ", {" : "{", stdout);
        member("group", found->table->columns[column].group, ", ");
        member("title", found->table->columns[column].title, "}");
    }
    puts("],");
}

static void write_rows(const paper_found *found)
{
    fputs("     \"rows\": [", stdout);
    for (int row = 0; row < found->rows; row++) {
        fputs(row ? ",\n      {" : "\n      {", stdout);
        member("label", found->table->rows[row].label, "");
        for (int line = 0; line < PAPER_LINES; line++) {
            if (!found->has[row][line]) {
                continue;
            }
            printf(",\n       \"%s\": [", paper_line_names[line]);
            for (int column = 0; column < found->columns; column++) {
                fputs(column ? ", " : "", stdout);
                value(found->cells[row][line][column]);
            }
            putchar(']');
        }
        putchar('}');
    }
    puts("],");
}

/* Of each run, or each record, what its JSON says of itself. */
static void write_origins(const paper_found *found, bool records)
{
    const char *separator = "";
    printf("     \"%s\": [", records ? "records" : "runs");
    for (int i = 0; i < PAPER_RUNS; i++) {
        static const char *const keys[] = {"command", "date", "name"};
        const char *json = records ? found->record[i] : found->here[i];
        if (!json) {
            continue;
        }
        bool counted = found->table->runs[i]->way == PAPER_COUNTED;
        printf("%s\n      {", separator);
        if (records) {
            printf("\"file\": \"results/h200/%s.json\", ", found->table->runs[i]->record);
        } else {
            member("of", paper_line_names[counted ? PAPER_BY_COUNT : PAPER_HERE], ", ");
        }
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            char text[512];
            bool last = k + 1 == sizeof keys / sizeof *keys;
            paper_header(json, keys[k], text, sizeof text);
            member(last ? "device" : keys[k], text, last ? "}" : ", ");
        }
        separator = ",";
    }
    puts(records ? "]," : "],");
}

void paper_json_begin(void)
{
    fputs("{\n  ", stdout);
    member("program", "satbench paper", ",\n  ");
    member("version", satf_version(), ",\n  \"tables\": [");
}

void paper_json_table(const paper_found *found, int number)
{
    const paper_table *table = found->table;
    fputs(number ? ",\n    {" : "\n    {", stdout);
    member("name", table->name, ",\n     ");
    member("source", table->source->text, ",\n     ");
    member("title", table->title, ",\n     ");
    member("unit", table->unit, ",\n     ");
    member("machine", table->machine, ",\n");
    write_columns(found);
    write_rows(found);
    write_origins(found, false);
    write_origins(found, true);
    fputs("     ", stdout);
    member("note", table->note, "}");
}

void paper_json_end(void)
{
    puts("\n  ]\n}");
}
