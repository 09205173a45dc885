/* The knowledge of `satbench paper`: tools/satbench/paper/papers.txt and the records of
 * results/h200, of which the build makes strings; and a table's cell from satbench's JSON, in which
 * each record is a line. */
#include <assert.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"

#define LINE_NAME(NAME, name) name,
const char *const paper_line_names[PAPER_LINES] = {PAPER_LINE_LIST(LINE_NAME)};

static char papers[] =
#include "tools/satbench/paper/papers.def"
    ;

static const struct {
    const char *file, *json;
} records[] = {
#include "tools/satbench/paper/records.def"
};

enum { MOST_TABLES = 32, MOST_SOURCES = 8, MOST_CLAIMS = 64, WORD = 128 };

static paper_source sources[MOST_SOURCES];
static paper_run runs[PAPER_MOST_RUNS];
static paper_table tables[MOST_TABLES];
static paper_claim claims[MOST_CLAIMS];
static int source_count, run_count, table_count, claim_count;

/* -------------------------------------------------------------------- papers.txt */

static char *papers_trim(char *text)
{
    text += strspn(text, " ");
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ') {
        text[--length] = '\0';
    }
    return text;
}

/* Cuts off what stands before the next separator. */
static char *papers_cut(char **rest, char separator)
{
    char *part = *rest, *end = strchr(part, separator);
    *rest = end ? end + 1 : part + strlen(part);
    if (end) {
        *end = '\0';
    }
    return papers_trim(part);
}

static void take_run(char *rest)
{
    paper_run *r = &runs[run_count++];
    assert(run_count <= PAPER_MOST_RUNS);
    r->name = papers_cut(&rest, '|');
    const char *way = papers_cut(&rest, '|');
    r->way = strcmp(way, "cuda") == 0  ? PAPER_ON_CUDA
             : strcmp(way, "cpu") == 0 ? PAPER_ON_CPU
                                       : PAPER_COUNTED;
    r->command = papers_cut(&rest, '|');
    r->quick = papers_cut(&rest, '|');
    r->full = papers_cut(&rest, '|');
    r->record = papers_trim(rest);
}

static paper_cost take_cost(const char *text)
{
    paper_cost cost = {0};
    int count = sscanf(text, "%lf %lf %lf", &cost.seconds, &cost.gb, &cost.device_gb);
    assert(count >= 2);
    (void)count;
    return cost;
}

/* Of the last run. */
static void take_costs(char *rest)
{
    paper_run *r = &runs[run_count - 1];
    r->quick_cost = take_cost(papers_cut(&rest, '|'));
    r->full_cost = take_cost(rest);
}

static void take_runs(paper_table *t, char *rest)
{
    for (int i = 0; *rest; i++) {
        const char *name = papers_cut(&rest, ' ');
        assert(i < PAPER_RUNS);
        for (int k = 0; k < run_count; k++) {
            t->runs[i] = strcmp(runs[k].name, name) == 0 ? &runs[k] : t->runs[i];
        }
        assert(t->runs[i]);
    }
}

static void take_column(paper_table *t, char *rest)
{
    char *group = papers_cut(&rest, '|'), *titles = papers_cut(&rest, '|'),
         *where = papers_cut(&rest, '|');
    const char *cell = papers_trim(rest);
    while (*titles) {
        char *value = papers_cut(&titles, ','), *title = papers_cut(&value, '=');
        assert(t->column_count < PAPER_MOST_COLUMNS);
        t->columns[t->column_count++] =
            (paper_column){*group ? group : NULL, title, *value ? value : title, where, cell};
    }
}

static void take_columns(paper_table *t, const char *name)
{
    for (int i = 0; i < table_count; i++) {
        if (strcmp(tables[i].name, name) == 0) {
            memcpy(t->columns, tables[i].columns, sizeof t->columns);
            t->column_count = tables[i].column_count;
        }
    }
    assert(t->column_count > 0);
}

static void take_row(paper_table *t, char *rest)
{
    assert(t->row_count < PAPER_MOST_ROWS);
    paper_row *row = &t->rows[t->row_count++];
    row->label = papers_cut(&rest, '|');
    row->where = papers_cut(&rest, '|');
    row->printed = papers_trim(rest);
}

static void take_curves(paper_table *t, char *rest)
{
    int i = t->curves[0].title ? 1 : 0;
    assert(!t->curves[i].title);
    t->curves[i].title = papers_cut(&rest, '|');
    t->curves[i].rows = papers_trim(rest);
}

static void take_claim(const paper_table *t, char *rest)
{
    assert(claim_count < MOST_CLAIMS);
    paper_claim *claim = &claims[claim_count++];
    claim->table = t;
    claim->place = papers_cut(&rest, '|');
    claim->sentence = papers_cut(&rest, '|');
    claim->left = papers_cut(&rest, '|');
    claim->relation = papers_cut(&rest, '|');
    claim->right = papers_trim(rest);
}

/* A line of the table t. */
static void take_line(paper_table *t, const char *key, char *rest)
{
    const struct {
        const char *key, **text;
    } texts[] = {{"alias", &t->alias},     {"title", &t->title},   {"unit", &t->unit},
                 {"machine", &t->machine}, {"corner", &t->corner}, {"note", &t->note},
                 {"plot", &t->plot}};
    bool known = !*key;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(key, texts[i].key) == 0) {
            *texts[i].text = rest;
            known = true;
        }
    }
    if (strcmp(key, "runs") == 0) {
        take_runs(t, rest);
    } else if (strcmp(key, "column") == 0) {
        take_column(t, rest);
    } else if (strcmp(key, "columns") == 0) {
        take_columns(t, rest);
    } else if (strcmp(key, "row") == 0) {
        take_row(t, rest);
    } else if (strcmp(key, "cells") == 0) {
        t->rows[t->row_count - 1].cells = rest;
    } else if (strcmp(key, "curves") == 0) {
        take_curves(t, rest);
    } else if (strcmp(key, "claim") == 0) {
        take_claim(t, rest);
    } else if (strcmp(key, "known") == 0) {
        claims[claim_count - 1].known = rest;
    } else {
        assert(known);
    }
}

/* The next line and those that continue it, a blank between them; NULL behind the last. */
static char *next_line(char **at)
{
    char *line = *at, *to = line;
    for (char *from = line; *from; from++) {
        if (*from == '\n' && from[1] != ' ') {
            *at = from + 1;
            *to = '\0';
            return line;
        }
        char c = *from == '\n' ? ' ' : *from;
        if (c != ' ' || to == line || to[-1] != ' ') {
            *to++ = c;
        }
    }
    return NULL;
}

static void read_papers(void)
{
    char *at = papers, *line;
    while ((line = next_line(&at)) != NULL) {
        const char *key = papers_cut(&line, ' ');
        if (strcmp(key, "source") == 0) {
            assert(source_count < MOST_SOURCES);
            sources[source_count].short_name = papers_cut(&line, ' ');
            sources[source_count++].text = line;
        } else if (strcmp(key, "run") == 0) {
            take_run(line);
        } else if (strcmp(key, "takes") == 0) {
            take_costs(line);
        } else if (strcmp(key, "table") == 0) {
            assert(table_count < MOST_TABLES);
            tables[table_count++] =
                (paper_table){.name = line, .source = &sources[source_count - 1]};
        } else if (table_count > 0 && *key != '#') {
            take_line(&tables[table_count - 1], key, line);
        }
    }
}

const paper_table *paper_table_at(size_t index)
{
    if (table_count == 0) {
        read_papers();
    }
    return index < (size_t)table_count ? &tables[index] : NULL;
}

const paper_claim *paper_claim_at(size_t index)
{
    return paper_table_at(0) && index < (size_t)claim_count ? &claims[index] : NULL;
}

/* ----------------------------------------------------------------------- records */

const char *paper_record(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        const char *file = records[i].file;
        if (strncmp(file, name, length) == 0 && strcmp(file + length, ".json") == 0) {
            return records[i].json;
        }
    }
    return NULL;
}

void paper_part(const char *list, char separator, int index, char *text, size_t bytes)
{
    const char *end;
    for (; list && index > 0; index--) {
        list = strchr(list, separator);
        list = list ? list + 1 : NULL;
    }
    list = list ? list + strspn(list, " ") : "";
    end = strchr(list, separator);
    size_t length = end ? (size_t)(end - list) : strlen(list);
    while (length > 0 && list[length - 1] == ' ') {
        length--;
    }
    snprintf(text, bytes, "%.*s", (int)length, list);
}

/* The value of a key between `from` and `end`, without quotation marks. false if it is not there.
 */
static bool find_value(const char *from, const char *end, const char *key, char *text, size_t bytes)
{
    char wanted[WORD];
    snprintf(wanted, sizeof wanted, "\"%s\": ", key);
    const char *value = strstr(from, wanted);
    *text = '\0';
    if (!value || value >= end) {
        return false;
    }
    value += strlen(wanted);
    bool quoted = *value == '"';
    value += quoted;
    snprintf(text, bytes, "%.*s", (int)strcspn(value, quoted ? "\"\n" : ",}\n"), value);
    return true;
}

void paper_header(const char *json, const char *key, char *text, size_t bytes)
{
    const char *end = strstr(json, "\"records\": [");
    find_value(json, end ? end : json, key, text, bytes);
}

/* Whether a record, a line, has all that `where` says. */
static bool holds(const char *record, const char *end, const char *where)
{
    char item[WORD], value[WORD];
    for (int i = 0;; i++) {
        paper_part(where, ',', i, item, sizeof item);
        char *sign = strchr(item, '=');
        if (!sign) {
            return true;
        }
        bool differs = sign > item && sign[-1] == '!';
        sign[differs ? -1 : 0] = '\0';
        find_value(record, end, item, value, sizeof value);
        if ((strcmp(value, sign + 1) == 0) == differs) {
            return false;
        }
    }
}

/* ------------------------------------------------------------------------- cells */

enum { WHERES = 3 };

/* The last record that all of `where` hold of and that has the key. */
static bool find_last(const char *json, const char *const where[WHERES], const char *key,
                      char *text, size_t bytes)
{
    static const char record_start[] = "\n    {";
    bool found = false;
    for (const char *record = strstr(json, record_start), *next; record; record = next) {
        char value[WORD];
        next = strstr(record + 1, record_start);
        const char *end = next ? next : record + strlen(record);
        bool good = find_value(record, end, key, value, sizeof value);
        for (int i = 0; i < WHERES && good; i++) {
            good = holds(record, end, where[i]);
        }
        if (good) {
            snprintf(text, bytes, "%s", value);
            found = true;
        }
    }
    return found;
}

/* A real number to so many digits, never as a power of ten; other texts stay. */
static void shorten(char *text, size_t bytes, int digits)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end || !strpbrk(text, ".e") || number == 0) {
        return;
    }
    int places = digits - 1 - (int)floor(log10(fabs(number)));
    snprintf(text, bytes, "%.*f", places > 0 ? places : 0, number);
}

/* "{where:key%digits*unit}", what is between the braces; false if there is no such record. */
static bool papers_insert(const char *json, const char *const where[2], char *inside, char *text,
                          size_t bytes)
{
    char *unit = strchr(inside, '*'), *digits, *key;
    if (unit) {
        *unit++ = '\0';
    }
    digits = strchr(inside, '%');
    if (digits) {
        *digits++ = '\0';
    }
    key = strchr(inside, ':');
    if (key) {
        *key++ = '\0';
    }
    const char *const all[WHERES] = {where[0], where[1], key ? inside : ""};
    if (!find_last(json, all, key ? key : inside, text, bytes)) {
        return false;
    }
    shorten(text, bytes, digits ? atoi(digits) : 3);
    if (unit && strcmp(text, "0") == 0) {
        snprintf(text, bytes, "-");
    } else if (unit && *unit && strcmp(text, "1") == 0) {
        snprintf(text, bytes, "%s", unit);
    } else if (unit) {
        snprintf(text + strlen(text), bytes - strlen(text), "%s", unit);
    }
    return true;
}

static bool expand(const char *json, const char *const where[2], const char *cell, char *text,
                   size_t bytes)
{
    char inside[WORD], value[WORD];
    size_t length = 0;
    *text = '\0';
    while (*cell) {
        size_t literal = strcspn(cell, "{");
        length += (size_t)snprintf(text + length, bytes - length, "%.*s", (int)literal, cell);
        cell += literal;
        if (*cell == '{') {
            size_t inner = strcspn(++cell, "}");
            snprintf(inside, sizeof inside, "%.*s", (int)inner, cell);
            if (!papers_insert(json, where, inside, value, sizeof value)) {
                return false;
            }
            length += (size_t)snprintf(text + length, bytes - length, "%s", value);
            cell += inner + 1;
        }
        length = length < bytes ? length : bytes - 1;
    }
    if (strcmp(text, "-/-") == 0) {
        text[1] = '\0';
    }
    return *text;
}

/* A copy of `with` in which the column's value stands for @. */
static void fill_in(const char *with, const paper_column *column, char *text, size_t bytes)
{
    size_t length = 0;
    for (*text = '\0'; *with && length < bytes; with++) {
        bool marked = *with == '@';
        length += (size_t)snprintf(text + length, bytes - length, "%.*s", marked ? WORD : 1,
                                   marked ? column->value : with);
    }
}

bool paper_cell(const char *json, const paper_table *table, int row, int column, char *text,
                size_t bytes)
{
    const paper_row *r = &table->rows[row];
    const paper_column *c = &table->columns[column];
    char choices[4 * WORD] = "", choice[4 * WORD], condition[WORD];
    const char *const where[2] = {r->where, condition};
    int cells = 1;
    for (const char *bar = r->cells; bar && (bar = strchr(bar, '|')); bar++) {
        cells++;
    }
    paper_part(r->cells, '|', column % cells, choices, sizeof choices);
    if (!*choices) {
        fill_in(c->cell, c, choices, sizeof choices);
    }
    fill_in(c->where, c, condition, sizeof condition);
    for (int i = 0;; i++) {
        paper_part(choices, ';', i, choice, sizeof choice);
        if (!*choice) {
            *text = '\0';
            return false;
        }
        if (expand(json, where, choice, text, bytes)) {
            return true;
        }
    }
}

/* ------------------------------------------------------------------- rows and columns */

void paper_name(const paper_table *t, bool columns, int index, char name[PAPER_TEXT])
{
    const paper_column *c = &t->columns[index];
    if (columns) {
        snprintf(name, PAPER_TEXT, "%s%s%s", c->group ? c->group : "", c->group ? "/" : "",
                 c->title);
    } else {
        snprintf(name, PAPER_TEXT, "%s", t->rows[index].label);
    }
}

int paper_find(const paper_table *t, bool columns, const char *list, int *index)
{
    char pattern[PAPER_TEXT], name[PAPER_TEXT];
    int count = 0, all = columns ? t->column_count : t->row_count;
    for (int i = 0; paper_part(list, ',', i, pattern, sizeof pattern), *pattern; i++) {
        for (int k = 0; k < all && count < (columns ? PAPER_MOST_COLUMNS : PAPER_MOST_ROWS); k++) {
            paper_name(t, columns, k, name);
            if (fnmatch(pattern, name, 0) == 0) {
                index[count++] = k;
            }
        }
    }
    assert(count > 0);
    return count;
}
