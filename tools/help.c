#include "help.h"

#include <stdio.h>
#include <string.h>

#include "nearest.h"

const help_example help_examples[] = {
    {"satfilter --box 15 in.jpg out.png", "mean over 15 x 15 pixels"},
    {"satfilter --box 31 -o blurred *.jpg", "many pictures, into a folder"},
    {"satfilter --stddev 7 --range auto in.png out.png", "local contrast, as it occurs"},
    {"satfilter --variance 15,border=mirror in.png out.npy", "local variance, as plain numbers"},
    {"satfilter --box 9 < in.jpg > out.jpg", "standard input to standard output"},
    {NULL, NULL},
};

const help_status help_statuses[] = {
    {0, "done"},        {1, "failed"},
    {2, "wrong usage"}, {3, "some inputs failed or could not be read, the others are done"},
    {0, NULL},
};

enum { HELP_COLUMN = 26 };

/* Prints text in lines that end before column 95, all but the first indented;
 * the first begins at column `at`. */
static void print_wrapped(const char *text, int at, int indent)
{
    int column = at;
    bool first = true;
    while (*(text += strspn(text, " \n"))) {
        int length = (int)strcspn(text, " \n");
        if (!first && column + 1 + length > 95) {
            printf("\n%*s", indent, "");
            column = indent;
            first = true;
        }
        column += printf("%s%.*s", first ? "" : " ", length, text);
        first = false;
        text += length;
    }
    putchar('\n');
}

/* "  -o, --output DIR   help" with help in its column. */
void help_row(const char *head, const char *help)
{
    int at = printf("  %-*s ", HELP_COLUMN - 3, head);
    print_wrapped(help, at, HELP_COLUMN);
}

static void print_option(const option *o)
{
    char head[64];
    char letter[] = {'-', o->letter, ',', ' ', '\0'};
    snprintf(head, sizeof head, "%s--%s%s%s", o->letter ? letter : "", o->name,
             o->metavar ? " " : "", o->metavar ? o->metavar : "");
    help_row(head, o->help);
}

/* True if no filter before `index` has a flag of that name: each is shown once. */
static bool first_with_flag(size_t index, const char *name)
{
    for (size_t i = 0; i < index; i++) {
        if (filter_flag_index(satf_filter_name(i, NULL, 0), name) >= 0) {
            return false;
        }
    }
    return true;
}

void help_examples_to(FILE *to)
{
    fputs("Usage: satfilter [OPTIONS] FILTER... INPUT OUTPUT\n"
          "       satfilter [OPTIONS] FILTER... INPUT... -o DIR\n\n",
          to);
    for (const help_example *e = help_examples; e->command; e++) {
        fprintf(to, "  %-53s %s\n", e->command, e->meaning);
    }
    fputs("\nAll of it: satfilter --help\n", to);
}

void help_usage(void)
{
    puts("Usage: satfilter [OPTIONS] FILTER... INPUT OUTPUT\n"
         "       satfilter [OPTIONS] FILTER... INPUT... -o DIR\n"
         "       satfilter [OPTIONS] FILTER... < INPUT > OUTPUT\n");
    for (const help_example *e = help_examples; e->command; e++) {
        printf("  %-53s %s\n", e->command, e->meaning);
    }
    puts("\nFilters, applied in the order written (--help FILTER tells all about one):");
    satf_filter_info info;
    for (size_t i = 0; satf_filter_name(i, &info, sizeof info); i++) {
        char head[64];
        const char *value = filter_value_syntax(info.name);
        snprintf(head, sizeof head, "--%s%s%s", info.name, value ? " " : "", value ? value : "");
        help_row(head, info.help);
        satf_param_info p;
        for (size_t k = 0; satf_filter_param(info.name, k, &p, sizeof p); k++) {
            if (p.type == SATF_PARAM_FLAG && first_with_flag(i, p.name)) {
                snprintf(head, sizeof head, "--%s", p.name);
                help_row(head, p.help);
            }
        }
    }
    const option *o;
    int group = -1;
    for (size_t i = 0; (o = option_at(i)); i++) {
        if (!option_shown(o)) {
            continue;
        }
        if ((int)o->group != group) {
            group = (int)o->group;
            printf("\n%s:\n", option_group_title(o->group));
        }
        print_option(o);
    }
    puts("\n\"-\" is standard input or output; \"--\" ends the options. Formats: by content on "
         "input, by\nsuffix on output. An output appears whole or not at all. Exit status:");
    for (const help_status *s = help_statuses; s->text; s++) {
        printf("%s%d %s", s == help_statuses ? "  " : ", ", s->status, s->text);
    }
    putchar('\n');
}

/* "border=B" or, of the value behind the filter's name, "N|WxH", with its help and default. */
static void param_row(const satf_param_info *p)
{
    char head[64], help[512];
    bool flag = p->type == SATF_PARAM_FLAG;
    snprintf(head, sizeof head, "%s%s%s", p->is_value ? "" : p->name,
             p->is_value || flag ? "" : "=", !flag && p->syntax ? p->syntax : "");
    bool has_default = p->default_text && p->default_text[0] && !flag;
    snprintf(help, sizeof help, "%s%s%s%s", p->help, has_default ? " (default " : "",
             has_default ? p->default_text : "", has_default ? ")" : "");
    help_row(head, help);
}

static void help_filter(const satf_filter_info *info)
{
    const char *value = filter_value_syntax(info->name);
    printf("satfilter --%s%s%s ...\n\n", info->name, value ? " " : "", value ? value : "");
    print_wrapped(info->help, 0, 0);
    putchar('\n');
    print_wrapped(info->detail, 0, 0);
    satf_param_info p;
    size_t count = 0;
    for (; satf_filter_param(info->name, count, &p, sizeof p); count++) {
        fputs(count ? "" : "\nParameters:\n", stdout);
        param_row(&p);
    }
    if (count) {
        putchar('\n');
        print_wrapped(
            "Parameters follow the value, or the name, behind commas; a flag is also an option "
            "of its own.",
            0, 0);
    }
}

/* ------------------------------------------------------------------ topics */

static void help_option(const option *o)
{
    print_option(o);
    if (o->detail) {
        putchar('\n');
        print_wrapped(o->detail, 0, 0);
    }
}

static const option *shown_option(const char *name)
{
    const option *o = option_find(name, strlen(name));
    return o && option_shown(o) ? o : NULL;
}

bool help_knows(const char *topic)
{
    return satf_filter_find(topic, NULL, 0) || shown_option(topic) || help_find_table(topic) >= 0;
}

void help_topic(const char *topic)
{
    satf_filter_info info;
    const option *o = shown_option(topic);
    int table = help_find_table(topic);
    if (satf_filter_find(topic, &info, sizeof info)) {
        help_filter(&info);
    }
    if (o) {
        help_option(o);
    }
    if (table >= 0) {
        fputs(o ? "\n" : "", stdout);
        help_print_table(table);
    }
}
