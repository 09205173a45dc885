/* All that satfilter's command line consists of, and its completion by shells, for the build. */
#include <stdlib.h>
#include <string.h>

#include "options/help.h"
#include "options/message.h"
#include "options/synonyms.h"

static void program_each_option(option_visit visit, void *user)
{
    const option *o;
    each_filter_option(visit, user);
    for (size_t i = 0; (o = satfilter_option_at(i)); i++) {
        if (o->group) {
            visit(user, o);
        }
    }
}

static const char *answer(const char *name, size_t length)
{
    const synonym *known = synonym_find(name, length);
    return known ? known->answer : filter_param_answer(name, length);
}

const cli satfilter_cli = {.option_at = satfilter_option_at,
                           .each_option = program_each_option,
                           .take_other = take_filter_option,
                           .answer = answer};

/* -------------------------------------------------------------- completion */

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
        for (size_t i = 0; (o = satfilter_option_at(i)); i++) {
            if (o->group) {
                fprintf(to, "%s ", o->name);
            }
        }
        fputs("borders filters options", to);
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

/* Passes options on to a visit, their choices as words. */
typedef struct passing {
    option_visit visit;
    void *user;
} passing;

static void program_pass_on(void *user, const option *o)
{
    const passing *to = user;
    option shown = *o;
    text words = {0};
    if (o->choices) {
        write_choices(o->choices, text_begin(&words));
        shown.choices = text_end(&words);
    }
    to->visit(to->user, &shown);
    free(words.bytes);
}

static void each_offered(option_visit visit, void *user)
{
    program_each_option(program_pass_on, &(passing){visit, user});
}

void help_completion(void (*print)(const shell_program *shell))
{
    text suffixes;
    satf_format_info format;
    FILE *to = text_begin(&suffixes);
    for (size_t i = 0; satf_format(i, &format, sizeof format); i++) {
        fprintf(to, "%s ", format.suffixes);
    }
    print(&(shell_program){
        .name = "satfilter", .each_option = each_offered, .suffixes = text_end(&suffixes)});
    free(suffixes.bytes);
}
