/* A table's cell from satbench's JSON, in which each record is a line of its own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_paper.h"

static const char record_start[] = "\n    {";

enum { WORD = 128 };

void paper_part(const char *list, char separator, int index, char *text, size_t bytes)
{
    const char *end;
    for (; list && index > 0; index--) {
        list = strchr(list, separator);
        list = list ? list + 1 : NULL;
    }
    end = list ? strchr(list, separator) : NULL;
    size_t length = !list ? 0 : end ? (size_t)(end - list) : strlen(list);
    snprintf(text, bytes, "%.*s", (int)length, list ? list : "");
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

/* The last record that all three hold of and that has the key. */
static bool find_last(const char *json, const char *const where[3], const char *key, char *text,
                      size_t bytes)
{
    const char *record = strstr(json, record_start), *found = NULL, *found_end = NULL;
    char value[WORD];
    while (record) {
        const char *next = strstr(record + 1, record_start);
        const char *end = next ? next : record + strlen(record);
        bool good = find_value(record, end, key, value, sizeof value);
        for (int i = 0; i < 3 && good; i++) {
            good = !where[i] || holds(record, end, where[i]);
        }
        found = good ? record : found;
        found_end = good ? end : found_end;
        record = next;
    }
    return found && find_value(found, found_end, key, text, bytes);
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
static bool insert(const char *json, const char *const where[2], char *inside, char *text,
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
    const char *const all[3] = {where[0], where[1], key ? inside : NULL};
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
            if (!insert(json, where, inside, value, sizeof value)) {
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

bool paper_cell(const char *json, const char *const where[2], const char *cell, char *text,
                size_t bytes)
{
    char choice[4 * WORD];
    for (int i = 0;; i++) {
        paper_part(cell, ';', i, choice, sizeof choice);
        if (!*choice) {
            *text = '\0';
            return false;
        }
        if (expand(json, where, choice, text, bytes)) {
            return true;
        }
    }
}
