# What the command says of filters. Read by scripts that have set $satfilter, the command.
# shellcheck shell=sh disable=SC2154

# help_lines FILTER: its help, each parameter in one line
help_lines()
{
    "$satfilter" --help "$1" | sed -e ':a' -e '$!N;s/\n          */ /;ta' -e 'P;D'
}
