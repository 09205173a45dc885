/* Printing the completions of bash, zsh and fish. */
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
static void shells_print_words(const char *words, char between)
{
    for (const char *w = words; *(w += strspn(w, " ")); w += strcspn(w, " ")) {
        printf("%s%.*s", w > words ? (char[2]){between} : "", (int)strcspn(w, " "), w);
    }
}

/* What may stand behind an option. */
typedef enum shell_value {
    SHELL_NONE, /* it takes no value */
    SHELL_ANY,  /* a value that nobody can guess */
    SHELL_WORDS,
    SHELL_FILE,
    SHELL_FOLDER
} shell_value;

static shell_value shells_value_of(const option *o)
{
    return !o->metavar                       ? SHELL_NONE
           : !o->choices                     ? SHELL_ANY
           : strcmp(o->choices, "DIR") == 0  ? SHELL_FOLDER
           : strcmp(o->choices, "FILE") == 0 ? SHELL_FILE
                                             : SHELL_WORDS;
}

/* --------------------------------------------------------------------- bash */

static void bash_name(void *user, const option *o)
{
    (void)user;
    printf("--%s ", o->name);
}

static void bash_value(void *user, const option *o)
{
    (void)user;
    shell_value value = shells_value_of(o);
    if (value == SHELL_NONE) {
        return;
    }
    printf("    --%s", o->name);
    if (o->letter) {
        printf("|-%c", o->letter);
    }
    switch (value) {
    case SHELL_WORDS:
        printf(") words='");
        print_escaped(o->choices, "'", "'\\&'");
        puts("' ;;");
        break;
    case SHELL_FILE:
    case SHELL_FOLDER:
        printf(") mapfile -t COMPREPLY < <(compgen -%c -- \"$cur\"); return ;;\n",
               value == SHELL_FILE ? 'f' : 'd');
        break;
    default:
        puts(") return ;;");
    }
}

/* Files of the suffixes and folders; where none begins so, any file. */
static void bash_files(const shell_program *shell)
{
    fputs("        mapfile -t COMPREPLY < <(compgen -d -- \"$cur\"\n"
          "            compgen -f -- \"$cur\" | grep -iE '\\.(",
          stdout);
    shells_print_words(shell->suffixes, '|');
    puts(")$')\n"
         "        [[ ${#COMPREPLY[@]} -gt 0 ]] ||\n"
         "            mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")");
}

void shell_print_bash(const shell_program *shell)
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
           shell->name, shell->name);
    shell->each_option(bash_value, NULL);
    puts("    esac");
    if (shell->commands) {
        printf("    [[ -z $words && $COMP_CWORD -eq 1 && $cur != -* ]] && words='%s'\n",
               shell->commands);
    }
    printf("    if [[ -z $words%s ]]; then\n"
           "        words='",
           shell->commands ? "" : " && $cur == -*");
    shell->each_option(bash_name, NULL);
    puts("'\n"
         "    fi\n"
         "    if [[ -n $words ]]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")");
    if (!shell->commands) {
        puts("    else");
        bash_files(shell);
    }
    printf("    fi\n"
           "}\n"
           "complete -o filenames -F _%s %s\n",
           shell->name, shell->name);
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

static void zsh_option(void *user, const option *o)
{
    (void)user;
    shell_value value = shells_value_of(o);
    const char *equals = value == SHELL_NONE ? "" : "=";
    /* one line for both names; either may come again */
    if (o->letter) {
        printf(" \\\n    '*'{-%c%s,--%s%s}'[", o->letter, *equals ? "+" : "", o->name, equals);
    } else {
        printf(" \\\n    '*--%s%s[", o->name, equals);
    }
    zsh_text(o->help);
    putchar(']');
    if (value != SHELL_NONE) {
        putchar(':');
        zsh_text(o->metavar);
        putchar(':');
    }
    if (value == SHELL_WORDS) {
        putchar('(');
        zsh_text(o->choices);
        putchar(')');
    } else if (value == SHELL_FILE || value == SHELL_FOLDER) {
        printf("_files%s", value == SHELL_FOLDER ? " -/" : "");
    }
    putchar('\'');
}

void shell_print_zsh(const shell_program *shell)
{
    printf("#compdef %s\n_arguments", shell->name);
    shell->each_option(zsh_option, NULL);
    if (shell->commands) {
        printf(" \\\n    '1:command:(%s)'\n", shell->commands);
    } else {
        fputs(" \\\n    '*:file:_files -g \"*.(#i)(", stdout);
        shells_print_words(shell->suffixes, '|');
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

static void fish_option(void *user, const option *o)
{
    const char *program_name = user;
    shell_value value = shells_value_of(o);
    printf("complete -c %s -l %s", program_name, o->name);
    if (o->letter) {
        printf(" -s %c", o->letter);
    }
    printf(value == SHELL_NONE ? "" : value == SHELL_FILE ? " -r -F" : " -x");
    if (value == SHELL_WORDS) {
        fputs(" -a ", stdout);
        fish_text(o->choices);
    } else if (value == SHELL_FOLDER) {
        fputs(" -a '(__fish_complete_directories)'", stdout);
    }
    fputs(" -d ", stdout);
    fish_text(o->help);
    putchar('\n');
}

void shell_print_fish(const shell_program *shell)
{
    printf("# fish completion for %s\n", shell->name);
    shell->each_option(fish_option, (void *)(uintptr_t)shell->name);
    if (shell->commands) {
        printf("complete -c %s -f\n", shell->name);
        printf("complete -c %s -n __fish_is_first_token -a ", shell->name);
        fish_text(shell->commands);
        putchar('\n');
    }
}
