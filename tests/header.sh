#!/bin/sh
# The public headers compile alone, as C99, C11 and C++, without a warning.
set -eu
: "${top_srcdir:?is set by make check}" "${CC:?}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for suffix in c cc; do
    echo '#include <satfilter-study.h>
int main(void) { return satf_type_bytes(SATF_U8) == 1 ? 0 : 1; }' >"$work/alone.$suffix"
done
strict="-Wall -Wextra -pedantic -Werror -I$top_srcdir/src"

# shellcheck disable=SC2086 # CC and the flags are lists of words
for standard in c99 c11; do
    $CC -std=$standard $strict -c -o "$work/alone.o" "$work/alone.c"
done
if [ -z "${CXX:-}" ]; then
    echo "there is no C++ compiler: C++ is not tested"
    exit 77
fi
# shellcheck disable=SC2086
for standard in c++98 c++17; do
    $CXX -std=$standard $strict -Wno-long-long -c -o "$work/alone.o" "$work/alone.cc"
done
