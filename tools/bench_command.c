/* A command line of satbench: a table, and its options. */
#include <string.h>

#include "bench.h"

/* The option's value: behind "=", or the next word; NULL if there is none. */
static const char *option_value(const char *word, size_t name_length, char ***next)
{
    if (word[name_length] == '=') {
        return word + name_length + 1;
    }
    return **next ? *(*next)++ : NULL;
}

/* Does word consist of that option, with or without "=VALUE"? */
static bool is_option(const char *word, const char *option)
{
    size_t length = strlen(option);
    return strncmp(word, option, length) == 0 &&
           (word[length] == '\0' || (word[length] == '=' && option[1] == '-'));
}

int bench_parse_option(bench *b, const char *word, char ***next)
{
    for (int list = 0; list < BENCH_LISTS; list++) {
        const char *option = bench_list_option((bench_list)list);
        if (!is_option(word, option)) {
            continue;
        }
        if (!b->table->defaults[list]) {
            return bench_error(2, "the table %s takes no %s", b->table->name, option);
        }
        const char *value = option_value(word, strlen(option), next);
        if (!value) {
            return bench_error(2, "%s needs a value", option);
        }
        b->options.list[list].given = true;
        return bench_parse_list((bench_list)list, value, &b->options.list[list]) ? 0 : 2;
    }
    const bench_option *common;
    for (size_t i = 0; (common = bench_option_at(i)); i++) {
        const char *option = common->option, *value = "";
        if (!is_option(word, option)) {
            continue;
        }
        if (common->takes && !common->takes(b->table)) {
            return bench_error(2, "the table %s takes no %s", b->table->name, option);
        }
        if (common->metavar) {
            value = option_value(word, strlen(option), next);
        } else if (word[strlen(option)]) {
            return bench_error(2, "%s takes no value", option);
        }
        if (!value) {
            return bench_error(2, "%s needs a value", option);
        }
        if (!common->set(&b->options, value)) {
            return bench_error(2, "%s cannot be \"%s\"; see satbench --help", option, value);
        }
        return 0;
    }
    return bench_error(2, "there is no option %s; see satbench --help", word);
}

int bench_choose_table(bench *b, const char *name)
{
    for (size_t i = 0; bench_table_at(i); i++) {
        if (strcmp(bench_table_at(i)->name, name) == 0) {
            b->table = bench_table_at(i);
        }
    }
    if (!b->table) {
        return bench_error(2, "there is no table \"%s\"; see satbench --list", name);
    }
    for (int list = 0; list < BENCH_LISTS; list++) {
        const char *text = b->table->defaults[list];
        if (text && !bench_parse_list((bench_list)list, text, &b->options.list[list])) {
            return 1;
        }
    }
    return 0;
}

int bench_check_options(const bench *b)
{
    const bench_options *o = &b->options;
    const char *name = b->table->name;
    if (o->simulate && o->device != SATF_HOST) {
        return bench_error(2, "a simulation takes no device; leave out --device or --simulate");
    }
    if (o->simulate && o->repeat) {
        return bench_error(2, "a simulation takes no time; leave out --repeat or --simulate");
    }
    if (!o->simulate && !b->table->run) {
        return bench_error(1, "the table %s is counted only, on no device; use --simulate", name);
    }
    if (o->device == SATF_HOST && b->table == &bench_sat_table &&
        (o->tuning.tile || o->tuning.threads || o->tuning.sync || o->tuning.r > 0 || o->search)) {
        return bench_error(2, "--tile, --block-threads, --sync, --r and --search are of CUDA rows; "
                              "use --device cuda");
    }
    if (o->device != SATF_HOST && !b->table->on_cuda) {
        return bench_error(2, "the table %s is measured on the CPU only", name);
    }
    return 0;
}
