#!/bin/sh
# The installed headers compile alone and one after another, in any order, as C and C++, without a
# warning of any compiler that is here.
set -eu
: "${top_srcdir:?is set by make check}" "${CC:?}"
. "$(dirname "$0")/sure.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strict="-Wall -Wextra -Wpedantic -Wconversion -Werror -I$top_srcdir/src"

cd "$top_srcdir/src"
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
    printf '#include <%s>\n' "$@" | $command $strict - || {
        echo "FAILED: $command, of $*" >&2
        exit 1
    }
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

# pairs COMMAND: every header before and after every other
pairs()
{
    for first in $all; do
        for second in $all; do
            [ "$first" = "$second" ] || compile "$1 -fsyntax-only" "$first" "$second"
        done
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
        alone "$1 -std=$standard -I$top_srcdir/samples -DSATF_MODULE=\"contrast.h\"" satfilter-module.h
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
pairs "$(head -n 1 commands) -std=c99"
if [ -z "${CXX:-}" ]; then
    without c++ "there is no C++ compiler: C++ is not tested"
    exit 77
fi
compilers c++ "$CXX" g++ clang++
while read -r command; do
    in_cxx "$command" </dev/null
    with_opencv "$command" </dev/null
done <commands
pairs "$(head -n 1 commands) -std=c++11 -Wold-style-cast"
