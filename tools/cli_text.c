/* What --help and the man page say of options. */
#include <stdio.h>

#include "cli.h"
#include "columns.h"
#include "roff.h"

void option_print(const cli *p, const option *o)
{
    char head[64];
    char letter[] = {'-', o->letter, ',', ' ', '\0'};
    const char *note = p->note ? p->note(o) : NULL;
    snprintf(head, sizeof head, "%s--%s%s%s", o->letter ? letter : "", o->name,
             o->metavar ? " " : "", o->metavar ? o->metavar : "");
    print_entry(head, o->help);
    if (note) {
        print_entry("", note);
    }
}

void options_print(const cli *p)
{
    const option *o;
    const char *group = NULL;
    for (size_t i = 0; (o = p->option_at(i)); i++) {
        if (o->group) {
            if (o->group != group) {
                printf("\n%s:\n", o->group);
            }
            group = o->group;
            option_print(p, o);
        }
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
