/* The texts of options in --help and the man page. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "columns.h"
#include "roff.h"

/* "-T, --threads N" */
static void add_head(char *head, size_t room, const option *o)
{
    char letter[] = {'-', o->letter, ',', ' ', '\0'};
    size_t used = strlen(head);
    snprintf(head + used, room - used, "%s%s--%s%s%s", used ? ", " : "", o->letter ? letter : "",
             o->name, o->metavar ? " " : "", o->metavar ? o->metavar : "");
}

void option_print(const cli *p, const option *o)
{
    char head[64] = "";
    const char *note = p->note ? p->note(o) : NULL;
    add_head(head, sizeof head, o);
    print_entry(head, o->help);
    if (note) {
        print_entry("", note);
    }
}

static bool cli_is_of_kind(const option *o, const option *next)
{
    return next && next->group == o->group && kind_length(o->help, next->help) > 0;
}

/* Option i, or those of its kind from there on as one entry; the index of the next. */
static size_t print_kind(const cli *p, size_t i)
{
    const option *o = p->option_at(i);
    char heads[96] = "", kind[96];
    if (!cli_is_of_kind(o, p->option_at(i + 1))) {
        option_print(p, o);
        return i + 1;
    }
    add_head(heads, sizeof heads, o);
    while (cli_is_of_kind(o, p->option_at(++i))) {
        add_head(heads, sizeof heads, p->option_at(i));
    }
    snprintf(kind, sizeof kind, "%.*s", (int)strcspn(o->help, ":"), o->help);
    print_entry(heads, kind);
    return i;
}

void options_print(const cli *p)
{
    const option *o;
    const char *group = NULL;
    for (size_t i = 0; (o = p->option_at(i));) {
        if (!o->group) {
            i++;
            continue;
        }
        if (o->group != group) {
            printf("\n%s:\n", o->group);
        }
        group = o->group;
        i = print_kind(p, i);
    }
}

/* .TP with "--name metavar" in bold and italics. */
static void print_man_head(const option *o)
{
    fputs(".TP\n", stdout);
    if (o->letter) {
        printf("\\fB\\-%c\\fR, ", o->letter);
    }
    fputs("\\fB\\-\\-", stdout);
    roff(o->name);
    fputs("\\fR", stdout);
    if (o->metavar) {
        fputs(" \\fI", stdout);
        roff(o->metavar);
        fputs("\\fR", stdout);
    }
    putchar('\n');
}

void options_print_man(const cli *p)
{
    const option *o;
    const char *group = NULL;
    for (size_t i = 0; (o = p->option_at(i)); i++) {
        if (!o->group) {
            continue;
        }
        if (o->group != group) {
            printf(".SS %s\n", o->group);
        }
        group = o->group;
        print_man_head(o);
        const char *texts[] = {o->help, o->detail, p->note ? p->note(o) : NULL};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            if (texts[k]) {
                fputs(k ? ".br\n" : "", stdout);
                roff_paragraph(texts[k]);
            }
        }
    }
}
