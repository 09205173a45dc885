#include "shells.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Prints text, each of the characters in `special` as `escape` with it in place of '&'. */
static void print_escaped(const char *text, const char *special, const char *escape)
{
    for (; *text; text++) {
        for (const char *e = strchr(special, *text) ? escape : "&"; *e; e++) {
            putchar(*e == '&' ? *text : *e);
        }
    }
}

/* The words with `between` in place of blanks. */
static void print_words(const char *words, char between)
{
    for (const char *w = words; *(w += strspn(w, " ")); w += strcspn(w, " ")) {
        printf("%s%.*s", w > words ? (char[2]){between} : "", (int)strcspn(w, " "), w);
    }
}

/* --------------------------------------------------------------------- bash */

static void bash_name(void *user, const shell_option *o)
{
    (void)user;
    printf("%s ", o->name);
}

static void bash_value(void *user, const shell_option *o)
{
    (void)user;
    if (o->value == SHELL_NONE) {
        return;
    }
    printf("    %s", o->name);
    if (o->letter) {
        printf("|-%c", o->letter);
    }
    switch (o->value) {
    case SHELL_WORDS:
        printf(") words='");
        print_escaped(o->words, "'", "'\\&'");
        puts("' ;;");
        break;
    case SHELL_FILE:
    case SHELL_FOLDER:
        printf(") mapfile -t COMPREPLY < <(compgen -%c -- \"$cur\"); return ;;\n",
               o->value == SHELL_FILE ? 'f' : 'd');
        break;
    default:
        puts(") return ;;");
    }
}

/* Files of the suffixes and folders; where none begins so, any file. */
static void bash_files(const shell_program *program)
{
    fputs("        mapfile -t COMPREPLY < <(compgen -d -- \"$cur\"\n"
          "            compgen -f -- \"$cur\" | grep -iE '\\.(",
          stdout);
    print_words(program->suffixes, '|');
    puts(")$')\n"
         "        [[ ${#COMPREPLY[@]} -gt 0 ]] ||\n"
         "            mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")");
}

void shell_print_bash(const shell_program *program)
{
    printf("# bash completion for %s\n"
           "_%s()\n"
           "{\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    local words=\n"
           "    # Readline splits words at '=': put --option=value together again.\n"
           "    [[ $cur == = ]] && cur= && prev='='\n"
           "    [[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD-1]} &&\n"
           "        [[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD-2]}\n"
           "    case $prev in\n",
           program->name, program->name);
    program->each_option(bash_value, NULL);
    puts("    esac");
    if (program->commands) {
        printf("    [[ -z $words && $COMP_CWORD -eq 1 && $cur != -* ]] && words='%s'\n",
               program->commands);
    }
    printf("    if [[ -z $words%s ]]; then\n"
           "        words='",
           program->commands ? "" : " && $cur == -*");
    program->each_option(bash_name, NULL);
    puts("'\n"
         "    fi\n"
         "    if [[ -n $words ]]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")");
    if (!program->commands) {
        puts("    else");
        bash_files(program);
    }
    printf("    fi\n"
           "}\n"
           "complete -o filenames -F _%s %s\n",
           program->name, program->name);
}

/* ---------------------------------------------------------------------- zsh */

/* Text between quotes, in which _arguments leaves brackets and colons alone. */
static void zsh_text(const char *text)
{
    for (; *text; text++) {
        char one[2] = {*text, '\0'};
        print_escaped(one, *text == '\'' ? "'" : "[]:\\", *text == '\'' ? "'\\&'" : "\\&");
    }
}

static void zsh_option(void *user, const shell_option *o)
{
    (void)user;
    const char *equals = o->value == SHELL_NONE ? "" : "=";
    /* one line for both names; either may come again */
    if (o->letter) {
        printf(" \\\n    '*'{-%c%s,%s%s}'[", o->letter, *equals ? "+" : "", o->name, equals);
    } else {
        printf(" \\\n    '*%s%s[", o->name, o->name[1] == '-' ? equals : *equals ? "+" : "");
    }
    zsh_text(o->help);
    putchar(']');
    if (o->value != SHELL_NONE) {
        putchar(':');
        zsh_text(o->metavar);
        putchar(':');
    }
    if (o->value == SHELL_WORDS) {
        putchar('(');
        zsh_text(o->words);
        putchar(')');
    } else if (o->value == SHELL_FILE || o->value == SHELL_FOLDER) {
        printf("_files%s", o->value == SHELL_FOLDER ? " -/" : "");
    }
    putchar('\'');
}

void shell_print_zsh(const shell_program *program)
{
    printf("#compdef %s\n_arguments", program->name);
    program->each_option(zsh_option, NULL);
    if (program->commands) {
        printf(" \\\n    '1:command:(%s)'\n", program->commands);
    } else {
        fputs(" \\\n    '*:file:_files -g \"*.(#i)(", stdout);
        print_words(program->suffixes, '|');
        puts(")\"'");
    }
}

/* --------------------------------------------------------------------- fish */

static void fish_text(const char *text)
{
    putchar('\'');
    print_escaped(text, "'\\", "\\&");
    putchar('\'');
}

static void fish_option(void *user, const shell_option *o)
{
    const shell_program *program = user;
    bool is_long = o->name[1] == '-';
    printf("complete -c %s -%c %s", program->name, is_long ? 'l' : 's', o->name + 1 + is_long);
    if (o->letter) {
        printf(" -s %c", o->letter);
    }
    printf(o->value == SHELL_NONE ? "" : o->value == SHELL_FILE ? " -r -F" : " -x");
    if (o->value == SHELL_WORDS) {
        fputs(" -a ", stdout);
        fish_text(o->words);
    } else if (o->value == SHELL_FOLDER) {
        fputs(" -a '(__fish_complete_directories)'", stdout);
    }
    fputs(" -d ", stdout);
    fish_text(o->help);
    putchar('\n');
}

void shell_print_fish(const shell_program *program)
{
    printf("# fish completion for %s\n", program->name);
    program->each_option(fish_option, (void *)program);
    if (program->commands) {
        printf("complete -c %s -f\n", program->name);
        printf("complete -c %s -n __fish_is_first_token -a ", program->name);
        fish_text(program->commands);
        putchar('\n');
    }
}
