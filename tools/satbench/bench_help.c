/* satbench's texts, all derived from its tables. */
#include <string.h>

#include "../../src/study/machine.h"
#include "bench.h"
#include "paper/paper.h"
#include "../columns.h"
#include "../roff.h"
#include "../shells.h"

static const char description[] =
    "Measures summed area tables and filters. Each figure is the median of several samples, is "
    "checked against the reference result before it is printed, and stands beside a copy that "
    "moves "
    "the same bytes: a memcpy on as many threads as the work used, or on one if that is faster, or "
    "a copy within the device. With --simulate accesses to memory are counted instead, on "
    "machines that model a GPU's. Lists are comma-separated and multiply out.";

static void help_print_help(void)
{
    const bench_table *table;
    puts("usage: satbench TABLE [OPTIONS]\n       satbench paper [NAME]... [OPTIONS]\n");
    print_wrapped(description, 0, 0);
    puts("\nTables, and the lists they take with their defaults:");
    for (size_t i = 0; (table = bench_table_at(i)) != NULL; i++) {
        printf("  %-8s %s\n", table->name, table->help);
        for (int list = 0; list < BENCH_LISTS; list++) {
            const char *text = bench_default_of(table, (bench_list)list);
            if (text) {
                printf("           --%-10s %s\n", bench_list_option((bench_list)list)->name, text);
            }
        }
    }
    printf("  %-8s %s\n", "paper", paper_help);
    options_print(&satbench_cli);
    options_print(&paper_cli);
    puts("\nExit status: 0 done, 1 failed (a wrong result, or a claim of paper --check), 2 wrong "
         "usage.");
}

static void help_print_list(void)
{
    const bench_table *table;
    const machine_program *counted;
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
    for (size_t i = 0; (counted = machine_program_at(i)) != NULL; i++) {
        printf("  %-18s %s\n", counted->name, counted->help);
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

/* ---------------------------------------------------------------- man page */

static void tagged(const char *word, const char *help)
{
    fputs(".TP\n\\fB", stdout);
    roff(word);
    fputs("\\fR\n", stdout);
    roff_paragraph(help);
}

static void print_man(void)
{
    const bench_table *table;
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
        tagged(table->name, table->help);
        for (int list = 0; list < BENCH_LISTS; list++) {
            const char *text = bench_default_of(table, (bench_list)list);
            if (text) {
                fputs(".br\n\\-\\-", stdout);
                roff(bench_list_option((bench_list)list)->name);
                putchar(' ');
                roff_paragraph(text);
            }
        }
    }
    puts(".SH OPTIONS");
    options_print_man(&satbench_cli);
    options_print_man(&paper_cli);
    puts(".SH \"TABLES OF PAPERS\"");
    roff_paragraph(paper_help);
    const paper_table *of_paper;
    for (size_t i = 0; (of_paper = paper_table_at(i)) != NULL; i++) {
        tagged(of_paper->name, of_paper->title);
    }
    puts(".SH \"EXIT STATUS\"");
    tagged("0", "done");
    tagged("1", "failed; a wrong result is a failure, and a claim of --check that should hold and "
                "does not");
    tagged("2", "wrong usage");
}

/* -------------------------------------------------------------- completion */

/* The options of paper that tables have not. */
static void help_each_option(option_visit visit, void *user)
{
    const option *o;
    satbench_cli.each_option(visit, user);
    for (size_t i = 0; (o = paper_cli.option_at(i)); i++) {
        if (!option_find(&satbench_cli, o->name, strlen(o->name))) {
            visit(user, o);
        }
    }
}

/* Prints the completion, by one of the functions of shells.h. */
static void print_completion(void (*print)(const shell_program *shell))
{
    const bench_table *table;
    char tables[1024] = "paper ";
    for (size_t i = 0, at = strlen(tables);
         (table = bench_table_at(i)) != NULL && at < sizeof tables; i++) {
        at += (size_t)snprintf(tables + at, sizeof tables - at, "%s ", table->name);
    }
    print(
        &(shell_program){.name = "satbench", .each_option = help_each_option, .commands = tables});
}

void bench_print(bench_text text)
{
    switch (text) {
    case BENCH_RUN:
        break;
    case BENCH_HELP:
        help_print_help();
        break;
    case BENCH_LIST:
        help_print_list();
        break;
    case BENCH_VERSION:
        printf("satbench %s\n", satf_version());
        break;
    case BENCH_MAN:
        print_man();
        break;
    case BENCH_BASH:
        print_completion(shell_print_bash);
        break;
    case BENCH_ZSH:
        print_completion(shell_print_zsh);
        break;
    case BENCH_FISH:
        print_completion(shell_print_fish);
        break;
    }
}
