#!/bin/sh
# check.sh ARGUMENTS PROGRAM...: runs the programs that need a CUDA device, each
# with those arguments; when all pass, writes the receipt, unless they ran less
# than all their cases. 77: no device.
set -u
: "${top_srcdir:?is set by make check-gpu}"
arguments=$1
shift
if [ $# -eq 0 ]; then
    echo "check-gpu: skipped, this build is without CUDA" >&2
    exit 77
fi
for program; do
    code=0
    # shellcheck disable=SC2086 # a list of options
    "./$program" $arguments >"$program.log" 2>&1 || code=$?
    cat "$program.log"
    if [ "$code" -eq 77 ]; then
        echo "check-gpu: skipped, no device" >&2
        exit 77
    fi
    if [ "$code" -ne 0 ]; then
        echo "check-gpu: $program failed" >&2
        exit 1
    fi
done
case $arguments in
"" | --long) ;;
*) exit 0 ;; # less than all
esac
for program; do
    echo "$program.log"
done | xargs "$top_srcdir/tests/gpu/receipt.sh"
