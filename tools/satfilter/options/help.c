/* Printing --help. */
#include "help.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "../../columns.h"
#include "synonyms.h"

const help_example help_examples[] = {
    {"satfilter --box 15 in.jpg out.jpg", "blur: the mean over 15 x 15 pixels"},
    {"satfilter --guided 9,noise=5,colour in.jpg out.jpg", "less noise; edges stay sharp"},
    {"satfilter --resize 1024x1024 -o small *.jpg", "a folder of pictures made smaller"},
    {"satfilter --wolf 21 scan.png page.png", "a page in black and white"},
    {"satfilter --variance 7 in.png out.npy", "local variance, as numbers for NumPy"},
    {NULL, NULL},
};

const help_status help_statuses[] = {
    {0, "done"},        {1, "failed"},
    {2, "wrong usage"}, {3, "some inputs failed, unread or damaged, the others are done"},
    {0, NULL},
};

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

/* Filters of a kind that stand together and take the same value are one entry. */
static bool help_is_of_kind(const satf_filter_info *first, const satf_filter_info *next)
{
    const char *value = filter_value_syntax(first->name), *other = filter_value_syntax(next->name);
    return kind_length(first->help, next->help) > 0 && value && other && !strcmp(value, other);
}

static void help_append(char text[256], const char *before, const char *word, size_t length)
{
    size_t used = strlen(text);
    snprintf(text + used, 256 - used, "%s%.*s", before, (int)length, word);
}

/* The entry of filter i and those of its kind behind it; the index of the next. Their flags that
 * no filter before them has are named in it. */
static size_t help_kind(size_t i)
{
    satf_filter_info first, info;
    satf_param_info p;
    char head[256] = "", text[256] = "", flags[256] = "";
    satf_filter_name(i, &first, sizeof first);
    const char *value = filter_value_syntax(first.name);
    size_t end = i;
    for (;
         satf_filter_name(end, &info, sizeof info) && (end == i || help_is_of_kind(&first, &info));
         end++) {
        help_append(head, end == i ? "--" : ", --", info.name, strlen(info.name));
        for (size_t k = 0; satf_filter_param(info.name, k, &p, sizeof p); k++) {
            if (p.type == SATF_PARAM_FLAG && first_with_flag(end, p.name)) {
                help_append(flags, *flags ? ", --" : "; flags: --", p.name, strlen(p.name));
            }
        }
    }
    help_append(head, value ? " " : "", value ? value : "", value ? strlen(value) : 0);
    help_append(text, "", first.help,
                end - i > 1 ? kind_length(first.help, first.help) : strlen(first.help));
    help_append(text, flags, "", 0);
    if (end - i > 1) {
        printf("  %s\n", head);
    }
    print_entry(end - i > 1 ? "" : head, text);
    return end;
}

/* Prints how the command is called, and examples. */
static void help_print_head(FILE *to)
{
    fputs("Usage: satfilter [OPTIONS] FILTER... INPUT OUTPUT\n"
          "       satfilter [OPTIONS] FILTER... INPUT... -o DIR\n"
          "       satfilter [OPTIONS] FILTER... < INPUT > OUTPUT\n\n",
          to);
    for (const help_example *e = help_examples; e->command; e++) {
        fprintf(to, "  %-53s %s\n", e->command, e->meaning);
    }
}

void help_short(FILE *to)
{
    help_print_head(to);
    fputs("\nAll of it: satfilter --help\n", to);
}

static void help_usage(void)
{
    help_print_head(stdout);
    puts("\nOf any filter or option: --help WORD, such as --help guided, --help range. Exact "
         "definitions:\ndocs/filters.md. Filters are applied in the order written. Parameters "
         "follow behind commas:\n--box 15,border=mirror. A window may be a length: --help "
         "window.\n\nFilters:");
    for (size_t i = 0; satf_filter_name(i, NULL, 0);) {
        i = help_kind(i);
    }
    options_print(&satfilter_cli);
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
    enum { COLUMN = 18 };
    char head[64], help[512];
    bool flag = p->type == SATF_PARAM_FLAG;
    snprintf(head, sizeof head, "%s%s%s", p->is_value ? "" : p->name,
             p->is_value || flag ? "" : "=", !flag && p->syntax ? p->syntax : "");
    bool has_default = p->default_text && p->default_text[0] && !flag;
    snprintf(help, sizeof help, "%s%s%s%s%s", p->help, has_default ? " (default " : "",
             has_default ? p->default_text : "", has_default ? ")" : "",
             p->type == SATF_PARAM_SIZE ? "; or a length: --help window" : "");
    print_entry_at(COLUMN, head, help);
}

/* An example, what to take the filter for, its parameters: 15 lines. */
static void help_filter(const satf_filter_info *info)
{
    const char *value = filter_value_syntax(info->name);
    if (info->example) {
        printf("%s\n\n", info->example);
    } else {
        printf("satfilter --%s%s%s ...\n\n", info->name, value ? " " : "", value ? value : "");
    }
    int at = printf("%c%s. ", toupper((unsigned char)*info->help), info->help + 1);
    print_wrapped(info->detail, at, 0);
    satf_param_info p;
    fputs(satf_filter_param(info->name, 0, &p, sizeof p) ? "\n" : "", stdout);
    for (size_t i = 0; satf_filter_param(info->name, i, &p, sizeof p); i++) {
        param_row(&p);
    }
}

/* ------------------------------------------------------------------ topics */

/* With the option that it is another name of, if texts leave it out. */
static void help_option(const option *o)
{
    const cli *p = &satfilter_cli;
    option_print(p, o);
    const option *same;
    for (size_t i = 0; (same = satfilter_option_at(i)) && !o->group; i++) {
        if (same->take == o->take && same->at == o->at && same->most == o->most && same->group) {
            o = same;
            option_print(p, o);
        }
    }
    if (o->detail) {
        putchar('\n');
        print_wrapped(o->detail, 0, 0);
    }
}

/* What a word of --help means; the members that it does not mean are NULL or -1. */
typedef struct topic {
    satf_filter_info filter;
    const char *flag_of; /* the first filter with this flag */
    satf_param_info flag;
    const option *option;
    int table;
    satf_format_info format;
    bool algorithm;
    const synonym *synonym;
} topic;

/* Finds an option by its name, or as it is written: "--box", "-o". */
static const option *find_option(const char *word, const char *name)
{
    const option *o = NULL, *next;
    bool letter = word[0] == '-' && word[1] && !word[2];
    for (size_t i = 0; !o && letter && (next = satfilter_option_at(i)); i++) {
        o = next->letter == word[1] ? next : NULL;
    }
    return o ? o : option_find(&satfilter_cli, name, strlen(name));
}

/* False if there is nothing to say of the word. */
static bool find_topic(const settings *s, const char *word, topic *t)
{
    const char *name = word + strspn(word, "-"), *filter;
    *t = (topic){.option = find_option(word, name), .table = help_find_table(name)};
    satf_filter_find(name, &t->filter, sizeof t->filter);
    for (size_t i = 0; (filter = satf_filter_name(i, NULL, 0)) && !t->flag_of; i++) {
        int flag = filter_flag_index(filter, name);
        if (flag >= 0) {
            satf_filter_param(filter, (size_t)flag, &t->flag, sizeof t->flag);
            t->flag_of = filter;
        }
    }
    if (t->filter.name || t->flag_of || t->option || t->table >= 0) {
        return true;
    }
    satf_format_find(name, &t->format, sizeof t->format);
    t->algorithm = satf_context_set_algorithm(s->ctx, name) == SATF_OK; /* no work follows */
    t->synonym = synonym_find(name, strlen(name));
    return t->format.name || t->algorithm || t->synonym;
}

/* Prints which filters have the flag. */
static void print_flag_filters(const char *flag)
{
    const char *filter;
    fputs("\nA flag of", stdout);
    for (size_t i = 0, count = 0; (filter = satf_filter_name(i, NULL, 0)); i++) {
        if (filter_flag_index(filter, flag) >= 0) {
            printf("%s --%s", count++ ? "," : "", filter);
        }
    }
    puts(".");
}

static void print_topic(const settings *s, const char *word)
{
    topic t;
    find_topic(s, word, &t);
    const char *name = word + strspn(word, "-");
    if (t.filter.name) {
        help_filter(&t.filter);
    } else if (t.flag_of) {
        char head[64];
        snprintf(head, sizeof head, "--%s", t.flag.name);
        print_entry(head, t.flag.help);
        print_flag_filters(t.flag.name);
    }
    if (t.option) {
        help_option(t.option);
    }
    if (t.table >= 0) {
        fputs(t.option ? "\n" : "", stdout);
        help_print_table(t.table);
    }
    if (t.format.name) {
        help_print_format(&t.format);
    }
    if (t.algorithm && !help_print_algorithms(name)) {
        printf("%s: an algorithm that this build does not have\n\n", name);
        help_print_table(help_find_table("algorithm"));
    }
    if (t.synonym) {
        printf("%s: no such option; %s\n", word, t.synonym->answer);
        if (t.synonym->option) {
            putchar('\n');
            print_topic(s, t.synonym->option);
        }
    }
}

int help_print(const settings *s)
{
    bool options = false, first = true;
    for (char **word = s->topics; word && *word; word++) {
        topic t;
        if (find_topic(s, *word, &t)) {
            options = options || **word == '-';
        } else if (!options) { /* behind an option it may be its value, or a file */
            const char *name = *word + strspn(*word, "-");
            const char *nearest = option_nearest(&satfilter_cli, name, strlen(name));
            return usage_error("--help", "there is nothing on '%s'%s%s%s", *word,
                               nearest ? "; did you mean " : "; see --list, or --help alone",
                               nearest ? nearest : "", nearest ? "?" : "");
        }
    }
    for (char **word = s->topics; word && *word; word++) {
        topic t;
        if (find_topic(s, *word, &t)) {
            fputs(first ? "" : "\n", stdout);
            print_topic(s, *word);
            first = false;
        }
    }
    if (first) {
        help_usage();
    }
    return EXIT_SUCCESS;
}
