/* satbench's texts, all derived from its tables. */
#include <string.h>

#include "../src/study/machine.h"
#include "bench.h"
#include "bench_paper.h"
#include "roff.h"
#include "shells.h"

static const char description[] =
    "Measures summed area tables and filters. Each figure is the median of several samples, is "
    "checked against the reference result before it is printed, and stands beside a copy that "
    "moves "
    "the same bytes: a memcpy on as many threads as the work used, or on one if that is faster, or "
    "a copy within the device. With --simulate accesses to memory are counted instead, on "
    "machines that model a GPU's. Lists are comma-separated and multiply out.";

static const struct {
    const char *option, *help;
} texts[] = {
    {"--list", "list tables, algorithms and filters"},
    {"--help", "this text"},
    {"--version", "the version"},
    {NULL, NULL},
};

static void print_option(const char *option, const char *metavar, const char *help)
{
    char left[32];
    snprintf(left, sizeof left, "%s %s", option, metavar ? metavar : "");
    printf("  %-20s %s\n", left, help);
}

enum { NAMES = 256 };

/* The tables that take an option, side by side; false: all do. */
static bool name_tables(const bench_option *option, char *text, size_t bytes)
{
    const bench_table *table;
    size_t length = 0;
    *text = '\0';
    for (size_t i = 0; option->takes && (table = bench_table_at(i)) != NULL; i++) {
        if (option->takes(table) && length < bytes) {
            length += (size_t)snprintf(text + length, bytes - length, "%s%s",
                                       length ? ", " : "tables: ", table->name);
        }
    }
    return option->takes;
}

void bench_print_help(void)
{
    const bench_table *table;
    const bench_option *option;
    char names[NAMES];
    puts("usage: satbench TABLE [OPTIONS]\n       satbench paper [NAME]... [OPTIONS]\n");
    bench_print_wrapped(description);
    puts("\nTables, and the lists they take with their defaults:");
    for (size_t i = 0; (table = bench_table_at(i)) != NULL; i++) {
        printf("  %-8s %s\n", table->name, table->help);
        for (int list = 0; list < BENCH_LISTS; list++) {
            if (table->defaults[list]) {
                printf("           %-12s %s\n", bench_list_option((bench_list)list),
                       table->defaults[list]);
            }
        }
    }
    printf("  %-8s %s\n", "paper", paper_help);
    puts("\nLists:");
    for (int list = 0; list < BENCH_LISTS; list++) {
        print_option(bench_list_option((bench_list)list), "LIST",
                     bench_list_help((bench_list)list));
    }
    puts("\nOptions:");
    for (size_t i = 0; (option = bench_option_at(i)) != NULL; i++) {
        if (option->help) {
            print_option(option->option, option->metavar, option->help);
            if (name_tables(option, names, sizeof names)) {
                print_option("", NULL, names);
            }
        }
    }
    for (size_t i = 0; texts[i].option; i++) {
        print_option(texts[i].option, NULL, texts[i].help);
    }
    puts("\nOptions of paper:");
    const paper_option *own;
    for (size_t i = 0; (own = paper_option_at(i)) != NULL; i++) {
        print_option(own->option, own->metavar, own->help);
    }
    puts("\nExit status: 0 done, 1 failed (a wrong result is a failure), 2 wrong usage.");
}

void bench_print_list(void)
{
    const bench_table *table;
    const machine_program *program;
    const char *name, *kind, *help;
    puts("tables:");
    for (size_t i = 0; (table = bench_table_at(i)) != NULL; i++) {
        printf("  %-18s %s\n", table->name, table->help);
    }
    puts("algorithms:");
    for (size_t i = 0; (name = satf_algorithm(i, &kind, &help)) != NULL; i++) {
        printf("  %-12s %-5s %s\n", name, kind, help);
    }
    puts("programs of the table model:");
    for (size_t i = 0; (program = machine_program_at(i)) != NULL; i++) {
        printf("  %-18s %s\n", program->name, program->help);
    }
    puts("permutations:");
    for (size_t i = 0; (name = satf_permutation_algorithm(i, &help)) != NULL; i++) {
        printf("  %-12s %s\n", name, help);
    }
    puts("filters:");
    satf_filter_info info;
    for (size_t i = 0; (name = satf_filter_name(i, &info, sizeof info)) != NULL; i++) {
        printf("  %-18s %s\n", name, info.help);
    }
    const paper_table *of_paper;
    puts("papers' tables, by satbench paper NAME:");
    for (size_t i = 0; (of_paper = paper_table_at(i)) != NULL; i++) {
        printf("  %-18s %s: %s\n", of_paper->name, of_paper->source->short_name, of_paper->title);
    }
}

void bench_print_version(void)
{
    printf("satbench %s\n", satf_version());
}

/* ---------------------------------------------------------------- man page */

static void tagged(const char *option, const char *metavar, const char *help)
{
    fputs(".TP\n\\fB", stdout);
    roff(option);
    fputs("\\fR", stdout);
    if (metavar) {
        fputs(" \\fI", stdout);
        roff(metavar);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    roff_paragraph(help);
}

void bench_print_man(void)
{
    const bench_table *table;
    const bench_option *option;
    char names[NAMES];
    printf(".TH SATBENCH 1 \"\" \"satfilter %s\" \"User Commands\"\n"
           ".SH NAME\n"
           "satbench \\- measures summed area tables and the filters built on them\n"
           ".SH SYNOPSIS\n"
           ".B satbench\n\\fITABLE\\fR [\\fIOPTIONS\\fR]\n.br\n"
           ".B satbench paper\n[\\fINAME\\fR]... [\\fIOPTIONS\\fR]\n"
           ".SH DESCRIPTION\n",
           satf_version());
    roff_paragraph(description);
    puts(".SH TABLES");
    for (size_t i = 0; (table = bench_table_at(i)) != NULL; i++) {
        tagged(table->name, NULL, table->help);
        for (int list = 0; list < BENCH_LISTS; list++) {
            if (table->defaults[list]) {
                puts(".br");
                roff(bench_list_option((bench_list)list));
                putchar(' ');
                roff_paragraph(table->defaults[list]);
            }
        }
    }
    puts(".SH OPTIONS");
    for (int list = 0; list < BENCH_LISTS; list++) {
        tagged(bench_list_option((bench_list)list), "LIST", bench_list_help((bench_list)list));
    }
    for (size_t i = 0; (option = bench_option_at(i)) != NULL; i++) {
        if (option->help) {
            tagged(option->option, option->metavar, option->help);
            if (name_tables(option, names, sizeof names)) {
                puts(".br");
                roff_paragraph(names);
            }
        }
    }
    for (size_t i = 0; texts[i].option; i++) {
        tagged(texts[i].option, NULL, texts[i].help);
    }
    puts(".SH \"TABLES OF PAPERS\"");
    roff_paragraph(paper_help);
    const paper_table *of_paper;
    for (size_t i = 0; (of_paper = paper_table_at(i)) != NULL; i++) {
        tagged(of_paper->name, NULL, of_paper->title);
    }
    puts(".SH \"OPTIONS OF PAPER\"");
    const paper_option *own;
    for (size_t i = 0; (own = paper_option_at(i)) != NULL; i++) {
        tagged(own->option, own->metavar, own->help);
    }
    puts(".SH \"EXIT STATUS\"");
    tagged("0", NULL, "done");
    tagged("1", NULL, "failed; a wrong result is a failure");
    tagged("2", NULL, "wrong usage");
}

/* -------------------------------------------------------------- completion */

static void each_option(shell_visit visit, void *user)
{
    const bench_option *option;
    const char *help = NULL;
    for (int list = 0; list < BENCH_LISTS; list++) {
        visit(user, &(shell_option){.name = bench_list_option((bench_list)list),
                                    .metavar = "LIST",
                                    .help = bench_list_help((bench_list)list),
                                    .value = SHELL_ANY});
    }
    for (size_t i = 0; (option = bench_option_at(i)) != NULL; i++) {
        bool file = option->metavar && strcmp(option->metavar, "FILE") == 0;
        help = option->help ? option->help : help;
        visit(user, &(shell_option){.name = option->option,
                                    .metavar = option->metavar,
                                    .help = help,
                                    .value = !option->metavar ? SHELL_NONE
                                             : file           ? SHELL_FILE
                                                              : SHELL_ANY});
    }
    for (size_t i = 0; texts[i].option; i++) {
        visit(user, &(shell_option){.name = texts[i].option, .help = texts[i].help});
    }
    const paper_option *own;
    for (size_t i = 0; (own = paper_option_at(i)) != NULL; i++) {
        if (own->is_new) {
            visit(user, &(shell_option){.name = own->option, .help = own->help});
        }
    }
}

/* By one of shells.h. */
static void print_completion(void (*print)(const shell_program *program))
{
    const bench_table *table;
    char tables[1024] = "paper ";
    for (size_t i = 0, at = strlen(tables);
         (table = bench_table_at(i)) != NULL && at < sizeof tables; i++) {
        at += (size_t)snprintf(tables + at, sizeof tables - at, "%s ", table->name);
    }
    print(&(shell_program){.name = "satbench", .each_option = each_option, .commands = tables});
}

void bench_print_bash(void)
{
    print_completion(shell_print_bash);
}

void bench_print_zsh(void)
{
    print_completion(shell_print_zsh);
}

void bench_print_fish(void)
{
    print_completion(shell_print_fish);
}
