#!/bin/sh
# The installed headers compile alone and one after another, in any order, as C and C++, without a
# warning of any compiler that is here.
set -eu
. "$(dirname "$0")/script.sh"
strict="-Wall -Wextra -Wpedantic -Wconversion -Werror -I$source/src"

cd "$source/src"
all=$(ls satfilter*.h satfilter/*.h)
library=$(echo "$all" | grep -v module | grep -v /)
opencv=$(ls satfilter/*.hpp)
cd "$work"

# compile COMMAND HEADER...: a unit that includes these first, in this order
compile()
{
    command=$1
    shift
    # shellcheck disable=SC2086 # the command is a list of words
    printf '#include <%s>\n' "$@" | $command $strict - || fail "$command, of $*"
}

# alone COMMAND HEADER...: each of them
alone()
{
    how=$1
    shift
    for header in "$@"; do
        compile "$how -c -o alone.o" "$header"
    done
}

# orders COMMAND: every header before all others, which stand in either order
# shellcheck disable=SC2046,SC2086
orders()
{
    for first in $all; do
        compile "$1 -fsyntax-only" $first $all
        compile "$1 -fsyntax-only" $first $(echo "$all" | sort -r)
    done
}

# compilers LANGUAGE FIRST OTHER...: commands for those that are here, each once, in the file commands
compilers()
{
    language=$1
    shift
    : >found
    # shellcheck disable=SC2086
    for compiler in "$@"; do
        if echo '#include <stdint.h>' | $compiler -x "$language" -fsyntax-only - 2>/dev/null; then
            echo "$($compiler -dumpversion) $compiler -x $language" >>found
        else
            without "$compiler" "the headers by $compiler, which is not here"
        fi
    done
    awk '!seen[$1]++' found | cut -d ' ' -f 2- | at_least 1 "compilers of $language" >commands
}

# shellcheck disable=SC2086 # lists of headers have no blanks in them
in_c()
{
    for standard in c99 c11; do
        alone "$1 -std=$standard" $all
        alone "$1 -std=$standard -I$source/samples -DSATF_MODULE=\"contrast.h\"" satfilter-module.h
    done
}

# shellcheck disable=SC2086
in_cxx()
{
    alone "$1 -std=c++98 -Wold-style-cast -Wno-long-long" $library
    for standard in c++11 c++17; do
        alone "$1 -std=$standard -Wold-style-cast" $all
    done
}

# shellcheck disable=SC2086
with_opencv()
{
    directories=$(pkg-config --cflags-only-I opencv4 2>/dev/null || echo -I/usr/include/opencv4)
    directories=$(echo "$directories" | sed 's/-I/-isystem /g')
    echo '#include <opencv2/core/cuda.hpp>' | $1 $directories -fsyntax-only - 2>/dev/null || {
        without opencv "$1 finds no OpenCV: $opencv is not tested"
        return
    }
    flags="-Wold-style-cast $directories -fsyntax-only"
    compile "$1 -std=c++11 $flags" $opencv $all
    compile "$1 -std=c++17 $flags" $all $opencv
}

compilers c "$CC" gcc clang
while read -r command; do
    in_c "$command" </dev/null
done <commands
orders "$(head -n 1 commands) -std=c99"
[ -n "${CXX:-}" ] || leave c++ "there is no C++ compiler: C++ is not tested"
compilers c++ "$CXX" g++ clang++
while read -r command; do
    in_cxx "$command" </dev/null
    with_opencv "$command" </dev/null
done <commands
orders "$(head -n 1 commands) -std=c++11 -Wold-style-cast"
