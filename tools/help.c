#include "help.h"

#include <stdio.h>
#include <string.h>

#include "../src/base/border.h"
#include "../src/io/io.h"
#include "nearest.h"

const help_example help_examples[] = {
    {"satfilter --box 15 in.jpg out.png", "mean over 15 x 15 pixels"},
    {"satfilter --stddev 7x5,border=mirror in.png out.npy", "local contrast, as plain numbers"},
    {"satfilter --box 9 --variance 31 -o results *.png", "two filters in turn, many pictures"},
    {NULL, NULL},
};

const help_status help_statuses[] = {
    {0, "done"}, {1, "failed"}, {2, "wrong usage"}, {3, "some inputs failed, the others are done"},
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
static void print_row(const char *head, const char *help)
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
    print_row(head, o->help);
}

/* True if no filter before `index` has a flag of that name: each is shown once. */
static bool first_with_flag(size_t index, const char *name)
{
    for (size_t i = 0; i < index; i++) {
        if (filter_flag_index(filter_info_at(i), name) >= 0) {
            return false;
        }
    }
    return true;
}

void help_usage(void)
{
    puts("Usage: satfilter [OPTIONS] FILTER... INPUT OUTPUT\n"
         "       satfilter [OPTIONS] FILTER... INPUT... -o DIR\n");
    for (const help_example *e = help_examples; e->command; e++) {
        printf("  %-52s %s\n", e->command, e->meaning);
    }
    puts("\nFilters, applied in the order written (--help FILTER tells all about one):");
    const filter_info *info;
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        char head[64];
        snprintf(head, sizeof head, "--%s%s%s", info->name, info->needs_value ? " " : "",
                 info->needs_value ? info->params[0].metavar : "");
        print_row(head, info->help);
        for (const filter_param *p = info->params; p->name; p++) {
            if (p->kind == PARAM_FLAG && first_with_flag(i, p->name)) {
                snprintf(head, sizeof head, "--%s", p->name);
                print_row(head, p->help);
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

void help_filter(const filter_info *info)
{
    printf("satfilter --%s%s%s ...\n\n", info->name, info->needs_value ? " " : "",
           info->needs_value ? info->params[0].metavar : "");
    print_wrapped(info->help, 0, 0);
    putchar('\n');
    print_wrapped(info->detail, 0, 0);
    if (info->params[0].name) {
        puts("\nParameters:");
    }
    for (const filter_param *p = info->params; p->name; p++) {
        bool own_value = info->needs_value && p == info->params;
        char head[64], help[512];
        snprintf(head, sizeof head, "%s%s%s", own_value ? "" : p->name,
                 own_value || p->kind == PARAM_FLAG ? "" : "=",
                 p->kind != PARAM_FLAG && p->metavar ? p->metavar : "");
        bool has_default = p->default_text && p->default_text[0] && p->kind != PARAM_FLAG;
        snprintf(help, sizeof help, "%s%s%s%s", p->help, has_default ? " (default " : "",
                 has_default ? p->default_text : "", has_default ? ")" : "");
        print_row(head, help);
    }
    if (info->params[0].name) {
        putchar('\n');
        print_wrapped(
            "Parameters follow the value, or the name, behind commas; a flag is also an option "
            "of its own.",
            0, 0);
    }
}

void help_list(void)
{
    puts("Filters:");
    const filter_info *info;
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        print_row(info->name, info->help);
    }
    puts("\nBorders:");
    static const char *const borders[] = {[SATF_CLAMP] = "aaa|abcd|ddd",
                                          [SATF_MIRROR] = "dcb|abcd|cba",
                                          [SATF_REFLECT] = "cba|abcd|dcb",
                                          [SATF_WRAP] = "bcd|abcd|abc",
                                          [SATF_CONSTANT] = "VVV|abcd|VVV, written constant:V",
                                          [SATF_SHRINK] =
                                              "only the part of the window inside the image"};
    for (int i = 0; satf_border_name(i); i++) {
        print_row(satf_border_name(i), borders[i]);
    }
    puts("\nFormats (r: read, w: written):");
    const io_format *format;
    for (size_t i = 0; (format = io_format_at(i)); i++) {
        char head[64];
        char help[256];
        snprintf(head, sizeof head, "%-6s %s%s", format->name, format->open ? "r" : "-",
                 format->create ? "w" : "-");
        snprintf(help, sizeof help, "%s; suffixes %s", format->help, format->suffixes);
        print_row(head, help);
    }
    puts("\nAlgorithms for the summed area table:");
    print_row("auto", "the fastest for the device and the image");
    const char *name, *device, *help;
    for (size_t i = 0; (name = satf_algorithm(i, &device, &help)); i++) {
        char head[64];
        snprintf(head, sizeof head, "%-10s %s", name, device);
        print_row(head, help);
    }
    puts("\nSamples (--type):\n  u8 u16 u32 u64 f32 f64");
}

/* ---------------------------------------------------------------- --list --json */

/* "name": "text", or null; what the tables say is ASCII. */
static void json_text(const char *name, const char *text)
{
    printf("\"%s\": ", name);
    if (!text) {
        fputs("null", stdout);
        return;
    }
    putchar('"');
    for (; *text; text++) {
        printf("%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
    }
    putchar('"');
}

static void json_param(const satf_param_info *p)
{
    static const char *const types[] = {
        [SATF_PARAM_INTEGER] = "integer", [SATF_PARAM_REAL] = "real",
        [SATF_PARAM_SIZE] = "size",       [SATF_PARAM_PLACE] = "place",
        [SATF_PARAM_FLAG] = "flag",       [SATF_PARAM_BORDER] = "border",
        [SATF_PARAM_CHOICE] = "choice",   [SATF_PARAM_FILE] = "file",
    };
    putchar('{');
    json_text("name", p->name);
    printf(", \"type\": \"%s\", ", types[p->type]);
    json_text("syntax", p->syntax);
    fputs(", ", stdout);
    json_text("unit", *p->unit ? p->unit : NULL);
    if (p->min < p->max) {
        printf(", \"min\": %.15g, \"max\": %.15g", p->min, p->max);
    }
    fputs(", ", stdout);
    json_text("default", p->default_text);
    printf(", \"is_value\": %s, ", p->is_value ? "true" : "false");
    json_text("help", p->help);
    putchar('}');
}

void help_list_json(void)
{
    fputs("{\"filters\": [", stdout);
    const char *name, *help;
    for (size_t i = 0; (name = satf_filter_name(i, &help)); i++) {
        fputs(i ? ",\n {" : "\n {", stdout);
        json_text("name", name);
        fputs(", ", stdout);
        json_text("help", help);
        fputs(", \"parameters\": [", stdout);
        satf_param_info p;
        for (size_t k = 0; satf_filter_param(name, k, &p, sizeof p); k++) {
            fputs(k ? ",\n  " : "\n  ", stdout);
            json_param(&p);
        }
        fputs("]}", stdout);
    }
    fputs("],\n\"borders\": [", stdout);
    for (int i = 0; (name = satf_border_name(i)); i++) {
        printf("%s\"%s\"", i ? ", " : "", name);
    }
    fputs("],\n\"formats\": [", stdout);
    int writes;
    for (size_t i = 0; (name = satf_format(i, &writes, &help)); i++) {
        printf("%s{\"name\": \"%s\", \"writes\": %s, \"suffixes\": \"%s\"}", i ? ", " : "", name,
               writes ? "true" : "false", help);
    }
    fputs("],\n\"algorithms\": [", stdout);
    for (size_t i = 0; (name = satf_algorithm(i, &help, NULL)); i++) {
        printf("%s{\"name\": \"%s\", \"device\": \"%s\"}", i ? ", " : "", name, help);
    }
    puts("]}");
}
