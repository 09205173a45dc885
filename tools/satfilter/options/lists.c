/* --list, in words and as JSON. */
#include <stdio.h>
#include <string.h>

#include "borders.h"
#include "../../columns.h"
#include "help.h"

const char *const help_windows[] = {
    "N stands for N x N pixels. A window of W x H pixels at (x, y) covers the columns x - W/2 to x "
    "- W/2 + W - 1 (integer division) and the rows likewise. So an even size reaches one pixel "
    "further to the left and up than to the right and down: what it shows moves half a pixel to "
    "the right and down. Odd sizes move nothing.",
    "A window may be a length, such as 0.33in, 2mm or 0.3cmx2mm, with a unit behind each side. It "
    "becomes the nearest odd number of pixels, at least 3, by the resolution that the file names, "
    "across and down; -v tells it. A file without a resolution in a unit is refused.",
    "Parameters follow the value behind commas, as in --sauvola 31,k=0.2,border=mirror. A flag is "
    "also an option of its own, which belongs to the nearest filter before it that has it: "
    "--sauvola 31 --invert.",
    NULL,
};

/* ------------------------------------------------------------------ tables */

static void list_filters(void)
{
    puts("Filters:");
    satf_filter_info info;
    for (size_t i = 0; satf_filter_name(i, &info, sizeof info); i++) {
        print_entry(info.name, info.help);
    }
}

static const char *border_looks(satf_border border)
{
    switch (border) {
    case SATF_BORDER_CLAMP:
        return "aaa|abcd|ddd";
    case SATF_BORDER_MIRROR:
        return "dcb|abcd|cba";
    case SATF_BORDER_REFLECT:
        return "cba|abcd|dcb";
    case SATF_BORDER_WRAP:
        return "bcd|abcd|abc";
    case SATF_BORDER_CONSTANT:
        return "VVV|abcd|VVV, written constant:V";
    case SATF_BORDER_SHRINK:
        return "only the part of the window inside the image";
    case SATF_BORDER_VALID:
        return "nothing: whole windows only, a smaller result";
    }
    return "";
}

static void list_borders(void)
{
    puts("Borders:");
    const char *name;
    for (int i = 0; (name = satf_border_name(i)); i++) {
        print_entry(name, border_looks((satf_border)i));
        if (border_elsewhere(name)) {
            print_entry("", border_elsewhere(name));
        }
    }
    puts("skimage.filters has scipy's names, skimage.transform numpy's.");
}

void help_print_format(const satf_format_info *format)
{
    char head[64], help[256];
    const char *missing = satf_format_missing(format->name);
    bool reads = format->can_read && !missing, writes = format->can_write && !missing;
    snprintf(head, sizeof head, "%-6s %s%s", format->name, reads ? "r" : "-", writes ? "w" : "-");
    snprintf(help, sizeof help, "%s; suffixes %s", format->help, format->suffixes);
    print_entry(head, help);
    if (missing) {
        snprintf(help, sizeof help, "not here: %s", missing);
        print_entry("", help);
    }
}

static void list_all_formats(void)
{
    puts("Formats (r: read, w: written):");
    satf_format_info format;
    for (size_t i = 0; satf_format(i, &format, sizeof format); i++) {
        help_print_format(&format);
    }
}

bool help_print_algorithms(const char *only)
{
    const char *name, *device, *help;
    bool any = !only || strcmp(only, "auto") == 0;
    if (any) {
        print_entry("auto", "the fastest for the device and the image");
    }
    for (size_t i = 0; (name = satf_algorithm(i, &device, &help)); i++) {
        if (!only || strcmp(name, only) == 0) {
            char head[64];
            snprintf(head, sizeof head, "%-10s %s", name, device);
            print_entry(head, help);
            any = true;
        }
    }
    return any;
}

static void list_algorithms(void)
{
    puts("Algorithms for the summed area table:");
    help_print_algorithms(NULL);
}

static void list_options(void)
{
    fputs("Options (--help OPTION tells all about one):\n", stdout);
    options_print(&satfilter_cli);
}

static void list_windows(void)
{
    for (int i = 0; help_windows[i]; i++) {
        fputs(i ? "\n" : "", stdout);
        print_wrapped(help_windows[i], 0, 0);
    }
}

static void list_samples(void)
{
    puts("Samples (--type):\n  u8 u16 u32 u64 f32 f64");
}

/* The tables, and the words of --help that show them beside the option of that name; the first
 * TABLES_LISTED are those of --list. */
static const struct {
    void (*print)(void);
    const char *words[3];
} tables[] = {
    {list_filters, {"filters", "filter"}},     {list_borders, {"border", "borders"}},
    {list_all_formats, {"formats", "format"}}, {list_algorithms, {"algorithm", "algorithms"}},
    {list_samples, {"type", "types"}},         {list_options, {"options", "option"}},
    {list_windows, {"window", "windows"}},
};

enum { TABLE_COUNT = sizeof tables / sizeof *tables, TABLES_LISTED = TABLE_COUNT - 2 };

int help_find_table(const char *word)
{
    for (int i = 0; i < TABLE_COUNT; i++) {
        for (const char *const *w = tables[i].words; *w; w++) {
            if (strcmp(*w, word) == 0) {
                return i;
            }
        }
    }
    return -1;
}

void help_print_table(int index)
{
    tables[index].print();
}

void help_list(void)
{
    for (int i = 0; i < TABLES_LISTED; i++) {
        fputs(i ? "\n" : "", stdout);
        tables[i].print();
    }
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

static const char *type_name(satf_param_type type)
{
    switch (type) {
    case SATF_PARAM_INTEGER:
        return "integer";
    case SATF_PARAM_REAL:
        return "real";
    case SATF_PARAM_SIZE:
        return "size";
    case SATF_PARAM_PLACE:
        return "place";
    case SATF_PARAM_FLAG:
        return "flag";
    case SATF_PARAM_BORDER:
        return "border";
    case SATF_PARAM_CHOICE:
        return "choice";
    case SATF_PARAM_FILE:
        return "file";
    case SATF_PARAM_SHAPE:
        return "shape";
    case SATF_PARAM_PART:
        return "part";
    }
    return "";
}

static void json_param(const satf_param_info *p)
{
    putchar('{');
    json_text("name", p->name);
    printf(", \"type\": \"%s\", ", type_name(p->type));
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

/* "u8": "f64" and so on: the types that the filter makes of those that it takes. */
static void json_output_types(satf_context *ctx, const char *filter)
{
    satf_filter *one;
    satf_param_info param;
    bool first = true;
    if (satf_filter_create(ctx, filter, &one)) {
        return;
    }
    if (satf_filter_param(filter, 0, &param, sizeof param) && param.type == SATF_PARAM_PART) {
        satf_filter_set(ctx, one, param.name, "1x1");
    }
    for (int type = 0; satf_type_name(type); type++) {
        satf_view in = satf_view_packed(NULL, 1, 1, 1, (satf_type)type), out;
        if (satf_filter_output(ctx, one, &in, &out) == SATF_OK) {
            printf("%s\"%s\": \"%s\"", first ? "" : ", ", satf_type_name(type),
                   satf_type_name(out.type));
            first = false;
        }
    }
    satf_filter_destroy(one);
}

static const char *list_kind_name(satf_filter_kind kind)
{
    switch (kind) {
    case SATF_FILTER_WINDOW:
        return "window";
    case SATF_FILTER_RECTS:
        return "rectangles";
    case SATF_FILTER_PREFIX:
        return "prefix";
    case SATF_FILTER_MOVE:
        return "move";
    case SATF_FILTER_CELLS:
        return "cells";
    case SATF_FILTER_LINES:
        return "lines";
    }
    return "";
}

static void json_filter(satf_context *ctx, const satf_filter_info *info)
{
    putchar('{');
    json_text("name", info->name);
    fputs(", ", stdout);
    json_text("help", info->help);
    fputs(",\n  ", stdout);
    json_text("detail", info->detail);
    fputs(",\n  ", stdout);
    json_text("example", info->example);
    printf(",\n  \"kind\": \"%s\", \"output_types\": {", list_kind_name(info->kind));
    json_output_types(ctx, info->name);
    fputs("}, \"parameters\": [", stdout);
    satf_param_info p;
    for (size_t i = 0; satf_filter_param(info->name, i, &p, sizeof p); i++) {
        fputs(i ? ",\n  " : "\n  ", stdout);
        json_param(&p);
    }
    fputs("]}", stdout);
}

static void json_format(const satf_format_info *format)
{
    putchar('{');
    const char *missing = satf_format_missing(format->name);
    json_text("name", format->name);
    printf(", \"reads\": %s, \"writes\": %s, ", format->can_read && !missing ? "true" : "false",
           format->can_write && !missing ? "true" : "false");
    json_text("missing", missing);
    fputs(", ", stdout);
    json_text("suffixes", format->suffixes);
    fputs(", ", stdout);
    json_text("help", format->help);
    putchar('}');
}

void help_list_json(satf_context *ctx)
{
    fputs("{\"filters\": [", stdout);
    const char *name, *device, *help;
    satf_filter_info info;
    for (size_t i = 0; satf_filter_name(i, &info, sizeof info); i++) {
        fputs(i ? ",\n " : "\n ", stdout);
        json_filter(ctx, &info);
    }
    fputs("],\n\"borders\": [", stdout);
    for (int i = 0; (name = satf_border_name(i)); i++) {
        printf("%s\"%s\"", i ? ", " : "", name);
    }
    fputs("],\n\"formats\": [", stdout);
    satf_format_info format;
    for (size_t i = 0; satf_format(i, &format, sizeof format); i++) {
        fputs(i ? ",\n " : "\n ", stdout);
        json_format(&format);
    }
    fputs("],\n\"algorithms\": [", stdout);
    for (size_t i = 0; (name = satf_algorithm(i, &device, &help)); i++) {
        printf("%s{\"name\": \"%s\", \"device\": \"%s\", ", i ? ",\n " : "\n ", name, device);
        json_text("help", help);
        putchar('}');
    }
    puts("]}");
}
