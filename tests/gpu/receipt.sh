#!/bin/sh
# receipt.sh LOG...: writes tests/gpu/receipt.json from the logs of a full pass
# on a device. receipt.sh --check: 1, and a sentence, if a source that the pass
# covered has changed since, or there was none.
set -eu
here=$PWD
cd "${top_srcdir:-$(dirname "$0")/../..}"
receipt=tests/gpu/receipt.json

# One sum over all that decides what a device computes and what that is compared with, names
# included. Of m4/ and tests/ no more than is named: the rest of m4/ comes with libtool.
covered()
{
    find configure.ac Makefile.am m4/cuda.m4 m4/flags.m4 src/satfilter*.h cuda filters src/base \
        src/filter src/study src/move src/permute src/sat tests/gpu tests/filter_reference.h \
        tests/move_reference.h -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \
        -o -name '*.sh' -o -name '*.inc' -o -name '*.ac' -o -name '*.am' -o -name '*.m4' \) |
        LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d ' ' -f 1
}

if [ "${1:-}" = --check ]; then
    if [ ! -f "$receipt" ]; then
        echo "$receipt is missing: run make check-gpu where there is a CUDA device" >&2
        exit 1
    fi
    if ! grep -q "\"sources\": \"$(covered)\"" "$receipt"; then
        echo "$receipt is older than the sources it covers: run make check-gpu again" >&2
        exit 1
    fi
    exit 0
fi
if [ $# -eq 0 ]; then
    echo "usage: receipt.sh LOG... | --check" >&2
    exit 2
fi

# The logs lie where the build is.
for log; do
    shift
    case $log in
    /*) set -- "$@" "$log" ;;
    *) set -- "$@" "$here/$log" ;;
    esac
done

# A field that every log has at the start of a line.
field()
{
    sed -n "s/^$1: //p" "$2" | head -n 1
}

runs=$(sed -n 's/^test_[a-z_]*: \([0-9]*\) runs compared.*/\1/p' "$@" | awk '{ n += $1 } END { print n + 0 }')
tests=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test(s).*/\1/p' "$@" | awk '{ n += $1 } END { print n + 0 }')
skipped=$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) test(s).*/\1/p' "$@" | awk '{ n += $1 } END { print n + 0 }')
if [ "$tests" -eq 0 ] || [ -z "$(field device "$1")" ]; then
    echo "receipt.sh: these logs are not of a pass on a device: $*" >&2
    exit 1
fi
cat >"$receipt.tmp" <<JSON
{
  "device": "$(field device "$1")",
  "driver": "$(field driver "$1")",
  "date": "$(date -u +%Y-%m-%dT%H:%M:%SZ)",
  "tests": $tests,
  "skipped": $skipped,
  "runs": $runs,
  "sources": "$(covered)"
}
JSON
mv "$receipt.tmp" "$receipt"
echo "$receipt: $tests tests, $skipped skipped, $runs runs compared"
