#!/bin/sh
# What device kernels decide by floats is the formulas' result (clear.cpp).
set -eu
. "$(dirname "$0")/script.sh"
[ -n "${CXX:-}" ] || leave c++ "there is no C++ compiler"
# shellcheck disable=SC2086 # CXX is a list of words
$CXX -std=gnu++17 -O2 -ffp-contract=off -Wall -Wextra -Werror -Wno-unknown-pragmas -I"$source" -I"$source/src" \
    -o clear "$source/tests/clear.cpp"
./clear
