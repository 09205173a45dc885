/* Reading a command line: words to options, and their values. */
#include "clean.h"
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ values */

bool parse_integer(const char *text, bool suffixes, int64_t least, int64_t most, int64_t *value)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || errno || (text[0] != '-' && (text[0] < '0' || text[0] > '9'))) {
        return false;
    }
    int64_t scaled = number;
    const char *letters = "KMG";
    const char *suffix = *end && suffixes ? strchr(letters, *end & ~0x20) : NULL;
    if (suffix && *suffix) {
        int64_t unit = (int64_t)1 << (10 * (suffix - letters + 1));
        if (__builtin_mul_overflow(scaled, unit, &scaled)) {
            return false;
        }
        end++;
    }
    if (*end || scaled < least || scaled > most) {
        return false;
    }
    *value = scaled;
    return true;
}

bool has_word(const char *words, const char *word, size_t length)
{
    for (const char *at = words; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");
        if (n == length && memcmp(at, word, n) == 0) {
            return true;
        }
        at += n;
    }
    return false;
}

bool parse_double(const char *text, char stop, double *value, const char **rest)
{
    char *end;
    *value = strtod(text, &end);
    *rest = end;
    return end != text && *end == stop && isfinite(*value);
}

static void *cli_member(settings *s, const option *o)
{
    return (char *)s + o->at;
}

int option_error(const option *o, const char *format, ...)
{
    char subject[64], text[512];
    va_list args;
    va_start(args, format);
    format_whole(text, sizeof text, format, args);
    va_end(args);
    snprintf(subject, sizeof subject, "--%s", o->name);
    return usage_error(subject, "%s", text);
}

static int take_number(const option *o, const char *text, bool suffixes, int64_t *value)
{
    if (!parse_integer(text, suffixes, o->least, o->most, value)) {
        return option_error(o, "'%s' is not a number from %lld to %lld%s", text,
                            (long long)o->least, (long long)o->most,
                            suffixes ? ", with or without K, M or G behind it" : "");
    }
    return 0;
}

int option_integer(settings *s, const option *o, const char *value)
{
    int64_t number = 0;
    int status = take_number(o, value, false, &number);
    if (!status) {
        *(int *)cli_member(s, o) = (int)number;
    }
    return status;
}

int option_size(settings *s, const option *o, const char *value)
{
    return take_number(o, value, true, cli_member(s, o));
}

int option_fraction(settings *s, const option *o, const char *value)
{
    double number;
    const char *rest;
    if (!parse_double(value, '\0', &number, &rest) || !(number > 0 && number < 1)) {
        return option_error(o, "'%s' is not a number between 0 and 1", value);
    }
    *(double *)cli_member(s, o) = number;
    return 0;
}

int option_flag(settings *s, const option *o, const char *value)
{
    (void)value;
    *(bool *)cli_member(s, o) = true;
    return 0;
}

int option_choice(settings *s, const option *o, const char *value)
{
    (void)value;
    *(int *)cli_member(s, o) = (int)o->most;
    return 0;
}

int option_text(settings *s, const option *o, const char *value)
{
    if (!*value) {
        return option_error(o, "needs a value: %s", o->metavar);
    }
    *(const char **)cli_member(s, o) = value;
    return 0;
}

/* ------------------------------------------------------------------- words */

const option *option_find(const cli *p, const char *name, size_t length)
{
    const option *o;
    for (size_t i = 0; (o = p->option_at(i)); i++) {
        if (strlen(o->name) == length && !memcmp(o->name, name, length)) {
            return o;
        }
    }
    return NULL;
}

const char *options_next_value(char ***argv)
{
    return (*argv)[1] && strncmp((*argv)[1], "--", 2) ? *++*argv : NULL;
}

/* Takes an option that was found. inline_value: what stood behind "=" or the letter, else NULL. */
static int take_found(settings *s, const cli *p, const option *o, const char *written,
                      const char *inline_value, char ***argv)
{
    const char *value = inline_value;
    bool topics = o->metavar && o->metavar[0] == '['; /* --help: whatever words are left */
    int status = p->check ? p->check(s, o, written) : 0;
    if (status) {
        return status;
    }
    if (!o->metavar && value) {
        return usage_error(written, "takes no value");
    }
    if (topics && value) { /* --help=box: the word is to be read again, from its value on */
        **argv += value - **argv;
        --*argv;
    }
    if (o->metavar && !value && !topics) {
        value = options_next_value(argv);
        if (!value) {
            return usage_error(written, "needs a value: %s", o->metavar);
        }
    }
    return o->take(s, o, value);
}

/* An option that there is not, in that word: what it may have meant. */
static int cli_refuse(const cli *p, const char *word, const char *written, const char *name,
                      size_t length)
{
    if (access(word, F_OK) == 0) {
        return usage_error(word, "no such option; for the file of that name write ./%s", word);
    }
    const char *answer = p->answer ? p->answer(name, length) : NULL;
    const char *nearest = answer ? NULL : option_nearest(p, name, length);
    if (answer || !nearest) {
        return usage_error(written, "no such option; %s", answer ? answer : "see --help or --list");
    }
    return usage_error(written, "no such option; did you mean --%s?", nearest);
}

static int take_long(settings *s, const cli *p, char ***argv)
{
    const char *word = **argv;
    const char *name = word + 2;
    const char *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const option *o = option_find(p, name, length);
    if (o) {
        char written[64];
        snprintf(written, sizeof written, "--%s", o->name);
        return take_found(s, p, o, written, equals ? equals + 1 : NULL, argv);
    }
    int status;
    return p->take_other && p->take_other(s, argv, &status)
               ? status
               : cli_refuse(p, word, word, name, length);
}

/* A word that is sought among the options. */
typedef struct sought {
    const char *word;
    size_t length;
    bool found;
} sought;

static void cli_compare(void *user, const option *o)
{
    sought *w = user;
    w->found = w->found || (strlen(o->name) == w->length && !memcmp(o->name, w->word, w->length));
}

/* "-resize" is no -r of the folder "esize". */
static bool is_long_name(const cli *p, const char *word, size_t length)
{
    sought w = {word, length, option_find(p, word, length)};
    p->each_option(cli_compare, &w);
    return length > 1 && (w.found || (p->answer && p->answer(word, length)));
}

static int take_short(settings *s, const cli *p, char ***argv)
{
    const char *letters = **argv + 1;
    size_t length = strcspn(letters, "=");
    if (is_long_name(p, letters, length)) {
        return cli_refuse(p, **argv, **argv, letters, length);
    }
    for (const char *c = letters; *c; c++) {
        const option *o;
        for (size_t i = 0; (o = p->option_at(i)) && o->letter != *c; i++) {
        }
        char written[] = {'-', *c, '\0'};
        if (!o) {
            bool known = p->answer && p->answer(c, 1);
            return known ? cli_refuse(p, **argv, written, c, 1)
                         : cli_refuse(p, **argv, **argv, letters, strlen(letters));
        }
        bool takes_value = o->metavar != NULL;
        int status = take_found(s, p, o, written, takes_value && c[1] ? c + 1 : NULL, argv);
        if (status || takes_value) {
            return status;
        }
    }
    return 0;
}

int options_take(settings *s, const cli *p, char ***argv)
{
    return (**argv)[1] == '-' ? take_long(s, p, argv) : take_short(s, p, argv);
}
