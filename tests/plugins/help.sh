# What the command says of filters, for scripts that have read tests/script.sh.
# shellcheck shell=sh disable=SC2034,SC2154

# help_lines FILTER: its help, each parameter in one line
help_lines()
{
    "$satfilter" --help "$1" | sed -e ':a' -e '$!N;s/\n          */ /;ta' -e 'P;D'
}

# plain FILTER: the option of the command that applies it with its defaults
plain()
{
    help_lines "$1" | sed -n 's/^  [^ ]*  *.*(default \([^)]*\)).*/\1/p' >defaults
    echo "--$1$(sed 's/^/=/;q' defaults | grep -v =off)"
}

# table_filters: all of them
table_filters() { sed -n 's/^#include "\(.*\)\.h"/\1/p' "$source/filters/all.h"; }

# frame_filters PICTURE: those that the command applies without a file, and that keep the size of this picture of RGBA,
# 24 wide, and its channels unless they make it black and white, but not its pixels
frame_filters()
{
    for filter in $(table_filters); do
        ! "$satfilter" -q -f --format pam "$(plain "$filter")" "$1" out.pam 2>/dev/null ||
            ! sed -n '2,3p' out.pam | grep -q '^WIDTH 24$' ||
            sed -n '4p' out.pam | grep -q '^DEPTH 2$' || # grey with alpha
            cmp -s "$1" out.pam || echo "$filter"
    done
}

# compare_lists WANTED BUILT: what is built is what the table has, many filters
compare_lists()
{
    LC_ALL=C sort "$1" >wanted
    LC_ALL=C sort "$2" | at_least 10 "filters that are built" | diff wanted - ||
        fail "what is built is not the table's filters"
}

# properties FILTER: the names of its parameters that are no files
properties() { "$satfilter" --help "$1" | sed -n '/guide=FILE/d;s/^  \([a-z]*\)=.*(*.*/\1/p'; }

# installed TARGET NAME: installs the library and the plugin, which is $plugin then, with the library in
# $installed_libraries
installed()
{
    must make -s -C "$build" install-libLTLIBRARIES "$1" DESTDIR="$work/root"
    plugin=$(find "$work/root" -path "*/$2")
    [ -n "$plugin" ] || fail "make install leaves the plugin out"
    installed_libraries=${plugin%/*/*}
}
