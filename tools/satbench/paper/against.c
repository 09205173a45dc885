/* `satbench paper --against FILE`: the cells that satbench paper --json wrote on another machine.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"

static char *document; /* that was read */

int paper_against_read(const char *file)
{
    size_t room = 0;
    FILE *from = fopen(file, "r");
    if (!from) {
        return bench_error(1, "%s: %s", file, strerror(errno));
    }
    bool read = getdelim(&document, &room, '\0', from) > 0;
    fclose(from);
    if (read && strstr(document, "\"program\": \"satbench paper\"") &&
        strstr(document, "\"tables\": [")) {
        return 0;
    }
    return bench_error(1, "%s is not what satbench paper --json writes", file);
}

void paper_against_forget(void)
{
    free(document);
    document = NULL;
}

/* Where `key`: "name" begins an object between `from` and `end`; NULL: nowhere. */
static const char *find_object(const char *from, const char *end, const char *key, const char *name)
{
    char wanted[256];
    snprintf(wanted, sizeof wanted, "{\"%s\": \"%s\"", key, name);
    const char *at = from ? strstr(from, wanted) : NULL;
    return at && at < end ? at : NULL;
}

/* Reads a value of an array, a text or a number, or "" for null, and moves over it. */
static void read_value(const char **at, char cell[PAPER_CELL])
{
    const char *from = *at + strspn(*at, ", \n");
    bool quoted = *from == '"';
    from += quoted;
    size_t length = strcspn(from, quoted ? "\"" : ",]");
    snprintf(cell, PAPER_CELL, "%.*s", (int)length, strncmp(from, "null", 4) == 0 ? "" : from);
    *at = from + length + (quoted && from[length]);
}

/* Fills what a row has in the line of that name and not yet. */
static void read_line(paper_found *found, int row, const char *from, const char *end,
                      const char *line)
{
    char wanted[32], cell[PAPER_CELL];
    snprintf(wanted, sizeof wanted, "\"%s\": [", line);
    const char *at = strstr(from, wanted);
    if (!at || at >= end) {
        return;
    }
    at += strlen(wanted);
    for (int column = 0; column < found->table->column_count && *at && *at != ']'; column++) {
        char *to = found->cells[row][PAPER_THERE][column];
        read_value(&at, cell);
        if (!*to) {
            snprintf(to, PAPER_CELL, "%s", cell);
        }
        found->has[row][PAPER_THERE] = found->has[row][PAPER_THERE] || *to;
    }
}

static void fill_ratios(paper_found *found, int row, bool record)
{
    for (int column = 0; column < found->table->column_count; column++) {
        const char *ours = paper_ours(found, row, column, record);
        const char *theirs = found->cells[row][PAPER_THERE][column];
        char *end[2];
        double a = strtod(ours, &end[0]), b = strtod(theirs, &end[1]);
        if (end[0] > ours && end[1] > theirs && !*end[0] && !*end[1] && b != 0) {
            snprintf(found->cells[row][PAPER_RATIO][column], PAPER_CELL, "%.3g", a / b);
            found->has[row][PAPER_RATIO] = true;
        }
    }
}

void paper_against_fill(paper_found *found, const bench_options *options)
{
    static const int lines[] = {PAPER_BY_COUNT, PAPER_HERE, PAPER_RECORD};
    const char *all = document + strlen(document);
    const char *table = find_object(document, all, "name", found->table->name);
    const char *next = table ? strstr(table + 1, "{\"name\": ") : NULL;
    const char *end = next ? next : all;
    for (int row = 0; row < found->table->row_count && table; row++) {
        const char *from = find_object(table, end, "label", found->table->rows[row].label);
        const char *row_end = from ? strchr(from, '}') : NULL;
        for (int i = 0; i < 3 && row_end; i++) {
            read_line(found, row, from, row_end, paper_line_names[lines[i]]);
        }
        fill_ratios(found, row, options->record_only);
    }
}
