/* Completion for shells, for the build: the options of filters and of the command. */
#include <stdlib.h>
#include <string.h>

#include "help.h"
#include "message.h"
#include "shells.h"

/* A text that grows; ends the program when there is no memory. */
typedef struct text {
    char *bytes;
    size_t length;
    FILE *to;
} text;

static FILE *text_begin(text *t)
{
    *t = (text){0};
    t->to = open_memstream(&t->bytes, &t->length);
    if (!t->to) {
        message("--help", "out of memory");
        exit(EXIT_FAILURE);
    }
    return t->to;
}

static const char *text_end(text *t)
{
    if (fclose(t->to) != 0) {
        message("--help", "out of memory");
        exit(EXIT_FAILURE);
    }
    return t->bytes;
}

/* The words that option.choices stands for; of TOPIC and others all that are in the tables. */
static void write_choices(const char *choices, FILE *to)
{
    satf_format_info format;
    const char *name;
    if (strcmp(choices, "TOPIC") == 0) {
        for (size_t i = 0; (name = satf_filter_name(i, NULL, 0)); i++) {
            fprintf(to, "%s ", name);
        }
        const option *o;
        for (size_t i = 0; (o = option_at(i)); i++) {
            if (option_shown(o)) {
                fprintf(to, "%s ", o->name);
            }
        }
        fputs("borders filters", to);
    } else if (strcmp(choices, "FORMAT") == 0) {
        for (size_t i = 0; satf_format(i, &format, sizeof format); i++) {
            if (format.can_write) {
                fprintf(to, "%s ", format.name);
            }
        }
    } else if (strcmp(choices, "ALGORITHM") == 0) {
        fputs("auto ", to);
        for (size_t i = 0; (name = satf_algorithm(i, NULL, NULL)); i++) {
            fprintf(to, "%s ", name);
        }
    } else {
        fputs(choices, to);
    }
}

static void each_own_option(shell_visit visit, void *user)
{
    const option *o;
    for (size_t i = 0; (o = option_at(i)); i++) {
        char name[64];
        snprintf(name, sizeof name, "--%s", o->name);
        shell_option shown = {
            .name = name, .letter = o->letter, .metavar = o->metavar, .help = o->help};
        bool has_choices = o->metavar && o->choices;
        text words;
        shown.value = !o->metavar                       ? SHELL_NONE
                      : !has_choices                    ? SHELL_ANY
                      : strcmp(o->choices, "DIR") == 0  ? SHELL_FOLDER
                      : strcmp(o->choices, "FILE") == 0 ? SHELL_FILE
                                                        : SHELL_WORDS;
        write_choices(has_choices ? o->choices : "", text_begin(&words));
        shown.words = text_end(&words);
        if (option_shown(o)) {
            visit(user, &shown);
        }
        free(words.bytes);
    }
}

/* An option of each filter, and of each flag that filters have. */
static void each_filter_option(shell_visit visit, void *user)
{
    satf_filter_info info;
    satf_param_info p;
    for (size_t i = 0; satf_filter_name(i, &info, sizeof info); i++) {
        char name[64], words[256] = "";
        shell_option shown = {.name = name, .help = info.help};
        snprintf(name, sizeof name, "--%s", info.name);
        if (satf_filter_param(info.name, 0, &p, sizeof p) && p.is_value) {
            shown.metavar = p.syntax;
            shown.value = p.type == SATF_PARAM_CHOICE ? SHELL_WORDS
                          : p.type == SATF_PARAM_FILE ? SHELL_FILE
                                                      : SHELL_ANY;
            snprintf(words, sizeof words, "%s", p.syntax);
            for (char *bar = words; (bar = strchr(bar, '|'));) {
                *bar = ' ';
            }
            shown.words = words;
        }
        visit(user, &shown);
        for (size_t k = 0; satf_filter_param(info.name, k, &p, sizeof p); k++) {
            if (p.type == SATF_PARAM_FLAG) {
                shown = (shell_option){.name = name, .help = p.help};
                snprintf(name, sizeof name, "--%s", p.name);
                visit(user, &shown);
            }
        }
    }
}

static void each_option(shell_visit visit, void *user)
{
    each_filter_option(visit, user);
    each_own_option(visit, user);
}

void help_completion(void (*print)(const shell_program *program))
{
    text suffixes;
    satf_format_info format;
    FILE *to = text_begin(&suffixes);
    for (size_t i = 0; satf_format(i, &format, sizeof format); i++) {
        fprintf(to, "%s ", format.suffixes);
    }
    shell_program program = {
        .name = "satfilter", .each_option = each_option, .suffixes = text_end(&suffixes)};
    print(&program);
    free(suffixes.bytes);
}
