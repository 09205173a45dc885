#!/bin/sh
# What device kernels decide by floats is the formulas' result (clear.cpp).
set -eu
: "${top_srcdir:?is set by make check}"
. "$(dirname "$0")/sure.sh"
if [ -z "${CXX:-}" ]; then
    without c++ "there is no C++ compiler"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2086 # CXX is a list of words
$CXX -std=gnu++17 -O2 -ffp-contract=off -Wall -Wextra -Werror -Wno-unknown-pragmas -I"$top_srcdir" -I"$top_srcdir/src" \
    -o "$work/clear" "$top_srcdir/tests/clear.cpp"
"$work/clear"
